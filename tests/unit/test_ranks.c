/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/ranks_parts.h"

enum { RANKS = 3, POINTS = 20 };

static char folder[] = "/tmp/tprof-ranks.XXXXXX";
static char meeting[sizeof(folder) + 8];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - sizeof("XXXXXX"), "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(meeting, sizeof(meeting), "%s/meet", folder);
	return 0;
}

/* Every test leaves the folder empty: what tidies up is a part of it. */
static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static struct tp_ranks ranks_of(unsigned rank, unsigned size, double seconds)
{
	struct tp_ranks ranks = { .rank = rank, .size = size, .seconds = seconds };
	snprintf(ranks.directory, sizeof(ranks.directory), "%s", meeting);
	return ranks;
}

static void a_rank_is_two_numbers(void **state)
{
	unsigned rank, size;
	(void)state;
	assert_true(tp_ranks_parse("0/1", &rank, &size));
	assert_true(tp_ranks_parse("3/4", &rank, &size));
	assert_int_equal(rank, 3);
	assert_int_equal(size, 4);
	static const char *const wrong[] = { "",       "3",	"4/4",	 "-1/4",
					     "1/",     "/2",	"1/2x",	 " 1/2",
					     "1/5000", "0x1/2", "1/2/3", "99999999999999999999/2" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(tp_ranks_parse(wrong[i], &rank, &size));
}

static void launchers_say_who_it_is(void **state)
{
	struct tp_ranks ranks = { 0 };
	struct tp_diag diag = { 0 };
	char name[64];
	static const char *const all[] = { "OMPI_COMM_WORLD_RANK",
					   "OMPI_COMM_WORLD_SIZE",
					   "PMIX_NAMESPACE",
					   "MV2_COMM_WORLD_RANK",
					   "PMI_RANK",
					   "PMI_SIZE",
					   "SLURM_PROCID",
					   "SLURM_STEP_NUM_TASKS",
					   "SLURM_NTASKS",
					   "SLURM_JOB_ID",
					   "SLURM_STEP_ID" };
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		unsetenv(all[i]);
	assert_int_equal(tp_ranks_environment(&ranks, name, sizeof(name), &diag), TP_NOTFOUND);
	setenv("SLURM_PROCID", "2", 1);
	setenv("SLURM_NTASKS", "4", 1);
	assert_int_equal(tp_ranks_environment(&ranks, name, sizeof(name), &diag), TP_OK);
	assert_int_equal(ranks.rank, 2);
	assert_int_equal(ranks.size, 4);
	assert_string_equal(name, "");
	setenv("SLURM_JOB_ID", "17", 1);
	setenv("SLURM_STEP_ID", "../0", 1);
	assert_int_equal(tp_ranks_environment(&ranks, name, sizeof(name), &diag), TP_OK);
	assert_string_equal(name, "17-___0"); /* nothing of it is a path */
	setenv("PMI_RANK", "4", 1);
	setenv("PMI_SIZE", "4", 1);
	assert_int_equal(tp_ranks_environment(&ranks, name, sizeof(name), &diag), TP_USAGE);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		unsetenv(all[i]);
}

static void half_a_hello_is_none(void **state)
{
	static const char whole[] = "tprof-ranks 1\nnonce 00000000000000ff\nsize 3\nhost a-b\ncpus "
				    "0-3,8\n";
	char part[sizeof(whole)];
	struct tp_ranks_hello hello;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_ranks_hello_parse(&hello, whole, &diag), TP_OK);
	assert_int_equal(hello.nonce, 255);
	assert_string_equal(hello.cpus, "0-3,8");
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		memcpy(part, whole, n);
		part[n] = 0;
		assert_int_equal(tp_ranks_hello_parse(&hello, part, &diag), TP_USAGE);
	}
}

static void half_a_plan_is_none(void **state)
{
	static const char whole[] = "tprof-plan 1\nversion 0.9.1~rc1\noptions 00000000000000ff\n"
				    "points 47 ffffffffffffffff\n";
	char part[sizeof(whole)];
	struct tp_ranks_plan plan;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_ranks_plan_parse(&plan, whole, &diag), TP_OK);
	assert_string_equal(plan.version, "0.9.1~rc1");
	assert_int_equal(plan.options, 255);
	assert_int_equal(plan.n_points, 47);
	assert_true(plan.points == UINT64_MAX);
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		memcpy(part, whole, n);
		part[n] = 0;
		assert_int_equal(tp_ranks_plan_parse(&plan, part, &diag), TP_USAGE);
	}
}

/* A child that goes through all points; its exit code says how far it came. */
static pid_t start(unsigned rank, unsigned points)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	struct tp_ranks ranks = ranks_of(rank, RANKS, 10);
	struct tp_diag diag;
	if (tp_ranks_join(&ranks, NULL, NULL, &diag) != TP_OK)
		_exit(100);
	unsigned i = 0;
	for (; i < points; i++)
		for (int stage = TP_RANKS_BEGIN; stage <= TP_RANKS_END; stage++)
			if (tp_ranks_meet(&ranks, i, (enum tp_ranks_stage)stage, NULL, NULL,
					  &diag) != TP_OK)
				_exit(101);
	if (tp_ranks_leave(&ranks, "mine\n", NULL, NULL, &diag) != TP_OK)
		_exit(102);
	_exit((int)i);
}

static int code_of(pid_t pid)
{
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What an earlier launch has left: every file that could be taken for one of ours. */
static void leave_old_files(void)
{
	struct tp_diag diag;
	char path[sizeof(meeting) + 64];
	assert_int_equal(mkdir(meeting, 0700), 0);
	for (unsigned i = 0; i < RANKS; i++) {
		static const char hello[] = "tprof-ranks 1\nnonce 00000000000000ff\nsize 3\nhost "
					    "a\ncpus 0\n";
		snprintf(path, sizeof(path), "%s/hello-%u", meeting, i);
		assert_int_equal(tp_file_write(path, hello, strlen(hello), &diag), TP_OK);
		snprintf(path, sizeof(path), "%s/00000000000000aa.0-begin.%u", meeting, i);
		assert_int_equal(tp_file_write(path, "", 0, &diag), TP_OK);
	}
}

/* CPUs are divided among ranks that may run on the same ones, caches among all of the host. */
static void neighbours_are_of_two_kinds(void **state)
{
	const struct tp_ranks_hello all[] = { { 1, 4, "a", "0-1" },
					      { 2, 4, "a", "0-1" },
					      { 3, 4, "a", "2-3" },
					      { 4, 4, "b", "0-1" } };
	struct tp_ranks ranks = ranks_of(1, 4, 1);
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		tp_ranks_count(&ranks, &all[1], i, &all[i]);
	assert_int_equal(ranks.host_rank, 1);
	assert_int_equal(ranks.host_size, 2);
	assert_int_equal(ranks.on_host, 3);
}

static void ranks_stay_in_step(void **state)
{
	struct tp_ranks ranks = ranks_of(0, RANKS, 10);
	struct tp_diag diag = { 0 };
	pid_t others[RANKS] = { 0 };
	char *text = NULL;
	(void)state;
	leave_old_files();
	for (unsigned i = 1; i < RANKS; i++)
		others[i] = start(i, POINTS);
	assert_int_equal(tp_ranks_join(&ranks, NULL, NULL, &diag), TP_OK);
	assert_int_equal(ranks.host_size, RANKS);
	assert_int_equal(ranks.on_host, RANKS);
	assert_int_equal(ranks.host_rank, 0);
	for (unsigned i = 0; i < POINTS; i++)
		for (int stage = TP_RANKS_BEGIN; stage <= TP_RANKS_END; stage++)
			assert_int_equal(tp_ranks_meet(&ranks, i, (enum tp_ranks_stage)stage, NULL,
						       NULL, &diag),
					 TP_OK);
	for (unsigned i = 1; i < RANKS; i++) {
		assert_int_equal(code_of(others[i]), POINTS);
		assert_int_equal(tp_ranks_left(&ranks, i, NULL, NULL, &text, &diag), TP_OK);
		assert_string_equal(text, "mine\n");
		free(text);
	}
	tp_ranks_tidy(&ranks);
	assert_int_equal(access(meeting, F_OK), -1);
}

static void the_missing_rank_is_named(void **state)
{
	struct tp_ranks ranks = ranks_of(0, 2, 0.05);
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_ranks_join(&ranks, NULL, NULL, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "rank 1 of 2 has not come within"));
	tp_ranks_tidy(&ranks);
}

/* It costs its time once, not at every point. */
static void a_dead_rank_is_waited_for_once(void **state)
{
	struct tp_ranks ranks = ranks_of(0, 2, 10);
	struct tp_diag diag = { 0 };
	(void)state;
	pid_t other = fork();
	if (!other) {
		ranks.rank = 1;
		_exit(tp_ranks_join(&ranks, NULL, NULL, &diag) != TP_OK);
	}
	assert_int_equal(tp_ranks_join(&ranks, NULL, NULL, &diag), TP_OK);
	assert_int_equal(code_of(other), 0);
	ranks.seconds = 0.05;
	assert_int_equal(tp_ranks_meet(&ranks, 0, TP_RANKS_BEGIN, NULL, NULL, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "rank 1 of 2 has not come to the begin of point 0"));
	ranks.seconds = 1e6;
	assert_int_equal(tp_ranks_meet(&ranks, 1, TP_RANKS_BEGIN, NULL, NULL, &diag), TP_FAILED);
	tp_ranks_tidy(&ranks);
}

/* One that has ended, or does not measure the point, ends the wait at once. */
static void whoever_drops_out_is_not_waited_for(void **state)
{
	struct tp_ranks ranks = ranks_of(0, RANKS, 10);
	struct tp_diag diag = { 0 };
	pid_t others[RANKS] = { 0 };
	(void)state;
	for (unsigned i = 1; i < RANKS; i++)
		others[i] = start(i, 0);
	assert_int_equal(tp_ranks_join(&ranks, NULL, NULL, &diag), TP_OK);
	for (unsigned i = 1; i < RANKS; i++)
		assert_int_equal(code_of(others[i]), 0);
	assert_int_equal(tp_ranks_meet(&ranks, 0, TP_RANKS_BEGIN, NULL, NULL, &diag), TP_FAILED);
	assert_non_null(strstr(diag.what, "rank 1 ended before this point"));
	struct tp_ranks other = ranks;
	other.rank = 2;
	assert_int_equal(tp_ranks_say(&other, 5, TP_RANKS_OUT, &diag), TP_OK);
	assert_int_equal(tp_ranks_meet(&ranks, 5, TP_RANKS_LOAD, NULL, NULL, &diag), TP_FAILED);
	assert_non_null(strstr(diag.what, "rank 2 does not measure this point"));
	tp_ranks_tidy(&ranks);
}

/* All of them hear who differs from the first one, and in what. */
static void plans_are_compared(void **state)
{
	static const struct {
		struct tp_ranks_plan plan; /* of rank 1 */
		const char *what;
	} rows[] = {
		{ { "1.0", 1, 2, 3 }, NULL },
		{ { "1.1", 1, 2, 3 }, "rank 1 is tprof 1.1, and rank 0 is tprof 1.0" },
		{ { "1.0", 2, 2, 3 }, "rank 1 has another preset or other options than rank 0" },
		{ { "1.0", 1, 2, 4 }, "rank 1 plans other points than rank 0, 4 and 3 of them" },
		{ { "1.0", 1, 9, 3 }, "rank 1 plans other points than rank 0, 3 and 3 of them" },
	};
	const struct tp_ranks_plan plan = { "1.0", 1, 2, 3 };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tp_ranks ranks = ranks_of(0, 2, 10);
		struct tp_diag diag = { 0 };
		enum tp_status expected = rows[i].what ? TP_USAGE : TP_OK;
		pid_t other = fork();
		ranks.rank = other ? 0 : 1;
		enum tp_status status = tp_ranks_join(&ranks, NULL, NULL, &diag);
		if (status == TP_OK)
			status = tp_ranks_agree(&ranks, other ? &plan : &rows[i].plan, NULL, NULL,
						&diag);
		bool good = status == expected &&
			    (!rows[i].what ||
			     strncmp(diag.what, rows[i].what, strlen(rows[i].what)) == 0);
		if (!other)
			_exit(!good);
		assert_int_equal(code_of(other), 0);
		assert_true(good);
		tp_ranks_tidy(&ranks);
	}
}

static bool never(void *context)
{
	(void)context;
	return false;
}

static void a_wait_can_be_cancelled(void **state)
{
	struct tp_ranks ranks = ranks_of(1, 2, 10);
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_ranks_join(&ranks, never, NULL, &diag), TP_CANCELLED);
	tp_ranks_tidy(&ranks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_are_of_two_kinds),
		cmocka_unit_test(a_rank_is_two_numbers),
		cmocka_unit_test(launchers_say_who_it_is),
		cmocka_unit_test(half_a_hello_is_none),
		cmocka_unit_test(half_a_plan_is_none),
		cmocka_unit_test_setup_teardown(ranks_stay_in_step, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(the_missing_rank_is_named, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(a_dead_rank_is_waited_for_once, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(whoever_drops_out_is_not_waited_for, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(plans_are_compared, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_wait_can_be_cancelled, make_folder,
						remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
