/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/mark.h"

#include <sys/resource.h>

/* The clock is read last, and first at the end: nothing else lies between. */
void tp_window_mark_begin(struct tp_window_mark *mark, const struct tp_clock *clock)
{
	struct rusage before;
	getrusage(RUSAGE_THREAD, &before);
	mark->switches = before.ru_nivcsw;
	mark->faults = before.ru_minflt + before.ru_majflt;
	mark->begin = tp_clock_begin(clock);
}

void tp_window_mark_end(struct tp_window_mark *mark, const struct tp_clock *clock)
{
	struct rusage after;
	mark->end = tp_clock_end(clock);
	getrusage(RUSAGE_THREAD, &after);
	mark->switches = after.ru_nivcsw - mark->switches;
	mark->faults = after.ru_minflt + after.ru_majflt - mark->faults;
}
