/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is common to teams of every kind: readings of a window are judged here. */
#include "measure/team_parts.h"
#include "base/process.h"
#include "base/memory.h"
#include "measure/sampler.h"
#include "record/point.h"

#include <math.h>
#include <stdlib.h>

/* A step of the first touch: long enough to be cheap, short enough to be cancelled. */
#define TOUCH_STEP_BYTES ((size_t)16 << 20)
/* With this many pauses a window on average, two thirds of all windows have none. */
#define PAUSES_PER_WINDOW 0.4
/* Windows are not shortened below this: start, end and clock would be too much of them. */
#define SHORTEST_SECONDS 30e-6
#define SHORTEST_STEPS	 200 /* of the clock */

void tp_team_parts_init(struct tp_team *team, const struct tp_team_kind *kind,
			const struct tp_clock *clock, unsigned n)
{
	*team = (struct tp_team){ .kind = kind, .clock = clock, .n = n };
	team->widths = tp_alloc(n, sizeof(*team->widths));
	team->pauses = tp_alloc(n, sizeof(*team->pauses));
	team->readings = tp_alloc(n, sizeof(*team->readings));
}

void tp_team_parts_release(struct tp_team *team)
{
	free(team->widths);
	free(team->pauses);
	free(team->readings);
}

void tp_team_free(struct tp_team *team)
{
	if (team)
		team->kind->free(team);
}

enum tp_status tp_team_check(struct tp_team *team, struct tp_diag *diag)
{
	return team->kind->check ? team->kind->check(team, diag) : TP_OK;
}

unsigned tp_team_size(const struct tp_team *team)
{
	return team->n;
}

const struct tp_clock *tp_team_clock(const struct tp_team *team)
{
	return team->clock;
}

double tp_team_now(const struct tp_team *team)
{
	return team->kind->now(team);
}

void tp_team_rest(struct tp_team *team, double seconds)
{
	team->kind->rest(team, seconds);
}

static enum tp_status tell_touched(const struct tp_watch *watch, uint64_t done, uint64_t total,
				   struct tp_diag *diag)
{
	if (watch && watch->touching)
		watch->touching(watch->context, done, total);
	if (done < total && !tp_watch_goes_on(watch))
		return tp_fail(diag, TP_CANCELLED, "buffer", NULL, "cancelled");
	return TP_OK;
}

enum tp_status tp_team_buffers(struct tp_team *team, size_t bytes, size_t most_bytes,
			       enum tp_pages pages, const struct tp_watch *watch,
			       struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (team->reserved_bytes < bytes || team->pages != pages) {
		team->reserved_bytes = team->touched_bytes = 0;
		status = team->kind->reserve(team, TP_MAX(bytes, most_bytes), pages, diag);
		if (status != TP_OK)
			return status;
		team->reserved_bytes = TP_MAX(bytes, most_bytes);
		team->pages = pages;
	}
	size_t before = team->touched_bytes;
	if (bytes <= before)
		return TP_OK;
	team->walk.settled_bytes = 0;
	while (status == TP_OK && team->touched_bytes < bytes) {
		status = tell_touched(watch, (team->touched_bytes - before) * team->n,
				      (bytes - before) * team->n, diag);
		size_t next = TP_MIN(bytes, team->touched_bytes + TOUCH_STEP_BYTES);
		if (status == TP_OK)
			status = team->kind->touch(team, next, diag);
		if (status == TP_OK)
			team->touched_bytes = next;
	}
	tell_touched(watch, 1, 1, NULL);
	return status;
}

void tp_team_inherit(struct tp_team *team, struct tp_team *from)
{
	if (team->kind == from->kind && team->kind->inherit)
		team->kind->inherit(team, from);
}

size_t tp_team_touched_bytes(const struct tp_team *team)
{
	return team->touched_bytes;
}

char *tp_team_data(const struct tp_team *team, unsigned thread)
{
	return team->kind->data ? team->kind->data(team, thread) : NULL;
}

const char *tp_team_pages(const struct tp_team *team)
{
	return team->kind->pages(team);
}

enum tp_status tp_team_contents(struct tp_team *team, unsigned chasers,
				const struct tp_chase *chase, struct tp_diag *diag)
{
	return team->kind->contents(team, chasers, chase, diag);
}

void *tp_team_cell(struct tp_team *team, unsigned thread)
{
	return team->kind->cell ? team->kind->cell(team, thread) : NULL;
}

bool tp_team_evicts(const struct tp_team *team)
{
	return team->kind->evicts(team);
}

enum tp_status tp_team_emit(const struct tp_team *team, const struct tp_kernel *kernel,
			    const struct tp_cpu *cpu, struct tp_code *code, struct tp_diag *diag)
{
	return team->kind->emit(kernel, cpu, code, diag);
}

static struct tp_gauge_unit unit_of(const struct tp_team *team)
{
	return (struct tp_gauge_unit){ team->chain_additions, team->width_additions,
				       tp_gauge_step_seconds(team->clock) };
}

bool tp_team_core(const struct tp_team *team, unsigned thread, double *ghz, double *own)
{
	const struct tp_window_reading *w = &team->readings[thread];
	const struct tp_gauge_unit unit = unit_of(team);
	struct tp_core_seen core;
	double widest = team->widths[thread].widest;
	tp_core_see(&w->before, &w->after, &unit, &core);
	*ghz = core.ghz;
	*own = widest > 0 ? fmin(core.width / widest, 1) : 1;
	return core.ghz > 0;
}

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out)
{
	team->kind->window(team, work);
	const struct tp_gauge_unit unit = unit_of(team);
	*out = (struct tp_window){ .width = INFINITY };
	uint64_t begin = team->readings[0].begin, end = team->readings[0].end;
	for (unsigned i = 0; i < team->n; i++) {
		const struct tp_window_reading *w = &team->readings[i];
		struct tp_core_seen core;
		if (work->stream) {
			double seconds = tp_clock_seconds(team->clock, w->begin, w->end);
			double bytes = (double)w->slices * (double)work->stream->slice_bytes;

			out->stream_gbps += seconds > 0 ? bytes / seconds * 1e-9 : 0;
		} else if (!work->alone || i == 0) {
			begin = (int64_t)(w->begin - begin) < 0 ? w->begin : begin;
			end = (int64_t)(w->end - end) > 0 ? w->end : end;
		}
		tp_core_see(&w->before, &w->after, &unit, &core);
		tp_core_width_learn(&team->widths[i], core.width);
		tp_core_pauses_learn(&team->pauses[i], &core);
		team->widths[i].blur = core.blur;
		if (core.width < tp_core_width_least(&team->widths[i]))
			out->flags |= TP_FLAG(SIBLING);
		out->width = fmin(out->width, core.width);
		out->ghz += core.ghz / team->n;
		out->flags |= w->switches > 0 ? TP_FLAG(CTX_SWITCH) : 0;
		out->flags |= w->faults > 0 ? TP_FLAG(PAGE_FAULT) : 0;
		out->flags |= w->migrated ? TP_FLAG(MIGRATED) : 0;
	}
	out->seconds = tp_clock_seconds(team->clock, begin, end);
}

void tp_team_run(struct tp_team *team, tp_kernel_function function, void *const *data)
{
	team->kind->window(
		team, &(struct tp_window_work){ .kernel = function, .data = data, .passes = 1 });
}

double tp_team_thread_seconds(const struct tp_team *team, unsigned thread)
{
	const struct tp_window_reading *w = &team->readings[thread];
	return tp_clock_seconds(team->clock, w->begin, w->end);
}

double tp_team_width(const struct tp_team *team)
{
	double width = INFINITY;
	for (unsigned i = 0; i < team->n; i++)
		width = fmin(width, team->widths[i].widest);
	return width;
}

double tp_team_least_width(const struct tp_team *team)
{
	double least = INFINITY;
	for (unsigned i = 0; i < team->n; i++)
		least = fmin(least, tp_core_width_least(&team->widths[i]));
	return least;
}

double tp_team_window_seconds(const struct tp_team *team, double wanted)
{
	double per_second = 0;
	for (unsigned i = 0; i < team->n; i++)
		per_second += tp_core_pauses_per_second(&team->pauses[i]);
	if (per_second * wanted <= PAUSES_PER_WINDOW)
		return wanted;
	double shortest = fmax(SHORTEST_SECONDS, SHORTEST_STEPS * team->clock->resolution_seconds);
	return fmin(wanted, fmax(PAUSES_PER_WINDOW / per_second, shortest));
}

void tp_team_learn(struct tp_team *team)
{
	enum { READINGS = 100 };
	for (int i = 0; i < READINGS && !tp_stop_asked; i++) {
		struct tp_window window;
		tp_team_window(team, &(struct tp_window_work){ .passes = 1 }, &window);
	}
}
