/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the roofs of a run say: where memory limits and where the peak does, and which cannot be. */
#include "experiments/roofline/conclude.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "record/roof.h"

static const char *const levels[] = { "L1", "L2", "L3", "DRAM" };
enum { LEVELS = 4 };

struct ladder {
	const struct tp_roof *peak, *level[LEVELS]; /* the highest of each; NULL: not measured */
};

static void higher(const struct tp_roof **best, const struct tp_roof *roof)
{
	if (roof->median > 0 && isfinite(roof->median) &&
	    (!*best || roof->median > (*best)->median))
		*best = roof;
}

/* The roofs of the ISA, precision and team of `like`. */
static struct ladder ladder_of(const struct tp_run *run, const struct tp_roof *like)
{
	struct ladder ladder = { 0 };
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (!tp_roof_is_group(r, like) || tp_roof_is_tuned(run, r))
			continue;
		if (tp_roof_is_peak(r))
			higher(&ladder.peak, r);
		for (size_t l = 0; l < LEVELS; l++)
			if (strcmp(r->level, levels[l]) == 0)
				higher(&ladder.level[l], r);
	}
	return ladder;
}

/* The first roof of a group, so that each is looked at once. */
static bool is_first(const struct tp_run *run, size_t i)
{
	const struct tp_roof *roofs = tp_run_roofs(run);
	bool known = tp_roof_is_tuned(run, &roofs[i]);
	for (size_t k = 0; k < i && !known; k++)
		known = tp_roof_is_group(&roofs[k], &roofs[i]) && !tp_roof_is_tuned(run, &roofs[k]);
	return !known;
}

static void say_odd(const struct tp_run *run, struct tp_str *odd)
{
	char count[32];
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i],
				     *next = tp_roof_slower_than(run, r);
		if (next)
			tp_conclude_add(
				odd,
				"%s %s, %s: the roof of %s (%.4g GB/s) lies below that of %s "
				"(%.4g GB/s).",
				r->isa, r->precision,
				tp_text_count(count, sizeof(count), r->threads, "thread"), r->level,
				r->median, next->level, next->median);
	}
}

/* The group with the most levels and a peak, and of those the one with the highest peak. */
static const struct tp_roof *leader(const struct tp_run *run)
{
	const struct tp_roof *best = NULL;
	double most = -1, peak = 0;
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (!is_first(run, i))
			continue;
		struct ladder ladder = ladder_of(run, r);
		double parts = ladder.peak ? 1.5 : 0, own = ladder.peak ? ladder.peak->median : 0;
		for (size_t l = 0; l < LEVELS; l++)
			parts += ladder.level[l] != NULL;
		if (parts < most || (parts <= most && own <= peak))
			continue;
		best = r;
		most = parts;
		peak = own;
	}
	return best;
}

void tp_roofline_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_roof *lead = leader(run), *near = NULL, *far = NULL;
	char who[80], count[32];
	if (!lead)
		return;
	struct ladder ladder = ladder_of(run, lead);
	for (size_t l = 0; l < LEVELS; l++) {
		near = near ? near : ladder.level[l];
		far = ladder.level[l] ? ladder.level[l] : far;
	}
	snprintf(who, sizeof(who), "%s %s, %s", lead->isa, lead->precision,
		 tp_text_count(count, sizeof(count), lead->threads, "thread"));
	if (ladder.peak && far) {
		double peak = ladder.peak->median;
		if (near == far)
			tp_conclude_add(&conclusion->limits,
					"%s: memory-bound below %.3g FLOP/byte on %s; "
					"compute-bound above (%s, %.4g GFLOP/s).",
					who, peak / far->median, far->level, ladder.peak->fp_op,
					peak);
		else
			tp_conclude_add(&conclusion->limits,
					"%s: memory-bound below %.3g FLOP/byte on %s, %.3g on %s; "
					"compute-bound above (%s, %.4g GFLOP/s).",
					who, peak / far->median, far->level, peak / near->median,
					near->level, ladder.peak->fp_op, peak);
	} else if (far) {
		tp_conclude_add(&conclusion->limits,
				"%s: %s gives %.4g GB/s; no peak was measured, so nothing tells "
				"where computing limits.",
				who, far->level, far->median);
	} else if (ladder.peak) {
		tp_conclude_add(&conclusion->limits,
				"%s: the peak is %.4g GFLOP/s (%s); no bandwidth was measured, so "
				"nothing tells where memory limits.",
				who, ladder.peak->median, ladder.peak->fp_op);
	}
	say_odd(run, &conclusion->odd);
}
