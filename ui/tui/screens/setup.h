/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Setup screen, for screens that set it up. */
#ifndef TPROF_UI_TUI_SCREENS_SETUP_H
#define TPROF_UI_TUI_SCREENS_SETUP_H

#include "session/learned.h"
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
	TP_SETUP_QUESTIONS, /* a list of questions, */
	TP_SETUP_PRESETS, /* of presets: for a question, or all */
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
	/* the error in the typed text; `what` is empty without one */
	struct tp_diag field_diag;
	struct tp_diags errors; /* ERRORS */
	struct tp_doc errors_text; /* made when it is painted */
	struct tp_list rows; /* of the form */
	char path[TP_PATH_MAX]; /* the file that a question is about */
	char offer[256]; /* what was found and could be used, in words; "" = nothing */
	/* what a question is about */
	struct tp_offer offers[TP_OFFERS_MAX];
	size_t n_offers;
	bool start_when_over; /* starts a run when the one under way has stopped */
	struct tp_doc points; /* of the plan, */
	uint64_t points_version; /* as of this app->setup_version */
	double settle_seconds; /* how long the last plan took */
};

static inline struct tp_setup *tp_setup_of(struct tp_app *app)
{
	return app->state[TP_SCREEN_SETUP];
}

/* Shows a preset, which becomes the screen's; what was set up before is gone. */
void tp_setup_take(struct tp_app *app, struct tp_preset *preset);

/* Plans again at once: another screen needs the machine and the plan. */
void tp_setup_settle(struct tp_app *app, struct tp_setup *setup);

/* Loads a preset by name or path into the form; false, with its errors shown, if it is wrong. */
bool tp_setup_load(struct tp_app *app, struct tp_setup *setup, const char *typed);
/* Shows Setup with it, after a question if changes would be lost. */
void tp_setup_ask_load(struct tp_app *app, const char *typed);

/* Values that other screens give to options of the Setup form. */

/* Sets an option as if it were typed in Setup, with a message. */
void tp_adopt(struct tp_app *app, const struct tp_option *option, const char *value);
/* Takes all that tp_offers offers, after a question. */
void tp_adopt_offers(struct tp_app *app);

#endif
