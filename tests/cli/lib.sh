# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for command line tests. A test starts with
#	. "$TPROF_CLI/lib.sh"
# calls tprof through `run` and then states what it expects. The first expectation that fails
# ends the test and shows the output of the program.
#
# The runner sets TPROF (the program), TPROF_SRCDIR, TPROF_VERSION, TPROF_CLI (this folder), TMP
# (an empty folder, also the current one), and a HOME and XDG folders inside it.

# A hanging test reports where, when the runner ends it.
trap 'echo "stopped in $BASH_COMMAND, called from lines ${BASH_LINENO[*]}, after: ${ran-nothing was run}" >&2; exit 124' TERM

# shellcheck source=tests/awk.sh
. "$TPROF_SRCDIR/tests/awk.sh"

# run ARGUMENT...: runs the program; sets $status and leaves its output in $TMP/out and $TMP/err.
run() {
	ran="tprof $*"
	status=0
	"$TPROF" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
}

# fail TEXT: ends the test.
fail() {
	{
		echo "$1"
		echo "after: ${ran-nothing was run}"
		echo "exit status: ${status-none}"
		for stream in out err; do
			[ -f "$TMP/$stream" ] || continue
			echo "--- std$stream (at most 40 lines)"
			head -n 40 "$TMP/$stream"
		done
	} >&2
	exit 1
}

expect_exit() { # expect_exit CODE
	[ "$status" -eq "$1" ] || fail "expected exit status $1"
}

expect_out() { # expect_out TEXT: stdout holds TEXT
	grep -qF -e "$1" "$TMP/out" || fail "expected on stdout: $1"
}

expect_err() { # expect_err TEXT: stderr holds TEXT
	grep -qF -e "$1" "$TMP/err" || fail "expected on stderr: $1"
}

expect_out_line() { # expect_out_line REGEX: a whole line of stdout matches the extended regular expression
	grep -qxE -e "$1" "$TMP/out" || fail "expected a line on stdout that matches: $1"
}

expect_err_line() { # expect_err_line REGEX
	grep -qxE -e "$1" "$TMP/err" || fail "expected a line on stderr that matches: $1"
}

expect_not_out() { # expect_not_out TEXT
	! grep -qF -e "$1" "$TMP/out" || fail "not expected on stdout: $1"
}

expect_not_err() { # expect_not_err TEXT
	! grep -qF -e "$1" "$TMP/err" || fail "not expected on stderr: $1"
}

expect_no_out() { # nothing at all on stdout
	[ ! -s "$TMP/out" ] || fail 'expected nothing on stdout'
}

expect_no_err() {
	[ ! -s "$TMP/err" ] || fail 'expected nothing on stderr'
}

expect_file() { # expect_file PATH: exists and is not empty
	[ -s "$1" ] || fail "expected a file that is not empty: $1"
}

# --- what cannot be checked here ---

skip() { # skip REASON: a part of the test is left out, and the runner says so
	echo "$1" >>"$TMP/skipped"
}

# have PROGRAM: it is installed. Without it the part of the test that needs it is left out.
have() {
	command -v "$1" >/dev/null && return
	skip "$1 is not installed"
	return 1
}

skip_all() { # skip_all REASON: ends the test
	skip "$1"
	exit 77
}

# --- runs that measure ---

# small_preset FILE: writes the lines of stdin as a preset, with options that make a point short on any machine: few and
# short windows, and caches of a size of the test's own, so that the planned sizes are the same everywhere.
small_preset() {
	cat - >"$1" <(
		cat <<-'END'
			stop: {max_time: 20ms, max_samples: 8, min_count: 3}
			window: 20us
			measure_again: false
			pages: default
			cache_size: {L1: 16KiB, L2: 64KiB, L3: 256KiB}
		END
	)
}

# column NAME [FILE]: the cells of a column of points.csv or of --csv, one on each line; those in quotes without them.
column() {
	awk -F, -v name="$1" '{
			n = split($0, part, "\"")
			line = part[1]
			for (i = 2; i <= n; i++) {
				if (i % 2 == 0) gsub(",", "\037", part[i])
				line = line part[i]
			}
			$0 = line
		}
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ cell = at ? $at : "no column " name; gsub("\037", ",", cell); print cell }' "${2:-$TMP/out}"
}

# cells NAME [FILE]: the same, joined by blanks.
cells() {
	column "$@" | paste -sd ' '
}

expect_cells() { # expect_cells NAME 'A B C' [FILE]: the column holds these, in order
	local got
	got=$(cells "$1" "${3:-$TMP/out}")
	[ "$got" = "$2" ] || fail "expected in column $1: $2; got: $got"
}

cell() { # cell TABLE COLUMN=VALUE... COLUMN: of the first row with these values; "" = there is none
	local table=$1 wanted=
	shift
	wanted=$(printf '%s|' "$@")
	awk -F, -v wanted="$wanted" 'NR == 1 {
			n = split(wanted, items, "|") - 1
			for (i = 1; i <= n; i++) {
				split(items[i], w, "=")
				name[i] = w[1]
				value[i] = w[2]
			}
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		{
			for (i = 1; i < n && $(at[name[i]]) == value[i]; i++)
				;
			if (i == n) {
				print $(at[name[n]])
				exit
			}
		}' "$table"
}

expect_numbers() { # expect_numbers NAME [FILE]: every cell of the column is a number above 0
	column "$1" "${2:-$TMP/out}" | awk '!($0 + 0 > 0) { bad = 1 } END { exit bad || !NR }' ||
		fail "expected numbers above 0 in column $1; got: $(cells "$@")"
}

expect_between() { # expect_between LOW-COLUMN COLUMN HIGH-COLUMN [FILE]: ordered in every row
	paste <(column "$1" "${4:-$TMP/out}") <(column "$2" "${4:-$TMP/out}") <(column "$3" "${4:-$TMP/out}") |
		awk '!($1 <= $2 && $2 <= $3) { bad = 1 } END { exit bad || !NR }' ||
		fail "expected $1 <= $2 <= $3 in every row"
}

# On stdout, the interval of every row is around numbers above 0, or empty for one window.
expect_intervals() {
	paste -d, <(column samples "$TMP/out") <(column ci_low "$TMP/out") <(column ci_high "$TMP/out") |
		awk -F, '$1 == 1 ? $2 != "" || $3 != "" : !($2 > 0 && $2 + 0 <= $3 + 0) { bad = 1 } END { exit bad || !NR }' ||
		fail 'expected intervals, and none for one window'
}

# count TEXT FILE: how many times TEXT is there.
count() {
	grep -oF -e "$1" "$2" | wc -l
}

expect_count() { # expect_count N TEXT FILE
	local got
	got=$(count "$2" "$3")
	[ "$got" -eq "$1" ] || fail "expected $1 times in ${3#"$TMP/"}: $2; got: $got"
}

# expect_json FILE: one JSON document.
expect_json() {
	have python3 || return 0
	python3 -m json.tool "$1" >/dev/null 2>"$TMP/why" || fail "no JSON in $1: $(cat "$TMP/why")"
}

# expect_run DIR STATE: a complete run directory without other files, and run.json in that state.
expect_run() {
	local file
	for file in run.json points.csv plots.svg journal.ndjson preset.yaml; do
		expect_file "$1/$file"
	done
	[ "$(find "$1" -mindepth 1 | wc -l)" -eq 5 ] || fail "expected five files in the run directory: $(ls -A "$1")"
	expect_json "$1/run.json"
	grep -qxF "\"state\": \"$2\"," "$1/run.json" || fail "expected the state $2 in $1/run.json"
}

# cpus_allowed: how many CPUs this process may use. one_cpu: the number of the first.
cpus_allowed() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr ',' '\n' |
		awk -F- '{ n += NF > 1 ? $2 - $1 + 1 : 1 } END { print n }'
}

one_cpu() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status
}

# --- runs in the background ---

# start ARGUMENT...: runs the program in the background; its process is $program.
start() {
	ran="tprof $*"
	status=
	# Cleared first: a test that waits for output must not find that of the previous program.
	: >"$TMP/out"
	: >"$TMP/err"
	"$TPROF" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	program=$!
}

# finish: waits for its end and sets $status.
finish() {
	status=0
	wait "$program" 2>/dev/null || status=$?
}

# alive PROCESS: it exists and is not a zombie.
alive() {
	local state
	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)
	[ -n "$state" ] && [ "$state" != Z ] && [ "$state" != X ]
}

gone() {
	! alive "$1"
}

# await COMMAND...: waits until the command succeeds; the test fails after ten minutes, far beyond what a loaded machine takes.
await() {
	local deadline=$((SECONDS + 600))
	while [ "$SECONDS" -lt "$deadline" ]; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	fail "waited in vain for: $*"
}

# begun FILE N: by that journal or stream of events, a point has a sample that N others began before. Curves are measured from coarse to
# fine, so it is seldom point N. (Such a file may have 50,000 lines: field 4, as a pattern around it takes a second.)
begun() {
	[ "$(LC_ALL=C grep '"ev":"sample"' "$1" | cut -d, -f4 | uniq | sort -u | wc -l)" -gt "$2" ]
}

# engine FILE: the process of the latest engine in that journal or stream of events.
engine() {
	sed -n 's/.*"ev":"hello".*"pid":\([0-9]*\).*/\1/p' "$1" | tail -n 1
}

# long_preset FILE: three points; the second, point 1, goes on until something ends it.
long_preset() {
	small_preset "$1" <<-'END'
		experiment: memcurve
		isa: scalar
		ratio: 1:0
		runs:
		  - sizes: 8KiB
		  - sizes: 16KiB
		    window: 5ms
		    stop: {max_time: 60min, max_samples: 1000000, min_count: 100000}
		  - sizes: 32KiB
	END
}
