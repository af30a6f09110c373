/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to autotune: what its searches say in sentences. */
#ifndef TPROF_EXPERIMENT_AUTOTUNE_CONCLUDE_H
#define TPROF_EXPERIMENT_AUTOTUNE_CONCLUDE_H

#include "experiments/autotune/report.h"
#include "report/reporter.h"

/* Sentences of the page: each BLAS with its version, how near it comes to the FMA peak. */
void tp_page_libraries(struct tp_page *page);
/* A `conclude` of its reporter. */
void tp_autotune_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

#endif
