/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs consist of beyond points and facts: the tables of the experiments. Each experiment has
 * one row here; the program hands the list in, and the record has the experiments only from it.
 */
#ifndef TPROF_RECORD_SCHEMA_H
#define TPROF_RECORD_SCHEMA_H

#include "record/point.h"
#include "table/table.h"

struct tp_run;
struct json_t;

/* What the points of an experiment have in addition to the core. */
struct tp_point_kind {
	const char *experiment;
	const struct tp_table *table; /* of tp_point.row; NULL = none */
	/* Sets unit, less_is_better, median and best of the point from its row; NULL = as they are.
	 */
	void (*headline)(struct tp_point *point);
	/*
	 * Decides the quality of finished points of this kind that were read without one, from
	 * their windows and the rest of the run; NULL = such points have none.
	 */
	void (*judge)(struct tp_run *run, const struct tp_point_kind *kind);
};

/* A table of results: a list of run.json, and perhaps its own file. */
struct tp_part {
	const struct tp_table *table; /* its name is the key of run.json; NULL = not there */
	unsigned place; /* order of the keys of run.json */
	/* Made again from the points each time; the list stands in run.json even if empty. */
	bool derived;
	bool sparse; /* derived, and not in run.json without rows */
	bool measured; /* its rows come with events; a run that goes on keeps them */
	bool late; /* after the points: previews do not read it */
	const char *csv_file; /* written if there are rows and they have a text; NULL = none */
	bool forgets; /* rows have a column "point": remeasuring a point drops them */
	bool early; /* as `forgets`; rows come early, and go if the point is skipped then */
	/*
	 * What the columns do not do: NULL = rows are freed as they are, written and read by their
	 * columns. `add` puts one row, read from run.json, into the run; NULL: at the end.
	 */
	void (*release)(void *row);
	enum tp_status (*add)(struct tp_run *run, const void *row);
	/*
	 * Sorts rows that `add` appended out of order, before they are read. NULL: rows stay as
	 * they came.
	 */
	void (*settle)(struct tp_rows *rows);
	/* Keys without which a row means nothing: "index"; NULL = none. */
	const char *needs, *needs_words;
	void (*write_json)(const struct tp_rows *rows, struct tp_str *out);
	/* A new schema of what write_json writes; NULL: a list of rows. */
	struct json_t *(*json_schema)(void);
	enum tp_status (*read_json)(struct tp_run *run, const struct json_t *value,
				    const char *place, struct tp_diag *diag);
	/* False: with all rows it would be longer than `max_bytes`, so there are fewer. */
	bool (*write_csv)(const struct tp_rows *rows, size_t max_bytes, struct tp_str *out);
	enum tp_status (*read_csv)(struct tp_run *run, const char *name, const char *text,
				   size_t len);
};

/* An event of an experiment that carries a row, which goes into the run. */
struct tp_row_event {
	const char *name; /* "ev" of the event */
	const struct tp_table *table;
	bool exact; /* reals are written with 17 digits */
	/* Members that are not columns, such as lists; NULL = none. */
	void (*pack)(const void *row, struct json_t *object);
	enum tp_status (*unpack)(void *row, const struct json_t *object, struct tp_diag *diag);
	/* NULL: the row becomes one of `part`. */
	enum tp_status (*put)(struct tp_run *run, const void *row, struct tp_diag *diag);
	size_t (*values)(const void *row); /* how many values a row carries; NULL = one */
	/* A part whose rows are rows of this event, so that they can be sent again; NULL = none. */
	const struct tp_part *part;
};

struct tp_schema_row {
	struct tp_point_kind points;
	const struct tp_part *const *parts; /* experiments may share one */
	size_t n_parts;
	const struct tp_row_event *const *events;
	size_t n_events;
};

#define TP_PARTS(...)                                                                              \
	.parts = (const struct tp_part *const[]){ __VA_ARGS__ },                                   \
	.n_parts = sizeof((const struct tp_part *const[]){ __VA_ARGS__ }) / sizeof(void *)
#define TP_ROW_EVENTS(...)                                                                         \
	.events = (const struct tp_row_event *const[]){ __VA_ARGS__ },                             \
	.n_events = sizeof((const struct tp_row_event *const[]){ __VA_ARGS__ }) / sizeof(void *)

struct tp_schema {
	const struct tp_schema_row *const *rows;
	size_t n;
};
/* Before the first run, point or event, once; until then there are emitted kernels only. */
void tp_record_use(const struct tp_schema *schema);
const struct tp_schema *tp_schema(void);

/* For an unknown name: the kind of emitted kernels. Never NULL. */
const struct tp_point_kind *tp_point_kind_find(const char *experiment);
/* NULL if the name is unknown. */
const struct tp_row_event *tp_row_event_find(const char *name);

/* Every part once, by place. NULL after the last. */
const struct tp_part *tp_part_next(const struct tp_part *part);

/* --- columns of points: the core's and every experiment's, one for each name --- */

enum { TP_POINT_COLUMNS_MAX = 256 };
struct tp_point_layout {
	const struct tp_point_kind *kind;
	struct tp_point_layout *next; /* of another kind */
	size_t n;
	struct {
		const struct tp_column *column;
		enum { TP_FROM_CORE, TP_FROM_ROW, TP_FROM_NOTHING } from;
	} at[TP_POINT_COLUMNS_MAX];
};
/*
 * Columns in the order of points.csv, as points of that kind have them. Made once for each kind,
 * and the same as long as the schema is.
 */
const struct tp_point_layout *tp_point_layout_of_kind(const struct tp_point_kind *kind);
/* As this point has them, which may have an experiment and no kind. */
const struct tp_point_layout *tp_point_layout(const struct tp_point *point);
/* The record that the i-th column is read from: the point, its row, or zeros. */
const void *tp_point_record(const struct tp_point_layout *layout, size_t i,
			    const struct tp_point *point);

/* The text of a column of the point or of its row; "" if it has no text of that name. */
const char *tp_point_word(const struct tp_point *point, const char *column);

#endif
