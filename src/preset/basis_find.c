/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bases by name: the user's own before the shipped ones. */
#include "preset/basis.h"

#include <stdlib.h>
#include <string.h>

#include "base/named.h"
#include "base/str.h"
#include "preset/reader.h"
#include "base/text.h"

const struct tp_yaml_kind tp_basis_yaml = {
	.files = "bases",
	.one = "a basis",
	.share = "write the values out",
	.type = "leave it out: the key knows its type",
	.several = "several families are several files",
	.form = "see tprof-basis(5) for the form of a basis",
	.too_long = "is this a basis?",
};

enum tp_status tp_basis_load(struct tp_basis *basis, const char *path, struct tp_diags *diags)
{
	struct tp_diag diag;
	char *text = NULL;
	size_t len = 0;
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);

	*basis = (struct tp_basis){ 0 };
	if (status)
		tp_diags_add(diags, &diag);
	else
		status = tp_basis_parse(basis, path, text, len, diags);
	free(text);
	return status;
}

static void take_title(const char *text, const struct tp_node *root, char *out, size_t size)
{
	(void)text;
	for (const struct tp_node *key = root ? root->first : NULL; key; key = key->next)
		if (strcmp(key->text, "title") == 0 && key->value &&
		    key->value->kind == TP_NODE_SCALAR)
			tp_shown(out, size, key->value->text, key->value->len);
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &tp_basis_yaml, out, size, take_title);
}

static const struct tp_named_kind bases = {
	.what = "bases",
	.folders = { { tp_path_user_data, "bases" }, { tp_path_data, "presets/bases" } },
	.name_bytes = sizeof(((struct tp_basis *)0)->name),
	.title_bytes = 96, /* of a line in a list */
	.read_title = read_title,
};

enum tp_status tp_basis_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&bases, entries, n, diag);
}

static enum tp_status not_found(const char *typed, struct tp_diags *diags)
{
	struct tp_str known = { 0 };
	char shown[128], hint[256], near[TP_NAME_MAX];
	struct tp_diag diag;

	tp_named_guess(&bases, typed, NULL, near, &known);
	if (*near)
		snprintf(hint, sizeof(hint), "did you mean %s?", near);
	else
		snprintf(hint, sizeof(hint), "give a path, or one of %.200s", tp_str_text(&known));
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	tp_fail(&diag, TP_NOTFOUND, shown, hint, "no basis has that name");
	tp_diags_add(diags, &diag);
	tp_str_release(&known);
	return TP_NOTFOUND;
}

enum tp_status tp_basis_find(struct tp_basis *basis, const char *name, struct tp_diags *diags)
{
	char path[TP_PATH_MAX];

	*basis = (struct tp_basis){ 0 };
	if (strchr(name, '/') || tp_named_stem(name))
		return tp_basis_load(basis, name, diags);
	if (tp_named_find(&bases, name, strlen(name), path))
		return tp_basis_load(basis, path, diags);
	return not_found(name, diags);
}
