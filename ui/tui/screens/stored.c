/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/stored.h"
#include "base/now.h"
#include "base/str.h"
#include "base/memory.h"
#include "record/load.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
	struct tp_stored_run *all = calloc(n + 1, sizeof(*all));
	size_t *shown = calloc(n + 1, sizeof(*shown));
	if (status == TP_OK && (!all || !shown))
		status = tp_fail(diag, TP_NOMEM, folder, NULL, "out of memory");
	for (size_t i = 0; status == TP_OK && i < n; i++) {
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
	if (status != TP_OK) {
		free(all);
		free(shown);
		all = NULL;
		shown = NULL;
		n = 0;
	}
	stored->all = all;
	stored->n = n;
	stored->shown = shown;
	stored->n_shown = stored->next = 0;
	tp_copy(stored->folder, sizeof(stored->folder), folder);
	return status;
}

/* --- order --- */

/* The fewest poor points first, then the fewest fair ones. */
static int by_quality(const struct tp_run_brief *a, const struct tp_run_brief *b)
{
	int order = 0;
	for (int q = TP_QUALITY_POOR; q > TP_QUALITY_GOOD && !order; q--)
		order = (a->quality[q] > b->quality[q]) - (a->quality[q] < b->quality[q]);
	return order;
}

static int by_order(const void *x, const void *y, void *context)
{
	const struct tp_stored *stored = context;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;
	const struct tp_stored_run *a = &stored->all[i], *b = &stored->all[k];
	int order = 0;
	switch (stored->order) {
	case TP_STORED_NAME:
		order = strcasecmp(a->name, b->name);
		break;
	case TP_STORED_EXPERIMENT:
		order = strcmp(a->brief.experiments, b->brief.experiments);
		break;
	case TP_STORED_ISA:
		order = strcmp(a->brief.isas, b->brief.isas);
		break;
	case TP_STORED_THREADS:
		order = strverscmp(a->brief.threads, b->brief.threads);
		break;
	case TP_STORED_QUALITY:
		order = by_quality(&a->brief, &b->brief);
		break;
	case TP_STORED_FIGURES:
		order = strverscmp(a->brief.figures, b->brief.figures);
		break;
	case TP_STORED_STATE:
		order = strcmp(a->state, b->state);
		break;
	case TP_STORED_POINTS:
		order = (a->n_done < b->n_done) - (a->n_done > b->n_done);
		break;
	case TP_STORED_MACHINE:
		order = strcasecmp(a->cpu, b->cpu);
		break;
	default:
		break;
	}
	if (!order)
		order = -strcmp(a->date, b->date);
	return order ? order : (i > k) - (i < k);
}

enum tp_status tp_stored_choose(struct tp_stored *stored, const struct tp_filter *filter,
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
	return TP_OK;
}

/* --- content --- */

bool tp_stored_know(struct tp_stored *stored, size_t index)
{
	struct tp_stored_run *run = &stored->all[index];
	if (run->known || run->gone)
		return false;
	struct tp_run_entry *entry = malloc(sizeof(*entry));
	if (!entry)
		return false;
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
	free(entry);
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
