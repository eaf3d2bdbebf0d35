#!/usr/bin/env bash
# signals_command.sh - what ends the command early loses nothing: Ctrl-C, SIGTERM and SIGHUP, a reader that has gone, files that may
# not grow.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

problem_of 50000 >large.txt
endless=(train --problem large.txt --gap 0 --C 10 --json --threads 1)

# rounds N: waits until so many are over.
rounds()
{
    for _ in $(seq 200); do
        [ "$(grep -c '"event": "round"' out)" -ge "$1" ] && return
        sleep 0.05
    done
}

# ---- signals that ask for the end ----

for signal in TERM HUP; do
    rm -f kept.json state
    start "${endless[@]}" -o kept.json --checkpoint state
    rounds 3
    kill -s $signal "$process"
    kill -s $signal "$process" # at once: the same request, as timeout and shells repeat it
    wait "$process"
    holds "interrupted by SIG$signal" test $? = 130
    has err "interrupted: the best model so far"
    has kept.json '"outcome": "stopped"'
    holds "a checkpoint after SIG$signal" test -s state
done

# ---- those that were ignored at the start ----

for signal in HUP INT TERM; do
    rm -f kept.json
    trap '' $signal
    start "${endless[@]}" -o kept.json
    trap - $signal
    rounds 2
    kill -s $signal "$process"
    rounds 4
    holds "SIG$signal stays ignored" kill -0 "$process"
    other=TERM
    [ $signal = TERM ] && other=INT
    kill -s $other "$process"
    wait "$process"
    holds "SIG$other is not" test $? = 130
done

# ---- a reader that has gone ----

"$s3svm" train --problem large.txt -o piped.json --json --threads 1 --rounds 4 2>err | head -n 1 >out
holds "training goes on" test "${PIPESTATUS[0]}" = 0
has out '"round": 1'
has piped.json '"outcome": "rounds"'
holds "nothing is said" test ! -s err
"$s3svm" help train 2>err | true
holds "nor of other commands" test "${PIPESTATUS[0]}${PIPESTATUS[1]}" = 00
holds "nothing is said" test ! -s err

# ---- what cannot be written ----

# limited KILOBYTES ARGUMENTS...: the command with files that may have so many.
limited()
{
    local most=$1
    shift
    (
        ulimit -f "$most"
        exec "$s3svm" "$@"
    ) >out 2>err </dev/null
}

limited 1 make-data denoising drawings --count 2 --size 300x300
holds "make-data fails" test $? = 1
has err "cannot write 'drawings/labels/shapes-01.png': File too large"
awk 'BEGIN { n = 20000; print "sos 1 variables", n, "cliques 0 tables 0 unary"; for (i = 0; i < n; i++) print i % 3, i % 5 }' >large.sos
for ending in sos sosb; do
    limited 1 convert large.sos copy.$ending
    holds "convert fails" test $? = 1
    has err "cannot write 'copy.$ending': File too large"
done
limited 1 minimize large.sos -o labels.txt
has err "cannot write 'labels.txt': File too large"
if [ -w /dev/full ]; then
    for name in - /dev/full; do
        "$s3svm" convert large.sos $name --to sos >/dev/full 2>err
        holds "a full device" test $? = 1
        holds "a reason, once" test "$(cat err)" = "s3svm: cannot write '${name/#-/standard output}': No space left on device"
    done
    "$s3svm" minimize large.sos -o - >/dev/full 2>err
    holds "a full device" test $? = 1
    has err "cannot write standard output: No space left on device"
fi
holds "nothing temporary is left" test -z "$(find . -name '*.tmp*')"
finish
