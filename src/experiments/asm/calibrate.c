/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the clock beside windows is off. It comes from short pieces of dependent additions, and
 * what a piece costs besides is known to a few percent at worst. Windows of nothing but such
 * additions tell: each takes a cycle. Each point begins with some, because neighbours of the core
 * change what a piece costs.
 */
#include <math.h>

#include "analysis/stats.h"
#include "base/process.h"
#include "experiments/asm/plan.h"
#include "kernels/isa.h"

enum { WINDOWS = 30, ADDITIONS = 1024, PASSES = 400 };

/* A correction beyond this is no error of the clock: something else disturbed the windows. */
#define MOST 0.08

static double measure(struct tp_team *team, const struct tp_code *code, double additions)
{
	double found[WINDOWS];
	void *none[1] = { NULL };
	size_t n = 0;
	const struct tp_window_work work = {
		.kernel = tp_code_function(code), .data = none, .passes = PASSES, .alone = true
	};
	for (int i = 0; i < WINDOWS && !tp_stop_asked; i++) {
		struct tp_window window;
		tp_team_window(team, &work, &window);
		if (!window.flags && window.ghz > 0 && window.seconds > 0)
			found[n++] = additions * PASSES / (window.seconds * 1e9 * window.ghz);
	}
	tp_sort_doubles(found, n);
	double correction = n ? tp_median_sorted(found, n) : 1;
	return fabs(correction - 1) < MOST ? correction : 1;
}

double tp_asm_clock_correction(struct tp_bench *bench, struct tp_team *team)
{
	struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
				   .element_bytes = 8,
				   .body.unroll = ADDITIONS };
	struct tp_kernel_counts counts;
	struct tp_code code = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < tp_isa_count && !chain.isa; i++)
		if (tp_isa_supported(tp_isa_table[i], bench->cpu, NULL) == TP_OK)
			chain.isa = tp_isa_table[i];
	if (!chain.isa || tp_team_emit(team, &chain, bench->cpu, &code, &diag) != TP_OK)
		return 1;
	tp_kernel_count(&chain, bench->cpu, &counts);
	double correction = measure(team, &code, (double)counts.other);
	tp_code_release(&code);
	return correction;
}
