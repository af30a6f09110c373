/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key table of the screens: every action can be reached where it is said to be, no key means two things, and tprof(1) tells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "ui/tui/keys.h"
#include "ui/tui/term.h"
#include "tests/unit/files.h"

enum { SOURCE_BYTES_MAX = 1 << 20, LATIN_END = 128, SPECIAL_BEGIN = TP_KEY_UP, SPECIALS = 64 };

static const char *const screen_names[] = {
#define SCREEN_NAME(id, name) #name,
	TP_SCREEN_LIST(SCREEN_NAME)
#undef SCREEN_NAME
};

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
					 screen_names[s]);
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
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 'q'), TP_ACTION_QUIT);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 3), TP_ACTION_QUIT);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, '?'), TP_ACTION_HELP);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, TP_KEY_F1), TP_ACTION_HELP);
		assert_int_equal(tp_keys_action((enum tp_screen_id)s, 0), TP_ACTION_NONE);
	}
}

static void the_name_of_an_action_is_its_first_key(void **state)
{
	(void)state;
	char name[16];
	assert_string_equal(tp_keys_name(TP_ACTION_UP, name, sizeof(name)), "Up");
	assert_string_equal(tp_keys_name(TP_ACTION_QUIT, name, sizeof(name)), "q");
	assert_string_equal(tp_keys_name(TP_ACTION_REPAINT, name, sizeof(name)), "^L");
	assert_string_equal(tp_keys_name(TP_ACTION_PAGE_UP, name, 3), "Pg");
}

/* --- tprof(1) --- */

/* A key as mdoc takes it: what is a word of its own there must not look like a mark or a macro. */
static void add_key(struct tp_str *out, const char *key, size_t n)
{
	bool mark = !isalnum((unsigned char)key[0]);
	if (n > 1 && key[0] == '^')
		tp_str_printf(out, " \\(ha%.*s", (int)n - 1, key + 1);
	else
		tp_str_printf(out, " %s%.*s", mark ? "\\&" : "", (int)n, key);
}

static void add_row(struct tp_str *out, const struct tp_action_row *row)
{
	tp_str_add(out, ".It Cm");
	for (const char *k = row->keys; *k; k += strspn(k, " ")) {
		size_t n = strcspn(k, " ");
		add_key(out, k, n);
		k += n;
	}
	tp_str_printf(out, "\n%c%s.\n", toupper((unsigned char)row->help[0]), row->help + 1);
	if (row->screens == TP_EVERYWHERE)
		return;
	tp_str_add(out, ".Pq Em");
	const char *comma = " ";
	for (int s = 0; s < TP_SCREEN_COUNT; s++) {
		if (row->screens >> s & 1u) {
			tp_str_printf(out, "%s%c%s", comma,
				      toupper((unsigned char)screen_names[s][0]),
				      screen_names[s] + 1);
			comma = " , ";
		}
	}
	tp_str_add(out, "\n");
}

static void the_manual_holds_the_table(void **state)
{
	(void)state;
	static const char begin[] =
		".\\\" Made from the key table; tests/unit/test_keys prints it.\n";
	static const char end[] = ".\\\" End of the key table.\n";
	char path[TP_PATH_MAX], *text = NULL;
	struct tp_diag diag;
	struct tp_str wanted = { 0 };
	size_t len;
	snprintf(path, sizeof(path), "%s/man/tprof.1", source_dir());
	assert_int_equal(tp_file_read(path, SOURCE_BYTES_MAX, &text, &len, &diag), TP_OK);
	tp_str_add(&wanted, begin);
	tp_str_add(&wanted, ".Bl -tag -width Ds -compact\n");
	for (size_t a = 1; a < TP_ACTION_COUNT; a++)
		add_row(&wanted, &tp_action_table[a]);
	tp_str_add(&wanted, ".El\n");
	tp_str_add(&wanted, end);
	bool held = strstr(text, tp_str_text(&wanted)) != NULL;
	if (!held)
		fprintf(stderr, "tprof(1) lacks this:\n%s", tp_str_text(&wanted));
	tp_str_release(&wanted);
	free(text);
	assert_true(held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_has_a_key_on_its_screens),
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(quitting_and_help_work_on_every_screen),
		cmocka_unit_test(the_name_of_an_action_is_its_first_key),
		cmocka_unit_test(the_manual_holds_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
