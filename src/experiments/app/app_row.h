/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points that run a program to count and time it, and what a run says of it: regions, classes of
 * instructions, functions. Roofs that are measured beside are points without a command.
 */
#ifndef TPROF_EXPERIMENTS_APP_ROW_H
#define TPROF_EXPERIMENTS_APP_ROW_H

#include "record/point.h"
#include "record/run.h"

enum {
	TP_APP_TEXT = 240,
	TP_APP_REGION = 128,
	TP_APP_ROOF_LEVELS = 4, /* L1, L2, L3, DRAM */
	TP_APP_FUNCTIONS_MAX = 40, /* that a run keeps, of each way of counting */
	TP_APP_REGIONS_MAX = 512, /* rows, with those of single threads, likewise */
};

/* Names of rows that are no region of the program's own. */
#define TP_APP_PROGRAM "(program)" /* all of it */
#define TP_APP_OUTSIDE "(outside)" /* what is in no region, where there are some */

struct tp_app_row {
	struct tp_kernel_row kernel; /* of a roof; of a program its intensity and rates */
	/* identity */
	char command[TP_APP_TEXT]; /* its words as tp_command_split reads them; "" for a roof */
	unsigned wanted_threads; /* OMP_NUM_THREADS and the like; 0 = as the environment has it */
	/* found */
	char source[16]; /* how it was counted: "agent" */
	unsigned exit_status, signal; /* of the first run that failed; signal 0 = none */
	unsigned ran_threads; /* most threads that were counted */
	/* Medians of the runs without instrumentation; 0 = it was not timed. */
	double time_seconds, user_seconds, system_seconds;
	double counted_seconds; /* the run that was counted took so long */
	uint64_t max_rss_bytes; /* 0 = no more than the engine has */
	bool incomplete; /* it ran on uncounted at some time */
};

extern const struct tp_table tp_app_table;
/* One of zeros if the point is of another kind. Never NULL. */
const struct tp_app_row *tp_app_row(const struct tp_point *point);
/* True if the point runs a program. */
bool tp_point_is_app(const struct tp_point *point);

/* A region on all threads or on one, as one way of counting saw it. */
struct tp_app_region_row {
	/* identity */
	unsigned run, point;
	char region[TP_APP_REGION];
	unsigned threads; /* of the point's roofs */
	char thread[12]; /* "all", or its index */
	char source[16];
	/* found */
	uint64_t flops_sp, flops_dp, flops_half, flops_x87;
	uint64_t bytes_loaded, bytes_stored, instructions, entries, timed_entries;
	unsigned busy_threads; /* that executed a hundredth of its instructions or more */
	/* share of FLOPs by width and in fused multiply-adds */
	double scalar_percent, sse_percent, avx_percent, avx512_percent, fma_percent;
	/* of one run without instrumentation: the median, with its interval; 0 = not timed */
	double seconds, seconds_low, seconds_high;
	unsigned timed_runs;
	double level_bytes[TP_APP_ROOF_LEVELS]; /* that came from there; all 0 = not followed */
	bool unended, incomplete;
	/* what `reduce` finds */
	double ai_flop_per_byte, gflops, gbps;
	char precision[8], isa[16]; /* of most FLOPs; the widest that computes */
	unsigned roof_threads; /* of the roofs that it is held against; 0 = none */
	char bound[8]; /* "memory", "compute", "" = no roof */
	char roof[8]; /* the lowest roof that allows it: L1 L2 L3 DRAM FP */
	char above[8]; /* the highest roof that it is above; "" = none */
	double roof_gflops; /* that roof at its intensity */
	double roof_gbps; /* of a memory roof */
	double roof_percent; /* its GFLOP/s in percent of that */
	double peak_gflops, ridge_flop_per_byte; /* peak of its precision, and where both meet */
	char trust[8], reasons[200]; /* good, fair or poor, and why */
};

extern const struct tp_part tp_app_region_part;
extern const struct tp_row_event tp_app_region_event;
#define tp_run_app_regions(run)	  TP_ROWS(run, tp_app_region_part, tp_app_region_row)
#define tp_run_n_app_regions(run) TP_N(run, tp_app_region_part)

bool tp_app_is_whole(const struct tp_app_region_row *row); /* all threads together */
uint64_t tp_app_flops(const struct tp_app_region_row *row); /* of all precisions */
uint64_t tp_app_bytes(const struct tp_app_region_row *row); /* loaded and stored */

/* Instructions of a class (mix/mix.h has the names) in a region, on all threads. */
struct tp_app_class_row {
	unsigned run, point;
	char region[TP_APP_REGION];
	char source[16], name[24];
	uint64_t count;
	double percent; /* of the region's instructions; 0 where it is no share of them */
};

extern const struct tp_part tp_app_class_part;
extern const struct tp_row_event tp_app_class_event;
#define tp_run_app_classes(run)	  TP_ROWS(run, tp_app_class_part, tp_app_class_row)
#define tp_run_n_app_classes(run) TP_N(run, tp_app_class_part)

/* A function of the program, by its own instructions; most instructions first. */
struct tp_app_function_row {
	unsigned run, point;
	char source[16], function[TP_APP_REGION], module[64];
	uint64_t instructions, flops, bytes;
	double instructions_percent, flops_percent, bytes_percent; /* of the program */
};

extern const struct tp_part tp_app_function_part;
extern const struct tp_row_event tp_app_function_event;
#define tp_run_app_functions(run)   TP_ROWS(run, tp_app_function_part, tp_app_function_row)
#define tp_run_n_app_functions(run) TP_N(run, tp_app_function_part)

#endif
