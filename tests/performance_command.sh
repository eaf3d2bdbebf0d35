#!/usr/bin/env bash
# performance_command.sh - scripts/performance tells a loss of instructions from none, and another answer.  JOBS names bench/jobs.
set -eu
if ! command -v valgrind >/dev/null || ! command -v python3 >/dev/null; then
    echo "without valgrind or python3 there is nothing to count by"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# performance CODE ARGUMENTS...: it must return CODE; what it says is in out.
performance()
{
    local code=$1 got=0
    shift
    python3 "$SOURCE_DIR/scripts/performance" "$@" --jobs "$JOBS" --history "$work" --only tables >"$work/out" 2>&1 || got=$?
    [ "$got" = "$code" ] && return
    echo "FAILED: performance $*: returned $got, not $code"
    cat "$work/out"
    failures=$((failures + 1))
}

has() { grep -qF -- "$1" "$work/out" || { echo "FAILED: no '$1'"; cat "$work/out"; failures=$((failures + 1)); }; }

# history PER_CENT ANSWER: as if it had taken so many per cent of what it takes now, and come to that.
history()
{
    printf 'date,commit,compiler,job,instructions,answer\n2026-01-01,none,"%s",tables,%d,%s\n' \
        "$compiler" $((counted * $1 / 100)) "$2" >"$work/instructions.csv"
}

compiler=$("$JOBS" | head -n 1)
performance 77 check
has "nothing is recorded"
printf 'date,commit,compiler,job,instructions,answer\n2026-01-01,none,"%s",tables,1,1\n' "$compiler" >"$work/instructions.csv"
performance 1 check
has "another answer"
counted=$(sed -n 's/^tables  *1  *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)
answer=$("$JOBS" tables)
answer=${answer#tables: }
history 100 "$answer"
performance 0 check
has "0.00%" # or -0.00%: a handful of instructions of millions are the system's
history 98 "$answer"
performance 0 check
history 96 "$answer"
performance 1 check
has "more than 3 %"
performance 0 check --limit 5
performance 0 show
has "tables"
echo "$failures failed"
[ $failures = 0 ]
