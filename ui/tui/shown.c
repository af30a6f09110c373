/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/shown.h"
#include "experiments/experiment.h"
#include "experiments/list.h"
#include "ui/tui/app.h"

#include <string.h>

#define DECLARE(name) extern const struct tp_shown tp_shown_##name;
TP_EXPERIMENT_LIST(DECLARE)
#undef DECLARE

/* In the order of tp_experiment_at. */
#define ROW(name) &tp_shown_##name,
const struct tp_shown *const tp_shown_table[] = { TP_EXPERIMENT_LIST(ROW) NULL };
#undef ROW

const struct tp_shown *tp_shown_of(const struct tp_point *point)
{
	const struct tp_experiment *e;
	size_t i = 0;
	while ((e = tp_experiment_at(i)) && strcmp(e->name, point->experiment) != 0)
		i++;
	return tp_shown_table[i];
}

static const char *finds(size_t i, const struct tp_run *run)
{
	const struct tp_shown *shown = tp_shown_table[i];
	bool any = shown->count	 ? shown->count(run) > 0
		   : shown->part ? TP_N(run, *shown->part) > 0
				 : false;
	for (size_t k = 0; k < run->n_points && !shown->count && !shown->part && !any; k++)
		any = run->points[k].state == TP_POINT_DONE &&
		      strcmp(run->points[k].experiment, tp_experiment_at(i)->name) == 0;
	return any ? shown->words : NULL;
}

const char *tp_shown_finds(enum tp_screen_id screen, const struct tp_run *run)
{
	const char *found = NULL;
	for (size_t i = 0; tp_shown_table[i] && !found; i++)
		if (tp_shown_table[i]->screen == screen)
			found = finds(i, run);
	return found;
}

enum tp_screen_id tp_shown_screen(const struct tp_run *run)
{
	for (size_t i = tp_experiment_count(); i-- > 0;)
		if (finds(i, run))
			return tp_shown_table[i]->screen;
	return TP_SCREEN_RUN;
}

void tp_shown_go(struct tp_app *app, enum tp_screen_id on)
{
	if (app->live.state != TP_LIVE_NONE)
		tp_app_say(app, TP_UI_WARN,
			   "a run is under way and stays; the opened one is drawn over it");
	tp_app_go(app, on == TP_SCREEN_COUNT ? tp_shown_screen(&app->runs[0].run) : on);
}
