/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/keys.h"
#include "ui/tui/term.h"
#include "base/str.h"
#include "base/memory.h"

#include <string.h>

const struct tp_screen_row tp_screen_rows[TP_SCREEN_COUNT] = {
#define SCREEN_ROW(id, name, place, title, kind) [TP_SCREEN_##id] = { TP_PLACE_##place, title },
	TP_SCREEN_LIST(SCREEN_ROW)
#undef SCREEN_ROW
};

const struct tp_place_row tp_place_rows[TP_PLACE_COUNT] = {
#define PLACE_ROW(id, key, title) [TP_PLACE_##id] = { key, title },
	TP_PLACE_LIST(PLACE_ROW)
#undef PLACE_ROW
};

const struct tp_action_row tp_action_table[TP_ACTION_COUNT] = {
	{ TP_ACTION_NONE, "", 0, "", "", TP_PLACE_COUNT },
#define ACTION_ROW(id, keys, screens, label, help)                                                 \
	{ TP_ACTION_##id, keys, screens, label, help, TP_PLACE_COUNT },
#define GO_ROW(id, key, title)                                                                     \
	{ TP_ACTION_GO_##id, key, TP_EVERYWHERE, "", "the place " title, TP_PLACE_##id },
	TP_WORK_ACTION_LIST(ACTION_ROW) TP_PLACE_LIST(GO_ROW) TP_COMMON_ACTION_LIST(ACTION_ROW)
#undef ACTION_ROW
#undef GO_ROW
};

static const struct {
	const char *name;
	uint32_t code;
} names[] = {
	{ "Up", TP_KEY_UP },
	{ "Down", TP_KEY_DOWN },
	{ "Left", TP_KEY_LEFT },
	{ "Right", TP_KEY_RIGHT },
	{ "PgUp", TP_KEY_PAGE_UP },
	{ "PgDn", TP_KEY_PAGE_DOWN },
	{ "Home", TP_KEY_HOME },
	{ "End", TP_KEY_END },
	{ "Tab", TP_KEY_TAB },
	{ "S-Tab", TP_KEY_BACKTAB },
	{ "Enter", TP_KEY_ENTER },
	{ "Space", ' ' },
	{ "Del", TP_KEY_DELETE },
	{ "Backspace", TP_KEY_BACKSPACE },
	{ "Esc", TP_KEY_ESCAPE },
	{ "F1", TP_KEY_F1 },
	{ "F5", TP_KEY_F1 + 4 },
	{ "^C", 3 },
	{ "^L", 12 },
};

/* The code of a name of `n` bytes: from the table above, else the character itself. */
static uint32_t code_of(const char *name, size_t n)
{
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strlen(names[i].name) == n && memcmp(names[i].name, name, n) == 0)
			return names[i].code;
	return n == 1 ? (unsigned char)*name : 0;
}

enum tp_action tp_keys_action(enum tp_screen_id screen, uint32_t code)
{
	enum tp_action found = TP_ACTION_NONE;
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		const struct tp_action_row *row = &tp_action_table[a];
		if (!(row->screens & 1u << screen))
			continue;
		for (const char *k = row->keys; *k;) {
			size_t n = strcspn(k, " ");
			/* A meaning on this screen goes before one everywhere. */
			if (code_of(k, n) == code &&
			    (found == TP_ACTION_NONE || row->screens != TP_EVERYWHERE))
				found = row->id;
			k += n;
			k += *k == ' ';
		}
	}
	return found;
}

int tp_keys_head_rows(enum tp_screen_id screen)
{
	int n = 0;
	for (int i = 0; i < TP_SCREEN_COUNT; i++)
		n += tp_screen_rows[i].place == tp_screen_rows[screen].place;
	return n > 1 ? 2 : 1;
}

const char *tp_keys_name(enum tp_action action, char *out, size_t size)
{
	char first[16];
	tp_copy(first, sizeof(first), tp_action_table[action].keys);
	first[strcspn(first, " ")] = '\0';
	tp_copy(out, size, first);
	return out;
}
