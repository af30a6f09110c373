#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the screens cost, and whether they disturb: processor time and bytes of a full redraw and of a key, idle processor time, latency
# from key to paint, also while a run is under way, and what a slow line carries before the answer to a key; and the same preset in the screens and in batch, run in pairs. Prints figures with their bars, without a verdict in the exit code. Needs tmux for the second part.
#
# usage: tests/bench/screens.sh [BUILD-FOLDER] [PAIRS]	(default: build, 5)
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
build=$(cd "${1:-$top/build}" && pwd) || exit 2
pairs=${2:-5}
tool=$build/tests/bench/screen_time
work=$(mktemp -d)

export TPROF=$build/tprof TPROF_SRCDIR=$top TPROF_CLI=$top/tests/tui TMP=$work
export HOME=$work XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
make -s -C "$build" tprof tests/bench/screen_time tests/tui/slow_line || exit 2
# shellcheck source=tests/tui/lib.sh
. "$TPROF_CLI/lib.sh"
trap 'close_server; rm -rf "$work"' EXIT

# timed WORDS COLUMNSxROWS PRELUDE KEYS REPEATS IDLE-SECONDS ARGUMENT...
timed() {
	printf '%-44s ' "$1"
	env TERM=xterm-256color LC_ALL=C.UTF-8 "$tool" "$2" "$3" "$4" "$5" "$6" "$TPROF" "${@:7}" | paste -sd ' '
}

cd "$work" || exit 1 # the path of the run is a relative one
run=$(fixture all-plots)
echo 'Full redraws (Ctrl-L) at 200x60; bar: 5 ms of processor time. Idle; bar: 1 %.'
for view in home:1 machine:1] setup:2 points:3 roofline:3] curve:3]] mixed:3]]] tree:3]]]] runs:4; do
	timed "  ${view%:*}" 200x60 "${view#*:}~" '^L' 40 3 --replay "$run" --speed 0
done
searches=$(fixture autotune)
timed '  search' 200x60 '3]]~' '^L' 40 3 --replay "$searches" --speed 0
echo 'A step of the cursor: only cells that changed are written.'
for view in points,j:3 roofline,l:3] curve,l:3]] mixed,l:3]]]; do
	name=${view%:*}
	timed "  ${name%,*}" 200x60 "${view#*:}~" "${name#*,}" 40 0 --replay "$run" --speed 0
done
timed '  search' 200x60 '3]]~' j 40 0 --replay "$searches" --speed 0
echo 'Key to paint during a run on one CPU; bar: 50 ms. The first byte is the answer to the key; what follows may be a paint of the run.'
timed '  other place and back, next view' 120x40 '2r~' '3]4]' 60 0 \
	--set experiment=memcurve --set threads=1 --set isa=scalar --set size_max=64MiB --set points_per_octave=8 \
	--set stop.max_time=200ms --set stop.min_count=1000
echo 'The same on every CPU: the engine waits for the paint between windows.'
timed '  other place and back, next view' 120x40 '2r~' '3]4]' 60 0 \
	--set experiment=memcurve --set threads=all --set isa=scalar --set size_max=64MiB --set points_per_octave=8 \
	--set stop.max_time=200ms --set stop.min_count=1000

# on_line WORDS BYTES_PER_SECOND STEP...: a run that is replayed, on a slow line or a fast one.
on_line() {
	echo "$1"
	env TERM=xterm-256color LC_ALL=C.UTF-8 "$build/tests/tui/slow_line" "$2" 200x60 "${@:3}" -- \
		"$TPROF" --replay "$run" --speed 0.2 | sed 's/^/  /'
}

tab='48;5;75m' screen='38;5;75m[' row='48;5;24m'
echo 'A slow line, 2 kB/s at 200x60; bars: a key is answered within 0.3 s, 600 bytes; live 15 kB/s and 5 % of a CPU; idle 0 bytes.'
on_line 'at 2 kB/s: places, screens, rows of a list, and what lies between' 2000 "await=$tab" "answer=4 $tab" rest=1 "answer=3 $tab" \
	"answer=] $screen" rest=1 "key=[" rest=3 "answer=j $row" rest=2 "answer=k $row" rest=5
on_line 'on a fast line: the run, its roofline, and nothing under way' 0 "await=$tab" rest=5 "answer=] $screen" rest=5 key=s empty rest=5

command -v tmux >/dev/null || exit 0
settings=(--set experiment=roofline --set isa=widest --set 'level=[L1, L2]' --set fp_op=fma --set threads=1
	--set stop.error=1% --set stop.max_time=500ms)
echo 'experiment: roofline' >"$work/one.yaml"

# in_screens NAME, in_batch NAME: measures the preset; its points go to NAME.csv.
complete() {
	run_made && grep -qxF '"state": "complete",' "$(live_run)/run.json"
}

in_screens() {
	rm -rf "$XDG_DATA_HOME"
	open 120x40 LC_ALL=C.UTF-8 -- "${settings[@]}"
	press 2 r
	until_true complete || fail_with_pane 'no run'
	until_true cp "$(live_run)/points.csv" "$work/$1.csv" 2>/dev/null
	press q
	until_true ended
}

in_batch() {
	"$TPROF" --batch "$work/one.yaml" "${settings[@]}" --csv -q -o "$work/$1.csv" --run-dir "$work/$1.run"
}

echo "The same preset in the screens and in batch, $pairs pairs; bar: medians within 1 %."
for ((i = 1; i <= pairs; i++)); do
	if ((i % 2)); then
		in_screens "screens-$i"
		in_batch "batch-$i"
	else
		in_batch "batch-$i"
		in_screens "screens-$i"
	fi
done
for ((i = 1; i <= pairs; i++)); do
	paste -d, <(column level "$work/screens-$i.csv") <(column kernel "$work/screens-$i.csv") \
		<(column median_gbps "$work/screens-$i.csv") <(column median_gflops "$work/screens-$i.csv") \
		<(column median_gbps "$work/batch-$i.csv") <(column median_gflops "$work/batch-$i.csv")
done | LC_ALL=C sort -t, -k1,2 | awk -F, '
	function flush(    i, k, t) {
		if (!n)
			return
		for (i = 2; i <= n; i++)
			for (k = i; k > 1 && ratio[k - 1] > ratio[k]; k--) {
				t = ratio[k]; ratio[k] = ratio[k - 1]; ratio[k - 1] = t
			}
		t = n % 2 ? ratio[(n + 1) / 2] : (ratio[n / 2] + ratio[n / 2 + 1]) / 2
		printf "%-5s %-12s %11.2f %11.2f %8.4f   %.4f to %.4f\n", level, kernel, screens / n, batch / n, t, ratio[1], ratio[n]
		n = screens = batch = 0
	}
	BEGIN { printf "%-5s %-12s %11s %11s %8s   %s\n", "level", "kernel", "screens", "batch", "ratio", "of the pairs" }
	$1 != level || $2 != kernel { flush(); level = $1; kernel = $2 }
	{
		a = $3 == "" ? $4 : $3; b = $5 == "" ? $6 : $5
		ratio[++n] = a / b; screens += a; batch += b
	}
	END { flush() }'
