#!/usr/bin/env bash
# run.sh COMMAND - what make web made: the package in Node, and the page in Chromium where there is one.
set -euo pipefail
S3SVM=$(realpath "$1")
cd "$(dirname "$0")"
SOURCE_DIR=$(realpath ../..)
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
export S3SVM SOURCE_DIR CHROMIUM

tests=(package.test.mjs)
if [ -n "$CHROMIUM" ]; then
    tests+=(page.test.mjs)
else
    echo "no Chromium: without the tests of the page"
fi
node --test "${tests[@]}"
