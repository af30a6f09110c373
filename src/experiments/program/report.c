/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variants of programs: a table, the best in a sentence, curves over a parameter, bars. */
#include "experiments/program/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pairs.h"
#include "base/tally.h"
#include "base/text.h"
#include "report/pictures.h"
#include "report/page.h"

/* More values than these are counted as so many. */
enum { VALUES_MAX = 64 };

/* True if the point is one of the variants of a run of the preset. */
static bool program_is_of(const struct tp_point *point, unsigned run)
{
	return point->run == run && tp_point_is_program(point);
}

static bool is_better(const struct tp_point *a, const struct tp_point *b)
{
	return a->less_is_better ? a->median < b->median : a->median > b->median;
}

const struct tp_point *tp_program_best(const struct tp_run *run, unsigned index)
{
	const struct tp_point *best = NULL;
	TP_EACH_POINT (p, run) {
		if (!program_is_of(p, index) || p->state != TP_POINT_DONE)
			continue;
		bool poor = p->quality == TP_QUALITY_POOR;
		bool best_poor = best && best->quality == TP_QUALITY_POOR;
		if (!best || (poor == best_poor ? is_better(p, best) : best_poor))
			best = p;
	}
	return best;
}

const struct tp_point *tp_program_worst(const struct tp_run *run, unsigned index)
{
	const struct tp_point *worst = NULL;
	TP_EACH_POINT (p, run) {
		if (program_is_of(p, index) && p->state == TP_POINT_DONE &&
		    (!worst || is_better(worst, p)))
			worst = p;
	}
	return worst;
}

/* Variants of one run of the preset. */
static bool same_run(const struct tp_point *a, const struct tp_point *b)
{
	return tp_point_is_program(a) && program_is_of(b, a->run);
}

/* True if variants of a run differ in their threads. */
static bool program_threads_vary(const struct tp_run *run, unsigned index)
{
	const struct tp_point *first = NULL;
	TP_EACH_POINT (p, run) {
		if (!program_is_of(p, index))
			continue;
		first = first ? first : p;
		if (p->threads != first->threads)
			return true;
	}
	return false;
}

bool tp_program_value(const struct tp_point *point, const char *name, char *out, size_t size)
{
	return tp_pairs_find(tp_program_row(point)->parameters, name, out, size);
}

/* The value as a number; NaN if it is not one. */
static double program_number(const struct tp_point *point, const char *name)
{
	char text[TP_PROGRAM_TEXT_BYTES];
	double value;
	return tp_program_value(point, name, text, sizeof(text)) && tp_parse_double(text, &value)
		       ? value
		       : NAN;
}

/* How many numbers a parameter has over the finished variants; 0 if some value is none. */
static size_t count_numbers(const struct tp_run *run, unsigned index, unsigned threads,
			    const char *name)
{
	double seen[VALUES_MAX];
	size_t n = 0;
	TP_EACH_POINT (p, run) {
		size_t k = 0;
		if (!program_is_of(p, index) || p->threads != threads || p->state != TP_POINT_DONE)
			continue;
		double value = program_number(p, name);
		if (isnan(value))
			return 0;
		while (k < n && seen[k] != value)
			k++;
		if (k == n && n < VALUES_MAX)
			seen[n++] = value;
	}
	return n;
}

bool tp_program_axis(const struct tp_run *run, unsigned index, unsigned threads,
		     char name[TP_PROGRAM_AXIS_BYTES])
{
	const struct tp_point *any = tp_program_worst(run, index);
	const char *at = any ? tp_program_row(any)->parameters : "";
	char other[TP_PROGRAM_AXIS_BYTES], value[TP_PROGRAM_TEXT_BYTES];
	size_t most = TP_PROGRAM_AXIS_LEAST - 1;
	while (tp_pairs_next(&at, other, sizeof(other), value, sizeof(value))) {
		size_t n = count_numbers(run, index, threads, other);
		if (n > most) {
			tp_copy(name, TP_PROGRAM_AXIS_BYTES, other);
			most = n;
		}
	}
	return most >= TP_PROGRAM_AXIS_LEAST;
}

/* Appends the parameters of a point except one: what distinguishes its curve. */
static void program_rest(const struct tp_point *point, const char *name, struct tp_str *out)
{
	const char *at = tp_program_row(point)->parameters;
	char other[TP_PROGRAM_AXIS_BYTES], value[TP_PROGRAM_TEXT_BYTES];
	while (tp_pairs_next(&at, other, sizeof(other), value, sizeof(value)))
		if (strcmp(other, name) != 0)
			tp_pairs_add(out, other, value);
}

const char *tp_program_text(const struct tp_point *point, double value, char *out, size_t size)
{
	if (strcmp(point->unit, "s") == 0)
		return tp_format_seconds(out, size, value);
	snprintf(out, size, "%.4g", value);
	return out;
}

/* The unit for an axis of all variants: times become ms or us; *factor is what to multiply by. */
static const char *axis_unit(const struct tp_run *run, unsigned index, double *factor)
{
	static const char *const units[] = { "s", "ms", "us" };
	const struct tp_point *best = tp_program_best(run, index);
	size_t i = 0;
	*factor = 1;
	if (!best || strcmp(best->unit, units[0]) != 0)
		return best ? best->unit : "";
	double most = fmax(best->median, tp_program_worst(run, index)->median);
	for (; i + 1 < TP_COUNT_OF(units) && most * *factor < 1; i++)
		*factor *= 1e3;
	return units[i];
}

/* Values that span more than this need a log scale. */
#define WIDE 20.0

/* --- bars --- */

bool tp_program_bars(struct tp_picture *picture, const struct tp_run *run, unsigned index,
		     size_t rows)
{
	size_t most = tp_chart_bars_room(rows), n = 0, left_out = 0;
	const struct tp_point *best = tp_program_best(run, index);
	struct tp_chart_bar bars[TP_CHART_BARS];
	bool threads = program_threads_vary(run, index);
	double factor;
	const char *unit = axis_unit(run, index, &factor);
	char text[48];
	if (!best)
		return false;
	TP_EACH_POINT (p, run) {
		if (!program_is_of(p, index) || p->state != TP_POINT_DONE)
			continue;
		if (n == most) {
			left_out++;
			continue;
		}
		const char *count = tp_text_count(text, sizeof(text), p->threads, "thread");
		bars[n] = (struct tp_chart_bar){
			.name = tp_picture_text(picture, "%s%s%s", p->kernel, threads ? " " : "",
						threads ? count : ""),
			.value = factor * p->median,
			.low = factor * p->ci_low,
			.high = factor * p->ci_high,
			.best = p == best,
			.point = p,
		};
		bars[n++].text = tp_picture_text(picture, "%s",
						 tp_program_text(p, p->median, text, sizeof(text)));
	}
	/* One bar compares nothing. */
	if (n < 2 || !tp_picture_bars(picture, bars, n, unit))
		return false;
	picture->scene.title = tp_picture_text(picture, "%s of programs, %s is better",
					       tp_program_row(best)->metric,
					       best->less_is_better ? "less" : "more");
	tp_chart_leave_out(picture, left_out);
	return true;
}

/* --- curves --- */

/* A point with its place in the curve. */
struct place {
	double x;
	const struct tp_point *point;
};

static int by_x(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

static bool is_in_group(const struct tp_point *p, const struct tp_group *group)
{
	return program_is_of(p, group->run) && p->threads == group->threads &&
	       p->state == TP_POINT_DONE;
}

/* The curves of a group: the axis, and what the other parameters are, by number. */
static void find_curves(const struct tp_run *run, const struct tp_group *group,
			char axis[TP_PROGRAM_AXIS_BYTES], struct tp_tally *curves)
{
	TP_STR rest = { 0 };
	if (!tp_program_axis(run, group->run, group->threads, axis))
		return;
	TP_EACH_POINT (p, run) {
		if (!is_in_group(p, group))
			continue;
		tp_str_clear(&rest);
		program_rest(p, axis, &rest);
		tp_tally_add(curves, tp_str_text(&rest));
	}
}

/* The finished points of one curve, rising; `places` has room for all points. */
static size_t find_places(const struct tp_run *run, const struct tp_group *group, const char *axis,
			  const char *which, struct place *places)
{
	TP_STR rest = { 0 };
	size_t n = 0;
	TP_EACH_POINT (p, run) {
		if (!is_in_group(p, group))
			continue;
		tp_str_clear(&rest);
		program_rest(p, axis, &rest);
		if (strcmp(tp_str_text(&rest), which) == 0)
			places[n++] = (struct place){ program_number(p, axis), p };
	}
	qsort(places, n, sizeof(*places), by_x);
	return n;
}

static void draw_curve(struct tp_picture *picture, const struct place *places, size_t n,
		       double factor, const char *label)
{
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	struct tp_curve curve;
	struct tp_series *s = tp_picture_curve(picture, picture->n_series, points, n, &curve);
	if (!s)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tp_point *p = points[i] = places[i].point;
		curve.x[i] = places[i].x;
		curve.y[i] = factor * p->median;
		curve.low[i] = factor * p->ci_low;
		curve.high[i] = factor * p->ci_high;
	}
	/* "gzip": what runs, without its parameters. */
	const char *kernel = places[0].point->kernel;
	s->label = *label ? tp_picture_text(picture, "%s", label)
			  : tp_picture_text(picture, "%.*s", (int)strcspn(kernel, " "), kernel);
}

/* Values that all lie above 0 and far from each other. */
static enum tp_scale_kind scale_of(const struct tp_picture *picture, bool of_x)
{
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n; k++) {
			double v = of_x ? picture->series[i].x[k] : picture->series[i].y[k];
			least = fmin(least, v);
			most = fmax(most, v);
		}
	bool wide = least > 0 && most > WIDE * least;
	return !wide ? TP_SCALE_LINEAR : of_x ? TP_SCALE_LOG2 : TP_SCALE_LOG10;
}

/* An order, a count, a size of tiles: whole in all points. */
static enum tp_scale_unit unit_of_x(const struct tp_picture *picture)
{
	enum tp_scale_unit unit = TP_UNIT_WHOLE;
	for (size_t i = 0; i < picture->n_series && unit == TP_UNIT_WHOLE; i++)
		unit = tp_scale_unit_of(picture->series[i].x, picture->series[i].n);
	return unit;
}

static bool program_curves(struct tp_picture *picture, const struct tp_run *run,
			   const struct tp_group *group, size_t from)
{
	char axis[TP_PROGRAM_AXIS_BYTES], count[32];
	TP_CLEANUP(tp_tally_release) struct tp_tally curves = { 0 };
	TP_FREE struct place *places = tp_alloc(run->n_points + 1, sizeof(*places));
	const struct tp_point *any = NULL;
	double factor;
	const char *unit = axis_unit(run, group->run, &factor);
	find_curves(run, group, axis, &curves);
	for (size_t i = from; i < curves.n && i < from + TP_PICTURE_CURVES; i++) {
		const char *which = curves.texts.s + curves.groups[i].text;
		size_t n = find_places(run, group, axis, which, places);
		any = n ? places[0].point : any;
		draw_curve(picture, places, n, factor, curves.n > 1 ? which : "");
	}
	if (!any || !picture->n_series)
		return false;
	const char *metric = tp_program_row(any)->metric;
	picture->scene.title =
		tp_picture_text(picture, "%s over %s, %s", metric, axis,
				tp_text_count(count, sizeof(count), group->threads, "thread"));
	tp_picture_finish(picture,
			  (struct tp_scale){ scale_of(picture, true), unit_of_x(picture), 0, 0,
					     tp_picture_text(picture, "%s", axis) },
			  (struct tp_scale){ scale_of(picture, false), TP_UNIT_PLAIN, 0, 0,
					     tp_picture_text(picture, "%s", unit) });
	return true;
}

static bool program_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	char axis[TP_PROGRAM_AXIS_BYTES];
	TP_CLEANUP(tp_tally_release) struct tp_tally curves = { 0 };
	find_curves(run, group, axis, &curves);
	return from < curves.n;
}

/* Bars of the runs that make no curves. */
static void program_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	TP_EACH_POINT (p, run) {
		char axis[TP_PROGRAM_AXIS_BYTES];
		if (!tp_run_is_first(run, p, same_run) ||
		    tp_program_axis(run, p->run, p->threads, axis))
			continue;
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture,
				tp_program_bars(picture, run, p->run, gallery->rows));
	}
}

/* --- the table --- */

enum { ROWS_MAX = 60 };

struct variant {
	const struct tp_point *point;
	const struct tp_program_row *found;
	const char *value;
	double to_best, time_seconds, cpu_seconds;
	bool best;
};

static enum tp_paint paint_of_name(const void *row)
{
	return ((const struct variant *)row)->best ? TP_PAINT_GOOD : TP_PAINT_STRONG;
}

enum { THREADS = 2, VALUE = 3 };

#define OF(name)      TP_VIA(struct variant, name)
#define VARIANT(name) TP_SHOWS(struct variant, name)
#define FOUND(name)   OF(found), TP_SHOWS(struct tp_program_row, name)
static const struct tp_grid_column columns[] = {
	{ "quality", TP_LEFT, 0, OF(point), .cell = tp_page_quality_cell },
	{ "variant", TP_LEFT, 0, OF(point), TP_POINT(kernel), .paint_of = paint_of_name },
	[THREADS] = { "threads", TP_RIGHT, 9, OF(point), TP_POINT(threads) },
	[VALUE] = { "", TP_RIGHT, 0, VARIANT(value), .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 4, OF(point), .cell = tp_page_interval_cell },
	{ "to best", TP_RIGHT, 1, VARIANT(to_best), .as = TP_AS_FIXED, .digits = 2, .unit = "x" },
	{ "time", TP_RIGHT, 6, VARIANT(time_seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "CPU time", TP_RIGHT, 3, VARIANT(cpu_seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "memory", TP_RIGHT, 7, FOUND(max_rss_bytes), .as = TP_AS_SIZE, .positive = true,
	  .none = "" },
	{ "runs", TP_RIGHT, 8, OF(point), TP_POINT(kept) },
	{ "read", TP_LEFT, 2, FOUND(values) },
};

static void variant_row(struct tp_grid *grid, const struct tp_page *page, const struct tp_point *p,
			const struct tp_point *best)
{
	const struct tp_program_row *found = tp_program_row(p);
	char value[48];
	const struct variant row = {
		.point = p,
		.found = found,
		.value = tp_program_text(p, p->median, value, sizeof(value)),
		.to_best = best && best->median > 0 ? p->median / best->median : NAN,
		/* If the metric is the time, the column would repeat it. */
		.time_seconds = strcmp(found->metric, "time") == 0 ? 0 : found->time_seconds,
		.cpu_seconds = found->user_seconds + found->system_seconds,
		.best = p == best,
	};
	tp_grid_row(grid, &row, page);
	tp_grid_about(grid, p);
}

/* Why a variant has failed stands among the remarks of the run. */
static void failed_row(struct tp_grid *grid, const struct tp_point *p)
{
	tp_grid_text(grid, TP_PAINT_BAD, "failed");
	tp_grid_text(grid, TP_PAINT_PLAIN, p->kernel);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	for (size_t c = VALUE; c < TP_COUNT_OF(columns); c++)
		tp_grid_text(grid, TP_PAINT_PLAIN, c == VALUE ? "-" : "");
}

static void show_run(struct tp_page *page, unsigned index)
{
	const struct tp_run *run = page->run;
	const struct tp_point *best = tp_program_best(run, index), *any = NULL;
	size_t n = 0, left_out = 0;
	struct tp_grid_column shown[TP_COUNT_OF(columns)];
	TP_CLEANUP(tp_grid_release) struct tp_grid grid = { 0 };
	memcpy(shown, columns, sizeof(shown));
	/* They stay if they distinguish variants. */
	if (program_threads_vary(run, index))
		shown[THREADS].give = 0;
	TP_EACH_POINT (p, run) {
		if (!program_is_of(p, index) ||
		    (p->state != TP_POINT_DONE && p->state != TP_POINT_FAILED))
			continue;
		if (!any) {
			shown[VALUE].head = tp_program_row(p)->metric;
			tp_page_table(page, &grid, shown, TP_COUNT_OF(shown));
		}
		any = p;
		if (n++ >= ROWS_MAX && !page->look->full)
			left_out++;
		else if (p->state == TP_POINT_FAILED)
			failed_row(&grid, p);
		else
			variant_row(&grid, page, p, best);
	}
	if (any) {
		tp_page_title(page, "Programs", NULL);
		tp_grid_write(&grid, page->doc);
	}
	if (left_out) {
		char text[96];
		snprintf(text, sizeof(text), "%zu more variants: points.csv has them all.",
			 left_out);
		tp_page_explain(page, text);
	}
}

static void page_of_programs(struct tp_page *page)
{
	bool any = false;
	TP_EACH_POINT (p, page->run) {
		if (!tp_run_is_first(page->run, p, same_run))
			continue;
		show_run(page, p->run);
		any = true;
	}
	if (any)
		tp_page_explain(page,
				"to best: the metric relative to the best variant. CPU "
				"time: user and system, of all processes of a run. memory: "
				"of the largest process. A window is one run of the program.");
}

/* "sort level=3", and with how many threads where that differs. */
static void add_name(struct tp_str *out, const struct tp_run *run, const struct tp_point *p)
{
	char count[32];
	tp_str_add(out, p->kernel);
	if (program_threads_vary(run, p->run))
		tp_str_printf(out, ", %s",
			      tp_text_count(count, sizeof(count), p->threads, "thread"));
}

static void conclude_run(const struct tp_run *run, unsigned index, struct tp_conclusion *conclusion)
{
	const struct tp_point *best = tp_program_best(run, index);
	const struct tp_point *worst = tp_program_worst(run, index);
	char value[48];
	size_t alike = 0;
	if (!best || best == worst)
		return;
	TP_EACH_POINT (p, run) {
		alike += p != best && program_is_of(p, index) && p->state == TP_POINT_DONE &&
			 p->ci_low <= best->ci_high && p->ci_high >= best->ci_low;
	}
	TP_STR text = { 0 };
	tp_str_printf(&text, "Best %s: ", tp_program_row(best)->metric);
	add_name(&text, run, best);
	tp_str_printf(&text, ": %s%s", tp_program_text(best, best->median, value, sizeof(value)),
		      best->quality == TP_QUALITY_POOR ? " (poor)" : "");
	if (alike)
		tp_str_printf(&text, "; the interval%s of %zu other%s overlap%s its own",
			      alike == 1 ? "" : "s", alike, alike == 1 ? "" : "s",
			      alike == 1 ? "s" : "");
	tp_str_add(&text, ". The worst, ");
	add_name(&text, run, worst);
	tp_str_printf(&text, ", has %.3g times as much.", worst->median / best->median);
	tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 3 };
	unsigned n = 0;
	TP_EACH_POINT (p, run) {
		if (tp_run_is_first(run, p, same_run) && n++ < MOST)
			conclude_run(run, p->run, conclusion);
	}
}

const struct tp_reporter tp_reporter_program = {
	.experiment = "program",
	.place = 34,
	.page = page_of_programs,
	.conclude = conclude,
	.again = "program.runs=20",
	.pictures = program_pictures,
	.curves = program_curves,
	.has_curves = program_has_curves,
};
