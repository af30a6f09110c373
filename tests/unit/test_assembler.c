/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembly into bytes by the system's assembler, and what llvm-mca says, read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "near.h"

#include "compiler/compiler.h"
#include "compiler/mca.h"

static char top[64];

static enum tp_status take_text(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)diag;
	tp_str_printf(out, "%s\n", (const char *)context);
	return TP_OK;
}

/* Data words are the same in every assembler of every architecture. */
static void words_become_bytes(void **state)
{
	static const char *const texts[] = { ".byte 1, 2, 3, 4", ".byte 5, 6, 7, 8", "frobnicate 7",
					     ".quad somewhere", "" };
	enum { N = 5 };
	struct tp_compiler assembler;
	struct tp_object objects[N] = { 0 };
	struct tp_diag diag = { 0 };
	unsigned char *code;
	size_t bytes;
	(void)state;
	enum tp_status status = tp_assembler_find(&assembler, "", &diag);
	if (status == TP_NOTFOUND)
		skip();
	assert_int_equal(status, TP_OK);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < N; i++)
			objects[i] = (struct tp_object){ .key = texts[i],
							 .key_bytes = strlen(texts[i]),
							 .source = take_text,
							 .context = (void *)(uintptr_t)texts[i] };
		assert_int_equal(tp_compile(&assembler, objects, N, NULL, &diag), TP_OK);
		assert_int_equal(objects[0].status, TP_OK);
		assert_int_equal(objects[0].was_cached, round);
		assert_int_equal(tp_object_code(objects[0].path, 0, &code, &bytes, &diag), TP_OK);
		assert_true(bytes >= 4);
		assert_memory_equal(code, "\1\2\3\4", 4);
		free(code);
		assert_int_equal(tp_object_code(objects[0].path, 0xfff0, &code, &bytes, &diag),
				 TP_FAILED);
		assert_non_null(strstr(diag.what, "another architecture"));
		assert_int_equal(tp_object_code(objects[1].path, 0, &code, &bytes, &diag), TP_OK);
		assert_memory_equal(code, "\5\6\7\10", 4);
		free(code);
		/* A bad instruction is the failure of its own text. */
		assert_int_equal(objects[2].status, TP_FAILED);
		assert_non_null(strstr(objects[2].diag.what, "frobnicate"));
		assert_non_null(strstr(objects[2].diag.where, "source.s:1"));
		assert_int_equal(tp_object_code(objects[3].path, 0, &code, &bytes, &diag),
				 TP_FAILED);
		assert_non_null(strstr(diag.what, "linker"));
		assert_int_equal(tp_object_code(objects[4].path, 0, &code, &bytes, &diag),
				 TP_FAILED);
		assert_non_null(strstr(diag.what, "no instruction"));
		for (size_t i = 0; i < N; i++)
			tp_object_release(&objects[i]);
	}
	tp_compiler_release(&assembler);
}

static void an_assembler_has_a_known_name(void **state)
{
	struct tp_compiler assembler;
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_assembler_find(&assembler, "/bin/sh", &diag), TP_USAGE);
	tp_compiler_release(&assembler);
	assert_int_equal(tp_assembler_find(&assembler, "no-such-as", &diag), TP_NOTFOUND);
	tp_compiler_release(&assembler);
}

static void what_is_no_object_is_refused(void **state)
{
	static const char *const contents[] = { "", "\177ELF",
						"no object at all, but long enough to "
						"be the head of one, which has some "
						"64 bytes, and more" };
	char path[96];
	struct tp_diag diag = { 0 };
	unsigned char *code;
	size_t bytes;
	(void)state;
	snprintf(path, sizeof(path), "%s/file", top);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			tp_file_write(TP_TYPED_FILE, path, contents[i], strlen(contents[i]), &diag),
			TP_OK);
		assert_int_equal(tp_object_code(path, 0, &code, &bytes, &diag), TP_FAILED);
		assert_null(code);
	}
	/* A whole object, and every beginning of it. */
	char *text;
	size_t n;
	assert_int_equal(tp_file_read("/proc/self/exe", 1 << 26, &text, &n, &diag), TP_OK);
	for (size_t cut = 0; cut < 256; cut++) {
		assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, cut, &diag), TP_OK);
		assert_int_equal(tp_object_code(path, 0, &code, &bytes, &diag), TP_FAILED);
	}
	free(text);
}

/* Two regions of LLVM 14 for Zen 3, shortened. */
static const char said[] =
	"warning: something\n"
	"\n[1] Code Region - 1\n"
	"\nIterations:        100\nInstructions:      200\nTotal Cycles:      103\n"
	"Total uOps:        300\n\nDispatch Width:    6\nuOps Per Cycle:    1.94\n"
	"IPC:               1.94\nBlock RThroughput: 0.5\n\n\n"
	"Resources:\n[0]   - Zn3AGU0\n[1]   - Zn3FPP0\n[12.0] - Zn3FPP45\n"
	"[12.1] - Zn3FPP45\n\n\n"
	"Resource pressure per iteration:\n"
	"[0]    [1]    [12.0] [12.1]\n"
	" -     0.25   1.50    -     \n\n"
	"Resource pressure by instruction:\n"
	"[0]    [1]    [12.0] [12.1] Instructions:\n"
	" -      9.00    -     7.00   nop\n"
	"\n[0] Code Region - 0\nIterations:        50\nTotal Cycles:      200\n"
	"[2] Code Region - 99\nIterations: 1\nTotal Cycles: 7\n";

static void the_words_of_mca_are_read(void **state)
{
	struct tp_mca_result r[3] = { 0 };
	(void)state;
	assert_int_equal(tp_mca_read(said, r, 3), 2);
	assert_true(r[0].known && r[1].known && !r[2].known);
	assert_true(r[0].cycles == 4);
	assert_true(r[0].ipc == 0);
	assert_near(r[1].cycles, 1.03, 1e-12);
	assert_true(r[1].instructions == 2);
	assert_true(r[1].uops == 3);
	assert_true(r[1].ipc == 1.94);
	assert_true(r[1].rthroughput == 0.5);
	assert_string_equal(r[1].pressure, "Zn3FPP45 1.50 Zn3FPP0 0.25");
	assert_int_equal(tp_mca_read("", r, 0), 0);
}

/* Zen 3 is in every llvm-mca from 12 on; an FMA takes 4 cycles there. */
static bool give_text(void *context, size_t i, struct tp_str *out)
{
	const char *const *texts = context;
	if (texts[i])
		tp_str_add(out, texts[i]);
	return texts[i];
}

static void mca_predicts(void **state)
{
	static const char *texts[] = { "vfmadd213ps %xmm2, %xmm1, %xmm0", "frobnicate %eax",
				       ".intel_syntax noprefix\nadd rax, rbx", NULL };
	struct tp_mca mca;
	struct tp_mca_result r[4];
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_mca_find(&mca, TP_MCA_NONE, &diag), TP_NOTFOUND);
	enum tp_status status = tp_mca_find(&mca, "znver3", &diag);
	if (status == TP_NOTFOUND)
		skip();
	assert_int_equal(status, TP_OK);
	assert_int_equal(tp_mca_find(&mca, "-o", &diag), TP_USAGE);
	assert_int_equal(tp_mca_predict("-o", 4, give_text, texts, r, &diag), TP_OK);
	assert_false(r[0].known || r[2].known);
	assert_int_equal(tp_mca_predict("znver3", 4, give_text, texts, r, &diag), TP_OK);
#if defined(TP_ARCH_X86_64)
	assert_true(r[0].known && !r[1].known && r[2].known && !r[3].known);
	assert_string_equal(r[2].cpu, "znver3");
	assert_near(r[0].cycles, 4, 0.1);
	assert_near(r[2].cycles, 1, 0.1);
#endif
}

static int setup(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/test_assembler.XXXXXX");
	return mkdtemp(top) ? setenv("XDG_CACHE_HOME", top, 1) : -1;
}

static int teardown(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_bytes),
		cmocka_unit_test(an_assembler_has_a_known_name),
		cmocka_unit_test(what_is_no_object_is_refused),
		cmocka_unit_test(the_words_of_mca_are_read),
		cmocka_unit_test(mca_predicts),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
