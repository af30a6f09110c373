/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The emulated source: its events, what they count, and the ones that mislead. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "counters/emulated.h"
#include "counters/sources.h"
#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/step.h"

enum { MAX_EVENTS = 4096, KERNEL = 8 /* of flops: sp-scalar-fma */ };

static const struct tp_emulated_machine small = {
	.data = { { 0 }, { 2048, 64, 4 }, { 16384, 64, 8 }, { 65536, 64, 16 } },
	.code = { 2048, 64, 8 },
	.history_bits = 4,
	.wrong_path_instructions = 64,
};

struct fixture {
	struct tp_counting counting;
	void *data;
	struct tp_emulation *emulation;
	struct tp_work work;
};

/* The first row of a flops kernel that fuses, or the first of all where nothing does. */
static void setup(struct fixture *f)
{
	struct tp_cpu cpu;
	struct tp_counting_machine machine = { .line_bytes = 64,
					       .page_bytes = 4096,
					       .stream_log2 = 5 };
	const struct tp_family *flops = tp_family_find("flops");
	struct tp_diag diag = { .what = "" };
	tp_arch_identify(&cpu);
	if (tp_counting_make(flops, tp_family_first_row(flops, KERNEL), &cpu, &machine,
			     &f->counting, NULL) != TP_OK &&
	    tp_counting_make(flops, 0, &cpu, &machine, &f->counting, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	f->data = aligned_alloc(4096, (f->counting.data_bytes + 4095) / 4096 * 4096 + 4096);
	assert_non_null(f->data);
	f->counting.fill(&f->counting, f->data, 1);
	f->emulation = tp_emulation_new(&small);
	f->work = (struct tp_work){
		.code = &f->counting.code, .data = f->data, .passes = 2, .emulation = f->emulation
	};
}

static void teardown(struct fixture *f)
{
	tp_emulation_free(f->emulation);
	tp_counting_release(&f->counting);
	free(f->data);
}

static void open_or_fail(struct tp_source *source, const struct tp_source_wish *wish)
{
	struct tp_diag diag = { .what = "" };
	if (tp_source_open(source, &tp_source_emulated, wish, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(source->n_groups, 1);
	assert_int_equal(source->groups[0].n, source->n_events);
	assert_true(source->n_events <= MAX_EVENTS);
	assert_true(source->needs_emulation);
}

static double count_named(const struct tp_source *source, const double *counts, const char *name)
{
	for (size_t i = 0; i < source->n_events; i++)
		if (strcmp(source->events[i].name, name) == 0)
			return counts[i];
	fail_msg("there is no event %s", name);
	return 0;
}

static void names_differ_and_tell(void **state)
{
	(void)state;
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	for (size_t h = 0; h < tp_habit_count; h++) {
		struct tp_source source;
		struct tp_source_wish wish = { .machine = &small,
					       .habit = tp_habit_table[h].name,
					       .misleading = 500,
					       .seed = h };
		open_or_fail(&source, &wish);
		for (size_t i = 0; i < source.n_events; i++) {
			assert_true(source.events[i].available);
			assert_int_equal(source.events[i].group, 0);
			assert_true(source.events[i].description[0] != '\0');
			assert_string_equal(source.events[i].component, "emulated");
			for (size_t j = 0; j < i; j++)
				assert_string_not_equal(source.events[i].name,
							source.events[j].name);
		}
		tp_source_close(&source);
	}
}

static void the_nearest_habit_is_that_of_the_vendor(void **state)
{
	struct tp_source source;
	struct tp_emulated_machine machine = { 0 };
	const struct tp_cpu amd = { .arch = "x86_64", .vendor = "AuthenticAMD" };
	struct tp_diag diag;
	(void)state;
	assert_string_equal(tp_habit_nearest("x86_64", "GenuineIntel"), "sapphire-rapids");
	assert_string_equal(tp_habit_nearest("x86_64", "AuthenticAMD"), "zen4");
	assert_string_equal(tp_habit_nearest("x86_64", "somebody"), "exact");
	assert_string_equal(tp_habit_nearest("x86_64", ""), "exact");
	assert_string_equal(tp_habit_nearest("aarch64", ""), "neoverse-v2");
	assert_string_equal(tp_habit_nearest("aarch64", "Fujitsu"), "neoverse-v2");
	assert_string_equal(tp_habit_nearest("riscv64", "SpacemiT"), "exact");
	if (tp_source_open(
		    &source, tp_source_find("emulated"),
		    &(struct tp_source_wish){ .machine = &machine, .habit = "auto", .cpu = &amd },
		    &diag) != TP_OK)
		skip();
	assert_int_equal(source.notes.n, 1);
	assert_non_null(strstr(source.notes.items[0].what, "modelled on zen4"));
	assert_non_null(strstr(source.events[1].name, "RETIRED_SSE_AVX_FLOPS"));
	tp_source_close(&source);
}

static void habits_count_the_same_work_their_way(void **state)
{
	(void)state;
	static const struct {
		const char *habit, *name;
		double scalar_fma, scalar, instructions;
	} cases[] = {
		{ "exact", "SP_SCALAR_FMA", 1, 0, 0 },
		{ "exact", "SP_SCALAR", 0, 1, 0 },
		{ "exact", "INSTRUCTIONS", 0, 0, 1 },
		{ "sapphire-rapids", "FP_ARITH_INST_RETIRED:SCALAR_SINGLE", 2, 1, 0 },
		{ "sapphire-rapids", "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", 0, 0, 0 },
		{ "sapphire-rapids", "FP_ARITH_INST_RETIRED:SCALAR", 2, 1, 0 },
		{ "sapphire-rapids", "FP_ARITH_INST_RETIRED:VECTOR", 0, 0, 0 },
		{ "sapphire-rapids", "BR_INST_RETIRED:FAR_BRANCH", 0, 0, 0 },
		{ "sapphire-rapids", "INST_RETIRED:ANY", 0, 0, 1 },
		{ "zen4", "RETIRED_SSE_AVX_FLOPS:ANY", 2, 1, 0 },
		{ "zen4", "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS", 2, 0, 0 },
		{ "zen4", "FP_OPS_RETIRED_BY_WIDTH:SCALAR_UOPS_RETIRED", 1, 1, 0 },
		{ "neoverse-v2", "VFP_SPEC", 1, 1, 0 },
		{ "neoverse-v2", "FP_SP_SPEC", 1, 1, 0 },
		{ "neoverse-v2", "FP_FIXED_OPS_SPEC", 2, 1, 0 },
		{ "neoverse-v2", "ASE_INST_SPEC", 0, 0, 0 },
	};
	static double counts[MAX_EVENTS];
	struct fixture f;
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	setup(&f);
	for (size_t c = 0; c < TP_COUNT_OF(cases); c++) {
		struct tp_source source;
		uint64_t before[TP_EMULATED_COUNT];
		open_or_fail(&source, &(struct tp_source_wish){ .machine = &small,
								.habit = cases[c].habit });
		const uint64_t *now = tp_emulation_counts(f.emulation);
		memcpy(before, now, sizeof(before));
		assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, 0, counts, NULL),
				 TP_OK);
		double fma = (double)(now[TP_EMULATED_SP_SCALAR_FMA] -
				      before[TP_EMULATED_SP_SCALAR_FMA]);
		double plain = (double)(now[TP_EMULATED_SP_SCALAR] - before[TP_EMULATED_SP_SCALAR]);
		double instructions =
			(double)(now[TP_EMULATED_INSTRUCTIONS] - before[TP_EMULATED_INSTRUCTIONS]);
		assert_true(fma + plain > 0);
		double expected = cases[c].scalar_fma * fma + cases[c].scalar * plain +
				  cases[c].instructions * instructions;
		if (count_named(&source, counts, cases[c].name) != expected)
			fail_msg("%s %s: %g instead of %g", cases[c].habit, cases[c].name,
				 count_named(&source, counts, cases[c].name), expected);
		tp_source_close(&source);
	}
	teardown(&f);
}

/* What the description of a misleading event says, by its words. */
static void hold_misleading(const struct tp_source *source, const double *counts, size_t i,
			    unsigned seen[6])
{
	const char *words = source->events[i].description;
	const char *at;
	double value = counts[i];
	assert_memory_equal(source->events[i].name, "UNC_", 4);
	if (strncmp(words, "always ", 7) == 0) {
		seen[0]++;
		assert_true(value == strtod(words + 7, NULL));
	} else if (strncmp(words, "like a clock", 12) == 0) {
		seen[1]++;
		assert_true(value > 0);
	} else if ((at = strstr(words, ", with noise of")) != NULL) {
		seen[2]++;
		char name[128] = "";
		memcpy(name, words + strlen("the same as "),
		       (size_t)(at - words) - strlen("the same as "));
		double base = count_named(source, counts, name);
		assert_true(fabs(value - base) <= 0.01 * sqrt(3.0) * base * (1 + 1e-12));
		if (base > 0)
			assert_true(value != base);
	} else if (strncmp(words, "the same as ", 12) == 0) {
		seen[3]++;
		assert_true(value == count_named(source, counts, words + 12));
	} else if ((at = strstr(words, " times ")) != NULL) {
		seen[4]++;
		assert_true(value == strtod(words, NULL) * count_named(source, counts, at + 7));
	} else {
		seen[5]++;
		char copy[512];
		double sum = 0;
		char *rest = copy;
		assert_true(strlen(words) < sizeof(copy));
		memcpy(copy, words, strlen(words) + 1);
		for (char *part; (part = strsep(&rest, "+"));) {
			part += *part == ' ';
			if (*part && part[strlen(part) - 1] == ' ')
				part[strlen(part) - 1] = '\0';
			sum += count_named(source, counts, part);
		}
		assert_true(value == sum);
	}
}

static void misleading_events_are_what_they_say(void **state)
{
	(void)state;
	static double counts[MAX_EVENTS], again[MAX_EVENTS], other[MAX_EVENTS];
	unsigned seen[6] = { 0 };
	struct fixture f;
	struct tp_source source;
	struct tp_source_wish wish = {
		.machine = &small, .habit = "exact", .misleading = 300, .noise = 0.01, .seed = 5
	};
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	setup(&f);
	open_or_fail(&source, &wish);
	assert_int_equal(source.n_events, TP_EMULATED_COUNT + 300);
	tp_emulation_reset(f.emulation);
	assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, 0, counts, NULL), TP_OK);
	for (size_t i = TP_EMULATED_COUNT; i < source.n_events; i++)
		hold_misleading(&source, counts, i, seen);
	for (size_t i = 0; i < TP_COUNT_OF(seen); i++)
		assert_true(seen[i] > 10);

	/*
	 * The same source, work and repetition: the same counts. Another repetition: other noise,
	 * nothing else.
	 */
	tp_source_close(&source);
	open_or_fail(&source, &wish);
	tp_emulation_reset(f.emulation);
	assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, 0, again, NULL), TP_OK);
	assert_memory_equal(counts, again, source.n_events * sizeof(*counts));
	tp_emulation_reset(f.emulation);
	assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, 1, other, NULL), TP_OK);
	for (size_t i = 0; i < source.n_events; i++) {
		bool noisy = strstr(source.events[i].description, "noise") != NULL;
		assert_true(noisy ? counts[i] == 0 || counts[i] != other[i]
				  : counts[i] == other[i]);
	}
	tp_source_close(&source);
	teardown(&f);
}

/*
 * As many readings as wished are 1 to 2 % too high, each event's own; all others are exact, and
 * what is 0 stays 0.
 */
static void interrupts_disturb_single_readings(void **state)
{
	enum { READINGS = 400 };
	struct fixture f;
	struct tp_source source;
	static double counts[MAX_EVENTS], first[MAX_EVENTS];
	size_t disturbed = 0, alike = 0, n = 0;

	(void)state;
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	setup(&f);
	open_or_fail(&source, &(struct tp_source_wish){ .machine = &small, .seed = 3 });
	assert_false(source.disturbed);
	tp_emulation_reset(f.emulation);
	assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, 0, first, NULL), TP_OK);
	tp_source_close(&source);
	open_or_fail(&source,
		     &(struct tp_source_wish){ .machine = &small, .seed = 3, .interrupts = 0.1 });
	assert_true(source.disturbed);
	for (size_t r = 0; r < READINGS; r++) {
		size_t here = 0;

		tp_emulation_reset(f.emulation);
		assert_int_equal(tp_source_emulated.measure(&source, 0, &f.work, r, counts, NULL),
				 TP_OK);
		for (size_t i = 0; i < TP_EMULATED_L1D_READ_HIT; i++) {
			assert_true(first[i] > 0 || counts[i] == 0);
			if (!(first[i] > 0) || counts[i] == first[i])
				continue;
			assert_true(counts[i] >= 1.01 * first[i] && counts[i] <= 1.02 * first[i]);
			here++;
		}
		disturbed += here;
		alike += here > 2;
	}
	for (size_t i = 0; i < TP_EMULATED_L1D_READ_HIT; i++)
		n += first[i] > 0;
	/* 10 % of some thousand: five standard deviations. */
	assert_true(n > 2);
	assert_true(fabs((double)disturbed / (double)(n * READINGS) - 0.1) <
		    5 * sqrt(0.09 / (double)(n * READINGS)));
	assert_true(alike < READINGS / 2);
	tp_source_close(&source);
	teardown(&f);
}

static void wrong_wishes_are_told(void **state)
{
	(void)state;
	struct tp_source source;
	struct tp_diag diag = { .what = "" };
	double counts[TP_EMULATED_COUNT];
	struct tp_code code = { 0 };
	struct tp_work native = { .code = &code };
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	assert_int_equal(tp_source_open(&source, &tp_source_emulated,
					&(struct tp_source_wish){ .habit = "zen5" }, &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "zen5"));
	assert_non_null(strstr(diag.hint, "neoverse-v2"));
	open_or_fail(&source, &(struct tp_source_wish){ .machine = &small });
	assert_int_equal(source.n_events, TP_EMULATED_COUNT);
	assert_int_equal(tp_source_emulated.measure(&source, 0, &native, 0, counts, &diag),
			 TP_INTERNAL);
	tp_source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_differ_and_tell),
		cmocka_unit_test(the_nearest_habit_is_that_of_the_vendor),
		cmocka_unit_test(habits_count_the_same_work_their_way),
		cmocka_unit_test(misleading_events_are_what_they_say),
		cmocka_unit_test(interrupts_disturb_single_readings),
		cmocka_unit_test(wrong_wishes_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
