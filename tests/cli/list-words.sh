# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Every list, as a table and as data.
for what in machines isas precisions kernels experiments presets lessons runs examples families bases habits events; do
	run --list "$what"
	# The list of events comes from PAPI; without PAPI there is a message instead.
	if [ "$what" = events ] && [ "$status" -ne 0 ]; then
		expect_err 'PAPI'
		continue
	fi
	expect_exit 0
	# There may be no runs and no events.
	case $what in runs | events) ;; *) [ "$(wc -l <out)" -ge 2 ] || fail "expected rows in the list of $what" ;; esac
	run --list "$what" --json
	expect_exit 0
	expect_no_err
	head -c 1 out | grep -qF '[' || fail 'expected a JSON array'
	if have python3; then
		python3 -c 'import json; [row["name"] for row in json.load(open("out"))]' 2>err ||
			fail "expected JSON with names for $what"
	fi
done

run --list machines
expect_out zen3
expect_out c920
# The legend is there only where a star is.
stars=$(grep -c '^\*' out) || true
legends=$(grep -c 'fits this machine' err) || true
[ "$stars" -gt 0 ] || [ "$legends" -eq 0 ] || fail 'expected no legend without a star'
[ "$stars" -eq 0 ] || [ "$legends" -eq 1 ] || fail 'expected a legend of the star'
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
expect_out_line 'memcurve +yes +How fast is my memory\? memory curve.*'
run --list experiments --json
expect_out '"question": "How fast is my memory?"'

# No runs yet: nothing on stdout, and a message on stderr.
run --list runs
expect_no_out
expect_err 'no runs'
run --list runs --quiet
expect_no_err

# An unknown word.
run --list isa
expect_exit 2
expect_no_out
expect_err 'did you mean isas?'
expect_err 'machines, isas, precisions, kernels, experiments, presets, patterns, lessons, regimes, runs, examples, families, bases, habits or events'
run --list ''
expect_exit 2
expect_err 'machines, isas'

# The list of runs shows the state of each.
mkdir -p "$XDG_DATA_HOME/tprof/runs/2026-01-02-030405-killed" "$XDG_DATA_HOME/tprof/runs/2026-01-03-000000-empty"
run --batch quick --set name='first one' --set isa=scalar --set level=L1 --set fp_op=add --set stop.max_time=20ms
expect_exit 0
echo '{"v":1,"ev":"done","t":1,"state":"complete"}' >"$XDG_DATA_HOME/tprof/runs/2026-01-02-030405-killed/journal.ndjson"
run --list runs
expect_exit 0
expect_out_line '2026-01-02 03:04 +killed +interrupted +0 +2026-01-02-030405-killed'
expect_out_line '2026-01-03 00:00 +empty +unreadable +0 +2026-01-03-000000-empty'
expect_out_line '20.* first one +roofline +scalar +1 +.* complete +2 +20.*-first-one'
