/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The emulated core: its caches and predictor by hand, and the counting kernels of every family
 * against the expectations of its basis.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "counters/emulation.h"
#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/step.h"
#include "preset/basis.h"
#include "tests/unit/files.h"

static const struct tp_emulated_machine small = {
	.data = { { 0 }, { 2048, 64, 4 }, { 16384, 64, 8 }, { 65536, 64, 16 } },
	.code = { 2048, 64, 8 },
	.history_bits = 4,
	.wrong_path_instructions = 64,
};

static void walk_lines(struct tp_hierarchy *h, unsigned lines, bool write, unsigned from[5])
{
	for (unsigned i = 0; i < lines; i++)
		from[tp_hierarchy_access(h, 0x10000 + i * 64ull, 8, write)]++;
}

static void a_buffer_hits_the_level_that_holds_it(void **state)
{
	(void)state;
	static const struct {
		unsigned lines, level;
	} cases[] = { { 1, 1 },	  { 32, 1 },   { 64, 2 },   { 256, 2 },
		      { 512, 3 }, { 1024, 3 }, { 2048, 4 }, { 4096, 4 } };
	for (size_t c = 0; c < TP_COUNT_OF(cases); c++) {
		struct tp_hierarchy h;
		unsigned cold[5] = { 0 }, warm[5] = { 0 };
		tp_hierarchy_init(&h, &small);
		walk_lines(&h, cases[c].lines, false, cold);
		walk_lines(&h, cases[c].lines, false, warm);
		assert_int_equal(cold[TP_HIERARCHY_MEMORY], cases[c].lines);
		assert_int_equal(warm[cases[c].level], cases[c].lines);
		tp_hierarchy_clear(&h);
		walk_lines(&h, 1, false, cold);
		assert_int_equal(cold[TP_HIERARCHY_MEMORY], cases[c].lines + 1);
		tp_hierarchy_release(&h);
	}
}

static void the_least_recently_used_line_goes(void **state)
{
	(void)state;
	struct tp_cache_model unused;
	struct tp_hierarchy h;
	struct tp_emulated_machine one = { .data = { { 0 }, { 256, 64, 4 } } };
	tp_hierarchy_init(&h, &one);
	for (uint64_t line = 0; line < 4; line++)
		assert_int_equal(tp_hierarchy_access(&h, line * 64, 8, false), TP_HIERARCHY_MEMORY);
	assert_int_equal(tp_hierarchy_access(&h, 0, 8, false), 1);
	assert_int_equal(tp_hierarchy_access(&h, 4 * 64, 8, false), TP_HIERARCHY_MEMORY);
	assert_int_equal(tp_hierarchy_access(&h, 0, 8, false), 1); /* used again: stayed */
	assert_int_equal(tp_hierarchy_access(&h, 64, 8, false), TP_HIERARCHY_MEMORY);
	tp_hierarchy_release(&h);
	/* A cache that is not there. */
	tp_cache_model_init(&unused, &(struct tp_emulated_cache){ 0 });
	assert_null(unused.slots);
}

static void an_access_across_lines_needs_both(void **state)
{
	(void)state;
	struct tp_hierarchy h;
	tp_hierarchy_init(&h, &small);
	tp_hierarchy_access(&h, 0, 8, false);
	assert_int_equal(tp_hierarchy_access(&h, 60, 8, false), TP_HIERARCHY_MEMORY);
	assert_int_equal(tp_hierarchy_access(&h, 60, 8, false), 1);
	assert_int_equal(tp_hierarchy_access(&h, 64, 64, false), 1);
	assert_int_equal(tp_hierarchy_access(&h, 65, 64, false), TP_HIERARCHY_MEMORY);
	tp_hierarchy_release(&h);
}

/*
 * Walking a buffer larger than all caches for writing sends one line to memory for each that comes
 * in, once all are full.
 */
static void modified_lines_are_written_once(void **state)
{
	(void)state;
	struct tp_hierarchy h;
	unsigned from[5] = { 0 };
	tp_hierarchy_init(&h, &small);
	walk_lines(&h, 4096, true, from);
	assert_true(h.writebacks > 0 && h.writebacks < 4096);
	uint64_t before = h.writebacks;
	walk_lines(&h, 4096, true, from);
	assert_int_equal(h.writebacks - before, 4096);
	before = h.writebacks;
	walk_lines(&h, 4096, false, from); /* what is still modified leaves */
	walk_lines(&h, 4096, false, from);
	assert_int_equal(h.writebacks, 2 * 4096);
	assert_true(h.writebacks > before);
	tp_hierarchy_clear(&h);
	before = h.writebacks;
	walk_lines(&h, 4096, false, from);
	assert_int_equal(h.writebacks, before);
	tp_hierarchy_release(&h);
}

static unsigned mispredictions(struct tp_predictor *p, size_t branch, const char *pattern,
			       unsigned rounds)
{
	unsigned n = 0;
	for (unsigned r = 0; r < rounds; r++)
		for (const char *c = pattern; *c; c++) {
			n += tp_predictor_taken(p, branch) != (*c == '1');
			tp_predictor_train(p, branch, *c == '1');
		}
	return n;
}

static void periods_are_learnt_and_streams_are_not(void **state)
{
	(void)state;
	struct tp_predictor p;
	tp_predictor_init(&p, 3, 4);
	assert_int_equal(mispredictions(&p, 0, "0", 100), 0);
	/*
	 * Each history that is met on the way needs two lessons: 0000, 0001, 0011, 0111, then twice
	 * 1111.
	 */
	assert_int_equal(mispredictions(&p, 1, "1", 100), 6);
	mispredictions(&p, 2, "0110", 10);
	assert_int_equal(mispredictions(&p, 2, "0110", 100), 0);
	/*
	 * A de Bruijn sequence of order 5 against a history of 4: every history goes on with
	 * either.
	 */
	tp_predictor_clear(&p);
	static const char stream[] = "00000100011001010011101011011111";
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(mispredictions(&p, 0, stream, 1), 16);
	/* Others have not noticed. */
	assert_int_equal(mispredictions(&p, 1, "0", 10), 0);
	tp_predictor_release(&p);

	/* One exception does not unsettle a strong habit. */
	tp_predictor_init(&p, 1, 0);
	assert_int_equal(mispredictions(&p, 0, "1111", 1), 2);
	assert_int_equal(mispredictions(&p, 0, "0", 1), 1);
	assert_int_equal(mispredictions(&p, 0, "1", 1), 0);
	tp_predictor_release(&p);
}

static bool can_step(void)
{
	return tp_stepper_supported(NULL) == TP_OK;
}

struct bench {
	struct tp_cpu cpu;
	struct tp_counting_machine machine;
	struct tp_emulated_machine emulated;
};

/* With a limit on instructions, so that the matrix products end in time. */
static void bench_init(struct bench *bench)
{
	tp_arch_identify(&bench->cpu);
	bench->emulated = small;
	bench->machine = (struct tp_counting_machine){ .icache_bytes = small.code.size_bytes,
						       .line_bytes = 64,
						       .page_bytes = 4096,
						       .stream_log2 = small.history_bits + 1,
						       .max_instructions = 200000 };
	for (int level = 1; level <= 3; level++)
		bench->machine.cache_bytes[level] = small.data[level].size_bytes;
}

/* Counts of one run from a cold start on fresh data. */
static void count_run(struct tp_emulation *e, const struct tp_counting *counting, void *data,
		      uint64_t passes, uint64_t *counts)
{
	struct tp_diag diag = { .what = "" };
	uint64_t before[TP_EMULATED_COUNT];
	memcpy(before, tp_emulation_counts(e), sizeof(before));
	tp_emulation_reset(e);
	counting->fill(counting, data, 7);
	if (tp_emulation_run(e, &counting->code, data, passes, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		counts[i] = tp_emulation_counts(e)[i] - before[i];
}

/* What each ideal event of a basis is called here. */
static int count_of_ideal(const char *name)
{
	static const struct {
		const char *ideal;
		enum tp_emulated_count count;
	} others[] = { { "L1IH", TP_EMULATED_L1I_HIT },
		       { "L1IM", TP_EMULATED_L1I_MISS },
		       { "L2IH", TP_EMULATED_L2I_HIT },
		       { "LOADED", TP_EMULATED_L3_READ_MISS },
		       { "ALLOCATED", TP_EMULATED_L3_WRITE_MISS },
		       { "WRITTEN", TP_EMULATED_WRITEBACKS },
		       { "L1DM", TP_EMULATED_L1D_READ_MISS },
		       { "L1DH", TP_EMULATED_L1D_READ_HIT },
		       { "L2DH", TP_EMULATED_L2_READ_HIT },
		       { "L3DH", TP_EMULATED_L3_READ_HIT },
		       { "CE", TP_EMULATED_COND_EXECUTED },
		       { "CR", TP_EMULATED_COND },
		       { "T", TP_EMULATED_COND_TAKEN },
		       { "TAKEN", TP_EMULATED_COND_TAKEN },
		       { "D", TP_EMULATED_JUMPS },
		       { "M", TP_EMULATED_MISPREDICTED } };
	for (size_t i = 0; i < TP_COUNT_OF(others); i++)
		if (strcmp(others[i].ideal, name) == 0)
			return (int)others[i].count;
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		if (strcmp(tp_emulated_name((enum tp_emulated_count)i), name) == 0)
			return (int)i;
	return -1;
}

/* Of a writing family the same ideal events are those of stores. */
static int count_of_write(const char *name)
{
	int count = count_of_ideal(name);
	return count >= TP_EMULATED_L1D_READ_HIT && count <= TP_EMULATED_L3_READ_MISS
		       ? count - TP_EMULATED_L1D_READ_HIT + TP_EMULATED_L1D_WRITE_HIT
		       : count;
}

static void *data_of(const struct tp_counting *counting)
{
	void *data = aligned_alloc(4096, (counting->data_bytes / 4096 + 1) * 4096);
	assert_non_null(data);
	return data;
}

static unsigned hold_row(const struct bench *bench, const struct tp_family *family,
			 const struct tp_basis *basis, unsigned row)
{
	enum { PASSES = 4 };
	struct tp_counting counting;
	struct tp_diag diag = { .what = "" };
	struct tp_emulation *e;
	uint64_t once[TP_EMULATED_COUNT], twice[TP_EMULATED_COUNT];
	char name[96];
	enum tp_status status =
		tp_counting_make(family, row, &bench->cpu, &bench->machine, &counting, &diag);
	if (status == TP_UNSUPPORTED || status == TP_RESOURCE)
		return 0;
	if (status != TP_OK)
		fail_msg("%s", diag.what);
	assert_string_equal(tp_family_row_name(family, row, name, sizeof(name)),
			    basis->rows[row].name);
	e = tp_emulation_new(&bench->emulated);
	void *data = data_of(&counting);
	count_run(e, &counting, data, PASSES, once);
	count_run(e, &counting, data, 2 * PASSES, twice);
	assert_int_equal(twice[TP_EMULATED_INSTRUCTIONS] - once[TP_EMULATED_INSTRUCTIONS],
			 PASSES * counting.instructions);
	for (size_t i = 0; i < basis->n_ideals; i++) {
		int count = count_of_ideal(basis->ideals[i].name);
		if (count < 0)
			fail_msg("nothing counts %s", basis->ideals[i].name);
		double value =
			(double)(twice[count] - once[count]) / (PASSES * counting.iterations);
		double expected = basis->rows[row].expect[i];
		if (value != expected)
			fail_msg("%s, row \"%s\": %s is %g instead of %g", family->name, name,
				 basis->ideals[i].name, value, expected);
	}
	free(data);
	tp_emulation_free(e);
	tp_counting_release(&counting);
	return 1;
}

/* One pass warms, then so many are counted that entry and exit weigh little. */
static unsigned hold_steady_row(const struct bench *bench, const struct tp_family *family,
				const struct tp_basis *basis, unsigned row)
{
	struct tp_counting counting;
	struct tp_diag diag = { .what = "" };
	struct tp_emulation *e;
	uint64_t before[TP_EMULATED_COUNT];
	enum tp_status status =
		tp_counting_make(family, row, &bench->cpu, &bench->machine, &counting, &diag);
	if (status == TP_UNSUPPORTED || status == TP_RESOURCE)
		return 0;
	if (status != TP_OK)
		fail_msg("%s", diag.what);
	e = tp_emulation_new(&bench->emulated);
	void *data = data_of(&counting);
	count_run(e, &counting, data, 1, before);
	memcpy(before, tp_emulation_counts(e), sizeof(before));
	uint64_t passes = 1 + (uint64_t)(200 / counting.iterations);
	if (tp_emulation_run(e, &counting.code, data, passes, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	for (size_t i = 0; i < basis->n_ideals; i++) {
		int count = strstr(family->name, "write") ? count_of_write(basis->ideals[i].name)
							  : count_of_ideal(basis->ideals[i].name);
		if (count < 0)
			fail_msg("nothing counts %s", basis->ideals[i].name);
		double value = (double)(tp_emulation_counts(e)[count] - before[count]) /
			       (counting.iterations * (double)passes);
		double expected = basis->rows[row].expect[i];
		if (value < expected - basis->alpha || value > expected + basis->alpha)
			fail_msg("%s, row \"%s\": %s is %g instead of %g", family->name,
				 basis->rows[row].name, basis->ideals[i].name, value, expected);
	}
	free(data);
	tp_emulation_free(e);
	tp_counting_release(&counting);
	return 1;
}

/* Every `step`-th row. */
static void hold_family(const char *name, unsigned step)
{
	struct bench bench;
	struct tp_basis basis;
	struct tp_diags diags = { 0 };
	char path[512];
	const struct tp_family *family = tp_family_find(name);
	assert_non_null(family);
	snprintf(path, sizeof(path), "%s/presets/bases/%s.yaml", source_dir(), name);
	if (tp_basis_load(&basis, path, &diags) != TP_OK)
		fail_msg("%s", diags.n ? diags.items[0].what : path);
	assert_int_equal(family->n_rows, basis.n_rows);
	bench_init(&bench);
	unsigned held = 0;
	for (unsigned row = 0; row < family->n_rows; row += step)
		held += family->method == TP_COUNT_STEADY
				? hold_steady_row(&bench, family, &basis, row)
				: hold_row(&bench, family, &basis, row);
	assert_true(held > 0);
	tp_basis_release(&basis);
	tp_diags_release(&diags);
}

static void flops_come_out_exactly(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("flops", 1);
}

static void branches_come_out_exactly(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("branch", 1);
}

static void instructions_come_out_exactly(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("instructions", 1);
}

static void caches_hit_where_the_buffer_lies(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("dcache-read", 1);
	hold_family("dcache-write", 1);
}

static void code_is_fetched_as_often_as_its_length_says(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("icache", 1);
}

static void memory_traffic_is_what_the_formulas_say(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("traffic", 1);
}

/* Every third size, up to the limit of the bench: they only differ in their numbers. */
static void linear_algebra_does_what_the_formulas_say(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	hold_family("blas", 3);
}

/* The same with the history that is usual: a longer stream. */
static void a_longer_history_changes_nothing(void **state)
{
	(void)state;
	struct bench bench;
	struct tp_counting counting;
	struct tp_emulation *e;
	uint64_t once[TP_EMULATED_COUNT], twice[TP_EMULATED_COUNT];
	const struct tp_family *family = tp_family_find("branch");
	if (!can_step())
		skip();
	bench_init(&bench);
	bench.emulated.history_bits = 8;
	bench.machine.stream_log2 = 9;
	/* "random": the fourth row of the specification. */
	assert_int_equal(tp_counting_make(family, 3, &bench.cpu, &bench.machine, &counting, NULL),
			 TP_OK);
	e = tp_emulation_new(&bench.emulated);
	void *data = data_of(&counting);
	count_run(e, &counting, data, 1, once);
	count_run(e, &counting, data, 2, twice);
	uint64_t missed = twice[TP_EMULATED_MISPREDICTED] - once[TP_EMULATED_MISPREDICTED];
	assert_true((double)missed == counting.iterations / 2);
	free(data);
	tp_emulation_free(e);
	tp_counting_release(&counting);
}

/* Another buffer at the same address, as large, with other code in it. */
static void new_code_at_an_old_address_is_noticed(void **state)
{
	(void)state;
	if (!can_step() || strcmp(tp_arch_host()->name, "x86_64") != 0)
		skip();
	static const unsigned char add[] = { 0xff, 0xc0, 0xc3 }; /* inc eax; ret */
	static const unsigned char nop[] = { 0x66, 0x90, 0xc3 };
	struct tp_emulation *e;
	struct tp_code code = { 0 };
	e = tp_emulation_new(&small);
	const uint64_t *counts = tp_emulation_counts(e);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(tp_code_init(&code, 3, NULL), TP_OK);
		memcpy(code.map, i % 2 ? nop : add, 3);
		assert_int_equal(tp_code_seal(&code, 3, NULL), TP_OK);
		assert_int_equal(tp_emulation_run(e, &code, NULL, 1, NULL), TP_OK);
		assert_int_equal(counts[TP_EMULATED_INTEGER], (i + 2) / 2);
		assert_int_equal(counts[TP_EMULATED_INSTRUCTIONS], 2 * (i + 1));
		assert_int_equal(counts[TP_EMULATED_RETURNS], i + 1);
		tp_code_release(&code);
	}
	tp_emulation_free(e);
}

/* What a wrong path holds is executed, what the right one holds besides is not. */
static void wrong_paths_are_those_that_were_predicted(void **state)
{
	(void)state;
	if (!can_step() || strcmp(tp_arch_host()->name, "x86_64") != 0)
		skip();
	static const unsigned char bytes[] = {
		0x48, 0x83, 0xfe, 0x01, /*  0 cmp rsi, 1 */
		0x74, 0x06, /*  4 je 12 */
		0x75, 0x02, /*  6 jne 10 */
		0x74, 0x00, /*  8 je 10 */
		0x66, 0x90, /* 10 nop */
		0x0f, 0xae, 0xe8, /* 12 lfence */
		0x7c, 0x00, /* 15 jl 17 */
		0xc3,
	};
	static const struct {
		uint64_t passes, conditionals, executed, mispredicted;
	} cases[] = {
		{ 1, 2, 4, 1 }, /* 4 is taken against its prediction: 6 and 8 are begun */
		{ 2, 3, 4, 1 }, /* 6 is: 8 is begun */
	};
	for (size_t c = 0; c < TP_COUNT_OF(cases); c++) {
		struct tp_code code;
		struct tp_emulation *e;
		assert_int_equal(tp_code_init(&code, sizeof(bytes), NULL), TP_OK);
		memcpy(code.map, bytes, sizeof(bytes));
		assert_int_equal(tp_code_seal(&code, sizeof(bytes), NULL), TP_OK);
		e = tp_emulation_new(&small);
		assert_int_equal(tp_emulation_run(e, &code, NULL, cases[c].passes, NULL), TP_OK);
		const uint64_t *counts = tp_emulation_counts(e);
		assert_int_equal(counts[TP_EMULATED_COND], cases[c].conditionals);
		assert_int_equal(counts[TP_EMULATED_COND_EXECUTED], cases[c].executed);
		assert_int_equal(counts[TP_EMULATED_MISPREDICTED], cases[c].mispredicted);
		tp_emulation_free(e);
		tp_code_release(&code);
	}
}

static void the_machine_is_made_smaller_in_proportion(void **state)
{
	(void)state;
	struct tp_machine machine = { .n_cores = 1, .n_packages = 1 };
	struct tp_emulated_machine m;
	/* Nothing known: the usual. */
	tp_emulated_machine_from(&m, &machine, 1, 1);
	assert_true(m.data[1].size_bytes == 32 << 10 && m.data[3].size_bytes == 4 << 20);
	for (unsigned scale = 1; scale <= 4096; scale *= 2) {
		tp_emulated_machine_from(&m, &machine, 1, scale);
		assert_true(m.data[1].size_bytes >= 2048 && m.code.size_bytes >= 2048);
		for (int level = 1; level <= 3; level++) {
			assert_int_equal(m.data[level].line_bytes, 64);
			assert_int_equal(m.data[level].size_bytes % (m.data[level].ways * 64), 0);
			if (level > 1)
				assert_true(m.data[level].size_bytes >=
					    8 * m.data[level - 1].size_bytes);
		}
	}
	assert_int_equal(m.data[3].size_bytes, 2048 * 8 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_hits_the_level_that_holds_it),
		cmocka_unit_test(the_least_recently_used_line_goes),
		cmocka_unit_test(an_access_across_lines_needs_both),
		cmocka_unit_test(modified_lines_are_written_once),
		cmocka_unit_test(periods_are_learnt_and_streams_are_not),
		cmocka_unit_test(new_code_at_an_old_address_is_noticed),
		cmocka_unit_test(wrong_paths_are_those_that_were_predicted),
		cmocka_unit_test(the_machine_is_made_smaller_in_proportion),
		cmocka_unit_test(flops_come_out_exactly),
		cmocka_unit_test(branches_come_out_exactly),
		cmocka_unit_test(instructions_come_out_exactly),
		cmocka_unit_test(a_longer_history_changes_nothing),
		cmocka_unit_test(caches_hit_where_the_buffer_lies),
		cmocka_unit_test(code_is_fetched_as_often_as_its_length_says),
		cmocka_unit_test(memory_traffic_is_what_the_formulas_say),
		cmocka_unit_test(linear_algebra_does_what_the_formulas_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
