/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/bands.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first gap that is closed, in seconds; it doubles until there are few enough. */
static const double FIRST_GAP = 0.001;

struct band {
	unsigned region, times;
	double start, end;
	bool changed;
};

struct tp_profile_bands {
	struct band items[TP_PROFILE_BANDS_MAX];
	size_t n, n_told;
	double gap;
	/* Of each region: its last band, n = none; how many threads are in it. */
	size_t last[TP_APP_REGIONS];
	unsigned inside[TP_APP_REGIONS];
	bool open[TP_APP_REGIONS][TP_APP_THREADS];
};

struct tp_profile_bands *tp_profile_bands_new(void)
{
	struct tp_profile_bands *b = tp_alloc(1, sizeof(*b));
	for (size_t i = 0; i < TP_APP_REGIONS; i++)
		b->last[i] = SIZE_MAX;
	b->gap = FIRST_GAP;
	return b;
}

void tp_profile_bands_free(struct tp_profile_bands *bands)
{
	free(bands);
}

/* Neighbours of one region with at most the gap between them become one. */
static void join(struct tp_profile_bands *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < TP_APP_REGIONS; i++)
		b->last[i] = SIZE_MAX;
	for (size_t i = 0; i < b->n; i++) {
		struct band band = b->items[i];
		size_t *last = &b->last[band.region];
		struct band *before = *last == SIZE_MAX ? NULL : &b->items[*last];
		if (before && band.start - before->end <= b->gap) {
			before->end = fmax(before->end, band.end);
			before->times += band.times;
			before->changed = true;
			continue;
		}
		/* It has another number now. */
		band.changed |= kept != i;
		*last = kept;
		b->items[kept++] = band;
	}
	b->n = kept;
}

static void begin(struct tp_profile_bands *b, unsigned region, double seconds)
{
	struct band *last = b->last[region] == SIZE_MAX ? NULL : &b->items[b->last[region]];
	if (last && seconds - last->end <= b->gap) {
		last->end = fmax(last->end, seconds);
		last->times++;
		last->changed = true;
		return;
	}
	/* Each region has one band in the end, so that there is room. */
	_Static_assert((int)TP_APP_REGIONS < (int)TP_PROFILE_BANDS_MAX, "each region has a band");
	while (b->n == TP_PROFILE_BANDS_MAX) {
		b->gap *= 2;
		join(b);
	}
	b->last[region] = b->n;
	b->items[b->n++] = (struct band){ region, 1, seconds, seconds, true };
}

void tp_profile_bands_mark(struct tp_profile_bands *b, unsigned region, unsigned thread,
			   bool is_end, double seconds)
{
	if (region >= TP_APP_REGIONS || thread >= TP_APP_THREADS)
		return;
	bool *open = &b->open[region][thread];
	/* A thread that ended inside a region makes room for another one. */
	if (*open == !is_end)
		return;
	*open = !is_end;
	if (!is_end) {
		if (b->inside[region]++ == 0)
			begin(b, region, seconds);
		return;
	}
	struct band *band = &b->items[b->last[region]];
	b->inside[region]--;
	band->end = fmax(band->end, seconds);
	band->changed = true;
}

static void tell_band(size_t number, const struct band *band, char (*names)[TP_APP_NAME],
		      void (*tell)(void *context, const struct tp_profile_region *row),
		      void *context)
{
	struct tp_profile_region row = { .number = (unsigned)number,
					 .live = true,
					 .start_seconds = band->start,
					 .seconds = band->end - band->start,
					 .times = band->times };
	const char *name = names[band->region];
	tp_shown(row.region, sizeof(row.region), name, strlen(name));
	tell(context, &row);
}

void tp_profile_bands_tell(struct tp_profile_bands *b, double now, char (*names)[TP_APP_NAME],
			   void (*tell)(void *context, const struct tp_profile_region *row),
			   void *context)
{
	for (size_t r = 0; r < TP_APP_REGIONS; r++) {
		struct band *band = b->inside[r] ? &b->items[b->last[r]] : NULL;
		if (!band || band->end >= now)
			continue;
		band->end = now;
		band->changed = true;
	}
	for (size_t i = 0; i < b->n; i++) {
		if (b->items[i].changed)
			tell_band(i, &b->items[i], names, tell, context);
		b->items[i].changed = false;
	}
	for (size_t i = b->n; i < b->n_told; i++) {
		const struct band none = { .region = b->items[i].region };
		tell_band(i, &none, names, tell, context);
	}
	b->n_told = b->n;
}
