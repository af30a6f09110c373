/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and numbers of registers; the names are those of Zydis. */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/registers.h"
#include "base/str.h"
#include "base/memory.h"

#include <string.h>

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
static const ZydisRegister bytes[] = {
	ZYDIS_REGISTER_AL,   ZYDIS_REGISTER_CL,	  ZYDIS_REGISTER_DL,   ZYDIS_REGISTER_BL,
	ZYDIS_REGISTER_SPL,  ZYDIS_REGISTER_BPL,  ZYDIS_REGISTER_SIL,  ZYDIS_REGISTER_DIL,
	ZYDIS_REGISTER_R8B,  ZYDIS_REGISTER_R9B,  ZYDIS_REGISTER_R10B, ZYDIS_REGISTER_R11B,
	ZYDIS_REGISTER_R12B, ZYDIS_REGISTER_R13B, ZYDIS_REGISTER_R14B, ZYDIS_REGISTER_R15B,
};

enum { STACK = 4, FIRST_RESERVED = 14, LAST_RESERVED = 15, SHORT_VECTORS = 16 };

ZydisRegister tp_x86_register(const struct tp_register_name *name)
{
	if (name->form == 0 && name->reg < TP_COUNT_OF(bytes))
		return bytes[name->reg];
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++)
		if (kinds[i].form == name->form && name->reg >= kinds[i].first &&
		    name->reg - kinds[i].first < kinds[i].n)
			return kinds[i].zydis + (ZydisRegister)(name->reg - kinds[i].first);
	return ZYDIS_REGISTER_NONE;
}

int tp_x86_register_number(ZydisRegister reg)
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

bool tp_x86_register_name(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES])
{
	ZydisRegister reg = tp_x86_register(name);
	const char *text = reg == ZYDIS_REGISTER_NONE ? NULL : ZydisRegisterGetString(reg);
	return text && tp_copy(out, TP_ASM_NAME_BYTES, text);
}

bool tp_x86_register_find(const char *name, size_t len, struct tp_register_name *out)
{
	for (unsigned reg = 0; reg < TP_ASM_REGISTERS; reg++)
		for (unsigned form = 0; form < 4; form++) {
			char text[TP_ASM_NAME_BYTES];
			*out = (struct tp_register_name){ reg, form };
			if (tp_x86_register_name(out, text) && strlen(text) == len &&
			    memcmp(text, name, len) == 0)
				return true;
		}
	return false;
}

bool tp_x86_register_reserved(unsigned reg)
{
	return reg >= FIRST_RESERVED && reg <= LAST_RESERVED;
}

bool tp_x86_register_vector(unsigned reg)
{
	return reg >= TP_X86_VECTORS && reg < TP_X86_MASKS;
}

/*
 * Vectors of less than 512 bits stay among the first 16, which the short encodings have. The mask
 * k0 stands for none.
 */
void tp_x86_register_alike(const struct tp_register_name *name, struct tp_register_set *out)
{
	*out = (struct tp_register_set){ 0 };
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++) {
		if (name->reg < kinds[i].first || name->reg - kinds[i].first >= kinds[i].n)
			continue;
		bool vectors = kinds[i].first == TP_X86_VECTORS;
		unsigned n = vectors && name->form < 2 ? (unsigned)SHORT_VECTORS : kinds[i].n;
		for (unsigned r = kinds[i].first; r < kinds[i].first + n; r++)
			if (!tp_x86_register_reserved(r) && r != STACK && r != TP_X86_MASKS)
				tp_registers_add(out, r);
		return;
	}
	if (name->reg < TP_ASM_REGISTERS)
		tp_registers_add(out, name->reg);
}

#endif
