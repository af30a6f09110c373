/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: parts of the text of a comparison. */
#ifndef TPROF_REPORT_COMPARE_PARTS_H
#define TPROF_REPORT_COMPARE_PARTS_H

#include "report/compare.h"

/* Below this an unclear difference is not worth a row, nor a ridge that moved. */
#define TP_COMPARE_NO_NEWS 0.01

/* Writes `text` as the title of a table, and releases it. */
void tp_compare_title(const struct tp_look *look, struct tp_str *out, struct tp_str *text);
/* A gain in percent: "+3.1"; "-" if it is none. */
void tp_compare_percent_text(char *out, size_t size, double gain);
/* True if the point is one of the roofs of its run. */
bool tp_compare_is_roof(const struct tp_point *point);
/* A line a run, with its letter; then everything else of the text. */
void tp_compare_run_lines(const struct tp_comparison *comparison, const struct tp_look *look,
			  struct tp_str *out);
void tp_compare_tables(const struct tp_comparison *comparison, const struct tp_look *look,
		       struct tp_str *out);
/* How many rows the tables do not show, and why. */
void tp_compare_rest_line(const struct tp_comparison *comparison, const struct tp_look *look,
			  struct tp_str *out);
/* The ridge points that moved between the baseline and a run. */
void tp_compare_ridges(const struct tp_comparison *comparison, size_t run,
		       const struct tp_look *look, struct tp_str *out);
/* The paragraph behind the tables. */
void tp_compare_explain(const struct tp_comparison *comparison, const struct tp_look *look,
			struct tp_str *out);

#endif
