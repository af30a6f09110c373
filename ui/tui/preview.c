/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/preview.h"
#include "base/units.h"
#include "base/vec.h"
#include "record/load.h"
#include "report/facts.h"
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 10, WIDE = 52 };

static void count_line(struct tp_doc *doc, const struct tp_run *run)
{
	char text[160], seconds[32];
	size_t done = 0, all = run->n_points;
	for (size_t i = 0; i < all; i++)
		done += run->points[i].state == TP_POINT_DONE;
	if (!all) {
		done = (size_t)fmax(tp_fact_number(run, "points_done", 0), 0);
		all = (size_t)fmax(tp_fact_number(run, "points_planned", 0), 0);
	}
	all = TP_MAX(all, done);
	int n = snprintf(text, sizeof(text), "%s", run->state);
	if (all && done < all)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %zu of %zu points", done, all);
	else if (all)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %zu point%s", all,
			      all == 1 ? "" : "s");
	if (run->wall_seconds > 0)
		snprintf(text + n, sizeof(text) - (size_t)n, " in %s",
			 tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, strcmp(run->state, "complete") == 0 ? TP_UI_GOOD : TP_UI_WARN, text);
}

static void fact(struct tp_doc *doc, const char *label, const char *text)
{
	if (*text)
		tp_doc_fact(doc, 0, LABEL, label, text);
}

static void facts(struct tp_doc *doc, const struct tp_run *run, const char *path)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	char text[512], size[32];
	int n = 0;
	fact(doc, "Started", tp_fact_text(run, "started"));
	fact(doc, "CPU", tp_fact_text(run, "machine.cpu"));
	text[0] = '\0';
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t bytes = tp_fact_cache(run, level, "size_bytes");
		if (bytes)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %s", n ? ", " : "",
				      names[level], tp_format_bytes(size, sizeof(size), bytes));
	}
	fact(doc, "Caches", text);
	fact(doc, "Model", tp_fact_text(run, "machine.model"));
	fact(doc, "Host", tp_fact_text(run, "machine.hostname"));
	fact(doc, "Kernel", tp_fact_text(run, "machine.kernel"));
	fact(doc, "Preset", tp_fact_text(run, "preset.path"));
	fact(doc, "tprof", tp_fact_text(run, "tprof.version"));
	fact(doc, "Notes", tp_fact_text(run, "notes"));
	fact(doc, "In", path);
}

static void title(struct tp_doc *doc, const char *text)
{
	tp_doc_line(doc, -1);
	tp_doc_line(doc, -1);
	tp_doc_text(doc, 0, TP_UI_TITLE, text);
}

static void number(struct tp_doc *doc, int end, enum tp_role role, double value)
{
	if (value > 0 && isfinite(value))
		tp_doc_right(doc, end, role,
			     value < 9.995   ? "%.2f"
			     : value < 999.5 ? "%.1f"
					     : "%.0f",
			     value);
}

static bool same_roofs(const struct tp_roof *a, const struct tp_roof *b)
{
	return a->run == b->run && strcmp(a->isa, b->isa) == 0 &&
	       strcmp(a->precision, b->precision) == 0 && a->threads == b->threads;
}

static void roof_line(struct tp_doc *doc, const struct tp_roof *r)
{
	bool wide = doc->columns >= WIDE, fp = tp_level_is_fp(r->level);
	char kind[32];
	if (fp)
		snprintf(kind, sizeof(kind), "%s", r->fp_op);
	else
		snprintf(kind, sizeof(kind), "%u:%u%s", r->loads, r->stores,
			 r->nontemporal ? " nt" : "");
	tp_doc_line(doc, -1);
	tp_doc_text(doc, 2, TP_UI_PLAIN, fp ? "peak" : r->level);
	tp_doc_text(doc, 8, TP_UI_DIM, kind);
	number(doc, 26, TP_UI_STRONG, r->median);
	tp_doc_text(doc, 27, TP_UI_DIM, fp ? "GFLOP/s" : "GB/s");
	if (wide) {
		number(doc, 43, TP_UI_PLAIN, r->per_cycle);
		if (r->per_cycle > 0)
			tp_doc_text(doc, 44, TP_UI_DIM, fp ? "FLOP/cyc" : "B/cycle");
	}
	if (r->flags)
		tp_doc_text(doc, wide ? 53 : 36, TP_UI_WARN, "!");
}

/* What belongs together below a line of its own; the last group first, it has the widest ISA or the most threads. */
static void roofs(struct tp_doc *doc, const struct tp_run *run)
{
	if (run->n_roofs)
		title(doc, "Roofs");
	for (size_t end = run->n_roofs, from; end > 0; end = from) {
		const struct tp_roof *r = &run->roofs[end - 1];
		from = end - 1;
		while (from > 0 && same_roofs(&run->roofs[from - 1], r))
			from--;
		tp_doc_line(doc, -1);
		tp_doc_format(doc, 0, TP_UI_STRONG, "%s %s, %u thread%s", r->isa, r->precision,
			      r->threads, r->threads == 1 ? "" : "s");
		for (size_t i = from; i < end; i++)
			roof_line(doc, &run->roofs[i]);
	}
}

static void plateaus(struct tp_doc *doc, const struct tp_run *run)
{
	const struct tp_plateau *last = NULL;
	char from[32], to[32];
	if (!run->n_plateaus)
		return;
	title(doc, "Plateaus");
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *p = &run->plateaus[i];
		if (!last || last->run != p->run || strcmp(last->isa, p->isa) != 0 ||
		    strcmp(last->kernel, p->kernel) != 0 || last->threads != p->threads ||
		    strcmp(last->pages_wanted, p->pages_wanted) != 0) {
			tp_doc_line(doc, -1);
			tp_doc_format(doc, 0, TP_UI_STRONG, "%s%s%s%s%s, %u thread%s", p->isa,
				      *p->isa ? " " : "", p->kernel,
				      *p->pages_wanted ? " pages " : "", p->pages_wanted,
				      p->threads, p->threads == 1 ? "" : "s");
		}
		last = p;
		tp_doc_line(doc, -1);
		tp_doc_text(doc, 2, TP_UI_PLAIN, p->level);
		number(doc, 16, TP_UI_STRONG, p->ns > 0 ? p->ns : p->gbps);
		tp_doc_text(doc, 17, TP_UI_DIM, p->ns > 0 ? "ns" : "GB/s");
		tp_doc_format(doc, 24, TP_UI_DIM, "%s to %s",
			      tp_format_bytes(from, sizeof(from), p->from_bytes),
			      tp_format_bytes(to, sizeof(to), p->to_bytes));
	}
}

static void dots(struct tp_doc *doc, const struct tp_run *run)
{
	double nearest = -INFINITY, farthest = INFINITY;
	if (!run->n_dots)
		return;
	for (size_t i = 0; i < run->n_dots; i++) {
		nearest = fmax(nearest, run->dots[i].distance_percent);
		farthest = fmin(farthest, run->dots[i].distance_percent);
	}
	title(doc, "Mixed kernels");
	tp_doc_line(doc, -1);
	tp_doc_format(doc, 0, TP_UI_PLAIN, "%zu dots, %+.0f to %+.0f %% from their roofs",
		      run->n_dots, farthest, nearest);
}

void tp_preview_make(struct tp_doc *doc, const struct tp_run *run, const char *path, int columns)
{
	const char *name = tp_fact_text(run, "name"), *slash = strrchr(path, '/');
	tp_doc_clear(doc, columns);
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, TP_UI_STRONG, *name ? name : slash ? slash + 1 : path);
	count_line(doc, run);
	tp_doc_line(doc, -1);
	facts(doc, run, path);
	roofs(doc, run);
	plateaus(doc, run);
	dots(doc, run);
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
		tp_doc_line(&previews->doc, -1);
		tp_doc_text(&previews->doc, 0, TP_UI_BAD, "This run cannot be read.");
		tp_doc_line(&previews->doc, -1);
		tp_doc_wrap(&previews->doc, 0, TP_UI_PLAIN, item->why);
	} else {
		tp_preview_make(&previews->doc, &item->run, path, columns);
	}
	tp_copy(previews->of, sizeof(previews->of), path);
	previews->columns = columns;
	return &previews->doc;
}
