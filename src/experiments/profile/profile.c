/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program over time: the readings of meters while it runs, and its phases. The program runs once;
 * the thread of the sampler reads its meters, this one sends its results.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/changes.h"
#include "analysis/stats.h"
#include "app/app.h"
#include "base/command.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "counters/papi.h"
#include "experiments/app/streams.h"
#include "experiments/bench.h"
#include "experiments/experiment.h"
#include "experiments/profile/bands.h"
#include "experiments/profile/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/sweep.h"
#include "measure/sampler.h"
#include "profile/meters.h"
#include "profile/sampler.h"

struct tp_profile_plan {
	char **words; /* up to NULL, in the plan's arena */
	char **functions; /* that are regions, likewise */
};

/* Zero-initialise; release in any case. */
struct tp_profile_papi {
	struct tp_papi_meters *meters; /* NULL = none */
	struct tp_diag why; /* then */
	struct tp_meter_others others; /* n 0 = none requested */
};

/* Redundant meters (bytes and faults of a copy) all count: any may step. */
static const bool of_program[TP_METERS] = {
#define OWN(id, name, unit, is_own, words) is_own,
	TP_METER_LIST(OWN)
#undef OWN
};

struct phasing {
	const struct tp_profile_sample *samples;
	size_t n;
	double *store; /* n for each series */
	const double *series[TP_METERS];
	int meters[TP_METERS];
	size_t n_series;
	struct tp_changes_series told[TP_METERS];
	size_t edges[TP_PROFILE_PHASES_MAX];
	size_t n_edges;
};

/* The program's regions with any reading. Threads of one process rarely change: they may, too. */
static void collect_series(struct phasing *p)
{
	p->store = tp_alloc(p->n * TP_METERS, sizeof(*p->store));
	for (int m = 0; m < TP_METERS; m++) {
		double *x = &p->store[p->n_series * p->n];
		bool any = false;
		for (size_t i = 0; i < p->n; i++) {
			x[i] = p->samples[i].values[m];
			any |= isfinite(x[i]);
		}
		if (!any || !of_program[m])
			continue;
		p->series[p->n_series] = x;
		p->meters[p->n_series++] = m;
	}
}

static void mean_of(const struct phasing *p, size_t from, size_t to, double means[TP_METERS])
{
	for (int m = 0; m < TP_METERS; m++) {
		double sum = 0, time = 0;
		for (size_t i = from; i < to; i++) {
			double value = p->samples[i].values[m];
			if (!isfinite(value))
				continue;
			sum += value * p->samples[i].seconds;
			time += p->samples[i].seconds;
		}
		means[m] = time > 0 ? sum / time : NAN;
	}
}

/* Letters by difference; a meter that separates other phases counts if it steps here. */
static void add_phases(const struct phasing *p, struct tp_run *run, const struct tp_point *point)
{
	size_t n = p->n_edges + 1;
	TP_FREE double *means = tp_alloc(n * p->n_series + 1, sizeof(*means));
	TP_FREE unsigned *groups = tp_alloc(n, sizeof(*groups));
	double ranges[TP_METERS] = { 0 };
	double all = p->samples[p->n - 1].at_seconds -
		     (p->samples[0].at_seconds - p->samples[0].seconds);
	for (size_t i = 0; i < n; i++) {
		size_t from = i ? p->edges[i - 1] : 0, to = i < p->n_edges ? p->edges[i] : p->n;
		double whole[TP_METERS];
		mean_of(p, from, to, whole);
		for (size_t j = 0; j < p->n_series; j++)
			means[i * p->n_series + j] = whole[p->meters[j]];
	}
	/*
	 * A series of noise does not separate phases: the difference is compared with the range of
	 * all samples. A series that is constant except for outliers does not count.
	 */
	for (size_t j = 0; j < p->n_series; j++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t i = 0; i < n; i++) {
			low = fmin(low, means[i * p->n_series + j]);
			high = fmax(high, means[i * p->n_series + j]);
		}
		double range = p->told[j].range;
		ranges[j] = range > 0 && high >= low
				    ? fmax(fmax(high - low, range), 4 * p->told[j].noise)
				    : 0;
	}
	tp_changes_alike(means, n, p->n_series, ranges, groups);
	for (size_t i = 0; i < n; i++) {
		size_t from = i ? p->edges[i - 1] : 0, to = i < p->n_edges ? p->edges[i] : p->n;
		struct tp_profile_phase *row = tp_run_add_row(run, &tp_profile_phase_part);
		row->run = point->run;
		row->point = point->point;
		row->number = (unsigned)i;
		tp_profile_letter(groups[i], row->letter);
		row->start_seconds = p->samples[from].at_seconds - p->samples[from].seconds;
		row->seconds = p->samples[to - 1].at_seconds - row->start_seconds;
		row->share = all > 0 ? row->seconds / all : 0;
		mean_of(p, from, to, row->means);
	}
}

static void reduce_point(struct tp_run *run, const struct tp_point *point)
{
	TP_FREE struct phasing *p = tp_alloc(1, sizeof(*p));
	p->n = tp_profile_samples(run, point->point, &p->samples);
	if (!p->n)
		return;
	collect_series(p);
	tp_changes(p->series, p->n_series, p->n, p->edges, TP_PROFILE_PHASES_MAX - 1, &p->n_edges,
		   p->told);
	add_phases(p, run, point);
	free(p->store);
}

static void profile_reduce(const struct tp_machine *machine __attribute__((unused)),
			   struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].run == index && run->points[i].state == TP_POINT_DONE &&
		    tp_point_is_profile(&run->points[i]))
			reduce_point(run, &run->points[i]);
}

static void start(void *context)
{
	struct tp_profile_papi *p = context;
	if (p->meters)
		tp_papi_meters_start(p->meters);
}

static void read_all(void *context, double *values)
{
	struct tp_profile_papi *p = context;
	for (size_t i = 0; i < p->others.n; i++)
		values[i] = NAN;
	if (p->meters)
		tp_papi_meters_read(p->meters, values);
}

static void stop(void *context)
{
	struct tp_profile_papi *p = context;
	if (p->meters)
		tp_papi_meters_stop(p->meters);
}

static const struct tp_diag *missing(void *context, size_t i)
{
	const struct tp_profile_papi *p = context;
	const struct tp_papi_meter *m = p->meters ? tp_papi_meters_at(p->meters, i) : NULL;
	return !m ? &p->why : m->there ? NULL : &m->why;
}

static bool is_gauge(void *context, size_t i)
{
	const struct tp_profile_papi *p = context;
	return p->meters && tp_papi_meters_at(p->meters, i)->gauge;
}

/* "uJ/s", "1/s", "mW": what its values are in. */
static const char *profile_papi_unit(const struct tp_profile_papi *p, size_t i, char *out,
				     size_t size)
{
	const struct tp_papi_meter *m = p->meters ? tp_papi_meters_at(p->meters, i) : NULL;
	const char *unit = m ? m->unit : "";
	bool gauge = m && m->gauge;
	TP_STR text = { 0 };
	tp_str_printf(&text, "%s%s", !*unit && !gauge ? "1" : unit, gauge ? "" : "/s");
	tp_copy(out, size, tp_str_text(&text));
	return out;
}

/* The first gap that is closed, in seconds; it doubles until there are few enough. */
static const double FIRST_GAP = 1e-6;

static int by_start(const void *a, const void *b)
{
	double x = ((const struct tp_profile_region *)a)->start_seconds;
	double y = ((const struct tp_profile_region *)b)->start_seconds;
	return (x > y) - (x < y);
}

/* Neighbours of one thread and region with at most `gap` between them become one. */
static size_t join_spans(struct tp_profile_region *rows, size_t n, const unsigned *of,
			 unsigned *kept_of, size_t *last, double gap)
{
	size_t kept = 0;
	memset(last, 0xff, TP_APP_THREADS * TP_APP_REGIONS * sizeof(*last));
	for (size_t i = 0; i < n; i++) {
		size_t *place = &last[rows[i].thread * TP_APP_REGIONS + of[i]];
		struct tp_profile_region *before = *place == SIZE_MAX ? NULL : &rows[*place];
		double end = rows[i].start_seconds + rows[i].seconds;
		if (before &&
		    rows[i].start_seconds - before->start_seconds - before->seconds <= gap) {
			before->seconds = fmax(before->seconds, end - before->start_seconds);
			before->times += rows[i].times;
			continue;
		}
		*place = kept;
		kept_of[kept] = of[i];
		rows[kept++] = rows[i];
	}
	return kept;
}

/*
 * Rows of the spans of a run, by their starts; at most TP_PROFILE_REGIONS_MAX: beyond that,
 * neighbours of one thread and region with the least time between them are joined. `started`: of
 * the program, in seconds of CLOCK_MONOTONIC. The caller frees them; NULL without spans.
 */
static struct tp_profile_region *make_regions(const struct tp_app_time *time, double started,
					      size_t *n)
{
	*n = 0;
	if (!time->n_spans)
		return NULL;
	struct tp_profile_region *rows = tp_alloc(time->n_spans, sizeof(*rows));
	TP_FREE unsigned *of = tp_alloc(time->n_spans, sizeof(*of));
	TP_FREE size_t *last = tp_alloc((size_t)TP_APP_THREADS * TP_APP_REGIONS, sizeof(*last));
	/* The sampler may have seen the program only after it began its work. */
	for (size_t i = 0; i < time->n_spans; i++)
		started = fmin(started, time->spans[i].start);
	/* `number` is the region's until they are sorted. */
	for (size_t i = 0; i < time->n_spans; i++) {
		const struct tp_app_span *s = &time->spans[i];
		const char *name = time->names[s->region];
		rows[i] = (struct tp_profile_region){ .thread = s->thread,
						      .number = s->region,
						      .start_seconds = s->start - started,
						      .seconds = s->seconds,
						      .times = 1 };
		tp_shown(rows[i].region, sizeof(rows[i].region), name, strlen(name));
	}
	qsort(rows, time->n_spans, sizeof(*rows), by_start);
	for (size_t i = 0; i < time->n_spans; i++)
		of[i] = rows[i].number;
	*n = time->n_spans;
	/* Beyond any time of a program each thread and region has one row, which may be too many.
	 */
	for (double gap = FIRST_GAP; *n > TP_PROFILE_REGIONS_MAX && gap < 1e9; gap *= 2)
		*n = join_spans(rows, *n, of, of, last, gap);
	*n = TP_MIN(*n, (size_t)TP_PROFILE_REGIONS_MAX);
	for (size_t i = 0; i < *n; i++)
		rows[i].number = (unsigned)i;
	return rows;
}

/* Ticks that wait to be reported: the sampler leaves ten a second. */
enum { WAITING = 64 };

/* Interval of reporting bands of regions while the program runs. */
static const double BANDS_SECONDS = 0.1;

struct profiling {
	struct tp_profiler *profiler;
	struct tp_profile_bands *bands; /* NULL = none */
	struct tp_profile_papi papi;
	double bands_told; /* when, as tp_now_seconds */
	struct tp_bench *bench;
	const struct tp_planned *planned;
	struct tp_point *point;
	struct tp_profile_row *row;
	pthread_mutex_t lock; /* of what follows */
	struct tp_profile_tick waiting[WAITING];
	size_t n_waiting;
	unsigned n_told;
};

static void send_row(const struct profiling *p, const struct tp_row_event *event, const void *row)
{
	tp_watch_row(p->bench->watch, event, row);
}

static void tell_sample(const struct profiling *p, const struct tp_profile_tick *tick,
			unsigned number, bool final)
{
	struct tp_profile_sample row = { .run = p->point->run,
					 .point = p->point->point,
					 .number = number,
					 .final = final,
					 .at_seconds = tick->at,
					 .seconds = tick->seconds };
	memcpy(row.values, tick->values, sizeof(row.values));
	send_row(p, &tp_profile_sample_event, &row);
}

/* In the sampler's thread. */
static void on_tick(void *context, const struct tp_profile_tick *tick)
{
	struct profiling *p = context;
	pthread_mutex_lock(&p->lock);
	if (p->n_waiting < WAITING)
		p->waiting[p->n_waiting++] = *tick;
	pthread_mutex_unlock(&p->lock);
}

static void on_band(void *context, const struct tp_profile_region *band)
{
	const struct profiling *p = context;
	struct tp_profile_region row = *band;
	row.run = p->point->run;
	row.point = p->point->point;
	send_row(p, &tp_profile_region_event, &row);
}

/* Growing bands are reported in the order of samples. */
static void on_marks(void *context, const struct tp_app_mark *marks, size_t n,
		     char (*names)[TP_APP_NAME])
{
	struct profiling *p = context;
	double started = tp_profiler_started(p->profiler), now = tp_now_seconds();
	if (!p->bands || !(started > 0))
		return;
	for (size_t i = 0; i < n; i++)
		tp_profile_bands_mark(p->bands, marks[i].region, marks[i].thread, marks[i].is_end,
				      marks[i].at - started);
	if (now - p->bands_told < BANDS_SECONDS)
		return;
	p->bands_told = now;
	tp_profile_bands_tell(p->bands, now - started, names, on_band, p);
}

static bool go_on(void *context)
{
	struct profiling *p = context;
	struct tp_profile_tick ticks[WAITING];
	pthread_mutex_lock(&p->lock);
	size_t n = p->n_waiting;
	memcpy(ticks, p->waiting, n * sizeof(*ticks));
	p->n_waiting = 0;
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < n; i++)
		tell_sample(p, &ticks[i], p->n_told++, false);
	return tp_watch_goes_on(p->bench->watch);
}

/* --- what was found --- */

static void sum_up(const struct tp_sampled *s, int id, double *scratch,
		   struct tp_profile_meter *row)
{
	double sum = 0, time = 0;
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		double value = s->ticks[i].values[id];
		if (!isfinite(value))
			continue;
		scratch[n++] = value;
		sum += value * s->ticks[i].seconds;
		time += s->ticks[i].seconds;
	}
	row->mean = row->most = NAN;
	if (!n)
		return;
	tp_sort_doubles(scratch, n);
	row->mean = sum / time;
	row->most = tp_quantile_sorted(scratch, n, 0.99);
}

/* "compute in alt"; a place without a symbol has the name of its file already. */
static void tell_function(const struct tp_code_function *f, char *out, size_t size)
{
	size_t len = strlen(f->file);
	bool has_file = strncmp(f->name, f->file, len) == 0 && f->name[len] == '+';
	snprintf(out, size, "%.60s%s%.40s", f->name, has_file ? "" : " in ",
		 has_file ? "" : f->file);
}

/* All except those in profile.meters, if it names any. */
static void set_unwanted(const struct tp_config *config, bool unwanted[TP_METERS])
{
	const struct tp_value *names = tp_config_value(config, TP_OPT_PROFILE_METERS);
	for (int m = 0; m < TP_METERS && names->n; m++) {
		unwanted[m] = true;
		for (size_t i = 0; i < names->n; i++)
			unwanted[m] &=
				!tp_meter_is_named((enum tp_meter_id)m, names->items[i].text);
	}
}

static void tell_meters(const struct profiling *p, const struct tp_sampled *s)
{
	const struct tp_value *events = tp_config_value(p->planned->config, TP_OPT_PROFILE_EVENTS);
	TP_FREE double *scratch = tp_alloc(s->n + 1, sizeof(*scratch));
	bool unwanted[TP_METERS] = { false };
	set_unwanted(p->planned->config, unwanted);
	for (int i = 0; i < TP_METERS; i++) {
		const struct tp_meter *meter = &tp_meter_table[i];
		size_t event = (size_t)(i - TP_METER_EVENT_1);
		size_t code = (size_t)(i - TP_METER_CODE_1);
		const struct tp_value *names =
			tp_config_value(p->planned->config, TP_OPT_PROFILE_PAPI);
		size_t papi = (size_t)(i - TP_METER_PAPI_1);
		bool is_papi = i >= TP_METER_PAPI_1 && papi < TP_METER_PAPI;
		bool is_event = i >= TP_METER_EVENT_1 && event < TP_METER_EVENTS;
		bool is_code = i >= TP_METER_CODE_1 && code < TP_METER_CODES;
		struct tp_profile_meter row = { .run = p->point->run,
						.point = p->point->point,
						.number = (unsigned)i,
						.there = s->there[i] };
		/* Slots for meters that were not requested, or that the program lacks. */
		if (unwanted[i] || (is_event && event >= events->n) ||
		    (is_papi && papi >= names->n) || (is_code && code && code >= s->n_functions))
			continue;
		tp_copy(row.name, sizeof(row.name), meter->name);
		tp_copy(row.unit, sizeof(row.unit), meter->unit);
		tp_copy(row.counts, sizeof(row.counts), meter->counts);
		if (is_papi) {
			tp_copy(row.about, sizeof(row.about), names->items[papi].text);
			profile_papi_unit(&p->papi, papi, row.unit, sizeof(row.unit));
		}
		if (is_event)
			tp_copy(row.about, sizeof(row.about), events->items[event].text);
		if (is_code && code < s->n_functions)
			tell_function(&s->functions[code], row.about, sizeof(row.about));
		if (!row.there) {
			tp_copy(row.why, sizeof(row.why), s->why[i].what);
			tp_copy(row.hint, sizeof(row.hint), s->why[i].hint);
		}
		sum_up(s, i, scratch, &row);
		send_row(p, &tp_profile_meter_event, &row);
	}
}

static void say_limits(const struct profiling *p, const struct tp_sampled *s)
{
	const struct tp_watch *watch = p->bench->watch;
	const char *command = p->row->command;
	if (s->thinned)
		tp_watch_say(watch, command, "raise profile.interval for long programs",
			     "it ran long: samples are %.3g s apart", s->interval_seconds);
	if (s->lost)
		tp_watch_say(watch, command, NULL,
			     "%u of its processes and threads were not followed: there was no room",
			     s->lost);
	if (s->n && s->late > s->n / 10)
		tp_watch_say(watch, command, "leave a CPU free, or raise profile.interval",
			     "%u of %zu samples came late", s->late, s->n + s->late);
}

static enum tp_status tell_all(struct profiling *p, const struct tp_sampled *s,
			       struct tp_diag *diag)
{
	struct tp_profile_row *row = p->row;
	if (!s->n)
		return tp_fail(diag, TP_UNSUPPORTED, row->command,
			       "choose a shorter profile.interval, or give it more to do",
			       "it ended before the first sample");
	row->samples = (unsigned)s->n;
	row->last_interval_seconds = s->interval_seconds;
	row->late = s->late;
	row->sampler_share = row->time_seconds > 0 ? s->own_cpu_seconds / row->time_seconds : 0;
	row->code_samples = (double)s->code_taken;
	row->code_lost = (double)s->code_lost;
	for (size_t i = 0; i < s->n; i++)
		tell_sample(p, &s->ticks[i], (unsigned)i, true);
	say_limits(p, s);
	tell_meters(p, s);
	return TP_OK;
}

static void tell_regions(const struct profiling *p, const struct tp_app_time *time, double started)
{
	size_t n;
	TP_FREE struct tp_profile_region *rows = make_regions(time, started, &n);
	for (size_t i = 0; i < n; i++) {
		rows[i].run = p->point->run;
		rows[i].point = p->point->point;
		send_row(p, &tp_profile_region_event, &rows[i]);
	}
	if (time->spans_end_early)
		tp_watch_say(p->bench->watch, p->row->command, "name regions that take longer",
			     "it enters and leaves regions so often that only the first 65,536 "
			     "times are shown");
}

/* --- the run --- */

static void find_papi(struct profiling *p)
{
	const struct tp_value *papi = tp_config_value(p->planned->config, TP_OPT_PROFILE_PAPI);
	const char *names[TP_METER_PAPI];
	size_t n = TP_MIN(papi->n, (size_t)TP_METER_PAPI);
	for (size_t i = 0; i < n; i++)
		names[i] = papi->items[i].text;
	/* Before the program starts; names are borrowed, n <= TP_METER_PAPI. */
	p->papi.others =
		(struct tp_meter_others){ n, start, read_all, stop, missing, is_gauge, &p->papi };
	if (n)
		tp_papi_meters_find(names, n, true, &p->papi.meters, &p->papi.why);
}

static enum tp_status profile_program(struct profiling *p, struct tp_diag *diag)
{
	const struct tp_config *config = p->planned->config;
	const struct tp_profile_plan *plan = p->planned->row;
	const struct tp_value *events = tp_config_value(config, TP_OPT_PROFILE_EVENTS);
	const char *input = tp_config_text(config, TP_OPT_PROFILE_INPUT);
	volatile uint32_t pid = 0;
	struct tp_app_command command = { .words = plan->words,
					  .functions = plan->functions,
					  .limit_seconds =
						  tp_config_real(config, TP_OPT_PROFILE_LIMIT),
					  .pid = &pid,
					  .go_on = go_on,
					  .marks = on_marks,
					  .context = p };
	struct tp_sampling_wishes wishes = {
		.interval_seconds = tp_config_real(config, TP_OPT_PROFILE_INTERVAL),
		.most = TP_SAMPLES_MAX,
		.places = &tp_meter_places,
		.told = on_tick,
		.context = p,
	};
	for (size_t i = 0; i < events->n && i < TP_METER_EVENTS; i++)
		wishes.events[i] = events->items[i].text;
	find_papi(p);
	wishes.others = p->papi.others.n ? &p->papi.others : NULL;
	set_unwanted(config, wishes.unwanted);
	struct tp_app_streams streams;
	TP_CLEANUP(tp_app_time_release) struct tp_app_time ran = { 0 };
	TP_CLEANUP(tp_sampled_release) struct tp_sampled sampled = { 0 };
	tp_app_streams_init(&streams, p->bench, input);
	tp_app_streams_set(&streams, true, &command);
	enum tp_status status = tp_profiler_start(&p->profiler, &wishes, &pid, diag);
	if (status != TP_OK)
		return status;
	tp_app_streams_lend(&streams);
	status = tp_app_time(&command, &ran, diag);
	tp_app_streams_back(&streams);
	p->bench->interrupted |= streams.interrupted;
	tp_profiler_end(p->profiler, &sampled);
	p->row->time_seconds = ran.wall_seconds;
	p->row->user_seconds = ran.user_seconds;
	p->row->system_seconds = ran.system_seconds;
	p->row->lost_marks = (double)ran.lost_marks;
	p->row->max_rss_bytes = ran.max_rss_bytes;
	p->row->exit_status = ran.end.signal ? 0 : (unsigned)ran.end.code;
	p->row->signal = (unsigned)ran.end.signal;
	for (size_t i = 0; i < ran.notes.n; i++)
		tp_watch_say(p->bench->watch, p->row->command, ran.notes.items[i].hint, "%s",
			     ran.notes.items[i].what);
	if (status == TP_OK)
		status = tell_all(p, &sampled, diag);
	if (status == TP_OK)
		tell_regions(p, &ran, sampled.started);
	return status;
}

static enum tp_status profile_run(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	struct profiling p = {
		.bench = bench, .planned = planned, .point = point, .row = point->row
	};
	p.bands = tp_profile_bands_new();
	pthread_mutex_init(&p.lock, NULL);
	tp_bench_rest(bench);
	enum tp_status status = profile_program(&p, diag);
	pthread_mutex_destroy(&p.lock);
	tp_papi_meters_free(p.papi.meters);
	p.papi.meters = NULL;
	tp_profile_bands_free(p.bands);
	if (status == TP_OK)
		point->kind->headline(point);
	tp_bench_end_point(point, status, diag, tp_now_seconds() - started);
	return status;
}

/* The run time of a program is unknown beforehand. */
static const double ESTIMATE_SECONDS = 10;

static bool code_is_known(const struct tp_option *option __attribute__((unused)), const char *text)
{
	return !*text;
}

static enum tp_status check_meters(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *meters = tp_config_value(context->config, TP_OPT_PROFILE_METERS);
	char shown[60];
	for (size_t i = 0; i < meters->n; i++) {
		const char *name = meters->items[i].text;
		int m = 0;
		while (m < TP_METERS && !tp_meter_is_named((enum tp_meter_id)m, name))
			m++;
		if (m == TP_METERS)
			return tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_PROFILE_METERS,
				"columns of profile.csv, such as cpus, resident_bytes, disk, code",
				"there is no meter \"%s\"",
				tp_shown(shown, sizeof(shown), name, strlen(name)));
	}
	return TP_OK;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	const char *text = tp_config_text(context->config, TP_OPT_PROFILE_COMMAND);
	struct tp_arena *arena =
		context->plan->counting ? &context->plan->counted : &context->plan->arena;
	char **words;
	enum tp_status status =
		tp_planner_program(context, TP_OPT_PROFILE_COMMAND,
				   "tprof --profile -- ./program arguments", &words, diags);
	if (status != TP_OK)
		return status;
	if (tp_config_value(context->config, TP_OPT_PROFILE_EVENTS)->n > TP_METER_EVENTS)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROFILE_EVENTS,
					 "name the four that matter most",
					 "there are more than %d events", TP_METER_EVENTS);
	if (check_meters(context, diags) != TP_OK)
		return TP_USAGE;
	if (tp_config_value(context->config, TP_OPT_PROFILE_PAPI)->n > TP_METER_PAPI)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROFILE_PAPI,
					 "name the six that matter most",
					 "there are more than %d events", TP_METER_PAPI);
	/* It runs on the CPUs its user allows: the CPUs of the point do not matter. */
	struct tp_choices choices;
	status = tp_planner_choices(context, &choices, diags);
	if (status != TP_OK)
		return status;
	struct tp_planned *p = tp_plan_add(context, 1, choices.cpus[0], 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_profile_plan *own = p->row;
	struct tp_profile_row *row = p->point.row;
	own->words = words;
	status = tp_planner_functions(context, TP_OPT_PROFILE_REGIONS, arena, &own->functions,
				      diags);
	if (status != TP_OK)
		return status;
	const char *name = tp_path_last(words[0]);
	tp_shown(p->point.kernel, sizeof(p->point.kernel), name, strlen(name));
	tp_shown(row->command, sizeof(row->command), text, strlen(text));
	row->interval_seconds = tp_config_real(context->config, TP_OPT_PROFILE_INTERVAL);
	p->point.estimate_seconds = ESTIMATE_SECONDS;
	return TP_OK;
}

static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_profile_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_profile = {
	.name = "profile",
	.question = "Where does my program's time go?",
	.summary =
		"a program over time: CPUs, memory, faults, bytes, power and where its time goes, "
		"with its phases",
	.not_simulated = "a simulation runs kernels of tprof, not programs",
	.plan = plan,
	.plan_bytes = sizeof(struct tp_profile_plan),
	.run = profile_run,
	.reduce = profile_reduce,
	.code_is_known = code_is_known,
	.describe = describe,
};
