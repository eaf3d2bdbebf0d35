#!/usr/bin/env python3
"""screenshots.py FOLDER OUT - makes what screenshots.mjs wrote small: the dialogue as one strip, few colours, OUT/*.png."""
import pathlib
import sys

from PIL import Image

COLOURS = 200       # enough for photographs at this size, with dithering
FRAME = (400, 300)  # of the strip
GAP = 8


def strip(folder):
    """The dialogue, three pictures in a row."""
    frames = [Image.open(path).convert("RGB").resize(FRAME, Image.Resampling.LANCZOS)
              for path in sorted(folder.glob("dialogue-*.png"))]
    width, height = FRAME
    rows = (len(frames) + 2) // 3
    sheet = Image.new("RGB", (3 * width + 2 * GAP, rows * height + (rows - 1) * GAP), "white")
    for i, frame in enumerate(frames):
        sheet.paste(frame, (i % 3 * (width + GAP), i // 3 * (height + GAP)))
    return sheet


def save(picture, path):
    few = picture.quantize(COLOURS, kmeans=2, dither=Image.Dither.FLOYDSTEINBERG)
    few.save(path, optimize=True)
    print(path, path.stat().st_size)


def main():
    folder, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    save(strip(folder), out / "dialogue.png")
    for path in sorted(folder.glob("*.png")):
        if not path.name.startswith("dialogue-"):
            picture = Image.open(path).convert("RGB")
            if path.stem == "phone":
                picture = picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.LANCZOS)
            save(picture, out / path.name)


main()
