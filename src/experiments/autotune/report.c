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
/* Share of disturbed calls that is reported. */
#define MUCH_DISTURBED 0.05

/* --- what was found --- */

struct found {
	const struct tp_point *point;
	const struct tp_searched *searched;
	const struct tp_search_row *search;
	const char *configuration, *stops;
	double model_percent;
};

static void interval_cell(struct tp_grid *grid, const void *searched, const void *page)
{
	const struct tp_searched *s = searched;
	(void)page;
	if (s->best && s->best->iterations == 1)
		tp_grid_text(grid, TP_PAINT_WARN, "1 call");
	else
		tp_grid_number(grid, TP_PAINT_PLAIN,
			       tp_page_half_width(s->value, s->ci_low, s->ci_high), 1);
}

static enum tp_paint paint_of_model(const void *row)
{
	return ((const struct found *)row)->model_percent > 100 * TP_OVER_THEORY ? TP_PAINT_WARN
										 : TP_PAINT_PLAIN;
}

#define OF(name)       TP_VIA(struct found, name)
#define FOUND(name)    TP_SHOWS(struct found, name)
#define SEARCHED(name) OF(searched), TP_SHOWS(struct tp_searched, name)
enum { FOUND_VALUE = 6 };
static const struct tp_grid_column found_columns[] = {
	{ "routine", TP_LEFT, 0, SEARCHED(routine), .paint = TP_PAINT_STRONG },
	{ "scope", TP_LEFT, 0, SEARCHED(where) },
	{ "threads", TP_RIGHT, 4, OF(point), TP_POINT(threads) },
	{ "technique", TP_LEFT, 0, OF(search), TP_SHOWS(struct tp_search_row, technique) },
	{ "library", TP_LEFT, 5, SEARCHED(library) },
	{ "best configuration", TP_LEFT, 0, FOUND(configuration) },
	[FOUND_VALUE] = { "", TP_RIGHT, 0, SEARCHED(value), .positive = true,
			  .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 3, OF(searched), .cell = interval_cell },
	{ "of model", TP_RIGHT, 0, FOUND(model_percent), .as = TP_AS_PERCENT, .digits = 1,
	  .paint_of = paint_of_model },
	{ "time", TP_RIGHT, 1, SEARCHED(seconds), .as = TP_AS_SECONDS },
	{ "tried", TP_RIGHT, 3, SEARCHED(n) },
	{ "stopped", TP_LEFT, 6, FOUND(stops) },
};

/* Cursors find a search in the table of techniques, or here if it is not in that table. */
static void show_search(struct tp_page *page, struct tp_grid *grid, const struct tp_searched *s)
{
	bool studied = false;
	char name[TP_TRIAL_NAME_MAX];
	TP_STR stops = { 0 };
	tp_searched_stops(s, &stops);
	const struct found row = {
		.point = s->point,
		.searched = s,
		.search = tp_search_row(s->point),
		.configuration = s->best ? tp_trial_name(s->best->size, name) : "-",
		.stops = tp_str_text(&stops),
		.model_percent = s->theory > 0 && s->value > 0 ? 100 * s->value / s->theory : NAN,
	};
	tp_grid_row(grid, &row, page);
	TP_EACH_ROW (tp_study_row, known, page->run, study)
		studied |= known->point == s->point->point;
	if (!studied)
		tp_grid_about(grid, s->point);
}

/* One section for each unit. */
static void show_found(struct tp_page *page)
{
	static const char *const units[] = { "GFLOP/s", "GB/s" };
	const struct tp_run *run = page->run;
	struct tp_grid_column columns[TP_COUNT_OF(found_columns)];
	memcpy(columns, found_columns, sizeof(columns));
	tp_page_title(page, "Autotuned peaks", NULL);
	TP_GRID(grid, columns);
	for (size_t u = 0; u < TP_COUNT_OF(units); u++) {
		columns[FOUND_VALUE].head = NULL;
		for (size_t i = 0; i < run->n_points; i++) {
			struct tp_searched s;
			if (!tp_searched_of(run, (unsigned)i, &s) ||
			    strcmp(s.unit, units[u]) != 0 ||
			    (s.point->state != TP_POINT_DONE && !s.n))
				continue;
			if (!columns[FOUND_VALUE].head) {
				columns[FOUND_VALUE].head = units[u];
				tp_page_heads(page, &grid);
			}
			show_search(page, &grid, &s);
		}
	}
	tp_grid_write(&grid, page->doc);
}

/* Disturbance of the core in that time, if it was large. */
static void remark_disturbed(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	double iterations = 0, disturbed = 0;
	for (size_t i = 0; i < tp_run_n_trials(run); i++) {
		iterations += tp_run_trials(run)[i].iterations;
		disturbed += tp_run_trials(run)[i].disturbed;
	}
	if (!(disturbed > MUCH_DISTURBED * iterations))
		return;
	tp_text_say(page->doc, TP_PAINT_PLAIN, 0, 0,
		    "%.0f %% of the calls had only a part of their core, because something else "
		    "ran on its other hardware thread. They count only for configurations without "
		    "an undisturbed call.",
		    100 * disturbed / iterations);
}

/* --- techniques --- */

/* The text of the study for a search; for a running one, its state so far. */
static struct tp_study_row study_of(const struct tp_run *run, const struct tp_searched *s)
{
	struct tp_study_row row = { .best = s->value,
				    .seconds = s->seconds,
				    .loss = NAN,
				    .error = NAN,
				    .configurations = (unsigned)s->n };
	TP_EACH_ROW (tp_study_row, known, run, study)
		if (known->point == s->point->point)
			return *known;
	tp_copy(row.technique, sizeof(row.technique), tp_search_row(s->point)->technique);
	return row;
}

struct technique {
	const struct tp_study_row *study;
	const char *configuration;
	double loss_percent, error_percent;
};

static enum tp_paint paint_of_loss(const void *row)
{
	return fabs(((const struct technique *)row)->loss_percent) > 100 * TP_STUDY_LIMIT
		       ? TP_PAINT_WARN
		       : TP_PAINT_PLAIN;
}

static enum tp_paint paint_of_error(const void *row)
{
	return fabs(((const struct technique *)row)->error_percent) > 100 * TP_STUDY_LIMIT
		       ? TP_PAINT_WARN
		       : TP_PAINT_PLAIN;
}

#define TECHNIQUE(name) TP_SHOWS(struct technique, name)
#define STUDY(name)	TP_VIA(struct technique, study), TP_SHOWS(struct tp_study_row, name)
enum { STUDY_VALUE = 2 };
static const struct tp_grid_column study_columns[] = {
	{ "technique", TP_LEFT, 0, STUDY(technique), .paint = TP_PAINT_STRONG },
	{ "best configuration", TP_LEFT, 0, TECHNIQUE(configuration) },
	[STUDY_VALUE] = { "", TP_RIGHT, 0, STUDY(best), .positive = true },
	{ "baseline", TP_RIGHT, 3, STUDY(baseline_value), .positive = true },
	{ "loss", TP_RIGHT, 0, TECHNIQUE(loss_percent), .as = TP_AS_PERCENT, .digits = 2,
	  .paint_of = paint_of_loss },
	{ "error", TP_RIGHT, 0, TECHNIQUE(error_percent), .as = TP_AS_CHANGE, .digits = 2,
	  .paint_of = paint_of_error },
	{ "time", TP_RIGHT, 0, STUDY(seconds), .as = TP_AS_SECONDS },
	{ "speed-up", TP_RIGHT, 0, STUDY(speedup), .as = TP_AS_TIMES, .digits = 3, .positive = true,
	  .paint = TP_PAINT_STRONG },
	{ "tried", TP_RIGHT, 4, STUDY(configurations) },
	{ "processes", TP_RIGHT, 2, STUDY(invocations) },
	{ "calls", TP_RIGHT, 1, STUDY(iterations) },
};

/*
 * The searches that differ from `point`'s only in their technique, and found something. Returns how
 * many, and the first.
 */
static size_t list_techniques(const struct tp_run *run, unsigned point, struct tp_grid *grid,
			      unsigned *first)
{
	struct tp_searched search, s;
	size_t n = 0;
	tp_grid_init(grid, study_columns, TP_COUNT_OF(study_columns));
	if (!tp_searched_of(run, point, &search))
		return 0;
	for (size_t i = 0; i < TP_COUNT_OF(study_columns); i++)
		tp_grid_head(grid, i == STUDY_VALUE ? search.unit : study_columns[i].head);
	TP_EACH_POINT (p, run) {
		char name[TP_TRIAL_NAME_MAX];
		if (!tp_searched_of(run, p->point, &s) || !tp_searched_is_alike(&search, &s) ||
		    (!s.n && p->point != point))
			continue;
		const struct tp_study_row r = study_of(run, &s);
		const struct technique row = {
			.study = &r,
			.configuration = s.best ? tp_trial_name(s.best->size, name) : "-",
			.loss_percent = r.baseline_value > 0 ? 100 * r.loss : NAN,
			.error_percent = 100 * r.error + 0.0,
		};
		tp_grid_row(grid, &row, NULL);
		tp_grid_about(grid, p);
		*first = n++ ? *first : p->point;
	}
	return n;
}

/* Where several techniques searched the same. */
static void show_studies(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	const char *dot = tp_text_dot(page->look);
	bool any = false;
	TP_EACH_ROW (tp_study_row, head, run, study) {
		TP_CLEANUP(tp_grid_release) struct tp_grid grid;
		TP_STR title = { 0 };
		unsigned first;
		if (list_techniques(run, head->point, &grid, &first) < 2 || first != head->point)
			continue;
		tp_str_printf(&title, "Techniques%s%s%s%s%s%s", dot, head->routine, dot,
			      head->scope, *head->library ? dot : "", head->library);
		tp_page_title(page, tp_str_text(&title), NULL);
		tp_grid_write(&grid, page->doc);
		any = true;
	}
	if (any)
		tp_page_explain(
			page,
			"Loss, of the choice: how much less than its best configuration the "
			"baseline measured of the one that was chosen. Error, of the figure: how "
			"far the reported peak is from the baseline's. Speed-up: time of the "
			"baseline over its own, each measured as if it ran alone.");
}

/* --- the classic roofline --- */

struct classic {
	const char *level;
	unsigned threads;
	double gbps, peak, ridge;
};

#define CLASSIC(name) TP_SHOWS(struct classic, name)
static const struct tp_grid_column classic_columns[] = {
	{ "memory", TP_LEFT, 0, CLASSIC(level), .paint = TP_PAINT_STRONG },
	{ "threads", TP_RIGHT, 0, CLASSIC(threads) },
	{ "B, GB/s", TP_RIGHT, 0, CLASSIC(gbps), .paint = TP_PAINT_STRONG },
	{ "F_p, GFLOP/s", TP_RIGHT, 0, CLASSIC(peak), .positive = true, .paint = TP_PAINT_STRONG },
	{ "ridge, FLOP/B", TP_RIGHT, 0, CLASSIC(ridge), .positive = true },
};

static void show_classic(struct tp_page *page)
{
	static const char *const precisions[] = { "double", "single" };
	static const char *const levels[TP_CLASSIC_LEVELS] = { "L1", "L2", "L3", "DRAM" };
	for (size_t i = 0; i < TP_COUNT_OF(precisions); i++) {
		unsigned threads[THREADS_MAX];
		struct tp_classic c;
		char title[80];
		size_t n = tp_classic_threads(page->run, precisions[i], threads, THREADS_MAX);
		TP_GRID(grid, classic_columns);
		tp_grid_heads(&grid);
		for (size_t t = 0; t < n; t++) {
			if (!tp_classic_find(page->run, precisions[i], threads[t], &c) || !c.peak)
				continue;
			for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
				double gbps = tp_classic_value(c.level[l]);
				double peak = tp_classic_value(c.peak);
				if (c.level[l])
					tp_grid_row(&grid,
						    &(struct classic){ levels[l], c.threads, gbps,
								       peak, peak / gbps },
						    page);
			}
		}
		if (tp_grid_n_rows(&grid) == 1)
			continue;
		snprintf(title, sizeof(title), "Classic roofline%sF(I) = min(B I, F_p)%s%s",
			 tp_text_dot(page->look), tp_text_dot(page->look), precisions[i]);
		tp_page_title(page, title, NULL);
		tp_grid_write(&grid, page->doc);
	}
}

/* --- searches in sentences: the libraries, how near they come to the peak --- */

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
		tp_str_clear(&text);
		say_gemm(page->run, &s, &text);
		netlib |= tp_library_is_netlib(s.library);
		tp_page_explain(page, tp_str_text(&text));
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
		/* For bandwidth, memory's is the most informative. */
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
	/* Facts of the table that are easily overlooked. */
	const struct tp_run *run = page->run;
	remark_disturbed(page);
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(run, (unsigned)i, &s) || !(s.theory > 0) ||
		    s.value <= TP_OVER_THEORY * s.theory)
			continue;
		bool dram = strcmp(tp_kernel_row(s.point)->level, "DRAM") == 0;
		tp_text_say(
			page->doc, TP_PAINT_WARN, 0, 0, "%.30s %.30s is over 100 %% of theory: %s",
			s.routine, s.where,
			dram ? "a part of the arrays stayed in a cache, so it is not the DRAM rate"
			     : "the model or the measurement is wrong");
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
