/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/place.h"
#include "analysis/stats.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* This near to a roof it is under it: intervals and the clock differ by more between runs. */
#define ON_ROOF 0.02

/* Where times stop to be good, and to be fair. */
#define FAIR_SPREAD   0.03
#define POOR_SPREAD   0.10
#define FAIR_ENTRY    1e-5
#define POOR_ENTRY    1e-6
#define SHORT_PROGRAM 0.02
#define ENTRIES_ALIKE 0.01

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

void tp_app_sentence(const struct tp_app_region_row *row, struct tp_str *out)
{
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
