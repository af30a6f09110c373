/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches as pictures: the classic roofline of the winners, and the configurations by what they
 * reached.
 */
#include "experiments/autotune/pictures.h"
#include "experiments/autotune/searches.h"
#include "report/facts.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "base/memory.h"
#include "record/point.h"
#include "experiments/autotune/row.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Space around the ridges, as factors. */
#define BESIDE_RIDGES 8.0

enum { THREADS_MAX = 8, TRIAD_BYTES = 24 /* of three arrays */ };

static const char *const level_names[TP_CLASSIC_LEVELS] = { "L1", "L2", "L3", "DRAM" };

bool tp_roof_is_tuned(const struct tp_run *run, const struct tp_roof *roof)
{
	return roof->point < run->n_points && tp_point_is_search(&run->points[roof->point]);
}

/* What was measured has a value, also in a view that leaves its point out (report/view.h). */
static bool has_value(const struct tp_point *p)
{
	return tp_point_is_search(p) && tp_classic_value(p) > 0;
}

static bool is_triad(const struct tp_point *p)
{
	return strncmp(p->kernel, "triad", 5) == 0;
}

/* A GEMM has its own precision; bytes are the same in all. */
static bool belongs(const struct tp_point *p, const char *precision)
{
	return has_value(p) && (is_triad(p) || strcmp(tp_kernel_row(p)->precision, precision) == 0);
}

static void keep_faster(const struct tp_point **best, const struct tp_point *p)
{
	if (tp_classic_value(p) > tp_classic_value(*best))
		*best = p;
}

bool tp_classic_find(const struct tp_run *run, const char *precision, unsigned threads,
		     struct tp_classic *classic)
{
	bool any = false;
	*classic = (struct tp_classic){ .threads = threads };
	TP_EACH_POINT (p, run) {
		if (!belongs(p, precision) || p->threads != threads)
			continue;
		if (!is_triad(p))
			keep_faster(&classic->peak, p);
		for (size_t l = 0; is_triad(p) && l < TP_CLASSIC_LEVELS; l++)
			if (strcmp(tp_kernel_row(p)->level, level_names[l]) == 0)
				keep_faster(&classic->level[l], p);
	}
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++)
		any |= classic->level[l] != NULL;
	return any || classic->peak;
}

size_t tp_classic_threads(const struct tp_run *run, const char *precision, unsigned *threads,
			  size_t max)
{
	size_t n = 0;
	TP_EACH_POINT (p, run) {
		size_t at = 0;
		if (!belongs(p, precision))
			continue;
		while (at < n && threads[at] > p->threads)
			at++;
		if ((at < n && threads[at] == p->threads) || n == max)
			continue;
		memmove(&threads[at + 1], &threads[at], (n - at) * sizeof(*threads));
		threads[at] = p->threads;
		n++;
	}
	return n;
}

/* Thread counts that have a peak and a bandwidth. */
static size_t find_whole(const struct tp_run *run, const char *precision,
			 struct tp_classic all[THREADS_MAX])
{
	unsigned threads[THREADS_MAX];
	size_t n = tp_classic_threads(run, precision, threads, THREADS_MAX), whole = 0;
	for (size_t i = 0; i < n; i++) {
		struct tp_classic *c = &all[whole];
		bool memory = false;
		tp_classic_find(run, precision, threads[i], c);
		for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++)
			memory |= c->level[l] != NULL;
		whole += memory && c->peak;
	}
	return whole;
}

bool tp_classic_is_whole(const struct tp_run *run, const char *precision)
{
	struct tp_classic all[THREADS_MAX];
	return find_whole(run, precision, all) > 0;
}

bool tp_classic_is_beside(const struct tp_run *run, const char *precision)
{
	unsigned threads[THREADS_MAX], most = 0;
	size_t n = tp_classic_threads(run, precision, threads, THREADS_MAX);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (!tp_roof_is_tuned(run, r) && strcmp(r->precision, precision) == 0)
			most = TP_MAX(most, r->threads);
	}
	for (size_t i = 0; i < n; i++)
		if (threads[i] == most)
			return true;
	return false;
}

/* --- the classic roofline --- */

static struct tp_series *dashed_line(struct tp_picture *picture, size_t n, const char *label,
				     enum tp_plot_role role, double **x, double **y)
{
	struct tp_series *s = tp_picture_series(picture, n, x, y);
	if (!s)
		return NULL;
	s->label = label;
	s->style = TP_STYLE_DASHED;
	s->role = role;
	return s;
}

/*
 * One line from the memory roof over the ridge along the peak; without one of them only the other.
 */
static void add_line(struct tp_picture *picture, double gbps, double gflops, double low,
		     double high, const char *label, enum tp_plot_role role)
{
	double *x, *y, ridge = gbps > 0 && gflops > 0 ? gflops / gbps : 0;
	bool bent = ridge > low && ridge < high;
	size_t n = bent ? 3 : 2;
	if (!dashed_line(picture, n, label, role, &x, &y))
		return;
	x[0] = low;
	x[1] = bent ? ridge : high;
	x[n - 1] = high;
	for (size_t i = 0; i < n; i++)
		y[i] = gbps > 0 && gflops > 0 ? fmin(gbps * x[i], gflops)
		       : gbps > 0	      ? gbps * x[i]
					      : gflops;
}

void tp_picture_add_classic(struct tp_picture *picture, const struct tp_classic *classic,
			    double ai_low, double ai_high, bool named)
{
	double peak = tp_classic_value(classic->peak), top = 0;
	char team[40] = "", count[32];
	if (named)
		snprintf(team, sizeof(team), ", %s",
			 tp_text_count(count, sizeof(count), classic->threads, "thread"));
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
		double gbps = tp_classic_value(classic->level[l]);
		if (!(gbps > 0))
			continue;
		top = fmax(top, gbps);
		add_line(picture, gbps, peak, ai_low, ai_high,
			 tp_picture_text(picture, "TRIAD %s %.4g GB/s%s", level_names[l], gbps,
					 team),
			 (enum tp_plot_role)l);
		if (peak > 0 && peak / gbps > ai_low && peak / gbps < ai_high)
			tp_picture_mark(picture, peak / gbps, peak, true,
					tp_picture_text(picture, "%.2g", peak / gbps));
	}
	if (peak > 0) {
		double from = top > 0 ? fmax(peak / top, ai_low) : ai_low;
		add_line(picture, 0, peak, from, ai_high,
			 tp_picture_text(picture, "%.*s %.4g GFLOP/s%s",
					 (int)strcspn(classic->peak->kernel, "/"),
					 classic->peak->kernel, peak, team),
			 TP_ROLE_SERIES_5);
	}
}

/* From below the lowest to above the highest ridge. */
static void choose_range(const struct tp_classic *classic, double *low, double *high)
{
	double peak = tp_classic_value(classic->peak);
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
		double gbps = tp_classic_value(classic->level[l]);
		if (!(gbps > 0) || !(peak > 0))
			continue;
		*low = fmin(*low, peak / gbps / BESIDE_RIDGES);
		*high = fmax(*high, peak / gbps * BESIDE_RIDGES);
	}
}

bool tp_picture_classic(struct tp_picture *picture, const struct tp_run *run, const char *precision)
{
	struct tp_classic all[THREADS_MAX];
	size_t n = find_whole(run, precision, all);
	double low = picture->ai_low > 0 ? picture->ai_low : INFINITY, high = picture->ai_high;
	char count[32];
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++)
		choose_range(&all[i], &low, &high);
	if (!isfinite(low) || !(high > low)) {
		low = 1.0 / 64;
		high = 64;
	}
	for (size_t i = 0; i < n; i++)
		tp_picture_add_classic(picture, &all[i], low, high, n > 1);
	picture->scene.title = tp_picture_text(
		picture, "Classic roofline of the fastest found, %s%s%s", precision,
		n == 1 ? ", " : "",
		n == 1 ? tp_text_count(count, sizeof(count), all[0].threads, "thread") : "");
	tp_picture_finish(
		picture,
		(struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, low, high, "FLOP per byte" },
		(struct tp_scale){ TP_SCALE_LOG10, .label = "GFLOP/s" });
	return picture->n_series > 0;
}

/* --- configurations --- */

static const char **sizes_of(struct tp_picture *picture, const uint64_t *sizes, size_t n, bool fall)
{
	const char **names = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*names));
	char size[16];
	for (size_t i = 0; i < n; i++)
		names[i] = tp_picture_text(
			picture, "%s",
			tp_heat_size(sizes[fall ? n - 1 - i : i], size, sizeof(size)));
	return names;
}

/* Values on the tiles are percents of the best. */
static bool add_tiles(struct tp_picture *picture, const struct tp_searched *search,
		      const struct tp_heat *heat)
{
	size_t cells = heat->n_rows * heat->n_columns, n = 0;
	struct tp_chart_tile *tiles = tp_arena_alloc(&picture->arena, cells * sizeof(*tiles));
	const struct tp_names columns = { sizes_of(picture, heat->columns, heat->n_columns, false),
					  heat->n_columns },
			      rows = { sizes_of(picture, heat->rows, heat->n_rows, true),
				       heat->n_rows };
	for (size_t i = 0; i < cells; i++) {
		size_t row = i / heat->n_columns, column = i % heat->n_columns;
		if (tp_heat_state_of(search, heat, row, column) != TP_HEAT_NONE)
			tiles[n++] = (struct tp_chart_tile){
				.column = column,
				.row = heat->n_rows - 1 - row,
				.tile = tp_heat_tile(search, heat, row, column),
				.part = &tp_trial_part,
				.result = &search->trials[heat->cells[i]],
			};
	}
	return tp_picture_heat(picture, &columns, &rows, tiles, n);
}

static bool picture_map(struct tp_picture *picture, const struct tp_searched *search,
			const struct tp_heat_view *view)
{
	TP_CLEANUP(tp_heat_release) struct tp_heat heat = { 0 };
	tp_heat_make(&heat, search, view);
	if (heat.x < 0 || !(heat.best > 0) || !add_tiles(picture, search, &heat))
		return false;
	const char *technique = tp_search_row(search->point)->technique;
	char y = tp_heat_letter(heat.y), z = tp_heat_letter(heat.z);
	const char *label = tp_picture_text(picture, "%c", y);
	if (heat.z >= 0 && heat.slice)
		label = tp_picture_text(picture, "%c (%c = %llu)", y, z,
					(unsigned long long)heat.slices[heat.slice - 1]);
	else if (heat.z >= 0)
		label = tp_picture_text(picture, "%c (best over %c)", y, z);
	picture->scene.title =
		tp_picture_text(picture, "%s %s%s%s: percent of the best", search->routine,
				search->where, *technique ? ", " : "", technique);
	picture->scene.x.label = tp_picture_text(picture, "%c", tp_heat_letter(heat.x));
	picture->scene.y.label = label;
	return picture->n_series > 0;
}

/* The sizes of one search as a curve with its intervals; returns the dimension, -1 = not drawn. */
static int add_curve(struct tp_picture *picture, const struct tp_run *run,
		     const struct tp_searched *search, size_t number)
{
	static const char glyphs[] = "ox+*sd";
	TP_CLEANUP(tp_heat_release) struct tp_heat heat = { 0 };
	double *x, *y;
	tp_heat_make(&heat, search, &(struct tp_heat_view){ 0 });
	if (!heat.n_rows || heat.x >= 0)
		return -1;
	struct tp_series *s = tp_picture_series(picture, heat.n_rows, &x, &y);
	const void **trials = tp_arena_alloc(&picture->arena, (heat.n_rows + 1) * sizeof(*trials));
	double *low = tp_arena_alloc(&picture->arena, (heat.n_rows + 1) * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, (heat.n_rows + 1) * sizeof(*high));
	TP_FREE int *levels = tp_alloc(heat.n_rows, sizeof(*levels));
	const unsigned threads = search->point->threads;
	if (!s)
		return -1;
	for (size_t i = 0; i < heat.n_rows; i++) {
		size_t row = heat.n_rows - 1 - i;
		const struct tp_trial *t = &search->trials[heat.cells[row]];
		bool has = !isnan(tp_heat_share(search, &heat, row, 0));
		trials[i] = t;
		x[i] = (double)heat.rows[row];
		y[i] = has ? t->value : NAN;
		levels[i] = tp_fact_level(run, TRIAD_BYTES * x[i] / threads, threads);
		low[i] = has && t->ci_low > 0 ? t->ci_low : y[i];
		high[i] = has && t->ci_high > 0 ? t->ci_high : y[i];
	}
	/* A product is blocked for all caches at once at every size. */
	if (is_triad(search->point))
		tp_picture_part(picture, s, levels, TP_CURVE_NEAR);
	s->label =
		tp_picture_text(picture, "%s %.4g %s", search->where, search->value, search->unit);
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)(TP_ROLE_SERIES_0 + number % (sizeof(glyphs) - 1));
	s->glyph = glyphs[number % (sizeof(glyphs) - 1)];
	s->low = low;
	s->high = high;
	*tp_picture_origin(picture, s) = (struct tp_origin){ .reads = TP_READS_POINTS,
							     .part = &tp_trial_part,
							     .rows = trials };
	return heat.y;
}

/* The same routine on the same threads in another level of memory. */
static bool is_like(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads && strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(tp_search_row(a)->scope, tp_search_row(b)->scope) == 0 &&
	       strcmp(tp_search_row(a)->library, tp_search_row(b)->library) == 0;
}

static bool picture_sizes(struct tp_picture *picture, const struct tp_run *run, unsigned point)
{
	struct tp_searched own, s;
	size_t curves = 0;
	int dimension = -1;
	char count[32];
	if (!tp_searched_of(run, point, &own))
		return false;
	for (size_t i = 0; i < run->n_points && curves < TP_PICTURE_CURVES; i++) {
		if (!tp_searched_of(run, (unsigned)i, &s) || !is_like(own.point, s.point) ||
		    (i != point && !tp_searched_is_shown(run, i)))
			continue;
		int drawn = add_curve(picture, run, &s, curves);
		curves += drawn >= 0;
		dimension = drawn >= 0 ? drawn : dimension;
	}
	picture->scene = (struct tp_scene){
		.title = tp_picture_text(
			picture, "%s over its size, %s", own.routine,
			tp_text_count(count, sizeof(count), own.point->threads, "thread")),
		.x = { TP_SCALE_LOG2, TP_UNIT_WHOLE, 0, 0,
		       tp_picture_text(picture, "%c", tp_heat_letter(dimension)) },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, own.unit },
		.series = picture->series,
		.n_series = picture->n_series,
	};
	return curves > 0;
}

/* The first of the searches that a picture over sizes shows together. */
static unsigned first_like(const struct tp_run *run, unsigned point)
{
	for (unsigned i = 0; i < point; i++)
		if (tp_point_is_search(&run->points[i]) && tp_searched_is_shown(run, i) &&
		    is_like(&run->points[i], &run->points[point]))
			return i;
	return point;
}

unsigned tp_search_drawn_by(const struct tp_run *run, unsigned point)
{
	struct tp_searched s;
	return tp_searched_of(run, point, &s) && !tp_searched_is_map(&s) ? first_like(run, point)
									 : point;
}

bool tp_picture_search(struct tp_picture *picture, const struct tp_run *run, unsigned point,
		       const struct tp_heat_view *view)
{
	struct tp_searched s;
	if (!tp_searched_of(run, point, &s))
		return false;
	return tp_searched_is_map(&s) ? picture_map(picture, &s, view)
				      : picture_sizes(picture, run, point);
}

/* --- all of them --- */

/* The precision of a point counts once, for its first GEMM; without a GEMM it is double. */
static bool is_first_of_precision(const struct tp_run *run, size_t point)
{
	const char *precision = tp_kernel_row(&run->points[point])->precision;
	for (size_t i = 0; i < point; i++)
		if (has_value(&run->points[i]) &&
		    strcmp(tp_kernel_row(&run->points[i])->precision, precision) == 0)
			return false;
	return true;
}

static bool make_picture(struct tp_picture *picture, const struct tp_run *run, size_t point,
			 bool is_classic)
{
	const struct tp_point *p = &run->points[point];
	if (is_classic)
		return has_value(p) && is_first_of_precision(run, point) &&
		       !tp_classic_is_beside(run, tp_kernel_row(p)->precision) &&
		       tp_picture_classic(picture, run, tp_kernel_row(p)->precision);
	return tp_searched_is_shown(run, point) &&
	       tp_search_drawn_by(run, (unsigned)point) == point &&
	       tp_picture_search(picture, run, (unsigned)point, &(struct tp_heat_view){ 0 });
}

void tp_autotune_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	/* Twice for each point: the classic roofline, then its configurations. */
	for (size_t i = 0; i < 2 * run->n_points; i++) {
		if (!tp_point_is_search(&run->points[i / 2]))
			continue;
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture, make_picture(picture, run, i / 2, i % 2 == 0));
	}
}
