/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that other screens give to options of the Setup form. */
#ifndef TPROF_TUI_ADOPT_H
#define TPROF_TUI_ADOPT_H

#include "ui/tui/app.h"

/* Sets an option as if it were typed in Setup, and says so. */
void tp_adopt(struct tp_app *app, const struct tp_option *option, const char *value);
/* Takes all that tp_offers offers. */
void tp_adopt_offers(struct tp_app *app);

#endif
