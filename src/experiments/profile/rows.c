/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/rows.h"
#include "base/memory.h"
#include "table/csv.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Samples of all points: those of four long programs. */
enum { SAMPLES_MAX = 1 << 18, REGIONS_MAX = 8 * TP_PROFILE_REGIONS_MAX };

bool tp_point_is_profile(const struct tp_point *point)
{
	return point->row && point->kind && tp_table_is(point->kind->table, &tp_profile_table);
}

const struct tp_profile_row *tp_profile_row(const struct tp_point *point)
{
	static const struct tp_profile_row none;
	return tp_point_is_profile(point) ? point->row : &none;
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

/* --- rows of a point --- */

/* What rows of all these tables begin with. */
struct row_head {
	unsigned run, point;
};
#define BEGINS_WITH_HEAD(type)                                                                     \
	_Static_assert(offsetof(struct type, point) == offsetof(struct row_head, point), #type)
BEGINS_WITH_HEAD(tp_profile_meter);
BEGINS_WITH_HEAD(tp_profile_region);
BEGINS_WITH_HEAD(tp_profile_sample);

/* Takes the rows of a point out of a list; the others keep their order. */
static void forget(struct tp_run *run, const struct tp_part *part, unsigned point)
{
	struct tp_rows *rows = tp_run_rows_of(run, part);
	const size_t bytes = part->table->row_bytes;
	size_t kept = 0;
	for (size_t i = 0; rows && i < rows->n; i++) {
		char *row = (char *)rows->rows + i * bytes;
		if (((const struct row_head *)(void *)row)->point != point)
			memmove((char *)rows->rows + kept++ * bytes, row, bytes);
	}
	if (rows)
		rows->n = kept;
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

void tp_profile_forget_meters(struct tp_run *run, unsigned point)
{
	forget(run, &tp_profile_meter_part, point);
}

/* The last word on a meter counts. */
enum tp_status tp_profile_add_meter(struct tp_run *run, const void *row)
{
	const struct tp_profile_meter *meter = row;
	struct tp_profile_meter *there = (struct tp_profile_meter *)tp_profile_meter(
		run, meter->point, (enum tp_meter_id)meter->number);
	if (!there && tp_run_n_profile_meters(run) >= TP_RUN_POINTS_MAX)
		return TP_RESOURCE;
	if (!there)
		there = tp_run_add_row(run, &tp_profile_meter_part);
	if (!there)
		return TP_NOMEM;
	*there = *meter;
	return TP_OK;
}

enum tp_status tp_profile_put_meter(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	enum tp_status status = tp_profile_add_meter(run, row);
	if (status == TP_RESOURCE)
		return tp_fail(diag, TP_USAGE, "event", NULL, "more meters than a run can have");
	return status == TP_OK ? TP_OK : tp_fail(diag, TP_NOMEM, "event", NULL, "out of memory");
}

/* --- regions --- */

size_t tp_profile_regions(const struct tp_run *run, unsigned point,
			  const struct tp_profile_region **first)
{
	const struct tp_profile_region *rows = tp_run_profile_regions(run);
	size_t n = tp_run_n_profile_regions(run), begin = 0, end;
	while (begin < n && rows[begin].point != point)
		begin++;
	for (end = begin; end < n && rows[end].point == point;)
		end++;
	*first = begin < n ? &rows[begin] : NULL;
	return end - begin;
}

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

void tp_profile_forget_regions(struct tp_run *run, unsigned point)
{
	forget(run, &tp_profile_region_part, point);
}

enum tp_status tp_profile_add_region(struct tp_run *run, const void *row)
{
	const struct tp_profile_region *region = row;
	bool sound = region->seconds >= 0 && region->seconds <= 1e9 &&
		     region->start_seconds >= -1e9 && region->start_seconds <= 1e9;
	if (!sound)
		return TP_USAGE;
	if (tp_run_n_profile_regions(run) >= REGIONS_MAX)
		return TP_RESOURCE;
	struct tp_profile_region *added = tp_run_add_row(run, &tp_profile_region_part);
	if (!added)
		return TP_NOMEM;
	*added = *region;
	return TP_OK;
}

enum tp_status tp_profile_put_region(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_profile_region *region = row, *first;
	if (region->number == 0 && !region->live)
		tp_profile_forget_regions(run, region->point);
	/* Live ones are told in the order of their numbers, and then again. */
	if (region->live && region->number < tp_profile_regions(run, region->point, &first)) {
		((struct tp_profile_region *)first)[region->number] = *region;
		return TP_OK;
	}
	switch (tp_profile_add_region(run, row)) {
	case TP_OK:
		return TP_OK;
	case TP_USAGE:
		return tp_fail(diag, TP_USAGE, "event", NULL, "a region without a time");
	case TP_RESOURCE:
		return tp_fail(diag, TP_USAGE, "event", NULL, "more regions than a run can have");
	default:
		return tp_fail(diag, TP_NOMEM, "event", NULL, "out of memory");
	}
}

/* --- samples --- */

size_t tp_profile_samples(const struct tp_run *run, unsigned point,
			  const struct tp_profile_sample **first)
{
	const struct tp_profile_sample *rows = tp_run_profile_samples(run);
	size_t n = tp_run_n_profile_samples(run), begin = 0, end;
	while (begin < n && rows[begin].point != point)
		begin++;
	for (end = begin; end < n && rows[end].point == point;)
		end++;
	*first = begin < n ? &rows[begin] : NULL;
	return end - begin;
}

size_t tp_profile_phases(const struct tp_run *run, unsigned point,
			 const struct tp_profile_phase **first)
{
	const struct tp_profile_phase *rows = tp_run_profile_phases(run);
	size_t n = tp_run_n_profile_phases(run), begin = 0, end;
	while (begin < n && rows[begin].point != point)
		begin++;
	for (end = begin; end < n && rows[end].point == point;)
		end++;
	*first = begin < n ? &rows[begin] : NULL;
	return end - begin;
}

void tp_profile_forget_samples(struct tp_run *run, unsigned point)
{
	forget(run, &tp_profile_sample_part, point);
}

static bool is_sound(const struct tp_profile_sample *s)
{
	return s->seconds > 0 && s->seconds <= 1e9 && s->at_seconds >= 0 && s->at_seconds <= 1e9;
}

enum tp_status tp_profile_put_sample(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_profile_sample *sample = row;
	if (!is_sound(sample))
		return tp_fail(diag, TP_USAGE, "event", NULL, "a sample without a time");
	if (sample->final && sample->number == 0)
		tp_profile_forget_samples(run, sample->point);
	if (tp_run_n_profile_samples(run) >= SAMPLES_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "more samples than a run can have");
	struct tp_profile_sample *added = tp_run_add_row(run, &tp_profile_sample_part);
	if (!added)
		return tp_fail(diag, TP_NOMEM, "event", NULL, "out of memory");
	*added = *sample;
	return TP_OK;
}

static bool take_row(struct tp_csv *csv, const struct tp_column *const *columns, size_t n,
		     struct tp_profile_sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	tp_profile_sample_table.blank(sample);
	for (size_t i = 0; i < n; i++)
		if (columns[i] && !tp_column_read_cell(columns[i], tp_csv_cell(csv, i), sample))
			return false;
	sample->final = true;
	return is_sound(sample);
}

/* profile.csv: columns in any order, unknown ones are passed over, so are damaged lines. */
enum tp_status tp_profile_read_samples(struct tp_run *run, const char *name, const char *text,
				       size_t len)
{
	const struct tp_column *columns[TP_CSV_COLUMNS_MAX];
	struct tp_csv csv = { 0 };
	struct tp_diag diag;
	size_t n = 0, damaged = 0;
	bool done = false;
	tp_csv_begin(&csv, name, text, len, &diag);
	enum tp_status status = tp_csv_next(&csv, &done);
	for (; status == TP_OK && !done && n < csv.n; n++) {
		columns[n] = tp_column_find(&tp_profile_sample_table, tp_csv_cell(&csv, n));
		if (columns[n] && !(columns[n]->where & TP_IN_CSV))
			columns[n] = NULL;
	}
	while (status == TP_OK && !done) {
		struct tp_profile_sample sample, *added;
		status = tp_csv_next(&csv, &done);
		if (status != TP_OK || done)
			break;
		if (!take_row(&csv, columns, n, &sample) ||
		    tp_run_n_profile_samples(run) >= SAMPLES_MAX) {
			damaged++;
			continue;
		}
		added = tp_run_add_row(run, &tp_profile_sample_part);
		if (!added)
			status = TP_NOMEM;
		else
			*added = sample;
	}
	tp_csv_release(&csv);
	if (status == TP_USAGE)
		tp_run_remark(run, &diag);
	if (damaged) {
		tp_fail(&diag, TP_OK, name, NULL, "%zu lines are no samples", damaged);
		tp_run_remark(run, &diag);
	}
	return status;
}
