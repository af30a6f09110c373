/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing text and small string helpers. */
#ifndef TPROF_BASE_STR_H
#define TPROF_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/*
 * A growing text, always NUL-terminated. Zero-initialise; `s` is NULL until something is added.
 */
struct tp_str {
	char *s;
	size_t len, cap;
};

void tp_str_add(struct tp_str *str, const char *text);
void tp_str_add_n(struct tp_str *str, const char *text, size_t n);
/*
 * Writes free text as one line: a line feed becomes \n, a backslash \\. The second function reads
 * `n` bytes of that form.
 */
void tp_str_add_escaped(struct tp_str *str, const char *text);
/* In double quotes, with a backslash before each quote and backslash. */
void tp_str_add_quoted(struct tp_str *str, const char *text);
void tp_str_add_unescaped(struct tp_str *str, const char *text, size_t n);
void tp_str_printf(struct tp_str *str, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tp_str_vprintf(struct tp_str *str, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void tp_str_pad(struct tp_str *str, char c, size_t n);
const char *tp_str_text(const struct tp_str *str); /* never NULL */
char *tp_str_take(struct tp_str *str); /* heap text, caller frees; NULL when empty */
void tp_str_clear(struct tp_str *str); /* keeps the memory */
void tp_str_release(struct tp_str *str);
/* A text that is released at the end of its scope. */
#define TP_STR TP_CLEANUP(tp_str_release) struct tp_str

/* Copies with truncation, always terminates. Returns false if it did not fit. */
bool tp_copy(char *to, size_t size, const char *from);

/*
 * The entry of `words` nearest to `word` by edit distance, or NULL if none is near (at most a third
 * of its letters differ).
 */
const char *tp_nearest(const char *word, const char *const *words, size_t n);

/* "a, b or c" into `str`. */
void tp_str_list(struct tp_str *str, const char *const *words, size_t n, const char *last_joint);
/* The same after `lead`; first "did you mean b? " if one of them is near to `word`. */
void tp_str_suggest(struct tp_str *str, const char *word, const char *lead,
		    const char *const *words, size_t n, const char *last_joint);

bool tp_ends_with(const char *text, const char *end);
/* True if space-separated `list` holds `word`. */
bool tp_has_word(const char *list, const char *word);
void tp_add_word(char *list, size_t size, const char *word); /* at its end */

#endif
