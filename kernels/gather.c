/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/gather.h"
#include "base/str.h"
#include "kernels/kernel.h"

#include <string.h>

unsigned tp_gather_lanes(const struct tp_gather *g, unsigned element_bytes)
{
	return g->vector_bytes / element_bytes;
}

unsigned tp_gather_lines(const struct tp_gather *g, unsigned element_bytes)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < g->elements; i++) {
		uint64_t line = (uint64_t)g->index[i] * element_bytes / TP_GATHER_LINE_BYTES;
		bool known = false;
		for (unsigned k = 0; k < i && !known; k++)
			known = (uint64_t)g->index[k] * element_bytes / TP_GATHER_LINE_BYTES ==
				line;
		lines += !known;
	}
	return lines;
}

size_t tp_gather_bytes(const struct tp_gather *g, unsigned element_bytes)
{
	uint32_t most = 0;
	for (unsigned i = 0; i < g->elements; i++)
		most = g->index[i] > most ? g->index[i] : most;
	return ((size_t)most + 1) * element_bytes;
}

enum tp_status tp_gather_supported(const struct tp_isa *isa, unsigned vector_bytes,
				   const struct tp_cpu *cpu, struct tp_diag *diag)
{
	enum tp_status status = cpu ? tp_isa_supported(isa, cpu, diag) : TP_OK;
	if (status != TP_OK)
		return status;
	if (!isa->gather_most_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL, "%s has no gathers",
			       isa->name);
	if (vector_bytes < isa->gather_least_bytes || vector_bytes > isa->gather_most_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL,
			       "%s has no gathers of %u bits", isa->name, 8 * vector_bytes);
	const char *needs = isa->short_gathers_need;
	if (cpu && needs && vector_bytes < isa->gather_most_bytes &&
	    !tp_has_word(cpu->features, needs))
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL,
			       "gathers of %u bits need %s, which this CPU or kernel does not "
			       "offer",
			       8 * vector_bytes, needs);
	return TP_OK;
}

enum tp_status tp_gather_check(const struct tp_kernel *k, struct tp_diag *diag)
{
	const struct tp_gather *g = k->gather;
	const char *name = "gather";
	if (!g || (g->vector_bytes != 16 && g->vector_bytes != 32 && g->vector_bytes != 64))
		return tp_fail(diag, TP_USAGE, name, "128, 256 or 512 bits", "no such vector");
	unsigned lanes = tp_gather_lanes(g, k->element_bytes);
	if (g->elements == 0 || g->elements > lanes)
		return tp_fail(diag, TP_USAGE, name, "a wider vector, or fewer elements",
			       "%u elements of %u bytes in a vector of %u bits", g->elements,
			       k->element_bytes, 8 * g->vector_bytes);
	if (g->gathers == 0 || g->gathers % TP_GATHER_GROUP)
		return tp_fail(diag, TP_USAGE, name, NULL, "%u gathers are no whole groups of %d",
			       g->gathers, TP_GATHER_GROUP);
	for (unsigned i = 0; i < g->elements; i++)
		if (g->index[i] > TP_GATHER_INDEX_MAX)
			return tp_fail(diag, TP_USAGE, name, NULL, "index %u is too large",
				       g->index[i]);
	return TP_OK;
}

void tp_gather_fill(const struct tp_gather *g, unsigned element_bytes, const void *const *bases,
		    struct tp_gather_data *data)
{
	unsigned lanes = tp_gather_lanes(g, element_bytes);
	unsigned on = g->masked ? g->elements : lanes;
	memset(data, 0, sizeof(*data));
	data->bases = bases;
	data->lanes_on = (UINT64_C(1) << on) - 1;
	memset(data->mask, 0xff, (size_t)on * element_bytes);
	for (unsigned i = 0; i < lanes; i++)
		data->index[i] = g->index[i < g->elements ? i : 0];
}
