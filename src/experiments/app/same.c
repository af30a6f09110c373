/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/same.h"

#include <ctype.h>

#include "base/memory.h"
#include "base/tally.h"

/* What is read while a program is timed is only copied: hashes would keep it waiting. */
void tp_app_same_hear(void *same, size_t stream, const char *bytes, size_t n)
{
	struct tp_app_same *s = same;
	struct tp_str *text = &s->text[stream];
	s->unread[stream] |= n == 0;
	s->bytes[stream] += n;
	if (s->compared[stream] && n)
		tp_str_add_n(text, bytes, TP_MIN(n, TP_APP_SAME_BYTES - text->len));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Letters belong to a number as in 0x7ffe, 1e-5, 12ms, and in names that are drawn by chance. */
static size_t word_length(const char *text, size_t n, bool *is_number)
{
	size_t len = 0;
	*is_number = false;
	for (; len < n; len++) {
		unsigned char c = (unsigned char)text[len];
		bool exponent = (c == '-' || c == '+') && *is_number &&
				(text[len - 1] == 'e' || text[len - 1] == 'E');
		if (!isalnum(c) && c != '.' && !exponent)
			break;
		*is_number |= isdigit(c) != 0;
	}
	return len;
}

/*
 * The text with each number as one digit, without signs before numbers, and with one blank for
 * many, as numbers have widths.
 */
static uint64_t hash_masked(const char *text, size_t n)
{
	uint64_t hash = TP_HASH_START;
	for (size_t at = 0; at < n;) {
		bool is_number, sign = text[at] == '-' || text[at] == '+';
		size_t len = word_length(text + at + sign, n - at - sign, &is_number);
		if (is_number) {
			hash = tp_hash_step(hash, '0');
			at += sign + len;
		} else if (is_blank(text[at])) {
			hash = tp_hash_step(hash, ' ');
			while (at < n && is_blank(text[at]))
				at++;
		} else {
			for (size_t end = at + TP_MAX(sign + len, (size_t)1); at < end; at++)
				hash = tp_hash_step(hash, (unsigned char)text[at]);
		}
	}
	return hash;
}

void tp_app_same_begin(struct tp_app_same *same)
{
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++) {
		tp_str_clear(&same->text[i]);
		same->bytes[i] = 0;
	}
}

static void take(struct tp_app_same *same, struct tp_app_said said[TP_APP_SAME_STREAMS])
{
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++) {
		const char *text = tp_str_text(&same->text[i]);
		size_t n = same->text[i].len;
		said[i] = (struct tp_app_said){ .bytes = same->bytes[i],
						.exact = TP_HASH_START,
						.masked = hash_masked(text, n) };
		for (size_t k = 0; k < n; k++)
			said[i].exact = tp_hash_step(said[i].exact, (unsigned char)text[k]);
	}
}

void tp_app_same_end_counted(struct tp_app_same *same)
{
	take(same, same->counted);
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++)
		same->compared[i] &= !same->unread[i];
}

static bool is_exact(const struct tp_app_said *a, const struct tp_app_said *b)
{
	return a->bytes == b->bytes && a->exact == b->exact;
}

void tp_app_same_end_timed(struct tp_app_same *same)
{
	struct tp_app_said said[TP_APP_SAME_STREAMS];
	take(same, same->n_timed ? said : same->timed);
	for (size_t i = 0; i < TP_APP_SAME_STREAMS && same->n_timed; i++) {
		same->varies[i] |= !is_exact(&said[i], &same->timed[i]);
		same->varies_masked[i] |= said[i].masked != same->timed[i].masked;
	}
	same->n_timed++;
}

const char *tp_app_same_differs(const struct tp_app_same *same)
{
	static const char *const names[] = { "standard output", "standard error" };
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++) {
		const struct tp_app_said *counted = &same->counted[i], *timed = &same->timed[i];
		bool masked = same->n_timed == 1 || same->varies[i];
		if (!same->compared[i] || !same->n_timed || same->varies_masked[i])
			continue;
		if (masked ? counted->masked != timed->masked : !is_exact(counted, timed))
			return names[i];
	}
	return NULL;
}

void tp_app_same_release(struct tp_app_same *same)
{
	for (size_t i = 0; i < TP_APP_SAME_STREAMS; i++)
		tp_str_release(&same->text[i]);
}
