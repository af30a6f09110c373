/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lesson that was measured, as JSON: its values, what is right, which explanations were shown. */
#include "lesson/document.h"
#include "lesson/player_parts.h"
#include "lesson/say_parts.h"
#include "report/facts.h"
#include "table/json.h"

#include <math.h>

static void put(json_t *object, const char *key, json_t *value, bool *good)
{
	*good &= json_object_set_new(object, key, value) == 0;
}

static void put_filled(json_t *object, const char *key, const struct tp_lesson_state *state,
		       const struct tp_quoted *text, bool *good)
{
	struct tp_str words = { 0 };
	tp_lesson_fill(state, text, &words);
	if (words.len)
		put(object, key, tp_json_text(tp_str_text(&words)), good);
	tp_str_release(&words);
}

static json_t *truth_of(const struct tp_lesson_state *state, const struct tp_expression *truth)
{
	double value;
	return truth && tp_lesson_compute(state, truth, &value) ? tp_json_real(value) : json_null();
}

static void put_question(json_t *object, const struct tp_player *player, size_t at, bool *good)
{
	const struct tp_lesson_state state = tp_player_state(player);
	const struct tp_question *q = player->lesson.steps[at].question;
	const struct tp_answer answer = tp_player_answer_of(player, at);
	put(object, "ask", tp_json_text(tp_lesson_ask_name(q->kind)), good);
	put_filled(object, "question", &state, &q->text, good);
	if (q->kind == TP_ASK_CHOICE) {
		json_t *choices = json_array();
		for (size_t i = 0; i < q->n_choices; i++) {
			struct tp_str words = { 0 };
			tp_lesson_fill(&state, &q->choices[i].text, &words);
			*good &= json_array_append_new(choices,
						       tp_json_text(tp_str_text(&words))) == 0;
			tp_str_release(&words);
		}
		put(object, "choices", choices, good);
		size_t right = tp_lesson_right_choice(player, q);
		put(object, "truth", right ? json_integer((json_int_t)right) : json_null(), good);
	} else {
		put(object, "unit", tp_json_text(q->unit ? q->unit : ""), good);
		put(object, "truth",
		    q->kind == TP_ASK_NUMBER ? truth_of(&state, q->truth) : json_null(), good);
	}
	if (answer.there) {
		put(object, "given", tp_json_real(answer.given), good);
		put(object, "factor", tp_json_real(answer.factor), good);
		put(object, "right", json_boolean(answer.right), good);
	}
}

static void put_measurement(json_t *object, const struct tp_run *run, bool *good)
{
	const struct tp_trust t = tp_trust_of(run);
	put(object, "run", tp_json_text(run->called), good);
	put(object, "state", tp_json_text(run->state), good);
	put(object, "points", json_integer((json_int_t)t.points), good);
	put(object, "good", json_integer((json_int_t)t.good), good);
	put(object, "fair", json_integer((json_int_t)t.fair), good);
	put(object, "poor", json_integer((json_int_t)t.poor), good);
	put(object, "trust", tp_json_text(tp_quality_name(t.quality)), good);
	put(object, "seconds", tp_json_real(run->wall_seconds), good);
}

static void put_variant(json_t *object, const struct tp_player *player,
			const struct tp_lesson_step *step, bool *good)
{
	const struct tp_lesson_state state = tp_player_state(player);
	const struct tp_variant *variant = tp_lesson_variant(&state, step);
	put(object, "variants", json_integer((json_int_t)step->n_variants), good);
	put(object, "shown", variant ? json_integer(variant - step->variants + 1) : json_null(),
	    good);
	if (variant)
		put_filled(object, "explanation", &state, &variant->text, good);
}

static json_t *step_json(const struct tp_player *player, size_t at, bool *good)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	const struct tp_lesson_state state = tp_player_state(player);
	json_t *object = json_object();
	put(object, "step", json_integer((json_int_t)at + 1), good);
	put(object, "kind", tp_json_text(tp_step_kind_name(step->kind)), good);
	if (step->name && *step->name)
		put(object, "name", tp_json_text(step->name), good);
	put_filled(object, "text", &state, &step->text, good);
	if (step->question)
		put_question(object, player, at, good);
	if (player->runs[at])
		put_measurement(object, player->runs[at], good);
	if (step->kind == TP_STEP_EXPLAIN)
		put_variant(object, player, step, good);
	if (step->kind == TP_STEP_NEXT)
		put(object, "next", step->next ? tp_json_text(step->next) : json_null(), good);
	return object;
}

static json_t *values_json(const struct tp_player *player, bool *good)
{
	const struct tp_lesson_state state = tp_player_state(player);
	json_t *values = json_object();
	for (size_t i = 0; i < player->lesson.n_values; i++) {
		const struct tp_lesson_value *v = &player->lesson.values[i];
		json_t *value = json_object();
		put(value, "value", truth_of(&state, v->value), good);
		put(value, "unit", tp_json_text(v->unit ? v->unit : ""), good);
		put(values, v->name, value, good);
	}
	return values;
}

enum tp_status tp_lesson_json(const struct tp_player *player, struct tp_str *out)
{
	const struct tp_lesson *lesson = &player->lesson;
	const struct tp_trust t = tp_lesson_trust(player);
	json_t *root = json_object(), *steps = json_array();
	bool good = root && steps, simulated = false;
	char words[TP_SIMULATED_BYTES + 16];
	const char *cpu = "";
	for (size_t i = 0; i < lesson->n_steps; i++) {
		good &= json_array_append_new(steps, step_json(player, i, &good)) == 0;
		if (!tp_trust_counts(player->runs, lesson->n_steps, i))
			continue;
		simulated |= *tp_fact_simulated(player->runs[i], words, sizeof(words)) != '\0';
		cpu = tp_fact_text(player->runs[i], "machine.cpu");
	}
	put(root, "lesson", tp_json_text(lesson->name), &good);
	put(root, "title", tp_json_text(lesson->title), &good);
	put(root, "machine", tp_json_text(cpu), &good);
	put(root, "simulated", json_boolean(simulated), &good);
	put(root, "trust", tp_json_text(tp_quality_name(t.quality)), &good);
	put(root, "noisy", json_boolean(t.quality == TP_QUALITY_POOR), &good);
	put(root, "points", json_integer((json_int_t)t.points), &good);
	put(root, "steps", steps, &good);
	put(root, "values", values_json(player, &good), &good);
	if (!good) {
		json_decref(root);
		root = NULL;
	}
	enum tp_status status = tp_json_add(out, root, JSON_INDENT(2));
	tp_str_add(out, "\n");
	return status;
}
