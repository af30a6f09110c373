/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/now.h"
#include "kernels/arch.h"
#include "mining/job.h"
#include "preset/shared_options.h"
#include "record/load.h"
#include "record/point.h"
#include "report/page.h"
#include "session/facts.h"
#include "doc/terminal.h"
#include "session/learned.h"

enum { WIDE = 1000 };

/* A word that only some experiments have: the head is its name. */
static void word_cell(struct tp_grid *grid, const void *point, const void *context)
{
	const char *word = tp_point_word(point, tp_grid_next(grid)->head);
	(void)context;
	tp_grid_text(grid, TP_PAINT_PLAIN, *word ? word : "-");
}

#define POINT(name) TP_SHOWS(struct tp_point, name)
static const struct tp_grid_column columns[] = {
	{ "point", TP_RIGHT, 0, POINT(point) },
	{ "experiment", TP_LEFT, 0, POINT(experiment) },
	{ "ISA", TP_LEFT, 0, TP_KERNEL(isa) },
	{ "precision", TP_LEFT, 0, TP_KERNEL(precision) },
	{ "threads", TP_RIGHT, 0, POINT(threads) },
	{ "level", TP_LEFT, 1, TP_KERNEL(level), .none = "-" },
	{ "kernel", TP_LEFT, 0, POINT(kernel) },
	{ "scope", TP_LEFT, 1, .cell = word_cell },
	{ "technique", TP_LEFT, 1, .cell = word_cell },
	{ "size/thread", TP_RIGHT, 1, TP_KERNEL(working_set_bytes), .words = tp_grid_bytes,
	  .positive = true },
	{ "FLOP/byte", TP_RIGHT, 1, TP_KERNEL(ai_flop_per_byte), .positive = true },
	{ "estimate", TP_RIGHT, 0, POINT(estimate_seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "CPUs", TP_LEFT, 1, POINT(cpus) },
};

/* Prints what experiments write about their points. Neighbours with the same words share a line. */
static void descriptions(const struct tp_plan *plan, struct tp_str *out)
{
	TP_STR last = { 0 }, one = { 0 };
	unsigned first = 0, end = 0;
	for (size_t i = 0; i <= plan->n; i++) {
		tp_str_clear(&one);
		if (i < plan->n && plan->items[i].experiment->describe)
			plan->items[i].experiment->describe(&plan->items[i], &one);
		if (strcmp(tp_str_text(&one), tp_str_text(&last)) != 0) {
			if (last.len && end > first)
				tp_str_printf(out, "points %u-%u: %s\n", first, end,
					      tp_str_text(&last));
			else if (last.len)
				tp_str_printf(out, "point %u: %s\n", first, tp_str_text(&last));
			tp_str_clear(&last);
			tp_str_add(&last, tp_str_text(&one));
			first = (unsigned)i;
		}
		end = (unsigned)i;
	}
}

void tp_session_plan_text(const struct tp_plan *plan, const struct tp_machine *machine,
			  struct tp_str *out)
{
	/* For readers and programs: plain ASCII, a point a line, at any length. */
	const struct tp_look plain = { .columns = WIDE };
	uint64_t most_bytes = 0;
	char count[32], seconds[48], bytes[32];
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_planned *p = &plan->items[i];
		tp_grid_row(&grid, &p->point, NULL);
		most_bytes = TP_MAX(most_bytes, tp_planned_memory_bytes(p));
	}
	TP_TEXT(table, &plain);
	tp_grid_write(&grid, &table);
	tp_text_print(&table, out);
	descriptions(plan, out);
	tp_str_printf(out, "\n%s, about %s", tp_text_count(count, sizeof(count), plan->n, "point"),
		      tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	/* Where the estimate comes from, if not only from a simulation. */
	char runs[32];
	if (plan->n_learned) {
		tp_str_add(out, " (");
		if (plan->n_learned < plan->n)
			tp_str_printf(out, "%zu points ", plan->n_learned);
		tp_str_printf(out, "learned from %s of this machine)",
			      tp_text_count(runs, sizeof(runs), plan->learned_runs, "run"));
	}
	if (most_bytes)
		tp_str_printf(out, ", up to %s", tp_format_bytes(bytes, sizeof(bytes), most_bytes));
	tp_str_add(out, "\n");
	TP_STR model = { 0 };
	tp_model_named(machine, &model);
	tp_str_printf(out, "model: %s\n",
		      model.len ? tp_str_text(&model) : "none, so no theoretical roofs");
	TP_STR part = { 0 };
	for (size_t i = 0; tp_machine_part(machine, i, &part); i++) {
		tp_str_printf(out, "%s\n", tp_str_text(&part));
		tp_str_clear(&part);
	}
	if (machine->foreign) {
		TP_STR source = { 0 };
		tp_text_clean(&source, machine->source, &plain);
		tp_str_printf(out,
			      *machine->simulated ? "simulated: %s, %s\n"
						  : "planned for %s; --simulate tries it\n",
			      tp_str_text(&source), machine->simulated);
	}
}

/* The layers of a preset; its members point into it. */
struct layers {
	struct tp_preset_layers is;
	char config[TP_PATH_MAX];
	const char **experiments; /* heap */
};

/*
 * `stored`: the preset of a run directory has every option, so no other layer counts. Without
 * `overrides`, the environment does not count.
 */
static void make_layers(struct layers *layers, const struct tp_overrides *overrides, bool stored)
{
	static char *const no_environ[] = { NULL };
	layers->is = (struct tp_preset_layers){ .environ = no_environ };
	if (!stored) {
		layers->is.system_config = TP_SYSTEM_CONFIG; /* of configure */
		if (tp_path_user_config("config.yaml", layers->config, NULL) == TP_OK)
			layers->is.user_config = layers->config;
	}
	if (!stored && overrides) {
		layers->is.sets = overrides->sets;
		layers->is.n_sets = overrides->n;
		layers->is.environ = environ;
	}
	layers->experiments = tp_alloc(tp_experiment_count(), sizeof(*layers->experiments));
	for (size_t i = 0; i < tp_experiment_count(); i++)
		layers->experiments[i] = tp_experiment_at(i)->name;
	layers->is.experiments = layers->experiments;
	layers->is.n_experiments = tp_experiment_count();
}

static enum tp_status load_preset(struct tp_preset *preset, const struct tp_overrides *overrides,
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
	make_layers(&layers, overrides, stored);
	status = tp_preset_load(preset, typed ? path : NULL, &layers.is, diags);
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
	enum tp_status status = load_preset(preset, overrides, typed, false, diags);
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
	make_layers(&layers, overrides, false);
	enum tp_status status = tp_preset_take_node(preset, node, &layers.is, faults, diags);
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
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_config *defaults = tp_arena_alloc(&arena, sizeof(*defaults));
	if (defaults && tp_config_defaults(defaults, &arena, NULL) == TP_OK)
		for (size_t r = 0; r < preset->n_runs; r++)
			for (size_t i = 0; i < tp_option_count(); i++)
				if (tp_value_equal(&preset->runs[r].values[i],
						   &defaults->values[i]))
					preset->runs[r].values[i].source = TP_FROM_DEFAULT;
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

struct result_columns {
	const char **names;
	size_t n, cap;
	struct tp_arena arena;
};

static void take_column(void *context, const char *name)
{
	struct result_columns *found = context;
	TP_RESERVE(found->names, found->cap, found->n + 1);
	found->names[found->n++] = tp_arena_strdup(&found->arena, name);
}

/* The preset's options for mining, before anything is measured. */
static enum tp_status check_mining(struct tp_session *session, struct tp_diags *diags)
{
	struct result_columns found = { 0 };
	struct tp_diag diag;
	bool open = tp_plan_each_column(&session->plan, session->preset.runs,
					session->preset.n_runs, take_column, &found);
	enum tp_status status =
		tp_mine_check(&session->preset.runs[0], found.names, open ? 0 : found.n, &diag);
	if (status != TP_OK)
		tp_diags_add(diags, &diag);
	free(found.names);
	tp_arena_release(&found.arena);
	return status;
}

enum tp_status tp_session_check(struct tp_session *session, struct tp_diags *diags)
{
	enum tp_status status = tp_plan_check(&session->plan, &session->machine, &session->cpu,
					      session->preset.runs, session->preset.n_runs, diags);
	return status == TP_OK ? check_mining(session, diags) : status;
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

bool tp_session_estimate(struct tp_session *session, bool (*goes_on)(void *context), void *context)
{
	if (!tp_plan_estimate(&session->plan, &session->machine, goes_on, context))
		return false;
	tp_learned_correct(&session->plan, &session->machine);
	/* What another run gives takes no time. */
	struct tp_plan *plan = &session->plan;
	TP_CLEANUP(tp_run_release) struct tp_run now = { 0 };
	struct tp_reused reused;
	struct tp_diag diag;
	tp_facts_collect(&now, session);
	tp_reuse_find(&reused, session, &now, &diag);
	for (size_t i = 0; reused.points && i < plan->n; i++)
		if (reused.points[i].state == TP_POINT_DONE &&
		    !(reused.improves && !tp_point_teaches(&reused.points[i]))) {
			plan->estimate_seconds -= plan->items[i].point.estimate_seconds;
			plan->items[i].point.estimate_seconds = 0;
		}
	tp_reuse_release(&reused);
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
	enum tp_status status = load_preset(&session->preset, NULL, path, true, diags);
	if (status != TP_OK)
		return status;
	restore_defaults(&session->preset);
	status = one_machine(&session->preset, diags);
	return status == TP_OK ? machine_and_plan(session, available ? available->number : 0, diags)
			       : status;
}

enum tp_status tp_session_copy(struct tp_session *to, const struct tp_session *from,
			       struct tp_diags *diags)
{
	*to = (struct tp_session){ 0 };
	tp_preset_copy(&to->preset, &from->preset);
	enum tp_status status = machine_and_plan(to, (double)from->machine.available_bytes, diags);
	if (status != TP_OK || to->plan.n != from->plan.n)
		return status;
	for (size_t i = 0; i < to->plan.n; i++) {
		to->plan.items[i].point.estimate_seconds =
			from->plan.items[i].point.estimate_seconds;
		to->plan.items[i].model_seconds = from->plan.items[i].model_seconds;
	}
	to->plan.estimate_seconds = from->plan.estimate_seconds;
	to->plan.n_learned = from->plan.n_learned;
	to->plan.learned_runs = from->plan.learned_runs;
	return TP_OK;
}

void tp_session_close(struct tp_session *session)
{
	tp_plan_release(&session->plan);
	tp_machine_release(&session->machine);
	tp_preset_release(&session->preset);
	*session = (struct tp_session){ 0 };
}

/* --- going on with a stored run --- */

static enum tp_status refuse_run(struct tp_diags *diags, const char *where, const char *hint,
				 const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, TP_USAGE, where, hint, "%s", what);
	tp_diags_add(diags, &diag);
	return TP_USAGE;
}

/* True if both points run the same kernel on data of the same size and place. */
static bool same_kernel(const struct tp_point *a, const struct tp_point *b)
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
					       : same_kernel(found, p));
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
	TP_CLEANUP(tp_run_release) struct tp_run now = { 0 };
	size_t before = diags->n;
	tp_facts_collect(&now, session);
	tp_facts_differ(stored, &now, diags);
	if (diags->n > before)
		return refuse_run(diags, directory, "start a new run with --batch, then --compare",
				  "was measured on another machine, or this machine has changed");
	if (!same_plan(&session->plan, stored))
		return refuse_run(
			diags, directory, "start a new run with --batch",
			"its preset now gives other points: this may be another version of "
			"tprof, or the process may use other CPUs");
	return TP_OK;
}

/* --- points that an earlier run gives --- */

/* Runs that are read whole; lists of runs show which ones are worth it. */
enum { RUNS_READ = 20, DAY_SECONDS = 86400 };

/* --- is it this machine, as it is now? --- */

static const char *fact_of(const struct tp_run *run, const char *key)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact ? fact->text : "";
}

static bool is_recent(const struct tp_run *run)
{
	time_t started;
	double age =
		tp_utc_read(fact_of(run, "started"), &started) ? difftime(time(NULL), started) : -1;
	return age >= 0 && age < (double)TP_REUSE_DAYS * DAY_SECONDS;
}

static bool is_knob(const char *key, const char *ending)
{
	static const char prefix[] = "knobs.";
	size_t n = strlen(key), end = strlen(ending);
	return strncmp(key, prefix, sizeof(prefix) - 1) == 0 && n > end &&
	       strcmp(key + n - end, ending) == 0;
}

/* A run restores the settings it changes, so such a run differs from all others. */
static bool sets_knobs(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_facts; i++)
		if (is_knob(run->facts[i].key, ".wanted"))
			return true;
	return false;
}

static bool same_knobs(const struct tp_run *run, const struct tp_run *now)
{
	for (size_t i = 0; i < now->n_facts; i++)
		if (is_knob(now->facts[i].key, ".before") &&
		    strcmp(fact_of(run, now->facts[i].key), now->facts[i].text) != 0)
			return false;
	return !sets_knobs(run) && !sets_knobs(now);
}

static bool same_machine(const struct tp_run *run, const struct tp_run *now, struct tp_diag *diag)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	tp_facts_differ(run, now, &diags);
	bool same = diags.n == 0;
	if (!same)
		tp_fail(diag, TP_USAGE, diags.items[0].where, NULL, "%s", diags.items[0].what);
	return same;
}

/* All conditions on a run that the user did not name. */
static bool is_alike(const struct tp_run *run, const struct tp_run *now)
{
	return strcmp(run->state, "complete") == 0 && is_recent(run) &&
	       !tp_run_fact(run, TP_REUSED_RUN) &&
	       strcmp(fact_of(run, "tprof.version"), PACKAGE_VERSION) == 0 &&
	       strcmp(fact_of(run, "machine.kernel"), fact_of(now, "machine.kernel")) == 0 &&
	       same_knobs(run, now);
}

/* --- its points --- */

/* The run that is to give a point: "" = any; NULL = the point is to be measured. */
static const char *wish_for(const struct tp_planned *planned)
{
	return planned->experiment->reuses ? planned->experiment->reuses(planned) : NULL;
}

static const struct tp_point *find_point(const struct tp_run *run, const struct tp_point *planned)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state == TP_POINT_DONE && p->threads == planned->threads &&
		    strcmp(p->cpus, planned->cpus) == 0 && same_kernel(p, planned))
			return p;
	}
	return NULL;
}

/* The identity of the plan with the results of the other run, which may be of another experiment.
 */
static void take_point(struct tp_reused *reused, const struct tp_point *planned,
		       const struct tp_point *found)
{
	struct tp_point *p = &reused->points[planned->point];
	*p = *found;
	p->run = planned->run;
	p->point = planned->point;
	p->estimate_seconds = planned->estimate_seconds;
	tp_copy(p->experiment, sizeof(p->experiment), planned->experiment);
	p->kind = planned->kind;
	p->row = tp_arena_alloc(&reused->run.arena, p->kind->table->row_bytes);
	memcpy(p->row, planned->row, p->kind->table->row_bytes);
	*tp_kernel_row_of(p) = *tp_kernel_row(found);
}

/* How much of what is measured first a run gives. */
enum worth {
	WORTH_NOTHING, /* of a run that is named: no point */
	WORTH_POOR, /* enough points, but too many poor ones */
	WORTH_ALL,
};

/* Takes the requested ones. */
static enum worth take_points(struct tp_reused *reused, const struct tp_session *session,
			      const char *wish)
{
	const struct tp_plan *plan = &session->plan;
	unsigned first = UINT_MAX;
	size_t wished = 0, taken = 0, good = 0, any = 0;
	reused->points = tp_alloc(plan->n + 1, sizeof(*reused->points));
	reused->improves = !*wish;
	for (size_t i = 0; i < plan->n; i++)
		if (wish_for(&plan->items[i]))
			first = TP_MIN(first, plan->items[i].round);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_planned *planned = &plan->items[i];
		const char *own = wish_for(planned);
		if (!own || strcmp(own, wish) != 0)
			continue;
		const struct tp_point *found = find_point(&reused->run, &planned->point);
		wished += planned->round == first;
		if (!found)
			continue;
		take_point(reused, &planned->point, found);
		any++;
		taken += planned->round == first;
		good += planned->round == first && tp_point_teaches(found);
	}
	if (*wish)
		return any ? WORTH_ALL : WORTH_NOTHING;
	return 3 * good >= 2 * wished	 ? WORTH_ALL
	       : 3 * taken >= 2 * wished ? WORTH_POOR
					 : WORTH_NOTHING;
}

/* The page policy that its preset asks for is not a fact of a run. */
static bool same_pages(const char *directory, const struct tp_config *config)
{
	TP_CLEANUP(tp_preset_release) struct tp_preset preset = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX + 16];
	snprintf(path, sizeof(path), "%s/preset.yaml", directory);
	bool same = load_preset(&preset, NULL, path, true, &diags) == TP_OK;
	for (size_t r = 0; r < preset.n_runs && same; r++)
		same = tp_value_equal(tp_config_value(&preset.runs[r], TP_OPT_PAGES),
				      tp_config_value(config, TP_OPT_PAGES));
	return same;
}

/* --- the runs --- */

static enum tp_status take_named(struct tp_reused *reused, const struct tp_session *session,
				 const struct tp_run *now, const char *wish, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = tp_run_find(wish, path, diag);
	if (status == TP_OK)
		status = tp_run_load(&reused->run, path, diag);
	if (status != TP_OK)
		return status;
	tp_run_call(&reused->run, path);
	if (!same_machine(&reused->run, now, diag))
		return TP_USAGE;
	if (take_points(reused, session, wish) > WORTH_NOTHING)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, wish, NULL,
		       "no point of it has the same kernel, threads and CPUs");
}

static bool may_give(const struct tp_run_entry *entry, const struct tp_machine *machine)
{
	return strcmp(entry->state, "complete") == 0 && !*entry->simulated &&
	       strcmp(entry->cpu, machine->cpu_name) == 0 &&
	       strcmp(entry->hostname, machine->hostname) == 0 && *entry->brief.figures;
}

/* Takes points that are equally good. */
static enum worth try_run(struct tp_reused *reused, const struct tp_session *session,
			  const struct tp_run *now, const char *path, enum worth least)
{
	/* Only facts first: points are nearly all of a run. */
	if (tp_run_load_results(&reused->run, path, NULL) != TP_OK)
		return WORTH_NOTHING;
	bool alike = is_alike(&reused->run, now) && same_machine(&reused->run, now, NULL) &&
		     same_pages(path, &session->preset.runs[0]);
	tp_run_release(&reused->run);
	if (!alike || tp_run_load(&reused->run, path, NULL) != TP_OK)
		return WORTH_NOTHING;
	tp_run_call(&reused->run, path);
	enum worth worth = take_points(reused, session, "");
	if (worth < least)
		tp_reuse_release(reused);
	return worth;
}

/* The newest first. Unreadable ones are skipped: the user did not name them. */
static void take_newest(struct tp_reused *reused, const struct tp_session *session,
			const struct tp_run *now)
{
	char folder[TP_PATH_MAX], poor[TP_PATH_MAX] = "", **names = NULL;
	size_t n = 0, read = 0;
	enum worth worth = WORTH_NOTHING;
	if (tp_path_user_data("runs", folder, NULL) != TP_OK ||
	    tp_run_names(folder, &names, &n, NULL) != TP_OK)
		return;
	for (size_t i = n; i-- > 0 && worth < WORTH_ALL && read < RUNS_READ;) {
		struct tp_run_entry entry;
		if (!tp_run_entry_ended(folder, names[i], &entry) ||
		    !may_give(&entry, &session->machine))
			continue;
		read++;
		worth = try_run(reused, session, now, entry.path, WORTH_ALL);
		if (worth == WORTH_POOR && !*poor)
			tp_copy(poor, sizeof(poor), entry.path);
	}
	if (worth < WORTH_ALL && *poor)
		try_run(reused, session, now, poor, WORTH_POOR);
	tp_run_names_free(names, n);
}

enum tp_status tp_reuse_find(struct tp_reused *reused, const struct tp_session *session,
			     const struct tp_run *now, struct tp_diag *diag)
{
	const struct tp_plan *plan = &session->plan;
	const char *wish = NULL;
	*reused = (struct tp_reused){ 0 };
	for (size_t i = 0; i < plan->n && !wish; i++)
		wish = wish_for(&plan->items[i]);
	if (!wish || session->machine.foreign || *session->machine.simulated)
		return TP_OK;
	if (!*wish) {
		take_newest(reused, session, now);
		return TP_OK;
	}
	enum tp_status status = take_named(reused, session, now, wish, diag);
	if (status != TP_OK)
		tp_reuse_release(reused);
	return status;
}

void tp_reuse_tell(const struct tp_reused *reused, const struct tp_session *session,
		   struct tp_run *run)
{
	const struct tp_plan *plan = &session->plan;
	size_t given = 0, all = 0;
	static const char *const keys[] = { TP_REUSED_RUN, TP_REUSED_STARTED, TP_REUSED_PART };
	for (size_t i = 0; i < plan->n && reused->points; i++) {
		given += reused->points[i].state == TP_POINT_DONE;
		all += wish_for(&plan->items[i]) &&
		       (!run->n_points || run->points[i].state == TP_POINT_DONE);
	}
	for (size_t i = 0; i < TP_COUNT_OF(keys) && reused->points; i++)
		tp_run_fact_drop(run, keys[i]);
	if (!given)
		return;
	tp_run_fact_text(run, TP_REUSED_RUN, "%s", reused->run.called);
	tp_run_fact_text(run, TP_REUSED_STARTED, "%s", fact_of(&reused->run, "started"));
	if (given < all)
		tp_run_fact_text(run, TP_REUSED_PART, "%zu of %zu", given, all);
}

void tp_reuse_release(struct tp_reused *reused)
{
	free(reused->points); /* rows and windows are the run's */
	tp_run_release(&reused->run);
	*reused = (struct tp_reused){ 0 };
}
