/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that cannot open tprof's file, because they run on another machine or see other
 * processes in /proc: those of one machine share a file like it, in a folder that all of them and
 * tprof reach.
 */
#ifndef TPROF_AGENT_ELSEWHERE_H
#define TPROF_AGENT_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/shared.h"

/* Numbers of processes mean the same for this one and for those of the file. */
bool tp_sees_processes_of(const struct tp_agent_tree *tree);

/*
 * Opens that file for reading and writing, and makes it if it is missing; `path` becomes where it
 * lies. Fails like a call of the kernel.
 */
int64_t tp_elsewhere_open(const char *folder, char path[TP_AGENT_FILE_PATH]);

#endif
