/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulated team finds in its memory and caches: pages, data of before, a chase just built.
 */
#include "measure/simulated/team_parts.h"
#include "base/vec.h"

#include <math.h>

/* A page fault that fetches a small or a huge page from the host. */
#define SMALL_PAGE_SECONDS 15e-6
#define HUGE_PAGE_SECONDS  100e-6

enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Pages that only come from the host now that a walk reaches them; returns seconds. */
static double late_pages(struct tp_simulated_team *t, unsigned i, double reached_bytes,
			 long *faults)
{
	struct tp_simulated_member *m = &t->members[i];
	double fresh = reached_bytes - m->late_from;
	double page = t->huge_pages ? HUGE_PAGE : SMALL_PAGE;
	if (!(fresh > 0) || !(t->s->regime->page_in.late_share > 0))
		return 0;
	m->late_from = reached_bytes;
	double pages = ceil(fresh / page * t->s->regime->page_in.late_share);
	*faults += (long)pages;
	return pages * (t->huge_pages ? HUGE_PAGE_SECONDS : SMALL_PAGE_SECONDS);
}

/*
 * How much longer the first walk takes that finds other data in the caches. What the lead goes
 * through is not timed.
 */
static double cold_seconds(struct tp_simulated_team *t, unsigned i,
			   const struct tp_simulated_work *work, const struct tp_demand *warm,
			   double lead_bytes, double bytes)
{
	struct tp_simulated_member *m = &t->members[i];
	double walk = (double)work->walk_bytes, ghz = t->s->truth.figures->ghz;
	if (walk != m->walk_bytes)
		m->walked_bytes = 0;
	m->walk_bytes = walk;
	double cold_bytes = fmin(bytes, walk - m->walked_bytes - lead_bytes);
	m->walked_bytes += lead_bytes + bytes;
	if (!(cold_bytes > 0))
		return 0;
	struct tp_simulated_work from_memory = *work;
	struct tp_demand cold;
	from_memory.cold = true;
	tp_truth_demand(&t->s->truth, &from_memory, &cold);
	return cold_bytes / (double)work->kernel->working_set_bytes *
	       fmax(0, tp_truth_seconds(&cold, ghz) - tp_truth_seconds(warm, ghz));
}

double tp_simulated_first_walk(struct tp_simulated_team *t, unsigned i,
			       const struct tp_window_work *work,
			       const struct tp_simulated_work *what, const struct tp_demand *d,
			       long *faults)
{
	double bytes = (double)work->passes * (double)what->kernel->working_set_bytes;
	double from = work->walk.slice_bytes ? (double)work->walk.from : 0;
	double seconds = late_pages(t, i, fmin((double)what->walk_bytes, from + bytes), faults);
	if (!what->cold)
		seconds += cold_seconds(
			t, i, what, d,
			(double)work->lead_passes * (double)what->kernel->working_set_bytes, bytes);
	return seconds;
}

static double lap_loads(const struct tp_simulated_member *m)
{
	double stride = m->chase.stride_bytes ? (double)m->chase.stride_bytes : TP_CHASE_LINE_BYTES;
	return (double)m->chase.bytes / stride;
}

double tp_simulated_chased(struct tp_simulated_team *t, unsigned i,
			   const struct tp_window_work *work, const struct tp_simulated_work *what,
			   const struct tp_demand *d, double *extra_seconds)
{
	struct tp_simulated_member *m = &t->members[i];
	double ghz = t->s->truth.figures->ghz, factor = t->s->regime->warm_chase.factor;
	double loads_per_pass = TP_MAX(tp_kernel_unroll(what->kernel), 1u);
	double loads = (double)work->passes * loads_per_pass, left = 1;
	*extra_seconds = 0;
	if (!(m->chase.bytes > 0))
		return left;
	if (work->evict_bytes) {
		m->cold_loads = lap_loads(m);
		m->evicted = true;
	}
	if (m->cold_loads > 0) {
		struct tp_simulated_work from_memory = *what;
		struct tp_demand cold;
		from_memory.cold = true;
		tp_truth_demand(&t->s->truth, &from_memory, &cold);
		*extra_seconds = fmin(loads, m->cold_loads) / loads_per_pass *
				 (tp_truth_seconds(&cold, ghz) - tp_truth_seconds(d, ghz));
		m->cold_loads -= loads;
	}
	if (factor > 1 && !m->evicted) {
		double laps = (m->chased_loads + loads / 2) / lap_loads(m);
		double warm = 1 / (1 + pow(laps / t->s->regime->warm_chase.laps, 4));
		left = 1 - warm * (1 - 1 / factor);
	}
	m->chased_loads += loads;
	return left;
}
