/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents: head, words, pictures one below the other. */
#include "ui/plot/svg.h"
#include "ui/plot/svg_draw.h"
#include "ui/plot/svg_style.h"
#include "ui/plot/svg_text.h"

#include <string.h>

enum { MARGIN = 16 }; /* px around a picture that is a document of its own */

static const struct {
	double size_px;
	bool bold;
} words[TP_SVG_WORD_COUNT] = {
#define TP_SVG_WORD_ROW(name, text, size_px, bold) { size_px, bold },
	TP_SVG_WORD_LIST(TP_SVG_WORD_ROW)
#undef TP_SVG_WORD_ROW
};

double tp_svg_word_size(enum tp_svg_word word)
{
	return words[word].size_px;
}

bool tp_svg_word_bold(enum tp_svg_word word)
{
	return words[word].bold;
}

void tp_svg_begin(struct tp_str *out, const struct tp_svg_options *options, const char *title,
		  const char *description)
{
	tp_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	tp_str_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" role=\"img\" "
		      "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		      options->width, options->height, options->width, options->height);
	tp_svg_escape(out, title);
	tp_str_add(out, "</title>\n<desc>");
	tp_svg_escape(out, description);
	tp_str_add(out, "</desc>\n");
	tp_svg_style(out, options->theme);
	tp_str_add(out, "<rect class=\"tp-paper\" width=\"100%\" height=\"100%\"/>\n");
}

void tp_svg_end(struct tp_str *out)
{
	tp_str_add(out, "</svg>\n");
}

void tp_svg_words(struct tp_str *out, double x, double y, enum tp_svg_word word,
		  enum tp_plot_role role, const char *text)
{
	const struct tp_svg_label label = {
		.text = text, .x = x, .y = y, .word = word, .role = role
	};
	tp_svg_draw_label(out, &label);
}

/* Bytes of `text` that fit into a line, at least one word; *next is where the following line begins. */
static size_t line_length(const char *text, double width, double size_px, bool bold, size_t *next)
{
	struct tp_str line = { 0 };
	size_t fits = 0;
	for (size_t end = 0;; end++) {
		end += strcspn(text + end, " ");
		tp_str_clear(&line);
		tp_str_add_n(&line, text, end);
		bool too_wide = tp_svg_width(tp_str_text(&line), size_px, bold) > width;
		if (!fits || !too_wide)
			fits = end;
		if (too_wide || !text[end])
			break;
	}
	tp_str_release(&line);
	*next = fits + strspn(text + fits, " ");
	return fits;
}

double tp_svg_paragraph(struct tp_str *out, double x, double y, double width, enum tp_svg_word word,
			enum tp_plot_role role, const char *text)
{
	static const double leading = 1.45;
	double size = tp_svg_word_size(word);
	struct tp_arena arena = { 0 };
	for (size_t next; *text; text += next) {
		size_t n = line_length(text, width, size, tp_svg_word_bold(word), &next);
		char *line = tp_arena_strndup(&arena, text, n);
		const char *fit =
			line ? tp_svg_fit(&arena, line, size, tp_svg_word_bold(word), width) : NULL;
		if (!fit) {
			out->oom = true;
			break;
		}
		tp_svg_words(out, x, y, word, role, fit);
		y += leading * size;
	}
	tp_arena_release(&arena);
	return y;
}

enum tp_status tp_svg_picture(const struct tp_scene *scene, double x, double y, double width,
			      double height, struct tp_str *out)
{
	struct tp_svg_layout layout;
	const struct tp_rect box = { x, y, width, height };
	if (!(width >= TP_SVG_WIDTH_MIN - 2 * MARGIN && height >= TP_SVG_HEIGHT_MIN - 2 * MARGIN &&
	      width <= TP_SVG_SIDE_MAX && height <= TP_SVG_SIDE_MAX))
		return TP_USAGE;
	enum tp_status status = tp_svg_layout_make(scene, &box, &layout);
	if (status != TP_OK)
		return status;
	struct tp_str text = { 0 };
	tp_svg_draw(scene, &layout, &text);
	tp_svg_layout_release(&layout);
	if (!text.oom)
		tp_str_add_n(out, tp_str_text(&text), text.len);
	status = text.oom || out->oom ? TP_NOMEM : TP_OK;
	tp_str_release(&text);
	return status;
}

/* What the picture shows, for those who do not see it. */
static void describe(const struct tp_scene *scene, struct tp_str *out)
{
	const char *joint = ": ";
	tp_str_printf(out, "%s over %s", scene->y.label ? scene->y.label : "values",
		      scene->x.label ? scene->x.label : "values");
	for (size_t i = 0; i < scene->n_series; i++)
		if (scene->series[i].label) {
			tp_str_printf(out, "%s%s", joint, scene->series[i].label);
			joint = ", ";
		}
}

enum tp_status tp_plot_svg(const struct tp_scene *scene, const struct tp_svg_options *options,
			   struct tp_str *out)
{
	struct tp_str text = { 0 }, description = { 0 };
	if (options->width < TP_SVG_WIDTH_MIN || options->height < TP_SVG_HEIGHT_MIN ||
	    options->width > TP_SVG_SIDE_MAX || options->height > TP_SVG_SIDE_MAX)
		return TP_USAGE;
	describe(scene, &description);
	tp_svg_begin(&text, options, scene->title ? scene->title : "", tp_str_text(&description));
	enum tp_status status = tp_svg_picture(scene, MARGIN, MARGIN, options->width - 2 * MARGIN,
					       options->height - 2 * MARGIN, &text);
	tp_svg_end(&text);
	if (status == TP_OK && !text.oom && !description.oom)
		tp_str_add_n(out, tp_str_text(&text), text.len);
	if (status == TP_OK && (text.oom || description.oom || out->oom))
		status = TP_NOMEM;
	tp_str_release(&text);
	tp_str_release(&description);
	return status;
}
