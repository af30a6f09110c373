/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests ask of long texts. */
#ifndef TPROF_TESTS_TEXT_H
#define TPROF_TESTS_TEXT_H

#include <stddef.h>
#include <string.h>

/* How often a text holds a word (not empty). */
static inline size_t count_of(const char *text, const char *word)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
		n++;
	return n;
}

#endif
