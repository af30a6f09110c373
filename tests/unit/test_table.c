/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables: words, rows, and rows as JSON and CSV, both ways. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "table/csv.h"
#include "table/json.h"
#include "tests/unit/near.h"

enum colour { RED, GREEN };

struct fruit {
	char name[8];
	unsigned seeds;
	uint64_t atoms;
	double grams;
	bool ripe;
	unsigned colour; /* enum colour */
	uint32_t tastes;
};

/* Begins with a fruit; its "name" is another member. */
struct crate {
	struct fruit fruit;
	char label[8];
	double kilograms;
};

static const char *const colour_names[] = { [RED] = "red", [GREEN] = "green" };
static const char *const taste_names[] = { "sweet", "sour", "bitter" };
static const struct tp_word_set colours = { colour_names, TP_COUNT_OF(colour_names) };
static const struct tp_word_set tastes = { taste_names, TP_COUNT_OF(taste_names) };

static bool is_ripe(const void *row)
{
	return ((const struct fruit *)row)->ripe;
}

static bool is_unripe(const void *row)
{
	return !is_ripe(row);
}

static double per_seed(const void *row)
{
	const struct fruit *f = row;

	return f->grams / f->seeds;
}

static void phrase(const void *row, char *out, size_t size)
{
	const struct fruit *f = row;

	snprintf(out, size, "a %s, %u", f->name, f->seeds);
}

static void blank_crate(void *row)
{
	((struct crate *)row)->kilograms = NAN;
}

enum { BOTH = TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define F(member, name, type, rule, where, ...) \
	TP_COLUMN(struct fruit, member, name, type, rule, TP_ROLE_NOTE, where, __VA_ARGS__)
static const struct tp_column fruit_columns[] = {
	F(name,   "name",   TEXT,     ALWAYS,  BOTH),
	F(seeds,  "seeds",  UNSIGNED, NONZERO, BOTH),
	F(atoms,  "atoms",  U64,      ALWAYS,  BOTH),
	F(grams,  "fresh",  REAL,     ALWAYS,  BOTH, .applies = is_unripe),
	F(grams,  "sold",   REAL,     ALWAYS,  BOTH, .applies = is_ripe),
	F(ripe,   "ripe",   BOOL,     ALWAYS,  BOTH),
	F(colour, "colour", WORD,     ALWAYS,  BOTH, .words = &colours),
	F(tastes, "tastes", FLAGS,    ALWAYS,  TP_IN_JSON, .words = &tastes),
	{ .name = "grams_per_seed", .type = TP_COLUMN_DERIVED, .where = BOTH, .derive = per_seed },
	{ .name = "phrase", .type = TP_COLUMN_PHRASE, .where = TP_IN_CSV, .phrase = phrase },
};
static const struct tp_column crate_columns[] = {
	TP_COLUMN(struct crate, label, "name", TEXT, ALWAYS, TP_ROLE_NOTE, BOTH, ),
	TP_COLUMN(struct crate, kilograms, "kilograms", REAL, ALWAYS, TP_ROLE_METRIC, BOTH, ),
};
/* clang-format on */
static const struct tp_table fruit_table = { .name = "fruits",
					     .columns = fruit_columns,
					     .n = TP_COUNT_OF(fruit_columns),
					     .row_bytes = sizeof(struct fruit) };
static const struct tp_table crate_table = { .name = "crates",
					     .columns = crate_columns,
					     .n = TP_COUNT_OF(crate_columns),
					     .row_bytes = sizeof(struct crate),
					     .base = &fruit_table,
					     .blank = blank_crate };

static const struct fruit apple = { "apple", 4, 12345678901234567890u, 100.5, true, GREEN, 5 };

static const struct tp_column *column(const char *name)
{
	const struct tp_column *found = tp_column_find(&crate_table, name);

	assert_non_null(found);
	return found;
}

static void words_are_joined_and_split(void **state)
{
	char text[32], tight[11];
	uint32_t bits = 99;

	(void)state;
	assert_string_equal(tp_words_join(&tastes, 0, text, sizeof(text)), "");
	assert_string_equal(tp_words_join(&tastes, 7, text, sizeof(text)), "sweet|sour|bitter");
	/* A name that does not fit is left out as a whole; shorter ones behind it stay. */
	assert_string_equal(tp_words_join(&tastes, 7, tight, 11), "sweet|sour");
	assert_string_equal(tp_words_join(&tastes, 7, tight, 10), "sweet");
	assert_string_equal(tp_words_join(&tastes, 6, tight, 5), "sour");
	assert_string_equal(tp_words_join(&tastes, 3, tight, 5), "sour");
	assert_string_equal(tp_words_join(&tastes, 7, tight, 0), "");
	assert_true(tp_words_split(&tastes, "", &bits));
	assert_int_equal(bits, 0);
	assert_true(tp_words_split(&tastes, "bitter|sweet", &bits));
	assert_int_equal(bits, 5);
	assert_false(tp_words_split(&tastes, "salty|sour", &bits));
	assert_int_equal(bits, 2);
	assert_false(tp_words_split(&tastes, "sour|", &bits));
	assert_false(tp_words_split(&tastes, "|sour", &bits));
	assert_false(tp_words_split(&tastes, "sou", &bits));
	assert_int_equal(bits, 0);
}

static void rows_are_added_zeroed(void **state)
{
	struct tp_rows rows = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct fruit *f = tp_rows_add(&rows, &fruit_table);

		assert_non_null(f);
		assert_int_equal(f->seeds, 0);
		memset(f, 0xff, sizeof(*f));
		f->seeds = i;
	}
	rows.n = 50; /* room that was used before */
	assert_int_equal(((struct fruit *)tp_rows_add(&rows, &fruit_table))->seeds, 0);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(((struct fruit *)TP_ROW_AT(&rows, &fruit_table, i))->seeds, i);
	assert_int_equal(rows.n, 51);
	free(rows.rows);
}

static void columns_are_found_in_bases(void **state)
{
	(void)state;
	assert_true(tp_table_is(&crate_table, &fruit_table));
	assert_true(tp_table_is(&fruit_table, &fruit_table));
	assert_false(tp_table_is(&fruit_table, &crate_table));
	assert_false(tp_table_is(NULL, &fruit_table));
	assert_ptr_equal(column("name"), &crate_columns[0]);
	assert_ptr_equal(column("seeds"), &fruit_columns[1]);
	assert_null(tp_column_find(&crate_table, "weight"));
	assert_null(tp_column_find(NULL, "name"));
}

static void values_apply_or_not(void **state)
{
	struct fruit f = apple;

	(void)state;
	assert_near(tp_column_number(column("seeds"), &f), 4, 0);
	assert_near(tp_column_number(column("atoms"), &f), 12345678901234567890.0, 0);
	assert_near(tp_column_number(column("grams_per_seed"), &f), 25.125, 0);
	assert_near(tp_column_number(column("colour"), &f), 1, 0);
	assert_true(tp_column_applies(column("seeds"), &f));
	assert_true(tp_column_applies(column("sold"), &f));
	assert_false(tp_column_applies(column("fresh"), &f));
	f.seeds = 0; /* 0 does not apply by rule; a quotient by it is infinite */
	assert_false(tp_column_applies(column("seeds"), &f));
	assert_false(tp_column_applies(column("grams_per_seed"), &f));
	f.grams = 0;
	assert_true(tp_column_applies(column("sold"), &f));
	f.grams = NAN;
	assert_false(tp_column_applies(column("sold"), &f));
}

/* The row as JSON text, with its keys in order of the table. */
static void expect_packed(const struct tp_table *table, const void *row, const char *expected)
{
	json_t *o = json_object();
	struct tp_str text = { 0 };

	assert_non_null(o);
	tp_row_pack(table, TP_IN_JSON, row, o);
	tp_json_add(&text, o, 0);
	assert_string_equal(tp_str_text(&text), expected);
	tp_str_release(&text);
}

static void rows_become_objects(void **state)
{
	struct crate c = { .fruit = apple, .label = "A\xff", .kilograms = 0.1 };
	struct fruit none = { .grams = INFINITY };

	(void)state;
	/* JSON has no whole numbers beyond 2^63 - 1. */
	expect_packed(&fruit_table, &apple,
		      "{\"name\": \"apple\", \"seeds\": 4, \"atoms\": 9223372036854775807, "
		      "\"fresh\": null, \"sold\": 100.5, \"ripe\": true, \"colour\": \"green\", "
		      "\"tastes\": \"sweet|bitter\", \"grams_per_seed\": 25.125}");
	expect_packed(&fruit_table, &none,
		      "{\"name\": \"\", \"seeds\": null, \"atoms\": 0, \"fresh\": null, "
		      "\"sold\": null, \"ripe\": false, \"colour\": \"red\", \"tastes\": \"\", "
		      "\"grams_per_seed\": null}");
	/* The base first; its "name" gives way. */
	c.fruit.atoms = 1;
	expect_packed(&crate_table, &c,
		      "{\"name\": \"A?\", \"seeds\": 4, \"atoms\": 1, \"fresh\": null, "
		      "\"sold\": 100.5, \"ripe\": true, \"colour\": \"green\", "
		      "\"tastes\": \"sweet|bitter\", \"grams_per_seed\": 25.125, "
		      "\"kilograms\": 0.1}");
}

static enum tp_status unpack(const struct tp_table *table, const char *text, void *row,
			     struct tp_diag *diag)
{
	json_t *o = json_loads(text, 0, NULL);
	enum tp_status status;

	assert_non_null(o);
	status = tp_row_unpack(table, o, row, "here", diag);
	json_decref(o);
	return status;
}

static void objects_become_rows(void **state)
{
	struct tp_diag diag = { 0 };
	struct crate c = { 0 };

	(void)state;
	assert_int_equal(unpack(&crate_table,
				"{\"name\": \"much too long\", \"seeds\": null, \"atoms\": 7, "
				"\"fresh\": null, \"sold\": 3, \"ripe\": true, "
				"\"colour\": \"green\", \"tastes\": \"sour|salty\", "
				"\"grams_per_seed\": \"never read\", \"new\": []}",
				&c, &diag),
			 TP_OK);
	assert_string_equal(c.label, "much to"); /* as much as there is room for */
	assert_int_equal(c.fruit.seeds, 0);
	assert_true(c.fruit.atoms == 7);
	assert_near(c.fruit.grams, 3, 0);
	assert_true(c.fruit.ripe);
	assert_int_equal(c.fruit.colour, GREEN);
	assert_int_equal(c.fruit.tastes, 2);
	assert_true(isnan(c.kilograms)); /* a blank row's */
	assert_int_equal(unpack(&crate_table, "{\"kilograms\": 2}", &c, &diag), TP_OK);
	assert_near(c.kilograms, 2, 0);
}

static void objects_of_the_wrong_kind_are_refused(void **state)
{
	static const struct {
		const char *object, *key;
	} rows[] = {
		{ "{\"name\": 1}", "name" },
		{ "{\"seeds\": -1}", "seeds" },
		{ "{\"seeds\": 4294967296}", "seeds" },
		{ "{\"seeds\": 1.5}", "seeds" },
		{ "{\"atoms\": -1}", "atoms" },
		{ "{\"atoms\": \"1\"}", "atoms" },
		{ "{\"sold\": \"1\"}", "sold" },
		{ "{\"ripe\": 1}", "ripe" },
		{ "{\"colour\": \"blue\"}", "colour" },
		{ "{\"colour\": 1}", "colour" },
		{ "{\"tastes\": []}", "tastes" },
		{ "{\"kilograms\": true}", "kilograms" },
	};
	struct tp_diag diag;
	struct crate c;
	char words[64], wanted[TP_WANTED_BYTES];

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		memset(&c, 0, sizeof(c));
		if (unpack(&crate_table, rows[i].object, &c, &diag) != TP_USAGE)
			fail_msg("%s was taken", rows[i].object);
		snprintf(words, sizeof(words), "\"%s\" has a value of the wrong kind", rows[i].key);
		assert_string_equal(diag.what, words);
		assert_string_equal(diag.where, "here");
		assert_string_equal(diag.hint, tp_column_wanted(column(rows[i].key), wanted));
		assert_true(diag.hint[0] != '\0');
	}
}

static void rows_become_csv(void **state)
{
	struct tp_rows rows = { 0 }, crates = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	*(struct fruit *)tp_rows_add(&rows, &fruit_table) = apple;
	*(struct fruit *)tp_rows_add(&rows, &fruit_table) =
		(struct fruit){ .name = "a\"b\nc", .grams = 1.0 / 3 };
	tp_rows_csv(&rows, &fruit_table, &text);
	assert_string_equal(tp_str_text(&text),
			    "name,seeds,atoms,fresh,sold,ripe,colour,grams_per_seed,phrase\n"
			    "apple,4,12345678901234567890,,100.5,true,green,25.125,\"a apple, 4\"\n"
			    "\"a\"\"b\nc\",,0,0.3333333333,,false,red,,\"a a\"\"b\nc, 0\"\n");
	tp_str_clear(&text);
	*(struct crate *)tp_rows_add(&crates, &crate_table) =
		(struct crate){ .fruit = apple, .label = "A", .kilograms = 2 };
	tp_rows_csv(&crates, &crate_table, &text);
	assert_string_equal(
		tp_str_text(&text),
		"seeds,atoms,fresh,sold,ripe,colour,grams_per_seed,phrase,name,kilograms\n"
		"4,12345678901234567890,,100.5,true,green,25.125,\"a apple, 4\",A,2\n");
	tp_str_release(&text);
	free(rows.rows);
	free(crates.rows);
}

static void cells_are_read_or_refused(void **state)
{
	static const struct {
		const char *column, *text;
		bool good;
	} rows[] = {
		{ "seeds", "2147483647", true },
		{ "seeds", "2147483648", false },
		{ "seeds", "-1", false },
		{ "seeds", "1.5", false },
		{ "atoms", "9223372036854775807", true },
		{ "atoms", "9223372036854775808", false },
		{ "sold", "1e3", true },
		{ "sold", "nan", false },
		{ "sold", "1,5", false },
		{ "ripe", "true", true },
		{ "ripe", "yes", false },
		{ "colour", "green", true },
		{ "colour", "blue", false },
		{ "tastes", "sour|salty", true },
		{ "name", "seven c", true },
		{ "name", "eight ch", false },
		{ "grams_per_seed", "whatever", true },
		{ "phrase", "whatever", true },
	};
	struct crate c = { 0 };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (tp_column_read_cell(column(rows[i].column), rows[i].text, &c) != rows[i].good)
			fail_msg("%s: %s", rows[i].column, rows[i].text);
	memset(&c, 0, sizeof(c));
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		if (rows[i].good)
			tp_column_read_cell(column(rows[i].column), rows[i].text, &c);
		/* An empty cell leaves what is there. */
		assert_true(tp_column_read_cell(column(rows[i].column), "", &c));
	}
	assert_true(c.fruit.seeds == INT_MAX && c.fruit.atoms == INT64_MAX);
	assert_near(c.fruit.grams, 1000, 0);
	assert_true(c.fruit.ripe);
	assert_int_equal(c.fruit.colour, GREEN);
	assert_int_equal(c.fruit.tastes, 2);
	assert_string_equal(c.label, "seven c");
	assert_string_equal(c.fruit.name, "");
}

/* --- the reader of CSV --- */

static void begin(struct tp_csv *csv, const char *text, struct tp_diag *diag)
{
	*csv = (struct tp_csv){ 0 };
	tp_csv_begin(csv, "f.csv", text, strlen(text), diag);
}

static void csv_is_read_row_by_row(void **state)
{
	struct tp_csv csv;
	struct tp_diag diag;
	bool done;

	(void)state;
	/* CRLF, blank lines, quotes, a cell of two lines, no last line end. */
	begin(&csv, "\r\na,\"b \"\"c\"\", d\",\r\n\n\n\"x\r\ny\",z\r,\"\"\nlast", &diag);
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_false(done);
	assert_int_equal(csv.n, 3);
	assert_int_equal(csv.row_line, 2);
	assert_string_equal(tp_csv_cell(&csv, 0), "a");
	assert_string_equal(tp_csv_cell(&csv, 1), "b \"c\", d");
	assert_string_equal(tp_csv_cell(&csv, 2), "");
	assert_string_equal(tp_csv_cell(&csv, 3), "");
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_int_equal(csv.n, 3);
	assert_int_equal(csv.row_line, 5);
	assert_string_equal(tp_csv_cell(&csv, 0),
			    "x?\ny"); /* cleaned: a lone \r would go back in its line */
	assert_string_equal(tp_csv_cell(&csv, 1), "z?"); /* alone it ends no line */
	assert_string_equal(tp_csv_cell(&csv, 2), "");
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_int_equal(csv.n, 1);
	assert_int_equal(csv.row_line, 7);
	assert_string_equal(tp_csv_cell(&csv, 0), "last");
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_true(done);
	assert_int_equal(csv.n, 0);
	tp_csv_release(&csv);
	begin(&csv, "", &diag);
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_true(done);
	tp_csv_release(&csv);
}

static void expect_bad(const char *text, const char *where, const char *what)
{
	struct tp_csv csv;
	struct tp_diag diag = { 0 };
	enum tp_status status = TP_OK;
	bool done = false;

	begin(&csv, text, &diag);
	while (status == TP_OK && !done)
		status = tp_csv_next(&csv, &done);
	assert_int_equal(status, TP_USAGE);
	assert_string_equal(diag.where, where);
	assert_string_equal(diag.what, what);
	tp_csv_release(&csv);
}

static void what_is_no_csv_is_refused(void **state)
{
	struct tp_str text = { 0 };
	struct tp_csv csv;
	struct tp_diag diag;
	bool done;

	(void)state;
	expect_bad("a\n\"b\n\n", "f.csv:2", "a quote is not closed");
	expect_bad("a\n\n\"b\"c\n", "f.csv:3", "text after a closing quote");
	expect_bad("a,b\"\n", "f.csv:1", "a quote inside a cell");
	tp_str_pad(&text, ',', TP_CSV_COLUMNS_MAX - 1);
	begin(&csv, tp_str_text(&text), &diag);
	assert_int_equal(tp_csv_next(&csv, &done), TP_OK);
	assert_int_equal(csv.n, TP_CSV_COLUMNS_MAX);
	tp_csv_release(&csv);
	tp_str_add(&text, ",");
	expect_bad(tp_str_text(&text), "f.csv:1", "more columns than any table of ours has");
	tp_str_clear(&text);
	tp_str_pad(&text, 'x', 5000);
	expect_bad(tp_str_text(&text), "f.csv:1", "a cell is longer than any of ours");
	tp_str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_joined_and_split),
		cmocka_unit_test(rows_are_added_zeroed),
		cmocka_unit_test(columns_are_found_in_bases),
		cmocka_unit_test(values_apply_or_not),
		cmocka_unit_test(rows_become_objects),
		cmocka_unit_test(objects_become_rows),
		cmocka_unit_test(objects_of_the_wrong_kind_are_refused),
		cmocka_unit_test(rows_become_csv),
		cmocka_unit_test(cells_are_read_or_refused),
		cmocka_unit_test(csv_is_read_row_by_row),
		cmocka_unit_test(what_is_no_csv_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
