#!/usr/bin/env bash
# label_command.sh - s3svm train label, predict, evaluate and experiment corel: what they print, write and return.  S3SVM names
# the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# Pictures of 30 x 20: sky (label 0) above grass (1), on which there may be a box (2); a row without a label (255).
# scene FOLDER NAME HORIZON BOX
scene()
{
    mkdir -p "$1/images" "$1/labels"
    awk -v horizon="$3" -v box="$4" -v labels="$1/labels/$2.pgm" -v picture="$1/images/$2.ppm" 'BEGIN {
        split("100 150 230 50 140 50 200 60 50", colour, " ")
        print "P2 30 20 255" >labels
        print "P3 30 20 255" >picture
        for (y = 0; y < 20; y++)
            for (x = 0; x < 30; x++) {
                label = y < horizon ? 0 : box && x >= box && x < box + 9 && y > horizon && y < horizon + 7 ? 2 : 1
                noise = (x * 7 + y * 13 + horizon * 5 + box) % 17
                for (c = 1; c <= 3; c++) print colour[3 * label + c] + noise >picture
                print y == horizon ? 255 : label >labels
            }
    }'
}

number=0
for horizon in 6 8 10; do
    for box in 3 18; do
        number=$((number + 1))
        scene data "scene$number" "$horizon" "$box"
    done
done

# ---- train, predict, evaluate ----

for model in unary pairwise tables full counts; do
    run 0 train label --data data --model $model --names "sky=0000ff,grass,box=ff0000" --rounds 8 -o $model.json
    has out "$model.json"
    run 0 evaluate -m $model.json --data data --json
    # shellcheck disable=SC2016  # $2 is for awk
    holds "model $model is right on what it has learned" awk -F'[:,]' '/^  "accuracy"/ { right = $2 } END { exit !(right > 0.9) }' out
done
run 0 evaluate -m full.json --data data
has out "(label)"
has out "mean IoU"
has out "grass"
run 0 train label --data data --model tables --names "sky=0000ff,grass,box=ff0000" --rounds 8 --threads 1 -o again.json
weights() { sed '/^  "facts"/,$d' "$1"; }
weights tables.json >first
weights again.json >second
holds "the model is the same on one thread" cmp first second

if run 0 predict -m full.json data/images -o restored; then
    holds "a picture for each" test "$(find restored -name '*.png' | wc -l)" -eq 6
    run 0 predict -m full.json data/images --threads 1 -o one_by_one
    same restored one_by_one
    run 1 predict -m full.json data/images -o restored
    has err "--force"
fi

# ---- rare labels, and labels that do not occur ----

run 0 train label --data data --model unary --names sky,grass,box --balance --rounds 3 -o balanced.json
run 0 train label --data data --model unary --names sky,grass,box --rounds 3 -o plain.json
weights balanced.json >first
weights plain.json >second
differ first second
run 0 train label --data data --model unary --names sky,grass,box,snow --weights 1,1,5,1 --rounds 3 -o weighted.json
has err "label 3, 'snow'"
holds "others are not named" test -z "$(grep box err)"
run 2 train label --data data --names sky,grass,box --weights 1,2 -o x.json
has err "2 weights for 3 labels"
run 1 train label --data data --weights 1,2 -o x.json
has err "2 weights for 3 labels"
run 2 train label --data data --weights 1,0,1 -o x.json
has err "positive"
run 2 train label --data data --weights 1,1,1 --balance -o x.json
has err "balance"

# ---- what is refused ----

run 2 train label --data data
has err "no MODEL"
run 2 train label -o x.json
has err "no --data"
run 2 train label --data data --names one -o x.json
has err "1 label"
run 2 train label --data data --names a,b=zzz -o x.json
has err "colour"
run 2 train label --data data --void 300 -o x.json
run 1 train label --data nowhere -o x.json
has err "nowhere"
run 1 train label --data data --names sky,grass -o x.json
has err "label 2, but there are 2 labels"
run 1 train label --data data --void -1 --names sky,grass,box -o x.json
has err "label 255"
holds "no model is left by a failure" test ! -e x.json
scene one a 20 0
run 1 train label --data one -o x.json
has err "one label only"
scene odd a 9 3
scene odd b 9 4
sed -i '3s/.*/9/' odd/labels/b.pgm
run 1 evaluate -m full.json --data odd
has err "b.pgm"
has err "label 9, but there are 3 labels"

# ---- the experiment ----

run 2 experiment corel -o report
has err "no --data"
run 2 experiment corel --data data
has err "no REPORT"
run 2 experiment corel --data data --models unary,cliques -o report
has err "--models takes a list of unary|pairwise"
run 1 experiment corel --data data --names sky,grass -o report
has err "label 2"
run 1 experiment corel --data data --names sky,grass,box --train 6 -o report
has err "6 for training leave none"
small=(--data data --names "sky,grass,box" --splits 2 --seconds 3)
run 0 experiment corel "${small[@]}" --models unary,counts -o some
has out "Potts and counts"
holds "nobody else took part" test "$(grep -c '"method": ' some/results.json)" -eq 2
run 0 experiment corel "${small[@]}" -o report
has out "Learned 2x2 tables"
has out "report/index.html"
for name in index.html results.json results.csv; do holds "it writes $name" test -s "report/$name"; done
holds "a row for each outcome" test "$(wc -l <report/results.csv)" -eq 9
has report/index.html "grass"
if command -v python3 >/dev/null; then
    cat >check.py <<'END'
import csv, json
results = json.load(open("report/results.json"))
rows = list(csv.DictReader(open("report/results.csv")))
assert results["images"] == 6 and results["training_images"] == 3 and results["labels"] == ["sky", "grass", "box"]
answers = 0
for method in results["results"]:
    right = [float(r["accuracy"]) for r in rows if r["method"] == method["method"]]
    assert len(right) == 2 and abs(sum(right) / 2 - method["accuracy"]) < 1e-12
    for split in method["splits"]:
        assert split["approximate"] == (split["rounds"] > 0) and split["oracle_beaten"] <= split["oracle_calls"]
        answers += split["oracle_calls"]
        counts = split["confusion"]
        assert sum(map(sum, counts)) == 3 * 30 * 19  # a row of each picture has no label
        assert abs(sum(counts[i][i] for i in range(3)) / sum(map(sum, counts)) - split["accuracy"]) < 1e-12
assert f"of {answers} answers were worse than an earlier one" in open("report/index.html").read()
END
    holds "the report says the same everywhere" python3 check.py
fi
well_formed report/index.html

finish
