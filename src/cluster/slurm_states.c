/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a job of Slurm: by squeue, and when that has forgotten it by the accounts. */
#include "cluster/slurm_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 64 };

/* State and reason of the job by squeue; "" where it is not there any more. */
static enum tp_status ask_queue(const struct tp_cluster *cluster, char state[WORD_BYTES],
				char reason[WORD_BYTES], struct tp_diag *diag)
{
	const char *words[] = { "squeue", "-h", "-j", cluster->job, "-o", "%T|%r", NULL };
	struct tp_str out = { 0 };
	struct tp_diag why = { 0 };
	state[0] = reason[0] = '\0';
	enum tp_status status = tp_slurm_run(cluster, words, &out, &why);
	/* It forgets a job some minutes after its end. */
	if (status == TP_FAILED && strstr(why.what, "Invalid job id"))
		status = TP_OK;
	else if (status == TP_OK)
		sscanf(tp_str_text(&out), "%63[A-Z_]|%63[^\n]", state, reason);
	else if (diag)
		*diag = why;
	tp_clean(reason, "");
	tp_str_release(&out);
	return status;
}

/*
 * How it ended, with the exit status of its script: by the accounts, else by what the controller
 * still knows. "" = unknown.
 */
static void ask_end(const struct tp_cluster *cluster, char state[WORD_BYTES], int *code)
{
	const char *accounts[] = { "sacct",	     "-X", "-n", "-P", "-j", cluster->job, "-o",
				   "State,ExitCode", NULL };
	const char *control[] = { "scontrol", "-o", "show", "job", cluster->job, NULL };
	struct tp_str out = { 0 };
	state[0] = '\0';
	/* "FAILED|72:0", "CANCELLED by 1000|0:15" */
	if (tp_slurm_run(cluster, accounts, &out, NULL) == TP_OK) {
		const char *at = strchr(tp_str_text(&out), '|');
		sscanf(tp_str_text(&out), "%63[A-Z_]", state);
		if (at)
			sscanf(at, "|%d", code);
	}
	tp_str_clear(&out);
	if (!*state && tp_slurm_run(cluster, control, &out, NULL) == TP_OK) {
		const char *at = strstr(tp_str_text(&out), "JobState=");
		if (at)
			sscanf(at, "JobState=%63[A-Z_]", state);
		at = strstr(tp_str_text(&out), " ExitCode=");
		if (at)
			sscanf(at, " ExitCode=%d", code);
	}
	tp_str_release(&out);
}

struct state {
	const char *name;
	enum tp_job_phase phase;
	const char *why;
};

static const struct state states[] = {
	{ "PENDING", TP_JOB_WAITS, NULL },
	{ "REQUEUED", TP_JOB_WAITS, NULL },
	{ "REQUEUE_HOLD", TP_JOB_WAITS, NULL },
	{ "RESV_DEL_HOLD", TP_JOB_WAITS, NULL },
	{ "SPECIAL_EXIT", TP_JOB_WAITS, NULL },
	{ "COMPLETED", TP_JOB_ENDED, NULL },
	{ "FAILED", TP_JOB_ENDED, NULL },
	{ "TIMEOUT", TP_JOB_ENDED, "the job's time limit came: give more with --time-limit" },
	{ "PREEMPTED", TP_JOB_ENDED, "another job took the node (preempted)" },
	{ "NODE_FAIL", TP_JOB_ENDED, "the node failed" },
	{ "CANCELLED", TP_JOB_ENDED, "the job was cancelled" },
	{ "OUT_OF_MEMORY", TP_JOB_ENDED, "the job had too little memory" },
	{ "BOOT_FAIL", TP_JOB_ENDED, "the node did not start" },
	{ "DEADLINE", TP_JOB_ENDED, "the job's deadline came" },
};

/* Whatever else is in the queue has nodes: RUNNING, COMPLETING, CONFIGURING, SUSPENDED, ... */
static struct state state_of(const char *name)
{
	for (size_t i = 0; i < TP_COUNT_OF(states); i++)
		if (strcmp(states[i].name, name) == 0)
			return states[i];
	return (struct state){ name, *name ? TP_JOB_RUNS : TP_JOB_ENDED, NULL };
}

enum tp_status tp_slurm_ask(const struct tp_cluster *cluster, struct tp_batch_job *job,
			    struct tp_diag *diag)
{
	char name[WORD_BYTES], reason[WORD_BYTES];
	*job = (struct tp_batch_job){ 0 };
	enum tp_status status = ask_queue(cluster, name, reason, diag);
	if (status != TP_OK)
		return status;
	struct state state = state_of(name);
	job->phase = state.phase;
	if (state.phase == TP_JOB_WAITS) {
		snprintf(job->why, sizeof(job->why), "in the queue: %s",
			 *reason ? reason : "no reason given");
	} else if (state.phase == TP_JOB_ENDED) {
		ask_end(cluster, name, &job->code);
		state = state_of(name);
		tp_copy(job->why, sizeof(job->why), state.why ? state.why : "");
		job->cancelled = strcmp(name, "CANCELLED") == 0;
	}
	return TP_OK;
}
