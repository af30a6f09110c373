/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 text: characters, columns on a terminal, and foreign text made safe to print.
 *
 * There are two ways to count columns. Streams hold any character: tp_text_columns asks the locale
 * how wide each is. Screens and plots are grids of cells: they show "?" for a character that does
 * not fill exactly one cell, so there one character is one column (tp_cell_*).
 */
#ifndef TPROF_BASE_TEXT_H
#define TPROF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* --- characters --- */

/*
 * Decodes one character from at most `len` bytes. Returns its length in bytes, 0 if the bytes are
 * not UTF-8 (overlong forms and surrogates are not).
 */
size_t tp_utf8_decode(const char *text, size_t len, uint32_t *code);

/*
 * The character at *text, which moves past it; 0 at the end. Malformed bytes give TP_UTF8_BAD, once
 * for a character that breaks off.
 */
enum { TP_UTF8_BAD = 0xfffd };

uint32_t tp_utf8_next(const char **text);

/* Where the character before or after byte `at` begins; 0 and the length of `text` are the ends. */
size_t tp_utf8_before(const char *text, size_t at);
size_t tp_utf8_after(const char *text, size_t at);

/* Writes the bytes of a character and returns how many. */
size_t tp_utf8_encode(char out[4], uint32_t code);
void tp_utf8_add(struct tp_str *str, uint32_t code);

/* True for characters that act on a terminal instead of being shown: C0, DEL, C1. */
bool tp_is_control(uint32_t code);
char tp_utf8_ascii(uint32_t code); /* the nearest ASCII character, '?' if none is near */

/* --- columns of a stream --- */

/* Columns that `text` takes on a terminal. It must not hold escape sequences. */
size_t tp_text_columns(const char *text);

/* How many bytes of `text` fit in `columns`: whole characters only. */
size_t tp_text_cut(const char *text, size_t columns);

/*
 * The end of the first line of `text` when it is wrapped to `columns`: at a line feed, else at the
 * last blank that fits, else within a word that is longer than the line. *next is where the next
 * line begins, or the end of the text.
 */
const char *tp_text_line(const char *text, size_t columns, const char **next);

/* --- cells of a grid --- */

/*
 * Like tp_utf8_next, but gives '?' for malformed bytes and for characters that do not fill exactly
 * one cell: control characters, wide, combining and invisible ones.
 */
uint32_t tp_cell_next(const char **text);
size_t tp_cell_columns(const char *text);

/* --- foreign text --- */

/*
 * Adds `text` with '?' for control characters, direction marks and malformed bytes, and a blank for
 * a line feed or a tab. `ascii` gives '?' for everything beyond ASCII as well.
 */
void tp_str_add_clean(struct tp_str *str, const char *text, bool ascii);

/*
 * The same in place, which never makes a text longer. The control characters in `allowed` stay.
 * Every reader of a stored text passes it through this function, so that foreign escape sequences
 * go no further.
 */
void tp_clean(char *text, const char *allowed);

/*
 * Copies at most size - 1 bytes, whole characters only, with '?' for what tp_str_add_clean refuses.
 * Text that is cut ends in "...". Returns `out`.
 */
const char *tp_shown(char *out, size_t size, const char *text, size_t len);

/*
 * Why free text is not accepted: "is not UTF-8 text", "holds a control character", or NULL. The
 * control characters in `allowed` are fine.
 */
const char *tp_text_fault(const char *text, size_t len, const char *allowed);

/*
 * Adds any bytes as character data of XML and HTML, also fit for the value of an attribute in
 * quotes. Markup is escaped; control characters become blanks, malformed bytes and characters that
 * XML forbids U+FFFD.
 */
void tp_str_add_markup(struct tp_str *str, const char *text);

/*
 * The last line that is not blank, shown as above; else "". Returns `out`.
 */
const char *tp_last_line(char *out, size_t size, const char *text, size_t len);

/*
 * The length of the byte order mark that editors of other systems put before UTF-8 text, or 0
 * without one.
 */
enum { TP_MARK_BYTES = 3 };
size_t tp_mark_bytes(const char *text, size_t len);

/* The bounds of `text` without the blanks (space, tab, line ends) around it. */
void tp_trim(const char **text, size_t *len);

/*
 * Quantities as text and back. Sizes are binary (KiB), rates decimal (GB/s = 1e9 bytes per second).
 */

/* "12 KiB", "1.5 MiB", "96 B": at most 4 significant digits; returns `out`. */
const char *tp_format_bytes(char *out, size_t size, uint64_t bytes);

/* "850 us", "1.25 s", "3 min 20 s". */
const char *tp_format_seconds(char *out, size_t size, double seconds);

/*
 * These parsers return true only if all of `text` is a value. Bytes: 4096, 32K, 32KiB, 1.5MiB, 2G
 * (K, M, G, T are binary with or without iB; "KB" is rejected as ambiguous). Seconds: 2, 0.5,
 * 500ms, 200us, 1min, 2h.
 */
bool tp_parse_bytes(const char *text, uint64_t *bytes);
bool tp_parse_seconds(const char *text, double *seconds);
bool tp_parse_u64(const char *text, uint64_t *value);
bool tp_parse_double(const char *text, double *value);

#endif
