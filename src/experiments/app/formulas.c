/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/run.h"
#include "base/str.h"
#include "base/memory.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/report.h"
#include "machine/machine.h"
#include "record/load.h"

#include <math.h>
#include <string.h>

/* Metrics of the shipped bases (presets/bases) that a program can be counted by. */
static const struct {
	const char *family, *symbol;
	unsigned gives;
} wanted[] = {
	{ "flops", "DP_OPS", TP_MIX_FLOPS_DP },
	{ "flops", "SP_OPS", TP_MIX_FLOPS_SP },
	{ "flops", "DP_INSTRS", TP_APP_FP_DP },
	{ "flops", "SP_INSTRS", TP_APP_FP_SP },
	{ "instructions", "LOAD_INS", TP_MIX_LOADS },
	{ "instructions", "STORE_INS", TP_MIX_STORES },
	{ "instructions", "INSTRUCTIONS", TP_MIX_INSTRUCTIONS },
	{ "instructions", "BR_INS", TP_MIX_BRANCHES },
};

void tp_app_found_release(struct tp_app_found *found)
{
	tp_arena_release(&found->arena);
	*found = (struct tp_app_found){ 0 };
}

/* "flops#2" is the same family, of another part of the preset. */
static bool is_family(const struct tp_class *class, const char *family)
{
	size_t n = strcspn(class->family, "#");
	return strlen(family) == n && strncmp(class->family, family, n) == 0;
}

static bool is_of_hardware(const struct tp_class *class)
{
	return class->source && strcmp(class->source, "papi") == 0;
}

/* The metric that is defined for hardware events, in any part of the preset. */
static const struct tp_class_metric *find_metric(const struct tp_run *run, const char *family,
						 const char *symbol, const struct tp_class **of)
{
	TP_EACH_ROW (tp_class, class, run, classes) {
		if (!is_family(class, family) || !is_of_hardware(class))
			continue;
		for (size_t k = 0; k < class->n_metrics; k++) {
			const struct tp_class_metric *m = &class->metrics[k];
			if (!m->defined || !m->symbol || strcmp(m->symbol, symbol) != 0)
				continue;
			*of = class;
			return m;
		}
	}
	return NULL;
}

/* A metric without terms is always 0, and one with odd terms is not a number. */
static void add_formula(struct tp_app_found *found, const struct tp_class *class,
			const struct tp_class_metric *metric, unsigned gives)
{
	bool rounded = tp_class_is_round(class, metric);
	size_t n = 0;
	struct tp_app_term *terms =
		tp_arena_alloc(&found->arena, (metric->n_terms + 1) * sizeof(*terms));
	for (size_t i = 0; i < metric->n_terms; i++) {
		const struct tp_class_term *t = &metric->terms[i];
		/* Values that round to 0 are numerical noise. */
		if (t->rounded == 0 || t->chosen >= class->n_chosen)
			continue;
		terms[n].event = tp_arena_strdup(&found->arena,
						 class->events[class->chosen[t->chosen]].name);
		terms[n].coefficient = rounded ? t->rounded : t->coefficient;
		if (!isfinite(terms[n++].coefficient))
			return;
	}
	if (n == 0 || n > TP_APP_TERMS)
		return;
	TP_STR words = { 0 };
	tp_report_formula(class, metric, rounded, &words);
	struct tp_app_formula *to = &found->items[found->formulas.n];
	*to = (struct tp_app_formula){ .metric = tp_arena_strdup(&found->arena, metric->name),
				       .words = tp_arena_strdup(&found->arena, tp_str_text(&words)),
				       .gives = gives,
				       .terms = terms,
				       .n = n };
	found->formulas.n++;
}

static bool has_flops(const struct tp_app_found *found)
{
	for (size_t i = 0; i < found->formulas.n; i++)
		if (found->items[i].gives == TP_MIX_FLOPS_DP ||
		    found->items[i].gives == TP_MIX_FLOPS_SP)
			return true;
	return false;
}

static enum tp_status why_none(const struct tp_run *run, struct tp_diag *diag)
{
	const struct tp_class *flops = NULL;
	bool hardware = false;
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		if (is_family(&tp_run_classes(run)[i], "flops")) {
			flops = &tp_run_classes(run)[i];
			hardware |= is_of_hardware(flops);
		}
	if (!flops)
		return tp_fail(diag, TP_NOTFOUND, run->called,
			       "tprof --batch counters --set families=flops,instructions",
			       "this run classified no events of floating-point instructions");
	if (!hardware)
		return tp_fail(diag, TP_NOTFOUND, run->called,
			       "tprof --batch counters --set source=papi, where the CPU's counters "
			       "may be read",
			       "the events of this run are not hardware events (%.40s): they "
			       "cannot count programs",
			       flops->source);
	return tp_fail(diag, TP_NOTFOUND, run->called,
		       "tprof --show RUN lists the events of this CPU",
		       "no formula of this run gives what a program is counted by: these events "
		       "cannot count it");
}

enum tp_status tp_app_formulas_of(const struct tp_run *run, const char *cpu,
				  struct tp_app_found *found, struct tp_diag *diag)
{
	const struct tp_fact *measured = tp_run_fact(run, "machine.cpu");
	*found = (struct tp_app_found){ 0 };
	if (!measured || measured->is_number || strcmp(measured->text, cpu) != 0)
		return tp_fail(diag, TP_UNSUPPORTED, run->called,
			       "events of one CPU mean nothing on another",
			       "this run classified the counters of another CPU: %.120s",
			       measured && !measured->is_number ? measured->text : "unknown");
	for (size_t i = 0; i < TP_COUNT_OF(wanted); i++) {
		const struct tp_class *class;
		const struct tp_class_metric *metric =
			find_metric(run, wanted[i].family, wanted[i].symbol, &class);
		if (metric)
			add_formula(found, class, metric, wanted[i].gives);
	}
	if (!found->formulas.n) {
		tp_app_found_release(found);
		return why_none(run, diag);
	}
	tp_copy(found->run, sizeof(found->run), run->called);
	found->formulas.run = found->run;
	found->formulas.items = found->items;
	return TP_OK;
}

static enum tp_status load(const char *path, const char *cpu, struct tp_app_found *found,
			   struct tp_diag *diag)
{
	struct tp_run run;
	enum tp_status status = tp_run_load_results(&run, path, diag);
	if (status != TP_OK)
		return status;
	tp_run_call(&run, path);
	status = tp_app_formulas_of(&run, cpu, found, diag);
	tp_run_release(&run);
	return status;
}

/* The newest first. Unreadable ones are skipped: the user did not name them. */
static void find_newest(const char *cpu, struct tp_app_found *found)
{
	char folder[TP_PATH_MAX], **names = NULL;
	size_t n = 0;
	enum tp_status status = TP_NOTFOUND;
	if (tp_path_user_data("runs", folder, NULL) != TP_OK ||
	    tp_run_names(folder, &names, &n, NULL) != TP_OK)
		return;
	for (size_t i = n; i-- > 0 && status != TP_OK;) {
		struct tp_run_entry entry;
		/* By the head of the run, so that hundreds of others are passed over quickly. */
		if (tp_run_entry_ended(folder, names[i], &entry) &&
		    strcmp(entry.state, "complete") == 0 && strcmp(entry.cpu, cpu) == 0 &&
		    strstr(entry.brief.experiments, "counters"))
			status = load(entry.path, cpu, found, NULL);
		/*
		 * Automatically, only formulas that give FLOPs are used: without FLOPs there is no
		 * roofline.
		 */
		if (status == TP_OK && !has_flops(found)) {
			tp_app_found_release(found);
			status = TP_NOTFOUND;
		}
	}
	tp_run_names_free(names, n);
}

enum tp_status tp_app_formulas_find(const struct tp_machine *machine, const char *wish,
				    struct tp_app_found *found, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	*found = (struct tp_app_found){ 0 };
	if (strcmp(wish, "off") == 0)
		return TP_OK;
	if (strcmp(wish, "auto") == 0) {
		find_newest(machine->cpu_name, found);
		return TP_OK;
	}
	enum tp_status status = tp_run_find(wish, path, diag);
	if (status == TP_OK)
		status = load(path, machine->cpu_name, found, diag);
	found->formulas.demanded = true;
	return status;
}
