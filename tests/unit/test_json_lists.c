/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON objects whose lists are read entry by entry. */
#include "table/lists.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = { "a", "b" };

static bool opens(struct tp_json_lists *lists, const char *text, json_error_t *error)
{
	return tp_json_lists_open(lists, text, strlen(text), names, 2, error);
}

/* The entries as "1|{}|"; ends in "!" and the reason where one is missing. */
static const char *entries_of(struct tp_json_entries *entries, char out[200])
{
	json_error_t error;
	const char *entry;
	size_t len;
	out[0] = '\0';
	while (entries->at && (entry = tp_json_entry(entries, &len, &error))) {
		strncat(out, entry, len);
		strcat(out, "|");
	}
	if (entries->at && error.text[0])
		strcat(strcat(out, "!"), error.text);
	return out;
}

static void lists_are_apart_from_the_rest(void **state)
{
	static const char text[] = " { \"x\": \"\\\"[\", \"a\": [1, {\"c\": \"]},\"}\n, [2, [3]] ],"
				   "\n\"y\": {\"a\": [7]}, \"b\": [], \"z\": [1]}\n";
	struct tp_json_lists lists;
	json_error_t error;
	char out[200];
	(void)state;
	assert_true(opens(&lists, text, &error));
	assert_int_equal(json_object_size(lists.root), 5);
	assert_int_equal(json_array_size(json_object_get(lists.root, "a")), 0);
	assert_int_equal(json_array_size(json_object_get(lists.root, "z")), 1);
	json_t *y = json_object_get(lists.root, "y");
	assert_int_equal(json_array_size(json_object_get(y, "a")), 1);
	assert_string_equal(entries_of(&lists.entries[0], out), "1|{\"c\": \"]},\"}|[2, [3]]|");
	assert_string_equal(entries_of(&lists.entries[1], out), "");
	tp_json_lists_close(&lists);
	/* What is not an object is read as it is; lists that are not there have no entries. */
	assert_true(opens(&lists, "[\"a\", 1]", &error));
	assert_int_equal(json_array_size(lists.root), 2);
	assert_null(lists.entries[0].at);
	tp_json_lists_close(&lists);
}

static void errors_keep_their_lines(void **state)
{
	static const struct {
		const char *text;
		int line;
	} rows[] = {
		{ "", 1 },
		{ "{\"a\": [\n1,\n2\n], x}", 4 },
		{ "{\"a\": [\n1,\n2\n", 4 },
		{ "{\"a\": [\n1}\n}", 3 },
		{ "{\"a\": [\n\"]}", 2 },
		{ "{\n\"c\": [\n1,\n]}", 4 },
	};
	struct tp_json_lists lists;
	json_error_t error;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (opens(&lists, rows[i].text, &error))
			fail_msg("\"%s\" is not JSON", rows[i].text);
		if (error.line != rows[i].line)
			fail_msg("\"%s\": line %d, not %d", rows[i].text, error.line, rows[i].line);
	}
}

static void entries_need_commas(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"a\": [1 ,2]}", "1 |2|" },
		{ "{\"a\": [{} {}]}", "!a comma is missing" },
		{ "{\"a\": [1,]}", "!an entry of the list is missing" },
		{ "{\"a\": [,1]}", "!an entry of the list is missing" },
		{ "{\"a\": [1,,1]}", "1|!an entry of the list is missing" },
	};
	struct tp_json_lists lists;
	json_error_t error;
	char out[200];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(opens(&lists, rows[i][0], &error));
		assert_string_equal(entries_of(&lists.entries[0], out), rows[i][1]);
		tp_json_lists_close(&lists);
	}
}

/* A tree takes some hundred bytes a value: only the lists may be long. */
static void the_rest_is_small(void **state)
{
	struct tp_str text = { 0 };
	struct tp_json_lists lists;
	struct tp_json_entries *a = &lists.entries[0];
	json_error_t error;
	size_t n = 0, len;
	(void)state;
	tp_str_add(&text, "{\"a\": [0");
	for (size_t i = 0; i < TP_JSON_REST_MAX_VALUES; i++)
		tp_str_add(&text, ",1");
	tp_str_add(&text, "]}");
	assert_true(tp_json_lists_open(&lists, text.s, text.len, names, 2, &error));
	while (tp_json_entry(a, &len, &error))
		n++;
	assert_int_equal(n, TP_JSON_REST_MAX_VALUES + 1);
	tp_json_lists_close(&lists);
	text.s[2] = 'c';
	assert_false(tp_json_lists_open(&lists, text.s, text.len, names, 2, &error));
	assert_string_equal(error.text, "larger than any that tprof writes");
	tp_str_release(&text);
}

/* The members as "key kind value;"; "!" after them where the object is not plain. */
static void plain_objects_need_no_tree(void **state)
{
	static const char *const rows[][2] = {
		{ "{}", "!" }, /* read as a tree: no entry of a run is empty */
		{ " { \"a\" : -1.5e-3 , \"b\":\"x y\"\n} ", "a 0 -1.5e-3;b \" x y;" },
		{ "{\"a\":true,\"b\":false,\"c\":null,\"\":0}",
		  "a t true;b t false;c n null; 0 0;" },
		{ "{\"a\":[{\"b\":[1]},\"]\"],\"c\":\"\"}", "a [ {\"b\":[1]},\"]\";c \" ;" },
		{ "{\"a\":123456789012345678}", "a 0 123456789012345678;" },
		{ "{\"a\":1234567890123456789}", "!" }, /* jansson refuses larger ones */
		{ "{\"a\":01}", "!" },
		{ "{\"a\":1.}", "!" },
		{ "{\"a\":.5}", "!" },
		{ "{\"a\":1e}", "!" },
		{ "{\"a\":1e5e3}", "a 0 1e5;!" },
		{ "{\"a\":-}", "!" },
		{ "{\"a\":nul}", "!" },
		{ "{\"a\":truely}", "a t true;!" },
		{ "{\"a\":\"\\u0041\"}", "!" },
		{ "{\"a\":\"\xc3\xa4\"}", "!" },
		{ "{\"a\":\"\t\"}", "!" },
		{ "{\"a\":{}}", "!" },
		{ "{\"a\":[1}", "!" },
		{ "{\"a\":1,}", "a 0 1;!" },
		{ "{\"a\":1 \"b\":2}", "a 0 1;!" },
		{ "{\"a\" 1}", "!" },
		{ "{\"a\":1", "a 0 1;!" },
		{ "{\"a\":1}}", "a 0 1;!" },
		{ "[1]", "!" },
		{ "", "!" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text = rows[i][0];
		struct tp_json_plain plain = { .at = text, .end = text + strlen(text) };
		struct tp_str out = { 0 };
		while (tp_json_plain_next(&plain)) {
			tp_str_add_n(&out, plain.key, plain.key_len);
			tp_str_printf(&out, " %c ", plain.kind);
			tp_str_add_n(&out, plain.value, plain.value_len);
			tp_str_add(&out, ";");
		}
		if (!plain.whole)
			tp_str_add(&out, "!");
		if (strcmp(tp_str_text(&out), rows[i][1]) != 0)
			fail_msg("%s: %s, not %s", text, tp_str_text(&out), rows[i][1]);
		tp_str_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_apart_from_the_rest),
		cmocka_unit_test(errors_keep_their_lines),
		cmocka_unit_test(entries_need_commas),
		cmocka_unit_test(the_rest_is_small),
		cmocka_unit_test(plain_objects_need_no_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
