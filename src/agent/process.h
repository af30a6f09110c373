/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes: each has a place of the shared file for its counts. A child of fork takes one when it
 * is made, and an image that a process executes takes one when it is loaded.
 */
#ifndef TPROF_AGENT_PROCESS_H
#define TPROF_AGENT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shared.h"

/*
 * Maps the file that `name` means, the value of TPROF_AGENT, and takes a place for this process:
 * tp_agent_tree and tp_agent_shared are set then. False: the file is not tprof's, or no place was
 * left, and the process runs uncounted.
 */
bool tp_process_begin(const char *name, char **env);
/* The process is about to end. */
void tp_process_end(void);

/*
 * A place for a child that has copies of this process's private memory, with the counters of the
 * threads [first, first + n); NULL = none is free. After the fork the parent lets go of it, and
 * the child moves to it: tp_agent_shared stays where it is, and shows the child's place.
 */
struct tp_agent_shared *tp_process_child_place(unsigned first, unsigned n);
void tp_process_parent_goes_on(struct tp_agent_shared *place, bool forked);
void tp_process_child_begins(struct tp_agent_shared *place);

/*
 * These variables (an array up to NULL) with those that load the agent into the program `path`,
 * which the calling process is about to execute; relative to `folder`, a descriptor or AT_FDCWD.
 * NULL = they cannot be made.
 */
uint64_t *tp_exec_variables(uint64_t folder, uint64_t path, uint64_t from);
void tp_exec_drop(uint64_t *variables);

extern struct tp_agent_tree *tp_agent_tree; /* NULL until the file is mapped */

#endif
