/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of models, and the one that a machine gets. */
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Titles are read only for lists: choosing a model by name reads one file. */
static const struct tp_named_kind models = {
	.what = "machine models",
	.folders = { { tp_path_user_data, "machines" }, { tp_path_data, "presets/machines" } },
	.name_bytes = sizeof(((struct tp_model *)0)->name),
	.strict = true,
};

static enum tp_status list_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	*entries = NULL;
	*n = 0;
	/* An incomplete list would look complete, so missing shipped models are an error. */
	enum tp_status status = tp_path_data("presets/machines", folder, diag);
	return status == TP_OK ? tp_named_list(&models, entries, n, diag) : status;
}

enum tp_status tp_model_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	enum tp_status status = list_entries(entries, n, diag);
	for (size_t i = 0; status == TP_OK && i < *n; i++) {
		struct tp_named_file *entry = &(*entries)[i];
		struct tp_model model;
		struct tp_diags diags = { 0 };
		bool good = tp_model_load(&model, entry->path, &diags) == TP_OK;
		tp_copy(entry->title, sizeof(entry->title), good ? model.title : "(has errors)");
		tp_diags_release(&diags);
	}
	return status;
}

/* Loads a model for a caller with one diagnosis: the first error, and how many more there are. */
static enum tp_status load_one(struct tp_model *model, const char *path, struct tp_diag *diag)
{
	struct tp_diags diags = { 0 };
	enum tp_status status = tp_model_load(model, path, &diags);
	if (status != TP_OK && diag && diags.n) {
		*diag = diags.items[0];
		size_t len = strlen(diag->what);
		if (diags.n > 1)
			snprintf(diag->what + len, sizeof(diag->what) - len,
				 " (and %zu more errors in this file)", diags.n - 1);
	} else if (status != TP_OK) {
		tp_fail(diag, status, path, NULL, "cannot be loaded");
	}
	tp_diags_release(&diags);
	return status;
}

/* Sets the model that fits the machine best: one that matches before those that look alike. */
static void choose_matching(struct tp_machine *machine, const struct tp_named_file *entries,
			    size_t n)
{
	int best = 0;
	for (size_t i = 0; i < n; i++) {
		struct tp_model candidate;
		bool certain;
		/*
		 * A broken file that was not asked for must not stop a run. Asking for it by name
		 * shows its errors.
		 */
		if (load_one(&candidate, entries[i].path, NULL) != TP_OK)
			continue;
		int rank = tp_model_rank(&candidate, machine, &certain);
		if (rank > best) {
			best = rank;
			machine->model = candidate;
			machine->model_found = certain ? TP_MODEL_MATCHED : TP_MODEL_LOOKS_LIKE;
		}
	}
}

static enum tp_status unknown_model(const char *choice, struct tp_diag *diag)
{
	struct tp_str hint = { 0 };
	char near[TP_NAME_MAX];
	tp_str_add(&hint, "models: ");
	tp_named_guess(&models, choice, "detected", near, &hint);
	tp_str_add(&hint, "; or the path of a file");
	enum tp_status status = tp_fail(diag, TP_NOTFOUND, "machine", tp_str_text(&hint),
					"there is no machine model \"%.60s\"%s%s%s", choice,
					*near ? "; did you mean " : "", near, *near ? "?" : "");
	tp_str_release(&hint);
	return status;
}

enum tp_status tp_model_choose(struct tp_machine *machine, const char *choice, struct tp_diag *diag)
{
	struct tp_model *model = &machine->model;
	enum tp_status status = TP_OK;
	char path[TP_PATH_MAX];
	struct tp_named_file *entries;
	size_t n;
	*model = (struct tp_model){ .match_family = -1,
				    .match_stepping_min = -1,
				    .match_stepping_max = -1 };
	machine->model_found = TP_MODEL_NONE;
	if (!choice || !*choice || strcmp(choice, "detected") == 0) {
		/* A synthetic description has no CPU that could be matched. */
		if (*machine->cpu.arch && list_entries(&entries, &n, diag) == TP_OK) {
			choose_matching(machine, entries, n);
			free(entries);
		}
		return TP_OK;
	}
	if (strchr(choice, '/') || strstr(choice, ".yaml"))
		status = load_one(model, choice, diag);
	else if (tp_named_find(&models, choice, strlen(choice), path))
		status = load_one(model, path, diag);
	else
		status = unknown_model(choice, diag);
	if (status == TP_OK)
		machine->model_found = TP_MODEL_CHOSEN;
	return status;
}
