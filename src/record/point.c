/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/point.h"
#include "record/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "record/point_table.h"

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
	[TP_POINT_PLANNED] = "planned",
	[TP_POINT_DONE] = "done",
	[TP_POINT_FAILED] = "failed",
	[TP_POINT_SKIPPED] = "skipped",
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

enum tp_status tp_point_add_sample(struct tp_point *point, const struct tp_sample *sample)
{
	enum tp_status status = tp_vec_reserve((void **)&point->samples, &point->cap_samples,
					       point->n_samples + 1, sizeof(*sample));

	if (status == TP_OK)
		point->samples[point->n_samples++] = *sample;
	return status;
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

	/* Other times, such as cycles, say it themselves. */
	return strcmp(point->unit, "ns") == 0 ? point->median * point->core_ghz : 0;
}

static double model_ratio(const void *row)
{
	const struct tp_point *point = row;

	return point->bound > 0 ? point->median / point->bound : 0;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_point, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
#define DERIVED(label, function, when, ...) \
	{ .name = label, .type = TP_COLUMN_DERIVED, .rule = TP_COLUMN_##when, .role = TP_ROLE_NOTE, \
	  .where = TP_IN_CSV | TP_IN_JSON, .derive = function, __VA_ARGS__ }
static const struct tp_column point_columns[] = {
	P(run,              "run",              UNSIGNED, ALWAYS,  IDENTITY,  ID, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "Number of the run of the preset, from 0."),
	P(point,            "point",            UNSIGNED, ALWAYS,  IDENTITY,  ID, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "Number of the point, from 0, unique in all runs of the preset."),
	P(experiment,       "experiment",       TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Name of the experiment, such as memcurve, roofline or mixed; see "
		  "tprof --list experiments."),
	P(kernel,           "kernel",           TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Name of the kernel, such as load, 2ld1st or fma; see tprof --list "
		  "kernels."),
	P(threads,          "threads",          UNSIGNED, ALWAYS,  DIMENSION, ID, .most = TP_RUN_THREADS_MAX,
	  .help = "Threads of the team."),
	P(core_ghz,         "core_ghz",         REAL,     NONZERO, NOTE,      FOUND, .unit = "GHz",
	  .help = "Frequency of the cores beside the windows that were kept: their "
		  "median. Empty if it could not be measured."),
	P(ci_low,           "ci_low",           REAL,     NONZERO, INTERVAL,  FOUND),
	P(ci_high,          "ci_high",          REAL,     NONZERO, INTERVAL,  FOUND,
	  .help = "Confidence interval of the headline, in its unit."),
	P(kept,             "samples",          UNSIGNED, ALWAYS,  NOTE,      FOUND,
	  .help = "Windows that were kept."),
	P(seconds,          "seconds",          REAL,     ALWAYS,  NOTE,      FOUND, .unit = "s",
	  .help = "Time spent on the point, with its race, without touch_seconds."),
	P(flags,            "flags",            FLAGS,    ALWAYS,  NOTE,      FOUND, .words = &tp_flag_set,
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
	  .help = "Time in which memory that the point needed was touched for the first time. "
		  "Later points share that memory. Empty if there was nothing to touch."),
	P(estimate_seconds, "estimate_seconds", REAL,     NONZERO, NOTE,      TP_IN_IDENTITY | TP_IN_JSON,
	  .help = "Time that the plan expected."),
	P(state,            "state",            WORD,     ALWAYS,  NOTE,      TP_IN_FOUND | TP_IN_JSON,
	  .words = &state_words,
	  .help = "planned, done, failed or skipped."),
	P(quality,          "quality",          WORD,     ALWAYS,  NOTE,      FOUND,
	  .words = &tp_quality_set, .applies = has_quality,
	  .help = "good, fair or poor: how much the headline is worth; see QUALITY. "
		  "Empty for points that have no such measure, such as counters and "
		  "searches."),
	P(core_width,       "core_width",       REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Integer additions in a cycle that the narrowest core of the team "
		  "gave when it was wholly ours, as far as that was ever seen."),
	P(core_share,       "core_share",       REAL,     NONZERO, NOTE,      FOUND,
	  .help = "core_width over what the machine model says of a whole core. About "
		  "half means that something else used the core all the time, which "
		  "nothing but a model can tell; empty without one."),
};
const struct tp_table tp_point_table = {
	.name = "points",
	.columns = point_columns,
	.n = TP_COUNT_OF(point_columns),
	.row_bytes = sizeof(struct tp_point),
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
	  .help = "Loaded latency: what the other threads moved meanwhile; otherwise "
		  "left out."),
	S(core_width,  "core_width",  REAL,     NONZERO,
	  .help = "Additions in a cycle that the narrowest core of the team gave beside "
		  "the window; left out if they could not be measured. Less than usual "
		  "means that something else used the core."),
};
/* clang-format on */
const struct tp_table tp_sample_table = {
	.columns = sample_columns,
	.n = TP_COUNT_OF(sample_columns),
	.row_bytes = sizeof(struct tp_sample),
};
