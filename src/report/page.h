/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report. */
#ifndef TPROF_REPORT_PAGE_H
#define TPROF_REPORT_PAGE_H

#include "base/str.h"
#include "record/roof.h"
#include "record/run.h"
#include "report/report.h"
#include "doc/text.h"

/* A report being written. */
struct tp_page {
	const struct tp_run *run;
	const struct tp_look *look; /* the look of `doc` */
	struct tp_text *doc;
	char mark[TP_FLAG_COUNT]; /* letter of a flag that is shown; 0: it is not */
	bool flag_names; /* flags in tables by name, not by letter */
	bool many_runs; /* the preset had several */
	bool has_quality; /* some point has one */
};

/* Points that belong together in one table or one picture. */
struct tp_group {
	unsigned run, threads;
	const char *precision;
	const char *experiment; /* of curves; else NULL */
};

/* A page for text written into `doc`: for single tables, too. */
void tp_page_begin(struct tp_page *page, const struct tp_run *run, struct tp_text *doc);
/* A blank line, then "Roofline · double · 1 thread". */
void tp_page_title(struct tp_page *page, const char *name, const struct tp_group *group);
/* Begins a table with these heads; "quality" is "flags" where no point has one (old runs). */
void tp_page_table(const struct tp_page *page, struct tp_grid *grid,
		   const struct tp_grid_column *columns, size_t n);
/* A heading row, for its own section. */
void tp_page_heads(const struct tp_page *page, struct tp_grid *grid);
/*
 * Appends where a team of a run of the preset measured: kind of cores, memory node; nothing if
 * there is one of each.
 */
void tp_page_place(const struct tp_page *page, unsigned run, unsigned threads, struct tp_str *text);

/*
 * Columns of tables whose rows are points; the context of tp_grid_row is the page. TP_KERNEL shows
 * a member of the point's kernel row.
 */
#define TP_POINT(name) TP_SHOWS(struct tp_point, name)
const void *tp_page_kernel_of(const void *point);
#define TP_KERNEL(name) TP_SHOWS(struct tp_kernel_row, name), .of = tp_page_kernel_of
/* The quality and, unless it is good, the flags in the page's form. */
void tp_page_quality_cell(struct tp_grid *grid, const void *point, const void *page);
/* Half the interval of the median in percent; "1 window" without a second one. */
void tp_page_interval_cell(struct tp_grid *grid, const void *point, const void *page);

/* Half the width of an interval in percent of the value; NaN if missing. */
double tp_page_half_width(double value, double low, double high);
bool tp_level_is_fp(const char *level);
/*
 * The model's figure, which is a separate roof for L1 and for peaks; 0 for other levels. What such
 * cores reach comes before what their ports add up to.
 */
double tp_roof_theory(const struct tp_roof *roof);

/* Tables of a page with one part for each run of the preset, precision and number of threads. */

/* A kind of table: how its items are grouped and how one group is shown. */
struct tp_grouped {
	struct tp_group (*group_of)(const struct tp_run *run, size_t i);
	void (*show)(struct tp_page *page, const struct tp_group *group);
	bool (*leave_out)(const struct tp_run *run, size_t i); /* what other tables hold */
};

/* Shows every group of n items once, in the order in which they first come. False: none. */
bool tp_groups_show(struct tp_page *page, const struct tp_grouped *table, size_t n);
/* True if item i belongs to the group, and is not left out. */
bool tp_groups_has(const struct tp_page *page, const struct tp_grouped *table, size_t i,
		   const struct tp_group *group);

/* A blank line and the table, if it has rows below its heads; else false. */
bool tp_page_grid(struct tp_page *page, struct tp_grid *grid);
/* A paragraph that explains the columns; cleans. */
void tp_page_explain(struct tp_page *page, const char *text);

/*
 * The conclusion of a run, in two to four lines: how good its points are, what limits where,
 * contradictions, and the command to type next. An experiment adds its part through `conclude` of
 * its reporter; quality and command are the same for all.
 */

struct tp_page;

/* Plain text, not cleaned: names of a stranger's run may stand in it. */
struct tp_conclusion {
	struct tp_str quality; /* "27 good, 2 fair, 1 poor of 33 points; 3 were not measured." */
	struct tp_str limits; /* sentences of the experiments */
	struct tp_str odd; /* sentences: impossible results */
	struct tp_str next; /* a command line */
};

/* Zero-initialise; release. */
void tp_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);
void tp_conclusion_release(struct tp_conclusion *conclusion);
/* What has room in one line below a plot: what is odd, else what limits, else the quality. */
void tp_conclusion_line(const struct tp_run *run, struct tp_str *out);

/* --- for reporters --- */

/* A sentence at the end of one of the texts. */
void tp_conclude_add(struct tp_str *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * "tprof --batch quick --set KEY=VALUE": the run's preset again, simulated as the run was. `set`
 * may be NULL. Nothing is added if the preset of the run is unknown.
 */
void tp_conclude_again(const struct tp_run *run, const char *set, struct tp_str *command);
/* A word of a command line, in single quotes where a shell would change it. */
void tp_conclude_word(struct tp_str *command, const char *word);

#endif
