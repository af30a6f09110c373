/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as it comes in: either measured by this process, as the command line measures, or the
 * journal of a stored run, at the pace at which it was written (replay). A crash loses no finished
 * point: each is in the journal. A replay shows what the live run showed.
 */
#ifndef TPROF_SESSION_LIVE_H
#define TPROF_SESSION_LIVE_H

#include <stddef.h>

#include "base/file.h"
#include "engine/engine.h"
#include "experiments/experiment.h"
#include "record/event.h"
#include "record/run.h"
#include "session/keep.h"
#include "session/session.h"

enum tp_live_state {
	TP_LIVE_NONE,
	TP_LIVE_RUNNING,
	TP_LIVE_PAUSED,
	TP_LIVE_STOPPING,
	TP_LIVE_DONE
};

struct tp_live {
	enum tp_live_state state;
	bool replay;
	char directory[TP_PATH_MAX]; /* of the run */
	/*
	 * Facts and points (planned ones with their identity). Roofs, plateaus and dots are reduced
	 * again after each point, of a huge run now and then; classes of a family after its last
	 * one.
	 */
	struct tp_run run;
	unsigned n_points, n_done; /* planned, gone through */
	long current; /* id of the point under way, -1 = none */
	double started, elapsed_seconds, remaining_seconds, estimate_seconds;
	int exit_code; /* as of --batch, when DONE; -1 after a replay */
	struct tp_diag remark; /* the last one about the run, if any */
	size_t n_values; /* in the rows of the point under way that came */
	/* The CPUs that are measured on, as they were last; none in a replay. */
	struct tp_core_now cores[TP_EVENT_CORES];
	size_t n_cores;
	unsigned n_sources, n_compiled; /* code that is being compiled; 0 = none */
	uint64_t touch_bytes; /* of a first touch of memory that is under way; 0 = none */
	uint64_t touched_bytes; /* of these, so far */
	bool moment; /* the engine measures nothing just now and waits for `painted` */
	uint64_t version; /* grows with every change that a plot shows */
	/* --- private --- */
	double told_left, told_at; /* last reported remaining time, and when */
	long ticked; /* the second that the clocks show */
	uint64_t told; /* the version at the last tp_live_take */
	long ended; /* id of the last point that ended, -1 = none */
	double reduces_at; /* tp_now_seconds(): not earlier */
	bool unreduced; /* events came since the last reduction */
	bool waits; /* it is to be measured */
	struct tp_session session; /* that is measured */
	struct tp_keep keep;
	bool goes_on; /* it is a resumed run, */
	struct tp_run earlier; /* and what was measured before */
	struct tp_wishes wishes;
	void (*wait)(void *waiter, int fd, int ms);
	void *waiter;
	struct tp_journal *journal; /* replay */
	struct tp_run
		stored; /* replay: the run as it was stored; its results appear with their points */
	char *text; /* replay: the whole journal */
	size_t at, len;
	double speed; /* replay: speed factor, 0 = at once */
	double base, offset, last_t, total_seconds, stopped_at;
};

void tp_live_init(struct tp_live *live);

/* Not while it is measured. */
void tp_live_release(struct tp_live *live);
bool tp_live_is_under_way(const struct tp_live *live);

/*
 * Takes over a session, with its plan, an open run directory, and, for a resumed run, its earlier
 * points. The queue and the axes are known from then on. Measuring begins with tp_live_measure,
 * requested by `waits`.
 */
void tp_live_start(struct tp_live *live, struct tp_session *session, const struct tp_keep *keep,
		   const struct tp_run *earlier);

/*
 * Measures until the run has ended. While the engine works, `wait` is called again and again (see
 * tp_engine_sink): it shows the run and hears the keys.
 */
void tp_live_measure(struct tp_live *live, void (*wait)(void *context, int fd, int ms),
		     void *context);

/*
 * Replays a stored run (directory or file), `speed` times as fast as it was measured (0 = at once).
 * Without a journal, events are made from its points.
 */
enum tp_status tp_live_replay(struct tp_live *live, const char *run_path, double speed,
			      struct tp_diag *diag);

/* Seconds until something is due without input (a replay, a clock); negative: never. */
double tp_live_due(const struct tp_live *live, double now);

/*
 * Takes the events of a replay that are due; never waits. True if anything but the clocks changed
 * since the last call.
 */
bool tp_live_take(struct tp_live *live, double now);

/*
 * The clocks of a run in progress go on without events: elapsed_seconds and remaining_seconds are
 * updated to `now`. True if one of them shows another second.
 */
bool tp_live_tick(struct tp_live *live, double now);

/* Replay: twice or half as fast. The fastest pace is at once. */
void tp_live_pace(struct tp_live *live, bool faster);

/*
 * Commands; a finished run ignores them. Pause and skip act between windows. Stop saves what was
 * measured; it takes a replay to its end.
 */
void tp_live_pause(struct tp_live *live, bool pause);
void tp_live_skip(struct tp_live *live);
void tp_live_stop(struct tp_live *live);

/*
 * Tells the engine that the screen is painted. An engine that measures on every CPU waits for that
 * between windows.
 */
void tp_live_painted(struct tp_live *live);

#endif
