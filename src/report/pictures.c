/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a finished run, drawn as text. */
#include "report/autotune.h"
#include "report/counters_text.h"
#include "report/latency.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger pictures only drift apart; two rows stay for the prompt. */
enum { COLUMNS_MAX = 160, ROWS_MAX = 40, ROWS_LEFT = 2, TEXT_MAX = 160 };

const char *tp_picture_text(struct tp_picture *picture, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	const char *kept = tp_arena_strdup(&picture->arena, text);
	return kept ? kept : "";
}

struct tp_series *tp_picture_series(struct tp_picture *picture, size_t n, double **x, double **y)
{
	if (picture->n_series == TP_PICTURE_SERIES)
		return NULL;
	*x = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(**x));
	*y = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(**y));
	if (!*x || !*y)
		return NULL;
	struct tp_series *s = &picture->series[picture->n_series++];
	*s = (struct tp_series){ .n = n, .x = *x, .y = *y };
	return s;
}

struct tp_origin *tp_picture_origin(struct tp_picture *picture, const struct tp_series *series)
{
	return &picture->origins[series - picture->series];
}

void tp_picture_mark(struct tp_picture *picture, double x, double y, bool at_point,
		     const char *label)
{
	if (picture->n_marks < TP_PICTURE_MARKS)
		picture->marks[picture->n_marks++] = (struct tp_plot_mark){ x, y, at_point, label };
}

struct gallery {
	struct tp_plot_text_options options;
	struct tp_str *out;
};

static void hang(struct gallery *g, const struct tp_picture *picture)
{
	tp_str_add(g->out, "\n");
	enum tp_status status = tp_plot_text(&picture->scene, &g->options, g->out);
	if (status != TP_OK)
		tp_str_printf(g->out, "(%s could not be drawn: %s)\n", picture->scene.title,
			      tp_status_name(status));
}

static void hang_roofline(void *context, const struct tp_run *run, unsigned index,
			  const char *precision)
{
	struct gallery *g = context;
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	if (!picture) {
		g->out->oom = true;
		return;
	}
	if (tp_picture_roofline(picture, run, index, precision, g->options.columns,
				g->options.rows))
		hang(g, picture);
	tp_arena_release(&picture->arena);
	free(picture);
}

static void hang_curves(void *context, const struct tp_run *run, const struct tp_group *group)
{
	struct gallery *g = context;
	for (size_t from = 0;; from += TP_PICTURE_CURVES) {
		struct tp_picture *picture = calloc(1, sizeof(*picture));
		if (!picture) {
			g->out->oom = true;
			return;
		}
		bool any = tp_picture_curves(picture, run, group, from);
		if (any)
			hang(g, picture);
		tp_arena_release(&picture->arena);
		free(picture);
		if (!any)
			return;
	}
}

static void hang_other(void *context, const struct tp_picture *picture)
{
	hang(context, picture);
}

static bool same_group(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(a->precision, b->precision) == 0 && strcmp(a->experiment, b->experiment) == 0;
}

void tp_picture_each(const struct tp_run *run, void *context, tp_hang_roofline *roofline,
		     tp_hang_curves *curves)
{
	for (size_t i = 0; i < run->n_roofs; i++) {
		const struct tp_roof *r = &run->roofs[i];
		bool known = tp_roof_is_tuned(run, r);
		for (size_t k = 0; k < i && !known; k++)
			known = !tp_roof_is_tuned(run, &run->roofs[k]) &&
				run->roofs[k].run == r->run &&
				strcmp(run->roofs[k].precision, r->precision) == 0;
		if (!known)
			roofline(context, run, r->run, r->precision);
	}
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !tp_picture_curve_title(p->experiment) && !tp_point_is_loaded(p);
		for (size_t k = 0; k < i && !known; k++)
			known = same_group(&run->points[k], p);
		if (!known)
			curves(context, run,
			       &(struct tp_group){ p->run, p->threads, p->precision,
						   p->experiment });
	}
}

void tp_report_plots(const struct tp_run *run, const struct tp_look *look, struct tp_str *out)
{
	struct gallery g = { .out = out };
	size_t rows = look->rows > ROWS_LEFT ? look->rows - ROWS_LEFT : 0;
	g.options = (struct tp_plot_text_options){
		.columns = TP_MIN((size_t)look->columns, (size_t)COLUMNS_MAX),
		.rows = TP_MIN(rows, (size_t)ROWS_MAX),
		.glyphs = look->utf8 ? TP_GLYPHS_BRAILLE : TP_GLYPHS_ASCII,
		.colour = look->colour,
	};
	if (!run->n_roofs && !run->n_plateaus && !run->n_points && !run->n_classes)
		return;
	if (g.options.columns < TP_PLOT_COLUMNS_MIN || g.options.rows < TP_PLOT_ROWS_MIN) {
		tp_str_printf(out, "\n(no plots: the terminal has %u x %u, they need %d x %d)\n",
			      look->columns, look->rows, TP_PLOT_COLUMNS_MIN,
			      TP_PLOT_ROWS_MIN + ROWS_LEFT);
		return;
	}
	tp_picture_each(run, &g, hang_roofline, hang_curves);
	/* Heat maps are tables of the text. */
	if (!tp_picture_each_search(run, false, &g, hang_other) ||
	    !tp_picture_each_class(run, &g, hang_other))
		out->oom = true;
}
