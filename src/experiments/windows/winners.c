/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body of a point: the winner of an earlier race for such work, or of a race of its own. */
#include "experiments/windows/bench.h"
#include "base/memory.h"
#include "experiments/windows/bodies.h"
#include "experiments/windows/planner.h"
#include "record/point.h"

/* Bodies that are raced again with other working sets of the level: 1, 2 and 3 halves of the
 * plan's. */
enum { FINALISTS = 4, LEAST_HALVES = 1, PLANNED_HALVES = 2, MOST_HALVES = 3 };

static bool same_work(const struct tp_kernel *a, const struct tp_kernel *b)
{
	return a->kind == b->kind && a->isa == b->isa && a->element_bytes == b->element_bytes &&
	       a->loads == b->loads && a->stores == b->stores && a->nontemporal == b->nontemporal &&
	       a->stride == b->stride && a->fp_op == b->fp_op && a->array == b->array;
}

/*
 * Where the last cache ends is not known, and other bodies win beyond it: up to its reported size a
 * body is known for an octave around the set that it was raced with.
 */
static bool is_near(const struct tp_winner *won, const struct tp_window_plan *plan)
{
	double a = (double)won->planned_bytes, b = (double)plan->kernel.working_set_bytes;

	return plan->level != TP_CLASS_L3 || (a <= 2 * b && b <= 2 * a);
}

/* The candidate with another working set; false if its body does not fit that. */
static bool resize(const struct tp_planned *p, unsigned halves, struct tp_candidate *candidate)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;
	candidate->kernel.working_set_bytes = planned / PLANNED_HALVES * halves;
	struct tp_kernel piece = tp_sampler_piece(&candidate->kernel);
	return tp_kernel_check(&piece, NULL) == TP_OK;
}

/* The body that won before for this kind of work at this level, as a candidate for the new size. */
static bool known_winner(const struct tp_window_bench *w, const struct tp_planned *p,
			 struct tp_candidate *candidate)
{
	for (size_t i = 0; i < w->n_winners; i++) {
		const struct tp_winner *won = &w->winners[i];
		struct tp_kernel raced = won->kernel;
		if (won->best_ratio)
			raced.loads = raced.stores = 0;
		if (won->level != tp_window_plan(p)->level || !is_near(won, tp_window_plan(p)) ||
		    won->best_ratio != tp_kernel_row(&p->point)->best_ratio ||
		    !same_work(&raced, &tp_window_plan(p)->kernel))
			continue;
		*candidate = (struct tp_candidate){ .kernel = tp_window_plan(p)->kernel,
						    .placement_bytes = won->placement_bytes };
		candidate->kernel.body = won->kernel.body;
		if (won->best_ratio) {
			candidate->kernel.loads = won->kernel.loads;
			candidate->kernel.stores = won->kernel.stores;
			candidate->kernel.nontemporal = won->kernel.nontemporal;
		}
		return resize(p, tp_window_plan(p)->race_sizes ? won->halves : PLANNED_HALVES,
			      candidate);
	}
	return false;
}

static void remember(struct tp_window_bench *w, const struct tp_planned *p,
		     const struct tp_candidate *won)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;
	if (tp_vec_reserve((void **)&w->winners, &w->cap_winners, w->n_winners + 1,
			   sizeof(*w->winners)) != TP_OK)
		return; /* it will be raced again */
	w->winners[w->n_winners++] = (struct tp_winner){
		.kernel = won->kernel,
		.level = tp_window_plan(p)->level,
		.planned_bytes = planned,
		.placement_bytes = won->placement_bytes,
		.halves = planned ? (unsigned)(won->kernel.working_set_bytes /
					       (planned / PLANNED_HALVES))
				  : PLANNED_HALVES,
		.best_ratio = tp_kernel_row(&p->point)->best_ratio,
	};
}

/* The best bodies, each with several working sets inside the level. */
static size_t with_other_sizes(const struct tp_planned *p, const struct tp_candidate *best,
			       size_t n_best, struct tp_candidate *candidates)
{
	size_t n = 0;
	for (size_t i = 0; i < n_best; i++)
		for (unsigned halves = LEAST_HALVES; halves <= MOST_HALVES; halves++) {
			candidates[n] = best[i];
			n += resize(p, halves, &candidates[n]);
		}
	return n;
}

enum tp_status tp_window_choose(struct tp_window_bench *w, const struct tp_planned *p,
				const struct tp_sampling *sampling, struct tp_candidate *chosen,
				struct tp_diag *diag)
{
	struct tp_candidate candidates[TP_MAX_CANDIDATES], best[FINALISTS];
	const struct tp_window_plan *plan = tp_window_plan(p);
	bool first_team = tp_team_size(w->team) == 1 || !plan->race_each;
	size_t n_best = FINALISTS, one = 1;
	if (!(plan->race_each && first_team) && known_winner(w, p, chosen))
		return TP_OK;
	size_t n = tp_bodies(p, candidates);
	enum tp_status status = TP_OK;
	if (plan->race_sizes) {
		if (n > FINALISTS)
			status = tp_sampler_race(w->team, w->bench->cpu, candidates, n, sampling,
						 w->bench->watch, best, &n_best, diag);
		for (size_t i = 0; n <= FINALISTS && i < n; i++)
			best[i] = candidates[i];
		n = with_other_sizes(p, best, TP_MIN(n, n_best), candidates);
	}
	if (status == TP_OK && n == 1) {
		*chosen = candidates[0];
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_sampler_race(w->team, w->bench->cpu, candidates, n, sampling,
					 w->bench->watch, chosen, &one, diag);
	if (status == TP_OK)
		remember(w, p, chosen);
	return status;
}
