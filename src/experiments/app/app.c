/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of the user under the roofs of the machine: their work, traffic and speed. Points for
 * programs and roofs, and the place of each region once they are measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/command.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/place.h"
#include "experiments/app/row.h"
#include "app/symbols.h"
#include "experiments/app/run.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/roofs.h"
#include "experiments/windows/sweep.h"
#include "preset/shared_options.h"
#include "record/dot.h"
#include "record/load.h"
#include "record/roof.h"

/* A roof takes its race and its windows. */
#define ROOF_TIMES 1.6

enum { TEAMS_MAX = TP_MAX_LIST + 2 };

static const char *const thread_variables[] = { "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
						"MKL_NUM_THREADS", "BLIS_NUM_THREADS" };

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	char **words, **functions, **variables;
	/* Thread counts that roofs are measured with. */
	unsigned teams[TEAMS_MAX];
	size_t n_teams;
};

/* What all points have, and what one has: while points are counted, only the last one is there. */
static struct tp_arena *shared_arena(const struct planner *pl)
{
	return &pl->context->plan->arena;
}

static struct tp_arena *arena_of(const struct planner *pl)
{
	struct tp_plan *plan = pl->context->plan;
	return plan->counting ? &plan->counted : &plan->arena;
}

/* --- the request --- */

/* The variables of a point, up to NULL. What the user writes himself wins. */
static char **variables_of(struct planner *pl, unsigned threads)
{
	struct tp_arena *arena = arena_of(pl);
	char *automatic[TP_COUNT_OF(thread_variables) + 1] = { NULL };
	for (size_t i = 0; threads && i < TP_COUNT_OF(thread_variables); i++) {
		TP_STR text = { 0 };
		tp_str_printf(&text, "%s=%u", thread_variables[i], threads);
		automatic[i] = tp_arena_strdup(arena, tp_str_text(&text));
	}
	char *const *const lists[] = { automatic, pl->variables };
	TP_FREE char **merged = tp_environment_merge(lists, TP_COUNT_OF(lists));
	size_t n = 0;
	while (merged[n])
		n++;
	return memcpy(tp_arena_alloc(arena, (n + 1) * sizeof(*merged)), merged,
		      n * sizeof(*merged));
}

/* --- points --- */

static void name_point(struct planner *pl, unsigned threads, struct tp_point *point)
{
	struct tp_app_row *row = point->row;
	const char *text = tp_config_text(pl->context->config, TP_OPT_APP_COMMAND);
	tp_shown(row->command, sizeof(row->command), text, strlen(text));
	row->wanted_threads = threads;
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), TP_ISA_COMPILED);
	const char *name = tp_path_last(pl->words[0]);
	tp_shown(point->kernel, sizeof(point->kernel), name, strlen(name));
}

/* Rounds: a program has its place once it was timed once, if its roofs are there. */
enum { BEFORE, PROGRAM, AFTER };

/* `threads` 0: as the environment has it, on all CPUs. */
static enum tp_status add_program(struct planner *pl, unsigned threads)
{
	const struct tp_config *config = pl->context->config;
	unsigned team = threads ? threads : (unsigned)pl->context->machine->n_allowed;
	unsigned *cpus;
	enum tp_status status =
		tp_planner_place(pl->context, TP_OPT_APP_THREADS, team, &cpus, pl->diags);
	if (status != TP_OK)
		return status;
	struct tp_planned *p = tp_plan_add(pl->context, team, cpus, 0, pl->diags);
	if (!p)
		return TP_RESOURCE;
	p->round = PROGRAM;
	struct tp_app_plan *plan = tp_app_plan(p);
	plan->runs = true;
	plan->threads = threads;
	plan->words = pl->words;
	plan->functions = pl->functions;
	plan->variables = variables_of(pl, threads);
	name_point(pl, threads, &p->point);
	p->point.estimate_seconds = tp_config_real(config, TP_OPT_APP_MAX_TIME);
	return TP_OK;
}

/* Most programs compute in double precision. */
static enum tp_status add_peaks(struct planner *pl, const struct tp_combination *team, bool later)
{
	static const char *const precisions[] = { "double", "single" };
	double limit = tp_config_real(pl->context->config, TP_OPT_STOP_MAX_TIME);
	for (size_t i = 0; i < TP_COUNT_OF(precisions); i++) {
		struct tp_combination own = *team;
		own.precision = tp_precision_find(precisions[i]);
		struct tp_planned *p = tp_planner_fp(pl->context, &own, TP_FP_FMA, pl->diags);
		if (!p)
			return TP_RESOURCE;
		p->point.estimate_seconds = ROOF_TIMES * limit;
		p->round = later || i > 0 ? AFTER : BEFORE;
	}
	return TP_OK;
}

/* Only loads: most programs load far more than they store. Bytes have no precision. */
static enum tp_status add_roofs(struct planner *pl, const struct tp_choices *c, unsigned threads,
				bool later)
{
	const struct tp_ratio loads = { .loads = 1 };
	double limit = tp_config_real(pl->context->config, TP_OPT_STOP_MAX_TIME);
	unsigned *cpus;
	enum tp_status status =
		tp_planner_place(pl->context, TP_OPT_APP_THREADS, threads, &cpus, pl->diags);
	if (status != TP_OK)
		return status;
	const struct tp_combination team = { c->isas[c->n_isas - 1], tp_precision_find("double"),
					     threads, cpus };
	status = add_peaks(pl, &team, later);
	for (size_t l = 0; l < c->n_levels && status == TP_OK; l++) {
		struct tp_planned *p = tp_planner_memory(pl->context, &team, loads, false, 0,
							 c->levels[l], pl->diags);
		if (!p)
			return TP_RESOURCE;
		p->point.estimate_seconds = ROOF_TIMES * limit;
		p->round = later ? AFTER : BEFORE;
	}
	return status;
}

/*
 * Whether it is likely to have several threads or processes. The other roofs are measured after the
 * program, so that its dot is there early.
 */
static bool is_parallel(const struct planner *pl)
{
	static const char *const marks[] = { "pthread_create", "libgomp",     "libomp", "libiomp",
					     "libtbb",	       "libopenblas", "libmkl" };
	static const char *const starters[] = { "mpirun", "mpiexec", "srun", "make",   "ninja",
						"sh",	  "bash",    "dash", "xargs",  "parallel",
						"env",	  "nice",    "time", "python", "orterun" };
	char path[TP_PATH_MAX];
	if (!tp_program_find(pl->words[0], path))
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(starters); i++)
		if (strncmp(tp_path_last(path), starters[i], strlen(starters[i])) == 0)
			return true;
	return tp_app_symbols_mention(path, marks, TP_COUNT_OF(marks));
}

static void add_team(struct planner *pl, unsigned threads)
{
	for (size_t i = 0; i < pl->n_teams; i++)
		if (pl->teams[i] == threads)
			return;
	if (pl->n_teams < TEAMS_MAX)
		pl->teams[pl->n_teams++] = threads;
}

/* Programs come first: the user wants to see their output. */
static enum tp_status add_programs(struct planner *pl)
{
	const struct tp_value *threads = tp_config_value(pl->context->config, TP_OPT_APP_THREADS);
	unsigned all = (unsigned)pl->context->machine->n_allowed;
	enum tp_status status = TP_OK;
	if (threads->n > TP_MAX_LIST)
		return tp_planner_refuse(pl->context, pl->diags, TP_USAGE, TP_OPT_APP_THREADS,
					 "at most 64", "too many thread counts");
	for (size_t i = 0; i < threads->n && status == TP_OK; i++) {
		uint64_t wanted = threads->items[i].count;
		size_t before = pl->n_teams;
		add_team(pl, wanted == UINT64_MAX ? all : (unsigned)wanted);
		if (pl->n_teams > before) /* 1 and all on a machine of one CPU */
			status = add_program(pl, pl->teams[before]);
	}
	if (threads->n)
		return status;
	/* How many will run is known afterwards: most programs have one thread, or all. */
	add_team(pl, 1);
	add_team(pl, all);
	return add_program(pl, 0);
}

/* A run that is named has to be there. */
static enum tp_status check_roofs(struct planner *pl, const char *roofs)
{
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	if (tp_has_word("auto all measure none", roofs) || pl->context->machine->foreign)
		return TP_OK;
	enum tp_status status = tp_run_find(roofs, path, &diag);
	return status == TP_OK ? TP_OK
			       : tp_planner_refuse(pl->context, pl->diags, status, TP_OPT_APP_ROOFS,
						   "auto, all, measure, none, or the name of a "
						   "run: "
						   "tprof --list runs",
						   "%s", diag.what);
}

static enum tp_status plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct planner pl = { .context = context, .diags = diags };
	const char *wish = tp_config_text(context->config, TP_OPT_APP_ROOFS);
	bool roofs = strcmp(wish, "none") != 0;
	struct tp_choices choices;
	enum tp_status status =
		tp_planner_program(context, TP_OPT_APP_COMMAND,
				   "tprof --app -- ./program arguments", &pl.words, diags);
	const char *source = tp_config_text(context->config, TP_OPT_APP_SOURCE);

	if (!tp_has_word("auto pmu both", source))
		tp_planner_idle(context, TP_OPT_APP_FORMULAS, TP_OPT_APP_SOURCE,
				"only counters of the CPU use formulas");
	if (status == TP_OK)
		status = tp_planner_functions(context, TP_OPT_APP_REGIONS, shared_arena(&pl),
					      &pl.functions, diags);
	if (status == TP_OK)
		status = tp_planner_variables(context, TP_OPT_APP_ENV, NULL,
					      "such as OMP_PROC_BIND=close", shared_arena(&pl),
					      &pl.variables, diags);
	if (status == TP_OK)
		status = check_roofs(&pl, wish);
	if (status == TP_OK)
		status = add_programs(&pl);
	if (status == TP_OK && roofs)
		status = tp_planner_choices(context, &choices, diags);
	/* Without a requested number of threads one team is enough for a first answer. */
	const unsigned all = (unsigned)context->machine->n_allowed;
	const bool one =
		status == TP_OK && !tp_config_value(context->config, TP_OPT_APP_THREADS)->n;
	const bool parallel = one && is_parallel(&pl);
	for (size_t i = 0; i < pl.n_teams && status == TP_OK && roofs; i++)
		status = add_roofs(&pl, &choices, pl.teams[i],
				   one && all > 1 && (pl.teams[i] > 1) != parallel);
	return status;
}

/* The peak of a team in a precision; 0 = none. */
static double peak_of(const struct tp_run *run, unsigned index, unsigned threads,
		      const char *precision)
{
	double peak = 0;
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (r->run == index && r->threads == threads && tp_roof_is_peak(r) &&
		    strcmp(r->precision, precision) == 0)
			peak = fmax(peak, r->median);
	}
	return peak;
}

/* Whether some program computes in it: peaks of other precisions do not matter. */
static bool is_used(const struct tp_run *run, unsigned index, const char *precision)
{
	bool any = false;
	TP_EACH_ROW (tp_app_region_row, row, run, app_regions) {
		if (row->run == index && strcmp(row->precision, precision) == 0)
			return true;
		any |= row->run == index && row->precision[0];
	}
	return !any && strcmp(precision, "double") == 0;
}

static void add_measured_roofs(struct tp_run *run, unsigned index)
{
	TP_EACH_POINT (p, run) {
		if (p->run != index || p->state != TP_POINT_DONE || tp_point_is_app(p) ||
		    (tp_point_is_fp(p) && !is_used(run, index, tp_kernel_row(p)->precision)))
			continue;
		*(struct tp_roof *)tp_run_add_row(run, &tp_roof_part) = tp_roof_of(p);
	}
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		struct tp_roof *r = &tp_run_roofs(run)[i];
		if (r->run == index && !tp_roof_is_peak(r))
			r->ridge_flop_per_byte = tp_roof_ridge(
				peak_of(run, index, r->threads, r->precision), r->median);
	}
}

/*
 * Bytes have no precision: the same bandwidths are roofs of programs in single precision, whose
 * peak is measured after the program.
 */
static void add_single(struct tp_run *run, unsigned index, unsigned threads)
{
	const size_t n = tp_run_n_roofs(run);
	double peak = peak_of(run, index, threads, "single");
	for (size_t i = 0; i < n; i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (r->run == index && r->threads == threads && !tp_roof_is_peak(r) &&
		    strcmp(r->precision, "single") == 0)
			return;
	}
	for (size_t i = 0; i < n; i++) {
		struct tp_roof roof = tp_run_roofs(run)[i];
		if (roof.run != index || roof.threads != threads || tp_roof_is_peak(&roof))
			continue;
		tp_copy(roof.precision, sizeof(roof.precision), "single");
		roof.ridge_flop_per_byte = tp_roof_ridge(peak, roof.median);
		*(struct tp_roof *)tp_run_add_row(run, &tp_roof_part) = roof;
	}
}

/*
 * A program without regions is drawn under its own name; one with regions may have one of that
 * name.
 */
static const char *dot_name(const struct tp_run *run, const struct tp_point *p,
			    const struct tp_app_region_row *row)
{
	bool regions = strcmp(row->region, TP_APP_PROGRAM) != 0;
	for (size_t i = 0; i < tp_run_n_app_regions(run) && !regions; i++) {
		const struct tp_app_region_row *r = &tp_run_app_regions(run)[i];
		regions = r->point == p->point && tp_app_is_whole(r) &&
			  strcmp(r->region, TP_APP_PROGRAM) != 0;
	}
	return regions ? row->region : p->kernel;
}

static struct tp_dot *add_dot(struct tp_run *run, const struct tp_point *p,
			      const struct tp_app_region_row *row, int level, double ai)
{
	struct tp_dot *dot = tp_dot_add(run, p, dot_name(run, p, row));
	tp_copy(dot->isa, sizeof(dot->isa), TP_ISA_COMPILED);
	tp_copy(dot->precision, sizeof(dot->precision), row->precision);
	tp_copy(dot->level, sizeof(dot->level), tp_app_level_names[level]);
	dot->threads = row->roof_threads;
	dot->ai_flop_per_byte = ai;
	dot->gflops = row->gflops;
	if (tp_app_is_at_units(row)) {
		tp_copy(dot->limit, sizeof(dot->limit), tp_app_units(row));
		dot->limit_gflops = row->gflops / row->explained_percent * 100;
	}
	return dot;
}

/* One dot for the bytes that the core moves, or one for each level that bytes came from. */
static void add_dots(struct tp_run *run, const struct tp_point *p,
		     const struct tp_app_region_row *row, const struct tp_app_roofs *roofs)
{
	double flops = (double)tp_app_flops(row);
	bool levels = false;
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++) {
		if (!(row->level_bytes[l] > 0) || !(roofs->gbps[l] > 0))
			continue;
		double ai = flops / row->level_bytes[l];
		levels = true;
		tp_dot_set_roof(add_dot(run, p, row, l, ai),
				roofs->peak_gflops > 0
					? tp_roof_attainable(roofs->peak_gflops, roofs->gbps[l], ai)
					: roofs->gbps[l] * ai);
	}
	int level = tp_app_level(row, roofs);
	if (levels || level < 0)
		return;
	struct tp_dot *dot = add_dot(run, p, row, level, row->ai_flop_per_byte);
	if (row->roof_gflops > 0)
		tp_dot_set_roof(dot, row->roof_gflops);
}

static void place_region(struct tp_run *run, const struct tp_point *p, size_t i)
{
	struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
	const struct tp_app_row *app = tp_app_row(p);
	struct tp_app_roofs roofs;
	tp_app_find_roofs(run, row, &roofs);
	tp_app_place(row, &roofs);
	tp_app_judge(row, &roofs, app->signal);
	if (roofs.threads && strcmp(row->precision, "single") == 0)
		add_single(run, p->run, roofs.threads);
	bool drawn = tp_app_is_whole(row) && row->gflops > 0 && row->ai_flop_per_byte > 0 &&
		     tp_app_goes_by(p, row->source);
	if (drawn && roofs.threads)
		add_dots(run, p, row, &roofs);
}

/* As tp_experiment.reduce: roofs, and where each region stands below them. */
static void reduce(const struct tp_machine *machine __attribute__((unused)), struct tp_run *run,
		   unsigned index)
{
	add_measured_roofs(run, index);
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		const struct tp_point *p = tp_run_point(run, row->point);
		if (row->run == index && p && tp_point_is_app(p) && p->state != TP_POINT_FAILED)
			place_region(run, p, i);
	}
}

/* An empty text runs nothing; any other text is code. */
static bool code_is_known(const struct tp_option *option __attribute__((unused)), const char *text)
{
	return !*text;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	return (tp_app_plan(planned)->runs ? tp_app_run_point : tp_window_run)(bench, planned,
									       point, diag);
}

/* As tp_experiment.unneeded: roofs of thread counts and precisions that no program used. */
static bool is_unneeded(const struct tp_run *run, const struct tp_planned *planned,
			struct tp_diag *why)
{
	const struct tp_point *roof = &planned->point;
	const char *precision = tp_kernel_row(roof)->precision;
	const char *hint = "app.roofs=all measures it anyway";
	bool timed = false, used = false;
	if (tp_app_plan(planned)->runs ||
	    strcmp(tp_config_text(planned->config, TP_OPT_APP_ROOFS), "all") == 0)
		return false;
	TP_EACH_POINT (p, run) {
		if (p->run == roof->run && tp_point_is_app(p) && p->state == TP_POINT_PLANNED)
			return false;
	}
	TP_EACH_ROW (tp_app_region_row, row, run, app_regions) {
		if (row->run != roof->run || !tp_app_is_whole(row) || !(row->seconds > 0))
			continue;
		timed = true;
		used |= tp_app_team(run, row) == roof->threads;
	}
	if (!timed)
		tp_fail(why, TP_OK, roof->kernel, hint,
			"the program was not timed, so it has no place under roofs");
	else if (!used)
		tp_fail(why, TP_OK, roof->kernel, hint,
			"no part of the program runs on %u thread%s", roof->threads,
			roof->threads == 1 ? "" : "s");
	else if (tp_point_is_fp(roof) && !is_used(run, roof->run, precision))
		tp_fail(why, TP_OK, roof->kernel, hint,
			"no part of the program computes in %s precision", precision);
	else
		return false;
	return true;
}

/* Roofs stay what they are for weeks. */
static const char *reuses(const struct tp_planned *planned)
{
	const char *roofs = tp_config_text(planned->config, TP_OPT_APP_ROOFS);
	if (tp_app_plan(planned)->runs || strcmp(roofs, "measure") == 0)
		return NULL;
	return tp_has_word("auto all", roofs) ? "" : roofs;
}

static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_app_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_app = {
	.name = "app",
	.question = "What limits my program?",
	.summary =
		"a program of yours under the roofs of this machine: FLOPs, bytes and time of its "
		"regions, and what limits them",
	.not_simulated = "a simulation runs kernels of tprof, not programs",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan_points,
	.plan_bytes = sizeof(struct tp_app_plan),
	.run = run,
	.reduce = reduce,
	.reduces_early = &tp_app_region_event,
	.doubt = tp_doubt_roofs,
	.reuses = reuses,
	.unneeded = is_unneeded,
	.code_is_known = code_is_known,
	.describe = describe,
};
