/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

const char *tp_status_name(enum tp_status status)
{
	static const char *const names[] = {
#define TP_STATUS_TEXT(name, text) text,
		TP_STATUS_LIST(TP_STATUS_TEXT)
#undef TP_STATUS_TEXT
	};
	return (size_t)status < TP_STATUS_COUNT ? names[status] : "unknown status";
}

enum tp_exit tp_status_exit(enum tp_status status)
{
	switch (status) {
	case TP_OK:
		return TP_EXIT_OK;
	case TP_USAGE:
	case TP_NOTFOUND:
	case TP_UNSUPPORTED:
		return TP_EXIT_USAGE;
	case TP_PERM:
	case TP_RESOURCE:
	case TP_NOMEM:
		return TP_EXIT_RESOURCE;
	case TP_CANCELLED:
		return TP_EXIT_INTERRUPTED;
	default:
		return TP_EXIT_FAILED;
	}
}

static void __attribute__((format(printf, 4, 0)))
put_words(struct tp_diag *diag, const char *where, const char *hint, const char *fmt, va_list ap)
{
	snprintf(diag->where, sizeof(diag->where), "%s", where ? where : "");
	snprintf(diag->hint, sizeof(diag->hint), "%s", hint ? hint : "");
	vsnprintf(diag->what, sizeof(diag->what), fmt, ap);
}

enum tp_status tp_fail(struct tp_diag *diag, enum tp_status status, const char *where,
		       const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (diag)
		put_words(diag, where, hint, fmt, ap);
	va_end(ap);
	return status;
}

static struct tp_diag *place_for_one(struct tp_diags *list)
{
	if (tp_vec_reserve((void **)&list->items, &list->cap, list->n + 1, sizeof(*list->items)) !=
	    TP_OK)
		return NULL;
	return &list->items[list->n++];
}

void tp_diags_more(struct tp_diags *list, size_t n)
{
	struct tp_diag *last = list->untold ? &list->items[list->n - 1] : place_for_one(list);
	if (!last)
		return;
	list->untold += n;
	tp_fail(last, TP_USAGE, NULL, NULL, "and %zu more", list->untold);
}

void tp_diags_add(struct tp_diags *list, const struct tp_diag *diag)
{
	struct tp_diag *place = NULL;
	if (list->untold || list->n >= TP_DIAGS_MAX)
		tp_diags_more(list, 1);
	else
		place = place_for_one(list);
	if (place)
		*place = *diag;
}

void tp_diags_note(struct tp_diags *list, const char *where, const char *hint, const char *fmt, ...)
{
	struct tp_diag note;
	va_list ap;
	va_start(ap, fmt);
	put_words(&note, where, hint, fmt, ap);
	va_end(ap);
	tp_diags_add(list, &note);
}

void tp_diags_release(struct tp_diags *list)
{
	free(list->items);
	*list = (struct tp_diags){ 0 };
}

const char *tp_place_text(char *out, size_t size, const char *name, struct tp_place place)
{
	char tail[32] = "";
	if (place.line)
		snprintf(tail, sizeof(tail), ":%u:%u", place.line, place.column);
	size_t len = strlen(name), room = size - strlen(tail) - 1;
	if (len <= room) {
		tp_shown(out, size, name, len);
	} else {
		/* the end of a path tells more than its beginning */
		memcpy(out, "...", 3);
		const char *from = name + tp_utf8_after(name, len - (room - 3) - 1);
		tp_shown(out + 3, size - 3, from, strlen(from));
	}
	strcat(out, tail);
	return out;
}

static bool before(struct tp_place a, struct tp_place b)
{
	return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static void insert(struct tp_faults *faults, struct tp_place place, struct tp_diag *diag)
{
	if (faults->n >= TP_FAULTS_MAX ||
	    tp_vec_reserve((void **)&faults->items, &faults->cap, faults->n + 1,
			   sizeof(*faults->items)) != TP_OK) {
		faults->untold++;
		return;
	}
	tp_place_text(diag->where, sizeof(diag->where), faults->name, place);
	size_t i = faults->n++;
	for (; i > 0 && before(place, faults->items[i - 1].place); i--)
		faults->items[i] = faults->items[i - 1];
	faults->items[i] = (struct tp_fault){ place, *diag };
}

void tp_faults_add(struct tp_faults *faults, struct tp_place place, const char *hint,
		   const char *fmt, ...)
{
	struct tp_diag diag;
	va_list ap;
	tp_fail(&diag, TP_USAGE, NULL, hint, "%s", "");
	va_start(ap, fmt);
	vsnprintf(diag.what, sizeof(diag.what), fmt, ap);
	va_end(ap);
	insert(faults, place, &diag);
}

size_t tp_faults_count(const struct tp_faults *faults)
{
	return faults->n + faults->untold;
}

size_t tp_faults_flush(struct tp_faults *faults, struct tp_diags *diags)
{
	size_t n = tp_faults_count(faults);
	for (size_t i = 0; i < faults->n; i++)
		tp_diags_add(diags, &faults->items[i].diag);
	if (faults->untold)
		tp_diags_more(diags, faults->untold);
	free(faults->items);
	faults->items = NULL;
	faults->n = faults->cap = faults->untold = 0;
	return n;
}
