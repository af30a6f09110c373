#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# long_runs.sh [POINTS]: an interrupted run of some POINTS points (65,536) of a simulated machine: seconds, processor seconds and memory of
# showing, comparing, mining and going on with it. Processor seconds are also given as a multiple of those of a JSON parser (jq, where it
# is installed) that reads the journal. Then the points that the screens measure in 20 s, beside those of a batch.
# BUILD names the build.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
tprof=${BUILD:-$here/build}/tprof
wanted=${1:-65536}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data
cd "$work"

# A curve of four ISAs in two precisions on 1 and 2 threads at 9 ratios has some 2,304 points for each point of an octave.
plan=(--machine zen4 --simulate quiet --set experiment=memcurve --set "points_per_octave=$((wanted / 2304))" --set "precision=double,single" --set "isa=scalar,sse,avx2,avx512"
	--set "ratio=1:0,2:1,1:1,0:1,3:1,4:1,1:2,5:1,6:1" --set "threads=1,2" --set stop.max_samples=3 --set stop.min_count=3)
"$tprof" --batch memcurve "${plan[@]}" --run-dir whole -q
points=$(($(wc -l <whole/points.csv) - 1))
mkdir cut
cp whole/preset.yaml cut
head -c $(($(stat -c %s whole/journal.ndjson) * 8 / 10)) whole/journal.ndjson >cut/journal.ndjson
echo "$points points planned, the journal cut at 80 %: $(stat -c %s cut/journal.ndjson) bytes; $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2), load $(cut -d' ' -f1 /proc/loadavg)"

unit=
if command -v jq >/dev/null; then
	/usr/bin/time -o cost -f '%U %S' jq -c .ev cut/journal.ndjson >/dev/null 2>&1 || true
	unit=$(tail -n 1 cost | awk '{ print $1 + $2 }')
	echo "reading with jq: $unit processor seconds"
fi
# costs WHAT ARGUMENT...
costs() {
	local what=$1
	shift
	/usr/bin/time -o cost -f '%e %U %S %M' "$tprof" "$@" >out 2>err || true
	tail -n 1 cost | awk -v what="$what" -v unit="$unit" \
		'{ printf "%-8s %6.2f s, %6.2f of processors, %4.0f MB%s\n", what, $1, $2 + $3, $4 / 1024, (unit > 0 ? sprintf(", %.2f x jq", ($2 + $3) / unit) : "") }'
}
costs show --show cut
costs csv --show cut --csv -o points.csv
costs compare --compare cut whole
costs mine --mine cut
costs resume --resume cut -q

# finished FOLDER: the points that its journal has.
finished() {
	grep -c '"ev":"point_end"' "$1"/journal.ndjson
}
make -s -C "${tprof%/*}" tests/bench/screen_time
timeout -s INT 20 "$tprof" --batch memcurve "${plan[@]}" --run-dir batch -q || true
TERM=xterm-256color LC_ALL=C.UTF-8 "${tprof%/*}/tests/bench/screen_time" 120x40 '2r' '' 0 20 "$tprof" "${plan[@]}" >/dev/null || true
echo "screens: $(finished "$(find "$XDG_DATA_HOME/tprof/runs" -mindepth 1 -maxdepth 1)") points in 20 s; batch: $(finished batch)"
