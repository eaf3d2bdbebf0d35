#!/usr/bin/env bash
# serve_protocol.sh - what s3svm serve answers, asked by serve/protocol.py and serve/exports.py.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
"$s3svm" version | grep -q 'built without libmicrohttpd' && { echo "without libmicrohttpd: no server"; exit 77; }
python=$(command -v /usr/bin/python3 || command -v python3) || { echo "no python3"; exit 77; }
"$python" "${SOURCE_DIR:?}/tests/serve/protocol.py" && exec "$python" "${SOURCE_DIR:?}/tests/serve/exports.py"
