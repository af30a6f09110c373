/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as it comes in: `tprof --batch` as a child, whose events are read from a pipe, or the journal of a stored run read at the pace it was
 * written (replay). So the screens measure by the very program that batch jobs use, a crash of the screens costs no point, and replay
 * shows what live showed.
 */
#ifndef TPROF_TUI_LIVE_H
#define TPROF_TUI_LIVE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/str.h"
#include "experiment/experiment.h"
#include "preset/preset.h"
#include "record/event.h"
#include "record/run.h"

enum { TP_LIVE_COUNTS = 16 };

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
	/* Facts, points (planned ones by their identity), roofs, plateaus and dots reduced again after each point; classes of
	   a family once its last point is done. */
	struct tp_run run;
	unsigned n_points, n_done; /* planned, gone through */
	long current; /* id of the point under way, -1 = none */
	double started, elapsed_seconds, remaining_seconds, estimate_seconds;
	int exit_code; /* of the child, when DONE: 128 + signal where one ended it; -1 after a replay */
	char words[512]; /* what the child last said on standard error: whole lines */
	/* Of the point under way, experiment counters: readings, when it began and when the last one came (time of events, seconds). */
	size_t n_counted;
	double begun_t, counted_t;
	struct tp_counts last[TP_LIVE_COUNTS]; /* a ring; the next one goes to last_at */
	size_t last_at, n_last;
	bool moment; /* the engine measures nothing just now and waits for `painted` */
	uint64_t version; /* grows with every change that a plot shows */
	/* --- private --- */
	pid_t pid;
	int events, control, errors; /* pipes: -1 = none */
	struct tp_str in, err;
	struct tp_journal *journal;
	const struct tp_machine *machine; /* for reduce; borrowed */
	struct tp_run
		stored; /* replay: the run as it was, whose results appear as their points do */
	char *text; /* replay: the whole journal */
	size_t at, len;
	double speed; /* replay: so many times as fast, 0 = at once */
	double base, offset, last_t, total_seconds, stopped_at;
	bool too_long; /* of the line that comes in: what follows up to its end is left out */
};

void tp_live_init(struct tp_live *live);
/* A child that still runs is asked to stop; one that does not obey within seconds is killed. */
void tp_live_release(struct tp_live *live);
bool tp_live_is_under_way(const struct tp_live *live);

/* Starts measuring a preset into a new run directory. `machine` is borrowed as long as it runs. */
enum tp_status tp_live_start(struct tp_live *live, const struct tp_preset *preset,
			     const struct tp_machine *machine, struct tp_diag *diag);
/* Goes on with an interrupted run. */
enum tp_status tp_live_resume(struct tp_live *live, const char *run_path,
			      const struct tp_machine *machine, struct tp_diag *diag);
/* What is going to be measured, so that the queue and the axes are known from the start. Call after a start; copies. */
void tp_live_expect(struct tp_live *live, const struct tp_plan *plan);
/*
 * Replays a stored run (directory or file), `speed` times as fast as it was (0 = at once). One without a journal is told from its points.
 */
enum tp_status tp_live_replay(struct tp_live *live, const char *run_path, double speed,
			      struct tp_diag *diag);

/* Descriptors to poll (fds[2]); returns how many. */
int tp_live_descriptors(const struct tp_live *live, int fds[2]);
/* Seconds until something is due without input (replay); negative: never. */
double tp_live_due(const struct tp_live *live, double now);
/* Takes what has arrived; never waits. True if anything changed. */
bool tp_live_take(struct tp_live *live, double now);

/* Replay: the next faster or slower pace of a row of doubled ones, whose last is at once. */
void tp_live_pace(struct tp_live *live, bool faster);
/* Wishes; a finished run has none. Pause and skip work between windows; stop saves what was measured, and takes a replay to its end. */
void tp_live_pause(struct tp_live *live, bool pause);
void tp_live_skip(struct tp_live *live);
void tp_live_stop(struct tp_live *live);
/* Says that the screen is painted: an engine that measures on every CPU waits for it between windows. */
void tp_live_painted(struct tp_live *live);

#endif
