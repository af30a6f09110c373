/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a region stands below the roofs of its run, and what would move it up to its roof, or the
 * roof up. Each rule looks only at the row, and shows the numbers it used.
 */
#include "experiments/app/place.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/roof.h"

/* This near to a roof it is under it: intervals and the clock differ by more between runs. */
#define ON_ROOF 0.02

/* Where times stop to be good, and to be fair. */
#define FAIR_SPREAD   0.03
#define POOR_SPREAD   0.10
#define FAIR_ENTRY    1e-5
#define POOR_ENTRY    1e-6
#define SHORT_PROGRAM 0.02
#define ENTRIES_ALIKE 0.01

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

const char *const tp_app_level_names[TP_APP_ROOF_LEVELS] = { "L1", "L2", "L3", "DRAM" };

static unsigned lane_bits(const struct tp_app_region_row *row)
{
	return is(row->precision, "single") ? 32 : is(row->precision, "half") ? 16 : 64;
}

/* --- the place --- */

/* What a roof allows at an intensity. */
static double roof_at(const struct tp_app_roofs *roofs, int level, double ai)
{
	return roofs->peak_gflops > 0
		       ? tp_roof_attainable(roofs->peak_gflops, roofs->gbps[level], ai)
		       : roofs->gbps[level] * ai;
}

/* The level is the roof's; `ai` counts the bytes that come from there. */
static void set_roof(struct tp_app_region_row *row, const struct tp_app_roofs *roofs, int level,
		     double ai)
{
	const double peak = roofs->peak_gflops, slope = roofs->gbps[level] * ai;
	bool computes = peak > 0 && slope >= peak;
	row->roof_gflops = roof_at(roofs, level, ai);
	tp_copy(row->roof, sizeof(row->roof), computes ? "FP" : tp_app_level_names[level]);
	row->roof_gbps = computes ? 0 : roofs->gbps[level];
	row->ridge_flop_per_byte = tp_roof_ridge(peak, roofs->gbps[level]);
	double part = computes ? roofs->peak_part : roofs->gbps_part[level];
	row->roof_percent = 100 * row->gflops / row->roof_gflops;
	row->roof_percent_low = row->roof_percent_high = 0;
	if (row->seconds_high > 0 && row->seconds_low > 0 && part < 1) {
		row->roof_percent_low =
			row->roof_percent * row->seconds / row->seconds_high / (1 + part);
		row->roof_percent_high =
			row->roof_percent * row->seconds / row->seconds_low / (1 - part);
	}
}

static bool has_levels(const struct tp_app_region_row *row)
{
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
		if (row->level_bytes[l] > 0)
			return true;
	return false;
}

/* The level whose bytes take longest at its bandwidth; -1 = none. */
static int slowest_level(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double longest = 0;
	int slowest = -1;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		double seconds = roofs->gbps[l] > 0 ? row->level_bytes[l] / roofs->gbps[l] : 0;
		if (seconds > longest)
			slowest = l;
		longest = fmax(longest, seconds);
	}
	return slowest;
}

/* Lowest roof that allows the speed, and highest one that does not. */
static void find_roof(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double best = INFINITY, below = 0, ai = row->ai_flop_per_byte;
	int level = -1;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		if (!(roofs->gbps[l] > 0))
			continue;
		double roof = roof_at(roofs, l, ai);
		bool allows = row->gflops <= roof * (1 + ON_ROOF);
		if (allows && roof < best) {
			best = roof;
			level = l;
		}
		if (!allows && roof > below) {
			below = roof;
			tp_copy(row->above, sizeof(row->above), tp_app_level_names[l]);
		}
	}
	if (level >= 0)
		set_roof(row, roofs, level, ai);
}

/* --- what takes its time --- */

/* So near to a roof of memory it is the limit, and what lies below it does not matter. */
#define NEAR_PERCENT 80.0

/* From these shares on, in percent, time goes where no roof is. */
#define MOSTLY_OUTSIDE 50.0

/*
 * Cycles that an instruction takes, at least or at most, on x86-64 cores since 2015. At least: a
 * scalar division in double precision, 4; a locked instruction on a line that the core has, 18
 * (it waits for all stores before it). At most: a mispredicted branch 20, a division 40.
 */
#define DIVIDE_LEAST 4.0
#define LOCKED_LEAST 18.0
#define LINE_BYTES   64.0
#define BRANCH_MOST  20.0
#define DIVIDE_MOST  40.0
/* A load from memory: 400 cycles are 100 ns and more, of another socket 200. */
#define LOAD_MOST 1000.0
/*
 * In a cycle every such core begins two floating-point instructions of up to 256 bits, and no core
 * more than three loads or six instructions. Few programs have all of them every time, so half of
 * that is the limit.
 */
#define FP_PER_CYCLE	2.0
#define LOADS_PER_CYCLE 3.0
#define PER_CYCLE	6.0

static double cap(double percent)
{
	return fmin(100, percent);
}

/* Time that its threads spend in its own code, all together. */
static double own_seconds(const struct tp_app_region_row *row)
{
	return row->mean_cpus > 0 ? row->seconds * row->mean_cpus * (1 - row->kernel_percent / 100)
				  : row->seconds * TP_MAX(row->busy_threads, 1u);
}

/* Cycles in percent of its available ones; 0 = its clock is unknown. */
static double cycles_percent(const struct tp_app_region_row *row, double cycles)
{
	double all = 1e9 * row->clock_ghz * own_seconds(row);
	return all > 0 ? cap(100 * cycles / all) : 0;
}

static double chain_percent(const struct tp_app_region_row *row)
{
	return cycles_percent(row, (double)row->chain_cycles);
}

static double divide_percent(const struct tp_app_region_row *row)
{
	return cycles_percent(row, DIVIDE_LEAST * (double)row->fp_divides);
}

static double locked_percent(const struct tp_app_region_row *row)
{
	return cycles_percent(row, LOCKED_LEAST * (double)row->locked);
}

static double branch_percent(const struct tp_app_region_row *row)
{
	return cycles_percent(row, BRANCH_MOST * (double)row->branches);
}

/* Of what the units begin in a cycle: a scalar instruction takes as much of that as a vector. */
static double issue_percent(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double lanes = roofs->vector_bits ? roofs->vector_bits / (double)lane_bits(row) : 0;
	double rate = lanes > 0 ? roofs->peak_gflops / 2 / lanes : 0;
	double instructions = 1e-9 * row->fp_percent / 100 * (double)row->instructions;
	/* Of one core, and its CPU time. */
	rate = fmax(rate / TP_MAX(roofs->threads, 1u), FP_PER_CYCLE * row->clock_ghz);
	return rate > 0 && own_seconds(row) > 0 && roofs->peak_gflops > 0
		       ? cap(100 * instructions / own_seconds(row) / rate)
		       : 0;
}

/* Of what it could have: its threads, or CPUs if there are fewer. */
static double could_have(const struct tp_app_region_row *row)
{
	return TP_MAX(row->threads ? TP_MIN(row->busy_threads, row->threads) : row->busy_threads,
		      1u);
}

/* Percent of the time of its threads without a CPU. */
static double idle_percent(const struct tp_app_region_row *row)
{
	return row->mean_cpus > 0 ? 100 * fmax(0, 1 - row->mean_cpus / could_have(row)) : 0;
}

/*
 * What other threads could take over: of the work of one thread its part beyond an equal share.
 * 30 % less time is the least that is worth a sentence, as far as a roof is.
 */
static bool is_serial(const struct tp_app_region_row *row)
{
	return row->busy_threads > 1 &&
	       row->alone_percent * (1 - 1 / could_have(row)) >= TP_APP_LIMITS_PERCENT;
}

static bool is_unbalanced(const struct tp_app_region_row *row)
{
	double equal = 100 / could_have(row);
	return row->busy_threads > 1 && row->most_percent > 0 &&
	       row->most_percent - equal >= TP_APP_LIMITS_PERCENT / 100 * row->most_percent;
}

/* Average cost of an instruction is below this, even if it waits for memory. */
#define CYCLES_MOST 200.0

/* The CPU time belongs to processes it started, not to the counted instructions. */
static bool children_run(const struct tp_app_region_row *row)
{
	double most = CYCLES_MOST * (double)row->instructions;
	return row->children > 0 && row->clock_ghz > 0 &&
	       100 - cycles_percent(row, most) >= MOSTLY_OUTSIDE;
}

/* Of its time, not of its CPU time. */
static double kernel_share(const struct tp_app_region_row *row)
{
	return row->kernel_percent * (1 - row->waiting_percent / 100);
}

/* Time that is not its own code's. */
static const char *outside(const struct tp_app_region_row *row)
{
	double kernel = kernel_share(row);
	if (row->waiting_percent + kernel < MOSTLY_OUTSIDE &&
	    row->kernel_percent < MOSTLY_OUTSIDE && !children_run(row))
		return NULL;
	if (children_run(row) && row->kernel_percent < MOSTLY_OUTSIDE)
		return "waiting";
	/* Where others have its CPUs, shares of its CPU time are still right. */
	if (row->preempted && row->kernel_percent >= MOSTLY_OUTSIDE)
		return "kernel";
	return row->waiting_percent >= MOSTLY_OUTSIDE || row->waiting_percent > kernel ? "waiting"
										       : "kernel";
}

static bool waits_at_locks(const struct tp_app_region_row *row)
{
	return row->busy_threads > 1 && strncmp(row->calls, "futex", 5) == 0;
}

/* The kernel and missing CPUs take a part of its time that is worth a sentence, for locks. */
static bool sleeps_at_locks(const struct tp_app_region_row *row)
{
	return waits_at_locks(row) && row->calls_percent >= TP_APP_LIMITS_PERCENT &&
	       row->kernel_percent + idle_percent(row) >= TP_APP_LIMITS_PERCENT;
}

/*
 * A locked instruction on a line that another core has takes twice that and more, so of several
 * threads half as much is the limit.
 */
static bool locks_limit(const struct tp_app_region_row *row)
{
	if (sleeps_at_locks(row))
		return true;
	double least = row->busy_threads > 1 ? TP_APP_TAKES_PERCENT / 2 : TP_APP_TAKES_PERCENT;
	return locked_percent(row) >= least;
}

/* They have no CPU, and when they were counted, system calls took as much of their time. */
static bool threads_wait(const struct tp_app_region_row *row)
{
	return row->busy_threads > 1 && idle_percent(row) >= MOSTLY_OUTSIDE &&
	       row->calls_percent >= MOSTLY_OUTSIDE;
}

/* Others use its CPUs: that distorts its time, but not its instructions. */
static bool is_disturbed(const struct tp_app_region_row *row)
{
	return row->preempted && !children_run(row) && outside(row) && is(outside(row), "waiting");
}

/* What keeps roofs from limiting; NULL = nothing. */
static const char *elsewhere(const struct tp_app_region_row *row)
{
	const bool computes = row->fp_percent >= TP_APP_HARDLY_FP ||
			      (!(row->fp_percent > 0) && tp_app_flops(row));
	if (row->differs)
		return "differs";
	/* There it may wait with a CPU, or in the kernel without one. */
	if (row->mpi_percent >= MOSTLY_OUTSIDE)
		return "mpi";
	if (outside(row) && !is_disturbed(row))
		return outside(row);
	if (is_serial(row))
		return "serial";
	if (is_unbalanced(row))
		return "balance";
	if (row->contested_percent >= TP_APP_TAKES_PERCENT)
		return "sharing";
	if (locks_limit(row))
		return "locks";
	if (threads_wait(row) && !is_disturbed(row))
		return "waiting";
	return !computes && (row->instructions || row->fp_percent > 0) ? "other" : NULL;
}

/* How much faster it is while it has its CPUs, where others have them, too. */
static double while_it_runs(const struct tp_app_region_row *row)
{
	double own = own_seconds(row) / TP_MAX(row->busy_threads, 1u);
	return is_disturbed(row) && own > 0 ? fmax(1, row->seconds / own) : 1;
}

/* Most of its loads take their address from a load before. */
static bool is_chained(const struct tp_app_region_row *row)
{
	return row->chained_loads > 0 && 2 * row->chained_loads >= row->loads;
}

/* Lines that come from beyond the first cache, by the model of the caches. */
static double far_lines(const struct tp_app_region_row *row)
{
	double bytes = 0;
	for (int l = 1; l < TP_APP_ROOF_LEVELS; l++)
		bytes += row->level_bytes[l];
	return bytes / LINE_BYTES;
}

/*
 * The rest, if every other instruction takes its longest and its loads can take that long: by the
 * model of the caches, or else because they are chained. Loads that are not chained wait in
 * parallel: if they come near a roof, that is the limit.
 */
static double latency_percent(const struct tp_app_region_row *row)
{
	double others = (double)row->instructions + BRANCH_MOST * (double)row->branches +
			DIVIDE_MOST * (double)row->fp_divides + (double)row->chain_cycles;
	double loads = has_levels(row) ? far_lines(row) : (double)row->chained_loads;
	double left = 100 - cycles_percent(row, others);
	if (!(row->clock_ghz > 0) || cycles_percent(row, LOAD_MOST * loads) < left ||
	    (!is_chained(row) &&
	     (!has_levels(row) || row->roof_percent * while_it_runs(row) >= TP_APP_LIMITS_PERCENT)))
		return 0;
	return left;
}

/* What takes most of its time, of the bounds that no roof shows; NULL = none takes half of it. */
static const char *taker(const struct tp_app_region_row *row, double *percent)
{
	const struct {
		const char *name;
		double percent;
	} takers[] = { { "latency", latency_percent(row) },
		       { "divides", divide_percent(row) },
		       { "chain", chain_percent(row) },
		       { "loads", cycles_percent(row, (double)row->loads / LOADS_PER_CYCLE) },
		       { "issue", cycles_percent(row, (double)row->instructions / PER_CYCLE) } };
	const char *best = NULL;
	*percent = 0;
	for (size_t i = 0; i < TP_COUNT_OF(takers); i++)
		if (takers[i].percent >= TP_APP_TAKES_PERCENT && takers[i].percent > *percent) {
			best = takers[i].name;
			*percent = takers[i].percent;
		}
	return best;
}

static void place_under_roofs(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double takes, issues = issue_percent(row, roofs);
	int level = slowest_level(row, roofs);
	if (level >= 0)
		set_roof(row, roofs, level, (double)tp_app_flops(row) / row->level_bytes[level]);
	else
		find_roof(row, roofs);
	if (!(row->roof_gflops > 0))
		return;
	const char *what = taker(row, &takes);
	double under = row->roof_percent * while_it_runs(row);
	/* If both apply, the roof comes first. */
	if (what && takes > under && takes > issues) {
		tp_copy(row->bound, sizeof(row->bound), what);
		row->explained_percent = takes;
	} else if (issues >= TP_APP_TAKES_PERCENT && issues > under) {
		tp_copy(row->bound, sizeof(row->bound), "compute");
		row->explained_percent = issues;
	} else if (under >= TP_APP_LIMITS_PERCENT) {
		tp_copy(row->bound, sizeof(row->bound), is(row->roof, "FP") ? "compute" : "memory");
	} else if (is_disturbed(row)) {
		tp_copy(row->bound, sizeof(row->bound), "waiting");
		row->roof[0] = row->above[0] = '\0';
	} else {
		tp_copy(row->bound, sizeof(row->bound), "neither");
	}
}

/* A program that does not compute can still reach the bandwidth of a level. */
static void place_bytes(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	int level = slowest_level(row, roofs);
	if (level < 0)
		return;
	row->roof_gbps = roofs->gbps[level];
	row->roof_percent = 1e-7 * row->level_bytes[level] / row->seconds / row->roof_gbps;
	if (row->roof_percent >= TP_APP_LIMITS_PERCENT)
		tp_copy(row->roof, sizeof(row->roof), tp_app_level_names[level]);
}

void tp_app_place(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double flops = (double)tp_app_flops(row), bytes = (double)tp_app_bytes(row);
	row->ai_flop_per_byte = bytes > 0 ? flops / bytes : 0;
	row->gflops = row->seconds > 0 ? 1e-9 * flops / row->seconds : 0;
	row->gbps = row->seconds > 0 ? 1e-9 * bytes / row->seconds : 0;
	row->bound[0] = row->roof[0] = row->above[0] = '\0';
	row->roof_gflops = row->roof_gbps = row->roof_percent = row->ridge_flop_per_byte = 0;
	row->roof_percent_low = row->roof_percent_high = row->explained_percent = 0;
	row->roof_threads = roofs->threads;
	row->peak_gflops = roofs->peak_gflops;
	row->clock_ghz = roofs->clock_ghz;
	const char *where = row->seconds > 0 || row->differs ? elsewhere(row) : NULL;
	if (where) {
		tp_copy(row->bound, sizeof(row->bound), where);
		if (is(where, "locks"))
			row->explained_percent = locked_percent(row);
		if (is(where, "other"))
			place_bytes(row, roofs);
		return;
	}
	if (row->gflops > 0 && row->ai_flop_per_byte > 0)
		place_under_roofs(row, roofs);
	/* No roofs were measured, or they do not fit. */
	if (!row->bound[0] && is_disturbed(row))
		tp_copy(row->bound, sizeof(row->bound), "waiting");
}

int tp_app_level(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	int level = -1;
	double least = INFINITY;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
		if (roofs->gbps[l] > 0 && roofs->gbps[l] * (1 + ON_ROOF) >= row->gbps &&
		    roofs->gbps[l] <= least) {
			least = roofs->gbps[l];
			level = l;
		}
	for (int l = 0; l < TP_APP_ROOF_LEVELS && level < 0; l++)
		if (roofs->gbps[l] > 0)
			level = l;
	return level;
}

/* A fault of a page of 4 KiB takes less than this. */
#define FAULT_SECONDS 3e-6

/* Page faults take most of the time in the kernel. */
static bool faults_explain(const struct tp_app_region_row *row)
{
	double kernel = row->seconds * (1 - row->waiting_percent / 100) * row->kernel_percent / 100;
	return (double)row->page_faults * FAULT_SECONDS > kernel;
}

/* A process takes less than this to start and to end, with its pages and its program. */
#define PROCESS_SECONDS 1e-3

static bool children_explain(const struct tp_app_region_row *row)
{
	double own =
		row->seconds * (1 - row->waiting_percent / 100) * (1 - row->kernel_percent / 100);
	double others = children_run(row) ? row->seconds : row->seconds - own;
	return (double)row->children * PROCESS_SECONDS > others / 2;
}

static void tell_calls(const struct tp_app_region_row *row, struct tp_str *out)
{
	if (row->calls[0])
		tp_str_printf(out, "; time in system calls: %s", row->calls);
}

static void tell_outside(const struct tp_app_region_row *row, struct tp_str *out)
{
	bool waits = is(row->bound, "waiting");
	if (waits && is_disturbed(row))
		tp_str_printf(out,
			      "it is kept from working: others have its CPUs for %.0f %% "
			      "of its time",
			      TP_MAX(row->waiting_percent, idle_percent(row)));
	else if (children_explain(row))
		tp_str_printf(out,
			      "it starts processes and waits for them: %llu, with %.0f %% of its "
			      "CPU time in the kernel and no CPU for %.0f %% of its time",
			      (unsigned long long)row->children, row->kernel_percent,
			      row->waiting_percent);
	else if (children_run(row))
		tp_str_printf(
			out,
			"it waits for processes that it started (%llu): these have its CPU time, "
			"and their instructions were not counted",
			(unsigned long long)row->children);
	else if (waits && waits_at_locks(row))
		tp_str_printf(out,
			      "its threads wait for each other, as at locks: %u of them have %.2g "
			      "CPUs in the mean",
			      row->busy_threads, row->mean_cpus);
	else if (waits && !outside(row))
		tp_str_printf(out, "its threads wait: %u of them have %.2g CPUs in the mean",
			      row->busy_threads, row->mean_cpus);
	else if (row->waiting_percent < MOSTLY_OUTSIDE && row->kernel_percent < MOSTLY_OUTSIDE)
		tp_str_printf(out,
			      "its own code has less than half of its time: it has no CPU for %.0f "
			      "%%, and the kernel takes %.0f %%",
			      row->waiting_percent, kernel_share(row));
	else if (waits)
		tp_str_printf(out, "it waits: it has no CPU for %.0f %% of its time",
			      row->waiting_percent);
	else
		tp_str_printf(out,
			      "its time goes into the kernel: %.0f %% of its CPU time, with %llu "
			      "page faults",
			      row->kernel_percent, (unsigned long long)row->page_faults);
	tell_calls(row, out);
}

static void tell_threads(const struct tp_app_region_row *row, struct tp_str *out)
{
	if (is(row->bound, "serial"))
		tp_str_printf(out,
			      "a serial phase: one thread does %.0f %% of the work in functions "
			      "where no other thread is; %.2g CPUs are busy in the mean",
			      row->alone_percent, row->mean_cpus);
	else if (is(row->bound, "balance"))
		tp_str_printf(
			out,
			"load imbalance: one of %u threads does %.0f %% of the work; %.2g CPUs "
			"are busy in the mean",
			row->busy_threads, row->most_percent, row->mean_cpus);
	else if (is(row->bound, "sharing"))
		tp_str_printf(out,
			      "its threads share cache lines: %.0f %% of the accesses that were "
			      "followed go to lines that another thread writes at the same time",
			      row->contested_percent);
	else if (sleeps_at_locks(row)) {
		tp_str_printf(out,
			      "locks: its threads wait for each other; the kernel takes %.0f %% of "
			      "its CPU time, and they have no CPU for %.0f %% of their time",
			      row->kernel_percent, idle_percent(row));
		tell_calls(row, out);
	} else
		tp_str_printf(out,
			      "locks and atomic instructions: its %.2g locked instructions take "
			      "%.0f %% of its time at least",
			      (double)row->locked, row->explained_percent);
}

static void tell_chain(const struct tp_app_region_row *row, const char *what, double percent,
		       struct tp_str *out)
{
	if (is(what, "latency") && !is_chained(row))
		tp_str_printf(out,
			      "latency of memory: it waits for single lines, %.2g from beyond the "
			      "first cache, %.3g ns for each",
			      far_lines(row), 1e9 * own_seconds(row) / far_lines(row));
	else if (is(what, "loads"))
		tp_str_printf(out, "loads: %.2g of them in each cycle",
			      (double)row->loads / (1e9 * row->clock_ghz * own_seconds(row)));
	else if (is(what, "issue"))
		tp_str_printf(out, "instructions: %.2g of them in each cycle",
			      (double)row->instructions /
				      (1e9 * row->clock_ghz * own_seconds(row)));
	else if (is(what, "latency"))
		tp_str_printf(
			out,
			"latency of memory: each of %.2g loads takes its address from the load "
			"before, and %.3g ns pass for each",
			(double)row->chained_loads,
			1e9 * own_seconds(row) / (double)row->chained_loads);
	else if (is(what, "divides"))
		tp_str_printf(out,
			      "divisions and roots: %.2g of them take %.0f %% of its time at least",
			      (double)row->fp_divides, percent);
	else
		tp_str_printf(out,
			      "latency of %s: in chains, each waits for the result of the one "
			      "before; that takes %.0f %% of its time",
			      row->chained_fp ? "floating-point instructions" : "instructions",
			      percent);
}

/* Only the agent follows addresses. */
static bool can_trace(const struct tp_app_region_row *row)
{
	return is(row->source, "agent");
}

/* What a program does that does not compute. */
static void tell_other(const struct tp_app_region_row *row, struct tp_str *out)
{
	double percent, per_cycle = 0;
	const char *what = taker(row, &percent);
	double all = (double)row->instructions;
	tp_str_printf(out,
		      "not a floating-point program: %.2g %% of its instructions compute in "
		      "floating point; ",
		      row->fp_percent);
	if (row->roof[0]) {
		tp_str_printf(out, "memory: its bytes come from %s, at %.0f %% of that roof",
			      row->roof, row->roof_percent);
		return;
	}
	if (what) {
		tell_chain(row, what, percent, out);
		return;
	}
	tp_str_printf(out, "%.0f %% are branches, %.0f %% load", 100 * (double)row->branches / all,
		      100 * (double)row->loads / all);
	if (row->clock_ghz > 0 && own_seconds(row) > 0)
		per_cycle = all / (1e9 * row->clock_ghz * own_seconds(row));
	if (per_cycle > 0)
		tp_str_printf(out, ", and %.2g execute in a cycle", per_cycle);
	if (per_cycle > 0 && branch_percent(row) >= TP_APP_TAKES_PERCENT)
		tp_str_add(out, ": branches that go another way than predicted may be the limit; "
				"counters of the CPU show that (perf stat -e branch-misses)");
	else if (per_cycle > 0 && per_cycle < 1 && !has_levels(row) && can_trace(row))
		tp_str_add(out, ": it waits, for memory perhaps, which app.levels shows");
}

static void tell_elsewhere(const struct tp_app_region_row *row, struct tp_str *out)
{
	if (is(row->bound, "differs"))
		tp_str_printf(out, "no verdict: the counted run %s differently from the timed ones",
			      row->prints_otherwise ? "printed" : "ended");
	else if (is(row->bound, "mpi"))
		tp_str_printf(out, "MPI: its ranks are in MPI for %.0f %% of their time",
			      row->mpi_percent);
	else if (is(row->bound, "waiting") || is(row->bound, "kernel"))
		tell_outside(row, out);
	else if (is(row->bound, "other"))
		tell_other(row, out);
	else
		tell_threads(row, out);
}

/* "62 % (59 to 65)" */
static void tell_range(const struct tp_app_region_row *row, struct tp_str *out)
{
	int digits = row->roof_percent < 10 ? 1 : 0;
	char low[24], high[24];
	snprintf(low, sizeof(low), "%.*f", digits, row->roof_percent_low);
	snprintf(high, sizeof(high), "%.*f", digits, row->roof_percent_high);
	tp_str_printf(out, "%.*f %%", digits, row->roof_percent);
	if (row->roof_percent_low > 0 && strcmp(low, high) != 0)
		tp_str_printf(out, " (%s to %s)", low, high);
}

const char *tp_app_units(const struct tp_app_region_row *row)
{
	return row->scalar_percent >= 50 ? "scalar FP"
	       : row->sse_percent >= 50	 ? "128-bit FP"
	       : row->avx_percent >= 50	 ? "256-bit FP"
	       : row->fma_percent < 50	 ? "FP without FMA"
					 : "its FP instructions";
}

bool tp_app_is_at_units(const struct tp_app_region_row *row)
{
	return row->explained_percent > 0 && is(row->bound, "compute");
}

/* Its speed is below a roof of memory, and nothing shows that its bytes come from there. */
static bool is_guess(const struct tp_app_region_row *row)
{
	return is(row->bound, "memory") && !has_levels(row) && row->roof_percent < NEAR_PERCENT;
}

static void tell_roof(const struct tp_app_region_row *row, struct tp_str *out)
{
	bool peak = strcmp(row->roof, "FP") == 0;
	char roof[32] = "peak";
	if (!peak)
		snprintf(roof, sizeof(roof), "%s roof", row->roof);
	if (tp_app_is_at_units(row))
		tp_str_printf(out, "compute-bound: at %.0f %% of what %s allows; at ",
			      row->explained_percent, tp_app_units(row));
	else if (row->explained_percent > 0) {
		tell_chain(row, row->bound, row->explained_percent, out);
		tp_str_add(out, "; at ");
	} else if (is(row->bound, "neither"))
		/* Its side of the ridge decides which roof is above it. */
		tp_str_printf(out, "%s-bound by its intensity, but far below the %s: at ",
			      peak ? "compute" : "memory", roof);
	else
		tp_str_printf(out, "%s-bound%s: under the %s, at ", peak ? "compute" : "memory",
			      is_guess(row) ? " perhaps" : "", roof);
	tell_range(row, out);
	if (row->explained_percent > 0)
		tp_str_printf(out, " of the %s", roof);
	else
		tp_str_add(out, " of it");
	tp_str_printf(out, "; %.3g FLOP/byte", row->ai_flop_per_byte);
	if (is(row->bound, "neither"))
		tp_str_printf(out, "; what was counted does not show what it waits for%s",
			      has_levels(row) || !can_trace(row) ? "" : ", app.levels may");
	if (row->explained_percent > 0 || peak)
		return;
	if (is_guess(row) && can_trace(row))
		tp_str_add(out, "; app.levels shows where its bytes come from");
	if (has_levels(row))
		tp_str_printf(out, "; by the bytes that come from %s", row->roof);
	else if (row->above[0])
		tp_str_printf(out, "; above the roof of %s, so nearer caches serve it", row->above);
}

void tp_app_sentence(const struct tp_app_region_row *row, struct tp_str *out)
{
	if (!(row->seconds > 0) && !row->bound[0] && tp_app_flops(row)) {
		tp_str_printf(out, "it was not timed; %.3g FLOP/byte", row->ai_flop_per_byte);
	} else if (!row->bound[0] && !tp_app_flops(row)) {
		tp_str_add(out, "it computes nothing in floating point, so no roof limits it");
	} else if (!row->bound[0] && row->above[0]) {
		tp_str_printf(out,
			      "above every measured roof (the highest is %s): measure "
			      "both again; %.3g FLOP/byte, %.3g GFLOP/s",
			      row->above, row->ai_flop_per_byte, row->gflops);
	} else if (!row->bound[0] && row->other_hosts_percent > 0) {
		tp_str_printf(out,
			      "%.0f %% of its instructions were executed on other hosts, and the "
			      "roofs belong to this one; %.3g FLOP/byte, %.3g GFLOP/s",
			      row->other_hosts_percent, row->ai_flop_per_byte, row->gflops);
	} else if (!row->bound[0]) {
		tp_str_printf(out, "no roofs were measured for it; %.3g FLOP/byte, %.3g GFLOP/s",
			      row->ai_flop_per_byte, row->gflops);
	} else if (row->roof[0] && !is(row->bound, "other")) {
		tell_roof(row, out);
	} else {
		tell_elsewhere(row, out);
	}
	if (is_disturbed(row) && !is(row->bound, "waiting"))
		tp_str_printf(out, "; others have its CPUs for %.0f %% of its time",
			      row->waiting_percent);
}

/* --- how far to trust it --- */

struct verdict {
	struct tp_str reasons;
	int worst; /* 0 good, 1 fair, 2 poor */
};

static void __attribute__((format(printf, 3, 4)))
doubt(struct verdict *v, int how, const char *format, ...)
{
	char text[160];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	v->worst = TP_MAX(v->worst, how);
	tp_str_printf(&v->reasons, "%s%s", v->reasons.len ? "; " : "", text);
}

static void judge_time(struct verdict *v, const struct tp_app_region_row *row)
{
	char text[48];
	double spread = row->seconds > 0 && row->seconds_high > 0
				? (row->seconds_high - row->seconds_low) / 2 / row->seconds
				: 0;
	if (!(row->seconds > 0)) {
		doubt(v, 2, "it was not timed");
		return;
	}
	if (row->timed_runs < 2)
		doubt(v, 1, "it was timed once");
	if (spread > FAIR_SPREAD)
		doubt(v, spread > POOR_SPREAD ? 2 : 1, "its times differ by %.0f %%", 100 * spread);
	if (strcmp(row->region, TP_APP_PROGRAM) == 0) {
		if (row->seconds < SHORT_PROGRAM)
			doubt(v, 1, "it takes %s: including its start",
			      tp_format_seconds(text, sizeof(text), row->seconds));
		return;
	}
	double entry = row->timed_entries ? row->seconds / (double)row->timed_entries : INFINITY;
	if (entry < FAIR_ENTRY)
		doubt(v, entry < POOR_ENTRY ? 2 : 1,
		      "an entry lasts %s, and reading the clock takes "
		      "part of that",
		      tp_format_seconds(text, sizeof(text), entry));
	double apart = fabs((double)row->timed_entries - (double)row->entries);
	if (apart > ENTRIES_ALIKE * (double)row->entries)
		doubt(v, 2, "it was entered %llu times when counted, %llu when timed",
		      (unsigned long long)row->entries, (unsigned long long)row->timed_entries);
}

void tp_app_judge(struct tp_app_region_row *row, const struct tp_app_roofs *roofs, unsigned signal)
{
	static const char *const words[] = { "good", "fair", "poor" };
	struct verdict v = { 0 };
	if (signal)
		doubt(&v, 2, "the program died of signal %u", signal);
	if (row->differs)
		doubt(&v, 2, "it %s differently when it was counted",
		      row->prints_otherwise ? "printed" : "ended");
	if (row->incomplete)
		doubt(&v, 2, "a part of it ran uncounted");
	if (row->unended)
		doubt(&v, 1, "it was entered and never left");
	/* Shares of threads, and the part between regions, have only counts. */
	if (strcmp(row->region, TP_APP_OUTSIDE) != 0)
		judge_time(&v, row);
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
		if (roofs->poor[l] && strcmp(row->roof, tp_app_level_names[l]) == 0)
			doubt(&v, 1, "the roof of %s is of poor quality", row->roof);
	if (roofs->poor_peak && strcmp(row->roof, "FP") == 0)
		doubt(&v, 1, "the peak is of poor quality");
	tp_copy(row->trust, sizeof(row->trust), words[v.worst]);
	tp_copy(row->reasons, sizeof(row->reasons), tp_str_text(&v.reasons));
	tp_str_release(&v.reasons);
}

/* From these shares on a rule speaks. */
#define MUCH_SCALAR  20.0
#define MUCH_NARROW  50.0
#define FEW_FUSED    50.0
#define MORE_THREADS 1.15 /* a larger team must be faster by this factor */
#define FAR_LEVEL    2 /* L3: what comes from there or beyond is far */
#define MUCH_FAR     50.0 /* percent of bytes */

struct advising {
	const struct tp_app_region_row *row;
	const struct tp_app_roofs *roofs;
	struct tp_app_advice *advice;
	size_t n;
};

static void __attribute__((format(printf, 3, 4)))
add(struct advising *a, enum tp_app_move move, const char *format, ...)
{
	va_list ap;
	if (a->n == TP_APP_MOVES_MAX)
		return;
	struct tp_app_advice *advice = &a->advice[a->n++];
	*advice = (struct tp_app_advice){ .move = move };
	va_start(ap, format);
	vsnprintf(advice->text, sizeof(advice->text), format, ap);
	va_end(ap);
}

/* The place of the dot if the last advice is followed and helps. */
static void __attribute__((format(printf, 4, 5)))
would_be(struct advising *a, double ai, double gflops, const char *format, ...)
{
	struct tp_app_advice *advice = &a->advice[a->n - 1];
	va_list ap;
	if (!(gflops > a->row->gflops * (1 + ON_ROOF)))
		return;
	advice->ai_flop_per_byte = ai;
	advice->gflops = gflops;
	va_start(ap, format);
	vsnprintf(advice->assumes, sizeof(advice->assumes), format, ap);
	va_end(ap);
}

/* FLOPs for each byte that comes from a level or from beyond it. */
static double level_ai(const struct tp_app_region_row *row, int level)
{
	double bytes = 0;
	for (int l = level; l < TP_APP_ROOF_LEVELS; l++)
		bytes += row->level_bytes[l];
	return bytes > 0 ? (double)tp_app_flops(row) / bytes : 0;
}

/* The intensity of the dot below its roof. */
static double dot_ai(const struct advising *a)
{
	const int level = slowest_level(a->row, a->roofs);
	return level < 0 ? a->row->ai_flop_per_byte
			 : (double)tp_app_flops(a->row) / a->row->level_bytes[level];
}

static void would_reach_roof(struct advising *a, const char *how)
{
	const bool peak = is(a->row->roof, "FP");
	would_be(a, dot_ai(a), a->row->roof_gflops, "%s: at the %s%s", how,
		 peak ? "peak" : a->row->roof, peak ? "" : " roof");
}

/* --- rules --- */

/* Wider instructions do nothing for a program that waits for memory nearly all the time. */
static void advise_vectors(struct advising *a)
{
	static const unsigned bits[] = { 128, 256, 512 };
	const struct tp_app_region_row *row = a->row;
	const double percent[] = { row->sse_percent, row->avx_percent, row->avx512_percent };
	unsigned widest = a->roofs->vector_bits;
	if (is(row->bound, "memory") && row->roof_percent >= NEAR_PERCENT)
		return;
	if (row->scalar_percent >= MUCH_SCALAR) {
		char lanes[64] = "";
		if (widest > lane_bits(row))
			snprintf(lanes, sizeof(lanes), "; a vector of this CPU holds %u %s numbers",
				 widest / lane_bits(row), row->precision);
		add(a, TP_APP_MOVE_VECTORISE, "Vectorise: %.0f %% of its FLOPs are scalar%s.",
		    row->scalar_percent, lanes);
		if (*lanes)
			would_reach_roof(a, "vectorised");
		return;
	}
	double narrow = row->scalar_percent;
	unsigned mostly = 0;
	for (int i = 0; i < 3; i++)
		if (bits[i] < widest && percent[i] > 0) {
			narrow += percent[i];
			mostly = bits[i];
		}
	if (!mostly || narrow < MUCH_NARROW)
		return;
	add(a, TP_APP_MOVE_WIDEN,
	    "Use wider vectors: %.0f %% of its FLOPs are in vectors of %u bits or less, "
	    "and this CPU has %u (-march=native).",
	    narrow, mostly, widest);
	would_reach_roof(a, "in wider vectors");
}

static void advise_fma(struct advising *a)
{
	if (is(a->row->bound, "compute") && a->roofs->peak_gflops > 0 &&
	    a->row->fma_percent < FEW_FUSED && !is(a->row->precision, "half"))
		add(a, TP_APP_MOVE_FMA,
		    "Use fused multiply-adds: they do %.0f %% of its FLOPs, and the peak of %.3g "
		    "GFLOP/s is reached only with them (-march=native -ffp-contract=fast).",
		    a->row->fma_percent, a->roofs->peak_gflops);
}

/* The measured level that is next nearer to the core than the row's roof; -1 = none. */
static int nearer_level(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	int at = -1, nearer = -1;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
		if (is(row->roof, tp_app_level_names[l]))
			at = l;
	for (int l = 0; l < at; l++)
		if (roofs->gbps[l] > row->roof_gbps)
			nearer = l;
	return nearer;
}

/*
 * With the model of the caches, bytes of its roof would come from L2, if that is nearer. Otherwise
 * its intensity stays, and the move is unknown.
 */
static void advise_blocks(struct advising *a)
{
	enum { L2 = 1 };
	const struct tp_app_region_row *row = a->row;
	const bool known = has_levels(row);
	int level = nearer_level(row, a->roofs);
	if (known && level > L2 && a->roofs->gbps[L2] > row->roof_gbps)
		level = L2;
	if (level < 0)
		return;
	const double ai = known ? level_ai(row, level) : row->ai_flop_per_byte;
	const double gflops = roof_at(a->roofs, level, ai);
	const char *name = tp_app_level_names[level];
	add(a, TP_APP_MOVE_BLOCK,
	    "Block its loops so that data stay in %s: at %.3g FLOP/byte that gives up to "
	    "%.3g GFLOP/s, %s %.3g.",
	    name, ai, gflops, row->roof, row->roof_gflops);
	if (known)
		would_be(a, ai, gflops, "blocked to %s: at its roof", name);
}

static void advise_memory(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	if (!is(row->bound, "memory"))
		return;
	advise_blocks(a);
	if (row->ridge_flop_per_byte > row->ai_flop_per_byte)
		add(a, TP_APP_MOVE_INTENSITY,
		    "Raise its intensity: under the %s roof the peak needs %.3g FLOP/byte, and it "
		    "has %.3g. Keep values in registers, fuse loops, use smaller numbers.",
		    row->roof, row->ridge_flop_per_byte, row->ai_flop_per_byte);
}

static void advise_threads(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	const struct tp_app_roofs *roofs = a->roofs;
	/* Roofs of more threads than work are not needed for its place. */
	if (roofs->threads && row->busy_threads >= roofs->most_threads &&
	    row->busy_threads < row->threads)
		add(a, TP_APP_MOVE_THREADS,
		    "%u of %u CPUs work%s; app.roofs=all measures what more threads would get.",
		    row->busy_threads, row->threads, row->busy_threads == 1 ? "s" : "");
	if (!row->busy_threads || row->busy_threads >= roofs->most_threads)
		return;
	bool memory = is(row->bound, "memory") && is(row->roof, "DRAM");
	double own = memory ? row->roof_gbps : roofs->peak_gflops;
	double most = memory ? roofs->most_gbps : roofs->most_peak_gflops;
	/* Its own roofs are for a larger team than the threads that work. */
	if (roofs->threads >= roofs->most_threads) {
		add(a, TP_APP_MOVE_THREADS, "Use more threads: %u of %u work%s.", row->busy_threads,
		    roofs->most_threads, row->busy_threads == 1 ? "s" : "");
		return;
	}
	if (!(own > 0) || most < MORE_THREADS * own)
		return;
	add(a, TP_APP_MOVE_THREADS,
	    "Use more threads: %s; %u threads get %.2g times as much (%.3g instead of "
	    "%.3g %s).",
	    row->busy_threads == 1 ? "one works, the other CPUs idle" : "not all CPUs have one",
	    roofs->most_threads, most / own, most, own, memory ? "GB/s from DRAM" : "GFLOP/s");
	/* What more threads get of the caches was not measured. */
	double gflops = row->gflops * most / own;
	if (is(row->roof, "DRAM") && roofs->most_gbps > 0)
		gflops = fmin(gflops, roofs->most_gbps * dot_ai(a));
	if (memory || !is(row->bound, "memory"))
		would_be(a, dot_ai(a), gflops, "%u threads: %.2gx, as %s", roofs->most_threads,
			 gflops / row->gflops, memory ? "DRAM" : "the peak");
}

/* No roof limits it, so it waits. If most lines come from far away, it waits for them. */
static void advise_waiting(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	double far = 0, all = 0;
	if (!is(row->bound, "neither"))
		return;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		all += row->level_bytes[l];
		far += l >= FAR_LEVEL ? row->level_bytes[l] : 0;
	}
	if (far > MUCH_FAR / 100 * all)
		add(a, TP_APP_MOVE_LATENCY,
		    "Order its data so that neighbours in memory are used together: %.0f %% of "
		    "what it takes comes from %s or beyond, at %.3g GB/s, so it waits for single "
		    "lines.",
		    100 * far / all, tp_app_level_names[FAR_LEVEL], row->gbps);
	else
		add(a, TP_APP_MOVE_LATENCY,
		    "It moves %.3g GB/s and computes %.3g GFLOP/s, so it waits: for results of "
		    "earlier instructions, for single loads, for branches, or for other threads.",
		    row->gbps, row->gflops);
}

/* How much faster it is if all threads have equal parts. */
static void advise_sharing_out(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	double most = is(row->bound, "serial") ? row->alone_percent : row->most_percent;
	double others = is(row->bound, "serial") ? 100 - most : 0;
	/* Its own time is the busiest thread's; divided equally, all have the same part. */
	double faster = (most + others / could_have(row)) / (100 / could_have(row));
	if (is(row->bound, "serial"))
		add(a, TP_APP_MOVE_THREADS,
		    "Let all threads do the work of that phase, too: at best that is %.2g times as "
		    "fast. More threads do not help by themselves.",
		    faster);
	else
		add(a, TP_APP_MOVE_THREADS,
		    "Give every thread an equal part (smaller pieces, schedule(dynamic)): at best "
		    "that is %.2g times as fast.",
		    faster);
}

static void advise_outside(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	if (is_disturbed(row))
		add(a, TP_APP_MOVE_ELSEWHERE, "Measure it while its CPUs are free.");
	else if (children_explain(row))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Start fewer processes: do their work in this one, or give each of them more.");
	else if (is(row->bound, "waiting"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look for what it waits for: input, files, other processes, locks, sleep. "
		    "The experiment profile shows when (cpu, io and context switches over time).");
	else if (faults_explain(row))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Its page faults explain that: use memory again instead of asking for new "
		    "memory, or have larger pages: GLIBC_TUNABLES=glibc.malloc.hugetlb=1 before "
		    "the command.");
	else
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at its system calls (strace -c -f before the command): fewer and larger "
		    "ones, and fewer processes, take less of the kernel.");
}

/* Each explains how to see more. */
static void advise_elsewhere(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	const char *where = row->bound;
	if (is(where, "differs") && row->prints_otherwise)
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Usual causes: times, process numbers, addresses, random numbers or progress "
		    "in its output; input that only its first run finds; the order of its threads. "
		    "Or counting changes it: --app-source qemu compares.");
	else if (is(where, "differs"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at its output and status: does it need input, or files that its first "
		    "run takes away? Does it look at itself, as a debugger or a packer does?");
	else if (is(where, "mpi"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Where one rank is slow, the others wait for it: share its work out. Else "
		    "send fewer and larger messages, or start fewer ranks with more work each.");
	else if (is(where, "waiting") || is(where, "kernel"))
		advise_outside(a);
	else if (is(where, "serial") || is(where, "balance"))
		advise_sharing_out(a);
	else if (is(where, "sharing"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Give each thread its own cache lines: align what it writes to 64 bytes, "
		    "or sum up in local variables and write once.");
	else if (is(where, "locks"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Lock less often: do more work under one lock, or let each thread have its own "
		    "data and put them together at the end.");
	else
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at the functions and classes of instructions below: they show what it "
		    "does instead. perf record finds branches and cache misses.");
}

/* What it waits for, if not a roof. */
static void advise_taker(struct advising *a)
{
	const char *what = a->row->bound;
	if (is(what, "chain"))
		add(a, TP_APP_MOVE_LATENCY,
		    "Have several chains at once: more accumulators, or loops that the compiler "
		    "may "
		    "reorder (-O3 -fassociative-math -fno-signed-zeros -fno-trapping-math).");
	else if (is(what, "divides"))
		add(a, TP_APP_MOVE_LATENCY,
		    "Divide less: multiply by a reciprocal that is computed once, or divide in "
		    "vectors.");
	else if (is(what, "latency"))
		add(a, TP_APP_MOVE_LATENCY,
		    "Order its data so that neighbours in memory are used together, or follow "
		    "several chains at once.");
}

size_t tp_app_advise(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs,
		     struct tp_app_advice advice[TP_APP_MOVES_MAX])
{
	struct advising a = { .row = row, .roofs = roofs, .advice = advice };
	bool is_elsewhere = row->bound[0] && (!row->roof[0] || is(row->bound, "other"));
	if (!(row->seconds > 0) || (!tp_app_flops(row) && !is_elsewhere))
		return 0;
	/* If the runs differ, the sentence already reports it, and others would differ, too. */
	if (is(row->trust, "poor") && !row->differs)
		add(&a, TP_APP_MOVE_AGAIN, "Measure it again before you change anything: %s.",
		    row->reasons);
	if (is_elsewhere) {
		advise_elsewhere(&a);
		return a.n;
	}
	advise_taker(&a);
	advise_waiting(&a);
	advise_vectors(&a);
	advise_memory(&a);
	advise_fma(&a);
	advise_threads(&a);
	return a.n;
}

/* Of the time of a start, the day. */
enum { DATE_COLUMNS = 10 };

/* The smaller one of two teams that are large enough, else the larger one. */
static void prefer(unsigned *team, unsigned threads, unsigned least)
{
	if (*team < least ? threads > *team : threads >= least && threads < *team)
		*team = threads;
}

unsigned tp_app_team(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_point *p = tp_run_point(run, row->point);
	unsigned wanted = p ? tp_app_row(p)->wanted_threads : 0, team = 0;
	unsigned least = wanted ? wanted : TP_MAX(row->busy_threads, 1u);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run == row->run)
			prefer(&team, r->threads, least);
	}
	TP_EACH_POINT (q, run) {
		if (q->run == row->run && !tp_point_is_app(q) &&
		    (q->state == TP_POINT_PLANNED || q->state == TP_POINT_DONE))
			prefer(&team, q->threads, least);
	}
	return team && !tp_app_is_whole(row) ? 1 : team;
}

/* Some teams are measured after the program: until then it has no roofs. */
static unsigned team_of(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const unsigned team = tp_app_team(run, row);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run == row->run && r->threads == team)
			return team;
	}
	return 0;
}

static unsigned bits_of(const char *isa)
{
	static const struct {
		const char *isa;
		unsigned bits;
	} known[] = { { "avx512", 512 }, { "avx2", 256 }, { "avx", 256 },
		      { "sse", 128 },	 { "neon", 128 }, { "asimd", 128 } };
	for (size_t i = 0; i < TP_COUNT_OF(known); i++)
		if (strcmp(isa, known[i].isa) == 0)
			return known[i].bits;
	return 0;
}

/* A peak is of a precision; bandwidths are of none. */
static void take(const struct tp_roof *r, const char *precision, struct tp_app_roofs *roofs)
{
	/* Where others disturbed most windows, the best one is the better estimate. */
	const double height = r->quality == TP_QUALITY_POOR ? r->best : r->median;
	if (tp_roof_is_peak(r)) {
		if (strcmp(r->precision, precision) == 0 && r->threads == roofs->threads) {
			roofs->peak_gflops = fmax(roofs->peak_gflops, height);
			roofs->peak_part = (r->ci_high - r->ci_low) / 2 / r->median;
			roofs->vector_bits = bits_of(r->isa);
			roofs->poor_peak = r->quality == TP_QUALITY_POOR;
		}
		if (strcmp(r->precision, precision) == 0 && r->threads == roofs->most_threads)
			roofs->most_peak_gflops = fmax(roofs->most_peak_gflops, height);
		return;
	}
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		if (strcmp(r->level, tp_app_level_names[l]) != 0)
			continue;
		if (r->threads == roofs->threads) {
			roofs->gbps[l] = fmax(roofs->gbps[l], height);
			roofs->gbps_part[l] = (r->ci_high - r->ci_low) / 2 / r->median;
			roofs->poor[l] = r->quality == TP_QUALITY_POOR;
		}
		if (r->threads == roofs->most_threads && l == TP_APP_ROOF_LEVELS - 1)
			roofs->most_gbps = fmax(roofs->most_gbps, height);
	}
}

void tp_app_find_roofs(const struct tp_run *run, const struct tp_app_region_row *row,
		       struct tp_app_roofs *roofs)
{
	*roofs = (struct tp_app_roofs){ 0 };
	if (row->other_hosts_percent > 0)
		return;
	roofs->threads = team_of(run, row);
	for (size_t i = 0; i < tp_run_n_roofs(run); i++)
		if (tp_run_roofs(run)[i].run == row->run)
			roofs->most_threads =
				TP_MAX(roofs->most_threads, tp_run_roofs(run)[i].threads);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run != row->run || !(r->median > 0) || !isfinite(r->median))
			continue;
		take(r, row->precision, roofs);
		const struct tp_point *p = tp_run_point(run, r->point);
		if (p && r->threads == roofs->threads)
			roofs->clock_ghz = fmax(roofs->clock_ghz, p->core_ghz);
	}
	/* The counts of half precision and of the x87 unit have no peak. */
	if (row->flops_x87 > row->flops_dp + row->flops_sp)
		roofs->peak_gflops = roofs->most_peak_gflops = 0;
}

/* Of another run; false and nothing if this run measured them. */
static bool tell_reused(const struct tp_run *run, struct tp_str *out)
{
	const struct tp_fact *from = tp_run_fact(run, TP_REUSED_RUN),
			     *started = tp_run_fact(run, TP_REUSED_STARTED),
			     *part = tp_run_fact(run, TP_REUSED_PART);
	if (!from)
		return false;
	if (part) {
		tp_str_add_clean(out, part->text, false);
		tp_str_add(out, " roofs come from run ");
	} else {
		tp_str_add(out, "Roofs of run ");
	}
	tp_str_add_clean(out, from->text, false);
	/* "2026-11-23T22:47:17Z" */
	if (started && strlen(started->text) > DATE_COLUMNS)
		tp_str_printf(out, ", measured %.*s", DATE_COLUMNS, started->text);
	tp_str_add(out, "; app.roofs=measure measures all of them again.");
	return true;
}

/* A roof of that team in that state. */
static bool has_roof(const struct tp_run *run, unsigned threads, enum tp_point_state state)
{
	TP_EACH_POINT (p, run) {
		if (!tp_point_is_app(p) && p->threads == threads && p->state == state)
			return true;
	}
	return false;
}

static bool tell_unneeded(const struct tp_run *run, struct tp_str *out)
{
	unsigned told = 0;
	TP_EACH_POINT (p, run) {
		if (p->state != TP_POINT_UNNEEDED || p->threads <= told ||
		    has_roof(run, p->threads, TP_POINT_DONE))
			continue;
		tp_str_printf(out, "%s%u",
			      told	 ? " and "
			      : out->len ? " Roofs of "
					 : "Roofs of ",
			      p->threads);
		told = p->threads;
	}
	if (told)
		tp_str_printf(out, " thread%s were not needed; app.roofs=all measures them, too.",
			      told == 1 ? "" : "s");
	return told;
}

bool tp_app_roofs_text(const struct tp_run *run, struct tp_str *out)
{
	const bool reused = tell_reused(run, out);
	return tell_unneeded(run, out) || reused;
}
