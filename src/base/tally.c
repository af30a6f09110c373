/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * The entry of a text: number of its group + 1, or the empty one where it belongs. At most half of
 * the table is used.
 */
static size_t *entry_of(const struct tp_tally *tally, const char *text)
{
	size_t mask = tally->index_size - 1;

	for (size_t i = tp_hash_name(text) & mask;; i = (i + 1) & mask) {
		size_t *entry = &tally->index[i];

		if (*entry == 0 ||
		    strcmp(tally->texts.s + tally->groups[*entry - 1].text, text) == 0)
			return entry;
	}
}

static void grow_index(struct tp_tally *tally)
{
	size_t size = tally->index_size ? tally->index_size : 64;

	while (size < 2 * (tally->n + 1))
		size *= 2;
	if (size == tally->index_size)
		return;
	free(tally->index);
	tally->index = tp_alloc(size, sizeof(*tally->index));
	tally->index_size = size;
	for (size_t i = 0; i < tally->n; i++)
		*entry_of(tally, tally->texts.s + tally->groups[i].text) = i + 1;
}

void tp_tally_add(struct tp_tally *tally, const char *text)
{
	size_t item = tally->n_items;

	grow_index(tally);
	TP_RESERVE(tally->next, tally->cap_items, item + 1);
	size_t *entry = entry_of(tally, text);
	if (!*entry) {
		TP_RESERVE(tally->groups, tally->cap, tally->n + 1);
		tally->groups[tally->n++] = (struct tp_tally_group){ .text = tally->texts.len,
								     .first = TP_TALLY_END,
								     .last = TP_TALLY_END };
		tp_str_add_n(&tally->texts, text, strlen(text) + 1);
		*entry = tally->n;
	}
	struct tp_tally_group *group = &tally->groups[*entry - 1];
	if (group->n++)
		tally->next[group->last] = item;
	else
		group->first = item;
	group->last = item;
	tally->next[item] = TP_TALLY_END;
	tally->n_items++;
}

const struct tp_tally_group *tp_tally_find(const struct tp_tally *tally, const char *text)
{
	size_t entry = tally->index_size ? *entry_of(tally, text) : 0;

	return entry ? &tally->groups[entry - 1] : NULL;
}

void tp_tally_release(struct tp_tally *tally)
{
	free(tally->groups);
	free(tally->next);
	free(tally->index);
	tp_str_release(&tally->texts);
	*tally = (struct tp_tally){ 0 };
}
