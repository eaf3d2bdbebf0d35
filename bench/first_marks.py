#!/usr/bin/env python3
"""first_marks.py box|strokes DATA [MODEL...]: errors by the first marks alone, of OpenCV's GrabCut, of the model inside, or of
others.  box: a rectangle around the object, a tenth larger; strokes: one stroke on the object, one on the background, as a
hurried person makes them.  DATA has images/ and labels/ (128: nobody can be sure); MODEL+maps sees DATA/maps as well, and grabcut
is ours.  S3SVM names the command (build/s3svm).  Needs python3-opencv."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

COMMAND = os.environ.get("S3SVM", "build/s3svm")
ITERATIONS = 10
KINDS = {"box": ["--kind", "box", "--one"], "strokes": ["--kind", "hurried"]}


def picture_of(data, name):
    return next(p for p in (data / "images").iterdir() if p.stem == name)


def cut_by_box(photograph, mask, points):
    left, top, right, bottom = (int(round(x)) for x in points)
    box = (max(left, 0), max(top, 0), right - max(left, 0) + 1, bottom - max(top, 0) + 1)
    if box[2] * box[3] == mask.size:  # nothing is background: OpenCV refuses
        mask[:] = cv2.GC_FGD
        return
    cv2.grabCut(photograph, mask, box, None, None, ITERATIONS, cv2.GC_INIT_WITH_RECT)


def cut_by_strokes(photograph, mask, strokes):
    mask[:] = cv2.GC_PR_BGD
    for stroke in strokes:
        points = [tuple(int(round(x)) for x in stroke["points"][i : i + 2]) for i in range(0, len(stroke["points"]), 2)]
        label = cv2.GC_FGD if stroke["label"] == "object" else cv2.GC_BGD
        for a, b in zip(points, points[1:] or points):
            cv2.line(mask, a, b, label, max(1, int(2 * stroke["radius"])))
    cv2.grabCut(photograph, mask, None, None, None, ITERATIONS, cv2.GC_INIT_WITH_MASK)


def opencv_labels(photograph, step):
    mask = np.zeros(photograph.shape[:2], np.uint8)
    cv2.setRNGSeed(1)
    if step[0].get("shape") == "box":
        cut_by_box(photograph, mask, step[0]["points"])
    else:
        cut_by_strokes(photograph, mask, step)
    return mask % 2 == 1


def model_labels(data, path, marks, model, room):
    out = room / "mask.png"
    command = [COMMAND, "segment", str(path), "--marks", str(marks), "-o", str(out)]
    name, _, evidence = model.partition("+")
    if name == "grabcut":
        command += ["--method", "grabcut"]
    elif name:
        command += ["-m", name]
    if evidence:
        command += ["--maps", str(data / evidence / (path.stem + ".npy"))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return cv2.imread(str(out), cv2.IMREAD_GRAYSCALE) > 127


def scores(labels, truth):
    """Shares of wrong pixels, the unsure band being background, and left out; intersection over union without it."""
    wrong, sure, true = labels != (truth == 255), truth != 128, truth == 255
    union = ((labels | true) & sure).sum()
    return wrong.mean(), wrong[sure].mean(), (labels & true & sure).sum() / union if union else 1


def main():
    kind, data = sys.argv[1], pathlib.Path(sys.argv[2])
    models = sys.argv[3:] or [""]
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder)
        subprocess.run([COMMAND, "make-scribbles", "--data", str(data), *KINDS[kind], "-o", str(room)], check=True,
                       stdout=subprocess.DEVNULL)
        rows = {name: [] for name in ["OpenCV"] + models}
        for marks in sorted((room / "scribbles").glob("*.json")):
            step = json.loads(marks.read_text())["steps"][0]
            path = picture_of(data, marks.stem)
            photograph = cv2.imread(str(path))
            truth = cv2.imread(str(data / "labels" / (marks.stem + ".png")), cv2.IMREAD_UNCHANGED)
            rows["OpenCV"].append(scores(opencv_labels(photograph, step), truth))
            for model in models:
                rows[model].append(scores(model_labels(data, path, marks, model, room), truth))
        for name, values in rows.items():
            mean = np.mean(values, axis=0)
            better = np.mean([a[0] < b[0] for a, b in zip(values, rows["OpenCV"])])
            worse = np.mean([a[1] > b[1] + 0.03 for a, b in zip(values, rows["OpenCV"])])
            print(f"{name or 'inside':<24} {len(values)} photographs, {100 * mean[0]:.2f} % wrong, {100 * mean[1]:.2f} % without the "
                  f"band, intersection over union {mean[2]:.3f}; better than OpenCV on {100 * better:.0f} %, worse by more than 3 "
                  f"points on {100 * worse:.0f} %")


if __name__ == "__main__":
    main()
