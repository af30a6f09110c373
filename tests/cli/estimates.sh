# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A plan uses the times of earlier runs of this machine, and a damaged file of theirs does not matter.
small_preset small.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 16KiB]
machine: zen4
simulate: quiet
END
learned=$XDG_DATA_HOME/tprof/estimates
run --dry-run small.yaml
expect_exit 0
grep -q 'learned' out && fail 'nothing is known yet'
for runs in '1 run' '2 runs'; do
	run --batch small.yaml --quiet --run-dir "run ${runs%% *}"
	expect_exit 0
	[ -s "$learned" ] || fail 'nothing was learned'
	run --dry-run small.yaml
	expect_exit 0
	expect_out "(learned from $runs of this machine)"
done

# The estimate of a point is what it took: the geometric mean of two runs.
run --batch small.yaml --quiet --run-dir third
expect_exit 0
took() { # took POINT: the seconds of the first two runs, and the estimate of the third
	for directory in 'run 1' 'run 2'; do
		column seconds "$directory/points.csv" | sed -n "$(($1 + 1))p"
	done
	grep '"ev":"point_begin"' third/journal.ndjson | grep "\"point\":$1," | sed -n 's/.*"estimate_seconds":\([0-9.e-]*\).*/\1/p' | head -n 1
}
for point in 0 1; do
	# shellcheck disable=SC2046 # three numbers
	set -- $(took $point)
	[ $# = 3 ] || fail "expected three numbers, got: $*"
	awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { r = c * c / (a * b); exit !(r > 0.98 && r < 1.02) }' ||
		fail "point $point took $1 and $2 s, and the third run expected $3 s"
done

# Points of a disturbed machine are poor: they teach nothing.
run --batch small.yaml --quiet --run-dir poor --set simulate=zen4-vm --set threads=96
expect_exit 0
[ "$(column quality poor/points.csv | tr '\n' ' ')" = 'poor poor ' ] || fail "expected poor points: $(cat poor/points.csv)"
run --dry-run small.yaml --set simulate=zen4-vm --set threads=96
expect_exit 0
grep -q 'learned' out && fail 'poor points taught something'

# Unknown points follow their kind; other points and options are distinguished.
run --dry-run small.yaml --set sizes=8KiB,24KiB
expect_out '(learned from 3 runs of this machine)'
run --dry-run small.yaml --set window=500us
grep -q 'learned' out && fail 'another window is another time'

# Damaged: as if there was nothing, and written again.
head -c 300 /dev/urandom >"$learned"
run --dry-run small.yaml
expect_exit 0
expect_no_err
grep -q 'learned' out && fail 'a damaged file was believed'
run --batch small.yaml --quiet --run-dir fifth
expect_exit 0
run --dry-run small.yaml
expect_out '(learned from 1 run of this machine)'
