/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theoretical roofs of a named model, which models there are, and which one fits a CPU. */
#include "machine/detect.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tp_model_isa *tp_model_isa(const struct tp_model *model, const char *isa)
{
	for (size_t i = 0; i < model->n_isas; i++)
		if (strcmp(model->isas[i].name, isa) == 0)
			return &model->isas[i];
	return NULL;
}

/* Scalar instructions move one element; vector registers are as wide for floats as for doubles. */
static double operand_bytes(const struct tp_model_isa *isa, unsigned element_bytes)
{
	return strcmp(isa->name, "scalar") == 0 ? element_bytes : isa->vector_bytes;
}

double tp_model_l1_bytes_per_cycle(const struct tp_model *model, const char *name,
				   unsigned element_bytes, unsigned loads, unsigned stores)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || loads + stores == 0 || (loads && !(isa->loads_per_cycle > 0)) ||
	    (stores && !(isa->stores_per_cycle > 0)))
		return 0;
	double cycles = 0;
	if (loads)
		cycles = loads / isa->loads_per_cycle;
	if (stores)
		cycles = TP_MAX(cycles, stores / isa->stores_per_cycle);
	if (isa->mem_per_cycle > 0)
		cycles = TP_MAX(cycles, (loads + stores) / isa->mem_per_cycle);
	cycles = TP_MAX(cycles, loads * isa->load_cost + stores * isa->store_cost);
	return (loads + stores) * operand_bytes(isa, element_bytes) / cycles;
}

double tp_model_l1_best(const struct tp_model *model, const char *isa, unsigned element_bytes,
			unsigned *loads, unsigned *stores)
{
	static const unsigned mixes[][2] = { { 1, 0 }, { 2, 1 }, { 1, 1 }, { 0, 1 } };
	double best = 0;
	size_t at = 0;
	for (size_t i = 0; i < TP_COUNT_OF(mixes); i++) {
		double rate = tp_model_l1_bytes_per_cycle(model, isa, element_bytes, mixes[i][0],
							  mixes[i][1]);
		if (rate > best) {
			best = rate;
			at = i;
		}
	}
	if (loads)
		*loads = mixes[at][0];
	if (stores)
		*stores = mixes[at][1];
	return best;
}

double tp_model_flop_per_cycle(const struct tp_model *model, const char *name,
			       unsigned element_bytes, const char *fp_op)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || (element_bytes != 4 && element_bytes != 8))
		return 0;
	double lanes = operand_bytes(isa, element_bytes) / element_bytes;
	double fma = isa->fma_per_cycle, add = isa->add_per_cycle;
	if (strcmp(fp_op, "add") == 0)
		return lanes * add;
	if (strcmp(fp_op, "mul") == 0)
		return lanes * isa->mul_per_cycle;
	if (strcmp(fp_op, "div") == 0)
		return lanes *
		       (element_bytes == 8 ? isa->div_per_cycle : isa->div_single_per_cycle);
	if (strcmp(fp_op, "fma") == 0)
		return lanes * 2 * fma;
	if (strcmp(fp_op, "fma+add") != 0 || !(fma > 0) || !(add > 0))
		return 0;
	/* An FMA is worth two of any addition, so it goes first; additions fill what is left of the pipes. */
	double pipes = isa->fp_per_cycle > 0 ? isa->fp_per_cycle : TP_MAX(fma, add);
	double adds = TP_MIN(add, TP_MAX(pipes - fma, 0.0));
	return lanes * (2 * TP_MIN(fma, pipes) + adds);
}

double tp_model_peak_gflops(const struct tp_model *model, const char *isa, unsigned element_bytes,
			    const char *fp_op)
{
	return model->nominal_ghz * model->cores_per_socket * model->sockets *
	       tp_model_flop_per_cycle(model, isa, element_bytes, fp_op);
}

double tp_model_dram_gbps(const struct tp_model *model)
{
	return model->memory_mts * 1e6 * model->memory_channels * 8 / 1e9;
}

/* How many parts of the match section fit; -1 if one does not, 0 if nothing is named. */
static int match_score(const struct tp_model *model, const struct tp_cpu *cpu)
{
	int score = 0;
	if (strcmp(model->arch, cpu->arch) != 0)
		return -1;
	if (*model->match_vendor) {
		if (strcmp(model->match_vendor, cpu->vendor) != 0)
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
	if (model->match_stepping_min >= 0) {
		if (cpu->stepping < model->match_stepping_min ||
		    cpu->stepping > model->match_stepping_max)
			return -1;
		score++;
	}
	if (*model->match_brand) {
		if (!strstr(cpu->brand, model->match_brand))
			return -1;
		score++;
	}
	return score;
}

bool tp_model_matches(const struct tp_model *model, const struct tp_cpu *cpu)
{
	return match_score(model, cpu) > 0;
}

/* Titles are read by whoever shows them: a choice by name reads one file only. */
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
	/* Without those that are shipped, what there is would look like all there is. */
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

/* A file with several errors, told through the one diagnosis a caller has: the first error and how many more there are. */
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

static void choose_matching(struct tp_model *model, const struct tp_named_file *entries, size_t n,
			    const struct tp_cpu *cpu)
{
	int best = 0;
	for (size_t i = 0; i < n; i++) {
		struct tp_model candidate;
		/* A broken file that nobody asked for must not stop a run; asking for it by name says what is wrong. */
		if (load_one(&candidate, entries[i].path, NULL) != TP_OK)
			continue;
		int score = match_score(&candidate, cpu);
		if (score > best) {
			best = score;
			*model = candidate;
		}
	}
}

static enum tp_status unknown_model(const char *choice, const struct tp_named_file *entries,
				    size_t n, struct tp_diag *diag)
{
	const char **names = tp_named_names(entries, n);
	struct tp_str hint = { 0 };
	const char *near = NULL;
	if (names) {
		names[n] = "detected";
		near = tp_nearest(choice, names, n + 1);
		tp_str_add(&hint, "models: ");
		tp_str_list(&hint, names, n + 1, " or ");
		tp_str_add(&hint, "; or the path of a file");
	}
	enum tp_status status =
		tp_fail(diag, TP_NOTFOUND, "machine", tp_str_text(&hint),
			"there is no machine model \"%.60s\"%s%s%s", choice,
			near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	tp_str_release(&hint);
	free(names);
	return status;
}

enum tp_status tp_model_choose(struct tp_model *model, const char *choice, const struct tp_cpu *cpu,
			       struct tp_diag *diag)
{
	*model = (struct tp_model){ .match_family = -1,
				    .match_stepping_min = -1,
				    .match_stepping_max = -1 };
	bool detected = !choice || !*choice || strcmp(choice, "detected") == 0;
	/* A description that says nothing of its CPU (synthetic) cannot be matched. */
	if (detected && !*cpu->arch)
		return TP_OK;
	if (!detected && (strchr(choice, '/') || strstr(choice, ".yaml")))
		return load_one(model, choice, diag);

	struct tp_named_file *entries;
	size_t n;
	enum tp_status status = list_entries(&entries, &n, diag);
	if (status != TP_OK)
		return detected ? TP_OK : status;
	if (detected) {
		choose_matching(model, entries, n, cpu);
	} else {
		const struct tp_named_file *found = NULL;
		for (size_t i = 0; i < n; i++)
			if (strcmp(entries[i].name, choice) == 0)
				found = &entries[i];
		status = found ? load_one(model, found->path, diag)
			       : unknown_model(choice, entries, n, diag);
	}
	free(entries);
	return status;
}
