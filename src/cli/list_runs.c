/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list runs: runs and cluster runs of the user, by date. */
#include "cli/list.h"
#include "base/text.h"
#include "base/memory.h"
#include "cluster/actions.h"
#include "record/load.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_run_name(const struct dirent *file)
{
	return file->d_name[0] != '.' &&
	       (file->d_type == DT_DIR || file->d_type == DT_LNK || file->d_type == DT_UNKNOWN);
}

/* Opens none of them: there may be thousands, and a shell waits. */
static void name_runs(struct tp_list_sink *s, const char *directory)
{
	struct dirent **files;
	int n = scandir(directory, &files, is_run_name, alphasort);
	for (int i = 0; i < n; i++) {
		tp_list_called(s, files[i]->d_name, files[i]->d_name);
		free(files[i]);
	}
	if (n >= 0)
		free(files);
}

/* What a list tells of the nodes of a cluster run; none for other runs. */
struct nodes {
	size_t n, n_done;
	char text[64];
};

/*
 * As far as it is known without asking a scheduler. What the nodes have in common says what was
 * measured. False: it is no cluster run.
 */
static bool read_cluster(struct tp_run_entry *entry, struct nodes *nodes)
{
	struct tp_cluster cluster;
	struct tp_cluster_sums sums;
	struct tp_run_entry merged;
	struct tp_diag diag;
	enum tp_status status = tp_cluster_load(&cluster, entry->path, &diag);
	if (status == TP_NOTFOUND)
		return false;
	tp_copy(entry->state, sizeof(entry->state), "unreadable");
	if (status == TP_OK) {
		tp_cluster_look(&cluster);
		tp_cluster_add_up(&cluster, &sums);
		nodes->n = sums.n;
		nodes->n_done = sums.of_state[TP_NODE_DONE];
		entry->n_done = sums.n_done;
		entry->n_planned = sums.n_points;
		tp_copy(entry->state, sizeof(entry->state),
			nodes->n_done == sums.n ? "complete"
			: sums.n_ended < sums.n ? "running"
			: sums.n_done		? "interrupted"
						: "failed");
		if (nodes->n_done == sums.n)
			snprintf(nodes->text, sizeof(nodes->text), ", %zu node%s", sums.n,
				 sums.n == 1 ? "" : "s");
		else
			snprintf(nodes->text, sizeof(nodes->text), ", %zu of %zu nodes done",
				 nodes->n_done, sums.n);
	}
	tp_cluster_release(&cluster);
	if (tp_run_entry_read(entry->path, "merged", &merged)) {
		entry->brief = merged.brief;
		tp_copy(entry->cpu, sizeof(entry->cpu), merged.cpu);
		tp_copy(entry->simulated, sizeof(entry->simulated), merged.simulated);
	}
	return true;
}

static void add_row(struct tp_list_sink *s, const struct tp_run_entry *e, const struct nodes *nodes)
{
	bool whole = strcmp(e->state, "complete") == 0;
	char state[sizeof(e->state) + sizeof(nodes->text) + sizeof(e->simulated) + 16], quality[64];
	snprintf(state, sizeof(state), "%s%s%s%s", e->state, nodes->text,
		 *e->simulated ? ", simulated: " : "", e->simulated);
	tp_list_cell(s, TP_PAINT_PLAIN, e->date);
	tp_list_called(s, e->name, e->directory);
	tp_list_cell(s, TP_PAINT_PLAIN, e->brief.experiments);
	tp_list_cell(s, TP_PAINT_PLAIN, e->brief.isas);
	tp_list_cell(s, TP_PAINT_PLAIN, e->brief.threads);
	tp_list_cell(s, TP_PAINT_PLAIN, e->brief.figures);
	tp_list_cell(s, TP_PAINT_PLAIN, tp_brief_quality(&e->brief, quality, sizeof(quality)));
	tp_list_cell(s, whole && !*e->simulated ? TP_PAINT_PLAIN : TP_PAINT_WARN, state);
	if (e->n_planned > e->n_done)
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%zu/%zu", e->n_done, e->n_planned);
	else
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%zu", e->n_done);
	tp_list_cell(s, TP_PAINT_DIM, e->directory);
	tp_listing_text(s->json, "date", e->date);
	tp_listing_text(s->json, "experiments", e->brief.experiments);
	tp_listing_text(s->json, "isas", e->brief.isas);
	tp_listing_text(s->json, "threads", e->brief.threads);
	tp_listing_text(s->json, "figures", e->brief.figures);
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		tp_listing_count(s->json, tp_quality_name((enum tp_quality)q), e->brief.quality[q]);
	tp_listing_text(s->json, "state", e->state);
	if (nodes->n) {
		tp_listing_count(s->json, "nodes", nodes->n);
		tp_listing_count(s->json, "nodes_done", nodes->n_done);
	}
	tp_listing_count(s->json, "points", e->n_done);
	tp_listing_count(s->json, "points_planned", e->n_planned);
	tp_listing_text(s->json, "cpu", e->cpu);
	tp_listing_text(s->json, "hostname", e->hostname);
	tp_listing_text(s->json, "simulated", *e->simulated ? e->simulated : NULL);
	tp_listing_text(s->json, "path", e->path);
}

enum tp_status tp_list_runs(struct tp_list_sink *s, struct tp_diag *diag)
{
	char directory[TP_PATH_MAX], **names;
	size_t n = 0, n_rows = 0;
	struct tp_run_entry *entry = NULL;
	enum tp_status status = tp_path_user_data("runs", directory, diag);
	if (status == TP_OK && s->only_names) {
		name_runs(s, directory);
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_run_names(directory, &names, &n, diag);
	if (status != TP_OK)
		return status;
	if (!(entry = malloc(sizeof(*entry))))
		status = tp_fail(diag, TP_NOMEM, directory, NULL, "out of memory");
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		struct nodes nodes = { 0 };
		if (tp_run_entry_read(directory, names[i], entry) || read_cluster(entry, &nodes)) {
			add_row(s, entry, &nodes);
			n_rows++;
		}
	}
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, directory, &s->look);
	tp_str_printf(&s->remarks, n_rows ? "in %s\n" : "There are no runs in %s yet.\n",
		      tp_str_text(&clean));
	tp_str_release(&clean);
	tp_run_names_free(names, n);
	free(entry);
	return status;
}
