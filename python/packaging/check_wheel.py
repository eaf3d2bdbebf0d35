#!/usr/bin/env python3
"""check_wheel.py WHEEL - whether a wheel runs wherever its tag says: nothing but the C library outside, all else inside, and no
symbol of a newer C library than the tag names.  Prints what it found."""

import base64
import csv
import hashlib
import io
import re
import sys
import tempfile
from pathlib import Path

from elf import read_library
from wheel_file import read_wheel

errors = []


def check(holds: bool, what: str) -> None:
    if not holds:
        errors.append(what)


def check_record(files: "dict[str, bytes]", info: str) -> None:
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))}
    check(rows.keys() == files.keys(), f"RECORD lists other files: {sorted(rows.keys() ^ files.keys())}")
    for name, (digest, size) in rows.items():
        if digest and name in files:
            right = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            check(digest == f"sha256={right}" and int(size) == len(files[name]), f"RECORD is wrong about {name}")


def check_libraries(files: "dict[str, bytes]", allowed: "tuple[int, int]") -> None:
    libraries = {Path(name).name: content for name, content in files.items() if re.search(r"\.so(\.|$)", name)}
    newest = (0, 0)
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in sorted(libraries.items()):
            path = Path(scratch) / name
            path.write_bytes(content)
            library = read_library(path)
            outside = [needed for needed in library.outside() if needed not in libraries]
            newest = max(newest, library.glibc())
            others = [f"{version} of {source}" for source, version in library.versions
                      if not version.startswith("GLIBC_") and source not in libraries]
            print(f"  {name}: {len(content)} bytes, needs {' '.join(library.needed)}, GLIBC {'%d.%d' % library.glibc()}")
            check(not outside, f"{name} needs {' '.join(outside)}, which is not inside")
            check(not others, f"{name} needs {', '.join(others)}")
            check(library.runpath == "$ORIGIN", f"{name} looks for libraries in '{library.runpath}', not beside itself")
            check(name == library.soname or name.startswith("_s3svm"), f"{name} calls itself {library.soname}")
    check("_s3svm.abi3.so" in libraries, "there is no extension module")
    check(newest == allowed, f"the tag promises GLIBC {'%d.%d' % allowed}, but {'%d.%d' % newest} is needed")


def main() -> None:
    wheel = Path(sys.argv[1])
    files, info = read_wheel(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size} bytes, {sum(map(len, files.values()))} unpacked")
    tag = re.fullmatch(r"cp311-abi3-manylinux_(\d+)_(\d+)_\w+", wheel.stem.split("-", 2)[2])
    check(tag is not None, "the tag is not cp311-abi3-manylinux_...")
    facts = files[f"{info}/WHEEL"].decode()
    check(f"\nTag: {wheel.stem.split('-', 2)[2]}\n" in facts, "WHEEL has another tag than the name of the file")
    check(f"\nVersion: {wheel.name.split('-')[1]}\n" in files[f"{info}/METADATA"].decode(), "METADATA has another version")
    check_record(files, info)
    check_libraries(files, (int(tag[1]), int(tag[2])) if tag else (0, 0))
    for what in errors:
        print(f"check_wheel.py: {what}", file=sys.stderr)
    sys.exit(bool(errors))


main()
