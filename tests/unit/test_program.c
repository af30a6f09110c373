/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole programs: numbers in their output, commands of variants, plans, and what reports say. */
#include <math.h>
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
#include "experiments/experiment.h"
#include "experiments/program/program.h"
#include "experiments/program/row.h"
#include "experiments/program/readings.h"
#include "experiments/program/report.h"
#include "report/pictures.h"
#include "report/report.h"
#include "report/reporter.h"
#include "session/session.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

/* --- numbers in an output --- */

/* The readings of patterns ("a=..., b=...") in an output, or what is wrong. */
static const char *take(const char *const *patterns, size_t n, const char *output)
{
	static char out[256];
	struct tp_scalar items[8];
	const struct tp_value wishes = { .items = items, .n = n };
	struct tp_program_reads reads;
	struct tp_diag diag;
	double values[TP_PROGRAM_READS_MAX];
	for (size_t i = 0; i < n; i++)
		items[i] = (struct tp_scalar){ .text = patterns[i] };
	enum tp_status status = tp_program_reads_make(&reads, &wishes, &diag);
	if (status == TP_OK)
		status = tp_program_reads_take(&reads, output, values, &diag);
	size_t len = 0;
	if (status != TP_OK)
		tp_copy(out, sizeof(out), diag.what);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		len += (size_t)snprintf(out + len, sizeof(out) - len, "%s=%.9g ",
					reads.items[i].name, values[i]);
	tp_program_reads_release(&reads);
	return out;
}

static const char *take_one(const char *pattern, const char *output)
{
	return take(&pattern, 1, output);
}

static void numbers_are_found(void **state)
{
	static const char *const two[] = { "rate=rate: ([0-9.]+) MB/s", "left=^left ([-0-9]+)$" };
	(void)state;
	assert_string_equal(take(two, 2, "start\nrate: 12.50 MB/s\nleft -3\nend\n"),
			    "rate=12.5 left=-3 ");
	/* The first match counts, and the first group of several. */
	assert_string_equal(take_one("n=(1|2) of ([0-9]+)", "2 of 7, 1 of 9"), "n=2 ");
	assert_string_equal(take_one("t=took ([^ ]+) s", "took 1.5e-3 s"), "t=0.0015 ");
	/* ^ and $ are the ends of lines, and . does not leave its line. */
	assert_string_equal(take_one("n=^([0-9]+)$", "a 1\n22\n333 b"), "n=22 ");
	assert_string_equal(take_one("n=a.*([0-9])", "a\n5"),
			    "the pattern of n does not match the output");
	assert_string_equal(take_one("n=([0-9]+)", ""),
			    "the pattern of n does not match the output");
	assert_string_equal(take_one("n=x([^ ]*)", "x1.2.3 "),
			    "\"1.2.3\" is not a number, and n is to be one");
	assert_string_equal(take_one("n=x(.*)", "x\033[31mred"),
			    "\"?[31mred\" is not a number, and n is to be one");
	assert_string_equal(take_one("n=x(inf)", "xinf"),
			    "\"inf\" is not a number, and n is to be one");
	/* A group that has no part in the match. */
	assert_string_equal(take_one("n=(1)?x", "x"), "the pattern of n does not match the output");
}

static void patterns_are_checked(void **state)
{
	static const char *const twice[] = { "a=(1)", "a=(2)" };
	(void)state;
	assert_string_equal(take_one("(1)", ""), "\"(1)\" is not a NAME=PATTERN");
	assert_string_equal(take_one("1a=(1)", ""), "\"1a=(1)\" is not a NAME=PATTERN");
	assert_string_equal(take_one("a=1", ""),
			    "the pattern of \"a=1\" has no group in parentheses");
	assert_non_null(strstr(take_one("a=(1", ""), "\"a=(1\" is not a regular expression: "));
	/* Nobody's preset takes all memory, or hours. */
	assert_non_null(strstr(take_one("n=(((a{1,255}){1,255}){1,255})", "a"), "is too costly"));
	assert_non_null(strstr(take_one("n=(a{30000})", "a"), "is too costly"));
	assert_non_null(strstr(take_one("n=(a{99}{99})", "a"), "is too costly"));
	assert_non_null(strstr(take_one("n=(a++++++++++++++)", "a"), "is too costly"));
	assert_non_null(strstr(take_one("n=(a??***)", "a"), "is too costly: it repeats"));
	assert_string_equal(take_one("n=^a+ *b+ *c+ *d+ *e+ *f+ *g+ *h+ *i+ *j+ *k+ *([0-9]+)$",
				     "aaa b c d e f g h i j k 55"),
			    "n=55 ");
	assert_string_equal(take_one("n=[]+{(]+([0-9]+)[^]+{[:alpha:]]{1,3}", "]+{(12 :"), "n=12 ");
	assert_non_null(
		strstr(take_one("n=(a*)*\\1b", "a"), "is too costly: it refers to a group"));
	assert_string_equal(take_one("n=x\\{([0-9]{1,3})", "x{1234"), "n=123 ");
	assert_string_equal(take(twice, 2, "1 2"), "two numbers have the name \"a\"");
}

static void metrics_are_read(void **state)
{
	struct tp_program_metric m;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_program_metric_parse(&m, "time", &diag), TP_OK);
	assert_true(m.kind == TP_PROGRAM_TIME && !m.more);
	assert_int_equal(tp_program_metric_parse(&m, "cpu-time", &diag), TP_OK);
	assert_true(m.kind == TP_PROGRAM_CPU_TIME && !m.more);
	assert_int_equal(tp_program_metric_parse(&m, "more:rate", &diag), TP_OK);
	assert_true(m.kind == TP_PROGRAM_READING && m.more);
	assert_string_equal(m.name, "rate");
	assert_int_equal(tp_program_metric_parse(&m, "less:left", &diag), TP_OK);
	assert_true(m.kind == TP_PROGRAM_READING && !m.more);
	assert_int_equal(tp_program_metric_parse(&m, "rate", &diag), TP_USAGE);
	assert_int_equal(tp_program_metric_parse(&m, "more:", &diag), TP_USAGE);
	assert_int_equal(tp_program_metric_parse(&m, "more:a b", &diag), TP_USAGE);
}

/* --- plans --- */

static enum tp_status open_plan(struct tp_session *session, const char *const *more, size_t n,
				struct tp_diag *diag)
{
	const char *sets[16] = { "experiment=program", "topology=synthetic:pack:1 core:4 pu:1",
				 "machine=skylake-x" };
	struct tp_diags diags = { 0 };
	for (size_t i = 0; i < n; i++)
		sets[3 + i] = more[i];
	const struct tp_overrides overrides = { .sets = sets, .n = 3 + n };
	enum tp_status status = tp_session_open(session, &overrides, NULL, true, &diags);
	*diag = diags.n ? diags.items[0] : (struct tp_diag){ 0 };
	tp_diags_release(&diags);
	return status;
}

#define OPEN(session, sets, diag) open_plan(session, sets, TP_COUNT_OF(sets), diag)

static void variants_are_filled(void **state)
{
	static const char *const sets[] = {
		"program.command=/usr/bin/tool --jobs={threads} \"-{level}\" {name} {{x}",
		"program.parameters=name=\"two words\" plain",
		"program.level=1 9",
		"program.environment=A={level}{level}",
		"program.before=make {level}",
		"threads=1,2",
		"program.where=level < 9 or threads == 2",
	};
	struct tp_session session;
	struct tp_diag diag;
	(void)state;
	if (OPEN(&session, sets, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	/* Threads outside, then the parameters in their order, the last one fastest. */
	assert_int_equal(session.plan.n, 6);
	const struct tp_planned *p = &session.plan.items[4];
	const struct tp_program_plan *plan = tp_program_plan(p);
	const struct tp_program_row *row = tp_program_row(&p->point);
	char level[16], name[16];
	assert_int_equal(p->point.threads, 2);
	assert_true(tp_program_value(&p->point, "level", level, sizeof(level)));
	assert_true(tp_program_value(&p->point, "name", name, sizeof(name)));
	assert_false(tp_program_value(&p->point, "threads", name, sizeof(name)));
	assert_string_equal(plan->words[0], "/usr/bin/tool");
	assert_string_equal(plan->words[1], "--jobs=2");
	assert_int_equal(plan->words[2][0], '-');
	assert_string_equal(plan->words[2] + 1, level);
	/* A value with a blank stays one word. */
	tp_program_value(&p->point, "name", name, sizeof(name));
	assert_string_equal(plan->words[3], name);
	assert_string_equal(plan->words[4], "{x}");
	assert_null(plan->words[5]);
	assert_int_equal(plan->before.n, 1);
	assert_string_equal(plan->before.items[0][1], level);
	assert_int_equal(strncmp(plan->variables[0], "A=", 2), 0);
	assert_int_equal(strlen(plan->variables[0]), 4);
	assert_null(plan->variables[1]);
	assert_string_equal(row->metric, "time");
	assert_int_equal(strncmp(p->point.kernel, "tool ", 5), 0);
	assert_true(p->point.less_is_better);
	assert_string_equal(p->point.unit, "s");
	/* Two words of one parameter: each in two levels and teams, less what `where` leaves out.
	 */
	size_t with_blank = 0;
	for (size_t i = 0; i < session.plan.n; i++)
		with_blank +=
			strcmp(tp_program_plan(&session.plan.items[i])->words[3], "two words") == 0;
	assert_int_equal(with_blank, 3);
	tp_session_close(&session);
}

static void expect_refused(const char *const *sets, size_t n, const char *words)
{
	struct tp_session session;
	struct tp_diag diag;
	if (open_plan(&session, sets, n, &diag) == TP_OK)
		fail_msg("expected: %s", words);
	if (!strstr(diag.what, words))
		fail_msg("expected \"%s\" in \"%s\"", words, diag.what);
	tp_session_close(&session);
}

#define REFUSED(words, ...)                                                                        \
	do {                                                                                       \
		static const char *const sets[] = { __VA_ARGS__ };                                 \
		expect_refused(sets, TP_COUNT_OF(sets), words);                                    \
	} while (0)

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	REFUSED("there is no command to run", "program.warmup=1");
	REFUSED("a double quote does not end", "program.command=a \"b");
	REFUSED("nope", "program.command=a {nope}");
	REFUSED("the parameter is there twice", "program.command=a", "program.threads=1 2");
	REFUSED("is not NAME=VALUE", "program.command=a", "program.environment=LC ALL=C");
	REFUSED("\"rate\" is not a metric", "program.command=a", "program.metric=rate");
	REFUSED("program.read has no number \"rate\"", "program.command=a",
		"program.metric=more:rate");
	REFUSED("no group", "program.command=a", "program.read=rate=1");
	REFUSED("no combination of parameters", "program.command=a", "program.k=1..3",
		"program.where=k > 5");
	REFUSED("combinations", "program.command=a", "program.k=1..1000", "program.l=1..1000");
}

/* --- reports --- */

static struct tp_point *add(struct tp_run *run, unsigned threads, const char *parameters,
			    double seconds, enum tp_quality quality)
{
	struct tp_point *p = add_run_point(run, "program");
	struct tp_program_row *row = p->row;
	p->threads = threads;
	p->state = TP_POINT_DONE;
	p->quality = quality;
	p->kept = 8;
	p->ci_low = 0.99 * seconds;
	p->ci_high = 1.01 * seconds;
	snprintf(p->kernel, sizeof(p->kernel), "tool %s", parameters);
	tp_copy(row->command, sizeof(row->command), "tool");
	tp_copy(row->parameters, sizeof(row->parameters), parameters);
	tp_copy(row->metric, sizeof(row->metric), "time");
	row->value = row->best = row->time_seconds = seconds;
	row->user_seconds = seconds / 2;
	p->kind->headline(p);
	return p;
}

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void tables_name_the_best(void **state)
{
	static const struct tp_look look = { .columns = 100, .rows = 30 };
	struct tp_run run = { .n_points = 0 };
	struct tp_conclusion said = { .next = { 0 } };
	struct tp_str text = { 0 };
	(void)state;
	add(&run, 1, "level=1", 0.2, TP_QUALITY_GOOD);
	add(&run, 1, "level=2", 0.1, TP_QUALITY_POOR);
	add(&run, 2, "level=1", 0.4, TP_QUALITY_GOOD);
	add(&run, 2, "level=\033[2J", 0.201, TP_QUALITY_FAIR);
	struct tp_point *failed = add(&run, 2, "level=9", 0, TP_QUALITY_NONE);
	failed->state = TP_POINT_FAILED;
	/* A poor one is not the best while others are better than that. */
	assert_ptr_equal(tp_program_best(&run, 0), &run.points[0]);
	assert_ptr_equal(tp_program_worst(&run, 0), &run.points[2]);
	assert_null(tp_program_best(&run, 1));
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Programs\n");
	expect(&text, "good     tool level=1           1  200 ms");
	expect(&text, "2.00x    200 ms");
	expect(&text, "failed   tool level=9");
	expect(&text, "level=?[2J");
	tp_conclude(&run, &said);
	expect(&said.limits, "Best time: tool level=1, 1 thread: 200 ms; the interval of 1 other "
			     "overlaps its own. The worst, tool level=1, 2 threads, has 2 times "
			     "as much.");
	tp_conclusion_release(&said);
	tp_str_release(&text);
	tp_run_release(&run);
}

static void curves_go_over_numbers(void **state)
{
	struct tp_run run = { .n_points = 0 };
	char axis[TP_PROGRAM_AXIS_BYTES];
	const struct tp_group group = { 0, 1, "", "program" };
	(void)state;
	add(&run, 1, "tool=a n=300", 0.3, TP_QUALITY_GOOD);
	add(&run, 1, "tool=a n=100", 0.1, TP_QUALITY_GOOD);
	add(&run, 1, "tool=b n=100", 0.2, TP_QUALITY_GOOD);
	assert_false(tp_program_axis(&run, 0, 1, axis));
	add(&run, 1, "tool=a n=200", 0.2, TP_QUALITY_GOOD);
	assert_true(tp_program_axis(&run, 0, 1, axis));
	assert_string_equal(axis, "n");
	struct tp_picture *picture = tp_picture_new();
	assert_true(tp_picture_curves(picture, &run, &group, 0));
	assert_int_equal(picture->n_series, 2);
	assert_string_equal(picture->series[0].label, "tool=a");
	assert_int_equal(picture->series[0].n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(picture->series[0].x[i] == 100.0 * (double)(i + 1));
		assert_true(fabs(picture->series[0].y[i] - 100.0 * (double)(i + 1)) < 1e-9);
	}
	assert_string_equal(picture->scene.y.label, "ms");
	assert_false(tp_picture_has_curves(&run, &group, TP_PICTURE_CURVES));
	tp_picture_free(picture);
	/* One value that is not a number, and there is nothing to go over. */
	add(&run, 1, "tool=a n=many", 0.2, TP_QUALITY_GOOD);
	assert_false(tp_program_axis(&run, 0, 1, axis));
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_found),	     cmocka_unit_test(patterns_are_checked),
		cmocka_unit_test(metrics_are_read),	     cmocka_unit_test(variants_are_filled),
		cmocka_unit_test(what_cannot_be_is_refused), cmocka_unit_test(tables_name_the_best),
		cmocka_unit_test(curves_go_over_numbers),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
