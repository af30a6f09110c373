#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Interrupts runs at random moments, each experiment in batch and on the screens: SIGINT and SIGTERM in turn, on the screens Ctrl-C and
# SIGTERM. One moment in four interrupts a plan of few points, so that planning, preparing and writing are met as well. It prints the
# time until every process of the run has gone, finished points that got lost, and runs that --resume did not complete.
#
# usage: tests/bench/interrupts.sh TPROF [MOMENTS [SEED [FACE/EXPERIMENT...]]]
# (25 moments an experiment and face, seed 1; FACE/EXPERIMENT such as batch/memcurve; default: all)
# Exit status 0 if nothing was lost. The times have no verdict.
set -u
export LC_ALL=C.UTF-8

tprof=$(realpath "${1:?usage: $0 TPROF [MOMENTS [SEED [FACE/EXPERIMENT...]]]}") || exit 2
moments=${2:-25}
RANDOM=${3:-1}
shift $(($# < 3 ? $# : 3))
chosen=("$@")
scratch=$(mktemp -d)
close_server() {
	env -u TMUX tmux -S "$scratch/tmux" kill-server 2>/dev/null
}
trap 'close_server; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
runs=$XDG_DATA_HOME/tprof/runs

# Short plans that visit every phase, and the same with few points.
preset() { # preset EXPERIMENT
	case $1 in
	memcurve) printf '%s\n' 'isa: scalar' 'ratio: 1:0' 'sizes: [8KiB, 64KiB, 1MiB, 16MiB, 256MiB]' 'stop: {max_time: 20ms}' ;;
	roofline) printf '%s\n' 'isa: scalar' 'ratio: 1:0' 'fp_op: add' 'threads: [1, all]' 'stop: {max_time: 60ms}' ;;
	mixed) printf '%s\n' 'isa: scalar' 'ratio: 1:0' 'fp_op: add' 'threads: 1' 'level: [L1, DRAM]' 'stop: {max_time: 20ms}' ;;
	latency) printf '%s\n' 'sizes: [8KiB, 1MiB, 16MiB]' 'pages: [small, thp]' 'stop: {max_time: 20ms}' ;;
	loaded-latency) printf '%s\n' 'level: L3' 'ratio: 1:0' 'isa: scalar' 'throttle: [0, 512, 4096]' 'stop: {max_time: 20ms}' ;;
	counters) printf "%s\n" "families: [branch, dcache-read]" ;;
	autotune) printf '%s\n' 'routine: triad' 'scope: core' 'technique: racing' 'level: [L2, DRAM]' 'autotune: {elements: [20000, 8000000, 16000000]}' ;;
	esac
}
few() { # few EXPERIMENT
	case $1 in
	memcurve) printf '%s\n' 'isa: scalar' 'ratio: 1:0' 'sizes: 512MiB' 'stop: {max_time: 20ms}' ;;
	latency) printf '%s\n' 'sizes: 64MiB' 'pages: thp' 'stop: {max_time: 20ms}' ;;
	roofline | mixed) printf '%s\n' 'isa: scalar' 'ratio: 1:0' 'fp_op: add' 'threads: 1' 'level: L1' 'stop: {max_time: 30ms}' ;;
	loaded-latency) printf '%s\n' 'level: L3' 'ratio: 1:0' 'isa: scalar' 'throttle: 0' 'stop: {max_time: 20ms}' ;;
	counters) printf "%s\n" "families: branch" ;;
	autotune) printf '%s\n' 'routine: triad' 'scope: core' 'technique: racing' 'level: L2' 'autotune: {elements: [20000]}' ;;
	esac
}

now_ms() {
	local t=${EPOCHREALTIME/[.,]/}
	echo $((t / 1000))
}

pause() { # pause MILLISECONDS
	sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

# family PID: it and all that it started.
family() {
	local child
	echo "$1"
	for child in $(pgrep -P "$1"); do
		family "$child"
	done
}

any_alive() { # any_alive PID...: zombies have gone
	local pid state
	for pid; do
		state=$(sed -n 's/.*) \(.\) .*/\1/p' "/proc/$pid/stat" 2>/dev/null)
		[ -n "$state" ] && [ "$state" != Z ] && return 0
	done
	return 1
}

# until_gone PID...: prints nothing; `took` is the time in ms since `asked`.
until_gone() {
	while any_alive "$@"; do
		sleep 0.002
	done
	took=$(($(now_ms) - asked))
}

# Finished points of a journal, and those of points.csv: their numbers.
finished() { # finished JOURNAL
	grep '"ev":"point_end"' "$1" | grep '"state":"done"' | grep '}$' | sed -n 's/.*"point":\([0-9]*\),.*/\1/p' | sort -u
}
results() { # results CSV
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["samples"] != "" { print $at["point"] }' "$1" | sort
}

# check DIRECTORY: it goes on, comes to its end, and has what was finished before.
check() {
	[ -s "$1/journal.ndjson" ] || return 0
	finished "$1/journal.ndjson" >before
	"$tprof" --resume "$1" --quiet 2>errors
	case $? in
	0 | 3 | 5) ;;
	*)
		echo "--resume failed ($face/$experiment, moment $i): $(tail -n 2 errors)"
		incomplete=$((incomplete + 1))
		;;
	esac
	lost=$((lost + $(comm -23 before <(results "$1/points.csv") | wc -l)))
	kept=$((kept + $(wc -l <before)))
}

interrupt_batch() { # interrupt_batch PRESET WAIT SIGNAL
	rm -rf run
	# A shell lets jobs in the background ignore SIGINT.
	env --default-signal=INT "$tprof" --batch "$1" --run-dir run 2>errors &
	local pid=$! all
	pause "$2"
	all=$(family $pid)
	asked=$(now_ms)
	kill -s "$3" $pid 2>/dev/null
	# shellcheck disable=SC2086 # several numbers
	until_gone $all
	wait $pid 2>/dev/null
	[ $? = 130 ] && [ -d run ] && saved=$((saved + 1)) && [ "$(tail -n 1 errors)" != "tprof --resume run" ] && words=$((words + 1))
	check run
}

interrupt_screens() { # interrupt_screens PRESET WAIT SIGNAL
	local pid all sets=() line
	rm -rf "$runs"
	while read -r line; do
		sets+=(--set "${line/: /=}")
	done <"$1.flat"
	close_server
	env -u TMUX tmux -S "$scratch/tmux" -f /dev/null new-session -d -s t -x 100 -y 30 \
		"$(printf '%q ' exec "$tprof" "${sets[@]}") 2>$(printf %q "$scratch/errors")"
	pid=$(env -u TMUX tmux -S "$scratch/tmux" display-message -p -t t '#{pane_pid}')
	for ((n = 0; n < 500; n++)); do
		env -u TMUX tmux -S "$scratch/tmux" capture-pane -p -t t 2>/dev/null | grep -q 'What to measure' && break
		sleep 0.02
	done
	env -u TMUX tmux -S "$scratch/tmux" send-keys -t t r
	pause "$2"
	all=$(family "$pid")
	asked=$(now_ms)
	if [ "$3" = INT ]; then
		env -u TMUX tmux -S "$scratch/tmux" send-keys -t t C-c C-c
	else
		kill -s "$3" "$pid" 2>/dev/null
	fi
	# shellcheck disable=SC2086 # several numbers
	until_gone $all
	line=$(find "$runs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | head -n 1)
	if grep -q 'the run is in' errors && ! grep -qx '"state": "complete",' "$line/run.json"; then
		saved=$((saved + 1))
		[ "$(tail -n 1 errors)" != "tprof --resume last" ] && words=$((words + 1))
	fi
	[ -n "$line" ] && check "$line"
}

# flat FILE: the preset as key=value lines for --set.
flat() {
	sed -e 's|^\([a-z]*\): {\(.*\): \(.*\)}$|\1.\2: \3|' -e 's|\[\(.*\)\]|\1|' -e 's|"||g' "$1" >"$1.flat"
}

is_chosen() {
	local word
	[ ${#chosen[@]} = 0 ] && return 0
	for word in "${chosen[@]}"; do
		[ "$word" = "$1" ] && return 0
	done
	return 1
}

bad=0 whole_ms=0 few_ms=0
for experiment in $("$tprof" --list experiments --names); do
	{
		echo "experiment: $experiment"
		preset "$experiment"
	} >whole.yaml
	{
		echo "experiment: $experiment"
		few "$experiment"
	} >few.yaml
	for name in whole few; do
		flat $name.yaml
		started=$(now_ms)
		"$tprof" --batch $name.yaml --quiet --run-dir "undisturbed-$name" 2>errors
		code=$?
		case $code in
		0 | 3 | 5) ;;
		*)
			echo "$experiment: the undisturbed run of $name ended with $code: $(head -n 2 errors)"
			bad=1
			continue 2
			;;
		esac
		[ $name = whole ] && whole_ms=$(($(now_ms) - started))
		[ $name = few ] && few_ms=$(($(now_ms) - started))
		rm -rf "undisturbed-$name"
	done
	for face in batch screens; do
		is_chosen "$face/$experiment" || continue
		[ $face = screens ] && ! command -v tmux >/dev/null && continue
		lost=0 kept=0 incomplete=0 words=0 saved=0
		: >taken
		for ((i = 0; i < moments; i++)); do
			name=whole longest=$whole_ms signal=INT
			[ $((i % 4)) = 3 ] && name=few longest=$few_ms
			[ $((i / 2 % 2)) = 1 ] && signal=TERM
			wait_ms=$((RANDOM * longest / 32768))
			"interrupt_$face" $name.yaml $wait_ms $signal
			echo "$took $name $wait_ms $signal" >>taken
		done
		sort -n taken | awk -v what="$face/$experiment" -v n="$moments" -v lost=$lost -v kept=$kept -v incomplete=$incomplete \
			-v words=$words -v saved=$saved -v whole="$whole_ms" -v few="$few_ms" '
			{ t[NR] = $1; last = $0 }
			END { at = int(n * 0.95 + 0.999); half = int((n + 1) / 2)
				printf "%-24s %4d moments of %5d and %5d ms: gone after %4d ms (median) %4d ms (0.95) %4d ms (most);" \
					" %d of %d finished points lost, %d runs not completed, %d of %d last lines wrong; slowest: %s\n",
					what, n, whole, few, t[half], t[at], t[n], lost, kept, incomplete, words, saved, last }'
		[ -n "${TIMES-}" ] && sed "s|^|$face/$experiment |" taken >>"$TIMES"
		bad=$((bad + lost + incomplete))
	done
done
[ $bad = 0 ]
