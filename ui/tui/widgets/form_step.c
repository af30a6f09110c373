/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Left and Right in the form: the next and the previous value of an option. */
#include "ui/tui/widgets/form.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_numeric(enum tp_option_type type)
{
	return type == TP_TYPE_COUNT || type == TP_TYPE_REAL || type == TP_TYPE_BYTES ||
	       type == TP_TYPE_SECONDS;
}

/* The index of the word with the next number after `from`, or -1. */
static long next_number(const struct tp_words *words, const struct tp_option *option, double from,
			int direction)
{
	struct tp_arena arena = { 0 };
	double best = 0;
	long found = -1;
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->items[i].word;
		struct tp_scalar scalar;
		if (words->items[i].off ||
		    tp_scalar_parse(option, word, strlen(word), &arena, &scalar, NULL) != TP_OK)
			continue;
		double ahead = (scalar.real - from) * direction;
		if (ahead > 0 && (found < 0 || ahead < best)) {
			best = ahead;
			found = (long)i;
		}
	}
	tp_arena_release(&arena);
	return found;
}

/* The next of 1, 2, 5, 10, ... or of the powers of two. */
static double round_step(double from, int direction, bool binary)
{
	static const double decade[] = { 0.5, 1, 2, 5, 10, 20 };
	const double little = 1e-9;
	if (from <= 0)
		return direction > 0 ? binary ? 4096 : 1 : from;
	if (binary)
		return direction > 0 ? exp2(floor(log2(from) + little) + 1)
				     : exp2(ceil(log2(from) - little) - 1);
	double unit = pow(10, floor(log10(from) + little));
	for (int i = direction > 0 ? 0 : (int)TP_COUNT_OF(decade) - 1;
	     i >= 0 && i < (int)TP_COUNT_OF(decade); i += direction)
		if ((decade[i] * unit - from) * direction > little * from)
			return decade[i] * unit;
	return from;
}

static void number_text(enum tp_option_type type, double value, char *out, size_t size)
{
	if (type == TP_TYPE_BYTES)
		snprintf(out, size, "%" PRIu64, (uint64_t)value);
	else if (type == TP_TYPE_SECONDS && value < 1)
		snprintf(out, size, "%.6gus", value * 1e6);
	else
		snprintf(out, size, "%.10g", value);
}

/*
 * The value after (`direction` 1) or before (-1) the present one: among the words that are not off;
 * between them by number; without words by doubling or 1-2-5 within the range. Gives the present
 * value at the end of a range, TP_UNSUPPORTED if a value cannot be stepped.
 */
static enum tp_status step(const struct tp_words *words, const struct tp_option *option,
			   const struct tp_value *value, int direction, char *out, size_t size)
{
	const struct tp_scalar *present = value->n ? &value->items[0] : NULL;
	if (words->n) {
		long at = present ? tp_words_find(words, present->text) : -1, n = (long)words->n;
		if (at < 0 && present && is_numeric(option->type)) {
			at = next_number(words, option, present->real, direction);
			tp_copy(out, size, at < 0 ? present->text : words->items[at].word);
			return TP_OK;
		}
		if (at < 0)
			at = direction > 0 ? -1 : n;
		/*
		 * Numbers stop at the end, words go round. A list is replaced by the neighbour of
		 * its first word.
		 */
		bool round = !is_numeric(option->type);
		for (long tried = 0; tried < n; tried++) {
			at += direction;
			if (round)
				at = (at + n) % n;
			if (at < 0 || at >= n)
				break;
			if (words->items[at].off)
				continue;
			tp_copy(out, size, words->items[at].word);
			return TP_OK;
		}
		tp_copy(out, size, present ? present->text : "");
		return TP_OK;
	}
	if (!present || !is_numeric(option->type) || value->n > 1)
		return TP_UNSUPPORTED;
	double to = round_step(present->real, direction, option->type == TP_TYPE_BYTES);
	if (option->type == TP_TYPE_COUNT)
		to = floor(to); /* below 1 there is 0, where that is allowed */
	number_text(option->type, fmin(fmax(to, option->min), option->max), out, size);
	return TP_OK;
}

enum tp_status tp_form_step(struct tp_form *form, const struct tp_option *option, int direction,
			    struct tp_diag *diag)
{
	struct tp_words words;
	struct tp_value value = *tp_config_value(tp_form_config(form), option);
	struct tp_str text = { 0 };
	char next[256];
	tp_form_text(form, option, &text);
	/* The shown value may not be the stored one: threads can mean all by default. */
	struct tp_scalar shown = { .text = tp_str_text(&text), .real = 0x1p64 };
	if (value.n == 1 && strcmp(shown.text, value.items[0].text) != 0)
		value.items = &shown;
	enum tp_status status = tp_words_make(&words, option, &form->session->machine);
	if (status == TP_OK)
		status = step(&words, option, &value, direction, next, sizeof(next));
	if (status == TP_UNSUPPORTED)
		tp_fail(diag, status, option->key, NULL, "press Enter to type a value");
	else if (status == TP_OK && strcmp(next, tp_str_text(&text)) != 0)
		status = tp_form_set(form, option, next, diag);
	tp_words_release(&words);
	tp_str_release(&text);
	return status;
}
