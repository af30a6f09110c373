/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/reuse.h"
#include "base/memory.h"
#include "preset/preset.h"
#include "preset/shared_options.h"
#include "record/load.h"
#include "record/point.h"
#include "session/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Runs that are read whole; lists of runs tell which are worth it. */
enum { RUNS_READ = 20, DAY_SECONDS = 86400 };

/* --- is it this machine, as it is now? --- */

static const char *fact_of(const struct tp_run *run, const char *key)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact ? fact->text : "";
}

static bool is_recent(const struct tp_run *run)
{
	struct tm broken = { 0 };
	const char *end = strptime(fact_of(run, "started"), "%Y-%m-%dT%H:%M:%SZ", &broken);
	double age = end && !*end ? difftime(time(NULL), timegm(&broken)) : -1;
	return age >= 0 && age < (double)TP_REUSE_DAYS * DAY_SECONDS;
}

static bool is_knob(const char *key, const char *ending)
{
	static const char prefix[] = "knobs.";
	size_t n = strlen(key), end = strlen(ending);
	return strncmp(key, prefix, sizeof(prefix) - 1) == 0 && n > end &&
	       strcmp(key + n - end, ending) == 0;
}

/* What a run sets is back at its old value afterwards, so such a run is like no other. */
static bool sets_knobs(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_facts; i++)
		if (is_knob(run->facts[i].key, ".wanted"))
			return true;
	return false;
}

static bool same_knobs(const struct tp_run *run, const struct tp_run *now)
{
	for (size_t i = 0; i < now->n_facts; i++)
		if (is_knob(now->facts[i].key, ".before") &&
		    strcmp(fact_of(run, now->facts[i].key), now->facts[i].text) != 0)
			return false;
	return !sets_knobs(run) && !sets_knobs(now);
}

static bool same_machine(const struct tp_run *run, const struct tp_run *now, struct tp_diag *diag)
{
	struct tp_diags diags = { 0 };
	tp_facts_differ(run, now, &diags);
	bool same = diags.n == 0;
	if (!same)
		tp_fail(diag, TP_USAGE, diags.items[0].where, NULL, "%s", diags.items[0].what);
	tp_diags_release(&diags);
	return same;
}

/* Everything that is asked of a run that nobody named. */
static bool is_alike(const struct tp_run *run, const struct tp_run *now)
{
	return strcmp(run->state, "complete") == 0 && is_recent(run) &&
	       !tp_run_fact(run, TP_REUSED_RUN) &&
	       strcmp(fact_of(run, "tprof.version"), PACKAGE_VERSION) == 0 &&
	       strcmp(fact_of(run, "machine.kernel"), fact_of(now, "machine.kernel")) == 0 &&
	       same_knobs(run, now);
}

/* --- its points --- */

/* The run that is to give a point: "" = any; NULL = the point is to be measured. */
static const char *wish_for(const struct tp_planned *planned)
{
	return planned->experiment->reuses ? planned->experiment->reuses(planned) : NULL;
}

static const struct tp_point *find_point(const struct tp_run *run, const struct tp_point *planned,
					 bool named)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool good = named || p->quality == TP_QUALITY_GOOD || p->quality == TP_QUALITY_FAIR;
		if (p->state == TP_POINT_DONE && good && p->threads == planned->threads &&
		    strcmp(p->cpus, planned->cpus) == 0 && tp_session_same_kernel(p, planned))
			return p;
	}
	return NULL;
}

/* The identity of the plan with the results of the other run, of whatever experiment that is. */
static enum tp_status take_point(struct tp_reused *reused, size_t id,
				 const struct tp_point *planned, const struct tp_point *found)
{
	struct tp_point *p = &reused->points[id];
	*p = *found;
	p->run = planned->run;
	p->point = planned->point;
	p->estimate_seconds = planned->estimate_seconds;
	tp_copy(p->experiment, sizeof(p->experiment), planned->experiment);
	p->kind = planned->kind;
	p->row = tp_arena_alloc(&reused->run.arena, p->kind->table->row_bytes);
	if (!p->row)
		return TP_NOMEM;
	memcpy(p->row, planned->row, p->kind->table->row_bytes);
	*tp_kernel_row_of(p) = *tp_kernel_row(found);
	return TP_OK;
}

/* All that are wished for, or none: *whole tells. */
static enum tp_status take_points(struct tp_reused *reused, const struct tp_session *session,
				  const char *wish, bool *whole, struct tp_diag *diag)
{
	const struct tp_plan *plan = &session->plan;
	enum tp_status status = TP_OK;
	*whole = true;
	reused->points = calloc(plan->n + 1, sizeof(*reused->points));
	if (!reused->points)
		return tp_fail(diag, TP_NOMEM, wish, NULL, "out of memory");
	for (size_t i = 0; i < plan->n && *whole && status == TP_OK; i++) {
		const char *own = wish_for(&plan->items[i]);
		if (!own || strcmp(own, wish) != 0)
			continue;
		const struct tp_point *found =
			find_point(&reused->run, &plan->items[i].point, *wish != '\0');
		*whole = found != NULL;
		if (found && take_point(reused, i, &plan->items[i].point, found) != TP_OK)
			status = tp_fail(diag, TP_NOMEM, wish, NULL, "out of memory");
	}
	return status;
}

/* The page policy that its preset asks for is no fact of a run. */
static bool same_pages(const char *directory, const struct tp_config *config)
{
	static char *const no_environ[] = { NULL };
	const struct tp_preset_layers layers = { .environ = no_environ };
	struct tp_preset preset = { 0 };
	struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX + 16];
	snprintf(path, sizeof(path), "%s/preset.yaml", directory);
	bool same = tp_preset_load(&preset, path, &layers, NULL, 0, &diags) == TP_OK;
	for (size_t r = 0; r < preset.n_runs && same; r++)
		same = tp_value_equal(tp_config_value(&preset.runs[r], TP_OPT_PAGES),
				      tp_config_value(config, TP_OPT_PAGES));
	tp_preset_release(&preset);
	tp_diags_release(&diags);
	return same;
}

/* --- the runs --- */

static enum tp_status take_named(struct tp_reused *reused, const struct tp_session *session,
				 const struct tp_run *now, const char *wish, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	bool whole = false;
	enum tp_status status = tp_run_find(wish, path, diag);
	if (status == TP_OK)
		status = tp_run_load(&reused->run, path, diag);
	if (status != TP_OK)
		return status;
	tp_run_call(&reused->run, path);
	if (!same_machine(&reused->run, now, diag))
		return TP_USAGE;
	status = take_points(reused, session, wish, &whole, diag);
	if (status == TP_OK && !whole)
		status = tp_fail(diag, TP_USAGE, wish, NULL,
				 "it lacks points of the same kernels, threads and CPUs");
	return status;
}

static bool may_give(const struct tp_run_entry *entry, const struct tp_machine *machine)
{
	return strcmp(entry->state, "complete") == 0 && !*entry->simulated &&
	       strcmp(entry->cpu, machine->cpu_name) == 0 &&
	       strcmp(entry->hostname, machine->hostname) == 0 && *entry->brief.figures;
}

static enum tp_status try_run(struct tp_reused *reused, const struct tp_session *session,
			      const struct tp_run *now, const char *path, bool *taken,
			      struct tp_diag *diag)
{
	*taken = false;
	/* Facts alone first: points are nearly all of a run. */
	if (tp_run_load_results(&reused->run, path, NULL) != TP_OK)
		return TP_OK;
	bool alike = is_alike(&reused->run, now) && same_machine(&reused->run, now, NULL) &&
		     same_pages(path, &session->preset.runs[0]);
	tp_run_release(&reused->run);
	if (!alike || tp_run_load(&reused->run, path, NULL) != TP_OK)
		return TP_OK;
	tp_run_call(&reused->run, path);
	enum tp_status status = take_points(reused, session, "", taken, diag);
	if (!*taken)
		tp_reuse_release(reused);
	return status;
}

/* The newest first. What cannot be read is passed over: nobody asked for it by name. */
static enum tp_status take_newest(struct tp_reused *reused, const struct tp_session *session,
				  const struct tp_run *now, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], **names = NULL;
	size_t n = 0, read = 0;
	enum tp_status status = TP_OK;
	bool taken = false;
	if (tp_path_user_data("runs", folder, NULL) != TP_OK ||
	    tp_run_names(folder, &names, &n, NULL) != TP_OK)
		return TP_OK;
	for (size_t i = n; i-- > 0 && !taken && status == TP_OK && read < RUNS_READ;) {
		struct tp_run_entry entry;
		if (!tp_run_entry_read(folder, names[i], &entry) ||
		    !may_give(&entry, &session->machine))
			continue;
		read++;
		status = try_run(reused, session, now, entry.path, &taken, diag);
	}
	tp_run_names_free(names, n);
	return status;
}

enum tp_status tp_reuse_find(struct tp_reused *reused, const struct tp_session *session,
			     const struct tp_run *now, struct tp_diag *diag)
{
	const struct tp_plan *plan = &session->plan;
	const char *wish = NULL;
	*reused = (struct tp_reused){ 0 };
	for (size_t i = 0; i < plan->n && !wish; i++)
		wish = wish_for(&plan->items[i]);
	if (!wish || session->machine.foreign || *session->machine.simulated)
		return TP_OK;
	enum tp_status status = *wish ? take_named(reused, session, now, wish, diag)
				      : take_newest(reused, session, now, diag);
	if (status != TP_OK)
		tp_reuse_release(reused);
	return status;
}

void tp_reuse_release(struct tp_reused *reused)
{
	free(reused->points); /* rows and windows are the run's */
	tp_run_release(&reused->run);
	*reused = (struct tp_reused){ 0 };
}
