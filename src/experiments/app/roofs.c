/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/roofs.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/roof.h"

#include <math.h>
#include <string.h>

/* Of the time of a start, the day. */
enum { DATE_COLUMNS = 10 };

static unsigned team_of(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_point *p = tp_run_point(run, row->point);
	unsigned wanted = p ? tp_app_row(p)->wanted_threads : 0, team = 0, most = 0;
	unsigned least = wanted ? wanted : TP_MAX(row->busy_threads, 1u);
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
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
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
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
