/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a command, a pattern for a number, and the output of a program: the first line, the
 * second, and the rest. Words that are joined are split into the same words; a number is finite.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "experiments/program/readings.h"
#include "tests/fuzz/promise.h"

static void hold_words(const char *text)
{
	struct tp_arena arena = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str joined = { 0 };
	char **words, **again;
	size_t n, n_again;
	if (tp_command_split(text, &arena, &words, &n, &diag) == TP_OK) {
		must(n > 0 && !words[n], "words end with NULL");
		for (size_t i = 0; i < n; i++)
			tp_command_join(&joined, words[i]);
		must(tp_command_split(tp_str_text(&joined), &arena, &again, &n_again, &diag) ==
			     TP_OK,
		     "joined words can be split");
		must(n == n_again, "as many words");
		for (size_t i = 0; i < n; i++)
			must_of(strcmp(words[i], again[i]) == 0, "the same words", words[i]);
	} else {
		must(diag.what[0], "words for what is wrong");
	}
	tp_str_release(&joined);
	tp_arena_release(&arena);
}

static void hold_numbers(const char *pattern, const char *output)
{
	struct tp_scalar item = { .text = pattern };
	const struct tp_value wishes = { .items = &item, .n = 1 };
	struct tp_program_reads reads;
	struct tp_diag diag = { 0 };
	double value = NAN;
	enum tp_status status = tp_program_reads_make(&reads, &wishes, &diag);
	if (status == TP_OK)
		status = tp_program_reads_take(&reads, output, &value, &diag);
	must(status == TP_OK ? isfinite(value) : diag.what[0] != '\0', "a number, or words");
	tp_program_reads_release(&reads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(size + 1, 1);
	if (!text || size > 4096) {
		free(text);
		return 0;
	}
	if (size)
		memcpy(text, data, size);
	char *pattern = text + strcspn(text, "\n");
	pattern += *pattern == '\n';
	char *output = pattern + strcspn(pattern, "\n");
	if (pattern > text && pattern[-1] == '\n')
		pattern[-1] = '\0';
	if (*output)
		*output++ = '\0';
	hold_words(text);
	hold_numbers(pattern, output);
	free(text);
	return 0;
}
