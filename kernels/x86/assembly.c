/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What users' instructions read and write, as Zydis decodes them. */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/registers.h"
#include "kernels/x86/x86.h"
#include "base/vec.h"

#include <elf.h>
#include <string.h>

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
	int base = tp_x86_register_number(o->mem.base);
	int index = tp_x86_register_number(o->mem.index);
	if (base >= 0)
		tp_registers_add(&out->reads, (unsigned)base);
	if (index >= 0)
		tp_registers_add(&out->reads, (unsigned)index);
	if (out->base < 0 && o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
		out->base = base;
	out->memory |= o->mem.type == ZYDIS_MEMOP_TYPE_MEM || o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

static void add_operand(const ZydisDecodedOperand *o, bool ignores, struct tp_asm_effect *out)
{
	bool shown = o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	struct tp_asm_operand operand = { .read = o->actions & READS && !ignores,
					  .written = o->actions & WRITES };
	int reg =
		o->type == ZYDIS_OPERAND_TYPE_REGISTER ? tp_x86_register_number(o->reg.value) : -1;
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

static void look_for_fma(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			 struct tp_asm_effect *out)
{
	static const char *const begins[] = { "vfmadd", "vfmsub", "vfnmadd", "vfnmsub" };
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	size_t len = strlen(name);
	for (size_t i = 0; i < TP_COUNT_OF(begins) && len > 8; i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0 &&
		    (name[len - 1] == 's' || name[len - 1] == 'd') &&
		    (name[len - 2] == 'p' || name[len - 2] == 's')) {
			out->fma_element_bytes = name[len - 1] == 's' ? 4 : 8;
			out->fma_vector_bytes = name[len - 2] == 's' ? 0 : operands[0].size / 8u;
		}
}

static enum tp_status x86_asm_look(const unsigned char *code, size_t bytes,
				   struct tp_asm_effect *out)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	*out = (struct tp_asm_effect){ .base = -1 };
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operands)))
		return TP_UNSUPPORTED;
	out->bytes = in.length;
	look_for_fma(&in, operands, out);
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
	return TP_OK;
}

static const char *const directives[TP_ASM_SYNTAXES] = { ".att_syntax prefix",
							 ".intel_syntax noprefix" };

const struct tp_assembly tp_x86_assembly = {
	.elf_machine = EM_X86_64,
	.directives = directives,
	.syntax_words = "att intel",
	.reserved = "r14 and r15",
	.pointers = "rdi (the beginning of the buffer) and rsi (its middle)",
	.mark = '%',
	.find = tp_x86_register_find,
	.name = tp_x86_register_name,
	.alike = tp_x86_register_alike,
	.is_reserved = tp_x86_register_reserved,
	.is_vector = tp_x86_register_vector,
	.look = x86_asm_look,
	.encode = tp_x86_asm_encode,
	.emit = tp_x86_asm_emit,
};

#endif
