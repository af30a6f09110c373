/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine in sections of text. Every function clears its document and fills it for the width.
 */
#ifndef TPROF_UI_TUI_SCREENS_MACHINE_DOCS_H
#define TPROF_UI_TUI_SCREENS_MACHINE_DOCS_H

#include "machine/health.h"
#include "machine/machine.h"
#include "record/run.h"
#include "session/learned.h"
#include "ui/tui/widgets/doc.h"

/*
 * The topology as boxes in boxes, with the sizes of caches: reported, and measured by `measured`
 * (may be NULL).
 */
void tp_machine_boxes(struct tp_doc *doc, const struct tp_machine *machine,
		      const struct tp_run *measured, bool utf8, int columns);

void tp_machine_caches(struct tp_doc *doc, const struct tp_session *session,
		       const struct tp_found *found, const struct tp_look *look);
void tp_machine_isas(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_look *look);
/* Peaks for each core and cycle: of the model, and measured by `run` (may be NULL). */
void tp_machine_peaks(struct tp_doc *doc, const struct tp_model *model, const struct tp_run *run,
		      const char *from, const struct tp_look *look);
void tp_machine_environment(struct tp_doc *doc, const struct tp_machine *machine,
			    const struct tp_look *look);

struct tp_known_model {
	char name[48], title[96];
	struct tp_model *model; /* NULL: it cannot be read, and `title` says why */
	bool matches;
	bool alike; /* the machine looks like it, and none matches */
};
void tp_machine_models(struct tp_doc *doc, const struct tp_known_model *models, size_t n,
		       const char *used, const char *shown, bool utf8, int columns);
/* "2 warnings, 1 note"; the role of the worst. */
enum tp_role tp_machine_findings_summary(const struct tp_finding *findings, size_t n, char *out,
					 size_t size);

#endif
