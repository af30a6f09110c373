/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels of riscv64 on any host: compared with GNU binutils, and run on the core of
 * riscv64_machine.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/riscv64_machine.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "kernels/riscv64/riscv64.h"

static const struct tp_cpu cpu = { .arch = "riscv64", .features = "d v xtheadvector zihintntl" };

struct shape {
	const struct tp_isa *isa;
	unsigned vector_bytes, lmul;
};

static const struct shape shapes[] = {
	{ &tp_isa_riscv_scalar, 0, 0 },	 { &tp_isa_riscv_rvv10, 16, 0 },
	{ &tp_isa_riscv_rvv10, 16, 2 },	 { &tp_isa_riscv_rvv10, 16, 4 },
	{ &tp_isa_riscv_rvv10, 16, 8 },	 { &tp_isa_riscv_rvv10, 32, 1 },
	{ &tp_isa_riscv_rvv10, 32, 8 },	 { &tp_isa_riscv_rvv10, 64, 2 },
	{ &tp_isa_riscv_rvv10, 128, 1 }, { &tp_isa_riscv_rvv10, 128, 4 },
	{ &tp_isa_riscv_rvv10, 128, 8 }, { &tp_isa_riscv_rvv10, 256, 1 },
	{ &tp_isa_riscv_rvv07, 16, 1 },	 { &tp_isa_riscv_rvv07, 16, 2 },
	{ &tp_isa_riscv_rvv07, 16, 4 },	 { &tp_isa_riscv_rvv07, 16, 8 },
};

static const unsigned ratios[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 3 } };
static const uint64_t sizes[] = { 64, 192, 1024, 4032, 12 * 1024, 16 * 1024 - 64, 16 * 1024 + 64 };
static const struct tp_body bodies[] = {
	{ .unroll = 64 },
	{ .unroll = 256 },
	{ .unroll = 512, .lanes = 1 },
	{ .unroll = 64, .lanes = 2 },
	{ .unroll = 128, .lanes = 3 },
	{ .unroll = 256, .lanes = 4 },
	{ .unroll = 256, .lanes = 8 },
	{ .unroll = 256, .lanes = 16 },
	{ .unroll = 64, .two_streams = true },
	{ .unroll = 255, .two_streams = true },
	{ .unroll = 512, .two_streams = true },
};
static const unsigned strides[] = { 1, 2, 5, 300 };
static const unsigned mixes[][2] = { { 1, 1 }, { 1, 4 }, { 3, 2 }, { 8, 1 }, { 1, 16 } };
static const enum tp_fp_op fp_ops[] = { TP_FP_ADD, TP_FP_MUL, TP_FP_DIV, TP_FP_FMA, TP_FP_FMA_ADD };

typedef void (*visitor)(const struct shape *shape, const struct tp_kernel *kernel);

/* The ISA of a machine with vectors of that length. */
static struct tp_isa isa_of(const struct shape *shape)
{
	struct tp_isa isa = *shape->isa;
	isa.vector_length_bytes = NULL;
	isa.vector_bytes = shape->vector_bytes;
	return isa;
}

/* One case in `share` of a cross product; any two factors still meet. */
static bool is_selected(size_t weighted_sum, size_t share)
{
	return weighted_sum % share == 0;
}

static void memory_kernels(const struct shape *shape, const struct tp_isa *isa, visitor visit)
{
	for (unsigned single = 0; single < 2; single++)
		for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
			for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
				for (size_t b = 0; b < TP_COUNT_OF(bodies); b++)
					for (size_t t = 0; t < TP_COUNT_OF(strides); t++) {
						struct tp_kernel k = {
							.kind = TP_KERNEL_MEMORY,
							.isa = isa,
							.element_bytes = single ? 4 : 8,
							.loads = ratios[r][0],
							.stores = ratios[r][1],
							.stride = strides[t],
							.working_set_bytes = sizes[s],
							.nontemporal = (r + b) % 5 == 0,
							.body = bodies[b],
						};
						k.body.lmul = shape->lmul;
						if (is_selected(single + 2 * r + 3 * s + 5 * b +
									7 * t,
								11) &&
						    tp_kernel_check(&k, NULL) == TP_OK)
							visit(shape, &k);
					}
}

static void fp_kernels(const struct shape *shape, const struct tp_isa *isa, visitor visit)
{
	static const struct tp_body fp_bodies[] = {
		{ 0 },
		{ .unroll = 144, .fma_run = 1, .add_run = 1 },
		{ .unroll = 216, .fma_run = 2, .add_run = 1 },
		{ .unroll = 480, .fma_run = 1, .add_run = 3 },
	};
	for (unsigned single = 0; single < 2; single++)
		for (size_t o = 0; o < TP_COUNT_OF(fp_ops); o++)
			for (size_t b = 0; b < TP_COUNT_OF(fp_bodies); b++) {
				struct tp_kernel k = { .kind = TP_KERNEL_FP,
						       .isa = isa,
						       .element_bytes = single ? 4 : 8,
						       .fp_op = fp_ops[o],
						       .body = fp_bodies[b] };
				k.body.lmul = shape->lmul;
				visit(shape, &k);
			}
}

static void mixed_kernels(const struct shape *shape, const struct tp_isa *isa, visitor visit)
{
	if (shape->lmul == 8)
		return; /* refused, see below */
	for (size_t o = 0; o < TP_COUNT_OF(fp_ops); o++)
		for (size_t m = 0; m < TP_COUNT_OF(mixes); m++)
			for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
				for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
					for (size_t b = 0; b < TP_COUNT_OF(bodies); b++) {
						struct tp_kernel k = {
							.kind = TP_KERNEL_MIXED,
							.isa = isa,
							.element_bytes = s % 2 ? 4 : 8,
							.loads = ratios[r][0],
							.stores = ratios[r][1],
							.working_set_bytes = sizes[s],
							.fp_op = fp_ops[o],
							.fp_count = mixes[m][0],
							.mem_count = mixes[m][1],
							.body = bodies[b],
						};
						k.body.lmul = shape->lmul;
						if (is_selected(o + 2 * m + 3 * r + 5 * s + 7 * b,
								41) &&
						    tp_kernel_check(&k, NULL) == TP_OK)
							visit(shape, &k);
					}
}

static void gauges(const struct shape *shape, const struct tp_isa *isa, visitor visit)
{
	static const enum tp_kernel_kind kinds[] = { TP_KERNEL_CHASE, TP_KERNEL_CHAIN,
						     TP_KERNEL_WIDTH };
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++) {
		struct tp_kernel k = { .kind = kinds[i], .isa = isa, .element_bytes = 8 };
		visit(shape, &k);
		k.body.unroll = 17;
		visit(shape, &k);
	}
}

static void for_all(visitor visit)
{
	for (size_t i = 0; i < TP_COUNT_OF(shapes); i++) {
		struct tp_isa isa = isa_of(&shapes[i]);
		memory_kernels(&shapes[i], &isa, visit);
		fp_kernels(&shapes[i], &isa, visit);
		mixed_kernels(&shapes[i], &isa, visit);
		gauges(&shapes[i], &isa, visit);
	}
}

static void emit(const struct shape *shape, const struct tp_kernel *k, struct tp_code *code)
{
	struct tp_diag diag = { .what = "" };
	char name[64], body[64];
	if (tp_kernel_emit(k, &cpu, code, &diag) != TP_OK)
		fail_msg("%s %s, %s, %u bytes m%u: %s", k->isa->name,
			 tp_kernel_name(k, name, sizeof(name)),
			 tp_body_name(&k->body, body, sizeof(body)), shape->vector_bytes,
			 shape->lmul, diag.what);
}

/* --- dictionaries: one for vectors of version 1.0, one for 0.7 --- */

static struct machine_dictionary words[2];

static struct machine_dictionary *dictionary_of(const struct tp_isa *isa)
{
	return &words[strcmp(isa->name, "rvv0.7") == 0];
}

static void learn(const struct shape *shape, const struct tp_kernel *k)
{
	struct tp_code code;
	emit(shape, k, &code);
	machine_learn(dictionary_of(k->isa), &code);
	tp_code_release(&code);
}

static int ask_disassembler(void **state)
{
	(void)state;
	for_all(learn);
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (machine_ask(&words[i]) && !words[i].known)
			return -1; /* some lines were not understood */
	return 0;
}

static int forget(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		machine_forget(&words[i]);
	return 0;
}

/* --- what is printed --- */

/* Our line "   1c:  addi a5,a5,-1" without its place, a branch with its distance. */
static void own_text(const char *line, size_t at, char *out, size_t size)
{
	const char *text = strchr(line, ':') + 3;
	snprintf(out, size, "%s", text);
	char *target = strrchr(out, ',');
	bool jumps = out[0] == 'j' || strncmp(out, "b", 1) == 0;
	if (jumps && target && strncmp(target + 1, "0x", 2) == 0)
		snprintf(target + 1, size - (size_t)(target + 1 - out), "%ld",
			 (long)strtoull(target + 1, NULL, 16) - (long)at);
}

static void text_is_that_of_binutils(void **state)
{
	(void)state;
	const struct machine_dictionary *d = &words[0];
	if (!d->known) {
		print_message("SKIPPED: no riscv64-linux-gnu-objdump that knows vectors\n");
		skip();
	}
	for (size_t i = 0; i < d->n; i++) {
		struct tp_str out = { 0 };
		char ours[96];
		assert_int_equal(tp_riscv_disassemble(&d->meanings[i].word, 4, &out), TP_OK);
		own_text(tp_str_text(&out), 0, ours, sizeof(ours));
		ours[strcspn(ours, "\n")] = '\0';
		assert_string_equal(ours, d->meanings[i].text);
		tp_str_release(&out);
	}
}

/*
 * binutils do not know version 0.7. They know the part that both versions share; the specification
 * has the rest.
 */
static void text_of_the_older_version(void **state)
{
	(void)state;
	static const struct {
		uint32_t word;
		const char *text;
	} lines[] = {
		{ 0x00c077d7, "th.vsetvli a5,zero,e64,m1" },
		{ 0x00f077d7, "th.vsetvli a5,zero,e64,m8" },
		{ 0x0097f057, "th.vsetvli zero,a5,e32,m2" },
		{ 0x02057e07, "th.vle.v v28,(a0)" },
		{ 0x0203fd27, "th.vse.v v26,(t2)" },
		{ 0x02ee1757, "th.vfadd.vv v14,v14,v28" },
		{ 0xb3ee1057, "th.vfmacc.vv v0,v28,v30" },
	};
	uint32_t code[TP_COUNT_OF(lines)];
	struct tp_str out = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		code[i] = lines[i].word;
	assert_int_equal(tp_riscv_disassemble(code, sizeof(code), &out), TP_OK);
	const char *at = tp_str_text(&out);
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++, at = strchr(at, '\n') + 1) {
		char want[96];
		snprintf(want, sizeof(want), "%6zx:  %s\n", 4 * i, lines[i].text);
		assert_memory_equal(at, want, strlen(want));
	}
	tp_str_release(&out);
	assert_int_equal(tp_riscv_vtype(true, 8, 1), 0xc);
	assert_int_equal(tp_riscv_vtype(true, 4, 8), 0xb);
}

/* --- what is done --- */

static void hold_counts(const struct shape *shape, const struct tp_kernel *k,
			const struct machine_counts *found, uint64_t passes)
{
	struct tp_kernel_counts want;
	char name[64], body[64];
	bool gauge = k->kind == TP_KERNEL_CHAIN || k->kind == TP_KERNEL_WIDTH;
	bool chase = k->kind == TP_KERNEL_CHASE;
	tp_kernel_count(k, &cpu, &want);
	const struct {
		const char *what;
		uint64_t found, want;
	} rows[] = {
		{ "loads", chase ? found->integer_loads : found->loads, want.loads },
		{ "stores", found->stores, want.stores },
		{ "loaded bytes", chase ? 8 * found->integer_loads : found->loaded_bytes,
		  want.loaded_bytes },
		{ "stored bytes", found->stored_bytes, want.stored_bytes },
		{ "FP instructions", found->fp, want.fp },
		{ "FLOPs", found->flops, want.flops },
		/* The loop takes one more. */
		{ "additions", gauge ? found->integer - passes : 0, want.other },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (rows[i].found != rows[i].want * passes)
			fail_msg("%s %s, %s, %u-byte elements, %llu bytes, stride %u, vectors of "
				 "%u: %llu %s, not %llu",
				 k->isa->name, tp_kernel_name(k, name, sizeof(name)),
				 tp_body_name(&k->body, body, sizeof(body)), k->element_bytes,
				 (unsigned long long)k->working_set_bytes, k->stride,
				 shape->vector_bytes, (unsigned long long)rows[i].found,
				 rows[i].what, (unsigned long long)(rows[i].want * passes));
}

static size_t data_bytes_of(const struct tp_kernel *k)
{
	if (k->kind == TP_KERNEL_FP)
		return TP_KERNEL_DATA_BYTES;
	return k->working_set_bytes ? k->working_set_bytes : 8;
}

/* Each byte is touched once a pass, and nothing else is. */
static void run_one(const struct shape *shape, const struct tp_kernel *k)
{
	enum { PASSES = 2 };
	struct tp_code code;
	struct machine_counts counts;
	char why[MACHINE_WHY_BYTES], name[64], body[64];
	size_t bytes = data_bytes_of(k);
	unsigned char *data = calloc(1, bytes);
	uint8_t *touched = calloc(1, bytes);
	assert_true(data && touched);
	const uint64_t start = MACHINE_DATA_AT;
	memcpy(data, &start, sizeof(start)); /* a chase that stays where it is */
	const struct machine machine = { .dictionary = dictionary_of(k->isa),
					 .vector_bytes = shape->vector_bytes,
					 .old = strcmp(k->isa->name, "rvv0.7") == 0,
					 .data = data,
					 .data_bytes = bytes,
					 .touched = touched,
					 .max_instructions = 1000000 };
	emit(shape, k, &code);
	if (!machine_run(&machine, &code, PASSES, &counts, why))
		fail_msg("%s %s, %s, %llu bytes, stride %u, vectors of %u: %s", k->isa->name,
			 tp_kernel_name(k, name, sizeof(name)),
			 tp_body_name(&k->body, body, sizeof(body)),
			 (unsigned long long)k->working_set_bytes, k->stride, shape->vector_bytes,
			 why);
	hold_counts(shape, k, &counts, PASSES);
	for (size_t i = 0; i < bytes && k->working_set_bytes && k->stride <= 1; i++)
		if (touched[i] != PASSES)
			fail_msg("%s %s, %s, %llu bytes, vectors of %u: byte %zu touched %u times",
				 k->isa->name, tp_kernel_name(k, name, sizeof(name)),
				 tp_body_name(&k->body, body, sizeof(body)),
				 (unsigned long long)k->working_set_bytes, shape->vector_bytes, i,
				 touched[i]);
	assert_true(code.loop_end > code.loop_begin && code.loop_end <= code.bytes);
	tp_code_release(&code);
	free(data);
	free(touched);
}

static void kernels_do_what_they_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (!words[i].known)
			skip();
	for_all(run_one);
}

/* --- constants and refusals --- */

static void constants_are_loaded(void **state)
{
	(void)state;
	static const int64_t values[] = { 0,
					  1,
					  -1,
					  2047,
					  2048,
					  -2048,
					  -2049,
					  4096,
					  0x7fffffff,
					  0x7ffff800,
					  0x7ffff7ff,
					  0x80000000,
					  INT32_MIN,
					  -4097,
					  INT64_C(1) << 40,
					  (INT64_C(1) << 40) - 1,
					  0x123456789abcdef,
					  INT64_MIN,
					  INT64_MAX };
	enum { REG = X_T0, MOST = 16 };
	struct machine_dictionary dictionary = { 0 };
	static struct tp_code code[TP_COUNT_OF(values)];
	for (size_t i = 0; i < TP_COUNT_OF(values); i++) {
		struct tp_assembler as;
		assert_int_equal(tp_code_init(&code[i], 4096, NULL), TP_OK);
		tp_asm_init(&as, code[i].map, 4096);
		tp_riscv_li(&as, REG, values[i]);
		tp_riscv_put(&as, TP_RISCV_SD, REG, 0, X_A0, 0);
		tp_riscv_put(&as, TP_RISCV_JALR, X_ZERO, 0, X_RA, 0);
		code[i].bytes = tp_asm_here(&as);
		assert_false(as.failed);
		assert_true(code[i].bytes <= MOST * 4);
		machine_learn(&dictionary, &code[i]);
	}
	bool known = machine_ask(&dictionary);
	for (size_t i = 0; i < TP_COUNT_OF(values); i++) {
		int64_t found = 0;
		char why[MACHINE_WHY_BYTES];
		struct machine_counts counts;
		const struct machine machine = { .dictionary = &dictionary,
						 .data = (unsigned char *)&found,
						 .data_bytes = sizeof(found),
						 .max_instructions = MOST };
		if (known) {
			if (!machine_run(&machine, &code[i], 1, &counts, why))
				fail_msg("%s", why);
			assert_int_equal(found, values[i]);
		}
		tp_code_release(&code[i]);
	}
	machine_forget(&dictionary);
	if (!known)
		skip();
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	struct tp_cpu plain = { .arch = "riscv64", .features = "d" };
	struct tp_code code;
	struct tp_diag diag = { .what = "" };
	struct tp_isa isa = isa_of(&shapes[1]);
	struct tp_kernel k = { .kind = TP_KERNEL_MIXED,
			       .isa = &isa,
			       .element_bytes = 8,
			       .loads = 2,
			       .stores = 1,
			       .working_set_bytes = 4096,
			       .fp_op = TP_FP_FMA,
			       .fp_count = 1,
			       .mem_count = 1,
			       .body.lmul = 8 };
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "too few"));
	k.body.lmul = 3;
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_USAGE);
	k.body.lmul = 1;
	assert_int_equal(tp_kernel_emit(&k, &plain, &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "needs v"));
	/* Only vectors come in groups. */
	k.isa = &tp_isa_riscv_scalar;
	k.body.lmul = 2;
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_USAGE);
	k.body.lmul = 0;
	k.nontemporal = true;
	assert_int_equal(tp_kernel_emit(&k, &plain, &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "zihintntl"));
	/* Longer than the data block of FP kernels. */
	isa.vector_bytes = 512;
	k = (struct tp_kernel){
		.kind = TP_KERNEL_FP, .isa = &isa, .element_bytes = 8, .fp_op = TP_FP_ADD
	};
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "512"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_that_of_binutils),
		cmocka_unit_test(text_of_the_older_version),
		cmocka_unit_test(kernels_do_what_they_say),
		cmocka_unit_test(constants_are_loaded),
		cmocka_unit_test(what_cannot_be_is_refused),
	};
	return cmocka_run_group_tests(tests, ask_disassembler, forget);
}
