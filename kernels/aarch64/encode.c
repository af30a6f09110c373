/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/encode.h"
#include "base/vec.h"

#include <string.h>

const struct tp_aarch64_instruction tp_aarch64_table[TP_AARCH64_OPS] = {
#define TP_AARCH64_ROW(id, mnemonic, bits, operands) { mnemonic, bits, operands },
	TP_AARCH64_LIST(TP_AARCH64_ROW)
#undef TP_AARCH64_ROW
};

/* Imm9 of the SVE loads and stores of whole registers: six bits from 16 on, three from 10 on. */
enum { SPLIT_HIGH_AT = 16, SPLIT_LOW_AT = 10, SPLIT_LOW_BITS = 3, SPLIT_BITS = 9 };
static const uint32_t split_mask = 0x3fu << SPLIT_HIGH_AT | 0x7u << SPLIT_LOW_AT;

static unsigned number(const char **text)
{
	unsigned n = 0;
	while (**text >= '0' && **text <= '9')
		n = n * 10 + (unsigned)(*(*text)++ - '0');
	return n;
}

const char *tp_aarch64_field(const char *text, struct tp_aarch64_field *field)
{
	*field = (struct tp_aarch64_field){ .kind = *text++, .width = 5, .scale = 1 };
	field->at = number(&text);
	switch (field->kind) {
	case 'p':
		field->width = 3;
		break;
	case 'k':
		field->width = 6;
		break;
	case 'm':
		field->width = SPLIT_BITS;
		break;
	case 'b':
		field->scale = TP_AARCH64_INSTRUCTION_BYTES;
		break;
	default:
		break;
	}
	if (*text == ':') {
		text++;
		field->width = number(&text);
	}
	if (*text == ':') {
		text++;
		field->scale = number(&text);
	}
	return text;
}

static bool is_signed(const struct tp_aarch64_field *field)
{
	return strchr("OmMb", field->kind) != NULL;
}

uint32_t tp_aarch64_field_mask(const struct tp_aarch64_field *field)
{
	if (field->kind == 'm')
		return split_mask;
	return (uint32_t)((UINT64_C(1) << field->width) - 1) << field->at;
}

int64_t tp_aarch64_field_value(const struct tp_aarch64_field *field, uint32_t word)
{
	int64_t value = (word & tp_aarch64_field_mask(field)) >> field->at;
	if (field->kind == 'm')
		value = (word >> SPLIT_HIGH_AT & 0x3f) << SPLIT_LOW_BITS |
			(word >> SPLIT_LOW_AT & 0x7);
	if (is_signed(field) && value >> (field->width - 1) & 1)
		value -= INT64_C(1) << field->width;
	return value * field->scale;
}

/* False if the value is out of range or not a whole number of units. */
static bool encode(const struct tp_aarch64_field *field, int64_t value, uint32_t *word)
{
	int64_t units = value / field->scale, span = INT64_C(1) << field->width;
	int64_t least = is_signed(field) ? -span / 2 : 0;
	if (units * field->scale != value || units < least || units >= least + span)
		return false;
	uint32_t bits = (uint32_t)(units & (span - 1));
	if (field->kind == 'm')
		*word |= bits >> SPLIT_LOW_BITS << SPLIT_HIGH_AT | (bits & 0x7) << SPLIT_LOW_AT;
	else
		*word |= bits << field->at;
	return true;
}

/* What is fixed in an instruction: all but its operands. */
static uint32_t fixed_mask(const struct tp_aarch64_instruction *row)
{
	uint32_t operands = 0;
	for (const char *text = row->operands; *text;) {
		struct tp_aarch64_field field;
		if (*text++ != '%')
			continue;
		text = tp_aarch64_field(text, &field);
		operands |= tp_aarch64_field_mask(&field);
	}
	return ~operands;
}

const struct tp_aarch64_instruction *tp_aarch64_find(uint32_t word)
{
	for (size_t i = 0; i < TP_AARCH64_OPS; i++)
		if ((word & fixed_mask(&tp_aarch64_table[i])) == tp_aarch64_table[i].bits)
			return &tp_aarch64_table[i];
	return NULL;
}

void tp_aarch64_asm_init(struct tp_aarch64_asm *as, void *memory, size_t bytes)
{
	*as = (struct tp_aarch64_asm){ .start = memory, .at = memory };
	as->end = as->start + bytes / TP_AARCH64_INSTRUCTION_BYTES;
}

size_t tp_aarch64_here(const struct tp_aarch64_asm *as)
{
	return (size_t)(as->at - as->start) * TP_AARCH64_INSTRUCTION_BYTES;
}

void tp_aarch64_align(struct tp_aarch64_asm *as, size_t bytes)
{
	while (tp_aarch64_here(as) % bytes && !as->failed)
		tp_aarch64_put(as, TP_AARCH64_NOP, 0, 0, 0, 0);
}

void tp_aarch64_put(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a, int64_t b,
		    int64_t c, int64_t d)
{
	const int64_t values[] = { a, b, c, d };
	uint32_t word = tp_aarch64_table[op].bits;
	size_t n = 0;
	for (const char *text = tp_aarch64_table[op].operands; *text;) {
		struct tp_aarch64_field field;
		if (*text++ != '%')
			continue;
		text = tp_aarch64_field(text, &field);
		if (field.kind != 'Z' && !encode(&field, values[n++], &word))
			as->failed = true;
	}
	while (n < TP_COUNT_OF(values))
		if (values[n++])
			as->failed = true;
	if (as->at >= as->end)
		as->failed = true;
	if (!as->failed)
		*as->at++ = word;
}

bool tp_aarch64_fits(enum tp_aarch64_op op, unsigned index, int64_t value)
{
	unsigned n = 0;
	for (const char *text = tp_aarch64_table[op].operands; *text;) {
		struct tp_aarch64_field field;
		uint32_t word = 0;
		if (*text++ != '%')
			continue;
		text = tp_aarch64_field(text, &field);
		if (field.kind != 'Z' && n++ == index)
			return encode(&field, value, &word);
	}
	return false;
}

unsigned tp_aarch64_constant(struct tp_aarch64_asm *as, unsigned reg, uint64_t value)
{
	static const enum tp_aarch64_op keep[] = { TP_AARCH64_MOVZ, TP_AARCH64_MOVK_16,
						   TP_AARCH64_MOVK_32, TP_AARCH64_MOVK_48 };
	unsigned n = 0;
	for (size_t i = 0; i < TP_COUNT_OF(keep); i++) {
		uint64_t part = value >> 16 * i & 0xffff;
		if (i && !part)
			continue;
		tp_aarch64_put(as, keep[i], reg, (int64_t)part, 0, 0);
		n++;
	}
	return n;
}

unsigned tp_aarch64_advance(struct tp_aarch64_asm *as, unsigned dst, unsigned src, int64_t bytes,
			    unsigned spare)
{
	enum { LOW_BITS = 12 };
	bool down = bytes < 0;
	uint64_t distance = down ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	int64_t low = (int64_t)(distance & ((1u << LOW_BITS) - 1));
	unsigned n = 0;
	if (distance >> 2 * LOW_BITS) {
		n = tp_aarch64_constant(as, spare, (uint64_t)bytes);
		tp_aarch64_put(as, TP_AARCH64_ADD, dst, src, spare, 0);
		return n + 1;
	}
	if (!distance) {
		if (dst != src) {
			tp_aarch64_put(as, TP_AARCH64_MOV, dst, src, 0, 0);
			n++;
		}
		return n;
	}
	if (distance >> LOW_BITS) {
		tp_aarch64_put(as, down ? TP_AARCH64_SUB_IMM_HIGH : TP_AARCH64_ADD_IMM_HIGH, dst,
			       src, (int64_t)(distance >> LOW_BITS), 0);
		src = dst;
		n++;
	}
	if (low) {
		tp_aarch64_put(as, down ? TP_AARCH64_SUB_IMM : TP_AARCH64_ADD_IMM, dst, src, low,
			       0);
		n++;
	}
	return n;
}

/* Operands of a branch: its distance comes last, behind as many others as it has. */
static void branch(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a, int64_t b,
		   int64_t distance)
{
	if (op == TP_AARCH64_TBNZ)
		tp_aarch64_put(as, op, a, b, distance, 0);
	else if (op == TP_AARCH64_CBZ || op == TP_AARCH64_CBNZ)
		tp_aarch64_put(as, op, a, distance, 0, 0);
	else
		tp_aarch64_put(as, op, distance, 0, 0, 0);
}

void tp_aarch64_branch_back(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a, int64_t b,
			    size_t target)
{
	branch(as, op, a, b, (int64_t)target - (int64_t)tp_aarch64_here(as));
}

size_t tp_aarch64_branch_forward(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a,
				 int64_t b)
{
	size_t at = tp_aarch64_here(as);
	branch(as, op, a, b, 0);
	return at;
}

void tp_aarch64_land(struct tp_aarch64_asm *as, size_t at)
{
	if (as->failed)
		return;
	uint32_t *word = as->start + at / TP_AARCH64_INSTRUCTION_BYTES;
	const struct tp_aarch64_instruction *row = tp_aarch64_find(*word);
	for (const char *text = row->operands; *text;) {
		struct tp_aarch64_field field;
		if (*text++ != '%')
			continue;
		text = tp_aarch64_field(text, &field);
		if (field.kind == 'b' && !encode(&field, (int64_t)(tp_aarch64_here(as) - at), word))
			as->failed = true;
	}
}
