#!/usr/bin/env bash
# answers.sh FOLDER - writes into a new folder what must be the same bytes on every machine: labels, energies, models, pictures.  S3SVM
# names the command, SOURCE_DIR the project.  stiff.* come of programs that numbers of 113 bits solve.
set -euo pipefail
s3svm=${S3SVM:?S3SVM must name the command} former=${SOURCE_DIR:?SOURCE_DIR must name the project}/tests/version-0.2
mkdir "$1"
cd "$1"

# quiet ARGUMENTS...: the command, which prints seconds.
quiet() { "$s3svm" "$@" >/dev/null 2>said || { cat said; return 1; }; }

# steady FILE...: models without what differs from run to run.
steady()
{
    for model in "$@"; do
        grep -vE '"(seconds[a-z_]*|command|data)":' "$model" >"$model.steady"
        mv "$model.steady" "$model"
    done
}

for file in "$former"/*.sos "$former"/*.sosb "$former"/*.uai "$former"/*.max; do
    name=$(basename "$file")
    "$s3svm" minimize --json "$file" -o "$name.labels" | grep -E '"(energy|lower_bound)":' >"$name.energy"
done
for name in energy chain concave; do
    quiet convert "$former/$name.sos" $name.sosb
    quiet convert $name.sosb again-$name.sos
done

for name in problem several; do
    quiet train --problem "$former/$name.txt" --C 10 -o $name.json
    quiet predict -m $name.json --problem "$former/$name.txt" -o $name.labels
done
quiet train --problem "$former/problem.txt" --C 1e15 -o stiff.json

if "$s3svm" version | grep -q 'without libpng'; then # which pictures are written with
    steady ./*.json
    rm said
    exit
fi
"$s3svm" make-data denoising drawings --count 4 --size 48x40 --seed 3 >/dev/null
"$s3svm" add-noise drawings --sigma 0.5 >/dev/null
for model in paper far-counts; do
    quiet train denoise --data drawings --model $model --gap 0.05 -o $model.json
    quiet predict -m $model.json drawings/images -o $model
done
quiet segment "$former/photo.ppm" --scribbles "$former/scribbles/photo.pgm" -o photo.pgm
quiet segment "$former/photo.ppm" --marks "$former/outline.json" -o outline.pgm
steady ./*.json
rm said
