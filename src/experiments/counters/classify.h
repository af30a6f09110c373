/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readings and a basis become classes: the bridge from data with names to the linear algebra on
 * arrays.
 */
#ifndef TPROF_EXPERIMENTS_COUNTERS_CLASSIFY_H
#define TPROF_EXPERIMENTS_COUNTERS_CLASSIFY_H

#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"
#include "preset/basis.h"
#include "record/run.h"

/*
 * Analyses one family. Rows of the basis that no event has readings of are left out, and so are the
 * ideal events that no remaining row exercises (class.absent). An event that lacks some of the
 * remaining rows is invalid. TP_USAGE with words: more rows than the basis has, no row at all,
 * dependent columns (by name). A metric without exercised ideal events is not defined, its error
 * NaN. Terms whose coefficient is below 1e-6 of the metric's largest are left out; the error is
 * that of all of them. The caller releases the class in any case.
 */
enum tp_status tp_classify_family(struct tp_class *class, const struct tp_reading_family *readings,
				  const struct tp_basis *basis, const char *source,
				  struct tp_diag *diag);
/*
 * The same for a run: finds the basis of the family (its name without "#2") unless one is given,
 * and adds the class to run->classes with the number of the preset's run. `readings` may be the
 * run's own. Errors go to `diags`; returns the status of the first.
 */
enum tp_status tp_classify_into(struct tp_run *run, const struct tp_reading_family *readings,
				const struct tp_basis *basis, const char *source, unsigned index,
				struct tp_diags *diags);

#endif
