/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that people call by a name: presets, bases, machine models. NAME.yaml lies in one of a few folders, the user's own before the shipped
 * ones, and the first that has a name wins.
 */
#ifndef TPROF_BASE_NAMED_H
#define TPROF_BASE_NAMED_H

#include "base/file.h"

struct tp_named_file {
	char name[64]; /* "quick" */
	char title[160]; /* what it says of itself, or "" */
	char path[TP_PATH_MAX];
};

/* Where files of a kind may lie: one of the tp_path functions of file.h, and what it is asked for. */
struct tp_named_folder {
	enum tp_status (*path)(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);
	const char *relative;
};

enum { TP_NAMED_FOLDERS = 3 };

struct tp_named_kind {
	const char *what; /* "presets": where a failure to list them lies */
	struct tp_named_folder
		folders[TP_NAMED_FOLDERS]; /* in order; those without a path are none */
	size_t name_bytes, title_bytes; /* with their NUL; files of longer names are left out */
	/* Writes at most `size` bytes, and nothing where the file has no title or cannot be read. NULL: titles stay empty. */
	void (*read_title)(const char *path, char *out, size_t size);
	/* Folders that cannot be read are an error, and whatever has a fitting name is listed. Else both are left out. */
	bool strict;
};

/* The length of a file's name without its ".yaml", 0 if it does not end so. */
size_t tp_named_stem(const char *file_name);

/* All of them, sorted by name; heap, caller frees. NULL and 0 on failure: TP_NOMEM, or TP_IO where the kind is strict. */
enum tp_status tp_named_list(const struct tp_named_kind *kind, struct tp_named_file **files,
			     size_t *n, struct tp_diag *diag);

/* The path of the file called by the first `len` bytes of `name`, which hold no slash. False if there is none; `out` is void then. */
bool tp_named_find(const struct tp_named_kind *kind, const char *name, size_t len,
		   char out[TP_PATH_MAX]);

/* The names alone, for tp_nearest and tp_str_list, and room for one more; heap, caller frees the array. NULL for want of memory. */
const char **tp_named_names(const struct tp_named_file *files, size_t n);

#endif
