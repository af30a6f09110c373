/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as data: one row a pair in CSV and JSON, and the verdict in one line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/json.h"
#include "report/compare.h"
#include "record/point.h"

enum { TOLD_MAX = 3 };

/* --- cells: one table for both formats --- */

struct cell_of {
	const struct tp_comparison *c;
	const struct tp_compared *row;
	const struct tp_difference *d;
	size_t index;
};

/* Fills `text`, or `number`; an empty text is a cell that does not apply, and so is NaN. */
struct value {
	struct tp_str text;
	double number;
	bool is_number;
};

static void text_value(struct value *v, const char *text)
{
	tp_str_add(&v->text, text);
}

static void number_value(struct value *v, double number)
{
	v->number = number;
	v->is_number = true;
}

static void kind_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, x->row->b ? "point" : "plateau");
}

static void baseline_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, x->c->names[0]);
}

static void run_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, x->c->names[x->row->run]);
}

static const struct tp_point *itself(const struct tp_point *point)
{
	return point;
}

/* Members that points and plateaus both have, and those of points alone. */
#define BOTH_CELL(name, from)                                                                      \
	static void name##_cell(const struct cell_of *x, struct value *v)                          \
	{                                                                                          \
		text_value(v, x->row->b ? from(x->row->b)->name : x->row->plateau_b->name);        \
	}
#define POINT_CELL(name, from)                                                                     \
	static void name##_cell(const struct cell_of *x, struct value *v)                          \
	{                                                                                          \
		text_value(v, x->row->b ? from(x->row->b)->name : "");                             \
	}
BOTH_CELL(kernel, itself)
BOTH_CELL(isa, tp_kernel_row)
BOTH_CELL(precision, tp_kernel_row)
BOTH_CELL(level, tp_kernel_row)
BOTH_CELL(pages_wanted, tp_kernel_row)
POINT_CELL(experiment, itself)
POINT_CELL(fp_op, tp_kernel_row)
#undef BOTH_CELL
#undef POINT_CELL

static void threads_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, x->row->b ? x->row->b->threads : x->row->plateau_b->threads);
}

static double or_nothing(double value)
{
	return value > 0 ? value : NAN;
}

static void size_cell(const struct cell_of *x, struct value *v)
{
	number_value(
		v, or_nothing(x->row->b ? (double)tp_kernel_row(x->row->b)->working_set_bytes : 0));
}

static void ai_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, or_nothing(x->row->b ? tp_kernel_row(x->row->b)->ai_flop_per_byte : 0));
}

static void pause_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, or_nothing(x->row->b ? tp_kernel_row(x->row->b)->pause_cycles : 0));
}

/* With --across: where the baseline's point stands in that dimension. */
static void against_cell(const struct cell_of *x, struct value *v)
{
	char text[64];
	if (x->row->a)
		text_value(v,
			   tp_dimension_text(x->c->options.across, x->row->a, text, sizeof(text)));
}

static void unit_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, tp_compare_unit(x->row));
}

static void first_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, or_nothing(tp_compare_value(x->row, false)));
}

static void second_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, or_nothing(tp_compare_value(x->row, true)));
}

static void ratio_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, exp(x->d->gain));
}

static void low_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, x->d->known ? exp(x->d->low) : NAN);
}

static void high_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, x->d->known ? exp(x->d->high) : NAN);
}

static void p_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, x->d->known ? x->d->p : NAN);
}

static void visible_cell(const struct cell_of *x, struct value *v)
{
	number_value(v, x->d->known ? x->d->visible : NAN);
}

static void repeat_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, tp_repeat_name(x->row->repeat));
}

static void verdict_cell(const struct cell_of *x, struct value *v)
{
	text_value(v, x->c->no_verdict[0] ? "" : tp_verdict_name(x->d->verdict));
}

static void flags_value(const struct tp_point *p, struct value *v)
{
	char text[256];
	text_value(v, p ? tp_flags_text(p->flags, text, sizeof(text)) : "");
}

static void baseline_flags_cell(const struct cell_of *x, struct value *v)
{
	flags_value(x->row->a, v);
}

static void flags_cell(const struct cell_of *x, struct value *v)
{
	flags_value(x->row->b, v);
}

static void quality_value(const struct tp_point *p, struct value *v)
{
	text_value(v, p ? tp_quality_name(p->quality) : "");
}

static void baseline_quality_cell(const struct cell_of *x, struct value *v)
{
	quality_value(x->row->a, v);
}

static void quality_cell(const struct cell_of *x, struct value *v)
{
	quality_value(x->row->b, v);
}

static void note_cell(const struct cell_of *x, struct value *v)
{
	tp_compare_note(x->c, x->index, &v->text);
}

static const struct {
	const char *name;
	void (*cell)(const struct cell_of *x, struct value *v);
} columns[] = {
	{ "kind", kind_cell },
	{ "baseline", baseline_cell },
	{ "run", run_cell },
	{ "experiment", experiment_cell },
	{ "kernel", kernel_cell },
	{ "isa", isa_cell },
	{ "precision", precision_cell },
	{ "threads", threads_cell },
	{ "level", level_cell },
	{ "working_set_bytes", size_cell },
	{ "fp_op", fp_op_cell },
	{ "ai_flop_per_byte", ai_cell },
	{ "pages_wanted", pages_wanted_cell },
	{ "pause_cycles", pause_cell },
	{ "against", against_cell },
	{ "unit", unit_cell },
	{ "baseline_median", first_cell },
	{ "median", second_cell },
	{ "ratio", ratio_cell },
	{ "low", low_cell },
	{ "high", high_cell },
	{ "p", p_cell },
	{ "verdict", verdict_cell },
	{ "repeats_as", repeat_cell },
	{ "visible", visible_cell },
	{ "baseline_flags", baseline_flags_cell },
	{ "flags", flags_cell },
	{ "note", note_cell },
	{ "baseline_quality", baseline_quality_cell },
	{ "quality", quality_cell },
};

static void fill(const struct tp_comparison *c, size_t row, size_t column, struct value *v)
{
	const struct cell_of x = { c, &c->rows[row], &c->differences[row], row };
	tp_str_clear(&v->text);
	v->is_number = false;
	columns[column].cell(&x, v);
}

/* --- CSV --- */

static void add_quoted(struct tp_str *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		tp_str_add(out, text);
		return;
	}
	tp_str_add(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			tp_str_add(out, "\"");
		tp_str_add_n(out, text, 1);
	}
	tp_str_add(out, "\"");
}

enum tp_status tp_compare_csv(const struct tp_comparison *c, struct tp_str *out)
{
	struct value v = { .number = 0 };
	for (size_t i = 0; i < TP_COUNT_OF(columns); i++)
		tp_str_printf(out, "%s%s", i ? "," : "", columns[i].name);
	tp_str_add(out, "\n");
	for (size_t row = 0; row < c->n; row++) {
		for (size_t i = 0; i < TP_COUNT_OF(columns); i++) {
			fill(c, row, i, &v);
			tp_str_add(out, i ? "," : "");
			if (!v.is_number)
				add_quoted(out, tp_str_text(&v.text));
			else if (isfinite(v.number))
				tp_str_printf(out, "%.10g", v.number);
		}
		tp_str_add(out, "\n");
	}
	bool oom = out->oom || v.text.oom;
	tp_str_release(&v.text);
	return oom ? TP_NOMEM : TP_OK;
}

/* --- JSON --- */

static void head_row(const struct tp_comparison *c, struct tp_listing *head)
{
	tp_listing_row(head);
	tp_listing_text(head, "format", "tprof-comparison");
	tp_listing_count(head, "version", 1);
	tp_listing_text(head, "baseline", c->names[0]);
	tp_listing_count(head, "runs", c->n_runs);
	tp_listing_text(head, "across", tp_dimension_name(c->options.across));
	tp_listing_real(head, "tolerance", c->options.tolerance > 0 ? c->options.tolerance : NAN);
	tp_listing_count(head, "points", c->n_points);
	tp_listing_count(head, "plateaus", c->n - c->n_points);
	tp_listing_count(head, "unpaired", c->n_unpaired);
	tp_listing_text(head, "no_verdict", c->no_verdict);
	for (size_t i = 0; i < TP_VERDICT_COUNT && !c->no_verdict[0]; i++)
		tp_listing_count(head, tp_verdict_name((enum tp_verdict)i), c->count[i]);
}

static void whole_number(struct tp_listing *rows, const char *key, double number)
{
	if (number >= 0 && number == floor(number) && number < 0x1p53)
		tp_listing_count(rows, key, (unsigned long long)number);
	else
		tp_listing_real(rows, key, number);
}

/* Points without a partner are rows too: their verdict says so. */
static void unpaired_row(const struct tp_comparison *c, const struct tp_unpaired *u,
			 struct tp_listing *rows)
{
	struct tp_str name = { 0 };
	tp_compare_point_name(u->point, &name);
	tp_listing_row(rows);
	tp_listing_text(rows, "kind", "unpaired");
	tp_listing_text(rows, "run", c->names[u->run]);
	tp_listing_text(rows, "missing_in", c->names[u->against]);
	tp_listing_text(rows, "experiment", u->point->experiment);
	tp_listing_text(rows, "name", tp_str_text(&name));
	tp_str_release(&name);
}

enum tp_status tp_compare_json(const struct tp_comparison *c, struct tp_str *out)
{
	struct tp_listing *head = tp_listing_new(), *rows = tp_listing_new();
	struct value v = { .number = 0 };
	enum tp_status status = head && rows ? TP_OK : TP_NOMEM;
	if (status == TP_OK) {
		head_row(c, head);
		for (size_t row = 0; row < c->n; row++) {
			tp_listing_row(rows);
			for (size_t i = 0; i < TP_COUNT_OF(columns); i++) {
				fill(c, row, i, &v);
				if (v.is_number)
					whole_number(rows, columns[i].name, v.number);
				else
					tp_listing_text(rows, columns[i].name,
							tp_str_text(&v.text));
			}
		}
		for (size_t i = 0; i < c->n_unpaired; i++)
			unpaired_row(c, &c->unpaired[i], rows);
		status = tp_listing_write_under(rows, head, "rows", out);
	}
	tp_str_release(&v.text);
	tp_listing_free(head);
	tp_listing_free(rows);
	return status;
}

/* --- the verdict in one line --- */

static void tell(const struct tp_comparison *c, enum tp_verdict verdict, struct tp_str *text)
{
	size_t told = 0;
	if (!c->count[verdict])
		return;
	tp_str_printf(text, "; %s: ", tp_verdict_name(verdict));
	for (size_t i = 0; i < c->n && told < TOLD_MAX; i++) {
		const struct tp_difference *d = &c->differences[i];
		if (d->verdict != verdict)
			continue;
		tp_str_add(text, told++ ? ", " : "");
		tp_compare_name(c, i, text);
		tp_str_printf(text, " %+.1f %% [%+.1f %+.1f]", tp_compare_percent(d->gain),
			      tp_compare_percent(d->low), tp_compare_percent(d->high));
	}
	if (told < c->count[verdict])
		tp_str_printf(text, " and %zu more", c->count[verdict] - told);
}

void tp_compare_verdict(const struct tp_comparison *c, const struct tp_look *look,
			struct tp_str *out)
{
	static const enum tp_verdict order[] = { TP_VERDICT_SAME, TP_VERDICT_FASTER,
						 TP_VERDICT_SLOWER, TP_VERDICT_UNCLEAR };
	struct tp_str text = { 0 };
	char count[32];
	const char *joint = ": ";
	tp_str_printf(&text, "tprof: %s",
		      tp_text_count(count, sizeof(count), c->n_points, "point"));
	if (c->n > c->n_points)
		tp_str_printf(&text, ", %s",
			      tp_text_count(count, sizeof(count), c->n - c->n_points, "plateau"));
	for (size_t i = 0; i < TP_COUNT_OF(order) && !c->no_verdict[0]; i++) {
		if (!c->count[order[i]])
			continue;
		tp_str_printf(&text, "%s%zu %s", joint, c->count[order[i]],
			      tp_verdict_name(order[i]));
		joint = ", ";
	}
	if (c->n_unpaired)
		tp_str_printf(&text, ", %zu unpaired", c->n_unpaired);
	if (c->no_verdict[0]) {
		tp_str_printf(&text, ": no verdict, different machines: %s", c->no_verdict);
	} else {
		tell(c, TP_VERDICT_SLOWER, &text);
		tell(c, TP_VERDICT_FASTER, &text);
	}
	tp_text_clean(out, tp_str_text(&text), look);
	tp_str_add(out, "\n");
	tp_str_release(&text);
}
