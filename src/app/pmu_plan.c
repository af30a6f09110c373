/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which events are counted, for formulas and by themselves, and what their values mean together. */
#include "app/pmu.h"
#include "base/vec.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A count may come out this much below 0 for the differences between runs, of all that it adds. */
#define BELOW_ZERO 0.01
/* No counter holds more. */
#define MOST 0x1p63

/* The formula that gives `what`; NULL = none. */
static const struct tp_app_formula *pmu_formula_of(const struct tp_pmu_plan *plan, unsigned what)
{
	for (size_t i = 0; i < plan->n_formulas; i++)
		if (plan->formulas[i].formula->gives == what)
			return plan->formulas[i].formula;
	return NULL;
}

static bool gives_flops(const struct tp_app_formula *formula)
{
	return formula->gives == TP_MIX_FLOPS_SP || formula->gives == TP_MIX_FLOPS_DP;
}

static bool has_flops(const struct tp_pmu_plan *plan)
{
	return pmu_formula_of(plan, TP_MIX_FLOPS_SP) || pmu_formula_of(plan, TP_MIX_FLOPS_DP);
}

static bool has_widths(const struct tp_pmu_plan *plan)
{
	return pmu_formula_of(plan, TP_APP_FP_SP) && pmu_formula_of(plan, TP_APP_FP_DP) &&
	       pmu_formula_of(plan, TP_MIX_FLOPS_SP) && pmu_formula_of(plan, TP_MIX_FLOPS_DP);
}

/* --- counters --- */

static bool is_same(const struct tp_pmu_code *a, const struct tp_pmu_code *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

/* The counter of that event, new or not; NULL beyond TP_PMU_COUNTERS. */
static struct tp_pmu_counter *counter_of(struct tp_pmu_plan *plan, const char *name,
					 const struct tp_pmu_code *code)
{
	for (size_t i = 0; i < plan->n; i++)
		if (is_same(&plan->counters[i].code, code))
			return &plan->counters[i];
	if (plan->n == TP_PMU_COUNTERS)
		return NULL;
	plan->counters[plan->n] = (struct tp_pmu_counter){ .name = name, .code = *code };
	return &plan->counters[plan->n++];
}

static enum tp_status try_event(const struct tp_pmu_host *host, const char *name,
				const struct tp_pmu_code *code, struct tp_diag *diag)
{
	int fd = host->open(host->context, code);
	if (fd < 0)
		return tp_pmu_refuse(host, name, -fd, diag);
	host->close(host->context, fd);
	return TP_OK;
}

static enum tp_status add_term(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
			       const char *event, unsigned *index, struct tp_diag *diag)
{
	struct tp_pmu_code code;
	size_t before = plan->n;
	enum tp_status status = host->encode(event, &code, diag);
	if (status != TP_OK)
		return status;
	struct tp_pmu_counter *counter = counter_of(plan, event, &code);
	if (!counter)
		return tp_fail(diag, TP_RESOURCE, "pmu", NULL, "formulas of more than %d events",
			       TP_PMU_COUNTERS);
	*index = (unsigned)(counter - plan->counters);
	counter->required = true;
	return plan->n > before ? try_event(host, event, &code, diag) : TP_OK;
}

static enum tp_status add_formula(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
				  const struct tp_app_formula *formula, struct tp_diag *diag)
{
	struct tp_pmu_formula *to = &plan->formulas[plan->n_formulas];
	size_t before = plan->n;
	enum tp_status status = TP_OK;
	*to = (struct tp_pmu_formula){ .formula = formula };
	for (size_t i = 0; i < formula->n && status == TP_OK; i++)
		status = add_term(host, plan, formula->terms[i].event, &to->counters[i], diag);
	if (status == TP_OK)
		plan->n_formulas++;
	else
		plan->n = before;
	return status;
}

/* --- the plan --- */

/* The reason of the first formula of FLOPs that cannot be counted stays in `diag`. */
static enum tp_status add_formulas(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
				   struct tp_diags *notes, struct tp_diag *diag)
{
	const struct tp_app_formulas *from = plan->from;
	enum tp_status worst = TP_OK;
	struct tp_diag last = { 0 };
	for (size_t i = 0; i < from->n && plan->n_formulas < TP_APP_FORMULAS; i++) {
		const struct tp_app_formula *formula = &from->items[i];
		struct tp_diag why = { 0 };
		enum tp_status status = add_formula(host, plan, formula, &why);
		if (status == TP_OK)
			continue;
		if (gives_flops(formula) && worst == TP_OK) {
			worst = status;
			*diag = why;
		}
		/* One reason for all of them is said once. */
		if (strcmp(why.what, last.what) != 0)
			tp_diags_note(notes, "pmu", why.hint,
				      "the formula of %.100s for %.40s cannot be used: %.220s",
				      from->run, formula->metric, why.what);
		last = why;
	}
	return worst;
}

/* What formulas give already is not counted once more. */
static bool is_superfluous(const struct tp_pmu_plan *plan, const struct tp_pmu_event *event)
{
	switch (event->role) {
	case TP_PMU_PLAIN:
		return pmu_formula_of(plan, event->index);
	case TP_PMU_FLOPS: /* of some CPUs, FLOPs of all precisions together */
		return has_flops(plan);
	case TP_PMU_WIDTH:
		return has_widths(plan);
	case TP_PMU_ARITHMETIC:
		break;
	}
	return false;
}

static void add_events(const struct tp_pmu_host *host, struct tp_pmu_plan *plan)
{
	for (size_t i = 0; plan->pmu && i < plan->pmu->n; i++) {
		const struct tp_pmu_event *event = &plan->pmu->events[i];
		const struct tp_pmu_code code = { .type = PERF_TYPE_RAW, .config = event->config };
		if (!tp_pmu_has(&host->cpu, event) || is_superfluous(plan, event))
			continue;
		struct tp_pmu_counter *counter = counter_of(plan, event->name, &code);
		if (!counter)
			return;
		counter->event = event;
		counter->required |=
			event->role == TP_PMU_FLOPS ||
			(event->role == TP_PMU_ARITHMETIC && !pmu_formula_of(plan, event->flops));
	}
}

static bool is_counted(const struct tp_pmu_plan *plan, unsigned index)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *event = plan->counters[i].event;
		if (event &&
		    (event->role == TP_PMU_ARITHMETIC ? event->flops : event->index) == index &&
		    event->role != TP_PMU_WIDTH)
			return true;
	}
	return pmu_formula_of(plan, index);
}

/* Formulas stand where no event is known, and then each has to be there. */
static void note_lacking(struct tp_pmu_plan *plan, struct tp_diags *notes)
{
	static const struct {
		unsigned index;
		const char *words;
	} needed[] = { { TP_MIX_FLOPS_SP, "operations in single precision" },
		       { TP_MIX_FLOPS_DP, "operations in double precision" },
		       { TP_MIX_LOADS, "loads" },
		       { TP_MIX_STORES, "stores" } };
	for (size_t i = 0; i < TP_COUNT_OF(needed); i++) {
		if (is_counted(plan, needed[i].index))
			continue;
		tp_diags_note(notes, "pmu", "tprof --batch counters, with events that count them",
			      "%s are not counted: %.100s has no formula for them", needed[i].words,
			      plan->from->run);
		plan->lacks = true;
	}
}

static enum tp_status no_events(const struct tp_cpu *cpu, struct tp_diag *diag)
{
	return tp_fail(
		diag, TP_UNSUPPORTED, "pmu",
		"tprof knows those of Intel since Broadwell and of AMD since Zen; on others "
		"tprof --batch counters finds formulas, which this then goes by; --app-source "
		"instrument needs neither",
		"no events that count FLOPs are known for this CPU (%s, family %d, model %d)",
		cpu->vendor[0] ? cpu->vendor : cpu->arch, cpu->family, cpu->model);
}

enum tp_status tp_pmu_plan(const struct tp_pmu_host *host, const struct tp_app_formulas *formulas,
			   struct tp_pmu_plan *plan, struct tp_diags *notes, struct tp_diag *diag)
{
	*plan = (struct tp_pmu_plan){ .pmu = tp_pmu_of(&host->cpu), .from = formulas };
	enum tp_status status = TP_OK;
	if (host->hybrid)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "--app-source instrument needs no counters",
			       "this CPU has cores of two kinds with counters of their own "
			       "(cpu_core, cpu_atom): a program that moves between them is not "
			       "counted as a whole");
	if (formulas)
		status = add_formulas(host, plan, notes, diag);
	if (status != TP_OK && (formulas->demanded || !plan->pmu))
		return status;
	if (!plan->pmu && !has_flops(plan))
		return no_events(&host->cpu, diag);
	add_events(host, plan);
	if (has_flops(plan))
		note_lacking(plan, notes);
	return TP_OK;
}

/* --- what it means --- */

static double value_of(const struct tp_pmu_plan *plan, const struct tp_pmu_formula *formula,
		       double *sum)
{
	double value = 0;
	*sum = 0;
	for (size_t i = 0; i < formula->formula->n; i++) {
		double part = formula->formula->terms[i].coefficient *
			      (double)plan->counters[formula->counters[i]].value;
		value += part;
		*sum += fabs(part);
	}
	return value;
}

/* Values of all formulas, by what they give. */
static void evaluate(const struct tp_pmu_plan *plan, double given[TP_APP_GIVEN_N], bool *sound,
		     struct tp_diags *notes)
{
	for (size_t i = 0; i < plan->n_formulas; i++) {
		const struct tp_app_formula *formula = plan->formulas[i].formula;
		double sum, value = value_of(plan, &plan->formulas[i], &sum);
		given[formula->gives] = fmax(value, 0);
		if (value >= -BELOW_ZERO * sum)
			continue;
		*sound = false;
		tp_diags_note(notes, "pmu",
			      "classify the counters of this machine again: tprof --batch counters",
			      "the formula of %.100s for %.40s gives %.4g, which is no count: it "
			      "is taken "
			      "as 0",
			      plan->from->run, formula->metric, value);
	}
}

/* Coefficients come from a file, and whatever stands there must fit. */
static uint64_t whole_of(double value)
{
	return value < MOST ? (uint64_t)(value + 0.5) : (uint64_t)MOST;
}

double tp_pmu_mix(const struct tp_pmu_plan *plan, uint64_t mix[TP_MIX_N], bool *known, bool *sound,
		  struct tp_diags *notes)
{
	double given[TP_APP_GIVEN_N] = { 0 }, operations = 0, bytes = 0, mean = sizeof(double);
	memset(mix, 0, TP_MIX_N * sizeof(*mix));
	*sound = true;
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *e = plan->counters[i].event;
		uint64_t value = plan->counters[i].value;
		if (!e || !plan->counters[i].counted)
			continue;
		if (e->role == TP_PMU_ARITHMETIC || e->role == TP_PMU_WIDTH) {
			operations += (double)value;
			bytes += (double)value * e->bytes;
		}
		if (e->role == TP_PMU_ARITHMETIC)
			mix[e->flops] += value * e->lanes;
		if (e->role != TP_PMU_WIDTH)
			mix[e->index] += value;
	}
	evaluate(plan, given, sound, notes);
	for (unsigned i = 0; i < TP_MIX_N; i++)
		if (pmu_formula_of(plan, i))
			mix[i] = whole_of(given[i]);
	if (has_widths(plan)) {
		operations = given[TP_APP_FP_SP] + given[TP_APP_FP_DP];
		bytes = given[TP_MIX_FLOPS_SP] * sizeof(float) +
			given[TP_MIX_FLOPS_DP] * sizeof(double);
	}
	*known = operations > 0;
	if (*known)
		mean = bytes / operations;
	mix[TP_MIX_BYTES_LOADED] = whole_of(mean * (double)mix[TP_MIX_LOADS]);
	mix[TP_MIX_BYTES_STORED] = whole_of(mean * (double)mix[TP_MIX_STORES]);
	return mean;
}
