/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines out of a stream, and children that talk in lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "base/process.h"

/* --- lines --- */

static void lines_come_whole(void **state)
{
	static const char text[] = "one\n\ntwo words\nthree";
	struct tp_lines lines = { 0 };
	(void)state;
	/* However the bytes come, the same lines. */
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		struct tp_str got = { 0 };
		for (size_t at = 0; at < strlen(text); at += piece) {
			size_t left = strlen(text) - at, len;
			tp_lines_add(&lines, text + at, left < piece ? left : piece);
			for (char *line; (line = tp_lines_next(&lines, &len));) {
				assert_int_equal(strlen(line), len);
				tp_str_printf(&got, "[%s]", line);
			}
		}
		assert_string_equal(tp_str_text(&got), "[one][][two words]");
		tp_lines_add(&lines, "\n", 1);
		assert_string_equal(tp_lines_next(&lines, NULL), "three");
		assert_null(tp_lines_next(&lines, NULL));
		tp_str_release(&got);
	}
	tp_lines_release(&lines);
}

static void long_lines_are_dropped(void **state)
{
	static const char text[] = "1234\n12345\nab\n123456789\nend\n";
	(void)state;
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		struct tp_lines lines = { .limit = 4 };
		struct tp_str got = { 0 };
		for (size_t at = 0; at < strlen(text); at += piece) {
			size_t left = strlen(text) - at;
			tp_lines_add(&lines, text + at, left < piece ? left : piece);
			for (char *line; (line = tp_lines_next(&lines, NULL));)
				tp_str_printf(&got, "[%s]", line);
		}
		assert_string_equal(tp_str_text(&got), "[1234][ab][end]");
		tp_str_release(&got);
		tp_lines_release(&lines);
	}
}

static void lines_are_read_from_a_descriptor(void **state)
{
	struct tp_lines lines = { 0 };
	int ends[2];
	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(tp_lines_read(&lines, ends[0]), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(ends[1], "a\nb", 3), 3);
	assert_int_equal(tp_lines_read(&lines, ends[0]), 3);
	assert_string_equal(tp_lines_next(&lines, NULL), "a");
	close(ends[1]);
	assert_int_equal(tp_lines_read(&lines, ends[0]), 0);
	assert_null(tp_lines_next(&lines, NULL));
	close(ends[0]);
	tp_lines_release(&lines);
}

/* --- children --- */

/* A child that says "hello", waits for a word, says it back, and ends with code 7. */
static int echo(int socket, const void *context)
{
	char word[16];
	(void)context;
	if (write(socket, "hello\nhal", 9) != 9)
		return 1;
	ssize_t n = read(socket, word, sizeof(word));
	return n > 0 && write(socket, word, (size_t)n) == n ? 7 : 2;
}

static int die(int socket, const void *context)
{
	(void)socket;
	raise(*(const int *)context);
	return 1;
}

/* A child that neither listens nor ends. */
static int stay(int socket, const void *context)
{
	(void)context;
	signal(SIGTERM, SIG_IGN);
	if (write(socket, "here\n", 5) != 5)
		return 1;
	for (;;)
		pause();
}

static struct tp_process start(int (*run)(int socket, const void *context), const void *context)
{
	const struct tp_self_child child = { "test", "a child", NULL, run, context };
	struct tp_process process;
	assert_int_equal(tp_process_start(&process, &child, NULL), TP_OK);
	return process;
}

static void expect_end(struct tp_process_end end, const char *words)
{
	struct tp_str text = { 0 };
	tp_process_end_text(end, &text);
	assert_string_equal(tp_str_text(&text), words);
	tp_str_release(&text);
}

static void a_child_is_heard_and_asked(void **state)
{
	struct tp_process process = start(echo, NULL);
	char *line;
	size_t len;
	(void)state;
	assert_int_equal(tp_process_line(&process, 10, &line, &len), TP_PROCESS_LINE);
	assert_string_equal(line, "hello");
	assert_int_equal(len, 5);
	assert_int_equal(tp_process_line(&process, 0, &line, NULL), TP_PROCESS_QUIET);
	assert_null(line);
	assert_true(tp_process_ask(&process, "stop\n") == 0);
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_LINE);
	assert_string_equal(line, "halstop");
	/* It is asked once, and the time runs from then on. */
	assert_true(tp_process_ask(&process, "stop\n") > 0);
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_GONE);
	expect_end(tp_process_end(&process, 10), "ended (exit 7)");
	assert_int_equal(process.pid, -1);
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_GONE);
	expect_end(tp_process_end(&process, 0), "ended (exit 0)");
}

static void an_end_has_words(void **state)
{
	const int deadly = SIGILL;
	struct tp_process process = start(die, &deadly);
	char *line;
	(void)state;
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_GONE);
	struct tp_process_end end = tp_process_end(&process, 10);
	assert_int_equal(end.signal, SIGILL);
	assert_int_equal(end.code, 0);
	expect_end((struct tp_process_end){ .signal = SIGSEGV },
		   "died of signal 11 (Segmentation fault)");
	expect_end((struct tp_process_end){ .code = TP_SELF_NOT_STARTED },
		   "could not be started from /proc/self/exe");
}

/* Nobody waits for it, but it goes. */
static void a_child_can_be_left(void **state)
{
	struct tp_process process = start(stay, NULL);
	(void)state;
	pid_t pid = process.pid;
	tp_process_leave(&process);
	assert_int_equal(process.pid, -1);
	assert_int_equal(process.fd, -1);
	int status = tp_process_reap(pid, INFINITY, INFINITY);
	assert_true(status == -1 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
}

static void a_child_that_stays_is_killed(void **state)
{
	struct tp_process process = start(stay, NULL);
	char *line;
	(void)state;
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_LINE);
	expect_end(tp_process_end(&process, 0.05),
		   "was killed (signal 9; by a user, or because memory ran out)");
}

/* Says more than the socket holds before it listens. */
static int talk(int socket, const void *context)
{
	static char words[4 << 20];
	(void)context;
	memset(words, '\n', sizeof(words));
	for (size_t at = 0; at < sizeof(words);) {
		ssize_t n = write(socket, words + at, sizeof(words) - at);
		if (n <= 0)
			return 1;
		at += (size_t)n;
	}
	for (char word[4096], last = 0; last != '!';) {
		ssize_t n = read(socket, word, sizeof(word));
		if (n <= 0)
			return 2;
		last = word[n - 1];
	}
	return 7;
}

/* A child that waits until it is heard is not waited for until it listens. */
static void a_deaf_child_is_asked_when_it_listens(void **state)
{
	struct tp_process process = start(talk, NULL);
	char *line;
	size_t lines = 0;
	(void)state;
	while (send(process.fd, "flood", 5, MSG_DONTWAIT) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	tp_process_ask(&process, "stop!");
	assert_false(process.asked);
	while (tp_process_line(&process, 10, &line, NULL) == TP_PROCESS_LINE) {
		tp_process_ask(&process, "stop!");
		lines++;
	}
	assert_int_equal(lines, 4 << 20);
	expect_end(tp_process_end(&process, 10), "ended (exit 7)");
}

static void nobody_cannot_be_reaped(void **state)
{
	(void)state;
	assert_int_equal(tp_process_reap(getpid(), INFINITY, INFINITY), -1);
}

/* Names itself as only a strange program would, and says so. */
static int take_a_name(int socket, const void *context)
{
	prctl(PR_SET_NAME, context);
	return write(socket, "named\n", 6) == 6 ? stay(socket, NULL) : 1;
}

/* A child is looked at: an emulator makes up what the program sees of itself. */
static void another_process_is_looked_at(void **state)
{
	static const char name[] = "a) R 1 (b";
	struct tp_process process = start(take_a_name, name);
	struct tp_process_look look = { 0 };
	char *line;
	(void)state;
	assert_int_equal(tp_process_line(&process, 10, &line, NULL), TP_PROCESS_LINE);
	for (double end = tp_now_seconds() + 10; look.state != 'S' && tp_now_seconds() < end;
	     usleep(1000))
		assert_true(tp_process_look(process.pid, &look));
	assert_string_equal(look.name, name);
	assert_int_equal(look.state, 'S');
	assert_int_equal(look.parent, getpid());
	assert_true(look.cpu_seconds >= 0 && look.start_ticks > 0);
	tp_process_end(&process, 0);
	assert_false(tp_process_look(INT32_MAX, &look));
	assert_int_equal(errno, ENOENT);
	assert_true(look.start_ticks == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_whole),
		cmocka_unit_test(long_lines_are_dropped),
		cmocka_unit_test(lines_are_read_from_a_descriptor),
		cmocka_unit_test(a_child_is_heard_and_asked),
		cmocka_unit_test(an_end_has_words),
		cmocka_unit_test(a_child_that_stays_is_killed),
		cmocka_unit_test(a_child_can_be_left),
		cmocka_unit_test(a_deaf_child_is_asked_when_it_listens),
		cmocka_unit_test(nobody_cannot_be_reaped),
		cmocka_unit_test(another_process_is_looked_at),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
