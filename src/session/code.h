/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that a run would run. An option may name some (option->code): the path of a library, a
 * source and the compiler and flags for it, a command. It runs with all rights of the user. Whoever
 * types it means it; a preset or a stored run may come from anybody.
 */
#ifndef TPROF_SESSION_CODE_H
#define TPROF_SESSION_CODE_H

#include "preset/preset.h"

/*
 * Adds a diagnosis for each piece of code that a preset names and the user did not: not on the
 * command line, in the environment, or in a configuration file of the user or of root. What ships
 * with tprof and names of known libraries are none. `all`: whoever names them. Returns how many
 * were added.
 */
#define TP_CODE_CUT "..." /* ends the words about code that is too long to be shown whole */
size_t tp_session_code(const struct tp_preset *preset, bool all, struct tp_diags *diags);

#endif
