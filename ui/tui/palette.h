/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A box that finds anything by a few letters: screens, what keys do here, options, presets, runs,
 * examples, lessons, help. Nothing is read before it opens.
 */
#ifndef TPROF_TUI_PALETTE_H
#define TPROF_TUI_PALETTE_H

#include "ui/tui/keys.h"
#include "ui/tui/widgets/picker.h"

struct tp_app;

/* Zero-initialise; release at the end. */
struct tp_palette {
	bool open;
	struct tp_picker picker;
};

/* `idle`: whether an action does nothing here; those are left out. */
void tp_palette_open(struct tp_app *app, bool (*idle)(const struct tp_app *app, size_t action));
/* The same box with the example runs only. */
void tp_palette_open_examples(struct tp_app *app);
void tp_palette_release(struct tp_palette *palette);

/* While it is open; returns the action that was chosen, NONE for none. */
enum tp_action tp_palette_key(struct tp_app *app, uint32_t code);
enum tp_action tp_palette_mouse(struct tp_app *app, struct tp_area area,
				const struct tp_input *input);

#endif
