/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job for the engine, as text: configs and the ids of the points to measure. Private to this
 * room.
 */
#ifndef TPROF_ENGINE_JOB_H
#define TPROF_ENGINE_JOB_H

#include "base/str.h"
#include "preset/preset.h"

struct tp_job {
	double counter_hz; /* calibrated earlier, 0 = calibrate */
	/* memory that the plan was made for, so that the engine makes the same plan */
	uint64_t available_bytes;
	unsigned invocation;
	bool watched; /* see tp_engine_request */
	/* buffers no larger than each point needs: an engine was killed, perhaps for its memory */
	bool frugal;
	double limit_seconds; /* after which no point begins; 0 = none */
	struct tp_config *configs;
	size_t n_configs;
	unsigned *ids;
	double *seconds; /* estimate of each of them */
	size_t n_ids;
	struct tp_arena arena; /* owns everything above */
};

void tp_job_write(const struct tp_job *job, struct tp_str *out);
/* `text` is the whole job. The caller releases the arena in any case. */
enum tp_status tp_job_parse(struct tp_job *job, const char *text, struct tp_diag *diag);

/* First and last lines of a job. */
#define TP_JOB_HEAD "tprof-job 1"
#define TP_JOB_END  "end-of-job"
/*
 * The parent's answer to the end of each point whose experiment has a word on what is unneeded: the
 * ids of points that are to be left out, if any. The engine waits for it.
 */
#define TP_JOB_WITHOUT "without"

#endif
