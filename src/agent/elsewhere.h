/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that cannot open tprof's file, because they run on another machine or see other
 * processes in /proc: those of one machine share a similar file, in a folder that all of them and
 * tprof can reach.
 */
#ifndef TPROF_AGENT_ELSEWHERE_H
#define TPROF_AGENT_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/shared.h"

/* Process ids mean the same for this process and for those of the file. */
bool tp_sees_processes_of(const struct tp_agent_tree *tree);

/*
 * Opens that file for reading and writing, creating it if missing; `path` becomes its path. Fails
 * like a system call.
 */
int64_t tp_elsewhere_open(const char *folder, char path[TP_AGENT_FILE_PATH]);

#endif
