/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This program starting itself anew, with other arguments. */
#ifndef TPROF_BASE_SELF_H
#define TPROF_BASE_SELF_H

#include <sys/types.h>

#include "base/status.h"

/*
 * Becomes this program with `arguments` (the first is a name, the last NULL); returns only where that failed, with errno. For a child
 * between fork and exec: it allocates nothing and takes no lock.
 *
 * A program of another architecture runs under a user-mode emulator, and what the emulator starts it starts on the machine as it is, which
 * cannot run such a program. The tests of cross builds therefore give the emulator's command in $TPROF_EMULATOR, words parted by spaces
 * (at most 15, 4 KiB in all), and it is put before.
 */
void tp_become_self(char *const *arguments);

/* A child of this program that becomes this program. */
struct tp_self_child {
	const char *where, *name; /* in a diagnosis: "engine", "the engine" */
	char *const *arguments; /* as for tp_become_self */
	/*
	 * In the child, shortly before it becomes the program, so only what is safe between fork and exec: gives it its end of the socket
	 * (closed on exec) under a number that it knows, and whatever else it is to find. Anything but 0 ends the child with that code.
	 */
	int (*prepare)(int socket, const void *context);
	const void *context;
};

/* How a child ends that could not become the program. */
enum { TP_SELF_NOT_STARTED = 127 };

/*
 * Starts it with a socket in between; `fd` is our end (closed on exec). The child is out of the reach of Ctrl-C, which is for the parent, has no
 * signal blocked and the usual ones at their default, and is killed when the parent ends. TP_RESOURCE: there is no child, *pid and *fd are -1.
 */
enum tp_status tp_self_start(const struct tp_self_child *child, pid_t *pid, int *fd,
			     struct tp_diag *diag);

#endif
