/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets by name: the user's own before the shipped ones. */
#include "preset/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/named.h"
#include "base/vec.h"
#include "preset/reader.h"
#include "base/text.h"

const struct tp_yaml_kind tp_preset_yaml = {
	.files = "presets",
	.one = "a preset",
	.share = "write shared values above runs:",
	.type = "leave it out: the option knows its type",
	.several = "several experiments go under runs:",
	.form = "see the section FILES of tprof-preset(5) for the form of a preset",
	.too_long = "is this a preset?",
};

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

static void take_title(const char *text, const struct tp_node *root, char *out, size_t size)
{
	first_comment(text, out, size);
	for (const struct tp_node *key = root ? root->first : NULL; key; key = key->next) {
		const struct tp_node *value = key->value;
		if (strcmp(key->text, "notes") != 0 || !value || value->kind != TP_NODE_SCALAR ||
		    tp_node_is_null(value))
			continue;
		const char *start = value->text;
		size_t n = strlen(start);
		tp_trim(&start, &n);
		tp_shown(out, size, start, TP_MIN(n, strcspn(start, "\n")));
	}
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &tp_preset_yaml, out, size, take_title);
}

static const struct tp_named_kind presets = {
	.what = "presets",
	.folders = { { tp_path_user_config, "presets" },
		     { tp_path_user_data, "presets" },
		     { tp_path_data, "presets" } },
	.name_bytes = sizeof(((struct tp_named_file *)0)->name),
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_title,
};

enum tp_status tp_preset_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&presets, entries, n, diag);
}

static enum tp_status not_found(const char *typed, struct tp_diag *diag)
{
	char shown[128], hint[256], near[TP_NAME_MAX];
	tp_named_guess(&presets, typed, NULL, near, NULL);
	if (*near)
		snprintf(hint, sizeof(hint), "did you mean %s? see --list presets", near);
	else
		snprintf(hint, sizeof(hint), "give a path or a name of --list presets");
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "%s",
		       tp_is_folder(typed) ? "a directory, and no preset has that name"
					   : "no such file, and no preset has that name");
}

enum tp_status tp_preset_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	size_t len = tp_named_stem(typed);
	if (!len)
		len = strlen(typed);
	if (tp_is_file(typed)) {
		if (!tp_copy(out, TP_PATH_MAX, typed))
			return tp_fail(diag, TP_USAGE, NULL, NULL, "path too long");
		return TP_OK;
	}
	/* a name must not lead out of the preset directories */
	bool name = len < presets.name_bytes && !strchr(typed, '/');
	return name && tp_named_find(&presets, typed, len, out) ? TP_OK : not_found(typed, diag);
}
