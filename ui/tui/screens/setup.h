/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the Setup screen: keys and mouse of the form (setup.c), the boxes over it
 * (setup_boxes.c), painting (setup_paint.c), the panes beside the options (setup_detail.c). Private
 * to them and to welcome.c.
 */
#ifndef TPROF_TUI_SETUP_H
#define TPROF_TUI_SETUP_H

#include "ui/tui/app.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/form.h"
#include "ui/tui/widgets/picker.h"
#include "ui/tui/widgets/text_field.h"

/* The box over the form, which gets the keys. */
enum tp_setup_mode {
	TP_SETUP_FORM,
	TP_SETUP_CHOOSE, /* a list of values of an option */
	TP_SETUP_TYPE, /* a field for a value of an option */
	TP_SETUP_FIND,
	TP_SETUP_PRESETS, /* a list of presets */
	TP_SETUP_PATH, /* a field for the path of a preset */
	TP_SETUP_SAVE,
	TP_SETUP_ERRORS /* errors of a preset */
};

struct tp_setup {
	struct tp_form form;
	enum tp_setup_mode mode;
	const struct tp_option *editing; /* CHOOSE, TYPE */
	struct tp_picker picker;
	struct tp_text_field field;
	/* the error in the typed text; `what` is empty if there is none */
	struct tp_diag field_diag;
	struct tp_diags errors; /* ERRORS */
	struct tp_doc errors_text; /* made when it is painted */
	struct tp_list errors_list;
	struct tp_list rows; /* of the form */
	struct tp_named_file *entries; /* PRESETS */
	size_t n_entries;
	char path[TP_PATH_MAX]; /* the file that a question is about */
	char offer[256]; /* what was found and could be used, in words; "" = nothing */
	bool start_when_over; /* starts a run when the one under way has stopped */
	struct tp_list points; /* lines of the plan, where it has the screen for itself */
	double settle_seconds; /* how long the last plan took */
};

static inline struct tp_setup *tp_setup_of(struct tp_app *app)
{
	return app->state[TP_SCREEN_SETUP];
}

/* setup.c: shows a preset, which becomes the screen's; what was set up before is gone. */
void tp_setup_take(struct tp_app *app, struct tp_preset *preset);
/*
 * setup.c: call it after a change. Plans anew, at once if that is fast, else when no key is
 * waiting.
 */
void tp_setup_changed(struct tp_app *app, struct tp_setup *setup);
/* Plans anew at once: another screen needs the machine and the plan. */
void tp_setup_settle(struct tp_app *app, struct tp_setup *setup);

/* setup_boxes.c: opens a box. tp_setup_choose_value is for the selected option. */
void tp_setup_choose_value(struct tp_setup *setup);
void tp_setup_find(struct tp_setup *setup);
void tp_setup_choose_preset(struct tp_app *app, struct tp_setup *setup);
/* A preset by name or path into the form; false, and its errors are shown, where it is wrong. */
bool tp_setup_load(struct tp_app *app, struct tp_setup *setup, const char *typed);
void tp_setup_ask_save(struct tp_setup *setup);
/* Keys and mouse while a box is open. */
void tp_setup_box_key(struct tp_app *app, struct tp_setup *setup, uint32_t code);
void tp_setup_box_mouse(struct tp_app *app, struct tp_setup *setup, const struct tp_input *input,
			struct tp_area area);

/* The places of the parts, for painting and for the mouse. */
struct tp_setup_places {
	struct tp_area head, offer, runs, rows, detail, plan, points;
	bool wide; /* detail and plan are beside the rows */
	int value_column, note_column; /* in rows */
};
struct tp_setup_places tp_setup_places(const struct tp_setup *setup, struct tp_area area);
/* The run whose name is at a column of the row of runs; n_runs for none. */
size_t tp_setup_run_at(const struct tp_setup *setup, int column);

/* setup_paint.c: the whole screen. */
void tp_setup_paint(struct tp_app *app, struct tp_setup *setup, struct tp_area area);
/* Whether Left and Right step through the values of the option. */
bool tp_setup_can_step(const struct tp_form *form, const struct tp_option *id);

/* setup_detail.c: each paints into its place, or nothing if it has none. */
void tp_setup_paint_detail(const struct tp_app *app, const struct tp_setup *setup,
			   const struct tp_setup_places *places);
void tp_setup_paint_plan(const struct tp_app *app, const struct tp_setup *setup,
			 const struct tp_setup_places *places);
void tp_setup_paint_points(const struct tp_setup *setup, const struct tp_setup_places *places);
/* The plan and its points alone, where they have no room beside the options. */
int tp_setup_parts(const struct tp_app *app, const void *state, struct tp_area area);
void tp_setup_paint_alone(const struct tp_app *app, struct tp_setup *setup, struct tp_area area);

#endif
