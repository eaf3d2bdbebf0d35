#!/usr/bin/env bash
# former_command.sh - files that s3svm 0.2.0 wrote (tests/version-0.2) are read as they were meant, or refused with the version that
# reads them.  S3SVM names the command, SOURCE_DIR the project.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
former=${SOURCE_DIR:?SOURCE_DIR must name the project}/tests/version-0.2

while read -r file energy labels; do
    run 0 minimize --json "$former/$file" -o labels.txt
    is energy "$energy"
    holds "$file: the labels of then" test "$(tr -d '\n' <labels.txt)" = "$labels"
done <"$former/energies.answers"
run 0 convert "$former/energy.sosb" again.sos
same again.sos "$former/energy.sos"

run 0 predict -m "$former/model.json" --problem "$former/problem.txt" -o labels
same labels "$former/labels"
run 0 predict -m "$former/several.json" --problem "$former/several.txt" -o several
same several "$former/several.labels"
cp "$former/state" state
run 1 train --problem "$former/problem.txt" --C 10 --checkpoint state -o model.json
has err "'state' is a checkpoint of s3svm 0.2"
missing model.json
same state "$former/state"

if "$s3svm" version | grep -q 'without libpng'; then # what else there is are pictures
    finish
    exit
fi

# Kinds of models that are designs of the experiments since: what 0.2 trained is used with the errors that 0.2 had.
run 0 make-data denoising drawings --count 2 --size 64x48 --seed 5
run 0 evaluate -m "$former/denoise-pairs8.json" --data drawings --sigma 0.5 --json
is error 0.06412760416666666
run 0 evaluate -m "$former/denoise-lines.json" --data drawings --sigma 0.5 --json
is error 0.04036458333333333
run 1 train denoise --data drawings --sigma 0.5 --from "$former/denoise-lines.json" -o model.json
has err 'is "lines": it can be used, but only s3svm 0.2 can train such models'
missing model.json

# ---- models for pictures, and lists of marks: today's labels are those of then, pixel by pixel ----

# model NAME: a copy of the model, decompressed
model() { if [ -e "$former/$1" ]; then cat "$former/$1"; else gzip -dc "$former/$1.gz"; fi >"$1"; }

# judged NAME PICTURE [MAPS]: the labels that NAME.json gives the picture are those of NAME.png
judged()
{
    local name
    name=$(basename "${2%.*}")
    rm -rf data
    mkdir -p data/images data/labels data/maps
    cp "$former/$2" data/images
    cp "$former/$1.png" "data/labels/$name.png"
    [ $# -lt 3 ] || cp "$former/$3" data/maps
    model "$1.json"
    run 0 evaluate -m "$1.json" --data data --json
    holds "$1: $(value error | head -n 1) of the labels are others" test "$(value error | head -n 1)" = 0
}
judged denoise-paper noisy.pgm
judged denoise-full noisy.pgm
judged denoise-maps noisy.pgm maps/noisy.npy
judged label-full photo.ppm

for name in segment-paper segment-amn; do
    model $name.json
    run 0 segment "$former/photo.ppm" --scribbles "$former/scribbles/photo.pgm" -m $name.json -o $name.pgm
    same $name.pgm "$former/$name.pgm"
done
for kind in outline scribbles; do
    run 0 segment "$former/photo.ppm" --marks "$former/$kind.json" -m segment-paper.json -o $kind.pgm
    same $kind.pgm "$former/$kind.pgm"
done

finish
