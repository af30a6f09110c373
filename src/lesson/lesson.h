/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lesson: a YAML file that tprof-lesson(5) describes. Its steps follow each other: text, a
 * question before the measurement (predict), a measurement, a plot, an explanation that quotes what
 * was measured, a question after it (check), the learner's own experiment (try), and the next
 * lesson.
 *
 * Everything a lesson computes is an expression (base/expression.h) on named values: see
 * lesson/values.h. Texts quote values in braces: "{L1.median_gbps}" is written with the unit of its
 * column, "{L1.median_gbps / dram.median_gbps}" as a plain number, and "{ridge}" with the unit that
 * `values` gives it. "{{" stands for "{". A blank line ends a paragraph; *words* stand out.
 */
#ifndef TPROF_LESSON_LESSON_H
#define TPROF_LESSON_LESSON_H

#include "base/memory.h"
#include "base/expression.h"
#include "base/named.h"
#include "base/status.h"
#include "preset/preset.h"

enum {
	TP_LESSON_STEPS_MAX = 64,
	TP_LESSON_RESULTS_MAX = 32, /* of a measure step */
	TP_LESSON_VALUES_MAX = 48,
	TP_LESSON_CHOICES_MAX = 9, /* keys 1 to 9 */
	TP_LESSON_VARIANTS_MAX = 12,
	TP_LESSON_CLAIMS_MAX = 8,
	TP_LESSON_CURVE_MAX = 24 /* places where a learner draws */
};

enum tp_lesson_step_kind {
	TP_STEP_TEXT,
	TP_STEP_PREDICT,
	TP_STEP_MEASURE,
	TP_STEP_PLOT,
	TP_STEP_EXPLAIN,
	TP_STEP_CHECK,
	TP_STEP_TRY,
	TP_STEP_NEXT,
	TP_STEP_KIND_COUNT
};
const char *tp_step_kind_name(enum tp_lesson_step_kind kind); /* "predict" */

/* A text whose braces hold expressions. */
struct tp_quoted {
	const char *text; /* as written */
	struct tp_quoted_piece {
		const char *text; /* words between two braces; NULL: the expression */
		size_t len;
		const struct tp_expression *value;
		const char *unit; /* after a bar, "{a / b | GB/s}"; NULL: the value's */
	} * pieces;
	size_t n;
};

enum tp_ask_kind { TP_ASK_NUMBER, TP_ASK_CHOICE, TP_ASK_CURVE };

/* A question of a step predict or check. */
struct tp_question {
	enum tp_ask_kind kind;
	const char *name; /* "guess" in {guess.given}, {guess.truth}, {guess.factor} */
	struct tp_quoted text;
	struct tp_quoted hint; /* after a wrong answer to a check; n = 0: none */
	/* NUMBER, and y of CURVE. */
	const char *unit; /* one of tp_lesson_unit, "" = a plain number */
	double from, to; /* answers outside are rejected with a message, for another try */
	const struct tp_expression *truth; /* NUMBER */
	double within; /* a check is right if it is off by no more than this factor, > 1 */
	/* CHOICE */
	struct tp_choice {
		struct tp_quoted text;
		const struct tp_expression *when; /* right if it holds */
	} choices[TP_LESSON_CHOICES_MAX];
	size_t n_choices;
	/* CURVE: y is drawn over n_x values of x, and compared with points of a measurement. */
	size_t of; /* step that measures them */
	const char *x_column, *y_column; /* of the table points */
	const char *x_unit;
	struct tp_condition *where; /* which points */
	size_t n_where;
	double x[TP_LESSON_CURVE_MAX];
	size_t n_x;
};

/* "level: L1", "working_set_bytes: '<= 16KiB'": a column of a row, and what it has to be. */
struct tp_condition {
	const char *column;
	enum { TP_IS, TP_IS_NOT, TP_BELOW, TP_AT_MOST, TP_ABOVE, TP_AT_LEAST } how;
	const char *word; /* of a text or word column; NULL: the number */
	double number;
};

/* A named result of a measurement: one row of one of its tables. */
struct tp_result {
	const char *name;
	const char *table; /* "points", "roofs", "plateaus", ... */
	struct tp_condition *where;
	size_t n_where;
	/* Of several rows: the first, the last, or the one where `column` is extreme. */
	enum { TP_TAKE_FIRST, TP_TAKE_LAST, TP_TAKE_LARGEST, TP_TAKE_SMALLEST } take;
	const char *column;
};

/* One way to explain; the first whose condition holds is shown. */
struct tp_variant {
	const struct tp_expression *when; /* NULL: always */
	struct tp_quoted text;
	/*
	 * What the text states, as conditions: whenever the variant is shown they hold. Tests hold
	 * them against made-up values and against simulated machines.
	 */
	const struct tp_expression *claims[TP_LESSON_CLAIMS_MAX];
	size_t n_claims;
};

struct tp_lesson_step {
	enum tp_lesson_step_kind kind;
	const char *name; /* of measure, predict, check; else "" */
	const char *where; /* "03-roofline.yaml:12:5", for messages */
	struct tp_quoted text; /* text of any step; may be empty */
	struct tp_question *question; /* PREDICT, CHECK */
	/* MEASURE */
	struct tp_preset *preset; /* also of TRY: what Setup is opened with */
	double seconds; /* rough duration, for the learner; 0 = not given */
	struct tp_result *results;
	size_t n_results;
	/* PLOT: steps measure, and steps predict whose answers are drawn over them. */
	size_t runs[4], n_runs;
	size_t guesses[4], n_guesses;
	/* EXPLAIN */
	struct tp_variant *variants;
	size_t n_variants;
	const char *next; /* NEXT: name of a lesson, "04-vector-width"; NULL: the course ends */
};

struct tp_lesson {
	char path[TP_PATH_MAX];
	char name[TP_NAME_MAX]; /* "03-roofline": what files of progress call it */
	const char *title;
	const char *summary; /* one sentence for the list */
	const char *const *after; /* what the learner knows afterwards, up to NULL */
	/* Where it cannot work: a condition on facts of the machine, and words. NULL: none. */
	const struct tp_expression *needs;
	const char *otherwise;
	struct tp_lesson_step *steps;
	size_t n_steps;
	/* Named expressions, each on those before it. */
	struct tp_lesson_value {
		const char *name, *unit;
		const struct tp_expression *value;
	} values[TP_LESSON_VALUES_MAX];
	size_t n_values;
	/* Terms that are defined here, in the order of the file. */
	struct tp_lesson_term {
		const char *name, *meaning;
	} * terms;
	size_t n_terms;
	struct tp_arena arena; /* owns everything except the presets */
};

/* Units of values by index, NULL after the last: "GB/s", "bytes", "ns", "FLOP/byte", "%", ... */
const char *tp_lesson_unit(size_t i);
/* A value with its unit for readers: "32 KiB", "412 GB/s", "2.4". */
const char *tp_lesson_format(char *out, size_t size, double value, const char *unit);
/*
 * What a learner typed as an answer in that unit: "30", "30 GB/s", "1.5 MiB", "1e3". TP_USAGE with
 * a helpful message.
 */
enum tp_status tp_lesson_number(const char *text, const char *unit, double *value,
				struct tp_diag *diag);

/*
 * Reads a lesson. All errors go to `diags` with file:line:column: unknown keys, results and columns
 * that do not exist, values that no step before has, units, presets inside (checked as presets
 * are), steps after `next`, names given twice. Also warnings of --check: results, values and terms
 * that no text uses. On failure `lesson` is empty. `overrides` are options for every preset inside
 * (--set, --simulate, --machine).
 */
struct tp_overrides; /* session/session.h */
enum tp_status tp_lesson_load(struct tp_lesson *lesson, const char *path,
			      const struct tp_overrides *overrides, struct tp_diags *diags);
/* The same from memory; `name` stands for the path. What the fuzzer calls. */
enum tp_status tp_lesson_parse(struct tp_lesson *lesson, const char *name, const char *text,
			       size_t len, const struct tp_overrides *overrides,
			       struct tp_diags *diags);
/* Things that are not errors, but odd: for --check. */
void tp_lesson_remarks(const struct tp_lesson *lesson, struct tp_diags *remarks);
void tp_lesson_release(struct tp_lesson *lesson);

/*
 * True if the file is a lesson: a mapping with the key `lesson`. False for presets and for
 * everything that cannot be read, which the reader of presets then complains about.
 */
bool tp_lesson_is(const char *path);
extern const struct tp_yaml_kind tp_lesson_yaml;

/* --- the course --- */

/*
 * All lessons, the user's own (lessons/ in the directories of presets) and the shipped ones, sorted
 * by name. Heap array that the caller frees.
 */
enum tp_status tp_lesson_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag);
/* By name ("03-roofline", "lessons/03-roofline") or path. TP_NOTFOUND names the nearest. */
enum tp_status tp_lesson_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);

#endif
