/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formulas that an earlier run of counter classification found on this very machine: FLOPs and
 * whatever else its events count.
 */
#ifndef TPROF_EXPERIMENTS_APP_FORMULAS_H
#define TPROF_EXPERIMENTS_APP_FORMULAS_H

#include "app/app.h"
#include "record/run.h"

struct tp_machine;

struct tp_app_found {
	struct tp_app_formulas formulas; /* n 0: there are none */
	struct tp_app_formula items[TP_APP_FORMULAS];
	char run[256]; /* what people call it */
	struct tp_arena arena; /* owns the texts and the terms */
};
void tp_app_found_release(struct tp_app_found *found);

/*
 * The formulas of a run whose events are those of hardware and whose FLOPs are defined. The reasons
 * why it has none: it is of another CPU (TP_UNSUPPORTED), its events are emulated or from a file,
 * it classified no floating-point events, or these cannot count FLOPs (TP_NOTFOUND).
 */
enum tp_status tp_app_formulas_of(const struct tp_run *run, const char *cpu,
				  struct tp_app_found *found, struct tp_diag *diag);

/*
 * What app.formulas asks for: "auto", the newest complete run of the user that has them, and none
 * is no error; "off"; else a run by its name, as tp_run_find finds it, and what it lacks is one.
 */
enum tp_status tp_app_formulas_find(const struct tp_machine *machine, const char *wish,
				    struct tp_app_found *found, struct tp_diag *diag);

#endif
