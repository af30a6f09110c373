/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routines/worker_start.h"
#include "routines/parts.h"
#include "base/memory.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Marks the environment of a worker: a program without --worker would start itself without end. */
#define WORKER_MARK "TPROF_IN_WORKER"

/* How long a process that closed its socket may take to end. */
#define END_SECONDS 1.0

/* The exit code of a worker that may not run on its CPUs. */
enum { EXIT_NO_CPU = 126 };

/*
 * Variables that would conflict with one thread a CPU in the order of the CPUs. A user's choice of
 * a kernel (OPENBLAS_CORETYPE, BLIS_ARCH_TYPE, MKL_ENABLE_INSTRUCTIONS) stays.
 */
static const char *const dropped[] = {
	"OMP_THREAD_LIMIT",	"OMP_DYNAMIC",
	"OMP_PROC_BIND",	"OMP_PLACES",
	"OMP_NUM_THREADS",	"OMP_WAIT_POLICY",
	"OMP_NESTED",		"OMP_MAX_ACTIVE_LEVELS",
	"OMP_SCHEDULE",		"GOMP_SPINCOUNT",
	"GOMP_CPU_AFFINITY",	"KMP_AFFINITY",
	"KMP_BLOCKTIME",	"KMP_HW_SUBSET",
	"OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS",
	"GOTO_NUM_THREADS",	"BLIS_NUM_THREADS",
	"BLIS_JC_NT",		"BLIS_PC_NT",
	"BLIS_IC_NT",		"BLIS_JR_NT",
	"BLIS_IR_NT",		"MKL_NUM_THREADS",
	"MKL_DYNAMIC",		WORKER_MARK,
};

/* %u is the number of threads. */
static const char *const given[] = {
	"OMP_NUM_THREADS=%u",
	"OPENBLAS_NUM_THREADS=%u",
	"GOTO_NUM_THREADS=%u",
	"BLIS_NUM_THREADS=%u",
	"MKL_NUM_THREADS=%u",
	"MKL_DYNAMIC=FALSE",
	"OMP_DYNAMIC=false",
	/*
	 * Threads spin between calls, but only for some ms, so they do not burn a CPU while the
	 * worker is idle.
	 */
	"OMP_WAIT_POLICY=active",
	"GOMP_SPINCOUNT=1000000",
	"KMP_BLOCKTIME=10",
	WORKER_MARK "=1",
};

/* Only for a worker with CPUs of its own. */
static const char bound[] = "OMP_PROC_BIND=close";

static bool is_dropped(const char *assignment)
{
	size_t len = strcspn(assignment, "=");
	for (size_t i = 0; i < TP_COUNT_OF(dropped); i++)
		if (strlen(dropped[i]) == len && memcmp(dropped[i], assignment, len) == 0)
			return true;
	return false;
}

/*
 * The environment of the worker. `list` points into our own environment and into `own`, which holds
 * the new assignments, each with its NUL.
 */
struct environment {
	char **list;
	struct tp_str own;
};

static void environment_release(struct environment *e)
{
	free(e->list);
	tp_str_release(&e->own);
}

static enum tp_status environment_make(struct environment *e, const unsigned *cpus, unsigned n,
				       struct tp_diag *diag)
{
	size_t inherited = 0, count = 0;
	while (environ[inherited])
		inherited++;
	*e = (struct environment){ 0 };
	e->list = calloc(inherited + TP_COUNT_OF(given) + 3, sizeof(*e->list));
	for (size_t i = 0; i < TP_COUNT_OF(given); i++) {
		char text[64];
		int len = snprintf(text, sizeof(text), given[i], n ? n : 1);
		tp_str_add_n(&e->own, text, (size_t)len + 1);
	}
	if (n) {
		tp_str_add_n(&e->own, bound, sizeof(bound));
		tp_str_add(&e->own, "OMP_PLACES=");
		for (unsigned i = 0; i < n; i++)
			tp_str_printf(&e->own, "%s{%u}", i ? "," : "", cpus[i]);
		tp_str_add_n(&e->own, "", 1);
	}
	if (!e->list || e->own.oom) {
		environment_release(e);
		return tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
	}
	for (size_t i = 0; i < inherited; i++)
		if (!is_dropped(environ[i]))
			e->list[count++] = environ[i];
	for (size_t at = 0; at < e->own.len; at += strlen(e->own.s + at) + 1)
		e->list[count++] = e->own.s + at;
	return TP_OK;
}

/* What the child takes with it. */
struct luggage {
	const struct environment *environment;
	int words_fd;
	const cpu_set_t *set; /* NULL = wherever it likes */
	size_t set_bytes;
};

static int take_luggage(int socket, const void *context)
{
	const struct luggage *with = context;
	if (dup2(socket, STDIN_FILENO) < 0 || dup2(socket, STDOUT_FILENO) < 0)
		return TP_SELF_NOT_STARTED;
	if (with->words_fd >= 0)
		dup2(with->words_fd, STDERR_FILENO);
	if (with->set && sched_setaffinity(0, with->set_bytes, with->set) != 0)
		return EXIT_NO_CPU;
	environ = with->environment->list;
	return 0;
}

enum tp_status tp_worker_process_start(struct tp_worker_process *worker, const unsigned *cpus,
				       unsigned n, struct tp_diag *diag)
{
	char *const arguments[] = { "tprof", "--worker", NULL };
	struct environment e;
	cpu_set_t *set = NULL;
	size_t set_bytes = 0;
	*worker = (struct tp_worker_process){ TP_PROCESS_NONE, -1 };
	if (getenv(WORKER_MARK))
		return tp_fail(diag, TP_INTERNAL, "worker", NULL, "a worker starts no workers");
	enum tp_status status = environment_make(&e, cpus, n, diag);
	if (status != TP_OK)
		return status;
	if (n) {
		unsigned most = 0;
		for (unsigned i = 0; i < n; i++)
			most = TP_MAX(most, cpus[i]);
		set = CPU_ALLOC(most + 1);
		set_bytes = CPU_ALLOC_SIZE(most + 1);
		if (!set) {
			status = tp_fail(diag, TP_NOMEM, "worker", NULL, "out of memory");
			goto out;
		}
		CPU_ZERO_S(set_bytes, set);
		for (unsigned i = 0; i < n; i++)
			CPU_SET_S(cpus[i], set_bytes, set);
	}
	worker->words_fd =
		memfd_create("worker", MFD_CLOEXEC); /* without one: its words are lost */
	const struct luggage luggage = { &e, worker->words_fd, set, set_bytes };
	const struct tp_self_child child = { .where = "worker",
					     .name = "a worker",
					     .arguments = arguments,
					     .prepare = take_luggage,
					     .context = &luggage };
	status = tp_process_start(&worker->process, &child, diag);
	if (status != TP_OK)
		tp_worker_process_end(worker, NULL);
out:
	CPU_FREE(set);
	environment_release(&e);
	return status;
}

/* The last line that says something. */
static void add_last_words(int fd, struct tp_str *how)
{
	char text[512];
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = pread(fd, text, sizeof(text) - 1, from);
	if (n <= 0)
		return;
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n] = '\0';
	const char *line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (*line)
		tp_str_printf(how, "; its last words: %.200s", line);
}

void tp_worker_process_end(struct tp_worker_process *worker, struct tp_str *how)
{
	/* A worker has nothing to save. Only one that ended by itself has an end worth telling. */
	bool there = worker->process.pid > 0;
	struct tp_process_end end = tp_process_end(&worker->process, how ? END_SECONDS : 0);
	if (how && there) {
		if (!end.signal && end.code == EXIT_NO_CPU)
			tp_str_add(how, "could not be bound to its CPUs");
		else
			tp_process_end_text(end, how);
		if (worker->words_fd >= 0)
			add_last_words(worker->words_fd, how);
	}
	if (worker->words_fd >= 0)
		close(worker->words_fd);
	worker->words_fd = -1;
}
