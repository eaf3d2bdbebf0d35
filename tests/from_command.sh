#!/usr/bin/env bash
# from_command.sh - s3svm train --from: models that learn away from another one, for problems and for each task.  S3SVM names
# the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

# far FILE FILE: the distance of the weights of two models that have the same groups, by the weights of the first
far()
{
    python3 -c '
import json, math, sys
def flat(x):
    return [y for e in x for y in flat(e)] if isinstance(x, list) else [x]
def weights(path):
    return flat([g["weights"] for g in json.load(open(path))["groups"]])
a, b = weights(sys.argv[1]), weights(sys.argv[2])
assert len(a) == len(b)
print(math.dist(a, b) / math.hypot(*a))' "$1" "$2"
}

# near FILE FILE, moved FILE FILE: the weights are as good as the same; or are not
near() { holds "$1 and $2 are $(far "$1" "$2") apart" awk -v "x=$(far "$1" "$2")" 'BEGIN { exit !(x != "" && x < 1e-4) }'; }
moved() { holds "$1 and $2 are $(far "$1" "$2") apart" awk -v "x=$(far "$1" "$2")" 'BEGIN { exit !(x > 1e-3) }'; }

# fact FILE KEY: a fact of a model
fact() { python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["facts"].get(sys.argv[2])))' "$1" "$2"; }

# ---- problems ----

# problem FILE THRESHOLD: readings below it are 0, and three that stand together tend to agree
problem()
{
    cat >"$1" <<END
sosproblem 1
labels 2
group reading free 2
group agree table 3 anchored swap
example 4
truth $(for x in 0.2 0.4 0.7 0.9; do awk -v "x=$x" -v "t=$2" 'BEGIN { printf "%d ", (x > t) }'; done)
features reading
feature 0 0 1 1 0.2
feature 1 0 1 1 0.4
feature 2 0 1 1 0.7
feature 3 0 1 1 0.9
clique agree 1 0 1 2
clique agree 0.5 1 2 3
end
END
}
problem low.txt 0.5
problem high.txt 0.8
run 0 train --problem low.txt --C 100 --note first -o low.json
run 0 train --problem high.txt --from low.json --C 1e-14 -o held.json
has err "the optimum is the model that it began with"
near low.json held.json
holds "it says where it comes from" test "$(fact held.json from)" = '"low.json"'
holds "and not what the other one said" test "$(fact held.json note)" = null
run 0 train --problem high.txt --from low.json --C 1 -o moved.json
run 0 train --problem high.txt --from low.json --C 100 --note second -o free.json
moved low.json moved.json
holds "the larger C is, the further" awk -v "x=$(far low.json moved.json)" -v "y=$(far low.json free.json)" 'BEGIN { exit !(x < y) }'
holds "a note of its own" test "$(fact free.json note)" = '"second"'
run 0 predict -m free.json --problem high.txt -o labels.txt
echo "0 0 0 1" >wanted.txt
same labels.txt wanted.txt
run 1 train --problem high.txt --from missing.json -o out.json
has err "missing.json"
sed 's/table 3/table 3 # other/; s/reading free 2/reading free 3/' high.txt >other.txt
run 1 train --problem other.txt --from low.json -o out.json
has err "other.txt"
run 1 train --problem high.txt --from low.json -o low.json
has err "low.json"
missing out.json

# ---- tasks: features are those of the model, and hold with its weights ----

# data FOLDER TASK COUNT SEED KIND
data() { python3 "$SOURCE_DIR/tests/maps_data.py" "$@" || exit 1; }

# goes_on TASK OPTIONS...: a model goes on from another one on other pictures
goes_on()
{
    local task=$1
    shift
    data "$task-1" "$task" 5 1 two
    data "$task-2" "$task" 5 2 two
    run 0 train "$task" --data "$task-1" "$@" --C 30 --rounds 30 -o "$task.json"
    run 0 train "$task" --data "$task-2" --from "$task.json" --C 1e-9 -o held.json
    near "$task.json" held.json
    run 0 train "$task" --data "$task-2" --from "$task.json" --C 300 --rounds 30 -o moved.json
    moved "$task.json" moved.json
    for key in features maps labels; do
        fact "$task.json" $key >a.txt
        fact moved.json $key >b.txt
        same a.txt b.txt
    done
    run 0 evaluate -m moved.json --data "$task-2"
}
goes_on denoise --model paper
goes_on segment --features paper --method amn
goes_on label --model pairwise
run 1 train label --data label-2 --from denoise.json -o out.json
has err "denoise"
run 1 train denoise --data denoise-2 --from denoise.json --model full -o out.json
has err "--model full: the model given by --from has paper"
run 1 train segment --data segment-2 --from segment.json --features full -o out.json
has err "--features full: the model given by --from has paper"
run 1 train segment --data segment-2 --from segment.json --method s3svm -o out.json
has err "--method s3svm: the model given by --from has amn"
run 1 train label --data label-2 --from label.json --names a,b,c -o out.json
has err "the model has its own names"
run 1 train label --data label-2 --from label.json --void 7 -o out.json
has err "--void 7 differs from the 255 of the model given by --from"
missing out.json
goes_on denoise --model paper --maps weights --maps-alone
has out "error"
run 1 train denoise --data denoise-2 --from denoise.json --maps bins -o out.json
has err "--maps bins: the model given by --from has weights"
run 1 train denoise --data denoise-2 --from denoise.json --maps weights --maps-alone -o out.json
has err "--maps-alone cannot be combined with --from: the model has its own features"

# ---- somebody's own photographs: cross-validation says whether learning helped ----

data own segment 5 7 two
run 0 train segment --data segment-1 --dialogues --method amn --samples 300 --rounds 5 -o talks.json
run 0 train segment --data own --from talks.json --json -o own.json
cp out own.txt
python3 - own.txt own.json talks.json <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
own, talks = (json.load(open(path)) for path in sys.argv[2:])
folds, done = lines[:-1], lines[-1]
assert [line["fold"] for line in folds] == [1, 2, 3, 4] and all(line["event"] == "fold" for line in folds)
assert done["event"] == "done" and done["photographs"] == 5 and done["from"] == "talks.json" and done["data"] == "own"
assert done["better"] == (done["clicks"]["after"] < done["clicks"]["before"])
assert done["weights"] == ("new" if done["better"] else "old")
said = own["facts"]["own photographs"]
assert all(said[key] == done[key] for key in ("photographs", "clicks", "error", "strokes_error", "weights"))
same = own["groups"] == talks["groups"] and own["facts"].get("outline") == talks["facts"].get("outline")
assert same == (not done["better"])
PY
holds "what it says is what it writes" test $? -eq 0
if grep -q '"weights":"old"\|"weights": "old"' own.txt; then has err "has the weights of the old one"; fi
run 0 train segment --data own --from talks.json -o words.json
has out "each was cut out by simulated marks"
has out "by strokes"
run 0 train segment --data own --from talks.json --C 1e-9 --rounds 3 -o plain.json
holds "with --C weights are trained as it says" test "$(fact plain.json "own photographs")" = null
data three segment 3 8 two
run 1 train segment --data three --from talks.json -o out.json
has err "at least 4 are needed"

finish
