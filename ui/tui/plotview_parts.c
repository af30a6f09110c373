/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two things that open over a plot: the list of what is shown, and the line that asks where to write. */
#include "ui/tui/plotview.h"
#include "base/vec.h"
#include "ui/plot/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_COLUMNS = 36, BOX_MARGIN = 2 };

/* --- what is shown --- */

static bool same_part(const struct tp_hidden *a, const struct tp_hidden *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

static size_t find_hidden(const struct tp_plotview *view, const struct tp_hidden *part)
{
	for (size_t i = 0; i < view->n_hidden; i++)
		if (same_part(&view->hidden[i], part))
			return i;
	return view->n_hidden;
}

/* The four things that a part is hidden by. */
static void names_of(const struct tp_part *part, struct tp_hidden names[4])
{
	names[0].kind = 'i';
	tp_copy(names[0].text, TP_PART_BYTES, part->isa);
	names[1].kind = 'p';
	tp_copy(names[1].text, TP_PART_BYTES, part->precision);
	names[2].kind = 't';
	snprintf(names[2].text, TP_PART_BYTES, "%u", part->threads);
	names[3].kind = 'r';
	snprintf(names[3].text, TP_PART_BYTES, "%u", part->run + 1);
}

bool tp_parts_wanted(const void *context, const struct tp_part *part)
{
	const struct tp_plotview *view = context;
	struct tp_hidden names[4];
	if (!view->n_hidden)
		return true;
	names_of(part, names);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (find_hidden(view, &names[i]) < view->n_hidden)
			return false;
	return true;
}

static int by_kind(const void *a, const void *b)
{
	static const char order[] = "iptr";
	const struct tp_hidden *x = a, *y = b;
	if (x->kind != y->kind)
		return strchr(order, x->kind) < strchr(order, y->kind) ? -1 : 1;
	if (x->kind == 't' || x->kind == 'r')
		return atoi(x->text) - atoi(y->text);
	return strcmp(x->text, y->text);
}

static void collect(struct tp_plotview *view, const struct tp_run *run)
{
	size_t n = view->part_list.n;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_part part = { p->run, p->threads, p->isa, p->precision };
		struct tp_hidden names[4];
		if (!p->experiment[0])
			continue;
		names_of(&part, names);
		for (size_t k = 0; k < TP_COUNT_OF(names) && n < TP_HIDDEN_MAX; k++) {
			bool known = !names[k].text[0];
			for (size_t j = 0; j < n && !known; j++)
				known = same_part(&view->parts[j], &names[k]);
			if (!known)
				view->parts[n++] = names[k];
		}
	}
	qsort(view->parts, n, sizeof(view->parts[0]), by_kind);
	tp_list_resize(&view->part_list, n);
}

void tp_parts_open(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	view->part_list = (struct tp_list){ 0 };
	for (size_t i = 0; run && i < TP_MAX(app->n_runs, (size_t)1); i++)
		collect(view, i ? &app->runs[i].run : run);
	view->choosing = view->part_list.n > 0;
}

static void toggle(struct tp_plotview *view)
{
	const struct tp_hidden *part = &view->parts[view->part_list.at];
	size_t at = find_hidden(view, part);
	if (at < view->n_hidden)
		view->hidden[at] = view->hidden[--view->n_hidden];
	else if (view->n_hidden < TP_HIDDEN_MAX)
		view->hidden[view->n_hidden++] = *part;
	view->stale = true;
	view->doc_list.n = 0;
}

/* Only this one of its kind, or all of them again if it is the only one already. */
static void only(struct tp_plotview *view)
{
	const struct tp_hidden part = view->parts[view->part_list.at];
	bool others = false;
	for (size_t i = 0; i < view->part_list.n; i++)
		others |= view->parts[i].kind == part.kind && !same_part(&view->parts[i], &part) &&
			  find_hidden(view, &view->parts[i]) == view->n_hidden;
	size_t kept = 0;
	for (size_t i = 0; i < view->n_hidden; i++)
		if (view->hidden[i].kind != part.kind)
			view->hidden[kept++] = view->hidden[i];
	view->n_hidden = kept;
	for (size_t i = 0; others && i < view->part_list.n && view->n_hidden < TP_HIDDEN_MAX; i++)
		if (view->parts[i].kind == part.kind && !same_part(&view->parts[i], &part))
			view->hidden[view->n_hidden++] = view->parts[i];
	view->stale = true;
	view->doc_list.n = 0;
}

bool tp_parts_type(struct tp_plotview *view, uint32_t code)
{
	switch (code) {
	case ' ':
	case TP_KEY_ENTER:
		toggle(view);
		return true;
	case 'o':
		only(view);
		return true;
	case 'a':
		view->n_hidden = 0;
		view->stale = true;
		view->doc_list.n = 0;
		return true;
	case 'v':
	case 'q':
	case TP_KEY_ESCAPE:
		view->choosing = false;
		return true;
	default:
		break;
	}
	enum tp_action action = tp_keys_action(TP_SCREEN_RUNS, code);
	if (!tp_list_act(&view->part_list, action))
		return code != 3; /* Ctrl-C is the program's */
	return true;
}

static struct tp_area box_of(const struct tp_plotview *view, struct tp_area area)
{
	int rows = TP_MIN((int)view->part_list.n + 4, area.rows);
	return tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
			       area.columns - BOX_COLUMNS - BOX_MARGIN, BOX_COLUMNS);
}

void tp_parts_paint(struct tp_plotview *view, struct tp_area area)
{
	struct tp_area box = box_of(view, area);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, "Shown");
	tp_list_fit(&view->part_list, in.rows - 2);
	for (int r = 0; r < view->part_list.rows; r++) {
		size_t i = view->part_list.top + (size_t)r;
		if (i >= view->part_list.n)
			break;
		const struct tp_hidden *part = &view->parts[i];
		bool shown = find_hidden(view, part) == view->n_hidden;
		bool first = i == 0 || view->parts[i - 1].kind != part->kind;
		const char *kind = part->kind == 'i'   ? "ISA"
				   : part->kind == 'p' ? "precision"
				   : part->kind == 't' ? "threads"
						       : "preset run";
		tp_paint_text(in, r, 0, TP_UI_DIM, first || r == 0 ? kind : "");
		tp_paint_format(in, r, 12, shown ? TP_UI_PLAIN : TP_UI_DIM, "[%c] %s",
				shown ? 'x' : ' ', part->text);
		if (i == view->part_list.at)
			tp_paint_role(in, r, 11, in.columns - 12, TP_UI_SELECTED);
	}
	tp_list_paint_bar(&view->part_list, tp_area_rows(in, 0, in.rows - 2));
	tp_paint_text(in, in.rows - 1, 0, TP_UI_DIM, "Space  o only  a all  Esc");
}

void tp_parts_click(struct tp_plotview *view, int row, int column, struct tp_area area)
{
	struct tp_area box = box_of(view, area);
	if (!tp_area_holds(box, row, column)) {
		view->choosing = false;
		return;
	}
	size_t hit = tp_list_hit(&view->part_list, row - box.row - 1);
	if (hit < view->part_list.n) {
		view->part_list.at = hit;
		toggle(view);
	}
}

/* --- writing --- */

void tp_export_open(struct tp_plotview *view, const struct tp_app *app)
{
	if (!tp_app_run(app))
		return;
	snprintf(view->path, sizeof(view->path), "%s", tp_app_run_label(app));
	view->exporting = true;
}

void tp_export_paint(const struct tp_plotview *view, struct tp_area area)
{
	struct tp_area box = tp_area_rows(area, area.rows / 2 - 3, 5);
	int columns = TP_MIN(area.columns - 8, 90);
	box = tp_area_columns(box, (area.columns - columns) / 2, columns);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, "Write pictures and tables");
	/* The end of a long path is what is being typed. */
	int room = in.columns - 13;
	size_t n = strlen(view->path), from = 0;
	while (n - from > (size_t)TP_MAX(room, 1))
		from++;
	int used = tp_paint_text(in, 0, 0, TP_UI_FIELD, view->path + from);
	tp_term_cursor((struct tp_term *)(uintptr_t)area.term, in.row, in.column + used);
	tp_paint_text(in, 0, used + 1, TP_UI_DIM, ".svg .csv");
	tp_paint_text(in, 2, 0, TP_UI_DIM,
		      "A relative path begins in the folder that tprof was started in. Enter, Esc");
}

static enum tp_status write_both(const struct tp_plotview *view, const struct tp_app *app,
				 struct tp_diag *diag)
{
	const struct tp_run *runs[TP_APP_RUNS];
	const char *names[TP_APP_RUNS];
	size_t n = TP_MAX(app->n_runs, (size_t)1);
	struct tp_str text = { 0 };
	char path[sizeof(view->path) + 8];
	for (size_t i = 0; i < n; i++) {
		runs[i] = i ? &app->runs[i].run : tp_app_run(app);
		names[i] = i ? app->runs[i].label : tp_app_run_label(app);
	}
	enum tp_status status = n > 1 ? tp_report_svg_runs(runs, names, n, TP_SVG_AUTO, &text)
				      : tp_report_svg(runs[0], TP_SVG_AUTO, &text);
	if (status != TP_OK)
		tp_fail(diag, status, "export", NULL, "the pictures could not be made");
	snprintf(path, sizeof(path), "%s.svg", view->path);
	if (status == TP_OK)
		status = tp_file_write(path, tp_str_text(&text), text.len, diag);
	tp_str_clear(&text);
	if (status == TP_OK && (status = tp_run_csv(runs[0], &text)) != TP_OK)
		tp_fail(diag, status, "export", NULL, "the table could not be made");
	snprintf(path, sizeof(path), "%s.csv", view->path);
	if (status == TP_OK)
		status = tp_file_write(path, tp_str_text(&text), text.len, diag);
	tp_str_release(&text);
	return status;
}

bool tp_export_type(struct tp_plotview *view, struct tp_app *app, uint32_t code)
{
	struct tp_diag diag;
	size_t n = strlen(view->path);
	switch (code) {
	case TP_KEY_ESCAPE:
		view->exporting = false;
		return true;
	case TP_KEY_ENTER:
	case '\r':
		if (!n || !tp_app_run(app))
			return true;
		view->exporting = false;
		if (write_both(view, app, &diag) == TP_OK)
			tp_app_say(app, TP_UI_GOOD, "wrote %s.svg and %s.csv", view->path,
				   view->path);
		else
			tp_app_say_diag(app, &diag);
		return true;
	case TP_KEY_BACKSPACE:
	case 127:
	case 8:
		/* A whole character of UTF-8. */
		while (n && ((unsigned char)view->path[--n] & 0xc0) == 0x80)
			;
		view->path[n] = '\0';
		return true;
	case 21: /* Ctrl-U, as in shells */
		view->path[0] = '\0';
		return true;
	case 3:
		return false;
	default:
		break;
	}
	if (code >= ' ' && code < TP_KEY_UP) {
		struct tp_str typed = { 0 };
		tp_chars_add(&typed, code);
		if (n + typed.len < sizeof(view->path))
			memcpy(view->path + n, typed.s, typed.len + 1);
		tp_str_release(&typed);
	}
	return true;
}
