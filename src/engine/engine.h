/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine is a child process: tprof executes itself over a socket pair. The child gets a job,
 * answers with events (record/event.h) and obeys "cancel". If it crashes, one point is lost, not
 * the program.
 */
#ifndef TPROF_ENGINE_ENGINE_H
#define TPROF_ENGINE_ENGINE_H

#include <signal.h>

#include "experiments/experiment.h"
#include "record/event.h"

/* The child finds its end of the socket pair under this descriptor. */
enum { TP_ENGINE_FD = 3 };

/* Main function of the child (`tprof --engine`): serves one job; returns the exit code. */
int tp_engine_main(void);

/*
 * Hears the events in the parent, in order, when they are part of the run already. `line` is the
 * event as NDJSON with its newline.
 */
struct tp_engine_sink {
	void *context;
	void (*event)(void *context, const struct tp_event *event, const char *line, size_t len);
	/* Some times a second while no event comes; may be NULL. */
	void (*tick)(void *context);
	/*
	 * Waits until `fd` can be read, `ms` milliseconds at most, and does other work while
	 * waiting. NULL: the client waits itself.
	 */
	void (*wait)(void *context, int fd, int ms);
};

/* Requests for a run in progress. */
struct tp_wishes {
	bool stop, skip, paused, painted;
};

struct tp_engine_request {
	const struct tp_config *configs; /* of the preset, all runs */
	size_t n_configs;
	const struct tp_plan *plan; /* made from the same configs */
	const struct tp_machine *machine; /* this machine */
	/*
	 * The earlier part of a run that goes on, or NULL. Its finished points are taken over and
	 * not measured again; see tp_journal_continue.
	 */
	struct tp_run *earlier;
	/*
	 * Points of the plan that another run has measured, or NULL: those that are DONE are
	 * reported at the beginning, and not measured. `improves_known`: of these, poor ones are
	 * measured again after all others, if they are needed.
	 */
	const struct tp_point *known;
	bool improves_known;
	/*
	 * Where commands come in, one a line, -1 = nowhere: "stop", "skip" (this point), "pause"
	 * (after this point), "go", "painted". Its end means "stop".
	 */
	int control_fd;
	/* Requests of this process, which may change whenever the sink is called; NULL: none. */
	struct tp_wishes *wishes;
	/*
	 * A screen paints the events. Where every CPU is measured, the engine waits for "painted"
	 * between windows.
	 */
	bool watched;
	/*
	 * Where a user's program prints, which then reads our standard input: the first run of each
	 * point. -1: it has neither.
	 */
	int program_output;
	/* Memory for what it prints then (base/file.h); -1: that is thrown away. */
	int program_kept;
	const volatile sig_atomic_t
		*stop; /* set by signal handlers: 1 = stop after this window; may be NULL */
	const struct tp_engine_sink *sink; /* may be NULL */
};

/*
 * Measures every point of the plan in one or more engine processes. The run's points are set from
 * the plan (tp_plan_points). Each ends as DONE, as FAILED with a diagnosis (also when the engine
 * died on it), or as SKIPPED. Points with several invocations are measured again in fresh processes
 * until the stop rules are met, and merged. TP_OK when all points were tried, even if some failed;
 * TP_CANCELLED when stopped; TP_CRASHED when the engine could not be started or died before its
 * first point.
 */
enum tp_status tp_engine_run(const struct tp_engine_request *request, struct tp_run *run,
			     struct tp_diag *diag);

#endif
