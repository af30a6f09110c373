/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for readers: as text, and as a page with its pictures. */
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
#include "report/page.h"
#include "doc/html.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "doc/text.h"

/* Below this an unclear difference, or a ridge that moved, does not get a row. */
#define NO_NEWS 0.01

/*
 * The median over the points of a kind that are not poor of what would have been seen; 0 if there
 * is none.
 */
static double visible_of(const struct tp_comparison *c, enum tp_repeat repeat)
{
	TP_FREE double *x = tp_alloc(c->n_points + 1, sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i < c->n_points; i++)
		if (c->rows[i].repeat == repeat && !c->differences[i].poor)
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

/* The same seed gives the same values again. */
static bool is_simulated(const struct tp_comparison *c)
{
	char words[TP_SIMULATED_BYTES];
	return *tp_run_simulated(c->runs[c->n_runs - 1], words, sizeof(words)) != '\0';
}

/* The paragraph after the tables. */
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
		tp_str_add(&text, " unclear: ");
		if (!is_simulated(c))
			tp_str_add(&text, "measure again while the machine is quiet; ");
		if (only_programs(c))
			tp_str_add(&text, "more runs of a program (program.runs) narrow it.");
		else
			tp_str_printf(&text,
				      "%sinvocations=5 shows how far processes differ and "
				      "narrows it.",
				      doc->look->screen ? "" : "--set ");
		tp_str_add(&text, " A poor value is not compared.");
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

/* Heads in which "B" is the letter of the other run. */
static void add_heads(struct tp_grid *grid, char letter)
{
	const char other[2] = { letter, '\0' };
	for (size_t i = 0; i < grid->n_columns; i++)
		tp_grid_head(grid, strcmp(grid->columns[i].head, "B") == 0 ? other
									   : grid->columns[i].head);
}

/* A point that is a roof, with what tables show of it in each run. */
struct roof_row {
	const struct tp_point *point;
	char change[16];
	double value[SIDE_BY_SIDE_MAX], ratio[SIDE_BY_SIDE_MAX];
};

#define ROOF(name)   TP_SHOWS(struct roof_row, name)
#define POINT(name)  TP_POINT(name), TP_VIA(struct roof_row, point)
#define KERNEL(name) TP_KERNEL(name), TP_VIA(struct roof_row, point)
static const struct tp_grid_column ridge_columns[] = {
	{ "ISA", TP_LEFT, 0, KERNEL(isa), .paint = TP_PAINT_STRONG },
	{ "at", TP_LEFT, 0, KERNEL(level) },
	{ "kernel", TP_LEFT, 0, POINT(kernel) },
	{ "precision", TP_LEFT, 3, KERNEL(precision) },
	{ "threads", TP_RIGHT, 2, POINT(threads) },
	{ "A", TP_RIGHT, 0, ROOF(value[0]), .as = TP_AS_FIXED, .digits = 3 },
	{ "B", TP_RIGHT, 0, ROOF(value[1]), .as = TP_AS_FIXED, .digits = 3 },
	{ "change %", TP_RIGHT, 0, ROOF(change) },
};
enum { ROOF_COLUMNS = 5 }; /* the columns that identify the roof */

/* What the rows of a table have in common. */
static void table_key(const struct tp_compared *r, struct tp_str *key)
{
	const char *precision = r->b ? tp_kernel_row(r->b)->precision : r->plateau_b->precision;
	tp_str_clear(key);
	tp_str_printf(key, "%zu\x1f%s\x1f%u\x1f%s\x1f%s", r->run, tp_compare_unit(r),
		      r->b ? r->b->threads : r->plateau_b->threads, precision,
		      r->b ? r->b->experiment : "\x1fplateaus");
}

/* --- pairs --- */

/* The same of a point or a plateau. */
struct pair_row {
	const char *isa, *kernel, *pages, *against;
	char at[32], change[16], interval[40];
	unsigned pause_cycles;
	double a, b;
	enum tp_verdict verdict;
	struct tp_str note;
};

static enum tp_paint paint_of_verdict(const void *row)
{
	static const enum tp_paint paints[TP_VERDICT_COUNT] = {
		[TP_VERDICT_SAME] = TP_PAINT_DIM,
		[TP_VERDICT_FASTER] = TP_PAINT_GOOD,
		[TP_VERDICT_SLOWER] = TP_PAINT_BAD,
		[TP_VERDICT_UNCLEAR] = TP_PAINT_WARN,
	};
	return paints[((const struct pair_row *)row)->verdict];
}

static enum tp_paint paint_of_change(const void *row)
{
	const enum tp_paint paint = paint_of_verdict(row);
	return paint == TP_PAINT_DIM ? TP_PAINT_PLAIN : paint;
}

static const char *verdict_words(char *out, size_t size, double verdict)
{
	(void)out;
	(void)size;
	return tp_verdict_name((enum tp_verdict)verdict);
}

#define PAIR(name) TP_SHOWS(struct pair_row, name)
static const struct tp_grid_column pair_columns[] = {
	{ "ISA", TP_LEFT, 0, PAIR(isa), .paint = TP_PAINT_STRONG },
	{ "at", TP_LEFT, 0, PAIR(at) },
	{ "kernel", TP_LEFT, 0, PAIR(kernel) },
	{ "pages", TP_LEFT, 2, PAIR(pages) },
	{ "pause", TP_RIGHT, 2, PAIR(pause_cycles), .positive = true, .none = "" },
	{ "against", TP_LEFT, 1, PAIR(against) },
	{ "A", TP_RIGHT, 4, PAIR(a) },
	{ "B", TP_RIGHT, 3, PAIR(b) },
	{ "change %", TP_RIGHT, 0, PAIR(change), .paint_of = paint_of_change },
	{ "interval", TP_RIGHT, 1, PAIR(interval), .none = "-" },
	{ "verdict", TP_LEFT, 1, PAIR(verdict), .words = verdict_words,
	  .paint_of = paint_of_verdict },
	{ "", TP_LEFT, 5, PAIR(note.s), .paint = TP_PAINT_DIM },
};

static void add_pair(const struct tp_comparison *c, struct tp_grid *grid, size_t i)
{
	const struct tp_compared *r = &c->rows[i];
	const struct tp_difference *d = &c->differences[i];
	const struct tp_plateau *plateau = r->plateau_b;
	const struct tp_kernel_row *k = r->b ? tp_kernel_row(r->b) : NULL;
	struct pair_row row = { .isa = k ? k->isa : plateau->isa,
				.kernel = k ? r->b->kernel : plateau->kernel,
				.pages = k ? k->pages_wanted : plateau->pages_wanted,
				.pause_cycles = k ? k->pause_cycles : 0,
				.a = tp_compare_value(r, false),
				.b = tp_compare_value(r, true),
				.verdict = d->verdict };
	char low[16], high[16], against[64];
	tp_copy(row.at, sizeof(row.at), k ? k->level : plateau->level);
	if (k && !*k->level && k->working_set_bytes)
		tp_text_size(row.at, sizeof(row.at), k->working_set_bytes);
	if (r->a)
		row.against = tp_dimension_text(c->options.across, r->a, against, sizeof(against));
	tp_compare_percent_text(row.change, sizeof(row.change), d->gain);
	if (d->known)
		snprintf(row.interval, sizeof(row.interval), "%s %s",
			 tp_compare_percent_text(low, sizeof(low), d->low),
			 tp_compare_percent_text(high, sizeof(high), d->high));
	tp_compare_note(c, i, &row.note);
	tp_grid_row(grid, &row, NULL);
	tp_str_release(&row.note);
}

/* --- ridge points: where a bandwidth meets the peak --- */

/* The FP peaks of a run by what distinguishes them: run of the preset, team, ISA, precision. */
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
		if (p->state != TP_POINT_DONE || p->quality == TP_QUALITY_POOR ||
		    strcmp(tp_kernel_row(p)->level, "FP") != 0)
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
	if (!is_roof(p) || tp_point_is_fp(p) || p->quality == TP_QUALITY_POOR)
		return 0;
	peak_key(p, &key);
	group = tp_tally_find(&peaks->by_key, tp_str_text(&key));
	return tp_roof_ridge(group ? peaks->peak[group - peaks->by_key.groups] : 0,
			     tp_point_median(p));
}

static void ridge_table(const struct tp_comparison *c, size_t run, const struct peaks of[2],
			struct tp_text *doc)
{
	const char letter = (char)('A' + run);
	TP_GRID(grid, ridge_columns);
	TP_STR text = { 0 };
	add_heads(&grid, letter);
	for (size_t i = 0; i < c->n_points; i++) {
		const struct tp_compared *r = &c->rows[i];
		if (r->run != run)
			continue;
		double a = ridge_of(&of[0], r->a), b = ridge_of(&of[1], r->b);
		if (!(a > 0) || !(b > 0) || fabs(b / a - 1) <= NO_NEWS)
			continue;
		struct roof_row row = { .point = r->b, .value = { a, b } };
		tp_compare_percent_text(row.change, sizeof(row.change), log(b / a));
		tp_grid_row(&grid, &row, NULL);
	}
	if (grid.n > grid.n_columns) {
		tp_str_printf(&text, "%c against A%sridge points%sFLOP/byte", letter,
			      tp_text_dot(doc->look), tp_text_dot(doc->look));
		tp_text_title(doc, tp_str_text(&text));
		tp_grid_write(&grid, doc);
	}
}

/* Rows worth showing: changes, and possible ones of at least half of what would have counted. */
static bool has_news(const struct tp_comparison *c, size_t row)
{
	const struct tp_difference *d = &c->differences[row];
	double change = fabs(expm1(d->gain));
	if (d->verdict != TP_VERDICT_UNCLEAR)
		return d->verdict != TP_VERDICT_SAME;
	return !d->poor && change > NO_NEWS && (!d->known || change >= d->visible / 2);
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
	const char second = tp_compare_letter(r, true);
	TP_STR text = { 0 };
	char count[32];
	tp_str_printf(&text, "%c against A", second);
	if (c->options.across != TP_ACROSS_NONE)
		tp_str_printf(&text, ", across %s", tp_dimension_name(c->options.across));
	tp_str_printf(&text, "%s%s%s%s%s%s%s%s", dot, what, *precision ? dot : "", precision, dot,
		      tp_text_count(count, sizeof(count),
				    r->b ? r->b->threads : r->plateau_b->threads, "thread"),
		      dot, tp_compare_unit(r));
	tp_text_title(doc, tp_str_text(&text));
	TP_GRID(grid, pair_columns);
	add_heads(&grid, second);
	for (size_t i = table->first; i != TP_TALLY_END; i = tables->next[i])
		if (has_news(c, i))
			add_pair(c, &grid, i);
	tp_grid_write(&grid, doc);
}

/*
 * "The others: 10 same, 2 unclear (--csv has all of them).": what the tables do not list, from the
 * counts of the verdict.
 */
static void add_rest_line(const struct tp_comparison *c, struct tp_text *doc)
{
	const size_t same = c->count[TP_VERDICT_SAME];
	size_t unclear = c->count[TP_VERDICT_UNCLEAR], poor = 0;
	TP_STR text = { 0 };
	for (size_t i = 0; i < c->n; i++) {
		unclear -= c->differences[i].verdict == TP_VERDICT_UNCLEAR && has_news(c, i);
		poor += c->differences[i].poor;
	}
	if (!same && !unclear)
		return;
	tp_text_gap(doc);
	tp_str_add(&text, same == c->n && !c->n_unpaired ? "Nothing changed: "
			  : same + unclear == c->n	 ? "No change was found: "
							 : "The others: ");
	if (same)
		tp_str_printf(&text, "%zu %s%s", same, tp_verdict_name(TP_VERDICT_SAME),
			      unclear ? ", " : "");
	if (unclear)
		tp_str_printf(&text, "%zu %s", unclear, tp_verdict_name(TP_VERDICT_UNCLEAR));
	if (poor && poor < unclear)
		tp_str_printf(&text, ", %zu of them", poor);
	if (poor)
		tp_str_add(&text, " because a value is poor");
	tp_str_add(&text, doc->look->screen ? "." : " (--csv has all of them).");
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
	struct tp_grid_column columns[ROOF_COLUMNS + 2 * SIDE_BY_SIDE_MAX];
	char letters[SIDE_BY_SIDE_MAX][2];
	const size_t runs = TP_MIN(c->n_runs, (size_t)SIDE_BY_SIDE_MAX), n = c->runs[0]->n_points;
	TP_FREE const struct tp_compared **partner = partners(c, runs);
	TP_STR text = { 0 };
	memcpy(columns, ridge_columns, ROOF_COLUMNS * sizeof(*columns));
	for (size_t i = 0; i < runs; i++) {
		struct tp_grid_column *of_run = &columns[ROOF_COLUMNS + 2 * i];
		snprintf(letters[i], sizeof(letters[i]), "%c", (char)('A' + i));
		of_run[0] = (struct tp_grid_column){ letters[i], TP_RIGHT, 0, ROOF(value[0]) };
		of_run[1] = (struct tp_grid_column){
			i ? "ratio" : "",    TP_RIGHT,		1,
			ROOF(ratio[0]),	     .as = TP_AS_FIXED, .digits = 2,
			.none = i ? "-" : ""
		};
		of_run[0].offset += i * sizeof(double);
		of_run[1].offset += i * sizeof(double);
	}
	TP_GRID(grid, columns);
	grid.n_columns = ROOF_COLUMNS + 2 * runs;
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n; i++) {
		struct roof_row row = { .point = &c->runs[0]->points[i] };
		if (row.point->state != TP_POINT_DONE || !is_roof(row.point))
			continue;
		for (size_t k = 0; k < runs; k++) {
			const struct tp_compared *r = partner[k * n + i];
			row.value[k] = !k  ? tp_point_median(row.point)
				       : r ? tp_point_median(r->b)
					   : NAN;
			row.ratio[k] = k ? row.value[k] / row.value[0] : NAN;
		}
		tp_grid_row(&grid, &row, NULL);
	}
	if (grid.n > grid.n_columns) {
		tp_str_printf(&text, "Roofs side by side%sGB/s, FP in GFLOP/s%sratio to A",
			      tp_text_dot(doc->look), tp_text_dot(doc->look));
		tp_text_title(doc, tp_str_text(&text));
		tp_grid_write(&grid, doc);
	}
	tp_text_gap(doc);
	tp_text_say(doc, TP_PAINT_WARN, 0, INDENT,
		    "No verdict: the runs are of different machines (%s), whose values do not "
		    "repeat each other.",
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
		/* A table has rows only for measured points: its gaps mean nothing. */
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
	tp_text_wrap(body, TP_PAINT_STRONG, tp_str_text(&text), 0, 0);
	if (!c->no_verdict[0])
		add_rest_line(c, body);
	add_run_lines(c, body);
}

static void add_pictures(const struct tp_comparison *c, struct tp_text *body)
{
	char text[96];
	tp_text_title(body, "Pictures");
	snprintf(text, sizeof(text), "At most %d runs are drawn on each other; these are %zu.",
		 TP_REPORT_RUNS_MAX, c->n_runs);
	if (c->n_runs > TP_REPORT_RUNS_MAX)
		tp_text_wrap(body, TP_PAINT_DIM, text, 0, 0);
	tp_pictures_text(tp_compare_pictures, c, NULL, body);
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
