# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Two tprofs at once on the same CPU: both records show it. tests/unit/test_claim checks that a single one does not, because other tests may measure at the same time.
small_preset slow.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 10KiB, 12KiB, 14KiB, 16KiB]
END
sed -i 's/^stop:.*/stop: {max_time: 1s, max_samples: 1000000, min_count: 100000}/' slow.yaml
start --batch slow.yaml --set affinity="$(one_cpu)" --run-dir first
await begun first/journal.ndjson 1
"$TPROF" --batch slow.yaml --set affinity="$(one_cpu)" --set sizes=8KiB --run-dir second >second.out 2>second.err </dev/null ||
	fail "the second tprof: $(cat second.err)"
finish
expect_exit 0
grep -q other-tprof second/points.csv || fail 'expected the flag other-tprof in the second run'
grep -q other-tprof first/points.csv || fail 'expected the flag other-tprof in the first run'
