/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "preset/text.h"

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
		const char *from = name + len - (room - 3);
		while (((unsigned char)*from & 0xc0) == 0x80)
			from++;
		tp_shown(out + 3, size - 3, from, strlen(from));
	}
	strcat(out, tail);
	return out;
}

static bool before(struct tp_place a, struct tp_place b)
{
	return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static void insert(struct tp_report *report, struct tp_place place, struct tp_diag *diag)
{
	if (report->n >= TP_PRESET_MAX_ERRORS ||
	    tp_vec_reserve((void **)&report->items, &report->cap, report->n + 1,
			   sizeof(*report->items)) != TP_OK) {
		report->untold++;
		return;
	}
	tp_place_text(diag->where, sizeof(diag->where), report->name, place);
	size_t i = report->n++;
	for (; i > 0 && before(place, report->items[i - 1].place); i--)
		report->items[i] = report->items[i - 1];
	report->items[i] = (struct tp_found){ place, *diag };
}

void tp_report_add(struct tp_report *report, struct tp_place place, const char *hint,
		   const char *fmt, ...)
{
	struct tp_diag diag;
	va_list ap;
	tp_fail(&diag, TP_USAGE, NULL, hint, "%s", "");
	va_start(ap, fmt);
	vsnprintf(diag.what, sizeof(diag.what), fmt, ap);
	va_end(ap);
	insert(report, place, &diag);
}

void tp_report_option(struct tp_report *report, struct tp_place place, const char *key,
		      const struct tp_diag *diag)
{
	tp_report_add(report, place, diag->hint, "%s: %s", key, diag->what);
}

size_t tp_report_flush(struct tp_report *report, struct tp_diags *diags)
{
	size_t n = report->n + report->untold;
	for (size_t i = 0; i < report->n; i++)
		tp_diags_add(diags, &report->items[i].diag);
	if (report->untold) {
		struct tp_diag more;
		tp_fail(&more, TP_USAGE, report->name, "mend these first", "%zu more errors",
			report->untold);
		tp_diags_add(diags, &more);
	}
	free(report->items);
	report->items = NULL;
	report->n = report->cap = report->untold = 0;
	return n;
}
