/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in words: where they stand, what would move them, classes, functions, other versions. */
#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/roofs.h"
#include "experiments/app/screen.h"
#include "experiments/app/shares.h"
#include "record/rundir.h"
#include "report/text.h"
#include "ui/tui/paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 18, SHARE_END = 26, BAR_FROM = 28, FUNCTIONS = 10, LEAST_BAR = 8 };
/* Speeds this near each other may be the same: another run may find the other order. */
#define ALIKE 0.03

/* --- one region --- */

static const char *title_of(const struct tp_app_region_row *row)
{
	return strcmp(row->region, TP_APP_PROGRAM) == 0 ? "The program" : row->region;
}

static void say_region(struct tp_doc *doc, const struct tp_run *run,
		       const struct tp_app_region_row *row)
{
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	struct tp_app_roofs roofs;
	struct tp_str text = { 0 };
	char seconds[48];

	tp_app_find_roofs(run, row, &roofs);
	size_t n = tp_app_advise(row, &roofs, advice);
	tp_str_printf(&text, "%s: ", title_of(row));
	tp_app_sentence(row, &text);
	tp_str_add(&text, ".");
	tp_doc_paragraph(doc, 0, TP_UI_STRONG, tp_str_text(&text));
	tp_str_clear(&text);
	if (row->gflops > 0)
		tp_str_printf(&text, "%.4g GFLOP/s, %.4g GB/s, %.3g FLOP/byte; ", row->gflops,
			      row->gbps, row->ai_flop_per_byte);
	if (row->seconds > 0)
		tp_str_add(&text, tp_format_seconds(seconds, sizeof(seconds), row->seconds));
	if (row->seconds > 0 && row->seconds_high > row->seconds_low)
		tp_str_printf(&text, " within %.1f %%",
			      50 * (row->seconds_high - row->seconds_low) / row->seconds);
	if (text.len)
		tp_doc_paragraph(doc, 2, TP_UI_PLAIN, tp_str_text(&text));
	tp_str_release(&text);
	for (size_t i = 0; i < n; i++)
		tp_doc_paragraph(doc, 2, TP_UI_DIM, advice[i].text);
}

/* --- other versions of the program --- */

/* The region of that name in the k-th program of another run. */
static const struct tp_app_region_row *same_region(const struct tp_run *other, size_t k,
						   const char *region)
{
	for (size_t i = 0; i < other->n_points; i++) {
		const struct tp_point *p = &other->points[i];
		if (!tp_point_is_app(p) || p->state != TP_POINT_DONE || k-- > 0)
			continue;
		for (size_t r = 0; r < tp_run_n_app_regions(other); r++) {
			const struct tp_app_region_row *row = &tp_run_app_regions(other)[r];
			if (tp_app_is_told(p, row) && strcmp(row->region, region) == 0)
				return row;
		}
		return NULL;
	}
	return NULL;
}

static void compare_line(struct tp_doc *doc, const struct tp_app_region_row *now,
			 const struct tp_app_region_row *then)
{
	char name[NAME_COLUMNS];
	double factor = then->gflops > 0 ? now->gflops / then->gflops : NAN;

	tp_copy(name, sizeof(name), title_of(now));
	tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", name);
	tp_doc_right(doc, SHARE_END + 2, TP_UI_PLAIN, "%.3g", then->gflops);
	tp_doc_right(doc, SHARE_END + 11, TP_UI_STRONG, "%.3g", now->gflops);
	tp_doc_right(doc, SHARE_END + 20,
		     factor > 1 + ALIKE	  ? TP_UI_GOOD
		     : factor < 1 - ALIKE ? TP_UI_BAD
					  : TP_UI_PLAIN,
		     "x %.2f", factor);
	if (then->ai_flop_per_byte > 0)
		tp_doc_right(doc, SHARE_END + 31, TP_UI_PLAIN, "%+.1f %%",
			     100 * (now->ai_flop_per_byte / then->ai_flop_per_byte - 1));
}

/* Speeds and intensities against every run that is marked on Runs, the marked one first. */
static void compare(struct tp_doc *doc, const struct tp_app *app, const struct tp_point *p,
		    size_t k)
{
	const struct tp_run *run = tp_app_shown(app, 0);

	for (size_t o = 1; o < tp_app_n_shown(app); o++) {
		bool any = false;
		for (size_t r = 0; r < tp_run_n_app_regions(run); r++) {
			const struct tp_app_region_row *now = &tp_run_app_regions(run)[r];
			const struct tp_app_region_row *then =
				tp_app_is_told(p, now)
					? same_region(tp_app_shown(app, o), k, now->region)
					: NULL;
			if (!then || !(now->gflops > 0))
				continue;
			if (!any) {
				tp_doc_line(doc, -1);
				tp_doc_row(doc, 0, TP_UI_TITLE, "Before: %s",
					   tp_app_shown_label(app, o));
				tp_doc_row(doc, 2, TP_UI_DIM, "GFLOP/s");
				tp_doc_right(doc, SHARE_END + 2, TP_UI_DIM, "before");
				tp_doc_right(doc, SHARE_END + 11, TP_UI_DIM, "now");
				tp_doc_right(doc, SHARE_END + 20, TP_UI_DIM, "speed");
				tp_doc_right(doc, SHARE_END + 31, TP_UI_DIM, "intensity");
			}
			any = true;
			compare_line(doc, now, then);
		}
		if (!any)
			tp_doc_row(doc, 0, TP_UI_DIM,
				   "%s has no region of the same name to compare with.",
				   tp_app_shown_label(app, o));
	}
}

/* --- shares --- */

static void bar(struct tp_doc *doc, const struct tp_app *app, double percent)
{
	int room = doc->columns - BAR_FROM - 2;
	int cells = (int)lround(percent * room / 100);
	struct tp_str text = { 0 };

	if (room < LEAST_BAR)
		return;
	for (int i = 0; i < TP_MIN(cells, room); i++)
		tp_str_add(&text, app->term.utf8 ? "\u2588" : "#");
	tp_doc_text(doc, BAR_FROM, TP_UI_GOOD, tp_str_text(&text));
	tp_str_release(&text);
}

static void classes(struct tp_doc *doc, const struct tp_app *app, const struct tp_run *run,
		    const struct tp_point *p)
{
	const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN] = { NULL };
	size_t n = tp_app_top_classes(run, p, top);

	for (size_t i = 0; i < n; i++) {
		if (i == 0) {
			tp_doc_line(doc, -1);
			tp_doc_row(doc, 0, TP_UI_TITLE, "Instructions by class");
		}
		tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", top[i]->name);
		tp_doc_right(doc, SHARE_END, TP_UI_STRONG, "%.1f %%", top[i]->percent);
		bar(doc, app, top[i]->percent);
	}
}

static void functions(struct tp_doc *doc, const struct tp_run *run, const struct tp_point *p)
{
	size_t n = 0;

	for (size_t i = 0; i < tp_run_n_app_functions(run) && n < FUNCTIONS; i++) {
		const struct tp_app_function_row *f = &tp_run_app_functions(run)[i];
		char name[NAME_COLUMNS + 2];
		if (f->point != p->point || f->run != p->run ||
		    strcmp(f->source, tp_app_row(p)->source) != 0 ||
		    !(f->instructions_percent >= 0.05))
			continue;
		if (!n++) {
			tp_doc_line(doc, -1);
			tp_doc_row(doc, 0, TP_UI_TITLE, "Functions");
			tp_doc_right(doc, SHARE_END, TP_UI_DIM, "instr.");
			tp_doc_right(doc, SHARE_END + 9, TP_UI_DIM, "FLOPs");
			tp_doc_right(doc, SHARE_END + 18, TP_UI_DIM, "bytes");
		}
		tp_copy(name, sizeof(name), f->function[0] ? f->function : f->module);
		tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", name);
		tp_doc_right(doc, SHARE_END, TP_UI_STRONG, "%.1f %%", f->instructions_percent);
		tp_doc_right(doc, SHARE_END + 9, TP_UI_PLAIN, "%.1f %%", f->flops_percent);
		tp_doc_right(doc, SHARE_END + 18, TP_UI_PLAIN, "%.1f %%", f->bytes_percent);
	}
}

/* --- one program --- */

static void say_program(struct tp_doc *doc, const struct tp_app *app, const struct tp_point *p,
			size_t k)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_app_row *row = tp_app_row(p);
	char threads[48];

	tp_doc_paragraph(doc, 0, TP_UI_TITLE, row->command);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		tp_doc_paragraph(doc, 0, TP_UI_BAD, p->diag.what);
		if (p->diag.hint[0])
			tp_doc_paragraph(doc, 0, TP_UI_DIM, p->diag.hint);
		return;
	}
	if (p->state != TP_POINT_DONE)
		return;
	tp_doc_row(doc, 0, TP_UI_DIM, "counted by %s on %s", row->source,
		   tp_text_count(threads, sizeof(threads), row->ran_threads, "thread"));
	if (p->kept)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", timed %u times", p->kept);
	if (row->signal)
		tp_doc_row(doc, 0, TP_UI_BAD, "It died of signal %u; what it did before counts.",
			   row->signal);
	else if (row->exit_status)
		tp_doc_row(doc, 0, TP_UI_WARN, "It ended with status %u.", row->exit_status);
	compare(doc, app, p, k);
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++) {
		const struct tp_app_region_row *region = &tp_run_app_regions(run)[i];
		if (!tp_app_is_told(p, region))
			continue;
		tp_doc_line(doc, -1);
		say_region(doc, run, region);
		if (strcmp(region->trust, "good") != 0 && region->trust[0]) {
			struct tp_str text = { 0 };
			tp_str_printf(&text, "%s: %s", region->trust, region->reasons);
			tp_doc_paragraph(doc, 2, TP_UI_WARN, tp_str_text(&text));
			tp_str_release(&text);
		}
	}
	classes(doc, app, run, p);
	functions(doc, run, p);
}

/* Whose roofs these are, and where its own words are if they did not go to a terminal. */
static void say_sources(struct tp_doc *doc, const struct tp_app *app, const struct tp_run *run)
{
	bool is_live = run == &app->live.run;
	struct tp_str text = { 0 };

	if (tp_app_roofs_text(run, &text)) {
		tp_doc_line(doc, -1);
		tp_doc_paragraph(doc, 0, TP_UI_DIM, tp_str_text(&text));
	}
	tp_str_clear(&text);
	if (tp_run_printed_text(run, is_live ? app->live.directory : app->runs[0].path, &text)) {
		tp_doc_line(doc, -1);
		tp_doc_paragraph(doc, 0, TP_UI_DIM, tp_str_text(&text));
	}
	tp_str_release(&text);
}

void tp_app_view_words(struct tp_doc *doc, const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	size_t k = 0;

	for (size_t i = 0; run && i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_app(p) || p->state == TP_POINT_PLANNED)
			continue;
		if (k)
			tp_doc_line(doc, -1);
		say_program(doc, app, p, k);
		k += p->state == TP_POINT_DONE;
	}
	if (run)
		say_sources(doc, app, run);
}
