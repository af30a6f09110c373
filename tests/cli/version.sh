# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --version
expect_exit 0
expect_out_line "tprof ${TPROF_VERSION//./\\.}"
# What it was built with is what configure found.
features=$(uname -m)
for pair in PAPI:HAVE_PAPI libpfm4:HAVE_PFM isl:HAVE_ISL zlib:HAVE_ZLIB OpenMP:TP_HAVE_OPENMP; do
	sign=-
	! grep -q "^#define ${pair#*:} 1" "$(dirname "$TPROF")/config.h" || sign=+
	features+=" $sign${pair%:*}"
done
[ "$(sed 1d out)" = "$features" ] || fail "expected: $features"
expect_no_err
