#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a cmocka program and writes its result as TAP, one line for each test case. cmocka's own TAP output
# breaks when a program has several groups or prints something itself; this also catches a
# program that crashes, hangs, or runs no test at all. A program in a folder fuzz/ replays its corpus: one
# test, which passes if the program ends with status 0.
#
# A program of another architecture runs under the emulator whose command is in TPROF_EMULATOR.
#
# usage: unit.sh PROGRAM [ARGUMENT...]
set -u

limit_seconds=${TPROF_TEST_TIMEOUT:-1800}
export CMOCKA_MESSAGE_OUTPUT=stdout
read -ra emulator <<<"${TPROF_EMULATOR-}"
whole=''
case ${1-} in
fuzz/* | */fuzz/*) whole=$(basename "$1") ;;
esac

{
	timeout --kill-after=10 "$limit_seconds" "${emulator[@]}" "$@" 2>&1 </dev/null
	printf '\n@unit.sh: exit status %d\n' $?
} | awk -v whole="$whole" '
	# "[ RUN      ] name", then one of "[       OK ] name", "[  FAILED  ] name", "[  SKIPPED ] name"
	/\[ RUN      \] / {
		running = substr($0, index($0, "]") + 2)
		reason = "the test says so"
		next
	}
	running != "" && /\[       OK \] / { result("ok", ""); next }
	running != "" && /\[  SKIPPED \] / { result("ok", " # SKIP " reason); next }
	sub(/^SKIPPED: /, "") { reason = $0 }
	running != "" && /\[  FAILED  \] / { result("not ok", ""); failed++; next }
	/^@unit.sh: exit status / { status = $4; next }
	$0 != "" { print "# " $0 }
	END {
		if (whole != "") {
			running = "replay of " whole
			result(status == 0 ? "ok" : "not ok", "")
			failed = status != 0
		}
		if (running != "") {
			result("not ok", "")
			failed++
		}
		why = ""
		if (status == 124 || status == 137)
			why = "did not end in time"
		else if (status != 0 && !failed)
			why = "ended with status " status " without naming a failed case"
		else if (n == 0)
			why = "ran no test case"
		if (why != "")
			print "not ok " ++n " - the program " why
		print "1.." n
	}
	function result(word, note) {
		print word " " ++n " - " running note
		running = ""
	}
'
