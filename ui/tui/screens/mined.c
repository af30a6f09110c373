/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Tree: keys, mouse, files. */
#include "ui/tui/screens/mined.h"
#include "base/memory.h"
#include "mining/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_STEPS = 10, EXPORT_COLUMNS = 100 };

static void close_screen(void *state)
{
	struct tp_mined_screen *s = state;
	tp_learner_stop(&s->learner);
	tp_learned_free(s->learned);
	tp_mined_wishes_release(&s->wishes);
	tp_outline_release(&s->outline);
	free(s->parents);
	tp_str_release(&s->chosen_way);
	tp_str_release(&s->chosen_points);
	tp_plot_drop(&s->density);
	tp_picker_release(&s->picker);
	tp_doc_release(&s->doc);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	if (app->screen == TP_SCREEN_TREE)
		tp_mined_look(app, s);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	s->picking = s->export.open = s->told = false;
	tp_mined_look(app, s);
}

/* --- files --- */

static void ask_path(const struct tp_app *app, struct tp_mined_screen *s)
{
	char name[160];
	if (!tp_mined_result(s))
		return;
	snprintf(name, sizeof(name), "%.140s-tree", tp_app_run_label(app));
	tp_text_field_set(&s->export.field, name);
	s->export.title = "Write what was learned";
	s->export.ending = ".svg .txt .json";
	s->export.note =
		"A relative path begins in the folder that tprof was started in. Enter, Esc";
	s->export.open = true;
}

static void export(const struct tp_mined_screen *s, struct tp_app *app)
{
	const struct tp_mining *m = tp_mined_result(s);
	const char *path = s->export.field.text;
	const struct tp_look look = { .utf8 = app->term.utf8,
				      .full = true,
				      .columns = EXPORT_COLUMNS,
				      .rows = EXPORT_COLUMNS };
	struct tp_diag diag = { 0 };
	struct tp_str svg = { 0 }, text = { 0 }, json = { 0 };
	if (!m)
		return;
	enum tp_status drawn = tp_mine_svg(m, TP_SVG_AUTO, &svg);
	enum tp_status said = tp_mine_json(m, &json);
	tp_mine_text(m, &look, &text);
	bool all = tp_path_box_write(&s->export, ".svg", drawn, &svg, &diag) == TP_OK &&
		   tp_path_box_write(&s->export, ".txt", TP_OK, &text, &diag) == TP_OK &&
		   tp_path_box_write(&s->export, ".json", said, &json, &diag) == TP_OK;
	if (all)
		tp_app_say(app, TP_UI_GOOD, "wrote %s.svg, %s.txt and %s.json", path, path, path);
	else
		tp_app_say_diag(app, &diag);
	tp_str_release(&svg);
	tp_str_release(&text);
	tp_str_release(&json);
}

/* --- keys --- */

static bool act_on_cuts(struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	bool changed = false;
	switch (action) {
	case TP_ACTION_CUT_NEXT:
	case TP_ACTION_CUT_PREVIOUS:
		tp_mined_cuts_choose(&s->cuts, action == TP_ACTION_CUT_NEXT);
		return true;
	case TP_ACTION_CUT_RIGHT:
	case TP_ACTION_CUT_LEFT:
		changed = tp_mined_cuts_move(&s->cuts, action == TP_ACTION_CUT_RIGHT ? 1 : -1);
		break;
	case TP_ACTION_CUT_ADD:
		changed = tp_mined_cuts_halve(&s->cuts);
		break;
	case TP_ACTION_CUT_REMOVE:
		changed = tp_mined_cuts_remove(&s->cuts);
		if (!changed && s->cuts.n)
			tp_app_say(app, TP_UI_WARN,
				   "a tree needs two categories: the last cut "
				   "stays; 0 takes yours back");
		break;
	case TP_ACTION_CUT_RESET:
		tp_mined_wish(&s->wishes, TP_MINED_WISH_CUTS, NULL);
		return true;
	default:
		return false;
	}
	if (changed)
		tp_mined_wish_cuts(s);
	return true;
}

/* What arrows and pages do in the part that Tab has chosen. */
static bool move(const struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	switch ((enum tp_mined_part)app->part) {
	case TP_MINED_OUTLINE:
		if (!tp_outline_act(&s->outline, action))
			return false;
		tp_mined_choose_node(s);
		return true;
	case TP_MINED_DENSITY: {
		int steps = action == TP_ACTION_LEFT	    ? -1
			    : action == TP_ACTION_RIGHT	    ? 1
			    : action == TP_ACTION_PAGE_UP   ? -PAGE_STEPS
			    : action == TP_ACTION_PAGE_DOWN ? PAGE_STEPS
							    : 0;
		if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
			tp_mined_cuts_choose(&s->cuts, action == TP_ACTION_DOWN);
		else if (steps && tp_mined_cuts_move(&s->cuts, steps))
			tp_mined_wish_cuts(s);
		return steps || action == TP_ACTION_UP || action == TP_ACTION_DOWN;
	}
	case TP_MINED_ACCURACY:
		return tp_list_act(&s->missed, action);
	default:
		return false;
	}
}

static void turn(struct tp_mined_screen *s, enum tp_action action)
{
	if (action == TP_ACTION_NODE_TURN)
		tp_outline_turn(&s->outline);
	else
		tp_outline_turn_all(&s->outline, action == TP_ACTION_NODE_FOLD_ALL);
	tp_mined_choose_node(s);
}

static bool act_on_result(struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	if (move(app, s, action) || act_on_cuts(app, s, action))
		return true;
	switch (action) {
	case TP_ACTION_NODE_TURN:
	case TP_ACTION_NODE_FOLD_ALL:
	case TP_ACTION_NODE_OPEN_ALL:
		turn(s, action);
		return true;
	case TP_ACTION_DEPTH_MORE:
	case TP_ACTION_DEPTH_LESS:
		tp_mined_change_depth(s, action == TP_ACTION_DEPTH_MORE ? 1 : -1);
		return true;
	case TP_ACTION_CRITERION:
		tp_mined_change_criterion(s);
		return true;
	case TP_ACTION_EXPORT:
		ask_path(app, s);
		return true;
	case TP_ACTION_REPORT:
		s->told = true;
		s->doc_list = (struct tp_list){ 0 };
		s->written = false;
		return true;
	case TP_ACTION_GLYPHS:
		return tp_plot_act(&s->density, app, action);
	default:
		return false;
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_mined_screen *s = state;
	if (s->told && tp_list_scroll(&s->doc_list, action))
		return true;
	if (s->told && (action == TP_ACTION_REPORT || action == TP_ACTION_BACK)) {
		s->told = false;
		return true;
	}
	switch (action) {
	case TP_ACTION_GO_TREE:
		tp_app_go(app, app->before_tree);
		return true;
	case TP_ACTION_TARGET:
		tp_mined_pick(app, s, TP_MINED_WISH_TARGET);
		return true;
	case TP_ACTION_FEATURES:
		tp_mined_pick(app, s, TP_MINED_WISH_FEATURES);
		return true;
	case TP_ACTION_CUT_RESET:
		return act_on_cuts(app, s, action);
	default:
		return tp_mined_result(s) && !s->told && act_on_result(app, s, action);
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_mined_screen *s = state;
	enum { CONTROL_C = 3 };
	if (s->picking && code != CONTROL_C) {
		tp_mined_take_pick(s, tp_picker_key(&s->picker, code));
		return true;
	}
	if (!s->export.open)
		return false;
	enum tp_text_field_event event = tp_path_box_key(&s->export, code);
	if (event == TP_TEXT_FIELD_TAKEN)
		export(s, app);
	return event != TP_TEXT_FIELD_IGNORED;
}

/* --- mouse --- */

static void press_part(struct tp_app *app, struct tp_mined_screen *s, enum tp_mined_part part,
		       const struct tp_input *input)
{
	if (input->mouse == TP_MOUSE_PRESS)
		app->part = part;
	if (part == TP_MINED_OUTLINE) {
		tp_outline_mouse(&s->outline, input);
		tp_mined_choose_node(s);
	} else if (part == TP_MINED_ACCURACY) {
		tp_list_mouse(&s->missed, input);
	} else if (part == TP_MINED_DENSITY && input->mouse == TP_MOUSE_PRESS &&
		   tp_mined_density_press(s, input)) {
		tp_mined_wish_cuts(s);
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_mined_screen *s = state;
	if (s->picking) {
		tp_mined_take_pick(s, tp_picker_mouse(&s->picker,
						      tp_area_rows(area, 1, area.rows - 1), input));
		return;
	}
	if (s->told)
		tp_list_wheel(&s->doc_list, tp_list_wheel_rows(input));
	if (s->told || s->export.open || !tp_mined_result(s))
		return;
	int tab = input->mouse == TP_MOUSE_PRESS ? tp_mined_tab_at(s, input) : -1;
	if (tab >= 0) {
		app->part = tab;
		return;
	}
	for (int part = 0; part < TP_MINED_PARTS; part++)
		if (s->at[part].rows && tp_area_holds(s->at[part], input->row, input->column))
			press_part(app, s, (enum tp_mined_part)part, input);
}

static void drop(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_mined_screen *s = state;
	if (s->picking || s->told || s->export.open || !tp_mined_density_drop(s, input))
		return;
	tp_mined_wish_cuts(s);
	app->dirty = true;
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_mined_screen *s = state;
	(void)app;
	return s->picking || s->export.open ? TP_OVER_BOX
	       : s->told		    ? TP_OVER_TEXT
					    : TP_OVER_NOTHING;
}

static int count_parts(const struct tp_app *app, const void *state, struct tp_area area)
{
	const struct tp_mined_screen *s = state;
	(void)app;
	(void)area;
	return tp_mined_result(s) && !s->told ? TP_MINED_PARTS : 1;
}

const struct tp_screen tp_screen_tree = {
	.state_bytes = sizeof(struct tp_mined_screen),
	.close = close_screen,
	.enter = enter,
	.draw = tp_mined_draw,
	.act = act,
	.type = type,
	.over = over,
	.parts = count_parts,
	.mouse = mouse,
	.drop = drop,
	.news = news,
	.work = tp_mined_work,
	.lull = tp_mined_lull,
};
