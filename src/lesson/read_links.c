/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one step of a lesson says of others, once all are read. */
#include "lesson/read_parts.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

/* --- names in expressions --- */

/* The first step that may use a name; SIZE_MAX: none, nothing is ever measured. */
static size_t known_from(const struct tp_lesson_reader *r, const struct tp_lesson_name *name)
{
	const struct tp_lesson *lesson = r->lesson;
	size_t first = 0;
	switch (name->kind) {
	case TP_NAME_VALUE:
		return r->values_from[name->index];
	case TP_NAME_MACHINE:
		while (first < lesson->n_steps && lesson->steps[first].kind != TP_STEP_MEASURE)
			first++;
		return first < lesson->n_steps ? first + 1 : SIZE_MAX;
	default:
		return name->step + 1;
	}
}

/* Each of the lesson's values goes by those before it. */
static void date_values(struct tp_lesson_reader *r)
{
	for (size_t i = 0; i < r->lesson->n_values; i++) {
		const struct tp_expression *e = r->lesson->values[i].value;
		r->values_from[i] = 0;
		for (unsigned k = 0; e && k < e->n_names; k++) {
			struct tp_lesson_name name;
			/* A name that does not exist is told where it stands. */
			if (tp_lesson_name_find(r->lesson, e->names[k].text, e->names[k].len, &name,
						NULL) &&
			    (name.kind != TP_NAME_VALUE || name.index < i))
				r->values_from[i] = TP_MAX(r->values_from[i], known_from(r, &name));
		}
	}
}

static void unknown(struct tp_lesson_reader *r, const struct tp_lesson_use *use, unsigned i,
		    const struct tp_lesson_no_name *why)
{
	const struct tp_expression *e = use->expression;
	char hint[TP_NAME_MAX + 32] = "", shown[80], text[80];
	if (*why->nearest)
		snprintf(hint, sizeof(hint), "did you mean %s%s?", why->member ? "." : "",
			 why->nearest);
	tp_shown(shown, sizeof(shown), e->names[i].text, e->names[i].len);
	tp_shown(text, sizeof(text), e->text, strlen(e->text));
	tp_faults_add(r->faults, use->place, *hint ? hint : NULL,
		      "\"%s\", column %zu: there is no %s", text,
		      (size_t)(e->names[i].text - e->text) + 1, shown);
}

static void too_early(struct tp_lesson_reader *r, const struct tp_lesson_use *use, unsigned i,
		      size_t from)
{
	const struct tp_expression *e = use->expression;
	char shown[80], text[80], hint[64] = "add a step measure";
	if (from != SIZE_MAX)
		snprintf(hint, sizeof(hint), "by the step that begins in line %u",
			 r->later[from - 1].place.line);
	tp_shown(shown, sizeof(shown), e->names[i].text, e->names[i].len);
	tp_shown(text, sizeof(text), e->text, strlen(e->text));
	tp_faults_add(r->faults, use->place, hint, "\"%s\", column %zu: %s is %s", text,
		      (size_t)(e->names[i].text - e->text) + 1, shown,
		      from == SIZE_MAX ? "not known: nothing is measured" : "known only later");
}

/* Values of the right kind, for a first try of an expression: words where words should be. */
static bool check_names(struct tp_lesson_reader *r, const struct tp_lesson_use *use,
			struct tp_operand *tried)
{
	const struct tp_expression *e = use->expression;
	bool good = true;
	for (unsigned i = 0; i < e->n_names; i++) {
		struct tp_lesson_name name;
		struct tp_lesson_no_name why;
		bool there = tp_lesson_name_find(r->lesson, e->names[i].text, e->names[i].len,
						 &name, &why);
		if (there && name.kind == TP_NAME_VALUE && name.index >= use->values) {
			there = false;
			why = (struct tp_lesson_no_name){ 0 };
		}
		if (!there) {
			unknown(r, use, i, &why);
			good = false;
			continue;
		}
		size_t from = known_from(r, &name);
		bool own = use->own && name.kind == TP_NAME_QUESTION && name.step == use->step;
		if (from > use->step && !own)
			too_early(r, use, i, from);
		tried[i] = (struct tp_operand){ .number = 1.5 };
		if (tp_lesson_name_is_word(&name))
			tried[i] = (struct tp_operand){ .word = "x", .len = 1 };
		if (use->unit && e->n_names == 1 && strlen(e->text) == e->names[i].len)
			*use->unit = tp_lesson_name_unit(r->lesson, &name);
	}
	return good;
}

/* True if the expression is nothing but a word, which texts may quote. */
static bool is_word_alone(const struct tp_lesson_use *use, const struct tp_operand *tried)
{
	return use->quoted && use->expression->n_steps == 1 && use->expression->n_names == 1 &&
	       tried[0].word;
}

void tp_lesson_check_uses(struct tp_lesson_reader *r)
{
	date_values(r);
	for (size_t i = 0; i < r->n_uses; i++) {
		const struct tp_lesson_use *use = &r->uses[i];
		struct tp_operand tried[TP_EXPRESSION_NAMES_MAX];
		struct tp_diag diag;
		double value;
		if (use->unit)
			*use->unit = "";
		if (!check_names(r, use, tried) || is_word_alone(use, tried))
			continue;
		if (tp_expression_value(use->expression, tried, &value, &diag) == TP_USAGE)
			tp_faults_add(r->faults, use->place,
				      "words are compared by == and != alone", "%s", diag.what);
	}
}

/* --- steps that are named --- */

/* The step of that name; n_steps after a complaint. */
static size_t take_step(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			bool question)
{
	const struct tp_lesson *lesson = r->lesson;
	const char *names[TP_LESSON_STEPS_MAX], *text;
	char hint[TP_NAME_MAX + 32] = "";
	size_t n = 0;
	if (!tp_lesson_take_text(r, node, key, TP_LESSON_LINE_BYTES, false, &text))
		return lesson->n_steps;
	for (size_t i = 0; i < lesson->n_steps; i++) {
		bool fits = question ? lesson->steps[i].question != NULL
				     : lesson->steps[i].kind == TP_STEP_MEASURE;
		if (fits && strcmp(lesson->steps[i].name, text) == 0)
			return i;
		if (fits)
			names[n++] = lesson->steps[i].name;
	}
	const char *near = tp_nearest(text, names, n);
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s?", near);
	tp_faults_add(r->faults, node->place, near ? hint : NULL, "%s: there is no %s \"%.60s\"",
		      key, question ? "question" : "step measure", text);
	return lesson->n_steps;
}

/* One name or a list of them; each step stands before `at`. */
static size_t take_some(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			bool question, size_t at, size_t *steps, size_t most)
{
	bool list = node->kind == TP_NODE_SEQUENCE;
	size_t n = 0;
	if (list && (tp_node_count(node) == 0 || tp_node_count(node) > most)) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected 1 to %zu names", key,
			      most);
		return 0;
	}
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL) {
		size_t step = take_step(r, item, key, question);
		if (step == r->lesson->n_steps)
			continue;
		if (step > at)
			tp_faults_add(r->faults, item->place, "move the plot behind it",
				      "%s: %s comes only later", key, r->lesson->steps[step].name);
		else if (question && r->lesson->steps[step].question->kind == TP_ASK_CHOICE)
			tp_faults_add(r->faults, item->place, "numbers and curves can",
				      "%s: a choice cannot be drawn", key);
		else
			steps[n++] = step;
	}
	return n;
}

/* --- curves --- */

/* Values of x from one end to the other, in equal factors; whole where the column is. */
static void place_x(struct tp_question *q, double from, double to, size_t places, bool whole)
{
	for (size_t i = 0; i < places; i++) {
		double x = from * pow(to / from, (double)i / (double)(places - 1));
		if (whole)
			x = floor(x + 0.5);
		if (!q->n_x || x > q->x[q->n_x - 1])
			q->x[q->n_x++] = x;
	}
}

static void read_places(struct tp_lesson_reader *r, const struct tp_yaml_key *keys,
			const struct tp_node *node, bool whole, struct tp_question *q)
{
	double from, to, places = 8;
	bool good = keys[0].value && keys[1].value &&
		    tp_lesson_take_number(r, keys[0].value, "from", q->x_unit, &from) &&
		    tp_lesson_take_number(r, keys[1].value, "to", q->x_unit, &to);
	if (keys[2].value)
		good &= tp_lesson_take_number(r, keys[2].value, "places", "", &places);
	if (!good)
		return;
	if (!(from > 0 && to > from) || !(places >= 2 && places <= TP_LESSON_CURVE_MAX) ||
	    places != floor(places))
		tp_faults_add(r->faults, node->place, "0 < from < to, and 2 to 24 places",
			      "curve: from, to and places give no axis");
	else
		place_x(q, from, to, (size_t)places, whole);
}

static void read_curve(struct tp_lesson_reader *r, const struct tp_node *node, size_t at)
{
	enum { OF, X, Y, FROM, TO, PLACES, WHERE, KEYS };
	struct tp_lesson *lesson = r->lesson;
	struct tp_question *q = lesson->steps[at].question;
	struct tp_lesson_table table;
	struct tp_yaml_key keys[KEYS] = { [OF] = { .name = "of", .required = true },
					  [X] = { .name = "x", .required = true },
					  [Y] = { .name = "y", .required = true },
					  [FROM] = { .name = "from", .required = true },
					  [TO] = { .name = "to", .required = true },
					  [PLACES] = { .name = "places" },
					  [WHERE] = { .name = "where" } };
	const struct tp_column *columns[2] = { NULL, NULL };
	if (!tp_yaml_keys(r->faults, node, "a curve", keys, KEYS) || !keys[OF].value)
		return;
	q->of = take_step(r, keys[OF].value, "of", false);
	if (q->of == lesson->n_steps)
		return;
	if (lesson->steps[at].kind == TP_STEP_CHECK && q->of > at)
		tp_faults_add(r->faults, keys[OF].value->place, "move the check behind it",
			      "of: %s comes only later", lesson->steps[q->of].name);
	const struct tp_preset *preset = lesson->steps[q->of].preset;
	tp_lesson_table_find(preset, "points", &table);
	for (unsigned i = 0; i < 2; i++) {
		const struct tp_node *name = keys[X + i].value;
		const char *text;
		if (name && tp_lesson_take_text(r, name, keys[X + i].name, TP_LESSON_LINE_BYTES,
						false, &text))
			columns[i] = tp_lesson_take_column(r, name, text, preset, &table);
		if (columns[i] && !tp_column_is_number(columns[i])) {
			tp_faults_add(r->faults, name->place, NULL, "%s: %s holds no numbers",
				      keys[X + i].name, columns[i]->name);
			columns[i] = NULL;
		}
	}
	if (keys[WHERE].value)
		q->where = tp_lesson_read_where(r, keys[WHERE].value, preset, &table, &q->n_where);
	if (!columns[0] || !columns[1])
		return;
	q->x_column = columns[0]->name;
	q->y_column = columns[1]->name;
	q->x_unit = tp_lesson_column_unit(columns[0]);
	read_places(r, &keys[FROM], node,
		    columns[0]->type == TP_COLUMN_UNSIGNED || columns[0]->type == TP_COLUMN_U64, q);
}

void tp_lesson_link(struct tp_lesson_reader *r)
{
	for (size_t i = 0; i < r->lesson->n_steps; i++) {
		const struct tp_lesson_later *later = &r->later[i];
		struct tp_lesson_step *step = &r->lesson->steps[i];
		if (later->plot)
			step->n_runs = take_some(r, later->plot, "plot", false, i, step->runs,
						 TP_COUNT_OF(step->runs));
		if (later->guesses)
			step->n_guesses = take_some(r, later->guesses, "guesses", true, i,
						    step->guesses, TP_COUNT_OF(step->guesses));
		if (later->curve && step->question)
			read_curve(r, later->curve, i);
	}
}
