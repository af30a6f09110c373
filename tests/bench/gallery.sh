#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the presets of patterns, of sparse matrices and of gathers as they are, and draws their pictures: those of doc/patterns.md.
# Usage: tests/bench/gallery.sh TPROF FOLDER [PRESET...]
set -u
tprof=$(realpath "$1")
folder=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- pattern-stream pattern-barriers pattern-data-spaces pattern-false-sharing pattern-streams \
	pattern-interleaved pattern-kernels pattern-jacobi-2d-tiles pattern-jacobi-2d-overlapped pattern-jacobi-3d \
	pattern-jacobi-best pattern-strides pattern-random pattern-resort pattern-roofline spmv gather
for preset in "$@"; do
	from=$(date +%s.%N)
	"$tprof" --batch "$preset" --report=never --quiet --svg "$folder/$preset.svg" >/dev/null 2>"$folder/$preset.err"
	status=$?
	printf '%-32s exit %d, %.0f s, load %s\n' "$preset" $status "$(echo "$(date +%s.%N) - $from" | bc)" \
		"$(cut -d' ' -f1 /proc/loadavg)"
	if [ -s "$folder/$preset.err" ]; then sed 's/^/    /' "$folder/$preset.err"; fi
	rm -f "$folder/$preset.err"
	"$tprof" --show last --report=always 2>/dev/null | sed -n '/^Verdict/,$p' | sed 's/^/    /'
done
