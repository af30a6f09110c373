/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a region stands below the roofs of its run, and what would move it up to its roof, or the
 * roof up. Each rule looks at the row alone, and says the numbers that it goes by.
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

/* --- the place --- */

/* Lowest roof that allows the speed, and highest one that does not. */
static void find_roof(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double best = INFINITY, below = 0, ai = row->ai_flop_per_byte;
	const double peak = roofs->peak_gflops;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		if (!(roofs->gbps[l] > 0))
			continue;
		double slope = roofs->gbps[l] * ai;
		double roof = peak > 0 ? tp_roof_attainable(peak, roofs->gbps[l], ai) : slope;
		bool allows = row->gflops <= roof * (1 + ON_ROOF);
		if (allows && roof < best) {
			bool computes = peak > 0 && slope >= peak;
			best = roof;
			tp_copy(row->roof, sizeof(row->roof),
				computes ? "FP" : tp_app_level_names[l]);
			row->roof_gbps = computes ? 0 : roofs->gbps[l];
			row->ridge_flop_per_byte = tp_roof_ridge(peak, roofs->gbps[l]);
		}
		if (!allows && roof > below) {
			below = roof;
			tp_copy(row->above, sizeof(row->above), tp_app_level_names[l]);
		}
	}
	row->roof_gflops = isfinite(best) ? best : 0;
}

/* From these shares on, in percent, time goes where no roof is; and up to this one, to no FLOPs. */
#define MOSTLY_WAITS  50.0
#define MOSTLY_KERNEL 50.0
#define HARDLY_FP     5.0

/* What keeps roofs from limiting: "waiting", "kernel", "other"; NULL = nothing. */
static const char *elsewhere(const struct tp_app_region_row *row)
{
	return row->differs					    ? "differs"
	       : row->waiting_percent >= MOSTLY_WAITS		    ? "waiting"
	       : row->kernel_percent >= MOSTLY_KERNEL		    ? "kernel"
	       : row->fp_percent > 0 && row->fp_percent < HARDLY_FP ? "other"
								    : NULL;
}

void tp_app_place(struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double flops = (double)tp_app_flops(row), bytes = (double)tp_app_bytes(row);
	row->ai_flop_per_byte = bytes > 0 ? flops / bytes : 0;
	row->gflops = row->seconds > 0 ? 1e-9 * flops / row->seconds : 0;
	row->gbps = row->seconds > 0 ? 1e-9 * bytes / row->seconds : 0;
	row->bound[0] = row->roof[0] = row->above[0] = '\0';
	row->roof_gflops = row->roof_gbps = row->roof_percent = row->ridge_flop_per_byte = 0;
	row->roof_threads = roofs->threads;
	row->peak_gflops = roofs->peak_gflops;
	if (elsewhere(row)) {
		tp_copy(row->bound, sizeof(row->bound), elsewhere(row));
		return;
	}
	if (!(row->gflops > 0) || !(row->ai_flop_per_byte > 0))
		return;
	find_roof(row, roofs);
	if (!(row->roof_gflops > 0))
		return;
	row->roof_percent = 100 * row->gflops / row->roof_gflops;
	tp_copy(row->bound, sizeof(row->bound),
		row->roof_percent < TP_APP_LIMITS_PERCENT ? "neither"
		: strcmp(row->roof, "FP") == 0		  ? "compute"
							  : "memory");
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

/* Most of the time in the kernel is that of page faults. */
static bool faults_explain(const struct tp_app_region_row *row)
{
	double kernel = row->seconds * (1 - row->waiting_percent / 100) * row->kernel_percent / 100;
	return (double)row->page_faults * FAULT_SECONDS > kernel;
}

static void tell_elsewhere(const struct tp_app_region_row *row, struct tp_str *out)
{
	const char *where = elsewhere(row);
	if (is(where, "differs"))
		tp_str_add(out, "no verdict: the run that was counted ended otherwise than the "
				"ones that were timed");
	else if (is(where, "waiting"))
		tp_str_printf(out,
			      row->preempted
				      ? "it is kept from working: other programs have its CPUs "
					"for %.0f %% of its time"
				      : "it waits: it has no CPU for %.0f %% of its time",
			      row->waiting_percent);
	else if (is(where, "kernel"))
		tp_str_printf(out,
			      "its time goes into the kernel: %.0f %% of its CPU time, with %llu "
			      "page faults",
			      row->kernel_percent, (unsigned long long)row->page_faults);
	else
		tp_str_printf(
			out,
			"not a floating-point program: %.2g %% of its instructions compute in "
			"floating point, so roofs do not limit it",
			row->fp_percent);
}

void tp_app_sentence(const struct tp_app_region_row *row, struct tp_str *out)
{
	if (elsewhere(row)) {
		tell_elsewhere(row, out);
		return;
	}
	if (!tp_app_flops(row)) {
		tp_str_add(out,
			   "it computes nothing in floating point, so roofs say nothing of it");
		return;
	}
	if (!(row->seconds > 0)) {
		tp_str_printf(out, "it was not timed; %.3g FLOP/byte", row->ai_flop_per_byte);
		return;
	}
	if (!row->bound[0] && row->above[0]) {
		tp_str_printf(out,
			      "above every measured roof (that of %s is the highest): measure "
			      "both again; %.3g FLOP/byte, %.3g GFLOP/s",
			      row->above, row->ai_flop_per_byte, row->gflops);
		return;
	}
	if (!row->bound[0]) {
		tp_str_printf(out, "no roofs were measured for it; %.3g FLOP/byte, %.3g GFLOP/s",
			      row->ai_flop_per_byte, row->gflops);
		return;
	}
	bool peak = strcmp(row->roof, "FP") == 0;
	char roof[32] = "peak";
	if (!peak)
		snprintf(roof, sizeof(roof), "%s roof", row->roof);
	/* Its side of the ridge says which roof is above it, even where it waits for something
	 * else. */
	if (strcmp(row->bound, "neither") == 0)
		tp_str_printf(out,
			      "%s-bound by its intensity, but far below the %s: at %.2g %% of it; "
			      "%.3g FLOP/byte",
			      peak ? "compute" : "memory", roof, row->roof_percent,
			      row->ai_flop_per_byte);
	else
		tp_str_printf(out, "%s-bound: under the %s, at %.0f %% of it; %.3g FLOP/byte",
			      peak ? "compute" : "memory", roof, row->roof_percent,
			      row->ai_flop_per_byte);
	if (row->above[0] && !peak)
		tp_str_printf(out, "; above the roof of %s, so nearer caches serve it", row->above);
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
			doubt(v, 1, "it takes %s: starting it is a part of that",
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
		doubt(&v, 2, "it ended otherwise when it was counted");
	if (row->incomplete)
		doubt(&v, 2, "a part of it ran uncounted");
	if (row->unended)
		doubt(&v, 1, "it was entered and never left");
	/* Shares of threads, and what lies between regions, have counts alone. */
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
#define NEAR_PERCENT 80.0 /* of a roof: what lies below the memory roof does not matter */
#define MORE_THREADS 1.15 /* so much more a larger team must get */
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
	advice->move = move;
	va_start(ap, format);
	vsnprintf(advice->text, sizeof(advice->text), format, ap);
	va_end(ap);
}

/* --- rules --- */

static unsigned lane_bits(const struct tp_app_region_row *row)
{
	return is(row->precision, "single") ? 32 : is(row->precision, "half") ? 16 : 64;
}

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
		return;
	}
	double narrow = row->scalar_percent;
	unsigned mostly = 0;
	for (int i = 0; i < 3; i++)
		if (bits[i] < widest && percent[i] > 0) {
			narrow += percent[i];
			mostly = bits[i];
		}
	if (mostly && narrow >= MUCH_NARROW)
		add(a, TP_APP_MOVE_WIDEN,
		    "Use wider vectors: %.0f %% of its FLOPs are in vectors of %u bits or less, "
		    "and this CPU has %u (-march=native).",
		    narrow, mostly, widest);
}

static void advise_fma(struct advising *a)
{
	if (is(a->row->bound, "compute") && a->roofs->peak_gflops > 0 &&
	    a->row->fma_percent < FEW_FUSED && !is(a->row->precision, "half"))
		add(a, TP_APP_MOVE_FMA,
		    "Use fused multiply-adds: %.0f %% of its FLOPs are in such, and the peak of "
		    "%.3g GFLOP/s is that of nothing else (-march=native -ffp-contract=fast).",
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

static void advise_memory(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	int level = nearer_level(row, a->roofs);
	if (!is(row->bound, "memory"))
		return;
	if (level >= 0)
		add(a, TP_APP_MOVE_BLOCK,
		    "Block its loops so that data stay in %s: at %.3g FLOP/byte that gives up to "
		    "%.3g GFLOP/s, %s %.3g.",
		    tp_app_level_names[level], row->ai_flop_per_byte,
		    row->peak_gflops > 0 &&
				    a->roofs->gbps[level] * row->ai_flop_per_byte > row->peak_gflops
			    ? row->peak_gflops
			    : a->roofs->gbps[level] * row->ai_flop_per_byte,
		    row->roof, row->roof_gflops);
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
	if (!row->busy_threads || row->busy_threads >= roofs->most_threads)
		return;
	bool memory = is(row->bound, "memory") && is(row->roof, "DRAM");
	double own = memory ? row->roof_gbps : roofs->peak_gflops;
	double most = memory ? roofs->most_gbps : roofs->most_peak_gflops;
	/* Its own roofs are those of a team that is larger than what works. */
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
}

/* No roof limits it, so it waits. Where most lines come from far away, it is they that it waits
 * for. */
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
		    "earlier instructions, for single loads, for branches, or for other threads%s.",
		    row->gbps, row->gflops, all > 0 ? "" : " (--levels tells where loads go)");
}

/* Each says how to see more. */
static void advise_elsewhere(struct advising *a)
{
	const struct tp_app_region_row *row = a->row;
	const char *where = elsewhere(row);
	if (is(where, "differs"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at its output and status: does it need input, or files that its first "
		    "run takes away? Does it look at itself, as a debugger or a packer does?");
	else if (is(where, "waiting") && row->preempted)
		add(a, TP_APP_MOVE_ELSEWHERE, "Measure it while its CPUs are free.");
	else if (is(where, "waiting"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look for what it waits for: input, files, other processes, locks, sleep. "
		    "tprof --profile shows when (cpu, io and context switches over time).");
	else if (is(where, "kernel") && faults_explain(row))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Its page faults explain that: use memory again instead of asking for new "
		    "memory, or have larger pages: GLIBC_TUNABLES=glibc.malloc.hugetlb=1 before "
		    "the command.");
	else if (is(where, "kernel"))
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at its system calls (strace -c -f before the command): fewer and larger "
		    "ones, and fewer processes, take less of the kernel.");
	else
		add(a, TP_APP_MOVE_ELSEWHERE,
		    "Look at the functions and classes of instructions below: they say what it "
		    "does instead. perf record finds branches and cache misses.");
}

size_t tp_app_advise(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs,
		     struct tp_app_advice advice[TP_APP_MOVES_MAX])
{
	struct advising a = { .row = row, .roofs = roofs, .advice = advice };
	if (!(row->seconds > 0) || (!tp_app_flops(row) && !elsewhere(row)))
		return 0;
	if (is(row->trust, "poor"))
		add(&a, TP_APP_MOVE_AGAIN, "Measure it again before you change anything: %s.",
		    row->reasons);
	if (elsewhere(row)) {
		advise_elsewhere(&a);
		return a.n;
	}
	advise_waiting(&a);
	advise_vectors(&a);
	advise_memory(&a);
	advise_fma(&a);
	advise_threads(&a);
	return a.n;
}

/* Of the time of a start, the day. */
enum { DATE_COLUMNS = 10 };

static unsigned team_of(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_point *p = tp_run_point(run, row->point);
	unsigned wanted = p ? tp_app_row(p)->wanted_threads : 0, team = 0, most = 0;
	unsigned least = wanted ? wanted : TP_MAX(row->busy_threads, 1u);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run != row->run)
			continue;
		most = TP_MAX(most, r->threads);
		if (r->threads >= least && (!team || r->threads < team))
			team = r->threads;
	}
	return team ? team : most;
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
	if (tp_roof_is_peak(r)) {
		if (strcmp(r->precision, precision) == 0 && r->threads == roofs->threads) {
			roofs->peak_gflops = fmax(roofs->peak_gflops, r->median);
			roofs->vector_bits = bits_of(r->isa);
			roofs->poor_peak = r->quality == TP_QUALITY_POOR;
		}
		if (strcmp(r->precision, precision) == 0 && r->threads == roofs->most_threads)
			roofs->most_peak_gflops = fmax(roofs->most_peak_gflops, r->median);
		return;
	}
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		if (strcmp(r->level, tp_app_level_names[l]) != 0)
			continue;
		if (r->threads == roofs->threads) {
			roofs->gbps[l] = fmax(roofs->gbps[l], r->median);
			roofs->poor[l] = r->quality == TP_QUALITY_POOR;
		}
		if (r->threads == roofs->most_threads && l == TP_APP_ROOF_LEVELS - 1)
			roofs->most_gbps = fmax(roofs->most_gbps, r->median);
	}
}

void tp_app_find_roofs(const struct tp_run *run, const struct tp_app_region_row *row,
		       struct tp_app_roofs *roofs)
{
	*roofs = (struct tp_app_roofs){ .threads = team_of(run, row) };
	for (size_t i = 0; i < tp_run_n_roofs(run); i++)
		if (tp_run_roofs(run)[i].run == row->run)
			roofs->most_threads =
				TP_MAX(roofs->most_threads, tp_run_roofs(run)[i].threads);
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run != row->run || !(r->median > 0) || !isfinite(r->median))
			continue;
		take(r, row->precision, roofs);
	}
	/* The counts of half precision and of the x87 unit have no peak. */
	if (row->flops_x87 > row->flops_dp + row->flops_sp)
		roofs->peak_gflops = roofs->most_peak_gflops = 0;
}

bool tp_app_roofs_text(const struct tp_run *run, struct tp_str *out)
{
	const struct tp_fact *from = tp_run_fact(run, TP_REUSED_RUN),
			     *started = tp_run_fact(run, TP_REUSED_STARTED);
	if (!from)
		return false;
	tp_str_add(out, "Roofs of run ");
	tp_str_add_clean(out, from->text, false);
	/* "2026-11-23T22:47:17Z" */
	if (started && strlen(started->text) > DATE_COLUMNS)
		tp_str_printf(out, ", measured %.*s", DATE_COLUMNS, started->text);
	tp_str_add(out, "; app.roofs=measure measures them anew.");
	return true;
}
