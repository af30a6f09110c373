/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/regions.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first gap that is closed, in seconds; it doubles until there are few enough. */
static const double FIRST_GAP = 1e-6;

static int by_start(const void *a, const void *b)
{
	double x = ((const struct tp_profile_region *)a)->start_seconds;
	double y = ((const struct tp_profile_region *)b)->start_seconds;
	return (x > y) - (x < y);
}

/* Neighbours of one thread and region with at most `gap` between them become one. */
static size_t join(struct tp_profile_region *rows, size_t n, const unsigned *of, unsigned *kept_of,
		   size_t *last, double gap)
{
	size_t kept = 0;
	memset(last, 0xff, TP_APP_THREADS * TP_APP_REGIONS * sizeof(*last));
	for (size_t i = 0; i < n; i++) {
		size_t *place = &last[rows[i].thread * TP_APP_REGIONS + of[i]];
		struct tp_profile_region *before = *place == SIZE_MAX ? NULL : &rows[*place];
		double end = rows[i].start_seconds + rows[i].seconds;
		if (before &&
		    rows[i].start_seconds - before->start_seconds - before->seconds <= gap) {
			before->seconds = fmax(before->seconds, end - before->start_seconds);
			before->times += rows[i].times;
			continue;
		}
		*place = kept;
		kept_of[kept] = of[i];
		rows[kept++] = rows[i];
	}
	return kept;
}

enum tp_status tp_profile_regions_make(const struct tp_app_time *time, double started,
				       struct tp_profile_region **out, size_t *n)
{
	*out = NULL;
	*n = 0;
	if (!time->n_spans)
		return TP_OK;
	struct tp_profile_region *rows = calloc(time->n_spans, sizeof(*rows));
	unsigned *of = calloc(time->n_spans, sizeof(*of));
	size_t *last = calloc((size_t)TP_APP_THREADS * TP_APP_REGIONS, sizeof(*last));
	if (!rows || !of || !last) {
		free(rows);
		free(of);
		free(last);
		return TP_NOMEM;
	}
	/* `number` is that of the region until they are in order. */
	for (size_t i = 0; i < time->n_spans; i++) {
		const struct tp_app_span *s = &time->spans[i];
		const char *name = time->names[s->region];
		rows[i] = (struct tp_profile_region){ .thread = s->thread,
						      .number = s->region,
						      .start_seconds = s->start - started,
						      .seconds = s->seconds,
						      .times = 1 };
		tp_shown(rows[i].region, sizeof(rows[i].region), name, strlen(name));
	}
	qsort(rows, time->n_spans, sizeof(*rows), by_start);
	for (size_t i = 0; i < time->n_spans; i++)
		of[i] = rows[i].number;
	*n = time->n_spans;
	/* Beyond any time of a program each thread and region has one row, which may be too many.
	 */
	for (double gap = FIRST_GAP; *n > TP_PROFILE_REGIONS_MAX && gap < 1e9; gap *= 2)
		*n = join(rows, *n, of, of, last, gap);
	*n = TP_MIN(*n, (size_t)TP_PROFILE_REGIONS_MAX);
	for (size_t i = 0; i < *n; i++)
		rows[i].number = (unsigned)i;
	free(of);
	free(last);
	*out = rows;
	return TP_OK;
}
