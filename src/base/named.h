/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files with names: presets, bases, machine models, C templates. NAME.yaml lies in one of a few
 * folders. The user's own folders come before the shipped one, and the first file of a name wins.
 */
#ifndef TPROF_BASE_NAMED_H
#define TPROF_BASE_NAMED_H

#include "base/file.h"
#include "base/str.h"

enum { TP_NAME_MAX = 64 };

struct tp_named_file {
	char name[TP_NAME_MAX]; /* "quick" */
	char title[160]; /* from the file itself, or "" */
	char path[TP_PATH_MAX];
};

/* A folder of one kind of file: one of the tp_path functions of file.h, and its argument. */
struct tp_named_folder {
	enum tp_status (*path)(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);
	const char *relative;
};

enum { TP_NAMED_FOLDERS = 3 };

struct tp_named_kind {
	const char *what; /* "presets": the `where` of a diagnosis */
	const char *one; /* "pattern", for tp_named_locate */
	struct tp_named_folder
		folders[TP_NAMED_FOLDERS]; /* in order; entries without a path are unused */
	const char *ending; /* of the files; NULL = ".yaml" */
	size_t name_bytes, title_bytes; /* with NUL; files with longer names are not listed */
	/*
	 * Writes the title, at most `size` bytes, or "" if the file has none. NULL: no titles
	 * are read.
	 */
	void (*read_title)(const char *path, char *out, size_t size);
	/*
	 * A folder that cannot be read is an error, and every file with a fitting name is listed.
	 * Without this, such folders and unreadable files are skipped.
	 */
	bool strict;
};

/* The length of a file's name without its ".yaml", 0 if it does not end so. */
size_t tp_named_stem(const char *file_name);

/*
 * Lists all files, sorted by name, in heap memory that the caller frees. On failure NULL and 0:
 * TP_IO where the kind is strict.
 */
enum tp_status tp_named_list(const struct tp_named_kind *kind, struct tp_named_file **files,
			     size_t *n, struct tp_diag *diag);

/*
 * Finds the path of a file. The name is the first `len` bytes of `name` and holds no slash. On
 * false `out` is undefined.
 */
bool tp_named_find(const struct tp_named_kind *kind, const char *name, size_t len,
		   char out[TP_PATH_MAX]);

/* True for a name of a file; false for a path, which has a slash or the ending of the kind. */
bool tp_named_is_known(const struct tp_named_kind *kind, const char *typed);
/* The path that a user typed, or the file's with the name. TP_NOTFOUND lists the names. */
enum tp_status tp_named_locate(const struct tp_named_kind *kind, const char *typed,
			       char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * For an unknown name: the nearest existing one into `near`, "" if none is near, and all names into
 * `all`, "a, b or c" (NULL: not wanted). `extra` is one more name, or NULL.
 */
void tp_named_guess(const struct tp_named_kind *kind, const char *typed, const char *extra,
		    char near[TP_NAME_MAX], struct tp_str *all);

#endif
