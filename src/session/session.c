/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/facts.h"
#include "session/learned.h"
#include "session/session.h"
#include "session/reuse.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "record/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The layers of a preset; its members point into it. */
struct layers {
	struct tp_preset_layers is;
	char config[TP_PATH_MAX];
	const char **experiments; /* heap, as many as there are */
};

/*
 * `stored`: the preset of a run directory has every option, so no other layer counts. Without
 * `overrides`, the environment does not count. False when out of memory.
 */
static bool make_layers(struct layers *layers, const struct tp_overrides *overrides, bool stored)
{
	static char *const no_environ[] = { NULL };
	layers->is = (struct tp_preset_layers){ .environ = no_environ };
	if (!stored) {
		layers->is.system_config = TP_SYSTEM_CONFIG;
		if (tp_path_user_config("config.yaml", layers->config, NULL) == TP_OK)
			layers->is.user_config = layers->config;
	}
	if (!stored && overrides) {
		layers->is.sets = overrides->sets;
		layers->is.n_sets = overrides->n;
		layers->is.environ = environ;
	}
	layers->experiments = calloc(tp_experiment_count, sizeof(*layers->experiments));
	for (size_t i = 0; i < tp_experiment_count && layers->experiments; i++)
		layers->experiments[i] = tp_experiment_table[i]->name;
	return layers->experiments != NULL;
}

static enum tp_status load(struct tp_preset *preset, const struct tp_overrides *overrides,
			   const char *typed, bool stored, struct tp_diags *diags)
{
	char path[TP_PATH_MAX];
	struct layers layers;
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	*preset = (struct tp_preset){ 0 };
	if (stored)
		tp_copy(path, sizeof(path), typed);
	else if (typed)
		status = tp_preset_find(typed, path, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	if (!make_layers(&layers, overrides, stored))
		return TP_NOMEM;
	status = tp_preset_load(preset, typed ? path : NULL, &layers.is, layers.experiments,
				tp_experiment_count, diags);
	free(layers.experiments);
	return status;
}

static const struct tp_option *const of_machine[] = {
	TP_OPT_MACHINE,		TP_OPT_TOPOLOGY,       TP_OPT_SIMULATE,
	TP_OPT_CACHE_L1,	TP_OPT_CACHE_L2,       TP_OPT_CACHE_L3,
	TP_OPT_SHARERS,		TP_OPT_KNOBS_GOVERNOR, TP_OPT_KNOBS_FREQUENCY,
	TP_OPT_KNOBS_TURBO,	TP_OPT_KNOBS_THP,      TP_OPT_KNOBS_NUMA_BALANCING,
	TP_OPT_KNOBS_SCHEDULER, TP_OPT_KNOBS_PRIORITY,
};

bool tp_session_shares(const struct tp_option *option)
{
	for (size_t i = 0; i < TP_COUNT_OF(of_machine); i++)
		if (of_machine[i] == option)
			return true;
	return false;
}

static enum tp_status one_machine(const struct tp_preset *preset, struct tp_diags *diags)
{
	for (size_t r = 1; r < preset->n_runs; r++)
		for (size_t i = 0; i < TP_COUNT_OF(of_machine); i++) {
			const struct tp_option *option = of_machine[i];
			const char *a = tp_config_text(&preset->runs[0], option);
			const char *b = tp_config_text(&preset->runs[r], option);
			if (strcmp(a, b) == 0)
				continue;
			struct tp_diag diag;
			const char *where = tp_config_value(&preset->runs[r], option)->where;
			/* One of them is the default, which stands nowhere. */
			if (!*where)
				where = tp_config_value(&preset->runs[0], option)->where;
			tp_fail(&diag, TP_USAGE, where, "write it once, above runs:",
				"%s differs between runs of one preset (%s, %s)", option->key, a,
				b);
			tp_diags_add(diags, &diag);
			return TP_USAGE;
		}
	return TP_OK;
}

enum tp_status tp_session_preset(struct tp_preset *preset, const struct tp_overrides *overrides,
				 const char *typed, struct tp_diags *diags)
{
	enum tp_status status = load(preset, overrides, typed, false, diags);
	if (status == TP_OK && (status = one_machine(preset, diags)) != TP_OK)
		tp_preset_release(preset);
	return status;
}

enum tp_status tp_session_preset_inside(struct tp_preset *preset,
					const struct tp_overrides *overrides,
					const struct tp_node *node, struct tp_faults *faults,
					struct tp_diags *diags)
{
	struct layers layers;
	*preset = (struct tp_preset){ 0 };
	if (!make_layers(&layers, overrides, false))
		return TP_NOMEM;
	enum tp_status status = tp_preset_take_node(preset, node, &layers.is, layers.experiments,
						    tp_experiment_count, faults, diags);
	free(layers.experiments);
	if (status == TP_OK && (status = one_machine(preset, diags)) != TP_OK)
		tp_preset_release(preset);
	return status;
}

/*
 * A stored preset has every option. Those with their default value count as defaults again (see
 * size_max).
 */
static void restore_defaults(struct tp_preset *preset)
{
	struct tp_arena arena = { 0 };
	struct tp_config *defaults = tp_arena_alloc(&arena, sizeof(*defaults));
	if (defaults && tp_config_defaults(defaults, &arena, NULL) == TP_OK)
		for (size_t r = 0; r < preset->n_runs; r++)
			for (size_t i = 0; i < tp_option_count(); i++)
				if (tp_value_equal(&preset->runs[r].values[i],
						   &defaults->values[i]))
					preset->runs[r].values[i].source = TP_FROM_DEFAULT;
	tp_arena_release(&arena);
}

enum tp_status tp_session_machine(struct tp_session *session, struct tp_diag *diag)
{
	struct tp_machine machine;
	tp_arch_identify(&session->cpu);
	enum tp_status status =
		tp_machine_for_config(&machine, &session->cpu, &session->preset.runs[0], diag);
	if (status != TP_OK)
		return status;
	tp_machine_release(&session->machine);
	session->machine = machine;
	return TP_OK;
}

enum tp_status tp_session_plan(struct tp_session *session, struct tp_diags *diags)
{
	struct tp_diag diag;
	tp_plan_release(&session->plan);
	enum tp_status status = tp_plan_make(&session->plan, &session->machine, &session->cpu,
					     session->preset.runs, session->preset.n_runs, diags);
	if (status == TP_OK && session->plan.n == 0) {
		status = tp_fail(&diag, TP_USAGE,
				 session->preset.path[0] ? session->preset.path : "preset",
				 "widen isa, level or sizes", "no point is left to measure");
		tp_diags_add(diags, &diag);
	}
	return status;
}

static enum tp_status machine_and_plan(struct tp_session *session, double available_bytes,
				       struct tp_diags *diags)
{
	struct tp_diag diag;
	enum tp_status status = tp_session_machine(session, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	if (available_bytes > 0)
		session->machine.available_bytes = (uint64_t)available_bytes;
	return tp_session_plan(session, diags);
}

/* What another run gives takes no time. */
static void expect_reused(struct tp_session *session)
{
	struct tp_plan *plan = &session->plan;
	struct tp_run now = { 0 };
	struct tp_reused reused;
	struct tp_diag diag;
	tp_facts_collect(&now, session);
	tp_reuse_find(&reused, session, &now, &diag);
	for (size_t i = 0; reused.points && i < plan->n; i++)
		if (reused.points[i].state == TP_POINT_DONE) {
			plan->estimate_seconds -= plan->items[i].point.estimate_seconds;
			plan->items[i].point.estimate_seconds = 0;
		}
	tp_reuse_release(&reused);
	tp_run_release(&now);
}

bool tp_session_estimate(struct tp_session *session, bool (*goes_on)(void *context), void *context)
{
	if (!tp_plan_estimate(&session->plan, &session->machine, goes_on, context))
		return false;
	tp_learned_correct(&session->plan, &session->machine);
	expect_reused(session);
	return true;
}

enum tp_status tp_session_open(struct tp_session *session, const struct tp_overrides *overrides,
			       const char *typed, bool plan, struct tp_diags *diags)
{
	*session = (struct tp_session){ 0 };
	enum tp_status status = tp_session_preset(&session->preset, overrides, typed, diags);
	return status == TP_OK && plan ? machine_and_plan(session, 0, diags) : status;
}

enum tp_status tp_session_reopen(struct tp_session *session, const char *directory,
				 const struct tp_run *stored, struct tp_diags *diags)
{
	char path[TP_PATH_MAX + 16];
	const struct tp_fact *available = tp_run_fact(stored, "machine.available_bytes");
	*session = (struct tp_session){ 0 };
	snprintf(path, sizeof(path), "%s/preset.yaml", directory);
	enum tp_status status = load(&session->preset, NULL, path, true, diags);
	if (status != TP_OK)
		return status;
	restore_defaults(&session->preset);
	status = one_machine(&session->preset, diags);
	return status == TP_OK ? machine_and_plan(session, available ? available->number : 0, diags)
			       : status;
}

void tp_session_close(struct tp_session *session)
{
	tp_plan_release(&session->plan);
	tp_machine_release(&session->machine);
	tp_preset_release(&session->preset);
	*session = (struct tp_session){ 0 };
}

/* --- going on with a stored run --- */

static enum tp_status refuse(struct tp_diags *diags, const char *where, const char *hint,
			     const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, TP_USAGE, where, hint, "%s", what);
	tp_diags_add(diags, &diag);
	return TP_USAGE;
}

bool tp_session_same_kernel(const struct tp_point *a, const struct tp_point *b)
{
	const struct tp_kernel_row *x = tp_kernel_row(a), *y = tp_kernel_row(b);
	return strcmp(x->isa, y->isa) == 0 && strcmp(x->precision, y->precision) == 0 &&
	       strcmp(x->level, y->level) == 0 && x->working_set_bytes == y->working_set_bytes &&
	       strcmp(x->fp_op, y->fp_op) == 0 && x->best_ratio == y->best_ratio &&
	       x->pause_cycles == y->pause_cycles &&
	       strcmp(x->pages_wanted, y->pages_wanted) == 0 &&
	       (x->best_ratio || strcmp(a->kernel, b->kernel) == 0);
}

static bool same_point(const struct tp_point *found, const struct tp_planned *planned)
{
	const struct tp_point *p = &planned->point;
	return found->run == p->run && strcmp(found->experiment, p->experiment) == 0 &&
	       found->threads == p->threads && strcmp(found->cpus, p->cpus) == 0 &&
	       (planned->experiment->continues ? planned->experiment->continues(found, p)
					       : tp_session_same_kernel(found, p));
}

/*
 * A new version of tprof, or other limits of the process, may plan other points than those that
 * were measured.
 */
static bool same_plan(const struct tp_plan *plan, const struct tp_run *stored)
{
	for (size_t i = 0; i < stored->n_points; i++)
		if (stored->points[i].state == TP_POINT_DONE &&
		    (i >= plan->n || !same_point(&stored->points[i], &plan->items[i])))
			return false;
	return true;
}

enum tp_status tp_session_fits(const struct tp_session *session, const char *directory,
			       const struct tp_run *stored, struct tp_diags *diags)
{
	struct tp_run now = { 0 };
	size_t before = diags->n;
	tp_facts_collect(&now, session);
	tp_facts_differ(stored, &now, diags);
	tp_run_release(&now);
	if (diags->n > before)
		return refuse(diags, directory, "start a new run with --batch, then --compare",
			      "was measured on another machine, or this machine has changed");
	if (!same_plan(&session->plan, stored))
		return refuse(diags, directory, "start a new run with --batch",
			      "its preset now gives other points: this may be another version of "
			      "tprof, or the process may use other CPUs");
	return TP_OK;
}
