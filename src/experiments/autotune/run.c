/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches are run: configurations are evaluated in worker processes, or on a simulated machine,
 * and what is known of each goes to the watch. Searches of one space under several techniques take
 * turns.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "experiments/autotune/autotune.h"
#include "experiments/autotune/row.h"
#include "experiments/bench.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "measure/gauge.h"
#include "measure/sampler.h"
#include "routines/worker.h"

/*
 * As for emitted kernels: what a measured value may exceed the model by, and what frequencies may
 * differ by.
 */
#define BOUND_TOLERANCE 1.025
#define DRIFT		0.01

/* Learning the width of a core: attempts at most, and the pause between them. */
enum { LEARN_MOMENTS = 20, LEARN_PAUSE_NS = 5000000 };

/* The time of a process until its first call, on a simulated machine. */
#define SIMULATED_START_SECONDS 0.02

struct evaluator;

/* Searches that take turns, those of one space under several techniques; or only one. */
struct study {
	struct tp_bench *bench;
	struct evaluator *evaluators; /* of each search */
	struct tp_search **searches; /* NULL = its point is over */
	size_t n, n_over; /* and points that are over */
	enum tp_status status; /* why none of them can begin */
	struct tp_diag diag;
	struct tp_routine_config config; /* CPUs and library as they are */
	char library[96], kernel[48]; /* its title, and the point's name, when they are known */
	uint64_t memory_limit_bytes;
	struct tp_team *team; /* on a simulated machine, else NULL */
	struct tp_claims claims;
	bool contested;
	bool gauged; /* one CPU, and a worker that measures how much of it was available */
	uint64_t stolen;
	double ghz; /* when it began */
};

/* What evaluates the configurations of a search: one worker at a time, with one of them open. */
struct evaluator {
	struct study *study;
	const struct tp_planned *planned;
	const struct tp_autotune *search;
	struct tp_tuned tuned;
	struct tp_tuning_rules rules;
	struct tp_routine_config config; /* the open one */
	bool is_started; /* a process serves it: a worker, or a simulated one */
	struct tp_worker *worker;
	struct tp_made_up made;
	double slower; /* the simulated process */
	unsigned invocation; /* that the process serves */
	unsigned slot;
	double work; /* of a call: FLOP or bytes */
	bool go_on;
	double seconds; /* that it searched */
	struct tp_trial *told; /* the state of each configuration */
};

/* What stays from point to point. */
struct kept {
	struct tp_core_width width; /* of the core of the CPU that was searched last */
	unsigned cpu;
	const struct tp_planned **planned; /* searches to be run */
	size_t n_planned;
	struct study *study; /* under way, or NULL */
};

static void end_study(struct kept *kept);

static void release_kept(void *own)
{
	struct kept *kept = own;
	end_study(kept);
	free(kept->planned);
}

static const struct tp_bench_kind kept_kind = { .bytes = sizeof(struct kept),
						.release = release_kept };

static bool go_on(void *context)
{
	struct evaluator *e = context;
	return e->go_on = e->go_on && tp_watch_goes_on(e->study->bench->watch);
}

static void stop_worker(struct evaluator *e)
{
	if (e->worker)
		tp_worker_stop(e->worker);
	e->worker = NULL;
	e->is_started = false;
}

static enum tp_status check_memory(const struct evaluator *e, struct tp_diag *diag)
{
	uint64_t need = tp_routine_memory_bytes(&e->config);
	char a[32], b[32], name[TP_TRIAL_NAME_MAX];
	if (need <= e->study->memory_limit_bytes)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, tp_routine_config_name(&e->config, name, sizeof(name)),
		       "choose smaller sizes",
		       "would need %s, and only %s of this machine's memory may be used",
		       tp_format_bytes(a, sizeof(a), need),
		       tp_format_bytes(b, sizeof(b), e->study->memory_limit_bytes));
}

/*
 * The width of the undisturbed core. Readings of one moment cannot distinguish a narrow core from a
 * disturbed one: they go on until several moments agree on the widest, or it takes too long. The
 * result is kept for later searches, and each worker adds to it.
 */
static void learn_width(struct evaluator *e)
{
	struct study *study = e->study;
	struct kept *kept = tp_bench_own(study->bench, &kept_kind);
	const struct tp_clock *clock = &study->bench->clock;
	struct tp_core_width *core = &kept->width;
	struct tp_window seen = { 0 };
	if (kept->cpu != e->config.cpus[0])
		*core = (struct tp_core_width){ 0 };
	kept->cpu = e->config.cpus[0];
	unsigned moments = core->widest > 0 ? 1 : LEARN_MOMENTS;
	for (unsigned i = 0; i < moments && (i == 0 || !(core->widest > 0)); i++) {
		if (i > 0 && study->team)
			tp_team_rest(study->team, LEARN_PAUSE_NS * 1e-9);
		else if (i > 0)
			nanosleep(&(struct timespec){ .tv_nsec = LEARN_PAUSE_NS }, NULL);
		if (study->team)
			tp_team_window(study->team, &(struct tp_window_work){ 0 }, &seen);
		study->gauged =
			study->team || tp_worker_gauge(e->worker, clock->counter ? clock->hz : 0,
						       &seen.width, NULL) == TP_OK;
		if (!study->gauged)
			return;
		tp_core_width_learn(core, seen.width);
	}
}

/*
 * Where several CPUs work, threads of the library that wait awake would disturb the gauge, and it
 * them.
 */
static enum tp_status start_worker(struct evaluator *e, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (e->study->team)
		tp_team_rest(e->study->team, SIMULATED_START_SECONDS);
	else
		status = tp_worker_start(&e->worker, e->config.cpus, e->config.n_cpus, diag);
	if (status != TP_OK)
		return status;
	e->is_started = true;
	if (e->config.n_cpus == 1)
		learn_width(e);
	return TP_OK;
}

/* The first call touches the arrays, and is not timed. */
static enum tp_status open_made_up(struct evaluator *e, struct tp_diag *diag)
{
	struct study *study = e->study;
	tp_made_up_make(study->bench->simulation, &e->config, &e->made);
	e->slower = tp_made_up_slower(tp_config_count(e->planned->config, TP_OPT_SEED), &e->config,
				      e->invocation);
	size_t bytes = tp_routine_memory_bytes(&e->config) / e->config.n_cpus;
	enum tp_status status = tp_team_buffers(study->team, bytes, bytes, e->config.pages,
						study->bench->watch, diag);
	if (status == TP_OK)
		tp_team_rest(study->team, e->made.call_seconds);
	return status;
}

/*
 * All techniques except racing use a process for each call; a race serves all configurations of a
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
	if (!e->search->technique.race || e->invocation != invocation)
		stop_worker(e);
	if (!e->is_started)
		status = start_worker(e, diag);
	e->invocation = invocation;
	if (status == TP_OK)
		status = e->study->team ? open_made_up(e, diag)
					: tp_worker_open(e->worker, &e->config, &e->slot, diag);
	if (status != TP_OK)
		stop_worker(e);
	return status;
}

/* Seconds of calls, and the width of the core around each; 0 = unknown. */
static enum tp_status call(struct evaluator *e, unsigned count, double *seconds, double *widths,
			   struct tp_diag *diag)
{
	struct tp_team *team = e->study->team;
	if (!team)
		return tp_worker_run(e->worker, e->slot, count, seconds, widths, go_on, e, diag);
	for (unsigned i = 0; i < count; i++)
		tp_made_up_run(team, &e->made, e->slower, &seconds[i], &widths[i]);
	if (e->config.n_cpus > 1)
		memset(widths, 0, count * sizeof(*widths));
	return go_on(e) ? TP_OK : tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");
}

static enum tp_status iterate(void *context, void *state __attribute__((unused)), unsigned count,
			      double *values, double *shares, struct tp_diag *diag)
{
	struct evaluator *e = context;
	struct kept *kept = tp_bench_own(e->study->bench, &kept_kind);
	double widths[TP_TUNING_BATCH_MAX];
	if (!e->is_started)
		return tp_fail(diag, TP_CRASHED, "worker", NULL, "its process is gone");
	enum tp_status status = call(e, count, values, widths, diag);
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
	if (!e->search->technique.race || !e->go_on)
		stop_worker(e);
	else if (e->worker)
		tp_worker_close(e->worker, e->slot);
}

static double now(void *context)
{
	return tp_bench_now(((struct evaluator *)context)->study->bench);
}

static void tried(void *context, const struct tp_trial *trial)
{
	struct evaluator *e = context;
	struct tp_trial *told = &e->told[trial->index];
	*told = *trial;
	told->run = e->planned->point.run;
	told->point = e->planned->point.point;
	struct tp_routine_config config = tp_autotune_config(e->search, trial->index);
	memcpy(told->size, config.size, sizeof(told->size));
	e->go_on &= tp_watch_row(e->study->bench->watch, &tp_trial_event, told);
}

/* --- before and after --- */

/* Frequency of the core that this thread runs on: the median of some readings. 0 = unknown. */
static double core_ghz(const struct study *study)
{
	struct tp_bench *bench = study->bench;
	struct tp_window window;
	enum { READINGS = 41 };
	struct tp_gauge gauge;
	struct tp_gauge_reading reading;
	struct tp_core_seen seen;
	struct tp_diag diag;
	double ghz[READINGS];
	if (study->team) {
		tp_team_window(study->team, &(struct tp_window_work){ 0 }, &window);
		return window.ghz;
	}
	if (tp_gauge_init(&gauge, &bench->clock, bench->cpu, &diag) != TP_OK)
		return 0;
	for (unsigned i = 0; i < READINGS; i++) {
		tp_gauge_read(&gauge, &reading);
		tp_core_see(&reading, &reading, &gauge.unit, &seen);
		ghz[i] = seen.ghz;
	}
	tp_gauge_release(&gauge);
	return tp_median(ghz, READINGS);
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

static enum tp_status resolve_library(struct study *study, const struct tp_autotune *search,
				      struct tp_diag *diag)
{
	TP_FREE struct tp_blas *libraries = NULL;
	size_t n = 0, i = 0;
	char name[24];
	const char *wanted = search->library, *title = "", *path = wanted;
	if (search->routine == TP_ROUTINE_TRIAD)
		return TP_OK;
	enum tp_status status = study->team ? TP_OK : tp_blas_find(&libraries, &n, diag);
	if (status == TP_NOTFOUND && *wanted)
		status = TP_OK; /* it may still be a path */
	if (status != TP_OK)
		return status;
	while (i < n && !is_wanted(&libraries[i], wanted))
		i++;
	if (i < n) {
		path = libraries[i].path;
		title = libraries[i].title;
	} else if (study->team) {
		path = *wanted ? wanted : "simulated";
	} else if (!*wanted) {
		return tp_fail(diag, TP_NOTFOUND, "blas",
			       "apt-get install libopenblas0-pthread, or give a path with blas",
			       "no BLAS library is found here");
	}
	tp_copy(study->config.library, sizeof(study->config.library), path);
	tp_copy(study->library, sizeof(study->library), *title ? title : path);
	tp_autotune_library_name(path, title, name, sizeof(name));
	snprintf(study->kernel, sizeof(study->kernel), "%s/%s", tp_routine_name(search->routine),
		 name);
	return TP_OK;
}

/* What all searches of a study have in common. */
static enum tp_status set_up(struct study *study, const struct tp_planned *planned,
			     struct tp_diag *diag)
{
	const struct tp_autotune *search = tp_autotune_of(planned);
	struct tp_bench *bench = study->bench;
	unsigned n = planned->point.threads;
	if (search->n == 0)
		return tp_fail(diag, TP_USAGE, planned->point.kernel,
			       search->routine == TP_ROUTINE_TRIAD
				       ? "give autotune.elements that lie inside the level, or "
					 "leave it out"
				       : "give autotune.n and autotune.m a value in common, or "
					 "leave out autotune.square",
			       "no configuration is left to try");
	enum tp_status status = bench->simulation
					? tp_simulated_team_new(&study->team, bench->simulation,
								planned->cpus, n, diag)
					: tp_routine_supported(search->routine, diag);
	if (status != TP_OK)
		return status;
	study->config.id = search->routine;
	study->config.pages = planned->pages;
	study->config.n_cpus = n;
	memcpy(study->config.cpus, planned->cpus, n * sizeof(*planned->cpus));
	study->memory_limit_bytes = tp_autotune_memory_limit_bytes(bench->machine);
	return resolve_library(study, search, diag);
}

static void set_rules(struct evaluator *e)
{
	const struct tp_config *c = e->planned->config;
	e->rules = (struct tp_tuning_rules){
		.confidence = tp_config_real(c, TP_OPT_STOP_CONFIDENCE),
		.error = tp_config_real(c, TP_OPT_STOP_ERROR),
		.basis = tp_stop_basis_of(c),
		.max_seconds = tp_config_real(c, TP_OPT_AUTOTUNE_MAX_TIME),
		.invocations = (unsigned)tp_config_count(c, TP_OPT_AUTOTUNE_INVOCATIONS),
		.iterations = (unsigned)tp_config_count(c, TP_OPT_AUTOTUNE_ITERATIONS),
		.order = e->search->order,
	};
}

/* Theory next to measurement: if a figure exceeds it, one of them is wrong. */
static void judge_point(struct evaluator *e, struct tp_point *point)
{
	double ghz = fmax(point->core_ghz, point->core_ghz_after);
	point->bound = tp_autotune_bound(e->search, e->study->bench->machine, e->search->level,
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
	if (e->search->level == TP_CLASS_DRAM)
		tp_watch_say(e->study->bench->watch, point->kernel,
			     "choose larger autotune.elements",
			     "%.4g GB/s is %.0f %% of what the memory channels can do: caches have "
			     "leaked into it",
			     value, 100 * value / point->bound);
}

static void fill_point(struct evaluator *e, const struct tp_trial *best, struct tp_point *point)
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
	if (best->ci_high - best->ci_low > 2 * e->rules.error * best->value)
		point->flags |= TP_FLAG(NOT_CONVERGED);
}

/* --- studies --- */

static void end_study(struct kept *kept)
{
	struct study *study = kept->study;
	struct tp_trial best;
	if (!study)
		return;
	for (size_t i = 0; i < study->n; i++) {
		stop_worker(&study->evaluators[i]);
		if (study->searches[i])
			tp_tuning_end(study->searches[i], &best, NULL);
		free(study->evaluators[i].told);
	}
	tp_claims_release(&study->claims);
	tp_team_free(study->team);
	free(study->evaluators);
	free(study->searches);
	free(study);
	kept->study = NULL;
}

static void begin_search(struct study *study, size_t i, const struct tp_planned *planned)
{
	struct evaluator *e = &study->evaluators[i];
	*e = (struct evaluator){ .study = study,
				 .planned = planned,
				 .search = tp_autotune_of(planned),
				 .config = study->config,
				 .go_on = true };
	e->told = tp_alloc(e->search->n + 1, sizeof(*e->told));
	set_rules(e);
	/*
	 * Only a worker can find out whether its core can be gauged; the search reports why one
	 * cannot be started.
	 */
	if (i == 0 && study->status == TP_OK)
		start_worker(e, NULL);
	stop_worker(e);
	e->tuned = (struct tp_tuned){ .context = e,
				      .n = e->search->n,
				      .begin = begin,
				      .iterate = iterate,
				      .knows_shares = study->gauged,
				      .end = end,
				      .now = now,
				      .go_on = go_on,
				      .tried = tried };
	if (study->status == TP_OK)
		study->searches[i] = tp_tuning_begin(&e->search->technique, &e->tuned, &e->rules);
}

/* Together with later planned ones that are alike. */
static struct study *begin_study(struct tp_bench *bench, const struct tp_planned *first)
{
	const struct kept *kept = tp_bench_own(bench, &kept_kind);
	struct study *study = tp_alloc(1, sizeof(*study));
	size_t from = 0, n = first->point.threads;
	while (from < kept->n_planned && kept->planned[from] != first)
		from++;
	study->bench = bench;
	study->evaluators = tp_alloc(kept->n_planned - from + 1, sizeof(*study->evaluators));
	study->searches = tp_alloc(kept->n_planned - from + 1, sizeof(*study->searches));
	tp_bench_rest(bench);
	study->status = set_up(study, first, &study->diag);
	if (!bench->simulation) {
		tp_claims_init(&study->claims, first->cpus, (unsigned)n);
		study->contested = tp_claims_contested(&study->claims);
		study->stolen = tp_machine_steal_ticks("", first->cpus, (unsigned)n);
	}
	begin_search(study, study->n++, first);
	for (size_t i = from + 1; i < kept->n_planned; i++)
		if (tp_search_alike(&kept->planned[i]->point, &first->point))
			begin_search(study, study->n++, kept->planned[i]);
	if (study->status == TP_OK)
		study->ghz = core_ghz(study);
	return study;
}

/* A race keeps its worker, whose threads may wait awake for its next turn. */
static void let_worker_run(const struct evaluator *e, bool runs)
{
	if (e->worker && e->study->n > 1)
		kill(tp_worker_pid(e->worker), runs ? SIGCONT : SIGSTOP);
}

/* Until one search is over; the others continue. False if the work was stopped. */
static bool take_turns(struct study *study, size_t until)
{
	while (tp_tuning_next(&study->searches[until], 1) == 0) {
		size_t i = tp_tuning_next(study->searches, study->n);
		struct evaluator *e = &study->evaluators[i];
		double begun = now(e);
		let_worker_run(e, true);
		tp_tuning_step(study->searches[i]);
		let_worker_run(e, false);
		e->seconds += now(e) - begun;
		if (!e->go_on)
			return false;
	}
	return true;
}

enum tp_status tp_autotune_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				   size_t n, struct tp_diag *diag __attribute__((unused)))
{
	struct kept *kept = tp_bench_own(bench, &kept_kind);
	free(kept->planned);
	kept->planned = tp_alloc(n, sizeof(*kept->planned));
	memcpy(kept->planned, planned, n * sizeof(*planned));
	kept->n_planned = n;
	return TP_OK;
}

/* The search of a point, with the study that it belongs to. */
static struct evaluator *find_evaluator(struct tp_bench *bench, const struct tp_planned *planned)
{
	struct kept *kept = tp_bench_own(bench, &kept_kind);
	for (size_t i = 0; kept->study && i < kept->study->n; i++)
		if (kept->study->evaluators[i].planned == planned &&
		    (kept->study->searches[i] || kept->study->status))
			return &kept->study->evaluators[i];
	end_study(kept);
	kept->study = begin_study(bench, planned);
	return kept->study->evaluators;
}

static void finish_point(struct evaluator *e, const struct tp_trial *best, struct tp_point *point)
{
	struct study *study = e->study;
	const struct tp_planned *planned = e->planned;
	point->core_ghz = study->ghz;
	point->core_ghz_after = core_ghz(study);
	fill_point(e, best, point);
	judge_point(e, point);
	if (study->team)
		return;
	if (tp_machine_steal_ticks("", planned->cpus, point->threads) > study->stolen)
		point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&study->claims) || study->contested)
		point->flags |= TP_FLAG(OTHER_TPROF);
}

enum tp_status tp_autotune_run(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag)
{
	struct evaluator *e = find_evaluator(bench, planned);
	struct study *study = e->study;
	size_t i = (size_t)(e - study->evaluators);
	struct tp_trial best = { 0 };
	enum tp_status status = study->status;
	*diag = study->diag;
	if (status == TP_OK) {
		tp_copy(point->kernel, sizeof(point->kernel),
			*study->kernel ? study->kernel : planned->point.kernel);
		struct tp_search_row *row = point->row;
		tp_copy(row->library, sizeof(row->library), study->library);
		/* The record forgets what it knew of a point when that begins. */
		for (size_t k = 0; k < e->search->n; k++)
			if (e->told[k].invocations > 0)
				tp_watch_row(bench->watch, &tp_trial_event, &e->told[k]);
		bool whole = take_turns(study, i);
		status = tp_tuning_end(study->searches[i], &best, diag);
		study->searches[i] = NULL;
		stop_worker(e);
		if (!whole && status != TP_CANCELLED)
			status = tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");
	}
	if (status == TP_OK)
		finish_point(e, &best, point);
	tp_bench_end_point(point, status, diag, e->seconds);
	/* After a search that was skipped, the others begin again. */
	if (status == TP_CANCELLED || ++study->n_over == study->n)
		end_study(tp_bench_own(bench, &kept_kind));
	return status;
}
