/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a finished run, drawn as text. */
#include "report/facts.h"
#include "report/html.h"
#include "report/reporter.h"
#include "base/tally.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger pictures only drift apart; two rows stay for the prompt. */
enum { COLUMNS_MAX = 160, ROWS_MAX = 40, ROWS_LEFT = 2, TEXT_MAX = 160 };
/* Cells that a figure stands for where a picture asks how much room there is. */
enum { FIGURE_COLUMNS = 160, FIGURE_ROWS = 48 };
/* More of them nobody looks through. */
enum { FIGURES_MAX = 32 };

struct tp_picture *tp_picture_new(void)
{
	return calloc(1, sizeof(struct tp_picture));
}

void tp_picture_free(struct tp_picture *picture)
{
	if (picture)
		tp_arena_release(&picture->arena);
	free(picture);
}

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
		picture->marks[picture->n_marks++] =
			(struct tp_plot_mark){ x, y, at_point, label, 0 };
}

void tp_picture_band(struct tp_picture *picture, double low, double high, const char *label)
{
	if (picture->n_marks < TP_PICTURE_MARKS)
		picture->marks[picture->n_marks++] =
			(struct tp_plot_mark){ low, 0, false, label, high };
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
	struct tp_tally groups = { 0 };
	struct tp_str key = { 0 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
		size_t before = groups.n;
		if (!reporter || !reporter->curves)
			continue;
		tp_str_clear(&key);
		tp_str_printf(&key, "%u\x1f%u\x1f%s\x1f%s", p->run, p->threads,
			      tp_kernel_row(p)->precision, p->experiment);
		if (tp_tally_add(&groups, tp_str_text(&key)) != TP_OK)
			break;
		if (groups.n > before)
			hang(context, run,
			     &(struct tp_group){ p->run, p->threads, tp_kernel_row(p)->precision,
						 p->experiment });
	}
	tp_tally_release(&groups);
	tp_str_release(&key);
}

/* The curves of one experiment: its groups, and several pictures of each. */
struct curves_context {
	const struct tp_gallery *gallery;
	const struct tp_reporter *reporter;
	bool failed;
};

static void hang_curves(void *context, const struct tp_run *run, const struct tp_group *group)
{
	struct curves_context *c = context;
	bool any = tp_reporter_find(group->experiment) == c->reporter;
	for (size_t from = 0; any && !c->failed; from += TP_PICTURE_CURVES) {
		struct tp_picture *picture = tp_picture_new();
		any = picture && c->reporter->curves(picture, run, group, from);
		c->failed = !picture;
		if (any && !c->gallery->tables_too && c->reporter->plateaus)
			c->reporter->plateaus(picture, run, group, from);
		if (any)
			c->gallery->hang(c->gallery->context, picture);
		tp_picture_free(picture);
	}
}

bool tp_picture_each(const struct tp_run *run, const struct tp_gallery *gallery)
{
	bool good = true;
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r && good;
	     r = tp_reporter_next(r)) {
		struct curves_context curves = { gallery, r, false };
		if (r->pictures && !r->pictures_last)
			good = r->pictures(run, gallery);
		if (r->curves)
			tp_picture_each_group(run, &curves, hang_curves);
		good = good && !curves.failed;
	}
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r && good;
	     r = tp_reporter_next(r))
		if (r->pictures && r->pictures_last)
			good = r->pictures(run, gallery);
	return good;
}

bool tp_overlay_each(const struct tp_overlay *overlay, const struct tp_gallery *gallery)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->overlays && !r->overlays(r, overlay, gallery))
			return false;
	return true;
}

/* --- as text --- */

struct wall {
	const struct tp_run *run;
	const struct tp_look *look;
	struct tp_plot_text_options options;
	struct tp_str *out;
};

static void hang(void *context, const struct tp_picture *picture)
{
	struct wall *wall = context;
	char title[TP_PICTURE_TITLE_BYTES];
	const struct tp_scene scene = tp_picture_scene(picture, wall->run, title);
	tp_str_add(wall->out, "\n");
	enum tp_status status = tp_plot_text(&scene, &wall->options, wall->out);
	if (status != TP_OK)
		tp_str_printf(wall->out, "(%s could not be drawn: %s)\n", scene.title,
			      tp_status_name(status));
	if (picture->left_out)
		tp_text_wrap(wall->out, wall->look, TP_PAINT_DIM, picture->left_out, 0, 0);
}

/* --- on a page --- */

struct figures {
	const struct tp_run *run;
	struct tp_str *out;
	size_t n, left_out;
};

static void hang_figure(void *context, const struct tp_picture *picture)
{
	struct figures *f = context;
	bool drawn = f->n < FIGURES_MAX && tp_html_picture(f->out, picture, f->run);
	f->n += drawn;
	f->left_out += !drawn;
}

static void figures(tp_pictures_of *pictures, const void *what, const struct tp_run *run,
		    struct tp_str *out)
{
	struct figures f = { .run = run, .out = out };
	const struct tp_gallery gallery = {
		.context = &f, .hang = hang_figure, .columns = FIGURE_COLUMNS, .rows = FIGURE_ROWS
	};
	char text[96], count[48];
	if (!pictures(what, &gallery))
		out->oom = true;
	snprintf(text, sizeof(text), "%s left out: --svg FILE draws more of them.",
		 tp_text_count(count, sizeof(count), f.left_out, "further picture"));
	if (f.left_out)
		tp_html_line(out, TP_PAINT_DIM, text);
}

void tp_pictures_text(tp_pictures_of *pictures, const void *what, const struct tp_run *run,
		      const struct tp_look *look, struct tp_str *out)
{
	struct wall wall = { .run = run, .look = look, .out = out };
	if (look->html) {
		figures(pictures, what, run, out);
		return;
	}
	size_t rows = look->rows > ROWS_LEFT ? look->rows - ROWS_LEFT : 0;
	wall.options = (struct tp_plot_text_options){
		.columns = TP_MIN((size_t)look->columns, (size_t)COLUMNS_MAX),
		.rows = TP_MIN(rows, (size_t)ROWS_MAX),
		.glyphs = look->utf8 ? TP_GLYPHS_BRAILLE : TP_GLYPHS_ASCII,
		.colour = look->colour,
	};
	if (wall.options.columns < TP_PLOT_COLUMNS_MIN || wall.options.rows < TP_PLOT_ROWS_MIN) {
		tp_str_printf(out, "\n(no plots: the terminal has %u x %u, they need %d x %d)\n",
			      look->columns, look->rows, TP_PLOT_COLUMNS_MIN,
			      TP_PLOT_ROWS_MIN + ROWS_LEFT);
		return;
	}
	const struct tp_gallery gallery = {
		.context = &wall,
		.hang = hang,
		.columns = wall.options.columns,
		.rows = wall.options.rows,
		.brief = !look->full,
		.tables_too = true,
	};
	if (!pictures(what, &gallery))
		out->oom = true;
}

static bool pictures_of_run(const void *run, const struct tp_gallery *gallery)
{
	return tp_picture_each(run, gallery);
}

void tp_report_plots(const struct tp_run *run, const struct tp_look *look, struct tp_str *out)
{
	if (run->n_points || run->n_parts)
		tp_pictures_text(pictures_of_run, run, run, look, out);
}
