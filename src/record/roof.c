/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/roof.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/limits.h"
#include "record/point.h"

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
				.reachable = k->reachable,
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

static bool plateau_has_quality(const void *row)
{
	const struct tp_plateau *plateau = row;

	return plateau->quality != TP_QUALITY_NONE;
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
	  .help = "Limit by the machine model, and the median divided by it; null without a "
		  "model." },
	C(ridge_flop_per_byte, "ridge_flop_per_byte", REAL, NONZERO, METRIC,
	  .help = "For a bandwidth, the arithmetic intensity where it meets the "
		  "highest peak of the same run, instruction set, precision and "
		  "threads; null if there is no such peak."),
	C(flags, "flags", FLAGS, ALWAYS, NOTE, .words = &tp_flag_set,
	  .help = "Flags of the point."),
	C(quality, "quality", WORD, ALWAYS, NOTE, .words = &tp_quality_set,
	  .applies = has_quality,
	  .help = "Quality of the point; null if it has none."),
	C(reachable, "reachable", REAL, NONZERO, NOTE, .help = "As in points.csv."),
};

/* clang-format on */

static const struct tp_table table = {
	.name = "roofs",
	TP_TABLE(struct tp_roof, columns),
};
const struct tp_part tp_roof_part = { .table = &table, .place = 1, .derived = true };

/* clang-format off */
#define C_SLOPE(member, name, type, role, ...) \
	TP_COLUMN(struct tp_slope, member, name, type, ALWAYS, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column columns_slope[] = {
	C_SLOPE(run, "run", UNSIGNED, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C_SLOPE(kernel, "kernel", TEXT, DIMENSION),
	C_SLOPE(isa, "isa", TEXT, DIMENSION),
	C_SLOPE(precision, "precision", TEXT, DIMENSION),
	C_SLOPE(threads, "threads", UNSIGNED, DIMENSION, .most = TP_RUN_THREADS_MAX),
	C_SLOPE(pages_wanted, "pages_wanted", TEXT, DIMENSION,
	  .help = "The curve, as of its plateaus."),
	C_SLOPE(level, "level", TEXT, DIMENSION,
	  .help = "The level of the plateau before the slope."),
	C_SLOPE(from_bytes, "from_bytes", U64, NOTE),
	C_SLOPE(to_bytes, "to_bytes", U64, NOTE,
	  .help = "Working sets at which the slope begins and ends."),
	C_SLOPE(from_gbps, "from_gbps", REAL, NOTE),
	C_SLOPE(to_gbps, "to_gbps", REAL, NOTE,
	  .help = "Bandwidth there."),
	C_SLOPE(open, "open", BOOL, NOTE,
	  .help = "true if the curve ends on the slope: larger working sets would show "
		  "where it leads."),
};

/* clang-format on */

static const struct tp_table table_slope = {
	.name = "slopes",
	TP_TABLE(struct tp_slope, columns_slope),
};

const struct tp_part tp_slope_part = {
	.table = &table_slope, .place = 6, .derived = true, .sparse = true
};

/* clang-format off */
#define C_PLATEAU(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_plateau, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column columns_plateau[] = {
	C_PLATEAU(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C_PLATEAU(kernel, "kernel", TEXT, ALWAYS, DIMENSION),
	C_PLATEAU(isa, "isa", TEXT, ALWAYS, DIMENSION),
	C_PLATEAU(precision, "precision", TEXT, ALWAYS, DIMENSION),
	C_PLATEAU(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX,
	  .help = "The curve; see also pages_wanted."),
	C_PLATEAU(level, "level", TEXT, ALWAYS, DIMENSION,
	  .help = "L1, L2, L3 or DRAM, by order and by distance from the reported "
		  "capacities. For curves of latency, the level that holds the largest "
		  "working set of the plateau; several plateaus can have the same "
		  "level, because the TLB adds steps."),
	C_PLATEAU(gbps, "median_gbps", REAL, NONZERO, METRIC,
	  .help = "Bandwidth on the plateau; null for a curve of latency."),
	C_PLATEAU(ns, "median_ns", REAL, NONZERO, METRIC),
	C_PLATEAU(latency_cycles, "latency_cycles", REAL, NONZERO, METRIC,
	  .help = "Time of a load on the plateau, in nanoseconds and in cycles of the "
		  "core; null for a curve of bandwidth."),
	C_PLATEAU(pages_wanted, "pages_wanted", TEXT, ALWAYS, DIMENSION,
	  .help = "As in points.csv."),
	C_PLATEAU(ci_low, "ci_low", REAL, NONZERO, INTERVAL),
	C_PLATEAU(ci_high, "ci_high", REAL, NONZERO, INTERVAL,
	  .help = "Confidence interval of the bandwidth or the time."),
	C_PLATEAU(bytes_per_cycle, "bytes_per_cycle", REAL, NONZERO, METRIC,
	  .help = "For one core and one of its cycles; null if the frequency is not "
		  "known."),
	C_PLATEAU(from_bytes, "from_bytes", U64, ALWAYS, NOTE),
	C_PLATEAU(to_bytes, "to_bytes", U64, ALWAYS, NOTE,
	  .help = "Smallest and largest working set on the plateau."),
	C_PLATEAU(capacity_bytes, "capacity_bytes", U64, NONZERO, NOTE,
	  .help = "Measured edge towards the next plateau; null for the last one."),
	C_PLATEAU(reported_bytes, "reported_bytes", U64, NONZERO, NOTE,
	  .help = "Capacity of the cache for one thread, as the machine reports it; "
		  "null for memory."),
	C_PLATEAU(points, "points", UNSIGNED, ALWAYS, NOTE, .most = TP_RUN_POINTS_MAX,
	  .help = "Number of points on the plateau."),
	C_PLATEAU(capacity_low_bytes, "capacity_low_bytes", U64, NONZERO, NOTE),
	C_PLATEAU(capacity_high_bytes, "capacity_high_bytes", U64, NONZERO, NOTE,
	  .help = "The edge moves between these sizes, because others use the cache as well; "
		  "the interval of the bandwidth then holds the middle 80 % of the points. null "
		  "where the edge stays in one place."),
	C_PLATEAU(quality, "quality", WORD, ALWAYS, NOTE, .words = &tp_quality_set,
	  .applies = plateau_has_quality,
	  .help = "Of the points on the plateau and around its edge, whichever is worse: poor if "
		  "more than a third of them are, fair if more than a third are not good; null without points."),
};

/* clang-format on */

static const struct tp_table table_plateau = {
	.name = "plateaus",
	TP_TABLE(struct tp_plateau, columns_plateau),
};
const struct tp_part tp_plateau_part = { .table = &table_plateau, .place = 2, .derived = true };

bool tp_plateau_is_cache(const struct tp_plateau *p)
{
	return p->gbps > 0 && p->threads <= 1 && p->capacity_bytes && !p->capacity_low_bytes &&
	       tp_quality_teaches(p->quality);
}

const struct tp_plateau *tp_run_cache(const struct tp_run *run, const char *level)
{
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		if (tp_plateau_is_cache(p) && (!level || strcmp(p->level, level) == 0))
			return p;
	}
	return NULL;
}

/* The points around the end of a level decide where it is drawn. */
#define EDGE_FACTOR 1.42

bool tp_plateau_edge_is_near(const struct tp_plateau *p, uint64_t bytes)
{
	const double size = (double)bytes, edge = (double)p->capacity_bytes,
		     low = p->capacity_low_bytes ? (double)p->capacity_low_bytes : edge,
		     high = p->capacity_high_bytes ? (double)p->capacity_high_bytes : edge;
	return size > low / EDGE_FACTOR && size < high * EDGE_FACTOR;
}

void tp_plateau_judge(const struct tp_run *run, struct tp_plateau *plateau)
{
	size_t on[TP_QUALITY_COUNT] = { 0 }, near[TP_QUALITY_COUNT] = { 0 };
	TP_EACH_POINT (p, run) {
		if (p->state != TP_POINT_DONE)
			continue;
		const uint64_t bytes = tp_kernel_row(p)->working_set_bytes;
		const bool is_on = bytes >= plateau->from_bytes && bytes <= plateau->to_bytes;
		const bool is_near = tp_plateau_edge_is_near(plateau, bytes);
		if (!(is_on || is_near) || !tp_plateau_is_of(plateau, p))
			continue;
		on[p->quality] += is_on;
		near[p->quality] += is_near;
	}
	plateau->quality = TP_MAX(tp_quality_of_points(on), tp_quality_of_points(near));
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

bool tp_plateau_same_curve(const struct tp_plateau *a, const struct tp_plateau *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       tp_plateau_is_latency(a) == tp_plateau_is_latency(b) &&
	       strcmp(a->isa, b->isa) == 0 && strcmp(a->precision, b->precision) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0 && strcmp(a->pages_wanted, b->pages_wanted) == 0;
}

bool tp_plateau_is_of(const struct tp_plateau *plateau, const struct tp_point *point)
{
	return plateau->run == point->run && plateau->threads == point->threads &&
	       tp_plateau_is_latency(plateau) == (point->less_is_better) &&
	       strcmp(plateau->isa, tp_kernel_row(point)->isa) == 0 &&
	       strcmp(plateau->precision, tp_kernel_row(point)->precision) == 0 &&
	       strcmp(plateau->kernel, point->kernel) == 0 &&
	       strcmp(plateau->pages_wanted, tp_kernel_row(point)->pages_wanted) == 0;
}

bool tp_plateau_is_slower(const struct tp_plateau *plateau, const struct tp_plateau *next)
{
	if (!tp_plateau_same_curve(plateau, next) || strcmp(plateau->level, next->level) == 0)
		return false;
	return tp_plateau_is_latency(plateau) ? plateau->ns * (1 - SLOWER_BY) > next->ns
					      : plateau->gbps < next->gbps * (1 - SLOWER_BY);
}

enum { KEY_BYTES = 24 };

static const struct tp_fact *fact_at(const struct tp_run *run, size_t i, char key[KEY_BYTES])
{
	snprintf(key, KEY_BYTES, "own_dots.%zu", i + 1);
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && !fact->is_number ? fact : NULL;
}

size_t tp_run_own_dots(const struct tp_run *run, struct tp_own_dot dots[TP_OWN_DOTS_MAX])
{
	char key[KEY_BYTES];
	size_t n = 0;
	for (size_t i = 0; i < TP_OWN_DOTS_MAX; i++) {
		const struct tp_fact *fact = fact_at(run, i, key);
		n += fact && !tp_own_dot_parse(fact->text, &dots[n]);
	}
	return n;
}

enum tp_status tp_run_add_own_dot(struct tp_run *run, const char *text, struct tp_diag *diag)
{
	struct tp_own_dot dot, other;
	char key[KEY_BYTES], clean[TP_OWN_DOT_BYTES], shown[96];
	const char *wrong = tp_own_dot_parse(text, &dot);
	size_t i = 0;
	if (wrong)
		return tp_fail(diag, TP_USAGE, "dot", "allowed: " TP_OWN_DOT_ALLOWED, "\"%s\" %s",
			       tp_shown(shown, sizeof(shown), text, strlen(text)), wrong);
	for (; i < TP_OWN_DOTS_MAX; i++) {
		const struct tp_fact *fact = fact_at(run, i, key);
		if (!fact || tp_own_dot_parse(fact->text, &other) ||
		    strcmp(other.name, dot.name) == 0)
			break;
	}
	if (i == TP_OWN_DOTS_MAX)
		return tp_fail(diag, TP_RESOURCE, "dot", NULL,
			       "a roofline shows at most %d of them", TP_OWN_DOTS_MAX);
	return tp_run_fact_text(run, key, "%s", tp_own_dot_text(&dot, clean));
}
