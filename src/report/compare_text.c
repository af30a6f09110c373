/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for people: as text, and as a page with its pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/tally.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/compare.h"
#include "report/facts.h"
#include "doc/html.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "doc/text.h"

/* Below this an unclear difference is not worth a row, nor a ridge that moved. */
#define NO_NEWS 0.01

/* The median over the points of a kind of what would have been seen; 0 if there is none. */
static double visible_of(const struct tp_comparison *c, enum tp_repeat repeat)
{
	TP_FREE double *x = tp_alloc(c->n_points + 1, sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i < c->n_points; i++)
		if (c->rows[i].repeat == repeat)
			x[n++] = c->differences[i].visible;
	if (n)
		tp_sort_doubles(x, n);
	return n ? x[n / 2] : 0;
}

/* What stood in the way, and how often. */
static void unclear_flags(const struct tp_comparison *c, struct tp_str *text)
{
	const char *joint = " Their flags: ";
	for (int flag = 0; flag < TP_FLAG_COUNT; flag++) {
		size_t n = 0;
		for (size_t i = 0; i < c->n_points; i++)
			n += c->differences[i].verdict == TP_VERDICT_UNCLEAR &&
			     (c->rows[i].a->flags | c->rows[i].b->flags) & TP_COMPARE_HARMFUL &
				     1u << flag;
		if (!n)
			continue;
		tp_str_printf(text, "%s%s (%zu)", joint, tp_flag_name((enum tp_flag)flag), n);
		joint = ", ";
	}
	if (joint[1] != 'T')
		tp_str_add(text, ".");
}

static bool only_programs(const struct tp_comparison *c)
{
	for (size_t i = 0; i < c->n_points; i++)
		if (c->rows[i].repeat != TP_REPEAT_PROGRAM)
			return false;
	return c->n_points > 0;
}

/* The paragraph behind the tables. */
static void add_explanation(const struct tp_comparison *c, struct tp_text *doc)
{
	TP_STR text = { 0 };
	const char *joint = "";
	tp_str_add(&text, "Smallest change that would count here: ");
	for (int i = 0; i < TP_REPEAT_COUNT; i++) {
		double visible = visible_of(c, (enum tp_repeat)i);
		if (!(visible > 0))
			continue;
		tp_str_printf(&text, "%s%s ", joint, tp_repeat_name((enum tp_repeat)i));
		if (isfinite(visible))
			tp_str_printf(&text, "%.1f %%", 100 * visible);
		else
			tp_str_add(&text, "none");
		joint = ", ";
	}
	tp_str_add(
		&text,
		". change: of the speed, also for latencies, so that above 0 is faster; of FP, L1 "
		"and L2 per cycle, where both clocks are known. same: the interval lies within ");
	if (c->options.tolerance > 0) {
		tp_str_printf(&text, "%.3g %%.", 100 * c->options.tolerance);
	} else {
		joint = "";
		for (int i = 0; i < TP_REPEAT_COUNT; i++) {
			if (!(visible_of(c, (enum tp_repeat)i) > 0))
				continue;
			tp_str_printf(&text, "%s%.0f %% (%s)", joint,
				      100 * tp_repeat_same_within((enum tp_repeat)i),
				      tp_repeat_name((enum tp_repeat)i));
			joint = ", ";
		}
		tp_str_add(&text, ".");
	}
	if (c->count[TP_VERDICT_UNCLEAR]) {
		tp_str_add(&text, " unclear: measure again while the machine is quiet; ");
		tp_str_add(&text,
			   only_programs(c)
				   ? "more runs of a program (program.runs) narrow it."
				   : "--set invocations=5 shows how far processes differ and "
				     "narrows it.");
		unclear_flags(c, &text);
	}
	tp_text_gap(doc);
	tp_text_wrap(doc, TP_PAINT_DIM, tp_str_text(&text), 0, 0);
}

enum { INDENT = 2, LETTER_COLUMNS = 3, NAMES_MAX = 12, TOLD_MAX = 3, SIDE_BY_SIDE_MAX = 8 };

/* --- parts that tables share --- */

/* True if the point is one of the roofs of its run. */
static bool is_roof(const struct tp_point *p)
{
	const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
	return reporter && reporter->roofs && *tp_kernel_row(p)->level;
}

/* The cells that tables of points begin with. */
static void add_kernel(struct tp_grid *grid, const struct tp_point *p)
{
	const struct tp_kernel_row *k = tp_kernel_row(p);
	tp_grid_text(grid, TP_PAINT_STRONG, k->isa);
	tp_grid_text(grid, TP_PAINT_PLAIN, k->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->kernel);
	tp_grid_text(grid, TP_PAINT_PLAIN, k->precision);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
}

/* What the rows of a table have in common. */
static void table_key(const struct tp_compared *r, struct tp_str *key)
{
	const char *precision = r->b ? tp_kernel_row(r->b)->precision : r->plateau_b->precision;
	tp_str_clear(key);
	tp_str_printf(key, "%zu\x1f%s\x1f%u\x1f%s\x1f%s", r->run, tp_compare_unit(r),
		      r->b ? r->b->threads : r->plateau_b->threads, precision,
		      r->b ? r->b->experiment : "\x1fplateaus");
}

static enum tp_paint paint_of(enum tp_verdict verdict)
{
	static const enum tp_paint paints[TP_VERDICT_COUNT] = {
		[TP_VERDICT_SAME] = TP_PAINT_DIM,
		[TP_VERDICT_FASTER] = TP_PAINT_GOOD,
		[TP_VERDICT_SLOWER] = TP_PAINT_BAD,
		[TP_VERDICT_UNCLEAR] = TP_PAINT_WARN,
	};
	return paints[verdict];
}

/* A gain in percent: "+3.1"; "-" if it is none. */
static void percent_text(char *out, size_t size, double gain)
{
	double percent = tp_compare_percent(gain);
	if (!isfinite(gain))
		snprintf(out, size, "-");
	else
		snprintf(out, size, fabs(percent) < 99.95 ? "%+.1f" : "%+.0f", percent);
}

/* --- pairs --- */

enum { SECOND = 7 }; /* the column whose head is the letter of the other run */

static const struct tp_grid_column pair_columns[] = {
	{ "ISA", TP_LEFT, 0 },	     { "at", TP_LEFT, 0 },	{ "kernel", TP_LEFT, 0 },
	{ "pages", TP_LEFT, 2 },     { "pause", TP_RIGHT, 2 },	{ "against", TP_LEFT, 1 },
	{ "A", TP_RIGHT, 4 },	     { "B", TP_RIGHT, 3 },	{ "change %", TP_RIGHT, 0 },
	{ "interval", TP_RIGHT, 1 }, { "verdict", TP_LEFT, 1 }, { "", TP_LEFT, 5 },
};

static void pair_row(const struct tp_comparison *c, struct tp_grid *grid, size_t row)
{
	const struct tp_compared *r = &c->rows[row];
	const struct tp_difference *d = &c->differences[row];
	enum tp_paint paint = paint_of(d->verdict);
	char text[64], low[32], high[32];
	TP_STR note = { 0 };
	tp_grid_text(grid, TP_PAINT_STRONG, r->b ? tp_kernel_row(r->b)->isa : r->plateau_b->isa);
	char size[32];
	if (r->plateau_b)
		tp_grid_text(grid, TP_PAINT_PLAIN, r->plateau_b->level);
	else if (*tp_kernel_row(r->b)->level || !tp_kernel_row(r->b)->working_set_bytes)
		tp_grid_text(grid, TP_PAINT_PLAIN, tp_kernel_row(r->b)->level);
	else
		tp_grid_text(
			grid, TP_PAINT_PLAIN,
			tp_text_size(size, sizeof(size), tp_kernel_row(r->b)->working_set_bytes));
	tp_grid_text(grid, TP_PAINT_PLAIN, r->b ? r->b->kernel : r->plateau_b->kernel);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     r->b ? tp_kernel_row(r->b)->pages_wanted : r->plateau_b->pages_wanted);
	if (r->b && tp_kernel_row(r->b)->pause_cycles)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", tp_kernel_row(r->b)->pause_cycles);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     r->a ? tp_dimension_text(c->options.across, r->a, text, sizeof(text)) : "");
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_compare_value(r, false), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_compare_value(r, true), TP_DECIMALS);
	percent_text(text, sizeof(text), d->gain);
	tp_grid_text(grid, paint == TP_PAINT_DIM ? TP_PAINT_PLAIN : paint, text);
	percent_text(low, sizeof(low), d->low);
	percent_text(high, sizeof(high), d->high);
	if (d->known)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%s %s", low, high);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_text(grid, paint, tp_verdict_name(d->verdict));
	tp_compare_note(c, row, &note);
	tp_grid_text(grid, TP_PAINT_DIM, tp_str_text(&note));
}

/* --- ridge points: where a bandwidth meets the peak --- */

/* The FP peaks of a run by what has one of its own: run of the preset, team, ISA, precision. */
struct peaks {
	struct tp_tally by_key;
	double *peak; /* of each group */
};

static void peak_key(const struct tp_point *p, struct tp_str *key)
{
	tp_str_clear(key);
	tp_str_printf(key, "%u\x1f%u\x1f%s\x1f%s", p->run, p->threads, tp_kernel_row(p)->isa,
		      tp_kernel_row(p)->precision);
}

static void find_peaks(const struct tp_run *run, struct peaks *peaks)
{
	TP_STR key = { 0 };
	*peaks = (struct peaks){ .peak = tp_alloc(run->n_points + 1, sizeof(*peaks->peak)) };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state != TP_POINT_DONE || strcmp(tp_kernel_row(p)->level, "FP") != 0)
			continue;
		peak_key(p, &key);
		tp_tally_add(&peaks->by_key, tp_str_text(&key));
		size_t group = (size_t)(tp_tally_find(&peaks->by_key, tp_str_text(&key)) -
					peaks->by_key.groups);
		peaks->peak[group] = TP_MAX(peaks->peak[group], tp_point_median(p));
	}
}

static void release_peaks(struct peaks *peaks)
{
	tp_tally_release(&peaks->by_key);
	free(peaks->peak);
}

static double ridge_of(const struct peaks *peaks, const struct tp_point *p)
{
	const struct tp_tally_group *group;
	TP_STR key = { 0 };
	if (!is_roof(p) || tp_point_is_fp(p))
		return 0;
	peak_key(p, &key);
	group = tp_tally_find(&peaks->by_key, tp_str_text(&key));
	return tp_roof_ridge(group ? peaks->peak[group - peaks->by_key.groups] : 0,
			     tp_point_median(p));
}

static void ridge_table(const struct tp_comparison *c, size_t run, const struct peaks of[2],
			struct tp_text *doc)
{
	static const struct tp_grid_column columns[] = {
		{ "ISA", TP_LEFT, 0 },	     { "at", TP_LEFT, 0 },	  { "kernel", TP_LEFT, 0 },
		{ "precision", TP_LEFT, 1 }, { "threads", TP_RIGHT, 1 },  { "A", TP_RIGHT, 0 },
		{ "", TP_RIGHT, 0 },	     { "change %", TP_RIGHT, 0 },
	};
	const char letter[2] = { (char)('A' + run), '\0' };
	TP_GRID(grid, columns);
	TP_STR text = { 0 };
	size_t rows = 0;
	for (size_t i = 0; i < TP_COUNT_OF(columns); i++)
		tp_grid_head(&grid, i == 6 ? letter : columns[i].head);
	for (size_t i = 0; i < c->n_points; i++) {
		const struct tp_compared *r = &c->rows[i];
		char change[32];
		if (r->run != run)
			continue;
		double a = ridge_of(&of[0], r->a), b = ridge_of(&of[1], r->b);
		if (!(a > 0) || !(b > 0) || fabs(b / a - 1) <= NO_NEWS)
			continue;
		add_kernel(&grid, r->b);
		tp_grid_number(&grid, TP_PAINT_PLAIN, a, 3);
		tp_grid_number(&grid, TP_PAINT_PLAIN, b, 3);
		percent_text(change, sizeof(change), log(b / a));
		tp_grid_text(&grid, TP_PAINT_PLAIN, change);
		rows++;
	}
	if (rows) {
		tp_str_printf(&text, "%s against A%sridge points%sFLOP/byte", letter,
			      tp_text_dot(doc->look), tp_text_dot(doc->look));
		tp_text_title(doc, tp_str_text(&text));
		tp_grid_write(&grid, doc);
	}
}

/*
 * Rows with something to tell: what changed, and what may have, if it is at least half of what
 * would have counted.
 */
static bool has_news(const struct tp_comparison *c, size_t row)
{
	const struct tp_difference *d = &c->differences[row];
	double change = fabs(expm1(d->gain));
	if (d->verdict != TP_VERDICT_UNCLEAR)
		return d->verdict != TP_VERDICT_SAME;
	return change > NO_NEWS && (!d->known || change >= d->visible / 2);
}

/* The rows of a table that have news. */
static void pair_table(const struct tp_comparison *c, const struct tp_tally *tables,
		       const struct tp_tally_group *table, struct tp_text *doc)
{
	const struct tp_compared *r = &c->rows[table->first];
	bool any = false;
	for (size_t i = table->first; i != TP_TALLY_END && !any; i = tables->next[i])
		any = has_news(c, i);
	if (!any)
		return;
	const char *what = r->b ? r->b->experiment : "plateaus";
	const char *dot = tp_text_dot(doc->look);
	const char *precision = r->b ? tp_kernel_row(r->b)->precision : r->plateau_b->precision;
	const char second[2] = { tp_compare_letter(r, true), '\0' };
	TP_STR text = { 0 };
	char count[32];
	tp_str_printf(&text, "%s against A", second);
	if (c->options.across != TP_ACROSS_NONE)
		tp_str_printf(&text, ", across %s", tp_dimension_name(c->options.across));
	tp_str_printf(&text, "%s%s%s%s%s%s%s%s", dot, what, *precision ? dot : "", precision, dot,
		      tp_text_count(count, sizeof(count),
				    r->b ? r->b->threads : r->plateau_b->threads, "thread"),
		      dot, tp_compare_unit(r));
	tp_text_title(doc, tp_str_text(&text));
	TP_GRID(grid, pair_columns);
	for (size_t i = 0; i < TP_COUNT_OF(pair_columns); i++)
		tp_grid_head(&grid, i == SECOND ? second : pair_columns[i].head);
	for (size_t i = table->first; i != TP_TALLY_END; i = tables->next[i])
		if (has_news(c, i))
			pair_row(c, &grid, i);
	tp_grid_write(&grid, doc);
}

/* How many rows the tables do not show, and why. */
/* "The others: 10 same, 2 without a change that would count (--csv has all of them)." */
static void add_rest_line(const struct tp_comparison *c, struct tp_text *doc)
{
	size_t same = 0, unclear = 0;
	TP_STR text = { 0 };
	for (size_t i = 0; i < c->n; i++) {
		same += c->differences[i].verdict == TP_VERDICT_SAME;
		unclear += c->differences[i].verdict == TP_VERDICT_UNCLEAR && !has_news(c, i);
	}
	if (!same && !unclear)
		return;
	tp_text_gap(doc);
	tp_str_add(&text, same + unclear == c->n ? "Nothing changed: " : "The others: ");
	if (same)
		tp_str_printf(&text, "%zu same%s", same, unclear ? ", " : "");
	if (unclear)
		tp_str_printf(&text, "%zu without a change that would count", unclear);
	tp_str_add(&text, " (--csv has all of them).");
	tp_text_wrap(doc, TP_PAINT_STRONG, tp_str_text(&text), 0, 0);
}

/* --- different machines: roofs side by side --- */

/*
 * Rows by run and by the baseline's point, [run * points of the baseline + point]; NULL where a
 * point has no partner. The caller frees it.
 */
static const struct tp_compared **partners(const struct tp_comparison *c, size_t runs)
{
	size_t points = c->runs[0]->n_points;
	const struct tp_compared **rows = tp_alloc(runs * points + 1, sizeof(*rows));
	for (size_t i = c->n_points; i-- > 0;)
		if (c->rows[i].run < runs)
			rows[c->rows[i].run * points +
			     (size_t)(c->rows[i].a - c->runs[0]->points)] = &c->rows[i];
	return rows;
}

static void side_by_side(const struct tp_comparison *c, struct tp_text *doc)
{
	enum { FIXED = 5, COLUMNS = FIXED + 2 * SIDE_BY_SIDE_MAX };
	static const char *const heads[FIXED] = { "ISA", "at", "kernel", "precision", "threads" };
	struct tp_grid_column columns[COLUMNS];
	char names[SIDE_BY_SIDE_MAX][2];
	size_t runs = TP_MIN(c->n_runs, (size_t)SIDE_BY_SIDE_MAX), rows = 0;
	TP_FREE const struct tp_compared **partner = partners(c, runs);
	TP_STR text = { 0 };
	for (size_t i = 0; i < FIXED; i++)
		columns[i] = (struct tp_grid_column){ heads[i], i == 4 ? TP_RIGHT : TP_LEFT,
						      i > 2 ? 6 - (unsigned)i : 0 };
	for (size_t i = 0; i < runs; i++) {
		names[i][0] = (char)('A' + i);
		names[i][1] = '\0';
		columns[FIXED + 2 * i] = (struct tp_grid_column){ names[i], TP_RIGHT, 0 };
		columns[FIXED + 2 * i + 1] =
			(struct tp_grid_column){ i ? "ratio" : "", TP_RIGHT, 1 };
	}
	TP_GRID(grid, columns);
	grid.n_columns = FIXED + 2 * runs;
	tp_grid_heads(&grid);
	for (size_t i = 0; i < c->runs[0]->n_points; i++) {
		const struct tp_point *p = &c->runs[0]->points[i];
		if (p->state != TP_POINT_DONE || !is_roof(p))
			continue;
		rows++;
		add_kernel(&grid, p);
		tp_grid_number(&grid, TP_PAINT_PLAIN, tp_point_median(p), TP_DECIMALS);
		tp_grid_text(&grid, TP_PAINT_PLAIN, "");
		for (size_t k = 1; k < runs; k++) {
			const struct tp_compared *r = partner[k * c->runs[0]->n_points + i];
			double value = r ? tp_point_median(r->b) : NAN;
			tp_grid_number(&grid, TP_PAINT_PLAIN, value, TP_DECIMALS);
			tp_grid_number(&grid, TP_PAINT_PLAIN, value / tp_point_median(p), 2);
		}
	}
	if (rows) {
		tp_str_printf(&text, "Roofs side by side%sGB/s, FP in GFLOP/s%sratio to A",
			      tp_text_dot(doc->look), tp_text_dot(doc->look));
		tp_text_title(doc, tp_str_text(&text));
		tp_grid_write(&grid, doc);
	}
	tp_text_gap(doc);
	tp_text_say(doc, TP_PAINT_WARN, 0, INDENT,
		    "No verdict: the runs are of different machines (%s), whose values are no "
		    "repetition of each other.",
		    c->no_verdict);
}

/* --- heads, missing points, explanations --- */

/* A line a run, with its letter; then everything else of the text. */
static void add_run_lines(const struct tp_comparison *c, struct tp_text *doc)
{
	static const char *const keys[] = { "started", "machine.hostname", "machine.cpu" };
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct tp_run *run = c->runs[i];
		TP_STR text = { 0 };
		char simulated[TP_SIMULATED_BYTES + 16], count[32];
		const size_t done = tp_run_n_done(run), all = tp_run_n_needed(run);
		const char letter[2] = { (char)('A' + i), '\0' };
		tp_text_clean(&text, c->names[i], doc->look);
		tp_text_join(&text, doc->look,
			     tp_fact_simulated(run, simulated, sizeof(simulated)));
		for (size_t k = 0; k < TP_COUNT_OF(keys); k++)
			tp_text_join(&text, doc->look, tp_fact_text(run, keys[k]));
		tp_str_add(&text, tp_text_dot(doc->look));
		/* A table has rows only for what was measured: its gaps say nothing. */
		bool gaps = *run->state && done < all;
		if (gaps)
			tp_str_printf(&text, "%zu of ", done);
		tp_str_add(&text, tp_text_count(count, sizeof(count), gaps ? all : done, "point"));
		if (strcmp(run->state, "complete") != 0)
			tp_text_join(&text, doc->look, run->state);
		tp_text_labelled(doc, letter, LETTER_COLUMNS, TP_PAINT_PLAIN, tp_str_text(&text));
	}
}

static void add_missing(const struct tp_comparison *c, size_t run, size_t against,
			struct tp_text *doc)
{
	TP_STR text = { 0 };
	char count[32];
	size_t n = 0, told = 0;
	for (size_t i = 0; i < c->n_unpaired; i++)
		n += c->unpaired[i].run == run && c->unpaired[i].against == against;
	if (!n)
		return;
	tp_str_printf(&text, "In %c, not in %c: %s", (char)('A' + run), (char)('A' + against),
		      tp_text_count(count, sizeof(count), n, "point"));
	tp_text_title(doc, tp_str_text(&text));
	for (size_t i = 0; i < c->n_unpaired && told < NAMES_MAX; i++) {
		const struct tp_unpaired *u = &c->unpaired[i];
		if (u->run != run || u->against != against)
			continue;
		tp_str_clear(&text);
		tp_compare_point_name(u->point, &text);
		tp_text_say(doc, TP_PAINT_PLAIN, 0, INDENT, "%s %s", u->point->experiment,
			    tp_str_text(&text));
		told++;
	}
	if (told < n)
		tp_text_say(doc, TP_PAINT_DIM, 0, 0, "and %zu more", n - told);
}

static void add_tables(const struct tp_comparison *c, struct tp_text *doc)
{
	if (c->no_verdict[0]) {
		side_by_side(c, doc);
	} else {
		TP_CLEANUP(tp_tally_release) struct tp_tally tables = { 0 };
		TP_STR key = { 0 };

		for (size_t i = 0; i < c->n; i++) {
			table_key(&c->rows[i], &key);
			tp_tally_add(&tables, tp_str_text(&key));
		}
		for (size_t i = 0; i < tables.n; i++)
			pair_table(c, &tables, &tables.groups[i], doc);
		/* A page has it on top. */
		if (!doc->look->html)
			add_rest_line(c, doc);
		for (size_t run = 1; run < c->n_runs && !c->options.across; run++) {
			struct peaks of[2];

			/* The ridge points that moved between the baseline and a run. */
			find_peaks(c->runs[0], &of[0]);
			find_peaks(c->runs[run], &of[1]);
			ridge_table(c, run, of, doc);
			release_peaks(&of[0]);
			release_peaks(&of[1]);
		}
	}
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->compare)
			r->compare(c->runs, c->n_runs, doc);
	for (size_t run = 1; run < c->n_runs; run++) {
		add_missing(c, 0, run, doc);
		add_missing(c, run, 0, doc);
	}
	if (!c->no_verdict[0])
		add_explanation(c, doc);
}

void tp_compare_text(const struct tp_comparison *c, struct tp_text *doc)
{
	add_run_lines(c, doc);
	add_tables(c, doc);
}

static void add_verdict(const struct tp_comparison *c, struct tp_text *body)
{
	static const struct tp_look plain = { .utf8 = true };
	TP_STR text = { 0 };
	tp_text_title(body, "Verdict");
	tp_compare_verdict(c, &plain, &text);
	const char *words = tp_str_text(&text);
	size_t prefix = strncmp(words, "tprof: ", 7) == 0 ? 7 : 0;
	tp_text_wrap(body, TP_PAINT_STRONG, words + prefix, 0, 0);
	if (!c->no_verdict[0])
		add_rest_line(c, body);
	add_run_lines(c, body);
}

static void add_pictures(const struct tp_comparison *c, struct tp_text *body)
{
	const struct tp_overlay overlay = { c->runs, c->names, c->n_runs };
	char text[96];
	tp_text_title(body, "Pictures");
	snprintf(text, sizeof(text), "At most %d runs go into a picture; these are %zu.",
		 TP_REPORT_RUNS_MAX, c->n_runs);
	if (c->n_runs > TP_REPORT_RUNS_MAX)
		tp_text_wrap(body, TP_PAINT_DIM, text, 0, 0);
	else
		tp_pictures_text(tp_overlay_each, &overlay, NULL, body);
}

void tp_compare_html(const struct tp_comparison *c, struct tp_str *out)
{
	TP_TEXT(body, &tp_html_look);
	TP_STR names = { 0 };
	for (size_t i = 0; i < c->n_runs; i++)
		tp_str_printf(&names, "%s%s", i ? " \u00b7 " : "", c->names[i]);
	add_verdict(c, &body);
	add_pictures(c, &body);
	add_tables(c, &body);
	const struct tp_html_page page = {
		"Comparison of runs", tp_str_text(&names),
		"Runs of tprof side by side: which differences are real.", true
	};
	tp_html_page_make(&page, &body, out);
}
