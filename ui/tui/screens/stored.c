/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/stored.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/str.h"
#include "base/text.h"
#include "record/load.h"
#include "report/facts.h"
#include "report/report.h"
#include "doc/text.h"
#include "ui/tui/paint.h"

const char *tp_stored_order_name(enum tp_stored_order order)
{
	static const char *const names[] = {
#define ORDER_NAME(id, name) name,
		TP_STORED_ORDERS(ORDER_NAME)
#undef ORDER_NAME
	};
	return names[order];
}

static void release_all(struct tp_stored_run *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(all[i].directory);
	free(all);
}

void tp_stored_release(struct tp_stored *stored)
{
	release_all(stored->all, stored->n);
	free(stored->shown);
	*stored = (struct tp_stored){ 0 };
}

/* Names of run directories begin with their date: YYYY-MM-DD-HHMMSS-. */
static void guess(struct tp_stored_run *run)
{
	static const char pattern[] = "dddd-dd-dd-dddddd-";
	const char *d = run->directory;
	size_t i = 0;
	while (pattern[i] &&
	       (pattern[i] == 'd' ? isdigit((unsigned char)d[i]) : d[i] == pattern[i]))
		i++;
	if (pattern[i]) {
		tp_copy(run->name, sizeof(run->name), d);
		return;
	}
	snprintf(run->date, sizeof(run->date), "%.10s %.2s:%.2s", d, d + 11, d + 13);
	tp_copy(run->name, sizeof(run->name), d + i);
}

static struct tp_stored_run *find(struct tp_stored *stored, const char *directory)
{
	size_t low = 0, high = stored->n; /* sorted by name, falling */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(stored->all[middle].directory, directory);
		if (order == 0)
			return &stored->all[middle];
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

enum tp_status tp_stored_scan(struct tp_stored *stored, const char *folder, struct tp_diag *diag)
{
	char **names = NULL;
	size_t n = 0;
	enum tp_status status = tp_run_names(folder, &names, &n, diag);
	struct tp_stored_run *all = tp_alloc(n + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		struct tp_stored_run *run = &all[n - 1 - i], *old = find(stored, names[i]);
		/* A run that was under way has changed. */
		if (old && old->known && strcmp(old->state, "running") != 0)
			*run = *old;
		run->marked = old && old->marked;
		run->directory = names[i];
		names[i] = NULL;
		if (!run->known)
			guess(run);
	}
	tp_run_names_free(names, n);
	release_all(stored->all, stored->n);
	free(stored->shown);
	stored->all = all;
	stored->n = n;
	stored->shown = tp_alloc(n + 1, sizeof(*stored->shown));
	stored->n_shown = stored->next = 0;
	tp_copy(stored->folder, sizeof(stored->folder), folder);
	return status;
}

/* --- order --- */

static int by_order(const void *x, const void *y, void *context)
{
	static const struct {
		size_t at;
		int (*compare)(const char *a, const char *b);
	} texts[TP_STORED_ORDER_COUNT] = {
		[TP_STORED_NAME] = { offsetof(struct tp_stored_run, name), strcasecmp },
		[TP_STORED_EXPERIMENT] = { offsetof(struct tp_stored_run, brief.experiments),
					   strcmp },
		[TP_STORED_ISA] = { offsetof(struct tp_stored_run, brief.isas), strcmp },
		[TP_STORED_THREADS] = { offsetof(struct tp_stored_run, brief.threads), strverscmp },
		[TP_STORED_FIGURES] = { offsetof(struct tp_stored_run, brief.figures), strverscmp },
		[TP_STORED_STATE] = { offsetof(struct tp_stored_run, state), strcmp },
		[TP_STORED_MACHINE] = { offsetof(struct tp_stored_run, cpu), strcasecmp },
	};
	const struct tp_stored *stored = context;
	size_t i = *(const size_t *)x, k = *(const size_t *)y, at = texts[stored->order].at;
	const struct tp_stored_run *a = &stored->all[i], *b = &stored->all[k];
	int order = 0;
	if (texts[stored->order].compare)
		order = texts[stored->order].compare((const char *)a + at, (const char *)b + at);
	/* The fewest poor points first, then the fewest fair ones. */
	for (int q = TP_QUALITY_POOR;
	     stored->order == TP_STORED_QUALITY && q > TP_QUALITY_GOOD && !order; q--)
		order = (a->brief.quality[q] > b->brief.quality[q]) -
			(a->brief.quality[q] < b->brief.quality[q]);
	if (stored->order == TP_STORED_POINTS)
		order = (a->n_done < b->n_done) - (a->n_done > b->n_done);
	if (!order)
		order = -strcmp(a->date, b->date);
	return order ? order : (i > k) - (i < k);
}

void tp_stored_choose(struct tp_stored *stored, const struct tp_filter *filter,
		      enum tp_stored_order order)
{
	stored->order = order;
	stored->n_shown = 0;
	for (size_t i = 0; i < stored->n; i++) {
		const struct tp_stored_run *run = &stored->all[i];
		const char *const texts[] = { run->name,	 run->date,
					      run->state,	 run->cpu,
					      run->hostname,	 run->directory,
					      run->brief.isas,	 run->brief.experiments,
					      run->brief.figures };
		if (!run->gone && tp_filter_match(filter, texts, TP_COUNT_OF(texts)))
			stored->shown[stored->n_shown++] = i;
	}
	if (stored->n_shown)
		qsort_r(stored->shown, stored->n_shown, sizeof(*stored->shown), by_order, stored);
}

/* --- content --- */

bool tp_stored_know(struct tp_stored *stored, size_t index)
{
	struct tp_stored_run *run = &stored->all[index];
	if (run->known || run->gone)
		return false;
	TP_FREE struct tp_run_entry *entry = tp_alloc(1, sizeof(*entry));
	run->known = true;
	run->gone = !tp_run_entry_read(stored->folder, run->directory, entry);
	if (!run->gone) {
		tp_copy(run->date, sizeof(run->date), entry->date);
		tp_copy(run->name, sizeof(run->name), entry->name);
		tp_copy(run->cpu, sizeof(run->cpu), entry->cpu);
		run->simulated = *entry->simulated;
		if (run->simulated)
			snprintf(run->cpu, sizeof(run->cpu), "%.50s, simulated", entry->simulated);
		tp_copy(run->hostname, sizeof(run->hostname), entry->hostname);
		tp_copy(run->state, sizeof(run->state), entry->state);
		run->brief = entry->brief;
		run->n_done = entry->n_done;
		run->n_planned = entry->n_planned;
	}
	return true;
}

bool tp_stored_go_on(struct tp_stored *stored, double seconds)
{
	double until = tp_now_seconds() + seconds;
	while (stored->next < stored->n) {
		if (tp_stored_know(stored, stored->next++) && tp_now_seconds() > until)
			break;
	}
	return stored->next < stored->n;
}

void tp_stored_forget(struct tp_stored *stored, const char *directory)
{
	struct tp_stored_run *run = find(stored, directory);
	if (run) {
		run->known = false;
		stored->next = 0;
	}
}

const char *tp_stored_path(const struct tp_stored *stored, size_t index, char out[TP_PATH_MAX])
{
	int n = snprintf(out, TP_PATH_MAX, "%s/%s", stored->folder, stored->all[index].directory);
	if (n < 0 || n >= TP_PATH_MAX)
		out[0] = '\0';
	return out;
}

size_t tp_stored_marks(const struct tp_stored *stored)
{
	size_t n = 0;
	for (size_t i = 0; i < stored->n; i++)
		n += stored->all[i].marked && !stored->all[i].gone;
	return n;
}

/* --- in words --- */

const char *tp_stored_trend(const struct tp_stored *stored, size_t index, bool utf8,
			    char out[TP_TREND_BYTES])
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct tp_stored_run *run = &stored->all[index];
	double values[TP_TREND_RUNS], least = INFINITY, most = 0;
	size_t n = 0;
	out[0] = '\0';
	/* All are sorted by date, the newest first. */
	for (size_t i = index; i < stored->n && n < TP_TREND_RUNS; i++) {
		const struct tp_stored_run *r = &stored->all[i];
		if (r->gone || !(r->brief.headline > 0) || strcmp(r->name, run->name) != 0 ||
		    strcmp(r->cpu, run->cpu) != 0)
			continue;
		values[n++] = r->brief.headline;
		least = fmin(least, r->brief.headline);
		most = fmax(most, r->brief.headline);
	}
	for (size_t i = n; i-- > 0 && n > 1 && run->brief.headline > 0;) {
		/* Runs that agree make a low, even row. */
		double share = (values[i] - least) / fmax(most - least, 0.05 * most);
		int level = (int)(share * (TP_COUNT_OF(blocks) - 1) + 0.5);
		strcat(out, utf8 ? blocks[level] : (char[]){ "_.-:=+*#"[level], '\0' });
	}
	return out;
}

const char *tp_stored_state(const struct tp_stored_run *run, bool utf8, enum tp_role *role)
{
	static const struct {
		const char *state;
		enum tp_role role;
	} rows[] = { { "complete", TP_UI_GOOD },    { "simulated", TP_UI_WARN },
		     { "interrupted", TP_UI_WARN }, { "failed", TP_UI_BAD },
		     { "unreadable", TP_UI_BAD },   { "running", TP_UI_CHANGED } };
	*role = run->known ? TP_UI_PLAIN : TP_UI_DIM;
	if (!run->known)
		return utf8 ? "…" : "...";
	/* Without room for the machine, this word marks a simulated run. */
	const char *word =
		run->simulated && strcmp(run->state, "complete") == 0 ? "simulated" : run->state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (strcmp(rows[i].state, word) == 0)
			*role = rows[i].role;
	return word;
}

const char *tp_stored_quality(const struct tp_stored_run *run, bool stateless, int room, bool utf8,
			      enum tp_role *role, char *out, size_t size)
{
	const size_t *n = run->brief.quality;
	const char *state = tp_stored_state(run, utf8, role);
	tp_brief_quality(&run->brief, out, size);
	if (!run->known || !*run->brief.experiments || !*out ||
	    (stateless && strcmp(state, "complete") != 0)) {
		tp_copy(out, size, stateless ? state : "");
		return out;
	}
	*role = tp_quality_role(n[TP_QUALITY_POOR]   ? TP_QUALITY_POOR
				: n[TP_QUALITY_FAIR] ? TP_QUALITY_FAIR
						     : TP_QUALITY_GOOD);
	if ((int)tp_cell_columns(out) <= room)
		return out;
	int at = snprintf(out, size, "%zu", n[TP_QUALITY_GOOD]);
	if (n[TP_QUALITY_FAIR])
		at += snprintf(out + at, size - (size_t)at, " ~%zu", n[TP_QUALITY_FAIR]);
	if (n[TP_QUALITY_POOR])
		snprintf(out + at, size - (size_t)at, " ?%zu", n[TP_QUALITY_POOR]);
	return out;
}

/* --- what was looked at last --- */

void tp_previews_release(struct tp_previews *previews)
{
	tp_run_release(&previews->run);
	tp_doc_release(&previews->doc);
	*previews = (struct tp_previews){ 0 };
}

void tp_previews_forget(struct tp_previews *previews, const char *path)
{
	if (tp_previews_has(previews, path))
		previews->path[0] = '\0';
}

bool tp_previews_has(const struct tp_previews *previews, const char *path)
{
	return strcmp(previews->path, path) == 0;
}

void tp_previews_read(struct tp_previews *previews, const char *path)
{
	struct tp_diag diag = { 0 };
	if (tp_previews_has(previews, path))
		return;
	tp_run_release(&previews->run);
	tp_copy(previews->path, sizeof(previews->path), path);
	bool read = tp_run_load_results(&previews->run, path, &diag) == TP_OK;
	tp_copy(previews->why, sizeof(previews->why), read ? "" : diag.what);
	previews->doc.columns = 0;
}

struct tp_doc *tp_previews_doc(struct tp_previews *previews, const char *path,
			       const struct tp_look *look)
{
	if (!tp_previews_has(previews, path))
		return NULL;
	if (previews->doc.columns == (int)look->columns)
		return &previews->doc;
	const char *slash = strrchr(path, '/');
	TP_TEXT(text, look);
	tp_text_say(&text, TP_PAINT_STRONG, 0, 0, "%s", slash ? slash + 1 : path);
	if (*previews->why) {
		tp_text_wrap(&text, TP_PAINT_BAD, "This run cannot be read.", 0, 0);
		tp_text_say(&text, TP_PAINT_PLAIN, 0, 0, "%s", previews->why);
	} else {
		static const struct {
			const char *label, *key;
		} facts[] = { { "Started", "started" },
			      { "Preset", "preset.path" },
			      { "tprof", "tprof.version" },
			      { "Notes", "notes" } };
		tp_report_text(&previews->run, &text);
		tp_text_gap(&text);
		for (size_t i = 0; i < TP_COUNT_OF(facts); i++)
			tp_text_fact(&text, facts[i].label, TP_PAINT_PLAIN,
				     tp_fact_text(&previews->run, facts[i].key));
		tp_text_fact(&text, "In", TP_PAINT_PLAIN, path);
	}
	tp_doc_report(&previews->doc, (int)look->columns, &text);
	return &previews->doc;
}
