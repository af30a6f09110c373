/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Users' own instructions: what they read and write, as Zydis decodes them, their text, and the
 * loop around them. r15 counts, r14 holds the stack pointer of the caller: the body uses the
 * block's stack. The calling convention is that of System V: rdi data, rsi passes; rbx, rbp, r12 to
 * r15, MXCSR and the x87 control word are kept.
 */
#ifdef TP_ARCH_X86_64

#include <Zydis/Zydis.h>
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/assembly.h"
#include "kernels/emit/emit.h"
#include "kernels/x86/encode.h"
#include "kernels/x86/x86.h"

/*
 * Numbers of registers for kernels/assembly.h: general ones 0 to 15, vectors 32 to 63, masks 64 to
 * 71, MMX 72 to 79, x87 80 to 87, flags 127. The form is the width: 8, 16, 32 and 64 bits of
 * general registers, xmm, ymm and zmm of vectors.
 */
enum {
	TP_X86_GENERAL = 0,
	TP_X86_VECTORS = 32,
	TP_X86_MASKS = 64,
	TP_X86_MMX = 72,
	TP_X86_X87 = 80,
	TP_X86_FLAGS = 127
};

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

enum {
	MXCSR_AT = -8, /* from the kept stack pointer, where no signal writes */
	X87_VALUES = 4
};

static const ZydisRegister kept[] = { R(RBP), R(RBX), R(R12), R(R13), R(R14), R(R15) };
/* By their numbers; r14 and r15 belong to the loop. */
enum { STACK = 4, DATA = 7, FIRST_RESERVED = 14, LAST_RESERVED = 15 };

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

static void load_general(struct tp_x86_asm *as, int i)
{
	int32_t at = (int32_t)(offsetof(struct tp_asm_block, general) + (size_t)i * 8);
	tp_x86_load(as, M(MOV), R(RAX) + (ZydisRegister)i, R(RDI), at, 8);
}

static void enter(struct tp_emitter *e)
{
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	const struct tp_x86_address mxcsr = { .base = R(R14), .displacement = MXCSR_AT };
	for (size_t i = 0; i < TP_COUNT_OF(kept); i++)
		tp_x86_op1(as, M(PUSH), kept[i]);
	tp_x86_op(as, M(MOV), R(R14), R(RSP), R(NONE));
	tp_x86_memory(as, M(STMXCSR), &mxcsr, 4);
	tp_x86_op(as, M(MOV), R(R15), R(RSI), R(NONE));
	fill_vectors(as, e->cpu);
	/* Some values for the x87 stack, and room for more. */
	tp_x86_op0(as, M(FNINIT));
	for (int i = 0; i < X87_VALUES; i++)
		tp_x86_op0(as, M(FLD1));
	for (int i = 0; i < FIRST_RESERVED; i++)
		if (i != STACK && i != DATA)
			load_general(as, i);
	tp_x86_load(as, M(MOV), R(RSP), R(RDI), offsetof(struct tp_asm_block, stack), 8);
	load_general(as, DATA);
	tp_emit_align(e, 64, 0);
}

static void go_on(struct tp_emitter *e, size_t top)
{
	e->be->loop_end(e, R(R15), top);
}

static void leave(struct tp_emitter *e)
{
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	const struct tp_x86_address mxcsr = { .base = R(R14), .displacement = MXCSR_AT };
	tp_x86_memory(as, M(LDMXCSR), &mxcsr, 4);
	tp_x86_op0(as, M(FNINIT)); /* the usual control word of Linux, and no MMX any more */
	tp_x86_op0(as, M(CLD));
	if (as->vex)
		tp_x86_op0(as, M(VZEROUPPER));
	tp_x86_op(as, M(MOV), R(RSP), R(R14), R(NONE));
	for (size_t i = TP_COUNT_OF(kept); i-- > 0;)
		tp_x86_op1(as, M(POP), kept[i]);
	tp_x86_op0(as, M(RET));
}

/* Names and numbers of registers; the names are Zydis's. */

/* The first register of each form, and how many there are. */
static const struct {
	unsigned first, n, form;
	ZydisRegister zydis;
} kinds[] = {
	{ TP_X86_GENERAL, 16, 3, ZYDIS_REGISTER_RAX },
	{ TP_X86_GENERAL, 16, 2, ZYDIS_REGISTER_EAX },
	{ TP_X86_GENERAL, 16, 1, ZYDIS_REGISTER_AX },
	{ TP_X86_VECTORS, 32, 0, ZYDIS_REGISTER_XMM0 },
	{ TP_X86_VECTORS, 32, 1, ZYDIS_REGISTER_YMM0 },
	{ TP_X86_VECTORS, 32, 2, ZYDIS_REGISTER_ZMM0 },
	{ TP_X86_MASKS, 8, 0, ZYDIS_REGISTER_K0 },
	{ TP_X86_MMX, 8, 0, ZYDIS_REGISTER_MM0 },
};

/* Of 8 bits, by number: Zydis has ah to bh among them. */
static const ZydisRegister byte_registers[] = {
	ZYDIS_REGISTER_AL,   ZYDIS_REGISTER_CL,	  ZYDIS_REGISTER_DL,   ZYDIS_REGISTER_BL,
	ZYDIS_REGISTER_SPL,  ZYDIS_REGISTER_BPL,  ZYDIS_REGISTER_SIL,  ZYDIS_REGISTER_DIL,
	ZYDIS_REGISTER_R8B,  ZYDIS_REGISTER_R9B,  ZYDIS_REGISTER_R10B, ZYDIS_REGISTER_R11B,
	ZYDIS_REGISTER_R12B, ZYDIS_REGISTER_R13B, ZYDIS_REGISTER_R14B, ZYDIS_REGISTER_R15B,
};

enum { SHORT_VECTORS = 16 };

/* The register of Zydis; or ZYDIS_REGISTER_NONE. */
static ZydisRegister x86_register(const struct tp_register_name *name)
{
	if (name->form == 0 && name->reg < TP_COUNT_OF(byte_registers))
		return byte_registers[name->reg];
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++)
		if (kinds[i].form == name->form && name->reg >= kinds[i].first &&
		    name->reg - kinds[i].first < kinds[i].n)
			return kinds[i].zydis + (ZydisRegister)(name->reg - kinds[i].first);
	return ZYDIS_REGISTER_NONE;
}

/* The number of a register of Zydis, in any width; -1: it does not matter, such as rip. */
static int register_number(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	if (whole == ZYDIS_REGISTER_NONE)
		whole = reg; /* it has one width */
	ZyanI8 id = ZydisRegisterGetId(whole);
	switch (ZydisRegisterGetClass(whole)) {
	case ZYDIS_REGCLASS_GPR64:
		return TP_X86_GENERAL + id;
	case ZYDIS_REGCLASS_ZMM:
		return TP_X86_VECTORS + id;
	case ZYDIS_REGCLASS_MASK:
		return TP_X86_MASKS + id;
	case ZYDIS_REGCLASS_MMX:
		return TP_X86_MMX + id;
	case ZYDIS_REGCLASS_X87:
		return TP_X86_X87 + id;
	default:
		return -1;
	}
}

static bool register_name(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES])
{
	ZydisRegister reg = x86_register(name);
	const char *text = reg == ZYDIS_REGISTER_NONE ? NULL : ZydisRegisterGetString(reg);
	return text && tp_copy(out, TP_ASM_NAME_BYTES, text);
}

static bool register_reserved(unsigned reg)
{
	return reg >= FIRST_RESERVED && reg <= LAST_RESERVED;
}

static bool register_vector(unsigned reg)
{
	return reg >= TP_X86_VECTORS && reg < TP_X86_MASKS;
}

/*
 * Vectors of less than 512 bits stay among the first 16, which the short encodings have. The mask
 * k0 stands for none.
 */
static void register_alike(const struct tp_register_name *name, struct tp_register_set *out)
{
	*out = (struct tp_register_set){ 0 };
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++) {
		if (name->reg < kinds[i].first || name->reg - kinds[i].first >= kinds[i].n)
			continue;
		bool vectors = kinds[i].first == TP_X86_VECTORS;
		unsigned n = vectors && name->form < 2 ? (unsigned)SHORT_VECTORS : kinds[i].n;
		for (unsigned r = kinds[i].first; r < kinds[i].first + n; r++)
			if (!register_reserved(r) && r != STACK && r != TP_X86_MASKS)
				tp_registers_add(out, r);
		return;
	}
	if (name->reg < TP_ASM_REGISTERS)
		tp_registers_add(out, name->reg);
}

/*
 * Plain instructions without an assembler: a mnemonic, registers, and small numbers. The encoder of
 * Zydis makes the bytes. They count only if Zydis reads the same instruction back; doubtful cases
 * are left to an assembler.
 */

enum { PLAIN_OPERANDS = 4, MNEMONIC_BYTES = 24, NUMBER_MIN = -128, NUMBER_MAX = 0x7fffffff };

struct plain {
	ZydisMnemonic mnemonic;
	unsigned n;
	struct plain_operand {
		ZydisRegister reg; /* NONE: a number */
		int64_t number;
	} operands[PLAIN_OPERANDS]; /* the destination first */
};

/* --- the text --- */

static ZydisMnemonic find_mnemonic(const char *name)
{
	for (int m = 1; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
		if (strcmp(ZydisMnemonicGetString((ZydisMnemonic)m), name) == 0)
			return (ZydisMnemonic)m;
	return ZYDIS_MNEMONIC_INVALID;
}

/* Jumps are relative to where they stand, and what has no operand may do anything. */
static bool is_plain(const char *name, unsigned operands)
{
	static const char alone[] = "nop pause lfence mfence sfence vzeroupper cld cdq cqo cdqe";
	static const char never[] = "call loop loope loopne xbegin push pop int in out";
	return operands ? name[0] != 'j' && !tp_has_word(never, name) : tp_has_word(alone, name);
}

/* AT&T: the last letter of a mnemonic may give the width of general registers. */
static bool has_suffix(const char *name, const struct plain *plain)
{
	static const struct {
		char letter;
		ZydisRegisterClass class;
	} suffixes[] = { { 'b', ZYDIS_REGCLASS_GPR8 },
			 { 'w', ZYDIS_REGCLASS_GPR16 },
			 { 'l', ZYDIS_REGCLASS_GPR32 },
			 { 'q', ZYDIS_REGCLASS_GPR64 } };
	size_t len = strlen(name);
	if (len < 3 || !plain->n || plain->operands[0].reg == ZYDIS_REGISTER_NONE)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(suffixes); i++)
		if (name[len - 1] == suffixes[i].letter)
			return ZydisRegisterGetClass(plain->operands[0].reg) == suffixes[i].class;
	return false;
}

static bool read_number(const char *text, int64_t *number)
{
	char *end;
	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	*number = strtoll(text, &end, 0);
	return !*end && *number >= NUMBER_MIN && *number <= NUMBER_MAX;
}

static bool read_operand(const char *text, enum tp_asm_syntax syntax, struct plain_operand *out)
{
	struct tp_register_name name;
	bool marked = text[0] == '%', number = text[0] == '$';
	*out = (struct plain_operand){ .reg = ZYDIS_REGISTER_NONE };
	if (syntax == TP_ASM_ATT && !marked)
		return number && read_number(text + 1, &out->number);
	if (syntax == TP_ASM_INTEL && read_number(text, &out->number))
		return true;
	text += marked;
	if (!tp_asm_find(&tp_x86_assembly, text, strlen(text), &name))
		return false;
	out->reg = x86_register(&name);
	return out->reg != ZYDIS_REGISTER_NONE;
}

static bool read_plain(const char *text, enum tp_asm_syntax syntax, struct plain *plain)
{
	char name[MNEMONIC_BYTES], word[24];
	size_t len = strcspn(text, " ");
	*plain = (struct plain){ 0 };
	if (len == 0 || len >= sizeof(name))
		return false;
	for (size_t i = 0; i <= len; i++)
		name[i] = i < len ? (char)tolower((unsigned char)text[i]) : '\0';
	for (text += len; *text; text += len) {
		text++; /* the blank after the mnemonic, or a comma */
		len = strcspn(text, ",");
		if (plain->n == PLAIN_OPERANDS || len == 0 || len >= sizeof(word))
			return false;
		for (size_t i = 0; i <= len; i++)
			word[i] = i < len ? (char)tolower((unsigned char)text[i]) : '\0';
		if (!read_operand(word, syntax, &plain->operands[plain->n++]))
			return false;
	}
	for (unsigned i = 0; syntax == TP_ASM_ATT && i < plain->n / 2; i++) {
		struct plain_operand other = plain->operands[i];
		plain->operands[i] = plain->operands[plain->n - 1 - i];
		plain->operands[plain->n - 1 - i] = other;
	}
	plain->mnemonic = find_mnemonic(name);
	if (!plain->mnemonic && syntax == TP_ASM_ATT && has_suffix(name, plain)) {
		name[strlen(name) - 1] = '\0';
		plain->mnemonic = find_mnemonic(name);
	}
	return plain->mnemonic && is_plain(name, plain->n);
}

/* --- the bytes --- */

/* Only these encodings reach 512 bits, and registers from 16 on. */
static bool is_extended(const struct plain *plain)
{
	for (unsigned i = 0; i < plain->n; i++) {
		ZydisRegister reg = plain->operands[i].reg;
		if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_ZMM ||
		    (register_number(reg) >= TP_X86_VECTORS + 16 &&
		     register_number(reg) < TP_X86_MASKS))
			return true;
	}
	return false;
}

/* `masked`: with the operand k0 after the destination, which means no mask. */
static bool encode(const struct plain *plain, bool masked, unsigned char out[16], size_t *bytes)
{
	ZydisEncoderRequest r;
	ZyanUSize length = ZYDIS_MAX_INSTRUCTION_LENGTH;
	bool extended = is_extended(plain);
	memset(&r, 0, sizeof(r));
	r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	r.mnemonic = plain->mnemonic;
	r.allowed_encodings =
		extended ? ZYDIS_ENCODABLE_ENCODING_EVEX
			 : ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX;
	for (unsigned i = 0; i < plain->n; i++) {
		ZydisEncoderOperand *o = &r.operands[r.operand_count++];
		bool number = plain->operands[i].reg == ZYDIS_REGISTER_NONE;
		o->type = number ? ZYDIS_OPERAND_TYPE_IMMEDIATE : ZYDIS_OPERAND_TYPE_REGISTER;
		o->reg.value = plain->operands[i].reg;
		o->imm.s = plain->operands[i].number;
		if (i == 0 && masked) {
			o = &r.operands[r.operand_count++];
			o->type = ZYDIS_OPERAND_TYPE_REGISTER;
			o->reg.value = ZYDIS_REGISTER_K0;
		}
	}
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&r, out, &length)))
		return false;
	*bytes = length;
	return true;
}

/* Checks that the bytes match the text. */
static bool is_same(const struct plain *plain, const unsigned char *code, size_t bytes)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	unsigned n = 0;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operands)) ||
	    in.length != bytes || in.mnemonic != plain->mnemonic)
		return false;
	for (unsigned i = 0; i < in.operand_count_visible; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		/* No mask is an operand, too. */
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == ZYDIS_REGISTER_K0 &&
		    o->encoding == ZYDIS_OPERAND_ENCODING_MASK)
			continue;
		if (n == plain->n)
			return false;
		const struct plain_operand *p = &plain->operands[n++];
		bool number = o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !o->imm.is_relative;
		bool same =
			p->reg == ZYDIS_REGISTER_NONE
				? number && o->imm.value.s == p->number
				: o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == p->reg;
		if (!same)
			return false;
	}
	return n == plain->n;
}

static enum tp_status asm_encode(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
				 size_t *bytes)
{
	struct plain plain;
	if (!read_plain(text, syntax, &plain))
		return TP_UNSUPPORTED;
	for (int masked = is_extended(&plain); masked >= 0; masked--)
		if (encode(&plain, masked, out, bytes) && is_same(&plain, out, *bytes))
			return TP_OK;
	return TP_UNSUPPORTED;
}

enum { READS = ZYDIS_OPERAND_ACTION_MASK_READ, WRITES = ZYDIS_OPERAND_ACTION_MASK_WRITE };

/* Instructions that make zeros or ones of any register with itself: they wait for nothing. */
static bool ignores_its_register(const ZydisDecodedInstruction *in,
				 const ZydisDecodedOperand *operands)
{
	static const char *const names[] = { "xor",	"sub",	   "pxor",    "xorps",	 "xorpd",
					     "pcmpeqb", "pcmpeqw", "pcmpeqd", "pcmpeqq", "psubb",
					     "psubw",	"psubd",   "psubq",   "pxord",	 "pxorq",
					     "kxorb",	"kxorw",   "kxord",   "kxorq" };
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	unsigned n = in->operand_count_visible;
	bool known = false;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		known |= strcmp(name, names[i]) == 0 ||
			 (name[0] == 'v' && strcmp(name + 1, names[i]) == 0);
	if (!known || n < 2)
		return false;
	const ZydisDecodedOperand *a = &operands[n - 2], *b = &operands[n - 1];
	return a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       a->reg.value == b->reg.value;
}

/* A part of a general register keeps the rest of it: 8 and 16 bits, but not 32. */
static bool keeps_the_rest(const ZydisDecodedOperand *o)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(o->reg.value);
	return class == ZYDIS_REGCLASS_GPR8 || class == ZYDIS_REGCLASS_GPR16;
}

static void add_address(const ZydisDecodedOperand *o, struct tp_asm_effect *out)
{
	int base = register_number(o->mem.base);
	int index = register_number(o->mem.index);
	bool memory = o->mem.type == ZYDIS_MEMOP_TYPE_MEM || o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	if (base >= 0)
		tp_registers_add(&out->reads, (unsigned)base);
	if (index >= 0)
		tp_registers_add(&out->reads, (unsigned)index);
	if (out->base < 0 && out->index < 0 && o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
		out->base = base;
		out->index = index;
		out->scale = o->mem.scale;
		out->displacement = o->mem.disp.value;
	}
	if (memory && base >= 0)
		tp_registers_add(&out->bases, (unsigned)base);
	if (memory && index >= 0 && !register_vector((unsigned)index))
		tp_registers_add(&out->indexes, (unsigned)index);
	if (memory && (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP) &&
	    !out->bar)
		out->bar = TP_ASM_OWN_ADDRESS;
	out->scatters |= o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	out->loads |= memory && o->actions & READS;
	out->stores |= memory && o->actions & WRITES;
}

static void add_operand(const ZydisDecodedOperand *o, bool ignores, struct tp_asm_effect *out)
{
	bool shown = o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	struct tp_asm_operand operand = { .read = o->actions & READS && !ignores,
					  .written = o->actions & WRITES };
	int reg = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_number(o->reg.value) : -1;
	if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
		add_address(o, out);
	if (reg >= 0) {
		operand.is_register = true;
		operand.reg = (unsigned)reg;
		operand.read |= operand.written && keeps_the_rest(o);
		if (operand.read)
			tp_registers_add(&out->reads, operand.reg);
		if (operand.written)
			tp_registers_add(&out->writes, operand.reg);
		if (!shown)
			tp_registers_add(&out->hidden, operand.reg);
	}
	if (shown && out->n_operands < TP_ASM_OPERANDS)
		out->operands[out->n_operands++] = operand;
}

/* Prefixes of names that end in ps, pd, ss or sd. */
static void look_for_op(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			struct tp_asm_effect *out)
{
	static const struct {
		const char *begin;
		enum tp_fp_op op;
	} names[] = {
		{ "fmadd", TP_FP_FMA },	 { "fmsub", TP_FP_FMA }, { "fnmadd", TP_FP_FMA },
		{ "fnmsub", TP_FP_FMA }, { "add", TP_FP_ADD },	 { "sub", TP_FP_ADD },
		{ "min", TP_FP_ADD },	 { "max", TP_FP_ADD },	 { "mul", TP_FP_MUL },
		{ "div", TP_FP_DIV },	 { "sqrt", TP_FP_DIV },
	};
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	size_t len = strlen(name);
	bool one = len > 4 && name[len - 2] == 's' && strchr("sd", name[len - 1]);
	name += name[0] == 'v';
	for (size_t i = 0; i < in->operand_count_visible && !one; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[i].size >= 128)
			out->vector_bytes = TP_MAX(out->vector_bytes, operands[i].size / 8u);
	if (!one && (len < 5 || !tp_has_word("ps pd", name + strlen(name) - 2)))
		return;
	out->element_bytes = name[strlen(name) - 1] == 's' ? 4 : 8;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strncmp(name, names[i].begin, strlen(names[i].begin)) == 0)
			out->op = names[i].op;
}

/* What the program may not do, or what would leave the loop. */
static enum tp_asm_bar bar_of(const ZydisDecodedInstruction *in,
			      const ZydisDecodedOperand *operands)
{
	if (in->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
		return TP_ASM_PRIVILEGED;
	switch (in->mnemonic) {
	case M(IRET):
	case M(IRETD):
	case M(IRETQ):
	case M(SYSRET):
	case M(SYSEXIT):
		return TP_ASM_RETURNS;
	/* Programs may use these only where the kernel gave them the ports. */
	case M(IN):
	case M(OUT):
	case M(INSB):
	case M(INSW):
	case M(INSD):
	case M(OUTSB):
	case M(OUTSW):
	case M(OUTSD):
	case M(CLI):
	case M(STI):
		return TP_ASM_PRIVILEGED;
	default:
		break;
	}
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_RET:
		return TP_ASM_RETURNS;
	case ZYDIS_CATEGORY_CALL:
		return TP_ASM_CALLS;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? TP_ASM_NO_BAR
									: TP_ASM_JUMPS_AWAY;
	default:
		return TP_ASM_NO_BAR;
	}
}

/* Bytes that the stack pointer moves up; false if unknown. */
static bool stack_move(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		       int64_t *bytes)
{
	bool writes = false, number = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	int64_t imm = number ? operands[1].imm.value.s : 0;
	*bytes = 0;
	for (unsigned i = 0; i < in->operand_count; i++)
		writes |= operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			  operands[i].actions & WRITES &&
			  register_number(operands[i].reg.value) == STACK;
	if (!writes)
		return true;
	switch (in->mnemonic) {
	case M(PUSH):
	case M(PUSHF):
	case M(PUSHFQ):
		*bytes = -in->operand_width / 8;
		return true;
	case M(POP):
	case M(POPF):
	case M(POPFQ):
		*bytes = in->operand_width / 8;
		return operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		       register_number(operands[0].reg.value) != STACK;
	case M(ADD):
		*bytes = imm;
		return number;
	case M(SUB):
		*bytes = -imm;
		return number;
	case M(LEA):
		*bytes = operands[1].mem.disp.value;
		return register_number(operands[1].mem.base) == STACK &&
		       operands[1].mem.index == ZYDIS_REGISTER_NONE;
	case M(AND): /* it is aligned already */
		return number && (imm == -16 || imm == -32 || imm == -64);
	default:
		return false;
	}
}

/* Bytes that the address of its memory operand must be a multiple of; 0 = any. */
static unsigned alignment_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
	bool whole = o->size == 128;
	switch (in->mnemonic) {
	case M(MOVUPS):
	case M(MOVUPD):
	case M(MOVDQU):
	case M(LDDQU):
	case M(PCMPESTRI):
	case M(PCMPESTRM):
	case M(PCMPISTRI):
	case M(PCMPISTRM):
		return 0;
	case M(CMPXCHG16B):
		return o->size / 8u;
	default:
		break;
	}
	switch (in->meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_SSE1:
	case ZYDIS_EXCEPTION_CLASS_AVX1:
	case ZYDIS_EXCEPTION_CLASS_E1:
	case ZYDIS_EXCEPTION_CLASS_E1NF:
		return o->size / 8u;
	case ZYDIS_EXCEPTION_CLASS_SSE2:
	case ZYDIS_EXCEPTION_CLASS_SSE4:
		return whole ? o->size / 8u : 0;
	default:
		return 0;
	}
}

static void look_at_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			   struct tp_asm_effect *out)
{
	for (unsigned i = 0; i < in->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			out->aligned = TP_MAX(out->aligned, alignment_of(in, &operands[i]));
	if (out->loads && (in->mnemonic == M(DIV) || in->mnemonic == M(IDIV)))
		out->divisor_bytes = operands[0].size / 8u;
	out->follows = out->loads && (in->mnemonic == M(MOV) || in->mnemonic == M(MOVSXD)) &&
		       operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].size >= 32;
	if (!out->bar)
		out->bar = bar_of(in, operands);
	if (!stack_move(in, operands, &out->stack_bytes) && !out->bar)
		out->bar = TP_ASM_MOVES_STACK;
}

static enum tp_status asm_look(const unsigned char *code, size_t bytes, struct tp_asm_effect *out)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	*out = (struct tp_asm_effect){ .base = -1, .index = -1 };
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operands)))
		return TP_UNSUPPORTED;
	out->bytes = in.length;
	look_for_op(&in, operands, out);
	bool ignores = ignores_its_register(&in, operands);
	for (unsigned i = 0; i < in.operand_count; i++)
		add_operand(&operands[i], ignores, out);
	if (in.cpu_flags) {
		const ZydisAccessedFlags *f = in.cpu_flags;
		if (f->tested)
			tp_registers_add(&out->reads, TP_X86_FLAGS);
		if (f->modified | f->set_0 | f->set_1 | f->undefined)
			tp_registers_add(&out->writes, TP_X86_FLAGS);
		tp_registers_add(&out->hidden, TP_X86_FLAGS);
	}
	out->jumps = in.meta.category == ZYDIS_CATEGORY_COND_BR ||
		     in.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		     in.meta.category == ZYDIS_CATEGORY_CALL ||
		     in.meta.category == ZYDIS_CATEGORY_RET;
	if (out->jumps && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		out->jump_bytes = operands[0].imm.value.s;
	look_at_memory(&in, operands, out);
	return TP_OK;
}

static void place(const void *context, struct tp_asm_place *out)
{
	/* By number. */
	static const int at[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				  REG_R12, REG_R13, REG_R14, REG_R15 };
	const ucontext_t *u = context;
	out->pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	for (size_t i = 0; i < TP_COUNT_OF(at); i++)
		out->general[i] = (uint64_t)u->uc_mcontext.gregs[at[i]];
}

const struct tp_assembly tp_x86_assembly = {
	.elf_machine = EM_X86_64,
	.directives = { ".att_syntax prefix", ".intel_syntax noprefix" },
	.syntax_words = "att intel",
	.reserved = "r14 and r15",
	.stack = STACK,
	.buffer = DATA,
	.middle = 6,
	.zero = 2, /* rdx, the upper half of what div divides */
	.mark = '%',
	.name = register_name,
	.alike = register_alike,
	.is_reserved = register_reserved,
	.is_vector = register_vector,
	.place = place,
	.look = asm_look,
	.encode = asm_encode,
	.back_end = &tp_x86_back_end,
	.enter = enter,
	.go_on = go_on,
	.leave = leave,
};

#endif
