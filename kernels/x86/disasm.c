/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/tiles.h"
#include "kernels/x86/x86.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* Decodes an instruction, TDPFP16PS as TDPBF16PS if Zydis does not know it; *other tells. */
static bool decode(const ZydisDecoder *decoder, const void *code, size_t bytes,
		   ZydisDecodedInstruction *instruction, ZydisDecodedOperand *operands, bool *other)
{
	uint8_t product[TP_X86_TDP_BYTES];
	*other = false;
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, bytes, instruction, operands)))
		return true;
	*other = tp_x86_tiles_other_product(code, bytes, product);
	return *other && ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, product, sizeof(product),
							     instruction, operands));
}

enum tp_status tp_x86_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)))
		return TP_INTERNAL;
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
	for (size_t at = 0; at < bytes;) {
		ZydisDecodedInstruction instruction;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		char text[128];
		bool other;
		if (!decode(&decoder, (const char *)code + at, bytes - at, &instruction, operands,
			    &other))
			return TP_INTERNAL;
		/*
		 * Addresses are relative to the kernel's start, so that the text does not change
		 * from run to run.
		 */
		if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
			    &formatter, &instruction, operands, instruction.operand_count_visible,
			    text, sizeof(text), at, NULL)))
			return TP_INTERNAL;
		if (other)
			memcpy(text, "tdpfp16ps", strlen("tdpfp16ps"));
		tp_str_printf(out, "%6zx:  %s\n", at, text);
		at += instruction.length;
	}
	return out->oom ? TP_NOMEM : TP_OK;
}

#endif
