/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of things (machines, presets, runs, compared points) as JSON: an array of flat objects. */
#ifndef TPROF_RECORD_JSON_H
#define TPROF_RECORD_JSON_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

struct tp_listing;

struct tp_listing *tp_listing_new(void);
void tp_listing_free(struct tp_listing *listing);

/*
 * Begins the next object; members are set in it in order. Where `listing` is NULL, these functions
 * do nothing.
 */
void tp_listing_row(struct tp_listing *listing);

/* NULL or "" becomes null; bytes that are not UTF-8 become '?'. */
void tp_listing_text(struct tp_listing *listing, const char *key, const char *text);

/* Space-separated words as an array of strings. */
void tp_listing_words(struct tp_listing *listing, const char *key, const char *words);
void tp_listing_bool(struct tp_listing *listing, const char *key, bool value);
void tp_listing_count(struct tp_listing *listing, const char *key, unsigned long long value);

/* null if it is not finite */
void tp_listing_real(struct tp_listing *listing, const char *key, double value);

/* Appends the document, indented, with a line end. */
void tp_listing_write(const struct tp_listing *listing, struct tp_str *out);

/*
 * One object instead: the members of the first row of `head`, then `listing` as the member "rows".
 */
void tp_listing_write_under(const struct tp_listing *listing, const struct tp_listing *head,
			    struct tp_str *out);

#endif
