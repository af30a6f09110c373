/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands that go on when tprof ends: for each, a process of ours waits in its own session. It
 * notes how the command ended, which only a parent learns.
 */
#include "cluster/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/now.h"
#include "base/tally.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/remote.h"
#include "record/limits.h"

#define PATIENCE_SECONDS 20.0
#define CANCEL_SECONDS	 25.0

/* Of a node's messages, the beginning and the end are kept, with a line between them. */
enum {
	OPEN_MAX_FD = 1024,
	END_BYTES = 32,
	SAID_LAST_BYTES = 8 << 10,
	SAID_FIRST_BYTES = TP_NODE_SAID_BYTES - SAID_LAST_BYTES - 1024
};

static const char cancelled_text[] = "cancelled\n";
static volatile sig_atomic_t end_asked;

static void on_end(int number)
{
	(void)number;
	end_asked = 1;
}

/* --- the process that waits --- */

/* Open descriptors are inherited: locks, and pipes to the parent's reader. */
static void leave_parent(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP };
	const struct sigaction action = { .sa_handler = on_end };
	sigset_t none;
	sigemptyset(&none);
	setsid();
	/* The screens handle signals, which their descriptors belong to. */
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	if (close_range(3, ~0u, 0) != 0) /* Linux before 5.9 */
		for (int fd = 3; fd < OPEN_MAX_FD; fd++)
			close(fd);
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (null >= 3)
		close(null);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigaction(SIGTERM, &action, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What the command prints, and how much of it there is. */
struct hearing {
	const char *output; /* see struct tp_detached */
	int fds[2]; /* of its output and its words, -1 = nowhere */
	uint64_t bytes[2]; /* that came */
	uint64_t room; /* of the output */
	int error; /* of writing the output */
	char last[SAID_LAST_BYTES]; /* of the words that are beyond the first */
	size_t n_last;
};

static int open_for(const char *path)
{
	int fd;
	tp_file_create(TP_TYPED_NOTHING, path, O_WRONLY | O_CREAT | O_APPEND, &fd, NULL);
	return fd;
}

/* Writes the beginning at once, and the end when it is complete. */
static void hear_words(struct hearing *h, const char *bytes, size_t n)
{
	size_t room = h->bytes[1] < SAID_FIRST_BYTES ? SAID_FIRST_BYTES - (size_t)h->bytes[1] : 0;
	size_t first = TP_MIN(n, room);
	tp_write_all(h->fds[1], bytes, first);
	bytes += first;
	n -= first;
	size_t kept = TP_MIN(n, sizeof(h->last)), old = TP_MIN(h->n_last, sizeof(h->last) - kept);
	memmove(h->last, h->last + h->n_last - old, old);
	memcpy(h->last + old, bytes + n - kept, kept);
	h->n_last = old + kept;
}

static void hear(void *context, size_t stream, const char *bytes, size_t n)
{
	struct hearing *h = context;
	if (stream == 1) {
		hear_words(h, bytes, n);
	} else if (h->output) {
		if (!h->bytes[0]) { /* a silent node leaves no journal */
			struct stat st = { 0 };
			h->fds[0] = open_for(h->output);
			if (h->fds[0] < 0)
				h->error = errno;
			else
				fstat(h->fds[0], &st);
			h->room = st.st_size < TP_JOURNAL_MAX_BYTES
					  ? TP_JOURNAL_MAX_BYTES - (uint64_t)st.st_size
					  : 0;
		}
		if (!h->error && h->bytes[0] + n <= h->room && !tp_write_all(h->fds[0], bytes, n))
			h->error = errno;
	}
	h->bytes[stream] += n;
}

static bool is_too_much(const struct hearing *h)
{
	return h->fds[0] >= 0 && h->bytes[0] > h->room;
}

static bool goes_on(void *context)
{
	return !end_asked && !is_too_much(context);
}

static bool nobody_asked(void *context)
{
	(void)context;
	return !end_asked;
}

/* The end of the messages, with this process's own remark. */
static void end_words(const struct hearing *h)
{
	TP_STR words = { 0 };
	uint64_t kept = SAID_FIRST_BYTES + h->n_last;
	if (h->bytes[1] > kept)
		tp_str_printf(&words, "\n[%" PRIu64 " bytes are left out here]\n",
			      h->bytes[1] - kept);
	tp_str_add_n(&words, h->last, h->n_last);
	if (h->error)
		tp_str_printf(&words, "\nwhat it measured cannot be written here: %s\n",
			      strerror(h->error));
	if (is_too_much(h))
		tp_str_printf(&words, "\nprinted more than %d MiB and was ended\n",
			      TP_JOURNAL_MAX_BYTES >> 20);
	tp_write_all(h->fds[1], tp_str_text(&words), words.len);
}

static void say(const struct hearing *h, const struct tp_diag *diag)
{
	TP_STR words = { 0 };
	tp_str_printf(&words, "\n%s: %s\n", diag->where, diag->what);
	tp_write_all(h->fds[1], tp_str_text(&words), words.len);
}

static void __attribute__((noreturn))
keep_watch(const struct tp_cluster *cluster, struct tp_cluster_node *node,
	   const struct tp_detached *detached)
{
	char path[TP_PATH_MAX], text[END_BYTES];
	struct hearing h = { .output = detached->output, .fds = { -1, -1 } };
	struct tp_command_run run;
	struct tp_diag diag = { 0 };
	leave_parent();
	h.fds[1] = open_for(tp_node_path(cluster, node, ".txt", path));
	const struct tp_command_line line = { .words = detached->words,
					      .input = detached->input,
					      .limit_seconds = INFINITY,
					      .patience_seconds = PATIENCE_SECONDS,
					      .heard = hear,
					      .listener = &h,
					      .go_on = goes_on,
					      .context = &h };
	enum tp_status status = tp_command_run(&line, &run, &diag);
	end_words(&h);
	if (status != TP_OK && status != TP_CANCELLED) {
		run.end.code = TP_SELF_NOT_STARTED;
		say(&h, &diag);
	} else if (detached->after && !end_asked) {
		diag = (struct tp_diag){ 0 };
		detached->after(cluster, node, run.end, nobody_asked, &diag);
		if (*diag.what)
			say(&h, &diag);
	}
	/* The next reader, this tprof or another one, then sees that it was cancelled. */
	if (end_asked)
		tp_copy(text, sizeof(text), cancelled_text);
	else
		snprintf(text, sizeof(text), run.end.signal ? "signal %d\n" : "exit %d\n",
			 run.end.signal ? run.end.signal : run.end.code);
	tp_file_write(TP_TYPED_NOTHING, tp_node_path(cluster, node, ".end", path), text,
		      strlen(text), NULL);
	_exit(0);
}

/* --- its parent, or a later tprof --- */

enum { MARK_BYTES = 16 }; /* that Linux keeps of a process's name */

/*
 * The name of the process that waits for the node. A foreign cluster.json may hold the number and
 * start of any process of the user; only processes of this directory have this name.
 */
static void make_mark(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		      char out[MARK_BYTES])
{
	struct stat st = { 0 };
	stat(cluster->directory, &st);
	uint64_t sum = tp_hash_text(tp_hash_step(TP_HASH_START, st.st_ino), node->name);
	snprintf(out, MARK_BYTES, "tprof-%08" PRIx32, (uint32_t)(sum ^ sum >> 32));
}

static long process_of(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	unsigned long long start;
	long pid;
	char mark[MARK_BYTES];
	if (sscanf(node->job, "%ld@%llu", &pid, &start) != 2 || pid <= 1)
		return 0;
	struct tp_process_look look;
	make_mark(cluster, node, mark);
	if (!tp_process_look((pid_t)pid, &look) || look.start_ticks != start ||
	    strcmp(look.name, mark) != 0)
		return 0;
	const bool ended = look.state == 'Z' || look.state == 'X';
	if (ended)
		waitpid((pid_t)pid, NULL, WNOHANG); /* if it is a child of this process */
	return ended ? 0 : pid;
}

bool tp_detached_lives(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	return process_of(cluster, node) != 0;
}

void tp_detached_cancel(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	long pid = process_of(cluster, node);
	if (pid)
		kill((pid_t)pid, SIGTERM);
}

/* Refuses if the processes of the cluster run belong to another machine. */
static enum tp_status detached_here(const struct tp_cluster *cluster, struct tp_diag *diag)
{
	char host[sizeof(cluster->host)] = "";
	gethostname(host, sizeof(host) - 1);
	if (!*cluster->host || strcmp(host, cluster->host) == 0)
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, cluster->name, "ask there",
		       "this cluster run was started on %.100s, where its processes are",
		       cluster->host);
}

void tp_node_forget_end(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	static const char *const tails[] = { ".end", ".ending", ".txt", TP_REMOTE_COMING };
	char path[TP_PATH_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(tails); i++)
		unlink(tp_node_path(cluster, node, tails[i], path));
}

enum tp_status tp_detached_start(const struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_detached *detached, struct tp_diag *diag)
{
	char name[MARK_BYTES] = "", mark[MARK_BYTES];
	tp_node_forget_end(cluster, node);
	make_mark(cluster, node, mark);
	fflush(NULL);
	/* Before it begins, so that it is visible at once. */
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, mark);
	pid_t pid = fork();
	if (pid == 0)
		keep_watch(cluster, node, detached);
	prctl(PR_SET_NAME, name);
	if (pid < 0)
		return tp_fail(diag, TP_RESOURCE, node->name,
			       "raise the limit on processes (ulimit -u)", "cannot be started: %s",
			       strerror(errno));
	struct tp_process_look look;
	tp_process_look(pid, &look);
	snprintf(node->job, sizeof(node->job), "%ld@%" PRIu64, (long)pid, look.start_ticks);
	tp_node_set(node, TP_NODE_RUNNING, NULL);
	return TP_OK;
}

/* The content of NAME.end; "" if there is no such file. */
static const char *read_end(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			    char out[END_BYTES + 1])
{
	char path[TP_PATH_MAX], *text;
	size_t len;
	out[0] = '\0';
	if (tp_is_file(tp_node_path(cluster, node, ".end", path)) &&
	    tp_file_read(path, END_BYTES, &text, &len, NULL) == TP_OK) {
		tp_copy(out, END_BYTES + 1, text);
		free(text);
	}
	return out;
}

bool tp_node_exit(const struct tp_cluster *cluster, const struct tp_cluster_node *node, int *number,
		  bool *signal)
{
	char text[END_BYTES + 1], word[8] = "";
	bool there = sscanf(read_end(cluster, node, text), "%7s %d", word, number) == 2;
	*signal = strcmp(word, "signal") == 0;
	return there;
}

void tp_detached_end(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		     const char *why)
{
	char text[END_BYTES + 1];
	tp_node_end(cluster, node, why);
	if (node->state != TP_NODE_DONE &&
	    strcmp(read_end(cluster, node, text), cancelled_text) == 0)
		tp_node_set(node, TP_NODE_CANCELLED, "cancelled by the user");
}

struct line {
	size_t from, to;
};

/* A line that begins with a blank is a hint to the one before. */
static struct line last_line(const char *text, size_t len)
{
	for (size_t from;; len = from) {
		while (len > 0 && strchr(" \t\r\n", text[len - 1]))
			len--;
		for (from = len; from > 0 && text[from - 1] != '\n' && text[from - 1] != '\r';)
			from--;
		if (from == len || text[from] != ' ')
			return (struct line){ from, len };
	}
}

/* A line of srun that says that a step has ended, and not why. */
static bool is_end_of_step(const char *text, struct line line)
{
	static const char srun[] = "srun: ";
	static const char *const ends[] = { ": Exited with exit code ",
					    ": Terminating StepId=", ": Job step aborted",
					    ": Application launch failed: " };
	const char *at = text + line.from;
	size_t n = line.to - line.from;
	if (n <= strlen(srun) || memcmp(at, srun, strlen(srun)) != 0)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(ends); i++)
		if (memmem(at, n, ends[i], strlen(ends[i])))
			return true;
	return false;
}

const char *tp_node_said(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 char *out, size_t size)
{
	char path[TP_PATH_MAX], end[2048];
	out[0] = '\0';
	int fd = open(tp_node_path(cluster, node, ".txt", path),
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	if (fd < 0)
		return out;
	off_t from = fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(end)
			     ? st.st_size - (off_t)sizeof(end)
			     : 0;
	ssize_t n = pread(fd, end, sizeof(end), from);
	close(fd);
	size_t len = n > 0 ? (size_t)n : 0;
	/* srun's own message hides the reason, unless it is the only one. */
	struct line last = last_line(end, len), line = last;
	while (is_end_of_step(end, line))
		line = last_line(end, line.from);
	if (line.from == line.to)
		line = last;
	return tp_shown(out, size, end + line.from, line.to - line.from);
}

const char *tp_node_ended_words(const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, char *out, size_t size)
{
	TP_STR text = { 0 };
	char said[192];
	int number = 0;
	bool signal = false;
	if (!tp_node_exit(cluster, node, &number, &signal)) {
		tp_copy(out, size, "was killed, or its machine was restarted");
		return out;
	}
	tp_process_end_text((struct tp_process_end){ .signal = signal ? number : 0,
						     .code = signal ? 0 : number },
			    &text);
	tp_node_said(cluster, node, said, sizeof(said));
	snprintf(out, size, "%s%s%s", tp_str_text(&text), *said ? ": " : "", said);
	return out;
}

enum tp_status tp_cluster_self(char out[TP_PATH_MAX], struct tp_diag *diag)
{
	ssize_t len = readlink("/proc/self/exe", out, TP_PATH_MAX - 1);
	if (len < 0)
		return tp_fail(diag, TP_IO, "/proc/self/exe", NULL, "%s", strerror(errno));
	out[len] = '\0';
	return TP_OK;
}

enum tp_status tp_detached_start_all(struct tp_cluster *cluster, const struct tp_launcher *launcher,
				     const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	enum tp_status status = detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		struct tp_diag why = { 0 };
		if (node->state == TP_NODE_DONE || tp_detached_lives(cluster, node))
			continue;
		/* One that cannot be started does not hold up the others. */
		if (tp_node_own_folder(cluster, node, &why) != TP_OK ||
		    launcher->start(cluster, node, wish, &why) != TP_OK)
			tp_node_set(node, TP_NODE_FAILED, why.what);
	}
	return status;
}

enum tp_status tp_detached_ask_all(struct tp_cluster *cluster, const struct tp_launcher *launcher,
				   struct tp_diag *diag)
{
	enum tp_status status = detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) && !tp_detached_lives(cluster, node))
			launcher->end(cluster, node);
	}
	return status;
}

enum tp_status tp_detached_cancel_all(struct tp_cluster *cluster, struct tp_diag *diag)
{
	const struct timespec pause = { 0, 20000000 };
	enum tp_status status = detached_here(cluster, diag);
	bool any = status == TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++)
		tp_detached_cancel(cluster, &cluster->nodes[i]);
	for (double until = tp_now_seconds() + CANCEL_SECONDS; any && tp_now_seconds() < until;) {
		any = false;
		for (size_t i = 0; i < cluster->n_nodes && !any; i++)
			any = tp_detached_lives(cluster, &cluster->nodes[i]);
		if (any)
			nanosleep(&pause, NULL);
	}
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state) || tp_detached_lives(cluster, node))
			continue;
		tp_detached_end(cluster, node, NULL);
	}
	if (status == TP_OK && any)
		status = tp_fail(diag, TP_FAILED, cluster->name, "cancel again later",
				 "some nodes still end their points");
	return status;
}

/* --- --cluster local:N: N engines on this machine, to try things out and for tests --- */

enum { LOCAL_MAX = 64, WORDS_MAX = 32 };

static enum tp_status is_supported(struct tp_diag *diag)
{
	char self[TP_PATH_MAX];
	return tp_cluster_self(self, diag);
}

static enum tp_status name_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	uint64_t n;
	if (!tp_parse_u64(wish->where, &n) || n < 1 || n > LOCAL_MAX)
		return tp_fail(diag, TP_USAGE, "--cluster local", "such as local:4",
			       "\"%.60s\" is not a number of nodes from 1 to %d", wish->where,
			       LOCAL_MAX);
	const char *odd = wish->nodes ? "--nodes" : wish->partition ? "--partition" : "--program";
	if (wish->nodes || wish->partition || wish->program)
		return tp_fail(diag, TP_USAGE, odd, "leave it out",
			       "local:N is the only choice here");
	enum tp_status status = TP_OK;
	for (unsigned i = 1; i <= n && status == TP_OK; i++) {
		char name[TP_NODE_NAME_BYTES];
		snprintf(name, sizeof(name), n < 10 ? "node-%u" : "node-%02u", i);
		status = tp_cluster_add(cluster, name, diag);
	}
	tp_cluster_sort(cluster);
	return status == TP_OK ? tp_cluster_self(cluster->program, diag) : status;
}

/* The command of a node: an array of the arena up to NULL. */
static enum tp_status command_of(const struct tp_cluster *cluster,
				 const struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_arena *arena,
				 char *words[WORDS_MAX], struct tp_diag *diag)
{
	const char *emulator = getenv("TPROF_EMULATOR");
	char directory[TP_PATH_MAX], **before = NULL;
	size_t n = 0, n_before = 0;
	char part[32];
	bool again = tp_node_has_run(cluster, node);
	tp_node_domain(cluster, node, part);
	tp_node_path(cluster, node, "", directory);
	if (emulator && *emulator) {
		enum tp_status status = tp_command_split(emulator, arena, &before, &n_before, diag);
		if (status != TP_OK)
			return status;
	}
	for (size_t i = 0; i < n_before && n < WORDS_MAX / 2; i++)
		words[n++] = before[i];
	const char *const rest[] = { cluster->program,
				     again ? "--resume" : "--batch",
				     again ? directory : wish->preset_path,
				     "--quiet",
				     wish->allow_code ? "--allow-code" : NULL,
				     *part ? "--bind" : NULL,
				     *part ? part : NULL,
				     again ? NULL : "--run-dir",
				     again ? NULL : directory };
	for (size_t i = 0; i < TP_COUNT_OF(rest); i++)
		if (rest[i])
			words[n++] = tp_arena_strdup(arena, rest[i]);
	words[n] = NULL;
	return TP_OK;
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		TP_STR line = { 0 };
		TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
		char *words[WORDS_MAX];
		status = command_of(cluster, &cluster->nodes[i], wish, &arena, words, diag);
		for (size_t k = 0; status == TP_OK && words[k]; k++)
			tp_command_join(&line, words[k]);
		tp_str_printf(out, "%s\n", tp_str_text(&line));
	}
	return status;
}

static enum tp_status start_node(struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	char *words[WORDS_MAX];
	enum tp_status status = command_of(cluster, node, wish, &arena, words, diag);
	if (!tp_node_has_run(cluster, node))
		tp_node_clear(cluster, node);
	if (status == TP_OK)
		status = tp_detached_start(cluster, node, &(struct tp_detached){ .words = words },
					   diag);
	return status;
}

static void end_node(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	char words[256];
	tp_detached_end(cluster, node, tp_node_ended_words(cluster, node, words, sizeof(words)));
}

const struct tp_launcher tp_launcher_local = {
	.name = "local",
	.summary = "N engines on this machine, to try things out",
	.supported = is_supported,
	.nodes = name_nodes,
	.describe = describe,
	.start = start_node,
	.end = end_node,
};
