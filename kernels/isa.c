/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/isa.h"
#include "kernels/isa_names.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

bool tp_isa_is_apart(const struct tp_isa *isa)
{
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++)
		if (strcmp(tp_isa_names[i].name, isa->name) == 0)
			return tp_isa_names[i].apart;
	return false;
}

const char *tp_cpu_lacks(const struct tp_cpu *cpu, const char *needs, char out[32])
{
	for (size_t n; *needs; needs += n + (needs[n] == ' ')) {
		n = strcspn(needs, " ");
		snprintf(out, 32, "%.*s", (int)n, needs);
		if (!tp_has_word(cpu->features, out))
			return out;
	}
	return NULL;
}

enum tp_status tp_isa_supported(const struct tp_isa *isa, const struct tp_cpu *cpu,
				struct tp_diag *diag)
{
	if (strcmp(isa->arch, cpu->arch) != 0)
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL,
			       "%s is an ISA of %s; this CPU is %s", isa->name, isa->arch,
			       cpu->arch);
	char room[32];
	const char *word = tp_cpu_lacks(cpu, isa->needs, room);
	if (!word)
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, isa->name,
		       "use isa: auto for every ISA that this CPU and kernel support",
		       "%s needs %s, which this CPU or kernel does not offer", isa->name, word);
}

unsigned tp_isa_vector_bytes(const struct tp_isa *isa)
{
	return isa->vector_length_bytes ? isa->vector_length_bytes() : isa->vector_bytes;
}

unsigned tp_isa_operand_bytes(const struct tp_isa *isa, unsigned element_bytes)
{
	unsigned vector_bytes = tp_isa_vector_bytes(isa);
	return vector_bytes ? vector_bytes : element_bytes;
}
