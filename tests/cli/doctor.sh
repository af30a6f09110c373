# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: facts of this machine.
. "$TPROF_CLI/lib.sh"

# This machine, of any kind.
run doctor
expect_exit 0
expect_no_err
for title in 'Usable CPUs' 'CPU quota' 'Other work' Clock Memory 'Hardware counters' 'Place for results' Terminal; do
	expect_out "  $title "
done
run doctor --json
expect_exit 0
expect_json out
expect_count "$(count '"id":' out)" '"severity": "' out
[ "$(count '"id":' out)" -gt 12 ] || fail 'expected more findings'
expect_out '"id": "knobs"'

# A machine with something wrong, shown as a tree of files.
export TPROF_TEST_ROOT=$TMP/root
thp=root/sys/kernel/mm/transparent_hugepage/enabled
mkdir -p "${thp%/*}" root/proc/sys/kernel/random root/run/tprof
echo 'always madvise [never]' >"$thp"
echo this-boot >root/proc/sys/kernel/random/boot_id
run doctor
expect_exit 0
expect_out_line warning
expect_out '$ echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled'
run doctor --strict
expect_exit 5
run doctor --color=always --ascii
expect_out "$(printf '\033[')"

# doctor finds what a killed run left, and puts it back.
printf 'tprof-knobs 1\nboot this-boot\nthp 0 madvise never\nend\n' >root/run/tprof/knobs
run doctor
expect_out 'thp 0 madvise never'
expect_out '$ sudo tprof doctor --restore'
run doctor --restore
expect_exit 0
expect_no_out
expect_err '1 settings put back'
[ "$(cat "$thp")" = madvise ] || fail "expected madvise: $(cat "$thp")"
[ ! -e root/run/tprof/knobs ] || fail 'expected the record to be gone'
run doctor --restore
expect_exit 0
expect_err 'nothing was left changed'

# Records from before a boot are ignored; files of other programs are left in place.
echo never >"$thp"
printf 'tprof-knobs 1\nboot that-boot\nthp 0 madvise never\nend\n' >root/run/tprof/knobs
run doctor --restore
expect_exit 0
[ "$(cat "$thp")" = never ] || fail 'expected nothing to be changed'
printf 'tprof-knobs 1\nboot this-boot\n/etc/passwd 0 a b\nend\n' >root/run/tprof/knobs
run doctor --restore
expect_exit 4
expect_err 'left alone'
run --restore
expect_exit 2
expect_err 'belongs to doctor'
unset TPROF_TEST_ROOT

# No place for results.
touch in-the-way
XDG_DATA_HOME=$TMP/in-the-way/data run doctor --strict
expect_exit 5
expect_out_line problem
expect_out 'cannot be written'
