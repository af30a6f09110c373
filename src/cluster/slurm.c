/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster slurm: one job with a step for each node. Nodes that share the run directory write into
 * it, and Slurm's own sbatch runs the script on the first of them. Otherwise the script runs here,
 * in an allocation of salloc, and srun brings back what the nodes have measured. The directory and
 * the program are arguments of the script, so that it contains no foreign text.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/tally.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/detached.h"
#include "cluster/remote.h"

/* --- its commands --- */

#define LIMIT_SECONDS 60.0

/* Linux takes words of commands up to 128 KiB. */
enum { COMMAND_WORDS_MAX = 24, LEAST_MINUTES = 5, WORD_MAX_BYTES = 100 << 10 };

/* Tests of a scheduler that does not answer have less patience. */
static double limit_seconds(void)
{
	const char *text = secure_getenv("TPROF_TEST_SCHEDULER_SECONDS");
	double seconds = text ? strtod(text, NULL) : 0;
	return seconds > 0 && seconds < LIMIT_SECONDS ? seconds : LIMIT_SECONDS;
}

/*
 * Runs a command of Slurm: `words` up to NULL. *out gets what it printed. TP_FAILED with its last
 * line where it failed, or where it did not answer in time.
 */
static enum tp_status run_command(const struct tp_cluster *cluster, const char *const *words,
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
					 : "failed without a message");
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

/* --- time --- */

/*
 * Minutes of "30", "30:00", "2:00:00", "1-12" or "1-12:30:00", as sbatch and sinfo write them;
 * INFINITY of "infinite" and "UNLIMITED". False: neither.
 */
static bool read_minutes(const char *text, double *minutes)
{
	unsigned long part[3] = { 0 }, days = 0;
	const char *dash = strchr(text, '-'), *at = dash ? dash + 1 : text;
	char *end;
	size_t n = 0;
	if (strcmp(text, "infinite") == 0 || strcmp(text, "UNLIMITED") == 0) {
		*minutes = INFINITY;
		return true;
	}
	if (dash && (*text < '0' || *text > '9' || (days = strtoul(text, &end, 10), end != dash)))
		return false;
	for (;; at++) {
		if (n == TP_COUNT_OF(part) || *at < '0' || *at > '9')
			return false;
		part[n++] = strtoul(at, &end, 10);
		at = end;
		if (*at != ':')
			break;
	}
	if (*at)
		return false;
	/* "hours[:minutes[:seconds]]" after days, else "minutes[:seconds]" or all three. */
	double hours = dash || n == 3 ? (double)part[0] : 0;
	double min = dash || n == 3 ? (double)part[1] : (double)part[0];
	double seconds = dash || n == 3 ? (double)part[2] : (double)part[1];
	*minutes = (double)days * 24 * 60 + hours * 60 + min + seconds / 60;
	return true;
}

/* The longest job that the partition takes, cluster->where or the default one; INFINITY = no limit
 * is known.
 */
static double partition_minutes(const struct tp_cluster *cluster)
{
	const char *partition = cluster->where;
	const char *words[] = { "sinfo",
				"-h",
				"-o",
				"%P %l",
				*partition ? "-p" : NULL,
				*partition ? partition : NULL,
				NULL };
	TP_STR text = { 0 };
	double minutes = INFINITY;
	run_command(cluster, words, &text, NULL);
	/* "NAME LIMIT" lines; the default one has a star. */
	char *rest = text.s;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char name[128] = "", limit[32] = "";
		double own;
		if (sscanf(line, "%127s %31s", name, limit) == 2 &&
		    (*partition || strchr(name, '*')) && read_minutes(limit, &own))
			minutes = fmin(minutes, own);
	}
	return minutes;
}

/* --- nodes, as sinfo lists them --- */

enum { SINFO_WORDS_MAX = 16 };

/* A name of a partition that may become a word of a command: never an option, nothing odd. */
static bool partition_is_good(const char *name)
{
	return tp_text_is_plain(name, "_.", "-_.");
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

/* "NODE STATE SOCKETS" lines; idle nodes come first if only some are needed. */
static enum tp_status take_nodes(struct tp_cluster *cluster, char *text, uint64_t wanted, bool idle,
				 bool all, struct tp_diag *diag)
{
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char name[TP_NODE_NAME_BYTES + 1] = "", state[32] = "";
		unsigned sockets = 0;
		if (sscanf(line, "%72s %31s %4u", name, state, &sockets) < 2 ||
		    (wanted && cluster->n_nodes == wanted) || tp_cluster_node(cluster, name) ||
		    (idle && strcmp(state, "idle") != 0) || (!all && !can_be_used(state)))
			continue;
		enum tp_status status = tp_cluster_add(cluster, name, diag);
		if (status != TP_OK)
			return status;
		tp_cluster_node(cluster, name)->n_parts = sockets;
	}
	return TP_OK;
}

static enum tp_status no_nodes(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_diag *diag)
{
	static const char *const words[] = { "sinfo", "-h", "-o", "%R", NULL };
	TP_STR partitions = { 0 };
	char hint[200];
	run_command(cluster, words, &partitions, NULL);
	for (char *c = partitions.s; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	snprintf(hint, sizeof(hint), "partitions: %.160s", tp_str_text(&partitions));
	return tp_fail(diag, TP_USAGE, wish->partition ? wish->partition : "--cluster slurm", hint,
		       "%s has no node that can be used now",
		       wish->nodes	 ? "that list"
		       : wish->partition ? "that partition, if there is one,"
					 : "this cluster");
}

static enum tp_status name_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	const char *words[SINFO_WORDS_MAX] = { "sinfo", "-h", "-N", "-o", "%N %t %X" };
	size_t n = 5;
	uint64_t wanted = 0;
	TP_STR text = { 0 };
	if (*wish->where)
		return tp_fail(diag, TP_USAGE, "--cluster slurm", "give --partition and --nodes",
			       "takes no argument");
	if (wish->partition && !partition_is_good(wish->partition))
		return tp_fail(diag, TP_USAGE, "--partition", "a name of sinfo -o %R",
			       "this is not a name of a partition");
	if (wish->nodes && !tp_text_is_plain(wish->nodes, "_.,[]", "-_.,[]"))
		return tp_fail(diag, TP_USAGE, "--nodes", "4, or n1,n2, or n[1-4,7]",
			       "neither a number of nodes nor a list of nodes");
	double minutes;
	if (wish->time_limit && !(tp_text_is_plain(wish->time_limit, ":", "-:") &&
				  read_minutes(wish->time_limit, &minutes)))
		return tp_fail(diag, TP_USAGE, "--time-limit", "minutes, or hours:minutes:seconds",
			       "is not a Slurm time limit");
	if (wish->program && !tp_text_is_plain(wish->program, "_./+", "-_./+"))
		return tp_fail(diag, TP_USAGE, "--program",
			       "a path of letters, digits and \"-_./+\"",
			       "this is not a path that every node takes");
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
	enum tp_status status = run_command(cluster, words, &text, diag);
	TP_FREE char *copy = status == TP_OK ? tp_strdup(tp_str_text(&text)) : NULL;
	/* Those that can begin at once, then others. Named nodes are taken as they are. */
	if (copy && count)
		status = take_nodes(cluster, copy, wanted, true, false, diag);
	if (status == TP_OK && text.s)
		status = take_nodes(cluster, text.s, wanted, false, wish->nodes && !count, diag);
	tp_cluster_sort(cluster);
	if (status == TP_OK && !cluster->n_nodes)
		status = no_nodes(cluster, wish, diag);
	if (status == TP_OK && cluster->n_nodes < wanted)
		status = tp_fail(diag, TP_USAGE, "--nodes", "see sinfo -N",
				 "%.20s nodes are wanted, and %zu can be used now", wish->nodes,
				 cluster->n_nodes);
	if (status != TP_OK)
		return status;
	cluster->shared = !wish->not_shared;
	tp_copy(cluster->where, sizeof(cluster->where), wish->partition ? wish->partition : "");
	if (wish->program)
		tp_copy(cluster->program, sizeof(cluster->program), wish->program);
	else
		status = tp_cluster_self(cluster->program, diag);
	return status;
}

/* The status of a step or script that does not see the folder of the cluster run. */
#define UNSEEN	    72
#define UNSEEN_TEXT "72"

/* A node with missing points. */
static bool is_missing(const struct tp_cluster_node *node)
{
	return node->state != TP_NODE_DONE && node->state != TP_NODE_RUNNING;
}

/*
 * Binding is left to tprof, which takes the CPUs that it is given. Parts of a node are steps that
 * share it.
 */
static const char *step_on_node(const struct tp_cluster *cluster)
{
	return *cluster->per
		       ? "srun --nodes=1 --ntasks=1 --nodelist=\"$host\" --job-name=\"$name\" "
			 "--cpu-bind=none --overlap --unbuffered \"$@\""
		       : "srun --nodes=1 --ntasks=1 --nodelist=\"$host\" --job-name=\"$name\" "
			 "--cpu-bind=none --unbuffered \"$@\"";
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

/* Other readers than `head` drain the rest: a step must not end because its reader left. */
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

/*
 * The script of a job for the missing nodes. `on` is the body of a shell function that runs its
 * words "$@" as a step called "$name" on "$host". $1 of the script is the folder of the cluster
 * run, $2 is tprof. With cluster->shared it runs on a node, and nodes write into the folder; else
 * it runs here, and events come back through the standard output of the steps. It contains no
 * foreign text except names of nodes, which are checked.
 */
static void add_script(const struct tp_cluster *cluster, const char *on, bool allow_code,
		       struct tp_str *out)
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
		if (is_missing(&cluster->nodes[i]))
			add_node(cluster, &cluster->nodes[i], allow_code, out);
	tp_str_add(out, "wait\n");
}

/* Before it is submitted: removes what an earlier try of a missing node may have left half done. */
static enum tp_status prepare_nodes(const struct tp_cluster *cluster, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		char journal[TP_PATH_MAX];
		if (!is_missing(node))
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

/* --- the job --- */

/* --time-limit, or else twice the planned time plus time to start, within the partition's limit. */
static double minutes_of(const struct tp_cluster *cluster, double most)
{
	double minutes;
	if (*cluster->time_limit && read_minutes(cluster->time_limit, &minutes))
		return minutes > 0 ? minutes : INFINITY; /* as sbatch reads a 0 */
	minutes = fmin(ceil(2 * cluster->seconds / 60) + LEAST_MINUTES, 1e6);
	return most >= 1 ? fmin(minutes, floor(most)) : minutes;
}

static void warn(const struct tp_cluster *cluster, struct tp_diags *remarks)
{
	double most = partition_minutes(cluster);
	double minutes = minutes_of(cluster, most);
	char needs[48], has[48];
	tp_format_seconds(needs, sizeof(needs), cluster->seconds);
	if (minutes > most)
		tp_diags_note(remarks, "--time-limit", "sinfo -o \"%P %l\" lists the limits",
			      "the partition allows %s: the job may never start",
			      tp_format_seconds(has, sizeof(has), most * 60));
	if (cluster->seconds > fmin(minutes, most) * 60)
		tp_diags_note(remarks, "--time-limit",
			      "points that are finished by then stay, tprof --resume measures the "
			      "others",
			      "the preset takes %s by its estimate, and the job ends after %s",
			      needs, tp_format_seconds(has, sizeof(has), fmin(minutes, most) * 60));
}

struct submission {
	const char *words[COMMAND_WORDS_MAX];
	char nodes[32], time[48], script[TP_PATH_MAX], hosts[TP_PATH_MAX];
	struct tp_str list; /* of hosts: a word or, if it is too long, the file `hosts` */
	struct tp_str where, partition;
};

static bool is_long(const struct submission *s)
{
	return s->list.len > WORD_MAX_BYTES;
}

static enum tp_status make_words(struct submission *s, const struct tp_cluster *cluster,
				 struct tp_diag *diag)
{
	size_t n = 0, n_nodes = 0;
	snprintf(s->script, sizeof(s->script), "%s/job.sh", cluster->directory);
	snprintf(s->hosts, sizeof(s->hosts), "%s/hosts.txt", cluster->directory);
	if (*cluster->where && !partition_is_good(cluster->where))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL,
			       "cluster.json has an invalid name of a partition");
	char before[TP_NODE_NAME_BYTES] = "";
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		char host[TP_NODE_NAME_BYTES];
		tp_node_host(cluster, &cluster->nodes[i], host);
		/* Parts of a host stand together. */
		if (!is_missing(&cluster->nodes[i]) || strcmp(host, before) == 0)
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
			 minutes_of(cluster, partition_minutes(cluster)));
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
		/* Messages of the script itself; each step has its own file. */
		s->words[n++] = "--output=/dev/null";
	} else {
		s->words[n++] = "sh";
	}
	s->words[n++] = s->script;
	s->words[n++] = cluster->directory;
	s->words[n++] = cluster->program;
	return TP_OK;
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
	TP_CLEANUP(release_words) struct submission s = { 0 };
	enum tp_status status = make_words(&s, cluster, diag);
	for (size_t i = 0; s.words[i] && status == TP_OK; i++)
		tp_command_join(out, s.words[i]);
	tp_str_add(out, "\n\n");
	if (status == TP_OK)
		add_script(cluster, step_on_node(cluster), wish->allow_code, out);
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
				 "gave no number of the job");
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
	/* Its output and its end have a name that no node has. */
	struct tp_cluster_node process = { .name = "_job" };
	const struct tp_detached detached = { .words = (char *const *)s->words };
	const struct timespec pause = { 0, 20000000 };
	char path[TP_PATH_MAX], said[200], *file;
	const char *text;
	tp_node_path(cluster, &process, ".txt", path);
	enum tp_status status = tp_detached_start(cluster, &process, &detached, diag);
	double until = tp_now_seconds() + limit_seconds();
	while (status == TP_OK && !find_id(path, &text, &file)) {
		if (!tp_detached_lives(cluster, &process))
			return tp_fail(diag, TP_FAILED, s->words[0], NULL, "%s",
				       *tp_node_said(cluster, &process, said, sizeof(said))
					       ? said
					       : "failed without a message");
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
	TP_CLEANUP(release_words) struct submission s = { 0 };
	TP_STR text = { 0 }, said = { 0 };
	char job[TP_CLUSTER_JOB_BYTES] = "";
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (!tp_node_has_ended(cluster->nodes[i].state) && *cluster->nodes[i].job)
			return tp_fail(diag, TP_RESOURCE, cluster->name,
				       "wait for the end of the job, or tprof --cluster cancel",
				       "job %s still waits or runs", cluster->nodes[i].job);
	enum tp_status status = make_words(&s, cluster, diag);
	if (status == TP_OK)
		status = prepare_nodes(cluster, diag);
	if (status == TP_OK) {
		add_script(cluster, step_on_node(cluster), wish->allow_code, &text);
		status = tp_file_write(TP_TYPED_NOTHING, s.script, tp_str_text(&text), text.len,
				       diag);
	}
	if (status == TP_OK && is_long(&s)) {
		TP_STR lines = { 0 };

		tp_str_printf(&lines, "%s\n", tp_str_text(&s.list));
		for (size_t i = 0; i < lines.len; i++)
			if (lines.s[i] == ',')
				lines.s[i] = '\n';
		status = tp_file_write(TP_TYPED_NOTHING, s.hosts, tp_str_text(&lines), lines.len,
				       diag);
	}
	if (status == TP_OK && !cluster->shared)
		status = start_script(cluster, &s, job, diag);
	else if (status == TP_OK &&
		 (status = run_command(cluster, s.words, &said, diag)) == TP_OK) {
		/* "17", or "17;cluster" with several; warnings may precede it. */
		const char *at = tp_str_text(&said), *line = at;
		for (; *at; at++)
			if (*at == '\n' && at[1])
				line = at + 1;
		status = take_id(s.words[0], line, job, diag);
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
	return status;
}

/* --- the state of a job: by squeue, and when that has forgotten it by the accounts --- */

enum phase { TP_JOB_WAITS, TP_JOB_RUNS, TP_JOB_ENDED };

struct job {
	enum phase phase;
	char why[160]; /* why it waits, or was cut short; "" = unknown */
	bool cancelled; /* it has ended so */
	int code; /* exit status of its script; 0 = unknown, too */
};

enum { WORD_BYTES = 64 };

/*
 * How it ended, with the exit status of its script: from the accounting, or else from the
 * controller. "" = unknown.
 */
static void ask_end(const struct tp_cluster *cluster, char state[WORD_BYTES], int *code)
{
	const char *accounts[] = { "sacct",	     "-X", "-n", "-P", "-j", cluster->job, "-o",
				   "State,ExitCode", NULL };
	const char *control[] = { "scontrol", "-o", "show", "job", cluster->job, NULL };
	TP_STR out = { 0 };
	state[0] = '\0';
	/* "FAILED|72:0", "CANCELLED by 1000|0:15" */
	if (run_command(cluster, accounts, &out, NULL) == TP_OK) {
		const char *at = strchr(tp_str_text(&out), '|');
		sscanf(tp_str_text(&out), "%63[A-Z_]", state);
		if (at)
			sscanf(at, "|%d", code);
	}
	tp_str_clear(&out);
	if (!*state && run_command(cluster, control, &out, NULL) == TP_OK) {
		const char *at = strstr(tp_str_text(&out), "JobState=");
		if (at)
			sscanf(at, "JobState=%63[A-Z_]", state);
		at = strstr(tp_str_text(&out), " ExitCode=");
		if (at)
			sscanf(at, " ExitCode=%d", code);
	}
}

struct state {
	const char *name;
	enum phase phase;
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

/*
 * Any other state in the queue means that it has nodes: RUNNING, COMPLETING, CONFIGURING,
 * SUSPENDED, ...
 */
static struct state state_of(const char *name)
{
	for (size_t i = 0; i < TP_COUNT_OF(states); i++)
		if (strcmp(states[i].name, name) == 0)
			return states[i];
	return (struct state){ name, *name ? TP_JOB_RUNS : TP_JOB_ENDED, NULL };
}

static enum tp_status ask_job(const struct tp_cluster *cluster, struct job *job,
			      struct tp_diag *diag)
{
	const char *words[] = { "squeue", "-h", "-j", cluster->job, "-o", "%T|%r", NULL };
	char name[WORD_BYTES] = "", reason[WORD_BYTES] = "";
	TP_STR out = { 0 };
	struct tp_diag why = { 0 };
	*job = (struct job){ 0 };
	enum tp_status status = run_command(cluster, words, &out, &why);
	/* It forgets a job some minutes after its end. */
	if (status != TP_OK && !(status == TP_FAILED && strstr(why.what, "Invalid job id"))) {
		if (diag)
			*diag = why;
		return status;
	}
	sscanf(tp_str_text(&out), "%63[A-Z_]|%63[^\n]", name, reason);
	tp_clean(reason, "");
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

/* --- states of nodes --- */

static void say_unseen(const struct tp_cluster *cluster, char *out, size_t size)
{
	snprintf(out, size,
		 "does not see %.150s: put it on a file system that the nodes share, or submit "
		 "with --no-shared",
		 cluster->directory);
}

/* A node of a job that runs or has run. */
static void set_node_state(const struct tp_cluster *cluster, struct tp_cluster_node *node,
			   const struct job *job)
{
	char words[256];
	int number;
	bool signal, noted = tp_node_exit(cluster, node, &number, &signal);
	/* How its step ended, by what the script has noted. */
	if (noted && cluster->shared && !signal && number == UNSEEN)
		say_unseen(cluster, words, sizeof(words));
	else if (noted && !tp_remote_lacks_program(cluster, node, words, sizeof(words)))
		tp_node_ended_words(cluster, node, words, sizeof(words));
	const char *why = noted ? words : "its job ended without a message from the node";
	if (job->phase == TP_JOB_RUNS && !noted) {
		tp_node_set(node, TP_NODE_RUNNING, NULL);
		return;
	}
	if (job->phase == TP_JOB_ENDED && *job->why)
		why = job->why;
	else if (!noted && job->code == UNSEEN)
		say_unseen(cluster, words, sizeof(words)), why = words;
	if (!cluster->shared)
		tp_remote_take(cluster, node, NULL);
	tp_node_end(cluster, node, why);
	if (job->phase == TP_JOB_ENDED && job->cancelled && node->state != TP_NODE_DONE)
		tp_node_set(node, TP_NODE_CANCELLED, why);
}

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	struct job job;
	bool any = false;
	for (size_t i = 0; i < cluster->n_nodes; i++)
		any |= !tp_node_has_ended(cluster->nodes[i].state);
	if (!any || !*cluster->job)
		return TP_OK;
	enum tp_status status = ask_job(cluster, &job, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state))
			continue;
		if (job.phase == TP_JOB_WAITS)
			tp_node_set(node, TP_NODE_WAITING, job.why);
		else
			set_node_state(cluster, node, &job);
	}
	return status;
}

static enum tp_status cancel(struct tp_cluster *cluster, struct tp_diag *diag)
{
	/* By its name as well: a foreign cluster.json may name any job of the user. */
	const char *words[] = { "scancel", "--name=tprof", cluster->job, NULL };
	TP_STR out = { 0 };
	if (!*cluster->job)
		return TP_OK;
	enum tp_status status = run_command(cluster, words, &out, diag);
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
	.nodes = name_nodes,
	.warn = warn,
	.describe = describe,
	.submit = submit,
	.ask = ask,
	.cancel = cancel,
};
