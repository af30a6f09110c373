/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/experiment.h"
#include "base/str.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/isa_names.h"
#include "measure/simulation.h"

#include <stdio.h>
#include <string.h>

const char *tp_regime_word(size_t i, const char **summary)
{
	if (i >= tp_regime_count)
		return NULL;
	if (summary)
		*summary = tp_regime_table[i].summary;
	return tp_regime_table[i].name;
}

static enum tp_status unknown_regime(const struct tp_config *config, const char *regime,
				     struct tp_diag *diag)
{
	const char *names[64] = { "off" };
	const struct tp_value *value = tp_config_value(config, TP_OPT_SIMULATE);
	TP_STR hint = { 0 };
	size_t n = 1;
	for (size_t i = 0; i < tp_regime_count && n < TP_COUNT_OF(names); i++)
		names[n++] = tp_regime_table[i].name;
	tp_str_suggest(&hint, regime, "regimes: ", names, n, " or ");
	return tp_fail(diag, TP_USAGE, *value->where ? value->where : "simulate",
		       tp_str_text(&hint), "simulate: there is no regime \"%.60s\"", regime);
}

/* Another machine has the features that its model's ISAs need, whatever this CPU has. */
static void give_features(struct tp_machine *machine)
{
	struct tp_cpu *cpu = &machine->cpu;
	for (size_t i = 0; machine->foreign && i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		size_t n = strlen(cpu->features);
		if (strcmp(isa->arch, machine->model.arch) == 0 &&
		    tp_model_isa(&machine->model, isa->name) &&
		    n + 1 + strlen(isa->needs) < sizeof(cpu->features))
			snprintf(cpu->features + n, sizeof(cpu->features) - n, "%s%s",
				 n && *isa->needs ? " " : "", isa->needs);
	}
}

/* The i-th name of an architecture. */
static const struct tp_isa_name *isa_name(const char *arch, size_t i)
{
	for (size_t k = 0; k < TP_COUNT_OF(tp_isa_names); k++) {
		const char *own = tp_isa_names[k].arch;
		if ((!own || strcmp(own, arch) == 0) && i-- == 0)
			return &tp_isa_names[k];
	}
	return NULL;
}

static const struct tp_isa_name *name_of(const char *isa)
{
	size_t k = 0;
	while (k + 1 < TP_COUNT_OF(tp_isa_names) && strcmp(tp_isa_names[k].name, isa) != 0)
		k++;
	return &tp_isa_names[k];
}

bool tp_machine_isa(const struct tp_machine *machine, size_t i, struct tp_isa_offer *offer)
{
	const struct tp_model *model = &machine->model;
	const struct tp_arch *host = tp_arch_host();
	const char *arch = machine->cpu.arch;
	const struct tp_isa_name *name = isa_name(arch, i);
	*offer = (struct tp_isa_offer){ .summary = "" };
	if (!machine->foreign || (host && strcmp(arch, host->name) == 0)) {
		if (i >= tp_isa_count)
			return false;
		offer->isa = tp_isa_table[i];
		offer->name = offer->isa->name;
		offer->summary = offer->isa->summary;
	} else if (model->n_isas ? i >= model->n_isas : !name) {
		return false;
	} else {
		offer->name = model->n_isas ? model->isas[i].name : name->name;
	}
	const struct tp_model_isa *of = tp_model_isa(model, offer->name);
	name = name_of(offer->name);
	offer->apart = name->apart;
	offer->vector_bytes = offer->isa ? offer->isa->vector_bytes : name->vector_bytes;
	if (!machine->foreign) {
		offer->offered = tp_isa_supported(offer->isa, &machine->cpu, &offer->why) == TP_OK;
	} else if (!model->n_isas) {
		offer->offered =
			name->basic ||
			(offer->isa && tp_isa_supported(offer->isa, &machine->cpu, NULL) == TP_OK);
	} else if (of) {
		offer->offered = true;
		offer->vector_bytes = name->vector_bytes ? of->vector_bytes : 0;
	} else {
		tp_fail(&offer->why, TP_UNSUPPORTED, offer->name, "choose another isa or machine",
			"the model %s has no %s", model->name, offer->name);
	}
	return true;
}

bool tp_machine_has_narrow(const struct tp_machine *machine, const struct tp_narrow *row)
{
	const struct tp_isa *isa = tp_isa_find(row->isa);
	if (machine->foreign && machine->model.n_isas)
		return tp_model_narrow_flop_per_cycle(&machine->model, row->isa, row->precision,
						      tp_fp_op_name(row->op)) > 0;
	return isa && tp_isa_supported(isa, &machine->cpu, NULL) == TP_OK &&
	       tp_narrow_supported(row, &machine->cpu, NULL) == TP_OK;
}

/* A model by itself describes a machine; without a model and a topology, it is this machine. */
static enum tp_status find_simulated(struct tp_machine *machine, const struct tp_cpu *cpu,
				     const struct tp_config *config, const uint64_t *given,
				     struct tp_diag *diag)
{
	const char *topology = tp_config_text(config, TP_OPT_TOPOLOGY),
		   *model = tp_config_text(config, TP_OPT_MACHINE);
	bool alone = !*topology && strcmp(model, "detected") != 0;
	enum tp_status status = alone ? tp_machine_reference(machine, cpu, model, given, diag)
				      : tp_machine_init(machine, cpu, topology, model, given, diag);
	if (status != TP_OK || machine->model.n_isas)
		return status;
	tp_machine_release(machine);
	return tp_fail(diag, TP_UNSUPPORTED, "simulate",
		       "name one, such as --machine zen4; see --list machines",
		       "a simulation needs a machine model, and none is known for this machine");
}

enum tp_status tp_machine_for_config(struct tp_machine *machine, const struct tp_cpu *cpu,
				     const struct tp_config *config, struct tp_diag *diag)
{
	const uint64_t given[TP_CACHE_LEVELS] = {
		0,
		tp_config_count(config, TP_OPT_CACHE_L1),
		tp_config_count(config, TP_OPT_CACHE_L2),
		tp_config_count(config, TP_OPT_CACHE_L3),
	};
	const char *regime = tp_config_text(config, TP_OPT_SIMULATE);
	regime = strcmp(regime, "off") == 0 ? NULL : regime;
	if (regime && !tp_regime_find(regime))
		return unknown_regime(config, regime, diag);
	enum tp_status status =
		regime ? find_simulated(machine, cpu, config, given, diag)
		       : tp_machine_init(machine, cpu, tp_config_text(config, TP_OPT_TOPOLOGY),
					 tp_config_text(config, TP_OPT_MACHINE), given, diag);
	if (status == TP_OK) {
		give_features(machine);
		machine->sharers = (unsigned)tp_config_count(config, TP_OPT_SHARERS);
		machine->available_bytes /= TP_MAX(machine->sharers, 1u);
	}
	if (status == TP_OK && regime)
		tp_machine_simulate(machine, regime);
	return status;
}
