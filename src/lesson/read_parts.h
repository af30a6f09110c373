/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that read a lesson. Private to this room. */
#ifndef TPROF_LESSON_READ_PARTS_H
#define TPROF_LESSON_READ_PARTS_H

#include "lesson/lesson_parts.h"

enum {
	TP_LESSON_LINE_BYTES = 400, /* titles, terms, sentences */
	TP_LESSON_TEXT_BYTES = 6000 /* of a step */
};

/*
 * An expression, whose names can be judged only when the whole lesson is read: it may use what is
 * known before a step, or anything.
 */
struct tp_lesson_use {
	const struct tp_expression *expression;
	struct tp_place place;
	size_t step; /* uses what steps before it know; SIZE_MAX: all of them */
	bool own; /* and the answer to its own question */
	size_t values; /* how many of the lesson's values there are for it */
	const char **unit; /* gets the unit of a name that stands alone; NULL: not wanted */
	bool quoted; /* its value may be a word */
};

/* What of a step is read when all other steps are known. */
struct tp_lesson_later {
	const struct tp_node *plot, *guesses, *curve;
	struct tp_place place;
};

struct tp_lesson_reader {
	struct tp_lesson *lesson;
	struct tp_faults *faults;
	struct tp_diags *diags; /* of what is no part of the file */
	const struct tp_overrides *overrides;
	struct tp_lesson_use *uses;
	size_t n_uses, cap_uses;
	struct tp_lesson_taken {
		const char *name;
		unsigned line;
	} * taken; /* names that are given */
	size_t n_taken, cap_taken;
	struct tp_lesson_later later[TP_LESSON_STEPS_MAX];
	size_t values_from[TP_LESSON_VALUES_MAX]; /* the first step that may use a value */
	bool out_of_memory;
};

/* --- read_values.c: what each function takes goes to `out`, or a complaint and false --- */

/* Text of one line, or of several (`lines`). */
bool tp_lesson_take_text(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			 size_t most_bytes, bool lines, const char **out);
/* A name, which nothing else in the lesson has. */
bool tp_lesson_take_name(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			 const char **out);
/* `use` says who uses it, its expression and place are filled in. */
bool tp_lesson_take_expression(struct tp_lesson_reader *r, const struct tp_node *node,
			       const char *key, struct tp_lesson_use use,
			       const struct tp_expression **out);
bool tp_lesson_take_unit(struct tp_lesson_reader *r, const struct tp_node *node, const char **out);
/* A number of that unit. */
bool tp_lesson_take_number(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			   const char *unit, double *out);
bool tp_lesson_take_quoted(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			   struct tp_lesson_use use, struct tp_quoted *out);
/* quoted.c: `text` is borrowed. */
bool tp_lesson_quote(struct tp_lesson_reader *r, struct tp_place place, const char *text,
		     struct tp_lesson_use use, struct tp_quoted *out);
/* Reads an expression whose text is borrowed. */
const struct tp_expression *tp_lesson_expression(struct tp_lesson_reader *r, struct tp_place place,
						 const char *text, struct tp_lesson_use use);
/* Zeroed memory of the lesson; NULL sets out_of_memory. */
void *tp_lesson_room(struct tp_lesson_reader *r, size_t n, size_t size_bytes);

/* --- read_steps.c, read_question.c, read_results.c --- */

void tp_lesson_read_steps(struct tp_lesson_reader *r, const struct tp_node *node);
/*
 * Of a step predict or check: its keys from `question` to `curve`, in the order of read_steps.c,
 * NULL where they are not given.
 */
struct tp_question *tp_lesson_read_question(struct tp_lesson_reader *r, const struct tp_node *node,
					    size_t step, bool check, const struct tp_node **given);
void tp_lesson_read_results(struct tp_lesson_reader *r, const struct tp_node *node,
			    struct tp_lesson_step *step);
struct tp_condition *tp_lesson_read_where(struct tp_lesson_reader *r, const struct tp_node *node,
					  const struct tp_preset *preset,
					  const struct tp_lesson_table *table, size_t *n);
/* The column that a scalar names, NULL after a complaint. */
const struct tp_column *tp_lesson_take_column(struct tp_lesson_reader *r,
					      const struct tp_node *node, const char *text,
					      const struct tp_preset *preset,
					      const struct tp_lesson_table *table);

/* --- read_links.c: once all steps are read --- */

void tp_lesson_link(struct tp_lesson_reader *r);
void tp_lesson_check_uses(struct tp_lesson_reader *r);

#endif
