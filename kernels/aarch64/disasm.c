/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembly text by the table that the code was encoded with. */
#include "kernels/aarch64/aarch64.h"
#include "kernels/aarch64/encode.h"

#include <inttypes.h>
#include <string.h>

static void integer_register(struct tp_str *out, char kind, int64_t n)
{
	static const char *const last[] = { "xzr", "wzr", "sp" };
	const char *name = kind == 'x' ? last[0] : kind == 'w' ? last[1] : last[2];
	if (n == TP_AARCH64_SP)
		tp_str_add(out, name);
	else
		tp_str_printf(out, "%c%" PRId64, kind == 'w' ? 'w' : 'x', n);
}

static void operand(struct tp_str *out, const struct tp_aarch64_field *field, uint32_t word,
		    size_t at)
{
	int64_t value = tp_aarch64_field_value(field, word);
	switch (field->kind) {
	case 'x':
	case 'w':
	case 'n':
		integer_register(out, field->kind, value);
		break;
	case 'u':
		tp_str_printf(out, "0x%" PRIx64, (uint64_t)value);
		break;
	case 't':
		tp_str_printf(out, "%" PRId64, value);
		break;
	case 'o':
	case 'O':
		if (value)
			tp_str_printf(out, ", #%" PRId64, value);
		break;
	case 'm':
	case 'M':
		if (value)
			tp_str_printf(out, ", #%" PRId64 ", mul vl", value);
		break;
	case 'k':
		tp_str_printf(out, "0x%" PRIx64, UINT64_MAX >> (63 - value));
		break;
	case 'b':
		tp_str_printf(out, "0x%" PRIx64, (uint64_t)((int64_t)at + value));
		break;
	default:
		tp_str_printf(out, "%c%" PRId64, field->kind == 'Z' ? 'z' : field->kind, value);
	}
}

enum tp_status tp_aarch64_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	for (size_t at = 0; at + TP_AARCH64_INSTRUCTION_BYTES <= bytes;
	     at += TP_AARCH64_INSTRUCTION_BYTES) {
		uint32_t word;
		memcpy(&word, (const char *)code + at, sizeof(word));
		const struct tp_aarch64_instruction *row = tp_aarch64_find(word);
		if (!row)
			return TP_INTERNAL;
		tp_str_printf(out, "%6zx:  %08" PRIx32 "  %s%s", at, word, row->mnemonic,
			      row->operands[0] ? " " : "");
		for (const char *text = row->operands; *text;) {
			struct tp_aarch64_field field;
			if (*text != '%') {
				tp_str_printf(out, "%c", *text++);
				continue;
			}
			text = tp_aarch64_field(text + 1, &field);
			operand(out, &field, word, at);
		}
		tp_str_add(out, "\n");
	}
	return out->oom ? TP_NOMEM : TP_OK;
}
