/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof(1) and tprof-results(5) against the program, both ways: command line options, quality flags, columns of points.csv, keys
 * and facts of run.json, and events.
 */
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
#include "base/vec.h"
#include "cli/commands.h"
#include "machine/knobs.h"
#include "record/event.h"
#include "record/run.h"
#include "tests/unit/class_sample.h"
#include "tests/unit/files.h"

enum { ENTRIES_MAX = 512, WORD_MAX = 160, SOURCE_BYTES_MAX = 1 << 20 };

/* One .It of a page. */
struct entry {
	char section[32]; /* "FLAGS" */
	char part[32]; /* subsection, "" if none */
	char macro[8]; /* of the item: Fl, Cm, Va, Pa, ... */
	char item[WORD_MAX]; /* as a reader sees it: "-b, --batch preset" */
	struct tp_str text; /* body without macro lines, joined by one space */
	struct tp_str
		names; /* what .Va lines of the body name, each with a space before and behind */
};

/* Both pages: their sections have different names where it matters. */
struct page {
	struct entry entries[ENTRIES_MAX];
	size_t n;
	struct tp_str synopsis; /* of both, its lines as a reader sees them */
};

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

static bool begin_entry(struct page *page, const char *section, const char *part, const char *line)
{
	if (page->n == ENTRIES_MAX)
		return false;
	struct entry *entry = &page->entries[page->n++];
	struct tp_str item = { 0 };
	tp_copy(entry->section, sizeof(entry->section), section);
	tp_copy(entry->part, sizeof(entry->part), part);
	snprintf(entry->macro, sizeof(entry->macro), "%.*s", (int)strcspn(line, " "), line);
	flatten(line, &item);
	bool fits = tp_copy(entry->item, sizeof(entry->item), tp_str_text(&item));
	tp_str_release(&item);
	return fits;
}

static void drop(struct page *page)
{
	for (size_t i = 0; i < page->n; i++) {
		tp_str_release(&page->entries[i].text);
		tp_str_release(&page->entries[i].names);
	}
	tp_str_release(&page->synopsis);
	free(page);
}

/* A file of the source tree as text on the heap. */
static char *read_source(const char *name)
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

static bool read_page(struct page *page, const char *name)
{
	char section[32] = "", part[32] = "", *text = read_source(name), *rest = NULL;
	struct entry *entry = NULL;
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

static int read_pages(void **state)
{
	struct page *page = calloc(1, sizeof(*page));
	if (!page)
		return 1;
	if (!read_page(page, "man/tprof.1") || !read_page(page, "man/tprof-results.5")) {
		drop(page);
		return 1;
	}
	*state = page;
	return 0;
}

static int drop_page(void **state)
{
	drop(*state);
	return 0;
}

static bool has_word(const char *words, const char *word, size_t n)
{
	for (const char *at = words; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strcspn(at, " ") == n && strncmp(at, word, n) == 0)
			return true;
	}
	return false;
}

/* The names of the items of a section, each with a space behind, in the page's order. */
static void items_of(const struct page *page, const char *section, const char *part,
		     const char *macro, struct tp_str *out)
{
	for (size_t i = 0; i < page->n; i++) {
		const struct entry *e = &page->entries[i];
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

static const struct entry *entry_of(const struct page *page, const char *section, const char *part,
				    const char *item)
{
	for (size_t i = 0; i < page->n; i++)
		if (strcmp(page->entries[i].section, section) == 0 &&
		    strcmp(page->entries[i].part, part) == 0 &&
		    strcmp(page->entries[i].item, item) == 0)
			return &page->entries[i];
	fail_msg("%s %s has no entry %s", section, part, item);
	return NULL;
}

/* Every word of `a` is in `b`; the message says where it is missing. */
static void expect_within(const char *a, const char *b, const char *what, const char *missing)
{
	for (const char *at = a + strspn(a, " "); *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (!has_word(b, at, n))
			fail_msg("%s %.*s: %s", what, (int)n, at, missing);
		at += n;
	}
}

/* --- command line --- */

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
	const struct page *page = *state;
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
		char head[WORD_MAX];
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
	const struct page *page = *state;
	size_t seen = 0;
	for (size_t k = 0; k < page->n; k++) {
		const struct entry *e = &page->entries[k];
		bool known = false;
		if (strcmp(e->section, "COMMANDS") != 0 && strcmp(e->section, "OPTIONS") != 0)
			continue;
		for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
			char head[WORD_MAX];
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
	const struct page *page = *state;
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
		if (!has_word(tp_str_text(&all), at, n))
			fail_msg("the synopsis names %.*s, which is no option", (int)n, at);
	}
	tp_str_release(&all);
}

/* --- flags --- */

static void every_flag_has_one_entry_and_no_other(void **state)
{
	const struct page *page = *state;
	size_t seen = 0;
	for (size_t i = 0; i < page->n; i++)
		seen += strcmp(page->entries[i].section, "FLAGS") == 0;
	assert_int_equal(seen, TP_FLAG_COUNT);
	for (unsigned i = 0; i < TP_FLAG_COUNT; i++) {
		const char *name = tp_flag_name((enum tp_flag)i),
			   *help = tp_flag_help((enum tp_flag)i);
		const struct entry *e = entry_of(page, "FLAGS", "", name);
		const char *text = tp_str_text(&e->text);
		/* A sentence on the page, none in the table. */
		if (tolower((unsigned char)text[0]) != tolower((unsigned char)help[0]) ||
		    strncmp(text + 1, help + 1, strlen(help) - 1) != 0)
			fail_msg("%s: the page says \"%s\", the table \"%s\"", name, text, help);
		if (!strstr(text, " What to do: "))
			fail_msg("%s: the page does not say what to do", name);
	}
}

/* --- results --- */

/* The head of points.csv with spaces for commas, and one behind. */
static void columns(struct tp_str *out)
{
	struct tp_run run = { 0 };
	struct tp_str csv = { 0 };
	assert_int_equal(tp_run_csv(&run, &csv), TP_OK);
	for (const char *p = tp_str_text(&csv); *p; p++)
		tp_str_add_n(out, *p == ',' || *p == '\n' ? " " : p, 1);
	tp_str_release(&csv);
}

static void columns_are_those_of_the_page_in_its_order(void **state)
{
	struct tp_str in_file = { 0 }, on_page = { 0 };
	columns(&in_file);
	items_of(*state, "POINTS.CSV", "", "Va", &on_page);
	expect_within(tp_str_text(&in_file), tp_str_text(&on_page), "column", "not on the page");
	expect_within(tp_str_text(&on_page), tp_str_text(&in_file), "column", "not in points.csv");
	assert_string_equal(tp_str_text(&on_page), tp_str_text(&in_file));
	tp_str_release(&in_file);
	tp_str_release(&on_page);
}

/* Words of a line of JSON that stand before a colon, each with a space behind. */
static void keys_of(const char *line, size_t len, struct tp_str *out)
{
	const char *begin = NULL;
	for (const char *p = line; p < line + len; p++) {
		if (*p != '"')
			continue;
		if (begin && p[1] == ':') {
			tp_str_add_n(out, begin, (size_t)(p - begin));
			tp_str_add(out, " ");
		}
		begin = begin ? NULL : p + 1;
	}
}

/* Both hold the same words, in any order. */
static void expect_same_words(const char *written, const char *on_page, const char *what)
{
	expect_within(written, on_page, what, "not on the page");
	expect_within(on_page, written, what, "on the page and never written");
}

/* One of everything that run.json may hold, with values for what is left out when it says nothing. */
static void write_json(struct tp_str *out)
{
	struct tp_sample sample = { .seconds = 1e-3,
				    .rate = 10,
				    .core_ghz = 3,
				    .flags = TP_FLAG(DISTURBED),
				    .invocation = 1,
				    .stream_gbps = 1 };
	struct tp_diag diag = { .where = "a", .what = "b", .hint = "c" };
	struct tp_point point = { .diag = diag, .samples = &sample, .n_samples = 1 };
	struct tp_roof roof = { 0 };
	struct tp_plateau plateau = { 0 };
	struct tp_dot dot = { 0 };
	struct tp_study_row row = { 0 };
	struct tp_trial trial = { 0 };
	struct tp_run run = { .points = &point,
			      .n_points = 1,
			      .roofs = &roof,
			      .n_roofs = 1,
			      .plateaus = &plateau,
			      .n_plateaus = 1,
			      .dots = &dot,
			      .n_dots = 1,
			      .study = &row,
			      .n_study = 1,
			      .trials = &trial,
			      .n_trials = 1,
			      .diags = { .items = &diag, .n = 1 } };
	assert_int_equal(tp_run_json(&run, out), TP_OK);
}

/* Keys of the points that are no columns, without those inside of diag and of windows, which the text tells. */
static void expect_point_keys(const struct page *page, const char *keys)
{
	struct tp_str told = { 0 };
	columns(&told);
	for (size_t i = 0; i < page->n; i++) {
		const struct entry *e = &page->entries[i];
		if (strcmp(e->section, "RUN.JSON") == 0 && strcmp(e->part, "points") == 0)
			tp_str_printf(&told, " %s %s", e->item, tp_str_text(&e->names));
	}
	expect_same_words(keys, tp_str_text(&told), "points");
	tp_str_release(&told);
}

static void keys_of_run_json_are_those_of_the_page(void **state)
{
	const struct page *page = *state;
	struct tp_str json = { 0 }, top = { 0 }, told = { 0 };
	char list[32] = "";
	size_t lists = 0;
	write_json(&json);
	/* Top keys begin a line, and so does each item of a list. */
	for (const char *line = tp_str_text(&json); *line;) {
		size_t len = strcspn(line, "\n");
		struct tp_str keys = { 0 }, on_page = { 0 };
		if (line[0] == '"') {
			snprintf(list, sizeof(list), "%.*s", (int)strcspn(line + 1, "\""),
				 line + 1);
			tp_str_printf(&top, "%s ", list);
		} else if (line[0] == '{' && len > 1) {
			keys_of(line, len, &keys);
			assert_true(keys.len > 0);
			/* The page tells the keys of trials once, as columns. */
			if (strcmp(list, "trials") == 0)
				items_of(page, "TRIALS.CSV", "", "Va", &on_page);
			else
				items_of(page, "RUN.JSON", list, "Va", &on_page);
			if (strcmp(list, "points") == 0)
				expect_point_keys(page, tp_str_text(&keys));
			else
				expect_same_words(tp_str_text(&keys), tp_str_text(&on_page), list);
			lists++;
		}
		tp_str_release(&keys);
		tp_str_release(&on_page);
		line += len + (line[len] == '\n');
	}
	assert_int_equal(lists, 7);
	items_of(page, "RUN.JSON", "Top level", "Va", &told);
	expect_within(tp_str_text(&top), tp_str_text(&told), "run.json", "not on the page");
	tp_str_release(&json);
	tp_str_release(&top);
	tp_str_release(&told);
}

/* A family's keys are indented by two blanks; the items of its lists and the members of its objects belong to sections of their own. */
static void keys_of_families_are_those_of_the_page(void **state)
{
	static const char *const parts[] = { "limits", "rows", "dropped", "events", "metrics" };
	struct class_sample sample;
	struct tp_class class;
	struct tp_str json = { 0 }, on_page = { 0 }, keys = { 0 }, own = { 0 };
	char list[32] = "", part[48];
	unsigned seen = 0;
	make_class_sample(&sample, &class);
	assert_int_equal(tp_classes_json(&class, 1, &json), TP_OK);
	for (const char *line = tp_str_text(&json); *line;) {
		size_t len = strcspn(line, "\n");
		if (strncmp(line, "  \"", 3) == 0) {
			snprintf(list, sizeof(list), "%.*s", (int)strcspn(line + 3, "\""),
				 line + 3);
			tp_str_printf(&own, "%s ", list);
		}
		for (size_t i = 0; i < TP_COUNT_OF(parts); i++) {
			const char *item = strncmp(line, "   {", 4) == 0 ? line
					   : i == 0 && strncmp(line, "  \"limits\": ", 12) == 0
						   ? line + 12
						   : NULL;
			if (!item || strcmp(list, parts[i]) != 0)
				continue;
			tp_str_clear(&keys);
			tp_str_clear(&on_page);
			keys_of(item, len - (size_t)(item - line), &keys);
			snprintf(part, sizeof(part), "families.%s", parts[i]);
			items_of(*state, "RUN.JSON", part, "Va", &on_page);
			if (i == 4) /* what a term holds stands in the text */
				tp_str_add(&on_page, "event coefficient rounded ");
			if (i == 4 && strstr(line, "\"terms\": []"))
				expect_within(tp_str_text(&keys), tp_str_text(&on_page), part, "");
			else
				expect_same_words(tp_str_text(&keys), tp_str_text(&on_page), part);
			seen |= 1u << i;
		}
		line += len + (line[len] == '\n');
	}
	assert_int_equal(seen, 31);
	tp_str_clear(&on_page);
	items_of(*state, "RUN.JSON", "families", "Va", &on_page);
	expect_same_words(tp_str_text(&own), tp_str_text(&on_page), "families");
	tp_str_release(&json);
	tp_str_release(&on_page);
	tp_str_release(&keys);
	tp_str_release(&own);
}

/* The first line of a table against the items of its section, in the same order. */
static void expect_head(const struct page *page, const char *section, const struct tp_str *table)
{
	struct tp_str on_page = { 0 }, head = { 0 };
	items_of(page, section, "", "Va", &on_page);
	for (const char *at = tp_str_text(table); *at && *at != '\n'; at++)
		tp_str_add_n(&head, *at == ',' ? " " : at, 1);
	tp_str_add(&head, " ");
	assert_string_equal(tp_str_text(&head), tp_str_text(&on_page));
	tp_str_release(&on_page);
	tp_str_release(&head);
}

static void other_tables_are_those_of_the_page(void **state)
{
	struct tp_readings readings = { 0 };
	struct tp_str text = { 0 };
	assert_int_equal(tp_readings_csv(&readings, &text), TP_OK);
	expect_head(*state, "READINGS.CSV", &text);
	tp_str_clear(&text);
	assert_int_equal(tp_trials_csv(&(struct tp_run){ 0 }, &text), TP_OK);
	expect_head(*state, "TRIALS.CSV", &text);
	tp_str_clear(&text);
	assert_int_equal(tp_classes_csv(NULL, 0, &text), TP_OK);
	expect_head(*state, "CLASSES.CSV", &text);
	tp_str_release(&text);
}

/* The string literals that follow `before` in a source file, each with a space behind. */
static void literals_after(const char *file, const char *before, struct tp_str *out)
{
	char *text = read_source(file);
	assert_non_null(text);
	for (const char *at = strstr(text, before); at; at = strstr(at, before)) {
		at += strlen(before);
		tp_str_add_n(out, at, strcspn(at, "\""));
		tp_str_add(out, " ");
	}
	free(text);
}

/* Facts are written by name wherever the program learns them, many of them on some machines only: the sources tell all. */
static void facts_of_the_sources_are_those_of_the_page(void **state)
{
	static const char machine[] = "machine.";
	static const char own[] =
		"format version state wall_seconds points_done points_planned machine knobs "
		"families roofs plateaus dots study diags points trials ";
	struct tp_str all = { 0 }, top = { 0 }, of_machine = { 0 }, of_cache = { 0 };
	struct tp_str on_page = { 0 };
	literals_after("src/cli/facts.c", "run, \"", &all);
	literals_after("src/cli/batch.c", "run, \"", &all);
	literals_after("src/cli/facts.c", "\t{ \"", &of_cache);
	for (const char *at = tp_str_text(&all); *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " "), skip = sizeof(machine) - 1;
		bool inside = strncmp(at, machine, skip) == 0;
		tp_str_add_n(inside ? &of_machine : &top, inside ? at + skip : at,
			     inside ? n - skip : n);
		tp_str_add(inside ? &of_machine : &top, " ");
		at += n;
	}
	tp_str_add(&top, own);
	items_of(*state, "RUN.JSON", "Top level", "Va", &on_page);
	expect_same_words(tp_str_text(&top), tp_str_text(&on_page), "fact");
	tp_str_clear(&on_page);
	items_of(*state, "RUN.JSON", "machine", "Va", &on_page);
	expect_same_words(tp_str_text(&of_machine), tp_str_text(&on_page), "fact of the machine");
	tp_str_clear(&on_page);
	items_of(*state, "RUN.JSON", "machine.cache", "Va", &on_page);
	expect_same_words(tp_str_text(&of_cache), tp_str_text(&on_page), "fact of a cache");
	tp_str_release(&all);
	tp_str_release(&top);
	tp_str_release(&of_machine);
	tp_str_release(&of_cache);
	tp_str_release(&on_page);
}

/* Their facts are made from the table: knobs.<name>.before and so on. */
static void facts_of_knobs_are_those_of_the_page(void **state)
{
	static const char *const names[] = {
#define KNOB_NAME(id, name, ...) name,
		TP_KNOB_LIST(KNOB_NAME)
#undef KNOB_NAME
	};
	struct tp_str on_page = { 0 };
	char *page = read_source("man/tprof-results.5");
	assert_non_null(page);
	char *part = strstr(page, ".Ss knobs\n"), *end = part ? strstr(part, ".Bl ") : NULL;
	assert_non_null(end);
	*end = '\0';
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (!strstr(part, names[i]))
			fail_msg("knob %s is not on the page", names[i]);
	items_of(*state, "RUN.JSON", "knobs", "Va", &on_page);
	expect_same_words("before wanted got", tp_str_text(&on_page), "fact of a knob");
	tp_str_release(&on_page);
	free(page);
}

/* Keys of an event against the names in its entry. Columns and `common` need not be named; whatever is named must be a key. */
static void expect_event_keys(const struct entry *e, const char *line, size_t len,
			      const char *common)
{
	struct tp_str keys = { 0 }, enough = { 0 };
	keys_of(line, len, &keys);
	assert_true(keys.len > 0);
	columns(&enough);
	tp_str_printf(&enough, "%s %s", common, tp_str_text(&e->names));
	expect_within(tp_str_text(&keys), tp_str_text(&enough), e->item, "not on the page");
	tp_str_add(&keys, common);
	expect_within(tp_str_text(&e->names), tp_str_text(&keys), e->item,
		      "on the page and never written");
	tp_str_release(&keys);
	tp_str_release(&enough);
}

static void events_are_those_of_the_page(void **state)
{
	static const char *const names[] = {
#define EVENT_NAME(id, name) name,
		TP_EVENT_LIST(EVENT_NAME)
#undef EVENT_NAME
	};
	const struct page *page = *state;
	struct tp_str on_page = { 0 }, all = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct tp_event event = { .kind = (enum tp_event_kind)i,
					  .point.diag = { "a", "b", "c" } };
		struct tp_str line = { 0 };
		const struct entry *e = entry_of(page, "EVENTS", "", names[i]);
		assert_int_equal(tp_event_write(&event, &line), TP_OK);
		/* "windows" of run.json is what a sample event refers to. */
		expect_event_keys(e, tp_str_text(&line), line.len,
				  i == TP_EVENT_SAMPLE ? "v ev t windows" : "v ev t");
		tp_str_printf(&all, "%s ", names[i]);
		tp_str_release(&line);
	}
	items_of(page, "EVENTS", "", "Cm", &on_page);
	expect_within(tp_str_text(&on_page), tp_str_text(&all), "event", "not written");
	tp_str_release(&on_page);
	tp_str_release(&all);
}

static void files_of_a_run_are_named(void **state)
{
	static const char *const names[] = { "preset.yaml",  "journal.ndjson", "run.json",
					     "points.csv",   "plots.svg",      "readings.csv",
					     "metrics.papi", "trials.csv" };
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		assert_non_null(entry_of(*state, "FILES", "", names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_line_option_has_one_entry),
		cmocka_unit_test(every_entry_is_a_command_line_option),
		cmocka_unit_test(synopsis_names_every_option_and_no_other),
		cmocka_unit_test(every_flag_has_one_entry_and_no_other),
		cmocka_unit_test(columns_are_those_of_the_page_in_its_order),
		cmocka_unit_test(keys_of_run_json_are_those_of_the_page),
		cmocka_unit_test(keys_of_families_are_those_of_the_page),
		cmocka_unit_test(other_tables_are_those_of_the_page),
		cmocka_unit_test(facts_of_the_sources_are_those_of_the_page),
		cmocka_unit_test(facts_of_knobs_are_those_of_the_page),
		cmocka_unit_test(events_are_those_of_the_page),
		cmocka_unit_test(files_of_a_run_are_named),
	};
	return cmocka_run_group_tests(tests, read_pages, drop_page);
}
