/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/gauge.h"
#include "analysis/stats.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/*
 * A pass of either kind lasts about 0.3 us on a fast core. One pass is a piece: long against a
 * cycle counter, and short against the time between pauses.
 */
enum { CHAIN_ADDITIONS = TP_GAUGE_CHAIN_ADDITIONS, WIDTH_PASSES = TP_GAUGE_WIDTH_PASSES };
/* Pieces last so many steps of a coarse clock, or its steps would hide 1 % of the frequency. */
#define STEPS_PER_PIECE	      32
#define LONGEST_PIECE_SECONDS 8e-6

static double run_seconds(const struct tp_gauge *gauge, const struct tp_code *code, uint64_t passes)
{
	tp_kernel_function kernel = tp_code_function(code);
	uint64_t begin = tp_clock_begin(gauge->clock);
	kernel(NULL, passes);
	return tp_clock_seconds(gauge->clock, begin, tp_clock_end(gauge->clock));
}

/*
 * What a call costs beside its additions: the time of some against that of twice as many, both in
 * turn. The middle half of many tries: the clock of the core may step between them.
 */
static double overhead_of(const struct tp_gauge *gauge, const struct tp_code *some,
			  uint64_t some_passes, const struct tp_code *twice, uint64_t twice_passes)
{
	enum { TRIES = 400 };
	double overhead[TRIES], sum = 0;
	for (int i = 0; i < TRIES; i++) {
		double one = run_seconds(gauge, some, some_passes);
		overhead[i] = 2 * one - run_seconds(gauge, twice, twice_passes);
	}
	tp_sort_doubles(overhead, TRIES);
	for (int i = TRIES / 4; i < TRIES - TRIES / 4; i++)
		sum += overhead[i];
	return fmax(0, sum / (TRIES / 2));
}

double tp_gauge_step_seconds(const struct tp_clock *clock)
{
	double tick = clock->hz > 0 ? 1 / clock->hz : 0;
	return clock->overhead_ticks > 0 ? tick : fmax(tick, clock->resolution_seconds);
}

unsigned tp_gauge_repeats(double seconds, double step_seconds)
{
	double wanted = fmin(STEPS_PER_PIECE * step_seconds, LONGEST_PIECE_SECONDS);
	return seconds > 0 && seconds < wanted ? (unsigned)ceil(wanted / seconds) : 1;
}

static unsigned repeats_of(const struct tp_gauge *gauge, const struct tp_code *code,
			   uint64_t passes)
{
	enum { TRIES = 16, TOGETHER = 16 };
	double seconds = 1;
	for (int i = 0; i < TRIES; i++)
		seconds = fmin(seconds, run_seconds(gauge, code, TOGETHER * passes) / TOGETHER);
	return tp_gauge_repeats(seconds, gauge->unit.step_seconds);
}

enum tp_status tp_gauge_init(struct tp_gauge *gauge, const struct tp_clock *clock,
			     const struct tp_cpu *cpu, struct tp_diag *diag)
{
	const struct tp_isa *isa = NULL;
	*gauge = (struct tp_gauge){ .clock = clock };
	for (size_t i = 0; i < tp_isa_count && !isa; i++)
		if (tp_isa_supported(tp_isa_table[i], cpu, NULL) == TP_OK)
			isa = tp_isa_table[i];
	if (!isa)
		return TP_OK;
	const struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
					 .isa = isa,
					 .element_bytes = 8,
					 .body.unroll = CHAIN_ADDITIONS };
	const struct tp_kernel width = { .kind = TP_KERNEL_WIDTH, .isa = isa, .element_bytes = 8 };
	/* One pass of both: the branch at the end of a pass would go either way. */
	struct tp_kernel half_chain = chain;
	struct tp_code half = { 0 };
	half_chain.body.unroll = CHAIN_ADDITIONS / 2;
	enum tp_status status = tp_kernel_emit(&chain, cpu, &gauge->chain, diag);
	if (status == TP_OK)
		status = tp_kernel_emit(&half_chain, cpu, &half, diag);
	if (status == TP_OK)
		status = tp_kernel_emit(&width, cpu, &gauge->width, diag);
	if (status != TP_OK) {
		tp_code_release(&half);
		tp_gauge_release(gauge);
		return status;
	}
	struct tp_kernel_counts counts;
	gauge->unit.step_seconds = tp_gauge_step_seconds(clock);
	gauge->chain_passes = repeats_of(gauge, &gauge->chain, 1);
	gauge->width_passes = WIDTH_PASSES * repeats_of(gauge, &gauge->width, WIDTH_PASSES);
	tp_kernel_count(&chain, cpu, &counts);
	gauge->unit.chain_additions = (double)counts.other * (double)gauge->chain_passes;
	tp_kernel_count(&width, cpu, &counts);
	gauge->unit.width_additions = (double)counts.other * (double)gauge->width_passes;
	gauge->chain_overhead_seconds = overhead_of(gauge, &half, 1, &gauge->chain, 1);
	gauge->width_overhead_seconds = overhead_of(gauge, &gauge->width, gauge->width_passes,
						    &gauge->width, 2 * gauge->width_passes);
	tp_code_release(&half);
	return TP_OK;
}

void tp_gauge_release(struct tp_gauge *gauge)
{
	tp_code_release(&gauge->chain);
	tp_code_release(&gauge->width);
	*gauge = (struct tp_gauge){ 0 };
}

void tp_gauge_read(const struct tp_gauge *gauge, struct tp_gauge_reading *reading)
{
	memset(reading, 0, sizeof(*reading));
	if (!(gauge->unit.chain_additions > 0))
		return;
	/*
	 * A streaming kernel has thrown the gauge's code out of the caches: fetch it before the
	 * clock starts.
	 */
	run_seconds(gauge, &gauge->chain, 1);
	run_seconds(gauge, &gauge->width, 1);
	for (int i = 0; i < TP_GAUGE_PIECES; i++) {
		reading->chain_seconds[i] =
			fmax(0, run_seconds(gauge, &gauge->chain, gauge->chain_passes) -
					gauge->chain_overhead_seconds);
		reading->width_seconds[i] =
			fmax(0, run_seconds(gauge, &gauge->width, gauge->width_passes) -
					gauge->width_overhead_seconds);
	}
}
