/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source "emulated": events as one machine or another names them, computed from the exact
 * counts of stepped code.
 */
#include "counters/emulated_events.h"
#include "counters/sources.h"
#include "base/tally.h"
#include "base/str.h"
#include "kernels/step.h"

#include <math.h>
#include <string.h>

struct emulated {
	struct tp_emulated_event *events; /* as source->events */
};

static enum tp_status supported(struct tp_diag *diag)
{
	return tp_stepper_supported(diag);
}

const char *tp_emulated_habit(size_t i, const char **title)
{
	if (i >= tp_habit_count)
		return NULL;
	*title = tp_habit_table[i].title;
	return tp_habit_table[i].name;
}

enum tp_status tp_emulated_habit_check(const char *habit, struct tp_diag *diag)
{
	if (tp_habit_find(habit))
		return TP_OK;
	const char *names[16];
	struct tp_str list = { 0 };
	size_t n = 0;
	while (n < tp_habit_count && n < sizeof(names) / sizeof(*names)) {
		names[n] = tp_habit_table[n].name;
		n++;
	}
	tp_str_list(&list, names, n, " or ");
	enum tp_status status = tp_fail(diag, TP_USAGE, "emulated", tp_str_text(&list),
					"no event names are known under \"%s\"", habit);
	tp_str_release(&list);
	return status;
}

static enum tp_status habit_of(const struct tp_source_wish *wish, const struct tp_habit **habit,
			       struct tp_diag *diag)
{
	const char *name = wish->habit && *wish->habit ? wish->habit : "exact";
	if (strcmp(name, "auto") == 0)
		name = wish->cpu ? tp_habit_nearest(wish->cpu->arch, wish->cpu->vendor) : "exact";
	*habit = tp_habit_find(name);
	return tp_emulated_habit_check(name, diag);
}

static size_t count_terms(const struct tp_habit_event *event)
{
	size_t n = 0;
	while (n < TP_HABIT_TERMS && event->terms[n].factor != 0)
		n++;
	return n;
}

static enum tp_status add_exact(struct tp_source *source, struct tp_emulated_event *events)
{
	struct tp_habit_term *terms =
		tp_arena_alloc(&source->arena, TP_EMULATED_COUNT * sizeof(*terms));
	if (!terms)
		return TP_NOMEM;
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++) {
		terms[i] = (struct tp_habit_term){ (enum tp_emulated_count)i, 1 };
		events[i] = (struct tp_emulated_event){ .terms = &terms[i], .n_terms = 1 };
		source->events[i].name = tp_emulated_name((enum tp_emulated_count)i);
		source->events[i].description = tp_emulated_title((enum tp_emulated_count)i);
	}
	return TP_OK;
}

static void add_habit(struct tp_source *source, const struct tp_habit *habit,
		      struct tp_emulated_event *events)
{
	for (size_t i = 0; i < habit->n; i++) {
		events[i] = (struct tp_emulated_event){ .terms = habit->events[i].terms,
							.n_terms = count_terms(&habit->events[i]) };
		source->events[i].name = habit->events[i].name;
		source->events[i].description = habit->events[i].description;
	}
}

static enum tp_status open_source(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag)
{
	const struct tp_habit *habit;
	enum tp_status status = habit_of(wish, &habit, diag);
	if (status != TP_OK)
		return status;
	if (wish->habit && strcmp(wish->habit, "auto") == 0) {
		struct tp_diag note;
		tp_fail(&note, TP_OK, "counters.habit", NULL,
			"the emulated events are those of %s: %s", habit->name, habit->title);
		tp_diags_add(&source->notes, &note);
	}
	size_t n_base = habit->events ? habit->n : TP_EMULATED_COUNT;
	size_t n = n_base + wish->misleading;
	struct emulated *emulated = tp_arena_alloc(&source->arena, sizeof(*emulated));
	struct tp_source_group *group = tp_arena_alloc(&source->arena, sizeof(*group));
	struct tp_emulated_event *events = tp_arena_alloc(&source->arena, n * sizeof(*events));
	source->events = tp_arena_alloc(&source->arena, n * sizeof(*source->events));
	if (!emulated || !group || !events || !source->events)
		goto no_memory;
	group->events = tp_arena_alloc(&source->arena, n * sizeof(*group->events));
	if (!group->events)
		goto no_memory;
	if (habit->events)
		add_habit(source, habit, events);
	else if (add_exact(source, events) != TP_OK)
		goto no_memory;
	status = tp_emulated_mislead(&source->arena, wish, n_base, events, source->events, diag);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < n; i++) {
		source->events[i].component = "emulated";
		source->events[i].available = true;
		source->events[i].reason = "";
		source->events[i].group = 0;
		group->events[i] = i;
	}
	group->n = n;
	emulated->events = events;
	source->n_events = n;
	source->groups = group;
	source->n_groups = 1;
	source->needs_emulation = true;
	source->private = emulated;
	return TP_OK;
no_memory:
	return tp_fail(diag, TP_NOMEM, "emulated", NULL, "no memory for %zu events", n);
}

/*
 * A number from the code and its counts, so that each row and repetition has noise of its own that
 * is always the same.
 */
static uint64_t fingerprint(const struct tp_work *work, const uint64_t *difference,
			    size_t repetition)
{
	uint64_t print = tp_emulated_mix(work->passes);
	const unsigned char *bytes = work->code->map;
	for (size_t i = 0; i < work->code->bytes; i++)
		print = tp_hash_step(print, bytes[i]);
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		print = tp_emulated_mix(print ^ difference[i]);
	return tp_emulated_mix(print ^ (repetition << 32));
}

static double count_event(const struct tp_emulated_event *event, const uint64_t *difference,
			  uint64_t print)
{
	double count = event->constant;
	for (size_t t = 0; t < event->n_terms; t++)
		count += event->terms[t].factor * (double)difference[event->terms[t].count];
	if (event->noise > 0) {
		double unit = (double)(tp_emulated_mix(event->seed ^ print) >> 11) * 0x1p-53;
		count *= 1 + event->noise * sqrt(3.0) * (2 * unit - 1);
	}
	return count < 0 ? 0 : count;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	const struct emulated *emulated = source->private;
	uint64_t before[TP_EMULATED_COUNT], difference[TP_EMULATED_COUNT];
	if (!work->emulation)
		return tp_fail(diag, TP_INTERNAL, "emulated", NULL,
			       "work that is not stepped has no counts");
	const uint64_t *now = tp_emulation_counts(work->emulation);
	memcpy(before, now, sizeof(before));
	enum tp_status status = tp_work_run(work, diag);
	if (status != TP_OK)
		return status;
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		difference[i] = now[i] - before[i];
	uint64_t print = fingerprint(work, difference, repetition);
	for (size_t i = 0; i < source->groups[group].n; i++)
		counts[i] = count_event(&emulated->events[source->groups[group].events[i]],
					difference, print);
	return TP_OK;
}

const struct tp_source_kind tp_source_emulated = {
	.name = "emulated",
	.summary = "exact counts from stepping through the kernels, under the names of one machine "
		   "or another",
	.supported = supported,
	.open = open_source,
	.measure = measure,
};
