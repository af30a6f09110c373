# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: stored runs in every format.
. "$TPROF_CLI/lib.sh"

# Stored runs: report, data and pictures of a whole run, of one that was killed, and of files by themselves.
expect_svg() { # expect_svg FILE: one SVG document
	expect_file "$1"
	head -n 2 "$1" | grep -q '<svg xmlns="http://www.w3.org/2000/svg" version="1.1"' || fail "no SVG in $1"
	[ "$(tail -n 1 "$1")" = '</svg>' ] || fail "$1 does not end"
	if have python3; then
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" 2>"$TMP/why" ||
			fail "no XML in $1: $(cat "$TMP/why")"
	fi
}

small_preset small.yaml <<'END'
isa: scalar
name: small & fine
runs:
  - experiment: roofline
    fp_op: [add, fma]
  - experiment: memcurve
    ratio: 1:0
    sizes: [8KiB, 12KiB, 64KiB, 128KiB, 1MiB]
END
run --batch small.yaml --csv --svg pictures.svg --run-dir whole
expect_exit 0
cp out rows.csv
expect_run whole complete
expect_svg whole/plots.svg
cmp -s pictures.svg whole/plots.svg || fail 'expected --svg and plots.svg to be the same'
grep -qF '<title>small &amp; fine</title>' pictures.svg || fail 'expected the name of the run as the title'
grep -qF '>Roofline, scalar double, 1 thread<' pictures.svg || fail 'expected a roofline'
grep -qF '>Memory curve, scalar double, load, 1 thread<' pictures.svg || fail 'expected a curve'

# Report and plots go to standard output.
run --show whole
expect_exit 0
expect_no_err
expect_out_line 'tprof.*small & fine.*complete.*11 points in .*'
expect_out 'Roofline, scalar double, 1 thread'
expect_out 'Memory curve, scalar double, load, 1 thread'
expect_out 'GFLOP/s'
LC_ALL=C.UTF-8 COLUMNS=120 run --show whole --ascii
expect_exit 0
[ -z "$(LC_ALL=C tr -d '\000-\177' <out)" ] || fail 'expected pure ASCII'
run --show whole -o report.txt
expect_exit 0
expect_no_out
grep -q 'Roofline, scalar double' report.txt || fail 'expected the report in the file'

# Data: as they were.
run --show whole --csv
expect_exit 0
cmp -s out rows.csv || fail "expected the rows of the run: $(diff out rows.csv | head -n 5)"
run --show whole --json
expect_exit 0
cmp -s out whole/run.json || fail 'expected run.json again'
run --show whole/run.json --json -o again.json
expect_exit 0
expect_no_out
cmp -s again.json whole/run.json || fail 'expected run.json again'

# Pictures: the same again, made of what is stored; data and pictures at once.
run --show whole --svg -
expect_exit 0
cmp -s out whole/plots.svg || fail 'expected plots.svg again'
run --show whole --csv --svg more.svg
expect_exit 0
cmp -s out rows.csv || fail 'expected the rows beside the pictures'
expect_svg more.svg

# By name, in any working directory.
mkdir -p "$XDG_DATA_HOME/tprof/runs"
cp -r whole "$XDG_DATA_HOME/tprof/runs/2026-11-21-114800-evening"
for name in last evening; do
	run --show "$name"
	expect_exit 0
	expect_out 'small & fine'
done

# Only points.csv, and only the journal of a killed run.
cp rows.csv kept.csv
run --show kept.csv
expect_exit 0
expect_out_line 'point +.*ISA.*median +unit.*'
expect_out_line ' +10 .*scalar.*load +1M .*GB/s.*'
mkdir killed
awk -F'"point":' '!($2 + 0 > 8)' whole/journal.ndjson >killed/journal.ndjson
grep -q '"ev":"point_end"' killed/journal.ndjson || fail 'expected ended points in the journal'
run --show killed
expect_exit 0
expect_out_line 'tprof.*interrupted.*9 of [0-9]+ points in .*'
expect_out_line ' +8 .*scalar.*load +64K .*GB/s.*'
expect_not_out '128K '
run --show killed --svg killed.svg
expect_exit 0
expect_svg killed.svg
grep -qF '>Memory curve, scalar double, load, 1 thread<' killed.svg || fail 'expected the curve of a killed run'

# Errors.
run --show nothing
expect_exit 2
expect_err 'there is no such run'
run --show whole --svg - --json
expect_exit 2
expect_err 'mix on standard output'
run --batch small.yaml --events --svg - --run-dir never
expect_exit 2
[ ! -e never ] || fail 'expected nothing to be measured'
run --batch small.yaml --svg no/such/folder/a.svg --run-dir never
expect_exit 2
expect_err 'nothing was measured'
[ ! -e never ] || fail 'expected nothing to be measured'
run --show whole --svg no/such/folder/a.svg
[ "$status" -ne 0 ] || fail 'expected a failure'
expect_err 'no/such/folder'
echo '{' >broken.json
run --show broken.json
expect_exit 2
expect_err 'broken.json'
if [ -w /dev/full ]; then
	for form in --json --csv --svg=-; do
		status=0
		"$TPROF" --show whole "$form" >/dev/full 2>err || status=$?
		expect_exit 4
		expect_err 'standard output'
	done
fi
