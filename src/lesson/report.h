/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The content of a step of a lesson, for both faces: its text in any look (also HTML), and its
 * pictures.
 */
#ifndef TPROF_LESSON_REPORT_H
#define TPROF_LESSON_REPORT_H

#include "lesson/player.h"
#include "report/reporter.h"

/*
 * The words of a step as it stands: its text; of a question the question, the choices and, when it
 * is answered, how far off it was (kindly: a factor) or why it is wrong; of a measurement how good
 * it was; of an explanation the variant that holds, and an honest text if none holds because the
 * machine was too noisy.
 */
void tp_lesson_say(const struct tp_player *player, size_t step, struct tp_text *doc);
/* One line for a footer or a list: what the step waits for. */
const char *tp_lesson_ask(const struct tp_player *player);
/* The pictures of a step plot: measurements with predictions drawn over them. */
void tp_lesson_pictures(const struct tp_player *player, size_t step,
			const struct tp_gallery *gallery);
/*
 * The whole lesson as a report: every step with its words and pictures. `look->html` makes the body
 * of a page.
 */
void tp_lesson_report(const struct tp_player *player, struct tp_text *doc);
/* Terms of this lesson and of those before it in the course, by name. */
void tp_lesson_glossary(const struct tp_player *player, struct tp_text *doc);

/*
 * One object: lesson, title, machine, simulated, trust, noisy, points, steps (kind, name, text,
 * question with its truth, measurement with its trust, number of the explanation that was shown)
 * and values. Unknown values are null.
 */
void tp_lesson_json(const struct tp_player *player, struct tp_str *out);
/* A page for a browser. */
void tp_lesson_html(const struct tp_player *player, struct tp_str *out);

/*
 * The lesson as a handout, before anything is measured: its texts and questions with room to write
 * in place of values, answers, pictures and explanations.
 */
void tp_lesson_handout(const struct tp_player *player, struct tp_text *doc);
void tp_lesson_handout_html(const struct tp_player *player, struct tp_str *out);
/* All pictures of its steps as one SVG document. */
void tp_lesson_svg(const struct tp_player *player, struct tp_str *out);

#endif
