/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the Setup screen. */
#include "ui/tui/screens/setup_paint.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

enum {
	WIDE_COLUMNS = 110,
	VERY_WIDE_COLUMNS = 180, /* the points are next to everything else */
	POINTS_COLUMNS = 100,
	DETAIL_ROWS_SIDE = 12,
	SIDE_COLUMNS_MIN = 44,
	DETAIL_ROWS = 7, /* under the rows of a narrow screen, with the plan next to it */
	PLAN_COLUMNS = 29,
	DETAIL_ROWS_WIDE = 14,
	POINTS_ROWS_MIN = 6,
	LABEL_COLUMN = 2,
	VALUE_COLUMN = 25,
	NOTE_COLUMN = 44,
	NOTE_COLUMN_WIDE = 50
};

/* --- places --- */

struct tp_setup_places tp_setup_places(const struct tp_setup *setup, struct tp_area area)
{
	const struct tp_form *form = &setup->form;
	struct tp_setup_places p = { .wide = area.columns >= WIDE_COLUMNS };
	int offer = *setup->offer ? 1 : 0, runs = form->session->preset.n_runs > 1 ? 1 : 0;
	int head = 1 + offer + runs;
	p.head = tp_area_rows(area, 0, 1);
	p.offer = tp_area_rows(area, 1, offer);
	p.runs = tp_area_rows(area, 1 + offer, runs);
	struct tp_area rest = tp_area_rows(area, head, area.rows - head);
	p.value_column = VALUE_COLUMN;
	p.note_column = NOTE_COLUMN;
	if (!p.wide) {
		int rows = rest.rows - DETAIL_ROWS;
		p.rows = tp_area_columns(tp_area_rows(rest, 0, rows), 1, rest.columns - 2);
		struct tp_area below = tp_area_rows(rest, rows, DETAIL_ROWS);
		p.detail = tp_area_columns(below, 0, below.columns - PLAN_COLUMNS);
		p.plan = tp_area_columns(below, below.columns - PLAN_COLUMNS, PLAN_COLUMNS);
		return p;
	}
	if (area.columns >= VERY_WIDE_COLUMNS) {
		int left = rest.columns - POINTS_COLUMNS, rows = rest.rows - DETAIL_ROWS_SIDE;
		struct tp_area below =
			tp_area_columns(tp_area_rows(rest, rows, DETAIL_ROWS_SIDE), 0, left);
		p.rows = tp_area_columns(tp_area_rows(rest, 0, rows), 0, left);
		p.detail = tp_area_columns(below, 0, left * 6 / 10);
		p.plan = tp_area_columns(below, left * 6 / 10, left - left * 6 / 10);
		p.points = tp_area_columns(rest, left, POINTS_COLUMNS);
		p.note_column = NOTE_COLUMN_WIDE;
		return p;
	}
	int wanted = TP_MAX((int)form->n_rows + 2, DETAIL_ROWS_WIDE + 9);
	int below = TP_MIN(rest.rows - wanted, (int)form->n_point_lines + 2);
	if (below < POINTS_ROWS_MIN || !form->n_point_lines)
		below = 0;
	struct tp_area top = tp_area_rows(rest, 0, rest.rows - below);
	int side = TP_MAX(SIDE_COLUMNS_MIN, rest.columns * 2 / 5);
	p.points = tp_area_rows(rest, top.rows, below);
	p.rows = tp_area_columns(top, 0, top.columns - side);
	p.detail =
		tp_area_rows(tp_area_columns(top, top.columns - side, side), 0, DETAIL_ROWS_WIDE);
	p.plan = tp_area_rows(tp_area_columns(top, top.columns - side, side), DETAIL_ROWS_WIDE,
			      top.rows - DETAIL_ROWS_WIDE);
	return p;
}

/* " 1 roofs " */
static int run_title(const struct tp_form *form, size_t run, char *out, size_t size)
{
	const struct tp_config *config = &form->session->preset.runs[run];
	const char *name = tp_config_text(config, TP_OPT_NAME);
	snprintf(out, size, " %zu %.24s ", run + 1,
		 *name ? name : tp_config_text(config, TP_OPT_EXPERIMENT));
	return (int)tp_cell_columns(out);
}

static const char runs_label[] = " Runs ";

size_t tp_setup_run_at(const struct tp_setup *setup, int column)
{
	size_t n = setup->form.session->preset.n_runs;
	int at = (int)sizeof(runs_label) - 1;
	char title[64];
	for (size_t r = 0; r < n; r++) {
		int columns = run_title(&setup->form, r, title, sizeof(title));
		if (column >= at && column < at + columns)
			return r;
		at += columns;
	}
	return n;
}

/* Whether Left and Right step through the values of the option. */
static bool setup_can_step(const struct tp_form *form, const struct tp_option *id)
{
	return tp_form_used(form, id) && (id->type != TP_TYPE_TEXT || id == TP_OPT_AFFINITY) &&
	       tp_config_value(tp_form_config(form), id)->n > 0;
}

/* The words of a row. Users see an experiment as its question. */
static const char *label_of(const struct tp_option *id)
{
	return !id ? "where" : id == TP_OPT_EXPERIMENT ? "question" : id->key;
}

static const char *help_of(const struct tp_option *id)
{
	return !id ? "Where it is measured: on this machine, or on many nodes, by Slurm or ssh."
	       : id == TP_OPT_EXPERIMENT
		       ? "Your question. Each question has presets that answer it."
		       : id->help;
}

enum { WORD_COLUMNS = 9 };

/* --- detail --- */

static int paint_word(struct tp_area area, int row, const char *word, enum tp_role role,
		      const char *text)
{
	tp_paint_text(area, row, 0, TP_UI_DIM, word);
	return tp_paint_wrapped(area, row, WORD_COLUMNS, role, *text ? text : "-");
}

static void paint_detail(const struct tp_app *app, const struct tp_setup *setup,
			 const struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	const struct tp_option *id = tp_form_selected(form);
	struct tp_area in = tp_paint_frame(p->detail, label_of(id));
	char text[512];
	TP_STR value = { 0 };
	int row = tp_paint_wrapped(in, 0, 0, TP_UI_PLAIN, help_of(id)) + p->wide;
	if (!id)
		return;
	const struct tp_diag *problem = tp_form_problem(id, &app->problems);
	if (!tp_form_used(form, id)) {
		TP_STR users = { 0 };

		tp_option_users(id, ", ", &users);
		snprintf(text, sizeof(text), "%s does not use it. It belongs to: %s",
			 tp_form_experiment(form), tp_str_text(&users));
		row += tp_paint_wrapped(in, row, 0, TP_UI_WARN, text);
	} else if (problem) {
		const char *hint = tp_hint_on_screen(problem->hint);
		snprintf(text, sizeof(text), "%s%s%.120s", problem->what, *hint ? " - " : "", hint);
		row += tp_paint_wrapped(in, row, 0, TP_UI_BAD, text);
	}
	/*
	 * Names from a registry are chosen from a list, so only other options describe their
	 * values.
	 */
	if (id->type != TP_TYPE_WORD || *id->words)
		row += paint_word(in, row, "takes", TP_UI_PLAIN,
				  tp_option_allowed(id, text, sizeof(text)));
	tp_form_meaning(form, id, text, sizeof(text));
	if (text[0] && tp_form_used(form, id))
		row += paint_word(in, row, "here", TP_UI_PLAIN, text);
	tp_value_text(id, tp_config_value(&form->base.runs[0], id), &value);
	if (p->wide) {
		row += paint_word(in, row, "default", TP_UI_PLAIN, tp_str_text(&value));
		paint_word(in, row, "source", TP_UI_PLAIN,
			   tp_form_source(form, id, text, sizeof(text)));
	} else if (tp_form_changed(form, id)) {
		char source[128];
		tp_form_source(form, id, source, sizeof(source));
		snprintf(text, sizeof(text), "%s (%s)",
			 *tp_str_text(&value) ? tp_str_text(&value) : "-", source);
		paint_word(in, row, "default", TP_UI_PLAIN, text);
	}
}

/* --- plan --- */

static int paint_diags(struct tp_area in, int row, enum tp_role role, const struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n && row < in.rows; i++) {
		char text[800];
		const char *hint = tp_hint_on_screen(diags->items[i].hint);
		snprintf(text, sizeof(text), "%s%s%s", diags->items[i].what, *hint ? " - " : "",
			 hint);
		row += tp_paint_wrapped(in, row, 0, role, text);
	}
	return row;
}

static void paint_plan(const struct tp_app *app, const struct tp_setup *setup,
		       const struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	const struct tp_machine *machine = &form->session->machine;
	struct tp_area in = tp_paint_frame(p->plan, "Plan");
	int row = 0;
	if (app->problems.n) {
		row = tp_paint_wrapped(in, row, 0, TP_UI_BAD, "This cannot be measured:");
		row = paint_diags(in, row, TP_UI_PLAIN, &app->problems);
		return;
	}
	row += paint_word(in, row, "points", TP_UI_GOOD, form->points_text);
	row += paint_word(in, row, "time", TP_UI_GOOD, form->time_text);
	row += paint_word(in, row, "memory", TP_UI_GOOD, form->memory_text);
	if (machine->foreign) {
		char text[300];
		snprintf(text, sizeof(text),
			 *machine->simulated ? "Simulated: %.120s, %.40s."
					     : "Planned for %.120s: another machine, which cannot "
					       "be measured here.",
			 machine->source, machine->simulated);
		row += tp_paint_wrapped(in, row, 0, TP_UI_WARN, text);
	}
	paint_diags(in, row, TP_UI_DIM, &form->session->plan.notes);
}

int tp_setup_parts(const struct tp_app *app, const void *state)
{
	const struct tp_area area = tp_app_body(app);
	const struct tp_setup *setup = state;
	struct tp_setup_places p = tp_setup_places(setup, area);
	return p.points.rows >= 3 || setup->mode != TP_SETUP_FORM || !setup->form.n_point_lines ? 1
												: 2;
}

static void paint_points(const struct tp_app *app, struct tp_setup *setup, struct tp_area area)
{
	struct tp_area in = tp_paint_frame(area, "Points");
	struct tp_doc *doc = &setup->points;
	const char *text = tp_str_text(&setup->form.points);
	if (setup->points_version != app->setup_version || doc->columns != in.columns) {
		tp_doc_clear(doc, in.columns);
		for (size_t n; *text; text += n + (text[n] == '\n')) {
			n = strcspn(text, "\n");
			tp_doc_row(doc, 0, doc->n ? TP_UI_PLAIN : TP_UI_TITLE, "%.*s", (int)n,
				   text);
		}
		setup->points_version = app->setup_version;
	}
	tp_doc_show(doc, in, false);
}

/* --- head --- */

static void paint_head(const struct tp_app *app, const struct tp_setup *setup,
		       const struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	const struct tp_preset *preset = &form->session->preset;
	const char *slash = strrchr(preset->path, '/');
	char right[200];
	bool bad = app->problems.n > 0, busy = form->plan_stale || form->machine_stale;
	const struct tp_machine *machine = &form->session->machine;
	const char *instead = !machine->foreign	    ? NULL
			      : *machine->simulated ? "simulated"
						    : "planned only";
	if (busy)
		snprintf(right, sizeof(right), "planning ...");
	else if (bad)
		snprintf(right, sizeof(right), "cannot be measured: %zu problem%s", app->problems.n,
			 app->problems.n == 1 ? "" : "s");
	else
		snprintf(right, sizeof(right), "%s",
			 instead	 ? instead
			 : app->part > 0 ? form->time_text
					 : "");
	tp_paint_right(p->head, 0, p->head.columns - 1,
		       busy	 ? TP_UI_DIM
		       : bad	 ? TP_UI_BAD
		       : instead ? TP_UI_WARN
				 : TP_UI_GOOD,
		       right);
	struct tp_area left =
		tp_area_columns(p->head, 0, p->head.columns - (int)tp_cell_columns(right) - 2);
	int at = 1 + tp_paint_text(left, 0, 1, TP_UI_TITLE, "Setup");
	at += 1 + tp_paint_text(left, 0, at + 1, TP_UI_PLAIN,
				!preset->path[0] ? "no preset"
				: slash		 ? slash + 1
						 : preset->path);
	if (form->edited)
		tp_paint_text(left, 0, at + 1, TP_UI_CHANGED, "(changed)");
	if (p->offer.rows) {
		at = 1 + tp_paint_key(p->offer, 0, 1, "u", "uses what was found:");
		tp_paint_text(p->offer, 0, at + 1, TP_UI_CHANGED, setup->offer);
	}
	if (!p->runs.rows)
		return;
	at = tp_paint_text(p->runs, 0, 0, TP_UI_DIM, runs_label);
	for (size_t r = 0; r < preset->n_runs; r++) {
		char title[64];
		run_title(form, r, title, sizeof(title));
		at += tp_paint_text(p->runs, 0, at, r == form->run ? TP_UI_TAB_ON : TP_UI_TAB,
				    title);
	}
}

/* --- rows --- */

/* What the rows are painted from. */
struct rows {
	const struct tp_app *app;
	const struct tp_form *form;
	const struct tp_setup_places *p;
};

static void paint_option(const struct rows *rows, struct tp_area line, const struct tp_option *id,
			 bool on)
{
	const struct tp_app *app = rows->app;
	const struct tp_form *form = rows->form;
	const struct tp_setup_places *p = rows->p;
	const struct tp_diag *problem = tp_form_problem(id, &app->problems);
	bool used = tp_form_used(form, id), changed = tp_form_changed(form, id);
	enum tp_role label = on ? TP_UI_SELECTED : used ? TP_UI_PLAIN : TP_UI_OFF;
	enum tp_role value = on	       ? TP_UI_SELECTED
			     : problem ? TP_UI_BAD
			     : !used   ? TP_UI_OFF
			     : changed ? TP_UI_CHANGED
				       : TP_UI_STRONG;
	TP_STR text = { 0 };
	char note[400];
	tp_paint_text(line, 0, 0,
		      on	? TP_UI_SELECTED
		      : problem ? TP_UI_BAD
				: TP_UI_CHANGED,
		      problem	? "!"
		      : changed ? "*"
				: " ");
	tp_paint_text(line, 0, LABEL_COLUMN, label, label_of(id));
	tp_form_value(form, id, &text);
	/* A long value may cover the beginning of the note, not all of it. */
	int end_most = id == TP_OPT_EXPERIMENT ? line.columns : p->note_column + 14;
	struct tp_area room = tp_area_columns(line, 0, TP_MIN(line.columns, end_most));
	int end = p->value_column +
		  tp_paint_text(room, 0, p->value_column, value, tp_str_text(&text));
	if (on && setup_can_step(form, id)) {
		tp_paint_text(line, 0, p->value_column - 2, TP_UI_SELECTED, "<");
		tp_paint_text(line, 0, end + 1, TP_UI_SELECTED, ">");
		end += 2;
	}
	const struct tp_value *v = tp_config_value(tp_form_config(form), id);
	if (problem) {
		size_t skip = strlen(id->key);
		bool named =
			strncmp(problem->what, id->key, skip) == 0 && problem->what[skip] == ':';
		tp_copy(note, sizeof(note), named ? problem->what + skip + 2 : problem->what);
	} else if (used && v->source != TP_FROM_DEFAULT && v->source != TP_FROM_PRESET) {
		char source[128];
		snprintf(note, sizeof(note), "from %s",
			 tp_form_source(form, id, source, sizeof(source)));
	} else {
		tp_form_note(form, id, note, sizeof(note));
	}
	enum tp_role note_role = on	   ? TP_UI_SELECTED
				 : problem ? TP_UI_BAD
				 : used	   ? TP_UI_DIM
					   : TP_UI_OFF;
	tp_paint_text(tp_area_columns(line, 0, line.columns - 2), 0,
		      TP_MAX(p->note_column, end + 2), note_role, note);
}

static void paint_where(const struct rows *rows, struct tp_area line, bool on)
{
	const struct tp_setup_places *p = rows->p;
	tp_paint_text(line, 0, LABEL_COLUMN, on ? TP_UI_SELECTED : TP_UI_PLAIN, label_of(NULL));
	tp_paint_text(line, 0, p->value_column, on ? TP_UI_SELECTED : TP_UI_STRONG, "here");
	tp_paint_text(line, 0, p->note_column, on ? TP_UI_SELECTED : TP_UI_DIM,
		      "or nodes: Slurm, ssh");
}

static void paint_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct rows *rows = context;
	const struct tp_form_row *row = &rows->form->rows[i];
	if (row->heading)
		tp_paint_text(line, 0, 0, TP_UI_TITLE, row->heading);
	else if (row->option)
		paint_option(rows, line, row->option, selected);
	else
		paint_where(rows, line, selected);
}

static struct tp_area paint_find(struct tp_app *app, struct tp_setup *setup, struct tp_area area)
{
	if (setup->mode != TP_SETUP_FIND)
		return area;
	struct tp_area line = tp_area_rows(area, area.rows - 1, 1);
	int at = tp_paint_text(line, 0, 0, TP_UI_KEY, "find ");
	int column = tp_text_field_paint(&setup->field, line, 0, at, TP_MIN(30, line.columns - at));
	tp_term_cursor(&app->term, line.row, line.column + column);
	return tp_area_rows(area, 0, area.rows - 1);
}

static void paint_rows(struct tp_app *app, struct tp_setup *setup, struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	struct tp_area in =
		p->wide ? tp_paint_frame(p->rows, form->all ? "All options" : "Options") : p->rows;
	in = paint_find(app, setup, in);
	struct tp_list *list = &setup->rows;
	struct rows rows = { app, form, p };
	tp_list_resize(list, form->n_rows);
	list->at = form->selected;
	tp_list_fit(list, in.rows);
	/* The heading of the first row stays in sight too. */
	if (list->top && list->top == list->at && form->rows[list->top - 1].heading)
		list->top--;
	tp_list_paint(list, in, paint_row, &rows);
	if (!form->n_rows)
		tp_paint_text(in, 0, 0, TP_UI_WARN, "no option has these words");
	if (list->top > 0)
		tp_paint_right(in, 0, in.columns, TP_UI_KEY, "^");
	if (list->top + (size_t)list->rows < form->n_rows)
		tp_paint_right(in, in.rows - 1, in.columns, TP_UI_KEY, "v");
}

/* --- boxes --- */

static struct tp_area box(struct tp_area area, int rows, int columns, const char *title)
{
	rows = TP_MIN(rows, area.rows);
	columns = TP_MIN(columns, area.columns - 4);
	struct tp_area b = tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
					   (area.columns - columns) / 2, columns);
	tp_paint_clear(b, TP_UI_PLAIN);
	return tp_paint_frame(b, title);
}

static void paint_typing(struct tp_app *app, struct tp_setup *setup, struct tp_area area)
{
	static const struct {
		const char *title, *help, *allowed;
	} words[] = {
		[TP_SETUP_PATH] = { "Load a preset", "The name of a preset, or the path of a file.",
				    "for instance quick, or ./mine.yaml" },
		[TP_SETUP_SAVE] = { "Save as a preset",
				    "This setup as a preset, a file that runs to the same result "
				    "without screens.",
				    "a name such as mine (among your presets), or a path" },
	};
	const struct tp_option *option = setup->editing;
	bool of_option = setup->mode == TP_SETUP_TYPE;
	char allowed[512];
	enum { ROWS = 9, COLUMNS = 76 };
	struct tp_area in =
		box(area, ROWS, COLUMNS, of_option ? option->key : words[setup->mode].title);
	tp_paint_wrapped(tp_area_rows(in, 0, 2), 0, 0, TP_UI_PLAIN,
			 of_option ? option->help : words[setup->mode].help);
	int column = tp_text_field_paint(&setup->field, in, 3, 0, in.columns);
	struct tp_area below = tp_area_rows(in, 4, 3);
	if (setup->field_diag.what[0]) {
		int rows = tp_paint_wrapped(below, 0, 0, TP_UI_BAD, setup->field_diag.what);
		tp_paint_wrapped(below, rows, 0, TP_UI_DIM,
				 tp_hint_on_screen(setup->field_diag.hint));
	} else {
		tp_paint_wrapped(below, 0, 0, TP_UI_DIM,
				 of_option ? tp_option_allowed(option, allowed, sizeof(allowed))
					   : words[setup->mode].allowed);
	}
	tp_term_cursor(&app->term, in.row + 3, in.column + column);
}

static void paint_errors(struct tp_setup *setup, struct tp_area area)
{
	struct tp_doc *doc = &setup->errors_text;
	char title[64];
	snprintf(title, sizeof(title), "The preset cannot be used: %zu error%s", setup->errors.n,
		 setup->errors.n == 1 ? "" : "s");
	struct tp_area in = box(area, TP_MIN((int)setup->errors.n * 3 + 5, area.rows), 96, title);
	tp_doc_clear(doc, in.columns - 1);
	for (size_t i = 0; i < setup->errors.n; i++) {
		const struct tp_diag *d = &setup->errors.items[i];
		const struct {
			int column;
			enum tp_role role;
			const char *text;
		} lines[] = { { 0, TP_UI_KEY, d->where },
			      { 2, TP_UI_PLAIN, d->what },
			      { 2, TP_UI_DIM, tp_hint_on_screen(d->hint) } };
		for (size_t k = 0; k < TP_COUNT_OF(lines); k++) {
			if (!*lines[k].text)
				continue;
			tp_doc_paragraph(doc, lines[k].column, lines[k].role, lines[k].text);
		}
	}
	tp_doc_show(doc, tp_area_rows(in, 0, in.rows - 2), false);
	tp_paint_key(in, in.rows - 1, 0, "Esc", "back; the setup has not changed");
}

void tp_setup_paint(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_setup *setup = state;
	struct tp_offer offers[TP_OFFERS_MAX];
	tp_offers_words(setup->offer, sizeof(setup->offer), offers,
			tp_offers(&app->session, tp_found_run(&app->found), offers));
	struct tp_setup_places p = tp_setup_places(setup, area);
	paint_head(app, setup, &p);
	if (app->part > 0) {
		int top = p.rows.row - area.row;
		paint_points(app, setup, tp_area_rows(area, top, area.rows - top));
	} else {
		paint_rows(app, setup, &p);
		paint_detail(app, setup, &p);
		paint_plan(app, setup, &p);
		if (p.points.rows >= 3)
			paint_points(app, setup, p.points);
	}
	switch (setup->mode) {
	case TP_SETUP_CHOOSE:
	case TP_SETUP_QUESTIONS:
	case TP_SETUP_PRESETS:
		tp_picker_paint(&setup->picker, area);
		break;
	case TP_SETUP_TYPE:
	case TP_SETUP_PATH:
	case TP_SETUP_SAVE:
		paint_typing(app, setup, area);
		break;
	case TP_SETUP_ERRORS:
		paint_errors(setup, area);
		break;
	case TP_SETUP_FORM:
	case TP_SETUP_FIND:
		break;
	}
}
