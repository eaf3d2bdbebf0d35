#!/usr/bin/env python3
"""Writes what a network says of photographs as maps: DATA/maps/NAME.npy for every picture DATA/images/NAME.*, log odds of the
object in float32, height x width, with the size of the picture.

    network.py NETWORK.onnx DATA --size 1024x1024 --mean 128 --scale 256 --values probability

The network takes one picture, 1 x 3 x height x width, whose numbers are (value - mean) / scale for values 0 to 255, resized
without keeping the proportions.  What it says is resized back, and becomes log odds.  onnxruntime runs it where it is installed,
else OpenCV.  Files that are there already are skipped, so that a run that was interrupted goes on; none is ever half written.
network.mjs does the same in Node."""
import argparse
import os
import pathlib
import sys
import time

import numpy as np

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".pgm", ".ppm")
LEAST = 1e-4  # no probability is believed to be nearer to 0 or 1: log odds are at most 9.2


class Trouble(Exception):
    """What is wrong, and where."""


# ---- pictures ----

def picture_read(path):
    """Height x width x 3, red first, upright as the file's EXIF data say."""
    try:
        import cv2
    except ImportError:
        from PIL import Image, ImageOps
        with Image.open(path) as picture:
            return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise Trouble("cannot be read as a picture")
    return picture[:, :, ::-1]


def shares(size, wanted):
    """wanted x size: which share of a row's pixels each pixel of the resized row is.  Linear between the centres of pixels; where
    the row shrinks, means with weights that fall off linearly over a pixel of the small row."""
    factor = size / wanted
    reach = max(factor, 1)
    centres = (np.arange(wanted)[:, None] + 0.5) * factor - 0.5
    near = np.clip(1 - np.abs(centres - np.arange(size)) / reach, 0, None)
    return near / near.sum(1, keepdims=True)


def resize(plane, height, width):
    if plane.shape == (height, width):
        return plane
    return shares(plane.shape[0], height) @ plane @ shares(plane.shape[1], width).T


# ---- networks ----

def runtime_open(path, threads):
    """The names of its outputs, and a function from an input and such names to a list of arrays."""
    try:
        import onnxruntime
    except ImportError:
        return opencv_open(path, threads)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    first = session.get_inputs()[0].name
    return [output.name for output in session.get_outputs()], lambda x, names: session.run(names, {first: x})


def opencv_open(path, threads):
    try:
        import cv2
    except ImportError:
        raise Trouble("neither onnxruntime nor OpenCV is installed (pip install onnxruntime, or Debian: python3-opencv)") from None
    if threads:
        cv2.setNumThreads(threads)
    network = cv2.dnn.readNetFromONNX(path)

    def run(x, names):
        network.setInput(x)
        return network.forward(names)
    return list(network.getUnconnectedOutLayersNames()), run


def outputs_name(wanted, known):
    """The outputs to take: those that were named, or the only one."""
    if not wanted and len(known) > 1:
        raise Trouble(f"the network has {len(known)} outputs ({', '.join(sorted(known))}): --output names the one to take")
    for name in wanted:
        if name not in known:
            raise Trouble(f"the network has no output '{name}'; it has {', '.join(sorted(known))}")
    return wanted or known


# ---- from numbers to log odds ----

def planes_of(answer, name):
    """channels x height x width, of an answer that may have an axis of one picture, and none of channels."""
    answer = np.asarray(answer, np.float64)
    while answer.ndim > 3 and answer.shape[0] == 1:
        answer = answer[0]
    if answer.ndim == 2:
        answer = answer[None]
    if answer.ndim != 3:
        raise Trouble(f"output '{name}' has the shape {answer.shape}, which is no picture of numbers")
    if not np.isfinite(answer).all():
        raise Trouble(f"output '{name}' has numbers that are not finite")
    return answer


def odds_of(planes, values, name):
    """Log odds of every channel; softmax: of each against all others."""
    if values == "logits":
        return planes
    if values == "softmax":
        if len(planes) < 2:
            raise Trouble(f"output '{name}' has one channel: --values softmax is for two and more")
        others = [np.delete(planes, c, 0) for c in range(len(planes))]
        most = [o.max(0) for o in others]
        return np.stack([p - m - np.log(np.exp(o - m).sum(0)) for p, o, m in zip(planes, others, most)])
    least, largest = planes.min(), planes.max()
    if least < -1e-3 or largest > 1 + 1e-3:
        raise Trouble(f"output '{name}' has values from {least:.4g} to {largest:.4g}, which are no probabilities: --values logits?")
    p = np.clip(planes, LEAST, 1 - LEAST)
    return np.log(p / (1 - p))


def maps_make(run, picture, o):
    """Height x width, or height x width x channels, with the size of the picture."""
    height, width = picture.shape[:2]
    colours = picture if o.order == "rgb" else picture[:, :, ::-1]
    planes = [(resize(colours[:, :, c].astype(np.float64), o.size[1], o.size[0]) - o.mean[c]) / o.scale[c] for c in range(3)]
    answers = run(np.stack(planes)[None].astype(np.float32), o.output)
    maps = []
    for name, answer in zip(o.output, answers):
        channels = planes_of(answer, name)
        grown = np.stack([resize(plane, height, width) for plane in channels])
        odds = odds_of(grown, o.values, name)
        if o.channel is not None and o.channel >= len(odds):
            raise Trouble(f"output '{name}' has {len(odds)} channels: there is no channel {o.channel}, counted from 0")
        maps += list(odds) if o.channel is None else [odds[o.channel]]
    return np.stack(maps, -1).astype(np.float32) if len(maps) > 1 else maps[0].astype(np.float32)


# ---- a folder ----

def maps_write(target, maps):
    """Appears complete or not at all."""
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(part, "wb") as file:
            np.save(file, maps)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def pictures_find(folder):
    if not folder.is_dir():
        raise Trouble(f"'{folder}': there is no such folder")
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in ENDINGS or path.name.startswith("."):
            continue
        if path.stem in found:
            raise Trouble(f"'{path}' and '{found[path.stem]}' would have the same map")
        found[path.stem] = path
    if not found:
        raise Trouble(f"there are no pictures in '{folder}'")
    return found


def time_words(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Progress:
    """On a terminal one line that is kept up to date, elsewhere a line every ten seconds."""

    def __init__(self, count):
        self.count, self.done, self.began, self.last = count, 0, time.monotonic(), time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self):
        self.done += 1
        now = time.monotonic()
        if now - self.last < (0.2 if self.terminal else 10) or self.done == self.count:
            return
        self.last = now
        left = (now - self.began) / self.done * (self.count - self.done)
        line = f"{self.done} of {self.count} maps, about {time_words(left)} left"
        print(f"\r{line}\033[K" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def say(self, line):
        print(f"\r{line}\033[K" if self.terminal else line, file=sys.stderr, flush=True)


def folder_run(o):
    """The number of pictures that failed."""
    pictures = pictures_find(o.data / "images")
    out = o.out or o.data / "maps"
    out.mkdir(parents=True, exist_ok=True)
    wanted = {name: path for name, path in pictures.items() if not (out / f"{name}.npy").exists()}
    failed = 0
    progress = Progress(len(wanted))
    run = network_open(o) if wanted else None
    for name, path in wanted.items():
        try:
            maps_write(out / f"{name}.npy", maps_make(run, picture_read(path), o))
        except Exception as error:  # of any kind: the others are still to be done
            progress.say(f"'{path}': {' '.join(str(error).split())}")
            failed += 1
        progress.step()
    made = len(wanted) - failed
    progress.say(f"{out}: {made} maps made, {len(pictures) - len(wanted)} were there, {failed} failed")
    return failed


def network_open(o):
    """The function that runs it; the outputs to take are settled then."""
    try:
        known, run = runtime_open(str(o.network), o.threads)
        o.output = outputs_name(o.output, known)
    except Exception as error:  # runtimes have their own
        raise Trouble(f"'{o.network}': {' '.join(str(error).split())}") from None
    return run


# ---- the command line ----

def numbers(text):
    found = [float(word) for word in text.split(",")]
    if len(found) not in (1, 3) or not np.isfinite(found).all():
        raise argparse.ArgumentTypeError(f"takes one number or three, for red, green and blue in the network's order, not '{text}'")
    return found * (3 // len(found))


def scales(text):
    found = numbers(text)
    if 0 in found:
        raise argparse.ArgumentTypeError("must not be 0")
    return found


def size(text):
    words = text.split("x")
    if len(words) != 2 or not all(word.isdigit() and 0 < int(word) <= 16384 for word in words):
        raise argparse.ArgumentTypeError(f"takes WIDTHxHEIGHT in pixels, not '{text}'")
    return int(words[0]), int(words[1])


def options_read():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("network", type=pathlib.Path, help="the network, in ONNX format")
    parser.add_argument("data", type=pathlib.Path, help="the folder with images/")
    parser.add_argument("--size", type=size, required=True, metavar="WxH", help="size of the network's input")
    parser.add_argument("--mean", type=numbers, default=[0.0] * 3, metavar="X[,X,X]", help="taken off the values, 0 to 255")
    parser.add_argument("--scale", type=scales, default=[255.0] * 3, metavar="X[,X,X]", help="divides the values then")
    parser.add_argument("--order", choices=("rgb", "bgr"), default="rgb", help="order of the input's channels")
    parser.add_argument("--values", choices=("probability", "logits", "softmax"), default="probability",
                        help="what the network puts out; softmax: logits of several labels, one channel each")
    parser.add_argument("--output", action="append", default=[], metavar="NAME",
                        help="an output to take; may be repeated: one channel after the other (default: the only one)")
    parser.add_argument("--channel", type=int, metavar="N", help="take this channel of each output alone, counted from 0")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="number of threads; 0: as the runtime likes")
    parser.add_argument("-o", "--out", type=pathlib.Path, metavar="DIR", help="the folder to write to (default: maps in the data)")
    o = parser.parse_args()
    if o.channel is not None and o.channel < 0:
        parser.error("--channel counts from 0")
    if not o.network.is_file():
        parser.error(f"'{o.network}': there is no such file")
    return o


def main():
    try:
        return 1 if folder_run(options_read()) else 0
    except (Trouble, OSError) as error:
        print(f"network.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nnetwork.py: interrupted; the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
