#!/usr/bin/env python3
"""Draws photo.png, a pear on a table, and strokes.png, the photograph with a red and a blue stroke: the pictures of segmentation.md.

    python3 photo.py [WIDTH HEIGHT]
"""
import math
import random
import struct
import sys
import zlib

WIDTH, HEIGHT = (int(a) for a in sys.argv[1:3]) if len(sys.argv) > 2 else (420, 320)
SAMPLES = 3  # squared, for each pixel

random.seed(5)
BOKEH = [(random.uniform(0, 1.35), random.uniform(0, 0.66), random.uniform(0.03, 0.09), random.choice(
    [(255, 214, 150), (250, 190, 120), (190, 215, 190), (150, 190, 200)])) for _ in range(26)]


def mix(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def step(low, high, x):
    t = min(1.0, max(0.0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


def noise(x, y):
    """Smooth noise in 0 ... 1."""
    def at(i, j):
        h = (i * 374761393 + j * 668265263) & 0xffffffff
        h = ((h ^ (h >> 13)) * 1274126177) & 0xffffffff
        return ((h ^ (h >> 16)) & 0xffff) / 65535
    i, j = math.floor(x), math.floor(y)
    u, v = step(0, 1, x - i), step(0, 1, y - j)
    top = at(i, j) + (at(i + 1, j) - at(i, j)) * u
    low = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * u
    return top + (low - top) * v


def pear(x, y):
    """Less than 0 inside."""
    def circle(cx, cy, r):
        return math.hypot(x - cx, y - cy) - r
    a, b, k = circle(0.66, 0.64, 0.235), circle(0.635, 0.365, 0.11), 0.17
    h = max(0.0, min(1.0, 0.5 + 0.5 * (b - a) / k))
    return b + (a - b) * h - k * h * (1 - h)


def background(x, y):
    if y < 0.72:
        colour = mix((36, 62, 66), (118, 104, 82), y / 0.72)
        for cx, cy, r, c in BOKEH:
            d = math.hypot(x - cx, y - cy) / r
            colour = mix(colour, c, 0.33 * (1 - step(0.8, 1.1, d)))
        return colour
    grain = noise(x * 5 + 3 * noise(x * 3, y * 30), y * 150)
    wood = mix((120, 76, 46), (164, 112, 70), 0.35 * grain + 0.65 * noise(x * 2, y * 40))
    wood = mix(wood, (200, 160, 120), 0.3 * step(0.72, 1.0, y))
    shadow = math.hypot((x - 0.74) / 0.34, (y - 0.885) / 0.075)
    wood = mix(wood, (42, 26, 18), 0.75 * (1 - step(0.5, 1.15, shadow)))
    return mix(mix((118, 104, 82), (100, 70, 50), 0.5), wood, step(0.72, 0.75, y))


def fruit(x, y):
    e = 0.004
    d = pear(x, y)
    gx, gy = (pear(x + e, y) - d) / e, (pear(x, y + e) - d) / e
    rise = min(1.0, max(0.0, -d / 0.2))
    across = (1 - rise) ** 1.3
    nx, ny = gx * across, gy * across
    nz = math.sqrt(max(0.0, 1 - nx * nx - ny * ny))
    light = max(0.0, -0.55 * nx - 0.6 * ny + 0.58 * nz)
    skin = mix((214, 190, 62), (150, 168, 52), noise(x * 7, y * 7))
    skin = mix(skin, (196, 70, 40), 0.85 * step(0.6, 0.86, x + 0.12 * noise(x * 6, y * 9)))
    if noise(x * 150, y * 150) > 0.8:
        skin = mix(skin, (112, 84, 40), 0.4)
    colour = tuple(c * (0.3 + 0.82 * light) for c in skin)
    glint = max(0.0, -0.45 * nx - 0.5 * ny + 0.74 * nz) ** 40
    return mix(colour, (255, 250, 235), 0.75 * glint)


def stem(x, y):
    t = (0.29 - y) / 0.16
    middle = 0.628 + 0.045 * t * t
    return abs(x - middle) - 0.0085 - 0.004 * t if 0 <= t <= 1 else 1.0


def leaf(x, y):
    """Along and across the leaf; less than 0 inside."""
    u, v = (x - 0.655) * 0.93 + (y - 0.2) * -0.37, (x - 0.655) * 0.37 + (y - 0.2) * 0.93
    t = u / 0.25
    if not 0 < t < 1:
        return 1.0, t, v
    edge = 0.062 * math.sin(math.pi * t ** 0.8) + 0.003 * math.sin(60 * t)
    return abs(v - 0.03 * math.sin(2 * t)) - edge, t, v - 0.03 * math.sin(2 * t)


def colour(x, y):
    inside, t, v = leaf(x, y)
    if inside < 0:
        green = mix((58, 104, 40), (126, 160, 66), 0.5 + 6 * v + 0.3 * noise(x * 40, y * 40))
        vein = abs(v) < 0.0028 or abs((t * 9 - abs(v) * 60) % 1 - 0.5) < 0.05
        return mix(green, (176, 196, 110), 0.45 if vein else 0)
    if stem(x, y) < 0:
        return mix((58, 40, 24), (112, 84, 52), noise(x * 90, y * 30))
    return fruit(x, y) if pear(x, y) < 0 else background(x, y)


def blurred(rows):
    """A lens that is not perfect: 1-2-1 along rows and columns."""
    def line(p):
        return [tuple((p[max(i - 1, 0)][c] + 2 * p[i][c] + p[min(i + 1, len(p) - 1)][c]) / 4 for c in range(3))
                for i in range(len(p))]
    rows = [line(r) for r in rows]
    return [list(r) for r in zip(*(line(c) for c in zip(*rows)))]


def png(path, rows):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    raw = b''.join(b'\0' + bytes(min(255, max(0, round(v))) for p in r for v in p) for r in rows)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))


def stroke(rows, points, paint):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        for i in range(2 * HEIGHT):
            x, y = x0 + (x1 - x0) * i / (2 * HEIGHT), y0 + (y1 - y0) * i / (2 * HEIGHT)
            for v in range(int((y - 0.009) * HEIGHT), int((y + 0.009) * HEIGHT) + 1):
                for u in range(int((x - 0.009) * HEIGHT), int((x + 0.009) * HEIGHT) + 1):
                    if math.hypot(u / HEIGHT - x, v / HEIGHT - y) < 0.009 and 0 <= u < WIDTH and 0 <= v < HEIGHT:
                        rows[v][u] = paint


def main():
    rows = []
    for j in range(HEIGHT):
        row = []
        for i in range(WIDTH):
            sums = [0.0, 0.0, 0.0]
            for s in range(SAMPLES * SAMPLES):
                c = colour((i + (s % SAMPLES + 0.5) / SAMPLES) / HEIGHT, (j + (s // SAMPLES + 0.5) / SAMPLES) / HEIGHT)
                for k in range(3):
                    sums[k] += c[k]
            row.append(tuple(v / SAMPLES ** 2 for v in sums))
        rows.append(row)
    rows = [[tuple(round(v + random.gauss(0, 2.5)) for v in p) for p in r] for r in blurred(rows)]
    png('photo.png', rows)
    stroke(rows, [(0.6, 0.4), (0.56, 0.62), (0.66, 0.76), (0.78, 0.66), (0.72, 0.5)], (255, 0, 0))
    stroke(rows, [(0.64, 0.2), (0.645, 0.3)], (255, 0, 0))
    stroke(rows, [(0.7, 0.19), (0.84, 0.13)], (255, 0, 0))
    stroke(rows, [(0.3, 0.1), (0.34, 0.6), (0.36, 0.94), (0.7, 0.96), (1.1, 0.93), (1.05, 0.4), (0.95, 0.3)], (0, 0, 255))
    stroke(rows, [(0.45, 0.1), (0.58, 0.06), (0.9, 0.04), (0.98, 0.16)], (0, 0, 255))
    stroke(rows, [(0.53, 0.9), (0.92, 0.9)], (0, 0, 255))
    png('strokes.png', rows)


main()
