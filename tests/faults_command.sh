#!/usr/bin/env bash
# faults_command.sh - some of the faults of files that make faults lets happen, in every scenario.  S3SVM names the command, INJECT
# the library of faults/inject.c; SOS_TEST_SEED says which.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
[ -n "${INJECT:-}" ] || { echo "no library to inject faults: it needs glibc"; exit 77; }
"$s3svm" version | grep -q 'built without libmicrohttpd' && { echo "without libmicrohttpd: no server"; exit 77; }
python=$(command -v /usr/bin/python3 || command -v python3) || { echo "no python3"; exit 77; }
exec "$python" "${SOURCE_DIR:?}/tests/faults/faults.py" --share 0.01 --seed "${SOS_TEST_SEED:-0}"
