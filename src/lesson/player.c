/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/text.h"
#include "record/load.h"
#include "report/facts.h"
#include "session/facts.h"

struct tp_lesson_state tp_player_state(const struct tp_player *player)
{
	return (struct tp_lesson_state){ .lesson = &player->lesson,
					 .runs = player->runs,
					 .answers = player->answers };
}

const struct tp_lesson_step *tp_player_step(const struct tp_player *player)
{
	return &player->lesson.steps[player->step];
}

/* False while the truth is unknown; then the answer stays unjudged. */
static bool judge(const struct tp_player *player, size_t step, struct tp_answer *answer)
{
	const struct tp_lesson_state state = tp_player_state(player);
	struct tp_answer judged = *answer;
	if (tp_lesson_judge(&state, &player->lesson.steps[step], &judged))
		*answer = judged;
	/* For a deleted run, the learner's file has the truth. */
	return isfinite(answer->truth) || isfinite(answer->factor);
}

/* Answers are judged again whenever a measurement or an answer arrives. */
static void judge_all(struct tp_player *player)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		if (player->answers[i].there)
			judge(player, i, &player->answers[i]);
}

/* Loads what was measured, without telling the learner's file. */
static enum tp_status load_run(struct tp_player *player, size_t step, const char *directory,
			       struct tp_diag *diag)
{
	struct tp_run run;
	bool any = false;
	if (step >= player->lesson.n_steps || player->lesson.steps[step].kind != TP_STEP_MEASURE)
		return tp_fail(diag, TP_USAGE, player->lesson.name, NULL,
			       "this step measures nothing");
	enum tp_status status = tp_run_load(&run, directory, diag);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < run.n_points && !any; i++)
		any = run.points[i].state == TP_POINT_DONE;
	if (!any) {
		tp_run_release(&run);
		return tp_fail(diag, TP_FAILED, directory, "measure the step again",
			       "no point of it was measured");
	}
	tp_run_call(&run, directory);
	tp_run_release(&player->measured[step]);
	player->measured[step] = run;
	player->runs[step] = &player->measured[step];
	judge_all(player);
	return TP_OK;
}

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
static bool fits_question(const struct tp_question *q, const struct tp_progress_answer *kept)
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

/* Answers, runs and the step that the learner's file has, as far as they fit the lesson. */
static void recall(struct tp_player *player, const struct tp_progress_lesson *kept)
{
	const struct tp_lesson *lesson = &player->lesson;
	/* A run that was removed is measured again. */
	for (size_t i = 0; i < lesson->n_steps; i++)
		for (size_t k = 0; k < kept->n_runs; k++)
			if (lesson->steps[i].kind == TP_STEP_MEASURE &&
			    strcmp(lesson->steps[i].name, kept->runs[k].step) == 0)
				load_run(player, i, kept->runs[k].run, NULL);
	for (size_t i = 0; i < lesson->n_steps; i++)
		for (size_t k = 0; k < kept->n_answers; k++)
			if (lesson->steps[i].question &&
			    strcmp(lesson->steps[i].name, kept->answers[k].step) == 0 &&
			    fits_question(lesson->steps[i].question, &kept->answers[k])) {
				player->answers[i] = kept->answers[k].answer;
				player->answers[i].there = true;
			}
	player->step = player->reached = TP_MIN((size_t)kept->step, lesson->n_steps - 1);
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

/* Facts of the machine from the measurements, and how reliable they are. */
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

/* Brings the learner's file up to date and saves it; TP_OK if nothing is kept. */
static enum tp_status keep_all(const struct tp_player *player, struct tp_diag *diag)
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
	tp_now_utc(kept->changed);
	keep_measurements(player, kept);
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		if (keep_answer(player, i, kept) != TP_OK)
			return tp_fail(diag, TP_RESOURCE, player->progress->path, NULL,
				       "has no room for a further answer");
	return tp_progress_save(player->progress, diag);
}

/* --- opening --- */

enum tp_status tp_player_open(struct tp_player *player, const char *path,
			      const struct tp_overrides *overrides,
			      struct tp_progress_file *progress, struct tp_diags *diags)
{
	struct tp_diag diag = { 0 };
	*player = (struct tp_player){ .progress = progress };
	enum tp_status status = tp_lesson_load(&player->lesson, path, overrides, diags);
	if (status != TP_OK) {
		tp_player_close(player);
		return status;
	}
	size_t n = player->lesson.n_steps;
	player->measured = tp_alloc(n, sizeof(*player->measured));
	player->runs = tp_alloc(n, sizeof(*player->runs));
	player->answers = tp_alloc(n, sizeof(*player->answers));
	const struct tp_progress_lesson *kept =
		player->progress ? tp_progress_of(player->progress, player->lesson.name) : NULL;
	if (kept)
		recall(player, kept);
	judge_all(player);
	if (keep_all(player, &diag) != TP_OK)
		tp_diags_add(diags, &diag);
	return TP_OK;
}

void tp_player_close(struct tp_player *player)
{
	for (size_t i = 0; player->measured && i < player->lesson.n_steps; i++)
		tp_run_release(&player->measured[i]);
	free(player->measured);
	free(player->runs);
	free(player->answers);
	tp_lesson_release(&player->lesson);
	*player = (struct tp_player){ 0 };
}

enum tp_status tp_player_works(const struct tp_player *player, const struct tp_machine *machine,
			       struct tp_diag *diag)
{
	const struct tp_lesson *lesson = &player->lesson;
	if (!lesson->needs)
		return TP_OK;
	/* The facts that a run of this machine would have. */
	struct tp_session session = { .machine = *machine };
	TP_CLEANUP(tp_run_release) struct tp_run facts = { 0 };
	TP_FREE const struct tp_run **runs = tp_alloc(lesson->n_steps, sizeof(*runs));
	session.preset.runs = tp_arena_alloc(&session.preset.arena, sizeof(struct tp_config));
	session.preset.n_runs = 1;
	enum tp_status status =
		tp_config_defaults(session.preset.runs, &session.preset.arena, diag);
	if (status == TP_OK) {
		tp_facts_collect(&facts, &session);
		for (size_t i = 0; i < lesson->n_steps; i++)
			if (lesson->steps[i].kind == TP_STEP_MEASURE)
				runs[i] = &facts;
		const struct tp_lesson_state state = { .lesson = lesson,
						       .runs = runs,
						       .answers = player->answers };
		if (!tp_lesson_holds(&state, lesson->needs))
			status = tp_fail(diag, TP_UNSUPPORTED, lesson->name,
					 "the other lessons do not build on it: --list lessons",
					 "%s",
					 lesson->otherwise ? lesson->otherwise
							   : "it does not work on this machine");
	}
	tp_preset_release(&session.preset);
	return status;
}

/* --- going on --- */

bool tp_player_is_judged(const struct tp_player *player, size_t step)
{
	struct tp_answer answer = player->answers[step];
	return judge(player, step, &answer);
}

enum tp_waits tp_player_waits(const struct tp_player *player)
{
	const struct tp_answer *answer = &player->answers[player->step];
	switch (tp_player_step(player)->kind) {
	case TP_STEP_PREDICT:
		return answer->there ? TP_WAITS_NOTHING : TP_WAITS_ANSWER;
	case TP_STEP_CHECK:
		return answer->there &&
				       (answer->right || !tp_player_is_judged(player, player->step))
			       ? TP_WAITS_NOTHING
			       : TP_WAITS_ANSWER;
	case TP_STEP_MEASURE:
		return player->runs[player->step] ? TP_WAITS_NOTHING : TP_WAITS_MEASUREMENT;
	default:
		return TP_WAITS_NOTHING;
	}
}

bool tp_player_forward(struct tp_player *player)
{
	if (player->step + 1 >= player->lesson.n_steps)
		return false;
	player->step++;
	if (player->step > player->reached) {
		player->reached = player->step;
		keep_all(player, NULL);
	}
	return true;
}

bool tp_player_back(struct tp_player *player)
{
	if (!player->step)
		return false;
	player->step--;
	return true;
}

void tp_player_restart(struct tp_player *player)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		tp_run_release(&player->measured[i]);
		player->measured[i] = (struct tp_run){ 0 };
		player->runs[i] = NULL;
		player->answers[i] = (struct tp_answer){ 0 };
	}
	player->step = player->reached = 0;
	if (player->progress) {
		struct tp_progress_lesson *kept =
			tp_progress_begin(player->progress, player->lesson.name);
		if (kept)
			tp_progress_restart(kept);
		keep_all(player, NULL);
	}
}

/* --- answers --- */

static enum tp_status refuse_question(const struct tp_player *player, struct tp_diag *diag)
{
	const struct tp_lesson_step *step = tp_player_step(player);
	const struct tp_answer *answer = &player->answers[player->step];
	if (!step->question)
		return tp_fail(diag, TP_USAGE, "answer", NULL, "this step asks nothing");
	if (step->kind == TP_STEP_CHECK && answer->there && answer->right)
		return tp_fail(diag, TP_USAGE, "answer", NULL, "your answer is right already");
	if (step->kind == TP_STEP_PREDICT && answer->there &&
	    tp_player_is_judged(player, player->step))
		return tp_fail(diag, TP_USAGE, "answer", "to try again, restart the lesson",
			       "it is measured already, so this prediction stays");
	return TP_OK;
}

static enum tp_status out_of_range(const struct tp_question *q, double value, struct tp_diag *diag)
{
	char low[48], high[48], given[48];
	if (value >= q->from && value <= q->to)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, "answer", NULL, "%s is not possible here: %s to %s are",
		       tp_lesson_format(given, sizeof(given), value, q->unit),
		       tp_lesson_format(low, sizeof(low), q->from, q->unit),
		       tp_lesson_format(high, sizeof(high), q->to, q->unit));
}

static enum tp_status take_answer(struct tp_player *player, const struct tp_answer *answer,
				  struct tp_diag *diag)
{
	unsigned tries = player->answers[player->step].tries + 1;
	player->answers[player->step] = *answer;
	player->answers[player->step].there = true;
	player->answers[player->step].tries = tries;
	judge_all(player);
	return keep_all(player, diag);
}

enum tp_status tp_player_answer(struct tp_player *player, const char *text, struct tp_diag *diag)
{
	const struct tp_question *q = tp_player_step(player)->question;
	struct tp_answer answer = { .truth = NAN, .factor = NAN };
	uint64_t choice;
	enum tp_status status = refuse_question(player, diag);
	if (status != TP_OK)
		return status;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		status = tp_lesson_number(text, q->unit, &answer.given, diag);
		if (status == TP_OK)
			status = out_of_range(q, answer.given, diag);
		break;
	case TP_ASK_CHOICE:
		if (!tp_parse_u64(text, &choice) || choice < 1 || choice > q->n_choices)
			status = tp_fail(diag, TP_USAGE, "answer", NULL,
					 "type the number of one of them, 1 to %zu", q->n_choices);
		else
			answer.given = (double)choice;
		break;
	case TP_ASK_CURVE:
		status = tp_fail(diag, TP_USAGE, "answer", "use the cursor keys",
				 "this answer is a curve to be drawn");
		break;
	}
	return status == TP_OK ? take_answer(player, &answer, diag) : status;
}

enum tp_status tp_player_draw(struct tp_player *player, const double *y, size_t n,
			      struct tp_diag *diag)
{
	const struct tp_question *q = tp_player_step(player)->question;
	struct tp_answer answer = { .given = NAN, .truth = NAN, .factor = NAN };
	enum tp_status status = refuse_question(player, diag);
	if (status != TP_OK)
		return status;
	if (q->kind != TP_ASK_CURVE || n != q->n_x)
		return tp_fail(diag, TP_USAGE, "answer", NULL, "this question has no such curve");
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		answer.y[i] = y[i];
		status = out_of_range(q, y[i], diag);
	}
	return status == TP_OK ? take_answer(player, &answer, diag) : status;
}

struct tp_answer tp_player_answer_of(const struct tp_player *player, size_t step)
{
	return step < player->lesson.n_steps ? player->answers[step] : (struct tp_answer){ 0 };
}

/* --- measurements --- */

enum tp_status tp_player_preset(const struct tp_player *player, struct tp_preset *preset,
				struct tp_diags *diags)
{
	const struct tp_lesson_step *step = tp_player_step(player);
	struct tp_diag diag;
	*preset = (struct tp_preset){ 0 };
	if (step->preset) {
		tp_preset_copy(preset, step->preset);
		return TP_OK;
	}
	tp_fail(&diag, TP_USAGE, step->where, NULL, "this step has no preset");
	tp_diags_add(diags, &diag);
	return TP_USAGE;
}

enum tp_status tp_player_session(const struct tp_player *player, struct tp_session *session,
				 struct tp_diags *diags)
{
	struct tp_diag diag = { 0 };
	*session = (struct tp_session){ 0 };
	const struct tp_lesson_step *step = tp_player_step(player);
	if (step->kind != TP_STEP_MEASURE) {
		tp_fail(&diag, TP_USAGE, player->lesson.name, NULL, "this step measures nothing");
		tp_diags_add(diags, &diag);
		return TP_USAGE;
	}
	tp_preset_copy(&session->preset, step->preset);
	enum tp_status status = tp_session_machine(session, &diag);
	/* Before the plan, whose messages would hide the lesson's. */
	if (status == TP_OK)
		status = tp_player_works(player, &session->machine, &diag);
	if (status != TP_OK)
		tp_diags_add(diags, &diag);
	else
		status = tp_session_plan(session, diags);
	if (status != TP_OK)
		tp_session_close(session);
	return status;
}

enum tp_status tp_player_measured(struct tp_player *player, size_t step, const char *directory,
				  struct tp_diag *diag)
{
	enum tp_status status = load_run(player, step, directory, diag);
	if (status != TP_OK)
		return status;
	if (player->progress) {
		struct tp_progress_lesson *kept =
			tp_progress_begin(player->progress, player->lesson.name);
		if (kept)
			tp_progress_run(kept, player->lesson.steps[step].name, directory);
	}
	return keep_all(player, diag);
}
