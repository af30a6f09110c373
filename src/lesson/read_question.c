/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions: a number, a choice, or a curve. */
#include "lesson/read_parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double default_within = 1.25;

/* The keys that say what is asked; `question` and the following are those of read_steps.c. */
enum { UNIT, FROM, TO, TRUTH, WITHIN, HINT, CHOICES, CURVE, KEYS };
static const char *const names[KEYS] = { "unit",   "from", "to",      "truth",
					 "within", "hint", "choices", "curve" };

struct asking {
	struct tp_lesson_reader *r;
	const struct tp_node *node; /* the step */
	const struct tp_node *given[KEYS];
	size_t step;
	bool check;
	struct tp_question *question;
};

/* What tells right from wrong: of a prediction all that will be known. */
static struct tp_lesson_use of_truth(const struct asking *a)
{
	return (struct tp_lesson_use){ .step = a->check ? a->step : SIZE_MAX, .values = SIZE_MAX };
}

static void refuse_keys(const struct asking *a, unsigned allowed, const char *kind)
{
	for (const struct tp_node *key = a->node->first; key; key = key->next)
		for (unsigned i = 0; i < KEYS; i++)
			if (!(allowed & 1u << i) && tp_node_is(key, names[i]))
				tp_faults_add(a->r->faults, key->place, NULL,
					      "%s has no place in a question with %s", names[i],
					      kind);
}

/* Unit and bounds of what is answered. */
static void read_axis(const struct asking *a)
{
	struct tp_question *q = a->question;
	struct tp_lesson_reader *r = a->r;
	bool both = a->given[FROM] && a->given[TO];
	q->unit = "";
	if (a->given[UNIT])
		tp_lesson_take_unit(r, a->given[UNIT], &q->unit);
	for (unsigned i = FROM; i <= TO; i++)
		if (!a->given[i])
			tp_faults_add(r->faults, a->node->place,
				      "from and to say which answers make sense",
				      "%s is missing in a question", names[i]);
	if (!both || !tp_lesson_take_number(r, a->given[FROM], names[FROM], q->unit, &q->from) ||
	    !tp_lesson_take_number(r, a->given[TO], names[TO], q->unit, &q->to))
		return;
	/* Answers are compared by factors, and curves drawn on a logarithmic axis. */
	if (!(q->from > 0) || !(q->to > q->from))
		tp_faults_add(r->faults, a->given[FROM]->place, "0 < from < to",
			      "from and to are no range of positive numbers");
}

static void read_within(const struct asking *a)
{
	struct tp_question *q = a->question;
	q->within = default_within;
	if (a->given[WITHIN] &&
	    tp_lesson_take_number(a->r, a->given[WITHIN], "within", "", &q->within) &&
	    !(q->within > 1 && q->within <= 100))
		tp_faults_add(a->r->faults, a->given[WITHIN]->place,
			      "a factor above 1, such as 1.25 for 25 %", "within: out of range");
}

static void read_choice(const struct asking *a, const struct tp_node *node)
{
	struct tp_question *q = a->question;
	struct tp_choice *choice = &q->choices[q->n_choices];
	const struct tp_lesson_use before = { .step = a->step, .values = SIZE_MAX };
	struct tp_yaml_key keys[] = { { .name = "say", .required = true },
				      { .name = "when", .required = true } };
	if (!tp_yaml_keys(a->r->faults, node, "a choice", keys, TP_COUNT_OF(keys)))
		return;
	if (keys[0].value)
		tp_lesson_take_quoted(a->r, keys[0].value, "say", before, &choice->text);
	if (keys[1].value)
		tp_lesson_take_expression(a->r, keys[1].value, "when", of_truth(a), &choice->when);
	q->n_choices++;
}

static void read_choices(const struct asking *a)
{
	const struct tp_node *list = a->given[CHOICES];
	size_t n = tp_node_count(list);
	a->question->kind = TP_ASK_CHOICE;
	a->question->unit = "";
	refuse_keys(a, 1u << CHOICES | 1u << HINT, "choices");
	if (list->kind != TP_NODE_SEQUENCE || n < 2 || n > TP_LESSON_CHOICES_MAX) {
		tp_faults_add(a->r->faults, list->place, "- {say: WORDS, when: CONDITION}",
			      "choices: expected a list of 2 to %d choices", TP_LESSON_CHOICES_MAX);
		return;
	}
	for (const struct tp_node *item = list->first; item; item = item->next)
		read_choice(a, item);
}

static void read_number(const struct asking *a)
{
	a->question->kind = TP_ASK_NUMBER;
	refuse_keys(a, ~(1u << CHOICES | 1u << CURVE), "a number");
	read_axis(a);
	if (a->given[TRUTH])
		tp_lesson_take_expression(a->r, a->given[TRUTH], "truth", of_truth(a),
					  &a->question->truth);
	else
		tp_faults_add(a->r->faults, a->node->place,
			      "truth: an expression; or choices, or curve",
			      "truth is missing in a question");
}

struct tp_question *tp_lesson_read_question(struct tp_lesson_reader *r, const struct tp_node *node,
					    size_t step, bool check, const struct tp_node **given)
{
	struct tp_question *q = tp_lesson_room(r, 1, sizeof(*q));
	struct asking a = { r, node, { NULL }, step, check, q };
	const struct tp_lesson_use before = { .step = step, .values = SIZE_MAX };
	const struct tp_lesson_use answered = { .step = step, .own = true, .values = SIZE_MAX };
	if (!q)
		return NULL;
	for (unsigned i = 0; i < KEYS; i++)
		a.given[i] = given[1 + i];
	q->name = r->lesson->steps[step].name;
	if (given[0])
		tp_lesson_take_quoted(r, given[0], "question", before, &q->text);
	else
		tp_faults_add(r->faults, node->place, NULL, "question is missing in a step %s",
			      check ? "check" : "predict");
	if (a.given[CHOICES]) {
		read_choices(&a);
	} else if (a.given[CURVE]) {
		q->kind = TP_ASK_CURVE;
		refuse_keys(&a, ~(1u << CHOICES | 1u << TRUTH), "a curve");
		read_axis(&a);
		r->later[step].curve = a.given[CURVE];
	} else {
		read_number(&a);
	}
	if (check)
		read_within(&a);
	if (a.given[HINT])
		tp_lesson_take_quoted(r, a.given[HINT], "hint", answered, &q->hint);
	return q;
}
