/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Density with categories, the target by what matters most, importance as bars. */
#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "mining/say.h"
#include "report/pictures.h"

enum { NAME_BYTES = 18 }; /* of a value or a category beside an axis */

/* Means of a target of numbers by the values of two features. */
struct means {
	double sum[TP_MINE_LEVELS_MAX][TP_MINE_LEVELS_MAX], low, high;
	size_t n[TP_MINE_LEVELS_MAX][TP_MINE_LEVELS_MAX];
};

/* A name that is cut to so many bytes. */
static const char *short_name(struct tp_picture *picture, const char *text, size_t bytes)
{
	char shown[128];
	return tp_picture_text(picture, "%s",
			       tp_shown(shown, TP_MIN(bytes, sizeof(shown)), text, strlen(text)));
}

/* "time, ns". */
static const char *axis_of(struct tp_picture *picture, const char *name, const char *unit)
{
	return unit ? tp_picture_text(picture, "%s, %s", name, unit) : name;
}

/* The features that matter most, at most `most` of them, the first first; returns how many. */
static size_t rank_features(const struct tp_mining *m, size_t *features, size_t most)
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

/* The number of a value of a feature that has few of them. */
static size_t level_of(const struct tp_mine_feature *f, double value)
{
	size_t i = 0;
	while (i + 1 < f->n_levels && f->levels[i] != value)
		i++;
	return i;
}

static const char *level_name(struct tp_picture *picture, const struct tp_mine_feature *f,
			      size_t level)
{
	char number[32];
	if (f->words)
		return short_name(picture, f->words[(size_t)f->levels[level]], NAME_BYTES);
	return tp_picture_text(picture, "%s",
			       tp_mine_value(number, sizeof(number), f, f->levels[level]));
}

static struct tp_names level_names(struct tp_picture *picture, const struct tp_mine_feature *f)
{
	const char **items = tp_arena_alloc(&picture->arena, (f->n_levels + 1) * sizeof(*items));
	for (size_t i = 0; i < f->n_levels; i++)
		items[i] = level_name(picture, f, i);
	return (struct tp_names){ items, f->n_levels };
}

/* `g` may be NULL: by one feature. Heap. */
static struct means *means_by(const struct tp_mining *m, const struct tp_mine_feature *f,
			      const struct tp_mine_feature *g)
{
	struct means *means = tp_alloc(1, sizeof(*means));
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t a = level_of(f, f->values[row]);
		size_t b = g ? level_of(g, g->values[row]) : 0;
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

static bool draw_heat(struct tp_picture *picture, const struct tp_mine_feature *x,
		      const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n,
		      const char *title, const char *y_label)
{
	const struct tp_names columns = level_names(picture, x);
	if (!tp_picture_heat(picture, &columns, rows, tiles, n))
		return false;
	picture->scene.title = title;
	picture->scene.x.label = axis_of(picture, x->name, x->unit);
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
	TP_FREE struct means *means = means_by(m, f, g);
	const struct tp_names rows = level_names(picture, g);
	size_t n = 0;
	for (size_t a = 0; a < f->n_levels; a++)
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
	picture->left_out = tp_picture_text(
		picture,
		"Shades go from the smallest mean, %s, to the largest, %s. A tile without "
		"room for its mean says how many percent of that way it lies at.",
		tp_mine_number(low, sizeof(low), means->low),
		tp_mine_number(high, sizeof(high), means->high));
	return draw_heat(picture, f, &rows, tiles, n,
			 tp_picture_text(picture, "Mean of %s by %s and %s",
					 axis_of(picture, m->target, m->target_unit), f->name,
					 g->name),
			 axis_of(picture, g->name, g->unit));
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
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t a = level_of(f, f->values[row]);
		sum[a]++;
		if (m->labels[row] < n_rows)
			count[a][m->labels[row]]++;
	}
	for (size_t b = 0; b < n_rows; b++)
		items[b] = short_name(picture, m->labels_of[b].name, NAME_BYTES);
	for (size_t a = 0; a < f->n_levels; a++)
		for (size_t b = 0; b < n_rows; b++) {
			double share = (double)count[a][b] / (double)sum[a];
			const char *text = tp_picture_text(picture, "%.0f%%", 100 * share);
			tiles[n++] = (struct tp_chart_tile){ a, b, { share, ' ', text }, NULL };
		}
	const struct tp_names rows = { items, n_rows };
	return draw_heat(
		picture, f, &rows, tiles, n,
		tp_picture_text(picture, "Which rows are of which category of %s", m->target),
		m->target);
}

static bool mine_picture_heat(struct tp_picture *picture, const struct tp_mining *m)
{
	size_t order[2], n = rank_features(m, order, 2);
	if (!n || !m->target || m->features[order[0]].n_levels < 2)
		return false;
	const struct tp_mine_feature *f = &m->features[order[0]];
	if (!m->target_values)
		return m->n_labels && draw_shares(picture, m, f);
	return n > 1 && m->features[order[1]].n_levels > 1 &&
	       draw_means(picture, m, f, &m->features[order[1]]);
}

enum { BARS_MAX = 15, NAMES_MAX = 24 };

/* The scene of a picture whose series and marks are there. */
static void make_scene(struct tp_picture *picture, const char *title, const struct tp_scale *x,
		       const struct tp_scale *y)
{
	picture->scene.title = title;
	tp_picture_finish(picture, *x, *y);
}

/* --- density --- */

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
	/* Cuts as lines; peaks as marks with the names of their categories. */
	bool named = m->n_labels + m->categories.n <= TP_PICTURE_MARKS + 1;
	for (unsigned i = 0; i + 1 < m->categories.n; i++)
		tp_picture_mark(picture, m->categories.cuts[i], 0, false, "");
	for (unsigned i = 0; i < m->categories.n && named; i++)
		tp_picture_mark(picture, m->labels_of[i].peak,
				tp_density_at(m->density, m->labels_of[i].peak), true,
				m->labels_of[i].name);
	const struct tp_scale xs = { .kind = m->density->log ? TP_SCALE_LOG10 : TP_SCALE_LINEAR,
				     .min = x[0],
				     .max = x[TP_DENSITY_POINTS - 1],
				     .label = axis_of(picture, m->target, m->target_unit) };
	const struct tp_scale ys = { .min = 0, .max = 1.15 * most, .label = "density" };
	const char *title = m->categories.n
				    ? tp_picture_text(picture, "Density of %s, %u categories",
						      m->target, m->categories.n)
				    : tp_picture_text(picture, "Density of %s", m->target);
	make_scene(picture, title, &xs, &ys);
	return true;
}

/* --- importance --- */

static bool draw_importance(struct tp_picture *picture, const struct tp_mining *m)
{
	struct tp_chart_bar bars[BARS_MAX];
	size_t order[BARS_MAX], n = rank_features(m, order, BARS_MAX);
	const double *worth = m->has_forest ? m->forest.impurity_importance : m->tree.importance;
	if (!m->has_forest && !m->has_tree)
		return false;
	for (size_t i = 0; i < n; i++) {
		double share = 100 * worth[order[i]];
		bars[i] = (struct tp_chart_bar){
			.name = short_name(picture, m->features[order[i]].name, NAMES_MAX),
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

enum { SERIES_MAX = 6, DOTS_MAX = 2000, LINE_LEVELS_MIN = 3 };

/* An axis whose ends are so far apart is logarithmic. */
enum { FEW_LOG = 64, MANY_LOG = 100 };

static const char glyphs[SERIES_MAX + 1] = "ox+*#@";

/* --- a line --- */

static bool add_line(struct tp_picture *picture, const struct tp_mine_feature *f,
		     const struct means *means, size_t b, const char *label)
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
	if (f->unit && strcmp(f->unit, "B") == 0)
		tp_picture_part(picture, s, NULL, TP_CURVE_NEAR);
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
	TP_FREE struct means *means = means_by(m, f, g);
	bool good = true, log = f->levels[0] > 0 && f->high >= FEW_LOG * f->low;
	for (size_t b = 0; good && b < (g ? g->n_levels : 1); b++)
		good = add_line(
			picture, f, means, b,
			g ? tp_picture_text(picture, "%s %s", g->name, level_name(picture, g, b))
			  : NULL);
	const struct tp_scale x = { .kind = log ? TP_SCALE_LOG2 : TP_SCALE_LINEAR,
				    .unit = tp_scale_unit_of(f->values, m->n_rows),
				    .label = axis_of(picture, f->name, f->unit) };
	const struct tp_scale y = { .label = axis_of(picture, m->target, m->target_unit) };
	make_scene(picture, tp_picture_text(picture, "Mean of %s over %s", m->target, f->name), &x,
		   &y);
	return good;
}

/* --- boxes --- */

/* Sorts the target of the rows of a level into `values`; returns how many there are. */
static size_t take_level(const struct tp_mining *m, const struct tp_mine_feature *f, size_t level,
			 double *values)
{
	size_t n = 0;
	for (size_t row = 0; row < m->n_rows; row++)
		if (f->values[row] == f->levels[level])
			values[n++] = m->target_values[row];
	tp_sort_doubles(values, n);
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
	TP_FREE double *values = tp_alloc(m->n_rows + 1, sizeof(*values));
	struct tp_series *box = tp_picture_series(picture, k, &x, &y);
	struct tp_series *ends = tp_picture_series(picture, 2 * k, &ends_x, &ends_y);
	if (!box || !ends)
		return false;
	for (size_t a = 0; a < k; a++) {
		size_t n = take_level(m, f, a, values);
		x[a] = ends_x[2 * a] = ends_x[2 * a + 1] = (double)a;
		y[a] = values[n / 2];
		low[a] = values[n / 4];
		high[a] = values[n - 1 - n / 4];
		ends_y[2 * a] = values[0];
		ends_y[2 * a + 1] = values[n - 1];
	}
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
	const struct tp_scale ys = { .label = axis_of(picture, m->target, m->target_unit) };
	make_scene(picture, tp_picture_text(picture, "%s by %s", m->target, f->name), &xs, &ys);
	picture->scene.x_names = level_names(picture, f);
	return true;
}

/* --- dots --- */

static enum tp_scale_kind scale_of(const double *values, size_t n)
{
	double low, high;
	tp_range_of(values, n, &low, &high);
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
		s->label =
			parts ? short_name(picture, m->labels_of[part].name, 2 * NAME_BYTES) : NULL;
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
				     .unit = tp_scale_unit_of(f->values, m->n_rows),
				     .label = axis_of(picture, f->name, f->unit) };
	const struct tp_scale ys = { .kind = scale_of(values, m->n_rows),
				     .label = axis_of(picture, name, unit) };
	make_scene(picture, tp_picture_text(picture, "%s over %s", name, f->name), &xs, &ys);
	return true;
}

static bool mine_picture_relation(struct tp_picture *picture, const struct tp_mining *m)
{
	size_t order[2], n = rank_features(m, order, 2);
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

/* --- all of them --- */

typedef bool draws(struct tp_picture *picture, const struct tp_mining *m);

static void hang_one(const struct tp_mining *m, const struct tp_gallery *gallery, draws *draw)
{
	struct tp_picture *picture = tp_picture_new();
	tp_gallery_hang(gallery, picture, draw(picture, m));
}

void tp_mine_pictures(const void *mining, const struct tp_gallery *gallery)
{
	hang_one(mining, gallery, tp_mine_picture_density);
	hang_one(mining, gallery, mine_picture_relation);
	hang_one(mining, gallery, mine_picture_heat);
	/* Bars stand in the text as well. */
	if (!gallery->tables_too)
		hang_one(mining, gallery, draw_importance);
}
