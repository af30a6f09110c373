/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions of any code, counted by stepping: a child process is stopped after each of them.
 * That works on machines without counters and needs no knowledge of the code, which may call
 * libraries; but some 50,000 instructions take a second. A repeated string instruction counts once
 * for each repetition.
 */
#ifndef TPROF_COUNTERS_STEPPED_H
#define TPROF_COUNTERS_STEPPED_H

#include "base/status.h"

/* The event that is counted so, in options and tables. */
#define TP_STEPPED_EVENT "stepped_instructions"

struct tp_stepped {
	/* In the child, before it is stepped: makes the data. May be NULL. */
	enum tp_status (*prepare)(void *context, struct tp_diag *diag);
	/*
	 * In the child: the same code over some work, and over more of it. What both do besides is
	 * not counted, as only their difference is.
	 */
	void (*less)(void *context);
	void (*more)(void *context);
	void *context;
};

/*
 * The instructions that `more` takes beyond those of `less`. Ends after `most_seconds`
 * (TP_RESOURCE), or when the process is asked to end (TP_CANCELLED). TP_UNSUPPORTED where processes
 * cannot be stepped, TP_CRASHED if the code does not end.
 */
enum tp_status tp_stepped_count(const struct tp_stepped *code, double most_seconds,
				double *instructions, struct tp_diag *diag);
/* Whether processes can be stepped here: some instructions are. */
enum tp_status tp_stepped_supported(struct tp_diag *diag);

#endif
