# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Places where results cannot be written.
small_preset tiny.yaml <<'END'
experiment: roofline
isa: scalar
level: L1
fp_op: add
END

# unmeasured WORD...: nothing was measured, and the message has these words.
unmeasured() {
	expect_no_out
	for word; do
		expect_err "$word"
	done
	[ -z "$(find "$XDG_DATA_HOME" -mindepth 1)" ] || fail 'expected no trace of a run'
}

# -o: the error comes before anything is measured.
run --batch tiny.yaml --csv -o no/such/folder/points.csv
expect_exit 2
unmeasured no/such/folder/points.csv
run --batch tiny.yaml --csv -o "$TMP"
expect_exit 2
unmeasured "$TMP" directory
mkdir closed
chmod 555 closed
if [ -w closed ]; then
	skip 'folders without write permission: this user may write everywhere'
else
	run --batch tiny.yaml --csv -o closed/points.csv
	expect_exit 4
	unmeasured closed/points.csv
	run --batch tiny.yaml --run-dir closed/run
	expect_exit 4
	unmeasured closed/run "another directory"
	XDG_DATA_HOME=$TMP/closed run --batch tiny.yaml
	expect_exit 4
	unmeasured closed
fi

# A run directory below a file.
run --batch tiny.yaml --run-dir tiny.yaml/run
[ "$status" -eq 2 ] || [ "$status" -eq 4 ] || fail 'expected exit status 2 or 4'
unmeasured tiny.yaml

# A full device: the run directory still has the results.
if [ -w /dev/full ]; then
	run --batch tiny.yaml --csv -o /dev/full --run-dir full
	expect_exit 4
	expect_err /dev/full
	expect_run full complete
	"$TPROF" --batch tiny.yaml --csv --run-dir full2 >/dev/full 2>err
	status=$?
	expect_exit 4
	expect_err 'standard output'
	expect_run full2 complete
	"$TPROF" --print-config >/dev/full 2>err
	status=$?
	expect_exit 4
	expect_err 'standard output'
else
	skip 'a full device: no /dev/full here'
fi

# Closed streams: the results do not end up in another file.
"$TPROF" --batch tiny.yaml --csv --run-dir shut >&- 2>err
status=$?
expect_exit 4
expect_err 'standard output'
expect_run shut complete
! grep -v '^{"v":1,' shut/journal.ndjson || fail 'expected only events in the journal'
"$TPROF" --batch tiny.yaml --run-dir deaf <&- >&- 2>&-
status=$?
expect_exit 0
expect_run deaf complete

# A file that may not grow: earlier files are kept, and the program says what is missing.
limited() {
	(
		ulimit -f 12
		"$TPROF" "$@" >out 2>err
	)
	status=$?
}
limited --batch tiny.yaml --run-dir limited --set stop.max_samples=2000 --set stop.error=0.0001 --set stop.max_time=10s
expect_exit 4
expect_err limited/
expect_file limited/journal.ndjson
[ -z "$(find limited -name '*.json.*' -o -name '*.csv.*')" ] || fail "expected no temporary files: $(ls -A limited)"

# The same on a full file system, where one can be mounted.
mkdir small
if unshare -rm true 2>/dev/null && unshare -rm mount -t tmpfs -o size=16k none small 2>/dev/null; then
	# shellcheck disable=SC2016 # expanded inside
	unshare -rm bash -c 'mount -t tmpfs -o size=16k none small && { "$TPROF" --batch tiny.yaml --run-dir small/run \
		--set stop.max_samples=200 --set stop.error=0.0001 --set stop.max_time=10s >out 2>err; echo $? >code; ls -A small/run >left; }'
	read -r status <code
	expect_exit 4
	expect_err 'No space left'
	! grep -E 'json\.|csv\.' left || fail "expected no temporary files: $(cat left)"
	grep -q journal.ndjson left || fail 'expected the journal to be there'
else
	skip 'a full file system: nothing may be mounted here'
fi
