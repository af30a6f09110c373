/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache of compiled objects, and prebuilt ones. */
#include "fake_compiler.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/memory.h"

enum { MANY = 100 };
static const char copies[] = "cp $top/whole $out";

static int numbers[MANY];

static void make_objects(struct tp_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		numbers[i] = (int)i;
		objects[i] = plain_object(&numbers[i]);
	}
}

static void release_objects(struct tp_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tp_object_release(&objects[i]);
}

static size_t done_last, total_last;

static bool note_progress(void *context, size_t done, size_t total)
{
	(void)context;
	assert_true(done >= done_last);
	done_last = done;
	total_last = total;
	return true;
}

/* The most compilers at once, as each of them saw it. */
static unsigned most_at_once(void)
{
	char path[TP_PATH_MAX];
	unsigned most = 0, n;
	snprintf(path, sizeof(path), "%s/seen", top);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fscanf(f, "%u", &n) == 1)
		most = TP_MAX(most, n);
	fclose(f);
	return most;
}

static void what_is_cached_starts_no_process(void **state)
{
	static struct tp_object objects[MANY];
	/* The first ones wait until they are two, so that it does not depend on who is faster. */
	struct tp_compiler compiler = fake(
		"counted",
		"mkdir $top/busy.$$\n"
		"until [ -e $top/two ]; do set -- $top/busy.*; [ $# -ge 2 ] && : >$top/two; done\n"
		"set -- $top/busy.*; echo $# >>$top/seen\n"
		"cp $top/whole $out; rmdir $top/busy.$$");
	const struct tp_compile_how how = { .jobs = 4, .watch = note_progress };
	(void)state;
	make_objects(objects, MANY);
	size_t before = calls();
	done_last = 0;
	assert_int_equal(tp_compile(&compiler, objects, 20, &how, NULL), TP_OK);
	assert_int_equal(done_last, 20);
	assert_int_equal(total_last, 20);
	assert_int_equal(calls(), before + 20);
	assert_in_range(most_at_once(), 2, 4);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(objects[i].status, TP_OK);
		assert_false(objects[i].was_cached);
		assert_true(tp_cc_is_whole(objects[i].path, false));
	}
	/* Of a longer list, only the others are compiled; then none. */
	for (size_t again = 0; again < 2; again++) {
		done_last = 0;
		assert_int_equal(tp_compile(&compiler, objects, MANY, &how, NULL), TP_OK);
		assert_int_equal(calls(), before + MANY);
		assert_int_equal(done_last, MANY);
		for (size_t i = 0; i < MANY; i++) {
			assert_int_equal(objects[i].status, TP_OK);
			assert_int_equal(objects[i].was_cached, again || i < 20);
			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(objects[i].path, objects[k].path);
		}
	}
	release_objects(objects, MANY);
	tp_compiler_release(&compiler);
}

static void the_same_twice_is_compiled_once(void **state)
{
	struct tp_compiler compiler = fake("twice", copies);
	const struct tp_compile_how how = { .jobs = 1 };
	struct tp_object objects[3];
	(void)state;
	size_t before = calls();
	make_objects(objects, 3);
	numbers[1] = numbers[0];
	assert_int_equal(tp_compile(&compiler, objects, 3, &how, NULL), TP_OK);
	assert_int_equal(calls(), before + 2);
	assert_string_equal(objects[0].path, objects[1].path);
	assert_true(objects[1].was_cached);
	/* At the same time, both are compiled, and one is kept. */
	numbers[0] = numbers[1] = 77;
	assert_int_equal(
		tp_compile(&compiler, objects, 2, &(struct tp_compile_how){ .jobs = 2 }, NULL),
		TP_OK);
	assert_int_equal(objects[0].status, TP_OK);
	assert_string_equal(objects[0].path, objects[1].path);
	assert_int_equal(cached_names("new."), 0);
	release_objects(objects, 3);
	tp_compiler_release(&compiler);
}

static void compiler_and_flags_belong_to_the_key(void **state)
{
	struct tp_compiler a = fake("a", copies), b = fake("b", copies), c;
	struct tp_object first, other;
	(void)state;
	make_objects(&first, 1);
	other = first;
	assert_int_equal(tp_compile(&a, &first, 1, NULL, NULL), TP_OK);
	assert_int_equal(tp_compile(&b, &other, 1, NULL, NULL), TP_OK);
	assert_false(other.was_cached);
	assert_int_equal(tp_compiler_find(&c, a.program, "-O1 -g", NULL), TP_OK);
	assert_int_equal(tp_compile(&c, &other, 1, NULL, NULL), TP_OK);
	assert_false(other.was_cached);
	setenv("CPATH", "/nowhere", 1);
	assert_int_equal(tp_compile(&a, &other, 1, NULL, NULL), TP_OK);
	unsetenv("CPATH");
	assert_false(other.was_cached);
	tp_copy(a.version, sizeof(a.version), "fake compiler 2.0");
	assert_int_equal(tp_compile(&a, &other, 1, NULL, NULL), TP_OK);
	assert_false(other.was_cached);
	tp_copy(a.target, sizeof(a.target), "another processor");
	assert_int_equal(tp_compile(&a, &other, 1, NULL, NULL), TP_OK);
	assert_false(other.was_cached);
	assert_int_equal(tp_compile(&a, &other, 1, NULL, NULL), TP_OK);
	assert_true(other.was_cached);
	tp_object_release(&first);
	tp_object_release(&other);
	tp_compiler_release(&a);
	tp_compiler_release(&b);
	tp_compiler_release(&c);
}

/* Writes an entry of the hash that the object has; `key` NULL: none. */
static void plant_entry(const char *name, const char *key, const char *object)
{
	char relative[128];
	if (key) {
		snprintf(relative, sizeof(relative), "cache/tprof/objects/%s/key", name);
		put_file(top, relative, key);
	}
	if (object) {
		snprintf(relative, sizeof(relative), "cache/tprof/objects/%s/object.so", name);
		put_file(top, relative, object);
	}
}

static void hashes_may_collide_and_entries_be_damaged(void **state)
{
	static const struct {
		const char *key, *object, *end;
	} cases[] = {
		{ "another key", "another object", "-1/object.so" },
		{ NULL, "an object", "/object.so" },
		{ "another key", NULL, "/object.so" },
		{ "", "an object", "/object.so" },
		{ "another key", "", "/object.so" },
	};
	struct tp_compiler compiler = fake("collides", copies);
	struct tp_object object;
	struct tp_cc_key key;
	(void)state;
	make_objects(&object, 1);
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		char end[64];
		numbers[0] = 500 + (int)i;
		tp_cc_key_make(&key, &compiler, &object);
		assert_int_equal(strlen(key.name), 16);
		plant_entry(key.name, cases[i].key, cases[i].object);
		snprintf(end, sizeof(end), "%s%s", key.name, cases[i].end);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
			assert_int_equal(object.status, TP_OK);
			assert_int_equal(object.was_cached, again);
			assert_string_equal(object.path + strlen(object.path) - strlen(end), end);
			assert_true(tp_cc_is_whole(object.path, false));
		}
		tp_str_release(&key.text);
	}
	assert_int_equal(cached_names("new."), 0);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

/* A key of the same length as another one is another one. */
static void keys_are_compared_byte_by_byte(void **state)
{
	struct tp_compiler compiler = fake("bytes", copies);
	struct tp_object object;
	struct tp_cc_key key;
	(void)state;
	make_objects(&object, 1);
	tp_cc_key_make(&key, &compiler, &object);
	key.text.s[key.text.len - 1] ^= 1;
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/cache/tprof/objects/%s/key", top, key.name);
	plant_entry(key.name, "x", "an object");
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, key.text.s, key.text.len, NULL), TP_OK);
	assert_int_equal(tp_compile(&compiler, &object, 1, NULL, NULL), TP_OK);
	assert_false(object.was_cached);
	assert_non_null(strstr(object.path, "-1/object.so"));
	tp_str_release(&key.text);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

static void a_killed_tprof_leaves_nothing_whole(void **state)
{
	/* It has written its object, but not ended. */
	struct tp_compiler compiler =
		fake("killed", "cp $top/whole $out; echo $$. >$top/self; exec sleep 1000");
	struct tp_object object;
	(void)state;
	make_objects(&object, 1);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		tp_compile(&compiler, &object, 1, NULL, NULL);
		_exit(0);
	}
	for (int i = 0; i < 20000 && noted_process("self") < 0; i++)
		poll(NULL, 0, 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_ended(noted_process("self"));
	assert_int_equal(cached_names("new."), 1);

	struct tp_compiler again = fake("killed", copies);
	assert_string_equal(again.version, compiler.version);
	assert_int_equal(tp_compile(&again, &object, 1, NULL, NULL), TP_OK);
	assert_int_equal(object.status, TP_OK);
	assert_false(object.was_cached);
	/* What is left goes when it is old. */
	char folder[TP_PATH_MAX], command[256];
	assert_int_equal(tp_cc_folder(folder, NULL), TP_OK);
	tp_cc_trim(folder, TP_COMPILE_CACHE_MAX, 0);
	assert_int_equal(cached_names("new."), 1);
	snprintf(command, sizeof(command), "touch -d '2 hours ago' %s/cache/tprof/objects/new.*",
		 top);
	assert_int_equal(system(command), 0);
	tp_cc_trim(folder, TP_COMPILE_CACHE_MAX, 0);
	assert_int_equal(cached_names("new."), 0);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
	tp_compiler_release(&again);
}

/* Sets the time of the last use of an object's entry. */
static void set_age(const struct tp_object *object, long seconds)
{
	char path[TP_PATH_MAX];
	tp_copy(path, sizeof(path), object->path);
	*strrchr(path, '/') = '\0';
	struct timespec times[2] = { { .tv_sec = time(NULL) - seconds },
				     { .tv_sec = time(NULL) - seconds } };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_go(void **state)
{
	struct tp_compiler compiler =
		fake("oldest", "cp $top/whole $out; head -c 100000 /dev/zero >>$out");
	struct tp_object objects[4];
	char folder[TP_PATH_MAX];
	(void)state;
	make_objects(objects, 4);
	assert_int_equal(tp_compile(&compiler, objects, 4, NULL, NULL), TP_OK);
	assert_int_equal(tp_cc_folder(folder, NULL), TP_OK);
	set_age(&objects[0], 5000);
	set_age(&objects[1], 9000);
	set_age(&objects[2], 7000);
	set_age(&objects[3], 10);
	/* A use makes it the newest but one. */
	assert_int_equal(tp_compile(&compiler, &objects[1], 1, NULL, NULL), TP_OK);
	assert_true(objects[1].was_cached);
	set_age(&objects[3], 10);
	size_t others = cached_names("version.");
	tp_cc_trim(folder, 10 << 20, 600);
	assert_int_equal(cached_names(""), others + 4);
	/* Three of more than 100,000 bytes do not fit, two do. */
	tp_cc_trim(folder, 290000, 600);
	assert_int_equal(cached_names(""), others + 2);
	assert_true(tp_is_file(objects[1].path));
	assert_false(tp_is_file(objects[2].path));
	assert_false(tp_is_file(objects[0].path));
	/* What is young stays, whatever it takes. */
	tp_cc_trim(folder, 0, 600);
	assert_int_equal(cached_names(""), others + 2);
	tp_cc_trim(folder, 0, 0);
	assert_int_equal(cached_names(""), others);
	release_objects(objects, 4);
	tp_compiler_release(&compiler);
}

static void a_folder_of_others_is_refused(void **state)
{
	struct tp_compiler compiler = fake("refused", copies);
	struct tp_object object;
	struct tp_diag diag = { 0 };
	struct stat st;
	char path[TP_PATH_MAX], inner[TP_PATH_MAX];
	(void)state;
	make_objects(&object, 1);
	size_t before = calls();
	snprintf(path, sizeof(path), "%s/cache/tprof", top);
	snprintf(inner, sizeof(inner), "%s/cache/tprof/objects", top);
	assert_int_equal(stat(inner, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	umask(022); /* with 002, the group is the user's own */
	for (int i = 0; i < 2; i++) {
		const char *folder = i ? inner : path;
		assert_int_equal(chmod(folder, 0770), 0);
		assert_int_equal(tp_compile(&compiler, &object, 1, NULL, &diag), TP_PERM);
		assert_int_equal(object.status, TP_PERM);
		assert_string_equal(diag.where, folder);
		assert_non_null(strstr(diag.what, "others can write"));
		assert_int_equal(chmod(folder, 0700), 0);
		if (geteuid() != 0)
			continue;
		assert_int_equal(chown(folder, 12345, 12345), 0);
		assert_int_equal(tp_compile(&compiler, &object, 1, NULL, &diag), TP_PERM);
		assert_non_null(strstr(diag.what, "belongs to another user"));
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	assert_int_equal(remove_tree(inner), 0);
	assert_int_equal(symlink(top, inner), 0);
	assert_int_equal(tp_compile(&compiler, &object, 1, NULL, &diag), TP_PERM);
	assert_non_null(strstr(diag.what, "is not a directory"));
	assert_int_equal(calls(), before);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
}

static void prebuilt_objects_need_no_compiler(void **state)
{
	struct tp_compiler compiler = fake("builds", "cp $top/whole $out; echo built"), none;
	struct tp_object objects[3];
	char folder[TP_PATH_MAX];
	struct tp_diag diag = { 0 };
	(void)state;
	snprintf(folder, sizeof(folder), "%s/share/prebuilt", top);
	const struct tp_compile_how how = { .prebuilt = folder };
	make_objects(objects, 3);
	/* Built again over what is there, too. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tp_compile_prebuilt(&compiler, folder, objects, 2, &diag), TP_OK);
		assert_int_equal(objects[0].status, TP_OK);
		assert_int_equal(objects[1].status, TP_OK);
		assert_false(objects[0].was_cached);
		assert_string_equal(tp_str_text(&objects[0].messages), "built\n");
	}
	assert_int_equal(cached_names(""), cached_names("version."));
	assert_int_equal(tp_compiler_find(&none, "prebuilt", "", &diag), TP_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tp_compile(i ? NULL : &none, objects, 3, &how, &diag), TP_OK);
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(objects[k].status, TP_OK);
			assert_true(objects[k].prebuilt && objects[k].was_cached);
			assert_memory_equal(objects[k].path, folder, strlen(folder));
			assert_true(tp_cc_is_whole(objects[k].path, false));
		}
		assert_int_equal(objects[2].status, TP_NOTFOUND);
		assert_string_equal(objects[2].diag.hint, "sudo apt-get install gcc libc6-dev");
	}
	/* With a compiler they do not count. */
	assert_int_equal(tp_compile(&compiler, objects, 1, &how, &diag), TP_OK);
	assert_false(objects[0].prebuilt || objects[0].was_cached);
	release_objects(objects, 3);
	tp_compiler_release(&compiler);
	tp_compiler_release(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_cached_starts_no_process, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(the_same_twice_is_compiled_once, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(compiler_and_flags_belong_to_the_key, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(hashes_may_collide_and_entries_be_damaged, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(keys_are_compared_byte_by_byte, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(a_killed_tprof_leaves_nothing_whole, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(the_oldest_go, make_top, remove_top),
		cmocka_unit_test_setup_teardown(a_folder_of_others_is_refused, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(prebuilt_objects_need_no_compiler, make_top,
						remove_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
