"""Width and height of PNG, JPEG and SVG files, so that pages do not jump while pictures arrive."""

import re
import struct


def size_of(path):
    data = path.read_bytes()
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return struct.unpack(">II", data[16:24])
    if data[:2] == b"\xff\xd8":
        return size_of_jpeg(data)
    if path.suffix == ".svg":
        return size_of_svg(data.decode("utf-8"))
    raise ValueError(f"{path}: neither PNG, JPEG nor SVG")


def size_of_jpeg(data):
    at = 2
    while at + 9 < len(data):
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5:at + 9])
            return width, height
        at += 2 + length
    raise ValueError("a JPEG file without a frame")


def size_of_svg(text):
    box = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', text)
    if not box:
        raise ValueError("an SVG file without a viewBox")
    return round(float(box[1])), round(float(box[2]))
