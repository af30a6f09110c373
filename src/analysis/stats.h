/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of windows. Pure functions on numbers; the source of a formula is named where it is
 * not common.
 */
#ifndef TPROF_ANALYSIS_STATS_H
#define TPROF_ANALYSIS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Online mean and variance (Welford 1962). Zero-initialise. */
struct tp_welford {
	size_t n;
	double mean, c; /* c = sum of squared deviations */
};

void tp_welford_add(struct tp_welford *w, double x);
double tp_welford_variance(const struct tp_welford *w); /* S^2 = C/(n-1); 0 for n < 2 */

struct tp_interval {
	double low, high;
	bool valid; /* false: too few samples for that confidence; low/high: the sample's range */
};

/* Interval of the mean by Student's t (GSL quantile). */
struct tp_interval tp_mean_interval(const struct tp_welford *w, double confidence);
/* 0 of no numbers. */
double tp_median_sorted(const double *x, size_t n);
double tp_median(double *x, size_t n); /* sorts x */
double tp_median_of(const double *x, size_t n, double *scratch); /* which gets x, sorted */
/* Median absolute deviation from `median`; overwrites scratch. */
double tp_median_deviation(const double *x, size_t n, double median, double *scratch);
/* Of a normal sample it estimates the standard deviation with this factor: 1 / Phi^-1(3/4). */
#define TP_MAD_TO_SIGMA 1.4826

/*
 * Distribution-free interval of the median: order statistics of the binomial(n, 1/2); smallest
 * symmetric pair that reaches `confidence`.
 */
struct tp_interval tp_median_interval_sorted(const double *x, size_t n, double confidence);

/*
 * 1-based rank k of that pair, x_(k) and x_(n+1-k); 0 if no pair reaches `confidence`.
 * 99 % of 20 samples: 4.
 */
size_t tp_median_rank(size_t n, double confidence);

double tp_quantile_sorted(const double *x, size_t n,
			  double q); /* linear between order statistics */
void tp_sort_doubles(double *x, size_t n);
void tp_sort_copy(const double *x, size_t n, double *sorted);

/*
 * How many of n values equal the value that at least half of them have; 0: there is no such value,
 * or there are two.
 */
size_t tp_alike(const double *x, size_t n, double *value);

struct tp_summary {
	size_t n;
	double mean, stddev, median, mad, min, max; /* mad: median absolute deviation, not scaled */
	struct tp_interval mean_ci, median_ci;
};

/* scratch holds n doubles. */
void tp_summarise(const double *x, size_t n, double confidence, double *scratch,
		  struct tp_summary *out);

/*
 * Trimmed rule: drops smallest and largest of x[n], means the rest; true if no kept sample deviates
 * from that mean by more than tolerance (relative).
 */
bool tp_trimmed_mean(const double *x, size_t n, double tolerance, double *scratch, double *mean);

/*
 * Interval of that trimmed mean: winsorised standard error with h - 1 degrees of freedom, h = n - 2
 * (Tukey and McLaughlin 1963). Not valid below 4 samples. scratch holds n doubles.
 */
struct tp_interval tp_trimmed_interval(const double *x, size_t n, double confidence,
				       double *scratch);

/* The cache-aware roofline: F(AI) = min(F_peak, B_level x AI). Pure formulas. */

/* Attainable GFLOP/s at intensity `ai` (FLOP/byte moved by the core). */
double tp_roof_attainable(double peak_gflops, double gbps, double ai);

/* Ridge point: AI where the memory roof meets the peak; 0 if gbps is 0. */
double tp_roof_ridge(double peak_gflops, double gbps);

#endif
