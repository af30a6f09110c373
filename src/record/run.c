/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/run.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/document.h"
#include "record/point.h"
#include "table/csv.h"

const struct tp_point *tp_run_point(const struct tp_run *run, unsigned point)
{
	return point < run->n_points ? &run->points[point] : NULL;
}

bool tp_run_is_first(const struct tp_run *run, const struct tp_point *point,
		     bool (*alike)(const struct tp_point *a, const struct tp_point *b))
{
	bool is_first = alike(point, point);
	/* Equal ones are mostly adjacent. */
	for (const struct tp_point *p = point; is_first && p-- > run->points;)
		is_first = !alike(p, point);
	return is_first;
}

void tp_run_release(struct tp_run *run)
{
	struct tp_run empty = { 0 };

	for (size_t i = 0; i < run->n_points; i++)
		tp_point_release(&run->points[i]);
	free(run->facts);
	free(run->points);
	for (size_t i = 0; i < run->n_parts; i++) {
		struct tp_run_part *p = &run->parts[i];

		for (size_t k = 0; p->part->release && k < p->rows.n; k++)
			p->part->release(TP_ROW_AT(&p->rows, p->part->table, k));
		free(p->rows.rows);
	}
	tp_arena_release(&run->arena);
	tp_diags_release(&run->diags);
	*run = empty;
}

enum tp_status tp_run_replace(struct tp_run *run, struct tp_run *fresh, enum tp_status status)
{
	tp_run_release(status == TP_OK ? run : fresh);
	if (status == TP_OK)
		*run = *fresh;
	return status;
}

const struct tp_rows *tp_run_rows(const struct tp_run *run, const struct tp_part *part)
{
	static const struct tp_rows none;

	for (size_t i = 0; i < run->n_parts; i++) {
		/* The cast: rows settle when they are first read. */
		struct tp_rows *rows = (struct tp_rows *)&run->parts[i].rows;

		if (run->parts[i].part != part)
			continue;
		if (part->settle && rows->n_settled != rows->n)
			part->settle(rows);
		return rows;
	}
	return &none;
}

struct tp_rows *tp_run_rows_of(struct tp_run *run, const struct tp_part *part)
{
	for (size_t i = 0; i < run->n_parts; i++)
		if (run->parts[i].part == part)
			return &run->parts[i].rows;
	assert(run->n_parts < TP_RUN_PARTS_MAX);
	run->parts[run->n_parts] = (struct tp_run_part){ .part = part };
	return &run->parts[run->n_parts++].rows;
}

void *tp_run_add_row(struct tp_run *run, const struct tp_part *part)
{
	return tp_rows_add(tp_run_rows_of(run, part), part->table);
}

void tp_run_forget(struct tp_run *run, unsigned point)
{
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->forgets)
			tp_run_forget_rows(run, p, point);
}

void tp_run_forget_early(struct tp_run *run, unsigned point)
{
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->early)
			tp_run_forget_rows(run, p, point);
}

/* The others keep their order. */
void tp_run_forget_rows(struct tp_run *run, const struct tp_part *part, unsigned point)
{
	const struct tp_column *column = tp_column_find(part->table, "point");
	size_t kept = 0;

	if (!tp_run_rows(run, part)->n)
		return;
	struct tp_rows *rows = tp_run_rows_of(run, part);
	for (size_t i = 0; i < rows->n; i++) {
		const char *row = TP_ROW_AT(rows, part->table, i);

		if (*(const unsigned *)(row + column->offset) != point)
			memmove(TP_ROW_AT(rows, part->table, kept++), row, part->table->row_bytes);
	}
	rows->n = rows->n_settled = kept;
}

enum tp_status tp_run_put_row(struct tp_run *run, const struct tp_part *part, const void *row)
{
	enum { ROWS_MAX = 1 << 18 };

	if (part->add)
		return part->add(run, row);
	if (tp_run_rows(run, part)->n >= ROWS_MAX)
		return TP_RESOURCE;
	memcpy(tp_run_add_row(run, part), row, part->table->row_bytes);
	return TP_OK;
}

static enum tp_status take_rows(struct tp_run *run, struct tp_run *from, const struct tp_part *part)
{
	const struct tp_column *point = tp_column_find(part->table, "point");
	struct tp_rows *rows = tp_run_rows_of(from, part), *to = tp_run_rows_of(run, part);
	enum tp_status status = TP_OK;

	if (!point) {
		struct tp_rows was = *to;

		*to = *rows;
		*rows = was; /* released with its run */
	}
	for (size_t i = 0; point && status == TP_OK && i < rows->n; i++) {
		const char *row = TP_ROW_AT(rows, part->table, i);
		unsigned id = *(const unsigned *)(row + point->offset);

		if (id < from->n_points && from->points[id].state == TP_POINT_DONE)
			status = tp_run_put_row(run, part, row);
	}
	return status;
}

enum tp_status tp_run_take_measured(struct tp_run *run, struct tp_run *from)
{
	enum tp_status status = TP_OK;

	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p))
		if (p->measured && tp_run_rows(from, p)->n > 0)
			status = take_rows(run, from, p);
	return status;
}

void tp_run_drop_derived(struct tp_run *run)
{
	for (size_t i = 0; i < run->n_parts; i++)
		if (run->parts[i].part->derived)
			run->parts[i].rows.n = 0;
}

void tp_point_begin(struct tp_point *point, const char *experiment, struct tp_arena *arena)
{
	const struct tp_point_kind *kind = tp_point_kind_find(experiment);

	tp_copy(point->experiment, sizeof(point->experiment), experiment);
	if (point->row && point->kind == kind)
		return;
	point->kind = kind;
	point->row = kind->table ? tp_arena_alloc(arena, kind->table->row_bytes) : NULL;
}

void tp_point_take(struct tp_point *point, const struct tp_point *news, struct tp_arena *arena)
{
	struct tp_point taken = *news;

	taken.samples = point->samples;
	taken.n_samples = point->n_samples;
	taken.cap_samples = point->cap_samples;
	taken.kind = point->kind;
	taken.row = point->row;
	tp_point_begin(&taken, news->experiment, arena);
	if (taken.row && news->row)
		memmove(taken.row, news->row, taken.kind->table->row_bytes);
	*point = taken;
}

bool tp_fact_key_allowed(const char *key)
{
	static const char *const taken[] = { "format",	    "version",	      "state",
					     "points_done", "points_planned", "wall_seconds",
					     "points",	    "diags",	      "summary" };
	size_t n = strcspn(key, ".");

	if (key[0] == '\0')
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(taken); i++)
		if (strlen(taken[i]) == n && memcmp(taken[i], key, n) == 0)
			return false;
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p)) {
		const char *name = p->table->name;

		if (name && strlen(name) == n && memcmp(name, key, n) == 0)
			return false;
	}
	return true;
}

static size_t count_in(const struct tp_run *run, enum tp_point_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_points; i++)
		n += run->points[i].state == state;
	return n;
}

size_t tp_run_n_done(const struct tp_run *run)
{
	return run->n_points ? count_in(run, TP_POINT_DONE) : run->unread_done;
}

size_t tp_run_n_needed(const struct tp_run *run)
{
	return TP_MAX(run->n_points, run->planned) - count_in(run, TP_POINT_UNNEEDED);
}

const struct tp_fact *tp_run_fact(const struct tp_run *run, const char *key)
{
	for (size_t i = 0; i < run->n_facts; i++)
		if (strcmp(run->facts[i].key, key) == 0)
			return &run->facts[i];
	return NULL;
}

const char *tp_run_simulated(const struct tp_run *run, char *out, size_t size)
{
	const struct tp_fact *machine = tp_run_fact(run, "simulated.machine"),
			     *regime = tp_run_fact(run, "simulated.regime");

	*out = '\0';
	if (regime)
		snprintf(out, size, "%.60s%s%.30s", machine ? machine->text : "",
			 machine ? ", " : "", regime->text);
	return out;
}

/* The fact with that key, new or to be overwritten. */
static enum tp_status fact_slot(struct tp_run *run, const char *key, struct tp_fact **slot)
{
	struct tp_fact fact = { 0 };

	if (!tp_fact_key_allowed(key) || !tp_copy(fact.key, sizeof(fact.key), key))
		return TP_INTERNAL;
	tp_clean(fact.key, "");
	*slot = (struct tp_fact *)tp_run_fact(run, fact.key);
	if (!*slot && run->n_facts >= TP_RUN_FACTS_MAX)
		return TP_RESOURCE;
	if (!*slot) {
		TP_RESERVE(run->facts, run->cap_facts, run->n_facts + 1);
		*slot = &run->facts[run->n_facts++];
	}
	**slot = fact;
	return TP_OK;
}

enum tp_status tp_run_fact_text(struct tp_run *run, const char *key, const char *fmt, ...)
{
	struct tp_fact *fact;
	enum tp_status status = fact_slot(run, key, &fact);
	va_list ap;

	if (status)
		return status;
	va_start(ap, fmt);
	vsnprintf(fact->text, sizeof(fact->text), fmt, ap);
	va_end(ap);
	tp_clean(fact->text, "\n\t");
	return TP_OK;
}

enum tp_status tp_run_fact_number(struct tp_run *run, const char *key, double number)
{
	struct tp_fact *fact;
	enum tp_status status = fact_slot(run, key, &fact);

	if (status)
		return status;
	fact->number = number;
	fact->is_number = true;
	return TP_OK;
}

void tp_run_fact_drop(struct tp_run *run, const char *key)
{
	struct tp_fact *fact = (struct tp_fact *)tp_run_fact(run, key);

	if (!fact)
		return;
	run->n_facts--;
	memmove(fact, fact + 1, (size_t)(run->facts + run->n_facts - fact) * sizeof(*fact));
}

enum tp_status tp_run_copy_facts(struct tp_run *to, const struct tp_run *from)
{
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < from->n_facts && status == TP_OK; i++) {
		const struct tp_fact *f = &from->facts[i];
		status = f->is_number ? tp_run_fact_number(to, f->key, f->number)
				      : tp_run_fact_text(to, f->key, "%s", f->text);
	}
	return status;
}

bool tp_run_remark(struct tp_run *run, const struct tp_diag *diag)
{
	for (size_t i = 0; i < run->diags.n; i++)
		if (strcmp(run->diags.items[i].where, diag->where) == 0 &&
		    strcmp(run->diags.items[i].what, diag->what) == 0)
			return false;
	tp_diags_add(&run->diags, diag);
	return !run->diags.untold;
}

void tp_run_remark_windows(struct tp_run *run, const char *name)
{
	struct tp_diag diag;

	tp_fail(&diag, TP_RESOURCE, name, NULL,
		"has more than %d windows; the others are left out; the summaries of the points "
		"are complete",
		TP_RUN_WINDOWS_MAX);
	tp_run_remark(run, &diag);
}

struct tp_point *tp_run_point_slot(struct tp_run *run, unsigned id)
{
	TP_RESERVE(run->points, run->cap_points, (size_t)id + 1);
	for (; run->n_points <= id; run->n_points++) {
		memset(&run->points[run->n_points], 0, sizeof(*run->points));
		run->points[run->n_points].point = (unsigned)run->n_points;
	}
	return &run->points[id];
}

static bool has_cell(const struct tp_run *run, size_t c, bool done)
{
	TP_STR cell = { 0 };
	for (size_t i = 0; i < run->n_points && !cell.len; i++) {
		const struct tp_point *point = &run->points[i];
		const struct tp_point_layout *layout = tp_point_layout(point);

		if ((!done || point->state == TP_POINT_DONE) &&
		    layout->at[c].from != TP_FROM_NOTHING)
			tp_column_cell(layout->at[c].column, tp_point_record(layout, c, point),
				       &cell);
	}
	return cell.len > 0;
}

void tp_run_shown_columns(const struct tp_run *run, bool done, bool *shown)
{
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));

	for (size_t c = 0; c < layout->n; c++)
		shown[c] = layout->at[c].column->where & TP_IN_CORE || has_cell(run, c, done);
}

void tp_run_csv(const struct tp_run *run, bool all, struct tp_str *out)
{
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));
	const char *joint = "";
	bool shown[TP_POINT_COLUMNS_MAX];

	if (!all)
		tp_run_shown_columns(run, true, shown);
	for (size_t c = 0; c < layout->n; c++) {
		const struct tp_column *column = layout->at[c].column;

		shown[c] = column->where & TP_IN_CSV && (all || shown[c]);
		if (shown[c]) {
			tp_str_printf(out, "%s%s", joint, column->name);
			joint = ",";
		}
	}
	tp_str_add(out, "\n");
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *point = &run->points[i];

		if (point->state != TP_POINT_DONE)
			continue;
		layout = tp_point_layout(point);
		joint = "";
		for (size_t c = 0; c < layout->n; c++)
			if (shown[c]) {
				tp_str_add(out, joint);
				tp_column_cell(layout->at[c].column,
					       tp_point_record(layout, c, point), out);
				joint = ",";
			}
		tp_str_add(out, "\n");
	}
}

/* Adds a word to "a, b" unless it is there or finds no room. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t len = strlen(list), n = strlen(word);
	for (const char *at = list; *at;) {
		size_t have = strcspn(at, ",");
		if (have == n && memcmp(at, word, n) == 0)
			return;
		at += have + strspn(at + have, ", ");
	}
	if (n && len + n + 3 <= size)
		snprintf(list + len, size - len, "%s%s", len ? ", " : "", word);
}

enum { UNITS_MAX = 4 };

struct range {
	const char *unit;
	double least, most;
	bool less_is_better;
};

static void add_value(struct range ranges[UNITS_MAX], size_t *n, const struct tp_point *p)
{
	const char *unit = p->unit;
	const double value = tp_point_median(p);
	size_t i = 0;
	if (!*unit || !(value > 0) || !isfinite(value))
		return;
	while (i < *n && strcmp(ranges[i].unit, unit) != 0)
		i++;
	if (i == UNITS_MAX)
		return;
	if (i == *n)
		ranges[(*n)++] = (struct range){ unit, value, value, p->less_is_better };
	ranges[i].least = fmin(ranges[i].least, value);
	ranges[i].most = fmax(ranges[i].most, value);
}

/* Three digits, and never an exponent. */
static void number(char *out, size_t size, double value)
{
	snprintf(out, size, value < 100 ? "%.3g" : "%.0f", value);
}

static void say_ranges(const struct range *ranges, size_t n, char *out, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		char least[32], most[32], text[96];
		number(least, sizeof(least), ranges[i].least);
		number(most, sizeof(most), ranges[i].most);
		bool one = strcmp(least, most) == 0;
		snprintf(text, sizeof(text), "%s%s%s %s", least, one ? "" : "-", one ? "" : most,
			 ranges[i].unit);
		add_word(out, size, text);
	}
}

void tp_run_brief(const struct tp_run *run, struct tp_run_brief *brief)
{
	struct range ranges[UNITS_MAX];
	size_t n = 0, done = tp_run_n_done(run);
	*brief = (struct tp_run_brief){ 0 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		char threads[16];
		if (done && p->state != TP_POINT_DONE)
			continue;
		snprintf(threads, sizeof(threads), "%u", p->threads);
		add_word(brief->experiments, sizeof(brief->experiments), p->experiment);
		add_word(brief->isas, sizeof(brief->isas), tp_kernel_row(p)->isa);
		add_word(brief->threads, sizeof(brief->threads), p->threads ? threads : "");
		if (!done)
			continue;
		brief->quality[p->quality < TP_QUALITY_COUNT ? p->quality : TP_QUALITY_NONE]++;
		add_value(ranges, &n, p);
	}
	if (n)
		brief->headline = ranges[0].less_is_better ? ranges[0].least : ranges[0].most;
	say_ranges(ranges, n, brief->figures, sizeof(brief->figures));
}

const char *tp_brief_quality(const struct tp_run_brief *brief, char *out, size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT && at < size; q++)
		if (brief->quality[q])
			at += (size_t)snprintf(out + at, size - at, "%s%zu %s", at ? ", " : "",
					       brief->quality[q],
					       tp_quality_name((enum tp_quality)q));
	return out;
}

const char *tp_brief_words(const struct tp_run_brief *brief, const char *name, char *out,
			   size_t size)
{
	char quality[64], threads[64] = "";
	const char *parts[] = { strcmp(brief->experiments, name) == 0 ? "" : brief->experiments,
				brief->isas, threads, brief->figures,
				tp_brief_quality(brief, quality, sizeof(quality)) };
	size_t at = 0;
	if (*brief->threads)
		snprintf(threads, sizeof(threads), "%s thread%s", brief->threads,
			 strcmp(brief->threads, "1") == 0 ? "" : "s");
	out[0] = '\0';
	for (size_t i = 0; i < TP_COUNT_OF(parts) && at < size; i++)
		if (*parts[i])
			at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "",
					       parts[i]);
	return out;
}
