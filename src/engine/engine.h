/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine is a child process: tprof executing itself over a socket pair. It gets a job, answers with events (record/event.h), obeys
 * "cancel". What crashes in it is one point, not the program.
 */
#ifndef TPROF_ENGINE_ENGINE_H
#define TPROF_ENGINE_ENGINE_H

#include <signal.h>

#include "experiment/experiment.h"
#include "record/event.h"

/* The descriptor that the child finds its end of the socket pair on. */
enum { TP_ENGINE_FD = 3 };

/* Main function of the child (`tprof --engine`): serves one job; returns the exit code. */
int tp_engine_main(void);

/* Who listens. `line` is the event as NDJSON with its newline. Called in the parent, in order. */
struct tp_engine_sink {
	void *context;
	void (*event)(void *context, const struct tp_event *event, const char *line, size_t len);
};

struct tp_engine_request {
	const struct tp_config *configs; /* of the preset, all runs */
	size_t n_configs;
	const struct tp_plan *plan; /* made from the same configs */
	const struct tp_machine *machine; /* this machine */
	/*
	 * Points measured earlier (a run that goes on), or NULL. The finished ones of the plan are taken out of it, with their samples, and
	 * are not measured again.
	 */
	struct tp_run *earlier;
	/*
	 * Where wishes come in as lines while the run is under way, -1 = nowhere: "stop", "skip" (this point), "pause" (after this point), "go",
	 * "painted". Its end is a wish to stop.
	 */
	int control_fd;
	bool watched; /* a screen paints what it hears: where every CPU is measured the engine waits for "painted" between windows */
	const volatile sig_atomic_t
		*stop; /* set by signal handlers: 1 = stop after this window; may be NULL */
	const struct tp_engine_sink *sink; /* may be NULL */
};

/*
 * Measures every point of the plan in one or more engine processes. `run->points` (made by the call, one a planned point) receive
 * the results: DONE, FAILED with a diagnosis (also when the engine died on it), or SKIPPED. Points with several invocations are
 * measured again in fresh processes until the stop rules are content, and merged.
 * TP_OK when the plan was gone through, even if points failed; TP_CANCELLED when stopped; TP_CRASHED when the engine could not be
 * started or died before its first point.
 */
enum tp_status tp_engine_run(const struct tp_engine_request *request, struct tp_run *run,
			     struct tp_diag *diag);

#endif
