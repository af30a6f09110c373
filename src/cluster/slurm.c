/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster slurm: one job with a step for each node. Nodes that share the run directory write into
 * it, and Slurm's own sbatch runs the script on the first of them. Otherwise the script runs here,
 * in an allocation of salloc's, and srun brings back what the nodes have measured. The directory
 * and the program are arguments of the script, so that no text of anybody stands in it.
 */
#include "cluster/slurm_parts.h"
#include "base/now.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIMIT_SECONDS 60.0
/* Linux takes words of commands up to 128 KiB. */
enum { WORDS_MAX = 24, LEAST_MINUTES = 5, WORD_MAX_BYTES = 100 << 10 };

/*
 * Binding is left to tprof, which takes the CPUs that it is given. Parts of a node are steps that
 * share it.
 */
static const char *on_node(const struct tp_cluster *cluster)
{
	return *cluster->per
		       ? "srun --nodes=1 --ntasks=1 --nodelist=\"$host\" --job-name=\"$name\" "
			 "--cpu-bind=none --overlap --unbuffered \"$@\""
		       : "srun --nodes=1 --ntasks=1 --nodelist=\"$host\" --job-name=\"$name\" "
			 "--cpu-bind=none --unbuffered \"$@\"";
}

/* Tests of a scheduler that does not answer have less patience. */
static double limit_seconds(void)
{
	const char *text = secure_getenv("TPROF_TEST_SCHEDULER_SECONDS");
	double seconds = text ? strtod(text, NULL) : 0;
	return seconds > 0 && seconds < LIMIT_SECONDS ? seconds : LIMIT_SECONDS;
}

enum tp_status tp_slurm_run(const struct tp_cluster *cluster, const char *const *words,
			    struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_command_line line = { .words = (char *const *)words,
					      .limit_seconds = limit_seconds(),
					      .go_on = cluster->go_on,
					      .context = cluster->context };
	struct tp_command_run run;
	char said[200];
	enum tp_status status = tp_command_run(&line, &run, diag);
	if (status == TP_OK && run.late)
		status =
			tp_fail(diag, TP_FAILED, words[0],
				"ask again later: tprof --cluster status; squeue --me has the jobs",
				"does not answer within %.0f s", line.limit_seconds);
	else if (status == TP_OK && (run.end.signal || run.end.code))
		status = tp_fail(diag, TP_FAILED, words[0], NULL, "%s",
				 *tp_command_last_line(&run, said, sizeof(said))
					 ? said
					 : "failed without a word");
	else if (status == TP_OK &&
		 run.lost_bytes) /* half a line may be the name of another node */
		status = tp_fail(diag, TP_FAILED, words[0],
				 "ask for fewer: --partition P, --nodes LIST",
				 "printed more than %d KiB", TP_COMMAND_OUTPUT_BYTES >> 10);
	else if (status == TP_OK)
		tp_str_add(out, tp_str_text(&run.output));
	tp_command_run_release(&run);
	return status;
}

static enum tp_status is_supported(struct tp_diag *diag)
{
	static const char *const programs[] = { "sbatch", "squeue",   "scancel",
						"sinfo",  "scontrol", "srun" };
	char path[TP_PATH_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(programs); i++)
		if (!tp_program_find(programs[i], path))
			return tp_fail(diag, TP_UNSUPPORTED, "--cluster slurm",
				       "run tprof on a login node of the cluster, or use "
				       "--cluster ssh:HOSTFILE",
				       "there is no program %s in PATH", programs[i]);
	return TP_OK;
}

/* --- the job --- */

/* As --time-limit says, else twice what the plan says and time to start, if the partition lets it.
 */
static double minutes_of(const struct tp_cluster *cluster, double most)
{
	double minutes;
	if (*cluster->time_limit && tp_slurm_minutes(cluster->time_limit, &minutes))
		return minutes > 0 ? minutes : INFINITY; /* as sbatch reads a 0 */
	minutes = fmin(ceil(2 * cluster->seconds / 60) + LEAST_MINUTES, 1e6);
	return most >= 1 ? fmin(minutes, floor(most)) : minutes;
}

static void warn(const struct tp_cluster *cluster, struct tp_diags *remarks)
{
	double most = tp_slurm_partition_minutes(cluster);
	double minutes = minutes_of(cluster, most);
	char needs[48], has[48];
	tp_format_seconds(needs, sizeof(needs), cluster->seconds);
	if (minutes > most)
		tp_diags_note(remarks, "--time-limit", "sinfo -o \"%P %l\" lists the limits",
			      "the partition allows %s: the job may wait for ever",
			      tp_format_seconds(has, sizeof(has), most * 60));
	if (cluster->seconds > fmin(minutes, most) * 60)
		tp_diags_note(remarks, "--time-limit",
			      "points that are finished by then stay, tprof --resume measures the "
			      "others",
			      "the preset takes %s by its estimate, and the job ends after %s",
			      needs, tp_format_seconds(has, sizeof(has), fmin(minutes, most) * 60));
}

struct submission {
	const char *words[WORDS_MAX];
	char nodes[32], time[48], script[TP_PATH_MAX], hosts[TP_PATH_MAX];
	struct tp_str
		list; /* of hosts: a word, or, where it is too long for one, the file `hosts` */
	struct tp_str where, partition;
};

static bool is_long(const struct submission *s)
{
	return s->list.len > WORD_MAX_BYTES;
}

static enum tp_status write_hosts(const struct submission *s, struct tp_diag *diag)
{
	struct tp_str lines = { 0 };
	tp_str_printf(&lines, "%s\n", tp_str_text(&s->list));
	for (size_t i = 0; i < lines.len; i++)
		if (lines.s[i] == ',')
			lines.s[i] = '\n';
	enum tp_status status =
		lines.oom ? tp_fail(diag, TP_NOMEM, s->hosts, NULL, "out of memory")
			  : tp_cluster_write(s->hosts, tp_str_text(&lines), lines.len, diag);
	tp_str_release(&lines);
	return status;
}

static enum tp_status make_words(struct submission *s, const struct tp_cluster *cluster,
				 struct tp_diag *diag)
{
	size_t n = 0, n_nodes = 0;
	*s = (struct submission){ 0 };
	int len = snprintf(s->script, sizeof(s->script), "%s/job.sh", cluster->directory);
	int more = snprintf(s->hosts, sizeof(s->hosts), "%s/hosts.txt", cluster->directory);
	if (len < 0 || more < 0 || TP_MAX(len, more) >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	if (*cluster->where && !tp_slurm_partition_is_good(cluster->where))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL,
			       "cluster.json names a partition that cannot be one");
	char before[TP_NODE_NAME_BYTES] = "";
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		char host[TP_NODE_NAME_BYTES];
		tp_node_host(cluster, &cluster->nodes[i], host);
		/* Parts of a host stand together. */
		if (!tp_node_is_missing(&cluster->nodes[i]) || strcmp(host, before) == 0)
			continue;
		tp_str_printf(&s->list, "%s%s", n_nodes++ ? "," : "", host);
		tp_copy(before, sizeof(before), host);
	}
	snprintf(s->nodes, sizeof(s->nodes), "--nodes=%zu", n_nodes);
	tp_str_printf(&s->where, is_long(s) ? "--nodefile=%s" : "--nodelist=%s",
		      is_long(s) ? s->hosts : tp_str_text(&s->list));
	if (*cluster->time_limit)
		snprintf(s->time, sizeof(s->time), "--time=%s", cluster->time_limit);
	else
		snprintf(s->time, sizeof(s->time), "--time=%.0f",
			 minutes_of(cluster, tp_slurm_partition_minutes(cluster)));
	s->words[n++] = cluster->shared ? "sbatch" : "salloc";
	s->words[n++] = "--job-name=tprof";
	s->words[n++] = "--exclusive";
	s->words[n++] = "--no-kill";
	s->words[n++] = s->nodes;
	s->words[n++] = tp_str_text(&s->where);
	s->words[n++] = s->time;
	if (*cluster->where) {
		tp_str_printf(&s->partition, "--partition=%s", cluster->where);
		s->words[n++] = tp_str_text(&s->partition);
	}
	if (cluster->shared) {
		s->words[n++] = "--parsable";
		s->words[n++] = "--no-requeue";
		/* What the script itself says; each step has a file of its own. */
		s->words[n++] = "--output=/dev/null";
	} else {
		s->words[n++] = "sh";
	}
	s->words[n++] = s->script;
	s->words[n++] = cluster->directory;
	s->words[n++] = cluster->program;
	return s->list.oom || s->where.oom || s->partition.oom
		       ? tp_fail(diag, TP_NOMEM, s->words[0], NULL, "out of memory")
		       : TP_OK;
}

static void release_words(struct submission *s)
{
	tp_str_release(&s->list);
	tp_str_release(&s->where);
	tp_str_release(&s->partition);
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	struct submission s;
	enum tp_status status = make_words(&s, cluster, diag);
	for (size_t i = 0; s.words[i] && status == TP_OK; i++)
		tp_command_join(out, s.words[i]);
	tp_str_add(out, "\n\n");
	if (status == TP_OK)
		status = tp_steps_script(cluster, on_node(cluster), wish->allow_code, out, diag);
	release_words(&s);
	return status;
}

static enum tp_status take_id(const char *program, const char *text, char job[TP_CLUSTER_JOB_BYTES],
			      struct tp_diag *diag)
{
	size_t n = strspn(text, "0123456789");
	snprintf(job, TP_CLUSTER_JOB_BYTES, "%.*s", (int)TP_MIN(n, TP_CLUSTER_JOB_BYTES - 1u),
		 text);
	return n && n < TP_CLUSTER_JOB_BYTES && (!text[n] || strchr(";\n", text[n]))
		       ? TP_OK
		       : tp_fail(diag, TP_FAILED, program, "see squeue --me",
				 "did not say the number of the job");
}

/* "17", or "17;cluster" where there are several; warnings may stand before it. */
static enum tp_status submit_script(const struct tp_cluster *cluster, const struct submission *s,
				    char job[TP_CLUSTER_JOB_BYTES], struct tp_diag *diag)
{
	struct tp_str said = { 0 };
	enum tp_status status = tp_slurm_run(cluster, s->words, &said, diag);
	if (status == TP_OK) {
		const char *at = tp_str_text(&said), *line = at;
		for (; *at; at++)
			if (*at == '\n' && at[1])
				line = at + 1;
		status = take_id(s->words[0], line, job, diag);
	}
	tp_str_release(&said);
	return status;
}

/* "salloc: Pending job allocation 17"; false: not yet. */
static bool find_id(const char *path, const char **text, char **file)
{
	static const char before[] = "job allocation ";
	size_t size;
	if (!tp_is_file(path) || tp_file_read(path, TP_CLUSTER_MAX_BYTES, file, &size, NULL))
		return false;
	const char *at = strstr(*file, before);
	*text = at ? at + strlen(before) : NULL;
	if (at && strchr(at, '\n'))
		return true;
	free(*file);
	return false;
}

/* The script runs here, as a process that goes on without this one. */
static enum tp_status start_script(const struct tp_cluster *cluster, const struct submission *s,
				   char job[TP_CLUSTER_JOB_BYTES], struct tp_diag *diag)
{
	/* Its words and its end get a name that no node has. */
	struct tp_cluster_node process = { .name = "_job" };
	const struct tp_detached detached = { .words = (char *const *)s->words };
	const struct timespec pause = { 0, 20000000 };
	char path[TP_PATH_MAX], said[200], *file;
	const char *text;
	if (!tp_node_path(cluster, &process, ".txt", path))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	enum tp_status status = tp_detached_start(cluster, &process, &detached, diag);
	double until = tp_now_seconds() + limit_seconds();
	while (status == TP_OK && !find_id(path, &text, &file)) {
		if (!tp_detached_lives(cluster, &process))
			return tp_fail(diag, TP_FAILED, s->words[0], NULL, "%s",
				       *tp_node_said(cluster, &process, said, sizeof(said))
					       ? said
					       : "failed without a word");
		if (tp_now_seconds() > until) {
			tp_detached_cancel(cluster, &process);
			return tp_fail(diag, TP_FAILED, s->words[0], "see squeue --me",
				       "names no job within %.0f s", limit_seconds());
		}
		nanosleep(&pause, NULL);
	}
	if (status == TP_OK) {
		status = take_id(s->words[0], text, job, diag);
		free(file);
	}
	return status;
}

static enum tp_status submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			     struct tp_diag *diag)
{
	struct submission s;
	struct tp_str text = { 0 };
	char job[TP_CLUSTER_JOB_BYTES] = "";
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (!tp_node_has_ended(cluster->nodes[i].state) && *cluster->nodes[i].job)
			return tp_fail(diag, TP_RESOURCE, cluster->name,
				       "wait for the end of the job, or tprof --cluster cancel",
				       "job %s still waits or runs", cluster->nodes[i].job);
	enum tp_status status = make_words(&s, cluster, diag);
	if (status == TP_OK)
		status = tp_steps_prepare(cluster, diag);
	if (status == TP_OK)
		status = tp_steps_script(cluster, on_node(cluster), wish->allow_code, &text, diag);
	if (status == TP_OK)
		status = tp_cluster_write(s.script, tp_str_text(&text), text.len, diag);
	if (status == TP_OK && is_long(&s))
		status = write_hosts(&s, diag);
	if (status == TP_OK)
		status = cluster->shared ? submit_script(cluster, &s, job, diag)
					 : start_script(cluster, &s, job, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_is_missing(node))
			continue;
		tp_copy(node->job, sizeof(node->job), job);
		tp_node_set(node, TP_NODE_WAITING, NULL);
	}
	if (status == TP_OK)
		tp_copy(cluster->job, sizeof(cluster->job), job);
	release_words(&s);
	tp_str_release(&text);
	return status;
}

/* --- its states --- */

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	struct tp_batch_job job;
	bool any = false;
	for (size_t i = 0; i < cluster->n_nodes; i++)
		any |= !tp_node_has_ended(cluster->nodes[i].state);
	if (!any || !*cluster->job)
		return TP_OK;
	enum tp_status status = tp_slurm_ask(cluster, &job, diag);
	if (status == TP_OK)
		tp_job_set_nodes(cluster, &job);
	return status;
}

static enum tp_status cancel(struct tp_cluster *cluster, struct tp_diag *diag)
{
	/* By its name as well: a cluster.json from a stranger may name any job of the user. */
	const char *words[] = { "scancel", "--name=tprof", cluster->job, NULL };
	struct tp_str out = { 0 };
	if (!*cluster->job)
		return TP_OK;
	enum tp_status status = tp_slurm_run(cluster, words, &out, diag);
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
	.is_scheduler = true,
	.supported = is_supported,
	.nodes = tp_slurm_nodes,
	.warn = warn,
	.describe = describe,
	.submit = submit,
	.ask = ask,
	.cancel = cancel,
};
