/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles: means of the target by two columns, or shares of its categories by one. */
#include "mining/picture_parts.h"
#include "report/charts.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

size_t tp_mine_level(const struct tp_mine_feature *f, double value)
{
	size_t i = 0;
	while (i + 1 < f->n_levels && f->levels[i] != value)
		i++;
	return i;
}

const char *tp_mine_level_name(struct tp_picture *picture, const struct tp_mine_feature *f,
			       size_t level)
{
	char number[32];
	if (f->words)
		return tp_mine_short(picture, f->words[(size_t)f->levels[level]],
				     TP_MINE_NAME_BYTES);
	return tp_picture_text(picture, "%s",
			       tp_mine_value(number, sizeof(number), f, f->levels[level]));
}

bool tp_mine_level_names(struct tp_picture *picture, const struct tp_mine_feature *f,
			 struct tp_names *names)
{
	const char **items = tp_arena_alloc(&picture->arena, (f->n_levels + 1) * sizeof(*items));
	for (size_t i = 0; items && i < f->n_levels; i++)
		items[i] = tp_mine_level_name(picture, f, i);
	*names = (struct tp_names){ items, f->n_levels };
	return items;
}

struct tp_mine_means *tp_mine_means_by(const struct tp_mining *m, const struct tp_mine_feature *f,
				       const struct tp_mine_feature *g)
{
	struct tp_mine_means *means = calloc(1, sizeof(*means));
	if (!means)
		return NULL;
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t a = tp_mine_level(f, f->values[row]);
		size_t b = g ? tp_mine_level(g, g->values[row]) : 0;
		means->sum[a][b] += m->target_values[row];
		means->n[a][b]++;
	}
	means->low = INFINITY;
	means->high = -INFINITY;
	for (size_t a = 0; a < f->n_levels; a++)
		for (size_t b = 0; b < (g ? g->n_levels : 1); b++) {
			double mean = means->sum[a][b] / (double)means->n[a][b];
			if (!means->n[a][b])
				continue;
			means->low = TP_MIN(means->low, mean);
			means->high = TP_MAX(means->high, mean);
		}
	return means;
}

static bool draw(struct tp_picture *picture, const struct tp_mine_feature *x,
		 const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n,
		 const char *title, const char *y_label)
{
	struct tp_names columns;
	if (!tp_mine_level_names(picture, x, &columns) ||
	    !tp_picture_heat(picture, &columns, rows, tiles, n))
		return false;
	picture->scene.title = title;
	picture->scene.x.label = tp_mine_axis(picture, x->name, x->unit);
	picture->scene.y.label = y_label;
	return true;
}

/* A tile has room for three digits. */
static double rounded(double value)
{
	if (value == 0)
		return 0;
	double unit = pow(10, floor(log10(fabs(value))) - 2);
	return round(value / unit) * unit;
}

/* The shade says where a mean lies between the smallest and the largest. */
static bool draw_means(struct tp_picture *picture, const struct tp_mining *m,
		       const struct tp_mine_feature *f, const struct tp_mine_feature *g)
{
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, f->n_levels * g->n_levels * sizeof(*tiles));
	struct tp_mine_means *means = tp_mine_means_by(m, f, g);
	struct tp_names rows;
	size_t n = 0;
	bool good = tiles && means && tp_mine_level_names(picture, g, &rows);
	for (size_t a = 0; good && a < f->n_levels; a++)
		for (size_t b = 0; b < g->n_levels; b++) {
			double mean = means->sum[a][b] / (double)means->n[a][b];
			char number[32];
			if (!means->n[a][b])
				continue;
			tp_mine_number(number, sizeof(number), rounded(mean));
			tiles[n++] = (struct tp_chart_tile){
				.column = a,
				.row = b,
				.tile = { (mean - means->low) / (means->high - means->low), ' ',
					  tp_picture_text(picture, "%s", number) },
			};
		}
	char low[32], high[32];
	if (good)
		picture->left_out = tp_picture_text(
			picture,
			"Shades go from the smallest mean, %s, to the largest, %s. A tile without "
			"room for its mean says how many percent of that way it lies at.",
			tp_mine_number(low, sizeof(low), means->low),
			tp_mine_number(high, sizeof(high), means->high));
	free(means);
	return good && draw(picture, f, &rows, tiles, n,
			    tp_picture_text(picture, "Mean of %s by %s and %s",
					    tp_mine_axis(picture, m->target, m->target_unit),
					    f->name, g->name),
			    tp_mine_axis(picture, g->name, g->unit));
}

/* Which share of the rows with each value of a column is of which category. */
static bool draw_shares(struct tp_picture *picture, const struct tp_mining *m,
			const struct tp_mine_feature *f)
{
	enum { MAX = TP_MINE_LEVELS_MAX };
	size_t n_rows = TP_MIN((size_t)m->n_labels, (size_t)MAX), n = 0;
	const char **items = tp_arena_alloc(&picture->arena, (n_rows + 1) * sizeof(*items));
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (f->n_levels * n_rows + 1) * sizeof(*tiles));
	size_t count[MAX][MAX] = { 0 }, sum[MAX] = { 0 };
	if (!items || !tiles)
		return false;
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t a = tp_mine_level(f, f->values[row]);
		sum[a]++;
		if (m->labels[row] < n_rows)
			count[a][m->labels[row]]++;
	}
	for (size_t b = 0; b < n_rows; b++)
		items[b] = tp_mine_short(picture, m->labels_of[b].name, TP_MINE_NAME_BYTES);
	for (size_t a = 0; a < f->n_levels; a++)
		for (size_t b = 0; b < n_rows; b++) {
			double share = (double)count[a][b] / (double)sum[a];
			const char *text = tp_picture_text(picture, "%.0f%%", 100 * share);
			tiles[n++] = (struct tp_chart_tile){ a, b, { share, ' ', text }, NULL };
		}
	const struct tp_names rows = { items, n_rows };
	return draw(picture, f, &rows, tiles, n,
		    tp_picture_text(picture, "Which rows are of which category of %s", m->target),
		    m->target);
}

bool tp_mine_picture_heat(struct tp_picture *picture, const struct tp_mining *m)
{
	size_t order[2], n = tp_mine_ranked(m, order, 2);
	if (!n || !m->target || m->features[order[0]].n_levels < 2)
		return false;
	const struct tp_mine_feature *f = &m->features[order[0]];
	if (!m->target_values)
		return m->n_labels && draw_shares(picture, m, f);
	return n > 1 && m->features[order[1]].n_levels > 1 &&
	       draw_means(picture, m, f, &m->features[order[1]]);
}
