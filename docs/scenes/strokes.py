#!/usr/bin/env python3
"""Draws strokes: lines of a text file become a picture with a palette, 0 nothing, 1 object (red), 2 background (blue).

    python3 strokes.py SCENE.strokes SCRIBBLES.png

A line is a stroke, "object" or "background" and then the points x,y of a polyline in pixels.  Needs Debian's python3-pil.
"""
import sys

from PIL import Image, ImageDraw

SIZE = 640, 480
WIDTH = 7  # pixels: a brush as drawing programs have it
NUMBER = {"object": 1, "background": 2}
PALETTE = [0, 0, 0, 255, 0, 0, 0, 0, 255]


def main():
    source, target = sys.argv[1:3]
    marks = Image.new("P", SIZE, 0)
    marks.putpalette(PALETTE)
    brush = ImageDraw.Draw(marks)
    with open(source, encoding="ascii") as f:
        for line in f:
            words = line.split("#")[0].split()
            if not words:
                continue
            points = [tuple(map(int, p.split(","))) for p in words[1:]]
            number = NUMBER[words[0]]
            brush.line(points, number, WIDTH, "curve")
            for x, y in points:
                brush.ellipse((x - WIDTH // 2, y - WIDTH // 2, x + WIDTH // 2, y + WIDTH // 2), number)
    marks.save(target, optimize=True)


if __name__ == "__main__":
    main()
