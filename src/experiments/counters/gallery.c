/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of every family of a run, as the report and its SVG document hang them. */
#include "experiments/counters/report_text.h"
#include "report/reporter.h"
#include "experiments/counters/classes.h"

enum { CURVES = 6 }; /* events in a picture; more cannot be told apart */

/* Nothing to see where every repetition agrees with every other. */
static bool has_noise(const struct tp_class *class)
{
	for (size_t i = 0; i < class->n_events; i++)
		if (class->events[i].noise > 0)
			return true;
	return false;
}

static bool hang_noise(const struct tp_class *class, const struct tp_gallery *gallery)
{
	struct tp_picture *picture = tp_picture_new();

	if (!picture)
		return false;
	if (tp_picture_noise(picture, class, NULL))
		gallery->hang(gallery->context, picture);
	tp_picture_free(picture);
	return true;
}

static bool hang_counts(const struct tp_run *run, const struct tp_class *class, size_t from,
			const struct tp_gallery *gallery)
{
	struct tp_picture *picture = tp_picture_new();
	size_t events[CURVES], n = 0;

	if (!picture)
		return false;
	while (n < CURVES && from + n < class->n_chosen) {
		events[n] = class->chosen[from + n];
		n++;
	}
	if (tp_picture_counts(picture, class, tp_report_readings(run, class), events, n, NULL))
		gallery->hang(gallery->context, picture);
	tp_picture_free(picture);
	return true;
}

static bool pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	for (size_t i = 0; !gallery->brief && i < tp_run_n_classes(run); i++) {
		const struct tp_class *class = &tp_run_classes(run)[i];

		if (has_noise(class) && !hang_noise(class, gallery))
			return false;
		for (size_t from = 0; from < class->n_chosen; from += CURVES)
			if (!hang_counts(run, class, from, gallery))
				return false;
	}
	return true;
}

/* All families together. */
static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	size_t metrics = 0, defined = 0, chosen = 0, events = 0, n = tp_run_n_classes(run);
	for (size_t i = 0; i < n; i++) {
		const struct tp_class *class = &tp_run_classes(run)[i];
		metrics += class->n_metrics;
		chosen += class->n_chosen;
		events += class->n_events;
		for (size_t m = 0; m < class->n_metrics; m++)
			defined += class->metrics[m].defined;
	}
	if (!n)
		return;
	tp_conclude_add(&conclusion->limits,
			"%zu of %zu metrics can be counted here, with %zu chosen of %zu events "
			"(%zu %s).",
			defined, metrics, chosen, events, n, n == 1 ? "family" : "families");
	if (*run->called && chosen && !conclusion->next.len) {
		tp_str_add(&conclusion->next, "tprof --classify");
		tp_conclude_word(&conclusion->next, run->called);
		tp_str_add(&conclusion->next, " --explain chosen");
	}
}

const struct tp_reporter tp_reporter_counters = {
	.experiment = "counters",
	.place = 7,
	.page = tp_page_classes,
	.conclude = conclude,
	.pictures = pictures,
};
