/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program is counted and timed, for a point. The ways to do that are those of app/app.h; a test
 * brings its own.
 */
#ifndef TPROF_EXPERIMENTS_APP_RUN_H
#define TPROF_EXPERIMENTS_APP_RUN_H

#include "record/run.h"
#include "app/app.h"
#include "experiments/windows/planner.h"

/*
 * Formulas that an earlier run of counter classification found on this very machine: FLOPs and
 * whatever else its events count (formulas.c).
 */
struct tp_app_found {
	struct tp_app_formulas formulas; /* n 0: there are none */
	struct tp_app_formula items[TP_APP_FORMULAS];
	char run[256]; /* what people call it */
	struct tp_arena arena; /* owns the texts and the terms */
};
void tp_app_found_release(struct tp_app_found *found);

/*
 * The formulas of a run whose events are those of hardware. The reasons why it has none: it is of
 * another CPU (TP_UNSUPPORTED), its events are emulated or from a file, it classified no
 * floating-point events, or these cannot count anything (TP_NOTFOUND).
 */
enum tp_status tp_app_formulas_of(const struct tp_run *run, const char *cpu,
				  struct tp_app_found *found, struct tp_diag *diag);

/*
 * What app.formulas asks for: "auto", the newest complete run of the user that has them with those
 * of FLOPs, and none is not an error; "off"; else a run by its name, as tp_run_find finds it, and
 * what it lacks is one.
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
	unsigned threads; /* that it is told to use; 0 = as the environment has it */
};

static inline struct tp_app_plan *tp_app_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* As tp_experiment.run: of a point that runs the program. */
enum tp_status tp_app_run_point(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag);

/* Those of app/app.h; a test brings its own. */
struct tp_app_ways {
	const struct tp_app_source *const *sources; /* the first that works is the default */
	size_t n;
	enum tp_status (*time)(const struct tp_app_command *command, struct tp_app_time *time,
			       struct tp_diag *diag);
	enum tp_status (*trace)(const struct tp_app_command *command,
				const struct tp_app_cache caches[3], struct tp_app_counts *counts,
				struct tp_diag *diag);
	/* As tp_app_formulas_find; NULL = there are none. */
	enum tp_status (*formulas)(const struct tp_machine *machine, const char *wish,
				   struct tp_app_found *found, struct tp_diag *diag);
};

enum { TP_APP_CHOSEN_MAX = 2 };

/*
 * The ways that a word of app.source asks for, for a program. TP_UNSUPPORTED, TP_NOTFOUND: why
 * there is none, with what would help.
 */
enum tp_status tp_app_choose(const struct tp_app_ways *ways, const char *word, const char *program,
			     const struct tp_app_formulas *formulas,
			     const struct tp_app_source *chosen[TP_APP_CHOSEN_MAX], size_t *n,
			     struct tp_diag *diag);

enum tp_status tp_app_measure(const struct tp_app_ways *ways, struct tp_bench *bench,
			      const struct tp_planned *planned, struct tp_point *point,
			      struct tp_diag *diag);

#endif
