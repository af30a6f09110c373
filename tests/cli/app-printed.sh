# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# What a program of a preset prints: its first run's output is kept in the run directory, up to a limit.
. "$TPROF_CLI/lib.sh"

limit=1048576

# profile DIRECTORY COMMAND OPTION...: one quick run.
profile() {
	local directory=$1 command=$2
	shift 2
	run --batch profile --allow-code --run-dir "$TMP/$directory" --report=always --set "profile.command=$command" "$@"
}

# Both streams, apart, and the exit status in the report.
profile both 'sh -c "sleep 0.1; echo to people; echo to others >&2; exit 7"'
expect_exit 0
expect_no_out
expect_err "What the program printed is in output.txt and errors.txt"
[ "$(cat both/output.txt)" = "to people" ] || fail "output.txt is not what it printed"
[ "$(cat both/errors.txt)" = "to others" ] || fail "errors.txt is not what it said"
run --show both
expect_out "What the program printed is in output.txt and errors.txt"

# A file only of a stream that was used; the terminal is out of reach.
profile one 'sh -c "sleep 0.1; tty; true"'
expect_exit 0
[ "$(cat one/output.txt)" = "not a tty" ] || fail "it has a terminal"
[ ! -e one/errors.txt ] || fail "there is an errors.txt of nothing"

# One that prints very much neither waits nor fills the disk.
profile much 'sh -c "sleep 0.1; yes word | head -c 30000000"'
expect_exit 0
[ "$(wc -c <much/output.txt)" = $limit ] || fail "output.txt has not the length of the limit"
expect_err "of output.txt are cut off"
head -c $limit < <(yes word) | cmp -s - much/output.txt || fail "output.txt is not the beginning of what it printed"

# On the command line it has the streams of tprof, and leaves no file.
run --profile --run-dir "$TMP/lent" -- sh -c 'sleep 0.1; echo to the terminal'
expect_exit 0
expect_out_line 'to the terminal'
[ ! -e lent/output.txt ] || fail "output that was shown is in a file, too"

# Of a program that is run again and again, the first run.
[ "$(uname -m)" = x86_64 ] || skip "the agent counts x86-64 alone"
[ "$(uname -m)" = x86_64 ] || exit 0
run --batch app --allow-code --run-dir "$TMP/first" --set app.roofs=none --set app.runs=2 --set app.max_time=1ms \
	--set 'app.command=sh -c "echo once"'
expect_exit 0
[ "$(cat first/output.txt)" = once ] || fail "output.txt is not of one run"
