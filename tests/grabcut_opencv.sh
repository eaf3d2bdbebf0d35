#!/usr/bin/env bash
# grabcut_opencv.sh - our GrabCut against OpenCV's, on photographs with scribbles: SOS_SHARED_DIR must hold data/interactive.
# SOS_GRABCUT_IMAGES says how many of them to take, evenly spread; all of them take some minutes.
set -u

here=$(cd "$(dirname "$0")" && pwd)
shared=${SOS_SHARED_DIR:-$here/../../shared}
data=$shared/data/interactive
python=${PYTHON:-/usr/bin/python3}

skip()
{
    echo "skipped: $1"
    exit 77
}

[ -d "$data/scribbles" ] || skip "no photographs with scribbles in '$data'"
"$python" -c 'import cv2, numpy' 2>/dev/null || skip "no OpenCV for $python (Debian: python3-opencv)"

# The program that segments is built beside the command, in the folder of the tests.
built=$(dirname "${S3SVM:-.}")
for program in "${TEST_GRABCUT:-}" "$built/tests/test_grabcut" "$built/../tests/test_grabcut"; do
    [ -x "$program" ] && break
done
[ -x "$program" ] || skip "no program test_grabcut near '$built'"

exec "$python" "$here/grabcut_opencv.py" "$program" "$data" "${SOS_GRABCUT_IMAGES:-4}"
