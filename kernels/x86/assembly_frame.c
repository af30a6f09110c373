/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop around users' instructions. r15 counts, r14 holds the stack pointer: at the end the
 * frame is found through it, whatever the body did to the stack. The calling convention is that of
 * System V: rdi data, rsi passes; rbx, rbp, r12 to r15, MXCSR and the x87 control word are kept.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/encode.h"
#include "kernels/x86/registers.h"
#include "base/str.h"
#include "base/memory.h"

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

enum {
	STACK_BYTES = 4096, /* below the frame, for pushes of the body */
	MXCSR_AT = -8, /* from the kept stack pointer */
	FRAME_BYTES = 2048, /* more than the code around the body */
	X87_VALUES = 4
};

static const ZydisRegister kept[] = { R(RBP), R(RBX), R(R12), R(R13), R(R14), R(R15) };
/* All have 1 but rdx: that is the upper half of what div divides. */
static const ZydisRegister ones[] = { R(EAX), R(ECX),  R(EBX),	R(EBP),	 R(R8D),
				      R(R9D), R(R10D), R(R11D), R(R12D), R(R13D) };

static void fill_vectors(struct tp_x86_asm *as, const struct tp_cpu *cpu)
{
	static const int32_t at = offsetof(struct tp_asm_block, pattern);
	bool avx = tp_has_word(cpu->features, "avx"),
	     avx512 = tp_has_word(cpu->features, "avx512f"),
	     bw = tp_has_word(cpu->features, "avx512bw");
	ZydisRegister zero = avx512 ? R(ZMM0) : avx ? R(YMM0) : R(XMM0);
	if (avx) {
		tp_x86_load(as, M(VBROADCASTSD), zero, R(RDI), at, 8);
	} else {
		tp_x86_load(as, M(MOVQ), R(XMM0), R(RDI), at, 8);
		tp_x86_op(as, M(PUNPCKLQDQ), R(XMM0), R(XMM0), R(NONE));
	}
	for (int i = 1; i < (avx512 ? 32 : 16); i++)
		tp_x86_op(as, avx ? M(VMOVAPS) : M(MOVAPS), zero + (ZydisRegister)i, zero, R(NONE));
	for (int i = 1; i < 8 && avx512; i++)
		tp_x86_op(as, bw ? M(KXNORQ) : M(KXNORW), R(K0) + (ZydisRegister)i, R(K0), R(K0));
}

static void enter(struct tp_x86_asm *as, const struct tp_cpu *cpu)
{
	const struct tp_x86_address mxcsr = { .base = R(R14), .displacement = MXCSR_AT };
	for (size_t i = 0; i < TP_COUNT_OF(kept); i++)
		tp_x86_op1(as, M(PUSH), kept[i]);
	tp_x86_op(as, M(MOV), R(R14), R(RSP), R(NONE));
	tp_x86_op_imm(as, M(SUB), R(RSP), STACK_BYTES);
	tp_x86_op_imm(as, M(AND), R(RSP), -64);
	tp_x86_memory(as, M(STMXCSR), &mxcsr, 4);
	tp_x86_op(as, M(MOV), R(R15), R(RSI), R(NONE));
	fill_vectors(as, cpu);
	/* Some values for the x87 stack, and room for more. */
	tp_x86_op0(as, M(FNINIT));
	for (int i = 0; i < X87_VALUES; i++)
		tp_x86_op0(as, M(FLD1));
	tp_x86_load(as, M(MOV), R(RSI), R(RDI), offsetof(struct tp_asm_block, middle), 8);
	tp_x86_load(as, M(MOV), R(RDI), R(RDI), offsetof(struct tp_asm_block, buffer), 8);
	for (size_t i = 0; i < TP_COUNT_OF(ones); i++)
		tp_x86_op_imm(as, M(MOV), ones[i], 1);
	tp_x86_op_imm(as, M(MOV), R(EDX), 0);
}

static void leave(struct tp_x86_asm *as, const struct tp_cpu *cpu)
{
	const struct tp_x86_address mxcsr = { .base = R(R14), .displacement = MXCSR_AT };
	tp_x86_memory(as, M(LDMXCSR), &mxcsr, 4);
	tp_x86_op0(as, M(FNINIT)); /* the usual control word of Linux, and no MMX any more */
	tp_x86_op0(as, M(CLD));
	if (tp_has_word(cpu->features, "avx"))
		tp_x86_op0(as, M(VZEROUPPER));
	tp_x86_op(as, M(MOV), R(RSP), R(R14), R(NONE));
	for (size_t i = TP_COUNT_OF(kept); i-- > 0;)
		tp_x86_op1(as, M(POP), kept[i]);
	tp_x86_op0(as, M(RET));
}

static void append(struct tp_assembler *as, const unsigned char *bytes, size_t n)
{
	if (as->failed || (size_t)(as->end - as->at) < n) {
		as->failed = true;
		return;
	}
	memcpy(as->at, bytes, n);
	as->at += n;
}

enum tp_status tp_x86_asm_emit(const struct tp_cpu *cpu, const unsigned char *body, size_t bytes,
			       size_t copies, struct tp_code *code, struct tp_diag *diag)
{
	struct tp_x86_asm as = { 0 };
	enum tp_status status = tp_code_init(code, FRAME_BYTES + bytes * copies, diag);
	if (status != TP_OK)
		return status;
	tp_asm_init(&as.base, code->map, code->map_bytes);
	as.vex = tp_has_word(cpu->features, "avx");
	enter(&as, cpu);
	tp_x86_fill(&as.base, -tp_asm_here(&as.base) % 64);
	code->loop_begin = tp_asm_here(&as.base);
	for (size_t i = 0; i < copies; i++)
		append(&as.base, body, bytes);
	code->loop_end = tp_asm_here(&as.base);
	tp_x86_op1(&as, M(DEC), R(R15));
	tp_x86_jump_back(&as, M(JNZ), code->loop_begin);
	leave(&as, cpu);
	if (as.base.failed) {
		tp_code_release(code);
		return tp_fail(diag, TP_INTERNAL, "assembly", NULL, "the loop cannot be encoded");
	}
	status = tp_code_seal(code, tp_asm_here(&as.base), diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}

#endif
