#!/usr/bin/env bash
# segment.sh DATA: makes segment.json and segment-amn.json, the models for photographs that the command carries inside, from a
# folder with images/, scribbles/ and labels/.  Those that are here come from the 151 photographs of the paper's experiment.
# S3SVM names the command (build/s3svm).  Takes some minutes; the same weights come out on every machine.
set -euo pipefail
data=$(realpath "${1:?which folder of photographs?}")
cd "$(dirname "$0")"

s3svm=$(realpath "${S3SVM:-../build/s3svm}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

note="49 GrabCut, 99 VOC and 3 matting photographs, scribbled for the experiment of the paper (section 5.2)"
for method in s3svm amn; do
    "$s3svm" train segment --data "$data" --method "$method" --cache "$work/cache" --note "${NOTE-$note}" -o "$work/$method.json"
done
mv "$work/s3svm.json" segment.json
mv "$work/amn.json" segment-amn.json
