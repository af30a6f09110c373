/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of kernels on the command line, and the text that --dump-asm prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "kernels/isa_names.h"
#include "kernels/arch.h"

/* The program's own is in the main program; what would be said is looked at here. */
static struct tp_diag said;

void tp_complain(const struct tp_diag *diag)
{
	said = *diag;
}

/* A name of an ISA that this program has kernels for, narrow to wide. */
static const char *isa(size_t i)
{
	if (!tp_isa_count)
		skip();
	return tp_isa_table[TP_MIN(i, tp_isa_count - 1)]->name;
}

static enum tp_status parse(const char *isa_name, const char *rest, struct tp_kernel *kernel,
			    struct tp_diag *diag)
{
	char text[256];
	snprintf(text, sizeof(text), "%s:%s", isa_name, rest);
	return tp_dump_parse(text, kernel, diag);
}

static void names_are_read_as_they_are_written(void **state)
{
	static const char *const names[] = {
		"load",
		"store",
		"store-nt",
		"2ld1st",
		"1ld1st",
		"3ld2st-nt",
		"load-stride4",
		"add",
		"mul",
		"div",
		"fma",
		"fma+add",
		"chain",
		"copy",
		"scale",
		"triad",
		"daxpy",
		"dot",
		"update",
		"mixed-fma-2ld1st-3:2",
		"mixed-fma+add-load-1:8",
		"mixed-div-store-nt-2:5",
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct tp_kernel kernel;
		struct tp_diag diag = { 0 };
		char name[64];
		if (parse(isa(0), names[i], &kernel, &diag) != TP_OK)
			fail_msg("%s: %s", names[i], diag.what);
		assert_string_equal(tp_kernel_name(&kernel, name, sizeof(name)), names[i]);
		assert_int_equal(kernel.element_bytes, 8);
		assert_ptr_equal(kernel.isa, tp_isa_table[0]);
	}
}

static void precision_and_size(void **state)
{
	static const struct {
		const char *text;
		unsigned element_bytes;
		uint64_t bytes;
	} cases[] = {
		{ "2ld1st", 8, 16384 },
		{ "2ld1st/single", 4, 16384 },
		{ "2ld1st/double:4KiB", 8, 4096 },
		{ "load:1.5MiB", 8, 3 << 19 },
		{ "fma/single", 4, 0 },
		{ "mixed-fma-2ld1st-3:2:8K", 8, 8192 },
		{ "mixed-fma-2ld1st-3:2/single:8K", 4, 8192 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_kernel kernel;
		struct tp_diag diag = { 0 };
		if (parse(isa(1), cases[i].text, &kernel, &diag) != TP_OK)
			fail_msg("%s: %s", cases[i].text, diag.what);
		assert_int_equal(kernel.element_bytes, cases[i].element_bytes);
		assert_true(kernel.working_set_bytes == cases[i].bytes);
	}
}

static void bad_names_are_explained(void **state)
{
	static const struct {
		const char *text, *what, *hint;
	} cases[] = {
		{ "laod", "no kernel \"laod\"", "did you mean load?" },
		{ "", "not ISA:KERNEL", "ISA:KERNEL" },
		{ ":", "this is not ISA:KERNEL", "ISA:KERNEL" },
		{ ":16K", "no kernel \"\"", "memory: load" },
		{ "2ld", "no kernel \"2ld\"", "mixed-fma-2ld1st-3:2" },
		{ "2ld1stx", "no kernel \"2ld1stx\"", "2ld1st" },
		{ "0ld0st", "ratio 0:0", "2:1" },
		{ "65ld1st", "ratio 65:1", "64" },
		{ "99999999999ld1st", "no kernel", "load" },
		{ "load-stride0", "no kernel", "load" },
		{ "load-nt", "no kernel", "load" },
		{ "fmaadd", "no kernel \"fmaadd\"", "did you mean fma+add" },
		{ "mixed-fma-2ld1st", "no kernel", "mixed-OP-RATIO-FP:MEMORY" },
		{ "mixed-fma-2ld1st-3", "no kernel", "mixed-OP-RATIO-FP:MEMORY" },
		{ "mixed-sqrt-load-1:1", "no kernel", "mixed-OP-RATIO-FP:MEMORY" },
		{ "mixed-fma-load-0:1", "both kinds", "" },
		{ "load/quarter", "\"/quarter\" is not a precision", "/single" },
		{ "load/half", "load has no kernel in half", "fma, dot and tile" },
		{ "chase/int8", "chase has no kernel in int8", "double" },
		{ "add/bf16", "has no add in bf16", "dot and tile" },
		{ "tile", "has no tile in double", "dot and tile" },
		{ "mixed-tile-load-1:1", "has no mixed-tile-load-1:1 in double", "dot and tile" },
		{ "load/", "\"/\" is not a precision", "/single" },
		{ "load:", "this is not ISA:KERNEL", "ISA:KERNEL" },
		{ "load:100", "\"100\" is not a working set", "multiple of 64" },
		{ "load:0", "is not a working set", "multiple of 64" },
		{ "load:16KB", "is not a working set", "16KiB" },
		{ "load:2GiB", "is not a working set", "1GiB" },
		{ "load:16K:3", "is not a working set", "16KiB" },
		{ "fma:16K", "working set", "leave the size out" },
		{ "chain:16K", "working set", "leave the size out" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_kernel kernel;
		struct tp_diag diag = { 0 };
		if (parse(isa(0), cases[i].text, &kernel, &diag) != TP_USAGE)
			fail_msg("\"%s\" was taken", cases[i].text);
		if (!strstr(diag.what, cases[i].what) || !strstr(diag.hint, cases[i].hint))
			fail_msg("\"%s\": %s (%s)", cases[i].text, diag.what, diag.hint);
	}
}

static void bad_isas_are_explained(void **state)
{
	struct tp_kernel kernel;
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_dump_parse("avx3:load", &kernel, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "\"avx3\""));
	assert_non_null(strstr(diag.hint, isa(0)));
	assert_int_equal(tp_dump_parse(":load", &kernel, &diag), TP_USAGE);
	assert_int_equal(tp_dump_parse("load", &kernel, &diag), TP_USAGE);
	assert_int_equal(tp_dump_parse("", &kernel, &diag), TP_USAGE);
	char text[400];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(tp_dump_parse(text, &kernel, &diag), TP_USAGE);
	text[10] = ':';
	assert_int_equal(tp_dump_parse(text, &kernel, &diag), TP_USAGE);
}

/*
 * Every ISA can be shown, also those that this CPU lacks; the header has the counts and the text
 * the instructions.
 */
static void every_isa_is_shown(void **state)
{
	const struct tp_arch *arch = tp_arch_host();
	struct tp_cpu poor = { .family = -1 };
	(void)state;
	if (!arch)
		skip();
	tp_copy(poor.arch, sizeof(poor.arch), arch->name);
	for (size_t i = 0; i < tp_isa_count; i++) {
		struct tp_str out = { 0 };
		struct tp_diag diag = { 0 };
		struct tp_kernel kernel;
		char wanted[64];
		size_t lines = 0;
		assert_int_equal(parse(isa(i), "2ld1st:12KiB", &kernel, &diag), TP_OK);
		if (tp_dump_kernel(&kernel, &poor, &out, &diag) != TP_OK)
			fail_msg("%s: %s", isa(i), diag.what);
		unsigned operand = tp_isa_operand_bytes(kernel.isa, 8), all = 12288 / operand;
		snprintf(wanted, sizeof(wanted), "%u loads (8 KiB), %u stores (4 KiB)", all / 3 * 2,
			 all / 3);
		if (!strstr(out.s, wanted))
			fail_msg("no \"%s\" in: %.200s", wanted, out.s);
		assert_non_null(strstr(out.s, "# not for this machine: "));
		for (const char *p = out.s; *p; p++)
			lines += *p == '\n';
		assert_true(lines >
			    TP_MIN(all, 200u)); /* few instructions do it where vectors are long */
		tp_str_release(&out);
	}
}

static void the_command_says_what_is_wrong(void **state)
{
	const char *texts[] = { "nonsense:load" };
	const struct tp_cli cli = { .values = { texts, 1 } };
	(void)state;
	assert_int_equal(tp_cli_dump_asm(&cli), TP_EXIT_USAGE);
	assert_non_null(strstr(said.what, "nonsense"));
}

/* Those who read about other machines know the ISAs of this one. */
static void every_isa_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < tp_isa_count; i++) {
		bool named = false;
		for (size_t k = 0; k < TP_COUNT_OF(tp_isa_names); k++)
			named |= strcmp(tp_isa_names[k].name, tp_isa_table[i]->name) == 0 &&
				 (!tp_isa_names[k].arch ||
				  strcmp(tp_isa_names[k].arch, tp_isa_table[i]->arch) == 0);
		if (!named)
			fail_msg("%s is not in kernels/isa_names.h", tp_isa_table[i]->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_isa_is_named),
		cmocka_unit_test(names_are_read_as_they_are_written),
		cmocka_unit_test(precision_and_size),
		cmocka_unit_test(bad_names_are_explained),
		cmocka_unit_test(bad_isas_are_explained),
		cmocka_unit_test(every_isa_is_shown),
		cmocka_unit_test(the_command_says_what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
