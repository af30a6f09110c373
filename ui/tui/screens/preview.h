/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stored run in a few lines: where and how it was measured, and what came out. Kept for the runs
 * that were looked at last.
 */
#ifndef TPROF_TUI_PREVIEW_H
#define TPROF_TUI_PREVIEW_H

#include "record/run.h"
#include "ui/tui/widgets/doc.h"

enum { TP_PREVIEWS = 8 };

struct tp_previews {
	struct tp_preview {
		char path[TP_PATH_MAX];
		struct tp_run run;
		bool broken;
		char why[512]; /* it could not be read */
		unsigned long used; /* when, counted in looks */
	} items[TP_PREVIEWS];
	size_t n;
	unsigned long looks;
	struct tp_doc doc; /* of what was asked for last */
	char of[TP_PATH_MAX];
	int columns;
};

void tp_previews_release(struct tp_previews *previews);
/* The run may have changed. */
void tp_previews_forget(struct tp_previews *previews, const char *path);
/* True if the run is there without reading a file. */
bool tp_previews_has(const struct tp_previews *previews, const char *path);
/* Reads the run: for `work`. */
void tp_previews_read(struct tp_previews *previews, const char *path);
/* The lines for a width; NULL while the run was not read. Reads no file. */
const struct tp_doc *tp_previews_doc(struct tp_previews *previews, const char *path, int columns);

#endif
