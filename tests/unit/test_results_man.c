/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof-results(5) against the program, both ways: quality flags, columns of points.csv, keys and facts of run.json, and events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "machine/knobs.h"
#include "record/event.h"
#include "record/run.h"
#include "tests/unit/class_sample.h"
#include "tests/unit/man_page.h"

static int read_page(void **state)
{
	*state = man_page_new("man/tprof-results.5");
	return *state ? 0 : 1;
}

static int free_page(void **state)
{
	man_page_free(*state);
	return 0;
}

/* --- flags --- */

static void every_flag_has_one_entry_and_no_other(void **state)
{
	const struct man_page *page = *state;
	size_t seen = 0;
	for (size_t i = 0; i < page->n; i++)
		seen += strcmp(page->entries[i].section, "FLAGS") == 0;
	assert_int_equal(seen, TP_FLAG_COUNT);
	for (unsigned i = 0; i < TP_FLAG_COUNT; i++) {
		const char *name = tp_flag_name((enum tp_flag)i),
			   *help = tp_flag_help((enum tp_flag)i);
		const struct man_entry *e = man_entry(page, "FLAGS", "", name);
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
	man_items(*state, "POINTS.CSV", "", "Va", &on_page);
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
static void expect_point_keys(const struct man_page *page, const char *keys)
{
	struct tp_str told = { 0 };
	columns(&told);
	for (size_t i = 0; i < page->n; i++) {
		const struct man_entry *e = &page->entries[i];
		if (strcmp(e->section, "RUN.JSON") == 0 && strcmp(e->part, "points") == 0)
			tp_str_printf(&told, " %s %s", e->item, tp_str_text(&e->names));
	}
	expect_same_words(keys, tp_str_text(&told), "points");
	tp_str_release(&told);
}

static void keys_of_run_json_are_those_of_the_page(void **state)
{
	const struct man_page *page = *state;
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
				man_items(page, "TRIALS.CSV", "", "Va", &on_page);
			else
				man_items(page, "RUN.JSON", list, "Va", &on_page);
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
	man_items(page, "RUN.JSON", "Top level", "Va", &told);
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
			man_items(*state, "RUN.JSON", part, "Va", &on_page);
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
	man_items(*state, "RUN.JSON", "families", "Va", &on_page);
	expect_same_words(tp_str_text(&own), tp_str_text(&on_page), "families");
	tp_str_release(&json);
	tp_str_release(&on_page);
	tp_str_release(&keys);
	tp_str_release(&own);
}

/* The first line of a table against the items of its section, in the same order. */
static void expect_head(const struct man_page *page, const char *section,
			const struct tp_str *table)
{
	struct tp_str on_page = { 0 }, head = { 0 };
	man_items(page, section, "", "Va", &on_page);
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
	man_items(*state, "RUN.JSON", "Top level", "Va", &on_page);
	expect_same_words(tp_str_text(&top), tp_str_text(&on_page), "fact");
	tp_str_clear(&on_page);
	man_items(*state, "RUN.JSON", "machine", "Va", &on_page);
	expect_same_words(tp_str_text(&of_machine), tp_str_text(&on_page), "fact of the machine");
	tp_str_clear(&on_page);
	man_items(*state, "RUN.JSON", "machine.cache", "Va", &on_page);
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
	man_items(*state, "RUN.JSON", "knobs", "Va", &on_page);
	expect_same_words("before wanted got", tp_str_text(&on_page), "fact of a knob");
	tp_str_release(&on_page);
	free(page);
}

/* Keys of an event against the names in its entry. Columns and `common` need not be named; whatever is named must be a key. */
static void expect_event_keys(const struct man_entry *e, const char *line, size_t len,
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
	const struct man_page *page = *state;
	struct tp_str on_page = { 0 }, all = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct tp_event event = { .kind = (enum tp_event_kind)i,
					  .point.diag = { "a", "b", "c" } };
		struct tp_str line = { 0 };
		const struct man_entry *e = man_entry(page, "EVENTS", "", names[i]);
		assert_int_equal(tp_event_write(&event, &line), TP_OK);
		/* "windows" of run.json is what a sample event refers to. */
		expect_event_keys(e, tp_str_text(&line), line.len,
				  i == TP_EVENT_SAMPLE ? "v ev t windows" : "v ev t");
		tp_str_printf(&all, "%s ", names[i]);
		tp_str_release(&line);
	}
	man_items(page, "EVENTS", "", "Cm", &on_page);
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
		assert_non_null(man_entry(*state, "FILES", "", names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	return cmocka_run_group_tests(tests, read_page, free_page);
}
