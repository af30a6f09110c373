/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run in a line, so that lists can tell two runs of one preset apart. run.json has it in its head
 * ("summary"), so that nobody reads points for it.
 */
#ifndef TPROF_RECORD_BRIEF_H
#define TPROF_RECORD_BRIEF_H

#include "record/run.h"

struct tp_run_brief {
	/* Words in the order they come in the points, with ", " between them. */
	char experiments[64], isas[64], threads[32];
	/* For each unit, the least and the most of the medians: "28.9-335 GB/s, 52.1 GFLOP/s" */
	char figures[96];
	size_t quality[TP_QUALITY_COUNT]; /* finished points of each */
};

/* Of the finished points; what is planned counts for the words where no point is finished. */
void tp_run_brief(const struct tp_run *run, struct tp_run_brief *brief);
/* "40 good, 8 fair, 2 poor"; "" for a run whose points have no quality. Returns out. */
const char *tp_brief_quality(const struct tp_run_brief *brief, char *out, size_t size);
/*
 * All of it in a line: "roofline, avx2, 1 thread, 28.9-335 GB/s, 40 good". An experiment that is
 * `name` already is left out. Returns out.
 */
const char *tp_brief_words(const struct tp_run_brief *brief, const char *name, char *out,
			   size_t size);

#endif
