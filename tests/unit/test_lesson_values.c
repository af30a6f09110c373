/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a lesson from a made-up run, answers and how far they are off, and units. */
#include "experiments/experiment.h"
#include "files.h"

#include <math.h>

#include "lesson/values.h"
#include "report_run.h"

static const char text[] =
	"lesson: 1\n"
	"title: A\n"
	"summary: B\n"
	"values:\n"
	"  steep: l1.median_gbps / dram.median_gbps\n"
	"  zero: l1.median_gbps / (dram.median_gbps - dram.median_gbps)\n"
	"  capacity: {value: l1.capacity_bytes, unit: bytes}\n"
	"steps:\n"
	"  - {predict: guess, question: Q, unit: GB/s, from: 0.1, to: 1000, truth: "
	"dram.median_gbps}\n"
	"  - predict: side\n"
	"    question: Q\n"
	"    choices: [{say: More, when: steep > 100}, {say: Less, when: steep < 100}, {say: Few, "
	"when: steep < 50}]\n"
	"  - predict: shape\n"
	"    question: Q\n"
	"    curve: {of: curve, x: working_set_bytes, y: median_gbps, from: 3KiB, to: 48KiB, "
	"places: 3, where: {kernel: load}}\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 1000\n"
	"  - measure: curve\n"
	"    preset: {experiment: memcurve}\n"
	"    results:\n"
	"      l1: {table: plateaus, where: {level: L1}}\n"
	"      dram: {table: plateaus, where: {level: DRAM}}\n"
	"      none: {table: plateaus, where: {level: L4}}\n"
	"      small: {table: points, where: {working_set_bytes: <= 16KiB}}\n"
	"      last: {table: points, take: last}\n"
	"      fast: {table: points, take: largest median_gbps, where: {quality: good}}\n"
	"      slow: {table: points, take: smallest median_gbps}\n"
	"      flag: {table: points, where: {flags: noisy}}\n"
	"  - explain:\n"
	"      - {when: none.median_gbps > 0, text: never}\n"
	"      - {when: curve.noisy, text: noisy}\n"
	"      - {text: 'unknown {none.median_gbps}'}\n"
	"      - {text: '{l1.median_gbps} of {machine.cpu}, {steep}, {capacity}, {last.level}'}\n";

/* The lesson above and a run of its measurement. */
static struct tp_lesson lesson;
static struct tp_run run;
static const struct tp_run *runs[8];
static struct tp_answer answers[8];
static struct tp_lesson_state the;
enum { GUESS, SIDE, SHAPE, CURVE, EXPLAIN };

static int set_up(void **state)
{
	struct tp_diags diags = { 0 };
	(void)state;
	if (tp_lesson_parse(&lesson, "a.yaml", text, strlen(text), NULL, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	report_add_facts(&run);
	tp_run_fact_text(&run, "machine.arch", "x86_64");
	tp_run_fact_text(&run, "machine.features", "sse2 avx avx2 fma");
	report_add_curve(&run);
	/* A steepness of 8. */
	TP_ROWS(&run, tp_plateau_part, tp_plateau)[3].gbps = 29.5;
	runs[CURVE] = &run;
	the = (struct tp_lesson_state){ .lesson = &lesson, .runs = runs, .answers = answers };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tp_run_release(&run);
	tp_lesson_release(&lesson);
	return 0;
}

/* The value of an expression, NaN where it is unknown. */
static double value_of(const char *expression)
{
	struct tp_expression e;
	struct tp_diag diag;
	double value;
	assert_int_equal(tp_expression_read(&e, expression, &diag), TP_OK);
	return tp_lesson_compute(&the, &e, &value) ? value : NAN;
}

static void test_rows(void **state)
{
	static const struct {
		const char *expression;
		double value;
	} rows[] = {
		{ "l1.median_gbps", 236 },
		{ "l1.found", 1 },
		{ "none.found", 0 },
		{ "steep", 8 },
		{ "small.working_set_bytes", 2048 },
		{ "last.working_set_bytes", 512 << 20 },
		{ "slow.working_set_bytes <= last.working_set_bytes", 1 },
		{ "fast.median_gbps > slow.median_gbps", 1 },
		{ "fast.quality == 'good'", 1 },
		{ "flag.found", 0 },
		{ "curve.points", 19 },
		{ "curve.noisy + curve.simulated", 0 },
		{ "machine.cores", 2 },
		{ "machine.threads", 2 },
		{ "machine.l3_bytes", 32 << 20 },
		{ "machine.virtual", 1 },
		{ "machine.hypervisor == 'KVM'", 1 },
	};
	static const char *const unknown[] = { "none.median_gbps",     "zero",
					       "dram.capacity_bytes",  "machine.numa_nodes",
					       "guess.given",	       "nothing",
					       "0 * none.median_gbps", "l1.level" };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (value_of(rows[i].expression) != rows[i].value)
			fail_msg("%s: %g, not %g", rows[i].expression, value_of(rows[i].expression),
				 rows[i].value);
	for (size_t i = 0; i < TP_COUNT_OF(unknown); i++)
		if (!isnan(value_of(unknown[i])))
			fail_msg("%s: known", unknown[i]);
#ifdef TP_ARCH_X86_64
	assert_true(value_of("machine.vector_bytes") == 32);
#endif
	/* Nothing is known before the measurement. */
	runs[CURVE] = NULL;
	assert_true(isnan(value_of("l1.found")) && isnan(value_of("curve.noisy")) &&
		    isnan(value_of("machine.cores")));
	runs[CURVE] = &run;
}

static void test_variants(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	const struct tp_variant *variant = tp_lesson_variant(&the, &lesson.steps[EXPLAIN]);
	assert_ptr_equal(variant, &lesson.steps[EXPLAIN].variants[3]);
	assert_true(tp_lesson_fill(&the, &variant->text, &out));
	assert_string_equal(tp_str_text(&out), "236 GB/s of Example CPU 9000, 8, 33 KiB, ");
	tp_str_clear(&out);
	assert_false(tp_lesson_fill(&the, &lesson.steps[EXPLAIN].variants[2].text, &out));
	assert_string_equal(tp_str_text(&out), "unknown ?");
	tp_str_release(&out);
	/* More than a third of poor points is noise. */
	for (size_t i = 0; i < run.n_points; i++)
		run.points[i].quality = i < 7 ? TP_QUALITY_POOR : TP_QUALITY_GOOD;
	assert_ptr_equal(tp_lesson_variant(&the, &lesson.steps[EXPLAIN]),
			 &lesson.steps[EXPLAIN].variants[1]);
	run.points[0].quality = TP_QUALITY_FAIR;
	assert_ptr_equal(tp_lesson_variant(&the, &lesson.steps[EXPLAIN]),
			 &lesson.steps[EXPLAIN].variants[3]);
	runs[CURVE] = NULL;
	assert_null(tp_lesson_variant(&the, &lesson.steps[EXPLAIN]));
	runs[CURVE] = &run;
}

static void test_numbers_and_choices(void **state)
{
	struct tp_answer number = { .there = true, .given = 59 }, choice = { .there = true };
	(void)state;
	assert_true(tp_lesson_judge(&the, &lesson.steps[GUESS], &number));
	assert_true(number.truth == 29.5 && number.factor == 2 && !number.right);
	number.given = 29.5 / 1.25;
	assert_true(tp_lesson_judge(&the, &lesson.steps[GUESS], &number));
	assert_true(fabs(number.factor - 1.25) < 1e-12 && number.right);
	answers[GUESS] = number;
	assert_true(fabs(value_of("guess.factor") - 1.25) < 1e-12);
	assert_true(value_of("guess.right") == 1 && value_of("guess.truth") == 29.5);
	/* Two of the choices are right: either will do. */
	static const bool right[] = { false, true, true };
	for (unsigned i = 0; i < 3; i++) {
		choice.given = i + 1;
		assert_true(tp_lesson_judge(&the, &lesson.steps[SIDE], &choice));
		assert_int_equal(choice.right, right[i]);
		assert_true(choice.truth == (i == 2 ? 3 : 2));
		assert_true(isnan(choice.factor));
	}
	runs[CURVE] = NULL;
	assert_false(tp_lesson_judge(&the, &lesson.steps[GUESS], &number));
	assert_false(tp_lesson_judge(&the, &lesson.steps[SIDE], &choice));
	assert_true(isnan(number.truth) && !number.right);
	runs[CURVE] = &run;
}

static void test_curves(void **state)
{
	const struct tp_question *q = lesson.steps[SHAPE].question;
	double x[32], y[32];
	(void)state;
	size_t n = tp_lesson_curve(&the, q, x, y, TP_COUNT_OF(x));
	assert_int_equal(n, 19);
	assert_true(x[0] == 2048 && x[18] == 512 << 20 && y[0] == 236);
	/* With less room from one end to the other. */
	assert_int_equal(tp_lesson_curve(&the, q, x, y, 3), 3);
	assert_true(x[0] == 2048 && x[1] == 1 << 20 && x[2] == 512 << 20);
	/* 3, 12 and 48 KiB: the last lies between L1 (236) and L2 (118), on a straight line of
	 * logarithms. */
	double between = 236 * pow(118. / 236, log(1.5) / log(2));
	struct tp_answer answer = { .there = true, .y = { 236 * 2, 236. / 3, between } };
	assert_true(tp_lesson_judge(&the, &lesson.steps[SHAPE], &answer));
	assert_true(fabs(answer.factor - 2) < 1e-9 && answer.given == answer.factor);
	assert_true(isnan(answer.truth) && !answer.right);
	answer.y[0] = answer.y[1] = 236;
	assert_true(tp_lesson_judge(&the, &lesson.steps[SHAPE], &answer));
	assert_true(fabs(answer.factor - 1) < 1e-9 && answer.right);
}

/* --- units --- */

static void test_format(void **state)
{
	static const struct {
		double value;
		const char *unit, *text;
	} rows[] = {
		{ 412.34, "GB/s", "412 GB/s" },
		{ 41.234, "GB/s", "41.2 GB/s" },
		{ 2.4, "", "2.4" },
		{ 2, "", "2" },
		{ 0.0833333, "", "0.0833" },
		{ 32768, "bytes", "32 KiB" },
		{ 1.5, "s", "1.5 s" },
		{ 99.97, "ns", "100 ns" },
		{ 1, "threads", "1 thread" },
		{ 2, "threads", "2 threads" },
		{ 1, "ns", "1 ns" },
		{ 12, "%", "12 %" },
		{ 1.234e7, "", "12.3 million" },
		{ 123456, "", "123456" },
		{ -3.456, "ns", "-3.46 ns" },
		{ 0, "GB/s", "0 GB/s" },
	};
	char out[64];
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		assert_string_equal(tp_lesson_format(out, sizeof(out), rows[i].value, rows[i].unit),
				    rows[i].text);
}

static void test_typed_numbers(void **state)
{
	static const struct {
		const char *typed, *unit;
		double value;
	} rows[] = {
		{ "30", "GB/s", 30 },
		{ "30 GB/s", "GB/s", 30 },
		{ "30gb/s", "GB/s", 30 },
		{ " 500 MB/s ", "GB/s", 0.5 },
		{ "1.5 MiB", "bytes", 1572864 },
		{ "32k", "bytes", 32768 },
		{ "1e3", "", 1000 },
		{ "1/8", "FLOP/byte", 0.125 },
		{ "2 us", "ns", 2000 },
		{ "80 %", "%", 80 },
		{ "3x", "times", 3 },
		{ "4 thread", "threads", 4 },
		{ "-2", "", -2 },
		{ ".5", "", 0.5 },
	};
	static const struct {
		const char *typed, *unit, *told;
	} wrong[] = {
		{ "", "", "is not a number" },	    { "many", "GB/s", "is not a number" },
		{ "1,5", "", "has a comma" },	    { "30 ns", "GB/s", "has another unit" },
		{ "0x10", "", "is not a number" },  { "nan", "", "is not a number" },
		{ "1/0", "", "is not a fraction" }, { "1e999", "", "is not a number" },
		{ "1 2", "", "has another unit" },  { "10 KB", "bytes", "has another unit" },
	};
	struct tp_diag diag;
	double value;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		if (tp_lesson_number(rows[i].typed, rows[i].unit, &value, &diag) != TP_OK)
			fail_msg("%s: %s", rows[i].typed, diag.what);
		assert_true(fabs(value - rows[i].value) <= 1e-12 * fabs(value));
	}
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		assert_int_equal(tp_lesson_number(wrong[i].typed, wrong[i].unit, &value, &diag),
				 TP_USAGE);
		if (!strstr(diag.what, wrong[i].told) || !*diag.hint)
			fail_msg("%s: %s", wrong[i].typed, diag.what);
	}
	/* What is shown can be typed. */
	for (size_t i = 0; tp_lesson_unit(i); i++) {
		char shown[64];
		tp_lesson_format(shown, sizeof(shown), 64, tp_lesson_unit(i));
		assert_int_equal(tp_lesson_number(shown, tp_lesson_unit(i), &value, &diag), TP_OK);
		assert_true(value == 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_numbers_and_choices),
		cmocka_unit_test(test_curves), cmocka_unit_test(test_variants),
		cmocka_unit_test(test_format), cmocka_unit_test(test_typed_numbers),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
