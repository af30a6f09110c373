#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The classification of events on planted data: how often each score finds the planted basis among 5,000 events of which 95 % mislead, also with
# noise on every count; and what it costs: seconds of a processor, nanoseconds an event, and the peak memory of the process, counts included. Prints figures with their bars, without a verdict.
#
# usage: tests/bench/classify.sh [BUILD-FOLDER] [SEEDS]	(default: build, 100)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
build=$(cd "${1:-$top/build}" && pwd) || exit 2
seeds=${2:-100}
tool=$build/tests/bench/classify_bench
make -s -C "$build" tests/bench/classify_bench || exit 2

echo "Planted bases found, $seeds seeds of 5000 events; bar: 100 % for the default, the score of the original column."
"$tool" recovery "$seeds" 5000
echo 'The same for 4 ideal events with noise on every count of every event.'
"$tool" noise "$seeds" 5000
echo 'Cost; bar for 100,000 events: 2 s, 200 MB. Nanoseconds an event should not grow with their number.'
for events in 12500 25000 50000 100000; do
	"$tool" cost "$events" 48 16
done | awk '{ print; sub(/^.*: +/, ""); s[NR] = $1 } END { printf "seconds over those of 12,500 events: "
	for (i = 1; i <= NR; i++) printf "%.2f%s", s[i] / s[1], i < NR ? ", " : " (linear: 1, 2, 4, 8)\n" }'
"$tool" cost 100000 48 48
