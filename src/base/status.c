/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
