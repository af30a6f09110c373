/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The encoding of a table that another program wrote, and its text as UTF-8. */
#ifndef TPROF_TABLE_ENCODING_H
#define TPROF_TABLE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum tp_encoding {
	TP_ENCODING_BY_TEXT,
	TP_ENCODING_UTF8,
	TP_ENCODING_UTF16_LE,
	TP_ENCODING_UTF16_BE,
	TP_ENCODING_WINDOWS_1252, /* Latin-1 is a part of it */
};

/*
 * By the mark at the beginning of a text, by zero bytes, or by its characters: Windows-1252 if most
 * of them are not UTF-8. `whole`: no text follows. Never TP_ENCODING_BY_TEXT.
 */
enum tp_encoding tp_encoding_of(const char *text, size_t len, bool whole);
/* "utf-8", "utf-16", "windows-1252" or "latin-1"; TP_ENCODING_BY_TEXT: another word. */
enum tp_encoding tp_encoding_find(const char *word);
/* "UTF-16", "Windows-1252" */
const char *tp_encoding_name(enum tp_encoding encoding);

/*
 * Adds the text as UTF-8, without its mark. What is not a character becomes U+FFFD. A text in
 * Windows-1252 may come in parts.
 */
void tp_encoding_decode(enum tp_encoding encoding, const char *text, size_t len,
			struct tp_str *out);

#endif
