/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/gauge.h"

#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

/*
 * A pass of either kind lasts about 0.3 us on a fast core. One pass is a piece: long against a
 * cycle counter, and short against the time between pauses.
 */
enum { CHAIN_ADDITIONS = TP_GAUGE_CHAIN_ADDITIONS, WIDTH_PASSES = TP_GAUGE_WIDTH_PASSES };

/* Pieces last this many steps of a coarse clock, or its steps would hide 1 % of the frequency. */
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
 * Overhead of a call: the time of some against that of twice as many, both in turn. The middle half
 * of many tries: the clock of the core may step between them.
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

/*
 * Pieces this close to the fast ones differ only by the noise of the clock: relative, or as a
 * multiple of the differences among the fast ones.
 */
#define SAME_PIECE  0.01
#define SAME_SPREAD 4

/*
 * A piece so much longer than the others was interrupted. Work on the other hardware thread makes
 * wide pieces two to three times as long.
 */
#define INTERRUPTED 4.0

double tp_gauge_piece_seconds(const double seconds[TP_GAUGE_PIECES], double step_seconds)
{
	enum { FROM = 1, TO = TP_GAUGE_PIECES / 2 }; /* the faster half without the fastest */
	double sorted[TP_GAUGE_PIECES], fast = 0, sum = 0;
	int n = 0;
	tp_sort_copy(seconds, TP_GAUGE_PIECES, sorted);
	for (int i = FROM; i < TO; i++)
		fast += sorted[i] / (TO - FROM);
	double spread = SAME_SPREAD * (sorted[TO - 1] - sorted[FROM]);
	double same = fmax(SAME_PIECE * fast, spread) + step_seconds;
	for (int i = 0; i < TP_GAUGE_PIECES; i++) {
		if (fabs(sorted[i] - fast) > same)
			continue;
		sum += sorted[i];
		n++;
	}
	return n ? sum / n : fast;
}

/* Width against clock, piece by piece: a clock that steps inside the reading does no harm. */
static double width_of(const struct tp_gauge_reading *reading, const struct tp_gauge_unit *unit)
{
	double ratios[TP_GAUGE_PIECES];
	for (int i = 0; i < TP_GAUGE_PIECES; i++)
		ratios[i] = reading->width_seconds[i] > 0
				    ? reading->chain_seconds[i] / reading->width_seconds[i]
				    : 0;
	return tp_median(ratios, TP_GAUGE_PIECES) * unit->width_additions / unit->chain_additions;
}

/* Counts the interrupted pieces, and adds up the time in which they could have been seen. */
static void count_pauses(const double seconds[TP_GAUGE_PIECES], struct tp_core_seen *seen)
{
	double sorted[TP_GAUGE_PIECES];
	double usual = tp_median_of(seconds, TP_GAUGE_PIECES, sorted);
	for (int i = 0; i < TP_GAUGE_PIECES; i++)
		seen->pauses += seconds[i] > INTERRUPTED * usual;
	seen->watched_seconds += usual * TP_GAUGE_PIECES;
}

void tp_core_see(const struct tp_gauge_reading *before, const struct tp_gauge_reading *after,
		 const struct tp_gauge_unit *unit, struct tp_core_seen *seen)
{
	const struct tp_gauge_reading *readings[] = { before, after };
	*seen = (struct tp_core_seen){ .width = INFINITY };
	for (int i = 0; i < 2; i++) {
		double chain =
			tp_gauge_piece_seconds(readings[i]->chain_seconds, unit->step_seconds);
		double width = width_of(readings[i], unit);
		if (!(chain > 0) || !(width > 0)) {
			*seen = (struct tp_core_seen){ 0 };
			return;
		}
		seen->ghz += unit->chain_additions / chain * 1e-9 / 2;
		seen->width = fmin(seen->width, width);
		count_pauses(readings[i]->chain_seconds, seen);
		count_pauses(readings[i]->width_seconds, seen);
		seen->blur = fmax(seen->blur, unit->step_seconds / chain);
	}
}

/* --- how wide a core is --- */

/* Share of its width below which a core is not wholly the thread's own. */
#define OWN_CORE_WIDTH 0.95

/*
 * Bins of 1 % from the narrowest; the readings that must share a width: a number, and a share of
 * all.
 */
#define NARROWEST 0.5
#define BIN_STEP  0.01

enum { SHARED_LEAST = 3, SHARED_PARTS = 200, CLUSTER_BINS = 8 };

static size_t bin_of(double width)
{
	double bin = log(width / NARROWEST) / log1p(BIN_STEP);
	return bin < 0 ? 0 : bin < TP_CORE_WIDTH_BINS - 1 ? (size_t)bin : TP_CORE_WIDTH_BINS - 1;
}

/* Two neighbouring bins count together: what is shared may lie on their border. */
static unsigned together(const struct tp_core_width *core, size_t bin)
{
	return core->counts[bin] + core->counts[bin - 1];
}

/*
 * The largest width that many readings share is the upper edge of those of a whole core. The width
 * itself is where most of them are, a little below that edge.
 */
static double widest_shared(const struct tp_core_width *core)
{
	unsigned wanted = TP_MAX(core->n / SHARED_PARTS, (unsigned)SHARED_LEAST);
	size_t edge = TP_CORE_WIDTH_BINS - 1;
	while (edge > 0 && (core->counts[edge] == 0 || together(core, edge) < wanted))
		edge--;
	if (edge == 0)
		return 0;
	size_t most = edge;
	for (size_t bin = edge; bin > 1 && bin + CLUSTER_BINS > edge; bin--)
		if (together(core, bin) > together(core, most))
			most = bin;
	return (core->sums[most] + core->sums[most - 1]) / together(core, most);
}

void tp_core_width_learn(struct tp_core_width *core, double width)
{
	if (!(width > 0) || !isfinite(width))
		return;
	size_t bin = bin_of(width);
	core->n++;
	core->counts[bin]++;
	core->sums[bin] += width;
	core->widest = widest_shared(core);
}

double tp_core_width_least(const struct tp_core_width *core)
{
	return fmax(0, OWN_CORE_WIDTH - core->blur) * core->widest;
}

/* --- what interrupts it --- */

/* Old readings count half after this much observed time: neighbours come and go. */
#define FORGET_SECONDS 0.01

/* Fewer are chance. */
#define PAUSES_LEAST 3

void tp_core_pauses_learn(struct tp_core_pauses *pauses, const struct tp_core_seen *seen)
{
	if (pauses->watched_seconds > FORGET_SECONDS) {
		pauses->watched_seconds /= 2;
		pauses->n /= 2;
	}
	pauses->watched_seconds += seen->watched_seconds;
	pauses->n += seen->pauses;
}

double tp_core_pauses_per_second(const struct tp_core_pauses *pauses)
{
	return pauses->n >= PAUSES_LEAST ? pauses->n / pauses->watched_seconds : 0;
}
