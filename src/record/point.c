/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/limits.h"
#include "record/schema.h"

static const char *const flag_names[] = {
#define FLAG_NAME(name, text, help, remedy) text,
	TP_FLAG_LIST(FLAG_NAME)
#undef FLAG_NAME
};
const struct tp_word_set tp_flag_set = { flag_names, TP_COUNT_OF(flag_names) };

static const char *const flag_helps[] = {
#define FLAG_HELP(name, text, help, remedy) help,
	TP_FLAG_LIST(FLAG_HELP)
#undef FLAG_HELP
};

static const char *const flag_remedies[] = {
#define FLAG_REMEDY(name, text, help, remedy) remedy,
	TP_FLAG_LIST(FLAG_REMEDY)
#undef FLAG_REMEDY
};

static const char *const quality_names[TP_QUALITY_COUNT] = {
	[TP_QUALITY_NONE] = "",
	[TP_QUALITY_GOOD] = "good",
	[TP_QUALITY_FAIR] = "fair",
	[TP_QUALITY_POOR] = "poor",
};
const struct tp_word_set tp_quality_set = { quality_names, TP_QUALITY_COUNT };

static const char *const state_names[] = {
	[TP_POINT_PLANNED] = "planned",	  [TP_POINT_DONE] = "done",
	[TP_POINT_FAILED] = "failed",	  [TP_POINT_SKIPPED] = "skipped",
	[TP_POINT_UNNEEDED] = "unneeded",
};
static const struct tp_word_set state_words = { state_names, TP_COUNT_OF(state_names) };

const char *tp_flag_name(enum tp_flag flag)
{
	return (size_t)flag < TP_FLAG_COUNT ? flag_names[flag] : "unknown";
}

const char *tp_flag_help(enum tp_flag flag)
{
	return (size_t)flag < TP_FLAG_COUNT ? flag_helps[flag] : "";
}

const char *tp_flag_remedy(enum tp_flag flag)
{
	return (size_t)flag < TP_FLAG_COUNT ? flag_remedies[flag] : "";
}

const char *tp_flag_advice(enum tp_flag flag, char *out, size_t size)
{
	snprintf(out, size, "%s. What to do: %s", tp_flag_help(flag), tp_flag_remedy(flag));
	return out;
}

const char *tp_flags_text(uint32_t flags, char *out, size_t size)
{
	return tp_words_join(&tp_flag_set, flags, out, size);
}

const char *tp_quality_name(enum tp_quality quality)
{
	return (size_t)quality < TP_QUALITY_COUNT ? quality_names[quality] : "";
}

enum tp_quality tp_quality_of_points(const size_t count[TP_QUALITY_COUNT])
{
	const size_t good = count[TP_QUALITY_GOOD], poor = count[TP_QUALITY_POOR],
		     doubtful = count[TP_QUALITY_FAIR] + poor;
	const size_t n = good + doubtful + count[TP_QUALITY_NONE];
	return 3 * poor > n	  ? TP_QUALITY_POOR
	       : 3 * doubtful > n ? TP_QUALITY_FAIR
	       : good		  ? TP_QUALITY_GOOD
				  : TP_QUALITY_NONE;
}

bool tp_quality_teaches(enum tp_quality quality)
{
	return quality == TP_QUALITY_GOOD || quality == TP_QUALITY_FAIR;
}

uint32_t tp_quality_reasons(enum tp_quality quality, uint32_t flags)
{
	return quality == TP_QUALITY_GOOD ? 0 : flags;
}

const char *tp_quality_words(enum tp_quality quality, uint32_t flags, char *out, size_t size)
{
	char text[256];

	tp_flags_text(tp_quality_reasons(quality, flags), text, sizeof(text));
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = ' ';
	snprintf(out, size, "%s%s%s", tp_quality_name(quality),
		 *text && quality != TP_QUALITY_NONE ? ": " : "", text);
	return out;
}

bool tp_point_teaches(const struct tp_point *point)
{
	return point->state == TP_POINT_DONE &&
	       (tp_quality_teaches(point->quality) ||
		(point->quality == TP_QUALITY_NONE && !(point->kind && point->kind->judge)));
}

bool tp_point_has_one_window(const struct tp_point *point)
{
	return point && point->state == TP_POINT_DONE && point->kept == 1;
}

double tp_point_median(const struct tp_point *point)
{
	return point->median;
}

double tp_point_best(const struct tp_point *point)
{
	return point->best;
}

void tp_point_add_sample(struct tp_point *point, const struct tp_sample *sample)
{
	TP_RESERVE(point->samples, point->cap_samples, point->n_samples + 1);
	point->samples[point->n_samples++] = *sample;
}

void tp_point_release(struct tp_point *point)
{
	free(point->samples);
	point->samples = NULL;
	point->n_samples = point->cap_samples = 0;
}

static double dropped(const void *row)
{
	const struct tp_point *point = row;

	return point->n_samples > point->kept ? (double)(point->n_samples - point->kept) : 0;
}

static bool has_quality(const void *row)
{
	const struct tp_point *point = row;

	return point->quality != TP_QUALITY_NONE;
}

static double latency_cycles(const void *row)
{
	const struct tp_point *point = row;

	/* Other times, such as cycles, have the unit in their name. */
	return strcmp(point->unit, "ns") == 0 ? point->median * point->core_ghz : 0;
}

static double model_ratio(const void *row)
{
	const struct tp_point *point = row;

	return point->bound > 0 ? point->median / point->bound : 0;
}

enum {
	ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON,
	FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON,
	CORE_ID = ID | TP_IN_CORE,
	CORE_FOUND = FOUND | TP_IN_CORE
};

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_point, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

#define DERIVED(label, function, when, ...) \
	{ .name = label, .type = TP_COLUMN_DERIVED, .rule = TP_COLUMN_##when, .role = TP_ROLE_NOTE, \
	  .where = TP_IN_CSV | TP_IN_JSON, .derive = function, __VA_ARGS__ }

static const struct tp_column point_columns[] = {
	P(run,              "run",              UNSIGNED, ALWAYS,  IDENTITY,  CORE_ID, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "Number of the run of the preset, from 0."),
	P(point,            "point",            UNSIGNED, ALWAYS,  IDENTITY,  CORE_ID, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "Number of the point, from 0, unique in all runs of the preset."),
	P(experiment,       "experiment",       TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "Name of the experiment, such as memcurve, roofline or mixed; see "
		  "tprof --list experiments."),
	P(kernel,           "kernel",           TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "Name of the kernel, such as load, 2ld1st or fma; see tprof --list "
		  "kernels."),
	P(threads,          "threads",          UNSIGNED, ALWAYS,  DIMENSION, CORE_ID, .most = TP_RUN_THREADS_MAX,
	  .help = "Threads of the team."),
	P(core_ghz,         "core_ghz",         REAL,     NONZERO, NOTE,      CORE_FOUND, .unit = "GHz",
	  .help = "Frequency of the cores around the kept windows: the median. Empty if it could not be measured."),
	P(ci_low,           "ci_low",           REAL,     NONZERO, INTERVAL,  CORE_FOUND),
	P(ci_high,          "ci_high",          REAL,     NONZERO, INTERVAL,  CORE_FOUND,
	  .help = "Confidence interval of the headline, in its unit."),
	P(kept,             "samples",          UNSIGNED, ALWAYS,  NOTE,      CORE_FOUND,
	  .help = "Windows that were kept."),
	P(seconds,          "seconds",          REAL,     ALWAYS,  NOTE,      CORE_FOUND, .unit = "s",
	  .help = "Time spent on the point, with its race, without touch_seconds."),
	P(flags,            "flags",            FLAGS,    ALWAYS,  NOTE,      CORE_FOUND, .words = &tp_flag_set,
	  .help = "Quality flags, with | between them; empty if there are none."),
	DERIVED("dropped", dropped, ALWAYS,
	  .help = "Windows that were dropped."),
	P(invocations,      "invocations",      UNSIGNED, ALWAYS,  NOTE,      FOUND,
	  .help = "Processes that the point was measured in."),
	P(mean,             "mean",             REAL,     NONZERO, METRIC,    FOUND),
	P(stddev,           "stddev",           REAL,     ALWAYS,  NOTE,      FOUND),
	P(mad,              "mad",              REAL,     ALWAYS,  NOTE,      FOUND,
	  .help = "Mean, standard deviation and median absolute deviation (not scaled) "
		  "of the kept windows, in the unit of the headline."),
	P(core_ghz_after,   "core_ghz_after",   REAL,     NONZERO, NOTE,      FOUND, .unit = "GHz",
	  .help = "The same over the last quarter of them, at least six."),
	P(bound,            "bound",            REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Limit of the cores by the machine model, at core_ghz, for the whole "
		  "team in the unit of the headline. Only "
		  "for FP and working sets in L1, where the ports of the core are the "
		  "limit; empty without a model."),
	DERIVED("model_ratio", model_ratio, NONZERO,
	  .help = "Headline divided by bound; 1 is all of it."),
	P(cpus,             "cpus",             TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "CPU numbers in the order of the threads, such as 0,2-5 (in quotes "
		  "then)."),
	DERIVED("latency_cycles", latency_cycles, NONZERO,
	  .help = "median_ns in cycles of the core."),
	P(touch_seconds,    "touch_seconds",    REAL,     NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Time that the first touch of the point's memory took. "
		  "Later points share that memory. Empty if there was nothing to touch."),
	P(estimate_seconds, "estimate_seconds", REAL,     NONZERO, NOTE,      TP_IN_IDENTITY | TP_IN_JSON,
	  .help = "Time that the plan expected."),
	P(state,            "state",            WORD,     ALWAYS,  NOTE,      TP_IN_FOUND | TP_IN_JSON,
	  .words = &state_words,
	  .help = "planned, done, failed, skipped, or unneeded: what other points found makes it "
		  "needless, so it was not measured."),
	P(quality,          "quality",          WORD,     ALWAYS,  NOTE,      CORE_FOUND,
	  .words = &tp_quality_set, .applies = has_quality,
	  .help = "good, fair or poor: how much the headline is worth; see QUALITY. "
		  "Empty for points that have no such measure, such as counters and "
		  "searches."),
	P(core_width,       "core_width",       REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Integer additions in a cycle that the narrowest core of the team "
		  "gave when it was wholly ours, as far as that was ever seen."),
	P(core_share,       "core_share",       REAL,     NONZERO, NOTE,      FOUND,
	  .help = "core_width relative to a whole core in the machine model. About half means "
		  "that other work used the core all the time; empty without a model."),
};

const struct tp_table tp_point_table = {
	.name = "points",
	TP_TABLE(struct tp_point, point_columns),
};

#define S(member, name, type, rule, ...) \
	TP_COLUMN(struct tp_sample, member, name, type, rule, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column sample_columns[] = {
	S(seconds,     "seconds",     REAL,     ALWAYS,
	  .help = "Length of the window."),
	S(rate,        "rate",        REAL,     ALWAYS,
	  .help = "Work over time in the unit of the headline; for a chase, loads per "
		  "nanosecond."),
	S(core_ghz,    "core_ghz",    REAL,     NONZERO,
	  .help = "Frequency of the cores; left out if it could not be measured."),
	S(flags,       "flags",       FLAGS,    ALWAYS, .words = &tp_flag_set,
	  .help = "Why the window was dropped; left out if it was kept."),
	S(invocation,  "invocation",  UNSIGNED, ALWAYS, .most = TP_RUN_INVOCATIONS_MAX - 1,
	  .help = "Process that it was measured in, from 0; left out for the first."),
	S(stream_gbps, "stream_gbps", REAL,     NONZERO,
	  .help = "Loaded latency: what the other threads moved at that time; otherwise left out."),
	S(core_width,  "core_width",  REAL,     NONZERO,
	  .help = "Additions in a cycle by the narrowest core of the team around the window; left out if they could not be measured. Less than usual "
		  "means that something else used the core."),
};

/* clang-format on */
const struct tp_table tp_sample_table = {
	TP_TABLE(struct tp_sample, sample_columns),
};
static const union tp_row_room none;

bool tp_point_has_row(const struct tp_point *point, const struct tp_table *table)
{
	return point->row && point->kind && tp_table_is(point->kind->table, table);
}

const void *tp_point_row(const struct tp_point *point, const struct tp_table *table)
{
	return tp_point_has_row(point, table) ? point->row : &none;
}

const struct tp_kernel_row *tp_kernel_row(const struct tp_point *point)
{
	return point->row && !point->kind ? point->row : tp_point_row(point, &tp_kernel_table);
}

struct tp_kernel_row *tp_kernel_row_of(struct tp_point *point)
{
	return point->row;
}

bool tp_point_is_fp(const struct tp_point *point)
{
	return tp_kernel_row(point)->fp_op[0] != '\0';
}

void tp_kernel_headline(struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);

	point->less_is_better = false;
	strcpy(point->unit, k->fp_op[0] ? "GFLOP/s" : "GB/s");
	point->median = k->fp_op[0] ? k->median_gflops : k->median_gbps;
	point->best = k->fp_op[0] ? k->best_gflops : k->best_gbps;
}

void tp_kernel_time_headline(struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);

	point->less_is_better = true;
	strcpy(point->unit, "ns");
	point->median = k->median_ns;
	point->best = k->best_ns;
}

void tp_kernel_derive(struct tp_point *point, double work_per_cycle)
{
	struct tp_kernel_row *k = tp_kernel_row_of(point);
	double ai = k->ai_flop_per_byte;
	bool fp = k->fp_op[0] != '\0';

	if (point->less_is_better) {
		k->median_ns = point->median;
		k->best_ns = point->best;
		return;
	}
	double work = work_per_cycle / point->threads;
	k->median_gflops = fp ? point->median : point->median * ai;
	k->best_gflops = fp ? point->best : point->best * ai;
	k->median_gbps = fp ? (ai > 0 ? point->median / ai : 0) : point->median;
	k->best_gbps = fp ? (ai > 0 ? point->best / ai : 0) : point->best;
	k->flop_per_cycle = fp ? work : work * ai;
	k->bytes_per_cycle = fp ? (ai > 0 ? work / ai : 0) : work;
	k->ipc = work * k->instructions_per_work;
}

static bool has_ratio(const void *row)
{
	const struct tp_kernel_row *k = row;

	return k->loads != 0 || k->stores != 0;
}

/* clang-format off */
#define K(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_kernel_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

static const struct tp_column kernel_columns[] = {
	K(isa,               "isa",               TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "Instruction set."),
	K(precision,         "precision",         TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "double, single, half, bf16 or int8."),
	K(level,             "level",             TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "L1, L2, L3 or DRAM for a memory level that was asked for, FP for a "
		  "floating point peak in registers; empty for a point of a memory "
		  "curve, whose level follows from the plateaus."),
	K(working_set_bytes, "working_set_bytes", U64,      NONZERO, DIMENSION, CORE_ID,
	  .help = "Working set of one thread; empty for FP."),
	K(loads,             "loads",             UNSIGNED, ALWAYS,  DIMENSION, CORE_ID, .applies = has_ratio),
	K(stores,            "stores",            UNSIGNED, ALWAYS,  DIMENSION, CORE_ID, .applies = has_ratio,
	  .help = "The ratio of loads to stores; both are empty for FP."),
	K(fp_op,             "fp_op",             TEXT,     ALWAYS,  DIMENSION, CORE_ID,
	  .help = "add, mul, div, fma, fma+add, dot or tile; empty without floating point."),
	K(ai_flop_per_byte,  "ai_flop_per_byte",  REAL,     NONZERO, DIMENSION, CORE_ID,
	  .help = "Arithmetic intensity: FLOP for each byte that the core moves; empty "
		  "if a point has none."),
	K(median_gbps,       "median_gbps",       REAL,     NONZERO, METRIC,    CORE_FOUND, .unit = "GB/s"),
	K(best_gbps,         "best_gbps",         REAL,     NONZERO, METRIC,    CORE_FOUND, .unit = "GB/s",
	  .help = "Bandwidth of the whole team: median of the kept windows, and "
		  "fastest kept window; empty for FP."),
	K(median_gflops,     "median_gflops",     REAL,     NONZERO, METRIC,    CORE_FOUND, .unit = "GFLOP/s"),
	K(best_gflops,       "best_gflops",       REAL,     NONZERO, METRIC,    CORE_FOUND, .unit = "GFLOP/s",
	  .help = "Floating point rate of the whole team, likewise; empty without "
		  "floating point."),
	K(bytes_per_cycle,   "bytes_per_cycle",   REAL,     NONZERO, METRIC,    CORE_FOUND),
	K(flop_per_cycle,    "flop_per_cycle",    REAL,     NONZERO, METRIC,    CORE_FOUND,
	  .help = "Bytes and FLOP of one core in one of its cycles: the rate of each "
		  "kept window divided by the number of threads and by the frequency around that window; the median of these. Empty if the "
		  "frequency is not known."),
	K(ipc,               "ipc",               REAL,     NONZERO, METRIC,    CORE_FOUND,
	  .help = "Memory and floating point instructions of the kernel in each cycle "
		  "of one core, likewise. Loop overhead does not count."),
	K(nontemporal,       "nontemporal",       BOOL,     ALWAYS,  DIMENSION, ID,
	  .help = "true if the stores were non-temporal, otherwise false."),
	K(best_ratio,        "best_ratio",        BOOL,     ALWAYS,  NOTE,      ID,
	  .help = "true if loads and stores are the result of a search, otherwise "
		  "false."),
	K(body,              "variant",           TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Body variant that was measured; empty if there is only one. For an "
		  "autotune point, the best configuration; for a counters point, the "
		  "source of the counts."),
	K(pages,             "pages",             TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Pages that the buffers really got: their size such as 4K, or thp, "
		  "hugetlb or mixed; empty without a buffer."),
	K(median_ns,         "median_ns",         REAL,     NONZERO, METRIC,    FOUND, .unit = "ns"),
	K(best_ns,           "best_ns",           REAL,     NONZERO, METRIC,    FOUND, .unit = "ns",
	  .help = "Time of one load of a pointer chase, in which each load waits for "
		  "the one before: median of the kept windows, and fastest kept "
		  "window. Empty for all other points."),
	K(pause_cycles,      "pause_cycles",      UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Loaded latency: cycles without memory access after each slice that "
		  "the other threads stream; empty without a pause."),
	K(pages_wanted,      "pages_wanted",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Requested kind of pages, such as small or thp, if the experiment "
		  "compares several kinds; otherwise empty."),
	K(flushed,           "flushed",           BOOL,     ALWAYS,  NOTE,      ID,
	  .help = "Memory: true if what a window reads was flushed from the caches right before "
		  "it; "
		  "false: the working set is walked, larger than the caches."),
	K(raced_bytes,       "raced_bytes",       U64,      NONZERO, NOTE,      FOUND,
	  .help = "The working set of one thread that was measured, if it differs from the plan: in L1, because it won a race of several sizes inside the level; in "
		  "memory, because a scan found that the last cache ends earlier than reported. "
		  "Otherwise empty."),
	K(cpu_kind,          "cpu_kind",          TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "On a hybrid CPU, the kind of cores that the threads ran on, as the option "
		  "affinity takes it, and its name; several for a mixture. Otherwise empty."),
	K(memory,            "memory",            TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "Of a point in memory: the memory node of its CPUs, what kind of memory that "
		  "is, and the memory-side cache before it; empty if there is only one."),
	K(reachable,         "reachable",         REAL,     NONZERO, NOTE,      FOUND,
	  .help = "What loads and stores reach on such a core by the ports of the model, in the "
		  "unit and at the clock of bound; empty if the model describes only ports."),
	K(instructions_per_work, "instructions_per_work", REAL, NONZERO, NOTE,
	  TP_IN_FOUND | TP_IN_JSON,
	  .help = "Instructions of one thread for each 10^9 bytes or FLOP, times 10^-9."),
};

/* clang-format on */

const struct tp_table tp_kernel_table = {
	.columns = kernel_columns,
	.n = sizeof(kernel_columns) / sizeof(kernel_columns[0]),
	.row_bytes = sizeof(struct tp_kernel_row),
};

_Static_assert(sizeof(struct tp_kernel_row) <= TP_ROW_BYTES_MAX, "rows have room in events");
