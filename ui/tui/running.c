/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/running.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ui/tui/shown.h"

/* What is being done to the point under way; NULL: windows. */
static const char *phase_of(const struct tp_app *app, char *out, size_t size)
{
	const struct tp_live *live = &app->live;
	const struct tp_point *p = live->current >= 0 && (size_t)live->current < live->run.n_points
					   ? &live->run.points[live->current]
					   : NULL;
	const struct tp_shown *shown = p ? tp_shown_of(p) : NULL;
	return shown && shown->phase && !live->replay && live->state == TP_LIVE_RUNNING &&
			       p->state == TP_POINT_PLANNED
		       ? shown->phase(app, p, out, size)
		       : NULL;
}

const char *tp_running_words(const struct tp_app *app, enum tp_role *role, char *out, size_t size)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = tp_app_run(app);
	const char *phase = phase_of(app, out, size);
	char bytes[32];
	*role = TP_UI_KEY;
	switch (live->state) {
	case TP_LIVE_RUNNING:
		if (live->n_sources && !live->replay)
			return tp_text_compiling(out, size, live->n_compiled, live->n_sources);
		if (phase)
			return phase;
		if (live->replay || !live->touch_bytes)
			return live->replay ? "replay" : "measuring";
		/* The first touch of memory can take seconds for each GiB. */
		snprintf(out, size, "preparing %s, %.0f %%",
			 tp_format_bytes(bytes, sizeof(bytes), live->touch_bytes),
			 100.0 * (double)live->touched_bytes / (double)live->touch_bytes);
		return out;
	case TP_LIVE_PAUSED:
		*role = TP_UI_WARN;
		return live->replay || live->current < 0 ? "paused" : "pauses after this point";
	case TP_LIVE_STOPPING:
		*role = TP_UI_WARN;
		return "stopping";
	default:
		*role = strcmp(run->state, "complete") == 0 ? TP_UI_GOOD : TP_UI_WARN;
		return run->state;
	}
}

void tp_running_clock(char *out, size_t size, double seconds)
{
	long s = (long)seconds;
	if (s >= 3600)
		snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
}

void tp_running_paint(const struct tp_app *app, struct tp_area area)
{
	enum { BAR_LEAST = 4, BAR_MOST = 10 };
	const struct tp_live *live = &app->live;
	const struct tp_run *run = &live->run;
	char room[96], state[128], left[32], clock[24], count[32];
	enum tp_role role;
	if (!tp_live_is_under_way(live))
		return;
	bool names = live->current >= 0 && (size_t)live->current < run->n_points;
	const char *words = tp_running_words(app, &role, room, sizeof(room));
	tp_running_clock(clock, sizeof(clock), ceil(live->remaining_seconds));
	snprintf(left, sizeof(left), "%s left", clock);
	snprintf(count, sizeof(count), "%u/%u", live->n_done, live->n_points);
	const bool phase = phase_of(app, room, sizeof(room));
	/* The longest that has room, with a bar or without. */
	const struct {
		bool experiment, words;
		int bar;
	} forms[] = { { names, true, BAR_LEAST },
		      { false, true, BAR_LEAST },
		      { false, true, 0 },
		      { false, false, BAR_LEAST },
		      { false, false, 0 } };
	for (size_t i = 0; i < TP_COUNT_OF(forms); i++) {
		snprintf(state, sizeof(state), "%s%s%s%s%s",
			 forms[i].experiment ? run->points[live->current].experiment : "",
			 forms[i].experiment ? "  " : "", forms[i].words ? words : "",
			 forms[i].words && !phase ? " " : "", forms[i].words && phase ? "" : count);
		int used = (int)(tp_cell_columns(state) + 2 + strlen(left) + 1);
		int bar = area.columns - used - 2;
		if (bar < forms[i].bar - (forms[i].bar ? 0 : 2))
			continue;
		tp_paint_right(area, 0, area.columns - 1, TP_UI_TAB, left);
		bar = forms[i].bar ? TP_MIN(bar, BAR_MOST) : 0;
		int at = area.columns - used - (bar ? bar + 2 : 0);
		at += tp_paint_text(area, 0, at, TP_UI_BAR_KEY, state) + 2;
		if (bar)
			tp_paint_bar(area, 0, at, bar,
				     live->elapsed_seconds /
					     (live->elapsed_seconds + live->remaining_seconds),
				     TP_UI_TAB);
		return;
	}
}
