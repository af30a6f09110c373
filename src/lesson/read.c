/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of a lesson. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "lesson/names.h"
#include "record/schema.h"
#include "session/session.h"
#include "schema/fields.h"

enum {
	LINE_BYTES = 400, /* titles, terms, sentences */
	TEXT_BYTES = 6000 /* of a step */
};

/*
 * An expression, whose names can be judged only when the whole lesson is read: it may use what is
 * known before a step, or anything.
 */
struct use {
	const struct tp_expression *expression;
	struct tp_place place;
	size_t step; /* uses names of earlier steps; SIZE_MAX: of all */
	bool own; /* and the answer to its own question */
	size_t values; /* how many of the lesson's values there are for it */
	const char **unit; /* gets the unit of a single name; NULL: not requested */
	bool quoted; /* its value may be a word */
};

/* What of a step is read when all other steps are known. */
struct later {
	const struct tp_node *plot, *guesses, *curve;
	struct tp_place place;
};

struct reader {
	struct tp_reader in;
	struct tp_lesson *lesson;
	struct tp_diags *diags; /* of what is not a part of the file */
	const struct tp_overrides *overrides;
	struct use *uses;
	size_t n_uses, cap_uses;
	struct taken {
		const char *name;
		unsigned line;
	} * taken; /* names that are given */
	size_t n_taken, cap_taken;
	struct later later[TP_LESSON_STEPS_MAX];
	size_t values_from[TP_LESSON_VALUES_MAX]; /* the first step that may use a value */
	struct use use; /* of the expressions that are read now */
	/* What the columns belong to that are read now; no name: the table is not known. */
	const struct tp_preset *preset;
	struct tp_lesson_table table;
};

/* --- single values: texts, names, numbers, expressions --- */

/* Zeroed memory of the lesson. */
static void *lesson_alloc(struct reader *r, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&r->lesson->arena, (n ? n : 1) * size_bytes);
}

static const char text_hint[] = "text with : or # or { goes in quotes, or after |";

/* Text of one line, or of several (`lines`). Also false without a node. */
static bool take_text(struct reader *r, const struct tp_node *node, const char *key,
		      size_t most_bytes, bool lines, const char **out)
{
	const struct tp_field field = {
		.key = key, .most = (double)most_bytes, .lines = lines, .hint = text_hint
	};
	return node && tp_kind_text.read(&r->in, &field, node, out);
}

static bool is_reserved(const char *name)
{
	static const char *const words[] = { "machine", "and", "or", "not" };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

/* A name that is unique in the lesson. */
static bool take_name(struct reader *r, const struct tp_node *node, const char *key,
		      const char **out)
{
	char shown[80];
	const char *name;
	if (!take_text(r, node, key, LINE_BYTES, false, &name))
		return false;
	size_t len = strlen(name);
	if (tp_identifier_length(name) != len || len >= TP_NAME_MAX || is_reserved(name))
		return tp_faults_add(r->in.faults, node->place,
				     is_reserved(name)
					     ? "choose another word"
					     : "letters, digits and _, with a letter in front",
				     "%s: \"%s\" cannot be a name", key,
				     tp_shown(shown, sizeof(shown), name, len));
	for (size_t i = 0; i < r->n_taken; i++)
		if (strcmp(r->taken[i].name, name) == 0)
			return tp_faults_add(
				r->in.faults, node->place,
				"results, questions, measurements and values have one set "
				"of names",
				"%s: the name %s is given twice; first in line %u", key, name,
				r->taken[i].line);
	TP_RESERVE(r->taken, r->cap_taken, r->n_taken + 1);
	r->taken[r->n_taken++] = (struct taken){ name, node->place.line };
	*out = name;
	return true;
}

/* Reads an expression whose text is borrowed. */
static const struct tp_expression *add_expression(struct reader *r, struct tp_place place,
						  const char *text, struct use use)
{
	TP_FREE struct tp_expression *read = tp_alloc(1, sizeof(*read));
	struct tp_diag diag;
	if (tp_expression_read(read, text, &diag) != TP_OK) {
		tp_faults_add(r->in.faults, place, diag.hint, "%s", diag.what);
		return NULL;
	}
	/* A lesson has hundreds of them: only the steps that there are. */
	size_t bytes = offsetof(struct tp_expression, steps) +
		       (read->n_steps ? read->n_steps : 1) * sizeof(*read->steps);
	struct tp_expression *kept = lesson_alloc(r, 1, bytes);
	memcpy(kept, read, bytes);
	use.expression = kept;
	use.place = place;
	TP_RESERVE(r->uses, r->cap_uses, r->n_uses + 1);
	r->uses[r->n_uses++] = use;
	return kept;
}

/* The text between two braces, without the unit after a bar, which is written to *unit. */
static char *take_inner(struct reader *r, struct tp_place place, const char *from, size_t len,
			const char **unit)
{
	char *text = tp_arena_strndup(&r->lesson->arena, from, len);
	char *bar = strrchr(text, '|');
	char shown[64];
	if (!bar)
		return text;
	const char *name = bar + 1;
	size_t n = strlen(name);
	*bar = '\0';
	tp_trim(&name, &n);
	tp_shown(shown, sizeof(shown), name, n);
	*unit = tp_lesson_unit_find(shown);
	if (!*unit)
		tp_faults_add(r->in.faults, place, "see UNITS in tprof-lesson(5)",
			      "\"{%.80s|%s}\": there is no such unit", text, shown);
	return text;
}

/* `text` is borrowed. */
static bool take_pieces(struct reader *r, struct tp_place place, const char *text, struct use use,
			struct tp_quoted *out)
{
	size_t braces = 0;
	bool good = true;
	for (const char *c = text; (c = strchr(c, '{')); c++)
		braces++;
	*out = (struct tp_quoted){ .text = text };
	out->pieces = lesson_alloc(r, 2 * braces + 1, sizeof(*out->pieces));
	for (;;) {
		const char *open = strchr(text, '{');
		size_t len = open ? (size_t)(open - text) + (open[1] == '{') : strlen(text);
		/* Appends words to the pieces, unless they are empty. */
		if (len)
			out->pieces[out->n++] =
				(struct tp_quoted_piece){ .text = text, .len = len };
		if (!open)
			break;
		text = open + 2;
		if (open[1] == '{')
			continue;
		const char *close = strchr(open, '}');
		if (!close)
			return tp_faults_add(r->in.faults, place,
					     "close it with }, or write {{ for a brace",
					     "\"%.40s\": the brace is not closed", open);
		struct tp_quoted_piece *piece = &out->pieces[out->n++];
		const char *inner =
			take_inner(r, place, open + 1, (size_t)(close - open - 1), &piece->unit);
		use.unit = piece->unit ? NULL : &piece->unit;
		use.quoted = true;
		piece->value = add_expression(r, place, inner, use);
		good &= piece->value != NULL;
		text = close + 1;
	}
	return good;
}

/* `use` describes the user; its expression and place are filled in. */
static bool take_expression(struct reader *r, const struct tp_node *node, const char *key,
			    struct use use, const struct tp_expression **out)
{
	const char *text;
	if (!take_text(r, node, key, TP_EXPRESSION_MAX_BYTES, true, &text))
		return false;
	*out = add_expression(r, node->place, text, use);
	return *out != NULL;
}

static bool read_unit(struct tp_reader *in, const struct tp_field *field,
		      const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	const char **out = to;
	const char *text = "", *words[64];
	TP_STR all = { 0 };
	size_t n = 0;
	*out = "";
	if (node->kind == TP_NODE_SCALAR && node->len == 0)
		return true;
	if (!take_text(r, node, field->key, LINE_BYTES, false, &text))
		return false;
	if ((*out = tp_lesson_unit_find(text)))
		return true;
	*out = "";
	for (; n < TP_COUNT_OF(words) && tp_lesson_unit(n); n++)
		words[n] = tp_lesson_unit(n);
	tp_str_suggest(&all, text, "units are ", words, n, " and ");
	return tp_faults_add(r->in.faults, node->place, tp_str_text(&all),
			     "unit: there is no unit \"%.60s\"", text);
}

/* A number of that unit. */
static bool take_number(struct reader *r, const struct tp_node *node, const char *key,
			const char *unit, double *out)
{
	struct tp_diag diag;
	const char *text;
	if (!take_text(r, node, key, LINE_BYTES, false, &text))
		return false;
	if (tp_lesson_number(text, unit, out, &diag) == TP_OK)
		return true;
	return tp_faults_add(r->in.faults, node->place, diag.hint, "%s: %s", key, diag.what);
}

static bool take_quoted(struct reader *r, const struct tp_node *node, const char *key,
			struct use use, struct tp_quoted *out)
{
	const char *text;
	return take_text(r, node, key, TEXT_BYTES, true, &text) &&
	       take_pieces(r, node->place, text, use, out);
}

/* struct tp_quoted, and expressions: of r->use */
static bool read_quoted(struct tp_reader *in, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	return take_quoted(r, node, field->key, r->use, to);
}

static bool read_expression(struct tp_reader *in, const struct tp_field *field,
			    const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	return take_expression(r, node, field->key, r->use, to);
}

static const struct tp_kind tp_kind_unit = { .read = read_unit },
			    tp_kind_quoted = { .read = read_quoted },
			    tp_kind_expression = { .read = read_expression };

#define FIELD(type, member, kind, ...) TP_FIELD(struct type, member, #member, kind, __VA_ARGS__)
#define LINE(type, member, ...)                                                                    \
	FIELD(type, member, text, .most = LINE_BYTES, .hint = text_hint, __VA_ARGS__)

/* --- questions --- */

/* Keys of any step; one of those up to `next` determines its kind. */
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
	STEP_KEYS
};

static const char *const key_names[STEP_KEYS] = {
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

static const double default_within = 1.25;

struct asking {
	struct reader *r;
	const struct tp_node *node; /* the step */
	const struct tp_node **given; /* its keys */
	struct tp_question *question;
};

/* What right answers depend on: for a prediction everything that will be known. */
static struct use of_truth(const struct reader *r)
{
	bool check = r->lesson->steps[r->use.step].kind == TP_STEP_CHECK;
	return (struct use){ .step = check ? r->use.step : SIZE_MAX, .values = SIZE_MAX };
}

static void refuse_keys(const struct asking *a, unsigned allowed, const char *kind)
{
	for (const struct tp_node *key = a->node->first; key; key = key->next)
		for (unsigned i = UNIT; i <= CURVE; i++)
			if (!(allowed & 1u << i) && tp_node_is(key, key_names[i]))
				tp_faults_add(a->r->in.faults, key->place, NULL,
					      "%s has no place in a question with %s", key_names[i],
					      kind);
}

static const struct tp_field unit_field = { .key = "unit" };

/* Unit and bounds of what is answered. */
static void read_axis(const struct asking *a)
{
	struct tp_question *q = a->question;
	struct reader *r = a->r;
	q->unit = "";
	if (a->given[UNIT])
		read_unit(&r->in, &unit_field, a->given[UNIT], &q->unit);
	for (unsigned i = FROM; i <= TO; i++)
		if (!a->given[i])
			tp_faults_add(r->in.faults, a->node->place, "from and to limit the answers",
				      "%s is missing in a question", key_names[i]);
	if (!a->given[FROM] || !a->given[TO] ||
	    !take_number(r, a->given[FROM], "from", q->unit, &q->from) ||
	    !take_number(r, a->given[TO], "to", q->unit, &q->to))
		return;
	/* Answers are compared by factors, and curves drawn on a logarithmic axis. */
	if (!(q->from > 0) || !(q->to > q->from))
		tp_faults_add(r->in.faults, a->given[FROM]->place, "0 < from < to",
			      "from and to are not a range of positive numbers");
}

/* Truth is judged later than the words of a choice. */
static bool read_truth(struct tp_reader *in, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	return take_expression(r, node, field->key, of_truth(r), to);
}

static const struct tp_kind tp_kind_truth = { .read = read_truth };

static const struct tp_field choice_fields[] = {
	TP_FIELD(struct tp_choice, text, "say", quoted, .required = true),
	FIELD(tp_choice, when, truth, .required = true),
};
static const struct tp_shape choice_shape = { .name = "a choice",
					      TP_SHAPE(choice_fields),
					      .bytes = sizeof(struct tp_choice) };
static const struct tp_field choices_field = FIELD(
	tp_question, choices, list, .shape = &choice_shape,
	.count = offsetof(struct tp_question, n_choices), .least = 2, .most = TP_LESSON_CHOICES_MAX,
	.entries = "choices", .hint = "- {say: WORDS, when: CONDITION}");

static struct tp_question *read_question(struct reader *r, const struct tp_node *node, size_t step,
					 bool check, const struct tp_node **given)
{
	struct tp_question *q = lesson_alloc(r, 1, sizeof(*q));
	struct asking a = { r, node, given, q };
	const struct use answered = { .step = step, .own = true, .values = SIZE_MAX };
	q->name = r->lesson->steps[step].name;
	if (given[QUESTION])
		take_quoted(r, given[QUESTION], "question", r->use, &q->text);
	else
		tp_faults_add(r->in.faults, node->place, NULL, "question is missing in a step %s",
			      check ? "check" : "predict");
	if (given[CHOICES]) {
		q->kind = TP_ASK_CHOICE;
		q->unit = "";
		refuse_keys(&a, 1u << CHOICES | 1u << HINT, "choices");
		tp_kind_list.read(&r->in, &choices_field, given[CHOICES], q->choices);
	} else if (given[CURVE]) {
		q->kind = TP_ASK_CURVE;
		refuse_keys(&a, ~(1u << CHOICES | 1u << TRUTH), "a curve");
		read_axis(&a);
		r->later[step].curve = given[CURVE];
	} else {
		q->kind = TP_ASK_NUMBER;
		refuse_keys(&a, ~(1u << CHOICES | 1u << CURVE), "a number");
		read_axis(&a);
		if (!take_expression(r, given[TRUTH], "truth", of_truth(r), &q->truth) &&
		    !given[TRUTH])
			tp_faults_add(r->in.faults, node->place,
				      "truth: an expression; or choices, or curve",
				      "truth is missing in a question");
	}
	q->within = check ? default_within : 0;
	if (check && take_number(r, given[WITHIN], "within", "", &q->within) &&
	    !(q->within > 1 && q->within <= 100))
		tp_faults_add(r->in.faults, given[WITHIN]->place,
			      "a factor above 1, such as 1.25 for 25 %", "within: out of range");
	take_quoted(r, given[HINT], "hint", answered, &q->hint);
	return q;
}

/* The nearest of some names, for a hint; all of them if none is near. */
static void hint_names(const char *typed, const char *const *all, size_t n, struct tp_str *hint)
{
	const char *near = tp_nearest(typed, all, n);
	if (near)
		tp_str_printf(hint, "did you mean %s?", near);
	else
		tp_str_list(hint, all, n, " and ");
}

/* The column that a scalar names, NULL after a complaint. */
static const struct tp_column *take_column(struct reader *r, const struct tp_node *node,
					   const char *text)
{
	const struct tp_column *column = tp_lesson_column(r->preset, &r->table, text);
	const char *names[TP_POINT_COLUMNS_MAX];
	TP_STR hint = { 0 };
	char shown[64];
	size_t n = 0;
	if (column)
		return column;
	while (n < TP_COUNT_OF(names) &&
	       (names[n] = tp_lesson_column_name(r->preset, &r->table, n)))
		n++;
	hint_names(text, names, n, &hint);
	tp_faults_add(r->in.faults, node->place, tp_str_text(&hint),
		      "the rows of %s here have no column %s", r->table.name,
		      tp_shown(shown, sizeof(shown), text, strlen(text)));
	return NULL;
}

/* --- conditions --- */

/* The sign that a condition begins with, which is cut off. */
static unsigned take_sign(const char **text)
{
	static const struct {
		const char *sign;
		unsigned how;
	} signs[] = { { "<=", TP_AT_MOST }, { ">=", TP_AT_LEAST }, { "!=", TP_IS_NOT },
		      { "==", TP_IS },	    { "<", TP_BELOW },	   { ">", TP_ABOVE },
		      { "=", TP_IS } };
	unsigned how = TP_IS;
	for (size_t i = 0; i < TP_COUNT_OF(signs); i++) {
		size_t len = strlen(signs[i].sign);
		if (strncmp(*text, signs[i].sign, len) == 0) {
			how = signs[i].how;
			*text += len;
			break;
		}
	}
	*text += strspn(*text, " ");
	return how;
}

static bool take_condition(struct reader *r, const struct tp_node *node,
			   const struct tp_column *column, struct tp_condition *condition)
{
	struct tp_diag diag;
	const char *text, *unit = tp_lesson_column_unit(column);
	if (!take_text(r, node, column->name, LINE_BYTES, false, &text))
		return false;
	*condition = (struct tp_condition){ .column = column->name, .how = take_sign(&text) };
	if (column->type == TP_COLUMN_BOOL) {
		condition->number = strcmp(text, "true") == 0;
		if (condition->number || strcmp(text, "false") == 0)
			return true;
		return tp_faults_add(r->in.faults, node->place, NULL, "%s: true or false",
				     column->name);
	}
	if (tp_column_is_number(column)) {
		if (tp_lesson_number(text, unit, &condition->number, &diag) == TP_OK)
			return true;
		return tp_faults_add(r->in.faults, node->place, diag.hint, "%s: %s", column->name,
				     diag.what);
	}
	condition->word = text;
	if (condition->how == TP_IS || condition->how == TP_IS_NOT) {
		TP_STR all = { 0 };
		unsigned index;

		/* False if the column has a closed set of words without this one. */
		if ((column->type != TP_COLUMN_WORD && column->type != TP_COLUMN_FLAGS) ||
		    tp_word_find(column->words, text, &index))
			return true;
		tp_str_add(&all, "one of ");
		tp_str_list(&all, column->words->names, column->words->n, " or ");
		return tp_faults_add(r->in.faults, node->place, tp_str_text(&all),
				     "%s: there is no \"%.60s\"", column->name, text);
	}
	return tp_faults_add(r->in.faults, node->place, "write the word, or != and the word",
			     "%s holds words, which are not less or more", column->name);
}

/* struct tp_condition *, of the columns of r->table; `count` counts them */
static bool read_where(struct tp_reader *in, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	size_t *n = (size_t *)((char *)to - field->offset + field->count);
	if (!r->table.name)
		return false;
	if (node->kind != TP_NODE_MAPPING)
		return tp_faults_add(r->in.faults, node->place, "where: {level: L1}",
				     "where: expected columns with values");
	struct tp_condition *where = lesson_alloc(r, tp_node_count(node), sizeof(*where));
	*(struct tp_condition **)to = where;
	for (const struct tp_node *key = node->first; key; key = key->next) {
		const struct tp_column *column = take_column(r, key, key->text);
		if (column && key->value && take_condition(r, key->value, column, &where[*n]))
			++*n;
	}
	return true;
}

static const struct tp_kind tp_kind_where = { .read = read_where };

/* --- results --- */

/* Of struct tp_result: "first", "last", "largest COLUMN" or "smallest COLUMN" */
static bool read_take(struct tp_reader *in, const struct tp_field *field,
		      const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	struct tp_result *result = to;
	static const struct {
		const char *word;
		unsigned take;
	} words[] = { { "first", TP_TAKE_FIRST },
		      { "last", TP_TAKE_LAST },
		      { "largest", TP_TAKE_LARGEST },
		      { "smallest", TP_TAKE_SMALLEST } };
	const char *text;
	size_t i = 0;
	if (!r->table.name || !take_text(r, node, field->key, LINE_BYTES, false, &text))
		return false;
	size_t len = strcspn(text, " ");
	const char *column = text + len + strspn(text + len, " ");
	while (i < TP_COUNT_OF(words) &&
	       (strlen(words[i].word) != len || memcmp(words[i].word, text, len) != 0))
		i++;
	if (i == TP_COUNT_OF(words) || (i < TP_TAKE_LARGEST) != !*column)
		return tp_faults_add(r->in.faults, node->place,
				     "first, last, largest COLUMN or smallest COLUMN",
				     "take: \"%.60s\" is not understood", text);
	result->take = words[i].take;
	if (!*column)
		return true;
	const struct tp_column *found = take_column(r, node, column);
	if (found && !tp_column_is_number(found))
		tp_faults_add(r->in.faults, node->place, NULL, "take: %s holds no numbers",
			      found->name);
	result->column = found ? found->name : NULL;
	return found;
}

/* const char *, and r->table */
static bool read_table(struct tp_reader *in, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	const char **name = to, *names[TP_POINT_COLUMNS_MAX];
	TP_STR hint = { 0 };
	size_t n = 0;
	if (!tp_kind_text.read(in, field, node, to) ||
	    tp_lesson_table_find(r->preset, *name, &r->table))
		return *name;
	r->table.name = NULL;
	while (n < TP_COUNT_OF(names) && (names[n] = tp_lesson_table_name(r->preset, n)))
		n++;
	hint_names(*name, names, n, &hint);
	return tp_faults_add(r->in.faults, node->place, tp_str_text(&hint),
			     "this measurement has no table \"%.60s\"", *name);
}

static const struct tp_kind tp_kind_table = { .read = read_table },
			    tp_kind_take = { .read = read_take };

static const struct tp_field result_fields[] = {
	FIELD(tp_result, table, table, .most = LINE_BYTES, .required = true),
	FIELD(tp_result, where, where, .count = offsetof(struct tp_result, n_where)),
	{ .key = "take", .kind = &tp_kind_take },
};

static bool begin_result(struct tp_reader *in, const struct tp_node *key, void *out)
{
	struct reader *r = (struct reader *)in;
	r->table.name = NULL;
	return take_name(r, key, "results", &((struct tp_result *)out)->name);
}

static const struct tp_shape result_shape = { TP_SHAPE(result_fields),
					      .bytes = sizeof(struct tp_result),
					      .blank = &(const struct tp_result){ .table = "" },
					      .begin = begin_result };
static const struct tp_field results_field =
	FIELD(tp_lesson_step, results, names, .shape = &result_shape,
	      .count = offsetof(struct tp_lesson_step, n_results), .most = TP_LESSON_RESULTS_MAX,
	      .entries = "names with tables", .hint = "l1: {table: plateaus, where: {level: L1}}");

/* The kind of a step, by its key. */
static bool take_kind(struct reader *r, const struct tp_node *node, const struct tp_node **given,
		      enum tp_lesson_step_kind *kind)
{
	TP_STR kinds = { 0 };
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
	return tp_faults_add(r->in.faults, node->place, tp_str_text(&kinds),
			     n ? "a step is of one kind" : "this step has no kind");
}

/* The keys of each kind of step, besides text and the kind's own key. */
enum { OF_QUESTIONS = (1 << (CURVE + 1)) - (1 << QUESTION) };
static const int keys_of_kind[TP_STEP_KIND_COUNT] = {
	[TP_STEP_PREDICT] = OF_QUESTIONS & ~(1 << WITHIN | 1 << HINT),
	[TP_STEP_CHECK] = OF_QUESTIONS,
	[TP_STEP_MEASURE] = 1 << SECONDS | 1 << PRESET | 1 << RESULTS,
	[TP_STEP_TRY] = 1 << PRESET,
	[TP_STEP_PLOT] = 1 << GUESSES,
};

/* The keys of a step by their numbers, once its kind is known. */
static bool take_keys(struct reader *r, const struct tp_node *node, const struct tp_node **given,
		      enum tp_lesson_step_kind *kind)
{
	struct tp_yaml_key keys[STEP_KEYS];
	const char *where = "a step";
	for (unsigned i = 0; i < STEP_KEYS; i++)
		keys[i] = (struct tp_yaml_key){ .name = key_names[i] };
	if (!tp_yaml_keys(r->in.faults, node, where, keys, STEP_KEYS))
		return false;
	for (unsigned i = 0; i < STEP_KEYS; i++)
		given[i] = keys[i].value;
	if (!node->closed || !take_kind(r, node, given, kind))
		return false;
	for (const struct tp_node *key = node->first; key; key = key->next)
		for (unsigned i = TP_STEP_KIND_COUNT; i < STEP_KEYS; i++)
			if (tp_node_is(key, key_names[i]) && !(keys_of_kind[*kind] >> i & 1))
				tp_faults_add(r->in.faults, key->place, NULL,
					      "%s has no place in a step %s", key_names[i],
					      key_names[*kind]);
	return true;
}

/* --- the kinds --- */

static struct tp_preset *take_preset(struct reader *r, const struct tp_node *step,
				     const struct tp_node *node, const char *kind)
{
	if (!node) {
		tp_faults_add(r->in.faults, step->place, "preset: {experiment: memcurve}",
			      "preset is missing in a step %s", kind);
		return NULL;
	}
	struct tp_preset *preset = lesson_alloc(r, 1, sizeof(*preset));
	tp_session_preset_inside(preset, r->overrides, node, r->in.faults, r->diags);
	return preset;
}

/* One step has two texts: a general one, and what to try. */
static void read_try(struct reader *r, const struct tp_node *node, const struct tp_node **given,
		     struct tp_lesson_step *step)
{
	TP_STR both = { 0 };
	const char *text, *more;
	step->preset = take_preset(r, node, given[PRESET], "try");
	if (!take_text(r, given[TRY], "try", TEXT_BYTES, true, &text))
		return;
	if (take_text(r, given[TEXT], "text", TEXT_BYTES, true, &more)) {
		tp_str_printf(&both, "%s\n\n%s", more, text);
		text = tp_arena_strdup(&r->lesson->arena, tp_str_text(&both));
	}
	take_pieces(r, given[TRY]->place, text, r->use, &step->text);
}

static bool quotes(const struct tp_quoted *text)
{
	for (size_t i = 0; i < text->n; i++)
		if (!text->pieces[i].text)
			return true;
	return false;
}

static const struct tp_field claim = { .key = "claims", .kind = &tp_kind_expression };
static const struct tp_shape claim_shape = { .alone = &claim,
					     .bytes = sizeof(const struct tp_expression *) };
enum { WHEN, VARIANT_TEXT };
static const struct tp_field variant_fields[] = {
	[WHEN] = FIELD(tp_variant, when, expression),
	[VARIANT_TEXT] = FIELD(tp_variant, text, quoted, .required = true),
	FIELD(tp_variant, claims, list, .shape = &claim_shape,
	      .count = offsetof(struct tp_variant, n_claims), .most = TP_LESSON_CLAIMS_MAX,
	      .entries = "conditions", .hint = "claims: [\"a.median_gbps > b.median_gbps\"]"),
};

/* A text that quotes an unknown value is skipped. */
static void check_variant(struct tp_reader *in, const struct tp_node *node,
			  const struct tp_yaml_key *given, void *out)
{
	const struct tp_variant *variant = out;
	if (node->next && variant->text.text && !given[WHEN].given && !quotes(&variant->text))
		tp_faults_add(in->faults, node->place, "give it a condition, or write it last",
			      "the texts after this one are never shown: it has no when");
}

static const struct tp_shape variant_shape = { .name = "a text of explain",
					       TP_SHAPE(variant_fields),
					       .bytes = sizeof(struct tp_variant),
					       .check = check_variant };
static const struct tp_field variants_field =
	TP_FIELD(struct tp_lesson_step, variants, "explain", list, .shape = &variant_shape,
		 .count = offsetof(struct tp_lesson_step, n_variants), .least = 1,
		 .most = TP_LESSON_VARIANTS_MAX, .entries = "texts with conditions",
		 .hint = "write each as \"- when: CONDITION\" and its text below");

static void read_next(struct reader *r, const struct tp_node *node, struct tp_lesson_step *step)
{
	const char *name;
	if (!take_text(r, node, "next", TP_NAME_MAX - 1, false, &name))
		return;
	if (strchr(name, '/'))
		tp_faults_add(r->in.faults, node->place, "next: 04-vector-width, or next: end",
			      "next: \"%s\" is not a name of a lesson", name);
	step->next = strcmp(name, "end") == 0 ? NULL : name;
}

static void read_step(struct reader *r, const struct tp_node *node)
{
	const struct tp_node *given[STEP_KEYS];
	size_t at = r->lesson->n_steps;
	struct tp_lesson_step *step = &r->lesson->steps[at];
	enum tp_lesson_step_kind kind;
	char where[TP_PATH_MAX];
	if (!take_keys(r, node, given, &kind))
		return;
	tp_place_text(where, sizeof(where), r->in.faults->name, node->place);
	*step = (struct tp_lesson_step){ .kind = kind, .name = "" };
	step->where = tp_arena_strdup(&r->lesson->arena, where);
	r->later[at] = (struct later){ .place = node->place };
	/* After this, names of the step resolve to it. */
	r->lesson->n_steps++;
	r->use = (struct use){ .step = at, .values = SIZE_MAX };
	if (kind != TP_STEP_TRY)
		take_quoted(r, given[TEXT], "text", r->use, &step->text);
	switch (kind) {
	case TP_STEP_PREDICT:
	case TP_STEP_CHECK:
		take_name(r, given[kind], key_names[kind], &step->name);
		step->question = read_question(r, node, at, kind == TP_STEP_CHECK, given);
		break;
	case TP_STEP_MEASURE:
		take_name(r, given[MEASURE], "measure", &step->name);
		if (take_number(r, given[SECONDS], "seconds", "s", &step->seconds) &&
		    !(step->seconds > 0 && step->seconds <= 3600))
			tp_faults_add(r->in.faults, given[SECONDS]->place,
				      "above 0, at most an hour", "seconds: %.60s is out of range",
				      given[SECONDS]->text);
		step->preset = take_preset(r, node, given[PRESET], "measure");
		r->preset = step->preset;
		if (given[RESULTS])
			tp_kind_names.read(&r->in, &results_field, given[RESULTS], &step->results);
		break;
	case TP_STEP_PLOT:
		r->later[at].plot = given[PLOT];
		r->later[at].guesses = given[GUESSES];
		break;
	case TP_STEP_EXPLAIN:
		tp_kind_list.read(&r->in, &variants_field, given[EXPLAIN], &step->variants);
		break;
	case TP_STEP_TRY:
		read_try(r, node, given, step);
		break;
	case TP_STEP_NEXT:
		read_next(r, given[NEXT], step);
		break;
	default:
		break;
	}
}

static bool read_steps(struct tp_reader *in, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	struct tp_lesson *lesson = r->lesson;
	if (!tp_field_entries(in, field, node, TP_NODE_SEQUENCE))
		return false;
	*(struct tp_lesson_step **)to =
		lesson_alloc(r, tp_node_count(node), sizeof(*lesson->steps));
	for (const struct tp_node *item = node->first; item; item = item->next) {
		if (lesson->n_steps && lesson->steps[lesson->n_steps - 1].kind == TP_STEP_NEXT)
			tp_faults_add(in->faults, item->place, "next: is the last step",
				      "a step follows next");
		read_step(r, item);
	}
	return true;
}

/* --- names in expressions --- */

/* The first step that may use a name; SIZE_MAX: none, it is never measured. */
static size_t known_from(const struct reader *r, const struct tp_lesson_name *name)
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

/* Each of the lesson's values may use earlier ones. */
static void date_values(struct reader *r)
{
	for (size_t i = 0; i < r->lesson->n_values; i++) {
		const struct tp_expression *e = r->lesson->values[i].value;
		r->values_from[i] = 0;
		for (unsigned k = 0; e && k < e->n_names; k++) {
			struct tp_lesson_name name;
			/* An unknown name is reported at its place. */
			if (tp_lesson_name_find(r->lesson, e->names[k].text, e->names[k].len, &name,
						NULL) &&
			    (name.kind != TP_NAME_VALUE || name.index < i))
				r->values_from[i] = TP_MAX(r->values_from[i], known_from(r, &name));
		}
	}
}

/* What is wrong with a name, in words around it. */
static void tell_name(struct reader *r, const struct use *use, unsigned i, const char *hint,
		      const char *before, const char *after)
{
	const struct tp_expression *e = use->expression;
	char shown[80], text[80];
	tp_shown(shown, sizeof(shown), e->names[i].text, e->names[i].len);
	tp_shown(text, sizeof(text), e->text, strlen(e->text));
	tp_faults_add(r->in.faults, use->place, hint, "\"%s\", column %zu: %s%s%s", text,
		      (size_t)(e->names[i].text - e->text) + 1, before, shown, after);
}

/* Values of the right kind, for a first try of an expression: words where words should be. */
static bool check_names(struct reader *r, const struct use *use, struct tp_operand *tried)
{
	const struct tp_expression *e = use->expression;
	bool good = true;
	for (unsigned i = 0; i < e->n_names; i++) {
		char hint[TP_NAME_MAX + 32] = "";
		struct tp_lesson_name name;
		struct tp_lesson_no_name why;
		bool there = tp_lesson_name_find(r->lesson, e->names[i].text, e->names[i].len,
						 &name, &why);
		if (there && name.kind == TP_NAME_VALUE && name.index >= use->values) {
			there = false;
			why = (struct tp_lesson_no_name){ 0 };
		}
		if (!there) {
			if (*why.nearest)
				snprintf(hint, sizeof(hint), "did you mean %s%s?",
					 why.member ? "." : "", why.nearest);
			tell_name(r, use, i, hint, "there is no ", "");
			good = false;
			continue;
		}
		size_t from = known_from(r, &name);
		bool own = use->own && name.kind == TP_NAME_QUESTION && name.step == use->step;
		if (from > use->step && !own && from == SIZE_MAX)
			tell_name(r, use, i, "add a step measure", "",
				  " is not known: nothing is measured");
		else if (from > use->step && !own) {
			snprintf(hint, sizeof(hint), "by the step that begins in line %u",
				 r->later[from - 1].place.line);
			tell_name(r, use, i, hint, "", " is known only later");
		}
		tried[i] = (struct tp_operand){ .number = 1.5 };
		if (tp_lesson_name_is_word(&name))
			tried[i] = (struct tp_operand){ .word = "x", .len = 1 };
		if (use->unit && e->n_names == 1 && strlen(e->text) == e->names[i].len)
			*use->unit = tp_lesson_name_unit(r->lesson, &name);
	}
	return good;
}

/* --- named steps --- */

/* The step of that name; n_steps after a complaint. */
static size_t take_step(struct reader *r, const struct tp_node *node, const char *key,
			bool question)
{
	const struct tp_lesson *lesson = r->lesson;
	const char *names[TP_LESSON_STEPS_MAX], *text;
	char hint[TP_NAME_MAX + 32] = "";
	size_t n = 0;
	if (!take_text(r, node, key, LINE_BYTES, false, &text))
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
	tp_faults_add(r->in.faults, node->place, hint, "%s: there is no %s \"%.60s\"", key,
		      question ? "question" : "step measure", text);
	return lesson->n_steps;
}

/* One name or a list of them; each step stands before `at`. */
static size_t take_some(struct reader *r, const struct tp_node *node, const char *key,
			bool question, size_t at, size_t *steps, size_t most)
{
	bool list = node->kind == TP_NODE_SEQUENCE;
	size_t n = 0;
	if (list && (tp_node_count(node) == 0 || tp_node_count(node) > most)) {
		tp_faults_add(r->in.faults, node->place, NULL, "%s: expected 1 to %zu names", key,
			      most);
		return 0;
	}
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL) {
		size_t step = take_step(r, item, key, question);
		if (step == r->lesson->n_steps)
			continue;
		if (step > at)
			tp_faults_add(r->in.faults, item->place, "move the plot after it",
				      "%s: %s comes only later", key, r->lesson->steps[step].name);
		else if (question && r->lesson->steps[step].question->kind == TP_ASK_CHOICE)
			tp_faults_add(r->in.faults, item->place, "numbers and curves can",
				      "%s: a choice cannot be drawn", key);
		else
			steps[n++] = step;
	}
	return n;
}

/* --- curves --- */

/* Values of x from one end to the other, in equal factors; whole where the column is. */
static void read_places(struct reader *r, const struct tp_yaml_key *keys,
			const struct tp_node *node, bool whole, struct tp_question *q)
{
	double from, to, places = 8;
	bool good = keys[0].value && keys[1].value &&
		    take_number(r, keys[0].value, "from", q->x_unit, &from) &&
		    take_number(r, keys[1].value, "to", q->x_unit, &to);
	if (keys[2].value)
		good &= take_number(r, keys[2].value, "places", "", &places);
	if (!good)
		return;
	if (!(from > 0 && to > from) || !(places >= 2 && places <= TP_LESSON_CURVE_MAX) ||
	    places != floor(places)) {
		tp_faults_add(r->in.faults, node->place, "0 < from < to, and 2 to 24 places",
			      "curve: from, to and places give no axis");
		return;
	}
	for (size_t i = 0; i < (size_t)places; i++) {
		double x = from * pow(to / from, (double)i / (places - 1));
		if (whole)
			x = floor(x + 0.5);
		if (!q->n_x || x > q->x[q->n_x - 1])
			q->x[q->n_x++] = x;
	}
}

static void read_curve(struct reader *r, const struct tp_node *node, size_t at)
{
	enum { OF, X, Y, X_FROM, X_TO, PLACES, WHERE, KEYS };
	struct tp_lesson *lesson = r->lesson;
	struct tp_question *q = lesson->steps[at].question;
	static const struct tp_field where =
		FIELD(tp_question, where, where, .count = offsetof(struct tp_question, n_where));
	struct tp_yaml_key keys[KEYS] = { [OF] = { .name = "of", .required = true },
					  [X] = { .name = "x", .required = true },
					  [Y] = { .name = "y", .required = true },
					  [X_FROM] = { .name = "from", .required = true },
					  [X_TO] = { .name = "to", .required = true },
					  [PLACES] = { .name = "places" },
					  [WHERE] = { .name = "where" } };
	const struct tp_column *columns[2] = { NULL, NULL };
	if (!tp_yaml_keys(r->in.faults, node, "a curve", keys, KEYS) || !keys[OF].value)
		return;
	q->of = take_step(r, keys[OF].value, "of", false);
	if (q->of == lesson->n_steps)
		return;
	if (lesson->steps[at].kind == TP_STEP_CHECK && q->of > at)
		tp_faults_add(r->in.faults, keys[OF].value->place, "move the check after it",
			      "of: %s comes only later", lesson->steps[q->of].name);
	r->preset = lesson->steps[q->of].preset;
	tp_lesson_table_find(r->preset, "points", &r->table);
	for (unsigned i = 0; i < 2; i++) {
		const struct tp_node *name = keys[X + i].value;
		const char *text;
		if (take_text(r, name, keys[X + i].name, LINE_BYTES, false, &text))
			columns[i] = take_column(r, name, text);
		if (columns[i] && !tp_column_is_number(columns[i])) {
			tp_faults_add(r->in.faults, name->place, NULL, "%s: %s holds no numbers",
				      keys[X + i].name, columns[i]->name);
			columns[i] = NULL;
		}
	}
	if (keys[WHERE].value)
		read_where(&r->in, &where, keys[WHERE].value, &q->where);
	if (!columns[0] || !columns[1])
		return;
	q->x_column = columns[0]->name;
	q->y_column = columns[1]->name;
	q->x_unit = tp_lesson_column_unit(columns[0]);
	read_places(r, &keys[X_FROM], node,
		    columns[0]->type == TP_COLUMN_UNSIGNED || columns[0]->type == TP_COLUMN_U64, q);
}

/* --- the head --- */

/* const char *const *, up to NULL */
static bool read_after(struct tp_reader *in, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct reader *r = (struct reader *)in;
	size_t n = 0;
	if (!tp_field_entries(in, field, node, TP_NODE_SEQUENCE))
		return false;
	const char **sentences = lesson_alloc(r, tp_node_count(node) + 1, sizeof(*sentences));
	*(const char *const **)to = sentences;
	for (const struct tp_node *item = node->first; item; item = item->next)
		n += take_text(r, item, field->key, LINE_BYTES, true, &sentences[n]);
	return true;
}

static bool read_version(struct tp_reader *in, const struct tp_field *field,
			 const struct tp_node *node, void *to __attribute__((unused)))
{
	return tp_node_is(node, "1") ||
	       tp_faults_add(in->faults, node->place, "lesson: 1",
			     "%s: this version of tprof reads version 1 of the format", field->key);
}

static const struct tp_kind tp_kind_after = { .read = read_after },
			    tp_kind_version = { .read = read_version },
			    tp_kind_steps = { .read = read_steps };

static const struct tp_field need_fields[] = {
	TP_FIELD(struct tp_lesson, needs, "when", expression, .required = true),
	LINE(tp_lesson, otherwise, .lines = true, .required = true),
};
static const struct tp_shape need_shape = { .name = "needs", TP_SHAPE(need_fields) };

static const struct tp_field term_name = TP_FIELD(struct tp_lesson_term, name, "terms", text,
						  .most = LINE_BYTES),
			     meaning = LINE(tp_lesson_term, meaning, .lines = true);

static bool begin_term(struct tp_reader *in, const struct tp_node *key, void *out)
{
	return tp_kind_text.read(in, &term_name, key, &((struct tp_lesson_term *)out)->name);
}

static const struct tp_shape term_shape = { .alone = &meaning,
					    .bytes = sizeof(struct tp_lesson_term),
					    .begin = begin_term };

static const struct tp_field value_fields[] = {
	FIELD(tp_lesson_value, value, expression, .required = true),
	FIELD(tp_lesson_value, unit, unit),
};

/*
 * Values are expressions on those before them. A name whose expression is wrong stays known, or
 * all that uses it would be wrong, too.
 */
static bool begin_value(struct tp_reader *in, const struct tp_node *key, void *out)
{
	struct reader *r = (struct reader *)in;
	r->use = (struct use){ .step = SIZE_MAX, .values = r->lesson->n_values };
	return take_name(r, key, "values", &((struct tp_lesson_value *)out)->name);
}

static const struct tp_shape value_shape = { TP_SHAPE(value_fields),
					     .bytes = sizeof(struct tp_lesson_value),
					     .blank = &(const struct tp_lesson_value){ .unit = "" },
					     .begin = begin_value, .alone = &value_fields[0] };

#define COUNT(member) .count = offsetof(struct tp_lesson, n_##member)
static const struct tp_field lesson_fields[] = {
	{ .key = "lesson", .kind = &tp_kind_version, .required = true },
	FIELD(tp_lesson, title, text, .most = LINE_BYTES / 4, .hint = text_hint, .required = true),
	LINE(tp_lesson, summary, .lines = true, .required = true),
	FIELD(tp_lesson, after, after, .most = HUGE_VAL, .entries = "sentences",
	      .hint = "after: [You can ..., You know ...]"),
	{ .key = "needs", .kind = &tp_kind_mapping, .shape = &need_shape },
	FIELD(tp_lesson, terms, names, .shape = &term_shape, COUNT(terms), .most = HUGE_VAL,
	      .entries = "terms with their meanings", .hint = "TERM: what it means"),
	FIELD(tp_lesson, values, names, .shape = &value_shape, COUNT(values),
	      .most = TP_LESSON_VALUES_MAX, .entries = "names with expressions",
	      .hint = "ratio: l1.median_gbps / dram.median_gbps"),
	FIELD(tp_lesson, steps, steps, .least = 1, .most = TP_LESSON_STEPS_MAX, .entries = "steps",
	      .hint = "write each as \"- text: ...\" or of another kind", .required = true),
};

/* --- the whole --- */

/* The stem of the file's name: "03-roofline". */
static void take_file_name(struct tp_lesson *lesson, const char *path)
{
	const char *file = tp_path_last(path);
	size_t stem = tp_named_stem(file);
	if (!stem)
		stem = strlen(file);
	tp_copy(lesson->path, sizeof(lesson->path), path);
	tp_shown(lesson->name, sizeof(lesson->name), file, TP_MIN(stem, sizeof(lesson->name) - 1));
}

/* What can be judged when the whole lesson is read. */
static void check_lesson(struct tp_reader *in, const struct tp_node *node __attribute__((unused)),
			 const struct tp_yaml_key *given __attribute__((unused)),
			 void *out __attribute__((unused)))
{
	struct reader *r = (struct reader *)in;
	for (size_t i = 0; i < r->lesson->n_steps; i++) {
		const struct later *later = &r->later[i];
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
	date_values(r);
	for (size_t i = 0; i < r->n_uses; i++) {
		const struct use *use = &r->uses[i];
		struct tp_operand tried[TP_EXPRESSION_NAMES_MAX];
		struct tp_diag diag;
		double value;
		if (use->unit)
			*use->unit = "";
		/* True if the expression is a single word, which texts may quote. */
		if (!check_names(r, use, tried) || (use->quoted && use->expression->n_steps == 1 &&
						    use->expression->n_names == 1 && tried[0].word))
			continue;
		if (tp_expression_value(use->expression, tried, &value, &diag) == TP_USAGE)
			tp_faults_add(r->in.faults, use->place,
				      "words are compared only by == and !=", "%s", diag.what);
	}
}

static const struct tp_shape lesson_shape = {
	.name = "a lesson", TP_SHAPE(lesson_fields), .file = &tp_lesson_yaml, .check = check_lesson
};

/* --set of an option that no preset of the lesson uses. */
static void check_sets(struct reader *r)
{
	const struct tp_preset *presets[TP_LESSON_STEPS_MAX];
	size_t n = 0;
	for (size_t i = 0; i < r->lesson->n_steps; i++)
		if (r->lesson->steps[i].preset)
			presets[n++] = r->lesson->steps[i].preset;
	if (r->overrides)
		tp_preset_check_sets(presets, n, r->overrides->sets, r->overrides->n, r->diags);
}

/* Errors common to all presets of the lesson, such as --set, are reported once. */
static void add_new(struct tp_diags *diags, size_t from, const struct tp_diag *diag)
{
	for (size_t i = from; i < diags->n; i++)
		if (strcmp(diags->items[i].where, diag->where) == 0 &&
		    strcmp(diags->items[i].what, diag->what) == 0)
			return;
	tp_diags_add(diags, diag);
}

enum tp_status tp_lesson_parse(struct tp_lesson *lesson, const char *name, const char *text,
			       size_t len, const struct tp_overrides *overrides,
			       struct tp_diags *diags)
{
	static const char *const nothing[] = { NULL };
	TP_CLEANUP(tp_diags_release) struct tp_diags beside = { 0 };
	TP_FREE struct reader *r = tp_alloc(1, sizeof(*r));
	size_t before = diags->n;
	*lesson = (struct tp_lesson){ .after = nothing, .title = "", .summary = "" };
	take_file_name(lesson, name);
	*r = (struct reader){ .in = { .arena = &lesson->arena },
			      .lesson = lesson,
			      .diags = &beside,
			      .overrides = overrides,
			      .use = { .step = SIZE_MAX } };
	enum tp_status status =
		tp_shape_parse(&r->in, &lesson_shape, name, text, len, lesson, diags);
	if (status == TP_OK && !beside.n)
		check_sets(r);
	for (size_t i = 0; i < beside.n; i++)
		add_new(diags, before, &beside.items[i]);
	free(r->uses);
	free(r->taken);
	if (diags->n == before)
		return TP_OK;
	tp_lesson_release(lesson);
	return TP_USAGE;
}

enum tp_status tp_lesson_load(struct tp_lesson *lesson, const char *path,
			      const struct tp_overrides *overrides, struct tp_diags *diags)
{
	struct tp_diag diag;
	TP_FREE char *text = NULL;
	size_t len = 0;
	*lesson = (struct tp_lesson){ 0 };
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	return tp_lesson_parse(lesson, path, text, len, overrides, diags);
}
