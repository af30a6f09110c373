/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When to stop sampling: the four rules in the one place that decides. Used for windows inside a
 * process and for invocations of fresh processes alike: both are streams of numbers where larger is
 * better.
 */
#ifndef TPROF_MEASURE_STOP_H
#define TPROF_MEASURE_STOP_H

#include "analysis/stats.h"
#include "base/status.h"

enum tp_stop_basis { TP_BASIS_MEDIAN, TP_BASIS_MEAN, TP_BASIS_TRIMMED, TP_BASIS_SIGMA };

struct tp_stop_rule {
	double max_seconds; /* 1. time for the point */
	size_t max_samples; /* 2. windows */
	double confidence, error; /* 3. interval within +-error (relative) of the estimate */
	size_t min_count; /* not before this many kept samples */
	enum tp_stop_basis basis;
	/* 4. best so far; 0 = no race. Stop when upper end of the estimate < incumbent */
	double incumbent;
	size_t race_count; /* not before this many kept samples (late bloomers need about 100) */
	size_t trim_samples; /* trimmed basis: group size and tolerance */
	double trim_tolerance;
	size_t trim_tries; /*    groups thrown away before giving up as unstable */
	double sigmas; /* sigma basis: samples further from the mean do not count; 0 = 3 */
};

enum tp_stop_reason {
	TP_GO_ON,
	TP_STOP_TIME,
	TP_STOP_SAMPLES,
	TP_STOP_CONFIDENT,
	TP_STOP_BEATEN,
	TP_STOP_UNSTABLE
};

/* Kept samples of one stream. Zero-initialise, release at the end. */
struct tp_stop_state {
	double *x; /* in arrival order */
	double *sorted; /* always sorted */
	size_t n, cap_x, cap_sorted;
	size_t dropped; /* counted against max_samples */
	struct tp_welford w;
	size_t group_start, groups_thrown; /* trimmed basis */
	double trimmed; /* agreed mean of the last group, 0 = none */
};

enum tp_status tp_stop_add(struct tp_stop_state *state, double x);
void tp_stop_drop(struct tp_stop_state *state); /* a disturbed window: seen, not used */
enum tp_stop_reason tp_stop_decide(struct tp_stop_state *state, const struct tp_stop_rule *rule,
				   double elapsed_seconds);
/* Estimate by the rule's basis, and its interval. */
double tp_stop_estimate(const struct tp_stop_state *state, const struct tp_stop_rule *rule);
struct tp_interval tp_stop_interval(const struct tp_stop_state *state,
				    const struct tp_stop_rule *rule);
const char *tp_stop_reason_name(enum tp_stop_reason reason);
void tp_stop_reset(struct tp_stop_state *state);
void tp_stop_release(struct tp_stop_state *state);

#endif
