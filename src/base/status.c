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

enum tp_status tp_vfail(struct tp_diag *diag, enum tp_status status, const char *where,
			const char *hint, const char *fmt, va_list ap)
{
	if (!diag)
		return status;
	snprintf(diag->where, sizeof(diag->where), "%s", where ? where : "");
	snprintf(diag->hint, sizeof(diag->hint), "%s", hint ? hint : "");
	vsnprintf(diag->what, sizeof(diag->what), fmt, ap);
	return status;
}

enum tp_status tp_fail(struct tp_diag *diag, enum tp_status status, const char *where,
		       const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	tp_vfail(diag, status, where, hint, fmt, ap);
	va_end(ap);
	return status;
}

void tp_diags_more(struct tp_diags *list, size_t n)
{
	TP_RESERVE(list->items, list->cap, list->n + 1);
	if (!list->untold)
		list->n++;
	list->untold += n;
	tp_fail(&list->items[list->n - 1], TP_USAGE, NULL, NULL, "and %zu more", list->untold);
}

void tp_diags_add(struct tp_diags *list, const struct tp_diag *diag)
{
	if (list->untold || list->n >= TP_DIAGS_MAX) {
		tp_diags_more(list, 1);
		return;
	}
	TP_RESERVE(list->items, list->cap, list->n + 1);
	list->items[list->n++] = *diag;
}

void tp_diags_note(struct tp_diags *list, const char *where, const char *hint, const char *fmt, ...)
{
	struct tp_diag note;
	va_list ap;
	va_start(ap, fmt);
	tp_vfail(&note, TP_OK, where, hint, fmt, ap);
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
		/* the end of a path is more informative than its beginning */
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

bool tp_faults_add(struct tp_faults *faults, struct tp_place place, const char *hint,
		   const char *fmt, ...)
{
	struct tp_fault fault = { .place = place };
	va_list ap;
	if (faults->n >= TP_FAULTS_MAX) {
		faults->untold++;
		return false;
	}
	va_start(ap, fmt);
	tp_vfail(&fault.diag, TP_OK, NULL, hint, fmt, ap);
	va_end(ap);
	tp_place_text(fault.diag.where, sizeof(fault.diag.where), faults->name, place);
	TP_RESERVE(faults->items, faults->cap, faults->n + 1);
	size_t i = faults->n++;
	for (; i > 0 && before(place, faults->items[i - 1].place); i--)
		faults->items[i] = faults->items[i - 1];
	faults->items[i] = fault;
	return false;
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
