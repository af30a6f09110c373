/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/emit/assembler.h"

#include <inttypes.h>

static uint32_t ones(unsigned n)
{
	return (uint32_t)((UINT64_C(1) << n) - 1);
}

unsigned tp_word_width(const struct tp_word_field *field)
{
	unsigned width = 0;
	for (unsigned i = 0; i < TP_WORD_PARTS; i++)
		width += field->part[i].width;
	return width;
}

static uint32_t mask_of(const struct tp_word_field *field)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < TP_WORD_PARTS; i++)
		mask |= ones(field->part[i].width) << field->part[i].at;
	return mask;
}

static int64_t value_of(const struct tp_word_field *field, uint32_t word)
{
	int64_t value = 0;
	unsigned bit = 0;
	for (unsigned i = 0; i < TP_WORD_PARTS; bit += field->part[i++].width)
		value |= (int64_t)(word >> field->part[i].at & ones(field->part[i].width)) << bit;
	if (field->is_signed && value >> (bit - 1) & 1)
		value -= INT64_C(1) << bit;
	return value * (INT64_C(1) << field->scale_log2);
}

/* False if the value is out of range or not a whole number of units. */
static bool encode(const struct tp_word_field *field, int64_t value, uint32_t *word)
{
	int64_t unit = INT64_C(1) << field->scale_log2, units = value >> field->scale_log2;
	unsigned width = field->part[0].width;
	*word |= ((uint32_t)units & ones(width)) << field->part[0].at;
	for (unsigned i = 1; i < TP_WORD_PARTS && field->part[i].width; i++) {
		*word |= ((uint32_t)(units >> width) & ones(field->part[i].width))
			 << field->part[i].at;
		width += field->part[i].width;
	}
	int64_t least = field->is_signed ? -(INT64_C(1) << (width - 1)) : 0;
	return units * unit == value && !((uint64_t)(units - least) >> width);
}

/* --- printing --- */

static const struct tp_word_row *find(const struct tp_word_table *table, uint32_t word)
{
	for (const struct tp_word_row *row = table->rows; row < table->rows + table->n; row++) {
		uint32_t operands = 0;
		for (unsigned i = 0; i < TP_WORD_OPERANDS; i++)
			operands |= mask_of(&row->field[i]);
		if ((word & ~operands) == row->bits)
			return row;
	}
	return NULL;
}

enum tp_status tp_word_disassemble(const struct tp_word_table *table, const void *code,
				   size_t bytes, struct tp_str *out)
{
	unsigned mode = 0;
	for (size_t at = 0; at + TP_WORD_BYTES <= bytes; at += TP_WORD_BYTES) {
		uint32_t word;
		memcpy(&word, (const char *)code + at, sizeof(word));
		const struct tp_word_row *row = find(table, word);
		if (!row)
			return TP_INTERNAL;
		tp_str_printf(out, "%6zx:  ", at);
		table->print_name(out, row, word, &mode);
		tp_str_add(out, row->text[0] ? " " : "");
		const struct tp_word_field *next = row->field;
		for (const char *text = row->text; *text; text++) {
			if (*text != '%' && *text != '&') {
				tp_str_add_n(out, text, 1);
				continue;
			}
			const struct tp_word_field *field = *text == '%' ? next++ : row->field;
			int64_t value = value_of(field, word);
			if (field->kind == 'b')
				tp_str_printf(out, "0x%" PRIx64, (uint64_t)((int64_t)at + value));
			else
				table->print_operand(out, field->kind, value, mode);
		}
		tp_str_add(out, "\n");
	}
	return TP_OK;
}

/* --- encoding --- */

/* A missing operand has no bits, and only 0 fits into them. */
static inline bool operand(const struct tp_word_field *field, int64_t value, uint32_t *word)
{
	if (field->special)
		return encode(field, value, word);
	*word |= (uint32_t)value << field->part[0].at;
	return !((uint64_t)value >> field->part[0].width);
}

void tp_word_put(struct tp_assembler *as, const struct tp_word_table *table, unsigned op, int64_t a,
		 int64_t b, int64_t c, int64_t d)
{
	const struct tp_word_row *row = &table->rows[op];
	uint32_t word = row->bits;
	bool fits = operand(&row->field[0], a, &word);
	fits &= operand(&row->field[1], b, &word);
	fits &= operand(&row->field[2], c, &word);
	fits &= operand(&row->field[3], d, &word);
	as->failed |= !fits;
	tp_asm_word(as, word);
}

bool tp_word_fits(const struct tp_word_table *table, unsigned op, unsigned index, int64_t value)
{
	uint32_t word = 0;
	return encode(&table->rows[op].field[index], value, &word);
}

void tp_word_fill(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		  size_t bytes)
{
	for (; bytes && !as->failed; bytes -= TP_WORD_BYTES)
		tp_word_put(as, table, op, 0, 0, 0, 0);
}

/* The distance of a branch is its last operand. */
static unsigned distance_operand(const struct tp_word_row *row)
{
	unsigned i = 0;
	while (row->field[i].kind != 'b')
		i++;
	return i;
}

static int64_t distance_to(const struct tp_assembler *as, size_t target)
{
	return (int64_t)target - (int64_t)tp_asm_here(as);
}

static void branch(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		   int64_t a, int64_t b, int64_t distance)
{
	int64_t operands[TP_WORD_OPERANDS] = { a, b };
	operands[distance_operand(&table->rows[op])] = distance;
	tp_word_put(as, table, op, operands[0], operands[1], operands[2], operands[3]);
}

void tp_word_back(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		  int64_t a, int64_t b, size_t target)
{
	branch(as, table, op, a, b, distance_to(as, target));
}

bool tp_word_reaches(const struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		     size_t target)
{
	return tp_word_fits(table, op, distance_operand(&table->rows[op]), distance_to(as, target));
}

size_t tp_word_forward(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		       int64_t a, int64_t b)
{
	size_t at = tp_asm_here(as);
	branch(as, table, op, a, b, 0);
	return at;
}

void tp_word_land(struct tp_assembler *as, const struct tp_word_table *table, size_t at)
{
	uint32_t word;
	if (as->failed)
		return;
	memcpy(&word, as->start + at, sizeof(word));
	const struct tp_word_row *row = find(table, word);
	as->failed |= !encode(&row->field[distance_operand(row)], -distance_to(as, at), &word);
	memcpy(as->start + at, &word, sizeof(word));
}
