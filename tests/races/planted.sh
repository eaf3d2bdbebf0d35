#!/usr/bin/env bash
# planted.sh - the thread sanitizer reports races that were planted, and none where there is none.  PLANTED names the program.
set -u
failed=0
export TSAN_OPTIONS=ignore_noninstrumented_modules=1
for kind in sum early; do
    said=$("${PLANTED:?}" "$kind" 2>&1)
    code=$?
    if [ "$code" -ne 66 ] || ! grep -q "WARNING: ThreadSanitizer: data race" <<<"$said" || ! grep -q "planted.c" <<<"$said"; then
        echo "$kind: no race is reported, exit code $code: $said"
        failed=1
    fi
done
for _ in 1 2 3 4 5; do
    said=$("$PLANTED" none 2>&1)
    code=$?
    if [ "$code" -ne 0 ] || grep -q ThreadSanitizer <<<"$said"; then
        echo "there is no race, but: exit code $code: $said"
        failed=1
    fi
done
exit "$failed"
