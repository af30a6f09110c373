/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that a preset or a stored run names runs only with the word of the user: each piece is shown
 * and asked for before the run begins.
 */
#ifndef TPROF_TUI_CONSENT_H
#define TPROF_TUI_CONSENT_H

#include "base/file.h"
#include "preset/preset.h"

struct tp_app;

/* Zero-initialise; release at the end. */
struct tp_consent {
	struct tp_diags code; /* what would run, a piece each */
	size_t at; /* the piece that is asked for */
	char question[640];
	bool given; /* while what was asked for begins */
	void (*begin)(struct tp_app *app); /* once all pieces have the word */
	char run_path[TP_PATH_MAX]; /* of a stored run that is to go on */
};
void tp_consent_release(struct tp_consent *consent);

/*
 * True if the preset may run. False: the user is asked, and `begin` is called once all is allowed;
 * or a piece is too long to be shown, and the words say what allows it.
 */
bool tp_consent_for(struct tp_app *app, const struct tp_preset *preset,
		    void (*begin)(struct tp_app *app));

#endif
