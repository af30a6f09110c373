/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a finished run: head, tables, and in words what was wrong with which points. */
#include "report/facts.h"
#include "report/html.h"
#include "report/reporter.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/rundir.h"
#include "record/roof.h"

#include <math.h>
#include <string.h>

/* From this width on the tables have room for the names of flags. */
enum { NAMES_COLUMNS = 100, INDENT = 2 };

/* --- shared by the parts --- */

void tp_page_title(struct tp_page *page, const char *name, const struct tp_group *group)
{
	struct tp_str text = { 0 };
	const char *dot = tp_text_dot(page->look);
	char count[32];
	tp_str_add(&text, name);
	if (group) {
		tp_str_printf(&text, "%s%s%s%s", dot, group->precision, dot,
			      tp_text_count(count, sizeof(count), group->threads, "thread"));
		if (page->many_runs)
			tp_str_printf(&text, "%srun %u of the preset", dot, group->run + 1);
	}
	tp_text_title(page->out, page->look, tp_str_text(&text));
	tp_str_release(&text);
}

const char *tp_page_column_head(const struct tp_page *page, const char *head)
{
	if (strcmp(head, "\u00b1%") == 0 && !page->look->utf8)
		return "+-%";
	if (strcmp(head, "quality") == 0 && !page->has_quality)
		return "flags";
	return head;
}

void tp_page_quality(const struct tp_page *page, struct tp_grid *grid, enum tp_quality quality,
		     uint32_t flags)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_WARN,
		[TP_QUALITY_GOOD] = TP_PAINT_PLAIN,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	struct tp_str text = { 0 };
	const char *joint = quality == TP_QUALITY_NONE ? "" : page->flag_names ? ": " : " ";
	flags = tp_quality_reasons(quality, flags);
	tp_str_add(&text, tp_quality_name(quality));
	if (flags)
		tp_str_add(&text, joint);
	for (int i = 0; i < TP_FLAG_COUNT; i++) {
		if (!(flags & 1u << i))
			continue;
		if (page->flag_names)
			tp_str_printf(&text, "%s%s", flags & ((1u << i) - 1) ? " " : "",
				      tp_flag_name((enum tp_flag)i));
		else if (page->mark[i])
			tp_str_add_n(&text, &page->mark[i], 1);
	}
	tp_grid_text(grid, paints[quality], tp_str_text(&text));
	tp_str_release(&text);
}

double tp_page_half_width(double value, double low, double high)
{
	double half = 50 * (high - low) / value;
	return value > 0 && high >= low && high > 0 && isfinite(half) ? half : NAN;
}

void tp_page_interval(struct tp_grid *grid, const struct tp_point *point, double value, double low,
		      double high)
{
	if (tp_point_has_one_window(point))
		tp_grid_text(grid, TP_PAINT_WARN, TP_ONE_WINDOW);
	else
		tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_half_width(value, low, high), 1);
}

double tp_page_rate(double value)
{
	return value > 0 ? value : NAN;
}

const char *tp_page_kernel(const struct tp_run *run, unsigned point)
{
	return point < run->n_points ? run->points[point].kernel : "";
}

bool tp_level_is_fp(const char *level)
{
	return strcmp(level, "FP") == 0;
}

double tp_roof_theory(const struct tp_roof *roof)
{
	bool own = tp_level_is_fp(roof->level) || strcmp(roof->level, "L1") == 0;
	return own && roof->model > 0 && isfinite(roof->model) ? roof->model : 0;
}

/* --- flags in words --- */

static uint32_t shown_flags(const struct tp_point *p)
{
	return tp_quality_reasons(p->quality, p->flags);
}

static void choose_marks(struct tp_page *page)
{
	uint32_t all = 0;
	char letter = 'a';
	for (size_t i = 0; i < page->run->n_points; i++)
		all |= shown_flags(&page->run->points[i]);
	for (size_t i = 0; i < tp_run_n_roofs(page->run); i++)
		all |= tp_quality_reasons(tp_run_roofs(page->run)[i].quality,
					  tp_run_roofs(page->run)[i].flags);
	for (int i = 0; i < TP_FLAG_COUNT; i++)
		if (all & 1u << i)
			page->mark[i] = letter++;
}

/* Flags are the reasons of points that are not good; those of good points are left out. */
static void flags_section(struct tp_page *page)
{
	static const struct tp_grid_column columns[] = {
		{ "", TP_LEFT, 1 },
		{ "flag", TP_LEFT, 0 },
		{ "points", TP_RIGHT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct tp_grid grid;
	bool any = false;
	for (int i = 0; i < TP_FLAG_COUNT; i++)
		any |= page->mark[i];
	if (!any)
		return;
	tp_page_title(page, "Flags", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (int i = 0; i < TP_FLAG_COUNT; i++) {
		size_t points = 0;
		char advice[TP_FLAG_ADVICE_BYTES];
		const char letter[2] = { page->flag_names ? '\0' : page->mark[i], '\0' };
		if (!page->mark[i])
			continue;
		for (size_t k = 0; k < page->run->n_points; k++)
			points += (shown_flags(&page->run->points[k]) & 1u << i) != 0;
		tp_grid_text(&grid, TP_PAINT_WARN, letter);
		tp_grid_text(&grid, TP_PAINT_WARN, tp_flag_name((enum tp_flag)i));
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%zu of %zu", points, page->run->n_points);
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_flag_advice((enum tp_flag)i, advice, sizeof(advice)));
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

/* --- points without a result --- */

static void add_point(struct tp_str *text, size_t id, const struct tp_point *p)
{
	char size[32], count[32];
	tp_str_printf(text, "point %zu, %s", id, p->experiment);
	if (*tp_kernel_row(p)->isa)
		tp_str_printf(text, " %s", tp_kernel_row(p)->isa);
	if (*tp_kernel_row(p)->precision)
		tp_str_printf(text, " %s", tp_kernel_row(p)->precision);
	if (*p->kernel)
		tp_str_printf(text, " %s", p->kernel);
	if (*tp_kernel_row(p)->level && !tp_level_is_fp(tp_kernel_row(p)->level))
		tp_str_printf(text, " %s", tp_kernel_row(p)->level);
	if (tp_kernel_row(p)->working_set_bytes)
		tp_str_printf(
			text, " %s",
			tp_format_bytes(size, sizeof(size), tp_kernel_row(p)->working_set_bytes));
	tp_str_printf(text, ", %s", tp_text_count(count, sizeof(count), p->threads, "thread"));
}

/* One diagnosis with the points it holds for: the first by name, the others by number. */
static void missing_points(struct tp_page *page, const struct tp_tally *words_of,
			   const struct tp_tally_group *group)
{
	enum { NUMBERS_MAX = 12 };
	const struct tp_run *run = page->run;
	const struct tp_point *p = &run->points[group->first];
	struct tp_str raw = { 0 }, text = { 0 };
	size_t others = group->n - 1, told = 0;
	add_point(&raw, group->first, p);
	if (others)
		tp_str_printf(&raw, "; also point%s", others == 1 ? "" : "s");
	for (size_t i = words_of->next[group->first]; i != TP_TALLY_END && told < NUMBERS_MAX;
	     i = words_of->next[i])
		tp_str_printf(&raw, "%s %zu", told++ ? "," : "", i);
	if (others > NUMBERS_MAX)
		tp_str_printf(&raw, " and %zu more", others - NUMBERS_MAX);
	tp_text_clean(&text, tp_str_text(&raw), page->look);
	tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN, tp_str_text(&text), 0, INDENT);

	bool goes_on = strcmp(run->state, "running") == 0;
	const char *words[] = { *p->diag.what		      ? p->diag.what
				: p->state == TP_POINT_FAILED ? "no reason was given"
				: goes_on		      ? "the run goes on"
							      : "the run ended before it",
				p->diag.hint };
	static const enum tp_paint paint[] = { TP_PAINT_WARN, TP_PAINT_DIM };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++) {
		if (!*words[i])
			continue;
		tp_str_clear(&text);
		tp_text_clean(&text, words[i], page->look);
		tp_str_pad(page->out, ' ', INDENT);
		tp_text_wrap(page->out, page->look, paint[i], tp_str_text(&text), INDENT, INDENT);
	}
	tp_str_release(&raw);
	tp_str_release(&text);
}

/* The points by state and by what their diagnoses say. TP_NOMEM. */
static enum tp_status group_words(const struct tp_run *run, struct tp_tally *words_of)
{
	struct tp_str key = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		tp_str_clear(&key);
		tp_str_printf(&key, "%d\x1f%s\x1f%s", p->state, p->diag.what, p->diag.hint);
		status = key.oom ? TP_NOMEM : tp_tally_add(words_of, tp_str_text(&key));
	}
	tp_str_release(&key);
	return status;
}

static void missing_section(struct tp_page *page, const struct tp_tally *words_of,
			    enum tp_point_state state, const char *name)
{
	const struct tp_run *run = page->run;
	struct tp_str title = { 0 };
	char count[32];
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++)
		n += run->points[i].state == state;
	if (!n)
		return;
	tp_str_printf(&title, "%s: %s", name, tp_text_count(count, sizeof(count), n, "point"));
	tp_page_title(page, tp_str_text(&title), NULL);
	tp_str_release(&title);
	for (size_t i = 0; i < words_of->n; i++)
		if (run->points[words_of->groups[i].first].state == state)
			missing_points(page, words_of, &words_of->groups[i]);
}

static void missing_sections(struct tp_page *page)
{
	struct tp_tally words_of = { 0 };
	if (group_words(page->run, &words_of) == TP_OK) {
		missing_section(page, &words_of, TP_POINT_FAILED, "Failed");
		missing_section(page, &words_of, TP_POINT_SKIPPED, "Skipped");
		missing_section(page, &words_of, TP_POINT_PLANNED, "Not measured");
	}
	tp_tally_release(&words_of);
}

/* --- warnings of the run --- */

static void warnings_section(struct tp_page *page)
{
	const struct tp_diags *diags = &page->run->diags;
	struct tp_str text = { 0 };
	if (!diags->n)
		return;
	tp_page_title(page, "Remarks", NULL);
	for (size_t i = 0; i < diags->n; i++) {
		const struct tp_diag *d = &diags->items[i];
		tp_str_clear(&text);
		tp_text_clean(&text, d->where, page->look);
		tp_str_add(&text, *d->where ? ": " : "");
		tp_text_clean(&text, d->what, page->look);
		tp_text_wrap(page->out, page->look, TP_PAINT_WARN, tp_str_text(&text), 0, INDENT);
		if (!*d->hint)
			continue;
		tp_str_clear(&text);
		tp_text_clean(&text, d->hint, page->look);
		tp_str_pad(page->out, ' ', INDENT);
		tp_text_wrap(page->out, page->look, TP_PAINT_DIM, tp_str_text(&text), INDENT,
			     INDENT);
	}
	tp_str_release(&text);
}

/* Where to find what programs of the user printed. */
static void printed_section(struct tp_page *page)
{
	struct tp_str text = { 0 };
	if (tp_run_printed_text(page->run, NULL, &text)) {
		tp_page_title(page, "Output", NULL);
		tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
	}
	tp_str_release(&text);
}

static void begin(struct tp_page *page, const struct tp_run *run, const struct tp_look *look,
		  struct tp_str *out)
{
	*page = (struct tp_page){ .run = run,
				  .look = look,
				  .out = out,
				  .flag_names = tp_look_columns(look) >= NAMES_COLUMNS };
	for (size_t i = 0; i < run->n_points; i++) {
		page->many_runs |= run->points[i].run != run->points[0].run;
		page->has_quality |= run->points[i].quality != TP_QUALITY_NONE;
	}
	choose_marks(page);
}

static void leads(struct tp_page *page)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->lead)
			r->lead(page);
}

static void tables(struct tp_page *page)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->page)
			r->page(page);
	tp_page_points(page);
	flags_section(page);
	missing_sections(page);
	printed_section(page);
	warnings_section(page);
}

void tp_report_text(const struct tp_run *run, const struct tp_look *look, struct tp_str *out)
{
	struct tp_page page;
	begin(&page, run, look, out);
	leads(&page);
	tp_page_head(&page);
	tables(&page);
	tp_page_conclusion(&page);
}

/* On a page that is read from its top the result comes first. */
static void body_of_run(const struct tp_run *run, struct tp_str *body)
{
	struct tp_page page;
	begin(&page, run, &tp_html_look, body);
	tp_page_conclusion(&page);
	leads(&page);
	tp_page_title(&page, "Pictures", NULL);
	size_t before = body->len;
	tp_report_plots(run, &tp_html_look, body);
	if (body->len == before)
		tp_html_line(body, TP_PAINT_DIM, "No point that a picture shows was measured.");
	tp_page_title(&page, "Machine and run", NULL);
	tp_page_head(&page);
	tables(&page);
}

enum tp_status tp_report_html(const struct tp_run *run, struct tp_str *out)
{
	struct tp_str body = { 0 }, title = { 0 }, where = { 0 };
	char name[TP_RUN_NAME_BYTES], simulated[TP_SIMULATED_BYTES + 16];
	tp_str_add(&title, tp_fact_name(run, name, sizeof(name)));
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(&title, " \u00b7 %s", simulated);
	tp_fact_when_where(run, &where);
	body_of_run(run, &body);
	const struct tp_html_page page = { tp_str_text(&title), tp_str_text(&where),
					   "A run of tprof: what limits, roofs, curves, tables.",
					   true };
	enum tp_status status =
		title.oom || where.oom ? TP_NOMEM : tp_html_page_make(&page, &body, out);
	tp_str_release(&body);
	tp_str_release(&title);
	tp_str_release(&where);
	return status;
}
