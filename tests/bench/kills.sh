#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# kill -9 at random moments of a memory curve: of tprof, and of its engine, in turn. After each one the journal must hold every point that was reported as finished before, and --resume must come to the same set of points, with the finished ones as they were.
#
# usage: tests/bench/kills.sh TPROF [KILLS] [SEED]      (50 kills, seed 1; about 3 s each)
# Exit status 0 if nothing was lost.
set -u
export LC_ALL=C

tprof=$(realpath "${1:?usage: $0 TPROF [KILLS] [SEED]}") || exit 2
kills=${2:-50}
RANDOM=${3:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config

cat >curve.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
size_max: 4MiB
points_per_octave: 2
stop: {max_time: 20ms}
END

# Columns of points.csv that say which point a row is, and its median.
identity() { # identity FILE
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["point"], $at["kernel"], $at["isa"], $at["threads"], $at["working_set_bytes"] }' "$1" | sort -n
}
medians_csv() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%d %.6g\n", $at["point"], $at["median_gbps"] }' "$1" | sort -n
}
# Finished points among the whole lines of a stream of events, with their medians.
medians_events() {
	grep '"ev":"point_end"' "$1" | grep '"state":"done"' | grep '}$' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' |
		awk '{ printf "%d %.6g\n", $1, $2 }' | sort -n
}

started=$(date +%s%N)
"$tprof" --batch curve.yaml --quiet --run-dir whole || { echo "the undisturbed run ended with $?"; exit 1; }
duration_ms=$((($(date +%s%N) - started) / 1000000))
identity whole/points.csv >whole.set
points=$(wc -l <whole.set)

lost=0 other=0 changed=0 finished=0 too_late=0
for ((i = 0; i < kills; i++)); do
	victim=tprof
	[ $((i % 2)) -eq 1 ] && victim=engine
	rm -rf run events
	"$tprof" --batch curve.yaml --quiet --run-dir run --events >events 2>errors &
	program=$!
	sleep "$(awk -v r="$RANDOM" -v d="$duration_ms" 'BEGIN { printf "%.3f", r / 32768 * d / 1000 }')"
	if [ $victim = tprof ]; then
		kill -KILL $program 2>/dev/null || too_late=$((too_late + 1))
	else
		engine=$(sed -n 's/.*"ev":"hello".*"pid":\([0-9]*\).*/\1/p' events | tail -n 1)
		[ -n "$engine" ] && kill -KILL "$engine" 2>/dev/null || too_late=$((too_late + 1))
	fi
	wait $program 2>/dev/null
	# Killed before there was a run: nothing to lose.
	if [ ! -s run/journal.ndjson ] && [ ! -s events ]; then
		rm -rf run
		"$tprof" --batch curve.yaml --quiet --run-dir run || echo "kill $i ($victim): the run made anew ended with $?"
	fi
	medians_events events >told
	medians_events run/journal.ndjson >kept
	missing=$(comm -23 <(sort told) <(sort kept) | wc -l)
	lost=$((lost + missing))
	finished=$((finished + $(wc -l <told)))
	if ! "$tprof" --resume run --quiet 2>errors; then
		echo "kill $i ($victim): --resume failed: $(cat errors)"
		other=$((other + 1))
		continue
	fi
	identity run/points.csv >run.set
	if ! cmp -s whole.set run.set; then
		echo "kill $i ($victim): another set of points after --resume"
		other=$((other + 1))
	fi
	medians_csv run/points.csv >run.medians
	again=$(comm -23 <(sort told) <(sort run.medians) | wc -l)
	changed=$((changed + again))
done
echo "$kills kills of a curve of $points points ($duration_ms ms): $finished points were finished before the kill;" \
	"lost: $lost, measured twice: $changed, runs that did not come to the same set: $other (kills that came too late: $too_late)"
[ $lost -eq 0 ] && [ $other -eq 0 ] && [ $changed -eq 0 ]
