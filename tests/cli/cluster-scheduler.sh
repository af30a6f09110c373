# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: answers of a scheduler.
. "$TPROF_CLI/lib.sh"

# What a scheduler may answer, by stand-ins for the programs of Slurm: each prints the file of its name in answers/, or acts as described below. cluster-slurm.sh has a real one.
mkdir bin answers
stand_in() { # stand_in PROGRAM: its text is on standard input
	{
		printf '#!/bin/sh\nanswers=%s/answers\n' "$PWD"
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
}
for program in squeue sacct scontrol scancel salloc; do
	stand_in $program <<-'END'
		cat "$answers/${0##*/}"
	END
	: >answers/$program
done
stand_in sinfo <<'END'
case "$*" in
*%l*) cat "$answers/limits" ;;
*%N*) cat "$answers/nodes" ;;
*) echo all ;;
esac
END
# Jobs run at once; of n1 nothing ever starts.
stand_in sbatch <<'END'
echo "$*" >>"$answers/submitted"
[ -s "$answers/sbatch" ] && exec sh "$answers/sbatch"
while [ $# -gt 3 ]; do shift; done
setsid sh "$@" >/dev/null 2>&1 </dev/null &
sleep 0.3
echo '17;cluster'
END
stand_in srun <<'END'
case "$*" in *--nodelist=n1*) [ -e "$answers/n1" ] || { kill -KILL $PPID; exit; } ;; esac
while [ "${1#--}" != "$1" ]; do shift; done
[ ! -s "$answers/srun" ] || { cat "$answers/srun" >&2; exit 167; }
[ -e "$answers/odd" ] || exec "$@"
printf 'tprof: the disk is full\n  a hint\nsrun: error: n1: task 0: Exited with exit code 1\nsrun: Terminating StepId=17.0\n' >&2
exit 1
END
echo 'all* infinite' >answers/limits
printf 'n1 idle\nn2 mixed\nn3 down\n' >answers/nodes
export PATH=$PWD/bin:$PATH

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END

# Names that would be options, paths or words of a shell.
for name in '-x' '../up' 'a;b' "$(printf 'a%071d' 1)"; do
	printf 'n2 idle\n%s idle\n' "$name" >answers/nodes
	run --cluster slurm --dry-run fast.yaml
	expect_exit 2
	expect_err 'this is not a name of a node'
done
printf 'n1 idle\nn2 mixed\nn3 down\n' >answers/nodes
for wrong in --time-limit='x y' --time-limit=1:2:3:4 --time-limit=-1 --partition='a b' --partition=-p --nodes='n1;n2' --nodes=0 \
	--program='a b'; do
	run --cluster slurm --dry-run fast.yaml "$wrong"
	expect_exit 2
done
run --cluster local:2 --no-shared --dry-run fast.yaml
expect_exit 2
expect_err 'local needs no shared file system'

# Parts of nodes: their number comes from the scheduler, or else from the option; tprof checks it on the machine.
printf 'n1 idle 2\nn2 idle 1\n' >answers/nodes
run --cluster slurm --dry-run fast.yaml --per socket
expect_exit 0
expect_out '--nodes=2 --nodelist=n1,n2 '
expect_out 'measure n1 n1.0 '
expect_out '--quiet --bind socket:1/2 &'
expect_out '--quiet --bind socket:0/1 &'
expect_out '--overlap'
run --cluster local:1 --dry-run fast.yaml --per numa
expect_exit 2
expect_err 'is not known before tprof runs there'
for wrong in core numa:0 socket:x; do
	run --cluster slurm --dry-run fast.yaml --per $wrong
	expect_exit 2
	expect_err 'is not a part of a node'
done
run --cluster local:1 --batch fast.yaml --per socket:99 --run-dir none
expect_exit 1
expect_err ', not 99'
parts=$(find /sys/devices/system/node -maxdepth 1 -name "node[0-9]*" 2>/dev/null | wc -l)
if [ "$parts" -eq 1 ]; then
	run --cluster local:1 --batch fast.yaml --per numa:1 --run-dir one
	expect_exit 0
	expect_err 'node-1.0: done, 3 of 3 points'
	run --resume ./one
	expect_exit 0
fi
printf 'n1 idle\nn2 mixed\nn3 down\n' >answers/nodes

# sbatch refuses: its words are passed on, cleaned, and nothing is lost.
cat >answers/sbatch <<'END'
printf 'sbatch: error: \033[31mInvalid\a account\n' >&2
exit 1
END
run --cluster slurm --batch fast.yaml --run-dir refused
expect_exit 1
expect_err 'sbatch: error: '
expect_err 'Invalid'
! grep -q "$(printf '[\033\a]')" "$TMP/err" || fail 'expected no control characters'
echo 'echo what' >answers/sbatch
run --resume ./refused --allow-code
expect_exit 1
expect_err 'gave no number of the job'
echo 'exec sleep 1000' >answers/sbatch
TPROF_TEST_SCHEDULER_SECONDS=3 run --resume ./refused --allow-code
expect_exit 1
expect_err 'sbatch: does not answer within'

# The job reaches its time limit. What is finished stays, and only the others are submitted again.
: >answers/sbatch
echo 'JobId=17 JobState=TIMEOUT Reason=TimeLimit ExitCode=0:1 ' >answers/scontrol
run --resume ./refused --allow-code
[ "$status" -eq 3 ] || [ "$status" -eq 1 ] || fail 'expected points to be missing'
expect_err 'n1: failed, 0 of 0 points: the job'"'"'s time limit came: give more with --time-limit'
finished() {
	grep -q '^exit 0' refused/nodes/n2.end
}
await finished
: >answers/submitted
touch answers/n1
: >answers/scontrol
echo 'RUNNING|None' >answers/squeue
run --resume ./refused --time-limit 30 --allow-code
expect_exit 0
expect_err 'n1: done, 3 of 3 points'
grep -q -- '--nodes=1 --nodelist=n1 --time=30 ' answers/submitted || fail 'expected only n1 to be submitted'

# Why a node failed is its own last word, not that of srun.
touch answers/odd
run --cluster slurm --nodes 1 --batch fast.yaml --run-dir odd
expect_err 'n1: failed, 0 of 0 points: ended (exit 1): tprof: the disk is full'
rm answers/odd
# As on a node whose clock is two minutes ahead.
cat >answers/srun <<'END'
srun: error: Task launch for StepId=3.0 failed on node n1: Job credential expired
srun: error: Application launch failed: Job credential expired
srun: Job step aborted
END
run --cluster slurm --nodes 1 --batch fast.yaml --run-dir expired
expect_err 'n1: failed, 0 of 0 points: ended (exit 167): srun: error: Task launch for StepId=3.0 failed on node n1: Job credential expired'
rm answers/srun

# More hosts than one word of a command holds stand in a file.
cp answers/nodes few
seq -f "a%063.0f idle" 2000 >answers/nodes
echo 'exit 1' >answers/sbatch
: >answers/submitted
run --cluster slurm --batch fast.yaml --run-dir wide
expect_exit 1
grep -q -- "--nodes=2000 --nodefile=$TMP/wide/hosts.txt --time" answers/submitted || fail 'expected a file of hosts'
[ "$(wc -l <wide/hosts.txt)" -eq 2000 ] || fail 'expected a line for each host'
# A truncated answer is refused: half a name may be another node's.
seq -f "a%063.0f idle" 20000 >answers/nodes
run --cluster slurm --dry-run fast.yaml
expect_exit 1
expect_err 'printed more than 1024 KiB'
mv few answers/nodes
: >answers/sbatch

# It does not answer, or not in order: what is known is shown.
sed -i '0,/"state": "done"/s//"state": "running"/' refused/cluster.json
stand_in squeue <<'END'
exec sleep 1000
END
TPROF_TEST_SCHEDULER_SECONDS=3 run --cluster status ./refused
expect_exit 1
expect_err 'squeue: does not answer within'
expect_out '3/3'
stand_in squeue <<'END'
printf 'slurm_load_jobs error: Unable to contact slurm controller\n' >&2
exit 1
END
run --cluster status ./refused
expect_exit 1
expect_err 'Unable to contact slurm controller'
expect_out 'n2'

# salloc names no job.
echo 'salloc: error: no' >answers/salloc
run --cluster slurm --no-shared --batch fast.yaml --run-dir alone
expect_exit 1
expect_err 'salloc'
