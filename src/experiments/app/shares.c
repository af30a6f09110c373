/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/shares.h"
#include "base/memory.h"

#include <string.h>

/* Classes with less of the instructions are no bar. */
#define LEAST_PERCENT 0.05

bool tp_app_is_told(const struct tp_point *point, const struct tp_app_region_row *row)
{
	return row->point == point->point && row->run == point->run && tp_app_is_whole(row) &&
	       strcmp(row->source, tp_app_row(point)->source) == 0 &&
	       strcmp(row->region, TP_APP_OUTSIDE) != 0;
}

/* Classes of instructions, the most frequent first; extensions (isa_) are another view of them. */
static bool is_kind(const struct tp_app_class_row *c)
{
	static const char *const besides[] = { "instructions", "loads",	   "stores",
					       "gathers",      "scatters", "masked" };
	if (c->percent < LEAST_PERCENT || strncmp(c->name, "isa_", 4) == 0)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(besides); i++)
		if (strcmp(c->name, besides[i]) == 0)
			return false;
	return true;
}

size_t tp_app_top_classes(const struct tp_run *run, const struct tp_point *p,
			  const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN])
{
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_app_classes(run); i++) {
		const struct tp_app_class_row *c = &tp_run_app_classes(run)[i];
		if (c->point != p->point || c->run != p->run || !is_kind(c) ||
		    strcmp(c->region, TP_APP_PROGRAM) != 0 ||
		    strcmp(c->source, tp_app_row(p)->source) != 0)
			continue;
		size_t at = n < TP_APP_CLASSES_SHOWN ? n++ : TP_APP_CLASSES_SHOWN - 1;
		if (at == TP_APP_CLASSES_SHOWN - 1 && n == TP_APP_CLASSES_SHOWN && top[at] &&
		    top[at]->count > c->count)
			continue;
		for (; at > 0 && top[at - 1]->count < c->count; at--)
			top[at] = top[at - 1];
		top[at] = c;
	}
	return n;
}
