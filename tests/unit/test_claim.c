/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/buffer.h"

/* Numbers that no machine has, and no other test run at the same time. */
static unsigned cpu_number(unsigned i)
{
	return 1000000 + (unsigned)getpid() * 8 + i;
}

static void alone_nothing_is_contested(void **state)
{
	const unsigned cpus[] = { cpu_number(0), cpu_number(1) };
	struct tp_claims claims;
	(void)state;
	tp_claims_init(&claims, cpus, 2);
	assert_int_equal(claims.n, 2);
	assert_false(tp_claims_contested(&claims));
	assert_false(tp_claims_contested(&claims));
	tp_claims_release(&claims);
	assert_int_equal(claims.n, 0);
}

static void both_sides_learn_of_each_other(void **state)
{
	const unsigned cpus[] = { cpu_number(0), cpu_number(1), cpu_number(2) };
	struct tp_claims first, second;
	(void)state;
	tp_claims_init(&first, cpus, 2);
	assert_false(tp_claims_contested(&first));
	tp_claims_init(&second, cpus + 1, 2); /* they share the one in the middle */
	assert_true(tp_claims_contested(&second));
	assert_true(tp_claims_contested(&first));
	assert_true(tp_claims_contested(&first));
	assert_true(tp_claims_contested(&second)); /* still there */
	tp_claims_release(&first);
	assert_false(tp_claims_contested(&second)); /* gone */
	tp_claims_init(&first, cpus, 2);
	assert_true(tp_claims_contested(&first));
	assert_true(tp_claims_contested(&second));
	tp_claims_release(&first);
	tp_claims_release(&second);
}

/* The one that came first has gone: the two others still know of each other. */
static void the_last_of_many_is_known(void **state)
{
	const unsigned cpu = cpu_number(6);
	struct tp_claims claims[3];
	(void)state;
	for (int i = 0; i < 2; i++) {
		tp_claims_init(&claims[i], &cpu, 1);
		assert_int_equal(tp_claims_contested(&claims[i]), i > 0);
	}
	tp_claims_release(&claims[0]);
	tp_claims_init(&claims[2], &cpu, 1);
	assert_true(tp_claims_contested(&claims[2]));
	assert_true(tp_claims_contested(&claims[1]));
	tp_claims_release(&claims[1]);
	assert_false(tp_claims_contested(&claims[2]) && tp_claims_contested(&claims[2]));
	tp_claims_release(&claims[2]);
}

static void a_dead_process_claims_nothing(void **state)
{
	const unsigned cpus[] = { cpu_number(3) };
	struct tp_claims claims;
	int ready[2];
	char byte;
	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		tp_claims_init(&claims, cpus, 1);
		byte = tp_claims_contested(&claims) ? 'y' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'n');
	tp_claims_init(&claims, cpus, 1);
	assert_true(tp_claims_contested(&claims));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(tp_claims_contested(&claims));
	tp_claims_release(&claims);
	close(ready[0]);
	close(ready[1]);
}

/*
 * Others can take the name, and can call the one who has it. Neither may spoil what is measured. A
 * child without privileges plays them, so this needs root.
 */
static void strangers_do_not_count(void **state)
{
	const unsigned cpus[] = { cpu_number(4), cpu_number(5) };
	struct tp_claims claims;
	int ready[2], go[2];
	char byte = 'y';
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid_t child = fork();
	if (child == 0) {
		struct sockaddr_un taken = { .sun_family = AF_UNIX }, called = taken;
		size_t head = offsetof(struct sockaddr_un, sun_path) + 1;
		int n = snprintf(taken.sun_path + 1, sizeof(taken.sun_path) - 1, "tprof/0/cpu/%u/0",
				 cpus[0]);
		int m = snprintf(called.sun_path + 1, sizeof(called.sun_path) - 1,
				 "tprof/0/cpu/%u/0", cpus[1]);
		int own = socket(AF_UNIX, SOCK_STREAM, 0), call = socket(AF_UNIX, SOCK_STREAM, 0);
		if (setuid(65534) != 0 ||
		    bind(own, (struct sockaddr *)&taken, (socklen_t)(head + (size_t)n)) != 0 ||
		    listen(own, 100) != 0 || write(ready[1], &byte, 1) != 1 ||
		    read(go[0], &byte, 1) != 1)
			_exit(1);
		if (connect(call, (struct sockaddr *)&called, (socklen_t)(head + (size_t)m)) != 0 ||
		    write(ready[1], &byte, 1) != 1)
			_exit(2);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	tp_claims_init(&claims, cpus, 2);
	assert_false(tp_claims_contested(&claims)); /* the name of the first CPU is taken */
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_false(tp_claims_contested(&claims)); /* and the owner of the second was called */
	tp_claims_release(&claims);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_nothing_is_contested),
		cmocka_unit_test(both_sides_learn_of_each_other),
		cmocka_unit_test(the_last_of_many_is_known),
		cmocka_unit_test(a_dead_process_claims_nothing),
		cmocka_unit_test(strangers_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
