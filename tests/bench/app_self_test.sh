#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The self-test of counting programs: which kernels each way of counting counts exactly, and how long that takes. Ends as
# tprof --app --self-test does: 0 only if all are exact.
#
# usage: tests/bench/app_self_test.sh	(TPROF=build/tprof)
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tprof=${TPROF:-${here%/*/*}/build/tprof}
[ -x "$tprof" ] || {
	printf 'app_self_test: there is no %s; make it first\n' "$tprof" >&2
	exit 2
}
start=$(date +%s.%N)
timeout 1200 "$tprof" --app --self-test
code=$?
awk -v from="$start" -v to="$(date +%s.%N)" 'BEGIN { printf "%.1f s\n", to - from }'
exit "$code"
