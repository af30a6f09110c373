/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The OPTIONS section of tprof-preset(5) against the option table, both ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "preset/options.h"
#include "tests/unit/files.h"

/* Text of each entry as a reader sees it: macro lines left out, lines joined by one space. */
struct page {
	struct tp_str entries[TP_OPT_COUNT];
	unsigned seen[TP_OPT_COUNT];
	size_t unknown;
};

static void add_line(struct tp_str *entry, const char *line)
{
	if (*line == '.')
		return;
	if (entry->len)
		tp_str_add(entry, " ");
	for (; *line; line++) {
		if (line[0] == '\\' && line[1] == '&')
			line++;
		else if (line[0] != '\\')
			tp_str_add_n(entry, line, 1);
	}
}

static int read_page(void **state)
{
	char path[TP_PATH_MAX], *text = NULL, *rest = NULL;
	struct tp_diag diag;
	size_t len;
	struct page *page = calloc(1, sizeof(*page));
	const struct tp_option *option = NULL;
	int inside = 0;
	snprintf(path, sizeof(path), "%s/man/tprof-preset.5", source_dir());
	if (!page || tp_file_read(path, 1 << 20, &text, &len, &diag) != TP_OK) {
		free(page);
		fprintf(stderr, "%s cannot be read\n", path);
		return 1;
	}
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		static const char item[] = ".It Cm ";
		if (strncmp(line, ".Sh ", 4) == 0)
			inside = strcmp(line, ".Sh OPTIONS") == 0;
		/* What stands between two lists belongs to no option. */
		if (strncmp(line, ".Ss ", 4) == 0 || strcmp(line, ".El") == 0)
			option = NULL;
		if (!inside)
			continue;
		if (strncmp(line, item, sizeof(item) - 1) == 0) {
			option = tp_option_find(line + sizeof(item) - 1);
			if (option) {
				page->seen[option->id]++;
			} else {
				fprintf(stderr, "no option: %s\n", line);
				page->unknown++;
			}
		} else if (option) {
			add_line(&page->entries[option->id], line);
		}
	}
	free(text);
	*state = page;
	return 0;
}

static int drop_page(void **state)
{
	struct page *page = *state;
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		tp_str_release(&page->entries[i]);
	free(page);
	return 0;
}

static void every_entry_is_an_option(void **state)
{
	const struct page *page = *state;
	assert_int_equal(page->unknown, 0);
}

static void every_option_has_one_entry(void **state)
{
	const struct page *page = *state;
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		if (page->seen[i] != 1)
			fail_msg("%s has %u entries", tp_option_table[i].key, page->seen[i]);
}

/* The part of an entry after `label`, which ends where the next label begins. */
static void expect_field(const struct tp_option *option, const char *entry, const char *label,
			 const char *expected)
{
	static const char *const labels[] = { " Default: ", " Used by: ", NULL };
	const char *at = strstr(entry, label);
	if (!at)
		fail_msg("%s: no \"%s\"", option->key, label);
	at += strlen(label);
	size_t n = strlen(at);
	for (size_t i = 0; labels[i]; i++) {
		const char *next = strstr(at, labels[i]);
		if (next && (size_t)(next - at) < n)
			n = (size_t)(next - at);
	}
	if (n != strlen(expected) || strncmp(at, expected, n) != 0)
		fail_msg("%s:%s the page says \"%.*s\", the table \"%s\"", option->key, label,
			 (int)n, at, expected);
}

static void entries_agree_with_the_table(void **state)
{
	const struct page *page = *state;
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *option = &tp_option_table[i];
		const char *entry = tp_str_text(&page->entries[i]);
		char allowed[320];
		if (strncmp(entry, option->help, strlen(option->help)) != 0)
			fail_msg("%s: the page says \"%s\", the table \"%s\"", option->key, entry,
				 option->help);
		expect_field(option, entry,
			     " Value: ", tp_option_allowed(option, allowed, sizeof(allowed)));
		expect_field(option, entry,
			     " Default: ", *option->fallback ? option->fallback : "none");
		if (*option->experiments)
			expect_field(option, entry, " Used by: ", option->experiments);
		else
			assert_null(strstr(entry, "Used by: "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_entry_is_an_option),
		cmocka_unit_test(every_option_has_one_entry),
		cmocka_unit_test(entries_agree_with_the_table),
	};
	return cmocka_run_group_tests(tests, read_page, drop_page);
}
