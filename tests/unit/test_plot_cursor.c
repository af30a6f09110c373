/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor, the axes and the zoom of a plot on a screen, without a terminal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "ui/tui/widgets/plot.h"

enum { COLUMNS = 80, ROWS = 24 };

static struct tp_app app;
static struct tp_plot plot;
static struct tp_point points[8];
static const struct tp_point *of_points[8];

/* A series of points (x, y), each at the same height; they are points number `first` and on. */
static void add_points(const double *x, size_t n, double height, size_t first)
{
	double *to_x, *to_y;
	struct tp_series *s = tp_picture_series(plot.picture, n, &to_x, &to_y);
	assert_non_null(s);
	for (size_t i = 0; i < n; i++) {
		to_x[i] = x[i];
		to_y[i] = height;
	}
	s->style = TP_STYLE_DOTS;
	*tp_picture_origin(plot.picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = of_points + first };
}

/* y = min(limit, slope x) from 1 to 100. */
static void add_line(double slope, double limit)
{
	double *x, *y;
	struct tp_series *s = tp_picture_series(plot.picture, 2, &x, &y);
	assert_non_null(s);
	x[0] = 1;
	x[1] = 100;
	for (int i = 0; i < 2; i++)
		y[i] = fmin(limit, slope * x[i]);
	*tp_picture_origin(plot.picture, s) =
		(struct tp_origin){ .reads = TP_READS_LINE, .slope = slope, .limit = limit };
}

static void finish(enum tp_scale_kind kind)
{
	plot.picture->scene = (struct tp_scene){
		.title = "test",
		.x = { kind, TP_UNIT_PLAIN, 1, 100, "x" },
		.y = { kind, TP_UNIT_PLAIN, 0, 0, "y" },
		.series = plot.picture->series,
		.n_series = plot.picture->n_series,
	};
	const struct tp_area area = { &app.term, 0, 0, ROWS, COLUMNS };
	assert_true(tp_plot_fit(&plot, &app, area, false));
}

static int begin(void **state)
{
	(void)state;
	memset(&plot, 0, sizeof(plot));
	for (unsigned i = 0; i < 8; i++) {
		points[i].point = i;
		of_points[i] = &points[i];
	}
	return tp_plot_renew(&plot) ? 0 : 1;
}

static int end(void **state)
{
	(void)state;
	tp_plot_drop(&plot);
	return 0;
}

static void points_are_stepped_along_their_series(void **state)
{
	static const double x[] = { 1, 10, 100 };
	(void)state;
	add_points(x, 3, 5, 0);
	add_points(x, 3, 7, 3);
	finish(TP_SCALE_LOG10);
	tp_plot_settle(&plot, -1);
	assert_true(plot.series == 0 && plot.point == 1 && plot.x == 10 && plot.y == 5);
	tp_plot_step(&plot, 10);
	assert_true(plot.point == 2 && plot.x == 100);
	tp_plot_change_series(&plot, true);
	assert_true(plot.series == 1 && plot.point == 2 && plot.y == 7);
	tp_plot_change_series(&plot, true);
	assert_int_equal(plot.series, 1);
	tp_plot_end(&plot, false);
	assert_true(plot.x == 1);
}

/* The point that came last, until the cursor is placed by hand. */
static void the_cursor_follows_what_is_measured(void **state)
{
	static const double x[] = { 1, 10, 100 };
	(void)state;
	add_points(x, 3, 5, 0);
	add_points(x, 3, 7, 3);
	finish(TP_SCALE_LOG10);
	tp_plot_settle(&plot, 5);
	assert_true(plot.series == 1 && plot.point == 2);
	tp_plot_step(&plot, -1);
	tp_plot_settle(&plot, 0);
	assert_true(plot.series == 1 && plot.x == 10);
}

static void a_line_is_read_anywhere(void **state)
{
	(void)state;
	add_line(2, 40);
	finish(TP_SCALE_LOG10);
	tp_plot_settle(&plot, -1);
	assert_true(plot.x == 20 && plot.y == 40); /* where it bends */
	tp_plot_step(&plot, -1);
	assert_true(plot.x < 20 && plot.y == 2 * plot.x);
	tp_plot_end(&plot, true);
	assert_true(plot.x == 100 && plot.y == 40);
}

static void by_x_all_points_are_one_row(void **state)
{
	static const double odd[] = { 1, 3, 5 }, even[] = { 2, 4 };
	(void)state;
	plot.by_x = true;
	add_points(odd, 3, 5, 0);
	add_points(even, 2, 50, 3);
	finish(TP_SCALE_LINEAR);
	tp_plot_go_to_x(&plot, 1.2);
	assert_true(plot.series == 0 && plot.x == 1);
	tp_plot_step(&plot, 1);
	assert_true(plot.series == 1 && plot.x == 2 && plot.y == 50);
	tp_plot_step(&plot, 10);
	assert_true(plot.series == 0 && plot.x == 5);
	tp_plot_end(&plot, false);
	assert_true(plot.x == 1);
}

static void zoom_keeps_the_cursor_where_it_is(void **state)
{
	static const double x[] = { 1, 10, 100 };
	(void)state;
	add_points(x, 3, 5, 0);
	finish(TP_SCALE_LOG10);
	tp_plot_settle(&plot, -1);
	double before = tp_scale_place(&plot.canvas.x, plot.x);
	assert_true(tp_plot_act(&plot, &app, TP_ACTION_ZOOM_IN));
	assert_true(tp_plot_fit(&plot, &app, plot.area, false));
	assert_true(fabs(tp_scale_place(&plot.canvas.x, plot.x) - before) < 1e-6);
	assert_true(plot.canvas.x.min > 1 && plot.canvas.x.max < 100);
	/* Out beyond everything is everything. */
	assert_true(tp_plot_act(&plot, &app, TP_ACTION_ZOOM_OUT));
	assert_true(tp_plot_fit(&plot, &app, plot.area, false));
	assert_true(plot.canvas.x.min == 1 && plot.canvas.x.max == 100);
	assert_true(tp_plot_act(&plot, &app, TP_ACTION_SCALE_X));
	assert_true(tp_plot_fit(&plot, &app, plot.area, false));
	assert_int_equal(plot.canvas.x.kind, TP_SCALE_LINEAR);
	assert_false(tp_plot_act(&plot, &app, TP_ACTION_EXPORT));
}

/* While a run grows, its axes widen and never shrink. */
static void axes_are_held(void **state)
{
	static const double x[] = { 1, 10, 100 };
	(void)state;
	add_points(x, 3, 900, 0);
	finish(TP_SCALE_LOG10);
	plot.laid = false;
	assert_true(tp_plot_fit(&plot, &app, plot.area, true));
	double most = plot.canvas.y.max;
	assert_non_null(tp_plot_renew(&plot));
	add_points(x, 3, 9, 0);
	plot.picture->scene = (struct tp_scene){
		.title = "test",
		.x = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 1, 100, "x" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "y" },
		.series = plot.picture->series,
		.n_series = plot.picture->n_series,
	};
	assert_true(tp_plot_fit(&plot, &app, plot.area, true));
	assert_true(plot.canvas.y.max == most && plot.canvas.y.min < 9);
	plot.laid = false;
	assert_true(tp_plot_fit(&plot, &app, plot.area, false));
	assert_true(plot.canvas.y.max < most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(points_are_stepped_along_their_series, begin, end),
		cmocka_unit_test_setup_teardown(the_cursor_follows_what_is_measured, begin, end),
		cmocka_unit_test_setup_teardown(a_line_is_read_anywhere, begin, end),
		cmocka_unit_test_setup_teardown(by_x_all_points_are_one_row, begin, end),
		cmocka_unit_test_setup_teardown(zoom_keeps_the_cursor_where_it_is, begin, end),
		cmocka_unit_test_setup_teardown(axes_are_held, begin, end),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
