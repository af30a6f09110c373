/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the files of a live run share. Private to live*.c. */
#ifndef TPROF_SESSION_LIVE_PARTS_H
#define TPROF_SESSION_LIVE_PARTS_H

#include "session/live.h"

/* --- live.c: events --- */
/* Takes one line; garbage is left out. */
void tp_live_line(struct tp_live *live, const char *line, size_t len);
/* The child has ended: the run that it wrote replaces the one made from events. */
void tp_live_finish(struct tp_live *live);
/* Roofs and dots of a stored run appear as their points do, plateaus at the end. */
void tp_live_reveal(struct tp_live *live);
void tp_live_count(struct tp_live *live);
enum tp_status tp_live_begin(struct tp_live *live, struct tp_diag *diag);
/* Adds the identity of a planned point, unless the point is known already. */
void tp_live_plan_point(struct tp_live *live, const struct tp_point *point);

/* --- live_child.c --- */
void tp_live_close(int *fd);
enum tp_status tp_live_spawn(struct tp_live *live, char *const *arguments, struct tp_diag *diag);
bool tp_live_take_child(struct tp_live *live);
/* Sends the child a line; false if it does not read just now. */
bool tp_live_tell(struct tp_live *live, const char *word);
void tp_live_tell_end(struct tp_live *live);
/* Waits a while for the child to end, then ends it by signals. Returns the status as of waitpid. */
int tp_live_reap(struct tp_live *live);

/* --- live_replay.c --- */
bool tp_live_take_replay(struct tp_live *live, double now);
double tp_live_replay_due(const struct tp_live *live, double now);

#endif
