/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/changes.h"
#include "analysis/stats.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The share of differences that count as noise; the rest includes steps. The mean square of normal
 * numbers without the largest 15 % is 0.5205 of the variance.
 */
#define KEPT_SHARE  0.85
#define KEPT_SQUARE 0.5205
/* Noise is at least this share of the range, so that nearly constant numbers have no steps. */
#define NOISE_FLOOR 0.02
/* Smoothing correlates neighbours: their means vary by this much more than independent ones. */
#define SMOOTHED 1.15
/* Samples around an edge that must show a share of its step. */
enum { SHARP_SAMPLES = 8, FEW_SAMPLES = 12, AROUND = 6, SMOOTH = 2, BLOCK = 4 };
#define SHARP_SHARE 0.5
/* Probability that uncorrelated noise alone makes a phase. */
#define FALSE_ALARM 0.01
/* The shortest phase. */
enum { MIN_SAMPLES = 5 };
/* The smallest step, as a share of the range of its series. */
#define MIN_SHARE 0.1
/* Means are alike if they differ by less of the range. */
#define ALIKE_SHARE 0.25

struct series {
	double *filled, *y; /* without gaps; and smoothed */
	double *sum; /* sum[i] = y[0] + ... + y[i-1], relative to the mean */
	double range, noise;
};

struct finder {
	size_t n, n_series;
	double threshold;
	struct series *series; /* series that vary */
	double *scratch;
};

/* An interval that shows a step. */
struct candidate {
	size_t begin, end, edge;
	double score;
};

/* --- preparing --- */

/* The median of the samples around i, fewer at the ends. */
static double median_around(const double *x, size_t n, size_t i)
{
	double w[2 * SMOOTH + 1];
	size_t reach = i < SMOOTH ? i : SMOOTH;
	if (n - 1 - i < reach)
		reach = n - 1 - i;
	for (size_t k = 0; k <= 2 * reach; k++) {
		double v = x[i - reach + k];
		size_t at = k;
		for (; at && w[at - 1] > v; at--)
			w[at] = w[at - 1];
		w[at] = v;
	}
	return w[reach];
}

/* Noise of means over `block` samples, as if of one sample; scratch holds n numbers. */
static double noise_of(const double *y, size_t n, size_t block, double *scratch)
{
	size_t n_blocks = n / block, kept = 0;
	double before = 0, square = 0;
	for (size_t b = 0; b < n_blocks; b++) {
		double mean = 0;
		for (size_t k = 0; k < block; k++)
			mean += y[b * block + k];
		mean /= (double)block;
		if (b)
			scratch[b - 1] = fabs(mean - before);
		before = mean;
	}
	if (n_blocks < 3)
		return 0;
	tp_sort_doubles(scratch, n_blocks - 1);
	/* An edge affects two differences of blocks: their median shrinks, but stays valid. */
	if (block > 1)
		return TP_MAD_TO_SIGMA * tp_median_sorted(scratch, n_blocks - 1) *
		       sqrt((double)block / 2);
	kept = (size_t)ceil(KEPT_SHARE * (double)(n_blocks - 1));
	for (size_t i = 0; i < kept; i++)
		square += scratch[i] * scratch[i];
	return sqrt(square / (double)kept / KEPT_SQUARE / 2);
}

/* A range of 0 means that there is nothing to find. */
static void prepare(struct series *s, const double *x, size_t n, double *scratch)
{
	double mean = 0;
	s->filled = tp_alloc(n, sizeof(*s->filled));
	s->y = tp_alloc(n, sizeof(*s->y));
	s->sum = tp_alloc(n + 1, sizeof(*s->sum));
	double last = 0;
	for (size_t i = n; i-- > 0;)
		if (isfinite(x[i]))
			last = x[i];
	for (size_t i = 0; i < n; i++)
		s->filled[i] = last = isfinite(x[i]) ? x[i] : last;
	for (size_t i = 0; i < n; i++)
		s->y[i] = median_around(s->filled, n, i);
	tp_sort_copy(s->y, n, scratch);
	s->range = tp_quantile_sorted(scratch, n, 0.99) - tp_quantile_sorted(scratch, n, 0.01);
	if (!(s->range > 0))
		s->range = scratch[n - 1] - scratch[0];
	s->noise = fmax(noise_of(s->filled, n, 1, scratch), noise_of(s->filled, n, BLOCK, scratch));
	s->noise = fmax(s->noise * SMOOTHED, NOISE_FLOOR * s->range);
	for (size_t i = 0; i < n; i++)
		mean += s->y[i] / (double)n;
	s->sum[0] = 0;
	for (size_t i = 0; i < n; i++)
		s->sum[i + 1] = s->sum[i] + (s->y[i] - mean);
}

static void release(struct series *s)
{
	free(s->filled);
	free(s->y);
	free(s->sum);
	memset(s, 0, sizeof(*s));
}

/* --- steps --- */

static double step_of(const struct series *s, size_t begin, size_t edge, size_t end)
{
	double before = (s->sum[edge] - s->sum[begin]) / (double)(edge - begin);
	double behind = (s->sum[end] - s->sum[edge]) / (double)(end - edge);
	return behind - before;
}

/* By how much a step at `edge` exceeds the noise, over all series. */
static double score_of(const struct finder *f, size_t begin, size_t edge, size_t end)
{
	double n1 = (double)(edge - begin), n2 = (double)(end - edge), score = 0;
	for (size_t j = 0; j < f->n_series; j++) {
		const struct series *s = &f->series[j];
		double step = step_of(s, begin, edge, end), z = step / s->noise;
		double c = z * z * n1 * n2 / (n1 + n2);
		if (c > f->threshold && fabs(step) >= MIN_SHARE * s->range)
			score += c - f->threshold;
	}
	return score;
}

/* Among the edges from `low` to `high`. */
static struct candidate best_edge(const struct finder *f, size_t begin, size_t end, size_t low,
				  size_t high)
{
	struct candidate best = { .begin = begin, .end = end };
	if (low < begin + MIN_SAMPLES)
		low = begin + MIN_SAMPLES;
	for (size_t e = low; e <= high && e + MIN_SAMPLES <= end; e++) {
		double score = score_of(f, begin, e, end);
		if (score > best.score) {
			best.score = score;
			best.edge = e;
		}
	}
	return best;
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *p = a, *q = b;
	return (p->score < q->score) - (p->score > q->score);
}

/* Inserts an edge in ascending order. */
static size_t insert(size_t *edges, size_t n, size_t edge)
{
	size_t at = n;
	for (; at && edges[at - 1] > edge; at--)
		edges[at] = edges[at - 1];
	edges[at] = edge;
	return n + 1;
}

/*
 * An edge in the interval, or so near that samples of the next phase may lie in it: the first edges
 * found may be off by some samples.
 */
static bool has_edge(const size_t *edges, size_t n, size_t begin, size_t end)
{
	size_t low = 0, high = n;
	begin = begin > MIN_SAMPLES ? begin - MIN_SAMPLES : 0;
	end += MIN_SAMPLES;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (edges[middle] <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && edges[low] < end;
}

/* Tries all intervals of one length, then takes those that show steps, largest first. */
static void look_at_length(const struct finder *f, size_t length, size_t *edges, size_t max,
			   size_t *n_edges)
{
	size_t shift = length < 4 * MIN_SAMPLES ? 1 : length / 8, n = 0, most = f->n / shift + 2;
	TP_FREE struct candidate *found = tp_alloc(most, sizeof(*found));
	for (size_t begin = 0;; begin += shift) {
		size_t end = begin + length;
		if (end > f->n)
			end = f->n, begin = f->n - length;
		if (!has_edge(edges, *n_edges, begin, end)) {
			struct candidate c = best_edge(f, begin, end, begin, end);
			if (c.score > 0)
				found[n++] = c;
		}
		if (end == f->n)
			break;
	}
	qsort(found, n, sizeof(*found), by_score);
	for (size_t i = 0; i < n && *n_edges < max; i++)
		if (!has_edge(edges, *n_edges, found[i].begin, found[i].end))
			*n_edges = insert(edges, *n_edges, found[i].edge);
}

/*
 * Moves each edge to where nearby samples place it: distant ones belong to other steps, which may
 * be larger, such as that at the end of the program.
 */
static void settle(const struct finder *f, size_t *edges, size_t n)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			size_t begin = i ? edges[i - 1] : 0, end = i + 1 < n ? edges[i + 1] : f->n;
			size_t reach = MIN_SAMPLES, around = AROUND * MIN_SAMPLES;
			if (edges[i] - begin > around)
				begin = edges[i] - around;
			if (end - edges[i] > around)
				end = edges[i] + around;
			struct candidate c =
				best_edge(f, begin, end, edges[i] - reach, edges[i] + reach);
			if (c.score > 0)
				edges[i] = c.edge;
		}
}

/* Phases differ in noise, too: the variance of a phase's mean, from its own samples. */
static double variance_of_mean(const struct finder *f, const struct series *s, size_t begin,
			       size_t end)
{
	size_t n = end - begin;
	double noise = SMOOTHED * noise_of(s->filled + begin, n, 1, f->scratch);
	noise = fmax(noise, NOISE_FLOOR * s->range);
	/* Few samples are a poor estimate of their noise. */
	if (n < FEW_SAMPLES)
		noise = fmax(noise, s->noise);
	return noise * noise / (double)n;
}

/* A step of some series that is sudden, not spread over both phases. */
static bool is_sharp(const struct finder *f, size_t begin, size_t edge, size_t end)
{
	size_t from = edge - begin > SHARP_SAMPLES ? edge - SHARP_SAMPLES : begin;
	size_t to = end - edge > SHARP_SAMPLES ? edge + SHARP_SAMPLES : end;
	for (size_t j = 0; j < f->n_series; j++) {
		const struct series *s = &f->series[j];
		double step = step_of(s, begin, edge, end), near = step_of(s, from, edge, to);
		if (fabs(step) < MIN_SHARE * s->range || near / step < SHARP_SHARE)
			continue;
		if (step * step > f->threshold * (variance_of_mean(f, s, begin, edge) +
						  variance_of_mean(f, s, edge, end)))
			return true;
	}
	return false;
}

/*
 * Drops edges that are not significant, the weakest of a pass first, as this changes its
 * neighbours.
 */
static size_t drop_weak(const struct finder *f, size_t *edges, size_t n)
{
	for (;;) {
		size_t kept = 0;
		bool dropped = false;
		for (size_t i = 0; i < n; i++) {
			size_t begin = kept ? edges[kept - 1] : 0;
			size_t end = i + 1 < n ? edges[i + 1] : f->n;
			if (is_sharp(f, begin, edges[i], end))
				edges[kept++] = edges[i];
			else
				dropped = true;
		}
		n = kept;
		if (!dropped)
			return n;
	}
}

static void find_edges(const struct finder *f, size_t *edges, size_t max, size_t *n_edges)
{
	double length = 2 * (double)MIN_SAMPLES;
	*n_edges = 0;
	for (;; length *= 1.4142135623730951) {
		size_t whole = length < (double)f->n ? (size_t)length : f->n;
		look_at_length(f, whole, edges, max, n_edges);
		if (whole == f->n)
			break;
	}
	settle(f, edges, *n_edges);
	*n_edges = drop_weak(f, edges, *n_edges);
	settle(f, edges, *n_edges);
}

void tp_changes(const double *const *x, size_t n_series, size_t n, size_t *edges, size_t max,
		size_t *n_edges, struct tp_changes_series *told)
{
	struct finder f = { .n = n };
	*n_edges = 0;
	if (told)
		memset(told, 0, n_series * sizeof(*told));
	if (n < 2 * MIN_SAMPLES || !n_series)
		return;
	f.series = tp_alloc(n_series, sizeof(*f.series));
	f.scratch = tp_alloc(n, sizeof(*f.scratch));
	for (size_t j = 0; j < n_series; j++) {
		struct series *s = &f.series[f.n_series];
		prepare(s, x[j], n, f.scratch);
		if (told)
			told[j] = (struct tp_changes_series){ s->range, s->noise };
		if (s->range > 0) {
			f.n_series++;
			continue;
		}
		release(s);
	}
	/* Squares of n x d normal numbers exceed this with about that probability. */
	f.threshold = 2 * log((double)n * (double)(f.n_series + 1) / FALSE_ALARM);
	if (f.n_series)
		find_edges(&f, edges, max, n_edges);
	for (size_t j = 0; j < n_series; j++)
		release(&f.series[j]);
	free(f.series);
	free(f.scratch);
}

/* --- groups --- */

static double distance(const double *a, const double *b, size_t n_series, const double *ranges)
{
	double most = 0;
	for (size_t j = 0; j < n_series; j++)
		if (ranges[j] > 0 && isfinite(a[j]) && isfinite(b[j]))
			most = fmax(most, fabs(a[j] - b[j]) / ranges[j]);
	return most;
}

size_t tp_changes_alike(const double *means, size_t n_phases, size_t n_series, const double *ranges,
			unsigned *group)
{
	size_t n_groups = 0;
	for (size_t i = 0; i < n_phases; i++) {
		double nearest = ALIKE_SHARE;
		group[i] = (unsigned)n_groups;
		for (size_t k = 0; k < i; k++) {
			double d = distance(&means[i * n_series], &means[k * n_series], n_series,
					    ranges);
			if (d < nearest) {
				nearest = d;
				group[i] = group[k];
			}
		}
		n_groups += group[i] == n_groups;
	}
	return n_groups;
}
