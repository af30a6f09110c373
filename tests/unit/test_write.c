/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing all of a text to a descriptor: in pieces, interrupted, to nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* More than a pipe or a socket holds, so that whoever writes has to wait for the reader. */
enum { TEXT_BYTES = 4 << 20, INTERRUPTIONS = 5, INTERVAL_MICROSECONDS = 1000 };

static char byte_at(size_t at)
{
	return (char)(at * 31 + at / 251);
}

static char *make_text(void)
{
	char *text = malloc(TEXT_BYTES);
	assert_non_null(text);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = byte_at(i);
	return text;
}

static volatile sig_atomic_t interruptions;
static int start_fd; /* a byte there lets the reader begin */

static void on_alarm(int number)
{
	int error = errno;
	(void)number;
	if (++interruptions == INTERRUPTIONS) {
		ssize_t n = write(start_fd, "", 1);
		(void)n;
	}
	errno = error;
}

/*
 * A child that reads nothing before it is told, and then all; it ends with 0 if that was the text.
 */
static int read_all(int fd, int told_fd)
{
	char buffer[50000];
	size_t at = 0;
	ssize_t n;
	if (read(told_fd, buffer, 1) != 1)
		return 1;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (at >= TEXT_BYTES || buffer[i] != byte_at(at++))
				return 2;
	return at == TEXT_BYTES ? 0 : 3;
}

static void write_interrupted(int from, int to)
{
	struct sigaction action = { .sa_handler = on_alarm }, before; /* without SA_RESTART */
	struct itimerval often = { { 0, INTERVAL_MICROSECONDS }, { 0, INTERVAL_MICROSECONDS } };
	const struct itimerval never = { 0 };
	char *text = make_text();
	int told[2], status;
	assert_int_equal(pipe(told), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(to);
		close(told[1]);
		_exit(read_all(from, told[0]));
	}
	close(from);
	close(told[0]);
	interruptions = 0;
	start_fd = told[1];
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	bool written = tp_write_all(to, text, TEXT_BYTES);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(to);
	close(told[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(written);
	assert_true(interruptions >= INTERRUPTIONS);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	free(text);
}

static void a_slow_socket_gets_all(void **state)
{
	int pair[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	write_interrupted(pair[0], pair[1]);
}

static void a_slow_pipe_gets_all(void **state)
{
	int ends[2];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	write_interrupted(ends[0], ends[1]);
}

static void a_file_gets_all(void **state)
{
	char *text = make_text(), *again = malloc(TEXT_BYTES);
	int fd = memfd_create("text", MFD_CLOEXEC);
	(void)state;
	assert_non_null(again);
	assert_true(fd >= 0);
	assert_true(tp_write_all(fd, text, TEXT_BYTES));
	assert_true(tp_write_all(fd, "more", 4));
	assert_true(tp_write_all(fd, NULL, 0));
	assert_int_equal(lseek(fd, 0, SEEK_END), TEXT_BYTES + 4);
	assert_int_equal(pread(fd, again, TEXT_BYTES, 0), TEXT_BYTES);
	assert_memory_equal(again, text, TEXT_BYTES);
	close(fd);
	free(again);
	free(text);
}

static void nobody_reads_a_socket(void **state)
{
	int pair[2];
	(void)state;
	/* SIGPIPE would end this test: it is as it was. */
	assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_DFL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[0]);
	errno = 0;
	assert_false(tp_write_all(pair[1], "words", 5));
	assert_int_equal(errno, EPIPE);
	close(pair[1]);
}

static void what_cannot_be_written_is_told(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), ends[2];
	(void)state;
	errno = 0;
	assert_false(tp_write_all(-1, "words", 5));
	assert_int_equal(errno, EBADF);
	if (full >= 0) {
		assert_false(tp_write_all(full, "words", 5));
		assert_int_equal(errno, ENOSPC);
		close(full);
	}
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_false(tp_write_all(ends[1], "words", 5));
	assert_int_equal(errno, EPIPE);
	signal(SIGPIPE, SIG_DFL);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_socket_gets_all),
		cmocka_unit_test(a_slow_pipe_gets_all),
		cmocka_unit_test(a_file_gets_all),
		cmocka_unit_test(nobody_reads_a_socket),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};
	signal(SIGPIPE, SIG_DFL); /* whatever the caller gave us */
	return cmocka_run_group_tests_name("write", tests, NULL, NULL);
}
