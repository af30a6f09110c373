/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point of a template: its body runs for every window, and marks where the region begins and
 * ends.
 */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/file.h"
#include "experiments/bench.h"
#include "experiments/template/template.h"
#include "experiments/windows/bench.h"
#include "measure/sampler.h"

#define TPROF_BENCH_SHAPES_ONLY
#include "include/tprof_bench.h"

/* --- commands before and after --- */

#define COMMAND_SECONDS 60.0

static bool commands_go_on(void *context)
{
	return tp_watch_goes_on(((const struct tp_bench *)context)->watch);
}

static enum tp_status run_commands(struct tp_bench *bench, const struct tp_planned *planned,
				   const struct tp_commands *commands, struct tp_diag *diag)
{
	const struct tp_command_line how = { .cpus = planned->cpus,
					     .n_cpus = planned->point.threads,
					     .limit_seconds = COMMAND_SECONDS,
					     .go_on = commands_go_on,
					     .context = bench };
	return tp_commands_run(commands, &how, "template", "give it less to do", diag);
}

/* --- predictions of llvm-mca for the innermost loop of each region --- */

enum { ASSEMBLY_MAX = 16 << 20 };

/* Appends the piece of the i-th point's region. */
static bool cut_region(void *context, size_t i, struct tp_str *out)
{
	const struct tp_planned *planned = ((const struct tp_planned *const *)context)[i];
	const struct tp_template_row *row = planned->point.row;
	const struct tp_compiled_code *listing = &tp_template_plan(planned)->variant->listing;
	TP_FREE char *text = NULL;
	size_t len;
	return listing->tried && listing->status == TP_OK && listing->path &&
	       tp_file_read(listing->path, ASSEMBLY_MAX, &text, &len, NULL) == TP_OK &&
	       tp_template_cut(text, row->region, out);
}

/*
 * Predicts the regions of planned points by llvm-mca, if it is there. TP_CANCELLED; what else goes
 * wrong leaves points without a prediction.
 */
static enum tp_status predict_regions(struct tp_bench *bench,
				      const struct tp_planned *const *planned, size_t n,
				      struct tp_diag *diag)
{
	struct tp_mca mca;
	const char *cpu = n ? tp_config_text(planned[0]->config, TP_OPT_TEMPLATE_MCA) : TP_MCA_NONE;
	enum tp_status status = tp_mca_find(&mca, cpu, diag);
	/* Without it nothing is compiled for it, and the columns stay empty. */
	if (status != TP_OK)
		return status == TP_CANCELLED ? status : TP_OK;
	struct tp_arena *arena = tp_template_plan(planned[0])->variant->code.arena;
	struct tp_mca_result *results = tp_arena_alloc(arena, n * sizeof(*results));
	TP_FREE struct tp_compiled_code **codes = tp_alloc(n + 1, sizeof(*codes));
	size_t wanted = 0;
	for (size_t i = 0; i < n; i++) {
		struct tp_template_variant *v = tp_template_plan(planned[i])->variant;
		tp_template_plan(planned[i])->mca = &results[i];
		if (v->code.status == TP_OK)
			codes[wanted++] = &v->listing;
	}
	status = tp_compiled_prepare(bench, codes, wanted, diag);
	return status == TP_OK ? tp_mca_predict(cpu, n, cut_region, (void *)(uintptr_t)planned,
						results, diag)
			       : status;
}

/* What each thread is called with: first the part that the source sees. */
struct caller {
	struct tprof_bench_caller seen;
	const struct measuring *m;
	struct tp_window_mark *mark;
	double flop, bytes;
	bool reached, ended;
} __attribute__((aligned(64)));

struct measuring {
	const struct tp_template_plan *plan;
	struct tp_template_row *row;
	const char *region;
	struct tp_compiled_code *code;
	const struct tprof_bench_array *const *arrays;
	size_t n_arrays;
	uint64_t array_bytes;
	bool cold;
	unsigned threads;
	double limit_seconds; /* for the first pass */
	const struct tp_clock *clock;
	tp_kernel_function start, run;
	struct caller *callers; /* threads of them, */
	struct tp_window_mark *marks; /* and of these, */
	void **data; /* and pointers to the callers */
};

/* --- what the source calls --- */

static void flush_cache(const struct measuring *m, const void *data, size_t bytes)
{
	if (m->clock->arch && m->clock->arch->flush)
		m->clock->arch->flush(data, bytes);
}

static uint64_t begin_region(struct tprof_bench_caller *seen, const char *region)
{
	struct caller *c = (struct caller *)seen;
	/* A region in a loop is measured the first time. */
	if (strcmp(region, c->m->region) != 0 || c->mark->end)
		return 1;
	c->reached = true;
	for (size_t i = 0; i < c->m->n_arrays && c->m->cold && !seen->thread; i++)
		flush_cache(c->m, c->m->arrays[i]->data, c->m->arrays[i]->bytes);
	tp_window_mark_begin(c->mark, c->m->clock);
	return seen->passes;
}

static void end_region(struct tprof_bench_caller *seen, const char *region)
{
	struct caller *c = (struct caller *)seen;
	if (c->mark->end || strcmp(region, c->m->region) != 0)
		return;
	tp_window_mark_end(c->mark, c->m->clock);
	c->ended = true;
}

static void count_work(struct tprof_bench_caller *seen, const char *region, double flop,
		       double bytes)
{
	struct caller *c = (struct caller *)seen;
	if (strcmp(region, c->m->region) != 0)
		return;
	c->flop = flop;
	c->bytes = bytes;
}

static void flush_data(struct tprof_bench_caller *seen, const void *data, size_t bytes)
{
	flush_cache(((struct caller *)seen)->m, data, bytes);
}

/* --- its code --- */

static enum tp_status find_functions(struct measuring *m, struct tp_diag *diag)
{
	const struct tprof_bench_array *const *(*arrays)(size_t * n);
	void *symbol = dlsym(m->code->handle, "tprof_bench_arrays");
	const int *version = dlsym(m->code->handle, "tprof_bench_version");
	m->start = tp_compiled_function(m->code, "tprof_bench_start");
	m->run = tp_compiled_function(m->code, "tprof_bench_run");
	if (!symbol || !version || !m->start || !m->run)
		return tp_fail(diag, TP_USAGE, "template", "see tprof-sweep(5)",
			       "the source does not include <tprof_bench.h>");
	if (*version != TPROF_BENCH_VERSION)
		return tp_fail(diag, TP_USAGE, "template", "include <tprof_bench.h> without a path",
			       "the source includes a tprof_bench.h of another tprof");
	memcpy(&arrays, &symbol, sizeof(arrays));
	m->arrays = arrays(&m->n_arrays);
	for (size_t i = 0; i < m->n_arrays; i++)
		m->array_bytes += m->arrays[i]->bytes;
	return TP_OK;
}

static void read_report(const struct measuring *m, struct tp_template_row *row)
{
	TP_FREE char *said = NULL;
	size_t len;
	if (m->code->said &&
	    tp_file_read(m->code->said, 2 * TP_COMPILE_SAID_BYTES, &said, &len, NULL) == TP_OK)
		tp_template_read_report(said, m->plan->region, row);
}

static void note_prediction(const struct tp_template_plan *plan, struct tp_template_row *row)
{
	const struct tp_mca_result *mca = plan->mca;
	if (!mca || !mca->known)
		return;
	tp_copy(row->mca_cpu, sizeof(row->mca_cpu), mca->cpu);
	row->mca_cycles = mca->cycles;
	row->mca_uops = mca->uops;
	row->mca_rthroughput = mca->rthroughput;
	row->mca_ipc = mca->ipc;
	tp_copy(row->mca_pressure, sizeof(row->mca_pressure), mca->pressure);
}

/* --- windows --- */

/*
 * Code that does not end takes the engine with it, and this signal is the reason; 0 = no limit.
 * Code that ended once will end again.
 */
static void limit_time(double seconds)
{
	const struct itimerval limit = { .it_value = { (time_t)seconds,
						       (suseconds_t)(fmod(seconds, 1) * 1e6) } };
	signal(SIGALRM, SIG_DFL);
	setitimer(ITIMER_REAL, &limit, NULL);
}

static enum tp_status prepare_windows(void *context, struct tp_team *team,
				      struct tp_compiled *compiled, struct tp_diag *diag)
{
	struct measuring *m = context;
	m->clock = tp_team_clock(team);
	for (unsigned t = 0; t < m->threads; t++) {
		m->callers[t] = (struct caller){
			.seen = { begin_region, end_region, count_work, flush_data, 1, t,
				  m->threads },
			.m = m,
			.mark = &m->marks[t],
		};
		m->data[t] = &m->callers[t];
	}
	limit_time(m->limit_seconds);
	tp_team_run(team, m->start, m->data);
	tp_team_run(team, m->run, m->data);
	limit_time(0);
	*compiled = (struct tp_compiled){ .function = m->run,
					  .data = m->data,
					  .work_per_pass = 1,
					  .passes = m->plan->steps,
					  .marks = m->marks };
	const struct caller *c = &m->callers[0];
	if (!c->reached)
		return tp_fail(diag, TP_USAGE, "template",
			       "the region may depend on a macro: choose others with "
			       "template.regions",
			       "the region %s is never reached with these parameters", m->region);
	if (!c->ended)
		return tp_fail(diag, TP_USAGE, "template",
			       "do not leave it by return, break or goto",
			       "the region %s begins, but TPROF_BENCH_END(%s) is never reached",
			       m->region, m->region);
	if (m->cold && !(m->clock->arch && m->clock->arch->flush))
		return tp_fail(diag, TP_UNSUPPORTED, "template", "cache: hot",
			       "nothing evicts data from the caches on this machine");
	return TP_OK;
}

/* Of a window; events are counted in other numbers of steps. */
static void keep_steps(void *context)
{
	const struct measuring *m = context;
	m->row->steps = m->callers[0].seen.passes;
}

/* One step and two of the first thread: their difference is a step of the region. */
static enum tp_status check_stepping(void *context, struct tp_window_stepping *stepping,
				     struct tp_diag *diag)
{
	const struct measuring *m = context;
	(void)stepping;
	if (m->threads > 1)
		return tp_fail(diag, TP_UNSUPPORTED, "events", "choose threads: 1",
			       "instructions are stepped on one thread, which does not do the work "
			       "of a team");
	return TP_OK;
}

/* What follows from the time of a step. */
static void derive_rates(double ticks_a_ns, struct tp_point *point)
{
	struct tp_template_row *row = point->row;
	struct tp_kernel_row *k = &row->kernel;
	bool known = k->median_ns > 0 && k->best_ns > 0;
	row->cycles = k->median_ns * point->core_ghz;
	row->ticks = k->median_ns * ticks_a_ns;
	k->median_gflops = known ? row->flop / k->median_ns : 0;
	k->best_gflops = known ? row->flop / k->best_ns : 0;
	k->median_gbps = known ? row->bytes / k->median_ns : 0;
	k->best_gbps = known ? row->bytes / k->best_ns : 0;
	k->ai_flop_per_byte = row->bytes > 0 ? row->flop / row->bytes : 0;
	double cycles = row->cycles * point->threads;
	k->flop_per_cycle = cycles > 0 ? row->flop / cycles : 0;
	k->bytes_per_cycle = cycles > 0 ? row->bytes / cycles : 0;
}

/*
 * The point, and its plan, with what is known once the code is loaded: how far from the core it
 * reaches.
 */
static struct tp_planned plan_reached(const struct tp_planned *planned,
				      const struct tp_machine *machine, uint64_t array_bytes,
				      struct tp_template_plan *plan)
{
	struct tp_planned own = *planned;
	uint64_t share = array_bytes / planned->point.threads;
	*plan = *tp_template_plan(planned);
	plan->window.kernel.working_set_bytes = share;
	if (share)
		plan->window.level =
			plan->steps == 1 ? TP_CLASS_L3
					 : tp_planner_class(machine, share, planned->point.threads);
	own.row = plan;
	return own;
}

static enum tp_status measure_windows(struct tp_bench *bench, const struct tp_planned *planned,
				      struct measuring *m, struct tp_point *point,
				      struct tp_diag *diag)
{
	struct tp_template_row *row = point->row;
	const struct tp_window_code code = { .openmp = m->threads > 1,
					     .prepare = prepare_windows,
					     .measured = keep_steps,
					     .context = m,
					     .counting = { .counts = row->counts,
							   .counts_bytes = sizeof(row->counts),
							   .step = check_stepping,
							   .context = m } };
	struct tp_template_plan plan;
	struct tp_planned own = plan_reached(planned, bench->machine, m->array_bytes, &plan);
	row->array_bytes = m->array_bytes;
	row->kernel.working_set_bytes = 0;
	enum tp_status status = tp_window_run_code(bench, &own, &code, point, diag);
	if (status != TP_OK)
		return status;
	row->flop = m->callers[0].flop;
	row->bytes = m->callers[0].bytes;
	derive_rates(bench->clock.counter ? bench->clock.hz * 1e-9 : 0, point);
	return TP_OK;
}

enum tp_status tp_template_run(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_template_row *row = point->row;
	struct measuring m = { .plan = tp_template_plan(planned),
			       .row = point->row,
			       .region = row->region,
			       .cold = row->cold,
			       .limit_seconds =
				       tp_config_real(planned->config, TP_OPT_TEMPLATE_LIMIT),
			       .threads = point->threads };
	m.code = &m.plan->variant->code;
	m.callers = aligned_alloc(64, point->threads * sizeof(*m.callers));
	m.marks = aligned_alloc(64, point->threads * sizeof(*m.marks));
	m.data = tp_alloc(point->threads, sizeof(*m.data));
	if (!m.callers || !m.marks)
		tp_out_of_memory();
	struct tp_diag later;
	const struct tp_template_variant *variant = m.plan->variant;
	enum tp_status status = run_commands(bench, planned, &variant->before, diag);
	if (status == TP_OK)
		status = tp_compiled_load(bench, NULL, m.code, diag);
	if (status == TP_OK) {
		memset(m.marks, 0, point->threads * sizeof(*m.marks));
		status = find_functions(&m, diag);
	}
	if (status == TP_OK) {
		read_report(&m, point->row);
		note_prediction(m.plan, point->row);
		status = measure_windows(bench, planned, &m, point, diag);
	}
	tp_compiled_unload(m.code);
	enum tp_status after = run_commands(bench, planned, &variant->after, &later);
	if (status == TP_OK && after != TP_OK) {
		status = after;
		*diag = later;
	}
	free(m.callers);
	free(m.marks);
	free(m.data);
	return status;
}

enum tp_status tp_template_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				   size_t n, struct tp_diag *diag)
{
	TP_FREE struct tp_compiled_code **codes = tp_alloc(n + 1, sizeof(*codes));
	for (size_t i = 0; i < n; i++)
		codes[i] = &tp_template_plan(planned[i])->variant->code;
	enum tp_status status = tp_compiled_prepare(bench, codes, n, diag);
	return status == TP_OK ? predict_regions(bench, planned, n, diag) : status;
}

/* --- several processes --- */

static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_template_row *row = point->row;
	double before = row->kernel.median_ns, ticks = row->ticks;
	struct tp_template_plan plan;
	struct tp_planned own = plan_reached(planned, machine, row->array_bytes, &plan);
	enum tp_status status = tp_window_repeated.summarise(machine, &own, point, diag);
	if (status == TP_OK)
		derive_rates(before > 0 ? ticks / before : 0, point);
	return status;
}

static void judge(const struct tp_machine *machine, const struct tp_planned *planned,
		  struct tp_point *point)
{
	const struct tp_template_row *row = point->row;
	struct tp_template_plan plan;
	struct tp_planned own = plan_reached(planned, machine, row->array_bytes, &plan);
	tp_window_judge_quality(machine, &own, point);
}

const struct tp_repeated tp_template_repeated = { tp_window_rule, summarise, judge, NULL };
