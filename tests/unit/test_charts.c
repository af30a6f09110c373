/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat maps and bars: words of tiles, known pictures, and which of them patterns make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "record/dot.h"
#include "experiments/pattern/pattern.h"
#include "experiments/pattern/pictures.h"
#include "plot/svg.h"
#include "plot/plot.h"
#include "record/roof.h"
#include "report/pictures.h"
#include "report/page.h"
#include "tests/unit/rows.h"

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

/* --- tiles --- */

static void test_words(void **state)
{
	static const struct {
		struct tp_tile tile;
		int columns;
		const char *words;
	} cases[] = {
		{ { 0.876, ' ', "12.3" }, 6, "12.3 " }, { { 0.876, ' ', "12.3" }, 5, " 87 " },
		{ { 0.876, ' ', "12.3" }, 3, "87" },	{ { 0.876, ' ', "12.3" }, 2, "8" },
		{ { 1, '*', "14" }, 5, "14*" },		{ { 1, '*', NULL }, 5, "100*" },
		{ { 1, '*', NULL }, 3, "**" },		{ { 1, '*', NULL }, 1, "*" },
		{ { 0.999, ' ', NULL }, 4, " 99 " },	{ { NAN, 'x', NULL }, 5, "  x " },
		{ { NAN, 'x', NULL }, 3, " x" },	{ { NAN, '.', NULL }, 1, "." },
	};
	char words[TP_TILE_BYTES];
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++)
		assert_string_equal(tp_tile_words(&cases[i].tile, cases[i].columns, words),
				    cases[i].words);
	assert_int_equal(tp_tile_role(&(struct tp_tile){ 0.49, ' ', NULL }), TP_ROLE_HEAT_0);
	assert_int_equal(tp_tile_role(&(struct tp_tile){ 0.5, ' ', NULL }), TP_ROLE_HEAT_1);
	assert_int_equal(tp_tile_role(&(struct tp_tile){ 0.995, ' ', NULL }), TP_ROLE_HEAT_5);
	assert_int_equal(tp_tile_role(&(struct tp_tile){ 0.995, '*', NULL }), TP_ROLE_HEAT_BEST);
	assert_int_equal(tp_tile_role(&(struct tp_tile){ NAN, 'x', NULL }), TP_ROLE_AXIS);
}

static void draw(const struct tp_picture *picture, size_t columns, size_t rows, bool colour,
		 struct tp_str *out)
{
	const struct tp_plot_text_options options = {
		.columns = columns, .rows = rows, .glyphs = TP_GLYPHS_ASCII, .colour = colour
	};
	assert_int_equal(tp_plot_text(&picture->scene, &options, out), TP_OK);
}

static void test_heat(void **state)
{
	static const char *const columns[] = { "16", "32", "64" }, *const rows[] = { "8", "128" };
	const struct tp_names x = { columns, 3 }, y = { rows, 2 };
	const struct tp_chart_tile tiles[] = {
		{ 0, 0, { 0.4, ' ', "4.00" }, NULL },  { 1, 0, { 0.9, ' ', "9.00" }, NULL },
		{ 2, 0, { NAN, 'x', NULL }, NULL },    { 0, 1, { 1, '*', "10.0" }, NULL },
		{ 2, 1, { 0.75, ' ', "7.50" }, NULL },
	};
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 }, svg = { 0 };
	(void)state;
	assert_true(tp_picture_heat(picture, &x, &y, tiles, TP_COUNT_OF(tiles)));
	picture->scene.title = "map";
	picture->scene.x.label = "tile_j";
	picture->scene.y.label = "tile_i";
	draw(picture, 40, 11, false, &text);
	assert_string_equal(tp_str_text(&text), "tile_i             map\n"
						"   |\n"
						"   |\n"
						"128+   10.0*                 7.50\n"
						"   |\n"
						"   |\n"
						"  8+   4.00       9.00          x\n"
						"   |\n"
						"   |\n"
						"   +-----+----------+----------+-----\n"
						"        16         32         64  tile_j\n");
	tp_str_clear(&text);
	/* Shades lie behind the words, and end with the tile. */
	draw(picture, 40, 11, true, &text);
	expect(&text, "\033[0;38;5;16;48;5;220m");
	expect(&text, "\033[0;38;5;245;48;5;234m");
	assert_int_equal(tp_svg_picture(&picture->scene, 0, 0, 600, 300, &svg), TP_OK);
	expect(&svg, "<rect class=\"tp-tile tp-first tp-best\"");
	expect(&svg, ">10.0*</text>");
	expect(&svg, ">9.00</text>");
	expect(&svg, "tp-on-h3\" text-anchor=\"middle\"");
	assert_null(strstr(tp_str_text(&svg), "nan"));
	tp_str_release(&text);
	tp_str_release(&svg);
	tp_picture_free(picture);
}

static void test_bars(void **state)
{
	const struct tp_chart_bar bars[] = {
		{ "L1 naive", "naive", "10.0", 10, 9, 11, false, NULL },
		{ "L1 tiles", "tiles", "20.0", 20, 0, 0, true, NULL },
		{ "L2 naive", "naive", "5.00", 5, 0, 0, false, NULL },
	};
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 }, svg = { 0 };
	(void)state;
	assert_true(tp_picture_bars(picture, bars, TP_COUNT_OF(bars), "GB/s"));
	draw(picture, 48, 10, false, &text);
	expect(&text, "L1 naive+=============|+-| 10.0\n");
	expect(&text, "L1 tiles+=============================  20.0 *\n");
	expect(&text, "L2 naive+=======  5.00\n");
	/* Bars of one group share their entry in the legend. */
	const char *legend = strstr(tp_str_text(&text), "=== naive");
	assert_non_null(legend);
	assert_null(strstr(legend + 1, "=== naive"));
	assert_int_equal(tp_svg_picture(&picture->scene, 0, 0, 600, 300, &svg), TP_OK);
	expect(&svg, "<rect class=\"tp-tile tp-s0\"");
	expect(&svg, "<rect class=\"tp-tile tp-s1\"");
	expect(&svg, ">20.0 *</text>");
	tp_str_release(&text);
	tp_str_release(&svg);
	tp_picture_free(picture);
}

/* To the left of 0; an interval that is out of sight, or in the way of the value, ends in arrows.
 */
static void test_bars_to_the_left(void **state)
{
	const struct tp_chart_bar bars[] = {
		{ "slower", NULL, "-10 %", -10, -12, -8, false, NULL },
		{ "unclear", NULL, "+4 %", 4, -90, 30, false, NULL },
	};
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 }, svg = { 0 };
	(void)state;
	tp_picture_bars(picture, bars, TP_COUNT_OF(bars), "%");
	picture->scene.x.min = -20;
	picture->scene.x.max = 20;
	draw(picture, 60, 10, false, &text);
	expect(&text, " slower +         |--+-|=========  -10 %\n");
	expect(&text, "unclear +<----------------------------+---------------> +4 %\n");
	assert_int_equal(tp_svg_picture(&picture->scene, 0, 0, 600, 300, &svg), TP_OK);
	expect(&svg, ">-10 %</text>");
	expect(&svg, ">+4 %</text>");
	assert_null(strstr(tp_str_text(&svg), "width=\"-"));
	tp_str_release(&text);
	tp_str_release(&svg);
	tp_picture_free(picture);
}

/* --- the choice --- */

static struct tp_point *add_point(struct tp_run *run, const char *pattern, const char *parameters,
				  unsigned threads, double gbps)
{
	struct tp_point *p = add_run_point(run, "pattern");
	struct tp_pattern_row *row = p->row;
	int64_t n;
	p->threads = threads;
	p->state = gbps > 0 ? TP_POINT_DONE : TP_POINT_PLANNED;
	tp_copy(row->pattern, sizeof(row->pattern), pattern);
	tp_copy(row->template, sizeof(row->template), "unified");
	tp_copy(row->parameters, sizeof(row->parameters), parameters);
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), "double");
	tp_copy(p->kernel, sizeof(p->kernel), pattern);
	row->bytes_per_element = 24;
	row->flop_per_element = 2;
	row->kernel.median_gbps = gbps;
	row->kernel.median_gflops = gbps / 12;
	row->element_ns = gbps > 0 ? 24 / gbps : 0;
	if (tp_pattern_parameter_of(p, "n", &n)) {
		row->n = (uint64_t)n;
		row->kernel.working_set_bytes = 24 * (uint64_t)n;
	}
	tp_kernel_headline(p);
	return p;
}

static size_t views_of(const struct tp_run *run, struct tp_pattern_view *views)
{
	return tp_pattern_views(run, views);
}

/* A name too wide for its place at the axis keeps both ends, which tell it from others. */
static void test_long_names(void **state)
{
	static const char *const names[] = {
		"spmv csr laplace3d:128 avx512 double, 8 threads, tiles of 16",
		"spmv csr laplace3d:128 avx512 double, 8 threads, tiles of 32",
		"\u00b5\u00b5\u00b5\u00b5 \u00b5\u00b5\u00b5\u00b5 \u00b5\u00b5\u00b5\u00b5 "
		"\u00b5\u00b5\u00b5\u00b5 \u00b5\u00b5\u00b5\u00b5 8 threads",
	};
	struct tp_chart_bar bars[] = { { names[0], NULL, NULL, 10, 0, 0, false, NULL },
				       { names[1], NULL, NULL, 20, 0, 0, false, NULL },
				       { names[2], NULL, NULL, 5, 0, 0, false, NULL } };
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 }, svg = { 0 };
	(void)state;
	assert_true(tp_picture_bars(picture, bars, TP_COUNT_OF(bars), "GB/s"));
	draw(picture, 60, 12, false, &text);
	expect(&text, "spmv csr lap~ tiles of 16 +");
	expect(&text, "spmv csr lap~ tiles of 32 +");
	expect(&text, "uuuu uuuu ~uuuu 8 threads +");
	tp_str_clear(&text);
	draw(picture, 160, 12, false, &text);
	expect(&text, "spmv csr laplace3d:128 avx512 double, 8 threads, tiles of 16 +");
	assert_int_equal(tp_svg_picture(&picture->scene, 0, 0, 600, 300, &svg), TP_OK);
	expect(&svg, ">spmv csr ");
	expect(&svg, "tiles of 16</text>");
	expect(&svg, "tiles of 32</text>");
	tp_str_release(&text);
	tp_str_release(&svg);
	tp_picture_free(picture);
}

static void test_two_parameters(void **state)
{
	struct tp_run run = { 0 };
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 };
	(void)state;
	add_point(&run, "jacobi", "n=100 tile_i=8 tile_j=16", 1, 10);
	add_point(&run, "jacobi", "n=100 tile_i=8 tile_j=64", 1, 40);
	add_point(&run, "jacobi", "n=100 tile_i=32 tile_j=16", 1, 20);
	add_point(&run, "jacobi", "n=100 tile_i=32 tile_j=64", 1, 0);
	assert_int_equal(views_of(&run, views), 1);
	assert_int_equal(views[0].shape, TP_PATTERN_HEAT);
	assert_int_equal(views[0].metric, TP_PATTERN_GBPS);
	assert_true(tp_picture_pattern(picture, &run, &views[0], 80, 24));
	assert_string_equal(picture->scene.title, "jacobi: GB/s, 1 thread");
	assert_string_equal(picture->scene.y.label, "tile_i");
	draw(picture, 80, 20, false, &text);
	expect(&text, "40.0*");
	/* The row of tile_i = 32 lies above that of 8, and its second tile is not measured yet. */
	const char *upper = strstr(tp_str_text(&text), "20.0"),
		   *lower = strstr(tp_str_text(&text), "10.0");
	assert_true(upper && lower && upper < lower);
	const char *end = strchr(upper, '\n');
	assert_true(memchr(upper + 5, '.', (size_t)(end - upper - 5)) != NULL);
	tp_str_release(&text);
	tp_picture_free(picture);
	tp_run_release(&run);
}

static void test_sizes_make_slices(void **state)
{
	struct tp_run run = { 0 };
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	struct tp_picture *picture = tp_picture_new();
	char parameters[64];
	(void)state;
	for (int n = 100; n <= 200; n += 100)
		for (int i = 0; i < 4; i++) {
			snprintf(parameters, sizeof(parameters), "n=%d a=%d b=%d", n, i / 2, i % 2);
			add_point(&run, "p", parameters, 1, n + i);
		}
	assert_int_equal(views_of(&run, views), 2);
	assert_int_equal(views[1].first, 4);
	assert_true(tp_picture_pattern(picture, &run, &views[1], 80, 24));
	assert_string_equal(picture->scene.title, "p: GB/s, n = 200, 1 thread");
	assert_int_equal(picture->n_series, 2);
	assert_string_equal(picture->series[1].tiles[1].text, "203");
	assert_int_equal(picture->series[1].tiles[1].mark, '*');
	tp_picture_free(picture);
	tp_run_release(&run);
}

static void test_one_parameter(void **state)
{
	struct tp_run run = { 0 };
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	struct tp_picture *picture = tp_picture_new();
	(void)state;
	add_point(&run, "p", "n=100 k=2", 2, 10);
	add_point(&run, "p", "n=100 k=4", 2, 30);
	assert_int_equal(views_of(&run, views), 1);
	assert_int_equal(views[0].shape, TP_PATTERN_BARS);
	assert_true(tp_picture_pattern(picture, &run, &views[0], 80, 24));
	assert_string_equal(picture->scene.title, "p over k, 2 threads");
	assert_string_equal(picture->scene.y_names.items[0], "k=4");
	assert_int_equal(picture->series[1].tiles[0].mark, '*');
	tp_picture_free(picture);
	tp_run_release(&run);
}

/* A size and a parameter with three values each make a map; the size alone is a curve. */
static void test_sizes(void **state)
{
	struct tp_run run = { 0 }, alone = { 0 };
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	const struct tp_group group = { 0, 1, "double", "pattern" };
	char parameters[64];
	(void)state;
	for (int i = 0; i < 9; i++) {
		snprintf(parameters, sizeof(parameters), "n=%d k=%d", 100 << i / 3, i % 3);
		add_point(&run, "p", parameters, 1, 10 + i);
	}
	assert_int_equal(views_of(&run, views), 1);
	assert_int_equal(views[0].shape, TP_PATTERN_HEAT);
	for (int i = 0; i < 3; i++) {
		assert_false(tp_pattern_makes_curves(&alone, &group));
		snprintf(parameters, sizeof(parameters), "n=%d", 100 << i);
		add_point(&alone, "p", parameters, 1, 10 + i);
	}
	assert_int_equal(views_of(&alone, views), 0);
	assert_true(tp_pattern_makes_curves(&alone, &group));
	tp_run_release(&run);
	tp_run_release(&alone);
}

/* Several patterns are compared by the best of each; the first unit is GB/s. */
static void test_compared(void **state)
{
	struct tp_run run = { 0 };
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	struct tp_picture *picture = tp_picture_new();
	struct tp_str text = { 0 };
	(void)state;
	add_point(&run, "naive", "n=100", 1, 10);
	add_point(&run, "tiles", "n=100 k=2", 1, 20);
	tp_copy(add_point(&run, "tiles", "n=100 k=4", 1, 30)->kernel, sizeof(run.points[0].kernel),
		"tiles k=4");
	assert_int_equal(views_of(&run, views), 2);
	assert_int_equal(views[0].shape, TP_PATTERN_BARS);
	assert_int_equal(views[1].shape, TP_PATTERN_COMPARED);
	assert_true(tp_picture_pattern(picture, &run, &views[1], 80, 24));
	assert_string_equal(picture->scene.title, "Patterns compared, the best of each, 1 thread");
	assert_int_equal(picture->n_series, 2);
	draw(picture, 80, 20, false, &text);
	expect(&text, "tiles k=4 +");
	expect(&text, "30.0 *");
	/* Where elements differ GB/s alone does not tell who is faster. */
	((struct tp_pattern_row *)run.points[0].row)->bytes_per_element = 80;
	assert_int_equal(views_of(&run, views), 3);
	assert_int_equal(views[2].metric, TP_PATTERN_NS);
	tp_str_release(&text);
	tp_picture_free(picture);
	tp_run_release(&run);
}

/* --- roofs --- */

static void add_roof(struct tp_run *run, struct tp_roof *roof, const char *level, double median)
{
	struct tp_point *p = add_run_point(run, "roofline");
	p->threads = 1;
	p->state = TP_POINT_DONE;
	*roof = (struct tp_roof){ .point = p->point, .threads = 1, .median = median };
	tp_copy(roof->level, sizeof(roof->level), level);
	tp_copy(roof->precision, sizeof(roof->precision), "double");
	tp_copy(roof->isa, sizeof(roof->isa), "avx2");
}

static void test_roofs(void **state)
{
	struct tp_run run = { 0 };
	struct tp_roof roofs[3];
	struct tp_pattern_roof roof;
	char words[160];
	(void)state;
	add_roof(&run, &roofs[0], "L2", 100);
	add_roof(&run, &roofs[1], "DRAM", 10);
	add_roof(&run, &roofs[2], "FP", 6);
	lend_rows(&run, &tp_roof_part, roofs, 3);
	size_t at = run.n_points;
	struct tp_pattern_row *row = add_point(&run, "p", "n=100", 1, 90)->row;
	tp_copy(row->kernel.level, sizeof(row->kernel.level), "L2");
	row->kernel.ai_flop_per_byte = 1.0 / 30;
	row->kernel.median_gflops = 3;
	assert_true(tp_pattern_roof_of(&run, &run.points[at], &roof));
	assert_true(fabs(roof.gflops - 100.0 / 30) < 1e-9 && fabs(roof.share - 0.9) < 1e-9);
	assert_string_equal(tp_pattern_roof_words(&roof, words, sizeof(words)),
			    "memory-bound at L2: 90 % of its roof");
	/* Beyond the ridge the peak is the roof. */
	row->kernel.ai_flop_per_byte = 1;
	row->kernel.median_gflops = 4.8;
	assert_true(tp_pattern_roof_of(&run, &run.points[at], &roof));
	assert_string_equal(tp_pattern_roof_words(&roof, words, sizeof(words)),
			    "compute-bound: 80 % of the peak");
	/* Without FLOP the bandwidth is. */
	row->kernel.ai_flop_per_byte = 0;
	assert_true(tp_pattern_roof_of(&run, &run.points[at], &roof));
	assert_true(fabs(roof.share - 0.9) < 1e-9);
	row->kernel.median_gbps = 130;
	assert_true(tp_pattern_roof_of(&run, &run.points[at], &roof));
	assert_non_null(strstr(tp_pattern_roof_words(&roof, words, sizeof(words)), "130 %"));
	/* Another level, and other threads, have no roof. */
	tp_copy(row->kernel.level, sizeof(row->kernel.level), "L1");
	assert_false(tp_pattern_roof_of(&run, &run.points[at], &roof));
	tp_copy(row->kernel.level, sizeof(row->kernel.level), "DRAM");
	run.points[at].threads = 2;
	assert_false(tp_pattern_roof_of(&run, &run.points[at], &roof));
	/* Dots lie in the roofline of the run that has the roofs. */
	run.points[at].threads = 1;
	run.points[at].run = 1;
	row->kernel.ai_flop_per_byte = 0.1;
	row->kernel.median_gflops = 0.5;
	tp_pattern_reduce_dots(&run, 0);
	assert_int_equal(tp_run_n_dots(&run), 0);
	tp_pattern_reduce_dots(&run, 1);
	assert_int_equal(tp_run_n_dots(&run), 1);
	const struct tp_dot *dot = tp_run_dots(&run);
	assert_int_equal(dot->run, 0);
	assert_string_equal(dot->fp_op, "p");
	assert_string_equal(dot->level, "DRAM");
	assert_true(fabs(dot->distance_percent + 50) < 1e-9);
	*tp_run_rows_of(&run, &tp_roof_part) = (struct tp_rows){ 0 };
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_bars_to_the_left),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_two_parameters),
		cmocka_unit_test(test_sizes_make_slices),
		cmocka_unit_test(test_one_parameter),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_compared),
		cmocka_unit_test(test_roofs),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
