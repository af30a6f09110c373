/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SVG: the rules of svg_check.h on many pictures, geometry, themes, escaping, names, and one
 * picture exactly.
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

#include "plot/svg.h"
#include "tests/unit/plot_golden.h"
#include "tests/unit/plot_scenes.h"
#include "tests/unit/svg_check.h"
#include "tests/unit/text.h"

enum { MARGIN = 16 };

static struct plot_scenes scenes;

static char *draw_described(const struct tp_scene *scene, const char *description, unsigned width,
			    unsigned height, enum tp_svg_theme theme)
{
	struct tp_str out = { 0 };
	tp_svg_begin(&out, width, height, theme, scene->title ? scene->title : "", description);
	assert_int_equal(tp_svg_picture(scene, MARGIN, MARGIN, width - 2 * MARGIN,
					height - 2 * MARGIN, &out),
			 TP_OK);
	tp_svg_end(&out);
	char *text = tp_str_take(&out);
	assert_non_null(text);
	return text;
}

static char *draw(const struct tp_scene *scene, unsigned width, unsigned height,
		  enum tp_svg_theme theme)
{
	return draw_described(scene, "a picture", width, height, theme);
}

static void check_sizes(const struct tp_scene *scene)
{
	static const unsigned sizes[][2] = { { 320, 200 },  { 320, 700 },  { 400, 260 },
					     { 480, 320 },  { 640, 400 },  { 777, 333 },
					     { 900, 560 },  { 1000, 230 }, { 1280, 720 },
					     { 1900, 1100 } };
	for (size_t i = 0; i < TP_COUNT_OF(sizes); i++) {
		char *svg = draw(scene, sizes[i][0], sizes[i][1], TP_SVG_AUTO);
		check_svg(svg);
		free(svg);
	}
}

static void size_of_words(void **state)
{
	(void)state;
	/* 'M' 863, 'i' 278, '0' 636 thousandths. */
	assert_true(fabs(tp_svg_width("Mi0", TP_WORD_KEY) - 1.777 * 12) < 1e-9);
	assert_true(tp_svg_width("Mi0", TP_WORD_NAME) > 1.777 * 12 * 1.1);
	assert_true(tp_svg_width("", TP_WORD_KEY) == 0);
	struct tp_arena arena = { 0 };
	assert_string_equal(tp_svg_fit(&arena, "memory", TP_WORD_KEY, 120), "memory");
	const char *cut = tp_svg_fit(&arena, "a very long memory", TP_WORD_KEY, 72);
	assert_string_equal(cut, "a very lon\u2026");
	assert_true(tp_svg_width(cut, TP_WORD_KEY) <= 72);
	tp_arena_release(&arena);
}

static void numbers_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0, "0" },	 { -0.04, "0" },    { 12.34, "12.3" },
		      { -1.26, "-1.3" }, { 7.0, "7" },	    { -0.5, "-0.5" },
		      { NAN, "0" },	 { INFINITY, "0" }, { 1234.96, "1235" } };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_str out = { 0 };
		tp_svg_number(&out, cases[i].value);
		assert_string_equal(tp_str_text(&out), cases[i].text);
		tp_str_release(&out);
	}
}

static void shapes_meet(void **state)
{
	const struct tp_rect rect = { 10, 10, 20, 10 };
	struct tp_quad box = tp_quad_rect(&rect);
	(void)state;
	/*
	 * The diagonal of a turned box reaches into the corner that its bounding box covers anyway.
	 */
	struct tp_quad far = tp_quad_turned(0, 40, -45, 10, 2, 2);
	struct tp_quad near = tp_quad_turned(0, 40, -45, 40, 2, 2);
	assert_false(tp_quad_meets(&box, &far));
	assert_true(tp_quad_meets(&box, &near));
	struct tp_quad touching = tp_quad_rect(&(struct tp_rect){ 30, 10, 5, 5 });
	assert_false(tp_quad_meets(&box, &touching));
	struct tp_quad line = svg_line(0, 0, 40, 30);
	struct tp_quad miss = svg_line(0, 12, 9, 40);
	assert_true(tp_quad_meets(&box, &line));
	assert_false(tp_quad_meets(&box, &miss));
	/* A line past the corner, inside the bounding boxes of both. */
	struct tp_quad corner = svg_line(25, 5, 35, 15.5);
	assert_true(tp_quad_meets(&box, &corner));
	corner = svg_line(25, 4, 37, 16);
	assert_false(tp_quad_meets(&box, &corner));

	struct tp_line cut = { 0, 15, 100, 15 }, past = { 0, 0, 9, 100 };
	assert_true(tp_line_clip(&cut, &rect));
	assert_true(cut.x0 == 10 && cut.x1 == 30 && cut.y0 == 15 && cut.y1 == 15);
	assert_false(tp_line_clip(&past, &rect));
	struct tp_line odd = { NAN, 15, 100, 15 };
	assert_false(tp_line_clip(&odd, &rect));
}

static void no_words_collide(void **state)
{
	(void)state;
	check_sizes(&scenes.roofline);
	check_sizes(&scenes.curve);
}

/* Names that are too many, too long and too close. */
static void crowds(void **state)
{
	enum { SERIES = 14, POINTS = 9, MARKS = 12 };
	static double x[SERIES][POINTS], y[SERIES][POINTS], low[POINTS], high[POINTS];
	static char names[SERIES][80], edges[MARKS][24];
	struct tp_series series[SERIES];
	struct tp_plot_mark marks[MARKS];
	unsigned seed = 1;
	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		size_t n_points = 2 + round % (POINTS - 1);
		for (size_t s = 0; s < SERIES; s++) {
			for (size_t i = 0; i < n_points; i++) {
				seed = seed * 1103515245u + 12345u;
				x[s][i] = 1024 * pow(2, (double)i * 3);
				y[s][i] = 10 + (double)(seed >> 16 & 0xff) * (s % 3 ? 0.01 : 1);
				low[i] = 5;
				high[i] = 300;
			}
			snprintf(names[s], sizeof(names[s]), "%.*s %zu GB/s",
				 (int)(1 + (round * 7 + s * 5) % 60),
				 "a name of a series that somebody gave without any restraint at "
				 "all",
				 s);
			series[s] = (struct tp_series){
				.label = s % 5 == 4 ? "shared" : names[s],
				.style = (enum tp_series_style)((s + round) % 4),
				.role = (enum tp_plot_role)(s % TP_ROLE_AXIS),
				.glyph = "ox+*#@"[s % 6],
				.n = n_points,
				.x = x[s],
				.y = y[s],
				.low = round % 2 ? low : NULL,
				.high = round % 2 ? high : NULL,
			};
		}
		for (size_t i = 0; i < MARKS; i++) {
			snprintf(edges[i], sizeof(edges[i]), "edge %zu", i);
			marks[i] = (struct tp_plot_mark){ 2000 * pow(1.3, (double)i),
							  50 + (double)i, i % 3 == 0, edges[i], 0 };
		}
		const struct tp_scene scene = {
			.title = "A title that is long enough to leave every small picture at its "
				 "right end, and then some more of it",
			.x = { round % 3 ? TP_SCALE_LOG2 : TP_SCALE_LINEAR, TP_UNIT_BYTES, 0, 0,
			       "working set" },
			.y = { round % 4 ? TP_SCALE_LOG10 : TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0,
			       "a unit of some length" },
			.series = series,
			.n_series = 1 + (round * 3) % SERIES,
			.marks = marks,
			.n_marks = round % (MARKS + 1),
		};
		check_sizes(&scene);
	}
}

static void nothing_to_draw(void **state)
{
	static const double odd[] = { NAN, -1, 0, INFINITY };
	const struct tp_series series[] = {
		{ .label = "odd", .style = TP_STYLE_LINE_AND_DOTS, .n = 4, .x = odd, .y = odd },
		{ .label = "none", .style = TP_STYLE_DOTS, .n = 0 },
	};
	const struct tp_plot_mark marks[] = { { NAN, NAN, true, "ridge", NAN },
					      { -5, 0, false, "edge", INFINITY } };
	struct tp_scene scene = { .x = { .kind = TP_SCALE_LOG10 }, .y = { .kind = TP_SCALE_LOG2 } };
	(void)state;
	check_sizes(&scene);
	scene.series = series;
	scene.n_series = TP_COUNT_OF(series);
	scene.marks = marks;
	scene.n_marks = TP_COUNT_OF(marks);
	check_sizes(&scene);
}

static void sizes_out_of_range(void **state)
{
	static const double sizes[][2] = { { 287, 400 },  { 400, 167 }, { 8193, 400 },
					   { 400, 8193 }, { 0, 0 },	{ NAN, 400 } };
	const struct tp_scene scene = { .title = "t" };
	struct tp_str out = { 0 };
	(void)state;
	tp_str_add(&out, "before");
	for (size_t i = 0; i < TP_COUNT_OF(sizes); i++) {
		assert_int_equal(tp_svg_picture(&scene, 0, 0, sizes[i][0], sizes[i][1], &out),
				 TP_USAGE);
		assert_string_equal(tp_str_text(&out), "before");
	}
	assert_int_equal(tp_svg_picture(&scene, 0, 0, 288, 168, &out), TP_OK);
	assert_true(strncmp(tp_str_text(&out), "before<g>", 9) == 0);
	tp_str_release(&out);
}

/* Markup in a label stays text. */
static void words_are_escaped(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5 };
	const struct tp_series series = { .label = "</text><script>x()</script>\x01 \xff \xc3",
					  .style = TP_STYLE_LINE_AND_DOTS,
					  .n = 5,
					  .x = x,
					  .y = x };
	const struct tp_plot_mark mark = { 3, 0, false, "\"L1\" 'a' & <b>\xef\xbf\xbe", 0 };
	const struct tp_scene scene = { .title = "caf\u00e9 \u6e2c\u5b9a <&> ]]> \xed\xa0\x80",
					.y = { .label = "GB&s" },
					.series = &series,
					.n_series = 1,
					.marks = &mark,
					.n_marks = 1 };
	(void)state;
	char *svg = draw(&scene, 900, 500, TP_SVG_DARK);
	check_svg(svg);
	assert_non_null(strstr(svg, "caf\u00e9 \u6e2c\u5b9a &lt;&amp;&gt; ]]&gt; \ufffd"));
	assert_non_null(strstr(svg, "&lt;/text&gt;&lt;script&gt;x()&lt;/script&gt;"));
	assert_non_null(strstr(svg, "&quot;L1&quot; &#39;a&#39; &amp; &lt;b&gt;\ufffd"));
	assert_non_null(strstr(svg, "GB&amp;s"));
	free(svg);
}

/* --- themes --- */

/* The linear light, 0 to 1, of a colour such as "#2744d2". */
static void light_of(const char *hex, double rgb[3])
{
	unsigned bytes[3];
	assert_int_equal(sscanf(hex, "#%2x%2x%2x", &bytes[0], &bytes[1], &bytes[2]), 3);
	for (int i = 0; i < 3; i++) {
		double c = bytes[i] / 255.0;
		rgb[i] = c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
}

static double luminance(const char *hex)
{
	double rgb[3];
	light_of(hex, rgb);
	return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

/*
 * Every colour of words has the contrast that WCAG 2 asks for on the paper, in the part of the
 * style sheet that begins at `rules`.
 */
static void check_contrast(const char *rules)
{
	static const char *const roles[] = { "s0", "s1",   "s2",   "s3", "s4",
					     "s5", "mark", "axis", "ink" };
	const char *paper = strstr(rules, ".tp-paper,.tp-ring{fill:");
	assert_non_null(paper);
	double back = luminance(strchr(paper, '#'));
	for (size_t i = 0; i < TP_COUNT_OF(roles); i++) {
		char rule[32];
		snprintf(rule, sizeof(rule), ".tp-%s{color:", roles[i]);
		const char *at = strstr(paper, rule);
		assert_non_null(at);
		double ink = luminance(strchr(at, '#'));
		double contrast = (fmax(ink, back) + 0.05) / (fmin(ink, back) + 0.05);
		if (contrast < 4.5)
			fail_msg("%s: contrast %.2f", roles[i], contrast);
	}
}

/* CIE Lab of linear RGB, D65. */
static void to_lab(const double rgb[3], double lab[3])
{
	static const double matrix[3][3] = { { 0.4124, 0.3576, 0.1805 },
					     { 0.2126, 0.7152, 0.0722 },
					     { 0.0193, 0.1192, 0.9505 } };
	static const double white[3] = { 0.9505, 1, 1.089 };
	double f[3];
	for (int i = 0; i < 3; i++) {
		double t = 0;
		for (int k = 0; k < 3; k++)
			t += matrix[i][k] * fmin(fmax(rgb[k], 0), 1) / white[i];
		f[i] = t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
	}
	lab[0] = 116 * f[1] - 16;
	lab[1] = 500 * (f[0] - f[1]);
	lab[2] = 200 * (f[1] - f[2]);
}

/*
 * Series can be told apart with any colour vision: simulated after Machado, Oliveira and Fernandes
 * 2009, severity 1.
 */
static void check_distances(const char *rules)
{
	static const double eyes[4][3][3] = {
		{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		{ { 0.152286, 1.052583, -0.204868 },
		  { 0.114503, 0.786281, 0.099216 },
		  { -0.003882, -0.048116, 1.051998 } },
		{ { 0.367322, 0.860646, -0.227968 },
		  { 0.280085, 0.672501, 0.047413 },
		  { -0.011820, 0.042940, 0.968881 } },
		{ { 1.255528, -0.076749, -0.178779 },
		  { -0.078411, 0.930809, 0.147602 },
		  { 0.004733, 0.691367, 0.303900 } },
	};
	for (size_t eye = 0; eye < TP_COUNT_OF(eyes); eye++) {
		double lab[6][3];
		for (int s = 0; s < 6; s++) {
			char rule[32];
			double linear[3], seen[3] = { 0, 0, 0 };
			snprintf(rule, sizeof(rule), ".tp-s%d{color:", s);
			light_of(strchr(strstr(rules, rule), '#'), linear);
			for (int i = 0; i < 9; i++)
				seen[i / 3] += eyes[eye][i / 3][i % 3] * linear[i % 3];
			to_lab(seen, lab[s]);
			for (int k = 0; k < s; k++) {
				double d = sqrt(pow(lab[s][0] - lab[k][0], 2) +
						pow(lab[s][1] - lab[k][1], 2) +
						pow(lab[s][2] - lab[k][2], 2));
				if (d < 20)
					fail_msg("series %d and %d: distance %.1f, eye %zu", s, k,
						 d, eye);
			}
		}
	}
}

static void themes(void **state)
{
	const struct tp_scene scene = { .title = "t" };
	(void)state;
	char *light = draw(&scene, 400, 300, TP_SVG_LIGHT);
	assert_null(strstr(light, "@media"));
	check_contrast(strstr(light, "<style"));
	free(light);
	/* Dark rules are for screens only: paper keeps the light ones before them. */
	char *dark = draw(&scene, 400, 300, TP_SVG_DARK);
	const char *screen = strstr(dark, "@media screen{");
	assert_non_null(screen);
	check_contrast(screen);
	check_contrast(strstr(dark, "<style"));
	check_distances(screen);
	check_distances(strstr(dark, "<style"));
	assert_true(strstr(dark, ".tp-paper,.tp-ring{fill:#ffffff}") < screen);
	free(dark);
	char *automatic = draw(&scene, 400, 300, TP_SVG_AUTO);
	screen = strstr(automatic, "@media screen and (prefers-color-scheme:dark){");
	assert_non_null(screen);
	check_contrast(screen);
	free(automatic);
}

/* --- drawing --- */

static void roofs_have_names_along_them(void **state)
{
	(void)state;
	char *svg = draw(&scenes.roofline, 900, 560, TP_SVG_LIGHT);
	/* L1: turned, in the colour of its line; the peak: not turned. */
	const char *l1 = strstr(svg, ">L1 347 GB/s</text>");
	assert_non_null(l1);
	while (*l1 != '<')
		l1--;
	double x, y, degrees;
	assert_int_equal(sscanf(l1,
				"<text class=\"tp-name tp-s0\" transform=\"translate(%lf %lf) "
				"rotate(%lf)\"",
				&x, &y, &degrees),
			 3);
	assert_true(degrees < -20 && degrees > -60);
	/* Parallel to the line: the slope of the first piece of its path. */
	const char *path = strstr(svg, "<path class=\"tp-line tp-roof tp-s0\" d=\"M");
	double x0, y0, x1, y1;
	assert_int_equal(sscanf(strchr(path, 'M'), "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
	assert_true(fabs(atan2(y1 - y0, x1 - x0) * 180 / acos(-1) - degrees) < 0.2);
	assert_true(strstr(svg, "<text class=\"tp-name tp-s4\" x=\""));
	/* Theory: dashed, together one legend entry. */
	assert_int_equal(count_of(svg, "tp-dash tp-theory"), 6);
	assert_int_equal(count_of(svg, ">theoretical</text>"), 1);
	/* Ridges, dots and error bars. */
	assert_int_equal(count_of(svg, "tp-ring tp-ink"), 1);
	assert_int_equal(count_of(svg, "tp-dot tp-s0"), 2); /* picture and legend */
	assert_int_equal(count_of(svg, "tp-cross tp-s3"), 2);
	assert_int_equal(count_of(svg, "tp-bar tp-s3"), 1);
	free(svg);
}

static void curves_have_names_at_their_ends(void **state)
{
	(void)state;
	char *svg = draw(&scenes.curve, 900, 520, TP_SVG_LIGHT);
	assert_int_equal(count_of(svg, "class=\"tp-name "), 3);
	assert_int_equal(count_of(svg, "class=\"tp-key "), 0);
	assert_int_equal(count_of(svg, "tp-leader"), 3 + 1); /* and its rule */
	assert_int_equal(count_of(svg, "class=\"tp-note tp-mark\""), 3);
	assert_int_equal(count_of(svg, "tp-band"), 1 + 1);
	free(svg);
	/* Where there is no room for them they are in a legend. */
	svg = draw(&scenes.curve, 340, 300, TP_SVG_LIGHT);
	assert_int_equal(count_of(svg, "class=\"tp-name "), 0);
	assert_int_equal(count_of(svg, "class=\"tp-key "), 3);
	free(svg);
}

static void golden(void **state)
{
	(void)state;
	char *svg = draw_described(
		&scenes.roofline,
		"GFLOP/s over FLOP per byte: theoretical, theoretical, theoretical, "
		"theoretical, theoretical, L1 347 GB/s, L2 117 GB/s, L3 100 GB/s, DRAM "
		"32 GB/s, FMA+ADD 88.1 GFLOP/s, ADD 29.4 GFLOP/s, mixed, L1, mixed, "
		"DRAM",
		560, 380, TP_SVG_AUTO);
	check_golden_text("plot-roofline-560x380.svg", svg);
	free(svg);
}

static void paragraphs_break_at_blanks(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	double y =
		tp_svg_paragraph(&out, 10, 20, 120, TP_WORD_BODY, TP_ROLE_TITLE,
				 "one two three four five six seven averyveryverylongwordindeed");
	size_t lines = count_of(tp_str_text(&out), "<text ");
	assert_true(lines >= 3);
	assert_true(fabs(y - 20 - (double)lines * 1.45 * 12.5) < 1e-9);
	struct svg_words words = svg_read_words(tp_str_text(&out));
	for (size_t i = 0; i < words.n; i++) {
		assert_true(words.items[i].quad.x[1] <= 130 + 1e-6);
		assert_true(words.items[i].text[0] != ' ');
	}
	assert_string_equal(words.items[0].text, "one two three four");
	free(words.items);
	tp_str_release(&out);
}

int main(void)
{
	plot_scenes_make(&scenes);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_of_words),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(shapes_meet),
		cmocka_unit_test(no_words_collide),
		cmocka_unit_test(crowds),
		cmocka_unit_test(nothing_to_draw),
		cmocka_unit_test(sizes_out_of_range),
		cmocka_unit_test(words_are_escaped),
		cmocka_unit_test(themes),
		cmocka_unit_test(roofs_have_names_along_them),
		cmocka_unit_test(curves_have_names_at_their_ends),
		cmocka_unit_test(golden),
		cmocka_unit_test(paragraphs_break_at_blanks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
