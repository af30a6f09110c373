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

static enum tp_status grow_index(struct tp_tally *tally)
{
	size_t size = tally->index_size ? tally->index_size : 64;
	size_t *fresh;

	while (size < 2 * (tally->n + 1))
		size *= 2;
	if (size == tally->index_size)
		return TP_OK;
	fresh = calloc(size, sizeof(*fresh));
	if (!fresh)
		return TP_NOMEM;
	free(tally->index);
	tally->index = fresh;
	tally->index_size = size;
	for (size_t i = 0; i < tally->n; i++)
		*entry_of(tally, tally->texts.s + tally->groups[i].text) = i + 1;
	return TP_OK;
}

static enum tp_status add_group(struct tp_tally *tally, const char *text)
{
	size_t at = tally->texts.len;

	if (tp_vec_reserve((void **)&tally->groups, &tally->cap, tally->n + 1,
			   sizeof(*tally->groups)))
		return TP_NOMEM;
	tp_str_add_n(&tally->texts, text, strlen(text) + 1);
	if (tally->texts.oom)
		return TP_NOMEM;
	*entry_of(tally, text) = tally->n + 1;
	tally->groups[tally->n++] =
		(struct tp_tally_group){ .text = at, .first = TP_TALLY_END, .last = TP_TALLY_END };
	return TP_OK;
}

enum tp_status tp_tally_add(struct tp_tally *tally, const char *text)
{
	struct tp_tally_group *group;
	size_t item = tally->n_items;

	if (grow_index(tally) || tp_vec_reserve((void **)&tally->next, &tally->cap_items, item + 1,
						sizeof(*tally->next)))
		return TP_NOMEM;
	if (!*entry_of(tally, text) && add_group(tally, text))
		return TP_NOMEM;
	group = &tally->groups[*entry_of(tally, text) - 1];
	if (group->n++)
		tally->next[group->last] = item;
	else
		group->first = item;
	group->last = item;
	tally->next[item] = TP_TALLY_END;
	tally->n_items++;
	return TP_OK;
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
