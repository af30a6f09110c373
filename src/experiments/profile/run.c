/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program runs once; the sampler's thread reads its meters, this one tells what it found. */
#include "app/app.h"
#include "base/now.h"
#include "base/memory.h"
#include "experiments/app/streams.h"
#include "experiments/bench.h"
#include "experiments/profile/bands.h"
#include "experiments/profile/options.h"
#include "experiments/profile/papi.h"
#include "experiments/profile/plan.h"
#include "experiments/profile/profile_row.h"
#include "experiments/profile/regions.h"
#include "measure/sampler.h"
#include "profile/sampler.h"
#include "analysis/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ticks that wait for being told: the sampler leaves ten a second. */
enum { WAITING = 64 };
/* Between two times that bands of regions are told while the program runs. */
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

static void tell(const struct profiling *p, const struct tp_row_event *event, const void *row)
{
	const struct tp_watch *watch = p->bench->watch;
	if (watch && watch->row)
		(void)watch->row(watch->context, event, row);
}

static void note(const struct profiling *p, const char *hint, const char *what)
{
	const struct tp_watch *watch = p->bench->watch;
	struct tp_diag diag;
	tp_fail(&diag, TP_OK, p->row->command, hint, "%s", what);
	if (watch && watch->note)
		watch->note(watch->context, &diag);
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
	tell(p, &tp_profile_sample_event, &row);
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
	tell(p, &tp_profile_region_event, &row);
}

/* Bands that grow while their threads are in them are told in the order of samples. */
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

/* Those that profile.meters does not name, if it names any. */
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

static enum tp_status tell_meters(const struct profiling *p, const struct tp_sampled *s,
				  struct tp_diag *diag)
{
	const struct tp_value *events = tp_config_value(p->planned->config, TP_OPT_PROFILE_EVENTS);
	double *scratch = calloc(s->n + 1, sizeof(*scratch));
	bool unwanted[TP_METERS] = { false };
	set_unwanted(p->planned->config, unwanted);
	if (!scratch)
		return tp_fail(diag, TP_NOMEM, p->row->command, NULL, "out of memory");
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
		/* Slots for what nobody asked for, or what the program does not have. */
		if (unwanted[i] || (is_event && event >= events->n) ||
		    (is_papi && papi >= names->n) || (is_code && code && code >= s->n_functions))
			continue;
		tp_copy(row.name, sizeof(row.name), meter->name);
		tp_copy(row.unit, sizeof(row.unit), meter->unit);
		tp_copy(row.counts, sizeof(row.counts), meter->counts);
		if (is_papi) {
			tp_copy(row.about, sizeof(row.about), names->items[papi].text);
			tp_profile_papi_unit(&p->papi, papi, row.unit, sizeof(row.unit));
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
		tell(p, &tp_profile_meter_event, &row);
	}
	free(scratch);
	return TP_OK;
}

static void say_limits(const struct profiling *p, const struct tp_sampled *s)
{
	char text[160];
	if (s->thinned) {
		snprintf(text, sizeof(text), "it ran long: samples are %.3g s apart",
			 s->interval_seconds);
		note(p, "raise profile.interval for long programs", text);
	}
	if (s->lost) {
		snprintf(text, sizeof(text),
			 "%u of its processes and threads were not followed: there was no room",
			 s->lost);
		note(p, NULL, text);
	}
	if (s->n && s->late > s->n / 10) {
		snprintf(text, sizeof(text), "%u of %zu samples came late", s->late,
			 s->n + s->late);
		note(p, "leave a CPU free, or raise profile.interval", text);
	}
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
	return tell_meters(p, s, diag);
}

static enum tp_status tell_regions(const struct profiling *p, const struct tp_app_time *time,
				   double started, struct tp_diag *diag)
{
	struct tp_profile_region *rows;
	size_t n;
	if (tp_profile_regions_make(time, started, &rows, &n) != TP_OK)
		return tp_fail(diag, TP_NOMEM, p->row->command, NULL, "out of memory");
	for (size_t i = 0; i < n; i++) {
		rows[i].run = p->point->run;
		rows[i].point = p->point->point;
		tell(p, &tp_profile_region_event, &rows[i]);
	}
	free(rows);
	if (time->spans_end_early)
		note(p, "name regions that take longer",
		     "it enters and leaves regions so often that only the first 65,536 times are "
		     "shown");
	return TP_OK;
}

/* --- the run --- */

static void find_papi(struct profiling *p)
{
	const struct tp_value *papi = tp_config_value(p->planned->config, TP_OPT_PROFILE_PAPI);
	const char *names[TP_METER_PAPI];
	size_t n = TP_MIN(papi->n, (size_t)TP_METER_PAPI);
	for (size_t i = 0; i < n; i++)
		names[i] = papi->items[i].text;
	tp_profile_papi_find(&p->papi, names, n);
}

static enum tp_status profile(struct profiling *p, struct tp_diag *diag)
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
	struct tp_app_time ran = { 0 };
	struct tp_sampled sampled = { 0 };
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
		note(p, ran.notes.items[i].hint, ran.notes.items[i].what);
	if (status == TP_OK)
		status = tell_all(p, &sampled, diag);
	if (status == TP_OK)
		status = tell_regions(p, &ran, sampled.started, diag);
	tp_app_time_release(&ran);
	tp_sampled_release(&sampled);
	return status;
}

enum tp_status tp_profile_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	struct profiling p = {
		.bench = bench, .planned = planned, .point = point, .row = point->row
	};
	p.bands = tp_profile_bands_new();
	pthread_mutex_init(&p.lock, NULL);
	tp_bench_rest(bench);
	enum tp_status status = profile(&p, diag);
	pthread_mutex_destroy(&p.lock);
	tp_profile_papi_release(&p.papi);
	tp_profile_bands_free(p.bands);
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK)
		point->diag = *diag;
	if (status == TP_OK)
		point->kind->headline(point);
	point->seconds = tp_now_seconds() - started;
	return status;
}
