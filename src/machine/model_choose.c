/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of models, and the one that a machine gets. The CPU's identification decides. If a
 * hypervisor masks it, or no model has it yet, features and caches show the closest model.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "machine/detect.h"

static bool has_text(const struct tp_model_words *words, const char *text)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->at[i], text) == 0)
			return true;
	return false;
}

static int look_parts(const struct tp_model *model)
{
	int parts =
		(int)model->look_features.n + (model->look_l3_min != 0) + (model->look_l3_max != 0);
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		parts += model->look_bytes[level] != 0;
	return parts;
}

/* Counts the parts of the identification that fit; -1 if one does not, 0 without any. */
static int match_score(const struct tp_model *model, const struct tp_cpu *cpu)
{
	int score = 0;
	if (strcmp(model->arch, cpu->arch) != 0)
		return -1;
	if (model->match_vendors.n) {
		if (!has_text(&model->match_vendors, cpu->vendor))
			return -1;
		score++;
	}
	if (model->match_family >= 0) {
		if (model->match_family != cpu->family)
			return -1;
		score++;
	}
	if (model->n_match_models) {
		bool found = false;
		for (size_t i = 0; i < model->n_match_models; i++)
			found = found || model->match_models[i] == cpu->model;
		if (!found)
			return -1;
		score++;
	}
	if (model->match_stepping[0] >= 0) {
		if (cpu->stepping < model->match_stepping[0] ||
		    cpu->stepping > model->match_stepping[1])
			return -1;
		score++;
	}
	if (model->match_brands.n) {
		bool found = false;
		for (size_t i = 0; i < model->match_brands.n; i++)
			found = found || strstr(cpu->brand, model->match_brands.at[i]);
		if (!found)
			return -1;
		score++;
	}
	/* A vendor makes many CPUs: together with features, the vendor does not identify one. */
	if (score == 1 && model->match_vendors.n && look_parts(model))
		return 0;
	return score;
}

bool tp_model_matches(const struct tp_model *model, const struct tp_cpu *cpu)
{
	return match_score(model, cpu) > 0;
}

bool tp_model_looks_like(const struct tp_model *model, const struct tp_machine *machine)
{
	const struct tp_cpu *cpu = &machine->cpu;
	uint64_t l3 = machine->cache[3].reported_bytes;
	if (!look_parts(model) || strcmp(model->arch, cpu->arch) != 0)
		return false;
	/* Where even the vendor is hidden, the rest has to do. */
	if (model->match_vendors.n && *cpu->vendor && !has_text(&model->match_vendors, cpu->vendor))
		return false;
	for (size_t i = 0; i < model->look_features.n; i++)
		if (!tp_has_word(cpu->features, model->look_features.at[i]))
			return false;
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		if (model->look_bytes[level] &&
		    model->look_bytes[level] != machine->cache[level].reported_bytes)
			return false;
	return l3 >= model->look_l3_min && (!model->look_l3_max || l3 <= model->look_l3_max);
}

/* More than any number of looks, so that looks only decide between equal identifications. */
enum { PART_OF_IDENTITY = 100 };

/*
 * How well the model fits the machine; 0: not at all. `certain`: by what the CPU calls itself,
 * which ranks before everything that only looks alike. The more parts fit, the higher.
 */
static int model_rank(const struct tp_model *model, const struct tp_machine *machine, bool *certain)
{
	int score = match_score(model, &machine->cpu), looks = look_parts(model);
	bool alike = tp_model_looks_like(model, machine);
	*certain = score > 0;
	if (!*certain)
		return alike ? looks : 0;
	return score * PART_OF_IDENTITY + (alike ? looks : looks ? -1 : 0);
}

const char *tp_model_found_word(enum tp_model_found found)
{
	static const char *const words[] = {
		[TP_MODEL_NONE] = "",
		[TP_MODEL_CHOSEN] = "chosen",
		[TP_MODEL_MATCHED] = "matched",
		[TP_MODEL_LOOKS_LIKE] = "looks like",
	};
	return words[found];
}

void tp_model_found_by(const struct tp_machine *machine, struct tp_str *out)
{
	const struct tp_cpu *cpu = &machine->cpu;
	if (machine->model_found != TP_MODEL_LOOKS_LIKE)
		return;
	tp_str_add(out, "by features and caches; ");
	if (cpu->family >= 0)
		tp_str_printf(out, "CPUID has family %d model %d", cpu->family, cpu->model);
	else if (cpu->model >= 0)
		tp_str_printf(out, "its ID register has part 0x%03x of %s", (unsigned)cpu->model,
			      *cpu->vendor ? cpu->vendor : "an unknown vendor");
	else
		tp_str_add(out, "the CPU does not give its number");
}

void tp_model_named(const struct tp_machine *machine, struct tp_str *out)
{
	bool guess = *machine->model.name && machine->model_found == TP_MODEL_LOOKS_LIKE;
	if (guess)
		tp_str_printf(out, "%s ", tp_model_found_word(machine->model_found));
	tp_str_add(out, machine->model.name);
	if (guess) {
		tp_str_add(out, " (");
		tp_model_found_by(machine, out);
		tp_str_add(out, ")");
	}
}

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

/* Sets the model that fits the machine best: a matching one before those that look alike. */
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
		int rank = model_rank(&candidate, machine, &certain);
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
	*model = tp_model_unknown;
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
