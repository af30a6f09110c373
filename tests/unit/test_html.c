/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as pages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "doc/html.h"

/* A page of a text, whose blocks are then gone: it holds `part`. */
static void expect(struct tp_text *text, const char *part)
{
	const struct tp_html_page page = { "<t>", "s & s", "\"d\"", true };
	TP_STR out = { 0 };
	tp_html_page_make(&page, text, &out);
	if (!strstr(tp_str_text(&out), part))
		fail_msg("expected %s in: %s", part, tp_str_text(&out));
	tp_text_release(text);
}

static void lines_are_paragraphs(void **state)
{
	TP_TEXT(text, &tp_html_look);
	(void)state;
	tp_text_wrap(&text, TP_PAINT_WARN, "a < b & \"c\"", 0, 2);
	expect(&text, "<main>\n<p class=\"warn\">a &lt; b &amp; &quot;c&quot;</p>\n");
	/* What stands on the line already belongs to it, but no indent. */
	tp_text_indent(&text, 4);
	tp_text_run(&text, TP_PAINT_DIM, "<b>");
	tp_text_run(&text, TP_PAINT_PLAIN, " is ");
	tp_text_wrap(&text, TP_PAINT_PLAIN, "text", 8, 4);
	expect(&text, "<main>\n<p><span class=\"dim\">&lt;b&gt;</span> is text</p>\n");
	/* In words that flow each has its own paint. */
	tp_text_flow(&text, TP_PAINT_PLAIN, "one ");
	tp_text_flow(&text, TP_PAINT_STRONG, "two");
	tp_text_wrap(&text, TP_PAINT_PLAIN, " three", 0, 0);
	expect(&text, "<p>one <span class=\"strong\">two</span> three</p>\n");
	/* Bytes that are not UTF-8, characters that XML forbids, ends of lines. */
	tp_text_wrap(&text, TP_PAINT_PLAIN, "\xff\x01\n\xef\xbf\xbf", 0, 0);
	expect(&text, "<main>\n<p>\xef\xbf\xbd  \xef\xbf\xbd</p>\n");
	tp_text_gap(&text);
	tp_text_wrap(&text, TP_PAINT_PLAIN, "", 0, 0);
	expect(&text, "<main>\n</main>");
}

static void titles_labels_items(void **state)
{
	TP_TEXT(text, &tp_html_look);
	(void)state;
	tp_text_title(&text, "A & B");
	tp_text_head(&text, "C");
	expect(&text, "<h2 id=\"s1\">A &amp; B</h2>\n<h3>C</h3>\n");
	tp_text_labelled(&text, "CPU", 9, TP_PAINT_GOOD, "<x>");
	expect(&text, "<p class=\"fact\"><span class=\"label\">CPU</span> "
		      "<span class=\"good\">&lt;x&gt;</span></p>\n");
	tp_text_item(&text, TP_PAINT_PLAIN, "one");
	tp_text_item(&text, TP_PAINT_STRONG, "two");
	tp_text_wrap(&text, TP_PAINT_PLAIN, "between", 0, 0);
	tp_text_item(&text, TP_PAINT_PLAIN, "three");
	expect(&text, "<ul>\n<li>one</li>\n<li class=\"strong\">two</li>\n</ul>\n<p>between</p>\n"
		      "<ul>\n<li>three</li>\n</ul>\n");
}

/* Wide enough for a terminal of 80 columns to leave something out; sections have heads. */
static void grids_are_tables(void **state)
{
	static const struct tp_grid_column columns[] = { { "name", TP_LEFT, 0 },
							 { "GB/s", TP_RIGHT, 0 },
							 { "empty", TP_LEFT, 1 } };
	TP_TEXT(text, &tp_html_look);
	(void)state;
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	tp_grid_text(&grid, TP_PAINT_STRONG, "<a>");
	tp_grid_number(&grid, TP_PAINT_PLAIN, 12.5, 1);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "-");
	tp_grid_again(&grid, TP_PAINT_PLAIN, "<a>", true);
	tp_grid_number(&grid, TP_PAINT_BAD, NAN, 1);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "");
	tp_grid_write(&grid, &text);
	assert_int_equal(grid.n, 0);
	expect(&text,
	       "<table><caption>name</caption>\n"
	       "<thead><tr><th scope=\"col\">name</th><th scope=\"col\" class=\"right\">GB/s</th>"
	       "</tr>\n</thead>\n<tbody>\n"
	       "<tr><th scope=\"row\" class=\"strong\">&lt;a&gt;</th><td class=\"right\">12.5</td>"
	       "</tr>\n"
	       "<tr><th scope=\"row\">&lt;a&gt;</th><td class=\"bad right\">-</td></tr>\n"
	       "</tbody></table></div>\n");
}

static void pages_have_sections(void **state)
{
	static const char *const parts[] = {
		"<title>&lt;t&gt;</title>",
		"content=\"&quot;d&quot;\"",
		"<p>s &amp; s</p>",
		"<section class=\"result\" aria-labelledby=\"s1\">\n<h2 id=\"s1\">One</h2>",
		"</section>\n<section aria-labelledby=\"s2\">\n<h2 id=\"s2\">&lt;Two&gt;</h2>",
		"aria-label=\"&lt;Two&gt;: head\"><table><caption>&lt;Two&gt;: head</caption>",
	};
	static const struct tp_grid_column columns[] = { { "head", TP_LEFT, 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		TP_TEXT(text, &tp_html_look);
		TP_GRID(grid, columns);
		tp_text_title(&text, "One");
		tp_text_title(&text, "<Two>");
		tp_grid_heads(&grid);
		tp_grid_text(&grid, TP_PAINT_PLAIN, "cell");
		tp_grid_write(&grid, &text);
		expect(&text, parts[i]);
	}
}

/* A page with few titles has no contents. */
static void long_pages_have_contents(void **state)
{
	static const char *const titles[] = { "a", "b", "c", "d & e" };
	(void)state;
	for (size_t n = 3; n <= 4; n++) {
		const struct tp_html_page page = { "t", NULL, "d", false };
		TP_TEXT(text, &tp_html_look);
		TP_STR out = { 0 };
		for (size_t i = 0; i < n; i++)
			tp_text_title(&text, titles[i]);
		tp_html_page_make(&page, &text, &out);
		assert_int_equal(strstr(tp_str_text(&out), "<nav") != NULL, n == 4);
		assert_int_equal(strstr(tp_str_text(&out), "<li><a href=\"#s4\">d &amp; e</a>") !=
					 NULL,
				 n == 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_paragraphs),	    cmocka_unit_test(titles_labels_items),
		cmocka_unit_test(grids_are_tables),	    cmocka_unit_test(pages_have_sections),
		cmocka_unit_test(long_pages_have_contents),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
