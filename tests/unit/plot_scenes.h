/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two scenes like those of the program, for the golden tests and to look at (plot_demo).
 */
#ifndef TPROF_TESTS_PLOT_SCENES_H
#define TPROF_TESTS_PLOT_SCENES_H

#include "base/memory.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

enum { CURVE_POINTS = 91, MIXED_POINTS = 14 };

struct plot_scenes {
	struct tp_scene roofline, curve;
	struct tp_series roofs[14], curves[3];
	double roof_x[14][3], roof_y[14][3], low[MIXED_POINTS], high[MIXED_POINTS];
	double mixed_x[2][MIXED_POINTS], mixed_y[2][MIXED_POINTS];
	double size_bytes[CURVE_POINTS], gbps[3][CURVE_POINTS];
	double curve_low[CURVE_POINTS], curve_high[CURVE_POINTS];
	struct tp_plot_mark ridges[2], edges[3];
	char names[6][32];
};

static const double scenes_ai_low = 1.0 / 64, scenes_ai_high = 16;

static void scenes_roof(struct plot_scenes *p, size_t i, double gbps, double peak_gflops,
			struct tp_series look)
{
	double from = gbps > 0 ? scenes_ai_low : peak_gflops / 347.2;
	double to = gbps > 0 ? peak_gflops / gbps : scenes_ai_high;
	p->roof_x[i][0] = from;
	p->roof_x[i][1] = to;
	p->roof_y[i][0] = gbps > 0 ? from * gbps : peak_gflops;
	p->roof_y[i][1] = peak_gflops;
	p->roofs[i] = look;
	p->roofs[i].n = 2;
	p->roofs[i].x = p->roof_x[i];
	p->roofs[i].y = p->roof_y[i];
}

static void scenes_make_roofline(struct plot_scenes *p)
{
	static const char *const level[] = { "L1", "L2", "L3", "DRAM" };
	static const double gbps[] = { 347.2, 117.1, 99.6, 31.8 };
	static const double theory_gbps[] = { 354.6, 236.4, 118.2, 40 };
	static const double peak = 88.1, add_peak = 29.4;
	size_t n = 0;
	struct tp_series theory = { .label = "theoretical",
				    .style = TP_STYLE_DASHED,
				    .role = TP_ROLE_THEORY };
	for (size_t i = 0; i < 4; i++)
		scenes_roof(p, n++, theory_gbps[i], 88.7, theory);
	scenes_roof(p, n++, 0, 88.7, theory);
	for (size_t i = 0; i < 4; i++) {
		snprintf(p->names[i], sizeof(p->names[i]), "%s %.0f GB/s", level[i], gbps[i]);
		struct tp_series look = { .label = p->names[i],
					  .style = TP_STYLE_SOLID,
					  .role = (enum tp_plot_role)i };
		scenes_roof(p, n++, gbps[i], peak, look);
	}
	struct tp_series fma = { .label = "FMA+ADD 88.1 GFLOP/s", .role = TP_ROLE_SERIES_4 };
	scenes_roof(p, n++, 0, peak, fma);
	struct tp_series add = { .label = "ADD 29.4 GFLOP/s", .role = TP_ROLE_SERIES_5 };
	scenes_roof(p, n++, 0, add_peak, add);
	for (size_t i = 0; i < MIXED_POINTS; i++) {
		double ai = exp2(-5.2 + 0.62 * (double)i);
		double shortfall = 1 - 0.25 * exp(-pow(log2(ai * gbps[0] / peak), 2));
		p->mixed_x[0][i] = p->mixed_x[1][i] = ai;
		p->mixed_y[0][i] = fmin(peak, ai * gbps[0]) * shortfall;
		p->mixed_y[1][i] = fmin(peak, ai * gbps[3]) * 0.93;
		p->low[i] = p->mixed_y[1][i] * 0.7;
		p->high[i] = p->mixed_y[1][i] * 1.1;
	}
	p->roofs[n++] = (struct tp_series){ .label = "mixed, L1",
					    .style = TP_STYLE_DOTS,
					    .role = TP_ROLE_SERIES_0,
					    .glyph = 'o',
					    .n = MIXED_POINTS,
					    .x = p->mixed_x[0],
					    .y = p->mixed_y[0] };
	p->roofs[n++] = (struct tp_series){ .label = "mixed, DRAM",
					    .style = TP_STYLE_DOTS,
					    .role = TP_ROLE_SERIES_3,
					    .glyph = 'x',
					    .n = MIXED_POINTS,
					    .x = p->mixed_x[1],
					    .y = p->mixed_y[1],
					    .low = p->low,
					    .high = p->high };
	p->ridges[0] = (struct tp_plot_mark){ peak / gbps[0], peak, true, "0.25", 0 };
	p->ridges[1] = (struct tp_plot_mark){ peak / gbps[3], peak, true, "2.8", 0 };
	p->roofline = (struct tp_scene){
		.title = "Cache-aware roofline, avx2 double, 1 thread",
		.x = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "FLOP per byte" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "GFLOP/s" },
		.series = p->roofs,
		.n_series = n,
		.marks = p->ridges,
		.n_marks = TP_COUNT_OF(p->ridges),
	};
}

/* Bandwidth of a working set: plateaus that pass into each other around the capacities. */
static double scenes_bandwidth(double bytes, const double gbps[4])
{
	static const double edge[] = { 32768, 1 << 20, 32 << 20 };
	double log_gbps = log(gbps[0]);
	for (size_t i = 0; i < 3; i++) {
		double past = 1 / (1 + exp(-9 * log2(bytes / edge[i]) + 2));
		log_gbps += past * (log(gbps[i + 1]) - log(gbps[i]));
	}
	return exp(log_gbps) * (1 - 200 / bytes * 1.5);
}

static void scenes_make_curve(struct plot_scenes *p)
{
	static const double gbps[3][4] = { { 347, 117, 99, 32.7 },
					   { 230, 117, 101, 36.9 },
					   { 118, 89, 62, 18.1 } };
	static const char *const label[] = { "2 loads : 1 store", "loads only", "stores only" };
	static const char glyph[] = { 'o', 'x', '+' };
	for (size_t i = 0; i < CURVE_POINTS; i++) {
		p->size_bytes[i] = 2048 * exp2((double)i / 5);
		for (size_t k = 0; k < 3; k++)
			p->gbps[k][i] = scenes_bandwidth(p->size_bytes[i], gbps[k]);
		p->curve_low[i] = p->gbps[2][i] * (i > 65 ? 0.75 : 0.99);
		p->curve_high[i] = p->gbps[2][i] * (i > 65 ? 1.1 : 1.01);
	}
	for (size_t k = 0; k < 3; k++)
		p->curves[k] = (struct tp_series){ .label = label[k],
						   .style = k == 2 ? TP_STYLE_LINE_AND_DOTS
								   : TP_STYLE_SOLID,
						   .role = (enum tp_plot_role)k,
						   .glyph = glyph[k],
						   .n = CURVE_POINTS,
						   .x = p->size_bytes,
						   .y = p->gbps[k],
						   .low = k == 2 ? p->curve_low : NULL,
						   .high = k == 2 ? p->curve_high : NULL };
	p->edges[0] = (struct tp_plot_mark){ 32768, 0, false, "L1 32K", 0 };
	p->edges[1] = (struct tp_plot_mark){ 1 << 20, 0, false, "L2 1M", 0 };
	p->edges[2] = (struct tp_plot_mark){ 32 << 20, 0, false, "L3 32M", 0 };
	p->curve = (struct tp_scene){
		.title = "Memory curve, avx2 double, 1 thread",
		.x = { TP_SCALE_LOG2, TP_UNIT_BYTES, 0, 0, "working set per thread, bytes" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "GB/s" },
		.series = p->curves,
		.n_series = 3,
		.marks = p->edges,
		.n_marks = 3,
	};
}

static inline void plot_scenes_make(struct plot_scenes *p)
{
	scenes_make_roofline(p);
	scenes_make_curve(p);
}

#endif
