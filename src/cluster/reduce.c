/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiments make roofs and plateaus of merged points as of any others. They ask a machine
 * for its caches; that of the nodes is not here, so it is made of what their runs say.
 */
#include "cluster/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "report/facts.h"

enum { PUS_MAX = 65536 };

static unsigned count(const struct tp_run *run, const char *key, unsigned least, unsigned most)
{
	return (unsigned)TP_MIN(TP_MAX(tp_fact_count(run, key), least), most);
}

static void set_caches(struct tp_machine *machine, const struct tp_run *run)
{
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		struct tp_cache *c = &machine->cache[level];

		c->size_bytes = tp_fact_cache(run, level, "size_bytes");
		c->reported_bytes = tp_fact_cache(run, level, "reported_bytes");
		c->line_bytes = (unsigned)TP_MIN(tp_fact_cache(run, level, "line_bytes"), 4096);
		c->sharing_cores = (unsigned)TP_MAX(
			TP_MIN(tp_fact_cache(run, level, "sharing_cores"), PUS_MAX), 1);
		c->instances = (unsigned)TP_MAX(
			TP_MIN(tp_fact_cache(run, level, "instances"), PUS_MAX), 1);
	}
}

/* Cores one after the other, as they share caches. */
static void set_pus(struct tp_machine *machine, struct tp_pu *pus, unsigned n, unsigned cores,
		    unsigned packages)
{
	unsigned smt = TP_MAX(n / cores, 1u);

	for (unsigned i = 0; i < n; i++) {
		unsigned core = i / smt;

		pus[i] = (struct tp_pu){ .os_index = i,
					 .core = core,
					 .smt_rank = i % smt,
					 .package = (unsigned)((uint64_t)core * packages / cores),
					 .allowed = true };
		for (int level = 1; level <= TP_FACT_LEVELS; level++)
			pus[i].cache[level] = core / machine->cache[level].sharing_cores;
	}
	for (int level = 1; level <= TP_FACT_LEVELS; level++)
		machine->cache[level].sharing_pus = machine->cache[level].sharing_cores * smt;
	machine->pus = pus;
	machine->n_pus = machine->n_allowed = n;
	machine->n_cores = cores;
	machine->n_packages = packages;
}

/* The experiment of a run of the preset; NULL if it has no points. */
static const struct tp_experiment *experiment_of(const struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].run == index && run->points[i].state == TP_POINT_DONE)
			return tp_experiment_find(run->points[i].experiment);
	return NULL;
}

enum tp_status tp_merged_run_reduce(struct tp_run *run)
{
	struct tp_machine *machine = calloc(1, sizeof(*machine));
	unsigned n = count(run, "machine.cpus", 1, PUS_MAX), last = 0;
	unsigned cores = count(run, "machine.cores", 1, n);
	struct tp_pu *pus = calloc(n, sizeof(*pus));
	enum tp_status status = machine && pus ? TP_OK : TP_NOMEM;

	if (status == TP_OK) {
		set_caches(machine, run);
		set_pus(machine, pus, n, cores, count(run, "machine.packages", 1, cores));
	}
	for (size_t i = 0; i < run->n_points; i++)
		last = TP_MAX(last, run->points[i].run);
	for (unsigned r = 0; r <= last && status == TP_OK; r++) {
		const struct tp_experiment *e = experiment_of(run, r);

		if (e && e->reduce)
			status = e->reduce(machine, run, r);
	}
	free(machine);
	free(pus);
	return status;
}
