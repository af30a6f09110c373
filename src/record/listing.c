/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/listing.h"

#include <stdlib.h>
#include <string.h>

#include "record/document.h"

struct tp_listing {
	json_t *array, *row;
	bool oom;
};

struct tp_listing *tp_listing_new(void)
{
	struct tp_listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return NULL;
	listing->array = json_array();
	if (!listing->array) {
		free(listing);
		return NULL;
	}
	return listing;
}

void tp_listing_free(struct tp_listing *listing)
{
	if (!listing)
		return;
	json_decref(listing->array);
	free(listing);
}

void tp_listing_row(struct tp_listing *listing)
{
	if (!listing)
		return;
	listing->row = json_object();
	if (json_array_append_new(listing->array, listing->row)) {
		listing->row = NULL;
		listing->oom = true;
	}
}

/* Takes `value` over. */
static void set(struct tp_listing *listing, const char *key, json_t *value)
{
	if (!listing || !listing->row)
		json_decref(value);
	else if (json_object_set_new(listing->row, key, value))
		listing->oom = true;
}

void tp_listing_text(struct tp_listing *listing, const char *key, const char *text)
{
	set(listing, key, text && *text ? tp_json_text(text) : json_null());
}

void tp_listing_words(struct tp_listing *listing, const char *key, const char *words)
{
	json_t *array = json_array();
	struct tp_str word = { 0 };

	for (size_t n; array && *words; words += n) {
		words += strspn(words, " ");
		n = strcspn(words, " ");
		if (n == 0)
			break;
		tp_str_clear(&word);
		tp_str_add_n(&word, words, n);
		if ((word.oom || json_array_append_new(array, tp_json_text(tp_str_text(&word)))) &&
		    listing)
			listing->oom = true;
	}
	tp_str_release(&word);
	set(listing, key, array);
}

void tp_listing_bool(struct tp_listing *listing, const char *key, bool value)
{
	set(listing, key, json_boolean(value));
}

void tp_listing_count(struct tp_listing *listing, const char *key, unsigned long long value)
{
	set(listing, key, json_integer((json_int_t)value));
}

void tp_listing_real(struct tp_listing *listing, const char *key, double value)
{
	set(listing, key, tp_json_real(value));
}

enum tp_status tp_listing_write(const struct tp_listing *listing, struct tp_str *out)
{
	if (listing->oom)
		return TP_NOMEM;
	enum tp_status status = tp_json_add(out, json_incref(listing->array), JSON_INDENT(2));
	if (status == TP_OK)
		tp_str_add(out, "\n");
	return out->oom ? TP_NOMEM : status;
}

enum tp_status tp_listing_write_under(const struct tp_listing *listing,
				      const struct tp_listing *head, const char *key,
				      struct tp_str *out)
{
	json_t *object = json_deep_copy(json_array_get(head->array, 0));

	if (listing->oom || head->oom || !object || json_object_set(object, key, listing->array)) {
		json_decref(object);
		return TP_NOMEM;
	}
	enum tp_status status = tp_json_add(out, object, JSON_INDENT(2));
	if (status == TP_OK)
		tp_str_add(out, "\n");
	return out->oom ? TP_NOMEM : status;
}
