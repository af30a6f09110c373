/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Knobs of machines shown as a tree of files: set, refused, put back, also after the program was
 * killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/knobs.h"
#include "machine/knobs_held.h"
#include "tests/unit/files.h"

#define CPU    "/sys/devices/system/cpu/"
#define THP    "/sys/kernel/mm/transparent_hugepage/enabled"
#define RECORD "/run/tprof/knobs"
#define BOOT   "/proc/sys/kernel/random/boot_id"

static char root[] = "/tmp/tprof-test-knobs-XXXXXX";
static const unsigned two[] = { 0, 1 };

static void full_path(char out[512], const char *path)
{
	snprintf(out, 512, "%s%s", root, path);
}

static void make_folder_of(const char *full)
{
	char folder[512];
	struct tp_diag diag = { 0 };
	tp_copy(folder, sizeof(folder), full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(tp_dir_make(folder, &diag), TP_OK);
}

static void put(const char *path, const char *text)
{
	put_file(root, path, text);
}

static void link_to(const char *path, const char *target)
{
	char full[512];
	full_path(full, path);
	make_folder_of(full);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static bool holds(const char *path, const char *text)
{
	char full[512], *found = NULL;
	size_t len;
	full_path(full, path);
	if (tp_file_read(full, 4096, &found, &len, NULL) != TP_OK)
		return false;
	while (len && found[len - 1] == '\n')
		found[--len] = '\0';
	bool same = strcmp(found, text) == 0;
	free(found);
	return same;
}

static bool there(const char *path)
{
	char full[512];
	full_path(full, path);
	return access(full, F_OK) == 0;
}

/* A file that can be read and refuses to be written, also to root. */
static const char stubborn[] = "/proc/sys/kernel/ostype";

static int make_root(void **state)
{
	char home[512];
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	full_path(home, "/state");
	setenv("XDG_STATE_HOME", home, 1);
	put(BOOT, "this-boot\n");
	put(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	put(CPU "cpu1/cpufreq/scaling_governor", "schedutil\n");
	put(CPU "cpu0/cpufreq/scaling_min_freq", "1500000\n");
	put(CPU "cpu0/cpufreq/scaling_max_freq", "3700000\n");
	put(CPU "cpu0/cpufreq/cpuinfo_min_freq", "1500000\n");
	put(CPU "cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
	put(CPU "cpu0/cpufreq/base_frequency", "2400000\n");
	put(CPU "intel_pstate/no_turbo", "0\n");
	put(THP, "always [madvise] never\n");
	put("/proc/sys/kernel/numa_balancing", "2\n");
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	return remove_tree(root);
}

static void plan(struct tp_knobs *knobs, enum tp_knob_id id, const char *wanted)
{
	struct tp_diag diag = { 0 };
	knobs->root = root;
	if (tp_knobs_plan(knobs, id, wanted, two, TP_COUNT_OF(two), &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static void expect_words(const struct tp_knobs *knobs, enum tp_knob_id id, bool before,
			 const char *expected)
{
	struct tp_str words = { 0 };
	tp_knobs_words(knobs, id, before, &words);
	assert_string_equal(tp_str_text(&words), expected);
	tp_str_release(&words);
}

static void everything_is_set_and_put_back(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	(void)state;
	plan(&knobs, TP_KNOB_GOVERNOR, "performance");
	plan(&knobs, TP_KNOB_FREQUENCY, "2000");
	plan(&knobs, TP_KNOB_TURBO, "off");
	plan(&knobs, TP_KNOB_THP, "never");
	plan(&knobs, TP_KNOB_NUMA_BALANCING, "off");
	assert_true(tp_knobs_any(&knobs));
	expect_words(&knobs, TP_KNOB_GOVERNOR, true, "powersave on 1 CPU, schedutil on 1 CPU");
	expect_words(&knobs, TP_KNOB_FREQUENCY, true, "1500-3700 MHz");
	expect_words(&knobs, TP_KNOB_TURBO, true, "on");
	expect_words(&knobs, TP_KNOB_THP, true, "madvise");
	expect_words(&knobs, TP_KNOB_NUMA_BALANCING, true, "2");

	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_OK);
	assert_int_equal(diags.n, 0);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "performance"));
	assert_true(holds(CPU "cpu1/cpufreq/scaling_governor", "performance"));
	assert_true(holds(CPU "cpu0/cpufreq/scaling_min_freq", "2000000"));
	assert_true(holds(CPU "cpu0/cpufreq/scaling_max_freq", "2000000"));
	assert_true(holds(CPU "intel_pstate/no_turbo", "1"));
	assert_true(holds(THP, "never"));
	assert_true(holds("/proc/sys/kernel/numa_balancing", "0"));
	expect_words(&knobs, TP_KNOB_GOVERNOR, false, "performance");
	expect_words(&knobs, TP_KNOB_FREQUENCY, false, "2000 MHz");
	expect_words(&knobs, TP_KNOB_TURBO, false, "off");

	assert_int_equal(tp_knobs_restore(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "powersave"));
	assert_true(holds(CPU "cpu1/cpufreq/scaling_governor", "schedutil"));
	assert_true(holds(CPU "cpu0/cpufreq/scaling_min_freq", "1500000"));
	assert_true(holds(CPU "cpu0/cpufreq/scaling_max_freq", "3700000"));
	assert_true(holds(CPU "intel_pstate/no_turbo", "0"));
	assert_true(holds(THP, "madvise"));
	assert_true(holds("/proc/sys/kernel/numa_balancing", "2"));
	tp_knobs_release(&knobs);
}

static void what_is_kept_is_only_read(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	(void)state;
	plan(&knobs, TP_KNOB_GOVERNOR, TP_KNOB_KEEP);
	assert_false(tp_knobs_any(&knobs));
	plan(&knobs, TP_KNOB_THP, "madvise");
	assert_true(tp_knobs_any(&knobs));
	expect_words(&knobs, TP_KNOB_THP, true, "madvise");
	/* What somebody else changes meanwhile is theirs. */
	put(CPU "cpu0/cpufreq/scaling_governor", "ondemand\n");
	put(THP, "always madvise [never]\n");
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_OK);
	assert_int_equal(tp_knobs_restore(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "ondemand"));
	assert_true(holds(THP, "always madvise [never]"));
	tp_knobs_release(&knobs);
}

static void other_spellings_and_words(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	(void)state;
	/* Of AMD's boost 1 means on, of Intel's no_turbo 0 does. */
	put(CPU "cpufreq/boost", "1\n");
	plan(&knobs, TP_KNOB_TURBO, "off");
	plan(&knobs, TP_KNOB_FREQUENCY, "base");
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpufreq/boost", "0"));
	assert_true(holds(CPU "intel_pstate/no_turbo", "1"));
	assert_true(holds(CPU "cpu0/cpufreq/scaling_max_freq", "2400000"));
	tp_knobs_release(&knobs);
	plan(&knobs, TP_KNOB_FREQUENCY, "max");
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_min_freq", "3700000"));
	tp_knobs_release(&knobs);
}

static void expect_no_plan(enum tp_knob_id id, const char *wanted, enum tp_status expected,
			   const char *what, const char *hint)
{
	struct tp_knobs knobs = { .root = root };
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_knobs_plan(&knobs, id, wanted, two, TP_COUNT_OF(two), &diag), expected);
	if (!strstr(diag.what, what) || !strstr(diag.hint, hint))
		fail_msg("%s (%s)", diag.what, diag.hint);
	assert_int_equal(knobs.n, 0);
	tp_knobs_release(&knobs);
}

static void what_cannot_be_is_said_before_anything_is_set(void **state)
{
	(void)state;
	expect_no_plan(TP_KNOB_FREQUENCY, "5000", TP_USAGE, "CPU 0 cannot run at 5000 MHz",
		       "from 1500 to 3700 MHz");
	put(CPU "cpu1/cpufreq/scaling_available_governors", "schedutil powersave\n");
	expect_no_plan(TP_KNOB_GOVERNOR, "performance", TP_USAGE, "CPU 1 has no governor",
		       "schedutil powersave");
	assert_true(remove_root(NULL) == 0 && mkdir(root, 0755) == 0);
	expect_no_plan(TP_KNOB_GOVERNOR, "performance", TP_UNSUPPORTED, "no control",
		       "virtual machine");
	expect_no_plan(TP_KNOB_THP, "never", TP_UNSUPPORTED, "no control", "");
}

static void a_cpu_that_refuses_is_told_and_the_others_are_set(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	(void)state;
	link_to(CPU "cpu1/cpufreq/scaling_governor", stubborn);
	plan(&knobs, TP_KNOB_GOVERNOR, "performance");
	plan(&knobs, TP_KNOB_THP, "always");
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_PERM);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "performance"));
	assert_true(holds(THP, "always"));
	assert_int_equal(diags.n, 1);
	assert_string_equal(diags.items[0].where, "knobs.governor");
	assert_non_null(strstr(diags.items[0].what, "cpu1/"));
	assert_non_null(strstr(diags.items[0].what, "Permission denied"));
	assert_string_equal(diags.items[0].hint,
			    "echo performance | sudo tee "
			    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
	expect_words(&knobs, TP_KNOB_GOVERNOR, false, "performance on 1 CPU, Linux on 1 CPU");
	/* What never changed is no obstacle to going back. */
	assert_int_equal(tp_knobs_restore(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "powersave"));
	tp_diags_release(&diags);
	tp_knobs_release(&knobs);
}

static void a_value_that_does_not_take_is_told(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	(void)state;
	/* A file that keeps fifteen letters of what it is given. */
	link_to(CPU "cpu0/cpufreq/scaling_governor", "/proc/self/comm");
	plan(&knobs, TP_KNOB_GOVERNOR, "a-governor-of-many-letters");
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_PERM);
	assert_non_null(strstr(diags.items[0].what, "stays at a-governor-of-m"));
	tp_diags_release(&diags);
	tp_knobs_restore(&knobs, &diags);
	tp_diags_release(&diags);
	tp_knobs_release(&knobs);
}

static void records_are_read_back(void **state)
{
	static const char *const bad[] = { "governor 0 powersave\n", "governer 0 a b\n",
					   "governor x a b\n",	     "thp 0 ../etc/passwd a\n",
					   "thp 0 a;b c\n",	     "\n" };
	struct tp_knobs knobs = { 0 }, again = { .root = root };
	struct tp_str text = { 0 };
	(void)state;
	plan(&knobs, TP_KNOB_GOVERNOR, "performance");
	plan(&knobs, TP_KNOB_NUMA_BALANCING, "off");
	plan(&knobs, TP_KNOB_THP, TP_KNOB_KEEP);
	tp_knobs_write(&knobs, &text);
	assert_string_equal(tp_str_text(&text),
			    "governor 0 powersave performance\ngovernor 1 schedutil performance\n"
			    "numa_balancing 0 2 0\n");
	assert_int_equal(tp_knobs_parse(&again, tp_str_text(&text), NULL), TP_OK);
	assert_int_equal(again.n, 3);
	assert_string_equal(again.items[1].before, "schedutil");
	assert_int_equal(again.items[1].cpu, 1);
	tp_knobs_release(&again);
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		struct tp_diag diag;
		if (tp_knobs_parse(&again, bad[i], &diag) != TP_USAGE)
			fail_msg("taken: %s", bad[i]);
		tp_knobs_release(&again);
	}
	tp_str_release(&text);
	tp_knobs_release(&knobs);
}

/* --- holding --- */

static bool put_back(void)
{
	return holds(CPU "cpu0/cpufreq/scaling_governor", "powersave") &&
	       holds(CPU "cpu1/cpufreq/scaling_governor", "schedutil") && !there(RECORD);
}

static void await_put_back(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	for (int i = 0; i < 2000 && !put_back(); i++)
		nanosleep(&pause, NULL);
	assert_true(put_back());
}

static void take(struct tp_held *held, struct tp_knobs *knobs)
{
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };
	plan(knobs, TP_KNOB_GOVERNOR, "performance");
	if (tp_held_take(held, knobs, &diags, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_int_equal(diags.n, 0);
	assert_int_equal(tp_knobs_set(knobs, &diags), TP_OK);
}

static void held_and_given_back(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_held held;
	(void)state;
	take(&held, &knobs);
	assert_true(holds(CPU "cpu1/cpufreq/scaling_governor", "performance"));
	assert_true(there(RECORD));
	assert_int_equal(tp_held_give(&held, &knobs, &diags), TP_OK);
	assert_true(put_back());
	tp_knobs_release(&knobs);
}

static void only_one_holds_them(void **state)
{
	struct tp_knobs knobs = { 0 }, others = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_held held, more;
	struct tp_leftover left;
	(void)state;
	take(&held, &knobs);
	plan(&others, TP_KNOB_THP, "never");
	assert_int_equal(tp_held_take(&more, &others, &diags, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "another tprof"));
	assert_int_equal(more.record, -1);
	assert_true(tp_leftover_look(&left, 0, root));
	assert_int_equal(left.state, TP_LEFTOVER_HELD);
	assert_int_equal(tp_held_give(&held, &knobs, &diags), TP_OK);
	assert_int_equal(tp_held_take(&more, &others, &diags, &diag), TP_OK);
	assert_int_equal(tp_held_give(&more, &others, &diags), TP_OK);
	tp_knobs_release(&knobs);
	tp_knobs_release(&others);
}

/*
 * Runs `what` in a process of its own, which is then killed. `keeper` (may be NULL) gets the
 * keeper's number.
 */
static void in_a_killed_process(bool kill_keeper)
{
	pid_t child = fork();
	if (child == 0) {
		struct tp_knobs knobs = { .root = root };
		struct tp_diags diags = { 0 };
		struct tp_diag diag;
		struct tp_held held;
		if (tp_knobs_plan(&knobs, TP_KNOB_GOVERNOR, "performance", two, 2, &diag) !=
			    TP_OK ||
		    tp_held_take(&held, &knobs, &diags, &diag) != TP_OK ||
		    tp_knobs_set(&knobs, &diags) != TP_OK)
			_exit(1);
		if (kill_keeper)
			kill(held.keeper, SIGKILL);
		else
			kill(held.keeper, SIGTERM); /* which means nothing to it */
		raise(SIGKILL);
	}
	int how;
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
}

static void a_killed_program_is_followed_by_its_keeper(void **state)
{
	(void)state;
	in_a_killed_process(false);
	await_put_back();
}

/* The lock goes with the last process that has it; a killed one may take a moment. */
static void look(struct tp_leftover *left, enum tp_leftover_state expected)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	for (int i = 0; i < 2000; i++) {
		assert_true(tp_leftover_look(left, 0, root));
		if (left->state == expected)
			return;
		tp_knobs_release(&left->knobs);
		nanosleep(&pause, NULL);
	}
	fail_msg("state %d, expected %d", (int)left->state, (int)expected);
}

static void what_everybody_killed_left_is_found_and_put_back(void **state)
{
	struct tp_leftover left;
	struct tp_diags diags = { 0 };
	(void)state;
	in_a_killed_process(true);
	look(&left, TP_LEFTOVER_THERE);
	assert_true(holds(CPU "cpu0/cpufreq/scaling_governor", "performance"));
	assert_int_equal(left.knobs.n, 2);
	assert_int_equal(tp_leftover_restore(&left, &diags), TP_OK);
	assert_true(put_back());
	tp_knobs_release(&left.knobs);
	assert_true(tp_leftover_look(&left, 0, root));
	assert_int_equal(left.state, TP_LEFTOVER_NONE);
}

static void the_next_holder_begins_from_the_first_values(void **state)
{
	struct tp_leftover left;
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_held held;
	(void)state;
	in_a_killed_process(true);
	look(&left, TP_LEFTOVER_THERE);
	tp_knobs_release(&left.knobs);
	plan(&knobs, TP_KNOB_GOVERNOR, "performance"); /* reads what was left */
	assert_int_equal(tp_held_take(&held, &knobs, &diags, &diag), TP_OK);
	assert_int_equal(diags.n, 1);
	assert_non_null(strstr(diags.items[0].what, "put back first"));
	tp_diags_release(&diags);
	assert_int_equal(tp_knobs_set(&knobs, &diags), TP_OK);
	assert_true(holds(CPU "cpu1/cpufreq/scaling_governor", "performance"));
	assert_int_equal(tp_held_give(&held, &knobs, &diags), TP_OK);
	assert_true(put_back());
	tp_knobs_release(&knobs);
}

static void leftovers_that_refuse_stay_on_record(void **state)
{
	struct tp_leftover left;
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_held held;
	(void)state;
	link_to(CPU "cpu1/cpufreq/scaling_governor", stubborn);
	put(RECORD, "tprof-knobs 1\nboot this-boot\ngovernor 0 powersave performance\n"
		    "governor 1 schedutil performance\nend\n");
	look(&left, TP_LEFTOVER_THERE);
	assert_int_equal(tp_leftover_restore(&left, &diags), TP_PERM);
	assert_int_equal(diags.n, 1);
	assert_non_null(strstr(diags.items[0].hint, "doctor --restore"));
	assert_true(there(RECORD));
	tp_knobs_release(&left.knobs);
	tp_diags_release(&diags);
	/* Nor is anything set on top of them. */
	plan(&knobs, TP_KNOB_THP, "never");
	assert_int_equal(tp_held_take(&held, &knobs, &diags, &diag), TP_PERM);
	assert_true(there(RECORD));
	assert_true(holds(THP, "always [madvise] never"));
	tp_diags_release(&diags);
	tp_knobs_release(&knobs);
}

static void records_of_nothing(void **state)
{
	static const struct {
		const char *text;
		enum tp_leftover_state state;
	} rows[] = {
		{ "tprof-knobs 1\nboot that-boot\nthp 0 madvise never\nend\n", TP_LEFTOVER_NONE },
		{ "tprof-knobs 1\nboot this-boot\nthp 0 madvise ne", TP_LEFTOVER_NONE },
		{ "", TP_LEFTOVER_NONE },
		{ "tprof-knobs 1\nboot this-boot\nend\n", TP_LEFTOVER_NONE },
		{ "tprof-knobs 1\nboot this-boot\nshell 0 a b\nend\n", TP_LEFTOVER_DOUBTFUL },
		{ "something else\nend\n", TP_LEFTOVER_DOUBTFUL },
		{ "tprof-knobs 1\nboot this-boot\nthp 0 madvise never\nend\n", TP_LEFTOVER_THERE },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_leftover left;
		put(RECORD, rows[i].text);
		assert_true(tp_leftover_look(&left, 0, root));
		if (left.state != rows[i].state)
			fail_msg("%zu: state %d", i, (int)left.state);
		tp_knobs_release(&left.knobs);
	}
}

static void a_link_is_no_record(void **state)
{
	struct tp_leftover left;
	(void)state;
	put("/elsewhere", "tprof-knobs 1\nboot this-boot\nthp 0 madvise never\nend\n");
	link_to(RECORD, "../../elsewhere");
	assert_true(tp_leftover_look(&left, 0, root));
	assert_int_equal(left.state, TP_LEFTOVER_DOUBTFUL);
	tp_knobs_release(&left.knobs);
}

/* Root is not to write what another user put into a record. */
static void a_record_of_another_user_is_none(void **state)
{
	struct tp_leftover left;
	char full[512];
	(void)state;
	if (geteuid() != 0)
		skip();
	put(RECORD, "tprof-knobs 1\nboot this-boot\nthp 0 madvise never\nend\n");
	full_path(full, RECORD);
	assert_int_equal(chown(full, 12345, 12345), 0);
	assert_true(tp_leftover_look(&left, 0, root));
	assert_int_equal(left.state, TP_LEFTOVER_DOUBTFUL);
	tp_knobs_release(&left.knobs);
}

static void the_record_finds_another_place(void **state)
{
	struct tp_knobs knobs = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_held held;
	struct tp_leftover left;
	char full[512];
	(void)state;
	put("/run", "a file where the folder should be\n");
	full_path(full, "/state/tprof/knobs-");
	take(&held, &knobs);
	assert_memory_equal(held.path, full, strlen(full));
	assert_true(tp_leftover_look(&left, 1, root));
	assert_int_equal(left.state, TP_LEFTOVER_HELD);
	assert_false(tp_leftover_look(&left, 2, root));
	assert_int_equal(tp_held_give(&held, &knobs, &diags), TP_OK);
	tp_knobs_release(&knobs);
	/* Nowhere to record: nothing may be set. */
	setenv("XDG_STATE_HOME", "/proc/none", 1);
	plan(&knobs, TP_KNOB_GOVERNOR, "performance");
	assert_int_equal(tp_held_take(&held, &knobs, &diags, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "nothing is"));
	tp_knobs_release(&knobs);
}

/* --- of the process --- */

static void scheduling_class(void **state)
{
	struct tp_diag diag;
	struct tp_str words = { 0 };
	(void)state;
	assert_int_equal(tp_scheduler_set(root, "keep", &diag), TP_OK);
	assert_int_equal(tp_scheduler_set(root, "idle", &diag), TP_USAGE);
	put("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
	put("/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	assert_true(tp_realtime_share(root) >= 1);
	assert_int_equal(tp_scheduler_set(root, "fifo", &diag), TP_PERM);
	assert_non_null(strstr(diag.what, "would hang"));
	assert_non_null(strstr(diag.hint, "sched_rt_runtime_us=950000"));
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	assert_true(tp_realtime_share(root) > 0.949 && tp_realtime_share(root) < 0.951);
	assert_int_equal(tp_scheduler_set(root, "batch", &diag), TP_OK);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	tp_scheduler_words(root, &words);
	assert_string_equal(tp_str_text(&words), "batch");
	tp_str_clear(&words);
	if (tp_scheduler_set(root, "fifo", &diag) == TP_OK) {
		tp_scheduler_words(root, &words);
		assert_string_equal(tp_str_text(&words), "fifo 1, at most 95 % of the time");
	} else {
		assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
		assert_non_null(strstr(diag.hint, "setcap"));
	}
	assert_int_equal(tp_scheduler_set(root, "other", &diag), TP_OK);
	tp_str_release(&words);
}

static void nice_values(void **state)
{
	static const char *const bad[] = { "20", "-21", "high", "" };
	struct tp_diag diag;
	struct tp_str words = { 0 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++)
		assert_int_equal(tp_priority_set(bad[i], &diag), TP_USAGE);
	assert_int_equal(tp_priority_set("keep", &diag), TP_OK);
	/* Up is always allowed. */
	assert_int_equal(tp_priority_set("19", &diag), TP_OK);
	tp_priority_words(&words);
	assert_string_equal(tp_str_text(&words), "19");
	tp_str_release(&words);
}

int main(void)
{
#define KNOB_TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		KNOB_TEST(everything_is_set_and_put_back),
		KNOB_TEST(what_is_kept_is_only_read),
		KNOB_TEST(other_spellings_and_words),
		KNOB_TEST(what_cannot_be_is_said_before_anything_is_set),
		KNOB_TEST(a_cpu_that_refuses_is_told_and_the_others_are_set),
		KNOB_TEST(a_value_that_does_not_take_is_told),
		KNOB_TEST(records_are_read_back),
		KNOB_TEST(held_and_given_back),
		KNOB_TEST(only_one_holds_them),
		KNOB_TEST(a_killed_program_is_followed_by_its_keeper),
		KNOB_TEST(what_everybody_killed_left_is_found_and_put_back),
		KNOB_TEST(the_next_holder_begins_from_the_first_values),
		KNOB_TEST(leftovers_that_refuse_stay_on_record),
		KNOB_TEST(records_of_nothing),
		KNOB_TEST(a_link_is_no_record),
		KNOB_TEST(a_record_of_another_user_is_none),
		KNOB_TEST(the_record_finds_another_place),
		KNOB_TEST(scheduling_class),
		KNOB_TEST(nice_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
