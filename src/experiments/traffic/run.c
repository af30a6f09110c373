/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One batch on each core: the same problem again and again, each time with other data. */
#include "experiments/traffic/run.h"
#include "base/now.h"
#include "base/memory.h"
#include "counters/crew.h"
#include "experiments/traffic/options.h"
#include "experiments/traffic/source.h"
#include "experiments/traffic/traffic_row.h"
#include "measure/sampler.h"
#include "preset/shared_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Readings of hardware: the one in the middle counts. Stepped code counts the same each time. */
enum { READINGS = 3 };

struct traffic_bench {
	const struct tp_config *config; /* what the source was opened for; NULL = it is closed */
	struct tp_traffic_source traffic;
	struct tp_crew *crew;
	unsigned n_cpus, *cpus; /* of the crew */
};

static void drop_crew(struct traffic_bench *b)
{
	tp_crew_free(b->crew);
	free(b->cpus);
	b->crew = NULL;
	b->cpus = NULL;
}

static void release(void *own)
{
	struct traffic_bench *b = own;

	drop_crew(b);
	tp_source_close(&b->traffic.source);
	b->config = NULL;
}

static const struct tp_bench_kind traffic_kind = { .bytes = sizeof(struct traffic_bench),
						   .release = release };

static enum tp_status ready(struct tp_bench *bench, const struct tp_planned *planned,
			    struct traffic_bench *b, struct tp_diag *diag)
{
	const unsigned threads = planned->point.threads;
	const size_t bytes = threads * sizeof(*planned->cpus);

	if (b->config != planned->config) {
		release(b);
		enum tp_status status =
			tp_traffic_source_open(&b->traffic, planned->config, bench->machine, diag);
		if (status != TP_OK)
			return status;
		b->config = planned->config;
	}
	if (b->crew && b->n_cpus == threads && memcmp(b->cpus, planned->cpus, bytes) == 0)
		return TP_OK;
	drop_crew(b);
	b->cpus = malloc(bytes);
	if (!b->cpus)
		return tp_fail(diag, TP_NOMEM, "traffic", NULL, "out of memory");
	memcpy(b->cpus, planned->cpus, bytes);
	b->n_cpus = threads;
	return tp_crew_new(&b->crew, &b->traffic.source,
			   b->traffic.source.needs_emulation ? &b->traffic.emulated : NULL, b->cpus,
			   threads, diag);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The counts of a repetition, the middle of the readings, into the row. */
static void keep(const struct traffic_bench *b, const struct tp_config *config, double *counts,
		 size_t readings, double repetitions, unsigned threads, struct tp_traffic_row *row)
{
	for (size_t e = 0; e < b->traffic.source.n_events; e++) {
		double *all = counts + e * readings;
		qsort(all, readings, sizeof(*all), ascending);
		counts[e] = all[readings / 2] / repetitions;
	}
	row->repetitions = repetitions;
	row->reads_counted =
		tp_traffic_bytes_of(&b->traffic, config, counts, false, threads, &row->read);
	row->writes_counted =
		tp_traffic_bytes_of(&b->traffic, config, counts, true, threads, &row->written);
	tp_copy(row->source, sizeof(row->source), b->traffic.source.kind->name);
}

static enum tp_status count(struct tp_bench *bench, const struct tp_planned *planned,
			    struct tp_traffic_row *row, struct tp_diag *diag)
{
	const struct tp_traffic_plan *plan = tp_traffic_plan(planned);
	struct traffic_bench *b = tp_bench_own(bench, &traffic_kind);
	const struct tp_counting_machine machine = {
		.line_bytes = bench->machine->cache[1].line_bytes,
		.page_bytes = bench->machine->page_bytes,
		.max_bytes = bench->machine->available_bytes / 2 / planned->point.threads,
	};
	struct tp_counting counting = { 0 };
	double *counts = NULL, repetitions;
	enum tp_status status = b ? ready(bench, planned, b, diag) : TP_NOMEM;

	if (status != TP_OK)
		return status;
	bool stepping = b->traffic.source.needs_emulation;
	size_t readings = stepping ? 1 : READINGS;
	status = tp_traffic_make(plan->kernel, plan->size, plan->copies, bench->cpu, &machine,
				 &counting, diag);
	if (status != TP_OK)
		return status;
	double wished = (double)tp_traffic_repetitions((double)plan->size);
	const struct tp_crew_task task = {
		.counting = &counting,
		.repetitions = readings,
		.passes = stepping ? 1 : (uint64_t)ceil(wished / (double)plan->copies),
		.seed = tp_config_count(planned->config, TP_OPT_SEED),
		.go_on = bench->watch->go_on,
		.context = bench->watch->context,
	};
	counts = calloc(b->traffic.source.n_events * readings + 1, sizeof(*counts));
	status = counts ? tp_crew_count(b->crew, &task, counts, &repetitions, diag)
			: tp_fail(diag, TP_NOMEM, "traffic", NULL, "out of memory");
	if (status == TP_OK)
		keep(b, planned->config, counts, readings, repetitions, planned->point.threads,
		     row);
	free(counts);
	tp_counting_release(&counting);
	return status;
}

/* Where the cache makes no difference, nothing is open. */
static void expect(const struct tp_traffic_plan *plan, unsigned line, struct tp_traffic_row *row)
{
	const double size = (double)plan->size;
	double read, written;

	tp_traffic_expect(plan->kernel, plan->size, line, true, &row->expected_read,
			  &row->expected_written);
	tp_traffic_expect(plan->kernel, plan->size, line, false, &read, &written);
	row->fit = size <= row->band_low    ? TP_TRAFFIC_FITS
		   : size >= row->band_high ? TP_TRAFFIC_EXCEEDS
					    : TP_TRAFFIC_OPEN;
	if (row->fit == TP_TRAFFIC_OPEN && read <= row->expected_read)
		row->fit = TP_TRAFFIC_EXCEEDS;
	if (row->fit == TP_TRAFFIC_EXCEEDS) {
		row->expected_read = read;
		row->expected_written = written;
	}
}

enum tp_status tp_traffic_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_traffic_plan *plan = tp_traffic_plan(planned);
	const unsigned line = bench->machine->cache[1].line_bytes;
	struct tp_traffic_row *row = point->row;
	double started = tp_now_seconds();
	enum tp_status status = TP_OK;

	row->cache_bytes = tp_traffic_cache(planned->config, bench->machine, point->threads);
	row->data_bytes = tp_traffic_bytes(plan->kernel, plan->size, line);
	tp_traffic_band(plan->kernel, row->cache_bytes, line, &row->band_low, &row->band_high);
	expect(plan, line, row);
	tp_copy(row->source, sizeof(row->source), "none");
	if (tp_traffic_way(planned->config) != TP_TRAFFIC_NONE)
		status = count(bench, planned, row, diag);
	point->seconds = tp_now_seconds() - started;
	point->invocations = 1;
	point->state = status == TP_OK					    ? TP_POINT_DONE
		       : status == TP_CANCELLED || status == TP_UNSUPPORTED ? TP_POINT_SKIPPED
									    : TP_POINT_FAILED;
	if (status != TP_OK && status != TP_CANCELLED)
		point->diag = *diag;
	return status == TP_UNSUPPORTED ? TP_OK : status;
}
