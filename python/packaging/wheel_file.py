"""Wheels as files: written so that the same content makes the same bytes, and read back."""

import base64
import csv
import hashlib
import io
import os
import time
import zipfile
from pathlib import Path

EPOCH = 315532800  # 1980, the earliest time that a zip file can tell


def build_time() -> int:
    """What stands in archives for the time of every file: $SOURCE_DATE_EPOCH, else the earliest."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), EPOCH)


def wheel_facts(tag: str, generator: str) -> str:
    """The content of WHEEL.  A tag of several platforms, separated by dots, takes a line for each."""
    python, abi, platforms = tag.split("-")
    tags = "".join(f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split("."))
    return f"Wheel-Version: 1.0\nGenerator: {generator}\nRoot-Is-Purelib: false\n{tags}"


def _record(files: "dict[str, bytes]", name: str) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for path, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.writerow([path, f"sha256={digest}", len(content)])
    rows.writerow([name, "", ""])
    return text.getvalue().encode()


def write_wheel(path: Path, files: "dict[str, bytes]", info: str) -> None:
    """A wheel of these files by their paths in it; RECORD is added to the folder info.  Either complete, or not there."""
    record = f"{info}/RECORD"
    files = {name: content for name, content in files.items() if name != record}
    files[record] = _record(files, record)
    half = path.with_name(path.name + ".part")
    with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):  # what describes it comes last
            entry = zipfile.ZipInfo(name, time.gmtime(build_time())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".so" in Path(name).name else 0o100644) << 16
            z.writestr(entry, files[name])
    half.replace(path)


def read_wheel(path: Path) -> "tuple[dict[str, bytes], str]":
    """The files of a wheel, and the name of the folder that describes it."""
    with zipfile.ZipFile(path) as z:
        files = {name: z.read(name) for name in z.namelist() if not name.endswith("/")}
    info, = {name.partition("/")[0] for name in files if name.partition("/")[0].endswith(".dist-info")}
    return files, info
