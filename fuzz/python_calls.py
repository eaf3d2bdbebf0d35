#!/usr/bin/env python3
"""the Python package by random calls: python_calls.py [--seconds S] [--count N] [--seed N] [--only FAMILY]

A program is a list of calls that a seed makes: energies of two labels and of several, models and problems, losses, pictures, texts that
are damaged, and calls into the extension module of which one argument is damaged.  Most arguments are right, some are not.  A call comes back or raises one of the exceptions that the package knows; where it comes back

  - minima are those of all labellings tried, by a definition of this file's own in whole numbers, and bounds hold,
  - what is written reads back as it was, and copies share nothing,
  - what was refused has changed nothing.

Programs run in a process of their own.  A crash, a report of a sanitizer, 60 seconds without an end, or something that does not hold
is a failure, and ends the run: the program is printed as its seed, which --seed SEED --count 1 runs again.  PYTHONPATH says which package
is tried; scripts/fuzz takes the one with sanitizers."""
import argparse
import faulthandler
import itertools
import os
import pathlib
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HANGS = 60  # seconds of one program
STEPS = 25


class Wrong(Exception):
    """Something that does not hold."""


def check(holds, *what):
    if not holds:
        raise Wrong(" ".join(str(part) for part in what))


# ---- one program; numpy and s3svm are imported by the process that runs them, see work() ----

class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.allowed = (s3svm.Error, ValueError, TypeError, IndexError, KeyError, OverflowError, MemoryError, BufferError, AttributeError)

    def attempt(self, call, *arguments, **named):
        """What the call returns, and whether it was refused."""
        try:
            return call(*arguments, **named), False
        except self.allowed:
            return None, True

    def seldom(self):
        return self.r.random() < 0.12

    # -- values

    def odd(self):
        """What hardly any call takes."""
        return self.r.choice((
            lambda: None, lambda: -1, lambda: 2**31, lambda: 2**32 - 1, lambda: 2**63, lambda: 2**70, lambda: -2**70, lambda: float("nan"),
            lambda: float("inf"), lambda: -1e308, lambda: 1e-320, lambda: "", lambda: "a" * 3000, lambda: "\0", lambda: "\ud800", lambda: b"\0",
            lambda: [], lambda: (), lambda: {}, lambda: object(), lambda: np.array([]), lambda: np.zeros((0, 3)), lambda: np.zeros((2, 0)),
            lambda: np.arange(6.0)[::2], lambda: np.arange(4).astype(">f8"), lambda: np.float16([1, 2]), lambda: np.array([1, None]),
            lambda: np.ma.array([1.0, 2], mask=[0, 1]), lambda: memoryview(b"abcdefgh"), lambda: np.array(3), lambda: np.array(["a"]),
            lambda: [[1], [1, 2]], lambda: np.array([np.nan, 1]), lambda: np.zeros((1, 2, 3, 4)), lambda: range(3), lambda: 1j, lambda: int))()

    def cost(self):
        """Small whole numbers, so that sums are exact."""
        return float(self.r.randint(-9, 9)) if self.r.random() < 0.9 else float(self.r.randint(-10**6, 10**6))

    def table(self, k):
        """Submodular: concave functions of what is hit, and modular parts."""
        f = [0.0] * (1 << k)
        for _ in range(self.r.randint(0, 3)):
            amounts, most, c = [self.r.randint(0, 3) for _ in range(k)], self.r.randint(1, 5), self.r.randint(0, 4)
            for s in range(1 << k):
                f[s] += c * min(most, sum(a for i, a in enumerate(amounts) if s >> i & 1))
        parts = [self.cost() for _ in range(k)]
        return [x + sum(p for i, p in enumerate(parts) if s >> i & 1) for s, x in enumerate(f)]

    def concave(self, k):
        steps = sorted((self.r.randint(-5, 5) for _ in range(k)), reverse=True)
        return [float(sum(steps[:i])) for i in range(k + 1)]

    def members(self, n, k):
        return self.r.sample(range(n), k)

    def maybe(self, value):
        """The value, seldom another one."""
        return self.odd() if self.r.random() < 0.04 else value

    # -- energies of two labels

    def two_labels(self):
        r = self.r
        shape = r.choice(((1,), (2,), (5,), (7,), (2, 3), (2, 4), (2, 2, 2)))
        n = int(np.prod(shape))
        e, own = s3svm.Energy(shape), Two(n)
        minimizer = s3svm.Minimizer(e)
        for _ in range(STEPS):
            own = self.step(e, own, r.choice((self.unaries, self.unary, self.clique, self.listed, self.patches, self.counts, self.pieces,
                                              self.fix, self.new_table, self.new_weights, self.constant)))
            if r.random() < 0.3:
                self.minimum(e, own, minimizer)
            if r.random() < 0.1:
                self.round_trip(e)
        self.minimum(e, own, minimizer)
        self.round_trip(e)

    def step(self, e, own, change):
        """Tries to change the energy; returns what it is by the definition.  A table for cliques that are refused may stay: nobody uses it."""
        before, plain = self.content(e), own.copy()
        if not change(e, own):
            return own
        check(self.content(e) == before, "what was refused has changed the energy")
        plain.tables += [e.table(t).tolist() for t in range(len(plain.tables), e.tables)]
        return plain

    def content(self, e):
        cliques = [(c.variables.tolist(), c.table, c.weight) for c in map(e.clique, range(e.cliques))]
        concave = [tuple(map(str, e.concave(i))) for i in range(e.concaves)]
        return e.constant, e.unaries.tolist(), e.fixed.tolist(), cliques, concave

    def constant(self, e, own):
        c = self.cost()
        given = self.maybe(c)
        own.constant += c
        return self.changed(given is c, e.add_constant, given)

    def changed(self, right, call, *arguments, **named):
        """A call with right arguments must not be refused.  One with others may be taken only where the checks below are not fooled: then
        the program ends."""
        _, refused = self.attempt(call, *arguments, **named)
        check(not (right and refused), call.__name__, "refuses", arguments, named)
        if not right and not refused:
            raise Ended
        return refused

    def unaries(self, e, own):
        costs = [[self.cost(), self.cost()] for _ in range(own.n)]
        own.unary = costs
        given = self.maybe(np.array(costs).reshape(e.shape + (2,)))
        return self.changed(isinstance(given, np.ndarray) and given.shape == e.shape + (2,), e.set_unaries, given)

    def unary(self, e, own):
        i, c = self.r.randrange(own.n), [self.cost(), self.cost()]
        own.unary = own.unary[:i] + [c] + own.unary[i + 1:]
        given = [self.maybe(i), self.maybe(c[0]), self.maybe(c[1])]
        return self.changed(same(given, [i, *c]), e.set_unary, *given)

    def clique(self, e, own):
        k = self.r.randint(1, min(4, own.n))
        variables = [self.members(own.n, k) for _ in range(self.r.randint(1, 3))]
        weights = [float(self.r.randint(0, 3)) for _ in variables] if self.r.random() < 0.5 else None
        f = self.table(k)
        bad = self.seldom()
        if bad and k > 1:
            f[-1] += 1000.0  # not submodular
        given = [self.maybe(f), self.maybe(variables), weights]
        right = given[0] is f and given[1] is variables and not (bad and k > 1)
        if bad and k > 1 and given[0] is f and given[1] is variables:
            refused = self.attempt(e.add_cliques, *given)[1]
            check(refused, "a table that is not submodular is taken", f)
            return True
        own.tables.append(f)
        for row, w in zip(variables, weights or [1.0] * len(variables)):
            own.cliques.append([row, len(own.tables) - 1, w])
        return self.changed(right, e.add_cliques, *given)

    def listed(self, e, own):
        sizes = {len(f).bit_length() - 1 for f in own.tables}
        sizes = [k for k in sizes if k <= own.n]
        if not sizes:
            return False
        k = self.r.choice(sizes)
        tables = [t for t, f in enumerate(own.tables) if len(f) == 1 << k]
        rows = [self.members(own.n, k) for _ in range(self.r.randint(1, 3))]
        which = [self.r.choice(tables) for _ in rows]
        own.cliques += [[row, t, 1.0] for row, t in zip(rows, which)]
        given = [self.maybe(which), self.maybe(rows)]
        return self.changed(given[0] is which and given[1] is rows, e.add_listed, *given)

    def patches(self, e, own):
        patch = tuple(self.r.randint(1, min(2, s)) for s in e.shape)
        k = int(np.prod(patch))
        f, w = self.table(k), float(self.r.randint(0, 3))
        own.tables.append(f)
        numbers = np.arange(own.n).reshape(e.shape)
        for at in itertools.product(*(range(s - p + 1) for s, p in zip(e.shape, patch))):
            part = numbers[tuple(slice(a, a + p) for a, p in zip(at, patch))]
            own.cliques.append([[int(v) for v in part.ravel()], len(own.tables) - 1, w])
        given = [self.maybe(f), self.maybe(patch), self.maybe(w)]
        return self.changed(given[0] is f and given[1] is patch and given[2] is w, e.add_patches, *given)

    def counts(self, e, own):
        k = self.r.randint(1, own.n)
        row, g, w = self.members(own.n, k), self.concave(k), float(self.r.randint(0, 3))
        given = [self.maybe(row), self.maybe(g), self.maybe(w)]
        own.concave.append([row, [1.0] * k, list(range(k + 1)), g, w])
        return self.changed(given[0] is row and given[1] is g and given[2] is w, e.add_concave, *given)

    def pieces(self, e, own):
        k = self.r.randint(1, own.n)
        row, w = self.members(own.n, k), float(self.r.randint(0, 3))
        amounts = [float(self.r.randint(1, 3)) for _ in row]
        place = sorted({0, int(sum(amounts)), *(self.r.randint(0, int(sum(amounts))) for _ in range(2))})
        slopes = sorted((self.r.randint(-4, 4) for _ in place[1:]), reverse=True)
        value = [0.0]
        for a, b, s in zip(place, place[1:], slopes):
            value.append(value[-1] + s * (b - a))
        own.concave.append([row, amounts, place, value, w])
        given = [self.maybe(row), self.maybe([float(p) for p in place]), self.maybe(value), self.maybe(amounts), w]
        right = given[0] is row and isinstance(given[1], list) and len(given[1]) == len(place) and given[2] is value and given[3] is amounts
        return self.changed(right, e.add_pieces, *given)

    def fix(self, e, own):
        if self.r.random() < 0.3:
            own.fixed = [-1] * own.n
            return self.changed(True, e.fix, None)
        i, label = self.r.randrange(own.n), self.r.choice((-1, 0, 1))
        own.fixed = own.fixed[:i] + [label] + own.fixed[i + 1:]
        given = [self.maybe(i), self.maybe(label)]
        return self.changed(same(given, [i, label]), e.fix, *given)

    def new_table(self, e, own):
        if not own.tables:
            return False
        t = self.r.randrange(len(own.tables))
        f = self.table(len(own.tables[t]).bit_length() - 1)
        own.tables = own.tables[:t] + [f] + own.tables[t + 1:]
        given = [self.maybe(t), self.maybe(f)]
        return self.changed(given[0] is t and given[1] is f, e.set_table, *given)

    def new_weights(self, e, own):
        if not own.concave:
            return False
        i, w = self.r.randrange(len(own.concave)), float(self.r.randint(0, 4))
        own.concave[i] = own.concave[i][:4] + [w]
        given = [self.maybe(i), self.maybe([w])]
        return self.changed(given[0] is i and isinstance(given[1], list) and given[1] == [w], e.set_concave_weights, *given)

    def minimum(self, e, own, minimizer):
        values = {y: own.value(y) for y in itertools.product((0, 1), repeat=own.n) if own.allows(y)}
        least = min(values.values())
        best = [y for y in values if values[y] == least]
        y = self.r.choice(list(values))
        check(e.value(np.array(y)) == values[y], "the value of", y, "is", values[y], "not", e.value(np.array(y)))
        maximal = self.r.random() < 0.3
        settings = {"maximal": maximal, "reduce": self.r.random() < 0.7}
        if self.r.random() < 0.2:
            settings["start"] = np.array(y).reshape(e.shape)
        if self.r.random() < 0.1:
            settings["progress"] = self.r.choice((lambda phase, done: None, lambda phase, done: False, lambda phase, done: 1 // 0))
        if self.r.random() < 0.05:
            settings[self.r.choice(("bits", "memory_limit", "device", "start", "maximal"))] = self.odd()
            self.attempt(s3svm.minimize, e, **settings)
            return
        try:
            found = self.r.choice((lambda: s3svm.minimize(e, **settings), lambda: minimizer.run(**settings),
                                   lambda: s3svm.minimize_batch([e, e], n_jobs=self.r.choice((1, 2)), maximal=maximal)[1]))()
        except (s3svm.Cancelled, ZeroDivisionError):
            check("progress" in settings, "cancelled by nobody")
            return
        labels = tuple(int(x) for x in found.labels.ravel())
        check(labels in best, labels, "has not the least energy, which is", least, "but", values.get(labels))
        check(found.energy == least and found.lower_bound <= least, found, "is not", least)
        extreme = tuple((max if maximal else min)(b[i] for b in best) for i in range(own.n))
        check(labels == extreme, labels, "is not the", "largest" if maximal else "smallest", "minimiser", extreme)
        if own.n <= 5 and self.r.random() < 0.3:
            for i, margin in enumerate(s3svm.min_marginals(e).ravel()):
                of = [min((v for b, v in values.items() if b[i] == label), default=float("inf")) for label in (0, 1)]
                check(margin == of[0] - of[1], "the margin of", i, "is", of[0] - of[1], "not", margin)

    def round_trip(self, e):
        for form in ("sos", "binary"):
            text = e.to_bytes(form)
            again = s3svm.Energy.from_bytes(text, shape=e.shape)
            check(again.to_bytes(form) == text, "what was written does not read back")
        copy = e.copy()
        copy.add_constant(1.0)
        check(copy.constant == e.constant + 1, "a copy shares its constant")
        for part in (repr(e), e.unaries, e.fixed, e.nbytes):
            del part
        for i in range(e.cliques):
            check(len(set(e.clique(i).variables.tolist())) == len(e.clique(i).variables), "a clique has a member twice")
        for i in range(e.concaves):
            e.concave(i)

    # -- energies of several labels

    def several_labels(self):
        r = self.r
        n, labels = r.randint(1, 5), r.randint(2, 4)
        e, own = s3svm.MultiEnergy(n, labels), Several(n, labels)
        for _ in range(STEPS // 2):
            before, plain = e.to_bytes(), own.copy()
            refused = r.choice((self.multi_unaries, self.multi_potts, self.multi_cliques, self.multi_counts))(e, own)
            if refused:
                own = plain
                check(e.to_bytes() == before, "what was refused has changed the energy")
        values = {y: own.value(y) for y in itertools.product(range(labels), repeat=n)}
        least = min(values.values())
        y = r.choice(list(values))
        check(e.value(np.array(y)) == values[y], "the value of", y, "is", values[y], "not", e.value(np.array(y)))
        check(e.lower_bound() <= least + 1e-9 * (1 + abs(least)), "the bound", e.lower_bound(), "is above", least)
        found = e.expand(start=np.array(y), **({"shuffle": True, "seed": r.randint(0, 9)} if r.random() < 0.5 else {}))
        now = tuple(int(x) for x in found.labels)
        check(values[now] == found.energy and least <= found.energy <= values[y], found, "from", y, "of", values[y], "least", least)
        for label in range(labels):  # no expansion helps
            for chosen in itertools.product((False, True), repeat=n):
                other = tuple(label if c else old for c, old in zip(chosen, now))
                check(values[other] >= found.energy - 1e-9, "expanding", label, "leads from", now, "to", other)
        if labels <= 2:
            check(found.energy == least, "of two labels the least energy is", least, "not", found.energy)
        relaxed = e.relax(found.labels, rounds=r.randint(0, 20))
        check(relaxed.lower_bound <= least + 1e-6 * (1 + abs(least)), "the bound", relaxed.lower_bound, "is above", least)
        check(values[tuple(int(x) for x in relaxed.labels)] == relaxed.energy <= found.energy, "relaxing makes it worse")
        check(s3svm.MultiEnergy.from_bytes(e.to_bytes()).to_bytes() == e.to_bytes(), "what was written does not read back")
        self.attempt(e.expand, order=self.odd())
        self.attempt(e.expand, start=self.odd(), sweeps=self.r.choice((0, 1)))

    def multi_unaries(self, e, own):
        own.unary = [[self.cost() for _ in range(own.labels)] for _ in range(own.n)]
        given = self.maybe(own.unary)
        return self.changed(given is own.unary, e.set_unaries, given)

    def multi_potts(self, e, own):
        if own.n < 2:
            return False
        pairs = [self.members(own.n, 2) for _ in range(self.r.randint(1, 3))]
        w = [float(self.r.randint(0, 4)) for _ in pairs]
        own.parts += [(p, lambda members, x: x * (len(set(members)) > 1), x) for p, x in zip(pairs, w)]
        given = [self.maybe(pairs), self.maybe(w)]
        return self.changed(given[0] is pairs and given[1] is w, e.add_potts, *given)

    def multi_cliques(self, e, own):
        k = self.r.randint(1, min(3, own.n))
        g = [self.table(k) for _ in range(own.labels)]
        rows = [self.members(own.n, k) for _ in range(2)]
        own.parts += [(row, lambda members, g: sum(f[sum(1 << i for i, m in enumerate(members) if m == label)]
                                                   for label, f in enumerate(g)), g) for row in rows]
        given = [self.maybe(g), self.maybe(rows)]
        return self.changed(given[0] is g and given[1] is rows, e.add_cliques, *given)

    def multi_counts(self, e, own):
        k = self.r.randint(1, own.n)
        row, g = self.members(own.n, k), [self.concave(k) for _ in range(own.labels)]
        own.parts.append((row, lambda members, g: sum(f[sum(m == label for m in members)] for label, f in enumerate(g)), g))
        given = [self.maybe(row), self.maybe(g)]
        return self.changed(given[0] is row and given[1] is g, e.add_counts, *given)

    # -- models, problems, training

    def learning(self):
        r = self.r
        model = s3svm.Model()
        size = r.randint(1, 3)
        model.add_features("features", size)
        model.add_strengths("pairs")
        if r.random() < 0.5:
            model.add_table("table", self.maybe(r.randint(1, 3))) if not self.seldom() else self.attempt(model.add_table, self.odd(), 2)
        if r.random() < 0.4:
            self.attempt(model.add_counts, "counts", self.maybe([0.0, 0.5, 1.0]), swap=r.random() < 0.3)
        problems = [self.problem(model, size) for _ in range(r.randint(1, 3))]
        training = s3svm.train(model, problems, C=r.choice((0.1, 1.0, 100.0)), n_jobs=r.choice((1, 2)), rounds=r.randint(1, 60),
                               **({"callback": lambda round: False} if self.seldom() else {}))
        check(training.primal >= training.dual - 1e-9 * (1 + abs(training.primal)), "the primal is below the dual:", training)
        w = model.weights
        for p in problems:
            n = p.variables
            for augmented in (False, True):
                labels = p.minimize(model, loss_augmented=augmented)
                worth = {y: float(w @ p.psi(np.array(y))) - augmented * p.loss(np.array(y)) for y in itertools.product((0, 1), repeat=n)
                         if all(f < 0 or f == a for f, a in zip(p.fixed.ravel(), y))}
                got, least = worth[tuple(int(x) for x in labels.ravel())], min(worth.values())
                check(got <= least + 1e-6 * (1 + max(map(abs, worth.values()))), "labels", labels, "are worth", got, "others", least)
        again = s3svm.Model.from_bytes(model.to_bytes())
        check(again.to_bytes() == model.to_bytes() and (again.weights == w).all(), "a model does not read back")
        self.attempt(setattr, model, "weights", self.odd())
        self.attempt(s3svm.train, model, problems, C=self.maybe(1.0), near=self.maybe(w), start=self.maybe(w), rounds=2)
        self.attempt(s3svm.evaluate, model, self.maybe(problems))
        self.attempt(model.set_fact, self.maybe("note"), self.maybe([1, "a"]))
        repr(model), [repr(g) for g in model.groups], repr(problems)

    def problem(self, model, size):
        r = self.r
        n = r.randint(2, 6)
        p = s3svm.Problem(model, n)
        p.set_features("features", [[self.cost() for _ in range(size)] for _ in range(n)])
        p.add_cliques("pairs", [self.members(n, 2) for _ in range(r.randint(1, 6))])
        for group in model.groups:
            if group.name == "table" and group.size <= n:
                p.add_cliques("table", [self.members(n, group.size) for _ in range(2)])
            if group.name == "counts":
                self.attempt(p.add_regions, "counts", self.maybe([self.members(n, r.randint(1, n))]))
        p.set_truth([r.randint(0, 1) for _ in range(n)], [r.randint(0, 1) for _ in range(n)] if r.random() < 0.3 else None)
        for name, right in (("set_features", (self.odd(), self.odd())), ("add_cliques", ("pairs", self.odd())), ("set_truth", (self.odd(),)),
                            ("add_clique_loss", (self.members(n, 2), self.odd())), ("set_loss", (self.odd(),)), ("fix", (self.odd(),)),
                            ("set_class_loss", (self.odd(),)), ("set_costs", ("pairs", self.odd()))):
            if self.seldom():
                self.attempt(getattr(p, name), *right)
        if p.truth is None or r.random() < 0.1:
            p.set_truth([0] * n)
        return p

    # -- losses

    def losses(self):
        r = self.r
        shape = r.choice(((3,), (2, 2), (2, 3)))
        n = int(np.prod(shape))
        e = s3svm.Energy(shape)
        own = Two(n)
        while not own.cliques:
            own = self.step(e, own, self.clique)
        if r.random() < 0.5:
            own = self.step(e, own, self.counts)
        h = s3svm.Hinge(e)
        for _ in range(4):
            count = r.randint(1, 3)
            u = np.array([[self.cost() for _ in range(n)] for _ in range(count)]).reshape((count, *shape))
            truth = np.array([[r.randint(0, 1) for _ in range(n)] for _ in range(count)]).reshape((count, *shape))
            keep = list(range(count)) if r.random() < 0.4 else None
            found = h(u, truth, keep=keep, n_jobs=r.choice((1, 2)))
            for c in range(count):
                own.unary = [[0.0, x] for x in u[c].ravel()]
                t = truth[c].ravel()
                slack = {y: sum(a != b for a, b in zip(y, t)) + own.value(t) - own.value(y) for y in itertools.product((0, 1), repeat=n)}
                got = tuple(int(x) for x in found.labels[c].ravel())
                check(found.value[c] == max(slack.values()) == slack[got], "the loss of", u[c], t, "is", max(slack.values()), "not", found)
            self.attempt(h, self.maybe(u), self.maybe(truth), keep=self.maybe(keep), loss=self.maybe(None), weights=self.maybe(None),
                         tables=self.maybe(None))
        self.attempt(s3svm.nearest_submodular, self.maybe([self.cost() for _ in range(8)]))

    # -- pictures

    def pictures(self):
        r = self.r
        h, w = r.randint(1, 24), r.randint(1, 24)
        grey = np.array([[r.randint(0, 255) for _ in range(w)] for _ in range(h)], np.uint8)
        colour = np.array([[[r.randint(0, 255) for _ in range(3)] for _ in range(w)] for _ in range(h)], np.uint8)
        for name in ("a.png", "a.pgm", "a.ppm", "a.jpg"):
            picture = grey if name.endswith("pgm") or r.random() < 0.3 else colour
            _, refused = self.attempt(s3svm.write_image, name, self.maybe(picture))
            back, lost = self.attempt(s3svm.read_image, name, self.maybe("colour"))
            if not refused and not lost and back is not None and name in ("a.png", "a.ppm") and back.shape == picture.shape:
                check((back == picture).all(), name, "does not read back")
        s, refused = self.attempt(s3svm.Segmenter, self.maybe(colour), self.maybe("grabcut"), seed=r.randint(0, 9), n_jobs=1,
                                  specks=self.maybe(None))
        for _ in range(0 if refused else r.randint(1, 4)):
            x, y = r.uniform(-2, w + 2), r.uniform(-2, h + 2)
            r.choice((lambda: self.attempt(s.click, self.maybe(x), y, r.choice(("object", "background", "x")), self.maybe(3.0)),
                      lambda: self.attempt(s.box, x, self.maybe(y), r.uniform(0, w), r.uniform(0, h)),
                      lambda: self.attempt(s.outline, self.maybe([[x, y], [0, 0], [w / 2, h]])),
                      lambda: self.attempt(s.scribbles, self.maybe(grey % 6)),
                      lambda: self.attempt(s.undo, self.maybe(1)), lambda: self.attempt(s.propose), lambda: self.attempt(s.confidence)))()
            labels, marks = np.asarray(s.labels), s.marks
            check(set(np.unique(labels)) <= {0, 1} and labels.shape == s.photograph.shape[:2], "labels", labels)
            if s.steps:
                check((labels[marks == int(s3svm.Mark.OBJECT)] == 1).all(), "a mark on the object does not hold")
                check((labels[marks == int(s3svm.Mark.BACKGROUND)] == 0).all(), "a mark on the background does not hold")
        self.attempt(s3svm.grabcut, self.maybe(colour), rect=self.maybe((1, 1, max(1, w - 2), max(1, h - 2))), iterations=self.maybe(2), n_jobs=1)
        self.attempt(s3svm.cutout, self.maybe(colour), self.maybe(grey % 2), self.maybe(None))
        self.attempt(s3svm.overlay, self.maybe(colour), self.maybe(grey % 2), self.maybe(None))
        self.attempt(s3svm.denoise, self.maybe(grey / 255))

    # -- texts

    def texts(self):
        r = self.r
        e = s3svm.Energy.grid(np.array([[[self.cost(), self.cost()] for _ in range(3)] for _ in range(2)]), table=self.table(4))
        e.add_concave([0, 1, 2], self.concave(3))
        multi = s3svm.MultiEnergy.grid(np.array([[[self.cost() for _ in range(3)] for _ in range(2)]]), potts=1)
        model = s3svm.Model()
        model.add_features("a", 2), model.add_table("b", 2)
        for text, read in ((e.to_bytes(), s3svm.Energy.from_bytes), (e.to_bytes("binary"), s3svm.Energy.from_bytes),
                           (multi.to_bytes(), s3svm.MultiEnergy.from_bytes), (model.to_bytes(), s3svm.Model.from_bytes)):
            damaged = bytearray(text)
            for _ in range(r.randint(0, 4)):
                at = r.randrange(len(damaged)) if damaged else 0
                r.choice((lambda: damaged.__setitem__(slice(at, at + 1), bytes([r.randrange(256)])), lambda: damaged.__delitem__(slice(at, at + r.randint(1, 9))),
                          lambda: damaged.__setitem__(slice(at, at), r.choice((b"9", b"-", b"1e308", b" ", b"nan", b"\0", b"4294967295")))))()
            found, refused = self.attempt(read, bytes(damaged))
            if not refused:
                check(read(found.to_bytes()).to_bytes() == found.to_bytes(), "what was read does not read back")
            self.attempt(read, self.odd())

    # -- every function of the extension module, with arguments that were right but for one

    def functions(self):
        """A program as above, of whose calls into the extension module some are made with one argument damaged first."""
        hook = Damage(self.r)
        try:
            getattr(self, self.r.choice(("two_labels", "several_labels", "learning", "losses", "pictures", "texts", "tour", "tour", "tour")))()
        except (Wrong, Ended, ZeroDivisionError, *self.allowed):
            pass  # what a damaged call was taken for is not looked at
        finally:
            hook.end()

    def tour(self):
        """What the programs above leave out."""
        r = self.r
        e = s3svm.Energy(4)
        e.add_pieces([0, 1, 2], [0.0, 1, 3], [0.0, 1, 1])
        e.set_pieces(0, [0.0, 2, 2])
        e.add_cliques([0, 1, 1, 0], [[0, 1], [2, 3]], [1, 2])
        e.set_weights(0, [2.0, 1.0])
        e.fix([0, 1, -1, -1])
        e.add_constant(1), e.clique(1), e.concave(0), e.table(0)
        e.write("a.sos"), s3svm.Energy.read("a.sos"), e.write("a.uai", "auto") if r.random() < 0.1 else None
        m = s3svm.MultiEnergy((2, 2), 3)
        m.set_unary((0, 1), [1, 2, 3])
        number = m.add_patches(self.table(4), (2, 2))
        m.set_tables(number, self.table(4)), m.tables(number), m.clique(0)
        m.add_pieces([0, 1], [0.0, 2], np.zeros((3, 2))), m.add_pn([0, 1, 2]), m.add_robust([0, 1, 2], 1)
        m.set_weights(0, [2.0]), m.set_count_weights(0, [1.0]), m.copy(), m.add_constant(1)
        m.write("a.sosmulti"), s3svm.MultiEnergy.read("a.sosmulti"), m.expand(order=[2, 0, 1]), m.relax(rounds=3)
        model = s3svm.Model(r.choice((2, 3)))
        model.add_features("f", 2), model.add_strengths("p", 1), model.add_counts("c", [0, 0.5, 1])
        model.add_table("t", patch=(2, 2), symmetric=True), model.add_table("k", 2, classes=[-1, 0, 0, -1], anchored=False)
        problems = [s3svm.Problem(model, (2, 2)) for _ in range(2)]
        for p in problems:
            p.set_features("f", ([0, 1, 2, 2, 3], [0, 1, 0], None)), p.set_costs("p", np.ones((2, 2, model.labels)))
            p.add_cliques("p", [[0, 1], [2, 3]], [1.0, 2]), p.add_cliques("t", [[0, 1, 2, 3]]), p.add_cliques("k", [[1, 2]])
            p.add_regions("p", [[0, 1, 2]]), p.add_regions("c", [[1, 2, 3]], [2.0], amounts=[1, 2, 1])
            p.set_scale(0.5), p.set_truth([[0, 1], [1, 0]], [[1, 1], [1, 0]]), p.fix([[0, -1], [-1, -1]])
            p.set_class_loss([1.0] * model.labels), p.set_loss(1.0 - np.eye(model.labels)[[[0, 1], [1, 0]]])
            if model.labels == 2:
                p.add_clique_loss([0, 1], [1.0, 1, 0, 1])
            p.truth, p.care, p.parts, p.features("f"), p.features("p"), p.psi([[0, 0], [1, 1]]), p.loss([[0, 0], [1, 1]]), p.energy(), p.nbytes
        s3svm.train_path(model, problems[:1], [0.1, 1.0], problems[1:], rounds=3)
        s3svm.train(model, problems, rounds=3, checkpoint="point", near=model.weights, start=model.weights)
        s3svm.evaluate(model, problems), model.set_stiffness("f", 2.0), model.copy(), model["t"].functions if hasattr(model["t"], "functions") else None
        setattr(model, "weights", model.weights), model.set_fact("a", 1), model.facts, model.save("m.json"), s3svm.Model.load("m.json")
        model.page("page.html"), s3svm.write_problem("p.sos", model, problems), s3svm.read_problem("p.sos"), repr(model.groups)
        h = s3svm.Hinge(e)
        h(np.zeros((2, 4), np.float32), np.array([[0, 1, 0, 0]] * 2), tables=[np.array([0.0, 1, 1, 0])], weights=np.ones(2), keep=[0, 1], loss=np.ones(4))
        h.minimize(np.zeros((1, 4))), h.forget(), h.nbytes, s3svm.nearest_submodular([0, 1, 1, 3])
        d = s3svm.draw(r.randint(32, 40), r.randint(32, 40), r.randint(0, 3))
        grey = np.asarray(d, float)
        s3svm.denoise(grey)
        predictor = s3svm.prepare("denoise")
        predictor.problem(grey), repr(predictor)
        colour = np.repeat(np.asarray(d, np.uint8)[..., None] * 200, 3, axis=2)
        s = s3svm.Segmenter(colour, r.choice(("segment", "grabcut")), n_jobs=1)
        s.mark([("stroke", [[1, 1], [5, 5]], "object", 2.0), ("box", [[0, 0], [20, 20]])])
        s.outline([[1, 1], [9, 1], [5, 9]]), s.scribbles(np.asarray(d, np.uint8)), s.save_marks("marks.json"), s.undo(1), s.replay("marks.json")
        s.overlay(), s.cutout(), s.result, s.marks
        s3svm.grabcut(colour, rect=(1, 1, 20, 20), iterations=1, n_jobs=1)
        marked = colour.copy()
        marked[2:5, 2:5], marked[20:24, 20:24] = (255, 0, 0), (0, 0, 255)
        s3svm.write_image("s.png", marked), self.attempt(s3svm.read_scribbles, "s.png", colour, "auto")
        c = s3svm.calibrate([grey * 4 - 2, grey], [np.asarray(d), np.asarray(d)])
        c.apply(grey), c.save("c.json"), s3svm.Calibration.load("c.json")
        if r.random() < 0.05:
            s3svm.train_denoise([np.asarray(d)], rounds=2)
        if self.seldom() and s.model_name == "segment":
            s.confidence()


class Damage:
    """Stands before every function of the extension module."""

    def __init__(self, r):
        self.r, self.module, self.seen = r, s3svm._s3svm, []
        self.functions = {n: f for n, f in vars(self.module).items() if callable(f) and n not in ("set_exceptions", "forked") and not n.startswith("_")}
        for name, function in self.functions.items():
            setattr(self.module, name, self.instead(name, function))

    def end(self):
        for name, function in self.functions.items():
            setattr(self.module, name, function)

    def instead(self, name, function):
        def call(*arguments, **named):
            if self.r.random() < 0.3 and arguments:
                which = self.r.randrange(len(arguments))
                damaged = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
                damaged[which] = self.of(damaged[which])
                TRIED[name] = TRIED.get(name, 0) + 1
                try:
                    function(*damaged, **named)
                except (s3svm.Error, ValueError, TypeError, IndexError, KeyError, OverflowError, MemoryError, BufferError, ZeroDivisionError):
                    pass
                except RuntimeError as error:
                    if "another thread" not in str(error):  # an object that stands twice in one call
                        raise
            return function(*arguments, **named)
        return call

    def of(self, value):
        r = self.r
        if type(value).__name__ == "PyCapsule":
            self.seen = (self.seen + [value])[-20:]
            return r.choice(self.seen + [None, 0])
        if isinstance(value, np.ndarray):
            return r.choice((lambda: value[:-1], lambda: value.ravel()[:-1].copy(), lambda: np.append(value, value[-1:]), lambda: value[:0],
                             lambda: None, lambda: value.astype(np.float32), lambda: value.astype(">f8"), lambda: value[::2],
                             lambda: self.entry(value), lambda: self.entry(value), lambda: self.entry(value), lambda: self.entry(value)))()
        if isinstance(value, bool) or value is None:
            return r.choice((True, False, None, 2, "x", np.zeros(2), np.zeros(3, np.uint8)))
        if isinstance(value, int):
            return r.choice((value + 1, value - 1, 0, 1, 2, 3, 17, 255, 256, -1, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64))
        if isinstance(value, float):
            return r.choice((0.0, -value, -1.0, 1e308, 1e-320, float("nan"), float("inf"), "x"))
        if isinstance(value, (bytes, bytearray)):
            at = r.randrange(len(value) + 1)
            return r.choice((value[:at], value[:at] + bytes([r.randrange(256)]) + value[at + 1:], value[:at] + b"9" + value[at:], b"\0", value + value))
        if isinstance(value, (tuple, list)) and value:
            at = r.randrange(len(value))
            parts = list(value)
            if r.random() < 0.15:
                del parts[at]
            else:
                parts[at] = self.of(parts[at])
            return type(value)(parts) if type(value) in (tuple, list) else tuple(parts)
        if isinstance(value, dict) and value:
            key = r.choice(list(value))
            return {**value, key: self.of(value[key])}
        return Program.odd(self)

    def entry(self, value):
        """One entry is another number."""
        if not value.size or not value.flags.c_contiguous:
            return value[:0]
        other = value.copy()
        numbers = (0, 1, 2, 255) if other.dtype.itemsize == 1 else (0, 1, 2**31, 2**32 - 1) if other.dtype.kind in "ui" else (np.nan, np.inf, -1e308, 1e30, -1, 0)
        other.reshape(-1)[self.r.randrange(other.size)] = self.r.choice(numbers)
        return other


TRIED = {}  # damaged calls of each function


def same(given, right):
    return all(a is b for a, b in zip(given, right))


class Ended(Exception):
    """The program has nothing more to say."""


class Two:
    """An energy of two labels by its definition."""

    def __init__(self, n):
        self.n, self.constant, self.unary, self.fixed = n, 0.0, [[0.0, 0.0]] * n, [-1] * n
        self.tables, self.cliques, self.concave = [], [], []

    def copy(self):
        other = Two(self.n)
        other.constant, other.unary, other.fixed = self.constant, list(self.unary), list(self.fixed)
        other.tables, other.cliques, other.concave = list(self.tables), list(self.cliques), list(self.concave)
        return other

    def allows(self, y):
        return all(f < 0 or f == label for f, label in zip(self.fixed, y))

    def value(self, y):
        total = self.constant + sum(u[label] for u, label in zip(self.unary, y))
        for row, t, w in self.cliques:
            total += w * self.tables[t][sum(1 << i for i, v in enumerate(row) if y[v])]
        for row, amounts, place, value, w in self.concave:
            a = sum(x for x, v in zip(amounts, row) if y[v])
            j = next(i for i in range(1, len(place)) if a <= place[i])
            total += w * (value[j - 1] + (value[j] - value[j - 1]) / (place[j] - place[j - 1]) * (a - place[j - 1]))
        return total


class Several:
    """An energy of several labels by its definition."""

    def __init__(self, n, labels):
        self.n, self.labels, self.unary, self.parts = n, labels, [[0.0] * labels for _ in range(n)], []

    def copy(self):
        other = Several(self.n, self.labels)
        other.unary, other.parts = self.unary, list(self.parts)
        return other

    def value(self, y):
        return sum(u[label] for u, label in zip(self.unary, y)) + sum(cost([y[v] for v in row], given) for row, cost, given in self.parts)


FAMILIES = ("two_labels", "several_labels", "learning", "losses", "pictures", "texts", "functions")


def work(first, count, step, only):
    """Runs programs, one after the other; says which one begins."""
    global np, s3svm  # pylint: disable=global-statement
    import numpy as np
    import s3svm
    import s3svm._s3svm
    faulthandler.enable()
    for seed in range(first, first + count * step, step):
        print(seed, flush=True)
        family = only or FAMILIES[seed % len(FAMILIES)]
        try:
            getattr(Program(seed), family)()
        except Ended:
            continue
        except Exception:
            traceback.print_exc()
            print(f"python_calls: program {seed} ({family})", file=sys.stderr)
            return 1
    return 0


# ---- the process that watches ----

def limits():
    if "LD_PRELOAD" not in os.environ:  # sanitizers take address space
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))


def watch(options, folder):
    """Runs the programs in a process; returns how many ended, and what is wrong."""
    words = [sys.executable, __file__, "--work", "--seed", str(options.seed), "--count", str(options.count)]
    words += ["--only", options.only] if options.only else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)}
    until, begun, seed = time.monotonic() + options.seconds, 0, options.seed
    with open(os.path.join(folder, "stderr"), "w+b") as errors:
        child = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, preexec_fn=limits)
        try:
            while True:
                ready, _, _ = select.select([child.stdout], [], [], HANGS)
                line = child.stdout.readline() if ready else None
                if not ready:
                    child.send_signal(signal.SIGABRT)  # which says where it is
                    child.wait(20)
                    return begun, f"program {seed} has not ended within {HANGS} s", said(errors)
                if not line:
                    break
                seed, begun = int(line), begun + 1
                if time.monotonic() > until:
                    return begun - 1, "", ""
            if child.wait():
                return begun, f"program {seed} has ended the process with {child.returncode}", said(errors)
            return begun, "", ""
        finally:
            child.kill()
            child.wait()


def said(errors):
    errors.seek(0)
    return errors.read().decode(errors="replace")[-8000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=FAMILIES)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.seed, options.count, 1, options.only)
    with tempfile.TemporaryDirectory() as folder:
        ended, wrong, errors = watch(options, folder)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{errors}{wrong}\n" if wrong else "", end="")
    print(f"{ended} programs from seed {options.seed}, {spent.ru_utime + spent.ru_stime:.0f} s of a processor: {'failed' if wrong else 'nothing found'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
