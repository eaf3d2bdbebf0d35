#!/usr/bin/env python3
"""rectangles.py DATA [MODEL...]: errors with a rectangle around the object, a tenth larger, as all that is marked: OpenCV's
GrabCut against the model inside, or others.  DATA has images/ and labels/ (128: nobody can be sure).  S3SVM names the command
(build/s3svm).  Needs python3-opencv.."""
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


def picture_of(data, name):
    return next(p for p in (data / "images").iterdir() if p.stem == name)


def opencv_labels(photograph, box):
    mask = np.zeros(photograph.shape[:2], np.uint8)
    cv2.setRNGSeed(1)
    if box[2] * box[3] == mask.size:  # nothing is background: OpenCV refuses
        return np.ones_like(mask, bool)
    cv2.grabCut(photograph, mask, box, None, None, ITERATIONS, cv2.GC_INIT_WITH_RECT)
    return mask % 2 == 1


def model_labels(path, marks, model, room):
    out = room / "mask.png"
    command = [COMMAND, "segment", str(path), "--marks", str(marks), "-o", str(out)] + (["-m", model] if model else [])
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return cv2.imread(str(out), cv2.IMREAD_GRAYSCALE) > 127


def errors(labels, truth):
    """Share of wrong pixels: the unsure band being background, and left out."""
    wrong = labels != (truth == 255)
    return wrong.mean(), wrong[truth != 128].mean()


def main():
    data = pathlib.Path(sys.argv[1])
    models = sys.argv[2:] or [""]
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder)
        subprocess.run([COMMAND, "make-scribbles", "--data", str(data), "--kind", "box", "--one", "-o", str(room)], check=True,
                       stdout=subprocess.DEVNULL)
        rows = {name: [] for name in ["OpenCV"] + models}
        for marks in sorted((room / "scribbles").iterdir()):
            corners = json.loads(marks.read_text())["steps"][0][0]["points"]
            left, top, right, bottom = (int(round(x)) for x in corners)
            path = picture_of(data, marks.stem)
            photograph = cv2.imread(str(path))
            truth = cv2.imread(str(data / "labels" / (marks.stem + ".png")), cv2.IMREAD_UNCHANGED)
            box = (max(left, 0), max(top, 0), right - max(left, 0) + 1, bottom - max(top, 0) + 1)
            rows["OpenCV"].append(errors(opencv_labels(photograph, box), truth))
            for model in models:
                rows[model].append(errors(model_labels(path, marks, model, room), truth))
        for name, values in rows.items():
            mean = 100 * np.mean(values, axis=0)
            better = np.mean([a[0] < b[0] for a, b in zip(values, rows["OpenCV"])])
            print(f"{name or 'inside':<24} {len(values)} photographs, {mean[0]:.2f} % wrong, {mean[1]:.2f} % without the band, "
                  f"better than OpenCV on {100 * better:.0f} %")


if __name__ == "__main__":
    main()
