"""Builds the package as PEP 517 asks, with nothing but Python: the extension module and the libraries by CMake, the archives here.

    pip install .             from the source tree, or from the source distribution; nothing is downloaded
    CMAKE_ARGS="-D..."        further options for CMake
    CMAKE, CC                 programs other than those of the path
"""

import gzip
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from pathlib import Path

from wheel_file import build_time, wheel_facts, write_wheel

TREE = Path(__file__).resolve().parents[2]
TAG = "cp311-abi3"  # python/CMakeLists.txt: the stable interface of Python 3.11

# What the source distribution carries: all that builds the extension module, and its tests.
SOURCES = ["pyproject.toml", "CMakeLists.txt", "LICENSE", "cmake", "include", "src", "models", "report", "experiments", "programs", "python"]
LEFT_OUT = re.compile(r"(^|/)(__pycache__|[^/]*\.egg-info|\.[^/]*)(/|$)|\.(pyc|so|o)$")


def version() -> str:
    """As Python writes it, 1.0.0rc1, from the header of the C library: it stands there, and the build compares it with CMakeLists.txt."""
    text = (TREE / "include" / "sos" / "status.h").read_text()
    numbers = [re.search(rf"#define SOS_VERSION_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    suffix = re.search(r'#define SOS_VERSION_SUFFIX\s+"(?:-rc\.(\d+))?"', text)
    return ".".join(found[1] for found in numbers) + (f"rc{suffix[1]}" if suffix[1] else "")


def _project() -> dict:
    return tomllib.loads((TREE / "pyproject.toml").read_text())["project"]


def _metadata() -> str:
    p = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {version()}", f"Summary: {p['description']}",
             f"License: {p['license']['text']}", f"Keywords: {','.join(p['keywords'])}",
             *(f"Author: {a['name']}" for a in p["authors"]), *(f"Project-URL: {what}, {url}" for what, url in p.get("urls", {}).items()),
             *(f"Classifier: {c}" for c in p["classifiers"]), f"Requires-Python: {p['requires-python']}",
             *(f"Requires-Dist: {d}" for d in p["dependencies"])]
    for extra, wanted in p["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {d}; extra == "{extra}"' for d in wanted)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (TREE / p["readme"]).read_text()])


def _stem() -> str:
    return f"{_project()['name']}-{version()}"


def _described(tag: str) -> "dict[str, bytes]":
    """What the folder of a wheel that describes it holds, but RECORD."""
    scripts = "".join(f"{name} = {call}\n" for name, call in _project()["scripts"].items())
    return {"METADATA": _metadata().encode(), "WHEEL": wheel_facts(tag, "s3svm_backend").encode(),
            "entry_points.txt": f"[console_scripts]\n{scripts}".encode(), "LICENSE": (TREE / "LICENSE").read_bytes()}


def _tag() -> str:
    return f"{TAG}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _cmake() -> str:
    return os.environ.get("CMAKE", "cmake")


def _check_tools() -> None:
    """Ends with a list of all that is missing, rather than with the first thing that a tool finds."""
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    missing = []
    if not shutil.which(_cmake()):
        missing.append("CMake 3.22 or later (Debian: cmake)")
    if not shutil.which(compiler[0]) and not shutil.which("gcc") and not shutil.which("clang"):
        missing.append("a C compiler (Debian: gcc libc6-dev)")
    if not shutil.which("make") and not shutil.which("ninja"):
        missing.append("make, or ninja (Debian: make)")
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        missing.append(f"the headers of {sys.executable} (Debian: python3-dev)")
    if missing:
        sys.exit("s3svm is built from C, and this is missing:\n" + "".join(f"  - {what}\n" for what in missing))


def _compiled() -> "dict[str, bytes]":
    """The extension module and, beside it, the libraries: compiled in a folder of their own each time, so that no option is left
    from another time."""
    options = {"CMAKE_BUILD_TYPE": "Release", "SOS_TESTS": "OFF", "SOS_BENCH": "OFF", "SOS_EXAMPLES": "OFF", "SOS_MPI": "OFF",
               "SOS_PYTHON": "ON", "SOS_PYTHON_EXECUTABLE": sys.executable, "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON"}
    with tempfile.TemporaryDirectory(prefix="s3svm-") as folder:
        build = Path(folder)
        subprocess.run([_cmake(), "-S", TREE, "-B", build, *(f"-D{k}={v}" for k, v in options.items()),
                        *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        subprocess.run([_cmake(), "--build", build, "--target", "s3svm_python", "-j", str(os.cpu_count() or 1)], check=True)
        found = {"_s3svm.abi3.so": (build / "python" / "s3svm" / "_s3svm.abi3.so").read_bytes()}
        for link in [*build.glob("libsos.so"), *build.glob("libs3svm.so")]:
            found[Path(os.readlink(link)).name] = link.read_bytes()  # by its soname, which libNAME.so leads to
    return found


def write_info(folder: str, names: "tuple[str, ...]" = ("METADATA",)) -> str:
    """The folder that says what is installed in this one; by itself, with METADATA alone, for packages of a distribution."""
    info = f"{_stem()}.dist-info"
    (Path(folder) / info).mkdir(parents=True, exist_ok=True)
    for name in names:
        (Path(folder) / info / name).write_bytes(_described(_tag())[name])
    return info


# ---- what pip calls


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return write_info(metadata_directory, ("METADATA", "WHEEL", "entry_points.txt", "LICENSE"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _check_tools()
    info, package = f"{_stem()}.dist-info", TREE / "python" / "s3svm"
    files = {f"s3svm/{path.name}": path.read_bytes()
             for path in [*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed"]}
    files.update({f"s3svm/{name}": content for name, content in _compiled().items()})
    files.update({f"{info}/{name}": content for name, content in _described(_tag()).items()})
    name = f"{_stem()}-{_tag()}.whl"
    write_wheel(Path(wheel_directory) / name, files, info)
    return name


def _sources() -> "list[Path]":
    files = []
    for source in SOURCES:
        path = TREE / source
        files += [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sorted(p for p in files if not LEFT_OUT.search(p.relative_to(TREE).as_posix()))


def build_sdist(sdist_directory, config_settings=None):
    stem = _stem()
    contents = {p.relative_to(TREE).as_posix(): (p.read_bytes(), 0o755 if os.access(p, os.X_OK) else 0o644) for p in _sources()}
    contents["PKG-INFO"] = (_metadata().encode(), 0o644)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (content, mode) in sorted(contents.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, build_time()
            tar.addfile(entry, io.BytesIO(content))
    name = f"{stem}.tar.gz"
    half = Path(sdist_directory) / f"{name}.part"
    half.write_bytes(gzip.compress(archive.getvalue(), 9, mtime=0))
    half.replace(Path(sdist_directory) / name)
    return name
