/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to this room: an event of the emulated source is a sum of exact counts, with or without
 * deliberate noise.
 */
#ifndef TPROF_COUNTERS_EMULATED_EVENTS_H
#define TPROF_COUNTERS_EMULATED_EVENTS_H

#include "base/memory.h"
#include "counters/emulated_habits.h"
#include "counters/source.h"

struct tp_emulated_event {
	const struct tp_habit_term *terms;
	size_t n_terms;
	double constant; /* added to every count */
	/* relative, uniform in +- noise * sqrt(3), so that it is the standard deviation */
	double noise;
	uint64_t seed; /* of its noise */
};

/* Well-mixed numbers from a counter: SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t tp_emulated_mix(uint64_t value);

/*
 * Makes wish->misleading events out of the first `n` of `events` and appends them, with names and
 * descriptions in `about`; both arrays have room. TP_NOMEM.
 */
enum tp_status tp_emulated_mislead(struct tp_arena *arena, const struct tp_source_wish *wish,
				   size_t n, struct tp_emulated_event *events,
				   struct tp_count_event *about, struct tp_diag *diag);

#endif
