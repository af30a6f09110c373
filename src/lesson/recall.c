/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a player takes from the learner's file, and what it writes there. */
#include "lesson/player_parts.h"
#include "lesson/trust.h"
#include "report/facts.h"

#include <math.h>
#include <string.h>

const char *tp_lesson_ask_name(enum tp_ask_kind kind)
{
	static const char *const names[] = {
		[TP_ASK_NUMBER] = "number", [TP_ASK_CHOICE] = "choice", [TP_ASK_CURVE] = "curve"
	};
	return names[kind];
}

/* --- from the file --- */

static bool in_range(const struct tp_question *q, double value)
{
	return value >= q->from && value <= q->to;
}

/* The lesson may have been changed since, or the file: an answer that cannot be given is none. */
static bool fits(const struct tp_question *q, const struct tp_progress_answer *kept)
{
	const struct tp_answer *a = &kept->answer;
	if (strcmp(kept->kind, tp_lesson_ask_name(q->kind)) != 0)
		return false;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		return strcmp(kept->unit, q->unit) == 0 && in_range(q, a->given);
	case TP_ASK_CHOICE:
		return a->given >= 1 && a->given <= (double)q->n_choices &&
		       a->given == floor(a->given);
	case TP_ASK_CURVE:
		break;
	}
	bool whole = kept->n_y == q->n_x && strcmp(kept->unit, q->unit) == 0;
	for (size_t i = 0; i < q->n_x && whole; i++)
		whole = in_range(q, a->y[i]);
	return whole;
}

static void recall_answer(struct tp_player *player, const struct tp_progress_answer *kept)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		const struct tp_lesson_step *step = &player->lesson.steps[i];
		if (!step->question || strcmp(step->name, kept->step) != 0)
			continue;
		if (fits(step->question, kept)) {
			player->answers[i] = kept->answer;
			player->answers[i].there = true;
		}
		return;
	}
}

static void recall_run(struct tp_player *player, const struct tp_progress_run *kept)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		const struct tp_lesson_step *step = &player->lesson.steps[i];
		if (step->kind == TP_STEP_MEASURE && strcmp(step->name, kept->step) == 0) {
			/* A run that was removed is measured again. */
			tp_player_load(player, i, kept->run, NULL);
			return;
		}
	}
}

void tp_player_recall(struct tp_player *player)
{
	const struct tp_progress_lesson *kept =
		player->progress ? tp_progress_of(player->progress, player->lesson.name) : NULL;
	if (!kept)
		return;
	for (size_t i = 0; i < kept->n_runs; i++)
		recall_run(player, &kept->runs[i]);
	for (size_t i = 0; i < kept->n_answers; i++)
		recall_answer(player, &kept->answers[i]);
	player->reached =
		kept->step < player->lesson.n_steps ? kept->step : player->lesson.n_steps - 1;
	player->step = player->reached;
}

/* --- to the file --- */

static enum tp_status keep_answer(const struct tp_player *player, size_t i,
				  struct tp_progress_lesson *kept)
{
	const struct tp_lesson_step *step = &player->lesson.steps[i];
	struct tp_progress_answer answer = { .answer = player->answers[i] };
	if (!step->question || !answer.answer.there)
		return TP_OK;
	tp_copy(answer.step, sizeof(answer.step), step->name);
	tp_copy(answer.kind, sizeof(answer.kind), tp_lesson_ask_name(step->question->kind));
	if (step->question->kind != TP_ASK_CHOICE)
		tp_copy(answer.unit, sizeof(answer.unit), step->question->unit);
	if (step->question->kind == TP_ASK_CURVE)
		answer.n_y = step->question->n_x;
	return tp_progress_answer(kept, &answer);
}

/* What the measurements say of the machine, and of how much they are worth. */
static void keep_measurements(const struct tp_player *player, struct tp_progress_lesson *kept)
{
	enum tp_quality worst = TP_QUALITY_NONE;
	bool any = false;
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		const struct tp_run *run = player->runs[i];
		char simulated[TP_SIMULATED_BYTES + 16];
		if (!tp_trust_counts(player->runs, player->lesson.n_steps, i))
			continue;
		enum tp_quality quality = tp_trust_of(run).quality;
		if (!any)
			kept->simulated = false;
		any = true;
		worst = quality > worst ? quality : worst;
		kept->simulated |= *tp_fact_simulated(run, simulated, sizeof(simulated)) != '\0';
		tp_copy(kept->machine, sizeof(kept->machine), tp_fact_text(run, "machine.cpu"));
	}
	if (!any)
		return;
	tp_copy(kept->trust, sizeof(kept->trust), tp_quality_name(worst));
	kept->noisy = worst == TP_QUALITY_POOR;
}

enum tp_status tp_player_keep(const struct tp_player *player, struct tp_diag *diag)
{
	if (!player->progress)
		return TP_OK;
	struct tp_progress_lesson *kept = tp_progress_begin(player->progress, player->lesson.name);
	if (!kept)
		return tp_fail(diag, TP_RESOURCE, player->progress->path, NULL,
			       "has no room for a further lesson");
	tp_copy(kept->title, sizeof(kept->title), player->lesson.title);
	kept->step = (unsigned)player->reached;
	kept->steps = (unsigned)player->lesson.n_steps;
	kept->finished |= player->reached + 1 == player->lesson.n_steps;
	tp_progress_now(kept->changed);
	keep_measurements(player, kept);
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		if (keep_answer(player, i, kept) != TP_OK)
			return tp_fail(diag, TP_NOMEM, player->progress->path, NULL,
				       "out of memory");
	return tp_progress_save(player->progress, diag);
}
