/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main loop of the screens: events of the run, and painting that does not disturb it. */
#include "ui/tui/app_frame.h"
#include "ui/tui/app_input.h"
#include "ui/tui/control.h"
#include "ui/tui/screen.h"
#include "base/memory.h"
#include "base/now.h"
#include "record/load.h"
#include "record/roof.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run is painted at most four times a second, the effect of a key at once. */
#define LIVE_PAINT_SECONDS 0.24
/*
 * The screen is painted when the engine waits for it (live.h). An engine that pauses, allocates or
 * stops never waits: then the screen is painted after this time.
 */
#define PATIENCE_SECONDS   0.6
#define WORK_PAINT_SECONDS 0.05
#define MESSAGE_SECONDS	   6.0

const struct tp_screen *const tp_screen_table[TP_SCREEN_COUNT] = {
#define SCREEN_ROW(id, name, ...) [TP_SCREEN_##id] = &tp_screen_##name,
	TP_SCREEN_LIST(SCREEN_ROW)
#undef SCREEN_ROW
};

const struct tp_run *tp_app_run(const struct tp_app *app)
{
	if (app->live.state != TP_LIVE_NONE)
		return &app->live.run;
	return app->n_runs ? &app->runs[0].run : NULL;
}

enum tp_status tp_app_add_dot(struct tp_app *app, const char *text, struct tp_diag *diag)
{
	struct tp_run *run = app->live.state != TP_LIVE_NONE ? &app->live.run
			     : app->n_runs		     ? &app->runs[0].run
							     : NULL;
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
	tp_app_say(app, TP_UI_BAD, "%s%s%s%s%s", diag->where, diag->where[0] ? ": " : "",
		   diag->what, diag->hint[0] ? " - " : "", diag->hint);
}

void tp_app_ask(struct tp_app *app, const char *question,
		void (*answer)(struct tp_app *app, bool yes))
{
	app->question = question;
	app->answer = answer;
	app->dirty = true;
}

static void tell_news(struct tp_app *app)
{
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++)
		if (tp_screen_table[i]->news)
			tp_screen_table[i]->news(app, app->state[i]);
	tp_welcome_news(app);
	app->dirty = true;
}

void tp_app_go(struct tp_app *app, enum tp_screen_id screen)
{
	if (screen == TP_SCREEN_HELP && app->screen != TP_SCREEN_HELP)
		app->before_help = app->screen;
	if (screen == TP_SCREEN_TREE && app->screen < TP_TAB_COUNT && app->screen != screen)
		app->before_tree = app->screen;
	app->screen = screen;
	app->part = 0;
	if (tp_screen_table[screen]->enter)
		tp_screen_table[screen]->enter(app, app->state[screen]);
	app->dirty = true;
}

void tp_app_next(struct tp_app *app, bool forward)
{
	tp_app_go(app, (app->screen + (forward ? 1 : TP_TAB_COUNT - 1)) % TP_TAB_COUNT);
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

void tp_app_close_runs(struct tp_app *app)
{
	for (size_t i = 0; i < app->n_runs; i++)
		tp_run_release(&app->runs[i].run);
	app->n_runs = 0;
	tell_news(app);
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
		tp_app_close_runs(app);
	const char *slash = strrchr(path, '/');
	tp_copy(opened.path, sizeof(opened.path), path);
	tp_copy(opened.label, sizeof(opened.label), slash ? slash + 1 : path);
	app->runs[app->n_runs++] = opened;
	/* The opened run replaces a live one that is over, but not one under way. */
	if (!over && app->live.state == TP_LIVE_DONE) {
		tp_live_release(&app->live);
		tp_live_init(&app->live);
	}
	tell_news(app);
	return TP_OK;
}

/* --- the loop --- */

/*
 * `next_paint`: when the screen may be painted if it is dirty; `work`: seconds until it wants to go
 * on with its work.
 */
static void wait_for_news(struct tp_app *app, double next_paint, double work)
{
	struct pollfd fds[4] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .fd = app->term.signals, .events = POLLIN } };
	int live_fds[2], n = tp_live_descriptors(&app->live, live_fds);
	for (int i = 0; i < n; i++)
		fds[2 + i] = (struct pollfd){ .fd = live_fds[i], .events = POLLIN };
	double now = tp_now_seconds(), wait = work, due = tp_live_due(&app->live, now);
	if (due >= 0)
		wait = fmin(wait, due);
	if (app->dirty)
		wait = fmin(wait, next_paint - now);
	if (app->message[0])
		wait = fmin(wait, app->message_until - now);
	int ms = isfinite(wait) ? (int)(fmax(wait, 0) * 1000 + 0.999) : -1;
	if (poll(fds, (nfds_t)(2 + n), ms) > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
		tp_live_stop(&app->live);
		app->quit = true; /* the terminal is gone */
		app->exit_code = TP_EXIT_INTERRUPTED;
	}
}

/* Lets the shown screen read or compute for a while; returns the seconds until the next time. */
static double work(struct tp_app *app)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	return screen->work ? screen->work(app, app->state[app->screen]) : INFINITY;
}

static void lull(struct tp_app *app)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	if (screen->lull)
		screen->lull(app, app->state[app->screen]);
}

/* When a change of the run may be painted. */
static double paint_due(const struct tp_app *app, double painted, double pace)
{
	bool wait = tp_app_is_measuring(app) && !app->live.moment;
	return painted + (wait ? fmax(pace, PATIENCE_SECONDS) : pace);
}

static void loop(struct tp_app *app)
{
	double painted = 0, pace = LIVE_PAINT_SECONDS;
	app->dirty = true;
	while (!app->quit) {
		bool was_dirty = app->dirty;
		app->dirty = !painted;
		tp_input_take(app);
		bool by_hand = app->dirty;
		app->dirty |= was_dirty;
		double now = tp_now_seconds();
		if (tp_live_take(&app->live, now))
			tell_news(app);
		app->dirty |= tp_live_tick(&app->live, now);
		tp_input_settle(app);
		if (app->message[0] && now > app->message_until) {
			app->message[0] = '\0';
			app->dirty = by_hand = true;
		}
		if (app->live.moment)
			lull(app);
		if (app->dirty && (by_hand || now >= paint_due(app, painted, pace))) {
			tp_frame_paint(app);
			painted = tp_now_seconds();
			pace = LIVE_PAINT_SECONDS;
		} else if (app->live.moment) {
			tp_live_painted(&app->live);
		}
		if (app->quit)
			break;
		was_dirty = app->dirty;
		double again = work(app);
		if (app->dirty && !was_dirty)
			pace = WORK_PAINT_SECONDS;
		wait_for_news(app, paint_due(app, painted, pace), again);
	}
}

static enum tp_status open_all(struct tp_app *app)
{
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++) {
		const struct tp_screen *screen = tp_screen_table[i];
		app->state[i] = calloc(1, screen->state_bytes);
		if (!app->state[i] || (screen->open && !screen->open(app, app->state[i])))
			return TP_NOMEM;
	}
	return TP_OK;
}

static void close_all(struct tp_app *app)
{
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++) {
		if (app->state[i] && tp_screen_table[i]->close)
			tp_screen_table[i]->close(app->state[i]);
		free(app->state[i]);
	}
}

/* The font of the Linux console has no Braille. */
static enum tp_plot_glyphs first_glyphs(const struct tp_term *term)
{
	const char *name = getenv("TERM");
	if (!term->utf8)
		return TP_GLYPHS_ASCII;
	return name && strcmp(name, "linux") == 0 ? TP_GLYPHS_BLOCK : TP_GLYPHS_BRAILLE;
}

static int run_screens(struct tp_app *app, const struct tp_tui_options *options)
{
	struct tp_diag diag = { 0 };
	struct tp_look look;
	char path[TP_PATH_MAX];
	tp_live_init(&app->live);
	/* Setup shows why something cannot be planned. */
	struct tp_diags diags = { 0 };
	enum tp_status status =
		tp_session_open(&app->session, &options->overrides, NULL, false, &diags);
	tp_complain_all(&diags);
	tp_diags_release(&diags);
	if (status != TP_OK)
		goto out;
	status = tp_session_machine(&app->session, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		goto out;
	}
	if (options->replay)
		status = tp_run_find(options->replay, path, &diag);
	if (status == TP_OK)
		tp_look_init(&look, &options->look, STDOUT_FILENO);
	if (status == TP_OK)
		status = tp_term_open(&app->term, look.colour, options->look.ascii,
				      !options->no_mouse, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		goto out;
	}
	app->term.cuts = &app->cuts;
	tp_theme_start(&app->term);
	app->glyphs = first_glyphs(&app->term);
	status = open_all(app);
	if (status == TP_OK && options->replay) {
		status = tp_live_replay(&app->live, path, options->speed, &diag);
		app->screen = TP_SCREEN_RUN;
	}
	if (status == TP_OK && tp_welcome_is_due(app))
		tp_welcome_greet(app);
	if (status == TP_OK) {
		loop(app);
		tp_control_wait(app);
	}
	tp_term_close(&app->term);
	if (status != TP_OK)
		tp_complain(&diag);
	if (app->live.state != TP_LIVE_NONE && !app->live.replay && app->live.directory[0])
		tp_control_tell_end(app);
out:
	close_all(app);
	tp_live_release(&app->live);
	for (size_t i = 0; i < app->n_runs; i++)
		tp_run_release(&app->runs[i].run);
	tp_diags_release(&app->problems);
	tp_consent_release(&app->consent);
	tp_whole_release(&app->whole);
	tp_welcome_release(&app->welcome);
	tp_found_release(&app->found);
	tp_session_close(&app->session);
	return status == TP_OK ? app->exit_code : (int)tp_status_exit(status);
}

int tp_tui_main(const struct tp_tui_options *options)
{
	/* Not on the stack, which may be small. */
	struct tp_app *app = calloc(1, sizeof(*app));
	if (!app) {
		struct tp_diag diag;
		tp_fail(&diag, TP_NOMEM, "screens", NULL, "out of memory");
		tp_complain(&diag);
		return TP_EXIT_RESOURCE;
	}
	app->options = options;
	app->screen = TP_SCREEN_SETUP;
	int code = run_screens(app, options);
	free(app);
	return code;
}
