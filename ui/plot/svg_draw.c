/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/svg_draw.h"
#include "ui/plot/svg_style.h"
#include "ui/plot/svg_text.h"
#include "base/vec.h"

#include <math.h>

/* px */
static const double glyph_radius = 3.4, glyph_space = 9, ridge_radius = 3.6;
static const double interval_least = 1.5; /* shorter ones hide behind the line */
enum { TICK_LENGTH = 5, MINOR_LENGTH = 3 };

/* --- elements --- */

static void number(struct tp_str *out, const char *name, double value)
{
	tp_str_printf(out, " %s=\"", name);
	tp_svg_number(out, value);
	tp_str_add(out, "\"");
}

/* "M12.5 3" */
static void pen(struct tp_str *path, char command, double x, double y)
{
	tp_str_add_n(path, &command, 1);
	tp_svg_number(path, x);
	tp_str_add(path, " ");
	tp_svg_number(path, y);
}

static void stroke(struct tp_str *path, double x0, double y0, double x1, double y1)
{
	pen(path, 'M', x0, y0);
	pen(path, 'L', x1, y1);
}

/* Writes the path, if there is one, and empties it. */
static void flush(struct tp_str *out, struct tp_str *path, const char *classes,
		  enum tp_plot_role role)
{
	if (path->len)
		tp_str_printf(out, "<path class=\"%s tp-%s\" d=\"%s\"/>\n", classes,
			      tp_svg_role_class(role), tp_str_text(path));
	out->oom |= path->oom;
	tp_str_clear(path);
}

void tp_svg_draw_label(struct tp_str *out, const struct tp_svg_label *label)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	tp_str_printf(out, "<text class=\"tp-%s tp-%s\"%s", tp_svg_word_class(label->word),
		      tp_svg_role_class(label->role), anchors[label->anchor]);
	if (fabs(label->degrees) < 0.05) {
		number(out, "x", label->x);
		number(out, "y", label->y);
	} else {
		tp_str_add(out, " transform=\"translate(");
		tp_svg_number(out, label->x);
		tp_str_add(out, " ");
		tp_svg_number(out, label->y);
		tp_str_add(out, ") rotate(");
		tp_svg_number(out, label->degrees);
		tp_str_add(out, ")\"");
	}
	tp_str_add(out, ">");
	tp_svg_escape(out, label->text);
	tp_str_add(out, "</text>\n");
}

/* --- glyphs --- */

enum glyph_kind { GLYPH_DOT, GLYPH_CROSS };

/* Adds the outline of a series' glyph; true if it is filled. */
static enum glyph_kind add_glyph(struct tp_str *path, char glyph, double x, double y, double r)
{
	double d = r * 0.8;
	switch (glyph) {
	case 'x':
		stroke(path, x - d, y - d, x + d, y + d);
		stroke(path, x - d, y + d, x + d, y - d);
		return GLYPH_CROSS;
	case '+':
		stroke(path, x - r, y, x + r, y);
		stroke(path, x, y - r, x, y + r);
		return GLYPH_CROSS;
	case '*': /* diamond */
		pen(path, 'M', x, y - 1.3 * r);
		pen(path, 'L', x + 1.3 * r, y);
		pen(path, 'L', x, y + 1.3 * r);
		pen(path, 'L', x - 1.3 * r, y);
		break;
	case '#': /* square */
		pen(path, 'M', x - r, y - r);
		pen(path, 'L', x + r, y - r);
		pen(path, 'L', x + r, y + r);
		pen(path, 'L', x - r, y + r);
		break;
	case '@': /* triangle */
		pen(path, 'M', x, y - 1.3 * r);
		pen(path, 'L', x + 1.2 * r, y + 0.9 * r);
		pen(path, 'L', x - 1.2 * r, y + 0.9 * r);
		break;
	default:
		pen(path, 'M', x - r, y);
		for (int half = 0; half < 2; half++) {
			tp_str_add(path, "a");
			tp_svg_number(path, r);
			tp_str_add(path, " ");
			tp_svg_number(path, r);
			tp_str_add(path, " 0 1 0 ");
			tp_svg_number(path, half ? -2 * r : 2 * r);
			tp_str_add(path, " 0");
		}
		break;
	}
	tp_str_add(path, "z");
	return GLYPH_DOT;
}

static const char *glyph_class(enum glyph_kind kind)
{
	return kind == GLYPH_DOT ? "tp-dot" : "tp-cross";
}

/* --- axes --- */

static void grid(const struct tp_svg_layout *layout, bool labelled, struct tp_str *out)
{
	const struct tp_rect *plot = &layout->plot;
	struct tp_str path = { 0 };
	for (size_t i = 0; i < layout->n_x_ticks; i++)
		if (layout->x_ticks[i].labelled == labelled)
			stroke(&path, layout->x_ticks[i].at, plot->y, layout->x_ticks[i].at,
			       plot->y + plot->height);
	for (size_t i = 0; i < layout->n_y_ticks; i++)
		if (layout->y_ticks[i].labelled == labelled)
			stroke(&path, plot->x, layout->y_ticks[i].at, plot->x + plot->width,
			       layout->y_ticks[i].at);
	flush(out, &path, labelled ? "tp-line tp-rule" : "tp-line tp-minor", TP_ROLE_GRID);
	tp_str_release(&path);
}

static void axes(const struct tp_svg_layout *layout, struct tp_str *out)
{
	const struct tp_rect *plot = &layout->plot;
	double bottom = plot->y + plot->height;
	struct tp_str path = { 0 };
	pen(&path, 'M', plot->x, plot->y);
	pen(&path, 'L', plot->x, bottom);
	pen(&path, 'L', plot->x + plot->width, bottom);
	for (size_t i = 0; i < layout->n_x_ticks; i++) {
		const struct tp_svg_tick *t = &layout->x_ticks[i];
		stroke(&path, t->at, bottom, t->at,
		       bottom + (t->labelled ? TICK_LENGTH : MINOR_LENGTH));
	}
	for (size_t i = 0; i < layout->n_y_ticks; i++) {
		const struct tp_svg_tick *t = &layout->y_ticks[i];
		stroke(&path, plot->x, t->at, plot->x - (t->labelled ? TICK_LENGTH : MINOR_LENGTH),
		       t->at);
	}
	flush(out, &path, "tp-line tp-rule", TP_ROLE_AXIS);
	tp_str_release(&path);
}

/* --- marks --- */

static void edges(const struct tp_scene *scene, const struct tp_svg_layout *layout,
		  struct tp_str *out)
{
	const struct tp_rect *plot = &layout->plot;
	struct tp_str path = { 0 }, drops = { 0 };
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		double x = tp_svg_x(layout, mark->x), y = tp_svg_y(layout, mark->y);
		if (!(x >= plot->x && x <= plot->x + plot->width))
			continue;
		if (!mark->at_point)
			stroke(&path, x, plot->y, x, plot->y + plot->height);
		else if (y >= plot->y && y < plot->y + plot->height)
			stroke(&drops, x, y, x, plot->y + plot->height);
	}
	flush(out, &path, "tp-line tp-edge", TP_ROLE_MARK);
	flush(out, &drops, "tp-line tp-drop", TP_ROLE_MARK);
	tp_str_release(&path);
	tp_str_release(&drops);
}

static void ridges(const struct tp_scene *scene, const struct tp_svg_layout *layout,
		   struct tp_str *out)
{
	struct tp_str path = { 0 };
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		double x = tp_svg_x(layout, mark->x), y = tp_svg_y(layout, mark->y);
		if (mark->at_point && !isnan(x + y) && tp_rect_holds(&layout->plot, x, y))
			add_glyph(&path, 'o', x, y, ridge_radius);
	}
	flush(out, &path, "tp-ring", TP_ROLE_TITLE);
	tp_str_release(&path);
}

/* --- series --- */

/* Px of a value, pushed into the data area (an interval that leaves it is cut). */
static double inside_y(const struct tp_svg_layout *layout, double value)
{
	const struct tp_rect *plot = &layout->plot;
	double y = tp_svg_y(layout, value);
	return isnan(y) ? plot->y + plot->height : fmin(fmax(y, plot->y), plot->y + plot->height);
}

static bool point(const struct tp_svg_layout *layout, const struct tp_series *s, size_t i,
		  double *x, double *y)
{
	*x = tp_svg_x(layout, s->x[i]);
	*y = tp_svg_y(layout, s->y[i]);
	return !isnan(*x + *y);
}

static const char *line_class(const struct tp_series *s)
{
	if (s->style == TP_STYLE_DASHED)
		return "tp-line tp-dash";
	if (!tp_svg_is_roof(s))
		return "tp-line tp-curve";
	return s->role == TP_ROLE_SERIES_5 ? "tp-line tp-thin" : "tp-line tp-roof";
}

static void draw_line(const struct tp_svg_layout *layout, const struct tp_series *s,
		      struct tp_str *out)
{
	struct tp_str path = { 0 };
	double last_x = NAN, last_y = NAN, at_x = NAN, at_y = NAN, x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!point(layout, s, i, &x, &y))
			continue;
		double x0 = last_x, y0 = last_y, x1 = x, y1 = y;
		last_x = x;
		last_y = y;
		if (isnan(x0) || !tp_rect_clip(&layout->plot, &x0, &y0, &x1, &y1))
			continue;
		if (!(x0 == at_x && y0 == at_y))
			pen(&path, 'M', x0, y0);
		pen(&path, 'L', x1, y1);
		at_x = x1;
		at_y = y1;
	}
	flush(out, &path, line_class(s), s->role);
	tp_str_release(&path);
}

/* Intervals of a line are a band around it. */
static void draw_band(const struct tp_svg_layout *layout, const struct tp_series *s,
		      struct tp_str *out)
{
	const struct tp_rect *plot = &layout->plot;
	struct tp_str path = { 0 };
	bool any = false;
	double x, y;
	for (int back = 0; back < 2; back++)
		for (size_t k = 0; k < s->n; k++) {
			size_t i = back ? s->n - 1 - k : k;
			double bound = back ? s->low[i] : s->high[i];
			if (!point(layout, s, i, &x, &y) || x < plot->x ||
			    x > plot->x + plot->width)
				continue;
			double edge = inside_y(layout, bound);
			any |= fabs(edge - y) > interval_least;
			pen(&path, path.len ? 'L' : 'M', x, edge);
		}
	if (path.len)
		tp_str_add(&path, "z");
	if (any)
		flush(out, &path, "tp-band", s->role);
	tp_str_release(&path);
}

static void draw_bars(const struct tp_svg_layout *layout, const struct tp_series *s,
		      struct tp_str *out)
{
	static const double cap = 3;
	struct tp_str path = { 0 };
	double x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!point(layout, s, i, &x, &y) || !tp_rect_holds(&layout->plot, x, y))
			continue;
		double top = inside_y(layout, s->high[i]), bottom = inside_y(layout, s->low[i]);
		if (!(bottom - top > 2 * glyph_radius))
			continue;
		stroke(&path, x, top, x, bottom);
		stroke(&path, x - cap, top, x + cap, top);
		stroke(&path, x - cap, bottom, x + cap, bottom);
	}
	flush(out, &path, "tp-line tp-bar", s->role);
	tp_str_release(&path);
}

/* Where points lie closer than glyphs are wide, a line has one now and then; dots have all. */
static void draw_glyphs(const struct tp_svg_layout *layout, const struct tp_series *s,
			struct tp_str *out)
{
	bool all = s->style == TP_STYLE_DOTS;
	struct tp_str path = { 0 };
	enum glyph_kind kind = GLYPH_DOT;
	double last_x = -INFINITY, last_y = -INFINITY, x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!point(layout, s, i, &x, &y) || !tp_rect_holds(&layout->plot, x, y) ||
		    (!all && hypot(x - last_x, y - last_y) < glyph_space))
			continue;
		kind = add_glyph(&path, s->glyph, x, y, all ? glyph_radius : glyph_radius - 0.8);
		last_x = x;
		last_y = y;
	}
	flush(out, &path, glyph_class(kind), s->role);
	tp_str_release(&path);
}

static void draw_series(const struct tp_svg_layout *layout, const struct tp_series *s,
			struct tp_str *out)
{
	bool interval = s->low && s->high;
	bool line = s->style != TP_STYLE_DOTS;
	if (interval && line)
		draw_band(layout, s, out);
	if (line)
		draw_line(layout, s, out);
	if (interval && !line)
		draw_bars(layout, s, out);
	if (s->style == TP_STYLE_DOTS || s->style == TP_STYLE_LINE_AND_DOTS)
		draw_glyphs(layout, s, out);
}

/* --- names --- */

static void draw_key(const struct tp_scene *scene, const struct tp_svg_key *key, struct tp_str *out)
{
	const struct tp_series *s = &scene->series[key->series];
	struct tp_str path = { 0 };
	if (s->style != TP_STYLE_DOTS) {
		stroke(&path, key->x, key->y, key->x + TP_SVG_SAMPLE, key->y);
		flush(out, &path, line_class(s), s->role);
	}
	if (s->style == TP_STYLE_DOTS || s->style == TP_STYLE_LINE_AND_DOTS) {
		enum glyph_kind kind = add_glyph(&path, s->glyph, key->x + TP_SVG_SAMPLE / 2.0,
						 key->y, glyph_radius);
		flush(out, &path, glyph_class(kind), s->role);
	}
	tp_str_release(&path);
}

static void draw_leaders(const struct tp_svg_layout *layout, struct tp_str *out)
{
	struct tp_str path = { 0 };
	for (size_t i = 0; i < layout->n_leaders; i++) {
		const struct tp_svg_leader *l = &layout->leaders[i];
		double edge = layout->plot.x + layout->plot.width;
		pen(&path, 'M', fmin(l->x0 + 4, edge), l->y0);
		pen(&path, 'L', fmax(edge, l->x0), l->y0);
		pen(&path, 'L', l->x1, l->y1);
		flush(out, &path, "tp-line tp-leader", l->role);
	}
	tp_str_release(&path);
}

void tp_svg_draw(const struct tp_scene *scene, const struct tp_svg_layout *layout,
		 struct tp_str *out)
{
	tp_str_add(out, "<g>\n");
	grid(layout, false, out);
	grid(layout, true, out);
	edges(scene, layout, out);
	axes(layout, out);
	for (size_t i = 0; i < scene->n_series; i++)
		if (scene->series[i].style != TP_STYLE_DOTS)
			draw_series(layout, &scene->series[i], out);
	ridges(scene, layout, out);
	for (size_t i = 0; i < scene->n_series; i++)
		if (scene->series[i].style == TP_STYLE_DOTS)
			draw_series(layout, &scene->series[i], out);
	draw_leaders(layout, out);
	for (size_t i = 0; i < layout->n_keys; i++)
		draw_key(scene, &layout->keys[i], out);
	for (size_t i = 0; i < layout->n_labels; i++)
		tp_svg_draw_label(out, &layout->labels[i]);
	tp_str_add(out, "</g>\n");
}
