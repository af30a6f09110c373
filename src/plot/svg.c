/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents: head, words, pictures one below the other. */
#include "base/text.h"
#include "plot/svg_parts.h"

#include <string.h>

void tp_svg_begin(struct tp_str *out, unsigned width, unsigned height, enum tp_svg_theme theme,
		  const char *title, const char *description)
{
	tp_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	tp_str_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" role=\"img\" "
		      "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		      width, height, width, height);
	tp_str_add_markup(out, title);
	tp_str_add(out, "</title>\n<desc>");
	tp_str_add_markup(out, description);
	tp_str_add(out, "</desc>\n");
	tp_svg_style(out, theme);
	tp_str_add(out, "<rect class=\"tp-paper\" width=\"100%\" height=\"100%\"/>\n");
}

void tp_svg_end(struct tp_str *out)
{
	tp_str_add(out, "</svg>\n");
}

void tp_svg_words(struct tp_str *out, double x, double y, enum tp_plot_word word,
		  enum tp_plot_role role, const char *text)
{
	const struct tp_label label = { .text = text, .x = x, .y = y, .word = word, .role = role };
	tp_svg_draw_label(out, &label);
}

/* Bytes of `text` that fit into a line: at least one word. */
static size_t line_length(const char *text, double width, enum tp_plot_word word)
{
	size_t fits = strcspn(text, " ");
	for (size_t end = fits; text[end]; fits = end) {
		end += 1 + strcspn(text + end + 1, " ");
		if (tp_svg_width_n(text, end, word) > width)
			break;
	}
	return fits;
}

double tp_svg_paragraph(struct tp_str *out, double x, double y, double width,
			enum tp_plot_word word, enum tp_plot_role role, const char *text)
{
	static const double leading = 1.45;
	struct tp_arena arena = { 0 };
	while (*text) {
		size_t n = line_length(text, width, word);
		char *line = tp_arena_strndup(&arena, text, n);
		const char *fit = line ? tp_svg_fit(&arena, line, word, width) : NULL;
		if (!fit) {
			out->oom = true;
			break;
		}
		tp_svg_words(out, x, y, word, role, fit);
		y += leading * tp_svg_word_looks[word].size;
		text += n + strspn(text + n, " ");
	}
	tp_arena_release(&arena);
	return y;
}

static enum tp_status draw(const struct tp_scene *scene, double x, double y, double width,
			   double height, const struct tp_svg_hover *hover, struct tp_str *out)
{
	struct tp_layout layout;
	const struct tp_rect box = { x, y, width, height };
	size_t before = out->len;
	if (!(width >= TP_SVG_WIDTH_MIN && height >= TP_SVG_HEIGHT_MIN &&
	      width <= TP_SVG_SIDE_MAX && height <= TP_SVG_SIDE_MAX))
		return TP_USAGE;
	if (tp_layout_make(scene, &tp_medium_pixels, &box, &layout) != TP_OK)
		return TP_NOMEM;
	tp_svg_draw(scene, &layout, out);
	if (hover)
		tp_svg_draw_hover(scene, &layout, hover, out);
	tp_layout_release(&layout);
	if (!out->oom)
		return TP_OK;
	if (out->s)
		out->s[out->len = before] = '\0';
	return TP_NOMEM;
}

enum tp_status tp_svg_picture(const struct tp_scene *scene, double x, double y, double width,
			      double height, struct tp_str *out)
{
	return draw(scene, x, y, width, height, NULL, out);
}

void tp_svg_inline_begin(struct tp_str *out, unsigned width, unsigned height, const char *class,
			 const char *label)
{
	tp_str_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\" "
		      "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" aria-label=\"",
		      class, width, height, width, height);
	tp_str_add_markup(out, label);
	tp_str_add(out, "\">\n");
}

void tp_svg_inline_end(struct tp_str *out)
{
	tp_str_add(out, "</svg>\n");
}

enum tp_status tp_svg_inline(const struct tp_scene *scene, unsigned width, unsigned height,
			     const char *class, const char *label, const struct tp_svg_hover *hover,
			     struct tp_str *out)
{
	size_t before = out->len;
	tp_svg_inline_begin(out, width, height, class, label);
	enum tp_status status = draw(scene, 0, 0, width, height, hover, out);
	if (status == TP_OK)
		tp_svg_inline_end(out);
	else if (out->s)
		out->s[out->len = before] = '\0';
	return status;
}
