/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of the aarch64 back end on any machine: an independent disassembler reads it, and the text
 * is run (aarch64_run.h). Without that disassembler our own text is run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/aarch64_run.h"
#include "tests/unit/emitted.h"
#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/kernel.h"

enum { MAX_KERNELS = 512, ALIGNMENT = 64 };

static const struct tp_cpu cpu = { .arch = "aarch64", .features = "fp asimd sve sve-256 sme" };

static const struct tp_isa *const scalar = &emitted_targets[0].isa;

/* Calls `hold` for every ISA and vector length of aarch64. */
static void for_all(void (*hold)(const struct tp_isa *isa))
{
	assert_string_equal(scalar->arch, "aarch64");
	assert_string_equal(scalar->name, "scalar");
	for (size_t i = 0; i < emitted_target_count; i++)
		if (strcmp(emitted_targets[i].isa.arch, "aarch64") == 0)
			hold(&emitted_targets[i].isa);
}

/* Many kernels in one listing, since it takes longer to start a disassembler than to run it. */
struct batch {
	struct tp_kernel kernel[MAX_KERNELS];
	size_t at[MAX_KERNELS], n;
	uint8_t *code;
	size_t bytes, capacity;
};

static void append(struct batch *b, const struct tp_code *code)
{
	size_t room = (code->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (b->bytes + room > b->capacity) {
		b->capacity = 2 * b->capacity + room;
		b->code = realloc(b->code, b->capacity);
		assert_non_null(b->code);
	}
	memset(b->code + b->bytes, 0, room);
	memcpy(b->code + b->bytes, code->map, code->bytes);
	for (size_t i = code->bytes; i < room; i += TP_WORD_BYTES)
		memcpy(b->code + b->bytes + i, &tp_aarch64_words.rows[TP_AARCH64_NOP].bits,
		       TP_WORD_BYTES);
	b->bytes += room;
}

static void add(struct batch *b, const struct tp_kernel *kernel)
{
	struct tp_code code;
	struct tp_diag diag;
	assert_true(b->n < MAX_KERNELS);
	if (tp_kernel_emit(kernel, &cpu, &code, &diag) != TP_OK)
		fail_msg("%s: %s", kernel->isa->name, diag.what);
	b->kernel[b->n] = *kernel;
	b->at[b->n++] = b->bytes;
	append(b, &code);
	tp_code_release(&code);
}

/* The listing of the independent disassembler, if there is one. Ours must be the same. */
static void read_batch(const struct batch *b, struct a64_program *program)
{
	struct tp_str ours = { 0 }, theirs = { 0 };
	struct a64_program other;
	assert_int_equal(tp_aarch64_disassemble(b->code, b->bytes, &ours), TP_OK);
	assert_true(a64_read(program, tp_str_text(&ours)));
	assert_int_equal(program->n, b->bytes / TP_WORD_BYTES);
	if (a64_objdump(b->code, b->bytes, &theirs)) {
		assert_true(a64_read(&other, tp_str_text(&theirs)));
		assert_int_equal(other.n, program->n);
		for (size_t i = 0; i < program->n; i++)
			if (strcmp(program->line[i].text, other.line[i].text) != 0)
				fail_msg("\"%s\" is really \"%s\"", program->line[i].text,
					 other.line[i].text);
		a64_release(program);
		*program = other;
	}
	tp_str_release(&ours);
	tp_str_release(&theirs);
}

/* --- single instructions --- */

/* A value in the range of the operand that has no text of its own. */
static int64_t some_value(const struct tp_word_field *field, uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	int64_t n = (int64_t)(*seed >> 33), span = INT64_C(1) << tp_word_width(field);
	switch (field->kind) {
	case 'o':
	case 'u':
		return (1 + n % (span - 1)) * ((int64_t)1 << field->scale_log2);
	case 'O':
	case 'm':
	case 'M':
	case 'b':
		return (n % span - span / 2) * ((int64_t)1 << field->scale_log2);
	case 'k':
		return n % 63; /* all 64 ones are not a mask */
	case 'a':
		return n % span;
	case 't':
	case 'p':
		return n % (field->kind == 'p' ? 8 : 32);
	default:
		return n % 31; /* 31 has separate names */
	}
}

static void every_instruction_is_what_it_is_called(void **state)
{
	enum { EACH = 25, WORDS = EACH * TP_AARCH64_OPS };
	(void)state;
	uint64_t seed = 1;
	struct batch b = { .bytes = WORDS * TP_WORD_BYTES };
	struct tp_assembler as;
	struct a64_program program;
	struct tp_str listing = { 0 };
	b.code = calloc(1, b.bytes);
	assert_non_null(b.code);
	if (!a64_objdump(&tp_aarch64_words.rows[TP_AARCH64_NOP].bits, 4, &listing)) {
		free(b.code);
		tp_str_release(&listing);
		print_message("SKIPPED: no aarch64-linux-gnu-objdump\n");
		skip();
	}
	tp_asm_init(&as, b.code, b.bytes);
	for (unsigned i = 0; i < WORDS; i++) {
		enum tp_aarch64_op op = (enum tp_aarch64_op)(i % TP_AARCH64_OPS);
		int64_t values[4] = { 0 };
		const struct tp_word_field *field = tp_aarch64_words.rows[op].field;
		for (size_t n = 0; n < TP_WORD_OPERANDS && field[n].kind; n++) {
			values[n] = some_value(&field[n], &seed);
			/* A branch to before the start would be printed as a huge number. */
			if (field[n].kind == 'b' && values[n] < 0)
				values[n] = -values[n] % (4 * (int64_t)(i + 1));
		}
		tp_aarch64_put(&as, op, values[0], values[1], values[2], values[3]);
		if (as.failed)
			fail_msg("%s could not be encoded", tp_aarch64_words.rows[op].mnemonic);
	}
	read_batch(&b, &program);
	a64_release(&program);
	tp_str_release(&listing);
	free(b.code);
}

static void operands_that_do_not_fit_are_noticed(void **state)
{
	static const struct {
		enum tp_aarch64_op op;
		int64_t a, b, c, d;
		bool fits;
	} rows[] = {
		{ TP_AARCH64_LDR_Q, 0, 1, 65520, 0, true },
		{ TP_AARCH64_LDR_Q, 0, 1, 65536, 0, false },
		{ TP_AARCH64_LDR_Q, 0, 1, 8, 0, false }, /* not a whole operand */
		{ TP_AARCH64_LDR_Q, 0, 1, -16, 0, false },
		{ TP_AARCH64_LDR_X, 31, 1, 32760, 0, true },
		{ TP_AARCH64_LDR_X, 32, 1, 0, 0, false },
		{ TP_AARCH64_STNP_D, 0, 1, 2, 504, true },
		{ TP_AARCH64_STNP_D, 0, 1, 2, 512, false },
		{ TP_AARCH64_STNP_D, 0, 1, 2, -512, true },
		{ TP_AARCH64_STNP_D, 0, 1, 2, -520, false },
		{ TP_AARCH64_LDR_Z, 0, 1, 255, 0, true },
		{ TP_AARCH64_LDR_Z, 0, 1, 256, 0, false },
		{ TP_AARCH64_LDR_Z, 0, 1, -256, 0, true },
		{ TP_AARCH64_STNT1D, 0, 0, 1, 7, true },
		{ TP_AARCH64_STNT1D, 0, 0, 1, 8, false },
		{ TP_AARCH64_STNT1D, 0, 8, 1, 0, false }, /* predicates of instructions: 0 to 7 */
		{ TP_AARCH64_ADD_IMM, 0, 1, 4095, 0, true },
		{ TP_AARCH64_ADD_IMM, 0, 1, 4096, 0, false },
		{ TP_AARCH64_B_NE, 1048572, 0, 0, 0, true },
		{ TP_AARCH64_B_NE, 1048576, 0, 0, 0, false },
		{ TP_AARCH64_B_NE, -1048576, 0, 0, 0, true },
		{ TP_AARCH64_RET, 1, 0, 0, 0, false }, /* has no operand */
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		uint32_t word;
		struct tp_assembler as;
		tp_asm_init(&as, &word, sizeof(word));
		tp_aarch64_put(&as, rows[i].op, rows[i].a, rows[i].b, rows[i].c, rows[i].d);
		if (as.failed == rows[i].fits)
			fail_msg("row %zu", i);
	}
	uint32_t word;
	struct tp_assembler as;
	tp_asm_init(&as, &word, sizeof(word));
	tp_aarch64_put(&as, TP_AARCH64_RET, 0, 0, 0, 0);
	assert_false(as.failed);
	tp_aarch64_put(&as, TP_AARCH64_RET, 0, 0, 0, 0); /* the buffer is full */
	assert_true(as.failed);
}

/* --- kernels --- */

/* Counts of a call with one pass, and of one pass more. */
static void hold_counts(const struct tp_kernel *k, const struct a64_counts *one,
			const struct a64_counts *two)
{
	struct tp_kernel_counts c;
	char name[64], body[64];
	tp_kernel_count(k, &cpu, &c);
	tp_kernel_name(k, name, sizeof(name));
	tp_body_name(&k->body, body, sizeof(body));
	const uint64_t found[][2] = {
		{ two->loads - one->loads, c.loads },
		{ two->stores - one->stores, c.stores },
		{ two->loaded_bytes - one->loaded_bytes, c.loaded_bytes },
		{ two->stored_bytes - one->stored_bytes, c.stored_bytes },
		{ two->fp - one->fp, c.fp },
		{ two->flops - one->flops, c.flops },
		{ two->nontemporal - one->nontemporal, k->nontemporal ? c.stores : 0 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(found); i++)
		if (found[i][0] != found[i][1])
			fail_msg("%s of %u bytes, %s, %s, set of %llu: count %zu is %llu, not %llu",
				 k->isa->name, tp_kernel_operand_bytes(k), name, body,
				 (unsigned long long)k->working_set_bytes, i,
				 (unsigned long long)found[i][0], (unsigned long long)found[i][1]);
	uint64_t least = c.loads + c.stores + c.fp + c.other;
	uint64_t executed = two->executed - one->executed;
	assert_true(executed > least);
	if (c.other)
		assert_int_equal(executed, c.other + 2);
}

/*
 * A pass touches every byte of the working set once. With a stride only the counts are checked.
 */
static void hold_bytes(const struct tp_kernel *k, const uint32_t *one, const uint32_t *two,
		       size_t bytes)
{
	if (k->stride > 1 || (k->kind != TP_KERNEL_MEMORY && k->kind != TP_KERNEL_MIXED))
		return;
	if (k->working_set_bytes % tp_kernel_operand_bytes(k) && !tp_kernel_tail_bytes(k))
		return;
	for (size_t i = 0; i < bytes; i++)
		if (two[i] + two[bytes + i] - one[i] - one[bytes + i] != 1)
			fail_msg("%s of %u bytes, set of %llu: byte %zu is touched %u times",
				 k->isa->name, tp_kernel_operand_bytes(k),
				 (unsigned long long)k->working_set_bytes, i,
				 two[i] + two[bytes + i] - one[i] - one[bytes + i]);
}

static void run_kernel(const struct batch *b, size_t i, const struct a64_program *program)
{
	const struct tp_kernel *k = &b->kernel[i];
	size_t bytes = k->kind == TP_KERNEL_FP ? 32 * tp_kernel_operand_bytes(k)
					       : (size_t)k->working_set_bytes;
	uint8_t *data = calloc(1, bytes + 1);
	uint32_t *touched[2] = { calloc(2 * bytes + 1, 4), calloc(2 * bytes + 1, 4) };
	struct a64_counts counts[2];
	char name[64];
	assert_true(data && touched[0] && touched[1]);
	for (unsigned passes = 1; passes <= 2; passes++) {
		struct a64_machine m = { .program = program,
					 .vector_bytes =
						 k->isa->short_tail ? k->isa->vector_bytes : 0,
					 .streams = strcmp(k->isa->name, "sme") == 0,
					 .data = data,
					 .data_bytes = bytes,
					 .loaded = touched[passes - 1],
					 .stored = touched[passes - 1] + bytes,
					 .limit = 1 << 24 };
		if (!a64_call(&m, b->at[i], passes))
			fail_msg("%s of %u bytes, %s, set of %llu: %s", k->isa->name,
				 tp_kernel_operand_bytes(k), tp_kernel_name(k, name, sizeof(name)),
				 (unsigned long long)k->working_set_bytes, m.error);
		counts[passes - 1] = m.counts;
	}
	hold_counts(k, &counts[0], &counts[1]);
	hold_bytes(k, touched[0], touched[1], bytes);
	free(data);
	free(touched[0]);
	free(touched[1]);
}

static void run_batch(struct batch *b)
{
	struct a64_program program;
	assert_true(b->n > 0);
	read_batch(b, &program);
	for (size_t i = 0; i < b->n; i++)
		run_kernel(b, i, &program);
	a64_release(&program);
	free(b->code);
	free(b);
}

static struct batch *new_batch(void)
{
	struct batch *b = calloc(1, sizeof(*b));
	assert_non_null(b);
	return b;
}

static const unsigned ratios[][2] = { { 1, 0 }, { 0, 1 }, { 2, 1 }, { 3, 4 } };

static void memory_kernels(const struct tp_isa *isa, bool nontemporal)
{
	static const uint64_t sizes[] = { 64, 192, 4032, 4160, 16384 };
	static const struct tp_body bodies[] = {
		{ .unroll = 64 },
		{ 0 },
		{ .unroll = 64, .lanes = 2 },
		{ .unroll = 64, .lanes = 16 },
		{ .two_streams = true },
	};
	struct batch *b = new_batch();
	for (unsigned i = 0; i < TP_COUNT_OF(ratios) * TP_COUNT_OF(sizes) * TP_COUNT_OF(bodies);
	     i++) {
		unsigned ratio = i % TP_COUNT_OF(ratios), rest = i / TP_COUNT_OF(ratios);
		struct tp_kernel k = { .kind = TP_KERNEL_MEMORY,
				       .isa = isa,
				       .element_bytes = i % 3 ? 8 : 4,
				       .loads = ratios[ratio][0],
				       .stores = ratios[ratio][1],
				       .nontemporal = nontemporal,
				       .working_set_bytes = sizes[rest % TP_COUNT_OF(sizes)],
				       .body = bodies[rest / TP_COUNT_OF(sizes)] };
		if (tp_kernel_check(&k, NULL) == TP_OK)
			add(b, &k);
		k.stride = 700; /* beyond what an offset reaches */
		k.working_set_bytes = UINT64_C(1) << 20;
		if (rest == 0 && tp_kernel_check(&k, NULL) == TP_OK)
			add(b, &k);
	}
	run_batch(b);
}

static void plain_memory_kernels(const struct tp_isa *isa)
{
	memory_kernels(isa, false);
}

static void nontemporal_memory_kernels(const struct tp_isa *isa)
{
	memory_kernels(isa, true);
}

static void memory_kernels_touch_every_byte_once(void **state)
{
	(void)state;
	for_all(plain_memory_kernels);
}

static void non_temporal_stores_are_non_temporal(void **state)
{
	(void)state;
	for_all(nontemporal_memory_kernels);
	/* No pair of registers has 4 bytes. */
	struct tp_kernel k = { .kind = TP_KERNEL_MEMORY,
			       .isa = scalar,
			       .element_bytes = 4,
			       .stores = 1,
			       .nontemporal = true,
			       .working_set_bytes = 4096 };
	struct tp_diag diag;
	assert_int_equal(tp_kernel_check(&k, &diag), TP_UNSUPPORTED);
	assert_string_equal(diag.what, "scalar has no non-temporal stores of 4 bytes");
}

static void fp_and_mixed_kernels(const struct tp_isa *isa)
{
	static const struct tp_body bodies[] = { { 0 }, { .unroll = 101 }, { .unroll = 1 } };
	struct batch *b = new_batch();
	for (unsigned n = 0; n < 2 * TP_FP_DOT * TP_COUNT_OF(bodies); n++) {
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = isa,
				       .element_bytes = n % 2 ? 4 : 8,
				       .fp_op = (enum tp_fp_op)(n / 2 % TP_FP_DOT),
				       .body = bodies[n / 2 / TP_FP_DOT] };
		if (k.fp_op == TP_FP_NONE)
			continue;
		add(b, &k);
		k.kind = TP_KERNEL_MIXED;
		k.body.unroll = n % 3 ? 0 : 64;
		k.loads = ratios[n % TP_COUNT_OF(ratios)][0];
		k.stores = ratios[n % TP_COUNT_OF(ratios)][1];
		k.fp_count = 1 + n % 5;
		k.mem_count = 1 + n % 4;
		k.working_set_bytes = n % 2 ? 4032 : 8192;
		add(b, &k);
	}
	run_batch(b);
}

static void fp_and_mixed_kernels_do_their_flops(void **state)
{
	(void)state;
	for_all(fp_and_mixed_kernels);
}

/* Gauges of the core consist of additions and the loop. */
static void gauges_are_additions(void **state)
{
	(void)state;
	struct batch *b = new_batch();
	struct tp_kernel k = { .kind = TP_KERNEL_CHAIN, .isa = scalar, .element_bytes = 8 };
	add(b, &k);
	k.kind = TP_KERNEL_WIDTH;
	add(b, &k);
	run_batch(b);
}

static void a_chase_goes_on_where_it_was(void **state)
{
	enum { RING = 5, LOADS = 3, PASSES = 4 };
	(void)state;
	struct tp_kernel k = {
		.kind = TP_KERNEL_CHASE, .isa = scalar, .element_bytes = 8, .body.unroll = LOADS
	};
	struct batch *b = new_batch();
	struct a64_program program;
	uint64_t data[1 + RING]; /* the cell, then the ring */
	add(b, &k);
	read_batch(b, &program);
	data[0] = A64_DATA + 8;
	for (size_t i = 0; i < RING; i++)
		data[1 + i] = A64_DATA + 8 * (1 + (i + 1) % RING);
	struct a64_machine m = { .program = &program,
				 .data = (uint8_t *)data,
				 .data_bytes = sizeof(data),
				 .limit = 1000 };
	if (!a64_call(&m, 0, PASSES))
		fail_msg("%s", m.error);
	assert_int_equal(data[0], A64_DATA + 8 * (1 + LOADS * PASSES % RING));
	assert_int_equal(m.counts.loads, LOADS * PASSES + 1);
	assert_int_equal(m.counts.stores, 1);
	a64_release(&program);
	free(b->code);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_is_what_it_is_called),
		cmocka_unit_test(operands_that_do_not_fit_are_noticed),
		cmocka_unit_test(memory_kernels_touch_every_byte_once),
		cmocka_unit_test(non_temporal_stores_are_non_temporal),
		cmocka_unit_test(fp_and_mixed_kernels_do_their_flops),
		cmocka_unit_test(gauges_are_additions),
		cmocka_unit_test(a_chase_goes_on_where_it_was),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
