/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of heat maps and bars as boxes of an SVG document. */
#include "base/text.h"
#include "base/vec.h"
#include "plot/area.h"
#include "plot/svg_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* px */
static const double gap = 1, bar_text = 7, half_capital = 4, whisker = 4;

void tp_svg_box(struct tp_str *out, const struct tp_rect *box, const char *class,
		enum tp_plot_role role)
{
	const double numbers[] = { box->x, box->y, box->width, box->height };
	static const char *const names[] = { "x", "y", "width", "height" };
	tp_str_printf(out, "<rect class=\"tp-tile%s tp-%s\"", class, tp_svg_role_class(role));
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++) {
		tp_str_printf(out, " %s=\"", names[i]);
		tp_svg_number(out, numbers[i]);
		tp_str_add(out, "\"");
	}
	tp_str_add(out, "/>\n");
}

static void add_words(struct tp_str *out, double x, double y, bool in_middle, const char *class,
		      const char *words)
{
	tp_str_printf(out, "<text class=\"tp-note %s\"%s x=\"", class,
		      in_middle ? " text-anchor=\"middle\"" : "");
	tp_svg_number(out, x);
	tp_str_add(out, "\" y=\"");
	tp_svg_number(out, y + half_capital);
	tp_str_add(out, "\">");
	tp_str_add_markup(out, words);
	tp_str_add(out, "</text>\n");
}

/* Its value if there is room, else its percent of the best. */
static void draw_tile(const struct tp_tile *tile, const struct tp_rect *rect, struct tp_str *out)
{
	enum tp_plot_role role = tp_tile_role(tile);
	const struct tp_rect box = { rect->x + gap, rect->y + gap, fmax(rect->width - 2 * gap, 1),
				     fmax(rect->height - 2 * gap, 1) };
	char words[TP_TILE_BYTES], class[32];
	/* Wide enough for the text, then as few columns as percents need. */
	static const int columns[] = { TP_TILE_BYTES, 4, 3, 1 };
	size_t i = 0;
	if (role != TP_ROLE_AXIS)
		tp_svg_box(out, &box, tile->mark == '*' ? " tp-first" : "", role);
	for (; i < TP_COUNT_OF(columns); i++)
		if (tp_svg_width(tp_tile_words(tile, columns[i], words), TP_WORD_NOTE) <= box.width)
			break;
	if (i == TP_COUNT_OF(columns) || box.height < 3 * half_capital)
		return;
	/* Blanks that line words up in cells have no use here. */
	const char *first = words + strspn(words, " ");
	for (size_t end = strlen(words); end && words[end - 1] == ' ';)
		words[--end] = '\0';
	snprintf(class, sizeof(class), role == TP_ROLE_AXIS ? "tp-%s" : "tp-on-%s",
		 tp_svg_role_class(role));
	add_words(out, box.x + box.width / 2, box.y + box.height / 2, true, class, first);
}

/* The interval lies over the end of the bar, and its value behind both. */
static void draw_bar(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		     const struct tp_rect *rect, struct tp_str *out)
{
	double end = rect->x + rect->width, middle = rect->y + rect->height / 2;
	double right = layout->box.x + layout->box.width;
	struct tp_rect low, high;
	tp_svg_box(out, rect, "", s->role);
	if (s->low && s->high) {
		struct tp_series ends[2] = { *s, *s };
		ends[0].x = s->low;
		ends[1].x = s->high;
		if (tp_area_rect(layout, &ends[0], i, &low) &&
		    tp_area_rect(layout, &ends[1], i, &high) && high.width - low.width > 1.5) {
			tp_str_add(out, "<path class=\"tp-line tp-bar tp-ink\" d=\"M");
			tp_svg_number(out, low.x + low.width);
			tp_str_add(out, " ");
			tp_svg_number(out, middle);
			tp_str_add(out, "H");
			tp_svg_number(out, high.x + high.width);
			tp_str_add(out, "M");
			tp_svg_number(out, high.x + high.width);
			tp_str_add(out, " ");
			tp_svg_number(out, middle - whisker);
			tp_str_add(out, "v");
			tp_svg_number(out, 2 * whisker);
			tp_str_add(out, "\"/>\n");
			end = fmax(end, high.x + high.width);
		}
	}
	if (!s->tiles || !s->tiles[i].text)
		return;
	char words[TP_TILE_BYTES];
	snprintf(words, sizeof(words), "%s%s", s->tiles[i].text,
		 s->tiles[i].mark == '*' ? " *" : "");
	if (end + bar_text + tp_svg_width(words, TP_WORD_NOTE) <= right)
		add_words(out, end + bar_text, middle, false, "tp-ink", words);
}

void tp_svg_draw_areas(const struct tp_scene *scene, const struct tp_layout *layout,
		       struct tp_str *out)
{
	struct tp_rect rect;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		for (size_t k = 0; tp_is_area(s) && k < s->n; k++) {
			if (!tp_area_rect(layout, s, k, &rect))
				continue;
			if (s->style == TP_STYLE_TILES)
				draw_tile(&s->tiles[k], &rect, out);
			else
				draw_bar(layout, s, k, &rect, out);
		}
	}
}
