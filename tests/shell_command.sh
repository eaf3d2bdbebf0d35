#!/usr/bin/env bash
# shell_command.sh - completions and manual pages: every command, task and option is in them, and shells and man read them
# without a complaint.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# ---- completions ----

for shell in bash zsh fish; do
    run 0 completion "$shell"
    cp out "completion.$shell"
    has out "checkpoint"
    has out "denoising"
    if command -v "$shell" >/dev/null; then holds "$shell reads it" "$shell" -n "completion.$shell"; fi
done
run 2 completion
has err "give one of bash, zsh and fish"
run 2 completion tcsh
has err "no completion for 'tcsh'"

# completes WANTED WORDS...: what bash would offer for the last word.
completes()
{
    local wanted=$1
    shift
    # shellcheck disable=SC2016  # for the other shell
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _s3svm; echo "${COMPREPLY[@]}"' - s3svm "$@" >out
    checks=$((checks + 1))
    [ "$(cat out)" = "$wanted" ] || fail "s3svm $* completes to '$(cat out)', not '$wanted'"
}
completes "train" tr
completes "denoise" train den
completes "clicks corel" experiment c
completes "--model" train denoise --mod
completes "paper full" train segment --features ""
completes "--maximal" minimize --max
completes "--checkpoint --checkpoint-seconds" train --checkp

# ---- manual pages ----

run 0 manual -o pages
run 0 --help
mapfile -t names < <(sed -n '1,/^Options:/s/^  \([a-z-]*\) .*/\1/p' out | grep -vE '^(help|version)$')
for name in "${names[@]}"; do
    holds "a page of $name" test -s "pages/s3svm-$name.1"
    "$s3svm" "$name" --help >help
    mapfile -t options < <(sed -n 's/^  .*--\([a-zA-Z-]*\).*/\1/p' help | sort -u)
    for option in "${options[@]}"; do
        holds "--$option in the page of $name" grep -q -- "${option//-/\\\\-}" "pages/s3svm-$name.1"
    done
done
holds "a page of each task" test -s pages/s3svm-train-label.1 -a -s pages/s3svm-experiment-interactive.1
if command -v groff >/dev/null; then
    groff -man -Tascii -ww pages/*.1 >out 2>err
    checks=$((checks + 1))
    [ ! -s err ] || fail "groff complains"
fi
run 0 manual train denoise
has out "S3SVM-TRAIN-DENOISE"
run 2 manual weave
has err "there is no page 's3svm weave'"

finish
