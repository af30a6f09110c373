/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of the screen Cluster: which job it runs, and when. */
#include "ui/tui/screens/cluster_work.h"

#include <signal.h>
#include <stdlib.h>

struct tp_cluster_job *tp_cluster_job_new(enum tp_cluster_task task, const char *directory)
{
	struct tp_cluster_job *job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	job->task = task;
	tp_copy(job->directory, sizeof(job->directory), directory);
	return job;
}

void tp_cluster_shot_free(struct tp_cluster_shot *shot)
{
	if (!shot)
		return;
	for (size_t act = 0; act < TP_ACT_COUNT; act++)
		tp_str_release(&shot->acts[act]);
	free(shot->nodes);
	free(shot);
}

void tp_cluster_job_free(struct tp_cluster_job *job)
{
	if (!job)
		return;
	tp_cluster_shot_free(job->shot);
	free(job->briefs);
	tp_str_release(&job->order.yaml);
	tp_str_release(&job->text);
	tp_run_release(&job->run);
	free(job);
}

static void *work(void *context)
{
	struct tp_cluster_worker *w = context;
	tp_cluster_run_job(w, w->under_way);
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

/* Whoever submits or cancels has to know how that ended. */
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
