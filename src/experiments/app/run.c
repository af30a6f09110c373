/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program is counted once by each way that is asked for, and then timed: again and again without
 * any instrumentation, until a stop rule fires. Each sample is one run.
 */
#include "experiments/app/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/command.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/str.h"
#include "base/suspend.h"
#include "base/text.h"
#include "experiments/app/processes.h"
#include "experiments/app/row.h"
#include "experiments/app/same.h"
#include "experiments/app/streams.h"
#include "experiments/bench.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "measure/sampler.h"
#include "preset/shared_options.h"

/* The times of one region, a number for each run without instrumentation. Zero-initialise. */
struct tp_app_times {
	struct tp_app_timed {
		char name[TP_APP_NAME];
		unsigned thread;
		uint64_t entries;
		double *x;
		size_t n, cap;
	} * items;
	size_t n, cap;
	double confidence;
};

/* What one way of counting found, and what rows of it have in common. */
struct tp_app_told {
	const struct tp_point *point;
	const char *source;
	const struct tp_app_counts *counts;
	const struct tp_app_counts *levels; /* with bytes by level; NULL = not followed */
	struct tp_app_times *times; /* sorted by this */
	double seconds, seconds_low, seconds_high; /* of the whole program */
	unsigned timed_runs;
	bool again; /* classes and functions have been sent */
	bool differs, prints_otherwise; /* as of tp_app_region_row */
	double system_seconds;
	struct tp_app_usage usage; /* of a run that was timed */
	const struct tp_app_process_times *processes;
	double cpu_seconds;
	double uncounted; /* percent of the CPU time; 0 = nothing, or unknown */
};

/* Programs that were not counted may take this share of the CPU time. */
#define UNCOUNTED_PERCENT 1.0

static bool is_incomplete(const struct tp_app_counts *counts, double uncounted_percent)
{
	bool few = uncounted_percent > 0 && uncounted_percent < UNCOUNTED_PERCENT;
	return !counts->complete || (counts->uncounted_programs && !few);
}

/* Threads that wait in system calls, in percent, wake and preempt each other. */
#define CALLS_EXPLAIN 50.0

/* A preemption costs about as much. */
#define SLICE_SECONDS 0.01

/* Vectors of a width count as used from this share of the FLOPs on. */
#define USED_PERCENT 5.0

/* Threads whose shares become separate rows. */
enum { THREAD_ROWS_MAX = 64 };

/* --- times --- */

/* NULL beyond the most that are kept. */
static struct tp_app_timed *timed_of(struct tp_app_times *times, const char *name, unsigned thread)
{
	for (size_t i = 0; i < times->n; i++)
		if (times->items[i].thread == thread && strcmp(times->items[i].name, name) == 0)
			return &times->items[i];
	if (times->n >= TP_APP_REGIONS_MAX)
		return NULL;
	TP_RESERVE(times->items, times->cap, times->n + 1);
	struct tp_app_timed *timed = &times->items[times->n++];
	*timed = (struct tp_app_timed){ .thread = thread };
	tp_copy(timed->name, sizeof(timed->name), name);
	return timed;
}

static void add_time(struct tp_app_times *times, const struct tp_app_region *r)
{
	struct tp_app_timed *timed;
	/* What is outside all regions has no time. */
	if (!r->name[0] || !(r->seconds > 0) || !isfinite(r->seconds) ||
	    !(timed = timed_of(times, r->name, r->thread)))
		return;
	timed->entries = r->entries;
	TP_RESERVE(timed->x, timed->cap, timed->n + 1);
	timed->x[timed->n++] = r->seconds;
}

static void release_times(struct tp_app_times *times)
{
	for (size_t i = 0; i < times->n; i++)
		free(times->items[i].x);
	free(times->items);
	*times = (struct tp_app_times){ 0 };
}

/* --- rows of regions --- */

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* FLOPs of the instructions of a width, without and with fused multiply-adds. */
struct by_width {
	double plain[4], fused[4]; /* scalar, 128, 256, 512 */
	double all;
};

static struct by_width widths_of(const uint64_t mix[TP_MIX_N])
{
	static const double sp_lanes[] = { 1, 4, 8, 16 }, dp_lanes[] = { 1, 2, 4, 8 };
	struct by_width w = { 0 };
	for (int i = 0; i < 4; i++) {
		w.plain[i] = sp_lanes[i] * (double)mix[TP_MIX_FP_SP_SCALAR + i] +
			     dp_lanes[i] * (double)mix[TP_MIX_FP_DP_SCALAR + i];
		w.fused[i] = 2 * (sp_lanes[i] * (double)mix[TP_MIX_FMA_SP_SCALAR + i] +
				  dp_lanes[i] * (double)mix[TP_MIX_FMA_DP_SCALAR + i]);
		w.all += w.plain[i] + w.fused[i];
	}
	return w;
}

_Static_assert(TP_MIX_FP_SP_512 == TP_MIX_FP_SP_SCALAR + 3 &&
		       TP_MIX_FP_DP_512 == TP_MIX_FP_DP_SCALAR + 3 &&
		       TP_MIX_FMA_SP_512 == TP_MIX_FMA_SP_SCALAR + 3 &&
		       TP_MIX_FMA_DP_512 == TP_MIX_FMA_DP_SCALAR + 3,
	       "widths follow each other");

static void fill_mix(struct tp_app_region_row *row, const uint64_t mix[TP_MIX_N])
{
	static const char *const isas[] = { "scalar", "sse", "avx", "avx512" };
	const struct by_width w = widths_of(mix);
	double *const percent[] = { &row->scalar_percent, &row->sse_percent, &row->avx_percent,
				    &row->avx512_percent };
	row->flops_sp = mix[TP_MIX_FLOPS_SP];
	row->flops_dp = mix[TP_MIX_FLOPS_DP];
	row->flops_half = mix[TP_MIX_FLOPS_HALF];
	row->flops_x87 = mix[TP_MIX_FLOPS_X87];
	row->bytes_loaded = mix[TP_MIX_BYTES_LOADED];
	row->bytes_stored = mix[TP_MIX_BYTES_STORED];
	row->instructions = mix[TP_MIX_INSTRUCTIONS];
	row->loads = mix[TP_MIX_LOADS];
	row->branches = mix[TP_MIX_BRANCHES];
	row->fp_divides = mix[TP_MIX_FP_DIVIDES];
	row->locked = mix[TP_MIX_LOCKED];
	row->chain_cycles = mix[TP_MIX_CHAIN_CYCLES];
	row->chained_fp = mix[TP_MIX_CHAINED_FP];
	row->chained_loads = mix[TP_MIX_CHAINED_LOADS];
	uint64_t fp = mix[TP_MIX_FP_HALF] + mix[TP_MIX_X87];
	for (int i = TP_MIX_FP_SP_SCALAR; i <= TP_MIX_FMA_DP_512; i++)
		fp += mix[i];
	row->fp_percent = row->instructions ? 100 * (double)fp / (double)row->instructions : 0;
	for (int i = 0; i < 4 && w.all > 0; i++) {
		*percent[i] = 100 * (w.plain[i] + w.fused[i]) / w.all;
		row->fma_percent += 100 * w.fused[i] / w.all;
		if (*percent[i] >= USED_PERCENT)
			tp_copy(row->isa, sizeof(row->isa), isas[i]);
	}
	if (tp_app_flops(row))
		tp_copy(row->precision, sizeof(row->precision),
			row->flops_sp > row->flops_dp + row->flops_x87	   ? "single"
			: row->flops_half > row->flops_dp + row->flops_x87 ? "half"
									   : "double");
}

/* NULL as name: the whole program. */
static bool is_part(const struct tp_app_region *r, const char *name)
{
	return !name || strcmp(r->name, name) == 0;
}

static bool is_busy(const struct tp_app_counts *counts, unsigned thread, const char *name,
		    uint64_t instructions)
{
	uint64_t own = 0;
	for (size_t i = 0; i < counts->n_regions; i++)
		if (counts->regions[i].thread == thread && is_part(&counts->regions[i], name))
			own += counts->regions[i].mix[TP_MIX_INSTRUCTIONS];
	return own > 0 && (double)own >= TP_APP_BUSY * (double)instructions;
}

/* Threads that take part, by their rows; 1 if there are no rows of threads. */
static unsigned busy_threads(const struct tp_app_counts *counts, const char *name,
			     uint64_t instructions)
{
	unsigned busy = 0;
	for (unsigned t = 0; t < counts->n_threads; t++)
		busy += is_busy(counts, t, name, instructions);
	return busy ? busy : 1;
}

/* Threads that wait may execute many instructions, and no FLOPs. */
static uint64_t work_of(const uint64_t mix[TP_MIX_N], bool computes)
{
	return computes ? tp_mix_flops(mix) : mix[TP_MIX_INSTRUCTIONS];
}

/* The share of the busiest thread, of all functions and of those where no other thread is. */
static void fill_busiest(struct tp_app_region_row *row, const struct tp_app_counts *counts)
{
	bool computes = row->fp_percent >= TP_APP_HARDLY_FP;
	uint64_t all = computes ? tp_app_flops(row) : row->instructions, most = 0, alone = 0;
	unsigned busiest = 0;
	if (row->busy_threads < 2)
		return;
	for (unsigned t = 0; t < counts->n_threads; t++) {
		uint64_t work = 0;
		for (size_t i = 0; i < counts->n_regions; i++)
			if (counts->regions[i].thread == t)
				work += work_of(counts->regions[i].mix, computes);
		busiest = work > most ? t : busiest;
		most = TP_MAX(most, work);
	}
	for (size_t i = 0; i < counts->n_functions; i++)
		if (counts->functions[i].thread == busiest)
			alone += work_of(counts->functions[i].mix, computes);
	row->most_percent = percent_of(most, all);
	row->alone_percent = percent_of(alone, all);
}

/* System calls with less of the time are not named. */
#define LONG_CALL 0.2

static void fill_calls(struct tp_app_region_row *row, const struct tp_app_counts *counts)
{
	TP_STR text = { 0 };
	for (size_t i = 0; i < TP_APP_CALLS && counts->calls[i].n; i++) {
		const struct tp_app_call *call = &counts->calls[i];
		const char *name = tp_app_call_name(call->number);
		if (call->seconds < LONG_CALL * counts->wall_seconds)
			continue;
		tp_str_add(&text, text.len ? ", " : "");
		if (name)
			tp_str_add(&text, name);
		else
			tp_str_printf(&text, "system call %u", call->number);
		tp_str_printf(&text, " %.0f %%", 100 * call->seconds / counts->wall_seconds);
	}
	tp_copy(row->calls, sizeof(row->calls), tp_str_text(&text));
	row->calls_percent = counts->calls[0].n ? 100 : 0;
	for (unsigned t = 0; t < TP_MIN(counts->n_threads, (unsigned)TP_APP_THREADS); t++)
		if (is_busy(counts, t, NULL, row->instructions) && counts->wall_seconds > 0)
			row->calls_percent =
				fmin(row->calls_percent,
				     100 * counts->call_seconds[t] / counts->wall_seconds);
}

static void fill_levels(struct tp_app_region_row *row, const struct tp_app_counts *levels,
			const char *name)
{
	uint64_t accesses = 0, contested = 0;
	for (size_t i = 0; levels && i < levels->n_regions; i++) {
		const struct tp_app_region *r = &levels->regions[i];
		for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
			if (r->thread == TP_APP_ALL && is_part(r, name))
				row->level_bytes[l] += r->level_bytes[l + 1];
		if (r->thread == TP_APP_ALL && is_part(r, name)) {
			accesses += r->accesses;
			contested += r->contested;
		}
	}
	row->contested_percent = percent_of(contested, accesses);
}

static void fill_times(struct tp_app_region_row *row, struct tp_app_times *times, const char *name,
		       unsigned thread)
{
	for (size_t i = 0; i < times->n; i++) {
		struct tp_app_timed *t = &times->items[i];
		if (t->thread != thread || strcmp(t->name, name) != 0)
			continue;
		tp_sort_doubles(t->x, t->n);
		const struct tp_interval ci =
			tp_median_interval_sorted(t->x, t->n, times->confidence);
		row->seconds = tp_median_sorted(t->x, t->n);
		row->seconds_low = t->n > 1 ? ci.low : 0;
		row->seconds_high = t->n > 1 ? ci.high : 0;
		row->timed_runs = (unsigned)t->n;
		row->timed_entries = t->entries;
	}
}

static struct tp_app_region_row begin_row(const struct tp_app_told *told)
{
	struct tp_app_region_row row = { .run = told->point->run,
					 .point = told->point->point,
					 .threads = told->point->threads,
					 .incomplete = is_incomplete(told->counts, told->uncounted),
					 .differs = told->differs,
					 .prints_otherwise = told->prints_otherwise };
	tp_copy(row.source, sizeof(row.source), told->source);
	tp_copy(row.thread, sizeof(row.thread), "all");
	return row;
}

static bool tell_classes(const struct tp_app_told *told, const struct tp_watch *watch,
			 const char *region, const uint64_t mix[TP_MIX_N])
{
	double instructions = (double)mix[TP_MIX_INSTRUCTIONS];
	bool wanted = true;
	for (int i = 0; i < TP_MIX_N && wanted; i++) {
		struct tp_app_class_row row = { .run = told->point->run,
						.point = told->point->point,
						.count = mix[i] };
		bool share = i < TP_MIX_FLOPS_SP || i > TP_MIX_BYTES_STORED;
		if (!mix[i])
			continue;
		if (share && instructions > 0)
			row.percent = 100 * (double)mix[i] / instructions;
		tp_copy(row.region, sizeof(row.region), region);
		tp_copy(row.source, sizeof(row.source), told->source);
		tp_copy(row.name, sizeof(row.name), tp_mix_names[i]);
		wanted = tp_watch_row(watch, &tp_app_class_event, &row);
	}
	return wanted;
}

/* Threads of processes that overlap, but wait for each other: no more than the CPUs they keep busy.
 */
static unsigned busy_at_once(const struct tp_app_told *told, unsigned busy)
{
	double cpus = told->seconds > 0 ? told->cpu_seconds / told->seconds : busy;
	return told->counts->ranks ? busy : TP_MAX(1u, TP_MIN(busy, (unsigned)lround(cpus)));
}

static bool tell_program(const struct tp_app_told *told, const struct tp_watch *watch)
{
	struct tp_app_region_row row = begin_row(told);
	const struct tp_app_counts *counts = told->counts;
	uint64_t mix[TP_MIX_N] = { 0 }, other_hosts = 0;
	for (size_t i = 0; i < counts->n_regions; i++) {
		const struct tp_app_region *r = &counts->regions[i];
		for (int k = 0; k < TP_MIX_N && r->thread == TP_APP_ALL; k++)
			mix[k] += r->mix[k];
		if (r->thread == TP_APP_ALL)
			other_hosts += r->other_hosts_instructions;
	}
	fill_mix(&row, mix);
	row.other_hosts_percent = percent_of(other_hosts, mix[TP_MIX_INSTRUCTIONS]);
	tp_copy(row.region, sizeof(row.region), TP_APP_PROGRAM);
	row.entries = row.timed_entries = 1;
	row.busy_threads = counts->busy_threads ? busy_at_once(told, counts->busy_threads)
						: busy_threads(counts, NULL, row.instructions);
	row.seconds = told->seconds;
	row.seconds_low = told->seconds_low;
	row.seconds_high = told->seconds_high;
	row.timed_runs = told->timed_runs;
	/* An MPI job has its time from MPI_Init on, without its launcher. */
	fill_times(&row, told->times, TP_APP_PROGRAM, TP_APP_ALL);
	fill_levels(&row, told->levels, NULL);
	double cpu = told->cpu_seconds;
	row.kernel_percent = cpu > 0 ? 100 * told->system_seconds / cpu : 0;
	row.waiting_percent = told->seconds > 0 ? 100 * fmax(0, 1 - cpu / told->seconds) : 0;
	row.mean_cpus = told->seconds > 0 ? cpu / told->seconds : 0;
	row.page_faults = told->usage.page_faults;
	row.children = counts->children;
	row.uncounted_percent = told->uncounted;
	row.mpi_percent = tp_app_mpi_percent(told->processes);
	fill_calls(&row, counts);
	fill_busiest(&row, counts);
	/* Of several threads, the time that they could have had. */
	double cpus = TP_MIN(row.busy_threads, row.threads);
	double idle = fmax(0, told->seconds * TP_MAX(cpus, 1) - cpu);
	bool often = SLICE_SECONDS * (double)told->usage.preemptions > idle / 2;
	row.preempted = row.calls_percent < CALLS_EXPLAIN
				? often || told->point->flags & TP_FLAG(STEAL)
				: often && told->usage.preemptions > told->usage.waits;
	/* Other users of other hosts are unknown. */
	row.preempted &= row.other_hosts_percent <= 0;
	return tp_watch_row(watch, &tp_app_region_event, &row) &&
	       (told->again || tell_classes(told, watch, row.region, mix));
}

static bool tell_region(const struct tp_app_told *told, const struct tp_watch *watch,
			const struct tp_app_region *r)
{
	struct tp_app_region_row row = begin_row(told);
	const char *name = r->name[0] ? r->name : TP_APP_OUTSIDE;
	tp_shown(row.region, sizeof(row.region), name, strnlen(name, TP_APP_NAME - 1));
	fill_mix(&row, r->mix);
	row.other_hosts_percent =
		percent_of(r->other_hosts_instructions, r->mix[TP_MIX_INSTRUCTIONS]);
	row.entries = r->entries;
	row.unended = r->unended;
	if (r->thread == TP_APP_ALL) {
		row.busy_threads = r->busy_threads
					   ? busy_at_once(told, r->busy_threads)
					   : busy_threads(told->counts, r->name, row.instructions);
		fill_levels(&row, told->levels, r->name);
	} else {
		row.busy_threads = 1;
		snprintf(row.thread, sizeof(row.thread), "%u", r->thread);
	}
	if (r->name[0])
		fill_times(&row, told->times, r->name, r->thread);
	return tp_watch_row(watch, &tp_app_region_event, &row) &&
	       (told->again || r->thread != TP_APP_ALL ||
		tell_classes(told, watch, row.region, r->mix));
}

static bool has_regions(const struct tp_app_counts *counts)
{
	for (size_t i = 0; i < counts->n_regions; i++)
		if (counts->regions[i].name[0])
			return true;
	return false;
}

static bool tell_regions(const struct tp_app_told *told, const struct tp_watch *watch)
{
	const struct tp_app_counts *counts = told->counts;
	bool regions = has_regions(counts), wanted = tell_program(told, watch);
	size_t told_rows = 1;
	for (size_t i = 0; i < counts->n_regions && wanted; i++) {
		const struct tp_app_region *r = &counts->regions[i];
		bool single = r->thread != TP_APP_ALL;
		/* Without regions the program is all; one thread is all threads. */
		if ((!regions && !single) || (single && counts->n_threads < 2) ||
		    (single && r->thread >= THREAD_ROWS_MAX) || told_rows >= TP_APP_REGIONS_MAX)
			continue;
		wanted = tell_region(told, watch, r);
		told_rows++;
	}
	return wanted;
}

/* --- functions --- */

static bool tell_functions(const struct tp_app_told *told, const struct tp_watch *watch)
{
	const struct tp_app_counts *counts = told->counts;
	uint64_t instructions = 0, flops = 0, bytes = 0;
	bool wanted = true;
	for (size_t i = 0; i < counts->n_functions; i++) {
		instructions += counts->functions[i].mix[TP_MIX_INSTRUCTIONS];
		flops += tp_mix_flops(counts->functions[i].mix);
		bytes += tp_mix_bytes(counts->functions[i].mix);
	}
	for (size_t i = 0; i < TP_MIN(counts->n_functions, (size_t)TP_APP_FUNCTIONS_MAX) && wanted;
	     i++) {
		const struct tp_app_function *f = &counts->functions[i];
		struct tp_app_function_row row = { .run = told->point->run,
						   .point = told->point->point,
						   .instructions = f->mix[TP_MIX_INSTRUCTIONS],
						   .flops = tp_mix_flops(f->mix),
						   .bytes = tp_mix_bytes(f->mix) };
		row.instructions_percent = percent_of(row.instructions, instructions);
		row.flops_percent = percent_of(row.flops, flops);
		row.bytes_percent = percent_of(row.bytes, bytes);
		tp_copy(row.source, sizeof(row.source), told->source);
		tp_shown(row.function, sizeof(row.function), f->name,
			 strnlen(f->name, TP_APP_NAME - 1));
		tp_shown(row.module, sizeof(row.module), f->module,
			 strnlen(f->module, TP_APP_NAME - 1));
		wanted = tp_watch_row(watch, &tp_app_function_event, &row);
	}
	return wanted;
}

static const struct tp_app_source *find(const struct tp_app_ways *ways, const char *name)
{
	for (size_t i = 0; i < ways->n; i++)
		if (strcmp(ways->sources[i]->name, name) == 0)
			return ways->sources[i];
	return NULL;
}

static enum tp_status no_source(const struct tp_app_ways *ways, const char *name,
				struct tp_diag *diag)
{
	const char *names[16];
	TP_STR hint = { 0 };
	size_t n = 0;
	for (; n < ways->n && n < TP_COUNT_OF(names); n++)
		names[n] = ways->sources[n]->name;
	tp_str_add(&hint, n ? "this tprof has: " : "this tprof has none");
	tp_str_list(&hint, names, n, " and ");
	tp_fail(diag, TP_NOTFOUND, "app.source", tp_str_text(&hint),
		"this tprof was built without the way of counting \"%s\"", name);
	return TP_NOTFOUND;
}

/* The first of `names` that works; the reason comes from the first one that exists. */
static enum tp_status first_of(const struct tp_app_ways *ways, const char *const *names, size_t n,
			       const char *program, const struct tp_app_formulas *formulas,
			       const struct tp_app_source **source, struct tp_diag *diag)
{
	enum tp_status status = TP_NOTFOUND;
	bool told = false;
	for (size_t i = 0; i < n; i++) {
		struct tp_diag why = { 0 };
		*source = find(ways, names[i]);
		if (!*source)
			continue;
		enum tp_status one = (*source)->supported(program, formulas, &why);
		if (one == TP_OK)
			return TP_OK;
		if (!told) {
			*diag = why;
			status = one;
		}
		told = true;
	}
	return told ? status : no_source(ways, names[0], diag);
}

enum tp_status tp_app_choose(const struct tp_app_ways *ways, const char *word, const char *program,
			     const struct tp_app_formulas *formulas,
			     const struct tp_app_source *chosen[TP_APP_CHOSEN_MAX], size_t *n,
			     struct tp_diag *diag)
{
	/* First what sees every instruction, then CPU counters. */
	static const char *const all[] = { "agent", "qemu", "pmu" };
	enum { INSTRUMENTS = TP_COUNT_OF(all) - 1 };
	const char *const counters = "pmu";
	enum tp_status status;
	*n = 0;
	if (strcmp(word, "auto") == 0)
		status = first_of(ways, all, TP_COUNT_OF(all), program, formulas, &chosen[0], diag);
	else if (strcmp(word, "instrument") == 0 || strcmp(word, "both") == 0)
		status = first_of(ways, all, INSTRUMENTS, program, formulas, &chosen[0], diag);
	else
		status = first_of(ways, &word, 1, program, formulas, &chosen[0], diag);
	*n = status == TP_OK;
	if (status == TP_OK && strcmp(word, "both") == 0) {
		status = first_of(ways, &counters, 1, program, formulas, &chosen[1], diag);
		*n += status == TP_OK;
	}
	return status;
}

struct measuring {
	const struct tp_app_ways *ways;
	struct tp_bench *bench;
	const struct tp_planned *planned;
	struct tp_point *point;
	struct tp_app_row *row;
	struct tp_app_command command;
	struct tp_app_streams streams;
	const struct tp_app_source *sources[TP_APP_CHOSEN_MAX];
	struct tp_app_counts counts[TP_APP_CHOSEN_MAX], levels;
	size_t n_sources;
	struct tp_app_found found;
	bool traced;
	struct tp_app_times times;
	struct tp_app_process_times processes;
	struct tp_repeat wall;
	struct tp_stop_state user, system;
	struct tp_app_usage usage;
	bool told; /* results have been sent once */
	size_t next_told; /* number of timed runs when they are sent again */
	bool ends_otherwise; /* than the run that was counted */
	struct tp_app_same same;
};

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->bench->watch);
}

static void note_all(struct measuring *m, const struct tp_diags *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		tp_watch_note(m->bench->watch, &notes->items[i]);
}

/* --- counting --- */

/* The first failure is the one that matters. */
static void take_end(struct measuring *m, struct tp_process_end end)
{
	if (m->row->signal || m->row->exit_status)
		return;
	m->row->signal = (unsigned)end.signal;
	m->row->exit_status = end.signal ? 0 : (unsigned)end.code;
}

/* Ranks that the launcher has started where no agent reaches the file of counts. */
static void say_missing_ranks(const struct measuring *m, const struct tp_app_counts *counts)
{
	TP_STR missing = { 0 };
	unsigned n = 0, there = 0;
	for (unsigned rank = 0; rank < counts->ranks; rank++) {
		bool found = false;
		for (size_t i = 0; i < counts->n_processes && !found; i++)
			found = counts->processes[i].has_rank && counts->processes[i].followed &&
				counts->processes[i].rank == rank;
		there += found;
		if (!found && n++ < 8)
			tp_str_printf(&missing, "%s%u", n > 1 ? ", " : "", rank);
	}
	if (n && there)
		tp_watch_say(m->bench->watch, m->row->command,
			     "ranks on other hosts are counted where these reach the agent and "
			     "your data folder (~/.local/share/tprof) by the same paths, and "
			     "where the program is not static",
			     "%u of %u ranks %s not counted: %s%s", n, counts->ranks,
			     n == 1 ? "was" : "were", tp_str_text(&missing), n > 8 ? ", ..." : "");
}

static enum tp_status count_one(struct measuring *m, size_t i, struct tp_diag *diag)
{
	struct tp_app_counts *counts = &m->counts[i];
	bool first = i == 0;
	tp_app_streams_set(&m->streams, first, &m->command);
	m->command.heard = first ? tp_app_same_hear : NULL;
	if (first)
		tp_app_streams_lend(&m->streams);
	enum tp_status status = m->sources[i]->count(&m->command, counts, diag);
	tp_app_streams_back(&m->streams);
	if (first)
		tp_app_same_end_counted(&m->same);
	m->command.heard = NULL;
	m->bench->interrupted |= m->streams.interrupted;
	if (status != TP_OK)
		return status;
	take_end(m, counts->end);
	note_all(m, &counts->notes);
	m->row->incomplete |= is_incomplete(counts, 0);
	say_missing_ranks(m, counts);
	m->row->ran_threads = TP_MAX(m->row->ran_threads, counts->n_threads);
	if (first) {
		m->row->counted_seconds = counts->wall_seconds;
		tp_copy(m->row->source, sizeof(m->row->source), m->sources[i]->name);
	}
	return TP_OK;
}

static enum tp_status follow_levels(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_machine *machine = m->bench->machine;
	struct tp_app_cache caches[3] = { { 0 } };
	for (int l = 0; l < 3; l++) {
		const struct tp_cache *c = &machine->cache[l + 1];
		caches[l] = (struct tp_app_cache){ .bytes = c->size_bytes,
						   .ways = c->ways,
						   .line_bytes = c->line_bytes,
						   .shared = c->sharing_cores > 1 };
	}
	tp_app_streams_set(&m->streams, false, &m->command);
	enum tp_status status = m->ways->trace(&m->command, caches, &m->levels, diag);
	m->traced = status == TP_OK;
	if (status == TP_OK)
		note_all(m, &m->levels.notes);
	if (status == TP_CANCELLED)
		return status;
	/* Without levels everything else is still worth having. */
	if (status != TP_OK)
		tp_watch_note(m->bench->watch, diag);
	return TP_OK;
}

/* Formulas are looked for where counters will count: that reads runs of the user. */
static enum tp_status find_formulas(struct measuring *m, const char *word, const char *path,
				    struct tp_diag *diag)
{
	const struct tp_app_source *first[TP_APP_CHOSEN_MAX];
	struct tp_diag why;
	size_t n;
	bool wanted = strcmp(word, "pmu") == 0 || strcmp(word, "both") == 0 ||
		      (strcmp(word, "auto") == 0 &&
		       tp_app_choose(m->ways, "instrument", path, NULL, first, &n, &why) != TP_OK);
	if (!wanted || !m->ways->formulas)
		return TP_OK;
	enum tp_status status = m->ways->formulas(
		m->bench->machine, tp_config_text(m->planned->config, TP_OPT_APP_FORMULAS),
		&m->found, diag);
	if (m->found.formulas.n)
		m->command.formulas = &m->found.formulas;
	return status;
}

static enum tp_status count_program(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *config = m->planned->config;
	const char *word = tp_config_text(config, TP_OPT_APP_SOURCE);
	char path[TP_PATH_MAX];
	if (!tp_program_find(m->command.words[0], path))
		return tp_fail(diag, TP_NOTFOUND, m->row->command, NULL,
			       "there is no such program");
	enum tp_status status = find_formulas(m, word, path, diag);
	if (status == TP_OK)
		status = tp_app_choose(m->ways, word, path, m->command.formulas, m->sources,
				       &m->n_sources, diag);
	for (size_t i = 0; i < m->n_sources && status == TP_OK && !m->bench->interrupted; i++)
		status = count_one(m, i, diag);
	/* Keep the counts of the first way so far; run nothing more. */
	if (status == TP_OK && m->bench->interrupted) {
		m->n_sources = 1;
		return TP_OK;
	}
	if (status == TP_OK && m->streams.waits)
		tp_watch_say(m->bench->watch, m->row->command,
			     "give all runs the same input: --set app.input=FILE",
			     "the run that is counted has read standard input; the runs that are "
			     "timed find it empty, so they may do less");
	/* A program that dies would die again. */
	if (status == TP_OK && !m->row->signal && tp_config_count(config, TP_OPT_APP_LEVELS))
		status = follow_levels(m, diag);
	return status;
}

/* --- results --- */

/* Sends counts and the times so far. */
static enum tp_status send_results(struct measuring *m, struct tp_diag *diag)
{
	/* Slurm's daemon starts its tasks, not srun. */
	const double cpu_seconds = fmax(m->row->user_seconds + m->row->system_seconds,
					tp_app_followed_seconds(&m->processes));
	const double uncounted = tp_app_uncounted_percent(&m->processes, cpu_seconds);
	if (m->n_sources)
		m->row->incomplete = is_incomplete(&m->counts[0], uncounted);
	const bool prints_otherwise = tp_app_same_differs(&m->same);
	for (size_t i = 0; i < m->n_sources; i++) {
		const struct tp_app_told told = {
			.point = m->point,
			.source = m->sources[i]->name,
			.counts = &m->counts[i],
			.levels = m->traced && i == 0 ? &m->levels : NULL,
			.times = &m->times,
			.seconds = m->row->time_seconds,
			.system_seconds = m->row->system_seconds,
			.seconds_low = m->point->ci_low,
			.seconds_high = m->point->ci_high,
			/* How many of them count is known at the end. */
			.timed_runs = m->point->kept ? m->point->kept : (unsigned)m->wall.state.n,
			.usage = m->usage,
			.again = m->told,
			.differs = m->ends_otherwise || prints_otherwise,
			.prints_otherwise = prints_otherwise && !m->ends_otherwise,
			.processes = &m->processes,
			.cpu_seconds = cpu_seconds,
			.uncounted = uncounted,
		};
		if (!tell_regions(&told, m->bench->watch) ||
		    !tp_app_processes_send(&m->processes, m->point, told.source, told.counts,
					   cpu_seconds, m->bench->watch) ||
		    (!m->told && !tell_functions(&told, m->bench->watch)))
			return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	}
	m->told = true;
	return TP_OK;
}

/* --- timing --- */

static enum tp_status add_sample(struct measuring *m, double seconds, struct tp_diag *diag)
{
	const struct tp_sample sample = { .seconds = seconds,
					  .rate = 1 / seconds,
					  .invocation = m->bench->invocation };
	tp_point_add_sample(m->point, &sample);
	if (!tp_watch_sample(m->bench->watch, &sample))
		return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	return TP_OK;
}

static enum tp_status time_once(void *context, struct tp_diag *diag)
{
	struct measuring *m = context;
	TP_CLEANUP(tp_app_time_release) struct tp_app_time time = { 0 };
	tp_app_streams_set(&m->streams, false, &m->command);
	m->command.heard = tp_app_same_hear;
	enum tp_status status;
	double suspended;
	/* Caches and clocks have changed after Ctrl-Z: a run that was stopped is dropped. */
	do {
		tp_app_time_release(&time);
		tp_app_same_begin(&m->same);
		suspended = tp_suspended_seconds;
		status = m->ways->time(&m->command, &time, diag);
	} while (status == TP_OK && tp_suspended_seconds > suspended);
	tp_app_same_end_timed(&m->same);
	if (status == TP_OK && !(time.wall_seconds > 0))
		status = tp_fail(diag, TP_FAILED, m->row->command, NULL, "its run took no time");
	if (status == TP_OK && m->wall.state.n == 0) {
		note_all(m, &time.notes);
		m->row->max_rss_bytes = time.max_rss_bytes;
		m->usage = time.usage;
		if (time.end.signal != (int)m->row->signal ||
		    (!time.end.signal && time.end.code != (int)m->row->exit_status)) {
			m->ends_otherwise = true;
			tp_watch_say(
				m->bench->watch, m->row->command,
				"look at its output: does it need input, or files of the first "
				"run?",
				"a timed run ended differently from the counted one (exit %d, "
				"signal %d)",
				time.end.code, time.end.signal);
		}
		take_end(m, time.end);
	}
	if (status == TP_OK) {
		tp_stop_add(&m->wall.state, time.wall_seconds);
		tp_stop_add(&m->user, time.user_seconds);
		tp_stop_add(&m->system, time.system_seconds);
		m->row->time_seconds = tp_stop_estimate(&m->wall.state, &m->wall.rule);
		m->row->user_seconds = tp_median_sorted(m->user.sorted, m->user.n);
		m->row->system_seconds = tp_median_sorted(m->system.sorted, m->system.n);
		const struct tp_app_region job = { .name = TP_APP_PROGRAM,
						   .thread = TP_APP_ALL,
						   .entries = 1,
						   .seconds = tp_app_job_seconds(&time) };
		add_time(&m->times, &job);
		for (size_t i = 0; i < time.n_regions; i++)
			add_time(&m->times, &time.regions[i]);
		tp_app_process_times_add(&m->processes, &time);
		status = add_sample(m, time.wall_seconds, diag);
	}
	/* If the first one printed something else, the second shows whether that matters. */
	bool decided = m->same.n_timed > 1 || m->ends_otherwise || !tp_app_same_differs(&m->same);
	/* The user sees early where the program stands, and how it moves. */
	if (status == TP_OK && decided && m->wall.state.n >= m->next_told) {
		m->next_told = 2 * m->wall.state.n;
		status = send_results(m, diag);
	}
	return status;
}

static enum tp_status time_all(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *config = m->planned->config;
	struct tp_summary summary;
	if (m->row->signal || m->bench->interrupted)
		return TP_OK;
	m->wall.least = (size_t)tp_config_count(config, TP_OPT_APP_RUNS);
	m->wall.rule = tp_stop_rule_of(config, m->wall.least);
	m->wall.rule.max_seconds = tp_config_real(config, TP_OPT_APP_MAX_TIME);
	m->wall.once = time_once;
	m->wall.context = m;
	enum tp_status status = tp_repeat_run(&m->wall, m->point, &summary, diag);
	if (status != TP_OK)
		return status;
	m->point->kind->headline(m->point);
	m->point->best = summary.min;
	return TP_OK;
}

/* --- a point --- */

static enum tp_status measure_program(struct measuring *m, struct tp_diag *diag)
{
	TP_CLEANUP(tp_claims_release) struct tp_claims claims = { 0 };
	enum tp_status status = count_program(m, diag);
	if (status != TP_OK)
		return status;
	tp_claims_init(&claims, m->planned->cpus, m->point->threads);
	bool contested = tp_claims_contested(&claims);
	uint64_t stolen = tp_machine_steal_ticks("", m->planned->cpus, m->point->threads);
	status = time_all(m, diag);
	const char *stream = tp_app_same_differs(&m->same);
	if (status == TP_OK && stream)
		tp_watch_say(m->bench->watch, m->row->command,
			     "compare both: --app-source qemu counts in another way",
			     "the counted run printed something else to %s than the timed ones",
			     stream);
	if (tp_machine_steal_ticks("", m->planned->cpus, m->point->threads) > stolen)
		m->point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&claims) || contested)
		m->point->flags |= TP_FLAG(OTHER_TPROF);
	if (status == TP_OK && m->point->kept)
		tp_window_quality(m->point, TP_REACH_SHARED);
	return status == TP_OK ? send_results(m, diag) : status;
}

enum tp_status tp_app_measure(const struct tp_app_ways *ways, struct tp_bench *bench,
			      const struct tp_planned *planned, struct tp_point *point,
			      struct tp_diag *diag)
{
	double started = tp_now_seconds();
	struct measuring *m = tp_alloc(1, sizeof(*m));
	*m = (struct measuring){
		.ways = ways, .bench = bench, .planned = planned, .point = point, .row = point->row
	};
	tp_bench_rest(bench);
	m->times.confidence = tp_config_real(planned->config, TP_OPT_STOP_CONFIDENCE);
	const struct tp_config *config = m->planned->config;
	const struct tp_app_plan *plan = tp_app_plan(m->planned);
	const char *folder = tp_config_text(config, TP_OPT_APP_FOLDER);
	m->command = (struct tp_app_command){
		.words = plan->words,
		.variables = plan->variables,
		.folder = *folder ? folder : NULL,
		/* This process may be bound to one CPU, as the team of the last roof. */
		.cpus = m->planned->cpus,
		.n_cpus = m->point->threads,
		.functions = plan->functions,
		.limit_seconds = tp_config_real(config, TP_OPT_APP_LIMIT),
		.go_on = go_on,
		.context = m,
		.listener = &m->same,
	};
	tp_app_streams_init(&m->streams, m->bench, tp_config_text(config, TP_OPT_APP_INPUT));
	tp_app_streams_pipe(&m->streams);
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++)
		m->same.compared[i] = m->streams.piped & 1u << i;
	enum tp_status status = measure_program(m, diag);
	for (size_t i = 0; i < m->n_sources; i++)
		tp_app_counts_release(&m->counts[i]);
	tp_app_counts_release(&m->levels);
	release_times(&m->times);
	tp_app_process_times_release(&m->processes);
	tp_app_same_release(&m->same);
	tp_app_found_release(&m->found);
	tp_stop_release(&m->wall.state);
	tp_stop_release(&m->user);
	tp_stop_release(&m->system);
	free(m);
	tp_bench_end_point(point, status, diag, tp_now_seconds() - started);
	return status;
}

enum tp_status tp_app_run_point(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_app_ways ways = { .sources = tp_app_source_table,
					  .n = tp_app_source_count,
					  .time = tp_app_time,
					  .trace = tp_app_trace,
					  .formulas = tp_app_formulas_find };
	return tp_app_measure(&ways, bench, planned, point, diag);
}
