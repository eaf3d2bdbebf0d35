#!/usr/bin/env bash
# s3svm experiment, end to end: the report and its numbers, and what it says where it cannot run.
set -o pipefail
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# fails CODE WORDS ARGUMENTS...: s3svm ends with that code and says these words.
fails()
{
    local code=$1 words=$2
    shift 2
    "$s3svm" "$@" >out 2>err
    holds "code $code: s3svm $*" test $? -eq "$code"
    holds "'$words': s3svm $*" grep -qF -- "$words" err
}

fails 2 "there is no experiment 'nothing'" experiment nothing
fails 2 "no REPORT given" experiment denoising
fails 2 "--sigma takes up to 15 numbers" experiment denoising --sigma a,b -o r
fails 2 "--sigma must not be negative" experiment denoising --sigma -1 -o r
fails 2 "--size takes width and height" experiment denoising --size 3 -o r
fails 1 "nowhere" experiment denoising --data nowhere -o r
touch file
fails 1 "file" experiment denoising -o file/r

if "$s3svm" make-data denoising drawings --count 4 --size 48x32 >out 2>err; then :; else
    grep -q libpng err && { echo "without libpng there is nothing to test"; exit 77; }
fi
small=(--data drawings --sigma "0.3,0.6" --splits 2 --samples 2000)
"$s3svm" experiment denoising "${small[@]}" -o report >out 2>err
holds "an experiment runs" test $? -eq 0
holds "it prints its table" grep -q "^S3SVM, full" out
holds "it says where the report is" grep -qF "report/index.html" out
for name in index.html results.json results.csv; do holds "it writes $name" test -s "report/$name"; done
holds "nothing else is left" test "$(find report -type f | wc -l)" -eq 3
# noise, split, method: 3 kinds, 2 splits, 12 methods, and the head
holds "a row for each outcome" test "$(wc -l <report/results.csv)" -eq $((3 * 2 * 12 + 1))
holds "the page needs no other file" test -z "$(grep -oE '(src|href)="(https?:)?//[^"]*"' report/index.html)"

"$s3svm" experiment denoising "${small[@]}" --threads 1 -o again >/dev/null 2>err
holds "and again on one thread" test $? -eq 0
holds "the errors are the same" diff <(cut -d, -f1-7 report/results.csv) <(cut -d, -f1-7 again/results.csv)

"$s3svm" experiment denoising --noise shifted --models paper --choose-C --no-curves --count 4 --size 40x32 --splits 1 -o paper >out 2>err
holds "without the full model" test $? -eq 0
holds "it is not in the table" test "$(grep -c full out)" -eq 0

for models in lines odds; do
    "$s3svm" experiment denoising --noise plain --sigma 0.6 --models $models --no-curves --count 4 --size 40x32 --splits 1 \
        --samples 1000 -o "$models" >out 2>err
    holds "$models against pairs" test $? -eq 0
    well_formed "$models/index.html"
done
holds "networks with lines are in the table" grep -qE '^networks, lines +[0-9]' out
holds "and compared" grep -q "^networks, lines *than networks alone" out
holds "long lines as well" grep -q "^networks, long lines *than networks, pairs of long lines" out

"$s3svm" experiment denoising --noise plain --sigma 0.6 --only long-line-pair-tables,long-lines --no-curves --count 4 --size 40x32 \
    --splits 1 -o only >out 2>err
holds "single models" test $? -eq 0
holds "take part alone" test "$(wc -l <only/results.csv)" -eq 4
holds "and are compared" grep -q "^direction, long lines *than direction, pair tables of long lines" out
fails 2 "--only takes a list of networks and models" experiment denoising --only far-counts -o r

fails 2 "--size takes an integer from 64" experiment dashes --size 20 -o r
"$s3svm" experiment dashes --count 6 --size 64 --splits 1 -o dashes >out 2>err
holds "dashes are joined" test $? -eq 0
holds "functions of lines are in the table" grep -qE '^learned functions of lines +[0-9]' out
holds "dashes: a row for each method" test "$(wc -l <dashes/results.csv)" -eq 7
well_formed dashes/index.html

if command -v python3 >/dev/null; then
    holds "results.json is what the table says" python3 - <<'END'
import csv, json
results = json.load(open("report/results.json"))
rows = list(csv.DictReader(open("report/results.csv")))
assert results["images"] == 4 and results["training_images"] == 2 and results["splits"] == 2
assert [(r["noise"], r["sigma"]) for r in results["results"]] == [("plain", 0.3), ("plain", 0.6), ("shifted", 150)]
for result in results["results"]:
    for method in result["methods"]:
        errors = [float(r["error"]) for r in rows if r["method"] == method["method"] and r["noise"] == result["noise"]
                  and float(r["sigma"]) == result["sigma"]]
        assert len(errors) == 2 and abs(sum(errors) / 2 - method["error"]) < 1e-12
        assert errors == [split["error"] for split in method["splits"]]
END
fi
well_formed report/index.html

finish
