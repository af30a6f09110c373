/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded latency: which points make one table or one picture. Private to this folder. */
#ifndef TPROF_EXPERIMENT_LOADED_REPORT_H
#define TPROF_EXPERIMENT_LOADED_REPORT_H

#include "record/point.h"
#include "report/page.h"

/* True for a finished point of loaded latency. */
bool tp_point_is_loaded(const struct tp_point *point);
/* Same run of the preset, threads, precision and level: one table, one picture. */
bool tp_loaded_same_group(const struct tp_point *a, const struct tp_point *b);
void tp_page_loaded(struct tp_page *page);
/* A `conclude` of its reporter. */
void tp_loaded_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

#endif
