/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lessons by name, the user's own before the shipped ones; and remarks for --check. */
#include "lesson/lesson.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "lesson/names.h"
#include "schema/yaml.h"

const struct tp_yaml_kind tp_lesson_yaml = {
	.files = "lessons",
	.one = "a lesson",
	.share = "lessons have no anchors: write the text again",
	.type = "write plain values without tags",
	.several = "one lesson a file",
	.form = "see tprof-lesson(5); text with : or # or { goes in quotes, or after |",
	.too_long = "split it into two lessons",
};

const char *tp_step_kind_name(enum tp_lesson_step_kind kind)
{
	static const char *const names[] = {
		[TP_STEP_TEXT] = "text",       [TP_STEP_PREDICT] = "predict",
		[TP_STEP_MEASURE] = "measure", [TP_STEP_PLOT] = "plot",
		[TP_STEP_EXPLAIN] = "explain", [TP_STEP_CHECK] = "check",
		[TP_STEP_TRY] = "try",	       [TP_STEP_NEXT] = "next",
	};
	return names[kind];
}

void tp_lesson_release(struct tp_lesson *lesson)
{
	for (size_t i = 0; i < lesson->n_steps; i++)
		if (lesson->steps[i].preset)
			tp_preset_release(lesson->steps[i].preset);
	tp_arena_release(&lesson->arena);
	*lesson = (struct tp_lesson){ 0 };
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &tp_lesson_yaml, "title", NULL, out, size);
}

bool tp_lesson_is(const char *path)
{
	struct tp_faults unseen = { .name = path };
	TP_CLEANUP(tp_diags_release) struct tp_diags ignored = { 0 };
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_node *root = NULL;
	TP_FREE char *text = NULL;
	size_t len = 0;
	if (tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return false;
	tp_yaml_read(text, len, &tp_lesson_yaml, &arena, &root, &unseen);
	bool is = tp_node_value(root, "lesson");
	tp_faults_flush(&unseen, &ignored);
	return is;
}

static const struct tp_named_kind lessons = {
	.what = "lessons",
	.folders = { { tp_path_user_config, "presets/lessons" },
		     { tp_path_user_data, "presets/lessons" },
		     { tp_path_data, "presets/lessons" } },
	.name_bytes = sizeof(((struct tp_named_file *)0)->name),
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_title,
};

enum tp_status tp_lesson_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&lessons, entries, n, diag);
}

enum tp_status tp_lesson_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	static const char folder[] = "lessons/";
	const char *name = typed;
	char shown[128], hint[160], near[TP_NAME_MAX];
	if (tp_is_file(typed)) {
		if (!tp_copy(out, TP_PATH_MAX, typed))
			return tp_fail(diag, TP_USAGE, NULL, NULL, "path too long");
		return TP_OK;
	}
	if (strncmp(name, folder, strlen(folder)) == 0)
		name += strlen(folder);
	size_t len = tp_named_stem(name);
	if (!len)
		len = strlen(name);
	/* A name must not lead out of the folders of lessons. */
	if (len && len < lessons.name_bytes && !strchr(name, '/') &&
	    tp_named_find(&lessons, name, len, out))
		return TP_OK;
	tp_named_guess(&lessons, name, NULL, near, NULL);
	if (*near)
		snprintf(hint, sizeof(hint), "did you mean %s? see --list lessons", near);
	else
		snprintf(hint, sizeof(hint), "give a path or a name of --list lessons");
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "no such file, and no lesson has that name");
}

/* What the expressions and steps of a lesson name. */
struct seen {
	const struct tp_lesson *lesson;
	bool values[TP_LESSON_VALUES_MAX];
	bool results[TP_LESSON_STEPS_MAX][TP_LESSON_RESULTS_MAX];
	bool steps[TP_LESSON_STEPS_MAX]; /* of measurements and questions */
};

static void see(struct seen *seen, const struct tp_expression *e)
{
	for (unsigned i = 0; e && i < e->n_names; i++) {
		struct tp_lesson_name name;
		if (!tp_lesson_name_find(seen->lesson, e->names[i].text, e->names[i].len, &name,
					 NULL))
			continue;
		if (name.kind == TP_NAME_VALUE)
			seen->values[name.index] = true;
		else if (name.kind == TP_NAME_RESULT)
			seen->results[name.step][name.index] = true;
		if (name.kind != TP_NAME_VALUE && name.kind != TP_NAME_MACHINE)
			seen->steps[name.step] = true;
	}
}

static void see_text(struct seen *seen, const struct tp_quoted *text)
{
	for (size_t i = 0; i < text->n; i++)
		see(seen, text->pieces[i].value);
}

static void see_step(struct seen *seen, const struct tp_lesson_step *step)
{
	see_text(seen, &step->text);
	if (step->question) {
		const struct tp_question *q = step->question;

		see_text(seen, &q->text);
		see_text(seen, &q->hint);
		see(seen, q->truth);
		for (size_t i = 0; i < q->n_choices; i++) {
			see_text(seen, &q->choices[i].text);
			see(seen, q->choices[i].when);
		}
		if (q->kind == TP_ASK_CURVE)
			seen->steps[q->of] = true;
	}
	for (size_t i = 0; i < step->n_runs; i++)
		seen->steps[step->runs[i]] = true;
	for (size_t i = 0; i < step->n_guesses; i++)
		seen->steps[step->guesses[i]] = true;
	for (size_t i = 0; i < step->n_variants; i++) {
		see(seen, step->variants[i].when);
		see_text(seen, &step->variants[i].text);
		for (size_t k = 0; k < step->variants[i].n_claims; k++)
			see(seen, step->variants[i].claims[k]);
	}
}

/* The values that used values use, too. */
static void see_through(struct seen *seen)
{
	for (size_t i = seen->lesson->n_values; i-- > 0;)
		if (seen->values[i])
			see(seen, seen->lesson->values[i].value);
}

/* --- questions --- */

/* True if a text after the question depends on its answer. */
static bool is_explained(const struct tp_lesson *lesson, size_t at)
{
	const struct tp_question *q = lesson->steps[at].question;
	struct seen told = { .lesson = lesson }, asked = { .lesson = lesson };
	bool common = false;
	for (size_t i = at + 1; i < lesson->n_steps; i++)
		if (!lesson->steps[i].question)
			see_step(&told, &lesson->steps[i]);
	see_through(&told);
	see(&asked, q->truth);
	for (size_t i = 0; i < q->n_choices; i++)
		see(&asked, q->choices[i].when);
	if (q->kind == TP_ASK_CURVE)
		common = told.steps[q->of];
	see_through(&asked);
	for (size_t i = 0; i < lesson->n_values; i++)
		common |= told.values[i] && asked.values[i];
	for (size_t i = 0; i < lesson->n_steps; i++)
		for (size_t k = 0; k < lesson->steps[i].n_results; k++)
			common |= told.results[i][k] && asked.results[i][k];
	return common || told.steps[at];
}

/* --- terms --- */

/* The length of `word` at the beginning of a text, 0 if it is not there. Blanks are alike. */
static size_t begins(const char *text, const char *word)
{
	const char *at = text;
	for (; *word; word++, at++) {
		if (!isspace((unsigned char)*word)) {
			if (tolower((unsigned char)*at) != tolower((unsigned char)*word))
				return 0;
			continue;
		}
		if (!isspace((unsigned char)*at))
			return 0;
		while (isspace((unsigned char)at[1]))
			at++;
	}
	return (size_t)(at - text);
}

static bool holds_word(const char *text, const char *word)
{
	for (const char *at = text; at && *at; at++) {
		size_t len = begins(at, word);
		if (len && (at == text || !isalnum((unsigned char)at[-1])) &&
		    (!isalnum((unsigned char)at[len]) || at[len] == 's'))
			return true;
	}
	return false;
}

static bool is_said(const struct tp_lesson *lesson, const char *word)
{
	bool said = holds_word(lesson->title, word) || holds_word(lesson->summary, word);
	for (size_t i = 0; i < lesson->n_steps; i++) {
		const struct tp_lesson_step *step = &lesson->steps[i];
		const struct tp_question *q = step->question;
		said |= holds_word(step->text.text, word);
		for (size_t k = 0; k < step->n_variants; k++)
			said |= holds_word(step->variants[k].text.text, word);
		if (q)
			said |= holds_word(q->text.text, word) || holds_word(q->hint.text, word);
		for (size_t k = 0; q && k < q->n_choices; k++)
			said |= holds_word(q->choices[k].text.text, word);
	}
	for (size_t i = 0; lesson->after[i]; i++)
		said |= holds_word(lesson->after[i], word);
	/* One term may explain another. */
	for (size_t i = 0; i < lesson->n_terms; i++)
		said |= holds_word(lesson->terms[i].meaning, word);
	return said;
}

/* --- remarks --- */

static void remark(struct tp_diags *remarks, const char *where, const char *hint, const char *kind,
		   const char *name, const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, TP_OK, where, hint, "%s %s %s", kind, name, what);
	tp_diags_add(remarks, &diag);
}

static void remark_step(const struct seen *seen, size_t at, struct tp_diags *remarks)
{
	const struct tp_lesson_step *step = &seen->lesson->steps[at];
	char path[TP_PATH_MAX];
	if (step->kind == TP_STEP_MEASURE && !seen->steps[at])
		remark(remarks, step->where, "plot it, explain it, or leave it out",
		       "the measurement", step->name, "is never used");
	/* The answer to a check is judged at once. */
	if (step->kind == TP_STEP_PREDICT && !is_explained(seen->lesson, at))
		remark(remarks, step->where,
		       "quote its .factor or what it is about, or draw it in a plot",
		       "the question", step->name, "is never explained");
	for (size_t i = 0; i < step->n_results; i++)
		if (!seen->results[at][i])
			remark(remarks, step->where, NULL, "the result", step->results[i].name,
			       "is never used");
	if (step->kind == TP_STEP_NEXT && step->next &&
	    tp_lesson_find(step->next, path, NULL) != TP_OK)
		remark(remarks, step->where, "see --list lessons", "next: the lesson", step->next,
		       "does not exist here");
}

void tp_lesson_remarks(const struct tp_lesson *lesson, struct tp_diags *remarks)
{
	struct seen seen = { .lesson = lesson };
	see(&seen, lesson->needs);
	for (size_t i = 0; i < lesson->n_steps; i++)
		see_step(&seen, &lesson->steps[i]);
	see_through(&seen);
	for (size_t i = 0; i < lesson->n_terms; i++)
		if (!is_said(lesson, lesson->terms[i].name))
			remark(remarks, lesson->path, NULL, "the term", lesson->terms[i].name,
			       "is in no text");
	for (size_t i = 0; i < lesson->n_values; i++)
		if (!seen.values[i])
			remark(remarks, lesson->path, NULL, "the value", lesson->values[i].name,
			       "is never used");
	for (size_t i = 0; i < lesson->n_steps; i++)
		remark_step(&seen, i, remarks);
}
