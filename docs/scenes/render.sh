#!/bin/sh
# render.sh [SCENE...] - renders the scenes of this folder into ../segmentation: images/, labels/ (the true masks) and scribbles/.
#
# Needs what Debian calls povray, python3-numpy and python3-pil (the group "scenes" of scripts/packages) and installs nothing.
# All scenes take one core about two hours; two are rendered at once.  WORK=FOLDER keeps the renderings in linear light.
set -eu
cd "$(dirname "$0")"

complain() { echo "render.sh: $*" >&2; exit 1; }
python=${PYTHON:-/usr/bin/python3}
command -v povray >/dev/null || complain "no povray: install Debian's package povray"
"$python" -c "import numpy, PIL" 2>/dev/null || complain "$python has no numpy or PIL: install Debian's packages python3-numpy and python3-pil"

[ $# -gt 0 ] || set -- star fruit toy mug plant
for scene in "$@"; do
    [ -f "$scene.pov" ] || complain "no scene $scene.pov"
done

work=${WORK:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work" ../segmentation/images ../segmentation/labels ../segmentation/scribbles
export work python

# One thread for each scene: the order in which several take samples of indirect light would show in the picture.
# shellcheck disable=SC2016  # expanded by the inner shell
printf '%s\n' "$@" | xargs -P 2 -I SCENE nice -n 10 sh -c '
    set -eu
    scene=$1
    trace()
    {
        povray "+I$scene.pov" "+O$work/$1.ppm" +FP16 File_Gamma=1.0 +W640 +H480 -D +WT1 +MV3.7 "Declare=Mask=$2" -GA >"$work/$1.log" 2>&1 ||
            { cat "$work/$1.log" >&2; echo "render.sh: $scene failed" >&2; exit 255; }
    }
    trace "$scene" 0
    trace "$scene-mask" 1
    "$python" develop.py picture "$work/$scene.ppm" "../segmentation/images/$scene.jpg"
    "$python" develop.py mask "$work/$scene-mask.ppm" "../segmentation/labels/$scene.png"
    "$python" strokes.py "$scene.strokes" "../segmentation/scribbles/$scene.png"
    echo "$scene is done"
' sh SCENE
