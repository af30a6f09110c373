# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --list presets
expect_exit 0
expect_no_err
# Every shipped preset is there.
for file in "$TPROF_SRCDIR"/presets/*.yaml; do
	expect_out "$(basename "$file" .yaml)"
done
expect_out quick
