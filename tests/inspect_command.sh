#!/usr/bin/env bash
# inspect_command.sh - what s3svm inspect prints, writes and returns.  S3SVM names the command, SOURCE_DIR the project.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

run 0 inspect --help
has out "Usage: s3svm inspect [options] MODEL"
has out "  segment-amn"

# ---- a model made by hand: what is printed is what stands in it ----

cat >tiny.json <<'MODEL'
{
  "format": "s3svm model", "version": 1, "made_by": "a person", "labels": 2,
  "groups": [
    { "name": "grey", "kind": "free", "size": 2, "weights": [[0.5, -0.5], [0, 0]] },
    { "name": "pairs", "kind": "nonnegative", "size": 2, "weights": [0.25, 3] },
    { "name": "patch", "kind": "table", "size": 2, "weights": [0, 1.5, 2, 0.75] },
    { "name": "share", "kind": "count", "size": 3, "shares": [0, 0.25, 1], "anchored": true, "strengths": 2,
      "weights": [[1, 2], [0.5, -1]] }
  ],
  "facts": { "note": "by \"hand\"" }
}
MODEL
run 0 inspect tiny.json
has out '  note         by "hand"'
has out "  weights      14 in 4 groups"
has out "    grey             free, size 2: 4 weights from -0.5 to 0.5, 2 are 0"
has out "    pairs            nonnegative, size 2: 2 weights from 0.25 to 3, 0 are 0"
has out "    patch            table, size 2: 4 weights from 0 to 2, 1 are 0"
has out "       0 1.5 2 0.75"
has out "    share            count, size 3: 4 weights from -1 to 2, 0 are 0"
has out "      shares 0 0.25 1"
has out "      strength 1: 0 0.5 -1"

run 0 inspect tiny.json --json
is labels 2
is weights 14
has out '"note": "by \"hand\""'
has out '"sum_of_squares": 9.0625'
has out '"kind": "count"'
if command -v python3 >/dev/null; then holds "JSON" python3 -m json.tool out /dev/null; fi

# ---- a page ----

cp tiny.json before.json
run 0 inspect tiny.json -o page.html
has page.html "patch"
has page.html "<svg"
has page.html "share, strength 1"
has page.html "What a clique costs by the share of it labelled 1."
has page.html "</html>"
run 1 inspect tiny.json -o ./tiny.json
has err "would be overwritten"
same tiny.json before.json

# ---- models inside; a file of that name wins ----

run 0 inspect segment
has out "  for          segment: "
has out "286 examples of interactive"
cp tiny.json segment
run 0 inspect segment
has out "14 in 4 groups"

# ---- what is wrong ----

run 2 inspect
has err "no MODEL given"
run 2 inspect a b
has err "one MODEL at a time"
run 1 inspect nowhere.json
has err "nowhere.json"
echo '{"format": "s3svm model"' >cut.json
run 1 inspect cut.json
has err "cut.json"

finish
