/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From readings and a basis to classes: the shipped bases with events whose counts are made of the
 * basis itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/counters/classify.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"
#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"

enum { ITERATIONS = 4096 };

static void load(struct tp_basis *basis, const char *name)
{
	struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX];

	snprintf(path, sizeof(path), "%s/presets/bases/%s.yaml", source_dir(), name);
	if (tp_basis_load(basis, path, &diags))
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
}

struct weight {
	const char *ideal;
	double factor;
};

static double expected(const struct tp_basis *b, size_t row, const char *ideal)
{
	for (size_t i = 0; i < b->n_ideals; i++)
		if (strcmp(b->ideals[i].name, ideal) == 0)
			return b->rows[row].expect[i];
	fail_msg("no ideal event %s", ideal);
	return NAN;
}

static void add(struct tp_readings *readings, const char *family, const char *event, size_t row,
		size_t repetition, double count)
{
	struct tp_reading r = { family, event, row, repetition, count, ITERATIONS };
	struct tp_diag diag;

	if (tp_readings_add(readings, &r, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
}

/*
 * An event that counts a sum of ideal events in the rows from `from` to `to`, in two repetitions.
 */
static void plant(struct tp_readings *readings, const struct tp_basis *b, const char *event,
		  const struct weight *weights, size_t n, size_t from, size_t to)
{
	for (size_t row = from; row < to; row++)
		for (size_t k = 0; k < 2; k++) {
			double count = 0;

			for (size_t i = 0; i < n; i++)
				count += weights[i].factor * expected(b, row, weights[i].ideal);
			add(readings, b->name, event, row, k, count * ITERATIONS);
		}
}
#define PLANT(readings, basis, event, from, to, ...)                                               \
	plant(readings, basis, event, (const struct weight[]){ __VA_ARGS__ },                      \
	      sizeof((const struct weight[]){ __VA_ARGS__ }) / sizeof(struct weight), from, to)

static void classify(struct tp_class *class, const struct tp_readings *readings,
		     const struct tp_basis *basis)
{
	struct tp_diag diag;

	if (tp_classify_family(class, &readings->families[0], basis, "replay", &diag))
		fail_msg("%s: %s", diag.where, diag.what);
}

static const struct tp_class_event *event_of(const struct tp_class *class, const char *name)
{
	for (size_t i = 0; i < class->n_events; i++)
		if (strcmp(class->events[i].name, name) == 0)
			return &class->events[i];
	fail_msg("no event %s", name);
	return NULL;
}

static const struct tp_class_metric *metric_of(const struct tp_class *class, const char *symbol)
{
	for (size_t i = 0; i < class->n_metrics; i++)
		if (strcmp(class->metrics[i].symbol, symbol) == 0)
			return &class->metrics[i];
	fail_msg("no metric %s", symbol);
	return NULL;
}

static void expect_term(const struct tp_class *class, const char *symbol, const char *event,
			double coefficient)
{
	const struct tp_class_metric *metric = metric_of(class, symbol);

	assert_true(metric->defined);
	for (size_t i = 0; i < metric->n_terms; i++) {
		const struct tp_class_term *term = &metric->terms[i];

		if (strcmp(class->events[class->chosen[term->chosen]].name, event) != 0)
			continue;
		assert_near(term->coefficient, coefficient, 1e-9);
		assert_near(term->rounded, coefficient, 0);
		return;
	}
	fail_msg("%s is not a term of %s", event, symbol);
}

static void expect_fate(const struct tp_class *class, const char *event, const char *fate)
{
	assert_string_equal(event_of(class, event)->fate, fate);
}

/*
 * Events like those of a processor that counts fused and other instructions together, each fused
 * one twice.
 */
static void a_processor_with_avx2(void **state)
{
	static const char *const widths[] = { "SCALAR", "128", "256" };
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;
	char name[32], fused[40], event[40];

	(void)state;
	load(&b, "flops");
	/*
	 * Without AVX-512 four of the sixteen kernels cannot run: rows 9-11, 21-23, 33-35, 45-47.
	 */
	for (size_t p = 0; p < 2; p++)
		for (size_t w = 0; w < 3; w++) {
			snprintf(name, sizeof(name), "%s_%s", p ? "DP" : "SP", widths[w]);
			snprintf(fused, sizeof(fused), "%s_FMA", name);
			snprintf(event, sizeof(event), "FP:%s", name);
			for (size_t row = 0; row < 48; row++)
				if (row % 12 < 9)
					PLANT(&readings, &b, event, row, row + 1, { name, 1 },
					      { fused, 2 });
		}
	for (size_t row = 0; row < 48; row++) {
		if (row % 12 >= 9)
			continue;
		PLANT(&readings, &b, "FP:ANY", row, row + 1, { "SP_SCALAR", 1 },
		      { "SP_SCALAR_FMA", 2 }, { "DP_256", 1 }, { "DP_256_FMA", 2 });
		for (size_t k = 0; k < 2; k++) {
			add(&readings, "flops", "ZERO", row, k, 0);
			add(&readings, "flops", "CYCLES", row, k,
			    1e5 + (double)(row * 977 % 389) + (double)k * 31);
			add(&readings, "flops", "ODD", row, k, 1e5 + (double)(row * 977 % 389));
			add(&readings, "flops", "BROKEN", row, k, row == 4 ? NAN : 5);
		}
	}
	add(&readings, "flops", "LATE", 0, 0, 1);
	classify(&class, &readings, &b);
	assert_string_equal(class.family, "flops");
	assert_string_equal(class.source, "replay");
	assert_string_equal(class.per, "iteration");
	assert_int_equal(class.n_rows, 48);
	assert_int_equal(class.n_used, 36);
	assert_int_equal(class.rows[9], 12);
	assert_string_equal(class.row_names[9], "dp-scalar 24");
	assert_string_equal(class.row_groups[35], "dp-256-fma");
	assert_true(class.row_x[35] == 48);
	assert_int_equal(class.n_ideals, 12);
	assert_int_equal(class.n_absent, 4);
	assert_string_equal(class.absent[3], "DP_512_FMA");
	assert_near(class.beta, 5e-4 * sqrt(12), 1e-12);
	assert_int_equal(class.n_chosen, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct tp_class_event *e = &class.events[class.chosen[i]];

		assert_string_equal(e->fate, "chosen");
		assert_int_equal(e->order, i);
		assert_non_null(e->x);
		assert_null(e->dependence);
	}
	expect_fate(&class, "FP:ANY", "dependent");
	expect_fate(&class, "ZERO", "irrelevant");
	expect_fate(&class, "CYCLES", "noisy");
	expect_fate(&class, "ODD", "not representable");
	expect_fate(&class, "BROKEN", "invalid");
	expect_fate(&class, "LATE", "invalid");
	assert_int_equal(event_of(&class, "ODD")->order, -1);
	assert_non_null(event_of(&class, "FP:ANY")->dependence);
	for (size_t i = 0; i < 6; i++) {
		const char *chosen = class.events[class.chosen[i]].name;
		bool part = strcmp(chosen, "FP:SP_SCALAR") == 0 || strcmp(chosen, "FP:DP_256") == 0;

		assert_near(event_of(&class, "FP:ANY")->dependence[i], part ? 1 : 0, 1e-9);
	}
	expect_term(&class, "SP_OPS", "FP:SP_256", 8);
	expect_term(&class, "SP_INSTRS", "FP:SP_256", 1);
	expect_term(&class, "DP_OPS", "FP:DP_128", 2);
	assert_int_equal(metric_of(&class, "DP_OPS")->n_terms, 3);
	/* No event tells fused from other instructions. */
	assert_false(metric_of(&class, "DP_FMA_INSTRS")->defined);
	assert_true(metric_of(&class, "DP_FMA_INSTRS")->error > 0.1);
	tp_class_release(&class);
	assert_null(class.events);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

static void branches(void **state)
{
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "branch");
	PLANT(&readings, &b, "BR_ALL", 0, 11, { "CR", 1 }, { "D", 1 });
	PLANT(&readings, &b, "BR_COND", 0, 11, { "CR", 1 });
	PLANT(&readings, &b, "BR_TAKEN", 0, 11, { "T", 1 }, { "D", 1 });
	PLANT(&readings, &b, "MISP", 0, 11, { "M", 1 });
	PLANT(&readings, &b, "MISP_AGAIN", 0, 11, { "M", 1 });
	classify(&class, &readings, &b);
	assert_int_equal(class.n_chosen, 4);
	assert_int_equal(class.n_absent, 0);
	expect_fate(&class, "MISP_AGAIN", "dependent");
	expect_term(&class, "BR_MISP", "MISP", 1);
	expect_term(&class, "BR_PRED", "BR_COND", 1);
	expect_term(&class, "BR_PRED", "MISP", -1);
	expect_term(&class, "BR_UNCOND", "BR_ALL", 1);
	expect_term(&class, "BR_UNCOND", "BR_COND", -1);
	assert_int_equal(metric_of(&class, "BR_UNCOND")->n_terms, 2);
	expect_term(&class, "BR_TAKEN", "BR_COND", 1);
	assert_false(metric_of(&class, "BR_COND_EXECUTED")->defined);
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

/* Counts of caches are never exact; what is close to a whole number is taken for it. */
static void noisy_caches(void **state)
{
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "dcache-read");
	for (size_t row = 0; row < b.n_rows; row++)
		for (size_t k = 0; k < 3; k++) {
			double miss = expected(&b, row, "L1DM"), l2 = expected(&b, row, "L2DH"),
			       l3 = expected(&b, row, "L3DH");
			double shift = 0.01 * (double)((row * 7 + k * 3) % 5) - 0.02;

			add(&readings, b.name, "HIT", row, k,
			    (expected(&b, row, "L1DH") + 0.02 + shift) * ITERATIONS);
			add(&readings, b.name, "MISS", row, k,
			    (miss * (0.98 + shift) + 0.001) * ITERATIONS);
			add(&readings, b.name, "L2", row, k, (l2 * (0.97 - shift)) * ITERATIONS);
			add(&readings, b.name, "L3", row, k, (l3 * (0.96 + shift)) * ITERATIONS);
		}
	classify(&class, &readings, &b);
	assert_string_equal(class.per, "access");
	assert_int_equal(class.n_chosen, 4);
	for (size_t m = 0; m < class.n_metrics; m++)
		assert_true(class.metrics[m].defined);
	for (size_t i = 0; i < metric_of(&class, "L2_MISSES")->n_terms; i++) {
		const struct tp_class_term *t = &metric_of(&class, "L2_MISSES")->terms[i];
		const char *name = class.events[class.chosen[t->chosen]].name;

		if (strcmp(name, "MISS") == 0)
			assert_near(t->rounded, 1, 0);
		if (strcmp(name, "L2") == 0)
			assert_near(t->rounded, -1, 0);
	}
	assert_true(metric_of(&class, "L2_MISSES")->rounded_error < 0.05);
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

/* Only single precision was measured: nothing is known of the other, and that is said. */
static void what_was_not_exercised_is_not_defined(void **state)
{
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "flops");
	for (size_t row = 0; row < 3; row++)
		PLANT(&readings, &b, "A", row, row + 1, { "SP_SCALAR", 1 });
	classify(&class, &readings, &b);
	assert_int_equal(class.n_ideals, 1);
	assert_int_equal(class.n_absent, 15);
	expect_term(&class, "SP_OPS", "A", 1);
	assert_false(metric_of(&class, "DP_OPS")->defined);
	assert_true(isnan(metric_of(&class, "DP_OPS")->error));
	assert_int_equal(metric_of(&class, "DP_OPS")->n_terms, 0);
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

static void no_event_is_of_use(void **state)
{
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "branch");
	for (size_t row = 0; row < 11; row++)
		add(&readings, "branch", "ZERO", row, 0, 0);
	classify(&class, &readings, &b);
	assert_int_equal(class.n_chosen, 0);
	expect_fate(&class, "ZERO", "irrelevant");
	assert_null(event_of(&class, "ZERO")->x);
	for (size_t m = 0; m < class.n_metrics; m++) {
		assert_false(class.metrics[m].defined);
		assert_int_equal(class.metrics[m].n_terms, 0);
	}
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

static void what_cannot_be_is_told(void **state)
{
	static const char text[] = "title: x\nideals: [ONE, TWO, BOTH]\nrows:\n"
				   "- {name: a, expect: {ONE: 1, BOTH: 1}}\n"
				   "- {name: b, expect: {TWO: 1, BOTH: 1}}\n"
				   "- {name: c, expect: {ONE: 2, TWO: 1, BOTH: 3}}\n"
				   "- {name: d, expect: {}}\nmetrics:\n"
				   "- {name: m, symbol: M, signature: {ONE: 1}}\n";
	struct tp_diags diags = { 0 };
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;
	struct tp_diag diag;

	(void)state;
	assert_int_equal(tp_basis_parse(&b, "x.yaml", text, strlen(text), &diags), TP_OK);
	add(&readings, "x", "A", 3, 0, 5);
	assert_int_equal(tp_classify_family(&class, &readings.families[0], &b, "replay", &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "no measured row exercises any"));
	tp_class_release(&class);
	for (size_t row = 0; row < 3; row++)
		add(&readings, "x", "A", row, 0, 5);
	assert_int_equal(tp_classify_family(&class, &readings.families[0], &b, "replay", &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "ONE"));
	assert_non_null(strstr(diag.what, "TWO"));
	assert_non_null(strstr(diag.what, "BOTH"));
	tp_class_release(&class);
	add(&readings, "x", "A", 4, 0, 5);
	assert_int_equal(tp_classify_family(&class, &readings.families[0], &b, "replay", &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "row 4 was measured"));
	assert_non_null(strstr(diag.hint, "--basis"));
	tp_class_release(&class);
	tp_readings_release(&readings);
	add(&readings, "x", "A", 0, 0, NAN);
	assert_int_equal(tp_classify_family(&class, &readings.families[0], &b, "replay", &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "no row of the basis was measured"));
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

/*
 * An event that can be opened and stays at 0: not implemented, if the rows do what its name says.
 * And events whose names say nothing give way to others.
 */
static void names_say_what_should_count(void **state)
{
	static const struct {
		const char *event, *fate;
	} zeros[] = { { "BR_INST_RETIRED:ALL_BRANCHES", "not implemented here" },
		      { "perf::BRANCH-MISSES", "not implemented here" },
		      { "papi_br_tkn", "not implemented here" },
		      { "BR_INST_RETIRED:FAR_BRANCH", "irrelevant" },
		      { "INST_RETIRED:NOP", "irrelevant" },
		      { "UNC_00FF:00", "irrelevant" } };
	static const char *const names[] = { "BRANCHES_BY_NAME", "r01c4" };
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "branch");
	for (size_t i = 0; i < TP_COUNT_OF(zeros); i++)
		for (size_t row = 0; row < b.n_rows; row++)
			add(&readings, "branch", zeros[i].event, row, 0, 0);
	/* Names, and numbers in several ways: half of what the named one counts. */
	PLANT(&readings, &b, "UNC_3F2A:00", 0, 11, { "CR", 0.5 });
	PLANT(&readings, &b, "cpu/event=0xc4,umask=0x11/", 0, 11, { "CR", 1 });
	PLANT(&readings, &b, names[1], 0, 11, { "CR", 1 });
	PLANT(&readings, &b, names[0], 0, 11, { "CR", 1 });
	readings.families[0].events[0].left_out = 2;
	classify(&class, &readings, &b);
	for (size_t i = 0; i < TP_COUNT_OF(zeros); i++)
		expect_fate(&class, zeros[i].event, zeros[i].fate);
	assert_int_equal(class.events[0].left_out, 2);
	assert_int_equal(class.n_chosen, 1);
	expect_fate(&class, names[0], "chosen");
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

/* Rows without FMA say nothing of an event that counts only these. */
static void rows_that_were_not_measured_say_nothing(void **state)
{
	struct tp_basis b;
	struct tp_readings readings = { 0 };
	struct tp_class class;

	(void)state;
	load(&b, "flops");
	for (size_t row = 0; row < 3; row++) {
		add(&readings, "flops", "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS", row, 0, 0);
		add(&readings, "flops", "RETIRED_SSE_AVX_FLOPS:ANY", row, 0, 0);
	}
	classify(&class, &readings, &b);
	expect_fate(&class, "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS", "irrelevant");
	expect_fate(&class, "RETIRED_SSE_AVX_FLOPS:ANY", "not implemented here");
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
}

/*
 * The example that is shipped: a family that is only data, its counts from a table. The first six
 * metrics and their errors are those that were published for the events of an AMD MI250X.
 */
static void the_example_of_a_gpu(void **state)
{
#define ROCM(event) "rocm:::SQ_INSTS_VALU_" event ":device=0"
	static const struct {
		const char *symbol, *event;
		double coefficient;
	} terms[] = {
		{ "HP_ADD_SUB_OPS", ROCM("ADD_F16"), 1 }, { "HP_OPS", ROCM("ADD_F16"), 1 },
		{ "HP_OPS", ROCM("MUL_F16"), 1 },	  { "HP_OPS", ROCM("TRANS_F16"), 1 },
		{ "HP_OPS", ROCM("FMA_F16"), 2 },	  { "SP_OPS", ROCM("TRANS_F32"), 1 },
		{ "SP_OPS", ROCM("FMA_F32"), 2 },	  { "DP_OPS", ROCM("ADD_F64"), 1 },
		{ "DP_OPS", ROCM("FMA_F64"), 2 },	  { "DP_INSTRS", ROCM("FMA_F64"), 1 },
		{ "SP_FMA_INSTRS", ROCM("FMA_F32"), 1 },  { "GPU_FP_INSTRS", ROCM("MUL_F32"), 1 },
	};
	static const struct {
		const char *symbol;
		double error;
	} published[] = { { "HP_ADD_OPS", 0.414 }, { "HP_SUB_OPS", 0.414 }, { "HP_ADD_SUB_OPS", 0 },
			  { "HP_OPS", 0 },	   { "SP_OPS", 0 },	    { "DP_OPS", 0 } };
	struct tp_readings readings = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_basis b;
	struct tp_class class;
	struct tp_diag diag;
	char path[TP_PATH_MAX], *text = NULL;
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/presets/bases/gpu-flops.csv", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &text, &len, &diag), TP_OK);
	if (tp_readings_parse(&readings, path, text, len, &diags))
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	free(text);
	load(&b, "gpu-flops");
	classify(&class, &readings, &b);
	assert_int_equal(class.n_used, 45);
	assert_int_equal(class.n_absent, 0);
	assert_int_equal(class.n_chosen, 12);
	expect_fate(&class, ROCM("MFMA_MOPS_F16"), "irrelevant");
	expect_fate(&class, "rocm:::SQ_INSTS_VALU:device=0", "not representable");
	expect_fate(&class, "rocm:::SQ_BUSY_CYCLES:device=0", "noisy");
	for (size_t i = 0; i < TP_COUNT_OF(terms); i++)
		expect_term(&class, terms[i].symbol, terms[i].event, terms[i].coefficient);
	for (size_t m = 0; m < class.n_metrics; m++) {
		const struct tp_class_metric *metric = &class.metrics[m];

		assert_int_equal(metric->defined, m > 1);
		assert_true(m < TP_COUNT_OF(published) || metric->error < 1e-14);
		if (m >= TP_COUNT_OF(published))
			continue;
		assert_string_equal(metric->symbol, published[m].symbol);
		assert_near(metric->error, published[m].error, m > 1 ? 1e-14 : 5e-4);
	}
	assert_near(class.metrics[0].terms[0].coefficient, 0.5, 1e-12);
	tp_class_release(&class);
	tp_readings_release(&readings);
	tp_basis_release(&b);
#undef ROCM
}

/*
 * INST_RETIRED and CPU_CYCLES of a Neoverse N1 that qemu-system executes (tests/lab): each count is
 * exact. Where memory is changed and where branches have conditions, that machine needs other
 * numbers of instructions than x86-64.
 */
static void instructions_of_a_booted_machine(void **state)
{
	static const double counts[][2] = {
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* add */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* multiply */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* shift */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* address */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* load */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* store */
		{ 1048192, 27584 }, { 1047840, 14160 }, { 1046528, 7168 }, /* modify */
		{ 1048320, 40320 }, { 1048000, 20960 }, { 1047424, 10688 }, /* not-taken */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* taken */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* jump */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* fp-scalar */
		{ 1048544, 74896 }, { 1048320, 40320 }, { 1048000, 20960 }, /* fp-128 */
		{ 1048000, 20960 }, { 1047424, 10688 }, { 1046048, 5392 }, /* mixture */
	};
	struct tp_diags diags = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	setenv("XDG_DATA_HOME", "/nonexistent", 1);
	setenv("TPROF_DATADIR", source_dir(), 1);
	for (size_t row = 0; row < TP_COUNT_OF(counts); row++)
		for (unsigned i = 0; i < 3; i++)
			add(tp_run_readings_of(&run), "instructions", "INST_RETIRED", row, i,
			    counts[row][0] / counts[row][1] * ITERATIONS);
	tp_run_fact_text(&run, "machine.arch", "aarch64");
	assert_int_equal(
		tp_classify_into(&run, tp_run_readings(&run)->families, NULL, "papi", 0, &diags),
		TP_OK);
	const struct tp_class *class = tp_run_classes(&run);
	assert_int_equal(class->n_rows, TP_COUNT_OF(counts));
	expect_fate(class, "INST_RETIRED", "chosen");
	assert_string_equal(class->metrics[0].symbol, "INSTRUCTIONS");
	assert_true(class->metrics[0].defined);
	expect_term(class, "INSTRUCTIONS", "INST_RETIRED", 1);
	/* The counts of an x86-64 would not fit. */
	tp_run_fact_text(&run, "machine.arch", "x86_64");
	assert_int_equal(
		tp_classify_into(&run, tp_run_readings(&run)->families, NULL, "papi", 0, &diags),
		TP_OK);
	expect_fate(tp_run_classes(&run), "INST_RETIRED", "not representable");
	assert_int_equal(diags.n, 0);
	tp_run_release(&run);
}

/* The second run of a preset with the same family; the basis is found by its name. */
static void classes_of_a_run(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	setenv("XDG_DATA_HOME", "/nonexistent", 1);
	setenv("TPROF_DATADIR", source_dir(), 1);
	for (size_t row = 0; row < 11; row++) {
		add(tp_run_readings_of(&run), "branch#2", "ZERO", row, 0, 0);
		add(tp_run_readings_of(&run), "nothing", "ZERO", row, 0, 0);
	}
	assert_int_equal(tp_classify_into(&run, &tp_run_readings(&run)->families[0], NULL, "papi",
					  1, &diags),
			 TP_OK);
	assert_int_equal(tp_run_n_classes(&run), 1);
	assert_string_equal(tp_run_classes(&run)[0].family, "branch#2");
	assert_int_equal(tp_run_classes(&run)[0].run, 1);
	assert_string_equal(tp_run_classes(&run)[0].source, "papi");
	assert_int_equal(tp_run_classes(&run)[0].n_events, 1);
	add(tp_run_readings_of(&run), "branch#2", "ANOTHER", 0, 0,
	    0); /* analysed again, it takes the same place */
	assert_int_equal(tp_classify_into(&run, &tp_run_readings(&run)->families[0], NULL, "papi",
					  1, &diags),
			 TP_OK);
	assert_int_equal(tp_run_n_classes(&run), 1);
	assert_int_equal(tp_run_classes(&run)[0].n_events, 2);
	assert_int_equal(diags.n, 0);
	assert_int_equal(tp_classify_into(&run, &tp_run_readings(&run)->families[1], NULL, "papi",
					  0, &diags),
			 TP_NOTFOUND);
	assert_int_equal(tp_run_n_classes(&run), 1);
	assert_int_equal(diags.n, 1);
	tp_diags_release(&diags);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_processor_with_avx2),
		cmocka_unit_test(branches),
		cmocka_unit_test(noisy_caches),
		cmocka_unit_test(what_was_not_exercised_is_not_defined),
		cmocka_unit_test(no_event_is_of_use),
		cmocka_unit_test(what_cannot_be_is_told),
		cmocka_unit_test(names_say_what_should_count),
		cmocka_unit_test(rows_that_were_not_measured_say_nothing),
		cmocka_unit_test(the_example_of_a_gpu),
		cmocka_unit_test(instructions_of_a_booted_machine),
		cmocka_unit_test(classes_of_a_run),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
