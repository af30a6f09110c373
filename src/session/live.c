/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/live_parts.h"
#include "base/now.h"
#include "base/memory.h"
#include "session/keep.h"
#include "record/load.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tp_live_init(struct tp_live *live)
{
	*live = (struct tp_live){ .child = TP_PROCESS_NONE, .errors = -1, .current = -1 };
}

void tp_live_release(struct tp_live *live)
{
	tp_live_close(&live->errors);
	tp_live_reap(live);
	tp_aside_back(&live->aside);
	tp_journal_free(live->journal);
	tp_run_release(&live->run);
	tp_run_release(&live->stored);
	tp_str_release(&live->err);
	free(live->text);
	tp_live_init(live);
}

bool tp_live_is_under_way(const struct tp_live *live)
{
	return live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_PAUSED ||
	       live->state == TP_LIVE_STOPPING;
}

/* --- beginning --- */

enum tp_status tp_live_begin(struct tp_live *live, struct tp_diag *diag)
{
	live->journal = tp_journal_new(&live->run);
	if (!live->journal)
		return tp_fail(diag, TP_NOMEM, "run", NULL, "out of memory");
	live->state = TP_LIVE_RUNNING;
	live->started = live->base = tp_now_seconds();
	live->version++;
	return TP_OK;
}

enum tp_status tp_live_resume(struct tp_live *live, const char *run_path,
			      const struct tp_machine *machine, bool allow_code,
			      struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	tp_copy(directory, sizeof(directory), run_path); /* may be the live run's own */
	tp_live_release(live);
	tp_copy(live->directory, sizeof(live->directory), directory);
	live->machine = machine;
	char *const arguments[] = { "tprof",
				    "--resume",
				    live->directory,
				    "--events",
				    "--control",
				    "--report=never",
				    allow_code ? "--allow-code" : NULL,
				    NULL };
	enum tp_status status = tp_live_spawn(live, arguments, diag);
	if (status == TP_OK)
		status = tp_live_begin(live, diag);
	if (status != TP_OK)
		tp_live_release(live);
	return status;
}

/*
 * A new run goes on from an empty run directory. The preset that is set up is stored there, so that
 * the environment and configuration files cannot change it.
 */
enum tp_status tp_live_start(struct tp_live *live, const struct tp_preset *preset,
			     const struct tp_machine *machine, bool allow_code,
			     struct tp_diag *diag)
{
	struct tp_keep keep;
	char name[64];
	enum tp_status status =
		tp_keep_create(&keep, NULL, tp_keep_name(preset, name, sizeof(name)), preset, diag);
	tp_keep_close(&keep);
	if (status != TP_OK)
		return status;
	return tp_live_resume(live, keep.directory, machine, allow_code, diag);
}

void tp_live_plan_point(struct tp_live *live, const struct tp_point *point)
{
	struct tp_run *run = &live->run;
	size_t id = point->point, results = offsetof(struct tp_point, state);
	if (id < run->n_points && run->points[id].experiment[0])
		return;
	if (tp_vec_reserve((void **)&run->points, &run->cap_points, id + 1, sizeof(*run->points)) !=
	    TP_OK)
		return;
	for (; run->n_points <= id; run->n_points++)
		run->points[run->n_points] = (struct tp_point){ .point = (unsigned)run->n_points };
	struct tp_point planned = *point;
	memset((char *)&planned + results, 0, offsetof(struct tp_point, kind) - results);
	tp_point_take(&run->points[id], &planned, &run->arena);
}

static void told_left(struct tp_live *live, double seconds, double now)
{
	live->told_left = live->remaining_seconds = seconds;
	live->told_at = now;
}

void tp_live_expect(struct tp_live *live, const struct tp_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		tp_live_plan_point(live, &plan->items[i].point);
	live->estimate_seconds = plan->estimate_seconds;
	told_left(live, plan->estimate_seconds, tp_now_seconds());
	tp_live_count(live);
	live->version++;
}

/* --- results so far --- */

/* Results from the points so far, of the experiments whose reductions are quick. */
static void reduce(struct tp_live *live)
{
	struct tp_run *run = &live->run;
	unsigned next = 0;
	tp_run_drop_derived(run);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_experiment *e = tp_experiment_find(p->experiment);
		if (p->run < next || p->state != TP_POINT_DONE || !e || !e->reduce ||
		    e->reduce_point)
			continue;
		e->reduce(live->machine, run, p->run);
		next = p->run + 1;
	}
}

/* The newest rows, for people to see that something happens. */
static void take_row(struct tp_live *live, const struct tp_event *event)
{
	const struct tp_row_event *kind = event->row_event;
	struct tp_live_row *row = &live->last[live->last_at];
	row->event = kind;
	memcpy(&row->row, event->row, kind->table->row_bytes);
	live->last_at = (live->last_at + 1) % TP_LIVE_ROWS;
	live->n_last = TP_MIN(live->n_last + 1, (size_t)TP_LIVE_ROWS);
	live->n_values += kind->values ? kind->values(event->row) : 1;
	live->row_t = event->t;
}

static bool is_done(const struct tp_run *run, unsigned point)
{
	return point < run->n_points && run->points[point].state == TP_POINT_DONE;
}

/* A stored run knows its results: the rows of a point appear with it. */
static void reveal_part(struct tp_run *run, const struct tp_run *stored, const struct tp_part *part)
{
	const struct tp_rows *rows = tp_run_rows(stored, part);
	const struct tp_column *point = tp_column_find(part->table, "point");
	for (size_t i = 0; point && i < rows->n; i++) {
		const char *row = TP_ROW_AT(rows, part->table, i);
		void *shown = is_done(run, *(const unsigned *)(row + point->offset))
				      ? tp_run_add_row(run, part)
				      : NULL;
		if (shown)
			memcpy(shown, row, part->table->row_bytes);
	}
}

void tp_live_reveal(struct tp_live *live)
{
	tp_run_drop_derived(&live->run);
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->derived)
			reveal_part(&live->run, &live->stored, p);
}

/* --- events --- */

/*
 * What the child found when it began: facts, and the points of a run that goes on, of which no
 * event tells.
 */
static void load_facts(struct tp_live *live)
{
	struct tp_run stored;
	if (tp_run_load(&stored, live->directory, NULL) != TP_OK)
		return;
	tp_run_copy_facts(&live->run, &stored);
	tp_run_call(&live->run, live->directory);
	tp_journal_continue(live->journal, &stored);
	tp_run_release(&stored);
}

void tp_live_count(struct tp_live *live)
{
	live->n_done = 0;
	for (size_t i = 0; i < live->run.n_points; i++)
		live->n_done += live->run.points[i].state != TP_POINT_PLANNED;
	live->n_points = TP_MAX(live->n_points, (unsigned)live->run.n_points);
}

/*
 * What an experiment says as soon as a point is over: the child says so only at the end of the run,
 * and what is wrong with it, too.
 */
static void end_point(struct tp_live *live, const struct tp_point *last)
{
	const struct tp_experiment *e = tp_experiment_find(last->experiment);
	bool at_once = live->replay && live->speed <= 0;
	if (e && e->reduce_point && !at_once)
		e->reduce_point(&live->run, last);
}

/* The screens paint while windows run: not on their CPUs. */
static void step_aside(struct tp_live *live, size_t id)
{
	if (!live->replay && live->machine && !live->machine->foreign && id < live->run.n_points)
		tp_aside_step(&live->aside, live->run.points[id].cpus);
}

static void take_event(struct tp_live *live, const struct tp_event *event)
{
	if (tp_journal_take(live->journal, event, NULL) != TP_OK)
		return;
	switch (event->kind) {
	case TP_EVENT_PLAN:
		live->n_points = event->n_points;
		live->estimate_seconds = event->estimate_seconds;
		if (!live->replay) {
			told_left(live, event->estimate_seconds, tp_now_seconds());
			load_facts(live);
			reduce(live);
		}
		tp_live_count(live);
		break;
	case TP_EVENT_POINT_BEGIN:
		live->current = (long)event->point.point;
		live->begun_t = event->t;
		step_aside(live, event->point.point);
		live->n_values = live->n_last = live->last_at = 0;
		break;
	case TP_EVENT_ROW:
		take_row(live, event);
		break;
	case TP_EVENT_POINT_END:
		live->current = -1;
		tp_live_count(live);
		if (live->replay)
			tp_live_reveal(live);
		else
			reduce(live);
		if (event->point.point < live->run.n_points)
			end_point(live, &live->run.points[event->point.point]);
		break;
	case TP_EVENT_PROGRESS:
		live->moment = true;
		if (!live->replay)
			told_left(live, event->remaining_seconds, tp_now_seconds());
		live->n_sources = event->n_sources;
		live->n_compiled = event->n_compiled;
		live->touch_bytes = event->touch_bytes;
		live->touched_bytes = event->touched_bytes;
		memcpy(live->cores, event->cores, sizeof(live->cores));
		live->n_cores = event->n_cores;
		break;
	default:
		break;
	}
	live->version++;
}

void tp_live_line(struct tp_live *live, const char *line, size_t len)
{
	struct tp_event *event = malloc(sizeof(*event));
	if (event && tp_event_parse(event, line, len, NULL) == TP_OK)
		take_event(live, event);
	free(event);
}

void tp_live_finish(struct tp_live *live)
{
	live->state = TP_LIVE_DONE;
	live->current = -1;
	live->remaining_seconds = 0;
	tp_aside_back(&live->aside);
	/*
	 * What the child wrote is the whole truth. Where it was killed, only the plan knows the
	 * points that were not measured.
	 */
	struct tp_run stored, plan = live->run;
	if (tp_run_load(&stored, live->directory, NULL) == TP_OK && stored.n_points) {
		tp_journal_free(live->journal);
		live->journal = NULL;
		live->run = stored;
		for (size_t i = 0; i < plan.n_points; i++)
			tp_live_plan_point(live, &plan.points[i]);
		tp_run_release(&plan);
	}
	tp_live_count(live);
	live->version++;
}

double tp_live_due(const struct tp_live *live, double now)
{
	if (live->replay)
		return tp_live_replay_due(live, now);
	return tp_live_is_under_way(live) ? live->started + (double)(live->ticked + 1) - now : -1;
}

bool tp_live_tick(struct tp_live *live, double now)
{
	if (live->replay || !tp_live_is_under_way(live))
		return false;
	live->elapsed_seconds = now - live->started;
	if (live->state == TP_LIVE_PAUSED && live->current < 0) /* nothing gets less meanwhile */
		told_left(live, live->remaining_seconds, now);
	live->remaining_seconds = fmax(0, live->told_left - (now - live->told_at));
	long second = (long)live->elapsed_seconds;
	bool other = second != live->ticked;
	live->ticked = second;
	return other;
}

bool tp_live_take(struct tp_live *live, double now)
{
	if (!tp_live_is_under_way(live))
		return false;
	return live->replay ? tp_live_take_replay(live, now) : tp_live_take_child(live);
}

/* --- wishes --- */

void tp_live_pause(struct tp_live *live, bool pause)
{
	if (live->state != (pause ? TP_LIVE_RUNNING : TP_LIVE_PAUSED))
		return;
	if (!tp_live_tell(live, pause ? "pause\n" : "go\n"))
		return;
	live->state = pause ? TP_LIVE_PAUSED : TP_LIVE_RUNNING;
	if (live->replay) {
		/* Time stands still meanwhile. */
		double now = tp_now_seconds();
		if (pause)
			live->stopped_at = now;
		else
			live->base += now - live->stopped_at;
	}
	live->version++;
}

void tp_live_skip(struct tp_live *live)
{
	tp_live_tell(live, "skip\n");
}

void tp_live_stop(struct tp_live *live)
{
	if (!tp_live_is_under_way(live))
		return;
	live->version++;
	if (live->replay) {
		live->speed = 0;
		live->state = TP_LIVE_RUNNING;
		return;
	}
	live->state = TP_LIVE_STOPPING;
	if (!tp_live_tell(live, "stop\n"))
		tp_live_tell_end(live); /* says the same */
}

void tp_live_painted(struct tp_live *live)
{
	live->moment = false;
	if (tp_live_is_under_way(live) && !live->replay)
		tp_live_tell(live, "painted\n");
}
