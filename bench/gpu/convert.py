#!/usr/bin/env python3
"""convert.py ENERGY.sos OUT.grid - an energy of 2x2 patches with integer costs as bench/gpu/card.cpp reads it."""

import array
import sys


def main(source, target):
    sizes, unary, costs, cliques, part = {}, [], [], [], None
    with open(source, encoding="ascii") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if not words or words[0] == "sos":
                continue
            if words[0] in ("unary", "table"):
                part = words[0]
            elif words[0] == "clique":
                cliques.append([int(word) for word in words[1:]])
            elif words[0].isalpha():
                sizes[words[0]], part = int(words[1]), None
            elif part == "unary":
                unary.append(int(words[1]) - int(words[0]))
            else:
                costs += [int(word) for word in words]
    pixels, width = sizes["variables"], cliques[0][3] - cliques[0][1]
    which = bytearray(pixels)
    for table, corner, *others in cliques:
        if others != [corner + 1, corner + width, corner + width + 1]:
            sys.exit(f"{source}: clique {[corner, *others]} is no patch of a grid {width} wide")
        which[corner] = table
    with open(target, "wb") as out:
        out.write(array.array("i", [width, pixels // width, sizes["tables"], *costs, *unary]).tobytes() + which)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
