/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program starting itself: plainly, and through an emulator's command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/self.h"

enum { AGAIN = 42, RETURNED = 43 };

static char *const again[] = { "test_self", "--again", "two words", "", NULL };

/* The second life: tells by its status whether the arguments came whole, and the variable that a stand-in for an emulator sets. */
static int second_life(int argc, char **argv)
{
	const char *seen = getenv("SEEN");
	if (argc != 4 || strcmp(argv[2], "two words") != 0 || argv[3][0])
		return 1;
	return AGAIN + (seen && strcmp(seen, "yes") == 0 ? 10 : 0);
}

/* How a child ends that becomes this program with that emulator before the one these tests themselves run under. */
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_starts_itself),
		cmocka_unit_test(an_emulator_stands_before),
		cmocka_unit_test(what_is_too_long_is_refused),
	};
	if (argc > 1 && strcmp(argv[1], "--again") == 0)
		return second_life(argc, argv);
	return cmocka_run_group_tests_name("self", tests, NULL, NULL);
}
