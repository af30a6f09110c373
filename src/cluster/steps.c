/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job with a step for each node: its script, and what has become of the steps. */
#include "cluster/jobs.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The status of a step or script that does not see the folder of the cluster run. */
#define UNSEEN	    72
#define UNSEEN_TEXT "72"

bool tp_node_is_missing(const struct tp_cluster_node *node)
{
	return node->state != TP_NODE_DONE && node->state != TP_NODE_RUNNING;
}

/* --- the script --- */

static const char head_lines[] = "#!/bin/sh\n"
				 "# Written by tprof: a step for each node, which measures there.\n"
				 "# $1 is the folder of the cluster run, $2 is tprof.\n"
				 "folder=$1 tprof=$2\n"
				 "test -f \"$folder/preset.yaml\" || exit " UNSEEN_TEXT "\n\n"
				 "# Runs words on a node.\n"
				 "on() { # HOST NAME WORD...\n"
				 "\thost=$1 name=$2\n"
				 "\tshift 2\n";

/*
 * Nodes write into the folder themselves. Each looks for it first: the host of the script may see
 * it where others do not.
 */
static const char shared_lines[] =
	"see='test -f \"$1/preset.yaml\" || exit " UNSEEN_TEXT "; shift; exec \"$@\"'\n"
	"step() { # HOST NAME WORD...\n"
	"\thost=$1 name=$2\n"
	"\tshift 2\n"
	"\ton \"$host\" \"$name\" sh -c \"$see\" sh \"$folder\" \"$tprof\" \"$@\" </dev/null\n"
	"}\n\n";

/* Their events are the journal here; the result follows when they have ended. */
static const char remote_lines[] =
	"step() { # HOST NAME WORDS\n"
	"\ton \"$1\" \"$2\" sh -c \"$there\" \"$tprof\" \"$place/$2\" \"$3\" \\\n"
	"\t\t<\"$folder/preset.yaml\" >>\"$folder/nodes/$2/journal.ndjson\"\n"
	"}\n\n";
static const char fetch_line[] = "\t\ton \"$1\" \"$2\" sh -c \"$back\" sh \"$place/$2\" </dev/null "
				 ">\"$node" TP_REMOTE_COMING "\" 2>/dev/null\n";

/* Other readers than `head` take what it leaves: a step must not end because nobody listens. */
static const char measure_begin[] = "# The first 64 KiB of what a step says are kept, and how it "
				    "ended.\n"
				    "measure() { # as step\n"
				    "\tnode=$folder/nodes/$2\n"
				    "\t{\n"
				    "\t\tstep \"$@\"\n"
				    "\t\techo \"exit $?\" >\"$node.ending\"\n";
static const char measure_end[] = "\t} 2>&1 | {\n"
				  "\t\thead -c 65536 >\"$node.txt\"\n"
				  "\t\tcat >/dev/null\n"
				  "\t}\n"
				  "\tmv \"$node.ending\" \"$node.end\"\n"
				  "}\n\n";

/* Where nodes keep their runs, below the home of the user: the same whenever it goes on. */
static void add_place(const struct tp_cluster *cluster, struct tp_str *out)
{
	uint64_t sum = tp_hash_text(tp_hash_text(TP_HASH_START, cluster->host), cluster->directory);
	tp_str_add(out, "place=.tprof-cluster/run");
	for (const char *c = cluster->started; *c; c++)
		if ((*c >= '0' && *c <= '9') || *c == 'T')
			tp_str_add_n(out, c, 1);
	tp_str_printf(out, ".%08" PRIx32 "\n", (uint32_t)(sum ^ sum >> 32));
}

static void add_node(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		     bool allow_code, struct tp_str *out)
{
	const char *name = node->name;
	char host[TP_NODE_NAME_BYTES], code[64];
	tp_node_host(cluster, node, host);
	tp_node_words(cluster, node, allow_code, code, sizeof(code));
	tp_str_printf(out, "measure %s %s ", host, name);
	if (!cluster->shared)
		tp_str_printf(out, "\"%s\"", code);
	else if (tp_node_has_run(cluster, node))
		tp_str_printf(out, "--resume \"$folder/nodes/%s\" --quiet%s", name, code);
	else
		tp_str_printf(out,
			      "--batch \"$folder/preset.yaml\" --run-dir \"$folder/nodes/%s\" "
			      "--quiet%s",
			      name, code);
	tp_str_add(out, " &\n");
}

enum tp_status tp_steps_script(const struct tp_cluster *cluster, const char *on, bool allow_code,
			       struct tp_str *out, struct tp_diag *diag)
{
	tp_str_printf(out, "%s\t%s\n}\n\n", head_lines, on);
	if (cluster->shared) {
		tp_str_add(out, shared_lines);
	} else {
		add_place(cluster, out);
		tp_str_printf(out,
			      "there='cd || exit; %s'\n"
			      "back='cd && ",
			      tp_remote_script);
		tp_remote_add_print(out);
		tp_str_add(out, "'\n");
		tp_str_add(out, remote_lines);
	}
	tp_str_add(out, measure_begin);
	if (!cluster->shared)
		tp_str_add(out, fetch_line);
	tp_str_add(out, measure_end);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (tp_node_is_missing(&cluster->nodes[i]))
			add_node(cluster, &cluster->nodes[i], allow_code, out);
	tp_str_add(out, "wait\n");
	return out->oom ? tp_fail(diag, TP_NOMEM, "job.sh", NULL, "out of memory") : TP_OK;
}

enum tp_status tp_steps_prepare(const struct tp_cluster *cluster, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		char journal[TP_PATH_MAX];
		if (!tp_node_is_missing(node))
			continue;
		status = tp_node_own_folder(cluster, node, diag);
		if (status != TP_OK)
			break;
		tp_node_forget_end(cluster, node);
		if (!cluster->shared)
			status = tp_remote_begin(cluster, node, journal, diag);
		else if (!tp_node_has_run(cluster, node))
			tp_node_clear(cluster, node);
	}
	return status;
}

/* --- states --- */

static void unseen(const struct tp_cluster *cluster, char *out, size_t size)
{
	snprintf(out, size,
		 "does not see %.150s: put it on a file system that the nodes share, or submit "
		 "with --no-shared",
		 cluster->directory);
}

/* How the step of a node ended, by what the script has noted; false: it has not. */
static bool step_words(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		       char *out, size_t size)
{
	int number;
	bool signal;
	if (!tp_node_exit(cluster, node, &number, &signal))
		return false;
	if (cluster->shared && !signal && number == UNSEEN)
		unseen(cluster, out, size);
	else if (!tp_remote_lacks_program(cluster, node, out, size))
		tp_node_ended_words(cluster, node, out, size);
	return true;
}

/* A node of a job that runs or has run. */
static void set_node(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		     const struct tp_batch_job *job)
{
	char words[256];
	bool noted = step_words(cluster, node, words, sizeof(words));
	const char *why = noted ? words : "its job ended without a word of the node";
	if (job->phase == TP_JOB_RUNS && !noted) {
		tp_node_set(node, TP_NODE_RUNNING, NULL);
		return;
	}
	if (job->phase == TP_JOB_ENDED && *job->why)
		why = job->why;
	else if (!noted && job->code == UNSEEN)
		unseen(cluster, words, sizeof(words)), why = words;
	if (!cluster->shared)
		tp_remote_take(cluster, node, NULL);
	tp_node_end(cluster, node, why);
	if (job->phase == TP_JOB_ENDED && job->cancelled && node->state != TP_NODE_DONE)
		tp_node_set(node, TP_NODE_CANCELLED, why);
}

void tp_job_set_nodes(struct tp_cluster *cluster, const struct tp_batch_job *job)
{
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state))
			continue;
		if (job->phase == TP_JOB_WAITS)
			tp_node_set(node, TP_NODE_WAITING, job->why);
		else
			set_node(cluster, node, job);
	}
}
