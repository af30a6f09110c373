/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of runs as SVG documents: head, panels one below the other, flags in words. */
#include "report/autotune.h"
#include "report/counters_text.h"
#include "report/facts.h"
#include "report/overlay.h"
#include "base/units.h"
#include "base/vec.h"
#include "ui/plot/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* px */
enum {
	WIDTH = 960,
	MARGIN = 28,
	COLUMN = WIDTH - 2 * MARGIN,
	ROOFLINE_HEIGHT = 560,
	CURVES_HEIGHT = 440,
	PANEL_GAP = 30,
	LINE = 19
};
/* More panels than this are more than anybody looks at, and no viewer opens them. */
enum { PANELS_MAX = 64 };
/* Cells that a panel stands for where a picture asks how much room there is. */
enum { PANEL_COLUMNS = 160, PANEL_ROWS = 48 };

struct sheet {
	struct tp_str body;
	double y; /* where the next thing begins */
	size_t panels;
	enum tp_status status;
};

static void panel(struct sheet *sheet, const struct tp_picture *picture, double height)
{
	if (sheet->status != TP_OK)
		return;
	if (sheet->panels == PANELS_MAX) {
		sheet->panels++;
		sheet->y += PANEL_GAP;
		tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_SVG_BODY, TP_ROLE_AXIS,
			     "Further pictures are left out.");
	}
	if (sheet->panels++ > PANELS_MAX)
		return;
	sheet->y += PANEL_GAP;
	sheet->status =
		tp_svg_picture(&picture->scene, MARGIN, sheet->y, COLUMN, height, &sheet->body);
	sheet->y += height;
}

/* --- what all pictures of a run are --- */

static void hang_roofline(void *context, const struct tp_run *run, unsigned index,
			  const char *precision)
{
	struct sheet *sheet = context;
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	if (!picture) {
		sheet->status = TP_NOMEM;
		return;
	}
	if (tp_picture_roofline(picture, run, index, precision, PANEL_COLUMNS, PANEL_ROWS))
		panel(sheet, picture, ROOFLINE_HEIGHT);
	tp_arena_release(&picture->arena);
	free(picture);
}

static void hang_curves(void *context, const struct tp_run *run, const struct tp_group *group)
{
	struct sheet *sheet = context;
	bool any = true;
	for (size_t from = 0; any && sheet->status == TP_OK; from += TP_PICTURE_CURVES) {
		struct tp_picture *picture = calloc(1, sizeof(*picture));
		if (!picture) {
			sheet->status = TP_NOMEM;
			return;
		}
		any = tp_picture_curves(picture, run, group, from);
		if (any)
			panel(sheet, picture, CURVES_HEIGHT);
		tp_arena_release(&picture->arena);
		free(picture);
	}
}

static void hang_other(void *context, const struct tp_picture *picture)
{
	panel(context, picture, CURVES_HEIGHT);
}

/* --- words --- */

static void add_part(struct tp_str *text, const char *joint, const char *part)
{
	if (*part)
		tp_str_printf(text, "%s%s", text->len ? joint : "", part);
}

/* "2026-11-21 11:48 UTC" from the record's 2026-11-21T11:48:05Z; other forms as they are. */
static void add_date(struct tp_str *text, const struct tp_run *run)
{
	const char *when = tp_fact_text(run, "started");
	char date[40];
	if (strlen(when) == 20 && when[10] == 'T' && when[19] == 'Z') {
		snprintf(date, sizeof(date), "%.10s %.5s UTC", when, when + 11);
		when = date;
	}
	add_part(text, " \u00b7 ", when);
}

static void add_count(struct tp_str *text, const struct tp_run *run, const char *key,
		      const char *what)
{
	char count[32];
	uint64_t n = tp_fact_count(run, key);
	if (n)
		add_part(text, " \u00b7 ", tp_text_count(count, sizeof(count), n, what));
}

static void add_machine(struct tp_str *text, const struct tp_run *run)
{
	char size[32], cache[96];
	add_part(text, " \u00b7 ", tp_fact_text(run, "machine.cpu"));
	add_count(text, run, "machine.packages", "socket");
	add_count(text, run, "machine.cores", "core");
	const char *joint = " \u00b7 ";
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t bytes = tp_fact_cache(run, level, "size_bytes");
		if (!bytes)
			continue;
		snprintf(cache, sizeof(cache), "L%d %s", level,
			 tp_format_bytes(size, sizeof(size), bytes));
		add_part(text, joint, cache);
		joint = ", ";
	}
	if (*tp_fact_text(run, "machine.model"))
		tp_str_printf(text, " \u00b7 model %s", tp_fact_text(run, "machine.model"));
	add_part(text, " \u00b7 ", tp_fact_text(run, "machine.hostname"));
}

/* The run's own name, else that of its preset's file. */
static void name_of(const struct tp_run *run, char *out, size_t size)
{
	const char *name = tp_fact_text(run, "name"), *path = tp_fact_text(run, "preset.path");
	const char *slash = strrchr(path, '/');
	tp_copy(out, size, *name ? name : *path ? (slash ? slash + 1 : path) : "tprof");
	char *dot = strrchr(out, '.');
	if (!*name && dot && strcmp(dot, ".yaml") == 0)
		*dot = '\0';
}

/* How much was measured, when, with what. */
static void add_run(struct tp_str *text, const struct tp_run *run)
{
	char count[32], seconds[48];
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	add_date(text, run);
	if (strcmp(run->state, "complete") != 0)
		add_part(text, " \u00b7 ", run->state);
	tp_str_add(text, text->len ? " \u00b7 " : "");
	if (done < run->n_points)
		tp_str_printf(text, "%zu of ", done);
	tp_str_add(text, tp_text_count(count, sizeof(count), run->n_points, "point"));
	if (run->wall_seconds > 0)
		tp_str_printf(text, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	if (*tp_fact_text(run, "tprof.version"))
		tp_str_printf(text, " \u00b7 tprof %s", tp_fact_text(run, "tprof.version"));
}

static void words(struct sheet *sheet, enum tp_svg_word word, enum tp_plot_role role,
		  struct tp_str *text)
{
	if (text->len)
		sheet->y = tp_svg_paragraph(&sheet->body, MARGIN, sheet->y, COLUMN, word, role,
					    tp_str_text(text));
	sheet->body.oom |= text->oom;
	tp_str_clear(text);
}

static void heading(struct sheet *sheet, const char *text)
{
	struct tp_str copy = { 0 };
	tp_str_add(&copy, text);
	sheet->y += MARGIN + 14;
	words(sheet, TP_SVG_HEADING, TP_ROLE_TITLE, &copy);
	tp_str_release(&copy);
}

/* Flags that finished points carry, each once, with how many carry it. */
static void flags(struct sheet *sheet, const struct tp_run *const *runs, size_t n_runs)
{
	struct tp_str text = { 0 };
	bool first = true;
	for (int flag = 0; flag < TP_FLAG_COUNT; flag++) {
		size_t with = 0, all = 0;
		for (size_t r = 0; r < n_runs; r++)
			for (size_t i = 0; i < runs[r]->n_points; i++) {
				const struct tp_point *p = &runs[r]->points[i];
				all += p->state == TP_POINT_DONE;
				with += p->state == TP_POINT_DONE && p->flags & 1u << flag;
			}
		if (!with)
			continue;
		sheet->y += first ? PANEL_GAP + 6 : 3;
		if (first) {
			tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_SVG_TITLE, TP_ROLE_TITLE,
				     "Flags");
			sheet->y += LINE + 2;
		}
		first = false;
		tp_str_printf(&text, "%s (%zu of %zu points): %s.",
			      tp_flag_name((enum tp_flag)flag), with, all,
			      tp_flag_help((enum tp_flag)flag));
		words(sheet, TP_SVG_SMALL, TP_ROLE_MARK, &text);
	}
	tp_str_release(&text);
}

/* --- documents --- */

static enum tp_status finish(struct sheet *sheet, enum tp_svg_theme theme, const char *title,
			     struct tp_str *out)
{
	struct tp_str text = { 0 };
	if (!sheet->panels) {
		sheet->y += PANEL_GAP;
		tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_SVG_BODY, TP_ROLE_AXIS,
			     "There is nothing to draw: no point that a picture shows was "
			     "measured.");
		sheet->y += LINE;
	}
	const struct tp_svg_options options = { WIDTH, (unsigned)(sheet->y + MARGIN), theme };
	tp_svg_begin(&text, &options, title,
		     "Measured by tprof: rooflines and memory curves with confidence intervals.");
	tp_str_add_n(&text, tp_str_text(&sheet->body), sheet->body.len);
	tp_svg_end(&text);
	enum tp_status status = sheet->status;
	if (status == TP_OK && (text.oom || sheet->body.oom))
		status = TP_NOMEM;
	if (status == TP_OK)
		tp_str_add_n(out, tp_str_text(&text), text.len);
	if (status == TP_OK && out->oom)
		status = TP_NOMEM;
	tp_str_release(&text);
	tp_str_release(&sheet->body);
	return status;
}

enum tp_status tp_report_svg(const struct tp_run *run, enum tp_svg_theme theme, struct tp_str *out)
{
	struct sheet sheet = { .status = TP_OK };
	struct tp_str text = { 0 };
	char name[160];
	name_of(run, name, sizeof(name));
	heading(&sheet, name);
	add_machine(&text, run);
	words(&sheet, TP_SVG_BODY, TP_ROLE_AXIS, &text);
	add_run(&text, run);
	words(&sheet, TP_SVG_BODY, TP_ROLE_AXIS, &text);
	tp_str_release(&text);
	sheet.y -= LINE;
	tp_picture_each(run, &sheet, hang_roofline, hang_curves);
	if (!tp_picture_each_search(run, true, &sheet, hang_other) ||
	    !tp_picture_each_class(run, &sheet, hang_other))
		sheet.status = TP_NOMEM;
	flags(&sheet, &run, 1);
	return finish(&sheet, theme, name, out);
}

/* A line a run, in its colour: its name, where and when it was measured. */
static void head_of_runs(struct sheet *sheet, const struct tp_overlay *overlay)
{
	struct tp_str text = { 0 };
	for (size_t r = 0; r < overlay->n; r++) {
		tp_str_add(&text, overlay->names[r]);
		add_part(&text, " \u00b7 ", tp_fact_text(overlay->runs[r], "machine.cpu"));
		add_part(&text, " \u00b7 ", tp_fact_text(overlay->runs[r], "machine.hostname"));
		add_run(&text, overlay->runs[r]);
		words(sheet, TP_SVG_BODY, (enum tp_plot_role)r, &text);
	}
	tp_str_release(&text);
}

static bool first_with_precision(const struct tp_overlay *overlay, size_t run, size_t roof)
{
	const char *precision = overlay->runs[run]->roofs[roof].precision;
	for (size_t r = 0; r <= run; r++)
		for (size_t i = 0; i < (r < run ? overlay->runs[r]->n_roofs : roof); i++)
			if (!tp_roof_is_tuned(overlay->runs[r], &overlay->runs[r]->roofs[i]) &&
			    strcmp(overlay->runs[r]->roofs[i].precision, precision) == 0)
				return false;
	return true;
}

static bool first_of_curve(const struct tp_overlay *overlay, size_t run, size_t point)
{
	const struct tp_point *p = &overlay->runs[run]->points[point];
	for (size_t r = 0; r <= run; r++)
		for (size_t i = 0; i < (r < run ? overlay->runs[r]->n_points : point); i++)
			if (tp_overlay_same_curve(&overlay->runs[r]->points[i], p))
				return false;
	return true;
}

/* A roofline (`like` NULL) or a curve of all runs. */
static void hang_overlay(struct sheet *sheet, const struct tp_overlay *overlay,
			 const char *precision, const struct tp_point *like)
{
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	if (!picture) {
		sheet->status = TP_NOMEM;
		return;
	}
	bool any = like ? tp_overlay_curve(picture, overlay, like)
			: tp_overlay_roofline(picture, overlay, precision);
	if (any)
		panel(sheet, picture, like ? CURVES_HEIGHT : ROOFLINE_HEIGHT);
	tp_arena_release(&picture->arena);
	free(picture);
}

enum tp_status tp_report_svg_runs(const struct tp_run *const *runs, const char *const *names,
				  size_t n, enum tp_svg_theme theme, struct tp_str *out)
{
	const struct tp_overlay overlay = { runs, names, n };
	struct sheet sheet = { .status = TP_OK };
	if (n > TP_REPORT_RUNS_MAX)
		return TP_USAGE;
	heading(&sheet, "Comparison of runs");
	head_of_runs(&sheet, &overlay);
	sheet.y -= LINE;
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < runs[r]->n_roofs; i++)
			if (!tp_roof_is_tuned(runs[r], &runs[r]->roofs[i]) &&
			    first_with_precision(&overlay, r, i))
				hang_overlay(&sheet, &overlay, runs[r]->roofs[i].precision, NULL);
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < runs[r]->n_points; i++)
			if (tp_picture_curve_title(runs[r]->points[i].experiment) &&
			    first_of_curve(&overlay, r, i))
				hang_overlay(&sheet, &overlay, NULL, &runs[r]->points[i]);
	flags(&sheet, runs, n);
	return finish(&sheet, theme, "Comparison of runs", out);
}
