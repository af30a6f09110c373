/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events and metrics in words: formulas, decisions, what is missing. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_WORDS_H
#define TPROF_EXPERIMENTS_COUNTERS_WORDS_H

#include "base/str.h"
#include "doc/text.h"
#include "experiments/counters/classes.h"

/*
 * "BR_COND + BR_JUMP", "0.8 x A - B", "0" without terms; `rounded` takes the rounded coefficients.
 */
void tp_report_formula(const struct tp_class *class, const struct tp_class_metric *metric,
		       bool rounded, struct tp_str *out);
/* What is this small is rounding: "exact". The tightest limits of the shipped families. */
#define TP_EXACT 1e-10
/* "exact", "2e-05", "0.031", "-" if unknown: noise, residuals, errors. */
const char *tp_report_small(char *out, size_t size, double value);
/*
 * The answer in two lines (TP_ANSWER_LINES): was the event chosen or dropped and why, and what
 * follows. Then how the analysis came there, one line a step: measured, quiet, represents, chosen.
 */
enum { TP_ANSWER_LINES = 2 };
void tp_report_decision(const struct tp_class *class, size_t event, struct tp_str *out);
/* "DP_256 + 2 x DP_256_FMA": what an event counts; empty if it is not represented. */
void tp_report_represents(const struct tp_class *class, size_t event, struct tp_str *out);
/* The chosen events that a dependent one combines. */
void tp_report_dependence(const struct tp_class *class, size_t event, struct tp_str *out);

/*
 * Ideal events that no combination of the chosen events gives: what an undefined metric would need.
 * A line for each reason: "A, B: no row that was measured exercises it". Empty if the chosen ones
 * separate everything.
 */
void tp_report_missing(const struct tp_class *class, struct tp_str *out);
/* Those lines, which are lost, as a text. */
void tp_report_lines(struct tp_text *doc, char *lines, unsigned indent);
/* How its fate is painted: good, bad, neutral. */
enum tp_paint tp_report_fate_paint(const struct tp_class_event *event);
/* "defined" or "not here". */
const char *tp_report_verdict(const struct tp_class_metric *metric);

/* Instead of a formula without terms. */
#define TP_NOTHING_NEAR "nothing comes near"

/* The decision of tp_report_decision on an event, as a text. */
void tp_report_path(const struct tp_class *class, size_t event, struct tp_text *doc);
/* A metric: its formula, how good it is, its terms; what it would take, if it is not defined. */
void tp_report_metric(const struct tp_class *class, const struct tp_class_metric *metric,
		      struct tp_text *doc);

#endif
