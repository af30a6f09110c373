/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a lesson, one after the other. */
#include "lesson/read_parts.h"

#include <string.h>

#include "base/memory.h"
#include "session/session.h"

/* Keys of any step; one of those up to `next` says of which kind it is. */
enum {
	TEXT,
	PREDICT,
	MEASURE,
	PLOT,
	EXPLAIN,
	CHECK,
	TRY,
	NEXT,
	QUESTION,
	UNIT,
	FROM,
	TO,
	TRUTH,
	WITHIN,
	HINT,
	CHOICES,
	CURVE,
	SECONDS,
	PRESET,
	RESULTS,
	GUESSES,
	KEYS
};
static const char *const key_names[KEYS] = {
	[TEXT] = "text",       [PREDICT] = "predict", [MEASURE] = "measure",
	[PLOT] = "plot",       [EXPLAIN] = "explain", [CHECK] = "check",
	[TRY] = "try",	       [NEXT] = "next",	      [QUESTION] = "question",
	[UNIT] = "unit",       [FROM] = "from",	      [TO] = "to",
	[TRUTH] = "truth",     [WITHIN] = "within",   [HINT] = "hint",
	[CHOICES] = "choices", [CURVE] = "curve",     [SECONDS] = "seconds",
	[PRESET] = "preset",   [RESULTS] = "results", [GUESSES] = "guesses",
};
_Static_assert((int)NEXT == (int)TP_STEP_NEXT && (int)PLOT == (int)TP_STEP_PLOT,
	       "keys of kinds are in the order of the kinds");

/* Of which kind a step is, by the one of its keys that says so. */
static bool take_kind(struct tp_lesson_reader *r, const struct tp_node *node,
		      const struct tp_node **given, enum tp_lesson_step_kind *kind)
{
	struct tp_str kinds = { 0 };
	unsigned n = 0;
	*kind = TP_STEP_TEXT;
	for (unsigned i = TP_STEP_TEXT + 1; i < TP_STEP_KIND_COUNT; i++)
		if (given[i]) {
			*kind = i;
			n++;
		}
	if (n == 1 || (n == 0 && given[TEXT]))
		return true;
	for (unsigned i = 0; i < TP_STEP_KIND_COUNT; i++)
		tp_str_printf(&kinds, "%s%s",
			      i == 0	  ? ""
			      : i == NEXT ? " or "
					  : ", ",
			      key_names[i]);
	tp_faults_add(r->faults, node->place, tp_str_text(&kinds),
		      n ? "a step is of one kind" : "this step is of no kind");
	tp_str_release(&kinds);
	return false;
}

/* Which keys steps of a kind have, beside text and the one that says the kind. */
static bool belongs(enum tp_lesson_step_kind kind, unsigned key)
{
	switch (kind) {
	case TP_STEP_PREDICT:
		return key >= QUESTION && key <= CURVE && key != WITHIN && key != HINT;
	case TP_STEP_CHECK:
		return key >= QUESTION && key <= CURVE;
	case TP_STEP_MEASURE:
		return key == SECONDS || key == PRESET || key == RESULTS;
	case TP_STEP_TRY:
		return key == PRESET;
	case TP_STEP_PLOT:
		return key == GUESSES;
	default:
		return false;
	}
}

/* The keys of a step by their numbers, once its kind is known. */
static bool take_keys(struct tp_lesson_reader *r, const struct tp_node *node,
		      const struct tp_node **given, enum tp_lesson_step_kind *kind)
{
	struct tp_yaml_key keys[KEYS];
	const char *where = "a step";
	for (unsigned i = 0; i < KEYS; i++)
		keys[i] = (struct tp_yaml_key){ .name = key_names[i] };
	if (!tp_yaml_keys(r->faults, node, where, keys, KEYS))
		return false;
	for (unsigned i = 0; i < KEYS; i++)
		given[i] = keys[i].value;
	if (!node->closed || !take_kind(r, node, given, kind))
		return false;
	for (const struct tp_node *key = node->first; key; key = key->next)
		for (unsigned i = TP_STEP_KIND_COUNT; i < KEYS; i++)
			if (tp_node_is(key, key_names[i]) && !belongs(*kind, i))
				tp_faults_add(r->faults, key->place, NULL,
					      "%s has no place in a step %s", key_names[i],
					      key_names[*kind]);
	return true;
}

/* --- the kinds --- */

static struct tp_preset *take_preset(struct tp_lesson_reader *r, const struct tp_node *node)
{
	struct tp_preset *preset = tp_lesson_room(r, 1, sizeof(*preset));
	if (!preset)
		return NULL;
	enum tp_status status =
		tp_session_preset_inside(preset, r->overrides, node, r->faults, r->diags);
	r->out_of_memory |= status == TP_NOMEM;
	return preset;
}

static void read_measure(struct tp_lesson_reader *r, const struct tp_node *node,
			 const struct tp_node **given, struct tp_lesson_step *step)
{
	tp_lesson_take_name(r, given[MEASURE], "measure", &step->name);
	if (given[SECONDS] &&
	    tp_lesson_take_number(r, given[SECONDS], "seconds", "s", &step->seconds) &&
	    !(step->seconds > 0 && step->seconds <= 3600))
		tp_faults_add(r->faults, given[SECONDS]->place, "above 0, at most an hour",
			      "seconds: %.60s is out of range", given[SECONDS]->text);
	if (given[PRESET])
		step->preset = take_preset(r, given[PRESET]);
	else
		tp_faults_add(r->faults, node->place, "preset: {experiment: memcurve}",
			      "preset is missing in a step measure");
	if (given[RESULTS])
		tp_lesson_read_results(r, given[RESULTS], step);
}

/* One step has two texts: a general one, and what to try. */
static void read_try(struct tp_lesson_reader *r, const struct tp_node *node,
		     const struct tp_node **given, struct tp_lesson_step *step,
		     struct tp_lesson_use use)
{
	struct tp_str both = { 0 };
	const char *text, *more;
	if (given[PRESET])
		step->preset = take_preset(r, given[PRESET]);
	else
		tp_faults_add(r->faults, node->place, "preset: {experiment: memcurve}",
			      "preset is missing in a step try");
	if (!tp_lesson_take_text(r, given[TRY], "try", TP_LESSON_TEXT_BYTES, true, &text))
		return;
	if (given[TEXT] &&
	    tp_lesson_take_text(r, given[TEXT], "text", TP_LESSON_TEXT_BYTES, true, &more)) {
		tp_str_printf(&both, "%s\n\n%s", more, text);
		text = tp_arena_strdup(&r->lesson->arena, tp_str_text(&both));
		r->out_of_memory |= !text;
		tp_str_release(&both);
	}
	if (text)
		tp_lesson_quote(r, given[TRY]->place, text, use, &step->text);
}

static void read_claims(struct tp_lesson_reader *r, const struct tp_node *list,
			struct tp_lesson_use use, struct tp_variant *variant)
{
	if (list->kind != TP_NODE_SEQUENCE || tp_node_count(list) > TP_LESSON_CLAIMS_MAX) {
		tp_faults_add(r->faults, list->place, "claims: [\"a.median_gbps > b.median_gbps\"]",
			      "claims: expected a list of at most %d conditions",
			      TP_LESSON_CLAIMS_MAX);
		return;
	}
	for (const struct tp_node *item = list->first; item; item = item->next)
		variant->n_claims += tp_lesson_take_expression(r, item, "claims", use,
							       &variant->claims[variant->n_claims]);
}

static bool quotes(const struct tp_quoted *text)
{
	for (size_t i = 0; i < text->n; i++)
		if (!text->pieces[i].text)
			return true;
	return false;
}

static void read_variants(struct tp_lesson_reader *r, const struct tp_node *list, size_t at)
{
	struct tp_lesson_step *step = &r->lesson->steps[at];
	const struct tp_lesson_use use = { .step = at, .values = SIZE_MAX };
	if (list->kind != TP_NODE_SEQUENCE || !list->first ||
	    tp_node_count(list) > TP_LESSON_VARIANTS_MAX) {
		tp_faults_add(r->faults, list->place,
			      "write each as \"- when: CONDITION\" and its text below",
			      "explain: expected a list of 1 to %d texts with conditions",
			      TP_LESSON_VARIANTS_MAX);
		return;
	}
	step->variants = tp_lesson_room(r, tp_node_count(list), sizeof(*step->variants));
	for (const struct tp_node *item = list->first; item && step->variants; item = item->next) {
		struct tp_variant *variant = &step->variants[step->n_variants];
		struct tp_yaml_key keys[] = { { .name = "when" },
					      { .name = "text", .required = true },
					      { .name = "claims" } };
		if (!tp_yaml_keys(r->faults, item, "a text of explain", keys, TP_COUNT_OF(keys)))
			continue;
		if (keys[0].value)
			tp_lesson_take_expression(r, keys[0].value, "when", use, &variant->when);
		if (keys[1].value)
			tp_lesson_take_quoted(r, keys[1].value, "text", use, &variant->text);
		/* A text that quotes something is passed over where that is unknown. */
		if (item->next && variant->text.text && !keys[0].given && !quotes(&variant->text))
			tp_faults_add(r->faults, item->place,
				      "give it a condition, or write it last",
				      "the texts behind this one are never shown: it has no when");
		if (keys[2].value)
			read_claims(r, keys[2].value, use, variant);
		step->n_variants++;
	}
}

static void read_next(struct tp_lesson_reader *r, const struct tp_node *node,
		      struct tp_lesson_step *step)
{
	const char *name;
	if (!tp_lesson_take_text(r, node, "next", TP_NAME_MAX - 1, false, &name))
		return;
	if (strchr(name, '/'))
		tp_faults_add(r->faults, node->place, "next: 04-vector-width, or next: end",
			      "next: \"%s\" is no name of a lesson", name);
	step->next = strcmp(name, "end") == 0 ? NULL : name;
}

static void read_step(struct tp_lesson_reader *r, const struct tp_node *node)
{
	const struct tp_node *given[KEYS];
	size_t at = r->lesson->n_steps;
	struct tp_lesson_step *step = &r->lesson->steps[at];
	const struct tp_lesson_use use = { .step = at, .values = SIZE_MAX };
	enum tp_lesson_step_kind kind;
	char where[TP_PATH_MAX];
	if (!take_keys(r, node, given, &kind))
		return;
	tp_place_text(where, sizeof(where), r->faults->name, node->place);
	*step = (struct tp_lesson_step){ .kind = kind, .name = "" };
	step->where = tp_arena_strdup(&r->lesson->arena, where);
	r->out_of_memory |= !step->where;
	r->later[at] = (struct tp_lesson_later){ .place = node->place };
	/* From here on names of the step lead to it. */
	r->lesson->n_steps++;
	if (given[TEXT] && kind != TP_STEP_TRY)
		tp_lesson_take_quoted(r, given[TEXT], "text", use, &step->text);
	switch (kind) {
	case TP_STEP_PREDICT:
	case TP_STEP_CHECK:
		tp_lesson_take_name(r, given[kind], key_names[kind], &step->name);
		step->question = tp_lesson_read_question(r, node, at, kind == TP_STEP_CHECK,
							 &given[QUESTION]);
		break;
	case TP_STEP_MEASURE:
		read_measure(r, node, given, step);
		break;
	case TP_STEP_PLOT:
		r->later[at].plot = given[PLOT];
		r->later[at].guesses = given[GUESSES];
		break;
	case TP_STEP_EXPLAIN:
		read_variants(r, given[EXPLAIN], at);
		break;
	case TP_STEP_TRY:
		read_try(r, node, given, step, use);
		break;
	case TP_STEP_NEXT:
		read_next(r, given[NEXT], step);
		break;
	case TP_STEP_TEXT:
	case TP_STEP_KIND_COUNT:
		break;
	}
}

void tp_lesson_read_steps(struct tp_lesson_reader *r, const struct tp_node *node)
{
	struct tp_lesson *lesson = r->lesson;
	size_t n = tp_node_count(node);
	if (node->kind != TP_NODE_SEQUENCE || n == 0 || n > TP_LESSON_STEPS_MAX) {
		tp_faults_add(r->faults, node->place,
			      "write each as \"- text: ...\" or of another kind",
			      "steps: expected a list of 1 to %d steps", TP_LESSON_STEPS_MAX);
		return;
	}
	lesson->steps = tp_lesson_room(r, n, sizeof(*lesson->steps));
	for (const struct tp_node *item = node->first; item && lesson->steps; item = item->next) {
		if (lesson->n_steps && lesson->steps[lesson->n_steps - 1].kind == TP_STEP_NEXT)
			tp_faults_add(r->faults, item->place, "next: is the last step",
				      "there is a step behind next");
		read_step(r, item);
	}
}
