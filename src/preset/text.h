/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that came from a user, made fit to be kept or shown. Inside the preset room only. */
#ifndef TPROF_PRESET_TEXT_H
#define TPROF_PRESET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one UTF-8 character of at most `len` bytes; returns its length, 0 if the bytes are not UTF-8 (overlong forms and
 * surrogates are not).
 */
size_t tp_utf8_decode(const char *text, size_t len, uint32_t *character);

/* True for characters that would act on a terminal instead of being shown: C0, DEL, C1. */
bool tp_is_control(uint32_t character);

/* Copies at most size - 1 bytes, whole characters only; control characters and broken bytes become '?', cut text ends in "...". */
const char *tp_shown(char *out, size_t size, const char *text, size_t len);

/* Bounds of `text` without the blanks (space, tab, line ends) around it. */
void tp_trim(const char **text, size_t *len);

#endif
