/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that a run would load. An option may hold the path of a library (option->code), which then
 * runs with all rights of the user. Whoever types the path means it; a preset or a stored run may
 * come from anybody.
 */
#ifndef TPROF_SESSION_CODE_H
#define TPROF_SESSION_CODE_H

#include "preset/preset.h"

/*
 * Adds a diagnosis for each file of code that a preset names and the user did not: not on the
 * command line, in the environment, or in a configuration file of the user or of root. Names of
 * known libraries are no such files. `all`: whoever names them. Returns how many were added.
 */
size_t tp_session_code(const struct tp_preset *preset, bool all, struct tp_diags *diags);

#endif
