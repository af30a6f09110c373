/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a difference between two measured values real? Pure functions on numbers.
 *
 * The windows of one process do not predict what another run would give: page layout, the body that
 * won its race, neighbours and the clock stay the same while the process lives. Its interval is
 * therefore too narrow to compare runs with, and the usual scatter from run to run is added to it
 * (TP_REPEAT_LIST). And noise only ever slows a window down: a value that was disturbed can lie
 * below the truth, never above it. That is a one-sided bound, not scatter.
 */
#ifndef TPROF_ANALYSIS_DIFFERENCE_H
#define TPROF_ANALYSIS_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How well a value repeats in another undisturbed run, by what limits it. X(id, name,
 * standard deviation from run to run, interval within which two runs count as the same). Both
 * relative.
 *
 * Where the deviations come from: the points without flags of some 140 stored runs on one two-core
 * Zen 4 virtual machine, as median deviation from the median over the runs / 0.6745. FP 0.16 %; on
 * curves L1 0.15 %, L2 below 0.1 %, L3 0.55 %, near the capacity of a cache, where the curve falls
 * and page layout decides, 1.4 % (L1) to 7 % (L3). Roofs of these runs, 1.7 % in L1 and L2, 3.5 %
 * in L3,
 * 3.6 % in DRAM, come from several versions of the program; so the row for L1 and L2 comes from two
 * runs of one version while the host was quiet (0.3 % and 1 %). L3 and DRAM have 5 % to 7 % while
 * neighbours use them, which no window of one process shows. Other machines may do better or worse:
 * several processes (invocations) in a run show it.
 *
 * For whole programs each window is a separate process, so the interval includes differences
 * between processes. The deviation is a guess at what lasts longer than a run.
 *
 * The last column is about one and a half times the half width that the interval of two runs has
 * with the default stop rules.
 */
#define TP_REPEAT_LIST(X)                                                                          \
	X(FP, "FP", 0.003, 0.03)                                                                   \
	X(L1, "L1", 0.004, 0.03)                                                                   \
	X(L2, "L2", 0.01, 0.07)                                                                    \
	X(L3, "L3", 0.05, 0.30)                                                                    \
	X(DRAM, "DRAM", 0.06, 0.35)                                                                \
	X(EDGE, "edge", 0.08, 0.50)                                                                \
	X(PROGRAM, "program", 0.01, 0.05)

enum tp_repeat {
#define TP_REPEAT_ENUM(id, name, deviation, same) TP_REPEAT_##id,
	TP_REPEAT_LIST(TP_REPEAT_ENUM)
#undef TP_REPEAT_ENUM
		TP_REPEAT_COUNT
};

const char *tp_repeat_name(enum tp_repeat repeat);
double tp_repeat_deviation(enum tp_repeat repeat);
double tp_repeat_same_within(enum tp_repeat repeat);

/* A measured value where more is better: a rate, or one over a time. */
struct tp_estimate {
	double value; /* above 0, or no comparison is possible */
	double low, high; /* its interval, at the confidence given below */
	size_t windows; /* of the value; 0 = unknown, the interval is then trusted */
	unsigned processes; /* from 3 on, the interval is Student's, from the processes' medians */
	double repeat; /* relative standard deviation between runs, in addition to the interval */
	/* known lower bound of its relative standard deviation; 0 = none */
	double scatter;
	/* relative: how far the undisturbed value may lie above it; 0 = not disturbed */
	double shortfall;
};

#define TP_VERDICT_LIST(X)                                                                         \
	X(SAME, "same")                                                                            \
	X(FASTER, "faster")                                                                        \
	X(SLOWER, "slower")                                                                        \
	X(UNCLEAR, "unclear")

enum tp_verdict {
#define TP_VERDICT_ENUM(id, name) TP_VERDICT_##id,
	TP_VERDICT_LIST(TP_VERDICT_ENUM)
#undef TP_VERDICT_ENUM
		TP_VERDICT_COUNT
};
const char *tp_verdict_name(enum tp_verdict verdict);

/*
 * The second value relative to the first. `gain` and its interval are logarithms: ln(second /
 * first).
 */
struct tp_difference {
	bool known; /* false: one of the values has no interval, so there is no result */
	/* set by the caller: one of the values is not usable, so there is no verdict */
	bool poor;
	double gain, low, high;
	double error, degrees; /* standard error of the gain, and its degrees of freedom */
	double up_first, up_second; /* how far the truth may lie above each value, as logarithms */
	double p; /* probability of a gain that far from 0, two-sided, if nothing changed */
	double same_within; /* relative; the interval has to lie within it to count as the same */
	/* relative: the smallest loss that would be called slower if it were the only one */
	double visible;
	enum tp_verdict verdict;
};

/*
 * gain = ln(b / a). error^2 = sum over both of w^2 + s^2: w from the interval (half width on the
 * log scale over the quantile that made it; below 8 windows, whose range is the interval, range /
 * d2(n) x 1.25 / sqrt(n)), at least `scatter`; s = repeat, or a third of it where 3 processes or
 * more have shown their own scatter. Degrees of freedom by Welch and Satterthwaite, `repeat`
 * counted as known from 31 runs. Interval: gain -+ t x error, wider by the shortfall of a below and
 * of b above.
 */
void tp_difference_find(const struct tp_estimate *a, const struct tp_estimate *b, double confidence,
			struct tp_difference *out);

/*
 * Relative: the smallest change in the direction of the gain that would be called different if it
 * were the only one; INFINITY: none would. Only for a difference that was judged.
 */
double tp_difference_needs(const struct tp_difference *difference);

struct tp_judging {
	/*
	 * relative: smaller differences do not matter; 0: 1 %, and same_within as set in each
	 * difference
	 */
	double tolerance;
	double false_discovery; /* share of false ones among those called different */
};

/*
 * Verdicts over all that is compared at once. Different: p passes Benjamini and Hochberg's step-up
 * rule (1995) at the false discovery rate, and the gain is larger than the tolerance. Same: the
 * interval lies within the tolerance, or same_within. scratch holds n doubles.
 */
void tp_differences_judge(struct tp_difference *differences, size_t n,
			  const struct tp_judging *judging, double *scratch);

#endif
