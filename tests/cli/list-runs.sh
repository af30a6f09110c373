# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: run directories of every state.
#
# --list runs distinguishes two runs of one preset: experiment, ISA, threads, figures, quality.
. "$TPROF_CLI/lib.sh"

cat >curve.yaml <<'END'
experiment: memcurve
machine: zen4
simulate: quiet
isa: avx2
sizes: [16 KiB, 4 MiB]
END
for isa in avx2 sse; do
	run --batch curve.yaml --set "isa=$isa" -q --report=never
	expect_exit 0
done

run --list runs
expect_exit 0
expect_out_line 'date +name +experiment +ISA +threads +figures +quality +state +points +directory'
expect_out_line '.* curve(-2)? +memcurve +avx2 +1 +[0-9.]+-[0-9.]+ GB/s +.*(good|fair|poor).* complete, simulated: .*'
expect_out_line '.* curve(-2)? +memcurve +sse +1 +[0-9.]+-[0-9.]+ GB/s +.*'

run --list runs --json
expect_exit 0
expect_out_line ' +"experiments": "memcurve",'
expect_out_line ' +"isas": "sse",'
expect_out_line ' +"threads": "1",'
expect_out_line ' +"figures": "[0-9.]+-[0-9.]+ GB/s",'
expect_out_line ' +"good": [0-9]+,'
