/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose code runs without a word of the user: sources that ship with tprof, compilers by their
 * usual names, flags that only choose how code is made, and values of macros that are one word.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/template/options.h"
#include "experiments/template/plan_row.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static bool is_made_of(const char *text, size_t len, const char *others)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(letters, text[i]) && !strchr(others, text[i]))
			return false;
	return true;
}

/* No flag that loads something, or calls another program. */
static bool is_known_flag(const char *flag, size_t len)
{
	static const char *const begins[] = {
		"-O",	 "-march=", "-mtune=", "-mprefer-vector-width=", "-mavx", "-msse",
		"-mfma", "-std=",   "-W"
	};
	static const char *const words[] = {
		"-g",
		"-fopenmp",
		"-fopenmp-simd",
		"-ffast-math",
		"-funroll-loops",
		"-ftree-vectorize",
		"-fno-tree-vectorize",
		"-fvectorize",
		"-fno-vectorize",
		"-fno-slp-vectorize",
		"-fomit-frame-pointer",
		"-fstrict-aliasing",
		"-fno-strict-aliasing",
		"-ffp-contract=off",
		"-ffp-contract=fast",
		"-fno-math-errno",
		"-fassociative-math",
	};
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strlen(words[i]) == len && memcmp(words[i], flag, len) == 0)
			return true;
	for (size_t i = 0; i < TP_COUNT_OF(begins); i++) {
		size_t n = strlen(begins[i]);
		/* A comma would hand something to the assembler or the linker: -Wl,... */
		if (len >= n && memcmp(begins[i], flag, n) == 0)
			return is_made_of(flag + n, len - n, "-+.");
	}
	return false;
}

static bool are_known_flags(const char *flags)
{
	for (size_t len; *(flags += strspn(flags, " ")); flags += len) {
		len = strcspn(flags, " ");
		if (!is_known_flag(flags, len))
			return false;
	}
	return true;
}

static bool is_known_value(const char *name, const char *value)
{
	if (strcmp(name, "compiler") == 0)
		return tp_has_word("cc gcc clang", value);
	if (strcmp(name, "flags") == 0)
		return are_known_flags(value);
	return is_made_of(value, strlen(value), "+-.");
}

static bool are_known_values(const char *wish)
{
	struct tp_arena arena = { 0 };
	struct tp_sweep *sweep = calloc(1, sizeof(*sweep));
	/* What is refused runs nothing. */
	bool known = true;
	if (sweep && tp_sweep_take(sweep, wish, &arena, NULL) == TP_OK)
		for (size_t i = 0; i < sweep->parameters[0].n; i++)
			known &= is_known_value(sweep->parameters[0].name,
						sweep->parameters[0].values[i]);
	tp_arena_release(&arena);
	free(sweep);
	return known;
}

bool tp_template_code_is_known(const struct tp_option *option, const char *text)
{
	if (option == TP_OPT_TEMPLATE_SOURCE)
		return tp_template_is_known(text);
	return option == TP_OPT_TEMPLATE_PARAMETERS && are_known_values(text);
}
