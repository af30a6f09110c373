/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program starting itself: plainly, through an emulator's command, and as a child with a
 * socket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

enum { AGAIN = 42, RETURNED = 43 };

static char *const again[] = { "test_self", "--again", "two words", "", NULL };

/*
 * The second life: tells by its status whether the arguments came whole, and the variable that a
 * stand-in for an emulator sets.
 */
static int second_life(int argc, char **argv)
{
	const char *seen = getenv("SEEN");
	if (argc != 4 || strcmp(argv[2], "two words") != 0 || argv[3][0])
		return 1;
	return AGAIN + (seen && strcmp(seen, "yes") == 0 ? 10 : 0);
}

/*
 * How a child ends that becomes this program with that emulator before the one these tests
 * themselves run under.
 */
static int status_under(const char *before, char *const *arguments)
{
	const char *own = getenv("TPROF_EMULATOR");
	char command[8192];
	int status;
	snprintf(command, sizeof(command), "%s%s", before, own ? own : "");
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("TPROF_EMULATOR", command, 1);
		errno = 0;
		tp_become_self(arguments);
		_exit(errno == E2BIG ? RETURNED : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void it_starts_itself(void **state)
{
	(void)state;
	assert_int_equal(status_under("", again), AGAIN);
}

static void an_emulator_stands_before(void **state)
{
	(void)state;
	assert_int_equal(status_under("env  SEEN=yes ", again), AGAIN + 10);
}

static void what_is_too_long_is_refused(void **state)
{
	(void)state;
	char words[5001];
	memset(words, 'x', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	assert_int_equal(status_under(words, again), RETURNED);
	assert_int_equal(status_under("env a=1 a=2 a=3 a=4 a=5 a=6 a=7 a=8 a=9 a=10 a=11 a=12 "
				      "a=13 a=14 a=15 ",
				      again),
			 RETURNED);
	char *many[80];
	for (size_t i = 0; i < 79; i++)
		many[i] = "x";
	many[79] = NULL;
	assert_int_equal(status_under("env ", many), RETURNED);
}

/* --- a child with a socket --- */

static char *const greeting[] = { "test_self", "--greet", NULL };

/*
 * What the child finds, as a word: its place among processes and its signals. Its socket is its
 * standard input.
 */
static int greet(void)
{
	sigset_t blocked;
	int death = 0;
	char word[] = "gsmd"; /* group, signals, mask, death */
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	prctl(PR_GET_PDEATHSIG, &death);
	if (getpgrp() != getpid())
		word[0] = '-';
	if (signal(SIGPIPE, SIG_DFL) != SIG_DFL || signal(SIGINT, SIG_DFL) != SIG_DFL)
		word[1] = '-';
	if (sigismember(&blocked, SIGUSR1))
		word[2] = '-';
	if (death != SIGKILL)
		word[3] = '-';
	return write(STDIN_FILENO, word, 4) == 4 ? AGAIN : 1;
}

static int take_socket(int socket, const void *context)
{
	const int *code = context;
	return dup2(socket, STDIN_FILENO) < 0 ? 1 : *code;
}

/* How the child ended, and what it said. */
static int status_of_child(int code, char *const *arguments, char word[5])
{
	const struct tp_self_child child = { "test", "a child", arguments, take_socket, &code };
	struct tp_diag diag = { 0 };
	pid_t pid;
	int fd, status;
	size_t len = 0;
	assert_int_equal(tp_self_start(&child, &pid, &fd, &diag), TP_OK);
	assert_true(pid > 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	for (ssize_t n; len < 4 && (n = read(fd, word + len, 4 - len)) > 0;)
		len += (size_t)n;
	word[len] = '\0';
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_child_has_a_socket_and_no_signals_of_ours(void **state)
{
	sigset_t one, before;
	char word[5];
	(void)state;
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, &before);
	void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN);
	void (*int_before)(int) = signal(SIGINT, SIG_IGN);
	assert_int_equal(status_of_child(0, greeting, word), AGAIN);
	signal(SIGPIPE, pipe_before);
	signal(SIGINT, int_before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_string_equal(word, "gsmd");
}

static void a_child_that_cannot_go_on_says_so(void **state)
{
	char *const nothing[] = { NULL };
	char emulator[5001], word[5], *kept;
	const char *own = getenv("TPROF_EMULATOR");
	(void)state;
	assert_int_equal(status_of_child(17, greeting, word), 17);
	assert_string_equal(word, "");
	memset(emulator, 'x', sizeof(emulator) - 1);
	emulator[sizeof(emulator) - 1] = '\0';
	kept = own ? strdup(own) : NULL;
	setenv("TPROF_EMULATOR", emulator, 1);
	assert_int_equal(status_of_child(0, nothing, word), TP_SELF_NOT_STARTED);
	if (kept)
		setenv("TPROF_EMULATOR", kept, 1);
	else
		unsetenv("TPROF_EMULATOR");
	free(kept);
}

static void without_a_socket_there_is_no_child(void **state)
{
	const struct tp_self_child child = { "test", "a child", greeting, take_socket, NULL };
	struct rlimit before, few;
	struct tp_diag diag = { 0 };
	pid_t pid = 0;
	int fd = 0;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	enum tp_status status = tp_self_start(&child, &pid, &fd, &diag);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(status, TP_RESOURCE);
	assert_int_equal(pid, -1);
	assert_int_equal(fd, -1);
	assert_string_equal(diag.where, "test");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_starts_itself),
		cmocka_unit_test(an_emulator_stands_before),
		cmocka_unit_test(what_is_too_long_is_refused),
		cmocka_unit_test(a_child_has_a_socket_and_no_signals_of_ours),
		cmocka_unit_test(a_child_that_cannot_go_on_says_so),
		cmocka_unit_test(without_a_socket_there_is_no_child),
	};
	if (argc > 1 && strcmp(argv[1], "--again") == 0)
		return second_life(argc, argv);
	if (argc > 1 && strcmp(argv[1], "--greet") == 0)
		return greet();
	return cmocka_run_group_tests_name("self", tests, NULL, NULL);
}
