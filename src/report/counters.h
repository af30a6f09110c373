/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for people: tables, decision paths in words, pictures. */
#ifndef TPROF_REPORT_COUNTERS_H
#define TPROF_REPORT_COUNTERS_H

#include "base/str.h"
#include "record/classes.h"
#include "record/run.h"
#include "report/text.h"
#include "ui/plot/plot.h"

/* "1 x BR_COND + 1 x BR_JUMP", "0.8 x A - B"; `rounded` takes the rounded coefficients. */
void tp_report_formula(const struct tp_class *class, const struct tp_class_metric *metric,
		       bool rounded, struct tp_str *out);
/* "measured -> quiet (0) -> represents 1 x DP_256 + 2 x DP_256_FMA -> chosen 3rd -> used by DP operations", one line a step. */
void tp_report_decision(const struct tp_class *class, size_t event, struct tp_str *out);

#endif
