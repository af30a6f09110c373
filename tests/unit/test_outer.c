/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outer products: what the code is made of on any host, and on a CPU or an emulator with SME the
 * numbers of every tile, in each vector length. The rest of narrow kernels is in test_narrow.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "tests/unit/emitted.h"

enum { UNROLL = 24, PASSES = 3, VECTOR_MAX = 256, GUARD = 64 };

static struct tp_kernel kernel_of(const struct tp_isa *isa, const struct tp_narrow *row)
{
	const struct tp_precision *precision = tp_precision_find(row->precision);
	return (struct tp_kernel){ .kind = TP_KERNEL_FP,
				   .isa = isa,
				   .element_bytes = precision->element_bytes,
				   .format = precision->format,
				   .fp_op = row->op,
				   .body.unroll = UNROLL };
}

static unsigned sum_bytes(const struct tp_kernel *k)
{
	return k->element_bytes == 8 ? 8 : 4;
}

/* --- code --- */

static size_t lines_with(const char *text, const char *word)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static size_t place_of(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	if (!at)
		fail_msg("there is no %s in:\n%s", word, text);
	return (size_t)(at - text);
}

static void hold_code(const struct tp_isa *isa, const struct tp_narrow *row)
{
	struct tp_kernel k = kernel_of(isa, row);
	struct tp_cpu cpu = { .arch = "aarch64" };
	struct tp_code code;
	struct tp_diag diag;
	struct tp_str text = { 0 };
	char tile[32];
	snprintf(cpu.features, sizeof(cpu.features), "fp asimd sme %s", row->needs);
	if (tp_kernel_emit(&k, &cpu, &code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(tp_aarch64_disassemble(code.map, code.bytes, &text), TP_OK);
	const char *s = tp_str_text(&text);
	/* The caller's registers are saved before streaming mode and restored behind it. */
	assert_true(place_of(s, "stp d14, ") < place_of(s, "smstart"));
	assert_true(place_of(s, "smstart") < place_of(s, "ldr z30, "));
	assert_true(place_of(s, "ldr z31, ") < place_of(s, "mopa za0."));
	assert_true(place_of(s, "mopa za0.") < place_of(s, "str za["));
	assert_true(place_of(s, "str za[") < place_of(s, "smstop"));
	assert_true(place_of(s, "smstop") < place_of(s, "ldp d8, "));
	assert_int_equal(lines_with(s, "smstart") + lines_with(s, "smstop"), 2);
	/* Each tile takes its turn: one product waits for the one before in the same tile. */
	for (unsigned t = 0; t < sum_bytes(&k); t++) {
		snprintf(tile, sizeof(tile), "mopa za%u.", t);
		assert_int_equal(lines_with(s, tile), UNROLL / sum_bytes(&k));
	}
	assert_int_equal(lines_with(s, "mopa za"), UNROLL);
	tp_str_release(&text);
	tp_code_release(&code);
}

static void each_outer_product_is_in_streaming_mode_in_all_tiles(void **state)
{
	const struct tp_narrow *row;
	unsigned done = 0;
	(void)state;
	for (size_t t = 0; t < emitted_target_count; t++)
		for (size_t i = 0; (row = tp_narrow_row("aarch64", i)); i++)
			if (tp_narrow_is_outer(row) &&
			    strcmp(emitted_targets[t].isa.name, row->isa) == 0) {
				hold_code(&emitted_targets[t].isa, row);
				done++;
			}
	assert_int_equal(done, 3 * 5); /* vector lengths, precisions */
}

static void the_matrix_has_its_place(void **state)
{
	static const struct tp_isa lengths[] = {
		{ .name = "sme", .arch = "aarch64", .vector_bytes = 16 },
		{ .name = "sme", .arch = "aarch64", .vector_bytes = 64 },
		{ .name = "sme", .arch = "aarch64", .vector_bytes = VECTOR_MAX },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(lengths); i++) {
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = &lengths[i],
				       .element_bytes = 4,
				       .fp_op = TP_FP_TILE };
		size_t vector = lengths[i].vector_bytes, bytes = tp_kernel_data_bytes(&k);
		assert_int_equal(bytes % 64, 0);
		assert_true(bytes >= 2 * vector + vector * vector);
		assert_true(bytes >= TP_KERNEL_DATA_BYTES);
		k.fp_op = TP_FP_FMA;
		assert_int_equal(tp_kernel_data_bytes(&k), TP_KERNEL_DATA_BYTES);
	}
}

/* --- numbers --- */

/* Small integers are exact in every precision. */
static void write_number(void *to, const struct tp_precision *p, int value)
{
	const float f = (float)value;
	const double d = value;
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	uint16_t upper = (uint16_t)(bits >> 16), half = 0;
	if (value) /* an exponent of another bias, and the upper ten bits of the mantissa */
		half = (uint16_t)((upper & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 |
				  (bits >> 13 & 0x3ff));
	if (p->format == TP_FORMAT_INTEGER)
		*(int8_t *)to = (int8_t)value;
	else if (p->format == TP_FORMAT_BFLOAT)
		memcpy(to, &upper, 2);
	else
		memcpy(to,
		       p->element_bytes == 8   ? (const void *)&d
		       : p->element_bytes == 4 ? (const void *)&f
					       : &half,
		       p->element_bytes);
}

static double read_sum(const void *at, const struct tp_precision *p)
{
	int32_t integer;
	float f;
	double d;
	memcpy(&integer, at, sizeof(integer));
	memcpy(&f, at, sizeof(f));
	if (p->format == TP_FORMAT_INTEGER)
		return integer;
	if (p->element_bytes < 8)
		return (double)f;
	memcpy(&d, at, sizeof(d));
	return d;
}

static int a_of(unsigned i)
{
	return 1 + (int)(i * 7 % 5);
}

static int b_of(unsigned i)
{
	return (int)(i * 5 % 7) - 2;
}

/*
 * QEMU 7.2 takes the integers of SMOPA in pairs: odd rows stay zero, and in the others only the
 * even columns are right.
 */
static bool has_only_pairs(const unsigned char *matrix, const struct tp_precision *p,
			   unsigned vector)
{
	static const unsigned char zero[VECTOR_MAX];
	enum { TILES = 4 };
	return getenv("TPROF_EMULATOR") && p->format == TP_FORMAT_INTEGER &&
	       memcmp(matrix + (size_t)TILES * vector, zero, vector) == 0;
}

static void hold_numbers(const struct tp_isa *isa, const struct tp_narrow *row,
			 const struct tp_cpu *cpu)
{
	static _Alignas(64) unsigned char data[(2 + VECTOR_MAX) * VECTOR_MAX + GUARD];
	const struct tp_precision *p = tp_precision_find(row->precision);
	struct tp_kernel k = kernel_of(isa, row);
	const unsigned vector = tp_kernel_operand_bytes(&k), tiles = sum_bytes(&k);
	const unsigned sums = vector / tiles, group = tiles / p->element_bytes;
	struct tp_code code;
	struct tp_diag diag;
	double dots[VECTOR_MAX / 4][VECTOR_MAX / 4];
	assert_in_range(vector, 16, VECTOR_MAX);
	memset(data, 0xee, sizeof(data));
	for (unsigned i = 0; i < vector / p->element_bytes; i++) {
		write_number(data + i * p->element_bytes, p, a_of(i));
		write_number(data + vector + i * p->element_bytes, p, b_of(i));
	}
	for (unsigned r = 0; r < sums; r++)
		for (unsigned c = 0; c < sums; c++) {
			dots[r][c] = 0;
			for (unsigned g = 0; g < group; g++)
				dots[r][c] += a_of(r * group + g) * b_of(c * group + g);
		}
	if (tp_kernel_emit(&k, cpu, &code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_code_function (&code)(data, PASSES);
	tp_code_release(&code);
	const bool pairs = has_only_pairs(data + 2 * (size_t)vector, p, vector);
	for (unsigned at = 0; at < vector; at++) /* a row of a tile */
		for (unsigned c = 0; c < sums; c++) {
			double found = read_sum(data + (2 + at) * vector + c * tiles, p);
			double wanted = dots[at / tiles][c] * UNROLL * PASSES / tiles;
			if (found != wanted && !(pairs && (at / tiles % 2 || c % 2)))
				fail_msg("%s of %u bits: tile %u, row %u, column %u is %g, not %g",
					 row->precision, vector * 8, at % tiles, at / tiles, c,
					 found, wanted);
		}
	for (size_t i = (2 + (size_t)vector) * vector; i < sizeof(data); i++)
		assert_int_equal(data[i], 0xee);
	print_message("outer products in %s: %u tiles of %u x %u%s\n", row->precision, tiles, sums,
		      sums, pairs ? ", by an emulator that knows a quarter of each" : "");
}

static void tiles_hold_the_numbers_of_c(void **state)
{
	const struct tp_narrow *row;
	struct tp_cpu cpu;
	unsigned done = 0;
	(void)state;
	tp_arch_identify(&cpu);
	for (size_t i = 0; (row = tp_narrow_row(cpu.arch, i)); i++) {
		const struct tp_isa *isa = tp_isa_find(row->isa);
		if (!tp_narrow_is_outer(row) || !isa ||
		    tp_isa_supported(isa, &cpu, NULL) != TP_OK ||
		    tp_narrow_supported(row, &cpu, NULL) != TP_OK)
			continue;
		hold_numbers(isa, row, &cpu);
		done++;
	}
	if (!done)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_outer_product_is_in_streaming_mode_in_all_tiles),
		cmocka_unit_test(the_matrix_has_its_place),
		cmocka_unit_test(tiles_hold_the_numbers_of_c),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
