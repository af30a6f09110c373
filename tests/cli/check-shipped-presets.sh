# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

for file in "$TPROF_SRCDIR"/presets/*.yaml; do
	run --check "$file"
	expect_exit 0
done
