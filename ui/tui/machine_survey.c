/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/machine_survey.h"
#include "base/now.h"
#include "base/vec.h"
#include "kernels/arch.h"
#include "machine/knobs_held.h"
#include "record/entries.h"
#include "record/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The doctor compares two looks, so long apart. */
#define SAMPLE_SECONDS 0.2

/* A run with measured caches is looked for among so many of the newest. */
enum { RUNS_LOOKED_AT = 200 };

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

/* --- measured caches --- */

static bool is_of(const struct tp_run *run, const struct tp_machine *machine)
{
	const struct tp_fact *cpu = tp_run_fact(run, "machine.cpu"),
			     *host = tp_run_fact(run, "machine.hostname");
	return cpu && host && strcmp(cpu->text, machine->cpu_name) == 0 &&
	       strcmp(host->text, machine->hostname) == 0;
}

static bool has_capacity(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_plateaus; i++)
		if (run->plateaus[i].capacity_bytes && run->plateaus[i].gbps > 0 &&
		    run->plateaus[i].threads <= 1)
			return true;
	return false;
}

/* One stored run a call; true while there is more to do. */
static bool look_for_caches(struct tp_machine_survey *s, const struct tp_session *session,
			    unsigned *changed)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX + 256];
	struct tp_run run;
	if (s->looked || session->machine.foreign || s->measured_from[0])
		return false;
	if (tp_path_user_data("runs", folder, NULL) != TP_OK)
		return false;
	if (!s->names) {
		if (tp_run_names(folder, &s->names, &s->n_names, NULL) != TP_OK)
			s->n_names = 0;
		s->left = s->n_names;
	}
	if (s->left && s->n_names - s->left < RUNS_LOOKED_AT) {
		const char *name = s->names[--s->left];
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (tp_run_load_results(&run, path, NULL) == TP_OK) {
			if (is_of(&run, &session->machine) && has_capacity(&run)) {
				s->measured = run;
				tp_copy(s->measured_from, sizeof(s->measured_from), name);
				*changed |= TP_SURVEY_CACHES;
				s->left = 0;
			} else {
				tp_run_release(&run);
			}
		}
	} else {
		s->left = 0;
	}
	if (s->left)
		return true;
	tp_run_names_free(s->names, s->n_names);
	s->names = NULL;
	s->n_names = 0;
	s->looked = true;
	return false;
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
		return rest; /* and nothing else, it would be found */
	if (s->examination == TP_EXAMINATION_SAMPLING) {
		finish_examination(s);
		*changed |= TP_SURVEY_FINDINGS;
	}
	return look_for_caches(s, session, changed) ? 0 : INFINITY;
}

void tp_machine_survey_look_again(struct tp_machine_survey *s)
{
	if (!s->measured_from[0])
		s->looked = false;
}

void tp_machine_survey_release(struct tp_machine_survey *s)
{
	end_examination(s);
	for (size_t i = 0; i < s->n_models; i++)
		free(s->models[i].model);
	free(s->entries);
	tp_run_names_free(s->names, s->n_names);
	tp_run_release(&s->measured);
}
