/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/row.h"

#include <string.h>

#include "experiments/windows/quality.h"
#include "preset/shared_options.h"
#include "record/dot.h"
#include "record/limits.h"
#include "record/roof.h"

TP_APP_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_app = {
	.experiment = "app",
	.uses = TP_USES_WINDOWS " level dram",
	.place = 36,
	.rows = { TP_APP_OPTIONS(TP_OPTION_ROW) NULL },
};

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* Points of other experiments, and roofs, have no exit status. */
static bool runs(const void *row)
{
	return ((const struct tp_app_row *)row)->command[0] != '\0';
}

/* clang-format off */
#define A(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_app_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

static const struct tp_column columns[] = {
	A(command,         "app_command",     TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "The program that was counted, with its arguments; empty for a roof that was measured with it."),
	A(wanted_threads,  "app_threads",     UNSIGNED, NONZERO, DIMENSION, ID,
	  .most = TP_RUN_THREADS_MAX,
	  .help = "The threads that app.threads asked for; empty if the environment decides."),
	A(source,          "app_source",      TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "How it was counted."),
	A(exit_status,     "app_exit_status", UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs),
	A(signal,          "app_signal",      UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Exit status and signal of the program, of the first run that failed."),
	A(ran_threads,     "app_ran_threads", UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Threads of the program that were counted."),
	A(time_seconds,    "app_seconds",     REAL,     NONZERO, METRIC,    FOUND, .unit = "s"),
	A(user_seconds,    "app_user_seconds", REAL,    NONZERO, NOTE,      FOUND, .unit = "s"),
	A(system_seconds,  "app_system_seconds", REAL,  NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Median times of the runs without instrumentation: from start to end, and on "
		  "CPUs."),
	A(counted_seconds, "app_counted_seconds", REAL, NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Time of the run that was counted: over app_seconds it is what counting costs."),
	A(max_rss_bytes,   "app_rss_bytes",   U64,      NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "The most memory of one of its processes; empty if that is less than what the "
		  "engine of "
		  "tprof has."),
	A(incomplete,      "app_incomplete",  BOOL,     ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "true if a part of the program ran without being counted."),
};

/* clang-format on */

static const struct tp_table app_table = { TP_TABLE(struct tp_app_row, columns),
					   .base = &tp_kernel_table };

_Static_assert(sizeof(struct tp_app_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_app_row *tp_app_row(const struct tp_point *point)
{
	return tp_point_row(point, &app_table);
}

bool tp_point_is_app(const struct tp_point *point)
{
	return runs(tp_app_row(point));
}

bool tp_app_goes_by(const struct tp_point *point, const char *source)
{
	const char *own = tp_app_row(point)->source;
	return !*own || strcmp(own, source) == 0;
}

bool tp_app_is_whole(const struct tp_app_region_row *row)
{
	return strcmp(row->thread, "all") == 0;
}

uint64_t tp_app_flops(const struct tp_app_region_row *row)
{
	return row->flops_sp + row->flops_dp + row->flops_half + row->flops_x87;
}

uint64_t tp_app_bytes(const struct tp_app_region_row *row)
{
	return row->bytes_loaded + row->bytes_stored;
}

enum { BOTH = TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define R(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_app_region_row, member, name, type, rule, TP_ROLE_##role, BOTH, __VA_ARGS__)

#define POINT(row) \
	TP_COLUMN(row, run, "run", UNSIGNED, ALWAYS, TP_ROLE_IDENTITY, BOTH, .most = TP_RUN_POINTS_MAX - 1), \
	TP_COLUMN(row, point, "point", UNSIGNED, ALWAYS, TP_ROLE_IDENTITY, BOTH, \
		  .most = TP_RUN_POINTS_MAX - 1, .help = "The point that ran the program.")

static const struct tp_column region_columns[] = {
	POINT(struct tp_app_region_row),
	R(region,         "region",         TEXT,     ALWAYS,  DIMENSION,
	  .help = "Name of the region. (program) is all of it, (outside) what is in no region."),
	R(threads,        "threads",        UNSIGNED, ALWAYS,  DIMENSION, .most = TP_RUN_THREADS_MAX,
	  .help = "Threads of the point."),
	R(thread,         "thread",         TEXT,     ALWAYS,  DIMENSION,
	  .help = "all, or the number of the thread whose share this is."),
	R(source,         "source",         TEXT,     ALWAYS,  DIMENSION,
	  .help = "How it was counted: agent, qemu or pmu."),
	R(flops_sp,       "flops_sp",       U64,      ALWAYS,  NOTE),
	R(flops_dp,       "flops_dp",       U64,      ALWAYS,  NOTE),
	R(flops_half,     "flops_half",     U64,      ALWAYS,  NOTE),
	R(flops_x87,      "flops_x87",      U64,      ALWAYS,  NOTE,
	  .help = "Floating-point operations in single, double and half precision and of the x87 "
		  "unit; a "
		  "fused multiply-add is two for each lane."),
	R(bytes_loaded,   "bytes_loaded",   U64,      ALWAYS,  NOTE, .unit = "B"),
	R(bytes_stored,   "bytes_stored",   U64,      ALWAYS,  NOTE, .unit = "B",
	  .help = "Bytes that the cores moved, from any cache."),
	R(instructions,   "instructions",   U64,      ALWAYS,  NOTE),
	R(entries,        "entries",        U64,      ALWAYS,  NOTE,
	  .help = "How often the region was entered in the run that was counted."),
	R(timed_entries,  "timed_entries",  U64,      ALWAYS,  NOTE,
	  .help = "The same in a run that was timed; where both differ, the program did not do "
		  "the same."),
	R(busy_threads,   "busy_threads",   UNSIGNED, NONZERO, NOTE,
	  .help = "Threads that executed a hundredth of its instructions or more."),
	R(scalar_percent, "scalar_percent", REAL,     ALWAYS,  NOTE, .unit = "%"),
	R(sse_percent,    "sse_percent",    REAL,     ALWAYS,  NOTE, .unit = "%"),
	R(avx_percent,    "avx_percent",    REAL,     ALWAYS,  NOTE, .unit = "%"),
	R(avx512_percent, "avx512_percent", REAL,     ALWAYS,  NOTE, .unit = "%",
	  .help = "Shares of its FLOPs in single and double precision by the width of the "
		  "instruction: one "
		  "lane, 128, 256 and 512 bits."),
	R(fma_percent,    "fma_percent",    REAL,     ALWAYS,  NOTE, .unit = "%",
	  .help = "Share of these FLOPs in fused multiply-adds."),
	R(fp_percent,     "fp_percent",     REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of its instructions that compute in floating point."),
	R(loads,          "loads",          U64,      NONZERO, NOTE),
	R(branches,       "branches",       U64,      NONZERO, NOTE),
	R(fp_divides,     "fp_divides",     U64,      NONZERO, NOTE),
	R(locked,         "locked",         U64,      NONZERO, NOTE,
	  .help = "Instructions that load, that branch, that divide or take roots in floating "
		  "point, and "
		  "that lock memory."),
	R(chain_cycles,   "chain_cycles",   U64,      NONZERO, NOTE),
	R(chained_fp,     "chained_fp",     U64,      NONZERO, NOTE),
	R(chained_loads,  "chained_loads",  U64,      NONZERO, NOTE,
	  .help = "Cycles that rounds of loops wait for results of the round before, at the least latencies; floating-point instructions and loads on these chains. Only loops of one block."),
	R(most_percent,   "most_percent",   REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of its work that the busiest of several threads does: FLOPs, or "
		  "instructions if few "
		  "compute."),
	R(alone_percent,  "alone_percent",  REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of its work that this thread does in functions where no other one is."),
	R(contested_percent, "contested_percent", REAL, NONZERO, NOTE, .unit = "%",
	  .help = "With app.levels: share of its accesses to lines that another thread writes at "
		  "the same "
		  "time."),
	R(seconds,        "seconds",        REAL,     NONZERO, METRIC, .unit = "s"),
	R(seconds_low,    "seconds_low",    REAL,     NONZERO, INTERVAL, .unit = "s"),
	R(seconds_high,   "seconds_high",   REAL,     NONZERO, INTERVAL, .unit = "s"),
	R(timed_runs,     "timed_runs",     UNSIGNED, NONZERO, NOTE,
	  .help = "Time of the region in a run without instrumentation: median over runs, their number, and its confidence interval. For all threads it is the time of the slowest one."),
	R(level_bytes[0], "l1_bytes",       REAL,     NONZERO, NOTE, .unit = "B"),
	R(level_bytes[1], "l2_bytes",       REAL,     NONZERO, NOTE, .unit = "B"),
	R(level_bytes[2], "l3_bytes",       REAL,     NONZERO, NOTE, .unit = "B"),
	R(level_bytes[3], "dram_bytes",     REAL,     NONZERO, NOTE, .unit = "B",
	  .help = "With app.levels: bytes that came from each level, by a model of the caches "
		  "that follows a "
		  "sample of the addresses."),
	R(kernel_percent, "kernel_percent", REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of the program's CPU time that the kernel spends for it."),
	R(waiting_percent, "waiting_percent", REAL,   NONZERO, NOTE, .unit = "%",
	  .help = "Share of the program's time in which no thread of it had a CPU, at least."),
	R(mean_cpus,      "mean_cpus",      REAL,     NONZERO, NOTE,
	  .help = "CPU time of the program over its time: CPUs that are busy in the mean."),
	R(children,       "children",       U64,      NONZERO, NOTE,
	  .help = "Processes that it started."),
	R(calls_percent,  "calls_percent",  REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of its time in system calls, in the run that was counted, of the busy "
		  "thread with "
		  "the least."),
	R(calls,          "calls",          TEXT,     ALWAYS,  NOTE,
	  .help = "System calls that took a fifth or more of the time of the run that was "
		  "counted; times of several threads add up."),
	R(page_faults,    "page_faults",    U64,      NONZERO, NOTE,
	  .help = "Page faults of the program in a run that was timed."),
	R(preempted,      "preempted",      BOOL,     ALWAYS,  NOTE,
	  .help = "true if it is not in system calls for half of its time, and the hypervisor "
		  "took its CPUs, "
		  "or other programs so often that, at 10 ms each, this is half of its waiting "
			  "or more."),
	R(differs,        "differs",        BOOL,     ALWAYS,  NOTE,
	  .help = "true if the run that was counted ended with another status or signal than one "
		  "that was "
		  "timed, or printed something else: there is no conclusion then."),
	R(prints_otherwise, "prints_otherwise", BOOL, ALWAYS,  NOTE,
	  .help = "true if it printed something else."),
	R(uncounted_percent, "uncounted_percent", REAL, NONZERO, NOTE, .unit = "%",
	  .help = "Share of the CPU time of processes that ran without being counted."),
	R(other_hosts_percent, "other_hosts_percent", REAL, NONZERO, NOTE, .unit = "%",
	  .help = "Share of its instructions that other hosts executed: roofs of this one are "
		  "not its roofs."),
	R(mpi_percent,    "mpi_percent",    REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of the time since MPI_Init that the ranks spend in functions of MPI."),
	R(unended,        "unended",        BOOL,     ALWAYS,  NOTE,
	  .help = "true if the region was entered and never left."),
	R(incomplete,     "incomplete",     BOOL,     ALWAYS,  NOTE,
	  .help = "true if a part of the program ran without being counted."),
	R(ai_flop_per_byte, "ai_flop_per_byte", REAL, NONZERO, DIMENSION, .unit = "FLOP/B",
	  .help = "Arithmetic intensity: FLOPs over bytes loaded and stored."),
	R(gflops,         "gflops",         REAL,     NONZERO, METRIC, .unit = "GFLOP/s"),
	R(gbps,           "gbps",           REAL,     NONZERO, METRIC, .unit = "GB/s",
	  .help = "FLOPs and bytes over the time."),
	R(precision,      "precision",      TEXT,     ALWAYS,  NOTE,
	  .help = "Precision of most of its FLOPs."),
	R(isa,            "isa",            TEXT,     ALWAYS,  NOTE,
	  .help = "The widest instructions that do a twentieth of its FLOPs or more."),
	R(roof_threads,   "roof_threads",   UNSIGNED, NONZERO, NOTE, .most = TP_RUN_THREADS_MAX,
	  .help = "Threads of its roofs."),
	R(bound,          "bound",          TEXT,     ALWAYS,  NOTE,
	  .help = "What limits it. memory or compute: the lowest roof that allows its speed; "
		  "chain, latency, "
		  "divides: results, loads or divisions that it waits for; neither: it is far "
			  "below all roofs, "
		  "and nothing that was counted explains that. differs: unknown, as the runs differ. "
			  "mpi: its "
		  "ranks are in MPI for half of their time or more. waiting, kernel: "
		  "most of its time, or of its CPU time, goes there. serial, balance: one thread "
			  "works while "
		  "others could. sharing, locks: its threads meet in memory. other: few of its "
			  "instructions "
		  "compute in floating point."),
	R(roof,           "roof",           TEXT,     ALWAYS,  NOTE,
	  .help = "That roof: L1, L2, L3, DRAM, or FP for the peak."),
	R(above,          "above",          TEXT,     ALWAYS,  NOTE,
	  .help = "The highest roof that its speed is above: nearer caches than that serve it."),
	R(roof_gflops,    "roof_gflops",    REAL,     NONZERO, METRIC, .unit = "GFLOP/s"),
	R(roof_gbps,      "roof_gbps",      REAL,     NONZERO, NOTE, .unit = "GB/s"),
	R(roof_percent,   "roof_percent",   REAL,     NONZERO, METRIC, .unit = "%",
	  .help = "What the roof allows at its intensity, its bandwidth, and the speed in "
		  "percent of it."),
	R(roof_percent_low, "roof_percent_low", REAL, NONZERO, INTERVAL, .unit = "%"),
	R(roof_percent_high, "roof_percent_high", REAL, NONZERO, INTERVAL, .unit = "%"),
	R(explained_percent, "explained_percent", REAL, NONZERO, NOTE, .unit = "%",
	  .help = "Share of its time that what limits it takes at least."),
	R(clock_ghz,      "clock_ghz",      REAL,     NONZERO, NOTE, .unit = "GHz",
	  .help = "Clock of its CPUs, as measured with the roofs."),
	R(peak_gflops,    "peak_gflops",    REAL,     NONZERO, NOTE, .unit = "GFLOP/s"),
	R(ridge_flop_per_byte, "ridge_flop_per_byte", REAL, NONZERO, NOTE, .unit = "FLOP/B",
	  .help = "The peak of its precision, and the intensity where the memory roof meets it."),
	R(trust,          "trust",          TEXT,     ALWAYS,  NOTE),
	R(reasons,        "reasons",        TEXT,     ALWAYS,  NOTE,
	  .help = "How far to trust the row, good, fair or poor, and why it is not good."),
};

#define C(member, name, type, role, ...) \
	TP_COLUMN(struct tp_app_class_row, member, name, type, ALWAYS, TP_ROLE_##role, BOTH, __VA_ARGS__)

static const struct tp_column class_columns[] = {
	POINT(struct tp_app_class_row),
	C(region,  "region",  TEXT, DIMENSION, .help = "The region, on all threads."),
	C(source,  "source",  TEXT, DIMENSION, .help = "How it was counted."),
	C(name,    "class",   TEXT, DIMENSION,
	  .help = "What was counted: a kind of instructions, an extension of the instruction "
		  "set, bytes "
		  "or FLOPs."),
	C(count,   "count",   U64,  METRIC,
	  .help = "How many there were."),
	C(percent, "percent", REAL, NOTE, .unit = "%",
	  .help = "Share of the region's instructions; 0 for FLOPs and bytes."),
};

#define P(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_app_process_row, member, name, type, rule, TP_ROLE_##role, BOTH, __VA_ARGS__)

static const struct tp_column process_columns[] = {
	POINT(struct tp_app_process_row),
	P(source,        "source",        TEXT,     ALWAYS,  DIMENSION, .help = "How it was counted."),
	P(program,       "program",       TEXT,     ALWAYS,  DIMENSION, .help = "The name of its file."),
	P(process,       "process",       TEXT,     ALWAYS,  DIMENSION,
	  .help = "all: the sum over the processes that ran the program; else the number of one "
		  "of those that "
		  "did most, most instructions first."),
	P(rank,          "rank",          TEXT,     ALWAYS,  DIMENSION,
	  .help = "Its rank in an MPI job."),
	P(processes,     "processes",     UNSIGNED, ALWAYS,  NOTE,
	  .help = "How many processes the row sums up."),
	P(threads,       "threads",       UNSIGNED, NONZERO, NOTE, .most = TP_RUN_THREADS_MAX,
	  .help = "Threads of a process, at most."),
	P(instructions,  "instructions",  U64,      ALWAYS,  METRIC),
	P(flops,         "flops",         U64,      ALWAYS,  METRIC),
	P(bytes,         "bytes",         U64,      ALWAYS,  METRIC, .unit = "B",
	  .help = "What it did: instructions, floating-point operations, bytes loaded and stored."),
	P(flops_percent, "flops_percent", REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Share of the FLOPs of all processes."),
	P(seconds,       "seconds",       REAL,     NONZERO, METRIC, .unit = "s",
	  .help = "From its start to its end without instrumentation, mean over runs; of several "
		  "the longest."),
	P(cpu_seconds,   "cpu_seconds",   REAL,     NONZERO, METRIC, .unit = "s"),
	P(cpu_percent,   "cpu_percent",   REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "CPU time without instrumentation, and its share of the whole program's."),
	P(start_seconds, "start_seconds", REAL,     NONZERO, NOTE, .unit = "s",
	  .help = "From its start until MPI_Init returned."),
	P(mpi_seconds,   "mpi_seconds",   REAL,     NONZERO, METRIC, .unit = "s"),
	P(mpi_percent,   "mpi_percent",   REAL,     NONZERO, NOTE, .unit = "%",
	  .help = "Time in functions of MPI after MPI_Init, and its share of the time since then."),
	P(slow,          "slow",          BOOL,     ALWAYS,  NOTE,
	  .help = "true if the rank computes a quarter longer than the median of the ranks, or "
		  "more."),
	P(uncounted,     "uncounted",     TEXT,     ALWAYS,  NOTE,
	  .help = "Why it ran without being counted; empty if it was counted."),
};

#define F(member, name, type, role, ...) \
	TP_COLUMN(struct tp_app_function_row, member, name, type, ALWAYS, TP_ROLE_##role, BOTH, __VA_ARGS__)

static const struct tp_column function_columns[] = {
	POINT(struct tp_app_function_row),
	F(source,       "source",       TEXT, DIMENSION, .help = "How it was counted."),
	F(function,     "function",     TEXT, DIMENSION),
	F(module,       "module",       TEXT, DIMENSION,
	  .help = "The function, empty if nothing names it, and the file that it is in."),
	F(instructions, "instructions", U64,  METRIC),
	F(flops,        "flops",        U64,  METRIC),
	F(bytes,        "bytes",        U64,  METRIC, .unit = "B",
	  .help = "What its own instructions did, without functions that it calls."),
	F(instructions_percent, "instructions_percent", REAL, NOTE, .unit = "%"),
	F(flops_percent,        "flops_percent",        REAL, NOTE, .unit = "%"),
	F(bytes_percent,        "bytes_percent",        REAL, NOTE, .unit = "%",
	  .help = "The same in percent of the program."),
};

/* clang-format on */

static const struct tp_table region_table = { .name = "app_regions",
					      TP_TABLE(struct tp_app_region_row, region_columns) };

static const struct tp_table class_table = { .name = "app_classes",
					     TP_TABLE(struct tp_app_class_row, class_columns) };

static const struct tp_table process_table = {
	.name = "app_processes", TP_TABLE(struct tp_app_process_row, process_columns)
};

static const struct tp_table function_table = {
	.name = "app_functions", TP_TABLE(struct tp_app_function_row, function_columns)
};

_Static_assert(sizeof(struct tp_app_region_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

_Static_assert(sizeof(struct tp_app_process_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

_Static_assert(sizeof(struct tp_app_function_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_part tp_app_region_part = { .table = &region_table,
					    .place = 11,
					    .sparse = true,
					    .measured = true,
					    .csv_file = "app_regions.csv",
					    .forgets = true,
					    .early = true };

const struct tp_part tp_app_class_part = { .table = &class_table,
					   .place = 12,
					   .sparse = true,
					   .measured = true,
					   .csv_file = "app_classes.csv",
					   .forgets = true,
					   .early = true };

const struct tp_part tp_app_function_part = { .table = &function_table,
					      .place = 13,
					      .sparse = true,
					      .measured = true,
					      .csv_file = "app_functions.csv",
					      .forgets = true,
					      .early = true };

const struct tp_part tp_app_process_part = { .table = &process_table,
					     .place = 15,
					     .sparse = true,
					     .measured = true,
					     .csv_file = "app_processes.csv",
					     .forgets = true };

/*
 * The rows of a program come after its first run that is timed, and again with all of them: a row
 * that is the `same` as a known one takes its place.
 */
static enum tp_status put_again(struct tp_run *run, const struct tp_part *part, const void *row,
				const char *what, bool (*same)(const void *a, const void *b),
				struct tp_diag *diag)
{
	char *rows = tp_run_rows(run, part)->rows;
	const size_t n = tp_run_rows(run, part)->n, bytes = part->table->row_bytes;
	for (size_t i = 0; i < n; i++)
		if (same(rows + i * bytes, row)) {
			memcpy(rows + i * bytes, row, bytes);
			return TP_OK;
		}
	enum tp_status status = tp_run_put_row(run, part, row);
	return status ? tp_fail(diag, TP_USAGE, "event", NULL, "more %s than a run can have", what)
		      : TP_OK;
}

static bool is_same_region(const void *one, const void *other)
{
	const struct tp_app_region_row *a = one, *b = other;
	return a->point == b->point && strcmp(a->region, b->region) == 0 &&
	       strcmp(a->thread, b->thread) == 0 && strcmp(a->source, b->source) == 0;
}

static enum tp_status put_region(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	return put_again(run, &tp_app_region_part, row, "regions", is_same_region, diag);
}

const struct tp_row_event tp_app_region_event = { .name = "app_region",
						  .table = &region_table,
						  .exact = true,
						  .part = &tp_app_region_part,
						  .put = put_region };

const struct tp_row_event tp_app_class_event = {
	.name = "app_class", .table = &class_table, .exact = true, .part = &tp_app_class_part
};

const struct tp_row_event tp_app_function_event = { .name = "app_function",
						    .table = &function_table,
						    .exact = true,
						    .part = &tp_app_function_part };

static bool is_same_process(const void *one, const void *other)
{
	const struct tp_app_process_row *a = one, *b = other;
	return a->point == b->point && strcmp(a->source, b->source) == 0 &&
	       strcmp(a->program, b->program) == 0 && strcmp(a->process, b->process) == 0 &&
	       strcmp(a->rank, b->rank) == 0 && !a->uncounted[0] == !b->uncounted[0];
}

static enum tp_status put_process(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	return put_again(run, &tp_app_process_part, row, "processes", is_same_process, diag);
}

const struct tp_row_event tp_app_process_event = { .name = "app_process",
						   .table = &process_table,
						   .exact = true,
						   .part = &tp_app_process_part,
						   .put = put_process };

bool tp_app_is_rank(const struct tp_app_process_row *row)
{
	return row->rank[0] && row->start_seconds > 0;
}

double tp_app_computing(const struct tp_app_process_row *row)
{
	return row->seconds - row->start_seconds - row->mpi_seconds;
}

/* A roof shows its bandwidth or its peak, a program its time. */
static void headline(struct tp_point *point)
{
	const struct tp_app_row *row = tp_app_row(point);
	if (!tp_point_is_app(point)) {
		tp_kernel_headline(point);
		return;
	}
	tp_copy(point->unit, sizeof(point->unit), "s");
	point->less_is_better = true;
	point->median = point->best = row->time_seconds;
}

const struct tp_schema_row tp_schema_app = {
	.points = { "app", &app_table, headline, tp_window_judge },
	TP_PARTS(&tp_roof_part, &tp_dot_part, &tp_app_region_part, &tp_app_class_part,
		 &tp_app_function_part, &tp_app_process_part),
	TP_ROW_EVENTS(&tp_app_region_event, &tp_app_class_event, &tp_app_function_event,
		      &tp_app_process_event),
};
