/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof(1) against the table of command line options, both ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "tests/unit/man_page.h"

static int read_page(void **state)
{
	*state = man_page_new("man/tprof.1");
	return *state ? 0 : 1;
}

static int free_page(void **state)
{
	man_page_free(*state);
	return 0;
}

static const struct command_row {
	const char *name, *argument;
	char letter;
	bool optional;
} commands[] = {
#define COMMAND_ROW(id, name, letter, argument, optional, help)                                    \
	{ name, argument, letter, optional },
	TP_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

/* "-b, --batch preset", as the page heads its entry. */
static void command_head(const struct command_row *row, char *out, size_t size)
{
	char letter[8] = "", argument[64] = "";
	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (row->argument)
		snprintf(argument, sizeof(argument), row->optional ? "[=%s]" : " %s",
			 row->argument);
	for (char *p = argument; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	snprintf(out, size, "%s--%s%s", letter, row->name, argument);
}

static void every_command_line_option_has_one_entry(void **state)
{
	const struct man_page *page = *state;
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
		char head[MAN_WORD_MAX];
		size_t seen = 0;
		command_head(&commands[i], head, sizeof(head));
		for (size_t k = 0; k < page->n; k++)
			seen += strcmp(page->entries[k].macro, "Fl") == 0 &&
				strcmp(page->entries[k].item, head) == 0 &&
				page->entries[k].text.len > 0;
		if (seen != 1)
			fail_msg("\"%s\" has %zu entries", head, seen);
	}
}

static void every_entry_is_a_command_line_option(void **state)
{
	const struct man_page *page = *state;
	size_t seen = 0;
	for (size_t k = 0; k < page->n; k++) {
		const struct man_entry *e = &page->entries[k];
		bool known = false;
		if (strcmp(e->section, "COMMANDS") != 0 && strcmp(e->section, "OPTIONS") != 0)
			continue;
		for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
			char head[MAN_WORD_MAX];
			command_head(&commands[i], head, sizeof(head));
			known |= strcmp(e->item, head) == 0;
		}
		/* the one command that is a word */
		known |= strcmp(e->macro, "Cm") == 0 && strcmp(e->item, "doctor") == 0;
		if (!known)
			fail_msg("there is no option \"%s\"", e->item);
		seen++;
	}
	assert_int_equal(seen, TP_COUNT_OF(commands) + 1);
}

static void synopsis_names_every_option_and_no_other(void **state)
{
	const struct man_page *page = *state;
	const char *synopsis = tp_str_text(&page->synopsis);
	struct tp_str all = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
		char option[64];
		int n = snprintf(option, sizeof(option), "--%s", commands[i].name);
		tp_str_printf(&all, "%s ", option);
		/* [=value] is set without a space. */
		const char *at = strstr(synopsis, option);
		while (at && (isalnum((unsigned char)at[n]) || at[n] == '-'))
			at = strstr(at + n, option);
		if (!at)
			fail_msg("the synopsis does not name %s", option);
	}
	for (const char *at = strstr(synopsis, "--"); at; at = strstr(at + 2, "--")) {
		size_t n = strcspn(at, " [=");
		if (!is_among(tp_str_text(&all), at, n))
			fail_msg("the synopsis names %.*s, which is no option", (int)n, at);
	}
	tp_str_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_line_option_has_one_entry),
		cmocka_unit_test(every_entry_is_a_command_line_option),
		cmocka_unit_test(synopsis_names_every_option_and_no_other),
	};
	return cmocka_run_group_tests(tests, read_page, free_page);
}
