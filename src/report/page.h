/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report. Private to this room. */
#ifndef TPROF_REPORT_PAGE_H
#define TPROF_REPORT_PAGE_H

#include "record/run.h"
#include "report/grid.h"
#include "report/report.h"

/* A report being written. */
struct tp_page {
	const struct tp_run *run;
	const struct tp_look *look;
	struct tp_str *out;
	char mark[TP_FLAG_COUNT]; /* letter of a flag that occurred; 0: it did not */
	bool flag_names; /* flags in tables by name, not by letter */
	bool many_runs; /* the preset had several */
};

/* Points that belong together in one table or one picture. */
struct tp_group {
	unsigned run, threads;
	const char *precision;
	const char *experiment; /* of curves; NULL: memcurve */
};

/* A blank line, then "Roofline · double · 1 thread". */
void tp_page_title(struct tp_page *page, const char *name, const struct tp_group *group);
/* A cell with the flags in the page's form. */
void tp_page_flags(const struct tp_page *page, struct tp_grid *grid, uint32_t flags);
/* Half the width of an interval in percent of the value; NaN where there is none. */
double tp_page_half_width(double value, double low, double high);
/* Rates of 0 mean that there is none. */
double tp_page_rate(double value);
/* The point's kernel ("2ld1st"), or "". */
const char *tp_page_kernel(const struct tp_run *run, unsigned point);

bool tp_level_is_fp(const char *level);
/* The figure of the machine model is a roof of its own for L1 and for peaks; 0 for other levels. */
double tp_roof_theory(const struct tp_roof *roof);

void tp_page_head(struct tp_page *page);
void tp_page_roofs(struct tp_page *page);
void tp_page_curves(struct tp_page *page);
void tp_page_dots(struct tp_page *page);
/* Only where there is none of the above: every finished point. */
void tp_page_points(struct tp_page *page);

#endif
