# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# --simulate: any machine model runs a preset in virtual time; every report and list shows it.
. "$TPROF_CLI/lib.sh"

# Only a model: its reference system. The same seed gives the same values.
for machine in zen4 sapphire-rapids; do
	for copy in a b; do
		run --batch quick --machine "$machine" --simulate --run-dir "$machine-$copy"
		expect_exit 0
		expect_err "6 of 6 points in "
		expect_err ", simulated: $machine, quiet, saved in"
		expect_run "$machine-$copy" complete
	done
	cmp "$machine-a/points.csv" "$machine-b/points.csv" || fail "$machine: one seed, two results"
	grep -qF '"simulated": {' "$machine-a/run.json" || fail 'run.json does not say simulated'
	grep -qxF "  \"machine\": \"$machine\"," "$machine-a/run.json" || fail 'the machine is not told'
	grep -qxF '  "regime": "quiet",' "$machine-a/run.json" || fail 'the regime is not told'
	grep -qF "simulated: $machine, quiet</title>" "$machine-a/plots.svg" || fail 'the SVG does not say simulated'
	run --show "$machine-a" --ascii
	expect_exit 0
	expect_out_line "tprof, simulated: $machine, quiet, complete, 6 points in .*"
	expect_out "1 thread, simulated: $machine, quiet"
done

# What was recorded for this machine only is not there.
! grep -qE '"(hostname|governor|counter_ghz)"|"kernel": "Linux' zen4-a/run.json || fail 'facts of this machine in a simulated run'
! grep -qF '"knobs"' zen4-a/run.json || fail 'knobs of this machine in a simulated run'

# Another seed is another run on the same machine, another regime as well.
run --batch quick --machine zen4 --simulate quiet --set seed=2 --run-dir other-seed
expect_exit 0
! cmp -s zen4-a/points.csv other-seed/points.csv || fail 'two seeds, one result'
run --batch quick --machine zen4 --simulate=gnr-vm --run-dir busy
expect_exit 0
expect_err ', simulated: zen4, gnr-vm, saved in'

# In a preset, with a topology, and with instruction sets of another architecture.
cat >neoverse.yaml <<-'END'
	experiment: roofline
	simulate: quiet
	machine: neoverse-v1
	topology: synthetic:pack:1 core:4 pu:1
	isa: [neon, sve]
	threads: [1, all]
	level: [L1, L2]
	fp_op: fma
END
run --batch neoverse.yaml --run-dir neoverse --csv
expect_exit 0
expect_cells isa 'neon neon neon sve sve sve neon neon neon sve sve sve'
expect_cells threads '1 1 1 1 1 1 4 4 4 4 4 4'
grep -E '^run,|,FP,' "$TMP/out" >peaks.csv
expect_numbers median_gflops peaks.csv

# The list of runs, as text and as JSON.
run --batch quick --machine zen3 --simulate turbo-steps -q
expect_exit 0
run --list runs
expect_out 'complete, simulated: zen3, turbo-steps'
run --list runs --json
expect_out '"simulated": "zen3, turbo-steps"'

# Regimes are compared; a simulated run and a real one get no verdict.
run --compare zen4-a busy
expect_not_out 'No verdict'
expect_out 'simulated: zen4, gnr-vm'
mkdir real
sed '/^"simulated": {/,/^},/d' zen4-a/run.json >real/run.json
run --compare real zen4-a
expect_out 'No verdict'
expect_out 'one is simulated: zen4, quiet'
run --compare zen4-a sapphire-rapids-a
expect_out 'simulated: zen4 and sapphire-rapids'

# A run that was interrupted goes on in its simulation.
cp -r zen4-a part
sed -i '/"ev":"point_end".*"point":5,/d; /"ev":"done"/d' part/journal.ndjson
rm part/run.json part/points.csv
run --resume part
expect_exit 0
expect_err '5 of 6 points are measured, 1 are left'
expect_err ', simulated: zen4, quiet, saved in'

# A dry run shows it, too.
run --dry-run quick --machine zen4 --simulate drift
expect_exit 0
expect_out 'simulated: the reference system of zen4, drift'

# Refusals, in words.
run --batch quick --machine zen4 --simulate=noisi
expect_exit 2
expect_err 'there is no regime "noisi"'
expect_err 'regimes: off, quiet,'
run --batch quick --simulate --topology "synthetic:core:2 pu:1"
expect_exit 2
expect_err 'a simulation needs a machine model'
run --batch quick --topology "synthetic:core:2 pu:1" --machine zen4
expect_exit 2
expect_err 'simulate it with --simulate'
for experiment in counters template; do
	echo "experiment: $experiment" >refused.yaml
	run --batch refused.yaml --machine zen4 --simulate
	expect_exit 2
	expect_err "a simulation "
	expect_err 'memcurve, latency, loaded-latency, roofline, mixed,'
	expect_err 'can be simulated'
done
cat >several.yaml <<-'END'
	experiment: pattern
	pattern: jacobi-2d-steps
END
run --batch several.yaml --machine zen4 --simulate
expect_exit 2
expect_err 'several.yaml:2:10: pattern: jacobi-2d-steps cannot be simulated: it has several statements'
expect_err 'patterns of one statement, with a domain and a schedule of permutations and blocks, can be'

# Code of users and sparse matrices: nothing is compiled, assembled code does not run, and a seed repeats all of it.
cat >code.yaml <<-'END'
	threads: 1
	pages: thp
	runs:
	  - {experiment: pattern, pattern: [triad, jacobi-2d], events: instructions}
	  - {experiment: spmv, matrix: "laplace2d:100", format: [csr, dia], roofs: false}
END
for copy in a b; do
	run --batch code.yaml --set pattern.compiler=/nonexistent/cc --machine skylake-x --simulate everything --run-dir "code-$copy"
	expect_exit 0
	expect_err 'a simulation counts no events'
	expect_err '4 of 4 points in '
done
cmp code-a/points.csv code-b/points.csv || fail 'one seed, two results of code'
run --show code-a --ascii
expect_out 'simulated: skylake-x, everything'
if [ "$(uname -m)" = x86_64 ]; then
	# Instructions that this CPU may lack, and a gather; predictions of llvm-mca for this CPU are not shown.
	run --asm 'vfmadd231pd %zmm0,%zmm1,%zmm2' --machine cascade-lake --simulate --csv=all
	expect_exit 0
	expect_cells asm_mode 'throughput latency'
	[ -z "$(column mca_cpu "$TMP/out" | tr -d '\n')" ] || fail 'a prediction for this CPU'
	column body_cycles "$TMP/out" | awk '{ x[NR] = $1 } END { exit !(NR == 2 && x[1] > .49 && x[1] < .51 && x[2] > 3.9 && x[2] < 4.1) }' ||
		fail 'two units of four cycles'
	run --batch study-fma --machine zen3 --simulate
	expect_exit 0
	expect_err 'lacks avx512f'
	run --asm 'vfmadd231pd %zmm0,%zmm1,%zmm2' --machine zen3 --simulate
	expect_not_out 'good'
	expect_err 'zen3 has no vectors of 64 bytes'
	run --asm 'vfmadd231pd %ymm0,%ymm1,%ymm2' --machine neoverse-v1 --simulate
	expect_exit 2
	expect_err 'the machine has aarch64'
	run --batch gather --machine zen4 --simulate --set gather.elements=4 --set gather.lists=lines --csv
	expect_exit 0
fi

run --batch quick --machine zen4 --simulate --set knobs.turbo=off --run-dir knobs
expect_exit 0
expect_err 'a simulated machine has no knobs'

# A simulated machine has the fused multiply-add of its own ISAs, regardless of this CPU: the dots lie where its roofs meet.
for machine in zen4 neoverse-v3; do
	run --batch mixed-l1 --machine "$machine" --simulate --report=always
	expect_exit 0
	expect_err '18 of 18 lie within 5% of their roof'
done

# Where many cores share a small L3, their L2 together holds more: the DRAM points of all threads must exceed it.
for machine in graviton4 zen4; do
	run --batch roofline --machine "$machine" --simulate
	expect_exit 0
	expect_not_err 'measured again'
done
