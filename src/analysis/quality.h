/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How reliable a measured value is, from what was observed during the measurement. Pure numbers.
 * Every observation is one number that is larger the worse it is. Each number has two limits: up to
 * the first one the value may be good, up to the second one fair, above it is poor. The worst
 * number decides.
 */
#ifndef TPROF_ANALYSIS_QUALITY_H
#define TPROF_ANALYSIS_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * X(id, limits of good and fair inside a core, the same beyond it).
 *
 * Inside a core (L1, L2, FP) noise only ever makes a window slower, and the windows that count lie
 * close together. Beyond it (L3, memory) others share what is measured, and a good value may be 8 %
 * off instead of 3 %. NEVER: not applicable there. The limits were tried out on simulated
 * machines: all regimes of measure/simulated/simulation.c on three models, where the truth is
 * known.
 *
 * FEWNESS: 1 / windows that count. The median of 8 windows is the first with an interval of 99 %;
 * one window does not show how it repeats.
 * INTERVAL: half the confidence interval over the value. It must leave room for errors common to
 * all windows. SPREAD: scaled MAD of the windows that count, over the value. MODES: distance of two
 * groups of windows, each with a quarter of them or more, over the value. The median may lie in the
 * wrong one. RHYTHMS: the same of all windows that nothing disturbed, by their work in a cycle, of
 * which each group has a tenth or more. The faster one is reported; another run, or a program, may
 * find the other. BELOW_BEST: how far the value lies below the fast windows. Noise only ever slows
 * down: this much is lost at least. WANDER: range of the medians of ten stretches of time, over the
 * value. What others do lasts for some 10 ms, and windows beside each other agree all the same.
 * UNEVEN: 10 % to 90 % of all windows, over the value. Where a window is too long to fit between
 * disturbances, all windows have some part of one.
 * BREVITY: time that the windows should cover, over the time that they do.
 * DROPPED: share of windows that do not count. A few undisturbed ones are reliable inside a core;
 * beyond it, dropping is a judgement. UNCLEAN: 1 if every window was disturbed, so that disturbed
 * ones count. CLOCK: change of the clock over the point. CHOICE: the clock of the windows that
 * count against that of all: a clock that steps makes the windows of its fastest state the fast
 * ones. PARTED: 1 if the core was not wholly ours; its caches then are not, either. UNSTEADY: 1 if
 * the windows did not come to a steady state. OVER: 1 if the value is more than the model says the
 * core can do. UNDER: how far an FP peak lies below what the model says. DISAGREED: 1 if no group
 * of windows ever agreed (trimmed rule). UNGAUGED: 1 if it is unknown whether the core was ours: no
 * gauge, or no model to compare with. COARSE: 1 if windows were short against the clock's
 * resolution. CONTESTED: 1 if another tprof measured on the same CPUs. OTHER_PAGES: 1 if huge pages
 * were asked for and not obtained.
 */
#define TP_DOUBT_NEVER 1e300
#define TP_DOUBT_LIST(X)                                                                           \
	X(FEWNESS, 1 / 8., 1 / 3., 1 / 8., 1 / 3.)                                                 \
	X(INTERVAL, 0.01, 0.03, 0.03, 0.08)                                                        \
	X(SPREAD, 0.02, 0.05, 0.025, 0.10)                                                         \
	X(MODES, 0.03, 0.06, 0.06, 0.12)                                                           \
	X(RHYTHMS, 0.03, 2, TP_DOUBT_NEVER, TP_DOUBT_NEVER)                                        \
	X(BELOW_BEST, 0.02, 0.05, 0.04, 0.12)                                                      \
	X(WANDER, TP_DOUBT_NEVER, TP_DOUBT_NEVER, 0.10, 0.25)                                      \
	X(UNEVEN, TP_DOUBT_NEVER, TP_DOUBT_NEVER, 0.30, 0.60)                                      \
	X(BREVITY, TP_DOUBT_NEVER, TP_DOUBT_NEVER, 1, 10)                                          \
	X(DROPPED, 0.90, 0.98, 0.62, 0.95)                                                         \
	X(UNCLEAN, 0, 0, 0, 1)                                                                     \
	X(CLOCK, 0.05, 0.10, TP_DOUBT_NEVER, TP_DOUBT_NEVER)                                       \
	X(CHOICE, 0.02, 0.06, TP_DOUBT_NEVER, TP_DOUBT_NEVER)                                      \
	X(PARTED, 0, 0, 0, 1)                                                                      \
	X(UNSTEADY, 0, 0, 0, 0)                                                                    \
	X(OVER, 0, 0, 0, 0)                                                                        \
	X(UNDER, 0.02, 0.05, TP_DOUBT_NEVER, TP_DOUBT_NEVER)                                       \
	X(DISAGREED, 0, 0, 0, 0)                                                                   \
	X(UNGAUGED, 0, 1, TP_DOUBT_NEVER, TP_DOUBT_NEVER)                                          \
	X(COARSE, 0, 1, 0, 1)                                                                      \
	X(CONTESTED, 0, 1, 0, 1)                                                                   \
	X(OTHER_PAGES, TP_DOUBT_NEVER, TP_DOUBT_NEVER, 0, 1)

enum tp_doubt {
#define TP_DOUBT_ENUM(id, good, fair, shared_good, shared_fair) TP_DOUBT_##id,
	TP_DOUBT_LIST(TP_DOUBT_ENUM)
#undef TP_DOUBT_ENUM
		TP_DOUBT_COUNT
};

/* EDGE: a working set that fills most of the last own cache, so that a part of it lies beyond. */
enum tp_reach { TP_REACH_CORE, TP_REACH_EDGE, TP_REACH_SHARED };

/* Observations of a point; zeros mean no objection. At an edge both limits hold. */
struct tp_seen {
	enum tp_reach reach;
	double x[TP_DOUBT_COUNT];
};

enum tp_grade { TP_GRADE_GOOD, TP_GRADE_FAIR, TP_GRADE_POOR };

/* `doubts` gets a bit (1 << enum tp_doubt) for each number that is above its limit of good. */
enum tp_grade tp_quality_grade(const struct tp_seen *seen, uint32_t *doubts);

/*
 * The distance of two groups in x[n], ascending, over its median: 0 unless a gap parts them, each
 * has that share of the values or more, and the gap is wider than either group.
 */
double tp_quality_modes(const double *sorted, size_t n, double share);

/*
 * The range of the medians of ten successive stretches of x[n], over the median of all, less what
 * chance alone makes of it; 0 for fewer than 40. `may_rise`: they may rise by themselves, and
 * only what falls counts. Scratch holds n numbers.
 */
double tp_quality_wander(const double *x, size_t n, bool may_rise, double *scratch);

#endif
