/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run may hold. The plan, the writers and the readers take these same limits, so that
 * every measured run can be read again. They are chosen so that reading the largest run takes
 * less than 500 MB: 65,536 points take 116 MB in memory, and 75 MB in run.json without their
 * windows; a window takes 48 bytes, and about 190 in the journal.
 */
#ifndef TPROF_RECORD_LIMITS_H
#define TPROF_RECORD_LIMITS_H

enum {
	TP_RUN_POINTS_MAX = 65536,
	TP_RUN_THREADS_MAX = 65536,
	TP_RUN_INVOCATIONS_MAX = 1000, /* of a point, each a separate process */
	TP_RUN_FACTS_MAX = 4096,
	TP_RUN_WINDOWS_MAX = 1 << 22,
	TP_RUN_TRIALS_MAX = 1 << 18, /* configurations of all searches */
	TP_RUN_JSON_MAX_BYTES = 1 << 27,
	TP_JOURNAL_MAX_BYTES = 3 << 28,
	TP_TABLE_MAX_BYTES = 1 << 28 /* readings.csv and other tables with their own files */
};

/* No run lasts longer (about 3,000 years): a larger time is a broken one. */
#define TP_RUN_SECONDS_MAX 1e11

#endif
