/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/crew.h"
#include "analysis/stats.h"
#include "machine/machine.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "base/now.h"

/* Rows in which no readings of an event agree; no more of it are taken again then. */
enum { RESTLESS_ROWS = 3 };
/* A longer reading is interrupted in any case, and that is small in comparison. */
static const double short_seconds = 0.05;

enum { POLL_NS = 10 * 1000 * 1000, NS = 1000 * 1000 * 1000 };

struct worker {
	struct tp_crew *crew;
	pthread_t thread;
	unsigned number, cpu;
	bool started;
	struct tp_emulation *emulation;
	/* Of the row, [event * (repetitions + TP_CREW_AGAIN) + i]: readings that were kept. */
	double *counts;
	unsigned *left_out; /* like the caller's */
	unsigned char *restless; /* of each event: rows in turn in which it did not settle */
	bool *agreed; /* of each event: enough of its readings, in this row */
	size_t kept; /* readings of the group */
	/* groups whose thread left its CPU in every reading, as happens when others work there */
	unsigned crowded;
	bool settled; /* the group needs no more of them */
	bool done; /* and no worker needs more */
	enum tp_status status; /* of the row, or of the start */
	struct tp_diag diag;
};

struct tp_crew {
	struct tp_source *source;
	const struct tp_emulated_machine *emulated;
	struct worker *workers;
	unsigned n;
	size_t largest_group;
	pthread_mutex_t mutex;
	pthread_cond_t begun, ended;
	pthread_barrier_t barrier; /* all readings of a row are taken side by side */
	unsigned row; /* grows with every row; workers wait for it */
	unsigned working; /* workers that have not ended the row */
	bool quit;
	const struct tp_crew_task *task;
	atomic_bool stop_wished; /* by the caller */
	bool stop; /* worker 0 copies it before a barrier, so that all see the same after it */
};

/* --- a row, on a worker --- */

static bool go_on(struct worker *w)
{
	struct tp_crew *c = w->crew;
	if (w->number == 0)
		c->stop = atomic_load(&c->stop_wished);
	pthread_barrier_wait(&c->barrier);
	bool stop = c->stop;
	w->done = true;
	for (unsigned i = 0; i < c->n; i++)
		w->done &= c->workers[i].settled;
	pthread_barrier_wait(&c->barrier); /* before worker 0 checks again */
	return !stop;
}

static enum tp_status measure(struct worker *w, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts)
{
	return w->crew->source->kind->measure(w->crew->source, group, work, repetition, counts,
					      &w->diag);
}

/*
 * One reading of one group. The difference of two runs of different length cancels everything
 * around the passes.
 */
static enum tp_status take_reading(struct worker *w, size_t group, struct tp_work work,
				   size_t repetition, double *counts, double *longer)
{
	const struct tp_crew_task *task = w->crew->task;
	size_t n = w->crew->source->groups[group].n;
	work.passes = task->passes;
	bool difference = task->counting->family->method == TP_COUNT_DIFFERENCE;
	if (difference && w->emulation)
		tp_emulation_reset(w->emulation);
	enum tp_status status = measure(w, group, &work, repetition, counts);
	if (status != TP_OK || !difference)
		return status;
	work.passes = 2 * task->passes;
	if (w->emulation)
		tp_emulation_reset(w->emulation);
	status = measure(w, group, &work, repetition, longer);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		counts[i] = longer[i] - counts[i];
	return status;
}

static size_t capacity(const struct tp_crew *c)
{
	return c->task->repetitions + TP_CREW_AGAIN;
}

/*
 * Whether the group needs no more readings. Exact rows keep the readings that agree; other rows, or
 * if none agree, the first ones.
 */
static bool has_settled(struct worker *w, size_t group)
{
	const struct tp_crew_task *task = w->crew->task;
	const struct tp_source_group *g = &w->crew->source->groups[group];
	bool settled = true, exact = w->crew->source->disturbed && task->repetitions > 1 &&
				     task->counting->family->method == TP_COUNT_DIFFERENCE;
	if (w->status != TP_OK || w->kept < task->repetitions || !exact)
		return w->status != TP_OK || w->kept >= task->repetitions;
	for (size_t i = 0; i < g->n; i++) {
		size_t e = g->events[i], alike = 0;
		double *counts = w->counts + e * capacity(w->crew), value;
		if (!w->agreed[e])
			alike = tp_alike(counts, w->kept, &value);
		if (alike >= task->repetitions) {
			w->agreed[e] = true;
			w->left_out[e] += (unsigned)(w->kept - alike);
			for (size_t r = 0; r < task->repetitions; r++)
				counts[r] = value;
		}
		settled &= w->agreed[e] || w->restless[e] == RESTLESS_ROWS;
	}
	return settled;
}

static long switches_here(void)
{
	struct rusage usage = { 0 };
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void take_readings(struct worker *w, void *data)
{
	struct tp_crew *c = w->crew;
	const struct tp_crew_task *task = c->task;
	struct tp_work work = { .code = &task->counting->code,
				.data = data,
				.passes = task->passes,
				.emulation = w->emulation };
	TP_FREE double *counts = tp_alloc(2 * c->largest_group + 1, sizeof(*counts));
	if (w->emulation)
		tp_emulation_reset(w->emulation);
	if (w->status == TP_OK && task->counting->family->method == TP_COUNT_STEADY) {
		work.passes = 1;
		w->status = tp_work_run(&work, &w->diag);
	}
	for (size_t g = 0; g < c->source->n_groups; g++) {
		const struct tp_source_group *group = &c->source->groups[g];
		size_t tries = task->repetitions + (c->source->disturbed ? TP_CREW_AGAIN : 0);
		size_t left = 0;
		w->kept = 0;
		w->settled = false;
		for (size_t r = 0; r < tries; r++) {
			/* Failed workers continue too: the others wait for them at the barrier. */
			if (!go_on(w))
				return;
			if (w->done)
				break;
			double begun = tp_now_seconds();
			long switches = switches_here();
			if (w->status == TP_OK)
				w->status = take_reading(w, g, work, r, counts,
							 counts + c->largest_group);
			/* The last tries count in any case. */
			bool disturbed = !w->emulation && w->crowded < RESTLESS_ROWS &&
					 switches_here() != switches &&
					 tp_now_seconds() - begun < short_seconds &&
					 w->kept + tries - r > task->repetitions;
			for (size_t i = 0; i < group->n; i++)
				if (disturbed)
					w->left_out[group->events[i]]++;
				else if (w->status == TP_OK)
					w->counts[group->events[i] * capacity(c) + w->kept] =
						counts[i];
			w->kept += !disturbed;
			left += disturbed;
			w->settled = has_settled(w, g);
		}
		if (w->crowded < RESTLESS_ROWS)
			w->crowded = left == TP_CREW_AGAIN ? w->crowded + 1 : 0;
		for (size_t i = 0; i < group->n; i++) {
			size_t e = group->events[i];
			bool again = w->kept > task->repetitions && w->restless[e] < RESTLESS_ROWS;
			w->restless[e] = w->agreed[e] ? 0 : w->restless[e] + again;
			w->agreed[e] = false;
		}
	}
}

static void count_row(struct worker *w)
{
	const struct tp_counting *counting = w->crew->task->counting;
	size_t bytes = TP_MAX(counting->data_bytes, (size_t)1);
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w->status = TP_OK;
	if (data == MAP_FAILED)
		w->status =
			tp_fail(&w->diag, TP_RESOURCE, counting->family->name, "give fewer threads",
				"no %zu bytes of memory: %s", bytes, strerror(errno));
	else if (counting->fill)
		counting->fill(counting, data, w->crew->task->seed + w->number);
	take_readings(w, data);
	if (data != MAP_FAILED)
		munmap(data, bytes);
}

static void *work_on(void *argument)
{
	struct worker *w = argument;
	struct tp_crew *c = w->crew;
	unsigned row = 0;
	w->status = tp_machine_pin(w->cpu, &w->diag);
	pthread_mutex_lock(&c->mutex);
	for (;;) {
		if (--c->working == 0)
			pthread_cond_signal(&c->ended);
		while (c->row == row && !c->quit)
			pthread_cond_wait(&c->begun, &c->mutex);
		if (c->quit)
			break;
		row = c->row;
		pthread_mutex_unlock(&c->mutex);
		count_row(w);
		pthread_mutex_lock(&c->mutex);
	}
	pthread_mutex_unlock(&c->mutex);
	if (c->source->kind->thread_end)
		c->source->kind->thread_end(c->source);
	return NULL;
}

/* --- the caller's side --- */

/* Waits until every worker is idle; polls the watch while waiting. */
static void wait_for_workers(struct tp_crew *c)
{
	pthread_mutex_lock(&c->mutex);
	while (c->working > 0) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += POLL_NS;
		until.tv_sec += until.tv_nsec / NS;
		until.tv_nsec %= NS;
		pthread_cond_timedwait(&c->ended, &c->mutex, &until);
		if (!c->task || !c->task->go_on)
			continue;
		pthread_mutex_unlock(&c->mutex);
		if (!c->task->go_on(c->task->context))
			atomic_store(&c->stop_wished, true);
		pthread_mutex_lock(&c->mutex);
	}
	pthread_mutex_unlock(&c->mutex);
}

static enum tp_status first_failure(const struct tp_crew *c, struct tp_diag *diag)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->workers[i].status != TP_OK) {
			if (diag)
				*diag = c->workers[i].diag;
			return c->workers[i].status;
		}
	return TP_OK;
}

enum tp_status tp_crew_new(struct tp_crew **out, struct tp_source *source,
			   const struct tp_emulated_machine *emulated, const unsigned *cpus,
			   unsigned n, struct tp_diag *diag)
{
	struct tp_crew *c = tp_alloc(1, sizeof(*c));
	struct worker *workers = tp_alloc(n, sizeof(*workers));
	enum tp_status status = TP_OK;
	*out = NULL;
	if (pthread_barrier_init(&c->barrier, NULL, n) != 0)
		tp_out_of_memory();
	*c = (struct tp_crew){ .source = source,
			       .emulated = emulated,
			       .workers = workers,
			       .n = n,
			       .barrier = c->barrier };
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->begun, NULL);
	pthread_cond_init(&c->ended, NULL);
	for (size_t g = 0; g < source->n_groups; g++)
		c->largest_group = TP_MAX(c->largest_group, source->groups[g].n);
	for (unsigned i = 0; i < n && status == TP_OK; i++) {
		struct worker *w = &workers[i];
		*w = (struct worker){ .crew = c, .number = i, .cpu = cpus[i] };
		w->restless = tp_alloc(source->n_events + 1, sizeof(*w->restless));
		w->agreed = tp_alloc(source->n_events + 1, sizeof(*w->agreed));
		if (emulated)
			w->emulation = tp_emulation_new(emulated);
		pthread_mutex_lock(&c->mutex);
		c->working++;
		pthread_mutex_unlock(&c->mutex);
		int error = pthread_create(&w->thread, NULL, work_on, w);
		w->started = error == 0;
		if (error) {
			pthread_mutex_lock(&c->mutex);
			c->working--;
			pthread_mutex_unlock(&c->mutex);
			status = tp_fail(diag, TP_RESOURCE, "threads", "give fewer threads",
					 "thread %u of %u could not be started: %s", i + 1, n,
					 strerror(error));
		}
	}
	wait_for_workers(c);
	if (status == TP_OK)
		status = first_failure(c, diag);
	if (status != TP_OK)
		tp_crew_free(c);
	else
		*out = c;
	return status;
}

bool tp_crew_runs_on(const struct tp_crew *crew, const unsigned *cpus, unsigned n)
{
	bool same = crew && crew->n == n;
	for (unsigned i = 0; i < n && same; i++)
		same = crew->workers[i].cpu == cpus[i];
	return same;
}

void tp_crew_free(struct tp_crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->mutex);
	c->quit = true;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->mutex);
	for (unsigned i = 0; i < c->n; i++) {
		if (c->workers[i].started)
			pthread_join(c->workers[i].thread, NULL);
		tp_emulation_free(c->workers[i].emulation);
		free(c->workers[i].restless);
		free(c->workers[i].agreed);
	}
	pthread_barrier_destroy(&c->barrier);
	pthread_cond_destroy(&c->begun);
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->mutex);
	free(c->workers);
	free(c);
}

/* NaN as soon as one thread has none. */
static void take_medians(struct tp_crew *c, double *counts, unsigned *left_out)
{
	TP_FREE double *values = tp_alloc(c->n, sizeof(*values));
	size_t repetitions = c->task->repetitions;
	for (size_t e = 0; e < c->source->n_events; e++) {
		for (unsigned k = 0; k < c->n && left_out; k++)
			left_out[e] += c->workers[k].left_out[e];
		for (size_t r = 0; r < repetitions; r++) {
			bool all = true;
			for (unsigned k = 0; k < c->n; k++) {
				values[k] = c->workers[k].counts[e * capacity(c) + r];
				all &= !isnan(values[k]);
			}
			tp_sort_doubles(values, c->n);
			counts[e * repetitions + r] = all ? tp_median_sorted(values, c->n) : NAN;
		}
	}
}

enum tp_status tp_crew_count(struct tp_crew *c, const struct tp_crew_task *task, double *counts,
			     unsigned *left_out, double *iterations, struct tp_diag *diag)
{
	size_t n_events = c->source->n_events,
	       n_values = n_events * (task->repetitions + TP_CREW_AGAIN);
	TP_FREE double *values = tp_alloc(n_values * c->n + 1, sizeof(*values));
	TP_FREE unsigned *lost = tp_alloc(n_events * c->n + 1, sizeof(*lost));
	for (unsigned k = 0; k < c->n; k++) {
		c->workers[k].counts = values + k * n_values;
		c->workers[k].left_out = lost + k * n_events;
	}
	for (size_t i = 0; i < n_values * c->n; i++)
		values[i] = NAN;
	atomic_store(&c->stop_wished, false);
	pthread_mutex_lock(&c->mutex);
	c->task = task;
	c->stop = false;
	c->working = c->n;
	c->row++;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->mutex);
	wait_for_workers(c);
	enum tp_status status = first_failure(c, diag);
	if (status == TP_OK && c->stop)
		status = TP_CANCELLED;
	if (status == TP_OK)
		take_medians(c, counts, left_out);
	c->task = NULL;
	*iterations = (double)task->passes * task->counting->iterations;
	return status;
}
