/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules for every SVG document, checked on its text alone: it is well-formed XML and takes nothing
 * from outside; no word lies on another word, on a line of another role, or outside the picture.
 * Include after cmocka.h.
 */
#ifndef TPROF_TESTS_SVG_CHECK_H
#define TPROF_TESTS_SVG_CHECK_H

#include "plot/layout.h"
#include "plot/svg_medium.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- XML --- */

enum { XML_DEPTH = 32 };

static inline const char *xml_name(const char *p, char *out, size_t size)
{
	size_t n = 0;
	while (isalnum((unsigned char)*p) || *p == '-' || *p == ':') {
		if (n + 1 < size)
			out[n++] = *p;
		p++;
	}
	out[n] = '\0';
	if (!n)
		fail_msg("no name at: %.40s", p);
	return p;
}

/* Skips an entity or a character; fails if XML forbids it. */
static inline const char *xml_character(const char *p)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	if (*p == '&') {
		for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++)
			if (strncmp(p, entities[i], strlen(entities[i])) == 0)
				return p + strlen(entities[i]);
		fail_msg("bare & at: %.40s", p);
	}
	const unsigned char *u = (const unsigned char *)p;
	size_t n = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : u[0] >= 0xc2 ? 2 : 0;
	uint32_t c = n == 1 ? u[0] : n ? u[0] & (0xffu >> (n + 1)) : 0;
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			fail_msg("malformed UTF-8 at: %.40s", p);
		c = c << 6 | (u[i] & 0x3fu);
	}
	if (!n || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe ||
	    (c < ' ' && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0))
		fail_msg("a character that XML forbids (%x) at: %.40s", (unsigned)c, p);
	return p + n;
}

static inline const char *xml_attributes(const char *p)
{
	char name[40];
	while (isspace((unsigned char)*p)) {
		while (isspace((unsigned char)*p))
			p++;
		if (*p == '/' || *p == '>' || *p == '?')
			break;
		p = xml_name(p, name, sizeof(name));
		if (p[0] != '=' || p[1] != '"')
			fail_msg("attribute %s without a value", name);
		for (p += 2; *p != '"'; p = xml_character(p))
			if (!*p || *p == '<')
				fail_msg("attribute %s does not end", name);
		p++;
	}
	return p;
}

/* Fails unless the text is one well-formed element, with a declaration before it. */
static inline void check_xml(const char *text)
{
	char open[XML_DEPTH][40], name[40];
	size_t depth = 0, roots = 0;
	assert_true(strncmp(text, "<?xml ", 6) == 0);
	for (const char *p = strstr(text, "?>") + 2; *p;) {
		if (strncmp(p, "<![CDATA[", 9) == 0) {
			p = strstr(p, "]]>");
			assert_non_null(p);
			p += 3;
		} else if (p[0] == '<' && p[1] == '/') {
			p = xml_name(p + 2, name, sizeof(name));
			assert_true(depth > 0);
			assert_string_equal(name, open[--depth]);
			assert_int_equal(*p++, '>');
		} else if (*p == '<') {
			p = xml_attributes(xml_name(p + 1, name, sizeof(name)));
			roots += depth == 0;
			if (p[0] == '/' && p[1] == '>') {
				p += 2;
				continue;
			}
			assert_int_equal(*p++, '>');
			assert_true(depth < XML_DEPTH);
			strcpy(open[depth++], name);
		} else {
			if (depth == 0)
				assert_true(isspace((unsigned char)*p));
			p = xml_character(p);
		}
	}
	assert_int_equal(depth, 0);
	assert_int_equal(roots, 1);
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "href"));
	assert_null(strstr(text, "url("));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "\"inf"));
	assert_null(strstr(text, "-0 "));
}

/* --- words and lines --- */

struct svg_word {
	struct tp_quad quad;
	char role[16], text[256];
	bool in_plot; /* a name, a note or a legend entry */
};

struct svg_words {
	struct svg_word *items;
	size_t n;
};

/* The sizes that the classes have in the style sheet, written down a second time. */
static inline double svg_size(const char *class, bool *bold, bool *in_plot)
{
	static const struct {
		const char *class;
		double size;
		bool bold, in_plot;
	} sizes[] = {
		{ "heading", 19, true, false }, { "title", 15, true, false },
		{ "body", 12.5, false, false }, { "small", 11.5, false, false },
		{ "unit", 12, false, false },	{ "tick", 11, false, false },
		{ "name", 12, true, true },	{ "note", 11, false, true },
		{ "key", 12, false, true },
	};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strcmp(sizes[i].class, class) == 0) {
			*bold = sizes[i].bold;
			*in_plot = sizes[i].in_plot;
			return sizes[i].size;
		}
	fail_msg("no words of class %s", class);
	return 0;
}

static inline void svg_unescape(const char *from, size_t n, char *to, size_t size)
{
	static const struct {
		const char *entity;
		char c;
	} entities[] = { { "&amp;", '&' },
			 { "&lt;", '<' },
			 { "&gt;", '>' },
			 { "&quot;", '"' },
			 { "&#39;", '\'' } };
	size_t used = 0;
	for (size_t i = 0; i < n && used + 1 < size;) {
		size_t step = 1;
		char c = from[i];
		for (size_t e = 0; c == '&' && e < 5; e++)
			if (strncmp(from + i, entities[e].entity, strlen(entities[e].entity)) ==
			    0) {
				c = entities[e].c;
				step = strlen(entities[e].entity);
				break;
			}
		to[used++] = c;
		i += step;
	}
	to[used] = '\0';
}

static inline double svg_attribute(const char *tag, const char *end, const char *name)
{
	char wanted[16];
	snprintf(wanted, sizeof(wanted), " %s=\"", name);
	const char *at = strstr(tag, wanted);
	return at && at < end ? strtod(at + strlen(wanted), NULL) : NAN;
}

/*
 * Every <text> with its box: ascent and descent of common sans-serif faces, and their greatest
 * widths. Free items.
 */
static inline struct svg_words svg_read_words(const char *svg)
{
	struct svg_words words = { 0 };
	for (const char *p = svg; (p = strstr(p, "<text ")); p++) {
		char class[16], role[16];
		const char *end = strchr(p, '>'), *close = strstr(p, "</text>");
		assert_true(end && close);
		if (sscanf(p, "<text class=\"tp-%15[a-z] tp-%15[a-z0-9]\"", class, role) != 2)
			fail_msg("no classes: %.60s", p);
		words.items = realloc(words.items, (words.n + 1) * sizeof(*words.items));
		struct svg_word *w = &words.items[words.n++];
		bool bold = false;
		double size = svg_size(class, &bold, &w->in_plot), degrees = 0;
		double x = svg_attribute(p, end, "x"), y = svg_attribute(p, end, "y");
		strcpy(w->role, role);
		svg_unescape(end + 1, (size_t)(close - end - 1), w->text, sizeof(w->text));
		const char *turn = strstr(p, "transform=\"translate(");
		if (turn && turn < end)
			assert_int_equal(sscanf(turn, "transform=\"translate(%lf %lf) rotate(%lf)",
						&x, &y, &degrees),
					 3);
		/* As wide as BODY, 12.5 px, at another size and weight. */
		double width = tp_svg_width(w->text, TP_WORD_BODY) * size / 12.5, back = 0;
		width *= bold ? 1.14 : 1;
		const char *anchor = strstr(p, "text-anchor=\"");
		if (anchor && anchor < end)
			back = anchor[13] == 'm' ? width / 2 : width;
		double angle = degrees * acos(-1) / 180;
		w->quad = tp_quad_turned(x - back * cos(angle), y - back * sin(angle), degrees,
					 width, 0.74 * size, 0.21 * size);
	}
	return words;
}

/* A shape without an area. */
static inline struct tp_quad svg_line(double x0, double y0, double x1, double y1)
{
	return (struct tp_quad){ { x0, x1, x1, x0 }, { y0, y1, y1, y0 } };
}

/* No name, note or legend entry is crossed by a line of another role. */
static inline void check_lines_avoid(const char *svg, const struct svg_words *words)
{
	static const char *const lines[] = { "tp-roof", "tp-thin", "tp-curve", "tp-edge" };
	for (const char *p = svg; (p = strstr(p, "<path class=\"tp-line ")); p++) {
		char class[16], role[16];
		bool counts = false;
		if (sscanf(p, "<path class=\"tp-line %15[a-z-] tp-%15[a-z0-9]\"", class, role) != 2)
			fail_msg("no classes: %.60s", p);
		for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
			counts |= strcmp(class, lines[i]) == 0;
		const char *d = strstr(p, " d=\"");
		if (!counts || !d)
			continue;
		double last_x = NAN, last_y = NAN;
		for (d += 4; *d && *d != '"' && *d != 'z';) {
			char command = *d++, *next;
			double x = strtod(d, &next), y = strtod(next, &next);
			d = next;
			struct tp_quad line = svg_line(last_x, last_y, x, y);
			for (size_t i = 0; command == 'L' && i < words->n; i++)
				if (words->items[i].in_plot &&
				    strcmp(words->items[i].role, role) != 0 &&
				    tp_quad_meets(&words->items[i].quad, &line))
					fail_msg("\"%s\" lies on a line of %s",
						 words->items[i].text, role);
			last_x = x;
			last_y = y;
		}
	}
}

static inline void check_svg(const char *svg)
{
	struct tp_rect page = { 0 };
	check_xml(svg);
	const char *box = strstr(svg, "viewBox=\"0 0 ");
	assert_non_null(box);
	assert_int_equal(sscanf(box, "viewBox=\"0 0 %lf %lf\"", &page.width, &page.height), 2);
	struct svg_words words = svg_read_words(svg);
	for (size_t i = 0; i < words.n; i++) {
		if (!tp_quad_inside(&words.items[i].quad, &page))
			fail_msg("\"%s\" leaves the %g x %g picture", words.items[i].text,
				 page.width, page.height);
		for (size_t k = 0; k < i; k++)
			if (tp_quad_meets(&words.items[i].quad, &words.items[k].quad))
				fail_msg("\"%s\" and \"%s\" overlap, %g x %g", words.items[i].text,
					 words.items[k].text, page.width, page.height);
	}
	check_lines_avoid(svg, &words);
	free(words.items);
}

#endif
