#!/usr/bin/env bash
# marks_command.sh - s3svm make-scribbles, and segment, predict and evaluate with lists of marks.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# disc KIND X WHAT: a picture of 60 by 48 pixels by awk, of a disc of radius 14 around (X, 24), in which d < 14; n is noise.
disc()
{
    awk -v kind="$1" -v cx="$2" "BEGIN {
        print kind; print 60, 48; print 255
        for (y = 0; y < 48; y++)
            for (x = 0; x < 60; x++) {
                d = sqrt((x - cx) ^ 2 + (y - 24) ^ 2)
                n = (x * 7919 + y * 104729 + x * y * 31 + cx * 13) % 17
                $3
            }
    }"
}

mkdir -p data/images data/labels
for x in 20 30 40; do
    disc P3 "$x" 'if (d < 14) print 200 + n, 110 + n, 50 + n; else print 40 + n, 70 + n, 130 + n' >"data/images/d$x.ppm"
    disc P2 "$x" 'print d < 13 ? 255 : d < 15 ? 128 : 0' >"data/labels/d$x.pgm"
done

# share FILE X: the share of 60 by 48 pixels of a mask that are not the disc at X, its band left out.
share()
{
    tail -c 2880 "$1" | od -An -v -tu1 -w1 | awk -v cx="$2" '{
        x = (NR - 1) % 60; y = int((NR - 1) / 60); d = sqrt((x - cx) ^ 2 + (y - 24) ^ 2)
        if (d < 13 || d >= 15) wrong += ($1 > 0) != (d < 13) }
        END { print wrong / 2880 }'
}

run 0 help make-scribbles
has out "Usage: s3svm make-scribbles [options] --data DIR -o OUT"
has out "--kind clicks|strokes|scribbles|box|outline"

# every kind, by the same seed the same, by another one another; a mask from it is the disc
for kind in clicks strokes scribbles box outline; do
    run 0 make-scribbles --data data -o "$kind" --kind "$kind" --json
    is kind "\"$kind\""
    is both true
    same <(names "$kind/scribbles") <(echo -n "d20.json d30.json d40.json ")
    has "$kind/scribbles/d20.json" '"format": "s3svm marks"'
    run 0 make-scribbles --data data -o again --kind "$kind" --force --threads 1
    same "$kind" again
    run 0 segment data/images/d30.ppm --marks "$kind/scribbles/d30.json" --method grabcut -o mask.pgm
    has out "a list of marks in 1 step"
    holds "a disc by $kind" awk -v "x=$(share mask.pgm 30)" 'BEGIN { exit !(x < 0.02) }'
    run 0 segment data/images/d30.ppm --scribbles "$kind/scribbles/d30.json" --method grabcut -o other.pgm --json
    is convention '"list"'
    same mask.pgm other.pgm
done
run 0 make-scribbles --data data -o again --kind strokes --seed 2 --force
differ strokes/scribbles/d20.json again/scribbles/d20.json
has out "3: strokes, seed 2"

# pictures of marks are the marks
run 0 make-scribbles --data data -o pictures --kind scribbles --png
run 0 segment data/images/d20.ppm --scribbles pictures/scribbles/d20.png -o picture.pgm
run 0 segment data/images/d20.ppm --marks scribbles/scribbles/d20.json -o list.pgm
same picture.pgm list.pgm

# corrections of a model's labels, in steps of their own, or none where all is right
run 0 make-scribbles --data data -o corrected --kind clicks --one --corrections 2 --json
is both false
is corrections 2
run 0 make-scribbles --data data -o hasty --hasty --corrections 2 -m segment-amn
has out ", hasty"

# lists among the scribbles of a folder, for every command
cp -r data marked
run 0 make-scribbles --data marked -o marked
run 0 segment marked -o found
same <(names found/masks) <(echo -n "d20.png d30.png d40.png ")
run 0 evaluate --data marked --json
is task '"segment"'
run 0 predict marked -o predicted
cp -r marked marked2
run 1 make-scribbles --data marked -o marked
has err "already exists; --force replaces it"
cp data/labels/d20.pgm marked/scribbles/d20.pgm
run 1 evaluate --data marked
has err "have the same name"

# a mark holds, unless it is soft; of two that contradict each other the later wins
cat >marks.json <<'JSON'
{ "format": "s3svm marks", "version": 1, "width": 60, "height": 48, "steps": [
  [ { "shape": "stroke", "label": "object", "radius": 4, "points": [30, 24] },
    { "shape": "stroke", "label": "background", "radius": 3, "points": [4, 4, 50, 4] } ],
  [ { "shape": "stroke", "label": "object", "radius": 2, "points": [55, 40] } ],
  [ { "shape": "stroke", "label": "background", "radius": 0, "points": [30, 24] } ] ] }
JSON
at() { tail -c 2880 "$1" | od -An -v -tu1 -w1 | sed -n "$(($3 * 60 + $2 + 1))p" | tr -d ' '; }
run 0 segment data/images/d30.ppm --marks marks.json -o hard.pgm --specks 0
holds "an object mark in the background holds" test "$(at hard.pgm 55 40)" = 255
holds "the later mark wins" test "$(at hard.pgm 30 24)" = 0
run 0 segment data/images/d30.ppm --marks marks.json --hard -o same.pgm --specks 0
same hard.pgm same.pgm
run 0 segment data/images/d30.ppm --marks marks.json --soft -o soft.pgm --specks 0
holds "a soft one is judged" test "$(at soft.pgm 30 24)" = 255
run 2 segment data/images/d30.ppm --marks marks.json --soft --hard -o soft.pgm
run 2 segment data/images/d30.ppm --marks marks.json --scribbles marks.json -o soft.pgm
has err "--marks cannot be combined with --scribbles"
run 2 segment data --marks marks.json -o soft

# how many clicks a method needs
run 0 help experiment clicks
has out "--models LIST"
run 0 experiment clicks --data data --clicks 3 --radius 3 -o report
has out "3 photographs, at most 3 clicks"
has out "The model inside"
has out "by a box, a tenth larger"
has report/index.html "How many clicks to cut an object out"
has report/results.json '"clicks_to_0.90"'
holds "a row for every click" test "$(wc -l <report/results.csv)" = 19
run 0 experiment clicks --data marked2 --clicks 2 --radius 3 --methods grabcut --splits 2 --threads 1 -o splits
has splits/results.json '"scribbles"'
run 1 experiment clicks --data data -m no-such-model -o no
run 2 experiment clicks -o no
has err "no --data DIR given"

# what is wrong is said
sed 's/"width": 60/"width": 61/' marks.json >wide.json
run 1 segment data/images/d30.ppm --marks wide.json -o no.pgm
has err "61 by 48"
sed 's/"radius": 2/"radius": -2/' marks.json >odd.json
run 1 segment data/images/d30.ppm --marks odd.json -o no.pgm
has err "odd.json: step 2, mark 1: \"radius\""
run 2 make-scribbles --data data
has err "no OUT given"
run 2 make-scribbles -o out
run 2 make-scribbles --data data -o out --both --one
run 2 make-scribbles --data data -o out -m segment
run 2 make-scribbles --data data -o out --radius 0
mkdir -p bad/labels
disc P2 30 'print 0' >bad/labels/empty.pgm
disc P2 30 'print d < 13 ? 255 : 0' >bad/labels/good.pgm
run 1 make-scribbles --data bad -o partly
has err "no object to mark"
same <(names partly/scribbles) <(echo -n "good.json ")
finish
