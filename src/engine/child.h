/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One engine process as the parent sees it: start, read lines, ask to stop, end. Private to this room. */
#ifndef TPROF_ENGINE_CHILD_H
#define TPROF_ENGINE_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/str.h"

struct tp_child {
	pid_t pid;
	int fd;
	struct tp_str in; /* received, not yet taken as lines */
	size_t taken;
	int control_fd; /* see tp_engine_request; -1 = none, or ended */
	bool stop_wished, paused; /* by words from there */
	char wish[32]; /* the beginning of a word whose end has not come */
	size_t wish_len;
	bool asked; /* told to cancel */
	double asked_at, heard_at;
	int exit_signal, exit_code; /* after tp_child_end */
};

enum tp_status tp_child_start(struct tp_child *child, const char *job, size_t len,
			      struct tp_diag *diag);

enum tp_child_news { TP_CHILD_LINE, TP_CHILD_GONE, TP_CHILD_HUNG };

/*
 * Waits for the next line (without newline; valid until the next call). While waiting, a set *stop asks the child to cancel; one that
 * does not obey in time is terminated, then killed. HUNG: nothing heard for `patience_seconds`; the child has been killed.
 */
enum tp_child_news tp_child_next(struct tp_child *child, const volatile sig_atomic_t *stop,
				 double patience_seconds, const char **line, size_t *len);

/* A word for the engine, as a line; lost if it does not listen at all. */
void tp_child_tell(struct tp_child *child, const char *word);

/* Closes the socket, reaps the child, keeps how it ended. */
void tp_child_end(struct tp_child *child);

#endif
