/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a measurement of a lesson is worth, from the qualities of its points. */
#ifndef TPROF_LESSON_TRUST_H
#define TPROF_LESSON_TRUST_H

#include "record/run.h"
#include "report/text.h"

struct tp_trust {
	size_t points, good, fair, poor; /* measured; of these some have no quality */
	/*
	 * POOR: more than a third of the points are poor, or there is none. FAIR: more than a third
	 * are not good. NONE: the points say nothing of their quality, as counts do.
	 */
	enum tp_quality quality;
};

struct tp_trust tp_trust_of(const struct tp_run *run);
/*
 * True if the measurement of the step `at` says something of the learner's machine: it was made,
 * and is not simulated while another one is real. A lesson may show machines that are not here.
 */
bool tp_trust_counts(const struct tp_run *const *runs, size_t n, size_t at);
/* "24 points, 20 good, 3 fair, 1 poor." and what that means for what is read from it. */
void tp_trust_words(const struct tp_run *run, struct tp_str *out);

#endif
