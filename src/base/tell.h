/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long work reports its progress to whoever shows it. */
#ifndef TPROF_BASE_TELL_H
#define TPROF_BASE_TELL_H

#include <stddef.h>

/* All zero: nobody listens. */
struct tp_teller {
	/* "learning a forest", 40 of 200; all = 0: unknown. One thread at a time calls it. */
	void (*tell)(void *context, const char *step, size_t done, size_t all);
	void *context;
};

static inline void tp_tell(const struct tp_teller *teller, const char *step, size_t done,
			   size_t all)
{
	if (teller && teller->tell)
		teller->tell(teller->context, step, done, all);
}

#endif
