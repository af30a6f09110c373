/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines that are not here: the reference system of a model, and what a simulation stands for. */
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* Packages, cores and hardware threads. The caches follow from the model (cache_settle). */
static void describe(const struct tp_model *model, char *out, size_t size)
{
	snprintf(out, size, "synthetic:pack:%u [numa] core:%u pu:%u", TP_MAX(model->sockets, 1u),
		 TP_MAX(model->cores_per_socket, 1u), TP_MAX(model->threads_per_core, 1u));
}

enum tp_status tp_machine_reference(struct tp_machine *machine, const struct tp_cpu *cpu,
				    const char *model, const uint64_t given_bytes[TP_CACHE_LEVELS],
				    struct tp_diag *diag)
{
	char topology[96];
	*machine = (struct tp_machine){ .turbo = -1 };
	enum tp_status status = tp_model_choose(machine, model, diag);
	if (status != TP_OK)
		return status;
	describe(&machine->model, topology, sizeof(topology));
	status = tp_machine_init(machine, cpu, topology, model, given_bytes, diag);
	if (status == TP_OK)
		snprintf(machine->source, sizeof(machine->source), "the reference system of %s",
			 machine->model.name);
	return status;
}

void tp_machine_simulate(struct tp_machine *machine, const char *regime)
{
	tp_copy(machine->simulated, sizeof(machine->simulated), regime);
	if (machine->foreign)
		return;
	/* From here on nothing may be bound to this host, or be taken for a fact about it. */
	machine->foreign = true;
	tp_copy(machine->source, sizeof(machine->source), "a simulation of this machine");
	machine->hostname[0] = machine->kernel[0] = machine->container[0] = '\0';
	machine->governor[0] = machine->thp[0] = machine->cpu.hypervisor[0] = '\0';
	machine->turbo = -1;
}
