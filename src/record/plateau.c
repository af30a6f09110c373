/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/plateau.h"
#include "record/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_plateau, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(kernel, "kernel", TEXT, ALWAYS, DIMENSION),
	C(isa, "isa", TEXT, ALWAYS, DIMENSION),
	C(precision, "precision", TEXT, ALWAYS, DIMENSION),
	C(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX,
	  .help = "The curve; see also pages_wanted."),
	C(level, "level", TEXT, ALWAYS, DIMENSION,
	  .help = "L1, L2, L3 or DRAM, by order and by distance from the reported "
		  "capacities. For curves of latency, the level that holds the largest "
		  "working set of the plateau; several plateaus can have the same "
		  "level, because the TLB adds steps."),
	C(gbps, "median_gbps", REAL, NONZERO, METRIC,
	  .help = "Bandwidth on the plateau; null for a curve of latency."),
	C(ns, "median_ns", REAL, NONZERO, METRIC),
	C(latency_cycles, "latency_cycles", REAL, NONZERO, METRIC,
	  .help = "Time of a load on the plateau, in nanoseconds and in cycles of the "
		  "core; null for a curve of bandwidth."),
	C(pages_wanted, "pages_wanted", TEXT, ALWAYS, DIMENSION,
	  .help = "As in points.csv."),
	C(ci_low, "ci_low", REAL, NONZERO, INTERVAL),
	C(ci_high, "ci_high", REAL, NONZERO, INTERVAL,
	  .help = "Confidence interval of the bandwidth or the time."),
	C(bytes_per_cycle, "bytes_per_cycle", REAL, NONZERO, METRIC,
	  .help = "For one core and one of its cycles; null if the frequency is not "
		  "known."),
	C(from_bytes, "from_bytes", U64, ALWAYS, NOTE),
	C(to_bytes, "to_bytes", U64, ALWAYS, NOTE,
	  .help = "Smallest and largest working set on the plateau."),
	C(capacity_bytes, "capacity_bytes", U64, NONZERO, NOTE,
	  .help = "Measured edge towards the next plateau; null for the last one."),
	C(reported_bytes, "reported_bytes", U64, NONZERO, NOTE,
	  .help = "Capacity of the cache for one thread, as the machine reports it; "
		  "null for memory."),
	C(points, "points", UNSIGNED, ALWAYS, NOTE, .most = TP_RUN_POINTS_MAX,
	  .help = "Number of points on the plateau."),
};
/* clang-format on */

static const struct tp_table table = {
	.name = "plateaus",
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_plateau),
};

const struct tp_part tp_plateau_part = { .table = &table, .place = 2, .derived = true };

uint64_t tp_run_capacity(const struct tp_run *run, const char *level)
{
	for (size_t i = 0; i < tp_run_n_plateaus(run); i++) {
		const struct tp_plateau *p = &tp_run_plateaus(run)[i];
		if (p->gbps > 0 && p->threads <= 1 && p->capacity_bytes &&
		    (!level || strcmp(p->level, level) == 0))
			return p->capacity_bytes;
	}
	return 0;
}

bool tp_capacity_is_less(uint64_t measured_bytes, uint64_t reported_bytes)
{
	const double far = 1.5;
	return measured_bytes && (double)measured_bytes * far <= (double)reported_bytes;
}

const char *tp_capacity_option(char *out, size_t size, uint64_t bytes)
{
	bool mib = bytes >= (4 << 20);
	snprintf(out, size, "%" PRIu64 "%s", bytes >> (mib ? 20 : 10), mib ? "MiB" : "KiB");
	return out;
}

/* A nearer level that is slower by less is noise. */
#define SLOWER_BY 0.03

bool tp_plateau_same_curve(const struct tp_plateau *a, const struct tp_plateau *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       tp_plateau_is_latency(a) == tp_plateau_is_latency(b) &&
	       strcmp(a->isa, b->isa) == 0 && strcmp(a->precision, b->precision) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0 && strcmp(a->pages_wanted, b->pages_wanted) == 0;
}

bool tp_plateau_is_slower(const struct tp_plateau *plateau, const struct tp_plateau *next)
{
	if (!tp_plateau_same_curve(plateau, next) || strcmp(plateau->level, next->level) == 0)
		return false;
	return tp_plateau_is_latency(plateau) ? plateau->ns * (1 - SLOWER_BY) > next->ns
					      : plateau->gbps < next->gbps * (1 - SLOWER_BY);
}
