/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up runs of nodes: rooflines with windows, for tests and benches of merging. */
#ifndef TPROF_TESTS_NODE_RUNS_H
#define TPROF_TESTS_NODE_RUNS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "record/point.h"
#include "record/run.h"

struct made_node {
	const char *cpu; /* NULL: "Test CPU" */
	const char *microcode; /* NULL: it has none */
	const char *version, *started; /* NULL: "9.9", "2026-01-24T01:00:00Z" */
	double speed; /* of all rates; 1 */
	uint64_t seed;
	unsigned n_points, n_windows;
	unsigned skip; /* so many points at the beginning are not in its plan */
};

static inline double made_noise(uint64_t *random, double deviation)
{
	double sum = 0; /* of twelve uniform numbers: nearly normal */

	for (int i = 0; i < 12; i++)
		sum += (double)(tp_splitmix64(random) >> 11) * 0x1p-53;
	return deviation * (sum - 6);
}

static inline bool made_point(struct tp_run *run, unsigned id, unsigned number, double value,
			      unsigned n_windows, uint64_t *random)
{
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM", "FP" };
	struct tp_point *p = &run->points[id];
	bool fp = number % 5 == 4;

	p->point = id;
	tp_point_begin(p, "roofline", &run->arena);
	struct tp_kernel_row *k = tp_kernel_row_of(p);

	snprintf(p->kernel, sizeof(p->kernel), "%s", fp ? "fma" : "load");
	snprintf(k->isa, sizeof(k->isa), "avx2");
	snprintf(k->precision, sizeof(k->precision), "double");
	snprintf(k->level, sizeof(k->level), "%s", levels[number % 5]);
	if (fp)
		snprintf(k->fp_op, sizeof(k->fp_op), "fma");
	else
		k->loads = 1;
	k->working_set_bytes = fp ? 0 : (uint64_t)16384 << 2 * (number % 5);
	p->threads = number / 5 + 1;
	snprintf(p->cpus, sizeof(p->cpus), "0-%u", p->threads);
	p->state = TP_POINT_DONE;
	p->median = p->best = value;
	p->ci_low = 0.99 * value;
	p->ci_high = 1.01 * value;
	p->core_ghz = 3.0;
	p->kept = n_windows;
	p->invocations = 1;
	p->seconds = 0.5;
	p->quality = TP_QUALITY_GOOD;
	tp_kernel_derive(p, value / 3);
	p->kind->headline(p);
	for (unsigned w = 0; w < n_windows; w++) {
		struct tp_sample s = { .seconds = 0.01,
				       .rate = value * exp(made_noise(random, 0.01)),
				       .core_ghz = 3.0 };
		tp_point_add_sample(p, &s);
	}
	return true;
}

/* Release it in any case. */
static inline bool made_run(struct tp_run *run, const char *name, const struct made_node *node)
{
	uint64_t random = node->seed * 7919 + 1;

	*run = (struct tp_run){ .state = "complete", .wall_seconds = 12 };
	run->points = calloc(node->n_points + 1, sizeof(*run->points));
	if (!run->points)
		return false;
	run->cap_points = node->n_points;
	for (unsigned i = node->skip; i < node->n_points; i++) {
		double base = i % 5 == 4 ? 60 : 200 / pow(2, i % 5);
		double value = base * (i / 5 + 1) * node->speed * exp(made_noise(&random, 0.015));

		if (!made_point(run, (unsigned)run->n_points, i, value, node->n_windows, &random))
			return false;
		run->n_points++;
	}
	static const char *const numbers[] = { "machine.packages=1",
					       "machine.cores=8",
					       "machine.cpus=16",
					       "machine.cpus_allowed=16",
					       "machine.numa_nodes=1",
					       "machine.page_bytes=4096",
					       "machine.family=25",
					       "machine.model_number=17",
					       "machine.stepping=1",
					       "machine.cache.L1.size_bytes=32768",
					       "machine.turbo=1",
					       "machine.cache.L2.size_bytes=1048576",
					       "preset.runs=1",
					       "machine.cache.L3.size_bytes=33554432",
					       "seed=1",
					       "machine.cache.L3.sharing_cores=8",
					       "machine.huge_page_bytes=2097152" };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(numbers[i], "="), numbers[i]);
		tp_run_fact_number(run, key, atof(strchr(numbers[i], '=') + 1));
	}
	tp_run_fact_text(run, "tprof.version", "%s", node->version ? node->version : "9.9");
	tp_run_fact_text(run, "started", "%s",
			 node->started ? node->started : "2026-01-24T01:00:00Z");
	tp_run_fact_text(run, "name", "made");
	tp_run_fact_text(run, "machine.hostname", "%s", name);
	tp_run_fact_text(run, "machine.cpu", "%s", node->cpu ? node->cpu : "Test CPU");
	tp_run_fact_text(run, "machine.arch", "x86_64");
	tp_run_fact_text(run, "machine.kernel", "Linux 6.1");
	if (node->microcode)
		tp_run_fact_text(run, "machine.microcode", "%s", node->microcode);
	/* Firmware keeps a little of it. */
	tp_run_fact_number(run, "machine.memory_bytes",
			   (double)(UINT64_C(64) << 30) - (double)(node->seed % 7) * 1e6);
	return true;
}

#endif
