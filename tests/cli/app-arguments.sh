# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh disable=SC1003,SC2016
#
# Arguments of a program are bytes: everything that the kernel accepts arrives unchanged, in every run, also from a preset and after --resume.
. "$TPROF_CLI/lib.sh"

have gcc || exit 77
[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

cat >dump.c <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	FILE *f = fopen("got", "a");
	for (int i = 1; i < argc; i++)
		fwrite(argv[i], 1, strlen(argv[i]) + 1, f);
	return fclose(f);
}
END
gcc -O1 -o dump dump.c || fail "gcc cannot compile"

# arrived TIMES: in this many runs the program got the arguments of `args`.
arrived() {
	for _ in $(seq "$1"); do
		cat wanted
	done | cmp -s - got || fail "the arguments have changed on their way"
	rm -f got
}

# app OPTION... -- PROGRAM: with the arguments of `args`.
app() {
	printf '%s\0' "${args[@]}" >wanted
	run --app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms "$@" "${args[@]}"
}

# both: in a run, and in one of the preset that the first one keeps. Without --allow-code nothing runs.
both() {
	rm -rf first again got
	app --run-dir first -- ./dump
	expect_exit 0
	arrived 3
	run --batch first/preset.yaml --run-dir again
	expect_exit 2
	[ ! -e got ] || fail "a preset has run a program without being allowed to"
	run --batch first/preset.yaml --run-dir again --allow-code
	expect_exit 0
	arrived 3
}

args=('' 'a b' '"' "'" '\' '\x41' $'a\nb\t\r' $'\e[31m' $'\xff\xfe' 'café' $'\xc2\x85' $'\xe2\x80\xa8' '[x,y]' ' ' '$HOME' '*')
for byte in $(seq 1 255); do
	printf -v hex '\\x%02x' "$byte"
	printf -v byte '%b_' "$hex"
	all+=${byte%_}
done
args+=("$all")
both
# The report shows them cleaned and cut.
run --show first
! LC_ALL=C grep -q $'[\x01-\x08\x0e-\x1f\x7f]' out || fail "a control character is in the report"

# One of 100 kB, and a thousand.
args=("$(head -c 100000 /dev/zero | tr '\0' x)")
both
args=()
for i in $(seq 1000); do
	args+=("argument $i of a thousand, $(printf '%060d' "$i") $all")
done
both

# A run that goes on.
printf '%s\0' "${args[@]}" >wanted
start --app --run-dir gone --set app.roofs=measure --set level=L1 --set stop.max_time=1s --set stop.max_samples=1000000 --set stop.min_count=100000 --set app.threads=1 --set app.runs=2 --set app.max_time=1ms -- ./dump "${args[@]}"
await begun gone/journal.ndjson 0
kill -INT "$program"
finish
expect_exit 130
[ ! -e got ] || fail "the program has run already"
run --resume gone
expect_exit 2
[ ! -e got ] || fail "a run that goes on has run a program without being allowed to"
run --resume gone --allow-code
expect_exit 0
arrived 3
