/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of ranks, and waiting for them. Private to src/base/ranks*.c. */
#ifndef TPROF_BASE_RANKS_PARTS_H
#define TPROF_BASE_RANKS_PARTS_H

#include "base/ranks.h"

enum { TP_RANKS_WORD_BYTES = 64 };

enum tp_status tp_ranks_write_file(const struct tp_ranks *ranks, const char *name, const char *text,
				   struct tp_diag *diag);
void tp_ranks_remove_file(const struct tp_ranks *ranks, const char *name);
/* NULL: it is not there, or is no text of ours. Else heap memory. */
char *tp_ranks_read_file(const struct tp_ranks *ranks, const char *name, size_t most);

/* This rank's own file "LAUNCH.WORD.R". */
enum tp_status tp_ranks_say_word(const struct tp_ranks *ranks, const char *word, const char *text,
				 struct tp_diag *diag);
/* Which ranks have such a file? */
struct tp_ranks_present {
	unsigned char *here; /* of each rank */
	unsigned n;
};
void tp_ranks_look(const struct tp_ranks *ranks, const char *word,
		   struct tp_ranks_present *present);

struct tp_ranks_wait {
	double until, looked;
	tp_ranks_goes_on *goes_on;
	void *context;
};
/*
 * Waits until it is time for the next look. False when the whole wait is over: *status is
 * TP_CANCELLED, or TP_RESOURCE after too long a time (without words yet).
 */
bool tp_ranks_wait_on(struct tp_ranks_wait *w, enum tp_status *status, struct tp_diag *diag);

#endif
