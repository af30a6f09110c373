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

/* Where ranks->lost. */
enum tp_status tp_ranks_are_lost(struct tp_diag *diag);

/* What this rank says of itself: *hello, and its text. Draws the rank's number. */
enum tp_status tp_ranks_hello_make(struct tp_ranks *ranks, struct tp_ranks_hello *hello, char *text,
				   size_t size, struct tp_diag *diag);

/* What the hello of a rank says of who is here: ranks->host_rank, host_size and on_host. */
void tp_ranks_count(struct tp_ranks *ranks, const struct tp_ranks_hello *own, unsigned rank,
		    const struct tp_ranks_hello *other);

/* --- ranks that meet through PMIx (ranks_relay.c): as the functions of ranks.h --- */

bool tp_relay_is(const struct tp_ranks *ranks);
enum tp_status tp_relay_join(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context,
			     struct tp_diag *diag);
/* Tells a text, and gets those of all: *texts, for tp_relay_text, lie in `reply`. */
enum tp_status tp_relay_share(struct tp_ranks *ranks, const char *word, const char *text,
			      tp_ranks_goes_on *goes_on, void *context, struct tp_str *reply,
			      const char **texts, struct tp_diag *diag);
/* The next text of several: heap memory. NULL: there is none, or no memory. */
char *tp_relay_text(const char **at);
/* TP_RANKS_OUT: says so, and waits until the others know. */
enum tp_status tp_relay_meet(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			     tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag);
enum tp_status tp_relay_leave(struct tp_ranks *ranks, const char *text, tp_ranks_goes_on *goes_on,
			      void *context, struct tp_diag *diag);
enum tp_status tp_relay_left(const struct tp_ranks *ranks, unsigned rank, char **text,
			     struct tp_diag *diag);

/* Waits for the end of all if this rank has left, and ends the relay. */
void tp_relay_close(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context);

/*
 * The relay itself (ranks_pmix.c): answers requests that come to the socket until the rank
 * ends. Returns the exit code of its process.
 */
int tp_pmix_serve(int listening);

#endif
