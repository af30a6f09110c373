/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands with the values of a combination in them. They are split into words first, so a value
 * never becomes two of them.
 */
#ifndef TPROF_SWEEP_COMMANDS_H
#define TPROF_SWEEP_COMMANDS_H

#include "base/command.h"
#include "sweep/sweep.h"

/* The text with its values, in the arena. Errors: those of tp_sweep_fill, TP_NOMEM. */
enum tp_status tp_sweep_fill_text(const struct tp_sweep_at *at, const char *text,
				  struct tp_arena *arena, char **filled, struct tp_diag *diag);
/* The words of a command up to NULL, each with its values. Errors: those of tp_command_split. */
enum tp_status tp_sweep_fill_command(const struct tp_sweep_at *at, const char *text,
				     struct tp_arena *arena, char ***words, struct tp_diag *diag);

/*
 * TP_FAILED if a command that has run did not end well: "WHAT ended with exit status 3; it said:
 * LAST LINE". `hint` is for one that took too long.
 */
enum tp_status tp_sweep_judge_command(const struct tp_command_line *command,
				      const struct tp_command_run *run, const char *where,
				      const char *what, const char *hint, struct tp_diag *diag);

#endif
