/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of the Machine screen that take time: the models, the newest stored run with measured
 * caches of this machine, the findings of the doctor. They are gathered in slices between two
 * paintings.
 */
#ifndef TPROF_TUI_MACHINE_SURVEY_H
#define TPROF_TUI_MACHINE_SURVEY_H

#include "base/named.h"
#include "session/learned.h"
#include "session/session.h"
#include "machine/health.h"
#include "ui/tui/screens/machine_docs.h"

enum { TP_SURVEY_MODELS_MAX = 64, TP_SURVEY_FINDINGS_MAX = 64 };

enum tp_examination { TP_EXAMINATION_DUE, TP_EXAMINATION_SAMPLING, TP_EXAMINATION_DONE };

/* Zero-initialise, and set `found`. */
struct tp_machine_survey {
	/* Models */
	struct tp_known_model models[TP_SURVEY_MODELS_MAX];
	struct tp_named_file *entries; /* NULL until they were listed */
	size_t n_models, n_entries;
	struct tp_found *found; /* measured caches; borrowed */
	/* Doctor */
	enum tp_examination examination;
	double sampled; /* when the first sample was taken */
	struct tp_machine here;
	struct tp_health health;
	struct tp_finding findings[TP_SURVEY_FINDINGS_MAX];
	size_t n_findings;
	char trouble[384]; /* why the doctor cannot examine anything */
};

/* The parts that a slice changed; bits. */
enum {
	TP_SURVEY_MODELS = 1 << 0,
	TP_SURVEY_CACHES = 1 << 1,
	TP_SURVEY_FINDINGS = 1 << 2,
};

/*
 * Works for a few milliseconds. Do not call it during a run, which it would disturb. *changed:
 * bits. Returns the seconds until it wants to go on, INFINITY when it is done.
 */
double tp_machine_survey_go_on(struct tp_machine_survey *survey, const struct tp_session *session,
			       unsigned *changed);
/* Lets the doctor examine the machine again. */
void tp_machine_survey_examine(struct tp_machine_survey *survey);
void tp_machine_survey_release(struct tp_machine_survey *survey);

#endif
