/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The density with its categories, and importance as bars; every picture in its order. */
#include "mining/picture_parts.h"
#include "report/charts.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum { BARS_MAX = 15, NAMES_MAX = 24 };

void tp_mine_scene(struct tp_picture *picture, const char *title, const struct tp_scale *x,
		   const struct tp_scale *y)
{
	picture->scene = (struct tp_scene){
		.title = title,
		.x = *x,
		.y = *y,
		.series = picture->series,
		.n_series = picture->n_series,
		.marks = picture->marks,
		.n_marks = picture->n_marks,
	};
}

const char *tp_mine_axis(struct tp_picture *picture, const char *name, const char *unit)
{
	return unit ? tp_picture_text(picture, "%s, %s", name, unit) : name;
}

/* --- density --- */

static double density_at(const struct tp_density *d, double value)
{
	double x = d->log ? log10(value) : value, step = d->x[1] - d->x[0];
	double place = (x - d->x[0]) / step;
	if (!(place >= 0) || place > TP_DENSITY_POINTS - 1)
		return 0;
	return d->y[(size_t)place];
}

/* Cuts as lines; peaks as marks with the names of their categories. */
static void mark_categories(struct tp_picture *picture, const struct tp_mining *m)
{
	bool named = m->n_labels + m->categories.n <= TP_PICTURE_MARKS + 1;
	for (unsigned i = 0; i + 1 < m->categories.n; i++)
		tp_picture_mark(picture, m->categories.cuts[i], 0, false, "");
	for (unsigned i = 0; i < m->categories.n && named; i++)
		tp_picture_mark(picture, m->labels_of[i].peak,
				density_at(m->density, m->labels_of[i].peak), true,
				m->labels_of[i].name);
}

bool tp_mine_picture_density(struct tp_picture *picture, const struct tp_mining *m)
{
	double *x, *y, most = 0;
	if (!m->density)
		return false;
	struct tp_series *s = tp_picture_series(picture, TP_DENSITY_POINTS, &x, &y);
	if (!s)
		return false;
	for (size_t i = 0; i < TP_DENSITY_POINTS; i++) {
		x[i] = m->density->log ? pow(10, m->density->x[i]) : m->density->x[i];
		y[i] = m->density->y[i];
		most = TP_MAX(most, y[i]);
	}
	s->style = TP_STYLE_SOLID;
	s->role = TP_ROLE_SERIES_0;
	s->glyph = '*';
	mark_categories(picture, m);
	const struct tp_scale xs = { .kind = m->density->log ? TP_SCALE_LOG10 : TP_SCALE_LINEAR,
				     .min = x[0],
				     .max = x[TP_DENSITY_POINTS - 1],
				     .label = tp_mine_axis(picture, m->target, m->target_unit) };
	const struct tp_scale ys = { .min = 0, .max = 1.15 * most, .label = "density" };
	const char *title = m->categories.n
				    ? tp_picture_text(picture, "Density of %s, %u categories",
						      m->target, m->categories.n)
				    : tp_picture_text(picture, "Density of %s", m->target);
	tp_mine_scene(picture, title, &xs, &ys);
	return true;
}

/* --- importance --- */

size_t tp_mine_ranked(const struct tp_mining *m, size_t *features, size_t most)
{
	const double *worth = m->has_forest	   ? m->forest.impurity_importance
			      : m->has_tree	   ? m->tree.importance
			      : m->has_correlation ? m->rank_correlation
						   : NULL;
	size_t n = 0;
	for (size_t f = 0; f < m->n_features; f++) {
		double value = !worth || isnan(worth[f]) ? 0 : fabs(worth[f]);
		size_t at = n;
		for (; at > 0 && worth && value > fabs(worth[features[at - 1]]); at--)
			if (at < most)
				features[at] = features[at - 1];
		if (at < most)
			features[at] = f;
		n = TP_MIN(n + 1, most);
	}
	return n;
}

static bool mine_picture_importance(struct tp_picture *picture, const struct tp_mining *m)
{
	struct tp_chart_bar bars[BARS_MAX];
	size_t order[BARS_MAX], n = tp_mine_ranked(m, order, BARS_MAX);
	const double *worth = m->has_forest ? m->forest.impurity_importance : m->tree.importance;
	if (!m->has_forest && !m->has_tree)
		return false;
	for (size_t i = 0; i < n; i++) {
		double share = 100 * worth[order[i]];
		bars[i] = (struct tp_chart_bar){
			.name = tp_mine_short(picture, m->features[order[i]].name, NAMES_MAX),
			.value = share,
			.text = tp_picture_text(picture, "%.1f%%", share),
		};
	}
	if (!tp_picture_bars(picture, bars, n, "share of the impurity that is taken away, %"))
		return false;
	picture->scene.title = tp_picture_text(picture, "What decides %s: importance in the %s",
					       m->target, m->has_forest ? "forest" : "tree");
	return true;
}

const char *tp_mine_short(struct tp_picture *picture, const char *text, size_t bytes)
{
	char shown[128];
	return tp_picture_text(picture, "%s",
			       tp_shown(shown, TP_MIN(bytes, sizeof(shown)), text, strlen(text)));
}

/* --- all of them --- */

typedef bool draws(struct tp_picture *picture, const struct tp_mining *m);

static bool hang_one(const struct tp_mining *m, const struct tp_gallery *gallery, draws *draw)
{
	struct tp_picture *picture = tp_picture_new();
	if (!picture)
		return false;
	if (draw(picture, m))
		gallery->hang(gallery->context, picture);
	tp_picture_free(picture);
	return true;
}

bool tp_mine_pictures(const void *mining, const struct tp_gallery *gallery)
{
	const struct tp_mining *m = mining;
	bool good = hang_one(m, gallery, tp_mine_picture_density) &&
		    hang_one(m, gallery, tp_mine_picture_relation) &&
		    hang_one(m, gallery, tp_mine_picture_heat);
	/* Bars stand in the text as well. */
	return good && (gallery->tables_too || hang_one(m, gallery, mine_picture_importance));
}
