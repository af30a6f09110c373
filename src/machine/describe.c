/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine in words: one fact a line, a label column of 12. */
#include "machine/machine.h"
#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void label(struct tp_str *out, const char *name)
{
	tp_str_printf(out, "%-12s", name);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void cpu_line(const struct tp_machine *machine, struct tp_str *out)
{
	const struct tp_cpu *cpu = &machine->cpu;
	label(out, "CPU");
	tp_str_add(out, machine->cpu_name);
	if (*cpu->vendor)
		tp_str_printf(out, ", %s", cpu->vendor);
	if (cpu->family >= 0 && cpu->model >= 0)
		tp_str_printf(out, " family %d model %d stepping %d", cpu->family, cpu->model,
			      cpu->stepping);
	tp_str_printf(out, ", %s\n", cpu->arch);
}

/* "0-3,8" of the allowed CPUs by OS number, shortened when it gets long. */
static void allowed_list(const struct tp_machine *machine, struct tp_str *out)
{
	enum { LENGTH_MAX = 60 };
	size_t start = out->len, highest = 0;
	for (size_t i = 0; i < machine->n_pus; i++)
		highest = TP_MAX(highest, (size_t)machine->pus[i].os_index);
	bool *allowed = calloc(highest + 2, sizeof(*allowed)); /* the last one stays false */
	if (!allowed) {
		out->oom = true;
		return;
	}
	for (size_t i = 0; i < machine->n_pus; i++)
		allowed[machine->pus[i].os_index] = machine->pus[i].allowed;
	for (size_t cpu = 0; cpu <= highest; cpu++) {
		size_t first = cpu;
		if (!allowed[cpu])
			continue;
		while (allowed[cpu + 1])
			cpu++;
		if (out->len - start > LENGTH_MAX) {
			tp_str_add(out, ",...");
			break;
		}
		tp_str_printf(out, "%s%zu", out->len > start ? "," : "", first);
		if (cpu > first)
			tp_str_printf(out, "-%zu", cpu);
	}
	free(allowed);
}

static void topology_lines(const struct tp_machine *machine, struct tp_str *out)
{
	label(out, "Topology");
	tp_str_printf(out, "%u package%s, %u core%s, %zu hardware thread%s, %u memory node%s\n",
		      machine->n_packages, plural(machine->n_packages), machine->n_cores,
		      plural(machine->n_cores), machine->n_pus, plural(machine->n_pus),
		      machine->n_numa, plural(machine->n_numa));
	label(out, "Usable CPUs");
	tp_str_printf(out, "%zu: ", machine->n_allowed);
	allowed_list(machine, out);
	tp_str_add(out, "\n");
}

static void cache_line(const struct tp_cache *cache, const char *name, struct tp_str *out)
{
	const struct {
		uint64_t bytes;
		const char *said;
	} others[] = { { cache->reported_bytes, "reported" },
		       { cache->measured_bytes, "measured" },
		       { cache->given_bytes, "given" },
		       { cache->model_bytes, "model" } };
	char size[32];
	if (!cache->size_bytes)
		return;
	label(out, name);
	tp_str_add(out, tp_format_bytes(size, sizeof(size), cache->size_bytes));
	if (cache->ways)
		tp_str_printf(out, ", %u-way", cache->ways);
	tp_str_printf(out, ", %u B lines, ", cache->line_bytes);
	if (cache->sharing_cores == 1)
		tp_str_add(out, "private");
	else
		tp_str_printf(out, "shared by %u cores", cache->sharing_cores);
	tp_str_printf(out, ", %u in all", cache->instances);
	const char *joint = " [";
	for (size_t i = 0; i < TP_COUNT_OF(others); i++)
		if (others[i].bytes) {
			tp_str_printf(out, "%s%s %s", joint, others[i].said,
				      tp_format_bytes(size, sizeof(size), others[i].bytes));
			joint = ", ";
		}
	tp_str_add(out, "]\n");
}

static void memory_lines(const struct tp_machine *machine, struct tp_str *out)
{
	char total[32], free_text[32], page[32], huge[32];
	label(out, "Memory");
	if (machine->memory_bytes)
		tp_str_printf(
			out, "%s, %s usable by this process\n",
			tp_format_bytes(total, sizeof(total), machine->memory_bytes),
			tp_format_bytes(free_text, sizeof(free_text), machine->available_bytes));
	else
		tp_str_add(out, "unknown\n");
	if (machine->n_numa > 1)
		for (unsigned i = 0; i < machine->n_numa; i++) {
			const struct tp_numa_node *node = &machine->nodes[i];
			label(out, "");
			tp_str_printf(out, "node %u: %u CPUs, %s\n", node->os_index, node->n_pus,
				      node->memory_bytes ? tp_format_bytes(total, sizeof(total),
									   node->memory_bytes)
							 : "memory unknown");
		}
	if (machine->foreign)
		return;
	label(out, "Pages");
	tp_str_printf(out, "%s; huge %s, transparent: %s, preallocated and free: %llu\n",
		      tp_format_bytes(page, sizeof(page), machine->page_bytes),
		      tp_format_bytes(huge, sizeof(huge), machine->huge_page_bytes),
		      *machine->thp ? machine->thp : "unknown",
		      (unsigned long long)machine->hugetlb_free);
}

static void environment_lines(const struct tp_machine *machine, struct tp_str *out)
{
	static const char *const turbo[] = { "unknown", "off", "on" };
	if (machine->foreign)
		return;
	label(out, "Frequency");
	tp_str_printf(out, "governor %s, turbo %s, cycle counter %s\n",
		      *machine->governor ? machine->governor : "unknown",
		      turbo[(machine->turbo > 1 ? 1 : machine->turbo) + 1],
		      machine->cpu.invariant_counter ? "invariant" : "not known to be invariant");
	label(out, "System");
	tp_str_printf(out, "%s, %s", machine->hostname, machine->kernel);
	if (*machine->cpu.hypervisor)
		tp_str_printf(out, ", under %s", machine->cpu.hypervisor);
	if (*machine->container)
		tp_str_printf(out, ", in a container (%s)", machine->container);
	tp_str_add(out, "\n");
}

static void model_lines(const struct tp_model *model, struct tp_str *out)
{
	label(out, "Model");
	if (!*model->name) {
		tp_str_add(out, "none known for this CPU: no theoretical roofs\n");
		return;
	}
	tp_str_printf(out, "%s: %s", model->name, model->title);
	if (model->nominal_ghz > 0)
		tp_str_printf(out, ", %g GHz nominal", model->nominal_ghz);
	tp_str_add(out, "\n");
	if (tp_model_dram_gbps(model) > 0) {
		label(out, "");
		tp_str_printf(out, "DRAM %.4g GB/s a socket (%u channels of %g MT/s)\n",
			      tp_model_dram_gbps(model), model->memory_channels, model->memory_mts);
	}
	label(out, "");
	tp_str_add(out, "theoretical, per core and cycle (double precision):\n");
	label(out, "");
	tp_str_printf(out, "%-8s %9s %9s %9s %9s %9s\n", "ISA", "load B", "store B", "best B",
		      "FMA FLOP", "peak FLOP");
	for (size_t i = 0; i < model->n_isas; i++) {
		const char *isa = model->isas[i].name;
		double fma = tp_model_flop_per_cycle(model, isa, 8, "fma");
		double both = tp_model_flop_per_cycle(model, isa, 8, "fma+add");
		label(out, "");
		tp_str_printf(out, "%-8s %9.4g %9.4g %9.4g %9.4g %9.4g\n", isa,
			      tp_model_l1_bytes_per_cycle(model, isa, 8, 1, 0),
			      tp_model_l1_bytes_per_cycle(model, isa, 8, 0, 1),
			      tp_model_l1_best(model, isa, 8, NULL, NULL), fma, TP_MAX(fma, both));
	}
}

void tp_machine_describe(const struct tp_machine *machine, struct tp_str *out)
{
	static const char *const names[TP_CACHE_LEVELS] = { "", "L1d", "L2", "L3" };
	if (machine->foreign) {
		label(out, "Planned for");
		tp_str_printf(out, "%s (another machine: nothing can be measured)\n",
			      machine->source);
	}
	cpu_line(machine, out);
	topology_lines(machine, out);
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		cache_line(&machine->cache[level], names[level], out);
	memory_lines(machine, out);
	environment_lines(machine, out);
	model_lines(&machine->model, out);
}
