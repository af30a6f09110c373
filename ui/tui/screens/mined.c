/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Tree: what the user changes, when it learns, keys, mouse, files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "mining/say.h"
#include "ui/tui/app.h"
#include "doc/terminal.h"
#include "ui/tui/screens/mined_view.h"

enum { DEPTH_MAX = 64 };

static bool is_feature(const struct tp_mining *m, const char *name)
{
	for (size_t i = 0; m && i < m->n_features; i++)
		if (strcmp(m->features[i].name, name) == 0)
			return true;
	return false;
}

/*
 * A column for the list: how many different words, or which numbers in which unit. False if it is
 * the same everywhere: then it explains nothing and needs no explanation.
 */
static bool describe(const struct tp_frame_column *c, size_t n_rows, char *out, size_t size)
{
	double low = INFINITY, high = -INFINITY;
	char from[24], to[24];
	if (c->is_words) {
		snprintf(out, size, "%zu words, %s ...", c->n_words, c->n_words ? c->words[0] : "");
		return c->n_words > 1;
	}
	for (size_t i = 0; i < n_rows; i++) {
		low = fmin(low, c->numbers[i]);
		high = fmax(high, c->numbers[i]);
	}
	snprintf(out, size, "%s to %s %s", tp_mine_number(from, sizeof(from), low),
		 tp_mine_number(to, sizeof(to), high), c->unit ? c->unit : "");
	return low < high;
}

static void add_column(struct tp_mined_screen *s, const struct tp_frame_column *c, bool marked)
{
	char note[160];
	if (!describe(c, s->learned->frame.n_rows, note, sizeof(note)))
		return;
	struct tp_pick *pick = tp_picker_add(&s->picker, c->name, note);
	pick->marked = marked;
	if (marked && !s->picker.many)
		s->picker.list.at = s->picker.n - 1;
}

/* What is explained and by what, from the columns of the run: what does already stands first. */
static void open_pick(struct tp_app *app, struct tp_mined_screen *s, enum tp_mined_wish wish)
{
	const struct tp_learned *learned = s->learned;
	const char *target = learned && learned->job.target ? learned->job.target : "";
	const bool many = wish == TP_MINED_WISH_FEATURES;
	tp_picker_release(&s->picker);
	s->picker.many = many;
	tp_copy(s->picker.title, sizeof(s->picker.title),
		many ? "Which columns explain it?" : "Which column is to be explained?");
	for (int rest = 0; rest < 1 + many; rest++)
		for (size_t i = 0; learned && i < learned->frame.n_columns; i++) {
			const struct tp_frame_column *c = &learned->frame.columns[i];
			const bool is_target = strcmp(target, c->name) == 0;
			const bool marked =
				many ? is_feature(tp_mined_result(s), c->name) : is_target;
			if (!many || (!is_target && marked == !rest))
				add_column(s, c, marked);
		}
	if (!s->picker.n) {
		tp_app_say(app, TP_UI_WARN, "there are no finished points to choose columns of");
		return;
	}
	s->picked = wish;
	s->picking = true;
}

static void take_pick(struct tp_mined_screen *s, enum tp_picker_event event)
{
	TP_STR text = { 0 };
	if (event == TP_PICKER_NONE)
		return;
	s->picking = false;
	if (event != TP_PICKER_TAKEN)
		return;
	for (size_t i = 0; i < s->picker.n; i++)
		if (s->picker.items[i].marked)
			tp_str_printf(&text, "%s%s", text.len ? "," : "", s->picker.items[i].word);
	tp_mined_wish(&s->wishes, s->picked, tp_str_text(&text));
	/* Cuts are in units of the target that they were made for. */
	if (s->picked == TP_MINED_WISH_TARGET)
		tp_mined_wish(&s->wishes, TP_MINED_WISH_CUTS, NULL);
}

/* Less or more questions in a row. */
static void change_depth(struct tp_mined_screen *s, int by)
{
	const struct tp_mining *m = tp_mined_result(s);
	unsigned limit = m->job.rules.max_depth;
	int depth = (int)(limit ? limit : m->tree.depth) + by;
	char text[16];
	if (depth < 1 || depth > DEPTH_MAX)
		return;
	snprintf(text, sizeof(text), "%d", depth);
	tp_mined_wish(&s->wishes, TP_MINED_WISH_DEPTH, text);
}

/* The cuts become a request. */
static void wish_cuts(struct tp_mined_screen *s)
{
	TP_STR text = { 0 };
	tp_mined_cuts_text(&s->density.cuts, &text);
	tp_mined_wish(&s->wishes, TP_MINED_WISH_CUTS, tp_str_text(&text));
}

/*
 * When the screen Tree learns: in a thread, first the tree and then the forest. While a run is
 * measured only the tree is, and begun only when the engine waits for the screen.
 */

/* How often it is looked whether the thread is done. */
#define POLL_SECONDS 0.02
/* A run that grows is learned from at most once in this time, and for at most this share of it. */
#define LIVE_SECONDS 1.0
#define LIVE_SHARE   0.02
/* The engine waits a little longer than this. */
#define LULL_SECONDS 0.02
/* An engine that has not waited for this long pauses or allocates: then nothing is disturbed. */
#define PATIENCE_SECONDS 2.0

/* Shows what was learned. Cuts that the user has moved since stay where they are. */
static void take(struct tp_app *app, struct tp_mined_screen *s, struct tp_learned *learned)
{
	tp_learned_free(s->learned);
	s->learned = learned;
	s->learned_at = tp_now_seconds();
	s->written = false;
	s->accuracy.columns = s->importance.columns = 0;
	const struct tp_mining *m = tp_mined_result(s);
	tp_mined_fill_outline(s);
	if (!m)
		s->density.cuts = (struct tp_mined_cuts){ 0 };
	else if (learned->version == s->wishes.version)
		tp_mined_cuts_take(&s->density.cuts, m);
	tp_mined_density_draw(&s->density, m);
	app->dirty = true;
}

/* Another run, or another state of the run that is shown. */
static void look_at_run(struct tp_app *app, struct tp_mined_screen *s)
{
	const char *run = tp_app_run_label(app);
	if (strcmp(run, s->run) != 0) {
		tp_copy(s->run, sizeof(s->run), run);
		tp_mined_wishes_release(&s->wishes);
		tp_learner_stop(&s->learner);
		take(app, s, NULL);
	}
	uint64_t seen = tp_seen_runs(app);
	s->stale |= seen != s->seen;
	s->seen = seen;
}

static bool is_asked(const struct tp_mined_screen *s)
{
	return !s->learned || s->learned->version != s->wishes.version;
}

/* Seconds until the run may be learned from again, as long as it grows. */
static double pace_left(const struct tp_mined_screen *s)
{
	double pace = s->learned ? fmax(LIVE_SECONDS, s->learned->seconds / LIVE_SHARE) : 0;
	return is_asked(s) ? 0 : s->learned_at + pace - tp_now_seconds();
}

static bool is_measured(const struct tp_app *app)
{
	return tp_app_is_measuring(app) && app->live.state != TP_LIVE_PAUSED;
}

/* The tree of the current run. */
static struct tp_learned *read_run(const struct tp_app *app, struct tp_mined_screen *s, bool whole)
{
	s->stale = false;
	return tp_learned_new(tp_app_run(app), &s->wishes, whole);
}

/* Learns the tree, which takes milliseconds unless the run is large. */
static void learn_now(struct tp_app *app, struct tp_mined_screen *s)
{
	double begun = tp_now_seconds();
	struct tp_learned *learned = read_run(app, s, false);
	tp_learned_make(learned);
	learned->seconds = tp_now_seconds() - begun;
	take(app, s, learned);
}

static double start(const struct tp_app *app, struct tp_mined_screen *s, bool whole)
{
	tp_learner_start(&s->learner, read_run(app, s, whole));
	return POLL_SECONDS;
}

/* What takes longer than the engine waits must not hold up keys, too. */
static void learn_in_lull(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	if (!is_measured(app) || s->learner.under_way || !(s->stale || is_asked(s)) ||
	    pace_left(s) > 0)
		return;
	if (s->learned && s->learned->seconds < LULL_SECONDS)
		learn_now(app, s);
	else
		start(app, s, false);
}

/* A key that acts on a tree and comes before it is not lost. */
static void learn_for(struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	bool here =
		action < TP_ACTION_NEXT_SCREEN || tp_action_table[action].screens != TP_EVERYWHERE;
	if (!here || s->learned || is_measured(app) || !tp_app_run(app))
		return;
	tp_learner_stop(&s->learner);
	learn_now(app, s);
}

static double learn_more(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	struct tp_learned *learned = tp_learner_take(&s->learner);
	if (learned)
		take(app, s, learned);
	if (!tp_app_run(app)) {
		tp_learner_stop(&s->learner);
		if (s->learned)
			take(app, s, NULL);
		return INFINITY;
	}
	bool wanted = s->stale || is_asked(s);
	/* A tree is there at once; an obsolete forest is not awaited. */
	if (s->learner.under_way && wanted && s->learner.under_way->whole)
		tp_learner_stop(&s->learner);
	if (s->learner.under_way)
		return POLL_SECONDS;
	if (!wanted && (is_measured(app) || s->learned->whole || s->learned->status != TP_OK))
		return INFINITY;
	if (!wanted)
		return start(app, s, !tp_live_is_under_way(&app->live));
	double wait = tp_live_is_under_way(&app->live) ? pace_left(s) : 0;
	if (is_measured(app))
		wait = fmax(wait, s->learned_at + PATIENCE_SECONDS - tp_now_seconds());
	return wait > 0 ? wait : start(app, s, false);
}

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
	tp_plot_drop(&s->density.plot);
	tp_picker_release(&s->picker);
	tp_doc_release(&s->accuracy);
	tp_doc_release(&s->importance);
	tp_doc_release(&s->doc);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	if (app->screen == TP_SCREEN_TREE)
		look_at_run(app, s);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	s->picking = s->told = false;
	look_at_run(app, s);
}

/* --- files --- */

static enum tp_status write_learned(struct tp_app *app, const char *path, struct tp_diag *diag)
{
	const struct tp_mining *m = tp_mined_result(app->state[TP_SCREEN_TREE]);
	const struct tp_look look = { .utf8 = app->term.utf8,
				      .full = true,
				      .columns = EXPORT_COLUMNS,
				      .rows = EXPORT_COLUMNS };
	TP_TEXT(words, &look);
	TP_STR svg = { 0 }, text = { 0 }, json = { 0 };
	if (!m) /* the run has changed since */
		return tp_fail(diag, TP_NOTFOUND, "", NULL, "nothing is learned yet");
	tp_mine_svg(m, TP_SVG_AUTO, &svg);
	tp_mine_json(m, &json);
	tp_mine_text(m, &words);
	tp_text_print(&words, &text);
	enum tp_status status = tp_typed_write(path, ".svg", &svg, diag);
	if (status == TP_OK)
		status = tp_typed_write(path, ".txt", &text, diag);
	if (status == TP_OK)
		status = tp_typed_write(path, ".json", &json, diag);
	if (status == TP_OK)
		tp_app_say(app, TP_UI_GOOD, "wrote %s.svg, %s.txt and %s.json", path, path, path);
	return status;
}

static const struct tp_asked_line export_line = {
	"Write what was learned",
	"A relative path begins in the folder that tprof was started in. Enter, Esc",
	".svg .txt .json", write_learned, false
};

/* --- plots --- */

/* Learns with the plot, which checks it; if the plot is refused, the old one stays. */
static enum tp_status take_plot(struct tp_app *app, const char *text, struct tp_diag *diag)
{
	struct tp_mined_screen *s = app->state[TP_SCREEN_TREE];
	const char *former = s->wishes.text[TP_MINED_WISH_PLOT];
	TP_FREE char *kept = former ? tp_strdup(former) : NULL;
	if (!tp_app_run(app))
		return tp_fail(diag, TP_NOTFOUND, "", NULL, "no run is open");
	tp_learner_stop(&s->learner);
	tp_mined_wish(&s->wishes, TP_MINED_WISH_PLOT, text);
	struct tp_learned *learned = read_run(app, s, false);
	tp_learned_make(learned);
	enum tp_status status = learned->status;
	if (status != TP_OK) {
		/* The box has one line, and the text that was typed above it. */
		const char *what = strstr(learned->diag.what, "\": ");
		tp_fail(diag, status, NULL, NULL, "%s; %s", what ? what + 3 : learned->diag.what,
			learned->diag.hint);
		tp_learned_free(learned);
		tp_mined_wish(&s->wishes, TP_MINED_WISH_PLOT, kept);
		return status;
	}
	s->density.asked = 1;
	take(app, s, learned);
	app->part = TP_MINED_DENSITY;
	return TP_OK;
}

static const struct tp_asked_line plot_line = {
	"Plot", "scatter line density box heat, then x= y= colour= log=xy. Enter, Esc", NULL,
	take_plot, false
};

/* --- keys --- */

static bool act_on_cuts(struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	bool changed = false;
	if (s->density.asked) /* cuts are out of sight */
		return false;
	switch (action) {
	case TP_ACTION_CUT_NEXT:
	case TP_ACTION_CUT_PREVIOUS:
		tp_mined_cuts_choose(&s->density.cuts, action == TP_ACTION_CUT_NEXT);
		return true;
	case TP_ACTION_CUT_RIGHT:
	case TP_ACTION_CUT_LEFT:
		changed = tp_mined_cuts_move(&s->density.cuts,
					     action == TP_ACTION_CUT_RIGHT ? 1 : -1);
		break;
	case TP_ACTION_CUT_ADD:
		changed = tp_mined_cuts_halve(&s->density.cuts);
		break;
	case TP_ACTION_CUT_REMOVE:
		changed = tp_mined_cuts_remove(&s->density.cuts);
		if (!changed && s->density.cuts.n)
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
		wish_cuts(s);
	return true;
}

static struct tp_list *said_list(int part, struct tp_mined_screen *s)
{
	return part == TP_MINED_ACCURACY ? &s->accuracy.list : &s->importance.list;
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
		if (s->density.asked)
			return false;
		int steps = action == TP_ACTION_LEFT	    ? -1
			    : action == TP_ACTION_RIGHT	    ? 1
			    : action == TP_ACTION_PAGE_UP   ? -PAGE_STEPS
			    : action == TP_ACTION_PAGE_DOWN ? PAGE_STEPS
							    : 0;
		if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
			tp_mined_cuts_choose(&s->density.cuts, action == TP_ACTION_DOWN);
		else if (steps && tp_mined_cuts_move(&s->density.cuts, steps))
			wish_cuts(s);
		return steps || action == TP_ACTION_UP || action == TP_ACTION_DOWN;
	}
	case TP_MINED_ACCURACY:
	case TP_MINED_IMPORTANCE:
		return tp_list_scroll(said_list(app->part, s), action);
	default:
		return false;
	}
}

static bool act_on_result(struct tp_app *app, struct tp_mined_screen *s, enum tp_action action)
{
	if (move(app, s, action) || act_on_cuts(app, s, action))
		return true;
	switch (action) {
	case TP_ACTION_NODE_TURN:
	case TP_ACTION_NODE_FOLD_ALL:
	case TP_ACTION_NODE_OPEN_ALL:
		if (action == TP_ACTION_NODE_TURN)
			tp_outline_turn(&s->outline);
		else
			tp_outline_turn_all(&s->outline, action == TP_ACTION_NODE_FOLD_ALL);
		tp_mined_choose_node(s);
		return true;
	case TP_ACTION_DEPTH_MORE:
	case TP_ACTION_DEPTH_LESS:
		change_depth(s, action == TP_ACTION_DEPTH_MORE ? 1 : -1);
		return true;
	case TP_ACTION_CRITERION:
		tp_mined_wish(&s->wishes, TP_MINED_WISH_CRITERION,
			      tp_mined_result(s)->job.rules.criterion == TP_ENTROPY ? "gini"
										    : "entropy");
		return true;
	case TP_ACTION_PLOT:
		s->density.asked++;
		tp_mined_density_draw(&s->density, tp_mined_result(s));
		app->part = TP_MINED_DENSITY;
		if (!tp_mined_result(s)->job.n_plots)
			tp_app_say(app, TP_UI_WARN, "no plot is chosen yet: W chooses one");
		return true;
	case TP_ACTION_PLOT_CHOOSE:
		tp_app_ask_line(app, &plot_line,
				s->wishes.text[TP_MINED_WISH_PLOT]
					? s->wishes.text[TP_MINED_WISH_PLOT]
					: "scatter x=");
		return true;
	case TP_ACTION_EXPORT:
		char name[160];
		snprintf(name, sizeof(name), "%.140s-tree", tp_app_run_label(app));
		tp_app_ask_line(app, &export_line, name);
		return true;
	case TP_ACTION_REPORT:
		s->told = true;
		s->doc.list = (struct tp_list){ 0 };
		s->written = false;
		return true;
	case TP_ACTION_GLYPHS:
		return tp_plot_act(&s->density.plot, app, action);
	default:
		return false;
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_mined_screen *s = state;
	if (s->told && tp_list_scroll(&s->doc.list, action))
		return true;
	if (s->told && (action == TP_ACTION_REPORT || action == TP_ACTION_BACK)) {
		s->told = false;
		return true;
	}
	learn_for(app, s, action);
	switch (action) {
	case TP_ACTION_TARGET:
		open_pick(app, s, TP_MINED_WISH_TARGET);
		return true;
	case TP_ACTION_FEATURES:
		open_pick(app, s, TP_MINED_WISH_FEATURES);
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
	(void)app;
	if (!s->picking || code == CONTROL_C)
		return false;
	take_pick(s, tp_picker_key(&s->picker, code));
	return true;
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
	} else if (part != TP_MINED_DENSITY) {
		tp_list_wheel(said_list((int)part, s), tp_list_wheel_rows(input));
	} else if (input->mouse == TP_MOUSE_PRESS && tp_mined_density_press(&s->density, input)) {
		wish_cuts(s);
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	const struct tp_area area = tp_app_body(app);
	struct tp_mined_screen *s = state;
	if (s->picking) {
		take_pick(s,
			  tp_picker_mouse(&s->picker, tp_area_rows(area, 1, area.rows - 1), input));
		return;
	}
	if (s->told)
		tp_list_wheel(&s->doc.list, tp_list_wheel_rows(input));
	if (s->told || !tp_mined_result(s))
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
	if (s->picking || s->told || !tp_mined_density_drop(&s->density, input))
		return;
	wish_cuts(s);
	app->dirty = true;
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_mined_screen *s = state;
	(void)app;
	return s->picking ? s->picker.many ? TP_OVER_MARKS : TP_OVER_LIST
	       : s->told  ? TP_OVER_TEXT
			  : TP_OVER_NOTHING;
}

static int count_parts(const struct tp_app *app, const void *state)
{
	const struct tp_mined_screen *s = state;
	(void)app;
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
	.work = learn_more,
	.lull = learn_in_lull,
};
