/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stepping decodes the code of every kind of kernel as the disassembler of another project does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "kernels/step.h"

static bool in_group(const cs_insn *insn, unsigned group)
{
	for (unsigned i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

/* From the text: operation, precision, and width of the widest vector register. */
static void hold_fp(const struct tp_instruction *in, const cs_insn *insn)
{
	const char *name = insn->mnemonic + (insn->mnemonic[0] == 'v');
	size_t len = strlen(name);
	static const char *const plain[] = { "add", "sub", "mul", "div", "sqrt" };
	enum tp_fp_kind kind = TP_FP_KIND_NONE;
	const char *end = len > 2 ? name + len - 2 : "";
	bool precise = strcmp(end, "ps") == 0 || strcmp(end, "pd") == 0 || strcmp(end, "ss") == 0 ||
		       strcmp(end, "sd") == 0;
	for (size_t i = 0; precise && i < TP_COUNT_OF(plain); i++)
		if (len == strlen(plain[i]) + 2 && strncmp(name, plain[i], len - 2) == 0)
			kind = TP_FP_KIND_PLAIN;
	if (precise && (strncmp(name, "fma", 3) == 0 || strncmp(name, "fms", 3) == 0 ||
			strncmp(name, "fnm", 3) == 0))
		kind = TP_FP_KIND_FMA;
	assert_int_equal(in->fp, kind);
	if (kind == TP_FP_KIND_NONE)
		return;
	assert_int_equal(in->fp_element_bytes, end[1] == 'd' ? 8 : 4);
	unsigned vector = strstr(insn->op_str, "zmm") ? 64 : strstr(insn->op_str, "ymm") ? 32 : 16;
	assert_int_equal(in->fp_vector_bytes, end[0] == 's' ? 0 : vector);
}

static void hold_branch(const struct tp_instruction *in, const cs_insn *insn)
{
	bool direct =
		insn->detail->x86.op_count == 1 && insn->detail->x86.operands[0].type == X86_OP_IMM;
	enum tp_branch_kind kind = TP_BRANCH_NONE;
	if (insn->id == X86_INS_JMP)
		kind = direct ? TP_BRANCH_JUMP : TP_BRANCH_INDIRECT;
	else if (in_group(insn, X86_GRP_CALL))
		kind = TP_BRANCH_CALL;
	else if (in_group(insn, X86_GRP_RET))
		kind = TP_BRANCH_RETURN;
	else if (in_group(insn, X86_GRP_JUMP))
		kind = TP_BRANCH_CONDITIONAL;
	assert_int_equal(in->branch, kind);
	if (kind != TP_BRANCH_NONE && direct)
		assert_int_equal(in->target, insn->detail->x86.operands[0].imm);
}

static void hold_memory(const struct tp_instruction *in, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	unsigned n = 0;
	if (in->branch == TP_BRANCH_CALL || in->branch == TP_BRANCH_RETURN ||
	    insn->id == X86_INS_LEA || insn->id == X86_INS_NOP || insn->id == X86_INS_PUSH ||
	    insn->id == X86_INS_POP)
		return; /* what they touch is not in their text */
	for (unsigned i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM)
			continue;
		assert_true(n < in->n_operands);
		assert_int_equal(in->operand[n].bytes, x86->operands[i].size);
		/*
		 * The destination is the first operand. Except in arithmetic, instructions with
		 * memory first only write there.
		 */
		if (i > 0)
			assert_true(in->operand[n].load && !in->operand[n].store);
		else if (strstr(insn->mnemonic, "mov"))
			assert_true(in->operand[n].store && !in->operand[n].load);
		n++;
	}
	assert_int_equal(in->n_operands, n);
}

static void hold_code(csh capstone, const struct tp_code *code)
{
	struct tp_diag diag = { .what = "" };
	struct tp_stepper *stepper;
	cs_insn *insn;
	size_t n = cs_disasm(capstone, code->map, code->bytes, 0, 0, &insn);
	assert_true(n > 0);
	if (tp_stepper_new(&stepper, code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(tp_stepper_instructions(stepper), n);
	for (size_t i = 0; i < n; i++) {
		const struct tp_instruction *in = tp_stepper_at(stepper, insn[i].address);
		assert_non_null(in);
		assert_int_equal(in->number, i);
		assert_int_equal(in->length, insn[i].size);
		hold_branch(in, &insn[i]);
		hold_fp(in, &insn[i]);
		hold_memory(in, &insn[i]);
	}
	cs_free(insn, n);
	tp_stepper_free(stepper);
}

static bool is_x86(void)
{
	return tp_arch_host() && strcmp(tp_arch_host()->name, "x86_64") == 0;
}

static csh open_capstone(void)
{
	csh capstone;
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	return capstone;
}

static void every_kind_of_kernel_is_read_alike(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	csh capstone = open_capstone();
	/* Emission depends on the description of a CPU, not on this one: nothing is run here. */
	const struct tp_cpu cpus[] = {
		{ .arch = "x86_64", .features = "sse2" },
		{ .arch = "x86_64", .features = "sse2 avx avx2 fma avx512f" },
	};
	unsigned emitted = 0;
	for (size_t c = 0; c < TP_COUNT_OF(cpus); c++)
		for (size_t i = 0; i < tp_isa_count; i++)
			for (unsigned kind = 0; kind <= TP_KERNEL_WIDTH; kind++)
				for (unsigned v = 0; v < 2 * TP_FP_DOT * 2; v++) {
					struct tp_kernel k = { .kind = kind,
							       .isa = tp_isa_table[i],
							       .element_bytes = v % 2 ? 4 : 8 };
					struct tp_code code;
					unsigned op = v / 2 % TP_FP_DOT;
					k.fp_op = (enum tp_fp_op)op;
					if (kind == TP_KERNEL_MEMORY || kind == TP_KERNEL_MIXED) {
						k.loads = 2;
						k.stores = 1;
						k.nontemporal = v / 2 / TP_FP_DOT;
						k.fp_count = k.mem_count = kind == TP_KERNEL_MIXED;
					}
					k.working_set_bytes = kind == TP_KERNEL_FP ? 0 : 3072;
					if (tp_kernel_emit(&k, &cpus[c], &code, NULL) != TP_OK)
						continue;
					hold_code(capstone, &code);
					tp_code_release(&code);
					emitted++;
				}
	assert_true(emitted > 50);
	cs_close(&capstone);
}

/* Forms that no kernel has yet, described by hand. */
static void single_instructions_are_classed(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	static const struct {
		const char *text;
		unsigned char bytes[12];
		uint8_t length;
		struct tp_instruction is;
	} cases[] = {
		{ "add rax, 8", { 0x48, 0x83, 0xc0, 0x08 }, 4, { .integer = true } },
		{ "mov rax, rbx", { 0x48, 0x89, 0xd8 }, 3, { .integer = false } },
		{ "mov rax, [rbx+rcx*8+16]",
		  { 0x48, 0x8b, 0x44, 0xcb, 0x10 },
		  5,
		  { .n_operands = 1, .operand = { { true, false, 8 } } } },
		{ "add dword [rdi], 1",
		  { 0x83, 0x07, 0x01 },
		  3,
		  { .integer = true, .n_operands = 1, .operand = { { true, true, 4 } } } },
		{ "lea rax, [rbx+8]", { 0x48, 0x8d, 0x43, 0x08 }, 4, { .integer = true } },
		{ "push rbx", { 0x53 }, 1, { .n_operands = 1, .operand = { { false, true, 8 } } } },
		{ "pop rbx", { 0x5b }, 1, { .n_operands = 1, .operand = { { true, false, 8 } } } },
		{ "prefetcht0 [rdi]", { 0x0f, 0x18, 0x0f }, 3, { .integer = false } },
		{ "nop [rax+rax]", { 0x0f, 0x1f, 0x44, 0x00, 0x00 }, 5, { .integer = false } },
		{ "vaddpd ymm0, ymm1, [rdi]",
		  { 0xc5, 0xf5, 0x58, 0x07 },
		  4,
		  { .fp = TP_FP_KIND_PLAIN,
		    .fp_element_bytes = 8,
		    .fp_vector_bytes = 32,
		    .n_operands = 1,
		    .operand = { { true, false, 32 } } } },
		{ "sqrtss xmm0, xmm1",
		  { 0xf3, 0x0f, 0x51, 0xc1 },
		  4,
		  { .fp = TP_FP_KIND_PLAIN, .fp_element_bytes = 4 } },
		{ "vfnmadd213sd xmm0, xmm1, xmm2",
		  { 0xc4, 0xe2, 0xf1, 0xad, 0xc2 },
		  5,
		  { .fp = TP_FP_KIND_FMA, .fp_element_bytes = 8 } },
		{ "vfmaddsub132ps ymm0, ymm1, ymm2",
		  { 0xc4, 0xe2, 0x75, 0x96, 0xc2 },
		  5,
		  { .fp = TP_FP_KIND_FMA, .fp_element_bytes = 4, .fp_vector_bytes = 32 } },
		{ "addsubps xmm0, xmm1", { 0xf2, 0x0f, 0xd0, 0xc1 }, 4, { .integer = false } },
		{ "paddq xmm0, xmm1", { 0x66, 0x0f, 0xd4, 0xc1 }, 4, { .integer = false } },
		{ "xorps xmm0, xmm0", { 0x0f, 0x57, 0xc0 }, 3, { .integer = false } },
	};
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_code code;
		struct tp_stepper *stepper;
		struct tp_diag diag = { .what = "" };
		assert_int_equal(tp_code_init(&code, 16, NULL), TP_OK);
		memcpy(code.map, cases[i].bytes, cases[i].length);
		assert_int_equal(tp_code_seal(&code, cases[i].length, NULL), TP_OK);
		if (tp_stepper_new(&stepper, &code, &diag) != TP_OK)
			fail_msg("%s: %s", cases[i].text, diag.what);
		const struct tp_instruction *in = tp_stepper_at(stepper, 0), *is = &cases[i].is;
		if (in->length != cases[i].length || in->integer != is->integer ||
		    in->fp != is->fp || in->fp_element_bytes != is->fp_element_bytes ||
		    in->fp_vector_bytes != is->fp_vector_bytes ||
		    in->n_operands != is->n_operands ||
		    in->operand[0].load != is->operand[0].load ||
		    in->operand[0].store != is->operand[0].store ||
		    in->operand[0].bytes != is->operand[0].bytes)
			fail_msg("%s is misread", cases[i].text);
		tp_stepper_free(stepper);
		tp_code_release(&code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_kernel_is_read_alike),
		cmocka_unit_test(single_instructions_are_classed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
