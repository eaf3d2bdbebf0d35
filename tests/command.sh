#!/usr/bin/env bash
# command.sh - what the s3svm command prints, writes and returns.  S3SVM names the command; SOS_SHARED_DIR may hold instances.
here=$(cd "$(dirname "$0")" && pwd)
shared=${SOS_SHARED_DIR:-$here/../../shared}
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# value NAME: the member of the JSON object in out, however deep.
value() { sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out; }


if command -v python3 >/dev/null; then
    json_check() { holds "not JSON" python3 -m json.tool out /dev/null; }
else
    echo "python3 is not there: JSON is not checked by a parser"
    json_check() { :; }
fi

cat >chain.sos <<'END'
# minimum 3 at 0 0 1, alone
sos 1
variables 3
cliques 2
tables 1
unary
0 5
1 2
4 0
table 2
0 2 2 0
clique 0 0 1
clique 0 1 2
END
cat >graph.max <<'END'
c flow 17
p max 4 7
n 3 s
n 1 t
a 3 2 5
a 3 4 2
a 2 4 4
a 4 2 1
a 2 1 3
a 4 1 6
a 3 1 10
END
cat >model.uai <<'END'
MARKOV
2
2 2
3
1 0
1 1
2 0 1

2
 1 2
2
 3 1
4
 0 4 4 0
END
cat >ties.sos <<'END'
sos 1 variables 2 cliques 1 tables 1 unary 0 0 0 0
table 2 0 1 1 0
clique 0 0 1
END

# help, version, usage
run 0 --version
version=$(cat out)
holds "the version" grep -qxE 's3svm [0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?' out
run 0 --help
has out "minimize"
has out "convert"
run 0 -V
holds "the version alone" test "$(wc -l <out)" = 1
run 0 version
has out "$version"
for part in threads processor PNG JPEG; do has out "  $part "; done
run 2 versoin
has err "did you mean 'version'?"
run 0 help
cp out list.txt
for word in help --help -h version; do
    run 0 help "$word"
    same out list.txt
done
run 0 segment --help
has out "--background auto|red|yellow|green|cyan|blue|magenta|white|black"
run 0 help minimize
cp out help.txt
has out "Usage: s3svm minimize [options] FILE..."
has out "Examples:"
run 0 minimize --help
same out help.txt
run 0 minimize -h chain.sos
same out help.txt
run 0 convert --help
has out "Usage: s3svm convert [options] IN OUT"
run 2
has err "Usage:"
run 2 help nothing
has err "unknown command 'nothing'"
run 2 minimise chain.sos
has err "did you mean 'minimize'?"
run 2 minimize
has err "no FILE given"
run 2 minimize --jsn chain.sos
has err "unknown option '--jsn'; did you mean '--json'?"
run 2 minimize --frobnicate chain.sos
has err "unknown option '--frobnicate'"
run 2 minimize -x chain.sos
has err "unknown option '-x'"
run 2 minimize chain.sos --format fast
has err "--format takes one of"
run 2 minimize chain.sos --threads many
has err "--threads takes an integer"
run 2 minimize chain.sos --threads -1
run 2 minimize chain.sos --memory-limit 1X
has err "--memory-limit takes a number of bytes"
run 2 minimize chain.sos --json=yes
has err "--json takes no value"
run 2 minimize chain.sos -o
has err "--output needs a value (LABELS)"
run 2 minimize chain.sos --json -o -
has err "both write to standard output"
run 2 minimize chain.sos graph.max -o -
has err "directory"
run 2 convert chain.sos
has err "two files"
run 2 convert chain.sos -
has err "give --to"

# minimize
run 0 minimize chain.sos
has out "3 variables, 2 cliques with 1 table"
has out "energy = lower bound: proven minimum"
holds "the energy" grep -Eqx ' *energy +3' out
holds "nothing on standard error" test ! -s err
run 0 minimize chain.sos --json -o labels.txt
json_check
is energy 3
is lower_bound 3
is rounding 0
is variables 3
is cliques 2
is ones 1
for name in seconds_read seconds_build seconds_reduce seconds_solve bytes bits fixed augmentations pushes adoptions; do
    holds "\"$name\" is missing" test -n "$(value $name)"
done
printf '0\n0\n1\n' >wanted.txt
same labels.txt wanted.txt
run 0 minimize --no-reduce --threads=2 --json chain.sos
is energy 3
run 0 minimize chain.sos -o-
same out wanted.txt
has err "proven minimum"
run 0 minimize -olabels2.txt -- chain.sos
same labels2.txt wanted.txt
"$s3svm" minimize - <chain.sos >out 2>err
holds "standard input" grep -qF "standard input" out
sed -n p chain.sos | "$s3svm" minimize --json - >out 2>err
is energy 3
run 0 minimize ties.sos -o least.txt
run 0 minimize ties.sos --maximal -o most.txt
holds "the least minimiser" test "$(cat least.txt)" = $'0\n0'
holds "the greatest minimiser" test "$(cat most.txt)" = $'1\n1'
run 0 minimize chain.sos -o least.txt
same least.txt wanted.txt

# DIMACS and UAI
run 0 minimize graph.max
holds "the flow" grep -Eqx ' *flow +17' out
has out "1 of 4 nodes on the side of the source"
run 0 minimize graph.max --json
json_check
is flow 17
is energy 17
is cut_source_side 1
run 0 minimize --uai-energies model.uai --json
is energy 3
run 0 minimize --format uai-energies model.uai --json
is energy 3
run 1 minimize model.uai
has err "model.uai:14: a potential of 0"

# several files
mkdir labels
run 0 minimize chain.sos graph.max ties.sos -o labels --threads 2 --json
json_check
holds "three objects" test "$(grep -c '"energy"' out)" = 3
same labels/chain.sos.labels wanted.txt
holds "labels of each" test -s labels/graph.max.labels -a -s labels/ties.sos.labels
run 0 minimize chain.sos graph.max
holds "two proofs" test "$(grep -c 'proven minimum' out)" = 2
cp chain.sos labels/chain.sos
run 2 minimize chain.sos labels/chain.sos -o labels
has err "would be written to the same file"
run 1 minimize chain.sos missing.sos
has err "cannot open 'missing.sos'"

# what goes wrong
run 1 minimize missing.sos
has err "s3svm: cannot open 'missing.sos'"
run 1 minimize .
has err "cannot read"
run 1 minimize chain.sos -o nowhere/labels.txt
has err "cannot write 'nowhere/labels.txt'"
run 1 minimize chain.sos --memory-limit 1
has err "chain.sos:"
head -c 100 chain.sos >cut.sos
run 1 minimize cut.sos
has err "cut.sos:"
sed 's/0 2 2 0/0 2 2 9/' chain.sos >wrong.sos
run 1 minimize wrong.sos --json -o untouched.txt
has err "wrong.sos:10: table 0: table is not submodular"
has err "by 5"
holds "no output for an error" test ! -s out -a ! -e untouched.txt
if [ -w /dev/full ]; then
    "$s3svm" minimize chain.sos >/dev/full 2>err
    holds "a full disk is a failure" test $? = 1
fi

# Costs of all magnitudes: what is lost beside a large one is told; sums beyond doubles prove nothing.
printf 'sos 1\nvariables 2\ncliques 0\ntables 0\nunary\n0 -4e-179\n0 1e251\n' >apart.sos
run 0 minimize apart.sos
has out "proven minimum up to rounding"
{ printf 'sos 1\nvariables 400\ncliques 0\ntables 0\nunary\n'; for _ in {1..400}; do echo "1e306 -1e306"; done; } >beyond.sos
run 0 minimize beyond.sos
has out "energy       -inf"
has out "certificate  none: sums of the costs are beyond the range of doubles"

# convert
run 0 convert chain.sos chain.uai --uai-energies
run 0 convert chain.uai back.sos --uai-energies
run 0 minimize back.sos --json
is energy 3
run 0 convert chain.sos chain.max
run 0 minimize chain.max --json
is energy 3
run 0 convert graph.max graph.sos
run 0 minimize graph.sos --json
is energy 17
run 0 convert graph.sos graph2.max
run 0 minimize graph2.max --json
is flow 17
run 0 convert chain.sos - --to sos
cp out copy.sos
run 0 convert chain.sos chain.sosb
run 0 convert chain.sosb chain_back.sos
run 0 convert chain.sos chain_again.sos
same chain_back.sos chain_again.sos
run 0 minimize chain.sosb
run 0 convert copy.sos copy2.sos
same copy.sos copy2.sos
"$s3svm" convert - out.max --from sos <chain.sos >out 2>err
holds "from standard input" test -s out.max
run 0 convert chain.sos chain.txt --to uai
has chain.txt "MARKOV"
run 1 convert chain.sos chain.text
has err "none of the extensions .sos, .sosb, .uai and .max"
sed 's/4 0/4000 0/' chain.sos >far.sos
run 1 convert far.sos far.uai
has err "may differ by 700"
sed 's/0 5/-10 -5/' chain.sos >below.sos
run 0 convert below.sos below.max
has err "lacks a constant of"
has below.max "c constant -"
holds "nothing temporary is left" test -z "$(find . -name '*.tmp')"

# train and predict
cat >small.txt <<'END'
# readings below 0.5 are 0, and three that stand together tend to agree
sosproblem 1
labels 2
group reading free 2
group edge nonnegative 1
group agree table 3 anchored swap
example 4
truth 0 0 1 1?
features reading
feature 0 0 1 1 0.2
feature 1 0 1 1 0.4
feature 2 0 1 1 0.7
feature 3 0 1 1 0.9
pair edge 0 1
pair edge 1 2 0.5
clique agree 1 0 1 2
clique agree 0.5 1 2 3
example 3
truth 0 1 1
class-loss 1 2
features reading feature 0 0 1 1 0.1 feature 1 0 1 1 0.6 feature 2 0 1 1 0.8
clique agree 1 0 1 2
end
END
# steady FILE OUT: the model file without what differs from run to run
steady() { grep -vE '"(seconds[a-z_]*|data|cache_hits|oracle_calls)":' "$1" >"$2"; }
run 0 train --help
has out "Usage: s3svm train [options] --problem FILE -o MODEL"
has out "--validation FILE"
run 0 help predict
run 2 train
has err "no --problem FILE given"
run 2 train --problem small.txt
has err "no MODEL given"
run 2 train --problem small.txt -o -
has err "-o must be a file"
run 2 train weave --problem small.txt -o model.json
has err "there is no task 'weave'"
run 2 train lable --data x -o model.json
has err "there is no task 'lable'; did you mean 'label'?"
run 2 experiment corle -o report
has err "there is no experiment 'corle'; did you mean 'corel'?"
run 2 experiment
has err "no EXPERIMENT given"
for words in "train label" "train segment" "train denoise" "experiment corel" "experiment denoising" "experiment interactive"; do
    # shellcheck disable=SC2086
    run 0 help $words
    has out "Usage: s3svm $words [options]"
    has out "Options:"
    holds "one line of examples at least" grep -q "^  s3svm $words" out
    cp out whole.txt
    # shellcheck disable=SC2086
    run 0 $words --help
    same out whole.txt
done
run 0 help train
has out "  label    learn to label the pixels of photographs"
run 0 help experiment
has out "  corel        label photographs"
for list in 0 -1 x 1,,2 "1," nan inf 1e999 "1 2" 0x10; do
    run 2 train --problem small.txt -o model.json --C "$list"
    has err "--C takes"
done
run 2 train --problem small.txt -o model.json --gap 1
has err "--gap"
run 2 train --problem small.txt -o model.json --seconds -1
run 2 train --problem small.txt -o model.json --slacks 2
has err "--slacks takes one of auto|1|n, not '2'"
run 2 predict --problem small.txt
has err "no MODEL given"
run 2 predict -m model.json
has err "no --problem FILE given"
run 2 predict -m model.json --problem small.txt --json -o -
has err "both write to standard output"

run 1 train --problem missing.txt -o model.json
has err "cannot open 'missing.txt'"
run 1 train --problem small.txt -o nowhere/model.json
has err "cannot write 'nowhere/model.json'"
sed 's/clique agree 0.5/clique agre 0.5/' small.txt >wrong.txt
run 1 train --problem wrong.txt -o model.json
has err "wrong.txt:17: example 0: there is no group 'agre'"
sed 's/^truth 0 1 1$/#/; s/^class-loss.*//' small.txt >untold.txt
run 1 train --problem untold.txt -o model.json
has err "untold.txt: example 1 has no true labels"
run 1 train --problem small.txt --validation untold.txt -o model.json
has err "untold.txt: example 1 has no true labels"
printf 'sosproblem 1\nlabels 2\nend\n' >empty.txt
run 1 train --problem empty.txt -o model.json
has err "empty.txt: there are no examples"
run 1 train --problem small.txt --validation empty.txt -o model.json
has err "empty.txt:3: 0 groups; the model has 3"
holds "no model for an error" test ! -e model.json

run 0 train --problem small.txt -o model.json
has out "2 examples; 3 groups of 8 weights"
has out "the duality gap is small enough"
holds "the loss" grep -Eq '^  loss +0 on the examples' out
holds "nothing on standard error" test ! -s err
cp model.json out
json_check
is outcome '"gap"'
is zero false
is C 1
holds "a fingerprint" grep -Eq '"data_fingerprint": "[0-9a-f]{16}"' model.json
run 0 predict -m model.json --problem small.txt -o labels.txt
has out "2 examples, 7 variables"
printf '0 0 1 1\n0 1 1\n' >wanted.txt
same labels.txt wanted.txt
run 0 predict -m model.json --problem small.txt -o -
same out wanted.txt
has err "on average of 2"
run 0 predict -m model.json --problem untold.txt --json
json_check
is truths 1
sed 's/^truth.*//; s/^class-loss.*//' small.txt >unlabelled.txt
run 0 predict -m model.json --problem unlabelled.txt
has out "there are no true labels"
"$s3svm" predict -m model.json --problem - -o - <small.txt >out 2>err
same out wanted.txt

# C by cross-validation
run 0 train --problem small.txt --folds 2 --C 0.1,10 -o folds.json
has out "loss on what was not learned from, in 2 folds"
has out "<- taken"
run 0 train --problem small.txt --C 0.1,10 -o usual.json
has out "loss on what was not learned from, in 2 folds"
run 0 train --problem small.txt --folds 2 -o folds.json --json
has out '"fold_loss": '
run 2 train --problem small.txt --folds 2 --validation small.txt -o folds.json
has err "exclude each other"
run 1 train --problem small.txt --folds 3 -o folds.json
has err "3 folds of 2 examples"
awk '/^example/ { n++ } n < 2' small.txt | { cat; echo end; } >single.txt
run 1 train --problem single.txt --C 0.1,10 -o folds.json
has err "single.txt: one example is not enough to choose C"

# the same model from standard input, from one thread and from two
"$s3svm" train --problem - -o piped.json --threads 1 <small.txt >out 2>err
steady model.json a.txt
steady piped.json b.txt
same a.txt b.txt
run 0 train --problem small.txt -o two.json --threads 2
steady two.json b.txt
same a.txt b.txt

# JSON lines
run 0 train --problem small.txt -o model.json --C 0.1 --slacks n --rounds 2 --json
cp out lines.jsonl
holds "an object per round" test "$(grep -c '"event": "round"' lines.jsonl)" -ge 1
holds "a summary" test "$(tail -n 1 lines.jsonl | grep -c '"event": "done"')" = 1
while IFS= read -r line; do
    printf '%s\n' "$line" >out
    json_check
done <lines.jsonl
run 0 train --problem small.txt -o model.json --C 10,0.1,1,1 --validation small.txt
has out "<- taken"
holds "three values" test "$(grep -cE '^ +(0\.1|1|10)  +[0-9]' out)" = 3

# the best C at the edge of those tried is pointed out: in the table, as a note, in the model and as JSON
run 0 train --problem small.txt -o edge.json --C 0.01,0.1 --validation small.txt
has out "<- taken, at the edge"
has err "note: the best C, 0.01, is the smallest of those tried; a smaller one may be better"
has edge.json '"C_edge": "smallest"'
run 0 train --problem small.txt -o edge.json --C 0.000001,1 --validation small.txt --json
has err "note: the best C, 1, is the largest of those tried; a larger one may be better"
has out '"C_edge": "largest"'
has edge.json '"C_edge": "largest"'
run 0 train --problem small.txt -o edge.json --C 0.000001,1,10 --validation small.txt --json
holds "no edge" test "$(grep -c C_edge edge.json out err | grep -vc ':0$')" = 0

# three labels: that the gap is against an approximate oracle is said, unless all labellings are tried
three()
{
    awk -v n="$1" 'BEGIN {
        print "sosproblem 1\nlabels 3\ngroup reading free 3\ngroup agree nonnegative 1\nexample " n "\ntruth"
        for (i = 0; i < n; i++) print int(i / 3) % 3
        print "features reading"
        for (i = 0; i < n; i++) print "feature", i, (int(i / 3) + (i % 5 == 4)) % 3, 1
        for (i = 0; i + 1 < n; i++) print "pair agree " i, i + 1, 1
        print "end"
    }'
}
three 12 >many.txt
three 7 >few.txt # 3^7 labellings
run 0 train --problem many.txt -o many.json
has out "oracle       approximate"
has out "found before was better"
has many.json '"approximate": true'
has many.json '"oracle_beaten": '
run 0 train --problem many.txt -o many2.json --json --searches 6
holds "every round says so" test "$(grep -c '"approximate": true' out)" = "$(wc -l <out)"
holds "and how often it was beaten" test "$(grep -c '"oracle_beaten": ' out)" = "$(wc -l <out)"
run 0 train --problem few.txt -o few.json
holds "nothing about an approximate oracle" test "$(grep -c approximate out)" = 0
has few.json '"approximate": false'
run 2 train --problem few.txt -o few.json --searches 0
has err "--searches"

# w = 0 is said
sed 's/^feature.*//; s/^features.*//' small.txt >blank.txt
run 0 train --problem blank.txt -o zero.json --C 0.000001
has err "the optimum is w = 0"
has zero.json '"zero": true'

# models that are not for the problem, or damaged
run 1 predict -m missing.json --problem small.txt
has err "cannot open 'missing.json'"
sed 's/agree/agre/' small.txt >other.txt
run 1 predict -m model.json --problem other.txt
has err "other.txt:7: group 2 is 'agre'; in the model it is 'agree'"
head -c 200 model.json >cut.json
run 1 predict -m cut.json --problem small.txt
has err "cut.json: line"
sed 's/"version": 1/"version": 2/' model.json >newer.json
run 1 predict -m newer.json --problem small.txt
has err "newer.json: version 2"
run 1 predict -m model.json --problem small.txt -o nowhere/labels.txt
has err "cannot write 'nowhere/labels.txt'"

# a checkpoint is left whenever training ends before its goal, and gone on from
run 0 train --problem small.txt -o model.json --rounds 1 --gap 0 --checkpoint state
has err "before it had learned anything"
holds "a checkpoint" test -s state
run 0 train --problem small.txt -o model.json --checkpoint state
has out "the duality gap is small enough"
has out "resumed"
run 0 train --problem small.txt -o model.json --rounds 2 --gap 0 --checkpoint often --checkpoint-seconds 0
run 2 train --problem small.txt -o model.json --checkpoint-seconds -1
has err "must not be negative"
run 1 train --problem small.txt -o model.json --checkpoint nowhere/state
has err "nowhere"

# Ctrl-C keeps the best model.  Gap 0 is never reached, and so large a problem takes long to find that out.
rm -f kept.json
problem_of 100000 >large.txt
start train --problem large.txt -o kept.json --gap 0 --C 10 --json
for _ in $(seq 100); do
    test "$(grep -c '"event": "round"' out)" -ge 3 && break
    sleep 0.05
done
kill -INT "$process" 2>/dev/null
wait "$process"
holds "interrupted" test $? = 130
has err "interrupted: the best model so far"
has kept.json '"outcome": "stopped"'
run 0 predict -m kept.json --problem large.txt

# the worked example of docs/learning.md
if command -v python3 >/dev/null; then
    for i in 1 2 3; do python3 "$here/../examples/learning/hypergraph.py" "$i" >"clubs$i.txt"; done
    run 0 train --problem clubs1.txt --validation clubs2.txt --gap 0.01 --C 0.1,1,10 -o clubs.json
    run 0 predict -m clubs.json --problem clubs3.txt --json
    holds "a loss below 0.15" awk -v "loss=$(value loss | head -n 1)" 'BEGIN { exit !(loss < 0.15) }'
fi
holds "nothing temporary is left" test -z "$(find . -name '*.tmp')"

# the README's example, where it was built
quick=$(dirname "$s3svm")/examples/quick
if [ -x "$quick" ]; then
    "$quick" >out 2>err
    holds "the quick example" grep -qx "energy 7, lower bound 7" out
fi

# known minima
if [ -r "$shared/instances/tiny_sqrt4.sos" ]; then
    for pair in tiny_sqrt4=9278 tiny_rand50=6755 tiny_pair4=7673 tiny_card9=10409 tiny_rand9=9423; do
        run 0 minimize "$shared/instances/${pair%=*}.sos" --json
        is energy "${pair#*=}"
        is lower_bound "${pair#*=}"
    done
else
    echo "no instances in $shared: their known minima are not checked"
fi

finish
