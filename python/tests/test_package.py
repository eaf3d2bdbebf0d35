"""The source distribution builds alone, and what it builds is whole."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))

pytestmark = pytest.mark.skipif(not (SOURCE / "python" / "packaging").exists() or not shutil.which(os.environ.get("CMAKE", "cmake")),
                                reason="no tree to build from")


def run(*command, cwd, **environment):
    """Quick to compile rather than quick; and nothing of the build that runs the test."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
    env.update(CMAKE_ARGS="-DCMAKE_C_FLAGS_RELEASE=-O0", PIP_NO_INDEX="1", **environment)
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Made from a copy: the tree stays as it is."""
    tree = tmp_path_factory.mktemp("tree") / "s3svm"
    shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns("build", ".git", "dist", "*.egg-info", "docs", "__pycache__"))
    backend = "import s3svm_backend as b, sys; print(b.build_sdist(sys.argv[1]))"
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    for folder in (first, second):
        run(sys.executable, "-B", "-c", backend, folder, cwd=tree, PYTHONPATH=str(tree / "python" / "packaging"))
    archive, = first.glob("*.tar.gz")
    assert archive.read_bytes() == (second / archive.name).read_bytes()
    return archive


def test_the_sdist_has_what_it_needs(sdist):
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    for wanted in ("pyproject.toml", "python/packaging/s3svm_backend.py", "PKG-INFO", "LICENSE", "CMakeLists.txt", "cmake/embed.cmake", "include/sos/sos.h",
                   "src/minimize/flow.c", "models/denoise.json", "python/src/module.c", "python/s3svm/py.typed",
                   "python/s3svm/_s3svm.pyi", "python/exports.map", "python/tests/test_energy.py", "python/README.md"):
        assert wanted in names, wanted
    assert not [name for name in names if name.endswith((".so", ".pyc", ".o"))]


def test_the_wheel_is_built_from_it_and_works(sdist, tmp_path):
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, sdist, cwd=tmp_path)
    wheel, = tmp_path.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
        metadata = z.read(next(n for n in names if n.endswith("METADATA"))).decode()
        z.extractall(tmp_path / "site")
    for wanted in ("s3svm/__init__.py", "s3svm/_s3svm.abi3.so", "s3svm/_s3svm.pyi", "s3svm/py.typed"):
        assert wanted in names, wanted
    assert len([name for name in names if name.startswith(("s3svm/libsos.so.", "s3svm/libs3svm.so."))]) == 2, names
    version = run(sys.executable, "-c", "import s3svm; print(s3svm.__version__)", cwd=tmp_path,
                  PYTHONPATH=str(tmp_path / "site")).strip()
    assert f"Version: {version}\n" in metadata and f"s3svm-{version}-" in wheel.name and "Requires-Dist: numpy" in metadata
    out = run(sys.executable, "-c", "import numpy, s3svm; print(s3svm.minimize(numpy.array([[0.0, 1], [1, 0]])).labels)",
              cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert out.strip() == "[0 1]"
    exported = subprocess.run(["nm", "-D", "--defined-only", tmp_path / "site/s3svm/_s3svm.abi3.so"], capture_output=True,
                              text=True).stdout
    assert not exported or [line.split()[-1] for line in exported.splitlines()] == ["PyInit__s3svm"]
