/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reader of run.json (json.c describes it). The caller's run is replaced only by a document that is
 * sound as a whole.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/document.h"
#include "record/load.h"
#include "record/point.h"
#include "table/csv.h"
#include "table/lists.h"

struct reader {
	struct tp_run *run;
	const char *name;
	struct tp_diag *diag;
	char place[160]; /* "run.json: points[3]" */
	const char *text; /* of the whole document */
	size_t n_windows;
	struct tp_point_layout windows; /* the columns of windows, as of TP_FROM_CORE */
};

static enum tp_status refuse(struct reader *r, const char *what)
{
	return tp_fail(r->diag, TP_USAGE, r->place, NULL, "%s", what);
}

/* jansson's message for the text at `at`, with its line in the whole document. */
static enum tp_status refuse_text(struct reader *r, const char *at, const json_error_t *error)
{
	char place[sizeof(r->diag->where)];
	int line = error->line, column = error->column;
	const char *begin = at;

	for (const char *p = r->text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
		line++;
	while (begin > r->text && begin[-1] != '\n')
		begin--;
	if (error->line <= 1)
		column += (int)TP_MIN(at - begin, 1000000);
	snprintf(place, sizeof(place), "%.140s:%d:%d", r->name, line, column);
	return tp_fail(r->diag, TP_USAGE, place, NULL, "%s", error->text);
}

static void note(struct reader *r, const char *key, const char *what)
{
	tp_diags_note(&r->run->diags, r->name, NULL, "fact \"%.80s\" %s", key, what);
}

/* Where the columns of a layout lie. */
struct plain_record {
	void *core, *row;
};

/* Where the value of column i goes. */
static void *record_of(const struct tp_point_layout *layout, size_t i, struct plain_record record,
		       union tp_row_room *nowhere)
{
	return layout->at[i].from == TP_FROM_CORE  ? record.core
	       : layout->at[i].from == TP_FROM_ROW ? record.row
						   : nowhere;
}

/* --- entries without a tree: most are plain, and there are thousands --- */

static bool is_key(const struct tp_json_plain *plain, const char *name)
{
	return strncmp(name, plain->key, plain->key_len) == 0 && !name[plain->key_len];
}

/* The column of that name, sought from `at` on, where writers put it; layout->n: none. */
static size_t column_of(const struct tp_point_layout *layout, size_t at,
			const struct tp_json_plain *plain)
{
	for (size_t k = 0; k < layout->n; k++, at++)
		if (is_key(plain, layout->at[at % layout->n].column->name))
			return at % layout->n;
	return layout->n;
}

/* False: the value needs a tree to be read, or to be refused. */
static bool read_plain_column(const struct tp_column *column, const struct tp_json_plain *plain,
			      void *record)
{
	char text[512];
	char kind = column->type == TP_COLUMN_BOOL ? 't' : '0';

	if (column->type == TP_COLUMN_TEXT || column->type == TP_COLUMN_WORD ||
	    column->type == TP_COLUMN_FLAGS)
		kind = '"';
	if (plain->kind == 'n' || column->type == TP_COLUMN_DERIVED ||
	    column->type == TP_COLUMN_PHRASE)
		return true;
	if (plain->kind != kind || plain->value_len >= sizeof(text) ||
	    (column->type == TP_COLUMN_WORD && !plain->value_len))
		return false;
	memcpy(text, plain->value, plain->value_len);
	text[plain->value_len] = '\0';
	return tp_column_read_cell(column, text, record);
}

/* Reads an object; its list "windows", if it may have one, stays text. False: not plain. */
static bool read_plain(const struct tp_point_layout *layout, struct plain_record record,
		       const char *text, size_t len, struct tp_json_entries *windows)
{
	struct tp_json_plain plain = { .at = text, .end = text + len };
	union tp_row_room nowhere;
	size_t next = 0;

	while (tp_json_plain_next(&plain)) {
		size_t i = column_of(layout, next, &plain);

		if (i < layout->n) {
			next = i + 1;
			if (!read_plain_column(layout->at[i].column, &plain,
					       record_of(layout, i, record, &nowhere)))
				return false;
		} else if (windows && !windows->at && plain.kind == '[' &&
			   is_key(&plain, "windows")) {
			*windows = (struct tp_json_entries){ plain.value,
							     plain.value + plain.value_len };
		} else if (plain.kind == '[' || is_key(&plain, "windows")) {
			return false;
		}
	}
	return plain.whole;
}

enum tp_status tp_point_unpack(struct tp_point *point, struct tp_arena *arena, const json_t *object,
			       const char *place, struct tp_diag *diag)
{
	const char *experiment = json_string_value(json_object_get(object, "experiment"));
	union tp_row_room nowhere;

	if (!point->row)
		tp_point_begin(point, experiment ? experiment : "", arena);
	const struct tp_point_layout *layout = tp_point_layout(point);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;
		const json_t *value = json_object_get(object, column->name);
		char wanted[TP_WANTED_BYTES];

		if (!tp_column_read_json(column, value,
					 record_of(layout, i,
						   (struct plain_record){ point, point->row },
						   &nowhere)))
			return tp_fail(diag, TP_USAGE, place, tp_column_wanted(column, wanted),
				       "\"%s\" has a value of the wrong kind", column->name);
	}
	tp_json_diag_read(json_object_get(object, "diag"), &point->diag);
	if (point->kind->headline)
		point->kind->headline(point);
	return TP_OK;
}

/* What the entries of a list are. */
struct entry_kind {
	const char *list; /* each has one of that name; NULL = none */
	/* Takes an entry that is plain; false: it is not, and is not taken. */
	bool (*take)(struct reader *r, const char *text, size_t len, void *context,
		     enum tp_status *status);
	/* Takes any other entry; its list is still text. */
	enum tp_status (*read)(struct reader *r, struct tp_json_lists *entry, void *context);
};

/*
 * The entries of a list, one after another. `where` is the list in a place: "points", or NULL if
 * the place stays.
 */
static enum tp_status read_entries(struct reader *r, struct tp_json_entries *entries,
				   const char *where, const struct entry_kind *kind, void *context)
{
	enum tp_status status = TP_OK;
	json_error_t error;
	const char *text;
	size_t len;

	for (size_t i = 0; status == TP_OK; i++) {
		struct tp_json_lists entry;

		text = entries->at ? tp_json_entry(entries, &len, &error) : NULL;
		if (!text && entries->at && error.text[0])
			return refuse_text(r, entries->at, &error);
		if (!text)
			return TP_OK;
		if (where)
			snprintf(r->place, sizeof(r->place), "%.100s: %s[%zu]", r->name, where, i);
		if (kind->take && kind->take(r, text, len, context, &status))
			continue;
		if (!tp_json_lists_open(&entry, text, len, &kind->list, kind->list ? 1 : 0, &error))
			return refuse_text(r, text, &error);
		if (json_is_object(entry.root))
			status = kind->read(r, &entry, context);
		else
			status = refuse(r, where ? "not an object"
						 : "an entry of \"windows\" is not an object");
		tp_json_lists_close(&entry);
	}
	return status;
}

static void add_window(struct reader *r, struct tp_point *slot, const struct tp_sample *sample)
{
	if (r->n_windows++ < TP_RUN_WINDOWS_MAX)
		tp_point_add_sample(slot, sample);
	else if (r->n_windows == TP_RUN_WINDOWS_MAX + 1)
		tp_run_remark_windows(r->run, r->name);
}

static bool take_window(struct reader *r, const char *text, size_t len, void *context,
			enum tp_status *status)
{
	struct tp_sample sample = { 0 };

	*status = TP_OK;
	if (!read_plain(&r->windows, (struct plain_record){ .core = &sample }, text, len, NULL))
		return false;
	add_window(r, context, &sample);
	return true;
}

static enum tp_status read_window(struct reader *r, struct tp_json_lists *entry, void *context)
{
	struct tp_sample sample = { 0 };
	enum tp_status status =
		tp_row_unpack(&tp_sample_table, entry->root, &sample, r->place, r->diag);

	if (status == TP_OK)
		add_window(r, context, &sample);
	return status;
}

/* A point that was read, with the text of its windows. */
static enum tp_status put_point(struct reader *r, const struct tp_point *point,
				struct tp_json_entries *windows)
{
	static const struct entry_kind window = { .take = take_window, .read = read_window };
	struct tp_point *slot = tp_run_point_slot(r->run, point->point);

	if (slot->experiment[0] || slot->state != TP_POINT_PLANNED || slot->n_samples > 0)
		return refuse(r, "a second point has the same number");
	*slot = *point;
	return read_entries(r, windows, NULL, &window, slot);
}

static bool take_point(struct reader *r, const char *text, size_t len,
		       void *context __attribute__((unused)), enum tp_status *status)
{
	struct tp_json_plain plain = { .at = text, .end = text + len };
	struct tp_json_entries windows = { 0 };
	struct tp_point point = { 0 };
	bool has_number = false;
	char experiment[sizeof(point.experiment)] = "";

	/* They come first where tprof has written them. */
	while ((!has_number || !*experiment) && tp_json_plain_next(&plain)) {
		has_number |= is_key(&plain, "point") && plain.kind == '0';
		if (is_key(&plain, "experiment") && plain.kind == '"' &&
		    plain.value_len < sizeof(experiment))
			memcpy(experiment, plain.value, plain.value_len);
	}
	if (!has_number || !*experiment)
		return false;
	tp_point_begin(&point, experiment, &r->run->arena);
	if (!read_plain(tp_point_layout(&point), (struct plain_record){ &point, point.row }, text,
			len, &windows))
		return false;
	if (point.kind->headline)
		point.kind->headline(&point);
	*status = put_point(r, &point, &windows);
	return true;
}

static enum tp_status read_point(struct reader *r, struct tp_json_lists *entry,
				 void *context __attribute__((unused)))
{
	struct tp_point point = { 0 };
	enum tp_status status;
	const json_t *o = entry->root, *windows = json_object_get(o, "windows");

	if (!json_is_integer(json_object_get(o, "point")))
		return refuse(r, "\"point\" is not a point number");
	status = tp_point_unpack(&point, &r->run->arena, o, r->place, r->diag);
	if (status)
		return status;
	if (windows && !json_is_array(windows))
		return refuse(r, "\"windows\" is not a list");
	return put_point(r, &point, &entry->entries[0]);
}

/* One row of a part's list. */
static enum tp_status read_row(struct reader *r, struct tp_json_lists *entry, void *context)
{
	const struct tp_part *part = context;
	const json_t *o = entry->root;
	union tp_row_room room = { 0 };
	void *row = part->add ? &room : tp_run_add_row(r->run, part);
	enum tp_status status = tp_row_unpack(part->table, o, row, r->place, r->diag);
	if (status == TP_OK && part->needs && !json_is_integer(json_object_get(o, part->needs)))
		status = refuse(r, part->needs_words);
	if (status == TP_OK && part->add)
		status = part->add(r->run, row);
	return status == TP_RESOURCE ? refuse(r, "more rows than a run can have") : status;
}

static enum tp_status read_diag(struct reader *r, struct tp_json_lists *entry,
				void *context __attribute__((unused)))
{
	struct tp_diag diag;

	tp_json_diag_read(entry->root, &diag);
	tp_diags_add(&r->run->diags, &diag);
	return TP_OK;
}

/* The lists that are read entry by entry. */
struct lists {
	const char *names[TP_JSON_LISTS_MAX];
	const struct tp_part *parts[TP_JSON_LISTS_MAX]; /* NULL: points, diagnoses */
	size_t n;
};

enum { POINTS, DIAGS, PARTS };

static void list_all(struct lists *lists)
{
	*lists = (struct lists){ .names = { "points", "diags" }, .n = PARTS };
	for (const struct tp_part *p = tp_part_next(NULL); p && lists->n < TP_JSON_LISTS_MAX;
	     p = tp_part_next(p))
		if (!p->read_json && p->table->name) {
			lists->parts[lists->n] = p;
			lists->names[lists->n++] = p->table->name;
		}
}

static enum tp_status read_list(struct reader *r, struct tp_json_lists *document,
				const struct lists *lists, size_t i)
{
	static const struct entry_kind kinds[] = {
		[POINTS] = { .list = "windows", .take = take_point, .read = read_point },
		[DIAGS] = { .read = read_diag },
		[PARTS] = { .read = read_row },
	};
	const json_t *list = json_object_get(document->root, lists->names[i]);

	snprintf(r->place, sizeof(r->place), "%.100s: %s", r->name, lists->names[i]);
	if (list && !json_is_array(list))
		return refuse(r, "not a list");
	return read_entries(r, &document->entries[i], lists->names[i],
			    &kinds[TP_MIN(i, (size_t)PARTS)], (void *)lists->parts[i]);
}

/*
 * A fact, or an object of facts whose keys begin with `key`. What cannot be a fact is noted, not
 * refused.
 */
static enum tp_status read_fact(struct reader *r, const char *key, json_t *value)
{
	enum tp_status status = TP_OK;
	struct tp_fact fact;
	const char *part;
	json_t *member;

	if (json_is_object(value)) {
		json_object_foreach(value, part, member)
		{
			char joined[sizeof(fact.key) + 1];
			int n = snprintf(joined, sizeof(joined), "%s%s%s", key, part[0] ? "." : "",
					 part);

			if (n < 0 || (size_t)n >= sizeof(fact.key))
				note(r, part, "has a name too long and is left out");
			else
				status = read_fact(r, joined, member);
			if (status)
				return status;
		}
		return TP_OK;
	}
	if (strlen(key) >= sizeof(fact.key) || !tp_fact_key_allowed(key)) {
		note(r, key, "has an invalid name and is left out");
		return TP_OK;
	}
	/* Whether it is new is not asked then: there may be a million. */
	if (r->run->n_facts >= TP_RUN_FACTS_MAX)
		status = TP_RESOURCE;
	else if (json_is_number(value))
		status = tp_run_fact_number(r->run, key, json_number_value(value));
	else if (json_is_boolean(value))
		status =
			tp_run_fact_text(r->run, key, "%s", json_is_true(value) ? "true" : "false");
	else if (json_is_string(value))
		status = tp_run_fact_text(r->run, key, "%s", json_string_value(value));
	else if (!json_is_null(value))
		note(r, key, "is a list and is left out");
	if (status != TP_RESOURCE)
		return status;
	note(r, key, "is beyond the limit on facts and is left out");
	return TP_OK;
}

/* 0 if it is not a number of points. */
static size_t count_of(const json_t *root, const char *key)
{
	long long n = json_integer_value(json_object_get(root, key));
	return n > 0 && n <= TP_RUN_POINTS_MAX ? (size_t)n : 0;
}

static enum tp_status read_root(struct reader *r, struct tp_json_lists *document,
				const struct lists *lists)
{
	json_t *root = document->root;
	const char *format = json_string_value(json_object_get(root, "format"));
	const char *state = json_string_value(json_object_get(root, "state")), *key;
	const json_t *version = json_object_get(root, "version");
	enum tp_status status = TP_OK;
	json_t *value;

	if (!format || strcmp(format, TP_RUN_FORMAT_NAME) != 0 || !json_is_integer(version))
		return tp_fail(r->diag, TP_USAGE, r->name, "give the run.json of a run directory",
			       "not a run: \"format\" is not \"" TP_RUN_FORMAT_NAME "\"");
	if (json_integer_value(version) != TP_RUN_FORMAT_VERSION)
		return tp_fail(r->diag, TP_UNSUPPORTED, r->name, "use the tprof that wrote it",
			       "format version %lld, this program reads %d",
			       (long long)json_integer_value(version), TP_RUN_FORMAT_VERSION);
	tp_copy(r->run->state, sizeof(r->run->state), state ? state : "");
	tp_clean(r->run->state, "");
	r->run->wall_seconds = json_number_value(json_object_get(root, "wall_seconds"));
	if (!(r->run->wall_seconds >= 0 && r->run->wall_seconds <= TP_RUN_SECONDS_MAX))
		return refuse(r, "\"wall_seconds\" is not a valid time of a run");
	json_object_foreach(root, key, value) if (status == TP_OK && tp_fact_key_allowed(key))
		status = read_fact(r, key, value);
	if (status == TP_OK)
		status = read_list(r, document, lists, POINTS);
	if (status == TP_OK && !r->run->n_points) {
		r->run->unread_done = count_of(root, "points_done");
		r->run->planned = TP_MAX(r->run->unread_done, count_of(root, "points_planned"));
	}
	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p))
		if (p->read_json)
			status = p->read_json(r->run, json_object_get(root, p->table->name),
					      r->name, r->diag);
	for (size_t i = PARTS; i < lists->n && !status; i++)
		status = read_list(r, document, lists, i);
	if (status == TP_OK)
		status = read_list(r, document, lists, DIAGS);
	return status;
}

enum tp_status tp_run_parse(struct tp_run *run, const char *name, const char *text, size_t len,
			    struct tp_diag *diag)
{
	struct tp_run fresh = { 0 };
	struct reader r = { .run = &fresh, .name = name, .diag = diag, .text = text };
	struct tp_json_lists document;
	struct lists lists;
	enum tp_status status;
	json_error_t error;

	snprintf(r.place, sizeof(r.place), "%.150s", name);
	for (size_t i = 0; i < tp_sample_table.n; i++)
		r.windows.at[r.windows.n++].column = &tp_sample_table.columns[i];
	list_all(&lists);
	if (!tp_json_lists_open(&document, text, len, lists.names, lists.n, &error))
		return refuse_text(&r, text, &error);
	status = json_is_object(document.root)
			 ? read_root(&r, &document, &lists)
			 : tp_fail(diag, TP_USAGE, name, NULL, "not a JSON object");
	tp_json_lists_close(&document);
	return tp_run_replace(run, &fresh, status);
}

/*
 * points.csv, read (tp_run_csv writes it). A table holds no windows and no facts: the points are
 * finished ones without their samples. The caller's run is replaced only by a table that is sound
 * as a whole.
 */

/*
 * Without these a row is not a point that could be known again; the others are there to be read if
 * they are.
 */
static const char *const required[] = { "point",       "experiment",	"kernel",
					"isa",	       "precision",	"threads",
					"level",       "fp_op",		"working_set_bytes",
					"median_gbps", "median_gflops", "ci_low",
					"ci_high",     "samples",	"flags" };

static size_t find_cell(const struct tp_csv *head, const char *name)
{
	for (size_t i = 0; i < head->n; i++)
		if (strcmp(tp_csv_cell(head, i), name) == 0)
			return i;
	return SIZE_MAX;
}

static const char head_hint[] = "give a points.csv as tprof writes it, with its first line";

/* The names of the columns; known ones occur once, and required ones must be present. */
static enum tp_status read_head(struct tp_csv *csv)
{
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));
	TP_STR missing = { 0 };
	bool done;
	enum tp_status status = tp_csv_next(csv, &done);

	if (status)
		return status;
	if (done)
		return tp_csv_refuse(csv, head_hint, "there is nothing in it");
	for (size_t i = 0; i < layout->n; i++) {
		size_t times = 0;

		for (size_t k = 0; k < csv->n; k++)
			times += strcmp(tp_csv_cell(csv, k), layout->at[i].column->name) == 0;
		if (times > 1)
			return tp_csv_refuse(csv, head_hint, "two columns have the same name");
	}
	for (size_t i = 0; i < TP_COUNT_OF(required); i++)
		if (find_cell(csv, required[i]) == SIZE_MAX)
			tp_str_printf(&missing, "%s%s", missing.len ? ", " : "", required[i]);
	if (missing.len) {
		char what[sizeof(csv->diag->what)];

		snprintf(what, sizeof(what), "missing columns: %.300s", tp_str_text(&missing));
		return tp_csv_refuse(csv, head_hint, what);
	}
	return TP_OK;
}

struct reader_csv {
	struct tp_csv csv, head; /* the row under way, and the names of the columns */
	const struct tp_point_layout *layout; /* of the kind of the row before */
	/* where the columns of the layout stand in a row; SIZE_MAX: nowhere */
	size_t at[TP_POINT_COLUMNS_MAX];
	size_t experiment;
	struct tp_run run;
};

static const char *cell_at(const struct reader_csv *r, size_t at)
{
	return at == SIZE_MAX ? "" : tp_csv_cell(&r->csv, at);
}

/* Rows of one kind mostly stand together: their columns are looked up once. */
static void set_layout(struct reader_csv *r, const struct tp_point *point)
{
	if (r->layout == tp_point_layout(point))
		return;
	r->layout = tp_point_layout(point);
	for (size_t i = 0; i < r->layout->n; i++)
		r->at[i] = find_cell(&r->head, r->layout->at[i].column->name);
}

static enum tp_status read_cells(struct reader_csv *r, struct tp_point *point)
{
	char what[sizeof(r->csv.diag->what)], wanted[TP_WANTED_BYTES];

	for (size_t i = 0; i < r->layout->n; i++) {
		const struct tp_column *column = r->layout->at[i].column;
		const char *text = cell_at(r, r->at[i]);
		union tp_row_room nowhere;

		if (!(column->where & TP_IN_CSV) ||
		    tp_column_read_cell(column, text,
					record_of(r->layout, i,
						  (struct plain_record){ point, point->row },
						  &nowhere)))
			continue;
		snprintf(what, sizeof(what), "\"%.60s\" in the column %s", text, column->name);
		return tp_csv_refuse(&r->csv, tp_column_wanted(column, wanted), what);
	}
	return TP_OK;
}

static enum tp_status read_point_csv(struct reader_csv *r)
{
	struct tp_point point = { .state = TP_POINT_DONE }, *slot;
	const char *experiment = cell_at(r, r->experiment);
	char what[sizeof(r->csv.diag->what)];
	enum tp_status status;

	if (r->csv.n != r->head.n) {
		snprintf(what, sizeof(what), "%zu cells where there are %zu columns", r->csv.n,
			 r->head.n);
		return tp_csv_refuse(&r->csv, "cells are separated by commas", what);
	}
	tp_point_begin(&point, experiment, &r->run.arena);
	set_layout(r, &point);
	status = read_cells(r, &point);
	if (status)
		return status;
	if (!point.experiment[0])
		return tp_csv_refuse(&r->csv, "memcurve, roofline, mixed...",
				     "no experiment is named");
	if (point.kind->headline)
		point.kind->headline(&point);
	slot = tp_run_point_slot(&r->run, point.point);
	if (slot->experiment[0])
		return tp_csv_refuse(&r->csv, "tables of several runs are several files",
				     "a second point has the same number");
	*slot = point;
	return TP_OK;
}

enum tp_status tp_run_parse_csv(struct tp_run *run, const char *name, const char *text, size_t len,
				struct tp_diag *diag)
{
	TP_FREE struct reader_csv *r = tp_alloc(1, sizeof(*r));
	enum tp_status status;
	bool done = false;

	if (memchr(text, '\0', len))
		return tp_fail(diag, TP_USAGE, name, NULL, "not a table: it holds zero bytes");
	tp_csv_begin(&r->head, name, text, len, diag);
	status = read_head(&r->head);
	tp_csv_begin(&r->csv, name, r->head.at, (size_t)(r->head.end - r->head.at), diag);
	r->csv.line = r->head.line;
	r->experiment = find_cell(&r->head, "experiment");
	while (status == TP_OK && (status = tp_csv_next(&r->csv, &done)) == TP_OK && !done)
		status = read_point_csv(r);
	tp_csv_release(&r->head);
	tp_csv_release(&r->csv);
	return tp_run_replace(run, &r->run, status);
}
