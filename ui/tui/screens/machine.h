/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Machine finds out about this machine, for Home. */
#ifndef TPROF_UI_TUI_SCREENS_MACHINE_H
#define TPROF_UI_TUI_SCREENS_MACHINE_H

#include "ui/tui/app.h"

/* As tp_screen.work: the doctor's examination, then the search for measured caches. */
double tp_machine_survey(struct tp_app *app);
/* The doctor in a line, "2 warnings: ..." with the worst of them, or what it waits for. */
enum tp_role tp_machine_health(const struct tp_app *app, char *out, size_t size);
/* To Machine, on the doctor or on the topology. */
void tp_machine_go(struct tp_app *app, bool doctor);

#endif
