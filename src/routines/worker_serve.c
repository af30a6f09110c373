/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker's side: takes commands and answers them. It has one thread; routines add and remove
 * their own.
 */
#include "routines/blas.h"
#include "routines/worker.h"
#include "base/file.h"
#include "base/now.h"
#include "base/memory.h"
#include "measure/buffer.h"
#include "measure/gauge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Results are sent, and a cancel is looked for, at most this often: both disturb readings. */
#define TELL_SECONDS 0.05
/*
 * A short routine is called once untimed after another one ran, because its data have left the
 * caches.
 */
#define SHORT_SECONDS 0.01

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

static bool say(struct server *s, const struct tp_str *answer)
{
	return tp_write_all(s->out, tp_str_text(answer), answer->len) && !answer->oom;
}

__attribute__((format(printf, 2, 3))) static bool say_line(struct server *s, const char *fmt, ...)
{
	char line[1024];
	struct tp_str answer = { 0 };
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	/* A library's name must not break the line. */
	for (char *c = line; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	tp_str_printf(&answer, "%s\n", line);
	bool told = say(s, &answer);
	tp_str_release(&answer);
	return told;
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

/*
 * Whether the parent wants a run to end. Another command that was sent ahead is obeyed after the
 * run: a parent that gave its commands and left waits for the answers.
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

/* --- commands: each answers, and returns false when nobody listens --- */

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
	char name[16], *cpus = NULL;
	int at = 0;
	uint64_t *size = config->size;
	if (sscanf(text, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %ms%n", name, &size[0], &size[1],
		   &size[2], &cpus, &at) != 5 ||
	    !at) {
		free(cpus);
		return false;
	}
	bool good =
		tp_routine_find(name, &config->id) && parse_cpus(cpus, config) &&
		tp_copy(config->library, sizeof(config->library), text + at + (text[at] == ' '));
	free(cpus);
	return good;
}

static bool do_open(struct server *s, const char *rest)
{
	struct tp_diag diag;
	struct tp_routine_config *config = calloc(1, sizeof(*config));
	struct tp_routine *routine = NULL;
	enum tp_status status = tp_vec_reserve((void **)&s->slots, &s->cap_slots, s->n_slots + 1,
					       sizeof(*s->slots));
	if (!config || status != TP_OK) {
		free(config);
		tp_fail(&diag, TP_NOMEM, "worker", NULL, "out of memory");
		return say_error(s, TP_NOMEM, &diag);
	}
	if (!parse_open(rest, config)) {
		free(config);
		return refuse(s, "open: a routine, three sizes, CPUs with commas, a library");
	}
	status = tp_routine_new(&routine, config, &diag);
	free(config);
	if (status != TP_OK)
		return say_error(s, status, &diag);
	size_t at = 0;
	while (at < s->n_slots && s->slots[at])
		at++;
	s->slots[at] = routine;
	s->n_slots = TP_MAX(s->n_slots, at + 1);
	s->latest = at;
	return say_line(s, "ok %zu %.9g", at, tp_routine_call_seconds(routine));
}

static struct tp_routine *slot_of(struct server *s, size_t at)
{
	return at < s->n_slots ? s->slots[at] : NULL;
}

/*
 * Additions a cycle that the core gives beside a routine: the narrower of the readings before and
 * after. A reading takes some microseconds, little beside the shortest run of a routine.
 */
static double gauge(struct server *s)
{
	struct tp_gauge_reading before = s->last;
	struct tp_core_seen seen;
	tp_gauge_read(&s->gauge, &s->last);
	tp_core_see(&before, &s->last, &s->gauge.unit, &seen);
	return seen.width;
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
	struct tp_str numbers = { 0 };
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
	told = told && say(s, &numbers);
	tp_str_release(&numbers);
	return told;
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

static bool do_blas(struct server *s, const char *rest)
{
	(void)rest;
	struct tp_blas *libraries;
	struct tp_diag diag;
	size_t n;
	enum tp_status status = tp_blas_find_here(&libraries, &n, &diag);
	if (status != TP_OK)
		return say_error(s, status, &diag);
	struct tp_str lines = { 0 };
	for (size_t i = 0; i < n; i++)
		tp_str_printf(&lines, "blas %s\t%s\n", libraries[i].path, libraries[i].title);
	free(libraries);
	tp_str_printf(&lines, "ok %zu\n", n);
	bool told = say(s, &lines);
	tp_str_release(&lines);
	return told;
}

/* A cancel that comes after the run has ended has no effect. */
static bool do_cancel(struct server *s, const char *rest)
{
	(void)s;
	(void)rest;
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

/* A library that prints or reads must not mix with commands and answers. */
static bool take_streams(struct server *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null < 0 || s->in < 0 || s->out < 0)
		return false;
	return dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0;
}

int tp_worker_main(void)
{
	struct server s = { .in = -1, .out = -1, .latest = SIZE_MAX };
	char *line;
	if (!take_streams(&s))
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
