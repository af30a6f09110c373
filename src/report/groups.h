/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a page with one part for each run of the preset, precision and number of threads. */
#ifndef TPROF_REPORT_GROUPS_H
#define TPROF_REPORT_GROUPS_H

#include "report/page.h"

/* A kind of table: how its items are grouped and how one group is shown. */
struct tp_grouped {
	struct tp_group (*group_of)(const struct tp_run *run, size_t i);
	void (*show)(struct tp_page *page, const struct tp_group *group);
	bool (*leave_out)(const struct tp_run *run, size_t i); /* what other tables hold */
};

/* Shows every group of n items once, in the order in which they first come. */
void tp_groups_show(struct tp_page *page, const struct tp_grouped *table, size_t n);
bool tp_groups_has(const struct tp_page *page, const struct tp_grouped *table, size_t i,
		   const struct tp_group *group);

/* The cell of an ISA is empty where the row above has the same. */
void tp_page_isa(struct tp_grid *grid, const char *isa, const char **above);
/* A paragraph that says what the columns mean. */
void tp_page_explain(struct tp_page *page, const char *text);

#endif
