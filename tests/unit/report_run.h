/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine and a run, written down: the input of tests of reports and pictures. */
#ifndef TPROF_TESTS_REPORT_RUN_H
#define TPROF_TESTS_REPORT_RUN_H

#include "base/memory.h"
#include "machine/machine.h"
#include "record/run.h"
#include "record/point.h"
#include "record/roof.h"
#include "record/dot.h"

#include <stdlib.h>
#include <string.h>

static struct tp_pu report_pus[] = { { .os_index = 0, .allowed = true },
				     { .os_index = 1, .core = 1, .allowed = true } };

static struct tp_numa_node report_node = { .n_pus = 2 };

static inline struct tp_machine report_machine(void)
{
	struct tp_machine m = {
		.hostname = "node7",
		.cpu_name = "Example CPU 9000",
		.cpu = { .arch = "x86_64", .hypervisor = "KVM" },
		.source = "this machine",
		.n_packages = 1,
		.n_cores = 2,
		.n_numa = 1,
		.nodes = &report_node,
		.pus = report_pus,
		.n_pus = 2,
		.n_allowed = 2,
		.memory_bytes = UINT64_C(24) << 30,
		.governor = "performance",
		.turbo = 0,
		.kernel = "Linux 6.1.0",
		.container = "docker",
		.model = { .name = "zen4", .title = "AMD Zen 4 (EPYC 9004)" },
	};
	static const uint64_t bytes[TP_CACHE_LEVELS] = { 0, 32 << 10, 1 << 20, 32 << 20 };
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		m.cache[level] = (struct tp_cache){ .size_bytes = bytes[level],
						    .reported_bytes = bytes[level],
						    .line_bytes = 64,
						    .sharing_cores = level == 3 ? 2 : 1,
						    .sharing_pus = level == 3 ? 2 : 1,
						    .instances = level == 3 ? 1 : 2 };
	return m;
}

/* What the record says of that machine. */
static inline void report_add_facts(struct tp_run *run)
{
	static const struct {
		const char *key, *text;
		double number;
	} facts[] = {
		{ "started", "2026-11-21T11:48:05Z", 0 },
		{ "tprof.version", "0.1.0", 0 },
		{ "machine.hostname", "node7", 0 },
		{ "machine.cpu", "Example CPU 9000", 0 },
		{ "machine.hypervisor", "KVM", 0 },
		{ "machine.kernel", "Linux 6.1.0", 0 },
		{ "machine.container", "docker", 0 },
		{ "machine.governor", "performance", 0 },
		{ "machine.turbo", NULL, 0 },
		{ "machine.model", "zen4", 0 },
		{ "machine.model_title", "AMD Zen 4 (EPYC 9004)", 0 },
		{ "machine.packages", NULL, 1 },
		{ "machine.cores", NULL, 2 },
		{ "machine.cpus", NULL, 2 },
		{ "machine.cpus_allowed", NULL, 2 },
		{ "machine.memory_bytes", NULL, 24.0 * (1 << 30) },
		{ "machine.cache.L1.size_bytes", NULL, 32 << 10 },
		{ "machine.cache.L1.sharing_cores", NULL, 1 },
		{ "machine.cache.L2.size_bytes", NULL, 1 << 20 },
		{ "machine.cache.L2.sharing_cores", NULL, 1 },
		{ "machine.cache.L3.size_bytes", NULL, 32 << 20 },
		{ "machine.cache.L3.sharing_cores", NULL, 2 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(facts); i++) {
		if (facts[i].text)
			tp_run_fact_text(run, facts[i].key, "%s", facts[i].text);
		else
			tp_run_fact_number(run, facts[i].key, facts[i].number);
	}
}

static inline struct tp_point *report_point(struct tp_run *run, const struct tp_point *like)
{
	TP_RESERVE(run->points, run->cap_points, run->n_points + 1);
	struct tp_point *p = &run->points[run->n_points];
	*p = (struct tp_point){ 0 };
	tp_point_take(p, like, &run->arena);
	p->kind->headline(p);
	p->point = (unsigned)run->n_points++;
	return p;
}

/* Of the flags below; a clock that drifts alone does no harm. */
static inline enum tp_quality report_quality(uint32_t flags)
{
	return flags & TP_FLAG(NOISY)	      ? TP_QUALITY_POOR
	       : flags & ~TP_FLAG(FREQ_DRIFT) ? TP_QUALITY_FAIR
					      : TP_QUALITY_GOOD;
}

static inline void report_roof(struct tp_run *run, const char *isa, const char *level,
			       const char *kernel, double median, double best, double per_cycle,
			       double model, double ridge, uint32_t flags)
{
	bool fp = strcmp(level, "FP") == 0;
	struct tp_point like = { .experiment = "roofline",
				 .cpus = "0",
				 .threads = 1,
				 .state = TP_POINT_DONE,
				 .core_ghz = 3.694,
				 .ci_low = median * 0.998,
				 .ci_high = median * 1.001,
				 .flags = flags,
				 .quality = report_quality(flags),
				 .row = &(struct tp_kernel_row){ .precision = "double",
								 .working_set_bytes =
									 fp ? 0 : 16384,
								 .pages = "thp" } };
	*(fp ? &tp_kernel_row_of(&like)->median_gflops : &tp_kernel_row_of(&like)->median_gbps) =
		median;
	if (fp)
		tp_copy(tp_kernel_row_of(&like)->fp_op, sizeof(tp_kernel_row(&like)->fp_op),
			kernel);
	tp_copy(tp_kernel_row_of(&like)->isa, sizeof(tp_kernel_row(&like)->isa), isa);
	tp_copy(tp_kernel_row_of(&like)->level, sizeof(tp_kernel_row(&like)->level), level);
	tp_copy(like.kernel, sizeof(like.kernel), kernel);
	const struct tp_point *p = report_point(run, &like);
	struct tp_roof *r = tp_run_add_row(run, &tp_roof_part);
	if (!r)
		abort();
	*r = (struct tp_roof){ .point = p->point,
			       .threads = 1,
			       .median = median,
			       .best = best,
			       .ci_low = p->ci_low,
			       .ci_high = p->ci_high,
			       .per_cycle = per_cycle,
			       .model = model,
			       .ridge_flop_per_byte = ridge,
			       .flags = flags,
			       .quality = report_quality(flags) };
	tp_copy(r->isa, sizeof(r->isa), isa);
	tp_copy(r->precision, sizeof(r->precision), "double");
	tp_copy(r->level, sizeof(r->level), level);
	if (fp)
		tp_copy(r->fp_op, sizeof(r->fp_op), kernel);
}

static inline void report_add_roofs(struct tp_run *run)
{
	const uint32_t moved = TP_FLAG(CTX_SWITCH) | TP_FLAG(DISTURBED);
	report_roof(run, "avx2", "L1", "2ld1st", 350.44, 354.31, 95.91, 354.6, 0.253, 0);
	report_roof(run, "avx2", "L2", "2ld1st", 117.2, 118.1, 31.97, 354.6, 0.757, 0);
	report_roof(run, "avx2", "L3", "2ld1st", 99.5, 100.2, 27.12, 354.6, 0.891, moved);
	report_roof(run, "avx2", "DRAM", "2ld1st-nt", 28.71, 30.2, 8.17, 354.6, 3.09,
		    moved | TP_FLAG(NOISY) | TP_FLAG(NOT_CONVERGED));
	report_roof(run, "avx2", "FP", "fma+add", 88.67, 88.7, 24.01, 88.7, 0, 0);
	report_roof(run, "avx2", "FP", "add", 29.55, 29.56, 8.0, 29.55, 0, TP_FLAG(FREQ_DRIFT));
	report_roof(run, "scalar", "L1", "load", 59.02, 59.1, 16.0, 59.1, 0.125, 0);
	report_roof(run, "scalar", "FP", "add", 7.384, 7.39, 2.0, 7.388, 0, 0);
}

static inline void report_plateau(struct tp_run *run, const char *level, double gbps, uint64_t from,
				  uint64_t to, uint64_t capacity, uint64_t reported)
{
	struct tp_plateau *p = tp_run_add_row(run, &tp_plateau_part);
	if (!p)
		abort();
	*p = (struct tp_plateau){ .isa = "avx2",
				  .precision = "double",
				  .kernel = "load",
				  .threads = 1,
				  .gbps = gbps,
				  .ci_low = gbps * 0.99,
				  .ci_high = gbps * 1.01,
				  .bytes_per_cycle = gbps / 3.694,
				  .from_bytes = from,
				  .to_bytes = to,
				  .capacity_bytes = capacity,
				  .reported_bytes = reported,
				  .points = 12,
				  .quality = TP_QUALITY_GOOD };
	tp_copy(p->level, sizeof(p->level), level);
}

static inline void report_add_curve(struct tp_run *run)
{
	static const double gbps[] = { 236, 118, 101, 36.9 };
	static const uint64_t edge[] = { 32 << 10, 1 << 20, 32 << 20, UINT64_MAX };
	for (uint64_t bytes = 2048; bytes <= 512 << 20; bytes *= 2) {
		size_t level = 0;
		while (bytes > edge[level])
			level++;
		struct tp_point like = {
			.experiment = "memcurve",
			.kernel = "load",
			.cpus = "0",
			.threads = 1,
			.state = TP_POINT_DONE,
			.core_ghz = 3.691,
			.ci_low = gbps[level] * 0.99,
			.ci_high = gbps[level] * 1.01,
			.flags = bytes > 1 << 28 ? TP_FLAG(SMALL_PAGES) : 0,
			.quality = bytes > 1 << 28 ? TP_QUALITY_FAIR : TP_QUALITY_GOOD,
			.row = &(struct tp_kernel_row){ .isa = "avx2",
							.precision = "double",
							.working_set_bytes = bytes,
							.pages = "thp",
							.median_gbps = gbps[level] }
		};
		report_point(run, &like);
	}
	report_plateau(run, "L1", 236, 2048, 32 << 10, 33 << 10, 32 << 10);
	report_plateau(run, "L2", 118.2, 64 << 10, 1 << 20, 1003520, 1 << 20);
	report_plateau(run, "L3", 101, 2 << 20, 16 << 20, 28 << 20, 32 << 20);
	report_plateau(run, "DRAM", 36.9, 128 << 20, 512 << 20, 0, 0);
}

static inline void report_dot(struct tp_run *run, const char *op, double ai, double gflops,
			      double roof)
{
	struct tp_point like = { .experiment = "mixed",
				 .cpus = "0",
				 .threads = 1,
				 .state = TP_POINT_DONE,
				 .core_ghz = 3.694,
				 .ci_low = gflops * 0.999,
				 .ci_high = gflops * 1.001,
				 .quality = TP_QUALITY_GOOD,
				 .row = &(struct tp_kernel_row){ .isa = "avx2",
								 .precision = "double",
								 .level = "L1",
								 .working_set_bytes = 16384,
								 .pages = "thp",
								 .ai_flop_per_byte = ai,
								 .median_gflops = gflops } };
	tp_copy(tp_kernel_row_of(&like)->fp_op, sizeof(tp_kernel_row(&like)->fp_op), op);
	snprintf(like.kernel, sizeof(like.kernel), "mixed-%s-2ld1st-1:3", op);
	const struct tp_point *p = report_point(run, &like);
	struct tp_dot *d = tp_run_add_row(run, &tp_dot_part);
	if (!d)
		abort();
	*d = (struct tp_dot){ .point = p->point,
			      .isa = "avx2",
			      .precision = "double",
			      .level = "L1",
			      .threads = 1,
			      .ai_flop_per_byte = ai,
			      .gflops = gflops,
			      .roof_gflops = roof,
			      .distance_percent = roof > 0 ? 100 * (gflops / roof - 1) : 0 };
	tp_copy(d->fp_op, sizeof(d->fp_op), op);
}

static inline void report_add_failures(struct tp_run *run)
{
	struct tp_point like = { .experiment = "roofline",
				 .kernel = "load",
				 .cpus = "0",
				 .threads = 1,
				 .state = TP_POINT_FAILED,
				 .diag = { "point", "the engine died of Illegal instruction",
					   "choose another isa" },
				 .row = &(struct tp_kernel_row){ .isa = "avx512",
								 .precision = "double",
								 .level = "L1",
								 .working_set_bytes = 16384 } };
	report_point(run, &like);
	report_point(run, &like);
	like.state = TP_POINT_SKIPPED;
	like.diag = (struct tp_diag){ "", "", "" };
	report_point(run, &like);
}

/*
 * Everything at once: roofs of two ISAs, a curve, dots, flags, failed and skipped points, a remark.
 */
static inline void report_fill(struct tp_run *run)
{
	const struct tp_diag remark = { "journal", "No space left on device", "free some space" };
	*run = (struct tp_run){ .state = "complete", .wall_seconds = 12.34 };
	tp_run_fact_text(run, "name", "night run \u00b5\u03c3");
	report_add_facts(run);
	report_add_roofs(run);
	report_add_curve(run);
	report_dot(run, "fma", 0.0625, 21.7, 21.9);
	report_dot(run, "fma", 0.25, 64.3, 88.6);
	report_dot(run, "add", 1, 29.61, 29.55);
	report_add_failures(run);
	tp_diags_add(&run->diags, &remark);
}

#endif
