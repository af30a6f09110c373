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

const struct tp_reporter *tp_reporter_next(const struct tp_reporter *reporter)
{
	const struct tp_reporter *next = NULL;
	for (size_t i = 0; i < tp_reporters.n; i++) {
		const struct tp_reporter *r = tp_reporters.rows[i];
		if ((!reporter || r->place > reporter->place) && (!next || r->place < next->place))
			next = r;
	}
	return next;
}
