/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of every family of a run, as the report and its SVG document hang them. */
#include "report/counters_text.h"
#include "base/vec.h"

#include <stdlib.h>

enum { CURVES = 6 }; /* events in a picture; more cannot be told apart */

/* Nothing to see where every repetition agrees with every other. */
static bool has_noise(const struct tp_class *class)
{
	for (size_t i = 0; i < class->n_events; i++)
		if (class->events[i].noise > 0)
			return true;
	return false;
}

static bool hang_noise(const struct tp_class *class, void *context, tp_hang_picture *hang)
{
	struct tp_picture *picture = calloc(1, sizeof(*picture));

	if (!picture)
		return false;
	if (tp_picture_noise(picture, class, NULL))
		hang(context, picture);
	tp_arena_release(&picture->arena);
	free(picture);
	return true;
}

static bool hang_counts(const struct tp_run *run, const struct tp_class *class, size_t from,
			void *context, tp_hang_picture *hang)
{
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	size_t events[CURVES], n = 0;

	if (!picture)
		return false;
	while (n < CURVES && from + n < class->n_chosen) {
		events[n] = class->chosen[from + n];
		n++;
	}
	if (tp_picture_counts(picture, class, tp_report_readings(run, class), events, n, NULL))
		hang(context, picture);
	tp_arena_release(&picture->arena);
	free(picture);
	return true;
}

bool tp_picture_each_class(const struct tp_run *run, void *context, tp_hang_picture *hang)
{
	for (size_t i = 0; i < run->n_classes; i++) {
		const struct tp_class *class = &run->classes[i];

		if (has_noise(class) && !hang_noise(class, context, hang))
			return false;
		for (size_t from = 0; from < class->n_chosen; from += CURVES)
			if (!hang_counts(run, class, from, context, hang))
				return false;
	}
	return true;
}
