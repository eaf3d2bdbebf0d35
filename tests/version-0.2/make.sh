#!/usr/bin/env bash
# make.sh FOLDER - how the files of this folder were made, by s3svm 0.2.0, which S3SVM names.  tests/former_command.sh and
# tests/test_multi_format.c read them with the library of today and compare with the answers of then.
#
# energy.sos, problem.txt and all else that has no line here were written by hand; multi.txt has been read and written again by the
# library of then.  model.json, labels and state are the model of problem.txt, its labels and a checkpoint of its training;
# denoise-lines.json and denoise-pairs8.json were trained with --model lines and pairs8.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
s3svm=${S3SVM:?S3SVM must name the command of 0.2.0}
"$s3svm" version | grep -q '^s3svm 0\.2\.0' || { echo "'$s3svm' is not s3svm 0.2.0"; exit 1; }
mkdir -p "$1"
cd "$1"
[ "$here" = "$PWD" ] || cp "$here"/{energy,chain,weights,concave,pairs}.sos "$here"/{multi,problem,several}.txt .

# ---- energies ----

"$s3svm" convert energy.sos energy.sosb
"$s3svm" convert pairs.sos pairs.uai
"$s3svm" convert pairs.sos pairs.max
awk 'BEGIN {
    print "sos 1\nvariables 80\ncliques 63\ntables 1\nunary"
    for (i = 0; i < 80; i++) print i * 37 % 11, i * 53 % 13
    print "table 4\n0 3 3 4 3 4 4 3 3 4 4 3 4 3 3 0"
    for (y = 0; y < 7; y++) for (x = 0; x < 9; x++) print "clique 0", 10 * y + x, 10 * y + x + 1, 10 * y + x + 10, 10 * y + x + 11
}' | "$s3svm" convert - patches.sosb --from sos --to binary
for file in *.sos *.sosb *.uai *.max; do
    "$s3svm" minimize --json "$file" -o labels.txt | sed -n "s/^  \"energy\": \(.*\),\$/$file \1/p" | tr '\n' ' '
    tr -d '\n' <labels.txt
    echo
done >energies.answers
rm labels.txt

# ---- problem files ----

"$s3svm" train --problem several.txt --C 10 --threads 1 -o several.json >/dev/null
"$s3svm" predict -m several.json --problem several.txt -o several.labels >/dev/null

# ---- pictures: a disc on another ground, marks in it and above it ----

# disc KIND X Y WHAT: a picture of 24 by 20 pixels; d is how far from (X, Y), n noise.
disc()
{
    awk -v kind="$1" -v cx="$2" -v cy="$3" "BEGIN {
        print kind; print 24, 20; print 255
        for (y = 0; y < 20; y++)
            for (x = 0; x < 24; x++) {
                d = sqrt((x - cx) ^ 2 + (y - cy) ^ 2)
                n = (x * 7919 + y * 104729 + x * y * 31 + cx * 13) % 17
                $4
            }
    }"
}

album=$(mktemp -d)
trap 'rm -rf "$album"' EXIT
for task in segment label denoise; do mkdir -p "$album/$task/images" "$album/$task/labels"; done
mkdir -p "$album/segment/scribbles" "$album/denoise/maps" scribbles maps
for x in 7 10 13 16; do
    photo=$(disc P3 $x 11 'if (d < 6) print 200 + n, 110 + n, 50 + n; else print 40 + n, 70 + n, 130 + n')
    for task in segment label; do echo "$photo" >"$album/$task/images/d$x.ppm"; done
    disc P2 $x 11 'print d < 6 ? 255 : 0' >"$album/segment/labels/d$x.pgm"
    disc P2 $x 11 'print d < 3 ? 1 : y < 2 ? 2 : 0' >"$album/segment/scribbles/d$x.pgm"
    disc P2 $x 11 'print d < 6 ? 2 : y < 11 ? 0 : 1' >"$album/label/labels/d$x.pgm"
    disc P2 $x 11 'print (d < 6 && d > 3) ? 0 : 255' >"$album/denoise/labels/d$x.pgm"
    disc P2 $x 11 'print ((d < 6 && d > 3) ? 60 : 190) + 5 * (n - 8)' >"$album/denoise/images/d$x.pgm"
done
disc P3 12 11 'if (d < 6) print 200 + n, 110 + n, 50 + n; else print 40 + n, 70 + n, 130 + n' >photo.ppm
disc P2 12 11 'print d < 3 ? 1 : y < 2 ? 2 : 0' >scribbles/photo.pgm
disc P2 12 11 'print ((d < 6 && d > 3) ? 60 : 190) + 5 * (n - 8)' >noisy.pgm

# maps of 2 channels: what the pictures say, in two ways
python3 - "$album/denoise/images" "$album/denoise/maps" . maps <<'END'
import pathlib, struct, sys
for images, maps in (sys.argv[1:3], sys.argv[3:5]):
    for path in pathlib.Path(images).glob("*.pgm"):
        values = [(int(v) - 128) / 64 for v in path.read_text().split()[4:]]
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 24, 2), }".ljust(117) + "\n"
        body = b"".join(struct.pack("<2f", v, v * v) for v in values)
        (pathlib.Path(maps) / (path.stem + ".npy")).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + body)
END

# trained NAME TASK OPTIONS...: a model; paths of the album are taken out of it
trained()
{
    local name=$1 task=$2
    shift 2
    "$s3svm" train "$task" --data "$album/$task" "$@" --gap 0.2 --threads 1 -o "$name.json" >/dev/null
    sed -i "s|$album/||g" "$name.json"
}

# answered NAME PICTURE OPTIONS...: what the model makes of the picture
answered()
{
    local name=$1
    shift
    "$s3svm" predict -m "$name.json" "$@" -o answers >/dev/null
    mv answers/*.png "$name.png"
    rmdir answers
}
trained denoise-paper denoise --model paper
answered denoise-paper noisy.pgm
trained denoise-full denoise
answered denoise-full noisy.pgm
trained denoise-maps denoise --model paper --maps weights --maps-alone
answered denoise-maps noisy.pgm --maps maps
trained segment-paper segment --method s3svm --features paper
"$s3svm" segment photo.ppm --scribbles scribbles/photo.pgm -m segment-paper.json -o segment-paper.pgm >/dev/null
trained segment-amn segment --method amn --features paper
"$s3svm" segment photo.ppm --scribbles scribbles/photo.pgm -m segment-amn.json -o segment-amn.pgm >/dev/null
trained label-full label --names sky,grass,disc --model full
sed -i -E '/"features"/,$s/(\.[0-9]{2})[0-9]*/\1/g' label-full.json # of half a megabyte a tenth is left, compressed
answered label-full photo.ppm

# marks in their order, as simulated people make them: outlines and clicks that correct the model
for kind in outline scribbles; do
    "$s3svm" make-scribbles --data "$album/segment" --kind $kind --radius 2 --corrections 2 -m segment-paper.json -o . >/dev/null
    mv scribbles/d10.json "$kind.json"
    rm scribbles/d*.json
    "$s3svm" segment photo.ppm --marks $kind.json -m segment-paper.json -o $kind.pgm >/dev/null
done
gzip -9nf denoise-full.json segment-paper.json segment-amn.json label-full.json
