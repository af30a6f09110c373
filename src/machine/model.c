/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theoretical roofs of a named model. */
#include "machine/machine.h"
#include "base/memory.h"

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

double tp_model_mix_flop_per_cycle(const struct tp_model *model, const char *name,
				   unsigned element_bytes, unsigned fmas, unsigned adds)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || (element_bytes != 4 && element_bytes != 8) || fmas + adds == 0 ||
	    (fmas && !(isa->fma_per_cycle > 0)) || (adds && !(isa->add_per_cycle > 0)))
		return 0;
	double lanes = operand_bytes(isa, element_bytes) / element_bytes;
	double ports = isa->fp_per_cycle > 0 ? isa->fp_per_cycle
					     : TP_MAX(isa->fma_per_cycle, isa->add_per_cycle);
	double cycles = (fmas + adds) / ports;
	if (fmas)
		cycles = TP_MAX(cycles, fmas / isa->fma_per_cycle);
	if (adds)
		cycles = TP_MAX(cycles, adds / isa->add_per_cycle);
	return lanes * (2 * fmas + adds) / cycles;
}

double tp_model_flop_per_cycle(const struct tp_model *model, const char *name,
			       unsigned element_bytes, const char *fp_op)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || (element_bytes != 4 && element_bytes != 8))
		return 0;
	double lanes = operand_bytes(isa, element_bytes) / element_bytes;
	if (strcmp(fp_op, "add") == 0)
		return lanes * isa->add_per_cycle;
	if (strcmp(fp_op, "mul") == 0)
		return lanes * isa->mul_per_cycle;
	if (strcmp(fp_op, "div") == 0)
		return lanes *
		       (element_bytes == 8 ? isa->div_per_cycle : isa->div_single_per_cycle);
	if (strcmp(fp_op, "fma") == 0)
		return lanes * 2 * isa->fma_per_cycle;
	if (strcmp(fp_op, "fma+add") != 0)
		return 0;
	double best = 0;
	for (unsigned fmas = 1; fmas <= TP_MODEL_FMAS_MAX; fmas++)
		best = TP_MAX(best,
			      tp_model_mix_flop_per_cycle(model, name, element_bytes, fmas, 1));
	return best;
}

double tp_model_narrow_flop_per_cycle(const struct tp_model *model, const char *name,
				      const char *precision, const char *fp_op)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	const struct {
		const char *precision, *op;
		double flop_per_cycle;
	} peaks[] = {
		{ "double", "tile", isa ? isa->double_tile_flop_per_cycle : 0 },
		{ "single", "tile", isa ? isa->single_tile_flop_per_cycle : 0 },
		{ "half", "fma", isa ? isa->half_fma_flop_per_cycle : 0 },
		{ "half", "tile", isa ? isa->half_tile_flop_per_cycle : 0 },
		{ "bf16", "dot", isa ? isa->bf16_dot_flop_per_cycle : 0 },
		{ "bf16", "tile", isa ? isa->bf16_tile_flop_per_cycle : 0 },
		{ "int8", "dot", isa ? isa->int8_dot_flop_per_cycle : 0 },
		{ "int8", "tile", isa ? isa->int8_tile_flop_per_cycle : 0 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(peaks); i++)
		if (strcmp(peaks[i].precision, precision) == 0 && strcmp(peaks[i].op, fp_op) == 0)
			return peaks[i].flop_per_cycle;
	return 0;
}

double tp_model_peak_flop_per_cycle(const struct tp_model *model, const char *isa,
				    const char *precision, const char *fp_op)
{
	bool usual = strcmp(precision, "double") == 0 || strcmp(precision, "single") == 0;
	if (usual && strcmp(fp_op, "tile") != 0)
		return tp_model_flop_per_cycle(model, isa, precision[0] == 'd' ? 8 : 4, fp_op);
	return tp_model_narrow_flop_per_cycle(model, isa, precision, fp_op);
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
