/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roofline of a finished run as a scene. */
#include "report/autotune.h"
#include "report/overlay.h"
#include "kernels/isa.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room to the left of the lowest and to the right of the highest ridge, as factors. */
#define LEFT_OF_RIDGES	6.0
#define RIGHT_OF_RIDGES 6.0
/* Another ISA is drawn only where it differs by this much from the widest. */
#define DIFFERENT 1.08

enum { LEVELS = 4, PEAKS = 8, OTHERS = 6, WIDE_COLUMNS = 100, TALL_ROWS = 28 };

static const char *const level_names[LEVELS] = { "L1", "L2", "L3", "DRAM" };

/* The roofs of one ISA that are drawn: of several measurements of a level the fastest. */
struct roofs {
	const char *isa;
	const struct tp_roof *level[LEVELS];
	const struct tp_roof *peak[PEAKS]; /* rising */
	size_t n_peaks;
};

struct view {
	const struct tp_run *run;
	unsigned index, threads;
	const char *precision;
	struct roofs main, others[OTHERS];
	size_t n_others;
	double ai_low, ai_high;
	double peak_gflops; /* where roofs end if no peak was measured; 0 = nowhere */
	struct tp_classic classic; /* of the same threads; empty if nothing was searched */
};

static bool usable(const struct view *v, const struct tp_roof *r)
{
	return r->median > 0 && isfinite(r->median) && !tp_roof_is_tuned(v->run, r);
}

static bool belongs(const struct view *v, unsigned run, unsigned threads, const char *precision)
{
	return run == v->index && threads == v->threads && strcmp(precision, v->precision) == 0;
}

/* Place in the table of ISAs, which goes from narrow to wide; those of another architecture are none narrower. */
static size_t width_rank(const char *isa)
{
	for (size_t i = 0; i < tp_isa_count; i++)
		if (strcmp(tp_isa_table[i]->name, isa) == 0)
			return i;
	return tp_isa_count;
}

static void add_peak(struct roofs *roofs, const struct tp_roof *r)
{
	size_t i = roofs->n_peaks;
	for (size_t k = 0; k < i; k++)
		if (strcmp(roofs->peak[k]->fp_op, r->fp_op) == 0)
			return;
	if (i == PEAKS)
		return;
	for (; i > 0 && roofs->peak[i - 1]->median > r->median; i--)
		roofs->peak[i] = roofs->peak[i - 1];
	roofs->peak[i] = r;
	roofs->n_peaks++;
}

static void collect(const struct view *v, const char *isa, struct roofs *roofs)
{
	*roofs = (struct roofs){ .isa = isa };
	for (size_t i = 0; i < v->run->n_roofs; i++) {
		const struct tp_roof *r = &v->run->roofs[i];
		if (!usable(v, r) || !belongs(v, r->run, r->threads, r->precision) ||
		    strcmp(r->isa, isa) != 0)
			continue;
		if (tp_level_is_fp(r->level))
			add_peak(roofs, r);
		for (size_t l = 0; l < LEVELS; l++)
			if (strcmp(r->level, level_names[l]) == 0 &&
			    (!roofs->level[l] || roofs->level[l]->median < r->median))
				roofs->level[l] = r;
	}
}

static double top_peak(const struct roofs *roofs)
{
	return roofs->n_peaks ? roofs->peak[roofs->n_peaks - 1]->median : 0;
}

/* The fastest level; LEVELS if none was measured. */
static size_t top_level(const struct roofs *roofs)
{
	size_t top = LEVELS;
	for (size_t l = 0; l < LEVELS; l++)
		if (roofs->level[l] &&
		    (top == LEVELS || roofs->level[l]->median > roofs->level[top]->median))
			top = l;
	return top;
}

static double top_bandwidth(const struct roofs *roofs)
{
	size_t top = top_level(roofs);
	return top < LEVELS ? roofs->level[top]->median : 0;
}

static bool differs(double a, double b)
{
	return a > 0 && (b <= 0 || a / b > DIFFERENT || b / a > DIFFERENT);
}

/* The most threads; of those the widest ISA; the others from wide to narrow. */
static bool choose(struct view *v)
{
	const char *widest = NULL;
	for (size_t i = 0; i < v->run->n_roofs; i++) {
		const struct tp_roof *r = &v->run->roofs[i];
		if (usable(v, r) && r->run == v->index && strcmp(r->precision, v->precision) == 0)
			v->threads = TP_MAX(v->threads, r->threads);
	}
	for (size_t i = 0; i < v->run->n_roofs; i++) {
		const struct tp_roof *r = &v->run->roofs[i];
		if (!usable(v, r) || !belongs(v, r->run, r->threads, r->precision))
			continue;
		/* A run from another architecture was planned from narrow to wide as well: its last is its widest. */
		if (!widest || width_rank(r->isa) >= width_rank(widest))
			widest = r->isa;
	}
	if (!widest)
		return false;
	collect(v, widest, &v->main);
	for (size_t i = v->run->n_roofs; i-- > 0;) {
		const struct tp_roof *r = &v->run->roofs[i];
		bool known = strcmp(r->isa, widest) == 0;
		for (size_t k = 0; k < v->n_others; k++)
			known |= strcmp(v->others[k].isa, r->isa) == 0;
		if (known || v->n_others == OTHERS || !usable(v, r) ||
		    !belongs(v, r->run, r->threads, r->precision))
			continue;
		collect(v, r->isa, &v->others[v->n_others++]);
	}
	return true;
}

static void widen(struct view *v, double ai, double left, double right)
{
	if (!(ai > 0) || !isfinite(ai))
		return;
	v->ai_low = v->ai_low > 0 ? fmin(v->ai_low, ai / left) : ai / left;
	v->ai_high = fmax(v->ai_high, ai * right);
}

/* From below the lowest ridge to above the highest one, and all dots. */
static void choose_range(struct view *v, const struct tp_picture *picture)
{
	v->peak_gflops = v->main.n_peaks ? 0 : picture->peak_gflops;
	widen(v, picture->ai_low, 1, 1);
	widen(v, picture->ai_high, 1, 1);
	for (size_t l = 0; l < LEVELS; l++)
		if (v->main.level[l] && v->peak_gflops > 0)
			widen(v, v->peak_gflops / v->main.level[l]->median, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	for (size_t l = 0; l < LEVELS; l++)
		for (size_t p = 0; v->main.level[l] && p < v->main.n_peaks; p++)
			widen(v, v->main.peak[p]->median / v->main.level[l]->median, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	for (size_t i = 0; i < v->run->n_dots; i++) {
		const struct tp_dot *d = &v->run->dots[i];
		if (belongs(v, d->run, d->threads, d->precision) &&
		    strcmp(d->isa, v->main.isa) == 0)
			widen(v, d->ai_flop_per_byte, 1.3, 1.3);
	}
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
		double gbps = tp_classic_value(v->classic.level[l]);
		if (gbps > 0)
			widen(v, tp_classic_value(v->classic.peak) / gbps, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	}
	if (!(v->ai_low > 0)) {
		v->ai_low = 1.0 / 64;
		v->ai_high = 64;
	}
}

/* What a drawn line stands for; `series` may be NULL. */
static void note_roof(struct tp_picture *picture, const struct tp_series *series,
		      const struct tp_roof *roof, double peak, size_t run)
{
	if (series)
		*tp_picture_origin(picture, series) =
			(struct tp_origin){ .run = run, .roof = roof, .peak_gflops = peak };
}

/* A slope up to `peak` (0: up to the right end), then, with `flat`, along it. NULL when there is no room. */
static struct tp_series *draw_roof(struct tp_picture *picture, const struct view *v, double gbps,
				   double peak, bool flat, const struct tp_series *looks)
{
	double *x, *y, ridge = peak > 0 ? peak / gbps : v->ai_high;
	bool bent = ridge > v->ai_low && ridge < v->ai_high;
	struct tp_series *s = tp_picture_series(picture, flat && bent ? 3 : 2, &x, &y);
	if (!s)
		return NULL;
	size_t n = s->n;
	const double *keep_x = s->x, *keep_y = s->y;
	*s = *looks;
	s->n = n;
	s->x = keep_x;
	s->y = keep_y;
	x[0] = v->ai_low;
	x[1] = bent ? ridge : v->ai_high;
	if (n == 3)
		x[2] = v->ai_high;
	for (size_t i = 0; i < n; i++)
		y[i] = peak > 0 ? fmin(peak, gbps * x[i]) : gbps * x[i];
	return s;
}

static struct tp_series *draw_peak(struct tp_picture *picture, const struct view *v, double peak,
				   const struct tp_series *looks)
{
	double bandwidth = top_bandwidth(&v->main), *x, *y;
	struct tp_series *s = tp_picture_series(picture, 2, &x, &y);
	if (!s)
		return NULL;
	s->label = looks->label;
	s->style = looks->style;
	s->role = looks->role;
	s->glyph = looks->glyph;
	x[0] = bandwidth > 0 ? fmax(v->ai_low, peak / bandwidth) : v->ai_low;
	x[1] = v->ai_high;
	y[0] = y[1] = peak;
	return s;
}

/* First, so that what was measured lies above it. */
static void draw_theory(struct tp_picture *picture, const struct view *v)
{
	const struct tp_series looks = { .label = "theoretical",
					 .style = TP_STYLE_DASHED,
					 .role = TP_ROLE_THEORY };
	double peak = 0, l1 = v->main.level[0] ? tp_roof_theory(v->main.level[0]) : 0;
	for (size_t p = 0; p < v->main.n_peaks; p++)
		peak = fmax(peak, tp_roof_theory(v->main.peak[p]));
	peak = fmax(peak, v->peak_gflops);
	if (l1 > 0)
		draw_roof(picture, v, l1, peak > 0 ? peak : top_peak(&v->main), false, &looks);
	for (size_t p = 0; p < v->main.n_peaks; p++)
		if (tp_roof_theory(v->main.peak[p]) > 0)
			draw_peak(picture, v, tp_roof_theory(v->main.peak[p]), &looks);
	if (v->peak_gflops > 0)
		draw_peak(picture, v, v->peak_gflops, &looks);
}

static void draw_others(struct tp_picture *picture, const struct view *v, size_t most)
{
	for (size_t i = 0; i < v->n_others && most > 0; i++) {
		const struct roofs *o = &v->others[i];
		double gbps = top_bandwidth(o), peak = top_peak(o);
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = TP_ROLE_SERIES_5 };
		if (!differs(gbps, top_bandwidth(&v->main)) && !differs(peak, top_peak(&v->main)))
			continue;
		looks.label = tp_picture_text(
			picture, "%s %s%s%s", o->isa, gbps > 0 ? level_names[top_level(o)] : "",
			gbps > 0 && peak > 0 ? ", " : "", peak > 0 ? "peak" : "");
		if (gbps > 0)
			note_roof(picture, draw_roof(picture, v, gbps, peak, peak > 0, &looks),
				  o->level[top_level(o)], peak, 0);
		else if (peak > 0)
			note_roof(picture, draw_peak(picture, v, peak, &looks),
				  o->peak[o->n_peaks - 1], 0, 0);
		most--;
	}
}

static void draw_main(struct tp_picture *picture, const struct view *v)
{
	double peak = fmax(top_peak(&v->main), v->peak_gflops);
	for (size_t l = 0; l < LEVELS; l++) {
		const struct tp_roof *r = v->main.level[l];
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = (enum tp_plot_role)l };
		if (!r)
			continue;
		looks.label = tp_picture_text(picture, "%s %.4g GB/s", r->level, r->median);
		note_roof(picture, draw_roof(picture, v, r->median, peak, false, &looks), r, peak,
			  0);
		if (v->main.n_peaks && peak / r->median < v->ai_high)
			tp_picture_mark(picture, peak / r->median, peak, true,
					tp_picture_text(picture, "%.2g", peak / r->median));
	}
	for (size_t p = 0; p < v->main.n_peaks; p++) {
		const struct tp_roof *r = v->main.peak[p];
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = TP_ROLE_SERIES_4 };
		looks.label = tp_picture_text(picture, "%s %.4g GFLOP/s", r->fp_op, r->median);
		note_roof(picture, draw_peak(picture, v, r->median, &looks), r, 0, 0);
	}
}

static bool dot_belongs(const struct view *v, const struct tp_dot *d, const char *level)
{
	return (!level || strcmp(d->level, level) == 0) && strcmp(d->isa, v->main.isa) == 0 &&
	       belongs(v, d->run, d->threads, d->precision);
}

static int by_intensity(const void *a, const void *b)
{
	const struct tp_dot *x = *(const struct tp_dot *const *)a;
	const struct tp_dot *y = *(const struct tp_dot *const *)b;
	return (x->ai_flop_per_byte > y->ai_flop_per_byte) -
	       (x->ai_flop_per_byte < y->ai_flop_per_byte);
}

/* The dots of a level (NULL: of all) as a series that looks like `looks`; all FP operations together. */
static void draw_level_dots(struct tp_picture *picture, const struct view *v, const char *level,
			    const struct tp_series *looks, size_t run)
{
	double *x, *y;
	size_t n = 0;
	for (size_t i = 0; i < v->run->n_dots; i++)
		n += dot_belongs(v, &v->run->dots[i], level);
	const struct tp_dot **dots =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_dot *));
	struct tp_series *s = n && dots ? tp_picture_series(picture, n, &x, &y) : NULL;
	if (!s)
		return;
	s->label = looks->label;
	s->style = TP_STYLE_DOTS;
	s->role = looks->role;
	s->glyph = looks->glyph;
	size_t at = 0;
	for (size_t i = 0; i < v->run->n_dots; i++)
		if (dot_belongs(v, &v->run->dots[i], level))
			dots[at++] = &v->run->dots[i];
	qsort(dots, n, sizeof(*dots), by_intensity);
	for (size_t i = 0; i < n; i++) {
		x[i] = dots[i]->ai_flop_per_byte;
		y[i] = dots[i]->gflops;
	}
	*tp_picture_origin(picture, s) = (struct tp_origin){ .run = run, .dots = dots };
}

static void draw_dots(struct tp_picture *picture, const struct view *v)
{
	static const char glyphs[LEVELS] = { 'o', 'x', '+', '*' };
	for (size_t l = 0; l < LEVELS; l++) {
		const struct tp_series looks = { .label = tp_picture_text(picture, "mixed, %s",
									  level_names[l]),
						 .role = (enum tp_plot_role)l,
						 .glyph = glyphs[l] };
		draw_level_dots(picture, v, level_names[l], &looks, 0);
	}
}

/* ", run 2" where the preset has another run with such a picture. */
static const char *run_number(struct tp_picture *picture, const struct view *v)
{
	for (size_t i = 0; i < v->run->n_roofs; i++)
		if (v->run->roofs[i].run != v->index &&
		    !tp_roof_is_tuned(v->run, &v->run->roofs[i]) &&
		    strcmp(v->run->roofs[i].precision, v->precision) == 0)
			return tp_picture_text(picture, ", run %u", v->index + 1);
	return "";
}

bool tp_picture_roofline(struct tp_picture *picture, const struct tp_run *run, unsigned index,
			 const char *precision, size_t columns, size_t rows)
{
	struct view v = { .run = run, .index = index, .precision = precision };
	if (!choose(&v))
		return tp_picture_classic(picture, run, precision);
	tp_classic_find(run, precision, v.threads, &v.classic);
	choose_range(&v, picture);
	draw_theory(picture, &v);
	draw_others(picture, &v, columns >= WIDE_COLUMNS && rows >= TALL_ROWS ? (size_t)OTHERS : 1);
	draw_main(picture, &v);
	draw_dots(picture, &v);
	tp_picture_add_classic(picture, &v.classic, v.ai_low, v.ai_high, false);
	char count[32];
	picture->scene = (struct tp_scene){
		.title = tp_picture_text(picture, "Roofline, %s %s, %s%s", v.main.isa, precision,
					 tp_text_count(count, sizeof(count), v.threads, "thread"),
					 run_number(picture, &v)),
		.x = { TP_SCALE_LOG10, TP_UNIT_PLAIN, v.ai_low, v.ai_high, "FLOP per byte" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "GFLOP/s" },
		.series = picture->series,
		.n_series = picture->n_series,
		.marks = picture->marks,
		.n_marks = picture->n_marks,
	};
	return picture->n_series > 0;
}

/* --- several runs on each other --- */

static const char run_glyphs[TP_REPORT_RUNS_MAX] = { 'o', 'x', '+', '*', '#', '@' };

/* The first run of the preset that has roofs of the precision, as a view. */
static bool choose_any(struct view *v)
{
	for (size_t i = 0; i < v->run->n_roofs; i++) {
		v->index = v->run->roofs[i].run;
		v->threads = 0;
		if (choose(v))
			return true;
	}
	return false;
}

/* All roofs of a run in its colour, its glyph at their ends; levels are told apart by their names. */
static void draw_run(struct tp_picture *picture, const struct view *v, size_t number, size_t peaks)
{
	double top = top_peak(&v->main);
	struct tp_series looks = { .style = TP_STYLE_LINE_AND_DOTS,
				   .role = (enum tp_plot_role)number,
				   .glyph = run_glyphs[number] };
	for (size_t l = 0; l < LEVELS; l++) {
		const struct tp_roof *r = v->main.level[l];
		if (!r)
			continue;
		looks.label = tp_picture_text(picture, "%s %.4g GB/s", r->level, r->median);
		note_roof(picture, draw_roof(picture, v, r->median, top, false, &looks), r, top,
			  number);
	}
	for (size_t p = v->main.n_peaks; p-- > 0 && peaks > 0; peaks--) {
		const struct tp_roof *r = v->main.peak[p];
		looks.label = tp_picture_text(picture, "%s %.4g GFLOP/s", r->fp_op, r->median);
		note_roof(picture, draw_peak(picture, v, r->median, &looks), r, 0, number);
	}
	looks.label = NULL; /* the run's line of the legend holds for them too */
	draw_level_dots(picture, v, NULL, &looks, number);
}

bool tp_overlay_roofline(struct tp_picture *picture, const struct tp_overlay *overlay,
			 const char *precision)
{
	struct view views[TP_REPORT_RUNS_MAX] = { 0 };
	bool has[TP_REPORT_RUNS_MAX] = { false }, any = false;
	size_t n = TP_MIN(overlay->n, (size_t)TP_REPORT_RUNS_MAX);
	double low = INFINITY, high = 0;
	char count[32];
	for (size_t r = 0; r < n; r++) {
		views[r] = (struct view){ .run = overlay->runs[r], .precision = precision };
		has[r] = choose_any(&views[r]);
		if (!has[r])
			continue;
		choose_range(&views[r], picture);
		low = fmin(low, views[r].ai_low);
		high = fmax(high, views[r].ai_high);
		any = true;
	}
	if (!any)
		return false;
	/* Series without points are lines of the legend: which run a colour and a glyph stand for. */
	for (size_t r = 0; r < n; r++) {
		double *x, *y;
		struct tp_series *key = has[r] ? tp_picture_series(picture, 0, &x, &y) : NULL;
		if (!key)
			continue;
		key->label = tp_picture_text(
			picture, "%s: %s, %s", overlay->names[r], views[r].main.isa,
			tp_text_count(count, sizeof(count), views[r].threads, "thread"));
		key->style = TP_STYLE_LINE_AND_DOTS;
		key->role = (enum tp_plot_role)r;
		key->glyph = run_glyphs[r];
	}
	for (size_t r = 0; r < n; r++) {
		views[r].ai_low = low;
		views[r].ai_high = high;
		if (has[r])
			draw_run(picture, &views[r], r, n <= 2 ? PEAKS : n <= 3 ? 4 : 2);
	}
	picture->scene = (struct tp_scene){
		.title = tp_picture_text(picture, "Roofline, %s", precision),
		.x = { TP_SCALE_LOG10, TP_UNIT_PLAIN, low, high, "FLOP per byte" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "GFLOP/s" },
		.series = picture->series,
		.n_series = picture->n_series,
	};
	return true;
}
