/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts and times a program for a point. The ways of counting are in app/app.h; a test brings its
 * own.
 */
#ifndef TPROF_EXPERIMENTS_APP_RUN_H
#define TPROF_EXPERIMENTS_APP_RUN_H

#include "record/run.h"
#include "app/app.h"
#include "experiments/windows/planner.h"

/*
 * Formulas that an earlier run of counter classification found on this very machine: FLOPs and
 * other counts (formulas.c).
 */
struct tp_app_found {
	struct tp_app_formulas formulas; /* n 0: none */
	struct tp_app_formula items[TP_APP_FORMULAS];
	char run[256]; /* name of the run */
	struct tp_arena arena; /* owns the texts and the terms */
};
void tp_app_found_release(struct tp_app_found *found);

/*
 * The formulas of a run with hardware events. The reasons why it has none: it is of another CPU
 * (TP_UNSUPPORTED), its events are emulated or from a file, it classified no floating-point events,
 * or these cannot count anything (TP_NOTFOUND).
 */
enum tp_status tp_app_formulas_of(const struct tp_run *run, const char *cpu,
				  struct tp_app_found *found, struct tp_diag *diag);

/*
 * Finds what app.formulas asks for: "auto", the user's newest complete run that has formulas for
 * FLOPs, where none is not an error; "off"; else a run by its name, as in tp_run_find, where
 * missing formulas are an error.
 */
enum tp_status tp_app_formulas_find(const struct tp_machine *machine, const char *wish,
				    struct tp_app_found *found, struct tp_diag *diag);

/* The row of a planned point; all of it is in the plan's arena. */
struct tp_app_plan {
	struct tp_window_plan window; /* first: of a roof, all there is */
	bool runs; /* it runs the program */
	char **words; /* the program and its arguments, up to NULL */
	char **variables; /* NAME=VALUE of its environment, up to NULL */
	char **functions; /* regions by name of a function, up to NULL */
	unsigned threads; /* requested; 0 = as the environment sets it */
};

static inline struct tp_app_plan *tp_app_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* As tp_experiment.run: of a point that runs the program. */
enum tp_status tp_app_run_point(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag);

/* The ways of app/app.h; a test brings its own. */
struct tp_app_ways {
	const struct tp_app_source *const *sources; /* the first that works is the default */
	size_t n;
	enum tp_status (*time)(const struct tp_app_command *command, struct tp_app_time *time,
			       struct tp_diag *diag);
	enum tp_status (*trace)(const struct tp_app_command *command,
				const struct tp_app_cache caches[3], struct tp_app_counts *counts,
				struct tp_diag *diag);
	/* As in tp_app_formulas_find; NULL = none. */
	enum tp_status (*formulas)(const struct tp_machine *machine, const char *wish,
				   struct tp_app_found *found, struct tp_diag *diag);
};

enum { TP_APP_CHOSEN_MAX = 2 };

/*
 * The ways that a word of app.source asks for, for a program. TP_UNSUPPORTED, TP_NOTFOUND: the
 * reason why none works, with a fix.
 */
enum tp_status tp_app_choose(const struct tp_app_ways *ways, const char *word, const char *program,
			     const struct tp_app_formulas *formulas,
			     const struct tp_app_source *chosen[TP_APP_CHOSEN_MAX], size_t *n,
			     struct tp_diag *diag);

enum tp_status tp_app_measure(const struct tp_app_ways *ways, struct tp_bench *bench,
			      const struct tp_planned *planned, struct tp_point *point,
			      struct tp_diag *diag);

#endif
