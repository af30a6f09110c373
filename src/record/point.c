/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/point.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "record/field.h"

static const struct {
	const char *name, *help;
} flags_known[] = {
#define FLAG_ROW(name, text, help) { text, help },
	TP_FLAG_LIST(FLAG_ROW)
#undef FLAG_ROW
};

const char *tp_flag_name(enum tp_flag flag)
{
	return (size_t)flag < TP_FLAG_COUNT ? flags_known[flag].name : "unknown";
}

const char *tp_flag_help(enum tp_flag flag)
{
	return (size_t)flag < TP_FLAG_COUNT ? flags_known[flag].help : "";
}

const char *tp_flags_text(uint32_t flags, char *out, size_t size)
{
	size_t length = 0;

	if (size == 0)
		return "";
	out[0] = '\0';
	for (unsigned i = 0; i < TP_FLAG_COUNT; i++) {
		const char *name = flags_known[i].name;
		size_t need = strlen(name) + (length > 0);

		/* A name is there whole or not at all. */
		if (!(flags & (1u << i)) || length + need >= size)
			continue;
		if (length > 0)
			out[length++] = '|';
		length += (size_t)(stpcpy(&out[length], name) - &out[length]);
	}
	return out;
}

static bool flag_of(const char *word, size_t n, uint32_t *flags)
{
	for (unsigned i = 0; i < TP_FLAG_COUNT; i++)
		if (strlen(flags_known[i].name) == n && memcmp(flags_known[i].name, word, n) == 0) {
			*flags |= 1u << i;
			return true;
		}
	return false;
}

bool tp_flags_parse(const char *text, uint32_t *flags)
{
	bool all_known = true;

	*flags = 0;
	while (*text) {
		size_t n = strcspn(text, "|");

		all_known = flag_of(text, n, flags) && all_known;
		text += n;
		if (*text == '|' && *++text == '\0')
			all_known = false; /* nothing after the last joint */
	}
	return all_known;
}

bool tp_point_is_fp(const struct tp_point *point)
{
	return point->fp_op[0] != '\0';
}

enum tp_headline tp_point_headline(const struct tp_point *point)
{
	if (strncmp(point->kernel, "chase", 5) == 0)
		return TP_HEADLINE_NS;
	return tp_point_is_fp(point) ? TP_HEADLINE_GFLOPS : TP_HEADLINE_GBPS;
}

const char *tp_headline_unit(enum tp_headline headline)
{
	static const char *const units[] = { "GB/s", "GFLOP/s", "ns" };

	return units[headline];
}

double tp_point_median(const struct tp_point *point)
{
	const double values[] = { point->median_gbps, point->median_gflops, point->median_ns };

	return values[tp_point_headline(point)];
}

double tp_point_best(const struct tp_point *point)
{
	const double values[] = { point->best_gbps, point->best_gflops, point->best_ns };

	return values[tp_point_headline(point)];
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

static double dropped(const void *record)
{
	const struct tp_point *point = record;

	return point->n_samples > point->kept ? (double)(point->n_samples - point->kept) : 0;
}

static double latency_cycles(const void *record)
{
	const struct tp_point *point = record;

	return point->median_ns * point->core_ghz;
}

static double model_ratio(const void *record)
{
	const struct tp_point *point = record;

	return point->bound > 0 ? tp_point_median(point) / point->bound : 0;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
/*
 * Order of the columns of points.csv: first those that spec and manual promise, in their order; new
 * ones go to the end.
 */
#define P(member, name, type, rule, where) \
	TP_FIELD(struct tp_point, member, name, TP_FIELD_##type, TP_FIELD_##rule, where)
static const struct tp_field point_fields[] = {
	P(run,               "run",               UNSIGNED, ALWAYS,  ID),
	P(point,             "point",             UNSIGNED, ALWAYS,  ID),
	P(experiment,        "experiment",        TEXT,     ALWAYS,  ID),
	P(kernel,            "kernel",            TEXT,     ALWAYS,  ID),
	P(isa,               "isa",               TEXT,     ALWAYS,  ID),
	P(precision,         "precision",         TEXT,     ALWAYS,  ID),
	P(threads,           "threads",           UNSIGNED, ALWAYS,  ID),
	P(level,             "level",             TEXT,     ALWAYS,  ID),
	P(working_set_bytes, "working_set_bytes", U64,      NONZERO, ID),
	P(loads,             "loads",             UNSIGNED, RATIO,   ID),
	P(stores,            "stores",            UNSIGNED, RATIO,   ID),
	P(fp_op,             "fp_op",             TEXT,     ALWAYS,  ID),
	P(ai_flop_per_byte,  "ai_flop_per_byte",  REAL,     NONZERO, ID),
	P(median_gbps,       "median_gbps",       REAL,     NONZERO, FOUND),
	P(best_gbps,         "best_gbps",         REAL,     NONZERO, FOUND),
	P(median_gflops,     "median_gflops",     REAL,     NONZERO, FOUND),
	P(best_gflops,       "best_gflops",       REAL,     NONZERO, FOUND),
	P(bytes_per_cycle,   "bytes_per_cycle",   REAL,     NONZERO, FOUND),
	P(flop_per_cycle,    "flop_per_cycle",    REAL,     NONZERO, FOUND),
	P(ipc,               "ipc",               REAL,     NONZERO, FOUND),
	P(core_ghz,          "core_ghz",          REAL,     NONZERO, FOUND),
	P(ci_low,            "ci_low",            REAL,     NONZERO, FOUND),
	P(ci_high,           "ci_high",           REAL,     NONZERO, FOUND),
	P(kept,              "samples",           UNSIGNED, ALWAYS,  FOUND),
	P(seconds,           "seconds",           REAL,     ALWAYS,  FOUND),
	P(flags,             "flags",             FLAGS,    ALWAYS,  FOUND),
	{ "dropped", 0, 0, dropped, TP_FIELD_DERIVED, TP_FIELD_ALWAYS, TP_IN_CSV | TP_IN_JSON },
	P(invocations,       "invocations",       UNSIGNED, ALWAYS,  FOUND),
	P(mean,              "mean",              REAL,     NONZERO, FOUND),
	P(stddev,            "stddev",            REAL,     ALWAYS,  FOUND),
	P(mad,               "mad",               REAL,     ALWAYS,  FOUND),
	P(core_ghz_after,    "core_ghz_after",    REAL,     NONZERO, FOUND),
	P(bound,             "bound",             REAL,     NONZERO, FOUND),
	{ "model_ratio", 0, 0, model_ratio, TP_FIELD_DERIVED, TP_FIELD_NONZERO,
	  TP_IN_CSV | TP_IN_JSON },
	P(nontemporal,       "nontemporal",       BOOL,     ALWAYS,  ID),
	P(best_ratio,        "best_ratio",        BOOL,     ALWAYS,  ID),
	P(variant,           "variant",           TEXT,     ALWAYS,  FOUND),
	P(pages,             "pages",             TEXT,     ALWAYS,  FOUND),
	P(cpus,              "cpus",              TEXT,     ALWAYS,  ID),
	P(median_ns,         "median_ns",         REAL,     NONZERO, FOUND),
	P(best_ns,           "best_ns",           REAL,     NONZERO, FOUND),
	P(pause_cycles,      "pause_cycles",      UNSIGNED, NONZERO, ID),
	P(pages_wanted,      "pages_wanted",      TEXT,     ALWAYS,  ID),
	{ "latency_cycles", 0, 0, latency_cycles, TP_FIELD_DERIVED, TP_FIELD_NONZERO,
	  TP_IN_CSV | TP_IN_JSON },
	P(technique,         "technique",         TEXT,     ALWAYS,  ID),
	P(scope,             "scope",             TEXT,     ALWAYS,  ID),
	P(library,           "library",           TEXT,     ALWAYS,  ID),
	P(configurations,    "configurations",    UNSIGNED, NONZERO, TP_IN_IDENTITY | TP_IN_JSON),
	P(estimate_seconds,  "estimate_seconds",  REAL,     NONZERO, TP_IN_IDENTITY | TP_IN_JSON),
	P(instructions_per_work, "instructions_per_work", REAL, NONZERO, TP_IN_FOUND | TP_IN_JSON),
	P(state,             "state",             STATE,    ALWAYS,  TP_IN_FOUND | TP_IN_JSON),
};
const struct tp_table tp_point_table = { point_fields, TP_COUNT_OF(point_fields) };

#define S(member, name, type, rule) \
	TP_FIELD(struct tp_sample, member, name, TP_FIELD_##type, TP_FIELD_##rule, TP_IN_JSON)
static const struct tp_field sample_fields[] = {
	S(seconds,    "seconds",    REAL,     ALWAYS),
	S(rate,       "rate",       REAL,     ALWAYS),
	S(core_ghz,   "core_ghz",   REAL,     NONZERO),
	S(flags,      "flags",      FLAGS,    ALWAYS),
	S(invocation, "invocation", UNSIGNED, ALWAYS),
	S(stream_gbps, "stream_gbps", REAL,   NONZERO),
};
const struct tp_table tp_sample_table = { sample_fields, TP_COUNT_OF(sample_fields) };
/* clang-format on */
