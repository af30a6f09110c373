/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a lesson: must not crash, must say what is wrong and where, and what is taken must
 * keep the promises of the header: steps and names that lead somewhere, texts that can be filled,
 * whatever the values are.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_lesson tests/fuzz/corpus/lesson
 * presets/lessons
 */
#include <math.h>
#include <string.h>

#include "experiments/experiment.h"
#include "lesson/values.h"
#include "tests/fuzz/promise.h"

/* --- what was read --- */

static void check_text(const struct tp_quoted *text)
{
	must(text->n == 0 || text->text, "pieces are those of a text");
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_quoted_piece *piece = &text->pieces[i];
		must(!piece->text != !piece->value, "a piece is words or a value");
		must(piece->text || tp_lesson_unit_find(piece->unit), "a value has a unit");
	}
}

static void check_where(const struct tp_condition *where, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		must(*where[i].column != '\0', "conditions are on columns");
		must(where[i].word || isfinite(where[i].number), "and have a word or a number");
	}
}

static void check_question(const struct tp_lesson *lesson, const struct tp_question *q, size_t at)
{
	check_text(&q->text);
	check_text(&q->hint);
	must(q->text.n > 0, "a question is asked");
	for (size_t i = 0; i < q->n_choices; i++) {
		check_text(&q->choices[i].text);
		must(q->choices[i].when != NULL, "a choice may be right");
	}
	must((q->kind == TP_ASK_CHOICE) == (q->n_choices >= 2), "choices are two or more");
	must((q->kind == TP_ASK_NUMBER) == (q->truth != NULL), "numbers have a truth");
	if (q->kind == TP_ASK_CHOICE)
		return;
	must(q->from > 0 && q->to > q->from && isfinite(q->to), "answers have a range");
	must(tp_lesson_unit_find(q->unit) != NULL, "and a unit");
	must(lesson->steps[at].kind == TP_STEP_PREDICT || q->within > 1, "checks have a factor");
	if (q->kind != TP_ASK_CURVE)
		return;
	must(q->of < lesson->n_steps && lesson->steps[q->of].kind == TP_STEP_MEASURE,
	     "a curve is measured");
	must(q->x_column && q->y_column && q->n_x > 0 && q->n_x <= TP_LESSON_CURVE_MAX,
	     "a curve has axes");
	for (size_t i = 0; i < q->n_x; i++)
		must(q->x[i] > 0 && (!i || q->x[i] > q->x[i - 1]), "places go up");
	check_where(q->where, q->n_where);
}

static void check_step(const struct tp_lesson *lesson, size_t at)
{
	const struct tp_lesson_step *step = &lesson->steps[at];
	bool asks = step->kind == TP_STEP_PREDICT || step->kind == TP_STEP_CHECK;
	must(step->where && *step->where, "a step has a place");
	must(asks == (step->question != NULL), "questions are asked by their steps");
	must((asks || step->kind == TP_STEP_MEASURE) == (*step->name != '\0'), "names");
	must((step->kind == TP_STEP_MEASURE || step->kind == TP_STEP_TRY) ==
		     (step->preset != NULL && step->preset->n_runs > 0),
	     "presets");
	check_text(&step->text);
	if (asks)
		check_question(lesson, step->question, at);
	for (size_t i = 0; i < step->n_results; i++) {
		must(*step->results[i].name && *step->results[i].table, "results have a table");
		check_where(step->results[i].where, step->results[i].n_where);
	}
	must((step->kind == TP_STEP_PLOT) == (step->n_runs > 0), "plots are of measurements");
	for (size_t i = 0; i < step->n_runs; i++)
		must(step->runs[i] < at && lesson->steps[step->runs[i]].kind == TP_STEP_MEASURE,
		     "that come before");
	for (size_t i = 0; i < step->n_guesses; i++)
		must(step->guesses[i] < at && lesson->steps[step->guesses[i]].question,
		     "guesses are questions");
	must((step->kind == TP_STEP_EXPLAIN) == (step->n_variants > 0), "explanations");
	for (size_t i = 0; i < step->n_variants; i++)
		check_text(&step->variants[i].text);
	must(step->kind != TP_STEP_NEXT || at + 1 == lesson->n_steps, "next is the last step");
}

/* --- what it says with made-up values --- */

static bool made_up(const void *context, const struct tp_lesson_name *name, struct tp_operand *out)
{
	const unsigned *what = context;
	*out = (struct tp_operand){ .number = *what == 2 ? 0 : 0.5 + (double)name->index };
	if (tp_lesson_name_is_word(name))
		*out = (struct tp_operand){ .word = "word", .len = 4 };
	return *what != 0;
}

static void say(const struct tp_lesson *lesson)
{
	for (unsigned what = 0; what < 3; what++) {
		const struct tp_lesson_state known = { .lesson = lesson,
						       .value = made_up,
						       .context = &what };
		struct tp_str text = { 0 };
		for (size_t i = 0; i < lesson->n_steps; i++) {
			const struct tp_lesson_step *step = &lesson->steps[i];
			const struct tp_variant *variant = tp_lesson_variant(&known, step);
			must(!variant || tp_lesson_fill(&known, &variant->text, &text),
			     "what is shown is known");
		}
		if (lesson->needs)
			tp_lesson_holds(&known, lesson->needs);
		tp_str_release(&text);
	}
}

/* What is typed as a number: any text. */
static void type(const uint8_t *data, size_t size)
{
	char typed[128] = "", shown[96];
	struct tp_diag diag = { 0 };
	memcpy(typed, data, size < sizeof(typed) - 1 ? size : sizeof(typed) - 1);
	for (size_t i = 0; i == 0 || tp_lesson_unit(i); i++) {
		const char *unit = i ? tp_lesson_unit(i) : "";
		double value = 0;
		if (tp_lesson_number(typed, unit, &value, &diag) == TP_OK) {
			must(isfinite(value), "numbers are finite");
			must(*tp_lesson_format(shown, sizeof(shown), value, unit), "and shown");
		} else {
			must(*diag.what && *diag.hint, "a refusal has words that help");
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_lesson lesson;
	struct tp_diags diags = { 0 }, remarks = { 0 };
	enum tp_status status =
		tp_lesson_parse(&lesson, "input.yaml", (const char *)data, size, NULL, &diags);
	must(status == TP_OK || status == TP_USAGE, "a known status");
	must((status == TP_OK) == (diags.n == 0), "a failure has words, a success has none");
	for (size_t i = 0; i < diags.n; i++)
		must(*diags.items[i].what && (*diags.items[i].where || i == TP_DIAGS_MAX),
		     "a diagnosis has a place; behind the last they are counted");
	must(status == TP_OK || (!lesson.n_steps && !lesson.arena.head), "or there is nothing");
	if (status == TP_OK) {
		must(*lesson.title && *lesson.summary && lesson.n_steps > 0, "a lesson");
		for (size_t i = 0; i < lesson.n_values; i++)
			must(lesson.values[i].value && tp_lesson_unit_find(lesson.values[i].unit),
			     "values have expressions");
		for (size_t i = 0; i < lesson.n_steps; i++)
			check_step(&lesson, i);
		say(&lesson);
		tp_lesson_remarks(&lesson, &remarks);
	}
	type(data, size);
	tp_lesson_release(&lesson);
	tp_diags_release(&remarks);
	tp_diags_release(&diags);
	return 0;
}
