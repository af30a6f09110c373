/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/gauge.h"

#include <math.h>

static double run_seconds(const struct tp_gauge *gauge, uint64_t passes)
{
	tp_kernel_function kernel = tp_code_function(&gauge->code);
	uint64_t begin = tp_clock_begin(gauge->clock);
	kernel(NULL, passes);
	return tp_clock_seconds(gauge->clock, begin, tp_clock_end(gauge->clock));
}

enum tp_status tp_gauge_init(struct tp_gauge *gauge, enum tp_kernel_kind kind, uint64_t passes,
			     const struct tp_clock *clock, const struct tp_cpu *cpu,
			     struct tp_diag *diag)
{
	enum { TRIES = 25 };
	const struct tp_isa *isa = NULL;
	*gauge = (struct tp_gauge){ .clock = clock, .passes = passes };
	for (size_t i = 0; i < tp_isa_count && !isa; i++)
		if (tp_isa_supported(tp_isa_table[i], cpu, NULL) == TP_OK)
			isa = tp_isa_table[i];
	if (!isa)
		return TP_OK;
	struct tp_kernel kernel = { .kind = kind, .isa = isa, .element_bytes = 8 };
	enum tp_status status = tp_kernel_emit(&kernel, cpu, &gauge->code, diag);
	if (status != TP_OK)
		return status;
	struct tp_kernel_counts counts;
	tp_kernel_count(&kernel, cpu, &counts);
	gauge->additions = (double)counts.other;
	/* What a call costs beside its additions: from the shortest of many short and long runs. */
	double one = 1, many = 1;
	for (int i = 0; i < TRIES; i++) {
		double a = run_seconds(gauge, 1), b = run_seconds(gauge, 1 + passes);
		one = a < one ? a : one;
		many = b < many ? b : many;
	}
	double overhead = one - (many - one) / (double)passes;
	gauge->overhead_seconds = overhead > 0 ? overhead : 0;
	return TP_OK;
}

void tp_gauge_release(struct tp_gauge *gauge)
{
	tp_code_release(&gauge->code);
	*gauge = (struct tp_gauge){ 0 };
}

double tp_gauge_read(const struct tp_gauge *gauge)
{
	if (!(gauge->additions > 0))
		return 0;
	/* A streaming kernel has thrown the gauge's code out of the caches: fetch it before the clock starts. */
	run_seconds(gauge, 1);
	double seconds = run_seconds(gauge, gauge->passes) - gauge->overhead_seconds;
	return seconds > 0 ? (double)gauge->passes * gauge->additions / seconds * 1e-9 : 0;
}

/* Share of its width below which a core is not wholly the thread's own. */
#define OWN_CORE_WIDTH 0.95

/* Bins of 1 % from the narrowest on; what a width must share: so many readings, and one of so many of all. */
#define NARROWEST 0.5
#define BIN_STEP  0.01
enum { SHARED_LEAST = 3, SHARED_PARTS = 200 };

static size_t bin_of(double width)
{
	double bin = log(width / NARROWEST) / log1p(BIN_STEP);
	return bin < 0 ? 0 : bin < TP_CORE_WIDTH_BINS - 1 ? (size_t)bin : TP_CORE_WIDTH_BINS - 1;
}

/* Two neighbouring bins count together: what is shared may lie on their border. */
static double widest_shared(const struct tp_core_width *core)
{
	unsigned wanted = core->n / SHARED_PARTS;
	wanted = wanted < SHARED_LEAST ? SHARED_LEAST : wanted;
	for (size_t i = TP_CORE_WIDTH_BINS - 1; i > 0; i--) {
		unsigned together = core->counts[i] + core->counts[i - 1];
		if (core->counts[i] > 0 && together >= wanted)
			return (core->sums[i] + core->sums[i - 1]) / together;
	}
	return 0;
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

bool tp_core_width_is_whole(const struct tp_core_width *core, double width)
{
	return width >= OWN_CORE_WIDTH * core->widest;
}
