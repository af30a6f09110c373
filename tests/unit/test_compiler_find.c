/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding a compiler, and the first error in what it says. */
#include "fake_compiler.h"

#include "base/memory.h"

static const char copies[] = "cp $top/whole $out";

/* --- finding --- */

static void a_wish_is_a_name_or_a_path(void **state)
{
	struct tp_compiler compiler;
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX], wanted[TP_PATH_MAX];
	const char *old = getenv("PATH");
	char *kept = strdup(old ? old : "");
	(void)state;
	put_compiler("cc", copies);
	put_compiler("clang-99", copies);
	snprintf(path, sizeof(path), "relative:%s/bin:/usr/bin:/bin", top);
	setenv("PATH", path, 1);

	snprintf(wanted, sizeof(wanted), "%s/bin/cc", top);
	setenv("CC", "ccache gcc", 1);
	assert_int_equal(
		tp_compiler_find(&compiler, "", " -O2  \"-DA=b  c\" -DS=\"\\\"d\\\"\"\t", &diag),
		TP_OK);
	assert_string_equal(compiler.program, wanted);
	assert_string_equal(compiler.version, "fake compiler 1.0");
	assert_int_equal(compiler.n_flags, 3);
	assert_string_equal(compiler.flags[0], "-O2");
	assert_string_equal(compiler.flags[1], "-DA=b  c");
	assert_string_equal(compiler.flags[2], "-DS=\"d\"");
	assert_string_equal(compiler.target, "");
	tp_compiler_release(&compiler);

	snprintf(wanted, sizeof(wanted), "%s/bin/clang-99", top);
	setenv("CC", "clang-99", 1);
	assert_int_equal(tp_compiler_find(&compiler, "", "", &diag), TP_OK);
	assert_string_equal(compiler.program, wanted);
	assert_int_equal(compiler.n_flags, 3);
	assert_true(compiler.target[0] != '\0');
	tp_compiler_release(&compiler);
	unsetenv("CC");

	assert_int_equal(tp_compiler_find(&compiler, "gcc-99", "", &diag), TP_NOTFOUND);
	assert_string_equal(diag.what, "gcc-99 is not a program in PATH");
	assert_string_equal(diag.hint, "sudo apt-get install gcc-99 libc6-dev");
	assert_string_equal(compiler.program, "");
	tp_compiler_release(&compiler);
	assert_int_equal(tp_compiler_find(&compiler, "/no/such\033compiler", "", &diag),
			 TP_NOTFOUND);
	assert_string_equal(diag.what, "/no/such?compiler is not a program");
	tp_compiler_release(&compiler);
	assert_int_equal(tp_compiler_find(&compiler, "cc -O2", "", &diag), TP_USAGE);
	tp_compiler_release(&compiler);
	assert_int_equal(tp_compiler_find(&compiler, "prebuilt", "", &diag), TP_OK);
	assert_string_equal(compiler.program, "");
	tp_compiler_release(&compiler);

	setenv("PATH", "/nowhere", 1);
	assert_int_equal(tp_compiler_find(&compiler, "", "", &diag), TP_NOTFOUND);
	assert_string_equal(diag.hint, "sudo apt-get install gcc libc6-dev");
	tp_compiler_release(&compiler);
	setenv("PATH", kept, 1);
	free(kept);
}

static void flags_that_cannot_be_are_refused(void **state)
{
	static const char *const refused[] = { "-O2 -o", "-c",	    "-S",      "-E",
					       "-xc++",	 "file.c",  "@file",   "-MD",
					       "-",	 "-I /usr", "-O2 \"-g" };
	struct tp_compiler compiler;
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	(void)state;
	put_compiler("flags", copies);
	snprintf(path, sizeof(path), "%s/bin/flags", top);
	for (size_t i = 0; i < TP_COUNT_OF(refused); i++) {
		diag = (struct tp_diag){ 0 };
		assert_int_equal(tp_compiler_find(&compiler, path, refused[i], &diag), TP_USAGE);
		assert_string_equal(diag.where, "flags");
		tp_compiler_release(&compiler);
	}
}

static void a_version_is_asked_for_once(void **state)
{
	struct tp_compiler compiler = fake("version", copies);
	char path[TP_PATH_MAX];
	struct tp_diag diag = { 0 };
	(void)state;
	size_t before = calls();
	snprintf(path, sizeof(path), "%s/bin/version", top);
	for (int i = 0; i < 3; i++) {
		tp_compiler_release(&compiler);
		assert_int_equal(tp_compiler_find(&compiler, path, "-O1", &diag), TP_OK);
		assert_string_equal(compiler.version, "fake compiler 1.0");
	}
	assert_int_equal(calls(), before);
	tp_compiler_release(&compiler);
	/* A changed program is asked again. */
	compiler = fake("version", "exit 1 # another one");
	assert_int_equal(calls(), before + 1);
	tp_compiler_release(&compiler);
}

static void a_program_that_is_no_compiler_is_said(void **state)
{
	static const struct {
		const char *script, *what;
	} cases[] = {
		{ "#!/bin/sh\nexit 3\n", "is not a compiler that works: --version gives an error" },
		{ "#!/bin/sh\nexit 0\n",
		  "is not a compiler that works: --version gives no answer" },
		{ "#!/bin/sh\nkill -SEGV $$\n",
		  "is not a compiler that works: --version gives a crash" },
		{ "\177no program", "is not a compiler that works: --version gives an error" },
	};
	char path[TP_PATH_MAX];
	(void)state;
	snprintf(path, sizeof(path), "%s/bin/none", top);
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_compiler compiler;
		struct tp_diag diag = { 0 };
		put_file(top, "bin/none", cases[i].script);
		assert_int_equal(chmod(path, 0755), 0);
		assert_int_equal(tp_compiler_find(&compiler, path, "", &diag), TP_FAILED);
		assert_string_equal(diag.where, path);
		assert_string_equal(diag.what, cases[i].what);
		tp_compiler_release(&compiler);
	}
}

/* --- messages --- */

static void the_first_error_is_found(void **state)
{
	static const struct {
		const char *said, *where, *what;
	} cases[] = {
		{ "a.c: In function 'f':\na.c:3:5: warning: unused\nmy file.yaml:12:7: error: 'x' "
		  "undeclared\n 12 | x;\na.c:9:1: error: later\n",
		  "my file.yaml:12:7", "'x' undeclared" },
		{ "In file included from a.c:1:\na.h:2: fatal error: no.h: No such file\n", "a.h:2",
		  "no.h: No such file" },
		{ "cc1: error: bad value 'x' for '-march='\nsource.c:1:1: note: y\n", "cc",
		  "bad value 'x' for '-march='" },
		{ "collect2: error: ld returned 1 exit status\n/usr/bin/ld: cannot find -lno\n",
		  "cc", "/usr/bin/ld: cannot find -lno" },
		{ "source.c: Assembler messages:\nsource.c:7: Error: no such instruction: `x'\n",
		  "source.c:7", "no such instruction: `x'" },
		{ "\n\033[31mbad\nmore\n", "cc", "?[31mbad" },
		{ "a\033.yaml:1:1: error: \033c\377", "a?.yaml:1:1", "?c?" },
	};
	struct tp_diag diag;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		assert_true(tp_cc_messages_error(cases[i].said, "cc", &diag));
		assert_string_equal(diag.where, cases[i].where);
		assert_string_equal(diag.what, cases[i].what);
	}
	assert_false(tp_cc_messages_error("", "cc", &diag));
	assert_false(tp_cc_messages_error("\n \n", "cc", &diag));
	/* Of a long path the end is shown, which has the line. */
	char said[1024];
	memset(said, 'd', sizeof(said));
	strcpy(said + 600, "/p.yaml:3:4: error: here");
	assert_true(tp_cc_messages_error(said, "cc", &diag));
	assert_memory_equal(diag.where, "...ddd", 6);
	assert_string_equal(diag.where + strlen(diag.where) - 11, "/p.yaml:3:4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wish_is_a_name_or_a_path, make_top, remove_top),
		cmocka_unit_test_setup_teardown(flags_that_cannot_be_are_refused, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(a_version_is_asked_for_once, make_top, remove_top),
		cmocka_unit_test_setup_teardown(a_program_that_is_no_compiler_is_said, make_top,
						remove_top),
		cmocka_unit_test(the_first_error_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
