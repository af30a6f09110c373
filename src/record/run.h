/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run leaves, as data: facts about machine and preset, points, reduced results; its writers
 * and readers. A run directory holds run.json, points.csv and journal.ndjson (the event stream,
 * appended line by line while it runs).
 */
#ifndef TPROF_RECORD_RUN_H
#define TPROF_RECORD_RUN_H

#include "base/memory.h"
#include "base/file.h"
#include "base/str.h"
#include "record/limits.h"
#include "record/schema.h"

/* A named fact, "machine.cpu" = "AMD EPYC"; numbers keep their JSON type. */
struct tp_fact {
	char key[64]; /* dots make nested objects */
	char text[512];
	double number;
	bool is_number;
};

enum { TP_RUN_PARTS_MAX = 24 };

struct tp_run {
	struct tp_fact *facts;
	size_t n_facts, cap_facts;
	struct tp_point *points;
	size_t n_points, cap_points; /* index = point id */
	struct tp_run_part {
		const struct tp_part *part;
		struct tp_rows rows;
	} parts[TP_RUN_PARTS_MAX]; /* parts that were requested; see tp_run_rows */
	size_t n_parts;
	struct tp_arena arena; /* owns the rows of the points */
	struct tp_diags diags; /* warnings of the run */
	/* what a command line calls it: the name of its directory among the user's runs, else its
	 * path; "" for a run without a directory */
	char called[256];
	char state[16]; /* complete, interrupted, failed, running */
	double wall_seconds;
	size_t unread_done; /* points that tp_run_load_results left out; else 0 */
	/* points of the plan, where not all of them are here: those left out, or never begun */
	size_t planned;
};

void tp_run_release(struct tp_run *run);
/* `fresh`, read with that status, takes the place of `run`, or is released. Returns the status. */
enum tp_status tp_run_replace(struct tp_run *run, struct tp_run *fresh, enum tp_status status);
/* The point of that number, NULL if the run has none. */
const struct tp_point *tp_run_point(const struct tp_run *run, unsigned point);
/* The point with that id, below TP_RUN_POINTS_MAX, made (with all before it) if new. */
struct tp_point *tp_run_point_slot(struct tp_run *run, unsigned id);

/* The rows of a part: never NULL, perhaps empty. Borrowed. */
const struct tp_rows *tp_run_rows(const struct tp_run *run, const struct tp_part *part);
/* The same to be filled. */
struct tp_rows *tp_run_rows_of(struct tp_run *run, const struct tp_part *part);
/* A zeroed row at the end of a part, never NULL. */
void *tp_run_add_row(struct tp_run *run, const struct tp_part *part);
/* A point that is measured again begins without the rows that it has. */
void tp_run_forget(struct tp_run *run, unsigned point);
void tp_run_forget_early(struct tp_run *run, unsigned point); /* it was skipped under way */
/* The same of one part, whose rows have a column "point". */
void tp_run_forget_rows(struct tp_run *run, const struct tp_part *part, unsigned point);
/* Adds a copy of a row in the form of its part. TP_RESOURCE: more than a run can have. */
enum tp_status tp_run_put_row(struct tp_run *run, const struct tp_part *part, const void *row);
/*
 * The measured rows of `from` become the run's: those of finished points, and those of tables that
 * name no points, whose rows of other points are overwritten when these are measured.
 */
enum tp_status tp_run_take_measured(struct tp_run *run, struct tp_run *from);
/* Drops the rows that `reduce` makes again from the points. */
void tp_run_drop_derived(struct tp_run *run);
/* The rows of a part as an array of their type. */
#define TP_ROWS(run, part, type) ((struct type *)tp_run_rows(run, &(part))->rows)
#define TP_N(run, part)		 (tp_run_rows(run, &(part))->n)

/* Every point of a run; every row of one of its tables: TP_EACH_ROW (tp_roof, r, run, roofs). */
#define TP_EACH_POINT(p, run)                                                                      \
	for (const struct tp_point *p = (run)->points, *p##_end = p ? p + (run)->n_points : p;     \
	     p < p##_end; p++)
#define TP_EACH_ROW(type, r, run, plural)                                                          \
	for (const struct type *r = tp_run_##plural(run),                                          \
			       *r##_end = r ? r + tp_run_n_##plural(run) : r;                      \
	     r < r##_end; r++)

/*
 * True if no earlier point of the run is like this one, so that each kind is met once. `alike` is
 * false if a point does not count, even compared with itself.
 */
bool tp_run_is_first(const struct tp_run *run, const struct tp_point *point,
		     bool (*alike)(const struct tp_point *a, const struct tp_point *b));

/* Finished points; points of the plan except unneeded ones. */
size_t tp_run_n_done(const struct tp_run *run);
size_t tp_run_n_needed(const struct tp_run *run);

/*
 * Gives the point the kind of its experiment and a zeroed row of that kind, from the arena. A row
 * that it has already stays if it is of the same kind.
 */
void tp_point_begin(struct tp_point *point, const char *experiment, struct tp_arena *arena);
/*
 * Everything of `news` but its samples becomes the point's; what the row holds is copied, into the
 * arena if the point has no row of that kind yet.
 */
void tp_point_take(struct tp_point *point, const struct tp_point *news, struct tp_arena *arena);
/* The fact of that key, new or overwritten. TP_RESOURCE beyond TP_RUN_FACTS_MAX. */
enum tp_status tp_run_fact_text(struct tp_run *run, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum tp_status tp_run_fact_number(struct tp_run *run, const char *key, double number);
void tp_run_fact_drop(struct tp_run *run, const char *key);
/*
 * Adds a warning, unless the run has it already (each engine of a run sends it). True if it was new
 * and there was room for it.
 */
bool tp_run_remark(struct tp_run *run, const struct tp_diag *diag);
/* Remarks that the record of that name has more windows than a run keeps. */
void tp_run_remark_windows(struct tp_run *run, const char *name);
/* Every fact of `from`; they overwrite those of `to`. */
enum tp_status tp_run_copy_facts(struct tp_run *to, const struct tp_run *from);
/* Facts of a run that took points from another one: what that is called, and when it started. */
#define TP_REUSED_RUN	  "reused.run"
#define TP_REUSED_STARTED "reused.started"
#define TP_REUSED_PART	  "reused.part" /* "9 of 12", if some were measured */
/* Of the merged run of many nodes: how many. Its intervals hold 90 % of them. */
#define TP_MERGED_NODES "cluster.nodes"
const struct tp_fact *tp_run_fact(const struct tp_run *run, const char *key);
/*
 * What a simulated run was measured on, "zen4, quiet": machine and regime. "" for a run that
 * measured a real machine.
 */
const char *tp_run_simulated(const struct tp_run *run, char *out, size_t size);
enum { TP_SIMULATED_BYTES = 96 };

/*
 * Writers: whole documents as text. Only finished points (DONE) become rows of the CSV; run.json
 * lists all with their state. Keys of run.json are those of points.csv: `samples` counts the kept
 * windows, `dropped` the others, `windows` lists all of them ({seconds, rate, core_ghz, flags,
 * invocation}; the last three unless they are empty). Values that do not apply are null, in CSV
 * empty; NaN and infinities become null too. Facts become nested objects at the top level;
 * "format", "version", "state", "wall_seconds", "points", "roofs", "plateaus", "dots", "families",
 * "study", "diags", "trials", "summary" are not allowed as fact names (TP_INTERNAL). Unless `all`
 * columns are wanted, as in a run directory, those are left out that are empty in the whole run and
 * that scripts do not rely on.
 */
void tp_run_csv(const struct tp_run *run, bool all, struct tp_str *out);
void tp_run_json(const struct tp_run *run, struct tp_str *out);
/*
 * The same for a run directory: if it would be longer than readers accept, the windows of the
 * points are left out, and the run gets a warning.
 */
void tp_run_json_within(const struct tp_run *run, size_t max_bytes, struct tp_str *out);

/*
 * Reader of run.json (numbers, facts, points with samples, roofs, plateaus, dots, families, study,
 * trials). Malformed input: TP_USAGE with the place.
 */
enum tp_status tp_run_parse(struct tp_run *run, const char *name, const char *text, size_t len,
			    struct tp_diag *diag);

/* --- run directories --- */
/*
 * Creates <user data>/runs/<date>-<name>[-N] (or `wanted` if given; it must be new or empty) and
 * writes the path to out.
 */
enum tp_status tp_rundir_create(const char *wanted, const char *name, char out[TP_PATH_MAX],
				struct tp_diag *diag);
/*
 * Writes run.json, points.csv and, if there is anything for them, readings.csv, trials.csv and
 * gathers.csv (temporary + rename).
 */
enum tp_status tp_rundir_write(enum tp_typed typed, const char *directory, const struct tp_run *run,
			       struct tp_diag *diag);

/*
 * A run in a line, so that lists can distinguish two runs of one preset. run.json has it in its
 * head ("summary"), so that points need not be read for it.
 */
struct tp_run_brief {
	/* Words in the order they come in the points, with ", " between them. */
	char experiments[64], isas[64], threads[32];
	/* For each unit, the least and the most of the medians: "28.9-335 GB/s, 52.1 GFLOP/s" */
	char figures[96];
	double headline; /* the best median of the first of these units; 0 = none */
	size_t quality[TP_QUALITY_COUNT]; /* finished points of each */
};

/* Of the finished points; what is planned counts for the words where no point is finished. */
void tp_run_brief(const struct tp_run *run, struct tp_run_brief *brief);

/* "40 good, 8 fair, 2 poor"; "" for a run whose points have no quality. Returns out. */
const char *tp_brief_quality(const struct tp_run_brief *brief, char *out, size_t size);

/*
 * All of it in a line: "roofline, avx2, 1 thread, 28.9-335 GB/s, 40 good". An experiment that is
 * `name` already is left out. Returns out.
 */
const char *tp_brief_words(const struct tp_run_brief *brief, const char *name, char *out,
			   size_t size);

#endif
