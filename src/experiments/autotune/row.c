/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/autotune/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "preset/shared_options.h"
#include "record/limits.h"
#include "record/roof.h"
#include "table/json.h"

TP_AUTOTUNE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_autotune = {
	.experiment = "autotune",
	.heading = "Searching",
	.uses = "level pages stop.confidence stop.error stop.basis",
	.place = 60,
	.rows = { TP_AUTOTUNE_OPTIONS(TP_OPTION_ROW) NULL },
};

/* clang-format off */
#define S(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_search_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON };
static const struct tp_column columns[] = {
	S(technique,      "technique",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: how the fastest configuration was searched for, such as "
		  "racing; empty for all other points."),
	S(scope,          "scope",          TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: the part of the machine that worked: core, socket or "
		  "machine."),
	S(library,        "library",        TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: the library of the routine."),
	S(configurations, "configurations", UNSIGNED, NONZERO, NOTE,      TP_IN_IDENTITY | TP_IN_JSON,
	  .help = "Autotune: number of configurations of the search; trials.csv has "
		  "those that were tried."),
	S(configuration,  "variant",        TEXT,     ALWAYS,  NOTE,      TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON,
	  .help = "Body variant that was measured; empty if there is only one. For an "
		  "autotune point, the best configuration; for a counters point, the "
		  "source of the counts."),
};
/* clang-format on */

static const struct tp_table search_table = { TP_TABLE(struct tp_search_row, columns),
					      .base = &tp_kernel_table };
_Static_assert(sizeof(struct tp_search_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_search_row *tp_search_row(const struct tp_point *point)
{
	return tp_point_row(point, &search_table);
}

bool tp_search_alike(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads && strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(tp_search_row(a)->library, tp_search_row(b)->library) == 0 &&
	       strcmp(tp_search_row(a)->scope, tp_search_row(b)->scope) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0 &&
	       strcmp(a->cpus, b->cpus) == 0;
}

/* clang-format off */
#define T(member, name, type, rule, ...) \
	TP_COLUMN(struct tp_trial, member, name, type, rule, TP_ROLE_NOTE, TP_IN_JSON | TP_IN_CSV, __VA_ARGS__)
/* Order of the columns of trials.csv: new ones go to the end. */
static const struct tp_column trial_fields[] = {
	T(run,         "run",         UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX - 1),
	T(point,       "point",       UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The search."),
	T(index,       "index",       UNSIGNED, ALWAYS,
	  .help = "Number of the configuration, from 0; it is the same for every "
		  "technique."),
	T(position,    "position",    UNSIGNED, ALWAYS,
	  .help = "Place in the order in which configurations were tried, from 0."),
	T(size[0],     "n",           U64,      NONZERO),
	T(size[1],     "m",           U64,      NONZERO),
	T(size[2],     "k",           U64,      NONZERO,
	  .help = "Sizes; empty if the routine has no such size."),
	T(invocations, "invocations", UNSIGNED, ALWAYS,
	  .help = "Processes that were started for it; in a race one process can serve "
		  "several configurations."),
	T(iterations,  "iterations",  UNSIGNED, ALWAYS,
	  .help = "Timed calls in all of them."),
	T(value,       "value",       REAL,     NONZERO,
	  .help = "Speed: GFLOP/s of a matrix product, GB/s of TRIAD, estimated over "
		  "the invocations."),
	T(best,        "best",        REAL,     NONZERO,
	  .help = "The fastest call."),
	T(ci_low,      "ci_low",      REAL,     NONZERO),
	T(ci_high,     "ci_high",     REAL,     NONZERO,
	  .help = "Confidence interval of value."),
	T(seconds,     "seconds",     REAL,     ALWAYS,
	  .help = "Time spent on it, including process starts."),
	T(stopped,     "stopped",     TEXT,     ALWAYS,
	  .help = "Why it was not tried any longer: samples (all invocations were "
		  "made), time, confident (the interval is narrow enough), beaten (the "
		  "upper end of the interval is below the best before it), dropped "
		  "(out of a race), or failed. Empty while it goes on."),
	T(finished,    "finished",    BOOL,     ALWAYS,
	  .help = "Whether it is over."),
	T(incumbent,   "incumbent",   BOOL,     ALWAYS,
	  .help = "Whether it is the best of its search. A configuration that was "
		  "disturbed each time is compared by what it would reach otherwise; "
		  "see tprof-method(7)."),
	T(disturbed,   "disturbed",   UNSIGNED, NONZERO,
	  .help = "How many of the iterations had only a part of the core, because "
		  "something else ran on its other hardware thread. They count in the "
		  "value only where no iteration had the whole core; empty if there were none, or "
		  "if this cannot be seen."),
};

static void configuration(const void *row, char *out, size_t size)
{
	char name[TP_TRIAL_NAME_MAX];

	tp_copy(out, size, tp_trial_name(((const struct tp_study_row *)row)->size, name));
}

#define D(member, name, type, rule, ...) \
	TP_COLUMN(struct tp_study_row, member, name, type, rule, TP_ROLE_NOTE, TP_IN_JSON | TP_IN_CSV, __VA_ARGS__)
static const struct tp_column study_fields[] = {
	D(run,            "run",            UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX - 1),
	D(point,          "point",          UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The search."),
	D(technique,      "technique",      TEXT,     ALWAYS,
	  .help = "How it searched: default, single, hand-time, hand-accuracy, "
		  "confidence, c+i, c+i+r, c+i+o, c+i+o+r or racing; /100 after it is "
		  "a minimum count."),
	D(routine,        "routine",        TEXT,     ALWAYS),
	D(library,        "library",        TEXT,     ALWAYS,
	  .help = "What was called, such as dgemm, and the library that it came from."),
	D(scope,          "scope",          TEXT,     ALWAYS,
	  .help = "Part of the machine that worked; for TRIAD after the level of "
		  "memory, such as L3 core."),
	D(index,          "index",          UNSIGNED, ALWAYS),
	D(size[0],        "n",              U64,      NONZERO),
	D(size[1],        "m",              U64,      NONZERO),
	D(size[2],        "k",              U64,      NONZERO,
	  .help = "The chosen configuration: its number and its sizes."),
	D(best,           "best",           REAL,     NONZERO,
	  .help = "Measured speed of it, in GFLOP/s or GB/s."),
	D(baseline_value, "baseline_value", REAL,     NONZERO,
	  .help = "Speed of the same configuration in the fixed-size search; null "
		  "without one."),
	D(seconds,        "seconds",        REAL,     ALWAYS,
	  .help = "Time of the search."),
	D(speedup,        "speedup",        REAL,     NONZERO,
	  .help = "Time of the fixed-size search divided by it; null without one."),
	D(loss,           "loss",           REAL,     ALWAYS,
	  .help = "Did it choose well? 0.01 for 1 %: how far baseline_value is below "
		  "the speed of the choice of the fixed-size search; null without one."),
	D(configurations, "configurations", UNSIGNED, ALWAYS),
	D(invocations,    "invocations",    UNSIGNED, ALWAYS),
	D(iterations,     "iterations",     UNSIGNED, ALWAYS,
	  .help = "Totals of the search."),
	/* In words with its numbers, for readers. */
	{ .name = "configuration", .type = TP_COLUMN_PHRASE, .where = TP_IN_JSON | TP_IN_CSV,
	  .phrase = configuration, .help = "The chosen configuration in words." },
	D(error,          "error",          REAL,     ALWAYS,
	  .help = "Is its figure right? 0.01 for 1 %: how far best is above the best that "
		  "the fixed-size search reports, negative if below; null without one. "
		  "This is the error that publications mean."),
};
/* clang-format on */

const char *tp_trial_name(const uint64_t size[TP_TRIAL_DIMENSIONS], char out[TP_TRIAL_NAME_MAX])
{
	static const char letters[TP_TRIAL_DIMENSIONS] = { 'n', 'm', 'k' };
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < TP_TRIAL_DIMENSIONS; i++)
		if (size[i] > 0)
			len += (size_t)snprintf(&out[len], TP_TRIAL_NAME_MAX - len, "%s%c %" PRIu64,
						len > 0 ? " " : "", letters[i], size[i]);
	return out;
}

static const struct tp_table trial_table = { .name = "trials",
					     TP_TABLE(struct tp_trial, trial_fields) };

/* --- order --- */

static int by_place(const void *a, const void *b)
{
	const struct tp_trial *x = a, *y = b;

	if (x->point != y->point)
		return x->point < y->point ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->came > y->came) - (x->came < y->came);
}

static bool same_place(const struct tp_trial *a, const struct tp_trial *b)
{
	return a->point == b->point && a->index == b->index;
}

/* First of `n` sorted trials that is not before (point, index). */
static size_t place_among(const struct tp_trial *trials, size_t n, unsigned point, unsigned index)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tp_trial *t = &trials[middle];

		if (t->point < point || (t->point == point && t->index < index))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Trials that arrive out of order stay at the end until the next read. A single one is inserted;
 * many are sorted at once, or a file in descending order would cost the square of its length.
 */
static void settle_trials(struct tp_rows *rows)
{
	struct tp_trial *trials = rows->rows;
	size_t n = 0;

	if (rows->n == rows->n_settled + 1) {
		struct tp_trial last = trials[rows->n_settled];
		size_t at = place_among(trials, rows->n_settled, last.point, last.index);

		memmove(&trials[at + 1], &trials[at], (rows->n_settled - at) * sizeof(*trials));
		trials[at] = last;
	} else if (rows->n > rows->n_settled) {
		qsort(trials, rows->n, sizeof(*trials), by_place);
		for (size_t i = 0; i < rows->n; i++) {
			if (n > 0 && same_place(&trials[n - 1], &trials[i]))
				n--; /* the later one counts */
			trials[n++] = trials[i];
		}
		rows->n = n;
	}
	rows->n_settled = rows->n;
}

enum tp_status tp_trials_put(struct tp_run *run, const struct tp_trial *trial)
{
	struct tp_rows *rows = tp_run_rows_of(run, &tp_trial_part);
	struct tp_trial *trials, *added;
	size_t settled, at;

	/* Some may be there twice, which shows when they are in their places. */
	if (rows->n >= TP_RUN_TRIALS_MAX)
		settle_trials(rows);
	trials = rows->rows;
	settled = TP_MIN(rows->n_settled, rows->n);
	at = place_among(trials, settled, trial->point, trial->index);
	if (at < settled && same_place(&trials[at], trial)) {
		trials[at] = *trial;
		return TP_OK;
	}
	if (rows->n >= TP_RUN_TRIALS_MAX)
		return TP_RESOURCE;
	added = tp_rows_add(rows, &trial_table);
	*added = *trial;
	added->came = rows->n;
	rows->n_settled = at == settled && rows->n == settled + 1 ? rows->n : settled;
	return TP_OK;
}

const struct tp_trial *tp_trials_of(const struct tp_run *run, unsigned point, size_t *n)
{
	const struct tp_trial *trials = tp_run_trials(run);
	size_t from = place_among(tp_run_trials(run), tp_run_n_trials(run), point, 0), to = from;

	while (to < tp_run_n_trials(run) && trials[to].point == point)
		to++;
	*n = to - from;
	return *n > 0 ? &trials[from] : NULL;
}

const struct tp_trial *tp_trials_best(const struct tp_run *run, unsigned point)
{
	const struct tp_trial *best = NULL, *trials;
	size_t n;

	trials = tp_trials_of(run, point, &n);
	for (size_t i = 0; i < n; i++)
		if (trials[i].incumbent && (!best || trials[i].value > best->value))
			best = &trials[i];
	return best;
}

/* --- tables --- */

static enum tp_status add_trial(struct tp_run *run, const void *row)
{
	return tp_trials_put(run, row);
}

const struct tp_part tp_trial_part = {
	.table = &trial_table,
	.place = 10,
	.measured = true,
	.late = true,
	.csv_file = "trials.csv",
	.forgets = true,
	.settle = settle_trials,
	.add = add_trial,
	.needs = "index",
	.needs_words = "\"index\" is not the number of a configuration",
};
_Static_assert(sizeof(struct tp_trial) <= TP_ROW_BYTES_MAX, "rows have room in events");

static void blank_study(void *row)
{
	struct tp_study_row *study = row;

	study->loss = study->error = NAN; /* null: no baseline */
}

static const struct tp_table study_table = { .name = "study",
					     TP_TABLE(struct tp_study_row, study_fields),
					     .blank = blank_study };
const struct tp_part tp_study_part = { .table = &study_table, .place = 5, .csv_file = "study.csv" };

static enum tp_status unpack_trial(void *row, const json_t *object, struct tp_diag *diag)
{
	(void)row;
	if (!json_is_integer(json_object_get(object, "index")))
		return tp_fail(diag, TP_USAGE, "event", NULL,
			       "\"index\" is not the number of a configuration");
	return TP_OK;
}

const struct tp_row_event tp_trial_event = {
	.name = "trial",
	.table = &trial_table,
	.unpack = unpack_trial,
	.part = &tp_trial_part,
};
const struct tp_schema_row tp_schema_autotune = {
	.points = { "autotune", &search_table, tp_kernel_headline, NULL },
	TP_PARTS(&tp_roof_part, &tp_study_part, &tp_trial_part),
	TP_ROW_EVENTS(&tp_trial_event),
};
