/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counters run under way: which family and kernel, how much was read, what the last counts were,
 * which families are analysed.
 */
#include "experiments/counters/screen_progress.h"
#include "base/units.h"
#include "base/vec.h"
#include "kernels/counting.h"
#include "report/text.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/count_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 14, BAR_COLUMNS_MAX = 24, WORDS_COLUMNS = 46 };
/* A rate needs some time behind it. */
#define RATE_SECONDS 0.05

static bool point_is_counting(const struct tp_point *point)
{
	return strcmp(point->experiment, "counters") == 0;
}

static const struct tp_reading_family *readings_of(const struct tp_run *run,
						   const struct tp_point *p)
{
	char family[sizeof(p->kernel)];
	tp_count_family(p, family, sizeof(family));
	return tp_readings_of_run(tp_run_readings(run), family, p->run);
}

static const struct tp_family *kernel_of(const struct tp_point *p, unsigned *kernel)
{
	char name[sizeof(p->kernel)];
	const char *wanted = tp_count_family(p, name, sizeof(name));
	const struct tp_family *family = tp_family_find(name);
	for (unsigned k = 0; family && k < family->n_kernels; k++)
		if (strcmp(family->kernel_name(k, name, sizeof(name)), wanted) == 0) {
			*kernel = k;
			return family;
		}
	return NULL;
}

struct tp_reading_tally tp_point_tally(const struct tp_run *run, const struct tp_point *p)
{
	struct tp_reading_tally tally = { 0 };
	const struct tp_reading_family *readings = readings_of(run, p);
	unsigned kernel;
	const struct tp_family *family = kernel_of(p, &kernel);
	if (!readings || !family)
		return tally;
	for (unsigned row = tp_family_first_row(family, kernel);
	     row < tp_family_first_row(family, kernel + 1) && row < readings->n_rows; row++)
		tally.rows += isfinite(readings->iterations[row]);
	tally.events = tally.rows ? readings->n_events : 0;
	tally.repetitions = tally.rows ? readings->n_repetitions : 0;
	tally.readings = tally.rows * tally.events * tally.repetitions;
	return tally;
}

/* --- one point --- */

static int last_counts(const struct tp_live *live, struct tp_area area, int row)
{
	int from = row;
	for (size_t i = 0; i < live->n_last && row < area.rows; i++) {
		/* The newest first. */
		const struct tp_live_row *last =
			&live->last[(live->last_at + TP_LIVE_ROWS - 1 - i) % TP_LIVE_ROWS];
		const struct tp_counts *c = (const void *)&last->row;
		if (last->event != &tp_counts_event)
			continue;
		char value[48];
		if (row == from)
			tp_paint_text(area, row++, 0, TP_UI_TITLE, "Last counts");
		if (row >= area.rows)
			break;
		double count = c->n ? c->counts[c->n - 1] : NAN;
		if (isnan(count))
			snprintf(value, sizeof(value), "could not be counted");
		else
			snprintf(value, sizeof(value), "%.0f", count);
		int room = TP_MAX(area.columns - 34, 12);
		tp_paint_text(tp_area_columns(area, 0, room), row, 0, TP_UI_PLAIN, c->event);
		tp_paint_right(area, row, TP_MIN(room + 18, area.columns), TP_UI_STRONG, value);
		if (isfinite(count) && c->iterations > 0)
			tp_paint_format(area, row, room + 20, TP_UI_DIM, "%.6g each",
					count / c->iterations);
		row++;
	}
	return row - from;
}

int tp_counting_text(const struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = tp_app_run(app);
	bool current = live->state != TP_LIVE_NONE && live->current == (long)p->point;
	char count[32], threads[32], seconds[48], family[sizeof(p->kernel)];
	const char *kernel = tp_count_family(p, family, sizeof(family));
	int row = 0;
	tp_paint_format(area, row++, 0, TP_UI_STRONG, "%s, kernel %s, %s on CPU %s", family, kernel,
			tp_text_count(threads, sizeof(threads), p->threads, "thread"), p->cpus);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		enum tp_role role = p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN;
		row += tp_paint_wrapped(area, row, 0, role, p->diag.what);
		if (p->diag.hint[0])
			row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, p->diag.hint);
		return row;
	}
	if (p->state == TP_POINT_PLANNED && !current) {
		tp_paint_format(area, row++, 0, TP_UI_DIM, "planned, about %s",
				tp_format_seconds(seconds, sizeof(seconds), p->estimate_seconds));
		return row;
	}
	if (current) {
		double since = live->row_t - live->begun_t;
		if (!live->n_values) {
			tp_paint_text(area, row++, 0, TP_UI_DIM,
				      "no reading yet: code, data, the source of events");
			return row;
		}
		int at = tp_paint_format(area, row, 0, TP_UI_TITLE, "%zu readings", live->n_values);
		at += tp_paint_text(area, row, at, TP_UI_DIM, "  so far");
		if (since > RATE_SECONDS)
			tp_paint_format(area, row, at, TP_UI_PLAIN, ", %.4g a second",
					(double)live->n_values / since);
		row++;
		row += last_counts(live, area, row);
		return row;
	}
	struct tp_reading_tally tally =
		run ? tp_point_tally(run, p) : (struct tp_reading_tally){ 0 };
	if (!tally.readings) {
		tp_paint_text(area, row++, 0, TP_UI_WARN, "nothing was read");
		return row;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_TITLE, "%zu readings", tally.readings);
	at += tp_paint_format(area, row, at, TP_UI_PLAIN, ": %zu events x %s", tally.events,
			      tp_text_count(count, sizeof(count), tally.rows, "row"));
	tp_paint_format(area, row++, at, TP_UI_PLAIN, " x %s",
			tp_text_count(count, sizeof(count), tally.repetitions, "repetition"));
	tp_format_seconds(seconds, sizeof(seconds), p->seconds);
	tp_paint_format(area, row++, 0, TP_UI_DIM, "counted by %s in %s",
			tp_count_row(p)->source[0] ? tp_count_row(p)->source : "?", seconds);
	return row;
}

/* --- the run --- */

/* What came of the readings of a family; NULL before it is analysed. */
static const struct tp_class *class_of(const struct tp_run *run,
				       const struct tp_reading_family *readings, unsigned index)
{
	for (size_t i = 0; readings && i < tp_run_n_classes(run); i++)
		if (tp_run_classes(run)[i].run == index &&
		    strcmp(tp_run_classes(run)[i].family, readings->name) == 0)
			return &tp_run_classes(run)[i];
	return NULL;
}

/*
 * One line a family: how many kernels ran, how much was read; once it is analysed, what came of it.
 */
static void draw_family(const struct tp_run *run, size_t first, struct tp_area area, int row)
{
	const struct tp_point *p = &run->points[first];
	size_t all = 0, gone = 0;
	for (size_t i = first; i < run->n_points; i++)
		if (point_is_counting(&run->points[i]) &&
		    tp_count_same_family(p, &run->points[i])) {
			all++;
			gone += run->points[i].state != TP_POINT_PLANNED;
		}
	const struct tp_reading_family *readings = readings_of(run, p);
	const struct tp_class *class = class_of(run, readings, p->run);
	char family[sizeof(p->kernel)];
	int bar = TP_MIN(area.columns / 8, (int)BAR_COLUMNS_MAX), at = NAME_COLUMNS;
	tp_count_family(p, family, sizeof(family));
	tp_paint_format(tp_area_columns(area, 0, NAME_COLUMNS - 1), row, 0,
			gone ? TP_UI_PLAIN : TP_UI_DIM, "%s", family);
	tp_paint_bar(area, row, at, bar, (double)gone / (double)all,
		     gone == all ? TP_UI_GOOD : TP_UI_KEY);
	at += bar + 1;
	char count[32];
	snprintf(count, sizeof(count), "%zu/%zu", gone, all);
	tp_paint_right(area, row, at + 7, TP_UI_DIM, count);
	at += 9;
	struct tp_area rest = tp_area_columns(area, at, area.columns - at);
	if (class) {
		size_t defined = 0;
		for (size_t i = 0; i < class->n_metrics; i++)
			defined += class->metrics[i].defined;
		int used = tp_paint_format(rest, row, 0, TP_UI_GOOD, "%zu of %zu%s chosen",
					   class->n_chosen, class->n_events,
					   rest.columns < WORDS_COLUMNS ? "" : " events");
		if (class->n_metrics && rest.columns >= WORDS_COLUMNS)
			tp_paint_format(rest, row, used, TP_UI_PLAIN, ", %zu of %zu metrics",
					defined, class->n_metrics);
	} else if (readings) {
		tp_paint_format(rest, row, 0, TP_UI_PLAIN, "%zu events so far", readings->n_events);
	} else if (gone == all) {
		tp_paint_text(rest, row, 0, TP_UI_WARN, "nothing was read");
	}
}

void tp_counting_run_draw(const struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	int row = 1;
	for (size_t i = 0; i < run->n_points && row < area.rows; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !point_is_counting(p);
		for (size_t k = 0; k < i && !known; k++)
			known = point_is_counting(&run->points[k]) &&
				tp_count_same_family(p, &run->points[k]);
		if (!known)
			draw_family(run, i, tp_area_columns(area, 1, area.columns - 2), row++);
	}
}

void tp_counters_progress_draw(const struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_live *live = &app->live;
	area = tp_area_columns(area, 2, TP_MIN(area.columns - 4, 100));
	bool under_way = tp_live_is_under_way(live);
	tp_paint_text(area, 1, 0, TP_UI_TITLE,
		      under_way ? "Counting" : "No family of this run could be analysed");
	tp_paint_wrapped(area, 2, 0, TP_UI_DIM,
			 under_way ? "A family appears here as soon as its last kernel ran."
				   : "3 shows what became of its points, t there what was said.");
	int row = 4;
	if (under_way && live->current >= 0 && (size_t)live->current < run->n_points) {
		const struct tp_point *p = &run->points[live->current];
		if (point_is_counting(p))
			row += tp_counting_text(
				       app, p, tp_area_rows(area, row, TP_MIN(area.rows / 2, 12))) +
			       1;
	}
	tp_counting_run_draw(app, tp_area_rows(area, row - 1, area.rows - row + 1));
}
