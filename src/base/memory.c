/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

void tp_out_of_memory(void)
{
	static const char line[] = "tprof: out of memory\n";
	ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)written;
	/* No buffer of stdio is flushed: it may be half a line, or one that a parent writes, too. */
	quick_exit(TP_EXIT_MEMORY);
}

void *tp_alloc(size_t n, size_t size_bytes)
{
	void *items = calloc(n ? n : 1, size_bytes ? size_bytes : 1);
	if (!items)
		tp_out_of_memory();
	return items;
}

void *tp_realloc(void *items, size_t n, size_t size_bytes)
{
	void *moved = reallocarray(items, n ? n : 1, size_bytes ? size_bytes : 1);
	if (!moved)
		tp_out_of_memory();
	return moved;
}

char *tp_strndup(const char *text, size_t n)
{
	char *copy = strndup(text, n);
	if (!copy)
		tp_out_of_memory();
	return copy;
}

char *tp_strdup(const char *text)
{
	return tp_strndup(text, strlen(text));
}

void tp_free_variable(void *variable)
{
	free(*(void **)variable);
}
