/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all screens share, runs that begin here, and the user's consent to run code. */
#include "ui/tui/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/now.h"
#include "record/load.h"
#include "record/roof.h"
#include "session/session.h"
#include "session/measure.h"
#include "ui/tui/screen.h"
#include "ui/tui/shown.h"

#define MESSAGE_SECONDS 6.0

const struct tp_run *tp_app_run(const struct tp_app *app)
{
	if (app->live.state != TP_LIVE_NONE)
		return &app->live.run;
	return app->n_runs ? &app->runs[0].run : NULL;
}

enum tp_status tp_app_add_dot(struct tp_app *app, const char *text, struct tp_diag *diag)
{
	struct tp_run *run = (struct tp_run *)tp_app_run(app);
	if (!run)
		return tp_fail(diag, TP_USAGE, "dot", NULL, "there is no run to put it on");
	return tp_run_add_own_dot(run, text, diag);
}

const char *tp_app_run_label(const struct tp_app *app)
{
	const char *slash;
	if (app->live.state != TP_LIVE_NONE) {
		slash = strrchr(app->live.directory, '/');
		return slash ? slash + 1 : app->live.directory;
	}
	return app->n_runs ? app->runs[0].label : "";
}

void tp_app_say(struct tp_app *app, enum tp_role role, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(app->message, sizeof(app->message), fmt, ap);
	va_end(ap);
	app->message_role = role;
	app->message_until = tp_now_seconds() + MESSAGE_SECONDS;
	app->dirty = true;
}

void tp_app_say_diag(struct tp_app *app, const struct tp_diag *diag)
{
	const char *hint = tp_hint_on_screen(diag->hint);
	tp_app_say(app, TP_UI_BAD, "%s%s%s%s%s", diag->where, diag->where[0] ? ": " : "",
		   diag->what, *hint ? " - " : "", hint);
}

void tp_app_tell_news(struct tp_app *app)
{
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++)
		if (app->screens[i]->news)
			app->screens[i]->news(app, app->state[i]);
	app->dirty = true;
}

void tp_app_go(struct tp_app *app, enum tp_screen_id screen)
{
	if (screen == TP_SCREEN_HELP && app->screen != TP_SCREEN_HELP)
		app->before_help = app->screen;
	app->screen = screen;
	if (screen != TP_SCREEN_HELP)
		app->last[tp_screen_rows[screen].place] = screen;
	app->part = 0;
	if (app->screens[screen]->enter)
		app->screens[screen]->enter(app, app->state[screen]);
	app->dirty = true;
}

bool tp_app_offers(const struct tp_app *app, enum tp_screen_id screen)
{
	const struct tp_run *run = tp_app_run(app);
	bool any = !(TP_ON_EXPERIMENTS & 1u << screen);
	if (screen == TP_SCREEN_TREE)
		return run && tp_run_n_done(run) > 0;
	for (size_t i = 0; run && i < tp_app_n_shown(app) && !any; i++)
		any = tp_shown_finds(screen, tp_app_shown(app, i));
	return any;
}

void tp_app_go_place(struct tp_app *app, enum tp_place_id place)
{
	enum tp_screen_id screen = app->last[place];
	char newest[TP_PATH_MAX];
	/* The result comes from the newest run if none is open. */
	bool opened = place == TP_PLACE_RESULT && !tp_app_run(app) &&
		      tp_run_find("last", newest, NULL) == TP_OK &&
		      tp_app_open_run(app, newest, false) == TP_OK;
	if (place == TP_PLACE_RESULT && (opened || !tp_app_offers(app, screen)))
		screen = tp_app_run(app) ? tp_shown_screen(tp_app_run(app)) : TP_SCREEN_RUN;
	tp_app_go(app, screen);
}

void tp_app_next(struct tp_app *app, bool forward)
{
	enum tp_place_id place = tp_screen_rows[app->screen].place;
	enum tp_screen_id screen = app->screen;
	do
		screen = (screen + (forward ? 1 : TP_SCREEN_COUNT - 1)) % TP_SCREEN_COUNT;
	while (tp_screen_rows[screen].place != place || !tp_app_offers(app, screen));
	tp_app_go(app, screen);
}

void tp_app_go_result(struct tp_app *app)
{
	if (app->live.state != TP_LIVE_NONE)
		tp_app_say(app, TP_UI_WARN,
			   "a run is under way and stays; the opened one is drawn over it");
	tp_app_go(app, tp_shown_screen(&app->runs[0].run));
}

static size_t first_opened(const struct tp_app *app)
{
	return app->live.state != TP_LIVE_NONE ? 1 : 0;
}

size_t tp_app_n_shown(const struct tp_app *app)
{
	return TP_MIN(app->n_runs + first_opened(app), (size_t)TP_APP_RUNS);
}

const struct tp_run *tp_app_shown(const struct tp_app *app, size_t i)
{
	return i ? &app->runs[i - first_opened(app)].run : tp_app_run(app);
}

const char *tp_app_shown_label(const struct tp_app *app, size_t i)
{
	return i ? app->runs[i - first_opened(app)].label : tp_app_run_label(app);
}

static void app_close_runs(struct tp_app *app)
{
	for (size_t i = 0; i < app->n_runs; i++)
		tp_run_release(&app->runs[i].run);
	app->n_runs = 0;
	tp_app_tell_news(app);
}

enum tp_status tp_app_open_run(struct tp_app *app, const char *path, bool over)
{
	struct tp_open_run opened = { 0 };
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	if (over && app->n_runs == TP_APP_RUNS)
		status = tp_fail(&diag, TP_RESOURCE, "runs", NULL, "at most %d runs can be shown",
				 TP_APP_RUNS);
	if (status == TP_OK)
		status = tp_run_load(&opened.run, path, &diag);
	if (status != TP_OK) {
		tp_app_say_diag(app, &diag);
		return status;
	}
	if (!over)
		app_close_runs(app);
	const char *slash = strrchr(path, '/');
	tp_copy(opened.path, sizeof(opened.path), path);
	tp_copy(opened.label, sizeof(opened.label), slash ? slash + 1 : path);
	app->runs[app->n_runs++] = opened;
	/* The opened run replaces a live one that is over, but not one in progress. */
	if (!over && app->live.state == TP_LIVE_DONE) {
		tp_live_release(&app->live);
		tp_live_init(&app->live);
	}
	tp_app_tell_news(app);
	return TP_OK;
}

void tp_app_open_result(struct tp_app *app, const char *path)
{
	if (tp_app_open_run(app, path, false) == TP_OK)
		tp_app_go_result(app);
}

struct tp_area tp_app_body(const struct tp_app *app)
{
	const struct tp_area whole = { .term = &app->term,
				       .rows = app->term.rows,
				       .columns = app->term.columns };
	int head = tp_keys_head_rows(app->screen);
	return tp_area_rows(whole, head, whole.rows - head - TP_APP_FOOT_ROWS);
}

struct tp_look tp_app_look(const struct tp_app *app, int columns, int rows)
{
	return (struct tp_look){ .colour = true,
				 .screen = true,
				 .utf8 = app->term.utf8,
				 .columns = (unsigned)columns,
				 .rows = (unsigned)rows };
}

void tp_app_paint_empty(const struct tp_app *app, struct tp_area area, const char *why)
{
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2 - 1,
			 0, TP_UI_PLAIN,
			 tp_app_run(app) ? why
					 : "No run is open: press 2 to set one up, 4 to open one.");
}

static void agree(struct tp_app *app)
{
	struct tp_asking *asking = &app->asking;
	asking->agreed = true;
	asking->begin(app);
	asking->agreed = false;
}

bool tp_app_may(struct tp_app *app, const struct tp_consent *acts,
		void (*begin)(struct tp_app *app))
{
	static const struct tp_yes_no trust = { "Do you trust this?", "do it", "leave it", agree,
						"nothing was run" };
	struct tp_asking *asking = &app->asking;
	TP_STR words = { 0 };
	/* The approved actions may have changed since. */
	bool agreed = asking->agreed && tp_consent_same(acts, &asking->acts);
	tp_consent_release(&asking->acts);
	asking->acts = *acts;
	asking->begin = begin;
	if (app->options->allow_code || agreed || !acts->n)
		return true;
	if (tp_consent_words(acts, &words))
		tp_app_ask(app, &trust, "%s", tp_str_text(&words));
	else
		tp_app_say(app, TP_UI_WARN, "too much to be shown here; nothing was run");
	return false;
}

bool tp_app_may_run(struct tp_app *app, const struct tp_preset *preset,
		    void (*begin)(struct tp_app *app))
{
	struct tp_consent acts = { 0 };
	tp_consent_add_preset(&acts, preset, false);
	return tp_app_may(app, &acts, begin);
}

struct tp_overrides tp_app_machine_overrides(const struct tp_app *app, const char **sets)
{
	static const char *const keys[] = { "machine", "topology", "simulate", "seed" };
	struct tp_overrides overrides = app->options->overrides;
	overrides.n = 0;
	for (size_t i = 0; i < app->options->overrides.n; i++) {
		const char *set = app->options->overrides.sets[i];
		const size_t n = strcspn(set, "=");
		for (size_t k = 0; k < TP_COUNT_OF(keys); k++)
			if (strlen(keys[k]) == n && strncmp(set, keys[k], n) == 0)
				sets[overrides.n++] = set;
	}
	overrides.sets = sets;
	return overrides;
}

/* Keys that act on a run under way on every screen. */

bool tp_app_is_measuring(const struct tp_app *app)
{
	return !app->live.replay && tp_live_is_under_way(&app->live);
}

bool tp_app_measures(const struct tp_app *app, const char *path)
{
	return tp_app_is_measuring(app) && strcmp(app->live.directory, path) == 0;
}

static bool is_free(struct tp_app *app)
{
	bool measuring = tp_app_is_measuring(app);
	if (measuring)
		tp_app_say(app, TP_UI_WARN, "a run is under way already; s stops it");
	return !measuring;
}

static void start_now(struct tp_app *app)
{
	tp_app_start(app);
}

static void resume_now(struct tp_app *app)
{
	tp_app_resume(app, app->asking.run_path);
}

/* False, and the first problem is on the screen, where the session cannot be measured. */
static bool passes_check(struct tp_app *app, struct tp_session *session)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	if (tp_session_check(session, &diags) == TP_OK)
		return true;
	if (diags.n)
		tp_app_say_diag(app, &diags.items[0]);
	return false;
}

/* The run directory of a new run holds the preset that is set up. */
bool tp_app_measure_session(struct tp_app *app, struct tp_session *session,
			    void (*again)(struct tp_app *app))
{
	struct tp_keep keep;
	struct tp_diag diag = { 0 };
	char name[64];
	if (!is_free(app))
		return false;
	if (session->machine.foreign && !*session->machine.simulated) {
		tp_app_say(app, TP_UI_WARN,
			   "%s is another machine: it can be planned for, not measured",
			   session->machine.source);
		return false;
	}
	if (!tp_app_may_run(app, &session->preset, again) || !passes_check(app, session))
		return false;
	if (tp_keep_create(&keep, NULL, tp_keep_name(&session->preset, name, sizeof(name)),
			   &session->preset, &diag) != TP_OK) {
		tp_keep_close(&keep);
		tp_app_say_diag(app, &diag);
		return false;
	}
	tp_live_start(&app->live, session, &keep, NULL);
	app_close_runs(app);
	return true;
}

bool tp_app_start(struct tp_app *app)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags ignored = { 0 };
	struct tp_session next;
	if (!is_free(app))
		return false;
	if (app->problems.n) {
		tp_app_say_diag(app, &app->problems.items[0]);
		return false;
	}
	if (!app->session.plan.n) {
		tp_app_say(app, TP_UI_WARN, "no point is set up: choose an experiment in Setup");
		return false;
	}
	/* The current setup is measured as it is; a copy of it may be changed during the run. */
	tp_session_copy(&next, &app->session, &ignored);
	bool started = tp_app_measure_session(app, &app->session, start_now);
	if (started) {
		app->session = next;
		app->watched = true;
		tp_app_go(app, TP_SCREEN_RUN);
	} else {
		tp_session_close(&next);
	}
	return started;
}

bool tp_app_resume(struct tp_app *app, const char *run_path)
{
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	TP_CLEANUP(tp_run_release) struct tp_run earlier = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	TP_CLEANUP(tp_keep_close) struct tp_keep keep = { .journal = -1 };
	struct tp_diag diag;
	if (!is_free(app))
		return false;
	if (tp_session_continue(&session, &keep, &earlier, run_path, &diags) != TP_OK) {
		if (diags.n)
			tp_app_say_diag(app, &diags.items[diags.n - 1]);
		return false;
	}
	if (!tp_app_may_run(app, &session.preset, resume_now)) {
		if (run_path != app->asking.run_path)
			tp_copy(app->asking.run_path, sizeof(app->asking.run_path), run_path);
		return false;
	}
	if (tp_keep_reopen(&keep, &diag) != TP_OK) {
		tp_app_say_diag(app, &diag);
		return false;
	}
	tp_session_estimate(&session, NULL, NULL);
	tp_live_start(&app->live, &session, &keep, &earlier);
	earlier = (struct tp_run){ 0 };
	keep.journal = -1;
	app_close_runs(app);
	app->watched = true;
	tp_app_go(app, TP_SCREEN_RUN);
	return true;
}

static void stop(struct tp_app *app)
{
	tp_live_stop(&app->live);
}

static const struct tp_yes_no ask_stop = { "Stop the run?", "stop", "go on", stop, NULL };

bool tp_control_act(struct tp_app *app, enum tp_action action)
{
	struct tp_live *live = &app->live;
	if (action == TP_ACTION_START)
		return tp_app_start(app), true;
	if (action != TP_ACTION_PAUSE && action != TP_ACTION_SKIP && action != TP_ACTION_STOP &&
	    action != TP_ACTION_FASTER && action != TP_ACTION_SLOWER)
		return false;
	if (!tp_live_is_under_way(live)) {
		tp_app_say(app, TP_UI_PLAIN, "no run is under way");
		return true;
	}
	if (live->state == TP_LIVE_STOPPING) {
		tp_app_say(app, TP_UI_PLAIN, "the run is being stopped");
		return true;
	}
	const bool runs = live->state == TP_LIVE_RUNNING;
	switch (action) {
	case TP_ACTION_PAUSE:
		tp_live_pause(live, runs);
		if (!live->replay && runs)
			tp_app_say(app, TP_UI_PLAIN,
				   live->current >= 0 ? "pauses after this point; p goes on"
						      : "paused; p goes on");
		break;
	case TP_ACTION_SKIP:
		if (live->replay)
			tp_app_say(app, TP_UI_PLAIN, "a replay skips nothing; s goes to its end");
		else if (live->current < 0)
			tp_app_say(app, TP_UI_PLAIN, "no point is being measured");
		else
			tp_live_skip(live);
		break;
	case TP_ACTION_STOP:
		if (live->replay)
			tp_live_stop(live);
		else
			tp_app_ask(app, &ask_stop, "What was measured is saved.");
		break;
	default:
		if (!live->replay)
			tp_app_say(app, TP_UI_PLAIN, "only a replay has a speed");
		else
			tp_live_pace(live, action == TP_ACTION_FASTER);
		break;
	}
	return true;
}

void tp_control_tell_end(const struct tp_app *app)
{
	TP_STR command = { 0 };
	tp_say("the run is in %s", app->live.directory);
	if (strcmp(app->live.run.state, "complete") == 0)
		return;
	tp_keep_resume_command(app->live.directory, &command);
	tp_say_command(tp_str_text(&command));
}

void tp_seen_mix(uint64_t *seen, uint64_t value)
{
	*seen = tp_hash_step(*seen, value);
}

void tp_seen_text(uint64_t *seen, const char *text)
{
	*seen = tp_hash_text(*seen, text);
}

uint64_t tp_seen_runs(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = TP_SEEN_START, over = 0;
	tp_seen_mix(&seen, (uint64_t)app->live.state);
	tp_seen_mix(&seen, app->n_runs);
	tp_seen_text(&seen, tp_app_run_label(app));
	for (size_t i = 0; i < app->n_runs; i++)
		tp_seen_text(&seen, app->runs[i].label);
	if (!run)
		return seen;
	tp_seen_mix(&seen, (uintptr_t)run->facts);
	tp_seen_mix(&seen, run->n_facts);
	tp_seen_mix(&seen, (uintptr_t)run->diags.items);
	tp_seen_mix(&seen, (uintptr_t)run->points);
	for (size_t i = 0; i < run->n_points; i++)
		over += run->points[i].state != TP_POINT_PLANNED;
	tp_seen_mix(&seen, over);
	for (size_t i = 0; i < run->n_parts; i++) {
		/* Rows that come while a point is under way are not results yet. */
		if (run->parts[i].part->measured)
			continue;
		tp_seen_mix(&seen, (uintptr_t)run->parts[i].rows.rows);
		tp_seen_mix(&seen, run->parts[i].rows.n);
	}
	return seen;
}
