/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a program of other people is started. Private to base/command*.c. */
#ifndef TPROF_BASE_COMMAND_PARTS_H
#define TPROF_BASE_COMMAND_PARTS_H

#include "base/command.h"

/* A program that runs. */
struct tp_command_begun {
	pid_t pid;
	int process; /* a descriptor of it; -1 = none */
	/* What it prints can be read there, without waiting, [0] both where they come together; -1
	 * = nowhere. */
	int said[2];
	double started; /* tp_now_seconds() */
};

/*
 * Starts it. On failure nothing is left to be closed or reaped; else the caller does both.
 */
enum tp_status tp_command_begin(const struct tp_command_line *command,
				struct tp_command_begun *begun, struct tp_diag *diag);

#endif
