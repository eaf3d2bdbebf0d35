#!/bin/bash
# What conda-build runs: PREFIX, SP_DIR, PYTHON and CPU_COUNT are its own.
set -euo pipefail
# shellcheck disable=SC2154  # set by conda-build
cmake -S . -B build ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DSOS_TESTS=OFF -DSOS_BENCH=OFF -DSOS_EXAMPLES=OFF -DSOS_MPI=OFF \
    -DSOS_PYTHON_EXECUTABLE="$PYTHON" -DSOS_PYTHON_INSTALL_DIR="$SP_DIR"
cmake --build build -j "$CPU_COUNT"
cmake --install build
