/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/roofs.h"
#include "analysis/stats.h"
#include "experiments/pattern/pictures.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Nearer to a roof than this it limits; farther above it than this is no noise. */
#define LIMITS 0.6
#define ABOVE  1.05

/* Roofs that a kernel of tprof measured, not those that a search found. */
static bool is_usable(const struct tp_run *run, const struct tp_roof *r,
		      const struct tp_point *point)
{
	return r->threads == point->threads && r->median > 0 && r->point < run->n_points &&
	       strcmp(run->points[r->point].experiment, "roofline") == 0 &&
	       strcmp(r->precision, tp_kernel_row(point)->precision) == 0;
}

bool tp_pattern_roof_of(const struct tp_run *run, const struct tp_point *point,
			struct tp_pattern_roof *roof)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);
	double gbps = 0, peak = 0, ai = k->ai_flop_per_byte;
	*roof = (struct tp_pattern_roof){ .level = tp_pattern_level(run, point) };
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (!is_usable(run, r, point) || (gbps > 0 && r->run != roof->run))
			continue;
		if (strcmp(r->level, roof->level) == 0) {
			gbps = fmax(gbps, r->median);
			roof->run = r->run;
		}
	}
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (is_usable(run, r, point) && r->run == roof->run && tp_roof_is_peak(r))
			peak = fmax(peak, r->median);
	}
	if (!(gbps > 0) || !(k->median_gbps > 0))
		return false;
	if (ai > 0) {
		roof->computes = peak > 0 && gbps * ai >= peak;
		roof->gflops = peak > 0 ? tp_roof_attainable(peak, gbps, ai) : gbps * ai;
		roof->share = k->median_gflops / roof->gflops;
	} else {
		roof->share = k->median_gbps / gbps;
	}
	return true;
}

const char *tp_pattern_roof_words(const struct tp_pattern_roof *roof, char *out, size_t size)
{
	double percent = 100 * roof->share;
	if (roof->share > ABOVE)
		snprintf(out, size,
			 "above the roof of %s (%.0f %% of it): a nearer cache answers "
			 "part of its accesses",
			 roof->level, percent);
	else if (roof->share < LIMITS)
		snprintf(out, size, "%.0f %% of its roof at %s, which does not limit it", percent,
			 roof->level);
	else if (roof->computes)
		snprintf(out, size, "compute-bound: %.0f %% of the peak", percent);
	else
		snprintf(out, size, "memory-bound at %s: %.0f %% of its roof", roof->level,
			 percent);
	return out;
}
