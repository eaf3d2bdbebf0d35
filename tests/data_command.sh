#!/usr/bin/env bash
# data_command.sh - what s3svm make-data and s3svm add-noise print, write and return.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

if command -v python3 >/dev/null; then
    json_check() { holds "not JSON" python3 -m json.tool out /dev/null; }
else
    echo "python3 is not there: JSON is not checked by a parser"
    json_check() { :; }
fi

# ---- make-data ----

run 0 make-data --help
has out "Usage: s3svm make-data [options] denoising DIR"
has out "--size WxH"
run 0 help make-data
has out "Examples:"

"$s3svm" make-data denoising probe --count 1 --size 32x32 >out 2>err
if grep -q libpng err; then
    echo "without libpng"
    exit 77
fi
rm -rf probe
run 0 make-data denoising new/set --count 5 --size 120x60
has out "5 of 120 by 60 pixels: 3 of shapes, 2 sketches"
holds "five names" test "$(names new/set/labels)" = "shapes-01.png shapes-02.png shapes-03.png sketch-01.png sketch-02.png "
holds "nothing else" test "$(names new/set)" = "labels "
if command -v file >/dev/null; then holds "a grey PNG" grep -q "120 x 60, .*grayscale" <(file new/set/labels/sketch-01.png); fi

# nothing is lost without --force, and nothing is half done
cp -r new/set before
run 1 make-data denoising new/set --count 6 --size 120x60 --seed 9
has err "'new/set/labels/shapes-01.png' already exists; --force replaces it"
same new/set before
run 0 make-data denoising new/set --count 5 --size 120x60 --force
same new/set before
run 0 make-data denoising other --count 5 --size 120x60 --seed 2
differ other/labels/shapes-01.png before/labels/shapes-01.png
differ other/labels/sketch-01.png before/labels/sketch-01.png

run 0 make-data denoising default --json
json_check
is width 400
is height 200
is seed 1
holds "20 pictures" test "$(grep -c '"file"' out)" = 20
holds "some ink" awk -v "ink=$(value ink)" 'BEGIN { exit !(ink > 0.04 && ink < 0.16) }'
holds "half and half" test "$(names default/labels | tr ' ' '\n' | grep -c '^sketch-')" = 10
run 0 make-data denoising many --count 201 --size 32x32
holds "more digits" test -f many/labels/shapes-000101.png -a -f many/labels/sketch-000100.png

run 2 make-data
has err "no kind of data given"
run 2 make-data segmentation x
has err "unknown kind of data 'segmentation'"
run 2 make-data denoising
has err "no DIR given"
run 2 make-data denoising a b
has err "give one DIR"
run 2 make-data denoising x --count 0
has err "--count takes an integer from 1"
run 2 make-data denoising x --seed -1
has err "--seed takes an integer"
for size in 400 400x 400x200x3 x200 -400x200 " 400x200" 4e2x200 99999999999999999999x200 ""; do
    run 2 make-data denoising x "--size=$size"
    has err "--size takes width and height such as 400x200, not '$size'"
done
for size in 31x200 200x0 65537x64 65536x65536; do
    run 2 make-data denoising x --size "$size"
    has err "--size $size: sides have 32 to 65536 pixels"
done
run 2 make-data denoising x --seeds 1
has err "did you mean '--seed'?"
holds "nothing was made" test ! -e x
: >plain-file
run 1 make-data denoising plain-file
has err "'plain-file' exists and is not a folder"
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    run 1 make-data denoising locked/set
    has err "cannot create the folder 'locked/set'"
fi
run 1 make-data denoising /proc/nowhere
has err "cannot create the folder '/proc/nowhere'"

# ---- add-noise ----

run 0 add-noise --help
has out "Usage: s3svm add-noise [options] DIR | PICTURE... -o OUTDIR"
has out "--noise plain|shifted"

run 0 add-noise new/set
has out "plain, sigma 0.5, seed 1"
holds "the same names" test "$(names new/set/images)" = "$(names new/set/labels)"
same new/set/labels before/labels
cp -r new/set/images plain
run 1 add-noise new/set --seed 4
has err "'new/set/images/shapes-01.png' already exists; --force replaces it"
same new/set/images plain
run 0 add-noise new/set --force
same new/set/images plain
run 0 add-noise new/set --force --seed 4
differ new/set/images/shapes-01.png plain/shapes-01.png
run 0 add-noise new/set -o elsewhere/noisy --noise shifted --json
json_check
is noise '"shifted"'
is sigma 150
is output '"elsewhere/noisy"'
differ elsewhere/noisy/shapes-01.png plain/shapes-01.png
run 0 add-noise new/set -o weak --sigma 0
holds "as many" test "$(names weak)" = "$(names plain)"

# a picture's noise does not depend on the others, nor on where it lies
run 0 add-noise new/set/labels/sketch-02.png new/set/labels/shapes-03.png -o two
holds "two" test "$(names two)" = "shapes-03.png sketch-02.png "
same two/sketch-02.png plain/sketch-02.png
cp before/labels/shapes-01.png lone.png
cp lone.png shapes-01.png
run 0 add-noise lone.png shapes-01.png -o named
same named/shapes-01.png plain/shapes-01.png
differ named/lone.png named/shapes-01.png

# other formats, and files that are no pictures
mkdir -p mixed/labels
printf 'P5\n40 30\n255\n' >mixed/labels/grey.PGM
head -c 1200 /dev/zero >>mixed/labels/grey.PGM
echo hello >mixed/labels/readme.txt
run 0 add-noise mixed
has err "note: 1 other file in 'mixed/labels' ignored"
holds "a PNG" test "$(names mixed/images)" = "grey.png "
cp mixed/labels/readme.txt mixed/labels/wrong.png
run 1 add-noise mixed --force
has err "mixed/labels/wrong.png"

# one bad picture costs only itself
mkdir -p some/labels
cp new/set/labels/*.png some/labels/
head -c 40 lone.png >some/labels/broken.png
run 1 add-noise some --json
has err "some/labels/broken.png"
has err "1 of $(find some/labels -name '*.png' | wc -l) pictures failed"
has out '"failed": ['
has out '"name": "broken"'
run 0 add-noise new/set -o whole
same some/images whole
run 2 add-noise
has err "no DIR or PICTURE given"
run 2 add-noise lone.png shapes-01.png
has err "no OUTDIR given"
run 1 add-noise lone.png
has err "'lone.png' is not a folder; for single pictures, give the output folder with -o"
run 1 add-noise missing
has err "'missing' is not a folder"
run 1 add-noise missing.png -o noisy
has err "missing.png"
mkdir hollow
run 1 add-noise hollow
has err "cannot open the folder 'hollow/labels'"
mkdir hollow/labels
run 1 add-noise hollow
has err "there are no pictures in 'hollow/labels'"
run 2 add-noise new/set --sigma -1
has err "--sigma must not be negative: -1"
run 2 add-noise new/set --noise salt
has err "--noise takes one of plain|shifted, not 'salt'"
run 1 add-noise lone.png -o . --force
has err "'lone.png' would be overwritten; choose another name for -o"
same lone.png before/labels/shapes-01.png
run 1 add-noise before/labels/shapes-01.png other/labels/shapes-01.png -o twins
has err "two of the pictures have the name of 'twins/shapes-01.png'"
holds "nothing was made" test ! -e twins
run 1 add-noise lone.png -o plain-file
has err "'plain-file' exists and is not a folder"
holds "nothing temporary is left" test -z "$(find . -name '*.tmp*')"

# what a person looks at: the moments of a large flat picture, by another program
if command -v python3 >/dev/null && python3 -c "import PIL" 2>/dev/null; then
    printf 'P5\n300 300\n255\n' >flat.pgm
    head -c 90000 /dev/zero >>flat.pgm
    run 0 add-noise flat.pgm -o flat --noise shifted
    cat >moments.py <<'END'
import sys
from PIL import Image
x = list(Image.open(sys.argv[1]).getdata())
zeros = sum(v == 0 for v in x) / len(x)
above = sum(v > 127 for v in x) / len(x)
# black becomes N(127.5, 75): P(x < 0.5) = Phi(-127 / 75) = 0.0452, P(x >= 127.5) = 0.5
sys.exit(not (abs(zeros - 0.0452) < 0.004 and abs(above - 0.5) < 0.009))
END
    holds "shifted black is N(127.5, 75), clipped" python3 moments.py flat/flat.png
fi

finish
