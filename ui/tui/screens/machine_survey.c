/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/machine_survey.h"
#include "base/now.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "machine/knobs_held.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The doctor compares two samples, this far apart. */
#define SAMPLE_SECONDS 0.2

/* --- models --- */

static void load_model(struct tp_machine_survey *s, const struct tp_session *session)
{
	struct tp_known_model *known = &s->models[s->n_models];
	const struct tp_named_file *entry = &s->entries[s->n_models++];
	struct tp_diags diags = { 0 };
	*known = (struct tp_known_model){ .model = malloc(sizeof(*known->model)) };
	tp_copy(known->name, sizeof(known->name), entry->name);
	tp_copy(known->title, sizeof(known->title), entry->title);
	if (known->model && tp_model_load(known->model, entry->path, &diags) == TP_OK) {
		tp_copy(known->title, sizeof(known->title), known->model->title);
		known->matches = tp_model_matches(known->model, &session->cpu);
		known->alike = session->machine.model_found == TP_MODEL_LOOKS_LIKE &&
			       tp_model_looks_like(known->model, &session->machine);
	} else {
		tp_copy(known->title, sizeof(known->title),
			diags.n ? diags.items[0].what : "cannot be read");
		free(known->model);
		known->model = NULL;
	}
	tp_diags_release(&diags);
}

/* True while there is more to do. */
static bool load_models(struct tp_machine_survey *s, const struct tp_session *session)
{
	if (!s->entries) {
		size_t n = 0;
		if (tp_model_entries(&s->entries, &n, NULL) != TP_OK || !s->entries)
			return false;
		s->n_entries = TP_MIN(n, (size_t)TP_SURVEY_MODELS_MAX);
	}
	if (s->n_models < s->n_entries)
		load_model(s, session);
	return s->n_models < s->n_entries;
}

/* --- doctor --- */

static void end_examination(struct tp_machine_survey *s)
{
	if (s->examination == TP_EXAMINATION_SAMPLING) {
		tp_health_release(&s->health);
		tp_machine_release(&s->here);
	}
}

static void begin_examination(struct tp_machine_survey *s)
{
	struct tp_cpu cpu;
	struct tp_diag diag = { 0 };
	end_examination(s);
	tp_arch_identify(&cpu);
	s->examination = TP_EXAMINATION_DONE;
	s->n_findings = 0;
	s->trouble[0] = '\0';
	if (tp_machine_init(&s->here, &cpu, NULL, "detected", NULL, &diag) != TP_OK) {
		tp_copy(s->trouble, sizeof(s->trouble), diag.what);
		return;
	}
	tp_health_init(&s->health, &s->here, tp_knobs_sysroot());
	tp_health_look_first(&s->health);
	s->sampled = tp_now_seconds();
	s->examination = TP_EXAMINATION_SAMPLING;
}

static void finish_examination(struct tp_machine_survey *s)
{
	tp_health_look_again(&s->health);
	for (size_t i = 0; i < tp_health_count && s->n_findings < TP_SURVEY_FINDINGS_MAX; i++)
		if (tp_health_check(&s->health, i, &s->findings[s->n_findings]))
			s->n_findings++;
	end_examination(s);
	s->examination = TP_EXAMINATION_DONE;
}

void tp_machine_survey_examine(struct tp_machine_survey *s)
{
	end_examination(s);
	s->examination = TP_EXAMINATION_DUE;
}

/* --- all of it --- */

double tp_machine_survey_go_on(struct tp_machine_survey *s, const struct tp_session *session,
			       unsigned *changed)
{
	size_t n_models = s->n_models;
	*changed = 0;
	bool more = load_models(s, session);
	if (s->n_models != n_models)
		*changed |= TP_SURVEY_MODELS;
	if (more)
		return 0;
	if (s->examination == TP_EXAMINATION_DUE) {
		begin_examination(s);
		*changed |= TP_SURVEY_FINDINGS;
		return SAMPLE_SECONDS;
	}
	double rest = s->sampled + SAMPLE_SECONDS - tp_now_seconds();
	if (s->examination == TP_EXAMINATION_SAMPLING && rest > 0)
		return rest; /* nothing else meanwhile: the doctor would find it */
	if (s->examination == TP_EXAMINATION_SAMPLING) {
		finish_examination(s);
		*changed |= TP_SURVEY_FINDINGS;
	}
	bool found;
	more = tp_found_go_on(s->found, &session->machine, &found);
	*changed |= found ? TP_SURVEY_CACHES : 0;
	return more ? 0 : INFINITY;
}

void tp_machine_survey_release(struct tp_machine_survey *s)
{
	end_examination(s);
	for (size_t i = 0; i < s->n_models; i++)
		free(s->models[i].model);
	free(s->entries);
}
