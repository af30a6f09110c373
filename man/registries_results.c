/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tprof-results(5) says of the columns, flags and events of the record. */
#include "man/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/event.h"
#include "record/point.h"
#include "record/schema.h"

/* --- columns --- */

enum { ENTRIES_MAX = 512 };

/* Columns of a table that share a help; the name is "TABLE.COLUMN" of the first. */
struct entry {
	char name[96], items[256];
	const char *help;
};

struct entries {
	struct entry at[ENTRIES_MAX];
	size_t n;
};

static void add_column(struct entries *entries, const char *table, const struct tp_column *column)
{
	struct entry *entry = entries->n ? &entries->at[entries->n - 1] : NULL;
	size_t len = strlen(table);
	bool shares = entry && !entry->help && strncmp(entry->name, table, len) == 0 &&
		      entry->name[len] == '.';
	if (!shares) {
		if (entries->n == ENTRIES_MAX)
			return;
		entry = &entries->at[entries->n++];
		snprintf(entry->name, sizeof(entry->name), "%s.%s", table, column->name);
	}
	len = strlen(entry->items);
	snprintf(entry->items + len, sizeof(entry->items) - len, "%s%s", len ? " , " : "",
		 column->name);
	entry->help = column->help;
}

static void add_table(struct entries *entries, const char *name, const struct tp_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		add_column(entries, name, &table->columns[i]);
}

/* The columns of points, first those of points.csv, which the page lists separately. */
static void add_points(struct entries *entries, const struct tp_point_layout *layout, bool csv)
{
	for (size_t i = 0; i < layout->n; i++)
		if (!(layout->at[i].column->where & TP_IN_CSV) != csv)
			add_column(entries, csv ? "points.csv" : "points", layout->at[i].column);
}

static const struct entries *entries(void)
{
	static struct entries all;
	struct tp_point_layout layout;
	if (all.n)
		return &all;
	tp_point_layout_make(&layout, tp_point_kind_find(""));
	add_points(&all, &layout, true);
	add_points(&all, &layout, false);
	add_table(&all, "windows", &tp_sample_table);
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->table->name)
			add_table(&all, p->table->name, p->table);
	return &all;
}

const char *page_column_name(size_t i)
{
	return i < entries()->n ? entries()->at[i].name : NULL;
}

bool page_column_head(size_t i, struct tp_str *out)
{
	const struct entry *entry = &entries()->at[i];
	tp_str_printf(out, ".It Va %s\n", entry->items);
	if (entry->help)
		page_text(out, entry->help, NULL);
	return entry->help;
}

/* --- flags --- */

const char *page_flag_name(size_t i)
{
	return i < TP_FLAG_COUNT ? tp_flag_name((enum tp_flag)i) : NULL;
}

bool page_flag_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, ".It Cm %s\n", page_flag_name(i));
	page_sentence(out, tp_flag_help((enum tp_flag)i), NULL);
	return true;
}

void page_flag_tail(size_t i, struct tp_str *out)
{
	struct tp_str text = { 0 };
	tp_str_printf(&text, "What to do: %s", tp_flag_remedy((enum tp_flag)i));
	tp_str_add(out, ".br\n");
	page_sentence(out, tp_str_text(&text), NULL);
	tp_str_release(&text);
}

/* --- events --- */

/* The i-th event: one of every run, or behind those one that carries a row of an experiment. */
static bool nth_event(size_t i, enum tp_event_kind *kind, const struct tp_row_event **row)
{
	*row = NULL;
	*kind = (enum tp_event_kind)(i < TP_EVENT_ROW ? i : i + 1);
	if (*kind < TP_EVENT_COUNT)
		return true;
	i = *kind - TP_EVENT_COUNT;
	*kind = TP_EVENT_ROW;
	for (size_t k = 0; k < tp_schema.n; k++) {
		if (i < tp_schema.rows[k]->n_events) {
			*row = tp_schema.rows[k]->events[i];
			return true;
		}
		i -= tp_schema.rows[k]->n_events;
	}
	return false;
}

const char *page_event_name(size_t i)
{
	static const char *const names[] = {
#define EVENT_NAME(id, name) name,
		TP_EVENT_LIST(EVENT_NAME)
#undef EVENT_NAME
	};
	const struct tp_row_event *row;
	enum tp_event_kind kind;
	if (!nth_event(i, &kind, &row))
		return NULL;
	return row ? row->name : names[kind];
}

bool page_event_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, ".It Cm %s\n", page_event_name(i));
	return true;
}

static bool is_column(const char *key)
{
	char word[80], items[sizeof(((struct entry *)0)->items) + 2];
	snprintf(word, sizeof(word), " %s ", key);
	for (size_t i = 0; i < entries()->n; i++) {
		const struct entry *entry = &entries()->at[i];
		snprintf(items, sizeof(items), " %s ", entry->items);
		if (strncmp(entry->name, "points.csv.", 11) == 0 && strstr(items, word))
			return true;
	}
	return false;
}

/* The keys of an event as it is written, without those of every event. */
void page_event_tail(size_t i, struct tp_str *out)
{
	static const union tp_row_room zeros;
	struct tp_event event = { .point.diag = { "a", "b", "c" }, .row = &zeros };
	struct tp_str line = { 0 };
	unsigned depth = 0;
	const char *comma = "";
	nth_event(i, &event.kind, &event.row_event);
	bool point = event.kind == TP_EVENT_POINT_BEGIN || event.kind == TP_EVENT_POINT_END;
	tp_event_write(&event, &line);
	tp_str_printf(out, ".br\nKeys:%s\n.Va",
		      point ? " the columns of points.csv that are known, and" : "");
	for (const char *at = tp_str_text(&line); *at; at++) {
		char word[64];
		size_t n = *at == '"' ? strcspn(at + 1, "\"") : 0;
		if (*at == '{')
			depth++;
		else if (*at == '}')
			depth--;
		if (*at != '"')
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)n, at + 1);
		at += n + 1;
		if (at[1] != ':' || depth != 1 || tp_has_word("v ev t", word) ||
		    (point && is_column(word)))
			continue;
		tp_str_printf(out, "%s %s", comma, word);
		comma = " ,";
	}
	tp_str_add(out, "\n");
	tp_str_release(&line);
}
