/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Cluster without its painting: a separate thread queries schedulers and reads files,
 * one job at a time, so that keys work while squeue hangs. The result of a job is an immutable
 * copy.
 */
#ifndef TPROF_UI_TUI_SCREENS_CLUSTER_WORK_H
#define TPROF_UI_TUI_SCREENS_CLUSTER_WORK_H

#include <pthread.h>
#include <stdatomic.h>

#include "analysis/outliers.h"
#include "cluster/actions.h"
#include "cluster/tables.h"

/* A cluster run in the list. */
struct tp_cluster_brief {
	char directory[TP_CLUSTER_NAME_BYTES]; /* its name among the user's runs */
	char launcher[16], where[256], started[32];
	struct tp_cluster_sums sums;
	char problem[256]; /* why it cannot be read; "" = it can */
	struct timespec written; /* of its cluster.json */
};

/* A cluster run as the screen shows it. */
struct tp_cluster_shot {
	struct tp_cluster is; /* a copy of its state and nodes */
	struct tp_node_row *rows; /* of the merged runs, for each node; speed and z NaN = unknown */
	char name[TP_CLUSTER_NAME_BYTES]; /* of its directory */
	struct tp_cluster_sums sums;
	double seconds_left; /* 0 = unknown or over */
	unsigned n_groups; /* of merged runs; 0 = not merged yet */
	bool grown; /* nodes have points that were not merged */
	size_t n_slow, n_fast;
	/* What resuming, collecting and cancelling would do, see tp_cluster_acts(). */
	struct tp_consent acts[TP_ACT_COUNT];
	bool asked; /* the launcher was asked, not only the files read */
};

enum tp_cluster_task {
	TP_CLUSTER_LIST, /* what cluster runs there are */
	TP_CLUSTER_READ, /* only the files of one */
	TP_CLUSTER_LOOK, /* and its launcher */
	TP_CLUSTER_NODE, /* the words and the points of a node */
	TP_CLUSTER_DESCRIBE, /* what a new one would run */
	TP_CLUSTER_SUBMIT,
	TP_CLUSTER_RESUME,
	TP_CLUSTER_COLLECT,
	TP_CLUSTER_CANCEL
};

/* Heap; tp_cluster_job_free. */
struct tp_cluster_job {
	enum tp_cluster_task task;
	char directory[TP_PATH_MAX]; /* of the cluster run; SUBMIT: of the new one, afterwards */
	char node[TP_NODE_NAME_BYTES];
	uint64_t agreed; /* RESUME, COLLECT, CANCEL: the shot's word, if the user gave his */
	struct tp_cluster_wish wish; /* DESCRIBE, SUBMIT: a new one; RESUME: only allow_code */
	struct tp_arena arena; /* owns its texts */
	char label[64]; /* of the directory of a new one */
	struct tp_str yaml; /* its preset */

	enum tp_status status;
	struct tp_diag diag;
	struct tp_cluster_shot *shot; /* of the run, where it could be read; the caller's */
	struct tp_cluster_brief *briefs; /* LIST: newest first */
	size_t n_briefs;
	struct tp_str text; /* NODE: its messages; DESCRIBE: the commands */
	size_t n_nodes; /* DESCRIBE */
	struct tp_run run; /* NODE: with `has_run` */
	bool has_run;
};
struct tp_cluster_job *tp_cluster_job_new(enum tp_cluster_task task, const char *directory);
void tp_cluster_job_free(struct tp_cluster_job *job); /* may be NULL */
void tp_cluster_shot_free(struct tp_cluster_shot *shot); /* may be NULL */

/* Zero-initialise; release. */
struct tp_cluster_worker {
	struct tp_cluster_job *under_way, *next; /* NULL: none */
	bool threaded;
	pthread_t thread;
	atomic_bool done, given_up;

	/* The thread's own while a job is under way. */
	struct tp_cluster cluster; /* with what was read of its nodes */
	struct tp_cluster_pace pace;
	struct tp_node_row *merged; /* of its merged runs */
	size_t n_merged;
	unsigned n_groups;
	struct timespec merged_at;
	struct tp_cluster_brief *briefs;
	size_t n_briefs;
};

/*
 * Takes the job over; it begins at once, or when the one under way is over. Looking and listing are
 * given up for it. A job that waits already is replaced.
 */
void tp_cluster_worker_do(struct tp_cluster_worker *worker, struct tp_cluster_job *job);
/* A finished job, which the caller then owns; NULL: none yet. The next one begins. */
struct tp_cluster_job *tp_cluster_worker_take(struct tp_cluster_worker *worker);
/* Waits for submitting and cancelling, and gives up everything else. */
void tp_cluster_worker_release(struct tp_cluster_worker *worker);

#endif
