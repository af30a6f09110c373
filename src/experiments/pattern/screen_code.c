/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configurations of a run, and of the one under the cursor: its map, the loops that isl
 * generates, and the document of its pattern.
 */
#include "experiments/pattern/screen.h"
#include "base/now.h"
#include "base/vec.h"
#include "experiments/pattern/views.h"
#include "pattern/pattern.h"
#include "ui/tui/app.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BESIDE_COLUMNS = 110, LIST_COLUMNS = 48, RATE_COLUMNS = 9, LIST_ROWS_MOST = 8 };

/* The cursor must rest so long before isl is asked. */
#define REST_SECONDS 0.12

static const struct tp_run *shown_run(const struct tp_app *app,
				      const struct tp_pattern_screen *screen)
{
	const struct tp_run *run = tp_app_run(app);
	/* Numbers of another run mean nothing. */
	return run && screen->seen == tp_seen_runs(app) ? run : NULL;
}

static const struct tp_point *point_of(const struct tp_app *app,
				       const struct tp_pattern_screen *screen)
{
	const struct tp_run *run = shown_run(app, screen);
	size_t at = screen->points.at;
	return run && at < screen->n_numbers && screen->numbers[at] < run->n_points
		       ? &run->points[screen->numbers[at]]
		       : NULL;
}

/* The points of patterns, in the order of the run; the cursor stays on its point. */
static void collect(const struct tp_app *app, struct tp_pattern_screen *screen, long wanted)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = tp_seen_runs(app);
	if (wanted < 0 && screen->points.at < screen->n_numbers)
		wanted = (long)screen->numbers[screen->points.at];
	free(screen->numbers);
	screen->n_numbers = 0;
	screen->numbers = run ? malloc((run->n_points + 1) * sizeof(*screen->numbers)) : NULL;
	screen->seen = seen;
	size_t at = 0;
	for (size_t i = 0; screen->numbers && i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "pattern") == 0) {
			if ((long)i == wanted)
				at = screen->n_numbers;
			screen->numbers[screen->n_numbers++] = i;
		}
	screen->points.n = screen->n_numbers;
	screen->points.at = at;
}

void tp_pattern_code_open(const struct tp_app *app, struct tp_pattern_screen *screen,
			  const struct tp_point *point)
{
	collect(app, screen, point ? (long)point->point : -1);
	screen->moved_at = 0;
}

void tp_pattern_code_close(struct tp_pattern_screen *screen)
{
	free(screen->numbers);
	tp_doc_release(&screen->doc);
}

/* --- the text --- */

static void tell_array(struct tp_doc *doc, const struct tp_pattern_array *a)
{
	struct tp_str text = { 0 };
	tp_str_printf(&text, "%s %s", tp_pattern_type_name(a->type), a->name);
	for (size_t i = 0; i < a->n_extents; i++)
		tp_str_printf(&text, "[%s]", a->extents[i].text);
	if (a->n_map) {
		tp_str_printf(&text, ": %s(", a->name);
		for (size_t i = 0; i < a->n_formals; i++)
			tp_str_printf(&text, "%s%s", i ? ", " : "", a->formals[i]);
		tp_str_add(&text, ") lies at [");
		for (size_t i = 0; i < a->n_map; i++)
			tp_str_printf(&text, "%s%s", i ? ", " : "", a->map[i].text);
		tp_str_add(&text, "]");
	}
	if (a->padding.text)
		tp_str_printf(&text, ", rows padded by %s", a->padding.text);
	tp_doc_paragraph(doc, 2, TP_UI_PLAIN, tp_str_text(&text));
	tp_str_release(&text);
}

/* Lines of code as they are; tabs are blanks. */
static void tell_code(struct tp_doc *doc, const char *code)
{
	while (*code) {
		size_t n = strcspn(code, "\n");
		struct tp_str line = { 0 };
		for (size_t i = 0; i < n; i++)
			tp_str_add_n(&line, code[i] == '\t' ? "    " : &code[i],
				     code[i] == '\t' ? 4 : 1);
		tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", tp_str_text(&line));
		tp_str_release(&line);
		code += n + (code[n] == '\n');
	}
}

static void configure(const struct tp_pattern *pattern, const struct tp_point *point,
		      struct tp_pattern_config *c)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	*c = (struct tp_pattern_config){ .pattern = pattern,
					 .nowait = row->nowait,
					 .threads = point->threads };
	for (int t = TP_PATTERN_UNIFIED; t <= TP_PATTERN_NONAFFINE; t++)
		if (strcmp(tp_pattern_template_name((enum tp_pattern_template)t), row->template) ==
		    0)
			c->template = (enum tp_pattern_template)t;
	for (size_t i = 0; i < pattern->n_parameters; i++)
		if (!tp_pattern_parameter_of(point, pattern->parameters[i].name, &c->values[i]))
			c->values[i] = pattern->parameters[i].values[0];
}

static void tell_loops(struct tp_doc *doc, const struct tp_pattern *pattern,
		       const struct tp_point *point)
{
	struct tp_pattern_config c;
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	configure(pattern, point, &c);
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s",
		   pattern->run.c.text ? "Loops (C of the document)" : "Generated loops");
	if (tp_pattern_loops(&c, &text, &diag) == TP_OK)
		tell_code(doc, tp_str_text(&text));
	else
		tp_doc_paragraph(doc, 2, TP_UI_BAD, diag.what);
	tp_doc_line(doc, -1);
	tp_str_release(&text);
}

static void tell(struct tp_pattern_screen *screen, const struct tp_point *point, bool loops)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	struct tp_doc *doc = &screen->doc;
	struct tp_arena arena = { 0 };
	struct tp_pattern *pattern = tp_arena_alloc(&arena, sizeof(*pattern));
	struct tp_diags diags = { 0 };
	tp_doc_clear(doc, TP_MAX(screen->columns, 20));
	tp_doc_row(doc, 0, TP_UI_STRONG, "%s  %s", row->pattern, row->parameters);
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  %s%s", row->template,
		      row->nowait ? ", nowait" : "");
	if (point->state == TP_POINT_FAILED)
		tp_doc_paragraph(doc, 0, TP_UI_BAD, point->diag.what);
	if (!pattern || tp_pattern_load(pattern, &arena, row->pattern, &diags) != TP_OK) {
		tp_doc_paragraph(
			doc, 0, TP_UI_PLAIN,
			"Its document is not in the folders of patterns, so its code cannot "
			"be shown. tprof --show-code PRESET shows it.");
	} else {
		tp_doc_paragraph(doc, 0, TP_UI_PLAIN, pattern->summary);
		tp_doc_line(doc, -1);
		tp_doc_row(doc, 0, TP_UI_TITLE, "Map of the arrays");
		for (size_t i = 0; i < pattern->n_arrays; i++)
			tell_array(doc, &pattern->arrays[i]);
		tp_doc_line(doc, -1);
		if (loops)
			tell_loops(doc, pattern, point);
		tp_doc_row(doc, 0, TP_UI_TITLE, "Document");
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  %s", pattern->path);
		tell_code(doc, pattern->document);
	}
	tp_diags_release(&diags);
	tp_arena_release(&arena);
	tp_list_resize(&screen->lines, doc->n);
	screen->lines.top = 0;
}

/*
 * Text without loops at once, and with them when the cursor rests and nothing is measured: isl is a
 * process that takes up to 0.1 s.
 */
double tp_pattern_code_work(struct tp_app *app, struct tp_pattern_screen *screen)
{
	if (screen->seen != tp_seen_runs(app))
		collect(app, screen, -1);
	const struct tp_point *p = point_of(app, screen);
	if (!p || !screen->columns)
		return INFINITY;
	const struct tp_pattern_row *row = tp_pattern_row(p);
	char now[sizeof(screen->told)];
	snprintf(now, sizeof(now), "%s %s %s %d %u %d", row->pattern, row->parameters,
		 row->template, row->nowait, p->threads, screen->columns);
	if (strcmp(now, screen->told) != 0) {
		tell(screen, p, false);
		tp_copy(screen->told, sizeof(screen->told), now);
		screen->with_loops = false;
		screen->moved_at = tp_now_seconds();
		app->dirty = true;
	}
	bool measures = tp_live_is_under_way(&app->live) && !app->live.replay &&
			app->live.state != TP_LIVE_PAUSED;
	double left = screen->moved_at + REST_SECONDS - tp_now_seconds();
	if (screen->with_loops || measures)
		return INFINITY;
	if (left > 0)
		return left;
	size_t top = screen->lines.top;
	tell(screen, p, true);
	screen->lines.top = top;
	screen->with_loops = true;
	app->dirty = true;
	return INFINITY;
}

/* --- painting and input --- */

struct row_context {
	const struct tp_app *app;
	const struct tp_pattern_screen *screen;
};

static void paint_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct row_context *c = context;
	const struct tp_run *run = shown_run(c->app, c->screen);
	if (!run || i >= c->screen->n_numbers || c->screen->numbers[i] >= run->n_points)
		return;
	const struct tp_point *p = &run->points[c->screen->numbers[i]];
	const struct tp_pattern_row *row = tp_pattern_row(p);
	enum tp_role role = selected ? TP_UI_SELECTED : TP_UI_PLAIN;
	char rate[32] = "";
	struct tp_text_row words = { tp_area_columns(line, 0, line.columns - RATE_COLUMNS - 1), 0,
				     1 };
	if (p->state == TP_POINT_DONE)
		snprintf(rate, sizeof(rate), "%.4g", row->kernel.median_gbps);
	else
		snprintf(rate, sizeof(rate), "%s",
			 p->state == TP_POINT_FAILED		      ? "failed"
			 : p->point == (unsigned)c->app->live.current ? "now"
								      : "-");
	tp_words(&words, 0, role, "%s %s%s", row->pattern, row->parameters,
		 row->nowait ? " nowait" : "");
	tp_words(&words, 2, selected ? role : TP_UI_DIM, "%s %u", tp_pattern_level(run, p),
		 p->threads);
	tp_paint_right(line, 0, line.columns - 1,
		       selected			     ? role
		       : p->state == TP_POINT_FAILED ? TP_UI_BAD
						     : TP_UI_STRONG,
		       rate);
}

void tp_pattern_code_draw(struct tp_app *app, struct tp_pattern_screen *screen, struct tp_area area)
{
	struct row_context context = { app, screen };
	bool beside = area.columns >= BESIDE_COLUMNS;
	struct tp_area head = tp_area_rows(area, 0, 1), rest = tp_area_rows(area, 1, area.rows - 1);
	int rows = TP_MIN((int)screen->n_numbers, TP_MIN((int)LIST_ROWS_MOST, area.rows / 3));
	struct tp_area list = beside ? tp_area_columns(rest, 0, LIST_COLUMNS)
				     : tp_area_rows(rest, 0, TP_MAX(rows, 1));
	struct tp_area text =
		beside ? tp_area_columns(rest, LIST_COLUMNS + 2, area.columns - LIST_COLUMNS - 2)
		       : tp_area_rows(rest, list.rows + 1, rest.rows - list.rows - 1);
	tp_paint_text(head, 0, 1, TP_UI_TITLE, "Configuration, level, threads");
	tp_paint_right(head, 0, list.columns - 1, TP_UI_TITLE, "GB/s");
	screen->columns = text.columns - 2;
	tp_list_paint(&screen->points, list, paint_row, &context);
	tp_list_paint_bar(&screen->points, list);
	if (!screen->n_numbers)
		tp_paint_text(rest, 0, 1, TP_UI_PLAIN, "No patterns in this run.");
	tp_doc_show(&screen->doc, &screen->lines, text, false);
}

bool tp_pattern_code_act(const struct tp_app *app, struct tp_pattern_screen *screen,
			 enum tp_action action)
{
	(void)app;
	switch (action) {
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		return tp_list_act(&screen->points, action);
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		return tp_list_scroll(&screen->lines, action);
	default:
		return false;
	}
}

void tp_pattern_code_mouse(struct tp_pattern_screen *screen, const struct tp_input *input)
{
	int wheel = tp_list_wheel_rows(input);
	if (tp_area_holds(screen->points.area, input->row, input->column))
		tp_list_mouse(&screen->points, input);
	else if (wheel)
		tp_list_wheel(&screen->lines, wheel);
}
