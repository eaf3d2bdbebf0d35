"""Compares our GrabCut with OpenCV's: labels, error, seconds.

    grabcut_opencv.py TEST_GRABCUT [DATA COUNT [SEEDS]]

Without DATA, a folder with images/, scribbles/ and labels/, on pictures made for the occasion.

OpenCV's outcome depends on the seed of its k-means, so that two runs of OpenCV differ from each other.  The comparison that
must come out the same is the one from the same mixtures: ours are given to OpenCV, and both iterate from there.
"""

import os
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

ITERATIONS = 10
LIMIT = 0.002  # of the labels may differ, from the same mixtures, on average


def read(data, name):
    for ending in ".jpg", ".png":
        path = os.path.join(data, "images", name + ending)
        if os.path.exists(path):
            break
    truth = cv2.imread(os.path.join(data, "labels", name + ".png"), cv2.IMREAD_UNCHANGED) == 255
    return path, np.ascontiguousarray(cv2.imread(path, cv2.IMREAD_COLOR)[:, :, ::-1]), truth


def opencv(image, mask, seed=None, mixtures=None):
    mask = mask.copy()
    models = [np.zeros((1, 65)), np.zeros((1, 65))] if mixtures is None else [m.reshape(1, 65).copy() for m in mixtures]
    if seed is not None:
        cv2.setRNGSeed(seed)
    began = time.process_time()
    mode = cv2.GC_INIT_WITH_MASK if mixtures is None else cv2.GC_EVAL
    cv2.grabCut(image, mask, None, models[0], models[1], ITERATIONS, mode)
    return (mask & 1).astype(bool), time.process_time() - began


def ours(program, path, scribbles, seed):
    """Labels, seconds, and the mixtures and the mask to start from."""
    with tempfile.TemporaryDirectory() as folder:
        mask, start = os.path.join(folder, "mask.png"), os.path.join(folder, "start")
        run = subprocess.run([program, "segment", path, scribbles, mask, start, str(seed)], check=True, capture_output=True)
        labels = (cv2.imread(mask, cv2.IMREAD_UNCHANGED) & 1).astype(bool)
        mixtures = np.fromfile(start, count=130).reshape(2, 65)
        began = np.fromfile(start, dtype=np.uint8, offset=mixtures.nbytes).reshape(labels.shape)
        return labels, float(run.stdout), mixtures, began


def picture(random, width=160, height=120):
    """An object of a few bright blobs on a shaded background with stains of its colours, noise, and scribbles on both."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    truth = np.zeros((height, width), bool)
    for _ in range(3):
        across, down = random.uniform(0.35, 0.65) * width, random.uniform(0.35, 0.65) * height
        truth |= ((x - across) / random.uniform(15, 35)) ** 2 + ((y - down) / random.uniform(12, 25)) ** 2 < 1
    colours = random.uniform(40, 215, (4, 3))
    shade = (x / width)[:, :, None]
    image = (1 - shade) * colours[0] + shade * colours[1]
    image[truth] = np.where((x + 2 * y)[truth, None] % 40 < 20, colours[2], colours[3])
    for _ in range(4):
        spot = (x - random.uniform(0, width)) ** 2 + (y - random.uniform(0, height)) ** 2 < 30
        image[spot & ~truth] = colours[2]
    image = cv2.GaussianBlur(image, (0, 0), 0.8) + random.normal(0, 12, image.shape)
    scribbles = np.zeros((height, width), np.uint8)
    inside = cv2.distanceTransform(truth.astype(np.uint8), cv2.DIST_L2, 3)
    scribbles[(inside > 0.6 * inside.max()) & (y % 3 < 2)] = 1
    scribbles[:4], scribbles[-4:], scribbles[:, :4], scribbles[:, -4:] = 2, 2, 2, 2
    return np.clip(np.rint(image), 0, 255).astype(np.uint8), truth, scribbles


def pictures_make(data, count):
    random = np.random.RandomState(2012)  # whose numbers never change
    for folder in "images", "labels", "scribbles":
        os.mkdir(os.path.join(data, folder))
    for i in range(count):
        image, truth, scribbles = picture(random)
        for folder, content in ("images", image), ("labels", 255 * truth.astype(np.uint8)), ("scribbles", scribbles):
            cv2.imwrite(os.path.join(data, folder, "made-%d.png" % i), content)


def main():
    if len(sys.argv) > 2:
        compare(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1)
        return
    with tempfile.TemporaryDirectory() as data:
        pictures_make(data, 8)
        compare(sys.argv[1], data, 8, 1)


def compare(program, data, count, seeds):
    seeds = range(seeds)
    names = sorted(os.path.splitext(n)[0] for n in os.listdir(os.path.join(data, "scribbles")))
    names = [names[i * len(names) // count] for i in range(min(count, len(names)))]
    cv2.setNumThreads(1)
    rows = []
    for name in names:
        path, image, truth = read(data, name)
        mine, my_seconds, mixtures, mask = ours(program, path, os.path.join(data, "scribbles", name + ".png"), 0)
        same, _ = opencv(image, mask, mixtures=mixtures)
        theirs = [opencv(image, mask, seed) for seed in seeds]
        between = [np.mean(a[0] != b[0]) for i, a in enumerate(theirs) for b in theirs[:i]] or [0]
        rows.append([np.mean(mine != same), np.mean([np.mean(mine != t[0]) for t in theirs]), np.mean(between),
                     np.mean(mine != truth), np.mean([np.mean(t[0] != truth) for t in theirs]),
                     my_seconds, np.mean([t[1] for t in theirs])])
        print("%-28s from the same mixtures %6.3f %%, from own ones %6.3f %% (OpenCV among itself %6.3f %%); error %6.2f %%, "
              "OpenCV %6.2f %%; seconds %.3f, OpenCV %.3f" % (name, *(100 * np.array(rows[-1][:5])), *rows[-1][5:]), flush=True)
    means = np.mean(np.array(rows), axis=0)
    print("mean of %d: labels that differ, from the same mixtures %.4f %%, from own ones %.4f %%, OpenCV among itself %.4f %%" %
          (len(rows), *(100 * means[:3])))
    print("error %.3f %%, OpenCV %.3f %%; seconds %.3f, OpenCV %.3f" % (100 * means[3], 100 * means[4], means[5], means[6]))
    if means[0] > LIMIT:
        sys.exit("FAILED: more than %g %% of the labels differ" % (100 * LIMIT))


if __name__ == "__main__":
    main()
