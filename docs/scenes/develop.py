#!/usr/bin/env python3
"""Develops a rendering in linear light, a PPM of 16 bits as POV-Ray writes it.

    python3 develop.py picture RENDERING.ppm PICTURE.jpg
    python3 develop.py mask RENDERING.ppm MASK.png

A picture becomes as a camera would have made it: exposure, a lens that glows and darkens to its corners, grain as of a small
sensor, a film's curve, sRGB.  A mask becomes 255 where the object covers half of a pixel or more, and 0 elsewhere.
Needs Debian's python3-numpy and python3-pil.  The same rendering gives the same pixels.
"""
import sys

import numpy as np
from PIL import Image

WHITE = 0.92        # where the brightest hundredth of the pixels comes to lie
GLOW = 0.045        # share of the light that the lens scatters
CORNER = 0.22       # light lost in the corners
ELECTRONS = 2200    # of a white pixel: shot noise is the root of it
READING = 0.0045    # noise of reading, as a share of white
GRAIN_WIDTH = 0.55  # pixels: demosaicing smears grain
SOFTNESS = 0.45     # pixels: lens and sensor


def read_ppm(path):
    with open(path, "rb") as f:
        data = f.read()
    fields, at = [], 0
    while len(fields) < 4:  # P6, width, height, greatest value
        end = at
        while not data[end:end + 1].isspace():
            end += 1
        if data[at:at + 1] == b"#":
            end = data.index(b"\n", at)
        else:
            fields.append(data[at:end])
        at = end + 1
    assert fields[0] == b"P6" and fields[3] == b"65535", path
    width, height = int(fields[1]), int(fields[2])
    return np.frombuffer(data, ">u2", width * height * 3, at).reshape(height, width, 3) / 65535.0


def blur(picture, sigma):
    radius = max(1, int(3 * sigma + 0.5))
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        pad = [(0, 0)] * picture.ndim
        pad[axis] = (radius, radius)
        padded = np.pad(picture, pad, "edge")
        size = picture.shape[axis]
        picture = sum(k * np.take(padded, range(i, i + size), axis) for i, k in enumerate(kernel))
    return picture


def through_lens(light):
    height, width = light.shape[:2]
    glow = 0.6 * blur(light, width / 160) + 0.4 * blur(light, width / 30)
    light = blur((1 - GLOW) * light + GLOW * glow, SOFTNESS)
    y, x = np.mgrid[0:height, 0:width]
    r2 = ((x / (width - 1) - 0.5) ** 2 + (y / (height - 1) - 0.5) ** 2) * 2
    return light * (1 - CORNER * r2[:, :, None])


def with_grain(light, seed):
    random = np.random.RandomState(seed)
    shape = light.shape
    grain = random.normal(size=shape) + 0.6 * random.normal(size=shape[:2])[:, :, None]
    grain = blur(grain, GRAIN_WIDTH)
    grain /= grain.std()
    return light + grain * np.sqrt(np.maximum(light, 0) / ELECTRONS + READING ** 2)


def curve(light):
    """A straight line that bends into white; then sRGB."""
    light = np.maximum(light, 0)
    knee = 0.55
    high = knee + (1 - knee) * (1 - np.exp(-(light - knee) / (1 - knee)))
    light = np.where(light > knee, high, light)
    return np.where(light < 0.0031308, 12.92 * light, 1.055 * np.power(np.maximum(light, 1e-9), 1 / 2.4) - 0.055)


def contrast(picture):
    """Dark a little darker, bright a little brighter, as cameras do."""
    return picture + 0.10 * np.sin(2 * np.pi * (picture - 0.5)) / (2 * np.pi) * 2


def picture(light, seed=1):
    grey = light @ np.array([0.2126, 0.7152, 0.0722])
    light = through_lens(light * (WHITE / np.percentile(grey, 99)))
    developed = contrast(curve(with_grain(light, seed)))
    return (np.clip(developed, 0, 1) * 255 + 0.5).astype(np.uint8)


def mask(light):
    return np.where(light[:, :, 0] >= 0.5, 255, 0).astype(np.uint8)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("picture", "mask"):
        sys.exit(__doc__)
    kind, source, target = sys.argv[1:]
    light = read_ppm(source)
    if kind == "picture":
        Image.fromarray(picture(light)).save(target, quality=90, subsampling=0)
    else:
        Image.fromarray(mask(light)).save(target, optimize=True)


if __name__ == "__main__":
    main()
