/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrows at the edges of a picture: what the legend names is in sight, or is pointed to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plot/canvas.h"
#include "plot/layout.h"
#include "plot/svg.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 60, ROWS = 20, WIDTH = 600, HEIGHT = 400 };

/* A line that is in sight, and dots. */
struct dots {
	double x[4], y[4];
	struct tp_series series[5];
	struct tp_scene scene;
};

static const double line_x[] = { 1, 100 }, line_y[] = { 1, 100 };

static void make(struct dots *d, const double *x, const double *y, size_t n)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	*d = (struct dots){ .scene = { .x = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 1, 100, "x" },
				       .y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 1, 100, "y" },
				       .series = d->series,
				       .n_series = n + 1 } };
	d->series[0] = (struct tp_series){
		.style = TP_STYLE_SOLID, .role = TP_ROLE_SERIES_5, .n = 2, .x = line_x, .y = line_y
	};
	for (size_t i = 0; i < n; i++) {
		d->x[i] = x[i];
		d->y[i] = y[i];
		d->series[i + 1] = (struct tp_series){ .label = names[i],
						       .style = TP_STYLE_DOTS,
						       .role = (enum tp_plot_role)i,
						       .glyph = 'o',
						       .n = 1,
						       .x = &d->x[i],
						       .y = &d->y[i] };
	}
}

static uint32_t look(const struct tp_canvas *canvas, double column, double row,
		     enum tp_plot_role role)
{
	enum tp_plot_role found;
	uint32_t code = tp_canvas_look(canvas, (size_t)column, (size_t)row, &found);
	assert_int_equal(found, role);
	return code;
}

/* One series at (x, y); its arrow lies at that edge of the data area, where the axis is nearest. */
static void check(double x, double y, enum tp_plot_glyphs glyphs, uint32_t arrow, int right,
		  int down)
{
	struct dots d;
	struct tp_canvas canvas = { 0 };
	size_t column, row;
	make(&d, &x, &y, 1);
	assert_int_equal(tp_canvas_draw(&canvas, &d.scene, COLUMNS, ROWS, glyphs), TP_OK);
	assert_int_equal(canvas.layout->n_arrows, 1);
	const struct tp_arrow *a = &canvas.layout->arrows[0];
	const struct tp_rect *plot = &canvas.layout->plot;
	assert_int_equal(look(&canvas, a->x, a->y, TP_ROLE_SERIES_0), arrow);
	assert_int_equal(a->right, right);
	assert_int_equal(a->down, down);
	if (right)
		assert_true(a->x == (right < 0 ? plot->x : plot->x + plot->width - 1));
	else
		assert_true(a->y == (down < 0 ? plot->y : plot->y + plot->height - 1));
	/* Or beside it: the line takes cells of two corners. */
	assert_true(tp_canvas_find(&canvas, fmin(fmax(x, 1), 100), fmin(fmax(y, 1), 100), &column,
				   &row));
	assert_true(fabs(a->x - (double)column) <= 2 && fabs(a->y - (double)row) <= 2);
	tp_canvas_release(&canvas);
}

static void dots_off_the_area_have_arrows(void **state)
{
	(void)state;
	check(1e-3, 50, TP_GLYPHS_ASCII, '<', -1, 0);
	check(1e5, 2, TP_GLYPHS_ASCII, '>', 1, 0);
	check(2, 1e5, TP_GLYPHS_ASCII, '^', 0, -1);
	check(50, 1e-3, TP_GLYPHS_ASCII, 'v', 0, 1);
	/* In a corner the axis decides that it is farther beyond. */
	check(1e-5, 1e3, TP_GLYPHS_ASCII, '<', -1, 0);
	check(1e3, 1e-5, TP_GLYPHS_ASCII, 'v', 0, 1);
	check(1e-3, 50, TP_GLYPHS_BRAILLE, 0x2190, -1, 0);
	check(1e5, 2, TP_GLYPHS_BRAILLE, 0x2192, 1, 0);
	check(2, 1e5, TP_GLYPHS_BLOCK, 0x2191, 0, -1);
	check(50, 1e-3, TP_GLYPHS_BLOCK, 0x2193, 0, 1);
}

/* Each arrow has its own cell, none lies on a dot, and names stand beside them. */
static void arrows_keep_apart(void **state)
{
	static const double x[] = { 1000, 1000, 1000, 100 }, y[] = { 50, 50, 51, 50 };
	struct dots d;
	TP_STR text = { 0 };
	struct tp_canvas canvas = { 0 };
	size_t column, row;
	(void)state;
	make(&d, x, y, 4);
	assert_int_equal(tp_canvas_draw(&canvas, &d.scene, COLUMNS, ROWS, TP_GLYPHS_ASCII), TP_OK);
	assert_int_equal(canvas.layout->n_arrows, 3);
	assert_true(tp_canvas_find(&canvas, 100, 50, &column, &row));
	assert_int_equal(look(&canvas, (double)column, (double)row, TP_ROLE_SERIES_3), 'o');
	for (unsigned i = 0; i < 3; i++) {
		const struct tp_arrow *a = &canvas.layout->arrows[i];
		assert_int_equal(a->series, i + 1);
		assert_int_equal(look(&canvas, a->x, a->y, (enum tp_plot_role)i), '>');
	}
	tp_canvas_release(&canvas);
	const struct tp_plot_text_options options = { COLUMNS, ROWS, TP_GLYPHS_ASCII, false };
	assert_int_equal(tp_plot_text(&d.scene, &options, &text), TP_OK);
	assert_non_null(strstr(tp_str_text(&text), "two (1000, 50)"));
}

/* What the legend does not name, and what is in sight in part, needs none; lines do. */
static void what_is_named_is_pointed_to(void **state)
{
	static const double x[] = { 1000, 1000, 10, 1000 }, y[] = { 2, 10, 10, 50 };
	static const double away_x[] = { 1000, 2000 }, away_y[] = { 1, 2 };
	static const double across_x[] = { 0.1, 1000 }, across_y[] = { 0.2, 2000 };
	struct dots d;
	struct tp_canvas canvas = { 0 };
	(void)state;
	make(&d, x, y, 4);
	d.series[1].label = NULL;
	/* Two that are one entry of the legend. */
	d.series[2].label = d.series[3].label = "twins";
	d.series[2].role = d.series[3].role;
	assert_int_equal(tp_canvas_draw(&canvas, &d.scene, COLUMNS, ROWS, TP_GLYPHS_ASCII), TP_OK);
	assert_int_equal(canvas.layout->n_arrows, 1);
	assert_int_equal(canvas.layout->arrows[0].series, 4);
	make(&d, x, y, 2);
	for (int i = 1; i <= 2; i++) {
		d.series[i].style = TP_STYLE_LINE_AND_DOTS;
		d.series[i].n = 2;
		d.series[i].x = i == 1 ? away_x : across_x;
		d.series[i].y = i == 1 ? away_y : across_y;
	}
	assert_int_equal(tp_canvas_draw(&canvas, &d.scene, COLUMNS, ROWS, TP_GLYPHS_ASCII), TP_OK);
	assert_int_equal(canvas.layout->n_arrows, 1);
	assert_int_equal(canvas.layout->arrows[0].series, 1);
	tp_canvas_release(&canvas);
}

static void the_legend_has_a_name_once(void **state)
{
	static const double x[] = { 10, 20, 30 }, y[] = { 10, 10, 10 };
	struct dots d;
	struct tp_canvas canvas = { 0 };
	(void)state;
	make(&d, x, y, 3);
	d.series[1].label = d.series[3].label = "L2";
	d.series[3].style = TP_STYLE_LINE_AND_DOTS;
	assert_int_equal(tp_canvas_draw(&canvas, &d.scene, COLUMNS, ROWS, TP_GLYPHS_ASCII), TP_OK);
	assert_int_equal(canvas.layout->n_keys, 2);
	assert_int_equal(canvas.layout->keys[0].series, 1);
	assert_int_equal(canvas.layout->keys[1].series, 2);
	tp_canvas_release(&canvas);
}

/* Paths of three corners in the colour of a series. */
static size_t triangles(const char *svg, const char *role)
{
	char begin[64];
	size_t n = 0;
	snprintf(begin, sizeof(begin), "\"tp-dot tp-%s\" d=\"", role);
	for (const char *at = svg; (at = strstr(at, begin)); n++) {
		at += strlen(begin);
		size_t length = strcspn(at, "\""), corners = 0;
		for (size_t i = 0; i < length; i++)
			corners += at[i] == 'M' || at[i] == 'L';
		n -= corners != 3;
	}
	return n;
}

static void pages_have_triangles(void **state)
{
	static const double x[] = { 1000, 1000, 10 }, y[] = { 50, 50, 10 };
	struct dots d;
	TP_STR svg = { 0 };
	(void)state;
	make(&d, x, y, 3);
	assert_int_equal(tp_svg_picture(&d.scene, 0, 0, WIDTH, HEIGHT, &svg), TP_OK);
	assert_int_equal(triangles(tp_str_text(&svg), "s0"), 1);
	assert_int_equal(triangles(tp_str_text(&svg), "s1"), 1);
	assert_int_equal(triangles(tp_str_text(&svg), "s2"), 0);
	/* In the data area, not on each other. */
	struct tp_layout layout;
	const struct tp_rect box = { 0, 0, WIDTH, HEIGHT };
	tp_layout_make(&d.scene, &tp_medium_pixels, &box, &layout);
	assert_int_equal(layout.n_arrows, 2);
	double side = tp_medium_pixels.arrow, right = layout.plot.x + layout.plot.width;
	for (int i = 0; i < 2; i++) {
		assert_true(layout.arrows[i].x > right - 2 * side);
		assert_true(layout.arrows[i].x + side / 2 <= right + 1e-6);
		assert_int_equal(layout.arrows[i].right, 1);
	}
	double apart = layout.arrows[0].y - layout.arrows[1].y;
	assert_true(apart >= side || apart <= -side);
	tp_layout_release(&layout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_off_the_area_have_arrows),
		cmocka_unit_test(arrows_keep_apart),
		cmocka_unit_test(what_is_named_is_pointed_to),
		cmocka_unit_test(the_legend_has_a_name_once),
		cmocka_unit_test(pages_have_triangles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
