#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills in a real Slurm of virtual nodes. A cluster run on a simulated machine is begun, and at a random moment something of it dies, in
# turn: the tprof of a node (SIGKILL), a job step (scancel), the slurmd of a node, the tprof of the login node, the whole job
# (tprof --cluster cancel). Then --resume measures what is missing. This goes on until KILLS of them have hit something alive.
#
# Bars: every point that a node had finished is there afterwards as it was, every point is there once, and tprof --compare finds nothing
# but the same between each node and a single run of the same preset. Then one job reaches a real time limit (a minute at least): its
# finished points stay, too. At last the words of --compare for this machine, which is noisy, so that they decide nothing.
#
# usage: tests/bench/cluster.sh [PROGRAM] [KILLS] [SEED] [NODES]     (20 kills, seed 1, 3 nodes; some five minutes)
# Exit status 0 if the bars hold; 77 where Slurm cannot be had.
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
trap 'exit 143' INT TERM
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config HOME=$scratch

cat >simulated.yaml <<'END'
experiment: memcurve
machine: zen4
simulate: quiet
isa: scalar
ratio: 1:0
points_per_octave: 20
measure_again: false
stop: {max_time: 20ms}
END
cat >real.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
size_max: 1MiB
points_per_octave: 2
END
cat >long.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB, 24KiB]
measure_again: false
stop: {max_time: 25s, max_samples: 1000000, min_count: 100000}
END

# Both become the process that ends them if they hang; their child is tprof.
submit() { exec timeout 300 "$tprof" --cluster slurm --nodes "$nodes" --batch "$1" --run-dir "$2"; }
resume() { exec timeout 300 "$tprof" --resume "./$1" --allow-code; }

# Finished points in the whole lines of a node's journal: "POINT MEDIAN", one for each time that it was finished.
finished() {
	grep '"ev":"point_end"' "$1/journal.ndjson" 2>/dev/null | grep '"state":"done"' | grep '}$' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' | sort -n
}

# The verdict of --compare on a node and the single run; only "N same" is alike.
compared() { "$tprof" --compare "$1" "$2" 2>&1 | sed -n "s/^tprof: //p" | tail -n 1; }
alike() { compared "$1" "$2" | grep -qE ': [0-9]+ same$'; }

is_tprof() { [ "$(readlink "/proc/$1/exe")" = "$tprof" ]; }

# The tprof of a node's step, which has started its engine: both know this Slurm and their node.
of_node() {
	local file pid
	while read -r file; do
		pid=${file//[!0-9]/}
		if is_tprof "$pid" && ! is_tprof "$(awk '{ print $4 }' "/proc/$pid/stat")" && grep -qsz "^SLURM_CONF=$SLURM_CONF\$" "$file"; then
			echo "$pid"
			return 0
		fi
	done < <(grep -lsz "^SLURMD_NODENAME=$1\$" /proc/[0-9]*/environ)
	return 1
}

# strike KIND NODE LOGIN: true if something alive was hit; $victim names it.
strike() {
	local pid step
	case $1 in
	0)
		victim="tprof of $2"
		pid=$(of_node "$2") && kill -KILL "$pid" 2>/dev/null
		;;
	1)
		victim="a step on $2"
		step=$(squeue -h -s -o '%i %N' 2>/dev/null | awk -v node="$2" '$2 == node && $1 !~ /batch|extern/ { print $1; exit }')
		[ -n "$step" ] && of_node "$2" >/dev/null && scancel "$step"
		;;
	2)
		victim="slurmd of $2"
		of_node "$2" >/dev/null || return 1
		pid=$(slurm_pids | awk -v name="$2" '$1 == name { print $2 }' | tail -n 1)
		kill -KILL "$pid" 2>/dev/null && slurmd_start "${2#tp}"
		;;
	3)
		victim="tprof at login"
		pid=$(pgrep -P "$3") && kill -KILL "$pid" 2>/dev/null
		;;
	4)
		victim="the job"
		[ -n "$(squeue -h -t RUNNING -o %i)" ] && timeout 60 "$tprof" --cluster cancel ./run --allow-code -q 2>/dev/null &&
			grep -q '"state": "cancelled"' run/cluster.json
		;;
	esac
}

slurm_up "$nodes" || exit $?
"$tprof" --batch simulated.yaml --run-dir single -q || { echo "the single run ended with $?"; exit 1; }
points=$(finished single | wc -l)
started=$(date +%s%N)
(submit simulated.yaml run) >said 2>&1 || { echo "the undisturbed run ended with $?"; exit 1; }
duration_ms=$((($(date +%s%N) - started) / 1000000))
echo "undisturbed: $nodes nodes, $points points each, $duration_ms ms"
[ "$points" -gt 0 ] || { echo "nothing was measured"; exit 1; }

lost=0 doubled=0 missing=0 failed=0 kept=0 unlike=0 hits=0
echo ' kill  victim            at ms  kept  lost  doubled  missing  unlike'
for ((i = 0; hits < kills && i < 5 * kills; i++)); do
	rm -rf run
	submit simulated.yaml run >said 2>&1 &
	login=$!
	at_ms=$((RANDOM * duration_ms / 43691)) # all have ended before it is told
	sleep "$(printf '%d.%03d' $((at_ms / 1000)) $((at_ms % 1000)))"
	strike $((i % 5)) "tp$((RANDOM % nodes + 1))" $login
	hit=$?
	wait $login 2>/dev/null
	if [ ! -d run/nodes ]; then
		rm -rf run # nothing had begun
		(submit simulated.yaml run) >said 2>&1 || failed=$((failed + 1))
	fi
	own_kept=0 own_lost=0 own_doubled=0 own_missing=0 own_unlike=0
	for ((n = 1; n <= nodes; n++)); do
		finished "run/nodes/tp$n" >"before.tp$n"
		own_kept=$((own_kept + $(wc -l <"before.tp$n")))
	done
	slurm_wait "$nodes" || echo "kill $i ($victim): not all nodes came back"
	if ! (resume run) >said 2>&1; then
		echo "kill $i ($victim): --resume ended with an error: $(grep -v "^tprof: .*done," said | tail -n 3)"
		failed=$((failed + 1))
	fi
	for ((n = 1; n <= nodes; n++)); do
		finished "run/nodes/tp$n" >after
		own_lost=$((own_lost + $(comm -23 <(sort "before.tp$n") <(sort after) | wc -l)))
		own_doubled=$((own_doubled + $(cut -d' ' -f1 after | sort | uniq -d | wc -l)))
		own_missing=$((own_missing + points - $(cut -d' ' -f1 after | sort -u | wc -l)))
		alike single "run/nodes/tp$n" || own_unlike=$((own_unlike + 1))
	done
	lost=$((lost + own_lost)) doubled=$((doubled + own_doubled)) missing=$((missing + own_missing)) unlike=$((unlike + own_unlike))
	[ $hit -eq 0 ] || [ $((own_lost + own_doubled + own_missing + own_unlike)) -gt 0 ] || continue
	[ $hit -eq 0 ] && hits=$((hits + 1)) kept=$((kept + own_kept))
	printf '%5d  %-16s %6d %5d %5d %8d %8d %7d\n' $hits "$victim" $at_ms $own_kept $own_lost $own_doubled $own_missing $own_unlike
done
echo "$hits of $i kills hit, $kept finished points before them: $lost lost, $doubled doubled, $missing missing after resume," \
	"$unlike nodes unlike the single run, $failed failures"
[ "$hits" -ge "$kills" ] || failed=$((failed + 1))

# A real time limit: Slurm's smallest is a minute, and it looks once in half a minute.
timeout 300 "$tprof" --cluster slurm --partition few --time-limit 1 --batch long.yaml --run-dir late >said 2>&1
finished late/nodes/tp1 >before
grep 'tp1: ' said
grep -q "tp1: partial.*time limit" said || { echo "the time limit was not told"; failed=$((failed + 1)); }
timeout 300 "$tprof" --resume ./late --allow-code --time-limit 10 -q || failed=$((failed + 1))
finished late/nodes/tp1 >after
late_lost=$(comm -23 <(sort before) <(sort after) | wc -l)
echo "time limit: $(wc -l <before) of 4 points before it, $late_lost lost, $(cut -d' ' -f1 after | sort -u | wc -l) after --resume"
[ -s before ] && [ "$(cut -d' ' -f1 after | sort | uniq | wc -l)" -eq 4 ] && [ "$(wc -l <after)" -eq 4 ] || failed=$((failed + 1))

# This machine, one node at a time.
"$tprof" --batch real.yaml --run-dir alone -q
timeout 300 "$tprof" --cluster slurm --nodes 1 --batch real.yaml --run-dir here -q
echo "this machine, a node against a single run: $(compared alone here/nodes/*/)"
[ $((lost + doubled + missing + failed + unlike + late_lost)) -eq 0 ]
