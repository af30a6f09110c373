/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets by name: the user's own before the shipped ones. */
#include "preset/preset.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "preset/reader.h"
#include "preset/text.h"

static const char suffix[] = ".yaml";

/* Where presets are looked for; the first that has a name wins. */
static enum tp_status (*const directories[])(const char *, char *, struct tp_diag *) = {
	tp_path_user_config,
	tp_path_user_data,
	tp_path_data,
};

struct entries {
	struct tp_preset_entry *items;
	size_t n, cap;
};

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

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

/* The text after the '#' of the first line, or "". */
static void first_comment(const char *text, char *out, size_t size)
{
	size_t len = strcspn(text, "\n");
	if (*text != '#') {
		out[0] = '\0';
		return;
	}
	while (len && (*text == '#' || *text == ' ')) {
		text++;
		len--;
	}
	tp_shown(out, size, text, len);
}

/* Only the title is wanted, so errors of the file are not told here. */
static void read_title(struct tp_preset_entry *entry)
{
	struct tp_arena arena = { 0 };
	struct tp_report unseen = { .name = entry->path };
	struct tp_diags ignored = { 0 };
	struct tp_node *root = NULL;
	char *text = NULL;
	size_t len = 0;
	if (tp_file_read(entry->path, TP_PRESET_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return;
	first_comment(text, entry->title, sizeof(entry->title));
	if (tp_yaml_read(text, len, &arena, &root, &unseen) == TP_OK && root &&
	    root->kind == TP_NODE_MAPPING)
		for (const struct tp_node *key = root->first; key; key = key->next) {
			const struct tp_node *value = key->value;
			if (strcmp(key->text, "notes") != 0 || !value ||
			    value->kind != TP_NODE_SCALAR || tp_node_is_null(value))
				continue;
			const char *start = value->text;
			size_t n = strlen(start);
			tp_trim(&start, &n);
			tp_shown(entry->title, sizeof(entry->title), start,
				 TP_MIN(n, strcspn(start, "\n")));
		}
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

static enum tp_status read_directory(const char *directory, struct entries *entries)
{
	enum tp_status status = TP_OK;
	DIR *dir = opendir(directory);
	if (!dir)
		return TP_OK;
	for (struct dirent *file; status == TP_OK && (file = readdir(dir));) {
		struct tp_preset_entry entry = { 0 };
		size_t stem = stem_length(file->d_name);
		if (!stem || stem >= sizeof(entry.name) || *file->d_name == '.')
			continue;
		memcpy(entry.name, file->d_name, stem);
		int n = snprintf(entry.path, sizeof(entry.path), "%s/%s", directory, file->d_name);
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
	const struct tp_preset_entry *x = a, *y = b;
	return strcmp(x->name, y->name);
}

enum tp_status tp_preset_entries(struct tp_preset_entry **entries, size_t *n, struct tp_diag *diag)
{
	struct entries found = { 0 };
	char directory[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < TP_COUNT_OF(directories) && status == TP_OK; i++)
		if (directories[i]("presets", directory, NULL) == TP_OK)
			status = read_directory(directory, &found);
	if (status != TP_OK) {
		free(found.items);
		return tp_fail(diag, status, "presets", NULL, "%s", tp_status_name(status));
	}
	if (found.n)
		qsort(found.items, found.n, sizeof(*found.items), by_name);
	*entries = found.items;
	*n = found.n;
	return TP_OK;
}

/* <directory>/<name>.yaml if it is there. */
static bool look_in(const char *directory, const char *name, size_t len, char out[TP_PATH_MAX])
{
	int n = snprintf(out, TP_PATH_MAX, "%s/%.*s%s", directory, (int)len, name, suffix);
	return n > 0 && n < TP_PATH_MAX && is_file(out);
}

static enum tp_status not_found(const char *typed, struct tp_diag *diag)
{
	struct tp_preset_entry *entries = NULL;
	const char *near = NULL, **names;
	char shown[128], hint[256];
	size_t n = 0;
	if (tp_preset_entries(&entries, &n, NULL) == TP_OK && n &&
	    (names = malloc(n * sizeof(*names)))) {
		for (size_t i = 0; i < n; i++)
			names[i] = entries[i].name;
		near = tp_nearest(typed, names, n);
		free(names);
	}
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s? see --list presets", near);
	else
		snprintf(hint, sizeof(hint), "give a path or a name of --list presets");
	free(entries);
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "%s",
		       is_directory(typed) ? "a directory, and no preset has that name"
					   : "no such file, and no preset has that name");
}

enum tp_status tp_preset_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	size_t len = stem_length(typed);
	if (!len)
		len = strlen(typed);
	if (is_file(typed)) {
		if (!tp_copy(out, TP_PATH_MAX, typed))
			return tp_fail(diag, TP_USAGE, NULL, NULL, "path too long");
		return TP_OK;
	}
	/* a name is no way out of the preset directories */
	bool name = len && len < sizeof(((struct tp_preset_entry *)0)->name) && !strchr(typed, '/');
	for (size_t i = 0; i < TP_COUNT_OF(directories) && name; i++)
		if (directories[i]("presets", directory, NULL) == TP_OK &&
		    look_in(directory, typed, len, out))
			return TP_OK;
	return not_found(typed, diag);
}
