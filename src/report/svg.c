/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of runs as SVG documents: head, panels one below the other, flags in words. */
#include "report/compare.h"
#include "report/facts.h"
#include "report/reporter.h"
#include "base/text.h"
#include "base/memory.h"
#include "plot/svg.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc/html.h"

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

/* More panels than this are too many to look at, and viewers fail to open them. */
enum { PANELS_MAX = 64 };

/* Cells that a panel stands for where a picture asks how much room there is. */
enum { PANEL_COLUMNS = 160, PANEL_ROWS = 48 };

struct sheet {
	struct tp_str body;
	const struct tp_run *run; /* whose pictures they are; NULL = several runs */
	double y; /* where the next thing begins */
	size_t panels;
};

static void add_panel(struct sheet *sheet, const struct tp_picture *picture, double height)
{
	if (sheet->panels == PANELS_MAX) {
		sheet->panels++;
		sheet->y += PANEL_GAP;
		tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_WORD_BODY, TP_ROLE_AXIS,
			     "Further pictures are left out.");
	}
	if (sheet->panels++ > PANELS_MAX)
		return;
	char title[TP_PICTURE_TITLE_BYTES];
	const struct tp_scene scene = tp_picture_scene(picture, sheet->run, title);
	sheet->y += PANEL_GAP;
	/* Both heights are between the limits of drawings. */
	tp_svg_picture(&scene, MARGIN, sheet->y, COLUMN, height, &sheet->body);
	sheet->y += height;
	if (picture->left_out)
		sheet->y = tp_svg_paragraph(&sheet->body, MARGIN, sheet->y + LINE, COLUMN,
					    TP_WORD_SMALL, TP_ROLE_AXIS, picture->left_out);
}

static void hang_panel(void *context, struct tp_picture *picture)
{
	add_panel(context, picture,
		  tp_picture_height(picture, picture->tall ? ROOFLINE_HEIGHT : CURVES_HEIGHT));
}

/* --- words --- */

static void add_part(struct tp_str *text, const char *joint, const char *part)
{
	if (*part)
		tp_str_printf(text, "%s%s", text->len ? joint : "", part);
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
	TP_STR model = { 0 };
	tp_fact_model(run, &model);
	if (model.len)
		tp_str_printf(text, " \u00b7 model %s", tp_str_text(&model));
	add_part(text, " \u00b7 ", tp_fact_text(run, "machine.hostname"));
}

static void add_simulated(struct tp_str *text, const struct tp_run *run)
{
	char simulated[TP_SIMULATED_BYTES + 16];
	add_part(text, " \u00b7 ", tp_fact_simulated(run, simulated, sizeof(simulated)));
}

/* How much was measured, when, with what. */
static void add_run(struct tp_str *text, const struct tp_run *run)
{
	char count[32], seconds[48], qualities[64], date[40];
	const size_t done = tp_run_n_done(run), all = tp_run_n_needed(run);
	add_part(text, " \u00b7 ", tp_fact_date(run, date, sizeof(date)));
	if (strcmp(run->state, "complete") != 0)
		add_part(text, " \u00b7 ", run->state);
	if (tp_run_fact(run, TP_MERGED_NODES))
		add_part(text, " \u00b7 ",
			 tp_text_count(count, sizeof(count), tp_fact_count(run, TP_MERGED_NODES),
				       "node"));
	tp_str_add(text, text->len ? " \u00b7 " : "");
	if (done < all)
		tp_str_printf(text, "%zu of ", done);
	tp_str_add(text, tp_text_count(count, sizeof(count), all, "point"));
	if (run->wall_seconds > 0)
		tp_str_printf(text, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	add_part(text, " \u00b7 ", tp_fact_qualities(run, NULL, qualities, sizeof(qualities)));
	if (*tp_fact_text(run, "tprof.version"))
		tp_str_printf(text, " \u00b7 tprof %s", tp_fact_text(run, "tprof.version"));
}

static void add_words(struct sheet *sheet, enum tp_plot_word word, enum tp_plot_role role,
		      struct tp_str *text)
{
	if (text->len)
		sheet->y = tp_svg_paragraph(&sheet->body, MARGIN, sheet->y, COLUMN, word, role,
					    tp_str_text(text));
	tp_str_clear(text);
}

static void add_heading(struct sheet *sheet, const char *text)
{
	TP_STR copy = { 0 };
	tp_str_add(&copy, text);
	sheet->y += MARGIN + 14;
	add_words(sheet, TP_WORD_HEADING, TP_ROLE_TITLE, &copy);
}

/* Flags that finished points show, each once, with how many carry it. */
static void add_flags(struct sheet *sheet, const struct tp_run *const *runs, size_t n_runs)
{
	TP_STR text = { 0 };
	bool first = true;
	for (int flag = 0; flag < TP_FLAG_COUNT; flag++) {
		char advice[TP_FLAG_ADVICE_BYTES];
		size_t with = 0, all = 0;
		for (size_t r = 0; r < n_runs; r++)
			for (size_t i = 0; i < runs[r]->n_points; i++) {
				const struct tp_point *p = &runs[r]->points[i];
				all += p->state == TP_POINT_DONE;
				with += p->state == TP_POINT_DONE &&
					tp_quality_reasons(p->quality, p->flags) & 1u << flag;
			}
		if (!with)
			continue;
		sheet->y += first ? PANEL_GAP + 6 : 3;
		if (first) {
			tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_WORD_TITLE, TP_ROLE_TITLE,
				     "Flags");
			sheet->y += LINE + 2;
		}
		first = false;
		tp_str_printf(&text, "%s (%zu of %zu points): %s.",
			      tp_flag_name((enum tp_flag)flag), with, all,
			      tp_flag_advice((enum tp_flag)flag, advice, sizeof(advice)));
		add_words(sheet, TP_WORD_SMALL, TP_ROLE_MARK, &text);
	}
}

/* --- documents --- */

static const char of_runs[] =
	"Measured by tprof: rooflines and memory curves with confidence intervals.";

/* Hangs the pictures below the head. */
static void hang_all(struct sheet *sheet, tp_pictures_of *pictures, const void *what)
{
	const struct tp_gallery gallery = {
		.context = sheet, .hang = hang_panel, .columns = PANEL_COLUMNS, .rows = PANEL_ROWS
	};
	sheet->y -= LINE;
	pictures(what, &gallery);
}

static void finish_sheet(struct sheet *sheet, enum tp_svg_theme theme, const char *title,
			 const char *description, struct tp_str *out)
{
	if (!sheet->panels) {
		sheet->y += PANEL_GAP;
		tp_svg_words(&sheet->body, MARGIN, sheet->y, TP_WORD_BODY, TP_ROLE_AXIS,
			     "There is nothing to draw: no point that a picture shows was "
			     "measured.");
		sheet->y += LINE;
	}
	tp_svg_begin(out, WIDTH, (unsigned)(sheet->y + MARGIN), theme, title, description);
	tp_str_add_n(out, tp_str_text(&sheet->body), sheet->body.len);
	tp_svg_end(out);
	tp_str_release(&sheet->body);
}

void tp_report_svg(const struct tp_run *run, enum tp_svg_theme theme, struct tp_str *out)
{
	struct sheet sheet = { .run = run };
	TP_STR text = { 0 };
	char name[TP_RUN_NAME_BYTES], head[sizeof(name) + TP_SIMULATED_BYTES + 32];
	tp_str_add(&text, tp_fact_name(run, name, sizeof(name)));
	add_simulated(&text, run);
	tp_copy(head, sizeof(head), tp_str_text(&text));
	tp_str_clear(&text);
	add_heading(&sheet, head);
	add_machine(&text, run);
	add_words(&sheet, TP_WORD_BODY, TP_ROLE_AXIS, &text);
	add_run(&text, run);
	add_words(&sheet, TP_WORD_BODY, TP_ROLE_AXIS, &text);
	/* With many nodes it is the answer that readers look for. */
	if (tp_run_fact(run, TP_MERGED_NODES)) {
		TP_STR raw = { 0 };
		tp_conclusion_line(run, &raw);
		tp_str_add_clean(&text, tp_str_text(&raw), false);
		add_words(&sheet, TP_WORD_BODY, TP_ROLE_TITLE, &text);
	}
	hang_all(&sheet, tp_picture_each, run);
	add_flags(&sheet, &run, 1);
	finish_sheet(&sheet, theme, head, of_runs, out);
}

/* A line a run, in its colour: its name, where and when it was measured. */
static void head_of_runs(struct sheet *sheet, const struct tp_overlay *overlay)
{
	TP_STR text = { 0 };
	for (size_t r = 0; r < overlay->n; r++) {
		tp_str_add(&text, overlay->names[r]);
		add_simulated(&text, overlay->runs[r]);
		add_part(&text, " \u00b7 ", tp_fact_text(overlay->runs[r], "machine.cpu"));
		add_part(&text, " \u00b7 ", tp_fact_text(overlay->runs[r], "machine.hostname"));
		add_run(&text, overlay->runs[r]);
		add_words(sheet, TP_WORD_BODY, (enum tp_plot_role)r, &text);
	}
}

/* `verdict`: words below the names of the runs. */
static enum tp_status svg_of_runs(const struct tp_overlay *overlay, const char *verdict,
				  tp_pictures_of *pictures, const void *what,
				  enum tp_svg_theme theme, struct tp_str *out, struct tp_diag *diag)
{
	struct sheet sheet = { 0 };
	TP_STR text = { 0 };
	if (overlay->n > TP_REPORT_RUNS_MAX)
		return tp_fail(diag, TP_USAGE, "--svg", "name fewer",
			       "at most %d runs go into a picture", TP_REPORT_RUNS_MAX);
	add_heading(&sheet, "Comparison of runs");
	head_of_runs(&sheet, overlay);
	tp_str_add(&text, verdict);
	add_words(&sheet, TP_WORD_BODY, TP_ROLE_TITLE, &text);
	hang_all(&sheet, pictures, what);
	add_flags(&sheet, overlay->runs, overlay->n);
	finish_sheet(&sheet, theme, "Comparison of runs", of_runs, out);
	return TP_OK;
}

enum tp_status tp_report_svg_runs(const struct tp_run *const *runs, const char *const *names,
				  size_t n, enum tp_svg_theme theme, struct tp_str *out,
				  struct tp_diag *diag)
{
	const struct tp_overlay overlay = { runs, names, n };
	return svg_of_runs(&overlay, "", tp_overlay_each, &overlay, theme, out, diag);
}

enum tp_status tp_compare_svg(const struct tp_comparison *c, enum tp_svg_theme theme,
			      struct tp_str *out, struct tp_diag *diag)
{
	static const struct tp_look plain = { .utf8 = true };
	const struct tp_overlay overlay = { c->runs, c->names, c->n_runs };
	TP_STR verdict = { 0 };
	tp_compare_verdict(c, &plain, &verdict);
	return svg_of_runs(&overlay, tp_str_text(&verdict), tp_compare_pictures, c, theme, out,
			   diag);
}

void tp_svg_sheet_make(const struct tp_svg_sheet *wanted, enum tp_svg_theme theme,
		       struct tp_str *out)
{
	struct sheet sheet = { 0 };
	TP_STR text = { 0 };
	add_heading(&sheet, wanted->title);
	for (size_t i = 0; i < wanted->n_lines; i++) {
		tp_str_add(&text, wanted->lines[i]);
		add_words(&sheet, TP_WORD_BODY, TP_ROLE_AXIS, &text);
	}
	hang_all(&sheet, wanted->pictures, wanted->what);
	if (wanted->draw) {
		sheet.y = wanted->draw(wanted->what, MARGIN, sheet.y + PANEL_GAP, COLUMN,
				       &sheet.body);
		sheet.panels++;
	}
	finish_sheet(&sheet, theme, wanted->title, wanted->description, out);
}
