/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of expected and counted traffic; first of all, whether the counter is reliable. Pictures:
 * expected lines and counted dots over the size, with the band of the cache shaded.
 */
#include "experiments/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/families/traffic.h"
#include "report/page.h"

/* Counts within this share of the expectation agree. */
#define AGREES 0.1

static bool is_done(const struct tp_point *p)
{
	return tp_point_is_traffic(p) && p->state == TP_POINT_DONE;
}

bool tp_traffic_same(const struct tp_point *a, const struct tp_point *b)
{
	return is_done(a) && is_done(b) && a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_traffic_row(a)->operation, tp_traffic_row(b)->operation) == 0;
}

const struct tp_point *tp_traffic_first(const struct tp_run *run, size_t i)
{
	TP_EACH_POINT (p, run) {
		if (tp_run_is_first(run, p, tp_traffic_same) && i-- == 0)
			return p;
	}
	return NULL;
}

/* Bytes that go one way; NaN where they were not counted. */
struct flow {
	double expected, counted;
	double off_percent; /* NaN also if the expectation is uncertain */
};

/* A size of an operation in its table. */
struct size_row {
	uint64_t size, data_bytes;
	const char *fit;
	struct flow in, out;
};

static struct flow flow_of(const struct tp_traffic_row *row, bool known, double counted,
			   double expected)
{
	const bool compared = known && row->fit != TP_TRAFFIC_OPEN && expected > 0;
	return (struct flow){ expected, known ? counted : NAN,
			      compared ? 100 * (counted / expected - 1) : NAN };
}

static struct size_row size_row(const struct tp_traffic_row *row)
{
	static const char *const fits[] = { "open", "fits", "exceeded" };
	return (struct size_row){
		row->size,
		row->data_bytes,
		fits[TP_MIN(row->fit, 2u)],
		flow_of(row, row->reads_counted, row->read, row->expected_read),
		flow_of(row, row->writes_counted, row->written, row->expected_written),
	};
}

static enum tp_paint paint_of(const struct flow *flow)
{
	return !isfinite(flow->off_percent)		? TP_PAINT_PLAIN
	       : fabs(flow->off_percent) > 100 * AGREES ? TP_PAINT_WARN
							: TP_PAINT_GOOD;
}

static enum tp_paint paint_of_in(const void *row)
{
	return paint_of(&((const struct size_row *)row)->in);
}

static enum tp_paint paint_of_out(const void *row)
{
	return paint_of(&((const struct size_row *)row)->out);
}

#define SIZE(name)  TP_SHOWS(struct size_row, name)
#define BYTES(name) SIZE(name), .as = TP_AS_SIZE
#define OFF(name)   SIZE(name.off_percent), .as = TP_AS_CHANGE, .digits = 1
static const struct tp_grid_column columns[] = {
	{ "N", TP_RIGHT, 0, SIZE(size), .paint = TP_PAINT_STRONG },
	{ "data", TP_RIGHT, 2, BYTES(data_bytes) },
	{ "cache", TP_LEFT, 0, SIZE(fit) },
	{ "expected in", TP_RIGHT, 0, BYTES(in.expected) },
	{ "counted", TP_RIGHT, 0, BYTES(in.counted) },
	{ "off", TP_RIGHT, 0, OFF(in), .paint_of = paint_of_in },
	{ "expected out", TP_RIGHT, 0, BYTES(out.expected) },
	{ "counted", TP_RIGHT, 0, BYTES(out.counted) },
	{ "off", TP_RIGHT, 0, OFF(out), .paint_of = paint_of_out },
};

static const char *counter_words(const char *source)
{
	return strcmp(source, "emulated") == 0 ? "a model of the caches"
	       : strcmp(source, "none") == 0   ? "no counter"
					       : source;
}

/* The reliability of counts, for one operation or for all (`like` NULL). */
struct trust {
	size_t n, agree; /* sizes that have an expectation and a count */
	const struct tp_point *worst;
	double most; /* its error */
};

static struct trust trust_of(const struct tp_run *run, const struct tp_point *like)
{
	struct trust trust = { 0 };

	TP_EACH_POINT (p, run) {
		double error = tp_traffic_same(p, like ? like : p)
				       ? tp_traffic_error(tp_traffic_row(p))
				       : NAN;
		if (isnan(error))
			continue;
		trust.n++;
		trust.agree += error <= AGREES;
		if (!trust.worst || error > trust.most) {
			trust.most = error;
			trust.worst = p;
		}
	}
	return trust;
}

static void show_operation(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_traffic_row *row = tp_traffic_row(first);
	const struct tp_group group = { first->run, first->threads, "double", NULL };
	const enum tp_traffic_kernel kernel = tp_traffic_find(row->operation);
	TP_STR words = { 0 };
	TP_GRID(grid, columns);
	char cache[32];

	tp_str_printf(&words, "Traffic of %s", row->operation);
	tp_page_title(page, tp_str_text(&words), &group);
	tp_str_clear(&words);
	if (kernel != TP_TRAFFIC_KERNELS)
		tp_str_printf(&words, "%s; ", tp_traffic_title(kernel));
	tp_str_printf(&words, "counted by %s; the last cache of a core: %s.",
		      counter_words(row->source),
		      tp_text_size(cache, sizeof(cache), row->cache_bytes));
	const struct trust trust = trust_of(page->run, first);
	if (trust.n)
		tp_str_printf(&words,
			      " Counts agree with the loops within %.0f %% at %zu of %zu sizes "
			      "with an expectation.",
			      100 * AGREES, trust.agree, trust.n);
	tp_text_wrap(page->doc, TP_PAINT_PLAIN, tp_str_text(&words), 0, 0);
	tp_grid_heads(&grid);
	TP_EACH_POINT (p, page->run) {
		const struct size_row shown = size_row(tp_traffic_row(p));
		if (!tp_traffic_same(p, first))
			continue;
		tp_grid_row(&grid, &shown, page);
		tp_grid_about(&grid, p);
	}
	tp_grid_write(&grid, page->doc);
}

static void page(struct tp_page *page)
{
	const struct tp_point *first;
	size_t i = 0;

	while ((first = tp_traffic_first(page->run, i))) {
		show_operation(page, first);
		i++;
	}
	if (i)
		tp_page_explain(
			page,
			"Bytes that a core reads from memory (in) and writes to it (out) in one "
			"repetition, whose data were not in a cache before. cache: whether what is "
			"used again fits into half of the last cache, exceeds twice that cache, or "
			"is between the two, where both are possible.");
}

/* How many points agree, and the worst. */
static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct trust trust = trust_of(run, NULL);

	if (!trust.n)
		return;
	const struct tp_traffic_row *row = tp_traffic_row(trust.worst);
	tp_conclude_add(&conclusion->limits,
			"Memory traffic, counted by %s: %zu of %zu sizes agree within %.0f %% with "
			"the loops; the worst, %s of %llu, is %.1f %% off.",
			counter_words(row->source), trust.agree, trust.n, 100 * AGREES,
			row->operation, (unsigned long long)row->size, 100 * trust.most);
	if (trust.agree < trust.n)
		tp_conclude_add(&conclusion->odd,
				"Memory traffic: the counter does not count all that the loops "
				"move, or more than that, or the cache does not keep what it "
				"should.");
}

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

static void draw_points(struct tp_picture *picture, const struct curve *curve,
			const struct tp_point *const *points, size_t n)
{
	const struct tp_point **mine =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	double *x, *y;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tp_traffic_row *row = tp_traffic_row(points[i]);
		/* Uncertain sizes have no expectation: there the line assumes that data fit. */
		if (!curve->counted || (curve->written ? row->writes_counted : row->reads_counted))
			mine[used++] = points[i];
	}
	struct tp_series *s = used ? tp_picture_series(picture, used, &x, &y) : NULL;
	if (!s)
		return;
	int *levels = tp_arena_alloc(&picture->arena, used * sizeof(*levels));
	for (size_t i = 0; i < used; i++) {
		const struct tp_traffic_row *row = tp_traffic_row(mine[i]);
		x[i] = (double)row->size;
		y[i] = value_of(curve, row);
		/* What is expected jumps beyond the band. */
		levels[i] = 1 + (x[i] > row->band_high);
	}
	tp_picture_part(picture, s, levels, 1);
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
	TP_FREE const struct tp_point **points = tp_alloc(run->n_points + 1, sizeof(*points));
	size_t n = 0;

	TP_EACH_POINT (p, run) {
		if (tp_traffic_same(p, like))
			points[n++] = p;
	}
	qsort(points, n, sizeof(*points), by_size);
	for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
		draw_points(picture, &curves[i], points, n);
	if (!picture->n_series)
		return false;
	row = tp_traffic_row(picture->origins[0].points[0]);
	if (row->band_high > row->band_low)
		tp_picture_band(picture, row->band_low, row->band_high, "cache");
	picture->scene.title =
		tp_picture_text(picture, "Memory traffic of %s, a core of %s", row->operation,
				tp_picture_threads(picture, like->threads));
	tp_picture_finish(picture, (struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_WHOLE, .label = "N" },
			  (struct tp_scale){ TP_SCALE_LOG10, .label = "bytes a repetition" });
	return true;
}

static void pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	const struct tp_point *first;

	for (size_t i = 0; (first = tp_traffic_first(run, i)); i++) {
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture, tp_traffic_picture(picture, run, first));
	}
}

const struct tp_reporter tp_reporter_traffic = {
	.experiment = "traffic",
	.place = 9,
	.page = page,
	.conclude = conclude,
	.pictures = pictures,
};
