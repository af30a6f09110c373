/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plateaus of curves over the working set: a table of results. */
#ifndef TPROF_RECORD_PLATEAU_H
#define TPROF_RECORD_PLATEAU_H

#include "record/run.h"

/* A plateau of a curve over the working set: of bandwidth (gbps), or of latency (ns). */
struct tp_plateau {
	unsigned run;
	char isa[16], precision[8], kernel[48],
		level[8]; /* L1, L2, L3, DRAM by order and nearness to the reported capacities */
	unsigned threads;
	char pages_wanted[16]; /* as in the points; set where the experiment compares pages */
	double gbps, ns; /* one of them; 0 = does not apply */
	double ci_low, ci_high; /* its unit */
	double bytes_per_cycle; /* of one core */
	double latency_cycles;
	uint64_t from_bytes, to_bytes; /* smallest and largest measured working set on it */
	uint64_t capacity_bytes; /* measured edge towards the next plateau; 0 for the last */
	uint64_t reported_bytes; /* what the machine reports for that level, per thread; 0 = none */
	unsigned points;
};

/* True for a plateau of latency, else it is one of bandwidth. */
static inline bool tp_plateau_is_latency(const struct tp_plateau *plateau)
{
	return plateau->ns > 0;
}

/* Of one curve: all that tells curves apart is equal. */
bool tp_plateau_same_curve(const struct tp_plateau *a, const struct tp_plateau *b);
/* A level that is slower than the next one of its curve by more than noise: it cannot be. */
bool tp_plateau_is_slower(const struct tp_plateau *plateau, const struct tp_plateau *next);

extern const struct tp_part tp_plateau_part;

/*
 * Capacity of a cache as a curve of bandwidth of one thread shows it: of level "L1", "L2", "L3"
 * (NULL: of any). 0 = the run measured none.
 */
uint64_t tp_run_capacity(const struct tp_run *run, const char *level);
/* True where a cache ends so much earlier than is reported that plans should know. */
bool tp_capacity_is_less(uint64_t measured_bytes, uint64_t reported_bytes);
/* "79MiB", as options of sizes read it: rounded down. Returns out. */
const char *tp_capacity_option(char *out, size_t size, uint64_t bytes);

#define tp_run_plateaus(run)   TP_ROWS(run, tp_plateau_part, tp_plateau)
#define tp_run_n_plateaus(run) TP_N(run, tp_plateau_part)

#endif
