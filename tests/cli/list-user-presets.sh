# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A preset of the user's own is listed and found by its name.
mkdir -p "$XDG_DATA_HOME/tprof/presets"
printf 'experiment: memcurve\nnotes: my very own curve\n' >"$XDG_DATA_HOME/tprof/presets/mine.yaml"
run --list presets
expect_exit 0
expect_out mine
run --check mine
expect_exit 0
