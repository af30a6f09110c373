/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "base/vec.h"
#include "plot/svg_parts.h"
#include "plot/trace.h"

#include <math.h>

/* px */
static const double glyph_radius = 3.4, glyph_space = 9, ridge_radius = 3.6;
static const double interval_least = 1.5; /* shorter ones hide behind the line */
enum { TICK = 5, MINOR = 3, KEY_HEIGHT = 10 }; /* lengths */

/* --- elements --- */

void tp_svg_draw_label(struct tp_str *out, const struct tp_label *label)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	bool turned = fabs(label->degrees) >= 0.05;
	tp_str_printf(out, "<text class=\"tp-%s tp-%s\"%s", tp_svg_word_looks[label->word].name,
		      tp_svg_role_class(label->role), anchors[label->anchor]);
	tp_str_add(out, turned ? " transform=\"translate(" : " x=\"");
	tp_svg_number(out, label->x);
	tp_str_add(out, turned ? " " : "\" y=\"");
	tp_svg_number(out, label->y);
	if (turned) {
		tp_str_add(out, ") rotate(");
		tp_svg_number(out, label->degrees);
		tp_str_add(out, ")");
	}
	tp_str_add(out, "\">");
	tp_str_add_markup(out, label->text);
	tp_str_add(out, "</text>\n");
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
	tp_svg_number(&pen->path, x);
	tp_str_add(&pen->path, " ");
	tp_svg_number(&pen->path, y);
}

static void stroke(struct pen *pen, double x0, double y0, double x1, double y1)
{
	go(pen, 'M', x0, y0);
	go(pen, 'L', x1, y1);
}

/* Half a circle, to the right or to the left. */
static void arc(struct pen *pen, double r, double across)
{
	go(pen, 'a', r, r);
	tp_str_add(&pen->path, " 0 1 0 ");
	tp_svg_number(&pen->path, across);
	tp_str_add(&pen->path, " 0");
}

/* Writes the path, if there is one, and begins another. */
static void flush(struct pen *pen, const char *classes, enum tp_plot_role role)
{
	if (pen->path.len)
		tp_str_printf(pen->out, "<path class=\"%s tp-%s\" d=\"%s\"/>\n", classes,
			      tp_svg_role_class(role), tp_str_text(&pen->path));
	pen->out->oom |= pen->path.oom;
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
		if (mark->at_point == from_points && tp_layout_point(layout, mark->x, top, &x, &y))
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
		go(pen, 'M', low, plot->y);
		go(pen, 'L', high, plot->y);
		go(pen, 'L', high, plot->y + plot->height);
		go(pen, 'L', low, plot->y + plot->height);
		tp_str_add(&pen->path, "z");
	}
	flush(pen, "tp-band", TP_ROLE_MARK);
}

static void draw_ridges(struct pen *pen)
{
	double x, y;
	for (size_t i = 0; i < pen->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &pen->scene->marks[i];
		if (mark->at_point && tp_layout_point(pen->layout, mark->x, mark->y, &x, &y))
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

/* Intervals of a line are a band around it. */
static void draw_band(struct pen *pen, const struct tp_series *s)
{
	const struct tp_layout *layout = pen->layout;
	double x, bottom;
	bool any = false;
	for (int back = 0; back < 2; back++)
		for (size_t k = 0; k < s->n; k++) {
			size_t i = back ? s->n - 1 - k : k;
			/* The point itself may lie above or below the data area. */
			if (isnan(tp_scale_place(&layout->y, s->y[i])) ||
			    !tp_layout_point(layout, s->x[i], layout->y.min, &x, &bottom))
				continue;
			double end = inside_y(layout, back ? s->low[i] : s->high[i]);
			any |= fabs(end - inside_y(layout, s->y[i])) > interval_least;
			go(pen, pen->path.len ? 'L' : 'M', x, end);
		}
	if (!any)
		tp_str_clear(&pen->path);
	else
		tp_str_add(&pen->path, "z");
	flush(pen, "tp-band", s->role);
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

/* --- names --- */

static void draw_key(struct pen *pen, const struct tp_legend_key *key)
{
	const struct tp_series *s = &pen->scene->series[key->series];
	bool dots = s->style == TP_STYLE_DOTS;
	if (tp_is_area(s)) {
		const struct tp_rect sample = { key->x, key->y - KEY_HEIGHT / 2.0, TP_SAMPLE_PX,
						KEY_HEIGHT };
		tp_svg_box(pen->out, &sample, "", s->role);
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

void tp_svg_draw(const struct tp_scene *scene, const struct tp_layout *layout, struct tp_str *out)
{
	struct pen pen = { .scene = scene, .layout = layout, .out = out };
	tp_str_add(out, "<g>\n");
	draw_grid(&pen, false);
	draw_grid(&pen, true);
	draw_bands(&pen);
	draw_uprights(&pen, false, "tp-line tp-edge");
	draw_uprights(&pen, true, "tp-line tp-drop");
	tp_svg_draw_areas(scene, layout, out);
	draw_axes(&pen);
	draw_series(&pen, false);
	draw_ridges(&pen);
	draw_series(&pen, true);
	for (size_t i = 0; i < layout->n_labels; i++)
		if (layout->labels[i].leader.x1 > 0)
			draw_leader(&pen, &layout->labels[i]);
	for (size_t i = 0; i < layout->n_keys; i++)
		draw_key(&pen, &layout->keys[i]);
	for (size_t i = 0; i < layout->n_labels; i++)
		tp_svg_draw_label(out, &layout->labels[i]);
	tp_str_add(out, "</g>\n");
	tp_str_release(&pen.path);
}
