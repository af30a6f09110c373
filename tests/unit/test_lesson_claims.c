/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the shipped lessons state, held against made-up measurements: thousands of them for each
 * step, with values near each other and far apart, with rows and columns that are missing. Whenever
 * a text is shown, what it quotes is known and what it claims holds; and a question has an answer.
 * A text that no measurement leads to is remarked, not a failure.
 */
#include "experiments/experiment.h"
#include "files.h"

#include <glob.h>
#include <math.h>

#include "base/random.h"
#include "base/memory.h"
#include "lesson/values.h"

enum { TRIALS = 1500, CELLS_MAX = 128, WORDS_MAX = 32, TOLD_MAX = 12 };

/* A made-up measurement: values are drawn when they are first asked for. */
struct draw {
	const struct tp_lesson *lesson;
	uint64_t random;
	double middle, spread; /* of the values with one unit, and how far they are apart */
	struct cell {
		struct tp_lesson_name name;
		bool known;
		struct tp_operand value;
	} cells[CELLS_MAX];
	size_t n;
	/* By step of a measurement. */
	struct quality {
		bool drawn;
		double points, good, fair, poor;
	} quality[TP_LESSON_STEPS_MAX];
	/* Words that the lesson compares with. */
	char words[WORDS_MAX][32];
	size_t n_words;
};

/* From 0 to below 1. */
static double unit(struct draw *d)
{
	return (double)(tp_splitmix64(&d->random) >> 11) * 0x1p-53;
}

static double uniform(struct draw *d, double from, double to)
{
	return from + (to - from) * unit(d);
}

static bool chance(struct draw *d, double share)
{
	return unit(d) < share;
}

/* --- one measurement --- */

static void begin(struct draw *d)
{
	static const double spreads[] = { 0, 0.03, 0.1, 0.3, 1, 2, 4 };
	d->n = 0;
	memset(d->quality, 0, sizeof(d->quality));
	d->middle = exp(uniform(d, log(0.1), log(1e4)));
	d->spread = spreads[(size_t)uniform(d, 0, TP_COUNT_OF(spreads) - 1e-9)];
}

static const struct quality *quality_of(struct draw *d, size_t step)
{
	struct quality *q = &d->quality[step];
	if (q->drawn)
		return q;
	q->drawn = true;
	/* Most are not noisy, or little else would be tried. */
	double worst = chance(d, 0.2) ? 1 : 0.33;
	q->points = chance(d, 0.03) ? 0 : floor(uniform(d, 1, 40));
	q->poor = floor(uniform(d, 0, worst) * q->points);
	q->fair = floor(uniform(d, 0, 1) * (q->points - q->poor));
	q->good = q->points - q->poor - q->fair;
	return q;
}

static double measured(struct draw *d, size_t step, enum tp_measured what)
{
	const struct quality *q = quality_of(d, step);
	switch (what) {
	case TP_MEASURED_POINTS:
		return q->points;
	case TP_MEASURED_GOOD:
		return q->good;
	case TP_MEASURED_FAIR:
		return q->fair;
	case TP_MEASURED_POOR:
		return q->poor;
	case TP_MEASURED_NOISY:
		return q->points == 0 || 3 * q->poor > q->points;
	case TP_MEASURED_SIMULATED:
		return chance(d, 0.3);
	}
	return 0;
}

static bool ends(const char *text, const char *ending)
{
	size_t n = strlen(text), k = strlen(ending);
	return n >= k && strcmp(text + n - k, ending) == 0;
}

static double positive(struct draw *d, bool whole)
{
	double value = d->middle * exp(d->spread * uniform(d, -1, 1));
	return whole ? ceil(value) : value;
}

static struct tp_operand word(struct draw *d)
{
	const char *text = d->n_words && chance(d, 0.7)
				   ? d->words[(size_t)uniform(d, 0, (double)d->n_words - 1e-9)]
				   : "other";
	return (struct tp_operand){ text, strlen(text), 0 };
}

static bool draw_column(struct draw *d, const struct tp_column *column, struct tp_operand *out)
{
	bool whole = column->type == TP_COLUMN_UNSIGNED || column->type == TP_COLUMN_U64;
	if (chance(d, 0.04))
		return false;
	if (column->type == TP_COLUMN_BOOL)
		out->number = chance(d, 0.5);
	else if (!tp_column_is_number(column))
		*out = word(d);
	else if (ends(column->name, "_percent"))
		out->number = uniform(d, -99, chance(d, 0.5) ? 0 : 100);
	else
		out->number = positive(d, whole);
	return true;
}

static bool find_cell(const struct draw *d, const struct tp_lesson_name *name, size_t *at)
{
	for (*at = 0; *at < d->n; ++*at) {
		const struct tp_lesson_name *other = &d->cells[*at].name;
		if (other->kind == name->kind && other->step == name->step &&
		    other->index == name->index && other->column == name->column)
			return true;
	}
	return false;
}

static bool value_of(const void *context, const struct tp_lesson_name *name,
		     struct tp_operand *out);

static bool draw_value(struct draw *d, const struct tp_lesson_name *name, struct tp_operand *out)
{
	struct tp_lesson_name found = *name;
	const struct tp_question *question;
	struct tp_operand there;
	switch (name->kind) {
	case TP_NAME_RESULT:
		if (!name->column) {
			out->number = !chance(d, 0.08);
			return true;
		}
		found.column = NULL;
		return value_of(d, &found, &there) && there.number != 0 &&
		       draw_column(d, name->column, out);
	case TP_NAME_STEP:
		out->number = measured(d, name->step, name->index);
		return true;
	case TP_NAME_QUESTION:
		question = d->lesson->steps[name->step].question;
		if (name->index == TP_ANSWERED_RIGHT)
			out->number = chance(d, 0.5);
		else if (name->index == TP_ANSWERED_FACTOR)
			out->number = exp(uniform(d, 0, chance(d, 0.5) ? 0.4 : 6));
		else if (question->kind == TP_ASK_CHOICE)
			out->number = floor(uniform(d, 1, (double)question->n_choices + 0.999));
		else
			out->number = positive(d, false);
		return !chance(d, 0.05);
	case TP_NAME_MACHINE:
		if (tp_lesson_fact(name->index)->word) {
			*out = word(d);
		} else if (strcmp(tp_lesson_fact(name->index)->name, "virtual") == 0) {
			out->number = chance(d, 0.5);
		} else {
			out->number = exp2(floor(uniform(
				d, 0, ends(tp_lesson_fact(name->index)->name, "bytes") ? 30 : 8)));
		}
		return !chance(d, 0.05);
	case TP_NAME_VALUE:
		break;
	}
	return false;
}

static bool value_of(const void *context, const struct tp_lesson_name *name, struct tp_operand *out)
{
	struct draw *d = (struct draw *)context;
	size_t at;
	if (!find_cell(d, name, &at)) {
		struct cell cell = { .name = *name };
		cell.known = draw_value(d, name, &cell.value);
		assert_true(d->n < CELLS_MAX);
		d->cells[d->n++] = cell;
		/* A column draws whether its row is there, too. */
		at = d->n - 1;
	}
	*out = d->cells[at].value;
	return d->cells[at].known;
}

/* --- what a lesson compares words with --- */

static void collect_words(struct draw *d, const struct tp_expression *e)
{
	for (const char *c = e ? strpbrk(e->text, "'\"") : NULL; c; c = strpbrk(c, "'\"")) {
		const char *end = strchr(c + 1, *c);
		if (!end || d->n_words == WORDS_MAX)
			return;
		size_t len = TP_MIN((size_t)(end - c - 1), sizeof(d->words[0]) - 1);
		memcpy(d->words[d->n_words], c + 1, len);
		d->words[d->n_words++][len] = '\0';
		c = end + 1;
	}
}

static void collect_all_words(struct draw *d)
{
	for (size_t i = 0; i < d->lesson->n_values; i++)
		collect_words(d, d->lesson->values[i].value);
	for (size_t i = 0; i < d->lesson->n_steps; i++) {
		const struct tp_lesson_step *step = &d->lesson->steps[i];
		for (size_t v = 0; v < step->n_variants; v++)
			collect_words(d, step->variants[v].when);
		for (size_t c = 0; step->question && c < step->question->n_choices; c++)
			collect_words(d, step->question->choices[c].when);
	}
}

/* --- what must hold --- */

static unsigned told;
static const char *last_told; /* of each mistake one example is enough */

static void tell(const struct draw *d, const struct tp_lesson_step *step, const char *what,
		 const char *about)
{
	if (about == last_told || told++ >= TOLD_MAX)
		return;
	last_told = about;
	print_error("%s: %s: %s\n", step->where, what, about);
	for (size_t i = 0; i < d->n; i++) {
		const struct cell *cell = &d->cells[i];
		const struct tp_lesson_step *of = &d->lesson->steps[cell->name.step];
		const char *name = cell->name.kind == TP_NAME_MACHINE ? "machine" : of->name;
		const char *member = "";
		if (cell->name.kind == TP_NAME_RESULT)
			name = of->results[cell->name.index].name;
		if (cell->name.column)
			member = cell->name.column->name;
		if (!cell->known)
			print_error("    %s.%s (%zu) unknown\n", name, member, cell->name.index);
		else if (cell->value.word)
			print_error("    %s.%s (%zu) = %s\n", name, member, cell->name.index,
				    cell->value.word);
		else
			print_error("    %s.%s (%zu) = %.6g\n", name, member, cell->name.index,
				    cell->value.number);
	}
}

static void try_explain(struct draw *d, const struct tp_lesson_step *step, bool *reached)
{
	const struct tp_lesson_state known = { .lesson = d->lesson,
					       .value = value_of,
					       .context = d };
	begin(d);
	const struct tp_variant *variant = tp_lesson_variant(&known, step);
	if (!variant)
		return;
	reached[variant - step->variants] = true;
	for (size_t i = 0; i < variant->n_claims; i++)
		if (!tp_lesson_holds(&known, variant->claims[i]))
			tell(d, step, "a text is shown, and its claim does not hold",
			     variant->claims[i]->text);
	struct tp_str text = { 0 };
	if (!tp_lesson_fill(&known, &variant->text, &text))
		tell(d, step, "a text is shown, and what it quotes is unknown", variant->text.text);
	tp_str_release(&text);
}

/* Where all conditions are known, a choice is right; returns how many are. */
static unsigned try_choices(struct draw *d, const struct tp_lesson_step *step)
{
	const struct tp_lesson_state known = { .lesson = d->lesson,
					       .value = value_of,
					       .context = d };
	const struct tp_question *q = step->question;
	unsigned right = 0;
	begin(d);
	for (size_t i = 0; i < q->n_choices; i++) {
		double value;
		if (!tp_lesson_compute(&known, q->choices[i].when, &value))
			return 1;
		right += value != 0;
	}
	if (!right)
		tell(d, step, "no choice is right", q->text.text);
	return right;
}

static void try_lesson(const struct tp_lesson *lesson)
{
	struct draw d = { .lesson = lesson };
	d.random = 1;
	collect_all_words(&d);
	for (size_t i = 0; i < lesson->n_steps; i++) {
		const struct tp_lesson_step *step = &lesson->steps[i];
		bool reached[TP_LESSON_VARIANTS_MAX] = { false }, several = false;
		for (int k = 0; k < TRIALS && step->n_variants; k++)
			try_explain(&d, step, reached);
		for (int k = 0; k < TRIALS / 4 && step->question && step->question->n_choices; k++)
			several |= try_choices(&d, step) > 1;
		for (size_t v = 0; v < step->n_variants; v++)
			if (!reached[v])
				print_message("# %s: nothing leads to text %zu: \"%.60s\"\n",
					      step->where, v + 1, step->variants[v].text.text);
		if (several)
			print_message("# %s: two choices can be right at once\n", step->where);
	}
}

static void test_shipped_lessons(void **state)
{
	char pattern[TP_PATH_MAX];
	glob_t found;
	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/presets/lessons/*.yaml", source_dir());
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct tp_lesson lesson;
		struct tp_diags diags = { 0 };
		if (tp_lesson_load(&lesson, found.gl_pathv[i], NULL, &diags) != TP_OK)
			fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
		try_lesson(&lesson);
		tp_lesson_release(&lesson);
	}
	globfree(&found);
	assert_int_equal(told, 0);
}

/* --- the test itself: planted mistakes are found --- */

static void find_mistake(const char *explain, unsigned least)
{
	struct tp_diags diags = { 0 };
	struct tp_lesson lesson;
	char text[1024];
	snprintf(text, sizeof(text),
		 "lesson: 1\ntitle: A\nsummary: B\nvalues: {r: a.median_gbps / b.median_gbps}\n"
		 "steps:\n  - measure: m\n    preset: {experiment: memcurve}\n"
		 "    results: {a: {table: points}, b: {table: points, take: last}}\n  - %s\n",
		 explain);
	if (tp_lesson_parse(&lesson, "planted.yaml", text, strlen(text), NULL, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	told = TOLD_MAX; /* counted, not printed */
	last_told = NULL;
	try_lesson(&lesson);
	unsigned n = told - TOLD_MAX;
	told = 0;
	tp_lesson_release(&lesson);
	if (n < least || (least == 0 && n > 0))
		fail_msg("%s: %u mistakes found", explain, n);
}

static void test_planted_mistakes(void **state)
{
	(void)state;
	find_mistake("explain: [{when: r > 2, text: x, claims: [a.median_gbps > b.median_gbps]}]",
		     0);
	find_mistake("explain: [{when: r > 2, text: x, claims: [r > 2.1]}]", 1);
	find_mistake("explain: [{when: r >= 1, text: x, claims: [r > 1]}]", 1);
	find_mistake("explain: [{when: not m.noisy, text: x, claims: [r > 0]}]", 1);
	find_mistake("explain: [{when: m.noisy, text: x, claims: [3 * m.poor > m.points]}]", 1);
	find_mistake("explain: [{when: m.noisy, text: x, claims: [3 * m.poor >= m.points]}]", 0);
	find_mistake("{check: q, question: x, choices: [{say: x, when: r > 1}, {say: y, when: r < "
		     "1}]}",
		     1);
	find_mistake("{check: q, question: x, choices: [{say: x, when: r > 1}, {say: y, when: r <= "
		     "1}]}",
		     0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_mistakes),
		cmocka_unit_test(test_shipped_lessons),
	};
	/* The user's own configuration is not a part of the test. */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
