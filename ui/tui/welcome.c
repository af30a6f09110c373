/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/app.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/shown.h"
#include "base/memory.h"
#include "record/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTROL_C = 3 };

/* --- the first start --- */

static bool is_there(enum tp_status (*of)(const char *, char[TP_PATH_MAX], struct tp_diag *),
		     const char *relative)
{
	char path[TP_PATH_MAX];
	return of(relative, path, NULL) == TP_OK && access(path, F_OK) == 0;
}

bool tp_welcome_is_due(const struct tp_app *app)
{
	return !app->options->replay && !app->options->overrides.n &&
	       !is_there(tp_path_user_data, "runs") && !is_there(tp_path_user_data, "lessons") &&
	       !is_there(tp_path_user_config, "config.yaml");
}

static void close_box(struct tp_app *app)
{
	char folder[TP_PATH_MAX];

	/* With a folder of runs it does not greet again. Without one it does, which harms nobody.
	 */
	if (tp_path_user_data("runs", folder, NULL) == TP_OK)
		tp_dir_make(folder, NULL);
	app->welcome.page = TP_WELCOME_CLOSED;
	tp_picker_release(&app->welcome.picker);
}

void tp_welcome_release(struct tp_welcome *welcome)
{
	tp_picker_release(&welcome->picker);
	free(welcome->examples);
	*welcome = (struct tp_welcome){ 0 };
}

/* --- what it does --- */

static void measure_now(struct tp_app *app)
{
	if (!tp_setup_load(app, tp_setup_of(app), "quick")) {
		tp_app_go(app, TP_SCREEN_SETUP); /* it shows what is wrong */
		return;
	}
	tp_setup_settle(app, tp_setup_of(app));
	app->welcome.shows_results = tp_app_start(app);
}

static void answer_measure(struct tp_app *app, bool yes)
{
	if (yes)
		measure_now(app);
}

static void measure(struct tp_app *app)
{
	static const struct tp_yes_no ask_to_load = { "Measure this machine?",
						      "load quick and measure", "keep the changes",
						      answer_measure };
	close_box(app);
	if (tp_app_is_measuring(app))
		tp_app_say(app, TP_UI_WARN, "a run is under way already; s stops it");
	else if (tp_setup_of(app)->form.edited)
		tp_app_ask(app, &ask_to_load, "The changes in Setup are not saved.");
	else
		measure_now(app);
}

static void list_examples(struct tp_app *app)
{
	struct tp_welcome *w = &app->welcome;
	struct tp_diag diag;
	free(w->examples);
	if (tp_example_entries(&w->examples, &w->n_examples, &diag) != TP_OK) {
		close_box(app);
		tp_app_say_diag(app, &diag);
		return;
	}
	tp_picker_release(&w->picker);
	tp_copy(w->picker.title, sizeof(w->picker.title), "Open an example run");
	tp_copy(w->picker.question, sizeof(w->picker.question),
		"They ship with tprof, one for each experiment, measured on another machine.");
	for (size_t i = 0; i < w->n_examples; i++) {
		const struct tp_run_entry *e = &w->examples[i];
		tp_picker_add(&w->picker, e->directory, e->notes);
		if (strcmp(e->directory, "roofline") == 0)
			w->picker.list.at = i;
	}
	w->page = TP_WELCOME_EXAMPLES;
}

static void examples(struct tp_app *app)
{
	app->welcome.from_greeting = true;
	list_examples(app);
}

static void open_example(struct tp_app *app, size_t i)
{
	char path[TP_PATH_MAX];
	tp_copy(path, sizeof(path), app->welcome.examples[i].path);
	close_box(app);
	if (tp_app_open_run(app, path, false) != TP_OK)
		return;
	tp_shown_go(app, TP_SCREEN_COUNT);
}

/* --- the greeting --- */

static void lessons(struct tp_app *app)
{
	close_box(app);
	tp_app_go(app, TP_SCREEN_LESSONS);
}

static const struct {
	const char *words, *note;
	void (*run)(struct tp_app *app);
} things[] = {
	{ "1  measure this machine", "a first roofline, in a few seconds", measure },
	{ "2  take the first lesson", "asks, measures, explains what came out", lessons },
	{ "3  open an example run", "one of each experiment that tprof has", examples },
};

void tp_welcome_greet(struct tp_app *app)
{
	struct tp_welcome *w = &app->welcome;
	tp_picker_release(&w->picker);
	tp_copy(w->picker.title, sizeof(w->picker.title), "Welcome to tprof");
	tp_copy(w->picker.question, sizeof(w->picker.question),
		"Esc goes on to Setup, where you choose what is measured. W opens this box again, "
		"? is the help.");
	for (size_t i = 0; i < TP_COUNT_OF(things); i++)
		tp_picker_add(&w->picker, things[i].words, things[i].note);
	w->page = TP_WELCOME_GREETS;
	app->dirty = true;
}

void tp_welcome_choose_example(struct tp_app *app)
{
	app->welcome.from_greeting = false;
	list_examples(app);
	app->dirty = true;
}

/* --- keys and mouse --- */

static void take(struct tp_app *app, enum tp_picker_event event)
{
	struct tp_welcome *w = &app->welcome;
	size_t at = w->picker.list.at;
	bool greets = w->page == TP_WELCOME_GREETS;
	if (event == TP_PICKER_TAKEN && greets)
		things[at].run(app);
	else if (event == TP_PICKER_TAKEN)
		open_example(app, at);
	else if (event == TP_PICKER_LEFT && !greets && w->from_greeting)
		tp_welcome_greet(app);
	else if (event == TP_PICKER_LEFT)
		close_box(app);
}

bool tp_welcome_key(struct tp_app *app, uint32_t code)
{
	struct tp_welcome *w = &app->welcome;
	if (code == CONTROL_C)
		return false;
	if (tp_keys_action(TP_SCREEN_COUNT, code) == TP_ACTION_HELP) {
		w->page = TP_WELCOME_CLOSED;
		return false;
	}
	if (w->page == TP_WELCOME_GREETS && code > '0' && code <= '0' + TP_COUNT_OF(things)) {
		w->picker.list.at = code - '1';
		take(app, TP_PICKER_TAKEN);
	} else {
		take(app, tp_picker_key(&w->picker, code));
	}
	return true;
}

void tp_welcome_mouse(struct tp_app *app, struct tp_area area, const struct tp_input *input)
{
	take(app, tp_picker_mouse(&app->welcome.picker, area, input));
}

void tp_welcome_paint(struct tp_app *app, struct tp_area area)
{
	tp_picker_paint(&app->welcome.picker, area);
}

void tp_welcome_news(struct tp_app *app)
{
	if (!app->welcome.shows_results || app->live.state != TP_LIVE_DONE)
		return;
	app->welcome.shows_results = false;
	/* Whoever has gone elsewhere meanwhile stays there. */
	if (app->screen == TP_SCREEN_RUN && strcmp(app->live.run.state, "complete") == 0)
		tp_app_go(app, tp_shown_screen(&app->live.run));
}
