/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of the player. */
#ifndef TPROF_LESSON_PLAYER_PARTS_H
#define TPROF_LESSON_PLAYER_PARTS_H

#include "lesson/player.h"

/* "number", "choice" or "curve". */
const char *tp_lesson_ask_name(enum tp_ask_kind kind);
/* True if the truth of the answer to a step is known, now or from an earlier time. */
bool tp_player_is_judged(const struct tp_player *player, size_t step);
/* Answers, runs and the step that the learner's file has, as far as they fit the lesson. */
void tp_player_recall(struct tp_player *player);
/* Brings the learner's file up to date and saves it; TP_OK where nothing is kept. */
enum tp_status tp_player_keep(const struct tp_player *player, struct tp_diag *diag);
/* Loads what was measured, without telling the learner's file. */
enum tp_status tp_player_load(struct tp_player *player, size_t step, const char *directory,
			      struct tp_diag *diag);

#endif
