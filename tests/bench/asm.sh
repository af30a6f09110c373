#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Latency and throughput of some 30 instructions, measured by the experiment asm, against published tables (asm.csv) for this CPU and predictions of llvm-mca, if it has the CPU. Prints each with its difference and how many are within 5 %.
#
#   tests/bench/asm.sh [CPU]      CPU: zen4, zen5 or golden; without it, by /proc/cpuinfo
#
# Environment: TPROF (default: build/tprof), MCA (default: auto; a CPU as LLVM calls it).
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tprof=${TPROF:-$here/../../build/tprof}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

this_cpu() {
	awk -F': *' '/^vendor_id/ { vendor = $2 } /^cpu family/ { family = $2 } /^model\t/ { model = $2; exit }
		END {
			if (vendor == "AuthenticAMD" && family == 26)
				print "zen5"
			else if (vendor == "AuthenticAMD" && family == 25 && model >= 16 && (model < 32 || model >= 96))
				print "zen4"
			else if (vendor == "GenuineIntel" && family == 6 && model ~ /^(143|151|154|183|207)$/)
				print "golden"
			else
				print "none"
		}' /proc/cpuinfo
}
cpu=${1:-$(this_cpu)}

{
	printf 'experiment: asm\nthreads: 1\nasm.mode: [throughput, latency]\nasm.variants: each\nasm.mca: %s\nasm.body:\n' "${MCA:-auto}"
	grep -v '^#' "$here/asm.csv" | tail -n +2 | cut -d';' -f1 | sed 's/.*/  - "&"/'
} >"$scratch/asm.yaml"
XDG_DATA_HOME=$scratch "$tprof" --batch "$scratch/asm.yaml" --allow-code --quiet --csv -o "$scratch/points.csv" || true

python3 - "$here/asm.csv" "$scratch/points.csv" "$cpu" <<'END'
import csv
import sys

table, points, cpu = sys.argv[1:]
plain = lambda path: (line for line in open(path) if line[0] != "#")
published = {r["instruction"]: r for r in csv.DictReader(plain(table), delimiter=";")}
found = {}
for r in csv.DictReader(plain(points)):
    value = r["chain_latency"] if r["asm_mode"] == "latency" else r["reciprocal_throughput"] or r["instruction_cycles"]
    found[r["instructions"], r["asm_mode"]] = value, r["mca_cycles"], r["mca_cpu"], r["quality"]
mca = {v[2] for v in found.values() if v[2]}
print(f"CPU {cpu}, llvm-mca {', '.join(sorted(mca)) or 'knows no model of this CPU'}")
print(f"{'instruction':32} {'':10} {'measured':>9} {'published':>9} {'%':>6} {'llvm-mca':>9}  quality")
compared = near = mca_compared = mca_near = 0
for instruction, row in published.items():
    for mode in "latency", "throughput":
        value, predicted, _, quality = found.get((instruction, mode), ("", "", "", "failed"))
        said = row.get(f"{cpu}_{mode}") or ""
        if not value and not said:
            continue
        difference = ""
        if value and said:
            percent = 100 * (float(value) / float(said) - 1)
            difference = f"{percent:+.1f}"
            compared += 1
            near += abs(percent) <= 5
        elif said:
            compared += 1
        if value and predicted:
            mca_compared += 1
            mca_near += abs(float(value) / float(predicted) - 1) <= 0.05
        measured = f"{float(value):.3f}" if value else "-"
        mca_text = f"{float(predicted):.3f}" if predicted else "-"
        print(f"{instruction:32} {mode:10} {measured:>9} {said or '-':>9} {difference:>6} {mca_text:>9}  {quality}")
print(f"within 5 % of what is published: {near} of {compared}", end="")
print(f"; of llvm-mca: {mca_near} of {mca_compared}" if mca_compared else "")
END
