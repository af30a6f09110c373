/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list over a plot in which the user chooses what is shown. */
#include "ui/tui/widgets/plotview.h"
#include "base/memory.h"
#include "record/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_COLUMNS = 36, BOX_MARGIN = 2, NAME_COLUMN = 11, CONTROL_C = 3 };

static const char *const kind_names[TP_HIDDEN_KINDS] = { "ISA",	       "precision", "threads",
							 "preset run", "kernel",    "meter",
							 "region" };

static bool same(const struct tp_hidden *a, const struct tp_hidden *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

/* The number of a part in a list; n if it is not there. */
static size_t find(const struct tp_hidden *list, size_t n, const struct tp_hidden *part)
{
	for (size_t i = 0; i < n; i++)
		if (same(&list[i], part))
			return i;
	return n;
}

static bool is_hidden(const struct tp_plotview *view, const struct tp_hidden *part)
{
	return find(view->hidden, view->n_hidden, part) < view->n_hidden;
}

/* The names by which a part of a run can be hidden, one of each kind. */
static void names_of(const struct tp_slice *part, struct tp_hidden names[TP_HIDDEN_SLICES])
{
	for (int k = 0; k < TP_HIDDEN_SLICES; k++)
		names[k].kind = (enum tp_hidden_kind)k;
	tp_copy(names[TP_HIDDEN_ISA].text, TP_PART_BYTES, part->isa);
	tp_copy(names[TP_HIDDEN_PRECISION].text, TP_PART_BYTES, part->precision);
	snprintf(names[TP_HIDDEN_THREADS].text, TP_PART_BYTES, "%u", part->threads);
	snprintf(names[TP_HIDDEN_RUN].text, TP_PART_BYTES, "%u", part->run + 1);
	tp_copy(names[TP_HIDDEN_KERNEL].text, TP_PART_BYTES, part->kernel);
}

bool tp_plotview_shows(const struct tp_plotview *view, enum tp_hidden_kind kind, const char *text)
{
	struct tp_hidden part = { .kind = kind };
	tp_copy(part.text, sizeof(part.text), text);
	return !is_hidden(view, &part);
}

bool tp_parts_wanted(const void *context, const struct tp_slice *part)
{
	const struct tp_plotview *view = context;
	struct tp_hidden names[TP_HIDDEN_SLICES] = { 0 };
	bool wanted = true;
	if (!view->n_hidden)
		return true;
	names_of(part, names);
	for (int k = 0; k < TP_HIDDEN_SLICES; k++)
		wanted &= !is_hidden(view, &names[k]);
	return wanted;
}

/* --- the list --- */

static int by_kind(const void *a, const void *b)
{
	const struct tp_hidden *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == TP_HIDDEN_THREADS || x->kind == TP_HIDDEN_RUN)
		return atoi(x->text) - atoi(y->text);
	return strcmp(x->text, y->text);
}

/* Kernels come last: where there are more parts than room, some of them are left out. */
static size_t collect(struct tp_plotview *view, size_t n, const struct tp_run *run,
		      enum tp_hidden_kind from, enum tp_hidden_kind to)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_slice part = { p->run, p->threads, tp_kernel_row(p)->isa,
					       tp_kernel_row(p)->precision, p->kernel };
		struct tp_hidden names[TP_HIDDEN_SLICES] = { 0 };
		names_of(&part, names);
		for (int k = from; p->experiment[0] && k <= (int)to; k++)
			if (names[k].text[0] && n < TP_HIDDEN_MAX &&
			    find(view->parts, n, &names[k]) == n)
				view->parts[n++] = names[k];
	}
	return n;
}

void tp_parts_open(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	size_t own =
		run && view->kind->parts ? view->kind->parts(run, view->parts, TP_HIDDEN_MAX) : 0;
	size_t n = own;
	for (int kernels = 0; run && kernels < 2; kernels++)
		for (size_t i = 0; i < tp_app_n_shown(app); i++)
			n = collect(view, n, tp_app_shown(app, i),
				    kernels ? TP_HIDDEN_KERNEL : TP_HIDDEN_ISA,
				    kernels ? TP_HIDDEN_KERNEL : TP_HIDDEN_RUN);
	/* What belongs to this kind of plot alone comes first, in its order. */
	qsort(view->parts + own, n - own, sizeof(view->parts[0]), by_kind);
	view->part_list = (struct tp_list){ 0 };
	tp_list_resize(&view->part_list, n);
	view->choosing = n > 0;
}

static void show(struct tp_plotview *view, const struct tp_hidden *part)
{
	size_t at = find(view->hidden, view->n_hidden, part);
	if (at < view->n_hidden)
		view->hidden[at] = view->hidden[--view->n_hidden];
}

static void hide(struct tp_plotview *view, const struct tp_hidden *part)
{
	if (!is_hidden(view, part) && view->n_hidden < TP_HIDDEN_MAX)
		view->hidden[view->n_hidden++] = *part;
}

static void toggle(struct tp_plotview *view)
{
	const struct tp_hidden *part = &view->parts[view->part_list.at];
	if (is_hidden(view, part))
		show(view, part);
	else
		hide(view, part);
}

/* Hides all others of its kind, or shows them again if they are hidden already. */
static void only(struct tp_plotview *view)
{
	const struct tp_hidden *part = &view->parts[view->part_list.at];
	bool others = false;
	for (size_t i = 0; i < view->part_list.n; i++)
		others |= view->parts[i].kind == part->kind && &view->parts[i] != part &&
			  !is_hidden(view, &view->parts[i]);
	for (size_t i = 0; i < view->part_list.n; i++) {
		if (view->parts[i].kind != part->kind)
			continue;
		if (others && &view->parts[i] != part)
			hide(view, &view->parts[i]);
		else
			show(view, &view->parts[i]);
	}
}

/* Other series are shown from now on. */
static bool changed(struct tp_plotview *view)
{
	view->stale = true;
	view->doc_list.n = 0;
	return true;
}

bool tp_parts_type(struct tp_plotview *view, uint32_t code)
{
	switch (code) {
	case ' ':
	case TP_KEY_ENTER:
		toggle(view);
		return changed(view);
	case 'o':
		only(view);
		return changed(view);
	case 'a':
		view->n_hidden = 0;
		return changed(view);
	case 'v':
	case 'q':
	case TP_KEY_ESCAPE:
		view->choosing = false;
		return true;
	default:
		return tp_list_act(&view->part_list, tp_keys_action(TP_SCREEN_COUNT, code)) ||
		       code != CONTROL_C;
	}
}

/* --- painting --- */

static struct tp_area box_of(const struct tp_plotview *view, struct tp_area area)
{
	int rows = TP_MIN((int)view->part_list.n + 4, area.rows);
	return tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
			       area.columns - BOX_COLUMNS - BOX_MARGIN, BOX_COLUMNS);
}

struct lines {
	const struct tp_plotview *view;
	struct tp_area box;
};

static void paint_part(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct lines *lines = context;
	const struct tp_hidden *parts = lines->view->parts;
	bool shown = !is_hidden(lines->view, &parts[i]);
	if (i == lines->view->part_list.top || parts[i - 1].kind != parts[i].kind)
		tp_paint_text(lines->box, line.row - lines->box.row, 0, TP_UI_DIM,
			      kind_names[parts[i].kind]);
	tp_paint_format(line, 0, 1,
			selected ? TP_UI_SELECTED
			: shown	 ? TP_UI_PLAIN
				 : TP_UI_DIM,
			"[%c] %s", shown ? 'x' : ' ',
			parts[i].label[0] ? parts[i].label : parts[i].text);
}

void tp_parts_paint(struct tp_plotview *view, struct tp_area area)
{
	struct tp_area box = box_of(view, area);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, "Shown"), rows = tp_area_rows(in, 0, in.rows - 2);
	struct lines lines = { view, in };
	tp_list_paint(&view->part_list,
		      tp_area_columns(rows, NAME_COLUMN, in.columns - NAME_COLUMN - 1), paint_part,
		      &lines);
	view->part_list.area = rows; /* the mouse may press the names of the kinds too */
	tp_list_paint_bar(&view->part_list, rows);
	tp_paint_text(in, in.rows - 1, 0, TP_UI_DIM, "Space  o only  a all  Esc");
}

void tp_parts_mouse(struct tp_plotview *view, const struct tp_input *input, struct tp_area area)
{
	if (input->mouse == TP_MOUSE_PRESS &&
	    !tp_area_holds(box_of(view, area), input->row, input->column)) {
		view->choosing = false;
		return;
	}
	enum tp_list_event event = tp_list_mouse(&view->part_list, input);
	if (event == TP_LIST_PRESSED || event == TP_LIST_OPENED) {
		toggle(view);
		changed(view);
	}
}
