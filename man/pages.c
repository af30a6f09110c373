/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: pages FILE.in: writes the manual page to standard output. Every row of a registry that the
 * page uses must have exactly one place on it.
 */
#include "man/pages.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { PAGE_BYTES_MAX = 1 << 20, ROWS_MAX = 1024, REGISTRIES_MAX = 64 };

struct page {
	const char *file;
	unsigned long line;
	struct tp_str out;
	bool used[REGISTRIES_MAX], placed[REGISTRIES_MAX][ROWS_MAX];
	const struct page_registry *open; /* of the entry that the text belongs to; NULL: none */
	size_t open_row;
};

static bool complain(const struct page *page, const char *what, const char *word)
{
	fprintf(stderr, "%s:%lu: %s: %s\n", page->file, page->line, what, word);
	return false;
}

static void close_entry(struct page *page)
{
	if (page->open && page->open->tail)
		page->open->tail(page->open_row, &page->out);
	page->open = NULL;
}

/* The rows that match and have no place yet. */
static bool place_rows(struct page *page, size_t kind, const char *pattern)
{
	const struct page_registry *registry = &page_registries[kind];
	bool any = false;
	for (size_t i = 0; registry->name(i); i++) {
		if (i == ROWS_MAX)
			return complain(page, "more rows than this program holds", registry->kind);
		if (page->placed[kind][i] || fnmatch(pattern, registry->name(i), 0) != 0)
			continue;
		page->placed[kind][i] = any = true;
		close_entry(page);
		if (!registry->head(i, &page->out))
			return complain(page, "its table does not say what it is",
					registry->name(i));
		page->open = registry;
		page->open_row = i;
	}
	return any || complain(page, "no such row, or it has a place already", pattern);
}

/* "@KIND PATTERN..." */
static bool expand(struct page *page, char *line)
{
	char *rest = NULL, *word = strtok_r(line + 1, " ", &rest);
	bool good = true;
	size_t kind = 0;
	while (word && page_registries[kind].kind && strcmp(page_registries[kind].kind, word) != 0)
		kind++;
	if (!word || !page_registries[kind].kind)
		return complain(page, "no such registry", word ? word : "");
	page->used[kind] = true;
	while ((word = strtok_r(NULL, " ", &rest)))
		good = place_rows(page, kind, word) && good;
	return good;
}

static bool is_end_of_entry(const char *line)
{
	return strcmp(line, ".El") == 0 || strncmp(line, ".Sh ", 4) == 0 ||
	       strncmp(line, ".Ss ", 4) == 0;
}

static bool every_row_has_a_place(struct page *page)
{
	bool good = true;
	for (size_t kind = 0; page_registries[kind].kind; kind++)
		for (size_t i = 0; page->used[kind] && page_registries[kind].name(i); i++)
			if (!page->placed[kind][i])
				good = complain(page, page_registries[kind].kind,
						page_registries[kind].name(i));
	if (!good)
		fprintf(stderr, "%s: these have no place on the page\n", page->file);
	return good;
}

static bool make(struct page *page, char *text)
{
	bool good = true;
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		page->line++;
		if (line[0] == '@') {
			good = expand(page, line) && good;
			continue;
		}
		if (is_end_of_entry(line))
			close_entry(page);
		tp_str_printf(&page->out, "%s\n", line);
	}
	return every_row_has_a_place(page) && good;
}

int main(int argc, char **argv)
{
	static struct page page;
	struct tp_diag diag;
	char *text = NULL;
	size_t len;
	if (argc != 2) {
		fputs("usage: pages FILE.in\n", stderr);
		return 2;
	}
	page.file = argv[1];
	if (tp_file_read(argv[1], PAGE_BYTES_MAX, &text, &len, &diag) != TP_OK) {
		fprintf(stderr, "%s: %s\n", diag.where, diag.what);
		return 1;
	}
	bool good = make(&page, text) && !page.out.oom;
	good = fputs(tp_str_text(&page.out), stdout) >= 0 && fflush(stdout) == 0 && good;
	tp_str_release(&page.out);
	free(text);
	return good ? 0 : 1;
}
