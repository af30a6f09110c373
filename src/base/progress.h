/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long work reports its progress to a listener. */
#ifndef TPROF_BASE_PROGRESS_H
#define TPROF_BASE_PROGRESS_H

#include <stddef.h>

/* All zero: silence. */
struct tp_listener {
	/* "learning a forest", 40 of 200; all = 0: unknown. One thread at a time calls it. */
	void (*hear)(void *context, const char *step, size_t done, size_t all);
	void *context;
};

static inline void tp_progress(const struct tp_listener *listener, const char *step, size_t done,
			       size_t all)
{
	if (listener && listener->hear)
		listener->hear(listener->context, step, done, all);
}

#endif
