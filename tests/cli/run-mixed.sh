# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: mixed kernels from the preset to the report.
. "$TPROF_CLI/lib.sh"

# Dots with their roofs: the peak and the bandwidth of the level are measured in the same run.
small_preset mixed.yaml <<'END'
experiment: mixed
isa: scalar
level: [L1, DRAM]
fp_op: fma
ratio: 1:0
intensity: [0.0625, 1, 8]
END
run --batch mixed.yaml --csv --run-dir mixed
expect_exit 0
expect_cells level 'FP L1 L1 L1 L1 DRAM DRAM DRAM DRAM'
expect_cells fp_op 'fma  fma fma fma  fma fma fma'
expect_cells ai_flop_per_byte '  0.0625 1 8  0.0625 1 8'
(head -n 1 out && grep ',mixed-' out) >dots
[ "$(wc -l <dots)" -eq 7 ] || fail 'expected six mixed kernels'
for column in median_gflops best_gflops median_gbps bytes_per_cycle flop_per_cycle ipc core_ghz; do
	expect_numbers $column dots
done
# GFLOP/s and GB/s of a dot are in the ratio of its intensity.
paste <(column median_gflops dots) <(column median_gbps dots) <(column ai_flop_per_byte dots) |
	awk '{ r = $1 / $2 / $3; if (r < 0.999 || r > 1.001) bad = 1 } END { exit bad }' ||
	fail 'expected GFLOP/s = intensity x GB/s'
sed -n '/^"dots": \[/,/^\]/p' mixed/run.json >found
expect_count 6 '"distance_percent": ' found
expect_count 0 '"distance_percent": null' found

# The sweep across the ridge: ascending, with the requested number of dots if they differ.
run --batch mixed.yaml --set intensity= --set intensity_points=5 --set level=L1 --csv
expect_exit 0
(head -n 1 out && grep ',mixed-' out) >dots
[ "$(wc -l <dots)" -eq 6 ] || fail 'expected five mixed kernels'
column ai_flop_per_byte dots | sort -g -c || fail "expected ascending intensities; got: $(cells ai_flop_per_byte dots)"
