/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that take a program and its arguments: --app, --profile. Private to src/cli. */
#ifndef TPROF_CLI_WRAP_H
#define TPROF_CLI_WRAP_H

#include "cli/cli.h"

struct tp_cli_wrapped {
	/* Its options EXPERIMENT.command and .regions take the program's words and --region. */
	const char *experiment;
	int (*judge)(const struct tp_run *run, int code); /* as struct tp_cli has it */
};

/* Measures the program on the command line. Returns the exit code. */
int tp_cli_wrap(const struct tp_cli *cli, const struct tp_cli_wrapped *wrapped);
/*
 * Whoever wraps a program in tprof wants its exit status, where it failed: 128 + the signal, or the
 * status, or `code` if it ended well.
 */
int tp_cli_program_code(unsigned signal, unsigned exit_status, int code);

#endif
