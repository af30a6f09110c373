/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON objects with long lists. Such a list is not in memory as a tree: its entries are read one by
 * one, so a document costs little more than its text.
 */
#ifndef TPROF_TABLE_LISTS_H
#define TPROF_TABLE_LISTS_H

#include "table/json.h"

enum {
	TP_JSON_LISTS_MAX = 32,
	/* Larger objects are refused, not counting the entries of their lists. */
	TP_JSON_REST_MAX_BYTES = 1 << 25,
	TP_JSON_REST_MAX_VALUES = 1 << 20
};

/* The entries of a list. */
struct tp_json_entries {
	const char *at, *end; /* NULL: the list is missing */
};

struct tp_json_lists {
	json_t *root; /* the object; the lists are empty in it */
	struct tp_json_entries entries[TP_JSON_LISTS_MAX]; /* as many as there are names */
};

/*
 * Reads an object without the lists that are members of it under one of `n` names. False: `error`
 * has the reason, with line and column of `text`. The text is borrowed until tp_json_lists_close.
 */
bool tp_json_lists_open(struct tp_json_lists *lists, const char *text, size_t len,
			const char *const *names, size_t n, json_error_t *error);
void tp_json_lists_close(struct tp_json_lists *lists);

/*
 * The text of the next entry, as tp_json_lists_open takes it: *len bytes. NULL at the end, or with
 * `error->text` where none begins although one must; *len is 0 then, and `at` is there.
 */
const char *tp_json_entry(struct tp_json_entries *entries, size_t *len, json_error_t *error);

/*
 * The members of an object one after the other, without a tree, where all are plain: numbers,
 * words, ASCII texts without escapes, and lists. Begin with the text of the object, `key` NULL.
 */
struct tp_json_plain {
	const char *at, *end;
	const char *key, *value; /* of the member; not terminated, without quotes and brackets */
	size_t key_len, value_len;
	char kind; /* '"' text, '0' number, '[' list, 't' true or false, 'n' null */
	bool whole; /* all members were read, and nothing follows the object */
};

/* False at the end, or if the object is not plain: `whole` distinguishes the two. */
bool tp_json_plain_next(struct tp_json_plain *plain);

#endif
