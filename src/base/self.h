/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This program starts itself anew with other arguments, or forks. */
#ifndef TPROF_BASE_SELF_H
#define TPROF_BASE_SELF_H

#include <sys/types.h>

#include "base/status.h"

/*
 * Becomes this program with `arguments` (the first is a name, the last NULL). Returns only where
 * that failed, with errno. It is safe between fork and exec: it allocates nothing and takes no
 * lock.
 *
 * A program of another architecture runs under a user-mode emulator. A program that the emulated
 * one starts runs on the machine itself, which cannot execute it. So the tests of cross builds give
 * the emulator's command in $TPROF_EMULATOR: words separated by spaces (at most 15, 4 KiB in all)
 * that are put before the command.
 */
void tp_become_self(char *const *arguments);

/* A child of this program. */
struct tp_self_child {
	const char *where, *name; /* in a diagnosis: "engine", "the engine" */
	/* As for tp_become_self; NULL for a child that only runs `prepare`. */
	char *const *arguments;
	/*
	 * Runs in the child. Where the child then becomes the program, this does only what is safe
	 * between fork and exec: it gives its end of the socket (closed on exec) a number that the
	 * program knows, and arranges whatever else the program is to find. Anything but 0 ends the
	 * child with that code; without `arguments` 0 does, too.
	 */
	int (*prepare)(int socket, const void *context);
	const void *context;
};

/* The exit code of a child that could not become the program. */
enum { TP_SELF_NOT_STARTED = 127 };

/*
 * Starts it with a socket pair between us; `fd` is our end (closed on exec). The child has a
 * process group of its own, so Ctrl-C does not reach it. It has no signal blocked and the usual
 * ones at their default. It is killed when this process ends. TP_RESOURCE: there is no child, and
 * *pid and *fd are -1. Use tp_process_start, which also keeps what the child says.
 */
enum tp_status tp_self_start(const struct tp_self_child *child, pid_t *pid, int *fd,
			     struct tp_diag *diag);

#endif
