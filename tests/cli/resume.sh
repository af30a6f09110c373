# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: journals that end anywhere.
. "$TPROF_CLI/lib.sh"

# --resume measures what a killed run lacks: no finished point is lost, none is measured twice.
ulimit -c 0

# Points of a third of a second each, so that a kill hits one in the middle.
slow_preset() {
	small_preset slow.yaml <<-'END'
		experiment: memcurve
		isa: scalar
		ratio: 1:0
		sizes: [8KiB, 12KiB, 16KiB, 32KiB]
	END
	sed -i 's/^stop:.*/stop: {max_time: 1s, max_samples: 1000000, min_count: 100000}/' slow.yaml
}

# medians FILE: point and median of every finished point among the lines of a journal or a stream of events.
medians() {
	grep '"ev":"point_end"' "$1" | grep '"state":"done"' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' |
		awk '{ printf "%d %.6g\n", $1, $2 }' | sort
}
medians_csv() {
	paste -d ' ' <(column point "$1") <(column median_gbps "$1") | awk '{ printf "%d %.6g\n", $1, $2 }' | sort
}
expect_all() { # expect_all DIR: every point is there once, those told before the kill with the value they had
	expect_run "$1" complete
	expect_cells point '0 1 2 3' "$1/points.csv"
	medians "$TMP/told" >"$TMP/before"
	medians_csv "$1/points.csv" >"$TMP/after"
	[ -z "$(comm -23 "$TMP/before" "$TMP/after")" ] ||
		fail "expected finished points to stay as they were: $(diff "$TMP/before" "$TMP/after")"
}

slow_preset
for victim in tprof engine; do
	start --batch slow.yaml --events --run-dir "$victim"
	await begun out 2
	if [ $victim = tprof ]; then
		kill -KILL "$program"
	else
		kill -KILL "$(engine out)"
	fi
	finish
	cp out told
	[ "$(medians told | wc -l)" -ge 2 ] || fail 'expected two finished points before the kill'
	if [ $victim = tprof ]; then
		grep -qxF '"state": "running",' tprof/run.json || fail 'expected run.json to say that the run is not over'
		run --list runs
		expect_exit 0
		# half a line, as a kill inside a write leaves it
		printf '{"v":1,"ev":"sample","t":0.1,"poi' >>tprof/journal.ndjson
	fi
	run --resume "$victim"
	expect_exit 0
	expect_err ' are left'
	expect_err '4 of 4 points'
	expect_all "$victim"
	! grep -q 'journal.ndjson:' "$victim/run.json" || fail 'expected the half line to be gone'
	grep -q '"count": 1' "$victim/run.json" || fail 'expected to read that the run was resumed'
	expect_count 4 '"variant": ' "$victim/run.json"
done

# Nothing missing: the results are written, nothing is measured.
cp tprof/points.csv points.before
run --resume tprof
expect_exit 0
expect_err '0 are left'
cmp -s points.before tprof/points.csv || fail 'expected the same points'

# Interrupted by hand: the same.
start --batch slow.yaml --events --run-dir stopped
await begun out 1
kill -INT "$program"
finish
expect_exit 130
cp out told
run --resume stopped --csv=all
expect_exit 0
expect_cells point '0 1 2 3'
expect_all stopped

# Only one tprof writes a run: a second one is refused, and the first one is not disturbed.
start --batch slow.yaml --run-dir busy
await begun busy/journal.ndjson 0
( run --resume busy
  expect_exit 4
  expect_err 'another tprof is measuring this run' )  || fail 'expected the second to be refused'
finish
expect_exit 0
expect_run busy complete

# It is refused before it reads what the first one is writing.
if have flock; then
	cp -R busy locked
	echo damaged >locked/run.json
	cp locked/journal.ndjson journal.before
	flock locked/journal.ndjson "$TPROF" --resume locked >out 2>err
	status=$?
	expect_exit 4
	expect_err 'another tprof is measuring this run'
	expect_not_err run.json
	cmp -s journal.before locked/journal.ndjson || fail 'expected nothing to be touched'
fi

# For an unreadable run.json, the journal shows that the run came to its end.
cp -R busy damaged
head -c 300 busy/run.json >damaged/run.json
run --show damaged --json
expect_exit 0
expect_out '"state": "complete"'
expect_out 'cannot be read, so this is what the journal holds'
sed -i '$d' damaged/journal.ndjson
run --show damaged --json
expect_exit 0
expect_out '"state": "interrupted"'

# Several processes for each point: the run continues with the interrupted process and keeps the windows of the others.
start --batch slow.yaml --set invocations=2 --set sizes=8KiB,16KiB --set stop.error=0.01% --events --run-dir twice
await grep -q '"ev":"hello".*"invocation":1' out
await begun out 0
sleep 0.1
kill -KILL "$program"
finish
run --resume twice
expect_exit 0
expect_cells invocations '2 2' twice/points.csv
grep -q '"invocation": 1' twice/run.json || fail 'expected windows of the second process'

# Results without windows, as in a run.json that would be too long with them: no further process is joined with them.
cp -R twice without
sed -i -e 's/"windows": \[.*\]/"windows": []/' -e 's/"invocations": 2/"invocations": 1/' \
	-e 's/"state": "complete"/"state": "interrupted"/' without/run.json
grep -q '"rate"' without/run.json && fail 'expected no window in run.json'
run --resume without
expect_exit 0
expect_err 'resume: 2 points are measured again'
expect_cells invocations '2 2' without/points.csv
[ "$(grep -c '"windows": \[{"seconds": [^}]*"rate": [^}]*}, .*"invocation": 1' without/run.json)" -eq 2 ] ||
	fail 'expected the windows of both processes'

# Links and pipes in a foreign run: nothing is written through them.
cp -R without odd
sed -i 's/"state": "complete"/"state": "interrupted"/' odd/run.json
mv odd/run.json theirs.json
cp theirs.json theirs.before
echo precious >precious
ln -s ../theirs.json odd/run.json
rm -f odd/points.csv odd/plots.svg
ln -s ../precious odd/points.csv
mkfifo odd/plots.svg
start --resume odd
await test -f odd/plots.svg
finish
expect_exit 0
cmp -s theirs.json theirs.before || fail 'expected the file behind run.json to be as it was'
[ "$(cat precious)" = precious ] || fail 'expected the file behind points.csv to be as it was'
for file in run.json points.csv plots.svg; do
	if [ ! -f odd/$file ] || [ -L odd/$file ]; then
		fail "expected $file to be a file of the run's own"
	fi
done
mv odd/journal.ndjson theirs.ndjson
ln -s ../theirs.ndjson odd/journal.ndjson
run --resume odd
expect_exit 2
expect_err 'odd/journal.ndjson: is a symbolic link'

# Points of programs are read from the journal like those of kernels, with the rows of their tables.
cat >programs.yaml <<'END'
runs:
  - {experiment: profile, profile: {command: sleep 0.2}}
  - {experiment: app, app: {command: sleep 0.01, runs: 1, max_time: 1ms, roofs: none}}
  - {experiment: profile, profile: {command: sh -c "test -e go && exec sleep 0.2; sleep 60"}}
END
start --batch programs.yaml --allow-code --run-dir programs
await grep -qs '"ev":"point_begin".*"point":2,' programs/journal.ndjson
kill -KILL "$program"
finish
touch go
run --resume programs --allow-code
expect_exit 0
expect_err '2 of 3 points are measured, 1 are left'
expect_cells point '0 1 2' programs/points.csv
[ "$(cut -d, -f2 programs/profile.csv | sort -u | wc -l)" -eq 3 ] || fail 'expected samples of both profiles'

# Another machine, another plan: refused before anything is written.
cp -r tprof moved
sed -i 's/"hostname": "[^"]*"/"hostname": "elsewhere"/' moved/run.json
cp -r moved moved.before
run --resume moved
expect_exit 2
expect_err 'machine.hostname: was elsewhere'
expect_err 'measured on another machine'
diff -r moved moved.before || fail 'expected nothing to be touched'
cp -r tprof planned
sed -i 's/^\(  *\|\)sizes: .*/\1sizes: [8KiB, 24KiB, 16KiB, 32KiB]/' planned/preset.yaml
run --resume planned
expect_exit 2
expect_err 'its preset now gives other points'

run --resume tprof --set isa=sse
expect_exit 2
expect_err 'its own preset'
run --resume tprof --run-dir other
expect_exit 2
run --resume tprof --batch quick
expect_exit 2
expect_err 'exclude each other'
run --resume tprof/run.json
expect_exit 2
run --resume nosuch
expect_exit 2
expect_err 'no runs'

# A folder that is not a run is never the last one.
cp -R busy "$XDG_DATA_HOME/2000-01-01-000000-busy"
mkdir -p "$XDG_DATA_HOME/tprof/runs/zzz"
run --show last
expect_exit 2
expect_err 'there are no runs in'
mv "$XDG_DATA_HOME/2000-01-01-000000-busy" "$XDG_DATA_HOME/tprof/runs"
run --show last --csv=all
expect_exit 0
cmp -s out busy/points.csv || fail 'expected the run, not the folder'
