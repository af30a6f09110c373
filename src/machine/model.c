/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theoretical roofs of a named model, which models there are, and which one fits a CPU. */
#include "machine/detect.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
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

static int by_name(const void *a, const void *b)
{
	const struct tp_model_entry *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* Adds the models of one directory; a name that is there already (the user's own) hides the later one. */
static enum tp_status add_directory(const char *directory, struct tp_model_entry **entries,
				    size_t *n, size_t *cap, struct tp_diag *diag)
{
	static const char suffix[] = ".yaml";
	enum tp_status status = TP_OK;
	DIR *dir = opendir(directory);
	if (!dir && errno == ENOENT)
		return TP_OK;
	if (!dir)
		return tp_fail(diag, TP_IO, directory, NULL, "cannot read the directory: %s",
			       strerror(errno));
	for (struct dirent *item; (item = readdir(dir));) {
		size_t len = strlen(item->d_name);
		struct tp_model_entry entry = { 0 };
		if (len <= strlen(suffix) || item->d_name[0] == '.' ||
		    strcmp(item->d_name + len - strlen(suffix), suffix) != 0 ||
		    len - strlen(suffix) >= sizeof(entry.name))
			continue;
		memcpy(entry.name, item->d_name, len - strlen(suffix));
		int path =
			snprintf(entry.path, sizeof(entry.path), "%s/%s", directory, item->d_name);
		if (path < 0 || (size_t)path >= sizeof(entry.path))
			continue;
		bool hidden = false;
		for (size_t i = 0; i < *n; i++)
			hidden = hidden || strcmp((*entries)[i].name, entry.name) == 0;
		if (hidden)
			continue;
		status = tp_vec_reserve((void **)entries, cap, *n + 1, sizeof(entry));
		if (status != TP_OK) {
			tp_fail(diag, status, directory, NULL, "out of memory");
			break;
		}
		(*entries)[(*n)++] = entry;
	}
	closedir(dir);
	return status;
}

static enum tp_status list_entries(struct tp_model_entry **entries, size_t *n, struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	size_t cap = 0;
	*entries = NULL;
	*n = 0;
	enum tp_status status = TP_OK;
	if (tp_path_user_data("machines", directory, NULL) == TP_OK)
		status = add_directory(directory, entries, n, &cap, diag);
	if (status == TP_OK)
		status = tp_path_data("presets/machines", directory, diag);
	if (status == TP_OK)
		status = add_directory(directory, entries, n, &cap, diag);
	if (status != TP_OK) {
		free(*entries);
		*entries = NULL;
		*n = 0;
		return status;
	}
	if (*n)
		qsort(*entries, *n, sizeof(**entries), by_name);
	return TP_OK;
}

enum tp_status tp_model_entries(struct tp_model_entry **entries, size_t *n, struct tp_diag *diag)
{
	enum tp_status status = list_entries(entries, n, diag);
	for (size_t i = 0; status == TP_OK && i < *n; i++) {
		struct tp_model_entry *entry = &(*entries)[i];
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

static void choose_matching(struct tp_model *model, const struct tp_model_entry *entries, size_t n,
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

static enum tp_status unknown_model(const char *choice, const struct tp_model_entry *entries,
				    size_t n, struct tp_diag *diag)
{
	const char **names = calloc(n + 1, sizeof(*names));
	struct tp_str hint = { 0 };
	const char *near = NULL;
	for (size_t i = 0; names && i < n; i++)
		names[i] = entries[i].name;
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

	struct tp_model_entry *entries;
	size_t n;
	enum tp_status status = list_entries(&entries, &n, diag);
	if (status != TP_OK)
		return detected ? TP_OK : status;
	if (detected) {
		choose_matching(model, entries, n, cpu);
	} else {
		const struct tp_model_entry *found = NULL;
		for (size_t i = 0; i < n; i++)
			if (strcmp(entries[i].name, choice) == 0)
				found = &entries[i];
		status = found ? load_one(model, found->path, diag)
			       : unknown_model(choice, entries, n, diag);
	}
	free(entries);
	return status;
}
