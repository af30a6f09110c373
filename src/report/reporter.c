/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/reporter.h"

#include <string.h>

const struct tp_reporter *tp_reporter_find(const char *experiment)
{
	for (size_t i = 0; i < tp_reporters.n; i++)
		if (strcmp(tp_reporters.rows[i]->experiment, experiment) == 0)
			return tp_reporters.rows[i];
	return NULL;
}

/* Rows of the same place stand in the order of the registry. */
const struct tp_reporter *tp_reporter_next(const struct tp_reporter *reporter)
{
	const struct tp_reporter *next = NULL;
	bool behind = !reporter;
	for (size_t i = 0; i < tp_reporters.n; i++) {
		const struct tp_reporter *r = tp_reporters.rows[i];
		bool follows = !reporter || r->place > reporter->place ||
			       (behind && r->place == reporter->place);
		if (follows && (!next || r->place < next->place))
			next = r;
		behind |= r == reporter;
	}
	return next;
}
