/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records as tables of fields: one row names a member once, for points.csv, run.json and the
 * event stream alike. Private to the record room. A value that does not apply (see enum
 * tp_field_rule) is an empty cell in CSV and null in JSON.
 */
#ifndef TPROF_RECORD_FIELD_H
#define TPROF_RECORD_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/str.h"
#include "record/point.h"
#include "record/run.h"

enum tp_field_type {
	TP_FIELD_UNSIGNED,
	TP_FIELD_U64,
	TP_FIELD_REAL,
	TP_FIELD_BOOL,
	TP_FIELD_TEXT, /* char array in the struct */
	TP_FIELD_FLAGS, /* uint32_t of enum tp_flag bits */
	TP_FIELD_STATE, /* enum tp_point_state */
	TP_FIELD_DERIVED /* computed by `derive`, written and never read */
};

enum tp_field_rule {
	TP_FIELD_ALWAYS,
	TP_FIELD_NONZERO, /* 0 = does not apply */
	TP_FIELD_RATIO /* applies where loads or stores is not 0 */
};

/* Where a field appears, ored together. */
enum {
	TP_IN_IDENTITY = 1, /* event point_begin */
	TP_IN_FOUND = 2, /* event point_end, beside the identity */
	TP_IN_CSV = 4,
	TP_IN_JSON = 8
};

struct tp_field {
	const char *name;
	size_t offset, size_bytes;
	double (*derive)(const void *record);
	enum tp_field_type type;
	enum tp_field_rule rule;
	unsigned where;
};

#define TP_FIELD(record, member, name, type, rule, where)                                          \
	{                                                                                          \
		name, offsetof(record, member), sizeof(((record *)0)->member), NULL, type, rule,   \
			where                                                                      \
	}

struct tp_table {
	const struct tp_field *fields;
	size_t n;
};

extern const struct tp_table tp_point_table, tp_sample_table;
extern const struct tp_table tp_roof_table, tp_plateau_table, tp_dot_table;
extern const struct tp_table tp_trial_table, tp_study_table;

/* Sets the fields of `record` that appear in any of `where` as members of `object`. */
enum tp_status tp_fields_pack(const struct tp_table *table, unsigned where, const void *record,
			      json_t *object);
/*
 * Reads every known key into a zeroed record; absent or null leaves it. A wrong type or range is
 * TP_USAGE, with `place` as where.
 */
enum tp_status tp_fields_unpack(const struct tp_table *table, const json_t *object, void *record,
				const char *place, struct tp_diag *diag);
/* One cell, quoted as RFC 4180 wants it. */
void tp_field_cell(const struct tp_table *table, const struct tp_field *field, const void *record,
		   struct tp_str *out);

/* A text as a cell of a table, in quotes where RFC 4180 wants them. */
void tp_cell_text(struct tp_str *out, const char *text);
/* A number as a cell; empty where it is not finite. */
void tp_cell_real(struct tp_str *out, double value);

/* A JSON string of any bytes: what is not UTF-8 becomes '?'. NULL when out of memory. */
json_t *tp_json_text(const char *text);
/* A JSON real, null where it is not finite. */
json_t *tp_json_real(double value);
/* A JSON integer where it is whole and below 2^63, else like tp_json_real. */
#define TP_JSON_WHOLE_MAX 9223372036854775808.0
json_t *tp_json_count(double value);
/* {where, what, hint} as object; and back. Says whether it holds any words. */
json_t *tp_json_diag(const struct tp_diag *diag);
bool tp_diag_has_words(const struct tp_diag *diag);
void tp_json_diag_read(const json_t *object, struct tp_diag *diag);
/*
 * Appends the text of `value`; TP_NOMEM if it could not be made. Takes `value` over (may be NULL:
 * TP_NOMEM). Reals have 15 digits unless the flags hold JSON_REAL_PRECISION(n).
 */
enum tp_status tp_json_add(struct tp_str *out, json_t *value, size_t flags);

/*
 * The point with that id, made (with all before it) if new. NULL when out of memory or beyond
 * TP_RUN_POINTS_MAX.
 */
enum { TP_RUN_POINTS_MAX = 65536 };
struct tp_point *tp_run_point_slot(struct tp_run *run, unsigned id);
/* A peak (level FP) counts FLOP, every other roof bytes. */
bool tp_roof_is_peak(const struct tp_roof *roof);

/* "families": {...} of run.json, without anything before or behind; and back, into run->classes. */
enum { TP_FAMILY_IDEALS_MAX = 256 };
enum tp_status tp_families_add(const struct tp_class *classes, size_t n, struct tp_str *out);
enum tp_status tp_families_read(struct tp_run *run, const json_t *families, const char *place,
				struct tp_diag *diag);

/* What run.json says of itself. */
#define TP_RUN_FORMAT_NAME "tprof-run"
enum { TP_RUN_FORMAT_VERSION = 1 };
/* False for keys that run.json uses itself ("points", ...), whether alone or before a dot. */
bool tp_fact_key_allowed(const char *key);

#endif
