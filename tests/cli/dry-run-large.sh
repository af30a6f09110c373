# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Planning for a machine of 256 CPUs, regardless of this one.
topology='synthetic:pack:2 l3:1(size=33554432) core:64 l2:1(size=1048576) l1:1(size=32768) pu:2'
for preset in "$TPROF_SRCDIR"/presets/*.yaml; do
	run --dry-run "$preset" --topology "$topology"
	expect_exit 0
	expect_out_line 'planned for .*; --simulate tries it|simulated: .*'
	grep -qE '^[0-9]+ points?, about ' out || fail 'expected the number of points and an estimate'
	# The points are numbered, and the last line gives their number.
	points=$(sed -n 's/^\([0-9]*\) points\{0,1\}, about .*/\1/p' out)
	awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[a-z-]+$/ { if ($1 != n++) bad = 1 } END { print n; exit bad }' out >n ||
		fail 'expected points in order'
	[ "$(cat n)" = "$points" ] || fail "expected $points lines of points; got $(cat n)"
done

run --dry-run roofline --topology "$topology" --machine zen2 --set isa=avx2 --set threads=1,2,4,8,16,32,64,128,256
expect_exit 0
for threads in 1 2 4 8 16 32 64 128 256; do
	[ "$(awk -v n=$threads '$2 == "roofline" && $5 == n' out | wc -l)" -eq 7 ] || fail "expected 7 points of $threads threads"
done
# Cores come before hardware threads: 64 threads with compact placement fill the cores of the first socket.
awk '$2 == "roofline" && $5 == 64 { print; exit }' out | grep -qE ' 0,2,4,.*,126$' || fail 'expected the first hardware thread of 64 cores'
run --dry-run roofline --topology "$topology" --machine zen2 --set isa=avx2 --set threads=2 --set affinity=scatter
expect_exit 0
awk '$2 == "roofline" { print; exit }' out | grep -qE ' 0,128$' || fail 'expected a CPU of each socket'

# An ISA that the model lacks.
run --dry-run roofline --topology "$topology" --machine zen2 --set isa=avx512
expect_exit 2
expect_err avx512
expect_err zen2

# A captured machine; planning leaves no files.
run --dry-run quick --topology "$TPROF_SRCDIR/tests/machines/skylake-2s-snc2.xml" --set threads=all
expect_exit 0
expect_out L3
[ -z "$(find "$XDG_DATA_HOME" -mindepth 1)" ] || fail 'expected no trace of a run'
