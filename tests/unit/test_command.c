/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands: their words, what they take and print, and how they are ended. */
#include "base/command.h"
#include "base/now.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The words of a text, each in brackets; "!" if it is refused. */
static const char *split(const char *text)
{
	static char out[256];
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	char **words;
	size_t n, len = 0;
	if (tp_command_split(text, &arena, &words, &n, &diag) != TP_OK) {
		tp_arena_release(&arena);
		return "!";
	}
	assert_null(words[n]);
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(out + len, sizeof(out) - len, "[%s]", words[i]);
	tp_arena_release(&arena);
	return out;
}

static void words_are_split(void **state)
{
	(void)state;
	assert_string_equal(split("gzip -9  -c\tfile"), "[gzip][-9][-c][file]");
	assert_string_equal(split("  a "), "[a]");
	assert_string_equal(split("grep \"two words\" x"), "[grep][two words][x]");
	assert_string_equal(split("--name=\"a b\"c d"), "[--name=a bc][d]");
	assert_string_equal(split("a \"\" b"), "[a][][b]");
	assert_string_equal(split("say \"a \\\"quoted\\\" \\\\ word\""),
			    "[say][a \"quoted\" \\ word]");
	/* Nothing else has a meaning. */
	assert_string_equal(split("echo $HOME 'a b' | cat; `ls` \\n *"),
			    "[echo][$HOME]['a][b'][|][cat;][`ls`][\\n][*]");
	/* A byte by its number, in quotes alone. */
	assert_string_equal(split("\"a\\x41\\x0Ab\" \\x41 \"\\x00\\x4\\\\x41\""),
			    "[aA\nb][\\x41][\\x00\\x4\\x41]");
	assert_string_equal(split("a \"b"), "!");
	assert_string_equal(split(""), "!");
	assert_string_equal(split(" \t"), "!");
}

static void words_are_joined(void **state)
{
	static const char *const words[] = { "a", "b c", "", "say \"x\"", "back\\slash" };
	struct tp_str text = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		tp_command_join(&text, words[i]);
	assert_string_equal(split(tp_str_text(&text)), "[a][b c][][say \"x\"][back\\slash]");
	tp_str_release(&text);
}

/* Any bytes but NUL, as text without control characters, and back. */
static void any_bytes_are_joined(void **state)
{
	enum { WORDS = 40, BYTES = 300, ROUNDS = 300 };
	static const char likely[] = " \"\\x4a1\n\t\x1b\x7f\x80\xc2\x85\xe2\x80\xa8\xff";
	static char words[WORDS][BYTES + 1];
	uint64_t random = 7;
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct tp_arena arena = { 0 };
		struct tp_diag diag;
		char **again;
		TP_STR text = { 0 };
		size_t count = 1 + tp_splitmix64(&random) % WORDS, n;
		for (size_t i = 0; i < count; i++) {
			size_t len = tp_splitmix64(&random) % (round % 2 ? BYTES : 8);
			for (size_t k = 0; k < len; k++)
				words[i][k] = round % 3 ? likely[tp_splitmix64(&random) %
								 (sizeof(likely) - 1)]
							: (char)(1 + tp_splitmix64(&random) % 255);
			words[i][len] = '\0';
			tp_command_join(&text, words[i]);
		}
		assert_null(tp_text_fault(text.s, text.len, ""));
		assert_int_equal(tp_command_split(text.s, &arena, &again, &n, &diag), TP_OK);
		assert_int_equal(n, count);
		for (size_t i = 0; i < n; i++)
			assert_string_equal(again[i], words[i]);
		tp_arena_release(&arena);
	}
}

static enum tp_status run(const char *text, double limit_seconds, struct tp_command_run *r,
			  struct tp_diag *diag)
{
	struct tp_arena arena = { 0 };
	char **words;
	size_t n;
	assert_int_equal(tp_command_split(text, &arena, &words, &n, diag), TP_OK);
	const struct tp_command_line command = { .words = words, .limit_seconds = limit_seconds };
	enum tp_status status = tp_command_run(&command, r, diag);
	tp_arena_release(&arena);
	return status;
}

static void output_and_end_are_told(void **state)
{
	struct tp_command_run r;
	struct tp_diag diag;
	char line[32];
	(void)state;
	assert_int_equal(run("sh -c \"echo one; echo two >&2; exit 3\"", 20, &r, &diag), TP_OK);
	assert_string_equal(tp_str_text(&r.output), "one\ntwo\n");
	assert_int_equal(r.end.code, 3);
	assert_int_equal(r.end.signal, 0);
	assert_false(r.late);
	assert_true(r.wall_seconds > 0);
	assert_true(r.minor_faults > 0);
	assert_string_equal(tp_command_last_line(&r, line, sizeof(line)), "two");
	tp_command_run_release(&r);
	assert_int_equal(run("sh -c \"kill -SEGV $$\"", 20, &r, &diag), TP_OK);
	assert_int_equal(r.end.signal, SIGSEGV);
	assert_string_equal(tp_command_last_line(&r, line, sizeof(line)), "");
	tp_command_run_release(&r);
	/* Standard input is empty, and escape sequences do not get through. */
	assert_int_equal(run("sh -c \"cat; printf '\\\\033[31mred'\"", 20, &r, &diag), TP_OK);
	assert_string_equal(tp_command_last_line(&r, line, sizeof(line)), "?[31mred");
	tp_command_run_release(&r);
}

static void missing_programs_are_told(void **state)
{
	struct tp_command_run r;
	struct tp_diag diag;
	char folder[] = "/tmp/tprof-command-XXXXXX", path[64];
	(void)state;
	assert_int_equal(run("no-such-program-of-tprof", 20, &r, &diag), TP_NOTFOUND);
	assert_string_equal(diag.what, "there is no such program in PATH");
	assert_string_equal(diag.where, "no-such-program-of-tprof");
	assert_int_equal(run("./no-such-program", 20, &r, &diag), TP_NOTFOUND);
	/* A file that is executable and no program. */
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/script", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("echo no interpreter\n", f);
	fclose(f);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(run(path, 20, &r, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "cannot be started: "));
	tp_command_run_release(&r);
	unlink(path);
	rmdir(folder);
}

static bool is_gone(const char *pid_text)
{
	long pid = strtol(pid_text, NULL, 10);
	assert_true(pid > 1);
	/* The one who reaps orphans may take a moment. */
	for (int i = 0; i < 2000; i++) {
		char path[64], text[256] = "";
		snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
		FILE *f = fopen(path, "r");
		if (!f)
			return true;
		bool zombie = fgets(text, sizeof(text), f) && strstr(text, ") Z");
		fclose(f);
		if (zombie)
			return true;
		usleep(1000);
	}
	return false;
}

static void limits_end_the_whole_group(void **state)
{
	struct tp_command_run r;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(run("sh -c \"sleep 100 & echo $!; sleep 100\"", 0.3, &r, &diag), TP_OK);
	assert_true(r.late);
	assert_true(r.wall_seconds >= 0.3);
	assert_true(is_gone(tp_str_text(&r.output)));
	tp_command_run_release(&r);
	/* What the program leaves behind when it ends by itself, too. */
	assert_int_equal(run("sh -c \"sleep 100 & echo $!\"", 20, &r, &diag), TP_OK);
	assert_false(r.late);
	assert_true(is_gone(tp_str_text(&r.output)));
	tp_command_run_release(&r);
}

static void endless_output_is_bounded(void **state)
{
	struct tp_command_run r;
	struct tp_diag diag;
	char line[32];
	(void)state;
	assert_int_equal(run("yes word", 0.3, &r, &diag), TP_OK);
	assert_true(r.late);
	assert_int_equal(r.output.len, TP_COMMAND_OUTPUT_BYTES);
	assert_true(r.lost_bytes > 0);
	tp_command_run_release(&r);
	assert_int_equal(
		run("sh -c \"head -c 1200000 /dev/zero; echo; echo the end\"", 20, &r, &diag),
		TP_OK);
	assert_int_equal(r.output.len, TP_COMMAND_OUTPUT_BYTES);
	assert_int_equal(r.lost_bytes, 1200000 + 9 - TP_COMMAND_OUTPUT_BYTES);
	assert_string_equal(tp_command_last_line(&r, line, sizeof(line)), "the end");
	tp_command_run_release(&r);
}

static bool stop_after_three(void *context)
{
	int *asked = context;
	return ++*asked < 3;
}

static void it_can_be_given_up(void **state)
{
	char *words[] = { "sleep", "100", NULL };
	int asked = 0;
	const struct tp_command_line command = { .words = words,
						 .limit_seconds = INFINITY,
						 .go_on = stop_after_three,
						 .context = &asked };
	struct tp_command_run r;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_command_run(&command, &r, &diag), TP_CANCELLED);
	assert_int_equal(asked, 3);
	assert_int_equal(r.end.signal, SIGKILL);
	tp_command_run_release(&r);
}

static void cpus_and_environment_are_given(void **state)
{
	char *words[] = { "sh", "-c", "echo $WORD; grep Cpus_allowed_list /proc/self/status",
			  NULL };
	char *environment[] = { "WORD=given", "PATH=/usr/bin:/bin", NULL };
	const unsigned cpus[] = { (unsigned)sched_getcpu() };
	char expected[64];
	const struct tp_command_line command = { .words = words,
						 .environment = environment,
						 .cpus = cpus,
						 .n_cpus = 1,
						 .limit_seconds = 20 };
	struct tp_command_run r;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_command_run(&command, &r, &diag), TP_OK);
	snprintf(expected, sizeof(expected), "given\nCpus_allowed_list:\t%u\n", cpus[0]);
	assert_string_equal(tp_str_text(&r.output), expected);
	tp_command_run_release(&r);
}

struct listening {
	size_t n[2];
	bool gone;
};

static void listen_to(void *listener, size_t stream, const char *bytes, size_t n)
{
	struct listening *l = listener;
	l->gone |= n == 0;
	l->n[stream] += bytes ? n : 0;
}

static void run_piped(const char *script, int output, int errors, struct listening *l,
		      struct tp_command_run *r)
{
	char *const words[] = { "sh", "-c", (char *)script, NULL };
	const int streams[] = { output, errors };
	struct tp_diag diag;
	const struct tp_command_line command = { .words = words,
						 .streams = streams,
						 .piped = 3,
						 .together = output == errors,
						 .heard = listen_to,
						 .listener = l,
						 .limit_seconds = 20 };
	*l = (struct listening){ 0 };
	assert_int_equal(tp_command_run(&command, r, &diag), TP_OK);
}

/* Reads as many zeros as are expected, but slowly at first; the exit code says whether it did. */
static pid_t start_slow_reader(int from, int other_end, size_t expected)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	char bytes[1000];
	ssize_t n;
	size_t all = 0;
	close(other_end);
	usleep(200000);
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (bytes[i])
				_exit(2);
		all += (size_t)n;
	}
	_exit(all != expected);
}

static void what_is_piped_goes_on(void **state)
{
	struct listening l;
	struct tp_command_run r;
	int ends[2], status;
	char text[64];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t reader = start_slow_reader(ends[0], ends[1], 3000000);
	close(ends[0]);
	run_piped("head -c 3000000 /dev/zero; echo words >&2; exit 4", ends[1], -1, &l, &r);
	close(ends[1]);
	assert_int_equal(r.end.code, 4);
	assert_int_equal(l.n[0], 3000000);
	assert_int_equal(l.n[1], 6);
	assert_false(l.gone);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	tp_command_run_release(&r);
	/* One pipe for both keeps their order. */
	assert_int_equal(pipe(ends), 0);
	run_piped("echo a; echo b >&2; echo c", ends[1], ends[1], &l, &r);
	assert_int_equal(read(ends[0], text, sizeof(text)), 6);
	assert_memory_equal(text, "a\nb\nc\n", 6);
	assert_int_equal(l.n[0], 6);
	tp_command_run_release(&r);
	/* Without a reader the program finds none, and this process goes on. */
	close(ends[0]);
	run_piped("exec yes", ends[1], -1, &l, &r);
	close(ends[1]);
	assert_int_equal(r.end.signal, SIGPIPE);
	assert_true(l.gone);
	tp_command_run_release(&r);
}

/* A program of the size of nothing does not get the memory of the one that started it. */
static void memory_is_its_own(void **state)
{
	const size_t bytes = 64 << 20;
	struct tp_command_run r;
	struct tp_diag diag;
	char *much = malloc(bytes);
	(void)state;
	assert_non_null(much);
	memset(much, 1, bytes);
	assert_int_equal(run("true", 20, &r, &diag), TP_OK);
	assert_true(r.max_rss_bytes < bytes);
	tp_command_run_release(&r);
	free(much);
	assert_int_equal(run("sh -c \"head -c 100000000 /dev/zero | tail -c 90000000 | wc -c\"", 20,
			     &r, &diag),
			 TP_OK);
	assert_true(r.max_rss_bytes > 80000000);
	tp_command_run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split),
		cmocka_unit_test(words_are_joined),
		cmocka_unit_test(output_and_end_are_told),
		cmocka_unit_test(missing_programs_are_told),
		cmocka_unit_test(limits_end_the_whole_group),
		cmocka_unit_test(endless_output_is_bounded),
		cmocka_unit_test(it_can_be_given_up),
		cmocka_unit_test(cpus_and_environment_are_given),
		cmocka_unit_test(what_is_piped_goes_on),
		cmocka_unit_test(memory_is_its_own),
		cmocka_unit_test(any_bytes_are_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
