# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Where programs cannot flush lines, dram=flushed is refused with what is allowed, and that works; auto walks without words.
. "$TPROF_CLI/lib.sh"

run --batch quick --machine c920 --simulate quiet --set dram=flushed
expect_exit 2
expect_err 'dram'
expect_err 'cannot flush lines'
expect_err 'auto or walked'
for way in auto walked; do
	run --batch quick --machine c920 --simulate quiet --set dram=$way --csv
	expect_exit 0
	[ "$(column flushed "$TMP/out" | grep -c true)" -eq 0 ] || fail "dram=$way: expected no flushed point"
done
run --batch quick --machine zen4 --simulate quiet --set dram=flushed --csv
expect_exit 0
[ "$(column flushed "$TMP/out" | grep -c true)" -eq 1 ] || fail 'dram=flushed: expected one flushed point'
