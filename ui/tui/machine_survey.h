/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the Machine screen has to read or to measure: the models there are, the newest stored run that tells the caches of this machine, and
 * what the doctor finds. Learnt in slices between two paintings. Nothing of the screen in here.
 */
#ifndef TPROF_TUI_MACHINE_SURVEY_H
#define TPROF_TUI_MACHINE_SURVEY_H

#include "base/named.h"
#include "cli/cli.h"
#include "machine/health.h"
#include "record/run.h"
#include "ui/tui/machine_docs.h"

enum { TP_SURVEY_MODELS_MAX = 64, TP_SURVEY_FINDINGS_MAX = 64 };

enum tp_examination { TP_EXAMINATION_DUE, TP_EXAMINATION_SAMPLING, TP_EXAMINATION_DONE };

/* Zero-initialise. */
struct tp_machine_survey {
	/* Models */
	struct tp_known_model models[TP_SURVEY_MODELS_MAX];
	struct tp_named_file *entries; /* NULL until they were listed */
	size_t n_models, n_entries;
	/* Measured caches: the newest run of this machine that has some. */
	char **names;
	size_t n_names, left; /* left to look at */
	bool looked;
	struct tp_run measured;
	char measured_from[256]; /* "" = there is none */
	/* Doctor */
	enum tp_examination examination;
	double sampled; /* when its first look was taken */
	struct tp_machine here;
	struct tp_health health;
	struct tp_finding findings[TP_SURVEY_FINDINGS_MAX];
	size_t n_findings;
	char trouble[384]; /* why nothing could be examined */
};

/* What a slice changed; bits. */
enum {
	TP_SURVEY_MODELS = 1 << 0,
	TP_SURVEY_CACHES = 1 << 1,
	TP_SURVEY_FINDINGS = 1 << 2,
};

/*
 * Goes on for a few milliseconds, not while anything is measured, for that would be measured too. *changed: bits. Returns the seconds until it
 * wants to go on, INFINITY when everything is known.
 */
double tp_machine_survey_go_on(struct tp_machine_survey *survey, const struct tp_session *session,
			       unsigned *changed);
/* The doctor looks again. */
void tp_machine_survey_examine(struct tp_machine_survey *survey);
/* Runs may have come in since: if none told the caches, they are looked through again. */
void tp_machine_survey_look_again(struct tp_machine_survey *survey);
void tp_machine_survey_release(struct tp_machine_survey *survey);

#endif
