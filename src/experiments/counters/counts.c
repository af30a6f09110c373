/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings as a part of a run, and the events that carry them. */
#include "experiments/counters/readings.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "table/json.h"

static void release(void *row)
{
	tp_readings_release(row);
}

static enum tp_status write_csv(const struct tp_rows *rows, size_t max_bytes, struct tp_str *out)
{
	const struct tp_readings *readings = rows->rows;

	return readings->n > 0 ? tp_readings_csv(readings, max_bytes, out) : TP_OK;
}

static enum tp_status read_csv(struct tp_run *run, const char *name, const char *text, size_t len)
{
	struct tp_readings *readings = tp_run_readings_of(run);

	return readings ? tp_readings_parse(readings, name, text, len, &run->diags) : TP_NOMEM;
}

static const struct tp_table table = { .row_bytes = sizeof(struct tp_readings) };
const struct tp_part tp_readings_part = {
	.table = &table,
	.place = 20,
	.measured = true,
	.csv_file = "readings.csv",
	.release = release,
	.write_csv = write_csv,
	.read_csv = read_csv,
};

const struct tp_readings *tp_run_readings(const struct tp_run *run)
{
	static const struct tp_readings none;
	const struct tp_rows *rows = tp_run_rows(run, &tp_readings_part);

	return rows->n > 0 ? rows->rows : &none;
}

struct tp_readings *tp_run_readings_of(struct tp_run *run)
{
	struct tp_rows *rows = tp_run_rows_of(run, &tp_readings_part);

	if (!rows)
		return NULL;
	return rows->n > 0 ? rows->rows : tp_rows_add(rows, &table);
}

/* --- the event --- */

/* clang-format off */
#define C(member, name, type) \
	TP_COLUMN(struct tp_counts, member, name, type, ALWAYS, TP_ROLE_NOTE, TP_IN_JSON, )
static const struct tp_column columns[] = {
	C(family,     "family",     TEXT),
	C(event,      "event",      TEXT),
	C(row,        "row",        UNSIGNED),
	C(iterations, "iterations", REAL),
	C(first,      "first",      UNSIGNED),
};
/* clang-format on */
static const struct tp_table counts_table = {
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_counts),
};
_Static_assert(sizeof(struct tp_counts) <= TP_ROW_BYTES_MAX, "rows have room in events");

/* What could not be counted is null. */
static enum tp_status pack(const void *row, json_t *object)
{
	const struct tp_counts *c = row;
	json_t *list = json_array();

	if (!list || c->n > TP_EVENT_COUNTS_MAX) {
		json_decref(list);
		return list ? TP_INTERNAL : TP_NOMEM;
	}
	for (unsigned i = 0; i < c->n; i++)
		if (json_array_append_new(list, tp_json_count(c->counts[i]))) {
			json_decref(list);
			return TP_NOMEM;
		}
	return json_object_set_new(object, "counts", list) ? TP_NOMEM : TP_OK;
}

static enum tp_status unpack(void *row, const json_t *object, struct tp_diag *diag)
{
	struct tp_counts *c = row;
	const json_t *list = json_object_get(object, "counts");

	if (!json_is_array(list) || json_array_size(list) > TP_EVENT_COUNTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", "at most 16 numbers",
			       "\"counts\" is not a list of counts");
	c->n = (unsigned)json_array_size(list);
	for (unsigned i = 0; i < c->n; i++) {
		const json_t *count = json_array_get(list, i);

		if (!json_is_number(count) && !json_is_null(count))
			return tp_fail(diag, TP_USAGE, "event", "a number or null",
				       "an entry of \"counts\" is no count");
		c->counts[i] = json_is_null(count) ? NAN : json_number_value(count);
	}
	return TP_OK;
}

/* A point that is measured again overwrites what it counted before. */
static enum tp_status put(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_counts *c = row;
	struct tp_readings *readings = tp_run_readings_of(run);
	enum tp_status status = readings ? TP_OK : TP_NOMEM;

	for (unsigned i = 0; i < c->n && status == TP_OK; i++)
		status = tp_readings_add(readings,
					 &(struct tp_reading){ .family = c->family,
							       .event = c->event,
							       .row = c->row,
							       .repetition = (size_t)c->first + i,
							       .count = c->counts[i],
							       .iterations = c->iterations },
					 diag);
	return status;
}

static size_t values(const void *row)
{
	return ((const struct tp_counts *)row)->n;
}

const struct tp_row_event tp_counts_event = {
	.name = "counts",
	.table = &counts_table,
	.exact = true,
	.pack = pack,
	.unpack = unpack,
	.put = put,
	.values = values,
};
