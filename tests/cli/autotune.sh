# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: a search from the preset to the report.
. "$TPROF_CLI/lib.sh"

# Searches from end to end: what is tried, what is stored, what goes wrong. Sizes are small, and no measured figure decides.
echo 'experiment: autotune' >base.yaml
tiny=(base.yaml --set "autotune.n=32,48" --set autotune.m=32 --set "autotune.k=16,24" --set autotune.invocations=2
	--set autotune.iterations=4 --set autotune.max_time=2s)
no_blas=
run --batch "${tiny[@]}" --run-dir probe --report=never
if [ "$status" -ne 0 ]; then
	expect_err 'no BLAS library is found here'
	skip "products: no BLAS is installed"
	no_blas=1
fi

# --- matrix products ---
if [ -z "$no_blas" ]; then
	run --batch "${tiny[@]}" --set technique=default,c+i+o,racing --run-dir products --json -o run.json --report=always
	expect_exit 0
	expect_err 'Autotuned peaks'
	expect_file products/trials.csv
	# Three searches of four configurations; the fixed-size one makes all its calls, no other makes more
	# unless something else disturbed calls, which are then repeated.
	[ "$(grep -c '^0,' products/trials.csv)" -eq 12 ] || fail 'expected 12 trials'
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["point"] == 0 && ($c["iterations"] != 8 || $c["invocations"] != 2 || $c["stopped"] != "samples") { bad = 1 }
		$c["disturbed"] + 0 == 0 && $c["iterations"] > 8 { bad = 1 }
		$c["finished"] != "true" { bad = 1 }
		$c["incumbent"] == "true" { won[$c["point"]] = 1 }
		END { exit bad || !won[0] || !won[1] || !won[2] }' products/trials.csv || fail 'expected 2 x 4 calls and winners'
	if have python3; then
		python3 - run.json <<'END' 2>why || fail "JSON: $(cat why)"
import json, sys
r = json.load(open(sys.argv[1]))
p = r["points"]
assert [q["technique"] for q in p] == ["default", "c+i+o", "racing"], p
for q in p:
    trials = [t for t in r["trials"] if t["point"] == q["point"]]
    won = max((t for t in trials if t["incumbent"]), key=lambda t: t["value"])
    assert q["kernel"].startswith("dgemm/") and q["library"], q
    assert q["variant"] == "n %d m %d k %d" % (won["n"], won["m"], won["k"]), (q, won)
    assert q["median_gflops"] == won["value"] and q["best_gflops"] == won["best"] > 0, (q, won)
    # 2nmk FLOP over A, B once, and C read once and written once
    n, m, k = won["n"], won["m"], won["k"]
    assert q["ai_flop_per_byte"] > 0 and abs(q["working_set_bytes"] - 8 * (n * k + m * k + n * m)) < 1, q
rows = r["study"]
assert [s["technique"] for s in rows] == ["default", "c+i+o", "racing"], rows
assert rows[0]["speedup"] == 1 and rows[0]["loss"] == 0, rows
roofs = r["roofs"]
assert len(roofs) == 1 and roofs[0]["isa"] == "dgemm" and roofs[0]["level"] == "FP", roofs
assert roofs[0]["median_gflops"] == max(q["median_gflops"] for q in p), roofs
END
	fi
	run --show products
	expect_exit 0
	expect_out 'Autotuned peaks'

	# A run that stopped after its second search is resumed: finished searches and their trials stay as they are.
	awk '/"ev":"point_end"/ && ++n == 2 { print; exit } { print }' products/journal.ndjson >journal
	grep '^0,[01],' products/trials.csv >before
	mv journal products/journal.ndjson
	rm products/run.json products/points.csv products/trials.csv
	run --resume products --report=never
	expect_exit 0
	grep '^0,[01],' products/trials.csv >after
	cmp -s before after || fail 'expected the trials of the finished searches to stay'
	grep -q '^0,2,' products/trials.csv || fail 'expected the third search'

	# Every technique, in every order, and constraints.
	run --batch "${tiny[@]}" --run-dir orders --set autotune.order=random --set autotune.square=true \
		--set technique=single,hand-time,hand-accuracy,confidence,c+i,c+i+r,c+i+o+r,c+i+o/3 --report=never
	expect_exit 0
	[ "$(grep -c '^0,' orders/trials.csv)" -eq 16 ] || fail 'expected 8 searches of the 2 square products'

	# Only the impossible search fails.
	run --batch "${tiny[@]}" --set blas=/nonexistent/libblas.so,openblas,libm.so.6 --run-dir libraries --report=never
	[ "$status" -ne 0 ] || fail 'expected to be told that not all was measured'
	expect_err '/nonexistent/libblas.so'
	expect_err 'has no cblas_dgemm'
	expect_err '1 of 3 points'
fi

# Sizes that do not fit into memory: a search leaves out one of several, and fails with a message if there is no other.
run --batch "${tiny[@]}" --set autotune.n=1000000 --set autotune.m=1000000 --set autotune.k=1000000 --run-dir huge --report=never
[ "$status" -ne 0 ] || fail 'expected to be told that nothing was measured'
[ -n "$no_blas" ] || expect_err 'memory'

# No configuration is left.
cat >preset.yaml <<'END'
experiment: autotune
routine: dgemm
runs:
  - name: none
    autotune: {n: 64, m: 65, k: 8, square: true}
  - name: triad
    routine: triad
    level: L1
    technique: c+i+o
    autotune: {invocations: 1, iterations: 3}
END
run --dry-run preset.yaml
expect_exit 0
expect_out 'point 0: 0 configurations'
run --batch preset.yaml --run-dir none --report=never
expect_err 'no configuration is left to try'
if grep -q OpenMP err; then
	skip 'TRIAD: built without OpenMP'
else
	grep -q '^1,1,autotune,triad,' none/points.csv || fail 'expected the other run to go on'
fi

# --- on a simulated machine: no library is needed, and techniques take turns ---
simulated=(base.yaml --machine zen4 --simulate --set "autotune.n=128,256" --set "autotune.m=128,256" --set autotune.k=128
	--set "technique=default,single,c+i+o,racing")
run --batch "${simulated[@]}" --run-dir made-up --json -o made-up.json --report=always
expect_exit 0
expect_err 'Loss, of the choice'
expect_err 'dgemm, 1 thread: '
[ "$(head -n 1 made-up/study.csv)" = 'run,point,technique,routine,library,scope,index,n,m,k,best,baseline_value,seconds,speedup,loss,configurations,invocations,iterations,configuration,error' ] ||
	fail 'expected the columns of study.csv, the newest last'
awk -F, 'NR > 1 { n++; bad = bad || $5 != "simulated" || $15 < 0 || $15 > 0.02 || $20 < -0.02 || $20 > 0.02 }
	$3 == "default" && ($15 != 0 || $20 != 0 || $14 != 1) { bad = 1 } END { exit bad || n != 4 }' made-up/study.csv ||
	fail 'expected four techniques within 2 % of the baseline'
awk '/"ev":"trial"/ && /"point":3/ { seen = 1 } /"ev":"point_end"/ { exit } END { exit !seen }' made-up/journal.ndjson ||
	fail 'expected the last technique to search before the first is over'
run --batch "${simulated[@]}" --run-dir again --report=never
cmp made-up/study.csv again/study.csv || fail 'one seed, two studies'

# A study that stopped is resumed: what is over stays, the others take turns again.
awk '/"ev":"point_end"/ && ++n == 2 { print; exit } { print }' made-up/journal.ndjson >journal
grep '^0,[01],' made-up/trials.csv >before
mv journal made-up/journal.ndjson
rm made-up/run.json made-up/points.csv made-up/trials.csv made-up/study.csv
run --resume made-up --report=never
expect_exit 0
grep '^0,[01],' made-up/trials.csv | cmp -s before - || fail 'expected the trials of the finished searches to stay'
[ "$(grep -c '^0,' made-up/trials.csv)" -eq 16 ] || fail 'expected the other two searches'

# --- what is wrong before anything is run ---
run --dry-run base.yaml --set technique=guessing
expect_exit 2
expect_err 'there is no technique "guessing"'
expect_err 'racing'
run --dry-run base.yaml --set technique=single/5
expect_exit 2
run --dry-run base.yaml --set routine=dgem
expect_exit 2
expect_err 'did you mean dgemm'
