#!/usr/bin/env bash
# The job script of docs/cluster.md under a real Slurm: two nodes on this machine, of daemons of its own in a scratch folder.  The job
# is submitted, cancelled in the middle, submitted again, and ends with the model that a training on one process finds.
# S3SVM names the command.  Needs root, because Slurm's daemons do; `make test-slurm` installs what else is missing.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
s3svm=$(realpath "${S3SVM:-$tree/build/s3svm}")
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || { echo "no $program: scripts/install-deps slurm"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "Slurm's daemons need root"; exit 77; }
"$s3svm" version | grep -qi 'open mpi\|openmpi' || { echo "the command was built without Open MPI"; exit 77; }

work=$(mktemp -d)
chmod 755 "$work"
pids=()
finish()
{
    local code=$?
    [ $code = 0 ] || tail -n 20 "$work"/*.log "$work"/slurm-*.out 2>/dev/null || true
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
    exit $code
}
trap finish EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
# soon WHAT COMMAND...: within five minutes, for machines that are busy
soon()
{
    local what=$1
    shift
    for _ in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "$what"
}

# ---- a cluster ----

mkdir -m 755 "$work/munge" "$work/state" "$work/spool" "$work/tmp"
(umask 077 && head -c 1024 /dev/urandom >"$work/munge/key")
munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
    --log-file="$work/munge.log" --seed-file="$work/munge/seed" 2>"$work/munged.log" &
pids+=($!)
soon "munged does not answer" munge --socket="$work/munge/socket" -n

host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SrunPortRange=$((port + 10))-$((port + 60))
KillWait=20
ReturnToService=2
NodeName=one,two NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
echo "PMIxCliTmpDirBase=$work/tmp" >"$work/mpi.conf"
export SLURM_CONF=$work/slurm.conf
slurmctld -D >/dev/null 2>&1 &
pids+=($!)
for node in one two; do
    mkdir "$work/spool/$node"
    # What machines do not share: PMIx makes a folder for each job there.
    # shellcheck disable=SC2016  # for the other shell
    unshare --mount sh -c 'mount -t tmpfs tmpfs "$1" && exec slurmd -D -N "$2"' - "$work/tmp" $node >/dev/null 2>&1 &
    pids+=($!)
done
idle() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = 2 ]; }
soon "the nodes are not there" idle
sinfo

# ---- the job, and what it finds without Slurm ----

export SCRATCH=$work/scratch PATH=$work/bin:$PATH OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_mpi_yield_when_idle=1
mkdir -p "$work/bin" "$SCRATCH/photographs/images" "$SCRATCH/photographs/labels" "$work/job"
ln -s "$s3svm" "$work/bin/s3svm"
for number in 1 2 3 4 5 6 7 8; do
    awk -v k=$number -v labels="$SCRATCH/photographs/labels/p$number.pgm" -v picture="$SCRATCH/photographs/images/p$number.ppm" 'BEGIN {
        split("100 150 230 50 140 50 200 60 50", colour, " ")
        print "P2 240 180 255" >labels
        print "P3 240 180 255" >picture
        for (y = 0; y < 180; y++)
            for (x = 0; x < 240; x++) {
                label = y < 40 + 10 * k ? 0 : x >= 16 * k && x < 16 * k + 70 && y > 60 + 10 * k ? 2 : 1
                noise = (x * 7919 + y * 104729 + k * 5) % 201 - 100
                for (c = 1; c <= 3; c++) print int((colour[3 * label + c] + 240 + noise) / 3) >picture
                print label >labels
            }
    }'
done
# The script as the document has it.
awk '/^```sh/ { text = ""; inside = 1; next } /^```/ { if (text ~ /#SBATCH/) printf "%s", text; inside = 0 } inside { text = text $0 "\n" }' \
    "$tree/docs/cluster.md" >"$work/job/train.sh"
grep -q "^srun .* s3svm train label" "$work/job/train.sh" || fail "docs/cluster.md has no job script"

cd "$work/job"
train="train label --data $SCRATCH/photographs"
# shellcheck disable=SC2086  # a list of words
"$s3svm" $train --threads 1 --checkpoint "$work/alone.state" -o "$work/alone.json" >"$work/alone.log" &
alone=$!
soon "nothing is learned" test -e "$work/alone.state.lock"
begin=${EPOCHREALTIME/./}
wait $alone
time=$((${EPOCHREALTIME/./} - begin)) # in microseconds
echo "alone: $((time / 1000)) ms"

# ---- submitted, cancelled in the middle, submitted again ----

submit() { sbatch --parsable --nodes="$1" --ntasks-per-node="$2" --cpus-per-task=1 --output="$work/slurm-%j.out" train.sh; }
ended() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
begun() { [ -e "$SCRATCH/label.state.lock" ]; }

first=$(submit 2 1)
soon "the job does not begin" begun
sleep "$((time / 4 / 1000000)).$(printf %06d $((time / 4 % 1000000)))" # two ranks take half the time at best
scancel "$first"
soon "the job does not end" ended "$first"
state=$(scontrol show job "$first" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
[ "$state" = CANCELLED ] || fail "the job was too short to be cancelled: $state"
[ -e "$SCRATCH/label.state" ] || fail "no checkpoint was left"
grep '^s3svm:' "$work/slurm-$first.out"

second=$(submit 1 3) # with other ranks
soon "the job does not end" ended "$second"
grep -i resum "$work/slurm-$second.out" || fail "the second job did not resume"
grep -i 'ranks' "$work/slurm-$second.out" || true

plain() { sed -E '/"seconds[a-z_]*":/d; /"resumed":/d; /"command":/d' "$1"; }
[ "$(plain label.json)" = "$(plain "$work/alone.json")" ] || { diff <(plain label.json) <(plain "$work/alone.json") | head; fail "another model"; }
echo "passed: jobs $first and $second; the model is that of one process"
