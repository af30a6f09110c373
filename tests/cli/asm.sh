# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: a body of instructions from the option to the report.
. "$TPROF_CLI/lib.sh"

# Instructions of a user, by --asm and by a preset. Bad ones are separate failed points.
[ "$(uname -m)" = x86_64 ] || skip_all 'instructions of x86'
have as || skip_all 'no assembler is installed'
quick=(--set stop.max_time=20ms --set asm.mca=none)

# field NAME KERNEL: a column of points.csv
field() {
	python3 -c '
import csv, sys
for row in csv.DictReader(l for l in open("out") if l[0] != "#"):
    if row["asm_mode"] == sys.argv[2]:
        print(row[sys.argv[1]])' "$@"
}

# One instruction: throughput and latency, by copies and by a chain. What is typed needs no consent.
run --asm 'vaddps %xmm1,%xmm2,%xmm0' --csv "${quick[@]}"
expect_exit 0
[ "$(field ran latency)" = 'vaddps %xmm1,%xmm0,%xmm0' ] || fail 'a chain through the first source'
case $(field ran throughput) in
'vaddps %xmm1,%xmm2,%xmm0; vaddps %xmm1,%xmm2,%xmm3; '*) ;;
*) fail 'copies that write other registers' ;;
esac
[ -n "$(field chain_latency latency)" ] || fail 'a chain has a latency'
[ -z "$(field chain_latency throughput)" ] || fail 'copies have none'
[ -n "$(field reciprocal_throughput throughput)" ] || fail 'copies have a throughput'

# Several are measured as written; --asm repeats; Intel syntax.
run --asm 'imul rax, rbx' --asm 'add rcx, rax; sub rcx, rdx' "${quick[@]}"
expect_exit 0
expect_err 'imul rax,rbx; add rcx,... (3)'
expect_err 'written'

# A CPU without the instruction, a fault: each fails separately, with its reason.
cat >bad.yaml <<'END'
experiment: asm
asm.mode: written
asm.mca: none
stop: {max_time: 20ms}
runs:
  - asm.body: [nop, nop]
  - asm.body: ud2
  - asm.body: mov %rax,0x10000000(%rdi)
END
run --batch bad.yaml
expect_exit 2
expect_err 'and you did not type that: ud2'
run --batch bad.yaml --allow-code --report=always
expect_exit 3
expect_err 'nop; nop'
expect_err '"ud2" died of signal 4 (Illegal instruction)'
expect_err '"mov %rax,0x10000000(%rdi)" leaves the buffer of 4 KiB'

# What is not an instruction is refused before there is a run.
for way in --check --dry-run --batch; do
	cat >syntax.yaml <<-'END'
		experiment: asm
		asm.body: [nop, "frobnicate %rax", "add %rax", "jne .L3"]
	END
	run $way syntax.yaml --allow-code --run-dir syntax
	expect_exit 2
	expect_err 'syntax.yaml:2'
	expect_err '"frobnicate %rax": no such instruction'
	expect_err '"add %rax": '
	expect_err '"jne .L3": the instructions name a symbol'
	[ ! -e syntax ] || fail 'expected no run'
done
run --asm 'mov rax,[rbx' --run-dir syntax "${quick[@]}"
expect_exit 2
[ ! -e syntax ] || fail 'expected no run of what was typed'

# Words before anything runs.
for text in '.globl x' 'x: nop' 'mov %r15,%rax' 'nop "' ';'; do
	run --asm "$text" "${quick[@]}"
	expect_exit 2
	expect_err asm.body
done

# Permutations of subsets: 3 + 6 + 6.
cat >orders.yaml <<'END'
experiment: asm
asm.body: [nop, "lea (%rdi),%rax", inc %rcx]
asm.variants: [permutations]
END
run --dry-run orders.yaml
expect_exit 0
[ "$(grep -c '^point [0-9]*: written' out)" = 12 ] || fail '12 orders of more than one'
expect_out 'written: inc %rcx; lea (%rdi),%rax; nop'
# Their names have the numbers of the instructions, in their order.
expect_out 'inc+lea+nop 3-2-1'
expect_out 'nop+inc 1-3'
[ "$(awk '$1 ~ /^[0-9]+$/ && $2 == "asm"' out | grep -Eo '[1-3](-[1-3])*  ' | sort -u | wc -l)" = 15 ] ||
	fail 'expected 15 names'

# The encoder of tprof needs no assembler for plain instructions, and leaves the others to it.
run --asm 'vfmadd213sd %xmm2,%xmm1,%xmm0' --set asm.mode=latency --set asm.assembler=builtin --csv "${quick[@]}"
expect_exit 0
[ -n "$(field chain_latency latency)" ] || fail 'encoded without an assembler'
run --asm 'mov (%rdi),%rax' --set asm.mode=written --set asm.assembler=builtin "${quick[@]}"
expect_exit 1
expect_err 'the encoder of tprof lacks this instruction'
