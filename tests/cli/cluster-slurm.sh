# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"
# shellcheck source=tests/cluster/slurm.sh
. "$TPROF_SRCDIR/tests/cluster/slurm.sh"

# --cluster slurm with a real Slurm of two virtual nodes. tests/bench/cluster.sh kills at random, twenty times.
trap slurm_down EXIT
code=0
slurm_up 2 2>up || code=$?
[ $code -eq 0 ] || skip_all "$(head -n 1 up)"

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END

# The script is shown, and no text of the user stands in it.
run --cluster slurm --dry-run fast.yaml --partition few
expect_exit 0
expect_out 'sbatch --job-name=tprof --exclusive'
expect_out '--nodelist=tp1 '
expect_out '--partition=few'
# shellcheck disable=SC2016
expect_out 'measure tp1 tp1 --batch "$folder/preset.yaml" --run-dir "$folder/nodes/tp1" --quiet'
run --cluster slurm --batch fast.yaml --partition nosuch
expect_exit 2
expect_err 'partitions: all short few'
for wrong in 'tp[1-' 'tp9' '0' '3' '-x' 'a;b'; do
	run --cluster slurm --batch fast.yaml --nodes="$wrong"
	expect_exit 2
done
run --cluster slurm --batch fast.yaml --time-limit 'x y'
expect_exit 2

# A folder whose name a shell would act on. One step dies: the other node goes on, and --resume measures what is missing.
sed 's/^stop:.*/stop: {max_time: 300ms, max_samples: 1000000, min_count: 100000}/' fast.yaml >slow.yaml
# shellcheck disable=SC2016
odd='a $(touch oops) "b'
start --cluster slurm --batch slow.yaml --run-dir "$odd"
await begun "$odd/nodes/tp1/journal.ndjson" 1
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
run --resume "./$odd"
expect_exit 0
expect_err '1 of 2 nodes submitted'
expect_err 'tp1: done, 3 of 3 points'
[ "$(grep -c '"ev":"point_end"' "$odd/nodes/tp1/journal.ndjson")" -eq 3 ] || fail 'expected every point once'
grep -qxFf before "$odd/nodes/tp1/journal.ndjson" || fail 'expected the finished point to stay'

# Cancelled while it waits or runs.
start --cluster slurm --batch slow.yaml --run-dir stopped
await grep -q '"job": "[0-9]' stopped/cluster.json
run --cluster cancel ./stopped
expect_exit 0
finish
expect_exit "$([ "$status" -eq 3 ] && echo 3 || echo 1)"
queue_is_empty() {
	[ -z "$(squeue -h -t PENDING,RUNNING)" ]
}
await queue_is_empty
