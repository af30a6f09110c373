#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs command line tests and writes TAP. `make check` calls it once for each test.
#
# usage: run.sh [TEST...]	(names without .sh; default: every NAME.sh beside this file)
#
# bash runs a test NAME.sh in an empty folder with its own HOME. The test passes if it ends with
# status 0 (or the number in NAME.exit) and, where they exist, its stdout is NAME.out and its stderr is
# NAME.err. In both, @TMP@ stands for the path of the empty folder and @SRC@ for that of the source tree.
# Status 77 means that the test cannot run on this machine. Each part that a test left out is a separate skipped case.
#
# Tests may run side by side. As all of them measure on the first CPUs, at most two tests of a build run at
# once, however many jobs make has. A test with a line "# Alone: REASON" runs while no other test does.
#
# Environment: TPROF (the program; default: build/tprof), TPROF_CLI (folder of the tests; default: this one),
# TPROF_VERSION, TPROF_TEST_TIMEOUT (seconds a test may take; default 1800), TPROF_GOLDEN_WRITE=1 (tests with stored expected
# output write it anew), TPROF_TOUR=FOLDER (the panes of tests/tui/tour.sh go there).
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TPROF_SRCDIR=${TPROF_SRCDIR:-${here%/*/*}}
export TPROF_CLI=${TPROF_CLI:-$here}
export TPROF=${TPROF:-$TPROF_SRCDIR/build/tprof}
TPROF_VERSION=${TPROF_VERSION:-$(sed -n 's/^AC_INIT(\[tprof\], \[\([^]]*\)\].*/\1/p' "$TPROF_SRCDIR/configure.ac")}
export TPROF_VERSION
limit_seconds=${TPROF_TEST_TIMEOUT:-1800}

if [ ! -x "$TPROF" ]; then
	echo "not ok 1 - there is a program to test ($TPROF)"
	echo '1..1'
	exit 1
fi

if [ $# -eq 0 ]; then
	for file in "$TPROF_CLI"/*.sh; do
		name=$(basename "$file" .sh)
		case $name in
		run | lib | '*') ;;
		*) set -- "$@" "$name" ;;
		esac
	done
fi
if [ $# -eq 0 ]; then
	echo "not ok 1 - there are tests in $TPROF_CLI"
	echo '1..1'
	exit 1
fi

# Nothing of the caller's settings reaches a test.
export GOLDEN_WRITE=${TPROF_GOLDEN_WRITE-} TOUR_FOLDER=${TPROF_TOUR-}
for variable in $(compgen -e TPROF_); do
	case $variable in
	TPROF_SRCDIR | TPROF_CLI | TPROF_VERSION) ;;
	*) unset "$variable" ;;
	esac
done
unset NO_COLOR XDG_RUNTIME_DIR

scratch=$(mktemp -d)
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT

# same EXPECTED-FILE GOT-FILE WHAT: compares where there is something expected.
same() {
	[ -f "$1" ] || return 0
	sed -e "s|$TMP|@TMP@|g" -e "s|$TPROF_SRCDIR|@SRC@|g" "$2" | diff -u "$1" - >"$scratch/diff" && return 0
	{
		echo "$3 differs (- expected, + got):"
		sed 1,2d "$scratch/diff"
	} >>"$scratch/reasons"
}

# wait_for_turn FILE: holds one of the two turns (both for a test that runs alone) until release_turn.
turns=${TPROF%/*}
[ -w "$turns" ] || turns=$scratch
wait_for_turn() {
	exec 8>>"$turns/test-turn.1" 9>>"$turns/test-turn.2"
	if grep -q '^# Alone: ' "$1"; then
		flock 8 && flock 9
	else
		until flock -n 8 || flock -n 9; do
			sleep 0.1
		done
	fi
}
release_turn() {
	exec 8>&- 9>&-
}

# one NAME: returns 0 if the test passes; $scratch/reasons has the reasons if not.
one() {
	local test=$TPROF_CLI/$1 wanted=0 got
	: >"$scratch/reasons"
	: >"$scratch/skipped"
	if [ ! -f "$test.sh" ]; then
		echo "there is no $test.sh" >"$scratch/reasons"
		return 1
	fi
	export TMP=$scratch/$1
	mkdir -p "$TMP/home" "$TMP/config" "$TMP/data" "$TMP/cache"
	wait_for_turn "$test.sh"
	(
		cd "$TMP" || exit 125
		export TMPDIR=$TMP HOME=$TMP/home XDG_CONFIG_HOME=$TMP/config
		export XDG_DATA_HOME=$TMP/data XDG_CACHE_HOME=$TMP/cache XDG_STATE_HOME=$TMP/state TERM=xterm-256color
		exec timeout --kill-after=10 "$limit_seconds" bash "$test.sh"
	) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null 8>&- 9>&-
	got=$?
	release_turn
	[ -f "$test.exit" ] && read -r wanted <"$test.exit"
	[ -f "$TMP/skipped" ] && sort -u "$TMP/skipped" >"$scratch/skipped"
	if [ "$got" = 124 ] && [ "$wanted" != 124 ]; then
		{
			echo "did not end within $limit_seconds s"
			tail -n 60 "$scratch/stderr"
		} >>"$scratch/reasons"
	elif [ "$got" = 77 ] && [ -s "$scratch/skipped" ]; then
		whole=skipped
	elif [ "$got" != "$wanted" ]; then
		{
			echo "exit status $got, expected $wanted"
			tail -n 60 "$scratch/stderr"
		} >>"$scratch/reasons"
	fi
	[ -f "$TMP/awk-differs" ] && cat "$TMP/awk-differs" >>"$scratch/reasons"
	same "$test.out" "$scratch/stdout" stdout
	same "$test.err" "$scratch/stderr" stderr
	chmod -R u+rwx "$TMP" 2>/dev/null
	rm -rf "$TMP"
	[ ! -s "$scratch/reasons" ]
}

count=0
failed=0
for name in "$@"; do
	count=$((count + 1))
	whole=run
	if ! one "$name"; then
		failed=$((failed + 1))
		sed 's/^/# /' "$scratch/reasons"
		echo "not ok $count - $name"
	elif [ $whole = skipped ]; then
		echo "ok $count - $name # SKIP $(paste -sd ';' "$scratch/skipped")"
		continue
	else
		echo "ok $count - $name"
	fi
	while IFS= read -r reason; do
		count=$((count + 1))
		echo "ok $count - $name, in part # SKIP $reason"
	done <"$scratch/skipped"
done
echo "1..$count"
[ "$failed" -eq 0 ]
