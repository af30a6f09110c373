/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tables of latency, idle and under load, have in common. */
#ifndef TPROF_EXPERIMENT_LATENCY_PAGE_H
#define TPROF_EXPERIMENT_LATENCY_PAGE_H

#include "report/page.h"

/* "Latency, DRAM, 2 threads, run 2 of the preset" as a title; `level` may be "". */
void tp_page_latency_title(struct tp_page *page, const char *name, const char *level,
			   unsigned threads, unsigned run);
/* Begins a table whose column 3 is the interval. */
void tp_page_latency_heads(struct tp_page *page, struct tp_grid *grid,
			   const struct tp_grid_column *columns, size_t n);

#endif
