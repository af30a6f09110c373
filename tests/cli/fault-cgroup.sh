# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The CPUs or the memory that a process may use can shrink while it measures: batch systems do that, and administrators.

# group CONTROLLER: makes a control group and prints its path, or fails. For both versions of cgroups.
group() {
	local folder
	for folder in "/sys/fs/cgroup/$1" /sys/fs/cgroup; do
		if [ -e "$folder/$1.$2" ] || grep -qw "$1" "$folder/cgroup.subtree_control" 2>/dev/null; then
			mkdir "$folder/tprof-test-$$-$1" 2>/dev/null && echo "$folder/tprof-test-$$-$1" && return
		fi
	done
	return 1
}
groups=()
leave() {
	local g process
	for g in "${groups[@]}"; do
		while read -r process; do kill -KILL "$process" 2>/dev/null; done <"$g/cgroup.procs"
		for _ in {1..100}; do
			rmdir "$g" 2>/dev/null && break
			sleep 0.1
		done
	done
}
trap leave EXIT

small_preset slow.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
threads: 2
sizes: [8KiB, 10KiB, 12KiB, 14KiB]
END
sed -i 's/^stop:.*/stop: {max_time: 300ms, max_samples: 1000000, min_count: 100000}/' slow.yaml

# --- the cpuset shrinks ---
mapfile -t cpus < <("$TPROF" --dry-run slow.yaml 2>/dev/null | sed -n 's/.* \([0-9]*\),\([0-9]*\)$/\1\n\2/p' | head -n 2)
if [ "$(cpus_allowed)" -lt 2 ] || [ ${#cpus[@]} -ne 2 ]; then
	skip 'a cpuset that shrinks (one CPU only)'
elif set=$(group cpuset cpus) && cat "${set%/*}/cpuset.cpus" >"$set/cpuset.cpus" 2>/dev/null &&
	cat "${set%/*}/cpuset.mems" >"$set/cpuset.mems" 2>/dev/null; then
	groups+=("$set")
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$set" "$TPROF" --batch slow.yaml --run-dir shrunk \
		>out 2>err </dev/null &
	program=$!
	ran='tprof in a cpuset that shrinks'
	await begun shrunk/journal.ndjson 1
	echo "${cpus[0]}" >"$set/cpuset.cpus" || fail 'the cpuset cannot be changed'
	finish
	expect_exit 3
	expect_err "CPU ${cpus[1]} can no longer be used"
	expect_err '--resume'
	grep -q '"state": "done"' shrunk/run.json || fail 'expected what was measured before'
	# --resume measures the rest once the CPU is back.
	run --resume shrunk
	expect_exit 0
	expect_cells point '0 1 2 3' shrunk/points.csv
else
	skip 'a cpuset that shrinks (no control groups of our own here)'
fi

# --- memory becomes too small during the run ---
cat >large.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
threads: 1
sizes: [8KiB, 256MiB, 16KiB]
stop: {max_time: 50ms}
END
if memory=$(group memory limit_in_bytes); then
	groups+=("$memory")
	limit=$memory/memory.limit_in_bytes
	[ -e "$limit" ] || limit=$memory/memory.max
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$memory" "$TPROF" --batch large.yaml --events --run-dir large \
		>out 2>err </dev/null &
	program=$!
	ran='tprof in a group whose memory shrinks'
	# The plan is ready; the engine has touched its large buffer in part at most.
	await test -s large/run.json
	if echo 96M >"$limit" 2>/dev/null; then
		finish
		case $status in
		0) ;; # it was faster than we were, or the kernel found room in its swap
		3)
			grep -qE 'killed|out of memory|cannot' err || fail 'expected the reason of the missing point'
			grep -q '"state": "failed"' large/run.json || fail 'expected the failed point in the record'
			;;
		*) fail 'expected a run that ends in good order' ;;
		esac
	else
		finish
		skip 'memory that shrinks (the limit cannot be set)'
	fi
else
	skip 'memory that shrinks (no control groups of our own here)'
fi
