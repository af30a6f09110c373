/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body of a page: what the functions for text and tables write where the look says html. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "report/html.h"

static const struct tp_look *const look = &tp_html_look;

static void expect(struct tp_str *out, const char *text)
{
	assert_string_equal(tp_str_text(out), text);
	tp_str_release(out);
}

static void lines_are_paragraphs(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	tp_text_wrap(&out, look, TP_PAINT_WARN, "a < b & \"c\"", 0, 2);
	expect(&out, "<p class=\"warn\">a &lt; b &amp; &quot;c&quot;</p>\n");
	/* What stands on the line already belongs to it, also plain blanks of an indent. */
	tp_str_pad(&out, ' ', 4);
	tp_text_paint(&out, look, TP_PAINT_DIM, "<b>");
	tp_text_paint(&out, look, TP_PAINT_PLAIN, " is ");
	tp_text_wrap(&out, look, TP_PAINT_PLAIN, "text", 8, 4);
	expect(&out, "<p><span class=\"dim\">&lt;b&gt;</span> is text</p>\n");
	/* Bytes that are no UTF-8, characters that XML forbids, ends of lines. */
	tp_text_wrap(&out, look, TP_PAINT_PLAIN, "\xff\x01\n\xef\xbf\xbf", 0, 0);
	expect(&out, "<p>\xef\xbf\xbd  \xef\xbf\xbd</p>\n");
	tp_str_add(&out, "\n");
	tp_text_wrap(&out, look, TP_PAINT_PLAIN, "", 0, 0);
	expect(&out, "\n");
}

static void titles_labels_items(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	tp_text_title(&out, look, "A & B");
	tp_text_head(&out, look, "C");
	expect(&out, "\n<h2>A &amp; B</h2>\n\n<h3>C</h3>\n");
	tp_text_labelled(&out, look, "CPU", 9, TP_PAINT_GOOD, "<x>");
	expect(&out, "<p class=\"fact\"><span class=\"label\">CPU</span> "
		     "<span class=\"good\">&lt;x&gt;</span></p>\n");
	tp_text_item(&out, look, TP_PAINT_PLAIN, "one");
	tp_text_item(&out, look, TP_PAINT_STRONG, "two");
	tp_text_wrap(&out, look, TP_PAINT_PLAIN, "between", 0, 0);
	tp_text_item(&out, look, TP_PAINT_PLAIN, "three");
	expect(&out, "<ul>\n<li>one</li>\n<li class=\"strong\">two</li>\n</ul>\n<p>between</p>\n"
		     "<ul>\n<li>three</li>\n</ul>\n");
}

/* Wide enough for a terminal of 80 columns to leave something out; sections have heads. */
static void grids_are_tables(void **state)
{
	static const struct tp_grid_column columns[] = { { "name", TP_LEFT, 0 },
							 { "GB/s", TP_RIGHT, 0 },
							 { "empty", TP_LEFT, 1 } };
	struct tp_str out = { 0 };
	struct tp_grid grid;
	(void)state;
	tp_grid_init(&grid, columns, 3);
	tp_grid_heads(&grid);
	tp_grid_text(&grid, TP_PAINT_STRONG, "<a>");
	tp_grid_number(&grid, TP_PAINT_PLAIN, 12.5, 1);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "-");
	tp_grid_again(&grid, TP_PAINT_PLAIN, "<a>", true);
	tp_grid_number(&grid, TP_PAINT_BAD, NAN, 1);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "");
	tp_grid_write(&grid, look, &out);
	tp_grid_release(&grid);
	expect(&out,
	       "<div class=\"table\"><table>\n"
	       "<thead><tr><th scope=\"col\">name</th><th scope=\"col\" class=\"right\">GB/s</th>"
	       "</tr>\n</thead>\n<tbody>\n"
	       "<tr><th scope=\"row\" class=\"strong\">&lt;a&gt;</th><td class=\"right\">12.5</td>"
	       "</tr>\n"
	       "<tr><th scope=\"row\">&lt;a&gt;</th><td class=\"bad right\">-</td></tr>\n"
	       "</tbody></table></div>\n");
}

static void pages_have_sections(void **state)
{
	const struct tp_html_page page = { "<t>", "s & s", "\"d\"", true };
	static const char *const parts[] = {
		"<title>&lt;t&gt;</title>",
		"content=\"&quot;d&quot;\"",
		"<p>s &amp; s</p>",
		"<section class=\"result\" aria-labelledby=\"s1\">\n<h2 id=\"s1\">One</h2>",
		"</section>\n<section aria-labelledby=\"s2\">\n<h2 id=\"s2\">&lt;Two&gt;</h2>",
		"aria-label=\"&lt;Two&gt;: head\"><table><caption>&lt;Two&gt;: head</caption>",
	};
	static const struct tp_grid_column columns[] = { { "head", TP_LEFT, 0 } };
	struct tp_str body = { 0 }, out = { 0 };
	struct tp_grid grid;
	(void)state;
	tp_text_title(&body, look, "One");
	tp_text_title(&body, look, "<Two>");
	tp_grid_init(&grid, columns, 1);
	tp_grid_heads(&grid);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "cell");
	tp_grid_write(&grid, look, &body);
	tp_grid_release(&grid);
	tp_html_page_make(&page, &body, &out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strstr(tp_str_text(&out), parts[i]))
			fail_msg("expected %s in: %s", parts[i], tp_str_text(&out));
	/* Two titles are no reason for contents. */
	assert_null(strstr(tp_str_text(&out), "<nav"));
	tp_str_release(&body);
	tp_str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_paragraphs),
		cmocka_unit_test(titles_labels_items),
		cmocka_unit_test(grids_are_tables),
		cmocka_unit_test(pages_have_sections),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
