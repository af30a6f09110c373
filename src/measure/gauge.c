/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/gauge.h"

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

/* Share of its widest reading below which a core is not wholly the thread's own. */
#define OWN_CORE_WIDTH 0.95
#define LEAN	       0.02

void tp_core_width_learn(struct tp_core_width *core, double width)
{
	double both = width < core->last ? width : core->last;
	if (both > core->widest)
		core->widest = both;
	else if (tp_core_width_is_whole(core, width) && width < core->widest)
		core->widest += LEAN * (width - core->widest);
	core->last = width;
}

bool tp_core_width_is_whole(const struct tp_core_width *core, double width)
{
	return width >= OWN_CORE_WIDTH * core->widest;
}
