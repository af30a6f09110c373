/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs are compared, and written as one row each in CSV and JSON. */
#include "report/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/point.h"
#include "record/json.h"
#include "report/facts.h"
#include "report/pairing.h"
#include "report/reporter.h"
#include "table/csv.h"

/* At most one in twenty of what is called different is expected to be a false alarm. */
#define FALSE_DISCOVERY 0.05

/* --- machines --- */

static bool same_fact(const struct tp_run *a, const struct tp_run *b, const char *key)
{
	const struct tp_fact *x = tp_run_fact(a, key), *y = tp_run_fact(b, key);
	if (!x || !y || x->is_number != y->is_number)
		return true; /* not told */
	return x->is_number ? x->number == y->number : strcmp(x->text, y->text) == 0;
}

void tp_compare_machines(const struct tp_run *a, const struct tp_run *b, char *out, size_t size)
{
	/*
	 * A CPU called "AMD EPYC" can be many: the rest of its identification distinguishes them.
	 */
	static const struct {
		const char *key, *what;
	} parts[] = { { "machine.cpu", "CPU" },
		      { "machine.family", "CPU family" },
		      { "machine.model_number", "CPU model" },
		      { "machine.packages", "number of sockets" },
		      { "machine.cores", "number of cores" } };
	out[0] = '\0';
	/* A simulated machine does not differ by its name. */
	char x[TP_SIMULATED_BYTES], y[TP_SIMULATED_BYTES];
	bool first = *tp_run_simulated(a, x, sizeof(x)),
	     second = *tp_run_simulated(b, y, sizeof(y));
	if (first != second)
		snprintf(out, size, "one is simulated: %s", first ? x : y);
	else if (!same_fact(a, b, "simulated.machine"))
		snprintf(out, size, "simulated: %.70s and %.70s",
			 tp_fact_text(a, "simulated.machine"),
			 tp_fact_text(b, "simulated.machine"));
	if (*out)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++)
		if (!same_fact(a, b, parts[i].key)) {
			snprintf(out, size, "their %s differs", parts[i].what);
			if (i == 0)
				snprintf(out, size, "\"%.70s\" and \"%.70s\"",
					 tp_fact_text(a, parts[i].key),
					 tp_fact_text(b, parts[i].key));
			return;
		}
	/* A container has a new name every time. */
	bool named =
		!*tp_fact_text(a, "machine.container") && !*tp_fact_text(b, "machine.container");
	if (named && !same_fact(a, b, "machine.hostname"))
		snprintf(out, size, "%.70s and %.70s", tp_fact_text(a, "machine.hostname"),
			 tp_fact_text(b, "machine.hostname"));
}

/* --- rows --- */

static bool is_poor(const struct tp_point *p, const struct tp_plateau *plateau)
{
	return (plateau ? plateau->quality : p->quality) == TP_QUALITY_POOR;
}

static void add_row(struct tp_comparison *c, const struct tp_compared *row,
		    const struct tp_estimate *a, const struct tp_estimate *b)
{
	TP_RESERVE(c->rows, c->cap, c->n + 1);
	TP_RESERVE(c->differences, c->cap_differences, c->n + 1);
	struct tp_difference *d = &c->differences[c->n];
	tp_difference_find(a, b, TP_ESTIMATE_CONFIDENCE, d);
	d->poor = is_poor(row->a, row->plateau_a) || is_poor(row->b, row->plateau_b);
	d->same_within = tp_repeat_same_within(row->repeat);
	c->rows[c->n++] = *row;
}

/* Of one side of a row; 0 = unknown, or what is compared is not within the core. */
static double per_cycle_of(const struct tp_compared *row, bool second)
{
	const struct tp_plateau *plateau = second ? row->plateau_b : row->plateau_a;
	const struct tp_point *p = second ? row->b : row->a;
	if (row->repeat > TP_REPEAT_L2 || (p && p->less_is_better))
		return 0;
	if (plateau)
		return plateau->threads * plateau->bytes_per_cycle;
	return p->threads * (tp_point_is_fp(p) ? tp_kernel_row(p)->flop_per_cycle
					       : tp_kernel_row(p)->bytes_per_cycle);
}

/*
 * Within the core both sides are compared by what the team does in a cycle of its cores, if their
 * clocks are known. Across a dimension the speed counts, whose clock may be another for that
 * reason.
 */
static void in_cycles(const struct tp_comparison *c, struct tp_compared *row,
		      struct tp_estimate *first, struct tp_estimate *second)
{
	double a = per_cycle_of(row, false), b = per_cycle_of(row, true);
	row->per_cycle = a > 0 && b > 0 && !c->no_verdict[0] && c->options.across == TP_ACROSS_NONE;
	if (!row->per_cycle)
		return;
	tp_estimate_in_cycles(row->a, a, first);
	tp_estimate_in_cycles(row->b, b, second);
}

/*
 * Both runs' contexts; a table without facts has the caches of the other run, as they are of one
 * machine.
 */
static void find_contexts(const struct tp_run *a, const struct tp_run *b,
			  struct tp_estimate_context of[2])
{
	tp_estimate_context(a, &of[0]);
	tp_estimate_context(b, &of[1]);
	for (int i = 0; i < 2; i++)
		if (!of[i].known) {
			double ghz = of[i].fastest_ghz;
			of[i] = of[!i];
			of[i].fastest_ghz = ghz;
		}
}

static void add_points(struct tp_comparison *c, size_t run, const struct tp_pairing *pairing)
{
	const struct tp_run *a = c->runs[0], *b = c->runs[run];
	struct tp_estimate_context of[2];
	find_contexts(a, b, of);
	for (size_t i = 0; i < pairing->n; i++) {
		struct tp_compared row = { .run = run,
					   .a = &a->points[pairing->pairs[i].a],
					   .b = &b->points[pairing->pairs[i].b] };
		struct tp_estimate first, second;
		enum tp_repeat other = tp_estimate_repeat(row.a, &of[0]);
		row.repeat = tp_estimate_repeat(row.b, &of[1]);
		tp_estimate_point(row.a, other, &of[0], &first);
		tp_estimate_point(row.b, row.repeat, &of[1], &second);
		/*
		 * Across levels each repeats in its own way; the worse one decides what counts as
		 * the same.
		 */
		row.repeat = TP_MAX(row.repeat, other);
		in_cycles(c, &row, &first, &second);
		add_row(c, &row, &first, &second);
	}
}

static bool same_plateau(const struct tp_plateau *a, const struct tp_plateau *b)
{
	return a->threads == b->threads && strcmp(a->isa, b->isa) == 0 &&
	       strcmp(a->precision, b->precision) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(a->level, b->level) == 0 && (a->ns > 0) == (b->ns > 0) &&
	       a->from_bytes <= b->to_bytes && b->from_bytes <= a->to_bytes &&
	       strcmp(a->pages_wanted, b->pages_wanted) == 0;
}

/*
 * A curve's plateaus are determined in every run. A plateau that only one of them has does not
 * matter: its points are compared anyway.
 */
static void add_plateaus(struct tp_comparison *c, size_t run)
{
	const struct tp_run *a = c->runs[0], *b = c->runs[run];
	struct tp_estimate_context of[2];
	find_contexts(a, b, of);
	for (size_t i = 0; i < tp_run_n_plateaus(b); i++)
		for (size_t k = 0; k < tp_run_n_plateaus(a); k++) {
			struct tp_compared row = { .run = run,
						   .plateau_a = &tp_run_plateaus(a)[k],
						   .plateau_b = &tp_run_plateaus(b)[i] };
			struct tp_estimate first, second;
			if (!same_plateau(row.plateau_a, row.plateau_b))
				continue;
			row.repeat = tp_estimate_level(row.plateau_b->level);
			if (row.repeat == TP_REPEAT_COUNT)
				row.repeat = TP_REPEAT_EDGE;
			tp_estimate_plateau(a, row.plateau_a, row.repeat, &of[0], &first);
			tp_estimate_plateau(b, row.plateau_b, row.repeat, &of[1], &second);
			in_cycles(c, &row, &first, &second);
			add_row(c, &row, &first, &second);
			break;
		}
}

static void add_unpaired(struct tp_comparison *c, size_t run, size_t against, const size_t *points,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		TP_RESERVE(c->unpaired, c->cap_unpaired, c->n_unpaired + 1);
		c->unpaired[c->n_unpaired++] =
			(struct tp_unpaired){ run, against, &c->runs[run]->points[points[i]] };
	}
}

static bool has_points(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			return true;
	return false;
}

static void add_slower(struct tp_comparison *c)
{
	if (c->no_verdict[0])
		return;
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		for (size_t i = 1; i < c->n_runs && r->slower; i++) {
			TP_STR text = { 0 };
			r->slower(c->runs[0], c->runs[i], &text);
			if (text.len)
				tp_str_printf(&c->slower, "%s%s", c->slower.len ? ", " : "",
					      tp_str_text(&text));
		}
}

enum tp_status tp_compare_runs(struct tp_comparison *c, const struct tp_run *const *runs,
			       const char *const *names, size_t n,
			       const struct tp_compare_options *options, struct tp_diag *diag)
{
	*c = (struct tp_comparison){
		.runs = runs, .names = names, .n_runs = n, .options = *options
	};
	if (n == 1 && options->across == TP_ACROSS_NONE)
		return tp_fail(diag, TP_USAGE, names[0],
			       "give another run, or compare it with itself: --across isa",
			       "a comparison needs two runs");
	for (size_t i = 0; i < n; i++)
		if (!has_points(runs[i]))
			return tp_fail(diag, TP_USAGE, names[i], NULL,
				       "there is no measured point in it");
	for (size_t i = 1; i < n && !c->no_verdict[0]; i++)
		tp_compare_machines(runs[0], runs[i], c->no_verdict, sizeof(c->no_verdict));
	for (size_t i = n > 1; i < n; i++) {
		TP_CLEANUP(tp_pairing_release) struct tp_pairing pairing;

		tp_pairing_find(&pairing, c->runs[0], c->runs[i], c->options.across);
		add_points(c, i, &pairing);
		add_unpaired(c, 0, i, pairing.only_a, pairing.n_only_a);
		add_unpaired(c, i, 0, pairing.only_b, pairing.n_only_b);
	}
	c->n_points = c->n;
	/* Across a dimension plateaus are found in what is no longer the same. */
	for (size_t i = 1; i < n && options->across == TP_ACROSS_NONE; i++)
		add_plateaus(c, i);
	const struct tp_judging judging = { c->options.tolerance, FALSE_DISCOVERY };
	TP_FREE double *scratch = tp_alloc(c->n + 1, sizeof(*scratch));
	tp_differences_judge(c->differences, c->n, &judging, scratch);
	for (size_t i = 0; i < c->n; i++)
		c->count[c->differences[i].verdict]++;
	add_slower(c);
	if (c->n_points)
		return TP_OK;
	if (n == 1)
		return tp_fail(diag, TP_USAGE, names[0],
			       "choose another with --across, or give a second run",
			       "no two of its points differ only in %s",
			       tp_dimension_name(options->across));
	return tp_fail(diag, TP_USAGE, names[1],
		       options->across ? "run the same preset again for a comparison"
				       : "if the points differ in one thing only, name it: "
					 "--across isa, precision, threads, kernel...",
		       "it has no point in common with %.100s", names[0]);
}

void tp_comparison_release(struct tp_comparison *c)
{
	free(c->rows);
	free(c->differences);
	free(c->unpaired);
	tp_str_release(&c->slower);
	*c = (struct tp_comparison){ 0 };
}

/* --- the content of a row --- */

double tp_compare_percent(double gain)
{
	return 100 * expm1(gain);
}

const char *tp_compare_percent_text(char *out, size_t size, double gain)
{
	double percent = tp_compare_percent(gain);
	if (!isfinite(gain))
		snprintf(out, size, "-");
	else
		snprintf(out, size, fabs(percent) < 99.95 ? "%+.1f" : "%+.0f", percent);
	return out;
}

const char *tp_compare_unit(const struct tp_compared *row)
{
	if (row->per_cycle)
		return row->b && tp_point_is_fp(row->b) ? "FLOP/cycle" : "bytes/cycle";
	if (row->plateau_b)
		return row->plateau_b->ns > 0 ? "ns" : "GB/s";
	return row->b->unit;
}

/* In the headline unit. */
static double median_of(const struct tp_compared *row, bool second)
{
	const struct tp_plateau *p = second ? row->plateau_b : row->plateau_a;
	return !p ? tp_point_median(second ? row->b : row->a) : p->ns > 0 ? p->ns : p->gbps;
}

double tp_compare_value(const struct tp_compared *row, bool second)
{
	return row->per_cycle ? per_cycle_of(row, second) : median_of(row, second);
}

char tp_compare_letter(const struct tp_compared *row, bool second)
{
	size_t at = !second ? 0 : row->run ? row->run : 1;
	return at < 26 ? (char)('A' + at) : '?';
}

void tp_compare_point_name(const struct tp_point *p, struct tp_str *out)
{
	char text[64];
	if (*tp_kernel_row(p)->level)
		tp_str_printf(out, "%s ", tp_kernel_row(p)->level);
	else if (tp_kernel_row(p)->working_set_bytes)
		tp_str_printf(
			out, "%s ",
			tp_text_size(text, sizeof(text), tp_kernel_row(p)->working_set_bytes));
	tp_str_printf(out, "%s %s %s %s", tp_kernel_row(p)->isa, p->kernel,
		      tp_kernel_row(p)->precision,
		      tp_text_count(text, sizeof(text), p->threads, "thread"));
	if (*tp_kernel_row(p)->pages_wanted)
		tp_str_printf(out, " pages %s", tp_kernel_row(p)->pages_wanted);
	if (tp_kernel_row(p)->pause_cycles)
		tp_str_printf(out, " pause %u", tp_kernel_row(p)->pause_cycles);
}

void tp_compare_name(const struct tp_comparison *c, size_t row, struct tp_str *out)
{
	const struct tp_compared *r = &c->rows[row];
	char text[64], other[64];
	if (r->plateau_b) {
		const struct tp_plateau *p = r->plateau_b;
		tp_str_printf(out, "%s plateau %s %s %s %s", p->level, p->isa, p->kernel,
			      p->precision,
			      tp_text_count(text, sizeof(text), p->threads, "thread"));
		return;
	}
	tp_compare_point_name(r->b, out);
	tp_dimension_text(c->options.across, r->a, text, sizeof(text));
	tp_dimension_text(c->options.across, r->b, other, sizeof(other));
	if (strcmp(text, other) != 0)
		tp_str_printf(out, " against %s", text);
}

static void __attribute__((format(printf, 2, 3))) add_note(struct tp_str *out, const char *fmt, ...)
{
	va_list ap;
	tp_str_add(out, out->len ? ", " : "");
	va_start(ap, fmt);
	tp_str_vprintf(out, fmt, ap);
	va_end(ap);
}

void tp_compare_note(const struct tp_comparison *c, size_t row, struct tp_str *out)
{
	const struct tp_compared *r = &c->rows[row];
	enum tp_verdict verdict = c->differences[row].verdict;
	char text[256];
	if (!r->a)
		return;
	for (int second = 0; second < 2; second++)
		if (is_poor(second ? r->b : r->a, NULL))
			add_note(out, "%c is poor", tp_compare_letter(r, second));
	for (int second = 0; second < 2; second++)
		if (tp_point_has_one_window(second ? r->b : r->a))
			add_note(out, "%c has " TP_ONE_WINDOW, tp_compare_letter(r, second));
	if (c->options.across != TP_ACROSS_KERNEL && c->options.across != TP_ACROSS_STORES &&
	    c->options.across != TP_ACROSS_FP_OP && strcmp(r->a->kernel, r->b->kernel) != 0)
		add_note(out, "was %s", r->a->kernel);
	if (verdict == TP_VERDICT_SAME)
		return;
	double before = TP_MAX(r->a->core_ghz, r->a->core_ghz_after);
	double after = TP_MAX(r->b->core_ghz, r->b->core_ghz_after);
	if (before > 0 && after > 0 && fabs(after / before - 1) > 0.01)
		add_note(out, "clock %.2f to %.2f GHz", before, after);
	const char *was = tp_kernel_row(r->a)->pages, *is = tp_kernel_row(r->b)->pages;
	if (c->options.across != TP_ACROSS_PAGES && *was && *is && strcmp(was, is) != 0)
		add_note(out, "pages %s to %s", was, is);
	for (int second = 0; second < 2 && verdict == TP_VERDICT_UNCLEAR; second++) {
		const struct tp_point *p = second ? r->b : r->a;
		if (p->flags & TP_COMPARE_HARMFUL) {
			tp_flags_text(p->flags & TP_COMPARE_HARMFUL, text, sizeof(text));
			/* As words, a narrow table can break them into lines. */
			for (char *bar = text; (bar = strchr(bar, '|'));)
				*bar = ' ';
			add_note(out, "%c %s", tp_compare_letter(r, second), text);
		} else if (p->kept != 1 && !(p->ci_low > 0)) {
			add_note(out, "%c has no interval", tp_compare_letter(r, second));
		}
	}
}

enum { TOLD_MAX = 3 };

/* --- cells: one table for both formats --- */

/* A cell: its text, or its number if that is NULL. Without a value: "" or NaN. */
struct value {
	const char *name, *text;
	double number;
};

enum { COLUMNS = 32 };

/* The verdict on a pair, and room for generated texts. */
struct pair_values {
	struct value values[COLUMNS];
	char against[64], flags[2][256];
	struct tp_str note;
};

static double or_nothing(double value)
{
	return value > 0 ? value : NAN;
}

static void fill_values(const struct tp_comparison *c, size_t index, struct pair_values *v)
{
	const struct tp_compared *row = &c->rows[index];
	const struct tp_difference *d = &c->differences[index];
	const struct tp_point *a = row->a, *b = row->b;
	const struct tp_plateau *plateau = row->plateau_b;
	const struct tp_kernel_row *k = b ? tp_kernel_row(b) : NULL;
	tp_str_clear(&v->note);
	tp_compare_note(c, index, &v->note);
	if (a) {
		tp_flags_text(a->flags, v->flags[0], sizeof(v->flags[0]));
		tp_flags_text(b->flags, v->flags[1], sizeof(v->flags[1]));
	}
	const struct value values[COLUMNS] = {
		{ "kind", b ? "point" : "plateau", 0 },
		{ "baseline", c->names[0], 0 },
		{ "run", c->names[row->run], 0 },
		{ "experiment", b ? b->experiment : "", 0 },
		{ "kernel", b ? b->kernel : plateau->kernel, 0 },
		{ "isa", b ? k->isa : plateau->isa, 0 },
		{ "precision", b ? k->precision : plateau->precision, 0 },
		{ "threads", NULL, b ? b->threads : plateau->threads },
		{ "level", b ? k->level : plateau->level, 0 },
		{ "working_set_bytes", NULL, or_nothing(b ? (double)k->working_set_bytes : 0) },
		{ "fp_op", b ? k->fp_op : "", 0 },
		{ "ai_flop_per_byte", NULL, or_nothing(b ? k->ai_flop_per_byte : 0) },
		{ "pages_wanted", b ? k->pages_wanted : plateau->pages_wanted, 0 },
		{ "pause_cycles", NULL, or_nothing(b ? k->pause_cycles : 0) },
		/* With --across: where the baseline's point stands in that dimension. */
		{ "against",
		  a ? tp_dimension_text(c->options.across, a, v->against, sizeof(v->against)) : "",
		  0 },
		{ "unit",
		  b		    ? b->unit
		  : plateau->ns > 0 ? "ns"
				    : "GB/s",
		  0 },
		{ "baseline_median", NULL, or_nothing(median_of(row, false)) },
		{ "median", NULL, or_nothing(median_of(row, true)) },
		{ "ratio", NULL, exp(d->gain) },
		{ "low", NULL, d->known ? exp(d->low) : NAN },
		{ "high", NULL, d->known ? exp(d->high) : NAN },
		{ "p", NULL, d->known ? d->p : NAN },
		{ "verdict", c->no_verdict[0] ? "" : tp_verdict_name(d->verdict), 0 },
		{ "repeats_as", tp_repeat_name(row->repeat), 0 },
		{ "visible", NULL, d->known ? d->visible : NAN },
		{ "baseline_flags", a ? v->flags[0] : "", 0 },
		{ "flags", b ? v->flags[1] : "", 0 },
		{ "note", tp_str_text(&v->note), 0 },
		{ "baseline_quality", a ? tp_quality_name(a->quality) : "", 0 },
		{ "quality", b ? tp_quality_name(b->quality) : "", 0 },
		/* The values that ratio compares, if not the medians. */
		{ "baseline_per_cycle", NULL, row->per_cycle ? tp_compare_value(row, false) : NAN },
		{ "per_cycle", NULL, row->per_cycle ? tp_compare_value(row, true) : NAN },
	};
	memcpy(v->values, values, sizeof(values));
}

/* --- CSV --- */

void tp_compare_csv(const struct tp_comparison *c, struct tp_str *out)
{
	struct pair_values v = { 0 };
	for (size_t row = 0; row < c->n; row++) {
		fill_values(c, row, &v);
		for (size_t i = 0; i < COLUMNS && row == 0; i++)
			tp_str_printf(out, "%s%s", i ? "," : "", v.values[i].name);
		tp_str_add(out, row == 0 ? "\n" : "");
		for (size_t i = 0; i < COLUMNS; i++) {
			tp_str_add(out, i ? "," : "");
			if (v.values[i].text)
				tp_cell_text(out, v.values[i].text);
			else if (isfinite(v.values[i].number))
				tp_str_printf(out, "%.10g", v.values[i].number);
		}
		tp_str_add(out, "\n");
	}
	tp_str_release(&v.note);
}

/* --- JSON --- */

static void whole_number(struct tp_listing *rows, const char *key, double number)
{
	if (number >= 0 && number == floor(number) && number < 0x1p53)
		tp_listing_count(rows, key, (unsigned long long)number);
	else
		tp_listing_real(rows, key, number);
}

void tp_compare_json(const struct tp_comparison *c, struct tp_str *out)
{
	struct tp_listing *head = tp_listing_new(), *rows = tp_listing_new();
	struct pair_values v = { 0 };
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
	tp_listing_text(head, "slow_now", tp_str_text(&c->slower));
	for (size_t i = 0; i < TP_VERDICT_COUNT && !c->no_verdict[0]; i++)
		tp_listing_count(head, tp_verdict_name((enum tp_verdict)i), c->count[i]);
	for (size_t row = 0; row < c->n; row++) {
		fill_values(c, row, &v);
		tp_listing_row(rows);
		for (size_t i = 0; i < COLUMNS; i++)
			if (v.values[i].text)
				tp_listing_text(rows, v.values[i].name, v.values[i].text);
			else
				whole_number(rows, v.values[i].name, v.values[i].number);
	}
	for (size_t i = 0; i < c->n_unpaired; i++) {
		const struct tp_unpaired *u = &c->unpaired[i];
		TP_STR name = { 0 };

		/* Points without a partner are rows too, with that verdict. */
		tp_compare_point_name(u->point, &name);
		tp_listing_row(rows);
		tp_listing_text(rows, "kind", "unpaired");
		tp_listing_text(rows, "run", c->names[u->run]);
		tp_listing_text(rows, "missing_in", c->names[u->against]);
		tp_listing_text(rows, "experiment", u->point->experiment);
		tp_listing_text(rows, "name", tp_str_text(&name));
	}
	tp_listing_write_under(rows, head, out);
	tp_str_release(&v.note);
	tp_listing_free(head);
	tp_listing_free(rows);
}

/* --- the verdict in one line --- */

static void add_verdict(const struct tp_comparison *c, enum tp_verdict verdict, struct tp_str *text)
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
	TP_STR text = { 0 };
	char count[32];
	const char *joint = ": ";
	tp_str_add(&text, tp_text_count(count, sizeof(count), c->n_points, "point"));
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
		add_verdict(c, TP_VERDICT_SLOWER, &text);
		add_verdict(c, TP_VERDICT_FASTER, &text);
	}
	if (c->slower.len)
		tp_str_printf(&text, "; slow now: %s", tp_str_text(&c->slower));
	tp_text_clean(out, tp_str_text(&text), look);
}
