# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Every list, as a table and as data.
for what in machines isas kernels experiments presets runs families bases habits events; do
	run --list "$what"
	# Events are PAPI's: without it there is no such list, and a word about it.
	if [ "$what" = events ] && [ "$status" -ne 0 ]; then
		expect_err 'PAPI'
		continue
	fi
	expect_exit 0
	# Runs and events there may be none of.
	case $what in runs | events) ;; *) [ "$(wc -l <out)" -ge 2 ] || fail "expected rows in the list of $what" ;; esac
	run --list "$what" --json
	expect_exit 0
	expect_no_err
	head -c 1 out | grep -qF '[' || fail 'expected a JSON array'
	if command -v python3 >/dev/null; then
		python3 -c 'import json; [row["name"] for row in json.load(open("out"))]' 2>err ||
			fail "expected JSON with names for $what"
	fi
done
command -v python3 >/dev/null || skip 'reading the JSON of lists: python3 is not installed'

run --list machines
expect_out zen3
expect_out c920
run --list isas --json
expect_out '"supported": true'
run --list kernels
expect_out fma+add
run --list families
expect_out_line 'flops +16 +48 .*'
run --list bases
expect_out gpu-flops
run --list habits
expect_out sapphire-rapids
run --list experiments
expect_out_line 'memcurve +yes +.*'

# No runs yet: nothing on stdout, and a word about it elsewhere.
run --list runs
expect_no_out
expect_err 'no runs'
run --list runs --quiet
expect_no_err

# A word that is none.
run --list isa
expect_exit 2
expect_no_out
expect_err 'did you mean isas?'
expect_err 'machines, isas, kernels, experiments, presets, runs, families, bases, habits or events'
run --list ''
expect_exit 2
expect_err 'machines, isas'

# Runs are told with what became of them.
mkdir -p "$XDG_DATA_HOME/tprof/runs/2026-01-02-030405-killed" "$XDG_DATA_HOME/tprof/runs/2026-01-03-000000-empty"
run --batch quick --set name='first one' --set isa=scalar --set level=L1 --set fp_op=add --set stop.max_time=20ms
expect_exit 0
echo '{"v":1,"ev":"done","t":1,"state":"complete"}' >"$XDG_DATA_HOME/tprof/runs/2026-01-02-030405-killed/journal.ndjson"
run --list runs
expect_exit 0
expect_out_line '2026-01-02 03:04 +killed +interrupted +0 +2026-01-02-030405-killed'
expect_out_line '2026-01-03 00:00 +empty +unreadable +0 +2026-01-03-000000-empty'
expect_out_line '20.* first one +complete +2 +20.*-first-one'
