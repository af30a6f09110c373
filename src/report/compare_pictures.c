/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a comparison: the runs on each other, and a bar for each change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/point.h"
#include "report/compare.h"
#include "report/pictures.h"
#include "report/report.h"
#include "report/reporter.h"

/* Rows of a picture that are not bars: title, axis, ticks, label. */
enum { FRAME_ROWS = 5 };
/* Next to the title a screen shows "2 of 3". */
enum { PAGE_COLUMNS = 9 };

/* Percent: how far intervals widen the axis; the second is a multiple of the largest change. */
#define WIDEST_LEAST 10.0
#define WIDEST_TIMES 4.0

/* What an axis and the gaps beside it take of the columns; the share that names and texts get. */
enum { AXIS_COLUMNS = 6, TEXT_GAP = 3 };
#define NAMES_MOST 0.42
#define TEXT_MOST  0.7

struct change {
	size_t row;
	int rank; /* the order of the bars: what changed, may have, did not, and poor values */
	double size;
};

static bool is_known(const struct tp_difference *d)
{
	return !d->poor && isfinite(d->gain);
}

static struct change change_of(const struct tp_comparison *c, size_t row)
{
	static const int ranks[TP_VERDICT_COUNT] = {
		[TP_VERDICT_FASTER] = 0,
		[TP_VERDICT_SLOWER] = 0,
		[TP_VERDICT_UNCLEAR] = 1,
		[TP_VERDICT_SAME] = 2,
	};
	const struct tp_difference *d = &c->differences[row];
	const int rank = c->no_verdict[0] ? 0 : ranks[d->verdict];
	return is_known(d) ? (struct change){ row, rank, fabs(d->gain) }
			   : (struct change){ row, 3, 0 };
}

static int largest_first(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* "-3.1 % slower", "+4.0 % unclear: needs 8.1 %" */
static void add_change(const struct tp_comparison *c, size_t row, struct tp_str *out)
{
	const struct tp_difference *d = &c->differences[row];
	const double needs = 100 * tp_difference_needs(d);
	char percent[16];
	if (!is_known(d)) {
		tp_str_add(out, d->poor ? "unclear: a value is poor" : "unclear: no value");
		return;
	}
	tp_str_printf(out, "%s %%", tp_compare_percent_text(percent, sizeof(percent), d->gain));
	if (c->no_verdict[0])
		return;
	tp_str_printf(out, " %s", tp_verdict_name(d->verdict));
	if (d->verdict != TP_VERDICT_UNCLEAR)
		return;
	if (!d->known)
		tp_str_add(out, ": no interval");
	else if (needs < 1000)
		tp_str_printf(out, needs < 9.95 ? ": needs %.1f %%" : ": needs %.0f %%", needs);
	else
		tp_str_add(out, ": too noisy");
}

/* For a cursor: "-3.1 % slower [-4.0 -2.2]; A 236, B 229 GB/s; pages thp to small" */
static const char *words_of(const struct tp_comparison *c, size_t row, struct tp_picture *picture)
{
	const struct tp_compared *r = &c->rows[row];
	const struct tp_difference *d = &c->differences[row];
	char low[16], high[16];
	TP_STR text = { 0 };
	TP_STR note = { 0 };
	add_change(c, row, &text);
	if (d->known && is_known(d))
		tp_str_printf(&text, " [%s %s]", tp_compare_percent_text(low, sizeof(low), d->low),
			      tp_compare_percent_text(high, sizeof(high), d->high));
	tp_str_printf(&text, "; %c %.4g, %c %.4g %s", tp_compare_letter(r, false),
		      tp_compare_value(r, false), tp_compare_letter(r, true),
		      tp_compare_value(r, true), tp_compare_unit(r));
	tp_compare_note(c, row, &note);
	if (note.len)
		tp_str_printf(&text, "; %s", tp_str_text(&note));
	return tp_picture_text(picture, "%s", tp_str_text(&text));
}

static enum tp_plot_role role_of(const struct tp_comparison *c, size_t row)
{
	static const enum tp_plot_role roles[TP_VERDICT_COUNT] = {
		[TP_VERDICT_SAME] = TP_ROLE_THEORY,
		[TP_VERDICT_FASTER] = TP_ROLE_SERIES_2,
		[TP_VERDICT_SLOWER] = TP_ROLE_SERIES_1,
		[TP_VERDICT_UNCLEAR] = TP_ROLE_SERIES_3,
	};
	return c->no_verdict[0] ? TP_ROLE_SERIES_0 : roles[c->differences[row].verdict];
}

/* True if `word`, of n bytes, stands in the name, but not as its first word. */
static bool has_word(const char *name, const char *word, size_t n)
{
	for (const char *at = strchr(name, ' '); at; at = strchr(at + 1, ' '))
		if (strncmp(at + 1, word, n) == 0 && (at[n + 1] == ' ' || !at[n + 1]))
			return true;
	return false;
}

static bool all_have_word(const struct tp_chart_bar *bars, size_t n, const char *word,
			  size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (!has_word(bars[i].name, word, length))
			return false;
	return n > 1;
}

/* Takes the words that all names share off them, and returns these words: " double 1 thread". */
static const char *shorten_names(struct tp_chart_bar *bars, size_t n, struct tp_picture *picture)
{
	const char *names[TP_CHART_BARS], *common = "";
	for (size_t i = 0; i < n; i++) {
		TP_STR own = { 0 };
		TP_STR shared = { 0 };
		for (const char *word = bars[i].name; *word;) {
			const size_t length = strcspn(word, " ");
			const bool all = all_have_word(bars, n, word, length);
			tp_str_printf(all ? &shared : &own, "%s%.*s", all || own.len ? " " : "",
				      (int)length, word);
			word += length + strspn(word + length, " ");
		}
		names[i] = tp_picture_text(picture, "%s", tp_str_text(&own));
		common = tp_picture_text(picture, "%s", tp_str_text(&shared));
	}
	for (size_t i = 0; i < n; i++)
		bars[i].name = names[i];
	return common;
}

/* The axis holds the bars, most of their intervals, and their texts to the right. */
static void fit_axis(struct tp_picture *picture, const struct tp_chart_bar *bars, size_t n,
		     size_t columns)
{
	double widest = 0, names = 0, least = 0, most = 0;
	for (size_t i = 0; i < n; i++) {
		widest = fmax(widest, fabs(bars[i].value));
		names = fmax(names, (double)tp_cell_columns(bars[i].name));
	}
	widest = fmax(WIDEST_TIMES * widest, WIDEST_LEAST);
	const double room =
		fmax((double)columns - fmin(names, NAMES_MOST * (double)columns) - AXIS_COLUMNS, 1);
	for (size_t i = 0; i < n; i++)
		least = fmin(least, fmax(fmin(bars[i].value, bars[i].low), -widest));
	least *= 1.05;
	for (size_t i = 0; i < n; i++) {
		const double text = (double)tp_cell_columns(bars[i].text) + TEXT_GAP;
		const double share = fmin(text / room, TEXT_MOST);
		const double end = fmin(fmax(fmax(bars[i].value, bars[i].high), 0), widest);
		most = fmax(most, (end - share * least) / (1 - share));
	}
	picture->scene.x.min = least;
	picture->scene.x.max = fmax(most, 1);
}

/* "12 more: 10 same, 2 unclear." */
static const char *left_out(const struct tp_comparison *c, const struct change *changes, size_t n,
			    struct tp_picture *picture)
{
	size_t count[TP_VERDICT_COUNT] = { 0 };
	const char *joint = ": ";
	TP_STR text = { 0 };
	if (!n)
		return NULL;
	tp_str_printf(&text, "%zu more", n);
	for (size_t i = 0; i < n; i++)
		count[c->differences[changes[i].row].verdict]++;
	for (int v = 0; v < TP_VERDICT_COUNT && !c->no_verdict[0]; v++) {
		if (!count[v])
			continue;
		tp_str_printf(&text, "%s%zu %s", joint, count[v],
			      tp_verdict_name((enum tp_verdict)v));
		joint = ", ";
	}
	return tp_picture_text(picture, "%s.", tp_str_text(&text));
}

/* Whose changes they are; by letters where the names have no room. */
static const char *title_of(const struct tp_comparison *c, size_t run, const char *common,
			    size_t columns, struct tp_picture *picture)
{
	const char *across = tp_dimension_name(c->options.across);
	TP_STR names = { 0 };
	TP_STR rest = { 0 };
	tp_str_add(&names, c->names[run]);
	if (c->n_runs > 1)
		tp_str_printf(&names, " against %s", c->names[0]);
	if (*across)
		tp_str_printf(&rest, ", across %s", across);
	if (*common)
		tp_str_printf(&rest, ",%s", common);
	if (tp_cell_columns(tp_str_text(&names)) + rest.len + PAGE_COLUMNS > columns) {
		tp_str_clear(&names);
		tp_str_printf(&names, "%c against A", (char)('A' + TP_MAX(run, 1u)));
	}
	return tp_picture_text(picture, "%s%s", tp_str_text(&names), tp_str_text(&rest));
}

static bool draw_changes(const struct tp_comparison *c, size_t run, size_t columns, size_t rows,
			 struct tp_picture *picture)
{
	TP_FREE struct change *changes = tp_alloc(c->n + 1, sizeof(*changes));
	struct tp_chart_bar bars[TP_CHART_BARS];
	size_t n = 0, shown = rows > FRAME_ROWS ? rows - FRAME_ROWS : 1;
	TP_STR text = { 0 };
	for (size_t i = 0; i < c->n; i++)
		if (c->rows[i].run == run)
			changes[n++] = change_of(c, i);
	if (!n)
		return false;
	qsort(changes, n, sizeof(*changes), largest_first);
	shown = TP_MIN(n, TP_MIN(shown, (size_t)TP_CHART_BARS));
	for (size_t i = 0; i < shown; i++) {
		const size_t row = changes[i].row;
		const struct tp_difference *d = &c->differences[row];
		const bool known = is_known(d), band = known && d->known;
		bars[i] = (struct tp_chart_bar){
			.role = role_of(c, row),
			.value = known ? tp_compare_percent(d->gain) : 0,
			.low = band ? tp_compare_percent(d->low) : 0,
			.high = band ? tp_compare_percent(d->high) : 0,
			.point = c->rows[row].b,
			.said = words_of(c, row, picture),
		};
		tp_str_clear(&text);
		tp_compare_name(c, row, &text);
		bars[i].name = tp_picture_text(picture, "%s", tp_str_text(&text));
		tp_str_clear(&text);
		add_change(c, row, &text);
		bars[i].text = tp_picture_text(picture, "%s", tp_str_text(&text));
	}
	const char *common = shorten_names(bars, shown, picture);
	tp_picture_bars(picture, bars, shown, "change of the speed, %");
	tp_picture_mark(picture, 0, 0, false, NULL);
	picture->scene.n_marks = picture->n_marks;
	fit_axis(picture, bars, shown, columns);
	picture->scene.title = title_of(c, run, common, columns, picture);
	picture->left_out = left_out(c, changes + shown, n - shown, picture);
	picture->wide = true;
	return picture->n_series > 0;
}

static void hang_overlays(const struct tp_comparison *c, bool roofs,
			  const struct tp_gallery *gallery)
{
	const struct tp_overlay overlay = { c->runs, c->names, c->n_runs };
	if (c->n_runs < 2 || c->n_runs > TP_REPORT_RUNS_MAX)
		return;
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->overlays && r->roofs == roofs)
			r->overlays(r, &overlay, gallery);
}

void tp_compare_pictures(const void *comparison, const struct tp_gallery *gallery)
{
	const struct tp_comparison *c = comparison;
	hang_overlays(c, true, gallery);
	for (size_t run = c->n_runs > 1; run < c->n_runs; run++) {
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture,
				draw_changes(c, run, gallery->columns, gallery->rows, picture));
	}
	hang_overlays(c, false, gallery);
}
