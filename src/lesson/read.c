/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of a lesson: its head, and the whole of it. */
#include "lesson/read_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "session/session.h"

const struct tp_yaml_kind tp_lesson_yaml = {
	.files = "lessons",
	.one = "a lesson",
	.share = "lessons have no anchors: write the text again",
	.type = "write plain values without tags",
	.several = "one lesson a file",
	.form = "see tprof-lesson(5); text with : or # or { stands in quotes, or behind |",
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

/* --- the head --- */

static void read_after(struct tp_lesson_reader *r, const struct tp_node *node)
{
	if (node->kind != TP_NODE_SEQUENCE) {
		tp_faults_add(r->faults, node->place, "after: [You can ..., You know ...]",
			      "after: expected a list of sentences");
		return;
	}
	const char **sentences = tp_lesson_room(r, tp_node_count(node) + 1, sizeof(*sentences));
	size_t n = 0;
	r->lesson->after = sentences;
	for (const struct tp_node *item = node->first; item && sentences; item = item->next)
		n += tp_lesson_take_text(r, item, "after", TP_LESSON_LINE_BYTES, true,
					 &sentences[n]);
}

static void read_needs(struct tp_lesson_reader *r, const struct tp_node *node)
{
	const struct tp_lesson_use use = { .step = SIZE_MAX };
	struct tp_yaml_key keys[] = { { .name = "when", .required = true },
				      { .name = "otherwise", .required = true } };
	if (!tp_yaml_keys(r->faults, node, "needs", keys, TP_COUNT_OF(keys)))
		return;
	if (keys[0].value)
		tp_lesson_take_expression(r, keys[0].value, "when", use, &r->lesson->needs);
	if (keys[1].value)
		tp_lesson_take_text(r, keys[1].value, "otherwise", TP_LESSON_LINE_BYTES, true,
				    &r->lesson->otherwise);
}

static void read_terms(struct tp_lesson_reader *r, const struct tp_node *node)
{
	struct tp_lesson *lesson = r->lesson;
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(r->faults, node->place, "TERM: what it means",
			      "terms: expected terms with their meanings");
		return;
	}
	lesson->terms = tp_lesson_room(r, tp_node_count(node), sizeof(*lesson->terms));
	for (const struct tp_node *key = node->first; key && lesson->terms; key = key->next) {
		struct tp_lesson_term *term = &lesson->terms[lesson->n_terms];
		if (tp_yaml_twice(r->faults, node, key) || !key->value)
			continue;
		if (tp_lesson_take_text(r, key, "terms", TP_LESSON_LINE_BYTES, false,
					&term->name) &&
		    tp_lesson_take_text(r, key->value, term->name, TP_LESSON_LINE_BYTES, true,
					&term->meaning))
			lesson->n_terms++;
	}
}

static void read_value(struct tp_lesson_reader *r, const struct tp_node *key)
{
	struct tp_lesson *lesson = r->lesson;
	struct tp_lesson_value *value = &lesson->values[lesson->n_values];
	const struct tp_lesson_use use = { .step = SIZE_MAX, .values = lesson->n_values };
	struct tp_yaml_key keys[] = { { .name = "value", .required = true }, { .name = "unit" } };
	const struct tp_node *text = key->value;
	*value = (struct tp_lesson_value){ .unit = "" };
	if (!tp_lesson_take_name(r, key, "values", &value->name))
		return;
	if (text->kind == TP_NODE_MAPPING) {
		if (!tp_yaml_keys(r->faults, text, value->name, keys, TP_COUNT_OF(keys)))
			return;
		text = keys[0].value;
		if (keys[1].value)
			tp_lesson_take_unit(r, keys[1].value, &value->unit);
	}
	/* A name whose expression is wrong stays known, or whatever uses it would be told, too. */
	if (text)
		tp_lesson_take_expression(r, text, value->name, use, &value->value);
	lesson->n_values++;
}

static void read_values(struct tp_lesson_reader *r, const struct tp_node *node)
{
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_LESSON_VALUES_MAX) {
		tp_faults_add(r->faults, node->place, "ratio: l1.median_gbps / dram.median_gbps",
			      "values: expected at most %d names with expressions",
			      TP_LESSON_VALUES_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next)
		if (key->value)
			read_value(r, key);
}

/* --- the whole --- */

/* The stem of the file's name: "03-roofline". */
static void take_file_name(struct tp_lesson *lesson, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	size_t stem = tp_named_stem(file);
	if (!stem)
		stem = strlen(file);
	tp_copy(lesson->path, sizeof(lesson->path), path);
	tp_shown(lesson->name, sizeof(lesson->name), file, TP_MIN(stem, sizeof(lesson->name) - 1));
}

static void read_root(struct tp_lesson_reader *r, const struct tp_node *root)
{
	enum { LESSON, TITLE, SUMMARY, AFTER, NEEDS, TERMS, VALUES, STEPS, KEYS };
	struct tp_lesson *lesson = r->lesson;
	struct tp_yaml_key keys[KEYS] = { [LESSON] = { .name = "lesson", .required = true },
					  [TITLE] = { .name = "title", .required = true },
					  [SUMMARY] = { .name = "summary", .required = true },
					  [AFTER] = { .name = "after" },
					  [NEEDS] = { .name = "needs" },
					  [TERMS] = { .name = "terms" },
					  [VALUES] = { .name = "values" },
					  [STEPS] = { .name = "steps", .required = true } };
	if (!tp_yaml_keys(r->faults, root, "a lesson", keys, KEYS))
		return;
	if (keys[LESSON].value && !tp_node_is(keys[LESSON].value, "1"))
		tp_faults_add(r->faults, keys[LESSON].value->place, "lesson: 1",
			      "lesson: this version of tprof reads version 1 of the format");
	if (keys[TITLE].value)
		tp_lesson_take_text(r, keys[TITLE].value, "title", TP_LESSON_LINE_BYTES / 4, false,
				    &lesson->title);
	if (keys[SUMMARY].value)
		tp_lesson_take_text(r, keys[SUMMARY].value, "summary", TP_LESSON_LINE_BYTES, true,
				    &lesson->summary);
	if (keys[AFTER].value)
		read_after(r, keys[AFTER].value);
	if (keys[NEEDS].value)
		read_needs(r, keys[NEEDS].value);
	if (keys[TERMS].value)
		read_terms(r, keys[TERMS].value);
	if (keys[VALUES].value)
		read_values(r, keys[VALUES].value);
	if (keys[STEPS].value)
		tp_lesson_read_steps(r, keys[STEPS].value);
	/* Of what broke off, half is not known. */
	if (root->closed) {
		tp_lesson_link(r);
		tp_lesson_check_uses(r);
	}
}

/* --set of an option that no preset of the lesson uses. */
static void check_sets(struct tp_lesson_reader *r)
{
	const struct tp_preset *presets[TP_LESSON_STEPS_MAX];
	size_t n = 0;
	for (size_t i = 0; i < r->lesson->n_steps; i++)
		if (r->lesson->steps[i].preset)
			presets[n++] = r->lesson->steps[i].preset;
	if (r->overrides)
		tp_preset_check_sets(presets, n, r->overrides->sets, r->overrides->n, r->diags);
}

/* What every preset of the lesson complains about, such as --set, is told once. */
static void add_new(struct tp_diags *diags, size_t from, const struct tp_diag *diag)
{
	for (size_t i = from; i < diags->n; i++)
		if (strcmp(diags->items[i].where, diag->where) == 0 &&
		    strcmp(diags->items[i].what, diag->what) == 0)
			return;
	tp_diags_add(diags, diag);
}

static enum tp_status take(struct tp_lesson_reader *r, const char *name, const char *text,
			   size_t len, struct tp_diags *diags)
{
	struct tp_node *root;
	take_file_name(r->lesson, name);
	static const char *const nothing[] = { NULL };
	r->lesson->after = nothing;
	r->lesson->title = r->lesson->summary = "";
	enum tp_status status =
		tp_yaml_read(text, len, &tp_lesson_yaml, &r->lesson->arena, &root, r->faults);
	if (status != TP_OK)
		return status;
	if (!root && !tp_faults_count(r->faults))
		tp_faults_add(r->faults, (struct tp_place){ 1, 1 }, "see tprof-lesson(5)",
			      "the lesson is empty");
	if (root)
		read_root(r, root);
	bool clean = !tp_faults_count(r->faults) && !r->diags->n;
	if (clean)
		check_sets(r);
	size_t before = diags->n;
	tp_faults_flush(r->faults, diags);
	for (size_t i = 0; i < r->diags->n; i++)
		add_new(diags, before, &r->diags->items[i]);
	return r->out_of_memory ? TP_NOMEM : diags->n > before ? TP_USAGE : TP_OK;
}

enum tp_status tp_lesson_parse(struct tp_lesson *lesson, const char *name, const char *text,
			       size_t len, const struct tp_overrides *overrides,
			       struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	struct tp_diags beside = { 0 };
	struct tp_diag diag;
	*lesson = (struct tp_lesson){ 0 };
	struct tp_lesson_reader *r = calloc(1, sizeof(*r));
	enum tp_status status = TP_NOMEM;
	if (r) {
		r->lesson = lesson;
		r->faults = &faults;
		r->diags = &beside;
		r->overrides = overrides;
		status = take(r, name, text, len, diags);
		free(r->uses);
		free(r->taken);
	}
	free(r);
	tp_faults_flush(&faults, diags); /* those that were there when memory ran out */
	tp_diags_release(&beside);
	if (status == TP_NOMEM) {
		tp_fail(&diag, status, name, NULL, "out of memory");
		tp_diags_add(diags, &diag);
	}
	if (status != TP_OK)
		tp_lesson_release(lesson);
	return status;
}

enum tp_status tp_lesson_load(struct tp_lesson *lesson, const char *path,
			      const struct tp_overrides *overrides, struct tp_diags *diags)
{
	struct tp_diag diag;
	char *text = NULL;
	size_t len = 0;
	*lesson = (struct tp_lesson){ 0 };
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status = tp_lesson_parse(lesson, path, text, len, overrides, diags);
	free(text);
	return status;
}

void tp_lesson_release(struct tp_lesson *lesson)
{
	for (size_t i = 0; i < lesson->n_steps; i++)
		if (lesson->steps[i].preset)
			tp_preset_release(lesson->steps[i].preset);
	tp_arena_release(&lesson->arena);
	*lesson = (struct tp_lesson){ 0 };
}
