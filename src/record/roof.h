/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs of a roofline: a table of results. */
#ifndef TPROF_RECORD_ROOF_H
#define TPROF_RECORD_ROOF_H

#include "base/own_dot.h"
#include "record/run.h"

/* A roof of the roofline: a bandwidth (level L1..DRAM) or a peak (level FP). */
struct tp_roof {
	unsigned run, point; /* the point it comes from */
	char isa[16], precision[8], level[8], fp_op[12];
	unsigned threads, loads, stores;
	bool nontemporal;
	double median, best, ci_low, ci_high; /* GB/s, or GFLOP/s for level FP */
	double per_cycle; /* bytes or FLOP per cycle and core */
	double model; /* what ports add up to by the model, whole team; 0 = unknown */
	double reachable; /* what such cores reach, if that is less; 0 = unknown */
	/*
	 * bandwidth roofs: AI where the highest measured FP peak of the same isa, precision,
	 * threads is met; 0 = none
	 */
	double ridge_flop_per_byte;
	uint32_t flags;
	unsigned quality; /* enum tp_quality, of the point */
};

extern const struct tp_part tp_roof_part;

/* The roof that a finished memory or FP point is; its ridge is left 0. */
struct tp_roof tp_roof_of(const struct tp_point *point);

/* Of one run, ISA, precision and team: roofs of one picture. */
bool tp_roof_is_group(const struct tp_roof *a, const struct tp_roof *b);

/* A peak (level FP) counts FLOP, every other roof bytes. */
bool tp_roof_is_peak(const struct tp_roof *roof);

/*
 * The roof of the next level measured, where `roof` is the highest of its level and nevertheless
 * lower by more than noise: it cannot be. Else NULL. Only roofs of the same run, ISA, precision and
 * team count.
 */
const struct tp_roof *tp_roof_slower_than(const struct tp_run *run, const struct tp_roof *roof);

#define tp_run_roofs(run)   TP_ROWS(run, tp_roof_part, tp_roof)
#define tp_run_n_roofs(run) TP_N(run, tp_roof_part)

/* Slopes of curves of bandwidth: transitions between two levels without a plateau. */

struct tp_slope {
	unsigned run;
	char isa[16], precision[8], kernel[48]; /* the curve, as of its plateaus */
	unsigned threads;
	char pages_wanted[16];
	char level[8]; /* of the plateau before it */
	uint64_t from_bytes, to_bytes; /* where it begins and ends */
	double from_gbps, to_gbps; /* the bandwidth there */
	bool open; /* the curve ends on it */
};

extern const struct tp_part tp_slope_part;

#define tp_run_slopes(run)   TP_ROWS(run, tp_slope_part, tp_slope)
#define tp_run_n_slopes(run) TP_N(run, tp_slope_part)

/* Plateaus of curves over the working set: a table of results. */

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
	/* Between them the edge moves, as others use the cache; 0 = it is fixed. */
	uint64_t capacity_low_bytes, capacity_high_bytes;
	uint64_t reported_bytes; /* what the machine reports for that level, per thread; 0 = none */
	unsigned points;
	unsigned quality; /* enum tp_quality, of the points on it and around its edge */
};

/* Sets it by the points of the run. */
void tp_plateau_judge(const struct tp_run *run, struct tp_plateau *plateau);

/* True if points of that size decide where the plateau ends. */
bool tp_plateau_edge_is_near(const struct tp_plateau *plateau, uint64_t bytes);

/* True for a plateau of latency, else it is one of bandwidth. */
static inline bool tp_plateau_is_latency(const struct tp_plateau *plateau)
{
	return plateau->ns > 0;
}

/* Of one curve: everything that distinguishes curves is equal. */
bool tp_plateau_same_curve(const struct tp_plateau *a, const struct tp_plateau *b);

/* True if the plateau is one of the curve that the point belongs to. */
bool tp_plateau_is_of(const struct tp_plateau *plateau, const struct tp_point *point);

/* A level that is slower than the next one of its curve by more than noise: which is impossible. */
bool tp_plateau_is_slower(const struct tp_plateau *plateau, const struct tp_plateau *next);

extern const struct tp_part tp_plateau_part;

/*
 * The plateau whose end is the measured capacity of a cache: of bandwidth, of one thread, with an
 * edge that stays in one place, of level "L1", "L2", "L3" (NULL: of any), and of a quality that
 * teaches. NULL = the run measured none.
 */
const struct tp_plateau *tp_run_cache(const struct tp_run *run, const char *level);
bool tp_plateau_is_cache(const struct tp_plateau *plateau);

/* True if a cache ends so much earlier than reported that plans should take it into account. */
bool tp_capacity_is_less(uint64_t measured_bytes, uint64_t reported_bytes);

/* "79MiB", as options of sizes read it: rounded down. Returns out. */
const char *tp_capacity_option(char *out, size_t size, uint64_t bytes);

#define tp_run_plateaus(run)   TP_ROWS(run, tp_plateau_part, tp_plateau)
#define tp_run_n_plateaus(run) TP_N(run, tp_plateau_part)

/* The user's own dots of a run: facts own_dots.1, own_dots.2, ..., each as base/own_dot.h reads it.
 */

/* Reads them; other texts are left out. Returns how many. */
size_t tp_run_own_dots(const struct tp_run *run, struct tp_own_dot dots[TP_OWN_DOTS_MAX]);

/*
 * Adds a dot, in the place of one with the same name. TP_USAGE with what is allowed; TP_RESOURCE
 * beyond TP_OWN_DOTS_MAX.
 */
enum tp_status tp_run_add_own_dot(struct tp_run *run, const char *text, struct tp_diag *diag);

#endif
