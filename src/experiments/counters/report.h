/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for people: tables, and decision paths in words. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_REPORT_H
#define TPROF_EXPERIMENTS_COUNTERS_REPORT_H

#include "base/str.h"
#include "experiments/counters/classes.h"
#include "record/run.h"
#include "report/pictures.h"
#include "doc/text.h"
#include "plot/plot.h"
#include "experiments/counters/readings.h"
#include "report/page.h"

/*
 * "BR_COND + BR_JUMP", "0.8 x A - B", "0" without terms; `rounded` takes the rounded coefficients.
 */
void tp_report_formula(const struct tp_class *class, const struct tp_class_metric *metric,
		       bool rounded, struct tp_str *out);
/* What is this small is rounding: "exact". The tightest limits of the shipped families. */
#define TP_EXACT 1e-10
/* "exact", "2e-05", "0.031", "-" where nothing is known: noise, residuals, errors. */
const char *tp_report_small(char *out, size_t size, double value);
/*
 * The answer in two lines (TP_ANSWER_LINES): was the event chosen or dropped and why, and what
 * follows. Then how the analysis came there, one line a step: measured, quiet, represents, chosen.
 */
enum { TP_ANSWER_LINES = 2 };
void tp_report_decision(const struct tp_class *class, size_t event, struct tp_str *out);
/* "DP_256 + 2 x DP_256_FMA": what an event counts; nothing where it is not represented. */
void tp_report_represents(const struct tp_class *class, size_t event, struct tp_str *out);

/*
 * Ideal events that no combination of the chosen events gives: what a metric that is not defined
 * would take. A line for each reason: "A, B: no row that was measured exercises it".
 * Nothing when the chosen ones tell everything apart.
 */
void tp_report_missing(const struct tp_class *class, struct tp_str *out);

/* Classes as tables on a terminal, and as rows of data. */

/*
 * The decision paths of events whose name matches a shell pattern, case aside; NULL: of the chosen
 * ones. Returns how many.
 */
size_t tp_report_decisions(const struct tp_class *class, const char *pattern, struct tp_text *doc);
/*
 * Every family of the run, and how to see more. Of dropped events a few names stand by each
 * reason; with `look->full` their values too.
 */
void tp_report_classes(const struct tp_run *run, struct tp_text *doc);

#endif
