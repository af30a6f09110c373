/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole lesson as a report, and the glossary of the course. */
#include "lesson/say_parts.h"
#include "lesson/prose.h"
#include "lesson/trust.h"
#include "base/memory.h"
#include "report/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void plain(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const struct tp_str *text)
{
	tp_prose_line(out, look, paint, tp_str_text(text));
	out->oom |= text->oom;
}

/* --- the head --- */

static const struct tp_run *any_run(const struct tp_player *player)
{
	for (size_t i = player->lesson.n_steps; i--;)
		if (tp_trust_counts(player->runs, player->lesson.n_steps, i))
			return player->runs[i];
	return NULL;
}

/* "Example CPU 9000, node7, 2026-11-23T22:40:00Z, simulated: zen4, quiet" */
static void machine(const struct tp_player *player, const struct tp_look *look, struct tp_str *out)
{
	static const char *const facts[] = { "machine.cpu", "machine.hostname", "started" };
	const struct tp_run *run = any_run(player);
	struct tp_str text = { 0 };
	char simulated[TP_SIMULATED_BYTES + 16];
	if (!run)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(facts); i++)
		if (*tp_fact_text(run, facts[i]))
			tp_str_printf(&text, "%s%s", text.len ? ", " : "",
				      tp_fact_text(run, facts[i]));
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(&text, "%s%s", text.len ? ", " : "", simulated);
	if (text.len)
		plain(out, look, TP_PAINT_DIM, &text);
	tp_str_release(&text);
}

/* How quiet the machine was, over all measurements. */
static void noise(const struct tp_player *player, const struct tp_look *look, struct tp_str *out)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_GOOD,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	static const char *const words[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "Nothing here says how quiet the machine was.",
		[TP_QUALITY_GOOD] = "The machine was quiet enough for this lesson.",
		[TP_QUALITY_FAIR] = "The machine was not always quiet: small differences mean "
				    "nothing.",
		[TP_QUALITY_POOR] = "The machine was too busy for part of this lesson.",
	};
	const struct tp_trust t = tp_lesson_trust(player);
	struct tp_str text = { 0 };
	if (!any_run(player))
		return;
	tp_str_printf(&text, "%s Points: %zu, of which %zu good, %zu fair, %zu poor.",
		      words[t.quality], t.points, t.good, t.fair, t.poor);
	plain(out, look, paints[t.quality], &text);
	tp_str_release(&text);
}

struct tp_trust tp_lesson_trust(const struct tp_player *player)
{
	struct tp_trust all = { 0 };
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		if (!tp_trust_counts(player->runs, player->lesson.n_steps, i))
			continue;
		const struct tp_trust t = tp_trust_of(player->runs[i]);
		all.points += t.points;
		all.good += t.good;
		all.fair += t.fair;
		all.poor += t.poor;
		all.quality = TP_MAX(all.quality, t.quality);
	}
	return all;
}

static void head(const struct tp_player *player, const struct tp_look *look, struct tp_str *out)
{
	const struct tp_lesson *lesson = &player->lesson;
	/* The page has the title already. */
	if (!look->html)
		tp_text_title(out, look, lesson->title);
	if (lesson->summary)
		tp_prose_line(out, look, TP_PAINT_PLAIN, lesson->summary);
	machine(player, look, out);
	noise(player, look, out);
	if (lesson->after && lesson->after[0]) {
		tp_prose_gap(out, look);
		tp_prose_line(out, look, TP_PAINT_PLAIN, "Afterwards:");
		for (size_t i = 0; lesson->after[i]; i++)
			tp_text_item(out, look, TP_PAINT_PLAIN, lesson->after[i]);
	}
}

/* --- steps --- */

/* What is right, for a question that nobody answered. */
static void answer(const struct tp_player *player, size_t at, const struct tp_look *look,
		   struct tp_str *out)
{
	const struct tp_question *q = player->lesson.steps[at].question;
	const struct tp_lesson_state state = tp_player_state(player);
	struct tp_str text = { 0 };
	char value[64];
	double truth;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		if (tp_lesson_compute(&state, q->truth, &truth))
			tp_str_printf(&text, "Answer: %s",
				      tp_lesson_format(value, sizeof(value), truth, q->unit));
		break;
	case TP_ASK_CHOICE:
		if (tp_lesson_right_choice(player, q))
			tp_str_printf(&text, "Answer: %zu", tp_lesson_right_choice(player, q));
		break;
	case TP_ASK_CURVE:
		tp_str_add(&text, "The answer is the curve that was measured.");
		break;
	}
	if (!text.len)
		tp_str_add(&text, "This machine gave no answer to it.");
	tp_prose_gap(out, look);
	plain(out, look, TP_PAINT_STRONG, &text);
	tp_str_release(&text);
}

struct plot {
	const struct tp_player *player;
	size_t step;
};

static bool pictures_of(const void *what, const struct tp_gallery *gallery)
{
	const struct plot *plot = what;
	return tp_lesson_pictures(plot->player, plot->step, gallery);
}

static void pictures(const struct tp_player *player, size_t at, const struct tp_look *look,
		     struct tp_str *out)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	const struct plot plot = { player, at };
	bool any = false;
	for (size_t i = 0; i < step->n_runs; i++)
		any |= player->runs[step->runs[i]] != NULL;
	if (any)
		tp_pictures_text(pictures_of, &plot,
				 step->n_runs == 1 ? player->runs[step->runs[0]] : NULL, look, out);
}

static void step(const struct tp_player *player, size_t at, const struct tp_look *look,
		 struct tp_str *out)
{
	static const char *const heads[TP_STEP_KIND_COUNT] = {
		[TP_STEP_PREDICT] = "Question",	 [TP_STEP_MEASURE] = "Measurement",
		[TP_STEP_PLOT] = "Picture",	 [TP_STEP_EXPLAIN] = "Explanation",
		[TP_STEP_CHECK] = "Check",	 [TP_STEP_TRY] = "To try",
		[TP_STEP_NEXT] = "How to go on",
	};
	const struct tp_lesson_step *s = &player->lesson.steps[at];
	char text[64];
	snprintf(text, sizeof(text), "%zu. %s", at + 1, heads[s->kind] ? heads[s->kind] : "Text");
	if (look->html)
		tp_text_title(out, look, text);
	else
		tp_text_head(out, look, text);
	tp_lesson_say(player, at, look, out);
	if (s->question && !tp_player_answer_of(player, at).there)
		answer(player, at, look, out);
	if (s->kind == TP_STEP_PLOT)
		pictures(player, at, look, out);
}

/* --- glossary --- */

struct terms {
	struct term {
		char *name, *meaning;
	} * items;
	size_t n, cap;
	bool oom;
};

static void add_terms(struct terms *terms, const struct tp_lesson *lesson)
{
	for (size_t i = 0; i < lesson->n_terms; i++) {
		const char *name = lesson->terms[i].name;
		size_t k = 0;
		while (k < terms->n && strcmp(terms->items[k].name, name) != 0)
			k++;
		if (k < terms->n)
			continue;
		if (tp_vec_reserve((void **)&terms->items, &terms->cap, k + 1,
				   sizeof(*terms->items)) != TP_OK) {
			terms->oom = true;
			return;
		}
		terms->items[k] = (struct term){ strdup(name), strdup(lesson->terms[i].meaning) };
		if (!terms->items[k].name || !terms->items[k].meaning) {
			free(terms->items[k].name);
			free(terms->items[k].meaning);
			terms->oom = true;
			return;
		}
		terms->n++;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct term *)a)->name, ((const struct term *)b)->name);
}

static void write_terms(struct terms *terms, const struct tp_look *look, struct tp_str *out)
{
	struct tp_str text = { 0 };
	if (terms->n)
		qsort(terms->items, terms->n, sizeof(*terms->items), by_name);
	for (size_t i = 0; i < terms->n; i++) {
		tp_str_clear(&text);
		tp_text_clean(&text, terms->items[i].name, look);
		tp_text_paint(out, look, TP_PAINT_STRONG, tp_str_text(&text));
		size_t used = tp_text_columns(tp_str_text(&text));
		tp_str_clear(&text);
		tp_text_clean(&text, terms->items[i].meaning, look);
		tp_text_paint(out, look, TP_PAINT_PLAIN, ": ");
		tp_text_wrap(out, look, TP_PAINT_PLAIN, tp_str_text(&text), used + 2, 2);
	}
	out->oom |= text.oom || terms->oom;
	tp_str_release(&text);
	for (size_t i = 0; i < terms->n; i++) {
		free(terms->items[i].name);
		free(terms->items[i].meaning);
	}
	free(terms->items);
}

void tp_lesson_glossary(const struct tp_player *player, const struct tp_look *look,
			struct tp_str *out)
{
	struct terms terms = { 0 };
	struct tp_named_file *entries = NULL;
	size_t n = 0;
	/* A term means what the lesson at hand says, whatever one before it says. */
	add_terms(&terms, &player->lesson);
	tp_lesson_entries(&entries, &n, NULL);
	for (size_t i = 0; i < n; i++) {
		struct tp_lesson before;
		struct tp_diags diags = { 0 };
		if (strcmp(entries[i].name, player->lesson.name) >= 0)
			continue;
		if (tp_lesson_load(&before, entries[i].path, NULL, &diags) == TP_OK) {
			add_terms(&terms, &before);
			tp_lesson_release(&before);
		}
		tp_diags_release(&diags);
	}
	free(entries);
	write_terms(&terms, look, out);
}

/* --- the report --- */

enum tp_status tp_lesson_report(const struct tp_player *player, const struct tp_look *look,
				struct tp_str *out)
{
	struct terms terms = { 0 };
	head(player, look, out);
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		step(player, i, look, out);
	if (player->lesson.n_terms) {
		tp_text_title(out, look, "Words of this lesson");
		add_terms(&terms, &player->lesson);
		write_terms(&terms, look, out);
	}
	return out->oom ? TP_NOMEM : TP_OK;
}
