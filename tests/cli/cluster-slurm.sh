# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"
# shellcheck source=tests/cluster/slurm.sh
. "$TPROF_SRCDIR/tests/cluster/slurm.sh"

# --cluster slurm with a real Slurm of two virtual nodes. tests/bench/cluster.sh kills at random, twenty times;
# cluster-scheduler.sh has what a scheduler may answer.
trap slurm_down EXIT
mkdir private
hidden=no
if slurm_can_hide; then
	hidden=yes
	export SLURM_HIDE=$PWD/private
fi
code=0
slurm_up 2 2>up || code=$?
[ $code -eq 0 ] || skip_all "$(head -n 1 up)"

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END
sed 's/^stop:.*/stop: {max_time: 1500ms, max_samples: 1000000, min_count: 100000}/' fast.yaml >slow.yaml

# The script is shown, and no text of the user stands in it.
run --cluster slurm --dry-run slow.yaml --partition few
expect_exit 0
expect_out 'sbatch --job-name=tprof --exclusive'
expect_out '--nodelist=tp1 '
expect_out '--partition=few'
# shellcheck disable=SC2016
expect_out 'measure tp1 tp1 --batch "$folder/preset.yaml" --run-dir "$folder/nodes/tp1" --quiet'
run --cluster slurm --batch fast.yaml --partition nosuch
expect_exit 2
expect_err 'partitions: all short few'
for wrong in 'tp[1-' 'tp9' 3; do
	run --cluster slurm --batch fast.yaml --nodes="$wrong"
	expect_exit 2
done

# A time limit below the estimate is reported, one above the partition's, too. The default keeps to the partition.
sed 's/^stop:.*/stop: {max_time: 60s, max_samples: 1000000, min_count: 100000}/' fast.yaml >long.yaml
run --cluster slurm --dry-run long.yaml --time-limit 1
expect_exit 0
expect_err 'by its estimate, and the job ends after 60 s'
run --cluster slurm --dry-run long.yaml --partition short
expect_out ' --time=1 '
expect_err 'by its estimate, and the job ends after 60 s'
run --cluster slurm --dry-run fast.yaml --partition short --time-limit 2:00:00
expect_err 'the partition allows 60 s: the job may never start'
run --cluster slurm --dry-run fast.yaml --time-limit 2
expect_no_err

# A folder whose name a shell would act on. One step dies: the other node goes on, and --resume measures what is missing.
# shellcheck disable=SC2016
odd='a $(touch oops) "b'
start --cluster slurm --batch slow.yaml --run-dir "$odd"
await grep -q '"ev":"point_end".*"state":"done"' "$odd/nodes/tp1/journal.ndjson"
grep -m 1 '"ev":"point_end"' "$odd/nodes/tp1/journal.ndjson" >before
# shellcheck disable=SC2016
kill -KILL "$(pgrep -f -- "--run-dir $(printf '%s' "$PWD/$odd/nodes/tp1" | sed 's/[$()"]/./g')" | while read -r p; do
	grep -qz '^SLURM_STEP_ID' "/proc/$p/environ" && readlink "/proc/$p/exe" | grep -q '/tprof$' && echo "$p"
done | head -n 1)"
finish
expect_exit 3
expect_err 'tp1: partial'
expect_err 'tp2: done, 3 of 3 points'
[ ! -e oops ] || fail 'expected no shell to read the name of the folder'
run --resume "./$odd" --allow-code
expect_exit 0
expect_err '1 of 2 nodes submitted'
expect_err 'tp1: done, 3 of 3 points'
[ "$(grep -c '"ev":"point_end"' "$odd/nodes/tp1/journal.ndjson")" -eq 3 ] || fail 'expected every point once'
grep -qxFf before "$odd/nodes/tp1/journal.ndjson" || fail 'expected the finished point to stay'

# Cancelled while it waits or runs.
start --cluster slurm --batch slow.yaml --run-dir stopped
await grep -q '"job": "[0-9]' stopped/cluster.json
run --cluster cancel ./stopped --allow-code
expect_exit 0
finish
expect_exit "$([ "$status" -eq 3 ] && echo 3 || echo 1)"
queue_is_empty() {
	[ -z "$(squeue -h -t PENDING,RUNNING)" ]
}
await queue_is_empty

# Nodes that do not see the folder report it; with srun their results come back.
if [ $hidden = yes ]; then
	run --cluster slurm --batch fast.yaml --run-dir private/unseen
	expect_exit 1
	expect_err 'does not see'
	expect_err '--no-shared'
	run --cluster slurm --batch fast.yaml --run-dir private/sent --no-shared
	expect_exit 0
	for node in tp1 tp2; do
		expect_cells point '0 1 2' private/sent/nodes/$node/points.csv
		[ -d "$(echo "$HOME"/.tprof-cluster/run*/$node)" ] || fail "expected the run of $node in the home there"
	done
else
	skip 'folders are hidden from nodes by mount namespaces, which this user may not make'
fi

# Without its controller nothing is submitted.
kill -KILL "$(slurm_pids | awk '$1 == "slurmctld" { print $2 }')"
export TPROF_TEST_SCHEDULER_SECONDS=1
run --cluster slurm --batch fast.yaml --run-dir none
expect_exit 1
expect_err 'sinfo: '
[ ! -e none ] || fail 'expected no folder where nothing was submitted'
