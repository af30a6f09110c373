/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panes beside the options: the selected option in words, the plan, its points. */
#include "ui/tui/screens/setup.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { WORD_COLUMNS = 9 };

/* --- detail --- */

static int paint_word(struct tp_area area, int row, const char *word, enum tp_role role,
		      const char *text)
{
	tp_paint_text(area, row, 0, TP_UI_DIM, word);
	return tp_paint_wrapped(area, row, WORD_COLUMNS, role, *text ? text : "-");
}

static void why_unused(const struct tp_form *form, const struct tp_option *option, char *out,
		       size_t size)
{
	struct tp_str users = { 0 };
	tp_option_users(option, ", ", &users);
	snprintf(out, size, "%s does not use it. It belongs to: %s", tp_form_experiment(form),
		 tp_str_text(&users));
	tp_str_release(&users);
}

static void paint_keys(struct tp_area area, int row, const struct tp_form *form,
		       const struct tp_option *id)
{
	int at = 0;
	if (tp_setup_can_step(form, id))
		at = tp_paint_key(area, row, at, "Left Right", "step") + 2;
	at = tp_paint_key(area, row, at, "Enter", "change") + 2;
	if (tp_form_changed(form, id) && at + 17 <= area.columns)
		tp_paint_key(area, row, at, "Backspace", "default");
}

void tp_setup_paint_detail(const struct tp_app *app, const struct tp_setup *setup,
			   const struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	const struct tp_option *id = tp_form_selected(form);
	const struct tp_option *option = id;
	struct tp_area frame = tp_paint_frame(p->detail, option->key);
	struct tp_area in = tp_area_rows(frame, 0, frame.rows - 1); /* keys in the last row */
	const struct tp_diag *problem = tp_form_problem(id, &app->problems);
	char text[512];
	struct tp_str value = { 0 };
	int row = tp_paint_wrapped(in, 0, 0, TP_UI_PLAIN, option->help);
	if (p->wide)
		row++;
	if (!problem && !p->wide && app->problems.n)
		problem = &app->problems.items[0];
	if (!tp_form_used(form, id)) {
		why_unused(form, option, text, sizeof(text));
		row += tp_paint_wrapped(in, row, 0, TP_UI_WARN, text);
	} else if (problem) {
		snprintf(text, sizeof(text), "%s%s%.120s", problem->what,
			 problem->hint[0] ? " - " : "", problem->hint);
		row += tp_paint_wrapped(in, row, 0, TP_UI_BAD, text);
	}
	/*
	 * Names from a registry are chosen from a list, so only other options say what they take.
	 */
	if (option->type != TP_TYPE_WORD || *option->words)
		row += paint_word(in, row, "takes", TP_UI_PLAIN,
				  tp_option_allowed(option, text, sizeof(text)));
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
	tp_str_release(&value);
	paint_keys(frame, frame.rows - 1, form, id);
}

/* --- plan --- */

static int paint_diags(struct tp_area in, int row, enum tp_role role, const struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n && row < in.rows; i++) {
		char text[800];
		snprintf(text, sizeof(text), "%s%s%s", diags->items[i].what,
			 diags->items[i].hint[0] ? " - " : "", diags->items[i].hint);
		row += tp_paint_wrapped(in, row, 0, role, text);
	}
	return row;
}

void tp_setup_paint_plan(const struct tp_app *app, const struct tp_setup *setup,
			 const struct tp_setup_places *p)
{
	const struct tp_form *form = &setup->form;
	const struct tp_machine *machine = &form->session->machine;
	if (p->plan.rows < 3)
		return;
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
	row = paint_diags(in, row, TP_UI_DIM, &form->session->plan.notes);
	if ((!machine->foreign || *machine->simulated) && row < in.rows) {
		int at = tp_paint_key(in, in.rows - 1, 0, "r",
				      *machine->simulated ? "simulate it" : "measure it") +
			 3;
		tp_paint_key(in, in.rows - 1, at, "w", "save it as a preset");
	}
}

/* The lines of the points from `top` on; the last row says how many more there are. */
static void paint_lines(const struct tp_form *form, struct tp_area in, size_t top)
{
	const char *text = tp_str_text(&form->points);
	size_t left = form->session->plan.n;
	for (size_t i = 0; i < top && *text; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
		left -= i > 0;
	}
	for (int row = 0; row < in.rows && *text; row++) {
		size_t n = strcspn(text, "\n");
		bool head = row == 0 && top == 0;
		char line[512];
		snprintf(line, sizeof(line), "%.*s", (int)TP_MIN(n, sizeof(line) - 1), text);
		if (row == in.rows - 1 && row > 0 && left > 1) {
			tp_paint_format(in, row, 0, TP_UI_DIM, "... and %zu more", left);
			break;
		}
		tp_paint_text(in, row, 0, head ? TP_UI_TITLE : TP_UI_PLAIN, line);
		left -= !head;
		text += n + (text[n] == '\n');
	}
}

void tp_setup_paint_points(const struct tp_setup *setup, const struct tp_setup_places *p)
{
	if (p->points.rows < 3)
		return;
	paint_lines(&setup->form, tp_paint_frame(p->points, "Points"), 0);
}

int tp_setup_parts(const struct tp_app *app, const void *state, struct tp_area area)
{
	const struct tp_setup *setup = state;
	struct tp_setup_places p = tp_setup_places(setup, area);
	bool all = p.plan.rows >= 3 && p.points.rows >= 3;
	(void)app;
	return all || setup->mode != TP_SETUP_FORM || !setup->form.n_point_lines ? 1 : 2;
}

void tp_setup_paint_alone(const struct tp_app *app, struct tp_setup *setup, struct tp_area area)
{
	enum { PLAN_ROWS = 9 };
	struct tp_setup_places p = { .wide = true };
	p.plan = tp_area_rows(area, 0, PLAN_ROWS);
	tp_setup_paint_plan(app, setup, &p);
	struct tp_area in =
		tp_paint_frame(tp_area_rows(area, PLAN_ROWS, area.rows - PLAN_ROWS), "Points");
	tp_list_resize(&setup->points, setup->form.n_point_lines);
	tp_list_fit(&setup->points, in.rows);
	paint_lines(&setup->form, in, setup->points.top);
}
