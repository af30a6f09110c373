/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A search is run: configurations are evaluated in worker processes, what is known of each goes to
 * the watch.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/now.h"
#include "base/text.h"
#include "experiments/autotune/autotune.h"
#include "experiments/autotune/row.h"
#include "experiments/bench.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "measure/gauge.h"
#include "measure/sampler.h"
#include "routines/worker.h"

/* Share of the available memory that one configuration may take. */
#define MEMORY_SHARE 0.8
/*
 * As for emitted kernels: what a measured value may exceed the model by, and what frequencies may
 * differ by.
 */
#define BOUND_TOLERANCE 1.025
#define DRIFT		0.01

/* For learning how wide a core is: moments at most, and the pause between them. */
enum { LEARN_MOMENTS = 20, LEARN_PAUSE_NS = 5000000 };

/* What one search leaves for the next: the width of the core of the CPU that was searched last. */
struct kept {
	struct tp_core_width width;
	unsigned cpu;
};
static const struct tp_bench_kind kept_kind = { .bytes = sizeof(struct kept) };

/* What evaluates configurations: one worker at a time, with one of them open. */
struct evaluator {
	struct tp_bench *bench;
	const struct tp_planned *planned;
	const struct tp_autotune *search;
	struct tp_routine_config config; /* CPUs and library as they are; sizes of the open one */
	uint64_t memory_limit_bytes;
	struct tp_worker *worker; /* NULL = none */
	bool gauged; /* one CPU, and its worker tells how much of it was there */
	unsigned invocation; /* that the worker serves */
	unsigned slot;
	double work; /* of a call: FLOP or bytes */
	bool go_on;
};

static bool go_on(void *context)
{
	struct evaluator *e = context;
	return e->go_on = e->go_on && e->bench->watch->go_on(e->bench->watch->context);
}

static void stop_worker(struct evaluator *e)
{
	if (e->worker)
		tp_worker_stop(e->worker);
	e->worker = NULL;
}

static enum tp_status check_memory(const struct evaluator *e, struct tp_diag *diag)
{
	uint64_t need = tp_routine_memory_bytes(&e->config);
	char a[32], b[32], name[TP_TRIAL_NAME_MAX];
	if (need <= e->memory_limit_bytes)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, tp_routine_config_name(&e->config, name, sizeof(name)),
		       "choose smaller sizes",
		       "would need %s, and only %s of this machine's memory may be used",
		       tp_format_bytes(a, sizeof(a), need),
		       tp_format_bytes(b, sizeof(b), e->memory_limit_bytes));
}

/*
 * How wide the core is when nobody else is there. Readings of one moment cannot tell a narrow core
 * from a disturbed one: they go on until several moments agree on the widest, or it takes too long.
 * What is learnt stays for the searches to come, and each worker adds to it.
 */
static void learn_width(struct evaluator *e, double hz)
{
	struct kept *kept = tp_bench_own(e->bench, &kept_kind);
	struct tp_core_width *core = &kept->width;
	if (kept->cpu != e->config.cpus[0])
		*core = (struct tp_core_width){ 0 };
	kept->cpu = e->config.cpus[0];
	unsigned moments = core->widest > 0 ? 1 : LEARN_MOMENTS;
	double width;
	for (unsigned i = 0; i < moments && (i == 0 || !(core->widest > 0)); i++) {
		if (i > 0)
			nanosleep(&(struct timespec){ .tv_nsec = LEARN_PAUSE_NS }, NULL);
		e->gauged = tp_worker_gauge(e->worker, hz, &width, NULL) == TP_OK;
		if (!e->gauged)
			return;
		tp_core_width_learn(core, width);
	}
}

/*
 * Where several CPUs work, threads of the library that wait awake would disturb the gauge, and it
 * them.
 */
static enum tp_status start_worker(struct evaluator *e, struct tp_diag *diag)
{
	const struct tp_clock *clock = &e->bench->clock;
	enum tp_status status = tp_worker_start(&e->worker, e->config.cpus, e->config.n_cpus, diag);
	if (status != TP_OK) {
		e->worker = NULL;
		return status;
	}
	if (e->config.n_cpus == 1)
		learn_width(e, clock->counter ? clock->hz : 0);
	return TP_OK;
}

/*
 * All techniques but racing want a process for each call; a race serves all configurations of a
 * round from one.
 */
static enum tp_status begin(void *context, size_t index, unsigned invocation, void **state,
			    struct tp_diag *diag)
{
	struct evaluator *e = context;
	struct tp_routine_config sizes = tp_autotune_config(e->search, index);
	memcpy(e->config.size, sizes.size, sizeof(e->config.size));
	e->work = e->config.id == TP_ROUTINE_TRIAD ? tp_routine_bytes(&e->config)
						   : tp_routine_flop(&e->config);
	*state = e;
	enum tp_status status = check_memory(e, diag);
	if (status != TP_OK)
		return status;
	if (e->worker && (!e->search->technique.race || e->invocation != invocation))
		stop_worker(e);
	if (!e->worker)
		status = start_worker(e, diag);
	if (status != TP_OK)
		return status;
	e->invocation = invocation;
	status = tp_worker_open(e->worker, &e->config, &e->slot, diag);
	if (status != TP_OK)
		stop_worker(e);
	return status;
}

static enum tp_status iterate(void *context, void *state __attribute__((unused)), unsigned count,
			      double *values, double *shares, struct tp_diag *diag)
{
	struct evaluator *e = context;
	struct kept *kept = tp_bench_own(e->bench, &kept_kind);
	double widths[TP_TUNING_BATCH_MAX];
	if (!e->worker)
		return tp_fail(diag, TP_CRASHED, "worker", NULL, "its process is gone");
	enum tp_status status =
		tp_worker_run(e->worker, e->slot, count, values, widths, go_on, e, diag);
	if (status == TP_CANCELLED)
		return status;
	if (status != TP_OK) {
		stop_worker(e);
		return status;
	}
	for (unsigned i = 0; i < count; i++) {
		values[i] = values[i] > 0 ? e->work / values[i] * 1e-9 : 0;
		if (!(widths[i] > 0))
			continue;
		tp_core_width_learn(&kept->width, widths[i]);
		if (widths[i] < tp_core_width_least(&kept->width))
			shares[i] = widths[i] / kept->width.widest;
	}
	return TP_OK;
}

static void end(void *context, void *state __attribute__((unused)))
{
	struct evaluator *e = context;
	if (e->worker && e->search->technique.race && e->go_on)
		tp_worker_close(e->worker, e->slot);
	else
		stop_worker(e);
}

static double now(void *context __attribute__((unused)))
{
	return tp_now_seconds();
}

static void tried(void *context, const struct tp_trial *trial)
{
	struct evaluator *e = context;
	const struct tp_watch *watch = e->bench->watch;
	struct tp_trial told = *trial;
	told.run = e->planned->point.run;
	told.point = e->planned->point.point;
	struct tp_routine_config config = tp_autotune_config(e->search, trial->index);
	memcpy(told.size, config.size, sizeof(told.size));
	if (watch->row && !watch->row(watch->context, &tp_trial_event, &told))
		e->go_on = false;
}

/* --- before and after --- */

/* Frequency of the core that this thread runs on: the median of some readings. 0 = unknown. */
static double core_ghz(struct tp_bench *bench)
{
	enum { READINGS = 41 };
	struct tp_gauge gauge;
	struct tp_gauge_reading reading;
	struct tp_core_seen seen;
	struct tp_diag diag;
	double ghz[READINGS];
	if (tp_gauge_init(&gauge, &bench->clock, bench->cpu, &diag) != TP_OK)
		return 0;
	for (unsigned i = 0; i < READINGS; i++) {
		tp_gauge_read(&gauge, &reading);
		tp_core_see(&reading, &reading, &gauge.unit, &seen);
		ghz[i] = seen.ghz;
	}
	tp_gauge_release(&gauge);
	tp_sort_doubles(ghz, READINGS);
	return tp_median_sorted(ghz, READINGS);
}

/*
 * "openblas" means the first library found whose name or title has the word; anything else is for
 * dlopen to judge.
 */
static bool is_wanted(const struct tp_blas *blas, const char *wanted)
{
	char name[64];
	if (!*wanted || strcmp(blas->path, wanted) == 0)
		return true;
	tp_autotune_library_name(blas->path, blas->title, name, sizeof(name));
	return !strchr(wanted, '/') && (strcasecmp(name, wanted) == 0);
}

static enum tp_status resolve_library(struct evaluator *e, struct tp_point *point,
				      struct tp_diag *diag)
{
	TP_FREE struct tp_blas *libraries = NULL;
	size_t n = 0, i = 0;
	char name[24];
	const char *title = "";
	if (e->search->routine == TP_ROUTINE_TRIAD)
		return TP_OK;
	enum tp_status status = tp_blas_find(&libraries, &n, diag);
	if (status == TP_NOTFOUND && *e->search->library) {
		status = TP_OK; /* it may still be a path */
		n = 0;
	}
	if (status != TP_OK)
		return status;
	while (i < n && !is_wanted(&libraries[i], e->search->library))
		i++;
	if (i < n) {
		tp_copy(e->config.library, sizeof(e->config.library), libraries[i].path);
		title = libraries[i].title;
	} else if (*e->search->library) {
		tp_copy(e->config.library, sizeof(e->config.library), e->search->library);
	} else {
		return tp_fail(diag, TP_NOTFOUND, "blas",
			       "apt-get install libopenblas0-pthread, or give a path with blas",
			       "no BLAS library is found here");
	}
	tp_autotune_library_name(e->config.library, title, name, sizeof(name));
	snprintf(point->kernel, sizeof(point->kernel), "%s/%s", tp_routine_name(e->search->routine),
		 name);
	struct tp_search_row *row = point->row;
	tp_copy(row->library, sizeof(row->library), *title ? title : e->config.library);
	return TP_OK;
}

static enum tp_status set_up(struct evaluator *e, struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_planned *planned = e->planned;
	const struct tp_autotune *search = e->search;
	if (search->n == 0)
		return tp_fail(diag, TP_USAGE, point->kernel,
			       search->routine == TP_ROUTINE_TRIAD
				       ? "give autotune.elements that lie inside the level, or "
					 "leave it out"
				       : "give autotune.n and autotune.m a value in common, or "
					 "leave out autotune.square",
			       "no configuration is left to try");
	enum tp_status status = tp_routine_supported(search->routine, diag);
	if (status != TP_OK)
		return status;
	e->config.id = search->routine;
	e->config.pages = planned->pages;
	e->config.n_cpus = planned->point.threads;
	memcpy(e->config.cpus, planned->cpus, planned->point.threads * sizeof(*planned->cpus));
	e->memory_limit_bytes =
		(uint64_t)(MEMORY_SHARE * (double)e->bench->machine->available_bytes);
	e->go_on = true;
	return resolve_library(e, point, diag);
}

static void set_rules(const struct evaluator *e, struct tp_tuning_rules *rules)
{
	const struct tp_config *c = e->planned->config;
	*rules = (struct tp_tuning_rules){
		.confidence = tp_config_real(c, TP_OPT_STOP_CONFIDENCE),
		.error = tp_config_real(c, TP_OPT_STOP_ERROR),
		.basis = tp_stop_basis_of(c),
		.max_seconds = tp_config_real(c, TP_OPT_AUTOTUNE_MAX_TIME),
		.invocations = (unsigned)tp_config_count(c, TP_OPT_AUTOTUNE_INVOCATIONS),
		.iterations = (unsigned)tp_config_count(c, TP_OPT_AUTOTUNE_ITERATIONS),
		.order = e->search->order,
	};
}

/* Theory beside measurement: a figure above it is wrong, or the model is. */
static void judge_point(struct evaluator *e, struct tp_point *point)
{
	double ghz = fmax(point->core_ghz, point->core_ghz_after);
	point->bound = tp_autotune_bound(e->search, e->bench->machine, e->search->level,
					 point->threads, ghz);
	if (!(ghz > 0)) {
		point->flags |= TP_FLAG(NO_FREQ);
		if (e->search->level <= TP_CLASS_L1)
			point->bound = 0;
	} else if (fabs(point->core_ghz_after / point->core_ghz - 1) > DRIFT) {
		point->flags |= TP_FLAG(FREQ_DRIFT);
	}
	double value = tp_point_median(point);
	if (!(point->bound > 0) || value <= BOUND_TOLERANCE * point->bound)
		return;
	point->flags |= TP_FLAG(OVER_BOUND);
	if (e->search->level == TP_CLASS_DRAM) {
		char text[160];
		snprintf(text, sizeof(text),
			 "%.4g GB/s is %.0f %% of what the memory channels can do: caches have "
			 "leaked into it",
			 value, 100 * value / point->bound);
		const struct tp_watch *watch = e->bench->watch;
		struct tp_diag note;
		if (watch->note) {
			tp_fail(&note, TP_OK, point->kernel, "choose larger autotune.elements",
				"%s", text);
			watch->note(watch->context, &note);
		}
	}
}

static void fill_point(struct evaluator *e, const struct tp_trial *best,
		       const struct tp_tuning_rules *rules, struct tp_point *point)
{
	bool triad = e->search->routine == TP_ROUTINE_TRIAD;
	struct tp_routine_config c = tp_autotune_config(e->search, best->index);
	struct tp_search_row *row = point->row;
	/* The best call came at one of both clocks, or between: no more a cycle than it did. */
	double cycles = fmax(point->core_ghz, point->core_ghz_after) * point->threads;
	c.n_cpus = point->threads;
	tp_routine_config_name(&c, row->configuration, sizeof(row->configuration));
	row->kernel.working_set_bytes = tp_routine_memory_bytes(&c) / point->threads;
	row->kernel.ai_flop_per_byte = tp_routine_flop(&c) / tp_routine_bytes(&c);
	point->median = best->value;
	point->best = best->best;
	if (triad) {
		row->kernel.median_gbps = best->value;
		row->kernel.best_gbps = best->best;
		row->kernel.bytes_per_cycle = cycles > 0 ? best->best / cycles : 0;
		row->kernel.median_gflops = best->value * row->kernel.ai_flop_per_byte;
		row->kernel.best_gflops = best->best * row->kernel.ai_flop_per_byte;
	} else {
		row->kernel.median_gflops = best->value;
		row->kernel.best_gflops = best->best;
		row->kernel.flop_per_cycle = cycles > 0 ? best->best / cycles : 0;
	}
	point->mean = best->value;
	point->ci_low = best->ci_low;
	point->ci_high = best->ci_high;
	point->kept = best->iterations;
	point->invocations = best->invocations;
	if (2 * best->disturbed > best->iterations)
		point->flags |= TP_FLAG(SIBLING);
	/* A single call has no interval, and does not claim one. */
	if (best->ci_high - best->ci_low > 2 * rules->error * best->value)
		point->flags |= TP_FLAG(NOT_CONVERGED);
}

enum tp_status tp_autotune_run(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	TP_FREE struct evaluator *e = tp_alloc(1, sizeof(*e));
	struct tp_trial best = { 0 };
	struct tp_tuning_rules rules;
	struct tp_claims claims = { 0 };
	enum tp_status status = TP_OK;
	*e = (struct evaluator){ .bench = bench,
				 .planned = planned,
				 .search = tp_autotune_of(planned) };
	tp_bench_rest(bench);
	status = set_up(e, point, diag);
	if (status != TP_OK)
		goto out;
	set_rules(e, &rules);
	tp_claims_init(&claims, planned->cpus, point->threads);
	bool contested = tp_claims_contested(&claims);
	uint64_t stolen = tp_machine_steal_ticks(planned->cpus, point->threads);
	/*
	 * Whether its core can be gauged, only a worker knows; why one cannot be started, the
	 * search will tell.
	 */
	if (start_worker(e, NULL) != TP_OK)
		e->gauged = false;
	struct tp_tuned tuned = { .context = e,
				  .n = e->search->n,
				  .begin = begin,
				  .iterate = iterate,
				  .knows_shares = e->gauged,
				  .end = end,
				  .now = now,
				  .go_on = go_on,
				  .tried = tried };
	point->core_ghz = core_ghz(bench);
	status = tp_tuning_run(&e->search->technique, &tuned, &rules, &best, diag);
	stop_worker(e);
	if (status != TP_OK)
		goto out;
	point->core_ghz_after = core_ghz(bench);
	fill_point(e, &best, &rules, point);
	judge_point(e, point);
	if (tp_machine_steal_ticks(planned->cpus, point->threads) > stolen)
		point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&claims) || contested)
		point->flags |= TP_FLAG(OTHER_TPROF);
out:
	tp_claims_release(&claims);
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK)
		point->diag = *diag;
	point->seconds = tp_now_seconds() - started;
	return status;
}
