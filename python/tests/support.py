"""Oracles that the tests share: sums by the definition, and all labellings tried."""

import itertools
import os

import numpy as np

SEED = int(os.environ.get("SOS_TEST_SEED", "1"))


def generator(*numbers):
    """Random numbers that depend on the seed of the run and on these numbers; a failing test prints its parameters."""
    return np.random.default_rng([SEED, *numbers])


def submodular_table(rng, k):
    """A table made of what is submodular: concave functions of counts, pairs, and modular parts."""
    f = np.zeros(1 << k)
    members = np.arange(k)
    bits = (np.arange(1 << k)[:, None] >> members) & 1
    for _ in range(3):
        amounts = rng.integers(0, 4, k)
        f += rng.integers(0, 3) * np.minimum(bits @ amounts, rng.integers(1, 5))
    return f + bits @ rng.integers(-3, 4, k)


def energy_of(labels, unary, cliques=(), concaves=(), constant=0.0):
    """E by the definition.  cliques: (variables, table, weight); concaves: (variables, g, weight)."""
    total = constant + sum(unary[i][y] for i, y in enumerate(labels))
    for variables, f, weight in cliques:
        total += weight * f[sum(int(labels[v]) << b for b, v in enumerate(variables))]
    for variables, g, weight in concaves:
        total += weight * g[sum(int(labels[v]) for v in variables)]
    return total


def least(n, energy, labels=2):
    """The least energy of all labellings."""
    return min(energy(y) for y in itertools.product(range(labels), repeat=n))
