/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 8192 }; /* on the stack, which may be small */

/* Drops the lines that were taken. */
static void compact(struct tp_lines *lines)
{
	if (!lines->at)
		return;
	lines->text.len -= lines->at;
	lines->searched -= lines->at;
	memmove(lines->text.s, lines->text.s + lines->at, lines->text.len + 1);
	lines->at = 0;
}

void tp_lines_add(struct tp_lines *lines, const char *bytes, size_t n)
{
	compact(lines);
	tp_str_add_n(&lines->text, bytes, n);
}

ssize_t tp_lines_read(struct tp_lines *lines, int fd)
{
	char bytes[READ_BYTES];
	ssize_t n;
	do
		n = read(fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		tp_lines_add(lines, bytes, (size_t)n);
	if (n > 0 && lines->text.oom) {
		errno = ENOMEM;
		return -1;
	}
	return n;
}

char *tp_lines_next(struct tp_lines *lines, size_t *len)
{
	struct tp_str *text = &lines->text;
	while (text->len > lines->searched) {
		char *line = text->s + lines->at;
		char *end = memchr(text->s + lines->searched, '\n', text->len - lines->searched);
		size_t n = (size_t)((end ? end : text->s + text->len) - line);
		bool long_line = lines->limit && n > lines->limit;
		if (!end) {
			lines->searched = text->len;
			if (long_line || lines->dropping) {
				lines->dropping = true;
				lines->at = text->len;
			}
			return NULL;
		}
		bool whole = !long_line && !lines->dropping;
		lines->at = lines->searched = (size_t)(end - text->s) + 1;
		lines->dropping = false;
		if (!whole)
			continue;
		*end = '\0';
		if (len)
			*len = n;
		return line;
	}
	return NULL;
}

void tp_lines_release(struct tp_lines *lines)
{
	tp_str_release(&lines->text);
	*lines = (struct tp_lines){ .limit = lines->limit };
}
