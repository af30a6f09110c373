/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A folder in the user's data, for counts of processes on other hosts and in containers, which
 * cannot open tprof's file. It is there while the program runs.
 */
#ifndef TPROF_APP_ELSEWHERE_H
#define TPROF_APP_ELSEWHERE_H

#include "app/shared_file.h"
#include "base/status.h"

/*
 * Makes it for agents, once the file has all that tprof gives, and names it there; where it cannot
 * be made, only processes that reach the file itself are counted.
 */
void tp_app_elsewhere_offer(struct tp_app_shared *shared);

/*
 * When the program has ended: calls `take` with each file that agents made there; stops at the
 * first result that is not TP_OK. Files are not trusted, like tprof's own one.
 */
typedef enum tp_status tp_app_elsewhere_take(void *context, struct tp_app_shared *other,
					     struct tp_diag *diag);
enum tp_status tp_app_elsewhere_each(const struct tp_app_shared *shared,
				     tp_app_elsewhere_take *take, void *context,
				     struct tp_diag *diag);

/* Removes it with all that is in it. */
void tp_app_elsewhere_remove(struct tp_app_shared *shared);

#endif
