# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# The agent inside a program: the program behaves the same, and the counts are exact.
. "$TPROF_CLI/lib.sh"

here=${TPROF_BUILDDIR:-$TPROF_SRCDIR/build}
agent=$here/libtprof-agent.so
runner=$here/tests/agent/run_agent
if [ ! -f "$agent" ] || [ ! -x "$runner" ]; then
	skip_all 'the agent is not built here'
fi

# under [trace] [detach=N] PROGRAM...: sets $status; output, errors and counts in $TMP.
under() {
	ran="under the agent: $*"
	status=0
	timeout 900 "$runner" "$agent" "$@" >"$TMP/out" 2>"$TMP/err" 9>"$TMP/counts" </dev/null || status=$?
	! grep -q '^words .' "$TMP/counts" || [[ $1 == detach=* ]] || fail "$(cat "$TMP/counts")"
}

counted() { # counted NAME: a count of the last run
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print 0 }' "$TMP/counts"
}

# The agent and sanitizers do not mix.
read -ra cc <<<"${TPROF_TEST_CC:-cc} -fno-sanitize=all"
for source in odd exact; do
	"${cc[@]}" -O2 -o "$source" "$TPROF_SRCDIR/tests/agent/$source.c" || fail "no $source"
	"${cc[@]}" -O2 -no-pie -o "$source-fixed" "$TPROF_SRCDIR/tests/agent/$source.c" || fail "no $source"
done

# Odd code: the same words and the same status, wherever the program lies, and wherever the agent gives up.
./odd >expected && fail "odd ends with 42"
for program in ./odd ./odd-fixed; do
	for detach in '' detach=1 detach=100 detach=500 detach=900 detach=1000; do
		under ${detach:+"$detach"} "$program"
		expect_exit 42
		cmp -s expected out || fail "$program $detach: another output"
	done
	under "$program"
	grep -v traced_lines counts >plain
	under trace "$program"
	expect_exit 42
	cmp -s expected out || fail "$program: another output when addresses are traced"
	# A block that finds the buffer full has not been counted yet when it begins again.
	sed -i /traced_lines/d counts
	cmp -s plain counts || fail "tracing counts otherwise: $(diff plain counts)"
done

# Loops whose work is known.
./exact >loops || fail "exact"
[ -s loops ] || fail "no loops"
while read -r name works; do
	code=0
	./exact "$name" || code=$?
	if [ $code -eq 77 ]; then
		skip "$name: this CPU cannot run it"
		continue
	fi
	for program in ./exact ./exact-fixed; do
		under trace "$program" "$name" 1000
		expect_exit 0
		mv counts before
		under trace "$program" "$name" 3000
		for work in $works; do
			each=${work#*=}
			a=$(awk -v name="${work%=*}" '$1 == name { print $2 }' before)
			b=$(counted "${work%=*}")
			[ $((b - ${a:-0})) -eq $((2000 * each)) ] ||
				fail "$program $name: $((b - ${a:-0})) ${work%=*}, not 2000 times $each"
		done
	done
done <loops

# The same program counts the same, each time.
printf '%s\n' {1..2000} >lines
under sort -R --random-source=lines lines
expect_exit 0
mv counts first
mv out sorted
for _ in 1 2 3 4 5 6 7 8 9; do
	under sort -R --random-source=lines lines
	cmp -s out sorted || fail "sort sorts otherwise"
	cmp -s counts first || fail "other counts: $(diff first counts)"
done
under sh -c 'exit 7'
expect_exit 7
