/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a stream of bytes into lines, however the bytes arrive. */
#ifndef TPROF_BASE_LINES_H
#define TPROF_BASE_LINES_H

#include <sys/types.h>

#include "base/str.h"

/* Zero-initialise. `limit` may be set first: longer lines are dropped (0 = no limit). */
struct tp_lines {
	struct tp_str text; /* received, not yet dropped */
	size_t at, searched; /* where the next line begins, and how far no line feed was found */
	size_t limit;
	bool dropping; /* in the middle of a line that is too long */
};

/* Adds what was received. When memory runs out, text.oom is set. */
void tp_lines_add(struct tp_lines *lines, const char *bytes, size_t n);
/*
 * Reads once from a descriptor; an interrupted read is repeated. Returns how many bytes came, 0 at
 * the end of the stream, -1 with errno (EAGAIN where a non-blocking descriptor has nothing).
 */
ssize_t tp_lines_read(struct tp_lines *lines, int fd);
/*
 * The next whole line without its line feed, terminated with NUL, or NULL. The caller may change
 * it; it is valid until the next tp_lines_add or tp_lines_read. `len` may be NULL.
 */
char *tp_lines_next(struct tp_lines *lines, size_t *len);
void tp_lines_release(struct tp_lines *lines);

#endif
