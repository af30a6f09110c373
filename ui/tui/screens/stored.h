/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of the stored runs. Their names are read at once, their content in slices, so that
 * thousands of runs are listed as soon as the screen opens. Paints nothing.
 */
#ifndef TPROF_UI_TUI_SCREENS_STORED_H
#define TPROF_UI_TUI_SCREENS_STORED_H

#include "base/file.h"
#include "record/load.h"
#include "record/run.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"

/* Columns to sort by. X(id, name) */
#define TP_STORED_ORDERS(X)                                                                        \
	X(DATE, "date")                                                                            \
	X(NAME, "name")                                                                            \
	X(EXPERIMENT, "experiment")                                                                \
	X(ISA, "ISA")                                                                              \
	X(THREADS, "thr")                                                                          \
	X(QUALITY, "quality")                                                                      \
	X(FIGURES, "figures")                                                                      \
	X(STATE, "state")                                                                          \
	X(POINTS, "points")                                                                        \
	X(MACHINE, "machine")

enum tp_stored_order {
#define TP_STORED_ENUM(id, name) TP_STORED_##id,
	TP_STORED_ORDERS(TP_STORED_ENUM)
#undef TP_STORED_ENUM
		TP_STORED_ORDER_COUNT
};
const char *tp_stored_order_name(enum tp_stored_order order);

struct tp_stored_run {
	char *directory; /* name below the folder; owned */
	char date[24]; /* local time, or "" while unknown */
	char name[72], cpu[64], hostname[40], state[16];
	struct tp_run_brief brief; /* empty for runs of earlier versions */
	size_t n_done, n_planned;
	bool known; /* the content was read */
	bool simulated; /* and `cpu` shows it */
	bool marked, gone;
};

struct tp_stored {
	char folder[TP_PATH_MAX];
	struct tp_stored_run *all;
	size_t n, next; /* content of all[0..next) was read, or was tried */
	size_t *shown, n_shown; /* indices into `all`, filtered and sorted */
	enum tp_stored_order order;
};

/*
 * Reads the names again. The content and the mark of a run that still exists are kept. On failure
 * the list is empty.
 */
enum tp_status tp_stored_scan(struct tp_stored *stored, const char *folder, struct tp_diag *diag);
void tp_stored_release(struct tp_stored *stored);

/* Filters and sorts: dates newest first, everything else rising. */
void tp_stored_choose(struct tp_stored *stored, const struct tp_filter *filter,
		      enum tp_stored_order order);

/* Reads the content of a run if that was not done; false if nothing changed. */
bool tp_stored_know(struct tp_stored *stored, size_t index);
/* Goes on reading in order of age, newest first, for `seconds`; false when everything is known. */
bool tp_stored_go_on(struct tp_stored *stored, double seconds);
/* The content of that run has changed, or may have. */
void tp_stored_forget(struct tp_stored *stored, const char *directory);
const char *tp_stored_path(const struct tp_stored *stored, size_t index, char out[TP_PATH_MAX]);
size_t tp_stored_marks(const struct tp_stored *stored);

/*
 * The headlines of the runs of the same name on the same CPU up to this one, as a row of blocks
 * from the least to the most of them; "" if there is only one.
 */
enum { TP_TREND_RUNS = 10, TP_TREND_BYTES = TP_TREND_RUNS * 3 + 1 };
const char *tp_stored_trend(const struct tp_stored *stored, size_t index, bool utf8,
			    char out[TP_TREND_BYTES]);

/* The state in a word: "simulated" for a complete run of a simulation, dots while it is unknown. */
const char *tp_stored_state(const struct tp_stored_run *run, bool utf8, enum tp_role *role);
/*
 * "13 good, 6 fair, 5 poor", or with less room "13 ~6 ?5", the marks of tables. `stateless`: there
 * is not a column for the state, which stands here where the run is not complete.
 */
const char *tp_stored_quality(const struct tp_stored_run *run, bool stateless, int room, bool utf8,
			      enum tp_role *role, char *out, size_t size);

/*
 * A stored run in a few lines: where and how it was measured, and the results. The text of the run
 * that was read last is kept.
 */

struct tp_previews {
	char path[TP_PATH_MAX]; /* of the run; "" = none */
	struct tp_run run;
	char why[512]; /* it could not be read; "" = it could */
	struct tp_doc doc; /* stale without columns */
};

void tp_previews_release(struct tp_previews *previews);
/* The run may have changed. */
void tp_previews_forget(struct tp_previews *previews, const char *path);
/* True if the run is there without reading a file. */
bool tp_previews_has(const struct tp_previews *previews, const char *path);
/* Reads the run: for `work`. */
void tp_previews_read(struct tp_previews *previews, const char *path);
/* Its report, as wide as the look; NULL while the run was not read. Reads no file. */
struct tp_doc *tp_previews_doc(struct tp_previews *previews, const char *path,
			       const struct tp_look *look);

#endif
