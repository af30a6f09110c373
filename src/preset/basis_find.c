/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bases by name: the user's own before the shipped ones. */
#include "preset/basis.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "preset/reader.h"
#include "preset/text.h"

static const char suffix[] = ".yaml";

/* Where bases are looked for; the first that has a name wins. */
static const struct {
	enum tp_status (*find)(const char *, char *, struct tp_diag *);
	const char *relative;
} folders[] = {
	{ tp_path_user_data, "bases" },
	{ tp_path_data, "presets/bases" },
};

struct entries {
	struct tp_basis_entry *items;
	size_t n, cap;
};

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The length of a name without ".yaml", 0 if it does not end so. */
static size_t stem_length(const char *name)
{
	size_t len = strlen(name), tail = sizeof(suffix) - 1;

	return len > tail && strcmp(name + len - tail, suffix) == 0 ? len - tail : 0;
}

enum tp_status tp_basis_load(struct tp_basis *basis, const char *path, struct tp_diags *diags)
{
	struct tp_diag diag;
	char *text = NULL;
	size_t len = 0;
	enum tp_status status = tp_file_read(path, TP_PRESET_MAX_BYTES, &text, &len, &diag);

	*basis = (struct tp_basis){ 0 };
	if (status)
		tp_diags_add(diags, &diag);
	else
		status = tp_basis_parse(basis, path, text, len, diags);
	free(text);
	return status;
}

/* Only the title is wanted: what is wrong with a file is told when it is used. */
static void read_title(struct tp_basis_entry *entry)
{
	struct tp_arena arena = { 0 };
	struct tp_report unseen = { .name = entry->path };
	struct tp_diags ignored = { 0 };
	struct tp_node *root = NULL;
	char *text = NULL;
	size_t len = 0;

	if (tp_file_read(entry->path, TP_PRESET_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return;
	if (tp_yaml_read(text, len, &arena, &root, &unseen) == TP_OK && root &&
	    root->kind == TP_NODE_MAPPING)
		for (const struct tp_node *key = root->first; key; key = key->next)
			if (strcmp(key->text, "title") == 0 && key->value &&
			    key->value->kind == TP_NODE_SCALAR)
				tp_shown(entry->title, sizeof(entry->title), key->value->text,
					 key->value->len);
	tp_report_flush(&unseen, &ignored);
	tp_diags_release(&ignored);
	tp_arena_release(&arena);
	free(text);
}

static bool is_known(const struct entries *entries, const char *name)
{
	for (size_t i = 0; i < entries->n; i++)
		if (strcmp(entries->items[i].name, name) == 0)
			return true;
	return false;
}

static enum tp_status read_folder(const char *folder, struct entries *entries)
{
	enum tp_status status = TP_OK;
	DIR *dir = opendir(folder);

	if (!dir)
		return TP_OK;
	for (struct dirent *file; status == TP_OK && (file = readdir(dir));) {
		struct tp_basis_entry entry = { 0 };
		size_t stem = stem_length(file->d_name);
		int n;

		if (!stem || stem >= sizeof(entry.name) || *file->d_name == '.')
			continue;
		memcpy(entry.name, file->d_name, stem);
		n = snprintf(entry.path, sizeof(entry.path), "%s/%s", folder, file->d_name);
		if (n < 0 || (size_t)n >= sizeof(entry.path) || !is_file(entry.path) ||
		    is_known(entries, entry.name))
			continue;
		read_title(&entry);
		status = tp_vec_reserve((void **)&entries->items, &entries->cap, entries->n + 1,
					sizeof(entry));
		if (status == TP_OK)
			entries->items[entries->n++] = entry;
	}
	closedir(dir);
	return status;
}

static int by_name(const void *a, const void *b)
{
	const struct tp_basis_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

enum tp_status tp_basis_entries(struct tp_basis_entry **entries, size_t *n, struct tp_diag *diag)
{
	struct entries found = { 0 };
	char folder[TP_PATH_MAX];
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < TP_COUNT_OF(folders) && status == TP_OK; i++)
		if (folders[i].find(folders[i].relative, folder, NULL) == TP_OK)
			status = read_folder(folder, &found);
	if (status != TP_OK) {
		free(found.items);
		return tp_fail(diag, status, "bases", NULL, "%s", tp_status_name(status));
	}
	if (found.n)
		qsort(found.items, found.n, sizeof(*found.items), by_name);
	*entries = found.items;
	*n = found.n;
	return TP_OK;
}

static enum tp_status not_found(const char *typed, struct tp_diags *diags)
{
	struct tp_basis_entry *entries = NULL;
	struct tp_str known = { 0 };
	const char *near = NULL, **names = NULL;
	char shown[128], hint[256];
	struct tp_diag diag;
	size_t n = 0;

	if (tp_basis_entries(&entries, &n, NULL) == TP_OK && n &&
	    (names = malloc(n * sizeof(*names)))) {
		for (size_t i = 0; i < n; i++)
			names[i] = entries[i].name;
		near = tp_nearest(typed, names, n);
		tp_str_list(&known, names, n, " or ");
	}
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s?", near);
	else
		snprintf(hint, sizeof(hint), "give a path, or one of %.200s", tp_str_text(&known));
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	tp_fail(&diag, TP_NOTFOUND, shown, hint, "no basis has that name");
	tp_diags_add(diags, &diag);
	tp_str_release(&known);
	free(names);
	free(entries);
	return TP_NOTFOUND;
}

enum tp_status tp_basis_find(struct tp_basis *basis, const char *name, struct tp_diags *diags)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX];

	*basis = (struct tp_basis){ 0 };
	if (strchr(name, '/') || stem_length(name))
		return tp_basis_load(basis, name, diags);
	for (size_t i = 0; i < TP_COUNT_OF(folders) && *name; i++) {
		int n;

		if (folders[i].find(folders[i].relative, folder, NULL) != TP_OK)
			continue;
		n = snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
		if (n > 0 && (size_t)n < sizeof(path) && is_file(path))
			return tp_basis_load(basis, path, diags);
	}
	return not_found(name, diags);
}
