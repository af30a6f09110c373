/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of tp_look_init and of the progress line, for each other and for tests. Private to this room. */
#ifndef TPROF_CLI_LOOK_H
#define TPROF_CLI_LOOK_H

#include "cli/cli.h"

/* Columns and rows as they are now: the terminal's, else $COLUMNS and $LINES, else 80 x 24. */
void tp_look_size(struct tp_look *look, int fd);
/* True if `fd` is a terminal and this process is in its foreground: a job put into the background keeps quiet. */
bool tp_look_foreground(int fd);

/* The text of a progress event in at most `columns` columns; `point` is what the last point_begin said. */
void tp_progress_line(const struct tp_event *event, const struct tp_point *point,
		      const struct tp_look *look, size_t columns, struct tp_str *line);

#endif
