# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Problems with a run directory: removed during the run, full, read-only.
small_preset two.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END
sed -i 's/^stop:.*/stop: {max_time: 1500ms, max_samples: 1000000, min_count: 100000}/' two.yaml

# Removed: tprof makes it again, with all its files.
start --batch two.yaml --run-dir gone
await begun gone/journal.ndjson 1
rm -r gone
finish
expect_exit 0
expect_err 'was removed during the run'
expect_run gone complete
expect_cells point '0 1 2' gone/points.csv
grep -q '"ev":"point_end".*"point":0,' gone/journal.ndjson || fail 'expected the whole journal'
run --resume gone
expect_exit 0

mkdir small
if ! mount -t tmpfs -o size=64k none small 2>why; then
	skip "a full disk (no mount here: $(cat why))"
	exit
fi
trap 'umount small' EXIT

# Full: the journal ends with a message, the results go where there is room, and the message gives the place.
run --batch two.yaml --run-dir small/full
expect_exit 4
expect_err 'No space left on device'
expect_err 'the results are in '
elsewhere=$(sed -n 's/.*the results are in \(.*\) instead.*/\1/p' err)
expect_file "$elsewhere/run.json"
expect_cells point '0 1 2' "$elsewhere/points.csv"
# The files in the full directory stay readable: complete lines and perhaps an incomplete last one.
find small/full -name 'run.json.*' -o -name 'points.csv.*' | grep -q . && fail 'expected no temporary file to be left'

# Read-only: refused before anything is measured.
mount -o remount,ro small
run --batch two.yaml --run-dir small/sealed
expect_exit 4
expect_err 'Read-only file system'
expect_err 'choose another'
expect_no_out
run --resume small/full
expect_exit 4
expect_err 'Read-only file system'
