/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plain instructions without an assembler: a mnemonic, registers, and small numbers. The encoder of
 * Zydis makes the bytes. They count only if Zydis reads the same instruction back; whatever is in
 * doubt is left to an assembler.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/registers.h"
#include "base/str.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* AT&T: the last letter of a mnemonic may tell the width of general registers. */
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
	if (!tp_x86_register_find(text, strlen(text), &name))
		return false;
	out->reg = tp_x86_register(&name);
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
		text++; /* the blank behind the mnemonic, or a comma */
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
		    (tp_x86_register_number(reg) >= TP_X86_VECTORS + 16 &&
		     tp_x86_register_number(reg) < TP_X86_MASKS))
			return true;
	}
	return false;
}

/* `masked`: with the operand k0 behind the destination, which stands for no mask. */
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

/* The bytes are what the text says. */
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

enum tp_status tp_x86_asm_encode(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
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

#endif
