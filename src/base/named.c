/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/named.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char suffix[] = ".yaml";

struct found {
	struct tp_named_file *items;
	size_t n, cap;
};

static size_t stem_of(const char *file_name, const char *ending)
{
	size_t len = strlen(file_name), tail = strlen(ending);
	return len > tail && strcmp(file_name + len - tail, ending) == 0 ? len - tail : 0;
}

size_t tp_named_stem(const char *file_name)
{
	return stem_of(file_name, suffix);
}

static const char *ending_of(const struct tp_named_kind *kind)
{
	return kind->ending ? kind->ending : suffix;
}

static bool is_known(const struct found *found, const char *name)
{
	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->items[i].name, name) == 0)
			return true;
	return false;
}

static void add_file(const struct tp_named_kind *kind, const char *folder, const char *file_name,
		     struct found *found)
{
	struct tp_named_file file = { 0 };
	size_t stem = stem_of(file_name, ending_of(kind));
	if (!stem || stem >= kind->name_bytes || *file_name == '.')
		return;
	memcpy(file.name, file_name, stem);
	int n = snprintf(file.path, sizeof(file.path), "%s/%s", folder, file_name);
	if (n < 0 || (size_t)n >= sizeof(file.path) || is_known(found, file.name) ||
	    (!kind->strict && !tp_is_file(file.path)))
		return;
	if (kind->read_title)
		kind->read_title(file.path, file.title, kind->title_bytes);
	TP_RESERVE(found->items, found->cap, found->n + 1);
	found->items[found->n++] = file;
}

static enum tp_status read_folder(const struct tp_named_kind *kind, const char *folder,
				  struct found *found, struct tp_diag *diag)
{
	DIR *dir = opendir(folder);
	if (!dir && kind->strict && errno != ENOENT)
		return tp_fail(diag, TP_IO, folder, NULL, "cannot read the directory: %s",
			       strerror(errno));
	if (!dir)
		return TP_OK;
	for (struct dirent *file; (file = readdir(dir));)
		add_file(kind, folder, file->d_name, found);
	closedir(dir);
	return TP_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct tp_named_file *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* The path of a folder of this kind, if there is one for this user. */
static bool folder_path(const struct tp_named_folder *folder, char out[TP_PATH_MAX])
{
	return folder->path && folder->path(folder->relative, out, NULL) == TP_OK;
}

enum tp_status tp_named_list(const struct tp_named_kind *kind, struct tp_named_file **files,
			     size_t *n, struct tp_diag *diag)
{
	struct found found = { 0 };
	char folder[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	*files = NULL;
	*n = 0;
	for (size_t i = 0; i < TP_NAMED_FOLDERS && status == TP_OK; i++)
		if (folder_path(&kind->folders[i], folder))
			status = read_folder(kind, folder, &found, diag);
	if (status != TP_OK) {
		free(found.items);
		return status;
	}
	if (found.n)
		qsort(found.items, found.n, sizeof(*found.items), by_name);
	*files = found.items;
	*n = found.n;
	return TP_OK;
}

bool tp_named_find(const struct tp_named_kind *kind, const char *name, size_t len,
		   char out[TP_PATH_MAX])
{
	char folder[TP_PATH_MAX];
	for (size_t i = 0; i < TP_NAMED_FOLDERS && len; i++) {
		if (!folder_path(&kind->folders[i], folder))
			continue;
		int n = snprintf(out, TP_PATH_MAX, "%s/%.*s%s", folder, (int)len, name,
				 ending_of(kind));
		if (n > 0 && n < TP_PATH_MAX && tp_is_file(out))
			return true;
	}
	return false;
}

void tp_named_guess(const struct tp_named_kind *kind, const char *typed, const char *extra,
		    char near[TP_NAME_MAX], struct tp_str *all)
{
	struct tp_named_kind untitled = *kind;
	struct tp_named_file *files;
	size_t n;
	untitled.read_title = NULL;
	near[0] = '\0';
	if (tp_named_list(&untitled, &files, &n, NULL) != TP_OK)
		return;
	const char **names = tp_alloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = files[i].name;
	if (extra)
		names[n++] = extra;
	const char *found = tp_nearest(typed, names, n);
	if (found)
		tp_copy(near, TP_NAME_MAX, found);
	if (all)
		tp_str_list(all, names, n, " or ");
	free(names);
	free(files);
}

static bool is_path(const struct tp_named_kind *kind, const char *typed)
{
	return strchr(typed, '/') || stem_of(typed, ending_of(kind));
}

bool tp_named_is_known(const struct tp_named_kind *kind, const char *typed)
{
	char path[TP_PATH_MAX];
	return !is_path(kind, typed) && tp_named_find(kind, typed, strlen(typed), path);
}

enum tp_status tp_named_locate(const struct tp_named_kind *kind, const char *typed,
			       char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char near[TP_NAME_MAX], shown[80];
	TP_STR names = { 0 }, hint = { 0 };
	if (is_path(kind, typed))
		return tp_copy(out, TP_PATH_MAX, typed)
			       ? TP_OK
			       : tp_fail(diag, TP_USAGE, kind->one, NULL, "path too long");
	if (tp_named_find(kind, typed, strlen(typed), out))
		return TP_OK;
	tp_named_guess(kind, typed, NULL, near, &names);
	if (*near)
		tp_str_printf(&hint, "did you mean %s?", near);
	else
		tp_str_printf(&hint, "one of %s; or a path that ends in %s", tp_str_text(&names),
			      ending_of(kind));
	return tp_fail(diag, TP_NOTFOUND, kind->one, tp_str_text(&hint), "there is no %s %s",
		       kind->one, tp_shown(shown, sizeof(shown), typed, strlen(typed)));
}
