# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: traffic from the preset to the report.
#
# Memory traffic: the code is stepped and counted by a model of the caches; reasons are given for what cannot be counted.
. "$TPROF_CLI/lib.sh"

# shellcheck disable=SC2054 # a list of the preset
set_small=(--set traffic.cache=8KiB --set traffic.kernels=capped-gemv,resort --set threads=1)
run --batch traffic "${set_small[@]}" --set traffic.source=none --csv=all
expect_exit 0
expect_out 'expected_read'
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' out
}
[ -z "$(column counted_read | tr -d '\n')" ] || fail 'expected no counts'
[ "$(column counted_by | sort -u)" = none ] || fail 'expected that nobody counts'

run --batch traffic --set traffic.kernels=gemmm
expect_exit 2
expect_err 'there is no operation "gemmm"'
run --batch traffic --set traffic.sizes=3
expect_exit 2

# Without permission or hardware, every point gives the reason; otherwise it counted.
run --batch traffic "${set_small[@]}" --set traffic.source=counters --set traffic.reads=no-such-event --set traffic.sizes=64 --json
grep -qF 'no event that counts memory traffic can be counted here' out || fail 'expected words on why nothing is counted'

case $(uname -m) in
x86_64) ;;
*) skip 'code is stepped on x86-64 alone'; exit 0 ;;
esac
run --batch traffic "${set_small[@]}" --run-dir dir --report=always
if grep -qF 'cannot be stepped' out err; then
	skip 'processes cannot be stepped here'
	exit 0
fi
expect_exit 0
expect_err 'Traffic of capped-gemv'
expect_err 'Traffic of resort'
expect_err 'Memory traffic, counted by a model of'
expect_file dir/points.csv
run --show dir --csv
# Reads of every size that says what to expect are those of the loops, within 10 %.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["fit"] > 0 { n++; off = $at["counted_read"] / $at["expected_read"] - 1; if (off > 0.1 || off < -0.1) { print; bad = 1 } }
	END { exit bad || n < 4 }' out >wrong || fail "expected reads of the loops: $(cat wrong)"
