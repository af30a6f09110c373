# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: a run under way.
#
# A whole session with keys only: set up a roofline, measure it, read a value off the plot, save the preset, run it in batch, and compare
# with an older run.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$XDG_CONFIG_HOME/tprof"
# Options that make points short on any machine; the rest is chosen on the screen.
small_preset "$XDG_CONFIG_HOME/tprof/config.yaml" <<'END'
fp_op: add
END

# The widest ISA up to avx2.
isa=scalar
for name in $("$TPROF" --list isas --names); do
	case $name in
	avx2) isa=$name ;;
	esac
done

# An older run to compare with.
run --batch "$TPROF_SRCDIR/presets/roofline.yaml" --set "isa=$isa" --set ratio=1:0 --set threads=1 --run-dir \
	"$runs/2026-01-01-000000-older" -q
[ "$status" = 0 ] || [ "$status" = 3 ] || fail 'the older run'

# pick VALUE: chooses it in the open list; the boxes show where it is.
pick() {
	local i n
	until_true sees "] $1" || fail_with_pane "the list does not offer $1"
	n=$(seen | sed -n 's/.*\[[ x]\] \([^ ]*\) .*/\1/p' | grep -nxF -e "$1" | cut -d: -f1)
	press Home
	for ((i = 1; i < n; i++)); do
		press Down
	done
	press Enter
	wait_without "] $1"
}

open 120x40 LC_ALL=C.UTF-8
press 2
wait_for 'What to measure' 'points'
press Home Down Down Enter
pick "$isa"
wait_for_line "isa +[<]? *$isa"
press Down Down Enter
pick 1:0
wait_for_line 'ratio +[<]? *1:0'
before=$(seen | grep -oE 'points +[0-9]+' | head -n 1)
[ "$before" = 'points   5' ] || fail_with_pane "expected five points (four levels and a peak), got: $before"

# Saved: the file has the same values.
press w
wait_for 'Save as a preset'
press C-u
text "$TMP/mine.yaml"
press Enter
until_true test -s "$TMP/mine.yaml" || fail_with_pane 'nothing was saved'
run --check "$TMP/mine.yaml"
expect_exit 0
grep -qE "^isa: +\[?$isa" "$TMP/mine.yaml" || fail "the preset does not say the ISA: $(cat "$TMP/mine.yaml")"

# Measured; every finished point is in the run directory.
press r
measured() {
	local it
	it=$(find "$runs" -mindepth 1 -maxdepth 1 ! -name '*-older' 2>/dev/null)
	[ -n "$it" ] && grep -qxF '"state": "complete",' "$it/run.json" 2>/dev/null && [ -s "$it/plots.svg" ]
}
until_true measured || fail_with_pane 'the run did not end'
mine=$(find "$runs" -mindepth 1 -maxdepth 1 ! -name '*-older')
expect_run "$mine" complete
wait_for 'Roofline, '
view Points
wait_for '5 of 5'

# The plot shows the value of L2 in points.csv.
view Roofline
wait_for 'Roofline' "$isa"
l2=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["level"] == "L2" { printf "%.4g", $c["median_gbps"] }' \
	"$mine/points.csv")
read_out() {
	seen | tail -n 5 | grep -qF "L2 $l2 GB/s"
}
for key in Up Up Up Up Up Up Down Down Down Down Down Down Down Down Down Down Down Down; do
	until_true settled
	read_out && break
	press "$key"
done
read_out || fail_with_pane "the plot does not tell $l2 GB/s for L2"

# Compared with the older run.
press 4
wait_for '2 runs in' older
press Home Enter 4 Down Space c
wait_for_line 'L2.*[0-9]'
press Escape
quit
expect_end 0

# The saved preset in batch: the same points.
run --batch "$TMP/mine.yaml" --run-dir "$TMP/batch" -q
[ "$status" = 0 ] || [ "$status" = 3 ] || fail 'the preset in batch'
for name in kernel isa level threads working_set_bytes loads stores fp_op; do
	[ "$(cells "$name" "$mine/points.csv")" = "$(cells "$name" "$TMP/batch/points.csv")" ] ||
		fail "the points differ in $name"
done
