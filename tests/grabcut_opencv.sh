#!/usr/bin/env bash
# grabcut_opencv.sh - our GrabCut against OpenCV's, on photographs with scribbles if SOS_SHARED_DIR holds data/interactive, else
# on pictures made for the occasion.  SOS_GRABCUT_IMAGES says how many photographs to take, evenly spread; all of them take some
# minutes.  Without OpenCV there is nothing to compare with: skipped, or failed where SOS_PEERS_REQUIRED is 1.
set -u

here=$(cd "$(dirname "$0")" && pwd)
data=${SOS_SHARED_DIR:-$here/../../shared}/data/interactive
python=${SOS_PYTHON:-/usr/bin/python3}

missing()
{
    [ "${SOS_PEERS_REQUIRED:-0}" != 1 ] || { echo "FAILED: $1" >&2; exit 1; }
    echo "skipped: $1"
    exit 77
}

"$python" -c 'import cv2, numpy' 2>/dev/null || missing "no OpenCV for $python (Debian: python3-opencv)"

# The program that segments is built beside the command, in the folder of the tests.
built=$(dirname "${S3SVM:-.}")
for program in "${TEST_GRABCUT:-}" "$built/tests/test_grabcut" "$built/../tests/test_grabcut"; do
    [ -x "$program" ] && break
done
[ -x "$program" ] || missing "no program test_grabcut near '$built'"

if [ -d "$data/scribbles" ]; then
    exec "$python" "$here/grabcut_opencv.py" "$program" "$data" "${SOS_GRABCUT_IMAGES:-4}"
fi
exec "$python" "$here/grabcut_opencv.py" "$program"
