/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 text: decoded, counted in columns, cut, wrapped and cleaned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "base/memory.h"

static void decodes_utf8_only(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t code;
	} known[] = {
		{ "a", 1, 'a' },
		{ "\xc2\xb5", 2, 0xb5 },
		{ "\xe2\x94\x80", 3, 0x2500 },
		{ "\xf0\x9f\x98\x80", 4, 0x1f600 },
		{ "\xc0\xaf", 0, 0 },
		{ "\xed\xa0\x80", 0, 0 },
		{ "\xf4\x90\x80\x80", 0, 0 },
		{ "\xe2\x94", 0, 0 },
		{ "\x80", 0, 0 },
		{ "\xff", 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		uint32_t code = 0;
		char back[4];
		assert_int_equal(tp_utf8_decode(known[i].bytes, strlen(known[i].bytes), &code),
				 known[i].n);
		assert_int_equal(code, known[i].code);
		if (!known[i].n)
			continue;
		assert_int_equal(tp_utf8_encode(back, code), known[i].n);
		assert_memory_equal(back, known[i].bytes, known[i].n);
	}
	assert_int_equal(tp_utf8_decode("\xc2\xb5", 1, &(uint32_t){ 0 }), 0);
}

static void counts_cells(void **state)
{
	static const struct {
		const char *text;
		uint32_t first;
		size_t columns;
	} known[] = {
		{ "abc", 'a', 3 },	{ "\xc2\xb5s", 0xb5, 2 },   { "\xe2\x94\x80", 0x2500, 1 },
		{ "\xc0\xaf", '?', 1 }, { "\xe5\xb8\xaf", '?', 1 }, { "\xf0\x9f\x98\x80", '?', 1 },
		{ "\xe2\x82", '?', 1 }, { "\x80x", '?', 2 },	    { "\033[m", '?', 3 },
		{ "", 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		const char *p = known[i].text;
		assert_int_equal(tp_cell_next(&p), known[i].first);
		assert_int_equal(tp_cell_columns(known[i].text), known[i].columns);
	}
	assert_int_equal(tp_utf8_ascii(0xb5), 'u');
	assert_int_equal(tp_utf8_ascii(0x2500), '?');
}

static void adds_characters(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	tp_utf8_add(&out, 0xd7);
	tp_utf8_add(&out, 0x28ff);
	tp_utf8_add(&out, 0x1f600);
	assert_string_equal(tp_str_text(&out), "\xc3\x97\xe2\xa3\xbf\xf0\x9f\x98\x80");
	tp_str_release(&out);
}

static void steps_by_characters(void **state)
{
	static const char text[] = "a\u00b5\u2500z";
	static const size_t starts[] = { 0, 1, 3, 6, 7 };
	(void)state;
	for (size_t i = 0; i + 1 < TP_COUNT_OF(starts); i++) {
		assert_int_equal(tp_utf8_after(text, starts[i]), starts[i + 1]);
		assert_int_equal(tp_utf8_before(text, starts[i + 1]), starts[i]);
	}
	assert_int_equal(tp_utf8_before(text, 0), 0);
	assert_int_equal(tp_utf8_after(text, 7), 7);
}

static void counts_and_cuts_columns(void **state)
{
	(void)state;
	assert_int_equal(tp_text_columns(""), 0);
	assert_int_equal(tp_text_columns("\u00b15 \u00b7"), 4);
	assert_int_equal(tp_text_columns("a\xff\xc3z"), 4);
	assert_int_equal(tp_text_cut("\u00b15 \u00b7", 0), 0);
	assert_int_equal(tp_text_cut("\u00b15 \u00b7", 1), 2);
	assert_int_equal(tp_text_cut("\u00b15 \u00b7", 3), 4);
	assert_int_equal(tp_text_cut("\u00b15 \u00b7", 9), 6);
}

static void wraps_lines(void **state)
{
	static const struct {
		const char *text;
		size_t columns, end, next;
	} known[] = {
		{ "", 5, 0, 0 },
		{ "one two", 7, 7, 7 },
		{ "one two", 6, 3, 4 },
		{ "one   two", 3, 3, 6 },
		{ "abcdef", 4, 4, 4 },
		{ "one\ntwo", 9, 3, 4 },
		{ "one \n\ntwo", 9, 4, 5 },
		{ "\u00b5\u00b5 x", 2, 4, 5 },
		{ "abc", 0, 1, 1 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		const char *next, *end = tp_text_line(known[i].text, known[i].columns, &next);
		assert_int_equal(end - known[i].text, known[i].end);
		assert_int_equal(next - known[i].text, known[i].next);
	}
}

static void cleans(void **state)
{
	struct tp_str out = { 0 };
	char shown[12];
	(void)state;
	tp_str_add_clean(&out, "\u00b5\x1b[m\n\x7f\xc2\x9b\u202e!\xff", false);
	assert_string_equal(out.s, "\u00b5?[m ??"
				   "?!?");
	tp_str_clear(&out);
	tp_str_add_clean(&out, "\u00b5s", true);
	assert_string_equal(out.s, "?s");
	tp_str_release(&out);
	assert_string_equal(tp_shown(shown, sizeof(shown), "a\tb\xff", 4), "a?b?");
	assert_string_equal(tp_shown(shown, sizeof(shown), "\u2066a\u200f", 7), "?a?");
	char text[] = "\u00b5\x1b]52;c;\a\n\t\xc2\x9b\u2066\u061c.\xff\xe2\x80";
	char lines[] = "a\n\tb\r";
	tp_clean(text, "");
	assert_string_equal(text, "\u00b5?]52;c;?  ???.??");
	tp_clean(lines, "\n\t");
	assert_string_equal(lines, "a\n\tb?");
	assert_string_equal(tp_shown(shown, sizeof(shown), "0123456789", 10), "0123456789");
	assert_string_equal(tp_shown(shown, sizeof(shown), "0123456789abc", 13), "01234567...");
	assert_string_equal(tp_shown(shown, sizeof(shown), "0123456\u00b5789", 12), "0123456...");
}

static void free_text_is_checked(void **state)
{
	(void)state;
	assert_null(tp_text_fault("\u00b5s, plain", 10, ""));
	assert_null(tp_text_fault("two\nlines", 9, "\n\t"));
	assert_string_equal(tp_text_fault("two\nlines", 9, ""), "holds a control character");
	assert_string_equal(tp_text_fault("a\0b", 3, "\n"), "holds a control character");
	assert_string_equal(tp_text_fault("C1 \xc2\x85", 5, "\n"), "holds a control character");
	assert_string_equal(tp_text_fault("\xff", 1, ""), "is not UTF-8 text");
}

static void trims(void **state)
{
	const char *text = " \t a b\r\n";
	size_t len = strlen(text);
	(void)state;
	tp_trim(&text, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a b", 3);
	text = " \n";
	len = 2;
	tp_trim(&text, &len);
	assert_int_equal(len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_utf8_only),
		cmocka_unit_test(counts_cells),
		cmocka_unit_test(adds_characters),
		cmocka_unit_test(steps_by_characters),
		cmocka_unit_test(counts_and_cuts_columns),
		cmocka_unit_test(wraps_lines),
		cmocka_unit_test(cleans),
		cmocka_unit_test(trims),
		cmocka_unit_test(free_text_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
