/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring a session into its run directory. */
#ifndef TPROF_SESSION_MEASURE_H
#define TPROF_SESSION_MEASURE_H

#include "engine/engine.h"
#include "record/run.h"
#include "session/keep.h"
#include "session/session.h"

struct tp_measurement {
	const struct tp_session *session;
	struct tp_keep *keep; /* open */
	struct tp_run *earlier; /* the finished points of a run that goes on, or NULL */
	int control_fd; /* see tp_engine_request; -1 = none */
	struct tp_wishes *wishes; /* likewise; NULL = none */
	int program_output; /* likewise */
	const volatile sig_atomic_t *stop; /* set by signal handlers, or by the listener */
	/* The listener. */
	void *context;
	void (*event)(void *context, const struct tp_event *event, const char *line, size_t len);
	void (*tick)(void *context); /* some times a second while no event comes; may be NULL */
	void (*wait)(void *context, int fd, int ms); /* see tp_engine_sink; may be NULL */
	/* A remark for the user; the run has it, too, unless its results were written before. */
	void (*remark)(void *context, const struct tp_diag *diag);
};

/*
 * Sets the knobs of the preset, measures the plan, keeps the journal, reduces, and writes the
 * results to the run directory. `run` is empty or has its planned points (tp_plan_points); it
 * becomes the whole run, to be released in any case. Failures become remarks. *written: all results
 * are in the run directory. Returns how measuring ended: TP_CANCELLED when it was stopped.
 */
enum tp_status tp_session_measure(const struct tp_measurement *m, struct tp_run *run,
				  bool *written);

/* The exit code of a run that ended so, without regard to the quality of its points. */
int tp_session_exit(const struct tp_run *run, enum tp_status status);

/*
 * Opens the run directory `path` to go on with the run: locks it, reads it, plans it again, and
 * checks that it can go on here. `earlier`, `keep` and `session` are zeroed, and closed by the
 * caller in any case.
 */
enum tp_status tp_session_continue(struct tp_session *session, struct tp_keep *keep,
				   struct tp_run *earlier, const char *path,
				   struct tp_diags *diags);

/*
 * Programs of a run that get no streams of tprof print into memory (base/file.h), which goes into
 * files of the run directory when the run has ended.
 */

struct tp_output;

struct tp_printed {
	int fd; /* of the memory; -1 = none, and programs' output is discarded */
	struct tp_output *output;
};

/* `earlier`: a run that goes on, whose files in `directory` go on, too; NULL = none. */
void tp_printed_begin(struct tp_printed *printed, const char *directory,
		      const struct tp_run *earlier);

/* How much there is, as facts of the run. */
void tp_printed_tell(const struct tp_printed *printed, struct tp_run *run);

/* Files of the output, each complete or absent; none for an unused stream. */
enum tp_status tp_printed_write(const struct tp_printed *printed, const struct tp_keep *keep,
				struct tp_diag *diag);
void tp_printed_release(struct tp_printed *printed);

#endif
