# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Conditions leave points of any experiment out of the plan; derived columns and parameters stand in table.csv.
. "$TPROF_CLI/lib.sh"

cat >sweep.yaml <<'END'
experiment: memcurve
simulate: quiet
machine: zen4
sizes: [16KiB, 1MiB]
isa: [sse, avx2]
threads: [1, 2]
where:
  - isa == "avx2" or threads < 2
  - working_set_bytes < 100000
derived:
  - per_thread=max(median_gbps, 1) / threads
  - kinds=distinct(loads, threads)
  - twice=2 * per_thread
END
run --batch sweep.yaml --run-dir kept --csv
expect_exit 0
expect_cells point '0 1 2'
expect_cells isa 'sse avx2 avx2'
expect_cells threads '1 1 2'
expect_cells working_set_bytes '16384 16384 16384'
expect_file kept/table.csv
expect_numbers per_thread kept/table.csv
head -1 kept/table.csv | grep -q ',per_thread,kinds,twice$' || fail "no derived columns: $(head -1 kept/table.csv)"
[ "$(awk -F, 'NR > 1 { print $(NF - 1) }' kept/table.csv | paste -sd ' ')" = '2 2 1' ] || fail 'distinct counts wrong'
awk -F, 'NR > 1 { off = $NF - 2 * $(NF - 2) } NR > 1 && off * off > 1e-12 { exit 1 }' kept/table.csv || fail 'what is derived of derived is wrong'
expect_count 1 '"2": "kinds=distinct(loads, threads)",' kept/run.json

# A run without either has no such file, and a plan no such condition.
run --batch sweep.yaml --run-dir plain --set where= --set derived=
expect_exit 0
expect_run plain complete
expect_count 8 memcurve plain/points.csv

# Errors are reported before anything is measured.
wrong() { # wrong SETTING WORDS...
	local setting=$1
	shift
	run --dry-run sweep.yaml --set "$setting"
	expect_exit 2
	for words; do
		expect_err "$words"
	done
}
wrong 'where=isaa == "avx2"' 'where: "isaa == "avx2"", column 1: there is no isaa' 'did you mean isa?'
wrong 'where=threads > 5' 'no point meets them'
wrong 'where=median_gbps > 5' 'there is no median_gbps' 'names are ' ', threads, '
wrong 'where=isa < 5' 'words are compared only by == and !='
wrong 'where=max(threads, 1) >' 'column 18: expected a number'
wrong 'derived=x=max(median_gbps, 2), y=x / threds' 'derived: "x / threds", column 5: there is no threds' 'did you mean threads?'
wrong 'derived=threads=1' 'there is a column threads already'
wrong 'derived=threads' '"threads" defines no column'

# Parameters of patterns are names and columns, too.
command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
run --dry-run pattern-barriers --set 'where=n < 5000 and pattern == "triad" and not nowait == "true"'
expect_exit 0
expect_out '1 point, '
expect_not_out nowait
run --dry-run pattern-barriers --set 'where=m > 100'
expect_exit 2
expect_err 'there is no m'
