/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/scan.h"
#include "analysis/plateau.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/windows/bodies.h"
#include "record/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Four times a smaller share is touched and walked in no time, whoever else uses that cache. */
#define SCAN_FROM_BYTES (32u << 20)
/* Of each size: long enough for a few windows that are left alone. */
#define SIZE_SECONDS 0.02
/* What is found is told if it differs from what is reported by more than that. */
#define FAR 1.5

enum { SIZES_MAX = 32, SIZE_WINDOWS = 7, SIZE_LEAST = 5, GRAIN_BYTES = 4096 };

static bool wanted(const struct tp_machine *machine, const struct tp_planned *p)
{
	int last = tp_machine_last_level(machine);
	return tp_window_plan(p)->scan && last && !machine->cache[last].given_bytes &&
	       tp_machine_share(machine, last, p->point.threads) > SCAN_FROM_BYTES;
}

/* A few windows of loads through so many bytes; *gbps is their median. */
static enum tp_status measure(struct tp_window_bench *w, const struct tp_planned *p, uint64_t bytes,
			      double *gbps, double *touch_seconds, struct tp_diag *diag)
{
	struct tp_window_plan plan = *tp_window_plan(p);
	struct tp_kernel_row row = *tp_kernel_row(&p->point);
	struct tp_planned loads = *p;
	struct tp_candidate candidates[TP_MAX_CANDIDATES];
	struct tp_sampling sampling;
	struct tp_watch watch = w->bench->watch ? *w->bench->watch : (struct tp_watch){ 0 };
	double since = tp_team_now(w->team);
	uint64_t before = tp_team_touched_bytes(w->team);
	uint64_t slack = p->own_bytes - plan.kernel.working_set_bytes;

	watch.sample = NULL; /* the windows of a scan are no samples of the point */
	plan.kernel = (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
					  .isa = plan.kernel.isa,
					  .element_bytes = plan.kernel.element_bytes,
					  .loads = 1,
					  .working_set_bytes = bytes };
	row.best_ratio = false;
	row.fp_op[0] = '\0';
	row.ai_flop_per_byte = 0;
	loads.row = &plan;
	loads.point.row = &row;
	loads.point.samples = NULL;
	loads.point.n_samples = loads.point.cap_samples = 0;
	enum tp_status status = tp_team_buffers(w->team, bytes + slack,
						w->bench->frugal ? p->own_bytes : p->buffer_bytes,
						p->pages, &watch, diag);
	if (tp_team_touched_bytes(w->team) != before)
		*touch_seconds += tp_team_now(w->team) - since;
	if (status != TP_OK)
		return status;
	tp_bodies(&loads, candidates);
	tp_window_sampling(&loads, w->bench->machine, &sampling);
	sampling.settle_bytes = bytes;
	sampling.rule.max_seconds = SIZE_SECONDS;
	sampling.rule.max_samples = SIZE_WINDOWS;
	sampling.rule.min_count = SIZE_LEAST;
	status = tp_sampler_run(w->team, w->bench->cpu, &candidates[0], &sampling, &watch,
				w->bench->invocation, &loads.point, diag);
	*gbps = loads.point.median;
	tp_point_release(&loads.point);
	return status;
}

/* Words for people, where the report of the machine misleads. */
static void tell(const struct tp_window_bench *w, const struct tp_planned *p,
		 const struct tp_last_level *found)
{
	const struct tp_machine *machine = w->bench->machine;
	int last = tp_machine_last_level(machine);
	double reported = (double)tp_machine_share(machine, last, p->point.threads);
	char end[32], share[32], hint[96], key[24];
	struct tp_diag note;

	if (!w->bench->watch || !w->bench->watch->note || found->end_bytes * FAR > reported)
		return;
	tp_format_bytes(end, sizeof(end), (uint64_t)exp2(floor(log2(found->end_bytes) + 0.5)));
	tp_format_bytes(share, sizeof(share), (uint64_t)reported);
	snprintf(key, sizeof(key), "cache_size.L%d", last);
	snprintf(hint, sizeof(hint), "--set %s=SIZE plans with the part that a guest really gets",
		 key);
	tp_fail(&note, TP_OK, key, hint,
		"a thread gets about %s of the last cache, where %s are reported: memory is "
		"measured with smaller working sets",
		end, share);
	w->bench->watch->note(w->bench->watch->context, &note);
}

static enum tp_status scan(struct tp_window_bench *w, const struct tp_planned *p, uint64_t *bytes,
			   double *touch_seconds, struct tp_diag *diag)
{
	const uint64_t most = tp_window_plan(p)->kernel.working_set_bytes;
	double sizes[SIZES_MAX], rates[SIZES_MAX];
	struct tp_last_level found;
	uint64_t size = tp_planner_level_bytes(w->bench->machine, TP_CLASS_L3, p->point.threads);

	*bytes = most;
	for (size_t n = 0; n < SIZES_MAX && size >= GRAIN_BYTES && size < most; size *= 2) {
		enum tp_status status = measure(w, p, size, &rates[n], touch_seconds, diag);
		if (status != TP_OK)
			return status;
		sizes[n++] = (double)size;
		if (!tp_last_level_find(sizes, rates, n, &found))
			continue;
		uint64_t enough = (uint64_t)found.memory_bytes / GRAIN_BYTES * GRAIN_BYTES;
		*bytes = TP_MIN(enough, most);
		tell(w, p, &found);
		break;
	}
	return TP_OK;
}

enum tp_status tp_scan_bytes(struct tp_window_bench *w, const struct tp_planned *p, uint64_t *bytes,
			     double *touch_seconds, struct tp_diag *diag)
{
	const uint64_t planned = tp_window_plan(p)->kernel.working_set_bytes;

	*bytes = planned;
	if (!wanted(w->bench->machine, p))
		return TP_OK;
	for (size_t i = 0; i < w->n_scans; i++)
		if (w->scans[i].planned_bytes == planned && w->scans[i].pages == p->pages &&
		    strcmp(w->scans[i].cpus, p->point.cpus) == 0) {
			*bytes = w->scans[i].bytes;
			return TP_OK;
		}
	enum tp_status status = scan(w, p, bytes, touch_seconds, diag);
	if (status != TP_OK || tp_vec_reserve((void **)&w->scans, &w->cap_scans, w->n_scans + 1,
					      sizeof(*w->scans)) != TP_OK)
		return status;
	struct tp_window_scan *kept = &w->scans[w->n_scans++];
	*kept = (struct tp_window_scan){ .planned_bytes = planned,
					 .bytes = *bytes,
					 .pages = p->pages };
	tp_copy(kept->cpus, sizeof(kept->cpus), p->point.cpus);
	return TP_OK;
}
