# check.sh - what the tests of the command share, which source it: a folder of their own to work in, and checks that are counted.
# S3SVM names the command.
# shellcheck shell=bash
set -u

s3svm=${S3SVM:?S3SVM must name the command to test}
[ -x "$s3svm" ] || { echo "'$s3svm' is not a command"; exit 1; }
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
: >out
: >err

failures=0
checks=0

fail()
{
    printf 'FAILED: %s\n' "$1"
    sed 's/^/    out: /' out
    sed 's/^/    err: /' err
    failures=$((failures + 1))
}

# run CODE ARGUMENTS...: the command must return CODE; its output lands in out and err.
run()
{
    local code=$1 got
    shift
    "$s3svm" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ "$got" = "$code" ] || fail "s3svm $*: returned $got, not $code"
}

# start ARGUMENTS...: the command in the background, as a shell at a terminal starts it: signals are heard.  Its number is in process.
start()
{
    set -m
    "$s3svm" "$@" >out 2>err </dev/null &
    # shellcheck disable=SC2034  # for those who source this
    process=$!
    set +m
}

# has FILE TEXT: the file holds the text.
has()
{
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || fail "no '$2' in $1"
}

# same FILE FILE: the files or folders are equal.
same()
{
    checks=$((checks + 1))
    diff -r "$1" "$2" >/dev/null || fail "$1 and $2 differ"
}

# differ FILE FILE: the files are there, and are not equal.
differ()
{
    checks=$((checks + 1))
    cmp "$1" "$2" >/dev/null 2>&1
    [ $? = 1 ] || fail "$1 and $2 are the same, or not there"
}

# holds WHAT COMMAND...: the command succeeds.
holds()
{
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

# missing FILE: it was not written.
missing()
{
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 was written"
}

# value NAME: the member of the JSON object in out.
value() { sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out; }

# is NAME VALUE
is()
{
    checks=$((checks + 1))
    [ "$(value "$1")" = "$2" ] || fail "\"$1\" is '$(value "$1")', not '$2'"
}

# below NAME X
below() { holds "$1 is not below $2" awk -v "x=$(value "$1" | head -n 1)" -v "limit=$2" 'BEGIN { exit !(x != "" && x < limit) }'; }

# names FOLDER: what is in it, in one line.
names() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | tr '\n' ' '; }

# well_formed FILE: a page whose elements are closed in their order; where there is no python3, any.
well_formed()
{
    command -v python3 >/dev/null || return 0
    holds "$1 is well-formed" python3 - "$1" <<'END'
import html.parser, sys
void = {"meta", "input", "img", "br", "hr", "link", "path", "line", "circle", "rect", "polyline"}
class Checker(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag not in void: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        if tag not in void: assert self.open.pop() == tag, tag
c = Checker()
c.feed(open(sys.argv[1], encoding="utf-8").read())
assert not c.open, c.open
END
}

# problem_of N: a problem to train on that N makes as large as one likes.
problem_of()
{
    awk -v "n=$1" 'BEGIN {
        srand(1)
        print "sosproblem 1\nlabels 2\ngroup reading free 1\ngroup agree table 3\nexample " n "\ntruth"
        for (i = 0; i < n; i++) print int(i / 50) % 2
        print "features reading"
        for (i = 0; i < n; i++) printf "feature %d 0 %.3f\n", i, int(i / 50) % 2 - 0.5 + 2 * (rand() - 0.5)
        for (i = 0; i + 2 < n; i++) print "clique agree 1 " i, i + 1, i + 2
        print "end"
    }'
}

# The end of a test.
finish()
{
    echo "$checks checks, $failures failed"
    [ "$failures" = 0 ]
}
