/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Setup screen between its files: what is done to the form (screen_setup.c) and to what lies over it (setup_over.c), how it looks
 * (setup_paint.c), and what it tells besides the rows of options (setup_detail.c). Private to them.
 */
#ifndef TPROF_TUI_SETUP_H
#define TPROF_TUI_SETUP_H

#include "ui/tui/app.h"
#include "ui/tui/field.h"
#include "ui/tui/form.h"
#include "ui/tui/picker.h"

/* What lies over the form and has the keys. */
enum tp_setup_mode {
	TP_SETUP_FORM,
	TP_SETUP_CHOOSE, /* values of an option */
	TP_SETUP_TYPE, /* a value of an option */
	TP_SETUP_FIND,
	TP_SETUP_PRESETS, /* presets to load */
	TP_SETUP_PATH, /* of a preset to load */
	TP_SETUP_SAVE,
	TP_SETUP_TELL /* errors of a preset */
};

struct tp_setup {
	struct tp_form form;
	enum tp_setup_mode mode;
	enum tp_option_id editing; /* CHOOSE, TYPE */
	struct tp_picker picker;
	struct tp_field field;
	struct tp_diag field_diag; /* what is wrong with what is typed; `what` empty: nothing */
	struct tp_diags told; /* TELL */
	size_t told_first;
	size_t top; /* first row of the form that is in sight */
	struct tp_named_file *entries; /* PRESETS */
	size_t n_entries;
	char wanted[TP_PATH_MAX]; /* the file a question is about */
	bool start_when_over; /* a run is being stopped for the next one */
	double settle_seconds; /* what planning took the last time */
};

static inline struct tp_setup *tp_setup_of(struct tp_app *app)
{
	return app->state[TP_SCREEN_SETUP];
}

/* screen_setup.c: the form was changed. Plans anew at once or, where that takes long, when no key is left to take. */
void tp_setup_changed(struct tp_app *app, struct tp_setup *setup);

/* setup_over.c: opens what lies over the form by setting the mode; values are those of the selected option. */
void tp_setup_over_value(struct tp_setup *setup);
void tp_setup_over_find(struct tp_setup *setup);
void tp_setup_over_presets(struct tp_app *app, struct tp_setup *setup);
void tp_setup_over_save(struct tp_setup *setup);
/* Keys and mouse while the mode is not FORM. */
void tp_setup_over_key(struct tp_app *app, struct tp_setup *setup, uint32_t code);
void tp_setup_over_mouse(struct tp_app *app, struct tp_setup *setup, const struct tp_input *input,
			 struct tp_area area);

/* Where the parts stand; the mouse has to know as well. */
struct tp_setup_places {
	struct tp_area head, runs, rows, detail, plan, points;
	bool wide; /* detail and plan stand beside the rows */
	int value_column, note_column; /* in rows */
};
struct tp_setup_places tp_setup_places(const struct tp_setup *setup, struct tp_area area);
/* The run whose name stands at a column of the row of runs; n_runs for none. */
size_t tp_setup_run_at(const struct tp_setup *setup, int column);

/* setup_paint.c: the whole screen. */
void tp_setup_paint(struct tp_app *app, struct tp_setup *setup, struct tp_area area);
/* Whether Left and Right step through the values of the option. */
bool tp_setup_can_step(const struct tp_form *form, enum tp_option_id id);

/* setup_detail.c: each paints into its place; plan and points nothing where they have none. */
void tp_setup_paint_detail(const struct tp_app *app, const struct tp_setup *setup,
			   const struct tp_setup_places *places);
void tp_setup_paint_plan(const struct tp_app *app, const struct tp_setup *setup,
			 const struct tp_setup_places *places);
void tp_setup_paint_points(const struct tp_setup *setup, const struct tp_setup_places *places);

#endif
