/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of a family as pictures: their noise, and their counts over the rows beside the expected
 * ones.
 */
#include "experiments/counters/pictures.h"
#include "report/reporter.h"
#include "analysis/classify.h"
#include "report/pictures.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Repetitions that agree wholly have no place on a logarithmic axis: they are drawn this far below
 * tau and the least noise.
 */
#define NO_NOISE_BELOW 100.0
#define AIR	       1.08

static const char glyphs[] = "ox+*sdv^#%&@";
_Static_assert(sizeof(glyphs) - 1 == TP_PICTURE_EVENTS, "a glyph for each event");

const struct tp_reading_family *tp_report_readings(const struct tp_run *run,
						   const struct tp_class *class)
{
	return tp_readings_of_run(tp_run_readings(run), class->family, class->run);
}

/*
 * Count per iteration of an event in the class's n-th used row, the mean over repetitions; NaN =
 * not measured.
 */
static double mean_count(const struct tp_class *class, const struct tp_reading_family *readings,
			 const struct tp_reading_event *event, size_t used)
{
	double sum = 0;
	size_t n = 0;
	if (class->rows[used] >= readings->n_rows)
		return NAN;
	for (size_t r = 0; r < readings->n_repetitions; r++) {
		double v = tp_reading_value(readings, event, r, class->rows[used]);
		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

double tp_report_expected(const struct tp_class *class, size_t event, size_t used)
{
	const double *x = class->events[event].x;
	double sum = 0;
	for (size_t i = 0; x && i < class->n_ideals; i++)
		sum += class->expectations[used * class->n_ideals + i] * x[i];
	return x ? sum : NAN;
}

/* --- noise --- */

static int by_noise(const void *a, const void *b, void *context)
{
	const struct tp_class *class = context;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	double x = class->events[i].noise, y = class->events[j].noise;
	if (x != y)
		return x > y ? 1 : -1;
	return (i > j) - (i < j);
}

static size_t rank_events(const struct tp_class *class, size_t *ranks)
{
	size_t n = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		enum tp_fate fate = TP_FATE_INVALID;
		tp_fate_find(class->events[i].fate, &fate);
		if (isfinite(class->events[i].noise) && fate != TP_FATE_IRRELEVANT &&
		    fate != TP_FATE_MISSING && fate != TP_FATE_INVALID)
			ranks[n++] = i;
	}
	qsort_r(ranks, n, sizeof(*ranks), by_noise, (void *)(uintptr_t) class);
	return n;
}

/* Events `from` to `end` of the ranks as dots. */
static void add_dots(struct tp_picture *picture, const struct tp_class *class, const size_t *ranks,
		     size_t from, size_t end, double floor, const char *label,
		     enum tp_plot_role role, char glyph)
{
	double *x, *y;
	struct tp_series *s;
	if (from >= end || !(s = tp_picture_series(picture, end - from, &x, &y)))
		return;
	for (size_t i = from; i < end; i++) {
		x[i - from] = (double)(i + 1);
		y[i - from] = fmax(class->events[ranks[i]].noise, floor);
	}
	s->label = label;
	s->style = TP_STYLE_DOTS;
	tp_picture_origin(picture, s)->reads = TP_READS_POINTS;
	s->role = role;
	s->glyph = glyph;
}

size_t tp_picture_noise(struct tp_picture *picture, const struct tp_class *class, size_t *ranks)
{
	TP_FREE size_t *own = ranks ? NULL : tp_alloc(class->n_events + 1, sizeof(*own));
	size_t *order = ranks ? ranks : own, n = rank_events(class, order);
	size_t silent = 0, quiet = 0;
	if (!n)
		return 0;
	while (silent < n && !(class->events[order[silent]].noise > 0))
		silent++;
	quiet = silent;
	while (quiet < n && class->events[order[quiet]].noise <= class->tau)
		quiet++;
	double least = silent < n ? class->events[order[silent]].noise : class->tau;
	double most = fmax(class->events[order[n - 1]].noise, class->tau);
	double floor_ = pow(10, floor(log10(fmin(least, class->tau) / NO_NOISE_BELOW)));
	double *x, *y;
	struct tp_series *tau = tp_picture_series(picture, 2, &x, &y);
	if (tau) {
		x[0] = 0.5;
		x[1] = (double)n + 0.5;
		y[0] = y[1] = class->tau;
		tau->label = tp_picture_text(picture, "tau %.3g", class->tau);
		tau->style = TP_STYLE_DASHED;
		tau->role = TP_ROLE_MARK;
		tau->glyph = '-';
	}
	add_dots(picture, class, order, 0, silent, floor_,
		 tp_picture_text(picture, "%zu without noise", silent), TP_ROLE_SERIES_0, 'o');
	add_dots(picture, class, order, silent, quiet, floor_,
		 tp_picture_text(picture, "%zu quiet", quiet - silent), TP_ROLE_SERIES_2, '+');
	add_dots(picture, class, order, quiet, n, floor_,
		 tp_picture_text(picture, "%zu noisy", n - quiet), TP_ROLE_SERIES_1, 'x');
	picture->scene = (struct tp_scene){
		.title = tp_picture_text(picture, "Noise of %s events", class->family),
		.x = { TP_SCALE_LINEAR, TP_UNIT_WHOLE, 0.5, (double)n + 0.5,
		       "events by rising noise" },
		.y = { TP_SCALE_LOG10, TP_UNIT_PLAIN, floor_ / 3, most * 10,
		       silent ? "noise (none: at the bottom)" : "noise" },
		.series = picture->series,
		.n_series = picture->n_series,
	};
	return n;
}

/* --- counts --- */

static bool rises(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || (i && x[i] <= x[i - 1]))
			return false;
	return n > 1;
}

/* Sizes in bytes are shown from kilobytes by powers of two; others as plain numbers. */
static bool are_bytes(const double *x, size_t n)
{
	return x[0] >= 512 && x[n - 1] / x[0] >= 8 && floor(x[0]) == x[0];
}

static void add_event(struct tp_picture *picture, const struct tp_class *class,
		      const struct tp_reading_family *readings, size_t event, const double *at,
		      size_t number)
{
	const struct tp_reading_event *measured =
		tp_reading_event_find(readings, class->events[event].name);
	enum tp_plot_role role = (enum tp_plot_role)(TP_ROLE_SERIES_0 + number % 6);
	double *x, *y;
	struct tp_series *s;
	if (class->events[event].x && (s = tp_picture_series(picture, class->n_used, &x, &y))) {
		for (size_t i = 0; i < class->n_used; i++) {
			x[i] = at[i];
			y[i] = tp_report_expected(class, event, i);
		}
		s->label = "expected";
		s->style = TP_STYLE_SOLID;
		s->role = TP_ROLE_THEORY;
		s->glyph = '-';
	}
	if (!measured || !(s = tp_picture_series(picture, class->n_used, &x, &y)))
		return;
	for (size_t i = 0; i < class->n_used; i++) {
		x[i] = at[i];
		y[i] = mean_count(class, readings, measured, i);
	}
	s->label = class->events[event].name;
	s->style = TP_STYLE_DOTS;
	tp_picture_origin(picture, s)->reads = TP_READS_POINTS;
	s->role = role;
	s->glyph = glyphs[number];
}

/* Where the rows of a kernel begin; only if there are few, or names would cover the counts. */
static void mark_groups(struct tp_picture *picture, const struct tp_class *class, const double *x)
{
	enum { MARKS_MAX = 7 };
	size_t n = 1;
	for (size_t i = 1; i < class->n_used; i++)
		n += strcmp(class->row_groups[i], class->row_groups[i - 1]) != 0;
	if (n < 2 || n > MARKS_MAX || n == class->n_used)
		return;
	for (size_t i = 0; i < class->n_used; i++)
		if (i == 0 || strcmp(class->row_groups[i], class->row_groups[i - 1]) != 0)
			tp_picture_mark(picture, x[i] - 0.5, 0, false, class->row_groups[i]);
}

bool tp_picture_counts(struct tp_picture *picture, const struct tp_class *class,
		       const struct tp_reading_family *readings, const size_t *events, size_t n,
		       double *out)
{
	size_t rows = class->n_used;
	double *x = tp_arena_alloc(&picture->arena, (rows + 1) * sizeof(*x));
	bool own = rises(class->row_x, rows), bytes = own && are_bytes(class->row_x, rows);
	double most = 0;
	if (!rows || !n || !readings)
		return false;
	for (size_t i = 0; i < rows; i++)
		x[i] = own ? class->row_x[i] : (double)(i + 1);
	if (out)
		memcpy(out, x, rows * sizeof(*x));
	for (size_t i = 0; i < n && i < TP_PICTURE_EVENTS; i++)
		add_event(picture, class, readings, events[i], x, i);
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < rows; k++)
			most = fmax(most, isfinite(picture->series[i].y[k])
						  ? picture->series[i].y[k]
						  : 0);
	if (!own)
		mark_groups(picture, class, x);
	picture->scene.title = tp_picture_text(picture, "Counts of %s events", class->family);
	tp_picture_finish(
		picture,
		(struct tp_scale){ bytes ? TP_SCALE_LOG2 : TP_SCALE_LINEAR,
				   bytes ? TP_UNIT_BYTES : TP_UNIT_WHOLE, own ? 0 : 0.5,
				   own ? 0 : (double)rows + 0.5,
				   bytes ? "buffer"
				   : own ? "N"
					 : "row" },
		(struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, most > 0 ? most * AIR : 1,
				   tp_picture_text(picture, "count per %s", class->per) });
	return picture->n_series > 0;
}

/* --- all of them --- */

enum { CURVES = 6 }; /* events in a picture; more are not distinguishable */

/* Nothing to draw if all repetitions agree. */
static bool has_noise(const struct tp_class *class)
{
	for (size_t i = 0; i < class->n_events; i++)
		if (class->events[i].noise > 0)
			return true;
	return false;
}

void tp_counters_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	for (size_t i = 0; !gallery->brief && i < tp_run_n_classes(run); i++) {
		const struct tp_class *class = &tp_run_classes(run)[i];
		if (has_noise(class)) {
			struct tp_picture *picture = tp_picture_new();
			tp_gallery_hang(gallery, picture, tp_picture_noise(picture, class, NULL));
		}
		for (size_t from = 0; from < class->n_chosen; from += CURVES) {
			struct tp_picture *picture = tp_picture_new();
			size_t events[CURVES], n = 0;
			for (; n < CURVES && from + n < class->n_chosen; n++)
				events[n] = class->chosen[from + n];
			tp_gallery_hang(gallery, picture,
					tp_picture_counts(picture, class,
							  tp_report_readings(run, class), events, n,
							  NULL));
		}
	}
}
