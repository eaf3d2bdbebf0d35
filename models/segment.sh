#!/usr/bin/env bash
# segment.sh DATA...: makes segment.json and segment-amn.json, the models for photographs that the command carries inside, from
# folders with images/, labels/ and perhaps scribbles/, by simulated dialogues, with a second look at outlines.  Those that are
# here come from the 151 photographs of the paper's experiment and from 589 of COCO.  S3SVM names the command (build/s3svm).
# Takes half an hour on two cores; the same weights come out on every machine.
set -euo pipefail
data=()
for folder in "${@:?which folders of photographs?}"; do data+=(--data "$(realpath "$folder")"); done
cd "$(dirname "$0")"

s3svm=$(realpath "${S3SVM:-../build/s3svm}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

note="49 GrabCut, 99 VOC and 3 matting photographs, scribbled for the experiment of the paper (section 5.2), and 589 COCO photographs with one object each; simulated dialogues"
for method in amn s3svm; do
    "$s3svm" train segment --dialogues --outlines "${data[@]}" --method "$method" --cache "$work/cache" --note "${NOTE-$note}" \
        -o "$work/$method.json"
done
mv "$work/s3svm.json" segment.json
mv "$work/amn.json" segment-amn.json
