/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of patterns as ECM and the roofline predict them, from bandwidths of the same run. */
#include "experiments/pattern/predict.h"
#include "experiments/pattern/prediction.h"

#include <string.h>

static const char *const levels[TP_ECM_LEVELS + 1] = { "L1", "L2", "L3", "DRAM", "FP" };

/* Roofs of a number of threads: the best ISA of each level, and the highest peak. */
struct measured {
	double gbps[TP_ECM_LEVELS], crossing, peak_gflops;
};

static void take_roof(const struct tp_point *p, struct measured *m)
{
	const struct tp_kernel_row *k = tp_kernel_row(p);
	double value = tp_point_median(p);
	for (unsigned i = 0; i <= TP_ECM_LEVELS; i++) {
		if (strcmp(k->level, levels[i]) != 0)
			continue;
		if (i == TP_ECM_LEVELS) {
			m->peak_gflops = value > m->peak_gflops ? value : m->peak_gflops;
		} else if (!k->fp_op[0] && !k->nontemporal && k->loads + k->stores > 0 &&
			   value > m->gbps[i]) {
			m->gbps[i] = value;
			/* What is stored was loaded before, and goes back. */
			m->crossing = (k->loads + 2.0 * k->stores) / (k->loads + k->stores);
		}
	}
}

static struct measured measured_for(const struct tp_run *run, const struct tp_point *point)
{
	struct measured m = { .crossing = 1 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state == TP_POINT_DONE && strcmp(p->experiment, "roofline") == 0 &&
		    p->threads == point->threads &&
		    strcmp(tp_kernel_row(p)->precision, tp_kernel_row(point)->precision) == 0)
			take_roof(p, &m);
	}
	return m;
}

static enum tp_status predict(struct tp_run *run, const struct tp_point *point,
			      const struct measured *m)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	const struct tp_ecm ecm = {
		.core_ns = m->peak_gflops > 0 ? row->flop_per_element / m->peak_gflops : 0,
		.bytes = { row->bytes_per_element, row->l2_bytes, row->l3_bytes, row->dram_bytes },
		.gbps = { m->gbps[0], m->gbps[1], m->gbps[2], m->gbps[3] },
		.crossing = m->crossing,
	};
	struct tp_ecm_times times;
	if (!tp_ecm(&ecm, &times))
		return TP_OK;
	struct tp_prediction *p = tp_run_add_row(run, &tp_prediction_part);
	if (!p)
		return TP_NOMEM;
	*p = (struct tp_prediction){
		.run = point->run,
		.point = point->point,
		.roofline_ns = times.roofline_ns,
		.fp_ns = ecm.core_ns,
		.l1_ns = times.level_ns[0],
		.l2_ns = times.level_ns[1],
		.l3_ns = times.level_ns[2],
		.dram_ns = times.level_ns[3],
		.ecm_ns = times.ns,
		.element_ns = row->element_ns,
		.measured_to_ecm = row->element_ns / times.ns,
	};
	tp_copy(p->limit, sizeof(p->limit), levels[times.limit]);
	return TP_OK;
}

enum tp_status tp_pattern_reduce_predictions(struct tp_run *run, unsigned index)
{
	enum tp_status status = TP_OK;
	struct measured m = { 0 };
	unsigned threads = 0;
	char precision[sizeof(((struct tp_kernel_row *)0)->precision)] = "";
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->run != index || p->state != TP_POINT_DONE ||
		    strcmp(p->experiment, "pattern") != 0 || !tp_pattern_row(p)->reuse_level[0] ||
		    !(tp_pattern_row(p)->element_ns > 0))
			continue;
		/* Neighbours have the same roofs. */
		if (p->threads != threads || strcmp(precision, tp_kernel_row(p)->precision) != 0) {
			m = measured_for(run, p);
			threads = p->threads;
			tp_copy(precision, sizeof(precision), tp_kernel_row(p)->precision);
		}
		status = predict(run, p, &m);
	}
	return status;
}
