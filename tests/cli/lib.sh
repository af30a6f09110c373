# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for command line tests. A test starts with
#	. "$TPROF_CLI/lib.sh"
# calls tprof through `run` and then says what it expects. The first expectation that does not hold
# ends the test with what was expected and what came.
#
# Given by the runner: TPROF (the program), TPROF_SRCDIR, TPROF_VERSION, TPROF_CLI (this folder), TMP
# (an empty folder, also the current one), and a HOME and XDG folders inside it.

# run ARGUMENT...: runs the program; sets $status and leaves its output in $TMP/out and $TMP/err.
run() {
	ran="tprof $*"
	status=0
	"$TPROF" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
}

# fail TEXT: ends the test.
fail() {
	{
		echo "$1"
		echo "after: ${ran-nothing was run}"
		echo "exit status: ${status-none}"
		for stream in out err; do
			[ -f "$TMP/$stream" ] || continue
			echo "--- std$stream (at most 40 lines)"
			head -n 40 "$TMP/$stream"
		done
	} >&2
	exit 1
}

expect_exit() { # expect_exit CODE
	[ "$status" -eq "$1" ] || fail "expected exit status $1"
}

expect_out() { # expect_out TEXT: stdout holds TEXT
	grep -qF -e "$1" "$TMP/out" || fail "expected on stdout: $1"
}

expect_err() { # expect_err TEXT: stderr holds TEXT
	grep -qF -e "$1" "$TMP/err" || fail "expected on stderr: $1"
}

expect_out_line() { # expect_out_line REGEX: a whole line of stdout matches the extended regular expression
	grep -qxE -e "$1" "$TMP/out" || fail "expected a line on stdout that matches: $1"
}

expect_err_line() { # expect_err_line REGEX
	grep -qxE -e "$1" "$TMP/err" || fail "expected a line on stderr that matches: $1"
}

expect_not_out() { # expect_not_out TEXT
	! grep -qF -e "$1" "$TMP/out" || fail "not expected on stdout: $1"
}

expect_not_err() { # expect_not_err TEXT
	! grep -qF -e "$1" "$TMP/err" || fail "not expected on stderr: $1"
}

expect_no_out() { # nothing at all on stdout
	[ ! -s "$TMP/out" ] || fail 'expected nothing on stdout'
}

expect_no_err() {
	[ ! -s "$TMP/err" ] || fail 'expected nothing on stderr'
}

expect_file() { # expect_file PATH: exists and is not empty
	[ -s "$1" ] || fail "expected a file that is not empty: $1"
}
