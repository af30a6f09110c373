/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run of all ranks. A point is that of the first rank with the values of all: rates are sums,
 * times and values of a core are means. The ends of intervals are added as the values are: ranks
 * share a machine, so they are slow at the same time, and errors do not cancel out.
 */
#include "cli/ranks.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/point_table.h"

static bool is_rate(const char *unit)
{
	return unit && strstr(unit, "/s");
}

/* What a column holds is a value that ranks have in common: a rate, a time, the end of an interval.
 */
static bool is_value(const struct tp_column *column)
{
	return column->type == TP_COLUMN_REAL &&
	       (column->role == TP_ROLE_METRIC || column->role == TP_ROLE_INTERVAL);
}

/* 0 = unknown, and so is a sum that lacks one. */
static double known_sum(double a, double b)
{
	return a == 0 || b == 0 ? 0 : a + b;
}

/* "0-2" and "3,5" are "0-3,5"; nothing where there is no room for all. */
static void join_cpus(char *cpus, size_t size, const char *more)
{
	size_t n = strlen(cpus), from = n;
	unsigned long last = 0, next = 0;
	char *end;

	while (from > 0 && isdigit((unsigned char)cpus[from - 1]))
		from--;
	last = strtoul(cpus + from, NULL, 10);
	next = strtoul(more, &end, 10);
	bool follows = n && end > more && next == last + 1;
	/* "0-2" grows at its end; "2" begins a range. */
	if (follows && from > 0 && cpus[from - 1] == '-')
		n = from - 1;
	bool range = follows && *end == '-';
	int added = snprintf(cpus + n, size - n, "%s%s",
			     follows ? "-"
			     : n     ? ","
				     : "",
			     range ? end + 1 : more);
	if (added < 0 || (size_t)added >= size - n || !*more)
		*cpus = '\0';
}

static void add_columns(struct tp_point *to, const struct tp_point *from,
			struct tp_point_layout *layout)
{
	tp_point_layout_keep(layout, to->kind);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;
		char *record = layout->at[i].from == TP_FROM_CORE  ? (char *)to
			       : layout->at[i].from == TP_FROM_ROW ? to->row
								   : NULL;
		if (!record || !is_value(column))
			continue;
		const char *other = tp_point_record(layout, i, from);
		double *value = (double *)(void *)(record + column->offset);
		*value = known_sum(*value, *(const double *)(const void *)(other + column->offset));
	}
}

static void add_point(struct tp_point *to, const struct tp_point *from,
		      struct tp_point_layout *layout)
{
	add_columns(to, from, layout);
	to->stddev += from->stddev;
	to->mad += from->mad;
	to->bound = known_sum(to->bound, from->bound);
	to->core_ghz = known_sum(to->core_ghz, from->core_ghz);
	to->core_ghz_after = known_sum(to->core_ghz_after, from->core_ghz_after);
	to->core_width = fmin(to->core_width, from->core_width);
	to->core_share = fmin(to->core_share, from->core_share);
	to->seconds = fmax(to->seconds, from->seconds);
	to->touch_seconds = fmax(to->touch_seconds, from->touch_seconds);
	to->flags |= from->flags;
	to->quality =
		to->quality && from->quality ? TP_MAX(to->quality, from->quality) : TP_QUALITY_NONE;
	to->kept = TP_MIN(to->kept, from->kept);
	to->invocations = TP_MIN(to->invocations, from->invocations);
	to->threads += from->threads;
	if (*to->cpus)
		join_cpus(to->cpus, sizeof(to->cpus), from->cpus);
}

static void end_point(struct tp_point *point, unsigned n, struct tp_point_layout *layout)
{
	bool rate = is_rate(point->unit);

	tp_point_layout_keep(layout, point->kind);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;
		bool core = layout->at[i].from == TP_FROM_CORE;
		char *record = core				   ? (char *)point
			       : layout->at[i].from == TP_FROM_ROW ? point->row
								   : NULL;
		if (record && is_value(column) && !(core ? rate : is_rate(column->unit)))
			*(double *)(void *)(record + column->offset) /= n;
	}
	point->core_ghz /= n;
	point->core_ghz_after /= n;
	if (!rate) {
		point->stddev /= n;
		point->mad /= n;
		point->bound /= n;
	}
	if (point->kind->headline)
		point->kind->headline(point);
}

enum tp_status tp_ranks_sum_begin(struct tp_run *sum, const struct tp_run *first)
{
	/* Of that rank alone. */
	static const char *const own[] = { TP_RANKS_RANK, "machine.cpus_allowed" };
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < first->n_facts && status == TP_OK; i++) {
		const struct tp_fact *fact = &first->facts[i];
		bool skip = false;
		for (size_t k = 0; k < TP_COUNT_OF(own); k++)
			skip |= strcmp(fact->key, own[k]) == 0;
		if (skip)
			continue;
		status = fact->is_number ? tp_run_fact_number(sum, fact->key, fact->number)
					 : tp_run_fact_text(sum, fact->key, "%s", fact->text);
	}
	if (status == TP_OK)
		status = tp_vec_reserve((void **)&sum->points, &sum->cap_points,
					first->n_points + 1, sizeof(*sum->points));
	for (size_t i = 0; i < first->n_points && status == TP_OK; i++) {
		sum->points[i] = (struct tp_point){ 0 };
		status = tp_point_take(&sum->points[i], &first->points[i], &sum->arena);
		sum->n_points += status == TP_OK;
	}
	for (size_t i = 0; i < first->diags.n; i++)
		tp_run_remark(sum, &first->diags.items[i]);
	tp_copy(sum->state, sizeof(sum->state), first->state);
	sum->wall_seconds = first->wall_seconds;
	return status;
}

void tp_ranks_sum_add(struct tp_run *sum, unsigned rank, const struct tp_run *run)
{
	struct tp_point_layout layout = { 0 };

	for (size_t i = 0; i < sum->n_points; i++) {
		struct tp_point *to = &sum->points[i];
		const struct tp_point *from = tp_run_point(run, to->point);
		if (to->state != TP_POINT_DONE)
			continue;
		if (from && from->state == TP_POINT_DONE && from->kind == to->kind &&
		    strcmp(from->unit, to->unit) == 0) {
			add_point(to, from, &layout);
			continue;
		}
		to->state = TP_POINT_SKIPPED;
		tp_fail(&to->diag, TP_FAILED, to->kernel, "see what that rank says of the point",
			"rank %u has not measured this point", rank);
	}
}

void tp_ranks_sum_end(struct tp_run *sum, unsigned size)
{
	struct tp_point_layout layout = { 0 };

	for (size_t i = 0; i < sum->n_points; i++)
		if (sum->points[i].state == TP_POINT_DONE)
			end_point(&sum->points[i], size, &layout);
}
