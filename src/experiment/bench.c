/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/bench.h"
#include "base/str.h"
#include "base/vec.h"
#include "experiment/bodies.h"
#include "experiment/count_bench.h"
#include "experiment/planner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * How far below the fast mode an undisturbed window may be. Inside a core (registers, L1, L2) everything is deterministic; beyond,
 * the state of shared caches and of DRAM makes windows differ by nature.
 */
#define KEEP_CORE	  0.02
#define KEEP_BEYOND	  0.10
#define RACE_WINDOW_SHARE 0.25
/*
 * A measured value may exceed the model by the error of the frequency measurement, and by that of the fitted costs where a model
 * has such (mixes of wide loads and stores), not by more.
 */
#define BOUND_TOLERANCE 1.025

/* An FP peak of one kind of instruction is reached to a fraction of a percent by a core that is left alone. */
#define MODEL_SHARE 0.98

/* Budget for second tries: so many seconds, and this share of the time since the start. */
#define RETRY_SECONDS 0.25
#define RETRY_SHARE   0.15

enum { TRIM_TRIES = 20, RETRIES = 2, RETRY_PAUSE_NS = 50000000 };

enum tp_status tp_bench_init(struct tp_bench *bench, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, double known_hz,
			     const struct tp_watch *watch, struct tp_diag *diag)
{
	*bench = (struct tp_bench){ .machine = machine, .cpu = cpu, .watch = watch };
	if (machine->foreign)
		return tp_fail(diag, TP_USAGE, "topology",
			       "leave topology out to measure this machine",
			       "%s is another machine: it can be planned for, not measured",
			       machine->source);
	bench->started = tp_now_seconds();
	tp_clock_init(&bench->clock, cpu, known_hz);
	return TP_OK;
}

static void drop_team(struct tp_bench *bench)
{
	tp_team_free(bench->team);
	tp_claims_release(&bench->claims);
	free(bench->team_cpus);
	bench->team = NULL;
	bench->team_cpus = NULL;
}

void tp_bench_rest(struct tp_bench *bench)
{
	drop_team(bench);
	bench->claims = (struct tp_claims){ 0 };
}

void tp_bench_release(struct tp_bench *bench)
{
	drop_team(bench);
	tp_count_bench_free(bench->counters);
	free(bench->winners);
	*bench = (struct tp_bench){ 0 };
}

/* Keeps the team while the CPUs stay the same: its buffers are warm and where they should be. */
static enum tp_status ready_team(struct tp_bench *bench, const struct tp_planned *p,
				 struct tp_diag *diag)
{
	unsigned n = p->point.threads;
	size_t bytes = n * sizeof(*p->cpus);
	enum tp_status status = TP_OK;
	if (!bench->team || tp_team_size(bench->team) != n ||
	    memcmp(bench->team_cpus, p->cpus, bytes) != 0) {
		drop_team(bench);
		bench->team_cpus = malloc(bytes);
		if (!bench->team_cpus)
			return tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
		memcpy(bench->team_cpus, p->cpus, bytes);
		status = tp_team_new(&bench->team, &bench->clock, bench->cpu, p->cpus, n, diag);
		tp_claims_init(&bench->claims, p->cpus, n);
	} else {
		status = tp_team_check(bench->team, diag);
		if (status != TP_OK)
			drop_team(bench);
	}
	if (status == TP_OK)
		status =
			tp_team_buffers(bench->team, bench->frugal ? p->own_bytes : p->buffer_bytes,
					p->pages, diag);
	/* A limit that the plan could not know: what this point needs itself may still be had. */
	if (status == TP_RESOURCE && bench->team && p->own_bytes < p->buffer_bytes)
		status = tp_team_buffers(bench->team, p->own_bytes, p->pages, diag);
	return status;
}

/* True if every thread has its core, by the topology, and the level belongs to one core. */
static bool private_cores(const struct tp_planned *p, const struct tp_machine *machine)
{
	if (p->level > TP_CLASS_L2 ||
	    (p->level == TP_CLASS_L2 && machine->cache[2].sharing_cores > 1))
		return false;
	for (unsigned i = 0; i < p->point.threads; i++)
		for (size_t k = 0; k < machine->n_pus; k++)
			if (machine->pus[k].os_index == p->cpus[i] && machine->pus[k].smt_rank > 0)
				return false;
	return true;
}

void tp_bench_sampling(const struct tp_planned *planned, const struct tp_machine *machine,
		       struct tp_sampling *s)
{
	static const char *const bases[] = { "median", "mean", "trimmed" };
	const struct tp_config *c = planned->config;
	bool beyond_caches =
		planned->kernel.working_set_bytes >
		tp_machine_share(machine, tp_machine_last_level(machine), planned->point.threads);
	const char *basis = tp_config_text(c, TP_OPT_STOP_BASIS);
	*s = (struct tp_sampling){
		.window_seconds = tp_config_real(c, TP_OPT_WINDOW),
		.race_window_seconds = RACE_WINDOW_SHARE * tp_config_real(c, TP_OPT_WINDOW),
		.keep_within = planned->level >= TP_CLASS_L3 ? KEEP_BEYOND : KEEP_CORE,
		.private_cores = private_cores(planned, machine),
		.cold = strcmp(tp_config_text(c, TP_OPT_CACHE_STATE), "cold") == 0,
		.rule = {
			.max_seconds = tp_config_real(c, TP_OPT_STOP_MAX_TIME),
			.max_samples = (size_t)tp_config_count(c, TP_OPT_STOP_MAX_SAMPLES),
			.confidence = tp_config_real(c, TP_OPT_STOP_CONFIDENCE),
			.error = tp_config_real(c, beyond_caches ? TP_OPT_STOP_ERROR_DRAM : TP_OPT_STOP_ERROR),
			.min_count = (size_t)tp_config_count(c, TP_OPT_STOP_MIN_COUNT),
			.race_count = (size_t)tp_config_count(c, TP_OPT_STOP_RACE_COUNT),
			.trim_samples = (size_t)tp_config_count(c, TP_OPT_STOP_TRIM_SAMPLES),
			.trim_tolerance = tp_config_real(c, TP_OPT_STOP_TRIM_TOLERANCE),
			.trim_tries = TRIM_TRIES,
		},
	};
	for (size_t i = 0; i < TP_COUNT_OF(bases); i++)
		if (strcmp(basis, bases[i]) == 0)
			s->rule.basis = (enum tp_stop_basis)i;
}

double tp_bench_bound(const struct tp_machine *machine, const struct tp_planned *planned,
		      const struct tp_point *point, double ghz)
{
	const struct tp_model *model = &machine->model;
	const struct tp_kernel *k = &planned->kernel;
	if (k->kind == TP_KERNEL_CHASE)
		return 0; /* models know no latencies */
	double cycles = ghz * point->threads;
	double flop = 0, bytes = 0;
	if (point->fp_op[0])
		flop = tp_model_flop_per_cycle(model, point->isa, k->element_bytes, point->fp_op);
	if (point->loads + point->stores && k->stride <= 1) {
		/* What a pass really does: a small working set does not hold whole groups of the ratio. */
		struct tp_kernel found = *k;
		uint64_t accesses, loads;
		found.loads = point->loads;
		found.stores = point->stores;
		tp_kernel_accesses(&found, &accesses, &loads);
		bytes = tp_model_l1_bytes_per_cycle(model, point->isa, k->element_bytes,
						    (unsigned)loads, (unsigned)(accesses - loads));
	}
	if (!point->fp_op[0])
		return bytes * cycles;
	if (point->ai_flop_per_byte > 0 && bytes > 0)
		flop = flop > 0 ? fmin(flop, bytes * point->ai_flop_per_byte)
				: bytes * point->ai_flop_per_byte;
	return flop * cycles;
}

/* Second tries must not take over a long run on a busy machine. */
static bool has_retry_time(const struct tp_bench *bench)
{
	double age = tp_now_seconds() - bench->started;
	return bench->retried < RETRY_SECONDS + RETRY_SHARE * age;
}

/* --- winners --- */

static bool same_work(const struct tp_kernel *a, const struct tp_kernel *b)
{
	return a->kind == b->kind && a->isa == b->isa && a->element_bytes == b->element_bytes &&
	       a->loads == b->loads && a->stores == b->stores && a->nontemporal == b->nontemporal &&
	       a->stride == b->stride && a->fp_op == b->fp_op;
}

/* The body that won before for this kind of work at this level, as a candidate for the new size. */
static bool known_winner(const struct tp_bench *bench, const struct tp_planned *p,
			 struct tp_candidate *candidate)
{
	for (size_t i = 0; i < bench->n_winners; i++) {
		const struct tp_winner *w = &bench->winners[i];
		struct tp_kernel raced = w->kernel;
		if (w->best_ratio)
			raced.loads = raced.stores = 0;
		if (w->level != p->level || w->best_ratio != p->point.best_ratio ||
		    !same_work(&raced, &p->kernel))
			continue;
		*candidate = (struct tp_candidate){ .kernel = p->kernel,
						    .placement_bytes = w->placement_bytes };
		candidate->kernel.body = w->kernel.body;
		if (w->best_ratio) {
			candidate->kernel.loads = w->kernel.loads;
			candidate->kernel.stores = w->kernel.stores;
			candidate->kernel.nontemporal = w->kernel.nontemporal;
		}
		return tp_kernel_check(&candidate->kernel, NULL) == TP_OK;
	}
	return false;
}

static void remember(struct tp_bench *bench, const struct tp_planned *p,
		     const struct tp_candidate *won)
{
	if (tp_vec_reserve((void **)&bench->winners, &bench->cap_winners, bench->n_winners + 1,
			   sizeof(*bench->winners)) != TP_OK)
		return; /* it will be raced again */
	bench->winners[bench->n_winners++] =
		(struct tp_winner){ .kernel = won->kernel,
				    .level = p->level,
				    .placement_bytes = won->placement_bytes,
				    .best_ratio = p->point.best_ratio };
}

/*
 * A neighbour's burst can put the best body out of its race. Where the model knows what L1 gives and the winner stayed below, the race is
 * run once more.
 */
static enum tp_status second_race(struct tp_bench *bench, const struct tp_planned *p,
				  const struct tp_sampling *sampling,
				  const struct tp_candidate *candidates, size_t n,
				  struct tp_candidate *chosen, struct tp_diag *diag)
{
	if (p->level != TP_CLASS_L1 || p->kernel.kind != TP_KERNEL_MEMORY || !has_retry_time(bench))
		return TP_OK;
	struct tp_point point = p->point;
	struct tp_candidate again;
	point.loads = chosen->kernel.loads;
	point.stores = chosen->kernel.stores;
	double bound = tp_bench_bound(bench->machine, p, &point, chosen->raced_ghz);
	if (chosen->raced_rate > MODEL_SHARE * bound)
		return TP_OK;
	double since = tp_now_seconds();
	enum tp_status status = tp_sampler_race(bench->team, bench->cpu, candidates, n, sampling,
						bench->watch, &again, diag);
	bench->retried += tp_now_seconds() - since;
	if (status == TP_OK && again.raced_rate > chosen->raced_rate)
		*chosen = again;
	return status;
}

static enum tp_status choose_candidate(struct tp_bench *bench, const struct tp_planned *p,
				       const struct tp_sampling *sampling,
				       struct tp_candidate *chosen, struct tp_diag *diag)
{
	struct tp_candidate candidates[TP_MAX_CANDIDATES];
	bool first_team = tp_team_size(bench->team) == 1 || !p->race_each;
	if (!(p->race_each && first_team) && known_winner(bench, p, chosen))
		return TP_OK;
	size_t n = tp_bodies(p, candidates);
	if (n == 1) {
		*chosen = candidates[0];
		return TP_OK;
	}
	enum tp_status status = tp_sampler_race(bench->team, bench->cpu, candidates, n, sampling,
						bench->watch, chosen, diag);
	if (status == TP_OK)
		status = second_race(bench, p, sampling, candidates, n, chosen, diag);
	if (status != TP_OK)
		return status;
	remember(bench, p, chosen);
	return TP_OK;
}

static void name_variant(const struct tp_candidate *candidate, struct tp_point *point)
{
	struct tp_body body = candidate->kernel.body;
	body.unroll = tp_kernel_unroll(&candidate->kernel);
	char name[40];
	tp_body_name(&body, name, sizeof(name));
	if (candidate->placement_bytes)
		snprintf(point->variant, sizeof(point->variant), "%s +%u B", name,
			 (unsigned)candidate->placement_bytes);
	else
		tp_copy(point->variant, sizeof(point->variant), name);
}

void tp_bench_judge(const struct tp_machine *machine, const struct tp_planned *planned,
		    struct tp_point *point)
{
	point->flags &= ~(TP_FLAG(OVER_BOUND) | TP_FLAG(UNDER_MODEL));
	point->bound = tp_bench_bound(machine, planned, point, tp_sampler_fastest_ghz(point));
	if (point->bound > 0 && tp_point_median(point) > BOUND_TOLERANCE * point->bound)
		point->flags |= TP_FLAG(OVER_BOUND);
	enum tp_fp_op op = planned->kernel.fp_op;
	bool plain_peak = planned->level == TP_CLASS_FP &&
			  (op == TP_FP_ADD || op == TP_FP_MUL || op == TP_FP_FMA);
	if (plain_peak && tp_point_median(point) < MODEL_SHARE * point->bound)
		point->flags |= TP_FLAG(UNDER_MODEL);
	/* Nothing exceeds the ports, but beyond L1 they are not the roof. */
	if (planned->level > TP_CLASS_L1)
		point->bound = 0;
}

/* What only the core decides, and something took a share of the core for most of the time. */
static bool wants_retry(const struct tp_planned *planned, const struct tp_point *point)
{
	if (point->flags & (TP_FLAG(SHARED_CORE) | TP_FLAG(UNDER_MODEL)))
		return true;
	return planned->level <= TP_CLASS_L2 &&
	       2 * tp_sampler_shared_windows(point) > point->n_samples;
}

/* The limits of the point hold for all its tries together. */
static bool may_retry(const struct tp_bench *bench, const struct tp_sampling *sampling,
		      const struct tp_point *point)
{
	return has_retry_time(bench) && sampling->rule.max_seconds > 0 &&
	       point->n_samples < sampling->rule.max_samples;
}

enum tp_status tp_bench_run(struct tp_bench *bench, const struct tp_planned *planned,
			    struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	*point = planned->point;
	point->invocations = 1;
	struct tp_sampling sampling;
	tp_bench_sampling(planned, bench->machine, &sampling);

	struct tp_candidate candidate;
	enum tp_status status = ready_team(bench, planned, diag);
	bool contested = tp_claims_contested(&bench->claims);
	if (status == TP_OK)
		status = choose_candidate(bench, planned, &sampling, &candidate, diag);
	if (status != TP_OK)
		goto out;
	candidate.chasers = planned->chasers;
	candidate.stream = planned->stream;
	candidate.chase = planned->chase;
	if (candidate.kernel.kind != TP_KERNEL_CHASE) { /* the plan knows all of a chase */
		point->loads = candidate.kernel.loads;
		point->stores = candidate.kernel.stores;
		point->nontemporal = candidate.kernel.nontemporal;
		tp_kernel_name(&candidate.kernel, point->kernel, sizeof(point->kernel));
	}
	name_variant(&candidate, point);
	tp_copy(point->pages, sizeof(point->pages), tp_team_pages(bench->team));

	const double limit = sampling.rule.max_seconds, sampled_from = tp_now_seconds();
	uint64_t stolen = tp_machine_steal_ticks(planned->cpus, point->threads);
	status = tp_sampler_run(bench->team, bench->cpu, &candidate, &sampling, bench->watch,
				bench->invocation, point, diag);
	for (int i = 0; status == TP_OK; i++) {
		tp_bench_judge(bench->machine, planned, point);
		sampling.rule.max_seconds =
			limit - (tp_now_seconds() - sampled_from) - RETRY_PAUSE_NS * 1e-9;
		if (i == RETRIES || !wants_retry(planned, point) ||
		    !may_retry(bench, &sampling, point))
			break;
		/* Hypervisors move CPUs about, and neighbours come and go: after a pause it may look better. */
		double since = tp_now_seconds();
		nanosleep(&(struct timespec){ .tv_nsec = RETRY_PAUSE_NS }, NULL);
		point->flags &= ~(TP_FLAG(SHARED_CORE) | TP_FLAG(NOT_CONVERGED) | TP_FLAG(NOISY));
		status = tp_sampler_run(bench->team, bench->cpu, &candidate, &sampling,
					bench->watch, bench->invocation, point, diag);
		bench->retried += tp_now_seconds() - since;
	}
	if (status != TP_OK)
		goto out;
	if (tp_machine_steal_ticks(planned->cpus, point->threads) > stolen)
		point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&bench->claims) || contested)
		point->flags |= TP_FLAG(OTHER_TPROF);
	if (planned->pages == TP_PAGES_THP && point->working_set_bytes &&
	    strcmp(point->pages, "thp") != 0)
		point->flags |= TP_FLAG(SMALL_PAGES);
out:
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK && diag)
		point->diag = *diag;
	point->seconds = tp_now_seconds() - started;
	return status;
}
