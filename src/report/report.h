/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of a run: record -> tables and pictures. Used by the command line and by the screens;
 * measures nothing, reads and writes no file.
 */
#ifndef TPROF_REPORT_REPORT_H
#define TPROF_REPORT_REPORT_H

#include "plot/plot.h"
#include "record/run.h"
#include "doc/text.h"

/* The report of a finished run, as text: head, tables, flags in words. */
void tp_report_text(const struct tp_run *run, struct tp_text *doc);
/* How good its points are, what limits them, what is odd, and their flags in words. */
void tp_report_conclusion(const struct tp_run *run, struct tp_text *doc);
/*
 * The plots of a finished run: a roofline per precision (widest ISA, most threads), memory curves,
 * mixed dots.
 */
void tp_report_plots(const struct tp_run *run, struct tp_text *doc);

/*
 * The whole of a run as one page for a browser (html.h): what it concludes, pictures with values,
 * the machine, tables.
 */
void tp_report_html(const struct tp_run *run, struct tp_str *out);

/*
 * The pictures of a run as one SVG document: title, machine, date, then a roofline per precision
 * and the memory curves one below another, then the flags in words. A run without a picture gives a
 * document with a remark.
 */
void tp_report_svg(const struct tp_run *run, enum tp_svg_theme theme, struct tp_str *out);
/*
 * Several runs on each other: a picture for every precision and kind that any of them has, a colour
 * family a run, called by `names`. At most TP_REPORT_RUNS_MAX runs (TP_USAGE beyond).
 */
enum { TP_REPORT_RUNS_MAX = 6 };
enum tp_status tp_report_svg_runs(const struct tp_run *const *runs, const char *const *names,
				  size_t n, enum tp_svg_theme theme, struct tp_str *out,
				  struct tp_diag *diag);

#endif
