# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# A system that lacks what every program has: a stack of some size, /proc, /dev/null. What is missing is named, and nothing crashes.
. "$TPROF_CLI/lib.sh"

commands=('--batch quick --set level=L1 --set stop.max_time=5ms -q' '--show example/roofline' '--mine example/gather' '--asm nop'
	'--app --set app.roofs=none -- true')

# within KIB: all commands in such a stack. Its limit is raised, or the command is refused.
within() {
	local command
	for command in "${commands[@]}"; do
		status=0
		# shellcheck disable=SC2086,SC2034 # words; the library says it of a failure
		(ulimit -s "$1" && ran="tprof $command" && "$TPROF" $command >"$TMP/out" 2>"$TMP/err" </dev/null) || status=$?
		[ "$status" -eq 0 ] && continue
		expect_exit 4
		expect_err "it is limited to $1 KiB, and tprof needs 512 KiB" 'ulimit -s 8192'
	done
	# Without a message about it, if it is not needed.
	(ulimit -s "$1" && "$TPROF" --version >"$TMP/out" 2>"$TMP/err") || fail "no version in a stack of $1 KiB"
}
within 64
within 128

# bare SETUP ARGUMENT...: tprof in a separate mount namespace, after the commands of SETUP.
bare() {
	status=0
	unshare -rm bash -c "$1"' && exec "$@"' bash "$TPROF" "${@:2}" >"$TMP/out" 2>"$TMP/err" </dev/zero || status=$?
}
no_proc='mount -t tmpfs none /proc'
# The folder over /dev has what else is needed.
no_null="mkdir -p '$TMP/dev/shm' && touch '$TMP/dev/zero' && mount --bind /dev/zero '$TMP/dev/zero' && mount --rbind '$TMP/dev' /dev"
if unshare -rm bash -c "$no_proc" 2>/dev/null; then
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		bare "$no_proc" $command
		expect_exit 4
		expect_err '/proc: it is not mounted' 'mount -t proc proc /proc'
	done
	bare "$no_proc" --version
	expect_exit 0
	bare "$no_proc" doctor
	expect_exit 0
	expect_out '/proc: it is not mounted'
	expect_out 'mount -t proc proc /proc'
	expect_out 'unknown: /proc shows neither processes nor CPU times'
fi
if unshare -rm bash -c "$no_null" 2>/dev/null; then
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		bare "$no_null" $command
		expect_exit 4
		expect_err '/dev/null: No such file or directory' 'character device 1, 3'
	done
fi
