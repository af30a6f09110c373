/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list families, bases, habits, events: what the classification of events works with. */
#include "cli/list.h"
#include "counters/stepped.h"
#include "counters/emulated.h"
#include "counters/sources.h"
#include "kernels/counting.h"
#include "preset/basis.h"

#include <stdio.h>
#include <string.h>

enum tp_status tp_list_families(struct tp_list_sink *s, struct tp_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < TP_FAMILY_COUNT; i++) {
		const struct tp_family *f = tp_family_table[i];
		tp_list_name(s, f->name);
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%u", f->n_kernels);
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%u", f->n_rows);
		tp_list_text(s, "title", f->title);
		tp_listing_count(s->json, "kernels", f->n_kernels);
		tp_listing_count(s->json, "rows", f->n_rows);
	}
	return TP_OK;
}

enum tp_status tp_list_bases(struct tp_list_sink *s, struct tp_diag *diag)
{
	return tp_list_files(s, tp_basis_entries, true, "There are no bases.\n", diag);
}

enum tp_status tp_list_habits(struct tp_list_sink *s, struct tp_diag *diag)
{
	const char *name, *title;
	(void)diag;
	for (size_t i = 0; (name = tp_emulated_habit(i, &title)); i++) {
		tp_list_name(s, name);
		tp_list_text(s, "title", title);
	}
	return TP_OK;
}

/* Reasons that many events share stand below the table, once each. */
enum { REASONS_MAX = 32 };
struct reasons {
	const char *text[REASONS_MAX];
	size_t count[REASONS_MAX], n;
};

/* The number of the reason from 1 on; 0: there are too many, it stands by its event. */
static size_t number_of(struct reasons *r, const char *text)
{
	size_t i = 0;
	while (i < r->n && strcmp(r->text[i], text) != 0)
		i++;
	if (i == REASONS_MAX)
		return 0;
	if (i == r->n)
		r->text[r->n++] = text;
	r->count[i]++;
	return i + 1;
}

static void list_event(struct tp_list_sink *s, const struct tp_count_event *e,
		       struct reasons *reasons)
{
	size_t reason = e->available ? 0 : number_of(reasons, e->reason);
	char why[32];
	snprintf(why, sizeof(why), "reason %zu", reason);
	tp_list_name(s, e->name);
	tp_list_here(s, e->available);
	tp_list_text(s, "component", e->component);
	tp_list_cell(s, TP_PAINT_PLAIN, e->available ? e->description : reason ? why : e->reason);
	tp_listing_bool(s->json, "available", e->available);
	tp_listing_text(s->json, "description", e->description);
	tp_listing_text(s->json, "reason", e->available ? NULL : e->reason);
}

/* Any code can be stepped where one process can. */
static size_t list_stepped(struct tp_list_sink *s, struct reasons *reasons, struct tp_diag *why)
{
	struct tp_count_event event = { .name = TP_STEPPED_EVENT,
					.component = "stepping",
					.description = "instructions, counted by stepping",
					.available = tp_stepped_supported(why) == TP_OK };
	event.reason = why->what;
	list_event(s, &event, reasons);
	return event.available;
}

/* What the sources of `events` have on this machine; each event was tried. */
enum tp_status tp_list_events(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_source sources[TP_WANTED_SOURCES] = { 0 };
	struct tp_source_wish wish = { 0 };
	struct reasons reasons = { .n = 0 };
	struct tp_diag why = { 0 }, unstepped = { 0 };
	size_t available = 0, n = 1;
	char count[32];
	(void)diag;
	for (size_t k = 0; k < tp_wanted_n_kinds; k++) {
		struct tp_source *source = &sources[k];
		if (tp_source_open(source, tp_wanted_kinds[k], &wish, &why) != TP_OK)
			tp_diags_add(&source->notes, &why);
		for (size_t i = 0; i < source->n_events; i++) {
			list_event(s, &source->events[i], &reasons);
			available += source->events[i].available;
		}
		n += source->n_events;
	}
	available += list_stepped(s, &reasons, &unstepped);
	for (size_t i = 0; i < reasons.n; i++) {
		tp_str_printf(&s->remarks, "reason %zu (%s): ", i + 1,
			      tp_text_count(count, sizeof(count), reasons.count[i], "event"));
		tp_text_clean(&s->remarks, reasons.text[i], &s->look);
		tp_str_add(&s->remarks, "\n");
	}
	tp_str_printf(&s->remarks, "%zu of %zu events can be counted here.\n", available, n);
	for (size_t k = 0; k < tp_wanted_n_kinds; k++) {
		for (size_t i = 0; i < sources[k].notes.n; i++) {
			const struct tp_diag *note = &sources[k].notes.items[i];
			tp_str_printf(&s->remarks, "%s: %s%s%s\n", note->where, note->what,
				      note->hint[0] ? "; " : "", note->hint);
		}
		tp_source_close(&sources[k]);
	}
	return TP_OK;
}
