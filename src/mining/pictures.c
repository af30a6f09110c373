/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Density with categories, the target by what matters most, importance as bars; or the pictures
 * that were asked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "mining/prepare.h"
#include "mining/say.h"
#include "report/pictures.h"

enum { NAME_BYTES = 18 }; /* of a value or a category beside an axis */

/* Means of numbers by the values of two columns. */
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

/* The target as a column; it is of numbers. */
static struct tp_mine_feature target_of(const struct tp_mining *m)
{
	struct tp_mine_feature target = { .name = m->target,
					  .unit = m->target_unit,
					  .values = m->target_values };
	tp_mining_describe(&target, m->n_rows);
	return target;
}

/* Heap. */
static struct means *means_by(size_t n_rows, const struct tp_mine_feature *f,
			      const struct tp_mine_feature *g, const struct tp_mine_feature *of)
{
	struct means *means = tp_alloc(1, sizeof(*means));
	for (size_t row = 0; row < n_rows; row++) {
		size_t a = level_of(f, f->values[row]), b = level_of(g, g->values[row]);
		if (isnan(f->values[row] + g->values[row] + of->values[row]))
			continue;
		means->sum[a][b] += of->values[row];
		means->n[a][b]++;
	}
	means->low = INFINITY;
	means->high = -INFINITY;
	for (size_t a = 0; a < f->n_levels; a++)
		for (size_t b = 0; b < g->n_levels; b++) {
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
		       const struct tp_mine_feature *f, const struct tp_mine_feature *g,
		       const struct tp_mine_feature *of)
{
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, f->n_levels * g->n_levels * sizeof(*tiles));
	TP_FREE struct means *means = means_by(m->n_rows, f, g, of);
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
				.tile = { means->high > means->low
						  ? (mean - means->low) / (means->high - means->low)
						  : 1,
					  ' ', tp_picture_text(picture, "%s", number) },
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
					 axis_of(picture, of->name, of->unit), f->name, g->name),
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
	const struct tp_mine_feature target = target_of(m);
	return n > 1 && m->features[order[1]].n_levels > 1 &&
	       draw_means(picture, m, f, &m->features[order[1]], &target);
}

enum { BARS_MAX = 15, NAMES_MAX = 24 };

/* Builds the scene of a picture that has its series and marks. */
static void make_scene(struct tp_picture *picture, const char *title, const struct tp_scale *x,
		       const struct tp_scale *y)
{
	picture->scene.title = title;
	tp_picture_finish(picture, *x, *y);
}

/* --- parts of the rows, each with its colour --- */

enum { SERIES_MAX = 6, RANGES = 4 };

static const char glyphs[SERIES_MAX + 1] = "ox+*#@";

struct parts {
	const struct tp_mining *m;
	const struct tp_mine_feature *by; /* NULL: the categories of the target */
	struct tp_categories ranges; /* of a column with many values; n = 0: its levels */
	size_t n; /* 0: the rows have no parts */
};

static struct parts parts_of_labels(const struct tp_mining *m)
{
	return (struct parts){ .m = m, .n = m->n_labels };
}

/* The values of the rows of a part that are there; `parts` may be NULL: of all. Heap. */
static double *values_of(const struct tp_mining *m, const struct tp_mine_feature *f,
			 const struct parts *parts, size_t part, size_t *n);

/* The levels of a column, or ranges with equally many rows; `by` NULL or without a name: none. */
static struct parts parts_of_column(const struct tp_mining *m, const struct tp_mine_feature *by)
{
	struct parts parts = { .m = m };
	struct tp_diag diag;
	if (!by || !by->name)
		return parts;
	parts.by = by;
	parts.n = by->n_levels;
	if (by->words || (by->n_levels && by->n_levels <= SERIES_MAX))
		return parts;
	size_t n;
	TP_FREE double *values = values_of(m, by, NULL, 0, &n);
	if (tp_categories_by_quantiles(&parts.ranges, values, n, RANGES, &diag) == TP_OK)
		parts.n = parts.ranges.n;
	return parts;
}

/* SIZE_MAX: of none, as its value is missing. */
static size_t part_of(const struct parts *parts, size_t row)
{
	if (!parts->by)
		return parts->n ? parts->m->labels[row] : 0;
	double value = parts->by->values[row];
	if (isnan(value))
		return SIZE_MAX;
	return parts->ranges.n ? tp_category_of(&parts->ranges, value) : level_of(parts->by, value);
}

static double *values_of(const struct tp_mining *m, const struct tp_mine_feature *f,
			 const struct parts *parts, size_t part, size_t *n)
{
	double *values = tp_alloc(m->n_rows + 1, sizeof(*values));
	*n = 0;
	for (size_t row = 0; row < m->n_rows; row++)
		if (!isnan(f->values[row]) && (!parts || part_of(parts, row) == part))
			values[(*n)++] = f->values[row];
	return values;
}

static size_t drawn_parts(const struct parts *parts)
{
	return TP_MIN(TP_MAX(parts->n, (size_t)1), (size_t)SERIES_MAX);
}

/* NULL where the rows have no parts. */
static const char *part_name(struct tp_picture *picture, const struct parts *parts, size_t i)
{
	const struct tp_mine_feature *f = parts->by;
	char low[32], high[32];
	if (!parts->n)
		return NULL;
	if (!f)
		return short_name(picture, parts->m->labels_of[i].name, 2 * NAME_BYTES);
	if (!parts->ranges.n)
		return tp_picture_text(picture, "%s %s", short_name(picture, f->name, NAME_BYTES),
				       level_name(picture, f, i));
	tp_mine_value(low, sizeof(low), f, i ? parts->ranges.cuts[i - 1] : f->low);
	tp_mine_value(high, sizeof(high), f,
		      i + 1 < parts->ranges.n ? parts->ranges.cuts[i] : f->high);
	return tp_picture_text(picture, "%s from %s to %s",
			       short_name(picture, f->name, NAME_BYTES), low, high);
}

/* Colour, glyph and name of a part. */
static void dress_series(struct tp_picture *picture, struct tp_series *s, const struct parts *parts,
			 size_t i, enum tp_series_style style)
{
	s->label = part_name(picture, parts, i);
	s->style = style;
	s->role = (enum tp_plot_role)(TP_ROLE_SERIES_0 + i);
	s->glyph = glyphs[i];
}

static void leave_parts_out(struct tp_picture *picture, const struct parts *parts)
{
	if (parts->n <= SERIES_MAX)
		return;
	if (parts->by)
		picture->left_out = tp_picture_text(picture, "%zu more values of %s are left out.",
						    parts->n - SERIES_MAX, parts->by->name);
	else
		picture->left_out = tp_picture_text(picture, "%zu more categories are left out.",
						    parts->n - SERIES_MAX);
}

/* --- density --- */

static struct tp_series *add_density(struct tp_picture *picture, const struct tp_density *d)
{
	double *x, *y;
	struct tp_series *s = tp_picture_series(picture, TP_DENSITY_POINTS, &x, &y);
	for (size_t i = 0; s && i < TP_DENSITY_POINTS; i++) {
		x[i] = d->log ? pow(10, d->x[i]) : d->x[i];
		y[i] = d->y[i];
	}
	return s;
}

/* The scene of one density, or of several. */
static void finish_density(struct tp_picture *picture, const struct tp_mine_feature *f, bool log,
			   const char *title)
{
	double low = INFINITY, high = -INFINITY, most = 0;
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		low = TP_MIN(low, s->x[0]);
		high = TP_MAX(high, s->x[s->n - 1]);
		for (size_t k = 0; k < s->n; k++)
			most = TP_MAX(most, s->y[k]);
	}
	const struct tp_scale xs = { .kind = log ? TP_SCALE_LOG10 : TP_SCALE_LINEAR,
				     .min = low,
				     .max = high,
				     .label = axis_of(picture, f->name, f->unit) };
	const struct tp_scale ys = { .min = 0, .max = 1.15 * most, .label = "density" };
	make_scene(picture, title, &xs, &ys);
}

/* Cuts as lines; peaks as marks with the names of their categories, unless these are too many. */
static bool draw_density(struct tp_picture *picture, const struct tp_mine_feature *f,
			 const struct tp_density *d, const struct tp_categories *c,
			 const char *const *names)
{
	struct tp_series *s = add_density(picture, d);
	if (!s)
		return false;
	s->style = TP_STYLE_SOLID;
	s->role = TP_ROLE_SERIES_0;
	s->glyph = '*';
	bool named = 2 * c->n <= TP_PICTURE_MARKS + 1;
	for (unsigned i = 0; i + 1 < c->n; i++)
		tp_picture_mark(picture, c->cuts[i], 0, false, "");
	for (unsigned i = 0; i < c->n && named; i++)
		tp_picture_mark(picture, c->peaks[i], tp_density_at(d, c->peaks[i]), true,
				names[i]);
	finish_density(
		picture, f, d->log,
		c->n ? tp_picture_text(picture, "Density of %s, %u categories", f->name, c->n)
		     : tp_picture_text(picture, "Density of %s", f->name));
	return true;
}

bool tp_mine_picture_density(struct tp_picture *picture, const struct tp_mining *m)
{
	const char *names[TP_CATEGORIES_MAX];
	if (!m->density)
		return false;
	for (unsigned i = 0; i < m->categories.n; i++)
		names[i] = m->labels_of[i].name;
	const struct tp_mine_feature target = target_of(m);
	return draw_density(picture, &target, m->density, &m->categories, names);
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

enum { DOTS_MAX = 2000, LINE_POINTS_MAX = 512, LINE_LEVELS_MIN = 3 };

/* An axis whose ends are so far apart is logarithmic. */
enum { FEW_LOG = 64, MANY_LOG = 100 };

/* The axis of a column: as it was asked for, else as its values say; `plot` may be NULL. */
static struct tp_scale axis_scale(struct tp_picture *picture, const struct tp_mine_plot *plot,
				  bool log_asked, const struct tp_mine_feature *f, double far,
				  enum tp_scale_kind logarithmic)
{
	bool log = plot && plot->log_asked ? log_asked : f->low > 0 && f->high >= far * f->low;
	return (struct tp_scale){ .kind = log ? logarithmic : TP_SCALE_LINEAR,
				  .label = axis_of(picture, f->name, f->unit) };
}

/* --- a line --- */

struct place {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

/* Means of y for each x; of many x, for groups of neighbours. Returns the number of means. */
static size_t mean_places(struct place *places, size_t n)
{
	size_t n_means = 0, n_different = 0;
	qsort(places, n, sizeof(*places), by_x);
	for (size_t i = 0; i < n; i++)
		n_different += !i || places[i].x != places[i - 1].x;
	size_t least = n_different > LINE_POINTS_MAX ? n / LINE_POINTS_MAX + 1 : 1;
	for (size_t i = 0, end; i < n; i = end) {
		struct place sum = { 0, 0 };
		for (end = i; end < n && (end - i < least || places[end].x == places[end - 1].x);
		     end++) {
			sum.x += places[end].x;
			sum.y += places[end].y;
		}
		bool one = places[i].x == places[end - 1].x;
		places[n_means++] = (struct place){ one ? places[i].x : sum.x / (double)(end - i),
						    sum.y / (double)(end - i) };
	}
	return n_means;
}

static bool draw_line(struct tp_picture *picture, const struct tp_mine_feature *f,
		      const struct tp_mine_feature *of, const struct parts *parts,
		      const struct tp_mine_plot *plot)
{
	const struct tp_mining *m = parts->m;
	TP_FREE struct place *places = tp_alloc(m->n_rows + 1, sizeof(*places));
	for (size_t part = 0; part < drawn_parts(parts); part++) {
		double *x, *y;
		size_t n = 0;
		for (size_t row = 0; row < m->n_rows; row++)
			if (!isnan(f->values[row] + of->values[row]) && part_of(parts, row) == part)
				places[n++] = (struct place){ f->values[row], of->values[row] };
		n = mean_places(places, n);
		struct tp_series *s = tp_picture_series(picture, n, &x, &y);
		if (!s)
			return false;
		for (size_t i = 0; i < n; i++) {
			x[i] = places[i].x;
			y[i] = places[i].y;
		}
		if (f->unit && strcmp(f->unit, "B") == 0)
			tp_picture_part(picture, s, NULL, TP_CURVE_NEAR);
		dress_series(picture, s, parts, part, TP_STYLE_LINE_AND_DOTS);
	}
	leave_parts_out(picture, parts);
	struct tp_scale x = axis_scale(picture, plot, plot && plot->log_x, f, FEW_LOG,
				       plot ? TP_SCALE_LOG10 : TP_SCALE_LOG2);
	x.unit = tp_scale_unit_of(f->values, m->n_rows);
	struct tp_scale y = { .label = axis_of(picture, of->name, of->unit) };
	if (plot)
		y = axis_scale(picture, plot, plot->log_y, of, INFINITY, TP_SCALE_LOG10);
	make_scene(picture, tp_picture_text(picture, "Mean of %s over %s", of->name, f->name), &x,
		   &y);
	return true;
}

/* --- boxes --- */

/* Sorts what the rows of a level have into `values`; returns how many there are. */
static size_t take_level(const struct tp_mining *m, const struct tp_mine_feature *f, size_t level,
			 const struct tp_mine_feature *of, double *values)
{
	size_t n = 0;
	for (size_t row = 0; row < m->n_rows; row++)
		if (f->values[row] == f->levels[level] && !isnan(of->values[row]))
			values[n++] = of->values[row];
	tp_sort_doubles(values, n);
	return n;
}

/* Medians with their quartiles; in another series smallest and largest. */
static bool draw_boxes(struct tp_picture *picture, const struct tp_mining *m,
		       const struct tp_mine_feature *f, const struct tp_mine_feature *of,
		       const struct tp_mine_plot *plot)
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
		size_t n = take_level(m, f, a, of, values);
		if (!n) /* it has no place then */
			values[n++] = NAN;
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
	const struct tp_scale ys =
		axis_scale(picture, plot, plot && plot->log_y, of, INFINITY, TP_SCALE_LOG10);
	make_scene(picture, tp_picture_text(picture, "%s by %s", of->name, f->name), &xs, &ys);
	picture->scene.x_names = level_names(picture, f);
	return true;
}

/* --- dots --- */

/* One series for each of the first parts; of many rows, every n-th. */
static bool draw_dots(struct tp_picture *picture, const struct tp_mine_feature *f,
		      const struct tp_mine_feature *of, const struct parts *parts,
		      const struct tp_mine_plot *plot)
{
	const struct tp_mining *m = parts->m;
	size_t every = m->n_rows / DOTS_MAX + 1;
	for (size_t part = 0; part < drawn_parts(parts); part++) {
		double *x, *y;
		struct tp_series *s = tp_picture_series(picture, m->n_rows / every + 1, &x, &y);
		if (!s)
			return false;
		s->n = 0;
		for (size_t row = 0; row < m->n_rows; row += every)
			if (part_of(parts, row) == part &&
			    !isnan(f->values[row] + of->values[row])) {
				x[s->n] = f->values[row];
				y[s->n++] = of->values[row];
			}
		dress_series(picture, s, parts, part, TP_STYLE_DOTS);
	}
	if (every > 1)
		picture->left_out = tp_picture_text(picture, "One of %zu rows is drawn.", every);
	leave_parts_out(picture, parts);
	struct tp_scale x =
		axis_scale(picture, plot, plot && plot->log_x, f, MANY_LOG, TP_SCALE_LOG10);
	x.unit = tp_scale_unit_of(f->values, m->n_rows);
	const struct tp_scale y =
		axis_scale(picture, plot, plot && plot->log_y, of, MANY_LOG, TP_SCALE_LOG10);
	make_scene(picture, tp_picture_text(picture, "%s over %s", of->name, f->name), &x, &y);
	return true;
}

static bool mine_picture_relation(struct tp_picture *picture, const struct tp_mining *m)
{
	size_t order[2], n = rank_features(m, order, 2);
	if (!n || !m->target)
		return false;
	const struct tp_mine_feature *f = &m->features[order[0]];
	const struct tp_mine_feature *g = n > 1 ? &m->features[order[1]] : NULL;
	const struct parts labels = parts_of_labels(m);
	if (!m->target_values)
		return g && !f->words && !g->words && draw_dots(picture, f, g, &labels, NULL);
	const struct tp_mine_feature target = target_of(m);
	if (f->words)
		return f->n_levels && draw_boxes(picture, m, f, &target, NULL);
	if (f->n_levels < LINE_LEVELS_MIN)
		return draw_dots(picture, f, &target, &labels, NULL);
	const struct parts parts =
		parts_of_column(m, g && g->n_levels && g->n_levels <= SERIES_MAX ? g : NULL);
	return draw_line(picture, f, &target, &parts, NULL);
}

/* --- those that were asked for --- */

static bool draw_own_density(struct tp_picture *picture, const struct tp_mining *m,
			     const struct tp_mine_feature *f, enum tp_density_scale scale)
{
	TP_FREE struct tp_density *density = tp_alloc(1, sizeof(*density));
	struct tp_categories categories;
	const char *names[TP_CATEGORIES_MAX];
	struct tp_diag diag;
	char number[32];
	size_t n;
	TP_FREE double *values = values_of(m, f, NULL, 0, &n);
	if (tp_density_make(density, values, n, m->job.bandwidth_rule, 0, scale, &diag) != TP_OK)
		return false;
	tp_mining_cut_valleys(&categories, density, n);
	for (unsigned i = 0; i < categories.n; i++)
		names[i] = tp_picture_text(
			picture, "%s",
			tp_mine_value(number, sizeof(number), f, rounded(categories.peaks[i])));
	return draw_density(picture, f, density, &categories, names);
}

/* A density for each part, all on one scale. */
static bool draw_densities(struct tp_picture *picture, const struct parts *parts,
			   const struct tp_mine_feature *f, enum tp_density_scale scale)
{
	TP_FREE struct tp_density *density = tp_alloc(1, sizeof(*density));
	const struct tp_mining *m = parts->m;
	struct tp_diag diag;
	if (scale == TP_DENSITY_AUTO)
		scale = f->low > 0 && f->high > MANY_LOG * f->low ? TP_DENSITY_LOG
								  : TP_DENSITY_LINEAR;
	for (size_t part = 0; part < drawn_parts(parts); part++) {
		size_t n;
		TP_FREE double *values = values_of(m, f, parts, part, &n);
		if (!n || tp_density_make(density, values, n, m->job.bandwidth_rule, 0, scale,
					  &diag) != TP_OK)
			continue;
		struct tp_series *s = add_density(picture, density);
		if (!s)
			return false;
		dress_series(picture, s, parts, part, TP_STYLE_SOLID);
	}
	leave_parts_out(picture, parts);
	if (!picture->n_series)
		return false;
	finish_density(picture, f, scale == TP_DENSITY_LOG,
		       tp_picture_text(picture, "Density of %s by %s", f->name, parts->by->name));
	return true;
}

/* Rows that the picture has no place for. */
static void leave_rows_out(struct tp_picture *picture, const struct tp_mining *m,
			   const struct tp_mine_plotted *of)
{
	const struct tp_mine_feature *columns[] = { &of->x, &of->y, &of->colour };
	const char *other = picture->left_out ? picture->left_out : "";
	size_t n = 0;
	for (size_t row = 0; row < m->n_rows; row++) {
		bool missing = false;
		for (size_t i = 0; i < TP_COUNT_OF(columns); i++)
			missing |= columns[i]->name && isnan(columns[i]->values[row]);
		n += missing;
	}
	if (n)
		picture->left_out =
			tp_picture_text(picture, "%zu of %zu rows lack one of these values.%s%s", n,
					m->n_rows, *other ? " " : "", other);
}

static bool draw_plot(struct tp_picture *picture, const struct tp_mining *m,
		      const struct tp_mine_plot *plot, const struct tp_mine_plotted *of)
{
	const enum tp_density_scale scale = !plot->log_asked ? TP_DENSITY_AUTO
					    : plot->log_x    ? TP_DENSITY_LOG
							     : TP_DENSITY_LINEAR;
	const struct parts parts =
		plot->colour || plot->kind != TP_MINE_SCATTER
			? parts_of_column(m, plot->kind == TP_MINE_HEAT ? NULL : &of->colour)
			: parts_of_labels(m);
	switch (plot->kind) {
	case TP_MINE_SCATTER:
		return draw_dots(picture, &of->x, &of->y, &parts, plot);
	case TP_MINE_LINE:
		return draw_line(picture, &of->x, &of->y, &parts, plot);
	case TP_MINE_DENSITY:
		if (parts.n)
			return draw_densities(picture, &parts, &of->x, scale);
		/* That of the target has the categories of the tree. */
		return m->density && strcmp(of->x.name, m->target) == 0 && !plot->log_asked
			       ? tp_mine_picture_density(picture, m)
			       : draw_own_density(picture, m, &of->x, scale);
	case TP_MINE_BOX:
		return draw_boxes(picture, m, &of->x, &of->y, plot);
	case TP_MINE_HEAT:
		return draw_means(picture, m, &of->x, &of->y, &of->colour);
	case TP_MINE_PLOT_KINDS:
		break;
	}
	return false;
}

bool tp_mine_picture_plot(struct tp_picture *picture, const struct tp_mining *m, size_t i)
{
	bool drawn = draw_plot(picture, m, &m->job.plots[i], &m->plotted[i]);
	leave_rows_out(picture, m, &m->plotted[i]);
	return drawn;
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
	const struct tp_mining *m = mining;
	for (size_t i = 0; i < m->job.n_plots; i++) {
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture, tp_mine_picture_plot(picture, m, i));
	}
	if (!m->job.n_plots) {
		hang_one(m, gallery, tp_mine_picture_density);
		hang_one(m, gallery, mine_picture_relation);
		hang_one(m, gallery, mine_picture_heat);
	}
	/* Bars stand in the text as well. */
	if (!gallery->tables_too)
		hang_one(mining, gallery, draw_importance);
}
