/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ISAs of simulated machines by name: also those that this build has no back end for. */
#ifndef TPROF_TESTS_SIMULATED_ISA_H
#define TPROF_TESTS_SIMULATED_ISA_H

#include <string.h>

#include "base/memory.h"
#include "kernels/isa.h"

static inline const struct tp_isa *simulated_isa(const char *name)
{
	static const struct tp_isa foreign[] = {
		{ .name = "sse", .arch = "x86_64", .summary = "", .needs = "", .vector_bytes = 16 },
		{ .name = "avx2",
		  .arch = "x86_64",
		  .summary = "",
		  .needs = "",
		  .vector_bytes = 32 },
		{ .name = "avx512",
		  .arch = "x86_64",
		  .summary = "",
		  .needs = "",
		  .vector_bytes = 64 },
	};
	const struct tp_isa *isa = tp_isa_find(name);
	for (size_t i = 0; !isa && i < TP_COUNT_OF(foreign); i++)
		if (strcmp(foreign[i].name, name) == 0)
			isa = &foreign[i];
	return isa;
}

#endif
