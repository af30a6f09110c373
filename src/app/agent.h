/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with the agent inside of the program. Private to src/app. */
#ifndef TPROF_APP_AGENT_H
#define TPROF_APP_AGENT_H

#include "app/run.h"
#include "app/shared_file.h"

#define TP_APP_AGENT_FILE "libtprof-agent.so"
/* One cache line of 2^6 is followed with tp_app_trace. */
enum { TP_APP_SAMPLE_SHIFT = 6 };

/* The same of a command, for a note: why, in `diag`, or NULL. */
const char *tp_app_agent_never(const struct tp_app_command *command, struct tp_diag *diag);

/* One run of the command with the agent and this file; as tp_app_execute. */
enum tp_status tp_app_agent_run(const struct tp_app_command *command, struct tp_app_shared *shared,
				struct tp_command_run *ran, struct tp_diags *notes,
				struct tp_diag *diag);

#endif
