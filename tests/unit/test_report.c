/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report against golden text, its width, and runs that have little or nothing in them; the
 * scenes of its plots.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "report/reporter.h"
#include "report/facts.h"
#include "experiments/roofline/pictures.h"
#include "report/pictures.h"
#include "report/report.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"
#include "tests/unit/report_run.h"
#include "tests/unit/svg_check.h"
#include "tests/unit/text.h"
#include "record/point.h"
#include "record/roof.h"
#include "tests/unit/printed.h"
#include "record/dot.h"

static char *report(const struct tp_run *run, const struct tp_look *look, bool plots)
{
	struct tp_str out = { 0 };
	if (plots)
		PRINTED(look, &out, tp_report_plots(run, doc));
	else
		PRINTED(look, &out, tp_report_text(run, doc));
	char *text = tp_str_take(&out);
	return text ? text : strdup("");
}

/* No line is wider than `columns`, none ends in a blank. */
static void check_lines(const char *text, size_t columns)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);
		if (tp_text_columns(line) > columns)
			fail_msg("%zu columns, not %zu: %s", tp_text_columns(line), columns, line);
		assert_false(n && line[n - 1] == ' ');
		free(line);
		assert_int_equal(text[n], '\n');
		text += n + 1;
	}
}

/*
 * With TPROF_GOLDEN_WRITE in the environment the golden files are written instead, to be read
 * before they are committed.
 */
static void check_golden(const char *text, const char *name)
{
	char path[TP_PATH_MAX], *expected;
	struct tp_diag diag;
	size_t n;
	snprintf(path, sizeof(path), "%s/tests/golden/report-%s.txt", source_dir(), name);
	if (getenv("TPROF_GOLDEN_WRITE"))
		assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, strlen(text), &diag),
				 TP_OK);
	if (tp_file_read(path, 1 << 20, &expected, &n, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_string_equal(text, expected);
	free(expected);
}

static void golden_reports(void **state)
{
	static const struct {
		const char *name;
		struct tp_look look;
	} cases[] = {
		{ "80-utf8", { .utf8 = true, .columns = 80, .rows = 24 } },
		{ "80-ascii", { .columns = 80, .rows = 24 } },
		{ "120-utf8", { .utf8 = true, .columns = 120, .rows = 40 } },
		{ "120-ascii", { .columns = 120, .rows = 40 } },
	};
	struct tp_run run;
	(void)state;
	report_fill(&run);
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		char *text = report(&run, &cases[i].look, false);
		check_golden(text, cases[i].name);
		check_lines(text, cases[i].look.columns);
		for (const char *p = text; !cases[i].look.utf8 && *p; p++)
			assert_true((unsigned char)*p < 0x80);
		free(text);
	}
	tp_run_release(&run);
}

static void every_width_fits(void **state)
{
	struct tp_run run;
	(void)state;
	report_fill(&run);
	for (unsigned columns = 0; columns <= 240; columns += 7) {
		const struct tp_look look = { .utf8 = columns % 2, .columns = columns };
		char *text = report(&run, &look, false);
		check_lines(text, TP_MAX(columns, 80u));
		free(text);
	}
	tp_run_release(&run);
}

/* Colour adds codes and nothing else. */
static void colour_is_only_paint(void **state)
{
	struct tp_look look = { .utf8 = true, .columns = 80, .rows = 24 };
	struct tp_run run;
	(void)state;
	report_fill(&run);
	char *plain = report(&run, &look, false);
	look.colour = true;
	char *painted = report(&run, &look, false), *to = painted;
	assert_non_null(strchr(painted, '\033'));
	assert_null(strchr(plain, '\033'));
	for (const char *from = painted; *from;) {
		if (*from == '\033')
			from += strcspn(from, "m") + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
	assert_string_equal(painted, plain);
	free(plain);
	free(painted);
	tp_run_release(&run);
}

static void an_empty_run_has_a_head(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_run run = { .state = "interrupted" };
	(void)state;
	char *text = report(&run, &look, false);
	assert_non_null(strstr(text, "tprof, interrupted, 0 points\n"));
	assert_non_null(strstr(text, "core frequency not measured"));
	assert_null(strstr(text, "Roofline"));
	assert_null(strstr(text, "Flags"));
	free(text);
	text = report(&run, &look, true);
	assert_string_equal(text, "");
	free(text);
}

/* Values that are missing, zero or no numbers are dashes. */
static void odd_values_are_dashes(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	report_roof(&run, "sse", "L1", "load", NAN, INFINITY, -1, NAN, NAN, 0);
	report_roof(&run, "sse", "L2", "load", 0, 0, 0, 0, 0, 0);
	report_roof(&run, "sse", "FP", "fma", 29.5, NAN, 0, INFINITY, 0, 0);
	report_dot(&run, "fma", NAN, NAN, 0);
	report_dot(&run, "fma", 1, 0, NAN);
	report_plateau(&run, "L1", NAN, 0, 0, 0, 0);
	run.points[0].core_ghz = NAN;
	tp_run_roofs(&run)[2].point = 1000; /* of no point at all */
	tp_run_dots(&run)[0].point = 1000;
	char *text = report(&run, &look, false);
	assert_null(strcasestr(text, "nan"));
	assert_null(strcasestr(text, "inf "));
	assert_non_null(strstr(text, "29.5"));
	check_lines(text, 80);
	free(text);
	text = report(&run, &look, true);
	assert_null(strcasestr(text, "nan"));
	free(text);
	tp_run_release(&run);
}

/* Words from elsewhere cannot move the cursor or break the lines. */
static void strange_words_are_harmless(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	tp_run_fact_text(&run, "name", "a\033[2Jb\xff\xc3(\r\n");
	report_add_failures(&run);
	tp_copy(run.points[0].diag.what, sizeof(run.points[0].diag.what), "died\033[H of\x01it");
	char *text = report(&run, &look, false);
	for (const char *p = text; *p; p++)
		assert_true((*p >= ' ' && *p < 0x7f) || *p == '\n');
	assert_non_null(strstr(text, "a?[2Jb?"
				     "?(?"));
	assert_non_null(strstr(text, "died?[H of?it"));
	free(text);
	tp_run_release(&run);
}

static void equal_failures_are_told_once(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	for (int i = 0; i < 20; i++)
		report_add_failures(&run);
	char *text = report(&run, &look, false);
	const char *first = strstr(text, "Illegal instruction");
	assert_non_null(first);
	assert_null(strstr(first + 1, "Illegal instruction"));
	assert_non_null(strstr(text, "Failed: 40 points"));
	assert_non_null(strstr(text, "Skipped: 20 points"));
	assert_non_null(strstr(text, "0 of 60 points"));
	assert_non_null(strstr(text, "more"));
	free(text);
	tp_run_release(&run);
}

/* --- scenes --- */

static const struct tp_series *series_named(const struct tp_picture *picture, const char *label)
{
	for (size_t i = 0; i < picture->n_series; i++)
		if (picture->series[i].label && strcmp(picture->series[i].label, label) == 0)
			return &picture->series[i];
	fail_msg("no series \"%s\"", label);
	return NULL;
}

static void expect_factor(double value, double roof, const char *words)
{
	struct tp_str text = { 0 };
	tp_picture_factor(value, roof, "L2", &text);
	assert_string_equal(tp_str_text(&text), words);
	tp_str_release(&text);
}

static void what_is_left_to_a_roof(void **state)
{
	struct tp_picture picture = { 0 };
	struct tp_run run;
	(void)state;
	expect_factor(10, 24, "2.4x below L2");
	expect_factor(10, 160, "16x below L2");
	expect_factor(10, 10.1, "on L2");
	expect_factor(10, 9.9, "on L2");
	expect_factor(10, 5, "2.0x above L2");
	report_fill(&run);
	assert_int_equal(tp_run_add_own_dot(&run, "mine:0.1,14.3555", &(struct tp_diag){ 0 }),
			 TP_OK);
	assert_true(tp_picture_roofline(&picture, &run, 0, "double", 120, 38));
	const struct tp_series *dot = series_named(&picture, "mine");
	const size_t n = picture.n_series, marks = picture.n_marks;
	tp_picture_drop(&picture, (size_t)(dot - picture.series), 0);
	/* A line up to the lowest roof that allows it, 0.1 times the bandwidth of L1 there. */
	assert_int_equal(picture.scene.n_series, n + 1);
	const struct tp_series *line = &picture.series[n];
	assert_int_equal(line->style, TP_STYLE_DASHED);
	assert_true(line->x[0] == 0.1 && line->x[1] == 0.1);
	assert_near(line->y[0], 14.3555, 0);
	assert_near(line->y[1], 35.044, 1e-9);
	assert_string_equal(picture.marks[marks].label, "mine, 2.4x below L1");
	/* The label stands beside the dot, which has a glyph of its own. */
	assert_int_equal(picture.scene.n_marks, marks + 1);
	assert_true(picture.marks[marks].at_point && picture.marks[marks].bare);
	/* Lines have nothing below a roof. */
	tp_picture_drop(&picture, 0, 0);
	assert_int_equal(picture.n_series, n + 1);
	tp_arena_release(&picture.arena);
	tp_run_release(&run);
}

static void roofline_scene(void **state)
{
	struct tp_picture picture = { 0 };
	struct tp_run run;
	(void)state;
	report_fill(&run);
	assert_true(tp_picture_roofline(&picture, &run, 0, "double", 120, 38));
	assert_string_equal(picture.scene.title, "Roofline, avx2 double, 1 thread");

	/* A slope of the measured bandwidth that ends at the highest peak, in the ridge point. */
	const struct tp_series *l1 = series_named(&picture, "L1 350.4 GB/s");
	assert_int_equal(l1->n, 2);
	assert_near(l1->y[0] / l1->x[0], 350.44, 1e-9);
	assert_near(l1->x[1], 88.67 / 350.44, 1e-12);
	assert_near(l1->y[1], 88.67, 1e-9);
	assert_int_equal(picture.n_marks, 4);
	assert_near(picture.marks[0].x, 88.67 / 350.44, 1e-12);
	assert_true(picture.marks[0].at_point);
	assert_string_equal(picture.marks[0].label, "0.25");

	/* From below the lowest ridge (that of add) to above the highest. */
	assert_true(picture.scene.x.min < 29.55 / 350.44 / 2);
	assert_true(picture.scene.x.max > 2 * 88.67 / 28.71);
	const struct tp_series *add = series_named(&picture, "add 29.55 GFLOP/s");
	assert_near(add->x[0], 29.55 / 350.44, 1e-12);
	assert_near(add->y[0], add->y[1], 0);

	/* Theory: L1, both peaks, and no other level, whatever the record says there. */
	size_t theory = 0;
	for (size_t i = 0; i < picture.n_series; i++)
		theory += picture.series[i].style == TP_STYLE_DASHED;
	assert_int_equal(theory, 3);
	assert_near(series_named(&picture, "theoretical")->y[0] /
			    series_named(&picture, "theoretical")->x[0],
		    354.6, 1e-9);

	const struct tp_series *dots = series_named(&picture, "mixed fma, L1");
	assert_int_equal(dots->style, TP_STYLE_DOTS);
	assert_int_equal(dots->n, 2);
	assert_near(dots->y[1], 64.3, 0.1);
	assert_near(series_named(&picture, "mixed add, L1")->y[0], 29.61, 0);

	const struct tp_series *scalar = series_named(&picture, "scalar L1, peak");
	assert_int_equal(scalar->n, 3);
	assert_near(scalar->y[2], 7.384, 0);
	tp_arena_release(&picture.arena);

	/* Another precision, another run of the preset: nothing. */
	struct tp_picture none = { 0 };
	assert_false(tp_picture_roofline(&none, &run, 0, "single", 120, 38));
	assert_false(tp_picture_roofline(&none, &run, 1, "double", 120, 38));
	tp_arena_release(&none.arena);
	tp_run_release(&run);
}

static void curve_scene(void **state)
{
	const struct tp_group group = { .threads = 1,
					.precision = "double",
					.experiment = "memcurve" };
	struct tp_picture picture = { 0 }, behind = { 0 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	report_add_facts(&run);
	report_add_curve(&run);
	/* Order of measuring must not matter. */
	struct tp_point first = run.points[0];
	run.points[0] = run.points[9];
	run.points[9] = first;
	run.points[5].state = TP_POINT_FAILED;
	assert_true(tp_picture_curves(&picture, &run, &group, 0));
	assert_string_equal(picture.scene.title, "Memory curve, avx2 double, load, 1 thread");
	assert_int_equal(picture.n_series, 1);
	const struct tp_series *s = &picture.series[0];
	assert_int_equal(s->n, run.n_points - 1);
	for (size_t i = 1; i < s->n; i++)
		assert_true(s->x[i] > s->x[i - 1]);
	assert_near(s->low[0], 236 * 0.99, 1e-9);
	assert_int_equal(picture.n_marks, 3);
	assert_string_equal(picture.marks[2].label, "L3 32M");
	/* 236 against 36.9 is a spread of 6. */
	assert_int_equal(picture.scene.y.kind, TP_SCALE_LINEAR);
	assert_int_equal(picture.scene.x.kind, TP_SCALE_LOG2);
	assert_false(tp_picture_curves(&behind, &run, &group, 1));
	tp_arena_release(&picture.arena);
	tp_arena_release(&behind.arena);
	tp_run_release(&run);
}

static void plots_fit_the_terminal(void **state)
{
	struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_run run;
	(void)state;
	report_fill(&run);
	char *text = report(&run, &look, true);
	size_t lines = 0;
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 2 * 23); /* two pictures of 22 rows, each after a blank line */
	check_lines(text, 80);
	assert_non_null(strstr(text, "Roofline, avx2 double, 1 thread"));
	assert_non_null(strstr(text, "Memory curve, avx2 double, load, 1 thread"));
	free(text);

	look.columns = 39;
	text = report(&run, &look, true);
	assert_non_null(strstr(text, "39 x 24"));
	lines = 0;
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 2);
	free(text);
	tp_run_release(&run);
}

/* --- what a stored run says of its machine --- */

static void shares_of_caches(void **state)
{
	struct tp_run run = { 0 };
	(void)state;
	assert_int_equal(tp_fact_share_bytes(&run, 3, 1), 0);
	report_add_facts(&run);
	/* L2 is a core's own; two cores share L3, and more threads than that get another one. */
	assert_int_equal(tp_fact_share_bytes(&run, 2, 2), 1 << 20);
	assert_int_equal(tp_fact_share_bytes(&run, 3, 1), 32 << 20);
	assert_int_equal(tp_fact_share_bytes(&run, 3, 2), 16 << 20);
	assert_int_equal(tp_fact_share_bytes(&run, 3, 64), 16 << 20);
	assert_string_equal(tp_fact_text(&run, "machine.cpu"), "Example CPU 9000");
	assert_string_equal(tp_fact_text(&run, "machine.cores"), ""); /* a number */
	assert_int_equal(tp_fact_count(&run, "machine.cores"), 2);
	assert_int_equal(tp_fact_count(&run, "machine.cpu"), 0);
	tp_run_fact_number(&run, "odd", -3);
	assert_int_equal(tp_fact_count(&run, "odd"), 0);
	tp_run_release(&run);
}

/* A journal or points.csv alone: nothing of the machine, no results; the points are shown. */
/* A guess says what it rests on; a model that matches or was chosen needs no words. */
static void models_in_the_head(void **state)
{
	const struct tp_look look = { .columns = 200, .rows = 24 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	report_add_curve(&run);
	report_add_facts(&run);
	tp_run_fact_text(&run, "machine.model_found", "matched");
	char *text = report(&run, &look, false);
	assert_non_null(strstr(text, "Model    zen4: AMD Zen 4 (EPYC 9004)\n"));
	free(text);
	tp_run_fact_text(&run, "machine.model_found", "looks like");
	tp_run_fact_text(&run, "machine.model_found_by",
			 "by features and caches; CPUID says family 6 model 167");
	text = report(&run, &look, false);
	assert_non_null(strstr(text, "Model    looks like zen4 (by features and caches; CPUID says "
				     "family 6 model 167): AMD Zen 4 (EPYC 9004)\n"));
	free(text);
	tp_run_release(&run);
}

static void points_without_results(void **state)
{
	const struct tp_look look = { .columns = 100, .rows = 24 };
	struct tp_run run = { .state = "interrupted" };
	(void)state;
	report_add_curve(&run);
	tp_run_drop_derived(&run);
	run.points[3].state = TP_POINT_PLANNED;
	char *text = report(&run, &look, false);
	check_lines(text, 100);
	assert_non_null(strstr(text, "\nPoints\n"));
	assert_non_null(strstr(text, "median  unit"));
	assert_non_null(strstr(text, "8K   236.0  GB/s"));
	assert_null(strstr(text, "16K   236"));
	assert_non_null(strstr(text, "the run ended before it"));
	assert_null(strstr(text, "CPU      "));
	assert_null(strstr(text, "none known"));
	free(text);
	/* With results they are not. */
	report_roof(&run, "sse", "L1", "load", 118, 118, 32, 0, 0, 0);
	text = report(&run, &look, false);
	assert_null(strstr(text, "\nPoints\n"));
	free(text);
	tp_run_release(&run);
}

/* --- SVG documents --- */

static char *svg_of(const struct tp_run *run)
{
	struct tp_str out = { 0 };
	tp_report_svg(run, TP_SVG_AUTO, &out);
	char *text = tp_str_take(&out);
	check_svg(text);
	return text;
}

static void document_of_a_run(void **state)
{
	struct tp_run run;
	(void)state;
	report_fill(&run);
	char *text = svg_of(&run);
	assert_non_null(strstr(text, "<title>night run \u00b5\u03c3</title>"));
	assert_non_null(strstr(text,
			       ">Example CPU 9000 \u00b7 1 socket \u00b7 2 cores \u00b7 L1 32 "
			       "KiB, L2 1 MiB, L3 32 MiB \u00b7 model zen4 \u00b7 node7<"));
	assert_non_null(strstr(text,
			       ">2026-11-21 11:48 UTC \u00b7 30 of 33 points in 12.3 s \u00b7 "
			       "27 good, 2 fair, 1 poor \u00b7 tprof 0.1.0<"));
	assert_int_equal(count_of(text, "class=\"tp-title "), 3); /* two pictures, flags */
	assert_non_null(strstr(text, ">Roofline, avx2 double, 1 thread<"));
	assert_non_null(strstr(text, ">Memory curve, avx2 double, load, 1 thread<"));
	assert_non_null(strstr(text, ">L1 350.4 GB/s<"));
	assert_non_null(strstr(text, ">L3 32M<"));
	assert_non_null(strstr(text, ">noisy (1 of 30 points): kept windows"));
	assert_null(strstr(text, "freq-drift")); /* of a good point */
	free(text);
	/* Two runs of the preset with the same pictures: the titles say which is which. */
	size_t n_points = run.n_points, n_roofs = tp_run_n_roofs(&run);
	report_add_roofs(&run);
	report_add_curve(&run);
	for (size_t i = n_points; i < run.n_points; i++)
		run.points[i].run = 1;
	for (size_t i = n_roofs; i < tp_run_n_roofs(&run); i++)
		tp_run_roofs(&run)[i].run = 1;
	text = svg_of(&run);
	assert_non_null(strstr(text, ">Roofline, avx2 double, 1 thread, run 1<"));
	assert_non_null(strstr(text, ">Roofline, avx2 double, 1 thread, run 2<"));
	assert_non_null(strstr(text, ">Memory curve, avx2 double, load, 1 thread, run 2<"));
	free(text);
	tp_run_release(&run);
}

static void document_without_pictures(void **state)
{
	struct tp_run run = { .state = "running" };
	(void)state;
	char *text = svg_of(&run);
	assert_non_null(strstr(text, "nothing to draw"));
	assert_non_null(strstr(text, ">running \u00b7 0 points<"));
	free(text);
	tp_run_fact_text(&run, "name", "<b>\"&\x01\xff %%s");
	text = svg_of(&run);
	assert_non_null(strstr(text, "&lt;b&gt;&quot;&amp;?? %s"));
	free(text);
	tp_run_release(&run);
}

/*
 * Two runs on each other: a colour and a glyph each, the curve that only one has alone in its
 * picture.
 */
static void document_of_two_runs(void **state)
{
	struct tp_run a, b = { .state = "complete" };
	const struct tp_run *runs[TP_REPORT_RUNS_MAX + 1] = { &a, &b };
	const char *names[TP_REPORT_RUNS_MAX + 1] = { "monday", "<tuesday>" };
	struct tp_str out = { 0 };
	(void)state;
	report_fill(&a);
	report_add_facts(&b);
	report_roof(&b, "avx2", "L1", "2ld1st", 310, 311, 0, 0, 0.25, 0);
	report_roof(&b, "avx2", "FP", "fma", 59, 59, 16, 0, 0, 0);
	report_add_curve(&b);
	for (size_t i = 0; i < b.n_points; i++)
		if (strcmp(b.points[i].experiment, "memcurve") == 0)
			tp_kernel_row_of(&b.points[i])->median_gbps *= 0.8;
	assert_int_equal(tp_report_svg_runs(runs, names, 2, TP_SVG_LIGHT, &out, NULL), TP_OK);
	const char *text = tp_str_text(&out);
	check_svg(text);
	assert_int_equal(count_of(text, "class=\"tp-title "), 3);
	assert_non_null(strstr(text, ">monday: avx2, 1 thread<"));
	assert_non_null(strstr(text, ">&lt;tuesday&gt;: avx2, 1 thread<"));
	const char *l1 = strstr(text, ">L1 310 GB/s<");
	assert_non_null(l1);
	while (*l1 != '<')
		l1--;
	assert_true(strncmp(l1, "<text class=\"tp-name tp-s1\"", 27) == 0);
	assert_int_equal(count_of(text, "tp-curve tp-s0\""), 1 + 1); /* legend, curve */
	assert_int_equal(count_of(text, "tp-curve tp-s1\""), 1 + 1);
	assert_non_null(strstr(text, ">&lt;tuesday&gt;</text>"));
	tp_str_release(&out);

	for (size_t i = 0; i <= TP_REPORT_RUNS_MAX; i++) {
		runs[i] = i % 2 ? &b : &a;
		names[i] = "a run with a name that is rather long";
	}
	assert_int_equal(
		tp_report_svg_runs(runs, names, TP_REPORT_RUNS_MAX, TP_SVG_DARK, &out, NULL),
		TP_OK);
	check_svg(tp_str_text(&out));
	tp_str_clear(&out);
	assert_int_equal(
		tp_report_svg_runs(runs, names, TP_REPORT_RUNS_MAX + 1, TP_SVG_DARK, &out, NULL),
		TP_USAGE);
	assert_int_equal(out.len, 0);
	tp_str_release(&out);
	tp_run_release(&a);
	tp_run_release(&b);
}

/* Two of one place: the second would be missing on every page, or in every run.json. */
static void places_are_unique(void **state)
{
	(void)state;
	size_t reporters = 0;
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		reporters++;
	/* Of every experiment, of mining and of clusters. */
	assert_int_equal(reporters, tp_experiment_count() + 2);
	for (size_t i = 0; i < tp_schema()->n; i++)
		for (size_t k = 0; k < tp_schema()->rows[i]->n_parts; k++) {
			const struct tp_part *part = tp_part_next(NULL);
			while (part && part != tp_schema()->rows[i]->parts[k])
				part = tp_part_next(part);
			if (!part)
				fail_msg("the part of place %u of experiment %s shares its place",
					 tp_schema()->rows[i]->parts[k]->place,
					 tp_schema()->rows[i]->points.experiment);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_reports),
		cmocka_unit_test(places_are_unique),
		cmocka_unit_test(every_width_fits),
		cmocka_unit_test(colour_is_only_paint),
		cmocka_unit_test(an_empty_run_has_a_head),
		cmocka_unit_test(odd_values_are_dashes),
		cmocka_unit_test(strange_words_are_harmless),
		cmocka_unit_test(equal_failures_are_told_once),
		cmocka_unit_test(roofline_scene),
		cmocka_unit_test(what_is_left_to_a_roof),
		cmocka_unit_test(curve_scene),
		cmocka_unit_test(plots_fit_the_terminal),
		cmocka_unit_test(shares_of_caches),
		cmocka_unit_test(models_in_the_head),
		cmocka_unit_test(points_without_results),
		cmocka_unit_test(document_of_a_run),
		cmocka_unit_test(document_without_pictures),
		cmocka_unit_test(document_of_two_runs),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
