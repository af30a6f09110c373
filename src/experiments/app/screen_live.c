/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is being measured: which phase, and how far. */
#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/options.h"
#include "experiments/app/screen.h"
#include "session/live.h"
#include "ui/tui/widgets/list.h"

#include <stdio.h>

enum { BAR_MOST = 60 };

/* The runs that are timed at least; 0 = not known, as in a replay. */
static size_t least_runs(const struct tp_app *app, const struct tp_point *p)
{
	const struct tp_plan *plan = &app->session.plan;

	return !app->live.replay && plan->n == app->live.n_points && p->point < plan->n
		       ? (size_t)tp_config_count(plan->items[p->point].config, TP_OPT_APP_RUNS)
		       : 0;
}

static void of_program(const struct tp_app *app, const struct tp_point *p, struct tp_area area,
		       int row)
{
	const size_t n = p->n_samples, least = least_runs(app, p);
	char seconds[48];

	if (n == 0) {
		tp_paint_text(area, row, 0, TP_UI_STRONG,
			      "Counting: the program runs with instrumentation, not timed");
		return;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_STRONG, "Timing: run %zu", n + 1);
	if (n < least)
		at += tp_paint_format(area, row, at, TP_UI_STRONG, " of %zu at least", least);
	else
		at += tp_paint_text(area, row, at, TP_UI_PLAIN, ", until the interval is narrow");
	tp_paint_format(area, row, at, TP_UI_PLAIN, "; the last took %s",
			tp_format_seconds(seconds, sizeof(seconds), p->samples[n - 1].seconds));
}

static void clocks(const struct tp_live *live, struct tp_area area, int row)
{
	char gone[48], left[48];
	int columns = TP_MIN(area.columns / 2, (int)BAR_MOST);
	double all = live->elapsed_seconds + live->remaining_seconds;

	tp_paint_bar(area, row, 0, columns, all > 0 ? live->elapsed_seconds / all : 0, TP_UI_GOOD);
	int at = columns + 1;
	at += tp_paint_format(area, row, at, TP_UI_PLAIN, "%s",
			      tp_format_seconds(gone, sizeof(gone), live->elapsed_seconds));
	if (live->remaining_seconds > 0)
		tp_paint_format(area, row, at, TP_UI_DIM, ", about %s left",
				tp_format_seconds(left, sizeof(left), live->remaining_seconds));
}

/* What comes after what, the one under way in its own look. */
static void phases(const struct tp_live *live, unsigned roofs, unsigned measured,
		   struct tp_area area, int row)
{
	const struct tp_point *p = live->current >= 0 && (size_t)live->current < live->run.n_points
					   ? &live->run.points[live->current]
					   : NULL;
	bool program = p && tp_point_is_app(p);
	struct tp_text_row words = { area, row, 0 };

	tp_words(&words, 0, program && !p->n_samples ? TP_UI_STRONG : TP_UI_DIM, "counting");
	tp_words(&words, 0, TP_UI_DIM, " > ");
	tp_words(&words, 0, program && p->n_samples ? TP_UI_STRONG : TP_UI_DIM, "timing");
	if (!roofs)
		return;
	tp_words(&words, 0, TP_UI_DIM, " > ");
	tp_words(&words, 0, p && !program ? TP_UI_STRONG : TP_UI_DIM, "roofs (%u of %u)", measured,
		 roofs);
}

int tp_app_paint_phase(const struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = &live->run;
	unsigned roofs = 0, measured = 0;
	bool programs = false;

	if (!tp_live_is_under_way(live))
		return 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		programs |= tp_point_is_app(p);
		roofs += !tp_point_is_app(p);
		measured += !tp_point_is_app(p) && p->state != TP_POINT_PLANNED;
	}
	if (!programs)
		return 0;
	if (live->state == TP_LIVE_PAUSED)
		tp_paint_text(area, 0, 0, TP_UI_WARN, "Paused; p goes on");
	else if (live->current < 0 || (size_t)live->current >= run->n_points)
		tp_paint_text(area, 0, 0, TP_UI_STRONG,
			      "Beginning: the engine looks at the machine and the program");
	else if (tp_point_is_app(&run->points[live->current]))
		of_program(app, &run->points[live->current], area, 0);
	else
		tp_paint_format(area, 0, 0, TP_UI_STRONG, "Roofs: point %u of %u, %s", measured + 1,
				roofs, run->points[live->current].kernel);
	clocks(live, area, 1);
	phases(live, roofs, measured, area, 2);
	return 4;
}
