"""Builds the extension module by CMake, as `make python` does; everything else stands in pyproject.toml."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ABI = "cp311"  # python/CMakeLists.txt: the stable interface of Python 3.11


def version():
    """From the header of the C library: it stands there, and in CMakeLists.txt, which the build compares with it."""
    text = (HERE / "include" / "sos" / "status.h").read_text()
    return ".".join(re.search(rf"#define SOS_VERSION_{part}\s+(\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        options = {"CMAKE_BUILD_TYPE": "Release", "SOS_TESTS": "OFF", "SOS_BENCH": "OFF", "SOS_EXAMPLES": "OFF",
                   "SOS_PYTHON": "ON", "SOS_PYTHON_EXECUTABLE": sys.executable, "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON"}
        cmake = os.environ.get("CMAKE", "cmake")
        further = shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run([cmake, "-S", str(HERE), "-B", str(build), *(f"-D{k}={v}" for k, v in options.items()), *further],
                       check=True)
        subprocess.run([cmake, "--build", str(build), "--target", "s3svm_python", "-j", str(os.cpu_count() or 1)], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python" / "s3svm" / "_s3svm.abi3.so"), str(target))
        soversion = version().rpartition(".")[0]
        for name in ("sos", "s3svm"):  # which the module looks for beside itself
            library = f"lib{name}.so.{soversion}"
            self.copy_file(str((build / library).resolve()), str(target.parent / library))


setup(version=version(), ext_modules=[Extension("s3svm._s3svm", sources=[], py_limited_api=True)],
      cmdclass={"build_ext": CMakeBuild}, options={"bdist_wheel": {"py_limited_api": ABI}})
