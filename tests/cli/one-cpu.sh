# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A process that may use only one CPU, which need not be CPU 0.
have taskset || exit 77
last=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\(.*[,-]\)*\([0-9]*\)$/\2/p' /proc/self/status)
taskset -c "$last" true || skip_all "cannot bind to CPU $last"
printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$last" "$TPROF" >bound
chmod +x bound
TPROF=$TMP/bound
small_preset tiny.yaml <<'END'
experiment: roofline
isa: scalar
level: L1
fp_op: add
END

run --batch tiny.yaml --set threads=2
expect_exit 2
expect_err '2 threads'
expect_err 'may use 1 of'

run --batch tiny.yaml --set threads=1 --csv
expect_exit 0
expect_cells threads '1 1'
expect_cells cpus "$last $last"

# Then "all" means one thread, and [1, all] is measured once.
run --batch tiny.yaml --set threads=1,all --csv
expect_exit 0
expect_cells threads '1 1'

# A CPU that is there and not allowed.
first=$(one_cpu)
if [ "$first" != "$last" ]; then
	run --batch tiny.yaml --set "affinity=$first"
	expect_exit 2
	expect_err affinity
	expect_err "not allowed to run on CPU $first"
fi
