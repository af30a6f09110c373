/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/field.h"

void tp_run_release(struct tp_run *run)
{
	struct tp_run empty = { 0 };

	for (size_t i = 0; i < run->n_points; i++)
		tp_point_release(&run->points[i]);
	free(run->facts);
	free(run->points);
	free(run->roofs);
	free(run->plateaus);
	free(run->dots);
	tp_readings_release(&run->readings);
	for (size_t i = 0; i < run->n_classes; i++)
		tp_class_release(&run->classes[i]);
	free(run->classes);
	free(run->trials);
	free(run->study);
	tp_diags_release(&run->diags);
	*run = empty;
}

bool tp_fact_key_allowed(const char *key)
{
	static const char *const taken[] = {
		"format", "version",  "state",	     "wall_seconds",   "points",   "roofs", "dots",
		"diags",  "plateaus", "points_done", "points_planned", "families", "study", "trials"
	};
	size_t n = strcspn(key, ".");

	if (key[0] == '\0')
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(taken); i++)
		if (strlen(taken[i]) == n && memcmp(taken[i], key, n) == 0)
			return false;
	return true;
}

const struct tp_fact *tp_run_fact(const struct tp_run *run, const char *key)
{
	for (size_t i = 0; i < run->n_facts; i++)
		if (strcmp(run->facts[i].key, key) == 0)
			return &run->facts[i];
	return NULL;
}

/* The fact with that key, new or to be overwritten. */
static enum tp_status fact_slot(struct tp_run *run, const char *key, struct tp_fact **slot)
{
	enum tp_status status;
	struct tp_fact fact = { 0 };

	if (!tp_fact_key_allowed(key) || !tp_copy(fact.key, sizeof(fact.key), key))
		return TP_INTERNAL;
	*slot = (struct tp_fact *)tp_run_fact(run, key);
	if (!*slot) {
		status = tp_vec_reserve((void **)&run->facts, &run->cap_facts, run->n_facts + 1,
					sizeof(fact));
		if (status)
			return status;
		*slot = &run->facts[run->n_facts++];
	}
	**slot = fact;
	return TP_OK;
}

enum tp_status tp_run_fact_text(struct tp_run *run, const char *key, const char *fmt, ...)
{
	struct tp_fact *fact;
	enum tp_status status = fact_slot(run, key, &fact);
	va_list ap;

	if (status)
		return status;
	va_start(ap, fmt);
	vsnprintf(fact->text, sizeof(fact->text), fmt, ap);
	va_end(ap);
	return TP_OK;
}

enum tp_status tp_run_fact_number(struct tp_run *run, const char *key, double number)
{
	struct tp_fact *fact;
	enum tp_status status = fact_slot(run, key, &fact);

	if (status)
		return status;
	fact->number = number;
	fact->is_number = true;
	return TP_OK;
}

enum tp_status tp_run_copy_facts(struct tp_run *to, const struct tp_run *from)
{
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < from->n_facts && status == TP_OK; i++) {
		const struct tp_fact *f = &from->facts[i];
		status = f->is_number ? tp_run_fact_number(to, f->key, f->number)
				      : tp_run_fact_text(to, f->key, "%s", f->text);
	}
	return status;
}

struct tp_point *tp_run_point_slot(struct tp_run *run, unsigned id)
{
	if (id >= TP_RUN_POINTS_MAX || tp_vec_reserve((void **)&run->points, &run->cap_points,
						      (size_t)id + 1, sizeof(*run->points)))
		return NULL;
	for (; run->n_points <= id; run->n_points++) {
		memset(&run->points[run->n_points], 0, sizeof(*run->points));
		run->points[run->n_points].point = (unsigned)run->n_points;
	}
	return &run->points[id];
}

enum tp_status tp_run_csv(const struct tp_run *run, struct tp_str *out)
{
	const struct tp_table *table = &tp_point_table;
	const char *joint = "";

	for (size_t f = 0; f < table->n; f++) {
		if (!(table->fields[f].where & TP_IN_CSV))
			continue;
		tp_str_printf(out, "%s%s", joint, table->fields[f].name);
		joint = ",";
	}
	tp_str_add(out, "\n");
	for (size_t i = 0; i < run->n_points; i++) {
		if (run->points[i].state != TP_POINT_DONE)
			continue;
		joint = "";
		for (size_t f = 0; f < table->n; f++) {
			if (!(table->fields[f].where & TP_IN_CSV))
				continue;
			tp_str_add(out, joint);
			tp_field_cell(table, &table->fields[f], &run->points[i], out);
			joint = ",";
		}
		tp_str_add(out, "\n");
	}
	return out->oom ? TP_NOMEM : TP_OK;
}
