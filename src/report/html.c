/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page around a body: head, style sheet, contents, sections, captions, script. */
#include "report/html.h"
#include "base/text.h"
#include "plot/svg.h"

#include <string.h>

/*
 * Browsers run the script by its SHA-256 in Base64, and no other: tests/cli/html.sh says what it
 * is when the script changes.
 */
#define TP_HTML_SCRIPT_HASH "sha256-KyZtGcaHU3tPsfFBDs332tMq+l3KTzb430ovqgardko="

/*
 * Light and dark are the colours of the pictures (src/plot/svg_medium.c); every word has a contrast
 * of 4.5 and more on its paper. Paper that is printed is white.
 */
#define DARK                                                                                       \
	"color-scheme:dark;--paper:#12161c;--ink:#e8ebf0;--dim:#a6b1bf;--rule:#2b333e;"            \
	"--soft:#1a2028;--good:#4bd07f;--warn:#f0a050;--bad:#ff8a80;--link:#6aaeff"

/* The style sheet, but for that of pictures. Neither text holds "<" or "&". */
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
/*
 * Sizes and times are sorted by what they mean: 1.5M is more than 900K. Words come behind numbers.
 */
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

/* A walk over the lines of a body. Each element ends its line. */
struct walk {
	const char *at, *line;
	size_t len; /* of the line, without its end */
};

static bool next_line(struct walk *w)
{
	if (!*w->at)
		return false;
	w->line = w->at;
	w->len = strcspn(w->at, "\n");
	w->at += w->len + (w->at[w->len] == '\n');
	return true;
}

static bool line_begins(const struct walk *w, const char *with)
{
	size_t n = strlen(with);
	return w->len >= n && memcmp(w->line, with, n) == 0;
}

/* What stands between the tags of a line: of "<h2>Flags</h2>" the word. */
static void add_inner(const struct walk *w, struct tp_str *out)
{
	const char *from = memchr(w->line, '>', w->len);
	const char *to = w->line + w->len;
	while (to > w->line && *to != '<')
		to--;
	if (from && to > from)
		tp_str_add_n(out, from + 1, (size_t)(to - from - 1));
}

/* --- contents --- */

static size_t count_titles(const char *body)
{
	struct walk w = { .at = body };
	size_t n = 0;
	while (next_line(&w))
		n += line_begins(&w, "<h2");
	return n;
}

static void add_contents(const char *body, struct tp_str *out)
{
	struct walk w = { .at = body };
	size_t n = 0;
	if (count_titles(body) < CONTENTS_FROM)
		return;
	tp_str_add(out, "<nav aria-label=\"Contents\"><details><summary>Contents</summary><ol>\n");
	while (next_line(&w)) {
		if (!line_begins(&w, "<h2"))
			continue;
		tp_str_printf(out, "<li><a href=\"#s%zu\">", ++n);
		add_inner(&w, out);
		tp_str_add(out, "</a></li>\n");
	}
	tp_str_add(out, "</ol></details></nav>\n");
}

/* --- sections --- */

/* What a table is called: the last title, and its own first words. */
static void add_caption(const struct walk *at, const struct tp_str *title, struct tp_str *out)
{
	struct walk w = *at;
	TP_STR name = { 0 };
	const char *cell, *end;
	tp_str_add(&name, tp_str_text(title));
	if (next_line(&w) && line_begins(&w, "<thead>") && (cell = strstr(w.line, "<th scope=")) &&
	    cell < w.line + w.len && (cell = strchr(cell, '>')) && (end = strchr(cell, '<'))) {
		tp_str_add(&name, name.len ? ": " : "");
		tp_str_add_n(&name, cell + 1, (size_t)(end - cell - 1));
	}
	/* The frame is scrolled with keys where the table is wider than the page. */
	tp_str_printf(out,
		      "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"%s\">"
		      "<table>",
		      tp_str_text(&name));
	tp_str_printf(out, "<caption>%s</caption>\n", tp_str_text(&name));
}

static void add_sections(const char *body, bool result_first, struct tp_str *out)
{
	struct walk w = { .at = body };
	TP_STR title = { 0 };
	size_t n = 0;
	while (next_line(&w)) {
		if (line_begins(&w, "<h2")) {
			tp_str_printf(out,
				      "%s<section%s aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">",
				      n ? "</section>\n" : "",
				      n || !result_first ? "" : " class=\"result\"", n + 1, n + 1);
			n++;
			tp_str_clear(&title);
			add_inner(&w, &title);
			tp_str_printf(out, "%s</h2>\n", tp_str_text(&title));
		} else if (line_begins(&w, "<div class=\"table\">")) {
			add_caption(&w, &title, out);
		} else {
			tp_str_add_n(out, w.line, w.len);
			tp_str_add(out, "\n");
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

void tp_html_page_make(const struct tp_html_page *page, const struct tp_str *body,
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
	add_contents(tp_str_text(body), &text);
	tp_str_add(&text, "<main>\n");
	add_sections(tp_str_text(body), page->result_first, &text);
	tp_str_add(&text, "</main>\n<footer><p>Written by tprof " PACKAGE_VERSION
			  ". A click on the head of a column sorts its table; pictures show "
			  "values under the pointer.</p></footer>\n<script>");
	tp_str_add(&text, html_script);
	tp_str_add(&text, "</script>\n</body>\n</html>\n");
	tp_str_add_n(out, tp_str_text(&text), text.len);
}
