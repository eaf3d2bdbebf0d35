#!/usr/bin/env python3
"""Cuts the object out of every rendering by three methods, with the same strokes, and compares with the true masks.

    python3 compare.py [S3SVM]

S3SVM is the command, ../../build/s3svm if not given.  Prints the table of segmentation.md, and writes for each scene a strip
../segmentation/SCENE.jpg: the strokes, what GrabCut finds, what the learned model finds, and its cut-out on a chequered ground.
Needs Debian's python3-numpy and python3-pil.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, "..", "segmentation")
SCENES = [s for s in ("star", "fruit", "toy", "mug", "plant") if os.path.exists(os.path.join(PICTURES, "images", s + ".jpg"))]
METHODS = ["grabcut", "amn", "s3svm"]
TILE = 320, 240
GAP = 6
STROKES = {1: (230, 20, 20), 2: (30, 60, 255)}


def picture(*names):
    return os.path.join(PICTURES, *names)


def segment(command, scene, method, folder):
    """The files that one method writes for one scene: mask, cut-out, overlay."""
    files = {what: os.path.join(folder, f"{scene}-{method}-{what}.png") for what in ("mask", "cutout", "overlay")}
    subprocess.run([command, "segment", picture("images", scene + ".jpg"), "--scribbles", picture("scribbles", scene + ".png"),
                    "--method", method, "-o", files["mask"], "--cutout", files["cutout"], "--overlay", files["overlay"]],
                   check=True, stdout=subprocess.DEVNULL)
    return files


def judge(mask, scene):
    """The share of wrong pixels, and intersection over union."""
    found = np.asarray(Image.open(mask)) > 127
    truth = np.asarray(Image.open(picture("labels", scene + ".png"))) > 127
    return (found != truth).mean(), (found & truth).sum() / (found | truth).sum()


def with_strokes(scene):
    pixels = np.array(Image.open(picture("images", scene + ".jpg")).convert("RGB"))
    marks = np.asarray(Image.open(picture("scribbles", scene + ".png")))
    for number, colour in STROKES.items():
        pixels[marks == number] = colour
    return Image.fromarray(pixels)


def on_chequers(cutout):
    layer = Image.open(cutout)
    y, x = np.mgrid[0:layer.height, 0:layer.width] // 16
    grey = np.where((x + y) % 2, 255, 204).astype(np.uint8)
    ground = Image.fromarray(grey).convert("RGBA")
    ground.alpha_composite(layer)
    return ground.convert("RGB")


def strip(scene, files):
    tiles = [with_strokes(scene), Image.open(files["grabcut"]["overlay"]), Image.open(files["s3svm"]["overlay"]),
             on_chequers(files["s3svm"]["cutout"])]
    width, height = TILE
    whole = Image.new("RGB", (len(tiles) * (width + GAP) - GAP, height), (255, 255, 255))
    for i, tile in enumerate(tiles):
        whole.paste(tile.convert("RGB").resize(TILE, Image.LANCZOS), (i * (width + GAP), 0))
    whole.save(picture(scene + ".jpg"), quality=88, subsampling=0)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "s3svm")
    print("| scene |" + "".join(f" {m}: error | IoU |" for m in METHODS))
    print("| --- |" + " ---: | ---: |" * len(METHODS))
    sums = np.zeros((len(METHODS), 2))
    with tempfile.TemporaryDirectory() as folder:
        folder = os.environ.get("WORK", folder)
        for scene in SCENES:
            files = {method: segment(command, scene, method, folder) for method in METHODS}
            figures = np.array([judge(files[method]["mask"], scene) for method in METHODS])
            sums += figures
            print(f"| {scene} |" + "".join(f" {100 * error:.2f} % | {iou:.3f} |" for error, iou in figures), flush=True)
            strip(scene, files)
    print("| mean |" + "".join(f" {100 * error:.2f} % | {iou:.3f} |" for error, iou in sums / len(SCENES)))


if __name__ == "__main__":
    main()
