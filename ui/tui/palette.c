/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/lessons.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/shown.h"
#include "base/memory.h"
#include "lesson/lesson.h"
#include "record/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tp_pick *add(struct tp_picker *picker, const char *kind, const char *word,
			   const char *note, size_t of)
{
	struct tp_pick *pick = tp_picker_add(picker, word, note);
	pick->kind = kind;
	pick->of = of;
	return pick;
}

/* --- screens --- */

static const char go[] = "go";

static void list_screens(const struct tp_app *app, struct tp_picker *picker)
{
	const struct tp_run *run = tp_app_run(app);
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++) {
		const struct tp_screen_row *row = &tp_screen_rows[i];
		const char *finds = run ? tp_shown_finds((enum tp_screen_id)i, run) : NULL;
		char note[96];
		snprintf(note, sizeof(note), "%s%s%s", tp_place_rows[row->place].title,
			 finds ? ": " : "", finds ? finds : "");
		if (tp_app_offers(app, (enum tp_screen_id)i))
			add(picker, go, row->title, note, i);
	}
}

/* --- what keys do --- */

static const char do_[] = "do", help[] = "help";

/* Its word in the footer is its name, if it has one. */
static void add_action(struct tp_picker *picker, const char *kind, const struct tp_action_row *row)
{
	struct tp_pick *pick = add(picker, kind, row->label, row->help, row->id);
	tp_keys_name(row->id, pick->key, sizeof(pick->key));
}

/* Movement keys are not offered, nor keys of places, whose screens have rows. */
static bool is_named(const struct tp_action_row *row)
{
	return row->id > TP_ACTION_LAST && row->id != TP_ACTION_PALETTE &&
	       row->go == TP_PLACE_COUNT;
}

static void list_actions(const struct tp_app *app, struct tp_picker *picker,
			 bool (*idle)(const struct tp_app *app, size_t action))
{
	for (int everywhere = 0; everywhere < 2; everywhere++)
		for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
			const struct tp_action_row *row = &tp_action_table[a];
			/* What had no room lies below this box. */
			if (is_named(row) && !idle(app, a) && a != TP_ACTION_WHOLE &&
			    (row->screens == TP_EVERYWHERE) == everywhere)
				add_action(picker, do_, row);
		}
}

/* --- what can be looked up in the help: flags, and keys of other screens --- */

static void list_help(const struct tp_app *app, struct tp_picker *picker)
{
	char advice[TP_FLAG_ADVICE_BYTES];
	for (int f = 0; f < TP_FLAG_COUNT; f++)
		add(picker, help, tp_flag_name((enum tp_flag)f),
		    tp_flag_advice((enum tp_flag)f, advice, sizeof(advice)), 0);
	for (size_t a = 1; a < TP_ACTION_COUNT; a++)
		if (is_named(&tp_action_table[a]) &&
		    !(tp_action_table[a].screens & 1u << app->screen))
			add_action(picker, help, &tp_action_table[a]);
}

/* Types the words into the field of the help. */
static void look_up(struct tp_app *app, const char *words)
{
	const struct tp_screen *screen = app->screens[TP_SCREEN_HELP];
	void *state = app->state[TP_SCREEN_HELP];
	tp_app_go(app, TP_SCREEN_HELP);
	if (!*words)
		return;
	screen->act(app, state, TP_ACTION_FILTER);
	for (uint32_t code; (code = tp_utf8_next(&words));)
		screen->type(app, state, code);
	screen->type(app, state, TP_KEY_ENTER);
}

/* --- options and presets --- */

static const char option[] = "option", preset[] = "preset";

static void list_options(struct tp_picker *picker)
{
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++)
		add(picker, option, o->key, o->help, i);
}

static void show_option(struct tp_app *app, const struct tp_option *o)
{
	struct tp_setup *setup = tp_setup_of(app);
	tp_app_go(app, TP_SCREEN_SETUP);
	setup->mode = TP_SETUP_FORM;
	tp_form_select(&setup->form, o);
}

static void add_files(struct tp_picker *picker, const char *kind,
		      enum tp_status (*list)(struct tp_named_file **entries, size_t *n,
					     struct tp_diag *diag))
{
	TP_FREE struct tp_named_file *entries = NULL;
	size_t n = 0;
	if (list(&entries, &n, NULL) != TP_OK)
		return;
	for (size_t i = 0; i < n; i++)
		add(picker, kind, entries[i].name, entries[i].title, 0);
}

/* --- runs --- */

static const char run[] = "run", example[] = "example", lesson[] = "lesson";

/* Only names are read, of which there may be thousands; the newest is first. */
static void list_runs(struct tp_picker *picker)
{
	char folder[TP_PATH_MAX];
	char **names = NULL;
	size_t n = 0;
	if (tp_path_user_data("runs", folder, NULL) != TP_OK ||
	    tp_run_names(folder, &names, &n, NULL) != TP_OK)
		return;
	for (size_t i = n; i-- > 0;)
		add(picker, run, names[i], "", 0);
	tp_run_names_free(names, n);
}

static enum tp_status list_examples(struct tp_picker *picker, struct tp_diag *diag)
{
	TP_FREE struct tp_run_entry *entries = NULL;
	size_t n = 0;
	enum tp_status status = tp_example_entries(&entries, &n, diag);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < n; i++)
		add(picker, example, entries[i].directory, entries[i].notes, 0);
	return TP_OK;
}

static void open_run(struct tp_app *app, const char *folder, const char *name)
{
	char typed[TP_PATH_MAX], path[TP_PATH_MAX];
	struct tp_diag diag;
	snprintf(typed, sizeof(typed), "%s%s", folder, name);
	if (tp_run_find(typed, path, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	else
		tp_app_open_result(app, path);
}

/* --- the box --- */

void tp_palette_open(struct tp_app *app, bool (*idle)(const struct tp_app *app, size_t action))
{
	struct tp_picker *picker = &app->palette.picker;
	tp_palette_release(&app->palette);
	tp_setup_settle(app, tp_setup_of(app)); /* other screens need a plan that fits */
	list_screens(app, picker);
	list_actions(app, picker, idle);
	list_options(picker);
	add_files(picker, preset, tp_preset_entries);
	list_runs(picker);
	list_examples(picker, NULL);
	add_files(picker, lesson, tp_lesson_entries);
	list_help(app, picker);
	picker->open = true;
	picker->other = "look it up in the help";
	tp_copy(picker->title, sizeof(picker->title), "Find anything");
	app->palette.open = true;
}

void tp_palette_open_examples(struct tp_app *app)
{
	struct tp_picker *picker = &app->palette.picker;
	struct tp_diag diag;
	tp_palette_release(&app->palette);
	if (list_examples(picker, &diag) != TP_OK) {
		tp_app_say_diag(app, &diag);
		return;
	}
	for (size_t i = 0; i < picker->n; i++)
		if (strcmp(picker->items[i].word, "roofline") == 0)
			picker->list.at = i;
	tp_copy(picker->title, sizeof(picker->title), "Open an example run");
	tp_copy(picker->question, sizeof(picker->question),
		"They ship with tprof, one for each experiment, measured on another machine.");
	app->palette.open = true;
}

void tp_palette_release(struct tp_palette *palette)
{
	tp_picker_release(&palette->picker);
	palette->open = false;
}

/* Goes to what was chosen; an action is the caller's. */
static enum tp_action take(struct tp_app *app, enum tp_picker_event event)
{
	struct tp_picker *picker = &app->palette.picker;
	size_t at = tp_picker_at(picker);
	if (event == TP_PICKER_NONE)
		return TP_ACTION_NONE;
	TP_FREE char *words = tp_strdup(picker->field.text);
	struct tp_pick pick = { .word = "" };
	if (event == TP_PICKER_TAKEN)
		pick = picker->items[at];
	tp_palette_release(&app->palette);
	if (event == TP_PICKER_OTHER)
		look_up(app, words);
	else if (pick.kind == go)
		tp_app_go(app, (enum tp_screen_id)pick.of);
	else if (pick.kind == do_)
		return (enum tp_action)pick.of;
	else if (pick.kind == option)
		show_option(app, tp_option_at(pick.of));
	else if (pick.kind == preset)
		tp_setup_ask_load(app, pick.word);
	else if (pick.kind == run)
		open_run(app, "", pick.word);
	else if (pick.kind == example)
		open_run(app, TP_EXAMPLE_PREFIX, pick.word);
	else if (pick.kind == lesson)
		tp_lessons_open(app, pick.word);
	else if (pick.kind == help)
		look_up(app, pick.of ? pick.note : pick.word);
	return TP_ACTION_NONE;
}

enum tp_action tp_palette_key(struct tp_app *app, uint32_t code)
{
	return take(app, tp_picker_key(&app->palette.picker, code));
}

enum tp_action tp_palette_mouse(struct tp_app *app, struct tp_area area,
				const struct tp_input *input)
{
	return take(app, tp_picker_mouse(&app->palette.picker, area, input));
}
