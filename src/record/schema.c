/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/point.h"

static const union tp_row_room nothing;

static const struct tp_schema *schema = &(const struct tp_schema){ 0 };
static struct tp_point_layout *layouts; /* requested ones, by any thread */

void tp_record_use(const struct tp_schema *of_program)
{
	if (of_program == schema)
		return;
	for (struct tp_point_layout *next; layouts; layouts = next) {
		next = layouts->next;
		free(layouts);
	}
	schema = of_program;
}

const struct tp_schema *tp_schema(void)
{
	return schema;
}

const struct tp_point_kind *tp_point_kind_find(const char *experiment)
{
	static const struct tp_point_kind kernel = { "", &tp_kernel_table, tp_kernel_headline,
						     NULL };

	for (size_t i = 0; i < schema->n; i++)
		if (strcmp(schema->rows[i]->points.experiment, experiment) == 0)
			return &schema->rows[i]->points;
	return &kernel;
}

const struct tp_row_event *tp_row_event_find(const char *name)
{
	for (size_t i = 0; i < schema->n; i++)
		for (size_t k = 0; k < schema->rows[i]->n_events; k++)
			if (strcmp(schema->rows[i]->events[k]->name, name) == 0)
				return schema->rows[i]->events[k];
	return NULL;
}

const struct tp_part *tp_part_next(const struct tp_part *part)
{
	const struct tp_part *next = NULL;

	for (size_t i = 0; i < schema->n; i++)
		for (size_t k = 0; k < schema->rows[i]->n_parts; k++) {
			const struct tp_part *p = schema->rows[i]->parts[k];

			if ((!part || p->place > part->place) && (!next || p->place < next->place))
				next = p;
		}
	return next;
}

/*
 * Order of the columns of points.csv: first those of version 1 of the format, in its order. Other
 * columns follow in the order of the registry, those of every point last.
 */
static const char *const promised[] = {
	"run", "point", "experiment", "kernel", "isa", "precision", "threads", "level",
	"working_set_bytes", "loads", "stores", "fp_op", "ai_flop_per_byte", "median_gbps",
	"best_gbps", "median_gflops", "best_gflops", "bytes_per_cycle", "flop_per_cycle", "ipc",
	"core_ghz", "ci_low", "ci_high", "samples", "seconds", "flags", "dropped", "invocations",
	"mean", "stddev", "mad", "core_ghz_after", "bound", "model_ratio", "nontemporal",
	"best_ratio", "variant", "pages", "cpus", "median_ns", "best_ns", "pause_cycles",
	"pages_wanted", "latency_cycles", "technique", "scope", "library", "configurations",
	"estimate_seconds", "instructions_per_work", "state",
	/* Added later: after those of the first version. */
	"raced_bytes", "touch_seconds", "quality", "core_width", "core_share"
};

static void place_column(struct tp_point_layout *layout, const char *name)
{
	size_t n = layout->n;
	const struct tp_column *column = tp_column_find(&tp_point_table, name);

	if (n == TP_POINT_COLUMNS_MAX)
		return;
	layout->at[n].from = TP_FROM_CORE;
	if (!column) {
		column = tp_column_find(layout->kind->table, name);
		layout->at[n].from = TP_FROM_ROW;
	}
	for (size_t i = 0; i < schema->n && !column; i++) {
		column = tp_column_find(schema->rows[i]->points.table, name);
		layout->at[n].from = TP_FROM_NOTHING;
	}
	if (column) {
		layout->at[n].column = column;
		layout->n++;
	}
}

static bool is_placed(const struct tp_point_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->n; i++)
		if (strcmp(layout->at[i].column->name, name) == 0)
			return true;
	return false;
}

const struct tp_point_layout *tp_point_layout_of_kind(const struct tp_point_kind *kind)
{
	for (const struct tp_point_layout *known = __atomic_load_n(&layouts, __ATOMIC_ACQUIRE);
	     known; known = known->next)
		if (known->kind == kind)
			return known;
	struct tp_point_layout *layout = tp_alloc(1, sizeof(*layout));
	layout->kind = kind;
	for (size_t i = 0; i < TP_COUNT_OF(promised); i++)
		place_column(layout, promised[i]);
	for (size_t i = 0; i < schema->n; i++)
		for (const struct tp_table *t = schema->rows[i]->points.table; t; t = t->base)
			for (size_t c = 0; c < t->n; c++)
				if (!is_placed(layout, t->columns[c].name))
					place_column(layout, t->columns[c].name);
	for (size_t c = 0; c < tp_point_table.n; c++)
		if (!is_placed(layout, tp_point_table.columns[c].name))
			place_column(layout, tp_point_table.columns[c].name);
	layout->next = __atomic_load_n(&layouts, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&layouts, &layout->next, layout, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return layout;
}

const struct tp_point_layout *tp_point_layout(const struct tp_point *point)
{
	return tp_point_layout_of_kind(point->kind ? point->kind
						   : tp_point_kind_find(point->experiment));
}

const void *tp_point_record(const struct tp_point_layout *layout, size_t i,
			    const struct tp_point *point)
{
	switch (layout->at[i].from) {
	case TP_FROM_CORE:
		return point;
	case TP_FROM_ROW:
		return point->row ? point->row : &nothing;
	case TP_FROM_NOTHING:
		break;
	}
	return &nothing;
}

const char *tp_point_word(const struct tp_point *point, const char *name)
{
	const struct tp_column *column = tp_column_find(&tp_point_table, name);
	const char *record = (const char *)point;

	if (!column && point->row && point->kind) {
		column = tp_column_find(point->kind->table, name);
		record = point->row;
	}
	return column && column->type == TP_COLUMN_TEXT ? record + column->offset : "";
}
