#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How long the first answers take, and how much memory: one ISA (bar 1.0 s), every ISA (3.0 s for four), quick (1.0 s) and a memory
# curve (5.0 s), one thread each: warm, cold (most memory was touched and given back before, which a host may have taken), and next to four busy loops (bar three times as long). Bar of memory: 600 MiB, 1.2 GiB where kernels store. Then the same on a simulated guest
# whose fresh memory is cold, in its own time. Prints, never judges by exit code. Usage: tests/bench/seconds.sh [PROGRAM] [RUNS]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
runs=${2:-3}
work=$(mktemp -d)
loops=()
cleanup() {
	[ ${#loops[@]} -eq 0 ] || kill "${loops[@]}" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

# one HOW WHAT BAR ARGUMENTS...: smallest and largest wall time and memory of the runs
one() {
	local how=$1 what=$2 bar=$3 i
	shift 3
	rm -f "$work/times"
	for ((i = 0; i < runs; i++)); do
		[ "$how" != cold ] || touch_memory
		rm -rf "$work/run"
		/usr/bin/time -f '%e %M' -o "$work/time" "$tprof" --batch "$@" --run-dir "$work/run" -q 2>"$work/words" || true
		tail -1 "$work/time" >>"$work/times"
	done
	sort -n "$work/times" | awk -v how="$how" -v what="$what" -v bar="$bar" '
	{ t[NR] = $1; memory = $2 > memory ? $2 : memory }
	END { printf "%-6s %-10s %6.2f to %6.2f s (bar %.1f), %5.0f MiB\n", how, what, t[1], t[NR], bar, memory / 1024 }'
}

touch_memory() {
	local kib
	kib=$(awk '/^MemAvailable/ { print int($2 * 0.8) }' /proc/meminfo)
	head -c "${kib}K" /dev/zero | tail >/dev/null
	sleep 2
}

all() { # HOW FACTOR
	one "$1" 'one ISA' "$2" roofline --set isa=widest --set threads=1
	one "$1" 'every ISA' "$(awk -v x="$2" 'BEGIN { print 3 * x }')" roofline --set isa=auto --set threads=1
	one "$1" quick "$2" quick
	one "$1" curve "$(awk -v x="$2" 'BEGIN { print 5 * x }')" memcurve
}

lscpu | sed -n 's/^Model name: *//p'
all warm 1
all cold 1
for ((i = 0; i < 4; i++)); do
	while :; do :; done &
	loops+=($!)
done
all busy 3
kill "${loops[@]}"
loops=()
echo 'simulated: granite-rapids, gnr-vm with cold memory, in its own time'
while read -r what bar arguments; do
	rm -rf "$work/run"
	# shellcheck disable=SC2086
	"$tprof" --batch $arguments --machine granite-rapids --simulate gnr-vm --run-dir "$work/run" -q || true
	printf '       %-10s %6.2f s (bar %s)\n' "$what" "$(sed -n 's/.*"wall_seconds": *\([0-9.]*\).*/\1/p' "$work/run/run.json" | head -1)" "$bar"
done <<'CASES'
one-ISA 1.0 roofline --set isa=avx2 --set threads=1
four-ISAs 3.0 roofline --set isa=scalar,sse,avx2,avx512 --set threads=1
quick 1.0 quick
curve 5.0 memcurve
CASES
