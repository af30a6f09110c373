/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An array with its accesses, by how many iterations each is ahead of an instance, descending. */
struct group {
	double ahead[TP_STENCIL_ACCESSES_MAX];
	size_t n;
	bool read, write;
	double bytes; /* of its lines an iteration */
	double least[TP_STENCIL_LOOPS_MAX], most[TP_STENCIL_LOOPS_MAX]; /* offsets in loops */
};

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

/* An offset as steps of the loops: as many of the longest stride as come nearest, and so on. */
static void steps_of(const struct tp_stencil *s, unsigned array, int64_t offset,
		     double steps[TP_STENCIL_LOOPS_MAX])
{
	const int64_t *strides = s->arrays[array].strides_bytes;
	bool done[TP_STENCIL_LOOPS_MAX] = { false };
	memset(steps, 0, TP_STENCIL_LOOPS_MAX * sizeof(*steps));
	for (size_t k = 0; k < s->n_loops; k++) {
		size_t longest = s->n_loops;
		for (size_t i = 0; i < s->n_loops; i++)
			if (!done[i] && strides[i] &&
			    (longest == s->n_loops || llabs(strides[i]) > llabs(strides[longest])))
				longest = i;
		if (longest == s->n_loops)
			return;
		done[longest] = true;
		steps[longest] = round((double)offset / (double)strides[longest]);
		offset -= (int64_t)steps[longest] * strides[longest];
	}
}

static void add_access(const struct tp_stencil *s, size_t index, struct group *g)
{
	double steps[TP_STENCIL_LOOPS_MAX], ahead = 0;
	steps_of(s, s->accesses[index].array, s->accesses[index].offset_bytes, steps);
	for (size_t i = 0; i < s->n_loops; i++) {
		ahead = ahead * s->loops[i].trips + steps[i];
		g->least[i] = g->n ? fmin(g->least[i], steps[i]) : steps[i];
		g->most[i] = g->n ? fmax(g->most[i], steps[i]) : steps[i];
	}
	g->ahead[g->n++] = ahead;
	g->read |= s->accesses[index].read;
	g->write |= s->accesses[index].write;
}

/* False for an array whose stride exceeds a line. */
static bool make_group(const struct tp_stencil *s, unsigned array, struct group *g)
{
	int64_t inner = s->n_loops ? s->arrays[array].strides_bytes[s->n_loops - 1] : 0;
	*g = (struct group){ .bytes = (double)llabs(inner) };
	for (size_t i = 0; i < s->n_accesses; i++)
		if (s->accesses[i].array == array)
			add_access(s, i, g);
	qsort(g->ahead, g->n, sizeof(*g->ahead), descending);
	/* An array that no loop moves through is a scalar. */
	return llabs(inner) <= s->line_bytes &&
	       (inner || g->n == 0 || s->arrays[array].strides_bytes[0] == 0);
}

/* What the cache must hold for reuse over t iterations to hit. */
static double needed(const struct group *groups, size_t n, double t, bool reused_only)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &groups[i];
		double own = g->n ? t : 0;
		bool reused = false;
		for (size_t a = 1; a < g->n; a++) {
			double distance = g->ahead[a - 1] - g->ahead[a];
			own += distance <= t ? distance : t;
			reused |= distance > 0 && distance <= t;
		}
		sum += reused || !reused_only ? own * g->bytes : 0;
	}
	return sum;
}

/* The longest reuse that fits; 0 = none. */
static double longest_reuse(const struct group *groups, size_t n, double cache_bytes)
{
	double longest = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t a = 1; a < groups[i].n; a++) {
			double t = groups[i].ahead[a - 1] - groups[i].ahead[a];
			if (t > longest && needed(groups, n, t, false) <= cache_bytes)
				longest = t;
		}
	return longest;
}

/* A block also loads its halo. */
static double around_blocks(const struct tp_stencil *s, const struct group *g)
{
	double factor = 1;
	for (size_t i = 0; i < s->n_loops; i++)
		if (s->loops[i].trips < s->loops[i].whole)
			factor *= 1 + (g->most[i] - g->least[i]) / s->loops[i].trips;
	return factor;
}

bool tp_stencil_traffic(const struct tp_stencil *s, double cache_bytes,
			struct tp_stencil_traffic *traffic)
{
	struct group groups[TP_STENCIL_ARRAYS_MAX];
	*traffic = (struct tp_stencil_traffic){ 0 };
	if (s->n_loops == 0 || s->n_accesses == 0)
		return false;
	for (unsigned i = 0; i < s->n_arrays; i++)
		if (!make_group(s, i, &groups[i]))
			return false;
	double t = longest_reuse(groups, s->n_arrays, cache_bytes);
	traffic->needed_bytes = needed(groups, s->n_arrays, t, false);
	traffic->reused_bytes = needed(groups, s->n_arrays, t, true);
	for (size_t i = 0; i < s->n_arrays; i++) {
		const struct group *g = &groups[i];
		unsigned misses = g->n > 0 && g->bytes > 0;
		traffic->fewest += misses;
		for (size_t a = 1; a < g->n && g->bytes > 0; a++)
			misses += g->ahead[a - 1] - g->ahead[a] > t;
		traffic->misses += misses;
		if (g->read)
			traffic->read_bytes += misses * g->bytes * around_blocks(s, g);
		else
			traffic->allocated_bytes += misses * g->bytes;
		traffic->written_bytes += g->write ? g->bytes : 0;
	}
	return true;
}

bool tp_ecm(const struct tp_ecm *ecm, struct tp_ecm_times *times)
{
	double sum = 0, before = 0; /* bandwidth of the level before */
	*times = (struct tp_ecm_times){ .roofline_ns = ecm->core_ns, .limit = TP_ECM_LEVELS };
	for (unsigned i = 0; i < TP_ECM_LEVELS; i++) {
		double alone, gbps = ecm->gbps[i];
		if (!(ecm->bytes[i] > 0))
			continue;
		if (!(gbps > 0) || (i > 0 && !(before > 0)))
			return false;
		if (i == 0) {
			alone = times->level_ns[i] = ecm->bytes[i] / gbps;
		} else {
			/*
			 * The kernel that measured it goes through all levels before this one, too:
			 * the transfer is what it takes longer.
			 */
			double longer = 1 / gbps - 1 / before;
			times->level_ns[i] = ecm->bytes[i] * fmax(longer, 0) / ecm->crossing;
			alone = ecm->bytes[i] / (gbps * ecm->crossing);
		}
		sum += times->level_ns[i];
		before = gbps;
		if (alone > times->roofline_ns) {
			times->roofline_ns = alone;
			times->limit = i;
		}
	}
	times->ns = fmax(ecm->core_ns, sum);
	return times->ns > 0;
}
