/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of the shared file have in common. Private to src/app. */
#ifndef TPROF_APP_SHARED_PARTS_H
#define TPROF_APP_SHARED_PARTS_H

#include <stddef.h>

#include "agent/shared.h"
#include "base/status.h"

/* The file is read, never mapped: to read a page of it that nobody wrote takes no memory then. */
enum tp_status tp_app_shared_get(int fd, void *to, size_t bytes, size_t offset,
				 struct tp_diag *diag);

/* Ends within `size` bytes, with nothing that acts on a terminal. */
void tp_app_shared_mend(char *text, size_t size);

/* Calls `each` with pieces of the counters of one thread; ends with what is not TP_OK. */
struct tp_app_counters {
	unsigned thread;
	size_t n;
	const uint64_t *counts, *settled;
	const struct tp_agent_unit *units;
};
enum tp_status tp_app_shared_counters(int fd, unsigned thread, size_t n_counters,
				      enum tp_status (*each)(void *context,
							     const struct tp_app_counters *piece),
				      void *context, struct tp_diag *diag);

/* The offset of a thread, and of one of its fields. */
#define TP_APP_THREAD_AT(thread)                                                                   \
	(offsetof(struct tp_agent_shared, threads) + (thread) * sizeof(struct tp_agent_thread))
#define TP_APP_FIELD_AT(thread, field)                                                             \
	(TP_APP_THREAD_AT(thread) + offsetof(struct tp_agent_thread, field))

#endif
