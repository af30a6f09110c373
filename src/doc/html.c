/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page around a body: head, style sheet, contents, sections, captions, script. */
#include "doc/html.h"

#include <string.h>

#include "plot/svg.h"

/*
 * Browsers run only the script with this SHA-256 in Base64: tests/cli/html.sh prints it when the
 * script changes.
 */
#define TP_HTML_SCRIPT_HASH "sha256-KyZtGcaHU3tPsfFBDs332tMq+l3KTzb430ovqgardko="

/*
 * Light and dark are the colours of the pictures (src/plot/svg_medium.c); every word has a contrast
 * of 4.5 and more on its paper. Paper that is printed is white.
 */
#define DARK                                                                                       \
	"color-scheme:dark;--paper:#12161c;--ink:#e8ebf0;--dim:#a6b1bf;--rule:#2b333e;"            \
	"--soft:#1a2028;--good:#4bd07f;--warn:#f0a050;--bad:#ff8a80;--link:#6aaeff"

/* The style sheet, without that of pictures. Neither text contains "<" or "&". */
static const char html_rules[] =
	":root{color-scheme:light;--paper:#fff;--ink:#1a1f26;--dim:#59636f;--rule:#dfe4ea;"
	"--soft:#f4f6f9;--good:#1d6b3a;--warn:#9a4a00;--bad:#b3261e;--link:#2744d2}\n"
	"@media screen and (prefers-color-scheme:dark){:root{" DARK "}}\n"
	"*{box-sizing:border-box}\n"
	"html{-webkit-text-size-adjust:100%}\n"
	"body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);color:var(--ink);"
	"font:1rem/1.5 'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif;"
	"overflow-wrap:break-word}\n"
	"h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}\n"
	"h2{font-size:1.2rem;line-height:1.3;margin:2rem 0 .5rem;padding-top:.5rem;"
	"border-top:1px solid var(--rule)}\n"
	"h3{font-size:1rem;margin:1.25rem 0 .25rem}\n"
	"p{margin:.25rem 0;max-width:46rem}\n"
	"ul,ol{margin:.25rem 0;padding-left:1.5rem;max-width:45rem}\n"
	"header p,footer,.dim,caption{color:var(--dim)}\n"
	"a{color:var(--link)}\n"
	".strong{font-weight:bold}\n"
	".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad);font-weight:bold}\n"
	"p,li,h1,h2,h3,figcaption{overflow-wrap:anywhere}\n"
	".fact{display:flex}\n"
	".label{flex:none;width:5.5rem;padding-right:.5rem;color:var(--dim)}\n"
	"nav{margin:.5rem 0}\n"
	"summary{cursor:pointer}\n"
	"footer{margin-top:2rem;border-top:1px solid var(--rule);font-size:.85rem}\n"
	/* The verdict comes first, and looks it. */
	".result h2{margin-top:1rem;border:0;padding:0}\n"
	".result{margin:1rem 0;padding:.25rem 1rem .75rem;"
	"background:var(--soft);border-left:4px solid var(--link)}\n"
	".table{overflow-x:auto;margin:.5rem 0}\n"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
	"white-space:nowrap}\n"
	"th,td{padding:.2rem .75rem .2rem 0;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--rule)}\n"
	"thead th{vertical-align:bottom}\n"
	"tbody th{font-weight:normal}tbody th.strong{font-weight:bold}\n"
	"td:last-child:not(.right){min-width:9rem}\n"
	".right{text-align:right;white-space:nowrap}\n"
	"tbody tr:hover{background:var(--soft)}\n"
	"th button{font:inherit;font-weight:bold;color:inherit;background:none;border:0;padding:0;"
	"cursor:pointer;text-align:inherit}\n"
	"th button:hover{text-decoration:underline}\n"
	"th[aria-sort=ascending] button::after{content:' \\2191'}\n"
	"th[aria-sort=descending] button::after{content:' \\2193'}\n"
	":focus-visible{outline:2px solid var(--link);outline-offset:2px}\n"
	"figure{margin:1.25rem 0}\n"
	"figcaption{font-weight:bold}\n"
	"svg{display:block;max-width:100%;height:auto}\n"
	".bar{display:inline}\n"
	".scrolled{overflow-x:auto}.tree{max-width:none}\n"
	/* Under the pointer: see src/plot/svg.c. */
	".tp-hits{fill:transparent;stroke:none}.tp-hits path{fill:none;stroke:transparent;"
	"stroke-width:12}\n"
	".tp-hits circle:hover{fill:currentColor;fill-opacity:.35}"
	".tp-hits path:hover{stroke:currentColor;stroke-opacity:.25}"
	".tp-hits rect:hover{stroke:var(--ink);stroke-width:2}\n"
	".narrow{display:none}\n"
	"@media screen and "
	"(max-width:36rem){.wide{display:none}.narrow{display:block}.only{max-width:none}"
	"body{padding:.75rem}}\n"
	"@media print{@page{size:A4;margin:15mm}body{max-width:none;padding:0;font-size:10pt}"
	"nav{display:none}h2,h3,figcaption{break-after:avoid}figure,tr{break-inside:avoid}"
	".table,.scrolled{overflow:visible}.tree{max-width:100%}table{font-size:8pt}a{color:"
	"inherit}}\n";

/* The only script that a page runs: it adds buttons to the heads of tables. */
/* Sizes and times are sorted by value: 1.5M is more than 900K. Words come after numbers. */
static const char html_script[] =
	"\"use strict\";\n"
	"(function(){\n"
	"var "
	"u={K:1024,M:1048576,G:1073741824,T:1099511627776,n:1e-9,u:1e-6,\"\\u00b5\":1e-6,m:1e-3};\n"
	"function key(c){\n"
	"var t=c.textContent.trim();\n"
	"var m=/^([-+]?[0-9.]+(?:e[-+]?[0-9]+)?) ?([KMGTnum\\u00b5]?)/.exec(t);\n"
	"return m?[parseFloat(m[1])*(u[m[2]]||1),t]:[Infinity,t];\n"
	"}\n"
	"function sort(th,t){\n"
	"var i=th.cellIndex,up=th.getAttribute(\"aria-sort\")!==\"ascending\",b=t.tBodies[0];\n"
	"Array.from(t.tHead.rows[0].cells).forEach(function(h){h.removeAttribute(\"aria-sort\");});"
	"\n"
	"th.setAttribute(\"aria-sort\",up?\"ascending\":\"descending\");\n"
	"Array.from(b.rows).map(function(r){return [key(r.cells[i]),r];}).sort(function(x,y){\n"
	"var p=x[0],q=y[0],d=p[0]===q[0]?p[1].localeCompare(q[1]):p[0]>q[0]?1:-1;\n"
	"return up?d:-d;\n"
	"}).forEach(function(x){b.appendChild(x[1]);});\n"
	"}\n"
	"Array.from(document.querySelectorAll(\"table\")).forEach(function(t){\n"
	"if(!t.tHead||!(t.tBodies[0].rows.length>1))return;\n"
	"Array.from(t.tHead.rows[0].cells).forEach(function(th){\n"
	"if(th.tagName!==\"TH\")return;\n"
	"var b=document.createElement(\"button\");\n"
	"b.type=\"button\";b.textContent=th.textContent;th.textContent=\"\";th.appendChild(b);\n"
	"b.addEventListener(\"click\",function(){sort(th,t);});\n"
	"});\n"
	"});\n"
	"})();\n";

const struct tp_look tp_html_look = {
	.utf8 = true, .full = true, .html = true, .columns = 1000, .rows = 1000
};

/* Shorter pages are seen at once. */
enum { CONTENTS_FROM = 4 };

/* --- words --- */

static const char *class_of(enum tp_paint paint)
{
	static const char *const classes[] = {
		[TP_PAINT_PLAIN] = "",	  [TP_PAINT_TITLE] = "strong",	[TP_PAINT_HEAD] = "",
		[TP_PAINT_DIM] = "dim",	  [TP_PAINT_STRONG] = "strong", [TP_PAINT_GOOD] = "good",
		[TP_PAINT_WARN] = "warn", [TP_PAINT_BAD] = "bad",
	};
	return classes[paint];
}

static void open_tag(struct tp_str *out, const char *name, const char *attributes,
		     const char *class, const char *more)
{
	tp_str_printf(out, "<%s%s", name, attributes);
	if (*class || *more)
		tp_str_printf(out, " class=\"%s%s%s\"", class, *class && *more ? " " : "", more);
	tp_str_add(out, ">");
}

static void add_span(struct tp_str *out, const struct tp_span *span)
{
	const char *class = class_of(span->paint);
	if (*class)
		open_tag(out, "span", "", class, "");
	tp_str_add_markup(out, span->text);
	if (*class)
		tp_str_add(out, "</span>");
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " ")] == '\0';
}

/* Spans of blanks before it indent lines of a terminal. */
static void add_line(struct tp_str *out, const struct tp_span *spans, size_t n, bool flows)
{
	bool blank = true;
	for (size_t i = 0; i < n; i++)
		blank &= is_blank(spans[i].text);
	if (blank)
		return;
	open_tag(out, "p", "", flows ? "" : class_of(spans[n - 1].paint), "");
	for (size_t i = 0; i < n - !flows; i++) {
		if (i || !is_blank(spans[i].text))
			add_span(out, &spans[i]);
	}
	if (!flows)
		tp_str_add_markup(out, spans[n - 1].text);
	tp_str_add(out, "</p>\n");
}

/* A blank separates them without a style sheet. */
static void add_fact(struct tp_str *out, const struct tp_span *label, const struct tp_span *words)
{
	TP_STR text = { 0 };
	size_t len = strlen(label->text);
	while (len && label->text[len - 1] == ' ')
		len--;
	tp_str_add_n(&text, label->text, len);
	tp_str_add(out, "<p class=\"fact\"><span class=\"label\">");
	tp_str_add_markup(out, tp_str_text(&text));
	tp_str_add(out, "</span> ");
	add_span(out, words);
	tp_str_add(out, "</p>\n");
}

/* --- tables --- */

enum { BAR_PX = 6, BAR_HEIGHT = 10 }; /* of a cell of a bar */

/* Columns without a value in rows [from, to) are left out. */
static bool is_shown(const struct tp_grid *grid, size_t from, size_t to, size_t column)
{
	for (size_t row = from; row < to; row++) {
		const struct tp_cell *cell = tp_grid_cell(grid, row, column);
		if (!cell->is_head && *cell->text && strcmp(cell->text, "-") != 0)
			return true;
	}
	return !grid->columns[column].give;
}

/* A bar of full blocks is drawn; its value is beside it. */
static bool add_bar(struct tp_str *out, const char *text)
{
	static const char block[] = "\u2588";
	unsigned n = 0;
	for (; strncmp(text, block, strlen(block)) == 0; n++)
		text += strlen(block);
	if (!n || *text)
		return false;
	tp_str_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bar tp-s0\" "
		      "aria-hidden=\"true\" width=\"%u\" height=\"%d\"><rect width=\"%u\" "
		      "height=\"%d\" fill=\"currentColor\"/></svg>",
		      n * BAR_PX, BAR_HEIGHT, n * BAR_PX, BAR_HEIGHT);
	return true;
}

static void add_cell(const struct tp_grid *grid, size_t row, size_t column, bool names_row,
		     struct tp_str *out)
{
	const struct tp_cell *cell = tp_grid_cell(grid, row, column);
	const char *text = cell->text + strspn(cell->text, " ");
	size_t indent = (size_t)(text - cell->text);
	/* An empty heading helps no one. */
	const char *name = *text && (cell->is_head || names_row) ? "th" : "td";
	const char *scope = *name != 't' || name[1] != 'h' ? ""
			    : cell->is_head		   ? " scope=\"col\""
							   : " scope=\"row\"";
	open_tag(out, name, scope, cell->is_head ? "" : class_of(cell->paint),
		 grid->columns[column].align == TP_RIGHT ? "right" : "");
	/* Outlines are indented. */
	for (size_t i = 0; i < indent; i++)
		tp_str_add(out, "\u00a0");
	if (!add_bar(out, text))
		tp_str_add_markup(out, text);
	tp_str_printf(out, "</%s>", name);
}

static void add_row(const struct tp_grid *grid, size_t row, const bool *shown, struct tp_str *out)
{
	bool first = true;
	tp_str_add(out, "<tr>");
	for (size_t i = 0; i < grid->n_columns; i++) {
		if (!shown[i])
			continue;
		/* The first column with any text names the row. */
		add_cell(grid, row, i, first, out);
		first &= !*tp_grid_cell(grid, row, i)->text;
	}
	tp_str_add(out, "</tr>\n");
}

/* What a table is called: the last title, and its first head. */
static void add_caption(const struct tp_grid *grid, size_t from, const char *title,
			struct tp_str *out)
{
	const struct tp_cell *first = tp_grid_cell(grid, from, 0);
	TP_STR name = { 0 };
	tp_str_add_markup(&name, title);
	if (first->is_head && *first->text) {
		tp_str_add(&name, name.len ? ": " : "");
		tp_str_add_markup(&name, first->text);
	}
	/* The frame is scrolled with keys where the table is wider than the page. */
	tp_str_printf(out,
		      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"%s\">"
		      "<table><caption>%s</caption>\n",
		      tp_str_text(&name), tp_str_text(&name));
}

/* Each section of a grid is a table, with every column that has any text. */
static void add_table(const struct tp_grid *grid, size_t from, size_t to, const char *title,
		      struct tp_str *out)
{
	bool shown[TP_GRID_COLUMNS_MAX];
	bool has_head = tp_grid_cell(grid, from, 0)->is_head;
	for (size_t i = 0; i < grid->n_columns; i++)
		shown[i] = is_shown(grid, from, to, i);
	add_caption(grid, from, title, out);
	if (has_head) {
		tp_str_add(out, "<thead>");
		add_row(grid, from, shown, out);
		tp_str_add(out, "</thead>\n");
	}
	tp_str_add(out, "<tbody>\n");
	for (size_t row = from + has_head; row < to; row++)
		add_row(grid, row, shown, out);
	tp_str_add(out, "</tbody></table></div>\n");
}

static void add_grid(const struct tp_grid *grid, const char *title, struct tp_str *out)
{
	for (size_t from = 0, to; from < tp_grid_n_rows(grid); from = to) {
		to = tp_grid_section_end(grid, from);
		if (to > from + 1 || !tp_grid_cell(grid, from, 0)->is_head)
			add_table(grid, from, to, title, out);
	}
}

/* --- sections --- */

static void add_contents(const struct tp_text *text, struct tp_str *out)
{
	size_t n = 0, number = 0;
	for (size_t i = 0; i < text->n; i++)
		n += text->blocks[i].kind == TP_BLOCK_TITLE;
	if (n < CONTENTS_FROM)
		return;
	tp_str_add(out, "<nav aria-label=\"Contents\"><details><summary>Contents</summary><ol>\n");
	for (size_t i = 0; i < text->n; i++) {
		if (text->blocks[i].kind != TP_BLOCK_TITLE)
			continue;
		tp_str_printf(out, "<li><a href=\"#s%zu\">", ++number);
		tp_str_add_markup(out, text->spans[text->blocks[i].from].text);
		tp_str_add(out, "</a></li>\n");
	}
	tp_str_add(out, "</ol></details></nav>\n");
}

static void begin_section(const char *title, size_t number, bool is_result, struct tp_str *out)
{
	tp_str_printf(out, "<section%s aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">",
		      is_result ? " class=\"result\"" : "", number, number);
	tp_str_add_markup(out, title);
	tp_str_add(out, "</h2>\n");
}

static void add_sections(const struct tp_text *text, bool result_first, struct tp_str *out)
{
	const char *title = "";
	size_t n = 0;
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_block *block = &text->blocks[i];
		const struct tp_span *spans = text->spans + block->from;
		bool goes_on = i + 1 < text->n && text->blocks[i + 1].kind == TP_BLOCK_ITEM;
		switch (block->kind) {
		case TP_BLOCK_GAP:
			break;
		case TP_BLOCK_TITLE:
			tp_str_add(out, n ? "</section>\n" : "");
			begin_section(title = spans->text, n + 1, !n && result_first, out);
			n++;
			break;
		case TP_BLOCK_HEAD:
			tp_str_add(out, "<h3>");
			tp_str_add_markup(out, spans->text);
			tp_str_add(out, "</h3>\n");
			break;
		case TP_BLOCK_LINE:
			add_line(out, spans, block->n, block->n_flow > 1);
			break;
		case TP_BLOCK_FACT:
			add_fact(out, &spans[0], &spans[block->n - 1]);
			break;
		case TP_BLOCK_ITEM:
			/* Items that follow each other are one list. */
			if (!i || text->blocks[i - 1].kind != TP_BLOCK_ITEM)
				tp_str_add(out, "<ul>\n");
			open_tag(out, "li", "", class_of(spans[block->n - 1].paint), "");
			tp_str_add_markup(out, spans[block->n - 1].text);
			tp_str_add(out, "</li>\n");
			if (!goes_on)
				tp_str_add(out, "</ul>\n");
			break;
		case TP_BLOCK_GRID:
			add_grid(&block->grid, title, out);
			break;
		case TP_BLOCK_VERBATIM:
			tp_str_add(out, spans->text);
			break;
		}
	}
	tp_str_add(out, n ? "</section>\n" : "");
}

/* --- page --- */

static void add_element(struct tp_str *out, const char *before, const char *text,
			const char *behind)
{
	tp_str_add(out, before);
	tp_str_add_markup(out, text);
	tp_str_add(out, behind);
}

void tp_html_page_make(const struct tp_html_page *page, const struct tp_text *words,
		       struct tp_str *out)
{
	TP_STR text = { 0 };
	tp_str_add(&text,
		   "<!DOCTYPE html>\n"
		   "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
		   "<meta charset=\"utf-8\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; img-src data:; script-src '" TP_HTML_SCRIPT_HASH
		   "'; base-uri 'none'; form-action 'none'\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
		   "<meta name=\"generator\" content=\"tprof " PACKAGE_VERSION "\"/>\n"
		   "<link rel=\"icon\" href=\"data:,\"/>\n");
	add_element(&text, "<meta name=\"description\" content=\"", page->description, "\"/>\n");
	add_element(&text, "<title>", page->title, "</title>\n<style>\n");
	tp_str_add(&text, html_rules);
	tp_svg_rules(&text, TP_SVG_AUTO);
	tp_str_add(&text, "</style>\n</head>\n<body>\n");
	add_element(&text, "<header><h1>", page->title, "</h1>\n");
	if (page->subtitle)
		add_element(&text, "<p>", page->subtitle, "</p>\n");
	tp_str_add(&text, "</header>\n");
	add_contents(words, &text);
	tp_str_add(&text, "<main>\n");
	add_sections(words, page->result_first, &text);
	tp_str_add(&text, "</main>\n<footer><p>Written by tprof " PACKAGE_VERSION
			  ". A click on the head of a column sorts its table; pictures show "
			  "values under the pointer.</p></footer>\n<script>");
	tp_str_add(&text, html_script);
	tp_str_add(&text, "</script>\n</body>\n</html>\n");
	tp_str_add_n(out, tp_str_text(&text), text.len);
}
