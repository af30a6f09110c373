/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The key table of the screens: every action can be reached where it is said to be, and no key
 * means two things.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ui/tui/keys.h"
#include "ui/tui/term.h"

enum { LATIN_END = 128, SPECIAL_BEGIN = TP_KEY_UP, SPECIALS = 64 };

static bool is_reached(enum tp_screen_id screen, enum tp_action action)
{
	for (uint32_t code = 1; code < LATIN_END; code++)
		if (tp_keys_action(screen, code) == action)
			return true;
	for (uint32_t i = 0; i < SPECIALS; i++)
		if (tp_keys_action(screen, SPECIAL_BEGIN + i) == action)
			return true;
	return false;
}

static void every_action_has_a_key_on_its_screens(void **state)
{
	(void)state;
	for (size_t a = 1; a < TP_ACTION_COUNT; a++)
		for (int s = 0; s < TP_SCREEN_COUNT; s++)
			if (tp_action_table[a].screens >> s & 1u &&
			    !is_reached((enum tp_screen_id)s, tp_action_table[a].id))
				fail_msg("\"%s\" (%s) cannot be reached on %s",
					 tp_action_table[a].help, tp_action_table[a].keys,
					 tp_screen_rows[s].title);
}

/* True if a word of `a` is a word of `b`. */
static bool share_a_key(const char *a, const char *b)
{
	for (const char *x = a; *x; x += strspn(x, " ")) {
		size_t n = strcspn(x, " ");
		for (const char *y = b; *y; y += strspn(y, " ")) {
			size_t m = strcspn(y, " ");
			if (n == m && memcmp(x, y, n) == 0)
				return true;
			y += m;
		}
		x += n;
	}
	return false;
}

static void no_key_means_two_things(void **state)
{
	(void)state;
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		for (size_t b = a + 1; b < TP_ACTION_COUNT; b++) {
			const struct tp_action_row *x = &tp_action_table[a];
			const struct tp_action_row *y = &tp_action_table[b];
			bool everywhere = x->screens == TP_EVERYWHERE;
			/* A screen may give a key of everywhere a meaning of its own. */
			if (everywhere != (y->screens == TP_EVERYWHERE))
				continue;
			if (x->screens & y->screens && share_a_key(x->keys, y->keys))
				fail_msg("\"%s\" and \"%s\" share a key", x->help, y->help);
		}
	}
}

static void quitting_and_help_work_on_every_screen(void **state)
{
	(void)state;
	for (int s = 0; s < TP_SCREEN_COUNT; s++) {
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 'q'), TP_ACTION_CLOSE);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 3), TP_ACTION_QUIT);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, '?'), TP_ACTION_HELP);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, TP_KEY_F1), TP_ACTION_HELP);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 0), TP_ACTION_NONE);
	}
}

static void a_place_opens_with_its_digit_everywhere(void **state)
{
	(void)state;
	for (int place = 0; place < TP_PLACE_COUNT; place++) {
		assert_int_equal(strlen(tp_place_rows[place].key), 1);
		assert_int_equal(tp_place_rows[place].key[0], '1' + place);
		for (int s = 0; s < TP_SCREEN_COUNT; s++) {
			enum tp_action action = tp_keys_action(
				(enum tp_screen_id)s, (unsigned char)tp_place_rows[place].key[0]);
			assert_int_equal(tp_action_table[action].go, place);
		}
	}
	assert_int_equal(tp_action_table[TP_ACTION_QUIT].go, TP_PLACE_COUNT);
}

/* Letters that mean one thing wherever they mean something: the word of the footer says which. */
static void letters_mean_one_thing(void **state)
{
	static const struct {
		char letter;
		const char *words; /* of the footer, separated by blanks */
	} letters[] = { { 'r', " run measure new " },
			{ 's', " stop cancel " },
			{ 'c', " compare " },
			{ 'v', " series " },
			{ 't', " table " },
			{ 'x', " export " },
			{ 'd', " dot " },
			{ '/', " find " },
			{ ':', " any " } };
	(void)state;
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		for (int s = 0; s < TP_SCREEN_COUNT; s++) {
			enum tp_action action = tp_keys_action((enum tp_screen_id)s,
							       (unsigned char)letters[i].letter);
			char word[32];
			if (!*tp_action_table[action].label)
				continue;
			snprintf(word, sizeof(word), " %s ", tp_action_table[action].label);
			if (!strstr(letters[i].words, word))
				fail_msg("%c is \"%s\" on %s", letters[i].letter,
					 tp_action_table[action].label, tp_screen_rows[s].title);
		}
}

static void the_name_of_an_action_is_its_first_key(void **state)
{
	(void)state;
	char name[16];
	assert_string_equal(tp_keys_name(TP_ACTION_UP, name, sizeof(name)), "Up");
	assert_string_equal(tp_keys_name(TP_ACTION_CLOSE, name, sizeof(name)), "q");
	assert_string_equal(tp_keys_name(TP_ACTION_REPAINT, name, sizeof(name)), "^L");
	assert_string_equal(tp_keys_name(TP_ACTION_PAGE_UP, name, 3), "Pg");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_has_a_key_on_its_screens),
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(quitting_and_help_work_on_every_screen),
		cmocka_unit_test(a_place_opens_with_its_digit_everywhere),
		cmocka_unit_test(letters_mean_one_thing),
		cmocka_unit_test(the_name_of_an_action_is_its_first_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
