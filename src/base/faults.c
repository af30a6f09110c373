/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

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
