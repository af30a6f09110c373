/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent's side of the protocol. */
#include "routines/worker.h"
#include "routines/worker_start.h"
#include "base/file.h"
#include "base/now.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Silence beyond what is expected that is taken for a hang. */
#define PATIENCE_SECONDS 60.0
/* What a first call may take on a slow machine: the plainest BLAS, and pages given at this rate. */
#define SLOWEST_FLOP_PER_SECOND	 2e8
#define SLOWEST_BYTES_PER_SECOND 1e8
/* A call of a routine may take so many times as long as the first did. */
#define SLOWER_BY 20.0
/* A worker that does not stop a run when asked is killed. */
#define CANCEL_SECONDS 2.0

enum { POLL_MS = 20 };

struct tp_worker {
	struct tp_worker_process process;
	struct tp_str in; /* heard, not yet taken */
	double *call_seconds; /* of each slot, of its first call */
	size_t n_slots, cap_slots;
};

/* What a wait for a line has to obey. */
struct waiting {
	double patience_seconds; /* of silence */
	bool (*go_on)(void *context);
	void *context;
	bool cancelled;
	double cancelled_at;
};

static bool send_text(struct tp_worker *worker, const struct tp_str *text)
{
	return tp_write_all(worker->process.fd, tp_str_text(text), text->len) && !text->oom;
}

/* The end of a worker, in words; nothing can be asked of it from then on. */
static enum tp_status gone(struct tp_worker *worker, struct tp_diag *diag)
{
	struct tp_str how = { 0 };
	if (worker->process.pid < 0)
		return tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker is no longer there");
	tp_worker_process_end(&worker->process, &how);
	enum tp_status status =
		tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker %s", tp_str_text(&how));
	tp_str_release(&how);
	return status;
}

static enum tp_status hung(struct tp_worker *worker, double seconds, struct tp_diag *diag)
{
	tp_worker_process_end(&worker->process, NULL);
	return tp_fail(diag, TP_CRASHED, "worker", NULL,
		       "the worker hung: nothing heard for %.0f s", seconds);
}

/* Asks once, then waits a little, then kills. */
static bool end_by_cancel(struct tp_worker *worker, struct waiting *w)
{
	struct tp_str word = { 0 };
	if (!w->cancelled) {
		w->cancelled = true;
		w->cancelled_at = tp_now_seconds();
		tp_str_add(&word, "cancel\n");
		send_text(worker, &word);
		tp_str_release(&word);
		return false;
	}
	return tp_now_seconds() - w->cancelled_at > CANCEL_SECONDS;
}

/* The next line, on the heap. TP_CRASHED; TP_CANCELLED only when the worker did not stop and had to be killed. */
static enum tp_status hear_line(struct tp_worker *worker, struct waiting *w, char **line,
				struct tp_diag *diag)
{
	char buffer[4096], *end;
	double heard_at = tp_now_seconds();
	*line = NULL;
	if (worker->process.pid < 0)
		return gone(worker, diag);
	while (!worker->in.len || !(end = memchr(worker->in.s, '\n', worker->in.len))) {
		if ((w->cancelled || (w->go_on && !w->go_on(w->context))) &&
		    end_by_cancel(worker, w)) {
			tp_worker_process_end(&worker->process, NULL);
			return tp_fail(diag, TP_CANCELLED, "worker", NULL, "cancelled");
		}
		if (tp_now_seconds() - heard_at > w->patience_seconds)
			return hung(worker, w->patience_seconds, diag);
		struct pollfd p = { .fd = worker->process.fd, .events = POLLIN };
		if (poll(&p, 1, POLL_MS) <= 0)
			continue;
		ssize_t n = recv(worker->process.fd, buffer, sizeof(buffer), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return gone(worker, diag);
		heard_at = tp_now_seconds();
		tp_str_add_n(&worker->in, buffer, (size_t)n);
		if (worker->in.oom)
			return tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
	}
	size_t len = (size_t)(end - worker->in.s);
	*line = strndup(worker->in.s, len);
	memmove(worker->in.s, end + 1, worker->in.len - len); /* with the NUL */
	worker->in.len -= len + 1;
	return *line ? TP_OK : tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
}

/* The diagnosis in "error STATUS TAB where TAB what TAB hint". */
static enum tp_status take_error(char *line, struct tp_diag *diag)
{
	char *words[4] = { NULL, "", "", "" }, *rest = line + strlen("error ");
	for (size_t i = 0; i < TP_COUNT_OF(words) && rest; i++)
		words[i] = strsep(&rest, "\t");
	for (unsigned i = TP_FAILED; i < TP_STATUS_COUNT; i++)
		if (strcmp(words[0], tp_status_name((enum tp_status)i)) == 0)
			return tp_fail(diag, (enum tp_status)i, words[1], words[3], "%s", words[2]);
	return tp_fail(diag, TP_INTERNAL, "worker", NULL, "the worker answered: %.100s", words[0]);
}

static enum tp_status unexpected(const char *line, struct tp_diag *diag)
{
	return tp_fail(diag, TP_INTERNAL, "worker", NULL, "the worker answered: %.100s", line);
}

/* Sends `command` (NULL = nothing, released here) and hears one line, which is no error; the caller frees it. */
static enum tp_status ask(struct tp_worker *worker, struct tp_str *command, struct waiting *w,
			  char **line, struct tp_diag *diag)
{
	*line = NULL;
	bool dead = worker->process.pid < 0 || (command && !send_text(worker, command));
	if (command)
		tp_str_release(command);
	if (dead)
		return gone(worker, diag);
	enum tp_status status = hear_line(worker, w, line, diag);
	if (status != TP_OK || strncmp(*line, "error ", 6) != 0)
		return status;
	status = take_error(*line, diag);
	free(*line);
	*line = NULL;
	return status;
}

enum tp_status tp_worker_start(struct tp_worker **worker, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_worker *made = *worker = NULL;
	char *line = NULL;
	if (n > TP_ROUTINE_CPUS_MAX)
		return tp_fail(diag, TP_USAGE, "worker", "at most 1024 CPUs", "%u CPUs", n);
	made = calloc(1, sizeof(*made));
	if (!made)
		return tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
	enum tp_status status = tp_worker_process_start(&made->process, cpus, n, diag);
	if (status == TP_OK)
		status = ask(made, NULL, &w, &line, diag);
	if (status == TP_OK && strcmp(line, "hello") != 0)
		status = unexpected(line, diag);
	free(line);
	if (status != TP_OK) {
		tp_worker_stop(made);
		return status;
	}
	*worker = made;
	return TP_OK;
}

enum tp_status tp_worker_open(struct tp_worker *worker, const struct tp_routine_config *config,
			      unsigned *slot, struct tp_diag *diag)
{
	const uint64_t *size = config->size;
	struct tp_str command = { 0 };
	struct waiting w = { .patience_seconds =
				     PATIENCE_SECONDS +
				     3 * tp_routine_flop(config) / SLOWEST_FLOP_PER_SECOND +
				     tp_routine_bytes(config) / SLOWEST_BYTES_PER_SECOND };
	char *line;
	size_t at;
	double seconds;
	if (!config->n_cpus || config->n_cpus > TP_ROUTINE_CPUS_MAX ||
	    strchr(config->library, '\n'))
		return tp_fail(diag, TP_USAGE, tp_routine_name(config->id), NULL,
			       "1 to 1024 CPUs, and the name of a library without line breaks");
	tp_str_printf(&command, "open %s %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
		      tp_routine_name(config->id), size[0], size[1], size[2]);
	for (unsigned i = 0; i < config->n_cpus; i++)
		tp_str_printf(&command, "%s%u", i ? "," : "", config->cpus[i]);
	tp_str_printf(&command, ":%s %s\n", tp_pages_name(config->pages), config->library);
	enum tp_status status = ask(worker, &command, &w, &line, diag);
	if (status != TP_OK)
		return status;
	if (sscanf(line, "ok %zu %lf", &at, &seconds) != 2)
		status = unexpected(line, diag);
	else
		status = tp_vec_reserve((void **)&worker->call_seconds, &worker->cap_slots, at + 1,
					sizeof(*worker->call_seconds));
	if (status == TP_OK) {
		worker->call_seconds[at] = seconds;
		worker->n_slots = TP_MAX(worker->n_slots, at + 1);
		*slot = (unsigned)at;
	}
	free(line);
	return status;
}

enum tp_status tp_worker_gauge(struct tp_worker *worker, double clock_hz, double *width,
			       struct tp_diag *diag)
{
	struct tp_str command = { 0 };
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	char *line;
	tp_str_printf(&command, "gauge %.17g\n", clock_hz);
	enum tp_status status = ask(worker, &command, &w, &line, diag);
	if (status != TP_OK)
		return status;
	if (sscanf(line, "ok %lf", width) != 1)
		status = unexpected(line, diag);
	free(line);
	return status;
}

enum tp_status tp_worker_run(struct tp_worker *worker, unsigned slot, unsigned n, double *seconds,
			     double *widths, bool (*go_on)(void *context), void *context,
			     struct tp_diag *diag)
{
	struct tp_str command = { 0 };
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS,
			     .go_on = go_on,
			     .context = context };
	char *line;
	if (slot < worker->n_slots)
		w.patience_seconds += SLOWER_BY * worker->call_seconds[slot];
	tp_str_printf(&command, "run %u %u\n", slot, n);
	enum tp_status status = ask(worker, &command, &w, &line, diag);
	if (status != TP_OK)
		return status;
	char *at = line + strcspn(line, " ");
	unsigned got = 0;
	for (char *end; got < n; got++, at = end) {
		seconds[got] = strtod(at, &end);
		if (end == at)
			break;
		double width = *end == '/' ? strtod(end + 1, &end) : 0;
		if (widths)
			widths[got] = width;
	}
	if (w.cancelled)
		status = tp_fail(diag, TP_CANCELLED, "worker", NULL, "cancelled");
	else if (strncmp(line, "seconds", 7) != 0 || got < n || *at)
		status = unexpected(line, diag);
	free(line);
	return status;
}

void tp_worker_close(struct tp_worker *worker, unsigned slot)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_str command = { 0 };
	char *line;
	tp_str_printf(&command, "close %u\n", slot);
	/* A worker that is gone has closed everything. */
	if (ask(worker, &command, &w, &line, NULL) == TP_OK)
		free(line);
}

void tp_worker_stop(struct tp_worker *worker)
{
	if (!worker)
		return;
	tp_worker_process_end(&worker->process, NULL);
	tp_str_release(&worker->in);
	free(worker->call_seconds);
	free(worker);
}

pid_t tp_worker_pid(const struct tp_worker *worker)
{
	return worker->process.pid;
}

/* --- the libraries, asked of a worker of its own: loading them starts their threads --- */

enum tp_status tp_blas_find(struct tp_blas **libraries, size_t *n, struct tp_diag *diag)
{
	struct tp_worker *worker;
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_str command = { 0 };
	size_t cap = 0, told = 0;
	char *line = NULL;
	*libraries = NULL;
	*n = 0;
	enum tp_status status = tp_worker_start(&worker, NULL, 0, diag);
	if (status != TP_OK)
		return status;
	tp_str_add(&command, "blas\n");
	status = ask(worker, &command, &w, &line, diag);
	while (status == TP_OK && strncmp(line, "blas ", 5) == 0) {
		char *title = strchr(line, '\t');
		status = tp_vec_reserve((void **)libraries, &cap, *n + 1, sizeof(**libraries));
		if (status != TP_OK || !title)
			break;
		*title++ = '\0';
		struct tp_blas *blas = &(*libraries)[(*n)++];
		tp_copy(blas->path, sizeof(blas->path), line + 5);
		tp_copy(blas->title, sizeof(blas->title), title);
		free(line);
		status = ask(worker, NULL, &w, &line, diag);
	}
	if (status == TP_OK && (sscanf(line, "ok %zu", &told) != 1 || told != *n))
		status = unexpected(line, diag);
	free(line);
	if (status != TP_OK) {
		free(*libraries);
		*libraries = NULL;
		*n = 0;
	}
	tp_worker_stop(worker);
	return status;
}
