#!/usr/bin/env bash
# interactive_command.sh - s3svm experiment interactive: what it prints, writes and returns.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
export XDG_CACHE_HOME=$work/cache

# A red box of 12 x 9 on a blue ground of 32 x 24, its rim unsure; a scribble in its middle, and one along the upper border.
# scene FOLDER NAME LEFT TOP
scene()
{
    mkdir -p "$1/images" "$1/labels" "$1/scribbles"
    awk -v left="$3" -v top="$4" -v picture="$1/images/$2.ppm" -v labels="$1/labels/$2.pgm" -v marks="$1/scribbles/$2.pgm" \
        'BEGIN {
        print "P3 32 24 255" >picture
        print "P2 32 24 255" >labels
        print "P2 32 24 255" >marks
        for (y = 0; y < 24; y++)
            for (x = 0; x < 32; x++) {
                u = x - left
                v = y - top
                inside = u >= 0 && u < 12 && v >= 0 && v < 9
                rim = inside && (u == 0 || u == 11 || v == 0 || v == 8)
                noise = (x * 7 + y * 13 + left * 5 + top * 3) % 29
                print (inside ? 170 : 60) + noise, 70 + noise, (inside ? 60 : 160) + noise >picture
                print (rim ? 128 : inside ? 255 : 0) >labels
                print (v == 4 && u > 2 && u < 9 ? 1 : y == 0 ? 2 : 0) >marks
            }
    }'
}

for number in 1 2 3 4 5 6 7; do scene data "scene$number" $((2 * number)) $((2 + number)); done

# ---- what is refused ----

run 2 experiment interactive -o report
has err "no --data"
run 2 experiment interactive --data data
has err "no REPORT"
run 2 experiment interactive --data data --methods magic -o report
has err "not 'magic'"
run 2 experiment interactive --data data --splits 0 -o report
run 1 experiment interactive --data nowhere -o report
has err "nowhere"
run 2 experiment interactive --data data --C 3,2 -o report
has err "increasing numbers"
run 2 experiment interactive --data data --methods "" -o report
has err "--methods: a list of grabcut"
run 1 experiment interactive --data data --train 5 -o report
has err "none for testing"
touch file
run 1 experiment interactive --data data --methods grabcut -o file/report
has err "file"
run 1 experiment interactive --data data --methods grabcut --cache file -o report
has err "file"
cp -r data bare
rm bare/scribbles/scene3.pgm
run 1 experiment interactive --data bare --methods grabcut -o report
has err "scene3"
cp -r data odd
sed -i '3s/.*/7/' odd/scribbles/scene2.pgm
run 1 experiment interactive --data odd --methods grabcut -o report
has err "scene2.pgm"
holds "there is no report of what failed" test ! -e report/index.html

# ---- the experiment ----

rm -rf cache
small=(--data data --splits 2 --samples 150 --methods "grabcut,amn,full")
run 0 experiment interactive "${small[@]}" --threads 1 --no-cache -o report
has out "S3SVM, full features"
has out "report/index.html"
has err "split 2, AMN"
holds "no cache is made" test ! -e cache
for name in index.html results.json results.csv; do holds "it writes $name" test -s "report/$name"; done
holds "nothing else is left" test "$(find report -type f | wc -l)" -eq 3
# split, method, image: 2 splits, 3 methods, 2 of 7 images, and the head
holds "a row for each image" test "$(wc -l <report/results.csv)" -eq $((2 * 3 * 2 + 1))
holds "the page needs no other file" test -z "$(grep -oE '(src|href)="(https?:)?//[^"]*"' report/index.html)"

run 0 experiment interactive "${small[@]}" --threads 2 -o again
holds "a cache is made" test -d cache/s3svm
holds "the errors are the same" diff <(cut -d, -f1-7 report/results.csv) <(cut -d, -f1-7 again/results.csv)
run 0 experiment interactive "${small[@]}" --methods full,amn-full --splits 1 --size 16 -o smaller
has out "AMN, full features"
holds "what was not asked for is not in the table" test "$(grep -c GrabCut out)" -eq 0

if command -v python3 >/dev/null; then
    cat >check.py <<'END'
import csv, json, statistics
results = json.load(open("report/results.json"))
rows = list(csv.DictReader(open("report/results.csv")))
assert (results["images"], results["training_images"], results["validation_images"], results["test_images"]) == (7, 3, 2, 2)
names = {f"scene{i}" for i in range(1, 8)}
for split in results["pictures"]:
    parts = [set(split[part]) for part in ("train", "validation", "test")]
    assert [len(part) for part in parts] == [3, 2, 2] and set.union(*parts) == names
assert [method["method"] for method in results["results"]] == ["grabcut", "amn", "full"]
# in all of them 12 * 9 pixels are inside, of which the rim of 2 * 12 + 2 * 7 counts as background
assert abs(results["error_all_background"] - (12 * 9 - 38) / (32 * 24)) < 1e-12
edges = 0
for method in results["results"]:
    errors = []
    for split in method["splits"]:
        mine = [r for r in rows if r["method"] == method["method"] and int(r["split"]) == split["split"]]
        assert {r["image"] for r in mine} == set(results["pictures"][split["split"]]["test"])
        assert [i["name"] for i in split["images"]] == [r["image"] for r in mine]
        for key in ("error", "error_without_unsure", "iou"):
            assert abs(statistics.mean(float(r[key]) for r in mine) - split[key]) < 1e-12
        errors.append(split["error"])
        if method["method"] != "grabcut":
            least = min(p["validation_error"] for p in split["path"])
            assert split["C"] == next(p["C"] for p in split["path"] if p["validation_error"] == least)
            ends = {split["path"][0]["C"]: "smallest", split["path"][-1]["C"]: "largest"}
            assert split.get("C_edge") == ends.get(split["C"])
            edges += split["C"] in ends
    assert abs(statistics.mean(errors) - method["error"]) < 1e-12
    assert abs(statistics.stdev(errors) - method["deviation"]) < 1e-12
said = f"In {edges} of 4 choices the best C was the smallest or the largest one tried"
assert (said in open("report/index.html").read()) == (edges > 0), edges
END
    holds "the report says the same everywhere" python3 check.py
fi
well_formed report/index.html

# ---- Ctrl-C ----

# interrupt WORDS ARGUMENTS...: Ctrl-C once these words are said; the code lands in code.
interrupt()
{
    local words=$1 tries=0
    shift
    start "$@"
    until grep -qF -- "$words" err || ! kill -0 "$process" 2>/dev/null || [ $((tries += 1)) -gt 600 ]; do sleep 0.05; done
    kill -INT "$process"
    wait "$process"
    code=$?
}

interrupt "split 2, GrabCut" experiment interactive "${small[@]}" --splits 1000 --methods grabcut -o cut
holds "Ctrl-C ends it" test "$code" -eq 130
has err "of 1000 splits"
holds "what was complete is reported" test -s cut/index.html
has cut/results.json '"splits_planned": 1000'

finish
