/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cluster: the user's cluster runs, and the nodes of one as a table that lives. What is asked of
 * schedulers is asked in a thread (cluster_work.c).
 */
#include "ui/tui/screens/cluster_view.h"
#include "base/now.h"
#include "base/vec.h"
#include "session/code.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tp_cluster_brief *tp_cluster_chosen(const struct tp_cluster_view *s)
{
	return s->runs.at < s->n_briefs ? &s->briefs[s->runs.at] : NULL;
}

const struct tp_shot_node *tp_cluster_chosen_node(const struct tp_cluster_view *s)
{
	return s->nodes.at < s->n_shown ? &s->shot->nodes[s->shown[s->nodes.at]] : NULL;
}

/* The user's runs have different names; their folder may have several paths. */
static bool is_of(const struct tp_cluster_shot *shot, const struct tp_cluster_brief *brief)
{
	return strcmp(shot->name, brief->directory) == 0;
}

const struct tp_cluster_shot *tp_cluster_chosen_shot(const struct tp_cluster_view *s)
{
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	return brief && s->shot && is_of(s->shot, brief) ? s->shot : NULL;
}

void tp_cluster_path(const struct tp_cluster_view *s, const struct tp_cluster_brief *brief,
		     char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%.*s/%s", TP_PATH_MAX - TP_CLUSTER_NAME_BYTES - 2, s->folder,
		 brief->directory);
}

bool tp_cluster_is_over(const struct tp_cluster_shot *shot)
{
	return shot->sums.n_ended == shot->sums.n;
}

/* --- actions --- */

bool tp_cluster_do(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	const struct tp_cluster_job *now = s->worker.under_way;
	bool busy = s->worker.next || (now && now->task > TP_CLUSTER_NODE);
	if (busy || !job) {
		tp_app_say(app, TP_UI_WARN,
			   job ? "the last action is still under way" : "out of memory");
		tp_cluster_job_free(job);
		return false;
	}
	tp_cluster_worker_do(&s->worker, job);
	return true;
}

/* A job about the run under the cursor; NULL, and words, where there is none. */
static struct tp_cluster_job *about_chosen(struct tp_app *app, const struct tp_cluster_view *s,
					   enum tp_cluster_task task)
{
	char path[TP_PATH_MAX];
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	if (!brief || !tp_cluster_chosen_shot(s)) {
		tp_app_say(app, TP_UI_PLAIN, brief ? "it cannot be read" : "r begins a new one");
		return NULL;
	}
	tp_cluster_path(s, brief, path);
	return tp_cluster_job_new(task, path);
}

static void answer(struct tp_app *app, bool yes)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = s->asked;
	s->asked = NULL;
	if (!yes) {
		tp_cluster_job_free(job);
		return;
	}
	tp_cluster_do(app, s, job);
}

static void ask(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	tp_cluster_job_free(s->asked);
	s->asked = job;
	tp_app_ask(app, s->question, answer);
}

/*
 * Adds to the question what the act would do. Nobody agrees to what is not shown: where the list is
 * too long, the job is freed, and the words name the option.
 */
static bool add_act(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job,
		    enum tp_cluster_act act)
{
	const struct tp_cluster_shot *shot = s->shot;
	const char *list = tp_str_text(&shot->acts[act]);
	size_t len = strlen(s->question);
	bool fits = len + strlen(list) + 16 < sizeof(s->question);
	if (!shot->words[act])
		return true;
	if (!fits && !app->options->allow_code) {
		tp_app_say(app, TP_UI_WARN,
			   "what it does is too long to be shown here; start tprof with "
			   "--allow-code if you trust %.200s",
			   shot->name);
		tp_cluster_job_free(job);
		return false;
	}
	job->agreed = shot->words[act];
	if (fits)
		snprintf(s->question + len, sizeof(s->question) - len, " This %s.", list);
	return true;
}

static void collect(struct tp_app *app, struct tp_cluster_view *s)
{
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_COLLECT);
	if (!job)
		return;
	snprintf(s->question, sizeof(s->question), "Collect %.200s?", s->shot->name);
	if (!add_act(app, s, job, TP_ACT_COLLECT))
		return;
	if (job->agreed && !app->options->allow_code)
		ask(app, s, job);
	else if (tp_cluster_do(app, s, job))
		tp_app_say(app, TP_UI_PLAIN, "merging what the nodes have");
}

static void cancel(struct tp_app *app, struct tp_cluster_view *s)
{
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_CANCEL);
	if (!job)
		return;
	if (tp_cluster_is_over(s->shot)) {
		tp_app_say(app, TP_UI_PLAIN, "all its nodes have ended");
		tp_cluster_job_free(job);
		return;
	}
	snprintf(s->question, sizeof(s->question),
		 "Cancel %.200s? %zu of its nodes have not ended. What they measured stays.",
		 s->shot->name, s->shot->sums.n - s->shot->sums.n_ended);
	if (add_act(app, s, job, TP_ACT_CANCEL))
		ask(app, s, job);
}

/* The preset lies in the run's directory, which may be a stranger's. */
static void ask_resume(struct tp_app *app)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_RESUME);
	struct tp_preset preset = { 0 };
	struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX + 16];
	if (!job)
		return;
	snprintf(path, sizeof(path), "%s/preset.yaml", job->directory);
	enum tp_status status = tp_session_preset(&preset, NULL, path, &diags);
	if (status != TP_OK && diags.n)
		tp_app_say_diag(app, &diags.items[0]);
	bool may = status == TP_OK && tp_consent_for(app, &preset, ask_resume);
	job->order.allow_code = may && tp_session_code(&preset, false, &diags) > 0;
	tp_diags_release(&diags);
	tp_preset_release(&preset);
	if (!may) {
		tp_cluster_job_free(job);
		return;
	}
	size_t n = s->shot->sums.n - s->shot->sums.of_state[TP_NODE_DONE];
	snprintf(s->question, sizeof(s->question),
		 "Measure what %zu node%s of %.150s lack%s, with %.200s?", n, n == 1 ? "" : "s",
		 s->shot->name, n == 1 ? "s" : "", s->shot->program);
	if (add_act(app, s, job, TP_ACT_RESUME))
		ask(app, s, job);
}

static void resume(struct tp_app *app, struct tp_cluster_view *s)
{
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	if (shot && shot->sums.of_state[TP_NODE_DONE] == shot->sums.n)
		tp_app_say(app, TP_UI_WARN, "every node has every point");
	else if (shot && shot->shared && !tp_cluster_is_over(shot))
		tp_app_say(app, TP_UI_WARN, "its job still waits or runs; s cancels it");
	else
		ask_resume(app);
}

static void open_run(struct tp_app *app, const char *path, const char *label)
{
	if (tp_app_open_run(app, path, false) != TP_OK)
		return;
	snprintf(app->runs[0].label, sizeof(app->runs[0].label), "%.*s",
		 (int)sizeof(app->runs[0].label) - 1, label);
	if (app->live.state != TP_LIVE_NONE)
		tp_app_say(app, TP_UI_WARN,
			   "a run is under way and stays; the opened one is drawn over it");
	tp_app_go(app, tp_shown_screen(&app->runs[0].run));
}

static void open_merged(struct tp_app *app, const struct tp_cluster_view *s)
{
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	char path[TP_PATH_MAX + 16];
	if (!shot || !shot->n_groups) {
		tp_app_say(app, TP_UI_PLAIN, "c merges what the nodes have; then v opens it");
		return;
	}
	/* Unlike nodes are in runs of their own: that of the node under the cursor. */
	const struct tp_shot_node *node = tp_cluster_chosen_node(s);
	unsigned group = app->part == TP_CLUSTER_NODES && node && node->group ? node->group : 1;
	snprintf(path, sizeof(path), group > 1 ? "%s/merged-%u" : "%s/merged", shot->directory,
		 group);
	open_run(app, path, shot->name);
}

static void open_node(struct tp_app *app, struct tp_cluster_view *s)
{
	const struct tp_shot_node *node = tp_cluster_chosen_node(s);
	struct tp_cluster_job *job = node ? about_chosen(app, s, TP_CLUSTER_NODE) : NULL;
	if (!job)
		return;
	tp_copy(job->node, sizeof(job->node), node->name);
	tp_cluster_do(app, s, job);
}

static bool act_on_told(struct tp_app *app, struct tp_cluster_view *s, enum tp_action action)
{
	char path[TP_PATH_MAX + TP_NODE_NAME_BYTES + 16];
	if (tp_list_scroll(&s->doc_list, action))
		return true;
	if (action == TP_ACTION_BACK) {
		bool plan = s->over == TP_CLUSTER_PLAN;
		tp_cluster_untell(s);
		s->over = plan ? TP_CLUSTER_FORM : TP_CLUSTER_BARE;
		return true;
	}
	if (action != TP_ACTION_CLUSTER_OPEN)
		return false;
	if (s->over == TP_CLUSTER_PLAN) {
		tp_cluster_ask_submit(app, s);
	} else if (!s->told->has_run) {
		tp_app_say(app, TP_UI_PLAIN, "this node has no run yet");
	} else {
		snprintf(path, sizeof(path), "%s/nodes/%s", s->told->directory, s->told->node);
		open_run(app, path, s->told->node);
	}
	return true;
}

static bool move(struct tp_app *app, struct tp_cluster_view *s, enum tp_action action)
{
	size_t at = s->runs.at;
	if (app->part == TP_CLUSTER_NODES)
		return tp_list_act(&s->nodes, action);
	if (!tp_list_act(&s->runs, action))
		return false;
	if (s->runs.at != at) {
		s->moved = tp_now_seconds();
		s->troubled = s->merge_due = false;
		s->trouble = (struct tp_diag){ 0 };
	}
	return true;
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_cluster_view *s = state;
	if (s->over == TP_CLUSTER_PLAN || s->over == TP_CLUSTER_TOLD)
		return act_on_told(app, s, action);
	if (move(app, s, action))
		return true;
	switch (action) {
	case TP_ACTION_CLUSTER_OPEN:
		if (app->part == TP_CLUSTER_NODES)
			open_node(app, s);
		else if (tp_cluster_chosen_shot(s))
			app->part = TP_CLUSTER_NODES;
		return true;
	case TP_ACTION_CLUSTER_START:
		tp_cluster_form_open(app, s);
		return true;
	case TP_ACTION_CLUSTER_MERGED:
		open_merged(app, s);
		return true;
	case TP_ACTION_CLUSTER_COLLECT:
		collect(app, s);
		return true;
	case TP_ACTION_CLUSTER_CANCEL:
		cancel(app, s);
		return true;
	case TP_ACTION_RESUME:
		resume(app, s);
		return true;
	case TP_ACTION_SORT:
		s->order = (s->order + 1) % TP_NODE_ORDER_COUNT;
		tp_cluster_choose_again(s);
		return true;
	case TP_ACTION_FILTER:
		if (tp_cluster_chosen_shot(s)) {
			app->part = TP_CLUSTER_NODES;
			s->filter.typing = true;
		}
		return true;
	default:
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_cluster_view *s = state;
	bool changed;
	if (s->over == TP_CLUSTER_FORM)
		return tp_cluster_form_key(app, s, code);
	if (s->over != TP_CLUSTER_BARE)
		return false;
	bool taken = tp_filter_type(&s->filter, code, &changed);
	if (changed)
		tp_cluster_choose_again(s);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_cluster_view *s = state;
	(void)area;
	if (s->over == TP_CLUSTER_PLAN || s->over == TP_CLUSTER_TOLD)
		tp_list_wheel(&s->doc_list, tp_list_wheel_rows(input));
	if (s->over != TP_CLUSTER_BARE)
		return;
	if (s->runs.rows && tp_area_holds(s->runs.area, input->row, input->column)) {
		size_t at = s->runs.at;
		enum tp_list_event event = tp_list_mouse(&s->runs, input);
		if (s->runs.at != at)
			s->moved = tp_now_seconds();
		app->part = event == TP_LIST_OPENED ? TP_CLUSTER_NODES : TP_CLUSTER_RUNS;
	} else if (tp_area_holds(s->nodes.area, input->row, input->column)) {
		enum tp_list_event event = tp_list_mouse(&s->nodes, input);
		if (event != TP_LIST_MISSED)
			app->part = TP_CLUSTER_NODES;
		if (event == TP_LIST_OPENED)
			open_node(app, s);
	}
}

/* --- the screen --- */

static void close_screen(void *state)
{
	struct tp_cluster_view *s = state;
	tp_cluster_worker_release(&s->worker);
	tp_cluster_job_free(s->told);
	tp_cluster_job_free(s->asked);
	tp_cluster_shot_free(s->shot);
	tp_cluster_form_release(&s->form);
	tp_doc_release(&s->doc);
	free(s->briefs);
	free(s->shown);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_cluster_view *s = state;
	(void)app;
	s->listed = s->troubled = false;
	s->looked_at = 0;
	s->pause = 0;
	tp_path_user_data("runs", s->folder, &s->problem);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_cluster_view *s = state;
	(void)app;
	return s->over == TP_CLUSTER_FORM || s->filter.typing ? TP_OVER_BOX
	       : s->over == TP_CLUSTER_BARE		      ? TP_OVER_NOTHING
							      : TP_OVER_TEXT;
}

const struct tp_screen tp_screen_cluster = {
	.state_bytes = sizeof(struct tp_cluster_view),
	.close = close_screen,
	.enter = enter,
	.draw = tp_cluster_paint,
	.act = act,
	.type = type,
	.over = over,
	.parts = tp_cluster_parts,
	.mouse = mouse,
	.work = tp_cluster_work,
};
