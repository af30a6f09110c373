/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/row.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "preset/shared_options.h"
#include "table/csv.h"

static const struct tp_table profile_table;
static const struct tp_table profile_sample_table;

TP_PROFILE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_profile = {
	.experiment = "profile",
	.uses = "",
	.place = 37,
	.rows = { TP_PROFILE_OPTIONS(TP_OPTION_ROW) NULL },
};

/* Samples of all points: enough for four long programs. */
enum { SAMPLES_MAX = 1 << 18, REGIONS_MAX = 8 * TP_PROFILE_REGIONS_MAX };

bool tp_point_is_profile(const struct tp_point *point)
{
	return tp_point_has_row(point, &profile_table);
}

const struct tp_profile_row *tp_profile_row(const struct tp_point *point)
{
	return tp_point_row(point, &profile_table);
}

const char *tp_profile_letter(unsigned group, char out[8])
{
	char reversed[8];
	size_t n = 0;
	for (group++; group && n + 1 < sizeof(reversed); group = (group - 1) / 26)
		reversed[n++] = (char)('A' + (group - 1) % 26);
	for (size_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	out[n] = '\0';
	return out;
}

/* --- rows of a point, which follow each other --- */

/* What rows of all these tables begin with. */
struct row_head {
	unsigned run, point;
};

#define BEGINS_WITH_HEAD(type)                                                                     \
	_Static_assert(offsetof(struct type, point) == offsetof(struct row_head, point), #type)

BEGINS_WITH_HEAD(tp_profile_phase);
BEGINS_WITH_HEAD(tp_profile_region);
BEGINS_WITH_HEAD(tp_profile_sample);

static const void *rows_of(const struct tp_run *run, const struct tp_part *part, unsigned point,
			   size_t *n)
{
	const struct tp_rows *rows = tp_run_rows(run, part);
	const struct row_head *first = NULL, *row;
	*n = 0;
	for (size_t i = 0; i < rows->n; i++) {
		row = TP_ROW_AT(rows, part->table, i);
		if (row->point != point && first)
			break;
		if (row->point == point && !(*n)++)
			first = row;
	}
	return first;
}

size_t tp_profile_samples(const struct tp_run *run, unsigned point,
			  const struct tp_profile_sample **first)
{
	size_t n;
	*first = rows_of(run, &tp_profile_sample_part, point, &n);
	return n;
}

size_t tp_profile_phases(const struct tp_run *run, unsigned point,
			 const struct tp_profile_phase **first)
{
	size_t n;
	*first = rows_of(run, &tp_profile_phase_part, point, &n);
	return n;
}

size_t tp_profile_regions(const struct tp_run *run, unsigned point,
			  const struct tp_profile_region **first)
{
	size_t n;
	*first = rows_of(run, &tp_profile_region_part, point, &n);
	return n;
}

/* --- meters --- */

const struct tp_profile_meter *tp_profile_meter(const struct tp_run *run, unsigned point,
						enum tp_meter_id id)
{
	const struct tp_profile_meter *rows = tp_run_profile_meters(run);
	for (size_t i = 0; i < tp_run_n_profile_meters(run); i++)
		if (rows[i].point == point && rows[i].number == (unsigned)id)
			return &rows[i];
	return NULL;
}

/* The last word on a meter counts. */
static enum tp_status profile_add_meter(struct tp_run *run, const void *row)
{
	const struct tp_profile_meter *meter = row;
	struct tp_profile_meter *there = (struct tp_profile_meter *)tp_profile_meter(
		run, meter->point, (enum tp_meter_id)meter->number);
	if (!there && tp_run_n_profile_meters(run) >= TP_RUN_POINTS_MAX)
		return TP_RESOURCE;
	if (!there)
		there = tp_run_add_row(run, &tp_profile_meter_part);
	*there = *meter;
	return TP_OK;
}

/* --- regions --- */

size_t tp_profile_region_sums(const struct tp_run *run, unsigned point,
			      struct tp_profile_region *sums, size_t max)
{
	enum { NAMES = 128 };
	struct tp_profile_region all[NAMES];
	const struct tp_profile_region *rows;
	size_t n_rows = tp_profile_regions(run, point, &rows), n = 0;
	for (size_t i = 0; i < n_rows; i++) {
		size_t k = 0;
		while (k < n && strcmp(all[k].region, rows[i].region) != 0)
			k++;
		if (k == NAMES)
			continue;
		if (k == n) {
			all[n++] = rows[i];
			continue;
		}
		all[k].seconds += rows[i].seconds;
		all[k].times += rows[i].times;
		all[k].start_seconds = fmin(all[k].start_seconds, rows[i].start_seconds);
	}
	size_t kept = 0;
	for (; kept < n && kept < max; kept++) {
		size_t most = kept;
		for (size_t k = kept + 1; k < n; k++)
			if (all[k].seconds > all[most].seconds)
				most = k;
		sums[kept] = all[most];
		all[most] = all[kept];
	}
	return kept;
}

static enum tp_status profile_add_region(struct tp_run *run, const void *row)
{
	const struct tp_profile_region *region = row;
	bool sound = region->seconds >= 0 && region->seconds <= 1e9 &&
		     region->start_seconds >= -1e9 && region->start_seconds <= 1e9;
	if (!sound)
		return TP_USAGE;
	if (tp_run_n_profile_regions(run) >= REGIONS_MAX)
		return TP_RESOURCE;
	*(struct tp_profile_region *)tp_run_add_row(run, &tp_profile_region_part) = *region;
	return TP_OK;
}

static enum tp_status profile_put_region(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_profile_region *region = row, *first;
	if (region->number == 0 && !region->live)
		tp_run_forget_rows(run, &tp_profile_region_part, region->point);
	/* Live ones are reported in the order of their numbers, and then again. */
	if (region->live && region->number < tp_profile_regions(run, region->point, &first)) {
		((struct tp_profile_region *)first)[region->number] = *region;
		return TP_OK;
	}
	switch (profile_add_region(run, row)) {
	case TP_OK:
		return TP_OK;
	case TP_USAGE:
		return tp_fail(diag, TP_USAGE, "event", NULL, "a region without a time");
	default:
		return tp_fail(diag, TP_USAGE, "event", NULL, "more regions than a run can have");
	}
}

/* --- samples --- */

static bool is_sound(const struct tp_profile_sample *s)
{
	return s->seconds > 0 && s->seconds <= 1e9 && s->at_seconds >= 0 && s->at_seconds <= 1e9;
}

static enum tp_status profile_put_sample(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_profile_sample *sample = row;
	if (!is_sound(sample))
		return tp_fail(diag, TP_USAGE, "event", NULL, "a sample without a time");
	if (sample->final && sample->number == 0)
		tp_run_forget_rows(run, &tp_profile_sample_part, sample->point);
	if (tp_run_n_profile_samples(run) >= SAMPLES_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "more samples than a run can have");
	*(struct tp_profile_sample *)tp_run_add_row(run, &tp_profile_sample_part) = *sample;
	return TP_OK;
}

static bool take_row(struct tp_csv *csv, const struct tp_column *const *columns, size_t n,
		     struct tp_profile_sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	profile_sample_table.blank(sample);
	for (size_t i = 0; i < n; i++)
		if (columns[i] && !tp_column_read_cell(columns[i], tp_csv_cell(csv, i), sample))
			return false;
	sample->final = true;
	return is_sound(sample);
}

/* profile.csv: columns in any order, unknown ones are passed over, so are damaged lines. */
static enum tp_status profile_read_samples(struct tp_run *run, const char *name, const char *text,
					   size_t len)
{
	const struct tp_column *columns[TP_CSV_COLUMNS_MAX];
	TP_CLEANUP(tp_csv_release) struct tp_csv csv = { 0 };
	struct tp_diag diag;
	size_t n = 0, damaged = 0;
	bool done = false;
	tp_csv_begin(&csv, name, text, len, &diag);
	enum tp_status status = tp_csv_next(&csv, &done);
	for (; status == TP_OK && !done && n < csv.n; n++) {
		columns[n] = tp_column_find(&profile_sample_table, tp_csv_cell(&csv, n));
		if (columns[n] && !(columns[n]->where & TP_IN_CSV))
			columns[n] = NULL;
	}
	while (status == TP_OK && !done) {
		struct tp_profile_sample sample;
		status = tp_csv_next(&csv, &done);
		if (status != TP_OK || done)
			break;
		if (!take_row(&csv, columns, n, &sample) ||
		    tp_run_n_profile_samples(run) >= SAMPLES_MAX) {
			damaged++;
			continue;
		}
		*(struct tp_profile_sample *)tp_run_add_row(run, &tp_profile_sample_part) = sample;
	}
	if (status == TP_USAGE)
		tp_run_remark(run, &diag);
	if (damaged) {
		tp_fail(&diag, TP_OK, name, NULL, "%zu lines are not samples", damaged);
		tp_run_remark(run, &diag);
	}
	return status;
}

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
	  .help = "Profile: time between two samples, as set."),
	P(exit_status,      "profile_exit_status", UNSIGNED, ALWAYS, NOTE,      FOUND, .applies = runs,
	  .help = "Profile: exit status of the program."),
	P(signal,           "profile_signal",     UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Profile: the signal that ended it; empty if none did."),
	P(time_seconds,     "profile_time_s",     REAL,     NONZERO, METRIC,    FOUND, .unit = "s",
	  .help = "Profile: time from the start of the program to its end, with the sampler running."),
	P(user_seconds,     "profile_user_s",     REAL,     NONZERO, NOTE,      FOUND, .unit = "s"),
	P(system_seconds,   "profile_system_s",   REAL,     NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Profile: its time on CPUs, in the program and in the kernel."),
	P(max_rss_bytes,    "profile_max_rss_bytes", U64,   NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Profile: the most memory of one of its processes; empty if that is less than "
		  "what "
		  "the engine of tprof has."),
	P(samples,          "profile_samples",    UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Profile: how many samples were kept."),
	P(last_interval_seconds, "last_interval_s", REAL,   NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Profile: time between two samples in the end: the interval doubles whenever "
		  "there "
		  "are 65,536 samples."),
	P(late,             "late_samples",       UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "Profile: samples that came more than half an interval late, or not at all."),
	P(sampler_share,    "sampler_share",      REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: CPU time that the sampler took, over the time of the program."),
	P(lost_marks,       "region_marks_lost",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: entries and exits of regions that have no band, as there was no room "
		  "for more."),
	P(code_samples,     "code_samples",       REAL,     NONZERO, NOTE,      FOUND),
	P(code_lost,        "code_samples_lost",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Profile: how often it was looked where the program is, and how many of these "
		  "samples "
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
	  .help = "Number and name of the meter, which is a column of profile.csv; its unit; its "
		  "meaning."),
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
	  .help = "Only in events: false while the program runs, for samples that the final "
		  "ones replace."),
	S(at_seconds, "at_s",    REAL,     ALWAYS, NOTE,     BOTH, .unit = "s"),
	S(seconds,    "seconds", REAL,     ALWAYS, NOTE,     BOTH, .unit = "s",
	  .help = "When it ended, from the start of the program on; how long it is. The other columns are means over that time; empty if a meter had no reading."),
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
	  .help = "Number of the thread, from 0."),
	R(start_seconds, "start_s", REAL,     ALWAYS, NOTE, .unit = "s"),
	R(seconds,       "seconds", REAL,     ALWAYS, METRIC, .unit = "s",
	  .help = "When the thread entered it, from the start of the program on, and how long it "
		  "was in it."),
	R(times,         "times",   UNSIGNED, ALWAYS, NOTE,
	  .help = "How often it was entered in that time: if there are very many, neighbours are "
		  "one row."),
	R(live,          "live",    BOOL,     NONZERO, NOTE,
	  .help = "Only in events: it stands for all threads while the program runs."),
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

static const struct tp_table profile_table = { TP_TABLE(struct tp_profile_row, columns) };

static const struct tp_table meter_table = { .name = "meters",
					     TP_TABLE(struct tp_profile_meter, meter_columns) };

static const struct tp_table profile_sample_table = {
	TP_TABLE(struct tp_profile_sample, sample_columns), .blank = blank_sample
};

static const struct tp_table phase_table = { .name = "phases",
					     TP_TABLE(struct tp_profile_phase, phase_columns),
					     .blank = blank_phase };

static const struct tp_table region_table = { .name = "profile_regions",
					      TP_TABLE(struct tp_profile_region, region_columns) };

_Static_assert(sizeof(struct tp_profile_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

_Static_assert(sizeof(struct tp_profile_meter) <= TP_ROW_BYTES_MAX, "rows have room in events");

_Static_assert(sizeof(struct tp_profile_sample) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_part tp_profile_meter_part = { .table = &meter_table,
					       .place = 40,
					       .measured = true,
					       .forgets = true,
					       .add = profile_add_meter };

const struct tp_row_event tp_profile_meter_event = {
	.name = "meter",
	.table = &meter_table,
	.part = &tp_profile_meter_part,
};

const struct tp_part tp_profile_sample_part = {
	.table = &profile_sample_table,
	.place = 41,
	.measured = true,
	.csv_file = "profile.csv",
	.forgets = true,
	.read_csv = profile_read_samples,
};

const struct tp_row_event tp_profile_sample_event = {
	.name = "profile_sample",
	.table = &profile_sample_table,
	.put = profile_put_sample,
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
						.forgets = true,
						.add = profile_add_region };

const struct tp_row_event tp_profile_region_event = {
	.name = "profile_region",
	.table = &region_table,
	.put = profile_put_region,
	.part = &tp_profile_region_part,
};

static void headline(struct tp_point *point)
{
	const struct tp_profile_row *row = tp_profile_row(point);
	tp_copy(point->unit, sizeof(point->unit), "s");
	point->less_is_better = true;
	point->median = point->best = row->time_seconds;
}

const struct tp_schema_row tp_schema_profile = {
	.points = { "profile", &profile_table, headline, NULL },
	TP_PARTS(&tp_profile_meter_part, &tp_profile_sample_part, &tp_profile_phase_part,
		 &tp_profile_region_part),
	TP_ROW_EVENTS(&tp_profile_meter_event, &tp_profile_sample_event, &tp_profile_region_event),
};
