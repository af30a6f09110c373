/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of patterns below the roofs of the same run. */
#ifndef TPROF_EXPERIMENTS_PATTERN_ROOFS_H
#define TPROF_EXPERIMENTS_PATTERN_ROOFS_H

#include "record/run.h"

/* The roof of the level where the working set of a point lies, at the point's intensity. */
struct tp_pattern_roof {
	const char *level;
	unsigned run; /* the run of the preset that measured it */
	double gflops; /* what the roofs allow; 0 for a pattern without FLOP */
	double share; /* of it, or of the bandwidth for a pattern without FLOP; 1 = on the roof */
	bool computes; /* the peak is the lower roof there */
};
/* False if no roof of that level, precision and number of threads was measured. */
bool tp_pattern_roof_of(const struct tp_run *run, const struct tp_point *point,
			struct tp_pattern_roof *roof);
/* "memory-bound at L2: 82 % of its roof"; returns out. */
const char *tp_pattern_roof_words(const struct tp_pattern_roof *roof, char *out, size_t size);

#endif
