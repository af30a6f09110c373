/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts with domains: what isl is asked, and its places as places of the document. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "pattern/pattern_parts.h"

/* The texts of a question, with constants for the parameters that are none of isl's. */
struct question {
	const struct tp_pattern_config *configuration;
	const struct tp_pattern_part *part;
	struct tp_str domain, context, schedule[TP_PATTERN_RELATIONS_MAX];
	const char *relations[TP_PATTERN_RELATIONS_MAX];
	struct tp_str accessed[TP_POLY_ACCESSES_MAX];
	struct tp_poly_access accesses[TP_POLY_ACCESSES_MAX];
	struct tp_poly_input input;
};

static struct question *question_new(const struct tp_pattern_config *c,
				     const struct tp_pattern_part *part, bool first_only)
{
	const struct tp_pattern *p = c->pattern;
	struct question *q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->configuration = c;
	q->part = part;
	tp_pattern_settle(c, part->domain.text, &q->domain);
	if (p->context.text)
		tp_pattern_settle(c, p->context.text, &q->context);
	for (size_t i = 0; i < part->n_schedule; i++) {
		tp_pattern_settle(c, part->schedule[i].text, &q->schedule[i]);
		q->relations[i] = tp_str_text(&q->schedule[i]);
	}
	const char *pragma = first_only ? "" : tp_pattern_config_pragma(c);
	q->input = (struct tp_poly_input){
		.domain = tp_str_text(&q->domain),
		.schedule = q->relations,
		.n_schedule = first_only ? TP_MIN(part->n_schedule, (size_t)1) : part->n_schedule,
		.context = p->context.text ? tp_str_text(&q->context) : NULL,
		.accesses = q->accesses,
		.parallel_depth = *pragma ? part->parallel : TP_POLY_SERIAL,
		.parallel_pragma = *pragma ? pragma : NULL,
		.duplicates = p->duplicates,
	};
	return q;
}

static void question_free(struct question *q)
{
	tp_str_release(&q->domain);
	tp_str_release(&q->context);
	for (size_t i = 0; i < TP_PATTERN_RELATIONS_MAX; i++)
		tp_str_release(&q->schedule[i]);
	for (size_t i = 0; i < TP_POLY_ACCESSES_MAX; i++)
		tp_str_release(&q->accessed[i]);
	free(q);
}

/* The diagnosis gets the place in the document; lines of a text count from its own. */
static void place_of(const struct question *q, const struct tp_poly_place *at, struct tp_diag *diag)
{
	const struct tp_pattern *p = q->configuration->pattern;
	struct tp_place place = q->part->domain.place;
	if (at->text == TP_POLY_TEXT_SCHEDULE && at->index < q->part->n_schedule)
		place = q->part->schedule[at->index].place;
	if (at->text == TP_POLY_TEXT_CONTEXT)
		place = p->context.place;
	if (at->line > 1)
		place = (struct tp_place){ place.line + at->line - 1, 0 };
	tp_place_text(diag->where, sizeof(diag->where), p->path, place);
}

/*
 * The loops with a wish to unroll the innermost ones: their bodies are short, and the end of a loop
 * costs as much as an element. OpenMP allows no such line before a loop that is shared.
 */
static void add_unrolled(const char *loops, struct tp_str *out)
{
	while (*loops) {
		size_t blanks = strspn(loops, " "), len = strcspn(loops, "\n");
		const char *next = loops + len + (loops[len] == '\n');
		bool opens = strncmp(loops + blanks, "for (", 5) == 0;
		bool inner = opens && strncmp(next + strspn(next, " "), "for (", 5) != 0;
		if (inner)
			tp_str_printf(out, "%.*s#pragma GCC unroll 16\n", (int)blanks, loops);
		tp_str_add_n(out, loops, (size_t)(next - loops));
		loops = next;
	}
}

enum tp_status tp_pattern_part_loops(const struct tp_pattern_config *c,
				     const struct tp_pattern_part *part, bool first_only,
				     struct tp_str *out, struct tp_diag *diag)
{
	struct question *q = question_new(c, part, first_only);
	struct tp_poly_answers answers = { 0 };
	struct tp_poly_place place = { 0 };
	struct tp_diag why;
	if (!q)
		return TP_NOMEM;
	enum tp_status status = tp_poly_examine(&q->input, TP_POLY_LOOPS, &answers, &place, &why);
	if (status == TP_OK) {
		if (first_only || *tp_pattern_config_pragma(c))
			tp_str_add(out, tp_str_text(&answers.loops));
		else
			add_unrolled(tp_str_text(&answers.loops), out);
		tp_str_add(out, "\n");
	} else if (diag) {
		*diag = why;
		place_of(q, &place, diag);
	}
	tp_poly_answers_release(&answers);
	question_free(q);
	return status;
}

enum tp_status tp_pattern_count(const struct tp_pattern_config *c, double *instances,
				struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_poly_value values[TP_PATTERN_PARAMETERS_MAX + 2];
	struct tp_poly_place place = { 0 };
	size_t n = 0;
	uint64_t found = 0, runs;
	struct tp_diag why;
	for (size_t i = 0; i < p->n_parameters; i++)
		if (p->parameters[i].runtime)
			values[n++] = (struct tp_poly_value){ p->parameters[i].name,
							      tp_pattern_config_value(c, i) };
	values[n++] = (struct tp_poly_value){ "threads", c->threads };
	values[n++] = (struct tp_poly_value){ "t", 0 };
	struct question *q = question_new(c, &p->run, true);
	if (!q)
		return TP_NOMEM;
	enum tp_status status = tp_poly_count(&q->input, values, n, &found, &runs, &place, &why);
	*instances = (double)found;
	if (status != TP_OK && diag) {
		*diag = why;
		place_of(q, &place, diag);
	}
	question_free(q);
	return status;
}

/* --- legality --- */

/* True if the map of an array has that name in it. */
static bool names(const struct tp_pattern_array *a, const char *name)
{
	for (size_t i = 0; i < a->n_map; i++)
		for (const char *at = a->map[i].text; *at;) {
			size_t id = tp_identifier_length(at);
			if (id && strlen(name) == id && memcmp(at, name, id) == 0)
				return true;
			at += id ? id : 1;
		}
	return false;
}

/* "[n] -> { S[i, j] -> a[i - 1, j] }" */
static void add_relation(const struct tp_pattern_config *c, const struct tp_pattern_statement *s,
			 const struct tp_pattern_access *access, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	static const char *const both[] = { "t", "threads" };
	const struct tp_pattern_array *a = access->array;
	struct tp_str text = { 0 };
	/* Only what the texts name: isl tells the value of each with an instance. */
	const char *joint = "[";
	for (size_t i = 0; i < TP_COUNT_OF(both); i++)
		if (names(a, both[i])) {
			tp_str_printf(&text, "%s%s", joint, both[i]);
			joint = ", ";
		}
	for (size_t i = 0; i < p->n_parameters; i++)
		if (p->parameters[i].runtime) {
			tp_str_printf(&text, "%s%s", joint, p->parameters[i].name);
			joint = ", ";
		}
	tp_str_add(&text, *joint == '[' ? "[" : "");
	tp_str_printf(&text, "] -> { %s[", s->name);
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(&text, "%s%s", i ? ", " : "", s->formals[i]);
	tp_str_printf(&text, "] -> %s[", a->name);
	for (size_t m = 0; m < a->n_map; m++) {
		tp_str_add(&text, m ? ", " : "");
		for (const char *at = a->map[m].text; *at;) {
			size_t id = tp_identifier_length(at), formal = 0;
			while (id && formal < a->n_formals &&
			       (strlen(a->formals[formal]) != id ||
				memcmp(a->formals[formal], at, id) != 0))
				formal++;
			if (id && formal < a->n_formals)
				tp_str_printf(&text, "(%s)", access->arguments[formal]);
			else
				tp_str_add_n(&text, at, id ? id : 1);
			at += id ? id : 1;
		}
	}
	tp_str_add(&text, "] }");
	tp_pattern_settle(c, tp_str_text(&text), out);
	tp_str_release(&text);
}

static enum tp_status add_accesses(struct question *q, const struct tp_pattern_statement *s,
				   struct tp_diag *diag)
{
	const struct tp_pattern_config *c = q->configuration;
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	struct tp_arena arena = { 0 };
	struct tp_str code = { 0 };
	size_t n = 0;
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	if (status == TP_OK)
		status = tp_pattern_accesses(c->pattern, s, tp_str_text(&code), &arena, accesses,
					     &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		for (int write = 0; write < 2; write++) {
			size_t k = q->input.n_accesses;
			if (!(write ? accesses[i].write : accesses[i].read))
				continue;
			if (k == TP_POLY_ACCESSES_MAX) {
				status = tp_pattern_fail(c->pattern, TP_RESOURCE, s->place, NULL,
							 diag, "too many accesses to be checked");
				break;
			}
			add_relation(c, s, &accesses[i], &q->accessed[k]);
			q->accesses[k] =
				(struct tp_poly_access){ write, tp_str_text(&q->accessed[k]) };
			q->input.n_accesses++;
		}
	tp_arena_release(&arena);
	tp_str_release(&code);
	return status;
}

enum tp_status tp_pattern_legal(const struct tp_pattern_config *c, bool *legal, struct tp_str *why,
				struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_poly_answers answers = { 0 };
	struct tp_poly_place place = { 0 };
	struct tp_diag failure;
	*legal = true;
	if (!p->run.domain.text || p->duplicates) {
		tp_str_add(why, p->duplicates ? "points are repeated on purpose"
					      : "the loops are C code");
		return TP_OK;
	}
	struct question *q = question_new(c, &p->run, false);
	if (!q)
		return TP_NOMEM;
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++)
		status = add_accesses(q, &p->statements[i], diag);
	if (status != TP_OK) {
		question_free(q);
		return status;
	}
	status = tp_poly_examine(&q->input, TP_POLY_LEGAL | TP_POLY_PARALLEL, &answers, &place,
				 &failure);
	if (status == TP_OK) {
		*legal = answers.legal && answers.parallel;
		tp_str_add(why, !answers.legal	    ? tp_str_text(&answers.why_illegal)
				: !answers.parallel ? tp_str_text(&answers.why_serial)
						    : "");
	} else if (place.text == TP_POLY_TEXT_ACCESS || status == TP_UNSUPPORTED ||
		   status == TP_RESOURCE) {
		tp_str_printf(why, "isl cannot tell: %s", failure.what);
		status = TP_OK;
	} else if (diag) {
		*diag = failure;
		place_of(q, &place, diag);
	}
	tp_poly_answers_release(&answers);
	question_free(q);
	return status;
}
