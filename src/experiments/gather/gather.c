/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gathers: the time of one instruction that loads elements from several cache lines, against the
 * number of these lines. Gathers follow each other without waiting for each other, each at another
 * place (measure/gather.h), with lines that are in the first cache or in none.
 */
#include "experiments/gather/gather_row.h"
#include "experiments/gather/plan.h"
#include "experiments/gather/summary.h"
#include "experiments/registry.h"
#include "experiments/windows/bench.h"

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	bool any = false;
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "gather", TP_SIMULATED_HINT,
			       "a simulation has no gathers");
	for (size_t i = 0; i < tp_isa_count; i++)
		any |= tp_isa_table[i]->gather_most_bytes > 0;
	if (!any)
		return tp_fail(diag, TP_UNSUPPORTED, "gather", NULL,
			       "this program has no gathers for this architecture; those of AVX2 "
			       "and AVX-512 are known");
	return tp_experiment_supported_anywhere(machine, diag);
}

/* What follows from the time of a gather; 0 ticks where there is no cycle counter. */
static void derive(double ticks_per_ns, struct tp_point *point)
{
	struct tp_gather_row *row = point->row;
	struct tp_kernel_row *k = &row->kernel;
	double bytes = (double)row->lines * TP_GATHER_LINE_BYTES;
	row->ticks = k->median_ns * ticks_per_ns;
	k->median_gbps = k->median_ns > 0 ? bytes * point->threads / k->median_ns : 0;
	k->best_gbps = k->best_ns > 0 ? bytes * point->threads / k->best_ns : 0;
	double cycles = k->median_ns * point->core_ghz;
	k->bytes_per_cycle = cycles > 0 ? bytes / cycles : 0;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	enum tp_status status = tp_window_run(bench, planned, point, diag);
	if (status == TP_OK)
		derive(bench->clock.counter ? bench->clock.hz * 1e-9 : 0, point);
	return status;
}

/* All processes of a point have the same counter: its rate is that of what one of them found. */
static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_gather_row *row = point->row;
	double before = row->kernel.median_ns, ticks = row->ticks;
	enum tp_status status = tp_window_repeated.summarise(machine, planned, point, diag);
	if (status == TP_OK)
		derive(before > 0 ? ticks / before : 0, point);
	return status;
}

static void rule(const struct tp_machine *machine, const struct tp_planned *planned,
		 struct tp_stop_rule *stop)
{
	tp_window_repeated.rule(machine, planned, stop);
}

static void judge(const struct tp_machine *machine, const struct tp_planned *planned,
		  struct tp_point *point)
{
	tp_window_repeated.judge(machine, planned, point);
}

static const struct tp_repeated repeated = { rule, summarise, judge };

/* The points once more, as rows of numbers. */
static enum tp_status reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	enum tp_status status = TP_OK;
	(void)machine;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++)
		if (run->points[i].run == index && tp_point_is_gather(&run->points[i]))
			status = tp_gather_add_found(run, &run->points[i]);
	return status;
}

/* While a run is watched, its points say it all. */
static void reduce_point(struct tp_run *run, const struct tp_point *last)
{
	(void)run;
	(void)last;
}

/*
 * Lists with as many lines take about the same time; where there are only a few, a line through all
 * gathers tells roughly. One that seems to take another time, and is poor, was disturbed.
 */
static bool is_strange(const struct tp_gather_cells *cells, const struct tp_gather_fit *fit,
		       const struct tp_point *p)
{
	const double alike = 1.2, roughly = 2;
	enum { LEAST = 5 };
	const struct tp_gather_cell *c = tp_gather_cell_of(cells, p);
	double ns = tp_kernel_row(p)->median_ns, usual = 0, within = alike;
	if (c && c->n >= LEAST) {
		usual = c->median_ns;
	} else if (fit) {
		usual = fit->first_ns + fit->line_ns * (tp_gather_row(p)->lines - 1);
		within = roughly;
	}
	return usual > 0 && (ns > within * usual || ns * within < usual);
}

static void doubt(const struct tp_run *run, unsigned index, bool *again)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = tp_gather_groups(run, groups);
	for (size_t g = 0; g < n; g++) {
		struct tp_gather_cells cells;
		bool good = groups[g].run == index &&
			    tp_gather_cells_make(run, &groups[g], true, &cells) == TP_OK;
		struct tp_gather_fit fit;
		bool fits = good && tp_gather_fit(&cells, &fit);
		for (size_t i = 0; i < run->n_points && good; i++) {
			const struct tp_point *p = &run->points[i];
			if (p->quality == TP_QUALITY_POOR && tp_gather_in_group(p, &groups[g]) &&
			    is_strange(&cells, fits ? &fit : NULL, p))
				again[p->point] = true;
		}
		if (groups[g].run == index)
			tp_gather_cells_release(&cells);
	}
}

const struct tp_experiment tp_experiment_gather = {
	.name = "gather",
	.summary = "gathers: time of an instruction that loads elements from several cache lines, "
		   "against the number of these",
	.supported = supported,
	.plan = tp_gather_plan,
	.plan_bytes = sizeof(struct tp_gather_plan),
	.run = run,
	.repeated = &repeated,
	.reduce = reduce,
	.reduce_point = reduce_point,
	.doubt = doubt,
};
