/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/roof.h"
#include "record/limits.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "record/kernel_row.h"

struct tp_roof tp_roof_of(const struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);
	struct tp_roof roof = { .run = point->run,
				.point = point->point,
				.threads = point->threads,
				.loads = k->loads,
				.stores = k->stores,
				.nontemporal = k->nontemporal,
				.median = tp_point_median(point),
				.best = tp_point_best(point),
				.ci_low = point->ci_low,
				.ci_high = point->ci_high,
				.per_cycle = tp_point_is_fp(point) ? k->flop_per_cycle
								   : k->bytes_per_cycle,
				.model = point->bound,
				.flags = point->flags,
				.quality = point->quality };

	tp_copy(roof.isa, sizeof(roof.isa), k->isa);
	tp_copy(roof.precision, sizeof(roof.precision), k->precision);
	tp_copy(roof.level, sizeof(roof.level), k->level);
	tp_copy(roof.fp_op, sizeof(roof.fp_op), k->fp_op);
	return roof;
}

bool tp_roof_is_group(const struct tp_roof *a, const struct tp_roof *b)
{
	return a->run == b->run && a->threads == b->threads && strcmp(a->isa, b->isa) == 0 &&
	       strcmp(a->precision, b->precision) == 0;
}

bool tp_roof_is_peak(const struct tp_roof *roof)
{
	return strcmp(roof->level, "FP") == 0;
}

/* A nearer level that is slower by less is noise. */
#define SLOWER_BY 0.03

const struct tp_roof *tp_roof_slower_than(const struct tp_run *run, const struct tp_roof *roof)
{
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM" };
	const struct tp_roof *best[TP_COUNT_OF(levels)] = { 0 };
	size_t own = TP_COUNT_OF(levels);
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		for (size_t l = 0; l < TP_COUNT_OF(levels) && tp_roof_is_group(r, roof); l++)
			if (strcmp(r->level, levels[l]) == 0 && r->median > 0 &&
			    isfinite(r->median) && (!best[l] || r->median > best[l]->median))
				best[l] = r;
	}
	for (size_t l = 0; l < TP_COUNT_OF(levels); l++) {
		if (best[l] == roof)
			own = l;
		else if (best[l] && l > own)
			return roof->median < (1 - SLOWER_BY) * best[l]->median ? best[l] : NULL;
	}
	return NULL;
}

static bool is_peak(const void *row)
{
	return tp_roof_is_peak(row);
}

static bool is_bandwidth(const void *row)
{
	return !tp_roof_is_peak(row);
}

static bool has_ratio(const void *row)
{
	const struct tp_roof *roof = row;

	return roof->loads != 0 || roof->stores != 0;
}

static bool has_quality(const void *row)
{
	const struct tp_roof *roof = row;

	return roof->quality != TP_QUALITY_NONE;
}

static double model_ratio(const void *row)
{
	const struct tp_roof *roof = row;

	return roof->model > 0 ? roof->median / roof->model : 0;
}

/* One member, and two names that carry its unit, as the columns of points.csv do. */
/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_roof, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(point, "point", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point that the roof comes from."),
	C(isa, "isa", TEXT, ALWAYS, DIMENSION),
	C(precision, "precision", TEXT, ALWAYS, DIMENSION),
	C(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX),
	C(level, "level", TEXT, ALWAYS, DIMENSION),
	C(loads, "loads", UNSIGNED, ALWAYS, DIMENSION, .applies = has_ratio),
	C(stores, "stores", UNSIGNED, ALWAYS, DIMENSION, .applies = has_ratio),
	C(nontemporal, "nontemporal", BOOL, ALWAYS, DIMENSION),
	C(fp_op, "fp_op", TEXT, ALWAYS, DIMENSION,
	  .help = "As in points.csv; loads and stores are null for a peak, fp_op is "
		  "empty for a bandwidth."),
	C(median, "median_gbps", REAL, NONZERO, METRIC, .applies = is_bandwidth),
	C(best, "best_gbps", REAL, NONZERO, METRIC, .applies = is_bandwidth,
	  .help = "Of a bandwidth; null for a peak."),
	C(median, "median_gflops", REAL, NONZERO, METRIC, .applies = is_peak),
	C(best, "best_gflops", REAL, NONZERO, METRIC, .applies = is_peak,
	  .help = "Of a peak (level FP); null for a bandwidth."),
	C(per_cycle, "bytes_per_cycle", REAL, NONZERO, METRIC, .applies = is_bandwidth),
	C(per_cycle, "flop_per_cycle", REAL, NONZERO, METRIC, .applies = is_peak,
	  .help = "Of a bandwidth and of a peak."),
	C(ci_low, "ci_low", REAL, NONZERO, INTERVAL),
	C(ci_high, "ci_high", REAL, NONZERO, INTERVAL,
	  .help = "Confidence interval of the median."),
	C(model, "bound", REAL, NONZERO, NOTE),
	{ .name = "model_ratio", .type = TP_COLUMN_DERIVED, .rule = TP_COLUMN_NONZERO, .where = TP_IN_JSON,
	  .derive = model_ratio,
	  .help = "Limit by the machine model, and the median divided by it; null without a model." },
	C(ridge_flop_per_byte, "ridge_flop_per_byte", REAL, NONZERO, METRIC,
	  .help = "For a bandwidth, the arithmetic intensity where it meets the "
		  "highest peak of the same run, instruction set, precision and "
		  "threads; null if there is no such peak."),
	C(flags, "flags", FLAGS, ALWAYS, NOTE, .words = &tp_flag_set,
	  .help = "Flags of the point."),
	C(quality, "quality", WORD, ALWAYS, NOTE, .words = &tp_quality_set,
	  .applies = has_quality,
	  .help = "Quality of the point; null if it has none."),
};
/* clang-format on */

static const struct tp_table table = {
	.name = "roofs",
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_roof),
};

const struct tp_part tp_roof_part = { .table = &table, .place = 1, .derived = true };
