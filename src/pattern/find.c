/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where patterns lie: the user's own folder first, then those that ship with tprof. */
#include "pattern/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/named.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/yaml.h"

static void take_summary(const char *text, const struct tp_node *root, char *out, size_t size)
{
	(void)text;
	for (const struct tp_node *key = root && root->kind == TP_NODE_MAPPING ? root->first : NULL;
	     key; key = key->next)
		if (tp_node_is(key, "summary") && key->value && key->value->kind == TP_NODE_SCALAR)
			tp_shown(out, size, key->value->text, key->value->len);
}

static void read_summary(const char *path, char *out, size_t size)
{
	static const struct tp_yaml_kind kind = { .files = "patterns", .one = "a pattern" };
	tp_yaml_title(path, &kind, out, size, take_summary);
}

static const struct tp_named_kind patterns = {
	.what = "patterns",
	.folders = { { tp_path_user_config, "patterns" },
		     { tp_path_user_data, "patterns" },
		     { tp_path_data, "presets/patterns" } },
	.name_bytes = TP_PATTERN_NAME_BYTES,
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_summary,
};

static bool is_path(const char *what)
{
	size_t len = strlen(what);
	return strchr(what, '/') || (len > 5 && strcmp(what + len - 5, ".yaml") == 0);
}

enum tp_status tp_pattern_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&patterns, files, n, diag);
}

bool tp_pattern_is_known(const char *what)
{
	char path[TP_PATH_MAX];
	return !is_path(what) && tp_named_find(&patterns, what, strlen(what), path);
}

static enum tp_status not_found(const char *what, struct tp_diag *diag)
{
	char near[TP_NAME_MAX], hint[TP_NAME_MAX + 80], shown[80];
	tp_named_guess(&patterns, what, NULL, near, NULL);
	snprintf(hint, sizeof(hint),
		 *near ? "did you mean %s? --list patterns shows all"
		       : "--list patterns shows all%s; a path ends in .yaml",
		 near);
	return tp_fail(diag, TP_NOTFOUND, "pattern", hint, "there is no pattern %s",
		       tp_shown(shown, sizeof(shown), what, strlen(what)));
}

enum tp_status tp_pattern_load(struct tp_pattern *pattern, struct tp_arena *arena, const char *what,
			       struct tp_diags *diags)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t len;
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	*pattern = (struct tp_pattern){ .summary = "" };
	if (is_path(what))
		tp_copy(path, sizeof(path), what);
	else if (!tp_named_find(&patterns, what, strlen(what), path))
		status = not_found(what, &diag);
	if (status == TP_OK)
		status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status = tp_pattern_parse(pattern, arena, path, text, len, diags);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t stem = tp_named_stem(name);
	snprintf(pattern->name, sizeof(pattern->name), "%.*s", (int)(stem ? stem : strlen(name)),
		 name);
	tp_clean(pattern->name, "");
	free(text);
	return status;
}
