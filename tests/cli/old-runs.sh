# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: runs of earlier versions.
. "$TPROF_CLI/lib.sh"

# Run directories that an earlier tprof wrote load, show, compare and resume. What is expected was printed by that earlier
# program: kernels holds five experiments of one preset, search an autotune run, counters one family of emulated events, and
# killed a run of six experiments that was killed before its last two points. Their plots.svg are among what is expected.
stored=$TPROF_CLI/old-runs
export LC_ALL=C.UTF-8
unset COLUMNS

# same WHAT FILE: the file equals what is stored under that name, or replaces it.
same() {
	if [ -n "${GOLDEN_WRITE-}" ]; then
		cp "$2" "$stored/expected/$1"
		return
	fi
	cmp -s "$stored/expected/$1" "$2" || fail "$1 differs: $(diff "$stored/expected/$1" "$2" | head -n 20)"
}

# as_then FILE: without the summary, and without the columns of points that are newer than those runs, which have nothing there or only what their
# windows tell: the quality, and the flags that came with it.
as_then() {
	local names quality_on n
	names=$("$TPROF" --show "$stored/kernels" --csv=all | sed -n '1s/.*,library,//p')
	quality_on=${names#raced_bytes,touch_seconds,quality}
	n=$(tr -dc , <<<"$quality_on" | wc -c)
	[ "$names" != "$quality_on" ] || fail "expected the newer columns behind those of the first version: $names"
	sed -i -E -e '/^"summary": \{/d' -e "1s/,$names\$//" \
		-e "2,\$s/^([0-9].*),,,(good|fair|poor)?(,(false)?){$n}\$/\1/" \
		-e "s/, \"(error|${names//,/|})\": (null|false|\"\")//g" -e 's/, "quality": "(good|fair|poor)"//' -e 's/, "capacity_(low|high)_bytes": null//g' \
		-e 's/\|(few-windows|wide-interval|two-modes|uneven|core-unknown|clock-steps)//g' \
		-e 's/(,|")(few-windows|wide-interval|two-modes|uneven|core-unknown|clock-steps)\|?(,|")/\1\3/' "$1"
}

# without_empty FILE: keys of columns that are empty in the whole run are left out since.
without_empty() {
	sed -i -E 's/, "[a-z0-9_]+": (null|""|false)//g' "$1"
}

for name in kernels search counters killed; do
	cp -R "$stored/$name" "$name"
	chmod -R u+w "$name"
	run --show "$name"
	expect_exit 0
	same "$name.txt" out
	for form in csv json; do
		run --show "$name" "--${form/csv/csv=all}"
		expect_exit 0
		expect_no_err
		cp out "$name.$form"
		as_then "$name.$form"
	done
	without_empty "$name.json"
	if [ "$name" = killed ]; then
		same killed.csv killed.csv
		same killed.json killed.json
		continue
	fi
	cmp -s "$name.csv" "$name/points.csv" || fail "--csv=all is not $name/points.csv: $(diff "$name/points.csv" "$name.csv" | head -n 4)"
	cp "$name/run.json" was.json
	without_empty was.json
	cmp -s "$name.json" was.json || fail "--json is not $name/run.json: $(diff was.json "$name.json" | head -n 4)"
	run --show "$name" --svg -
	expect_exit 0
	same "$name.svg" out
	run --compare "$name" "$name" --csv
	expect_exit 0
	same "$name-compared.csv" out

	# Only the journal, and only the table.
	mkdir "$name-journal"
	cp "$name/journal.ndjson" "$name-journal"
	run --show "$name-journal" --csv=all
	expect_exit 0
	as_then out
	cmp -s out "$name/points.csv" || fail "the journal of $name gives other points: $(diff "$name/points.csv" out | head -n 4)"
	run --show "$name-journal" --json
	expect_exit 0
	as_then out
	without_empty out
	diff was.json out >lacks
	same "$name-journal.diff" lacks
	run --show "$name/points.csv" --csv=all
	expect_exit 0
	cmp -s <(cut -d, -f1-26 out) <(cut -d, -f1-26 "$name/points.csv") ||
		fail "the table of $name gives other points: $(diff "$name/points.csv" out | head -n 4)"
done

# On another machine a run is not resumed.
cp -R killed moved
sed -i 's/"hostname": "[^"]*"/"hostname": "elsewhere"/' moved/run.json
run --resume moved
expect_exit 2
expect_err 'machine.hostname: was elsewhere, is '
expect_err 'was measured on another machine, or this machine has changed'

# A rank of earlier versions: facts of its launch, and windows with their end.
cp -R kernels ranks
sed -i -e 's/"rate": [^,}]*/&, "ended_seconds": 1951.25/g' \
	-e 's/^"machine": {$/"ranks": {\n  "rank": 0,\n  "size": 2,\n  "launch": "5eaf25144e59b00e"\n},\n&/' ranks/run.json
grep -q ended_seconds ranks/run.json || fail 'expected windows with their end'
run --show ranks
expect_exit 0
expect_no_err
same kernels.txt out
run --show ranks --csv=all
expect_exit 0
as_then out
cmp -s out kernels.csv || fail 'expected the points of a rank as those of any run'

# On its own machine it is. This machine takes that role: a copy of the run gets its facts and its CPU. Caches, ISA and
# sizes are set in the preset. The run was measured without a machine model, on which the intensities of mixed kernels depend, so
# there is none here either.
if [ "$(uname -m)" != x86_64 ]; then
	skip 'the stored run was planned for x86'
	exit 0
fi
mkdir -p data
cp -R "$TPROF_SRCDIR/presets" data/presets
chmod -R u+w data
rm data/presets/machines/*.yaml
export TPROF_DATADIR=$PWD/data
small_preset tiny.yaml <<'END'
experiment: latency
sizes: 8KiB
END
run --batch tiny.yaml --run-dir here
expect_exit 0
machine() { # machine FILE: its block of facts
	sed -n '/^"machine": {$/,/^},$/p' "$1"
}
machine here/run.json >machine.txt
[ -s machine.txt ] || fail 'expected facts of this machine'
sed -i -e '/^"machine": {$/,/^},$/{/^},$/r machine.txt
d}' killed/run.json
cmp -s machine.txt <(machine killed/run.json) || fail 'expected the facts of this machine in the copy'
sed -i "s/\"cpus\":\"0\"/\"cpus\":\"$(one_cpu)\"/" killed/journal.ndjson
# On a noisy machine a new point may contradict an old one, which is then measured again; not here.
sed -i '1i measure_again: false' killed/preset.yaml
run --resume killed
expect_exit 0
expect_err '25 of 27 points are measured, 2 are left'
[ "$(find killed -mindepth 1 | wc -l)" -eq 9 ] || fail "expected nine files: $(ls killed)"
# The earlier measurements are unchanged: points, counts, and the trials of a search.
sed "1!s/,0,\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*\)\$/,$(one_cpu),\1/" killed.csv >before.csv
head -n 26 killed/points.csv >after.csv
as_then after.csv
cmp -s before.csv after.csv || fail "expected the points as they were: $(diff before.csv after.csv | head -n 4)"
expect_count 1 '"state": "complete"' killed/run.json
for file in readings.csv trials.csv metrics.papi; do
	same "killed-$file" killed/$file
done
