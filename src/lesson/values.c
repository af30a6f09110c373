/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "kernels/isa.h"
#include "record/point.h"
#include "report/facts.h"

/* --- rows of a run, as results name them --- */

/* A column of one row. */
struct cell {
	const struct tp_column *column;
	const void *record;
};

/* Of a part: a row of its table; without one, a point with what its experiment adds. */
static bool find_cell(const struct tp_part *part, const void *row, const char *name,
		      struct cell *cell)
{
	const struct tp_point *point = row;
	*cell = (struct cell){ tp_column_find(part ? part->table : &tp_point_table, name), row };
	if (!cell->column && !part && point->row && point->kind && point->kind->table)
		*cell = (struct cell){ tp_column_find(point->kind->table, name), point->row };
	return cell->column != NULL;
}

static bool cell_value(const struct cell *cell, struct tp_operand *value)
{
	const struct tp_column *column = cell->column;
	const char *at = (const char *)cell->record + column->offset;
	*value = (struct tp_operand){ 0 };
	if (tp_column_is_number(column)) {
		if (!tp_column_applies(column, cell->record))
			return false;
		value->number = tp_column_number(column, cell->record);
		return isfinite(value->number);
	}
	if (column->applies && !column->applies(cell->record))
		return false;
	if (column->type == TP_COLUMN_BOOL) {
		value->number = *(const bool *)at;
		return true;
	}
	if (column->type == TP_COLUMN_WORD && *(const unsigned *)at < column->words->n)
		value->word = column->words->names[*(const unsigned *)at];
	else if (column->type == TP_COLUMN_TEXT)
		value->word = at;
	if (value->word)
		value->len = strlen(value->word);
	return value->word != NULL;
}

/* --- conditions --- */

static bool is_same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool number_fits(double value, const struct tp_condition *condition)
{
	bool same = is_same(value, condition->number), less = value < condition->number;
	const bool fits[] = { [TP_IS] = same,
			      [TP_IS_NOT] = !same,
			      [TP_BELOW] = less && !same,
			      [TP_AT_MOST] = less || same,
			      [TP_ABOVE] = !less && !same,
			      [TP_AT_LEAST] = !less || same };
	return fits[condition->how];
}

static bool cell_fits(const struct cell *cell, const struct tp_condition *condition)
{
	struct tp_operand value;
	unsigned index;
	if (cell->column->type == TP_COLUMN_FLAGS) {
		uint32_t bits =
			*(const uint32_t *)((const char *)cell->record + cell->column->offset);
		return tp_word_find(cell->column->words, condition->word, &index) &&
		       !!(bits & 1u << index) == (condition->how == TP_IS);
	}
	if (!cell_value(cell, &value))
		return false;
	if (!condition->word)
		return !value.word && number_fits(value.number, condition);
	return value.word &&
	       (strcmp(value.word, condition->word) == 0) == (condition->how == TP_IS);
}

static bool row_fits(const struct tp_part *part, const void *row, const struct tp_condition *where,
		     size_t n_where)
{
	struct cell cell;
	for (size_t i = 0; i < n_where; i++)
		if (!find_cell(part, row, where[i].column, &cell) || !cell_fits(&cell, &where[i]))
			return false;
	return part || ((const struct tp_point *)row)->state == TP_POINT_DONE;
}

/* The value of a column of a row; false if it has none. */
static bool row_value(const struct tp_part *part, const void *row, const char *column,
		      struct tp_operand *value)
{
	struct cell cell;
	return find_cell(part, row, column, &cell) && cell_value(&cell, value);
}

/* --- results --- */

/* The row that a result names; NULL if missing. */
static const void *find_row(const struct tp_run *run, const struct tp_result *result,
			    const struct tp_part **part)
{
	struct tp_lesson_table table;
	struct tp_operand value;
	const void *found = NULL;
	double best = 0;
	if (!tp_lesson_table_find(NULL, result->table, &table))
		return NULL;
	*part = table.part;
	const struct tp_rows *rows = table.part ? tp_run_rows(run, table.part) : NULL;
	for (size_t i = 0; i < (rows ? rows->n : run->n_points); i++) {
		const void *row =
			rows ? TP_ROW_AT(rows, table.part->table, i) : (void *)&run->points[i];
		if (!row_fits(table.part, row, result->where, result->n_where))
			continue;
		if (result->take == TP_TAKE_FIRST)
			return row;
		if (result->take == TP_TAKE_LARGEST || result->take == TP_TAKE_SMALLEST) {
			if (!row_value(table.part, row, result->column, &value))
				continue;
			double number =
				result->take == TP_TAKE_LARGEST ? value.number : -value.number;
			if (found && number <= best)
				continue;
			best = number;
		}
		found = row;
	}
	return found;
}

/* --- facts --- */

/*
 * Of the widest vectors of the run's CPU; of the kernels that ran if it is unknown, as on a
 * simulated machine.
 */
static unsigned vector_bytes(const struct tp_run *run)
{
	struct tp_cpu cpu = { 0 };
	unsigned widest = 0;
	tp_copy(cpu.arch, sizeof(cpu.arch), tp_fact_text(run, "machine.arch"));
	tp_copy(cpu.features, sizeof(cpu.features), tp_fact_text(run, "machine.features"));
	for (size_t i = 0; i < tp_isa_count && *cpu.features; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		if (!tp_isa_is_apart(isa) && strcmp(isa->arch, cpu.arch) == 0 &&
		    tp_isa_supported(isa, &cpu, NULL) == TP_OK && tp_isa_vector_bytes(isa) > widest)
			widest = tp_isa_vector_bytes(isa);
	}
	for (size_t i = 0; i < run->n_points && !*cpu.features; i++) {
		const struct tp_isa *isa = tp_isa_find(tp_point_word(&run->points[i], "isa"));
		if (isa && !tp_isa_is_apart(isa) && tp_isa_vector_bytes(isa) > widest)
			widest = tp_isa_vector_bytes(isa);
	}
	return widest;
}

/* A fact of the machine of a run. */
static bool fact_value(const struct tp_run *run, const struct tp_lesson_fact *fact,
		       struct tp_operand *value)
{
	const struct tp_fact *there = fact->key ? tp_run_fact(run, fact->key) : NULL;
	*value = (struct tp_operand){ 0 };
	if (!fact->key && strcmp(fact->name, "virtual") == 0) {
		value->number = *tp_fact_text(run, "machine.hypervisor") != '\0';
		return run->n_facts > 0;
	}
	if (!fact->key) {
		value->number = vector_bytes(run);
		return value->number > 0;
	}
	if (!there || there->is_number == fact->word)
		return false;
	if (fact->word)
		*value = (struct tp_operand){ there->text, strlen(there->text), 0 };
	else
		value->number = there->number;
	return true;
}

/* --- trust --- */

struct tp_trust tp_trust_of(const struct tp_run *run)
{
	size_t count[TP_QUALITY_COUNT] = { 0 }, points = 0;
	TP_EACH_POINT (p, run) {
		points += p->state == TP_POINT_DONE;
		count[p->quality] += p->state == TP_POINT_DONE;
	}
	return (struct tp_trust){ .points = points,
				  .good = count[TP_QUALITY_GOOD],
				  .fair = count[TP_QUALITY_FAIR],
				  .poor = count[TP_QUALITY_POOR],
				  .quality =
					  points ? tp_quality_of_points(count) : TP_QUALITY_POOR };
}

static bool is_simulated(const struct tp_run *run)
{
	char words[TP_SIMULATED_BYTES + 16];
	return *tp_fact_simulated(run, words, sizeof(words)) != '\0';
}

bool tp_trust_counts(const struct tp_run *const *runs, size_t n, size_t at)
{
	if (!runs[at] || !is_simulated(runs[at]))
		return runs[at] != NULL;
	for (size_t i = 0; i < n; i++)
		if (runs[i] && !is_simulated(runs[i]))
			return false;
	return true;
}

void tp_trust_words(const struct tp_run *run, struct tp_str *out)
{
	static const char *const means[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "",
		[TP_QUALITY_GOOD] = " You can trust these numbers.",
		[TP_QUALITY_FAIR] = " Something else ran at times, so do not read much into "
				    "differences below ten percent.",
		[TP_QUALITY_POOR] = " The machine was too busy with other things: these numbers "
				    "may be far off. Measure again when it is quieter.",
	};
	const struct tp_trust t = tp_trust_of(run);
	char count[32], qualities[64], simulated[TP_SIMULATED_BYTES + 16];
	if (!t.points) {
		tp_str_add(out, "No point could be measured.");
		return;
	}
	tp_str_printf(out, "Measured %s", tp_text_count(count, sizeof(count), t.points, "point"));
	if (t.points < run->n_points)
		tp_str_printf(out, " of %zu", run->n_points);
	if (*tp_fact_qualities(run, NULL, qualities, sizeof(qualities)))
		tp_str_printf(out, ": %s", qualities);
	tp_str_printf(out, ".%s", means[t.quality]);
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(out, " This was not a real machine (%s).", simulated);
}

static double measured_value(const struct tp_run *run, enum tp_measured what)
{
	struct tp_trust trust = tp_trust_of(run);
	char simulated[TP_SIMULATED_BYTES];
	const double values[] = {
		[TP_MEASURED_POINTS] = (double)trust.points,
		[TP_MEASURED_GOOD] = (double)trust.good,
		[TP_MEASURED_FAIR] = (double)trust.fair,
		[TP_MEASURED_POOR] = (double)trust.poor,
		[TP_MEASURED_NOISY] = trust.quality == TP_QUALITY_POOR,
		[TP_MEASURED_SIMULATED] =
			*tp_run_simulated(run, simulated, sizeof(simulated)) != '\0',
	};
	return values[what];
}

static bool answered_value(const struct tp_answer *answer, enum tp_answered what, double *value)
{
	const double values[] = {
		[TP_ANSWERED_GIVEN] = answer->given,
		[TP_ANSWERED_TRUTH] = answer->truth,
		[TP_ANSWERED_FACTOR] = answer->factor,
		[TP_ANSWERED_RIGHT] = answer->right,
	};
	*value = values[what];
	if (what == TP_ANSWERED_RIGHT)
		return answer->there && (isfinite(answer->truth) || isfinite(answer->factor));
	return answer->there && isfinite(*value);
}

static const struct tp_run *newest(const struct tp_lesson_state *state)
{
	for (size_t i = state->lesson->n_steps; i-- > 0;)
		if (state->runs[i])
			return state->runs[i];
	return NULL;
}

static bool value_of(const struct tp_lesson_state *state, const struct tp_lesson_name *name,
		     struct tp_operand *out)
{
	const struct tp_run *run =
		name->kind == TP_NAME_MACHINE ? newest(state) : state->runs[name->step];
	*out = (struct tp_operand){ 0 };
	if (name->kind == TP_NAME_QUESTION)
		return answered_value(&state->answers[name->step], name->index, &out->number);
	if (!run)
		return false;
	if (name->kind == TP_NAME_STEP) {
		out->number = measured_value(run, name->index);
		return true;
	}
	if (name->kind == TP_NAME_MACHINE)
		return fact_value(run, tp_lesson_fact(name->index), out);
	const struct tp_result *result = &state->lesson->steps[name->step].results[name->index];
	const struct tp_part *part;
	const void *row = find_row(run, result, &part);
	if (name->column)
		return row && row_value(part, row, name->column->name, out);
	out->number = row != NULL;
	return true;
}

/* --- expressions and texts over any values --- */

struct evaluation {
	const struct tp_lesson_state *state;
	/* The needed ones of the lesson's own values. */
	struct tp_operand values[TP_LESSON_VALUES_MAX];
	bool needed[TP_LESSON_VALUES_MAX], is[TP_LESSON_VALUES_MAX];
};

static bool find_name(const struct evaluation *v, const struct tp_expression *e, unsigned i,
		      struct tp_lesson_name *name)
{
	return tp_lesson_name_find(v->state->lesson, e->names[i].text, e->names[i].len, name, NULL);
}

static void mark_needed(struct evaluation *v, const struct tp_expression *e)
{
	struct tp_lesson_name name;
	for (unsigned i = 0; e && i < e->n_names; i++)
		if (!memchr(e->names[i].text, '.', e->names[i].len) && find_name(v, e, i, &name))
			v->needed[name.index] = true;
}

static bool evaluate(const struct evaluation *v, const struct tp_expression *e,
		     struct tp_operand *out)
{
	struct tp_operand operands[TP_EXPRESSION_NAMES_MAX];
	struct tp_lesson_name name;
	if (!e)
		return false;
	for (unsigned i = 0; i < e->n_names; i++) {
		operands[i] = (struct tp_operand){ 0 };
		if (!find_name(v, e, i, &name))
			return false;
		if (name.kind != TP_NAME_VALUE) {
			if (!(v->state->value
				      ? v->state->value(v->state->context, &name, &operands[i])
				      : value_of(v->state, &name, &operands[i])))
				return false;
		} else if (v->is[name.index]) {
			operands[i] = v->values[name.index];
		} else {
			return false;
		}
	}
	*out = (struct tp_operand){ 0 };
	/* A single word is not an expression, but a text may quote it. */
	if (e->n_steps == 1 && e->n_names == 1 && operands[0].word) {
		*out = operands[0];
		return true;
	}
	return tp_expression_value(e, operands, &out->number, NULL) == TP_OK;
}

static bool compute(const struct tp_lesson_state *state, const struct tp_expression *expression,
		    struct tp_operand *value)
{
	const struct tp_lesson *lesson = state->lesson;
	struct evaluation v;
	v.state = state;
	memset(v.needed, 0, sizeof(v.needed));
	mark_needed(&v, expression);
	/* Each may use earlier ones. */
	for (size_t i = lesson->n_values; i-- > 0;)
		if (v.needed[i])
			mark_needed(&v, lesson->values[i].value);
	for (size_t i = 0; i < lesson->n_values; i++)
		v.is[i] = v.needed[i] && evaluate(&v, lesson->values[i].value, &v.values[i]);
	return evaluate(&v, expression, value);
}

bool tp_lesson_compute(const struct tp_lesson_state *state, const struct tp_expression *expression,
		       double *value)
{
	struct tp_operand operand;
	if (!compute(state, expression, &operand) || operand.word)
		return false;
	*value = operand.number;
	return true;
}

bool tp_lesson_holds(const struct tp_lesson_state *state, const struct tp_expression *condition)
{
	double value;
	return tp_lesson_compute(state, condition, &value) && value != 0;
}

bool tp_lesson_fill(const struct tp_lesson_state *state, const struct tp_quoted *text,
		    struct tp_str *out)
{
	bool all = true;
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_quoted_piece *piece = &text->pieces[i];
		struct tp_operand value;
		char shown[96];
		if (piece->text) {
			tp_str_add_n(out, piece->text, piece->len);
		} else if (!compute(state, piece->value, &value)) {
			tp_str_add(out, "?");
			all = false;
		} else if (value.word) {
			tp_str_add_n(out, value.word, value.len);
		} else {
			tp_str_add(out, tp_lesson_format(shown, sizeof(shown), value.number,
							 piece->unit));
		}
	}
	return all;
}

void tp_lesson_room(const char *unit, struct tp_str *out)
{
	/* People write KiB or MiB. */
	bool has_unit = unit && *unit && strcmp(unit, "bytes") != 0;
	tp_str_printf(out, "________%s%s", has_unit ? " " : "", has_unit ? unit : "");
}

void tp_lesson_blank(const struct tp_quoted *text, struct tp_str *out)
{
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_quoted_piece *piece = &text->pieces[i];
		if (piece->text)
			tp_str_add_n(out, piece->text, piece->len);
		else
			tp_lesson_room(piece->unit, out);
	}
}

const struct tp_variant *tp_lesson_variant(const struct tp_lesson_state *state,
					   const struct tp_lesson_step *step)
{
	for (size_t i = 0; i < step->n_variants; i++) {
		const struct tp_variant *variant = &step->variants[i];
		TP_STR words = { 0 };
		if ((!variant->when || tp_lesson_holds(state, variant->when)) &&
		    tp_lesson_fill(state, &variant->text, &words))
			return variant;
	}
	return NULL;
}

/* --- how far answers are off --- */

enum { CURVE_POINTS_MAX = 1024 };

/* How near a prediction has to be to count as right; checks define this themselves. */
static const double near_enough = 1.25;

/* A drawn place this far outside the measured ones is compared with the last of them. */
static const double beside = 1.5;

/* By how much one is larger than the other; NaN where that means nothing. */
static double factor_of(double a, double b)
{
	if (a == b)
		return 1;
	return a > 0 && b > 0 ? fmax(a / b, b / a) : NAN;
}

static bool is_right(const struct tp_question *q, const struct tp_answer *answer)
{
	return answer->factor <= (q->within > 1 ? q->within : near_enough) * (1 + 1e-9);
}

static bool judge_choice(const struct tp_lesson_state *state, const struct tp_question *q,
			 struct tp_answer *answer)
{
	size_t given = answer->given >= 1 ? (size_t)answer->given - 1 : q->n_choices, first = 0;
	while (first < q->n_choices && !tp_lesson_holds(state, q->choices[first].when))
		first++;
	if (first == q->n_choices)
		return false;
	/* Several may be right. */
	answer->right = given < q->n_choices && tp_lesson_holds(state, q->choices[given].when);
	answer->truth = answer->right ? answer->given : (double)first + 1;
	return true;
}

/* --- curves --- */

struct xy {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	double p = ((const struct xy *)a)->x, q = ((const struct xy *)b)->x;
	return (p > q) - (p < q);
}

/* Points with one x become one, in the middle of their factors. */
static size_t merge(struct xy *points, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n;) {
		size_t end = i;
		double logs = 0;
		for (; end < n && points[end].x == points[i].x; end++)
			logs += log(points[end].y);
		if (end - i > 1)
			points[i].y = exp(logs / (double)(end - i));
		points[kept++] = points[i];
		i = end;
	}
	return kept;
}

size_t tp_lesson_curve(const struct tp_lesson_state *state, const struct tp_question *question,
		       double *x, double *y, size_t most)
{
	const struct tp_run *run = state->runs[question->of];
	struct tp_operand at, value;
	size_t n = 0;
	if (!run || !most)
		return 0;
	TP_FREE struct xy *points = tp_alloc(run->n_points + 1, sizeof(*points));
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (row_fits(NULL, p, question->where, question->n_where) &&
		    row_value(NULL, p, question->x_column, &at) &&
		    row_value(NULL, p, question->y_column, &value) && at.number > 0 &&
		    value.number > 0)
			points[n++] = (struct xy){ at.number, value.number };
	}
	qsort(points, n, sizeof(*points), by_x);
	n = merge(points, n);
	/* If not all fit, some of them from one end to the other. */
	size_t shown = TP_MIN(n, most);
	for (size_t i = 0; i < shown; i++) {
		size_t from = shown > 1 ? i * (n - 1) / (shown - 1) : 0;
		x[i] = points[from].x;
		y[i] = points[from].y;
	}
	return shown;
}

/* The measured value between two points, both axes logarithmic; NaN far outside. */
static double between(const double *x, const double *y, size_t n, double at)
{
	size_t i = 1;
	if (at <= x[0])
		return at * beside >= x[0] ? y[0] : NAN;
	if (at >= x[n - 1])
		return at <= x[n - 1] * beside ? y[n - 1] : NAN;
	while (x[i] < at)
		i++;
	double share = log(at / x[i - 1]) / log(x[i] / x[i - 1]);
	return y[i - 1] * pow(y[i] / y[i - 1], share);
}

static bool judge_curve(const struct tp_lesson_state *state, const struct tp_question *q,
			struct tp_answer *answer)
{
	double x[CURVE_POINTS_MAX], y[CURVE_POINTS_MAX], factors[TP_LESSON_CURVE_MAX];
	size_t n = tp_lesson_curve(state, q, x, y, CURVE_POINTS_MAX), known = 0;
	for (size_t i = 0; i < q->n_x && n; i++) {
		double factor = factor_of(answer->y[i], between(x, y, n, q->x[i]));
		if (isfinite(factor))
			factors[known++] = factor;
	}
	if (!known)
		return false;
	tp_sort_doubles(factors, known);
	answer->factor = sqrt(factors[(known - 1) / 2] * factors[known / 2]);
	answer->given = answer->factor;
	answer->right = is_right(q, answer);
	return true;
}

bool tp_lesson_judge(const struct tp_lesson_state *state, const struct tp_lesson_step *step,
		     struct tp_answer *answer)
{
	const struct tp_question *q = step->question;
	answer->truth = answer->factor = NAN;
	answer->right = false;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		if (!tp_lesson_compute(state, q->truth, &answer->truth))
			return false;
		answer->factor = factor_of(answer->given, answer->truth);
		answer->right = is_right(q, answer);
		return true;
	case TP_ASK_CHOICE:
		return judge_choice(state, q, answer);
	case TP_ASK_CURVE:
		return judge_curve(state, q, answer);
	}
	return false;
}
