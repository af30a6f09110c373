/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point in windows: its team and buffers, the body that is measured, the rules that its windows
 * are sampled by. What is found for one point serves the next.
 */
#include "experiments/windows/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/plateau.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/str.h"
#include "base/text.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"
#include "record/point.h"

struct tp_winner {
	struct tp_kernel kernel; /* as raced */
	enum tp_level_class level;
	uint64_t planned_bytes; /* the working set of the point that raced */
	size_t placement_bytes;
	unsigned halves; /* its working set, in halves of the planned one */
	bool best_ratio;
	bool blind; /* as tp_candidate.raced_blind */
};

/* What the size scan of a team found. */
struct tp_window_scan {
	char cpus[256];
	enum tp_pages pages;
	uint64_t planned_bytes, bytes;
};

struct tp_window_bench {
	struct tp_bench *bench;
	struct tp_team *team;
	bool openmp; /* the team uses OpenMP threads */
	unsigned *team_cpus; /* of the team, heap */
	struct tp_claims claims; /* on the team's CPUs, against other tprofs */
	struct tp_winner *winners;
	size_t n_winners, cap_winners;
	struct tp_window_scan *scans;
	size_t n_scans, cap_scans;
	double started, retried; /* when the first point began; seconds spent on second tries */
};

/* --- the rules of sampling --- */

/*
 * How far below the fast mode an undisturbed window may be. Inside a core (registers, L1, L2)
 * everything is deterministic; beyond, the state of shared caches and of DRAM makes windows differ
 * by nature.
 */
#define KEEP_CORE	  0.02
#define KEEP_BEYOND	  0.10
#define RACE_WINDOW_SHARE 0.125

static const struct tp_machine *machine_of(const struct tp_bench *bench, const struct tp_planned *p)
{
	return p->view ? p->view : bench->machine;
}

/* True if every thread has its core, by the topology, and the level belongs to one core. */
static bool private_cores(const struct tp_planned *p, const struct tp_machine *machine)
{
	if (tp_window_plan(p)->level > TP_CLASS_L2 ||
	    (tp_window_plan(p)->level == TP_CLASS_L2 && machine->cache[2].sharing_cores > 1))
		return false;
	for (unsigned i = 0; i < p->point.threads; i++)
		for (size_t k = 0; k < machine->n_pus; k++)
			if (machine->pus[k].os_index == p->cpus[i] && machine->pus[k].smt_rank > 0)
				return false;
	return true;
}

/* How far from the core a point reaches. */
static enum tp_reach window_reach_of(const struct tp_planned *p, const struct tp_machine *machine)
{
	const struct tp_window_plan *plan = tp_window_plan(p);
	return plan->level == TP_CLASS_FP ? TP_REACH_CORE
	       : plan->level > TP_CLASS_L2
		       ? TP_REACH_SHARED
		       : tp_window_reach((double)plan->kernel.working_set_bytes,
					 (double)tp_machine_share(machine, 2, p->point.threads));
}

/* Sampling rules of a point, from its config and level. */
static void window_sampling(const struct tp_planned *planned, const struct tp_machine *machine,
			    struct tp_sampling *s)
{
	const struct tp_config *c = planned->config;
	/* There are thousands of gathers: what lasts longer shows in their neighbours. */
	bool gathers = tp_window_plan(planned)->kernel.kind == TP_KERNEL_GATHER;
	bool cold = strcmp(tp_config_text(c, TP_OPT_CACHE_STATE), "cold") == 0;
	bool beyond_caches = (gathers && cold) ||
			     tp_window_plan(planned)->kernel.working_set_bytes >
				     tp_machine_share(machine, tp_machine_last_level(machine),
						      planned->point.threads);
	*s = (struct tp_sampling){
		.window_seconds = tp_config_real(c, TP_OPT_WINDOW),
		.race_window_seconds = RACE_WINDOW_SHARE * tp_config_real(c, TP_OPT_WINDOW),
		.keep_within =
			tp_window_plan(planned)->level >= TP_CLASS_L3 ? KEEP_BEYOND : KEEP_CORE,
		.private_cores = private_cores(planned, machine),
		.shared = window_reach_of(planned, machine) != TP_REACH_CORE && !gathers,
		.has_neighbours = tp_window_plan(planned)->is_on_curve,
		.settle_bytes = tp_machine_share(machine, tp_machine_last_level(machine),
						 planned->point.threads),
		.cold = cold,
		.flushed = tp_window_plan(planned)->flushed,
		.rule = tp_stop_rule_of(c, (size_t)tp_config_count(c, TP_OPT_STOP_MIN_COUNT)),
	};
	s->rule.max_seconds = tp_config_real(c, TP_OPT_STOP_MAX_TIME);
	s->rule.max_samples = TP_MAX(s->rule.max_samples, (size_t)TP_LEAST_WINDOWS);
	s->rule.race_count = (size_t)tp_config_count(c, TP_OPT_STOP_RACE_COUNT);
	if (beyond_caches)
		s->rule.error = tp_config_real(c, TP_OPT_STOP_ERROR_DRAM);
}

/*
 * --- sizes ---
 *
 * The size of memory points is verified by measuring. A plan takes four times the last cache that
 * the machine reports; in a virtual machine that is the host's cache, of which a guest gets a part,
 * and GiBs would be touched and walked in vain. So where the reported share of a thread is large,
 * the first memory point of a team scans: loads through one octave after another, from the working
 * set of L3 on, until they are as slow as flushed ones, or, where nothing can be flushed, until
 * memory shows (analysis/plateau.h). The plan stays as it is, so that runs can be resumed:
 * raced_bytes has the measured size of a point. A scan holds for one process, and never asks for
 * more than the plan.
 */

/* Four times a smaller share is touched and walked in no time, even if others use that cache. */
#define SCAN_FROM_BYTES (32u << 20)

/* Per size: long enough for a few undisturbed windows. */
#define SIZE_SECONDS 0.02

/* The result is reported if it differs from the machine's figure by more than this. */
#define TELLING_FACTOR 1.5

enum { SIZES_MAX = 32, SIZE_WINDOWS = 7, SIZE_LEAST = 5, GRAIN_BYTES = 4096 };

/* Loads of a scan. */
struct scanned {
	uint64_t bytes;
	unsigned times; /* multiple of the usual windows */
	bool flushed; /* not walked */
};

/* A few windows of loads; *gbps is their median. */
static enum tp_status measure_size(struct tp_window_bench *w, const struct tp_planned *p,
				   const struct scanned *what, double *gbps, double *touch_seconds,
				   struct tp_diag *diag)
{
	struct tp_window_plan plan = *tp_window_plan(p);
	struct tp_kernel_row row = *tp_kernel_row(&p->point);
	struct tp_planned loads = *p;
	TP_FREE struct tp_candidate *candidates = tp_alloc(TP_MAX_CANDIDATES, sizeof(*candidates));
	struct tp_sampling sampling;
	struct tp_watch watch = w->bench->watch ? *w->bench->watch : (struct tp_watch){ 0 };
	double since = tp_team_now(w->team);
	uint64_t before = tp_team_touched_bytes(w->team);
	uint64_t slack = p->own_bytes - plan.kernel.working_set_bytes;

	watch.sample = NULL; /* the windows of a scan are not samples of the point */
	plan.kernel = (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
					  .isa = plan.kernel.isa,
					  .element_bytes = plan.kernel.element_bytes,
					  .loads = 1,
					  .working_set_bytes = what->bytes };
	plan.flushed = what->flushed;
	row.best_ratio = false;
	row.fp_op[0] = '\0';
	row.ai_flop_per_byte = 0;
	loads.row = &plan;
	loads.point.row = &row;
	loads.point.samples = NULL;
	loads.point.n_samples = loads.point.cap_samples = 0;
	enum tp_status status = tp_team_buffers(w->team, what->bytes + slack,
						w->bench->frugal ? p->own_bytes : p->buffer_bytes,
						p->pages, &watch, diag);
	if (tp_team_touched_bytes(w->team) != before)
		*touch_seconds += tp_team_now(w->team) - since;
	if (status != TP_OK)
		return status;
	tp_bodies(&loads, candidates);
	window_sampling(&loads, machine_of(w->bench, p), &sampling);
	sampling.settle_bytes = what->bytes;
	sampling.rule.max_seconds = SIZE_SECONDS * what->times;
	sampling.rule.max_samples = SIZE_WINDOWS * what->times;
	sampling.rule.min_count = SIZE_LEAST;
	status = tp_sampler_run(w->team, w->bench->cpu, &candidates[0], &sampling, &watch,
				w->bench->invocation, &loads.point, diag);
	*gbps = loads.point.median;
	tp_point_release(&loads.point);
	return status;
}

/* A remark if the machine's report misleads. */
static void note_last_level(const struct tp_window_bench *w, const struct tp_planned *p,
			    const struct tp_last_level *found)
{
	const struct tp_machine *machine = machine_of(w->bench, p);
	int last = tp_machine_last_level(machine);
	double reported = (double)tp_machine_share(machine, last, p->point.threads);
	char end[32], share[32], hint[96], key[24];

	if (found->end_bytes * TELLING_FACTOR > reported)
		return;
	tp_format_bytes(end, sizeof(end), (uint64_t)exp2(floor(log2(found->end_bytes) + 0.5)));
	tp_format_bytes(share, sizeof(share), (uint64_t)reported);
	snprintf(key, sizeof(key), "cache_size.L%d", last);
	snprintf(hint, sizeof(hint), "--set %s=SIZE plans with the part that a guest really gets",
		 key);
	tp_watch_say(w->bench->watch, key, hint,
		     "a thread gets about %s of the last cache, where %s are reported: memory is "
		     "measured with smaller working sets",
		     end, share);
}

/*
 * A walk is in memory if it is as fast as flushed loads, up to so much. Near that, few windows are
 * inconclusive, and sizes rise by less, so that no more is touched than needed.
 */
#define AS_SLOW	   1.04
#define NEARLY	   1.3
#define NEAR_TIMES 5

/* The smallest size whose loads are as slow as flushed ones. */
static enum tp_status scan_to_flushed(struct tp_window_bench *w, const struct tp_planned *p,
				      uint64_t size, struct tp_last_level *found,
				      double *touch_seconds, struct tp_diag *diag)
{
	const double most = (double)tp_window_plan(p)->kernel.working_set_bytes;
	const struct scanned flushed = { tp_window_plan(p)->reference_bytes, NEAR_TIMES, true };
	double rate, bytes = (double)size;
	enum tp_status status =
		measure_size(w, p, &flushed, &found->memory_rate, touch_seconds, diag);
	while (status == TP_OK && bytes < most) {
		struct scanned walked = { (uint64_t)bytes / GRAIN_BYTES * GRAIN_BYTES, 1, false };
		status = measure_size(w, p, &walked, &rate, touch_seconds, diag);
		if (status == TP_OK && rate <= NEARLY * found->memory_rate) {
			walked.times = NEAR_TIMES;
			status = measure_size(w, p, &walked, &rate, touch_seconds, diag);
		}
		if (status == TP_OK && rate <= AS_SLOW * found->memory_rate) {
			found->memory_bytes = bytes;
			break;
		}
		found->cache_rate = fmax(found->cache_rate, rate);
		if (rate > sqrt(found->cache_rate * found->memory_rate))
			found->end_bytes = bytes;
		bytes *= rate > NEARLY * found->memory_rate ? 2 : M_SQRT2;
	}
	return status;
}

static enum tp_status scan_sizes(struct tp_window_bench *w, const struct tp_planned *p,
				 uint64_t *bytes, double *touch_seconds, struct tp_diag *diag)
{
	const uint64_t most = tp_window_plan(p)->kernel.working_set_bytes;
	double sizes[SIZES_MAX], rates[SIZES_MAX];
	struct tp_last_level found = { 0 };
	uint64_t size =
		tp_planner_level_bytes(machine_of(w->bench, p), TP_CLASS_L3, p->point.threads);
	enum tp_status status = TP_OK;

	*bytes = most;
	if (size < GRAIN_BYTES)
		return TP_OK;
	if (tp_window_plan(p)->reference_bytes)
		status = scan_to_flushed(w, p, size, &found, touch_seconds, diag);
	else
		for (size_t n = 0;
		     n < SIZES_MAX && size < most && !(found.memory_bytes > 0) && status == TP_OK;
		     size *= 2) {
			struct scanned walked = { size, 1, false };
			status = measure_size(w, p, &walked, &rates[n], touch_seconds, diag);
			sizes[n++] = (double)size;
			if (status == TP_OK)
				tp_last_level_find(sizes, rates, n, &found);
		}
	if (status == TP_OK && found.memory_bytes > 0) {
		*bytes = TP_MIN((uint64_t)found.memory_bytes / GRAIN_BYTES * GRAIN_BYTES, most);
		note_last_level(w, p, &found);
	}
	return status;
}

/*
 * The working set of a planned memory point: the plan's, or the result of its team's scan. Scans if
 * this is the first such point. *touch_seconds grows by what the first touch of memory took.
 */
static enum tp_status scan_bytes(struct tp_window_bench *w, const struct tp_planned *p,
				 uint64_t *bytes, double *touch_seconds, struct tp_diag *diag)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;
	const struct tp_machine *machine = machine_of(w->bench, p);
	int last = tp_machine_last_level(machine);
	*bytes = planned;
	if (!tp_window_plan(p)->scan || !last || machine->cache[last].given_bytes ||
	    tp_machine_share(machine, last, p->point.threads) <= SCAN_FROM_BYTES)
		return TP_OK;
	for (size_t i = 0; i < w->n_scans; i++)
		if (w->scans[i].planned_bytes == planned && w->scans[i].pages == p->pages &&
		    strcmp(w->scans[i].cpus, p->point.cpus) == 0) {
			*bytes = w->scans[i].bytes;
			return TP_OK;
		}
	enum tp_status status = scan_sizes(w, p, bytes, touch_seconds, diag);
	if (status != TP_OK)
		return status;
	TP_RESERVE(w->scans, w->cap_scans, w->n_scans + 1);
	struct tp_window_scan *kept = &w->scans[w->n_scans++];
	*kept = (struct tp_window_scan){ .planned_bytes = planned,
					 .bytes = *bytes,
					 .pages = p->pages };
	tp_copy(kept->cpus, sizeof(kept->cpus), p->point.cpus);
	return TP_OK;
}

/* Bodies that are raced again with other working sets of the level, in halves of the plan's. */
enum { FINALISTS = 4, PLANNED_HALVES = 2 };

static bool same_work(const struct tp_kernel *a, const struct tp_kernel *b)
{
	return a->kind == b->kind && a->isa == b->isa && a->element_bytes == b->element_bytes &&
	       a->loads == b->loads && a->stores == b->stores && a->nontemporal == b->nontemporal &&
	       a->stride == b->stride && a->fp_op == b->fp_op && a->array == b->array;
}

/* The candidate with another working set; false if its body does not fit that. */
static bool resize_candidate(const struct tp_planned *p, unsigned halves,
			     struct tp_candidate *candidate)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;
	candidate->kernel.working_set_bytes = planned / PLANNED_HALVES * halves;
	struct tp_kernel piece = tp_sampler_piece(&candidate->kernel);
	return tp_kernel_check(&piece, NULL) == TP_OK;
}

/* What won before for this kind of work at this level; NULL = nothing did. */
static struct tp_winner *find_winner(const struct tp_window_bench *w, const struct tp_planned *p)
{
	for (size_t i = 0; i < w->n_winners; i++) {
		struct tp_winner *won = &w->winners[i];
		struct tp_kernel raced = won->kernel;
		double a = (double)won->planned_bytes,
		       b = (double)tp_window_plan(p)->kernel.working_set_bytes;
		bool is_on_curve = tp_window_plan(p)->is_on_curve;
		double near = won->level == TP_CLASS_L3 && is_on_curve ? 8 : 2;
		if (won->best_ratio)
			raced.loads = raced.stores = 0;
		/*
		 * Where the last cache ends is not known, and other bodies win beyond it: up to its
		 * reported size a body is known for an octave around the set that it was raced
		 * with, or for three on a curve. So it is in L1 on a curve, whose smallest sizes
		 * are few times a body.
		 */
		if (won->level == tp_window_plan(p)->level &&
		    !((won->level == TP_CLASS_L3 || (won->level == TP_CLASS_L1 && is_on_curve)) &&
		      (a > near * b || b > near * a)) &&
		    won->best_ratio == tp_kernel_row(&p->point)->best_ratio &&
		    same_work(&raced, &tp_window_plan(p)->kernel))
			return won;
	}
	return NULL;
}

/* It, as a candidate for the new size; false if its body does not fit that. */
static bool take_winner(const struct tp_winner *won, const struct tp_planned *p,
			struct tp_candidate *candidate)
{
	*candidate = (struct tp_candidate){ .kernel = tp_window_plan(p)->kernel,
					    .placement_bytes = won->placement_bytes,
					    .raced_blind = won->blind };
	candidate->kernel.body = won->kernel.body;
	if (won->best_ratio) {
		candidate->kernel.loads = won->kernel.loads;
		candidate->kernel.stores = won->kernel.stores;
		candidate->kernel.nontemporal = won->kernel.nontemporal;
	}
	return resize_candidate(p, tp_window_plan(p)->most_halves ? won->halves : PLANNED_HALVES,
				candidate);
}

static void remember_winner(struct tp_window_bench *w, const struct tp_planned *p,
			    const struct tp_candidate *won)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;
	struct tp_winner *known = find_winner(w, p);
	if (!known) {
		TP_RESERVE(w->winners, w->cap_winners, w->n_winners + 1);
		known = &w->winners[w->n_winners++];
	}
	*known = (struct tp_winner){
		.kernel = won->kernel,
		.level = tp_window_plan(p)->level,
		.planned_bytes = planned,
		.placement_bytes = won->placement_bytes,
		.halves = planned ? (unsigned)(won->kernel.working_set_bytes /
					       (planned / PLANNED_HALVES))
				  : PLANNED_HALVES,
		.best_ratio = tp_kernel_row(&p->point)->best_ratio,
		.blind = won->raced_blind,
	};
}

/* The best bodies, each with several working sets inside the level. */
static size_t add_other_sizes(const struct tp_planned *p, const struct tp_candidate *best,
			      size_t n_best, struct tp_candidate *candidates)
{
	const struct tp_window_plan *plan = tp_window_plan(p);
	size_t n = 0;
	for (size_t i = 0; i < n_best; i++)
		for (unsigned halves = plan->least_halves; halves <= plan->most_halves; halves++) {
			candidates[n] = best[i];
			n += resize_candidate(p, halves, &candidates[n]);
		}
	return n;
}

/*
 * The body to measure a point with, and its working set: known from a race before, unless it is to
 * race `again`, or raced now.
 */
static enum tp_status window_choose(struct tp_window_bench *w, const struct tp_planned *p,
				    const struct tp_sampling *sampling, bool again,
				    struct tp_candidate *chosen, struct tp_diag *diag)
{
	TP_FREE struct tp_candidate *candidates = tp_alloc(TP_MAX_CANDIDATES, sizeof(*candidates));
	struct tp_candidate best[FINALISTS];
	const struct tp_window_plan *plan = tp_window_plan(p);
	bool first_team = tp_team_size(w->team) == 1 || !plan->race_each;
	size_t n_best = FINALISTS, one = 1;
	const struct tp_winner *won =
		again || (plan->race_each && first_team) ? NULL : find_winner(w, p);
	if (won && take_winner(won, p, chosen))
		return TP_OK;
	size_t n = tp_bodies(p, candidates);
	enum tp_status status = TP_OK;
	if (plan->most_halves) {
		if (n > FINALISTS)
			status = tp_sampler_race(w->team, w->bench->cpu, candidates, n, sampling,
						 w->bench->watch, best, &n_best, diag);
		for (size_t i = 0; n <= FINALISTS && i < n; i++)
			best[i] = candidates[i];
		n = add_other_sizes(p, best, TP_MIN(n, n_best), candidates);
	}
	if (status == TP_OK && n == 1) {
		*chosen = candidates[0];
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_sampler_race(w->team, w->bench->cpu, candidates, n, sampling,
					 w->bench->watch, chosen, &one, diag);
	if (status == TP_OK)
		remember_winner(w, p, chosen);
	return status;
}

/*
 * A measured value may exceed the model by the error of the frequency measurement, and by the error
 * of fitted costs if a model has them (mixes of wide loads and stores), not by more.
 */
#define BOUND_TOLERANCE 1.025

/* An undisturbed core reaches an FP peak of one kind of instruction to a fraction of a percent. */
#define MODEL_SHARE 0.98

/* Budget for second tries: some seconds, and this share of the time since the start. */
#define RETRY_SECONDS	    0.25
#define RETRY_SHARE	    0.15
#define RETRY_PAUSE_SECONDS 0.05

/* Share of the model's additions above which a core needs no second look. */
#define WHOLE_AT_ONCE 0.85

enum { LEARN_TRIES = 4 };

enum { RETRIES = 2 };

/* Leaves the team itself to the caller. */
static void forget_team(struct tp_window_bench *w)
{
	tp_claims_release(&w->claims);
	free(w->team_cpus);
	w->team = NULL;
	w->team_cpus = NULL;
	if (w->bench)
		w->bench->team = NULL;
}

static void drop_team(struct tp_window_bench *w)
{
	tp_team_free(w->team);
	forget_team(w);
}

static void rest(void *own)
{
	struct tp_window_bench *w = own;
	drop_team(w);
	w->claims = (struct tp_claims){ 0 };
}

static void release(void *own)
{
	struct tp_window_bench *w = own;
	drop_team(w);
	free(w->winners);
	free(w->scans);
}

static const struct tp_bench_kind window_kind = { .bytes = sizeof(struct tp_window_bench),
						  .release = release,
						  .rest = rest };

static enum tp_status new_team(struct tp_window_bench *w, const struct tp_planned *p, bool openmp,
			       struct tp_diag *diag)
{
	const struct tp_bench *bench = w->bench;
	unsigned n = p->point.threads;
	enum tp_status status;
	if (bench->simulation) {
		status = tp_simulated_team_new(&w->team, bench->simulation, p->cpus, n, diag);
	} else {
		tp_claims_init(&w->claims, p->cpus, n);
		status = (openmp ? tp_openmp_team_new : tp_team_new)(&w->team, &bench->clock,
								     bench->cpu, p->cpus, n, diag);
	}
	w->openmp = openmp;
	if (status != TP_OK)
		return status;
	/* A core below its model may coincide with a burst of its neighbour's. */
	double whole = WHOLE_AT_ONCE * machine_of(bench, p)->model.additions_per_cycle;
	for (int i = 0; i < LEARN_TRIES && tp_team_width(w->team) < whole && !tp_stop_asked; i++) {
		tp_team_rest(w->team, RETRY_PAUSE_SECONDS);
		tp_team_learn(w->team);
	}
	return TP_OK;
}

static uint64_t steal_ticks(const struct tp_bench *bench, const struct tp_planned *p)
{
	return bench->simulation ? 0 : tp_machine_steal_ticks("", p->cpus, p->point.threads);
}

/*
 * Keeps the team while the CPUs stay the same: its buffers are warm and where they should be.
 * Another team takes over what memory there is on its CPUs.
 */
static enum tp_status ready_team(struct tp_window_bench *w, const struct tp_planned *p, bool openmp,
				 struct tp_diag *diag)
{
	unsigned n = p->point.threads;
	size_t bytes = n * sizeof(*p->cpus);
	enum tp_status status = TP_OK;
	if (!w->team || w->openmp != openmp || tp_team_size(w->team) != n ||
	    memcmp(w->team_cpus, p->cpus, bytes) != 0) {
		struct tp_team *before = w->team;
		forget_team(w);
		w->team_cpus = tp_alloc(n, sizeof(*w->team_cpus));
		memcpy(w->team_cpus, p->cpus, bytes);
		status = new_team(w, p, openmp, diag);
		if (status == TP_OK && before)
			tp_team_inherit(w->team, before);
		tp_team_free(before);
	} else {
		status = tp_team_check(w->team, diag);
		if (status != TP_OK)
			drop_team(w);
	}
	if (status == TP_OK) {
		w->bench->team = w->team;
		w->bench->team_cpus = w->team_cpus;
	}
	return status;
}

/*
 * The buffers of the point. The first touch is not a time of the point: *seconds grows by what it
 * took.
 */
static enum tp_status ready_buffers(struct tp_window_bench *w, const struct tp_planned *p,
				    double *seconds, struct tp_diag *diag)
{
	const double since = tp_team_now(w->team);
	const size_t before = tp_team_touched_bytes(w->team);
	uint64_t most = w->bench->frugal ? p->own_bytes : p->buffer_bytes;
	enum tp_status status =
		tp_team_buffers(w->team, p->own_bytes, most, p->pages, w->bench->watch, diag);
	/* A limit unknown to the plan: this point's own memory may still be available. */
	if (status == TP_RESOURCE && p->own_bytes < most)
		status = tp_team_buffers(w->team, p->own_bytes, p->own_bytes, p->pages,
					 w->bench->watch, diag);
	if (tp_team_touched_bytes(w->team) != before)
		*seconds += tp_team_now(w->team) - since;
	return status;
}

typedef double l1_rate(const struct tp_model *model, const char *isa, unsigned element_bytes,
		       unsigned loads, unsigned stores);

/*
 * Theoretical roof of a point for the whole team at `ghz`, headline unit; 0 = not in the model.
 * `rate`: loads and stores in L1.
 */
static double window_bound(const struct tp_machine *machine, const struct tp_planned *planned,
			   const struct tp_point *point, double ghz, l1_rate *rate)
{
	const struct tp_model *model = &machine->model;
	const struct tp_kernel *k = &tp_window_plan(planned)->kernel;
	if (k->kind == TP_KERNEL_CHASE || k->kind == TP_KERNEL_GATHER)
		return 0; /* models have no latencies and gathers */
	const struct tp_kernel_row *row = tp_kernel_row(point);
	double cycles = ghz * point->threads;
	double flop = 0, bytes = 0;
	if (row->fp_op[0])
		flop = tp_model_peak_flop_per_cycle(model, row->isa, row->precision, row->fp_op);
	if (row->loads + row->stores && k->stride <= 1) {
		/*
		 * What a pass really does: a small working set does not hold whole groups of the
		 * ratio.
		 */
		struct tp_kernel found = *k;
		uint64_t accesses, loads;
		if (row->raced_bytes)
			found.working_set_bytes = row->raced_bytes;
		found.loads = row->loads;
		found.stores = row->stores;
		tp_kernel_accesses(&found, &accesses, &loads);
		bytes = rate(model, row->isa, k->element_bytes, (unsigned)loads,
			     (unsigned)(accesses - loads));
	}
	if (!row->fp_op[0])
		return bytes * cycles;
	if (row->ai_flop_per_byte > 0 && bytes > 0)
		flop = fmin(flop > 0 ? flop : INFINITY, bytes * row->ai_flop_per_byte);
	return flop * cycles;
}

static void name_body(const struct tp_candidate *candidate, struct tp_kernel_row *row)
{
	struct tp_body body = candidate->kernel.body;
	body.unroll = tp_kernel_unroll(&candidate->kernel);
	char name[40], place[16] = "", size[24] = "", bytes[16], whole[80];
	tp_body_name(&body, name, sizeof(name));
	if (candidate->placement_bytes)
		snprintf(place, sizeof(place), " +%u B", (unsigned)candidate->placement_bytes);
	if (row->raced_bytes)
		snprintf(size, sizeof(size), " in %s",
			 tp_format_bytes(bytes, sizeof(bytes), row->raced_bytes));
	snprintf(whole, sizeof(whole), "%s%s%s", name, place, size);
	tp_copy(row->body, sizeof(row->body), whole);
}

static void judge_speed(const struct tp_machine *machine, const struct tp_planned *planned,
			struct tp_point *point)
{
	double model_additions = machine->model.additions_per_cycle;
	point->flags &= ~(TP_FLAG(OVER_BOUND) | TP_FLAG(UNDER_MODEL));
	point->bound =
		window_bound(machine, planned, point, point->core_ghz, tp_model_l1_bytes_per_cycle);
	tp_kernel_row_of(point)->reachable = window_bound(machine, planned, point, point->core_ghz,
							  tp_model_l1_reached_bytes_per_cycle);
	point->core_share = model_additions > 0 ? point->core_width / model_additions : 0;
	if (tp_window_plan(planned)->level <= TP_CLASS_L2 && point->core_share > 0 &&
	    point->core_share < TP_WHOLE_CORE_SHARE)
		point->flags |= TP_FLAG(SIBLING);
	if (point->bound > 0 && tp_point_median(point) > BOUND_TOLERANCE * point->bound)
		point->flags |= TP_FLAG(OVER_BOUND);
	enum tp_fp_op op = tp_window_plan(planned)->kernel.fp_op;
	bool plain_peak = tp_window_plan(planned)->level == TP_CLASS_FP &&
			  (op == TP_FP_ADD || op == TP_FP_MUL || op == TP_FP_FMA);
	if (plain_peak && tp_point_median(point) < MODEL_SHARE * point->bound)
		point->flags |= TP_FLAG(UNDER_MODEL);
	/* Nothing exceeds the ports, but beyond L1 they are not the roof. */
	if (tp_window_plan(planned)->level > TP_CLASS_L1)
		point->bound = 0;
	if (!(tp_kernel_row(point)->reachable < point->bound))
		tp_kernel_row_of(point)->reachable = 0;
}

/* What only the core decides, and something took a share of the core for most of the time. */
static bool wants_retry(const struct tp_planned *planned, const struct tp_candidate *candidate,
			const struct tp_point *point)
{
	if (candidate->raced_blind || point->flags & (TP_FLAG(SHARED_CORE) | TP_FLAG(UNDER_MODEL)))
		return true;
	return tp_window_plan(planned)->level <= TP_CLASS_L2 &&
	       2 * tp_sampler_shared_windows(point) > point->n_samples;
}

/*
 * Second tries must not take over a long run on a busy machine, and the limits of the point hold
 * for all its tries together.
 */
static bool may_retry(const struct tp_window_bench *w, const struct tp_sampling *sampling,
		      const struct tp_point *point)
{
	double age = tp_bench_now(w->bench) - w->started;
	return w->retried < RETRY_SECONDS + RETRY_SHARE * age && sampling->rule.max_seconds > 0 &&
	       point->n_samples < sampling->rule.max_samples;
}

void tp_window_judge_quality(const struct tp_machine *machine, const struct tp_planned *planned,
			     struct tp_point *point)
{
	tp_window_quality(point, window_reach_of(planned, machine));
}

/* A memory point with the working set that the scan of its team allows. */
static enum tp_status fit_size(struct tp_window_bench *w, struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag)
{
	struct tp_kernel *kernel = &tp_window_plan(planned)->kernel;
	uint64_t bytes;
	enum tp_status status = scan_bytes(w, planned, &bytes, &point->touch_seconds, diag);
	if (status != TP_OK || bytes == kernel->working_set_bytes)
		return status;
	planned->own_bytes -= kernel->working_set_bytes - bytes;
	kernel->working_set_bytes = bytes;
	tp_kernel_row_of(point)->raced_bytes = bytes;
	return TP_OK;
}

static struct tp_window_bench *own_bench(struct tp_bench *bench, double started)
{
	struct tp_window_bench *w = tp_bench_own(bench, &window_kind);
	w->bench = bench;
	w->started = w->started > 0 ? w->started : started;
	return w;
}

/* Chooses the body of a point, and records it in the point. */
static enum tp_status choose_body(struct tp_window_bench *w, const struct tp_planned *planned,
				  const struct tp_sampling *sampling, bool again,
				  struct tp_candidate *candidate, struct tp_point *point,
				  struct tp_diag *diag)
{
	const struct tp_window_plan *plan = tp_window_plan(planned);
	struct tp_kernel_row *row = tp_kernel_row_of(point);
	enum tp_status status = window_choose(w, planned, sampling, again, candidate, diag);
	if (status != TP_OK)
		return status;
	candidate->chasers = plan->chasers;
	candidate->stream = plan->stream;
	candidate->chase = plan->chase;
	candidate->seed = tp_config_count(planned->config, TP_OPT_SEED);
	/* The plan determines everything of a chase and of gathers. */
	bool gathers = candidate->kernel.kind == TP_KERNEL_GATHER;
	if (candidate->kernel.kind != TP_KERNEL_CHASE && !gathers) {
		if (plan->most_halves)
			row->raced_bytes = candidate->kernel.working_set_bytes;
		row->loads = candidate->kernel.loads;
		row->stores = candidate->kernel.stores;
		row->nontemporal = candidate->kernel.nontemporal;
		tp_kernel_name(&candidate->kernel, point->kernel, sizeof(point->kernel));
	}
	if (!gathers)
		name_body(candidate, row);
	return TP_OK;
}

/* Windows of the chosen body, with second tries, and their results for the point. */
static enum tp_status measure_windows(struct tp_window_bench *w, const struct tp_planned *planned,
				      struct tp_candidate *candidate, struct tp_sampling *sampling,
				      bool contested, struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_bench *bench = w->bench;
	const struct tp_kernel_row *row = tp_kernel_row(point);
	const double limit = sampling->rule.max_seconds, sampled_from = tp_bench_now(bench);
	uint64_t stolen = steal_ticks(bench, planned);
	enum tp_status status = tp_sampler_run(w->team, bench->cpu, candidate, sampling,
					       bench->watch, bench->invocation, point, diag);
	for (int i = 0; status == TP_OK; i++) {
		judge_speed(machine_of(bench, planned), planned, point);
		sampling->rule.max_seconds =
			limit - (tp_bench_now(bench) - sampled_from) - RETRY_PAUSE_SECONDS;
		if (i == RETRIES || !wants_retry(planned, candidate, point) ||
		    !may_retry(w, sampling, point))
			break;
		/*
		 * Hypervisors move CPUs about, and neighbours come and go: after a pause it may
		 * look better.
		 */
		double since = tp_bench_now(bench);
		tp_team_rest(w->team, RETRY_PAUSE_SECONDS);
		point->flags &= ~(TP_FLAG(SHARED_CORE) | TP_FLAG(NOT_CONVERGED) | TP_FLAG(NOISY));
		if (candidate->raced_blind)
			status = choose_body(w, planned, sampling, true, candidate, point, diag);
		if (status == TP_OK)
			status = tp_sampler_run(w->team, bench->cpu, candidate, sampling,
						bench->watch, bench->invocation, point, diag);
		w->retried += tp_bench_now(bench) - since;
	}
	if (status != TP_OK)
		return status;
	if (point->kept < TP_LEAST_WINDOWS)
		return tp_fail(diag, TP_FAILED, point->kernel,
			       "a larger stop.max_time, or a quieter moment",
			       "%u of %zu windows can be used; a value needs %d", point->kept,
			       point->n_samples, TP_LEAST_WINDOWS);
	if (steal_ticks(bench, planned) > stolen)
		point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&w->claims) || contested)
		point->flags |= TP_FLAG(OTHER_TPROF);
	if (planned->pages == TP_PAGES_THP && row->working_set_bytes &&
	    strcmp(row->pages, "thp") != 0)
		point->flags |= TP_FLAG(SMALL_PAGES);
	tp_window_judge_quality(machine_of(bench, planned), planned, point);
	if (candidate->raced_blind) {
		point->flags |= TP_FLAG(DISTURBED);
		if (point->quality == TP_QUALITY_GOOD)
			point->quality = TP_QUALITY_FAIR;
	}
	return TP_OK;
}

enum tp_status tp_window_run(struct tp_bench *bench, const struct tp_planned *asked,
			     struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_bench_now(bench);
	struct tp_window_plan plan = *tp_window_plan(asked);
	struct tp_planned own = *asked;
	const struct tp_planned *planned = &own;
	own.row = &plan;
	struct tp_kernel_row *row = tp_kernel_row_of(point);
	struct tp_window_bench *w = own_bench(bench, started);
	point->invocations = 1;
	struct tp_sampling sampling;
	window_sampling(planned, machine_of(bench, planned), &sampling);

	struct tp_candidate candidate;
	enum tp_status status = ready_team(w, planned, false, diag);
	if (status == TP_OK)
		status = fit_size(w, &own, point, diag);
	if (status == TP_OK)
		status = ready_buffers(w, planned, &point->touch_seconds, diag);
	bool contested = tp_claims_contested(&w->claims);
	if (status == TP_OK)
		status = choose_body(w, planned, &sampling, false, &candidate, point, diag);
	if (status != TP_OK)
		goto out;
	tp_copy(row->pages, sizeof(row->pages), tp_team_pages(w->team));
	status = measure_windows(w, planned, &candidate, &sampling, contested, point, diag);
out:
	tp_bench_end_point(point, status, diag,
			   tp_bench_now(bench) - started - point->touch_seconds);
	return status;
}

static enum tp_status describe_code(struct tp_window_bench *w, const struct tp_planned *planned,
				    const struct tp_window_code *code, struct tp_window_pass *pass,
				    struct tp_compiled *compiled, struct tp_kernel_row *row,
				    struct tp_diag *diag)
{
	const size_t bytes = tp_window_plan(planned)->kernel.working_set_bytes;
	double caches[TP_CACHE_LEVELS] = { 0 };
	enum tp_status status =
		tp_team_buffers(w->team, bytes, bytes, planned->pages, w->bench->watch, diag);
	if (status != TP_OK)
		return status;
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		caches[level] = tp_simulated_share_bytes(w->team, level);
	tp_copy(row->pages, sizeof(row->pages), bytes ? tp_team_pages(w->team) : "");
	compiled->pass = pass;
	return code->describe(code->context, caches, pass, compiled, diag);
}

enum tp_status tp_window_run_code(struct tp_bench *bench, const struct tp_planned *planned,
				  const struct tp_window_code *code, struct tp_point *point,
				  struct tp_diag *diag)
{
	double started = tp_bench_now(bench);
	struct tp_window_bench *w = own_bench(bench, started);
	struct tp_compiled compiled = { 0 };
	struct tp_window_pass pass = { 0 };
	struct tp_sampling sampling;
	point->invocations = 1;
	window_sampling(planned, machine_of(bench, planned), &sampling);
	/* Walks through slices are for emitted kernels; a pass of compiled code is a whole one. */
	sampling.settle_bytes = 0;
	/* A thread cannot be timed separately if it waits for the others at a barrier. */
	sampling.private_cores &= !code->openmp;
	enum tp_status status = ready_team(w, planned, code->openmp, diag);
	bool contested = status == TP_OK && tp_claims_contested(&w->claims);
	if (status == TP_OK) {
		double since = tp_bench_now(bench);
		status = bench->simulation ? describe_code(w, planned, code, &pass, &compiled,
							   tp_kernel_row_of(point), diag)
					   : code->prepare(code->context, w->team, &compiled, diag);
		point->touch_seconds += tp_bench_now(bench) - since;
		struct tp_candidate candidate = { .kernel = tp_window_plan(planned)->kernel,
						  .compiled = &compiled };
		if (status == TP_OK)
			status = measure_windows(w, planned, &candidate, &sampling, contested,
						 point, diag);
		if (status == TP_OK && code->measured)
			code->measured(code->context);
		if (status == TP_OK)
			status = tp_window_count(bench, planned, w->team, &compiled,
						 &code->counting, diag);
		if (code->finish)
			code->finish(code->context, w->team);
	}
	tp_bench_end_point(point, status, diag,
			   tp_bench_now(bench) - started - point->touch_seconds);
	return status;
}

/* --- several processes --- */

void tp_window_rule(const struct tp_machine *machine, const struct tp_planned *planned,
		    struct tp_stop_rule *stop)
{
	struct tp_sampling sampling;
	window_sampling(planned, machine, &sampling);
	*stop = sampling.rule;
}

static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	struct tp_sampling sampling;
	window_sampling(planned, machine, &sampling);
	enum tp_status status = tp_sampler_summarise(point, &sampling, diag);
	if (status == TP_OK)
		judge_speed(machine, planned, point);
	return status;
}

const struct tp_repeated tp_window_repeated = { tp_window_rule, summarise, tp_window_judge_quality,
						tp_window_doubt_company };
