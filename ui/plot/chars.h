/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels are other people's text: UTF-8 in, one terminal cell a code point out. Private to the room. */
#ifndef TPROF_PLOT_CHARS_H
#define TPROF_PLOT_CHARS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The next code point of *text as it is, which moves on; 0 at the end, TP_CHARS_BAD for malformed bytes. */
enum { TP_CHARS_BAD = 0xfffd };
uint32_t tp_chars_read(const char **text);

/*
 * The next code point of *text, which moves on; 0 at the end. Malformed bytes, control characters and all that does
 * not fill exactly one cell (wide, combining, invisible) come back as '?'.
 */
uint32_t tp_chars_next(const char **text);

size_t tp_chars_columns(const char *text); /* cells `text` takes */
char tp_chars_ascii(uint32_t code_point); /* the nearest ASCII character, '?' if none is near */
void tp_chars_add(struct tp_str *str, uint32_t code_point); /* as UTF-8 */

#endif
