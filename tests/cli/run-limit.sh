# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A run that takes longer than it may begins no further point, reports what it left, and --resume measures that.
small_preset slow.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END
sed -i 's/^stop:.*/stop: {max_time: 1.2s, max_samples: 1000000, min_count: 100000, run_time: 1s}/' slow.yaml
run --batch slow.yaml --run-dir late
expect_exit 3
expect_err 'stop.run_time: 2 of 3 points are left'
expect_err 'the estimate was'
expect_err '1 of 3 points'
for done in '0 2' '0 1 2'; do # a curve is measured from coarse to fine
	run --resume late --csv
	expect_cells point "$done"
done
expect_exit 0

# No limit, and one that no run of these reaches.
for limit in off 1h auto; do
	sed "s/run_time: 1s/run_time: $limit/; s/max_time: 1.2s/max_time: 50ms/" slow.yaml >"$limit.yaml"
	run --batch "$limit.yaml"
	expect_exit 0
	expect_not_err 'stop.run_time'
done
run --batch slow.yaml --set stop.run_time=never
expect_exit 2
expect_err 'stop.run_time'
