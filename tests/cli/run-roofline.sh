# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: roofs from the preset to the report.
. "$TPROF_CLI/lib.sh"

# Every level, peak, precision and thread count of a roofline; derived values are in the right columns.
small_preset roofline.yaml <<'END'
experiment: roofline
isa: [scalar, widest]
precision: [double, single]
fp_op: [fma, add, fma+add]
END
run --batch roofline.yaml --csv --run-dir roofline
expect_exit 0
rows='L1 L2 L3 DRAM FP FP FP'
if [ "$(column isa | sort -u | wc -l)" -eq 2 ]; then
	expect_cells level "$rows $rows $rows $rows"
else
	expect_cells level "$rows $rows" # scalar is the widest here
fi
expect_count "$(column precision | grep -c double)" ,single, out
expect_numbers core_ghz
expect_numbers ipc
expect_numbers samples
expect_intervals
# Memory rows have bandwidths, FP rows have rates, and neither has the other's.
head -n 1 out >memory
cp memory peaks
grep -E ',(L1|L2|L3|DRAM),' out >>memory
grep -E ',FP,' out >>peaks
for column in median_gbps best_gbps bytes_per_cycle working_set_bytes; do
	expect_numbers $column memory
	[ -z "$(cells $column peaks | tr -d ' ')" ] || fail "expected nothing in $column of FP rows"
done
for column in median_gflops best_gflops flop_per_cycle; do
	expect_numbers $column peaks
	[ -z "$(cells $column memory | tr -d ' ')" ] || fail "expected nothing in $column of memory rows"
done
expect_between median_gbps median_gbps best_gbps memory
expect_between median_gflops median_gflops best_gflops peaks
# One roof for each point, and a ridge for each memory roof.
points=$(($(wc -l <out) - 1))
expect_count "$points" '"ridge_flop_per_byte": ' roofline/run.json
expect_count "$(($(wc -l <peaks) - 1))" '"ridge_flop_per_byte": null' roofline/run.json

# threads: one and all. On a machine of one CPU they are the same, and measured once.
small_preset threads.yaml <<'END'
experiment: roofline
isa: scalar
level: L1
fp_op: add
threads: [1, all]
END
cpus=$(cpus_allowed)
affinity=()
if [ "$cpus" -gt 2 ]; then
	# Two CPUs are enough to see it.
	list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr ',' '\n' |
		awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1) && n < 2; i++) print i; n++ }' | head -n 2 | paste -sd ,)
	affinity=(--set "threads=1,2" --set "affinity=$list")
	cpus=2
fi
run --batch threads.yaml "${affinity[@]}" --csv
expect_exit 0
if [ "$cpus" -gt 1 ]; then
	expect_cells threads '1 1 2 2'
else
	expect_cells threads '1 1'
fi
expect_numbers bytes_per_cycle <(grep -v ,FP, out)

# ratio: best reports the winning ratio and kernel at each level.
small_preset best.yaml <<'END'
experiment: roofline
isa: scalar
level: [L1, L3]
fp_op: add
ratio: best
stores: [normal, nontemporal]
END
run --batch best.yaml --json --run-dir best
expect_exit 0
expect_count 4 '"best_ratio": true' <(grep -v '"ridge' out)
grep '"best_ratio": true' best/run.json >found
if grep -q '"kernel": "best' found; then
	fail 'expected the kernel that won, not the word best'
fi
while read -r line; do
	case $line in
	*'"loads": 1, "stores": 0,'* | *'"loads": 2, "stores": 1,'* | *'"loads": 1, "stores": 1,'* | *'"loads": 0, "stores": 1,'*) ;;
	*) fail "expected one of the four ratios: $line" ;;
	esac
done <found

# nontemporal: a separate kernel, and the record shows it.
run --batch roofline.yaml --set isa=sse --set precision=double --set level=DRAM --set fp_op=add --set ratio=0:1,1:0 \
	--set stores=normal,nontemporal --csv
if [ "$status" -eq 2 ]; then
	skip 'non-temporal stores of vectors: no SSE here'
else
	expect_exit 0
	expect_cells kernel 'store store-nt load add'
	expect_cells nontemporal 'false true false false'
fi
