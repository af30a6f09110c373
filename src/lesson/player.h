/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lesson while a learner works through it. The faces show steps (lesson/report.h), hand in
 * answers and measurements, and go on. Every answer and every step is in the learner's file at
 * once.
 */
#ifndef TPROF_LESSON_PLAYER_H
#define TPROF_LESSON_PLAYER_H

#include "lesson/progress.h"
#include "lesson/values.h"
#include "session/session.h"

struct tp_player {
	struct tp_lesson lesson;
	size_t step; /* that is shown */
	size_t reached; /* the furthest one */
	/* --- private --- */
	struct tp_run *measured; /* by step */
	const struct tp_run **runs; /* into `measured`, NULL where nothing was measured */
	struct tp_answer *answers; /* by step */
	struct tp_progress_file *progress; /* borrowed; NULL: nothing is kept */
};

/*
 * Opens a lesson. With `progress`, it goes on where the learner left it: answers are there again,
 * and stored runs of its measurements are loaded where they still exist. Close it in any case.
 */
enum tp_status tp_player_open(struct tp_player *player, const char *path,
			      const struct tp_overrides *overrides,
			      struct tp_progress_file *progress, struct tp_diags *diags);
void tp_player_close(struct tp_player *player);
struct tp_lesson_state tp_player_state(const struct tp_player *player);
const struct tp_lesson_step *tp_player_step(const struct tp_player *player);
/* TP_OK, or the reason why the lesson cannot work on this machine. */
enum tp_status tp_player_works(const struct tp_player *player, const struct tp_machine *machine,
			       struct tp_diag *diag);

/* What the step that is shown waits for. */
enum tp_waits { TP_WAITS_NOTHING, TP_WAITS_ANSWER, TP_WAITS_MEASUREMENT };
enum tp_waits tp_player_waits(const struct tp_player *player);
/*
 * To the next step or back. False at the ends. Forward from a step that still waits for something
 * is allowed (a question is skipped, and texts that need a measurement ask for it): the learner's
 * file then has no answer.
 */
bool tp_player_forward(struct tp_player *player);
bool tp_player_back(struct tp_player *player);
/* Forgets answers and measurements of the lesson, and starts over. */
void tp_player_restart(struct tp_player *player);

/*
 * The answer to the question that is shown, as typed: a number with or without unit, or the number
 * of a choice. TP_USAGE with a helpful message, and nothing is kept. A check may be answered again
 * until it is right.
 */
enum tp_status tp_player_answer(struct tp_player *player, const char *text, struct tp_diag *diag);
/* A drawn curve: one y for each x of the question. */
enum tp_status tp_player_draw(struct tp_player *player, const double *y, size_t n,
			      struct tp_diag *diag);
/* The answer of a step; answer.there is false if missing. Judged as far as possible now. */
struct tp_answer tp_player_answer_of(const struct tp_player *player, size_t step);

/*
 * A session for the step measure that is shown, with machine and plan, ready for
 * tp_session_measure or tp_live_start. Close it with tp_session_close; its preset is a copy.
 */
enum tp_status tp_player_session(const struct tp_player *player, struct tp_session *session,
				 struct tp_diags *diags);
/* A copy of the preset of the step that is shown (measure, try): what Setup is opened with. */
enum tp_status tp_player_preset(const struct tp_player *player, struct tp_preset *preset,
				struct tp_diags *diags);
/* The step `step` was measured into that run directory: loads it. */
enum tp_status tp_player_measured(struct tp_player *player, size_t step, const char *directory,
				  struct tp_diag *diag);

/* Between the files of the player. */

/* "number", "choice" or "curve". */
const char *tp_lesson_ask_name(enum tp_ask_kind kind);
/* True if the truth of the answer to a step is known, now or from an earlier time. */
bool tp_player_is_judged(const struct tp_player *player, size_t step);

#endif
