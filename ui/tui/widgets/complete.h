/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of files that complete the word before the cursor of a field with a command. */
#ifndef TPROF_UI_TUI_WIDGETS_COMPLETE_H
#define TPROF_UI_TUI_WIDGETS_COMPLETE_H

#include "ui/tui/widgets/text_field.h"

enum { TP_COMPLETIONS_MAX = 500 };

/* Zero-initialise; release. */
struct tp_completion {
	struct tp_completion_file {
		char *path; /* as written in the command; owned */
		bool folder, program;
	} * files; /* folders and programs first, then by name */
	size_t n, cap;
	size_t from; /* byte of the field where the word begins */
};

/*
 * Finds the files that the word can become, in the folder that it names, and extends it by their
 * common prefix. The first word of a command is a program: other files only if there is none.
 * Returns whether the field changed.
 */
bool tp_complete(struct tp_completion *completion, struct tp_text_field *field);
/* Puts file `i` in place of the word. */
void tp_complete_take(const struct tp_completion *completion, size_t i,
		      struct tp_text_field *field);
void tp_completion_release(struct tp_completion *completion);

#endif
