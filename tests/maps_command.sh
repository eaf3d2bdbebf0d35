#!/usr/bin/env bash
# maps_command.sh - features of one's own, maps/NAME.npy, from training to prediction: for each task and each kind.  S3SVM names
# the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

# data FOLDER TASK COUNT SEED KIND
data() { python3 "$SOURCE_DIR/tests/maps_data.py" "$@" || exit 1; }

# steady FILE OUT: a model without what differs from run to run
steady() { grep -vE '"(seconds[a-z_]*|command)":' "$1" >"$2"; }

# better MODEL DATA TIMES THAN: the model has so many times less wrong pixels than THAN, a number
better()
{
    run 0 evaluate -m "$1" --data "$2" --json
    holds "$1: $(value error | head -n 1) is not $3 times below $4" \
        awk -v "x=$(value error | head -n 1)" -v "k=$3" -v "y=$4" 'BEGIN { exit !(x != "" && k * x < y) }'
}

# spoil FILE BYTE TEXT: writes over the file from that byte on
spoil() { printf "%b" "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# ---- drawings: all kinds, beside the features and alone; same bits for any number of threads ----

for kind in odds two; do
    data "learn-$kind" denoise 6 1 "$kind"
    data "test-$kind" denoise 4 2 "$kind"
done
run 0 train denoise --data learn-odds --model paper -o plain.json
has err "'learn-odds/maps' is not used: --maps weights, odds or bins says how"
run 0 evaluate -m plain.json --data test-odds --json
plain=$(value error | head -n 1)
for how in "odds odds" "two weights" "two bins" "odds odds --maps-alone" "two weights --maps-alone" "two bins --maps-alone"; do
    read -r set kind alone <<<"$how"
    run 0 train denoise --data "learn-$set" --model paper --maps "$kind" ${alone:+"$alone"} -o maps.json --threads 1
    run 0 train denoise --data "learn-$set" --model paper --maps "$kind" ${alone:+"$alone"} -o maps2.json --threads 2
    steady maps.json a.txt
    steady maps2.json b.txt
    same a.txt b.txt
    has maps.json "\"kind\": \"$kind\""
    better maps.json "test-$set" 4 "$plain"
    run 0 predict -m maps.json "test-$set" -o one --threads 1 --force
    run 0 predict -m maps.json "test-$set/images" --maps "test-$set/maps" -o two --threads 2 --force
    same one two
done
run 0 train denoise --data learn-odds --maps odds --maps-alone -o full.json
better full.json test-odds 4 "$plain"
run 0 train denoise --data learn-two --validation test-two --model paper --C 100,1000 --maps bins --maps-alone -o maps.json
run 0 inspect maps.json
has out "needs        maps/NAME.npy of 2 channels for each picture"

# ---- labels and photographs: each kind, threads, a second folder to choose C by ----

# learned TASK PLAIN KIND OPTIONS...: the model, maps.json, has the same bits for any number of threads and is better
learned()
{
    local task=$1 plain=$2 kind=$3
    shift 3
    run 0 train "$task" --data "$task" --maps "$kind" "$@" -o maps.json --threads 1
    run 0 train "$task" --data "$task" --maps "$kind" "$@" -o maps2.json --threads 2
    steady maps.json a.txt
    steady maps2.json b.txt
    same a.txt b.txt
    better maps.json "$task-test" 2 "$plain"
    run 0 predict -m maps.json "$task-test" -o one --threads 1 --force
    run 0 predict -m maps.json "$task-test" -o two --threads 2 --force
    same one two
}

data label label 5 1 logits
data label-test label 3 2 logits
run 0 train label --data label --model unary --rounds 20 -o plain-label.json
has err "'label/maps' is not used"
run 0 evaluate -m plain-label.json --data label-test --json
plain_label=$(value error | head -n 1)
learned label "$plain_label" odds --model pairwise --maps-alone
learned label "$plain_label" weights --model pairwise --maps-alone
learned label "$plain_label" bins --model pairwise --maps-alone --validation label-test --C 100,1000
run 0 train label --data label --model full --maps odds -o maps.json --gap 0.1
better maps.json label-test 3 "$plain_label"
for picture in label/labels/*.pgm; do spoil "$picture" 700 "\0377\0377\0377\0377"; done # pixels without a label
run 0 train label --data label --model pairwise --maps odds --maps-alone -o maps.json
better maps.json label-test 3 "$plain_label"
run 1 train label --data label --model pairwise --maps odds --maps-alone --names a,b -o x.json
run 1 predict -m maps.json label/images/p0.ppm --maps . -o none
has err "there are no maps 'p0.npy' in './'"

data segment segment 5 1 two
data segment-test segment 3 2 two
run 0 train segment --data segment --method amn --features paper -o plain-segment.json
has err "'segment/maps' is not used"
run 0 evaluate -m plain-segment.json --data segment-test --json
plain_segment=$(value error | head -n 1)
learned segment "$plain_segment" weights --method amn --maps-alone
learned segment "$plain_segment" bins --method amn --features paper
data segment segment 5 1 odds
data segment-test segment 3 2 odds
learned segment "$plain_segment" odds --method s3svm --maps-alone --rounds 30
data segment segment 5 1 two
data segment-test segment 3 2 two
run 0 train segment --data segment --validation segment-test --method amn --maps weights --maps-alone -o maps.json
has maps.json '"model": "none"'

# one photograph, many, and one that is reduced
run 0 predict -m maps.json segment-test -o masks
run 0 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm --maps segment-test/maps/p1.npy -m maps.json --specks 0 -o p1.png
same masks/p1.png p1.png
run 0 segment segment-test -m maps.json --specks 0 -o many
same masks many/masks
run 0 segment segment-test/images -m maps.json --maps segment-test/maps --specks 0 -o many --force
same masks many/masks
run 0 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm --maps segment-test/maps/p1.npy -m maps.json --pixels 400 -o small.png
has out "solved       at 1/2 of the sides"
run 1 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm -m maps.json -o none.png
has err "maps.json: the model needs maps of 2 channels: --maps names the file"
run 1 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm -m maps.json --maps learn-odds/maps/p1.npy -o none.png
has err "the maps have 1 channels; the model needs 2"
run 1 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm --maps segment-test/maps/p1.npy -o none.png
has err "the maps have 2 channels; evidence has one"
run 1 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm --maps segment-test/maps/p1.npy -m plain-segment.json -o none.png
has err "maps were given, but the model was trained without maps"
run 1 segment segment-test/images/p1.ppm -s segment-test/scribbles/p1.pgm --method grabcut --maps segment-test/maps/p1.npy -o none.png
has err "GrabCut does not use maps"
missing none.png

# ---- what is refused ----

run 2 train denoise --data learn-odds --maps-alone -o x.json
has err "--maps-alone needs --maps weights, odds or bins"
run 2 train denoise --data learn-odds --maps odds --sigma 0.4,0.5 -o x.json
has err "cannot be combined with several sigmas"
run 1 train denoise --data learn-two --model paper --maps weights --validation test-odds -o x.json
has err "the maps have 1 channels; the model needs 2"

# damaged FILE-COMMAND MESSAGE: training and judging refuse a folder whose first maps are damaged so, and name the file
damaged()
{
    rm -rf broken
    cp -r learn-odds broken
    (cd broken/maps && eval "$1")
    run 1 train denoise --data broken --model paper --maps odds -o x.json
    has err "broken/maps/p0.npy"
    has err "$2"
    run 1 evaluate -m odds.json --data broken
    has err "broken/maps/p0.npy"
    has err "$2"
}
run 0 train denoise --data learn-odds --model paper --maps odds -o odds.json
damaged 'rm p0.npy' "No such file"
damaged 'head -c 2000 p0.npy >p && mv p p0.npy' "bytes of numbers"
damaged 'head -c 50 p0.npy >p && mv p p0.npy' "ends in the middle of its header"
damaged 'spoil p0.npy 128 "\0\0\0300\0177"' "channel 0 of pixel (0, 0) is nan"
damaged 'spoil p0.npy 128 "\0\0\0200\0177"' "channel 0 of pixel (0, 0) is inf"
damaged 'sed -i "s/(30, 40, 1)/(40, 30, 1)/" p0.npy' "30 by 40 pixels"
damaged 'sed -i "s/(30, 40, 1)/(15, 40, 2)/" p0.npy' "40 by 15 pixels"
damaged 'sed -i "s/<f4/<i4/" p0.npy' "neither float32 nor float64"
damaged 'echo nothing >p0.npy' "is not a NumPy array"
cp learn-two/maps/p0.npy broken/maps/p0.npy
run 1 evaluate -m odds.json --data broken
has err "'broken/maps/p0.npy' has 2 channels; there must be 1"
run 1 train denoise --data broken --model paper --maps weights -o x.json
has err "'broken/maps/p1.npy' has 1 channels; there must be 2"
missing x.json

# a model that needs maps does not predict without; others are done all the same
rm -rf broken
cp -r test-odds broken
rm broken/maps/p1.npy
run 1 predict -m odds.json broken -o some
has err "'broken/images/p1.pgm': there are no maps 'p1.npy' in 'broken/images/../maps'; --maps names their folder"
holds "three pictures" test "$(names some)" = "p0.png p2.png p3.png "
rm -r broken/maps
run 1 predict -m odds.json broken -o none
missing none
run 1 evaluate -m odds.json --data broken
has err "broken/maps/p0.npy"
run 1 predict -m plain.json test-odds --maps test-odds/maps -o none
has err "plain.json: the model was trained without maps"

# what a model says of its maps is checked
sed 's/"kind": "odds", "channels": 1/"kind": "odds", "channels": 3/' odds.json >wrong.json
run 1 predict -m wrong.json test-odds -o none
has err "the maps have 3 channels, but there are 2 labels"
sed 's/"kind": "odds"/"kind": "sods"/' odds.json >wrong.json
run 1 predict -m wrong.json test-odds -o none
has err 'an unknown kind of maps: "sods"'
sed '/"maps": {/d' odds.json | sed ':a;N;$!ba;s/},\n *"noise": \[\]/}/' >wrong.json
run 1 predict -m wrong.json test-odds -o none
missing none

finish
