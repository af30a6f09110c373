/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of windows as scenes, and what the pages of several experiments have in common. */
#include "experiments/windows/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pairs.h"
#include "base/tally.h"
#include "record/point.h"
#include "report/facts.h"
#include "report/pictures.h"

void tp_counted_add(struct tp_counted *counted, const char *counts)
{
	char name[TP_COUNTED_NAME], value[32];
	while (tp_pairs_next(&counts, name, sizeof(name), value, sizeof(value))) {
		size_t i = 0;
		while (i < counted->n && strcmp(counted->names[i], name) != 0)
			i++;
		if (i == counted->n && i < TP_COUNTED_COLUMNS)
			tp_copy(counted->names[counted->n++], sizeof(name), name);
	}
}

static void counted_cell(struct tp_grid *grid, const void *counts, const void *page)
{
	char value[32];
	(void)page;
	if (tp_pairs_find(counts, tp_grid_next(grid)->head, value, sizeof(value)))
		tp_grid_number(grid, TP_PAINT_PLAIN, strtod(value, NULL), TP_DECIMALS);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
}

void tp_counted_columns(const struct tp_counted *counted, const void *(*counts_of)(const void *row),
			struct tp_grid_column *columns)
{
	for (size_t i = 0; i < counted->n; i++)
		columns[i] = (struct tp_grid_column){ counted->names[i], TP_RIGHT, 1,
						      .of = counts_of, .cell = counted_cell };
}

/* "Latency · DRAM · 2 threads · run 2 of the preset" */
void tp_page_latency_title(struct tp_page *page, const char *name, const char *level,
			   unsigned threads, unsigned run)
{
	TP_STR text = { 0 };
	const char *dot = tp_text_dot(page->look);
	char count[32];
	tp_str_add(&text, name);
	if (*level)
		tp_str_printf(&text, "%s%s", dot, level);
	tp_str_printf(&text, "%s%s", dot, tp_text_count(count, sizeof(count), threads, "thread"));
	tp_page_place(page, run, threads, &text);
	if (page->many_runs)
		tp_str_printf(&text, "%srun %u of the preset", dot, run + 1);
	tp_page_title(page, tp_str_text(&text), NULL);
}

/* A curve that spans more than this factor is read on a logarithmic axis. */
#define LOG_SPREAD 8.0

static const char *curve_title(const char *experiment)
{
	return tp_reporter_find(experiment)->curve_title;
}

static bool in_group(const struct tp_point *p, const struct tp_group *group)
{
	/* Numbers first: each group asks all points of the run. */
	return p->run == group->run && p->threads == group->threads && p->state == TP_POINT_DONE &&
	       strcmp(p->experiment, group->experiment) == 0 &&
	       strcmp(tp_kernel_row(p)->precision, group->precision) == 0 &&
	       tp_kernel_row(p)->working_set_bytes && tp_point_median(p) > 0 &&
	       isfinite(tp_point_median(p));
}

static bool same_curve(const struct tp_point *a, const struct tp_point *b)
{
	return strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(tp_kernel_row(a)->pages_wanted, tp_kernel_row(b)->pages_wanted) == 0;
}

/* The same as a text. */
static void curve_key(const struct tp_point *p, struct tp_str *key)
{
	tp_str_clear(key);
	tp_str_printf(key, "%s\x1f%s\x1f%s", tp_kernel_row(p)->isa, p->kernel,
		      tp_kernel_row(p)->pages_wanted);
}

/*
 * The n-th curve of the group by its first point, and the following ones, at most `most`. Returns
 * their number.
 */
static size_t curves_from(const struct tp_run *run, const struct tp_group *group, size_t n,
			  const struct tp_point **curves, size_t most)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally known = { 0 };
	TP_STR key = { 0 };
	size_t found = 0;
	for (size_t i = 0; i < run->n_points && found < most; i++) {
		const struct tp_point *p = &run->points[i];
		size_t before = known.n;
		if (!in_group(p, group))
			continue;
		curve_key(p, &key);
		tp_tally_add(&known, tp_str_text(&key));
		if (known.n > before && known.n > n)
			curves[found++] = p;
	}
	return found;
}

/* NULL after the last. */
static const struct tp_point *curve_at(const struct tp_run *run, const struct tp_group *group,
				       size_t n)
{
	const struct tp_point *curve;
	return curves_from(run, group, n, &curve, 1) ? curve : NULL;
}

static int by_size(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	return (tp_kernel_row(x)->working_set_bytes > tp_kernel_row(y)->working_set_bytes) -
	       (tp_kernel_row(x)->working_set_bytes < tp_kernel_row(y)->working_set_bytes);
}

/* By reported capacities and, where the curve has plateaus, by measured ones. 0 = unknown. */
static int level_of(const struct tp_run *run, const struct tp_point *p)
{
	uint64_t bytes = tp_kernel_row(p)->working_set_bytes;
	int level = tp_fact_level(run, (double)bytes, p->threads);
	TP_EACH_ROW (tp_plateau, edge, run, plateaus) {
		if (level && edge->capacity_bytes && bytes > edge->capacity_bytes &&
		    tp_plateau_is_of(edge, p))
			level += TP_FACT_LEVELS + 2;
	}
	return level;
}

static void draw_curve(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, const struct tp_point *like, const char *label,
		       size_t number)
{
	const struct tp_point **points = tp_arena_alloc(
		&picture->arena, (run->n_points + 1) * sizeof(const struct tp_point *));
	struct tp_curve curve;
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++)
		if (in_group(&run->points[i], group) && same_curve(&run->points[i], like))
			points[n++] = &run->points[i];
	struct tp_series *s = tp_picture_curve(picture, number, points, n, &curve);
	if (!s)
		return;
	double *low = tp_arena_alloc(&picture->arena, n * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, n * sizeof(*high));
	int *levels = tp_arena_alloc(&picture->arena, n * sizeof(*levels));
	qsort(points, n, sizeof(*points), by_size);
	for (size_t i = 0; i < n; i++) {
		const struct tp_point *p = points[i];
		bool interval = p->ci_high >= p->ci_low && p->ci_low > 0;
		curve.x[i] = (double)tp_kernel_row(p)->working_set_bytes;
		curve.y[i] = tp_point_median(p);
		curve.low[i] = interval ? p->ci_low : curve.y[i];
		curve.high[i] = interval ? p->ci_high : curve.y[i];
		levels[i] = level_of(run, p);
	}
	tp_picture_part(picture, s, levels, TP_CURVE_NEAR);
	s->label = label;
}

/* ", run 2" where another run of the preset has such curves. */
static const char *run_number(struct tp_picture *picture, const struct tp_run *run,
			      const struct tp_group *group)
{
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_group other = *group;
		other.run = run->points[i].run;
		if (other.run != group->run && in_group(&run->points[i], &other))
			return tp_picture_text(picture, ", run %u", group->run + 1);
	}
	return "";
}

/*
 * Differences between the curves of a picture go into the legend, common properties into the title.
 */
static void draw_curves(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from)
{
	const struct tp_point *curves[TP_PICTURE_CURVES];
	bool same_isa = true, same_kernel = true, same_pages = true;
	char count[32];
	size_t n = curves_from(run, group, from, curves, TP_PICTURE_CURVES);
	for (size_t i = 1; i < n; i++) {
		same_isa &=
			strcmp(tp_kernel_row(curves[i])->isa, tp_kernel_row(curves[0])->isa) == 0;
		same_kernel &= strcmp(curves[i]->kernel, curves[0]->kernel) == 0;
		same_pages &= strcmp(tp_kernel_row(curves[i])->pages_wanted,
				     tp_kernel_row(curves[0])->pages_wanted) == 0;
	}
	for (size_t i = 0; i < n; i++) {
		const char *isa = same_isa ? "" : tp_kernel_row(curves[i])->isa;
		const char *kernel = same_kernel ? "" : curves[i]->kernel;
		const char *pages = same_pages ? "" : tp_kernel_row(curves[i])->pages_wanted;
		const char *label =
			n == 1 ? NULL
			       : tp_picture_text(picture, "%s%s%s%s%s%s", isa,
						 *isa && *kernel ? " " : "", kernel,
						 (*isa || *kernel) && *pages ? ", " : "", pages,
						 *pages ? " pages" : "");
		draw_curve(picture, run, group, curves[i], label, picture->n_series);
	}
	if (n)
		picture->scene.title = tp_picture_text(
			picture, "%s, %s%s%s%s%s, %s%s", curve_title(group->experiment),
			same_isa ? tp_kernel_row(curves[0])->isa : "", same_isa ? " " : "",
			group->precision, same_kernel ? ", " : "",
			same_kernel ? curves[0]->kernel : "",
			tp_text_count(count, sizeof(count), group->threads, "thread"),
			run_number(picture, run, group));
}

/* Marks the capacities a thread gets, where they lie within the picture. */
static void mark_caches(struct tp_picture *picture, const struct tp_run *run, unsigned threads,
			double least, double most)
{
	char size[32];
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t bytes = tp_fact_share_bytes(run, level, threads);
		if (bytes && (double)bytes > least && (double)bytes < most)
			tp_picture_mark(picture, (double)bytes, 0, false,
					tp_picture_text(picture, "L%d %s", level,
							tp_text_size(size, sizeof(size), bytes)));
	}
}

struct tp_group tp_plateau_group(const struct tp_run *run, size_t i)
{
	const struct tp_plateau *p = &tp_run_plateaus(run)[i];
	return (struct tp_group){ .run = p->run, .threads = p->threads, .precision = p->precision };
}

void tp_page_plateaus(struct tp_page *page, const struct tp_grouped *table,
		      const struct tp_group *group, struct tp_grid *grid)
{
	tp_page_heads(page, grid);
	for (size_t i = 0; i < tp_run_n_plateaus(page->run); i++)
		if (tp_groups_has(page, table, i, group)) {
			tp_grid_row(grid, &tp_run_plateaus(page->run)[i], page);
			tp_grid_about(grid, &tp_run_plateaus(page->run)[i]);
		}
	tp_grid_write(grid, page->doc);
}

double tp_plateau_half_width(const void *plateau)
{
	const struct tp_plateau *p = plateau;
	return tp_page_half_width(tp_plateau_is_latency(p) ? p->ns : p->gbps, p->ci_low,
				  p->ci_high);
}

void tp_plateau_edge_cell(struct tp_grid *grid, const void *plateau, const void *page)
{
	char edge[40];
	(void)page;
	tp_grid_text(grid, TP_PAINT_STRONG, tp_plateau_edge(edge, sizeof(edge), plateau));
}

const char *tp_plateau_edge(char *out, size_t size, const struct tp_plateau *p)
{
	char low[32], high[32];
	if (!p->capacity_bytes)
		return "-";
	if (p->capacity_low_bytes)
		snprintf(out, size, "%s-%s", tp_text_size(low, sizeof(low), p->capacity_low_bytes),
			 tp_text_size(high, sizeof(high), p->capacity_high_bytes));
	else
		tp_text_size(out, size, p->capacity_bytes);
	return out;
}

/*
 * How much is written to a plateau: nothing; level and value, and the capacities as marks; and
 * these in the name as well, because no cursor reads them where a mark has no room.
 */
enum plateau_words { PLATEAU_BARE, PLATEAU_NAMED, PLATEAU_WITH_EDGE };

static void add_plateaus(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_point *like, enum tp_plot_role role,
			 enum plateau_words words)
{
	char size[40];
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		double *x, *y, value = p->ns > 0 ? p->ns : p->gbps;
		if (!tp_plateau_is_of(p, like) || !(value > 0))
			continue;
		struct tp_series *s = tp_picture_series(picture, 2, &x, &y);
		if (!s)
			break;
		x[0] = (double)p->from_bytes;
		x[1] = (double)p->to_bytes;
		y[0] = y[1] = value;
		s->style = TP_STYLE_DASHED;
		s->role = role;
		bool edge = words == PLATEAU_WITH_EDGE && p->capacity_bytes;
		if (words != PLATEAU_BARE)
			s->label =
				tp_picture_text(picture, "%s %.4g %s%s%s", p->level, value,
						p->ns > 0 ? "ns" : "GB/s", edge ? ", edge at " : "",
						edge ? tp_plateau_edge(size, sizeof(size), p) : "");
		if (words != PLATEAU_BARE && p->capacity_bytes)
			tp_picture_mark(picture, (double)p->capacity_bytes, 0, false,
					tp_picture_text(picture, "~%s",
							tp_plateau_edge(size, sizeof(size), p)));
	}
	tp_picture_finish(picture, picture->scene.x, picture->scene.y);
}

void tp_picture_plateaus(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_point *like)
{
	add_plateaus(picture, run, like, TP_ROLE_MARK, PLATEAU_NAMED);
}

void tp_window_plateaus(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from)
{
	bool alone = from == 0 && !curve_at(run, group, 1);
	for (size_t i = 0; i < TP_PICTURE_CURVES; i++) {
		const struct tp_point *like = curve_at(run, group, from + i);
		if (!like)
			break;
		add_plateaus(picture, run, like, alone ? TP_ROLE_MARK : (enum tp_plot_role)i,
			     alone ? PLATEAU_WITH_EDGE : PLATEAU_BARE);
	}
}

/* Scales, once the series exist; false if there are none. */
static bool finish(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_point *first)
{
	double least_x = INFINITY, most_x = 0, least_y = INFINITY, most_y = 0;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n; k++) {
			least_x = fmin(least_x, picture->series[i].x[k]);
			most_x = fmax(most_x, picture->series[i].x[k]);
			least_y = fmin(least_y, picture->series[i].y[k]);
			most_y = fmax(most_y, picture->series[i].y[k]);
		}
	if (!picture->n_series)
		return false;
	mark_caches(picture, run, first->threads, least_x, most_x);
	bool wide = most_y / least_y > LOG_SPREAD;
	tp_picture_finish(picture,
			  (struct tp_scale){ TP_SCALE_LOG2, TP_UNIT_BYTES, 0, 0,
					     "working set per thread, bytes" },
			  (struct tp_scale){ wide ? TP_SCALE_LOG10 : TP_SCALE_LINEAR, TP_UNIT_PLAIN,
					     0, 0, first->unit });
	return true;
}

bool tp_window_curves(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_group *group, size_t from)
{
	const struct tp_point *first = curve_at(run, group, from);
	if (!first)
		return false;
	draw_curves(picture, run, group, from);
	return finish(picture, run, first);
}

bool tp_window_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	return curve_at(run, group, from) != NULL;
}

/* --- several runs on each other --- */

static struct tp_group group_of(const struct tp_point *p)
{
	return (struct tp_group){ p->run, p->threads, tp_kernel_row(p)->precision, p->experiment };
}

static bool is_same_of_runs(const struct tp_point *a, const struct tp_point *b)
{
	return a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0 &&
	       strcmp(a->experiment, b->experiment) == 0 && same_curve(a, b);
}

/* The first point of that curve in a run; NULL if it has none. */
static const struct tp_point *find_curve(const struct tp_run *run, const struct tp_point *like)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_group group = group_of(&run->points[i]);
		if (is_same_of_runs(&run->points[i], like) && in_group(&run->points[i], &group))
			return &run->points[i];
	}
	return NULL;
}

bool tp_overlay_curve(struct tp_picture *picture, const struct tp_overlay *overlay,
		      const struct tp_point *like)
{
	const struct tp_run *owner = NULL;
	char count[32];
	for (size_t r = 0; r < overlay->n && r < TP_PICTURE_CURVES; r++) {
		const struct tp_point *p = find_curve(overlay->runs[r], like);
		if (!p)
			continue;
		const struct tp_group group = group_of(p);
		size_t before = picture->n_series;
		draw_curve(picture, overlay->runs[r], &group, p,
			   tp_picture_text(picture, "%s", overlay->names[r]), r);
		if (picture->n_series > before)
			picture->origins[before].run = r;
		owner = owner ? owner : overlay->runs[r];
	}
	picture->scene.title = tp_picture_text(
		picture, "%s, %s %s, %s%s%s%s, %s", curve_title(like->experiment),
		tp_kernel_row(like)->isa, tp_kernel_row(like)->precision, like->kernel,
		*tp_kernel_row(like)->pages_wanted ? ", " : "", tp_kernel_row(like)->pages_wanted,
		*tp_kernel_row(like)->pages_wanted ? " pages" : "",
		tp_text_count(count, sizeof(count), like->threads, "thread"));
	return finish(picture, owner, like);
}

void tp_window_overlays(const struct tp_reporter *reporter, const struct tp_overlay *overlay,
			const struct tp_gallery *gallery)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally known = { 0 };
	TP_STR key = { 0 };
	for (size_t r = 0; r < overlay->n; r++)
		TP_EACH_POINT (p, overlay->runs[r]) {
			size_t before = known.n;
			if (strcmp(p->experiment, reporter->experiment) != 0)
				continue;
			curve_key(p, &key);
			tp_str_printf(&key, "\x1f%u\x1f%s", p->threads,
				      tp_kernel_row(p)->precision);
			tp_tally_add(&known, tp_str_text(&key));
			if (known.n == before)
				continue;
			struct tp_picture *picture = tp_picture_new();
			tp_gallery_hang(gallery, picture, tp_overlay_curve(picture, overlay, p));
		}
}
