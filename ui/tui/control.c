/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys that act on a run under way on every screen. */
#include "ui/tui/control.h"

#include "base/now.h"
#include "record/load.h"
#include "session/keep.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

bool tp_app_is_measuring(const struct tp_app *app)
{
	return !app->live.replay && tp_live_is_under_way(&app->live);
}

static bool begun(struct tp_app *app, enum tp_status status, const struct tp_diag *diag)
{
	if (status == TP_OK)
		tp_app_close_runs(app);
	else
		tp_app_say_diag(app, diag);
	return status == TP_OK;
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
	tp_app_resume(app, app->consent.run_path);
}

bool tp_app_measure_session(struct tp_app *app, const struct tp_session *session,
			    void (*again)(struct tp_app *app))
{
	struct tp_diag diag = { 0 };
	if (!is_free(app))
		return false;
	if (session->machine.foreign && !*session->machine.simulated) {
		tp_app_say(app, TP_UI_WARN,
			   "%s is another machine: it can be planned for, not measured",
			   session->machine.source);
		return false;
	}
	/* The child asks nobody again. */
	if (!tp_consent_for(app, &session->preset, again))
		return false;
	enum tp_status status =
		tp_live_start(&app->live, &session->preset, &session->machine, true, &diag);
	if (status == TP_OK)
		tp_live_expect(&app->live, &session->plan);
	return begun(app, status, &diag);
}

bool tp_app_start(struct tp_app *app)
{
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
	bool started = tp_app_measure_session(app, &app->session, start_now);
	if (started)
		tp_app_go(app, TP_SCREEN_RUN);
	return started;
}

/* Plans a stored run again, as --resume does. Where that fails, the run itself says why. */
static bool plan_again(const char *run_path, struct tp_session *session)
{
	struct tp_diags ignored = { 0 };
	struct tp_run stored;
	if (tp_run_load(&stored, run_path, NULL) != TP_OK)
		return false;
	enum tp_status status = tp_session_reopen(session, run_path, &stored, &ignored);
	if (status == TP_OK)
		tp_session_estimate(session, NULL, NULL);
	tp_diags_release(&ignored);
	tp_run_release(&stored);
	return status == TP_OK;
}

bool tp_app_resume(struct tp_app *app, const char *run_path)
{
	struct tp_session session = { 0 };
	struct tp_diag diag = { 0 };
	if (!is_free(app))
		return false;
	bool planned = plan_again(run_path, &session);
	if (planned && !tp_consent_for(app, &session.preset, resume_now)) {
		if (run_path != app->consent.run_path)
			tp_copy(app->consent.run_path, sizeof(app->consent.run_path), run_path);
		tp_session_close(&session);
		return false;
	}
	enum tp_status status =
		tp_live_resume(&app->live, run_path, &app->session.machine, planned, &diag);
	if (status == TP_OK && planned)
		tp_live_expect(&app->live, &session.plan);
	tp_session_close(&session);
	bool started = begun(app, status, &diag);
	if (started)
		tp_app_go(app, TP_SCREEN_RUN);
	return started;
}

static void answer_stop(struct tp_app *app, bool yes)
{
	if (yes)
		tp_live_stop(&app->live);
}

static void pause_or_go(struct tp_app *app)
{
	bool pause = app->live.state == TP_LIVE_RUNNING;
	tp_live_pause(&app->live, pause);
	if (!app->live.replay && pause)
		tp_app_say(app, TP_UI_PLAIN,
			   app->live.current >= 0 ? "pauses after this point; p goes on"
						  : "paused; p goes on");
}

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
	switch (action) {
	case TP_ACTION_PAUSE:
		pause_or_go(app);
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
			tp_app_ask(app, "Stop the run? What was measured is saved.", answer_stop);
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

void tp_control_wait(struct tp_app *app)
{
	enum { SECONDS = 20, STEP_MS = 50 };
	double until = tp_now_seconds() + SECONDS;
	while (tp_app_is_measuring(app) && tp_now_seconds() < until) {
		int fds[2], n = tp_live_descriptors(&app->live, fds);
		struct pollfd p[2];
		for (int i = 0; i < n; i++)
			p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
		poll(p, (nfds_t)n, STEP_MS);
		tp_live_take(&app->live, tp_now_seconds());
	}
}

void tp_control_tell_end(const struct tp_app *app)
{
	struct tp_str command = { 0 };
	tp_say("the run is in %s", app->live.directory);
	if (strcmp(app->live.run.state, "complete") == 0)
		return;
	tp_keep_resume_command(app->live.directory, &command);
	tp_say_command(tp_str_text(&command));
	tp_str_release(&command);
}
