/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A user's program, run to be counted or timed. Ways of counting are rows of one table; their
 * results have one type.
 */
#ifndef TPROF_APP_APP_H
#define TPROF_APP_APP_H

#include "base/file.h"
#include "base/process.h"
#include "base/status.h"
#include "mix/mix.h"

enum { TP_APP_NAME = 128, TP_APP_LEVELS = 5 };

/* What formulas give besides the columns of a mix. */
enum {
	/* Floating-point instructions of a precision, fused ones twice: FLOPs over them are lanes.
	 */
	TP_APP_FP_SP = TP_MIX_N,
	TP_APP_FP_DP,
	TP_APP_GIVEN_N
};
enum { TP_APP_TERMS = 32, TP_APP_FORMULAS = 16 };

struct tp_app_term {
	const char *event; /* as PAPI and libpfm4 call it: "skx::FP_ARITH:SCALAR_DOUBLE" */
	double coefficient;
};

/* A metric that counter classification made of the events of this CPU. */
struct tp_app_formula {
	const char *metric, *words; /* "DP operations", "2 x A + 4 x B" */
	unsigned gives; /* enum tp_mix_index, or TP_APP_FP_... */
	const struct tp_app_term *terms;
	size_t n; /* at most TP_APP_TERMS */
};

struct tp_app_formulas {
	const char *run; /* name of the run that found them */
	const struct tp_app_formula *items;
	size_t n; /* at most TP_APP_FORMULAS */
	bool demanded; /* the user named the run: no other one replaces it */
};

/* Regions and threads of one program. */
enum { TP_APP_REGIONS = 128, TP_APP_THREADS = 256 };

/* A thread enters a region that it is not in, or leaves it. */
struct tp_app_mark {
	unsigned region, thread; /* below TP_APP_REGIONS, TP_APP_THREADS */
	bool is_end;
	double at; /* CLOCK_MONOTONIC, in seconds */
};

/* The command, and its streams. */
struct tp_app_command {
	char *const *words; /* up to NULL; the first is the program, found as by tp_program_find */
	char *const
		*variables; /* "NAME=value" up to NULL, in place of inherited ones; NULL = none */
	const char *folder; /* to run in; NULL = that of this process */
	const char *input; /* path for its standard input; NULL = that of this process */
	int output, errors; /* descriptors for its streams; -1 = they are discarded */
	struct tp_output *kept; /* its output goes there instead; NULL = nowhere */
	/* Of these streams and of what is heard: as in tp_command_line. */
	unsigned piped;
	bool together;
	void (*heard)(void *listener, size_t stream, const char *bytes, size_t n);
	void *listener;
	const unsigned *cpus; /* OS numbers of those it may use */
	unsigned n_cpus; /* 0 = those of this process */
	char *const *functions; /* regions by function name, up to NULL; NULL = none */
	const struct tp_app_formulas *formulas; /* that the CPU's counters go by; NULL = none */
	double limit_seconds; /* INFINITY = none */
	/* Its number is written there before it is executed, for a watcher; NULL = nowhere */
	volatile uint32_t *pid;
	/* Asked several times a second; false ends the program. NULL = not asked. */
	bool (*go_on)(void *context);
	/*
	 * Called before each of these questions, only in a native run: the marks since the last
	 * call, in pieces up to an empty one, and the names of all regions. NULL = not called.
	 */
	void (*marks)(void *context, const struct tp_app_mark *marks, size_t n,
		      char (*names)[TP_APP_NAME]);
	void *context;
};

/* The results of one region, on one thread or on all. */
struct tp_app_region {
	char name[TP_APP_NAME]; /* "" = everything outside regions */
	unsigned thread; /* index; TP_APP_ALL = all of them together */
	uint64_t mix[TP_MIX_N];
	uint64_t other_hosts_instructions; /* of those in `mix` */
	uint64_t entries;
	/*
	 * Between entry and exit. A nested region counts and is timed separately: while it is open,
	 * the clock of the outer one stands still. Of all threads together: the time of the thread
	 * that was in it longest. Times of an instrumented run compare only with each other.
	 */
	double seconds;
	/*
	 * [1..3] caches, [4] memory; all 0 = not sampled. What came from a level, in whole lines;
	 * [1] what the first cache gave more than once.
	 */
	double level_bytes[TP_APP_LEVELS];
	uint64_t accesses, contested; /* sampled; to lines that another thread writes, too */
	bool unended; /* it was entered and never left */
	/* Of all threads of several processes: how many had work in it at the same time; else 0. */
	unsigned busy_threads;
};
#define TP_APP_ALL (~0u)

/* A function that takes part, by what its own instructions do. */
struct tp_app_function {
	char name[TP_APP_NAME], module[TP_APP_NAME]; /* "" without a symbol; file name */
	unsigned thread; /* the only one that executes it, else TP_APP_ALL */
	uint64_t mix[TP_MIX_N];
};

/* A thread with less than this share of a region's instructions does not take part in it. */
#define TP_APP_BUSY 0.01

/* A process that the program started, itself included, or several that ran the same program. */
struct tp_app_process {
	char program[TP_APP_NAME]; /* the name of its file */
	unsigned n; /* 1: this one; else the number that the sum has */
	bool is_sum; /* of all processes with that program and rank */
	bool followed; /* false: it ran uncounted, and all below is unknown; `why` */
	bool has_rank;
	unsigned rank; /* in an MPI job */
	unsigned threads; /* that ran; of a sum the most */
	uint64_t mix[TP_MIX_N];
	/* From its start to its end; of a sum the longest. */
	double wall_seconds;
	double cpu_seconds; /* 0 = unknown: it was killed */
	/*
	 * Of a native run: until MPI_Init had returned, and in functions of MPI from then on; of a
	 * sum the longest. 0 = it does not use MPI.
	 */
	double start_seconds, mpi_seconds;
	char why[160];
};

/* A system call, on all threads together: how long they were in it in the counted run. */
struct tp_app_call {
	unsigned number;
	uint64_t n;
	double seconds;
};

enum { TP_APP_CALLS = 8 }; /* that are kept */

/* "read", "futex" of the calls that wait or work; NULL = another one. */
const char *tp_app_call_name(unsigned number);

/* Release with tp_app_counts_release. */
struct tp_app_counts {
	struct tp_app_region *regions; /* sums over all threads first, then each thread's */
	size_t n_regions;
	struct tp_app_function *functions; /* most instructions first */
	size_t n_functions;
	/* Of the process that did most: the longest first; n 0 = no more. */
	struct tp_app_call calls[TP_APP_CALLS];
	double call_seconds[TP_APP_THREADS]; /* of each thread in system calls, as n_threads */
	uint64_t children; /* processes that it started */
	unsigned n_threads; /* that ran, of the process that did most */
	/* Threads that had work at the same time, in all processes; 0 = there was one process. */
	unsigned busy_threads;
	struct tp_app_process *processes; /* sums first, by rank, then most instructions first */
	size_t n_processes;
	unsigned ran; /* images of processes that were counted */
	unsigned ranks; /* of the MPI job, as its launcher reports; 0 = not an MPI job */
	struct tp_process_end end;
	double wall_seconds;
	/*
	 * False: a process that was counted ran on uncounted at some time; `notes` has the reason.
	 */
	bool complete;
	bool uncounted_programs; /* there are processes that were not counted at all */
	struct tp_diags
		notes; /* for readers: children that were not counted, regions that never ended */
};

/* A time that a thread was in a region without a break. */
struct tp_app_span {
	unsigned region; /* of TP_APP_REGIONS */
	unsigned thread; /* index, below TP_APP_THREADS */
	double start, seconds; /* CLOCK_MONOTONIC, in seconds */
};

/* Of a program and of the children that it waited for. */
struct tp_app_usage {
	uint64_t page_faults;
	uint64_t waits, preemptions; /* it gave its CPU up; others took it */
};

/* One native run. */
struct tp_app_time {
	struct tp_app_region *regions; /* only names, threads, entries and seconds */
	size_t n_regions;
	/* Which region when, by their ends; of a program that enters them very often the first. */
	struct tp_app_span *spans;
	size_t n_spans;
	char (*names)[TP_APP_NAME]; /* of regions, TP_APP_REGIONS of them; NULL without spans */
	bool spans_end_early;
	uint64_t lost_marks; /* entries and exits that have no span, as there was no room */
	struct tp_app_process *processes; /* as in tp_app_counts, without their counts */
	size_t n_processes;
	double wall_seconds, user_seconds, system_seconds;
	uint64_t max_rss_bytes;
	struct tp_app_usage usage;
	struct tp_process_end end;
	struct tp_diags notes;
};

/* How a program is counted. */
struct tp_app_source {
	const char *name, *summary;
	/*
	 * TP_OK, or why this program (path; NULL = any) cannot be counted this way, with a fix:
	 * static, setuid, a script, another architecture, a tool that is not installed. `formulas`
	 * are those that the command will have.
	 */
	enum tp_status (*supported)(const char *path, const struct tp_app_formulas *formulas,
				    struct tp_diag *diag);
	/*
	 * Runs it, once or as often as it must. TP_OK even if the program failed or was killed:
	 * counts->end says how it ended, and what was counted before is there. TP_CANCELLED.
	 */
	enum tp_status (*count)(const struct tp_app_command *command, struct tp_app_counts *counts,
				struct tp_diag *diag);
};

extern const struct tp_app_source tp_app_agent, tp_app_qemu, tp_app_pmu;
extern const struct tp_app_source *const tp_app_source_table[]; /* all of them, in this order */
extern const size_t tp_app_source_count;
const struct tp_app_source *tp_app_source_find(const char *name);
void tp_app_counts_release(struct tp_app_counts *counts);

/* Runs it natively, once; regions that it names itself, or by function, are timed. */
enum tp_status tp_app_time(const struct tp_app_command *command, struct tp_app_time *time,
			   struct tp_diag *diag);
void tp_app_time_release(struct tp_app_time *time);

/* The cache sizes for the model of sampled addresses. */
struct tp_app_cache {
	uint64_t bytes;
	unsigned ways, line_bytes;
	bool shared;
};
/* As the agent's `count`, with level_bytes by a model of these caches. */
enum tp_status tp_app_trace(const struct tp_app_command *command,
			    const struct tp_app_cache caches[3], struct tp_app_counts *counts,
			    struct tp_diag *diag);

#endif
