/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latencies in the report: of the idle machine, and of the loaded one. Private to this room. */
#ifndef TPROF_REPORT_LATENCY_H
#define TPROF_REPORT_LATENCY_H

#include "report/page.h"
#include "report/pictures.h"

/* True for a finished point of loaded latency. */
bool tp_point_is_loaded(const struct tp_point *point);
/* Same run of the preset, threads, precision and level: one table, one picture. */
bool tp_loaded_same_group(const struct tp_point *a, const struct tp_point *b);
/* True if a plateau is one of latency. */
bool tp_plateau_is_latency(const struct tp_plateau *plateau);

/* Plateaus of latency curves, the reach of the TLB, and the tables of loaded latency. */
void tp_page_latency(struct tp_page *page);

/* Latency against bandwidth at the n-th level of a group, one series a mix; false if there is no such level. */
bool tp_loaded_has_level(const struct tp_run *run, const struct tp_group *group, size_t n);
bool tp_picture_loaded(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t n);

#endif
