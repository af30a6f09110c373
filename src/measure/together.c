/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/together.h"
#include "base/vec.h"

/* Between two windows a process reads gauges, and does sums. */
#define LEAST_COVERED 0.9

static double begin_of(const struct tp_sample *window)
{
	return window->ended_seconds - window->seconds;
}

/* Adds what a process did meanwhile to `sum`. False: it measured for too little of the time. */
static bool add_meanwhile(const struct tp_window_series *s, size_t *from, struct tp_sample *sum)
{
	const double begin = begin_of(sum), end = sum->ended_seconds;
	double covered = 0, work = 0, cycles = 0;
	while (*from < s->n && s->windows[*from].ended_seconds <= begin)
		(*from)++;
	for (size_t i = *from; i < s->n && begin_of(&s->windows[i]) < end; i++) {
		const struct tp_sample *w = &s->windows[i];
		double seconds = TP_MIN(end, w->ended_seconds) - TP_MAX(begin, begin_of(w));
		if (!(seconds > 0))
			continue;
		covered += seconds;
		work += seconds * w->rate;
		cycles += seconds * w->core_ghz;
		sum->flags |= w->flags;
		if (w->core_width > 0 && w->core_width < sum->core_width)
			sum->core_width = w->core_width;
	}
	if (!(covered >= LEAST_COVERED * sum->seconds))
		return false;
	sum->rate += work / covered;
	sum->core_ghz += cycles / covered;
	return true;
}

size_t tp_windows_together(const struct tp_window_series *series, size_t n,
			   struct tp_sample *windows)
{
	size_t n_windows = series[0].n;
	for (size_t i = 0; i < n_windows; i++)
		windows[i] = series[0].windows[i];
	for (size_t s = 1; s < n; s++) {
		size_t from = 0, kept = 0;
		for (size_t i = 0; i < n_windows; i++) {
			struct tp_sample sum = windows[i];
			if (add_meanwhile(&series[s], &from, &sum))
				windows[kept++] = sum;
		}
		n_windows = kept;
	}
	for (size_t i = 0; i < n_windows; i++)
		windows[i].core_ghz /= (double)n;
	return n_windows;
}
