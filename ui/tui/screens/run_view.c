/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the Run screen: CPUs, the queue, a point, the picture that grows. */
#include "ui/tui/screens/run_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "analysis/stats.h"
#include "base/text.h"
#include "record/point.h"
#include "record/schema.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "doc/text.h"
#include "ui/tui/paint.h"
#include "ui/tui/shown.h"

/* The newest windows are enough for an estimate and for a plot. */
enum { WINDOWS_MAX = 1024 };

#define CONFIDENCE 0.99

static double value_of(const struct tp_point *point, const struct tp_sample *sample)
{
	if (!point->less_is_better)
		return sample->rate;
	return sample->rate > 0 ? 1 / sample->rate : NAN;
}

static size_t first_window(const struct tp_point *point)
{
	return point->n_samples > WINDOWS_MAX ? point->n_samples - WINDOWS_MAX : 0;
}

static bool all_disturbed(const struct tp_point *point)
{
	for (size_t i = first_window(point); i < point->n_samples; i++)
		if (!point->samples[i].flags)
			return false;
	return true;
}

/* "207.5", "3.142", "1208": four digits or a whole number. */
static const char *tp_run_number(char *out, size_t size, double value)
{
	double a = fabs(value);
	int digits = a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
	snprintf(out, size, "%.*f", digits, value);
	return out;
}

/*
 * Median of the windows so far and its interval, in the unit of the headline; false before the
 * first window. The sampler decides at the end, over all windows, which of them it keeps. Before
 * that a window counts here if nothing disturbed it, or if all were disturbed.
 */
static bool run_estimate(const struct tp_point *point, double *median, double *low, double *high)
{
	double kept[WINDOWS_MAX];
	size_t n = 0;
	bool all = all_disturbed(point);
	for (size_t i = first_window(point); i < point->n_samples; i++) {
		double v = value_of(point, &point->samples[i]);
		if ((all || !point->samples[i].flags) && v > 0 && isfinite(v))
			kept[n++] = v;
	}
	if (!n)
		return false;
	tp_sort_doubles(kept, n);
	struct tp_interval ci = tp_median_interval_sorted(kept, n, CONFIDENCE);
	*median = tp_median_sorted(kept, n);
	*low = ci.low;
	*high = ci.high;
	return true;
}

enum { ROW_COLUMNS = 56, GAP = 2, BAR_AT = 20, BAR_COLUMNS = 8, WORDS_AT = 30 };

/* From this share on it gets a colour. */
#define MUCH 0.05

size_t tp_run_cores_count(const struct tp_app *app)
{
	return tp_live_is_under_way(&app->live) ? app->live.n_cores : 0;
}

static double share(double value)
{
	return isfinite(value) ? fmin(fmax(value, 0), 1) : 0;
}

void tp_run_cores_draw(const struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	int across = TP_MAX((area.columns + GAP) / (ROW_COLUMNS + GAP), 1);
	size_t room = (size_t)TP_MAX(area.rows, 0) * (size_t)across;
	size_t n = live->n_cores <= room ? live->n_cores : room > 0 ? room - 1 : 0;
	for (size_t i = 0; i <= n && i < live->n_cores; i++) {
		int column = (int)(i % (size_t)across) * (ROW_COLUMNS + GAP);
		struct tp_area row = tp_area_columns(
			tp_area_rows(area, (int)(i / (size_t)across), 1), column, ROW_COLUMNS);
		if (i < n) {
			const struct tp_core_now *core = &live->cores[i];
			double others = share(core->others), stolen = share(core->stolen);
			bool lost = others > MUCH || stolen > MUCH;
			char words[64];

			/* "CPU 12  2.61 GHz  ####....  others 3 %, stolen 0 %": the bar is what is
			 * ours. */
			tp_paint_format(row, 0, 0, TP_UI_DIM, "CPU %u", core->cpu);
			tp_paint_format(row, 0, 9, TP_UI_PLAIN, "%.2f GHz", core->ghz);
			tp_paint_bar(row, 0, BAR_AT, BAR_COLUMNS, (1 - others) * (1 - stolen),
				     lost ? TP_UI_WARN : TP_UI_GOOD);
			snprintf(words, sizeof(words), "others %.0f %%, stolen %.0f %%",
				 100 * others, 100 * stolen);
			tp_paint_text(row, 0, WORDS_AT, lost ? TP_UI_WARN : TP_UI_DIM, words);
		} else
			tp_paint_format(row, 0, 0, TP_UI_DIM, "and %zu more CPUs: Tab",
					live->n_cores - n);
	}
}

/* The queue of a run: every point with its result. */

enum column {
	MARK,
	ID,
	EXPERIMENT,
	ISA,
	PRECISION,
	KERNEL,
	LEVEL,
	SIZE,
	INTENSITY,
	LOAD,
	PAGES,
	THREADS,
	RESULT,
	INTERVAL,
	QUALITY
};
_Static_assert((int)QUALITY == (int)TP_RUN_COLUMNS, "quality takes what is left");

static const struct tp_list_column columns[TP_RUN_COLUMNS] = {
	[MARK] = { " ", false, 0, 0, 1 },
	[ID] = { "#", true, 0, 0, 5 },
	[EXPERIMENT] = { "experiment", false, 9, 0, 14 },
	[ISA] = { "ISA", false, 3, 0, 10 },
	[PRECISION] = { "precision", false, 6, 0, 9 },
	[KERNEL] = { "kernel", false, 1, 0, 34 },
	[LEVEL] = { "level", false, 1, 0, 5 },
	[SIZE] = { "size", true, 2, 0, 8 },
	[INTENSITY] = { "FLOP/B", true, 7, 0, 7 },
	[LOAD] = { "pause", true, 7, 0, 7 },
	[PAGES] = { "pages", false, 7, 0, 8 },
	[THREADS] = { "thr", true, 5, 0, 4 },
	[RESULT] = { "result", true, 0, 0, 16 },
	[INTERVAL] = { "\xc2\xb1", true, 4, 0, 5 },
};

size_t tp_run_view_count(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	return run ? run->n_points : app->session.plan.n;
}

const struct tp_point *tp_run_view_point(const struct tp_app *app, size_t i)
{
	const struct tp_run *run = tp_app_run(app);
	if (i >= tp_run_view_count(app))
		return NULL;
	return run ? &run->points[i] : &app->session.plan.items[i].point;
}

static bool is_current(const struct tp_app *app, const struct tp_point *p)
{
	return app->live.state != TP_LIVE_NONE && app->live.current == (long)p->point;
}

static void values(const struct tp_app *app, const struct tp_point *p, double *median, double *low,
		   double *high)
{
	*median = p->state == TP_POINT_DONE ? tp_point_median(p) : 0;
	*low = p->ci_low;
	*high = p->ci_high;
	if (p->state == TP_POINT_PLANNED && is_current(app, p) &&
	    !run_estimate(p, median, low, high))
		*median = 0;
}

static const char *cell(const struct tp_app *app, const struct tp_point *p, enum column c,
			char *out, size_t size)
{
	const struct tp_shown *shown = tp_shown_of(p);
	double median, low, high, percent;
	char number[32];
	*out = '\0';
	switch (c) {
	case MARK:
		break;
	case ID:
		snprintf(out, size, "%u", p->point + 1);
		break;
	case EXPERIMENT:
		return p->experiment;
	case ISA:
		return tp_kernel_row(p)->isa;
	case PRECISION:
		return tp_kernel_row(p)->precision;
	case KERNEL:
		if (*tp_point_word(p, "technique"))
			return tp_point_word(p, "technique");
		return p->kernel[0] ? p->kernel : tp_kernel_row(p)->fp_op;
	case LEVEL:
		return tp_kernel_row(p)->level;
	case SIZE:
		if (tp_kernel_row(p)->working_set_bytes)
			tp_text_size(out, size, tp_kernel_row(p)->working_set_bytes);
		break;
	case INTENSITY:
		if (tp_kernel_row(p)->ai_flop_per_byte > 0)
			snprintf(out, size, "%.3g", tp_kernel_row(p)->ai_flop_per_byte);
		break;
	case LOAD:
		if (tp_kernel_row(p)->pause_cycles)
			snprintf(out, size, "%u", tp_kernel_row(p)->pause_cycles);
		break;
	case PAGES:
		return tp_kernel_row(p)->pages_wanted;
	case THREADS:
		snprintf(out, size, "%u", p->threads);
		break;
	case RESULT:
		if (p->state == TP_POINT_DONE && shown && shown->result)
			return shown->result(tp_app_run(app), p, out, size);
		values(app, p, &median, &low, &high);
		if (median > 0)
			snprintf(out, size, "%s %-7s",
				 tp_run_number(number, sizeof(number), median), p->unit);
		else if (p->state == TP_POINT_PLANNED && p->estimate_seconds > 0 &&
			 !is_current(app, p))
			snprintf(out, size, "~%.2f s    ", p->estimate_seconds);
		break;
	case INTERVAL:
		values(app, p, &median, &low, &high);
		if (tp_point_has_one_window(p))
			return TP_ONE_WINDOW;
		/* "3.1%": half the interval as a share of the value. */
		percent = median > 0 ? 50 * (high - low) / median : NAN;
		if (low > 0 && high >= low && isfinite(percent))
			snprintf(out, size, percent < 9.95 ? "%.1f%%" : "%.0f%%", percent);
		break;
	case QUALITY:
		return tp_quality_words(p->quality, p->flags, out, size);
	}
	return out;
}

/* Widths that do not change while results come in: columns of results have a fixed width. */
static void measure(struct tp_app *app, struct tp_run_view *view)
{
	size_t n = tp_run_view_count(app);
	const struct tp_run *run = tp_app_run(app);
	uint64_t version = run ? app->live.state == TP_LIVE_DONE : app->setup_version;
	char text[160], first[160];
	if (view->measured == run && view->n_measured == n && view->version == version)
		return;
	if (view->measured != run || !run) {
		view->points.at = view->points.top = 0;
		view->follow = true;
	}
	view->measured = run;
	view->n_measured = n;
	view->version = version;
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		int widest = 0;
		bool differs = false;
		for (size_t i = 0; i < n; i++) {
			const struct tp_point *p = tp_run_view_point(app, i);
			const char *t = cell(app, p, (enum column)c, text, sizeof(text));
			if (i == 0)
				tp_copy(first, sizeof(first), t);
			differs |= strcmp(first, t) != 0;
			widest = TP_MAX(widest, (int)tp_text_columns(t));
		}
		/* What is the same for all points is often no news. */
		bool varies = c == EXPERIMENT || c == PRECISION || c == PAGES || c == THREADS;
		bool shown = c == MARK || (widest && (differs || !varies));
		if (c == RESULT || c == INTERVAL)
			widest = columns[c].most;
		if (c == RESULT || c == INTERVAL)
			shown = c == RESULT || run;
		widest = TP_MAX(widest, (int)tp_text_columns(columns[c].title));
		view->widths[c] = shown ? TP_MIN(TP_MAX(widest, 1), columns[c].most) : 0;
	}
}

static const char *mark_of(const struct tp_app *app, const struct tp_point *p, enum tp_role *role)
{
	bool utf8 = app->term.utf8;
	*role = TP_UI_DIM;
	if (is_current(app, p)) {
		*role = TP_UI_KEY;
		return utf8 ? "\xe2\x96\xb6" : ">";
	}
	switch (p->state) {
	case TP_POINT_DONE:
		*role = TP_UI_GOOD;
		return utf8 ? "\xe2\x9c\x93" : "+";
	case TP_POINT_FAILED:
		*role = TP_UI_BAD;
		return utf8 ? "\xe2\x9c\x97" : "x";
	case TP_POINT_SKIPPED:
		return "-";
	default:
		return " ";
	}
}

/* Room for a word of quality, and for the first of its reasons. */
enum { QUALITY_MIN = 5, REASONS_MIN = 20 };

struct rows {
	const struct tp_app *app;
	struct tp_columns columns;
};

static void draw_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct rows *rows = context;
	const struct tp_app *app = rows->app;
	const struct tp_point *p = tp_run_view_point(app, i);
	bool planned = p->state == TP_POINT_PLANNED;
	bool lost = p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED;
	enum tp_role mark, role = planned && !is_current(app, p) ? TP_UI_DIM : TP_UI_PLAIN;
	const char *sign = mark_of(app, p, &mark);
	char text[160];
	int at = rows->columns.end;
	if (selected)
		role = mark = TP_UI_SELECTED;
	tp_paint_text(line, 0, 0, mark, sign);
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		if (c == RESULT && lost) {
			tp_paint_text(line, 0, rows->columns.from[c],
				      selected			    ? TP_UI_SELECTED
				      : p->state == TP_POINT_FAILED ? TP_UI_BAD
								    : TP_UI_DIM,
				      p->diag.what);
			return;
		}
		enum tp_role looks = selected			? TP_UI_SELECTED
				     : c == RESULT && !planned	? TP_UI_STRONG
				     : c == INTERVAL || c == ID ? TP_UI_DIM
								: role;
		tp_columns_cell(&rows->columns, line, c, looks,
				cell(app, p, (enum column)c, text, sizeof(text)));
	}
	/* The quality in the rest of the row: with its reasons, as a word, or as a mark. */
	role = selected ? TP_UI_SELECTED : tp_quality_role(p->quality);
	int room = line.columns - at - 1;
	const char *words = cell(app, p, QUALITY, text, sizeof(text));
	if (room < QUALITY_MIN)
		tp_paint_text(line, 0, line.columns - 1, role,
			      tp_quality_mark(p->quality, p->flags));
	else if (p->quality != TP_QUALITY_NONE && room < REASONS_MIN)
		tp_paint_text(line, 0, at + 1, role, tp_quality_name(p->quality));
	else
		tp_paint_text(line, 0, at + 1, role, words);
}

void tp_run_list_draw(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	enum { KERNEL_MIN = 12 };
	struct rows rows = { .app = app, .columns = { .of = columns, .n = TP_RUN_COLUMNS } };
	int room = area.columns, *kernel = &rows.columns.widths[KERNEL];
	measure(app, view);
	memcpy(rows.columns.widths, view->widths, sizeof(view->widths));
	/* First cuts long kernels, then drops the least important columns. */
	for (int i = 0; i < TP_RUN_COLUMNS; i++)
		room -= rows.columns.widths[i] ? rows.columns.widths[i] + 1 : 0;
	if (room < 0 && *kernel > KERNEL_MIN)
		*kernel = TP_MAX(*kernel + room, (int)KERNEL_MIN);
	tp_columns_fit(&rows.columns, 0, area.columns);
	if (view->follow && app->live.state != TP_LIVE_NONE && app->live.current >= 0)
		view->points.at = (size_t)app->live.current;
	tp_list_resize(&view->points, tp_run_view_count(app));
	for (int c = 0; c < TP_RUN_COLUMNS; c++)
		tp_columns_cell(&rows.columns, area, c, TP_UI_DIM,
				c == RESULT			    ? "result       "
				: c == INTERVAL && !area.term->utf8 ? "+-"
								    : columns[c].title);
	tp_list_paint(&view->points, tp_area_rows(area, 1, area.rows - 1), draw_row, &rows);
}

/* One point of a run: its words, its windows as a plot. */

/* Windows further from the median would squeeze all the others together; they are drawn at the
 * edge. */
#define LOWEST_OF_MEDIAN  0.6
#define HIGHEST_OF_MEDIAN 1.8

static void value_line(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	char text[32];
	double median = tp_point_median(p), low = p->ci_low, high = p->ci_high;
	bool done = p->state == TP_POINT_DONE;
	if (!done && !run_estimate(p, &median, &low, &high)) {
		tp_doc_row(doc, 0, TP_UI_DIM, "no window yet: buffers, warm-up, races");
		return;
	}
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s %s", tp_run_number(text, sizeof(text), median),
		   p->unit);
	if (tp_point_has_one_window(p))
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_WARN, " (" TP_ONE_WINDOW ")");
	else if (median > 0 && low > 0 && high >= low)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_PLAIN, " %s%.2g %%",
			      app->term.utf8 ? "\xc2\xb1" : "+-", 50 * (high - low) / median);
	if (!done)
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_DIM, "  so far");
	else if (tp_point_best(p) > 0)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  best %s",
			      tp_run_number(text, sizeof(text), tp_point_best(p)));
}

static void windows_line(const struct tp_point *p, struct tp_doc *doc)
{
	bool done = p->state == TP_POINT_DONE;
	size_t lost = 0;
	char seconds[32];
	if (!p->n_samples)
		return;
	for (size_t i = 0; i < p->n_samples; i++)
		lost += p->samples[i].flags != 0;
	if (done)
		lost = p->n_samples - TP_MIN(p->kept, (unsigned)p->n_samples);
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%zu windows", p->n_samples);
	if (!done && all_disturbed(p))
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_WARN, ", all disturbed so far");
	else if (lost)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_WARN, ", %zu %s", lost,
			      done ? "dropped" : "disturbed");
	if (p->invocations > 1)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_PLAIN, ", %u processes", p->invocations);
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", %s%s", done ? "" : "about ",
		      tp_format_seconds(seconds, sizeof(seconds),
					done ? p->seconds : p->estimate_seconds));
}

static void title_line(const struct tp_point *p, struct tp_doc *doc)
{
	char text[32];
	const char *isa = tp_kernel_row(p)->isa, *precision = tp_kernel_row(p)->precision;
	tp_doc_row(doc, 0, TP_UI_STRONG, "%s%s%s%s%s", isa, *isa ? " " : "", precision,
		   *precision ? " " : "", p->kernel);
	if (tp_kernel_row(p)->level[0])
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s", tp_kernel_row(p)->level);
	if (tp_kernel_row(p)->working_set_bytes)
		tp_doc_format(
			doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s",
			tp_format_bytes(text, sizeof(text), tp_kernel_row(p)->working_set_bytes));
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s on CPU %s",
		      tp_text_count(text, sizeof(text), p->threads, "thread"), p->cpus);
}

static const char *const quality_meanings[TP_QUALITY_COUNT] = {
	[TP_QUALITY_GOOD] = "good",
	[TP_QUALITY_FAIR] = "fair: it may be some percent off, because",
	[TP_QUALITY_POOR] = "poor: do not use it, because",
};

static void fill(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	char text[TP_FLAG_ADVICE_BYTES + 32], advice[TP_FLAG_ADVICE_BYTES];
	double median = tp_point_median(p);
	title_line(p, doc);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		tp_doc_paragraph(doc, 0, p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN,
				 p->diag.what);
		const char *hint = tp_hint_on_screen(p->diag.hint);
		if (*hint)
			tp_doc_paragraph(doc, 0, TP_UI_DIM, hint);
		return;
	}
	if (p->state == TP_POINT_PLANNED && app->live.current != (long)p->point) {
		tp_doc_row(doc, 0, TP_UI_DIM, "planned, about %s",
			   tp_format_seconds(text, sizeof(text), p->estimate_seconds));
		return;
	}
	const struct tp_shown *shown = tp_shown_of(p);
	const char *phase = p->state == TP_POINT_PLANNED && shown && shown->phase
				    ? shown->phase(app, p, text, sizeof(text))
				    : NULL;
	if (phase)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s", phase);
	if (phase || (shown && shown->tell && shown->tell(app, p, doc)))
		return;
	value_line(app, p, doc);
	windows_line(p, doc);
	TP_STR line = { 0 };
	if (tp_kernel_row(p)->bytes_per_cycle > 0)
		tp_str_printf(&line, "%.4g bytes/cycle  ", tp_kernel_row(p)->bytes_per_cycle);
	if (tp_kernel_row(p)->flop_per_cycle > 0)
		tp_str_printf(&line, "%.4g FLOP/cycle  ", tp_kernel_row(p)->flop_per_cycle);
	if (tp_kernel_row(p)->ipc > 0)
		tp_str_printf(&line, "IPC %.3g  ", tp_kernel_row(p)->ipc);
	if (p->core_ghz > 0)
		tp_str_printf(&line, "%.2f GHz", p->core_ghz);
	if (line.len)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s", tp_str_text(&line));
	const double reach = tp_kernel_row(p)->reachable, most = reach > 0 ? reach : p->bound;
	if (p->state == TP_POINT_DONE && most > 0 && median > 0 && !p->less_is_better)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%.0f %% of the %s %s %s", 100 * median / most,
			   reach > 0 ? "reachable" : "theoretical",
			   tp_run_number(text, sizeof(text), most), p->unit);
	if (reach > 0)
		tp_doc_row(doc, 0, TP_UI_DIM, "its ports add up to %s %s",
			   tp_run_number(text, sizeof(text), p->bound), p->unit);
	if (*tp_kernel_row(p)->cpu_kind || *tp_kernel_row(p)->memory)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s%s%s%s", tp_kernel_row(p)->cpu_kind,
			   *tp_kernel_row(p)->cpu_kind && *tp_kernel_row(p)->memory ? ", " : "",
			   *tp_kernel_row(p)->memory ? "memory of " : "", tp_kernel_row(p)->memory);
	const char *variant = tp_point_word(p, "variant");
	if (*variant)
		tp_doc_row(doc, 0, TP_UI_DIM, "body %s%s%s", variant,
			   tp_kernel_row(p)->pages[0] ? ", pages " : "", tp_kernel_row(p)->pages);
	if (p->quality != TP_QUALITY_NONE)
		tp_doc_row(doc, 0, tp_quality_role(p->quality), "%s", quality_meanings[p->quality]);
	uint32_t flags = tp_quality_reasons(p->quality, p->flags);
	for (int f = 0; f < TP_FLAG_COUNT; f++)
		if (flags & 1u << f) {
			snprintf(text, sizeof(text), "%s: %s", tp_flag_name((enum tp_flag)f),
				 tp_flag_advice((enum tp_flag)f, advice, sizeof(advice)));
			tp_doc_paragraph(doc, 0, TP_UI_WARN, text);
		}
}

void tp_run_point_text(struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	struct tp_doc doc = { .columns = area.columns };
	fill(app, p, &doc);
	tp_doc_paint(&doc, area, 0, (size_t)-1);
	tp_doc_release(&doc);
}

/* The windows that were quiet, or those that were disturbed; false if there are none. */
static bool add_windows(struct tp_picture *picture, const struct tp_point *p, double median,
			bool disturbed)
{
	const size_t from = first_window(p);
	const bool all = all_disturbed(p);
	double *x, *y;
	struct tp_series *s = tp_picture_series(picture, p->n_samples - from, &x, &y);
	s->n = 0;
	for (size_t i = from; i < p->n_samples; i++) {
		if ((!all && p->samples[i].flags) != disturbed)
			continue;
		x[s->n] = (double)(i + 1);
		y[s->n++] = fmin(fmax(value_of(p, &p->samples[i]), LOWEST_OF_MEDIAN * median),
				 HIGHEST_OF_MEDIAN * median);
	}
	s->label = disturbed ? "disturbed" : "quiet";
	s->style = TP_STYLE_DOTS;
	s->role = disturbed ? TP_ROLE_SERIES_1 : TP_ROLE_SERIES_0;
	s->glyph = disturbed ? 'x' : 'o';
	return s->n > 0;
}

/* Axes begin again where the picture is of something else. */
static void begin_axes(struct tp_held_axes *held, char *of, size_t size, const char *key)
{
	held->any &= strcmp(of, key) == 0;
	tp_copy(of, size, key);
}

void tp_run_point_plot(struct tp_app *app, struct tp_run_view *view, const struct tp_point *p,
		       struct tp_area area)
{
	double median, low, high, *x, *y;
	char key[sizeof(view->windows_of)];
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN ||
	    !run_estimate(p, &median, &low, &high))
		return;
	struct tp_picture *picture = tp_picture_new();
	struct tp_scene *scene = &picture->scene;
	const size_t first = first_window(p);
	struct tp_series *line = tp_picture_series(picture, 2, &x, &y);
	line->label = "median";
	line->style = TP_STYLE_DASHED;
	line->role = TP_ROLE_MARK;
	line->glyph = '-';
	y[0] = y[1] = median;
	add_windows(picture, p, median, false);
	scene->series = picture->series;
	scene->n_series = 2 + (size_t)add_windows(picture, p, median, true);
	scene->x = (struct tp_scale){ .unit = TP_UNIT_WHOLE, .label = "window" };
	scene->y = (struct tp_scale){ .unit = TP_UNIT_PLAIN, .label = p->unit };
	x[0] = x[1] = (double)first + 1;
	/* For only the newest windows, the first ones leave the picture. */
	snprintf(key, sizeof(key), "%p %u %zu", (const void *)tp_app_run(app), p->point, first);
	begin_axes(&view->windows, view->windows_of, sizeof(view->windows_of), key);
	tp_axes_hold(&view->windows, scene);
	x[0] = scene->x.min;
	x[1] = scene->x.max;
	tp_paint_scene(area, scene, app->glyphs);
	tp_picture_free(picture);
}

/*
 * The picture of the whole run while it grows: the roofline, or the curve of the current point. Its
 * axes come from the plan if possible.
 */

/* The last picture of the group that is not empty: it has the newest curves. */
static bool draw_curves(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *like)
{
	const struct tp_group group = { like->run, like->threads, tp_kernel_row(like)->precision,
					like->experiment };
	bool any = false;
	for (size_t from = 0;; from += TP_PICTURE_CURVES) {
		TP_FREE struct tp_picture *next = tp_alloc(1, sizeof(*next));
		if (!tp_picture_curves(next, run, &group, from)) {
			tp_arena_release(&next->arena);
			return any;
		}
		tp_arena_release(&picture->arena);
		*picture = *next;
		picture->scene.series = picture->series;
		picture->scene.marks = picture->marks;
		any = true;
	}
}

/* The estimate of the current point, at its place on the curve. */
static void mark_current(struct tp_app *app, struct tp_picture *picture,
			 const struct tp_point *point)
{
	double median, low, high, *x, *y;
	if (app->live.current != (long)point->point || !tp_kernel_row(point)->working_set_bytes ||
	    !run_estimate(point, &median, &low, &high))
		return;
	struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
	if (!s)
		return;
	x[0] = (double)tp_kernel_row(point)->working_set_bytes;
	y[0] = median;
	s->label = "now";
	s->style = TP_STYLE_DOTS;
	s->role = TP_ROLE_MARK;
	s->glyph = '@';
	picture->scene.n_series = picture->n_series;
}

void tp_run_whole_draw(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_shown *shown = run && point ? tp_shown_of(point) : NULL;
	if (!run || !point || area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN)
		return;
	TP_FREE struct tp_picture *picture = tp_alloc(1, sizeof(*picture));
	const struct tp_reporter *reporter = tp_reporter_find(point->experiment);
	bool curve = reporter && reporter->curve_title;
	bool any = reporter && reporter->curves && draw_curves(picture, run, point);
	if (!any && shown && shown->grow)
		any = shown->grow(app, point, area, picture);
	if (!any && reporter)
		any = tp_reporter_picture_of(reporter, run, point->point, (size_t)area.columns,
					     (size_t)area.rows, picture);
	char key[sizeof(view->whole_of)];
	snprintf(key, sizeof(key), "%p %d %u %u %s %s", (const void *)run, any, point->run,
		 curve ? point->threads : 0, tp_kernel_row(point)->precision, point->experiment);
	begin_axes(&view->whole, view->whole_of, sizeof(view->whole_of), key);
	struct tp_scene *scene = &picture->scene;
	if (tp_live_is_under_way(&app->live) && scene->x.unit != TP_UNIT_NAMES &&
	    scene->y.unit != TP_UNIT_NAMES && any) {
		if (curve) {
			mark_current(app, picture, point);
			tp_axes_hold_sizes(scene, run, point);
		}
		tp_axes_hold(&view->whole, scene);
	}
	if (any)
		tp_paint_scene(area, scene, app->glyphs);
	else
		tp_paint_wrapped(area, area.rows / 2, 2, TP_UI_DIM,
				 "The picture grows with the points; the first one is on its way.");
	tp_arena_release(&picture->arena);
}
