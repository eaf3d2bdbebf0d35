#!/usr/bin/env bash
# calibrate_command.sh - s3svm calibrate, calibrated maps in segment, and folders of photographs that nobody marked.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

data() { python3 "$SOURCE_DIR/tests/maps_data.py" "$@" || exit 1; }

data set segment 6 3 odds
rm set/labels/p5.pgm

# ---- a calibration: learned, written, used ----

run 0 calibrate set -o c.json --json
is numbers '"odds"'
is pictures 5
has out '"others": {'
has c.json '"format": "s3svm calibration"'
cp out first
run 0 calibrate set -o c.json --json --threads 1
same out first
run 0 calibrate set -o honest
has out "maps         6"
run 0 calibrate set --calibration c.json -o again
same honest again
run 1 calibrate set --calibration c.json -o again
has err "already exists; --force replaces it"
run 0 calibrate set --calibration c.json -o again --force

# calibrated once, there is next to nothing left to do
run 0 calibrate set --maps honest --json
holds "scale is near 1" awk -v "x=$(value scale)" 'BEGIN { exit !(x > 0.9 && x < 1.1) }'

# ---- a folder without marks ----

rm -r set/scribbles
run 0 segment set --maps set/maps -o found --json
has out '"list": "found/unsure.csv"'
holds "seven lines" test "$(wc -l <found/unsure.csv)" = 7
# shellcheck disable=SC2016  # awk's own
holds "the least sure comes first" awk -F, 'NR > 1 { if (NR > 2 && $2 > last) wrong = 1; last = $2 } END { exit wrong }' found/unsure.csv
holds "six masks" test "$(names found/masks)" = "p0.png p1.png p2.png p3.png p4.png p5.png "
cp found/unsure.csv before.csv
cp found/masks/p0.png mask.png
rm found/cutouts/p3.png found/unsure.csv
run 0 segment set --maps set/maps -o found
has out "skipped      5: they were there"
same found/unsure.csv before.csv
run 0 segment set --maps set/maps --calibration c.json -o other
differ other/unsure.csv before.csv
run 0 segment set --maps set/maps -o found --force
same found/masks/p0.png mask.png

# one of them fails, and the others are done
rm -r found
truncate -s 300 set/maps/p1.npy
run 1 segment set --maps set/maps -o found
has err "set/maps/p1.npy"
has err "1 of 6 pictures failed"
holds "six lines" test "$(wc -l <found/unsure.csv)" = 6

# ---- what is refused ----

run 1 calibrate set
has err "set/maps/p1.npy"
run 2 calibrate
has err "no DATA given"
run 2 calibrate set --calibration c.json
has err "--calibration needs -o DIR"
run 1 calibrate found
has err "found/maps"
run 2 segment set/images/p0.ppm --click 3,3 --calibration c.json -o x.png
has err "--calibration needs --maps"
echo '{}' >wrong.json
run 1 segment set --maps set/maps --calibration wrong.json -o x
has err "'wrong.json': it is no calibration of maps"
data two segment 4 3 two
run 1 calibrate two
has err "has 2 channels; evidence has one"
missing x.png
finish
