/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One input that is several files of a folder: what follows a line "== FILE" is FILE. A file
 * without such a line is not there.
 */
#ifndef TPROF_TESTS_FOLDER_H
#define TPROF_TESTS_FOLDER_H

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/fuzz/promise.h"

struct fuzz_folder {
	const char *path;
	const char *const *files;
	size_t n;
};

static inline const char *folder_path(const struct fuzz_folder *folder, size_t file,
				      char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%s/%s", folder->path, folder->files[file]);
	return out;
}

static inline void folder_clear(const struct fuzz_folder *folder)
{
	char path[TP_PATH_MAX];
	for (size_t i = 0; i < folder->n; i++)
		unlink(folder_path(folder, i, path));
}

/* The number of the file that a line "== FILE" names; -1: it is another line. */
static inline int folder_file(const struct fuzz_folder *folder, const char *line, size_t len)
{
	for (size_t i = 0; i < folder->n; i++)
		if (len == 3 + strlen(folder->files[i]) && memcmp(line, "== ", 3) == 0 &&
		    memcmp(line + 3, folder->files[i], len - 3) == 0)
			return (int)i;
	return -1;
}

static inline void folder_put(const struct fuzz_folder *folder, int file, const char *text,
			      size_t len)
{
	char path[TP_PATH_MAX];
	FILE *out = fopen(folder_path(folder, (size_t)file, path), "w");
	must(out && fwrite(text, 1, len, out) == len, "a file is written");
	must(fclose(out) == 0, "and closed");
}

static inline void folder_fill(const struct fuzz_folder *folder, const char *text, size_t len)
{
	const char *from = NULL, *end = text + len;
	int file = -1;
	folder_clear(folder);
	for (const char *line = text, *next; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		int named = folder_file(folder, line, (size_t)((stop ? stop : end) - line));
		next = stop ? stop + 1 : end;
		if (named < 0)
			continue;
		if (file >= 0)
			folder_put(folder, file, from, (size_t)(line - from));
		file = named;
		from = next;
	}
	if (file >= 0)
		folder_put(folder, file, from, (size_t)(end - from));
}

#endif
