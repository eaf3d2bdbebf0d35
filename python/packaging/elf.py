"""What a shared library asks of the machine that it runs on, as objdump tells it."""

import dataclasses
import re
import subprocess
from pathlib import Path

# Of the C library, which every system has; all else is to be inside.
SYSTEM = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux[-\w.]*\.so\.\d+")


@dataclasses.dataclass
class Library:
    soname: str
    needed: "list[str]"   # other libraries, by their sonames
    runpath: str
    versions: "list[tuple[str, str]]"  # of symbols: the library and the version, GLIBC_2.34

    def outside(self) -> "list[str]":
        return [name for name in self.needed if not SYSTEM.fullmatch(name)]

    def glibc(self) -> "tuple[int, int]":
        """The C library that it needs at least."""
        found = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version) for _, version in self.versions]
        return max([(int(v[1]), int(v[2])) for v in found if v], default=(0, 0))


def read_library(path: Path) -> Library:
    text = subprocess.run(["objdump", "-p", path], check=True, capture_output=True, text=True).stdout
    entries = re.findall(r"^  (NEEDED|SONAME|RPATH|RUNPATH) +(\S+)$", text, re.M)
    versions, library = [], ""
    for line in text.partition("Version References:")[2].splitlines():
        head = re.match(r"  required from (\S+):", line)
        if head:
            library = head[1]
        elif re.match(r"    0x", line):
            versions.append((library, line.split()[-1]))
    of = {kind: [value for found, value in entries if found == kind] for kind in ("NEEDED", "SONAME", "RPATH", "RUNPATH")}
    return Library("".join(of["SONAME"][:1]), of["NEEDED"], "".join(of["RPATH"] + of["RUNPATH"]), versions)
