/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways to count and to time a program, for a point. Private to this folder and its tests. */
#ifndef TPROF_EXPERIMENTS_APP_RUN_H
#define TPROF_EXPERIMENTS_APP_RUN_H

#include "experiments/app/formulas.h"
#include "experiments/app/plan.h"

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
