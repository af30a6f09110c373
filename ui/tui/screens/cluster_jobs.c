/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Cluster between its keys: what jobs have found, and which job comes next. */
#include "ui/tui/screens/cluster_view.h"
#include "base/now.h"
#include "base/vec.h"
#include "ui/tui/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often it is looked whether a job is over. */
#define POLL_SECONDS 0.04
/* A run is read when the cursor rests on it for this time. */
#define REST_SECONDS 0.06
/* Nodes here and over ssh; a scheduler is asked less often the longer it runs. */
#define LOOK_SECONDS	  1.0
#define SCHEDULER_SECONDS 5.0
#define LIST_SECONDS	  5.0

/* --- the nodes that are shown --- */

/* What needs a look comes first. */
static int rank_of(enum tp_node_state state)
{
	static const int ranks[TP_NODE_STATE_COUNT] = {
		[TP_NODE_FAILED] = 0,	 [TP_NODE_UNREACHABLE] = 1, [TP_NODE_PARTIAL] = 2,
		[TP_NODE_CANCELLED] = 3, [TP_NODE_RUNNING] = 4,	    [TP_NODE_WAITING] = 5,
		[TP_NODE_DONE] = 6
	};
	return ranks[state];
}

static double share(const struct tp_shot_node *node)
{
	return node->n_points ? (double)node->n_done / node->n_points : 0;
}

static int by_order(const void *x, const void *y, void *context)
{
	const struct tp_cluster_view *s = context;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;
	const struct tp_shot_node *a = &s->shot->nodes[i], *b = &s->shot->nodes[k];
	double from = 0, to = 0;
	int order = 0;
	switch (s->order) {
	case TP_NODE_BY_STATE:
		order = rank_of(a->state) - rank_of(b->state);
		break;
	case TP_NODE_BY_POINTS:
		from = share(a);
		to = share(b);
		break;
	case TP_NODE_BY_SPEED:
		from = isnan(a->speed) ? INFINITY : a->speed;
		to = isnan(b->speed) ? INFINITY : b->speed;
		break;
	default:
		break;
	}
	if (!order)
		order = (from > to) - (from < to);
	/* The nodes are sorted by name. */
	return order ? order : (i > k) - (i < k);
}

static const char *outlier_word(unsigned outlier)
{
	return outlier == TP_OUTLIER_SLOW ? "slow" : outlier == TP_OUTLIER_FAST ? "fast" : "";
}

/* Filters and sorts anew. The cursor stays on its node if that is still shown. */
static void choose(struct tp_cluster_view *s, const char *on)
{
	s->n_shown = 0;
	for (size_t i = 0; s->shot && s->shown && i < s->shot->n_nodes; i++) {
		const struct tp_shot_node *node = &s->shot->nodes[i];
		const char *const texts[] = { node->name, tp_node_state_name(node->state),
					      node->why, outlier_word(node->outlier) };
		if (tp_filter_match(&s->filter, texts, TP_COUNT_OF(texts)))
			s->shown[s->n_shown++] = i;
	}
	if (s->n_shown)
		qsort_r(s->shown, s->n_shown, sizeof(*s->shown), by_order, s);
	tp_list_resize(&s->nodes, s->n_shown);
	for (size_t i = 0; *on && i < s->n_shown; i++)
		if (strcmp(s->shot->nodes[s->shown[i]].name, on) == 0)
			s->nodes.at = i;
}

void tp_cluster_choose_again(struct tp_cluster_view *s)
{
	char on[TP_NODE_NAME_BYTES] = "";
	const struct tp_shot_node *node = tp_cluster_chosen_node(s);
	if (node)
		tp_copy(on, sizeof(on), node->name);
	choose(s, on);
}

/* --- what jobs find --- */

static void take_list(struct tp_cluster_view *s, struct tp_cluster_job *job)
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
	tp_list_resize(&s->runs, s->n_briefs);
	for (size_t i = 0; *on && i < s->n_briefs; i++)
		if (strcmp(s->briefs[i].directory, on) == 0)
			s->runs.at = i;
}

static void take_shot(struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	struct tp_cluster_shot *old = s->shot, *shot = job->shot;
	char on[TP_NODE_NAME_BYTES] = "";
	const struct tp_shot_node *node = tp_cluster_chosen_node(s);
	size_t *shown = calloc(shot->n_nodes + 1, sizeof(*shown));
	if (!shown)
		return;
	bool same = old && strcmp(old->directory, shot->directory) == 0;
	if (same && node)
		tp_copy(on, sizeof(on), node->name);
	if (!same) {
		s->nodes = (struct tp_list){ 0 };
		s->pause = LOOK_SECONDS;
	}
	/* As the command that submits does at its end. */
	if (same && old->asked && !tp_cluster_is_over(old) && tp_cluster_is_over(shot) &&
	    shot->sums.n_done)
		s->merge_due = true;
	free(s->shown);
	s->shown = shown;
	s->shot = shot;
	job->shot = NULL;
	choose(s, on);
	tp_cluster_shot_free(old);
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
		/* What it has to remark is told where there is something. */
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

/* A launcher that does not answer is asked again later. */
static void take_trouble(struct tp_cluster_view *s, const struct tp_cluster_job *job)
{
	if (job->status == TP_CANCELLED)
		return;
	s->trouble = job->status == TP_OK ? (struct tp_diag){ 0 } : job->diag;
	s->troubled = job->status != TP_OK && !job->shot;
	bool slow = job->status != TP_OK || (job->shot && job->shot->shared);
	s->pause =
		slow ? fmin(fmax(s->pause, LOOK_SECONDS) * 1.5, SCHEDULER_SECONDS) : LOOK_SECONDS;
}

static void take(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	app->dirty = true;
	s->looked_at = tp_now_seconds();
	switch (job->task) {
	case TP_CLUSTER_LIST:
		take_list(s, job);
		break;
	case TP_CLUSTER_READ:
	case TP_CLUSTER_LOOK:
		take_trouble(s, job);
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
	if (job->shot)
		take_shot(s, job);
	tp_cluster_job_free(job);
}

/* --- work --- */

static double start(struct tp_cluster_view *s, enum tp_cluster_task task, const char *directory)
{
	tp_cluster_worker_do(&s->worker, tp_cluster_job_new(task, directory));
	return POLL_SECONDS;
}

double tp_cluster_work(struct tp_app *app, void *state)
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
	tp_cluster_path(s, brief, path);
	const struct tp_cluster_shot *shot = tp_cluster_chosen_shot(s);
	if (!shot && s->troubled)
		return rest;
	if (!shot && s->moved + REST_SECONDS > now)
		return s->moved + REST_SECONDS - now;
	if (!shot)
		return start(s, TP_CLUSTER_READ, path);
	/* What the nodes still have is fetched when the user says so. */
	const bool merge = s->merge_due && !shot->words[TP_ACT_COLLECT];
	s->merge_due = false;
	if (merge)
		return start(s, TP_CLUSTER_COLLECT, path);
	double pause = tp_cluster_is_over(shot) || measuring ? SCHEDULER_SECONDS : s->pause;
	double due = shot->asked || *s->trouble.what ? s->looked_at + pause - now : 0;
	return due > 0 ? fmin(rest, due) : start(s, TP_CLUSTER_LOOK, path);
}
