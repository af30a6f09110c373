/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Where lists lie in the text is found without jansson, which then judges every part of it. */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* The position after the string that begins at the quote `at`; `end` if it does not end. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/*
 * The position after the value that begins at `at`: a string, a bracketed part, or all up to a
 * comma or a bracket.
 */
static const char *skip_value(const char *at, const char *end)
{
	size_t depth = 0;
	bool word = false;

	while (at < end) {
		switch (*at) {
		case '"':
			at = skip_string(at, end);
			break;
		case '[':
		case '{':
			depth++;
			at++;
			break;
		case ']':
		case '}':
			if (!depth)
				return at;
			depth--;
			at++;
			break;
		case ',':
			if (!depth)
				return at;
			at++;
			break;
		default:
			word |= !depth;
			at++;
			continue;
		}
		if (!depth && !word)
			return at;
	}
	return end;
}

/* The index of the member `key`, in quotes, among the names; `n` if missing. */
static size_t name_of(const char *key, size_t len, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && (strlen(names[i]) + 2 != len || memcmp(key + 1, names[i], len - 2) != 0))
		i++;
	return i;
}

/* The text without the entries of lists; their line feeds stay, so that errors keep their lines. */
struct rest {
	char *text; /* heap; NULL: nothing is left out */
	size_t len;
};

/* Copies the text from `from` to the entries. */
static void leave_out(struct rest *rest, size_t room, const char *from,
		      const struct tp_json_entries *entries)
{
	size_t n = (size_t)(entries->at - from);

	if (!rest->text)
		rest->text = tp_alloc(room, 1);
	memcpy(rest->text + rest->len, from, n);
	rest->len += n;
	for (const char *p = entries->at; (p = memchr(p, '\n', (size_t)(entries->end - p))) != NULL;
	     p++)
		rest->text[rest->len++] = '\n';
}

/* Finds the lists among the members of the object. */
static void find_lists(struct tp_json_lists *lists, const char *text, size_t len,
		       const char *const *names, size_t n, struct rest *rest)
{
	const char *end = text + len, *at = skip_blanks(text, end), *from = text;

	if (at == end || *at != '{')
		return;
	for (at = skip_blanks(at + 1, end); at < end && *at == '"';) {
		const char *key = at, *behind = skip_string(at, end);
		size_t i = name_of(key, (size_t)(behind - key), names, n);

		at = skip_blanks(behind, end);
		if (at == end || *at != ':')
			break;
		at = skip_blanks(at + 1, end);
		const char *value = at;
		at = skip_value(at, end);
		if (i < n && value < at && *value == '[') {
			/* Without its closing bracket the rest is not an object either. */
			bool closed = at[-1] == ']' && at - value > 1;
			lists->entries[i] =
				(struct tp_json_entries){ value + 1, closed ? at - 1 : at };
			leave_out(rest, len, from, &lists->entries[i]);
			from = lists->entries[i].end;
		}
		at = skip_blanks(at, end);
		if (at == end || *at != ',')
			break;
		at = skip_blanks(at + 1, end);
	}
	if (rest->text) {
		memcpy(rest->text + rest->len, from, (size_t)(end - from));
		rest->len += (size_t)(end - from);
	}
}

/* True if a tree of the text is small enough: each value costs some hundred bytes. */
static bool is_small(const char *text, size_t len)
{
	size_t values = 0;

	if (len > TP_JSON_REST_MAX_BYTES)
		return false;
	if (len <= TP_JSON_REST_MAX_VALUES)
		return true;
	for (const char *at = text, *end = text + len; at < end;) {
		values += *at == ',' || *at == '[' || *at == '{';
		at = *at == '"' ? skip_string(at, end) : at + 1;
	}
	return values <= TP_JSON_REST_MAX_VALUES;
}

static void refuse(json_error_t *error, const char *text)
{
	*error = (json_error_t){ .line = 1 };
	snprintf(error->text, sizeof(error->text), "%s", text);
}

bool tp_json_lists_open(struct tp_json_lists *lists, const char *text, size_t len,
			const char *const *names, size_t n, json_error_t *error)
{
	struct rest rest = { 0 };

	*lists = (struct tp_json_lists){ 0 };
	if (n)
		find_lists(lists, text, len, names, n, &rest);
	if (rest.text) {
		text = rest.text;
		len = rest.len;
	}
	if (!is_small(text, len))
		refuse(error, "larger than any that tprof writes");
	else
		lists->root = json_loadb(text, len, JSON_DECODE_ANY, error);
	free(rest.text);
	return lists->root != NULL;
}

void tp_json_lists_close(struct tp_json_lists *lists)
{
	json_decref(lists->root);
	*lists = (struct tp_json_lists){ 0 };
}

const char *tp_json_entry(struct tp_json_entries *entries, size_t *len, json_error_t *error)
{
	const char *entry = skip_blanks(entries->at, entries->end), *behind;

	error->text[0] = '\0';
	*len = 0;
	entries->at = entry;
	if (entry == entries->end)
		return NULL;
	behind = skip_value(entry, entries->end);
	if (behind == entry) {
		refuse(error, "an entry of the list is missing");
		return NULL;
	}
	*len = (size_t)(behind - entry);
	behind = skip_blanks(behind, entries->end);
	/* A comma, followed by one more entry. */
	if (behind < entries->end &&
	    (*behind != ',' || skip_blanks(behind + 1, entries->end) == entries->end)) {
		refuse(error,
		       *behind == ',' ? "an entry of the list is missing" : "a comma is missing");
		entries->at = behind;
		*len = 0;
		return NULL;
	}
	entries->at = behind < entries->end ? behind + 1 : behind;
	return entry;
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* After a number that jansson takes, too; NULL: not one. */
static const char *skip_number(const char *at, const char *end)
{
	enum { DIGITS_MAX = 18 };
	const char *digits = at + (*at == '-');

	at = skip_digits(digits, end);
	if (at == digits || at - digits > DIGITS_MAX || (*digits == '0' && at - digits > 1))
		return NULL;
	if (at < end && *at == '.') {
		digits = at + 1;
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		digits = at + 1;
		digits += digits < end && (*digits == '+' || *digits == '-');
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
	}
	return at;
}

/* After the quote that ends the text; NULL: it is not plain. */
static const char *skip_plain(const char *at, const char *end)
{
	while (at < end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	return at < end && *at == '"' ? at + 1 : NULL;
}

static bool take_value(struct tp_json_plain *plain, const char *at)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *behind = NULL, *end = plain->end;

	if (at == end)
		return false;
	plain->kind = *at == 'f' ? 't' : *at;
	plain->value = at;
	if (*at == '"') {
		behind = skip_plain(++plain->value, end);
	} else if (*at == '[') {
		behind = skip_value(at, end);
		behind = behind[-1] == ']' && ++plain->value < behind ? behind : NULL;
	} else if (*at == '-' || (*at >= '0' && *at <= '9')) {
		plain->kind = '0';
		behind = skip_number(at, end);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !behind; i++)
		if ((size_t)(end - at) > strlen(words[i]) &&
		    memcmp(at, words[i], strlen(words[i])) == 0)
			behind = at + strlen(words[i]);
	if (!behind)
		return false;
	plain->value_len =
		(size_t)(behind - plain->value) - (plain->kind == '"' || plain->kind == '[');
	plain->at = skip_blanks(behind, end);
	return true;
}

bool tp_json_plain_next(struct tp_json_plain *plain)
{
	const char *end = plain->end, *at = skip_blanks(plain->at, end);

	if (plain->key && at < end && *at == '}') {
		plain->whole = skip_blanks(at + 1, end) == end;
		return false;
	}
	if (at == end || *at != (plain->key ? ',' : '{'))
		return false;
	at = skip_blanks(at + 1, end);
	if (at == end || *at != '"')
		return false;
	plain->key = at + 1;
	at = skip_plain(at + 1, end);
	if (!at)
		return false;
	plain->key_len = (size_t)(at - plain->key) - 1;
	at = skip_blanks(at, end);
	return at < end && *at == ':' && take_value(plain, skip_blanks(at + 1, end));
}
