/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pictures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/facts.h"
#include "doc/html.h"
#include "report/reporter.h"
#include "plot/svg.h"

static const struct tp_reporter *const *reporters = &(const struct tp_reporter *){ NULL };

void tp_report_use(const struct tp_reporter *const *of_program)
{
	reporters = of_program;
}

const struct tp_reporter *tp_reporter_find(const char *experiment)
{
	const struct tp_reporter *const *r = reporters;
	while (*r && strcmp((*r)->experiment, experiment) != 0)
		r++;
	return *r;
}

/* Rows of the same place stand in the order of the registry. */
const struct tp_reporter *tp_reporter_next(const struct tp_reporter *reporter)
{
	const struct tp_reporter *next = NULL;
	bool behind = !reporter;
	for (size_t i = 0; reporters[i]; i++) {
		const struct tp_reporter *r = reporters[i];
		bool follows = !reporter || r->place > reporter->place ||
			       (behind && r->place == reporter->place);
		if (follows && (!next || r->place < next->place))
			next = r;
		behind |= r == reporter;
	}
	return next;
}

enum { TEXT_MAX = 160 };

struct tp_picture *tp_picture_new(void)
{
	return tp_alloc(1, sizeof(struct tp_picture));
}

void tp_picture_free(struct tp_picture *picture)
{
	if (picture)
		tp_arena_release(&picture->arena);
	free(picture);
}

void tp_gallery_hang(const struct tp_gallery *gallery, struct tp_picture *picture, bool drawn)
{
	if (drawn)
		gallery->hang(gallery->context, picture);
	tp_picture_free(picture);
}

static void move_picture(struct tp_picture *to, struct tp_picture *from)
{
	tp_arena_release(&to->arena);
	*to = *from;
	to->scene.series = to->series;
	to->scene.marks = to->marks;
	*from = (struct tp_picture){ 0 };
}

struct wanted {
	struct tp_picture *picture;
	size_t n; /* pictures before it */
	bool found;
};

static void take_picture(void *context, struct tp_picture *picture)
{
	struct wanted *wanted = context;
	if (wanted->found || wanted->n-- > 0)
		return;
	move_picture(wanted->picture, picture);
	wanted->found = true;
}

bool tp_reporter_picture(const struct tp_reporter *reporter, const struct tp_run *run, size_t n,
			 size_t columns, size_t rows, struct tp_picture *picture)
{
	struct wanted wanted = { picture, n, false };
	const struct tp_gallery gallery = {
		.context = &wanted, .hang = take_picture, .columns = columns, .rows = rows
	};
	if (reporter->pictures)
		reporter->pictures(run, &gallery);
	return wanted.found;
}

struct showing {
	struct tp_picture *picture;
	long point;
	bool any, found; /* a picture, one of the point */
};

static void take_showing(void *context, struct tp_picture *picture)
{
	struct showing *showing = context;
	bool found = false;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n && !found; k++)
			found = tp_origin_point(&picture->origins[i], k) == showing->point;
	if (showing->found && !found)
		return;
	move_picture(showing->picture, picture);
	showing->found = found;
	showing->any = true;
}

bool tp_reporter_picture_of(const struct tp_reporter *reporter, const struct tp_run *run,
			    unsigned point, size_t columns, size_t rows, struct tp_picture *picture)
{
	struct showing showing = { .picture = picture, .point = (long)point };
	if (reporter->pictures)
		reporter->pictures(run, &(struct tp_gallery){ .context = &showing,
							      .hang = take_showing,
							      .columns = columns,
							      .rows = rows });
	return showing.any;
}

static void count_picture(void *context, struct tp_picture *picture)
{
	(void)picture;
	++*(size_t *)context;
}

size_t tp_pictures_count(tp_pictures_of *pictures, const void *what, size_t columns, size_t rows)
{
	size_t n = 0;
	const struct tp_gallery gallery = {
		.context = &n, .hang = count_picture, .columns = columns, .rows = rows
	};
	pictures(what, &gallery);
	return n;
}

bool tp_pictures_take(tp_pictures_of *pictures, const void *what, size_t n, size_t columns,
		      size_t rows, struct tp_picture *picture)
{
	struct wanted wanted = { picture, n, false };
	const struct tp_gallery gallery = {
		.context = &wanted, .hang = take_picture, .columns = columns, .rows = rows
	};
	pictures(what, &gallery);
	return wanted.found;
}

const char *tp_picture_text(struct tp_picture *picture, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tp_arena_strdup(&picture->arena, text);
}

const char *tp_picture_threads(struct tp_picture *picture, unsigned threads)
{
	char count[32];
	return tp_picture_text(picture, "%s",
			       tp_text_count(count, sizeof(count), threads, "thread"));
}

struct tp_scene tp_picture_scene(const struct tp_picture *picture, const struct tp_run *run,
				 char title[TP_PICTURE_TITLE_BYTES])
{
	struct tp_scene scene = picture->scene;
	char simulated[TP_SIMULATED_BYTES + 16];
	if (run && scene.title && *tp_fact_simulated(run, simulated, sizeof(simulated))) {
		snprintf(title, TP_PICTURE_TITLE_BYTES, "%.120s, %s", scene.title, simulated);
		scene.title = title;
	}
	return scene;
}

unsigned tp_picture_height(const struct tp_picture *picture, unsigned usual)
{
	enum { FRAME = 90, BAR = 20 };
	const bool bars = picture->n_series && picture->series[0].style == TP_STYLE_BARS;
	return bars ? TP_MAX(usual, (unsigned)(FRAME + BAR * picture->scene.y_names.n)) : usual;
}

struct tp_series *tp_picture_series(struct tp_picture *picture, size_t n, double **x, double **y)
{
	if (picture->n_series == TP_PICTURE_SERIES)
		return NULL;
	*x = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(**x));
	*y = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(**y));
	struct tp_series *s = &picture->series[picture->n_series++];
	*s = (struct tp_series){ .n = n, .x = *x, .y = *y };
	return s;
}

struct tp_series *tp_picture_curve(struct tp_picture *picture, size_t number,
				   const struct tp_point *const *points, size_t n,
				   struct tp_curve *curve)
{
	static const char glyphs[TP_PICTURE_CURVES] = { 'o', 'x', '+', '*', '#', '@' };
	struct tp_series *s = n && number < TP_PICTURE_CURVES
				      ? tp_picture_series(picture, n, &curve->x, &curve->y)
				      : NULL;
	if (!s)
		return NULL;
	s->low = curve->low = tp_arena_alloc(&picture->arena, n * sizeof(*curve->low));
	s->high = curve->high = tp_arena_alloc(&picture->arena, n * sizeof(*curve->high));
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)number;
	s->glyph = glyphs[number];
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	return s;
}

void tp_picture_part(struct tp_picture *picture, struct tp_series *s, const int *levels,
		     double near)
{
	bool *apart = tp_arena_alloc(&picture->arena, s->n * sizeof(*apart));
	for (size_t i = 1; i < s->n; i++) {
		bool one = levels && levels[i] && levels[i] == levels[i - 1];
		apart[i] = !one && s->x[i] > near * s->x[i - 1];
		if (apart[i])
			s->apart = apart;
	}
}

/* A scale with given ends reaches what was measured. */
static void reach_points(struct tp_scale *scale, const double *values, size_t n)
{
	const bool log = scale->kind != TP_SCALE_LINEAR;
	for (size_t i = 0; i < n && scale->max > scale->min; i++) {
		if (!isfinite(values[i]) || (log && !(values[i] > 0)))
			continue;
		scale->min = fmin(scale->min, values[i]);
		scale->max = fmax(scale->max, values[i]);
	}
}

void tp_picture_finish(struct tp_picture *picture, struct tp_scale x, struct tp_scale y)
{
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		if (picture->origins[i].reads != TP_READS_POINTS)
			continue;
		reach_points(&x, s->x, s->n);
		reach_points(&y, s->y, s->n);
	}
	picture->scene.x = x;
	picture->scene.y = y;
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	picture->scene.marks = picture->marks;
	picture->scene.n_marks = picture->n_marks;
}

struct tp_origin *tp_picture_origin(struct tp_picture *picture, const struct tp_series *series)
{
	return &picture->origins[series - picture->series];
}

long tp_origin_point(const struct tp_origin *origin, size_t k)
{
	if (origin->reads == TP_READS_POINTS && origin->points)
		return (long)origin->points[k]->point;
	if (origin->reads == TP_READS_POINTS && origin->rows) {
		const struct tp_column *point = tp_column_find(origin->part->table, "point");
		return point ? (long)tp_column_number(point, origin->rows[k]) : -1;
	}
	return origin->roof ? (long)origin->roof->point : -1;
}

void tp_picture_mark(struct tp_picture *picture, double x, double y, bool at_point,
		     const char *label)
{
	if (picture->n_marks < TP_PICTURE_MARKS)
		picture->marks[picture->n_marks++] = (struct tp_plot_mark){
			.x = x, .y = y, .at_point = at_point, .label = label
		};
}

void tp_picture_band(struct tp_picture *picture, double low, double high, const char *label)
{
	if (picture->n_marks < TP_PICTURE_MARKS)
		picture->marks[picture->n_marks++] =
			(struct tp_plot_mark){ .x = low, .label = label, .until = high };
}

/* --- what is left of a dot to its roof, and what would be --- */

/* Intervals and the clock differ by more than this between runs. */
#define ON_ROOF 1.02

void tp_picture_factor(double value, double roof, const char *name, struct tp_str *out)
{
	const double factor = roof / value;
	if (factor >= ON_ROOF)
		tp_str_printf(out, "%.*fx below %s", factor < 9.95 ? 1 : 0, factor, name);
	else if (factor > 1 / ON_ROOF)
		tp_str_printf(out, "on %s", name);
	else
		tp_str_printf(out, "%.*fx above %s", factor > 1 / 9.95 ? 1 : 0, 1 / factor, name);
}

static void label_dot(struct tp_picture *picture, double x, double y, const char *label)
{
	tp_picture_mark(picture, x, y, true, label);
	picture->marks[picture->n_marks - 1].bare = true;
}

void tp_picture_drop(struct tp_picture *picture, size_t series, size_t point)
{
	const struct tp_series *dots = &picture->series[series];
	const struct tp_drop *drops = picture->origins[series].drops;
	double *x, *y;
	if (!drops || point >= dots->n || picture->n_marks == TP_PICTURE_MARKS)
		return;
	const struct tp_drop *drop = &drops[point];
	struct tp_series *line = drop->y > 0 ? tp_picture_series(picture, 2, &x, &y) : NULL;
	if (line) {
		line->style = TP_STYLE_DASHED;
		line->role = dots->role;
		x[0] = x[1] = dots->x[point];
		y[0] = dots->y[point];
		y[1] = drop->y;
	}
	label_dot(picture, dots->x[point], dots->y[point], drop->label);
	tp_picture_finish(picture, picture->scene.x, picture->scene.y);
}

void tp_picture_ghost(struct tp_picture *picture, double x, double y, const char *legend,
		      const char *label)
{
	double *at_x, *at_y;
	struct tp_series *dot = picture->n_marks < TP_PICTURE_MARKS
					? tp_picture_series(picture, 1, &at_x, &at_y)
					: NULL;
	if (!dot)
		return;
	*at_x = x;
	*at_y = y;
	dot->label = legend;
	dot->style = TP_STYLE_DOTS;
	dot->role = TP_ROLE_MARK;
	dot->glyph = '?';
	label_dot(picture, x, y, label);
	/* The axes reach it, the cursor does not. */
	tp_picture_origin(picture, dot)->reads = TP_READS_POINTS;
	tp_picture_finish(picture, picture->scene.x, picture->scene.y);
	tp_picture_origin(picture, dot)->reads = TP_READS_NOTHING;
}

/* --- every picture --- */

const char *tp_picture_curve_title(const char *experiment)
{
	const struct tp_reporter *reporter = tp_reporter_find(experiment);
	return reporter ? reporter->curve_title : NULL;
}

bool tp_picture_curves(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from)
{
	const struct tp_reporter *reporter = tp_reporter_find(group->experiment);
	return reporter && reporter->curves && reporter->curves(picture, run, group, from);
}

bool tp_picture_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	const struct tp_reporter *reporter = tp_reporter_find(group->experiment);
	return reporter && reporter->has_curves && reporter->has_curves(run, group, from);
}

void tp_picture_each_group(const struct tp_run *run, void *context, tp_hang_curves *hang)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally groups = { 0 };
	TP_STR key = { 0 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
		size_t before = groups.n;
		if (!reporter || !reporter->curves)
			continue;
		tp_str_clear(&key);
		tp_str_printf(&key, "%u\x1f%u\x1f%s\x1f%s", p->run, p->threads,
			      tp_kernel_row(p)->precision, p->experiment);
		tp_tally_add(&groups, tp_str_text(&key));
		if (groups.n > before)
			hang(context, run,
			     &(struct tp_group){ p->run, p->threads, tp_kernel_row(p)->precision,
						 p->experiment });
	}
}

/* The curves of one experiment: its groups, and several pictures of each. */
struct curves_context {
	const struct tp_gallery *gallery;
	const struct tp_reporter *reporter;
};

static void hang_curves(void *context, const struct tp_run *run, const struct tp_group *group)
{
	const struct curves_context *c = context;
	bool any = tp_reporter_find(group->experiment) == c->reporter;
	for (size_t from = 0; any; from += TP_PICTURE_CURVES) {
		struct tp_picture *picture = tp_picture_new();
		any = c->reporter->curves(picture, run, group, from);
		if (any && !c->gallery->tables_too && c->reporter->plateaus)
			c->reporter->plateaus(picture, run, group, from);
		tp_gallery_hang(c->gallery, picture, any);
	}
}

void tp_picture_each(const void *run, const struct tp_gallery *gallery)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r)) {
		struct curves_context curves = { gallery, r };
		if (r->pictures && !r->pictures_last)
			r->pictures(run, gallery);
		if (r->curves)
			tp_picture_each_group(run, &curves, hang_curves);
	}
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->pictures && r->pictures_last)
			r->pictures(run, gallery);
}

void tp_overlay_each(const void *overlay, const struct tp_gallery *gallery)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->overlays)
			r->overlays(r, overlay, gallery);
}

#define ROOM_FOR_VALUES 1.3 /* the axis is so much longer than the longest bar */

/* The series of a row, or all; false when out of series. */
static bool add_tiles(struct tp_picture *picture, const struct tp_chart_tile *tiles, size_t n,
		      size_t row, bool all)
{
	size_t used = 0;
	double *x, *y;
	struct tp_series *s = tp_picture_series(picture, n, &x, &y);
	struct tp_tile *own = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*own));
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	const void **rows = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*rows));
	bool pointed = true;
	if (!s)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!all && tiles[i].row != row)
			continue;
		x[used] = (double)tiles[i].column;
		y[used] = (double)tiles[i].row;
		points[used] = tiles[i].point;
		rows[used] = tiles[i].result;
		pointed &= tiles[i].point != NULL;
		own[used++] = tiles[i].tile;
	}
	s->n = used;
	s->style = TP_STYLE_TILES;
	s->role = TP_ROLE_SERIES_0;
	s->tiles = own;
	if (pointed)
		*tp_picture_origin(picture, s) =
			(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	else if (n && tiles->part)
		*tp_picture_origin(picture, s) = (struct tp_origin){ .reads = TP_READS_POINTS,
								     .part = tiles->part,
								     .rows = rows };
	if (!used)
		picture->n_series--;
	return true;
}

bool tp_picture_heat(struct tp_picture *picture, const struct tp_names *columns,
		     const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n)
{
	/* A series a row, so that the cursor goes up and down. */
	bool all = rows->n > TP_PICTURE_SERIES;
	for (size_t row = 0; row < (all ? 1 : rows->n); row++)
		if (!add_tiles(picture, tiles, n, row, all))
			return false;
	picture->scene = (struct tp_scene){ .x_names = *columns, .y_names = *rows };
	tp_picture_finish(picture, (struct tp_scale){ .unit = TP_UNIT_NAMES },
			  (struct tp_scale){ .unit = TP_UNIT_NAMES });
	return picture->n_series > 0;
}

static enum tp_plot_role role_of_bar(const struct tp_chart_bar *bars, size_t i)
{
	unsigned number = 0;
	if (!bars[i].group)
		return bars[i].role;
	for (size_t k = 0; k < i; k++) {
		bool first = true;
		if (!bars[k].group || strcmp(bars[k].group, bars[i].group) == 0)
			break;
		for (size_t j = 0; j < k && first; j++)
			first = strcmp(bars[j].group, bars[k].group) != 0;
		number += first;
	}
	return (enum tp_plot_role)(TP_ROLE_SERIES_0 + number % 6);
}

bool tp_picture_bars(struct tp_picture *picture, const struct tp_chart_bar *bars, size_t n,
		     const char *unit)
{
	const char **names;
	double most = 0;
	n = TP_MIN(n, (size_t)TP_CHART_BARS);
	names = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*names));
	for (size_t i = 0; i < n; i++) {
		double *x, *y, *ends = tp_arena_alloc(&picture->arena, 2 * sizeof(*ends));
		struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
		struct tp_tile *tile = tp_arena_alloc(&picture->arena, sizeof(*tile));
		const struct tp_point **point =
			tp_arena_alloc(&picture->arena, sizeof(const struct tp_point *));
		const char **said = tp_arena_alloc(&picture->arena, sizeof(const char *));
		if (!s)
			return false;
		x[0] = bars[i].value;
		y[0] = (double)(n - 1 - i);
		*tile = (struct tp_tile){ 1, bars[i].best ? '*' : ' ', bars[i].text };
		ends[0] = bars[i].low;
		ends[1] = bars[i].high;
		names[n - 1 - i] = bars[i].name;
		s->label = bars[i].group;
		s->style = TP_STYLE_BARS;
		s->role = role_of_bar(bars, i);
		s->tiles = tile;
		if (bars[i].high > bars[i].low) {
			s->low = &ends[0];
			s->high = &ends[1];
		}
		*point = bars[i].point;
		*said = bars[i].said;
		if (*point || *said)
			*tp_picture_origin(picture, s) =
				(struct tp_origin){ .reads = TP_READS_POINTS,
						    .points = *point ? point : NULL,
						    .said = *said ? said : NULL };
		most = fmax(most, bars[i].value);
	}
	picture->scene = (struct tp_scene){ .y_names = { names, n } };
	tp_picture_finish(picture,
			  (struct tp_scale){ .max = most * ROOM_FOR_VALUES, .label = unit },
			  (struct tp_scale){ .unit = TP_UNIT_NAMES });
	return most > 0;
}

const char *tp_chart_number(struct tp_picture *picture, double value)
{
	int decimals = value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5;
	return tp_picture_text(picture, "%.*f", decimals, value);
}

char tp_chart_mark(const struct tp_point *p, bool best)
{
	return best			     ? '*'
	       : p->state == TP_POINT_FAILED ? 'x'
	       : p->state == TP_POINT_DONE   ? ' '
					     : '.';
}

size_t tp_chart_bars_room(size_t rows)
{
	size_t room = rows > TP_CHART_FRAME_ROWS ? rows - TP_CHART_FRAME_ROWS : 1;
	return TP_MIN(room, (size_t)TP_CHART_BARS);
}

void tp_chart_interval(struct tp_chart_bar *bar, bool turned)
{
	const struct tp_point *p = bar->point;
	double median = tp_point_median(p);
	double low = bar->value * p->ci_low / median, high = bar->value * p->ci_high / median;
	if (!(p->ci_low > 0 && p->ci_high >= p->ci_low && median > 0))
		return;
	bar->low = turned ? bar->value * bar->value / high : low;
	bar->high = turned ? bar->value * bar->value / low : high;
}

void tp_chart_leave_out(struct tp_picture *picture, size_t bars)
{
	if (bars)
		picture->left_out = tp_picture_text(picture, "Left out: %zu further bars.", bars);
}

void tp_chart_fit_map(struct tp_picture *picture, size_t columns, size_t rows, size_t most_columns,
		      size_t most_rows)
{
	if (columns + TP_CHART_FRAME_COLUMNS > most_columns ||
	    rows + TP_CHART_FRAME_ROWS > most_rows)
		picture->left_out = tp_picture_text(
			picture,
			"A map of %zu x %zu has no room here: a larger window shows all of it.",
			columns, rows);
}

/* --- the text of a picture under the pointer --- */

/* A picture whose values are shown; `run` may be NULL. */
struct said {
	const struct tp_picture *picture;
	const struct tp_run *run;
};

/* "0.26 FLOP per byte", "32 KiB", or the name at that place. */
static void add_value(struct tp_str *out, const struct tp_scale *scale,
		      const struct tp_names *names, double value)
{
	char bytes[32];
	size_t at = value >= 0 ? (size_t)lround(value) : 0;
	if (scale->unit == TP_UNIT_NAMES) {
		tp_str_add(out, at < names->n && names->items[at] ? names->items[at] : "");
		return;
	}
	if (scale->unit == TP_UNIT_BYTES && value >= 0 && value < 1e18) {
		tp_str_add(out, tp_format_bytes(bytes, sizeof(bytes), (uint64_t)value));
		return;
	}
	/* In "element_ns, ns" the unit follows the comma. */
	const char *unit = scale->label ? scale->label : "", *comma = strrchr(unit, ',');
	tp_str_printf(out, "%.4g%s%s", value, *unit ? " " : "",
		      comma ? comma + 1 + strspn(comma + 1, " ") : unit);
}

static void add_interval(struct tp_str *out, double value, const double *low, const double *high,
			 size_t k)
{
	double half = low && high ? 50 * (high[k] - low[k]) / value : NAN;
	if (value > 0 && half >= 0 && isfinite(half))
		tp_str_printf(out, " \u00b1%.1f %%", half);
}

static void add_quality(struct tp_str *out, const struct tp_point *point)
{
	char words[128];
	if (point &&
	    *tp_quality_words(point->quality, tp_quality_reasons(point->quality, point->flags),
			      words, sizeof(words)))
		tp_str_printf(out, ", %s", words);
}

static void say_point(const struct tp_picture *picture, size_t series, size_t k, struct tp_str *out)
{
	const struct tp_series *s = &picture->series[series];
	const struct tp_origin *origin = &picture->origins[series];
	const struct tp_scene *scene = &picture->scene;
	bool bars = s->style == TP_STYLE_BARS, tiles = s->style == TP_STYLE_TILES;
	if (origin->said) {
		if (bars)
			add_value(out, &scene->y, &scene->y_names, s->y[k]);
		else
			add_value(out, &scene->x, &scene->x_names, s->x[k]);
		tp_str_printf(out, ": %s", origin->said[k]);
		return;
	}
	/* Lanes: the height is not a value. */
	if (!bars && !tiles && scene->y.unit == TP_UNIT_NAMES)
		return;
	if (s->label && *s->label && !tiles)
		tp_str_printf(out, "%s: ", s->label);
	if (bars || tiles)
		add_value(out, &scene->y, &scene->y_names, s->y[k]);
	if (!bars) {
		tp_str_add(out, tiles ? ", " : "");
		add_value(out, &scene->x, &scene->x_names, s->x[k]);
	}
	tp_str_add(out, bars || tiles ? ": " : ", ");
	if ((bars || tiles) && s->tiles && s->tiles[k].text)
		tp_str_add(out, s->tiles[k].text);
	else if (bars)
		add_value(out, &scene->x, &scene->x_names, s->x[k]);
	else if (tiles && isfinite(s->tiles[k].share))
		tp_str_printf(out, "%.0f %% of the best", 100 * s->tiles[k].share);
	else if (!tiles)
		add_value(out, &scene->y, &scene->y_names, s->y[k]);
	add_interval(out, bars ? s->x[k] : s->y[k], s->low, s->high, k);
	if (origin->reads == TP_READS_POINTS && origin->points)
		add_quality(out, origin->points[k]);
}

static void say_line(const struct tp_picture *picture, const struct tp_run *run, size_t series,
		     struct tp_str *out)
{
	const struct tp_origin *origin = &picture->origins[series];
	const struct tp_roof *roof = origin->roof;
	const char *label = picture->series[series].label;
	if (origin->reads != TP_READS_LINE || (!roof && !origin->words))
		return;
	tp_str_add(out, label ? label : "");
	if (roof) {
		const double low[] = { roof->ci_low }, high[] = { roof->ci_high };
		add_interval(out, roof->median, low, high, 0);
		if (run && roof->point < run->n_points)
			tp_str_printf(out, ", %s, %s", roof->isa, run->points[roof->point].kernel);
		if (roof->ridge_flop_per_byte > 0)
			tp_str_printf(out, ", ridge at %.3g FLOP/byte", roof->ridge_flop_per_byte);
		add_quality(out,
			    run && roof->point < run->n_points ? &run->points[roof->point] : NULL);
	} else {
		tp_str_printf(out, "%s%s", label ? ": " : "", origin->words);
	}
}

void tp_picture_say(const struct tp_picture *picture, const struct tp_run *run, size_t series,
		    size_t point, struct tp_str *out)
{
	if (point == TP_SVG_LINE)
		say_line(picture, run, series, out);
	/* Theoretical lines and ends of roofs do not count as points. */
	else if (picture->series[series].style != TP_STYLE_DASHED &&
		 picture->origins[series].reads != TP_READS_LINE)
		say_point(picture, series, point, out);
}

/* `say` of struct tp_svg_hover for a struct said. */
static const char *say_under_pointer(const void *context, size_t series, size_t point, char *out,
				     size_t size)
{
	const struct said *said = context;
	TP_STR text = { 0 };
	tp_picture_say(said->picture, said->run, series, point, &text);
	tp_copy(out, size, tp_str_text(&text));
	return out;
}

/* --- on a page --- */

/* Bytes of drawings on a page: beyond, pictures have no version for narrow screens, or are left
 * out. */
enum { ONCE_BYTES = 380000, PICTURES_BYTES = 600000 };

/* px */
enum { WIDE = 860, TALL_HEIGHT = 540, HEIGHT = 420 };

enum { NARROW = 340, NARROW_TALL_HEIGHT = 360, NARROW_HEIGHT = 300 };

/*
 * A picture as a figure, drawn twice: for screens, and for narrow ones. False where the page is as
 * long as pages may be, so that the picture is left out.
 */
static bool add_figure(struct tp_text *doc, const struct tp_picture *picture,
		       const struct tp_run *run)
{
	TP_STR out = { 0 };
	char room[TP_PICTURE_TITLE_BYTES];
	struct tp_scene scene = tp_picture_scene(picture, run, room);
	const char *title = scene.title && *scene.title ? scene.title : "Picture";
	bool once = picture->wide || doc->verbatim_bytes > ONCE_BYTES;
	const struct said said = { picture, run };
	const struct tp_svg_hover hover = { &said, say_under_pointer };
	if (doc->verbatim_bytes > PICTURES_BYTES)
		return false;
	/* The caption is wrapped if there is little room; the drawing would cut it. */
	scene.title = NULL;
	/* On a narrow screen it is scrolled: smaller, its text would be unreadable. */
	tp_str_printf(&out, "<figure%s><figcaption>",
		      once ? " class=\"scrolled\" tabindex=\"0\"" : "");
	tp_str_add_markup(&out, title);
	tp_str_add(&out, "</figcaption>\n");
	/* Both sizes are between the limits of drawings. */
	tp_svg_inline(&scene, WIDE,
		      tp_picture_height(picture, picture->tall ? TALL_HEIGHT : HEIGHT),
		      once ? "only" : "wide", title, &hover, &out);
	if (!once)
		tp_svg_inline(&scene, NARROW,
			      tp_picture_height(picture,
						picture->tall ? NARROW_TALL_HEIGHT : NARROW_HEIGHT),
			      "narrow", title, NULL, &out);
	if (picture->left_out) {
		tp_str_add(&out, "<p class=\"dim\">");
		tp_str_add_markup(&out, picture->left_out);
		tp_str_add(&out, "</p>\n");
	}
	tp_str_add(&out, "</figure>\n");
	tp_text_verbatim(doc, tp_str_text(&out));
	return true;
}

/* Larger pictures only drift apart; two rows stay for the prompt. */
enum { COLUMNS_MAX = 160, ROWS_MAX = 40, ROWS_LEFT = 2 };

/* Cells that a figure stands for where a picture asks how much room there is. */
enum { FIGURE_COLUMNS = 160, FIGURE_ROWS = 48 };

/* More would not be looked at. */
enum { FIGURES_MAX = 32 };

struct wall {
	const struct tp_run *run;
	struct tp_plot_text_options options;
	struct tp_text *doc;
};

static void hang_picture_text(void *context, struct tp_picture *picture)
{
	struct wall *wall = context;
	char title[TP_PICTURE_TITLE_BYTES];
	const struct tp_scene scene = tp_picture_scene(picture, wall->run, title);
	TP_STR drawn = { 0 };
	tp_text_gap(wall->doc);
	/* tp_pictures_text has seen to the size. */
	tp_plot_text(&scene, &wall->options, &drawn);
	tp_text_verbatim(wall->doc, tp_str_text(&drawn));
	if (picture->left_out)
		tp_text_wrap(wall->doc, TP_PAINT_DIM, picture->left_out, 0, 0);
}

struct figures {
	const struct tp_run *run;
	struct tp_text *doc;
	size_t n, left_out;
};

static void hang_figure(void *context, struct tp_picture *picture)
{
	struct figures *f = context;
	bool drawn = f->n < FIGURES_MAX && add_figure(f->doc, picture, f->run);
	f->n += drawn;
	f->left_out += !drawn;
}

static void add_figures(tp_pictures_of *pictures, const void *what, const struct tp_run *run,
			struct tp_text *doc)
{
	struct figures f = { .run = run, .doc = doc };
	const struct tp_gallery gallery = {
		.context = &f, .hang = hang_figure, .columns = FIGURE_COLUMNS, .rows = FIGURE_ROWS
	};
	char text[96], count[48];
	pictures(what, &gallery);
	snprintf(text, sizeof(text), "%s left out: --svg FILE draws more of them.",
		 tp_text_count(count, sizeof(count), f.left_out, "further picture"));
	if (f.left_out)
		tp_text_wrap(doc, TP_PAINT_DIM, text, 0, 0);
}

void tp_pictures_text(tp_pictures_of *pictures, const void *what, const struct tp_run *run,
		      struct tp_text *doc)
{
	struct wall wall = { .run = run, .doc = doc };
	if (doc->look->html) {
		add_figures(pictures, what, run, doc);
		return;
	}
	size_t rows = doc->look->rows > ROWS_LEFT ? doc->look->rows - ROWS_LEFT : 0;
	wall.options = (struct tp_plot_text_options){
		.columns = TP_MIN((size_t)doc->look->columns, (size_t)COLUMNS_MAX),
		.rows = TP_MIN(rows, (size_t)ROWS_MAX),
		.glyphs = doc->look->utf8 ? TP_GLYPHS_BRAILLE : TP_GLYPHS_ASCII,
		.colour = doc->look->colour,
	};
	if (wall.options.columns < TP_PLOT_COLUMNS_MIN || wall.options.rows < TP_PLOT_ROWS_MIN) {
		tp_text_gap(doc);
		tp_text_say(doc, TP_PAINT_PLAIN, 0, 0,
			    "(no plots: the terminal has %u x %u, they need %d x %d)",
			    doc->look->columns, doc->look->rows, TP_PLOT_COLUMNS_MIN,
			    TP_PLOT_ROWS_MIN + ROWS_LEFT);
		return;
	}
	const struct tp_gallery gallery = {
		.context = &wall,
		.hang = hang_picture_text,
		.columns = wall.options.columns,
		.rows = wall.options.rows,
		.brief = !doc->look->full,
		.tables_too = true,
	};
	pictures(what, &gallery);
}

void tp_report_plots(const struct tp_run *run, struct tp_text *doc)
{
	if (run->n_points || run->n_parts)
		tp_pictures_text(tp_picture_each, run, run, doc);
}
