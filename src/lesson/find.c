/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lessons by name: the user's own before the shipped ones. */
#include "lesson/lesson_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

static const struct tp_node *value_of(const struct tp_node *root, const char *name)
{
	if (!root || root->kind != TP_NODE_MAPPING)
		return NULL;
	for (const struct tp_node *key = root->first; key; key = key->next)
		if (tp_node_is(key, name))
			return key->value;
	return NULL;
}

static void take_title(const char *text, const struct tp_node *root, char *out, size_t size)
{
	const struct tp_node *title = value_of(root, "title");
	(void)text;
	out[0] = '\0';
	if (title && title->kind == TP_NODE_SCALAR)
		tp_shown(out, size, title->text, title->len);
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &tp_lesson_yaml, out, size, take_title);
}

bool tp_lesson_is(const char *path)
{
	struct tp_faults unseen = { .name = path };
	struct tp_diags ignored = { 0 };
	struct tp_arena arena = { 0 };
	struct tp_node *root = NULL;
	char *text = NULL;
	size_t len = 0;
	if (tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return false;
	bool is = tp_yaml_read(text, len, &tp_lesson_yaml, &arena, &root, &unseen) == TP_OK &&
		  value_of(root, "lesson");
	tp_faults_flush(&unseen, &ignored);
	tp_diags_release(&ignored);
	tp_arena_release(&arena);
	free(text);
	return is;
}

static const struct tp_named_kind lessons = {
	.what = "lessons",
	.folders = { { tp_path_user_config, "presets/lessons" },
		     { tp_path_user_data, "presets/lessons" },
		     { tp_path_data, "presets/lessons" } },
	.name_bytes = sizeof(((struct tp_named_file *)0)->name),
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_title,
};

enum tp_status tp_lesson_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&lessons, entries, n, diag);
}

enum tp_status tp_lesson_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	static const char folder[] = "lessons/";
	const char *name = typed;
	char shown[128], hint[160], near[TP_NAME_MAX];
	if (tp_is_file(typed)) {
		if (!tp_copy(out, TP_PATH_MAX, typed))
			return tp_fail(diag, TP_USAGE, NULL, NULL, "path too long");
		return TP_OK;
	}
	if (strncmp(name, folder, strlen(folder)) == 0)
		name += strlen(folder);
	size_t len = tp_named_stem(name);
	if (!len)
		len = strlen(name);
	/* A name must not lead out of the folders of lessons. */
	if (len && len < lessons.name_bytes && !strchr(name, '/') &&
	    tp_named_find(&lessons, name, len, out))
		return TP_OK;
	tp_named_guess(&lessons, name, NULL, near, NULL);
	if (*near)
		snprintf(hint, sizeof(hint), "did you mean %s? see --list lessons", near);
	else
		snprintf(hint, sizeof(hint), "give a path or a name of --list lessons");
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "no such file, and no lesson has that name");
}
