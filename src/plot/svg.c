/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SVG documents: pictures, words, trees of questions. */
#include "plot/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plot/svg_medium.h"
#include "plot/trace.h"

/* Adds `text` with a number, at most one decimal, in place of each '#'. */
static void add_numbers(struct tp_str *out, const char *text, ...)
{
	va_list ap;
	va_start(ap, text);
	for (size_t n; *text; text += n + (text[n] == '#')) {
		n = strcspn(text, "#");
		tp_str_add_n(out, text, n);
		if (text[n])
			tp_svg_number(out, va_arg(ap, double));
	}
	va_end(ap);
}

/* A picture while it is drawn, and the path that is being put together. */
struct pen {
	const struct tp_scene *scene;
	const struct tp_layout *layout;
	struct tp_str *out, path;
	double x, y; /* where the last piece of a line ends */
};

/* M: begins a line there; L: draws it to there. */
static void go(struct pen *pen, char command, double x, double y)
{
	tp_str_add_n(&pen->path, &command, 1);
	add_numbers(&pen->path, "# #", x, y);
}

static void stroke(struct pen *pen, double x0, double y0, double x1, double y1)
{
	add_numbers(&pen->path, "M# #L# #", x0, y0, x1, y1);
}

static void add_piece(void *ctx, const struct tp_line *piece)
{
	struct pen *pen = ctx;
	struct tp_line line;
	if (!tp_trace_place(pen->layout, piece, &line))
		return;
	if (!pen->path.len || hypot(line.x0 - pen->x, line.y0 - pen->y) > 0.01)
		go(pen, 'M', line.x0, line.y0);
	pen->x = line.x1;
	pen->y = line.y1;
	go(pen, 'L', pen->x, pen->y);
}

/* --- words under the pointer: unseen shapes over points and lines, each with a title --- */

/* px: of the place around a point; points nearer to each other share one. */
static const double radius = 6, apart = 7;

struct hover {
	const struct tp_svg_hover *said;
	struct pen pen;
	bool open; /* the group of the series is begun */
};

static void begin_group(struct hover *h, const struct tp_series *s)
{
	if (!h->open)
		tp_str_printf(h->pen.out, "<g class=\"tp-hits tp-%s\">\n",
			      tp_svg_role_class(s->role));
	h->open = true;
}

static void add_title(struct hover *h, const char *words, const char *element)
{
	tp_str_add(h->pen.out, "><title>");
	tp_str_add_markup(h->pen.out, words);
	tp_str_printf(h->pen.out, "</title></%s>\n", element);
}

static void over_line(struct hover *h, const struct tp_scene *scene, size_t series)
{
	char room[TP_SVG_HOVER_BYTES];
	const struct tp_series *s = &scene->series[series];
	const char *words = h->said->say(h->said->context, series, TP_SVG_LINE, room, sizeof(room));
	if (!*words)
		return;
	tp_trace_line(h->pen.layout, s, add_piece, &h->pen);
	if (h->pen.path.len) {
		begin_group(h, s);
		tp_str_printf(h->pen.out, "<path d=\"%s\"", tp_str_text(&h->pen.path));
		add_title(h, words, "path");
	}
	tp_str_clear(&h->pen.path);
}

static void over_point(struct hover *h, const struct tp_series *s, size_t k, const char *words)
{
	struct tp_rect rect;
	double x, y;
	if (tp_is_area(s)) {
		if (!tp_area_rect(h->pen.layout, s, k, &rect))
			return;
		begin_group(h, s);
		add_numbers(h->pen.out, "<rect x=\"#\" y=\"#\" width=\"#\" height=\"#\"", rect.x,
			    rect.y, fmax(rect.width, 1), rect.height);
		add_title(h, words, "rect");
		return;
	}
	if (!tp_layout_point(h->pen.layout, s->x[k], s->y[k], &x, &y) ||
	    hypot(x - h->pen.x, y - h->pen.y) < apart)
		return;
	begin_group(h, s);
	h->pen.x = x;
	h->pen.y = y;
	add_numbers(h->pen.out, "<circle cx=\"#\" cy=\"#\" r=\"#\"", x, y, radius);
	add_title(h, words, "circle");
}

static void over_points(struct hover *h, const struct tp_scene *scene, size_t series)
{
	const struct tp_series *s = &scene->series[series];
	h->pen.x = h->pen.y = -INFINITY;
	for (size_t k = 0; k < s->n; k++) {
		char room[TP_SVG_HOVER_BYTES];
		const char *words = h->said->say(h->said->context, series, k, room, sizeof(room));
		if (*words)
			over_point(h, s, k, words);
	}
}

static void draw_hover(const struct tp_scene *scene, const struct tp_layout *layout,
		       const struct tp_svg_hover *said, struct tp_str *out)
{
	struct hover h = { .said = said, .pen = { .layout = layout, .out = out } };
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
	tp_str_release(&h.pen.path);
}

/* --- tiles of heat maps, and bars --- */

/* px */
static const double gap = 1, bar_text = 7, half_capital = 4, whisker = 4;

/* A box in the colour of a role, with one more class: " tp-first" or "". */
static void add_box(struct tp_str *out, const struct tp_rect *box, const char *class,
		    enum tp_plot_role role)
{
	tp_str_printf(out, "<rect class=\"tp-tile%s tp-%s\"", class, tp_svg_role_class(role));
	add_numbers(out, " x=\"#\" y=\"#\" width=\"#\" height=\"#\"/>\n", box->x, box->y,
		    box->width, box->height);
}

static void add_words(struct tp_str *out, double x, double y, bool in_middle, const char *class,
		      const char *words)
{
	tp_str_printf(out, "<text class=\"tp-note %s\"%s", class,
		      in_middle ? " text-anchor=\"middle\"" : "");
	add_numbers(out, " x=\"#\" y=\"#\">", x, y + half_capital);
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
		add_box(out, &box, tile->mark == '*' ? " tp-first" : "", role);
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

/*
 * The interval lies over the end of the bar; the value follows both. An end of the interval that is
 * out of sight, or is cut to leave room for the value, has no cap.
 */
static void draw_bar(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		     const struct tp_rect *rect, struct tp_str *out)
{
	double end = rect->x + rect->width, middle = rect->y + rect->height / 2;
	double right = layout->box.x + layout->box.width;
	double from, to;
	char words[TP_TILE_BYTES] = "";
	if (s->tiles && s->tiles[i].text)
		snprintf(words, sizeof(words), "%s%s", s->tiles[i].text,
			 s->tiles[i].mark == '*' ? " *" : "");
	double most = *words ? right - bar_text - tp_svg_width(words, TP_WORD_NOTE) : right;
	add_box(out, rect, "", s->role);
	if (tp_area_interval(layout, s, i, &from, &to) && to - from > 1.5) {
		double first = s->low[i] < layout->x.min ? 0 : whisker;
		bool open = s->high[i] > layout->x.max || (to > most && most > end);
		double last = open ? 0 : whisker;
		if (to > most && most > end)
			to = most;
		add_numbers(out,
			    "<path class=\"tp-line tp-bar tp-ink\" d=\"M# #H#M# #v#M# #v#\"/>\n",
			    from, middle, to, from, middle - first, 2 * first, to, middle - last,
			    2 * last);
		end = fmax(end, to);
	}
	if (*words && end <= most)
		add_words(out, end + bar_text, middle, false, "tp-ink", words);
}

/* --- pictures --- */

/* px */
static const double glyph_radius = 3.4, glyph_space = 9, ridge_radius = 3.6;
static const double interval_least = 1.5; /* shorter ones are hidden by the line */
enum { TICK = 5, MINOR = 3, KEY_HEIGHT = 10 }; /* lengths */

/* --- elements --- */

static void draw_label(struct tp_str *out, const struct tp_label *label)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	bool turned = fabs(label->degrees) >= 0.05;
	tp_str_printf(out, "<text class=\"tp-%s tp-%s\"%s", tp_svg_word_looks[label->word].name,
		      tp_svg_role_class(label->role), anchors[label->anchor]);
	add_numbers(out, turned ? " transform=\"translate(# #) rotate(#)\">" : " x=\"#\" y=\"#\">",
		    label->x, label->y, label->degrees);
	tp_str_add_markup(out, label->text);
	tp_str_add(out, "</text>\n");
}

/* Half a circle, to the right or to the left. */
static void arc(struct pen *pen, double r, double across)
{
	add_numbers(&pen->path, "a# # 0 1 0 # 0", r, r, across);
}

/* Writes the path, if there is one, and begins another. */
static void flush(struct pen *pen, const char *classes, enum tp_plot_role role)
{
	if (pen->path.len)
		tp_str_printf(pen->out, "<path class=\"%s tp-%s\" d=\"%s\"/>\n", classes,
			      tp_svg_role_class(role), tp_str_text(&pen->path));
	tp_str_clear(&pen->path);
}

/* --- glyphs --- */

/* Adds the outline of a series' glyph; returns its class. */
static const char *add_glyph(struct pen *pen, char glyph, double x, double y, double r)
{
	static const struct {
		char glyph;
		int corners;
		double x[4], y[4];
	} shapes[] = {
		{ '*', 4, { 0, 1.3, 0, -1.3 }, { -1.3, 0, 1.3, 0 } }, /* diamond */
		{ '#', 4, { -1, 1, 1, -1 }, { -1, -1, 1, 1 } }, /* square */
		{ '@', 3, { 0, 1.2, -1.2 }, { -1.3, 0.9, 0.9 } }, /* triangle */
	};
	double d = r * 0.8;
	if (glyph == 'x') {
		stroke(pen, x - d, y - d, x + d, y + d);
		stroke(pen, x - d, y + d, x + d, y - d);
		return "tp-cross";
	}
	if (glyph == '+') {
		stroke(pen, x - r, y, x + r, y);
		stroke(pen, x, y - r, x, y + r);
		return "tp-cross";
	}
	size_t i = 0;
	while (i < TP_COUNT_OF(shapes) && shapes[i].glyph != glyph)
		i++;
	for (int k = 0; i < TP_COUNT_OF(shapes) && k < shapes[i].corners; k++)
		go(pen, k ? 'L' : 'M', x + shapes[i].x[k] * r, y + shapes[i].y[k] * r);
	if (i == TP_COUNT_OF(shapes)) {
		go(pen, 'M', x - r, y);
		arc(pen, r, 2 * r);
		arc(pen, r, -2 * r);
	}
	tp_str_add(&pen->path, "z");
	return "tp-dot";
}

/* --- axes --- */

static void draw_grid(struct pen *pen, bool labelled)
{
	const struct tp_layout *layout = pen->layout;
	const struct tp_rect *plot = &layout->plot;
	for (size_t i = 0; layout->x.unit != TP_UNIT_NAMES && i < layout->n_x_ticks; i++) {
		double x = layout->x_ticks[i].at;
		if (layout->x_ticks[i].labelled == labelled)
			stroke(pen, x, plot->y, x, plot->y + plot->height);
	}
	for (size_t i = 0; layout->y.unit != TP_UNIT_NAMES && i < layout->n_y_ticks; i++) {
		double y = layout->y_ticks[i].at;
		if (layout->y_ticks[i].labelled == labelled)
			stroke(pen, plot->x, y, plot->x + plot->width, y);
	}
	flush(pen, labelled ? "tp-line tp-rule" : "tp-line tp-minor", TP_ROLE_GRID);
}

static void draw_axes(struct pen *pen)
{
	const struct tp_layout *layout = pen->layout;
	const struct tp_rect *plot = &layout->plot;
	double bottom = plot->y + plot->height;
	stroke(pen, plot->x, plot->y, plot->x, bottom);
	go(pen, 'L', plot->x + plot->width, bottom);
	for (size_t i = 0; i < layout->n_x_ticks; i++) {
		const struct tp_layout_tick *t = &layout->x_ticks[i];
		stroke(pen, t->at, bottom, t->at, bottom + (t->labelled ? TICK : MINOR));
	}
	for (size_t i = 0; i < layout->n_y_ticks; i++) {
		const struct tp_layout_tick *t = &layout->y_ticks[i];
		stroke(pen, plot->x, t->at, plot->x - (t->labelled ? TICK : MINOR), t->at);
	}
	flush(pen, "tp-line tp-rule", TP_ROLE_AXIS);
}

/* --- marks --- */

/* Lines of edges, or from ridge points down to the axis. */
static void draw_uprights(struct pen *pen, bool from_points, const char *classes)
{
	const struct tp_layout *layout = pen->layout;
	for (size_t i = 0; i < pen->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &pen->scene->marks[i];
		double x, y, top = from_points ? mark->y : layout->y.max;
		if (mark->at_point == from_points && !mark->bare &&
		    tp_layout_point(layout, mark->x, top, &x, &y))
			stroke(pen, x, y, x, layout->plot.y + layout->plot.height);
	}
	flush(pen, classes, TP_ROLE_MARK);
}

static void draw_bands(struct pen *pen)
{
	const struct tp_rect *plot = &pen->layout->plot;
	for (size_t i = 0; i < pen->scene->n_marks; i++) {
		double low, high;
		if (!tp_layout_band(pen->layout, &pen->scene->marks[i], &low, &high))
			continue;
		double bottom = plot->y + plot->height;
		add_numbers(&pen->path, "M# #L# #L# #L# #z", low, plot->y, high, plot->y, high,
			    bottom, low, bottom);
	}
	flush(pen, "tp-band", TP_ROLE_MARK);
}

static void draw_ridges(struct pen *pen)
{
	double x, y;
	for (size_t i = 0; i < pen->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &pen->scene->marks[i];
		if (mark->at_point && !mark->bare &&
		    tp_layout_point(pen->layout, mark->x, mark->y, &x, &y))
			add_glyph(pen, 'o', x, y, ridge_radius);
	}
	flush(pen, "tp-ring", TP_ROLE_TITLE);
}

/* --- series --- */

/* The y of a value, pushed into the data area: an interval that leaves it is cut. */
static double inside_y(const struct tp_layout *layout, double value)
{
	double place = tp_scale_place(&layout->y, value);
	place = isnan(place) ? 0 : fmin(fmax(place, 0), 1);
	return layout->plot.y + (1 - place) * layout->plot.height;
}

static const char *line_class(const struct tp_series *s)
{
	if (s->style == TP_STYLE_DASHED)
		return "tp-line tp-dash";
	if (!tp_is_roof(s))
		return "tp-line tp-curve";
	return s->role == TP_ROLE_SERIES_5 ? "tp-line tp-thin" : "tp-line tp-roof";
}

/* Intervals of a line are a band around it, as far as its points are joined. */
static void draw_band(struct pen *pen, const struct tp_series *s)
{
	const struct tp_layout *layout = pen->layout;
	double x, bottom;
	for (size_t from = 0, to; from < s->n; from = to) {
		bool any = false, begun = false;
		for (to = from + 1; to < s->n && !(s->apart && s->apart[to]); to++)
			;
		size_t n = to - from;
		for (size_t k = 0; k < 2 * n; k++) {
			bool back = k >= n;
			size_t i = back ? to - 1 - (k - n) : from + k;
			/* The point itself may lie above or below the data area. */
			if (isnan(tp_scale_place(&layout->y, s->y[i])) ||
			    !tp_layout_point(layout, s->x[i], layout->y.min, &x, &bottom))
				continue;
			double end = inside_y(layout, back ? s->low[i] : s->high[i]);
			any |= fabs(end - inside_y(layout, s->y[i])) > interval_least;
			go(pen, begun ? 'L' : 'M', x, end);
			begun = true;
		}
		if (any)
			tp_str_add(&pen->path, "z");
		else
			tp_str_clear(&pen->path);
		flush(pen, n > 1 ? "tp-band" : "tp-line tp-bar", s->role);
	}
}

static void draw_bars(struct pen *pen, const struct tp_series *s)
{
	static const double cap = 3;
	double x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!tp_layout_point(pen->layout, s->x[i], s->y[i], &x, &y))
			continue;
		double top = inside_y(pen->layout, s->high[i]);
		double bottom = inside_y(pen->layout, s->low[i]);
		if (!(bottom - top > 2 * glyph_radius))
			continue;
		stroke(pen, x, top, x, bottom);
		stroke(pen, x - cap, top, x + cap, top);
		stroke(pen, x - cap, bottom, x + cap, bottom);
	}
	flush(pen, "tp-line tp-bar", s->role);
}

/* Where points lie closer than glyphs are wide, a line has one now and then; dots have all. */
static void draw_glyphs(struct pen *pen, const struct tp_series *s)
{
	bool all = s->style == TP_STYLE_DOTS;
	const char *class = "tp-dot";
	double last_x = -INFINITY, last_y = -INFINITY, x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!tp_layout_point(pen->layout, s->x[i], s->y[i], &x, &y) ||
		    (!all && hypot(x - last_x, y - last_y) < glyph_space))
			continue;
		class = add_glyph(pen, s->glyph, x, y, all ? glyph_radius : glyph_radius - 0.8);
		last_x = x;
		last_y = y;
	}
	flush(pen, class, s->role);
}

static void draw_series(struct pen *pen, bool dots)
{
	for (size_t i = 0; i < pen->scene->n_series; i++) {
		const struct tp_series *s = &pen->scene->series[i];
		bool interval = s->low && s->high;
		if ((s->style == TP_STYLE_DOTS) != dots || tp_is_area(s))
			continue;
		if (interval && !dots)
			draw_band(pen, s);
		if (interval && dots)
			draw_bars(pen, s);
		if (!dots)
			tp_trace_line(pen->layout, s, add_piece, pen);
		flush(pen, line_class(s), s->role);
		if (dots || s->style == TP_STYLE_LINE_AND_DOTS)
			draw_glyphs(pen, s);
	}
}

/* Triangles with their tips at the edge. */
static void draw_arrows(struct pen *pen)
{
	const struct tp_layout *layout = pen->layout;
	double half = layout->medium->arrow / 2;
	for (size_t i = 0; i < layout->n_arrows; i++) {
		const struct tp_arrow *a = &layout->arrows[i];
		double tip_x = half * a->right, tip_y = half * a->down;
		go(pen, 'M', a->x + tip_x, a->y + tip_y);
		go(pen, 'L', a->x - tip_x - tip_y, a->y - tip_y + tip_x);
		go(pen, 'L', a->x - tip_x + tip_y, a->y - tip_y - tip_x);
		tp_str_add(&pen->path, "z");
		flush(pen, "tp-dot", pen->scene->series[a->series].role);
	}
}

/* --- names --- */

static void draw_key(struct pen *pen, const struct tp_legend_key *key)
{
	const struct tp_series *s = &pen->scene->series[key->series];
	bool dots = s->style == TP_STYLE_DOTS;
	if (tp_is_area(s)) {
		const struct tp_rect sample = { key->x, key->y - KEY_HEIGHT / 2.0, TP_SAMPLE_PX,
						KEY_HEIGHT };
		add_box(pen->out, &sample, "", s->role);
		return;
	}
	if (!dots)
		stroke(pen, key->x, key->y, key->x + TP_SAMPLE_PX, key->y);
	flush(pen, line_class(s), s->role);
	if (dots || s->style == TP_STYLE_LINE_AND_DOTS)
		flush(pen,
		      add_glyph(pen, s->glyph, key->x + TP_SAMPLE_PX / 2.0, key->y, glyph_radius),
		      s->role);
}

static void draw_leader(struct pen *pen, const struct tp_label *label)
{
	const struct tp_line *l = &label->leader;
	double edge = pen->layout->plot.x + pen->layout->plot.width;
	stroke(pen, fmin(l->x0 + 4, edge), l->y0, fmax(edge, l->x0), l->y0);
	go(pen, 'L', l->x1, l->y1);
	flush(pen, "tp-line tp-leader", label->role);
}

static void draw_scene(const struct tp_scene *scene, const struct tp_layout *layout,
		       struct tp_str *out)
{
	struct pen pen = { .scene = scene, .layout = layout, .out = out };
	tp_str_add(out, "<g>\n");
	draw_grid(&pen, false);
	draw_grid(&pen, true);
	draw_bands(&pen);
	draw_uprights(&pen, false, "tp-line tp-edge");
	draw_uprights(&pen, true, "tp-line tp-drop");
	/* Tiles and bars with their text, never wider than its place. */
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
	draw_axes(&pen);
	draw_series(&pen, false);
	draw_ridges(&pen);
	draw_series(&pen, true);
	draw_arrows(&pen);
	for (size_t i = 0; i < layout->n_labels; i++)
		if (layout->labels[i].leader.x1 > 0)
			draw_leader(&pen, &layout->labels[i]);
	for (size_t i = 0; i < layout->n_keys; i++)
		draw_key(&pen, &layout->keys[i]);
	for (size_t i = 0; i < layout->n_labels; i++)
		draw_label(out, &layout->labels[i]);
	tp_str_add(out, "</g>\n");
	tp_str_release(&pen.path);
}

/* --- documents --- */

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
	draw_label(out, &label);
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
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	while (*text) {
		size_t n = line_length(text, width, word);
		const char *line = tp_arena_strndup(&arena, text, n);
		tp_svg_words(out, x, y, word, role, tp_svg_fit(&arena, line, word, width));
		y += leading * tp_svg_word_looks[word].size;
		text += n + strspn(text + n, " ");
	}
	return y;
}

static enum tp_status draw_picture(const struct tp_scene *scene, double x, double y, double width,
				   double height, const struct tp_svg_hover *hover,
				   struct tp_str *out)
{
	TP_CLEANUP(tp_layout_release) struct tp_layout layout = { 0 };
	const struct tp_rect box = { x, y, width, height };
	if (!(width >= TP_SVG_WIDTH_MIN && height >= TP_SVG_HEIGHT_MIN &&
	      width <= TP_SVG_SIDE_MAX && height <= TP_SVG_SIDE_MAX))
		return TP_USAGE;
	tp_layout_make(scene, &tp_medium_pixels, &box, &layout);
	draw_scene(scene, &layout, out);
	if (hover)
		draw_hover(scene, &layout, hover, out);
	return TP_OK;
}

enum tp_status tp_svg_picture(const struct tp_scene *scene, double x, double y, double width,
			      double height, struct tp_str *out)
{
	return draw_picture(scene, x, y, width, height, NULL, out);
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

enum tp_status tp_svg_inline(const struct tp_scene *scene, unsigned width, unsigned height,
			     const char *class, const char *label, const struct tp_svg_hover *hover,
			     struct tp_str *out)
{
	size_t before = out->len;
	tp_svg_inline_begin(out, width, height, class, label);
	enum tp_status status = draw_picture(scene, 0, 0, width, height, hover, out);
	if (status == TP_OK)
		tp_svg_end(out);
	else if (out->s)
		out->s[out->len = before] = '\0';
	return status;
}

/* --- trees --- */

/* px */
enum { BOX_HEIGHT = 54, PITCH = 62, LINE = 13, GAP = 34, BAR_HEIGHT = 4, INSET = 7, BOX_MAX = 230 };

struct spot {
	unsigned depth;
	double y; /* the middle of the box */
};

struct tree {
	const struct tp_svg_node *nodes;
	struct spot *spots;
	size_t n;
	double x, box, step; /* left edge, width of a box, from a depth to the next */
	struct tp_arena arena;
	struct tp_str *out;
};

/* Leaves in the order of their answers, yes above no; a parent half way between its children. */
static double place_node(struct tree *t, size_t node, double y)
{
	const struct tp_svg_node *n = &t->nodes[node];
	struct spot *spot = &t->spots[node];
	if (!n->yes) {
		spot->y = y + PITCH / 2.0;
		return y + PITCH;
	}
	t->spots[n->yes].depth = t->spots[n->no].depth = spot->depth + 1;
	y = place_node(t, n->yes, y);
	y = place_node(t, n->no, y);
	spot->y = (t->spots[n->yes].y + t->spots[n->no].y) / 2;
	return y;
}

static double left_of(const struct tree *t, size_t node)
{
	return t->x + t->step * t->spots[node].depth;
}

static void draw_words(struct tree *t, double x, double y, enum tp_plot_word word,
		       enum tp_plot_role role, double width, const char *text)
{
	tp_svg_words(t->out, x, y, word, role, tp_svg_fit(&t->arena, text, word, width));
}

static void draw_branch(struct tree *t, size_t node, size_t child, const char *answer)
{
	double x = left_of(t, node) + t->box, y = t->spots[node].y;
	double to = t->spots[child].y, bend = x + GAP / 4.0, end = left_of(t, child);
	add_numbers(t->out, "<path class=\"tp-line tp-rule tp-axis\" d=\"M# #H#V#H#\"/>\n", x, y,
		    bend, to, end);
	tp_svg_words(t->out, bend + 3, to - 3, TP_WORD_TICK, TP_ROLE_AXIS, answer);
}

static void draw_shares(struct tree *t, const struct tp_svg_node *n, double x, double y)
{
	double width = t->box - 2 * INSET, at = x + INSET;
	for (size_t i = 0; i < n->n_shares; i++) {
		const struct tp_rect box = { at, y, width * n->shares[i], BAR_HEIGHT };
		at += box.width;
		if (n->shares[i] > 0)
			add_box(t->out, &box, "", (enum tp_plot_role)(TP_ROLE_SERIES_0 + i % 6));
	}
}

static void draw_box(struct tree *t, size_t node)
{
	const struct tp_svg_node *n = &t->nodes[node];
	double x = left_of(t, node), y = t->spots[node].y - BOX_HEIGHT / 2.0;
	double room = t->box - 2 * INSET;
	add_numbers(t->out,
		    "<rect class=\"tp-ring tp-rule tp-axis\" x=\"#\" y=\"#\" width=\"#\" "
		    "height=\"#\" rx=\"3\"/>\n",
		    x, y, t->box, (double)BOX_HEIGHT);
	draw_words(t, x + INSET, y + 14, n->yes ? TP_WORD_NOTE : TP_WORD_NAME, TP_ROLE_TITLE, room,
		   n->title);
	if (n->yes)
		draw_words(t, x + INSET, y + 14 + LINE, TP_WORD_NOTE, TP_ROLE_TITLE, room, n->test);
	draw_words(t, x + INSET, y + 14 + (n->yes ? 2 : 1) * LINE, TP_WORD_TICK, TP_ROLE_AXIS, room,
		   n->words);
	draw_shares(t, n, x, y + BOX_HEIGHT - BAR_HEIGHT - 4);
}

double tp_svg_tree(struct tp_str *out, const struct tp_svg_node *nodes, size_t n, double x,
		   double y, double width)
{
	struct tree t = { .nodes = nodes, .n = n, .x = x, .out = out };
	unsigned depth = 0;
	t.spots = tp_arena_alloc(&t.arena, (n + 1) * sizeof(*t.spots));
	double end = place_node(&t, 0, y);
	for (size_t i = 0; i < n; i++)
		depth = TP_MAX(depth, t.spots[i].depth);
	t.box = TP_MIN((width - (double)depth * GAP) / (depth + 1), (double)BOX_MAX);
	t.step = t.box + GAP;
	for (size_t i = 0; i < n; i++)
		if (nodes[i].yes) {
			draw_branch(&t, i, nodes[i].yes, "yes");
			draw_branch(&t, i, nodes[i].no, "no");
		}
	for (size_t i = 0; i < n; i++)
		draw_box(&t, i);
	tp_arena_release(&t.arena);
	return end;
}
