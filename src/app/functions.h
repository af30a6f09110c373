/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of programs by the blocks that the agent counted, over all processes. */
#ifndef TPROF_APP_FUNCTIONS_H
#define TPROF_APP_FUNCTIONS_H

#include <stddef.h>

#include "app/app.h"
#include "app/shared_file.h"
#include "base/status.h"

enum { TP_APP_FUNCTIONS = 1000, TP_APP_FILES = 4096 };

struct tp_app_functions;
struct tp_app_functions *tp_app_functions_new(void);
void tp_app_functions_free(struct tp_app_functions *functions);

/* Adds what is counted in a place, whose head is read. TP_IO. */
enum tp_status tp_app_functions_add(struct tp_app_functions *functions, struct tp_app_place place,
				    const struct tp_agent_shared *head, struct tp_diag *diag);

/* Most instructions first, at most TP_APP_FUNCTIONS; on the heap. NULL and 0 = nothing ran. */
struct tp_app_function *tp_app_functions_list(struct tp_app_functions *functions, size_t *n);

#endif
