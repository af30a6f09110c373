#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs whose limit is known by construction, and the limit that tprof --app names. For each: what was expected, the sentence, and
# whether it is right (it names the limit), unknown (it names none) or wrong. Status 1 if fewer than 18 of 20 are right or one is wrong.
#
# usage: verdicts.sh [NAME...]	(default: all)
#
# TPROF names the program (default: build/tprof), CC_PLAIN the compiler. Roofs are measured once, for the first program.
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tprof=${TPROF:-${here%/*/*}/build/tprof}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
enough=18 right=0 unknown=0 wrong=0
wanted=" $* "

"${CC_PLAIN:-gcc}" -O2 -march=native -fno-tree-vectorize -pthread -o "$scratch/limits" "$here/app/limits.c" || exit 2

# Without MPI the job has no program, and its sentence is unknown.
if command -v mpicc.mpich >/dev/null; then
	mpicc.mpich -O2 -I"${here%/*/*}/include" -o "$scratch/ranks" "$here/app/ranks.c" || exit 2
fi

# NAME | options | what a right sentence contains | what it must not contain. All limits that sentences name are wrong except the expected
# one; a sentence without a limit is unknown.
table='page-faults     |          | into the kernel.*page faults
fork-storm      |          | starts processes
pipe-waits      |          | waits.*read
sleep           |          | waits.*nanosleep
file-reading    |          | into the kernel.*pread
branches        |          | % are branches.*branches that go another way
pointer-chase   |          | latency of memory
mpi-wait        |          | MPI: its ranks are in MPI for
l1-loop         | --levels | memory-bound: under the L1 roof
l2-loop         | --levels | memory-bound: under the L2 roof
l3-loop         | --levels | memory-bound: under the L3 roof
dram-loop       | --levels | memory-bound: under the DRAM roof
fp-chain        |          | latency of floating-point
fp-scalar       |          | compute-bound.*scalar
fp-divide       |          | divisions and roots
fp-peak         |          | compute-bound: (under the peak|.* with its instructions)
imbalance       |          | load imbalance
serial-phase    |          | serial phase
false-sharing   | --levels | share cache lines
lock-contention |          | locks'
names_none='no verdict|kept from working|perhaps: under|does not show|not a floating-point program: [0-9.]* % of its instructions compute in floating point; [0-9.]* % are branches|above every measured roof'

# sentence OPTION...: of the program, up to its full stop.
sentence() {
	awk '/^The program: / { on = 1 } on && (/^ *- / || /^$/ || /^tprof / || /^[A-Z][a-z]+  /) { exit } on { printf "%s%s", sep, $0; sep = " " }' "$1"
}

"$tprof" --app --set app.roofs=measure --set app.runs=1 -- true >"$scratch/first" 2>&1 || {
	cat "$scratch/first" >&2
	exit 2
}
roofs=$(basename "$(ls -d "$XDG_DATA_HOME"/tprof/runs/*)")

while IFS='|' read -r name options expected; do
	name=${name// /} options=${options// /} expected=${expected# }
	[ "$wanted" = '  ' ] || [[ $wanted == *" $name "* ]] || continue
	command=("$scratch/limits" "$name")
	[ "$name" != mpi-wait ] || command=(mpiexec.mpich -n 2 "$scratch/ranks" 100 1 30)
	# shellcheck disable=SC2086 # no option, or one
	"$tprof" --app $options --set app.roofs="$roofs" --set app.runs=3 --set app.max_time=1s -- "${command[@]}" >"$scratch/said" 2>&1 </dev/null
	text=$(sentence "$scratch/said")
	if [[ $text =~ $expected ]]; then
		verdict=right right=$((right + 1))
	elif [ -z "$text" ] || [[ $text =~ $names_none ]]; then
		verdict=unknown unknown=$((unknown + 1))
	else
		verdict=WRONG wrong=$((wrong + 1))
	fi
	printf '%-8s %s%s\n         expected: %s\n         %s\n' "$verdict" "$name" "${options:+ $options}" "$expected" "${text:-$(tail -1 "$scratch/said")}"
done <<<"$table"

echo "$right right, $unknown unknown, $wrong wrong of $((right + unknown + wrong))"
[ "$wanted" != '  ' ] || [ $((right)) -ge $enough ] || exit 1
[ $wrong -eq 0 ]
