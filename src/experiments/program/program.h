/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a planned point of a program needs to run. */
#ifndef TPROF_EXPERIMENTS_PROGRAM_PROGRAM_H
#define TPROF_EXPERIMENTS_PROGRAM_PROGRAM_H

#include "experiments/windows/sweep.h"

/* The row of a planned point: everything filled in, in the plan's arena. */
struct tp_program_plan {
	char **words; /* the program and its arguments, up to NULL */
	char **variables; /* NAME=VALUE of its environment, up to NULL */
	struct tp_commands before, prepare, after;
};

static inline const struct tp_program_plan *tp_program_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* What is compared. */
struct tp_program_metric {
	enum { TP_PROGRAM_TIME, TP_PROGRAM_CPU_TIME, TP_PROGRAM_READING } kind;
	char name[48]; /* "time", "cpu-time", or the reading's name */
	bool more;
};

/* Reads program.metric; the name of a reading is not checked. TP_USAGE. */
enum tp_status tp_program_metric_parse(struct tp_program_metric *metric, const char *text,
				       struct tp_diag *diag);

#endif
