# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --help
expect_exit 0
expect_no_err
for option in --batch --set --json --csv --run-dir --report --events --strict --ascii --color --quiet --check \
	--dry-run --print-config --list --dump-asm --topology --machine --version --help; do
	expect_out "$option"
done
# It fits a terminal.
if awk 'length($0) > 100 { bad = 1 } END { exit !bad }' "$TMP/out"; then
	fail 'expected no line longer than 100 columns in --help'
fi
