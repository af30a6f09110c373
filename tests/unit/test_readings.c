/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings: the store that grows by events, rows and repetitions, and its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/counters/readings.h"
#include "experiments/experiment.h"

#define HEAD "family,event,row,repetition,count,iterations\n"

static void add(struct tp_readings *readings, const char *family, const char *event, size_t row,
		size_t repetition, double count, double iterations)
{
	struct tp_reading r = { family, event, row, repetition, count, iterations };
	struct tp_diag diag;

	if (tp_readings_add(readings, &r, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
}

static double value(const struct tp_readings *readings, const char *family, const char *event,
		    size_t repetition, size_t row)
{
	const struct tp_reading_family *f = tp_readings_family(readings, family);
	const struct tp_reading_event *e;

	assert_non_null(f);
	e = tp_reading_event_find(f, event);
	assert_non_null(e);
	return tp_reading_value(f, e, repetition, row);
}

static void same(double found, double expected)
{
	if (memcmp(&found, &expected, sizeof(found)) != 0 && !(isnan(found) && isnan(expected)))
		fail_msg("%.17g where %.17g is expected", found, expected);
}

static void readings_come_back(void **state)
{
	struct tp_readings readings = { 0 };

	(void)state;
	add(&readings, "flops", "A", 2, 0, 24, 2);
	add(&readings, "flops", "B", 0, 1, 7, 1);
	add(&readings, "branch", "A", 0, 0, 5, 10);
	assert_int_equal(readings.n, 2);
	assert_int_equal(tp_readings_family(&readings, "flops")->n_rows, 3);
	assert_int_equal(tp_readings_family(&readings, "flops")->n_repetitions, 2);
	assert_null(tp_readings_family(&readings, "icache"));
	assert_null(tp_reading_event_find(tp_readings_family(&readings, "branch"), "B"));
	same(value(&readings, "flops", "A", 0, 2), 12);
	same(value(&readings, "flops", "A", 0, 0), NAN); /* not measured */
	same(value(&readings, "flops", "A", 1, 2), NAN);
	same(value(&readings, "flops", "A", 9, 2), NAN); /* beyond what anybody measured */
	same(value(&readings, "flops", "B", 1, 0), 7);
	same(value(&readings, "branch", "A", 0, 0), 0.5);
	add(&readings, "flops", "A", 2, 0, 48, 2); /* measured again */
	same(value(&readings, "flops", "A", 0, 2), 24);
	tp_readings_release(&readings);
	assert_int_equal(readings.n, 0);
	assert_null(readings.families);
}

/*
 * The order of a run: row by row, in each all events, in each all repetitions; and the order of a
 * table, event by event.
 */
static void both_orders_grow_to_the_same(void **state)
{
	enum { EVENTS = 300, ROWS = 61, REPETITIONS = 7 };
	struct tp_readings by_row = { 0 }, by_event = { 0 };
	char name[32];

	(void)state;
	for (size_t row = 0; row < ROWS; row++)
		for (size_t e = 0; e < EVENTS; e++)
			for (size_t k = 0; k < REPETITIONS; k++) {
				snprintf(name, sizeof(name), "event%zu", e);
				add(&by_row, "f", name, row, k,
				    (double)(e * 1000000 + row * 100 + k), 1);
			}
	for (size_t e = EVENTS; e-- > 0;)
		for (size_t k = REPETITIONS; k-- > 0;)
			for (size_t row = ROWS; row-- > 0;) {
				snprintf(name, sizeof(name), "event%zu", e);
				add(&by_event, "f", name, row, k,
				    (double)(e * 1000000 + row * 100 + k), 1);
			}
	assert_int_equal(by_row.families[0].n_events, EVENTS);
	assert_true(by_row.families[0].cap_rows <= ROWS * 5 / 4 + 8);
	assert_string_equal(by_row.families[0].events[7].name, "event7");
	for (size_t e = 0; e < EVENTS; e++)
		for (size_t k = 0; k < REPETITIONS; k++)
			for (size_t row = 0; row < ROWS; row++) {
				double expected = (double)(e * 1000000 + row * 100 + k);

				snprintf(name, sizeof(name), "event%zu", e);
				same(value(&by_row, "f", name, k, row), expected);
				same(value(&by_event, "f", name, k, row), expected);
			}
	tp_readings_release(&by_row);
	tp_readings_release(&by_event);
}

/*
 * One event counted over other iterations keeps its own; the shared ones stay what the others have.
 */
static void iterations_may_differ(void **state)
{
	struct tp_readings readings = { 0 };

	(void)state;
	add(&readings, "f", "A", 0, 0, 100, 10);
	add(&readings, "f", "B", 0, 0, 100, 20);
	add(&readings, "f", "B", 30, 2, 100, 50); /* grows B with iterations of its own */
	add(&readings, "f", "A", 30, 2, 100, 50);
	same(value(&readings, "f", "A", 0, 0), 10);
	same(value(&readings, "f", "B", 0, 0), 5);
	same(value(&readings, "f", "B", 2, 30), 2);
	same(value(&readings, "f", "A", 2, 30), 2);
	assert_null(readings.families[0].events[0].iterations);
	add(&readings, "f", "B", 0, 0, 100, 10); /* measured again like the others */
	same(value(&readings, "f", "B", 0, 0), 10);
	tp_readings_release(&readings);
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct tp_reading bad[] = {
		{ "", "A", 0, 0, 1, 1 },
		{ "f", "", 0, 0, 1, 1 },
		{ "a-family-name-of-thirty-two-bytes", "A", 0, 0, 1, 1 },
		{ "f", "A", TP_READINGS_MAX_ROWS, 0, 1, 1 },
		{ "f", "A", 0, TP_READINGS_MAX_REPETITIONS, 1, 1 },
		{ "f", "A", 0, 0, 1, 0 },
		{ "f", "A", 0, 0, 1, -1 },
		{ "f", "A", 0, 0, 1, NAN },
		{ "f", "A", 0, 0, 1, INFINITY },
	};
	struct tp_readings readings = { 0 };
	char name[TP_EVENT_NAME_MAX + 1];
	struct tp_reading r = { "f", name, 0, 0, 1, 1 };
	struct tp_diag diag;

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		diag.what[0] = '\0';
		assert_int_equal(tp_readings_add(&readings, &bad[i], &diag), TP_USAGE);
		assert_true(diag.what[0]);
	}
	memset(name, 'x', TP_EVENT_NAME_MAX);
	name[TP_EVENT_NAME_MAX] = '\0';
	assert_int_equal(tp_readings_add(&readings, &r, &diag), TP_USAGE);
	name[TP_EVENT_NAME_MAX - 1] = '\0';
	assert_int_equal(tp_readings_add(&readings, &r, &diag), TP_OK);
	tp_readings_release(&readings);
}

/* The limit counts the cells of all families; what was there stays. */
static void there_is_a_limit_on_cells(void **state)
{
	struct tp_readings readings = { 0 };
	char family[32];
	struct tp_reading r = { family, "A", TP_READINGS_MAX_ROWS - 1, 0, 1, 1 };
	struct tp_diag diag;
	size_t n = 0;

	(void)state;
	for (enum tp_status status = TP_OK; status == TP_OK; n += status == TP_OK) {
		snprintf(family, sizeof(family), "f%zu", n);
		status = tp_readings_add(&readings, &r, &diag);
		assert_true(status == TP_OK || status == TP_USAGE);
	}
	assert_int_equal(n, TP_READINGS_MAX_CELLS / TP_READINGS_MAX_ROWS - 1);
	assert_non_null(strstr(diag.what, "cells"));
	for (size_t i = 0; i < n; i++) {
		snprintf(family, sizeof(family), "f%zu", i);
		same(value(&readings, family, "A", 0, TP_READINGS_MAX_ROWS - 1), 1);
	}
	/* A second event, other iterations, one more repetition. */
	const struct tp_reading more[] = { { "f0", "B", 0, 0, 1, 1 }, { "f0", "A", 1, 1, 1, 1 } };
	for (size_t i = 0; i < TP_COUNT_OF(more); i++)
		assert_int_equal(tp_readings_add(&readings, &more[i], &diag), TP_USAGE);
	assert_int_equal(readings.families[0].n_events, 1);
	tp_readings_release(&readings);
}

/* --- text --- */

static void write_csv(const struct tp_readings *readings, struct tp_str *out)
{
	assert_int_equal(tp_readings_csv(readings, SIZE_MAX, out), TP_OK);
}

static void read_csv(struct tp_readings *readings, const char *text, size_t len)
{
	struct tp_diags diags = { 0 };

	if (tp_readings_parse(readings, "r.csv", text, len, &diags))
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_int_equal(diags.n, 0);
}

static void text_is_what_the_manual_says(void **state)
{
	struct tp_readings readings = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	add(&readings, "flops", "perf::FP:a=1,b=2", 1, 0, 9007199254740993.0, 1000);
	add(&readings, "flops", "say \"x\"", 0, 1, 0.1, 1);
	add(&readings, "flops", "N", 0, 0, NAN, 1); /* could not be counted */
	add(&readings, "branch", "#1", 0, 0, 1e18, 0.5);
	write_csv(&readings, &text);
	assert_string_equal(tp_str_text(&text),
			    HEAD "flops,\"perf::FP:a=1,b=2\",1,0,9007199254740992,1000\n"
				 "flops,\"say \"\"x\"\"\",0,1,0.1,1\n"
				 "branch,\"#1\",0,0,1000000000000000000,0.5\n");
	tp_str_release(&text);
	tp_readings_release(&readings);
}

static void every_number_survives(void **state)
{
	static const double numbers[] = { 0,	  1,
					  0.1,	  1.0 / 3,
					  1e-300, 123456789.125,
					  0x1p53, 0x1p53 + 2,
					  0x1p62, 0x1p63,
					  2.5e17, 4503599627370495.5,
					  1e15,	  999999999999999,
					  5e-10 };
	struct tp_readings readings = { 0 }, again = { 0 };
	struct tp_str text = { 0 }, second = { 0 };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++)
		add(&readings, "f", "A", i, i % 3, numbers[i], numbers[i] > 0 ? numbers[i] : 1);
	write_csv(&readings, &text);
	read_csv(&again, text.s, text.len);
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++)
		same(again.families[0].events[0].counts[i % 3 * again.families[0].cap_rows + i],
		     numbers[i]);
	write_csv(&again, &second);
	assert_string_equal(tp_str_text(&text), tp_str_text(&second));
	tp_str_release(&text);
	tp_str_release(&second);
	tp_readings_release(&readings);
	tp_readings_release(&again);
}

static void foreign_line_ends_blanks_and_remarks(void **state)
{
	static const char text[] = "# taken elsewhere\r\n\r\n"
				   "family, event, row, repetition, count, iterations\r\n"
				   "# the first\r\n"
				   "flops, A:B , 0, 0, 48, 2\r\n"
				   "  \t\r\n"
				   "\"flops\",\"A,\"\"B\"\"\" ,1,0,1.5e3,1\n"
				   "flops,\" A\",1,0,3,1"; /* no line end */
	struct tp_readings readings = { 0 };

	(void)state;
	read_csv(&readings, text, sizeof(text) - 1);
	assert_int_equal(readings.families[0].n_events, 3);
	same(value(&readings, "flops", "A:B", 0, 0), 24);
	same(value(&readings, "flops", "A,\"B\"", 0, 1), 1500);
	same(value(&readings, "flops", " A", 0, 1), 3);
	tp_readings_release(&readings);
}

static void each_bad_line_is_named(void **state)
{
	static const struct {
		const char *line, *what;
	} rows[] = {
		{ "f,A,0,0,1", "5 cells" },
		{ "f,A,0,0,1,1,1", "7 cells" },
		{ "f,A,0,0,1,1,", "7 cells" },
		{ "f", "1 cell" },
		{ ",A,0,0,1,1", "family: no name" },
		{ "f,,0,0,1,1", "event: no name" },
		{ "f,\"\",0,0,1,1", "event: no name" },
		{ "f,\"A,0,0,1,1", "a quote is not closed" },
		{ "f,\"A\"B,0,0,1,1", "text after a closing quote" },
		{ "f,A\tB,0,0,1,1", "holds a control character" },
		{ "f,\303\244\377,0,0,1,1", "is not UTF-8 text" },
		{ "f,A,-1,0,1,1", "row: \"-1\"" },
		{ "f,A,1.0,0,1,1", "row: \"1.0\"" },
		{ "f,A,65536,0,1,1", "row: \"65536\"" },
		{ "f,A,,0,1,1", "row: \"\"" },
		{ "f,A,0,1000,1,1", "repetition: \"1000\"" },
		{ "f,A,0,x,1,1", "repetition: \"x\"" },
		{ "f,A,0,0,-1,1", "count: \"-1\"" },
		{ "f,A,0,0,nan,1", "count: \"nan\"" },
		{ "f,A,0,0,inf,1", "count: \"inf\"" },
		{ "f,A,0,0,0x10,1", "count: \"0x10\"" },
		{ "f,A,0,0,,1", "count: \"\"" },
		{ "f,A,0,0,1 2,1", "count: \"1 2\"" },
		{ "f,A,0,0,9.3e18,1", "count: \"9.3e18\"" },
		{ "f,A,0,0,18446744073709551616,1", "count: \"18446744073709551616\"" },
		{ "f,A,0,0,1,0", "iterations: \"0\"" },
		{ "f,A,0,0,1,-5", "iterations: \"-5\"" },
		{ "f,A,0,0,1,nan", "iterations: \"nan\"" },
		{ "f,good,0,0,1,1", "a second time" },
		{ "f,good,60000,999,1,1", "far beyond" },
	};
	struct tp_str text = { 0 };
	struct tp_readings readings = { 0 };
	struct tp_diags diags = { 0 };
	char where[32];

	(void)state;
	tp_str_add(&text, HEAD "f,good,0,0,1,1\n");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		tp_str_printf(&text, "%s\n", rows[i].line);
	tp_str_add(&text, "f,also,0,0,2,1\n");
	assert_int_equal(tp_readings_parse(&readings, "r.csv", text.s, text.len, &diags), TP_USAGE);
	assert_int_equal(diags.n, TP_COUNT_OF(rows));
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		snprintf(where, sizeof(where), "r.csv:%zu", i + 3);
		assert_string_equal(diags.items[i].where, where);
		if (!strstr(diags.items[i].what, rows[i].what))
			fail_msg("%s: %s", rows[i].line, diags.items[i].what);
	}
	/* what was right is there */
	same(value(&readings, "f", "good", 0, 0), 1);
	same(value(&readings, "f", "also", 0, 0), 2);
	assert_int_equal(readings.families[0].n_events, 2);
	tp_str_release(&text);
	tp_diags_release(&diags);
	tp_readings_release(&readings);
}

static void another_file_is_no_table(void **state)
{
	static const char *const texts[] = { "",
					     "\n\n",
					     "# nothing\n",
					     HEAD,
					     "flops,A,0,0,1,1\n",
					     "family,event,row,repetition,count\n",
					     "family,event,row,repetition,count,iterations,x\n",
					     "run,point,experiment\n0,0,memcurve\n",
					     "{\"v\":1}\n",
					     "\"family\n" };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++) {
		struct tp_readings readings = { 0 };
		struct tp_diags diags = { 0 };

		assert_int_equal(
			tp_readings_parse(&readings, "r.csv", texts[i], strlen(texts[i]), &diags),
			TP_USAGE);
		if (diags.n != 1)
			fail_msg("%s: %zu diagnoses", texts[i], diags.n);
		assert_true(diags.items[0].where[0] && diags.items[0].hint[0]);
		assert_int_equal(readings.n, 0);
		tp_diags_release(&diags);
		tp_readings_release(&readings);
	}
}

static void many_errors_are_counted(void **state)
{
	struct tp_readings readings = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	tp_str_add(&text, HEAD);
	for (int i = 0; i < 73; i++)
		tp_str_add(&text, "f,A,x,0,1,1\n");
	assert_int_equal(tp_readings_parse(&readings, "r.csv", text.s, text.len, &diags), TP_USAGE);
	assert_int_equal(diags.n, 51);
	assert_string_equal(diags.items[50].what, "and 23 more");
	tp_str_release(&text);
	tp_diags_release(&diags);
	tp_readings_release(&readings);
}

/* Families are found by a table of names, and there is an end to how many there may be. */
static void text_ends_where_it_is_too_long(void **state)
{
	struct tp_readings readings = { 0 }, back = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	for (size_t row = 0; row < 100; row++)
		add(&readings, "f", "A", row, 0, 1000, 10);
	assert_int_equal(tp_readings_csv(&readings, 500, &text), TP_RESOURCE);
	assert_true(text.len <= 500);
	assert_non_null(strstr(text.s, "\n# The others are left out"));
	read_csv(&back, text.s, text.len);
	assert_in_range(back.families[0].n_rows, 10, 99);
	tp_readings_release(&back);
	tp_str_clear(&text);
	assert_int_equal(tp_readings_csv(&readings, 5000, &text), TP_OK);
	assert_null(strchr(text.s, '#'));
	tp_str_release(&text);
	tp_readings_release(&readings);
}

static void there_is_a_limit_on_families(void **state)
{
	struct tp_readings readings = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_str text = { 0 };
	char name[32];

	(void)state;
	tp_str_add(&text, HEAD);
	for (int i = 0; i < 200000; i++)
		tp_str_printf(&text, "f%d,A,0,0,1,1\n", i);
	assert_int_equal(tp_readings_parse(&readings, "r.csv", text.s, text.len, &diags), TP_USAGE);
	assert_int_equal(readings.n, TP_READINGS_MAX_FAMILIES);
	for (int i = 0; i < TP_READINGS_MAX_FAMILIES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_ptr_equal(tp_readings_family(&readings, name), &readings.families[i]);
	}
	assert_null(tp_readings_family(&readings, "f4096"));
	assert_non_null(strstr(diags.items[0].what, "more than 4096 families"));
	assert_string_equal(diags.items[50].what, "and 195854 more");
	tp_str_release(&text);
	tp_diags_release(&diags);
	tp_readings_release(&readings);
}

static void readings_of_spreadsheets(void **state)
{
	(void)state;
	static const char text[] = "family;event;row;repetition;count;iterations\r\n"
				   "f;\"a,b\";0;0;12,5;2\r\nf;\"a,b\";1;0;7,25;1\r\n";
	static const char bad[] = "family;event;row;repetition;count;iterations\n"
				  "f;a;0;0;1,5;2\nf;a;1;0;2,5\n";
	struct tp_readings readings = { 0 };
	struct tp_diags diags = { 0 };
	assert_int_equal(tp_readings_parse(&readings, "r.csv", text, sizeof(text) - 1, &diags),
			 TP_OK);
	const struct tp_reading_family *family = tp_readings_family(&readings, "f");
	const struct tp_reading_event *event = tp_reading_event_find(family, "a,b");
	assert_true(tp_reading_value(family, event, 0, 0) == 6.25);
	assert_true(tp_reading_value(family, event, 0, 1) == 7.25);
	tp_readings_release(&readings);
	assert_int_equal(tp_readings_parse(&readings, "r.csv", bad, sizeof(bad) - 1, &diags),
			 TP_USAGE);
	assert_string_equal(diags.items[0].where, "r.csv:3");
	tp_diags_release(&diags);
	tp_readings_release(&readings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_come_back),
		cmocka_unit_test(both_orders_grow_to_the_same),
		cmocka_unit_test(iterations_may_differ),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(there_is_a_limit_on_cells),
		cmocka_unit_test(text_ends_where_it_is_too_long),
		cmocka_unit_test(text_is_what_the_manual_says),
		cmocka_unit_test(every_number_survives),
		cmocka_unit_test(foreign_line_ends_blanks_and_remarks),
		cmocka_unit_test(each_bad_line_is_named),
		cmocka_unit_test(another_file_is_no_table),
		cmocka_unit_test(many_errors_are_counted),
		cmocka_unit_test(there_is_a_limit_on_families),
		cmocka_unit_test(readings_of_spreadsheets),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
