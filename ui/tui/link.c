/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/link.h"

#include <math.h>

#include "base/memory.h"

/* What a line of 2 kB/s carries in 0.05 s; no window is smaller. */
enum { FEW_BYTES = 96, MOST_BYTES = 1 << 20 };
/* How long a piece may take beyond what FEW_BYTES take. */
#define LATE_SECONDS 0.05
/* A terminal that is silent at first never answers; later the answer is lost. */
#define SILENT_SECONDS 0.5
#define LOST_SECONDS   2.0

double tp_link_due(const struct tp_link *link)
{
	return link->asked ? link->asked_at + (link->heard ? LOST_SECONDS : SILENT_SECONDS)
			   : INFINITY;
}

size_t tp_link_room(struct tp_link *link, double now)
{
	if (now >= tp_link_due(link)) {
		link->asked = false;
		link->silent = !link->heard;
		link->under_way = 0;
	}
	size_t window = TP_MAX(link->window, (size_t)FEW_BYTES);
	return link->silent ? SIZE_MAX : window - TP_MIN(window, link->under_way);
}

bool tp_link_wrote(struct tp_link *link, size_t bytes, double now)
{
	link->under_way += bytes;
	if (link->asked || link->silent)
		return false;
	link->asked = true;
	link->asked_at = now;
	link->behind_query = bytes;
	return true;
}

void tp_link_heard(struct tp_link *link, double now)
{
	double took = now - link->asked_at;
	size_t bytes = link->behind_query;
	bool first = !link->heard;
	link->heard = true;
	link->silent = false;
	if (!link->asked)
		return;
	link->asked = false;
	link->under_way = 0;
	if (first || bytes <= FEW_BYTES || took < link->base)
		link->base = took;
	double late = took - link->base;
	if (late > LATE_SECONDS)
		link->window = (size_t)((double)bytes * LATE_SECONDS / late);
	else if (late < LATE_SECONDS / 2)
		link->window = TP_MIN(TP_MAX(link->window, 2 * bytes), (size_t)MOST_BYTES);
}
