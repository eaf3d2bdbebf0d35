#!/usr/bin/env bash
# photograph_command.sh - s3svm train segment, and predict, evaluate and segment with its models.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

run 0 train segment --help
has out "Usage: s3svm train segment [options] --data DIR -o MODEL"
has out "--method amn|s3svm"
has out "--features paper|full"

# disc KIND X Y WHAT: a picture of 40 by 32 pixels by awk, of a disc of radius 10 around (X, Y), in which d < 10; m marks its
# middle with 1 and two rows on top with 2; n is noise.
disc()
{
    awk -v kind="$1" -v cx="$2" -v cy="$3" "BEGIN {
        print kind; print 40, 32; print 255
        for (y = 0; y < 32; y++)
            for (x = 0; x < 40; x++) {
                d = sqrt((x - cx) ^ 2 + (y - cy) ^ 2)
                m = d < 4 ? 1 : y < 2 ? 2 : 0
                n = (x * 7919 + y * 104729 + x * y * 31 + cx * 13) % 17
                $4
            }
    }"
}

# album FOLDER X...: a data set with a disc at each X, the outline of which is unsure.
album()
{
    local folder=$1 x
    shift
    mkdir -p "$folder/images" "$folder/labels" "$folder/scribbles"
    for x in "$@"; do
        disc P3 "$x" 17 'if (d < 10) print 200 + n, 110 + n, 50 + n; else print 40 + n, 70 + n, 130 + n' >"$folder/images/d$x.ppm"
        disc P2 "$x" 17 'print d < 9.5 ? 255 : d < 10.5 ? 128 : 0' >"$folder/labels/d$x.pgm"
        disc P2 "$x" 17 'print m' >"$folder/scribbles/d$x.pgm"
    done
}

album learn 12 15 18 21 24 27
album test 14 20 26
short=(--C 1000 --gap 0.2)

run 1 train segment --data learn "${short[@]}" -o no/such/model.json
has err "no/such/"

# every kind of model learns the discs, and says what it has learned from
for method in s3svm amn; do
    for features in paper full; do
        model=$method-$features.json
        run 0 train segment --data learn/ --method "$method" --features "$features" "${short[@]}" --note "round things" -o "$model"
        has out "6 examples"
        has "$model" '"task": "segment"'
        has "$model" '"note": "round things"'
        has "$model" "\"command\": \"s3svm train segment --data learn --method $method --features $features"
        has "$model" '"data": "learn"'
        run 0 evaluate -m "$model" --data test --json
        below error 0.12
        below error_without_unsure 0.06
        is task '"segment"'
    done
done
# a folder in which s3svm serve was given photographs as they lie, without images/, teaches the same
cp -r learn flat
mv flat/images/* flat && rmdir flat/images
run 1 train segment --data flat "${short[@]}" -o flat.json
mkdir flat/.s3svm
run 0 train segment --data flat --method amn --features paper "${short[@]}" -o flat.json
run 0 evaluate -m flat.json --data test --json
flat_error=$(value error)
run 0 evaluate -m amn-paper.json --data test --json
holds "flat folders teach the same" test "$(value error)" = "$flat_error"
# the unsure band is background, or not counted
cp -r test band
for x in 14 20 26; do disc P2 "$x" 17 'print d < 10 ? 128 : 0' >"band/labels/d$x.pgm"; done
run 0 evaluate -m s3svm-full.json --data band --json
below error_without_unsure 0.06
holds "unsure pixels that are called object are errors" awk -v "x=$(value error)" 'BEGIN { exit !(x > 0.15) }'

# other numbers for the same labels, which all files of a folder tell together: 255 is not sure beside 1
cp -r learn ones
for x in 12 15 18 21 24 27; do disc P2 "$x" 17 'print d < 9.5 ? 1 : d < 10.5 ? 255 : 0' >"ones/labels/d$x.pgm"; done
run 0 train segment --data ones --method amn --features paper "${short[@]}" -o ones.json
same <(sed '/"facts"/,$d' ones.json) <(sed '/"facts"/,$d' amn-paper.json)
disc P2 12 17 'print d < 10 ? 255 : 0' >ones/labels/d12.pgm
run 0 train segment --data ones --method amn --features paper "${short[@]}" -o x.json
has err "d12.pgm': the true labels have no object"
for x in 15 18 21 24 27; do disc P2 "$x" 17 'print d < 10' >"ones/labels/d$x.pgm"; done
run 1 train segment --data ones --method amn --features paper "${short[@]}" -o x.json
has err "d12.pgm' 255: which one is the object?"
run 0 train segment --data ones --unsure 1 --method amn --features paper "${short[@]}" -o x.json
for x in 12 15 18 21 24 27; do disc P2 "$x" 17 'print 0' >"ones/labels/d$x.pgm"; done
run 1 train segment --data ones --method amn --features paper "${short[@]}" -o x.json
has err "ones: no picture has an object"
rm x.json

run 0 evaluate -m s3svm-full.json --data test -o masks
has out "error_without_unsure"
same <(names masks) <(echo -n "d14.png d20.png d26.png ")

# the same by other ways: predict, from a folder or file by file, and segment
run 0 predict -m s3svm-full.json test -o predicted
same masks predicted
run 0 predict -m s3svm-full.json test/images --scribbles test/scribbles -o named --threads 1
same masks named
run 0 predict -m s3svm-full.json test/images/d14.ppm -o one --json
same masks/d14.png one/d14.png
run 0 segment test/images/d14.ppm --scribbles test/scribbles/d14.pgm -m s3svm-full.json -o d14.png
same masks/d14.png d14.png
has out "s3svm, model s3svm-full.json"
run 0 segment test/images/d14.ppm --scribbles test/scribbles/d14.pgm -m amn-paper.json --json -o d14.png
is method '"amn"'

# threads and caches change nothing but time; what a cache holds is not trusted
weights() { sed -n '/"groups"/,/"facts"/p; /"features"/p' "$1"; }
run 0 train segment --data learn --cache cache/new "${short[@]}" --threads 1 -o first.json
holds "the cache is empty" test -n "$(names cache/new)"
same <(weights first.json) <(weights s3svm-full.json)
run 0 train segment --data learn --cache cache/new "${short[@]}" --threads 3 -o second.json
same <(weights first.json) <(weights second.json)
for file in cache/new/*; do printf 'x' | dd of="$file" bs=1 seek=60 conv=notrunc status=none; done
run 0 train segment --data learn --cache cache/new "${short[@]}" -o third.json
same <(weights first.json) <(weights third.json)
holds "nothing temporary is left" test -z "$(find cache -name '*.*')"
run 1 train segment --data learn --cache learn/images/d12.ppm "${short[@]}" -o x.json

# C by validation: of three values, or of those that are named
run 0 train segment --data learn --validation test --features paper --rounds 3 -o chosen.json
has out "<- taken"
has out "10000"
has out "on 3 others"

# scribbles that contradict what is seen: strong evidence, and certain if asked for
cp -r test wrong
disc P2 14 17 'print d < 4 ? 1 : (x > 35 && y > 28) ? 1 : y < 2 ? 2 : 0' >wrong/scribbles/d14.pgm
run 0 segment wrong/images/d14.ppm --scribbles wrong/scribbles/d14.pgm --convention palette -m s3svm-full.json --hard -o hard.pgm
run 0 segment wrong/images/d14.ppm --scribbles wrong/scribbles/d14.pgm --convention palette -m s3svm-full.json -o soft.pgm
holds "the contradiction is honoured" test "$(tail -c 1 hard.pgm | od -An -tu1 | tr -d ' ')" = 255

# one kind of scribbles only: an assumption, which is said
disc P2 14 17 'print d < 4 ? 1 : 0' >object.pgm
run 0 segment test/images/d14.ppm --scribbles object.pgm --convention palette -m s3svm-full.json -o object-mask.pgm
has err "the border of the photograph was taken as background"
disc P2 14 17 'print y < 2 ? 2 : 0' >background.pgm
run 0 segment test/images/d14.ppm --scribbles background.pgm --convention palette -m s3svm-full.json -o background-mask.pgm
has err "no object is marked"

# dialogues: from several folders, one without scribbles; a list of marks is replayed, and one mark is enough
album more 11 17 23
rm -r more/scribbles
run 0 train segment --dialogues --data learn --data more --method amn "${short[@]}" --cache cache/talks -o talks.json
has out "18 examples"
has talks.json '"dialogues": true'
run 0 train segment --dialogues --data learn --data more --method amn "${short[@]}" --cache cache/talks --threads 1 -o again.json
same <(weights talks.json) <(weights again.json)
run 0 make-scribbles --data test --kind clicks --one --radius 2 -m talks.json --corrections 3 -o clicks
run 0 segment test/images/d20.ppm --marks clicks/scribbles/d20.json -m talks.json -o clicked.pgm
run 0 evaluate -m talks.json --data test --json
below error 0.05
run 0 segment test/images/d20.ppm --rect 8,5,25,25 -m talks.json -o boxed.pgm

# a model goes on learning from somebody's own photographs, and clicks are counted on the others
run 0 experiment clicks --data learn --splits 1 -m talks.json --learn 4 --clicks 2 --radius 2 --methods grabcut -o own
has out "Having learned from 4"
has own/results.json '"learned-4"'
run 1 experiment clicks --data learn -m talks.json --learn 4 -o own
has err "--splits"
run 1 experiment clicks --data learn --splits 1 -m talks.json --learn 60 -o own
has err "too few to learn from 60"
run 0 train segment --from talks.json --dialogues --outlines --data more --C 10 --rounds 3 -o further.json
has further.json '"outline"'

# of a split the half to learn from is learned from: what the experiment tests on does not matter
run 0 experiment clicks --data learn --splits 1 -m talks.json --clicks 1 --methods grabcut -o parts
tested=$(awk -F, 'NR == 2 { print $3 }' parts/results.csv) # split, method, photograph
[[ $tested == d?? ]] || fail "no photograph in results.csv"
cp -r learn other
disc P3 5 5 'print 90, 90, 90' >"other/images/$tested.ppm"
for folder in learn other; do
    run 0 train segment --data "$folder" --split 1 --method amn --features paper "${short[@]}" -o "split-$folder.json"
    has out "3 examples"
done
same <(weights split-learn.json) <(weights split-other.json)
run 2 train segment --data learn --split 1 --maps odds -o x.json
has err "--split cannot be combined with --maps"

run 1 train segment --data learn --data more --method amn -o x.json
has err "scribbles"
run 2 train segment --dialogues --data learn --features paper -o x.json
has err "--features full"
run 2 train denoise --data learn --data more -o x.json
has err "one folder"

# odd photographs
printf 'P3 1 1 255 9 9 9\n' >dot.ppm
printf 'P2 1 1 255 1\n' >dot.pgm
run 0 segment dot.ppm --scribbles dot.pgm --convention palette -m s3svm-full.json -o dot-mask.pgm
run 0 segment dot.ppm --scribbles dot.pgm --convention palette -m amn-paper.json -o dot-mask.pgm
disc P3 14 17 'print 90, 90, 90' >flat.ppm
run 0 segment flat.ppm --scribbles test/scribbles/d14.pgm -m s3svm-full.json -o flat-mask.pgm
disc P2 14 17 'print d < 10 ? 180 + n : 60 + n' >grey.pgm
run 0 segment grey.pgm --scribbles test/scribbles/d14.pgm -m s3svm-full.json -o grey-mask.pgm

# what is wrong is named
run 1 segment test/images/d14.ppm --scribbles test/scribbles/d14.pgm -m amn-paper.json --method s3svm -o x.pgm
has err "a model of the method amn, not s3svm"
run 2 train segment -o x.json
has err "no --data DIR given"
run 2 train segment --data learn extra -o x.json
has err "unexpected argument 'extra'"
mkdir -p half/images half/labels
cp test/images/d14.ppm half/images
cp test/labels/d14.pgm half/labels
run 1 train segment --data half -o x.json
has err "half/scribbles"
cp -r test grey
disc P2 14 17 'print m == 1 ? 7 : m' >grey/scribbles/d14.pgm
run 1 train segment --data grey -o x.json
has err "is 7; scribbles are 0 none, 1 object, 2 background"
cp -r test labels
disc P2 14 17 'print d < 9 ? 200 : 0' >labels/labels/d14.pgm
run 1 evaluate -m s3svm-full.json --data labels
has err "is 200; true labels are 0 and 1, or 0 and 255, and 128"
run 1 predict -m s3svm-full.json test/images --scribbles half -o x
has err "there are no scribbles 'd14.png' in 'half"
sed 's/"task": "segment"/"task": "denoise"/' s3svm-full.json >other.json
run 1 segment test/images/d14.ppm --scribbles test/scribbles/d14.pgm -m other.json -o x.pgm
has err 'a model for the task "denoise", not "segment"'
sed 's/"method": "s3svm"/"method": "amn"/' s3svm-full.json >lie.json
run 1 segment test/images/d14.ppm --scribbles test/scribbles/d14.pgm -m lie.json -o x.pgm
has err "lie.json"
missing x.pgm
missing x.json

finish
