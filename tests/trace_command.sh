#!/usr/bin/env bash
# s3svm train, predict, evaluate and experiment for thin structures, end to end: what is written, and what it says.
set -o pipefail
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# picture KIND SEED: dark lines two to four pixels wide in noise, on a ground that grows darker to the right, or their labels; a
# frame of the labels does not count.
picture()
{
    awk -v kind="$1" -v seed="$2" 'BEGIN {
        srand(seed); w = 64; h = 48
        for (k = 0; k < 3; k++) {
            a = rand() * 3.14159; dx[k] = cos(a); dy[k] = sin(a); x0[k] = rand() * w; y0[k] = rand() * h; r[k] = 1 + rand()
        }
        printf "P2 %d %d 255\n", w, h
        for (y = 0; y < h; y++) for (x = 0; x < w; x++) {
            on = 0
            for (k = 0; k < 3; k++) {
                d = (x - x0[k]) * dy[k] - (y - y0[k]) * dx[k]
                if (d * d < r[k] * r[k]) on = 1
            }
            noise = (rand() + rand() + rand() - 1.5) * 30
            framed = x < 2 || y < 2 || x >= w - 2 || y >= h - 2
            print kind == "labels" ? (framed ? 128 : on ? 255 : 0) : int(200 - x / 2 - (on ? 50 : 0) + noise)
        }
    }'
}

mkdir -p data/images data/labels
for i in 1 2 3 4 5 6; do
    for kind in images labels; do picture $kind $i >data/$kind/$i.pgm; done
done

"$s3svm" train trace --data data --samples 6000 --gap 0.1 -o model.json >out 2>err
holds "training ends well" test $? -eq 0
"$s3svm" inspect model.json >out 2>err
holds "a model says what it is for" grep -q trace out
"$s3svm" predict -m model.json data/images -o traced >out 2>err
code=$?
grep -q libpng err && { echo "without libpng there is nothing to test"; exit 77; }
holds "predicting ends well" test $code -eq 0
for ending in .png .svg .geojson -overlay.png; do holds "it writes 1$ending" test -s "traced/1$ending"; done
holds "nothing else is left" test "$(find traced -type f | wc -l)" -eq 24
holds "an SVG has lines with widths" grep -q '<polyline stroke-width="[0-9.]*" points="' traced/1.svg
if command -v python3 >/dev/null; then
    holds "GeoJSON is JSON of lines" python3 -c '
import json
with open("traced/1.geojson") as file: found = json.load(file)
assert found["type"] == "FeatureCollection" and found["features"]
for one in found["features"]:
    assert one["geometry"]["type"] in ("LineString", "Point") and one["properties"]["width"] >= 1
    if one["geometry"]["type"] == "LineString":
        points = one["geometry"]["coordinates"]
        assert len(points) == len(one["properties"]["widths"]) >= 2
        assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1 for a, b in zip(points, points[1:]))
'
fi

"$s3svm" evaluate -m model.json --data data --json >scores.json 2>err
holds "evaluating ends well" test $? -eq 0
for name in f1 f1_within_2 cldice breaks; do holds "it says $name" grep -q "\"$name\"" scores.json; done
"$s3svm" evaluate -m model.json --data data >out 2>err
# shellcheck disable=SC2016  # $2 is for awk
holds "it has found the lines" awk '/^  f1 / { exit !($2 > 0.8) }' out

"$s3svm" experiment trace --data data --folds 2 --samples 6000 --C 1000 -o report >out 2>err
holds "the experiment runs" test $? -eq 0
holds "it prints its table" grep -q "^Tables along lines" out
for name in index.html results.json results.csv; do holds "it writes $name" test -s "report/$name"; done
# 6 pictures, 4 methods, 7 thresholds, and the head
holds "a row for each picture, method and threshold" test "$(wc -l <report/results.csv)" -eq $((6 * 4 * 7 + 1))
for fold in 1 2; do "$s3svm" experiment trace --data data --folds 2 --samples 6000 --fold $fold --C 1000 -o "fold-$fold" >out 2>err; done
holds "folds make up all" diff <(sort report/results.csv) <(sort -u fold-1/results.csv fold-2/results.csv)
"$s3svm" experiment trace --data data --folds 2 --samples 6000 --fold 1 --C 1000 --known -o known >out 2>err
holds "weights that know the truth" test $? -eq 0
holds "are beside the others" grep -q "^Tables that know truth" out
holds "and change none of them" diff <(grep -v "know truth" known/results.csv) fold-1/results.csv
"$s3svm" experiment trace --data data --folds 2 --samples 6000 --fold 3 -o other >out 2>err
holds "there is no third fold" test $? -eq 2
"$s3svm" experiment trace --data data --folds 4 -o other >out 2>err
holds "folds need pictures" test $? -eq 1
cp -r data damaged
picture=$(find damaged/images -type f | sort | tail -n 1)
head -c 60 "$picture" >short && mv short "$picture"
"$s3svm" experiment trace --data damaged --folds 2 -o other >out 2>err
holds "a damaged picture is an error" test $? -eq 1
has err "$picture"
"$s3svm" train trace --data data --missed 0 -o other.json >out 2>err
holds "missing costs something" test $? -eq 2
finish
