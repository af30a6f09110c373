/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes the bytes from a terminal: keys, presses of the mouse, pasted text. An escape sequence is
 * taken as a whole or not at all, also where it arrives in pieces: one without a meaning here is
 * swallowed, and none of its letters is a key. Between the marks of a paste all is text.
 */
#ifndef TPROF_UI_TUI_DECODE_H
#define TPROF_UI_TUI_DECODE_H

#include <stddef.h>

#include "ui/tui/term.h"

enum { TP_DECODER_BYTES = 512 };

/* Zero-initialise. */
struct tp_decoder {
	unsigned char bytes[TP_DECODER_BYTES]; /* that arrived and are not taken yet */
	size_t n;
	double heard; /* when the last of them came */
	bool alone; /* it is the only one, and came after a long silence */
	bool pasting;
	bool waits; /* for the rest of what is there */
	bool escaped; /* the last key was Escape, because nothing followed it in time */
};

/* Takes at most this many bytes. */
size_t tp_decoder_room(const struct tp_decoder *decoder);
void tp_decoder_add(struct tp_decoder *decoder, const void *bytes, size_t n, double now);
/* The next input, or NONE: a key, a part of the mouse or pasted text. Seconds as of tp_now_seconds.
 */
void tp_decoder_next(struct tp_decoder *decoder, double now, struct tp_input *input);
/* When tp_decoder_next has something to do although nothing arrives; INFINITY: never. */
double tp_decoder_due(const struct tp_decoder *decoder);

#endif
