/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of a pattern: its configuration, and what its code did. */
#ifndef TPROF_EXPERIMENTS_PATTERN_ROW_H
#define TPROF_EXPERIMENTS_PATTERN_ROW_H

#include "record/point.h"
#include "record/run.h"
#include "record/schema.h"

/*
 * GB/s count the elements that statements read and write, by their text: every access counts,
 * including cache hits.
 */
struct tp_pattern_row {
	struct tp_kernel_row kernel;
	/* identity */
	char pattern[48], template[16];
	char parameters[160]; /* "n=1000 tile_i=32": every one */
	uint64_t n; /* the parameter n; 0 = the pattern has none */
	bool nowait;
	double elements; /* that a pass of the team updates */
	double flop_per_element, bytes_per_element; /* of one instance */
	uint64_t array_bytes; /* of all arrays of the team */
	/*
	 * By layer conditions: the smallest cache that holds all reused data, "none", or "" if
	 * unknown; bytes of lines that cross the border to a level for an element; the largest n
	 * whose layers fit into a cache, 0 = any or unknown
	 */
	char reuse_level[8];
	double l2_bytes, l3_bytes, dram_bytes;
	uint64_t l1_n, l2_n, l3_n;
	/* what was found */
	double pass_ns,
		element_ns; /* of the whole team: median time of a pass, and of an element */
	/* what a thread moves in its own time: the slowest, the middle, the fastest; GB/s */
	double thread_min_gbps, thread_median_gbps, thread_max_gbps;
	bool exact; /* the result is the expected one to the last bit */
	bool prebuilt; /* code that was compiled with tprof, not for this CPU */
	char counts[256]; /* "page_faults=0 stepped_instructions=2.5", for an element */
};

const struct tp_pattern_row *tp_pattern_row(const struct tp_point *point); /* never NULL */

/* A thread of a point of several: what it moved in its own time. */
struct tp_thread_rate {
	unsigned run, point, invocation, thread, cpu;
	double gbps;
};

extern const struct tp_part tp_thread_rate_part;
extern const struct tp_row_event tp_thread_rate_event;

/* Predictions of models for a point of a pattern, beside the measurement: a table of results. */

/*
 * Times of an element on the whole team, from the bandwidths and the peak that another run of the
 * same preset measured (roofline), and from the layer conditions of the point.
 */
struct tp_prediction {
	unsigned run, point;
	char limit[8]; /* "L1" ... "DRAM", "FP": the slowest by itself */
	double roofline_ns; /* its time */
	double fp_ns, l1_ns, l2_ns, l3_ns, dram_ns; /* arithmetic, and the terms of ECM */
	double ecm_ns; /* the arithmetic, or the sum of the other terms */
	double element_ns; /* as measured */
	double measured_to_ecm;
};

extern const struct tp_part tp_prediction_part;

#define tp_run_predictions(run)	  TP_ROWS(run, tp_prediction_part, tp_prediction)
#define tp_run_n_predictions(run) TP_N(run, tp_prediction_part)

#endif
