/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/adopt.h"
#include "ui/tui/screens/setup.h"

#include <stdio.h>

void tp_adopt(struct tp_app *app, const struct tp_option *option, const char *value)
{
	struct tp_setup *s = tp_setup_of(app);
	struct tp_diag diag;
	if (tp_form_set(&s->form, option, value, &diag) != TP_OK) {
		tp_app_say_diag(app, &diag);
		return;
	}
	tp_setup_settle(app, s);
	tp_app_say(app, TP_UI_GOOD, "%s: %s from now on; Backspace on it in Setup takes it back",
		   option->key, value);
}

void tp_adopt_offers(struct tp_app *app)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	size_t n = tp_offers(&app->session, tp_found_run(&app->found), offers);
	if (!n)
		tp_app_say(app, TP_UI_PLAIN,
			   "nothing was found that differs; preset memcurve measures the caches");
	for (size_t i = 0; i < n; i++)
		tp_adopt(app, offers[i].option, offers[i].value);
	if (n < 2)
		return;
	char all[200];
	size_t at = 0;
	for (size_t i = 0; i < n && at < sizeof(all); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s: %s", i ? ", " : "",
				       offers[i].option->key, offers[i].value);
	tp_app_say(app, TP_UI_GOOD, "%s from now on", all);
}
