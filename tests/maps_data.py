#!/usr/bin/env python3
"""A data set of small pictures with features of one's own, for maps_command.sh: images/, labels/, scribbles/ and maps/.

    maps_data.py FOLDER denoise|segment|label COUNT SEED odds|two|logits

The pictures say next to nothing.  The maps are what a network that is right more often than not might say: odds of the second
label in one channel; two channels, the second of which is noise; or a channel for each label.  NumPy is not needed."""
import pathlib
import random
import struct
import sys

WIDTH, HEIGHT = 40, 30
LABELS = {"denoise": 2, "segment": 2, "label": 3}


def npy_write(path, channels, values):
    """values: channel after channel within a pixel, pixel after pixel, row after row."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({HEIGHT}, {WIDTH}, {channels}), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}f", *values))


def pnm_write(path, kind, values):
    path.write_bytes(f"{kind}\n{WIDTH} {HEIGHT}\n255\n".encode() + bytes(values))


def truth_make(r, labels):
    """A disc of label 1 on label 0 and, of three labels, a stripe of label 2 below."""
    x0, y0, radius = r.uniform(12, 28), r.uniform(10, 16), r.uniform(6, 9)
    stripe = r.randint(22, 26) if labels > 2 else HEIGHT
    return [2 if y >= stripe else int((x - x0) ** 2 + (y - y0) ** 2 < radius ** 2) for y in range(HEIGHT) for x in range(WIDTH)]


def maps_make(r, truth, kind, labels):
    values = []
    for t in truth:
        if kind == "logits":
            values += [r.gauss(2 if t == l else 0, 2) for l in range(labels)]
        else:
            values.append(r.gauss(1.5 if t else -1.5, 2))
        if kind == "two":
            values.append(r.gauss(0, 50))
    return labels if kind == "logits" else 2 if kind == "two" else 1, values


def byte(x):
    return max(0, min(255, round(x)))


def picture_make(folder, name, task, r):
    truth = truth_make(r, LABELS[task])
    if task == "denoise":  # ink is dark
        pnm_write(folder / "labels" / f"{name}.pgm", "P5", [0 if t else 255 for t in truth])
        pnm_write(folder / "images" / f"{name}.pgm", "P5", [byte(r.gauss(115 if t else 140, 90)) for t in truth])
        return truth
    pnm_write(folder / "images" / f"{name}.ppm", "P6", [byte(r.gauss(120 + 6 * t, 40)) for t in truth for _ in range(3)])
    if task == "label":
        pnm_write(folder / "labels" / f"{name}.pgm", "P5", truth)
        return truth
    pnm_write(folder / "labels" / f"{name}.pgm", "P5", [255 * t for t in truth])
    ones = [i for i, t in enumerate(truth) if t]
    marks = [0] * len(truth)
    marks[ones[len(ones) // 2]] = 1
    marks[0] = marks[-1] = 2
    pnm_write(folder / "scribbles" / f"{name}.pgm", "P5", marks)
    return truth


def main():
    folder, task, kind = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[5]
    r = random.Random(int(sys.argv[4]))
    for part in ["images", "labels", "maps"] + ["scribbles"] * (task == "segment"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for i in range(int(sys.argv[3])):
        truth = picture_make(folder, f"p{i}", task, r)
        npy_write(folder / "maps" / f"p{i}.npy", *maps_make(r, truth, kind, LABELS[task]))


if __name__ == "__main__":
    main()
