/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A slow line: runs a command on a terminal whose output travels at so many bytes a second behind
 * buffers without end, as over ssh. The terminal answers device status reports. Prints what lies
 * on the line between a key and its answer.
 *
 * usage: slow_line BYTES_PER_SECOND COLUMNSxROWS STEP... -- COMMAND [ARGUMENT...]
 *
 * BYTES_PER_SECOND 0: as fast as they come. Steps, "\e" in them is Escape:
 *	await=TEXT	until TEXT arrived since the last key; exit status 1 after two minutes
 *	empty		until nothing comes for a second
 *	rest=SECONDS	prints "rest: BYTES bytes in SECONDS s, SHARE % of a CPU"
 *	key=KEY		presses it
 *	deaf		the terminal answers nothing from now on
 *	answer=KEY TEXT	presses KEY; prints "answer: BYTES bytes, MILLISECONDS ms" until TEXT
 *arrived
 */
#include <errno.h>
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

#define QUERY  "\033[5n"
#define ANSWER "\033[0n"

enum { QUEUE_BYTES = 1 << 24, TICK_MS = 2, PATIENCE_SECONDS = 120 };

static struct {
	int terminal;
	pid_t pid;
	double rate; /* bytes a second; 0: no limit */
	char queue[QUEUE_BYTES + 1]; /* all that was written */
	size_t written, arrived, pressed; /* bytes; `pressed`: arrived before the last key */
	double sent_at; /* since when the line carries what is to arrive next */
	bool deaf, ended;
} line;

static double seconds_of(clockid_t clock)
{
	struct timespec t = { 0 };
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say(const char *text, size_t n)
{
	if (write(line.terminal, text, n) != (ssize_t)n)
		line.ended = true;
}

static void take_output(void)
{
	struct pollfd p = { .fd = line.terminal, .events = POLLIN };
	if (poll(&p, 1, TICK_MS) <= 0)
		return;
	ssize_t n = read(line.terminal, line.queue + line.written, QUEUE_BYTES - line.written);
	if (n > 0)
		line.written += (size_t)n;
	line.ended = n <= 0;
}

/* Moves the line on by what time has passed. */
static void run_line(void)
{
	double now = seconds_of(CLOCK_MONOTONIC);
	size_t before = line.arrived;
	bool idle = line.arrived == line.written;
	take_output();
	if (idle)
		line.sent_at = now;
	now = seconds_of(CLOCK_MONOTONIC);
	size_t room = line.rate > 0 ? (size_t)((now - line.sent_at) * line.rate) : QUEUE_BYTES;
	if (room > line.written - line.arrived)
		room = line.written - line.arrived;
	line.arrived += room;
	if (line.rate > 0)
		line.sent_at += (double)room / line.rate;
	/* A query is answered when its last byte arrives. */
	size_t from = before < sizeof(QUERY) - 2 ? 0 : before - (sizeof(QUERY) - 2);
	for (size_t at = from; !line.deaf && at + sizeof(QUERY) - 1 <= line.arrived; at++)
		if (memcmp(line.queue + at, QUERY, sizeof(QUERY) - 1) == 0)
			say(ANSWER, sizeof(ANSWER) - 1);
}

static void press(const char *key, size_t n)
{
	line.pressed = line.arrived;
	say(key, n);
}

/* Where `text` ends in what arrived since the last key; 0: it did not. */
static size_t end_of(const char *text)
{
	size_t n = strlen(text);
	const char *at = memmem(line.queue + line.pressed, line.arrived - line.pressed, text, n);
	return at ? (size_t)(at - line.queue) + n : 0;
}

static bool await(const char *text)
{
	double deadline = seconds_of(CLOCK_MONOTONIC) + PATIENCE_SECONDS;
	while (!end_of(text)) {
		run_line();
		if (line.ended || seconds_of(CLOCK_MONOTONIC) > deadline) {
			fprintf(stderr, "waited in vain for: %s\n", text);
			return false;
		}
	}
	return true;
}

static void run_for(double seconds)
{
	for (double end = seconds_of(CLOCK_MONOTONIC) + seconds;
	     !line.ended && seconds_of(CLOCK_MONOTONIC) < end;)
		run_line();
}

static void until_empty(void)
{
	for (size_t before = line.written + 1; before != line.written && !line.ended;) {
		before = line.written;
		run_for(1);
	}
}

static void rest(double seconds)
{
	clockid_t cpu;
	size_t before = line.written;
	clock_getcpuclockid(line.pid, &cpu);
	double spent = seconds_of(cpu);
	run_for(seconds);
	printf("rest: %zu bytes in %g s, %.2f %% of a CPU\n", line.written - before, seconds,
	       (seconds_of(cpu) - spent) / seconds * 100);
}

static bool answer(char *key)
{
	char *text = strchr(key + 1, ' ');
	double begin = seconds_of(CLOCK_MONOTONIC);
	if (!text)
		return false;
	press(key, (size_t)(text - key));
	if (!await(text + 1))
		return false;
	printf("answer: %zu bytes, %.0f ms\n", end_of(text + 1) - line.pressed,
	       (seconds_of(CLOCK_MONOTONIC) - begin) * 1e3);
	return true;
}

static bool take_step(char *step)
{
	char *value = strchr(step, '=');
	value = value ? value + 1 : step + strlen(step);
	for (char *at; (at = strstr(step, "\\e"));) {
		*at = '\033';
		memmove(at + 1, at + 2, strlen(at + 2) + 1);
	}
	if (strncmp(step, "await=", 6) == 0)
		return await(value);
	if (strncmp(step, "answer=", 7) == 0)
		return answer(value);
	if (strncmp(step, "rest=", 5) == 0)
		rest(strtod(value, NULL));
	else if (strncmp(step, "key=", 4) == 0)
		press(value, strlen(value));
	else if (strcmp(step, "empty") == 0)
		until_empty();
	else if (strcmp(step, "deaf") == 0)
		line.deaf = true;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	int command = 3;
	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (++command >= argc || sscanf(argv[2], "%hux%hu", &size.ws_col, &size.ws_row) != 2) {
		fprintf(stderr, "usage: %s BYTES_PER_SECOND COLUMNSxROWS STEP... -- COMMAND...\n",
			argv[0]);
		return 2;
	}
	line.rate = strtod(argv[1], NULL);
	line.pid = forkpty(&line.terminal, NULL, NULL, &size);
	if (line.pid < 0) {
		fprintf(stderr, "no terminal: %s\n", strerror(errno));
		return 1;
	}
	if (line.pid == 0) {
		execv(argv[command], argv + command);
		_exit(127);
	}
	bool good = true;
	for (int i = 3; good && i < command - 1; i++)
		if (!(good = take_step(argv[i])))
			fprintf(stderr, "failed: %s\n", argv[i]);
	const char *dump = getenv("SLOW_LINE_DUMP");
	if (dump) {
		FILE *f = fopen(dump, "w");
		fwrite(line.queue, 1, line.written, f);
		fclose(f);
	}
	kill(line.pid, SIGTERM);
	run_for(0.3);
	for (int i = 0; i < 100 && waitpid(line.pid, NULL, WNOHANG) == 0; i++)
		run_for(0.1);
	return good ? 0 : 1;
}
