/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a model describes a CPU. What the CPU calls itself decides. Where a hypervisor masks
 * that, or no model knows it yet, features and caches tell what the CPU looks like.
 */
#include "machine/detect.h"
#include "base/memory.h"

#include <string.h>

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

/* Counts the parts of the identification that fit; -1 if one does not, 0 if there are none. */
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
	/* A vendor makes many CPUs: with looks beside it, the vendor alone is no identification. */
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

int tp_model_rank(const struct tp_model *model, const struct tp_machine *machine, bool *certain)
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
		tp_str_printf(out, "CPUID says family %d model %d", cpu->family, cpu->model);
	else if (cpu->model >= 0)
		tp_str_printf(out, "its ID register says part 0x%03x of %s", (unsigned)cpu->model,
			      *cpu->vendor ? cpu->vendor : "an unknown vendor");
	else
		tp_str_add(out, "the CPU does not say its number");
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
