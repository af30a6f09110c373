/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture says under the pointer: unseen shapes over points and lines, each with a title. */
#include "base/text.h"
#include "base/vec.h"
#include "plot/area.h"
#include "plot/svg_parts.h"
#include "plot/trace.h"

#include <math.h>
#include <stdint.h>

/* px: of the place around a point; points nearer to each other share one. */
static const double radius = 6, apart = 7;

struct hover {
	const struct tp_svg_hover *said;
	const struct tp_layout *layout;
	struct tp_str *out, path;
	double x, y; /* where the last piece of a line ends */
	bool open; /* the group of the series is begun */
};

static void number(struct tp_str *out, const char *before, double value)
{
	tp_str_add(out, before);
	tp_svg_number(out, value);
}

static void begin(struct hover *h, const struct tp_series *s)
{
	if (!h->open)
		tp_str_printf(h->out, "<g class=\"tp-hits tp-%s\">\n", tp_svg_role_class(s->role));
	h->open = true;
}

static void title(struct hover *h, const char *words, const char *element)
{
	tp_str_add(h->out, "><title>");
	tp_str_add_markup(h->out, words);
	tp_str_printf(h->out, "</title></%s>\n", element);
}

static void add_piece(void *context, const struct tp_line *piece)
{
	struct hover *h = context;
	struct tp_line line;
	if (!tp_trace_place(h->layout, piece, &line))
		return;
	if (!h->path.len || hypot(line.x0 - h->x, line.y0 - h->y) > 0.01) {
		number(&h->path, "M", line.x0);
		number(&h->path, " ", line.y0);
	}
	number(&h->path, "L", h->x = line.x1);
	number(&h->path, " ", h->y = line.y1);
}

static void over_line(struct hover *h, const struct tp_scene *scene, size_t series)
{
	char room[TP_SVG_HOVER_BYTES];
	const struct tp_series *s = &scene->series[series];
	const char *words = h->said->say(h->said->context, series, TP_SVG_LINE, room, sizeof(room));
	if (!*words)
		return;
	tp_trace_line(h->layout, s, add_piece, h);
	if (h->path.len) {
		begin(h, s);
		tp_str_printf(h->out, "<path d=\"%s\"", tp_str_text(&h->path));
		title(h, words, "path");
	}
	h->out->oom |= h->path.oom;
	tp_str_clear(&h->path);
}

static void over_point(struct hover *h, const struct tp_series *s, size_t k, const char *words)
{
	struct tp_rect rect;
	double x, y;
	if (tp_is_area(s)) {
		if (!tp_area_rect(h->layout, s, k, &rect))
			return;
		begin(h, s);
		number(h->out, "<rect x=\"", rect.x);
		number(h->out, "\" y=\"", rect.y);
		number(h->out, "\" width=\"", fmax(rect.width, 1));
		number(h->out, "\" height=\"", rect.height);
		tp_str_add(h->out, "\"");
		title(h, words, "rect");
		return;
	}
	if (!tp_layout_point(h->layout, s->x[k], s->y[k], &x, &y) ||
	    hypot(x - h->x, y - h->y) < apart)
		return;
	begin(h, s);
	number(h->out, "<circle cx=\"", h->x = x);
	number(h->out, "\" cy=\"", h->y = y);
	number(h->out, "\" r=\"", radius);
	tp_str_add(h->out, "\"");
	title(h, words, "circle");
}

static void over_points(struct hover *h, const struct tp_scene *scene, size_t series)
{
	const struct tp_series *s = &scene->series[series];
	h->x = h->y = -INFINITY;
	for (size_t k = 0; k < s->n; k++) {
		char room[TP_SVG_HOVER_BYTES];
		const char *words = h->said->say(h->said->context, series, k, room, sizeof(room));
		if (*words)
			over_point(h, s, k, words);
	}
}

void tp_svg_draw_hover(const struct tp_scene *scene, const struct tp_layout *layout,
		       const struct tp_svg_hover *said, struct tp_str *out)
{
	struct hover h = { .said = said, .layout = layout, .out = out };
	/* Points lie above lines. */
	for (int points = 0; points < 2; points++)
		for (size_t i = 0; i < scene->n_series; i++) {
			h.open = false;
			if (points)
				over_points(&h, scene, i);
			else if (!tp_is_area(&scene->series[i]))
				over_line(&h, scene, i);
			if (h.open)
				tp_str_add(out, "</g>\n");
		}
	tp_str_release(&h.path);
}
