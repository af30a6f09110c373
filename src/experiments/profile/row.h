/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program over time: its options, its point, the readings of each meter, and its phases. */
#ifndef TPROF_EXPERIMENTS_PROFILE_ROW_H
#define TPROF_EXPERIMENTS_PROFILE_ROW_H

#include "base/command.h"
#include "preset/options.h"
#include "profile/meters.h"
#include "record/run.h"

enum { TP_PROFILE_TEXT_BYTES = 240, TP_PROFILE_PHASES_MAX = 4096, TP_PROFILE_REGIONS_MAX = 2048 };

struct tp_profile_row {
	char command[TP_PROFILE_TEXT_BYTES]; /* identity: its words; cut */
	double interval_seconds; /* identity: as requested */
	/* found */
	unsigned exit_status, signal; /* signal 0 = none */
	double time_seconds, user_seconds, system_seconds;
	uint64_t max_rss_bytes;
	unsigned samples;
	double last_interval_seconds; /* at the end, when the run was long */
	unsigned late; /* ticks that came late, or not at all */
	double sampler_share; /* CPU time of the sampler over the time of the program */
	double code_samples, code_lost;
	double lost_marks; /* entries and exits of regions that came too late for bands */
};

/* One of zeros if the point is of another kind. Never NULL. */
const struct tp_profile_row *tp_profile_row(const struct tp_point *point);
bool tp_point_is_profile(const struct tp_point *point);

/* A meter, and its overall readings. */
struct tp_profile_meter {
	unsigned run, point, number; /* number: enum tp_meter_id */
	char name[32], unit[12], counts[112];
	char about[112]; /* code: the function; events: which one */
	bool there;
	char why[160], hint[160]; /* of a missing meter */
	double mean, most; /* over the samples; most: without the highest percent */
};

extern const struct tp_part tp_profile_meter_part;
extern const struct tp_row_event tp_profile_meter_event;

#define tp_run_profile_meters(run)   TP_ROWS(run, tp_profile_meter_part, tp_profile_meter)
#define tp_run_n_profile_meters(run) TP_N(run, tp_profile_meter_part)

/*
 * A sample. While the program runs, preliminary ones are sent; the first final one replaces them.
 */
struct tp_profile_sample {
	unsigned run, point, number;
	bool final;
	double at_seconds, seconds; /* its end, from the program's start on; its length */
	double values[TP_METERS]; /* NaN = unknown */
};

extern const struct tp_part tp_profile_sample_part; /* profile.csv */
extern const struct tp_row_event tp_profile_sample_event;

#define tp_run_profile_samples(run)   TP_ROWS(run, tp_profile_sample_part, tp_profile_sample)
#define tp_run_n_profile_samples(run) TP_N(run, tp_profile_sample_part)

/* A phase: what lies between two change points. */
struct tp_profile_phase {
	unsigned run, point, number;
	char letter[8]; /* phases that are alike have one in common: A, B, ..., Z, AA, ... */
	double start_seconds, seconds, share; /* share: of the time that was sampled */
	double means[TP_METERS]; /* NaN = unknown */
};

extern const struct tp_part tp_profile_phase_part; /* phases.csv */

#define tp_run_profile_phases(run)   TP_ROWS(run, tp_profile_phase_part, tp_profile_phase)
#define tp_run_n_profile_phases(run) TP_N(run, tp_profile_phase_part)

/*
 * A time that a thread spent in a region named by the program (tprof_roi.h). If there are very
 * many, those of one thread with little time between them are joined.
 */
struct tp_profile_region {
	unsigned run, point, number;
	char region[64];
	unsigned thread;
	double start_seconds, seconds; /* from the program's start on; its length */
	unsigned times; /* how often it was entered in that time */
	/* While the program runs, for all threads together; one of its number takes its place. */
	bool live;
};

extern const struct tp_part tp_profile_region_part;
extern const struct tp_row_event tp_profile_region_event;

#define tp_run_profile_regions(run)   TP_ROWS(run, tp_profile_region_part, tp_profile_region)
#define tp_run_n_profile_regions(run) TP_N(run, tp_profile_region_part)

/* The samples of a point, which follow each other: *first and how many; 0 = none. */
size_t tp_profile_samples(const struct tp_run *run, unsigned point,
			  const struct tp_profile_sample **first);

/* Its regions, likewise. */
size_t tp_profile_regions(const struct tp_run *run, unsigned point,
			  const struct tp_profile_region **first);

/*
 * The regions of a point with the most time, in that order; at most `max`. `seconds` and `times`
 * are sums over threads, `start_seconds` is the time of the first entry.
 */
size_t tp_profile_region_sums(const struct tp_run *run, unsigned point,
			      struct tp_profile_region *sums, size_t max);

/* Its phases, likewise. */
size_t tp_profile_phases(const struct tp_run *run, unsigned point,
			 const struct tp_profile_phase **first);

/* What is known of a meter at a point; NULL = nothing yet. */
const struct tp_profile_meter *tp_profile_meter(const struct tp_run *run, unsigned point,
						enum tp_meter_id id);

/* "A", "B", ..., "Z", "AA", ... */
const char *tp_profile_letter(unsigned group, char out[8]);

#define TP_PROFILE_OPTIONS(X)                                                                      \
	X(PROFILE_COMMAND, "profile.command", TEXT, false, 0, TP_COMMAND_TEXT_BYTES, "", "",       \
	  "The program and its arguments, with blanks between them; double quotes hold an "        \
	  "argument with blanks together, and in them \\x1b is the byte of that number. No shell " \
	  "reads it.",                                                                             \
	  .command_line = "tprof --profile -- PROGRAM ARGUMENTS sets it.", .command = true,        \
	  .code = true, TP_FORM(WHAT, 900))                                                        \
	X(PROFILE_INTERVAL, "profile.interval", SECONDS, false, 0.001, 10, "10ms", "",             \
	  "Time between two samples. A run of more than 65,536 samples goes on with twice the "    \
	  "interval, and so on.",                                                                  \
	  .offers = "1ms 10ms 100ms 1s", TP_FORM(HOW_LONG, 400))                                   \
	X(PROFILE_METERS, "profile.meters", TEXT, true, 0, 40, "", "",                             \
	  "The meters that are read: names of columns of profile.csv, or of several up to a _, "   \
	  "such as disk, memory or code. Without it, all of them.",                                \
	  .offers = "cpus system_cpus code threads_alive resident_bytes minor_faults_per_s "       \
		    "major_faults_per_s waits_per_s preemptions_per_s read written memory event "  \
		    "received sent disk power gpu clock temperature",                              \
	  TP_FORM_MORE(WHAT, 905))                                                                 \
	X(PROFILE_EVENTS, "profile.events", TEXT, true, 0, 200, "", "",                            \
	  "Up to four events of the kernel's PMUs, each as PMU/EVENT/ or PMU/field=value,.../, "   \
	  "as the folders of /sys/bus/event_source/devices name them: "                            \
	  "uncore_imc_0/cas_count_read/.",                                                         \
	  TP_FORM_MORE(WHAT, 910))                                                                 \
	X(PROFILE_PAPI, "profile.papi", TEXT, true, 0, 100, "", "",                                \
	  "Up to six events of PAPI's components by their whole names, as papi_native_avail "      \
	  "lists them: powercap:::ENERGY_UJ:ZONE0, net:::eth0:rx:bytes. They are read with "       \
	  "every sample.",                                                                         \
	  TP_FORM_MORE(WHAT, 912))                                                                 \
	X(PROFILE_REGIONS, "profile.regions", TEXT, true, 0, 300, "", "",                          \
	  "Regions that the source does not mark, each as function=NAME: from where that "         \
	  "function begins to where it returns. Marked regions need no option.",                   \
	  TP_FORM_MORE(WHAT, 915))                                                                 \
	X(PROFILE_INPUT, "profile.input", TEXT, false, 0, 4000, "", "",                            \
	  "A file for the standard input of the program.", TP_FORM_MORE(WHAT, 920))                \
	X(PROFILE_LIMIT, "profile.limit", SECONDS, false, 0.001, 604800, "86400s", "",             \
	  "Longest time for the program. It is ended when it takes longer, and what was sampled "  \
	  "stays.",                                                                                \
	  .offers = "60s 3600s 86400s", TP_FORM_MORE(HOW_LONG, 410))

TP_PROFILE_OPTIONS(TP_OPTION_DECLARE)

#endif
