#!/usr/bin/env python3
"""s3svm and what Debian has for the same: time and error on the same pictures, as two tables.

    OMP_NUM_THREADS=1 PYTHONPATH=build/python bench/python/compare.py

Times are the processor's, on one thread, so that other work on the machine disturbs them less.

Drawings in noise: Chan and Vese's and the random walker of scikit-image, libmaxflow on pairs (compiled here, libmaxflow-dev), forests of
scikit-learn on windows of pixels; their parameters are those that do best on the drawings that others learn from.  Objects in the
renderings of docs/segmentation: OpenCV's GrabCut, the random walker, forests that learn from the scribbles.
"""
import ctypes
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np

import s3svm

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEIGHT, WIDTH, SIGMA = 120, 160, 0.6
LEARN, JUDGE = range(10), range(10, 20)
WINDOW = 5
rows = []


def row(name, learning, judged):
    """judged: (seconds, error) of each picture."""
    seconds, errors = zip(*judged)
    rows.append((name, learning, np.mean(seconds), np.mean(errors)))


def show(title):
    print(f"\n{title}\n\n| method | learning or tuning, s | a picture, ms | wrong pixels |\n| --- | ---: | ---: | ---: |")
    for name, learning, seconds, error in rows:
        taught = "" if learning is None else f"{learning:.1f}"
        print(f"| {name} | {taught} | {1e3 * seconds:.1f} | {100 * error:.2f} % |")
    rows.clear()


def timed(solve, pictures, truths):
    judged = []
    for picture, truth in zip(pictures, truths):
        began = time.process_time()
        labels = solve(picture)
        judged.append((time.process_time() - began, np.mean(np.asarray(labels) != truth)))
    return judged


def tuned(name, solve, values, pictures, truths):
    """A method with one parameter: the value that does best on the drawings to learn from."""
    began = time.process_time()
    best = min(values, key=lambda v: np.mean([e for _, e in timed(lambda p: solve(p, v), pictures[:4], truths[:4])]))
    learning = time.process_time() - began
    row(f"{name} ({best:g})", learning, timed(lambda p: solve(p, best), [pictures[i] for i in JUDGE], [truths[i] for i in JUDGE]))


def windows(picture):
    padded = np.pad(picture, WINDOW // 2, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, (WINDOW, WINDOW)).reshape(picture.size, -1)


def libmaxflow():
    """The solver as a function of costs and the strength of pairs; None: it is not there."""
    library = pathlib.Path(tempfile.mkdtemp()) / "maxflow.so"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "maxflow"], capture_output=True, text=True).stdout.split()
    done = subprocess.run(["c++", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC", str(ROOT / "bench/python/maxflow.cpp"),
                           "-o", str(library), *flags], capture_output=True, text=True)
    if done.returncode:
        print("without libmaxflow:", done.stderr.splitlines()[:1])
        return None
    function = ctypes.CDLL(str(library)).solve_grid
    function.restype = ctypes.c_double
    double = np.ctypeslib.ndpointer(np.float64, flags="C")
    function.argtypes = [ctypes.c_int, ctypes.c_int, double, double, ctypes.c_double, np.ctypeslib.ndpointer(np.uint8, flags="C")]

    def solve(cost0, cost1, pair):
        labels = np.empty(cost0.shape, np.uint8)
        function(*cost0.shape, np.ascontiguousarray(cost0), np.ascontiguousarray(cost1), pair, labels)
        return labels

    return solve


def drawings():
    from skimage.segmentation import chan_vese, random_walker
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(1)
    truths = [np.asarray(s3svm.draw(HEIGHT, WIDTH, n)) for n in range(len(LEARN) + len(JUDGE))]
    pictures = [np.clip(1 - t + rng.normal(0, SIGMA, t.shape), 0, 1) for t in truths]
    judge = [pictures[i] for i in JUDGE], [truths[i] for i in JUDGE]
    row("threshold", None, timed(lambda p: p < 0.5, *judge))

    def chan(p, mu):
        inside = chan_vese(p, mu=mu, max_num_iter=200)
        return inside if p[inside].mean() < p[~inside].mean() else ~inside

    tuned("scikit-image, Chan-Vese (mu)", chan, [0.02, 0.05, 0.1, 0.2], pictures, truths)

    def walker(p, beta):
        return random_walker(p, np.where(p <= 0, 1, np.where(p >= 1, 2, 0)), beta=beta, mode="cg_j") == 1

    tuned("scikit-image, random walker (beta)", walker, [1, 10, 100], pictures, truths)
    solve = libmaxflow()
    strengths = [0.2, 0.3, 0.4, 0.5, 0.7]
    if solve:
        tuned("libmaxflow, pairs (strength)", lambda p, w: solve(1 - p, p, w), strengths, pictures, truths)
    tuned("s3svm.minimize, pairs (strength)", lambda p, w: s3svm.minimize((1 - p, p), pairs=w).labels, strengths, pictures, truths)

    began = time.process_time()
    forest = RandomForestClassifier(60, min_samples_leaf=5, random_state=0, n_jobs=1)
    half = range(5)
    forest.fit(np.concatenate([windows(pictures[i]) for i in half]), np.concatenate([truths[i].ravel() for i in half]))
    forest_seconds = time.process_time() - began
    row("scikit-learn, forest of 5x5 windows", forest_seconds,
        timed(lambda p: forest.predict(windows(p)).reshape(p.shape), *judge))

    def logits(p):
        q = forest.predict_proba(windows(p))[:, 1].clip(0.005, 0.995)
        return np.log(q / (1 - q)).reshape(p.shape + (1,))

    began = time.process_time()
    maps = [logits(pictures[i]) for i in range(5, 10)]
    svm = s3svm.SumOfSubmodularSVM("patches", C=1000, tol=0.01, n_jobs=1).fit(maps, truths[5:10])
    row("the forest, then SumOfSubmodularSVM on 2x2 patches", forest_seconds + time.process_time() - began,
        timed(lambda p: svm.predict([logits(p)])[0], *judge))

    began = time.process_time()
    plain = s3svm.SumOfSubmodularSVM("patches", C=1000, tol=0.01, n_jobs=1).fit([p[..., None] for p in pictures[:10]], truths[:10])
    row("SumOfSubmodularSVM, grey values and 2x2 patches", time.process_time() - began,
        timed(lambda p: plain.predict([p[..., None]])[0], *judge))
    row("s3svm.denoise, the model inside", None, timed(s3svm.denoise, *judge))
    show(f"Drawings of {WIDTH} x {HEIGHT} pixels in noise of {SIGMA}: {len(LEARN)} to learn from, {len(JUDGE)} to judge.")


def objects():
    import cv2
    from skimage.segmentation import random_walker
    from sklearn.ensemble import RandomForestClassifier

    folder = ROOT / "docs" / "segmentation"
    names = sorted(path.stem for path in (folder / "images").glob("*.jpg"))
    photographs = [s3svm.read_image(folder / "images" / f"{name}.jpg") for name in names]
    marks = [s3svm.read_scribbles(folder / "scribbles" / f"{name}.png", p) for name, p in zip(names, photographs)]
    truths = [s3svm.read_image(folder / "labels" / f"{name}.png", "grey") > 127 for name in names]
    pairs = list(zip(photographs, marks))

    def opencv(pair):
        p, m = pair
        mask = s3svm.opencv_mask(m)
        cv2.grabCut(p[..., ::-1].copy(), mask, None, np.zeros((1, 65)), np.zeros((1, 65)), 5, cv2.GC_INIT_WITH_MASK)
        return mask & 1

    def walker(pair):
        p, m = pair
        return random_walker(p / 255.0, np.where(m == 0, 0, m), beta=90, mode="cg_j", channel_axis=2) == 1

    def forest(pair):
        p, m = pair
        y, x = np.mgrid[:p.shape[0], :p.shape[1]] / max(p.shape)
        X = np.dstack([p / 255.0, x, y]).reshape(-1, 5)
        known = m.ravel() > 0
        f = RandomForestClassifier(60, random_state=0, n_jobs=1).fit(X[known], m.ravel()[known])
        return (f.predict(X) == 1).reshape(m.shape)

    cv2.setNumThreads(1)
    row("scikit-image, random walker", None, timed(walker, pairs, truths))
    row("scikit-learn, forest of colours and places", None, timed(forest, pairs, truths))
    row("OpenCV, GrabCut, 5 iterations", None, timed(opencv, pairs, truths))
    row("s3svm.grabcut", None, timed(lambda q: s3svm.grabcut(*q, n_jobs=1).labels, pairs, truths))
    row("s3svm.Segmenter, first marks", None, timed(lambda q: s3svm.segment(*q, n_jobs=1), pairs, truths))
    segmenters = {id(p): s3svm.Segmenter(p, n_jobs=1) for p in photographs}
    row("s3svm.Segmenter, photograph already looked at", None,
        timed(lambda q: segmenters[id(q[0])].scribbles(q[1]), pairs, truths))
    show(f"Objects in {len(names)} renderings of 640 x 480 pixels, by scribbles.")


warnings.simplefilter("ignore")
drawings()
objects()
