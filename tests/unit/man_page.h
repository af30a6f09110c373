/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A manual page as entries, for tests that hold it against the program; words of the one among those of the other. */
#ifndef TPROF_TESTS_MAN_PAGE_H
#define TPROF_TESTS_MAN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { MAN_ENTRIES_MAX = 512, MAN_WORD_MAX = 160 };

/* One .It of a page. */
struct man_entry {
	char section[32]; /* "FLAGS" */
	char part[32]; /* subsection, "" if none */
	char macro[8]; /* of the item: Fl, Cm, Va, Pa, ... */
	char item[MAN_WORD_MAX]; /* as a reader sees it: "-b, --batch preset" */
	struct tp_str text; /* body without macro lines, joined by one space */
	struct tp_str
		names; /* what .Va lines of the body name, each with a space before and behind */
};

struct man_page {
	struct man_entry entries[MAN_ENTRIES_MAX];
	size_t n;
	struct tp_str synopsis; /* its lines as a reader sees them */
};

/* A page of the source tree, such as "man/tprof.1", on the heap; NULL, and words on standard error, when not all of it can be read. */
struct man_page *man_page_new(const char *name);
void man_page_free(struct man_page *page); /* NULL does nothing */

/* The names of the items of a section, each with a space behind, in the page's order. */
void man_items(const struct man_page *page, const char *section, const char *part,
	       const char *macro, struct tp_str *out);
/* Fails the test when there is none. */
const struct man_entry *man_entry(const struct man_page *page, const char *section,
				  const char *part, const char *item);

/* A file of the source tree as text on the heap; NULL, and words on standard error, when it cannot be read. */
char *read_source(const char *name);

/* Whether the first n bytes of `word` are one of the words, which blanks divide. */
bool is_among(const char *words, const char *word, size_t n);
/* Every word of `a` is in `b`; else the test fails, and the message says where it is missing. */
void expect_within(const char *a, const char *b, const char *what, const char *missing);
/* Both hold the same words, in any order. */
void expect_same_words(const char *written, const char *on_page, const char *what);

#endif
