/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the names in a lesson's expressions stand for. */
#include "lesson/lesson_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct tp_lesson_fact facts[] = {
	{ "cpu", "machine.cpu", "", true },
	{ "arch", "machine.arch", "", true },
	{ "vendor", "machine.vendor", "", true },
	{ "hypervisor", "machine.hypervisor", "", true },
	{ "model", "machine.model", "", true },
	{ "thp", "machine.thp", "", true },
	{ "governor", "machine.governor", "", true },
	{ "turbo", "machine.turbo", "", false },
	{ "packages", "machine.packages", "", false },
	{ "cores", "machine.cores", "", false },
	{ "numa_nodes", "machine.numa_nodes", "", false },
	{ "cpus", "machine.cpus", "", false },
	{ "cpus_allowed", "machine.cpus_allowed", "", false },
	{ "threads", "machine.cpus_allowed", "", false },
	{ "memory_bytes", "machine.memory_bytes", "bytes", false },
	{ "available_bytes", "machine.available_bytes", "bytes", false },
	{ "page_bytes", "machine.page_bytes", "bytes", false },
	{ "huge_page_bytes", "machine.huge_page_bytes", "bytes", false },
	{ "l1_bytes", "machine.cache.L1.size_bytes", "bytes", false },
	{ "l2_bytes", "machine.cache.L2.size_bytes", "bytes", false },
	{ "l3_bytes", "machine.cache.L3.size_bytes", "bytes", false },
	{ "line_bytes", "machine.cache.L1.line_bytes", "bytes", false },
	{ "virtual", NULL, "", false },
	{ "vector_bytes", NULL, "bytes", false },
};

const struct tp_lesson_fact *tp_lesson_fact(size_t i)
{
	return i < TP_COUNT_OF(facts) ? &facts[i] : NULL;
}

static const char *const measured[] = {
	[TP_MEASURED_POINTS] = "points", [TP_MEASURED_GOOD] = "good",
	[TP_MEASURED_FAIR] = "fair",	 [TP_MEASURED_POOR] = "poor",
	[TP_MEASURED_NOISY] = "noisy",	 [TP_MEASURED_SIMULATED] = "simulated",
};
static const char *const answered[] = {
	[TP_ANSWERED_GIVEN] = "given",
	[TP_ANSWERED_TRUTH] = "truth",
	[TP_ANSWERED_FACTOR] = "factor",
	[TP_ANSWERED_RIGHT] = "right",
};

static bool is(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && memcmp(name, text, len) == 0;
}

/* The nearest of some names to a part of a name that is none. */
struct guess {
	const char **names;
	size_t n, cap;
};

static void add_guess(struct guess *guess, const char *name)
{
	if (name && *name &&
	    tp_vec_reserve((void **)&guess->names, &guess->cap, guess->n + 1,
			   sizeof(*guess->names)) == TP_OK)
		guess->names[guess->n++] = name;
}

static bool end_guess(struct guess *guess, bool member, const char *text, size_t len,
		      struct tp_lesson_no_name *why)
{
	char typed[TP_NAME_MAX];
	if (why) {
		typed[0] = '\0';
		strncat(typed, text, TP_MIN(len, sizeof(typed) - 1));
		const char *near = tp_nearest(typed, guess->names, guess->n);
		why->member = member;
		tp_copy(why->nearest, sizeof(why->nearest), near ? near : "");
	}
	free(guess->names);
	return false;
}

static bool no_head(const struct tp_lesson *lesson, const char *text, size_t len,
		    struct tp_lesson_no_name *why)
{
	struct guess guess = { 0 };
	for (size_t i = 0; i < lesson->n_values && why; i++)
		add_guess(&guess, lesson->values[i].name);
	for (size_t i = 0; i < lesson->n_steps && why; i++) {
		add_guess(&guess, lesson->steps[i].name);
		for (size_t k = 0; k < lesson->steps[i].n_results; k++)
			add_guess(&guess, lesson->steps[i].results[k].name);
	}
	if (why)
		add_guess(&guess, "machine");
	return end_guess(&guess, false, text, len, why);
}

static bool word_member(const char *const *words, size_t n, const char *text, size_t len,
			struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	struct guess guess = { 0 };
	for (size_t i = 0; i < n; i++)
		if (is(words[i], text, len)) {
			name->index = i;
			return true;
		}
	for (size_t i = 0; i < n && why; i++)
		add_guess(&guess, words[i]);
	return end_guess(&guess, true, text, len, why);
}

static bool fact_member(const char *text, size_t len, struct tp_lesson_name *name,
			struct tp_lesson_no_name *why)
{
	const char *words[TP_COUNT_OF(facts)];
	for (size_t i = 0; i < TP_COUNT_OF(facts); i++)
		words[i] = facts[i].name;
	name->kind = TP_NAME_MACHINE;
	return word_member(words, TP_COUNT_OF(facts), text, len, name, why);
}

static bool column_member(const struct tp_lesson *lesson, const char *text, size_t len,
			  struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	const struct tp_lesson_step *step = &lesson->steps[name->step];
	struct tp_lesson_table table;
	struct guess guess = { 0 };
	char column[TP_NAME_MAX];
	if (is("found", text, len))
		return true;
	column[0] = '\0';
	strncat(column, text, TP_MIN(len, sizeof(column) - 1));
	/* A result whose table does not exist has been complained about. */
	if (!tp_lesson_table_find(step->preset, step->results[name->index].table, &table))
		return true;
	name->column = len < sizeof(column) ? tp_lesson_column(step->preset, &table, column) : NULL;
	if (name->column)
		return true;
	const char *other = "found";
	for (size_t i = 0; other && why; i++) {
		add_guess(&guess, other);
		other = tp_lesson_column_name(step->preset, &table, i);
	}
	return end_guess(&guess, true, text, len, why);
}

bool tp_lesson_name_find(const struct tp_lesson *lesson, const char *text, size_t len,
			 struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	const char *dot = memchr(text, '.', len);
	size_t head = dot ? (size_t)(dot - text) : len;
	const char *member = dot ? dot + 1 : "";
	size_t member_len = dot ? len - head - 1 : 0;
	*name = (struct tp_lesson_name){ .kind = TP_NAME_VALUE };
	for (; name->index < lesson->n_values && !dot; name->index++)
		if (is(lesson->values[name->index].name, text, len))
			return true;
	if (is("machine", text, head))
		return fact_member(member, member_len, name, why);
	for (name->step = 0; name->step < lesson->n_steps; name->step++) {
		const struct tp_lesson_step *step = &lesson->steps[name->step];
		if (is(step->name, text, head) && step->question) {
			name->kind = TP_NAME_QUESTION;
			return word_member(answered, TP_COUNT_OF(answered), member, member_len,
					   name, why);
		}
		if (is(step->name, text, head)) {
			name->kind = TP_NAME_STEP;
			return word_member(measured, TP_COUNT_OF(measured), member, member_len,
					   name, why);
		}
		name->kind = TP_NAME_RESULT;
		for (name->index = 0; name->index < step->n_results; name->index++)
			if (is(step->results[name->index].name, text, head))
				return column_member(lesson, member, member_len, name, why);
	}
	return no_head(lesson, text, head, why);
}

const char *tp_lesson_name_unit(const struct tp_lesson *lesson, const struct tp_lesson_name *name)
{
	const struct tp_question *question;
	switch (name->kind) {
	case TP_NAME_VALUE:
		return lesson->values[name->index].unit;
	case TP_NAME_RESULT:
		return name->column ? tp_lesson_column_unit(name->column) : "";
	case TP_NAME_QUESTION:
		question = lesson->steps[name->step].question;
		return question->kind == TP_ASK_NUMBER && name->index <= TP_ANSWERED_TRUTH
			       ? question->unit
			       : "";
	case TP_NAME_MACHINE:
		return facts[name->index].unit;
	case TP_NAME_STEP:
		break;
	}
	return "";
}

bool tp_lesson_name_is_word(const struct tp_lesson_name *name)
{
	return (name->kind == TP_NAME_RESULT && name->column &&
		!tp_column_is_number(name->column) && name->column->type != TP_COLUMN_BOOL) ||
	       (name->kind == TP_NAME_MACHINE && facts[name->index].word);
}
