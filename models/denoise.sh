#!/usr/bin/env bash
# Makes denoise.json, the model that the command carries inside: drawings of our own, noise of several strengths.
# S3SVM names the command (build/s3svm).  Takes some minutes; the same weights come out on every machine.
set -euo pipefail
cd "$(dirname "$0")"

s3svm=$(realpath "${S3SVM:-../build/s3svm}")
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

make=(make-data denoising drawings --count 20 --size 400x200 --seed 7)
"$s3svm" "${make[@]}"
"$s3svm" train denoise --data drawings --noise plain --sigma 0.1,0.3,0.5,0.7,1 --model full \
    --note "drawings made by: s3svm ${make[*]}" -o denoise.json
mv denoise.json "$here/denoise.json"
