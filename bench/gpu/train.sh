#!/usr/bin/env bash
# train.sh S3SVM PHOTOGRAPHS DRAWINGS - training with and without the graphics card, features ready: seconds, and whether the
# weights are the same.  A machine to measure on may have no libraries for pictures: S3SVM may lie beside copies of its own.
set -euo pipefail
s3svm=$1 photographs=$2 drawings=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$s3svm")" && pwd)
export LD_LIBRARY_PATH=$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# once DEVICE THREADS NAME options... - prints what training says of its time
once()
{
    local name=$3-$1-$2
    "$s3svm" train "${@:4}" --device "$1" --threads "$2" -o "$work/$name.json" >"$work/$name.log" 2>&1 ||
        { tail -5 "$work/$name.log"; return 1; }
    printf '%-28s %s\n' "$name" "$(sed -n 's/^  \(minimised\|seconds\) */\1 /p' "$work/$name.log" | tr '\n' ' ')"
}

# weights NAME... - are they the same?
weights()
{
    local name sum first=""
    for name; do
        sum=$(grep -E '^ *\[?-?[0-9]' "$work/$name.json" | sha256sum)
        : "${first:=$sum}"
        [ "$sum" = "$first" ] || { echo "$name: other weights"; return 1; }
    done
    echo "the same weights: $*"
}

segment=(segment --data "$photographs" --split 1 --features paper --cache "$work/cache" --gap 0.02)
pairs=("${segment[@]}" --method amn)
denoise=(denoise --data "$drawings" --model paper --sigma 0.7)
once cpu 16 features "${segment[@]}" --rounds 1
for run in 1 2; do
    for device in cpu card; do
        for threads in 16 2; do
            [ "$device$threads$run" = cpu22 ] || once $device $threads photographs "${segment[@]}"
            [ "$threads" = 2 ] || once $device $threads pairs "${pairs[@]}"
            once $device $threads drawings "${denoise[@]}"
        done
    done
done
weights photographs-cpu-16 photographs-card-16 photographs-card-2
weights pairs-cpu-16 pairs-card-16
weights drawings-cpu-16 drawings-cpu-2 drawings-card-16 drawings-card-2
