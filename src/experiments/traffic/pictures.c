/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected lines and counted dots over the size, with the band of the cache shaded. */
#include "experiments/traffic/report.h"

#include <stdlib.h>
#include <string.h>

struct curve {
	const char *label;
	enum tp_series_style style;
	enum tp_plot_role role;
	char glyph;
	bool written, counted;
};

static double value_of(const struct curve *curve, const struct tp_traffic_row *row)
{
	if (curve->counted)
		return curve->written ? row->written : row->read;
	return curve->written ? row->expected_written : row->expected_read;
}

/* What is open has no expectation: there the line is that of data that fit. */
static bool has(const struct curve *curve, const struct tp_traffic_row *row)
{
	return !curve->counted || (curve->written ? row->writes_counted : row->reads_counted);
}

static void draw(struct tp_picture *picture, const struct curve *curve,
		 const struct tp_point *const *points, size_t n)
{
	const struct tp_point **mine =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	double *x, *y;
	size_t used = 0;

	for (size_t i = 0; i < n && mine; i++)
		if (has(curve, tp_traffic_row(points[i])))
			mine[used++] = points[i];
	struct tp_series *s = used ? tp_picture_series(picture, used, &x, &y) : NULL;
	if (!s)
		return;
	for (size_t i = 0; i < used; i++) {
		x[i] = (double)tp_traffic_row(mine[i])->size;
		y[i] = value_of(curve, tp_traffic_row(mine[i]));
	}
	s->label = curve->label;
	s->style = curve->style;
	s->role = curve->role;
	s->glyph = curve->glyph;
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = curve->counted ? TP_READS_POINTS : TP_READS_NOTHING,
				    .points = mine };
}

static int by_size(const void *a, const void *b)
{
	const struct tp_point *const *x = a, *const *y = b;
	const uint64_t m = tp_traffic_row(*x)->size, n = tp_traffic_row(*y)->size;

	return (m > n) - (m < n);
}

bool tp_traffic_picture(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *like)
{
	static const struct curve curves[] = {
		{ "read, expected", TP_STYLE_SOLID, TP_ROLE_SERIES_0, '-', false, false },
		{ "written, expected", TP_STYLE_DASHED, TP_ROLE_SERIES_1, '-', true, false },
		{ "read, counted", TP_STYLE_DOTS, TP_ROLE_SERIES_0, 'o', false, true },
		{ "written, counted", TP_STYLE_DOTS, TP_ROLE_SERIES_1, 'x', true, true },
	};
	const struct tp_traffic_row *row = tp_traffic_row(like);
	const struct tp_point **points = calloc(run->n_points + 1, sizeof(*points));
	char count[32];
	size_t n = 0;

	if (!points)
		return false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (tp_traffic_same(p, like) && p->state == TP_POINT_DONE)
			points[n++] = p;
	}
	qsort(points, n, sizeof(*points), by_size);
	for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
		draw(picture, &curves[i], points, n);
	free(points);
	if (!picture->n_series)
		return false;
	row = tp_traffic_row(picture->origins[0].points[0]);
	if (row->band_high > row->band_low)
		tp_picture_band(picture, row->band_low, row->band_high, "cache");
	picture->scene.title =
		tp_picture_text(picture, "Memory traffic of %s, a core of %s", row->operation,
				tp_text_count(count, sizeof(count), like->threads, "thread"));
	picture->scene.x = (struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "N" };
	picture->scene.y =
		(struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, 0, 0, "bytes a repetition" };
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	picture->scene.marks = picture->marks;
	picture->scene.n_marks = picture->n_marks;
	return true;
}

bool tp_traffic_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	const struct tp_point *first;

	for (size_t i = 0; (first = tp_traffic_first(run, i)); i++) {
		struct tp_picture *picture = tp_picture_new();
		if (!picture)
			return false;
		if (tp_traffic_picture(picture, run, first))
			gallery->hang(gallery->context, picture);
		tp_picture_free(picture);
	}
	return true;
}
