/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/readings.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tally.h"
#include "base/memory.h"

/*
 * Hash tables of names: entries are number + 1, 0 = empty; at most half of a table is used. The
 * names are those of `n` items, each of `item_bytes`, whose name `name_of` tells.
 */
struct names {
	size_t **index, *index_size;
	const void *items;
	size_t n, item_bytes;
	const char *(*name_of)(const void *item);
};

static const char *event_name(const void *item)
{
	return ((const struct tp_reading_event *)item)->name;
}

static const char *family_name(const void *item)
{
	return ((const struct tp_reading_family *)item)->name;
}

static struct names events_of(const struct tp_reading_family *family)
{
	struct tp_reading_family *f = (struct tp_reading_family *)family;

	return (struct names){ &f->index,   &f->index_size,	f->events,
			       f->n_events, sizeof(*f->events), event_name };
}

static struct names families_of(const struct tp_readings *readings)
{
	struct tp_readings *r = (struct tp_readings *)readings;

	return (struct names){ &r->index, &r->index_size,	r->families,
			       r->n,	  sizeof(*r->families), family_name };
}

/* The place of a name in the table: that of its item, or the empty one where it belongs. */
static size_t *slot_of(const struct names *names, const char *name)
{
	size_t mask = *names->index_size - 1;

	for (size_t i = tp_hash_name(name) & mask;; i = (i + 1) & mask) {
		size_t *entry = &(*names->index)[i];

		if (*entry == 0 || strcmp(names->name_of((const char *)names->items +
							 (*entry - 1) * names->item_bytes),
					  name) == 0)
			return entry;
	}
}

/* Room for one name more. */
static enum tp_status grow_index(const struct names *names)
{
	size_t size = *names->index_size ? *names->index_size : 64;
	size_t *fresh;

	while (size < 2 * (names->n + 1))
		size *= 2;
	if (size == *names->index_size)
		return TP_OK;
	fresh = calloc(size, sizeof(*fresh));
	if (!fresh)
		return TP_NOMEM;
	free(*names->index);
	*names->index = fresh;
	*names->index_size = size;
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, names->name_of((const char *)names->items +
					       i * names->item_bytes)) = i + 1;
	return TP_OK;
}

struct tp_reading_family *tp_readings_family(const struct tp_readings *readings, const char *name)
{
	struct names names = families_of(readings);
	size_t entry = readings->index_size ? *slot_of(&names, name) : 0;

	return entry ? &readings->families[entry - 1] : NULL;
}

struct tp_reading_family *tp_readings_of_run(const struct tp_readings *readings, const char *family,
					     unsigned run)
{
	char marked[sizeof(((struct tp_reading_family *)0)->name) + 16];
	snprintf(marked, sizeof(marked), "%s#%u", family, run + 1);
	struct tp_reading_family *found = tp_readings_family(readings, marked);
	return found ? found : tp_readings_family(readings, family);
}

struct tp_reading_event *tp_reading_event_find(const struct tp_reading_family *family,
					       const char *name)
{
	struct names names = events_of(family);
	size_t entry = family->index_size ? *slot_of(&names, name) : 0;

	return entry ? &family->events[entry - 1] : NULL;
}

static enum tp_status new_family(struct tp_readings *readings, const char *name,
				 struct tp_reading_family **out)
{
	struct tp_reading_family family = { 0 };
	struct names names;

	if (!tp_copy(family.name, sizeof(family.name), name))
		return TP_USAGE;
	if (tp_vec_reserve((void **)&readings->families, &readings->cap, readings->n + 1,
			   sizeof(family)))
		return TP_NOMEM;
	names = families_of(readings);
	if (grow_index(&names))
		return TP_NOMEM;
	*slot_of(&names, name) = readings->n + 1;
	readings->families[readings->n] = family;
	*out = &readings->families[readings->n++];
	return TP_OK;
}

/* Makes room for `cells`; the contents stay as they are. */
static enum tp_status widen(double **array, size_t cells)
{
	double *moved = realloc(*array, cells * sizeof(*moved));

	if (!moved)
		return TP_NOMEM;
	*array = moved;
	return TP_OK;
}

/*
 * From one shape to a larger one within the same array, from the last repetition on; what is new is
 * NaN.
 */
static void reshape(double *cells, size_t from_rows, size_t from_repetitions, size_t to_rows,
		    size_t to_repetitions)
{
	for (size_t k = to_repetitions; k-- > 0;) {
		size_t kept = k < from_repetitions ? from_rows : 0;

		if (kept)
			memmove(&cells[k * to_rows], &cells[k * from_rows], kept * sizeof(*cells));
		for (size_t i = kept; i < to_rows; i++)
			cells[k * to_rows + i] = NAN;
	}
}

/*
 * True if the family may have arrays of that shape beside what all others have. An array of few
 * cells costs as much as one of ARRAY_CELLS.
 */
enum { ARRAY_CELLS = 16 };
static size_t cells_of(size_t rows, size_t repetitions, size_t arrays)
{
	return (rows * repetitions + ARRAY_CELLS) * arrays;
}

static size_t own_cells(const struct tp_reading_family *family)
{
	return cells_of(family->cap_rows, family->cap_repetitions, family->n_arrays);
}

static bool may_have(const struct tp_readings *readings, const struct tp_reading_family *family,
		     size_t rows, size_t repetitions, size_t arrays)
{
	return readings->cells - own_cells(family) + cells_of(rows, repetitions, arrays) <=
	       TP_READINGS_MAX_CELLS;
}

/*
 * Room for a row and a repetition in every event. Rows grow by a quarter: nothing is copied more
 * than a few times, and little is wasted where there are many events. All arrays are widened before
 * any is rearranged, so that nothing has changed when memory ends.
 */
static enum tp_status grow_shape(struct tp_readings *readings, struct tp_reading_family *family,
				 size_t rows, size_t repetitions)
{
	size_t old_rows = family->cap_rows, old_repetitions = family->cap_repetitions;
	size_t r = old_rows, k = old_repetitions;
	enum tp_status status;

	if (rows > r)
		r = TP_MAX(rows, r + TP_MAX(r / 4, (size_t)8));
	if (repetitions > k)
		k = TP_MAX(repetitions, k + k / 2);
	if (r == old_rows && k == old_repetitions)
		return TP_OK;
	/* Near the limit without reserve. */
	if (!may_have(readings, family, r, k, TP_MAX(family->n_arrays, (size_t)1))) {
		r = TP_MAX(rows, old_rows);
		k = TP_MAX(repetitions, old_repetitions);
	}
	if (!may_have(readings, family, r, k, TP_MAX(family->n_arrays, (size_t)1)))
		return TP_USAGE;
	status = widen(&family->iterations, r);
	for (size_t i = 0; i < family->n_events && status == TP_OK; i++) {
		status = widen(&family->events[i].counts, r * k);
		if (status == TP_OK && family->events[i].iterations)
			status = widen(&family->events[i].iterations, r * k);
	}
	if (status)
		return status;
	readings->cells -= own_cells(family);
	reshape(family->iterations, old_rows, 1, r, 1);
	for (size_t i = 0; i < family->n_events; i++) {
		reshape(family->events[i].counts, old_rows, old_repetitions, r, k);
		if (family->events[i].iterations)
			reshape(family->events[i].iterations, old_rows, old_repetitions, r, k);
	}
	family->cap_rows = r;
	family->cap_repetitions = k;
	readings->cells += own_cells(family);
	return TP_OK;
}

static enum tp_status new_cells(struct tp_readings *readings, struct tp_reading_family *family,
				double **cells)
{
	*cells = NULL;
	if (!may_have(readings, family, family->cap_rows, family->cap_repetitions,
		      family->n_arrays + 1))
		return TP_USAGE;
	if (widen(cells, family->cap_rows * family->cap_repetitions))
		return TP_NOMEM;
	reshape(*cells, 0, 0, family->cap_rows, family->cap_repetitions);
	readings->cells -= own_cells(family);
	family->n_arrays++;
	readings->cells += own_cells(family);
	return TP_OK;
}

static enum tp_status new_event(struct tp_readings *readings, struct tp_reading_family *family,
				const char *name, struct tp_reading_event **out)
{
	struct tp_reading_event event = { 0 };
	struct names names;
	enum tp_status status;

	if (tp_vec_reserve((void **)&family->events, &family->cap_events, family->n_events + 1,
			   sizeof(event)))
		return TP_NOMEM;
	names = events_of(family);
	status = grow_index(&names);
	event.name = status ? NULL : strdup(name);
	status = event.name ? new_cells(readings, family, &event.counts) : TP_NOMEM;
	if (status) {
		free(event.name);
		return status;
	}
	*slot_of(&names, name) = family->n_events + 1;
	family->events[family->n_events] = event;
	*out = &family->events[family->n_events++];
	return TP_OK;
}

static enum tp_status no_room(enum tp_status status, struct tp_diag *diag)
{
	if (status == TP_USAGE)
		return tp_fail(diag, status, "readings", "number rows and repetitions from 0",
			       "more than %d cells: events x rows x repetitions",
			       TP_READINGS_MAX_CELLS);
	return tp_fail(diag, status, "readings", NULL, "%s", tp_status_name(status));
}

static enum tp_status check(const struct tp_reading *reading, struct tp_diag *diag)
{
	size_t family_max = sizeof(((struct tp_reading_family *)0)->name);

	if (reading->family[0] == '\0' || strlen(reading->family) >= family_max)
		return tp_fail(diag, TP_USAGE, "family", "1 to 31 bytes",
			       "the name of a family is empty or too long");
	if (reading->event[0] == '\0' || strlen(reading->event) >= TP_EVENT_NAME_MAX)
		return tp_fail(diag, TP_USAGE, "event", "1 to 255 bytes",
			       "the name of an event is empty or too long");
	if (reading->row >= TP_READINGS_MAX_ROWS)
		return tp_fail(diag, TP_USAGE, "row", "0 to 65535", "row %zu", reading->row);
	if (reading->repetition >= TP_READINGS_MAX_REPETITIONS)
		return tp_fail(diag, TP_USAGE, "repetition", "0 to 999", "repetition %zu",
			       reading->repetition);
	if (!(reading->iterations > 0) || !isfinite(reading->iterations))
		return tp_fail(diag, TP_USAGE, "iterations", "a number above 0", "%g iterations",
			       reading->iterations);
	return TP_OK;
}

/* What the count is divided by: kept once for all events as long as they agree. */
static enum tp_status keep_iterations(struct tp_readings *readings,
				      struct tp_reading_family *family,
				      struct tp_reading_event *event,
				      const struct tp_reading *reading, size_t cell)
{
	double *shared = &family->iterations[reading->row];

	if (isnan(*shared))
		*shared = reading->iterations;
	if (!event->iterations && *shared == reading->iterations)
		return TP_OK;
	if (!event->iterations) {
		enum tp_status status = new_cells(readings, family, &event->iterations);

		if (status)
			return status;
	}
	event->iterations[cell] = *shared == reading->iterations ? NAN : reading->iterations;
	return TP_OK;
}

enum tp_status tp_readings_add(struct tp_readings *readings, const struct tp_reading *reading,
			       struct tp_diag *diag)
{
	struct tp_reading_family *family;
	struct tp_reading_event *event;
	enum tp_status status = check(reading, diag);
	size_t cell;

	if (status)
		return status;
	family = tp_readings_family(readings, reading->family);
	if (!family && readings->n == TP_READINGS_MAX_FAMILIES)
		return tp_fail(diag, TP_USAGE, "readings", NULL, "more than %d families",
			       TP_READINGS_MAX_FAMILIES);
	if (!family)
		status = new_family(readings, reading->family, &family);
	if (status == TP_OK)
		status = grow_shape(readings, family, reading->row + 1, reading->repetition + 1);
	if (status)
		return no_room(status, diag);
	event = tp_reading_event_find(family, reading->event);
	if (!event)
		status = new_event(readings, family, reading->event, &event);
	cell = reading->repetition * family->cap_rows + reading->row;
	if (status == TP_OK)
		status = keep_iterations(readings, family, event, reading, cell);
	if (status)
		return no_room(status, diag);
	event->counts[cell] = reading->count;
	family->n_rows = TP_MAX(family->n_rows, reading->row + 1);
	family->n_repetitions = TP_MAX(family->n_repetitions, reading->repetition + 1);
	return TP_OK;
}

double tp_reading_iterations(const struct tp_reading_family *family,
			     const struct tp_reading_event *event, size_t repetition, size_t row)
{
	size_t cell = repetition * family->cap_rows + row;

	if (event->iterations && !isnan(event->iterations[cell]))
		return event->iterations[cell];
	return family->iterations[row];
}

double tp_reading_value(const struct tp_reading_family *family,
			const struct tp_reading_event *event, size_t repetition, size_t row)
{
	if (repetition >= family->n_repetitions || row >= family->n_rows)
		return NAN;
	return event->counts[repetition * family->cap_rows + row] /
	       tp_reading_iterations(family, event, repetition, row);
}

void tp_readings_release(struct tp_readings *readings)
{
	for (size_t f = 0; f < readings->n; f++) {
		struct tp_reading_family *family = &readings->families[f];

		for (size_t i = 0; i < family->n_events; i++) {
			free(family->events[i].name);
			free(family->events[i].counts);
			free(family->events[i].iterations);
		}
		free(family->events);
		free(family->iterations);
		free(family->index);
	}
	free(readings->families);
	free(readings->index);
	*readings = (struct tp_readings){ 0 };
}
