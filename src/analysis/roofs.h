/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache-aware roofline: F(AI) = min(F_peak, B_level x AI). Pure formulas. */
#ifndef TPROF_ANALYSIS_ROOFS_H
#define TPROF_ANALYSIS_ROOFS_H

/* Attainable GFLOP/s at intensity `ai` (FLOP/byte moved by the core). */
double tp_roof_attainable(double peak_gflops, double gbps, double ai);
/* Ridge point: AI where the memory roof meets the peak; 0 if gbps is 0. */
double tp_roof_ridge(double peak_gflops, double gbps);

#endif
