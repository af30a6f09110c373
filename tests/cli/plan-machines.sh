# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A plan for another machine has the instruction sets, the memory, the caches and the CPUs of that machine.
machines=$TPROF_SRCDIR/tests/machines
isas() { # isas WANTED: those of the points of the last plan
	local found
	found=$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[a-z-]+$/ { print $3 }' out | sort -u | tr '\n' ' ')
	[ "$found" = "$1 " ] || fail "expected the ISAs $1; got $found"
}
plan() {
	run --dry-run roofline --set threads=1 "$@"
}

# Instruction sets by architecture: of the model if there is one, else those that every such CPU has.
plan --topology "$machines/thunderx2-2s-smt4.xml" --set isa=auto
expect_exit 0
isas 'neon scalar'
for isa in avx512 avx2; do
	plan --topology "$machines/thunderx2-2s-smt4.xml" --set isa=$isa
	expect_exit 2
	expect_err "$isa"
done
sed 's/CPUImplementer/CPUSomething/; s/CPUPart/CPUOther/; s/0x43/0x99/; s/ThunderX2/Stranger/' "$machines/thunderx2-2s-smt4.xml" >stranger.xml
plan --topology stranger.xml --set isa=auto
expect_exit 0
isas 'neon scalar'
expect_err 'the CPU is unknown, so auto takes what every aarch64 has'
plan --topology stranger.xml --set isa=sve,scalar
expect_exit 0
isas 'scalar sve'
plan --topology stranger.xml --set isa=avx512
expect_exit 2
expect_err 'there is no ISA "avx512"'
expect_err 'allowed: scalar, neon, sve, sme, auto or widest'
sed 's/"aarch64"/"riscv64"/' stranger.xml >riscv.xml
plan --topology riscv.xml --set isa=widest
expect_exit 0
isas scalar
plan --topology "$machines/skylake-2s-snc2.xml" --set isa=auto
expect_exit 0
isas 'avx2 avx512 scalar sse'
plan --topology "$machines/memory-tiers.xml" --set isa=auto
expect_exit 0
isas 'scalar sse'
plan --machine zen4 --topology "$machines/thunderx2-2s-smt4.xml"
expect_exit 2
expect_err 'zen4 is a model of x86_64'
printf 'experiment: asm\nasm.body: [nop]\n' >nop.yaml
run --dry-run nop.yaml --topology "$machines/thunderx2-2s-smt4.xml"
expect_exit 2
expect_err 'the machine has aarch64'

# Memory.
one='synthetic:[numa(memory=1GiB)] core:2 pu:1'
run --check memcurve --topology "$one" --set sizes=64GiB
expect_exit 4
expect_err "of that machine's memory may be used"
run --dry-run memcurve --topology "$one" --set sizes=512MiB --set isa=scalar
expect_exit 0
run --dry-run memcurve --topology "$one" --set isa=scalar --set cache_size.L3=512MiB
expect_exit 0
expect_err 'lowered to what half of the available memory allows'
run --check memcurve --topology "$machines/skylake-2s-snc2.xml" --set sizes=64GiB
expect_exit 0
run --check memcurve --topology 'synthetic:core:2 pu:1' --set sizes=64GiB
expect_exit 0

# A hybrid CPU: kinds of cores with their caches, and points on one of them.
hybrid=$machines/hybrid-2p4e.xml
plan --topology "$hybrid" --set isa=scalar --set affinity=kind:0 --set threads=1,all --set level=L2
expect_exit 0
expect_out 'kind:0 IntelAtom, 4 cores, L1d 32 KiB, L2 2 MiB shared by 4 cores'
expect_out 'kind:1 IntelCore, 2 cores of 4 hardware threads, L1d 48 KiB, L2 1.25 MiB'
[ "$(awk '$2 == "roofline" && $6 == "L2" { print $5, $NF }' out)" = "1 4
4 4-7" ] || fail 'expected one thread on CPU 4, and four on CPUs 4-7'
expect_out '512 KiB'
plan --topology "$hybrid" --set isa=scalar --set affinity=kind:1 --set level=L2
expect_exit 0
expect_out '320 KiB'
plan --topology "$hybrid" --set affinity=kind:7
expect_exit 2
expect_err 'allowed: kind:0 (IntelAtom, 4 CPUs), kind:1 (IntelCore, 4 CPUs)'
plan --set affinity=kinds
expect_exit 2
expect_err 'kind:N for a kind of cores of a hybrid CPU'
run --batch quick --topology "$hybrid" --machine zen4 --simulate quiet --set isa=avx2 --set affinity=kind:0 --run-dir atoms
expect_exit 0
expect_cells cpu_kind "$(yes 'kind:0 IntelAtom' | head -n "$(column isa atoms/points.csv | wc -l)" | tr '\n' ' ' | sed 's/ $//')" atoms/points.csv
COLUMNS=160 run --show atoms
expect_exit 0
expect_out_line '.*Parts +kind:0 IntelAtom, 4 cores.*'
expect_out_line '.*kind:1 IntelCore, 2 cores.*'
expect_out 'Roofline · double · 1 thread · kind:0 IntelAtom'
expect_out '1 thread on kind:0 IntelAtom: memory-bound'
expect_out 'Roofline, avx2 double, 1 thread, kind:0 IntelAtom'

# A cache on the memory's side, and memory without CPUs.
tiers=$machines/memory-tiers.xml
plan --topology "$tiers" --set isa=scalar --set ratio=1:0
expect_exit 0
expect_out 'node 0 96 GiB, behind a cache of 8 GiB'
expect_out 'node 1 MCDRAM 8 GiB, no CPUs'
expect_err "memory points walk: lines that are flushed stay in the cache of 8 GiB on the memory's side"
run --batch quick --topology "$tiers" --machine zen4 --simulate quiet --set isa=avx2 --set ratio=1:0 --set level=L1,DRAM --run-dir tiers
expect_exit 0
awk -F, 'NR > 1 && /DRAM/ { n++; if (!/node 0 behind 8 GiB/) bad = 1 } END { exit bad || !n }' tiers/points.csv || fail 'expected the node of points in memory'
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "flushed") at = i; next } { print $at }' tiers/points.csv | sort -u)" = false ] ||
	fail 'expected that nothing is flushed'
COLUMNS=160 run --show tiers
expect_exit 0
expect_out 'memory of node 0 behind 8 GiB'
expect_out_line '.*Parts +node 0 96 GiB, behind a cache of 8 GiB.*'
expect_out 'node 1 MCDRAM 8 GiB, no CPUs'

plan --topology "$tiers" --set isa=scalar --set dram=flushed
expect_exit 2
expect_err "a cache on the memory's side would keep them"

# What loads and stores reach comes before what ports add up to.
run --batch quick --machine skylake-x --simulate quiet --set isa=avx512 --set ratio=2:1 --set level=L1 --run-dir reach
expect_exit 0
column reachable reach/points.csv | awk '$1 > 0 { n++ } END { exit n != 1 }' || fail 'expected what the L1 point can reach'
COLUMNS=160 run --show reach
expect_exit 0
expect_out_line '.*\(ports .*'
tr -s ' \n' ' ' <out | grep -qF 'what loads and stores of such cores reach (CARM Tool paper), and what their ports add up to' ||
	fail 'expected where the figure comes from'
awk '/2ld1st/ { for (i = 1; i <= NF; i++) if ($i ~ /%$/) { sub("%", "", $i); if ($i + 0 < 85 || $i + 0 > 101) bad = 1; n++ } } END { exit bad || !n }' out ||
	fail 'expected about all of what is reachable'

# A curve has as many points in an octave as it was asked for, to the end of the allowed range.
for points in 3 32 50 64; do
	run --dry-run memcurve --machine zen4 --set points_per_octave=$points --set size_min=4MiB --set size_max=8MiB --set precision=double \
		--set isa=avx2 --set ratio=1:0 --set threads=1
	expect_exit 0
	expect_out "$((points + 1)) points"
done
