/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that say, draw and write a lesson. */
#ifndef TPROF_LESSON_SAY_PARTS_H
#define TPROF_LESSON_SAY_PARTS_H

#include "lesson/say.h"
#include "lesson/trust.h"

/* Which choice is right, from 1; 0 where none is, or nothing was measured. */
size_t tp_lesson_right_choice(const struct tp_player *player, const struct tp_question *question);
/* Over all measurements; the quality is that of the worst. */
struct tp_trust tp_lesson_trust(const struct tp_player *player);

#endif
