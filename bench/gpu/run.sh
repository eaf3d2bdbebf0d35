#!/usr/bin/env bash
# run.sh [FILE.grid...] - builds bench/gpu/card.cpp by nvcc alone, checks the card and times the files (convert.py makes them).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build/gpu}
mkdir -p "$build"
flags=(-std=c++17 -O3 "-I$root/src" "-I$root/include")
nvcc "${flags[@]}" "-arch=${ARCH:-native}" -c "$root/src/cuda/card.cu" -o "$build/card.o" &
g++ "${flags[@]}" -c "$root/src/cuda/simulate.cpp" -o "$build/simulate.o"
g++ "${flags[@]}" -c "$root/bench/gpu/card.cpp" -o "$build/bench.o"
wait $!
nvcc "-arch=${ARCH:-native}" "$build/card.o" "$build/simulate.o" "$build/bench.o" -o "$build/card"
"$build/card" "$@"
