#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the three studies as they ship, and draws the pictures of doc/studies.md: what was measured, what decides it, and the tree.
# Usage: tests/bench/studies.sh TPROF FOLDER [PRESET...]
set -u
tprof=$(realpath "$1")
folder=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- study-fma study-gather study-strides
for preset in "$@"; do
	from=$(date +%s.%N)
	"$tprof" --batch "$preset" --report=always >"$folder/$preset.txt" 2>&1
	status=$?
	printf '%-16s exit %d, %.0f s with tree and importance, load %s\n' "$preset" $status \
		"$(awk -v a="$from" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')" "$(cut -d' ' -f1 /proc/loadavg)"
	"$tprof" --mine last --svg "$folder/$preset.svg" >/dev/null
	sed -n '/^Mining/,/^Flags/p; /^Verdict/,$p' "$folder/$preset.txt" | sed '/^Flags/d; s/^/    /'
	rm -f "$folder/$preset.txt"
done
