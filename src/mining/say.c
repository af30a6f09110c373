/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text as a whole: what it is, how far to trust it, the categories, then the sections. */
#include "mining/say_parts.h"
#include "report/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 9, NOTES_BRIEF = 6, LABELS_BRIEF = 16 };

void tp_mine_title(const struct tp_mine_page *page, const char *fmt, ...)
{
	char text[512];
	struct tp_str clean = { 0 };
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tp_text_clean(&clean, text, page->look);
	tp_text_title(page->out, page->look, tp_str_text(&clean));
	tp_str_release(&clean);
}

void tp_mine_words(const struct tp_mine_page *page, enum tp_paint paint, const char *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, text, page->look);
	tp_text_wrap(page->out, page->look, paint, tp_str_text(&clean), 0, 2);
	tp_str_release(&clean);
}

size_t tp_mine_shown(const struct tp_mine_page *page, size_t n, size_t brief)
{
	return page->look->full || n <= brief ? n : brief;
}

void tp_mine_more(const struct tp_mine_page *page, size_t n, size_t shown, const char *what)
{
	char text[128];
	snprintf(text, sizeof(text), "%zu more %s: --report=full shows them.", n - shown, what);
	if (n > shown)
		tp_mine_words(page, TP_PAINT_DIM, text);
}

static void line(const struct tp_mine_page *page, const char *label, enum tp_paint paint,
		 const char *text)
{
	struct tp_str clean = { 0 };
	if (!*text)
		return;
	tp_text_clean(&clean, text, page->look);
	tp_text_labelled(page->out, page->look, label, LABEL_COLUMNS, paint, tp_str_text(&clean));
	tp_str_release(&clean);
}

static void say_head(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const char *dot = tp_text_dot(page->look);
	if (m->target)
		tp_mine_title(page, "Mining%s%s%s%s by %zu column%s of %zu rows", dot, m->source,
			      dot, m->target, m->n_features, m->n_features == 1 ? "" : "s",
			      m->n_rows);
	else
		tp_mine_title(page, "Mining%s%s%s%zu columns of %zu rows", dot, m->source, dot,
			      m->n_features, m->n_rows);
}

static void say_trust(const struct tp_mine_page *page)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_GOOD,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	const struct tp_mine_trust *trust = &page->mining->trust;
	line(page, "Quality", paints[trust->quality],
	     trust->quality ? tp_quality_name(trust->quality) : "");
	line(page, "Says", TP_PAINT_STRONG, tp_str_text(&trust->verdict));
	line(page, "Limits", TP_PAINT_PLAIN, tp_str_text(&trust->limits));
	line(page, "Next", TP_PAINT_GOOD, tp_str_text(&trust->next));
}

static void say_notes(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct tp_str text = { 0 };
	size_t n = m->notes.n, shown = tp_mine_shown(page, n, NOTES_BRIEF);
	if (m->n_filtered) {
		tp_str_printf(&text, "The conditions leave out %zu of %zu rows.", m->n_filtered,
			      m->n_given);
		line(page, "Note", TP_PAINT_PLAIN, tp_str_text(&text));
	}
	for (size_t i = 0; i < shown; i++) {
		const struct tp_diag *note = &m->notes.items[i];
		tp_str_clear(&text);
		tp_str_printf(&text, "%s%s%s", note->where, *note->where ? ": " : "", note->what);
		line(page, "Note", TP_PAINT_PLAIN, tp_str_text(&text));
	}
	tp_mine_more(page, n, shown, "notes");
	tp_str_release(&text);
}

/* --- categories --- */

static const char *bandwidth_words(const struct tp_mine_job *job)
{
	static const char *const rules[] = {
		[TP_BANDWIDTH_ISJ] = "by Improved Sheather-Jones",
		[TP_BANDWIDTH_SILVERMAN] = "by Silverman's rule",
		[TP_BANDWIDTH_CROSS_VALIDATED] = "by cross-validated likelihood",
	};
	return job->bandwidth > 0 ? "as given" : rules[job->bandwidth_rule];
}

static void how_cut(const struct tp_mining *m, struct tp_str *out)
{
	char number[32];
	if (m->job.n_cuts)
		tp_str_add(out, "Cut as mine.cuts says");
	else if (m->one_peak || m->job.cutting == TP_CUT_BY_QUANTILES)
		tp_str_add(out, "Cut into ranges with equally many rows");
	else if (m->job.cutting == TP_CUT_BY_BINS)
		tp_str_add(out, "Cut into ranges of equal width");
	else
		tp_str_printf(out,
			      "Cut where the density is lowest, named by its peaks; bandwidth %s%s "
			      "%s",
			      tp_mine_number(number, sizeof(number), m->density->bandwidth),
			      m->density->log ? " of the decimal logarithm," : "",
			      bandwidth_words(&m->job));
	tp_str_add(out, ".");
}

static const struct tp_grid_column label_columns[] = {
	{ "category", TP_LEFT, 0 }, { "from", TP_RIGHT, 1 },  { "to", TP_RIGHT, 1 },
	{ "rows", TP_RIGHT, 0 },    { "share", TP_RIGHT, 2 },
};

static void limit_cell(struct tp_grid *grid, double value)
{
	char number[32];
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     isfinite(value) ? tp_mine_number(number, sizeof(number), value) : "");
}

static void say_categories(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	size_t shown = tp_mine_shown(page, m->n_labels, LABELS_BRIEF);
	struct tp_grid grid;
	struct tp_str text = { 0 };
	if (!m->n_labels)
		return;
	tp_mine_title(page, "Categories of %s", m->target);
	tp_grid_init(&grid, label_columns, sizeof(label_columns) / sizeof(*label_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		const struct tp_mine_label *label = &m->labels_of[i];
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, label->name);
		limit_cell(&grid, m->continuous ? label->low : NAN);
		limit_cell(&grid, m->continuous ? label->high : NAN);
		tp_grid_number(&grid, TP_PAINT_PLAIN, (double)label->rows, 0);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.0f%%",
			       100 * (double)label->rows / (double)m->n_rows);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->n_labels, shown, "categories");
	if (m->continuous) {
		how_cut(m, &text);
		tp_mine_words(page, TP_PAINT_DIM, tp_str_text(&text));
	}
	tp_str_release(&text);
}

static void say_result(const struct tp_mine_page *page)
{
	say_head(page);
	say_trust(page);
	say_notes(page);
}

static void say_sections(const struct tp_mine_page *page)
{
	say_categories(page);
	tp_mine_say_tree(page);
	tp_mine_say_score(page);
	tp_mine_say_missed(page);
	tp_mine_say_importance(page);
	tp_mine_say_clusters(page);
	tp_mine_say_regression(page);
	tp_mine_say_correlation(page);
}

void tp_mine_text(const struct tp_mining *mining, const struct tp_look *look, struct tp_str *out)
{
	const struct tp_mine_page page = { mining, look, out };
	say_result(&page);
	say_sections(&page);
}

enum tp_status tp_mine_html(const struct tp_mining *mining, struct tp_str *out)
{
	struct tp_str body = { 0 }, title = { 0 };
	const struct tp_mine_page page = { mining, &tp_html_look, &body };
	tp_str_add(&title, mining->source);
	if (mining->target)
		tp_str_printf(&title, " \u00b7 %s", mining->target);
	say_result(&page);
	tp_text_title(&body, page.look, "Pictures");
	tp_pictures_text(tp_mine_pictures, mining, NULL, page.look, &body);
	say_sections(&page);
	const struct tp_html_page around = { tp_str_text(&title), NULL,
					     "Mined by tprof: categories, what decides them, and "
					     "how far to trust it.",
					     true };
	enum tp_status status = title.oom ? TP_NOMEM : tp_html_page_make(&around, &body, out);
	tp_str_release(&body);
	tp_str_release(&title);
	return status;
}
