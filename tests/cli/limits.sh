# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: files without measure.
#
# What is read from outside: its kind, its size, and its numbers are checked, and each refusal is reported at once.
. "$TPROF_CLI/lib.sh"

# soon ARGUMENT...: like run, but a program that hangs is a failure, and not the end of the test run.
soon() {
	# shellcheck disable=SC2034 # the library says it of a failure
	ran="tprof $*"
	status=0
	timeout -s KILL 600 "$TPROF" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	[ "$status" -ne 137 ] || fail 'the program did not come to its end'
}

# --- paths that are not files ---

mkfifo pipe
for command in --dry-run --check --batch; do
	soon $command quick --topology pipe
	expect_exit 2
	expect_err 'pipe: is a pipe (FIFO)'
	soon $command quick --topology /dev/zero
	expect_exit 2
	expect_err '/dev/zero: is a device'
done
soon --dry-run quick --topology .
expect_exit 2
expect_err '.: is a directory'
mkfifo pipe.yaml pipe.csv pipe.ndjson pipe.json
for what in '--dry-run ./pipe.yaml' '--check ./pipe.yaml' '--batch ./pipe.yaml' '--show ./pipe.csv' '--show ./pipe.ndjson' \
	'--show ./pipe.json' '--compare ./pipe.json ./pipe.csv' '--classify ./pipe.csv' '--dry-run quick --machine ./pipe.yaml'; do
	# shellcheck disable=SC2086 # words
	soon $what
	expect_exit 2
	expect_err 'is a pipe (FIFO)'
done
# Standard input may be a pipe if it is requested.
printf 'family,event,row,repetition,count,iterations\n' | "$TPROF" --classify - >out 2>err && fail 'expected no reading'
expect_err 'standard input:1: there is no reading in it'

runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"/2026-01-01-000000-a "$runs"/2026-01-01-000001-b
mkfifo "$runs"/2026-01-01-000000-a/run.json "$runs"/2026-01-01-000001-b/journal.ndjson
soon --list runs
expect_exit 0
[ "$(count unreadable out)" -eq 2 ] || fail 'expected two runs that are unreadable'
for run in 2026-01-01-000000-a 2026-01-01-000001-b; do
	for command in --show --resume --classify; do
		soon $command $run
		expect_exit 2
		expect_err 'is a pipe (FIFO)'
	done
done

# --- a damaged topology ---

xml=$TPROF_SRCDIR/tests/machines/skylake-2s-snc2.xml
sed '0,/complete_nodeset="[^"]*"/s///' "$xml" >damaged.xml
cmp -s "$xml" damaged.xml && fail 'expected the attribute in the file'
for command in --dry-run --check --batch; do
	soon $command quick --topology ./damaged.xml
	expect_exit 2
	expect_err './damaged.xml: damaged: hwloc '
	expect_no_out
done
soon --dry-run quick --topology "$xml"
expect_exit 0
awk '/type="PU".*\/>/ && !n++ { print } { print }' "$xml" >twice.xml
soon --dry-run quick --topology ./twice.xml
expect_exit 2
expect_err './twice.xml: damaged: the hardware thread 0 is there twice'
# hwloc would take minutes for this one.
soon --dry-run quick --topology 'synthetic:core:32768 pu:2'
expect_exit 2
expect_err 'topology: damaged or too large: hwloc did not come to an end with it in 2 s'

# --- a journal of garbage ---

mkdir garbage
{
	echo '{"v":1,"ev":"done","t":1,"state":"complete"}'
	yes x | head -n 2000000
} >garbage/journal.ndjson
(
	# It took thousands of bytes for each line. A sanitizer reserves all addresses that there are.
	ldd "$TPROF" 2>/dev/null | grep -q asan || ulimit -v 2000000
	"$TPROF" --show garbage >out 2>err </dev/null
) || fail 'expected the run to be shown'
expect_out 'and 1999950 more'
[ "$(count 'garbage/journal.ndjson:' out)" -eq 50 ] || fail 'expected the first 50 lines by their numbers'

# --- numbers out of range ---

small_preset tiny.yaml <<'END'
experiment: latency
sizes: 8KiB, 16KiB
invocations: 2
END
run --batch tiny.yaml --run-dir made
expect_exit 0
for change in 's/"invocation":1/"invocation":4294967295/' 's/"point":1,/"point":65536,/' 's/"threads":1,/"threads":65537,/'; do
	rm -rf changed
	cp -R made changed
	rm changed/run.json
	sed -i -e "$change" changed/journal.ndjson
	cmp -s made/journal.ndjson changed/journal.ndjson && fail "expected something to change: $change"
	soon --show changed
	expect_exit 0
	expect_out 'changed/journal.ndjson:'
done
# A record may claim any number of processes: going on with it takes no time for those that have no windows.
rm -rf changed
cp -R made changed
sed -i -e 's/"invocations": *2/"invocations": 2147483647/' -e 's/"state": *"complete"/"state": "interrupted"/' changed/run.json
cmp -s made/run.json changed/run.json && fail 'expected the number of processes in run.json'
soon --resume changed
expect_exit 0
rm -rf changed
cp -R made changed
sed -i -e 's/"invocations": *2/"invocations": 4294967295/' -e 's/"state": *"complete"/"state": "interrupted"/' changed/run.json
rm changed/journal.ndjson
soon --resume changed
expect_exit 2
expect_err '"invocations" has a value of the wrong kind'
expect_err 'a whole number from 0 to 2147483647'

# --- a plan larger than any run ---

{
	echo 'experiment: latency'
	echo 'sizes: [4KiB, 8KiB, 12KiB, 16KiB, 20KiB, 24KiB, 28KiB, 32KiB]'
	echo 'runs:'
	for ((i = 0; i < 250; i++)); do
		echo "  - {name: r$i, seed: $i}"
	done
} >many.yaml
soon --dry-run many.yaml
expect_exit 0
{
	echo 'experiment: latency'
	printf 'sizes: ['
	seq -s ', ' -f '%.0fKiB' 4 4 4000 | tr -d '\n'
	echo ']'
	echo 'runs:'
	for ((i = 0; i < 70; i++)); do
		echo "  - {name: r$i, seed: $i}"
	done
} >more.yaml
soon --dry-run more.yaml
expect_exit 4
expect_err 'the plan has more than 65536 points, and a run holds no more'
