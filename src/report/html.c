/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page around a body: head, style sheet, contents, sections, captions, script. */
#include "report/html.h"
#include "base/text.h"
#include "base/vec.h"
#include "plot/svg.h"
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

/* Shorter pages are seen at once. */
enum { CONTENTS_FROM = 4 };

/* A walk over the lines of a body. Lines are elements: see html_body.c. */
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

static bool begins(const struct walk *w, const char *with)
{
	size_t n = strlen(with);
	return w->len >= n && memcmp(w->line, with, n) == 0;
}

/* What stands between the tags of a line: of "<h2>Flags</h2>" the word. */
static void inner(const struct walk *w, struct tp_str *out)
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
		n += begins(&w, "<h2");
	return n;
}

static void contents(const char *body, struct tp_str *out)
{
	struct walk w = { .at = body };
	size_t n = 0;
	if (count_titles(body) < CONTENTS_FROM)
		return;
	tp_str_add(out, "<nav aria-label=\"Contents\"><details><summary>Contents</summary><ol>\n");
	while (next_line(&w)) {
		if (!begins(&w, "<h2"))
			continue;
		tp_str_printf(out, "<li><a href=\"#s%zu\">", ++n);
		inner(&w, out);
		tp_str_add(out, "</a></li>\n");
	}
	tp_str_add(out, "</ol></details></nav>\n");
}

/* --- sections --- */

/* What a table is called: the last title, and its own first words. */
static void caption(const struct walk *at, const struct tp_str *title, struct tp_str *out)
{
	struct walk w = *at;
	struct tp_str name = { 0 };
	const char *cell, *end;
	tp_str_add(&name, tp_str_text(title));
	if (next_line(&w) && begins(&w, "<thead>") && (cell = strstr(w.line, "<th scope=")) &&
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
	out->oom |= name.oom;
	tp_str_release(&name);
}

static void sections(const char *body, bool result_first, struct tp_str *out)
{
	struct walk w = { .at = body };
	struct tp_str title = { 0 };
	size_t n = 0;
	while (next_line(&w)) {
		if (begins(&w, "<h2")) {
			tp_str_printf(out,
				      "%s<section%s aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">",
				      n ? "</section>\n" : "",
				      n || !result_first ? "" : " class=\"result\"", n + 1, n + 1);
			n++;
			tp_str_clear(&title);
			inner(&w, &title);
			tp_str_printf(out, "%s</h2>\n", tp_str_text(&title));
		} else if (begins(&w, "<div class=\"table\">")) {
			caption(&w, &title, out);
		} else {
			tp_str_add_n(out, w.line, w.len);
			tp_str_add(out, "\n");
		}
	}
	tp_str_add(out, n ? "</section>\n" : "");
	out->oom |= title.oom;
	tp_str_release(&title);
}

/* --- page --- */

static void element(struct tp_str *out, const char *before, const char *text, const char *behind)
{
	tp_str_add(out, before);
	tp_str_add_markup(out, text);
	tp_str_add(out, behind);
}

static void head(const struct tp_html_page *page, struct tp_str *out)
{
	tp_str_add(out,
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
	element(out, "<meta name=\"description\" content=\"", page->description, "\"/>\n");
	element(out, "<title>", page->title, "</title>\n<style>\n");
	tp_str_add(out, tp_html_rules);
	tp_svg_rules(out, TP_SVG_AUTO);
	tp_str_add(out, "</style>\n</head>\n<body>\n");
	element(out, "<header><h1>", page->title, "</h1>\n");
	if (page->subtitle)
		element(out, "<p>", page->subtitle, "</p>\n");
	tp_str_add(out, "</header>\n");
}

enum tp_status tp_html_page_make(const struct tp_html_page *page, const struct tp_str *body,
				 struct tp_str *out)
{
	struct tp_str text = { .oom = body->oom };
	head(page, &text);
	contents(tp_str_text(body), &text);
	tp_str_add(&text, "<main>\n");
	sections(tp_str_text(body), page->result_first, &text);
	tp_str_add(&text, "</main>\n<footer><p>Written by tprof " PACKAGE_VERSION
			  ". A click on the head of a column sorts its table; pictures show "
			  "values under the pointer.</p></footer>\n<script>");
	tp_str_add(&text, tp_html_script);
	tp_str_add(&text, "</script>\n</body>\n</html>\n");
	if (!text.oom)
		tp_str_add_n(out, tp_str_text(&text), text.len);
	enum tp_status status = text.oom || out->oom ? TP_NOMEM : TP_OK;
	tp_str_release(&text);
	return status;
}
