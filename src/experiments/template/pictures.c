/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of templates: bars over one parameter, a heat map over two, of the best of the others. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "experiments/template/shape.h"
#include "report/pictures.h"
#include "report/reporter.h"

enum { PICTURES_MAX = 16 };

/* "3.21", "312": three digits, no exponent. */
static const char *number(struct tp_picture *picture, double value)
{
	int decimals = value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5;
	return tp_picture_text(picture, "%.*f", decimals, value);
}

static char mark_of(const struct tp_point *p, const struct tp_point *best)
{
	if (p == best)
		return '*';
	if (p->state == TP_POINT_FAILED)
		return 'x';
	return p->state == TP_POINT_DONE ? ' ' : '.';
}

static const char **names_of(struct tp_picture *picture, const struct tp_template_axis *axis)
{
	const char **names = tp_arena_alloc(&picture->arena, (axis->n + 1) * sizeof(*names));
	for (size_t i = 0; names && i < axis->n; i++)
		names[i] = tp_picture_text(picture, "%s", axis->values[i]);
	return names;
}

/* The fastest point of each place of one axis, or of two; the others, if none is done. */
static const struct tp_point **find_cells(struct tp_picture *picture,
					  const struct tp_template_shape *shape, int x, int y)
{
	size_t columns = shape->axes[x].n, rows = y < 0 ? 1 : shape->axes[y].n;
	const struct tp_point **cells = tp_arena_alloc(
		&picture->arena, (columns * rows + 1) * sizeof(const struct tp_point *));
	for (size_t i = shape->family->first; cells && i != TP_TALLY_END;
	     i = tp_template_next(shape, i)) {
		const struct tp_point *p = &shape->run->points[i];
		size_t column = tp_template_place(shape, (size_t)x, p);
		size_t row = y < 0 ? 0 : tp_template_place(shape, (size_t)y, p);
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

static const char *title_of(struct tp_picture *picture, const struct tp_template_shape *shape,
			    bool others)
{
	const struct tp_template_row *row = tp_template_row(shape->best);
	char count[32];
	return tp_picture_text(picture, "%s of %s: %s, %s%s", row->region, row->source,
			       tp_template_unit(shape),
			       tp_text_count(count, sizeof(count), shape->best->threads, "thread"),
			       others ? ", the best of the other parameters" : "");
}

static size_t count_axes(const struct tp_template_shape *shape)
{
	size_t n = 0;
	for (size_t i = 0; i < shape->n_axes; i++)
		n += shape->axes[i].n > 1;
	return n;
}

static bool draw_bars(struct tp_picture *picture, const struct tp_template_shape *shape, int x,
		      size_t rows)
{
	const struct tp_template_axis *axis = &shape->axes[x];
	const struct tp_point **cells = find_cells(picture, shape, x, -1);
	struct tp_chart_bar bars[TP_CHART_BARS];
	size_t n = 0, left_out = 0;
	size_t room = rows > TP_CHART_FRAME_ROWS ? rows - TP_CHART_FRAME_ROWS : 1;
	for (size_t i = 0; cells && i < axis->n; i++) {
		const struct tp_point *p = cells[i];
		double value = p ? tp_template_value(shape, p) : NAN;
		if (isnan(value))
			continue;
		if (n == TP_MIN(room, (size_t)TP_CHART_BARS)) {
			left_out++;
			continue;
		}
		bool interval = p->ci_low > 0 && p->ci_high >= p->ci_low;
		double low = value * p->ci_low / p->median, high = value * p->ci_high / p->median;
		bars[n++] = (struct tp_chart_bar){
			.name = tp_picture_text(picture, "%s=%s", axis->name, axis->values[i]),
			.value = value,
			/* A rate is high where its time is low. */
			.low = !interval	? 0
			       : shape->counted ? value * value / high
						: low,
			.high = !interval	 ? 0
				: shape->counted ? value * value / low
						 : high,
			.best = p == shape->best,
			.text = number(picture, value),
			.point = p,
		};
	}
	if (n < 2 || !tp_picture_bars(picture, bars, n, tp_template_unit(shape)))
		return false;
	picture->scene.title = title_of(picture, shape, count_axes(shape) > 1);
	if (left_out)
		picture->left_out =
			tp_picture_text(picture, "Left out: %zu further bars.", left_out);
	return true;
}

static bool draw_heat(struct tp_picture *picture, const struct tp_template_shape *shape, int x,
		      int y)
{
	const struct tp_template_axis *across = &shape->axes[x], *up = &shape->axes[y];
	const struct tp_point **cells = find_cells(picture, shape, x, y);
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (across->n * up->n + 1) * sizeof(*tiles));
	const struct tp_names columns = { names_of(picture, across), across->n },
			      rows = { names_of(picture, up), up->n };
	size_t n = 0;
	if (!cells || !tiles || !columns.items || !rows.items)
		return false;
	for (size_t i = 0; i < across->n * up->n; i++) {
		const struct tp_point *p = cells[i];
		double value = p ? tp_template_value(shape, p) : NAN;
		if (!p)
			continue;
		tiles[n++] = (struct tp_chart_tile){
			.column = i % across->n,
			.row = i / across->n,
			.tile = { isnan(value) ? NAN : shape->best->median / p->median,
				  mark_of(p, shape->best),
				  isnan(value) ? NULL : number(picture, value) },
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

static bool draw(struct tp_picture *picture, const struct tp_template_shape *shape,
		 const struct tp_gallery *gallery)
{
	int y = tp_template_axis_of(shape, -1), x = y < 0 ? -1 : tp_template_axis_of(shape, y);
	if (!shape->best || y < 0)
		return false;
	if (x < 0)
		return draw_bars(picture, shape, y, gallery->rows);
	const struct tp_template_axis *across = &shape->axes[x], *up = &shape->axes[y];
	if (across->n + TP_CHART_FRAME_COLUMNS > gallery->columns ||
	    up->n + TP_CHART_FRAME_ROWS > gallery->rows)
		picture->left_out = tp_picture_text(
			picture,
			"A map of %zu x %zu has no room here: a larger window shows all of it.",
			across->n, up->n);
	return draw_heat(picture, shape, x, y);
}

bool tp_template_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_tally families = { 0 };
	struct tp_template_shape *shape = calloc(1, sizeof(*shape));
	bool good = shape && tp_template_families(run, &families) == TP_OK;
	for (size_t i = 0, n = 0; good && i < families.n && n < PICTURES_MAX; i++) {
		if (!families.texts.s[families.groups[i].text])
			continue;
		struct tp_picture *picture = tp_picture_new();
		good = picture != NULL;
		tp_template_shape_of(run, &families, &families.groups[i], shape);
		if (good && draw(picture, shape, gallery)) {
			gallery->hang(gallery->context, picture);
			n++;
		}
		tp_picture_free(picture);
	}
	tp_tally_release(&families);
	free(shape);
	return good;
}
