#!/usr/bin/env bash
# scripts/demo, which make demo runs: one page that begins with pictures, a cut-out first, and is well-formed.
set -o pipefail
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

room=$PWD
(cd "$SOURCE_DIR" && scripts/demo "$s3svm" "$room/demo") >out 2>err
holds "the demo runs" test $? -eq 0
holds "it says where the page is" grep -qF "demo/index.html" out
well_formed demo/index.html
pictures=$(sed '/id="section1"/q' demo/index.html | grep -c '<img alt')
holds "a photograph, strokes, an outline and a cut-out come first" test "$pictures" -eq 4
holds "then drawings" grep -q '<h2 id="section1">Pictures</h2>' demo/index.html
holds "nothing is left half-written" test ! -e demo/index.html.new
finish
