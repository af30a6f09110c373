# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: dots of the user.
. "$TPROF_CLI/lib.sh"

# The user's own dots on a roofline: from the command line and from a preset, in text, SVG and run.json.
COLUMNS=120 run --batch quick --machine zen4 --simulate --dot spmv:0.17,3.2 --dot 'gemm <b>:30,40' --dot far:0.5,9000 \
	--report=always --run-dir dots
expect_exit 0
expect_err 'Own dots'
grep -qE '^spmv: 0\.17 FLOP/byte, 3\.2 GFLOP/s: under the DRAM roof \([0-9.]+ GFLOP/s there\), at [0-9.]+ % of it \(avx512\)\.$' err ||
	fail 'expected where spmv stands'
grep -qE '^gemm <b>: .*: under the peak \([0-9.]+ GFLOP/s\), at [0-9.]+ % of it: compute-bound' err || fail 'expected where gemm stands'
expect_err 'far: 0.5 FLOP/byte, 9000 GFLOP/s: above every measured roof'
grep -q '"1": "spmv:0.17,3.2"' dots/run.json || fail 'expected the dots in run.json'
run --show dots --svg -
expect_exit 0
expect_out '>spmv<'
expect_out 'gemm &lt;b&gt;'

# The share is that of the roof: a dot on half of what DRAM allows there.
gbps=$(sed -n '/"level": "DRAM"/{s/.*"median_gbps": \([0-9.]*\).*/\1/p;q}' dots/run.json)
if [ -n "$gbps" ]; then
	half=$(LC_ALL=C awk -v b="$gbps" 'BEGIN { printf "%.6g", b * 0.1 / 2 }')
	COLUMNS=120 run --show dots --dot "half:0.1,$half"
	expect_exit 0
	grep -qE '^half: .*under the DRAM roof .* at (49\.9|50|50\.1) % of it' out || fail "expected half of the DRAM roof at $gbps GB/s"
fi

# In a preset each stands in quotes; a stored run takes more of them, and stays as it is.
cat >own.yaml <<'END'
experiment: roofline
simulate: quiet
machine: zen4
level: [L1, DRAM]
fp_op: fma
dots: ["stencil:0.4,7.5"]
END
COLUMNS=120 run --batch own.yaml --run-dir preset --report=always
expect_exit 0
expect_err 'stencil: 0.4 FLOP/byte'
cp preset/run.json before.json
COLUMNS=120 run --show preset --dot other:1,2
expect_exit 0
expect_out 'stencil: 0.4 FLOP/byte'
expect_out 'other: 1 FLOP/byte, 2 GFLOP/s: under the DRAM roof'
cmp -s before.json preset/run.json || fail 'expected the stored run as it was'

# What is wrong, and what is allowed; no control character reaches the terminal.
run --show preset --dot spmv:1
expect_exit 2
expect_err 'has no comma between FLOP/byte and GFLOP/s'
expect_err 'NAME:AI,GFLOPS such as spmv:0.17,3.2'
run --batch quick --dot $'\e[2J:1,2'
expect_exit 2
LC_ALL=C grep -q $'\e' err && fail 'expected no control character'
sed -i 's/^dots: .*/dots: [stencil:0.4,7.5]/' own.yaml
run --check own.yaml
expect_exit 2
expect_err 'own.yaml:6:'
expect_err 'NAME:AI,GFLOPS'
run --compare preset dots --dot a:1,2
expect_exit 2
expect_err '--dot belongs to --batch and --show'
sed -i 's/stencil:0.4,7.5/\\u001b]52;c;eA==\\u0007:1,2/' preset/run.json
run --show preset
expect_exit 0
LC_ALL=C grep -q $'\e]52' out && fail 'expected no escape of a stranger'
:
