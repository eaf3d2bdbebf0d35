#!/usr/bin/env bash
# Installs into a scratch prefix and runs the code blocks of README.md and docs/*.md there (run.py).  Needs SOURCE_DIR,
# BUILD_DIR, CMAKE and LIBDIR, as tests/CMakeLists.txt sets them.
set -euo pipefail

for tool in python3 pkg-config; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
"$CMAKE" --install "$BUILD_DIR" --prefix "$prefix" >/dev/null
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig LD_LIBRARY_PATH=$prefix/$LIBDIR
python3 "$SOURCE_DIR/tests/docs/run.py" "$SOURCE_DIR" "$@"
