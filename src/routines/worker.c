/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both sides of the worker protocol. The worker itself has one thread; routines add and remove
 * their own.
 */
#include "routines/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/process.h"
#include "base/str.h"
#include "measure/buffer.h"
#include "measure/gauge.h"
#include "routines/parts.h"

struct tp_worker_process {
	struct tp_process process; /* commands and answers */
	int words_fd; /* what it wrote to standard error; a file in memory */
};

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

/* Only for a worker with its own CPUs. */
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

static void environment_make(struct environment *e, const unsigned *cpus, unsigned n)
{
	size_t inherited = 0, count = 0;
	while (environ[inherited])
		inherited++;
	*e = (struct environment){ 0 };
	e->list = tp_alloc(inherited + TP_COUNT_OF(given) + 3, sizeof(*e->list));
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
	for (size_t i = 0; i < inherited; i++)
		if (!is_dropped(environ[i]))
			e->list[count++] = environ[i];
	for (size_t at = 0; at < e->own.len; at += strlen(e->own.s + at) + 1)
		e->list[count++] = e->own.s + at;
}

/* What the child takes with it. */
struct luggage {
	const struct environment *environment;
	int words_fd;
	const unsigned *cpus;
	unsigned n; /* 0 = wherever it likes */
};

static int take_luggage(int socket, const void *context)
{
	const struct luggage *with = context;
	if (dup2(socket, STDIN_FILENO) < 0 || dup2(socket, STDOUT_FILENO) < 0)
		return TP_SELF_NOT_STARTED;
	if (with->words_fd >= 0)
		dup2(with->words_fd, STDERR_FILENO);
	if (with->n && !tp_process_bind(0, with->cpus, with->n))
		return EXIT_NO_CPU;
	environ = with->environment->list;
	return 0;
}

/*
 * Ends it if it still lives. With `how` it gets a moment to end by itself, and its end is reported:
 * "died of signal 11 (Segmentation fault)", with the last line of its standard error.
 */
static void worker_process_end(struct tp_worker_process *worker, struct tp_str *how)
{
	/*
	 * A worker has nothing to save. Only one that ended by itself has an end worth reporting.
	 */
	bool there = worker->process.pid > 0;
	struct tp_process_end end = tp_process_end(&worker->process, how ? END_SECONDS : 0);
	if (how && there) {
		if (!end.signal && end.code == EXIT_NO_CPU)
			tp_str_add(how, "could not be bound to its CPUs");
		else
			tp_process_end_text(end, how);
		/* The last line with any text. */
		if (worker->words_fd >= 0) {
			char text[512];
			off_t size = lseek(worker->words_fd, 0, SEEK_END);
			off_t from =
				size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
			ssize_t n = pread(worker->words_fd, text, sizeof(text) - 1, from);

			if (n > 0) {
				while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
					n--;
				text[n] = '\0';
				const char *line = strrchr(text, '\n');
				line = line ? line + 1 : text;
				if (*line)
					tp_str_printf(how, "; its last messages: %.200s", line);
			}
		}
	}
	if (worker->words_fd >= 0)
		close(worker->words_fd);
	worker->words_fd = -1;
}

static enum tp_status worker_process_start(struct tp_worker_process *worker, const unsigned *cpus,
					   unsigned n, struct tp_diag *diag)
{
	char *const arguments[] = { "tprof", "--worker", NULL };
	TP_CLEANUP(environment_release) struct environment e;
	*worker = (struct tp_worker_process){ TP_PROCESS_NONE, -1 };
	environment_make(&e, cpus, n);
	if (getenv(WORKER_MARK))
		return tp_fail(diag, TP_INTERNAL, "worker", NULL, "a worker starts no workers");
	worker->words_fd =
		memfd_create("worker", MFD_CLOEXEC); /* without one: its words are lost */
	const struct luggage luggage = { &e, worker->words_fd, cpus, n };
	const struct tp_self_child child = { .where = "worker",
					     .name = "a worker",
					     .arguments = arguments,
					     .prepare = take_luggage,
					     .context = &luggage };
	enum tp_status status = tp_process_start(&worker->process, &child, diag);
	if (status != TP_OK)
		worker_process_end(worker, NULL);
	return status;
}

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

struct server {
	int in, out;
	struct tp_lines heard;
	char *ahead; /* a command that came during a run, or NULL */
	struct tp_routine **slots; /* NULL = closed */
	size_t n_slots, cap_slots;
	size_t latest; /* slot that ran last; n_slots or above = none */
	struct tp_clock clock; /* of the gauges */
	struct tp_gauge gauge;
	bool gauged;
	struct tp_gauge_reading last;
};

/*
 * Additions a cycle of the core around a routine: the narrower of the readings before and after. A
 * reading takes some microseconds, little beside the shortest run of a routine.
 */
static double gauge(struct server *s)
{
	struct tp_gauge_reading before = s->last;
	struct tp_core_seen seen;
	tp_gauge_read(&s->gauge, &s->last);
	tp_core_see(&before, &s->last, &s->gauge.unit, &seen);
	return seen.width;
}

/*
 * Whether the parent wants a run to end. Another command that was sent ahead is executed after the
 * run: a parent that has sent its commands waits for the answers.
 */
static bool cancelled(struct server *s)
{
	struct pollfd p = { .fd = s->in, .events = POLLIN };
	if (!s->ahead && !(s->ahead = tp_lines_next(&s->heard, NULL)) && poll(&p, 1, 0) > 0 &&
	    tp_lines_read(&s->heard, s->in) > 0)
		s->ahead = tp_lines_next(&s->heard, NULL);
	if (!s->ahead || strcmp(s->ahead, "cancel") != 0)
		return false;
	s->ahead = NULL;
	return true;
}

/* The conditions of a wait for a line. */
struct waiting {
	double patience_seconds; /* of silence */
	bool (*go_on)(void *context);
	void *context;
	bool cancelled;
};

/* Reaps a worker that has ended, and reports how. */
static enum tp_status gone(struct tp_worker *worker, struct tp_diag *diag)
{
	TP_STR how = { 0 };
	if (worker->child.process.pid < 0)
		return tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker is no longer there");
	worker_process_end(&worker->child, &how);
	return tp_fail(diag, TP_CRASHED, "worker", NULL, "the worker %s", tp_str_text(&how));
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
			worker_process_end(&worker->child, NULL);
			return tp_fail(diag, TP_CANCELLED, "worker", NULL, "cancelled");
		}
		if (tp_now_seconds() - process->heard_at > w->patience_seconds) {
			worker_process_end(&worker->child, NULL);
			return tp_fail(diag, TP_CRASHED, "worker", NULL,
				       "the worker hung: nothing heard for %.0f s",
				       w->patience_seconds);
		}
	}
}

static enum tp_status unexpected(const char *line, struct tp_diag *diag)
{
	return tp_fail(diag, TP_INTERNAL, "worker", NULL, "the worker answered: %.100s", line);
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
	return unexpected(words[0], diag);
}

/*
 * Sends a command ("" = nothing) and hears one line that is not an error. The line is valid until
 * the next call.
 */
static enum tp_status __attribute__((format(printf, 5, 6)))
ask(struct tp_worker *worker, struct waiting *w, char **line, struct tp_diag *diag, const char *fmt,
    ...)
{
	TP_STR command = { 0 };
	va_list args;
	va_start(args, fmt);
	tp_str_vprintf(&command, fmt, args);
	va_end(args);
	enum tp_status status =
		tp_write_all(worker->child.process.fd, tp_str_text(&command), command.len)
			? hear_line(worker, w, line, diag)
			: gone(worker, diag);
	if (status == TP_OK && strncmp(*line, "error ", 6) == 0)
		status = take_error(*line, diag);
	return status;
}

void tp_worker_stop(struct tp_worker *worker)
{
	if (!worker)
		return;
	worker_process_end(&worker->child, NULL);
	free(worker->call_seconds);
	free(worker);
}

enum tp_status tp_worker_start(struct tp_worker **worker, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	struct tp_worker *made = *worker = NULL;
	char *line;
	if (n > TP_ROUTINE_CPUS_MAX)
		return tp_fail(diag, TP_USAGE, "worker", "at most 1024 CPUs", "%u CPUs", n);
	made = tp_alloc(1, sizeof(*made));
	enum tp_status status = worker_process_start(&made->child, cpus, n, diag);
	if (status == TP_OK)
		status = ask(made, &w, &line, diag, "%s", "");
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
	TP_STR cpus = { 0 };
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
	for (unsigned i = 0; i < config->n_cpus; i++)
		tp_str_printf(&cpus, "%s%u", i ? "," : "", config->cpus[i]);
	enum tp_status status = ask(
		worker, &w, &line, diag, "open %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s:%s %s\n",
		tp_routine_name(config->id), size[0], size[1], size[2], tp_str_text(&cpus),
		tp_pages_name(config->pages), config->library);
	if (status != TP_OK)
		return status;
	if (sscanf(line, "ok %zu %lf", &at, &seconds) != 2)
		return unexpected(line, diag);
	TP_RESERVE(worker->call_seconds, worker->cap_slots, at + 1);
	worker->call_seconds[at] = seconds;
	worker->n_slots = TP_MAX(worker->n_slots, at + 1);
	*slot = (unsigned)at;
	return TP_OK;
}

enum tp_status tp_worker_gauge(struct tp_worker *worker, double clock_hz, double *width,
			       struct tp_diag *diag)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS };
	char *line;
	enum tp_status status = ask(worker, &w, &line, diag, "gauge %.17g\n", clock_hz);
	if (status == TP_OK && sscanf(line, "ok %lf", width) != 1)
		status = unexpected(line, diag);
	return status;
}

enum tp_status tp_worker_run(struct tp_worker *worker, unsigned slot, unsigned n, double *seconds,
			     double *widths, bool (*go_on)(void *context), void *context,
			     struct tp_diag *diag)
{
	struct waiting w = { .patience_seconds = PATIENCE_SECONDS,
			     .go_on = go_on,
			     .context = context };
	char *line;
	if (slot < worker->n_slots)
		w.patience_seconds += SLOWER_BY * worker->call_seconds[slot];
	enum tp_status status = ask(worker, &w, &line, diag, "run %u %u\n", slot, n);
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
	char *line;
	/* A worker that has ended has closed everything. */
	ask(worker, &w, &line, NULL, "close %u\n", slot);
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
	size_t cap = 0, told = 0;
	char *line;
	*libraries = NULL;
	*n = 0;
	enum tp_status status = tp_worker_start(&worker, NULL, 0, diag);
	if (status != TP_OK)
		return status;
	status = ask(worker, &w, &line, diag, "blas\n");
	while (status == TP_OK && strncmp(line, "blas ", 5) == 0) {
		char *title = strchr(line, '\t');
		if (!title)
			break;
		TP_RESERVE(*libraries, cap, *n + 1);
		*title++ = '\0';
		struct tp_blas *blas = &(*libraries)[(*n)++];
		tp_copy(blas->path, sizeof(blas->path), line + 5);
		tp_copy(blas->title, sizeof(blas->title), title);
		status = ask(worker, &w, &line, diag, "%s", "");
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

/* Results are sent, and a cancel is looked for, at most this often: both disturb readings. */
#define TELL_SECONDS 0.05

/*
 * A short routine is called once untimed after another one ran, because its data have left the
 * caches.
 */
#define SHORT_SECONDS 0.01

static bool say(struct server *s, const struct tp_str *answer)
{
	return tp_write_all(s->out, tp_str_text(answer), answer->len);
}

__attribute__((format(printf, 2, 3))) static bool say_line(struct server *s, const char *fmt, ...)
{
	TP_STR answer = { 0 };
	va_list args;
	va_start(args, fmt);
	tp_str_vprintf(&answer, fmt, args);
	va_end(args);
	/* A library's name must not break the line. */
	for (size_t i = 0; i < answer.len; i++)
		answer.s[i] = answer.s[i] == '\n' ? ' ' : answer.s[i];
	tp_str_add(&answer, "\n");
	return say(s, &answer);
}

static bool say_error(struct server *s, enum tp_status status, struct tp_diag *diag)
{
	char *const words[] = { diag->where, diag->what, diag->hint };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		for (char *c = words[i]; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
	return say_line(s, "error %s\t%s\t%s\t%s", tp_status_name(status), diag->where, diag->what,
			diag->hint);
}

static bool refuse(struct server *s, const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, TP_USAGE, "worker", NULL, "%s", what);
	return say_error(s, TP_USAGE, &diag);
}

/* The next command, valid until more is read, or NULL at the end of the input. */
static char *next_command(struct server *s)
{
	char *line = s->ahead;
	s->ahead = NULL;
	while (!line && !(line = tp_lines_next(&s->heard, NULL)))
		if (tp_lines_read(&s->heard, s->in) <= 0)
			return NULL;
	return line;
}

/* --- commands: each answers, and returns false when the parent has gone --- */

static bool parse_cpus(const char *text, struct tp_routine_config *config)
{
	const char *at = text;
	for (;;) {
		char *end;
		errno = 0;
		unsigned long cpu = strtoul(at, &end, 10);
		if (end == at || *at == '-' || errno || cpu > 1 << 20 ||
		    config->n_cpus == TP_ROUTINE_CPUS_MAX)
			return false;
		config->cpus[config->n_cpus++] = (unsigned)cpu;
		if (*end == ':') {
			config->pages = tp_pages_find(end + 1);
			return strcmp(tp_pages_name(config->pages), end + 1) == 0;
		}
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		at = end + 1;
	}
}

static bool parse_open(const char *text, struct tp_routine_config *config)
{
	char name[16];
	TP_FREE char *cpus = NULL;
	int at = 0;
	uint64_t *size = config->size;
	if (sscanf(text, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %ms%n", name, &size[0], &size[1],
		   &size[2], &cpus, &at) != 5 ||
	    !at)
		return false;
	return tp_routine_find(name, &config->id) && parse_cpus(cpus, config) &&
	       tp_copy(config->library, sizeof(config->library), text + at + (text[at] == ' '));
}

static bool do_open(struct server *s, const char *rest)
{
	struct tp_diag diag;
	TP_FREE struct tp_routine_config *config = tp_alloc(1, sizeof(*config));
	struct tp_routine *routine = NULL;
	if (!parse_open(rest, config))
		return refuse(s, "open: a routine, three sizes, CPUs with commas, a library");
	enum tp_status status = tp_routine_new(&routine, config, &diag);
	if (status != TP_OK)
		return say_error(s, status, &diag);
	size_t at = 0;
	while (at < s->n_slots && s->slots[at])
		at++;
	TP_RESERVE(s->slots, s->cap_slots, at + 1);
	s->slots[at] = routine;
	s->n_slots = TP_MAX(s->n_slots, at + 1);
	s->latest = at;
	return say_line(s, "ok %zu %.9g", at, tp_routine_call_seconds(routine));
}

static struct tp_routine *slot_of(struct server *s, size_t at)
{
	return at < s->n_slots ? s->slots[at] : NULL;
}

/* Learns how wide the core is, even if a neighbour leaves it to us only now and then. */
static double learn_width(struct server *s)
{
	enum { READINGS = 40 };
	struct tp_core_width core = { 0 };
	for (int i = 0; i < READINGS; i++)
		tp_core_width_learn(&core, gauge(s));
	return core.widest;
}

static bool do_gauge(struct server *s, const char *rest)
{
	struct tp_cpu cpu = { 0 };
	struct tp_diag diag;
	double hz;
	if (sscanf(rest, "%lf", &hz) != 1)
		return refuse(s, "gauge: ticks of the clock in a second, or 0");
	if (s->gauged)
		return say_line(s, "ok %.4g", learn_width(s));
	tp_arch_identify(&cpu);
	tp_clock_init(&s->clock, &cpu, hz);
	enum tp_status status = tp_gauge_init(&s->gauge, &s->clock, &cpu, &diag);
	if (status == TP_OK && !(s->gauge.unit.width_additions > 0))
		status = tp_fail(&diag, TP_UNSUPPORTED, "gauge", NULL,
				 "no kernel of this program runs here");
	if (status != TP_OK)
		return say_error(s, status, &diag);
	s->gauged = true;
	gauge(s);
	return say_line(s, "ok %.4g", learn_width(s));
}

static bool do_run(struct server *s, const char *rest)
{
	size_t at;
	unsigned n;
	if (sscanf(rest, "%zu %u", &at, &n) != 2 || !slot_of(s, at))
		return refuse(s, "run: an open slot and a number");
	struct tp_routine *routine = slot_of(s, at);
	if (s->latest != at) {
		tp_routine_settle(routine);
		if (tp_routine_call_seconds(routine) < SHORT_SECONDS)
			tp_routine_run(routine);
		s->latest = at;
	}
	TP_STR numbers = { 0 };
	bool told = true, stop = false;
	double told_at = tp_now_seconds();
	tp_str_add(&numbers, "seconds");
	if (s->gauged)
		gauge(s);
	for (unsigned i = 0; i < n && told && !stop; i++) {
		tp_str_printf(&numbers, " %.9g", tp_routine_run(routine));
		if (s->gauged)
			tp_str_printf(&numbers, "/%.4g", gauge(s));
		if (tp_now_seconds() - told_at < TELL_SECONDS)
			continue;
		stop = i + 1 < n && cancelled(s);
		told = say(s, &numbers);
		tp_str_clear(&numbers);
		told_at = tp_now_seconds();
	}
	tp_str_add(&numbers, stop ? " stopped\n" : "\n");
	return told && say(s, &numbers);
}

static bool do_close(struct server *s, const char *rest)
{
	size_t at;
	if (sscanf(rest, "%zu", &at) != 1 || !slot_of(s, at))
		return refuse(s, "close: an open slot");
	tp_routine_free(s->slots[at]);
	s->slots[at] = NULL;
	if (s->latest == at)
		s->latest = SIZE_MAX;
	return say_line(s, "ok");
}

static bool do_blas(struct server *s, const char *rest __attribute__((unused)))
{
	struct tp_blas *libraries;
	struct tp_diag diag;
	size_t n;
	enum tp_status status = tp_blas_find_here(&libraries, &n, &diag);
	if (status != TP_OK)
		return say_error(s, status, &diag);
	TP_STR lines = { 0 };
	for (size_t i = 0; i < n; i++)
		tp_str_printf(&lines, "blas %s\t%s\n", libraries[i].path, libraries[i].title);
	free(libraries);
	tp_str_printf(&lines, "ok %zu\n", n);
	return say(s, &lines);
}

/* A cancel that comes after the run has ended has no effect. */
static bool do_cancel(struct server *s __attribute__((unused)),
		      const char *rest __attribute__((unused)))
{
	return true;
}

static const struct {
	const char *word;
	bool (*obey)(struct server *s, const char *rest);
} commands[] = {
	{ "open", do_open }, { "run", do_run },	      { "close", do_close },
	{ "blas", do_blas }, { "cancel", do_cancel }, { "gauge", do_gauge },
};

static bool obey(struct server *s, const char *line)
{
	size_t len = strcspn(line, " ");
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++)
		if (strlen(commands[i].word) == len && memcmp(commands[i].word, line, len) == 0)
			return commands[i].obey(s, line + len + (line[len] == ' '));
	return refuse(s, "open, run, close, blas, gauge or cancel");
}

int tp_worker_main(void)
{
	struct server s = { .in = -1, .out = -1, .latest = SIZE_MAX };
	char *line;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A library that prints or reads must not mix with commands and answers. */
	s.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	s.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null < 0 || s.in < 0 || s.out < 0)
		return TP_EXIT_RESOURCE;
	if (!(dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0))
		return TP_EXIT_RESOURCE;
	bool heard = say_line(&s, "hello");
	while (heard && (line = next_command(&s)))
		heard = obey(&s, line);
	for (size_t i = 0; i < s.n_slots; i++)
		tp_routine_free(s.slots[i]);
	free(s.slots);
	tp_gauge_release(&s.gauge);
	tp_lines_release(&s.heard);
	return TP_EXIT_OK;
}
