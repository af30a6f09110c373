#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills in a real Slurm of virtual nodes: KILLS times a cluster run is begun, and at a random moment something of it dies, in turn: the
# step of a node (its tprof, by SIGKILL), a job step by scancel, the slurmd of a node, the tprof on the login node. Then --resume
# measures what is missing. Bar: every point that a node had finished is there afterwards as it was, and every point once on each node.
#
# usage: tests/bench/cluster.sh [PROGRAM] [KILLS] [SEED] [NODES]     (20 kills, seed 1, 3 nodes)
# Exit status 0 if nothing was lost or doubled; 77 where Slurm cannot be had.
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=$(realpath "${1:-$here/../../build/tprof}") || exit 2
kills=${2:-20}
RANDOM=${3:-1}
nodes=${4:-3}
# shellcheck source=tests/cluster/slurm.sh
. "$here/../cluster/slurm.sh"
scratch=$(mktemp -d)
trap 'slurm_down; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config HOME=$scratch

cat >curve.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
size_max: 1MiB
points_per_octave: 2
measure_again: false
stop: {max_time: 20ms}
END

submit() { timeout 300 "$tprof" --cluster slurm --nodes "$nodes" --batch curve.yaml --run-dir run -q; }
resume() { timeout 300 "$tprof" --resume run -q; }

# Finished points in the whole lines of a node's journal: "POINT MEDIAN", one for each time that it was finished.
finished() {
	grep '"ev":"point_end"' "$1/journal.ndjson" 2>/dev/null | grep '"state":"done"' | grep '}$' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' | sort -n
}

slurm_up "$nodes" || exit $?
started=$(date +%s%N)
submit || { echo "the undisturbed run ended with $?"; exit 1; }
duration_ms=$((($(date +%s%N) - started) / 1000000))
[ -d run/nodes ] || { echo "there are no nodes in run/"; exit 1; }
points=$(finished "$(find run/nodes -mindepth 1 -maxdepth 1 -type d | head -n 1)" | wc -l)
echo "undisturbed: $nodes nodes, $points points each, $duration_ms ms"
[ "$points" -gt 0 ] || { echo "nothing was measured"; exit 1; }

lost=0 doubled=0 missing=0 failed=0 kept=0
for ((i = 0; i < kills; i++)); do
	rm -rf run
	submit >said 2>&1 &
	login=$!
	sleep "$(awk -v r="$RANDOM" -v d="$duration_ms" 'BEGIN { printf "%.3f", r / 32768 * d / 1000 }')"
	node=$((RANDOM % nodes + 1))
	case $((i % 4)) in
	0)
		victim="tprof of a node"
		# Those in a step of this Slurm: they know its configuration and their node.
		while read -r file; do
			pid=${file//[!0-9]/}
			if [ "$(readlink "/proc/$pid/exe")" = "$tprof" ] && [ "$pid" != $login ]; then
				kill -KILL "$pid" 2>/dev/null
				break
			fi
		done < <(grep -lsz "^SLURMD_NODENAME=tp$node" /proc/[0-9]*/environ)
		;;
	1)
		victim="a job step"
		step=$(squeue -h -s -o %i 2>/dev/null | grep -v batch | shuf -n 1 --random-source=<(yes "$i"))
		[ -n "$step" ] && scancel "$step"
		;;
	2)
		victim="slurmd of tp$node"
		pid=$(slurm_pids | awk -v name="tp$node" '$1 == name { print $2 }' | tail -n 1)
		kill -KILL "$pid" 2>/dev/null
		;;
	3)
		victim="tprof of the login node"
		kill -KILL $login 2>/dev/null
		;;
	esac
	[ $((i % 4)) = 2 ] && slurmd_start "$node"
	wait $login 2>/dev/null
	if [ ! -d run/nodes ]; then
		rm -rf run # nothing had begun
		submit || failed=$((failed + 1))
	fi
	for folder in run/nodes/*/; do
		finished "$folder" >"before.$(basename "$folder")"
		kept=$((kept + $(wc -l <"before.$(basename "$folder")")))
	done
	slurm_wait "$nodes" || echo "kill $i ($victim): not all nodes came back"
	if ! resume >said 2>&1; then
		echo "kill $i ($victim): --resume ended with an error: $(tail -n 2 said)"
		failed=$((failed + 1))
	fi
	for folder in run/nodes/*/; do
		name=$(basename "$folder")
		finished "$folder" >after
		touch "before.$name"
		lost=$((lost + $(comm -23 <(sort "before.$name") <(sort after) | wc -l)))
		doubled=$((doubled + $(cut -d' ' -f1 after | sort | uniq -d | wc -l)))
		missing=$((missing + points - $(cut -d' ' -f1 after | sort -u | wc -l)))
		rm -f "before.$name"
	done
done
echo "$kills kills, $kept finished points before them: $lost lost, $doubled doubled, $missing missing after resume, $failed failures"
[ $((lost + doubled + missing + failed)) -eq 0 ]
