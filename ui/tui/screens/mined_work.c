/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the screen Tree learns: in a thread, first the tree and then the forest. While a run is
 * measured only the tree is, and only when the engine waits for the screen.
 */
#include "ui/tui/screens/mined.h"
#include "base/now.h"
#include "mining/say.h"
#include "ui/tui/control.h"
#include "ui/tui/seen.h"

#include <math.h>
#include <string.h>

/* How often it is looked whether the thread is done. */
#define POLL_SECONDS 0.02
/* A run that grows is learned from at most once in this time, and for at most this share of it. */
#define LIVE_SECONDS 1.0
#define LIVE_SHARE   0.02
/* An engine that has not waited for so long pauses or allocates: then nothing is disturbed. */
#define PATIENCE_SECONDS 2.0

const struct tp_mining *tp_mined_result(const struct tp_mined_screen *s)
{
	return s->learned && s->learned->status == TP_OK ? &s->learned->mining : NULL;
}

/* Shows what was learned. Cuts that the user has moved meanwhile stay where they are. */
static void take(struct tp_app *app, struct tp_mined_screen *s, struct tp_learned *learned)
{
	tp_learned_free(s->learned);
	s->learned = learned;
	s->learned_at = tp_now_seconds();
	s->written = false;
	const struct tp_mining *m = tp_mined_result(s);
	tp_mined_fill_outline(s);
	if (!m)
		s->cuts = (struct tp_mined_cuts){ 0 };
	else if (learned->version == s->wishes.version)
		tp_mined_cuts_take(&s->cuts, m);
	struct tp_picture *picture = tp_plot_renew(&s->density);
	if (picture && !(m && m->continuous && tp_mine_picture_density(picture, m)))
		tp_plot_drop(&s->density);
	app->dirty = true;
}

void tp_mined_look(struct tp_app *app, struct tp_mined_screen *s)
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

/* The tree of the run as it is now; NULL when out of memory. */
static struct tp_learned *read_run(const struct tp_app *app, struct tp_mined_screen *s, bool whole)
{
	s->stale = false;
	return tp_learned_new(tp_app_run(app), &s->wishes, whole);
}

void tp_mined_lull(struct tp_app *app, void *state)
{
	struct tp_mined_screen *s = state;
	if (!is_measured(app) || s->learner.under_way || !(s->stale || is_asked(s)) ||
	    pace_left(s) > 0)
		return;
	double begun = tp_now_seconds();
	struct tp_learned *learned = read_run(app, s, false);
	if (!learned)
		return;
	tp_learned_make(learned);
	learned->seconds = tp_now_seconds() - begun;
	take(app, s, learned);
}

static double start(const struct tp_app *app, struct tp_mined_screen *s, bool whole)
{
	struct tp_learned *learned = read_run(app, s, whole);
	if (!learned)
		return INFINITY;
	tp_learner_start(&s->learner, learned);
	return POLL_SECONDS;
}

double tp_mined_work(struct tp_app *app, void *state)
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
	/* A tree is there at once; a forest that nobody wants any more is not waited for. */
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
