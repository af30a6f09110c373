/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run leaves, as data: facts about machine and preset, points, reduced results; its writers and readers.
 * A run directory holds run.json, points.csv and journal.ndjson (the event stream, appended line by line while it runs).
 */
#ifndef TPROF_RECORD_RUN_H
#define TPROF_RECORD_RUN_H

#include "base/file.h"
#include "base/str.h"
#include "record/classes.h"
#include "record/point.h"
#include "record/readings.h"
#include "record/trial.h"

/* A named fact, "machine.cpu" = "AMD EPYC"; numbers keep their JSON type. */
struct tp_fact {
	char key[64]; /* dots make nested objects */
	char text[512];
	double number;
	bool is_number;
};

/* A roof of the roofline: a bandwidth (level L1..DRAM) or a peak (level FP). */
struct tp_roof {
	unsigned run, point; /* the point it comes from */
	char isa[16], precision[8], level[8], fp_op[12];
	unsigned threads, loads, stores;
	bool nontemporal;
	double median, best, ci_low, ci_high; /* GB/s, or GFLOP/s for level FP */
	double per_cycle; /* bytes or FLOP per cycle and core */
	double model; /* theoretical value of the machine model, whole team; 0 = unknown */
	double ridge_flop_per_byte; /* bandwidth roofs: AI where the highest measured FP peak of the same isa, precision, threads is met; 0 = none */
	uint32_t flags;
};

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

/* A mixed dot against its roof. */
struct tp_dot {
	unsigned run, point;
	char isa[16], precision[8], level[8], fp_op[12];
	unsigned threads;
	double ai_flop_per_byte, gflops, roof_gflops;
	double distance_percent; /* 100 x (gflops / roof - 1): negative below the roof */
};

struct tp_run {
	struct tp_fact *facts;
	size_t n_facts, cap_facts;
	struct tp_point *points;
	size_t n_points, cap_points; /* index = point id */
	struct tp_roof *roofs;
	size_t n_roofs, cap_roofs;
	struct tp_plateau *plateaus;
	size_t n_plateaus, cap_plateaus;
	struct tp_dot *dots;
	size_t n_dots, cap_dots;
	struct tp_readings
		readings; /* counters: what was counted; readings.csv of the run directory */
	struct tp_class *classes; /* counters: one a family */
	size_t n_classes, cap_classes;
	struct tp_trial *trials; /* autotune: sorted by point and index; see tp_trials_put */
	size_t n_trials, cap_trials;
	struct tp_study_row *study; /* autotune: one a search */
	size_t n_study, cap_study;
	struct tp_diags diags; /* warnings of the run */
	char state[16]; /* complete, interrupted, failed, running */
	double wall_seconds;
};

void tp_run_release(struct tp_run *run);
enum tp_status tp_run_fact_text(struct tp_run *run, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum tp_status tp_run_fact_number(struct tp_run *run, const char *key, double number);
/* Every fact of `from`; those that `to` has already are overwritten. */
enum tp_status tp_run_copy_facts(struct tp_run *to, const struct tp_run *from);
const struct tp_fact *tp_run_fact(const struct tp_run *run, const char *key);

/*
 * Writers: whole documents as text. Only finished points (DONE) become rows of the CSV; run.json lists all with their state.
 * Keys of run.json are those of points.csv: `samples` counts the kept windows, `dropped` the others, `windows` lists all of them
 * ({seconds, rate, core_ghz, flags, invocation}; the last three where they say something). What does not apply is null, in CSV
 * empty; NaN and infinities become null too. Facts become nested objects at the top level; "format", "version", "state",
 * "wall_seconds", "points", "roofs", "plateaus", "dots", "families", "study", "diags", "trials" are no fact names (TP_INTERNAL).
 */
enum tp_status tp_run_csv(const struct tp_run *run, struct tp_str *out);
enum tp_status tp_run_json(const struct tp_run *run, struct tp_str *out);

/* Reader of run.json (numbers, facts, points with samples, roofs, plateaus, dots, families, study, trials). Malformed input: TP_USAGE with the place. */
enum tp_status tp_run_parse(struct tp_run *run, const char *name, const char *text, size_t len,
			    struct tp_diag *diag);

/* --- run directories --- */
/* Creates <user data>/runs/<date>-<name>[-N] (or `wanted` if given; it must be new or empty) and writes the path to out. */
enum tp_status tp_rundir_create(const char *wanted, const char *name, char out[TP_PATH_MAX],
				struct tp_diag *diag);
/* Writes run.json, points.csv and, if there is anything for them, readings.csv and trials.csv (temporary + rename). */
enum tp_status tp_rundir_write(const char *directory, const struct tp_run *run,
			       struct tp_diag *diag);

#endif
