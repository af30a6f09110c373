/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/estimate.h"
#include "record/point.h"
#include "record/roof.h"

/* At most one in twenty of what is called different is expected to be a false alarm. */
#define FALSE_DISCOVERY 0.05

/* --- machines --- */

static const char *fact_text(const struct tp_run *run, const char *key)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && !fact->is_number ? fact->text : "";
}

static bool same_fact(const struct tp_run *a, const struct tp_run *b, const char *key)
{
	const struct tp_fact *x = tp_run_fact(a, key), *y = tp_run_fact(b, key);
	if (!x || !y || x->is_number != y->is_number)
		return true; /* not told */
	return x->is_number ? x->number == y->number : strcmp(x->text, y->text) == 0;
}

/* A simulated machine is no other one, whatever its name. */
static bool one_is_simulated(const struct tp_run *a, const struct tp_run *b, char *out, size_t size)
{
	char x[TP_SIMULATED_BYTES], y[TP_SIMULATED_BYTES];
	bool first = *tp_run_simulated(a, x, sizeof(x)),
	     second = *tp_run_simulated(b, y, sizeof(y));
	if (first != second)
		snprintf(out, size, "one is simulated: %s", first ? x : y);
	else if (!same_fact(a, b, "simulated.machine"))
		snprintf(out, size, "simulated: %.70s and %.70s", fact_text(a, "simulated.machine"),
			 fact_text(b, "simulated.machine"));
	return *out;
}

void tp_compare_machines(const struct tp_run *a, const struct tp_run *b, char *out, size_t size)
{
	/* One that is written "AMD EPYC" can be many: what is behind the name tells them apart. */
	static const struct {
		const char *key, *what;
	} parts[] = { { "machine.cpu", "CPU" },
		      { "machine.family", "CPU family" },
		      { "machine.model_number", "CPU model" },
		      { "machine.packages", "number of sockets" },
		      { "machine.cores", "number of cores" } };
	out[0] = '\0';
	if (one_is_simulated(a, b, out, size))
		return;
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++)
		if (!same_fact(a, b, parts[i].key)) {
			snprintf(out, size, "their %s differs", parts[i].what);
			if (i == 0)
				snprintf(out, size, "\"%.70s\" and \"%.70s\"",
					 fact_text(a, parts[i].key), fact_text(b, parts[i].key));
			return;
		}
	/* A container has a new name every time. */
	bool named = !*fact_text(a, "machine.container") && !*fact_text(b, "machine.container");
	if (named && !same_fact(a, b, "machine.hostname"))
		snprintf(out, size, "%.70s and %.70s", fact_text(a, "machine.hostname"),
			 fact_text(b, "machine.hostname"));
}

/* --- rows --- */

static enum tp_status add_row(struct tp_comparison *c, const struct tp_compared *row,
			      const struct tp_estimate *a, const struct tp_estimate *b)
{
	if (tp_vec_reserve((void **)&c->rows, &c->cap, c->n + 1, sizeof(*c->rows)) != TP_OK ||
	    tp_vec_reserve((void **)&c->differences, &c->cap_differences, c->n + 1,
			   sizeof(*c->differences)) != TP_OK)
		return TP_NOMEM;
	struct tp_difference *d = &c->differences[c->n];
	tp_difference_find(a, b, TP_ESTIMATE_CONFIDENCE, d);
	d->same_within = tp_repeat_same_within(row->repeat);
	c->rows[c->n++] = *row;
	return TP_OK;
}

/*
 * Both runs' contexts; a table without facts has the caches of the other run, as they are of one
 * machine.
 */
static void contexts(const struct tp_run *a, const struct tp_run *b,
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

static enum tp_status add_points(struct tp_comparison *c, size_t run,
				 const struct tp_pairing *pairing)
{
	const struct tp_run *a = c->runs[0], *b = c->runs[run];
	struct tp_estimate_context of[2];
	enum tp_status status = TP_OK;
	contexts(a, b, of);
	for (size_t i = 0; i < pairing->n && status == TP_OK; i++) {
		struct tp_compared row = { .run = run,
					   .a = &a->points[pairing->pairs[i].a],
					   .b = &b->points[pairing->pairs[i].b] };
		struct tp_estimate first, second;
		enum tp_repeat other = tp_estimate_repeat(row.a, &of[0]);
		row.repeat = tp_estimate_repeat(row.b, &of[1]);
		tp_estimate_point(row.a, other, &of[0], &first);
		tp_estimate_point(row.b, row.repeat, &of[1], &second);
		/*
		 * Across levels both repeat as they do; what counts as the same goes by the worse.
		 */
		row.repeat = TP_MAX(row.repeat, other);
		status = add_row(c, &row, &first, &second);
	}
	return status;
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
 * A curve's plateaus are found anew in every run. One that only one of them has is no loss: its
 * points are compared anyway.
 */
static enum tp_status add_plateaus(struct tp_comparison *c, size_t run)
{
	const struct tp_run *a = c->runs[0], *b = c->runs[run];
	struct tp_estimate_context of[2];
	enum tp_status status = TP_OK;
	contexts(a, b, of);
	for (size_t i = 0; i < tp_run_n_plateaus(b) && status == TP_OK; i++)
		for (size_t k = 0; k < tp_run_n_plateaus(a) && status == TP_OK; k++) {
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
			status = add_row(c, &row, &first, &second);
			break;
		}
	return status;
}

static enum tp_status add_unpaired(struct tp_comparison *c, size_t run, size_t against,
				   const size_t *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (tp_vec_reserve((void **)&c->unpaired, &c->cap_unpaired, c->n_unpaired + 1,
				   sizeof(*c->unpaired)) != TP_OK)
			return TP_NOMEM;
		c->unpaired[c->n_unpaired++] =
			(struct tp_unpaired){ run, against, &c->runs[run]->points[points[i]] };
	}
	return TP_OK;
}

static enum tp_status compare_one(struct tp_comparison *c, size_t run)
{
	struct tp_pairing pairing;
	enum tp_status status =
		tp_pairing_find(&pairing, c->runs[0], c->runs[run], c->options.across);
	if (status == TP_OK)
		status = add_points(c, run, &pairing);
	if (status == TP_OK)
		status = add_unpaired(c, 0, run, pairing.only_a, pairing.n_only_a);
	if (status == TP_OK)
		status = add_unpaired(c, run, 0, pairing.only_b, pairing.n_only_b);
	tp_pairing_release(&pairing);
	return status;
}

static enum tp_status judge(struct tp_comparison *c)
{
	const struct tp_judging judging = { c->options.tolerance, FALSE_DISCOVERY };
	double *scratch = malloc((c->n + 1) * sizeof(*scratch));
	if (!scratch)
		return TP_NOMEM;
	tp_differences_judge(c->differences, c->n, &judging, scratch);
	free(scratch);
	for (size_t i = 0; i < c->n; i++)
		c->count[c->differences[i].verdict]++;
	return TP_OK;
}

static bool has_points(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			return true;
	return false;
}

enum tp_status tp_compare_runs(struct tp_comparison *c, const struct tp_run *const *runs,
			       const char *const *names, size_t n,
			       const struct tp_compare_options *options, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	*c = (struct tp_comparison){
		.runs = runs, .names = names, .n_runs = n, .options = *options
	};
	if (n == 1 && options->across == TP_ACROSS_NONE)
		return tp_fail(diag, TP_USAGE, names[0],
			       "give another run, or compare it with itself: --across isa",
			       "one run is nothing to compare");
	for (size_t i = 0; i < n; i++)
		if (!has_points(runs[i]))
			return tp_fail(diag, TP_USAGE, names[i], NULL,
				       "there is no measured point in it");
	for (size_t i = 1; i < n && !c->no_verdict[0]; i++)
		tp_compare_machines(runs[0], runs[i], c->no_verdict, sizeof(c->no_verdict));
	for (size_t i = n > 1; i < n && status == TP_OK; i++)
		status = compare_one(c, i);
	c->n_points = c->n;
	/* Across a dimension plateaus are found in what is no longer the same. */
	for (size_t i = 1; i < n && status == TP_OK && options->across == TP_ACROSS_NONE; i++)
		status = add_plateaus(c, i);
	if (status == TP_OK)
		status = judge(c);
	if (status != TP_OK)
		return tp_fail(diag, status, "compare", NULL, "%s", tp_status_name(status));
	if (c->n_points)
		return TP_OK;
	if (n == 1)
		return tp_fail(diag, TP_USAGE, names[0],
			       "choose another with --across, or give a second run",
			       "no two of its points differ in nothing but %s",
			       tp_dimension_name(options->across));
	return tp_fail(diag, TP_USAGE, names[1],
		       options->across ? "run the same preset again for a comparison"
				       : "if the points differ in one thing only, name it: "
					 "--across isa, precision, threads, kernel...",
		       "no point of it is a point of %.100s", names[0]);
}

void tp_comparison_release(struct tp_comparison *c)
{
	free(c->rows);
	free(c->differences);
	free(c->unpaired);
	*c = (struct tp_comparison){ 0 };
}

/* --- what is said of a row --- */

double tp_compare_percent(double gain)
{
	return 100 * expm1(gain);
}

const char *tp_compare_unit(const struct tp_compared *row)
{
	if (row->plateau_b)
		return row->plateau_b->ns > 0 ? "ns" : "GB/s";
	return row->b->unit;
}

double tp_compare_value(const struct tp_compared *row, bool second)
{
	if (row->plateau_a) {
		const struct tp_plateau *p = second ? row->plateau_b : row->plateau_a;
		return p->ns > 0 ? p->ns : p->gbps;
	}
	return tp_point_median(second ? row->b : row->a);
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

static void joint(struct tp_str *out)
{
	if (out->len)
		tp_str_add(out, ", ");
}

void tp_compare_note(const struct tp_comparison *c, size_t row, struct tp_str *out)
{
	const struct tp_compared *r = &c->rows[row];
	enum tp_verdict verdict = c->differences[row].verdict;
	char text[256];
	if (!r->a)
		return;
	/* What is not to be used makes no difference that is. */
	for (int second = 0; second < 2; second++)
		if ((second ? r->b : r->a)->quality == TP_QUALITY_POOR) {
			joint(out);
			tp_str_printf(out, "%c is poor", tp_compare_letter(r, second));
		}
	for (int second = 0; second < 2; second++)
		if (tp_point_has_one_window(second ? r->b : r->a)) {
			joint(out);
			tp_str_printf(out, "%c has " TP_ONE_WINDOW, tp_compare_letter(r, second));
		}
	if (c->options.across != TP_ACROSS_KERNEL && c->options.across != TP_ACROSS_STORES &&
	    c->options.across != TP_ACROSS_FP_OP && strcmp(r->a->kernel, r->b->kernel) != 0) {
		joint(out);
		tp_str_printf(out, "was %s", r->a->kernel);
	}
	if (verdict == TP_VERDICT_SAME)
		return;
	double before = TP_MAX(r->a->core_ghz, r->a->core_ghz_after);
	double after = TP_MAX(r->b->core_ghz, r->b->core_ghz_after);
	if (before > 0 && after > 0 && fabs(after / before - 1) > 0.01) {
		joint(out);
		tp_str_printf(out, "clock %.2f to %.2f GHz", before, after);
	}
	if (c->options.across != TP_ACROSS_PAGES && *tp_kernel_row(r->a)->pages &&
	    *tp_kernel_row(r->b)->pages &&
	    strcmp(tp_kernel_row(r->a)->pages, tp_kernel_row(r->b)->pages) != 0) {
		joint(out);
		tp_str_printf(out, "pages %s to %s", tp_kernel_row(r->a)->pages,
			      tp_kernel_row(r->b)->pages);
	}
	for (int second = 0; second < 2; second++) {
		const struct tp_point *p = second ? r->b : r->a;
		if (verdict != TP_VERDICT_UNCLEAR)
			break;
		if (p->flags & TP_COMPARE_HARMFUL) {
			joint(out);
			tp_flags_text(p->flags & TP_COMPARE_HARMFUL, text, sizeof(text));
			/* As words, a narrow table can break them into lines. */
			for (char *bar = text; (bar = strchr(bar, '|'));)
				*bar = ' ';
			tp_str_printf(out, "%c %s", tp_compare_letter(r, second), text);
		} else if (p->kept != 1 && !(p->ci_low > 0)) {
			joint(out);
			tp_str_printf(out, "%c has no interval", tp_compare_letter(r, second));
		}
	}
}
