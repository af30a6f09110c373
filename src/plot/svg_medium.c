/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How SVG documents look, and room for their words. The colours of series were searched for: hues
 * after Okabe and Ito, moved until all of them lie as far apart as can be (25 and more in CIE Lab)
 * for readers without red, green or blue cones as for others, and can be read as words on their
 * paper (contrast 4.5 and more).
 */
#include "plot/svg_medium.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/memory.h"
#include "plot/trace.h"

/* name of the class, light, dark */
static const struct {
	const char *name, *light, *dark;
} roles[TP_ROLE_COUNT] = {
	[TP_ROLE_SERIES_0] = { "s0", "#2744d2", "#368efe" },
	[TP_ROLE_SERIES_1] = { "s1", "#bb580a", "#f58f35" },
	[TP_ROLE_SERIES_2] = { "s2", "#22653b", "#4bef89" },
	[TP_ROLE_SERIES_3] = { "s3", "#9f5a86", "#c48e9e" },
	[TP_ROLE_SERIES_4] = { "s4", "#2a3038", "#e3e7ec" },
	[TP_ROLE_SERIES_5] = { "s5", "#6d3e99", "#c35ab0" },
	[TP_ROLE_THEORY] = { "theory", "#7c8694", "#8b97a8" },
	[TP_ROLE_MARK] = { "mark", "#59636f", "#a6b1bf" },
	[TP_ROLE_AXIS] = { "axis", "#59636f", "#a6b1bf" },
	[TP_ROLE_GRID] = { "grid", "#dfe4ea", "#2b333e" },
	[TP_ROLE_TITLE] = { "ink", "#1a1f26", "#e8ebf0" },
	[TP_ROLE_HEAT_0] = { "h0", "#e4e8ee", "#2b323c" },
	[TP_ROLE_HEAT_1] = { "h1", "#6a4c93", "#6a4c93" },
	[TP_ROLE_HEAT_2] = { "h2", "#2f6db3", "#2f6db3" },
	[TP_ROLE_HEAT_3] = { "h3", "#157a76", "#157a76" },
	[TP_ROLE_HEAT_4] = { "h4", "#6cb552", "#6cb552" },
	[TP_ROLE_HEAT_5] = { "h5", "#b9d94b", "#b9d94b" },
	[TP_ROLE_HEAT_BEST] = { "best", "#ffd23f", "#ffd23f" },
};

/* name of the class, px, bold */
const struct tp_svg_word tp_svg_word_looks[TP_WORD_COUNT] = {
	[TP_WORD_HEADING] = { "heading", 19, true }, [TP_WORD_TITLE] = { "title", 15, true },
	[TP_WORD_BODY] = { "body", 12.5, false },    [TP_WORD_SMALL] = { "small", 11.5, false },
	[TP_WORD_UNIT] = { "unit", 12, false },	     [TP_WORD_TICK] = { "tick", 11, false },
	[TP_WORD_NAME] = { "name", 12, true },	     [TP_WORD_NOTE] = { "note", 11, false },
	[TP_WORD_KEY] = { "key", 12, false },
};

/* Everything is drawn in the `color` of its role. */
static const char shape_rules[] =
	".tp-paper{stroke:none}\n"
	"text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif;"
	"fill:currentColor;stroke:none}\n"
	".tp-line{fill:none;stroke:currentColor;stroke-linejoin:round}\n"
	".tp-fill{fill:currentColor;stroke:none}\n"
	".tp-dot{fill:currentColor;stroke-width:1}\n"
	".tp-cross{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round}\n"
	".tp-ring{stroke:currentColor;stroke-width:1.6}\n"
	".tp-roof{stroke-width:2.4;stroke-linecap:round}\n"
	".tp-thin{stroke-width:1.4;stroke-opacity:.7}\n"
	".tp-curve{stroke-width:1.9}\n"
	".tp-dash{stroke-width:4.2;stroke-dasharray:8 5;stroke-opacity:.5}\n"
	".tp-bar{stroke-width:1.2;stroke-opacity:.75}\n"
	".tp-band{fill:currentColor;fill-opacity:.18;stroke:none}\n"
	".tp-rule{stroke-width:1}\n"
	".tp-minor{stroke-width:1;stroke-opacity:.45}\n"
	".tp-edge{stroke-width:1.2;stroke-dasharray:2 4;stroke-opacity:.9}\n"
	".tp-drop{stroke-width:1;stroke-dasharray:1 4;stroke-opacity:.7}\n"
	".tp-tile{fill:currentColor;stroke:none}\n"
	".tp-first{stroke:#1a1f26;stroke-width:2}\n"
	".tp-on-h1,.tp-on-h2,.tp-on-h3{fill:#ffffff}\n"
	".tp-on-h4,.tp-on-h5,.tp-on-best{fill:#12161c}\n"
	".tp-leader{stroke-width:1;stroke-opacity:.6}\n";

static void colours(struct tp_str *out, bool dark)
{
	const char *paper = dark ? "#12161c" : "#ffffff";
	tp_str_printf(out,
		      ".tp-paper,.tp-ring{fill:%s}\n.tp-dot{stroke:%s}\n"
		      ".tp-on-h0{fill:%s}\n",
		      paper, paper, dark ? "#a6b1bf" : "#59636f");
	for (size_t i = 0; i < TP_COUNT_OF(roles); i++)
		tp_str_printf(out, ".tp-%s{color:%s}\n", roles[i].name,
			      dark ? roles[i].dark : roles[i].light);
	/* Lines of theory stand back; their names are read. */
	tp_str_printf(out, "text.tp-theory{color:%s}\n",
		      dark ? roles[TP_ROLE_AXIS].dark : roles[TP_ROLE_AXIS].light);
}

const char *tp_svg_role_class(enum tp_plot_role role)
{
	return (size_t)role < TP_COUNT_OF(roles) ? roles[role].name : roles[TP_ROLE_TITLE].name;
}

void tp_svg_rules(struct tp_str *out, enum tp_svg_theme theme)
{
	tp_str_add(out, shape_rules);
	for (size_t i = 0; i < TP_WORD_COUNT; i++) {
		const struct tp_svg_word *word = &tp_svg_word_looks[i];
		tp_str_printf(out, ".tp-%s{font-size:%gpx%s}\n", word->name, word->size,
			      word->bold ? ";font-weight:bold" : "");
	}
	colours(out, false);
	if (theme != TP_SVG_LIGHT) {
		/* Paper keeps the light colours. */
		tp_str_add(out, theme == TP_SVG_DARK
					? "@media screen{\n"
					: "@media screen and (prefers-color-scheme:dark){\n");
		colours(out, true);
		tp_str_add(out, "}\n");
	}
}

void tp_svg_style(struct tp_str *out, enum tp_svg_theme theme)
{
	tp_str_add(out, "<style type=\"text/css\"><![CDATA[\n");
	tp_svg_rules(out, theme);
	tp_str_add(out, "]]></style>\n");
}

/* --- words --- */

enum { FIRST = ' ', LAST = '~', WIDE = 1000, OTHER = 840 };

/*
 * Advance widths of ' ' to '~' in thousandths of the font size: of each the wider of DejaVu Sans
 * and Liberation Sans (Arial).
 */
static const unsigned short widths[LAST - FIRST + 1] = {
	318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
	1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
	667,  787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
	500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};

/* px of a thousandth; bold letters are wider. */
static double scale_of(enum tp_plot_word word)
{
	const struct tp_svg_word *look = &tp_svg_word_looks[word];
	return look->size * (look->bold ? 1.14 : 1) / 1000;
}

static double advance(uint32_t c)
{
	if (c >= FIRST && c <= LAST)
		return widths[c - FIRST];
	/* CJK and other wide characters. */
	return c >= 0x1100 ? WIDE : OTHER;
}

double tp_svg_width(const char *text, enum tp_plot_word word)
{
	return tp_svg_width_n(text, SIZE_MAX, word);
}

double tp_svg_width_n(const char *text, size_t n, enum tp_plot_word word)
{
	double sum = 0;
	for (const char *p = text; (size_t)(p - text) < n && *p;)
		sum += advance(tp_utf8_next(&p));
	return sum * scale_of(word);
}

const char *tp_svg_fit(struct tp_arena *arena, const char *text, enum tp_plot_word word,
		       double width)
{
	if (tp_svg_width(text, word) <= width)
		return text;
	double used = WIDE * scale_of(word);
	const char *end = text;
	while (*end) {
		const char *next = end;
		used += advance(tp_utf8_next(&next)) * scale_of(word);
		if (used > width)
			break;
		end = next;
	}
	while (end > text && end[-1] == ' ')
		end--;
	TP_STR cut = { 0 };
	tp_str_add_n(&cut, text, (size_t)(end - text));
	tp_str_add(&cut, "\u2026");
	return tp_arena_strdup(arena, tp_str_text(&cut));
}

void tp_svg_number(struct tp_str *out, double value)
{
	char text[48];
	double tenths = nearbyint(value * 10);
	long n = fabs(tenths) <= 1e9 ? (long)tenths : 0;
	int length = snprintf(text, sizeof(text), "%s%ld.%ld", n < 0 ? "-" : "", labs(n) / 10,
			      labs(n) % 10);
	tp_str_add_n(out, text, (size_t)(n % 10 ? length : length - 2));
}

/* --- room: no word may lie on another word, on a glyph, or on the line of another series --- */

enum { GLYPH_RADIUS = 5, RIDGE_RADIUS = 4, END_GAP = 12, END_HEIGHT = 16 };

/* The owner of words and glyphs, which no word may cover. Cache edges belong to n_series. */
#define NOBODY (SIZE_MAX - 1)

struct shape {
	struct tp_quad quad;
	size_t owner; /* pieces of lines: their series, whose name may lie on them */
	struct tp_line line; /* of a piece: its middle */
};

/* Everything that is in the picture so far. */
struct shapes {
	struct shape *items;
	size_t n, max;
};

/* The text box of a label, with a little air. */
static struct tp_quad label_quad(const struct tp_label *label)
{
	static const double ascent = 0.8, descent = 0.24, air = 2;
	double size = tp_svg_word_looks[label->word].size;
	double before = label->anchor == TP_ANCHOR_START    ? 0
			: label->anchor == TP_ANCHOR_MIDDLE ? label->width / 2
							    : label->width;
	double angle = label->degrees * acos(-1) / 180;
	before += air;
	return tp_quad_turned(label->x - before * cos(angle), label->y - before * sin(angle),
			      label->degrees, label->width + 2 * air, ascent * size + air / 2,
			      descent * size + air / 2);
}

/* --- shapes --- */

static void clear_shapes(struct tp_board *board)
{
	struct tp_arena *arena = &board->layout->arena;
	const struct tp_scene *scene = board->scene;
	struct shapes *shapes = tp_arena_alloc(arena, sizeof(*shapes));
	shapes->max = board->labels_max + scene->n_marks;
	for (size_t i = 0; i < scene->n_series; i++)
		shapes->max += 2 * scene->series[i].n; /* dots with bars */
	shapes->items = tp_arena_alloc(arena, shapes->max * sizeof(*shapes->items));
	board->occupied = shapes;
}

static void add_shape(struct shapes *shapes, struct shape shape)
{
	if (shapes->n < shapes->max)
		shapes->items[shapes->n++] = shape;
}

static void take_label(struct tp_board *board, const struct tp_label *label)
{
	add_shape(board->occupied, (struct shape){ .quad = label_quad(label), .owner = NOBODY });
}

static void take_point(struct tp_board *board, double x, double y, double radius)
{
	double at_x, at_y;
	if (!tp_layout_point(board->layout, x, y, &at_x, &at_y))
		return;
	const struct tp_rect box = { at_x - radius, at_y - radius, 2 * radius, 2 * radius };
	add_shape(board->occupied, (struct shape){ .quad = tp_quad_rect(&box), .owner = NOBODY });
}

static double degrees_of(const struct tp_line *l)
{
	return atan2(l->y1 - l->y0, l->x1 - l->x0) * 180 / acos(-1);
}

struct pen {
	const struct tp_layout *layout;
	struct shapes *shapes;
	size_t owner;
	double half_width; /* of the stroke in the style sheet */
};

static void enter_piece(void *ctx, const struct tp_line *piece)
{
	const struct pen *pen = ctx;
	struct shape shape = { .owner = pen->owner };
	const struct tp_line *l = &shape.line;
	if (!tp_trace_place(pen->layout, piece, &shape.line))
		return;
	shape.quad =
		tp_quad_turned(l->x0, l->y0, degrees_of(l), hypot(l->x1 - l->x0, l->y1 - l->y0),
			       pen->half_width, pen->half_width);
	add_shape(pen->shapes, shape);
}

static void enter_scene(struct tp_board *board)
{
	static const double half_thin = 0.6, half_dashed = 2.2;
	const struct tp_scene *scene = board->scene;
	struct pen pen = { board->layout, board->occupied, 0, half_thin };
	struct tp_line piece;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		if (tp_is_area(s))
			continue;
		pen.owner = i;
		pen.half_width = s->style == TP_STYLE_DASHED ? half_dashed : half_thin;
		if (s->style != TP_STYLE_DOTS) {
			tp_trace_line(board->layout, s, enter_piece, &pen);
			continue;
		}
		for (size_t k = 0; k < s->n; k++) {
			take_point(board, s->x[k], s->y[k], GLYPH_RADIUS);
			if (tp_trace_bar(board->layout, s, k, &piece))
				enter_piece(&pen, &piece);
		}
	}
	pen.owner = scene->n_series;
	pen.half_width = half_thin;
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		double x = tp_scale_place(&board->layout->x, mark->x);
		piece = (struct tp_line){ x, 0, x, 1 };
		if (mark->at_point)
			take_point(board, mark->x, mark->y, RIDGE_RADIUS);
		else if (tp_trace_clip(&piece))
			enter_piece(&pen, &piece);
	}
	tp_trace_arrows(board);
}

static bool is_free(const struct tp_board *board, const struct tp_quad *quad,
		    const struct tp_rect *within, size_t owner)
{
	const struct shapes *shapes = board->occupied;
	if (!tp_quad_inside(quad, within))
		return false;
	for (size_t i = 0; i < shapes->n; i++)
		if (shapes->items[i].owner != owner && tp_quad_meets(quad, &shapes->items[i].quad))
			return false;
	return true;
}

static double cost_of(const struct tp_board *board, const struct tp_label *label, bool in_plot)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_quad quad = label_quad(label);
	return is_free(board, &quad, in_plot ? &layout->plot : &layout->box, label->series)
		       ? 0
		       : INFINITY;
}

static bool is_empty(const struct tp_board *board, const struct tp_rect *box)
{
	const struct tp_quad quad = tp_quad_rect(box);
	return is_free(board, &quad, &board->layout->plot, SIZE_MAX);
}

/* --- curves: names at their right ends --- */

struct end {
	size_t series;
	double x, y, label_y;
};

static bool is_curve(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && !tp_is_area(s) && s->n > TP_ROOF_POINTS && s->label &&
	       s->label[0];
}

/* In shares of the data area, y downward. */
static bool end_of(const struct tp_board *board, size_t series, struct end *end)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_series *s = &board->scene->series[series];
	*end = (struct end){ .series = series, .x = -INFINITY };
	for (size_t i = 0; i < s->n; i++) {
		double x = tp_scale_place(&layout->x, s->x[i]);
		double y = tp_scale_place(&layout->y, s->y[i]);
		if (x >= 0 && x <= 1 && y >= 0 && y <= 1 && x > end->x) {
			end->x = x;
			end->y = 1 - y;
		}
	}
	return end->x >= 0;
}

static double ends_width(const struct tp_board *board)
{
	static const double near_right = 0.85, width_most = 0.3;
	const struct tp_layout *layout = board->layout;
	double widest = 0;
	size_t n = 0;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *s = &board->scene->series[i];
		struct end end;
		if (!is_curve(s))
			continue;
		if (!end_of(board, i, &end) || end.x < near_right)
			return 0;
		widest = fmax(widest, tp_svg_width(s->label, TP_WORD_NAME));
		n++;
	}
	if (!n || (double)n * END_HEIGHT > layout->plot.height ||
	    widest > width_most * layout->box.width)
		return 0;
	return widest + END_GAP + 8;
}

static int by_height(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return (x->series > y->series) - (x->series < y->series);
}

static void place_ends(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_rect *plot = &layout->plot;
	struct end *ends = tp_arena_alloc(&layout->arena, (scene->n_series + 1) * sizeof(*ends));
	size_t n = 0;
	for (size_t i = 0; i < scene->n_series; i++)
		if (is_curve(&scene->series[i]) && end_of(board, i, &ends[n])) {
			ends[n].x = plot->x + ends[n].x * plot->width;
			ends[n].y = plot->y + ends[n].y * plot->height;
			n++;
		}
	qsort(ends, n, sizeof(*ends), by_height);
	/* Apart from each other, then back into the picture. */
	double least = plot->y + END_HEIGHT / 2.0, most = plot->y + plot->height - END_HEIGHT / 2.0;
	for (size_t i = 0; i < n; i++) {
		ends[i].label_y = fmax(ends[i].y, least);
		least = ends[i].label_y + END_HEIGHT;
	}
	for (size_t i = n; i-- > 0;) {
		ends[i].label_y = fmin(ends[i].label_y, most);
		most = ends[i].label_y - END_HEIGHT;
	}
	for (size_t i = 0; i < n; i++) {
		const struct tp_series *s = &scene->series[ends[i].series];
		struct tp_label label =
			tp_board_words(board, s->label, TP_WORD_NAME, s->role, INFINITY);
		double x = plot->x + plot->width + END_GAP, y = ends[i].label_y;
		label.series = ends[i].series;
		label.leader = (struct tp_line){ ends[i].x, ends[i].y, x - 3, y };
		tp_board_add(board, tp_label_at(label, x, y + 4, TP_ANCHOR_START));
		layout->named[ends[i].series] = true;
	}
}

/* --- roofs --- */

/* A name at `share` of the piece from its left end, `off` px above (below: negative) the line. */
static void offer_on(struct tp_board *board, struct tp_spot *best, const struct tp_line *line,
		     double share, double off, double cost)
{
	struct tp_label label = best->label;
	double dx = line->x1 - line->x0, dy = line->y1 - line->y0, length = hypot(dx, dy);
	if (cost >= best->cost || !(length > label.width + 8))
		return;
	double from = 4 + share * (length - label.width - 8);
	/* Below the line the letters hang from it. */
	double rise = off > 0 ? off : off - 0.76 * tp_svg_word_looks[label.word].size;
	label.degrees = degrees_of(line);
	label.x = line->x0 + from * dx / length + rise * dy / length;
	label.y = line->y0 + from * dy / length - rise * dx / length;
	tp_board_offer(board, best, label, cost);
}

/* The first place that is free: the cost counts up. */
static void offer_along(struct tp_board *board, size_t series, struct tp_spot *best)
{
	static const double shares[] = { 0.06, 0, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 };
	static const double offsets[] = { 5, 8, -5, -8, 12 };
	const struct shapes *shapes = board->occupied;
	double cost = 0;
	for (size_t i = 0; i < shapes->n; i++) {
		if (shapes->items[i].owner != series)
			continue;
		struct tp_line line = shapes->items[i].line; /* then from left to right */
		if (line.x0 > line.x1)
			line = (struct tp_line){ line.x1, line.y1, line.x0, line.y0 };
		bool flat = fabs(line.y1 - line.y0) < 0.02 * (line.x1 - line.x0);
		/* Peaks are named at their right, slopes at their left ends. */
		for (size_t k = 0; k < TP_COUNT_OF(offsets); k++)
			for (size_t at = 0; at < TP_COUNT_OF(shares); at++)
				offer_on(board, best, &line, flat ? 1 - shares[at] : shares[at],
					 offsets[k], cost++);
	}
}

static const struct tp_beside beside[] = {
	{ 0, -9, TP_ANCHOR_MIDDLE, 0 },	 { 0, -13, TP_ANCHOR_MIDDLE, 1 },
	{ -3, -9, TP_ANCHOR_END, 2 },	 { -3, -13, TP_ANCHOR_END, 3 },
	{ 3, -9, TP_ANCHOR_START, 4 },	 { 3, -13, TP_ANCHOR_START, 5 },
	{ 7, 15, TP_ANCHOR_START, 6 },	 { 0, 19, TP_ANCHOR_MIDDLE, 7 },
	{ 0, -23, TP_ANCHOR_MIDDLE, 8 }, { 12, 28, TP_ANCHOR_START, 9 },
};

const struct tp_medium tp_medium_pixels = {
#define TP_METRIC_PX(name, cells, px) .name = (px),
	TP_METRIC_LIST(TP_METRIC_PX)
#undef TP_METRIC_PX
		.turns = true,
	.names_runs = true,
	.beside = beside,
	.n_beside = TP_COUNT_OF(beside),
	.width = tp_svg_width,
	.fit = tp_svg_fit,
	.clear = clear_shapes,
	.enter = enter_scene,
	.take = take_label,
	.cost = cost_of,
	.is_empty = is_empty,
	.along = offer_along,
	.ends_width = ends_width,
	.place_ends = place_ends,
};
