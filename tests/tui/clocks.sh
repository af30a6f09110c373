# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The clocks go on while the engine is silent: in a terminal of --batch, and on the Run screen.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$XDG_CONFIG_HOME/tprof"
long_preset "$TMP/long.yaml"

elapsed() { # elapsed PATTERN: the seconds that a clock of the pane shows
	seen | sed -nE "s/.*$1.*/\\1/p" | tail -n 1
}
goes_on() { # goes_on PATTERN: the clock shows, and later more
	local first
	until_true sees_line "$1" || fail_with_pane "no clock: $1"
	first=$(elapsed "$1")
	is_later() {
		[ "$(elapsed "$1")" -gt "$first" ]
	}
	until_true is_later "$1" || fail_with_pane "the clock stands still at $first"
}
all_journals() {
	cat "$runs"/*/journal.ndjson >"$TMP/journals" 2>/dev/null && begun "$TMP/journals" "$1"
}

pane_shell 120x40
type_line "$(printf '%q ' "$TPROF" --batch "$TMP/long.yaml")"
until_true all_journals 1 || fail_with_pane 'the second point did not begin'
stopped=$(engine "$TMP/journals")
kill -STOP "$stopped"
goes_on ' ([0-9]+) s elapsed'
press C-c
wait_for 'tprof --resume last'

rm -rf "$runs"
cat >"$XDG_CONFIG_HOME/tprof/config.yaml" <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 16KiB, 32KiB]
window: 5ms
stop: {max_time: 60min, max_samples: 1000000, min_count: 100000}
END
open 120x40 LC_ALL=C.UTF-8
press 2
wait_for_line 'points +3|3 points'
press r
until_true all_journals 0 || fail_with_pane 'no point began'
kill -STOP "$(engine "$TMP/journals")"
goes_on '0:([0-9]+) elapsed'
press C-c
wait_asked
press C-c
expect_end 0
