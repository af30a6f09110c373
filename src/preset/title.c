/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/reader.h"

#include <stdlib.h>

void tp_title_read(const char *path, char *out, size_t size,
		   void (*take)(const char *text, const struct tp_node *root, char *out,
				size_t size))
{
	struct tp_arena arena = { 0 };
	struct tp_report unseen = { .name = path };
	struct tp_diags ignored = { 0 };
	struct tp_node *root = NULL;
	char *text = NULL;
	size_t len = 0;
	if (tp_file_read(path, TP_PRESET_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return;
	bool good = tp_yaml_read(text, len, &arena, &root, &unseen) == TP_OK && root &&
		    root->kind == TP_NODE_MAPPING;
	take(text, good ? root : NULL, out, size);
	tp_report_flush(&unseen, &ignored);
	tp_diags_release(&ignored);
	tp_arena_release(&arena);
	free(text);
}
