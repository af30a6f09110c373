/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the screens cost: starts a command on its own terminal, presses a key again and again, and
 * prints processor time, bytes and latency of each paint, and the processor time of doing nothing.
 *
 * usage: screen_time COLUMNSxROWS PRELUDE KEYS REPEATS IDLE_SECONDS COMMAND [ARGUMENT...]
 *PRELUDE keys before measuring; each is followed by the paint it causes, "~" waits a second instead
 *KEYS pressed in turn; "^L" is Ctrl-L, "<", ">" are the arrows to the left and right
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	QUIET_MS = 80,
	FIRST_MS = 2000,
	READ_BYTES = 65536,
	REPEATS_MAX = 10000,
	FIXED_ARGUMENTS = 6
};

struct paint {
	double first_ms,
		/* from the key to the first and the last byte; negative: nothing was painted */
		last_ms;
	size_t bytes;
};

static double seconds_of(clockid_t clock)
{
	struct timespec t = { 0 };
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

/* Reads what is painted, and answers as a terminal does when it is asked whether all has arrived.
 */
static ssize_t read_answering(int terminal)
{
	static char buffer[READ_BYTES];
	static const char query[] = "\033[5n", answer[] = "\033[0n";
	ssize_t n = read(terminal, buffer, sizeof(buffer));
	if (n > 0 && memmem(buffer, (size_t)n, query, sizeof(query) - 1) &&
	    write(terminal, answer, sizeof(answer) - 1) < 0)
		return -1;
	return n;
}

/* Takes what is painted until nothing came for `quiet_ms`. */
static struct paint take_paint(int terminal, int quiet_ms)
{
	struct paint paint = { .first_ms = -1, .last_ms = -1 };
	double begin = now();
	for (;;) {
		struct pollfd p = { .fd = terminal, .events = POLLIN };
		if (poll(&p, 1, paint.bytes ? quiet_ms : FIRST_MS) <= 0)
			return paint;
		ssize_t n = read_answering(terminal);
		if (n <= 0)
			return paint;
		paint.last_ms = (now() - begin) * 1e3;
		if (paint.first_ms < 0)
			paint.first_ms = paint.last_ms;
		paint.bytes += (size_t)n;
	}
}

static void idle(int terminal, double seconds)
{
	for (double end = now() + seconds; now() < end;) {
		struct pollfd p = { .fd = terminal, .events = POLLIN };
		if (poll(&p, 1, 20) > 0 && read_answering(terminal) <= 0)
			return;
	}
}

/* Presses the key at *keys and moves past it. */
static bool press(int terminal, const char **keys)
{
	static const char left[] = "\033OD", right[] = "\033OC";
	const char *at = *keys;
	char control;
	ssize_t n;
	if (at[0] == '^' && at[1]) {
		control = (char)(at[1] & 31);
		n = write(terminal, &control, 1);
		*keys = at + 2;
	} else {
		const char *text = *at == '<' ? left : *at == '>' ? right : at;
		n = write(terminal, text, text == at ? 1 : strlen(text));
		*keys = at + 1;
	}
	return n > 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double at_share(double *values, size_t n, double share)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof(*values), by_size);
	return values[(size_t)(share * (double)(n - 1) + 0.5)];
}

static void measure(int terminal, clockid_t cpu, const char *keys, size_t repeats)
{
	static double first[REPEATS_MAX], last[REPEATS_MAX], bytes[REPEATS_MAX];
	const char *at = keys;
	size_t n = 0, silent = 0;
	double begin = seconds_of(cpu);
	for (size_t i = 0; i < repeats; i++) {
		if (!*at)
			at = keys;
		if (!press(terminal, &at))
			break;
		struct paint paint = take_paint(terminal, QUIET_MS);
		if (!paint.bytes) {
			silent++;
			continue;
		}
		first[n] = paint.first_ms;
		last[n] = paint.last_ms;
		bytes[n++] = (double)paint.bytes;
	}
	double spent = seconds_of(cpu) - begin;
	printf("cpu_ms %.3f  bytes_median %.0f  bytes_max %.0f  first_ms_median %.2f  first_ms_95 "
	       "%.2f  "
	       "last_ms_median %.2f  last_ms_95 %.2f  last_ms_max %.2f  paints %zu  silent %zu\n",
	       spent * 1e3 / (double)repeats, at_share(bytes, n, 0.5), at_share(bytes, n, 1),
	       at_share(first, n, 0.5), at_share(first, n, 0.95), at_share(last, n, 0.5),
	       at_share(last, n, 0.95), at_share(last, n, 1), n, silent);
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	int terminal;
	if (argc <= FIXED_ARGUMENTS ||
	    sscanf(argv[1], "%hux%hu", &size.ws_col, &size.ws_row) != 2) {
		fprintf(stderr,
			"usage: %s COLUMNSxROWS PRELUDE KEYS REPEATS IDLE_SECONDS COMMAND "
			"[ARGUMENT...]\n",
			argv[0]);
		return 2;
	}
	size_t repeats = strtoul(argv[4], NULL, 10);
	double idle_seconds = strtod(argv[5], NULL);
	pid_t pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid < 0) {
		fprintf(stderr, "no terminal: %s\n", strerror(errno));
		return 1;
	}
	if (pid == 0) {
		execv(argv[FIXED_ARGUMENTS], argv + FIXED_ARGUMENTS);
		_exit(127);
	}
	clockid_t cpu;
	take_paint(terminal, 500);
	for (const char *at = argv[2]; *at;) {
		if (*at == '~') {
			idle(terminal, 1);
			at++;
		} else if (press(terminal, &at)) {
			take_paint(terminal, QUIET_MS);
		}
	}
	if (clock_getcpuclockid(pid, &cpu) != 0) {
		fprintf(stderr, "%s ended too early\n", argv[FIXED_ARGUMENTS]);
		return 1;
	}
	measure(terminal, cpu, argv[3], repeats < REPEATS_MAX ? repeats : REPEATS_MAX);
	if (idle_seconds > 0) {
		double begin = seconds_of(cpu);
		idle(terminal, idle_seconds);
		printf("idle_percent %.3f\n", (seconds_of(cpu) - begin) / idle_seconds * 100);
	}
	kill(pid, SIGTERM);
	idle(terminal, 0.3);
	for (int i = 0; i < 100 && waitpid(pid, NULL, WNOHANG) == 0; i++)
		idle(terminal, 0.1);
	return 0;
}
