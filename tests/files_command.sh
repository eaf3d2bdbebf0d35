#!/usr/bin/env bash
# files_command.sh - what the command reads it never writes over; what cannot be written is known before long work; one bad file
# of many does not cost the good ones; names need not be UTF-8.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

if command -v python3 >/dev/null; then
    json_check() { holds "not JSON" python3 -m json.tool out /dev/null; }
else
    echo "python3 is not there: JSON is not checked by a parser"
    json_check() { :; }
fi

for name in a b c; do
    cat >$name.sos <<'END'
sos 1
variables 2
cliques 1
tables 1
unary
0 5
4 0
table 2
0 2 2 0
clique 0 0 1
END
done
cat >small.txt <<'END'
sosproblem 1
labels 2
group reading free 2
group agree table 3 anchored swap
example 4
truth 0 0 1 1
features reading
feature 0 0 1 1 0.2
feature 1 0 1 1 0.4
feature 2 0 1 1 0.7
feature 3 0 1 1 0.9
clique agree 1 0 1 2
end
END
mkdir kept
cp ./*.sos small.txt kept

# kept_all: nothing that was read has changed.
kept_all()
{
    for file in kept/*; do same "$file" "${file#kept/}"; done
}

# ---- minimize and convert: inputs, by whatever name ----

ln -s a.sos link.sos
ln b.sos hard.sos
for other in a.sos ./a.sos "$PWD/a.sos" link.sos ../"$(basename "$PWD")"/a.sos; do
    run 1 minimize a.sos -o "$other"
    has err "'a.sos' would be overwritten; choose another name for -o"
    run 1 convert a.sos "$other" --to sos
    has err "'a.sos' would be overwritten; choose another name for OUT"
done
run 1 minimize hard.sos -o b.sos
has err "would be overwritten"
mkdir deep
cp a.sos deep/x.sos
cp a.sos deep/x.sos.labels
run 1 minimize deep/x.sos deep/x.sos.labels -o deep
has err "'deep/x.sos.labels' would be overwritten"
same deep/x.sos.labels a.sos
kept_all
run 0 minimize a.sos -o new.labels
run 0 minimize a.sos -o new.labels

# ---- one bad file of many ----

echo nonsense >bad.sos
mkdir labels
run 1 minimize a.sos bad.sos missing.sos c.sos -o labels
has err "bad.sos"
has err "cannot open 'missing.sos'"
has err "2 of 4 files failed"
holds "two proofs" test "$(grep -c 'proven minimum' out)" = 2
holds "the labels of the good ones" test "$(names labels)" = "a.sos.labels c.sos.labels "
run 1 minimize bad.sos a.sos --json
json_check
holds "one result" test "$(grep -c '"energy"' out)" = 1
holds "one error" test "$(grep -c '"error": ".*bad.sos' out)" = 1
awk 'BEGIN {
    n = 2000
    print "sos 1 variables", n, "cliques", n - 1, "tables 1 unary"
    for (i = 0; i < n; i++) print i % 3, i % 5
    print "table 2 0 2 2 0"
    for (i = 0; i + 1 < n; i++) print "clique 0", i, i + 1
}' >large.sos
run 1 minimize a.sos large.sos b.sos --memory-limit 20K -o labels --json
json_check
has err "large.sos: "
has err "1 of 3 files failed"
holds "two results" test "$(grep -c '"energy"' out)" = 2
holds "no labels of the large one" test ! -e labels/large.sos.labels

# ---- train: known before, not after ----

"$s3svm" train --problem small.txt -o model.json >out 2>err
cp model.json kept
mkdir folder
long=$(printf '%0300d' 0).json
for option in -o --checkpoint; do
    other=(-o new.json)
    [ "$option" = -o ] && other=()
    run 1 train --problem small.txt "${other[@]}" "$option" folder
    has err "cannot write 'folder'"
    run 1 train --problem small.txt "${other[@]}" "$option" "$long"
    has err "cannot write"
    run 1 train --problem small.txt "${other[@]}" "$option" nowhere/x.json
    has err "cannot write 'nowhere/x.json'"
    run 1 train --problem small.txt "${other[@]}" "$option" small.txt
    has err "'small.txt' would be overwritten; choose another name for $option"
    run 1 train --problem a.sos --validation small.txt "${other[@]}" "$option" ./small.txt
    has err "'small.txt' would be overwritten; choose another name for $option"
done
run 2 train --problem small.txt -o new.json --checkpoint ./new.json
has err "-o and --checkpoint cannot both be './new.json'"
run 1 train --problem missing.txt -o nowhere/x.json
has err "cannot write 'nowhere/x.json'" # before the data are read
missing new.json
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    run 1 train --problem small.txt -o locked/x.json
    has err "cannot write 'locked/x.json'"
fi
run 0 train --problem small.txt -o model2.json --checkpoint state
kept_all

# ---- predict ----

run 1 predict -m model.json --problem small.txt -o model.json
has err "'model.json' would be overwritten"
run 1 predict -m model.json --problem small.txt -o ./small.txt
has err "'small.txt' would be overwritten"
kept_all

# ---- bytes that are no UTF-8, in names, notes and problems ----

odd=$(printf 'caf\351')
cp a.sos "$odd.sos" 2>/dev/null
if [ -e "$odd.sos" ]; then
    run 0 minimize "$odd.sos" --json
    json_check
    cp small.txt "$odd.txt"
    run 0 train --problem "$odd.txt" -o "$odd.json" --note "$odd" --json
    tail -n 1 out >last
    cp last out
    json_check
    cp "$odd.json" out
    json_check
    run 0 predict -m "$odd.json" --problem "$odd.txt" --json
    json_check
fi
sed "s/agree/$odd/" small.txt >odd.txt
run 1 train --problem odd.txt -o odd.json
has err "odd.txt:4: expected the name of a group"
missing odd.json

holds "nothing temporary is left" test -z "$(find . -name '*.tmp*')"
finish
