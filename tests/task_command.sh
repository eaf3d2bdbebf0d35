#!/usr/bin/env bash
# task_command.sh - s3svm train denoise, predict and evaluate on pictures: what they print, write and return.  S3SVM names the
# command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# steady FILE OUT: a model without what differs from run to run
steady() { grep -vE '"(seconds[a-z_]*|command)":' "$1" >"$2"; }

# weights FILE: of a model
weights() { sed -n '/"groups"/,/"facts"/p' "$1"; }

run 0 train denoise --help
has out "Usage: s3svm train denoise [options] --data DIR -o MODEL"
has out "--model paper|full|odds-long-lines|far-counts"
run 0 help train denoise
has out "Usage: s3svm train denoise [options] --data DIR -o MODEL"
run 0 help predict
has out "PICTURE... -o DIR"
run 0 help evaluate
has out "Usage: s3svm evaluate [options] [-m MODEL] --data DIR"

"$s3svm" make-data denoising set --count 6 --size 64x48 >out 2>err
if grep -q libpng err; then
    echo "without libpng"
    exit 77
fi
"$s3svm" train denoise --data set --noise plain --model paper -o paper.json >out 2>err

# ---- train ----

rm paper.json
run 0 train denoise --data set/ --noise plain --sigma 0.4 --model paper -o paper.json --threads 1 --note "for a test"
has out "6 examples; 2 groups of 18 weights"
has paper.json '"task": "denoise"'
has paper.json '"noise": [{"model": "plain", "sigma": 0.4, "seed": 1}]'
has paper.json '"command": "s3svm train denoise --data set --noise plain --sigma 0.4 --model paper -o paper.json --threads 1 --note '"'for a test'"'"'
has paper.json '"note": "for a test"'
has paper.json '"data": "set"'
holds "a fingerprint" grep -Eq '"data_fingerprint": "[0-9a-f]{16}"' paper.json
holds "the defaults of the model" grep -Eq '"C": 10000,' paper.json

# threads change nothing, nor whether the noise comes from files; where the data lie is not told
cp -r set noisy
run 0 add-noise noisy --sigma 0.4 --seed 1
mkdir -p deep
cp -r set deep/set
run 0 train denoise "--data=$PWD/deep/set" --sigma 0.4 --seed 1 --model paper -o two.json --threads 2 --note "for a test"
has two.json '"command": "s3svm train denoise --data=set --sigma'
holds "no folders in the model" test "$(grep -c "$PWD" two.json)" = 0
steady paper.json a.txt
steady two.json b.txt
same a.txt b.txt
run 0 train denoise --data noisy --model paper -o three.json --C 10000 --note "for a test"
steady three.json c.txt
holds "the same weights" diff <(weights a.txt) <(weights c.txt)
has three.json '"noise": []'
run 0 train denoise --data set --sigma 0.3,0.6 --seed 5 --model paper -o mixed.json --gap 0.05
has out "12 examples"
has mixed.json '"noise": [{"model": "plain", "sigma": 0.3, "seed": 5}, {"model": "plain", "sigma": 0.6, "seed": 6}]'
run 0 train denoise --data set --validation noisy --noise plain --model paper --C 10,100 --gap 0.05 -o chosen.json --json
has out '"event": "done"'
has chosen.json '"validation_examples": 6'

run 0 train denoise --data noisy --model far-counts --gap 0.2 -o lines.json --threads 1
run 0 train denoise --data noisy --model far-counts --gap 0.2 -o lines2.json --threads 2
steady lines.json a.txt
steady lines2.json b.txt
same a.txt b.txt
has lines.json '"unaries": ["grey", "strength"], "cliques": ["keyed pairs", "line counts"]'
run 0 predict -m lines.json noisy/images -o lines --threads 1
run 0 predict -m lines.json noisy/images -o lines2 --threads 2
same lines lines2

run 2 train denoise
has err "no --data DIR given"
run 2 train denoise --data set
has err "no MODEL given"
run 2 train denoise --data set extra -o x.json
has err "unexpected argument 'extra'"
run 2 train denoise --data set --sigma -1 -o x.json
has err "--sigma must not be negative: -1"
run 2 train denoise --data set --sigma 0.5,,1 -o x.json
has err "--sigma takes up to 16 numbers such as 0.5,0.7,1, not '0.5,,1'"
run 2 train denoise --data set --model huge -o x.json
has err "--model takes one of paper|full|odds-long-lines|far-counts"
run 1 train denoise --data nowhere --noise plain -o x.json
has err "'nowhere' is not a folder"
run 1 train denoise --data set --model paper -o x.json
has err "'set' has no folder images/; add noise to labels/"
run 1 train denoise --data set --noise plain -o nowhere/x.json
has err "cannot write 'nowhere/x.json'"
holds "no model for an error" test ! -e x.json
cp set/labels/shapes-01.png kept-label.png
run 1 train denoise --data set --noise plain -o ./set/labels/shapes-01.png
has err "'./set/labels/shapes-01.png' would be overwritten; choose another name for -o"
run 1 train denoise --data set --noise plain -o x.json --checkpoint set/labels/shapes-01.png
has err "choose another name for --checkpoint"
same kept-label.png set/labels/shapes-01.png

# ---- predict ----

run 0 predict -m paper.json noisy/images/shapes-01.png noisy/images/sketch-02.png -o clean
has out "  pictures     2"
holds "two pictures" test "$(names clean)" = "shapes-01.png sketch-02.png "
run 0 predict -m paper.json noisy/images -o all --threads 1 --json
holds "six pictures" test "$(grep -c '"file"' out)" = 6
run 0 predict -m paper.json noisy/images -o all2 --threads 2
same all all2
same clean/sketch-02.png all/sketch-02.png
run 1 predict -m paper.json noisy/images -o clean
has err "'clean/shapes-01.png' already exists; --force replaces it"
holds "nothing was added" test "$(names clean)" = "shapes-01.png sketch-02.png "
run 0 predict -m paper.json noisy/images -o clean --force
same clean all
run 0 predict noisy/images/shapes-01.png -o embedded
has out "embedded"
holds "one picture" test "$(names embedded)" = "shapes-01.png "

run 2 predict -m paper.json
has err "no PICTURE and no --problem FILE given"
run 2 predict -m paper.json noisy/images/shapes-01.png
has err "no DIR given: -o names the folder to write to"
run 2 predict -m paper.json noisy/images/shapes-01.png --problem x.txt -o y
has err "unexpected argument 'noisy/images/shapes-01.png'"
run 1 predict -m missing.json noisy/images -o none
has err "cannot open 'missing.json'"
run 1 predict -m paper.json missing.png -o none2
has err "missing.png"
echo hello >wrong.png
run 1 predict -m paper.json wrong.png -o none2
has err "wrong.png"
mkdir hollow
run 1 predict -m paper.json hollow -o none
has err "there are no pictures in 'hollow'"
run 1 predict -m paper.json noisy/images/shapes-01.png set/labels/shapes-01.png -o none
has err "two of the pictures have the name of 'none/shapes-01.png'"
cp noisy/images/shapes-01.png lone.png
run 1 predict -m paper.json lone.png -o . --force
has err "'lone.png' would be overwritten; choose another name for -o"
same lone.png noisy/images/shapes-01.png
: >plain-file
run 1 predict -m paper.json lone.png -o plain-file
has err "'plain-file' exists and is not a folder"
sed 's/"task": "denoise"/"task": "weave"/' paper.json >weave.json
run 1 predict -m weave.json lone.png -o none
has err "weave.json: the model is for the task \"weave\", which is unknown"
sed 's/"task": "denoise",//' paper.json >taskless.json
run 1 predict -m taskless.json lone.png -o none
has err "taskless.json: the model is not for pictures"
sed 's/"model": "paper"/"model": "thin"/' paper.json >thin.json
run 1 predict -m thin.json lone.png -o none2
has err "an unknown model of denoising: \"thin\""
holds "nothing was made" test ! -e none
run 1 evaluate -m weave.json --data noisy
has err "the model is for the task \"weave\""

# ---- evaluate ----

run 0 evaluate -m paper.json --data noisy
has out "  images       6"
has out "on average"
run 0 evaluate -m paper.json --data noisy --json --threads 1 -o judged
cp out files.json
below error 0.1
below seconds_per_image 0.5
same judged all
run 0 evaluate -m paper.json --data set --noise plain --sigma 0.4 --json
cp out made.json
grep -E '"(error|iou|name)"' files.json >a.txt
grep -E '"(error|iou|name)"' made.json >b.txt
same a.txt b.txt
run 0 evaluate --data set --noise plain --sigma 0.4 --json
below error 0.1

if command -v python3 >/dev/null; then
    cat >check.py <<'END'
import json, struct, zlib
r = json.load(open("made.json"))
assert r["task"] == "denoise" and r["model"] == "paper.json" and r["data"] == "set"
assert r["noise"] == [{"model": "plain", "sigma": 0.4, "seed": 1}]
images = r["images"]
assert [i["name"] for i in images] == ["shapes-01", "shapes-02", "shapes-03", "sketch-01", "sketch-02", "sketch-03"]
for key in "error", "iou":
    assert abs(r[key] - sum(i[key] for i in images) / 6) < 1e-12
assert abs(r["seconds_per_image"] - r["seconds"] / 6) < 1e-12
assert json.load(open("files.json"))["noise"] == []

def png(path):
    """The pixels of a grey PNG of 8 bits, by the specification."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 0, 0)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, above, pixels = zlib.decompress(packed), [0] * width, []
    for y in range(height):
        kind, row, left, corner = raw[y * (width + 1)], [], 0, 0
        for x in range(width):
            up, p = above[x], left + above[x] - corner
            nearest = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            left = (raw[y * (width + 1) + 1 + x] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
            corner = up
            row.append(left)
        above = row
        pixels += row
    assert len(pixels) == 64 * 48
    return pixels

# error and iou counted again from the pictures
for i in images:
    ours, truth = (png(f"{d}/{i['name']}.png") for d in ("judged", "set/labels"))
    assert set(ours) <= {0, 255}
    ours, truth = [x == 0 for x in ours], [x < 128 for x in truth]
    wrong = sum(a != b for a, b in zip(ours, truth)) / len(truth)
    both, either = (sum(f(a, b) for a, b in zip(ours, truth)) for f in (lambda a, b: a and b, lambda a, b: a or b))
    assert abs(i["error"] - wrong) < 1e-12 and abs(i["iou"] - both / either) < 1e-12
END
    holds "the JSON is what the pictures say" python3 check.py
else
    echo "python3 is not there: the scores are not checked"
fi

run 2 evaluate -m paper.json
has err "no --data DIR given"
run 2 evaluate -m paper.json --data set --sigma 0.5,1
has err "--sigma takes a number, not '0.5,1'"
run 2 evaluate -m paper.json --data set extra
has err "unexpected argument 'extra'"
run 1 evaluate -m paper.json --data set
has err "'set' has no folder images/; add noise to labels/"
run 1 evaluate -m paper.json --data noisy -o noisy/images --force
has err "would be overwritten; choose another name for -o"
run 1 evaluate -m paper.json --data hollow --noise plain
has err "cannot open the folder 'hollow/labels'"

# folders with a missing, an extra, a differently sized and a damaged file
mv noisy/images/shapes-02.png kept.png
run 1 evaluate -m paper.json --data noisy
has err "'noisy/labels/shapes-02.png' has no picture of the same name in 'noisy/images'"
run 1 train denoise --data noisy -o x.json
has err "'noisy/labels/shapes-02.png' has no picture of the same name in 'noisy/images'"
cp kept.png noisy/images/shapes-02.png
cp kept.png noisy/images/stray.png
run 1 evaluate -m paper.json --data noisy
has err "'noisy/images/stray.png' has no picture of the same name in 'noisy/labels'"
mv noisy/images/stray.png noisy/images/shapes-02.jpg
run 1 evaluate -m paper.json --data noisy
has err "have the same name"
rm noisy/images/shapes-02.jpg
run 0 make-data denoising other --count 1 --size 50x40
cp other/labels/shapes-01.png noisy/images/shapes-02.png
run 1 evaluate -m paper.json --data noisy
has err "'noisy/images/shapes-02.png' has 50 by 40 pixels, but 'noisy/labels/shapes-02.png' 64 by 48"
head -c 200 kept.png >noisy/images/shapes-02.png
run 1 evaluate -m paper.json --data noisy
has err "noisy/images/shapes-02.png"

# ---- Ctrl-C ----

run 0 make-data denoising large --count 60 --size 700x500
# interrupt FOLDER ARGUMENTS...: stops the command when there is a file in the folder, or after a second, and wants 130.
interrupt()
{
    local folder=$1
    shift
    start "$@"
    if [ -n "$folder" ]; then
        for _ in $(seq 200); do
            [ -z "$(ls "$folder" 2>/dev/null)" ] || break
            sleep 0.05
        done
    else
        sleep 1
    fi
    kill -INT "$process" 2>/dev/null
    wait "$process"
    holds "interrupted" test $? = 130
}
interrupt part predict -m paper.json large/labels -o part --threads 1
has err "of 60 pictures are written"
interrupt judged2 evaluate -m paper.json --data large --noise plain --threads 1 -o judged2
has err "of 60 pictures are written"
interrupt "" train denoise --data large --noise plain -o stopped.json
has err "interrupted before there was a model"
holds "no model" test ! -e stopped.json
holds "nothing temporary is left" test -z "$(find . -name '*.tmp*')"

finish
