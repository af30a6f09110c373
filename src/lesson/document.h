/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lesson that was measured, as documents. Its report as text is lesson/say.h. */
#ifndef TPROF_LESSON_DOCUMENT_H
#define TPROF_LESSON_DOCUMENT_H

#include "lesson/player.h"

/*
 * One object: lesson, title, machine, simulated, trust, noisy, points, steps (kind, name, text,
 * question with its truth, measurement with its trust, number of the explanation that was shown)
 * and values. What nobody knows is null. TP_NOMEM.
 */
enum tp_status tp_lesson_json(const struct tp_player *player, struct tp_str *out);
/* A page for a browser. */
enum tp_status tp_lesson_html(const struct tp_player *player, struct tp_str *out);
/* All pictures of its steps as one SVG document. */
enum tp_status tp_lesson_svg(const struct tp_player *player, struct tp_str *out);

#endif
