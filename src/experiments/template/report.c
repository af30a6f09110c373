/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of templates as tables, and the best variant of each in a sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tally.h"
#include "experiments/template/row.h"
#include "record/run.h"
#include "report/pictures.h"
#include "sweep/sweep.h"
#include "base/pairs.h"
#include "base/text.h"
#include "base/memory.h"
#include "report/page.h"
#include "report/reporter.h"

/* Parameters with more values are not an axis. */
enum { AXIS_MAX = 40, VALUE_BYTES = 48 };

struct axis {
	char name[TP_SWEEP_NAME_BYTES];
	char values[AXIS_MAX][VALUE_BYTES];
	size_t n; /* AXIS_MAX + 1: more than that */
};

/*
 * Points of one region, of one run of the preset, with the same number of threads: a group of the
 * tally.
 */
struct shape {
	const struct tp_run *run;
	const struct tp_tally *families;
	const struct tp_tally_group *family;
	struct axis axes[TP_SWEEP_PARAMETERS_MAX];
	size_t n_axes;
	bool counted; /* every finished point has GFLOP/s */
	const struct tp_point *best; /* the fastest, or NULL */
};

/* The next point of the family after point i, or TP_TALLY_END. */
static size_t next_of(const struct shape *shape, size_t i)
{
	return shape->families->next[i];
}

static bool is_template(const struct tp_point *point)
{
	return tp_template_row(point)->source[0] != '\0';
}

/* Items are the points of the run, by number; other experiments' points have the text "". */
static void tally_families(const struct tp_run *run, struct tp_tally *families)
{
	TP_STR text = { 0 };
	TP_EACH_POINT (p, run) {
		const struct tp_template_row *row = tp_template_row(p);
		tp_str_clear(&text);
		if (is_template(p))
			tp_str_printf(&text, "%u %u %s %s", p->run, p->threads, row->source,
				      row->region);
		tp_tally_add(families, tp_str_text(&text));
	}
}

static void add_value(struct axis *axis, const char *value)
{
	for (size_t i = 0; i < axis->n && i < AXIS_MAX; i++)
		if (strcmp(axis->values[i], value) == 0)
			return;
	if (axis->n < AXIS_MAX)
		tp_copy(axis->values[axis->n], sizeof(axis->values[0]), value);
	axis->n = TP_MIN(axis->n + 1, (size_t)AXIS_MAX + 1);
}

/* All points of a family have the same parameters in the same order. */
static void add_parameters(struct shape *shape, const struct tp_point *p)
{
	const char *at = tp_template_row(p)->parameters;
	char name[TP_SWEEP_NAME_BYTES], value[VALUE_BYTES];
	for (size_t i = 0; i < TP_SWEEP_PARAMETERS_MAX &&
			   tp_pairs_next(&at, name, sizeof(name), value, sizeof(value));
	     i++) {
		struct axis *axis = &shape->axes[i];
		if (i == shape->n_axes) {
			tp_copy(axis->name, sizeof(axis->name), name);
			axis->n = 0;
			shape->n_axes++;
		}
		if (strcmp(axis->name, name) == 0)
			add_value(axis, value);
	}
}

static void find_shape(const struct tp_run *run, const struct tp_tally *families,
		       const struct tp_tally_group *family, struct shape *shape)
{
	shape->run = run;
	shape->families = families;
	shape->family = family;
	shape->n_axes = 0;
	shape->counted = true;
	shape->best = NULL;
	for (size_t i = family->first; i != TP_TALLY_END; i = next_of(shape, i)) {
		const struct tp_point *p = &run->points[i];
		add_parameters(shape, p);
		if (p->state != TP_POINT_DONE || !(p->median > 0))
			continue;
		shape->counted &= tp_kernel_row(p)->median_gflops > 0;
		if (!shape->best || p->median < shape->best->median)
			shape->best = p;
	}
}

/*
 * Calls `what` with the shape of each family, until it was true for `most` of them.
 */
static void each_family(const struct tp_run *run, size_t most, void *context,
			bool (*what)(void *context, const struct shape *shape))
{
	TP_CLEANUP(tp_tally_release) struct tp_tally families = { 0 };
	TP_FREE struct shape *shape = tp_alloc(1, sizeof(*shape));
	tally_families(run, &families);
	for (size_t i = 0, n = 0; i < families.n && n < most; i++) {
		if (!families.texts.s[families.groups[i].text])
			continue;
		find_shape(run, &families, &families.groups[i], shape);
		n += what(context, shape);
	}
}

/* The axis with the most values, except axis `other` (-1: none); -1 if all have one value. */
static int longest_axis(const struct shape *shape, int other)
{
	int found = -1;
	size_t most = 1;
	for (size_t i = 0; i < shape->n_axes; i++)
		if ((int)i != other && shape->axes[i].n > most && shape->axes[i].n <= AXIS_MAX) {
			most = shape->axes[i].n;
			found = (int)i;
		}
	return found;
}

/* Where the point lies on an axis; n_values if it has no place. */
static size_t place_on(const struct shape *shape, size_t axis, const struct tp_point *point)
{
	const struct axis *a = &shape->axes[axis];
	char value[VALUE_BYTES];
	size_t i = 0;
	if (!tp_pairs_find(tp_template_row(point)->parameters, a->name, value, sizeof(value)))
		return a->n;
	while (i < a->n && strcmp(a->values[i], value) != 0)
		i++;
	return i;
}

/* Appends the parameters that have several values: "TILE=16 ORDER=IJK". */
static void add_variant_name(const struct shape *shape, const struct tp_point *point,
			     struct tp_str *out)
{
	const char *at = tp_template_row(point)->parameters;
	char name[TP_SWEEP_NAME_BYTES], value[TP_TEMPLATE_PARAMETERS_BYTES];
	TP_STR text = { 0 };
	for (size_t i = 0; tp_pairs_next(&at, name, sizeof(name), value, sizeof(value)); i++)
		if (i < shape->n_axes && shape->axes[i].n > 1)
			tp_pairs_add(&text, name, value);
	tp_str_add(out, tp_str_text(&text));
}

/* The unit of times: ns, us, ms or s, by the fastest. */
static const struct {
	const char *name;
	double ns;
} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

static size_t unit_of(const struct shape *shape)
{
	size_t i = 0;
	double fastest = shape->best ? shape->best->median : 0;
	while (i + 1 < TP_COUNT_OF(units) && fastest >= units[i + 1].ns)
		i++;
	return i;
}

/* Pictures show GFLOP/s if all are counted, else the time in a suitable unit. */
static double shown_value(const struct shape *shape, const struct tp_point *point)
{
	if (point->state != TP_POINT_DONE || !(point->median > 0))
		return NAN;
	return shape->counted ? tp_kernel_row(point)->median_gflops
			      : point->median / units[unit_of(shape)].ns;
}

static const char *shown_unit(const struct shape *shape)
{
	return shape->counted ? "GFLOP/s" : units[unit_of(shape)].name;
}

enum { PICTURES_MAX = 16 };

static const char **names_of(struct tp_picture *picture, const struct axis *axis)
{
	const char **names = tp_arena_alloc(&picture->arena, (axis->n + 1) * sizeof(*names));
	for (size_t i = 0; i < axis->n; i++)
		names[i] = tp_picture_text(picture, "%s", axis->values[i]);
	return names;
}

/* The fastest point of each place of one axis, or of two; a pending one if none is done. */
static const struct tp_point **find_cells(struct tp_picture *picture, const struct shape *shape,
					  int x, int y)
{
	size_t columns = shape->axes[x].n, rows = y < 0 ? 1 : shape->axes[y].n;
	const struct tp_point **cells = tp_arena_alloc(
		&picture->arena, (columns * rows + 1) * sizeof(const struct tp_point *));
	for (size_t i = shape->family->first; i != TP_TALLY_END; i = next_of(shape, i)) {
		const struct tp_point *p = &shape->run->points[i];
		size_t column = place_on(shape, (size_t)x, p);
		size_t row = y < 0 ? 0 : place_on(shape, (size_t)y, p);
		if (column >= columns || row >= rows)
			continue;
		const struct tp_point **cell = &cells[row * columns + column];
		bool done = p->state == TP_POINT_DONE;
		bool had = *cell && (*cell)->state == TP_POINT_DONE;
		if (!*cell || (done && (!had || p->median < (*cell)->median)))
			*cell = p;
	}
	return cells;
}

static const char *title_of(struct tp_picture *picture, const struct shape *shape, bool others)
{
	const struct tp_template_row *row = tp_template_row(shape->best);
	return tp_picture_text(picture, "%s of %s: %s, %s%s", row->region, row->source,
			       shown_unit(shape), tp_picture_threads(picture, shape->best->threads),
			       others ? ", the best of the other parameters" : "");
}

static size_t count_axes(const struct shape *shape)
{
	size_t n = 0;
	for (size_t i = 0; i < shape->n_axes; i++)
		n += shape->axes[i].n > 1;
	return n;
}

static bool draw_bars(struct tp_picture *picture, const struct shape *shape, int x, size_t rows)
{
	const struct axis *axis = &shape->axes[x];
	const struct tp_point **cells = find_cells(picture, shape, x, -1);
	struct tp_chart_bar bars[TP_CHART_BARS];
	size_t n = 0, left_out = 0, room = tp_chart_bars_room(rows);
	for (size_t i = 0; i < axis->n; i++) {
		const struct tp_point *p = cells[i];
		double value = p ? shown_value(shape, p) : NAN;
		if (isnan(value))
			continue;
		if (n == room) {
			left_out++;
			continue;
		}
		bars[n] = (struct tp_chart_bar){
			.name = tp_picture_text(picture, "%s=%s", axis->name, axis->values[i]),
			.value = value,
			.best = p == shape->best,
			.text = tp_chart_number(picture, value),
			.point = p,
		};
		/* A rate is high where its time is low. */
		tp_chart_interval(&bars[n++], shape->counted);
	}
	if (n < 2 || !tp_picture_bars(picture, bars, n, shown_unit(shape)))
		return false;
	picture->scene.title = title_of(picture, shape, count_axes(shape) > 1);
	tp_chart_leave_out(picture, left_out);
	return true;
}

static bool draw_heat(struct tp_picture *picture, const struct shape *shape, int x, int y)
{
	const struct axis *across = &shape->axes[x], *up = &shape->axes[y];
	const struct tp_point **cells = find_cells(picture, shape, x, y);
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (across->n * up->n + 1) * sizeof(*tiles));
	const struct tp_names columns = { names_of(picture, across), across->n },
			      rows = { names_of(picture, up), up->n };
	size_t n = 0;
	for (size_t i = 0; i < across->n * up->n; i++) {
		const struct tp_point *p = cells[i];
		double value = p ? shown_value(shape, p) : NAN;
		if (!p)
			continue;
		tiles[n++] = (struct tp_chart_tile){
			.column = i % across->n,
			.row = i / across->n,
			.tile = { isnan(value) ? NAN : shape->best->median / p->median,
				  tp_chart_mark(p, p == shape->best),
				  isnan(value) ? NULL : tp_chart_number(picture, value) },
			.point = p,
		};
	}
	if (!tp_picture_heat(picture, &columns, &rows, tiles, n))
		return false;
	picture->scene.title = title_of(picture, shape, count_axes(shape) > 2);
	picture->scene.x.label = tp_picture_text(picture, "%s", across->name);
	picture->scene.y.label = tp_picture_text(picture, "%s", up->name);
	return true;
}

static bool draw_family(struct tp_picture *picture, const struct shape *shape,
			const struct tp_gallery *gallery)
{
	int y = longest_axis(shape, -1), x = y < 0 ? -1 : longest_axis(shape, y);
	if (!shape->best || y < 0)
		return false;
	if (x < 0)
		return draw_bars(picture, shape, y, gallery->rows);
	tp_chart_fit_map(picture, shape->axes[x].n, shape->axes[y].n, gallery->columns,
			 gallery->rows);
	return draw_heat(picture, shape, x, y);
}

static bool hang_family(void *context, const struct shape *shape)
{
	const struct tp_gallery *gallery = context;
	struct tp_picture *picture = tp_picture_new();
	bool drawn = draw_family(picture, shape, gallery);
	tp_gallery_hang(gallery, picture, drawn);
	return drawn;
}

static void hang_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	each_family(run, PICTURES_MAX, (void *)gallery, hang_family);
}

enum { ROWS_MAX = 60, CONCLUSIONS_MAX = 3 };

/* A variant in the table of its region. */
struct variant_row {
	const struct tp_point *point;
	const struct tp_template_row *template;
	const char *name;
	double seconds, times_best;
	char vectors[32];
	bool best;
};

static enum tp_paint paint_of_name(const void *row)
{
	return ((const struct variant_row *)row)->best ? TP_PAINT_GOOD : TP_PAINT_STRONG;
}

static const char *in_four_digits(char *out, size_t size, double value)
{
	snprintf(out, size, value < 1000 ? "%.4g" : "%.0f", value);
	return out;
}

#define OF(name)      TP_VIA(struct variant_row, name)
#define VARIANT(name) TP_SHOWS(struct variant_row, name)
/* A column of such cells is not shown where all are empty. */
#define FIGURE(name)                                                                               \
	OF(template), TP_SHOWS(struct tp_template_row, name), .words = in_four_digits,             \
							      .positive = true, .none = ""
static const struct tp_grid_column columns[] = {
	{ "quality", TP_LEFT, 0, OF(point), .cell = tp_page_quality_cell },
	{ "variant", TP_LEFT, 0, VARIANT(name), .paint_of = paint_of_name },
	{ "step", TP_RIGHT, 0, VARIANT(seconds), .as = TP_AS_SECONDS, .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 4, OF(point), .cell = tp_page_interval_cell },
	{ "to best", TP_RIGHT, 1, VARIANT(times_best), .as = TP_AS_FIXED, .digits = 2,
	  .unit = "x" },
	{ "cycles", TP_RIGHT, 5, FIGURE(cycles) },
	{ "GFLOP/s", TP_RIGHT, 2, FIGURE(kernel.median_gflops) },
	{ "GB/s", TP_RIGHT, 3, FIGURE(kernel.median_gbps) },
	{ "vectors", TP_RIGHT, 6, VARIANT(vectors) },
	{ "windows", TP_RIGHT, 7, OF(point), TP_POINT(kept) },
};

static void variant_row(struct tp_grid *grid, const struct tp_page *page, const struct shape *shape,
			const struct tp_point *p, const char *name)
{
	const struct tp_template_row *t = tp_template_row(p);
	struct variant_row row = { .point = p,
				   .template = t,
				   .name = name,
				   .seconds = 1e-9 * p->median,
				   .times_best =
					   shape->best ? p->median / shape->best->median : NAN,
				   .best = p == shape->best };
	snprintf(row.vectors, sizeof(row.vectors), t->vector_bytes ? "%u x %u B" : "%u",
		 t->vector_loops, t->vector_bytes);
	tp_grid_row(grid, &row, page);
	tp_grid_about(grid, p);
}

/* Why a variant has failed stands among the remarks of the run. */
static void failed_row(struct tp_grid *grid, const char *name)
{
	tp_grid_text(grid, TP_PAINT_BAD, "failed");
	tp_grid_text(grid, TP_PAINT_PLAIN, name);
	for (size_t c = 2; c < TP_COUNT_OF(columns); c++)
		tp_grid_text(grid, TP_PAINT_PLAIN, c == 2 ? "-" : "");
}

static bool show_family(void *context, const struct shape *shape)
{
	struct tp_page *page = context;
	const struct tp_point *first = &page->run->points[shape->family->first];
	const struct tp_template_row *row = tp_template_row(first);
	char title[2 * TP_TEMPLATE_NAME_BYTES + 64], count[32];
	TP_STR name = { 0 };
	TP_GRID(grid, columns);
	size_t n = 0, left_out = 0;
	snprintf(title, sizeof(title), "%s of %s, %s%s", row->region, row->source,
		 tp_text_count(count, sizeof(count), first->threads, "thread"),
		 row->cold ? ", cold caches" : "");
	tp_page_heads(page, &grid);
	for (size_t i = shape->family->first; i != TP_TALLY_END; i = next_of(shape, i)) {
		const struct tp_point *p = &page->run->points[i];
		if (p->state != TP_POINT_DONE && p->state != TP_POINT_FAILED)
			continue;
		tp_str_clear(&name);
		add_variant_name(shape, p, &name);
		if (n++ >= ROWS_MAX && !page->look->full)
			left_out++;
		else if (p->state == TP_POINT_FAILED)
			failed_row(&grid, tp_str_text(&name));
		else
			variant_row(&grid, page, shape, p, tp_str_text(&name));
	}
	if (n) {
		tp_page_title(page, title, NULL);
		tp_grid_write(&grid, page->doc);
	}
	if (left_out) {
		snprintf(title, sizeof(title), "%zu more variants: points.csv has them all.",
			 left_out);
		tp_page_explain(page, title);
	}
	return true;
}

static void page_of_templates(struct tp_page *page)
{
	bool any = false;
	for (size_t i = 0; i < page->run->n_points && !any; i++)
		any = is_template(&page->run->points[i]);
	if (!any)
		return;
	each_family(page->run, SIZE_MAX, page, show_family);
	tp_page_explain(page, "step: median time of a pass through the region. to best: relative "
			      "to the fastest variant. vectors: loops of the region that the "
			      "compiler made vectors of, and how long the longest are.");
}

/* "Fastest product of matmul: ORDER=IKJ TILE=64, 90.4 us (46.4 GFLOP/s); ..." */
static bool conclude_family(void *context, const struct shape *shape)
{
	struct tp_conclusion *conclusion = context;
	const struct tp_point *best = shape->best, *worst = best;
	TP_STR name = { 0 }, slow = { 0 };
	char time[48], rate[48] = "";
	for (size_t i = shape->family->first; i != TP_TALLY_END; i = next_of(shape, i)) {
		const struct tp_point *p = &shape->run->points[i];
		if (p->state == TP_POINT_DONE && worst && p->median > worst->median)
			worst = p;
	}
	if (!best || worst == best)
		return true;
	const struct tp_template_row *row = tp_template_row(best);
	add_variant_name(shape, best, &name);
	add_variant_name(shape, worst, &slow);
	if (shape->counted)
		snprintf(rate, sizeof(rate), " (%.3g GFLOP/s)", row->kernel.median_gflops);
	tp_conclude_add(&conclusion->limits,
			"Fastest %s of %s: %s, %s%s; the slowest, %s, takes %.3g times as long.",
			row->region, row->source, tp_str_text(&name),
			tp_format_seconds(time, sizeof(time), 1e-9 * best->median), rate,
			tp_str_text(&slow), worst->median / best->median);
	return true;
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	each_family(run, CONCLUSIONS_MAX, conclusion, conclude_family);
}

const struct tp_reporter tp_reporter_template = {
	.experiment = "template",
	.place = 35,
	.page = page_of_templates,
	.conclude = conclude,
	.pictures = hang_pictures,
};
