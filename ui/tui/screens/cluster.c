/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cluster: the user's cluster runs, and the nodes of one as a live table. A thread queries the
 * schedulers (cluster_work.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/now.h"
#include "session/session.h"
#include "ui/tui/app.h"
#include "ui/tui/screens/cluster_view.h"
#include "ui/tui/shown.h"

/* --- between keys: what jobs have found, and which job comes next --- */

/* How often it is looked whether a job is over. */
#define POLL_SECONDS 0.04
/* A run is read when the cursor rests on it for this time. */
#define REST_SECONDS 0.06
/* Nodes here and over ssh; a scheduler is polled less often the longer it runs. */
#define LOOK_SECONDS	  1.0
#define SCHEDULER_SECONDS 5.0
#define LIST_SECONDS	  5.0

static void run_path(const struct tp_cluster_view *s, const struct tp_cluster_brief *brief,
		     char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%.*s/%s", TP_PATH_MAX - TP_CLUSTER_NAME_BYTES - 2, s->folder,
		 brief->directory);
}

/* --- the nodes that are shown --- */

static double key_of(const struct tp_cluster_shot *shot, size_t i, enum tp_node_order order)
{
	/* What needs a look comes first. */
	static const int ranks[TP_NODE_STATE_COUNT] = {
		[TP_NODE_FAILED] = 0,	 [TP_NODE_UNREACHABLE] = 1, [TP_NODE_PARTIAL] = 2,
		[TP_NODE_CANCELLED] = 3, [TP_NODE_RUNNING] = 4,	    [TP_NODE_WAITING] = 5,
		[TP_NODE_DONE] = 6
	};
	const struct tp_cluster_node *node = &shot->is.nodes[i];
	double share = node->n_points ? (double)node->n_done / node->n_points : 0;
	return order == TP_NODE_BY_STATE    ? ranks[node->state]
	       : order == TP_NODE_BY_POINTS ? share
	       : order == TP_NODE_BY_SPEED
		       ? isnan(shot->rows[i].speed) ? INFINITY : shot->rows[i].speed
		       : 0;
}

static int by_order(const void *x, const void *y, void *context)
{
	const struct tp_cluster_view *s = context;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;
	double a = key_of(s->shot, i, s->order), b = key_of(s->shot, k, s->order);
	/* The nodes are sorted by name. */
	return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

/* Filters and sorts. The cursor stays on its node if that is still shown. */
static void choose(struct tp_cluster_view *s)
{
	const struct tp_cluster_shot *shot = s->shot;
	const size_t n = shot ? shot->is.n_nodes : 0;
	TP_FREE size_t *shown = tp_alloc(n + 1, sizeof(*shown));
	size_t n_shown = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tp_cluster_node *node = &shot->is.nodes[i];
		const char *const texts[] = { node->name, tp_node_state_name(node->state),
					      node->why, shot->rows[i].why,
					      tp_node_outlier_name(shot->rows[i].outlier) };
		if (tp_filter_match(&s->filter, texts, TP_COUNT_OF(texts)))
			shown[n_shown++] = i;
	}
	if (n_shown)
		qsort_r(shown, n_shown, sizeof(*shown), by_order, s);
	tp_gridview_show(&s->nodes, shown, n_shown);
}

/* --- what jobs find --- */

static void take_list(const struct tp_app *app, struct tp_cluster_view *s,
		      struct tp_cluster_job *job)
{
	char on[TP_CLUSTER_NAME_BYTES] = "";
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	if (job->status == TP_CANCELLED)
		return;
	if (brief)
		tp_copy(on, sizeof(on), brief->directory);
	if (*s->wanted)
		tp_copy(on, sizeof(on), s->wanted);
	s->wanted[0] = '\0';
	s->listed = true;
	s->listed_at = tp_now_seconds();
	s->problem = job->status == TP_OK ? (struct tp_diag){ 0 } : job->diag;
	free(s->briefs);
	s->briefs = job->briefs;
	s->n_briefs = job->n_briefs;
	job->briefs = NULL;
	tp_cluster_show_runs(app, s);
	for (size_t i = 0; *on && i < s->n_briefs; i++)
		if (strcmp(s->briefs[i].directory, on) == 0)
			tp_gridview_go(&s->runs, i);
}

static void tell_end(struct tp_app *app, struct tp_cluster_view *s,
		     const struct tp_cluster_job *job)
{
	const struct tp_cluster_shot *shot = job->shot;
	s->listed = false;
	if (job->status != TP_OK) {
		tp_app_say_diag(app, &job->diag);
		return;
	}
	size_t n_cancelled = shot ? shot->sums.of_state[TP_NODE_CANCELLED] : 0;
	switch (job->task) {
	case TP_CLUSTER_SUBMIT:
		tp_copy(s->wanted, sizeof(s->wanted), shot ? shot->name : "");
		/* fall through */
	case TP_CLUSTER_RESUME:
		tp_app_say(app, TP_UI_GOOD, "submitted; the nodes go on when tprof is left");
		break;
	case TP_CLUSTER_COLLECT:
		/* Its remarks are shown if there are any. */
		if (*job->diag.what)
			tp_app_say(app, TP_UI_WARN, "merged; v opens it. %s: %s", job->diag.where,
				   job->diag.what);
		else
			tp_app_say(app, TP_UI_GOOD, "merged; v opens the nodes as one run");
		break;
	default:
		tp_app_say(app, TP_UI_PLAIN, "%zu node%s cancelled; what they measured stays",
			   n_cancelled, n_cancelled == 1 ? "" : "s");
		break;
	}
}

static void take(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	app->dirty = true;
	s->looked_at = tp_now_seconds();
	switch (job->task) {
	case TP_CLUSTER_LIST:
		take_list(app, s, job);
		break;
	case TP_CLUSTER_READ:
	case TP_CLUSTER_LOOK:
		/* A launcher that does not answer is polled again later. */
		if (job->status != TP_CANCELLED) {
			s->trouble = job->status == TP_OK ? (struct tp_diag){ 0 } : job->diag;
			s->troubled = job->status != TP_OK && !job->shot;
			bool slow = job->status != TP_OK || (job->shot && job->shot->is.shared);
			s->pause =
				slow ? fmin(fmax(s->pause, LOOK_SECONDS) * 1.5, SCHEDULER_SECONDS)
				     : LOOK_SECONDS;
		}
		break;
	case TP_CLUSTER_NODE:
	case TP_CLUSTER_DESCRIBE:
		if (job->status == TP_OK) {
			tp_cluster_tell(s, job);
			return;
		}
		if (job->task == TP_CLUSTER_DESCRIBE && s->over == TP_CLUSTER_FORM)
			s->form.diag = job->diag;
		else
			tp_app_say_diag(app, &job->diag);
		break;
	default:
		tell_end(app, s, job);
		break;
	}
	if (job->shot) {
		struct tp_cluster_shot *old = s->shot, *shot = job->shot;
		struct tp_grid grid;
		bool same = old && strcmp(old->is.directory, shot->is.directory) == 0;
		if (!same) {
			tp_gridview_release(&s->nodes);
			s->pause = LOOK_SECONDS;
		}
		/* As the command that submits does at its end. */
		if (same && old->asked && !tp_cluster_is_over(old) && tp_cluster_is_over(shot) &&
		    shot->sums.n_done)
			s->merge_due = true;
		s->shot = shot;
		job->shot = NULL;
		tp_nodes_grid(shot->is.nodes, shot->rows, shot->is.n_nodes, &grid);
		tp_gridview_take(&s->nodes, &grid, app->term.utf8);
		choose(s);
		tp_cluster_show_runs(app, s);
		tp_cluster_shot_free(old);
	}
	tp_cluster_job_free(job);
}

/* --- work --- */

static double start(struct tp_cluster_view *s, enum tp_cluster_task task, const char *directory)
{
	tp_cluster_worker_do(&s->worker, tp_cluster_job_new(task, directory));
	return POLL_SECONDS;
}

static double look_on(struct tp_app *app, void *state)
{
	struct tp_cluster_view *s = state;
	char path[TP_PATH_MAX];
	struct tp_cluster_job *job = tp_cluster_worker_take(&s->worker);
	if (job)
		take(app, s, job);
	if (s->worker.under_way)
		return POLL_SECONDS;
	double now = tp_now_seconds();
	/* What is measured here is disturbed as little as can be. */
	bool measuring = tp_app_is_measuring(app);
	if (!s->listed || (!measuring && now > s->listed_at + LIST_SECONDS))
		return start(s, TP_CLUSTER_LIST, "");
	double rest = measuring ? INFINITY : s->listed_at + LIST_SECONDS - now;
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	if (!brief)
		return rest;
	run_path(s, brief, path);
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	if (!shot && s->troubled)
		return rest;
	if (!shot && s->moved + REST_SECONDS > now)
		return s->moved + REST_SECONDS - now;
	if (!shot)
		return start(s, TP_CLUSTER_READ, path);
	/* The nodes' remaining results are fetched at the user's command. */
	const bool merge = s->merge_due && !shot->acts[TP_ACT_COLLECT].n;
	s->merge_due = false;
	if (merge)
		return start(s, TP_CLUSTER_COLLECT, path);
	double pause = tp_cluster_is_over(shot) || measuring ? SCHEDULER_SECONDS : s->pause;
	double due = shot->asked || *s->trouble.what ? s->looked_at + pause - now : 0;
	return due > 0 ? fmin(rest, due) : start(s, TP_CLUSTER_LOOK, path);
}

/* --- actions --- */

/* A job about the run under the cursor; NULL, and a message, without one. */
static struct tp_cluster_job *about_chosen(struct tp_app *app, const struct tp_cluster_view *s,
					   enum tp_cluster_task task)
{
	char path[TP_PATH_MAX];
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	if (!brief || !tp_cluster_chosen_shot(s)) {
		tp_app_say(app, TP_UI_PLAIN, brief ? "it cannot be read" : "r begins a new one");
		return NULL;
	}
	run_path(s, brief, path);
	return tp_cluster_job_new(task, path);
}

static void agree(struct tp_app *app)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = s->asked;
	s->asked = NULL;
	tp_cluster_do(app, s, job);
}

/* A user who has agreed to its actions is not asked again. */
static bool must_ask(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	if (app->asking.agreed) {
		tp_cluster_do(app, s, job);
		return false;
	}
	tp_cluster_job_free(s->asked);
	s->asked = job;
	return true;
}

/*
 * True if the job about the chosen run may do the act, with the code of its preset (NULL: none).
 * False: the job is freed, and `begin` is called once the user agrees.
 */
static bool may(struct tp_app *app, struct tp_cluster_job *job, enum tp_cluster_act act,
		const struct tp_preset *preset, void (*begin)(struct tp_app *app))
{
	const struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	const struct tp_consent *acts = &s->shot->acts[act];
	struct tp_consent all = { 0 };
	if (preset)
		tp_consent_add_preset(&all, preset, false);
	job->wish.allow_code = all.n > 0;
	if (acts->n) {
		job->agreed = acts->acts[0].sum;
		tp_consent_add(&all, acts->acts[0].where, "%s", tp_str_text(&acts->acts[0].what))
			->sum = job->agreed;
	}
	bool yes = tp_app_may(app, &all, begin);
	if (!yes)
		tp_cluster_job_free(job);
	return yes;
}

static void collect(struct tp_app *app)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_COLLECT);
	if (job && may(app, job, TP_ACT_COLLECT, NULL, collect) && tp_cluster_do(app, s, job))
		tp_app_say(app, TP_UI_PLAIN, "merging what the nodes have");
}

static void cancel(struct tp_app *app)
{
	static const struct tp_yes_no ask = { "Cancel the cluster run?", "cancel it", "go on",
					      agree, NULL };
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_CANCEL);
	if (!job)
		return;
	if (tp_cluster_is_over(s->shot)) {
		tp_app_say(app, TP_UI_PLAIN, "all its nodes have ended");
		tp_cluster_job_free(job);
		return;
	}
	if (!may(app, job, TP_ACT_CANCEL, NULL, cancel))
		return;
	if (must_ask(app, s, job))
		tp_app_ask(app, &ask,
			   "%s\n%zu of its nodes have not ended. What they measured stays.",
			   s->shot->name, s->shot->sums.n - s->shot->sums.n_ended);
}

/* The preset lies in the run's directory, which may be foreign. */
static void ask_resume(struct tp_app *app)
{
	static const struct tp_yes_no ask = { "Measure what is missing?", "begin", "not now", agree,
					      NULL };
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	struct tp_cluster_job *job = about_chosen(app, s, TP_CLUSTER_RESUME);
	TP_CLEANUP(tp_preset_release) struct tp_preset preset = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX + 16];
	if (!job)
		return;
	snprintf(path, sizeof(path), "%s/preset.yaml", job->directory);
	if (tp_session_preset(&preset, NULL, path, &diags) != TP_OK) {
		if (diags.n)
			tp_app_say_diag(app, &diags.items[0]);
		tp_cluster_job_free(job);
		return;
	}
	if (!may(app, job, TP_ACT_RESUME, &preset, ask_resume))
		return;
	size_t n = s->shot->sums.n - s->shot->sums.of_state[TP_NODE_DONE];
	if (must_ask(app, s, job))
		tp_app_ask(app, &ask, "%s\nwhat %zu node%s lack%s, with %s", s->shot->name, n,
			   n == 1 ? "" : "s", n == 1 ? "s" : "", s->shot->is.program);
}

static void resume(struct tp_app *app, struct tp_cluster_view *s)
{
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	if (shot && shot->sums.of_state[TP_NODE_DONE] == shot->sums.n)
		tp_app_say(app, TP_UI_WARN, "every node has every point");
	else if (shot && shot->is.shared && !tp_cluster_is_over(shot))
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
	tp_app_go_result(app);
}

static void open_merged(struct tp_app *app, const struct tp_cluster_view *s)
{
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	char path[TP_PATH_MAX + 16];
	if (!shot || !shot->n_groups) {
		tp_app_say(app, TP_UI_PLAIN, "c merges what the nodes have; then v opens it");
		return;
	}
	/* Different nodes are in separate runs: the one of the node under the cursor. */
	const struct tp_cluster_node *node = tp_cluster_chosen_node(s);
	unsigned group =
		app->part == TP_CLUSTER_NODES && node ? shot->rows[node - shot->is.nodes].group : 0;
	snprintf(path, sizeof(path), group > 1 ? "%s/merged-%u" : "%s/merged", shot->is.directory,
		 group);
	open_run(app, path, shot->name);
}

static void open_node(struct tp_app *app, struct tp_cluster_view *s)
{
	const struct tp_cluster_node *node = tp_cluster_chosen_node(s);
	struct tp_cluster_job *job = node ? about_chosen(app, s, TP_CLUSTER_NODE) : NULL;
	if (!job)
		return;
	tp_copy(job->node, sizeof(job->node), node->name);
	tp_cluster_do(app, s, job);
}

static bool act_on_told(struct tp_app *app, struct tp_cluster_view *s, enum tp_action action)
{
	char path[TP_PATH_MAX + TP_NODE_NAME_BYTES + 16];
	if (tp_list_scroll(&s->doc.list, action))
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
	size_t at = s->runs.list.at;
	if (app->part == TP_CLUSTER_NODES)
		return tp_list_act(&s->nodes.list, action);
	if (!tp_list_act(&s->runs.list, action))
		return false;
	if (s->runs.list.at != at) {
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
		collect(app);
		return true;
	case TP_ACTION_CLUSTER_CANCEL:
		cancel(app);
		return true;
	case TP_ACTION_RESUME:
		resume(app, s);
		return true;
	case TP_ACTION_SORT:
		s->order = (s->order + 1) % TP_NODE_ORDER_COUNT;
		choose(s);
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
		choose(s);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_cluster_view *s = state;
	if (s->over == TP_CLUSTER_PLAN || s->over == TP_CLUSTER_TOLD)
		tp_list_wheel(&s->doc.list, tp_list_wheel_rows(input));
	if (s->over != TP_CLUSTER_BARE)
		return;
	if (s->runs.list.rows && tp_area_holds(s->runs.list.area, input->row, input->column)) {
		size_t at = s->runs.list.at;
		enum tp_list_event event = tp_list_mouse(&s->runs.list, input);
		if (s->runs.list.at != at)
			s->moved = tp_now_seconds();
		app->part = event == TP_LIST_OPENED ? TP_CLUSTER_NODES : TP_CLUSTER_RUNS;
	} else if (tp_area_holds(s->nodes.list.area, input->row, input->column)) {
		enum tp_list_event event = tp_list_mouse(&s->nodes.list, input);
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
	free(s->form.fields);
	tp_doc_release(&s->doc);
	free(s->briefs);
	tp_gridview_release(&s->runs);
	tp_gridview_release(&s->nodes);
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
	if (s->over == TP_CLUSTER_FORM)
		return s->form.at == TP_CLUSTER_FIELD_LAUNCHER ? TP_OVER_LIST : TP_OVER_FIELD;
	return s->filter.typing		    ? TP_OVER_FIELD
	       : s->over == TP_CLUSTER_BARE ? TP_OVER_NOTHING
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
	.work = look_on,
};
