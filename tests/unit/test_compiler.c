/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilers at work, and what they may do wrong: the real one, and made-up ones. */
#include "fake_compiler.h"

#include <dlfcn.h>
#include <sched.h>

#include "base/process.h"
#include "base/memory.h"

/* It has a child of its own, which must go with it. */
static const char hangs[] = "sleep 1000 & echo $!. >$top/sleeper; wait";

/* --- what compilers do wrong --- */

static void what_goes_wrong_has_words(void **state)
{
	static const struct {
		const char *script;
		enum tp_status status;
		const char *where, *what;
	} cases[] = {
		{ hangs, TP_FAILED, NULL, "the compiler was stopped: it took more than 0.3 s" },
		{ "kill -SEGV $$", TP_CRASHED, NULL,
		  "the compiler died of signal 11 (Segmentation fault)" },
		{ "exit 0", TP_FAILED, NULL,
		  "the compiler ended without an error, but wrote no whole shared object" },
		{ "head -c 4000 $top/whole >$out", TP_FAILED, NULL,
		  "the compiler ended without an error, but wrote no whole shared object" },
		{ ": >$out", TP_FAILED, NULL,
		  "the compiler ended without an error, but wrote no whole shared object" },
		{ "ln -s $top/whole $out", TP_FAILED, NULL,
		  "the compiler ended without an error, but wrote no whole shared object" },
		{ "cp $top/whole $out; exit 3", TP_FAILED, NULL,
		  "the compiler ended with exit code 3 and without a message" },
		{ "mkdir -p $TMPDIR/a/b; : >$TMPDIR/a/b/c; echo $src:7:3: error: bad >&2; exit 1",
		  TP_FAILED, "source.c:7:3", "bad" },
		{ "exec 1>&- 2>&-; sleep 1000", TP_FAILED, NULL,
		  "the compiler was stopped: it took more than 0.3 s" },
	};
	const int number = 1;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_compiler compiler = fake("wrong", cases[i].script);
		struct tp_object object = plain_object(&number);
		struct tp_diag diag = { 0 };
		if (strstr(cases[i].what, "more than"))
			compiler.limit_seconds = 0.3;
		assert_int_equal(tp_compile(&compiler, &object, 1, NULL, &diag), TP_OK);
		assert_int_equal(object.status, cases[i].status);
		assert_string_equal(object.diag.where,
				    cases[i].where ? cases[i].where : compiler.program);
		assert_string_equal(object.diag.what, cases[i].what);
		assert_string_equal(object.path, "");
		assert_false(object.was_cached);
		/* Nothing is left but the remembered version. */
		assert_int_equal(cached_names(""), cached_names("version."));
		tp_object_release(&object);
		tp_compiler_release(&compiler);
	}
	/* It may have been too slow to note it. */
	if (noted_process("sleeper") > 0)
		expect_ended(noted_process("sleeper"));
}

static void names_of_strangers_are_cleaned(void **state)
{
	struct tp_compiler compiler = fake("b\033[31mad", "exit 3");
	const int number = 4;
	struct tp_object object = plain_object(&number);
	(void)state;
	assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
	assert_int_equal(object.status, TP_FAILED);
	assert_non_null(strstr(object.diag.where, "/bin/b?[31mad"));
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

static void a_talkative_compiler_is_heard_to_its_end(void **state)
{
	struct tp_compiler compiler = fake("talks", "head -c 10000000 /dev/zero | tr '\\0' x; cp "
						    "$top/whole $out; exit $(cat $top/code)");
	const int number = 2;
	struct tp_object object = plain_object(&number);
	(void)state;
	put_file(top, "code", "1");
	assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
	assert_int_equal(object.status, TP_FAILED);
	assert_memory_equal(object.diag.what, "xxx", 3);
	assert_non_null(strstr(tp_str_text(&object.messages), "\n... 9737856 more bytes"));
	put_file(top, "code", "0");
	for (int again = 0; again < 2; again++) {
		assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
		assert_int_equal(object.status, TP_OK);
		assert_int_equal(object.was_cached, again);
		assert_in_range(object.messages.len, TP_COMPILE_SAID_BYTES,
				TP_COMPILE_SAID_BYTES + 100);
	}
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

static enum tp_status no_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)context;
	(void)out;
	return tp_fail(diag, TP_USAGE, "here", NULL, "no source");
}

static void one_that_fails_leaves_the_others(void **state)
{
	struct tp_compiler compiler =
		fake("mixed", "grep -q 'return 2;' $src && exit 1; cp $top/whole $out");
	const int numbers[] = { 0, 1, 2, 3 };
	struct tp_object objects[4];
	(void)state;
	for (size_t i = 0; i < 4; i++)
		objects[i] = plain_object(&numbers[i]);
	objects[1].source = no_source;
	assert_int_equal(tp_compile(&compiler, objects, 4, NULL, NULL), TP_OK);
	assert_int_equal(objects[0].status, TP_OK);
	assert_int_equal(objects[1].status, TP_USAGE);
	assert_string_equal(objects[1].diag.what, "no source");
	assert_int_equal(objects[2].status, TP_FAILED);
	assert_int_equal(objects[3].status, TP_OK);
	assert_int_equal(cached_names("new."), 0);
	for (size_t i = 0; i < 4; i++)
		tp_object_release(&objects[i]);
	tp_compiler_release(&compiler);
}

/* --- cancelling --- */

/* Ends it as soon as the compiler is at work: by its answer, or as a signal would. */
static bool stop_when_busy(void *context, size_t done, size_t total)
{
	assert_int_equal(done, 0);
	assert_int_equal(total, 3);
	if (noted_process("sleeper") < 0)
		return true;
	if (!*(const bool *)context)
		return false;
	tp_stop_asked = 1;
	return true;
}

static void whoever_cancels_leaves_nothing(void **state)
{
	const int numbers[] = { 10, 11, 12 };
	char path[TP_PATH_MAX];
	(void)state;
	snprintf(path, sizeof(path), "%s/sleeper", top);
	for (int i = 0; i < 2; i++) {
		bool by_signal = i;
		struct tp_compiler compiler = fake("hangs", hangs);
		struct tp_object objects[3];
		const struct tp_compile_how how = { .jobs = 2,
						    .watch = stop_when_busy,
						    .context = &by_signal };
		unlink(path);
		size_t before = cached_names("");
		for (size_t k = 0; k < 3; k++)
			objects[k] = plain_object(&numbers[k]);
		assert_int_equal(tp_compile(&compiler, objects, 3, &how, NULL), TP_CANCELLED);
		tp_stop_asked = 0;
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(objects[k].status, TP_CANCELLED);
			tp_object_release(&objects[k]);
		}
		assert_int_equal(cached_names(""), before);
		expect_ended(noted_process("sleeper"));
		tp_compiler_release(&compiler);
	}
}

/* --- where they run --- */

/* What the kernel says of the CPUs of a process, from its /proc/PID/status. */
static void read_cpus(const char *path, char out[256])
{
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	out[0] = '\0';
	while (getline(&line, &cap, f) > 0)
		if (strncmp(line, "Cpus_allowed:", 13) == 0)
			tp_copy(out, 256, line);
	free(line);
	fclose(f);
}

static void compilers_run_where_the_caller_says(void **state)
{
	struct tp_compiler compiler =
		fake("placed", "cat /proc/self/status >$top/status; cp $top/whole $out");
	const int number = 20;
	struct tp_object object = plain_object(&number);
	cpu_set_t all, one;
	char before[256], there[256], path[TP_PATH_MAX];
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	read_cpus("/proc/self/status", before);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	const struct tp_compile_how how = { .cpus = &all, .cpus_bytes = sizeof(all) };
	enum tp_status status = tp_compile(&compiler, &object, 1, &how, NULL);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(status, TP_OK);
	assert_int_equal(object.status, TP_OK);
	snprintf(path, sizeof(path), "%s/status", top);
	read_cpus(path, there);
	assert_string_equal(there, before);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

/* --- one after the other --- */

/* Releases the held compilers once *context calls have been made. */
static bool let_go(void *context, size_t done, size_t total)
{
	char path[TP_PATH_MAX];
	(void)done, (void)total;
	snprintf(path, sizeof(path), "%s/held", top);
	if (calls() >= *(const size_t *)context)
		unlink(path);
	return true;
}

static void hold(void)
{
	put_file(top, "held", "");
}

/* What is wanted comes with others; then at most one compiler is at work, on its CPU. */
static void objects_come_one_after_the_other(void **state)
{
	enum { N = 7, JOBS = 2 };
	struct tp_compiler compiler =
		fake("held", "cat /proc/self/status >$top/status; "
			     "while [ -e $top/held ]; do sleep 0.01; done; cp $top/whole $out");
	const size_t before = calls(); /* for its version */
	size_t enough = before + JOBS;
	const int numbers[N] = { 40, 41, 42, 43, 44, 45, 46 };
	struct tp_object objects[N];
	cpu_set_t all, one;
	char there[256], expected[256], path[TP_PATH_MAX];
	(void)state;
	for (size_t k = 0; k < N; k++)
		objects[k] = plain_object(&numbers[k]);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	read_cpus("/proc/self/status", expected);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	const struct tp_compile_how how = { .jobs = JOBS,
					    .cpus = &all,
					    .cpus_bytes = sizeof(all),
					    .watch = let_go,
					    .context = &enough };
	/* A quick compiler could end before the next one is begun. */
	hold();
	struct tp_compiling *c = tp_compiling_begin(&compiler, objects, N, &how);
	assert_int_equal(tp_compiling_wait(c, 0, NULL, NULL), TP_OK);
	assert_int_equal(calls(), before + JOBS);
	assert_true(*objects[0].path && *objects[1].path && !*objects[2].path);
	/* One is left at work on that CPU, and goes on there. */
	hold();
	enough = SIZE_MAX;
	assert_int_equal(tp_compiling_wait(c, 1, &one, NULL), TP_OK);
	assert_int_equal(tp_compiling_wait(c, 0, &one, NULL), TP_OK);
	assert_true(!*objects[2].path);
	snprintf(path, sizeof(path), "%s/status", top);
	for (*there = '\0'; strcmp(there, expected) != 0; poll(NULL, 0, 5))
		read_cpus(path, there);
	assert_int_equal(calls(), before + JOBS + 1);
	/* Where it may not, its end is awaited, and nothing else begins. */
	enough = 0;
	assert_int_equal(tp_compiling_wait(c, N + 1, NULL, NULL), TP_OK);
	assert_true(*objects[2].path && !*objects[3].path);
	assert_int_equal(cached_names("new."), 0);
	/* What is wanted next runs everywhere again. */
	hold();
	enough = calls() + JOBS;
	assert_int_equal(tp_compiling_wait(c, 3, NULL, NULL), TP_OK);
	assert_true(*objects[3].path && *objects[4].path && !*objects[5].path);
	read_cpus(path, there);
	read_cpus("/proc/self/status", expected);
	assert_string_equal(there, expected);
	hold();
	enough = SIZE_MAX;
	assert_int_equal(tp_compiling_wait(c, 3, &one, NULL), TP_OK);
	assert_int_equal(cached_names("new."), 1);
	tp_compiling_end(c);
	assert_int_equal(cached_names("new."), 0);
	for (size_t k = 0; k < N; k++) {
		assert_int_equal(objects[k].status, k < 5 ? TP_OK : TP_CANCELLED);
		tp_object_release(&objects[k]);
	}
	tp_compiler_release(&compiler);
}

/* --- the real one --- */

/* False, and said, where nothing can be compiled or loaded. */
static bool real_compiler(struct tp_compiler *compiler, const char *flags)
{
	struct tp_diag diag = { 0 };
	const char *emulator = getenv("TPROF_EMULATOR");
	*compiler = (struct tp_compiler){ 0 };
	if (emulator && *emulator) {
		print_message("SKIPPED: objects of this machine's compiler are not for the "
			      "emulated one\n");
		return false;
	}
	enum tp_status status = tp_compiler_find(compiler, "", flags, &diag);
	if (status == TP_OK)
		return true;
	assert_int_equal(status, TP_NOTFOUND);
	print_message("SKIPPED: %s\n", diag.what);
	return false;
}

static void real_objects_are_right(void **state)
{
	enum { N = 20 };
	struct tp_compiler compiler;
	struct tp_object objects[N];
	int numbers[N];
	const struct tp_compile_how how = { .jobs = 4 };
	(void)state;
	if (!real_compiler(&compiler, "-O1"))
		skip();
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < N; i++) {
			numbers[i] = 1000 + i;
			objects[i] = plain_object(&numbers[i]);
		}
		assert_int_equal(tp_compile(&compiler, objects, N, &how, NULL), TP_OK);
		for (int i = 0; i < N; i++) {
			int (*answer)(void);
			if (objects[i].status != TP_OK)
				fail_msg("%s: %s", objects[i].diag.where, objects[i].diag.what);
			assert_int_equal(objects[i].was_cached, again);
			void *loaded = dlopen(objects[i].path, RTLD_NOW | RTLD_LOCAL);
			assert_non_null(loaded);
			*(void **)&answer = dlsym(loaded, "answer");
			assert_int_equal(answer(), numbers[i]);
			dlclose(loaded);
			tp_object_release(&objects[i]);
		}
	}
	assert_int_equal(cached_names("new."), 0);
	tp_compiler_release(&compiler);
}

static enum tp_status given_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)diag;
	tp_str_add(out, context);
	return TP_OK;
}

static void a_real_compilers_words_are_kept(void **state)
{
	static const struct {
		const char *source;
		enum tp_status status;
		const char *where, *said;
	} cases[] = {
		{ "#line 41 \"pattern.yaml\"\nint f(void)\n{ return missing; }\n", TP_FAILED,
		  "pattern.yaml:42:", "missing" },
		{ "#include \"no-such-file.h\"\n", TP_FAILED, "source.c:1:", "no-such-file.h" },
		{ "static int unused(void) { return 1; }\n", TP_OK, "", "unused" },
		{ "this is not C", TP_FAILED, "source.c:1:", "error" },
	};
	struct tp_compiler compiler;
	(void)state;
	if (!real_compiler(&compiler, "-O1 -Wall"))
		skip();
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_object object = { .key = cases[i].source,
					    .key_bytes = strlen(cases[i].source),
					    .source = given_source,
					    .context = (void *)cases[i].source };
		for (int again = 0; again < 2; again++) {
			assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
			assert_int_equal(object.status, cases[i].status);
			assert_int_equal(object.was_cached, again && cases[i].status == TP_OK);
			assert_memory_equal(object.diag.where, cases[i].where,
					    strlen(cases[i].where));
			assert_non_null(strstr(tp_str_text(&object.messages), cases[i].said));
			assert_null(strstr(tp_str_text(&object.messages), "new."));
		}
		tp_object_release(&object);
	}
	assert_int_equal(cached_names("new."), 0);
	tp_compiler_release(&compiler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_goes_wrong_has_words, make_top, remove_top),
		cmocka_unit_test_setup_teardown(names_of_strangers_are_cleaned, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(a_talkative_compiler_is_heard_to_its_end, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(one_that_fails_leaves_the_others, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(objects_come_one_after_the_other, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(whoever_cancels_leaves_nothing, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(compilers_run_where_the_caller_says, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(real_objects_are_right, make_top, remove_top),
		cmocka_unit_test_setup_teardown(a_real_compilers_words_are_kept, make_top,
						remove_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
