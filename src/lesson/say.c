/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the steps of a lesson say. */
#include "lesson/say.h"
#include "lesson/player_parts.h"
#include "lesson/prose.h"
#include "lesson/say_parts.h"
#include "lesson/trust.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void filled(const struct tp_player *player, const struct tp_quoted *text,
		   const struct tp_look *look, size_t used, size_t indent, struct tp_str *out)
{
	const struct tp_lesson_state state = tp_player_state(player);
	struct tp_str words = { 0 };
	tp_lesson_fill(&state, text, &words);
	tp_prose(out, look, tp_str_text(&words), used, indent);
	tp_str_release(&words);
}

/* A paragraph behind others of the same step. */
static void behind(struct tp_str *out, const struct tp_look *look, size_t before)
{
	if (out->len > before)
		tp_prose_gap(out, look);
}

static void line(struct tp_str *out, const struct tp_look *look, size_t before, enum tp_paint paint,
		 const struct tp_str *text)
{
	behind(out, look, before);
	tp_prose_line(out, look, paint, tp_str_text(text));
	out->oom |= text->oom;
}

/* --- questions --- */

size_t tp_lesson_right_choice(const struct tp_player *player, const struct tp_question *q)
{
	const struct tp_lesson_state state = tp_player_state(player);
	for (size_t i = 0; i < q->n_choices; i++)
		if (tp_lesson_holds(&state, q->choices[i].when))
			return i + 1;
	return 0;
}

static void choices(const struct tp_player *player, const struct tp_question *q,
		    const struct tp_look *look, struct tp_str *out)
{
	char number[32];
	tp_prose_gap(out, look);
	for (size_t i = 0; i < q->n_choices; i++) {
		snprintf(number, sizeof(number), "  %zu  ", i + 1);
		if (look->html)
			tp_text_paint(out, look, TP_PAINT_STRONG, number);
		else
			tp_str_add(out, number);
		filled(player, &q->choices[i].text, look, strlen(number), strlen(number), out);
	}
}

/* A factor as people say it: "1.6", "25". */
static const char *factor_text(char out[32], double factor)
{
	snprintf(out, 32, factor < 9.95 ? "%.2g" : "%.0f", factor);
	return out;
}

/* The kinder half of a judgement. */
static const char *kind_words(double factor)
{
	static const struct {
		double up_to;
		const char *words;
	} rows[] = {
		{ 1.1, "Spot on." },
		{ 1.6, "Close." },
		{ 3.2, "Not far: it is the right order of magnitude." },
		{ 10, "Within a factor of ten. Now you have a number to remember." },
		{ INFINITY, "A surprise, so this one is worth remembering." },
	};
	size_t i = 0;
	while (i + 1 < TP_COUNT_OF(rows) && !(factor <= rows[i].up_to))
		i++;
	return rows[i].words;
}

/* Of an answer that nothing is known to compare with. */
static const char *no_truth(const struct tp_player *player, bool check)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		if (player->lesson.steps[i].kind == TP_STEP_MEASURE && !player->runs[i])
			return check ? "What it has to be compared with was not measured."
				     : "The measurement will tell.";
	return "What was measured on this machine does not decide it.";
}

static void number_words(const struct tp_question *q, const struct tp_answer *a, bool check,
			 const char *open, struct tp_str *out)
{
	char given[64], truth[64], factor[32];
	tp_lesson_format(given, sizeof(given), a->given, q->unit);
	tp_lesson_format(truth, sizeof(truth), a->truth, q->unit);
	if (!isfinite(a->truth))
		tp_str_printf(out, "You said %s. %s", given, open);
	else if (check && !a->right)
		tp_str_printf(out, "You said %s. That is too %s. Try again.", given,
			      a->given > a->truth ? "large" : "small");
	else if (check)
		tp_str_printf(out, "Right. You said %s; it is %s.", given, truth);
	else if (isfinite(a->factor) && a->factor < 1.005)
		tp_str_printf(out, "You said %s, and that is what it is.", given);
	else if (isfinite(a->factor))
		tp_str_printf(out, "You said %s; it is %s: off by a factor of %s. %s", given, truth,
			      factor_text(factor, a->factor), kind_words(a->factor));
	else
		tp_str_printf(out, "You said %s; it is %s.", given, truth);
}

static void choice_words(const struct tp_answer *a, bool check, bool judged, const char *open,
			 struct tp_str *out)
{
	size_t right = a->truth >= 1 ? (size_t)a->truth : 0;
	unsigned given = (unsigned)a->given;
	if (!judged)
		tp_str_printf(out, "You chose %u. %s", given, open);
	else if (a->right)
		tp_str_printf(out, "You chose %u. That is right.", given);
	else if (check)
		tp_str_printf(out, "You chose %u. That is not it. Try again.", given);
	else
		tp_str_printf(out, "You chose %u; here it is %zu.", given, right);
}

static void curve_words(const struct tp_answer *a, const char *open, struct tp_str *out)
{
	char factor[32];
	if (!isfinite(a->factor))
		tp_str_printf(out, "Your curve is drawn. %s", open);
	else
		tp_str_printf(out,
			      "Half of your curve is within a factor of %s of what was measured. "
			      "%s",
			      factor_text(factor, a->factor), kind_words(a->factor));
}

static void answered(const struct tp_player *player, size_t at, const struct tp_look *look,
		     size_t before, struct tp_str *out)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	const struct tp_question *q = step->question;
	const struct tp_answer a = tp_player_answer_of(player, at);
	struct tp_str text = { 0 };
	bool check = step->kind == TP_STEP_CHECK, judged = tp_player_is_judged(player, at);
	const char *open = no_truth(player, check);
	switch (q->kind) {
	case TP_ASK_NUMBER:
		number_words(q, &a, check, open, &text);
		break;
	case TP_ASK_CHOICE:
		choice_words(&a, check, judged, open, &text);
		break;
	case TP_ASK_CURVE:
		curve_words(&a, open, &text);
		break;
	}
	line(out, look, before, judged && a.right ? TP_PAINT_GOOD : TP_PAINT_STRONG, &text);
	tp_str_release(&text);
	if (check && judged && !a.right && q->hint.n) {
		tp_prose_gap(out, look);
		filled(player, &q->hint, look, 0, 0, out);
	}
}

static void question(const struct tp_player *player, size_t at, const struct tp_look *look,
		     size_t before, struct tp_str *out)
{
	const struct tp_question *q = player->lesson.steps[at].question;
	behind(out, look, before);
	filled(player, &q->text, look, 0, 0, out);
	if (q->kind == TP_ASK_CHOICE)
		choices(player, q, look, out);
	if (tp_player_answer_of(player, at).there)
		answered(player, at, look, before, out);
}

/* --- other steps --- */

static void measurement(const struct tp_player *player, size_t at, const struct tp_look *look,
			size_t before, struct tp_str *out)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_PLAIN,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	const struct tp_run *run = player->runs[at];
	struct tp_str text = { 0 };
	char seconds[48];
	enum tp_paint paint = TP_PAINT_DIM;
	if (run) {
		tp_trust_words(run, &text);
		paint = paints[tp_trust_of(run).quality];
	} else if (step->seconds > 0) {
		tp_str_printf(&text, "This takes about %s.",
			      tp_format_seconds(seconds, sizeof(seconds), step->seconds));
	}
	if (text.len)
		line(out, look, before, paint, &text);
	tp_str_release(&text);
}

/* Why no explanation holds. */
static void no_variant(const struct tp_player *player, size_t at, struct tp_str *out)
{
	bool missing = false, poor = false;
	for (size_t i = 0; i < at; i++) {
		if (player->lesson.steps[i].kind != TP_STEP_MEASURE)
			continue;
		missing |= !player->runs[i];
		poor |= player->runs[i] && tp_trust_of(player->runs[i]).quality == TP_QUALITY_POOR;
	}
	tp_str_add(out, missing ? "What this explains was not measured yet. Go back to the "
				  "measurement first."
			: poor	? "The machine was too busy to show anything that could be "
				  "explained. Measure again when it is quieter."
				: "What was measured fits none of the explanations of this lesson. "
				  "So it says nothing, rather than something that is wrong here.");
}

static void explanation(const struct tp_player *player, size_t at, const struct tp_look *look,
			size_t before, struct tp_str *out)
{
	const struct tp_lesson_state state = tp_player_state(player);
	const struct tp_variant *variant = tp_lesson_variant(&state, &player->lesson.steps[at]);
	struct tp_str text = { 0 };
	if (variant) {
		behind(out, look, before);
		filled(player, &variant->text, look, 0, 0, out);
		return;
	}
	no_variant(player, at, &text);
	line(out, look, before, TP_PAINT_WARN, &text);
	tp_str_release(&text);
}

static void next(const struct tp_lesson_step *step, const struct tp_look *look, size_t before,
		 struct tp_str *out)
{
	struct tp_str text = { 0 };
	if (step->next)
		tp_str_printf(&text, "Next lesson: %s", step->next);
	else
		tp_str_add(&text, "This is the end of the course.");
	line(out, look, before, TP_PAINT_STRONG, &text);
	tp_str_release(&text);
}

void tp_lesson_say(const struct tp_player *player, size_t at, const struct tp_look *look,
		   struct tp_str *out)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	size_t before = out->len;
	filled(player, &step->text, look, 0, 0, out);
	switch (step->kind) {
	case TP_STEP_PREDICT:
	case TP_STEP_CHECK:
		question(player, at, look, before, out);
		break;
	case TP_STEP_MEASURE:
		measurement(player, at, look, before, out);
		break;
	case TP_STEP_EXPLAIN:
		explanation(player, at, look, before, out);
		break;
	case TP_STEP_NEXT:
		next(step, look, before, out);
		break;
	case TP_STEP_TEXT:
	case TP_STEP_PLOT:
	case TP_STEP_TRY:
	case TP_STEP_KIND_COUNT:
		break;
	}
}

const char *tp_lesson_ask(const struct tp_player *player)
{
	const struct tp_lesson_step *step = tp_player_step(player);
	switch (tp_player_waits(player)) {
	case TP_WAITS_ANSWER:
		return step->question->kind == TP_ASK_NUMBER   ? "type a number"
		       : step->question->kind == TP_ASK_CHOICE ? "choose one of them by its number"
							       : "draw the curve with the cursor";
	case TP_WAITS_MEASUREMENT:
		return "measure this step";
	case TP_WAITS_NOTHING:
		break;
	}
	return step->kind == TP_STEP_NEXT ? "the lesson is done" : "go on";
}
