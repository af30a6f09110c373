/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a live run share: the child, the pace of a replay, the events. Private to live*.c. */
#ifndef TPROF_TUI_LIVE_PARTS_H
#define TPROF_TUI_LIVE_PARTS_H

#include "ui/tui/live.h"

/* --- live.c: events --- */
void tp_live_close(int *fd);
/* Takes one line; garbage is left out. */
void tp_live_line(struct tp_live *live, const char *line, size_t len);
/* Roofs and dots of a stored run appear as their points do, plateaus at the end. */
void tp_live_reveal(struct tp_live *live);
void tp_live_count(struct tp_live *live);
enum tp_status tp_live_begin(struct tp_live *live, struct tp_diag *diag);
/* Identities of planned points; those that are known already stay. */
void tp_live_plan_point(struct tp_live *live, const struct tp_point *point);

/* --- live_child.c --- */
enum tp_status tp_live_spawn(struct tp_live *live, char *const *arguments, struct tp_diag *diag);
/* Waits for the end of the child for a while, then makes it end; the status as of waitpid. */
int tp_live_reap(struct tp_live *live);
/* Everything there is in a pipe; false at its end, which closes it. */
bool tp_live_read(int *fd, struct tp_str *to);

/* --- live_replay.c --- */
bool tp_live_take_replay(struct tp_live *live, double now);
double tp_live_replay_due(const struct tp_live *live, double now);

#endif
