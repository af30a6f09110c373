/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/cache_model.h"

#include <stdlib.h>
#include <string.h>

bool tp_cache_model_init(struct tp_cache_model *model, const struct tp_emulated_cache *cache)
{
	*model = (struct tp_cache_model){ .line_bytes = cache->line_bytes, .ways = cache->ways };
	if (!cache->size_bytes)
		return true;
	if (!model->line_bytes)
		model->line_bytes = 64;
	if (!model->ways)
		model->ways = 8;
	model->n_sets = cache->size_bytes / ((uint64_t)model->line_bytes * model->ways);
	if (!model->n_sets)
		model->n_sets = 1;
	model->slots = calloc(model->n_sets * model->ways, sizeof(*model->slots));
	return model->slots;
}

void tp_cache_model_release(struct tp_cache_model *model)
{
	free(model->slots);
	*model = (struct tp_cache_model){ 0 };
}

void tp_cache_model_clear(struct tp_cache_model *model)
{
	if (model->slots)
		memset(model->slots, 0, model->n_sets * model->ways * sizeof(*model->slots));
	model->now = 0;
}

static struct tp_cache_slot *set_of(const struct tp_cache_model *model, uint64_t line)
{
	return &model->slots[line % model->n_sets * model->ways];
}

static struct tp_cache_slot *find(const struct tp_cache_model *model, uint64_t line)
{
	struct tp_cache_slot *set = set_of(model, line);
	for (unsigned i = 0; i < model->ways; i++)
		if (set[i].used && set[i].line == line)
			return &set[i];
	return NULL;
}

/* The slot for `line`; its previous line goes to `victim`. */
static struct tp_cache_slot *replace(struct tp_cache_model *model, uint64_t line,
				     struct tp_cache_slot *victim)
{
	struct tp_cache_slot *set = set_of(model, line), *oldest = set;
	for (unsigned i = 1; i < model->ways; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	*victim = *oldest;
	*oldest = (struct tp_cache_slot){ .line = line, .used = ++model->now };
	return oldest;
}

/* A modified line leaves level - 1. */
static void write_back(struct tp_hierarchy *h, unsigned level, uint64_t address)
{
	while (level < TP_HIERARCHY_LEVELS && !h->data[level].slots)
		level++;
	if (level == TP_HIERARCHY_LEVELS) {
		h->writebacks++;
		return;
	}
	struct tp_cache_model *model = &h->data[level];
	struct tp_cache_slot victim = { 0 };
	struct tp_cache_slot *slot = find(model, address / model->line_bytes);
	if (!slot)
		slot = replace(model, address / model->line_bytes, &victim);
	slot->dirty = true;
	if (victim.used && victim.dirty)
		write_back(h, level + 1, victim.line * model->line_bytes);
}

/* Brings a line into `level` and returns where it was. */
static unsigned bring(struct tp_hierarchy *h, struct tp_cache_model *first, unsigned level,
		      uint64_t address, bool write)
{
	if (level == TP_HIERARCHY_LEVELS)
		return TP_HIERARCHY_MEMORY;
	struct tp_cache_model *model = level == 1 ? first : &h->data[level];
	if (!model->slots)
		return bring(h, first, level + 1, address, write);
	uint64_t line = address / model->line_bytes;
	struct tp_cache_slot *slot = find(model, line), victim = { 0 };
	unsigned from = level;
	if (slot) {
		slot->used = ++model->now;
	} else {
		/* Outer levels only pass the line on; it is modified in the innermost. */
		from = bring(h, first, level + 1, address, false);
		slot = replace(model, line, &victim);
	}
	slot->dirty |= write;
	if (victim.used && victim.dirty)
		write_back(h, level + 1, victim.line * model->line_bytes);
	return from;
}

unsigned tp_hierarchy_access(struct tp_hierarchy *hierarchy, uint64_t address, unsigned bytes,
			     bool write)
{
	unsigned line_bytes = hierarchy->data[1].line_bytes, farthest = 1;
	uint64_t first = address / line_bytes,
		 last = (address + (bytes ? bytes - 1 : 0)) / line_bytes;
	for (uint64_t line = first; line <= last; line++) {
		unsigned from = bring(hierarchy, &hierarchy->data[1], 1, line * line_bytes, write);
		if (from > farthest)
			farthest = from;
	}
	return farthest;
}

unsigned tp_hierarchy_fetch(struct tp_hierarchy *hierarchy, uint64_t address)
{
	return bring(hierarchy, &hierarchy->code, 1, address, false);
}

enum tp_status tp_hierarchy_init(struct tp_hierarchy *hierarchy,
				 const struct tp_emulated_machine *machine, struct tp_diag *diag)
{
	*hierarchy = (struct tp_hierarchy){ 0 };
	bool ok = tp_cache_model_init(&hierarchy->code, &machine->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		ok = tp_cache_model_init(&hierarchy->data[level], &machine->data[level]) && ok;
	if (ok && !hierarchy->data[1].line_bytes)
		hierarchy->data[1].line_bytes = 64;
	if (ok)
		return TP_OK;
	tp_hierarchy_release(hierarchy);
	return tp_fail(diag, TP_NOMEM, "emulation", NULL, "no memory for the model of the caches");
}

void tp_hierarchy_release(struct tp_hierarchy *hierarchy)
{
	tp_cache_model_release(&hierarchy->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		tp_cache_model_release(&hierarchy->data[level]);
}

void tp_hierarchy_clear(struct tp_hierarchy *hierarchy)
{
	tp_cache_model_clear(&hierarchy->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		tp_cache_model_clear(&hierarchy->data[level]);
}
