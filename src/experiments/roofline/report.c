/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Roofs on the page, and their summary: where memory limits and where the peak, and impossible
 * ones.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "experiments/roofline/pictures.h"
#include "record/point.h"
#include "record/roof.h"
#include "report/facts.h"
#include "report/page.h"
#include "report/reporter.h"

static const char *const levels[] = { "L1", "L2", "L3", "DRAM" };

enum { LEVELS = 4 };

struct ladder {
	const struct tp_roof *peak, *level[LEVELS]; /* the highest of each; NULL: not measured */
};

static void higher(const struct tp_roof **best, const struct tp_roof *roof)
{
	if (roof->median > 0 && isfinite(roof->median) &&
	    (!*best || roof->median > (*best)->median))
		*best = roof;
}

/* The roofs of the ISA, precision and team of `like`. */
static struct ladder ladder_of(const struct tp_run *run, const struct tp_roof *like)
{
	struct ladder ladder = { 0 };
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (!tp_roof_is_group(r, like) || tp_roof_is_tuned(run, r))
			continue;
		if (tp_roof_is_peak(r))
			higher(&ladder.peak, r);
		for (size_t l = 0; l < LEVELS; l++)
			if (strcmp(r->level, levels[l]) == 0)
				higher(&ladder.level[l], r);
	}
	return ladder;
}

/* The first roof of a group, so that each is looked at once. */
static bool is_first(const struct tp_run *run, size_t i)
{
	const struct tp_roof *roofs = tp_run_roofs(run);
	bool known = tp_roof_is_tuned(run, &roofs[i]);
	for (size_t k = 0; k < i && !known; k++)
		known = tp_roof_is_group(&roofs[k], &roofs[i]) && !tp_roof_is_tuned(run, &roofs[k]);
	return !known;
}

static void say_odd(const struct tp_run *run, struct tp_str *odd)
{
	char count[32];
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i],
				     *next = tp_roof_slower_than(run, r);
		if (next)
			tp_conclude_add(odd,
					"%s %s, %s: the roof of %s (%.4g GB/s) is lower than %s "
					"(%.4g GB/s).",
					r->isa, r->precision,
					tp_text_count(count, sizeof(count), r->threads, "thread"),
					r->level, r->median, next->level, next->median);
	}
}

/* The group with the most levels and a peak, and of those the one with the highest peak. */
static const struct tp_roof *leader(const struct tp_run *run)
{
	const struct tp_roof *best = NULL;
	double most = -1, peak = 0;
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (!is_first(run, i))
			continue;
		struct ladder ladder = ladder_of(run, r);
		double parts = ladder.peak ? 1.5 : 0, own = ladder.peak ? ladder.peak->median : 0;
		for (size_t l = 0; l < LEVELS; l++)
			parts += ladder.level[l] != NULL;
		if (parts < most || (parts <= most && own <= peak))
			continue;
		best = r;
		most = parts;
		peak = own;
	}
	return best;
}

/* A `conclude` of its reporter. */
static void roofline_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_roof *lead = leader(run), *near = NULL, *far = NULL;
	char who[112], count[32];
	if (!lead)
		return;
	struct ladder ladder = ladder_of(run, lead);
	for (size_t l = 0; l < LEVELS; l++) {
		near = near ? near : ladder.level[l];
		far = ladder.level[l] ? ladder.level[l] : far;
	}
	const struct tp_point *p = tp_run_point(run, lead->point);
	const char *cores = p ? tp_kernel_row(p)->cpu_kind : "";
	snprintf(who, sizeof(who), "%s %s, %s%s%s", lead->isa, lead->precision,
		 tp_text_count(count, sizeof(count), lead->threads, "thread"), *cores ? " on " : "",
		 cores);
	if (ladder.peak && far) {
		double peak = ladder.peak->median;
		if (near == far)
			tp_conclude_add(&conclusion->limits,
					"%s: memory-bound below %.3g FLOP/byte on %s; "
					"compute-bound above (%s, %.4g GFLOP/s).",
					who, peak / far->median, far->level, ladder.peak->fp_op,
					peak);
		else
			tp_conclude_add(&conclusion->limits,
					"%s: memory-bound below %.3g FLOP/byte on %s, %.3g on %s; "
					"compute-bound above (%s, %.4g GFLOP/s).",
					who, peak / far->median, far->level, peak / near->median,
					near->level, ladder.peak->fp_op, peak);
	} else if (far) {
		tp_conclude_add(&conclusion->limits,
				"%s: %s gives %.4g GB/s; no peak was measured, so the compute "
				"limit is unknown.",
				who, far->level, far->median);
	} else if (ladder.peak) {
		tp_conclude_add(&conclusion->limits,
				"%s: the peak is %.4g GFLOP/s (%s); no bandwidth was measured, so "
				"the memory limit is unknown.",
				who, ladder.peak->median, ladder.peak->fp_op);
	}
	say_odd(run, &conclusion->odd);
}

static struct tp_group roof_group(const struct tp_run *run, size_t i)
{
	const struct tp_roof *r = &tp_run_roofs(run)[i];
	return (struct tp_group){ .run = r->run, .threads = r->threads, .precision = r->precision };
}

static void show_roofs(struct tp_page *page, const struct tp_group *group);

/* Results of searches have their own tables. */
static bool is_tuned(const struct tp_run *run, size_t i)
{
	return tp_roof_is_tuned(run, &tp_run_roofs(run)[i]);
}

static const struct tp_grouped roof_table = { roof_group, show_roofs, is_tuned };

/* A roof in its table. */
struct roof_row {
	struct tp_roof roof;
	const struct tp_point *point;
	const char *what; /* the kernel, or the operation of a peak */
	double of_model_percent;
};

static void model_cell(struct tp_grid *grid, const void *row, const void *page)
{
	const struct tp_roof *r = &((const struct roof_row *)row)->roof;
	const double model = tp_roof_theory(r);
	(void)page;
	if (model > 0 && r->reachable > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f (ports %.1f)", model, r->model);
	else
		tp_grid_number(grid, TP_PAINT_PLAIN, model > 0 ? model : NAN, TP_DECIMALS);
}

/* Bandwidths, then peaks. */
#define ROW(name)  TP_SHOWS(struct roof_row, name)
#define ROOF(name) ROW(roof.name)
#define OF_POINT   TP_VIA(struct roof_row, point)
#define SECTION(kind, rate, per_cycle_head, ridge, no_ridge)                                           \
	{                                                                                              \
		{ "ISA", TP_LEFT, 0, ROOF(isa), .paint = TP_PAINT_STRONG, .again = true },             \
			{ "level", TP_LEFT, 0, ROOF(level) }, { kind, TP_LEFT, 0, ROW(what) },         \
			{ rate,		TP_RIGHT,	  0,                                           \
			  ROOF(median), .positive = true, .paint = TP_PAINT_STRONG },                  \
			{ "best", TP_RIGHT, 3, ROOF(best), .positive = true },                         \
			{ "\u00b1%", TP_RIGHT, 2, OF_POINT, .cell = tp_page_interval_cell },           \
			{ per_cycle_head, TP_RIGHT, 1, ROOF(per_cycle), .positive = true },            \
			{ "model", TP_RIGHT, 4, .cell = model_cell },                                  \
			{ "of model",	       TP_RIGHT,   1, ROW(of_model_percent),                   \
			  .as = TP_AS_PERCENT, .digits = 1 },                                          \
			{ ridge,	   TP_RIGHT, 1, ROOF(ridge_flop_per_byte), .positive = true,   \
			  .none = no_ridge },                                                          \
			{ "quality", TP_LEFT, 1, OF_POINT, .cell = tp_page_quality_cell, .none = "" }, \
	}
static const struct tp_grid_column sections[][11] = {
	SECTION("kernel", "GB/s", "B/cyc", "ridge", "-"),
	SECTION("FP op", "GFLOP/s", "FLOP/cyc", "", ""),
};

static void show_roof(struct tp_page *page, struct tp_grid *grid, const struct tp_roof *r)
{
	const struct tp_point *p = tp_run_point(page->run, r->point);
	/* A run read without its points has none. */
	const struct tp_point own = { .median = r->median,
				      .ci_low = r->ci_low,
				      .ci_high = r->ci_high,
				      .quality = r->quality,
				      .flags = r->flags };
	const struct roof_row row = { *r, p ? p : &own,
				      tp_roof_is_peak(r) ? r->fp_op
				      : p		 ? p->kernel
							 : "",
				      r->median > 0 ? 100 * r->median / tp_roof_theory(r) : NAN };
	tp_grid_row(grid, &row, page);
	tp_grid_about(grid, r);
}

static void show_roofs(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	TP_GRID(grid, sections[0]);
	tp_page_title(page, "Roofline", group);
	for (int peaks = 0; peaks < 2; peaks++) {
		bool any = false;
		grid.columns = sections[peaks];
		for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
			const struct tp_roof *r = &tp_run_roofs(run)[i];
			if (!tp_groups_has(page, &roof_table, i, group) ||
			    tp_roof_is_peak(r) != (peaks == 1))
				continue;
			if (!any)
				tp_page_heads(page, &grid);
			any = true;
			show_roof(page, &grid, r);
		}
	}
	tp_grid_write(&grid, page->doc);
}

/* Where the user's own dots stand, for each run of the preset and precision that has roofs. */
static void own_dots(struct tp_page *page, const struct tp_roof *like)
{
	struct tp_own_dot dots[TP_OWN_DOTS_MAX];
	size_t n = tp_run_own_dots(page->run, dots);
	struct tp_roofs_shown v = { .run = page->run,
				    .index = like->run,
				    .precision = like->precision };
	TP_STR text = { 0 };
	if (!n || !tp_roofs_choose(&v))
		return;
	tp_page_title(page, "Own dots",
		      &(struct tp_group){
			      .run = v.index, .threads = v.threads, .precision = v.precision });
	for (size_t i = 0; i < n; i++) {
		tp_str_clear(&text);
		tp_str_printf(&text, "%s: %.4g FLOP/byte, %.4g GFLOP/s: ", dots[i].name,
			      dots[i].ai_flop_per_byte, dots[i].gflops);
		tp_roofs_place(&v, &dots[i], &text);
		tp_str_printf(&text, " (%s).", v.main.isa);
		tp_text_say(page->doc, TP_PAINT_PLAIN, 0, 2, "%s", tp_str_text(&text));
	}
}

/* The first roof of a run of the preset and precision (and threads), of those that are not
 * searches.
 */
static bool is_first_of(const struct tp_run *run, size_t i, bool of_threads)
{
	const struct tp_roof *roofs = tp_run_roofs(run);
	bool known = is_tuned(run, i);
	for (size_t k = 0; k < i && !known; k++)
		known = !is_tuned(run, k) && roofs[k].run == roofs[i].run &&
			(!of_threads || roofs[k].threads == roofs[i].threads) &&
			strcmp(roofs[k].precision, roofs[i].precision) == 0;
	return !known;
}

static void page_of_roofs(struct tp_page *page)
{
	const char *source = tp_fact_text(page->run, "machine.model_reached_source");
	size_t own = 0;
	bool reached = false;
	tp_groups_show(page, &roof_table, tp_run_n_roofs(page->run));
	for (size_t i = 0; i < tp_run_n_roofs(page->run); i++) {
		own += !is_tuned(page->run, i);
		reached |= tp_run_roofs(page->run)[i].reachable > 0;
	}
	if (!own)
		return;
	TP_STR text = { 0 };
	tp_str_printf(&text,
		      "Rates are sums over all threads: the median of the windows, best the "
		      "fastest one, %s%% half its "
		      "confidence interval. Per cycle: one core's, fastest window. model: what the "
		      "core could do at the "
		      "measured clock. ridge: FLOP/byte from which the highest peak of the ISA "
		      "limits.",
		      tp_text_plus_minus(page->look));
	if (reached) {
		tp_str_printf(&text,
			      " With ports: what loads and stores of such cores reach%s%s%s, and "
			      "what their ports add up to.",
			      *source ? " (" : "", source, *source ? ")" : "");
	}
	tp_page_explain(page, tp_str_text(&text));
	for (size_t i = 0; i < tp_run_n_roofs(page->run); i++)
		if (is_first_of(page->run, i, false))
			own_dots(page, &tp_run_roofs(page->run)[i]);
}

/* --- pictures --- */

/* A few dots are what a picture is about: how far below their roofs each is. */
static bool drop_few(struct tp_picture *picture)
{
	enum { FEW = 4 };
	const size_t n = picture->n_series;
	size_t dots = 0;
	for (size_t i = 0; i < n; i++)
		dots += picture->origins[i].drops ? picture->series[i].n : 0;
	for (size_t i = 0; i < n && dots <= FEW; i++)
		for (size_t k = 0; k < picture->series[i].n; k++)
			tp_picture_drop(picture, i, k);
	return true;
}

/*
 * The text has tables of all threads beside the picture of the most; without tables, each has a
 * picture.
 */
static void pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (!is_first_of(run, i, !gallery->tables_too))
			continue;
		struct tp_picture *picture = tp_picture_new();
		picture->threads = gallery->tables_too ? 0 : r->threads;
		tp_gallery_hang(gallery, picture,
				tp_picture_roofline(picture, run, r->run, r->precision,
						    gallery->columns, gallery->rows) &&
					drop_few(picture));
	}
}

static bool is_first_of_runs(const struct tp_overlay *overlay, size_t run, size_t roof)
{
	const char *precision = tp_run_roofs(overlay->runs[run])[roof].precision;
	for (size_t r = 0; r <= run; r++)
		for (size_t i = 0; i < (r < run ? tp_run_n_roofs(overlay->runs[r]) : roof); i++)
			if (!is_tuned(overlay->runs[r], i) &&
			    strcmp(tp_run_roofs(overlay->runs[r])[i].precision, precision) == 0)
				return false;
	return !is_tuned(overlay->runs[run], roof);
}

static void overlays(const struct tp_reporter *reporter __attribute__((unused)),
		     const struct tp_overlay *overlay, const struct tp_gallery *gallery)
{
	for (size_t r = 0; r < overlay->n; r++)
		for (size_t i = 0; i < tp_run_n_roofs(overlay->runs[r]); i++) {
			if (!is_first_of_runs(overlay, r, i))
				continue;
			struct tp_picture *picture = tp_picture_new();
			const char *precision = tp_run_roofs(overlay->runs[r])[i].precision;
			tp_gallery_hang(gallery, picture,
					tp_overlay_roofline(picture, overlay, precision));
		}
}

const struct tp_reporter tp_reporter_roofline = {
	.experiment = "roofline",
	.place = 1,
	.page = page_of_roofs,
	.conclude = roofline_conclude,
	.pictures = pictures,
	.overlays = overlays,
	.roofs = true,
	.lists_points = true,
};
