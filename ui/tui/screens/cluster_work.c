/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of the screen Cluster: which job it runs, when, and what the jobs do. */
#include "ui/tui/screens/cluster_work.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cluster/merge.h"
#include "record/load.h"

enum { SAID_MAX_BYTES = 1 << 20 };

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static struct timespec written(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_mtim : (struct timespec){ 0 };
}

/* --- the list --- */

static const struct tp_cluster_brief *known(const struct tp_cluster_worker *w, const char *name)
{
	for (size_t i = 0; i < w->n_briefs; i++)
		if (strcmp(w->briefs[i].directory, name) == 0)
			return &w->briefs[i];
	return NULL;
}

static void read_brief(const struct tp_cluster_worker *w, const char *folder, const char *name,
		       struct tp_cluster_brief *brief)
{
	char path[2 * TP_PATH_MAX];
	struct tp_cluster cluster = { 0 };
	struct tp_diag diag = { 0 };
	const struct tp_cluster_brief *old = known(w, name);
	snprintf(path, sizeof(path), "%s/%s/cluster.json", folder, name);
	const struct timespec at = written(path);
	if (old && same_time(old->written, at)) {
		*brief = *old;
		return;
	}
	*brief = (struct tp_cluster_brief){ .written = at };
	tp_copy(brief->directory, sizeof(brief->directory), name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (tp_cluster_load(&cluster, path, &diag) != TP_OK)
		snprintf(brief->problem, sizeof(brief->problem), "%.250s", diag.what);
	tp_copy(brief->launcher, sizeof(brief->launcher), cluster.launcher);
	tp_copy(brief->where, sizeof(brief->where), cluster.where);
	tp_copy(brief->started, sizeof(brief->started), cluster.started);
	tp_cluster_add_up(&cluster, &brief->sums);
	tp_cluster_release(&cluster);
}

static enum tp_status list(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	TP_FREE char(*names)[TP_CLUSTER_NAME_BYTES] = NULL;
	char folder[TP_PATH_MAX];
	size_t n = 0;
	enum tp_status status = tp_path_user_data("runs", folder, &job->diag);
	if (status == TP_OK)
		status = tp_cluster_list(&names, &n, &job->diag);
	if (status != TP_OK)
		return status;
	struct tp_cluster_brief *all = tp_alloc(n + 1, sizeof(*all));
	job->briefs = tp_alloc(n + 1, sizeof(*all));
	for (size_t i = 0; i < n && !atomic_load(&w->given_up); i++) {
		read_brief(w, folder, names[n - 1 - i], &all[i]);
		job->n_briefs = i + 1;
	}
	memcpy(job->briefs, all, job->n_briefs * sizeof(*all));
	free(w->briefs);
	w->briefs = all;
	w->n_briefs = job->n_briefs;
	return atomic_load(&w->given_up) ? TP_CANCELLED : TP_OK;
}

/* --- the merged runs --- */

static int by_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct tp_node_row *)row)->node);
}

static struct tp_node_row *merged_row(const struct tp_cluster_worker *w, const char *node)
{
	return w->n_merged ? bsearch(node, w->merged, w->n_merged, sizeof(*w->merged), by_name)
			   : NULL;
}

/* The nodes of a group have speeds; the first run has all nodes. */
static void take_rows(struct tp_cluster_worker *w, const struct tp_run *run)
{
	const struct tp_node_row *rows = tp_run_nodes(run);
	size_t n = tp_run_n_nodes(run);
	if (!w->merged) {
		w->merged = tp_alloc(n + 1, sizeof(*rows));
		w->n_merged = n;
		for (size_t i = 0; i < w->n_merged; i++)
			w->merged[i] = rows[i];
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct tp_node_row *row = merged_row(w, rows[i].node);
		if (row && !isnan(rows[i].speed))
			*row = rows[i];
	}
}

static void forget_merged(struct tp_cluster_worker *w)
{
	free(w->merged);
	w->merged = NULL;
	w->n_merged = 0;
	w->n_groups = 0;
	w->merged_at = (struct timespec){ 0 };
}

static void read_merged(struct tp_cluster_worker *w)
{
	char path[TP_PATH_MAX + 32];
	snprintf(path, sizeof(path), "%s/merged/run.json", w->cluster.directory);
	const struct timespec at = written(path);
	if (same_time(at, w->merged_at))
		return;
	forget_merged(w);
	w->merged_at = at;
	for (unsigned g = 0; g < TP_CLUSTER_NODES_MAX; g++) {
		struct tp_run run;
		if (!tp_is_folder(tp_cluster_merged_path(&w->cluster, g, path)) ||
		    tp_run_load_results(&run, path, NULL) != TP_OK)
			break;
		take_rows(w, &run);
		tp_run_release(&run);
		w->n_groups++;
	}
}

/* --- the chosen one --- */

static bool goes_on(void *context)
{
	const struct tp_cluster_worker *w = context;
	return !atomic_load(&w->given_up);
}

static enum tp_status open_cluster(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	if (strcmp(w->cluster.directory, job->directory) == 0)
		return tp_cluster_reload(&w->cluster, NULL, &job->diag);
	tp_cluster_release(&w->cluster);
	forget_merged(w);
	w->pace = (struct tp_cluster_pace){ 0 };
	enum tp_status status = tp_cluster_load(&w->cluster, job->directory, &job->diag);
	w->cluster.go_on = goes_on;
	w->cluster.context = w;
	return status;
}

static struct tp_cluster_shot *take_shot(struct tp_cluster_worker *w, bool asked)
{
	const struct tp_cluster *c = &w->cluster;
	struct tp_cluster_shot *shot = tp_alloc(1, sizeof(*shot));
	struct tp_cluster_node *nodes = tp_alloc(c->n_nodes + 1, sizeof(*nodes));
	read_merged(w);
	shot->is = *c;
	shot->is.added = (struct tp_tally){ 0 };
	shot->is.nodes = nodes;
	shot->rows = tp_alloc(c->n_nodes + 1, sizeof(*shot->rows));
	shot->n_groups = w->n_groups;
	shot->asked = asked;
	const char *slash = strrchr(c->directory, '/');
	tp_copy(shot->name, sizeof(shot->name), slash ? slash + 1 : c->directory);
	tp_cluster_add_up(c, &shot->sums);
	for (size_t act = 0; act < TP_ACT_COUNT; act++)
		tp_cluster_acts(c, (enum tp_cluster_act)act, &shot->acts[act]);
	/* The file may be old: the speed of progress is measured from the first look. */
	if (asked)
		shot->seconds_left = tp_cluster_seconds_left(&w->pace, c, &shot->sums);
	unsigned long n_merged = 0;
	for (size_t i = 0; i < c->n_nodes; i++) {
		const struct tp_node_row *row = merged_row(w, c->nodes[i].name);
		nodes[i] = c->nodes[i];
		nodes[i].seen = NULL;
		shot->rows[i] = row ? *row : (struct tp_node_row){ .speed = NAN, .z = NAN };
		n_merged += shot->rows[i].points;
		shot->n_slow += shot->rows[i].outlier == TP_OUTLIER_SLOW;
		shot->n_fast += shot->rows[i].outlier == TP_OUTLIER_FAST;
	}
	shot->grown = n_merged < shot->sums.n_done;
	return shot;
}

static enum tp_status look_at_node(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	char path[TP_PATH_MAX], *said;
	size_t len;
	const struct tp_cluster_node *node = tp_cluster_node(&w->cluster, job->node);
	if (!node)
		return tp_fail(&job->diag, TP_NOTFOUND, job->node, NULL, "is no longer a node");
	job->has_run = tp_is_folder(tp_node_path(&w->cluster, node, "", path)) &&
		       tp_run_load(&job->run, path, NULL) == TP_OK;
	if (tp_file_read(tp_node_path(&w->cluster, node, ".txt", path), SAID_MAX_BYTES, &said, &len,
			 NULL) == TP_OK) {
		tp_str_add_n(&job->text, said, len);
		free(said);
	}
	return TP_OK;
}

/* --- a new one --- */

static enum tp_status describe(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	struct tp_cluster cluster = { .go_on = goes_on, .context = w };
	const struct tp_launcher *launcher;
	job->wish.preset_path = "RUN/preset.yaml";
	enum tp_status status = tp_cluster_begin(&cluster, &job->wish, &launcher, &job->diag);
	if (status == TP_OK)
		status = launcher->describe(&cluster, &job->wish, &job->text, &job->diag);
	job->n_nodes = cluster.n_nodes;
	tp_cluster_release(&cluster);
	return status;
}

static enum tp_status submit(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	char preset[TP_PATH_MAX];
	const struct tp_launcher *launcher;
	tp_cluster_release(&w->cluster);
	forget_merged(w);
	w->pace = (struct tp_cluster_pace){ 0 };
	enum tp_status status = tp_cluster_begin(&w->cluster, &job->wish, &launcher, &job->diag);
	if (status == TP_OK)
		status = tp_cluster_create(&w->cluster, NULL, job->label, &job->yaml, preset,
					   &job->diag);
	job->wish.preset_path = preset;
	if (status == TP_OK)
		status = tp_cluster_submit(&w->cluster, &job->wish, &job->diag);
	tp_copy(job->directory, sizeof(job->directory), w->cluster.directory);
	w->cluster.go_on = goes_on;
	w->cluster.context = w;
	return status;
}

static enum tp_status resume(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	char preset[TP_PATH_MAX];
	struct tp_cluster_wish wish;
	enum tp_status status = tp_cluster_refresh(&w->cluster, &job->diag);
	if (status == TP_OK)
		tp_cluster_wish_again(&w->cluster, preset, &wish);
	wish.allow_code = job->wish.allow_code;
	w->pace = (struct tp_cluster_pace){ 0 };
	return status == TP_OK ? tp_cluster_submit(&w->cluster, &wish, &job->diag) : status;
}

static enum tp_status collect(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags remarks = { 0 };
	enum tp_status status = tp_cluster_collect(&w->cluster, &remarks, &job->diag);
	/* The merged run and its nodes tell the others. */
	if (status == TP_OK && remarks.n)
		job->diag = remarks.items[0];
	return status;
}

/* --- all of them --- */

/* Runs the job to its end, in the calling thread. */
static void cluster_run_job(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	bool of_one = job->task != TP_CLUSTER_LIST && job->task != TP_CLUSTER_DESCRIBE &&
		      job->task != TP_CLUSTER_SUBMIT;
	job->status = of_one ? open_cluster(w, job) : TP_OK;
	bool opened = job->status == TP_OK;
	if (!opened)
		return;
	w->cluster.agreed = job->agreed;
	switch (job->task) {
	case TP_CLUSTER_LIST:
		job->status = list(w, job);
		break;
	case TP_CLUSTER_READ:
		break;
	case TP_CLUSTER_LOOK:
		job->status = tp_cluster_refresh(&w->cluster, &job->diag);
		break;
	case TP_CLUSTER_NODE:
		job->status = look_at_node(w, job);
		return;
	case TP_CLUSTER_DESCRIBE:
		job->status = describe(w, job);
		break;
	case TP_CLUSTER_SUBMIT:
		job->status = submit(w, job);
		break;
	case TP_CLUSTER_RESUME:
		job->status = resume(w, job);
		break;
	case TP_CLUSTER_COLLECT:
		job->status = collect(w, job);
		break;
	case TP_CLUSTER_CANCEL:
		job->status = tp_cluster_cancel(&w->cluster, &job->diag);
		break;
	}
	/* What is known is shown, even if the scheduler does not answer. */
	if (of_one || (job->task == TP_CLUSTER_SUBMIT && *w->cluster.name))
		job->shot = take_shot(w, job->task != TP_CLUSTER_READ);
}

struct tp_cluster_job *tp_cluster_job_new(enum tp_cluster_task task, const char *directory)
{
	struct tp_cluster_job *job = tp_alloc(1, sizeof(*job));
	job->task = task;
	tp_copy(job->directory, sizeof(job->directory), directory);
	return job;
}

void tp_cluster_shot_free(struct tp_cluster_shot *shot)
{
	if (!shot)
		return;
	for (size_t act = 0; act < TP_ACT_COUNT; act++)
		tp_consent_release(&shot->acts[act]);
	free(shot->is.nodes);
	free(shot->rows);
	free(shot);
}

void tp_cluster_job_free(struct tp_cluster_job *job)
{
	if (!job)
		return;
	tp_cluster_shot_free(job->shot);
	free(job->briefs);
	tp_arena_release(&job->arena);
	tp_str_release(&job->yaml);
	tp_str_release(&job->text);
	tp_run_release(&job->run);
	free(job);
}

static void *work(void *context)
{
	struct tp_cluster_worker *w = context;
	cluster_run_job(w, w->under_way);
	atomic_store(&w->done, true);
	return NULL;
}

static void start(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	sigset_t all, before;
	w->under_way = job;
	atomic_store(&w->done, false);
	atomic_store(&w->given_up, false);
	/* Signals are the screens'. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	w->threaded = pthread_create(&w->thread, NULL, work, w) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!w->threaded)
		work(w);
}

/* Submitting and cancelling must report how they ended. */
static bool must_end(const struct tp_cluster_job *job)
{
	return job->task == TP_CLUSTER_SUBMIT || job->task == TP_CLUSTER_RESUME ||
	       job->task == TP_CLUSTER_CANCEL;
}

void tp_cluster_worker_do(struct tp_cluster_worker *w, struct tp_cluster_job *job)
{
	if (!job)
		return;
	if (!w->under_way) {
		start(w, job);
		return;
	}
	tp_cluster_job_free(w->next);
	w->next = job;
	if (!must_end(w->under_way) && w->under_way->task != TP_CLUSTER_COLLECT)
		atomic_store(&w->given_up, true);
}

struct tp_cluster_job *tp_cluster_worker_take(struct tp_cluster_worker *w)
{
	struct tp_cluster_job *job = w->under_way;
	if (!job || !atomic_load(&w->done))
		return NULL;
	if (w->threaded)
		pthread_join(w->thread, NULL);
	w->under_way = NULL;
	if (w->next) {
		struct tp_cluster_job *next = w->next;
		w->next = NULL;
		start(w, next);
	}
	return job;
}

void tp_cluster_worker_release(struct tp_cluster_worker *w)
{
	tp_cluster_job_free(w->next);
	if (w->under_way) {
		atomic_store(&w->given_up, !must_end(w->under_way));
		if (w->threaded)
			pthread_join(w->thread, NULL);
		tp_cluster_job_free(w->under_way);
	}
	free(w->merged);
	free(w->briefs);
	tp_cluster_release(&w->cluster);
}
