/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels on narrow numbers: their code as other assemblers and disassemblers see it, their counts,
 * what is refused, and the numbers that they give on a CPU or an emulator that has them.
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

enum { UNROLL = 240, TILE_BYTES = 1024, CONFIG_BYTES = 64 };

static const char *const architectures[] = { "x86_64", "aarch64" };

static struct tp_kernel kernel_of(const struct tp_isa *isa, const struct tp_narrow *row)
{
	const struct tp_precision *precision = tp_precision_find(row->precision);
	return (struct tp_kernel){ .kind = TP_KERNEL_FP,
				   .isa = isa,
				   .element_bytes = precision->element_bytes,
				   .format = precision->format,
				   .fp_op = row->op };
}

/* A CPU with what the row needs and its ISA, less one word. */
static struct tp_cpu cpu_with(const struct tp_isa *isa, const struct tp_narrow *row,
			      const char *without)
{
	struct tp_cpu cpu = { .family = -1 };
	char words[256];
	tp_copy(cpu.arch, sizeof(cpu.arch), isa->arch);
	snprintf(words, sizeof(words), "%s %s", isa->needs, row->needs);
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));) {
		size_t n = strlen(cpu.features);
		if (*word && !tp_has_word(without, word))
			snprintf(cpu.features + n, sizeof(cpu.features) - n, "%s ", word);
	}
	return cpu;
}

/* --- counts --- */

/* Operations of one instruction: 2 x rows x columns x depth, by the manuals of Intel and Arm. */
static const struct {
	const char *arch, *isa, *precision;
	enum tp_fp_op op;
	unsigned vector_bytes, flops;
} counted[] = {
	{ "x86_64", "avx2", "int8", TP_FP_DOT, 32, 2 * 8 * 4 },
	{ "x86_64", "avx512", "half", TP_FP_FMA, 64, 2 * 32 },
	{ "x86_64", "avx512", "half", TP_FP_TILE, 64, 2 * 16 * 16 * 32 },
	{ "x86_64", "avx512", "bf16", TP_FP_DOT, 64, 2 * 16 * 2 },
	{ "x86_64", "avx512", "bf16", TP_FP_TILE, 64, 2 * 16 * 16 * 32 },
	{ "x86_64", "avx512", "int8", TP_FP_DOT, 64, 2 * 16 * 4 },
	{ "x86_64", "avx512", "int8", TP_FP_TILE, 64, 2 * 16 * 16 * 64 },
	{ "aarch64", "neon", "half", TP_FP_FMA, 16, 2 * 8 },
	{ "aarch64", "neon", "bf16", TP_FP_DOT, 16, 2 * 4 * 2 },
	{ "aarch64", "neon", "bf16", TP_FP_TILE, 16, 2 * 2 * 2 * 4 },
	{ "aarch64", "neon", "int8", TP_FP_DOT, 16, 2 * 4 * 4 },
	{ "aarch64", "neon", "int8", TP_FP_TILE, 16, 2 * 2 * 2 * 8 },
	{ "aarch64", "sve", "half", TP_FP_FMA, 32, 2 * 16 },
	{ "aarch64", "sve", "bf16", TP_FP_DOT, 32, 2 * 8 * 2 },
	{ "aarch64", "sve", "bf16", TP_FP_TILE, 32, 2 * 2 * 2 * 2 * 4 },
	{ "aarch64", "sve", "int8", TP_FP_DOT, 32, 2 * 8 * 4 },
	{ "aarch64", "sve", "int8", TP_FP_TILE, 32, 2 * 2 * 2 * 2 * 8 },
	{ "aarch64", "sme", "double", TP_FP_TILE, 64, 2 * 8 * 8 },
	{ "aarch64", "sme", "single", TP_FP_TILE, 64, 2 * 16 * 16 },
	{ "aarch64", "sme", "half", TP_FP_FMA, 64, 2 * 32 },
	{ "aarch64", "sme", "half", TP_FP_TILE, 64, 2 * 16 * 16 * 2 },
	{ "aarch64", "sme", "bf16", TP_FP_DOT, 64, 2 * 16 * 2 },
	{ "aarch64", "sme", "bf16", TP_FP_TILE, 64, 2 * 16 * 16 * 2 },
	{ "aarch64", "sme", "int8", TP_FP_DOT, 64, 2 * 16 * 4 },
	{ "aarch64", "sme", "int8", TP_FP_TILE, 64, 2 * 16 * 16 * 4 },
};

static void operations_are_counted_as_the_manuals_have_them(void **state)
{
	size_t rows = 0;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(counted); i++) {
		const struct tp_isa isa = { .name = counted[i].isa,
					    .arch = counted[i].arch,
					    .needs = "",
					    .vector_bytes = counted[i].vector_bytes };
		const struct tp_narrow *row = tp_narrow_find(
			&isa, tp_precision_find(counted[i].precision), counted[i].op);
		struct tp_kernel_counts counts;
		assert_non_null(row);
		struct tp_kernel k = kernel_of(&isa, row);
		struct tp_cpu cpu = cpu_with(&isa, row, "");
		assert_int_equal(tp_kernel_check(&k, NULL), TP_OK);
		tp_kernel_count(&k, &cpu, &counts);
		assert_int_equal(counts.fp, UNROLL);
		assert_int_equal(counts.flops, (uint64_t)UNROLL * counted[i].flops);
		assert_int_equal(counts.loads + counts.stores, 0);
	}
	/* No row is left out above. */
	for (size_t a = 0; a < TP_COUNT_OF(architectures); a++)
		for (size_t i = 0; tp_narrow_row(architectures[a], i); i++)
			rows++;
	assert_int_equal(rows, TP_COUNT_OF(counted));
}

static void what_no_instruction_does_is_refused(void **state)
{
	static const struct {
		const char *precision;
		enum tp_fp_op op;
	} none[] = {
		{ "double", TP_FP_DOT }, { "single", TP_FP_TILE }, { "half", TP_FP_ADD },
		{ "half", TP_FP_DOT },	 { "bf16", TP_FP_FMA },	   { "int8", TP_FP_FMA_ADD },
	};
	static const struct tp_isa isa = { .name = "avx512", .arch = "x86_64", .vector_bytes = 64 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(none); i++) {
		const struct tp_precision *p = tp_precision_find(none[i].precision);
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = &isa,
				       .element_bytes = p->element_bytes,
				       .format = p->format,
				       .fp_op = none[i].op };
		struct tp_diag diag;
		assert_int_equal(tp_kernel_check(&k, &diag), TP_USAGE);
		assert_non_null(strstr(diag.what, "avx512 has no "));
		assert_non_null(strstr(diag.what, none[i].precision));
		k.kind = TP_KERNEL_MEMORY;
		if (p->element_bytes < TP_LEAST_ELEMENT_BYTES)
			assert_int_equal(tp_kernel_check(&k, &diag), TP_USAGE);
	}
	assert_null(tp_precision_find("quarter"));
	assert_string_equal(tp_precision_of(2, TP_FORMAT_BFLOAT)->name, "bf16");
	assert_string_equal(tp_precision_of(2, TP_FORMAT_IEEE)->name, "half");
}

/* --- code --- */

static const struct tp_isa *x86_isa(const char *name)
{
	const struct tp_isa *isa = tp_isa_find(name);
	return isa && strcmp(isa->arch, "x86_64") == 0 ? isa : NULL;
}

/* Calls `one` for each row and ISA: aarch64 emits on every host, x86-64 only on x86-64. */
static void for_each(void (*one)(const struct tp_isa *isa, const struct tp_narrow *row))
{
	const struct tp_narrow *row;
	size_t done = 0;
	for (size_t i = 0; (row = tp_narrow_row("x86_64", i)); i++)
		if (x86_isa(row->isa))
			one(x86_isa(row->isa), row);
	for (size_t i = 0; (row = tp_narrow_row("aarch64", i)); i++)
		for (size_t t = 0; t < emitted_target_count; t++) {
			const struct tp_isa *isa = &emitted_targets[t].isa;
			if (strcmp(isa->arch, "aarch64") != 0 || strcmp(isa->name, row->isa) != 0)
				continue;
			one(isa, row);
			done++;
		}
	assert_true(done >= 10);
}

static void hold_needs(const struct tp_isa *isa, const struct tp_narrow *row)
{
	char needs[64];
	struct tp_kernel k = kernel_of(isa, row);
	struct tp_code code;
	struct tp_diag diag;
	struct tp_cpu cpu = cpu_with(isa, row, "");
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_OK);
	assert_true(code.loop_end > code.loop_begin);
	tp_code_release(&code);
	tp_copy(needs, sizeof(needs), row->needs);
	char *rest = needs;
	for (char *word; (word = strsep(&rest, " "));) {
		if (!*word)
			continue;
		cpu = cpu_with(isa, row, word);
		assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_UNSUPPORTED);
		assert_non_null(strstr(diag.what, word));
		assert_non_null(strstr(diag.what, row->precision));
	}
}

static void each_needs_its_features_and_names_them(void **state)
{
	(void)state;
	for_each(hold_needs);
}

static size_t occurrences(const struct tp_code *code, const void *bytes, size_t n)
{
	size_t found = 0;
	const unsigned char *at = code->map, *end = at + code->bytes;
	while ((at = memmem(at, (size_t)(end - at), bytes, n))) {
		found++;
		at += n;
	}
	return found;
}

/* Some instructions of each kernel, as GNU as 2.40 encodes them. */
static const struct {
	const char *isa, *precision;
	enum tp_fp_op op;
	size_t times, n;
	unsigned char bytes[12];
} known[] = {
	/* vpdpbusd ymm11, ymm14, ymm15 in its VEX form */
	{ "avx2", "int8", TP_FP_DOT, 20, 5, { 0xc4, 0x42, 0x0d, 0x50, 0xdf } },
	/* vfmadd231ph zmm23, zmm30, zmm31 */
	{ "avx512", "half", TP_FP_FMA, 10, 6, { 0x62, 0x86, 0x0d, 0x40, 0xb8, 0xff } },
	/* vdpbf16ps zmm23, zmm30, zmm31 */
	{ "avx512", "bf16", TP_FP_DOT, 10, 6, { 0x62, 0x82, 0x0e, 0x40, 0x52, 0xff } },
	/* vpdpbusd zmm23, zmm30, zmm31 */
	{ "avx512", "int8", TP_FP_DOT, 10, 6, { 0x62, 0x82, 0x0d, 0x40, 0x50, 0xff } },
	/* tdpfp16ps tmm5, tmm6, tmm7 */
	{ "avx512", "half", TP_FP_TILE, 40, 5, { 0xc4, 0xe2, 0x43, 0x5c, 0xee } },
	/* tdpbf16ps tmm5, tmm6, tmm7 */
	{ "avx512", "bf16", TP_FP_TILE, 40, 5, { 0xc4, 0xe2, 0x42, 0x5c, 0xee } },
	/* tdpbssd tmm5, tmm6, tmm7 */
	{ "avx512", "int8", TP_FP_TILE, 40, 5, { 0xc4, 0xe2, 0x43, 0x5e, 0xee } },
	/* ldtilecfg [rsp-64] */
	{ "avx512", "int8", TP_FP_TILE, 1, 7, { 0xc4, 0xe2, 0x78, 0x49, 0x44, 0x24, 0xc0 } },
	/* tileloadd tmm0, [rdi+rcx+0x800] */
	{ "avx512",
	  "bf16",
	  TP_FP_TILE,
	  1,
	  10,
	  { 0xc4, 0xe2, 0x7b, 0x4b, 0x84, 0x0f, 0x00, 0x08, 0x00, 0x00 } },
	/* tilestored [rdi+rcx+0x800], tmm0 */
	{ "avx512",
	  "bf16",
	  TP_FP_TILE,
	  1,
	  10,
	  { 0xc4, 0xe2, 0x7a, 0x4b, 0x84, 0x0f, 0x00, 0x08, 0x00, 0x00 } },
	/* tilerelease */
	{ "avx512", "bf16", TP_FP_TILE, 1, 5, { 0xc4, 0xe2, 0x78, 0x49, 0xc0 } },
};

static void emit(const struct tp_isa *isa, const char *precision, enum tp_fp_op op,
		 struct tp_code *code)
{
	const struct tp_narrow *row = tp_narrow_find(isa, tp_precision_find(precision), op);
	struct tp_diag diag;
	assert_non_null(row);
	struct tp_kernel k = kernel_of(isa, row);
	struct tp_cpu cpu = cpu_with(isa, row, "");
	if (tp_kernel_emit(&k, &cpu, code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void x86_code_has_the_bytes_of_another_assembler(void **state)
{
	(void)state;
	if (!x86_isa("avx512"))
		skip();
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		struct tp_code code;
		emit(x86_isa(known[i].isa), known[i].precision, known[i].op, &code);
		assert_int_equal(occurrences(&code, known[i].bytes, known[i].n), known[i].times);
		tp_code_release(&code);
	}
}

/* The words of GNU as 2.40 for registers 1, 2 and 3, and predicate 0. */
static void aarch64_words_are_those_of_another_assembler(void **state)
{
	static const struct {
		enum tp_aarch64_op op;
		uint32_t word;
	} words[] = {
		{ TP_AARCH64_FMLA_8H, 0x4e430c41 },  { TP_AARCH64_BFDOT, 0x6e43fc41 },
		{ TP_AARCH64_SDOT, 0x4e839441 },     { TP_AARCH64_BFMMLA, 0x6e43ec41 },
		{ TP_AARCH64_SMMLA, 0x4e83a441 },    { TP_AARCH64_FMLA_ZH, 0x65630041 },
		{ TP_AARCH64_BFDOT_Z, 0x64638041 },  { TP_AARCH64_SDOT_Z, 0x44830041 },
		{ TP_AARCH64_BFMMLA_Z, 0x6463e441 }, { TP_AARCH64_SMMLA_Z, 0x45039841 },
		{ TP_AARCH64_FMOPA_D, 0x80c30041 },  { TP_AARCH64_FMOPA_S, 0x80830041 },
		{ TP_AARCH64_FMOPA_H, 0x81a30041 },  { TP_AARCH64_BFMOPA, 0x81830041 },
		{ TP_AARCH64_SMOPA, 0xa0830041 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(words); i++) {
		uint32_t word = 0;
		struct tp_assembler as;
		tp_asm_init(&as, &word, sizeof(word));
		if (words[i].op == TP_AARCH64_FMLA_ZH)
			tp_aarch64_put(&as, words[i].op, 1, 0, 2, 3);
		else
			tp_aarch64_put(&as, words[i].op, 1, 2, 3, 0);
		assert_false(as.failed);
		assert_int_equal(word, words[i].word);
	}
}

/* Follows the stores of the beginning into the 64 bytes that LDTILECFG reads. */
static void tiles_are_configured_whole(void **state)
{
	unsigned char config[CONFIG_BYTES], wanted[CONFIG_BYTES] = { 1 };
	struct tp_str text = { 0 };
	struct tp_code code;
	uint64_t value = 0;
	size_t stores = 0;
	(void)state;
	if (!x86_isa("avx512"))
		skip();
	for (size_t tile = 0; tile < 8; tile++) {
		wanted[16 + 2 * tile] = 64; /* bytes of a row */
		wanted[48 + tile] = 16; /* rows */
	}
	memset(config, 0xff, sizeof(config));
	emit(x86_isa("avx512"), "int8", TP_FP_TILE, &code);
	assert_int_equal(tp_arch_host()->disassemble(code.map, code.bytes, &text), TP_OK);
	char *rest = text.s;
	for (char *line; (line = strsep(&rest, "\n")) && !strstr(line, "ldtilecfg");) {
		const char *at = strstr(line, "mov rax, "), *to = strstr(line, "[rsp-0x");
		if (at)
			value = strtoull(at + strlen("mov rax, "), NULL, 16);
		if (!to)
			continue;
		size_t below = strtoul(to + strlen("[rsp-0x"), NULL, 16);
		assert_in_range(below, sizeof(value), sizeof(config));
		memcpy(config + sizeof(config) - below, &value, sizeof(value));
		stores++;
	}
	assert_int_equal(stores, CONFIG_BYTES / sizeof(value));
	assert_memory_equal(config, wanted, sizeof(config));
	tp_str_release(&text);
	tp_code_release(&code);
}

/* --- numbers --- */

/* A small integer in a precision; true floats of 4 bytes are exact, too. */
static void write_number(void *to, const char *precision, int value)
{
	float f = (float)value;
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	if (strcmp(precision, "int8") == 0)
		*(int8_t *)to = (int8_t)value;
	else if (strcmp(precision, "bf16") == 0)
		memcpy(to, &(uint16_t){ (uint16_t)(bits >> 16) }, 2);
	else /* sign, exponent of another bias, upper ten bits of the mantissa */
		memcpy(to,
		       &(uint16_t){ value == 0 ? 0
					       : (uint16_t)((bits >> 16 & 0x8000) |
							    ((bits >> 23 & 0xff) - 112) << 10 |
							    (bits >> 13 & 0x3ff)) },
		       2);
}

static int read_half(uint16_t h)
{
	if (!(h & 0x7fff))
		return 0;
	int exponent = (h >> 10 & 0x1f) - 25, mantissa = 0x400 | (h & 0x3ff);
	int size = exponent >= 0 ? mantissa << exponent : mantissa >> -exponent;
	return h & 0x8000 ? -size : size;
}

struct numbers {
	const char *precision;
	enum tp_fp_op op;
	unsigned operand_bytes, element_bytes, columns;
	int a[TILE_BYTES], b[TILE_BYTES]; /* elements of an operand */
};

static unsigned sums(const struct numbers *n)
{
	return n->operand_bytes / (n->op == TP_FP_FMA ? n->element_bytes : 4);
}

/* The product that is added to accumulator element `i`. */
static int product(const struct numbers *n, unsigned i)
{
	const unsigned group = 4 / n->element_bytes; /* elements beside a sum */
	int sum = 0;
	if (n->op == TP_FP_FMA)
		return n->a[i] * n->b[i];
	if (n->op == TP_FP_DOT) {
		for (unsigned g = 0; g < group; g++)
			sum += n->a[group * i + g] * n->b[group * i + g];
		return sum;
	}
	if (n->columns == 16) { /* rows of 16 sums; B has the elements of a sum side by side */
		unsigned row = i / 16, column = i % 16;
		for (unsigned k = 0; k < 16; k++)
			for (unsigned g = 0; g < group; g++)
				sum += n->a[(16 * row + k) * group + g] *
				       n->b[(16 * k + column) * group + g];
		return sum;
	}
	/* two rows of A by two rows of B in every 16 bytes */
	unsigned segment = i / 4, row = i % 4 / 2, column = i % 2, depth = 8 / n->element_bytes;
	for (unsigned k = 0; k < depth; k++)
		sum += n->a[2 * depth * segment + depth * row + k] *
		       n->b[2 * depth * segment + depth * column + k];
	return sum;
}

static int read_sum(const struct numbers *n, const unsigned char *at)
{
	float f;
	int32_t integer;
	uint16_t half;
	memcpy(&f, at, sizeof(f));
	memcpy(&integer, at, sizeof(integer));
	memcpy(&half, at, sizeof(half));
	return n->op == TP_FP_FMA		   ? read_half(half)
	       : strcmp(n->precision, "int8") == 0 ? integer
						   : (int)f;
}

static void hold_numbers(const struct tp_isa *isa, const struct tp_narrow *row,
			 const struct tp_cpu *cpu)
{
	enum { PASSES = 2 };
	static _Alignas(64) unsigned char data[TP_KERNEL_DATA_BYTES + 64];
	struct tp_kernel k = kernel_of(isa, row);
	static struct numbers n;
	struct tp_code code;
	struct tp_diag diag;
	k.body.unroll = 24; /* at most half a dozen sums into each accumulator */
	n = (struct numbers){ .precision = row->precision,
			      .op = row->op,
			      .operand_bytes = tp_kernel_operand_bytes(&k),
			      .element_bytes = k.element_bytes,
			      .columns = row->columns };
	memset(data, 0, sizeof(data));
	for (unsigned i = 0; i < n.operand_bytes / n.element_bytes; i++) {
		n.a[i] = 1 + (int)(i * 7 % 3); /* of VPDPBUSD without sign */
		n.b[i] = (int)(i * 5 % 7) - 2;
		write_number(data + i * n.element_bytes, row->precision, n.a[i]);
		write_number(data + n.operand_bytes + i * n.element_bytes, row->precision, n.b[i]);
	}
	assert_int_equal(tp_kernel_emit(&k, cpu, &code, &diag), TP_OK);
	tp_code_function (&code)(data, PASSES);
	tp_code_release(&code);

	unsigned slots = TP_KERNEL_DATA_BYTES / n.operand_bytes, width = n.operand_bytes / sums(&n);
	int total = 0, probe = 0;
	while (product(&n, (unsigned)probe) == 0)
		probe++;
	for (unsigned slot = 2; slot < slots; slot++) {
		const unsigned char *at = data + (size_t)slot * n.operand_bytes;
		int times =
			read_sum(&n, at + (unsigned)probe * width) / product(&n, (unsigned)probe);
		for (unsigned i = 0; i < sums(&n); i++)
			if (read_sum(&n, at + i * width) != times * product(&n, i))
				fail_msg("%s %s in %s: sum %u of slot %u is %d, not %d x %d",
					 row->isa, tp_fp_op_name(row->op), row->precision, i, slot,
					 read_sum(&n, at + i * width), times, product(&n, i));
		total += times;
	}
	assert_int_equal(total, 24 * PASSES);
	for (size_t i = TP_KERNEL_DATA_BYTES; i < sizeof(data); i++)
		assert_int_equal(data[i], 0);
}

static void kernels_give_the_numbers_of_c(void **state)
{
	const struct tp_narrow *row;
	struct tp_cpu cpu;
	unsigned done = 0;
	(void)state;
	tp_arch_identify(&cpu);
	for (size_t i = 0; (row = tp_narrow_row(cpu.arch, i)); i++) {
		const struct tp_isa *isa = tp_isa_find(row->isa);
		if (tp_narrow_is_outer(row))
			continue; /* test_outer.c */
		if (isa && tp_isa_supported(isa, &cpu, NULL) == TP_OK &&
		    tp_narrow_supported(row, &cpu, NULL) == TP_OK) {
			hold_numbers(isa, row, &cpu);
			done++;
		} else {
			print_message("not executed here: %s %s in %s\n", row->isa,
				      tp_fp_op_name(row->op), row->precision);
		}
	}
	if (!done)
		skip();
}

/* The model of a product that the test above compares with, by hand. */
static void products_are_those_of_matrices(void **state)
{
	struct numbers n = { .precision = "int8",
			     .op = TP_FP_DOT,
			     .operand_bytes = 16,
			     .element_bytes = 1,
			     .columns = 1 };
	uint16_t half;
	(void)state;
	for (int i = 0; i < 16; i++) {
		n.a[i] = i;
		n.b[i] = 1;
	}
	assert_int_equal(product(&n, 1), 4 + 5 + 6 + 7);
	n.op = TP_FP_TILE;
	n.columns = 2;
	n.b[8] = 3; /* the first of the second column */
	assert_int_equal(product(&n, 0), 28);
	assert_int_equal(product(&n, 1), 28 + 2 * 0);
	assert_int_equal(product(&n, 3), 92 + 2 * 8);
	write_number(&half, "half", -24);
	assert_int_equal(half, 0xce00);
	assert_int_equal(read_half(half), -24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_counted_as_the_manuals_have_them),
		cmocka_unit_test(what_no_instruction_does_is_refused),
		cmocka_unit_test(each_needs_its_features_and_names_them),
		cmocka_unit_test(x86_code_has_the_bytes_of_another_assembler),
		cmocka_unit_test(aarch64_words_are_those_of_another_assembler),
		cmocka_unit_test(tiles_are_configured_whole),
		cmocka_unit_test(products_are_those_of_matrices),
		cmocka_unit_test(kernels_give_the_numbers_of_c),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
