/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the target goes with the column that matters most: a line over few numbers, boxes over words,
 * dots over anything else.
 */
#include "mining/picture_parts.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 6, DOTS_MAX = 2000, LINE_LEVELS_MIN = 3 };
/* An axis whose ends are so far apart is logarithmic. */
enum { FEW_LOG = 64, MANY_LOG = 100 };

static const char glyphs[SERIES_MAX + 1] = "ox+*#@";

/* --- a line --- */

static bool add_line(struct tp_picture *picture, const struct tp_mine_feature *f,
		     const struct tp_mine_means *means, size_t b, const char *label)
{
	double *x, *y;
	struct tp_series *s = tp_picture_series(picture, f->n_levels, &x, &y);
	if (!s)
		return false;
	s->n = 0;
	for (size_t a = 0; a < f->n_levels; a++)
		if (means->n[a][b]) {
			x[s->n] = f->levels[a];
			y[s->n++] = means->sum[a][b] / (double)means->n[a][b];
		}
	s->label = label;
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)(TP_ROLE_SERIES_0 + b % SERIES_MAX);
	s->glyph = glyphs[b % SERIES_MAX];
	return true;
}

/* `g` parts the rows into lines; NULL = one line. */
static bool draw_line(struct tp_picture *picture, const struct tp_mining *m,
		      const struct tp_mine_feature *f, const struct tp_mine_feature *g)
{
	struct tp_mine_means *means = tp_mine_means_by(m, f, g);
	bool good = means, log = f->levels[0] > 0 && f->high >= FEW_LOG * f->low;
	for (size_t b = 0; good && b < (g ? g->n_levels : 1); b++)
		good = add_line(picture, f, means, b,
				g ? tp_picture_text(picture, "%s %s", g->name,
						    tp_mine_level_name(picture, g, b))
				  : NULL);
	free(means);
	const struct tp_scale x = { .kind = log ? TP_SCALE_LOG2 : TP_SCALE_LINEAR,
				    .label = tp_mine_axis(picture, f->name, f->unit) };
	const struct tp_scale y = { .label = tp_mine_axis(picture, m->target, m->target_unit) };
	tp_mine_scene(picture, tp_picture_text(picture, "Mean of %s over %s", m->target, f->name),
		      &x, &y);
	return good;
}

/* --- boxes --- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts the target of the rows of a level into `values`; returns how many there are. */
static size_t take_level(const struct tp_mining *m, const struct tp_mine_feature *f, size_t level,
			 double *values)
{
	size_t n = 0;
	for (size_t row = 0; row < m->n_rows; row++)
		if (f->values[row] == f->levels[level])
			values[n++] = m->target_values[row];
	qsort(values, n, sizeof(*values), ascending);
	return n;
}

/* Medians with their quartiles; in another series smallest and largest. */
static bool draw_boxes(struct tp_picture *picture, const struct tp_mining *m,
		       const struct tp_mine_feature *f)
{
	size_t k = f->n_levels;
	double *x, *y, *ends_x, *ends_y;
	double *low = tp_arena_alloc(&picture->arena, k * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, k * sizeof(*high));
	double *values = malloc((m->n_rows + 1) * sizeof(*values));
	struct tp_series *box = tp_picture_series(picture, k, &x, &y);
	struct tp_series *ends = tp_picture_series(picture, 2 * k, &ends_x, &ends_y);
	struct tp_names names;
	bool good = low && high && values && box && ends && tp_mine_level_names(picture, f, &names);
	for (size_t a = 0; good && a < k; a++) {
		size_t n = take_level(m, f, a, values);
		x[a] = ends_x[2 * a] = ends_x[2 * a + 1] = (double)a;
		y[a] = values[n / 2];
		low[a] = values[n / 4];
		high[a] = values[n - 1 - n / 4];
		ends_y[2 * a] = values[0];
		ends_y[2 * a + 1] = values[n - 1];
	}
	free(values);
	if (!good)
		return false;
	box->low = low;
	box->high = high;
	box->label = "median and quartiles";
	box->style = ends->style = TP_STYLE_DOTS;
	box->role = TP_ROLE_SERIES_0;
	box->glyph = 'o';
	ends->label = "smallest and largest";
	ends->role = TP_ROLE_SERIES_1;
	ends->glyph = 'x';
	const struct tp_scale xs = { .unit = TP_UNIT_NAMES, .label = f->name };
	const struct tp_scale ys = { .label = tp_mine_axis(picture, m->target, m->target_unit) };
	tp_mine_scene(picture, tp_picture_text(picture, "%s by %s", m->target, f->name), &xs, &ys);
	picture->scene.x_names = names;
	return true;
}

/* --- dots --- */

static enum tp_scale_kind scale_of(const double *values, size_t n)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		low = TP_MIN(low, values[i]);
		high = TP_MAX(high, values[i]);
	}
	return low > 0 && high > MANY_LOG * low ? TP_SCALE_LOG10 : TP_SCALE_LINEAR;
}

/* A series a category, the first ones; every so many rows, where there are many. */
static bool draw_dots(struct tp_picture *picture, const struct tp_mining *m,
		      const struct tp_mine_feature *f, const double *values, const char *name,
		      const char *unit)
{
	size_t step = m->n_rows / DOTS_MAX + 1;
	unsigned parts = TP_MIN(m->n_labels, (unsigned)SERIES_MAX);
	for (unsigned part = 0; part < TP_MAX(parts, 1U); part++) {
		double *x, *y;
		struct tp_series *s = tp_picture_series(picture, m->n_rows / step + 1, &x, &y);
		if (!s)
			return false;
		s->n = 0;
		for (size_t row = 0; row < m->n_rows; row += step)
			if (!parts || m->labels[row] == part) {
				x[s->n] = f->values[row];
				y[s->n++] = values[row];
			}
		s->label = parts ? tp_mine_short(picture, m->labels_of[part].name,
						 2 * TP_MINE_NAME_BYTES)
				 : NULL;
		s->style = TP_STYLE_DOTS;
		s->role = (enum tp_plot_role)(TP_ROLE_SERIES_0 + part);
		s->glyph = glyphs[part];
	}
	if (m->n_labels > SERIES_MAX)
		picture->left_out = tp_picture_text(picture, "%u more categories are left out.",
						    m->n_labels - SERIES_MAX);
	else if (step > 1)
		picture->left_out = tp_picture_text(picture, "One of %zu rows is drawn.", step);
	const struct tp_scale xs = { .kind = scale_of(f->values, m->n_rows),
				     .label = tp_mine_axis(picture, f->name, f->unit) };
	const struct tp_scale ys = { .kind = scale_of(values, m->n_rows),
				     .label = tp_mine_axis(picture, name, unit) };
	tp_mine_scene(picture, tp_picture_text(picture, "%s over %s", name, f->name), &xs, &ys);
	return true;
}

bool tp_mine_picture_relation(struct tp_picture *picture, const struct tp_mining *m)
{
	size_t order[2], n = tp_mine_ranked(m, order, 2);
	if (!n || !m->target)
		return false;
	const struct tp_mine_feature *f = &m->features[order[0]];
	const struct tp_mine_feature *g = n > 1 ? &m->features[order[1]] : NULL;
	if (!m->target_values)
		return g && !f->words && !g->words &&
		       draw_dots(picture, m, f, g->values, g->name, g->unit);
	if (f->words)
		return f->n_levels && draw_boxes(picture, m, f);
	if (f->n_levels < LINE_LEVELS_MIN)
		return draw_dots(picture, m, f, m->target_values, m->target, m->target_unit);
	return draw_line(picture, m, f, g && g->n_levels && g->n_levels <= SERIES_MAX ? g : NULL);
}
