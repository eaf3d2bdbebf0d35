#!/usr/bin/env bash
# segment.sh DATA...: makes segment.json and segment-amn.json, the models for photographs that the command carries inside, from
# folders with images/, labels/ and perhaps scribbles/ and maps/, by simulated dialogues with and without evidence, with a second look
# at outlines.  Those that are here come from the 151 photographs of the paper's experiment and from every third of 589 of COCO, by
# name.  Their maps have two channels of log odds: an automatic background remover (ISNet), and examples/maps/learn_network.py
# --epochs 40, which learned from all 740 in two halves.  S3SVM names the command (build/s3svm).  Takes a quarter of an hour on two
# cores; the same weights come out on every machine.
set -euo pipefail
data=()
for folder in "${@:?which folders of photographs?}"; do data+=(--data "$(realpath "$folder")"); done
cd "$(dirname "$0")"

s3svm=$(realpath "${S3SVM:-../build/s3svm}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

note="49 GrabCut, 99 VOC and 3 matting photographs, scribbled for the experiment of the paper (section 5.2), and 197 COCO photographs with one object each; simulated dialogues, with what two networks say of them as evidence"
for method in amn s3svm; do
    "$s3svm" train segment --dialogues --evidence --outlines "${data[@]}" --method "$method" --cache "$work/cache" --note "${NOTE-$note}" \
        -o "$work/$method.json"
done
mv "$work/s3svm.json" segment.json
mv "$work/amn.json" segment-amn.json
