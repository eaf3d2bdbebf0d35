#!/usr/bin/env bash
# network_maps.sh - examples/maps/network.py and network.mjs make the maps that a tiny network says, by whatever runs it: onnxruntime
# or OpenCV for Python; onnxruntime-node and sharp for Node, found as Node finds packages (NODE_PATH), or left out with a word.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
python=${SOS_PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy, cv2' 2>/dev/null || { echo "skipped: no OpenCV for $python (Debian: python3-opencv)"; exit 77; }
"$python" -c 'import onnx' 2>/dev/null || { echo "skipped: no onnx for $python (Debian: python3-onnx)"; exit 77; }
"$python" "$SOURCE_DIR/tests/network_maps.py" make . || exit 1

# make CODE WORDS...: the script that is tested must return the code
make()
{
    local code=$1 got
    shift
    "${script[@]}" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ "$got" = "$code" ] || fail "${script[*]} $*: returned $got, not $code"
}

# right MAPS KIND ORDER MEAN SCALE
right() { holds "$1 differs from the definition" "$python" "$SOURCE_DIR/tests/network_maps.py" check . "$@"; }

both_scripts()
{
    local tiny=(tiny.onnx data --size 24x16) rgb=(--mean "123,116,103" --scale "58,57,56")
    rm -rf data/maps odds mask two soft0 soft1
    make 0 "${tiny[@]}" --mean 128 --scale 64 --output mask
    has err "data/maps: 3 maps made, 0 were there, 0 failed"
    right data/maps probability rgb 128,128,128 64,64,64
    make 0 "${tiny[@]}" "${rgb[@]}" --values logits --output odds -o odds --threads 1
    right odds logits rgb 123,116,103 58,57,56
    make 0 "${tiny[@]}" "${rgb[@]}" --order bgr --output mask -o mask
    right mask probability bgr 123,116,103 58,57,56
    make 0 "${tiny[@]}" "${rgb[@]}" --output mask --output odds --values logits -o two
    right two both rgb 123,116,103 58,57,56
    for channel in 0 1; do
        make 0 "${tiny[@]}" "${rgb[@]}" --output labels --values softmax --channel "$channel" -o "soft$channel"
        right "soft$channel" "softmax$channel" rgb 123,116,103 58,57,56
    done

    # what is there stays, and only that: a run goes on where another one ended
    cp odds/tall.npy kept.npy
    printf x >odds/small.npy
    rm odds/tall.npy
    make 0 "${tiny[@]}" "${rgb[@]}" --values logits --output odds -o odds
    has err "odds: 1 maps made, 2 were there, 0 failed"
    same odds/tall.npy kept.npy
    holds "what was there was replaced" test "$(cat odds/small.npy)" = x
    holds "files were left behind" test "$(find odds -type f | wc -l)" = 3

    # one picture that cannot be read, and the others are made; nothing is half written
    mkdir -p broken/images
    cp data/images/small.png broken/images
    head -c 40 data/images/large.png >broken/images/cut.png
    make 1 tiny.onnx broken --size 24x16 --output mask
    has err "'broken/images/cut.png': "
    has err "1 maps made, 0 were there, 1 failed"
    holds "one map" test "$(names broken/maps)" = "small.npy "
    rm -r broken

    # messages
    make 1 "${tiny[@]}" --output odds -o none
    has err "data/images/small.png"
    has err "--values logits?"
    make 1 "${tiny[@]}" --output nothing -o none
    has err "the network has no output 'nothing'; it has"
    make 1 "${tiny[@]}" -o none
    has err "the network has 3 outputs (labels, mask, odds): --output names the one to take"
    make 1 "${tiny[@]}" --output mask --channel 5 -o none
    has err "there is no channel 5"
    make 1 "${tiny[@]}" --values softmax --output mask -o none
    has err "output 'mask' has one channel"
    make 1 tiny.onnx nowhere --size 24x16
    has err "nowhere/images': there is no such folder"
    cp tiny.onnx copy.onnx
    truncate -s 60 copy.onnx
    make 1 copy.onnx data --size 24x16 -o none
    has err "copy.onnx"
    holds "maps were written all the same" test -z "$(find none -type f)"
    rm -r none
}

script=("$python" "$SOURCE_DIR/examples/maps/network.py")
both_scripts
if node -e 'require("onnxruntime-node"); require("sharp")' 2>/dev/null; then
    script=(node "$SOURCE_DIR/examples/maps/network.mjs")
    both_scripts
else
    echo "without Node: no onnxruntime-node and sharp from npm where it looks (NODE_PATH)"
fi
finish
