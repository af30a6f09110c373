/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/consent.h"

#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "ui/tui/app.h"

void tp_consent_release(struct tp_consent *consent)
{
	tp_diags_release(&consent->code);
	*consent = (struct tp_consent){ 0 };
}

/* Nobody agrees to what is not shown: pieces that were cut, and those that a list does not hold. */
static const struct tp_diag *hidden(const struct tp_diags *code)
{
	for (size_t i = 0; i < code->n; i++) {
		size_t len = strlen(code->items[i].what), cut = strlen(TP_CODE_CUT);
		if (len >= cut && strcmp(code->items[i].what + len - cut, TP_CODE_CUT) == 0)
			return &code->items[i];
	}
	return code->n >= TP_DIAGS_MAX ? &code->items[0] : NULL;
}

static void ask(struct tp_app *app);

static void answer(struct tp_app *app, bool yes)
{
	struct tp_consent *consent = &app->consent;
	if (!yes) {
		tp_app_say(app, TP_UI_PLAIN, "nothing was run");
		return;
	}
	if (++consent->at < consent->code.n) {
		ask(app);
		return;
	}
	consent->given = true;
	consent->begin(app);
	consent->given = false;
}

static void ask(struct tp_app *app)
{
	struct tp_consent *consent = &app->consent;
	const struct tp_diag *piece = &consent->code.items[consent->at];
	size_t n = consent->code.n;
	int len = 0;
	if (n > 1)
		len = snprintf(consent->question, sizeof(consent->question),
			       "%zu of %zu: ", consent->at + 1, n);
	snprintf(consent->question + len, sizeof(consent->question) - (size_t)len,
		 "%s: %s. Run it?", piece->where, piece->what);
	tp_app_ask(app, consent->question, answer);
}

bool tp_consent_for(struct tp_app *app, const struct tp_preset *preset,
		    void (*begin)(struct tp_app *app))
{
	struct tp_consent *consent = &app->consent;
	if (app->options->allow_code || consent->given)
		return true;
	tp_diags_release(&consent->code);
	consent->at = 0;
	consent->begin = begin;
	if (!tp_session_code(preset, false, &consent->code))
		return true;
	const struct tp_diag *unseen = hidden(&consent->code);
	if (unseen)
		tp_app_say_diag(app, unseen);
	else
		ask(app);
	return false;
}
