/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs against each other: verdicts, and what is printed of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "experiments/experiment.h"
#include "tests/unit/compare_runs.h"
#include "record/point.h"
#include "record/roof.h"
#include "tests/unit/rows.h"
#include "tests/unit/printed.h"
#include "tests/unit/text.h"

/* --- verdicts --- */

static void a_run_is_the_same_as_itself(void **state)
{
	struct tp_comparison c;
	(void)state;
	fill(&first);
	fill(&second);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.n_points, 10);
	assert_int_equal(c.count[TP_VERDICT_SAME], 10);
	tp_comparison_release(&c);
}

static void a_slower_roof_is_found(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str line = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	scale(&second.points[5], 0.97);
	scale(&second.points[9], 1.03);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.count[TP_VERDICT_SLOWER], 1);
	assert_int_equal(c.count[TP_VERDICT_FASTER], 1);
	tp_compare_verdict(&c, &look, &line);
	const char *head = "10 points: 8 same, 1 faster, 1 slower; slower: L1 avx2 load "
			   "double 1 thread -3.0 % [";
	assert_memory_equal(tp_str_text(&line), head, strlen(head));
	assert_non_null(strstr(tp_str_text(&line), "; faster: FP avx2 fma double 1 thread +3.0 %"));
	tp_str_release(&line);
	tp_comparison_release(&c);
	/* Too small to matter to this user. */
	struct tp_diag diag;
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ .tolerance = 0.5 }, &diag),
			 TP_OK);
	assert_int_equal(c.count[TP_VERDICT_SAME], 10);
	tp_comparison_release(&c);
}

/* Of a poor value, whichever it is: no change, no verdict, and no row that says one. */
static void a_poor_value_makes_no_difference(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 },
			     screen = { .columns = 80, .screen = true };
	struct tp_comparison c;
	struct tp_str line = { 0 }, out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	scale(&second.points[5], 61283);
	second.points[5].quality = TP_QUALITY_POOR;
	scale(&second.points[9], 0.5);
	first.points[9].quality = TP_QUALITY_POOR;
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.count[TP_VERDICT_SAME], 8);
	assert_int_equal(c.count[TP_VERDICT_UNCLEAR], 2);
	assert_true(c.differences[5].poor && c.differences[9].poor);
	tp_compare_verdict(&c, &look, &line);
	assert_string_equal(tp_str_text(&line), "10 points: 8 same, 2 unclear");
	PRINTED(&look, &out, tp_compare_text(&c, doc));
	assert_non_null(strstr(tp_str_text(&out), "No change was found: 8 same, 2 unclear because "
						  "a value is poor (--csv has all of\nthem)."));
	assert_null(strstr(tp_str_text(&out), "change %"));
	assert_null(strstr(tp_str_text(&out), "Nothing changed"));
	assert_non_null(strstr(tp_str_text(&out), "--set invocations=5"));
	tp_str_clear(&out);
	tp_compare_csv(&c, &out);
	assert_null(strstr(tp_str_text(&out), "faster"));
	assert_non_null(strstr(tp_str_text(&out), "B is poor"));
	/* No words of the command line on a screen. */
	tp_str_clear(&out);
	PRINTED(&screen, &out, tp_compare_text(&c, doc));
	assert_null(strstr(tp_str_text(&out), "--"));
	tp_str_release(&line);
	tp_str_release(&out);
	tp_comparison_release(&c);
}

/* Within the core the work in a cycle is compared, where both clocks are known. */
static void a_slower_clock_is_no_slower_core(void **state)
{
	struct tp_comparison c;
	TP_STR csv = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	for (size_t i = 0; i < 10; i++) {
		struct tp_point *p = &second.points[i];
		first.rows[i].bytes_per_cycle = second.rows[i].bytes_per_cycle =
			first.rows[i].median_gbps / 3.7;
		first.rows[i].flop_per_cycle = second.rows[i].flop_per_cycle =
			first.rows[i].median_gflops / 3.7;
		scale(p, 0.8);
		p->core_ghz = p->core_ghz_after = 3.7 * 0.8;
	}
	compared(&c, 2, TP_ACROSS_NONE);
	for (size_t i = 0; i < 10; i++) {
		const char *level = first.rows[i].level;
		bool beyond = strcmp(level, "L3") == 0 || strcmp(level, "DRAM") == 0;
		assert_int_equal(c.rows[i].per_cycle, !beyond);
		assert_int_equal(c.differences[i].verdict == TP_VERDICT_SAME, !beyond);
	}
	assert_string_equal(tp_compare_unit(&c.rows[5]), "bytes/cycle");
	assert_string_equal(tp_compare_unit(&c.rows[7]), "GB/s");
	assert_string_equal(tp_compare_unit(&c.rows[9]), "FLOP/cycle");
	assert_near(tp_compare_value(&c.rows[5], true), 236 / 3.7, 1e-9);
	assert_near(tp_compare_value(&c.rows[7], true), 100 * 0.8, 1e-9);
	tp_compare_csv(&c, &csv); /* the medians stay what they are */
	assert_non_null(strstr(tp_str_text(&csv), ",GB/s,236,188.8,1,"));
	assert_non_null(strstr(tp_str_text(&csv), ",63.78378378,63.78378378\n"));
	tp_comparison_release(&c);

	/* Less in a cycle at a faster clock: slower. Without one clock the rates are compared. */
	second.rows[5].bytes_per_cycle *= 0.9;
	second.rows[6].bytes_per_cycle = 0;
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.differences[5].verdict, TP_VERDICT_SLOWER);
	assert_near(tp_compare_percent(c.differences[5].gain), -10, 1e-9);
	assert_int_equal(c.differences[6].verdict, TP_VERDICT_SLOWER);
	assert_near(tp_compare_percent(c.differences[6].gain), -20, 1e-9);
	tp_comparison_release(&c);
	compared(&c, 1, TP_ACROSS_ISA); /* another ISA, at its own clock */
	for (size_t i = 0; i < c.n; i++)
		assert_false(c.rows[i].per_cycle);
	tp_comparison_release(&c);
}

static void a_longer_latency_is_slower(void **state)
{
	struct tp_comparison c;
	(void)state;
	first = second = (struct fixture){ 0 };
	struct tp_point *a = add(&first, "scalar", "L1", "chase", 0);
	tp_kernel_row_of(a)->median_ns = 1.09;
	a->ci_low = 1.089;
	a->ci_high = 1.091;
	tp_kernel_time_headline(a);
	copy_fixture(&second, &first);
	scale(&second.points[0], 1.1);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.differences[0].verdict, TP_VERDICT_SLOWER);
	assert_near(tp_compare_percent(c.differences[0].gain), -100 / 11.0, 1e-9);
	assert_string_equal(tp_compare_unit(&c.rows[0]), "ns");
	tp_comparison_release(&c);
}

static void plateaus_are_compared_where_both_have_them(void **state)
{
	struct tp_plateau a[2] = { { .isa = "avx2",
				     .precision = "double",
				     .kernel = "load",
				     .level = "L1",
				     .threads = 1,
				     .gbps = 236,
				     .ci_low = 235.5,
				     .ci_high = 236.5,
				     .from_bytes = 2048,
				     .to_bytes = 30000 } },
			  b[2];
	struct tp_comparison c;
	struct tp_str name = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	a[1] = a[0];
	tp_copy(a[1].level, sizeof(a[1].level), "L2");
	a[1].from_bytes = 65536;
	a[1].to_bytes = 600000;
	memcpy(b, a, sizeof(b));
	b[0].gbps *= 0.95;
	b[0].ci_low *= 0.95;
	b[0].ci_high *= 0.95;
	/* Called L2 as well, but elsewhere: not the same thing. */
	b[1].from_bytes = 2000000;
	b[1].to_bytes = 9000000;
	lend_rows(&first.run, &tp_plateau_part, a, 2);
	lend_rows(&second.run, &tp_plateau_part, b, 2);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.n, 11);
	assert_int_equal(c.n_points, 10);
	assert_int_equal(c.differences[10].verdict, TP_VERDICT_SLOWER);
	tp_compare_name(&c, 10, &name);
	assert_string_equal(tp_str_text(&name), "L1 plateau avx2 load double 1 thread");
	tp_str_release(&name);
	tp_comparison_release(&c);
}

static void other_machines_get_no_verdict(void **state)
{
	char why[192];
	struct tp_comparison c;
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	/* Nothing told: the same. */
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "");
	tp_run_fact_text(&first.run, "machine.hostname", "node1");
	tp_run_fact_text(&second.run, "machine.hostname", "node2");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "node1 and node2");
	/* Containers are called anew every time. */
	tp_run_fact_text(&first.run, "machine.container", "docker");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "");
	tp_run_fact_number(&first.run, "machine.model_number", 17);
	tp_run_fact_number(&second.run, "machine.model_number", 1);
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "their CPU model differs");
	tp_run_fact_text(&first.run, "machine.cpu", "EPYC");
	tp_run_fact_text(&second.run, "machine.cpu", "Xeon");
	scale(&second.points[5], 0.5);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_string_equal(c.no_verdict, "\"EPYC\" and \"Xeon\"");
	PRINTED(&look, &out, tp_compare_text(&c, doc));
	assert_non_null(strstr(tp_str_text(&out), "No verdict"));
	assert_non_null(strstr(tp_str_text(&out), "Roofs side by side"));
	assert_non_null(strstr(tp_str_text(&out), "236.0"));
	assert_non_null(strstr(tp_str_text(&out), "118.0   0.50"));
	assert_null(strstr(tp_str_text(&out), "slower"));
	tp_str_clear(&out);
	tp_compare_csv(&c, &out);
	assert_null(strstr(tp_str_text(&out), "slower"));
	tp_str_release(&out);
	tp_comparison_release(&c);
	/* A simulated run is not a repetition of a real one; regimes of one machine are compared.
	 */
	tp_run_fact_text(&second.run, "simulated.machine", "zen4");
	tp_run_fact_text(&second.run, "simulated.regime", "quiet");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "one is simulated: zen4, quiet");
	tp_run_fact_text(&second.run, "machine.cpu", "EPYC");
	tp_run_fact_number(&second.run, "machine.model_number", 17);
	tp_run_fact_text(&first.run, "simulated.machine", "zen4");
	tp_run_fact_text(&first.run, "simulated.regime", "drift");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "");
	tp_run_fact_text(&first.run, "simulated.machine", "zen3");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "simulated: zen3 and zen4");
	free(first.run.facts);
	free(second.run.facts);
}

static void nothing_to_compare_is_said(void **state)
{
	struct tp_comparison c;
	struct tp_diag diag;
	(void)state;
	fill(&first);
	assert_int_equal(compare(&c, 1, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_non_null(strstr(diag.hint, "--across"));
	tp_comparison_release(&c);
	assert_int_equal(
		compare(&c, 1, (struct tp_compare_options){ .across = TP_ACROSS_PAUSE }, &diag),
		TP_USAGE);
	assert_non_null(strstr(diag.what, "pause_cycles"));
	tp_comparison_release(&c);
	second = (struct fixture){ 0 };
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "no measured point"));
	tp_comparison_release(&c);
	add(&second, "avx512", "L1", "load", 236);
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_string_equal(diag.where, "after");
	assert_non_null(strstr(diag.hint, "--across"));
	tp_comparison_release(&c);
}

static void dimensions_have_names(void **state)
{
	enum tp_dimension d;
	char hint[200];
	(void)state;
	assert_true(tp_dimension_parse("threads", &d, hint, sizeof(hint)));
	assert_int_equal(d, TP_ACROSS_THREADS);
	assert_false(tp_dimension_parse("thread", &d, hint, sizeof(hint)));
	assert_non_null(strstr(hint, "did you mean threads?"));
	assert_false(tp_dimension_parse("", &d, hint, sizeof(hint)));
}

/* --- what is printed --- */

static void expect_narrow(const char *text)
{
	size_t column = 0;
	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		assert_true(column <= 80);
	}
}

static void text_tells_all_and_fits(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	add(&first, "avx512", "L1", "load", 400);
	add(&second, "avx2", "L1", "a-kernel-with-a-very-long-name-1:24", 300);
	scale(&second.points[5], 0.9);
	second.points[6].flags = TP_FLAG(DISTURBED);
	second.points[7].ci_low = 0;
	tp_run_fact_text(&second.run, "machine.cpu", "A CPU\033[31m with \x01 a name %s", "evil");
	compared(&c, 2, TP_ACROSS_NONE);
	PRINTED(&look, &out, tp_compare_text(&c, doc));
	const char *text = tp_str_text(&out);
	expect_narrow(text);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "A  before"));
	assert_non_null(strstr(text, "-10.0"));
	assert_non_null(strstr(text, "slower"));
	assert_non_null(strstr(text, "In A, not in B: 1 point"));
	assert_non_null(strstr(text, "roofline L1 avx512 load double 1 thread"));
	assert_non_null(strstr(text, "In B, not in A: 1 point"));
	assert_non_null(strstr(text, "ridge points"));
	/* 59 / 236 and 59 / 212.4 */
	assert_non_null(strstr(text, "0.250  0.278     +11.1"));
	assert_non_null(strstr(text, "disturbed (1)"));
	tp_str_release(&out);
	tp_comparison_release(&c);
	free(second.run.facts);
}

static void only_what_changed_has_rows(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str out = { 0 };
	(void)state;
	first = (struct fixture){ 0 };
	for (unsigned i = 0; i < 50; i++) {
		struct tp_point *p = add(&first, "avx2", "L1", "load", 100);
		tp_kernel_row_of(p)->working_set_bytes = 1024 * (i + 1);
	}
	copy_fixture(&second, &first);
	scale(&second.points[20], 0.8);
	compared(&c, 2, TP_ACROSS_NONE);
	PRINTED(&look, &out, tp_compare_text(&c, doc));
	assert_non_null(strstr(tp_str_text(&out), "The others: 49 same"));
	assert_non_null(strstr(tp_str_text(&out), "-20.0"));
	assert_int_equal(count_of(tp_str_text(&out), " load "), 1);
	tp_str_release(&out);
	tp_comparison_release(&c);

	/* Too noisy to be called the same, and no change: no row that says "+0.0, unclear". */
	for (size_t i = 0; i < second.run.n_points; i++) {
		second.points[i].ci_low = tp_point_median(&second.points[i]) * 0.7;
		second.points[i].ci_high = tp_point_median(&second.points[i]) * 1.3;
	}
	scale(&second.points[20], 1.25);
	compared(&c, 2, TP_ACROSS_NONE);
	PRINTED(&look, &out, tp_compare_text(&c, doc));
	assert_int_equal(c.count[TP_VERDICT_UNCLEAR], 50);
	assert_non_null(strstr(tp_str_text(&out), "No change was found: 50 unclear (--csv has all "
						  "of them)."));
	assert_non_null(strstr(tp_str_text(&out), "Smallest change that would count here: L1 "));
	assert_null(strstr(tp_str_text(&out), "+0.0"));
	tp_str_release(&out);
	tp_comparison_release(&c);
}

/* --- pictures --- */

/* The picture of changes for a height in rows. */
static struct tp_picture *changes(const struct tp_comparison *c, size_t rows)
{
	struct tp_picture *picture = tp_picture_new();
	assert_int_equal(tp_pictures_count(tp_compare_pictures, c, 100, rows), 1);
	assert_true(tp_pictures_take(tp_compare_pictures, c, 0, 100, rows, picture));
	return picture;
}

/* The bar of a name. */
static const struct tp_series *bar_of(const struct tp_picture *picture, const char *name)
{
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		if (strcmp(picture->scene.y_names.items[(size_t)s->y[0]], name) == 0)
			return s;
	}
	fail_msg("no bar of %s", name);
	return NULL;
}

static void assert_bar(const struct tp_series *s, const struct tp_difference *d, const char *text,
		       enum tp_plot_role role)
{
	assert_near(s->x[0], tp_compare_percent(d->gain), 1e-9);
	assert_near(s->low[0], tp_compare_percent(d->low), 1e-9);
	assert_near(s->high[0], tp_compare_percent(d->high), 1e-9);
	assert_true(s->low[0] < s->x[0] && s->x[0] < s->high[0]);
	assert_string_equal(s->tiles[0].text, text);
	assert_int_equal(s->role, role);
}

static void changes_are_bars_with_bands(void **state)
{
	struct tp_comparison c;
	(void)state;
	fill(&first);
	fill(&second);
	scale(&second.points[5], 0.97);
	scale(&second.points[9], 1.05);
	scale(&second.points[6], 1.04);
	second.points[6].ci_low *= 0.9;
	scale(&second.points[1], 61283);
	second.points[1].quality = TP_QUALITY_POOR;
	compared(&c, 2, TP_ACROSS_NONE);
	struct tp_picture *picture = changes(&c, 24);
	assert_int_equal(picture->n_series, 10);
	assert_string_equal(picture->scene.title, "after against before, double 1 thread");
	assert_true(picture->scene.n_marks == 1 && picture->scene.marks[0].x == 0);
	/* The largest change on top, then what is unclear, and poor values last. */
	assert_ptr_equal(bar_of(picture, "FP avx2 fma"), &picture->series[0]);
	assert_ptr_equal(bar_of(picture, "L1 avx2 load"), &picture->series[1]);
	assert_ptr_equal(bar_of(picture, "L2 avx2 load"), &picture->series[2]);
	assert_ptr_equal(bar_of(picture, "L2 scalar load"), &picture->series[9]);
	assert_bar(&picture->series[0], &c.differences[9], "+5.0 % faster", TP_ROLE_SERIES_2);
	assert_bar(&picture->series[1], &c.differences[5], "-3.0 % slower", TP_ROLE_SERIES_1);
	assert_bar(&picture->series[2], &c.differences[6], "+4.0 % unclear: needs 7.5 %",
		   TP_ROLE_SERIES_3);
	assert_bar(bar_of(picture, "DRAM avx2 load"), &c.differences[8], "+0.0 % same",
		   TP_ROLE_THEORY);
	/* Of a poor value no change is drawn, and it does not set the axis. */
	assert_true(picture->series[9].x[0] == 0 && !picture->series[9].low);
	assert_string_equal(picture->series[9].tiles[0].text, "unclear: a value is poor");
	assert_true(picture->scene.x.min < -20 && picture->scene.x.max < 100);
	/* What a cursor reads. */
	TP_STR said = { 0 };
	tp_picture_say(picture, NULL, 1, 0, &said);
	assert_memory_equal(tp_str_text(&said), "L1 avx2 load: -3.0 % slower [", 29);
	assert_non_null(strstr(tp_str_text(&said), "]; A 236, B 228.9 GB/s"));
	tp_picture_free(picture);
	/* What has no room is counted. */
	picture = changes(&c, 8);
	assert_int_equal(picture->n_series, 3);
	assert_string_equal(picture->left_out, "7 more: 6 same, 1 unclear.");
	tp_picture_free(picture);
	tp_comparison_release(&c);
}

/* An unclear change is never larger than what its bar says it needs. */
static void what_is_unclear_needs_more(void **state)
{
	struct tp_comparison c;
	(void)state;
	for (int percent = -40; percent <= 40; percent++) {
		fill(&first);
		fill(&second);
		for (size_t i = 0; i < 10; i++)
			scale(&second.points[i], 1 + percent / 100.0);
		second.points[3].flags = first.points[8].flags = TP_FLAG(DISTURBED);
		compared(&c, 2, TP_ACROSS_NONE);
		for (size_t i = 0; i < c.n; i++) {
			const struct tp_difference *d = &c.differences[i];
			if (d->verdict == TP_VERDICT_UNCLEAR)
				assert_true(fabs(expm1(d->gain)) <= tp_difference_needs(d) + 1e-9);
		}
		tp_comparison_release(&c);
	}
}

/* Bars of different machines show the change alone. */
static void bars_of_other_machines_have_no_verdict(void **state)
{
	struct tp_comparison c;
	(void)state;
	fill(&first);
	fill(&second);
	scale(&second.points[5], 1.5);
	tp_run_fact_text(&first.run, "machine.cpu", "One");
	tp_run_fact_text(&second.run, "machine.cpu", "Other");
	compared(&c, 2, TP_ACROSS_NONE);
	assert_true(*c.no_verdict);
	struct tp_picture *picture = changes(&c, 24);
	assert_bar(&picture->series[0], &c.differences[5], "+50.0 %", TP_ROLE_SERIES_0);
	tp_picture_free(picture);
	tp_comparison_release(&c);
	free(first.run.facts);
	free(second.run.facts);
}

/* What the text says of all pairs, against the counts. */
static void assert_no_contradiction(const struct tp_comparison *c)
{
	const struct tp_look look = { .columns = 200, .rows = 24 };
	const size_t *n = c->count;
	struct tp_str out = { 0 };
	PRINTED(&look, &out, tp_compare_text(c, doc));
	const char *text = tp_str_text(&out);
	assert_int_equal(n[TP_VERDICT_SAME] + n[TP_VERDICT_FASTER] + n[TP_VERDICT_SLOWER] +
				 n[TP_VERDICT_UNCLEAR],
			 c->n);
	assert_int_equal(strstr(text, "Nothing changed") != NULL,
			 n[TP_VERDICT_SAME] == c->n && !c->n_unpaired);
	if (strstr(text, "No change was found"))
		assert_int_equal(n[TP_VERDICT_FASTER] + n[TP_VERDICT_SLOWER], 0);
	tp_str_release(&out);
}

static void the_text_never_contradicts_its_counts(void **state)
{
	struct tp_comparison c;
	struct tp_diag diag;
	(void)state;
	for (int change = 0; change < 6; change++) {
		fill(&first);
		fill(&second);
		if (change == 1)
			second.run.n_points = 9;
		if (change == 2)
			for (size_t i = 0; i < 6; i++)
				second.points[i].quality = TP_QUALITY_POOR;
		if (change == 3)
			scale(&second.points[5], 0.9);
		if (change == 4)
			scale(&second.points[3], 1.2);
		if (change == 5)
			for (size_t i = 0; i < 10; i++)
				second.points[i].ci_low *= 0.3;
		compared(&c, 2, TP_ACROSS_NONE);
		assert_no_contradiction(&c);
		tp_comparison_release(&c);
		assert_int_equal(
			compare(&c, 2, (struct tp_compare_options){ .tolerance = 0.001 }, &diag),
			TP_OK);
		assert_no_contradiction(&c);
		tp_comparison_release(&c);
	}
}

static void data_have_one_row_a_pair(void **state)
{
	static const char *const names[] = { "before, \"old\"", "after" };
	const struct tp_run *runs[] = { &first.run, &second.run };
	const struct tp_compare_options options = { .tolerance = 0.02 };
	struct tp_comparison c;
	struct tp_diag diag;
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	first.run.n_points = 6;
	scale(&second.points[5], 0.5);
	assert_int_equal(tp_compare_runs(&c, runs, names, 2, &options, &diag), TP_OK);
	tp_compare_csv(&c, &out);
	size_t lines = 0;
	for (const char *p = tp_str_text(&out); *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 7);
	assert_non_null(strstr(tp_str_text(&out),
			       "\npoint,\"before, \"\"old\"\"\",after,roofline,load,avx2,double,1,"
			       "L1,16384,,,,,,GB/s,236,118,0.5,0.4"));
	assert_non_null(strstr(tp_str_text(&out), ",slower,L1,"));
	tp_str_clear(&out);
	tp_compare_json(&c, &out);
	assert_non_null(strstr(tp_str_text(&out), "\"slower\": 1"));
	assert_non_null(strstr(tp_str_text(&out), "\"verdict\": \"slower\""));
	assert_non_null(strstr(tp_str_text(&out), "\"tolerance\": 0.02"));
	assert_non_null(strstr(tp_str_text(&out), "\"missing_in\": \"before, \\\"old\\\"\""));
	tp_str_release(&out);
	tp_comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_the_same_as_itself),
		cmocka_unit_test(a_slower_roof_is_found),
		cmocka_unit_test(a_poor_value_makes_no_difference),
		cmocka_unit_test(a_slower_clock_is_no_slower_core),
		cmocka_unit_test(a_longer_latency_is_slower),
		cmocka_unit_test(plateaus_are_compared_where_both_have_them),
		cmocka_unit_test(other_machines_get_no_verdict),
		cmocka_unit_test(nothing_to_compare_is_said),
		cmocka_unit_test(dimensions_have_names),
		cmocka_unit_test(text_tells_all_and_fits),
		cmocka_unit_test(only_what_changed_has_rows),
		cmocka_unit_test(data_have_one_row_a_pair),
		cmocka_unit_test(changes_are_bars_with_bands),
		cmocka_unit_test(what_is_unclear_needs_more),
		cmocka_unit_test(bars_of_other_machines_have_no_verdict),
		cmocka_unit_test(the_text_never_contradicts_its_counts),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
