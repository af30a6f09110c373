/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list families, bases, habits, events: what counter classification works with. */
#include "cli/cli.h"
#include "cli/list.h"
#include "counters/source.h"
#include "kernels/counting.h"
#include "preset/basis.h"
#include "base/vec.h"

#include <stdlib.h>

enum tp_status tp_list_families(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "family", TP_LEFT, 0 },
		{ "kernels", TP_RIGHT, 0 },
		{ "rows", TP_RIGHT, 0 },
		{ "", TP_LEFT, 0 },
	};
	(void)diag;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < TP_FAMILY_COUNT; i++) {
		const struct tp_family *f = tp_family_table[i];
		tp_list_name(s, f->name);
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%u", f->n_kernels);
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%u", f->n_rows);
		tp_list_text(s, "title", f->title);
		if (!s->json)
			continue;
		tp_listing_count(s->json, "kernels", f->n_kernels);
		tp_listing_count(s->json, "rows", f->n_rows);
	}
	return TP_OK;
}

enum tp_status tp_list_bases(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "basis", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
		{ "file", TP_LEFT, 1 },
	};
	struct tp_named_file *entries = NULL;
	size_t n = 0;
	enum tp_status status = tp_basis_entries(&entries, &n, diag);
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < n; i++) {
		tp_list_name(s, entries[i].name);
		tp_list_text(s, "title", entries[i].title);
		tp_list_text(s, "path", entries[i].path);
	}
	if (status == TP_OK && n == 0)
		tp_str_add(&s->remarks, "There are no bases.\n");
	free(entries);
	return status;
}

enum tp_status tp_list_habits(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "habit", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	const char *title;
	(void)diag;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; tp_emulated_habit(i, &title); i++) {
		tp_list_name(s, tp_emulated_habit(i, &title));
		tp_list_text(s, "title", title);
	}
	return TP_OK;
}

static void list_event(struct tp_list_sink *s, const struct tp_count_event *e)
{
	tp_list_name(s, e->name);
	tp_grid_text(&s->grid, e->available ? TP_PAINT_GOOD : TP_PAINT_WARN,
		     e->available ? "yes" : "no");
	tp_list_text(s, "component", e->component);
	tp_list_cell(s, TP_PAINT_PLAIN, e->available ? e->description : e->reason);
	if (!s->json)
		return;
	tp_listing_bool(s->json, "available", e->available);
	tp_listing_text(s->json, "description", e->description);
	tp_listing_text(s->json, "reason", e->available ? NULL : e->reason);
}

/* What PAPI has on this machine, each tried. */
enum tp_status tp_list_events(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "event", TP_LEFT, 0 },
		{ "here", TP_LEFT, 0 },
		{ "component", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct tp_source source;
	struct tp_source_wish wish = { 0 };
	size_t available = 0;
	enum tp_status status = tp_source_open(&source, tp_source_find("papi"), &wish, diag);
	if (status != TP_OK)
		return status;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	if (source.n_events)
		tp_grid_heads(&s->grid);
	for (size_t i = 0; i < source.n_events; i++) {
		list_event(s, &source.events[i]);
		available += source.events[i].available;
	}
	tp_str_printf(&s->remarks, "%zu of %zu events can be counted here.\n", available,
		      source.n_events);
	for (size_t i = 0; i < source.notes.n; i++)
		tp_str_printf(&s->remarks, "%s: %s%s%s\n", source.notes.items[i].where,
			      source.notes.items[i].what, source.notes.items[i].hint[0] ? "; " : "",
			      source.notes.items[i].hint);
	tp_source_close(&source);
	return TP_OK;
}
