/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/preview.h"
#include "base/text.h"
#include "base/memory.h"
#include "ui/tui/quality.h"
#include "ui/tui/shown.h"
#include "record/load.h"
#include "record/roof.h"
#include "report/facts.h"
#include "report/page.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 10, WIDE = 52 };

static void count_line(struct tp_doc *doc, const struct tp_run *run)
{
	char count[32], seconds[32];
	struct tp_str text = { 0 };
	size_t done = 0, all = run->n_points;
	for (size_t i = 0; i < all; i++)
		done += run->points[i].state == TP_POINT_DONE;
	if (!all) {
		done = (size_t)fmax(tp_fact_number(run, "points_done", 0), 0);
		all = (size_t)fmax(tp_fact_number(run, "points_planned", 0), 0);
	}
	all = TP_MAX(all, done);
	tp_str_printf(&text, "%s", run->state);
	if (all && done < all)
		tp_str_printf(&text, ", %zu of %zu points", done, all);
	else if (all)
		tp_str_printf(&text, ", %s", tp_text_count(count, sizeof(count), all, "point"));
	if (run->wall_seconds > 0)
		tp_str_printf(&text, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	tp_doc_paragraph(doc, 0, strcmp(run->state, "complete") == 0 ? TP_UI_GOOD : TP_UI_WARN,
			 tp_str_text(&text));
	tp_str_release(&text);
}

static void facts(struct tp_doc *doc, const struct tp_run *run, const char *path)
{
	static const char *const caches[] = { "", "L1d", "L2", "L3" };
	struct tp_str sizes = { 0 }, model = { 0 };
	char size[32], simulated[TP_SIMULATED_BYTES];
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t bytes = tp_fact_cache(run, level, "size_bytes");
		if (bytes)
			tp_str_printf(&sizes, "%s%s %s", sizes.len ? ", " : "", caches[level],
				      tp_format_bytes(size, sizeof(size), bytes));
	}
	tp_fact_model(run, &model);
	const struct {
		const char *label, *text;
	} rows[] = {
		{ "Simulated", tp_run_simulated(run, simulated, sizeof(simulated)) },
		{ "Started", tp_fact_text(run, "started") },
		{ "CPU", tp_fact_text(run, "machine.cpu") },
		{ "Caches", tp_str_text(&sizes) },
		{ "Model", tp_str_text(&model) },
		{ "Host", tp_fact_text(run, "machine.hostname") },
		{ "Kernel", tp_fact_text(run, "machine.kernel") },
		{ "Preset", tp_fact_text(run, "preset.path") },
		{ "tprof", tp_fact_text(run, "tprof.version") },
		{ "Notes", tp_fact_text(run, "notes") },
		{ "In", path },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (*rows[i].text)
			tp_doc_fact(doc, 0, LABEL, rows[i].label, rows[i].text);
	tp_str_release(&sizes);
	tp_str_release(&model);
}

static void title(struct tp_doc *doc, const char *text)
{
	tp_doc_line(doc, -1);
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s", text);
}

static void number(struct tp_doc *doc, int end, enum tp_role role, double value)
{
	int decimals = value < 9.995 ? 2 : value < 999.5 ? 1 : 0;
	if (value > 0 && isfinite(value))
		tp_doc_right(doc, end, role, "%.*f", decimals, value);
}

static bool same_roofs(const struct tp_roof *a, const struct tp_roof *b)
{
	return a->run == b->run && strcmp(a->isa, b->isa) == 0 &&
	       strcmp(a->precision, b->precision) == 0 && a->threads == b->threads;
}

static void roof_line(struct tp_doc *doc, const struct tp_roof *r)
{
	bool wide = doc->columns >= WIDE, fp = tp_level_is_fp(r->level);
	tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", fp ? "peak" : r->level);
	if (fp)
		tp_doc_text(doc, 8, TP_UI_DIM, r->fp_op);
	else
		tp_doc_format(doc, 8, TP_UI_DIM, "%u:%u%s", r->loads, r->stores,
			      r->nontemporal ? " nt" : "");
	number(doc, 26, TP_UI_STRONG, r->median);
	tp_doc_text(doc, 27, TP_UI_DIM, fp ? "GFLOP/s" : "GB/s");
	if (wide) {
		number(doc, 43, TP_UI_PLAIN, r->per_cycle);
		if (r->per_cycle > 0)
			tp_doc_text(doc, 44, TP_UI_DIM, fp ? "FLOP/cyc" : "B/cycle");
	}
	tp_doc_text(doc, wide ? 53 : 36, tp_quality_role(r->quality),
		    tp_quality_mark(r->quality, r->flags));
}

/*
 * Roofs of one ISA, precision and team stand below a line of their own. The last group comes first:
 * it has the widest ISA or the most threads.
 */
static void roofs(struct tp_doc *doc, const struct tp_run *run)
{
	char count[32];
	if (tp_run_n_roofs(run))
		title(doc, "Roofs");
	for (size_t end = tp_run_n_roofs(run), from; end > 0; end = from) {
		const struct tp_roof *r = &tp_run_roofs(run)[end - 1];
		from = end - 1;
		while (from > 0 && same_roofs(&tp_run_roofs(run)[from - 1], r))
			from--;
		tp_doc_row(doc, 0, TP_UI_STRONG, "%s %s, %s", r->isa, r->precision,
			   tp_text_count(count, sizeof(count), r->threads, "thread"));
		for (size_t i = from; i < end; i++)
			roof_line(doc, &tp_run_roofs(run)[i]);
	}
}

static bool same_curve(const struct tp_plateau *a, const struct tp_plateau *b)
{
	return a->run == b->run && strcmp(a->isa, b->isa) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0 && a->threads == b->threads &&
	       strcmp(a->pages_wanted, b->pages_wanted) == 0;
}

static void plateaus(struct tp_doc *doc, const struct tp_run *run)
{
	char from[32], to[32];
	if (tp_run_n_plateaus(run))
		title(doc, "Plateaus");
	for (size_t i = 0; i < tp_run_n_plateaus(run); i++) {
		const struct tp_plateau *p = &tp_run_plateaus(run)[i];
		if (i == 0 || !same_curve(p - 1, p))
			tp_doc_row(doc, 0, TP_UI_STRONG, "%s%s%s%s%s, %s", p->isa,
				   *p->isa ? " " : "", p->kernel, *p->pages_wanted ? " pages " : "",
				   p->pages_wanted,
				   tp_text_count(from, sizeof(from), p->threads, "thread"));
		tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", p->level);
		number(doc, 16, TP_UI_STRONG, p->ns > 0 ? p->ns : p->gbps);
		tp_doc_text(doc, 17, TP_UI_DIM, p->ns > 0 ? "ns" : "GB/s");
		tp_doc_format(doc, 24, TP_UI_DIM, "%s to %s",
			      tp_format_bytes(from, sizeof(from), p->from_bytes),
			      tp_format_bytes(to, sizeof(to), p->to_bytes));
	}
}

static void make(struct tp_doc *doc, const struct tp_run *run, const char *path, int columns)
{
	const char *name = tp_fact_text(run, "name"), *slash = strrchr(path, '/');
	tp_doc_clear(doc, columns);
	tp_doc_paragraph(doc, 0, TP_UI_STRONG, *name ? name : slash ? slash + 1 : path);
	count_line(doc, run);
	tp_doc_line(doc, -1);
	facts(doc, run, path);
	roofs(doc, run);
	plateaus(doc, run);
	for (size_t i = 0; tp_shown_table[i]; i++)
		if (tp_shown_table[i]->preview)
			tp_shown_table[i]->preview(doc, run);
}

/* --- what was looked at last --- */

static struct tp_preview *find(const struct tp_previews *previews, const char *path)
{
	for (size_t i = 0; i < previews->n; i++)
		if (strcmp(previews->items[i].path, path) == 0)
			return (struct tp_preview *)&previews->items[i];
	return NULL;
}

void tp_previews_release(struct tp_previews *previews)
{
	for (size_t i = 0; i < previews->n; i++)
		tp_run_release(&previews->items[i].run);
	tp_doc_release(&previews->doc);
	*previews = (struct tp_previews){ 0 };
}

void tp_previews_forget(struct tp_previews *previews, const char *path)
{
	struct tp_preview *found = find(previews, path);
	if (found)
		found->path[0] = '\0';
	if (strcmp(previews->of, path) == 0)
		previews->of[0] = '\0';
}

bool tp_previews_has(const struct tp_previews *previews, const char *path)
{
	return find(previews, path);
}

void tp_previews_read(struct tp_previews *previews, const char *path)
{
	struct tp_preview *item = &previews->items[0];
	struct tp_diag diag = { 0 };
	if (find(previews, path))
		return;
	if (previews->n < TP_PREVIEWS)
		item = &previews->items[previews->n++];
	for (size_t i = 0; i < previews->n; i++)
		if (previews->items[i].used < item->used)
			item = &previews->items[i];
	tp_run_release(&item->run);
	*item = (struct tp_preview){ .used = ++previews->looks };
	tp_copy(item->path, sizeof(item->path), path);
	item->broken = tp_run_load_results(&item->run, path, &diag) != TP_OK;
	if (item->broken)
		snprintf(item->why, sizeof(item->why), "%s", diag.what);
	previews->of[0] = '\0';
}

const struct tp_doc *tp_previews_doc(struct tp_previews *previews, const char *path, int columns)
{
	struct tp_preview *item = find(previews, path);
	if (!item)
		return NULL;
	item->used = ++previews->looks;
	if (strcmp(previews->of, path) == 0 && previews->columns == columns)
		return &previews->doc;
	if (item->broken) {
		tp_doc_clear(&previews->doc, columns);
		tp_doc_row(&previews->doc, 0, TP_UI_BAD, "This run cannot be read.");
		tp_doc_paragraph(&previews->doc, 0, TP_UI_PLAIN, item->why);
	} else {
		make(&previews->doc, &item->run, path, columns);
	}
	tp_copy(previews->of, sizeof(previews->of), path);
	previews->columns = columns;
	return &previews->doc;
}
