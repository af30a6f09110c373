/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps of kernel descriptions through emit_check, and refused descriptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"
#include "tests/unit/emit_check.h"
#include "tests/unit/seeds.h"
#include "base/memory.h"
#include "kernels/arch.h"

static const unsigned ratios[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 1 },
				      { 3, 1 }, { 1, 2 }, { 4, 3 }, { 7, 5 } };
static const uint64_t sizes[] = {
	64, 128, 192, 1024, 4032, 12 * 1024, 16 * 1024 + 64, 256 * 1024 + 192
};
static const unsigned unrolls[] = { 64, 256, 512 };
static const struct {
	unsigned lanes;
	bool two_streams;
} layouts[] = { { 1, false }, { 2, false }, { 4, false }, { 8, false }, { 0, true } };
static const unsigned strides[] = { 1, 2, 3 };
static const unsigned mixes[][2] = { { 1, 1 }, { 1, 4 }, { 3, 2 }, { 8, 1 }, { 16, 1 }, { 1, 16 } };

/*
 * One case in SHARE of a cross product. The weights of the callers are different residues of a
 * prime, so the selected cases contain every combination of any few factors, if the others can
 * complete the sum.
 */
enum { SHARE = 13 };

static bool is_selected(size_t weighted_sum)
{
	return weighted_sum % SHARE == 0;
}

static int open_capstone(void **state)
{
	if (!tp_arch_host() || strcmp(tp_arch_host()->name, "x86_64") != 0)
		return 0; /* each case skips itself */
	csh handle = decode_open();
	if (!handle)
		return -1;
	*state = (void *)(uintptr_t)handle;
	return 0;
}

static int close_capstone(void **state)
{
	csh handle = (csh)(uintptr_t)*state;
	if (handle)
		cs_close(&handle);
	return 0;
}

static csh capstone_of(void **state)
{
	if (!*state)
		skip();
	return (csh)(uintptr_t)*state;
}

static void hold(csh capstone, const struct emit_target *target, const struct tp_kernel *kernel)
{
	char why[EMIT_WHY_BYTES];
	if (!emit_check(capstone, target, kernel, why))
		fail_msg("%s", why);
}

static struct tp_kernel memory_kernel(const struct emit_target *target, unsigned element_bytes,
				      const unsigned ratio[2], uint64_t working_set_bytes)
{
	return (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
				   .isa = tp_isa_find(target->isa),
				   .element_bytes = element_bytes,
				   .loads = ratio[0],
				   .stores = ratio[1],
				   .working_set_bytes = working_set_bytes };
}

/*
 * Strides that leave no access are refused, and lanes of different lengths or with two streams.
 */
static bool can_be_emitted(const struct tp_kernel *k)
{
	uint64_t step = (uint64_t)tp_isa_operand_bytes(k->isa, k->element_bytes) *
			(k->stride ? k->stride : 1);
	uint64_t accesses = k->working_set_bytes / step;
	unsigned lanes = k->body.lanes ? k->body.lanes : 1;
	return accesses > 0 && (lanes == 1 || (accesses % lanes == 0 && !k->body.two_streams));
}

static void hold_or_refuse(csh capstone, const struct emit_target *target,
			   const struct tp_kernel *k, bool selected)
{
	struct tp_diag diag = { .what = "" };
	enum tp_status status = tp_kernel_check(k, &diag);
	char text[256];
	emit_describe(target, k, text, sizeof(text));
	if (can_be_emitted(k) != (status == TP_OK))
		fail_msg("%s: check says \"%s\"", text, diag.what);
	if (status != TP_OK) {
		assert_int_equal(status, TP_USAGE);
		assert_true(diag.what[0] != '\0');
	} else if (selected) {
		hold(capstone, target, k);
	}
}

static void sweep_memory(csh capstone, const struct emit_target *target, size_t t)
{
	for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
		for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
			for (size_t l = 0; l < TP_COUNT_OF(layouts); l++)
				for (size_t rest = 0; rest < 36; rest++) {
					size_t u = rest % 3, d = rest / 3 % 3, nt = rest / 9 % 2;
					size_t e = rest / 18;
					struct tp_kernel k = memory_kernel(target, e ? 4 : 8,
									   ratios[r], sizes[s]);
					k.nontemporal = nt;
					k.stride = strides[d];
					k.body.unroll = unrolls[u];
					k.body.lanes = layouts[l].lanes;
					k.body.two_streams = layouts[l].two_streams;
					hold_or_refuse(capstone, target, &k,
						       is_selected(t + 2 * r + 3 * s + 4 * l +
								   5 * u + 6 * e + 8 * nt + 9 * d));
				}
}

static void memory_kernels_touch_every_byte_once(void **state)
{
	csh capstone = capstone_of(state);
	for (size_t t = 0; t < emit_target_count; t++)
		sweep_memory(capstone, &emit_targets[t], t);
}

/* The default body and ratio at every size, since presets use them most. None is left out. */
static void default_bodies_hold_at_every_size(void **state)
{
	csh capstone = capstone_of(state);
	static const uint64_t odd[] = { 64,   2048, 4096,  6144,     16384,
					4160, 8128, 49216, 1u << 20, (1u << 20) + 64 };
	for (size_t t = 0; t < emit_target_count; t++)
		for (size_t s = 0; s < TP_COUNT_OF(odd); s++) {
			const unsigned ratio[2] = { 2, 1 };
			struct tp_kernel k = memory_kernel(&emit_targets[t], 8, ratio, odd[s]);
			hold(capstone, &emit_targets[t], &k);
		}
}

/* Bodies whose ends fit the rotation of accumulators: those that experiments race, and others. */
static const struct tp_body fp_bodies[] = {
	{ 0 },
	{ .unroll = 64 },
	{ .unroll = 256 },
	{ .unroll = 480 },
	{ .unroll = 240, .fma_run = 1, .add_run = 1 },
	{ .unroll = 216, .fma_run = 2, .add_run = 1 },
	{ .unroll = 288, .fma_run = 3, .add_run = 1 },
	{ .unroll = 240, .fma_run = 1, .add_run = 2 },
	{ .unroll = 280, .fma_run = 4, .add_run = 3 },
	{ .unroll = 360, .fma_run = 1, .add_run = 1, .fma_registers = 9, .add_registers = 5 },
	{ .unroll = 240, .fma_run = 1, .add_run = 1, .fma_registers = 10, .add_registers = 4 },
	{ .unroll = 440, .fma_run = 1, .add_run = 1, .fma_registers = 11, .add_registers = 4 },
};

static void fp_kernels_compute_what_they_say(void **state)
{
	csh capstone = capstone_of(state);
	for (size_t t = 0; t < emit_target_count; t++)
		for (int op = TP_FP_ADD; op < TP_FP_DOT; op++)
			for (size_t i = 0; i < 2 * TP_COUNT_OF(fp_bodies); i++) {
				struct tp_kernel k = { .kind = TP_KERNEL_FP,
						       .isa = tp_isa_find(emit_targets[t].isa),
						       .element_bytes = i % 2 ? 4 : 8,
						       .fp_op = (enum tp_fp_op)op,
						       .body = fp_bodies[i / 2] };
				if (op == TP_FP_FMA_ADD || !k.body.fma_run)
					hold(capstone, &emit_targets[t], &k);
			}
}

/* Counts of both operations of a pair for all runs. */
static void fma_add_runs_have_their_ratio(void **state)
{
	capstone_of(state);
	const struct emit_target *target = &emit_targets[2];
	struct tp_cpu cpu = emit_target_cpu(target);
	for (unsigned fma = 0; fma <= 4; fma++)
		for (unsigned add = fma ? 0 : 1; add <= 4; add++) {
			struct tp_kernel k = { .kind = TP_KERNEL_FP,
					       .isa = tp_isa_find(target->isa),
					       .element_bytes = 8,
					       .fp_op = TP_FP_FMA_ADD };
			k.body = (struct tp_body){ .unroll = 20 * (fma + add),
						   .fma_run = fma,
						   .add_run = add };
			struct tp_kernel_counts counts;
			tp_kernel_count(&k, &cpu, &counts);
			assert_int_equal(counts.fp, 20 * (fma + add));
			assert_int_equal(counts.flops, 4 * 20 * (2 * fma + add));
		}
}

static void sweep_mixed(csh capstone, const struct emit_target *target, size_t t, enum tp_fp_op op)
{
	for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
		for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
			for (size_t m = 0; m < TP_COUNT_OF(mixes); m++)
				for (size_t rest = 0; rest < 60; rest++) {
					size_t e = rest % 2, nt = rest / 2 % 2, u = rest / 4 % 3;
					size_t l = rest / 12;
					if (!is_selected(t + 2 * r + 3 * s + 4 * m + 5 * e +
							 6 * nt + 7 * l + 8 * u + 9 * op))
						continue;
					/* These bodies are long, so more of them are left out. */
					if (((t + s + r) * 7 + m * 3 + rest) % TP_SEEDS(17, 67))
						continue;
					struct tp_kernel k = memory_kernel(target, e ? 4 : 8,
									   ratios[r], sizes[s]);
					k.kind = TP_KERNEL_MIXED;
					k.fp_op = op;
					k.fp_count = mixes[m][0];
					k.mem_count = mixes[m][1];
					k.nontemporal = nt;
					k.body.unroll = unrolls[u];
					k.body.lanes = layouts[l].lanes;
					k.body.two_streams = layouts[l].two_streams;
					hold_or_refuse(capstone, target, &k, true);
				}
}

static void mixed_kernels_interleave(void **state)
{
	csh capstone = capstone_of(state);
	for (size_t t = 0; t < emit_target_count; t++)
		for (int op = TP_FP_ADD; op < TP_FP_DOT; op++)
			sweep_mixed(capstone, &emit_targets[t], t, (enum tp_fp_op)op);
}

static void mixed_pairs_restart_with_the_body(void **state)
{
	csh capstone = capstone_of(state);
	/*
	 * 252 accesses and 63 FP instructions a body: an odd number, so a pair could lose step with
	 * its counts.
	 */
	const unsigned ratio[2] = { 2, 1 };
	for (size_t t = 0; t < emit_target_count; t++) {
		struct tp_kernel k = memory_kernel(&emit_targets[t], 8, ratio, 64 * 1024);
		k.kind = TP_KERNEL_MIXED;
		k.fp_op = TP_FP_FMA_ADD;
		k.fp_count = 1;
		k.mem_count = 4;
		hold(capstone, &emit_targets[t], &k);
	}
}

static void kernels_over_arrays_do_what_their_names_say(void **state)
{
	csh capstone = capstone_of(state);
	static const struct {
		const char *name;
		unsigned loads, stores, flops; /* of an element of the arrays */
	} known[] = { { "copy", 1, 1, 0 },  { "scale", 1, 1, 1 }, { "add", 2, 1, 1 },
		      { "triad", 2, 1, 2 }, { "daxpy", 2, 1, 2 }, { "dot", 2, 0, 2 },
		      { "update", 1, 1, 1 } };
	const unsigned any[2] = { 1, 0 };
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		const struct tp_array_kernel *array = tp_array_kernel_find(known[i].name);
		assert_non_null(array);
		for (size_t t = 0; t < emit_target_count; t++) {
			struct tp_kernel k = memory_kernel(&emit_targets[t], 8, any, 48 * 1024);
			struct tp_cpu cpu = emit_target_cpu(&emit_targets[t]);
			struct tp_kernel_counts c;
			char name[32];
			tp_array_kernel_set(array, &cpu, &k);
			assert_string_equal(tp_kernel_name(&k, name, sizeof(name)), known[i].name);
			tp_kernel_count(&k, &cpu, &c);
			const unsigned group = known[i].loads + known[i].stores;
			const uint64_t elements = (c.loaded_bytes + c.stored_bytes) / 8 / group;
			assert_int_equal(c.loaded_bytes, 8 * elements * known[i].loads);
			assert_int_equal(c.stored_bytes, 8 * elements * known[i].stores);
			assert_int_equal(c.flops, elements * known[i].flops);
			/* The rate is in bytes, with or without arithmetic. */
			assert_int_equal((uint64_t)tp_kernel_work(&k, &c),
					 c.loaded_bytes + c.stored_bytes);
			hold(capstone, &emit_targets[t], &k);
		}
	}
	assert_null(tp_array_kernel_find("load"));
}

static void a_chain_is_4096_dependent_additions(void **state)
{
	csh capstone = capstone_of(state);
	struct tp_kernel k = { .kind = TP_KERNEL_CHAIN, .isa = tp_isa_find("scalar") };
	struct tp_kernel_counts counts;
	for (size_t t = 0; t < emit_target_count; t++) {
		struct tp_cpu cpu = emit_target_cpu(&emit_targets[t]);
		tp_kernel_count(&k, &cpu, &counts);
		assert_int_equal(counts.other, 4096);
		assert_int_equal(counts.loads + counts.stores + counts.fp, 0);
		hold(capstone, &emit_targets[t], &k);
	}
}

static void a_chase_follows_pointers(void **state)
{
	csh capstone = capstone_of(state);
	static const unsigned depths[] = { 0, 1, 7, 512 };
	for (size_t t = 0; t < emit_target_count; t++)
		for (size_t i = 0; i < TP_COUNT_OF(depths); i++) {
			struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
					       .isa = tp_isa_find(emit_targets[t].isa),
					       .element_bytes = 8,
					       .body.unroll = depths[i] };
			struct tp_cpu cpu = emit_target_cpu(&emit_targets[t]);
			struct tp_kernel_counts counts;
			tp_kernel_count(&k, &cpu, &counts);
			assert_int_equal(counts.loads, depths[i] ? depths[i] : 256);
			assert_int_equal(counts.loaded_bytes, 8 * counts.loads);
			assert_int_equal(counts.stores + counts.fp + counts.other, 0);
			struct emit_target target = emit_targets[t];
			hold(capstone, &target, &k);
		}
}

static void nonsense_is_refused_in_words(void **state)
{
	capstone_of(state);
	const struct tp_isa *avx2 = tp_isa_find("avx2");
#define BASE .kind = TP_KERNEL_MEMORY, .isa = avx2
	const struct tp_kernel bad[] = {
		{ BASE, .element_bytes = 3, .loads = 1, .working_set_bytes = 64 },
		{ BASE, .element_bytes = 8, .working_set_bytes = 64 },
		{ BASE, .element_bytes = 8, .loads = 65, .working_set_bytes = 64 },
		{ BASE, .element_bytes = 8, .loads = 1, .stores = 65, .working_set_bytes = 64 },
		{ BASE, .element_bytes = 8, .loads = 1 },
		{ BASE, .element_bytes = 8, .loads = 1, .working_set_bytes = 100 },
		{ BASE, .element_bytes = 8, .loads = 1, .working_set_bytes = 64, .stride = 3 },
		{ BASE, .element_bytes = 8, .loads = 1, .working_set_bytes = 64,
		  .body.unroll = 4097 },
		{ BASE, .element_bytes = 8, .loads = 1, .working_set_bytes = 4096,
		  .body.lanes = 32 },
		{ BASE, .element_bytes = 8, .loads = 1, .stores = 1, .working_set_bytes = 4096,
		  .body.lanes = 2, .body.two_streams = true },
		/* Four-byte displacements end at 2 GiB. */
		{ BASE, .element_bytes = 8, .loads = 1, .working_set_bytes = UINT64_C(1) << 34,
		  .stride = 1u << 20 },
		{ .kind = TP_KERNEL_CHASE, .isa = avx2, .element_bytes = 4 },
		{ .kind = TP_KERNEL_FP, .isa = avx2, .element_bytes = 8 },
		{ .kind = TP_KERNEL_FP, .isa = avx2, .element_bytes = 2, .fp_op = TP_FP_ADD },
		{ .kind = TP_KERNEL_MIXED,
		  .isa = avx2,
		  .element_bytes = 8,
		  .loads = 1,
		  .working_set_bytes = 64,
		  .fp_count = 1,
		  .mem_count = 1 },
		{ .kind = TP_KERNEL_MIXED,
		  .isa = avx2,
		  .element_bytes = 8,
		  .loads = 1,
		  .working_set_bytes = 64,
		  .fp_op = TP_FP_ADD,
		  .mem_count = 1 },
		{ .kind = TP_KERNEL_MIXED,
		  .isa = avx2,
		  .element_bytes = 8,
		  .loads = 1,
		  .working_set_bytes = 64,
		  .fp_op = TP_FP_ADD,
		  .fp_count = 1 },
		/* A body must hold whole groups of both kinds. */
		{ .kind = TP_KERNEL_MIXED,
		  .isa = avx2,
		  .element_bytes = 8,
		  .loads = 1,
		  .stores = 1,
		  .working_set_bytes = 64,
		  .fp_op = TP_FP_ADD,
		  .fp_count = 1,
		  .mem_count = 1000003 },
		{ .kind = TP_KERNEL_MIXED,
		  .isa = avx2,
		  .element_bytes = 8,
		  .loads = 1,
		  .working_set_bytes = 4096,
		  .fp_op = TP_FP_ADD,
		  .fp_count = 1000000,
		  .mem_count = 1 },
	};
#undef BASE
	size_t accepted = 0;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		struct tp_diag diag = { .what = "" };
		enum tp_status status = tp_kernel_check(&bad[i], &diag);
		if (status != TP_USAGE || !diag.what[0]) {
			print_error("nonsense %zu is %s: \"%s\"\n", i, tp_status_name(status),
				    diag.what);
			accepted++;
			continue;
		}
		struct tp_cpu cpu = emit_target_cpu(&emit_targets[2]);
		struct tp_code code;
		assert_int_equal(tp_kernel_emit(&bad[i], &cpu, &code, &diag), TP_USAGE);
	}
	assert_int_equal(accepted, 0);
}

/* The registers of both kinds are those that the body names, and no more than there are. */
static void pairs_share_registers(void **state)
{
	static const struct {
		unsigned fma, add;
		enum tp_status status;
	} rows[] = { { 8, 6, TP_OK }, { 10, 4, TP_OK }, { 11, 4, TP_OK }, { 12, 4, TP_USAGE } };

	capstone_of(state);
	const struct emit_target *target = &emit_targets[2];
	struct tp_cpu cpu = emit_target_cpu(target);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = tp_isa_find(target->isa),
				       .element_bytes = 8,
				       .fp_op = TP_FP_FMA_ADD,
				       .body = { .unroll = 240,
						 .fma_run = 1,
						 .add_run = 1,
						 .fma_registers = rows[i].fma,
						 .add_registers = rows[i].add } };
		struct tp_code code = { 0 };
		struct tp_diag diag;
		bool emitted = tp_kernel_emit(&k, &cpu, &code, &diag) == TP_OK;
		assert_int_equal(emitted, rows[i].status == TP_OK);
		tp_code_release(&code);
	}
}

static void missing_features_are_named(void **state)
{
	capstone_of(state);
	static const struct {
		const char *isa, *features, *missing;
	} rows[] = {
		{ "scalar", "", "sse2" },
		{ "sse", "avx fma", "sse2" },
		{ "avx2", "sse2", "avx" },
		{ "avx2", "sse2 avx avx2", "fma" },
		{ "avx512", "sse2 avx fma avx2", "avx512f" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct emit_target target = { .isa = rows[i].isa, .features = rows[i].features };
		struct tp_cpu cpu = emit_target_cpu(&target);
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = tp_isa_find(rows[i].isa),
				       .element_bytes = 8,
				       .fp_op = TP_FP_ADD };
		struct tp_code code;
		struct tp_diag diag;
		char needs[64];
		snprintf(needs, sizeof(needs), "needs %s,", rows[i].missing);
		assert_int_equal(tp_kernel_emit(&k, &cpu, &code, &diag), TP_UNSUPPORTED);
		if (!strstr(diag.what, needs))
			fail_msg("\"%s\" does not say \"%s\"", diag.what, needs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_kernels_touch_every_byte_once),
		cmocka_unit_test(default_bodies_hold_at_every_size),
		cmocka_unit_test(fp_kernels_compute_what_they_say),
		cmocka_unit_test(fma_add_runs_have_their_ratio),
		cmocka_unit_test(pairs_share_registers),
		cmocka_unit_test(mixed_kernels_interleave),
		cmocka_unit_test(mixed_pairs_restart_with_the_body),
		cmocka_unit_test(kernels_over_arrays_do_what_their_names_say),
		cmocka_unit_test(a_chain_is_4096_dependent_additions),
		cmocka_unit_test(a_chase_follows_pointers),
		cmocka_unit_test(nonsense_is_refused_in_words),
		cmocka_unit_test(missing_features_are_named),
	};
	return cmocka_run_group_tests(tests, open_capstone, close_capstone);
}
