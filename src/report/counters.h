/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for people: tables, decision paths in words, pictures. */
#ifndef TPROF_REPORT_COUNTERS_H
#define TPROF_REPORT_COUNTERS_H

#include "base/str.h"
#include "record/classes.h"
#include "record/run.h"
#include "report/pictures.h"
#include "report/text.h"
#include "ui/plot/plot.h"

/* "1 x BR_COND + 1 x BR_JUMP", "0.8 x A - 1 x B", "0" without terms; `rounded` takes the rounded coefficients. */
void tp_report_formula(const struct tp_class *class, const struct tp_class_metric *metric,
		       bool rounded, struct tp_str *out);
/* What a chosen or represented event counts, in ideal events: "1 CR", "1 DP_256 + 2 DP_256_FMA"; "" if it was not represented. */
void tp_report_represents(const struct tp_class *class, size_t event, struct tp_str *out);
/* A dependent event in chosen ones: "1 x A + 1 x B"; "" for others. */
void tp_report_dependence(const struct tp_class *class, size_t event, struct tp_str *out);
/* "measured -> quiet (0) -> represents 1 DP_256 + 2 DP_256_FMA -> chosen 3rd -> used by DP operations", one line a step. */
void tp_report_decision(const struct tp_class *class, size_t event, struct tp_str *out);

/* One family: head, chosen events, metrics, dropped events. `readings` may be NULL. */
void tp_report_class(const struct tp_class *class, const struct tp_reading_family *readings,
		     const struct tp_look *look, struct tp_str *out);
/* Decision paths: of the events whose name matches the shell pattern `pattern`; NULL: of those chosen. False if none matches. */
bool tp_report_decisions(const struct tp_class *class, const char *pattern,
			 const struct tp_look *look, struct tp_str *out);

/*
 * Pictures, in memory of the picture. Noise of each event, the noisiest first, with tau. False if every event is silent or irrelevant.
 */
bool tp_picture_noise(struct tp_picture *picture, const struct tp_class *class);
/*
 * Counts of events over the rows (`from`: the first of at most TP_PICTURE_CURVES events, taken of `events`, n of them; NULL: the chosen
 * ones) as dots, and what their representation says as lines. Rows stand at row_x where the basis has such, else by number. False
 * if there is nothing to draw. `readings` as in the run.
 */
bool tp_picture_events(struct tp_picture *picture, const struct tp_class *class,
		       const struct tp_reading_family *readings, const unsigned *events, size_t n,
		       size_t from);

#endif
