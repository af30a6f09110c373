/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setup: what the keys and the mouse do to the form, and the boxes over it. */
#include "ui/tui/screens/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/setup_paint.h"

/* A plan that takes longer than this is made only when no key is waiting. */
#define AT_ONCE_SECONDS 0.015

void tp_setup_settle(struct tp_app *app, struct tp_setup *s)
{
	double start = tp_now_seconds();
	if (!tp_form_settle(&s->form, &app->problems))
		return;
	s->settle_seconds = tp_now_seconds() - start;
	app->setup_version++;
	app->dirty = true;
}

/*
 * setup.c: call it after a change. Plans again, at once if that is fast, else when no key is
 * waiting.
 */
static void setup_changed(struct tp_app *app, struct tp_setup *s)
{
	if (s->settle_seconds < AT_ONCE_SECONDS)
		tp_setup_settle(app, s);
	app->dirty = true;
}

/* --- values --- */

/* A field of one line shows the line ends of the notes as \n. */
static void typed_text(const struct tp_setup *s, struct tp_str *out)
{
	if (s->editing == TP_OPT_NOTES)
		tp_str_add_unescaped(out, s->field.text, strlen(s->field.text));
	else
		tp_str_add(out, s->field.text);
}

static void check_field(struct tp_setup *s)
{
	TP_STR text = { 0 };
	s->field_diag = (struct tp_diag){ 0 };
	if (s->mode == TP_SETUP_TYPE) {
		typed_text(s, &text);
		if (tp_form_check(s->editing, tp_str_text(&text), &s->field_diag) == TP_OK)
			s->field_diag = (struct tp_diag){ 0 };
	}
}

static void open_field(struct tp_setup *s, enum tp_setup_mode mode, const char *text)
{
	s->mode = mode;
	tp_text_field_set(&s->field, text);
	s->field_diag = (struct tp_diag){ 0 };
}

static void type_value(struct tp_app *app, struct tp_setup *s, const struct tp_option *id)
{
	TP_STR text = { 0 }, shown = { 0 };
	tp_form_text(&s->form, id, &text);
	/* A line that holds a part of the value would change it. */
	if (text.len >= TP_TEXT_FIELD_BYTES) {
		tp_app_say(app, TP_UI_WARN, "%s is too long to be edited here: edit the preset",
			   id->key);
		return;
	}
	s->editing = id;
	if (id == TP_OPT_NOTES)
		tp_str_add_escaped(&shown, tp_str_text(&text));
	else
		tp_str_add(&shown, tp_str_text(&text));
	open_field(s, TP_SETUP_TYPE, tp_str_text(&shown));
}

static bool holds(const struct tp_form *form, const struct tp_option *id, const char *word)
{
	TP_STR text = { 0 };
	tp_form_text(form, id, &text);
	const struct tp_value *value = tp_config_value(tp_form_config(form), id);
	bool found = strcmp(tp_str_text(&text), word) == 0;
	for (size_t i = 0; i < value->n && value->n > 1; i++)
		found |= strcmp(value->items[i].text, word) == 0;
	return found;
}

/* The words, with marks. A present value that is not among them gets a row too. */
static void fill_picker(struct tp_setup *s, const struct tp_option *id,
			const struct tp_words *words)
{
	const struct tp_value *value = tp_config_value(tp_form_config(&s->form), id);
	struct tp_picker *picker = &s->picker;
	tp_picker_release(picker);
	for (size_t i = 0; i < words->n; i++) {
		const struct tp_word *w = &words->items[i];
		struct tp_pick *pick = tp_picker_add(picker, w->word, w->note);
		pick->off = w->off;
		pick->alone = w->alone;
		tp_copy(pick->why, sizeof(pick->why), w->why);
		pick->marked = holds(&s->form, id, w->word);
		if (pick->marked && !picker->items[picker->list.at].marked)
			picker->list.at = i;
	}
	for (size_t i = 0; i < value->n; i++) {
		if (!holds(&s->form, id, value->items[i].text) ||
		    tp_words_find(words, value->items[i].text) >= 0 ||
		    strlen(value->items[i].text) >= sizeof(picker->items->word))
			continue;
		tp_picker_add(picker, value->items[i].text, "as set up")->marked = true;
		if (value->n == 1)
			picker->list.at = picker->n - 1;
	}
	picker->many = id->list;
	picker->open = words->open;
	tp_copy(picker->title, sizeof(picker->title), id->key);
	tp_copy(picker->question, sizeof(picker->question), id->help);
}

/* --- presets --- */

bool tp_setup_load(struct tp_app *app, struct tp_setup *s, const char *typed)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	s->mode = TP_SETUP_FORM;
	bool loaded = tp_form_load(&s->form, typed, &diags) == TP_OK;
	if (loaded) {
		s->rows = (struct tp_list){ 0 };
		tp_app_say(app, TP_UI_GOOD, "loaded %s", s->form.session->preset.path);
		setup_changed(app, s);
	} else {
		tp_diags_release(&s->errors);
		s->errors = diags;
		diags = (struct tp_diags){ 0 };
		s->errors_text.list = (struct tp_list){ 0 };
		s->mode = TP_SETUP_ERRORS;
	}
	return loaded;
}

static void load_asked(struct tp_app *app)
{
	tp_setup_load(app, tp_setup_of(app), tp_setup_of(app)->path);
}

static const struct tp_yes_no ask_to_load = { "Load the preset?", "load it", "keep the changes",
					      load_asked, NULL };

void tp_setup_ask_load(struct tp_app *app, const char *typed)
{
	struct tp_setup *s = tp_setup_of(app);
	tp_app_go(app, TP_SCREEN_SETUP);
	tp_copy(s->path, sizeof(s->path), typed);
	s->mode = TP_SETUP_FORM;
	if (s->form.edited)
		tp_app_ask(app, &ask_to_load, "The changes in Setup are not saved.");
	else
		tp_setup_load(app, s, s->path);
}

/* Whether the preset has a run of the experiment; a broken one has none. */
static bool answers(const char *preset_path, const struct tp_experiment *experiment)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_preset preset;
	bool found = false;
	if (tp_session_preset(&preset, NULL, preset_path, &diags) != TP_OK)
		return false;
	for (size_t i = 0; i < preset.n_runs; i++)
		found |= strcmp(tp_config_text(&preset.runs[i], TP_OPT_EXPERIMENT),
				experiment->name) == 0;
	tp_preset_release(&preset);
	return found;
}

/* From all presets, or from those for the question of an experiment. */
static void choose_preset(struct tp_app *app, struct tp_setup *s,
			  const struct tp_experiment *experiment)
{
	TP_FREE struct tp_named_file *entries = NULL;
	size_t n;
	struct tp_diag diag;
	if (tp_preset_entries(&entries, &n, &diag) != TP_OK) {
		tp_app_say_diag(app, &diag);
		return;
	}
	tp_picker_release(&s->picker);
	s->picker.open = true;
	tp_copy(s->picker.title, sizeof(s->picker.title),
		experiment ? experiment->question : "Load a preset");
	for (size_t i = 0; i < n; i++) {
		const struct tp_named_file *entry = &entries[i];
		if (experiment && !answers(entry->path, experiment))
			continue;
		struct tp_pick *pick = tp_picker_add(&s->picker, entry->name, entry->title);
		pick->marked = strcmp(entry->path, s->form.session->preset.path) == 0;
		/* The cursor begins on the loaded one, else on the plainest. */
		if (pick->marked || (experiment && strcmp(entry->name, experiment->name) == 0))
			s->picker.list.at = s->picker.n - 1;
	}
	tp_copy(s->picker.question, sizeof(s->picker.question),
		"Your presets and those of tprof. The last row takes the path of a file.");
	s->mode = TP_SETUP_PRESETS;
}

static void choose_question(struct tp_setup *s)
{
	const struct tp_experiment *e;
	tp_picker_release(&s->picker);
	tp_copy(s->picker.title, sizeof(s->picker.title), "What do you want to measure?");
	tp_copy(s->picker.question, sizeof(s->picker.question),
		"Each question is an experiment, and has presets that answer it.");
	for (size_t i = 0; (e = tp_experiment_at(i)); i++) {
		struct tp_pick *pick = tp_picker_add(&s->picker, e->question, e->summary);
		pick->marked = strcmp(e->name, tp_form_experiment(&s->form)) == 0;
		if (pick->marked)
			s->picker.list.at = i;
	}
	s->mode = TP_SETUP_QUESTIONS;
}

static void write_file(struct tp_app *app, struct tp_setup *s)
{
	struct tp_diag diag;
	if (tp_form_save(&s->form, s->path, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	else
		tp_app_say(app, TP_UI_GOOD, "saved: %s", s->path);
}

static void replace_file(struct tp_app *app)
{
	write_file(app, tp_setup_of(app));
}

static const struct tp_yes_no ask_to_replace = { "Replace the file?", "replace it", "keep it",
						 replace_file, "nothing was written" };

static void setup_ask_save(struct tp_setup *s)
{
	const struct tp_preset *preset = &s->form.session->preset;
	const char *slash = strrchr(preset->path, '/');
	char name[64];
	tp_copy(name, sizeof(name), slash ? slash + 1 : preset->path);
	char *dot = strrchr(name, '.');
	if (dot)
		*dot = '\0';
	open_field(s, TP_SETUP_SAVE, *name ? name : "mine");
}

/* --- keys and mouse --- */

static void take_choice(struct tp_app *app, struct tp_setup *s)
{
	TP_STR text = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < s->picker.n; i++)
		if (s->picker.items[i].marked)
			tp_str_printf(&text, "%s%s", text.len ? "," : "", s->picker.items[i].word);
	s->mode = TP_SETUP_FORM;
	if (tp_form_set(&s->form, s->editing, tp_str_text(&text), &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	setup_changed(app, s);
}

static void take_pick(struct tp_app *app, struct tp_setup *s, enum tp_picker_event event)
{
	switch (event) {
	case TP_PICKER_NONE:
		break;
	case TP_PICKER_LEFT:
		s->mode = TP_SETUP_FORM;
		break;
	case TP_PICKER_OTHER:
		/* The letters that were typed already begin it. */
		if (s->mode == TP_SETUP_PRESETS)
			open_field(s, TP_SETUP_PATH, "");
		else
			type_value(app, s, s->editing);
		if (s->picker.field.len)
			tp_text_field_set(&s->field, s->picker.field.text);
		check_field(s);
		break;
	case TP_PICKER_TAKEN:
		if (s->mode == TP_SETUP_CHOOSE)
			take_choice(app, s);
		else if (s->mode == TP_SETUP_QUESTIONS)
			choose_preset(app, s, tp_experiment_at(tp_picker_at(&s->picker)));
		else
			tp_setup_ask_load(app, s->picker.items[tp_picker_at(&s->picker)].word);
		break;
	}
}

static void take_field(struct tp_app *app, struct tp_setup *s)
{
	if (s->mode == TP_SETUP_SAVE) {
		char path[TP_PATH_MAX];

		if (tp_form_file(s->field.text, path, &s->field_diag) == TP_OK) {
			tp_copy(s->path, sizeof(s->path), path);
			s->mode = TP_SETUP_FORM;
			if (access(path, F_OK) == 0)
				tp_app_ask(app, &ask_to_replace, "%s\nis there already.", path);
			else
				write_file(app, s);
		}
	} else if (s->mode == TP_SETUP_PATH) {
		tp_setup_ask_load(app, s->field.text);
	} else {
		TP_STR text = { 0 };
		typed_text(s, &text);
		if (tp_form_set(&s->form, s->editing, tp_str_text(&text), &s->field_diag) == TP_OK)
			s->mode = TP_SETUP_FORM;
		setup_changed(app, s);
	}
}

static void find_key(struct tp_setup *s, uint32_t code)
{
	struct tp_form *form = &s->form;
	if (code == TP_KEY_UP || code == TP_KEY_DOWN) {
		tp_form_move(form, code == TP_KEY_UP ? -1 : 1);
		return;
	}
	enum tp_text_field_event event = tp_text_field_key(&s->field, code);
	if (event == TP_TEXT_FIELD_TAKEN || event == TP_TEXT_FIELD_LEFT) {
		const struct tp_option *id = tp_form_selected(form);
		bool any = form->n_rows > 0;
		s->mode = TP_SETUP_FORM;
		form->find[0] = '\0';
		tp_form_list(form);
		if (any && event == TP_TEXT_FIELD_TAKEN)
			tp_form_select(form, id);
		return;
	}
	tp_copy(form->find, sizeof(form->find), s->field.text);
	tp_form_list(form);
}

/* Keys and mouse while a box is open. */
static void setup_box_key(struct tp_app *app, struct tp_setup *s, uint32_t code)
{
	switch (s->mode) {
	case TP_SETUP_CHOOSE:
	case TP_SETUP_QUESTIONS:
	case TP_SETUP_PRESETS:
		take_pick(app, s, tp_picker_key(&s->picker, code));
		/* A digit that comes first begins a typed value. */
		if (s->mode == TP_SETUP_CHOOSE && s->picker.open && s->picker.field.len == 1 &&
		    code >= '0' && code <= '9')
			take_pick(app, s, TP_PICKER_OTHER);
		break;
	case TP_SETUP_ERRORS:
		if (code == TP_KEY_ESCAPE || code == TP_KEY_ENTER || code == ' ' || code == 'q')
			s->mode = TP_SETUP_FORM;
		else
			tp_list_scroll(&s->errors_text.list, tp_keys_action(TP_SCREEN_COUNT, code));
		break;
	case TP_SETUP_FIND:
		find_key(s, code);
		break;
	default:
		switch (tp_text_field_key(&s->field, code)) {
		case TP_TEXT_FIELD_TAKEN:
			take_field(app, s);
			break;
		case TP_TEXT_FIELD_LEFT:
			s->mode = TP_SETUP_FORM;
			break;
		case TP_TEXT_FIELD_EDITED:
			check_field(s);
			break;
		case TP_TEXT_FIELD_IGNORED:
			break;
		}
	}
}

void tp_adopt(struct tp_app *app, const struct tp_option *option, const char *value)
{
	struct tp_setup *s = tp_setup_of(app);
	struct tp_diag diag;
	if (tp_form_set(&s->form, option, value, &diag) != TP_OK) {
		tp_app_say_diag(app, &diag);
		return;
	}
	tp_setup_settle(app, s);
	tp_app_say(app, TP_UI_GOOD, "%s: %s from now on; Backspace on it in Setup takes it back",
		   option->key, value);
}

static void adopt_all(struct tp_app *app)
{
	const struct tp_setup *s = tp_setup_of(app);
	TP_STR all = { 0 };
	for (size_t i = 0; i < s->n_offers; i++) {
		tp_adopt(app, s->offers[i].option, s->offers[i].value);
		tp_str_printf(&all, "%s%s: %s", i ? ", " : "", s->offers[i].option->key,
			      s->offers[i].value);
	}
	if (s->n_offers > 1)
		tp_app_say(app, TP_UI_GOOD, "%s from now on", tp_str_text(&all));
}

void tp_adopt_offers(struct tp_app *app)
{
	static const struct tp_yes_no ask = { "Use what was found?", "use it", "not now", adopt_all,
					      NULL };
	struct tp_setup *s = tp_setup_of(app);
	char words[sizeof(s->offer)];
	s->n_offers = tp_offers(&app->session, tp_found_run(&app->found), s->offers);
	if (!s->n_offers) {
		tp_app_say(app, TP_UI_PLAIN,
			   "no difference was found; preset memcurve measures the caches");
		return;
	}
	tp_app_ask(app, &ask, "%s", tp_offers_words(words, sizeof(words), s->offers, s->n_offers));
}

enum { CONTROL_C = 3 };

/* --- the plan --- */

void tp_setup_take(struct tp_app *app, struct tp_preset *preset)
{
	struct tp_setup *s = tp_setup_of(app);
	tp_form_take(&s->form, preset);
	s->mode = TP_SETUP_FORM;
	s->rows = (struct tp_list){ 0 };
	setup_changed(app, s);
	tp_app_go(app, TP_SCREEN_SETUP);
}

static bool no_key_waits(void *context)
{
	return !tp_term_has_input(context);
}

static double work(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	tp_setup_settle(app, s);
	if (tp_form_estimate(&s->form, no_key_waits, &app->term)) {
		app->setup_version++;
		app->dirty = true;
	}
	bool changed = false;
	if (tp_app_is_measuring(app))
		return INFINITY;
	bool more = tp_found_go_on(&app->found, &app->session.machine, &changed);
	app->dirty |= changed;
	return more ? 0 : INFINITY;
}

static void begin_run(struct tp_app *app, struct tp_setup *s)
{
	tp_setup_settle(app, s);
	tp_app_start(app);
}

static void stop_first(struct tp_app *app)
{
	tp_setup_of(app)->start_when_over = true;
	tp_live_stop(&app->live);
	tp_app_say(app, TP_UI_PLAIN, "the run is stopping; the next one begins after it");
}

static void start(struct tp_app *app, struct tp_setup *s)
{
	static const struct tp_yes_no ask_to_stop = { "Stop the run?", "stop it and begin this one",
						      "let it go on", stop_first, NULL };
	if (tp_app_is_measuring(app))
		tp_app_ask(app, &ask_to_stop, "A run is under way. Its points are saved.");
	else
		begin_run(app, s);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	if (!s->start_when_over || tp_app_is_measuring(app))
		return;
	s->start_when_over = false;
	begin_run(app, s);
}

/* --- actions --- */

/* The screen of nodes asks which ones. */
static void choose_nodes(struct tp_app *app, struct tp_setup *s)
{
	tp_setup_settle(app, s);
	tp_app_go(app, TP_SCREEN_CLUSTER);
	app->screens[TP_SCREEN_CLUSTER]->act(app, app->state[TP_SCREEN_CLUSTER],
					     TP_ACTION_CLUSTER_START);
}

static void step(struct tp_app *app, struct tp_setup *s, int direction)
{
	const struct tp_option *id = tp_form_selected(&s->form);
	struct tp_diag diag;
	if (!id && direction > 0)
		choose_nodes(app, s);
	else if (id && tp_form_step(&s->form, id, direction, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	setup_changed(app, s);
}

static void change(struct tp_app *app, struct tp_setup *s)
{
	const struct tp_option *id = tp_form_selected(&s->form);
	struct tp_words words = { 0 };
	if (!id || id->type == TP_TYPE_BOOL) {
		step(app, s, 1);
		return;
	}
	if (id == TP_OPT_EXPERIMENT) {
		choose_question(s);
		return;
	}
	/* Opens a box for the selected option. */
	s->editing = id;
	if (tp_words_make(&words, id, &s->form.session->machine) == TP_OK && words.n) {
		fill_picker(s, id, &words);
		s->mode = TP_SETUP_CHOOSE;
	} else {
		type_value(app, s, id);
	}
	tp_words_release(&words);
}

static void reset_all(struct tp_app *app)
{
	tp_form_reset_all(&tp_setup_of(app)->form);
	setup_changed(app, tp_setup_of(app));
}

static const struct tp_yes_no ask_to_reset = { "Reset all options?", "set all to the default",
					       "keep them", reset_all, NULL };

static void change_runs(struct tp_app *app, struct tp_setup *s, enum tp_action action)
{
	struct tp_form *form = &s->form;
	size_t n = form->session->preset.n_runs;
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	if (action == TP_ACTION_RUN_ADD)
		status = tp_form_add_run(form, &diag);
	else if (action == TP_ACTION_RUN_REMOVE)
		status = tp_form_remove_run(form, &diag);
	else if (n == 1)
		status = tp_fail(&diag, TP_USAGE, "runs", NULL,
				 "there is only one run; + adds another");
	else
		form->run = (form->run + (action == TP_ACTION_RUN_NEXT ? 1 : n - 1)) % n;
	if (status != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_form_list(form);
	setup_changed(app, s);
}

/* Moves by as many options as a list moves by rows. */
static bool move(struct tp_setup *s, enum tp_action action)
{
	struct tp_list list = s->rows;
	list.n = s->form.n_rows;
	list.at = s->form.selected;
	if (!tp_list_act(&list, action))
		return false;
	tp_form_move(&s->form, (int)list.at - (int)s->form.selected);
	return true;
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_setup *s = state;
	struct tp_form *form = &s->form;
	if (app->part > 0 && tp_list_scroll(&s->points.list, action))
		return true;
	if (move(s, action))
		return true;
	switch (action) {
	case TP_ACTION_LEFT:
		step(app, s, -1);
		return true;
	case TP_ACTION_RIGHT:
		step(app, s, 1);
		return true;
	case TP_ACTION_CHANGE:
		change(app, s);
		return true;
	case TP_ACTION_RESET:
		if (tp_form_selected(form))
			tp_form_reset(form, tp_form_selected(form));
		setup_changed(app, s);
		return true;
	case TP_ACTION_RESET_ALL:
		tp_app_ask(app, &ask_to_reset, "Every option gets its default.");
		return true;
	case TP_ACTION_ALL_OPTIONS:
		form->all = !form->all;
		tp_form_list(form);
		return true;
	case TP_ACTION_ADOPT:
		tp_adopt_offers(app);
		return true;
	case TP_ACTION_FILTER:
		open_field(s, TP_SETUP_FIND, "");
		return true;
	case TP_ACTION_SAVE:
		setup_ask_save(s);
		return true;
	case TP_ACTION_LOAD:
		choose_preset(app, s, NULL);
		return true;
	case TP_ACTION_START:
		start(app, s);
		return true;
	case TP_ACTION_RUN_NEXT:
	case TP_ACTION_RUN_PREVIOUS:
	case TP_ACTION_RUN_ADD:
	case TP_ACTION_RUN_REMOVE:
		change_runs(app, s, action);
		return true;
	default:
		tp_setup_settle(app, s); /* other screens need a plan that fits */
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_setup *s = state;
	if (s->mode == TP_SETUP_FORM || code == CONTROL_C)
		return false;
	setup_box_key(app, s, code);
	return true;
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_setup *s = state;
	(void)app;
	switch (s->mode) {
	case TP_SETUP_FORM:
		return TP_OVER_NOTHING;
	case TP_SETUP_CHOOSE:
	case TP_SETUP_QUESTIONS:
	case TP_SETUP_PRESETS:
		return s->picker.many ? TP_OVER_MARKS : TP_OVER_LIST;
	case TP_SETUP_ERRORS:
		return TP_OVER_BOX;
	default:
		return TP_OVER_FIELD;
	}
}

/* --- the mouse --- */

static void press_row(struct tp_app *app, struct tp_setup *s, const struct tp_setup_places *p,
		      const struct tp_input *input)
{
	struct tp_area rows = s->rows.area;
	int column = input->column - rows.column;
	size_t i = tp_list_hit(&s->rows, input->row - rows.row);
	if (!tp_area_holds(rows, input->row, input->column) || i >= s->form.n_rows ||
	    s->form.rows[i].heading)
		return;
	bool again = i == s->form.selected;
	s->form.selected = i;
	if (again && column >= p->value_column - 3 && column < p->value_column)
		step(app, s, -1);
	else if (input->twice || (column >= p->value_column - 3 && column < p->note_column))
		change(app, s);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	const struct tp_area area = tp_app_body(app);
	struct tp_setup *s = state;
	struct tp_setup_places p = tp_setup_places(s, area);
	if (s->mode != TP_SETUP_FORM) {
		if (over(app, s) == TP_OVER_LIST || over(app, s) == TP_OVER_MARKS)
			take_pick(app, s, tp_picker_mouse(&s->picker, area, input));
		else if (s->mode == TP_SETUP_ERRORS && input->mouse == TP_MOUSE_PRESS)
			s->mode = TP_SETUP_FORM;
		else if (s->mode == TP_SETUP_ERRORS)
			tp_list_wheel(&s->errors_text.list, tp_list_wheel_rows(input));
	} else if (app->part > 0)
		tp_list_wheel(&s->points.list, tp_list_wheel_rows(input));
	else if (input->mouse != TP_MOUSE_PRESS)
		tp_form_move(&s->form, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1);
	else if (tp_area_holds(p.rows, input->row, input->column))
		press_row(app, s, &p, input);
	else if (tp_area_holds(p.runs, input->row, input->column)) {
		size_t run = tp_setup_run_at(s, input->column - p.runs.column);
		if (run < s->form.session->preset.n_runs)
			s->form.run = run;
		tp_form_list(&s->form);
	}
}

/* --- the screen --- */

static void close_screen(void *state)
{
	struct tp_setup *s = state;
	tp_form_release(&s->form);
	tp_picker_release(&s->picker);
	tp_diags_release(&s->errors);
	tp_doc_release(&s->errors_text);
	tp_doc_release(&s->points);
}

static void open_screen(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	/* The configuration files were read before: it fails only if they have changed since. */
	app->quit =
		tp_form_init(&s->form, &app->session, &app->options->overrides, &diags) != TP_OK;
	if (!app->quit)
		tp_setup_settle(app, s);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	tp_found_look_again(&app->found);
	tp_form_list(&s->form);
	tp_setup_settle(app, s);
}

const struct tp_screen tp_screen_setup = {
	.state_bytes = sizeof(struct tp_setup),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = tp_setup_paint,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = tp_setup_parts,
	.work = work,
};
