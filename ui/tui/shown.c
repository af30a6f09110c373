/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/shown.h"
#include "experiments/experiment.h"

#include <string.h>

static const struct tp_shown *const *table;

void tp_shown_use(const struct tp_shown *const *of_program)
{
	table = of_program;
}

const struct tp_shown *tp_shown_at(size_t i)
{
	return table[i];
}

const struct tp_shown *tp_shown_of(const struct tp_point *point)
{
	const struct tp_experiment *e;
	size_t i = 0;
	while ((e = tp_experiment_at(i)) && strcmp(e->name, point->experiment) != 0)
		i++;
	return table[i];
}

static const char *finds(size_t i, const struct tp_run *run)
{
	const struct tp_shown *shown = table[i];
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
	for (size_t i = 0; table[i] && !found; i++)
		if (table[i]->screen == screen)
			found = finds(i, run);
	return found;
}

enum tp_screen_id tp_shown_screen(const struct tp_run *run)
{
	for (size_t i = tp_experiment_count(); i-- > 0;)
		if (finds(i, run))
			return table[i]->screen;
	return TP_SCREEN_RUN;
}
