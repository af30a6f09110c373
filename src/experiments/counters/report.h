/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for people: tables, decision paths in words, pictures. */
#ifndef TPROF_REPORT_COUNTERS_H
#define TPROF_REPORT_COUNTERS_H

#include "base/str.h"
#include "experiments/counters/classes.h"
#include "record/run.h"
#include "report/pictures.h"
#include "report/text.h"
#include "plot/plot.h"
#include "experiments/counters/readings.h"

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
/* "2 x A + B": a dependent event as a combination of the chosen ones. */
void tp_report_dependence(const struct tp_class *class, size_t event, struct tp_str *out);
/*
 * Ideal events that no combination of the chosen events gives, each followed by why ("no row that
 * was measured exercises it", ...), one a line: what a metric that is not defined would take.
 * Nothing when the chosen ones tell everything apart.
 */
void tp_report_missing(const struct tp_class *class, struct tp_str *out);

/* What the class was made from: its readings in the run; NULL if they are not there. */
const struct tp_reading_family *tp_report_readings(const struct tp_run *run,
						   const struct tp_class *class);
/* The same as the representation expects it, E x; NaN where the event has none. */
double tp_report_expected(const struct tp_class *class, size_t event, size_t used);

/*
 * Pictures (report/pictures.h). Noise: events with a noise, by rising noise, against tau; `ranks`
 * has room for n_events and gets their numbers in that order; NULL = not wanted. Returns how many;
 * 0 = nothing to draw.
 */
size_t tp_picture_noise(struct tp_picture *picture, const struct tp_class *class, size_t *ranks);
/*
 * Counts of some events (at most TP_PICTURE_EVENTS) over the rows: dots as measured, lines as
 * expected. x is the row's own (buffer size, N) where that rises from row to row, else its number,
 * with a mark where a kernel begins. `x` (n_used) gets it; NULL = not wanted. False: nothing to
 * draw.
 */
enum { TP_PICTURE_EVENTS = 12 };
bool tp_picture_counts(struct tp_picture *picture, const struct tp_class *class,
		       const struct tp_reading_family *readings, const size_t *events, size_t n,
		       double *x);

#endif
