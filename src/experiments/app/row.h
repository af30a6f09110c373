/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of counted programs, their points, and the results: regions, classes of instructions,
 * functions. Their roofs are points without a command.
 */
#ifndef TPROF_EXPERIMENTS_APP_ROW_H
#define TPROF_EXPERIMENTS_APP_ROW_H

#include "base/command.h"
#include "preset/options.h"
#include "record/point.h"
#include "record/run.h"

enum {
	TP_APP_TEXT = 240,
	TP_APP_REGION = 128,
	TP_APP_ROOF_LEVELS = 4, /* L1, L2, L3, DRAM */
	TP_APP_FUNCTIONS_MAX = 40, /* that a run keeps, of each way of counting */
	TP_APP_REGIONS_MAX = 512, /* rows, including those of single threads */
	TP_APP_PROCESS_ROWS_MAX = 600, /* likewise */
};

/* Names of rows that are not a region of the program's own. */
#define TP_APP_PROGRAM "(program)" /* all of it */
#define TP_APP_OUTSIDE "(outside)" /* everything outside regions, if there are any */

/* A program that computes with fewer of its instructions, in percent, is about something else. */
#define TP_APP_HARDLY_FP 5.0

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

/* One of zeros if the point is of another kind. Never NULL. */
const struct tp_app_row *tp_app_row(const struct tp_point *point);

/* True if the point runs a program. */
bool tp_point_is_app(const struct tp_point *point);

/* True for the way of counting that the point uses; for every way while it is under way. */
bool tp_app_goes_by(const struct tp_point *point, const char *source);

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
	double fp_percent; /* of its instructions compute in floating point; 0 = unknown */
	/* instructions that limit by their latency or where they meet, as of mix/mix.h */
	uint64_t loads, branches, fp_divides, locked, chain_cycles, chained_fp, chained_loads;
	/* Of several threads: what the busiest one does of its work, and where no other one is. */
	double most_percent, alone_percent;
	double contested_percent; /* of the accesses that were followed */
	/* of one run without instrumentation: the median, with its interval; 0 = not timed */
	double seconds, seconds_low, seconds_high;
	unsigned timed_runs;
	double level_bytes[TP_APP_ROOF_LEVELS]; /* that came from there; all 0 = not followed */
	/*
	 * Of the whole program, in runs without instrumentation: the share of its CPU time that the
	 * kernel takes, and the share of its time without any CPU; 0 = unknown.
	 */
	double kernel_percent, waiting_percent;
	double mean_cpus; /* CPU time over time: how many CPUs are busy; 0 = unknown */
	uint64_t page_faults, children;
	double calls_percent; /* of its time in system calls, of the busy thread with least */
	char calls[64]; /* where the run that was counted spent its time: "read 98 %, ..." */
	/* Others, or the hypervisor, took its CPUs: that explains half of its waiting. */
	bool preempted;
	bool differs; /* the counted run ended differently from a timed one, or printed something
			 else */
	bool prints_otherwise; /* the latter */
	double uncounted_percent; /* of the CPU time, of processes that ran uncounted */
	double other_hosts_percent; /* of its instructions; roofs are of this host */
	double mpi_percent; /* of the time since MPI_Init, of all ranks together, in MPI */
	bool unended, incomplete;
	/* what `reduce` finds */
	double ai_flop_per_byte, gflops, gbps;
	char precision[8], isa[16]; /* of most FLOPs; the widest that computes */
	unsigned roof_threads; /* of the roofs it is compared with; 0 = none */
	/*
	 * "memory", "compute", "chain", "latency", "divides", "neither"; "differs", "waiting",
	 * "kernel", "serial", "balance", "sharing", "locks", "other"
	 */
	char bound[8];
	char roof[8]; /* the lowest roof that allows it: L1 L2 L3 DRAM FP */
	char above[8]; /* the highest roof that it is above; "" = none */
	double roof_gflops; /* that roof at its intensity */
	double roof_gbps; /* of a memory roof */
	double roof_percent; /* its GFLOP/s in percent of that */
	double roof_percent_low, roof_percent_high; /* with both intervals; 0 = unknown */
	/* of its time that what `bound` names takes at least, in percent; 0 = not known */
	double explained_percent;
	double clock_ghz; /* of its CPUs, as measured with the roofs; 0 = unknown */
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
	double percent; /* of the region's instructions; 0 if it is not a share of them */
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

/*
 * Processes that the program started: the sum of a program, or one of those that did most. Only if
 * there were several. An MPI job has rows for each rank.
 */
struct tp_app_process_row {
	/* identity */
	unsigned run, point;
	char source[16], program[64];
	char process[12]; /* "all", or its number, most instructions first */
	char rank[12]; /* in an MPI job; "" = none */
	/* found */
	unsigned processes, threads; /* threads: the most of one */
	uint64_t instructions, flops, bytes;
	double flops_percent; /* of all that was counted */
	/* Of a sum, means of the runs without instrumentation. */
	double seconds; /* from start to end; of several the longest */
	double cpu_seconds, cpu_percent; /* percent of the CPU time of the whole program */
	double start_seconds; /* until MPI_Init had returned */
	double mpi_seconds, mpi_percent; /* in MPI since then; percent of the time since then */
	bool slow; /* the rank computes a quarter longer than the median of the ranks, or more */
	char uncounted[160]; /* why it ran without being counted; "" = it was counted */
};

extern const struct tp_part tp_app_process_part;
extern const struct tp_row_event tp_app_process_event;

#define tp_run_app_processes(run)   TP_ROWS(run, tp_app_process_part, tp_app_process_row)
#define tp_run_n_app_processes(run) TP_N(run, tp_app_process_part)

/* True for a rank of an MPI job that was timed. */
bool tp_app_is_rank(const struct tp_app_process_row *row);
/* Seconds that a rank computes: since MPI_Init, outside of MPI. */
double tp_app_computing(const struct tp_app_process_row *row);

#define TP_APP_OPTIONS(X)                                                                          \
	X(APP_COMMAND, "app.command", TEXT, false, 0, TP_COMMAND_TEXT_BYTES, "", "",               \
	  "The program and its arguments, with blanks between them; double quotes hold an "        \
	  "argument with blanks together, and in them \\x1b is the byte of that number. No shell " \
	  "reads it.",                                                                             \
	  .command_line = "tprof --app -- PROGRAM ARGUMENTS sets it.", .command = true,            \
	  .code = true, TP_FORM(WHAT, 10800))                                                      \
	X(APP_SOURCE, "app.source", WORD, false, 0, 0, "auto",                                     \
	  "auto instrument agent qemu pmu both",                                                   \
	  "How floating-point operations and bytes are counted.",                                  \
	  .meanings = "auto\twhat works for this program here\n"                                   \
		      "instrument\tevery instruction: agent, or else qemu\n"                       \
		      "agent\tevery instruction, by code that tprof puts into the program\n"       \
		      "qemu\tevery instruction, in an emulator\n"                                  \
		      "pmu\tcounters of the CPU\n"                                                 \
		      "both\tevery instruction and counters, side by side\n",                      \
	  TP_FORM(WHAT, 10810))                                                                    \
	X(APP_FORMULAS, "app.formulas", TEXT, false, 0, 4000, "auto", "",                          \
	  "The run of counter classification whose formulas pmu uses: auto takes the newest "      \
	  "one that found FLOPs among the hardware events of this CPU model, if there is one; "    \
	  "off takes the events that tprof has built in; else the name of a run.",                 \
	  .offers = "auto off", TP_FORM_MORE(WHAT, 10815))                                         \
	X(APP_REGIONS, "app.regions", TEXT, true, 0, 300, "", "",                                  \
	  "Regions that the source does not mark, each as function=NAME: from where that "         \
	  "function begins to where it returns. Marked regions need no option.",                   \
	  TP_FORM(WHAT, 10820))                                                                    \
	X(APP_THREADS, "app.threads", COUNT, true, 1, 65536, "", "all",                            \
	  "Thread counts, each a point: sets OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, "              \
	  "MKL_NUM_THREADS and BLIS_NUM_THREADS. Without it the environment stays as it is. The "  \
	  "word all is as many as CPUs.",                                                          \
	  TP_FORM(WHERE, 400))                                                                     \
	X(APP_ENV, "app.env", TEXT, true, 0, 4000, "", "",                                         \
	  "Variables of the program's environment, each as NAME=VALUE. All others stay as they "   \
	  "are.",                                                                                  \
	  .code = true, TP_FORM_MORE(WHAT, 10830))                                                 \
	X(APP_FOLDER, "app.folder", TEXT, false, 0, 4000, "", "",                                  \
	  "The folder that the program runs in; without it, the one that tprof runs in.",          \
	  .code = true, TP_FORM_MORE(WHAT, 10840))                                                 \
	X(APP_INPUT, "app.input", TEXT, false, 0, 4000, "", "",                                    \
	  "A file for the standard input of every run of the program.", TP_FORM_MORE(WHAT, 10850)) \
	X(APP_LEVELS, "app.levels", BOOL, false, 0, 0, "false", "",                                \
	  "Follow a sample of the addresses through a model of the caches, so that the report "    \
	  "counts the bytes by cache level. This takes one more slow run.",                        \
	  TP_FORM(WHAT, 10860))                                                                    \
	X(APP_ROOFS, "app.roofs", TEXT, false, 0, 4000, "auto", "",                                \
	  "The roofs of this machine above the program: auto, all, measure, none, or the name of " \
	  "a run that has measured them, in app or as a roofline of loads alone.",                 \
	  .offers = "auto all measure none",                                                       \
	  .meanings = "auto\tof a run of the last 30 days that fits, else measure what it needs\n" \
		      "all\tas auto, also those of thread counts that it does not use\n"           \
		      "measure\tthose that it needs, again; some seconds for each thread count\n"  \
		      "none\tno roofs: only counts and speeds\n",                                  \
	  TP_FORM(WHAT, 10870))                                                                    \
	X(APP_RUNS, "app.runs", COUNT, false, 1, 100000, "5", "",                                  \
	  "Runs that are timed, without instrumentation, at least. The stop rules decide on "      \
	  "more; the trimmed rule uses its groups instead.",                                       \
	  .offers = "3 5 10 20", TP_FORM(HOW_LONG, 540))                                           \
	X(APP_MAX_TIME, "app.max_time", SECONDS, false, 0.001, 86400, "10s", "",                   \
	  "Longest time for the runs that are timed; no run begins after it, unless there are "    \
	  "fewer than app.runs.",                                                                  \
	  .offers = "5s 10s 60s", TP_FORM(HOW_LONG, 550))                                          \
	X(APP_LIMIT, "app.limit", SECONDS, false, 0.001, 86400, "600s", "",                        \
	  "Longest time for one run. A program that takes longer is ended.",                       \
	  .offers = "60s 600s 3600s", TP_FORM_MORE(HOW_LONG, 560))

TP_APP_OPTIONS(TP_OPTION_DECLARE)

#endif
