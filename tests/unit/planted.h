/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events whose truth is known: a family's expectations, made at random, and thousands of events of
 * which a few count ideal events alone (the planted basis) and the others mislead. For the unit
 * test and the bench of the classification.
 */
#ifndef TPROF_TESTS_PLANTED_H
#define TPROF_TESTS_PLANTED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"

/* Shapes like the flops, branch and data cache families. */
enum planted_kind { PLANTED_FLOPS, PLANTED_BRANCH, PLANTED_CACHE, PLANTED_KINDS };

struct planted {
	size_t n_rows, n_ideals, n_events, n_repetitions;
	double *expectations; /* n_rows x n_ideals */
	double *counts; /* n_events x n_repetitions x n_rows */
	int *ideal; /* of each event: which ideal event it counts alone, -1 = it misleads */
	struct tp_classify_limits limits;
	double quiet; /* relative noise on every count */
	uint64_t random;
};

/* xorshift64*, in (0, 1). */
static inline double planted_uniform(struct planted *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return ((double)((p->random * 0x2545f4914f6cdd1du) >> 11) + 0.5) / 9007199254740992.0;
}

static inline size_t planted_below(struct planted *p, size_t n)
{
	return (size_t)(planted_uniform(p) * (double)n);
}

/* Three loops of a kernel for each ideal event, as instruction counts of one class. */
static inline void planted_flops(struct planted *p)
{
	for (size_t j = 0; j < p->n_ideals; j++) {
		double first = (double)(1 + planted_below(p, 48));

		for (size_t loop = 0; loop < 3; loop++)
			p->expectations[(3 * j + loop) * p->n_ideals + j] =
				first * (double)(1u << loop);
	}
}

/* Halves between 0 and 3, until no two ideal events look alike. */
static inline void planted_branch(struct planted *p)
{
	size_t columns[16], n = 1;

	while (n > 0) {
		for (size_t i = 0; i < p->n_rows * p->n_ideals; i++)
			p->expectations[i] = 0.5 * (double)planted_below(p, 7);
		tp_dependent_columns(p->expectations, p->n_rows, p->n_ideals, columns, &n);
	}
}

/*
 * Buffers of growing size: L1 misses and hits, hits of L2 and L3, and a little of the neighbour at
 * the edges.
 */
static inline void planted_cache(struct planted *p)
{
	for (size_t r = 0; r < p->n_rows; r++) {
		double *row = p->expectations + r * p->n_ideals;
		size_t region = r * 4 / p->n_rows;
		double edge = r % 5 == 4 ? 0.4 * planted_uniform(p) : 0;

		row[1] = region == 0 ? 1 - edge : 0;
		row[0] = 1 - row[1];
		row[2] = region == 0 ? edge : region == 1 ? 1 - edge : 0;
		row[3] = region == 1 ? edge : region == 2 ? 1 - edge : 0;
	}
}

/* An event of weights `x`; every repetition its own noise. */
static inline void planted_event(struct planted *p, size_t event, const double *x, double noise)
{
	for (size_t k = 0; k < p->n_repetitions; k++)
		for (size_t r = 0; r < p->n_rows; r++) {
			double sum = 0;

			for (size_t j = 0; j < p->n_ideals; j++)
				sum += p->expectations[r * p->n_ideals + j] * x[j];
			p->counts[(event * p->n_repetitions + k) * p->n_rows + r] =
				sum * (1 + (noise + p->quiet) * (2 * planted_uniform(p) - 1));
		}
}

static inline void planted_constant(struct planted *p, size_t event)
{
	double count = (double)(1 + planted_below(p, 1000));

	for (size_t i = 0; i < p->n_repetitions * p->n_rows; i++)
		p->counts[event * p->n_repetitions * p->n_rows + i] = count;
}

/*
 * Scaled, summed, duplicated, noisy below and above tau, constant, or like cycles: all alike often.
 */
static inline void planted_misleading(struct planted *p, size_t event)
{
	static const double scales[] = { 2, 3, 8, 64, 0.5 };
	size_t kind = planted_below(p, 7), one_event = p->n_repetitions * p->n_rows;
	double x[16] = { 0 }, noise = 0;

	if (kind == 2 && event > 0 && p->ideal[event - 1] < 0) {
		memcpy(p->counts + event * one_event, p->counts + (event - 1) * one_event,
		       one_event * sizeof(*p->counts));
		return;
	}
	if (kind == 5) {
		planted_constant(p, event);
		return;
	}
	if (kind == 6) {
		for (size_t j = 0; j < p->n_ideals; j++)
			x[j] = 0.3 + 7 * planted_uniform(p);
	} else if (kind == 1 || planted_uniform(p) < 0.5) {
		for (size_t n = 2 + planted_below(p, 3); n > 0; n--)
			x[planted_below(p, p->n_ideals)] += 1;
		/* The same ideal event each time is a scaled one, never the ideal one. */
	} else {
		x[planted_below(p, p->n_ideals)] = scales[planted_below(p, 5)];
	}
	if (kind == 3)
		noise = 0.1 * p->limits.noise;
	if (kind == 4)
		noise = fmin(0.9, 100 * p->limits.noise);
	planted_event(p, event, x, noise);
}

/*
 * 5 % of the events, spread evenly over the places and in turn over the ideal events, are the
 * planted basis.
 */
static inline bool planted_make(struct planted *p, enum planted_kind kind, size_t n_events,
				double quiet, uint64_t seed)
{
	static const struct {
		size_t n_rows, n_ideals;
		double noise, alpha;
	} shapes[PLANTED_KINDS] = { { 48, 16, 1e-10, 5e-4 },
				    { 11, 5, 1e-10, 5e-4 },
				    { 20, 4, 1e-1, 5e-2 } };

	*p = (struct planted){ .n_rows = shapes[kind].n_rows,
			       .n_ideals = shapes[kind].n_ideals,
			       .n_events = n_events,
			       .n_repetitions = 3,
			       .quiet = quiet,
			       .random = (seed + 1) * 0x9e3779b97f4a7c15u,
			       .limits = { .noise = shapes[kind].noise,
					   .residual = kind == PLANTED_CACHE ? 0.2 : 1e-8,
					   .alpha = shapes[kind].alpha,
					   .defined = 1e-6,
					   .rows = 0.1 } };
	p->expectations = calloc(p->n_rows * p->n_ideals, sizeof(*p->expectations));
	p->counts = calloc(n_events * p->n_repetitions * p->n_rows, sizeof(*p->counts));
	p->ideal = calloc(n_events, sizeof(*p->ideal));
	if (!p->expectations || !p->counts || !p->ideal)
		return false;
	if (kind == PLANTED_FLOPS)
		planted_flops(p);
	else if (kind == PLANTED_BRANCH)
		planted_branch(p);
	else
		planted_cache(p);
	size_t offset = planted_below(p, 20), first = planted_below(p, p->n_ideals);

	for (size_t e = 0; e < n_events; e++) {
		p->ideal[e] = -1;
		if (e % 20 == offset) {
			double x[16] = { 0 };

			p->ideal[e] = (int)((first + e / 20) % p->n_ideals);
			x[p->ideal[e]] = 1;
			planted_event(p, e, x, 0);
		} else {
			planted_misleading(p, e);
		}
	}
	return true;
}

static inline void planted_release(struct planted *p)
{
	free(p->expectations);
	free(p->counts);
	free(p->ideal);
}

static inline const double *planted_vector(void *context, size_t event, size_t repetition,
					   double *scratch)
{
	const struct planted *p = context;

	(void)scratch;
	return p->counts + (event * p->n_repetitions + repetition) * p->n_rows;
}

static inline struct tp_classify_input planted_input(struct planted *p, enum tp_score score)
{
	struct tp_classify_input input = { .expectations = p->expectations,
					   .n_rows = p->n_rows,
					   .n_ideals = p->n_ideals,
					   .n_events = p->n_events,
					   .n_repetitions = p->n_repetitions,
					   .vector = planted_vector,
					   .context = p,
					   .limits = p->limits };

	input.limits.score = score;
	return input;
}

/* Whether the chosen columns are the ideal events, within alpha, each once. */
static inline bool planted_found(const struct planted *p,
				 const struct tp_classification_result *result)
{
	bool seen[16] = { false };

	if (result->n_chosen != p->n_ideals)
		return false;
	for (size_t k = 0; k < result->n_chosen; k++) {
		const double *x = result->x + result->chosen[k] * p->n_ideals;
		size_t ones = 0, which = 0;

		for (size_t j = 0; j < p->n_ideals; j++) {
			double rounded = tp_round_alpha(x[j], p->limits.alpha);

			if (fabs(rounded - 1) < 1e-9) {
				ones++;
				which = j;
			} else if (fabs(rounded) > 1e-9) {
				return false;
			}
		}
		if (ones != 1 || seen[which])
			return false;
		seen[which] = true;
	}
	return true;
}

#endif
