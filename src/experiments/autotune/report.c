/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches as tables on a terminal: what was found, what each technique took, the classic roofline.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "report/reporter.h"
#include "experiments/autotune/row.h"
#include "experiments/autotune/searches.h"
#include "record/point.h"
#include "record/roof.h"
#include "report/page.h"

enum { THREADS_MAX = 8 };
/* A small excess is the noise of two measurements. */
#define OVER_THEORY 1.01
/* Share of disturbed calls that is told. */
#define MUCH_DISTURBED 0.05

static void add_line(struct tp_page *page, enum tp_paint paint, const char *text, size_t indent)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, text, page->look);
	tp_text_indent(page->doc, indent);
	tp_text_wrap(page->doc, paint, tp_str_text(&clean), indent, indent);
}

/* --- what was found --- */

static void show_search(struct tp_grid *grid, const struct tp_searched *s)
{
	char name[TP_TRIAL_NAME_MAX], seconds[48];
	TP_STR stops = { 0 };
	tp_grid_text(grid, TP_PAINT_STRONG, s->routine);
	tp_grid_text(grid, TP_PAINT_PLAIN, s->where);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", s->point->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_search_row(s->point)->technique);
	tp_grid_text(grid, TP_PAINT_PLAIN, s->library);
	tp_grid_text(grid, TP_PAINT_PLAIN, s->best ? tp_trial_name(s->best->size, name) : "-");
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(s->value), TP_DECIMALS);
	if (s->best && s->best->iterations == 1)
		tp_grid_text(grid, TP_PAINT_WARN, "1 call");
	else
		tp_grid_number(grid, TP_PAINT_PLAIN,
			       tp_page_half_width(s->value, s->ci_low, s->ci_high), 1);
	if (s->theory > 0 && s->value > 0)
		tp_grid_printf(grid,
			       s->value > OVER_THEORY * s->theory ? TP_PAINT_WARN : TP_PAINT_PLAIN,
			       "%.1f%%", 100 * s->value / s->theory);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_format_seconds(seconds, sizeof(seconds), s->seconds));
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", s->n);
	tp_searched_stops(s, &stops);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_str_text(&stops));
}

/* One section for each unit. */
static void show_found(struct tp_page *page)
{
	static const struct tp_grid_column columns[] = {
		{ "routine", TP_LEFT, 0 },   { "scope", TP_LEFT, 0 },
		{ "threads", TP_RIGHT, 4 },  { "technique", TP_LEFT, 0 },
		{ "library", TP_LEFT, 5 },   { "best configuration", TP_LEFT, 0 },
		{ NULL, TP_RIGHT, 0 },	     { "\u00b1%", TP_RIGHT, 3 },
		{ "of model", TP_RIGHT, 0 }, { "time", TP_RIGHT, 1 },
		{ "tried", TP_RIGHT, 3 },    { "stopped", TP_LEFT, 6 },
	};
	enum { INTERVAL_COLUMN = 7 };
	static const char *const units[] = { "GFLOP/s", "GB/s" };
	const struct tp_run *run = page->run;
	tp_page_title(page, "Autotuned peaks", NULL);
	TP_GRID(grid, columns);
	for (size_t u = 0; u < TP_COUNT_OF(units); u++) {
		bool headed = false;
		for (size_t i = 0; i < run->n_points; i++) {
			struct tp_searched s;
			if (!tp_searched_of(run, (unsigned)i, &s) ||
			    strcmp(s.unit, units[u]) != 0 ||
			    (s.point->state != TP_POINT_DONE && !s.n))
				continue;
			for (size_t c = 0; !headed && c < TP_COUNT_OF(columns); c++)
				tp_grid_head(&grid, !columns[c].head ? units[u]
						    : c == INTERVAL_COLUMN && !page->look->utf8
							    ? "+-%"
							    : columns[c].head);
			headed = true;
			show_search(&grid, &s);
		}
	}
	tp_grid_write(&grid, page->doc);
}

/* What others did on the core meanwhile, if it was much. */
static void remark_disturbed(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	double iterations = 0, disturbed = 0;
	char text[240];
	for (size_t i = 0; i < tp_run_n_trials(run); i++) {
		iterations += tp_run_trials(run)[i].iterations;
		disturbed += tp_run_trials(run)[i].disturbed;
	}
	if (!(disturbed > MUCH_DISTURBED * iterations))
		return;
	snprintf(text, sizeof(text),
		 "%.0f %% of the calls had only a part of their core, because something else ran "
		 "on its other hardware thread. They count only for configurations without an "
		 "undisturbed call.",
		 100 * disturbed / iterations);
	add_line(page, TP_PAINT_PLAIN, text, 0);
}

/* --- techniques --- */

static bool same_study(const struct tp_study_row *a, const struct tp_study_row *b)
{
	return a->run == b->run && strcmp(a->routine, b->routine) == 0 &&
	       strcmp(a->library, b->library) == 0 && strcmp(a->scope, b->scope) == 0;
}

static void show_share(struct tp_grid *grid, double share, const char *format)
{
	if (isfinite(share))
		tp_grid_printf(grid, fabs(share) > TP_STUDY_LIMIT ? TP_PAINT_WARN : TP_PAINT_PLAIN,
			       format, 100 * share + 0.0);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
}

static void show_study_row(struct tp_grid *grid, const struct tp_study_row *r)
{
	char name[TP_TRIAL_NAME_MAX], seconds[48];
	tp_grid_text(grid, TP_PAINT_STRONG, r->technique);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_trial_name(r->size, name));
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(r->best), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(r->baseline_value), TP_DECIMALS);
	show_share(grid, r->baseline_value > 0 ? r->loss : NAN, "%.2f%%");
	show_share(grid, r->error, "%+.2f%%");
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_format_seconds(seconds, sizeof(seconds), r->seconds));
	if (r->speedup > 0 && isfinite(r->speedup))
		tp_grid_printf(grid, TP_PAINT_STRONG, "%.3gx", r->speedup);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", r->configurations);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", r->invocations);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", r->iterations);
}

static void show_study(struct tp_page *page, size_t first)
{
	const struct tp_run *run = page->run;
	const struct tp_study_row *head = &tp_run_study(run)[first];
	bool triad = strcmp(head->routine, "triad") == 0;
	const struct tp_grid_column columns[] = {
		{ "technique", TP_LEFT, 0 },
		{ "best configuration", TP_LEFT, 0 },
		{ triad ? "GB/s" : "GFLOP/s", TP_RIGHT, 0 },
		{ "baseline", TP_RIGHT, 3 },
		{ "loss", TP_RIGHT, 0 },
		{ "error", TP_RIGHT, 0 },
		{ "time", TP_RIGHT, 0 },
		{ "speed-up", TP_RIGHT, 0 },
		{ "tried", TP_RIGHT, 4 },
		{ "processes", TP_RIGHT, 2 },
		{ "calls", TP_RIGHT, 1 },
	};
	TP_STR title = { 0 }, clean = { 0 };
	const char *dot = tp_text_dot(page->look);
	tp_str_printf(&title, "Techniques%s%s%s%s%s%s", dot, head->routine, dot, head->scope,
		      *head->library ? dot : "", head->library);
	tp_text_clean(&clean, tp_str_text(&title), page->look);
	tp_page_title(page, tp_str_text(&clean), NULL);
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	for (size_t i = first; i < tp_run_n_study(run); i++)
		if (same_study(head, &tp_run_study(run)[i]))
			show_study_row(&grid, &tp_run_study(run)[i]);
	tp_grid_write(&grid, page->doc);
}

static void show_studies(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	bool any = false;
	for (size_t i = 0; i < tp_run_n_study(run); i++) {
		bool known = false, several = false;
		for (size_t k = 0; k < tp_run_n_study(run); k++) {
			if (k == i || !same_study(&tp_run_study(run)[i], &tp_run_study(run)[k]))
				continue;
			known |= k < i;
			several = true;
		}
		if (known || !several)
			continue;
		show_study(page, i);
		any = true;
	}
	if (any)
		add_line(page, TP_PAINT_DIM,
			 "Loss, of the choice: how much less than its best configuration the "
			 "baseline measured of the one that was chosen. Error, of the figure: how "
			 "far the reported peak is from the baseline's. Speed-up: time of the "
			 "baseline over its own, each as long as it takes alone.",
			 0);
}

/* --- the classic roofline --- */

static void show_classic_row(struct tp_grid *grid, const struct tp_classic *c, const char *level,
			     const struct tp_point *p)
{
	double gbps = tp_classic_value(p), peak = tp_classic_value(c->peak);
	tp_grid_text(grid, TP_PAINT_STRONG, level);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", c->threads);
	tp_grid_number(grid, TP_PAINT_STRONG, gbps, TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(peak), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, peak > 0 ? peak / gbps : NAN, TP_DECIMALS);
}

static void show_classic(struct tp_page *page)
{
	static const char *const precisions[] = { "double", "single" };
	static const char *const levels[TP_CLASSIC_LEVELS] = { "L1", "L2", "L3", "DRAM" };
	static const struct tp_grid_column columns[] = {
		{ "memory", TP_LEFT, 0 },	  { "threads", TP_RIGHT, 0 },
		{ "B, GB/s", TP_RIGHT, 0 },	  { "F_p, GFLOP/s", TP_RIGHT, 0 },
		{ "ridge, FLOP/B", TP_RIGHT, 0 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(precisions); i++) {
		unsigned threads[THREADS_MAX];
		struct tp_classic c;
		char title[80];
		size_t rows = 0,
		       n = tp_classic_threads(page->run, precisions[i], threads, THREADS_MAX);
		TP_GRID(grid, columns);
		tp_grid_heads(&grid);
		for (size_t t = 0; t < n; t++) {
			if (!tp_classic_find(page->run, precisions[i], threads[t], &c) || !c.peak)
				continue;
			for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
				if (!c.level[l])
					continue;
				show_classic_row(&grid, &c, levels[l], c.level[l]);
				rows++;
			}
		}
		snprintf(title, sizeof(title), "Classic roofline%sF(I) = min(B I, F_p)%s%s",
			 tp_text_dot(page->look), tp_text_dot(page->look), precisions[i]);
		if (rows) {
			tp_page_title(page, title, NULL);
			tp_grid_write(&grid, page->doc);
		}
	}
}

/* --- what searches say in sentences: the libraries, how near they come to the peak --- */

#define NETLIB_HINT                                                                                \
	"It is the reference BLAS of netlib, which is slow: for the machine's peak install a "     \
	"fast "                                                                                    \
	"one (Debian package libopenblas0-pthread)."

static bool is_gemm(const struct tp_searched *s)
{
	return strcmp(s->unit, "GFLOP/s") == 0;
}

/* "dgemm, 1 thread: 55.2 GFLOP/s with OpenBLAS 0.3.21, 94 % of the FMA peak of the model." */
static void say_gemm(const struct tp_run *run, const struct tp_searched *s, struct tp_str *text)
{
	char count[32], share[80] = ", no FMA peak is known to compare with";
	double measured = 0;

	/* The FMA peak that the run itself measured for these threads; 0 = none. */
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (tp_roof_is_peak(r) && !tp_roof_is_tuned(run, r) &&
		    r->threads == s->point->threads &&
		    strcmp(r->precision, tp_kernel_row(s->point)->precision) == 0 &&
		    r->median > measured)
			measured = r->median;
	}

	if (s->theory > 0)
		snprintf(share, sizeof(share), ", %.3g %% of the FMA peak of the model (%.4g)",
			 100 * s->value / s->theory, s->theory);
	else if (measured > 0)
		snprintf(share, sizeof(share), ", %.3g %% of the FMA peak measured here (%.4g)",
			 100 * s->value / measured, measured);
	tp_conclude_add(text, "%s, %s: %.4g GFLOP/s with %s%s.", s->routine,
			tp_text_count(count, sizeof(count), s->point->threads, "thread"), s->value,
			*s->library ? s->library : "a BLAS without a name", share);
}

/* The search that stands for its library, routine and number of threads: the one with the most. */
static bool stands_for(const struct tp_run *run, const struct tp_searched *s)
{
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched other;
		if (!tp_searched_of(run, (unsigned)i, &other) || other.point == s->point ||
		    other.point->threads != s->point->threads ||
		    strcmp(other.routine, s->routine) != 0 ||
		    strcmp(other.library, s->library) != 0)
			continue;
		if (other.value > s->value || (!(other.value < s->value) && other.point < s->point))
			return false;
	}
	return s->value > 0 && isfinite(s->value);
}

/* Each BLAS with its version, and how near it comes to the FMA peak. */
static void explain_libraries(struct tp_page *page)
{
	TP_STR text = { 0 };
	bool netlib = false;
	for (size_t i = 0; i < page->run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(page->run, (unsigned)i, &s) || !is_gemm(&s) ||
		    !stands_for(page->run, &s))
			continue;
		TP_STR clean = { 0 };
		tp_str_clear(&text);
		say_gemm(page->run, &s, &text);
		netlib |= tp_library_is_netlib(s.library);
		tp_text_clean(&clean, tp_str_text(&text), page->look);
		tp_page_explain(page, tp_str_text(&clean));
	}
	if (netlib)
		tp_page_explain(page, NETLIB_HINT);
}

static void conclude_searches(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	struct tp_searched peak = { .point = NULL }, stream = { .point = NULL };
	char count[32];
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(run, (unsigned)i, &s) || !(s.value > 0) || !isfinite(s.value))
			continue;
		struct tp_searched *best = is_gemm(&s) ? &peak : &stream;
		/* Of a bandwidth that of memory says most. */
		bool dram = strcmp(tp_kernel_row(s.point)->level, "DRAM") == 0;
		if ((is_gemm(&s) || dram) && (!best->point || s.value > best->value))
			*best = s;
	}
	if (peak.point)
		say_gemm(run, &peak, &conclusion->limits);
	if (peak.point && tp_library_is_netlib(peak.library)) {
		tp_conclude_add(&conclusion->odd, "%s", NETLIB_HINT);
		tp_str_add(&conclusion->next, "sudo apt-get install libopenblas0-pthread");
	}
	if (stream.point)
		tp_conclude_add(
			&conclusion->limits, "%s, %s: %.4g GB/s from DRAM%s.", stream.routine,
			tp_text_count(count, sizeof(count), stream.point->threads, "thread"),
			stream.value, peak.point ? ", which limits below its ridge" : "");
}

/* --- all of it --- */

static void page_of_searches(struct tp_page *page)
{
	bool any = false;
	for (size_t i = 0; i < page->run->n_points && !any; i++) {
		const struct tp_point *p = &page->run->points[i];
		size_t n;
		any = tp_point_is_search(p) &&
		      (p->state == TP_POINT_DONE || tp_trials_of(page->run, p->point, &n));
	}
	if (!any)
		return;
	show_found(page);
	explain_libraries(page);
	/* What the table says in numbers and somebody may overlook. */
	const struct tp_run *run = page->run;
	char text[320];
	remark_disturbed(page);
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(run, (unsigned)i, &s) || !(s.theory > 0) ||
		    s.value <= OVER_THEORY * s.theory)
			continue;
		bool dram = strcmp(tp_kernel_row(s.point)->level, "DRAM") == 0;
		snprintf(text, sizeof(text), "%.30s %.30s is over 100 %% of theory: %s", s.routine,
			 s.where,
			 dram ? "a part of the arrays stayed in a cache, it is no figure of DRAM"
			      : "the model or the measurement is wrong");
		add_line(page, TP_PAINT_WARN, text, 0);
	}
	show_studies(page);
	show_classic(page);
}

const struct tp_reporter tp_reporter_autotune = {
	.experiment = "autotune",
	.place = 2,
	.page = page_of_searches,
	.conclude = conclude_searches,
	.pictures = tp_autotune_pictures,
};
