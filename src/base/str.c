/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct tp_str *str, size_t extra)
{
	TP_RESERVE(str->s, str->cap, str->len + extra + 1);
}

void tp_str_add_quoted(struct tp_str *str, const char *text)
{
	tp_str_add(str, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			tp_str_add(str, "\\");
		tp_str_add_n(str, text, 1);
	}
	tp_str_add(str, "\"");
}

void tp_str_add_n(struct tp_str *str, const char *text, size_t n)
{
	reserve(str, n);
	memcpy(str->s + str->len, text, n);
	str->len += n;
	str->s[str->len] = '\0';
}

void tp_str_add(struct tp_str *str, const char *text)
{
	tp_str_add_n(str, text, strlen(text));
}

void tp_str_add_escaped(struct tp_str *str, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			tp_str_add(str, "\\n");
		else if (*text == '\\')
			tp_str_add(str, "\\\\");
		else
			tp_str_add_n(str, text, 1);
	}
}

void tp_str_add_unescaped(struct tp_str *str, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool escaped = text[i] == '\\' && i + 1 < n;
		char c = text[escaped ? ++i : i];
		tp_str_add_n(str, escaped && c == 'n' ? "\n" : &c, 1);
	}
}

void tp_str_vprintf(struct tp_str *str, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0) {
		reserve(str, (size_t)n);
		vsnprintf(str->s + str->len, (size_t)n + 1, fmt, again);
		str->len += (size_t)n;
	}
	va_end(again);
}

void tp_str_printf(struct tp_str *str, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	tp_str_vprintf(str, fmt, ap);
	va_end(ap);
}

void tp_str_pad(struct tp_str *str, char c, size_t n)
{
	reserve(str, n);
	memset(str->s + str->len, c, n);
	str->len += n;
	str->s[str->len] = '\0';
}

const char *tp_str_text(const struct tp_str *str)
{
	return str->s ? str->s : "";
}

char *tp_str_take(struct tp_str *str)
{
	char *s = str->s;
	*str = (struct tp_str){ 0 };
	return s;
}

void tp_str_clear(struct tp_str *str)
{
	str->len = 0;
	if (str->s)
		str->s[0] = '\0';
}

void tp_str_release(struct tp_str *str)
{
	free(str->s);
	*str = (struct tp_str){ 0 };
}

bool tp_copy(char *to, size_t size, const char *from)
{
	int n = snprintf(to, size, "%s", from);
	return n >= 0 && (size_t)n < size;
}

/* Levenshtein distance without regard to case; '-' equals '_', because users mix them up. */
static size_t edit_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	size_t n = strlen(a), m = strlen(b);
	if (n >= MAX || m >= MAX)
		return SIZE_MAX; /* near to nothing */
	size_t row[MAX + 1];
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);
			bool same = (x == '-' ? '_' : x) == (y == '-' ? '_' : y);
			size_t best = diagonal + !same;
			best = TP_MIN(best, row[j] + 1);
			best = TP_MIN(best, row[j - 1] + 1);
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[m];
}

const char *tp_nearest(const char *word, const char *const *words, size_t n)
{
	const char *best = NULL;
	size_t best_distance = (strlen(word) + 2) / 3 + 1;
	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(word, words[i]);
		if (d < best_distance) {
			best_distance = d;
			best = words[i];
		}
	}
	return best;
}

void tp_str_list(struct tp_str *str, const char *const *words, size_t n, const char *last_joint)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			tp_str_add(str, i + 1 == n ? last_joint : ", ");
		tp_str_add(str, words[i]);
	}
}

void tp_str_suggest(struct tp_str *str, const char *word, const char *lead,
		    const char *const *words, size_t n, const char *last_joint)
{
	const char *near = tp_nearest(word, words, n);
	if (near)
		tp_str_printf(str, "did you mean %s? ", near);
	tp_str_add(str, lead);
	tp_str_list(str, words, n, last_joint);
}

bool tp_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

bool tp_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = list; n && (p = strstr(p, word)); p += n) {
		bool starts = p == list || p[-1] == ' ';
		if (starts && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

void tp_add_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(list);
	snprintf(list + n, size - n, "%s%s", n ? " " : "", word);
}
