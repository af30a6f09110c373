/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/profile_row.h"

#include <string.h>

#include "base/memory.h"
#include "experiments/profile/rows.h"

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };
enum { BOTH = TP_IN_CSV | TP_IN_JSON };

static bool runs(const void *row)
{
	return ((const struct tp_profile_row *)row)->command[0] != '\0';
}

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_profile_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	P(command,          "profiled_command",   TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Profile: the program and its arguments."),
	P(interval_seconds, "sample_interval_s",  REAL,     NONZERO, DIMENSION, ID, .unit = "s",
	  .help = "Profile: time between two samples, as it was asked for."),
	P(exit_status,      "profile_exit_status", UNSIGNED, ALWAYS, NOTE,      FOUND, .applies = runs,
	  .help = "Profile: exit status of the program."),
	P(signal,           "profile_signal",     UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Profile: the signal that ended it; empty if none did."),
	P(time_seconds,     "profile_time_s",     REAL,     NONZERO, METRIC,    FOUND, .unit = "s",
	  .help = "Profile: time from the start of the program to its end, beside the sampler."),
	P(user_seconds,     "profile_user_s",     REAL,     NONZERO, NOTE,      FOUND, .unit = "s"),
	P(system_seconds,   "profile_system_s",   REAL,     NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Profile: its time on CPUs, in the program and in the kernel."),
	P(max_rss_bytes,    "profile_max_rss_bytes", U64,   NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Profile: the most memory of one of its processes; empty if that is less than what "
		  "the engine of tprof has."),
	P(samples,          "profile_samples",    UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Profile: how many samples were kept."),
	P(last_interval_seconds, "last_interval_s", REAL,   NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Profile: time between two samples in the end: the interval doubles whenever there "
		  "are 65,536 samples."),
	P(late,             "late_samples",       UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "Profile: samples that came more than half an interval late, or not at all."),
	P(sampler_share,    "sampler_share",      REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: CPU time that the sampler took, over the time of the program."),
	P(lost_marks,       "region_marks_lost",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: entries and exits of regions that have no band, as there was no room for more."),
	P(code_samples,     "code_samples",       REAL,     NONZERO, NOTE,      FOUND),
	P(code_lost,        "code_samples_lost",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: how often it was looked where the program is, and how many of these samples "
		  "were lost or lay in no known file."),
};

#define M(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_profile_meter, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column meter_columns[] = {
	M(run,    "run",    UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	M(point,  "point",  UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point that it belongs to."),
	M(number, "number", UNSIGNED, ALWAYS, IDENTITY, .most = TP_METERS - 1, ),
	M(name,   "name",   TEXT,     ALWAYS, NOTE, ),
	M(unit,   "unit",   TEXT,     ALWAYS, NOTE, ),
	M(counts, "counts", TEXT,     ALWAYS, NOTE,
	  .help = "Number and name of the meter, which is a column of profile.csv; its unit; what it "
		  "tells."),
	M(about,  "about",  TEXT,     ALWAYS, NOTE,
	  .help = "Which function, or which event."),
	M(there,  "there",  BOOL,     ALWAYS, NOTE, ),
	M(why,    "why",    TEXT,     ALWAYS, NOTE, ),
	M(hint,   "hint",   TEXT,     ALWAYS, NOTE,
	  .help = "False if it could not be read; why, and what would permit it."),
	M(mean,   "mean",   REAL,     ALWAYS, METRIC, ),
	M(most,   "most",   REAL,     ALWAYS, NOTE,
	  .help = "Its mean over the time, and its 99th percentile."),
};

#define S(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_profile_sample, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
#define S_METER(id, name, unit_of, own, words) \
	S(values[TP_METER_##id], name, REAL, ALWAYS, METRIC, BOTH, .unit = unit_of, .help = "Meter: " words "."),
static const struct tp_column sample_columns[] = {
	S(run,        "run",     UNSIGNED, ALWAYS, IDENTITY, BOTH, .most = TP_RUN_POINTS_MAX - 1),
	S(point,      "point",   UNSIGNED, ALWAYS, IDENTITY, BOTH, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point that the sample belongs to."),
	S(number,     "number",  UNSIGNED, ALWAYS, IDENTITY, BOTH,
	  .help = "Its number, from 0 on."),
	S(final,      "final",   BOOL,     ALWAYS, NOTE,     TP_IN_JSON,
	  .help = "In events alone: false while the program runs, for samples that the final ones replace."),
	S(at_seconds, "at_s",    REAL,     ALWAYS, NOTE,     BOTH, .unit = "s"),
	S(seconds,    "seconds", REAL,     ALWAYS, NOTE,     BOTH, .unit = "s",
	  .help = "When it ended, from the start of the program on; how long it is. What follows are means "
		  "over that time; empty where a meter told nothing."),
	TP_METER_LIST(S_METER)
};

#define F(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_profile_phase, member, name, type, rule, TP_ROLE_##role, BOTH, __VA_ARGS__)
#define F_METER(id, name, unit_of, own, words) \
	F(means[TP_METER_##id], "mean_" name, REAL, ALWAYS, METRIC, .unit = unit_of, .help = "Mean: " words "."),
static const struct tp_column phase_columns[] = {
	F(run,           "run",     UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	F(point,         "point",   UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point that the phase belongs to."),
	F(number,        "number",  UNSIGNED, ALWAYS, IDENTITY,
	  .help = "Its number, from 0 on."),
	F(letter,        "letter",  TEXT,     ALWAYS, DIMENSION,
	  .help = "Phases that are alike have one in common."),
	F(start_seconds, "start_s", REAL,     ALWAYS, NOTE, .unit = "s"),
	F(seconds,       "seconds", REAL,     ALWAYS, METRIC, .unit = "s"),
	F(share,         "share",   REAL,     ALWAYS, NOTE,
	  .help = "When it begins, how long it is, and its share of the time that was sampled."),
	TP_METER_LIST(F_METER)
};

#define R(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_profile_region, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column region_columns[] = {
	R(run,           "run",     UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	R(point,         "point",   UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point that it belongs to."),
	R(number,        "number",  UNSIGNED, ALWAYS, IDENTITY,
	  .help = "Its number, from 0 on."),
	R(region,        "region",  TEXT,     ALWAYS, DIMENSION,
	  .help = "The name that the program gives it."),
	R(thread,        "thread",  UNSIGNED, ALWAYS, DIMENSION,
	  .help = "Number of the thread, from 0 on."),
	R(start_seconds, "start_s", REAL,     ALWAYS, NOTE, .unit = "s"),
	R(seconds,       "seconds", REAL,     ALWAYS, METRIC, .unit = "s",
	  .help = "When the thread entered it, from the start of the program on, and how long it was in it."),
	R(times,         "times",   UNSIGNED, ALWAYS, NOTE,
	  .help = "How often it was entered meanwhile: where there are very many, neighbours are one row."),
	R(live,          "live",    BOOL,     NONZERO, NOTE,
	  .help = "In events alone: it stands for all threads while the program runs."),
};
/* clang-format on */

static void blank_sample(void *row)
{
	struct tp_profile_sample *s = row;
	for (int i = 0; i < TP_METERS; i++)
		s->values[i] = __builtin_nan("");
}

static void blank_phase(void *row)
{
	struct tp_profile_phase *p = row;
	for (int i = 0; i < TP_METERS; i++)
		p->means[i] = __builtin_nan("");
}

const struct tp_table tp_profile_table = {
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_profile_row),
};
static const struct tp_table meter_table = {
	.name = "meters",
	.columns = meter_columns,
	.n = TP_COUNT_OF(meter_columns),
	.row_bytes = sizeof(struct tp_profile_meter),
};
const struct tp_table tp_profile_sample_table = {
	.columns = sample_columns,
	.n = TP_COUNT_OF(sample_columns),
	.row_bytes = sizeof(struct tp_profile_sample),
	.blank = blank_sample,
};
static const struct tp_table phase_table = {
	.name = "phases",
	.columns = phase_columns,
	.n = TP_COUNT_OF(phase_columns),
	.row_bytes = sizeof(struct tp_profile_phase),
	.blank = blank_phase,
};
static const struct tp_table region_table = {
	.name = "profile_regions",
	.columns = region_columns,
	.n = TP_COUNT_OF(region_columns),
	.row_bytes = sizeof(struct tp_profile_region),
};
_Static_assert(sizeof(struct tp_profile_row) <= TP_ROW_BYTES_MAX, "rows have room in events");
_Static_assert(sizeof(struct tp_profile_meter) <= TP_ROW_BYTES_MAX, "rows have room in events");
_Static_assert(sizeof(struct tp_profile_sample) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_part tp_profile_meter_part = { .table = &meter_table,
					       .place = 40,
					       .measured = true,
					       .forget = tp_profile_forget_meters,
					       .add = tp_profile_add_meter };
const struct tp_row_event tp_profile_meter_event = {
	.name = "meter",
	.table = &meter_table,
	.put = tp_profile_put_meter,
	.part = &tp_profile_meter_part,
};
const struct tp_part tp_profile_sample_part = {
	.table = &tp_profile_sample_table,
	.place = 41,
	.measured = true,
	.csv_file = "profile.csv",
	.forget = tp_profile_forget_samples,
	.read_csv = tp_profile_read_samples,
};
const struct tp_row_event tp_profile_sample_event = {
	.name = "profile_sample",
	.table = &tp_profile_sample_table,
	.put = tp_profile_put_sample,
	.part = &tp_profile_sample_part,
};
const struct tp_part tp_profile_phase_part = { .table = &phase_table,
					       .place = 42,
					       .derived = true,
					       .sparse = true,
					       .csv_file = "phases.csv" };

const struct tp_part tp_profile_region_part = { .table = &region_table,
						.place = 43,
						.measured = true,
						.sparse = true,
						.forget = tp_profile_forget_regions,
						.add = tp_profile_add_region };
const struct tp_row_event tp_profile_region_event = {
	.name = "profile_region",
	.table = &region_table,
	.put = tp_profile_put_region,
	.part = &tp_profile_region_part,
};

static void headline(struct tp_point *point)
{
	const struct tp_profile_row *row = tp_profile_row(point);
	tp_copy(point->unit, sizeof(point->unit), "s");
	point->less_is_better = true;
	point->median = point->best = row->time_seconds;
}

static const struct tp_part *const parts[] = { &tp_profile_meter_part, &tp_profile_sample_part,
					       &tp_profile_phase_part, &tp_profile_region_part };
static const struct tp_row_event *const events[] = { &tp_profile_meter_event,
						     &tp_profile_sample_event,
						     &tp_profile_region_event };

const struct tp_schema_row tp_schema_profile = {
	.points = { "profile", &tp_profile_table, headline, NULL },
	.parts = parts,
	.n_parts = TP_COUNT_OF(parts),
	.events = events,
	.n_events = TP_COUNT_OF(events),
};
