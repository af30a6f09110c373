/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event stream: versioned NDJSON, one object a line, from the engine to its listeners. The
 * same lines are the journal of a run directory and the output of --events.
 * {"v":1,"ev":"point_begin","t":0.123,...}; t = seconds since the engine started.
 */
#ifndef TPROF_RECORD_EVENT_H
#define TPROF_RECORD_EVENT_H

#include "base/str.h"
#include "record/schema.h"

enum { TP_EVENT_VERSION = 1 };

#define TP_EVENT_LIST(X)                                                                           \
	X(HELLO, "hello") /* pid, version, counter_ghz, invocation */                              \
	X(PLAN, "plan") /* n points, estimate in seconds */                                        \
	X(POINT_BEGIN, "point_begin") /* point with its identity */                                \
	X(SAMPLE, "sample") /* point id, one sample */                                             \
	X(ROW, "row") /* a row of an experiment, under the name of its row_event */                \
	X(POINT_END, "point_end") /* point, complete except for the samples */                     \
	X(DIAG, "diag") /* where, what, hint; severity in status name */                           \
	X(PROGRESS,                                                                                \
	  "progress") /* done and total points, seconds; estimate of the running point */          \
	X(DONE, "done") /* state: complete, cancelled, failed */

enum tp_event_kind {
#define TP_EVENT_ENUM(name, text) TP_EVENT_##name,
	TP_EVENT_LIST(TP_EVENT_ENUM)
#undef TP_EVENT_ENUM
		TP_EVENT_COUNT
};

/* A measured CPU, as at the last window. */
struct tp_core_now {
	unsigned cpu;
	double ghz;
	double others; /* share of the core that something else took, 0 to 1 */
	double stolen; /* share of the time that the hypervisor took since the last event */
};

enum { TP_EVENT_CORES = 64 };

struct tp_event {
	enum tp_event_kind kind;
	double t; /* seconds since start */
	/* hello */
	long pid;
	char version[32];
	double counter_ghz; /* calibrated cycle counter, 0 = clock_gettime */
	unsigned invocation;
	/* plan, progress */
	unsigned n_points, n_done;
	double estimate_seconds, elapsed_seconds, remaining_seconds;
	/* progress: memory that is being touched for the first time, and how far that is; 0 = none
	 */
	uint64_t touch_bytes, touched_bytes;
	/* progress: sources that are being compiled, and how many are done; 0 = none */
	unsigned n_sources, n_compiled;
	/* progress: the CPUs of the team at work, the first ones of many */
	struct tp_core_now cores[TP_EVENT_CORES];
	size_t n_cores;
	/*
	 * point_begin, sample, row, point_end, progress: `point.point` is the id. The row of the
	 * point lies in `room` where the event was parsed: the event is not to be copied.
	 */
	struct tp_point point; /* samples are not part of point_end */
	struct tp_sample sample;
	/* row: its kind, and the row; parsed events have it in `room` */
	const struct tp_row_event *row_event;
	const void *row;
	union tp_row_room room;
	/* diag */
	struct tp_diag diag;
	enum tp_status status;
	/* done */
	char state[16];
};

/* Appends one line with its newline. */
void tp_event_write(const struct tp_event *event, struct tp_str *out);

/*
 * Parses one line (without newline). Unknown keys are ignored, unknown kinds and other versions are
 * TP_UNSUPPORTED, garbage TP_USAGE.
 */
enum tp_status tp_event_parse(struct tp_event *event, const char *line, size_t len,
			      struct tp_diag *diag);

/*
 * Events become a run, one by one: points with their samples, trials, diagnoses, state. The run
 * that is being measured, the one that the screens show, and the one that is read from a journal
 * are all built here.
 */
struct tp_run;
struct tp_journal;

struct tp_journal *tp_journal_new(struct tp_run *run); /* borrowed */
void tp_journal_free(struct tp_journal *journal);

/* TP_USAGE for a point number beyond any run's. */
enum tp_status tp_journal_take(struct tp_journal *journal, const struct tp_event *event,
			       struct tp_diag *diag);

/*
 * The same for all finished points of an earlier part of the run, with readings and trials. They
 * move: `earlier` keeps its facts, and no point.
 */
enum tp_status tp_journal_continue(struct tp_journal *journal, struct tp_run *earlier);

/* After the last event: drops the samples of attempts that did not end, where an earlier one did.
 */
void tp_journal_end(struct tp_journal *journal);

/*
 * Rebuilds points from a journal: every point_end becomes a finished point with its samples.
 * Truncated last lines are fine.
 */
enum tp_status tp_journal_read(struct tp_run *run, const char *path, struct tp_diag *diag);

#endif
