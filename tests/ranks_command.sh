#!/usr/bin/env bash
# ranks_command.sh - s3svm train on several ranks, by each MPI that there is: the model of one process, whoever is killed on the
# way.  S3SVM names the command.  SOS_TEST_SEED is that of the random moments.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# ---- without a launcher ----

run 0 version
holds "the command itself links no MPI" test -z "$(ldd "$s3svm" | grep -i mpi)"
kinds=$(sed -n 's/^  MPI  *//p' out | tr -d ,)
OMPI_COMM_WORLD_SIZE=2 S3SVM_MPI=none run 2 train
OMPI_COMM_WORLD_SIZE=4 S3SVM_MPI=other run 1 train --problem none.txt -o model.json
has err "one of 4 processes, but there is no plug-in for other"
SLURM_STEP_NUM_TASKS=4 run 1 train --problem none.txt -o model.json
has err "--mpi=pmix"

# As root, without a network but the machine's own, and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_btl=tcp,self
export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none HYDRA_LAUNCHER=fork FI_PROVIDER=tcp OMP_NUM_THREADS=1

launcher=
# ranks COUNT CODE ARGUMENTS...: as run, by so many ranks
ranks()
{
    local count=$1 code=$2 got
    shift 2
    timeout -k 5 60 "$launcher" -n "$count" "$s3svm" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ "$got" = "$code" ] || fail "$launcher -n $count s3svm $*: returned $got, not $code"
}

# plain MODEL: all that must be the same, without times, and whether it was resumed
plain() { sed -E '/"seconds[a-z_]*":/d; /"resumed":/d; /"command":/d' "$1"; }
alike() { holds "$1 and $2 are the same" test "$(plain "$1")" = "$(plain "$2")"; }

# ---- data: a problem of many small grids ----

awk 'BEGIN {
    side = 24
    print "sosproblem 1\nlabels 2\ngroup reading free 2\ngroup square table 4 patch 2 2"
    for (e = 0; e < 12; e++) {
        n = (side + e) * side
        print "example", n
        printf "truth"
        for (i = 0; i < n; i++) printf " %d", truth[i] = (int(i / side / 5) + int(i % side / 6) + e) % 2
        print "\nfeatures reading"
        for (i = 0; i < n; i++) printf "feature %d 0 1 1 %.3f\n", i, truth[i] + 1.6 * ((i * 7919 + e * 104729) % 1009 / 1009 - 0.5)
        for (y = 0; y + 1 < side + e; y++)
            for (x = 0; x + 1 < side; x++) {
                i = y * side + x
                print "clique square 1", i, i + 1, i + side, i + side + 1
            }
    }
    print "end"
}' >problem.txt
run 0 train --problem problem.txt --C 300 --gap 1e-4 -o alone.json
run 0 train --problem problem.txt --validation problem.txt --C 1,10,100 -o path-alone.json

# ---- each MPI ----

# A rank of the running job: one of the processes of the command whose folder this is.
victim()
{
    local p all=()
    for p in /proc/[0-9]*; do
        [ "$p/exe" -ef "$s3svm" ] && [ "$p/cwd" -ef . ] && all+=("${p#/proc/}")
    done
    [ ${#all[@]} -gt 0 ] && echo "${all[RANDOM % ${#all[@]}]}"
}

# kill_some SEED KIND: kills a rank again and again, at some moment after training has begun (before, it would be the MPI that is
# tested), until training ends by itself; the number of ranks changes
kill_some()
{
    local killed=0 tries=0 code=1 job waited count
    RANDOM=$1
    rm -f state killed.json
    while { [ "$code" != 0 ] || [ $killed = 0 ]; } && [ $tries -lt 30 ]; do
        [ "$code" = 0 ] && rm -f state killed.json # it was quicker: once more from the beginning
        count=$((RANDOM % 3 + 1))
        rm -f state.lock
        timeout -k 5 60 "$launcher" -n "$count" "$s3svm" train --problem problem.txt --C 300 --gap 1e-4 --checkpoint state \
            --checkpoint-seconds 0 -o killed.json >out 2>err </dev/null &
        job=$!
        for ((waited = 0; waited < 400; waited++)); do
            { [ -e state.lock ] || ! kill -0 $job 2>/dev/null; } && break
            sleep 0.02
        done
        sleep "0.0$((RANDOM % 60 + 10))"
        if [ $killed -lt 4 ] && kill -9 "$(victim)" 2>/dev/null; then killed=$((killed + 1)); fi
        wait "$job"
        code=$?
        tries=$((tries + 1))
    done
    echo "$2: killed $killed times, seed $1"
    holds "training that was killed ends at last" test "$code" = 0
    holds "some ranks were killed" test "$killed" -gt 0
    alike alone.json killed.json
    holds "no lock stays" test ! -e state.lock
}

tested=
for kind in $kinds; do
    launcher=mpirun.$kind
    command -v "$launcher" >/dev/null || launcher=mpirun
    command -v "$launcher" >/dev/null || continue
    "$launcher" -n 2 true >/dev/null 2>&1 || { echo "$launcher does not run here: not tested"; continue; }
    tested="$tested $kind"
    for count in 2 3; do
        ranks $count 0 train --problem problem.txt --C 300 --gap 1e-4 -o "$kind$count.json"
        has out "ranks        $count, idle for"
        alike alone.json "$kind$count.json"
    done
    ranks 2 0 train --problem problem.txt --validation problem.txt --C 1,10,100 --json -o path.json
    has out '"ranks": 2, "idle": '
    alike path-alone.json path.json

    # what goes wrong is said once
    ranks 2 1 train --problem absent.txt -o none.json
    holds "one rank speaks" test "$(grep -c absent.txt err)" -eq 1
    ranks 2 1 train --problem problem.txt -o /nowhere/model.json
    has err "/nowhere/model.json"

    kill_some "${SOS_TEST_SEED:-$RANDOM}" "$kind"
done
[ -n "$tested" ] || { echo "no MPI that runs here"; [ $failures = 0 ] && exit 77; exit 1; }

# ---- tasks, on ranks of the last MPI ----

run 0 make-data denoising drawings --count 6 --size 60x40
run 0 train denoise --data drawings --noise plain --sigma 0.7 --rounds 20 -o denoise.json
ranks 2 0 train denoise --data drawings --noise plain --sigma 0.7 --rounds 20 -o denoise2.json
alike denoise.json denoise2.json

# examples that are made when they are asked
streamed() { plain "$1" | sed '/"training_loss":/d; /"oracle_calls":/d'; }
run 0 train denoise --data drawings --noise plain --sigma 0.7 --rounds 20 --stream -o stream.json
ranks 2 0 train denoise --data drawings --noise plain --sigma 0.7 --rounds 20 --stream -o stream2.json
holds "streamed examples give the same model" test "$(streamed denoise.json)" = "$(streamed stream.json)"
alike stream.json stream2.json
run 2 train denoise --data drawings --noise plain --sigma 0.7 --stream --C 1,2 -o none.json
run 2 train --problem problem.txt --stream -o none.json

ranks 2 1 train denoise --data absent --noise plain --sigma 0.7 -o none.json
holds "one rank speaks" test "$(grep -c "s3svm:.*absent" err)" -eq 1

# scene NAME NUMBER: a box on grass, with marks
scene()
{
    mkdir -p scenes/images scenes/labels scenes/scribbles named/labels
    awk -v k="$2" -v labels="scenes/labels/$1.pgm" -v numbers="named/labels/$1.pgm" -v picture="scenes/images/$1.ppm" \
        -v marks="scenes/scribbles/$1.pgm" 'BEGIN {
        print "P2 30 20 255" >labels; print "P2 30 20 255" >numbers; print "P3 30 20 255" >picture; print "P2 30 20 2" >marks
        for (y = 0; y < 20; y++)
            for (x = 0; x < 30; x++) {
                box = x > 6 + k && x < 17 + k && y > 5 && y < 15
                noise = (x * 7 + y * 13 + k * 5) % 29
                print (box ? 255 : 0) >labels
                print (box ? 1 : 0) >numbers
                printf "%d %d %d\n", (box ? 190 : 60) + noise, (box ? 70 : 140) + noise, 60 + noise >picture
                print (y == 10 && x > 9 + k && x < 14 + k ? 1 : y == 2 ? 2 : 0) >marks
            }
    }'
}
for k in 0 1 2 3 4 5; do scene "scene$k" $k; done
cp -r scenes/images named
run 0 train segment --data scenes --features paper --rounds 4 -o segment.json
ranks 3 0 train segment --data scenes --features paper --rounds 4 -o segment3.json
alike segment.json segment3.json
run 0 train label --data named --names grass,box --void -1 --model pairwise --rounds 4 -o label.json
ranks 3 0 train label --data named --names grass,box --void -1 --model pairwise --rounds 4 -o label3.json
alike label.json label3.json

run 0 train segment --data scenes --features paper --rounds 4 --stream -o segments.json
holds "streamed photographs give the same model" test "$(streamed segment.json)" = "$(streamed segments.json)"
ranks 2 0 train label --data named --names grass,box --void -1 --model pairwise --balance --rounds 4 --stream -o labels2.json
run 0 train label --data named --names grass,box --void -1 --model pairwise --balance --rounds 4 -o labels.json
holds "streamed labels give the same model" test "$(streamed labels.json)" = "$(streamed labels2.json)"

finish
