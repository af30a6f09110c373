/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points whose results an earlier run of this machine may give, such as the roofs that a program is
 * held against: measured anew they take seconds and say the same.
 *
 * A run gives all of them or none. Where it is not named, it is the newest of those below
 * TP_REUSE_DAYS old that the same version of tprof measured to its end on this machine, with the
 * same kernel, knobs and page policy, and whose points are good or fair. It may not have taken them
 * from another run itself, so they are never older than they look.
 */
#ifndef TPROF_SESSION_REUSE_H
#define TPROF_SESSION_REUSE_H

#include "record/run.h"
#include "session/session.h"

enum { TP_REUSE_DAYS = 30 };

struct tp_reused {
	struct tp_run run; /* that gives them; its name is run.called */
	struct tp_point *points; /* those of the plan: DONE are the ones that it gives; NULL = none
				  */
};

/*
 * Finds them for a plan. `now`: facts of the machine and, where they are known, of its knobs.
 * TP_OK, also when there is none; TP_NOTFOUND, TP_USAGE and the like: why a run that is named
 * cannot give them. Release it in any case.
 */
enum tp_status tp_reuse_find(struct tp_reused *reused, const struct tp_session *session,
			     const struct tp_run *now, struct tp_diag *diag);
void tp_reuse_release(struct tp_reused *reused);

#endif
