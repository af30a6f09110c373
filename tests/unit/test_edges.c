/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of curves over working sets: none leads across the edge of a cache, where nobody measured.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "files.h"
#include "plot/layout.h"
#include "plot/svg.h"
#include "record/load.h"
#include "record/roof.h"
#include "report/facts.h"
#include "report/reporter.h"
#include "report_run.h"
#include "rows.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static void add_curve_point(struct tp_run *run, uint64_t bytes)
{
	struct tp_point *p = add_run_point(run, "memcurve");
	struct tp_kernel_row *k = p->row;
	p->state = TP_POINT_DONE;
	p->threads = 1;
	p->median = k->median_gbps = 100;
	strcpy(p->kernel, "load");
	strcpy(p->unit, "GB/s");
	strcpy(k->isa, "avx2");
	strcpy(k->precision, "double");
	k->working_set_bytes = bytes;
}

/* One letter a point: the first begins, '-' a line leads to it, '.' none does. */
static void joints(const struct tp_series *s, char *out)
{
	for (size_t i = 0; i < s->n; i++)
		*out++ = i == 0 ? '|' : s->apart && s->apart[i] ? '.' : '-';
	*out = '\0';
}

/* Caches of 32 KiB, 1 MiB and 32 MiB, which two cores share; a level that is not known joins
 * nothing. */
static void test_lines_end_at_edges(void **state)
{
	static const struct {
		uint64_t bytes[8];
		double l2_bytes, l3_bytes; /* reported */
		uint64_t capacity_bytes; /* of a plateau of the curve */
		const char *joints;
	} cases[] = {
		/* one in each level; two in each; the capacity itself is in its cache */
		{ { 16 * KIB, 256 * KIB, 8 * MIB, 256 * MIB }, 1 * MIB, 32 * MIB, 0, "|..." },
		{ { 8 * KIB, 32 * KIB, 64 * KIB, 1 * MIB, 2 * MIB, 32 * MIB, 64 * MIB, 512 * MIB },
		  1 * MIB,
		  32 * MIB,
		  0,
		  "|-.-.-.-" },
		/* half an octave across an edge is a measured edge, an octave is none */
		{ { 24 * KIB, 36 * KIB, 512 * KIB, 800 * KIB, 1600 * KIB },
		  1 * MIB,
		  32 * MIB,
		  0,
		  "|---." },
		/* a guest that gets 8 of 32 MiB, as the curve has shown */
		{ { 2 * MIB, 4 * MIB, 16 * MIB, 30 * MIB }, 1 * MIB, 32 * MIB, 8 * MIB, "|-.-" },
		/* no L3 is reported: what is beyond L2 may be in one or in memory */
		{ { 256 * KIB, 1 * MIB, 4 * MIB, 64 * MIB, 80 * MIB }, 1 * MIB, 0, 0, "|-..-" },
		/* no L2: between L1 and L3 there may be one */
		{ { 8 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 64 * MIB, 256 * MIB },
		  0,
		  32 * MIB,
		  0,
		  "|-...." },
	};
	const struct tp_group group = { .threads = 1,
					.precision = "double",
					.experiment = "memcurve" };
	(void)state;
	for (size_t c = 0; c < TP_COUNT_OF(cases); c++) {
		struct tp_run run = { .state = "complete" };
		struct tp_plateau plateau = { .threads = 1,
					      .isa = "avx2",
					      .precision = "double",
					      .kernel = "load",
					      .gbps = 100,
					      .capacity_bytes = cases[c].capacity_bytes };
		struct tp_picture *picture = tp_picture_new();
		char found[16];
		report_add_facts(&run);
		tp_run_fact_number(&run, "machine.cache.L2.size_bytes", cases[c].l2_bytes);
		tp_run_fact_number(&run, "machine.cache.L3.size_bytes", cases[c].l3_bytes);
		if (plateau.capacity_bytes)
			memcpy(tp_run_add_row(&run, &tp_plateau_part), &plateau, sizeof(plateau));
		for (size_t i = 0; i < TP_COUNT_OF(cases[c].bytes) && cases[c].bytes[i]; i++)
			add_curve_point(&run, cases[c].bytes[i]);
		assert_true(tp_picture_curves(picture, &run, &group, 0));
		assert_int_equal(picture->n_series, 1);
		joints(&picture->series[0], found);
		if (strcmp(found, cases[c].joints) != 0)
			fail_msg("case %zu: %s, expected %s", c, found, cases[c].joints);
		tp_picture_free(picture);
		tp_run_release(&run);
	}
}

/* Dots, and between those that are apart nothing. */
static void test_drawings_have_gaps(void **state)
{
	const double x[] = { 1, 2, 4, 8, 16 }, y[] = { 3, 3, 3, 3, 3 };
	const double low[] = { 2, 2, 2, 2, 2 }, high[] = { 4, 4, 4, 4, 4 };
	const bool apart[] = { false, false, true, true, false };
	const struct tp_series series = { .style = TP_STYLE_LINE_AND_DOTS,
					  .glyph = 'o',
					  .n = 5,
					  .x = x,
					  .y = y,
					  .apart = apart };
	struct tp_series banded = series;
	const struct tp_plot_text_options options = { .columns = 70,
						      .rows = 12,
						      .glyphs = TP_GLYPHS_ASCII };
	struct tp_scene scene = { .x = { TP_SCALE_LOG2, TP_UNIT_BYTES, 1, 16, "bytes" },
				  .y = { TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 6, "GB/s" },
				  .series = &series,
				  .n_series = 1 };
	TP_STR text = { 0 };
	TP_STR svg = { 0 };
	char row[128], *o[5];
	size_t n = 0;
	(void)state;
	assert_int_equal(tp_plot_text(&scene, &options, &text), TP_OK);
	const char *line = strchr(tp_str_text(&text), 'o');
	assert_non_null(line);
	snprintf(row, sizeof(row), "%.*s", (int)strcspn(line, "\n"), line);
	for (char *at = row; (at = strchr(at, 'o')) && n < 5; at++)
		o[n++] = at;
	assert_int_equal(n, 5);
	for (size_t i = 1; i < 5; i++)
		assert_int_equal(strcspn(o[i - 1] + 1, "-o") + 1 < (size_t)(o[i] - o[i - 1]),
				 !apart[i]);
	/* The same in SVG: two lines, and an interval for each of three stretches. */
	banded.low = low;
	banded.high = high;
	scene.series = &banded;
	tp_svg_inline(&scene, 860, 420, "only", "t", NULL, &svg);
	const char *curve = strstr(tp_str_text(&svg), "tp-curve");
	assert_non_null(curve);
	n = 0;
	for (const char *at = curve; *at && *at != '>'; at++)
		n += *at == 'M';
	for (const char *at = curve; at > tp_str_text(&svg) && *at != '<'; at--)
		n += *at == 'M';
	assert_int_equal(n, 2);
	n = 0;
	for (const char *at = tp_str_text(&svg); (at = strstr(at, "\"tp-band")); at++)
		n++;
	assert_int_equal(n, 2);
}

/* --- every picture of the runs that ship, and of earlier versions --- */

struct checked {
	const struct tp_run *run;
	const char *name;
	size_t lines;
};

static bool is_within(const struct tp_scale *scale, double value)
{
	return isfinite(value) && (scale->kind == TP_SCALE_LINEAR || value > 0) &&
	       (!(scale->max > scale->min) || (value >= scale->min && value <= scale->max));
}

/* What the legend names is on the picture: a part of it at least, and all of single dots. */
static void check_axes(const struct checked *c, const struct tp_picture *picture)
{
	const struct tp_scene *scene = &picture->scene;
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		size_t within = 0;
		for (size_t k = 0; k < s->n; k++)
			within += is_within(&scene->x, s->x[k]) && is_within(&scene->y, s->y[k]);
		if (s->n && s->label && (!within || (s->style == TP_STYLE_DOTS && within < s->n)))
			fail_msg("%s: \"%s\" shows %zu of %zu of \"%s\"", c->name, scene->title,
				 within, s->n, s->label);
	}
}

/* The legend names everything once. */
static void check_legend(const struct checked *c, const struct tp_scene *scene,
			 const struct tp_medium *medium, double width, double height)
{
	TP_CLEANUP(tp_layout_release) struct tp_layout layout = { 0 };
	tp_layout_make(scene, medium, &(struct tp_rect){ 0, 0, width, height }, &layout);
	for (size_t i = 0; i < layout.n_keys; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(scene->series[layout.keys[i].series].label,
				   scene->series[layout.keys[k].series].label) == 0)
				fail_msg("%s: the legend of \"%s\" has \"%s\" twice", c->name,
					 scene->title, scene->series[layout.keys[i].series].label);
}

static void check_picture(void *context, struct tp_picture *picture)
{
	struct checked *c = context;
	const struct tp_scene *scene = &picture->scene;
	check_axes(c, picture);
	check_legend(c, scene, &tp_medium_cells, 80, 24);
	check_legend(c, scene, &tp_medium_cells, 200, 60);
	check_legend(c, scene, &tp_medium_pixels, 860, 420);
	for (size_t i = 0; i < picture->n_series && scene->x.unit == TP_UNIT_BYTES; i++) {
		const struct tp_series *s = &picture->series[i];
		const struct tp_origin *o = &picture->origins[i];
		bool line = s->style == TP_STYLE_SOLID || s->style == TP_STYLE_LINE_AND_DOTS;
		if (!line || o->reads != TP_READS_POINTS)
			continue;
		c->lines++;
		for (size_t k = 1; k < s->n; k++) {
			unsigned threads = o->points ? o->points[k]->threads : 1;
			int from = tp_fact_level(c->run, s->x[k - 1], threads);
			if ((!from || from != tp_fact_level(c->run, s->x[k], threads)) &&
			    s->x[k] > TP_CURVE_NEAR * s->x[k - 1] && !(s->apart && s->apart[k]))
				fail_msg("%s: \"%s\" leads a line from %g to %g", c->name,
					 scene->title, s->x[k - 1], s->x[k]);
		}
	}
}

static void check_runs(const char *folder, size_t *runs, size_t *lines)
{
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", source_dir(), folder);
	DIR *dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		struct tp_run run;
		struct tp_diag diag = { 0 };
		struct checked c = { &run, d->d_name, 0 };
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", source_dir(), folder, d->d_name);
		if (tp_run_load(&run, path, &diag) == TP_OK) {
			tp_picture_each(&run, &(struct tp_gallery){ .context = &c,
								    .hang = check_picture,
								    .columns = 120,
								    .rows = 40 });
			++*runs;
		}
		*lines += c.lines;
		tp_run_release(&run);
	}
	closedir(dir);
}

static void test_no_picture_crosses_an_edge(void **state)
{
	size_t runs = 0, lines = 0;
	(void)state;
	check_runs("examples/runs", &runs, &lines);
	check_runs("tests/cli/old-runs", &runs, &lines);
	check_runs("tests/tui/runs", &runs, &lines);
	/* Memory curves, latencies and patterns are among them. */
	assert_true(runs >= 20 && lines >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_end_at_edges),
		cmocka_unit_test(test_drawings_have_gaps),
		cmocka_unit_test(test_no_picture_crosses_an_edge),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
