#!/usr/bin/env bash
# model_choice_command.sh - which model predict and evaluate take where none is named, models inside by their names, and pictures
# of which some fail.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

if command -v python3 >/dev/null; then
    json_check() { holds "not JSON" python3 -m json.tool out /dev/null; }
else
    echo "python3 is not there: JSON is not checked by a parser"
    json_check() { :; }
fi

"$s3svm" make-data denoising set --count 4 --size 64x48 >out 2>err
if grep -q libpng err; then
    echo "without libpng"
    exit 77
fi
run 0 add-noise set --sigma 0.3
"$s3svm" predict set -o probe >out 2>err

# album FOLDER X...: photographs of an orange disc at X on blue, with scribbles and true labels.
album()
{
    local folder=$1 x
    shift
    mkdir -p "$folder/images" "$folder/labels" "$folder/scribbles"
    for x in "$@"; do
        awk -v cx="$x" -v folder="$folder" 'BEGIN {
            photo = folder "/images/d" cx ".ppm"; truth = folder "/labels/d" cx ".pgm"; marks = folder "/scribbles/d" cx ".pgm"
            print "P3\n40 32\n255" >photo; print "P2\n40 32\n255" >truth; print "P2\n40 32\n255" >marks
            for (y = 0; y < 32; y++)
                for (x = 0; x < 40; x++) {
                    d = sqrt((x - cx) ^ 2 + (y - 17) ^ 2)
                    n = (x * 7919 + y * 104729 + x * y * 31 + cx * 13) % 17
                    if (d < 10) print 200 + n, 110 + n, 50 + n >photo; else print 40 + n, 70 + n, 130 + n >photo
                    print d < 10 ? 255 : 0 >truth
                    print d < 4 ? 1 : y < 2 ? 2 : 0 >marks
                }
        }'
    done
}
album photos 14 20 26

# ---- by what the folder holds ----

for folder in set set/images; do
    run 0 predict $folder -o "out-$(basename $folder)"
    has err 'no model given: using the built-in one for "denoise"'
    has out "embedded: denoise (denoise)"
done
run 0 evaluate --data set
has err 'the built-in one for "denoise"'
run 0 evaluate --data set --noise plain --json
json_check
is model '"embedded: denoise"'
run 0 predict photos -o masks
has err 'no model given: using the built-in one for "segment"'
has out "embedded: segment (segment)"
holds "three masks" test "$(names masks)" = "d14.png d20.png d26.png "
run 0 evaluate --data photos --json
json_check
is model '"embedded: segment"'
is task '"segment"'
below error 0.1
run 0 predict photos/images/d14.ppm -o one
same one/d14.png masks/d14.png
cp photos/images/d14.ppm d14.ppm
run 0 predict d14.ppm --scribbles photos/scribbles -o elsewhere
same elsewhere/d14.png masks/d14.png

# ---- what cannot be meant ----

cp -r photos plain
rm -r plain/scribbles
run 1 predict plain -o none
has err "'plain/images/d14.ppm' is in colour and has no scribbles: no built-in model is for such pictures; give one with -m"
run 1 predict d14.ppm -o none
has err "is in colour"
run 1 evaluate --data plain -o none
has err "is in colour"
missing none
run 0 predict -m denoise d14.ppm -o meant # who says so may

# ---- models inside by their names ----

run 0 predict -m denoise set/images -o by-name
same by-name out-set
holds "nothing is said of a choice" test ! -s err
run 0 predict -m segment-amn photos -o amn
has out "embedded: segment-amn (segment)"
run 0 segment photos/images/d14.ppm --scribbles photos/scribbles/d14.pgm -m segment-amn -o amn.png
has out "amn, model segment-amn"
same amn.png amn/d14.png
run 0 evaluate -m segment --data photos
has out "embedded: segment (segment)"
run 1 predict -m nobody set -o none
has err "cannot open 'nobody'"
mkdir own
echo '{}' >own/denoise
cd own || exit 1
: >out
: >err
run 1 predict -m denoise ../set -o none # a file of that name wins
has err "denoise:"
cd .. || exit 1
missing own/none

# ---- some pictures fail ----

cp -r set torn
head -c 100 set/images/shapes-02.png >torn/images/shapes-02.png
run 1 predict -m denoise torn -o torn-out --json
json_check
has err "torn/images/shapes-02.png"
has err "1 of 4 pictures failed"
holds "the others are done" test "$(names torn-out)" = "shapes-01.png sketch-01.png sketch-02.png "
for name in shapes-01 sketch-01 sketch-02; do same torn-out/$name.png by-name/$name.png; done
holds "what failed is listed" test "$(grep -c '"error": ".*shapes-02.png' out)" = 1
run 1 predict -m denoise set/images/shapes-01.png missing.png -o torn-out --force
has err "missing.png"
has out "  pictures     1"
# header and data of a PNG are judged apart: a whole header, and nothing behind it that is whole
head -c 200 set/images/shapes-02.png >torn/images/shapes-02.png
run 1 evaluate -m denoise --data torn
has out "  images       3 of 4"
has err "torn/images/shapes-02.png"
run 1 evaluate -m denoise --data torn --json
json_check
holds "three scores" test "$(grep -c '"iou"' out)" = 4 # and the mean
cp -r photos some
rm some/scribbles/d20.pgm
run 1 predict some -o some-out
has err "there are no scribbles 'd20.png'"
holds "the others are done" test "$(names some-out)" = "d14.png d26.png "
same some-out/d26.png masks/d26.png

# ---- names that are no UTF-8 ----

odd=$(printf 'caf\351')
cp set/images/shapes-01.png "$odd.png" 2>/dev/null
if [ -e "$odd.png" ]; then
    run 0 predict -m denoise "$odd.png" -o odd --json
    json_check
    mkdir "$odd"
    cp -r set/images set/labels "$odd"
    run 0 evaluate -m denoise --data "$odd" --json
    json_check
    run 0 train denoise --data "$odd" --model paper --gap 0.1 -o odd.json
    cp odd.json out
    json_check
fi

finish
