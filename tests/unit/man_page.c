/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/man_page.h"

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
#include "tests/unit/files.h"

enum { SOURCE_BYTES_MAX = 1 << 20 };

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* The arguments of a macro line as mandoc would set them: "Fl b , Fl Fl batch Ar preset" is "-b, --batch preset". */
static void flatten(const char *line, struct tp_str *out)
{
	static const char *const silent[] = { "Ar", "Cm", "Va", "Pa", "Ev", "Op", "Nm", NULL };
	static const char *const closing[] = { ",", ":", ".", ";", ")", "]", "Oc", "Pc", NULL };
	char copy[512], *rest = NULL;
	bool glue = true; /* no space before the next word */
	tp_copy(copy, sizeof(copy), line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (is_one_of(word, silent))
			continue;
		if (strcmp(word, "Ns") == 0) {
			glue = true;
			continue;
		}
		if (!glue && !is_one_of(word, closing))
			tp_str_add(out, " ");
		glue = strcmp(word, "Fl") == 0 || strcmp(word, "Oo") == 0;
		tp_str_add(out, strcmp(word, "Fl") == 0	  ? "-"
				: strcmp(word, "Oo") == 0 ? "["
				: strcmp(word, "Oc") == 0 ? "]"
							  : word);
	}
}

static void add_text(struct tp_str *text, const char *line)
{
	if (text->len)
		tp_str_add(text, " ");
	for (; *line; line++)
		if (line[0] == '\\' && line[1] == '&')
			line++;
		else if (line[0] != '\\')
			tp_str_add_n(text, line, 1);
}

static void add_names(struct tp_str *names, const char *line)
{
	char copy[512], *rest = NULL;
	tp_copy(copy, sizeof(copy), line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (islower((unsigned char)word[0]))
			tp_str_printf(names, " %s ", word);
}

static bool begin_entry(struct man_page *page, const char *section, const char *part,
			const char *line)
{
	if (page->n == MAN_ENTRIES_MAX)
		return false;
	struct man_entry *entry = &page->entries[page->n++];
	struct tp_str item = { 0 };
	tp_copy(entry->section, sizeof(entry->section), section);
	tp_copy(entry->part, sizeof(entry->part), part);
	snprintf(entry->macro, sizeof(entry->macro), "%.*s", (int)strcspn(line, " "), line);
	flatten(line, &item);
	bool fits = tp_copy(entry->item, sizeof(entry->item), tp_str_text(&item));
	tp_str_release(&item);
	return fits;
}

void man_page_free(struct man_page *page)
{
	if (!page)
		return;
	for (size_t i = 0; i < page->n; i++) {
		tp_str_release(&page->entries[i].text);
		tp_str_release(&page->entries[i].names);
	}
	tp_str_release(&page->synopsis);
	free(page);
}

char *read_source(const char *name)
{
	char path[TP_PATH_MAX], *text = NULL;
	struct tp_diag diag;
	size_t len;
	snprintf(path, sizeof(path), "%s/%s", source_dir(), name);
	if (tp_file_read(path, SOURCE_BYTES_MAX, &text, &len, &diag) != TP_OK) {
		fprintf(stderr, "%s cannot be read\n", path);
		return NULL;
	}
	return text;
}

static bool read_page(struct man_page *page, const char *name)
{
	char section[32] = "", part[32] = "", *text = read_source(name), *rest = NULL;
	struct man_entry *entry = NULL;
	bool whole = true;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, ".Sh ", 4) == 0) {
			tp_copy(section, sizeof(section), line + 4);
			part[0] = '\0';
			entry = NULL;
		} else if (strncmp(line, ".Ss ", 4) == 0) {
			tp_copy(part, sizeof(part), line + 4);
			entry = NULL;
		} else if (strncmp(line, ".It ", 4) == 0) {
			whole = begin_entry(page, section, part, line + 4) && whole;
			entry = &page->entries[page->n - 1];
		} else if (strcmp(section, "SYNOPSIS") == 0 && line[0] == '.') {
			flatten(line + 1, &page->synopsis);
			tp_str_add(&page->synopsis, " ");
		} else if (entry && strncmp(line, ".Va ", 4) == 0) {
			add_names(&entry->names, line + 4);
		} else if (entry && strncmp(line, ".Pq Va ", 7) == 0) {
			add_names(&entry->names, line + 7);
		} else if (entry && line[0] != '.') {
			add_text(&entry->text, line);
		}
	}
	if (!whole)
		fprintf(stderr, "%s has more entries than this test holds\n", name);
	whole = whole && text;
	free(text);
	return whole;
}

struct man_page *man_page_new(const char *name)
{
	struct man_page *page = calloc(1, sizeof(*page));
	if (page && !read_page(page, name)) {
		man_page_free(page);
		page = NULL;
	}
	return page;
}

bool is_among(const char *words, const char *word, size_t n)
{
	for (const char *at = words; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strcspn(at, " ") == n && strncmp(at, word, n) == 0)
			return true;
	}
	return false;
}

void man_items(const struct man_page *page, const char *section, const char *part,
	       const char *macro, struct tp_str *out)
{
	for (size_t i = 0; i < page->n; i++) {
		const struct man_entry *e = &page->entries[i];
		if (strcmp(e->section, section) != 0 || strcmp(e->part, part) != 0 ||
		    strcmp(e->macro, macro) != 0)
			continue;
		for (const char *at = e->item; *at; at += strspn(at, ", ")) {
			size_t n = strcspn(at, ", ");
			tp_str_add_n(out, at, n);
			tp_str_add(out, " ");
			at += n;
		}
	}
}

const struct man_entry *man_entry(const struct man_page *page, const char *section,
				  const char *part, const char *item)
{
	for (size_t i = 0; i < page->n; i++)
		if (strcmp(page->entries[i].section, section) == 0 &&
		    strcmp(page->entries[i].part, part) == 0 &&
		    strcmp(page->entries[i].item, item) == 0)
			return &page->entries[i];
	fail_msg("%s %s has no entry %s", section, part, item);
	return NULL;
}

void expect_within(const char *a, const char *b, const char *what, const char *missing)
{
	for (const char *at = a + strspn(a, " "); *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (!is_among(b, at, n))
			fail_msg("%s %.*s: %s", what, (int)n, at, missing);
		at += n;
	}
}

void expect_same_words(const char *written, const char *on_page, const char *what)
{
	expect_within(written, on_page, what, "not on the page");
	expect_within(on_page, written, what, "on the page and never written");
}
