/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point that runs a program again and again: what was run, and what it took. */
#ifndef TPROF_EXPERIMENTS_PROGRAM_ROW_H
#define TPROF_EXPERIMENTS_PROGRAM_ROW_H

#include "record/run.h"

enum { TP_PROGRAM_TEXT_BYTES = 240 };

struct tp_program_row {
	/* identity */
	char command[TP_PROGRAM_TEXT_BYTES]; /* its words, as tp_command_split reads them; cut */
	char parameters[TP_PROGRAM_TEXT_BYTES]; /* as tp_pairs_next reads them */
	char metric[48]; /* "time", "cpu-time", or a name of program.read */
	bool more_is_better;
	/* found: medians over the runs that count */
	double value, best; /* of the metric: its estimate, and that of the best run; 0 = none */
	unsigned exit_status, signal; /* of the run that failed; signal 0 = none */
	double time_seconds, user_seconds, system_seconds;
	uint64_t max_rss_bytes; /* 0 = no more than the engine has */
	double minor_faults, major_faults, waits, preemptions, blocks_read, blocks_written;
	char values[TP_PROGRAM_TEXT_BYTES]; /* as tp_pairs_next reads them */
};

/* One of zeros if the point runs no program. Never NULL. */
const struct tp_program_row *tp_program_row(const struct tp_point *point);
bool tp_point_is_program(const struct tp_point *point);

#endif
