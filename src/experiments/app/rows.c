/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/rows.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread with less than this share of a region's instructions does not take part in it. */
#define BUSY 0.01
/* Vectors of a width count as used from this share of the FLOPs on. */
#define USED_PERCENT 5.0
/* Threads whose shares become rows of their own. */
enum { THREAD_ROWS_MAX = 64 };

/* --- times --- */

static struct tp_app_timed *timed_of(struct tp_app_times *times, const char *name, unsigned thread)
{
	for (size_t i = 0; i < times->n; i++)
		if (times->items[i].thread == thread && strcmp(times->items[i].name, name) == 0)
			return &times->items[i];
	if (times->n >= TP_APP_REGIONS_MAX ||
	    tp_vec_reserve((void **)&times->items, &times->cap, times->n + 1,
			   sizeof(*times->items)) != TP_OK)
		return NULL;
	struct tp_app_timed *timed = &times->items[times->n++];
	*timed = (struct tp_app_timed){ .thread = thread };
	tp_copy(timed->name, sizeof(timed->name), name);
	return timed;
}

static enum tp_status keep(struct tp_app_times *times, const char *name, unsigned thread,
			   uint64_t entries, double seconds)
{
	if (!(seconds > 0) || !isfinite(seconds))
		return TP_OK;
	struct tp_app_timed *timed = timed_of(times, name, thread);
	if (!timed) /* beyond the most that are kept; out of memory shows at the next one, too */
		return times->n >= TP_APP_REGIONS_MAX ? TP_OK : TP_NOMEM;
	timed->entries = entries;
	enum tp_status status =
		tp_vec_reserve((void **)&timed->x, &timed->cap, timed->n + 1, sizeof(*timed->x));
	if (status == TP_OK)
		timed->x[timed->n++] = seconds;
	return status;
}

enum tp_status tp_app_times_add(struct tp_app_times *times, const struct tp_app_time *run)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_regions && status == TP_OK; i++) {
		const struct tp_app_region *r = &run->regions[i];
		if (!r->name[0]) /* what is in no region has no time of its own */
			continue;
		status = keep(times, r->name, r->thread, r->entries, r->seconds);
	}
	return status;
}

void tp_app_times_release(struct tp_app_times *times)
{
	for (size_t i = 0; i < times->n; i++)
		free(times->items[i].x);
	free(times->items);
	*times = (struct tp_app_times){ 0 };
}

/* --- rows of regions --- */

/* FLOPs of the instructions of a width, without and with fused multiply-adds. */
struct by_width {
	double plain[4], fused[4]; /* scalar, 128, 256, 512 */
	double all;
};

static struct by_width widths_of(const uint64_t mix[TP_MIX_N])
{
	static const double sp_lanes[] = { 1, 4, 8, 16 }, dp_lanes[] = { 1, 2, 4, 8 };
	struct by_width w = { 0 };
	for (int i = 0; i < 4; i++) {
		w.plain[i] = sp_lanes[i] * (double)mix[TP_MIX_FP_SP_SCALAR + i] +
			     dp_lanes[i] * (double)mix[TP_MIX_FP_DP_SCALAR + i];
		w.fused[i] = 2 * (sp_lanes[i] * (double)mix[TP_MIX_FMA_SP_SCALAR + i] +
				  dp_lanes[i] * (double)mix[TP_MIX_FMA_DP_SCALAR + i]);
		w.all += w.plain[i] + w.fused[i];
	}
	return w;
}
_Static_assert(TP_MIX_FP_SP_512 == TP_MIX_FP_SP_SCALAR + 3 &&
		       TP_MIX_FP_DP_512 == TP_MIX_FP_DP_SCALAR + 3 &&
		       TP_MIX_FMA_SP_512 == TP_MIX_FMA_SP_SCALAR + 3 &&
		       TP_MIX_FMA_DP_512 == TP_MIX_FMA_DP_SCALAR + 3,
	       "widths follow each other");

static void fill_mix(struct tp_app_region_row *row, const uint64_t mix[TP_MIX_N])
{
	static const char *const isas[] = { "scalar", "sse", "avx", "avx512" };
	const struct by_width w = widths_of(mix);
	double *const percent[] = { &row->scalar_percent, &row->sse_percent, &row->avx_percent,
				    &row->avx512_percent };
	row->flops_sp = mix[TP_MIX_FLOPS_SP];
	row->flops_dp = mix[TP_MIX_FLOPS_DP];
	row->flops_half = mix[TP_MIX_FLOPS_HALF];
	row->flops_x87 = mix[TP_MIX_FLOPS_X87];
	row->bytes_loaded = mix[TP_MIX_BYTES_LOADED];
	row->bytes_stored = mix[TP_MIX_BYTES_STORED];
	row->instructions = mix[TP_MIX_INSTRUCTIONS];
	for (int i = 0; i < 4 && w.all > 0; i++) {
		*percent[i] = 100 * (w.plain[i] + w.fused[i]) / w.all;
		row->fma_percent += 100 * w.fused[i] / w.all;
		if (*percent[i] >= USED_PERCENT)
			tp_copy(row->isa, sizeof(row->isa), isas[i]);
	}
	if (tp_app_flops(row))
		tp_copy(row->precision, sizeof(row->precision),
			row->flops_sp > row->flops_dp + row->flops_x87	   ? "single"
			: row->flops_half > row->flops_dp + row->flops_x87 ? "half"
									   : "double");
}

/* NULL as name: the whole program. */
static bool is_part(const struct tp_app_region *r, const char *name)
{
	return !name || strcmp(r->name, name) == 0;
}

/* Threads that take part, by their rows; 1 if there are no rows of threads. */
static unsigned busy_threads(const struct tp_app_counts *counts, const char *name,
			     uint64_t instructions)
{
	unsigned busy = 0;
	for (unsigned t = 0; t < counts->n_threads; t++) {
		uint64_t own = 0;
		for (size_t i = 0; i < counts->n_regions; i++)
			if (counts->regions[i].thread == t && is_part(&counts->regions[i], name))
				own += counts->regions[i].mix[TP_MIX_INSTRUCTIONS];
		busy += own > 0 && (double)own >= BUSY * (double)instructions;
	}
	return busy ? busy : 1;
}

static void fill_levels(struct tp_app_region_row *row, const struct tp_app_counts *levels,
			const char *name)
{
	for (size_t i = 0; levels && i < levels->n_regions; i++) {
		const struct tp_app_region *r = &levels->regions[i];
		for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
			if (r->thread == TP_APP_ALL && is_part(r, name))
				row->level_bytes[l] += r->level_bytes[l + 1];
	}
}

static void fill_times(struct tp_app_region_row *row, struct tp_app_times *times, const char *name,
		       unsigned thread)
{
	for (size_t i = 0; i < times->n; i++) {
		struct tp_app_timed *t = &times->items[i];
		if (t->thread != thread || strcmp(t->name, name) != 0)
			continue;
		tp_sort_doubles(t->x, t->n);
		const struct tp_interval ci =
			tp_median_interval_sorted(t->x, t->n, times->confidence);
		row->seconds = tp_median_sorted(t->x, t->n);
		row->seconds_low = t->n > 1 ? ci.low : 0;
		row->seconds_high = t->n > 1 ? ci.high : 0;
		row->timed_runs = (unsigned)t->n;
		row->timed_entries = t->entries;
	}
}

static struct tp_app_region_row begin_row(const struct tp_app_told *told)
{
	struct tp_app_region_row row = { .run = told->point->run,
					 .point = told->point->point,
					 .threads = told->point->threads,
					 .incomplete = !told->counts->complete };
	tp_copy(row.source, sizeof(row.source), told->source);
	tp_copy(row.thread, sizeof(row.thread), "all");
	return row;
}

static bool tell_classes(const struct tp_app_told *told, const struct tp_watch *watch,
			 const char *region, const uint64_t mix[TP_MIX_N])
{
	double instructions = (double)mix[TP_MIX_INSTRUCTIONS];
	bool wanted = true;
	for (int i = 0; i < TP_MIX_N && wanted; i++) {
		struct tp_app_class_row row = { .run = told->point->run,
						.point = told->point->point,
						.count = mix[i] };
		bool share = i < TP_MIX_FLOPS_SP || i > TP_MIX_BYTES_STORED;
		if (!mix[i])
			continue;
		if (share && instructions > 0)
			row.percent = 100 * (double)mix[i] / instructions;
		tp_copy(row.region, sizeof(row.region), region);
		tp_copy(row.source, sizeof(row.source), told->source);
		tp_copy(row.name, sizeof(row.name), tp_mix_names[i]);
		wanted = watch->row(watch->context, &tp_app_class_event, &row);
	}
	return wanted;
}

static bool tell_program(const struct tp_app_told *told, const struct tp_watch *watch)
{
	struct tp_app_region_row row = begin_row(told);
	const struct tp_app_counts *counts = told->counts;
	uint64_t mix[TP_MIX_N] = { 0 };
	for (size_t i = 0; i < counts->n_regions; i++)
		for (int k = 0; k < TP_MIX_N && counts->regions[i].thread == TP_APP_ALL; k++)
			mix[k] += counts->regions[i].mix[k];
	fill_mix(&row, mix);
	tp_copy(row.region, sizeof(row.region), TP_APP_PROGRAM);
	row.entries = row.timed_entries = 1;
	row.busy_threads = busy_threads(counts, NULL, row.instructions);
	row.seconds = told->seconds;
	row.seconds_low = told->seconds_low;
	row.seconds_high = told->seconds_high;
	row.timed_runs = told->timed_runs;
	fill_levels(&row, told->levels, NULL);
	return watch->row(watch->context, &tp_app_region_event, &row) &&
	       tell_classes(told, watch, row.region, mix);
}

static bool tell_region(const struct tp_app_told *told, const struct tp_watch *watch,
			const struct tp_app_region *r)
{
	struct tp_app_region_row row = begin_row(told);
	const char *name = r->name[0] ? r->name : TP_APP_OUTSIDE;
	tp_shown(row.region, sizeof(row.region), name, strnlen(name, TP_APP_NAME - 1));
	fill_mix(&row, r->mix);
	row.entries = r->entries;
	row.unended = r->unended;
	if (r->thread == TP_APP_ALL) {
		row.busy_threads = busy_threads(told->counts, r->name, row.instructions);
		fill_levels(&row, told->levels, r->name);
	} else {
		row.busy_threads = 1;
		snprintf(row.thread, sizeof(row.thread), "%u", r->thread);
	}
	if (r->name[0])
		fill_times(&row, told->times, r->name, r->thread);
	return watch->row(watch->context, &tp_app_region_event, &row) &&
	       (r->thread != TP_APP_ALL || tell_classes(told, watch, row.region, r->mix));
}

static bool has_regions(const struct tp_app_counts *counts)
{
	for (size_t i = 0; i < counts->n_regions; i++)
		if (counts->regions[i].name[0])
			return true;
	return false;
}

static bool tell_regions(const struct tp_app_told *told, const struct tp_watch *watch)
{
	const struct tp_app_counts *counts = told->counts;
	bool regions = has_regions(counts), wanted = tell_program(told, watch);
	size_t told_rows = 1;
	for (size_t i = 0; i < counts->n_regions && wanted; i++) {
		const struct tp_app_region *r = &counts->regions[i];
		bool single = r->thread != TP_APP_ALL;
		/* Without regions the program is all; one thread is all threads. */
		if ((!regions && !single) || (single && counts->n_threads < 2) ||
		    (single && r->thread >= THREAD_ROWS_MAX) || told_rows >= TP_APP_REGIONS_MAX)
			continue;
		wanted = tell_region(told, watch, r);
		told_rows++;
	}
	return wanted;
}

/* --- functions --- */

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static bool tell_functions(const struct tp_app_told *told, const struct tp_watch *watch)
{
	const struct tp_app_counts *counts = told->counts;
	uint64_t instructions = 0, flops = 0, bytes = 0;
	bool wanted = true;
	for (size_t i = 0; i < counts->n_functions; i++) {
		instructions += counts->functions[i].mix[TP_MIX_INSTRUCTIONS];
		flops += tp_mix_flops(counts->functions[i].mix);
		bytes += tp_mix_bytes(counts->functions[i].mix);
	}
	for (size_t i = 0; i < TP_MIN(counts->n_functions, (size_t)TP_APP_FUNCTIONS_MAX) && wanted;
	     i++) {
		const struct tp_app_function *f = &counts->functions[i];
		struct tp_app_function_row row = { .run = told->point->run,
						   .point = told->point->point,
						   .instructions = f->mix[TP_MIX_INSTRUCTIONS],
						   .flops = tp_mix_flops(f->mix),
						   .bytes = tp_mix_bytes(f->mix) };
		row.instructions_percent = percent_of(row.instructions, instructions);
		row.flops_percent = percent_of(row.flops, flops);
		row.bytes_percent = percent_of(row.bytes, bytes);
		tp_copy(row.source, sizeof(row.source), told->source);
		tp_shown(row.function, sizeof(row.function), f->name,
			 strnlen(f->name, TP_APP_NAME - 1));
		tp_shown(row.module, sizeof(row.module), f->module,
			 strnlen(f->module, TP_APP_NAME - 1));
		wanted = watch->row(watch->context, &tp_app_function_event, &row);
	}
	return wanted;
}

bool tp_app_tell(const struct tp_app_told *told, const struct tp_watch *watch)
{
	if (!watch || !watch->row)
		return true;
	return tell_regions(told, watch) && tell_functions(told, watch);
}
