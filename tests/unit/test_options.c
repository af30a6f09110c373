/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "preset/options.h"
#include "preset/preset.h"
#include "tests/unit/all_options.h"

struct good {
	const struct tp_option *option;
	const char *text, *canonical;
	double real; /* of the first item; 0 where there is none */
	size_t n;
};

static const struct good good[] = {
	{ TP_OPT_THREADS, "4", "4", 4, 1 },
	{ TP_OPT_THREADS, " [1, 2 ,all] ", "1,2,all", 1, 3 },
	{ TP_OPT_THREADS, "007", "7", 7, 1 },
	{ TP_OPT_THREADS, "ALL", "all", 18446744073709551615.0, 1 },
	{ TP_OPT_PRECISION, "Single,double", "single,double", 0, 2 },
	{ TP_OPT_ISA, "avx2", "avx2", 0, 1 },
	{ TP_OPT_ISA, "rvv0.7,rvv1.0", "rvv0.7,rvv1.0", 0, 2 },
	{ TP_OPT_LEVEL, "l1,dram", "L1,DRAM", 0, 2 },
	{ TP_OPT_FP_OP, "FMA+add", "fma+add", 0, 1 },
	{ TP_OPT_SIZES, "96,32K,1.5MiB, 1 GiB", "96B,32KiB,1536KiB,1GiB", 96, 4 },
	{ TP_OPT_SIZES, "", "", 0, 0 },
	{ TP_OPT_SIZES, "[]", "", 0, 0 },
	{ TP_OPT_CACHE_L1, "0", "0B", 0, 1 },
	{ TP_OPT_STOP_ERROR, "1%", "1%", 0.01, 1 },
	{ TP_OPT_STOP_ERROR, "0.010", "0.01", 0.01, 1 },
	{ TP_OPT_STOP_ERROR, "2.5 %", "2.5%", 0.025, 1 },
	{ TP_OPT_FLOPS_PER_BYTE, "1e-2,.5,8", "0.01,0.5,8", 0.01, 3 },
	{ TP_OPT_STOP_MAX_TIME, "200ms", "200ms", 0.2, 1 },
	{ TP_OPT_STOP_MAX_TIME, "2", "2s", 2, 1 },
	{ TP_OPT_STOP_MAX_TIME, "1.50 min", "1.5min", 90, 1 },
	{ TP_OPT_STOP_MAX_TIME, "2h", "2h", 7200, 1 },
	{ TP_OPT_SHUFFLE, "Yes", "true", 1, 1 },
	{ TP_OPT_SHUFFLE, "off", "false", 0, 1 },
	{ TP_OPT_RATIO, "2:1,1:0,0:1,best", "2:1,1:0,0:1,best", 0, 4 },
	{ TP_OPT_NOTES, " two\nlines, a [list] ", "two\nlines, a [list]", 0, 1 },
	{ TP_OPT_NAME, "", "", 0, 0 },
	{ TP_OPT_AFFINITY, "0,2-5", "0,2-5", 0, 1 },
	{ TP_OPT_MACHINE, "my models/zen 5.yaml", "my models/zen 5.yaml", 0, 1 },
	{ TP_OPT_TECHNIQUE, "c+i+o/100,racing", "c+i+o/100,racing", 0, 2 },
	{ TP_OPT_BLAS, "/opt/a_b/libblas.so.3,blis", "/opt/a_b/libblas.so.3,blis", 0, 2 },
	{ TP_OPT_COUNTERS_EVENTS, "*BR?INST*,perf::CYCLES:u=0", "*BR?INST*,perf::CYCLES:u=0", 0,
	  2 },
	/* Free texts may hold commas in double quotes; a quote within a text is one. */
	{ TP_OPT_PROGRAM_READ, "\"a=(x{1,3})\" , b=(y)", "\"a=(x{1,3})\",b=(y)", 0, 2 },
	{ TP_OPT_PROGRAM_READ, "\"[\\\"\\\\]\"", "\"[\\\"\\\\]\"", 0, 1 },
	{ TP_OPT_PROGRAM_BEFORE, "\"a b\" c,d", "\"\\\"a b\\\" c\",d", 0, 2 },
	{ TP_OPT_AUTOTUNE_K, "64,100", "64,100", 64, 2 },
	{ TP_OPT_SEED, "4294967295", "4294967295", 4294967295.0, 1 },
};

static void good_values(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(good); i++) {
		const struct tp_option *option = good[i].option;
		struct tp_value value = { 0 }, again = { 0 };
		struct tp_diag diag = { 0 };
		struct tp_str text = { 0 };
		if (tp_option_parse(option, good[i].text, &arena, &value, &diag) != TP_OK)
			fail_msg("%s=%s: %s", option->key, good[i].text, diag.what);
		tp_value_text(option, &value, &text);
		assert_string_equal(tp_str_text(&text), good[i].canonical);
		assert_int_equal(value.n, good[i].n);
		if (value.n)
			assert_true(value.items[0].real == good[i].real);
		/* the canonical text means the same */
		assert_int_equal(tp_option_parse(option, tp_str_text(&text), &arena, &again, &diag),
				 TP_OK);
		assert_true(tp_value_equal(&value, &again));
		if (value.n)
			assert_true(value.items[0].real == again.items[0].real);
		tp_str_release(&text);
	}
	tp_arena_release(&arena);
}

/* Commands are read into words once, and copied with their preset. */
static void commands_are_words(void **state)
{
	struct tp_preset from = { .n_runs = 1 }, to;
	struct tp_diag diag;
	(void)state;
	from.runs = tp_arena_alloc(&from.arena, sizeof(*from.runs));
	assert_int_equal(tp_config_defaults(from.runs, &from.arena, &diag), TP_OK);
	assert_null(tp_config_words(from.runs, TP_OPT_PROGRAM_COMMAND));
	assert_int_equal(tp_option_parse(TP_OPT_PROGRAM_COMMAND, "./a \"\" \"b c\\x0a\"",
					 &from.arena,
					 tp_config_at(from.runs, TP_OPT_PROGRAM_COMMAND), &diag),
			 TP_OK);
	assert_int_equal(tp_option_parse(TP_OPT_PROGRAM_BEFORE, "make x,\"\\\"a, b\\\" c\"",
					 &from.arena,
					 tp_config_at(from.runs, TP_OPT_PROGRAM_BEFORE), &diag),
			 TP_OK);
	tp_preset_copy(&to, &from);
	tp_preset_release(&from);
	char **words = tp_config_words(to.runs, TP_OPT_PROGRAM_COMMAND);
	assert_string_equal(words[0], "./a");
	assert_string_equal(words[1], "");
	assert_string_equal(words[2], "b c\n");
	assert_null(words[3]);
	const struct tp_value *before = tp_config_value(to.runs, TP_OPT_PROGRAM_BEFORE);
	assert_int_equal(before->n, 2);
	assert_string_equal(before->items[0].words[1], "x");
	assert_string_equal(before->items[1].words[0], "a, b");
	assert_string_equal(before->items[1].words[1], "c");
	tp_preset_release(&to);
}

struct bad {
	const struct tp_option *option;
	const char *text, *what, *hint; /* hint: a part of it */
};

static const struct bad bad[] = {
	{ TP_OPT_THREADS, "0", "\"0\" is out of range", "from 1 to 65536, or all; or a list" },
	{ TP_OPT_THREADS, "65537", "\"65537\" is out of range", "65536" },
	{ TP_OPT_THREADS, "-1", "\"-1\" is not a whole number", "" },
	{ TP_OPT_THREADS, "1.5", "\"1.5\" is not a whole number", "" },
	{ TP_OPT_THREADS, "99999999999999999999", "\"99999999999999999999\" is not a whole number",
	  "" },
	{ TP_OPT_THREADS, "al", "\"al\" is not a whole number", "did you mean all?" },
	{ TP_OPT_THREADS, "1,,2", "no value given", "allowed" },
	{ TP_OPT_THREADS, "", "no value given", "allowed" },
	{ TP_OPT_THREADS, "[]", "no value given", "allowed" },
	{ TP_OPT_THREADS, "1,2,1", "\"1\" is in the list twice", "once" },
	{ TP_OPT_PRECISION, "singel", "\"singel\" is not known", "did you mean single?" },
	{ TP_OPT_PRECISION, "quad", "\"quad\" is not known", "double, single, half, bf16 or int8" },
	{ TP_OPT_ISA, "avx2 sse", "\"avx2 sse\" is not a name", "" },
	{ TP_OPT_BLAS, "a b", "\"a b\" is not a name", "" },
	{ TP_OPT_SCOPE, "node", "\"node\" is not known", "machine" },
	{ TP_OPT_SIZES, "32KB", "\"32KB\" is not a size", "such as 32KiB" },
	{ TP_OPT_SIZES, "63", "\"63\" is out of range", "from 64 B" },
	{ TP_OPT_STOP_ERROR, "nan", "\"nan\" is not a number", "" },
	{ TP_OPT_STOP_ERROR, "0x1p-7", "\"0x1p-7\" is not a number", "" },
	{ TP_OPT_STOP_ERROR, "%", "\"%\" is not a number", "" },
	{ TP_OPT_STOP_ERROR, "51%", "\"51%\" is out of range", "0.5" },
	{ TP_OPT_STOP_MAX_TIME, "1d", "\"1d\" is not a time", "1440min" },
	{ TP_OPT_WINDOW, "1us", "\"1us\" is out of range", "from 10us to 10s" },
	{ TP_OPT_SHUFFLE, "maybe", "\"maybe\" is neither true nor false", "true or false" },
	{ TP_OPT_RATIO, "0:0", "\"0:0\" moves nothing", "" },
	{ TP_OPT_RATIO, "65:1", "\"65:1\" is out of range", "at most 64, or best" },
	{ TP_OPT_RATIO, "2", "\"2\" is not a ratio", "" },
	{ TP_OPT_RATIO, "2:1:1", "\"2:1:1\" is not a ratio", "" },
	{ TP_OPT_PROGRAM_COMMAND, "\"open", "a double quote does not end",
	  "stands in double quotes" },
	{ TP_OPT_PROGRAM_BEFORE, "true,a \"b", "a double quote does not end", "" },
	{ TP_OPT_NAME, "two\nlines", "\"two?lines\" holds a control character", "" },
	{ TP_OPT_NAME, "\033[31mred", "\"?[31mred\" holds a control character", "" },
	{ TP_OPT_NOTES, "broken \xff byte", "\"broken ? byte\" is not UTF-8 text", "" },
	{ TP_OPT_NOTES, "C1 \xc2\x9b", "\"C1 ?\" holds a control character", "" },
	{ TP_OPT_NAME,
	  "a name of more than one hundred bytes is refused because directories are made of it, "
	  "and those are "
	  "short",
	  "\"a name of more than one hundred bytes is refused because dir...\" is too long",
	  "at most 100 bytes" },
};

static void bad_values(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		const struct tp_option *option = bad[i].option;
		struct tp_value value = { .n = 77 };
		struct tp_diag diag = { 0 };
		if (tp_option_parse(option, bad[i].text, &arena, &value, &diag) != TP_USAGE)
			fail_msg("%s=%s was taken", option->key, bad[i].text);
		assert_string_equal(diag.where, option->key);
		assert_string_equal(diag.what, bad[i].what);
		if (!strstr(diag.hint, bad[i].hint))
			fail_msg("%s: hint %s lacks %s", bad[i].text, diag.hint, bad[i].hint);
		assert_int_equal(value.n, 77); /* untouched */
	}
	tp_arena_release(&arena);
}

static void list_has_a_limit(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	struct tp_str text = { 0 };
	struct tp_value value;
	struct tp_diag diag;
	const struct tp_option *option = TP_OPT_THREADS;
	for (int i = 1; i <= TP_LIST_MAX; i++)
		tp_str_printf(&text, "%s%d", i > 1 ? "," : "", i);
	assert_int_equal(tp_option_parse(option, tp_str_text(&text), &arena, &value, &diag), TP_OK);
	assert_int_equal(value.n, TP_LIST_MAX);
	tp_str_add(&text, ",5000");
	assert_int_equal(tp_option_parse(option, tp_str_text(&text), &arena, &value, &diag),
			 TP_USAGE);
	tp_str_release(&text);
	tp_arena_release(&arena);
}

static void words_keep_their_meaning(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	struct tp_value value;
	struct tp_diag diag;
	assert_int_equal(tp_option_parse(TP_OPT_THREADS, "all", &arena, &value, &diag), TP_OK);
	assert_true(value.items[0].count == UINT64_MAX);
	assert_int_equal(tp_option_parse(TP_OPT_RATIO, "best,3:2", &arena, &value, &diag), TP_OK);
	assert_int_equal(value.items[0].loads + value.items[0].stores, 0);
	assert_int_equal(value.items[1].loads, 3);
	assert_int_equal(value.items[1].stores, 2);
	tp_arena_release(&arena);
}

/* The rows: keys and places are distinct, defaults are good, and groups use what there is. */
static void rows_are_sound(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	struct tp_config config;
	struct tp_diag diag;
	const struct tp_option *option;
	size_t n = 0, of_groups = 0;
	if (tp_config_defaults(&config, &arena, &diag) != TP_OK)
		fail_msg("default of %s: %s", diag.where, diag.what);
	for (; (option = tp_option_at(n)); n++) {
		char allowed[320];
		assert_int_equal(tp_option_index(option), n);
		assert_ptr_equal(tp_option_find(option->key), option);
		assert_true(strlen(option->help) > 10);
		/* Screens show it as it is. */
		if (strstr(option->help, "--"))
			fail_msg("words of a command line in the help of %s", option->key);
		assert_true(strlen(tp_option_allowed(option, allowed, sizeof(allowed))) > 3);
		assert_true(config.values[n].n > 0 || !*option->fallback);
		for (size_t j = 0; j < n; j++)
			assert_string_not_equal(option->key, tp_option_at(j)->key);
	}
	assert_int_equal(n, tp_option_count());
	assert_in_range(n, 50, TP_OPTIONS_MAX);
	for (const struct tp_option_group *const *g = tp_option_groups(); *g; g++) {
		char used[512], *rest = NULL;
		for (size_t row = 0; (*g)->rows[row]; row++)
			of_groups++;
		assert_true(tp_copy(used, sizeof(used), (*g)->uses ? (*g)->uses : ""));
		for (char *key = strtok_r(used, " ", &rest); key;
		     key = strtok_r(NULL, " ", &rest)) {
			option = tp_option_find(key);
			if (!option || option->for_all || strcmp(option->key, key) != 0)
				fail_msg("%s uses %s", (*g)->experiment, key);
		}
	}
	/* Two groups of one place would hide each other. */
	assert_int_equal(of_groups, n);
	assert_string_equal(tp_config_text(&config, TP_OPT_EXPERIMENT), "roofline");
	assert_int_equal(tp_config_count(&config, TP_OPT_SIZE_MAX), 512 << 20);
	assert_true(tp_config_real(&config, TP_OPT_STOP_ERROR) == 0.01);
	assert_string_equal(tp_config_text(&config, TP_OPT_NAME), "");
	assert_int_equal(tp_config_value(&config, TP_OPT_LEVEL)->n, 4);
	tp_arena_release(&arena);
}

static void keys_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(tp_option_find("points-per_octave"), TP_OPT_POINTS_PER_OCTAVE);
	assert_ptr_equal(tp_option_find("cache-size.L1"), TP_OPT_CACHE_L1);
	assert_null(tp_option_find("thread"));
	assert_null(tp_option_find("stop"));
	assert_null(tp_option_find(""));
	assert_string_equal(tp_option_nearest("thraeds"), "threads");
	assert_null(tp_option_nearest("zzzzzzzz"));
	assert_true(tp_option_belongs(TP_OPT_FP_OP, "mixed"));
	assert_false(tp_option_belongs(TP_OPT_FP_OP, "memcurve"));
	assert_true(tp_option_belongs(TP_OPT_ISA, "memcurve"));
	assert_true(tp_option_belongs(TP_OPT_SEED, "memcurve"));
	assert_true(tp_option_belongs(TP_OPT_ROUTINE, "autotune"));
	assert_false(tp_option_belongs(TP_OPT_ROUTINE, "memcurve"));
}

static void users_are_named(void **state)
{
	struct tp_str text = { 0 };
	(void)state;
	tp_option_users(TP_OPT_FP_OP, " or ", &text);
	tp_str_add(&text, "; ");
	tp_option_users(TP_OPT_ROUTINE, " or ", &text);
	tp_str_add(&text, "; ");
	tp_option_users(TP_OPT_SEED, " or ", &text);
	assert_string_equal(tp_str_text(&text), "roofline or mixed; autotune; ");
	tp_str_release(&text);
}

static void words_are_offered(void **state)
{
	bool open = false;
	char meaning[80];
	(void)state;
	assert_string_equal(tp_option_offered(TP_OPT_SCOPE, &open), "core socket machine");
	assert_false(open);
	assert_string_equal(tp_option_offered(TP_OPT_BLAS, &open), "openblas blis mkl");
	assert_true(open);
	assert_string_equal(tp_option_offered(TP_OPT_SHUFFLE, &open), "false true");
	assert_false(open);
	assert_string_equal(tp_option_offered(TP_OPT_SEED, &open), "");
	assert_true(open);
	assert_string_equal(tp_option_meaning(TP_OPT_SCOPE, "socket", meaning, sizeof(meaning)),
			    "the cores of one package");
	assert_string_equal(tp_option_meaning(TP_OPT_SCOPE, "sock", meaning, sizeof(meaning)), "");
	assert_string_equal(tp_option_meaning(TP_OPT_SEED, "1", meaning, sizeof(meaning)), "");
}

/* Groups of one place stand in the order of the list, and none is lost. */
static void places_may_be_equal(void **state)
{
	static const struct tp_option rows[] = { { .key = "a" }, { .key = "b" }, { .key = "c" } };
	static const struct tp_option_group last = { .place = 7, .rows = { &rows[2], NULL } },
					    first = { .place = 3, .rows = { &rows[0], NULL } },
					    second = { .place = 3, .rows = { &rows[1], NULL } };
	static const struct tp_option_group *const list[] = { &last, &first, &second, NULL };
	const struct tp_option_group *const *before = tp_option_groups();
	(void)state;
	tp_preset_use(list);
	assert_int_equal(tp_option_count(), TP_COUNT_OF(rows));
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		assert_ptr_equal(tp_option_at(i), &rows[i]);
		assert_int_equal(tp_option_index(&rows[i]), i);
	}
	tp_preset_use(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_may_be_equal), cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(keys_are_found),      cmocka_unit_test(good_values),
		cmocka_unit_test(commands_are_words),  cmocka_unit_test(bad_values),
		cmocka_unit_test(users_are_named),     cmocka_unit_test(words_are_offered),
		cmocka_unit_test(list_has_a_limit),    cmocka_unit_test(words_keep_their_meaning),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
