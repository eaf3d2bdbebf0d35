#!/usr/bin/env python3
"""What minimising a grid from NumPy arrays costs over the same calls in C.

    PYTHONPATH=build/python bench/python/overhead.py [BUILD]

Both build the energy of a picture of 400 x 200 pixels with 2x2 patches, minimise it and free it, in turns; medians of processor
seconds, which other work on the machine disturbs less.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import s3svm

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
HEIGHT, WIDTH, TURNS, RUNS = 200, 400, 15, 10


def instance(noise):
    """A drawing in noise with the square-root prior of the other benchmarks."""
    clean = np.asarray(s3svm.draw(HEIGHT, WIDTH, 1), dtype=float)
    noisy = 1 - clean + np.random.default_rng(1).normal(0, noise, clean.shape)
    table = s3svm.table(lambda p: 0.15 * np.sqrt(p.sum() * (4 - p.sum())), (2, 2))
    return np.abs(noisy - 1), np.abs(noisy), table


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/overhead"
        subprocess.run(["cc", "-O2", "-std=c17", str(ROOT / "bench/python/overhead.c"), "-o", program, f"-I{ROOT}/include",
                        f"{BUILD}/libsos.a", "-lm", "-fopenmp"], check=True)
        print(f"{'':14} {'C':>9} {'(cost0, cost1)':>15} {'more':>7} {'shape + (2,)':>13} {'more':>7}")
        for name, noise in (("little noise", 0.3), ("much noise", 0.7)):
            cost0, cost1, table = instance(noise)
            stacked = np.stack([cost0, cost1], axis=-1)
            np.concatenate([cost0.ravel(), cost1.ravel(), table]).tofile(f"{folder}/costs")
            c, two, one = [], [], []
            for _ in range(TURNS):
                lines = subprocess.run([program, f"{folder}/costs", str(HEIGHT), str(WIDTH), str(RUNS)], check=True,
                                       capture_output=True, text=True).stdout.split()
                c += [float(s) for s in lines[1:-1]]  # the first has cold caches
                for argument, times in (((cost0, cost1), two), (stacked, one)):
                    for i in range(RUNS):
                        began = time.process_time()
                        energy = s3svm.minimize(argument, (2, 2), table).energy
                        if i:
                            times.append(time.process_time() - began)
                assert energy == float(lines[-1])
            base, a, b = (statistics.median(t) for t in (c, two, one))
            print(f"{name:14} {1e3 * base:6.2f} ms {1e3 * a:12.2f} ms {100 * (a / base - 1):5.1f} % "
                  f"{1e3 * b:10.2f} ms {100 * (b / base - 1):5.1f} %")


main()
