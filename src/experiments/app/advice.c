/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would move a region up to its roof, or the roof up. Each rule looks at the row alone, and
 * says the numbers that it goes by.
 */
#include "experiments/app/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
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
		    "and "
		    "this CPU has %u (-march=native).",
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
		    "what "
		    "it takes comes from %s or beyond, at %.3g GB/s, so it waits for single lines.",
		    100 * far / all, tp_app_level_names[FAR_LEVEL], row->gbps);
	else
		add(a, TP_APP_MOVE_LATENCY,
		    "It moves %.3g GB/s and computes %.3g GFLOP/s, so it waits: for results of "
		    "earlier instructions, for single loads, for branches, or for other threads%s.",
		    row->gbps, row->gflops, all > 0 ? "" : " (--levels tells where loads go)");
}

size_t tp_app_advise(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs,
		     struct tp_app_advice advice[TP_APP_MOVES_MAX])
{
	struct advising a = { .row = row, .roofs = roofs, .advice = advice };
	if (!tp_app_flops(row) || !(row->seconds > 0))
		return 0;
	if (is(row->trust, "poor"))
		add(&a, TP_APP_MOVE_AGAIN, "Measure it again before you change anything: %s.",
		    row->reasons);
	advise_waiting(&a);
	advise_vectors(&a);
	advise_memory(&a);
	advise_fma(&a);
	advise_threads(&a);
	return a.n;
}
