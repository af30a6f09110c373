#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The faults that a test run should not cause on a user's machine, caused on purpose: a CPU that is taken offline under a run, and ten
# thousand runs in the data directory. The others are in tests/cli/fault-*.sh.
#
# usage: tests/bench/faults.sh TPROF      (as root for the first)
# Exit status 0 if all ended as they should.
set -u
export LC_ALL=C

tprof=$(realpath "${1:?usage: $0 TPROF}") || exit 2
scratch=$(mktemp -d)
cpu='' bad=0
# shellcheck disable=SC2317
cleanup() {
	[ -n "$cpu" ] && echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
	rm -rf "$scratch"
}
trap cleanup EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config

verdict() { # verdict STATUS TEXT
	[ "$1" -eq 0 ] || bad=1
	echo "$([ "$1" -eq 0 ] && echo ok || echo BAD): $2"
}

# --- a CPU goes offline ---
last=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
switch=/sys/devices/system/cpu/cpu$last/online
if [ -w "$switch" ] && [ "$(nproc)" -gt 1 ]; then
	cat >two.yaml <<-END
		experiment: memcurve
		isa: scalar
		ratio: 1:0
		threads: 2
		sizes: [8KiB, 10KiB, 12KiB, 14KiB, 16KiB, 20KiB]
		stop: {max_time: 400ms, max_samples: 1000000, min_count: 100000}
	END
	"$tprof" --batch two.yaml --quiet --run-dir offline 2>errors &
	program=$!
	while ! grep -q '"ev":"sample".*"point":1,' offline/journal.ndjson 2>/dev/null; do sleep 0.05; done
	cpu=$last
	echo 0 >"$switch"
	wait $program
	status=$?
	finished=$(grep -c '"state": "done"' offline/run.json)
	grep -q "CPU $cpu can no longer be used" errors
	verdict $? "CPU $cpu went offline under a run: exit $status, $finished of 6 points done, the others say why"
	[ $status -eq 3 ]
	verdict $? "exit status 3 (got $status): $(cat errors)"
	echo 1 >"$switch"
	cpu=''
	"$tprof" --resume offline --quiet && [ "$(grep -c '"state": "done"' offline/run.json)" -eq 6 ]
	verdict $? 'back online, --resume measured the rest'
else
	echo 'left out: a CPU that goes offline (this needs root, and a second CPU that can be switched)'
fi

# --- many runs ---
"$tprof" --batch quick --quiet --run-dir one --set stop.max_time=20ms || exit 1
mkdir -p "$XDG_DATA_HOME/tprof/runs"
(
	cd "$XDG_DATA_HOME/tprof/runs" || exit
	for ((i = 0; i < 10000; i++)); do
		printf '2026-%02d-%02d-%06d-run\n' $((i / 900 + 1)) $((i / 40 % 28 + 1)) "$i"
	done >"$scratch/names"
	xargs mkdir <"$scratch/names"
	while read -r name; do cp "$scratch/one/run.json" "$name/"; done <"$scratch/names"
)
started=$(date +%s%N)
"$tprof" --list runs >list
listed=$(($(date +%s%N) - started))
[ "$(grep -c complete list)" -eq 10000 ]
verdict $? "10000 runs listed in $((listed / 1000000)) ms ($(du -sh --apparent-size "$XDG_DATA_HOME" | cut -f 1))"
started=$(date +%s%N)
"$tprof" --show last --csv >/dev/null
verdict $? "the last of them shown in $((($(date +%s%N) - started) / 1000000)) ms"
started=$(date +%s%N)
"$tprof" --batch quick --quiet --set stop.max_time=20ms --set name=another
verdict $? "a new run beside them in $((($(date +%s%N) - started) / 1000000)) ms"
exit $bad
