/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/frame_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"

static size_t hash_of(const char *text, size_t len)
{
	uint64_t hash = TP_HASH_START;
	for (size_t i = 0; i < len; i++)
		hash = tp_hash_step(hash, (unsigned char)text[i]);
	return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text, or the free one where it belongs. At most half of the slots are used. */
static uint32_t *slot_of(const struct tp_dictionary *d, const char *text, size_t len)
{
	size_t mask = d->n_slots - 1;
	for (size_t i = hash_of(text, len) & mask;; i = (i + 1) & mask) {
		const char *word = d->slots[i] ? d->words[d->slots[i] - 1] : NULL;
		if (!word || (strncmp(word, text, len) == 0 && word[len] == '\0'))
			return &d->slots[i];
	}
}

static enum tp_status grow_slots(struct tp_dictionary *d)
{
	if (d->n_slots > 2 * (d->n + 1))
		return TP_OK;
	size_t n = d->n_slots ? 2 * d->n_slots : 16;
	uint32_t *slots = calloc(n, sizeof(*slots));
	if (!slots)
		return TP_NOMEM;
	free(d->slots);
	d->slots = slots;
	d->n_slots = n;
	for (size_t i = 0; i < d->n; i++)
		*slot_of(d, d->words[i], strlen(d->words[i])) = (uint32_t)i + 1;
	return TP_OK;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	return true;
}

static enum tp_status code_of(struct tp_dictionary *d, struct tp_arena *arena, const char *text,
			      size_t len, uint32_t *code)
{
	if (grow_slots(d) ||
	    tp_vec_reserve((void **)&d->words, &d->cap, d->n + 1, sizeof(*d->words)))
		return TP_NOMEM;
	uint32_t *slot = slot_of(d, text, len);
	if (!*slot) {
		char *word = tp_arena_strndup(arena, text, len);
		if (!word || d->n + 1 >= TP_FRAME_NO_WORD)
			return TP_NOMEM;
		d->words[d->n++] = word;
		d->text_bytes += len + 16;
		*slot = (uint32_t)d->n;
	}
	*code = *slot - 1;
	return TP_OK;
}

enum tp_status tp_dictionary_code(struct tp_dictionary *d, struct tp_arena *arena, const char *text,
				  size_t len, uint32_t *code)
{
	if (is_plain(text, len))
		return code_of(d, arena, text, len, code);
	/* Cleaning never makes a text longer. */
	char *clean = malloc(len + 1);
	if (!clean)
		return TP_NOMEM;
	tp_shown(clean, len + 1, text, len);
	enum tp_status status = code_of(d, arena, clean, strlen(clean), code);
	free(clean);
	return status;
}

size_t tp_dictionary_bytes(const struct tp_dictionary *d)
{
	return d->text_bytes + d->cap * sizeof(*d->words) + d->n_slots * sizeof(*d->slots);
}

void tp_dictionary_release(struct tp_dictionary *d)
{
	free(d->words);
	free(d->slots);
	*d = (struct tp_dictionary){ 0 };
}
