#!/usr/bin/env python3
"""A stand-in for your network: looks for the darkest line through each pixel, and writes what it finds as maps.

    lines.py FOLDER...

For every FOLDER/images/NAME.png, which is grey, FOLDER/maps/NAME.npy gets three channels: the least of the mean grey values
along lines of 5, 9 and 13 pixels through the pixel, in eight directions.  NumPy is not needed here; where it is, np.save(path,
array) writes the same file."""
import pathlib
import struct
import sys
import zlib

LENGTHS = (5, 9, 13)
DIRECTIONS = ((2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (-1, 2), (-2, 2), (-2, 1))  # in half pixels


def png_read(path):
    """Rows of grey values of a PNG of 8 bits, not interlaced."""
    data, at, body, width = path.read_bytes(), 8, b"", 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            if (depth, colour) != (8, 0):
                sys.exit(f"{path}: not a grey picture of 8 bits")
        body += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    body = zlib.decompress(body)
    rows, above = [], [0] * width
    for start in range(0, len(body), width + 1):
        rows.append(unfilter(body[start], body[start + 1:start + 1 + width], above))
        above = rows[-1]
    return rows


def unfilter(kind, line, above):
    row = []
    for x, value in enumerate(line):
        a, b, c = row[x - 1] if x else 0, above[x], above[x - 1] if x else 0
        nearest = min((a, b, c), key=lambda v: abs(a + b - c - v))
        row.append((value + (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
    return row


def darkest(rows, x, y):
    """For each length, the least mean along a line; lines grow from the pixel outwards."""
    least = [255.0] * len(LENGTHS)
    for across, down in DIRECTIONS:
        total, count = rows[y][x], 1
        for step in range(1, LENGTHS[-1] // 2 + 1):
            dx, dy = across * step // 2, down * step // 2
            for i, j in ((x + dx, y + dy), (x - dx, y - dy)):
                if 0 <= i < len(rows[0]) and 0 <= j < len(rows):
                    total, count = total + rows[j][i], count + 1
            if 2 * step + 1 in LENGTHS:
                k = LENGTHS.index(2 * step + 1)
                least[k] = min(least[k], total / count)
    return least


def npy_write(path, height, width, channels, values):
    """float32, height x width x channels, the channels of a pixel side by side."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({height}, {width}, {channels}), }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}f", *values))


def main():
    for folder in map(pathlib.Path, sys.argv[1:]):
        (folder / "maps").mkdir(exist_ok=True)
        for image in (folder / "images").glob("*.png"):
            rows = png_read(image)
            height, width = len(rows), len(rows[0])
            values = [value for y in range(height) for x in range(width) for value in darkest(rows, x, y)]
            npy_write(folder / "maps" / f"{image.stem}.npy", height, width, len(LENGTHS), values)


if __name__ == "__main__":
    main()
