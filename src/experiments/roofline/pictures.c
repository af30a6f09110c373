/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roofline of a run, and of several runs, as scenes; the dots of users below its roofs. */
#include "experiments/roofline/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"
#include "record/dot.h"
#include "record/point.h"
#include "record/roof.h"

/* Room to the left of the lowest and to the right of the highest ridge, as a factor. */
#define BESIDE_RIDGES 6.0

/* L1, L2, L3, DRAM */
static const char *const roofs_level[ROOFS_LEVELS] = { "L1", "L2", "L3", "DRAM" };

static bool usable(const struct tp_roofs_shown *v, const struct tp_roof *r)
{
	return r->median > 0 && isfinite(r->median) && !tp_roof_is_tuned(v->run, r);
}

/* True if a result of these is of the run, threads and precision that are shown. */
static bool roofs_belongs(const struct tp_roofs_shown *v, unsigned run, unsigned threads,
			  const char *precision)
{
	return run == v->index && threads == v->threads && strcmp(precision, v->precision) == 0;
}

/* Place in the table of ISAs, from narrow to wide; ISAs of other architectures rank widest. */
static size_t width_rank(const char *isa)
{
	for (size_t i = 0; i < tp_isa_count; i++)
		if (strcmp(tp_isa_table[i]->name, isa) == 0)
			return i;
	return tp_isa_count;
}

static void add_peak(struct tp_roofs *roofs, const struct tp_roof *r)
{
	size_t i = roofs->n_peaks;
	for (size_t k = 0; k < i; k++)
		if (strcmp(roofs->peak[k]->fp_op, r->fp_op) == 0)
			return;
	if (i == ROOFS_PEAKS)
		return;
	for (; i > 0 && roofs->peak[i - 1]->median > r->median; i--)
		roofs->peak[i] = roofs->peak[i - 1];
	roofs->peak[i] = r;
	roofs->n_peaks++;
}

static void collect_roofs(const struct tp_roofs_shown *v, const char *isa, struct tp_roofs *roofs)
{
	*roofs = (struct tp_roofs){ .isa = isa };
	TP_EACH_ROW (tp_roof, r, v->run, roofs) {
		if (!usable(v, r) || !roofs_belongs(v, r->run, r->threads, r->precision) ||
		    strcmp(r->isa, isa) != 0)
			continue;
		if (tp_level_is_fp(r->level))
			add_peak(roofs, r);
		for (size_t l = 0; l < ROOFS_LEVELS; l++)
			if (strcmp(r->level, roofs_level[l]) == 0 &&
			    (!roofs->level[l] || roofs->level[l]->median < r->median))
				roofs->level[l] = r;
	}
}

/* The highest peak in GFLOP/s and the highest bandwidth in GB/s; 0 if none was measured. */
static double roofs_top_peak(const struct tp_roofs *roofs)
{
	return roofs->n_peaks ? roofs->peak[roofs->n_peaks - 1]->median : 0;
}

/* The fastest level; ROOFS_LEVELS if none was measured. */
static size_t roofs_top_level(const struct tp_roofs *roofs)
{
	size_t top = ROOFS_LEVELS;
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		if (roofs->level[l] &&
		    (top == ROOFS_LEVELS || roofs->level[l]->median > roofs->level[top]->median))
			top = l;
	return top;
}

static double roofs_top_bandwidth(const struct tp_roofs *roofs)
{
	size_t top = roofs_top_level(roofs);
	return top < ROOFS_LEVELS ? roofs->level[top]->median : 0;
}

static bool has_dots(const struct tp_roofs_shown *v, unsigned threads)
{
	TP_EACH_ROW (tp_dot, d, v->run, dots) {
		if (d->run == v->index && strcmp(d->precision, v->precision) == 0 &&
		    (!threads || d->threads == threads))
			return true;
	}
	return false;
}

bool tp_roofs_choose(struct tp_roofs_shown *v)
{
	const char *widest = NULL;
	bool any_threads = !v->threads;
	/* Roofs without a dot matter less than those with one. */
	bool with_dots = any_threads && has_dots(v, 0);
	for (size_t i = 0; any_threads && i < tp_run_n_roofs(v->run); i++) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		if (usable(v, r) && r->run == v->index && strcmp(r->precision, v->precision) == 0 &&
		    (!with_dots || has_dots(v, r->threads)))
			v->threads = TP_MAX(v->threads, r->threads);
	}
	TP_EACH_ROW (tp_roof, r, v->run, roofs) {
		if (!usable(v, r) || !roofs_belongs(v, r->run, r->threads, r->precision))
			continue;
		/*
		 * A run from another architecture was planned from narrow to wide as well: its last
		 * is its widest.
		 */
		if (!widest || width_rank(r->isa) >= width_rank(widest))
			widest = r->isa;
	}
	if (!widest)
		return false;
	collect_roofs(v, widest, &v->main);
	for (size_t i = tp_run_n_roofs(v->run); i-- > 0;) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		bool known = strcmp(r->isa, widest) == 0;
		for (size_t k = 0; k < v->n_others; k++)
			known |= strcmp(v->others[k].isa, r->isa) == 0;
		if (known || v->n_others == ROOFS_OTHERS || !usable(v, r) ||
		    !roofs_belongs(v, r->run, r->threads, r->precision))
			continue;
		collect_roofs(v, r->isa, &v->others[v->n_others++]);
	}
	return true;
}

static void widen_range(struct tp_roofs_shown *v, double ai, double room)
{
	if (!(ai > 0) || !isfinite(ai))
		return;
	v->ai_low = v->ai_low > 0 ? fmin(v->ai_low, ai / room) : ai / room;
	v->ai_high = fmax(v->ai_high, ai * room);
}

/* Which dots are drawn: of a level and an FP operation (NULL: of all). */
static bool dot_belongs(const struct tp_roofs_shown *v, const struct tp_dot *d, const char *level,
			const char *fp_op)
{
	return (!level || strcmp(d->level, level) == 0) &&
	       (!fp_op || strcmp(d->fp_op, fp_op) == 0) &&
	       (strcmp(d->isa, v->main.isa) == 0 || strcmp(d->isa, TP_ISA_COMPILED) == 0) &&
	       roofs_belongs(v, d->run, d->threads, d->precision);
}

/* The range of intensities: from below the lowest ridge to above the highest one, and all dots. */
static void roofs_choose_range(struct tp_roofs_shown *v, const struct tp_picture *picture)
{
	v->peak_gflops = v->main.n_peaks ? 0 : picture->peak_gflops;
	widen_range(v, picture->ai_low, 1);
	widen_range(v, picture->ai_high, 1);
	for (size_t l = 0; l < ROOFS_LEVELS; l++) {
		double gbps = v->main.level[l] ? v->main.level[l]->median : 0;
		if (gbps > 0 && v->peak_gflops > 0)
			widen_range(v, v->peak_gflops / gbps, BESIDE_RIDGES);
		for (size_t p = 0; gbps > 0 && p < v->main.n_peaks; p++)
			widen_range(v, v->main.peak[p]->median / gbps, BESIDE_RIDGES);
	}
	TP_EACH_ROW (tp_dot, d, v->run, dots) {
		if (dot_belongs(v, d, NULL, NULL))
			widen_range(v, d->ai_flop_per_byte, 1.3);
	}
	struct tp_own_dot own[TP_OWN_DOTS_MAX];
	size_t n_own = tp_run_own_dots(v->run, own);
	for (size_t i = 0; i < n_own; i++)
		widen_range(v, own[i].ai_flop_per_byte, 1.5);
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
		double gbps = tp_classic_value(v->classic.level[l]);
		if (gbps > 0)
			widen_range(v, tp_classic_value(v->classic.peak) / gbps, BESIDE_RIDGES);
	}
	if (!(v->ai_low > 0)) {
		v->ai_low = 1.0 / 64;
		v->ai_high = 64;
	}
}

/* A dot this near to a roof is on it: intervals and the clock differ by more between runs. */
#define ON_ROOF 0.02

struct place {
	const char *under, *above; /* names of roofs, or NULL */
	double gflops; /* of the roof above it, at its intensity; of the highest one if it is above
			  all */
	bool computes; /* the roof is a peak there */
};

/* The lowest roof that allows the dot, and the highest that does not. */
static struct place place_of(const struct tp_roofs_shown *v, const struct tp_own_dot *dot)
{
	double peak = roofs_top_peak(&v->main), below = 0, top = 0;
	struct place place = { .gflops = INFINITY };
	for (size_t l = 0; l < ROOFS_LEVELS; l++) {
		const struct tp_roof *r = v->main.level[l];
		if (!r)
			continue;
		double slope = r->median * dot->ai_flop_per_byte;
		double roof = peak > 0 ? fmin(peak, slope) : slope;
		bool allows = dot->gflops <= roof * (1 + ON_ROOF);
		top = fmax(top, roof);
		if (allows && roof < place.gflops)
			place = (struct place){ r->level, place.above, roof,
						peak > 0 && slope >= peak };
		if (!allows && roof > below) {
			below = roof;
			place.above = r->level;
		}
	}
	if (!roofs_top_bandwidth(&v->main) && peak > 0) {
		place.gflops = top = peak;
		place.computes = true;
		place.under = dot->gflops <= peak * (1 + ON_ROOF) ? "FP" : NULL;
		place.above = place.under ? NULL : "FP";
	}
	if (!place.under)
		place.gflops = top;
	return place;
}

void tp_roofs_place(const struct tp_roofs_shown *v, const struct tp_own_dot *dot,
		    struct tp_str *out)
{
	const struct place p = place_of(v, dot);
	double share = p.gflops > 0 ? 100 * dot->gflops / p.gflops : NAN;
	if (!p.under && !p.above) {
		tp_str_add(out, "no roof was measured to compare it with");
		return;
	}
	if (!p.under) {
		tp_str_printf(out,
			      "above every measured roof (%.4g GFLOP/s there), at %.0f %% of the "
			      "highest: check its FLOP/byte and its GFLOP/s",
			      p.gflops, share);
		return;
	}
	if (p.computes)
		tp_str_printf(out, "under the peak (%.4g GFLOP/s), at %.3g %% of it: compute-bound",
			      p.gflops, share);
	else
		tp_str_printf(out, "under the %s roof (%.4g GFLOP/s there), at %.3g %% of it",
			      p.under, p.gflops, share);
	if (p.above && !p.computes)
		tp_str_printf(out, "; above that of %s, so part of its data comes from caches",
			      p.above);
}

/* The label of a dot, with what is left to its roof. */
static struct tp_drop drop_of(struct tp_picture *picture, const char *name, double gflops,
			      double roof, const char *roof_name)
{
	TP_STR factor = { 0 };
	if (!(roof > 0) || !(gflops > 0))
		return (struct tp_drop){ 0, tp_picture_text(picture, "%s", name) };
	tp_picture_factor(gflops, roof, roof_name, &factor);
	return (struct tp_drop){ roof, tp_picture_text(picture, "%s%s%s", name, *name ? ", " : "",
						       tp_str_text(&factor)) };
}

/* The own dots of the run as series, each with its name. */
static void roofs_draw_own(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	struct tp_own_dot dots[TP_OWN_DOTS_MAX];
	size_t n = tp_run_own_dots(v->run, dots);
	for (size_t i = 0; i < n; i++) {
		double *x, *y;
		TP_STR words = { 0 };
		struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
		if (!s)
			return;
		tp_roofs_place(v, &dots[i], &words);
		x[0] = dots[i].ai_flop_per_byte;
		y[0] = dots[i].gflops;
		s->label = tp_picture_text(picture, "%s", dots[i].name);
		s->style = TP_STYLE_DOTS;
		s->role = TP_ROLE_MARK;
		/* The first six also have distinct shapes in SVG. */
		s->glyph = "@#*x+o789abcdefg"[i];
		const struct place place = place_of(v, &dots[i]);
		struct tp_drop *drop = tp_arena_alloc(&picture->arena, sizeof(*drop));
		const char *roof = place.computes || !place.under ? "the peak" : place.under;
		*drop = drop_of(picture, dots[i].name, dots[i].gflops,
				place.under ? place.gflops : 0, roof);
		*tp_picture_origin(picture, s) = (struct tp_origin){
			.reads = TP_READS_POINTS,
			.words = tp_picture_text(picture, "%s", tp_str_text(&words)),
			.drops = drop,
		};
	}
}

/* Another ISA is drawn only where it differs by this much from the widest. */
#define DIFFERENT 1.08

enum { WIDE_COLUMNS = 100, TALL_ROWS = 28 };

static bool differs(double a, double b)
{
	return a > 0 && (b <= 0 || a / b > DIFFERENT || b / a > DIFFERENT);
}

/* What a drawn line stands for; `series` may be NULL. */
static void note_roof(struct tp_picture *picture, const struct tp_series *series,
		      const struct tp_roof *roof, double peak, size_t run)
{
	bool fp = tp_level_is_fp(roof->level);
	if (series)
		*tp_picture_origin(picture, series) = (struct tp_origin){
			.reads = TP_READS_LINE,
			.slope = fp ? INFINITY : roof->median,
			.limit = fp	    ? roof->median
				 : peak > 0 ? peak
					    : INFINITY,
			.run = run,
			.roof = roof,
			.peak_gflops = peak,
		};
}

/*
 * A slope up to `peak` (0: up to the right end), then, with `flat`, along it. NULL when there is no
 * room.
 */
static struct tp_series *draw_roof(struct tp_picture *picture, const struct tp_roofs_shown *v,
				   double gbps, double peak, bool flat,
				   const struct tp_series *looks)
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

static struct tp_series *draw_peak(struct tp_picture *picture, const struct tp_roofs_shown *v,
				   double peak, const struct tp_series *looks)
{
	double bandwidth = roofs_top_bandwidth(&v->main), *x, *y;
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
static void draw_theory(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	const struct tp_series looks = { .label = "theoretical",
					 .style = TP_STYLE_DASHED,
					 .role = TP_ROLE_THEORY };
	double peak = 0, l1 = v->main.level[0] ? tp_roof_theory(v->main.level[0]) : 0;
	for (size_t p = 0; p < v->main.n_peaks; p++)
		peak = fmax(peak, tp_roof_theory(v->main.peak[p]));
	peak = fmax(peak, v->peak_gflops);
	if (l1 > 0)
		draw_roof(picture, v, l1, peak > 0 ? peak : roofs_top_peak(&v->main), false,
			  &looks);
	for (size_t p = 0; p < v->main.n_peaks; p++)
		if (tp_roof_theory(v->main.peak[p]) > 0)
			draw_peak(picture, v, tp_roof_theory(v->main.peak[p]), &looks);
	if (v->peak_gflops > 0)
		draw_peak(picture, v, v->peak_gflops, &looks);
}

static void draw_others(struct tp_picture *picture, const struct tp_roofs_shown *v, size_t most)
{
	for (size_t i = 0; i < v->n_others && most > 0; i++) {
		const struct tp_roofs *o = &v->others[i];
		double gbps = roofs_top_bandwidth(o), peak = roofs_top_peak(o);
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = TP_ROLE_SERIES_5 };
		if (!differs(gbps, roofs_top_bandwidth(&v->main)) &&
		    !differs(peak, roofs_top_peak(&v->main)))
			continue;
		looks.label =
			tp_picture_text(picture, "%s %s%s%s", o->isa,
					gbps > 0 ? roofs_level[roofs_top_level(o)] : "",
					gbps > 0 && peak > 0 ? ", " : "", peak > 0 ? "peak" : "");
		if (gbps > 0)
			note_roof(picture, draw_roof(picture, v, gbps, peak, peak > 0, &looks),
				  o->level[roofs_top_level(o)], peak, 0);
		else if (peak > 0)
			note_roof(picture, draw_peak(picture, v, peak, &looks),
				  o->peak[o->n_peaks - 1], 0, 0);
		most--;
	}
}

/* Of many nodes most lie between these; a band narrower than this would be one with its roof. */
#define BAND_FROM 0.02

static void draw_edge(struct tp_picture *picture, const struct tp_roofs_shown *v,
		      const struct tp_roof *roof, double value, double peak)
{
	const struct tp_series looks = { .label = "90 % of the nodes",
					 .style = TP_STYLE_DASHED,
					 .role = TP_ROLE_SERIES_5 };
	if (!(value > 0) || fabs(value / roof->median - 1) < BAND_FROM)
		return;
	if (tp_roof_is_peak(roof))
		draw_peak(picture, v, value, &looks);
	else
		draw_roof(picture, v, value, peak, false, &looks);
}

static void draw_bands(struct tp_picture *picture, const struct tp_roofs_shown *v, double peak)
{
	if (!tp_run_fact(v->run, TP_MERGED_NODES))
		return;
	for (size_t i = 0; i < ROOFS_LEVELS + v->main.n_peaks; i++) {
		const struct tp_roof *r =
			i < ROOFS_LEVELS ? v->main.level[i] : v->main.peak[i - ROOFS_LEVELS];
		if (!r)
			continue;
		draw_edge(picture, v, r, r->ci_low, peak);
		draw_edge(picture, v, r, r->ci_high, peak);
	}
}

/* The roof of each level, as `like`; NULL: solid, in the colour of the level. */
static void draw_levels(struct tp_picture *picture, const struct tp_roofs_shown *v, double peak,
			const struct tp_series *like, size_t run)
{
	for (size_t l = 0; l < ROOFS_LEVELS; l++) {
		const struct tp_roof *r = v->main.level[l];
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = (enum tp_plot_role)l };
		if (!r)
			continue;
		looks = like ? *like : looks;
		looks.label = tp_picture_text(picture, "%s %.4g GB/s", r->level, r->median);
		note_roof(picture, draw_roof(picture, v, r->median, peak, false, &looks), r, peak,
			  run);
		/* The ridge point. */
		if (v->main.n_peaks && peak / r->median < v->ai_high)
			tp_picture_mark(picture, peak / r->median, peak, true,
					tp_picture_text(picture, "%.2g", peak / r->median));
	}
}

static void draw_main(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	double peak = fmax(roofs_top_peak(&v->main), v->peak_gflops);
	draw_bands(picture, v, peak);
	draw_levels(picture, v, peak, NULL, 0);
	for (size_t p = 0; p < v->main.n_peaks; p++) {
		const struct tp_roof *r = v->main.peak[p];
		struct tp_series looks = { .style = TP_STYLE_SOLID, .role = TP_ROLE_SERIES_4 };
		looks.label = tp_picture_text(picture, "%s %.4g GFLOP/s", r->fp_op, r->median);
		note_roof(picture, draw_peak(picture, v, r->median, &looks), r, 0, 0);
	}
}

static int by_intensity(const void *a, const void *b)
{
	const struct tp_dot *x = *(const struct tp_dot *const *)a;
	const struct tp_dot *y = *(const struct tp_dot *const *)b;
	return (x->ai_flop_per_byte > y->ai_flop_per_byte) -
	       (x->ai_flop_per_byte < y->ai_flop_per_byte);
}

/* The dots of a level and an FP operation (NULL: of all) as a series that looks like `looks`. */
static void draw_level_dots(struct tp_picture *picture, const struct tp_roofs_shown *v,
			    const char *level, const char *fp_op, const struct tp_series *looks,
			    size_t run)
{
	double *x, *y;
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_dots(v->run); i++)
		n += dot_belongs(v, &tp_run_dots(v->run)[i], level, fp_op);
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
	for (size_t i = 0; i < tp_run_n_dots(v->run); i++)
		if (dot_belongs(v, &tp_run_dots(v->run)[i], level, fp_op))
			dots[at++] = &tp_run_dots(v->run)[i];
	qsort(dots, n, sizeof(*dots), by_intensity);
	struct tp_drop *drops = tp_arena_alloc(&picture->arena, n * sizeof(*drops));
	const double peak = roofs_top_peak(&v->main);
	for (size_t i = 0; i < n; i++) {
		const struct tp_dot *d = dots[i];
		/* Roofs of pictures and of dots may be of different teams or ISAs. */
		const bool computes = peak > 0 && fabs(d->roof_gflops / peak - 1) < ON_ROOF;
		x[i] = d->ai_flop_per_byte;
		y[i] = d->gflops;
		drops[i] = drop_of(picture, tp_dot_is_mixed(v->run, d) ? "" : d->fp_op, d->gflops,
				   d->limit[0] ? d->limit_gflops : d->roof_gflops,
				   d->limit[0] ? d->limit
				   : computes  ? "the peak"
					       : d->level);
	}
	*tp_picture_origin(picture, s) = (struct tp_origin){ .reads = TP_READS_POINTS,
							     .run = run,
							     .part = &tp_dot_part,
							     .rows = (const void *const *)dots,
							     .drops = drops };
}

/* FP operations of mixed kernels, and the words of other experiments. */
enum { DOT_OPS = 10 };

/* The FP operations of the dots that are drawn, in the order of the run. */
static size_t dot_ops(const struct tp_roofs_shown *v, const char *ops[DOT_OPS])
{
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_dots(v->run) && n < DOT_OPS; i++) {
		const struct tp_dot *d = &tp_run_dots(v->run)[i];
		bool known = !dot_belongs(v, d, NULL, NULL);
		for (size_t k = 0; k < n && !known; k++)
			known = strcmp(ops[k], d->fp_op) == 0;
		if (!known)
			ops[n++] = d->fp_op;
	}
	return n;
}

/* Levels have colours. Operations and levels together have a glyph, so that each is distinct. */
static void draw_dots(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	static const char glyphs[DOT_OPS][ROOFS_LEVELS + 1] = { "ox+*", "#@^v", "abcd", "ijkl",
								"efgh", "ABCD", "EFGH", "mnpq",
								"rstu", "MNPQ" };
	const char *ops[DOT_OPS];
	size_t n_ops = dot_ops(v, ops);
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		for (size_t op = 0; op < n_ops; op++) {
			const struct tp_series looks = {
				.label = tp_fp_op_find(ops[op]) == TP_FP_NONE
						 ? tp_picture_text(picture, "%s, %s", ops[op],
								   roofs_level[l])
						 : tp_picture_text(picture, "mixed%s%s, %s",
								   n_ops > 1 ? " " : "",
								   n_ops > 1 ? ops[op] : "",
								   roofs_level[l]),
				.role = (enum tp_plot_role)l,
				.glyph = glyphs[op][l],
			};
			draw_level_dots(picture, v, roofs_level[l], ops[op], &looks, 0);
		}
}

/* ", kind:0 IntelAtom" of a hybrid CPU; ", run 2" if the preset has another run with such a
 * picture. */
static const char *title_end(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	const struct tp_roof *any = v->main.n_peaks ? v->main.peak[0] : v->main.level[0];
	const struct tp_point *p = any ? tp_run_point(v->run, any->point) : NULL;
	const char *kind = p ? tp_kernel_row(p)->cpu_kind : "";
	for (size_t i = 0; i < tp_run_n_roofs(v->run); i++)
		if (tp_run_roofs(v->run)[i].run != v->index &&
		    !tp_roof_is_tuned(v->run, &tp_run_roofs(v->run)[i]) &&
		    strcmp(tp_run_roofs(v->run)[i].precision, v->precision) == 0)
			return tp_picture_text(picture, "%s%s, run %u", *kind ? ", " : "", kind,
					       v->index + 1);
	return *kind ? tp_picture_text(picture, ", %s", kind) : "";
}

static bool has_level(const struct tp_roofs *roofs, size_t except)
{
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		if (roofs->level[l] && l != except)
			return true;
	return false;
}

/* Which roofs were measured with these threads and are not in the picture; NULL: none. */
static const char *left_out(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	TP_STR names = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < v->n_others; i++)
		if (has_level(&v->others[i], roofs_top_level(&v->others[i])) ||
		    v->others[i].n_peaks > 1)
			tp_str_printf(&names, "%s%s", n++ ? ", " : "", v->others[i].isa);
	const char *words =
		n ? tp_picture_text(picture,
				    "Left out: everything of %s except the fastest level and the "
				    "highest peak, and these too if they are near %s.",
				    tp_str_text(&names), v->main.isa)
		  : NULL;
	return words;
}

static void finish(struct tp_picture *picture, double ai_low, double ai_high)
{
	picture->tall = true;
	tp_picture_finish(picture,
			  (struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, ai_low, ai_high,
					     "FLOP per byte" },
			  (struct tp_scale){ TP_SCALE_LOG10, .label = "GFLOP/s" });
}

bool tp_picture_roofline(struct tp_picture *picture, const struct tp_run *run, unsigned index,
			 const char *precision, size_t columns, size_t rows)
{
	struct tp_roofs_shown v = {
		.run = run, .index = index, .threads = picture->threads, .precision = precision
	};
	if (!tp_roofs_choose(&v))
		return tp_picture_classic(picture, run, precision);
	tp_classic_find(run, precision, v.threads, &v.classic);
	roofs_choose_range(&v, picture);
	draw_theory(picture, &v);
	draw_others(picture, &v,
		    columns >= WIDE_COLUMNS && rows >= TALL_ROWS ? (size_t)ROOFS_OTHERS : 1);
	draw_main(picture, &v);
	draw_dots(picture, &v);
	roofs_draw_own(picture, &v);
	tp_picture_add_classic(picture, &v.classic, v.ai_low, v.ai_high, false);
	picture->left_out = left_out(picture, &v);
	picture->scene.title =
		tp_picture_text(picture, "Roofline, %s %s, %s%s", v.main.isa, precision,
				tp_picture_threads(picture, v.threads), title_end(picture, &v));
	finish(picture, v.ai_low, v.ai_high);
	return picture->n_series > 0;
}

const char *tp_roofline_isa(const struct tp_run *run, unsigned index, unsigned threads,
			    const char *precision)
{
	struct tp_roofs_shown v = {
		.run = run, .index = index, .threads = threads, .precision = precision
	};
	return tp_roofs_choose(&v) ? v.main.isa : NULL;
}

/* --- several runs on each other --- */

static const char run_glyphs[TP_REPORT_RUNS_MAX] = { 'o', 'x', '+', '*', '#', '@' };

/* The first run of the preset that has roofs of the precision, as a view. */
static bool choose_any(struct tp_roofs_shown *v)
{
	for (size_t i = 0; i < tp_run_n_roofs(v->run); i++) {
		v->index = tp_run_roofs(v->run)[i].run;
		v->threads = 0;
		if (tp_roofs_choose(v))
			return true;
	}
	return false;
}

/* All roofs of a run in its colour, its glyph at their ends; names distinguish the levels. */
static void draw_run(struct tp_picture *picture, const struct tp_roofs_shown *v, size_t number,
		     size_t peaks)
{
	struct tp_series looks = { .style = TP_STYLE_LINE_AND_DOTS,
				   .role = (enum tp_plot_role)number,
				   .glyph = run_glyphs[number] };
	draw_levels(picture, v, roofs_top_peak(&v->main), &looks, number);
	for (size_t p = v->main.n_peaks; p-- > 0 && peaks > 0; peaks--) {
		const struct tp_roof *r = v->main.peak[p];
		looks.label = tp_picture_text(picture, "%s %.4g GFLOP/s", r->fp_op, r->median);
		note_roof(picture, draw_peak(picture, v, r->median, &looks), r, 0, number);
	}
	looks.label = NULL; /* the run's line of the legend holds for them too */
	draw_level_dots(picture, v, NULL, NULL, &looks, number);
}

bool tp_overlay_roofline(struct tp_picture *picture, const struct tp_overlay *overlay,
			 const char *precision)
{
	struct tp_roofs_shown views[TP_REPORT_RUNS_MAX] = { 0 };
	bool has[TP_REPORT_RUNS_MAX] = { false }, any = false;
	size_t n = TP_MIN(overlay->n, (size_t)TP_REPORT_RUNS_MAX);
	double low = INFINITY, high = 0;
	for (size_t r = 0; r < n; r++) {
		views[r] =
			(struct tp_roofs_shown){ .run = overlay->runs[r], .precision = precision };
		has[r] = choose_any(&views[r]);
		if (!has[r])
			continue;
		roofs_choose_range(&views[r], picture);
		low = fmin(low, views[r].ai_low);
		high = fmax(high, views[r].ai_high);
		any = true;
	}
	if (!any)
		return false;
	/*
	 * Series without points are lines of the legend: which run a colour and a glyph stand for.
	 */
	for (size_t r = 0; r < n; r++) {
		double *x, *y;
		struct tp_series *key = has[r] ? tp_picture_series(picture, 0, &x, &y) : NULL;
		if (!key)
			continue;
		key->label =
			tp_picture_text(picture, "%s: %s, %s", overlay->names[r], views[r].main.isa,
					tp_picture_threads(picture, views[r].threads));
		key->style = TP_STYLE_LINE_AND_DOTS;
		key->role = (enum tp_plot_role)r;
		key->glyph = run_glyphs[r];
	}
	for (size_t r = 0; r < n; r++) {
		views[r].ai_low = low;
		views[r].ai_high = high;
	}
	/* Machines that differ have different theories; the baseline's is the first run's. */
	for (size_t r = 0; r < n; r++)
		if (has[r]) {
			draw_theory(picture, &views[r]);
			roofs_draw_own(picture, &views[r]);
			break;
		}
	for (size_t r = 0; r < n; r++) {
		if (has[r])
			draw_run(picture, &views[r], r, n <= 2 ? ROOFS_PEAKS : n <= 3 ? 4 : 2);
	}
	picture->scene.title = tp_picture_text(picture, "Roofline, %s", precision);
	finish(picture, low, high);
	return true;
}
