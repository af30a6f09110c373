/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report. */
#ifndef TPROF_REPORT_PAGE_H
#define TPROF_REPORT_PAGE_H

#include "record/run.h"
#include "report/grid.h"
#include "report/report.h"
#include "record/roof.h"

/* A report being written. */
struct tp_page {
	const struct tp_run *run;
	const struct tp_look *look;
	struct tp_str *out;
	char mark[TP_FLAG_COUNT]; /* letter of a flag that is shown; 0: it is not */
	bool flag_names; /* flags in tables by name, not by letter */
	bool many_runs; /* the preset had several */
	bool has_quality; /* some point tells its own */
};

/* Points that belong together in one table or one picture. */
struct tp_group {
	unsigned run, threads;
	const char *precision;
	const char *experiment; /* of curves; else NULL */
};

/* A blank line, then "Roofline · double · 1 thread". */
void tp_page_title(struct tp_page *page, const char *name, const struct tp_group *group);
/*
 * The head of a column as it stands on this page: the plus-minus sign in ASCII where there is
 * nothing else; "quality" is "flags" where no point tells its quality (earlier versions).
 */
const char *tp_page_column_head(const struct tp_page *page, const char *head);
/* A cell with the quality and, unless it is good, the flags in the page's form. */
void tp_page_quality(const struct tp_page *page, struct tp_grid *grid, enum tp_quality quality,
		     uint32_t flags);
/*
 * A cell with half the interval of a value that comes from `point` (NULL: from several points or
 * none) in percent; "1 window" where there was no second one to tell.
 */
void tp_page_interval(struct tp_grid *grid, const struct tp_point *point, double value, double low,
		      double high);
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
/* Only where there is none of the above: every finished point. */
void tp_page_points(struct tp_page *page);

#endif
