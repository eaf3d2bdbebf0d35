#!/usr/bin/env python3
"""bundle.py WHEEL FOLDER - puts the libraries that a wheel needs inside it, and gives it the tag of the systems that it runs on.

Each library of others is copied beside the module under a name of its own, so that it is not mistaken for another copy that the
process has loaded, and with its licence.  What may remain outside is the C library; the newest of its symbols that is asked for
decides the tag, as PEP 600 defines it.  Needs patchelf, objdump and strip."""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from elf import read_library
from wheel_file import read_wheel, wheel_facts, write_wheel


def where_libraries_are(module: Path) -> "dict[str, Path]":
    """Which files the dynamic linker finds for the libraries that are needed, and for those that these need."""
    listing = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    missing = re.findall(r"^\s*(\S+) => not found", listing, re.M)
    if missing:
        sys.exit(f"bundle.py: these libraries are not on this machine: {' '.join(missing)}")
    return {name: Path(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listing, re.M)}


def licence_of(library: Path) -> "tuple[str, bytes]":
    """The Debian package that a library is of, and what it says about its licence."""
    for path in (library, Path("/") / library.relative_to("/usr") if library.is_relative_to("/usr") else library, library.resolve()):
        asked = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if asked.returncode == 0:
            package = asked.stdout.partition(":")[0]
            return package, (Path("/usr/share/doc") / package / "copyright").read_bytes()
    sys.exit(f"bundle.py: {library} is of no Debian package, so its licence is not known")


def bundle(package: Path) -> "dict[str, bytes]":
    """Completes the folder of the unpacked package; returns the licences of what was added."""
    own = {path.name: path for path in package.glob("*.so*")}
    found = {}
    for path in own.values():
        found.update(where_libraries_are(path))
    wanted, names, licences = [name for path in own.values() for name in read_library(path).outside() if name not in own], {}, {}
    while wanted:
        name = wanted.pop()
        if name in names:
            continue
        content = found[name].resolve().read_bytes()
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{hashlib.sha256(content).hexdigest()[:8]}.so{rest}"
        (package / names[name]).write_bytes(content)
        wanted += read_library(found[name]).outside()
        source, text = licence_of(found[name])
        licences[f"{source}.txt"] = text
    for path in [*own.values(), *(package / name for name in names.values())]:
        subprocess.run(["strip", "--strip-unneeded", path], check=True)
        changes = [["--replace-needed", name, names[name]] for name in read_library(path).needed if name in names]
        changes += [["--set-soname", path.name]] if path.name in names.values() else []
        for change in [*changes, ["--force-rpath", "--set-rpath", "$ORIGIN"]]:  # one at a time: together patchelf 0.14 mixes them up
            subprocess.run(["patchelf", *change, path], check=True)
    return licences


def main() -> None:
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    files, info = read_wheel(wheel)
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch)
        for name, content in files.items():
            if re.fullmatch(r"s3svm/[^/]+\.so[.\d]*", name):
                (package / Path(name).name).write_bytes(content)
        licences = bundle(package)
        files.update({f"s3svm/{path.name}": path.read_bytes() for path in package.iterdir()})
        major, minor = max(read_library(path).glibc() for path in package.iterdir())
    files.update({f"{info}/licenses/{name}": text for name, text in licences.items()})
    stem, python, abi, platform = wheel.stem.rsplit("-", 3)
    tag = f"{python}-{abi}-{platform.replace('linux', f'manylinux_{major}_{minor}', 1)}"
    files[f"{info}/WHEEL"] = wheel_facts(tag, "s3svm_backend").encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_wheel(folder / f"{stem}-{tag}.whl", files, info)
    print(folder / f"{stem}-{tag}.whl")


main()
