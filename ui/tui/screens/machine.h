/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Machine finds out about this machine, for Home. */
#ifndef TPROF_UI_TUI_SCREENS_MACHINE_H
#define TPROF_UI_TUI_SCREENS_MACHINE_H

#include "machine/health.h"
#include "ui/tui/app.h"
#include "ui/tui/widgets/doc.h"

/* As tp_screen.work: the doctor's examination, then the search for measured caches. */
double tp_machine_survey(struct tp_app *app);
/* The doctor in a line, "2 warnings: ..." with the worst of them, or what it waits for. */
enum tp_role tp_machine_health(const struct tp_app *app, char *out, size_t size);
/* "2 warnings, 1 note"; the role of the worst. */
enum tp_role tp_machine_findings_summary(const struct tp_finding *findings, size_t n, char *out,
					 size_t size);
/* In place of all: the caches, and the key that takes what was measured of them. */
void tp_machine_caches(struct tp_doc *doc, const struct tp_session *session,
		       const struct tp_found *found, const struct tp_look *look);
/* To Machine, on the doctor or on the topology. */
void tp_machine_go(struct tp_app *app, bool doctor);

#endif
