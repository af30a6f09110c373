#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the command line tests and writes TAP, one line a test.
#
# usage: run.sh [TEST...]	(names without .sh; default: every NAME.sh beside this file)
#
# A test NAME.sh is run by bash in an empty folder with a HOME of its own. It passes if it ends with
# status 0 (or the number in NAME.exit) and, where they exist, its stdout is NAME.out and its stderr is
# NAME.err. In both, the path of the empty folder is written @TMP@ and that of the source tree @SRC@.
# Status 77 is a test that this machine does not allow; what a test could only check in part is told as well.
#
# Environment: TPROF (the program; default: build/tprof), TPROF_CLI (folder of the tests; default: this one),
# TPROF_VERSION, TPROF_TEST_TIMEOUT (seconds a test may take; default 300).
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TPROF_SRCDIR=${TPROF_SRCDIR:-${here%/*/*}}
export TPROF_CLI=${TPROF_CLI:-$here}
export TPROF=${TPROF:-$TPROF_SRCDIR/build/tprof}
TPROF_VERSION=${TPROF_VERSION:-$(sed -n 's/^AC_INIT(\[tprof\], \[\([^]]*\)\].*/\1/p' "$TPROF_SRCDIR/configure.ac")}
export TPROF_VERSION
limit_seconds=${TPROF_TEST_TIMEOUT:-300}

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

# one NAME: returns 0 if the test passes; $scratch/reasons says why not.
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
	(
		cd "$TMP" || exit 125
		export TMPDIR=$TMP HOME=$TMP/home XDG_CONFIG_HOME=$TMP/config
		export XDG_DATA_HOME=$TMP/data XDG_CACHE_HOME=$TMP/cache XDG_STATE_HOME=$TMP/state TERM=xterm-256color
		exec timeout --kill-after=10 "$limit_seconds" bash "$test.sh"
	) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
	got=$?
	[ -f "$test.exit" ] && read -r wanted <"$test.exit"
	[ -f "$TMP/skipped" ] && cp "$TMP/skipped" "$scratch/skipped"
	if [ "$got" = 124 ] && [ "$wanted" != 124 ]; then
		echo "did not end within $limit_seconds s" >>"$scratch/reasons"
	elif [ "$got" = 77 ] && [ -s "$scratch/skipped" ]; then
		skip_whole=' # SKIP'
	elif [ "$got" != "$wanted" ]; then
		{
			echo "exit status $got, expected $wanted"
			tail -n 60 "$scratch/stderr"
		} >>"$scratch/reasons"
	fi
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
	skip_whole=
	if one "$name"; then
		sed "s/^/# $name: not checked: /" "$scratch/skipped"
		echo "ok $count - $name$skip_whole"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$scratch/reasons"
		echo "not ok $count - $name"
	fi
done
echo "1..$count"
[ "$failed" -eq 0 ]
