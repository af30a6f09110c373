/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent's side of the worker protocol. */
#include "routines/worker.h"
#include "routines/worker_start.h"
#include "base/file.h"
#include "base/now.h"
#include "base/process.h"
#include "base/str.h"
#include "base/memory.h"
#include "measure/buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Silence that counts as a hang, beyond the expected time. */
#define PATIENCE_SECONDS 60.0
/*
 * The speed of the slowest machine that is expected, for the first call: a plain BLAS, and the rate
 * of new pages.
 */
#define SLOWEST_FLOP_PER_SECOND	 2e8
#define SLOWEST_BYTES_PER_SECOND 1e8
/* A call may take this many times as long as the first one did. */
#define SLOWER_BY 20.0
/* A worker that does not stop a run when asked is killed. */
#define CANCEL_SECONDS 0.2

/* How often a wait checks whether the run should go on. */
#define POLL_SECONDS 0.02

struct tp_worker {
	struct tp_worker_process child;
	double *call_seconds; /* of each slot, of its first call */
	size_t n_slots, cap_slots;
};

/* The conditions of a wait for a line. */
struct waiting {
	double patience_seconds; /* of silence */
	bool (*go_on)(void *context);
	void *context;
	bool cancelled;
};

/* Ends a worker that is gone, and tells how it ended. */
static enum tp_status gone(struct tp_worker *worker, struct tp_diag *diag)
{
	struct tp_str how = { 0 };
	if (worker->child.process.pid < 0)
		return tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker is no longer there");
	tp_worker_process_end(&worker->child, &how);
	enum tp_status status =
		tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker %s", tp_str_text(&how));
	tp_str_release(&how);
	return status;
}

/*
 * The next line, valid until the next call. TP_CRASHED; TP_CANCELLED only when the worker did not
 * stop, or this process was asked to end, and the worker had to be killed.
 */
static enum tp_status hear_line(struct tp_worker *worker, struct waiting *w, char **line,
				struct tp_diag *diag)
{
	struct tp_process *process = &worker->child.process;
	process->heard_at = tp_now_seconds();
	process->asked_at = 0;
	process->asked = false;
	for (;;) {
		enum tp_process_news news = tp_process_line(process, POLL_SECONDS, line, NULL);
		if (news == TP_PROCESS_LINE)
			return TP_OK;
		if (news == TP_PROCESS_GONE)
			return gone(worker, diag);
		w->cancelled = w->cancelled || tp_stop_asked || (w->go_on && !w->go_on(w->context));
		if (tp_stop_asked ||
		    (w->cancelled && tp_process_ask(process, "cancel\n") > CANCEL_SECONDS)) {
			tp_worker_process_end(&worker->child, NULL);
			return tp_fail(diag, TP_CANCELLED, "worker", NULL, "cancelled");
		}
		if (tp_now_seconds() - process->heard_at > w->patience_seconds) {
			tp_worker_process_end(&worker->child, NULL);
			return tp_fail(diag, TP_CRASHED, "worker", NULL,
				       "the worker hung: nothing heard for %.0f s",
				       w->patience_seconds);
		}
	}
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

/*
 * Sends `command` (NULL = nothing; it is released here) and hears one line that is no error. The
 * line is valid until the next call.
 */
static enum tp_status ask(struct tp_worker *worker, struct tp_str *command, struct waiting *w,
			  char **line, struct tp_diag *diag)
{
	bool told = !command || (!command->oom && tp_write_all(worker->child.process.fd,
							       tp_str_text(command), command->len));
	if (command)
		tp_str_release(command);
	enum tp_status status = told ? hear_line(worker, w, line, diag) : gone(worker, diag);
	if (status == TP_OK && strncmp(*line, "error ", 6) == 0)
		status = take_error(*line, diag);
	return status;
}

enum tp_status tp_worker_start(struct tp_worker **worker, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_worker *made = *worker = NULL;
	char *line;
	if (n > TP_ROUTINE_CPUS_MAX)
		return tp_fail(diag, TP_USAGE, "worker", "at most 1024 CPUs", "%u CPUs", n);
	made = calloc(1, sizeof(*made));
	if (!made)
		return tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
	enum tp_status status = tp_worker_process_start(&made->child, cpus, n, diag);
	if (status == TP_OK)
		status = ask(made, NULL, &w, &line, diag);
	if (status == TP_OK && strcmp(line, "hello") != 0)
		status = unexpected(line, diag);
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
	return status;
}

void tp_worker_close(struct tp_worker *worker, unsigned slot)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_str command = { 0 };
	char *line;
	tp_str_printf(&command, "close %u\n", slot);
	/* A worker that is gone has closed everything. */
	ask(worker, &command, &w, &line, NULL);
}

void tp_worker_stop(struct tp_worker *worker)
{
	if (!worker)
		return;
	tp_worker_process_end(&worker->child, NULL);
	free(worker->call_seconds);
	free(worker);
}

pid_t tp_worker_pid(const struct tp_worker *worker)
{
	return worker->child.process.pid;
}

/* --- the libraries: a separate worker finds them, because loading one starts its threads --- */

enum tp_status tp_blas_find(struct tp_blas **libraries, size_t *n, struct tp_diag *diag)
{
	struct tp_worker *worker;
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_str command = { 0 };
	size_t cap = 0, told = 0;
	char *line;
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
		status = ask(worker, NULL, &w, &line, diag);
	}
	if (status == TP_OK && (sscanf(line, "ok %zu", &told) != 1 || told != *n))
		status = unexpected(line, diag);
	if (status != TP_OK) {
		free(*libraries);
		*libraries = NULL;
		*n = 0;
	}
	tp_worker_stop(worker);
	return status;
}
