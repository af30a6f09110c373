/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster slurm: one job with a step for each node, submitted by Slurm's own sbatch. The nodes
 * write into the run directory, which they share with this one. The directory and the program are
 * arguments of the script, so that no text of anybody stands in it; names of nodes are checked.
 */
#include "cluster/parts.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_SECONDS 60.0
enum { WORDS_MAX = 24, LEAST_MINUTES = 5, JOB_WORD_BYTES = 64 };

/* Runs a command of Slurm. *out is what it printed; TP_FAILED with its last line where it failed.
 */
static enum tp_status run_slurm(const struct tp_cluster *cluster, const char *const *words,
				struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_command_line line = { .words = (char *const *)words,
					      .limit_seconds = LIMIT_SECONDS,
					      .go_on = cluster->go_on,
					      .context = cluster->context };
	struct tp_command_run run;
	char said[200];
	enum tp_status status = tp_command_run(&line, &run, diag);
	if (status == TP_OK && run.late)
		status = tp_fail(diag, TP_FAILED, words[0],
				 "ask again later: tprof --cluster status",
				 "does not answer within %.0f s", LIMIT_SECONDS);
	else if (status == TP_OK && (run.end.signal || run.end.code))
		status = tp_fail(diag, TP_FAILED, words[0], NULL, "%s",
				 *tp_command_last_line(&run, said, sizeof(said))
					 ? said
					 : "failed without a word");
	else if (status == TP_OK)
		tp_str_add(out, tp_str_text(&run.output));
	tp_command_run_release(&run);
	return status;
}

static enum tp_status is_supported(struct tp_diag *diag)
{
	static const char *const programs[] = { "sbatch", "squeue", "scancel", "sinfo",
						"scontrol" };
	char path[TP_PATH_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(programs); i++)
		if (!tp_program_find(programs[i], path))
			return tp_fail(diag, TP_UNSUPPORTED, "--cluster slurm",
				       "run tprof on a login node of the cluster, or use "
				       "--cluster ssh:HOSTFILE",
				       "there is no program %s in PATH", programs[i]);
	return TP_OK;
}

/* --- nodes --- */

/* Words of users that become words of commands: never an option, nothing odd. */
static bool is_plain(const char *text, const char *more)
{
	for (const char *c = text; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c) &&
		    !strchr(more, *c))
			return false;
	return *text && *text != '-';
}

static bool can_be_used(const char *state)
{
	static const char *const never[] = { "down", "drain", "fail",	 "maint",   "unk",
					     "boot", "power", "planned", "reserved" };
	for (size_t i = 0; i < TP_COUNT_OF(never); i++)
		if (strncmp(state, never[i], strlen(never[i])) == 0)
			return false;
	return !strpbrk(state, "*~#!%$@");
}

/* "NODE STATE" lines; idle nodes come first where only so many are wanted. */
static enum tp_status take_nodes(struct tp_cluster *cluster, char *text, uint64_t wanted, bool idle,
				 bool all, struct tp_diag *diag)
{
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char name[TP_NODE_NAME_BYTES + 1] = "", state[32] = "";
		if (sscanf(line, "%72s %31s", name, state) != 2 ||
		    (wanted && cluster->n_nodes == wanted) || tp_cluster_node(cluster, name) ||
		    (idle && strcmp(state, "idle") != 0) || (!all && !can_be_used(state)))
			continue;
		enum tp_status status = tp_cluster_add(cluster, name, diag);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

static enum tp_status no_nodes(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_diag *diag)
{
	static const char *const words[] = { "sinfo", "-h", "-o", "%R", NULL };
	struct tp_str partitions = { 0 };
	char hint[200];
	run_slurm(cluster, words, &partitions, NULL);
	for (char *c = partitions.s; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	snprintf(hint, sizeof(hint), "partitions: %.160s", tp_str_text(&partitions));
	tp_str_release(&partitions);
	return tp_fail(diag, TP_USAGE, wish->partition ? wish->partition : "--cluster slurm", hint,
		       "%s has no node that can be used now",
		       wish->nodes	 ? "that list"
		       : wish->partition ? "that partition, if there is one,"
					 : "this cluster");
}

static enum tp_status name_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	const char *words[WORDS_MAX] = { "sinfo", "-h", "-N", "-o", "%N %t" };
	size_t n = 5;
	uint64_t wanted = 0;
	struct tp_str text = { 0 };
	if (*wish->where)
		return tp_fail(diag, TP_USAGE, "--cluster slurm",
			       "--partition and --nodes say where", "takes nothing behind it");
	if (wish->partition && !is_plain(wish->partition, "-_."))
		return tp_fail(diag, TP_USAGE, "--partition", "a name of sinfo -o %R",
			       "this is no name of a partition");
	if (wish->nodes && !is_plain(wish->nodes, "-_.,[]"))
		return tp_fail(diag, TP_USAGE, "--nodes", "4, or n1,n2, or n[1-4,7]",
			       "neither a number of nodes nor a list of them");
	if (wish->time_limit && !is_plain(wish->time_limit, "-:"))
		return tp_fail(diag, TP_USAGE, "--time-limit", "minutes, or hours:minutes:seconds",
			       "this is no time of Slurm");
	if (wish->program && !is_plain(wish->program, "-_./+"))
		return tp_fail(diag, TP_USAGE, "--program",
			       "a path of letters, digits and \"-_./+\"",
			       "this is no path that every node takes");
	bool count = wish->nodes && tp_parse_u64(wish->nodes, &wanted);
	if (count && (wanted < 1 || wanted > TP_CLUSTER_NODES_MAX))
		return tp_fail(diag, TP_USAGE, "--nodes", NULL, "from 1 to %d nodes",
			       TP_CLUSTER_NODES_MAX);
	if (wish->partition) {
		words[n++] = "-p";
		words[n++] = wish->partition;
	}
	if (wish->nodes && !count) {
		words[n++] = "-n";
		words[n++] = wish->nodes;
	}
	enum tp_status status = run_slurm(cluster, words, &text, diag);
	char *copy = status == TP_OK ? strdup(tp_str_text(&text)) : NULL;
	/* Those that can begin at once, then others. Nodes with a name are taken as they are. */
	if (copy && count)
		status = take_nodes(cluster, copy, wanted, true, false, diag);
	if (status == TP_OK && text.s)
		status = take_nodes(cluster, text.s, wanted, false, wish->nodes && !count, diag);
	free(copy);
	tp_str_release(&text);
	if (status == TP_OK && !cluster->n_nodes)
		status = no_nodes(cluster, wish, diag);
	if (status == TP_OK && cluster->n_nodes < wanted)
		status = tp_fail(diag, TP_USAGE, "--nodes", "see sinfo -N",
				 "%.20s nodes are wanted, and %zu can be used now", wish->nodes,
				 cluster->n_nodes);
	if (status != TP_OK)
		return status;
	cluster->shared = true;
	tp_copy(cluster->where, sizeof(cluster->where), wish->partition ? wish->partition : "");
	if (wish->program)
		tp_copy(cluster->program, sizeof(cluster->program), wish->program);
	else
		status = tp_cluster_self(cluster->program, diag);
	return status;
}

/* --- the job --- */

/* A node of which points are missing. */
static bool is_missing(const struct tp_cluster_node *node)
{
	return node->state != TP_NODE_DONE && node->state != TP_NODE_RUNNING;
}

static void add_step(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		     bool allow_code, struct tp_str *out)
{
	const char *code = allow_code ? " --allow-code" : "";
	tp_str_printf(out,
		      "(\n\tsrun --nodes=1 --ntasks=1 --nodelist=%s --job-name=%s --cpu-bind=none "
		      "--unbuffered \\\n",
		      node->name, node->name);
	if (tp_node_has_run(cluster, node))
		tp_str_printf(out, "\t\t\"$2\" --resume \"$1/nodes/%s\" --quiet%s \\\n", node->name,
			      code);
	else
		tp_str_printf(out,
			      "\t\t\"$2\" --batch \"$1/preset.yaml\" --run-dir \"$1/nodes/%s\" "
			      "--quiet%s \\\n",
			      node->name, code);
	tp_str_printf(out,
		      "\t\t>\"$1/nodes/%s.txt\" 2>&1 </dev/null\n"
		      "\techo \"exit $?\" >\"$1/nodes/%s.end\"\n) &\n",
		      node->name, node->name);
}

static enum tp_status write_script(const struct tp_cluster *cluster, bool allow_code,
				   struct tp_str *out, struct tp_diag *diag)
{
	tp_str_add(out, "#!/bin/sh\n"
			"# Written by tprof: a step for each node, which measures there into its "
			"own folder.\n"
			"# $1 is the folder of the cluster run, $2 is tprof.\n");
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (is_missing(&cluster->nodes[i]))
			add_step(cluster, &cluster->nodes[i], allow_code, out);
	tp_str_add(out, "wait\n");
	return out->oom ? tp_fail(diag, TP_NOMEM, "job.sh", NULL, "out of memory") : TP_OK;
}

/* Twice what the plan says, and time to start. */
static unsigned minutes_of(const struct tp_cluster *cluster)
{
	double minutes = ceil(2 * cluster->seconds / 60) + LEAST_MINUTES;
	return minutes < 1e6 ? (unsigned)minutes : 1000000u;
}

struct sbatch {
	const char *words[WORDS_MAX];
	char nodes[32], time[48], script[TP_PATH_MAX];
	struct tp_str list, partition;
};

static enum tp_status make_sbatch(struct sbatch *s, const struct tp_cluster *cluster,
				  struct tp_diag *diag)
{
	size_t n = 0, n_nodes = 0;
	*s = (struct sbatch){ 0 };
	tp_str_add(&s->list, "--nodelist=");
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (is_missing(&cluster->nodes[i]))
			tp_str_printf(&s->list, "%s%s", n_nodes++ ? "," : "",
				      cluster->nodes[i].name);
	snprintf(s->nodes, sizeof(s->nodes), "--nodes=%zu", n_nodes);
	if (*cluster->time_limit)
		snprintf(s->time, sizeof(s->time), "--time=%s", cluster->time_limit);
	else
		snprintf(s->time, sizeof(s->time), "--time=%u", minutes_of(cluster));
	int len = snprintf(s->script, sizeof(s->script), "%s/job.sh", cluster->directory);
	if (len < 0 || (size_t)len >= sizeof(s->script))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	if (*cluster->where && !is_plain(cluster->where, "-_."))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL,
			       "cluster.json names a partition that cannot be one");
	s->words[n++] = "sbatch";
	s->words[n++] = "--parsable";
	s->words[n++] = "--job-name=tprof";
	s->words[n++] = "--exclusive";
	s->words[n++] = "--no-kill";
	s->words[n++] = "--no-requeue";
	s->words[n++] = s->nodes;
	s->words[n++] = tp_str_text(&s->list);
	s->words[n++] = s->time;
	/* What the script itself says; each step has a file of its own. */
	s->words[n++] = "--output=/dev/null";
	if (*cluster->where) {
		tp_str_printf(&s->partition, "--partition=%s", cluster->where);
		s->words[n++] = tp_str_text(&s->partition);
	}
	s->words[n++] = s->script;
	s->words[n++] = cluster->directory;
	s->words[n++] = cluster->program;
	return s->list.oom || s->partition.oom
		       ? tp_fail(diag, TP_NOMEM, "sbatch", NULL, "out of memory")
		       : TP_OK;
}

static void release_sbatch(struct sbatch *s)
{
	tp_str_release(&s->list);
	tp_str_release(&s->partition);
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	struct sbatch s;
	enum tp_status status = make_sbatch(&s, cluster, diag);
	for (size_t i = 0; s.words[i] && status == TP_OK; i++)
		tp_command_join(out, s.words[i]);
	tp_str_add(out, "\n\n");
	if (status == TP_OK)
		status = write_script(cluster, wish->allow_code, out, diag);
	release_sbatch(&s);
	return status;
}

static enum tp_status submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			     struct tp_diag *diag)
{
	struct sbatch s;
	struct tp_str text = { 0 }, said = { 0 };
	char job[TP_CLUSTER_JOB_BYTES] = "";
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (!tp_node_has_ended(cluster->nodes[i].state) && *cluster->nodes[i].job)
			return tp_fail(diag, TP_RESOURCE, cluster->name,
				       "wait for the end of the job, or tprof --cluster cancel",
				       "job %s still waits or runs", cluster->nodes[i].job);
	enum tp_status status = make_sbatch(&s, cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++)
		if (is_missing(&cluster->nodes[i])) {
			tp_node_forget_end(cluster, &cluster->nodes[i]);
			if (!tp_node_has_run(cluster, &cluster->nodes[i]))
				tp_node_clear(cluster, &cluster->nodes[i]);
		}
	if (status == TP_OK)
		status = write_script(cluster, wish->allow_code, &text, diag);
	if (status == TP_OK)
		status = tp_file_write(s.script, tp_str_text(&text), text.len, diag);
	if (status == TP_OK)
		status = run_slurm(cluster, s.words, &said, diag);
	/* "17", or "17;cluster" where there are several; warnings may stand before it. */
	if (status == TP_OK) {
		const char *at = tp_str_text(&said), *line = at;
		for (; *at; at++)
			if (*at == '\n' && at[1])
				line = at + 1;
		snprintf(job, sizeof(job), "%.*s",
			 (int)TP_MIN(strcspn(line, ";\n"), sizeof(job) - 1), line);
		if (!*job || !tp_cluster_job_is_good(job))
			status = tp_fail(diag, TP_FAILED, "sbatch", "see squeue --me",
					 "did not say the number of the job");
	}
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!is_missing(node))
			continue;
		tp_copy(node->job, sizeof(node->job), job);
		tp_node_set(node, TP_NODE_WAITING, NULL);
	}
	if (status == TP_OK)
		tp_copy(cluster->job, sizeof(cluster->job), job);
	release_sbatch(&s);
	tp_str_release(&text);
	tp_str_release(&said);
	return status;
}

/* --- its states --- */

/* State and reason of the job by squeue; "" where it is not there any more. */
static enum tp_status ask_queue(const struct tp_cluster *cluster, char state[JOB_WORD_BYTES],
				char reason[JOB_WORD_BYTES], struct tp_diag *diag)
{
	const char *words[] = { "squeue", "-h", "-j", cluster->job, "-o", "%T|%r", NULL };
	struct tp_str out = { 0 };
	struct tp_diag why = { 0 };
	state[0] = reason[0] = '\0';
	enum tp_status status = run_slurm(cluster, words, &out, &why);
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

/* How it ended: by the accounts, else by what the controller still knows. "" = unknown. */
static void ask_end(const struct tp_cluster *cluster, char state[JOB_WORD_BYTES])
{
	const char *accounts[] = { "sacct",	 "-X", "-n",	"-P", "-j",
				   cluster->job, "-o", "State", NULL };
	const char *control[] = { "scontrol", "-o", "show", "job", cluster->job, NULL };
	struct tp_str out = { 0 };
	state[0] = '\0';
	if (run_slurm(cluster, accounts, &out, NULL) == TP_OK)
		sscanf(tp_str_text(&out), "%63[A-Z_]", state);
	tp_str_clear(&out);
	if (!*state && run_slurm(cluster, control, &out, NULL) == TP_OK) {
		const char *at = strstr(tp_str_text(&out), "JobState=");
		if (at)
			sscanf(at, "JobState=%63[A-Z_]", state);
	}
	tp_str_release(&out);
}

static const char *words_of(const char *state)
{
	static const char *const table[][2] = {
		{ "TIMEOUT", "the job's time limit came: give more with --time-limit" },
		{ "PREEMPTED", "another job took the node (preempted)" },
		{ "NODE_FAIL", "the node failed" },
		{ "CANCELLED", "the job was cancelled" },
		{ "OUT_OF_MEMORY", "the job had too little memory" },
		{ "BOOT_FAIL", "the node did not start" },
		{ "DEADLINE", "the job's deadline came" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(table); i++)
		if (strcmp(table[i][0], state) == 0)
			return table[i][1];
	return NULL;
}

/* A node of a job that runs or has run. */
static void set_node(const struct tp_cluster *cluster, struct tp_cluster_node *node, bool job_runs,
		     const char *job_state)
{
	char words[256];
	int number;
	bool signal;
	bool noted = tp_node_exit(cluster, node, &number, &signal);
	const char *why = words_of(job_state);
	if (job_runs && !noted) {
		tp_node_set(node, TP_NODE_RUNNING, NULL);
		return;
	}
	if (!why && noted)
		why = tp_node_ended_words(cluster, node, words, sizeof(words));
	if (!why)
		why = "its job ended without a word of the node";
	tp_node_end(cluster, node, why);
	if (strcmp(job_state, "CANCELLED") == 0 && node->state != TP_NODE_DONE)
		tp_node_set(node, TP_NODE_CANCELLED, why);
}

static bool is_active(const char *state)
{
	static const char *const active[] = { "RUNNING",   "COMPLETING", "CONFIGURING",
					      "SUSPENDED", "STAGE_OUT",	 "SIGNALING" };
	for (size_t i = 0; i < TP_COUNT_OF(active); i++)
		if (strcmp(state, active[i]) == 0)
			return true;
	return false;
}

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char state[JOB_WORD_BYTES], reason[JOB_WORD_BYTES], words[160];
	bool any = false;
	for (size_t i = 0; i < cluster->n_nodes; i++)
		any |= !tp_node_has_ended(cluster->nodes[i].state);
	if (!any || !*cluster->job)
		return TP_OK;
	enum tp_status status = ask_queue(cluster, state, reason, diag);
	if (status != TP_OK)
		return status;
	bool waits = strcmp(state, "PENDING") == 0 || strcmp(state, "REQUEUED") == 0;
	bool runs = is_active(state);
	if (!waits && !runs)
		ask_end(cluster, state);
	snprintf(words, sizeof(words), "in the queue: %s", *reason ? reason : "no reason given");
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state))
			continue;
		if (waits)
			tp_node_set(node, TP_NODE_WAITING, words);
		else
			set_node(cluster, node, runs, runs ? "" : state);
	}
	return TP_OK;
}

static enum tp_status cancel(struct tp_cluster *cluster, struct tp_diag *diag)
{
	const char *words[] = { "scancel", cluster->job, NULL };
	struct tp_str out = { 0 };
	if (!*cluster->job)
		return TP_OK;
	enum tp_status status = run_slurm(cluster, words, &out, diag);
	tp_str_release(&out);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state))
			continue;
		tp_node_end(cluster, node, NULL);
		if (node->state != TP_NODE_DONE)
			tp_node_set(node, TP_NODE_CANCELLED, "cancelled by the user");
	}
	return status;
}

const struct tp_launcher tp_launcher_slurm = {
	.name = "slurm",
	.summary = "nodes of a Slurm cluster, one job with a step for each",
	.supported = is_supported,
	.nodes = name_nodes,
	.describe = describe,
	.submit = submit,
	.ask = ask,
	.cancel = cancel,
};
