/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of gathers. Private to this folder. */
#ifndef TPROF_EXPERIMENT_GATHER_REPORT_H
#define TPROF_EXPERIMENT_GATHER_REPORT_H

#include "report/page.h"

/* As page and conclude of its reporter. */
void tp_page_gather(struct tp_page *page);
void tp_gather_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);
/* "cold caches" or "caches hot", of the first gather of a group. */
const char *tp_gather_caches(const struct tp_run *run, const struct tp_group *group);

#endif
