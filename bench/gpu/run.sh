#!/usr/bin/env bash
# run.sh [--check|--zoo|--alone] [FILE.grid...] - builds libsos, libsos-cuda and bench/gpu/card.cpp by nvcc and gcc alone, checks the
# card and times the files (convert.py makes them).  --check: few cases, for tools that make a run slow; --zoo: energies that should
# be hard; --alone: the card without the library.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build/gpu}
arch=${ARCH:-native}
flags=(-O3 "-I$root/src" "-I$root/include" -fopenmp)
mkdir -p "$build"

# compile NAME SOURCE flags... - one object; the flow has several of one source
compile() { gcc -std=gnu17 "${flags[@]}" -ffp-contract=off -fPIC "${@:3}" -c "$root/src/$2" -o "$build/$1.o"; }

rm -f "$build"/*.o
nvcc -std=c++17 -O3 "-I$root/src" "-I$root/include" "-arch=$arch" -Xcompiler -fPIC -shared "$root/src/cuda/card.cu" \
    -o "$build/libsos-cuda.so" &
for file in "$root"/src/base/*.c "$root"/src/energy/*.c "$root"/src/minimize/*.c; do
    name=${file#"$root"/src/}
    case $name in minimize/flow.c) continue ;; esac
    compile "${name//\//_}" "$name" -DSOS_HAVE_AVX2=1 &
done
for bits in 32 64; do
    for k in 2 4 9 0; do
        sizes=("-DCOST_BITS=$bits" "-DK=$k" -Wno-psabi)
        compile "baseline_${bits}_$k" minimize/flow.c -DSOS_FLOW_ISA=baseline "${sizes[@]}" &
        compile "avx2_${bits}_$k" minimize/flow.c -DSOS_FLOW_ISA=avx2 "${sizes[@]}" -mavx2 -mbmi -mbmi2 &
    done
done
g++ -std=c++17 "${flags[@]}" -c "$root/src/cuda/simulate.cpp" -o "$build/simulate.o" &
g++ -std=c++17 "${flags[@]}" -c "$root/bench/gpu/card.cpp" -o "$build/bench.o" &
wait
g++ -fopenmp "$build"/*.o "$build/libsos-cuda.so" "-Wl,-rpath,$build" -lm -ldl -o "$build/card"
"$build/card" "$@"
